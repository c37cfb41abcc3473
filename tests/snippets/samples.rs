//! Every advice, in every setting that changes it.

use ioglass_insight::advice::{self, FileSystem, IoLibrary, MpiKind, Setting, TargetFile};
use ioglass_insight::model::Direction;
use ioglass_insight::{Advice, Language};

/// An advice, what it is called and the setting it was given for.
pub(super) struct Sample {
    pub(super) name: &'static str,
    pub(super) setting: Setting,
    pub(super) advice: Advice,
}

/// All of them.
pub(super) fn all() -> Vec<Sample> {
    settings().iter().flat_map(samples).collect()
}

/// The file of a run that has no other.
pub(super) const ONLY: &str = "/data/run 1/all.dat";

/// A program in a language.
fn program(language: Language) -> Setting {
    let (program, command) = match language {
        Language::Python => ("python3", "python3 job.py"),
        Language::Shell => ("sh", "sh job.sh"),
        Language::JavaScript => ("node", "node job.js"),
        Language::Perl => ("perl", "perl job.pl"),
        Language::Sql => ("sqlite3", "sqlite3 all.db"),
        Language::C | Language::Fortran | Language::Cpp => ("app", "./app in.dat"),
    };
    Setting {
        language,
        program: program.into(),
        command: command.into(),
        own_command: command.into(),
        ..Setting::default()
    }
}

/// A tool, of which only the options can be changed.
fn tool(command: &str) -> Setting {
    Setting {
        language: Language::Shell,
        program: command.split(' ').next().unwrap_or_default().into(),
        is_tool: true,
        command: command.into(),
        own_command: command.into(),
        ..Setting::default()
    }
}

/// Files that advice must take care of.
fn targets() -> Vec<TargetFile> {
    let file = |path: &str| TargetFile { path: path.into(), ..TargetFile::default() };
    let hdf5 = TargetFile { is_hdf5: true, ..file("/scratch/it's mine/data.h5") };
    vec![
        TargetFile { is_only: true, ..file(ONLY) },
        TargetFile { is_only: true, ..file("/data/\"; reboot(); '\\n") },
        TargetFile { is_shared: true, is_mpi_io: true, ..file("/data/shared.dat") },
        TargetFile { is_shared: true, is_mpi_io: true, ..hdf5.clone() },
        hdf5,
        TargetFile { is_database: true, ..file("/data/all.db") },
    ]
}

fn settings() -> Vec<Setting> {
    let mut settings: Vec<Setting> =
        ["dd if=a of=b bs=512", "dd if=a of=b oflag=dsync", "tar cf src.tar src", "git status"]
            .into_iter()
            .chain(["zip -r src.zip src", "grep -r x src", "cp -r src there", "make"])
            .flat_map(|line| [tool(line), Setting { mostly_reads: true, ..tool(line) }])
            .collect();
    for language in Language::ALL {
        let serial = program(language);
        settings.push(serial.clone());
        for target in targets() {
            let has_hdf5 = target.is_hdf5;
            let is_parallel = target.is_shared;
            let target = Setting { target, has_hdf5, is_parallel, ..serial.clone() };
            settings.push(Setting { has_mpi_io: is_parallel, ..target.clone() });
            settings.push(Setting { mostly_reads: true, has_mpi_io: is_parallel, ..target });
        }
        settings.push(Setting { mostly_reads: true, ..serial.clone() });
        settings.push(Setting { has_hdf5: true, ..serial.clone() });
        settings.push(Setting { file_system: FileSystem::Nfs, ..serial.clone() });
        for file_system in [FileSystem::Lustre, FileSystem::Gpfs] {
            let mpi =
                Setting { is_parallel: true, has_mpi_io: true, file_system, ..serial.clone() };
            settings.push(mpi.clone());
            settings.push(Setting { mostly_reads: true, ..mpi.clone() });
            settings.push(Setting { mostly_reads: true, has_hdf5: true, ..mpi.clone() });
            settings.push(Setting { has_mpi_io: false, ..mpi.clone() });
            for kind in [MpiKind::OpenMpi, MpiKind::Mpich, MpiKind::CrayMpich, MpiKind::IntelMpi] {
                settings.push(Setting { mpi: Some(kind), ..mpi.clone() });
            }
            settings.push(Setting { has_hdf5: true, ..mpi.clone() });
            settings.push(Setting { has_netcdf: true, ..mpi.clone() });
            settings.push(Setting { has_pnetcdf: true, ..mpi });
        }
    }
    settings
}

