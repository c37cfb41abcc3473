//! Putting a run together, record by record.

use std::collections::{HashMap, HashSet};

use ioglass_log::{
    Error, Heatmap, Job, Lustre, Module, Names, RecordRef, daos, dfs, dxt, h5d, h5f, heatmap,
    lustre, mpiio, pnetcdf_file, pnetcdf_var, posix, record_id, stdio,
};
use smallvec::SmallVec;

use super::believed::{add_count, believed, believed_time};
use super::columns::UsageColumns;
use super::dataset::{DIMENSIONS, Dataset};
use super::directory::Neighbours;
use super::file::{Component, File, FileKind, Stripes};
use super::heat::{Heat, HeatLayer};
use super::order::{self, FilePlaces};
use super::stack::Stack;
use super::table::UsageTable;
use super::totals::Totals;
use super::usage::{Direction, Usage, add_value};
use super::{Contexts, Libraries, Mount, Presence, Recorded, Run};
use crate::finding::{RankKind, Warning};
use crate::name::Name;
use crate::recording::{RecordedModule, Recording};
use crate::settings;
use crate::threshold::Thresholds;
use crate::trace::{self, TraceContext};
use crate::tunable::Tunable;

/// Limits of what is held in memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ModelLimits {
    /// Files, and as many datasets.
    pub things: usize,
}

impl ModelLimits {
    /// Bytes that a file takes, roughly.
    const PER_THING: u64 = 1200;

    /// Limits for a recording of so many bytes: a small one cannot claim much.
    pub fn of(log_size: u64) -> Self {
        let bytes = (256 << 20) + log_size.saturating_mul(64);
        Self { things: u32::try_from(bytes / Self::PER_THING).unwrap_or(u32::MAX) as usize }
    }
}

/// Ranks that a job is believed to have.
const MOST_RANKS: u64 = 1 << 32;

/// Interface of a usage.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum UsageLayer {
    Posix,
    MpiIo,
    Stdio,
    H5f,
    Pnetcdf,
    Daos,
}

impl UsageLayer {
    const ALL: [Self; 6] =
        [Self::Posix, Self::MpiIo, Self::Stdio, Self::H5f, Self::Pnetcdf, Self::Daos];

    fn of(self, file: &mut File) -> &mut Option<Box<Usage>> {
        match self {
            Self::Posix => &mut file.posix,
            Self::MpiIo => &mut file.mpiio,
            Self::Stdio => &mut file.stdio,
            Self::H5f => &mut file.h5f,
            Self::Pnetcdf => &mut file.pnetcdf,
            Self::Daos => &mut file.daos,
        }
    }
}

/// Collects the parts of a [`Run`].
#[derive(Debug)]
pub(crate) struct RunBuilder {
    limits: ModelLimits,
    files: Vec<File>,
    /// Places in `files`, by id.
    places: FilePlaces,
    /// Usages of files, by interface.
    tables: [UsageTable; UsageLayer::ALL.len()],
    datasets: HashMap<u64, Dataset>,
    heat: Heat,
    left_out: u64,
}

impl RunBuilder {
    /// Begins with places for the files that have names.
    pub(crate) fn new(limits: ModelLimits, names: &Names) -> Self {
        let (files, places) = FilePlaces::of(names, limits.things);
        Self {
            limits,
            files,
            places,
            tables: Default::default(),
            datasets: HashMap::new(),
            heat: Heat::default(),
            left_out: 0,
        }
    }

    /// The place of the file with this id; none if there is no room for more.
    fn place(&mut self, id: u64) -> Option<usize> {
        let known = self.places.find(id);
        if known.is_some() {
            return known;
        }
        if self.files.len() >= self.limits.things {
            self.left_out += 1;
            return None;
        }
        let place = self.files.len();
        self.places.add(id, place);
        self.files.push(File::new(id, Name::default(), FileKind::Data, None));
        Some(place)
    }

