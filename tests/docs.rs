//! Documents made from tables are fresh, and documents that show commands show working ones.

use std::fmt::Write;
use std::path::Path;
use std::process::Command;

use ioglass_insight::{detect, threshold};
use ioglass_log::{Counter, Layout, Rule, Unit, modules};
use ioglass_recorder::coverage::{COVERAGE, LIMITS};
use ioglass_report::json;
use ioglass_report::markdown::detectors_markdown;
use ioglass_report::text::wrap;

use crate::support::{ioglass, missing, root, scratch};

#[test]
fn the_list_of_counters_is_fresh() {
    check_fresh("docs/counters.md", &counters());
}

#[test]
fn the_list_of_functions_is_fresh() {
    check_fresh("docs/coverage.md", &coverage());
}

#[test]
fn the_list_of_detectors_is_fresh() {
    let fresh = detectors_markdown(detect::ALL, threshold::ALL);
    check_fresh("docs/detectors.md", &fresh);
}

#[test]
fn the_list_of_parameters_is_fresh() {
    check_fresh("docs/parameters.md", &ioglass_report::settings::params_markdown());
}

#[test]
fn the_schema_of_reports_is_fresh() {
    check_fresh("docs/report.schema.json", &format!("{:#}\n", json::schema()));
    check_fresh("docs/json.md", &json::markdown());
    let schema = ioglass_report::settings::schema();
    check_fresh("docs/verify.schema.json", &format!("{schema:#}\n"));
    let schema = ioglass_report::profile::json::schema();
    check_fresh("docs/profile.schema.json", &format!("{schema:#}\n"));
    let schema = ioglass_report::compare::json::schema();
    check_fresh("docs/compare.schema.json", &format!("{schema:#}\n"));
    let schema = ioglass_report::tune::schema();
    check_fresh("docs/tune.schema.json", &format!("{schema:#}\n"));
}

/// Compares a document with what it is made of; with `IOGLASS_BLESS` it is made anew.
#[track_caller]
fn check_fresh(document: &str, fresh: &str) {
    let path = root().join(document);
    if std::env::var_os("IOGLASS_BLESS").is_some() {
        std::fs::write(&path, fresh).unwrap();
    }
    let committed = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(committed == fresh, "{document} is stale: run the tests with IOGLASS_BLESS=1");
    if GENERATED.contains(&document) {
        check_wrapped(document, fresh);
    }
}

fn coverage() -> String {
    let names: usize = COVERAGE.iter().map(|row| row.names.len()).sum();
    let about = format!(
        "libioglass.so interposes {names} functions. *Operations* and *metadata* are \
         calls for which Darshan has no counter; they are in these sections of the log's `IOGLASS` \
         block. Failed calls on paths are in `metadata`. This page \
         is made from the table in `crates/recorder/src/coverage.rs`; tests keep it fresh and \
         compare the table with the names that the library exports."
    );
    let mut text = format!(
        "# What is recorded\n\n{}\n\n| calls | what they feed | names |\n|---|---|---|\n",
        wrapped(&about)
    );
    for row in COVERAGE {
        let names: Vec<String> = row.names.iter().map(|name| format!("`{name}`")).collect();
        let names = row.pattern.map_or_else(|| names.join(" "), str::to_owned);
        writeln!(text, "| {} | {} | {names} |", row.calls, row.feeds).unwrap();
    }
    writeln!(text, "\n## What is not seen\n").unwrap();
    for limit in LIMITS {
        writeln!(text, "- {}", wrap(limit, 98).join("\n  ")).unwrap();
    }
    text
}

