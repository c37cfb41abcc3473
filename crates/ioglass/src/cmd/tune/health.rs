//! `ioglass tune --health-check`: how even runs of the kernels are here, and what helps them.

use std::ffi::OsString;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};

use ioglass_tune::paired::median;
use ioglass_tune::tuning::Budget;
use serde_json::Value;

use crate::cli::Tune;
use crate::failure::{Failure, Message};
use crate::motifs;

/// Kernels with sizes that take some tenths of a second.
const KERNELS: [&[&str]; 3] =
    [&["vpic", "--particles", "1048576"], &["vorpal"], &["gcrm", "--resolution", "6"]];
/// Runs of each.
const RUNS: usize = 5;
/// Runs of the search for what helps a kernel.
const BUDGET: u64 = 16;

/// Runs the kernels behind the words of the command, which may be a launcher.
pub(super) fn run(args: &Tune) -> Result<ExitCode, Failure> {
    let work = args.work.clone().unwrap_or_else(|| ".ioglass-tune".into());
    let folder = work.join("health-check");
    std::fs::create_dir_all(&folder)
        .map_err(|error| Failure::cannot_write(&folder, &error.into()))?;
    let told = check(args, &folder);
    // What is left of it does no harm.
    let _ = std::fs::remove_dir_all(&folder).and_then(|()| std::fs::remove_dir(&work));
    told
}

fn check(args: &Tune, folder: &Path) -> Result<ExitCode, Failure> {
    let program = std::env::current_exe().map_err(anyhow::Error::new)?;
    let mut kernels = Vec::new();
    for words in KERNELS {
        let name = words[0];
        let command = kernel(args, &program, words);
        let mut seconds = Vec::new();
        for _ in 0..RUNS {
            progress(args, &format!("{name}: run {} of {RUNS}", seconds.len() + 1));
            seconds.push(once(&program, &command, folder, name)?);
        }
        let (low, high) = seconds
            .iter()
            .fold((f64::MAX, 0.0_f64), |(low, high), one| (low.min(*one), high.max(*one)));
        progress(args, &format!("{name}: what helps it"));
        let gain = helped(args, &program, &command, folder)?;
        let spread = (high / low.max(1e-9) - 1.0) * 100.0;
        if args.json.is_none() {
            let gain = gain["speedup"]["median"].as_f64().filter(|_| gain["state"] == "gain");
            let gain = gain.map_or("nothing to gain".into(), |gain| format!("{gain:.2}× faster"));
            writeln!(
                anstream::stdout(),
                "{name:<8} {:>8.3} s   {low:.3} to {high:.3}, {spread:.0} % apart   {gain}",
                median(&seconds),
            )?;
        }
        kernels.push(serde_json::json!({
            "kernel": name, "median": median(&seconds), "low": low, "high": high, "runs": RUNS,
            "state": gain["state"], "settings": gain["tuned"]["settings"], "speedup": gain["speedup"],
        }));
    }
    let store = args.motifs.clone().or_else(motifs::usual);
    let store = store.map(|path| path.display().to_string());
    match &args.json {
        Some(file) => {
            let document = serde_json::json!({
                "schema": "ioglass.health/1", "kernels": kernels, "motifs": store,
            });
            let text = format!("{document:#}\n");
            match file {
                Some(path) => super::best::replace(path, &text)?,
                None => anstream::stdout().write_all(text.as_bytes())?,
            }
        }
        None => {
            if let Some(store) = store.filter(|store| Path::new(store).exists()) {
                writeln!(anstream::stdout(), "what helps is in {store}, for ioglass run --auto")?;
            }
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// A kernel, behind the words of the command.
fn kernel(args: &Tune, program: &Path, words: &[&str]) -> Vec<OsString> {
    let mut command = args.command.clone();
    command.extend([program.into(), "kernel".into()]);
    command.extend(words.iter().map(OsString::from));
    command
}

/// Seconds of I/O of one run.
fn once(program: &Path, command: &[OsString], folder: &Path, name: &str) -> Result<f64, Failure> {
    let report = folder.join("report.json");
    let mut run = Command::new(program);
    run.args(["run", "--no-report", "-o", "run.darshan", "--json=report.json", "--"]);
    run.args(command).args(["--file", "kernel.h5"]).current_dir(folder);
    let output = run.stdin(Stdio::null()).output().map_err(anyhow::Error::new)?;
    let text = std::fs::read_to_string(&report).unwrap_or_default();
    let report: Value = serde_json::from_str(&text).unwrap_or_default();
    match report["budget"]["io_seconds"].as_f64() {
        Some(seconds) if output.status.success() => Ok(seconds),
        _ => {
            let lines = String::from_utf8_lossy(&output.stderr).into_owned();
            let message = Message::new(format!("the kernel {name} fails"));
            let message = lines.lines().take(20).fold(message, Message::evidence);
            let help = "ioglass tune --health-check -- mpirun -n 2".to_owned();
            Err(Failure::bad_input(message.help(help, "runs kernels behind a launcher")))
        }
    }
}

/// Tunes a kernel, which adds a gain to the store. Returns the result.
fn helped(
    args: &Tune,
    program: &Path,
    command: &[OsString],
    folder: &Path,
) -> Result<Value, Failure> {
    let mut tune = Command::new(program);
    let budget = match args.budget {
        Some(Budget::Runs(runs)) => runs.to_string(),
        Some(Budget::Seconds(seconds)) => format!("{seconds}s"),
        None => BUDGET.to_string(),
    };
    tune.args(["tune", "--quiet", "--restart", "--json", "--budget", &budget]);
    tune.args(["--confirm", &args.confirm.to_string()]);
    if let Some(store) = &args.motifs {
        let store: PathBuf = std::path::absolute(store).map_err(anyhow::Error::new)?;
        tune.arg("--motifs").arg(store);
    }
    tune.arg("--").args(command).args(["--file", "{trial_dir}/kernel.h5"]).current_dir(folder);
    let output = tune.stdin(Stdio::null()).output().map_err(anyhow::Error::new)?;
    serde_json::from_slice(&output.stdout).map_err(|_| {
        let lines = String::from_utf8_lossy(&output.stderr).into_owned();
        let message = Message::new("a kernel cannot be tuned".into());
        Failure::bad_input(lines.lines().take(20).fold(message, Message::evidence))
    })
}

fn progress(args: &Tune, text: &str) {
    if !args.quiet {
        super::live::say(&format!("ioglass: {text}"));
    }
}
