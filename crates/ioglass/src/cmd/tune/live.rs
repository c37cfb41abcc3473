//! What is printed while a search goes on.

use std::io::{self, IsTerminal, Write};
use std::time::Instant;

use ioglass_report::number::{counted, digits, thousands};
use ioglass_tune::journal::{Outcome, Recorded, Trial};
use ioglass_tune::space::Parameter;
use ioglass_tune::tuning::{Budget, CHOICE_ROUNDS, Event, FIRST_LOOK};

use super::known::Known;
use super::question::{Question, program, words};
use crate::cli::{RunnerName, Tune};
use crate::cmd::report::width;
use crate::glyphs;

/// Columns of a bar.
const BAR: usize = 24;

/// Prints what happens on standard error: on a terminal in one line that is rewritten, else a line for
/// each run.
pub(super) struct Live<'a> {
    args: &'a Tune,
    question: &'a Question,
    known: &'a Known,
    is_terminal: bool,
    width: usize,
    begin: Instant,
    /// Runs of the search so far, and those that were there before.
    asks: u64,
    earlier: u64,
    best: Option<(f64, u64)>,
    /// A line on the terminal is not finished.
    is_open: bool,
    candidates: usize,
}

/// Prints a line on standard error, in place of a bar that may be on a terminal.
pub(super) fn say(text: &str) {
    let clear = if io::stderr().is_terminal() { "\r\x1b[K" } else { "" };
    // A failure to print must not end the search.
    let _ = writeln!(glyphs::shown(anstream::stderr().lock()), "{clear}{text}");
}

