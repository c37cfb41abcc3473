//! The page, in a real browser: charts are drawn, controls work, numbers are those of the JSON, and
//! nothing in a log is taken for more than a name.

pub(crate) mod drive;
mod look;
mod make;
mod places;
mod profile;
mod ranks;
mod search;
mod touch;

use std::path::Path;
use std::process::Command;

use ioglass_log::Log;
use ioglass_report::number;
use serde_json::{Value, json};

use crate::findings::recipe::{Recipe, log_of};
use crate::support::{ioglass, missing, real_logs, root, scratch};
use drive::{Made, drive, evaluate, page_of, problems};

/// Canvases that are in view, and whether something is drawn on them.
const CANVASES: &str = "[...document.querySelectorAll('canvas')].filter((c) => c.clientWidth > 0).map((c) => {
  const { data } = c.getContext('2d').getImageData(0, 0, c.width, c.height);
  const colours = new Set();
  for (let i = 0; i < data.length && colours.size < 9; i += 4) if (data[i + 3]) colours.add(data[i] << 16 | data[i + 1] << 8 | data[i + 2]);
  return [c.id, colours.size];
})";

/// Texts whose contrast with what is behind them is below WCAG AA, and marks of charts that are.
pub(crate) const PALE: &str = "(() => {
  const number = (text) => (text.match(/[\\d.]+/g) ?? []).map(Number);
  const light = ([r, g, b]) => [r, g, b].map((v) => (v /= 255) <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4).reduce((s, v, i) => s + v * [0.2126, 0.7152, 0.0722][i], 0);
  const ratio = (a, b) => { const [x, y] = [light(a), light(b)].sort((p, q) => q - p); return (x + 0.05) / (y + 0.05); };
  const behind = (e) => { for (; e; e = e.parentElement) { const c = number(getComputedStyle(e).backgroundColor); if (c.length === 3 || c[3] === 1) return c; } return [255, 255, 255]; };
  const pale = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  let texts = 0;
  for (let node; (node = walker.nextNode());) {
    const e = node.parentElement;
    if (!node.data.trim() || ['SCRIPT', 'STYLE', 'OPTION'].includes(e.tagName) || e.closest(':disabled') || !e.getClientRects().length) continue;
    texts++;
    const style = getComputedStyle(e);
    const size = parseFloat(style.fontSize);
    const least = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700) ? 3 : 4.5;
    const found = ratio(number(style.color), behind(e));
    if (found < least) pale.push(`${node.data.trim().slice(0, 30)}: ${found.toFixed(2)}`);
    if (size < 12) pale.push(`${node.data.trim().slice(0, 30)}: ${size} px`);
  }
  const probe = document.body.appendChild(document.createElement('i'));
  const token = (name) => { probe.style.color = `var(--${name})`; return number(getComputedStyle(probe).color); };
  for (const mark of ['read', 'write', 'ext', 'cost', 'accent', 'ink3']) if (ratio(token(mark), token('surface')) < 3) pale.push(mark);
  for (const words of ['ink', 'ink2', 'ink3']) if (ratio(token(words), token('surface')) < 4.5) pale.push(words);
  probe.remove();
  return texts > 50 ? pale : ['no text'];
})()";