fn samples(s: &Setting) -> Vec<Sample> {
    const MIB: u64 = 1 << 20;
    let dir = "/scratch/it's mine/$(run)";
    let file = "/scratch/it's mine/out.dat";
    let library = s.library();
    let dataset = format!("{}:/fields/x", s.target.path);
    let mut list = vec![
        ("stripe", advice::stripe(s, 29, 16 * MIB, dir)),
        ("check_stripe", advice::check_stripe(s, file, 14, 16 * MIB)),
        ("report_ost", advice::report_ost(s, 14, "/scratch1", &["/scratch2"])),
        ("report_ost", advice::report_ost(s, 14, "/scratch1", &[])),
        ("repeat_later", advice::repeat_later(s, "/scratch1")),
        ("align_domains", advice::align_domains(s, 16 * MIB)),
        ("move_to_scratch", advice::move_to_scratch(s, dir, "/scratch1")),
        ("burst_buffer", advice::burst_buffer(s, 12 << 30)),
        ("daos_size", advice::daos_size(s, 47_008)),
        ("larger_reads", advice::larger_reads(s, 4 * MIB)),
        ("buffer_writes", advice::buffer_writes(s, 4 * MIB)),
        ("sort_reads", advice::sort_accesses(s, Direction::Read)),
        ("sort_writes", advice::sort_accesses(s, Direction::Write)),
        ("prefetch", advice::prefetch(s, 4 * MIB)),
        ("align_requests", advice::align_requests(s, MIB)),
        ("memory_align", advice::memory_align(s, 4096)),
        ("sync_once", advice::sync_once(s, 12_000, 64 << 10)),
        ("write_once", advice::write_once(s, 266 << 30, 129 << 30)),
        ("cache_data", advice::cache_data(s, 3 << 30, 5, &[], dir)),
        ("cache_data", advice::cache_data(s, 3 << 30, 5, &[file, "/in.dat"], dir)),
        ("keep_in_memory", advice::keep_in_memory(s, 3 << 30)),
        ("mmap_note", advice::mmap_note(s)),
        ("collective_write", advice::collective_write(s, library)),
        ("collective_read", advice::collective_read(s, library)),
        ("collective_write, MPI-IO", advice::collective_write(s, IoLibrary::Mpi)),
        ("collective_read, MPI-IO", advice::collective_read(s, IoLibrary::Mpi)),
        ("file_view", advice::file_view(s, 47_008, 3_008_512)),
        ("merge_calls", advice::merge_calls(s, 187, 263 << 10)),
        ("nonblocking_write", advice::nonblocking_write(s)),
        ("nonblocking_read", advice::nonblocking_read(s)),
        ("disable_data_sieving", advice::disable_data_sieving(s)),
        ("collective_buffering", advice::collective_buffering(s, 8, 16 * MIB)),
        ("aggregators", advice::aggregators(s, 64)),
        ("fewer_ranks", advice::fewer_ranks(s, 2048, 64)),
        ("read_once_and_broadcast", advice::read_once_and_broadcast(s, 1024, 3 * MIB)),
        ("balance", advice::balance(s, 160 * MIB, 34 * MIB)),
        ("avoid_node", advice::avoid_node(s, "nid00042")),
        ("avoid_node", advice::avoid_node(s, "")),
        ("open_once", advice::open_once(s, 1500)),
        ("many_small_files", advice::many_small_files(s, 6000, 6000 * 8192, dir)),
        ("many_small_files", advice::many_small_files(s, 6000, 6000 * 8192, "")),
        ("many_small_files", advice::many_small_files(s, 600, 600, "/src/.git/objects/3f")),
        ("stripe", advice::stripe(s, 29, 16 * MIB, "")),
        ("check_stripe", advice::check_stripe(s, "", 14, 16 * MIB)),
        ("report_ost", advice::report_ost(s, 14, "", &[])),
        ("repeat_later", advice::repeat_later(s, "")),
        ("move_to_scratch", advice::move_to_scratch(s, "", "")),
        ("cache_data", advice::cache_data(s, 3 << 30, 5, &[], "")),
        ("fewer_changes", advice::fewer_changes(s, &["mkdir", "unlink"], 12_000)),
        ("ask_less", advice::ask_less(s, 12_000, 6000)),
        ("balance_time", advice::balance_time(s, 10.0, 1.0)),
        ("one_transaction", advice::one_transaction(s)),
        ("page_cache", advice::page_cache(s)),
        ("aggregate_files", advice::aggregate_files(s, 2048)),
        ("import_storm", advice::import_storm(s, 256, 4000)),
        ("skip_probes", advice::skip_probes(s, 12_000, false)),
        ("skip_probes", advice::skip_probes(s, 12_000, true)),
        ("look_at_rank", advice::look_at_rank(7)),
        ("trace_on", advice::trace_on(s)),
        ("text_output", advice::text_output(s, 956, 44 << 10)),
        ("fewer_stream_calls", advice::fewer_stream_calls(s, 3_000_000, 24_000_000, true)),
        ("one_rank_prints", advice::one_rank_prints(s, 496)),
        ("quiet_stream", advice::quiet_stream(s, 20 * MIB)),
    ];
    if s.has_hdf5 || s.has_netcdf {
        list.extend([
            ("hdf5_alignment", advice::hdf5_alignment(s, 16 * MIB)),
            ("hdf5_no_fill", advice::hdf5_no_fill(s)),
            ("hdf5_chunk", advice::hdf5_chunk(s, &[128, 64, 32], 64 * MIB, &dataset)),
            ("hdf5_chunk", advice::hdf5_chunk(s, &[4096], 64 * MIB, "")),
            ("hdf5_chunk", advice::hdf5_chunk(s, &[], 64 * MIB, &dataset)),
            ("hdf5_parts", advice::hdf5_parts(s, &[1, 26, 81920])),
            ("hdf5_parts", advice::hdf5_parts(s, &[])),
            ("hdf5_whole_write", advice::hdf5_whole(s, Direction::Write)),
            ("hdf5_whole_read", advice::hdf5_whole(s, Direction::Read)),
            ("hdf5_collective_metadata", advice::hdf5_collective_metadata(s)),
            ("hdf5_meta_block", advice::hdf5_meta_block(s, 16 * MIB)),
            ("hdf5_latest_format", advice::hdf5_latest_format(s)),
            ("hdf5_async", advice::hdf5_async(s, Direction::Read)),
            ("hdf5_async", advice::hdf5_async(s, Direction::Write)),
            ("hdf5_current_calls", advice::hdf5_current_calls(s)),
        ]);
    }
    if s.has_pnetcdf {
        list.push(("pnetcdf_wait", advice::pnetcdf_wait(s)));
    }
    let sample = |(name, advice)| Sample { name, setting: s.clone(), advice };
    list.into_iter().map(sample).collect()
}
