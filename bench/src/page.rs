//! What a page costs, against PyDarshan's summary.

use std::fmt::Write as _;
use std::path::Path;

use ioglass_bench::large;

use crate::claims::{Bench, mark, megabytes, seconds};
use crate::measure::{Cost, Program, interleaved, least};

/// CPU seconds of PyDarshan 3.5's summary for a log, noted once: the median of real logs.
const NOTED: f64 = 3.9;
/// How much less CPU time a page takes.
const WANTED: f64 = 50.0;
/// What a trace of 4 M segments may take.
const SEGMENTS: u64 = 4_000_000;
const SEGMENTS_CPU: f64 = 6.0;
const SEGMENTS_PEAK: u64 = 300_000_000;
const SEGMENTS_PAGE: u64 = 5_000_000;
/// The peer takes seconds for each log: it is measured on some of them, spread over all.
const PEER_LOGS: usize = 12;

impl Bench {
    /// Pages of real logs.
    pub(crate) fn page(&self) -> anyhow::Result<String> {
        let (mut logs, _) = self.real_logs()?;
        if self.pydarshan.is_some() {
            let step = logs.len().div_ceil(PEER_LOGS);
            let is_read =
                |log: &Path| self.summary(log).is_none_or(|summary| summary.measure().is_ok());
            logs = logs.into_iter().step_by(step).filter(|log| is_read(log)).collect();
        }
        let mut programs = Vec::new();
        for log in &logs {
            programs.push(self.pager(log));
            programs.extend(self.summary(log));
        }
        let each = programs.len() / logs.len().max(1);
        let costs: Vec<Cost> =
            interleaved(&programs, self.runs)?.iter().map(|costs| least(costs)).collect();
        let of = |which: usize| costs.iter().skip(which).step_by(each);
        let sum = |which: usize| of(which).map(|cost| cost.cpu.as_secs_f64()).sum::<f64>();
        let ours = sum(0);
        let (peer, label) = match each {
            2 => (sum(1), "peer"),
            _ => (NOTED * logs.len() as f64, "noted"),
        };
        let ratio = peer / ours;
        let count = logs.len() as f64;
        let mut lines = format!("pages of {} real logs, CPU time per log:\n", logs.len());
        writeln!(
            lines,
            "  ours {:.2} ms, {label} {:.2} s: {ratio:.0} times, want {WANTED}{}",
            1e3 * ours / count,
            peer / count,
            mark(ratio >= WANTED)
        )?;
        let peak = |which: usize| of(which).map(|cost| cost.peak).max().unwrap_or_default();
        write!(lines, "  peak: ours {}", megabytes(peak(0)))?;
        if each == 2 {
            write!(lines, ", peer {}", megabytes(peak(1)))?;
        }
        lines.push('\n');
        Ok(lines)
    }

    /// Pages of traces.
    pub(crate) fn page_trace(&self) -> anyhow::Result<String> {
        let own = self.segments(SEGMENTS)?;
        let shared = self.log(&format!("shared-segments-{SEGMENTS}"), |file| {
            large::shared_segments(file, SEGMENTS)
        })?;
        let mut lines = format!("pages of {SEGMENTS} segments:\n");
        for (what, log) in [("own files", &own), ("shared files", &shared)] {
            let program = self.pager(log);
            let cost = least(&interleaved(std::slice::from_ref(&program), self.runs)?[0]);
            let size = program.text_size()?;
            let is_met = cost.cpu.as_secs_f64() <= SEGMENTS_CPU
                && cost.peak <= SEGMENTS_PEAK
                && size <= SEGMENTS_PAGE;
            writeln!(
                lines,
                "  {what}: {} {}, page of {}, want {SEGMENTS_CPU} s, {} and {}{}",
                seconds(cost.cpu),
                megabytes(cost.peak),
                megabytes(size),
                megabytes(SEGMENTS_PEAK),
                megabytes(SEGMENTS_PAGE),
                mark(is_met)
            )?;
        }
        Ok(lines)
    }

    fn pager(&self, log: &Path) -> Program {
        self.reporter(log, Some("--html"))
    }

    /// PyDarshan's page of a log.
    fn summary(&self, log: &Path) -> Option<Program> {
        let python = self.pydarshan.as_ref()?;
        let page = self.logs.join("summary.html");
        let words = ["-m", "darshan", "summary"].map(AsRef::as_ref);
        let rest = [log.as_os_str(), "--output".as_ref(), page.as_os_str()];
        Some(Program::new(python, words.into_iter().chain(rest)))
    }
}
