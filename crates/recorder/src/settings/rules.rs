//! Which paths are recorded.

use ioglass_schema::ModuleId;

use super::{Arena, Fault, Modules};
use crate::pattern::Pattern;

/// Fast storage that Cray mounts below an excluded folder.
const INCLUDED: &[u8] = b"/var/opt/cray/dws/mounts/";

/// Whether the path is left out if nothing else is said: what a system has and a program merely
/// uses. The reference leaves out the same.
#[inline]
pub fn excluded_by_default_prefix(path: &[u8]) -> bool {
    const LONGEST: usize = "/boot/".len();
    let start = &path[..path.len().min(LONGEST)];
    let mut parts = start.splitn(3, |byte| *byte == b'/');
    let (root, folder, rest) = (parts.next(), parts.next(), parts.next());
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
    excluded && root == Some(b"") && rest.is_some() && !path.starts_with(INCLUDED)
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
