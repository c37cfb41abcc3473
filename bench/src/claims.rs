//! What is claimed, and how each claim is put to the test.

use std::fmt::Write as _;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Context as _;
use clap::ValueEnum;
use ioglass_bench::generate;

use crate::measure::{Cost, Program, interleaved, least, median};

/// Runs of a process that lives for a few milliseconds.
const SMALL_RUNS: usize = 200;
/// What printing a trace may take, whatever its length.
const FLAT: u64 = 64 << 20;

/// A claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Claim {
    /// Text of 65,536 records: 3 times as fast as darshan-parser.
    Parse,
    /// Text of 4 M segments: 3 times as fast as darshan-dxt-parser.
    Dxt,
    /// 4 M segments into memory: 10 times as fast as PyDarshan, in a tenth of the memory.
    Load,
    /// Totals of a small log: no slower than darshan-parser.
    Small,
    /// Time per segment, and memory for text, do not grow with the trace.
    Linear,
    /// Terminal and JSON reports on real logs: 100 times less CPU time than Drishti.
    Report,
    /// A report on 200,000 files: 1 s.
    ReportFiles,
    /// A report on 4 M segments: 5 s and 200 MB.
    ReportTrace,
    /// Pages of real logs: 50 times less CPU time than PyDarshan's summary.
    Page,
    /// A page of 4 M segments: 6 s and 300 MB, below 5 MB.
    PageTrace,
}

/// The programs and the place for logs.
pub(crate) struct Bench {
    /// Ours.
    pub(crate) ioglass: PathBuf,
    /// Ours that loads columns.
    pub(crate) load: PathBuf,
    /// Directory of the reference's programs.
    pub(crate) darshan_util: Option<PathBuf>,
    /// A Python with PyDarshan.
    pub(crate) pydarshan: Option<PathBuf>,
    /// Drishti.
    pub(crate) drishti: Option<PathBuf>,
    /// A directory with real logs.
    pub(crate) real_logs: Option<PathBuf>,
    /// Where logs are kept between runs.
    pub(crate) logs: PathBuf,
    /// Repetitions.
    pub(crate) runs: usize,
    /// Up to 100 M segments.
    pub(crate) full: bool,
}

/// A row of the table.
struct Row<'a> {
    what: &'a str,
    ours: Cost,
    peer: Peer,
    want: f64,
}

/// What ours is compared with.
enum Peer {
    Measured(Cost),
    /// CPU seconds and MB of peak memory, noted once for a log of the same size.
    Noted(f64, f64),
}

impl Bench {
    /// Tests one claim and says what came out, as lines of text.
    pub(crate) fn test(&self, claim: Claim) -> anyhow::Result<String> {
        match claim {
            Claim::Parse => self.parse(),
            Claim::Dxt => self.dxt(),
            Claim::Load => self.load(),
            Claim::Small => self.small(),
            Claim::Linear => self.linear(),
            Claim::Report => self.report(),
            Claim::ReportFiles => self.report_files(),
            Claim::ReportTrace => self.report_trace(),
            Claim::Page => self.page(),
            Claim::PageTrace => self.page_trace(),
        }
    }

    fn parse(&self) -> anyhow::Result<String> {
        let log = self.log("records-65536", |file| generate::records(file, 65_536))?;
        let ours = Program::new(&self.ioglass, ["parse".as_ref(), log.as_os_str()]);
        let peer = self.reference("darshan-parser", &[log.as_os_str()]);
        self.text("text of 65,536 records", &ours, peer.as_ref(), (1.66, 12.0))
    }

    fn dxt(&self) -> anyhow::Result<String> {
        let log = self.segments(4_000_000)?;
        let ours = Program::new(&self.ioglass, ["dxt".as_ref(), log.as_os_str()]);
        let peer = self.reference("darshan-dxt-parser", &[log.as_os_str()]);
        self.text("text of 4 M segments", &ours, peer.as_ref(), (2.73, 206.0))
    }