    fn add_record(&mut self, layer: UsageLayer, columns: &UsageColumns, record: &RecordRef<'_>) {
        let Some(place) = self.place(record.base.id) else { return };
        self.tables[layer as usize].at(place).add(columns, record);
        match layer {
            UsageLayer::H5f => {
                self.files[place].h5f_uses_mpiio |= record.int[h5f::USE_MPIIO] > 0;
            }
            UsageLayer::Pnetcdf => {
                let wait = record.float[pnetcdf_file::f::WAIT_TIME];
                self.files[place].pnetcdf_wait += believed_time(wait);
            }
            _ => {}
        }
    }

    fn add_dataset(&mut self, columns: &UsageColumns, record: &RecordRef<'_>, is_pnetcdf: bool) {
        let id = record.base.id;
        if !self.datasets.contains_key(&id) && self.datasets.len() >= self.limits.things {
            self.left_out += 1;
            return;
        }
        let dataset = self.datasets.entry(id).or_default();
        dataset.id = id;
        dataset.is_pnetcdf = is_pnetcdf;
        dataset.usage.add(columns, record);
        let linked = record.link.first().copied().filter(|id| *id != 0);
        dataset.file = dataset.file.or(linked);
        let count = |column: usize| believed(record.int[column]);
        if is_pnetcdf {
            dataset.element = dataset.element.max(count(pnetcdf_var::DATATYPE_SIZE));
            return;
        }
        dataset.element = dataset.element.max(count(h5d::DATATYPE_SIZE));
        dataset.points = dataset.points.max(count(h5d::DATASPACE_NPOINTS));
        dataset.dimensions =
            dataset.dimensions.max(count(h5d::DATASPACE_NDIMS).min(DIMENSIONS as u64) as usize);
        // Records count dimensions from the last one; here they are as a program has them.
        let mut chunk = [0; DIMENSIONS];
        chunk.iter_mut().zip(0..).for_each(|(side, i)| *side = count(h5d::CHUNK_SIZE_D1 + i));
        let known = chunk.iter().take_while(|side| **side > 0).count();
        chunk[..known].reverse();
        for (side, new) in dataset.chunk.iter_mut().zip(chunk) {
            *side = (*side).max(new);
        }
        dataset.is_collective |= record.int[h5d::USE_MPIIO_COLLECTIVE] > 0;
        dataset.is_deprecated |= record.int[h5d::USE_DEPRECATED] > 0;
        add_count(&mut dataset.point_selections, count(h5d::POINT_SELECTS));
        add_count(&mut dataset.irregular_selections, count(h5d::IRREGULAR_HYPERSLAB_SELECTS));
        // Four accesses, each with a length and a stride along five dimensions.
        let width = 1 + 2 * DIMENSIONS;
        for access in 0..4 {
            let times = count(h5d::ACCESS1_COUNT + access);
            let first = h5d::ACCESS1_ACCESS + access * width + 1;
            if times > 0 {
                let mut lengths = [0; DIMENSIONS];
                // All five are turned round, whether the dataset has as many or not.
                for (length, i) in lengths.iter_mut().zip((0..DIMENSIONS).rev()) {
                    *length = count(first + i);
                }
                add_value(&mut dataset.accesses, lengths, times);
            }
        }
    }

    fn add_heatmap(&mut self, map: &Heatmap) {
        let id = map.base.id;
        let layers = [
            ("heatmap:POSIX", &mut self.heat.posix),
            ("heatmap:MPIIO", &mut self.heat.mpiio),
            ("heatmap:STDIO", &mut self.heat.stdio),
        ];
        for (name, layer) in layers {
            if record_id(name.as_bytes()) == id {
                layer.get_or_insert_with(HeatLayer::default).add(map);
            }
        }
    }

