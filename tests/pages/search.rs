//! The page of a search: what each end of it shows, charts, controls, both themes and a telephone.

#[path = "../../crates/report/src/tune/samples.rs"]
mod samples;

use std::path::PathBuf;

use ioglass_report::tune::page;
use ioglass_tune::report::Report;
use ioglass_tune::tuning::State;
use serde_json::{Value, json};

use super::PALE;
use super::drive::{drive, evaluate, problems};
use crate::report_json::validator::check;
use crate::support::scratch;

/// What is drawn: rounds, ratios, layers, runs, effects; then whether any words leave their picture, and
/// whether the page can be pushed sideways.
const DRAWN: &str = "(() => {
  const inside = (svg) => [...svg.querySelectorAll('text')].every((t) => { const b = t.getBoundingClientRect(), s = svg.getBoundingClientRect(); return b.left >= s.left - 1 && b.right <= s.right + 1 && b.bottom <= s.bottom + 1; });
  const count = (selector) => document.querySelectorAll(selector).length;
  return [count('#rounds-chart .round'), count('#ratios-chart .round'), count('#layers-chart .gain'),
    count('#search-chart .dot, #search-chart .cross'), count('#effects svg'),
    [...document.querySelectorAll('svg[role=group]')].every(inside), document.documentElement.scrollWidth <= innerWidth];
})()";

/// The words of the pictures that lie on each other.
const COVERED: &str = "(() => {
  const covered = [];
  for (const svg of document.querySelectorAll('svg[role=group]')) {
    const texts = [...svg.querySelectorAll('text')].map((t) => [t.textContent, t.getBoundingClientRect()]);
    texts.forEach(([one, a], i) => { for (const [other, b] of texts.slice(i + 1)) if (a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 4 && b.top < a.bottom - 4) covered.push([one, other]); });
  }
  return covered;
})()";

fn made(name: &str, report: &Report) -> PathBuf {
    let path = scratch("search-pages").join(format!("{name}.html"));
    std::fs::write(&path, page(report)).unwrap();
    path
}

fn open(page: &std::path::Path, width: u32, dark: bool) -> Value {
    json!({"act": "open", "url": format!("file://{}", page.display()), "width": width, "dark": dark})
}

fn count(report: &Report) -> Value {
    let proven = report.speedup.as_ref().is_some_and(|speedup| speedup.confirmed);
    let rounds = if proven { report.rounds.len() } else { 0 };
    let layers = report.layers.iter().filter(|layer| layer.speedup.is_some()).count();
    let layers = if report.layers.is_empty() { 0 } else { layers + 1 };
    let is_known = |name: &str| report.effects.iter().any(|effect| effect.name == name);
    let parameters = &report.search.parameters;
    let effects = parameters.iter().filter(|parameter| is_known(&parameter.name)).count();
    json!([rounds, rounds, layers, report.trials.len(), effects, true, true])
}

#[test]
fn each_end_has_its_page_in_both_themes_and_on_a_telephone() {
    let ends = [
        ("gain", samples::gain(), State::Gain, "instead of"),
        ("nothing", samples::nothing(), State::NothingToGain, "Nothing to gain: the defaults"),
        ("undecided", samples::undecided(), State::Undecided, "Undecided: perhaps "),
        ("interrupted", samples::interrupted(), State::Interrupted, "Stopped after 35 runs"),
        ("slower", samples::slower_as_a_whole(), State::NothingToGain, "as a whole is slower"),
        ("model", samples::model(), State::Gain, "On a model: "),
    ];
    let mut steps = Vec::new();
    for (name, report, ..) in &ends {
        let page = made(name, report);
        for (width, dark) in [(1440, false), (1440, true), (390, false)] {
            steps.push(open(&page, width, dark));
            steps.extend([evaluate(DRAWN), evaluate(COVERED), evaluate(PALE)]);
        }
        steps.push(evaluate("document.querySelector('h1').textContent.replaceAll('\\u00a0', ' ')"));
        steps.push(evaluate("document.body.innerText.includes('ioglass apply best.toml')"));
        steps.push(problems());
    }
    let Some(results) = drive(&steps) else { return };
    for ((name, report, state, words), results) in ends.iter().zip(results.chunks(15)) {
        assert_eq!(report.state, *state, "{name}");
        for seen in results.chunks(4).take(3) {
            assert_eq!(seen[1], count(report), "{name}");
            assert_eq!(seen[2], json!([]), "{name}");
            assert_eq!(seen[3], json!([]), "{name}");
        }
        assert!(results[12].as_str().unwrap().contains(words), "{name}: {}", results[12]);
        let is_offered = *state == State::Gain && report.model.is_none();
        assert_eq!(results[13], json!(is_offered), "{name}: only a proven gain is to be applied");
        assert_eq!(results[14], json!([]), "{name}: the console is silent, and nothing is loaded");
    }
}

