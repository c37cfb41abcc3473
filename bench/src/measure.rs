//! What a process costs: CPU time and peak memory, as the kernel accounts them.
//!
//! The kernel sums over all children a process has waited for. So each command is run by a
//! process of its own, which is this program again, and that one has no other child.

use std::ffi::{OsStr, OsString};
use std::io::{self, Read as _};
use std::process::{Command, Stdio};
use std::time::Duration;

use anyhow::{Context as _, ensure};
use nix::sys::resource::{Usage, UsageWho, getrusage};
use nix::sys::time::TimeValLike as _;

/// First argument of the process that runs one command.
pub(crate) const MEASURE: &str = "measure";

/// What one run cost.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Cost {
    /// Time on a CPU, in the program and in the kernel for it.
    pub(crate) cpu: Duration,
    /// Most memory at any moment, in bytes.
    pub(crate) peak: u64,
}

/// A program with its arguments.
#[derive(Debug, Clone)]
pub(crate) struct Program {
    words: Vec<OsString>,
}

impl Program {
    /// The program `name`, run with `args`.
    pub(crate) fn new<A: AsRef<OsStr>>(
        name: impl AsRef<OsStr>,
        args: impl IntoIterator<Item = A>,
    ) -> Self {
        let args = args.into_iter().map(|arg| arg.as_ref().to_owned());
        Self { words: [name.as_ref().to_owned()].into_iter().chain(args).collect() }
    }

    /// Runs it once; what it prints is thrown away.
    pub(crate) fn measure(&self) -> anyhow::Result<Cost> {
        let output = Command::new(std::env::current_exe()?)
            .arg(MEASURE)
            .args(&self.words)
            .stderr(Stdio::inherit())
            .output()?;
        ensure!(output.status.success(), "{self} failed");
        let text = String::from_utf8(output.stdout)?;
        let (nanos, peak) = text.trim().split_once(' ').context("no figures")?;
        Ok(Cost { cpu: Duration::from_nanos(nanos.parse()?), peak: peak.parse()? })
    }

    /// Runs it once and counts the bytes it prints.
    pub(crate) fn text_size(&self) -> anyhow::Result<u64> {
        let mut child = self.command().stdout(Stdio::piped()).spawn()?;
        let mut stdout = child.stdout.take().context("no pipe")?;
        let mut buffer = vec![0; 1 << 16];
        let mut size = 0;
        loop {
            match stdout.read(&mut buffer)? {
                0 => break,
                count => size += count as u64,
            }
        }
        ensure!(child.wait()?.success(), "{self} failed");
        Ok(size)
    }

    fn command(&self) -> Command {
        let mut command = Command::new(&self.words[0]);
        command.args(&self.words[1..]).stdin(Stdio::null()).stderr(Stdio::null());
        command
    }
}

impl std::fmt::Display for Program {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let words: Vec<_> = self.words.iter().map(|word| word.to_string_lossy()).collect();
        f.write_str(&words.join(" "))
    }
}

/// Runs the command in `words` and prints what it cost, for [`Program::measure`].
pub(crate) fn run_one(
    words: impl Iterator<Item = OsString>,
    out: &mut dyn io::Write,
) -> anyhow::Result<()> {
    let program = Program { words: words.collect() };
    ensure!(!program.words.is_empty(), "nothing to measure");
    let status = program.command().stdout(Stdio::null()).status();
    ensure!(status.with_context(|| program.to_string())?.success(), "it did not succeed");
    let usage = getrusage(UsageWho::RUSAGE_CHILDREN)?;
    writeln!(out, "{} {}", cpu_nanos(&usage), usage.max_rss() * 1024)?;
    Ok(())
}

fn cpu_nanos(usage: &Usage) -> i64 {
    (usage.user_time() + usage.system_time()).num_nanoseconds()
}

/// Runs several programs in turn, `runs` times each, so that what disturbs the machine disturbs
/// them alike.
pub(crate) fn interleaved(programs: &[Program], runs: usize) -> anyhow::Result<Vec<Vec<Cost>>> {
    let mut costs = vec![Vec::with_capacity(runs); programs.len()];
    for _ in 0..runs {
        for (program, costs) in programs.iter().zip(&mut costs) {
            costs.push(program.measure()?);
        }
    }
    Ok(costs)
}

/// The least CPU time and the least peak of several runs.
pub(crate) fn least(costs: &[Cost]) -> Cost {
    Cost {
        cpu: costs.iter().map(|cost| cost.cpu).min().unwrap_or_default(),
        peak: costs.iter().map(|cost| cost.peak).min().unwrap_or_default(),
    }
}

/// The CPU time and peak that half of the runs stay under.
pub(crate) fn median(costs: &[Cost]) -> Cost {
    let mut cpu: Vec<_> = costs.iter().map(|cost| cost.cpu).collect();
    let mut peak: Vec<_> = costs.iter().map(|cost| cost.peak).collect();
    cpu.sort();
    peak.sort();
    Cost { cpu: cpu[costs.len() / 2], peak: peak[costs.len() / 2] }
}