/// The same for what is written on charts, with what was there before it was.
const PALE_CHARTS: &str = "(() => {
  const light = ([r, g, b]) => [r, g, b].map((v) => (v /= 255) <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4).reduce((s, v, i) => s + v * [0.2126, 0.7152, 0.0722][i], 0);
  const ratio = (a, b) => { const [x, y] = [light(a), light(b)].sort((p, q) => q - p); return (x + 0.05) / (y + 0.05); };
  const hex = (text) => [1, 3, 5].map((i) => parseInt(text.slice(i, i + 2), 16));
  const paper = getComputedStyle(document.querySelector('.panel')).backgroundColor.match(/[\\d.]+/g).map(Number);
  const { fillText } = CanvasRenderingContext2D.prototype;
  const pale = [];
  let texts = 0;
  CanvasRenderingContext2D.prototype.fillText = function (words, x, y) {
    const wide = this.measureText(words).width;
    const left = this.textAlign === 'right' ? x - wide : this.textAlign === 'center' ? x - wide / 2 : x;
    const { data } = this.getImageData(Math.round(left), Math.round(y) - 5, Math.max(1, Math.round(wide)), 10);
    const counts = new Map();
    for (let i = 0; i < data.length; i += 4) {
      const share = data[i + 3] / 255;
      const colour = [0, 1, 2].map((c) => Math.round(data[i + c] * share + paper[c] * (1 - share))).join();
      counts.set(colour, (counts.get(colour) ?? 0) + 1);
    }
    const behind = [...counts].sort((a, b) => b[1] - a[1])[0][0].split(',').map(Number);
    const found = ratio(hex(this.fillStyle), behind);
    texts++;
    if (found < 4.5) pale.push(`${this.canvas.id}: ${words}: ${found.toFixed(2)}`);
    fillText.call(this, words, x, y);
  };
  dispatchEvent(new Event('toggle'));
  CanvasRenderingContext2D.prototype.fillText = fillText;
  return [texts, pale];
})()";

fn page(name: &str, recipe: &Recipe) -> Made {
    page_of(name, &log_of(recipe.text().as_bytes()))
}

fn strings(value: &Value) -> Vec<&str> {
    value.as_array().unwrap().iter().filter_map(Value::as_str).collect()
}

/// All canvases there are, each with something on it.
#[track_caller]
fn assert_drawn(canvases: &Value, expected: &[&str]) {
    let canvases = canvases.as_array().unwrap();
    for canvas in canvases {
        assert!(canvas[1].as_u64().unwrap() > 3, "{canvas} is blank");
    }
    for id in expected {
        assert!(canvases.iter().any(|canvas| canvas[0] == *id), "{id} is missing: {canvases:?}");
    }
}

#[test]
fn the_chart_module_passes_its_own_tests() {
    let tests = root().join("crates/report/web/test");
    let Ok(output) = Command::new("node").arg("--test").arg(&tests).output() else {
        missing("tests of the chart module", Path::new("node"));
        return;
    };
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{said}");
    assert!(!said.contains("# pass 0\n"), "{said}");
}