#[test]
fn charts_and_trials_can_be_used_with_pointer_and_keys() {
    let report = samples::gain();
    let page = made("used", &report);
    let tip = "[getComputedStyle(tip).display, tip.textContent]";
    let rows =
        "[...document.querySelectorAll('#trials-table tbody tr')].filter((row) => !row.hidden)";
    let into_view = |id: &str| {
        evaluate(&format!(
            "document.querySelector('{id}').scrollIntoView({{ behavior: 'instant', block: 'center' }})"
        ))
    };
    // A page without a window gets no focus of its own.
    let focus = format!(
        "(() => {{ const mark = document.querySelector('#rounds-chart .round'); mark.focus();
        mark.dispatchEvent(new FocusEvent('focus')); return [document.activeElement === mark, ...{tip}]; }})()"
    );
    let chosen = "[...document.querySelectorAll('#trials-table tr.sel')].map((row) => Number(row.dataset.n))";
    let search = |words: &str| {
        format!(
            "(() => {{ const box = document.querySelector('#trials-search'); box.value = '{words}'; box.dispatchEvent(new Event('input'));
            return [{rows}.length, document.querySelector('#trials-count').textContent, document.querySelector('#trials-none').hidden]; }})()"
        )
    };
    let sorted = format!(
        "(() => {{ const head = document.querySelectorAll('#trials-table th button')[3]; head.click();
        const first = {rows}[0]; head.click(); return [Number(first.cells[3].dataset.v), document.querySelectorAll('#trials-table th')[3].getAttribute('aria-sort')]; }})()"
    );
    let steps = [
        open(&page, 1440, false),
        into_view("#rounds-chart"),
        json!({"act": "move", "on": "#rounds-chart .round", "at": [0.5, 0.5]}),
        evaluate(tip),
        evaluate(&focus),
        into_view("#search-chart"),
        evaluate(
            "(() => { const chart = document.querySelector('#search-chart svg'); chart.focus(); return document.activeElement === chart; })()",
        ),
        json!({"act": "key", "key": "ArrowRight"}),
        json!({"act": "key", "key": "ArrowRight"}),
        json!({"act": "key", "key": "ArrowRight"}),
        evaluate(chosen),
        evaluate(tip),
        json!({"act": "key", "key": "ArrowLeft"}),
        evaluate(chosen),
        evaluate(&search("advice")),
        evaluate(&search("gp never")),
        evaluate(&search("no such thing")),
        evaluate(&search("")),
        evaluate(&sorted),
        evaluate(
            "(() => { const tabs = [...document.querySelectorAll('.use [role=tab]')]; tabs[1].click();
            const shown = [...document.querySelectorAll('.use [role=tabpanel]')].filter((panel) => !panel.hidden); return shown.map((panel) => panel.querySelector('pre').textContent); })()",
        ),
        evaluate(
            "(() => { document.querySelector('#theme').click(); return document.documentElement.dataset.theme; })()",
        ),
        problems(),
    ];
    let Some(results) = drive(&steps) else { return };
    let round = &results[3][1];
    assert_eq!(results[3][0], "block");
    assert!(round.as_str().unwrap().starts_with("round 1: "), "{round}");
    assert_eq!(results[4], json!([true, "block", round]));
    assert_eq!(results[6], json!(true));
    assert_eq!(results[10], json!([3]));
    assert!(results[11][1].as_str().unwrap().starts_with("run 3, advice F02: "), "{}", results[11]);
    assert_eq!(results[13], json!([2]));
    let all = report.trials.len();
    let by = |how: &str, setting: Option<&str>| {
        let trials = report.trials.iter().filter(|trial| trial.how == how);
        trials.filter(|one| setting.is_none_or(|name| one.settings.contains_key(name))).count()
    };
    let advised = by("advice", None);
    assert_eq!(advised, 2);
    assert_eq!(results[14], json!([advised, format!("{advised} of {all}"), true]));
    let never = by("gp", Some("hdf5.fill_time"));
    assert_eq!(results[15], json!([never, format!("{never} of {all}"), true]));
    assert_eq!(results[16], json!([0, format!("0 of {all}"), false]));
    assert_eq!(results[17][0], json!(all));
    let best = report.search.best_seen.unwrap();
    assert_eq!(results[18], json!([best, "ascending"]), "the best first, then the worst");
    let script =
        "eval \"$(ioglass apply --env best.toml)\"\nmpirun -n 64 ./climate_model --steps 20";
    assert_eq!(results[19], json!([script]));
    assert_eq!(results[20], json!("dark"));
    assert_eq!(results[21], json!([]));
}

/// The schema describes what is written.
#[test]
fn results_are_what_their_schema_says() {
    let schema = ioglass_report::tune::schema();
    for report in [samples::gain(), samples::nothing(), samples::interrupted(), samples::model()] {
        let value = serde_json::to_value(&report).unwrap();
        let mut complaints = Vec::new();
        check(&schema, &schema, &value, "", &mut complaints);
        assert_eq!(complaints, Vec::<String>::new());
        let back: Report = serde_json::from_value(value).unwrap();
        assert_eq!(back, report);
    }
}
