//! The one line that ends a recorded run.

use ioglass_insight::{Diagnosis, Level, Outcome, Role, State};

use super::Options;
use super::screen::{GOOD, PLAIN, WARN, mark};
use crate::number::{of, thousands};
use crate::{glyphs, text};

/// Returns the result of a recorded run and the command that shows more, without a newline.
pub fn summary_line(diagnosis: &Diagnosis, options: &Options<'_>) -> String {
    let log = text::quoted(&text::clean(&options.log.to_string_lossy()));
    let job = if options.is_job { "--job " } else { "" };
    let more = format!("   ioglass report -v {job}{log}");
    let budget = &diagnosis.budget;
    let is_incomplete = !diagnosis.subject.is_complete && diagnosis.subject.is_traced.is_some();
    let incomplete = if is_incomplete { ", incomplete data" } else { "" };
    let (sign, style, words) = match diagnosis.verdict.outcome {
        Outcome::Healthy => {
            let io = of(budget.io, budget.run_time);
            ('✓', GOOD, format!("I/O {io}, healthy{incomplete}{more}"))
        }
        Outcome::NotJudgeable | Outcome::CauseUnknown => {
            // The report above has all of it.
            let sentence = diagnosis.verdict.sentence.as_str();
            let sentence = sentence.split_once(". ").map_or(sentence, |(first, _)| first);
            let sentence = sentence.trim_end_matches('.');
            ('!', WARN, format!("{}{more}", text::clean(sentence)))
        }
        Outcome::HeldBack => {
            let avoidable = of(diagnosis.verdict.avoidable, budget.run_time);
            let (highest, counts) = counts(diagnosis);
            let (sign, style) = mark(highest);
            (sign, style, format!("{avoidable} avoidable{counts}{incomplete}{more}"))
        }
    };
    let line = format!("{style}{sign}{style:#} {PLAIN}{words}");
    if options.is_ascii { glyphs::plain(&line).into_owned() } else { line }
}

/// Returns the highest level, and the number of findings by level: `, 2 HIGH 1 WARN`.
fn counts(diagnosis: &Diagnosis) -> (Option<Level>, String) {
    let count = |level| {
        let fired = diagnosis.findings.iter().filter(|f| f.state == State::Fired);
        let causes = fired.filter(|f| f.role == Some(Role::Primary));
        causes.filter(|f| f.level == Some(level)).count() as u64
    };
    let levels = [Level::High, Level::Warn].map(|level| (level, count(level)));
    let mut levels: Vec<_> = levels.into_iter().filter(|(_, count)| *count > 0).collect();
    if levels.is_empty() && count(Level::Info) > 0 {
        levels.push((Level::Info, count(Level::Info)));
    }
    let words: Vec<String> = levels
        .iter()
        .map(|(level, count)| format!("{} {}", thousands(*count), level.word()))
        .collect();
    let highest = levels.first().map(|(level, _)| *level);
    match words.is_empty() {
        true => (highest, String::new()),
        false => (highest, format!(", {}", words.join(" "))),
    }
}