impl<'a> Live<'a> {
    pub(super) fn new(
        args: &'a Tune,
        question: &'a Question,
        known: &'a Known,
        recorded: &Recorded,
    ) -> Live<'a> {
        let asks = recorded.trials.len() as u64;
        Live {
            args,
            question,
            known,
            is_terminal: io::stderr().is_terminal(),
            width: width(io::stderr()),
            begin: Instant::now(),
            asks,
            earlier: asks,
            best: None,
            is_open: false,
            candidates: 0,
        }
    }

    /// What will be done.
    pub(super) fn head(&self) {
        if self.args.quiet {
            return;
        }
        let on = match (self.known.system.as_str(), self.known.stack.as_str()) {
            ("", "") => String::new(),
            ("", stack) => format!(" on {stack}"),
            (system, "") => format!(" on {system}"),
            (system, stack) => format!(" on {system}, {stack}"),
        };
        self.line(&format!("ioglass tune: {}{on}{}", program(self.args), self.place()));
        let space = &self.question.plan.space;
        let parameters = space.parameters().len() as u64;
        self.line(&format!(
            "  {}, {} settings; {}",
            counted(parameters, "parameter", "parameters"),
            thousands(space.size()),
            self.plan_in_words()
        ));
        if self.earlier > 0 {
            self.line(&format!("  going on after {} runs of the journal", self.earlier));
        }
        let is_shared = self.args.jobs > 1;
        let has_folder = words(self.args).iter().any(|word| word.contains("{trial_dir}"));
        if !has_folder && !self.is_model() {
            self.line(
                "  it runs in this folder, and the files of the last run stay (no {trial_dir})",
            );
            if is_shared {
                self.line("  runs at the same time must not write the same files there");
            }
        }
    }

    /// Where the program runs, if not here.
    fn place(&self) -> String {
        match (&self.args.runner, self.args.jobs) {
            (RunnerName::Slurm, 1) => ", in jobs of Slurm".into(),
            (RunnerName::Slurm, jobs) => format!(", in jobs of Slurm, {jobs} at the same time"),
            _ => String::new(),
        }
    }

    /// The runs that there will be.
    pub(super) fn plan_in_words(&self) -> String {
        let plan = &self.question.plan;
        let layers: std::collections::BTreeSet<&str> =
            plan.space.parameters().iter().map(Parameter::layer).collect();
        let layers = if layers.len() > 1 { 2 * layers.len() as u64 } else { 0 };
        let later = match plan.confirm {
            0 => Vec::new(),
            rounds => vec![CHOICE_ROUNDS * 4, 2 * rounds, layers],
        };
        let later: Vec<u64> = later.into_iter().filter(|runs| *runs > 0).collect();
        match plan.budget {
            Budget::Seconds(seconds) => format!("at most about {}", time(seconds)),
            Budget::Runs(search) => {
                let all: Vec<String> = std::iter::once(search)
                    .chain(later.iter().copied())
                    .map(|runs| runs.to_string())
                    .collect();
                let runs = search + later.iter().sum::<u64>();
                let seconds = self.known.seconds * runs as f64;
                let about = if self.known.seconds > 0.0 {
                    format!(", about {}", time(seconds))
                } else {
                    String::new()
                };
                format!("at most {} runs{about}", all.join(" + "))
            }
        }
    }

    fn is_model(&self) -> bool {
        matches!(self.args.runner, RunnerName::Model(_))
    }

    pub(super) fn event(&mut self, event: &Event<'_>) {
        if self.args.quiet {
            return;
        }
        match event {
            Event::Trial { trial, gain, limit } => self.trial(trial, *gain, *limit),
            Event::Choosing { candidates, .. } => {
                self.candidates = *candidates;
                if self.is_terminal {
                    self.close();
                    return;
                }
                if let Some((gain, _)) = self.best {
                    self.line(&format!("  best {gain:.2}×, {} of {}", self.asks, self.of()));
                }
                let most = self.question.plan.confirm;
                let rounds = match most {
                    0..=FIRST_LOOK => format!("{most} rounds"),
                    most => format!("{FIRST_LOOK} to {most} rounds"),
                };
                self.line(&format!(
                    "choosing among {candidates}, then proving the best against the default, {rounds}"
                ));
            }
            Event::Chosen { runs, of } => {
                let candidates = counted(self.candidates as u64, "candidate", "candidates");
                self.bar("choosing", *runs, *of, &format!("{candidates} and the default"));
                if runs == of {
                    self.close();
                }
            }
            Event::Proven { rounds, look, of } => {
                let what = if *look < *of { "first look after round" } else { "look after round" };
                self.bar("proving", *rounds, *look, &format!("{what} {look}"));
            }
            Event::Layer { layer } => {
                self.close();
                self.bar("layers", 1, 1, &format!("{layer} alone"));
            }
            _ => {}
        }
    }

    fn of(&self) -> String {
        match self.question.plan.budget {
            Budget::Runs(runs) => runs.to_string(),
            Budget::Seconds(seconds) => time(seconds),
        }
    }

    fn trial(&mut self, trial: &Trial, gain: Option<f64>, limit: Option<f64>) {
        self.asks = trial.n;
        if let Some(gain) = gain.filter(|gain| self.best.is_none_or(|best| *gain > best.0)) {
            self.best = Some((gain, trial.n));
        }
        if self.is_terminal {
            let best = match self.best {
                Some((gain, n)) => format!("best {gain:.2}× (run {n})  "),
                None => String::new(),
            };
            let spent = self.begin.elapsed().as_secs_f64();
            let (done, of) = match self.question.plan.budget {
                Budget::Runs(runs) => (trial.n, runs),
                Budget::Seconds(seconds) => (spent as u64, seconds as u64),
            };
            let here = (trial.n - self.earlier).max(1) as f64;
            let left = match self.question.plan.budget {
                Budget::Runs(runs) => spent / here * runs.saturating_sub(trial.n) as f64,
                Budget::Seconds(seconds) => (seconds - spent).max(0.0),
            };
            let rest = format!("{best}{}, {} left", time(spent), time(left));
            self.bar("searching", done.min(of), of, &rest);
            return;
        }
        let codes = trial.from.codes.join("+");
        let who = format!("{} {codes}", trial.from.how.name());
        let settings: Vec<String> =
            trial.settings.iter().map(|(name, value)| format!("{name}={value}")).collect();
        let mut settings = settings.join(" ");
        let unit = self.question.plan.objective.unit();
        let (value, gain) = match (trial.outcome, trial.value) {
            (Outcome::Ok, Some(value)) => {
                (number(value, unit), gain.map(|gain| format!("{gain:.2}×")).unwrap_or_default())
            }
            (Outcome::Cut, _) => {
                let limit = limit.unwrap_or(trial.wall);
                (format!("cut at {}", number(limit, "s")), String::new())
            }
            (outcome, _) => (outcome.name().to_owned(), String::new()),
        };
        match trial.outcome {
            Outcome::Failed | Outcome::Wrong | Outcome::Timeout => {
                let note = trial.note.as_deref().unwrap_or_default();
                let last = note.lines().next_back().unwrap_or_default();
                settings = match trial.exit {
                    Some(status) if status != 0 && last.is_empty() => format!("exit {status}"),
                    Some(status) if status != 0 => format!("exit {status}: {last}"),
                    _ => last.to_owned(),
                };
            }
            Outcome::Disturbed => {
                let load = trial.load.unwrap_or(0.0);
                settings = format!("others took {:.0} %", load * 100.0);
            }
            _ => {}
        }
        let who = who.trim();
        let room = 29_usize.saturating_sub(ioglass_report::text::width(who));
        let line = format!("{:>4} {who}{value:>room$} {gain:>7}   {settings}", trial.n);
        let line = shorten_end(line.trim_end(), self.width.saturating_sub(self.mark().len()));
        self.line(&line);
    }

    /// Rewrites the line on the terminal.
    fn bar(&mut self, what: &str, done: u64, of: u64, rest: &str) {
        if !self.is_terminal {
            return;
        }
        let full = (done as f64 / of.max(1) as f64 * BAR as f64) as usize;
        let bar: String = match full {
            full if full >= BAR => "━".repeat(BAR),
            full => format!("{}╸{}", "━".repeat(full), "╌".repeat(BAR - 1 - full)),
        };
        let line = format!("{}{what:<10} {bar}  {:<6} {rest}", self.mark(), format!("{done}/{of}"));
        let line = shorten_end(&line, self.width.saturating_sub(1));
        let mut out = glyphs::shown(anstream::stderr().lock());
        // A failure to print must not end the search.
        let _ = write!(out, "\r\x1b[K{line}");
        let _ = out.flush();
        self.is_open = true;
    }

    fn close(&mut self) {
        if std::mem::take(&mut self.is_open) {
            // A failure to print must not end the search.
            let _ = writeln!(anstream::stderr());
        }
    }

    /// Prints a line; where a model ran, it says so.
    fn line(&self, text: &str) {
        let text = format!("{}{text}", self.mark());
        say(text.trim_end());
    }

    /// What every line begins with.
    fn mark(&self) -> &'static str {
        if self.is_model() { "model " } else { "" }
    }

    /// The search is over.
    pub(super) fn end(&mut self) {
        self.close();
    }
}

/// A value with three digits and its unit.
pub(super) fn number(value: f64, unit: &str) -> String {
    match unit {
        "s" => format!("{} s", three(value)),
        "B/s" => format!("{} MB/s", three(value / 1e6)),
        _ => three(value),
    }
}

/// Three digits that count, at least all before the point.
fn three(value: f64) -> String {
    if value.abs() >= 0.1 {
        return digits(value);
    }
    let places = (2.0 - value.abs().max(1e-9).log10().floor()) as usize;
    format!("{value:.places$}")
}

/// A time in few words.
pub(super) fn time(seconds: f64) -> String {
    match seconds {
        seconds if seconds < 90.0 => format!("{:.0} s", seconds.ceil()),
        seconds if seconds < 5400.0 => format!("{:.0} min", seconds / 60.0),
        seconds => format!("{:.1} h", seconds / 3600.0),
    }
}

/// Cuts a line at the right edge.
fn shorten_end(text: &str, room: usize) -> String {
    if ioglass_report::text::width(text) <= room {
        return text.to_owned();
    }
    let mut short = String::new();
    for sign in text.chars() {
        if ioglass_report::text::width(&short) + 2 > room {
            break;
        }
        short.push(sign);
    }
    short.push('…');
    short
}
