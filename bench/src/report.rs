//! What a diagnosis costs, against Drishti.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context as _, ensure};
use ioglass_bench::large;

use crate::claims::{Bench, mark, megabytes, seconds};
use crate::measure::{Cost, Program, interleaved, least};

/// CPU seconds of Drishti 0.8 for a log, noted once: the median of real logs.
const NOTED: f64 = 0.82;
/// How much less CPU time a report takes.
const WANTED: f64 = 100.0;
/// What very many files may take.
const FILES: u64 = 200_000;
const FILES_CPU: f64 = 1.0;
/// Files of the log that Drishti is given; it would take minutes for all.
const PEER_FILES: u64 = 10_000;
/// What a trace of 4 M segments may take.
const SEGMENTS: u64 = 4_000_000;
const SEGMENTS_CPU: f64 = 5.0;
const SEGMENTS_PEAK: u64 = 200_000_000;

impl Bench {
    /// Reports on real logs.
    pub(crate) fn report(&self) -> anyhow::Result<String> {
        let (logs, left_out) = self.real_logs()?;
        let mut programs = Vec::new();
        for log in &logs {
            programs.push(self.reporter(log, None));
            programs.push(self.reporter(log, Some("--json")));
            programs.extend(self.drishti(log));
        }
        let each = programs.len() / logs.len();
        let costs: Vec<Cost> =
            interleaved(&programs, self.runs)?.iter().map(|costs| least(costs)).collect();
        let of = |which: usize| -> Vec<f64> {
            costs.chunks(each).map(|costs| costs[which].cpu.as_secs_f64()).collect()
        };
        let peer = if each > 2 { of(2) } else { vec![NOTED; logs.len()] };
        let label = if each > 2 { "peer" } else { "noted" };
        let mut lines = format!("reports on {} real logs, CPU time per log:\n", logs.len());
        for (what, ours) in [("terminal", of(0)), ("JSON", of(1))] {
            let sum = |times: &[f64]| times.iter().sum::<f64>();
            let ratio = sum(&peer) / sum(&ours);
            let worst = peer.iter().zip(&ours).map(|(peer, ours)| peer / ours);
            writeln!(
                lines,
                "  {what}: ours median {} mean {}, {label} {} {}: {ratio:.0} times, least {:.0}, \
                 want {WANTED}{}",
                show(middle(&ours)),
                show(sum(&ours) / ours.len() as f64),
                show(middle(&peer)),
                show(sum(&peer) / peer.len() as f64),
                worst.fold(f64::INFINITY, f64::min),
                mark(ratio >= WANTED)
            )?;
        }
        let peak = |which: usize| costs.chunks(each).map(|costs| costs[which].peak).max();
        write!(lines, "  peak: ours {}", megabytes(peak(0).max(peak(1)).unwrap_or_default()))?;
        if each > 2 {
            write!(lines, ", peer {}", megabytes(peak(2).unwrap_or_default()))?;
        }
        writeln!(lines, "; left out because a program fails on them: {left_out}")?;
        Ok(lines)
    }

    /// Reports on very many files.
    pub(crate) fn report_files(&self) -> anyhow::Result<String> {
        let mut lines = String::from("reports on many files:\n");
        for ranks in [1, 64] {
            let few = self.files(FILES / 10, ranks)?;
            let many = self.files(FILES, ranks)?;
            let programs = [self.reporter(&few, None), self.reporter(&many, None)];
            let costs = interleaved(&programs, self.runs)?;
            let (few, many) = (least(&costs[0]), least(&costs[1]));
            let growth = many.cpu.as_secs_f64() / few.cpu.as_secs_f64() / 10.0;
            writeln!(
                lines,
                "  {FILES} files, {ranks} ranks: {} {}, want {FILES_CPU} s{}; \
                 {}: {}, so per file {growth:.2} times",
                seconds(many.cpu),
                megabytes(many.peak),
                mark(many.cpu.as_secs_f64() <= FILES_CPU),
                FILES / 10,
                seconds(few.cpu)
            )?;
        }
        let log = self.files(PEER_FILES, 1)?;
        if let Some(drishti) = self.drishti(&log) {
            let cost = drishti.measure()?;
            let whole = cost.cpu * (FILES / PEER_FILES) as u32;
            writeln!(
                lines,
                "  peer, {PEER_FILES} files, measured once: {} {}; as many times for {FILES} would be {}",
                seconds(cost.cpu),
                megabytes(cost.peak),
                seconds(whole)
            )?;
        }
        Ok(lines)
    }

