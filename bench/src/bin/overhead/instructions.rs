//! Instructions added to a call. They do not depend on what else the machine does.

use std::fmt::Write as _;
use std::process::{Command, Stdio};

use anyhow::{Context as _, ensure};

use crate::driver::Bench;
use crate::variant::Variant::{self, Bare, Off, Ours, OursTrace, Reference};

const CALLS: [&str; 15] = [
    "pwrite 64 B",
    "read 64 B",
    "lseek",
    "open+close",
    "untracked pwrite",
    "fwrite 64 B",
    "fread 64 B",
    "fscanf",
    "getc",
    "putc",
    "fopen+fclose",
    "failed stat",
    "access",
    "unlink",
    "readdir",
];
const COUNT: u32 = 8192;

/// Counted by callgrind inside the loop of calls, and nowhere else.
pub(crate) fn section(bench: &Bench) -> anyhow::Result<String> {
    if Command::new("valgrind").arg("--version").stdout(Stdio::null()).status().is_err() {
        return Ok("instructions: not counted, valgrind is not installed\n".to_owned());
    }
    let variants = bench.possible(&[Bare, Off, Ours, OursTrace, Reference]);
    let mut text = format!("{:<30} {:>8}", "added instructions per call", "bare");
    for variant in &variants[1..] {
        write!(text, " {:>11}", variant.label())?;
    }
    text.push('\n');
    for call in CALLS {
        let bare = count(bench, Bare, call)?;
        write!(text, "{call:<30} {bare:>8.0}")?;
        for variant in &variants[1..] {
            write!(text, " {:>+11.0}", count(bench, *variant, call)? - bare)?;
        }
        text.push('\n');
    }
    Ok(text)
}

fn count(bench: &Bench, variant: Variant, call: &str) -> anyhow::Result<f64> {
    let profile = bench.place.work.join("callgrind");
    let mut command = Command::new("env");
    command
        .args(bench.settings(variant, &bench.fresh_log()))
        // Valgrind starts by exec, at which the reference leaves a file behind.
        .env("DARSHAN_MMAP_LOGPATH", &bench.place.work)
        .args(["valgrind", "--tool=callgrind", "--collect-atstart=no", "--toggle-collect=timed"])
        .arg(format!("--callgrind-out-file={}", profile.display()))
        .args(bench.words(&["count", call, &COUNT.to_string()]))
        .stderr(Stdio::null());
    ensure!(command.status()?.success(), "{command:?} failed");
    let text = std::fs::read_to_string(&profile)?;
    let total = text.lines().find_map(|line| line.strip_prefix("totals: "));
    let total: f64 = total.context("callgrind counted nothing")?.trim().parse()?;
    Ok(total / f64::from(COUNT))
}
