//! What a page says of logs that are not whole, how it fills its place, and how it prints.

use serde_json::json;

use super::drive::{drive, evaluate, page_of, problems};
use super::{make, page};
use crate::findings::counters::write;
use crate::findings::recipe::{log_of, only};

#[test]
fn a_trace_that_was_cut_off_does_not_look_like_a_run_without_io() {
    let made = page("cut", &make::cut());
    let words =
        made.html.matches("The trace is incomplete: the recorder ran out of memory").count();
    assert_eq!(words, 3, "in time, heat maps and space");
    let tip = evaluate("getComputedStyle(tip).display === 'none' ? '' : tip.textContent");
    let written = "(() => { const { fillText } = CanvasRenderingContext2D.prototype; const found = [];
        CanvasRenderingContext2D.prototype.fillText = function (words, ...more) { if (words === 'not recorded') found.push(this.canvas.id); fillText.call(this, words, ...more); };
        dispatchEvent(new Event('toggle'));
        CanvasRenderingContext2D.prototype.fillText = fillText;
        return [...new Set(found)]; })()";
    let steps = [
        made.open(1440, false),
        evaluate("document.querySelector('#timeline').scrollIntoView()"),
        json!({"act": "move", "on": "#timeline", "at": [0.8, 0.7]}),
        tip.clone(),
        json!({"act": "move", "on": "#timeline", "at": [0.25, 0.7]}),
        tip,
        evaluate(written),
        problems(),
    ];
    let Some(results) = drive(&steps) else { return };
    assert!(results[3].as_str().unwrap().contains("not recorded"), "{}", results[3]);
    assert!(!results[5].as_str().unwrap().contains("not recorded"), "{}", results[5]);
    assert_eq!(results[6], json!(["heat-0", "timeline"]));
    assert_eq!(results[7], json!([]));
}

#[test]
fn one_map_alone_has_all_the_width_and_paper_has_its_keys_and_tables() {
    let made = page("paper", &make::reread());
    let wide = "(() => { const maps = [...document.querySelectorAll('.maps > .panel')].filter((panel) => !panel.hidden);
        return [maps.length, Math.round(maps[0].getBoundingClientRect().width), Math.round(document.querySelector('.maps').getBoundingClientRect().width)]; })()";
    let paper = "(() => { dispatchEvent(new Event('beforeprint'));
        const seen = (selector) => [...document.querySelectorAll(selector)].filter((e) => e.getClientRects().length).length;
        const closed = [...document.querySelectorAll('details:not([open])')].filter((box) => box.dataset.long !== 'true').length;
        const empty = [...document.querySelectorAll('details[open] .tw')].filter((box) => !box.querySelector('td')).length;
        return { keys: seen('.tools .leg.shows'), buttons: seen('.tools .seg, #timeline-reset, #files-search, #files-csv'), file: seen('#space-file'), closed, empty }; })()";
    let closed = "(() => { dispatchEvent(new Event('afterprint')); return document.querySelectorAll('.panel details[open]').length; })()";
    let steps = [
        made.open(1440, false),
        evaluate(wide),
        json!({"act": "media", "media": "print"}),
        evaluate(paper),
        json!({"act": "media", "media": ""}),
        evaluate(closed),
        problems(),
    ];
    let Some(results) = drive(&steps) else { return };
    assert_eq!((&results[1][0], &results[1][1]), (&json!(1), &results[1][2]));
    assert_eq!(results[3], json!({"keys": 1, "buttons": 0, "file": 1, "closed": 0, "empty": 0}));
    assert_eq!(results[5], json!(0), "what was opened for paper is closed again");
    assert_eq!(results[6], json!([]));
}

#[test]
fn the_theme_that_was_chosen_stays() {
    let made = page("theme", &make::counters_only());
    let theme = evaluate(
        "[document.documentElement.dataset.theme ?? null, document.querySelector('#theme').textContent]",
    );
    let steps = [
        made.open(1440, false),
        evaluate("document.querySelector('#theme').click()"),
        theme.clone(),
        json!({"act": "reload"}),
        theme.clone(),
        // Where nothing can be remembered, the button works all the same.
        evaluate(
            "void Object.defineProperty(window, 'localStorage', { get() { throw new Error('forbidden'); } })",
        ),
        evaluate("document.querySelector('#theme').click()"),
        theme,
        problems(),
    ];
    let Some(results) = drive(&steps) else { return };
    assert_eq!(results[2], json!(["dark", "Light"]));
    assert_eq!(results[4], json!(["dark", "Light"]));
    assert_eq!(results[7], json!(["light", "Dark"]));
    assert_eq!(results[8], json!([]));
}

#[test]
fn what_is_not_in_the_heat_map_is_named_and_levels_are_told_whole() {
    let not_there = "also moved bytes, which no heat map of this log shows";
    let all = page("timed", &make::one_process());
    assert!(!all.html.contains(not_there));
    assert!(!all.html.contains("Time in MPI-IO includes"), "there is no MPI-IO");
    assert!(all.html.contains("Each check has a highest level that it never exceeds"));
    let some = make::one_process().file("/data/log.txt").stdio(only(0), write(5000.0, 80.0, 1.0));
    assert!(page("untimed", &some).html.contains(&format!("STDIO {not_there}")));
    let empty = log_of(b"# exe: ./app\n# nprocs: 1\n# run time: 1.0\n");
    assert!(!page_of("no-modules", &empty).html.contains("versions: ."));
}