    fn add_stripes(&mut self, record: &Lustre) {
        let Some(place) = self.places.find(record.base.id) else { return };
        let file = &mut self.files[place];
        // Logs that were not reduced repeat the layout for every rank.
        if file.stripes.is_some() {
            return;
        }
        let components = record.targets().filter(|(part, _)| part.stripe_size > 0);
        let components = components.map(|(part, targets)| Component {
            start: u64::try_from(part.start).unwrap_or(0),
            end: u64::try_from(part.end).unwrap_or(u64::MAX).max(1),
            size: part.stripe_size.unsigned_abs(),
            targets: targets.into(),
            count: u64::try_from(part.stripe_count).unwrap_or(0).max(1),
        });
        let components: SmallVec<[Component; 1]> = components.collect();
        if !components.is_empty() {
            file.stripes = Some(Stripes { components });
        }
    }
}

impl Run {
    /// Models a recorded run. A damaged recording gives what could be read, with a warning.
    pub fn of(recording: &dyn Recording) -> Self {
        Self::with_limits(recording, &Thresholds::default())
    }

    /// Models a recorded run, with these limits of what is small and the like.
    pub fn with_limits(recording: &dyn Recording, thresholds: &Thresholds) -> Self {
        let mut builder = RunBuilder::new(ModelLimits::of(recording.size()), recording.names());
        let (mut warnings, mut damage) = (Vec::new(), Vec::new());
        let mut modules = Vec::new();
        // Layouts belong to files, which other modules name.
        let is_layouts = |module: &RecordedModule| module.id == lustre::MODULE.id;
        let (layouts, others): (Vec<_>, Vec<_>) =
            recording.modules().into_iter().partition(is_layouts);
        for found in others.into_iter().chain(layouts) {
            let is_read = found.id.module().is_none_or(|module| {
                let Err(error) = read_module(recording, module, &mut builder) else { return true };
                let text = format!("{} could not be read whole: {error}", module.name);
                warnings.push(Warning { text, marks: true });
                damage.push(error);
                false
            });
            modules.push(Presence { id: found.id, is_partial: found.is_partial, is_read });
        }
        modules.sort_by_key(|presence: &Presence| presence.id);
        let mut run = builder.finish(recording, modules, thresholds);
        run.warnings.extend(warnings);
        run.warnings.extend(data_quality(recording, &run));
        let about = if trace::is_in(recording) {
            TraceContext::of(&run, thresholds)
        } else {
            TraceContext::default()
        };
        match trace::analyse(recording, &about) {
            Ok(facts) => {
                run.warnings.extend(facts.iter().flat_map(|facts| facts.quality.warnings()));
                run.trace = facts;
            }
            Err(error) => {
                let text = format!("The trace could not be read whole: {error}");
                run.warnings.push(Warning { text, marks: true });
                damage.push(error);
            }
        }
        run.is_damaged |= !damage.is_empty();
        run.damage = damage;
        run.add_traced(recording);
        run
    }
}

/// Reads the records of one module.
fn read_module(
    recording: &dyn Recording,
    module: &'static Module,
    builder: &mut RunBuilder,
) -> Result<(), Error> {
    builder.places.rewind();
    let layer = [
        (&posix::MODULE, UsageLayer::Posix),
        (&mpiio::MODULE, UsageLayer::MpiIo),
        (&stdio::MODULE, UsageLayer::Stdio),
        (&h5f::MODULE, UsageLayer::H5f),
        (&pnetcdf_file::MODULE, UsageLayer::Pnetcdf),
        (&dfs::MODULE, UsageLayer::Daos),
        (&daos::MODULE, UsageLayer::Daos),
    ];
    if let Some((_, layer)) = layer.iter().find(|(known, _)| known.id == module.id) {
        let columns = UsageColumns::of(module);
        recording.each_record(module, &mut |record| {
            builder.add_record(*layer, &columns, record);
        })
    } else if module.id == h5d::MODULE.id || module.id == pnetcdf_var::MODULE.id {
        let columns = UsageColumns::of(module);
        let is_pnetcdf = module.id == pnetcdf_var::MODULE.id;
        recording.each_record(module, &mut |record| {
            builder.add_dataset(&columns, record, is_pnetcdf);
        })
    } else if module.id == heatmap::MODULE.id {
        recording.each_heatmap(&mut |map| builder.add_heatmap(map))
    } else if module.id == lustre::MODULE.id {
        recording.each_layout(&mut |layout| builder.add_stripes(layout))
    } else {
        Ok(())
    }
}

