//! Memory that recording takes, looked at from outside while the driver waits.
//!
//! Counted is the proportional set size; of a file that the process shares with others (a
//! recorder's capture) everything that is allocated, whether or not this process has it mapped in.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::{BufRead as _, BufReader, Write as _};
use std::os::unix::fs::MetadataExt as _;
use std::process::{Command, Stdio};

use anyhow::{Context as _, ensure};

use crate::driver::Bench;
use crate::limits::{self, mark};
use crate::variant::Variant::{self, Bare, Ours, OursTrace, Reference};

/// Bytes at one moment.
#[derive(Clone, Copy, Default)]
struct Memory {
    resident: f64,
    proportional: f64,
    /// Private memory and the whole of shared files.
    counted: f64,
}

/// Idle, with one file, with many.
pub(crate) fn section(bench: &Bench) -> anyhow::Result<String> {
    let variants = bench.possible(&[Bare, Ours, OursTrace, Reference]);
    let mut text = format!("{:<26} {:<11}", "memory added, KB", "under");
    text += "        RSS        PSS    counted   per file B\n";
    bench.many_files.set(true);
    for files in [1_000_u32, 10_000, 100_000] {
        let stages: Vec<_> = variants
            .iter()
            .map(|variant| stages(bench, *variant, files))
            .collect::<Result<_, _>>()?;
        for (stage, (name, _)) in stages[0].iter().enumerate() {
            for (variant, theirs) in variants.iter().zip(&stages).skip(1) {
                let (bare, idle) =
                    (stages[0][stage].1, theirs[0].1.counted - stages[0][0].1.counted);
                let memory = theirs[stage].1;
                let counted = memory.counted - bare.counted;
                let name = if stage == 2 { format!("{files} files") } else { name.clone() };
                write!(
                    text,
                    "{name:<26} {:<11} {:>+10.0} {:>+10.0} {:>+10.0}",
                    variant.label(),
                    (memory.resident - bare.resident) / 1e3,
                    (memory.proportional - bare.proportional) / 1e3,
                    counted / 1e3
                )?;
                let per_file = (counted - idle) / f64::from(files);
                let met = match stage {
                    0 => *variant != Ours || counted <= limits::IDLE,
                    2 => *variant != Ours || per_file <= limits::PER_FILE,
                    _ => true,
                };
                let per_file = if stage == 2 { format!("{per_file:.0}") } else { String::new() };
                writeln!(text, " {per_file:>12}{}", mark(met))?;
            }
        }
        std::fs::remove_dir_all(bench.place.tracked.join("many"))?;
    }
    bench.many_files.set(false);
    Ok(text)
}

/// Lets the driver go from stage to stage and looks at it in each.
fn stages(bench: &Bench, variant: Variant, files: u32) -> anyhow::Result<Vec<(String, Memory)>> {
    let words = bench.words(&["memory", &files.to_string()]);
    let mut command = Command::new("env");
    command.args(bench.settings(variant, &bench.fresh_log())).args(words);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
    let mut answer = child.stdin.take().context("no pipe")?;
    let stdout = BufReader::new(child.stdout.take().context("no pipe")?);
    let mut stages = Vec::new();
    for line in stdout.lines() {
        stages.push((line?, look_at(child.id())?));
        answer.write_all(b"\n")?;
    }
    ensure!(child.wait()?.success(), "{command:?} failed");
    Ok(stages)
}

fn look_at(process: u32) -> anyhow::Result<Memory> {
    let text = std::fs::read_to_string(format!("/proc/{process}/smaps"))?;
    let mut memory = Memory::default();
    let mut shared = BTreeMap::<&str, f64>::new();
    let mut mapped = None;
    for line in text.lines() {
        let mut words = line.split_whitespace();
        let (name, value) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
        if !name.ends_with(':') {
            let writable_shared = value.contains('w') && value.ends_with('s');
            mapped = words.nth(3).filter(|path| writable_shared && path.starts_with('/'));
        } else if name == "Rss:" {
            memory.resident += value.parse::<f64>()? * 1024.0;
        } else if name == "Pss:" {
            let bytes = value.parse::<f64>()? * 1024.0;
            memory.proportional += bytes;
            match mapped {
                Some(path) => *shared.entry(path).or_default() += bytes,
                None => memory.counted += bytes,
            }
        }
    }
    for (path, resident) in shared {
        let allocated = std::fs::metadata(path).map_or(0.0, |file| file.blocks() as f64 * 512.0);
        memory.counted += allocated.max(resident);
    }
    Ok(memory)
}
