//! Which paths are recorded.

use ioglass_schema::ModuleId;

use super::{Arena, Fault, Modules};
use crate::pattern::Pattern;
use crate::sys;

/// Fast storage that Cray mounts below an excluded folder.
const INCLUDED: &[u8] = b"/var/opt/cray/dws/mounts/";

/// Whether the path is left out if nothing else is said: what a system has and a program merely
/// uses, as in the reference; and what launchers of MPI have for themselves.
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
    // The root itself is opened by those who look for processors.
    let is_of_system = excluded && root == Some(b"") || path == b"/";
    is_of_system && !path.starts_with(INCLUDED) || is_of_launcher(path)
}

/// What MPI's launchers call the folder below `$TMPDIR` in which they and their ranks meet; a host and a
/// user's number follow.
const SESSIONS: [&[u8]; 2] = [b"ompi.", b"prte."];
/// A file by which one of them tells its ranks about processors.
const PROCESSORS: &[u8] = b"hydra_hwloc_xmlfile_";

/// Whether a path leads to what launchers of MPI have for themselves.
fn is_of_launcher(path: &[u8]) -> bool {
    let mut parts = path.rsplit(|byte| *byte == b'/');
    let file = parts.next().unwrap_or_default();
    // Elsewhere the last part may be anybody's file.
    path.starts_with(b"/tmp/") && is_session(file)
        || file.starts_with(PROCESSORS)
        || parts.any(is_session)
}

/// Whether a folder is this user's session; others begin so too: a version, a benchmark.
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

/// What the user says about paths.
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

    /// Adds a rule for each pattern; one that cannot be used is left out, and told at the end.
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

    /// An inclusion beats every exclusion, and what the user says beats what we presume.
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