impl RunBuilder {
    fn finish(
        self,
        recording: &dyn Recording,
        modules: Vec<Presence>,
        thresholds: &Thresholds,
    ) -> Run {
        let job = recording.job();
        let ranks = believed(job.nprocs).clamp(1, MOST_RANKS);
        let mounts: Vec<Mount> = job.mounts().iter().map(mount).collect();
        let rank_kind = rank_kind(job);
        let ranks_mean_something = ranks > 1 && rank_kind != RankKind::Process;
        let mut files = self.files;
        for (layer, table) in UsageLayer::ALL.into_iter().zip(self.tables) {
            for (file, usage) in files.iter_mut().zip(table.into_usages()) {
                *layer.of(file) = usage;
            }
        }
        order::settle(&mut files, recording.names());
        let mut places = Neighbours::new(&mounts);
        let recorded = Recorded::of(recording);
        for file in &mut files {
            (file.kind, file.mount) = places.kind_and_mount(&file.name);
            file.facts = recorded.files.get(&file.id).map(|facts| Box::new(*facts));
            for layer in UsageLayer::ALL {
                layer.of(file).as_deref_mut().into_iter().for_each(Usage::finish);
            }
            let is_direct = file.facts().direct_opens > 0;
            file.posix.as_deref_mut().into_iter().for_each(|usage| usage.is_direct = is_direct);
            let facts = file.facts();
            if let Some(usage) = file.posix.as_deref_mut() {
                let way = &mut usage.ways[1];
                let waits = facts.sync_opens > 0;
                way.synced = if waits { way.time } else { facts.synced.min(way.time) };
            }
            file.sum_up();
            if file.waits(recorded.knows_types, thresholds.waiting_call_time) {
                file.kind = FileKind::Waits;
            } else if recorded.knows_types && !ranks_mean_something && file.is_redirected() {
                file.kind = FileKind::Data;
            }
        }
        let mut datasets: Vec<Dataset> = self.datasets.into_values().collect();
        for dataset in &mut datasets {
            dataset.usage.finish();
            dataset.name = recording.names().lookup(dataset.id).into_owned();
            dataset.accesses.sort_by_key(|(lengths, times)| (std::cmp::Reverse(*times), *lengths));
            if dataset.file.is_none() {
                dataset.file = file_by_prefix(&files, &dataset.name);
            }
        }
        datasets.sort_by(|a, b| a.name.cmp(&b.name).then(a.id.cmp(&b.id)));
        let run_time = recording.run_time();
        let mut run = Run {
            command: job.exe().into_owned(),
            start: job.start_sec,
            jobid: job.jobid,
            recorder: recorder(job),
            run_time: known_time(run_time, &files),
            ranks,
            rank_kind,
            ranks_mean_something,
            active_ranks: 0,
            cores_are_enough: true,
            is_damaged: recording.is_cut_off(),
            damage: Vec::new(),
            modules,
            mounts,
            files,
            libraries: Libraries::default(),
            stack: Stack::of(job),
            tunable: Tunable::default(),
            is_on_lustre: false,
            has_layouts: false,
            largest: None,
            datasets,
            heat: self.heat,
            trace: None,
            was_traced: crate::trace::is_in(recording) || job.metadata_value("traced").is_some(),
            warnings: Vec::new(),
            posix: Totals::default(),
            mpiio: Totals::default(),
            stdio: Totals::default(),
            daos: Totals::default(),
            all_posix: Totals::default(),
            all_mpiio: Totals::default(),
            all_stdio: Totals::default(),
            hdf5: Totals::default(),
            pnetcdf: Totals::default(),
            above_hdf5: 0.0,
            above_pnetcdf: 0.0,
            waiting: 0.0,
            metadata: recorded.metadata,
            contexts: Contexts::of(recording),
            settings: settings::of_recording(recording),
            processes: recorded.processes,
            doer: None,
            exit: recorded.exit,
            input_waits: recorded.waiting,
            is_local: false,
            seen_rates: [None; 2],
        };
        run.sum_up();
        run.tunable = Tunable::of_run(&run);
        if self.left_out > 0 {
            let text = format!(
                "{} records of further files were left out for want of memory",
                self.left_out
            );
            run.warnings.push(Warning { text, marks: true });
        }
        run
    }
}

