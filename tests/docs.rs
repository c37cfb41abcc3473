//! Documents made from tables are fresh, and documents that show commands show working ones.

use std::fmt::Write;
use std::process::Command;

use ioglass_log::{Counter, Layout, Rule, Unit, modules};

use crate::support::{ioglass, root, scratch};

#[test]
fn the_list_of_counters_is_fresh() {
    let path = root().join("docs/counters.md");
    let fresh = counters();
    if std::env::var_os("IOGLASS_BLESS").is_some() {
        std::fs::write(&path, &fresh).unwrap();
    }
    let committed = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(committed == fresh, "docs/counters.md is stale: run the tests with IOGLASS_BLESS=1");
}

fn counters() -> String {
    let mut text = String::from(
        "# Counters\n\n\
         Every module and counter that ioglass knows. This page is made from the tables in\n\
         `crates/schema/src/modules/`; a test keeps it fresh. *Since* is the first version of the\n\
         module that has the counter; in older records it is −1. *Ranks* says how the values of\n\
         all ranks become one in a shared record.\n",
    );
    for module in modules() {
        let (id, name, version, doc) = (module.id.0, module.name, module.version, module.doc);
        let newest = match module.newest {
            newest if newest > version => format!(", versions up to {newest} are read"),
            _ => String::new(),
        };
        writeln!(text, "\n## {name}\n\n{doc} Module {id}, version {version}{newest}.").unwrap();
        if !matches!(module.layout, Layout::Counters | Layout::Mdhim) {
            writeln!(text, "Its records are described in [formats.md](formats.md).").unwrap();
            continue;
        }
        writeln!(text, "\n| counter | unit | since | ranks | meaning |\n|---|---|---|---|---|")
            .unwrap();
        for counter in module.ints.iter().chain(module.floats) {
            writeln!(text, "{}", row(counter)).unwrap();
        }
    }
    text
}

fn row(counter: &Counter) -> String {
    let unit = match counter.unit {
        Unit::Count => "count",
        Unit::Bytes => "bytes",
        Unit::Offset => "offset",
        Unit::Seconds => "seconds",
        Unit::Timestamp => "seconds since start",
        Unit::Variance => "square",
        Unit::Rank => "rank",
        Unit::Id => "record id",
        Unit::Mode => "bits",
        Unit::Flag => "0 or 1",
    };
    let ranks = match counter.rule {
        Rule::Sum | Rule::SumKnown => "sum",
        Rule::Last => "any",
        Rule::Max => "largest",
        Rule::MinNonZero => "smallest above 0",
        Rule::Or => "or",
        Rule::Top4 { .. } => "four most common",
        Rule::MaxWith(_) => "slowest call",
        Rule::Fastest { .. } => "fastest rank",
        Rule::Slowest { .. } => "slowest rank",
        Rule::VarianceOfTime | Rule::VarianceOfBytes => "variance",
        Rule::Carried => "with its counter",
    };
    let (name, since, doc) = (counter.name, counter.since, counter.doc);
    format!("| `{name}` | {unit} | {since} | {ranks} | {doc} |")
}

/// What the README says the demo prints is what it prints.
#[test]
fn the_readme_shows_what_the_demo_prints() {
    let log = scratch("docs").join("heat2d.darshan");
    let text = root().join("tests/fixtures/posix-small.txt");
    let run = |command: &mut Command| command.output().unwrap().stdout;
    run(Command::new(ioglass()).args(["convert", "--force", "--from-text"]).arg(text).arg(&log));
    let printed = run(Command::new(ioglass()).arg("info").arg(&log));
    let readme = std::fs::read_to_string(root().join("README.md")).unwrap();
    let shown = readme.split("```text\n").nth(1).unwrap().split("```").next().unwrap();
    assert_eq!(shown, String::from_utf8(printed).unwrap());
}

/// Paths that documents mention exist.
#[test]
fn links_between_documents_work() {
    let documents = ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "docs/formats.md"];
    for document in documents {
        let path = root().join(document);
        let text = std::fs::read_to_string(&path).unwrap_or_else(|_| panic!("{document}"));
        for link in text.split("](").skip(1) {
            let target = link.split(')').next().unwrap();
            if target.contains("://") || target.starts_with('#') {
                continue;
            }
            let target = path.parent().unwrap().join(target.split('#').next().unwrap());
            assert!(target.exists(), "{document} links to {}", target.display());
        }
    }
}