#[test]
fn a_trace_is_drawn_and_can_be_explored() {
    let made = page("traced", &make::traced());
    assert!(made.html.contains("id=\"targets\""), "the trace and the layout tell of two targets");
    let view = evaluate("document.querySelector('#timeline').dataset.view");
    let tip = evaluate("getComputedStyle(tip).display === 'none' ? '' : tip.textContent");
    let to = |id: &str| {
        evaluate(&format!(
            "document.querySelector('#{id}').scrollIntoView({{ behavior: 'instant', block: 'start' }})"
        ))
    };
    let steps = [
        made.open(1440, false),
        problems(),
        evaluate(CANVASES),
        // A drag shows that part of the time, and the address says which.
        to("timeline"),
        json!({"act": "drag", "on": "#timeline", "at": [0.3, 0.3], "until": [0.5, 0.32]}),
        view.clone(),
        evaluate("new Promise((done) => setTimeout(() => done(location.hash), 400))"),
        // Hovering tells what is there.
        json!({"act": "move", "on": "#timeline", "at": [0.5, 0.7]}),
        tip.clone(),
        // Keys pan, zoom and reset.
        evaluate("document.querySelector('#timeline').focus()"),
        json!({"act": "key", "key": "+"}),
        view.clone(),
        json!({"act": "key", "key": "0"}),
        view.clone(),
        // A link of a finding leads to its proof.
        evaluate(
            "(() => { const link = document.querySelector('.go a[href^=\"#t=\"]'); link.click(); return link.hash; })()",
        ),
        evaluate("new Promise((done) => setTimeout(done, 300))"),
        view.clone(),
        evaluate("Math.round(document.querySelector('#time').getBoundingClientRect().top)"),
        // The spatial view zooms as well.
        to("space-chart"),
        evaluate("document.querySelector('#space-chart').focus()"),
        json!({"act": "key", "key": "+"}),
        evaluate("document.querySelector('#space-chart').dataset.view"),
        problems(),
        // An address opens where it says.
        json!({"act": "open", "url": format!("{}#t=2.5-3.75", made.url())}),
        view,
    ];
    let Some(results) = drive(&steps) else { return };
    assert_eq!(results[1], json!([]), "the console is silent");
    assert_drawn(&results[2], &["timeline", "heat-0", "space-chart", "ranks-0"]);
    let range = |value: &Value| -> (f64, f64) {
        let (low, high) = value.as_str().unwrap().split_once('-').unwrap();
        (low.parse().unwrap(), high.parse().unwrap())
    };
    let (low, high) = range(&results[5]);
    assert!(low > 1.0 && high < 8.0 && high - low < 4.0, "{low} to {high}");
    assert!(results[6].as_str().unwrap().starts_with("#t="), "{}", results[6]);
    let tip = results[8].as_str().unwrap();
    assert!(tip.starts_with("POSIX write, rank ") && tip.contains("1 MiB at "), "{tip}");
    let (closer, still) = range(&results[11]);
    assert!(still - closer < high - low);
    assert_eq!(range(&results[13]), (0.0, 10.0));
    let (begin, end) =
        results[14].as_str().unwrap().strip_prefix("#t=").unwrap().split_once('-').unwrap();
    let shown = range(&results[16]);
    assert!(
        (shown.0 - begin.parse::<f64>().unwrap()).abs() < 0.01
            && (shown.1 - end.parse::<f64>().unwrap()).abs() < 0.01
    );
    assert!(results[17].as_i64().unwrap().abs() < 200, "the plot is in view: {}", results[17]);
    let (from, to) = range(&results[21]);
    assert!(from > 0.0 && to < 24.0 * 1_048_576.0);
    assert_eq!(results[22], json!([]));
    assert_eq!(range(&results[24]), (2.5, 3.75));
}

#[test]
fn calls_are_shown_by_size_by_node_and_over_time() {
    let made = page("ways", &make::traced());
    // Each button changes what is drawn.
    let press = |button: &str, chart: &str| {
        evaluate(&format!(
            "(async () => {{ const c = document.querySelector('#{chart}'); const before = c.toDataURL();
            document.querySelector('[{button}]').click();
            await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
            return c.toDataURL() !== before; }})()"
        ))
    };
    let into_view = |id: &str| {
        evaluate(&format!(
            "document.querySelector('#{id}').scrollIntoView({{ behavior: 'instant', block: 'end' }})"
        ))
    };
    let tip = evaluate("getComputedStyle(tip).display === 'none' ? '' : tip.textContent");
    let saved = "(async () => { let blob; URL.createObjectURL = (one) => { blob = one; return 'data:,'; };
        const box = document.querySelector('#phases').closest('details'); box.open = true; box.querySelector('.save').click();
        return blob.text(); })()";
    let steps = [
        made.open(1440, false),
        press("data-colour=size", "timeline"),
        press("data-rows=node", "timeline"),
        into_view("timeline"),
        json!({"act": "move", "on": "#timeline", "at": [0.2, 0.75]}),
        tip.clone(),
        press("data-shows=write", "timeline"),
        // One of them stays: nothing at all is no view.
        press("data-shows=read", "timeline"),
        into_view("space-chart"),
        press("data-down=time", "space-chart"),
        json!({"act": "move", "on": "#space-chart", "at": [0.07, 0.25]}),
        tip,
        evaluate(saved),
        problems(),
    ];
    let Some(results) = drive(&steps) else { return };
    for step in [1, 2, 6, 9] {
        assert_eq!(results[step], json!(true), "step {step}");
    }
    assert_eq!(results[7], json!(false));
    let told = results[5].as_str().unwrap();
    assert!(told.starts_with("POSIX write, rank 2 on node2") && told.contains("OST 3"), "{told}");
    let told = results[11].as_str().unwrap();
    assert!(told.contains("offset ") && told.contains("written"), "{told}");
    let csv = results[12].as_str().unwrap();
    assert!(csv.starts_with("\"Phase\",\"Start\"") && csv.lines().count() > 1, "{csv}");
    assert_eq!(results[13], json!([]));
}