fn counters() -> String {
    let about = "This page lists every module and counter that ioglass knows. *Since* is the first \
                 version of the module that has the counter; in older records the counter is −1. \
                 *Ranks* says how a shared record gets its value from those of all ranks. This \
                 page is made from the tables in `crates/schema/src/modules/`; a test keeps it \
                 fresh.";
    let mut text = format!("# Counters\n\n{}\n", wrapped(about));
    for module in modules() {
        let (id, name, version, doc) = (module.id.0, module.name, module.version, module.doc);
        let newest = match module.newest {
            newest if newest > version => format!(", versions up to {newest} are read"),
            _ => String::new(),
        };
        let has_table = matches!(module.layout, Layout::Counters | Layout::Mdhim);
        let mut about = format!("{doc} Module {id}, version {version}{newest}.");
        if !has_table {
            about += " Its records are described in [formats.md](formats.md).";
        }
        writeln!(text, "\n## {name}\n\n{}", wrapped(&about)).unwrap();
        if !has_table {
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

/// Prose in lines of 100 columns.
fn wrapped(prose: &str) -> String {
    wrap(prose, 100).join("\n")
}

fn row(counter: &Counter) -> String {
    let unit = match counter.unit {
        Unit::Count => "count",
        Unit::Bytes => "bytes",
        Unit::Offset => "offset",
        Unit::Seconds => "seconds",
        Unit::Timestamp => "seconds since start",
        Unit::SecondsSquared => "seconds²",
        Unit::BytesSquared => "bytes²",
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
        Rule::Variance => "variance",
        Rule::Carried => "with its counter",
    };
    let (name, since, doc) = (counter.name, counter.since, counter.doc);
    format!("| `{name}` | {unit} | {since} | {ranks} | {doc} |")
}

/// What the README says the demo prints has the shape of what it prints: numbers and files vary.
#[test]
fn the_readme_shows_what_the_demo_prints() {
    let demo = std::fs::read_to_string(root().join("scripts/demo")).unwrap();
    let command =
        demo.lines().find_map(|line| line.strip_prefix("target/release/ioglass ")).unwrap();
    let folder = scratch("docs").to_str().unwrap().to_owned();
    let words = command.split(' ').map(|word| word.replace("target/", &format!("{folder}/")));
    let output = Command::new(ioglass()).current_dir(root()).args(words).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    let printed = String::from_utf8(output.stderr).unwrap();
    let readme = std::fs::read_to_string(root().join("README.md")).unwrap();
    let shown = readme.split("```text\n").nth(1).unwrap().split("```").next().unwrap();
    assert_eq!(shape(shown), shape(&printed), "{printed}");
}

/// The first word of each line; bars, figures and paths by what they are.
fn shape(text: &str) -> Vec<String> {
    // How lines are broken depends on the run.
    let is_broken = |line: &&str| {
        line.strip_prefix("          ").is_some_and(|rest| !rest.starts_with(['█', '▓', '▒', '░']))
    };
    let shape = text.lines().filter(|line| !is_broken(line)).map(|line| {
        let word = line.split_whitespace().next().unwrap_or_default();
        let is_figure = word.starts_with(|c: char| c.is_ascii_digit() || c == '<');
        match word {
            "█" | "▓" | "▒" | "░" => "part".to_owned(),
            // The sentence begins with one of two subjects.
            "I/O" | "The" => "verdict".to_owned(),
            _ if is_figure => "figure".to_owned(),
            _ => word.to_owned(),
        }
    });
    // So does how many files are listed.
    let mut shape: Vec<String> = shape.collect();
    shape.dedup();
    shape
}

/// Documents that are made from tables and types.
const GENERATED: [&str; 5] = [
    "docs/counters.md",
    "docs/coverage.md",
    "docs/detectors.md",
    "docs/json.md",
    "docs/parameters.md",
];

/// Documents that are written by hand.
const BY_HAND: [&str; 20] = [
    "ARCHITECTURE.md",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "README.md",
    "bench/README.md",
    "docs/decisions.md",
    "docs/diagnosing.md",
    "docs/differences.md",
    "docs/formats.md",
    "docs/glossary.md",
    "docs/page.md",
    "docs/pairs.md",
    "docs/performance.md",
    "docs/recording.md",
    "docs/regions.md",
    "docs/settings.md",
    "docs/tune-report.md",
    "docs/tuning.md",
    "examples/README.md",
    "fuzz/README.md",
];

#[track_caller]
fn read(document: &str) -> String {
    std::fs::read_to_string(root().join(document)).unwrap_or_else(|_| panic!("{document}"))
}

/// Files that documents link to exist.
#[test]
fn links_between_documents_work() {
    for document in BY_HAND.iter().chain(&GENERATED) {
        let text = read(document);
        let directory = root().join(document).parent().unwrap().to_owned();
        let links = text.split("](").skip(1).map(|link| link.split(')').next().unwrap());
        let images = text.split("src=\"").skip(1).map(|image| image.split('"').next().unwrap());
        for target in links.chain(images) {
            if target.contains("://") || target.starts_with('#') {
                continue;
            }
            let target = directory.join(target.split('#').next().unwrap());
            assert!(target.exists(), "{document} links to {}", target.display());
        }
    }
}

/// Files that documents name exist: what stands in backquotes with a slash or a file's ending.
/// Names in a section about a crate are relative to that crate, to its `src`, or to the workspace.
#[test]
fn documents_name_files_that_exist() {
    let mut missing = Vec::new();
    for document in ["ARCHITECTURE.md", "CONTRIBUTING.md", "docs/decisions.md"] {
        let mut crate_directory = root();
        for line in outside_of_code(&read(document)) {
            if line.starts_with('#') {
                crate_directory = root().join(line.split('`').nth(1).unwrap_or_default());
            }
            let directories = [root(), crate_directory.clone(), crate_directory.join("src")];
            for path in line.split('`').skip(1).step_by(2).filter(|word| is_path(word)) {
                if !directories.iter().any(|at| at.join(path).exists()) {
                    missing.push(format!("{document}: {path}"));
                }
            }
        }
    }
    assert!(missing.is_empty(), "{missing:#?}");
}

fn is_path(word: &str) -> bool {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "/._-".contains(c);
    let endings = [".rs", ".md", ".c", ".js", ".css", ".toml", ".json"];
    word.starts_with(|c: char| c.is_ascii_alphanumeric())
        && word.chars().all(is_plain)
        && !word.starts_with("target/")
        && (word.contains('/') || endings.iter().any(|ending| word.ends_with(ending)))
}

/// The map of the code has a section for every package.
#[test]
fn the_architecture_names_every_crate() {
    let map = read("ARCHITECTURE.md");
    let workspace = read("Cargo.toml");
    let members = workspace.split("members = [").nth(1).unwrap().split(']').next().unwrap();
    let members = members.split('"').skip(1).step_by(2);
    for package in members.chain(["crates/preload", "fuzz"]) {
        assert!(map.contains(&format!("\n### `{package}`")), "no section about {package}");
    }
}

/// Prose fits in 100 columns.
#[test]
fn documents_wrap_at_100_columns() {
    for document in BY_HAND {
        check_wrapped(document, &read(document));
    }
}

#[track_caller]
fn check_wrapped(document: &str, text: &str) {
    for line in outside_of_code(text) {
        // Tables and images have one line each.
        let is_prose = !line.starts_with(['|', '!']);
        assert!(!is_prose || line.chars().count() <= 100, "{document}: {line}");
    }
}

/// The lines of a document that are not in a block of code.
fn outside_of_code(text: &str) -> Vec<&str> {
    let mut is_code = false;
    let is_text = |line: &&str| {
        is_code ^= line.starts_with("```");
        !is_code && !line.starts_with("    ")
    };
    text.lines().filter(is_text).collect()
}

/// Programs for the README's lines: one process, and a parent with three children, which all write.
const ONE: &str = r#"
#include <fcntl.h>
#include <unistd.h>
int main(void) {
    int fd = open("out", O_CREAT | O_WRONLY | O_TRUNC, 0644);
    return write(fd, "hello", 5) != 5 || close(fd);
}
"#;
const SEVERAL: &str = r#"
#include <fcntl.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>
static int work(int number) {
    char name[20];
    sprintf(name, "out-%d", number);
    int fd = open(name, O_CREAT | O_WRONLY | O_TRUNC, 0644);
    return write(fd, "hello", 5) != 5 || close(fd);
}
int main(void) {
    for (int i = 1; i < 4; i++)
        if (fork() == 0) return work(i);
    while (wait(NULL) > 0) {}
    return work(0);
}
"#;

#[test]
fn the_lines_of_the_readme_for_the_library_alone_work() {
    let readme = std::fs::read_to_string(root().join("README.md")).unwrap();
    let mut blocks = readme.split("```sh\n").skip(1).filter_map(|rest| rest.split("```").next());
    let lines = blocks.find(|block| block.contains("IOGLASS_ENABLE=1")).expect("the block");
    for (name, source, processes) in [("one", ONE, 1), ("several", SEVERAL, 4)] {
        let folder = scratch(&format!("readme-{name}"));
        std::fs::remove_dir_all(&folder).unwrap();
        std::fs::create_dir_all(folder.join("bin")).unwrap();
        std::os::unix::fs::symlink(ioglass(), folder.join("bin/ioglass")).unwrap();
        std::fs::write(folder.join("app.c"), source).unwrap();
        let mut compile = Command::new("cc");
        let compiled = compile.current_dir(&folder).args(["app.c", "-o", "app"]).status();
        if !compiled.is_ok_and(|status| status.success()) {
            return missing("the README's lines for the library alone", Path::new("cc"));
        }
        let path = std::env::var("PATH").unwrap_or_default();
        let mut shell = Command::new("sh");
        shell.current_dir(&folder).env("PATH", format!("{}/bin:{path}", folder.display()));
        for name in ["LD_PRELOAD", "IOGLASS_JOB", "IOGLASS_LOGFILE"] {
            shell.env_remove(name);
        }
        let output = shell.args(["-e", "-c", lines]).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{name}: {said}");
        assert!(folder.join("app.darshan").is_file(), "{name}");
        assert!(folder.join("logs/app.darshan").is_file(), "{name}");
        let logs = std::fs::read_dir(folder.join("logs")).unwrap().count();
        assert_eq!(logs, processes, "{name}: a log of each process");
        let merged = ioglass_log::Log::open(folder.join("job.darshan")).unwrap();
        assert_eq!(merged.job().nprocs, processes as i64, "{name}: {said}");
        let report = String::from_utf8_lossy(&output.stdout);
        assert!(report.starts_with("app  1 process  "), "{name}: {report}");
        let log = ioglass_log::Log::open(folder.join("logs/app.darshan")).unwrap();
        assert_eq!(log.job().metadata_value("fallback"), None, "{name}: where it was asked for");
    }
}
