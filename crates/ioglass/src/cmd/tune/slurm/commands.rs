//! The commands of Slurm. What they print for people is never shown, unless it says why something fails.

use std::ffi::{OsStr, OsString};
use std::io::{self, Read, Write};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// The commands that are needed.
const NEEDED: [&str; 3] = ["sbatch", "squeue", "scancel"];
/// Variables that a job inside another one must not inherit begin so; those that say where Slurm is are kept.
const OTHERS: [&str; 3] = ["SLURM", "SQUEUE_", "SCANCEL_"];
const KEPT: [&str; 2] = ["SLURM_CONF", "SLURM_CLUSTERS"];
/// The longest time that a command may take.
const LONGEST: Duration = Duration::from_secs(60);
/// Pause before the next look whether a command has ended.
const PAUSE: Duration = Duration::from_millis(5);
/// Lines of a command that failed that are told.
const LINES: usize = 5;

/// Slurm, by its commands.
#[derive(Debug, Default)]
pub(super) struct Slurm {
    /// Arguments for sbatch.
    arguments: Vec<OsString>,
    /// The cluster, if sbatch has named one.
    cluster: Option<String>,
}

/// A job that is to be submitted.
#[derive(Debug, Clone, Copy)]
pub(super) struct Submission<'b> {
    pub(super) name: &'b str,
    pub(super) folder: &'b Path,
    pub(super) script: &'b [u8],
    /// The name of the file in the folder that gets what Slurm itself says of it.
    pub(super) output: &'b str,
}

/// A job as the queue has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Listed {
    pub(super) number: String,
    pub(super) name: String,
    pub(super) state: State,
    /// The word of Slurm for its state.
    pub(super) word: String,
    /// Why it waits.
    pub(super) reason: String,
}

/// The state of a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum State {
    Waits,
    Runs,
    Over,
}

/// A command could not do its work.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Refused {
    /// The controller does not answer; it may later.
    pub(super) is_away: bool,
    /// The last lines of the command.
    pub(super) lines: String,
}

/// The first command of Slurm that is not there.
pub(super) fn missing() -> Option<&'static str> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders: Vec<_> = std::env::split_paths(&path).collect();
    NEEDED.into_iter().find(|name| !folders.iter().any(|folder| folder.join(name).is_file()))
}

impl Slurm {
    /// With these arguments for sbatch.
    pub(super) fn new(arguments: Vec<OsString>) -> Slurm {
        Slurm { arguments, cluster: None }
    }

    /// Submits a job. Returns its number.
    pub(super) fn submit(&mut self, job: &Submission<'_>) -> Result<String, Refused> {
        let mut command = command("sbatch");
        command.args(&self.arguments);
        // What stands last counts.
        command.args(["--parsable", "--no-requeue", "--open-mode=append", "--input=/dev/null"]);
        command.arg(format!("--job-name={}", job.name));
        command.arg(with("--chdir=", job.folder.as_os_str()));
        // Some signs of a path stand for something else there.
        let is_odd =
            job.folder.as_os_str().as_encoded_bytes().iter().any(|byte| b"%\\".contains(byte));
        let output = if is_odd { "/dev/null" } else { job.output };
        command.arg(format!("--output={output}")).arg(format!("--error={output}"));
        let text = self.output(command, job.script)?;
        let line = text.lines().last().unwrap_or_default().trim();
        let (number, cluster) = match line.split_once(';') {
            Some((number, cluster)) => (number, Some(cluster.to_owned())),
            None => (line, None),
        };
        if number.is_empty() || !number.bytes().all(|byte| byte.is_ascii_digit()) {
            let lines = format!("sbatch printed {line:?}, which is no number of a job");
            return Err(Refused { is_away: false, lines });
        }
        self.cluster = cluster.or_else(|| self.cluster.take());
        Ok(number.to_owned())
    }

