//! Ways to some of the ranks: buttons, a field, links of findings and addresses.

use serde_json::{Value, json};

use super::drive::{drive, evaluate, problems};
use super::{make, page};

#[test]
fn some_ranks_can_be_looked_at_and_linked_to() {
    let made = page("straggler", &make::straggler());
    let rows = evaluate(
        "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(document.querySelector('#timeline').dataset.rows))))",
    );
    let press = |button: &str| evaluate(&format!("document.querySelector('{button}').click()"));
    let pressed = evaluate("document.querySelector('[data-pick][aria-pressed=true]')?.textContent");
    let typed = |words: &str| {
        evaluate(&format!(
            "(() => {{ const field = document.querySelector('#timeline-ranks'); field.focus(); field.value = '{words}'; field.dispatchEvent(new Event('input')); return field.getAttribute('aria-invalid'); }})()"
        ))
    };
    let hash = evaluate("new Promise((done) => setTimeout(() => done(location.hash), 400))");
    let open = |hash: &str| json!({"act": "open", "url": format!("{}{hash}", made.url())});
    let steps = [
        made.open(1440, false),
        rows.clone(),
        press("[data-pick=\"0\"]"),
        rows.clone(),
        pressed.clone(),
        hash.clone(),
        press("#timeline-reset"),
        rows.clone(),
        // The link of the finding narrows time and rows, and what it sets survives a reload.
        press("a[href^=\"#t=\"][href$=\"r=5\"]"),
        rows.clone(),
        hash.clone(),
        evaluate("document.querySelector('#timeline').dataset.view"),
        open("#t=4.5-6&r=5"),
        rows.clone(),
        evaluate("document.querySelector('#timeline').dataset.view"),
        typed("2, 7-9"),
        rows.clone(),
        typed("2, x"),
        rows.clone(),
        // A rank that made no call leaves nothing to see, and nothing breaks.
        open("#r=777"),
        rows,
        pressed,
        problems(),
    ];
    let Some(results) = drive(&steps) else { return };
    let text = |step: usize| results[step].as_str().unwrap_or_default();
    assert_eq!([text(1), text(3), text(4), text(5)], ["12", "1", "Rank 0", "#r=0"]);
    assert_eq!([text(7), text(9)], ["12", "1"]);
    assert!(text(10).starts_with("#t=") && text(10).ends_with("&r=5"), "{}", text(10));
    assert_ne!(text(11), "0-20");
    assert_eq!([text(13), text(14)], ["1", "4.5-6"]);
    assert_eq!([text(15), text(16), text(17), text(18)], ["false", "4", "true", "4"]);
    assert_eq!((text(20), &results[21]), ("0", &Value::Null));
    assert_eq!(results[22], json!([]), "the console is silent");
}

#[test]
fn a_log_of_sums_says_once_what_it_lacks_and_what_to_type() {
    let made = page("sums", &make::counters_only());
    assert_eq!(made.html.matches("sums only").count(), 1);
    assert!(made.html.contains("ioglass run --trace -- "), "what to type");
    assert!(made.html.contains("<code>export DXT_ENABLE_IO_TRACE=1"), "as code");
    for gone in ["#heat", "#space"] {
        assert!(!made.html.contains(&format!("href=\"{gone}\"")), "{gone} leads nowhere");
    }
}
