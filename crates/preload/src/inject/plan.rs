//! The settings of this process, ready to be looked up.

use core::cell::Cell;
use core::mem::MaybeUninit;
use core::ptr;
use core::slice;
use core::sync::atomic::{
    AtomicPtr, AtomicU32, Ordering::Acquire, Ordering::Relaxed, Ordering::Release,
};

use ioglass_param::flat::{self, Damage, Flat, MAX_LINE, Scope, Setting, site_bit};
use ioglass_param::glob::{self, Pattern};
use ioglass_param::{INTERPRETERS, Site, hdf5};
use ioglass_recorder::{process, setting, sys};

use super::row::Words;

/// The variable with the settings.
const VARIABLE: &[u8] = b"IOGLASS_SETTINGS";
/// Settings that one call can have.
const CHOSEN: usize = 128;

/// A rule: to what its settings apply.
pub(super) struct Rule {
    pub(super) scope: Scope<'static>,
    file: Option<Pattern<'static>>,
    variable: Option<Pattern<'static>>,
    /// The sites of its settings, as bits.
    sites: u32,
    settings: &'static [Setting<'static>],
}

/// All rules for this program, in the order of precedence.
pub(crate) struct Plan {
    rules: &'static [Rule],
    /// A rule has a pattern that is compared with whole paths.
    needs_whole_paths: bool,
    /// The program is an interpreter, whose buffers follow the block size of files.
    pub(super) is_interpreter: bool,
}

/// A setting that was chosen for a call, and its rule.
#[derive(Clone, Copy)]
pub(super) struct Chosen {
    pub(super) rule: &'static Rule,
    pub(super) setting: &'static Setting<'static>,
}

/// Not read yet: every site asks.
const UNREAD: u32 = u32::MAX;
/// Sites that have settings, as bits.
static SITES: AtomicU32 = AtomicU32::new(UNREAD);
static PLAN: AtomicPtr<Plan> = AtomicPtr::new(ptr::null_mut());
static IS_BEING_READ: AtomicU32 = AtomicU32::new(0);

/// Reads the settings before the program can change its environment.
pub(crate) fn begin() {
    let _ = plan(Site::Info);
}

/// The plan, if it has settings for this site.
#[inline]
pub(super) fn plan(site: Site) -> Option<&'static Plan> {
    let sites = SITES.load(Relaxed);
    if sites & u32::from(site_bit(site)) == 0 {
        return None;
    }
    if sites == UNREAD {
        return find(site);
    }
    // SAFETY: null, or a plan that stays.
    unsafe { PLAN.load(Acquire).as_ref() }
}

/// The plan, if there is one.
#[inline]
pub(super) fn any_plan() -> Option<&'static Plan> {
    if SITES.load(Relaxed) == 0 {
        return None;
    }
    find(Site::Info).or_else(|| {
        // SAFETY: null, or a plan that stays.
        unsafe { PLAN.load(Acquire).as_ref() }
    })
}

#[cold]
fn find(site: Site) -> Option<&'static Plan> {
    if SITES.load(Relaxed) == UNREAD {
        if IS_BEING_READ.swap(1, Acquire) != 0 {
            return None;
        }
        SITES.store(read().unwrap_or(0), Release);
    }
    let is_wanted = SITES.load(Acquire) & u32::from(site_bit(site)) != 0;
    // SAFETY: null, or a plan that stays.
    is_wanted.then(|| unsafe { PLAN.load(Acquire).as_ref() })?
}

/// Reads the variable, and returns the sites that have settings.
fn read() -> Option<u32> {
    if sys::is_secure() || !sys::is_glibc() {
        return None;
    }
    // SAFETY: the program has not begun, or has one thread that starts a library.
    let text = unsafe { process::variable(VARIABLE) }.filter(|text| !text.is_empty())?;
    if text.len() > MAX_LINE {
        setting::is_faulty(Damage::TooLong.text());
        return None;
    }
    let line = sys::map_private(text.len()).ok()?;
    // SAFETY: a new mapping of this size, which stays.
    let line = unsafe {
        ptr::copy_nonoverlapping(text.as_ptr(), line, text.len());
        slice::from_raw_parts_mut(line, text.len())
    };
    match flat::decode(line) {
        Ok(flat) => make(flat),
        Err(damage) => {
            setting::is_faulty(damage.text());
            None
        }
    }
}

/// Makes the plan of the rules for this program.
fn make(flat: Flat<'static>) -> Option<u32> {
    let mut buffers = [[0; 512]; 2];
    let program = setting::program_names(&mut buffers);
    let wanted = || flat.rules().filter(|rule| is_for(rule.scope(), &program));
    let (rules, settings) =
        wanted().fold((0, 0), |(rules, all), rule| (rules + 1, all + rule.count()));
    let size = size_of::<Plan>() + rules * size_of::<Rule>() + settings * size_of::<Setting<'_>>();
    if settings == 0 {
        return None;
    }
    let memory = sys::map_private(size).ok()?;
    // SAFETY: a new mapping of this size, which stays and is aligned to pages; the sizes of all three are
    // multiples of the same alignment.
    unsafe {
        let plan = memory.cast::<MaybeUninit<Plan>>();
        let first_rule = plan.add(1).cast::<MaybeUninit<Rule>>();
        let first_setting = first_rule.add(rules).cast::<MaybeUninit<Setting<'static>>>();
        let mut used = 0;
        let mut sites = 0;
        let mut needs_whole_paths = false;
        for (place, rule) in wanted().enumerate() {
            let begin = used;
            let mut sites_of_rule = 0;
            for setting in rule.settings().take(settings - used) {
                sites_of_rule |= u32::from(site_bit(setting.param.site));
                (*first_setting.add(used)).write(setting);
                used += 1;
            }
            let scope = rule.scope().unwrap_or_default();
            let file = scope.file.map(Pattern::new);
            needs_whole_paths |= file.is_some_and(|file| file.has_slash());
            sites |= sites_of_rule;
            (*first_rule.add(place)).write(Rule {
                scope,
                file,
                variable: scope.variable.map(Pattern::new),
                sites: sites_of_rule,
                settings: slice::from_raw_parts(first_setting.add(begin).cast(), used - begin),
            });
        }
        let rules = slice::from_raw_parts(first_rule.cast(), rules);
        let plan = (*plan).write(Plan {
            rules,
            needs_whole_paths,
            is_interpreter: is_interpreter(&program),
        });
        PLAN.store(plan, Release);
        Some(sites)
    }
}

