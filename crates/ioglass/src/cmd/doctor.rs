//! `ioglass doctor`: checks of this machine and of a program.

mod machine;

use std::io::{self, Write};

use anstyle::{AnsiColor, Style};
use ioglass_job::program::{Obstacle, Program};
use ioglass_report::text::wrap;
use serde_json::{Value, json};

use crate::cli;
use crate::failure::Failure;
use crate::glyphs;

/// One check and its result.
struct Check {
    name: &'static str,
    state: State,
    words: String,
    remedy: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// It works.
    Fine,
    /// It is not installed, which is no fault.
    Absent,
    /// It works less well than it could.
    Poor,
    /// It does not work.
    Bad,
}

impl Check {
    fn fine(name: &'static str, words: impl Into<String>) -> Self {
        Self { name, state: State::Fine, words: words.into(), remedy: String::new() }
    }

    fn absent(name: &'static str, words: impl Into<String>) -> Self {
        Self { state: State::Absent, ..Self::fine(name, words) }
    }

    fn poor(name: &'static str, words: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self { state: State::Poor, remedy: remedy.into(), ..Self::fine(name, words) }
    }

    fn bad(name: &'static str, words: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self { state: State::Bad, ..Self::poor(name, words, remedy) }
    }

    fn json(&self) -> Value {
        let state = match self.state {
            State::Fine => "fine",
            State::Absent => "absent",
            State::Poor => "poor",
            State::Bad => "bad",
        };
        json!({"check": self.name, "state": state, "words": self.words, "remedy": self.remedy})
    }
}

pub(super) fn run(args: &cli::Doctor) -> Result<(), Failure> {
    let mut checks = machine::checks();
    let program = args.program.as_ref().map(|name| Program::inspect(name));
    checks.extend(program.iter().flat_map(program_checks));
    if args.json {
        let checks: Vec<Value> = checks.iter().map(Check::json).collect();
        let program = program.as_ref().map(|program| {
            let obstacles: Vec<Value> = program.obstacles.iter().map(obstacle_json).collect();
            json!({
                "path": program.path.to_string_lossy(),
                "interpreter": program.interpreter.as_ref().map(|path| path.to_string_lossy()),
                "visible": !program.obstacles.iter().any(Obstacle::blocks),
                "obstacles": obstacles,
                "own_hdf5": program.has_own_hdf5,
                "regions": json!({
                    "annotated": program.is_annotated,
                    "seen": program.is_annotated && unseen(program).is_none(),
                }),
            })
        });
        let result = json!({"schema": "ioglass.doctor/1", "checks": checks, "program": program});
        writeln!(io::stdout(), "{}", ioglass_report::json::pretty(&result))?;
    } else {
        print(&checks)?;
    }
    let works = checks.iter().all(|check| check.state != State::Bad);
    // The faults have been printed.
    if works { Ok(()) } else { Err(Failure::BadInput(Vec::new())) }
}

fn obstacle_json(obstacle: &Obstacle) -> Value {
    json!({
        "obstacle": obstacle.name(),
        "blocks": obstacle.blocks(),
        "what": obstacle.what(),
        "remedy": obstacle.remedy(),
    })
}

fn print(checks: &[Check]) -> io::Result<()> {
    const HELP: Style = AnsiColor::Cyan.on_default();
    let mut out = glyphs::shown(anstream::stdout().lock());
    for check in checks {
        let (glyph, color) = match check.state {
            State::Fine => ("✓", AnsiColor::Green.on_default()),
            State::Absent => ("○", Style::new()),
            State::Poor => ("◆", AnsiColor::Yellow.on_default()),
            State::Bad => ("▲", AnsiColor::Red.on_default()),
        };
        let mut lines = wrap(&check.words, 64).into_iter();
        let first = lines.next().unwrap_or_default();
        writeln!(out, "{color}{glyph}{color:#} {:<12}  {first}", check.name)?;
        for line in lines {
            writeln!(out, "{:16}{line}", "")?;
        }
        if !check.remedy.is_empty() {
            writeln!(out, "{:16}do this:  {HELP}{}{HELP:#}", "", check.remedy)?;
        }
    }
    out.flush()
}

fn program_checks(program: &Program) -> Vec<Check> {
    let path = program.path.display();
    let shown = match &program.interpreter {
        Some(interpreter) => format!("{path}, a script for {}", interpreter.display()),
        None => path.to_string(),
    };
    let mut checks = Vec::new();
    if program.obstacles.is_empty() {
        checks.push(Check::fine("program", format!("{shown} can be recorded")));
    }
    checks.extend(program.obstacles.iter().map(|obstacle| {
        let words = format!("{shown}: {}", obstacle.what());
        match obstacle.blocks() {
            true => Check::bad("program", words, obstacle.remedy()),
            false => Check::poor("program", words, obstacle.remedy()),
        }
    }));
    if program.has_own_hdf5 {
        let words = "HDF5 is a part of the program: its files and datasets are not seen, and settings of \
                     HDF5 do not reach it; MPI-IO and POSIX calls below are seen";
        checks.push(Check::poor("hdf5", words, "link the shared library: h5pcc -shlib"));
    }
    checks.push(match unseen(program) {
        _ if !program.is_annotated => {
            Check::absent("regions", "it names no regions of its code (ioglass include)")
        }
        Some((why, remedy)) => {
            let words = format!("it names regions of its code, but nobody sees them: {why}");
            Check::poor("regions", words, remedy)
        }
        None => Check::fine("regions", "it names regions of its code; ioglass run counts them"),
    });
    checks
}

/// The reason why annotations of a program have no effect, and the remedy.
fn unseen(program: &Program) -> Option<(String, String)> {
    let obstacle = program.obstacles.iter().find(|obstacle| obstacle.blocks());
    if let Some(obstacle) = obstacle {
        return Some((obstacle.what(), obstacle.remedy().into()));
    }
    let is_off = |value: &String| matches!(value.as_str(), "0" | "off");
    let value = std::env::var("IOGLASS_REGIONS").ok().filter(is_off)?;
    Some((format!("IOGLASS_REGIONS={value} is set"), "unset IOGLASS_REGIONS".into()))
}