    /// Reports on traces, with everything that only a trace tells.
    pub(crate) fn report_trace(&self) -> anyhow::Result<String> {
        let sizes = [SEGMENTS / 4, SEGMENTS, 4 * SEGMENTS];
        let mut lines = String::from("reports on traces:\n");
        for (what, is_shared) in [("own files", false), ("shared files", true)] {
            let mut programs = Vec::new();
            for count in sizes {
                let log = if is_shared {
                    self.log(&format!("shared-segments-{count}"), |file| {
                        large::shared_segments(file, count)
                    })?
                } else {
                    self.segments(count)?
                };
                programs.push(self.reporter(&log, None));
            }
            let costs = interleaved(&programs, self.runs)?;
            let costs: Vec<Cost> = costs.iter().map(|costs| least(costs)).collect();
            for (count, cost) in sizes.iter().zip(&costs) {
                let is_claimed = *count == SEGMENTS;
                let is_met = cost.cpu.as_secs_f64() <= SEGMENTS_CPU && cost.peak <= SEGMENTS_PEAK;
                writeln!(
                    lines,
                    "  {what}, {count:>8} segments: {} {}, {:.0} ns per segment{}",
                    seconds(cost.cpu),
                    megabytes(cost.peak),
                    cost.cpu.as_secs_f64() * 1e9 / *count as f64,
                    mark(!is_claimed || is_met)
                )?;
            }
            let growth = costs[2].cpu.as_secs_f64() / costs[0].cpu.as_secs_f64() / 16.0;
            writeln!(
                lines,
                "    time per segment grows {growth:.2} times, memory {:.2} times",
                costs[2].peak as f64 / costs[0].peak as f64
            )?;
        }
        writeln!(
            lines,
            "  want of {SEGMENTS} segments: {SEGMENTS_CPU} s and {}",
            megabytes(SEGMENTS_PEAK)
        )?;
        Ok(lines)
    }

    pub(crate) fn reporter(&self, log: &Path, option: Option<&str>) -> Program {
        let words = ["report".as_ref(), log.as_os_str()];
        let option = option.map(AsRef::as_ref);
        Program::new(&self.ioglass, words.into_iter().chain(option))
    }

    fn drishti(&self, log: &Path) -> Option<Program> {
        self.drishti.as_ref().map(|drishti| Program::new(drishti, [log]))
    }

    fn files(&self, count: u64, ranks: u64) -> anyhow::Result<PathBuf> {
        self.log(&format!("files-{count}-{ranks}"), |file| large::files(file, count, ranks))
    }

    /// The real logs that every program can read, and how many there are besides.
    pub(crate) fn real_logs(&self) -> anyhow::Result<(Vec<PathBuf>, usize)> {
        let mut logs = Vec::new();
        find(&self.real_logs_folder()?, &mut logs)?;
        let all = logs.len();
        let is_read = |program: Program| program.text_size().is_ok();
        logs.retain(|log| {
            is_read(self.reporter(log, None)) && self.drishti(log).is_none_or(is_read)
        });
        ensure!(!logs.is_empty(), "no real log can be read");
        let left_out = all - logs.len();
        Ok((logs, left_out))
    }

    /// The directory of real logs, or that of PyDarshan with its examples.
    fn real_logs_folder(&self) -> anyhow::Result<PathBuf> {
        if let Some(folder) = &self.real_logs {
            return Ok(folder.clone());
        }
        let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/logs");
        if beside.is_dir() {
            return Ok(beside);
        }
        let of_drishti = self.drishti.as_ref().map(|drishti| drishti.with_file_name("python"));
        let python = self.pydarshan.clone().or(of_drishti);
        let python = python.context("no real logs: name a directory with --real-logs")?;
        let script = "import darshan; print(darshan.__path__[0])";
        let output = Command::new(&python).args(["-c", script]).output()?;
        ensure!(output.status.success(), "{} cannot import darshan", python.display());
        Ok(String::from_utf8(output.stdout)?.trim_end().into())
    }
}

/// All logs in a directory and those in it.
fn find(folder: &Path, logs: &mut Vec<PathBuf>) -> anyhow::Result<()> {
    let entries = folder.read_dir().with_context(|| folder.display().to_string())?;
    let mut paths = entries.map(|entry| Ok(entry?.path())).collect::<anyhow::Result<Vec<_>>>()?;
    paths.sort();
    for path in paths {
        if path.is_dir() {
            find(&path, logs)?;
        } else if path.extension().is_some_and(|extension| extension == "darshan") {
            logs.push(path);
        }
    }
    Ok(())
}

fn middle(times: &[f64]) -> f64 {
    let mut times = times.to_vec();
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

fn show(time: f64) -> String {
    seconds(Duration::from_secs_f64(time))
}
