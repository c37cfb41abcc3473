//! What snapshots take: CPU time of `ioglass run` with them and without.

use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

use anyhow::ensure;
use ioglass_profile::{Reader, State};
use nix::sys::wait::{Id, WaitPidFlag, waitid};
use nix::time::{ClockId, clock_gettime};
use nix::unistd::Pid;

use ioglass_bench::{cpu, table::Table};

use crate::{Bench, flush};

const RANKS: u32 = 8;
/// Seconds for which ranks compute, and between two snapshots.
const SECONDS: u32 = 20;
const PERIOD: &str = "1";

/// CPU seconds of the command, and of it with all ranks.
fn run(bench: &Bench, driver: &Path, has_snapshots: bool) -> anyhow::Result<[f64; 2]> {
    let profile = bench.folder.join("snapshot.ioprof");
    // It is not there the first time.
    drop(std::fs::remove_file(&profile));
    let mut command = Command::new(&bench.ioglass);
    command.args(["run", "--no-report", "--no-record", "--profile"]).arg(&profile);
    if has_snapshots {
        command.args(["--snapshot", PERIOD]);
    }
    command.arg("--").args(flush::launcher(RANKS)).arg(driver);
    command.args(["compute", &SECONDS.to_string()]).current_dir(&bench.folder);
    let before = cpu()?;
    let mut child = command.stdout(Stdio::null()).spawn()?;
    // Halfway through, the profile must be a snapshot.
    thread::sleep(Duration::from_secs(u64::from(SECONDS) / 2));
    let state = Reader::open(&profile).ok().map(|reader| reader.profile().head.state);
    let pid = Pid::from_raw(child.id().try_into()?);
    // The command has ended, and its clock can still be read.
    waitid(Id::Pid(pid), WaitPidFlag::WEXITED | WaitPidFlag::WNOWAIT)?;
    let own = clock_gettime(ClockId::pid_cpu_clock_id(pid)?)?;
    ensure!(child.wait()?.success(), "{command:?}");
    let is_running = state == Some(State::Running);
    ensure!(is_running == has_snapshots, "the profile halfway: {state:?}");
    let own = Duration::from(own).as_secs_f64();
    Ok([own, cpu()? - before])
}

pub(crate) fn measure(bench: &Bench, table: &mut Table) -> anyhow::Result<()> {
    let driver = flush::compile(bench)?;
    let (mut with, mut without, mut shares) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..bench.runs {
        let [own, _] = run(bench, &driver, false)?;
        let [own_with, all] = run(bench, &driver, true)?;
        without.push(own * 1e3);
        with.push(own_with * 1e3);
        shares.push((own_with - own) / all * 100.0);
    }
    let of = |list: Vec<f64>| flush::median(list);
    let what = format!("`run --snapshot {PERIOD}`, {RANKS} ranks in {SECONDS} s: share of all CPU");
    table.at_most(&what, of(shares), 0.1, "%", String::new());
    let (with, without) = (of(with), of(without));
    table.note("… CPU of `run`; without snapshots", format!("{with:.1} ms; {without:.1} ms"));
    // Ranks that share processors have less CPU time.
    let seconds = f64::from(RANKS * SECONDS);
    let share = format!("{:.3} %", (with - without) / seconds / 10.0);
    table.note(&format!("… of {seconds} s, if each rank had a processor"), share);
    Ok(())
}