    fn text(
        &self,
        what: &str,
        ours: &Program,
        peer: Option<&Program>,
        noted: (f64, f64),
    ) -> anyhow::Result<String> {
        let (ours_cost, peer_cost) = self.compare(ours, peer, noted, self.runs, least)?;
        let row = Row { what, ours: ours_cost, peer: peer_cost, want: 3.0 };
        let mut lines = row.lines();
        write!(lines, "  text: ours {}", megabytes(ours.text_size()?))?;
        if let Some(peer) = peer {
            write!(lines, ", peer {}", megabytes(peer.text_size()?))?;
        }
        lines.push('\n');
        Ok(lines)
    }

    fn load(&self) -> anyhow::Result<String> {
        let log = self.segments(4_000_000)?;
        let ours = Program::new(&self.load, [&log]);
        let Some(python) = &self.pydarshan else {
            let cost = least(&interleaved(&[ours], self.runs)?[0]);
            let peer = Peer::Noted(3.8, 1384.0);
            let row = Row { what: "load of 4 M segments", ours: cost, peer, want: 10.0 };
            return Ok(row.lines() + &row.memory());
        };
        let import = Program::new(python, ["-c", "import darshan"]);
        let script = "import sys, darshan; darshan.DarshanReport(sys.argv[1], read_all=True)";
        let report = Program::new(python, ["-c".as_ref(), script.as_ref(), log.as_os_str()]);
        let costs = interleaved(&[ours, import, report], self.runs)?;
        let [ours, import, report] = [0, 1, 2].map(|i| least(&costs[i]));
        let after_import = report.cpu.saturating_sub(import.cpu);
        let peer = Peer::Measured(Cost { cpu: after_import, peak: report.peak });
        let row = Row { what: "load of 4 M segments", ours, peer, want: 10.0 };
        let note = format!(
            "  peer: {} with its import, of which {} is taken off; its import alone peaks at {}\n",
            seconds(report.cpu),
            seconds(import.cpu),
            megabytes(import.peak)
        );
        Ok(row.lines() + &row.memory() + &note)
    }

    fn small(&self) -> anyhow::Result<String> {
        let log = self.log("small", generate::small)?;
        let args = [log.as_os_str(), "--total".as_ref()];
        let ours = Program::new(&self.ioglass, [&["parse".as_ref()], &args[..]].concat());
        let peer = self.reference("darshan-parser", &["--total".as_ref(), log.as_os_str()]);
        let (ours, peer) = self.compare(&ours, peer.as_ref(), (0.0021, 0.0), SMALL_RUNS, median)?;
        Ok(Row { what: "totals of a small log", ours, peer, want: 1.0 }.lines())
    }

    fn linear(&self) -> anyhow::Result<String> {
        let mut sizes = vec![1_000_000, 4_000_000, 16_000_000];
        if self.full {
            sizes.extend([64_000_000, 100_000_000]);
        }
        // All sizes take turns: one after the other, a machine that gets busier would look like
        // time that grows with the trace.
        let mut programs = Vec::new();
        let mut stored = Vec::new();
        for count in &sizes {
            let log = self.segments(*count)?;
            programs.push(Program::new(&self.ioglass, ["dxt".as_ref(), log.as_os_str()]));
            programs.push(Program::new(&self.load, [&log]));
            stored.push(log.metadata()?.len());
        }
        let costs = interleaved(&programs, self.runs)?;
        let mut lines = String::from(
            "    segments   log B/segment   text ns/segment   text peak   load ns/segment   load peak\n",
        );
        let mut per_segment = Vec::new();
        for ((count, stored), costs) in sizes.iter().zip(stored).zip(costs.chunks(2)) {
            let (text, load) = (least(&costs[0]), least(&costs[1]));
            let nanos = |cost: Cost| cost.cpu.as_secs_f64() * 1e9 / *count as f64;
            writeln!(
                lines,
                "{count:>12}   {:>13.2}   {:>15.1}   {:>9}   {:>15.1}   {:>9}{}",
                stored as f64 / *count as f64,
                nanos(text),
                megabytes(text.peak),
                nanos(load),
                megabytes(load.peak),
                mark(text.peak < FLAT)
            )?;
            per_segment.push((nanos(text), nanos(load)));
        }
        let growth = |pick: fn(&(f64, f64)) -> f64| {
            let (first, rest) = (pick(&per_segment[0]), &per_segment[1..]);
            rest.iter().map(pick).fold(0.0, f64::max) / first
        };
        let (text, load) = (growth(|pair| pair.0), growth(|pair| pair.1));
        writeln!(
            lines,
            "  time per segment grows by at most {text:.2} (text) and {load:.2} (load){}",
            mark(text < 1.25 && load < 1.25)
        )?;
        Ok(lines)
    }