/// Returns true if a rule is for this program.
fn is_for(scope: Option<Scope<'_>>, program: &[&[u8]; 2]) -> bool {
    scope.and_then(|scope| scope.program).is_none_or(|pattern| is_named(program, pattern))
}

/// Returns true if the program is one whose buffers follow the block size of files.
fn is_interpreter(program: &[&[u8]; 2]) -> bool {
    INTERPRETERS.iter().any(|pattern| is_named(program, pattern))
}

/// Returns true if a name of the program matches a pattern.
fn is_named(program: &[&[u8]; 2], pattern: &str) -> bool {
    program.iter().any(|name| {
        let name = glob::last_part(name);
        !name.is_empty() && glob::matches(pattern.as_bytes(), name)
    })
}

impl Plan {
    /// There may be settings for a file at one of these sites.
    #[inline]
    pub(super) fn may_have(&self, sites: u32, file: &[u8]) -> bool {
        let is_relative = file.first().is_some_and(|byte| *byte != b'/');
        let call = Call { bit: sites, ..Call::new(Site::Stream, file, None) };
        self.needs_whole_paths && is_relative || self.rules.iter().any(|rule| call.is_for(rule))
    }

    /// Calls `take` for each setting of a site: of each parameter the first in the order of precedence.
    #[inline]
    pub(super) fn choose(
        &'static self,
        site: Site,
        file: &[u8],
        variable: Option<&[u8]>,
        mut take: impl FnMut(Chosen),
    ) {
        let is_relative = file.first().is_some_and(|byte| *byte != b'/');
        if self.needs_whole_paths && is_relative {
            return self.choose_whole(site, file, variable, &mut take);
        }
        let call = Call::new(site, file, variable);
        // Most calls have no setting, and are not to pay for what the others need.
        if let Some(first) = self.rules.iter().position(|rule| call.is_for(rule)) {
            choose_of(&self.rules[first..], &call, &mut take);
        }
    }

    /// The same for a path that begins in the working directory.
    #[cold]
    #[inline(never)]
    fn choose_whole(
        &'static self,
        site: Site,
        file: &[u8],
        variable: Option<&[u8]>,
        take: &mut dyn FnMut(Chosen),
    ) {
        let mut whole = Words::<4200>::new();
        let mut folder = [0; 4096];
        whole.push(sys::working_directory(&mut folder).unwrap_or_default());
        whole.push(b"/");
        whole.push(file.strip_prefix(b"./").unwrap_or(file));
        choose_of(self.rules, &Call::new(site, whole.bytes(), variable), take);
    }
}

/// A call that may have settings.
struct Call<'a> {
    site: Site,
    /// The site as a bit.
    bit: u32,
    file: Name<'a>,
    variable: Option<Name<'a>>,
}

/// A path, whose last part is looked for when it is needed.
struct Name<'a> {
    path: &'a [u8],
    last: Cell<Option<&'a [u8]>>,
}

impl<'a> Name<'a> {
    #[inline]
    fn new(path: &'a [u8]) -> Self {
        Self { path, last: Cell::new(None) }
    }

    #[inline]
    fn is_like(&self, pattern: Pattern<'_>) -> bool {
        pattern.matches(self.path, || {
            self.last.get().unwrap_or_else(|| {
                let last = glob::last_part(self.path);
                self.last.set(Some(last));
                last
            })
        })
    }
}

impl<'a> Call<'a> {
    #[inline]
    fn new(site: Site, file: &'a [u8], variable: Option<&'a [u8]>) -> Self {
        let bit = u32::from(site_bit(site));
        Self { site, bit, file: Name::new(file), variable: variable.map(Name::new) }
    }

    /// A rule has settings for it.
    #[inline]
    fn is_for(&self, rule: &Rule) -> bool {
        rule.sites & self.bit != 0
            && rule.file.is_none_or(|pattern| self.file.is_like(pattern))
            && rule.variable.is_none_or(|pattern| {
                self.variable.as_ref().is_some_and(|variable| variable.is_like(pattern))
            })
    }
}

#[cold]
#[inline(never)]
fn choose_of(rules: &'static [Rule], call: &Call<'_>, take: &mut dyn FnMut(Chosen)) {
    let mut chosen: [&str; CHOSEN] = [""; CHOSEN];
    let mut count = 0;
    for rule in rules.iter().filter(|rule| call.is_for(rule)) {
        for setting in rule.settings.iter().filter(|setting| setting.param.site == call.site) {
            let name = target(setting);
            if count < CHOSEN && !chosen[..count].contains(&name) {
                chosen[count] = name;
                count += 1;
                take(Chosen { rule, setting });
            }
        }
    }
}

/// What a setting sets: two parameters set the shape of chunks.
fn target(setting: &Setting<'static>) -> &'static str {
    if ptr::eq(setting.param, &hdf5::CHUNK_BYTES) { "hdf5.chunk" } else { setting.name }
}