impl Run {
    /// Returns all totals.
    pub(super) fn totals_mut(&mut self) -> [&mut Totals; 9] {
        [
            &mut self.posix,
            &mut self.mpiio,
            &mut self.stdio,
            &mut self.daos,
            &mut self.all_posix,
            &mut self.all_mpiio,
            &mut self.all_stdio,
            &mut self.hdf5,
            &mut self.pnetcdf,
        ]
    }

    pub(super) fn sum_up(&mut self) {
        let ranks = self.ranks;
        let mut active = HashSet::new();
        let mut by_all = false;
        let mut libraries = Libraries { hdf5: !self.datasets.is_empty(), ..Libraries::default() };
        let (mut is_on_lustre, mut has_layouts) = (false, false);
        let mut most_bytes = 0;
        let in_library: HashSet<u64> = self.datasets.iter().filter_map(|own| own.file).collect();
        let [mut below_hdf5, mut below_pnetcdf, mut waits] = [const { None::<Totals> }; 3];
        for dataset in &self.datasets {
            let totals = if dataset.is_pnetcdf { &mut self.pnetcdf } else { &mut self.hdf5 };
            totals.add(&dataset.usage, ranks);
        }
        for (place, file) in self.files.iter().enumerate() {
            let is_data = file.kind == FileKind::Data;
            if file.is_waited_for() {
                let waits = waits.get_or_insert_default();
                file.layers().for_each(|usage| waits.add(usage, ranks));
                continue;
            }
            for (usage, totals, below) in [
                (&file.h5f, &mut self.hdf5, &mut below_hdf5),
                (&file.pnetcdf, &mut self.pnetcdf, &mut below_pnetcdf),
            ] {
                let Some(usage) = usage else { continue };
                totals.add(usage, ranks);
                if let Some(usage) = file.below() {
                    below.get_or_insert_default().add(usage, ranks);
                }
            }
            // The recorder of datasets may not have one of files.
            let is_only_in = file.h5f.is_none() && file.pnetcdf.is_none();
            if is_only_in
                && in_library.contains(&file.id)
                && let Some(usage) = file.below()
            {
                below_hdf5.get_or_insert_default().add(usage, ranks);
            }
            if is_data {
                libraries.hdf5 |= file.h5f.is_some();
                libraries.hdf5_files = libraries.hdf5_files || file.is_hdf5();
                libraries.pnetcdf |= file.pnetcdf.is_some();
                libraries.netcdf |= file.name.ends_with(".nc") || file.name.ends_with(".nc4");
                has_layouts |= file.stripes.is_some();
                is_on_lustre = is_on_lustre || has_layouts || self.fs_type(file) == "lustre";
                if file.bytes() >= most_bytes {
                    most_bytes = file.bytes();
                    self.largest = Some(place);
                }
            }
            for (usage, all, data) in [
                (&file.posix, &mut self.all_posix, &mut self.posix),
                (&file.mpiio, &mut self.all_mpiio, &mut self.mpiio),
                (&file.stdio, &mut self.all_stdio, &mut self.stdio),
            ] {
                let Some(usage) = usage else { continue };
                all.add(usage, ranks);
                if is_data {
                    data.add(usage, ranks);
                    by_all |= usage.reduced.is_some();
                    active.extend(usage.by_rank.iter().map(|rank| rank.rank));
                }
            }
            if let Some(usage) = &file.daos {
                self.daos.add(usage, ranks);
                by_all |= usage.reduced.is_some();
            }
        }
        let is_local = self.data().all(|file| LOCAL.contains(&self.fs_type(file)));
        self.is_local = is_local;
        self.seen_rates = Direction::BOTH.map(|direction| seen_rate(&self.files, direction));
        for calls in &self.metadata {
            for totals in [&mut self.posix, &mut self.all_posix] {
                totals.add_metadata(calls.rank, calls.seconds);
            }
            active.extend(calls.rank);
        }
        for (rank, seconds) in &self.input_waits {
            waits.get_or_insert_default().add_metadata(Some(*rank), *seconds);
        }
        let slowest = |totals: Option<Totals>| {
            totals.map_or(0.0, |mut totals| {
                totals.finish();
                totals.slowest
            })
        };
        self.totals_mut().into_iter().for_each(Totals::finish);
        self.above_hdf5 = (self.hdf5.slowest - slowest(below_hdf5)).max(0.0);
        self.above_pnetcdf = (self.pnetcdf.slowest - slowest(below_pnetcdf)).max(0.0);
        self.waiting = slowest(waits).min(self.run_time);
        self.doer = self.find_doer();
        self.libraries = libraries;
        (self.is_on_lustre, self.has_layouts) = (is_on_lustre, has_layouts);
        // Rows of heat maps are only there for ranks that moved something.
        let rows = |layer: &Option<HeatLayer>| {
            layer
                .as_ref()
                .map_or(0, |layer| layer.ranks.values().filter(|rank| rank.bytes() > 0).count())
        };
        let rows = rows(&self.heat.posix).max(rows(&self.heat.mpiio)) as u64;
        let known = (active.len() as u64).max(rows);
        self.active_ranks = if by_all && rows == 0 { ranks } else { known.clamp(1, ranks.max(1)) };
    }
}

