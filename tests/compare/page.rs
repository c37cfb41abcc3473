//! The page of a comparison, in a real browser.

use std::fs;

use serde_json::json;

use super::{LARGE, Made, SMALL, compared, run, sides, text, times};
use crate::pages::PALE;
use crate::pages::drive::{drive, evaluate, problems};

/// Dots and their places, and whether any text leaves its picture.
const DRAWN: &str = "(() => {
  const inside = (svg) => [...svg.querySelectorAll('text')].every((t) => { const b = t.getBoundingClientRect(), s = svg.getBoundingClientRect(); return b.left >= s.left - 1 && b.right <= s.right + 1; });
  return [document.querySelectorAll('#dots .before .dot').length, document.querySelectorAll('#dots .after .dot').length,
    document.querySelectorAll('#interval .point').length, [...document.querySelectorAll('.drawn svg')].every(inside),
    document.documentElement.scrollWidth <= innerWidth];
})()";

#[test]
fn the_page_draws_every_run_and_can_be_used_with_keys() {
    let folder =
        sides("page", &times(SMALL, &[39.8, 40.9, 41.5, 43.0]), &times(LARGE, &[12.1, 12.4, 12.8]));
    let output = run(&folder, &["report", "--compare", "before", "after", "--html=made.html"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let page = fs::read_to_string(folder.join("made.html")).unwrap();
    assert!(page.len() < 200_000, "{}", page.len());
    assert!(page.contains("default-src 'none'"), "the page loads nothing");
    let found = compared(&folder, &[]);
    let url = format!("file://{}", folder.join("made.html").display());
    let open =
        |width: u32, dark: bool| json!({"act": "open", "url": url, "width": width, "dark": dark});
    let tip = "[getComputedStyle(tip).display, tip.textContent]";
    // A page without a window gets no focus of its own.
    let focus = format!(
        "(() => {{ const dot = document.querySelector('#dots .before .dot'); dot.focus();
        dot.dispatchEvent(new FocusEvent('focus')); return [document.activeElement === dot, ...{tip}]; }})()"
    );
    let steps = [
        open(1440, false),
        problems(),
        evaluate(DRAWN),
        evaluate("document.querySelector('h1').textContent.replaceAll('\\u00a0', ' ')"),
        evaluate(
            "document.querySelector('#dots').scrollIntoView({ behavior: 'instant', block: 'center' })",
        ),
        json!({"act": "move", "on": "#dots .after .dot", "at": [0.5, 0.5]}),
        evaluate(tip),
        evaluate(&focus),
        evaluate(PALE),
        // The other theme, and a phone.
        open(1440, true),
        evaluate(PALE),
        open(390, false),
        evaluate(DRAWN),
        evaluate("[...document.querySelectorAll('#runs tbody tr')].length"),
        evaluate(
            "(() => { document.querySelector('#theme').click(); return document.documentElement.dataset.theme; })()",
        ),
        problems(),
    ];
    let Some(results) = drive(&steps) else { return };
    assert_eq!(results[1], json!([]), "the console is silent");
    assert_eq!(results[2], json!([4, 3, 1, true, true]));
    assert_eq!(results[3], found["verdict"]["sentence"]);
    assert_eq!(results[6], json!(["block", "after, run 1\n12.1 s\nrun1.darshan"]));
    assert_eq!(results[7], json!([true, "block", "before, run 1\n39.8 s\nrun1.darshan"]));
    assert_eq!(results[8], json!([]), "light");
    assert_eq!(results[10], json!([]), "dark");
    assert_eq!(results[12], json!([4, 3, 1, true, true]));
    assert_eq!(results[13], json!(7), "the same as a table");
    assert_eq!(results[14], json!("dark"));
    assert_eq!(results[15], json!([]));
}

/// Names are text, whatever they look like; other work has no run times to draw.
#[test]
fn names_on_the_page_are_only_names() {
    let hostile = Made { command: "./<img/src=x/onerror=alert(1)>\u{202e} </script><b>", ..LARGE };
    let folder = sides("page-hostile", &[SMALL], &[hostile]);
    let output = run(&folder, &["report", "--compare", "before", "after", "--html=made.html"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let url = format!("file://{}", folder.join("made.html").display());
    let steps = [
        json!({"act": "open", "url": url, "width": 1440, "dark": false}),
        problems(),
        evaluate(
            "[document.querySelectorAll('img, main b b, #dots').length, document.scripts.length]",
        ),
        evaluate(
            "document.querySelector('h1').textContent.startsWith('Not comparable in seconds: program ')",
        ),
    ];
    let Some(results) = drive(&steps) else { return };
    assert_eq!(results[1], json!([]), "the console is silent");
    assert_eq!(results[2], json!([0, 1]));
    assert_eq!(results[3], json!(true));
}