#[test]
fn files_can_be_searched_and_sorted_and_checks_picked() {
    let made = page(
        "files",
        &make::traced().file("/scratch/other.txt").posix(
            crate::findings::recipe::only(1),
            crate::findings::counters::write(10.0, 100.0, 0.25),
        ),
    );
    let search = |words: &str| {
        evaluate(&format!(
            "(() => {{ const s = document.querySelector('#files-search'); s.value = '{words}'; s.dispatchEvent(new Event('input'));
            return [document.querySelector('#files-count').textContent, [...document.querySelectorAll('#files-table tbody tr')].filter((r) => !r.hidden).length, document.querySelector('#files-none').hidden]; }})()"
        ))
    };
    let sorted = |column: usize| {
        evaluate(&format!(
            "(() => {{ const t = document.querySelector('#files-table'); t.tHead.rows[0].cells[{column}].querySelector('button').click();
            return [t.tHead.rows[0].cells[{column}].getAttribute('aria-sort'), [...t.tBodies[0].rows].map((r) => r.cells[0].textContent)]; }})()"
        ))
    };
    let pick = "(() => { [...document.querySelectorAll('[data-filter] button')].find((b) => b.dataset.state === 'fine').click();
        return [...document.querySelectorAll('#checks-table tbody tr')].filter((r) => !r.hidden).map((r) => r.dataset.state); })()";
    let steps = [
        made.open(1440, false),
        search("OTHER"),
        search("nonsense"),
        search(""),
        sorted(0),
        sorted(0),
        evaluate(pick),
        problems(),
    ];
    let Some(results) = drive(&steps) else { return };
    assert_eq!(results[1], json!(["1 of 2", 1, true]));
    assert_eq!(results[2], json!(["0 of 2", 0, false]));
    assert_eq!(results[3], json!(["2 of 2", 2, true]));
    assert_eq!(results[4], json!(["ascending", ["/scratch/other.txt", "/scratch/out.h5"]]));
    assert_eq!(results[5], json!(["descending", ["/scratch/out.h5", "/scratch/other.txt"]]));
    let states = strings(&results[6]);
    assert!(!states.is_empty() && states.iter().all(|state| *state == "fine"));
    assert_eq!(results[7], json!([]));
}