    /// The jobs with these names that Slurm still knows.
    pub(super) fn list(&self, names: &[&str]) -> Result<Vec<Listed>, Refused> {
        let mut command = command("squeue");
        command.args(["--noheader", "--states=all", "--format=%A|%T|%j|%r"]);
        command.arg(format!("--user={}", nix::unistd::getuid()));
        command.arg(format!("--name={}", names.join(",")));
        command.args(self.clusters());
        let text = self.output(command, &[])?;
        // Who asks another cluster gets a title, too.
        Ok(text.lines().filter_map(listed).collect())
    }

    /// Cancels a job: by its name, which nobody else has, and its number if that is known.
    pub(super) fn cancel(&self, name: &str, number: Option<&str>) -> Result<(), Refused> {
        let mut command = command("scancel");
        command.arg("--quiet").arg(format!("--name={name}"));
        command.args(self.clusters()).args(number);
        self.output(command, &[]).map(drop)
    }

    fn clusters(&self) -> Option<String> {
        self.cluster.as_ref().map(|cluster| format!("--clusters={cluster}"))
    }

    /// Runs a command. Returns what it prints.
    fn output(&self, mut command: Command, input: &[u8]) -> Result<String, Refused> {
        let ended = command
            .stdin(if input.is_empty() { Stdio::null() } else { Stdio::piped() })
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .and_then(|child| finished(child, input));
        let (is_fine, out, lines) = match ended {
            Ok(ended) => ended,
            Err(error) => {
                let name = command.get_program().to_string_lossy().into_owned();
                let is_away = error.kind() == io::ErrorKind::TimedOut;
                return Err(Refused { is_away, lines: format!("{name}: {error}") });
            }
        };
        if is_fine {
            return Ok(out);
        }
        Err(Refused { is_away: !self.answers(), lines: last(&lines) })
    }

    /// The controller answers.
    fn answers(&self) -> bool {
        let mut command = command("scontrol");
        command.arg("ping").args(self.clusters());
        let child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        // Without scontrol it cannot be told.
        child.spawn().and_then(|child| finished(child, &[])).is_ok_and(|(is_fine, ..)| is_fine)
    }
}

/// A command of Slurm. Ctrl-C does not reach it, and it knows nothing of a job around this process.
fn command(name: &str) -> Command {
    let mut command = Command::new(name);
    for (name, _) in std::env::vars_os() {
        if is_of_another_job(&name) {
            command.env_remove(name);
        }
    }
    command.process_group(0);
    command
}

fn is_of_another_job(name: &OsStr) -> bool {
    let begins = |start: &&str| name.as_encoded_bytes().starts_with(start.as_bytes());
    OTHERS.iter().any(begins) && !KEPT.iter().any(|kept| name == *kept)
}

/// Waits for the end of a command. Returns whether its status is 0, and what it printed on standard output
/// and standard error.
fn finished(mut child: Child, input: &[u8]) -> io::Result<(bool, String, String)> {
    if let Some(mut stdin) = child.stdin.take() {
        // A command that does not read says why.
        let _ = stdin.write_all(input);
    }
    let begin = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait()? {
            break status;
        }
        if begin.elapsed() > LONGEST {
            child.kill()?;
            child.wait()?;
            return Err(io::Error::new(io::ErrorKind::TimedOut, "it does not end"));
        }
        std::thread::sleep(PAUSE);
    };
    let text = |from: Option<&mut dyn Read>| {
        let mut bytes = Vec::new();
        if let Some(from) = from {
            // What cannot be read was not printed.
            let _ = from.read_to_end(&mut bytes);
        }
        String::from_utf8_lossy(&bytes).into_owned()
    };
    let out = text(child.stdout.as_mut().map(|out| out as &mut dyn Read));
    let lines = text(child.stderr.as_mut().map(|lines| lines as &mut dyn Read));
    Ok((status.success(), out, lines))
}

