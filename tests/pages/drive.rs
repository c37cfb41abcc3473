//! A real browser, and pages to open in it.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use ioglass_insight::Diagnosis;
use ioglass_insight::model::Run;
use ioglass_insight::threshold::Thresholds;
use ioglass_insight::view::{Room, View};
use ioglass_log::Log;
use ioglass_report::{html, json};
use serde_json::{Value, json};

use crate::support::{missing, root, scratch};

/// A page on disk, and the same as JSON.
pub(super) struct Made {
    pub(super) path: PathBuf,
    pub(super) html: String,
    pub(super) report: Value,
    pub(super) diagnosis: Diagnosis,
}

/// Makes the page of a log.
pub(super) fn page_of(name: &str, log: &Log) -> Made {
    let thresholds = Thresholds::default();
    let run = Run::with_limits(log, &thresholds);
    let diagnosis = Diagnosis::of_run(&run, &thresholds);
    let log_name = format!("{name}.darshan");
    let view = |room: &Room| View::of(log, &run, room);
    let html = html::page(&diagnosis, view, Path::new(&log_name));
    let path = scratch("pages").join(format!("{name}.html"));
    std::fs::write(&path, &html).unwrap();
    let report = json::Report::new(&diagnosis, Path::new(&log_name));
    let report = serde_json::to_value(report).unwrap();
    Made { path, html, report, diagnosis }
}

impl Made {
    pub(super) fn url(&self) -> String {
        format!("file://{}", self.path.display())
    }

    /// Opens it, on a screen of this width.
    pub(super) fn open(&self, width: u32, is_dark: bool) -> Value {
        json!({"act": "open", "url": self.url(), "width": width, "dark": is_dark})
    }
}

pub(crate) fn evaluate(expression: &str) -> Value {
    json!({"act": "evaluate", "expression": expression})
}

/// What went wrong on the page that is open.
pub(crate) fn problems() -> Value {
    json!({"act": "problems"})
}

/// The browser, if there is one and something to drive it with.
fn chromium() -> Option<&'static str> {
    let exists = |name: &str| {
        let mut version = Command::new(name);
        let version = version.arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
        version.is_ok_and(|status| status.success())
    };
    if !exists("node") {
        missing("pages in a browser", Path::new("node"));
        return None;
    }
    let found =
        ["chromium", "chromium-browser", "google-chrome"].into_iter().find(|name| exists(name));
    if found.is_none() {
        missing("pages in a browser", Path::new("chromium"));
    }
    found
}

/// Does these steps in a browser; gives what each came to, or nothing where there is no browser.
pub(crate) fn drive(steps: &[Value]) -> Option<Vec<Value>> {
    let mut browser = Command::new("node")
        .arg(root().join("tests/pages/browser.mjs"))
        .arg(chromium()?)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    browser.stdin.take().unwrap().write_all(json!(steps).to_string().as_bytes()).unwrap();
    let output = browser.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
    Some(serde_json::from_slice(&output.stdout).unwrap())
}