#[test]
fn numbers_are_those_of_the_json() {
    let mut pages = vec![
        page("numbers-traced", &make::traced()),
        page("numbers-counters", &make::counters_only()),
    ];
    for log in real_logs() {
        if let Ok(opened) = Log::from_bytes(log.bytes) {
            pages.push(page_of(log.name.trim_end_matches(".darshan"), &opened));
        }
    }
    let said = "({
        verdict: document.querySelector('h1').textContent.replaceAll('\u{00a0}', ' '),
        avoidable: document.querySelector('[data-avoidable]')?.dataset.avoidable ?? null,
        facts: Object.fromEntries([...document.querySelectorAll('[data-fact]')].map((e) => [e.dataset.fact, e.textContent])),
        cards: [...document.querySelectorAll('.card')].map((c) => [c.id, c.dataset.level, c.dataset.net, c.querySelector('.secs b')?.firstChild.textContent ?? null, c.querySelector('h3').textContent]),
        states: [...document.querySelectorAll('#checks-table tbody tr')].map((r) => [r.cells[1].textContent, r.dataset.state]),
    })";
    let steps: Vec<Value> = pages
        .iter()
        .flat_map(|page| [page.open(1440, false), problems(), evaluate(CANVASES), evaluate(said)])
        .collect();
    let Some(results) = drive(&steps) else { return };
    for (page, results) in pages.iter().zip(results.chunks(4)) {
        let (report, shown) = (&page.report, &results[3]);
        let at = page.path.display();
        assert_eq!(results[1], json!([]), "{at}");
        assert_drawn(&results[2], &[]);
        assert_eq!(
            shown["verdict"],
            report["verdict"]["sentence"].as_str().unwrap().replace(" (-v)", ""),
            "{at}"
        );
        let findings = report["findings"].as_array().unwrap();
        let of = |code: &str| findings.iter().find(|finding| finding["code"] == code).unwrap();
        for card in shown["cards"].as_array().unwrap() {
            let finding = of(card[0].as_str().unwrap());
            assert_eq!(card[1], finding["level"], "{at}");
            let net = finding["seconds_net"].as_f64().unwrap();
            assert_eq!(card[2].as_str().unwrap().parse::<f64>().unwrap(), net, "{at}");
            if let Some(seconds) = card[3].as_str() {
                let words = number::seconds(net);
                assert_eq!(seconds, words.rsplit_once(' ').unwrap().0, "{at}");
            }
            assert_eq!(card[4], finding["title"], "{at}");
        }
        let cards = shown["cards"].as_array().unwrap().len();
        if !shown["states"].as_array().unwrap().is_empty() {
            let is_shown = |f: &&Value| {
                f["state"] == "fired" && (f["role"] != "secondary" || f["caused_by"].is_null())
            };
            assert!(cards >= findings.iter().filter(is_shown).count(), "{at}");
            let time = shown["facts"]["time"].as_str().unwrap();
            assert!(
                time.contains(&number::seconds(report["budget"]["run_seconds"].as_f64().unwrap())),
                "{at}: {time}"
            );
            let moved = shown["facts"]["moved"].as_str().unwrap();
            for way in ["bytes_written", "bytes_read"] {
                let amount = report["moved"][way].as_u64().unwrap();
                assert!(amount == 0 || moved.contains(&number::bytes(amount)), "{at}: {moved}");
            }
        }
        if let Some(avoidable) = shown["avoidable"].as_str() {
            assert_eq!(
                avoidable.parse::<f64>().unwrap(),
                report["verdict"]["avoidable_seconds"].as_f64().unwrap(),
                "{at}"
            );
        }
        for state in shown["states"].as_array().unwrap() {
            let finding = of(state[0].as_str().unwrap());
            assert_eq!(
                state[1].as_str().unwrap().replace(' ', "-"),
                finding["state"].as_str().unwrap(),
                "{at}"
            );
        }
        let fired = page
            .diagnosis
            .findings
            .iter()
            .filter(|f| f.state == ioglass_insight::State::Fired)
            .count();
        assert!(fired >= cards, "{at}");
    }
}

#[test]
fn nothing_is_pale_or_wider_than_the_screen() {
    let pages = [
        page("look-traced", &make::traced()),
        page("look-counters", &make::counters_only()),
        page("look-process", &make::one_process()),
        page_of("look-strange", &make::strange()),
    ];
    let wide = "[document.documentElement.scrollWidth, innerWidth,
        [...document.querySelectorAll('.panel, .card')].filter((box) => box.scrollWidth > box.clientWidth + 1).map((box) => box.innerText.slice(0, 40))]";
    let mut steps = Vec::new();
    let open_all = "document.querySelectorAll('details').forEach((d) => { d.open = true; })";
    for page in &pages {
        for is_dark in [false, true] {
            steps.extend([page.open(1440, is_dark), evaluate(open_all), evaluate(PALE)]);
            steps.push(evaluate(PALE_CHARTS));
            // Under the pointer nothing is pale either.
            steps.extend([json!({"act": "hover", "on": "button, a, summary"}), evaluate(PALE)]);
        }
        for width in [390, 768, 1024, 2560] {
            steps.extend([page.open(width, false), evaluate(open_all), evaluate(wide)]);
        }
    }
    let Some(results) = drive(&steps) else { return };
    let has_charts = [true, false, true, true];
    for ((page, results), has_charts) in pages.iter().zip(results.chunks(24)).zip(has_charts) {
        let at = page.path.display();
        for (theme, results) in [("light", &results[..6]), ("dark", &results[6..12])] {
            assert_eq!(results[2], json!([]), "{at}, {theme}");
            let texts = results[3][0].as_u64().unwrap();
            assert_eq!(texts > 10, has_charts, "{at}: {texts} texts on charts");
            assert_eq!(results[3][1], json!([]), "{at}, {theme}, charts");
            assert!(results[4].as_u64().unwrap() > 10, "{at}");
            assert_eq!(results[5], json!([]), "{at}, {theme}, under the pointer");
        }
        for widths in results[12..].chunks(3) {
            assert!(widths[2][0].as_u64() <= widths[2][1].as_u64(), "{at}: {}", widths[2]);
            assert_eq!(widths[2][2], json!([]), "{at}: cut off at {}", widths[2][1]);
        }
    }
}