/// The last lines.
fn last(text: &str) -> String {
    let lines: Vec<String> = text.lines().map(ioglass_report::text::clean).collect();
    lines[lines.len().saturating_sub(LINES)..].join("\n")
}

/// A line of squeue.
fn listed(line: &str) -> Option<Listed> {
    let mut parts = line.split('|');
    let (number, word) = (parts.next()?.trim(), parts.next()?);
    let name = parts.next()?;
    let state = match word {
        "PENDING" | "CONFIGURING" | "REQUEUED" | "REQUEUE_HOLD" | "REQUEUE_FED"
        | "RESV_DEL_HOLD" | "SPECIAL_EXIT" => State::Waits,
        "COMPLETED" | "FAILED" | "CANCELLED" | "TIMEOUT" | "NODE_FAIL" | "OUT_OF_MEMORY"
        | "BOOT_FAIL" | "DEADLINE" | "PREEMPTED" | "REVOKED" => State::Over,
        _ => State::Runs,
    };
    let reason = parts.next().unwrap_or_default().trim().to_owned();
    let [number, name, word] = [number, name, word].map(str::to_owned);
    Some(Listed { number, name, state, word, reason })
}

/// The words of a text, as a shell parts them: by blanks, with quotes and backslashes.
pub(super) fn words(text: &str) -> Result<Vec<OsString>, &'static str> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut letters = text.chars();
    while let Some(letter) = letters.next() {
        match letter {
            ' ' | '\t' | '\n' => words.extend(word.take().map(OsString::from)),
            '\'' | '"' => {
                let word = word.get_or_insert_default();
                loop {
                    match letters.next() {
                        Some(end) if end == letter => break,
                        Some('\\') if letter == '"' => word.extend(letters.next()),
                        Some(inside) => word.push(inside),
                        None => return Err("a quote has no end"),
                    }
                }
            }
            '\\' => match letters.next() {
                Some(next) => word.get_or_insert_default().push(next),
                None => return Err("nothing follows the last backslash"),
            },
            other => word.get_or_insert_default().push(other),
        }
    }
    words.extend(word.map(OsString::from));
    Ok(words)
}

/// An option with a value that may be no text.
fn with(option: &str, value: &OsStr) -> OsString {
    let mut word = OsString::from(option);
    word.push(value);
    word
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_those_of_a_shell() {
        let parted = |text: &str| {
            let words = words(text)?;
            Ok::<_, &str>(words.into_iter().map(|word| word.into_string().unwrap()).collect())
        };
        let all: Vec<String> = parted(" -p 'big mem'  --comment=\"a \\\" b\" x\\ y '' ").unwrap();
        assert_eq!(all, ["-p", "big mem", "--comment=a \" b", "x y", ""]);
        assert_eq!(parted(""), Ok(Vec::<String>::new()));
        assert!(parted("'a").is_err() && parted("a\\").is_err());
    }

    #[test]
    fn states_of_the_queue() {
        let state = |line: &str| listed(line).map(|one| one.state);
        assert_eq!(state("12|PENDING|a|Resources"), Some(State::Waits));
        assert_eq!(state("12|COMPLETING|a|None"), Some(State::Runs));
        assert_eq!(state("12|NODE_FAIL|a|None"), Some(State::Over));
        assert_eq!(state("CLUSTER: big"), None);
        let one = listed("12|PENDING|a|Resources").unwrap();
        assert_eq!((&*one.number, &*one.name, &*one.reason), ("12", "a", "Resources"));
    }

    #[test]
    fn variables_of_another_job_are_left_out() {
        for name in ["SLURM_JOB_ID", "SLURM_MEM_PER_CPU", "SLURMD_NODENAME", "SQUEUE_STATES"] {
            assert!(is_of_another_job(OsStr::new(name)), "{name}");
        }
        for name in ["SLURM_CONF", "SLURM_CLUSTERS", "SBATCH_PARTITION", "PATH"] {
            assert!(!is_of_another_job(OsStr::new(name)), "{name}");
        }
    }
}
