//! Text that no advice on these programs may hold.

use ioglass_insight::State;
use ioglass_report::json::Report;

/// Text that nobody can paste.
const NEVER: [&str; 3] = ["…", "old.h5", "<name>"];
/// Text that loses the data of a file that must be kept.
const LOSES: [&str; 4] = ["\"wb\"", "\"w\"", "O_TRUNC", "'w'"];

/// Lines to type or paste that would do harm or cannot work, each with the code of its finding. If
/// the program's file `keeps` its data, nothing may truncate it.
pub(crate) fn faults(report: &Report, keeps: bool) -> Vec<String> {
    let mut faults = Vec::new();
    for finding in report.findings.iter().filter(|finding| finding.state == State::Fired) {
        for advice in &finding.advice {
            let lines = advice.commands.iter().map(|command| &command.line);
            for text in lines.chain(advice.snippets.iter().map(|snippet| &snippet.code)) {
                let lost = LOSES.iter().filter(|_| keeps);
                for bad in NEVER.iter().chain(lost).filter(|bad| text.contains(**bad)) {
                    faults.push(format!("{} says {bad}", finding.code));
                }
            }
        }
    }
    faults.sort();
    faults.dedup();
    faults
}