#[test]
fn names_stay_names() {
    let made = page_of("strange", &make::strange());
    let harmful = |c: char| c.is_control() && c != '\n';
    assert!(!made.html.contains(harmful), "control characters");
    assert!(
        !made.html.contains("<script>alert") && !made.html.contains("<img src=x"),
        "an element of a name"
    );
    let steps = [
        made.open(1440, false),
        problems(),
        evaluate(
            "[document.scripts.length, document.images.length, document.querySelectorAll('svg[onload], [onerror]').length]",
        ),
        evaluate(
            "[...document.querySelectorAll('#files-table td.p')].map((cell) => cell.textContent)",
        ),
        evaluate("JSON.parse(document.getElementById('data').textContent).files.length"),
    ];
    let Some(results) = drive(&steps) else { return };
    assert_eq!(results[1], json!([]));
    assert_eq!(results[2], json!([3, 0, 0]), "data, numbers and the script of the page");
    let names = strings(&results[3]);
    assert!(names.contains(&"/data/<script>alert(1)</script>"), "{names:?}");
    assert!(names.iter().any(|name| name.contains('\u{FFFD}')), "{names:?}");
    assert_eq!(results[4], json!(make::STRANGE.len()));
}

#[test]
fn noise_is_shown_as_finely_as_there_is_room_for() {
    let pages = [
        page_of("noise-calls", &make::noise(64, 90_000)),
        page_of("noise-cells", &make::noise(600, 110_000)),
    ];
    let steps: Vec<Value> = pages
        .iter()
        .flat_map(|page| {
            [
                page.open(1440, false),
                problems(),
                evaluate(CANVASES),
                evaluate("document.querySelector('#time .sub').textContent"),
                evaluate("document.documentElement.scrollWidth <= innerWidth"),
            ]
        })
        .collect();
    for page in &pages {
        assert!(page.html.len() < 5_000_000, "{} has {}", page.path.display(), page.html.len());
    }
    let Some(results) = drive(&steps) else { return };
    for (page, results) in pages.iter().zip(results.chunks(5)) {
        let at = page.path.display();
        assert_eq!(results[1], json!([]), "{at}");
        assert_drawn(&results[2], &["timeline", "heat-0", "space-chart", "ranks-0"]);
        let words = results[3].as_str().unwrap();
        assert!(words.contains("the finest cells are "), "{at}: {words}");
        assert_eq!(results[4], json!(true), "{at}");
    }
}

