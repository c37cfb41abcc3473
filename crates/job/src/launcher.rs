//! The launch that this process is part of, as in `mpirun -n 4 ioglass run -- …`.

use std::env;
use std::fs;

use ioglass_recorder::settings::{Launcher, launched};

/// The launch that this process is part of.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Launch {
    /// The rank of this process.
    pub rank: u32,
    /// Number of ranks, on all nodes.
    pub ranks: u32,
    /// Number of ranks on this node, if the launcher gives it.
    pub here: Option<usize>,
    /// Text that is the same for all processes of the launch on all nodes, if the launcher gives one.
    key: Option<String>,
    /// Text that is the same for all processes of the launch on this node.
    node_key: String,
    /// The process whose standard error the user sees.
    pub(crate) launcher: Option<u32>,
}

impl Launch {
    /// The launch that the environment describes; `None` for a process that was started alone.
    pub fn detect() -> Option<Self> {
        let (launcher, world) = launched(|name| env::var(name).ok()?.trim().parse().ok())?;
        // A single rank has nobody to share a log with.
        if world.ranks < 2 {
            return None;
        }
        let key = key(launcher);
        let node = key.clone().unwrap_or_else(parent);
        let node_key = format!("{} {} {node}", host(), world.ranks);
        let here = launcher.here.and_then(|name| env::var(name).ok()?.trim().parse().ok());
        let launcher = launcher_of(launcher.rank);
        Some(Self { rank: world.rank, ranks: world.ranks, here, key, node_key, launcher })
    }

    /// A name for the ranks of the launch on this node that write to the same log.
    pub(crate) fn name_here(&self, log: &[u8]) -> String {
        name(&[self.node_key.as_bytes(), log])
    }

    /// A name for the launch on all nodes; made from the command if the launcher gives none.
    pub(crate) fn name_everywhere(&self, command: &[u8]) -> String {
        let key = self.key.as_ref().map_or(command, |key| key.as_bytes());
        name(&[key, &self.ranks.to_le_bytes()])
    }

    /// A job number that is the same on all nodes, for jobs without a scheduler.
    pub(crate) fn number(&self, command: &[u8]) -> i64 {
        // The longest is most likely the launcher's own: numbers in host names are short.
        let digits = |key: &String| {
            let numbers = key.split(|c: char| !c.is_ascii_digit()).rev();
            numbers.max_by_key(|digits| digits.len())?.parse::<i64>().ok()
        };
        let hash = || u64::from_str_radix(&self.name_everywhere(command), 16).unwrap_or(0);
        self.key.as_ref().and_then(digits).unwrap_or_else(|| (hash() % 1_000_000_000) as i64)
    }
}

fn name(parts: &[&[u8]]) -> String {
    format!("{:016x}", ioglass_schema::record_id(&parts.join(&0)))
}

/// The name of this machine.
pub(crate) fn host() -> String {
    let host = fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    host.trim().to_owned()
}

/// Text that identifies this launch.
fn key(launcher: &Launcher) -> Option<String> {
    let values = launcher.launch.iter().filter_map(|name| env::var(name).ok());
    let values: Vec<String> = values.chain(hydra()).filter(|value| !value.is_empty()).collect();
    (!values.is_empty()).then(|| values.join(" "))
}

/// The port of MPICH's launcher. No variable identifies its launches, but its proxy on each node has
/// the port among its arguments.
fn hydra() -> Option<String> {
    let mut commands = ancestors().map(command);
    let proxy = commands.find(|words| is_proxy(words))?;
    let mut words = proxy.into_iter().skip_while(|word| word != "--control-port");
    words.nth(1)
}

/// Returns true for hydra's own processes on a node, which pass output on.
fn is_proxy(words: &[String]) -> bool {
    let program = words.first().and_then(|word| word.rsplit('/').next());
    program.is_some_and(|program| program.starts_with("hydra_"))
}

/// The nearest ancestor that is neither a rank nor a proxy: the user sees what it prints.
fn launcher_of(variable: &str) -> Option<u32> {
    let mark = format!("{variable}=").into_bytes();
    let is_rank = |pid: &u32| {
        let variables = fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
        variables.split(|byte| *byte == 0).any(|variable| variable.starts_with(&mark))
    };
    ancestors().find(|pid| !is_rank(pid) && !is_proxy(&command(*pid)))
}

/// The command line of a process.
fn command(pid: u32) -> Vec<String> {
    let words = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
    words.split(|byte| *byte == 0).map(|word| String::from_utf8_lossy(word).into()).collect()
}

/// The parent, its parent and so on.
fn ancestors() -> impl Iterator<Item = u32> {
    const DEEPEST: usize = 8;
    let parent = std::os::unix::process::parent_id();
    std::iter::successors(Some(parent), |pid| parent_of(*pid)).take(DEEPEST)
}

/// The parent of this process and its start: the launcher on this node.
fn parent() -> String {
    let pid = std::os::unix::process::parent_id();
    let begin = crate::alive::begin(&pid.to_string()).unwrap_or(0);
    format!("{pid} {begin}")
}

fn parent_of(pid: u32) -> Option<u32> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name in parentheses may contain anything.
    let parent = stat.rsplit_once(')')?.1.split_whitespace().nth(1)?.parse().ok()?;
    (parent > 1).then_some(parent)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_tell_launches_apart() {
        let launch = |key: Option<&str>, ranks| Launch {
            rank: 0,
            ranks,
            here: None,
            key: key.map(str::to_owned),
            node_key: format!("node {ranks} {key:?}"),
            launcher: None,
        };
        let one = launch(Some("prterun-node7-4711@1"), 4);
        assert_eq!(one.number(b"./a"), 4711);
        assert_eq!(one.name_everywhere(b"./a"), one.name_everywhere(b"./b"), "MPMD is one job");
        assert_ne!(one.name_everywhere(b""), launch(Some("other"), 4).name_everywhere(b""));
        assert_ne!(one.name_here(b"x.darshan"), one.name_here(b"y.darshan"));
        let unnamed = launch(None, 4);
        assert_ne!(unnamed.name_everywhere(b"./a"), unnamed.name_everywhere(b"./b"));
        assert_ne!(unnamed.number(b"./a"), launch(None, 5).number(b"./a"));
    }
}
