//! `ioglass tune --health-check`: how even runs of the kernels are here, and what helps them.

use std::ffi::OsString;
use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::AtomicBool;

use ioglass_job::trial::{Over, Trial, TrialEnd, Trials, catch_interrupts, interrupt};
use ioglass_tune::paired::median;
use ioglass_tune::tuning::Budget;
use serde_json::Value;

use super::trial::new_id;
use crate::cli::Tune;
use crate::failure::{Failure, Message};
use crate::motifs;

/// Kernels with sizes that take some tenths of a second.
const KERNELS: [&[&str]; 3] =
    [&["vpic", "--particles", "1048576"], &["vorpal"], &["gcrm", "--resolution", "6"]];
/// Runs of each.
const RUNS: usize = 5;
/// Lines of a failure that are told.
const LINES: usize = 20;
/// Runs of the search for what helps a kernel.
const BUDGET: u64 = 16;

/// Runs the kernels behind the words of the command, which may be a launcher.
pub(super) fn run(args: &Tune) -> Result<ExitCode, Failure> {
    let work = args.work.clone().unwrap_or_else(|| ".ioglass-tune".into());
    let folder = work.join("health-check");
    let stop = catch_interrupts();
    let folder = std::path::absolute(folder).map_err(anyhow::Error::new)?;
    let trials = Trials::new(&new_id(), vec![folder.clone()]);
    std::fs::create_dir_all(&folder)
        .map_err(|error| Failure::cannot_write(&folder, &error.into()))?;
    let program = std::env::current_exe().map_err(anyhow::Error::new)?;
    let told = check(args, &Runs { trials, folder: &folder, program: &program, stop });
    // The guard of the trials has removed what was in it; others may use the rest.
    let _ = std::fs::remove_dir(&work);
    match told {
        Err(_) if interrupt().is_some() => Ok(super::interrupted()),
        told => told,
    }
}

/// What runs the kernels.
struct Runs<'a> {
    trials: Trials,
    /// Everything that they write.
    folder: &'a Path,
    program: &'a Path,
    stop: &'a AtomicBool,
}

impl Runs<'_> {
    fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    /// An option with a file in the folder.
    fn option(&self, option: &str, name: &str) -> OsString {
        let mut word = OsString::from(option);
        word.push(self.path(name));
        word
    }

    /// Runs ioglass with these arguments. Returns how it ended, what it wrote to standard output, and its
    /// last lines on standard error.
    fn run(&self, arguments: Vec<OsString>) -> Result<(TrialEnd, String, Vec<String>), Failure> {
        let (output, errors) = (self.path("output"), self.path("errors"));
        let file = |path: &Path| File::create(path).map_err(anyhow::Error::new);
        let mut words = vec![self.program.into()];
        words.extend(arguments);
        let trial = Trial {
            words: &words,
            variables: &[],
            output: &file(&output)?,
            errors: &file(&errors)?,
            limit: None,
        };
        let end = self.trials.run(&trial, self.stop).map_err(anyhow::Error::new)?;
        if end.over == Some(Over::Stopped) {
            return Err(Failure::Own(anyhow::anyhow!("it was ended")));
        }
        let text = |path: &Path| {
            std::fs::read(path).map(|text| String::from_utf8_lossy(&text).into_owned())
        };
        let lines = text(&errors).unwrap_or_default();
        let lines = lines.lines().take(LINES).map(str::to_owned).collect();
        Ok((end, text(&output).unwrap_or_default(), lines))
    }
}

fn check(args: &Tune, runs: &Runs<'_>) -> Result<ExitCode, Failure> {
    let program = runs.program;
    let mut kernels = Vec::new();
    for words in KERNELS {
        let name = words[0];
        let command = kernel(args, program, words);
        let mut seconds = Vec::new();
        for _ in 0..RUNS {
            progress(args, &format!("{name}: run {} of {RUNS}", seconds.len() + 1));
            seconds.push(once(runs, &command, name)?);
        }
        let (low, high) = seconds
            .iter()
            .fold((f64::MAX, 0.0_f64), |(low, high), one| (low.min(*one), high.max(*one)));
        progress(args, &format!("{name}: what helps it"));
        let gain = helped(args, runs, &command)?;
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
fn once(runs: &Runs<'_>, command: &[OsString], name: &str) -> Result<f64, Failure> {
    let mut words: Vec<OsString> = vec!["run".into(), "--no-report".into(), "-o".into()];
    words.extend([
        runs.path("run.darshan").into(),
        runs.option("--json=", "report.json"),
        "--".into(),
    ]);
    words.extend(command.iter().cloned());
    words.extend(["--file".into(), runs.path("kernel.h5").into()]);
    let (end, _, lines) = runs.run(words)?;
    let text = std::fs::read_to_string(runs.path("report.json")).unwrap_or_default();
    let report: Value = serde_json::from_str(&text).unwrap_or_default();
    match report["budget"]["io_seconds"].as_f64() {
        Some(seconds) if end.ended.code() == 0 => Ok(seconds),
        _ => {
            let message = Message::new(format!("the kernel {name} fails"));
            let message = lines.into_iter().fold(message, Message::evidence);
            let help = "ioglass tune --health-check -- mpirun -n 2".to_owned();
            Err(Failure::bad_input(message.help(help, "runs kernels behind a launcher")))
        }
    }
}

/// Tunes a kernel, which adds a gain to the store. Returns the result.
fn helped(args: &Tune, runs: &Runs<'_>, command: &[OsString]) -> Result<Value, Failure> {
    let budget = match args.budget {
        Some(Budget::Runs(runs)) => runs.to_string(),
        Some(Budget::Seconds(seconds)) => format!("{seconds}s"),
        None => BUDGET.to_string(),
    };
    let mut words: Vec<OsString> = ["tune", "--quiet", "--restart", "--json", "--budget", &budget]
        .iter()
        .map(OsString::from)
        .collect();
    words.extend(["--confirm".into(), args.confirm.to_string().into()]);
    words.extend(["--journal".into(), runs.path("tune.jsonl").into()]);
    words.extend([
        "-o".into(),
        runs.path("best.toml").into(),
        "--work".into(),
        runs.path("work").into(),
    ]);
    if let Some(store) = &args.motifs {
        let store: PathBuf = std::path::absolute(store).map_err(anyhow::Error::new)?;
        words.extend(["--motifs".into(), store.into()]);
    }
    words.push("--".into());
    words.extend(command.iter().cloned());
    words.extend(["--file".into(), "{trial_dir}/kernel.h5".into()]);
    let (_, output, lines) = runs.run(words)?;
    serde_json::from_str(&output).map_err(|_| {
        let message = Message::new("a kernel cannot be tuned".into());
        Failure::bad_input(lines.into_iter().fold(message, Message::evidence))
    })
}

fn progress(args: &Tune, text: &str) {
    if !args.quiet {
        super::live::say(&format!("ioglass: {text}"));
    }
}
