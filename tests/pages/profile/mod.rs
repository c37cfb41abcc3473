//! The page of a profile: its charts, its keys, its numbers; names that are not to be trusted.

mod make;

use std::path::Path;

use ioglass_profile::{Compression, Profile, Set};
use ioglass_report::profile::{Selection, json, page};
use serde_json::{Value, json};

use super::drive::{drive, evaluate, problems};
use super::{CANVASES, PALE, PALE_CHARTS, assert_drawn};
use crate::support::{ioglass, scratch};

/// A page on disk, and the same as JSON.
struct Shown {
    url: String,
    html: String,
    json: Value,
}

fn shown(name: &str, profile: &Profile) -> Shown {
    let set = Set::of_profile(profile).unwrap();
    let html = page::page(&set, &page::Options::default());
    let path = scratch("pages").join(format!("profile-{name}.html"));
    std::fs::write(&path, &html).unwrap();
    let mut text = Vec::new();
    let selection = Selection::default();
    json::write(&mut text, &json::Document::new(&set, &selection), false).unwrap();
    let json = serde_json::from_slice(&text).unwrap();
    Shown { url: format!("file://{}", path.display()), html, json }
}

impl Shown {
    fn open(&self, width: u32, is_dark: bool) -> Value {
        json!({"act": "open", "url": self.url, "width": width, "dark": is_dark})
    }

    fn open_at(&self, hash: &str) -> Value {
        json!({"act": "open", "url": format!("{}{hash}", self.url)})
    }
}

fn key(key: &str) -> Value {
    json!({"act": "key", "key": key})
}

fn to(id: &str) -> Value {
    evaluate(&format!(
        "document.querySelector('#{id}').scrollIntoView({{ behavior: 'instant', block: 'center' }})"
    ))
}

const TIP: &str = "getComputedStyle(tip).display === 'none' ? '' : tip.textContent";
/// Words of legends that end beyond the page.
const CUT_LEGENDS: &str = "[...document.querySelectorAll('.leg span')].filter((key) => key.getBoundingClientRect().right > (key.closest('.panel') ?? document.body).getBoundingClientRect().right + 1).map((key) => key.textContent)";
/// The region that is selected, in the table.
const SELECTED: &str = "document.querySelector('#tree tr.sel .name').textContent";

#[test]
fn all_charts_are_drawn_in_both_themes_and_sizes_and_can_be_read() {
    let made = shown("climate", &make::climate(8));
    let wide = evaluate("document.documentElement.scrollWidth - innerWidth");
    let mut steps = Vec::new();
    for (width, is_dark) in [(1440, false), (1440, true), (390, false), (390, true)] {
        steps.push(made.open(width, is_dark));
        // The checks that follow read canvases so often that the browser warns.
        steps.extend([problems(), wide.clone()]);
        steps.extend([CANVASES, PALE, PALE_CHARTS, CUT_LEGENDS].map(evaluate));
    }
    let Some(results) = drive(&steps) else { return };
    for result in results.chunks(7) {
        assert_eq!(result[1], json!([]));
        assert_eq!(result[2], json!(0), "the page goes on sideways");
        assert_drawn(&result[3], &["icicle", "ranks-bars", "matrix", "steps"]);
        assert_eq!(result[4], json!([]), "text that is hard to read");
        assert!(result[5][0].as_u64().unwrap() > 40, "{}", result[5]);
        assert_eq!(result[5][1], json!([]), "words on charts that are hard to read");
        assert_eq!(result[6], json!([]), "legends that go beyond their panel");
    }
}