    fn compare(
        &self,
        ours: &Program,
        peer: Option<&Program>,
        noted: (f64, f64),
        runs: usize,
        pick: fn(&[Cost]) -> Cost,
    ) -> anyhow::Result<(Cost, Peer)> {
        let programs: Vec<Program> = [Some(ours), peer].into_iter().flatten().cloned().collect();
        let costs: Vec<Cost> =
            interleaved(&programs, runs)?.iter().map(|costs| pick(costs)).collect();
        let peer = costs.get(1).map_or(Peer::Noted(noted.0, noted.1), |cost| Peer::Measured(*cost));
        Ok((costs[0], peer))
    }

    fn reference(&self, name: &str, args: &[&std::ffi::OsStr]) -> Option<Program> {
        self.darshan_util.as_ref().map(|directory| Program::new(directory.join(name), args))
    }

    pub(crate) fn segments(&self, count: u64) -> anyhow::Result<PathBuf> {
        self.log(&format!("segments-{count}"), |file| generate::segments(file, count))
    }

    /// The log `name`, made if it is not there yet.
    pub(crate) fn log<E: std::error::Error + Send + Sync + 'static>(
        &self,
        name: &str,
        write: impl FnOnce(File) -> Result<(), E>,
    ) -> anyhow::Result<PathBuf> {
        let path = self.logs.join(format!("{name}.darshan"));
        if !path.exists() {
            let unfinished = path.with_extension("part");
            make(&unfinished, write).with_context(|| unfinished.display().to_string())?;
            std::fs::rename(&unfinished, &path)?;
        }
        Ok(path)
    }
}

fn make<E: std::error::Error + Send + Sync + 'static>(
    path: &Path,
    write: impl FnOnce(File) -> Result<(), E>,
) -> anyhow::Result<()> {
    Ok(write(File::create(path)?)?)
}

impl Row<'_> {
    fn lines(&self) -> String {
        let (peer, label) = match self.peer {
            Peer::Measured(cost) => (cost.cpu.as_secs_f64(), "peer"),
            Peer::Noted(cpu, _) => (cpu, "noted"),
        };
        let ratio = peer / self.ours.cpu.as_secs_f64();
        let ours = format!("{} {}", seconds(self.ours.cpu), megabytes(self.ours.peak));
        let peak = match self.peer {
            Peer::Measured(cost) => megabytes(cost.peak),
            Peer::Noted(_, peak) => format!("{peak:.0} MB"),
        };
        let peer = format!("{} {peak}", seconds(Duration::from_secs_f64(peer)));
        let (what, want, mark) = (self.what, self.want, mark(ratio >= self.want));
        format!("{what}: ours {ours}, {label} {peer}: {ratio:.1} times, want {want}{mark}\n")
    }

    fn memory(&self) -> String {
        let peak = match self.peer {
            Peer::Measured(cost) => cost.peak as f64,
            Peer::Noted(_, peak) => peak * 1e6,
        };
        let ratio = peak / self.ours.peak as f64;
        let (want, mark) = (self.want, mark(ratio >= self.want));
        format!("  memory: a {ratio:.1}th of the peer's, want a {want}th{mark}\n")
    }
}

pub(crate) fn mark(met: bool) -> &'static str {
    if met { "" } else { "  <-- NOT MET" }
}

pub(crate) fn seconds(time: Duration) -> String {
    match time.as_secs_f64() {
        time if time < 0.1 => format!("{:.2} ms", time * 1e3),
        time => format!("{time:.3} s"),
    }
}

pub(crate) fn megabytes(bytes: u64) -> String {
    format!("{:.1} MB", bytes as f64 / 1e6)
}
