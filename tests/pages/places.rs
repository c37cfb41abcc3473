//! Addresses: links of findings lead to what they are about, and what is in view survives a reload.

use serde_json::{Value, json};

use super::drive::{drive, evaluate, problems};
use super::{make, page};

/// What both charts show.
const SHOWN: &str = "new Promise((done) => setTimeout(() => {
    const [time, space] = ['#timeline', '#space-chart'].map((id) => document.querySelector(id).dataset);
    const pressed = (key) => document.querySelector(`[data-${key}][aria-pressed=true]`)?.dataset[key] ?? null;
    done({ time: time.view, file: space.file, bytes: space.view, way: pressed('way'), down: pressed('down'), hash: location.hash });
}, 450))";

#[test]
fn a_finding_about_reads_leads_to_the_reads_it_is_about() {
    let made = page("reread", &make::reread());
    let link = "(() => { const link = document.querySelector('.go a[href^=\"#file=\"][href*=\"o=\"]'); link.click(); return [link.getAttribute('href'), link.textContent]; })()";
    let steps = [
        made.open(1440, false),
        evaluate(SHOWN),
        evaluate(link),
        evaluate(SHOWN),
        // Back to where nothing was asked for shows everything again.
        evaluate("history.back()"),
        evaluate(SHOWN),
        problems(),
    ];
    let Some(results) = drive(&steps) else { return };
    let mib = |value: u64| value << 20;
    let whole = format!("0-{}", mib(64));
    assert_eq!((&results[1]["way"], &results[1]["bytes"]), (&json!("written"), &json!(whole)));
    let part = format!("{}-{}", mib(16), mib(32));
    assert_eq!(
        results[2],
        json!([format!("#file=0&way=read&lane=POSIX&o={part}"), "Where in the file, reads"])
    );
    assert_eq!((&results[3]["way"], &results[3]["bytes"]), (&json!("read"), &json!(part)));
    assert_eq!(
        (&results[5]["way"], &results[5]["bytes"], &results[5]["hash"]),
        (&json!("written"), &json!(whole), &json!(""))
    );
    assert_eq!(results[6], json!([]));
}

#[test]
fn what_both_charts_show_survives_a_reload() {
    let made = page("reload", &make::reread());
    let click = |button: &str| evaluate(&format!("document.querySelector('{button}').click()"));
    let steps = [
        made.open(1440, false),
        evaluate("document.querySelector('#timeline').scrollIntoView()"),
        json!({"act": "drag", "on": "#timeline", "at": [0.3, 0.3], "until": [0.5, 0.32]}),
        click("[data-way=read]"),
        click("[data-down=time]"),
        click("[data-zoom=space][data-by=closer]"),
        evaluate(SHOWN),
        json!({"act": "reload"}),
        problems(),
        evaluate(SHOWN),
        // A section keeps its address, and the charts what they show.
        evaluate("document.querySelector('nav a[href=\"#files\"]').click()"),
        evaluate(SHOWN),
        evaluate("history.back()"),
        evaluate(SHOWN),
        click("#timeline-reset"),
        click("#space-reset"),
        click("[data-way=written]"),
        click("[data-down=rank]"),
        evaluate(SHOWN),
        problems(),
    ];
    let Some(results) = drive(&steps) else { return };
    let before = &results[6];
    let hash = before["hash"].as_str().unwrap();
    assert!(hash.starts_with("#file=0&way=read&lane=POSIX&down=time&o="), "{hash}");
    assert!(hash.contains("&t="), "{hash}");
    let near = |a: &Value, b: &Value| {
        let read = |value: &Value| -> Vec<f64> {
            value.as_str().unwrap().split('-').map(|one| one.parse().unwrap()).collect()
        };
        let (a, b) = (read(a), read(b));
        let wide = a[1] - a[0];
        assert!(a.iter().zip(&b).all(|(a, b)| (a - b).abs() < 1e-3 * wide), "{a:?} {b:?}");
    };
    for after in [&results[9], &results[11], &results[13]] {
        near(&before["time"], &after["time"]);
        near(&before["bytes"], &after["bytes"]);
        assert_eq!((&before["way"], &before["down"]), (&after["way"], &after["down"]));
    }
    assert_eq!(results[11]["hash"], json!("#files"));
    assert_eq!(results[18]["hash"], json!(""), "all is in view");
    assert_eq!(results[19], json!([]));
}