#[test]
fn numbers_are_those_of_the_json() {
    let made = shown("numbers", &make::climate(8));
    let Some(results) = drive(&[
        made.open(1440, false),
        evaluate(
            "JSON.parse(document.querySelector('#data').textContent).regions.map((region, i) => {
              const row = document.querySelector(`#tree tr[data-i=\"${i}\"]`);
              return [row.querySelector('.name').textContent, row.cells[1].textContent.replaceAll(',', ''), region.seconds, region.itself, region.over[2]]; })",
        ),
        evaluate("[...document.querySelectorAll('#what article')].map((card) => [card.dataset.kind, Number(card.dataset.seconds)])"),
    ]) else {
        return;
    };
    let regions = made.json["regions"].as_array().unwrap();
    let rows = results[1].as_array().unwrap();
    assert_eq!(rows.len(), regions.len());
    for (row, region) in rows.iter().zip(regions) {
        let seconds = |value: &Value, ranks: f64| value.as_f64().unwrap() / 1e9 / ranks;
        let near = |at: usize, wanted: f64| {
            let found = row[at].as_f64().unwrap();
            assert!((found - wanted).abs() < 1e-9, "{row}: {wanted}");
        };
        assert_eq!(row[0], region["name"]);
        assert_eq!(row[1], json!(region["total"]["calls"].to_string()));
        near(2, seconds(&region["total"]["time_ns"], 8.0));
        near(3, seconds(&region["total"]["exclusive_ns"], 8.0));
        near(4, seconds(&region["ranks"]["max_ns"], 1.0));
    }
    let outs = made.json["stands_out"].as_array().unwrap();
    let wanted: Vec<Value> = outs.iter().map(|out| json!([out["kind"], out["seconds"]])).collect();
    assert_eq!(results[2], json!(wanted));
    assert!(wanted.len() >= 2, "{wanted:?}");
}

#[test]
fn keys_go_through_the_tree_and_the_flame_graph() {
    let made = shown("keys", &make::climate(8));
    let focus = |selector: &str| evaluate(&format!("document.querySelector('{selector}').focus()"));
    let open =
        "[...document.querySelectorAll('#tree tr[data-i]')].filter((row) => !row.hidden).length";
    let ring = "(() => { const { outlineStyle, outlineWidth } = getComputedStyle(document.activeElement); return [document.activeElement.tagName, outlineStyle, outlineWidth]; })()";
    let crumb = "document.querySelector('#crumb b').textContent";
    let hash = "location.hash";
    let steps = [
        made.open(1440, false),
        evaluate(SELECTED),
        // The tree: down, closed, up, opened, into, shown above, back.
        focus("#tree tr[data-i=\"0\"]"),
        key("ArrowDown"),
        evaluate(SELECTED),
        evaluate(ring),
        key("ArrowLeft"),
        evaluate(open),
        evaluate("document.activeElement.getAttribute('aria-expanded')"),
        key("ArrowRight"),
        evaluate(open),
        key("ArrowRight"),
        evaluate(SELECTED),
        key("Enter"),
        evaluate(crumb),
        key("Escape"),
        evaluate(crumb),
        key("ArrowLeft"),
        key("ArrowLeft"),
        evaluate(SELECTED),
        evaluate(hash),
        // The flame graph.
        focus("#icicle"),
        key("ArrowDown"),
        key("ArrowRight"),
        evaluate(SELECTED),
        evaluate(TIP),
        evaluate(ring),
        key("ArrowUp"),
        key("Enter"),
        evaluate(crumb),
        key("Escape"),
        evaluate(crumb),
        // The heat map.
        focus("#matrix"),
        key("ArrowDown"),
        key("ArrowRight"),
        evaluate(TIP),
        key("Enter"),
        evaluate(SELECTED),
        key("Escape"),
        evaluate(TIP),
        // Search: a slash goes there, Escape leaves.
        key("/"),
        evaluate("document.activeElement.id"),
        evaluate(
            "(() => { const found = document.querySelector('#found'), find = document.querySelector('#find'); find.value = 'WRITE'; find.dispatchEvent(new Event('input')); return [found.textContent, document.querySelectorAll('#tree mark').length, document.querySelector('#flame-reset').disabled]; })()",
        ),
        evaluate(SELECTED),
        key("Escape"),
        evaluate(
            "[document.querySelector('#found').textContent, document.querySelectorAll('#tree mark').length, document.activeElement.id, document.querySelector('#flame-reset').disabled]",
        ),
        problems(),
    ];
    let Some(results) = drive(&steps) else { return };
    let at = |step: usize| results[step].clone();
    assert_eq!(at(1), json!("write_fields"), "the region with most time of its own comes first");
    assert_eq!(at(4), json!("step"));
    assert_eq!(at(5), json!(["TR", "solid", "2px"]), "focus can be seen");
    assert!(at(7).as_u64().unwrap() < 10, "{}", at(7));
    assert_eq!(at(8), json!("false"));
    assert_eq!(at(10), json!(25));
    assert_eq!((at(12), at(14)), (json!("dynamics"), json!("dynamics")));
    assert_eq!(at(16), json!("step"));
    assert_eq!(at(19), json!("step"), "a closed region first, then the one above it");
    assert_eq!(at(20), json!("#region=1"));
    assert_eq!(at(24), json!("output"), "the first below step, then its sibling");
    assert!(at(25).as_str().unwrap().contains("uneven"), "{}", at(25));
    assert_eq!(at(26), json!(["CANVAS", "solid", "2px"]));
    assert_eq!((at(29), at(31)), (json!("step"), json!("main")));
    assert!(at(35).as_str().unwrap().contains("rank"), "{}", at(35));
    assert!(at(37).is_string() && at(39) == json!(""));
    assert_eq!(at(41), json!("find"));
    assert!(at(42)[0].as_str().unwrap().starts_with("3 regions, "), "{}", at(42));
    assert_eq!((&at(42)[1], &at(42)[2]), (&json!(3), &json!(false)));
    assert_eq!(at(43), json!("write_fields"));
    assert_eq!(at(45), json!(["", 0, "icicle", true]));
    assert_eq!(at(46), json!([]));
}

