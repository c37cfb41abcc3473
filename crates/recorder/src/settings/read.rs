//! Parses the sources of settings.

use core::ffi::CStr;

use ioglass_shm::{Clock, PathNames, cut_path};

use super::lists::Ranges;
use super::sources::{Key, Sources};
use super::{Arena, Fault, LogPlace, MIB, Mode, Modules, Settings};
use super::{launcher, module, sources, value};

/// The shortest time between two snapshots; the writer would do nothing else.
const SHORTEST_SNAPSHOT_NS: u64 = 10_000_000;

impl Settings {
    /// Reads all settings; strings are kept in `arena`.
    #[allow(clippy::needless_pass_by_value, reason = "iterators are handed over")]
    pub fn read_with<'e>(
        mut arena: Arena,
        environment: impl Iterator<Item = &'e [u8]> + Clone,
        argv0: &[u8],
    ) -> Settings {
        let mut settings = Self::off();
        let mut sources = Sources::of(environment.clone());
        let is_disabled = sources.is_set(Key::Disable);
        let is_wanted = |key| sources.one(key).is_some();
        if is_disabled && !is_wanted(Key::Job) && !is_wanted(Key::Regions) {
            return settings;
        }
        settings.records = !is_disabled;
        settings.read_file(&mut sources, &mut arena);
        settings.fill(&sources, &mut arena, &environment);
        settings.read_regions(&sources, &mut arena);
        settings.mode = settings.choose_mode(&sources, &mut arena, argv0);
        if is_disabled && !matches!(settings.mode, Mode::Job(_)) {
            settings.mode = Mode::Off;
        }
        // Last, so that it takes no memory from other settings.
        settings.read_region_path(&sources, &mut arena);
        settings
    }

    fn read_regions(&mut self, sources: &Sources<'_>, arena: &mut Arena) {
        self.regions = match sources.one(Key::Regions) {
            None | Some(b"") => None,
            Some(b"1" | b"on") => Some(true),
            Some(b"0" | b"off") => Some(false),
            Some(_) => {
                self.note(Key::Regions.name(), Fault::Value);
                None
            }
        };
        if let Some(limit) = self.positive(sources, Key::RegionMemory) {
            self.region_memory = limit.saturating_mul(MIB);
        }
        if sources.one(Key::Iterations) == Some(b"all") {
            self.iterations = u64::MAX;
        } else if let Some(iterations) = self.positive(sources, Key::Iterations) {
            self.iterations = iterations;
        }
        self.profile = self.string(sources.one(Key::Profile), Key::Profile, arena);
        self.profile_files = sources.one(Key::ProfileFiles).map(|text| {
            let files = value::number(text).filter(|files| *files > 0);
            if files.is_none() {
                self.note(Key::ProfileFiles.name(), Fault::Value);
            }
            files.unwrap_or(1)
        });
        if let Some(text) = sources.one(Key::Snapshot).filter(|text| !text.is_empty()) {
            match value::nanoseconds(text) {
                Some(0) => {}
                Some(time) => self.snapshot_ns = time.max(SHORTEST_SNAPSHOT_NS),
                None => self.note(Key::Snapshot.name(), Fault::Value),
            }
        }
    }

    fn read_region_path(&mut self, sources: &Sources<'_>, arena: &mut Arena) {
        let Some(text) = sources.one(Key::RegionPath) else { return };
        if PathNames::of(text).is_none() {
            return self.note(Key::RegionPath.name(), Fault::Value);
        }
        let kept = cut_path(text);
        if kept.len() < text.len() {
            self.note(Key::RegionPath.name(), Fault::TooLong);
        }
        self.region_path = self.string(Some(kept), Key::RegionPath, arena);
    }

    fn read_file(&mut self, sources: &mut Sources<'_>, arena: &mut Arena) {
        let Some(path) = sources.one(Key::ConfigPath) else { return };
        let text = match arena.read_file(path) {
            Ok(text) => text,
            Err(fault) => return self.note(Key::ConfigPath.name(), fault),
        };
        sources.file = text;
        for (name, _) in value::lines(text) {
            if Key::named(name).is_none() {
                self.note(name, Fault::Unknown);
            }
        }
    }

    fn fill<'e>(
        &mut self,
        sources: &Sources<'_>,
        arena: &mut Arena,
        environment: &(impl Iterator<Item = &'e [u8]> + Clone),
    ) {
        self.read_modules(sources);
        self.memory_alignment = self
            .number(sources, Key::MemAlignment)
            .and_then(|bytes| i64::try_from(bytes).ok())
            .filter(|&bytes| bytes > 0)
            .unwrap_or(self.memory_alignment);
        if let Some(limit) = self.number(sources, Key::TraceMemory) {
            self.trace_limit = limit.saturating_mul(MIB);
        }
        if let Some(limit) = self.number(sources, Key::Memory) {
            self.record_limit = limit.saturating_mul(MIB);
        }
        self.origin_ns = self.number(sources, Key::Origin);
        self.clock = match sources.one(Key::Clock) {
            None => None,
            Some(b"tsc") => Some(Clock::Tsc),
            Some(b"ns") => Some(Clock::Nanoseconds),
            Some(_) => {
                self.note(Key::Clock.name(), Fault::Value);
                None
            }
        };
        self.small_io_trigger = self.fraction(sources, Key::SmallIoTrigger);
        self.unaligned_io_trigger = self.fraction(sources, Key::UnalignedIoTrigger);
        self.reduce_shared = !sources.is_set(Key::DisableSharedReduction);
        if let Some(seconds) = self.number(sources, Key::MpiTimeout) {
            self.mpi_timeout = seconds;
        }
        self.aggregators = self.number(sources, Key::Aggregators);
        if let Some((launcher, world)) = launcher::world_rank(sources) {
            self.world = Some(world);
            self.rank_variable = Some((launcher.rank, world.rank));
            self.ranks_here = launcher::ranks_here(launcher, sources);
        }
        self.launch = launcher::launch(sources);
        self.jobid = launcher::jobid(sources, environment.clone());
        self.read_ranks(sources);
        self.read_rules(sources, arena);
        self.log_hints = self.string(sources.one(Key::LogHints), Key::LogHints, arena);
        self.read_log_place(sources, arena, environment);
    }

    fn choose_mode(&mut self, sources: &Sources<'_>, arena: &mut Arena, argv0: &[u8]) -> Mode {
        let rank = self.world.map_or(0, |world| world.rank.into());
        if !self.records_rank(rank) || self.program_excluded(sources, arena, argv0) {
            return Mode::LeftOut;
        }
        let job = sources.one(Key::Job).filter(|job| !job.is_empty());
        if job.is_some_and(|job| job[0] != b'/') {
            self.note(Key::Job.name(), Fault::Value);
        } else if let Some(folder) = self.string(job, Key::Job, arena) {
            return Mode::Job(folder);
        }
        if sources.is_set(Key::Enable) || sources.is_set(Key::EnableNonMpi) {
            Mode::Alone
        } else {
            Mode::WaitForMpi
        }
    }

    fn read_modules(&mut self, sources: &Sources<'_>) {
        let traces = [module::DXT_POSIX, module::DXT_MPIIO];
        if sources.outside("DXT_ENABLE_IO_TRACE").is_some() {
            self.modules.set(traces, true);
        }
        for source in sources.levels() {
            for (key, on) in [(Key::ModDisable, false), (Key::ModEnable, true)] {
                for names in source.all(key) {
                    match Modules::named(names) {
                        Some(modules) => self.modules.set(modules, on),
                        None => self.note(key.name(), Fault::Value),
                    }
                }
            }
        }
        if let Some(trace) = sources.one(Key::Trace) {
            self.modules.set(traces, value::flag(trace));
        }
    }

    fn read_ranks(&mut self, sources: &Sources<'_>) {
        for key in [Key::RankExclude, Key::RankInclude] {
            let mut ranges = Ranges::NONE;
            for names in sources.all(key) {
                if let Err(fault) = ranges.add(names) {
                    self.note(key.name(), fault);
                }
            }
            match key {
                Key::RankExclude => self.ranks_excluded = ranges,
                _ => self.ranks_included = ranges,
            }
        }
    }

    fn read_rules(&mut self, sources: &Sources<'_>, arena: &mut Arena) {
        for (key, include, per_module) in [
            (Key::NameExclude, false, true),
            (Key::NameInclude, true, true),
            (Key::Exclude, false, false),
            (Key::Include, true, false),
        ] {
            for text in sources.all(key) {
                let added = if per_module {
                    let (patterns, modules) = value::word(text);
                    Modules::named(modules.trim_ascii()).ok_or(Fault::Value).and_then(|modules| {
                        self.rules.add(value::list(patterns), modules, include, arena)
                    })
                } else {
                    self.rules.add(value::list(text), Modules::ALL, include, arena)
                };
                if let Err(fault) = added {
                    self.note(key.name(), fault);
                }
            }
        }
    }

    fn program_excluded(&mut self, sources: &Sources<'_>, arena: &mut Arena, argv0: &[u8]) -> bool {
        let mut any = |key: Key| {
            let mut found = false;
            for text in sources.all(key) {
                for pattern in value::list(text) {
                    match arena.pattern_matches(pattern, argv0) {
                        Ok(matches) => found |= matches,
                        Err(fault) => self.note(key.name(), fault),
                    }
                }
            }
            found
        };
        any(Key::AppExclude) && !any(Key::AppInclude)
    }

    fn read_log_place<'e>(
        &mut self,
        sources: &Sources<'_>,
        arena: &mut Arena,
        environment: &(impl Iterator<Item = &'e [u8]> + Clone),
    ) {
        let folder = sources.one(Key::LogPathByEnv).and_then(|names| {
            value::list(names).find_map(|name| sources::variable(environment.clone(), name))
        });
        self.log = LogPlace {
            file: self.string(sources.one(Key::LogFile), Key::LogFile, arena),
            folder: self.string(folder, Key::LogPathByEnv, arena),
            root: self.string(sources.one(Key::LogPath), Key::LogPath, arena),
            state_home: self.string(sources.outside("XDG_STATE_HOME"), Key::LogPath, arena),
            home: self.string(sources.outside("HOME"), Key::LogPath, arena),
            login: self.string(sources.outside("LOGNAME"), Key::LogPath, arena),
            time_zone: self.string(sources.outside("TZ"), Key::LogPath, arena),
        };
    }

    fn string(
        &mut self,
        value: Option<&[u8]>,
        key: Key,
        arena: &mut Arena,
    ) -> Option<&'static CStr> {
        let value = value.filter(|value| !value.is_empty())?;
        arena.string(value).map_err(|fault| self.note(key.name(), fault)).ok()
    }

    fn number(&mut self, sources: &Sources<'_>, key: Key) -> Option<u64> {
        let number = value::number(sources.one(key)?);
        if number.is_none() {
            self.note(key.name(), Fault::Value);
        }
        number
    }

    fn positive(&mut self, sources: &Sources<'_>, key: Key) -> Option<u64> {
        let number = self.number(sources, key)?;
        if number == 0 {
            self.note(key.name(), Fault::Value);
        }
        (number > 0).then_some(number)
    }

    fn fraction(&mut self, sources: &Sources<'_>, key: Key) -> Option<f64> {
        let fraction = value::fraction(sources.one(key)?);
        if fraction.is_none() {
            self.note(key.name(), Fault::Value);
        }
        fraction
    }
}
