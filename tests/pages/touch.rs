//! Fingers: one moves and tells, two zoom.

use serde_json::{Value, json};

use super::drive::{drive, evaluate, problems};
use super::{make, page};

#[test]
fn two_fingers_zoom_and_a_tap_tells_what_is_there() {
    let made = page("touch", &make::traced());
    let view = |id: &str| evaluate(&format!("document.querySelector('#{id}').dataset.view"));
    let tip = evaluate("getComputedStyle(tip).display === 'none' ? '' : tip.textContent");
    let to = |id: &str| {
        evaluate(&format!("document.querySelector('#{id}').scrollIntoView({{ block: 'center' }})"))
    };
    let apart =
        json!([[[0.45, 0.5], [0.35, 0.5], [0.3, 0.5]], [[0.55, 0.5], [0.65, 0.5], [0.7, 0.5]]]);
    let tap = |id: &str, at: [f64; 2]| json!({"act": "touch", "on": id, "fingers": [[at]]});
    let steps = [
        json!({"act": "open", "url": made.url(), "width": 390}),
        to("timeline"),
        tap("#timeline", [0.5, 0.7]),
        tip.clone(),
        json!({"act": "touch", "on": "#timeline", "fingers": apart}),
        view("timeline"),
        to("space-chart"),
        json!({"act": "touch", "on": "#space-chart", "fingers": apart}),
        view("space-chart"),
        to("ranks-0"),
        tap("#ranks-0", [0.3, 0.5]),
        tip.clone(),
        // What is not a chart lets it go.
        tap("#ranks h2", [0.5, 0.5]),
        tip,
        problems(),
    ];
    let Some(results) = drive(&steps) else { return };
    let told = results[3].as_str().unwrap();
    assert!(told.starts_with("POSIX write, rank 1"), "{told}");
    let range = |value: &Value| -> f64 {
        let (low, high) = value.as_str().unwrap().split_once('-').unwrap();
        high.parse::<f64>().unwrap() - low.parse::<f64>().unwrap()
    };
    assert!((1.5..4.0).contains(&range(&results[5])), "{}", results[5]);
    let part = range(&results[8]) / (24.0 * 1_048_576.0);
    assert!((0.15..0.4).contains(&part), "{part}");
    assert!(results[11].as_str().unwrap().contains("in reads and writes"), "{}", results[11]);
    assert_eq!(results[13], json!(""));
    assert_eq!(results[14], json!([]));
}