#[test]
fn a_click_selects_everywhere_and_addresses_lead_back() {
    let made = shown("clicks", &make::climate(8));
    let view = "document.querySelector('#steps').dataset.view";
    let title = "document.querySelector('#ranks-title').textContent";
    let steps = [
        made.open(1440, false),
        to("icicle"),
        // The third level begins with dynamics.
        json!({"act": "move", "on": "#icicle", "at": [0.05, 0.5]}),
        evaluate(TIP),
        json!({"act": "drag", "on": "#icicle", "at": [0.05, 0.5], "until": [0.05, 0.5]}),
        evaluate(SELECTED),
        evaluate("document.querySelector('#crumb b').textContent"),
        evaluate(title),
        to("steps"),
        json!({"act": "drag", "on": "#steps", "at": [0.5, 0.3], "until": [0.7, 0.35]}),
        evaluate(view),
        evaluate("location.hash"),
        evaluate("document.querySelector('#steps-reset').disabled"),
        json!({"act": "reload"}),
        evaluate(view),
        evaluate(SELECTED),
        evaluate("document.querySelector('#steps').focus()"),
        key("Escape"),
        evaluate(view),
        evaluate("document.querySelector('#steps-which button:nth-child(2)').click()"),
        evaluate(
            "[document.querySelector('#steps-title').textContent, document.querySelectorAll('details.slow:not([hidden])').length]",
        ),
        evaluate(view),
        made.open_at("#ranks=16"),
        evaluate(SELECTED),
        evaluate("Math.abs(document.querySelector('#ranks').getBoundingClientRect().top) < 120"),
        // A place that is not there is none.
        made.open_at("#region=999&steps=77&i=5-1"),
        evaluate(SELECTED),
        // One rank alone.
        evaluate(
            "(() => { const rank = document.querySelector('#flame-rank'); rank.value = '3'; rank.dispatchEvent(new Event('change')); return document.querySelector('#crumb').textContent; })()",
        ),
        evaluate("document.querySelector('#flame-reset').click()"),
        evaluate(
            "[document.querySelector('#flame-rank').value, document.querySelector('#crumb').textContent]",
        ),
        evaluate(
            "(() => { document.querySelector('#tree-mode [data-v=flat]').click(); return [...document.querySelectorAll('#tree .name')].slice(0, 3).map((name) => name.textContent); })()",
        ),
        evaluate(
            "(() => { const box = document.querySelector('#ranks-table'); box.open = true; return new Promise((done) => setTimeout(() => done(box.querySelectorAll('tbody tr').length), 200)); })()",
        ),
        problems(),
    ];
    let Some(results) = drive(&steps) else { return };
    let at = |step: usize| results[step].clone();
    let said = |step: usize| results[step].as_str().unwrap().to_owned();
    assert!(said(3).starts_with("dynamics") && said(3).contains("in main › step"), "{}", said(3));
    assert_eq!((at(5), at(6)), (json!("dynamics"), json!("dynamics")));
    assert!(said(7).starts_with("dynamics "), "{}", said(7));
    let [from, until] =
        said(10).split('-').map(|part| part.parse::<u32>().unwrap()).collect::<Vec<_>>()[..]
    else {
        panic!("{}", said(10));
    };
    assert!(from > 80 && until < 190 && until - from > 30, "{from} to {until}");
    assert_eq!(said(11), format!("#region=2&steps=1&i={from}-{}", until - 1));
    assert_eq!(at(12), json!(false));
    assert_eq!((at(14), at(15)), (at(10), json!("dynamics")));
    assert_eq!(at(18), json!("0-240"));
    assert!(said_first(&at(20)).starts_with("12 iterations of write_fields"), "{}", at(20));
    assert_eq!((&at(20)[1], at(21)), (&json!(1), json!("0-12")));
    assert!(at(23).is_string() && at(24) == json!(true), "{} {}", at(23), at(24));
    assert_eq!(at(26), json!("write_fields"));
    assert!(said(27).contains("100 % of rank 3"), "{}", said(27));
    assert!(
        at(29)[0] == json!("-1") && at(29)[1].as_str().unwrap().contains("of the run"),
        "{}",
        at(29)
    );
    assert_eq!(at(30), json!(["write_fields", "advect", "clouds"]));
    assert_eq!(at(31), json!(8));
    assert_eq!(at(32), json!([]));
}