#[test]
fn every_shape_of_log_has_its_page() {
    let empty = log_of(b"# exe: ./app\n# nprocs: 1\n# run time: 1.0\n");
    let pages = [
        page("shape-counters", &make::counters_only()),
        page("shape-process", &make::one_process()),
        page_of("shape-empty", &empty),
        page_of("shape-ranks", &make::large(100_000, 1)),
        page_of("shape-files", &make::large(4, 25_000)),
        page_of("shape-long", &make::long_trace(60_000)),
    ];
    let words = "document.body.innerText";
    let steps: Vec<Value> = pages
        .iter()
        .flat_map(|page| [page.open(1024, true), problems(), evaluate(CANVASES), evaluate(words)])
        .collect();
    for page in &pages {
        assert!(page.html.len() < 2 << 20, "{} has {} bytes", page.path.display(), page.html.len());
    }
    let Some(results) = drive(&steps) else { return };
    let shown: Vec<&[Value]> = results.chunks(4).collect();
    for (page, results) in pages.iter().zip(&shown) {
        assert_eq!(results[1], json!([]), "{}", page.path.display());
        assert_drawn(&results[2], &[]);
    }
    let says = |page: usize, words: &str| {
        let text = shown[page][3].as_str().unwrap();
        assert!(text.contains(words), "{words} is not in {text}");
    };
    says(0, "no heat map, no trace of single calls");
    says(0, "ioglass run --trace -- ");
    says(0, "This log cannot tell ranks apart");
    assert_eq!(shown[0][2], json!([]), "there is nothing to draw");
    says(1, "What I/O cost each process");
    assert_drawn(&shown[1][2], &["timeline", "heat-0", "ranks-0"]);
    says(2, "No I/O was recorded.");
    says(2, "it is linked statically");
    says(3, "100,000 ranks, 391 a row");
    says(3, "99,000 more files");
    assert_drawn(&shown[3][2], &["timeline", "heat-0", "ranks-0"]);
    says(4, "The table lists the 1,000 that took most seconds");
    says(5, "240,000 traced calls in 1 phase");
    says(
        5,
        "More than 200,000 calls are not shown one by one: the finest cells are 732.42 µs long",
    );
    assert_drawn(&shown[5][2], &["timeline", "heat-0", "space-chart", "ranks-0"]);
}

#[test]
fn the_command_writes_pages_whole_or_not_at_all() {
    let folder = scratch("pages-command");
    let log = |name: &str| {
        let (text, log) =
            (folder.join(format!("{name}.txt")), folder.join(format!("{name}.darshan")));
        std::fs::write(&text, make::one_process().text()).unwrap();
        let made = Command::new(ioglass())
            .args(["convert", "--from-text", "--force"])
            .args([&text, &log])
            .output();
        assert!(made.unwrap().status.success());
        log
    };
    let run = |arguments: &[&Path]| {
        Command::new(ioglass()).arg("report").args(arguments).output().unwrap()
    };
    let (first, second) = (log("first"), log("second"));
    let stdout = run(&[Path::new("--html"), &first]);
    assert!(stdout.status.success() && stdout.stdout.starts_with(b"<!DOCTYPE html>"));
    let file = folder.join("page.html");
    let to_file = format!("--html={}", file.display());
    assert!(run(&[Path::new(&to_file), &first]).status.success());
    assert_eq!(std::fs::read(&file).unwrap(), stdout.stdout, "the same log, the same page");
    // Several logs need a directory, under their names.
    assert_eq!(run(&[Path::new(&to_file), &first, &second]).status.code(), Some(2));
    let to_folder = format!("--html={}", folder.display());
    assert!(run(&[Path::new(&to_folder), &first, &second]).status.success());
    assert!(folder.join("first.html").is_file() && folder.join("second.html").is_file());
    // A place that cannot be written to is named, and nothing is left there.
    let nowhere = folder.join("missing/page.html");
    let failed = run(&[Path::new(&format!("--html={}", nowhere.display())), &first]);
    assert_eq!(failed.status.code(), Some(5));
    assert!(String::from_utf8_lossy(&failed.stderr).contains("cannot write"), "{failed:?}");
    // Beside the log of a run.
    let recorded = folder.join("recorded.darshan");
    let _ = std::fs::remove_file(&recorded);
    let target = format!("of={}", folder.join("data").display());
    let done = Command::new(ioglass())
        .args(["run", "--html", "--trace", "--no-report", "-o"])
        .arg(&recorded)
        .args(["--", "dd", "if=/dev/zero", &target, "bs=4096", "count=2000"])
        .output()
        .unwrap();
    assert!(done.status.success(), "{done:?}");
    let page = std::fs::read_to_string(folder.join("recorded.html")).unwrap();
    assert!(
        page.contains("id=\"timeline\"") && page.contains("2,000 requests"),
        "a page of what dd did"
    );
    let left = std::fs::read_dir(&folder)
        .unwrap()
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    assert_eq!(left.filter(|name| name.starts_with(".ioglass")).count(), 0);
}