/// File systems of the machine itself.
const LOCAL: [&str; 7] = ["ext2", "ext3", "ext4", "xfs", "btrfs", "tmpfs", "zfs"];

/// Bytes per second that a rank moves in requests of 1 MiB and more, if there are enough of them.
fn seen_rate(files: &[File], direction: Direction) -> Option<f64> {
    const LARGE: u64 = 1 << 20;
    const ENOUGH: u64 = 16 << 20;
    let (mut bytes, mut time) = (0_u64, 0.0);
    // Where data is synced, the time of writes is that of the storage.
    let is_synced =
        |file: &File| file.facts().sync_opens > 0 || file.calls().any(|own| own.rare().syncs > 0);
    let data = files.iter().filter(|file| file.kind == FileKind::Data && !is_synced(file));
    for way in data.flat_map(File::calls).map(|usage| usage.way(direction)) {
        if way.calls > 0 && way.bytes / way.calls >= LARGE {
            bytes = bytes.saturating_add(way.bytes);
            time += way.time;
        }
    }
    (bytes >= ENOUGH && time > 0.0).then(|| bytes as f64 / time)
}

fn mount(mount: &ioglass_log::Mount) -> Mount {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    Mount { path: text(&mount.path), fs_type: text(&mount.fs_type) }
}

/// Seconds that a run took; where the log does not say, as of a killed job, until its last call.
fn known_time(run_time: f64, files: &[File]) -> f64 {
    if run_time.is_finite() && run_time > 0.0 {
        return run_time;
    }
    let last = files.iter().flat_map(File::layers).map(|usage| {
        let ends = [usage.last_close, usage.ways[0].last, usage.ways[1].last, usage.meta_time];
        ends.into_iter().fold(usage.data_time(), f64::max)
    });
    last.fold(1e-9, f64::max)
}