fn said_first(list: &Value) -> &str {
    list[0].as_str().unwrap()
}

#[test]
fn names_are_only_names() {
    let made = shown("hostile", &make::hostile());
    assert_eq!(made.html.matches("<script").count(), 3, "data, numbers and our own script");
    assert_eq!(made.html.matches("</script").count(), 3);
    let everything = "(async () => {
      for (const button of document.querySelectorAll('button')) if (!['theme', 'tree-csv'].includes(button.id) && !button.disabled && button.className !== 'save') button.click();
      for (const box of document.querySelectorAll('details')) box.open = true;
      const find = document.querySelector('#find'); find.value = 'script'; find.dispatchEvent(new Event('input'));
      await new Promise((done) => setTimeout(done, 300));
      return [window.hit ?? null, document.querySelectorAll('img, body script:not([type])').length, document.querySelectorAll('#tree mark').length, getComputedStyle(document.body).display];
    })()";
    let steps = [
        made.open(1440, false),
        evaluate(everything),
        to("icicle"),
        json!({"act": "move", "on": "#icicle", "at": [0.3, 0.1]}),
        evaluate(TIP),
        evaluate("[window.hit ?? null, tip.querySelectorAll('script, img').length]"),
        evaluate("[...document.querySelectorAll('#tree .name')].map((name) => name.textContent)"),
        evaluate("document.querySelectorAll('.alert li').length"),
        problems(),
    ];
    let Some(results) = drive(&steps) else { return };
    assert_eq!(results[1], json!([null, 0, 2, "block"]));
    assert!(results[4].as_str().unwrap().contains("<script>"), "{}", results[4]);
    assert_eq!(results[5], json!([null, 0]));
    let names = results[6].as_array().unwrap();
    assert!(names.contains(&json!("<img src=x onerror='window.hit = 3'>")), "{names:?}");
    assert!(names.contains(&json!("__proto__")));
    assert!(results[7].as_u64().unwrap() >= 3);
    assert_eq!(results[8], json!([]));
}

#[test]
fn many_ranks_and_regions_stay_small() {
    for (name, ranks, regions) in [("large", 1024, 100), ("huge", 400, 1200)] {
        let made = shown(name, &make::large(ranks, regions, 50));
        assert!(made.html.len() < 1_500_000, "{name}: {} bytes", made.html.len());
        let select = "[3, 40, 41, 7].forEach((i) => document.querySelectorAll('#tree tr[data-i]')[i].click())";
        let steps = [made.open(1440, false), evaluate(CANVASES), evaluate(select), problems()];
        let Some(results) = drive(&steps) else { return };
        assert_drawn(&results[1], &["icicle", "ranks-bars", "matrix", "steps"]);
        assert_eq!(results[3], json!([]));
        if name == "huge" {
            assert!(made.html.contains("The 200 regions with the least time are left out here."));
            assert!(made.html.contains("share a column, which shows the slowest of them"));
        }
    }
}

