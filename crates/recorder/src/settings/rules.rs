//! The paths that are recorded.

use ioglass_schema::ModuleId;

use super::{Arena, Fault, Modules};
use crate::pattern::Pattern;
use crate::sys;

/// Fast storage that Cray mounts below an excluded directory.
const INCLUDED: &[u8] = b"/var/opt/cray/dws/mounts/";

/// Returns true if the path is excluded by default: files of the system that a program merely uses,
/// as in Darshan, and private files of MPI launchers.
#[inline]
pub fn excluded_by_default_prefix(path: &[u8]) -> bool {
    const LONGEST: usize = "/boot/".len();
    let start = &path[..path.len().min(LONGEST)];
    let mut parts = start.splitn(3, |byte| *byte == b'/');
    let (root, folder) = (parts.next(), parts.next());
    let excluded = matches!(
        folder,
        Some(
            b"etc"
                | b"dev"
                | b"usr"
                | b"bin"
                | b"boot"
                | b"lib"
                | b"opt"
                | b"sbin"
                | b"sys"
                | b"proc"
                | b"var"
        )
    );
    // The root itself is opened by programs that search for processors.
    let is_of_system = excluded && root == Some(b"") || path == b"/";
    is_of_system && !path.starts_with(INCLUDED) || is_of_launcher(path)
}

/// Prefixes of the directories below `$TMPDIR` in which MPI launchers and their ranks meet; a host
/// and a user id follow.
const SESSIONS: [&[u8]; 2] = [b"ompi.", b"prte."];
/// Prefix of a file by which a launcher describes processors to its ranks.
const PROCESSORS: &[u8] = b"hydra_hwloc_xmlfile_";

/// Returns true if a path leads to private files of MPI launchers.
fn is_of_launcher(path: &[u8]) -> bool {
    let mut parts = path.rsplit(|byte| *byte == b'/');
    let file = parts.next().unwrap_or_default();
    // Elsewhere a file of this name may be anybody's.
    path.starts_with(b"/tmp/") && is_session(file)
        || file.starts_with(PROCESSORS)
        || parts.any(is_session)
}

/// Returns true if a directory is this user's session; other names begin the same way: a version, a
/// benchmark.
fn is_session(part: &[u8]) -> bool {
    let mut words = part.rsplit(|byte| *byte == b'.');
    let user = words.next().and_then(|word| core::str::from_utf8(word).ok()?.parse().ok());
    let has_host = words.nth(1).is_some();
    has_host
        && SESSIONS.iter().any(|start| part.starts_with(start))
        && user == Some(sys::effective_uid())
}

const MAX_RULES: usize = 32;

#[derive(Debug, Clone, Copy)]
struct Rule {
    pattern: Pattern<'static>,
    modules: Modules,
    include: bool,
}

/// The user's rules for paths.
#[derive(Debug)]
pub(super) struct Rules {
    rules: [Option<Rule>; MAX_RULES],
    len: usize,
}

impl Rules {
    pub(super) const NONE: Self = Self { rules: [None; MAX_RULES], len: 0 };

    pub(super) fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Adds a rule for each pattern; an invalid one is skipped, and reported at the end.
    pub(super) fn add<'t>(
        &mut self,
        patterns: impl Iterator<Item = &'t [u8]>,
        modules: Modules,
        include: bool,
        arena: &mut Arena,
    ) -> Result<(), Fault> {
        let mut result = Ok(());
        for pattern in patterns {
            let added = arena.pattern(pattern).and_then(|pattern| {
                let free = self.rules.get_mut(self.len).ok_or(Fault::TooLong)?;
                *free = Some(Rule { pattern, modules, include });
                self.len += 1;
                Ok(())
            });
            result = result.and(added);
        }
        result
    }

    /// Returns true if the path is excluded. An inclusion overrides every exclusion, and the user's
    /// rules override the defaults.
    pub(super) fn excludes(&self, path: &[u8], module: ModuleId) -> bool {
        let matches = |include: bool| {
            let mut rules = self.rules.iter().take(self.len).flatten();
            rules.any(|rule| {
                rule.include == include && rule.modules.has(module) && rule.pattern.matches(path)
            })
        };
        !matches(true) && (matches(false) || excluded_by_default_prefix(path))
    }
}