/// Old records of datasets do not say where they are, but begin with the file's name.
fn file_by_prefix(files: &[File], name: &str) -> Option<u64> {
    let mut end = name.len();
    while let Some(colon) = name[..end].rfind(':') {
        let path = &name[..colon];
        if let Ok(index) = files.binary_search_by(|file| (*file.name).cmp(path)) {
            return Some(files[index].id);
        }
        end = colon;
    }
    None
}

fn rank_kind(job: &Job) -> RankKind {
    match job.metadata_value("ranks").as_deref() {
        Some("process") => RankKind::Process,
        Some("launcher") => RankKind::Launcher,
        _ => RankKind::Mpi,
    }
}

fn recorder(job: &Job) -> String {
    if let Some(version) = job.metadata_value("recorder") {
        return version.into_owned();
    }
    match job.metadata_value("lib_ver") {
        Some(version) => format!("Darshan {version}"),
        None => "Darshan".into(),
    }
}

/// Warnings about the quality of the data.
fn data_quality(recording: &dyn Recording, run: &Run) -> Vec<Warning> {
    let mut warnings = Vec::new();
    for presence in run.modules.iter().filter(|presence| presence.is_partial) {
        let Some(module) = presence.id.module() else { continue };
        let is_trace = module.id == dxt::POSIX.id || module.id == dxt::MPIIO.id;
        let text = if is_trace {
            format!("The trace ({}) is cut off: it reached its limit", module.name)
        } else {
            match fullest_rank(run, module) {
                Some((rank, records)) => format!(
                    "{} is incomplete: {} reached the limit of {} records",
                    module.name,
                    if run.ranks > 1 { format!("rank {rank}") } else { "the recorder".into() },
                    crate::number::thousands(records)
                ),
                None => format!("{} is incomplete: its records did not all fit", module.name),
            }
        };
        warnings.push(Warning { text, marks: true });
    }
    // What is cut off is said below in one sentence.
    if !recording.is_cut_off() {
        let damaged =
            |problem| Warning { text: format!("The log is damaged: {problem}"), marks: true };
        warnings.extend(recording.problems().into_iter().map(damaged));
    }
    let sums = [&run.all_posix, &run.all_mpiio, &run.all_stdio, &run.daos];
    if sums.iter().any(|totals| totals.sum.has_unknown) {
        let text = "Some counters are not available in this log (−1).".into();
        warnings.push(Warning { text, marks: false });
    }
    if recording.is_cut_off() {
        let text = "The log is cut off; what is there was read".into();
        warnings.push(Warning { text, marks: true });
    }
    if !recording.job().has_ended() {
        let text = "The end of the run was not recorded.".into();
        warnings.push(Warning { text, marks: false });
    }
    warnings
}

/// The rank with most records of a module, if it has as many as the reference allows.
fn fullest_rank(run: &Run, module: &Module) -> Option<(i64, u64)> {
    const LIMIT: u64 = 1024;
    if module.id != posix::MODULE.id {
        return None;
    }
    let mut records: HashMap<i64, u64> = HashMap::new();
    for file in &run.files {
        let Some(usage): Option<&Usage> = file.posix.as_deref() else { continue };
        for rank in &usage.by_rank {
            *records.entry(rank.rank).or_default() += 1;
        }
        if usage.reduced.is_some() {
            *records.entry(-1).or_default() += 1;
        }
    }
    let of_all = records.remove(&-1).unwrap_or(0);
    let most = records.into_iter().max_by_key(|(rank, count)| (*count, std::cmp::Reverse(*rank)));
    let (rank, count) = most.unwrap_or((0, 0));
    (count + of_all >= LIMIT).then_some((rank, LIMIT))
}