#[test]
fn without_scripts_the_tree_can_be_read() {
    let made = shown("static", &make::climate(8));
    let before = made.html.split("<script").next().unwrap();
    for name in
        ["pressure_solve", "solver.f90:61", "238 GiB", "2.4 GiB/s", "stray-leave", "residual, m/s"]
    {
        assert!(before.contains(name), "{name} is not in the page itself");
    }
    assert!(
        made.html.contains(
            "<noscript><style>.scripted,#theme{display:none!important}</style></noscript>"
        )
    );
    // What only works with scripts is marked.
    for id in ["icicle", "matrix", "tree-mode", "steps-which"] {
        assert!(made.html.contains(&format!("id=\"{id}\"")), "{id}");
    }
    let hidden = "(() => { document.head.insertAdjacentHTML('beforeend', '<style>.scripted{display:none!important}</style>');
      return [...document.querySelectorAll('canvas, button, input, select')].filter((e) => e.getClientRects().length && e.id !== 'theme' && e.className !== 'save' && e.className !== 'tg').map((e) => e.id || e.textContent); })()";
    let Some(results) = drive(&[made.open(1440, false), evaluate(hidden)]) else { return };
    assert_eq!(results[1], json!([]));
}

#[test]
fn one_process_without_files_has_no_empty_charts() {
    let made = shown("alone", &make::alone());
    let none = shown("none", &Profile::default());
    assert!(none.html.contains("No region was entered"));
    let canvases = "[...document.querySelectorAll('canvas')].map((canvas) => canvas.id)";
    let heads = "[...document.querySelectorAll('#tree thead tr:last-child th')].map((head) => head.textContent)";
    let steps = [
        made.open(1440, false),
        evaluate(canvases),
        evaluate(heads),
        evaluate("document.querySelector('#flame-key').textContent"),
        problems(),
        none.open(390, true),
        evaluate(canvases),
        problems(),
    ];
    let Some(results) = drive(&steps) else { return };
    assert_eq!(results[1], json!(["icicle"]));
    assert_eq!(results[2], json!(["Region", "Visits", "With children", "Itself", "Share"]));
    assert_eq!(results[3], json!("computinghas regions below it"));
    assert_eq!((&results[4], &results[6], &results[7]), (&json!([]), &json!([]), &json!([])));
}

#[test]
fn the_command_writes_the_page() {
    let folder = scratch("profile-pages");
    let file = folder.join("climate.ioprof");
    let bytes = ioglass_profile::write(&make::climate(4), Compression::Deflate).unwrap();
    std::fs::write(&file, &bytes).unwrap();
    let run = |more: &[&str], path: &Path| {
        let mut command = std::process::Command::new(ioglass());
        command.args(["profile", "show"]).args(more).arg(path).output().unwrap()
    };
    let output = run(&["--html"], &file);
    assert!(output.status.success());
    let page = String::from_utf8(output.stdout).unwrap();
    assert!(
        page.starts_with("<!DOCTYPE html>") && page.contains("ioglass profile show "),
        "{page}"
    );
    let target = folder.join("page.html");
    let output = run(&[&format!("--html={}", target.display()), "--only", "main/step"], &file);
    assert!(output.status.success() && output.stdout.is_empty());
    let part = std::fs::read_to_string(&target).unwrap();
    assert!(part.contains(">dynamics<") && !part.contains(">write_restart</span>"));
    // What is damaged is said on the page, too.
    let cut = folder.join("cut.ioprof");
    std::fs::write(&cut, &bytes[..bytes.len() * 3 / 4]).unwrap();
    let output = run(&["--html"], &cut);
    assert_eq!(output.status.code(), Some(3));
    let page = String::from_utf8(output.stdout).unwrap();
    assert!(page.is_empty() || page.contains("the sound part is shown."));
}
