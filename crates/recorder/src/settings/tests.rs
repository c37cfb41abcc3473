use std::io::Write;

use super::*;
use crate::pattern::Code;
use crate::sys;

fn arena() -> Arena {
    let code = vec![Code::default(); 4096].into_boxed_slice();
    Arena::new(Box::leak(vec![0; 1 << 16].into_boxed_slice()), Box::leak(code))
}

fn read_as(argv0: &str, variables: &[&str]) -> Settings {
    Settings::read_with(arena(), variables.iter().map(|text| text.as_bytes()), argv0.as_bytes())
}

fn read(variables: &[&str]) -> Settings {
    read_as("./app", variables)
}

/// Reads with a configuration file of this text.
fn read_file(text: &str, variables: &[&str]) -> Settings {
    static COUNT: core::sync::atomic::AtomicU32 = core::sync::atomic::AtomicU32::new(0);
    let number = COUNT.fetch_add(1, core::sync::atomic::Ordering::Relaxed);
    let path = std::env::temp_dir().join(format!("ioglass-{}-{number}.conf", std::process::id()));
    std::fs::File::create(&path).unwrap().write_all(text.as_bytes()).unwrap();
    let config = format!("DARSHAN_CONFIG_PATH={}", path.display());
    let mut variables = variables.to_vec();
    variables.push(&config);
    let settings = read(&variables);
    std::fs::remove_file(path).unwrap();
    settings
}

fn problems(settings: &Settings) -> Vec<(String, Fault)> {
    let name = |problem: Problem| String::from_utf8_lossy(problem.setting).into_owned();
    settings.problems().map(|problem| (name(problem), problem.fault)).collect()
}

#[test]
fn modes() {
    assert_eq!(read(&[]).mode, Mode::WaitForMpi);
    assert_eq!(read(&["DARSHAN_ENABLE_NONMPI="]).mode, Mode::Alone);
    assert_eq!(read(&["IOGLASS_ENABLE=1"]).mode, Mode::Alone);
    assert_eq!(read(&["IOGLASS_ENABLE=0"]).mode, Mode::WaitForMpi);
    assert_eq!(read(&["IOGLASS_ENABLE=1", "DARSHAN_DISABLE="]).mode, Mode::Off);
    assert_eq!(read(&["IOGLASS_ENABLE=1", "IOGLASS_DISABLE=1"]).mode, Mode::Off);
    let job = ["IOGLASS_JOB=/dev/shm/ioglass-0/x", "DARSHAN_ENABLE_NONMPI=1"];
    assert_eq!(read(&job).mode, Mode::Job(c"/dev/shm/ioglass-0/x"));
    // Darshan has no such variable.
    assert_eq!(read(&["DARSHAN_ENABLE=1", "DARSHAN_JOB=/x"]).mode, Mode::WaitForMpi);
    let relative = read(&["IOGLASS_JOB=x/y"]);
    assert_eq!(relative.mode, Mode::WaitForMpi);
    assert_eq!(problems(&relative), [("JOB".to_owned(), Fault::Value)]);
}

#[test]
fn regions() {
    let of = |variables: &[&str]| {
        let settings = read(variables);
        (settings.regions, settings.region_memory >> 20, settings.iterations)
    };
    assert_eq!(of(&[]), (None, 64, 4096));
    assert_eq!(of(&["IOGLASS_REGIONS=1", "IOGLASS_ITERATIONS=all"]), (Some(true), 64, u64::MAX));
    let small = ["IOGLASS_REGIONS=off", "IOGLASS_REGION_MEMORY=2", "IOGLASS_ITERATIONS=10"];
    assert_eq!(of(&small), (Some(false), 2, 10));
    // Darshan has no such variables.
    assert_eq!(of(&["DARSHAN_REGIONS=1", "DARSHAN_ITERATIONS=10"]), (None, 64, 4096));
    let wrong = read(&["IOGLASS_REGIONS=maybe", "IOGLASS_ITERATIONS=few"]);
    let names = ["REGIONS", "ITERATIONS"].map(|name| (name.to_owned(), Fault::Value));
    assert_eq!((wrong.regions, problems(&wrong)), (None, names.to_vec()));
    let none = ["IOGLASS_REGION_MEMORY=0", "IOGLASS_ITERATIONS=0"];
    let names = ["REGION_MEMORY", "ITERATIONS"].map(|name| (name.to_owned(), Fault::Value));
    assert_eq!((of(&none), problems(&read(&none))), ((None, 64, 4096), names.to_vec()));
    let of = |variables: &[&str]| {
        let settings = read(variables);
        (settings.profile, settings.profile_files, settings.snapshot_ns)
    };
    assert_eq!(of(&[]), (None, None, 0));
    let given = ["IOGLASS_PROFILE=x/y", "IOGLASS_PROFILE_FILES=4", "IOGLASS_SNAPSHOT=.25"];
    assert_eq!(of(&given), (Some(c"x/y"), Some(4), 250_000_000));
    assert_eq!(of(&["IOGLASS_SNAPSHOT=0", "IOGLASS_PROFILE="]), (None, None, 0));
    assert_eq!(of(&["IOGLASS_SNAPSHOT=1e9"]).2, 0);
    assert_eq!(of(&["IOGLASS_SNAPSHOT=99999999999999999999"]).2, u64::MAX);
    let wrong = read(&["IOGLASS_PROFILE_FILES=0", "IOGLASS_SNAPSHOT=-1"]);
    let names = ["PROFILE_FILES", "SNAPSHOT"].map(|name| (name.to_owned(), Fault::Value));
    assert_eq!(problems(&wrong), names.to_vec());
    assert_eq!((wrong.profile_files, wrong.snapshot_ns), (Some(1), 0));
    // Regions go on without a recorder.
    let alone = read(&["IOGLASS_REGIONS=1", "IOGLASS_DISABLE=1", "IOGLASS_PROFILE=p"]);
    assert_eq!((alone.mode, alone.regions, alone.profile), (Mode::Off, Some(true), Some(c"p")));
    assert!(!alone.records);
    let path = |text: &str| {
        let settings = read(&[&format!("IOGLASS_REGION_PATH={text}")]);
        let path = settings.region_path.map(|path| path.to_bytes().to_vec());
        (path, problems(&settings).into_iter().map(|(_, fault)| fault).collect::<Vec<_>>())
    };
    assert_eq!(path(r"a/b\/c"), (Some(br"a/b\/c".to_vec()), vec![]));
    assert_eq!(path(""), (None, vec![]));
    assert_eq!(path("a//b"), (None, vec![Fault::Value]));
    let long = ["x".repeat(4000), "y".repeat(4000)];
    assert_eq!(path(&long.join("/")), (Some(long[0].clone().into()), vec![Fault::TooLong]));
    // Without a recorder the job is still known.
    let disabled = read(&["IOGLASS_JOB=/dev/shm/ioglass-0/x", "DARSHAN_DISABLE=1"]);
    assert_eq!(disabled.mode, Mode::Job(c"/dev/shm/ioglass-0/x"));
    assert!(!disabled.records && read(&[]).records);
}

#[test]
fn modules() {
    let on = |settings: &Settings| {
        [module::POSIX, module::STDIO, module::HEATMAP, module::DXT_POSIX]
            .map(|id| settings.modules.has(id))
    };
    assert_eq!(on(&read(&[])), [true, true, true, false]);
    assert_eq!(on(&read(&["DXT_ENABLE_IO_TRACE=0"])), [true, true, true, true]);
    assert_eq!(on(&read(&["IOGLASS_TRACE=1"])), [true, true, true, true]);
    assert_eq!(on(&read(&["IOGLASS_TRACE=0", "DXT_ENABLE_IO_TRACE=1"])), [true, true, true, false]);
    assert_eq!(on(&read(&["DARSHAN_MOD_ENABLE=DXT_POSIX"])), [true, true, true, true]);
    assert_eq!(on(&read(&["DARSHAN_MOD_DISABLE=STDIO,HEATMAP"])), [true, false, false, false]);
    let only = ["DARSHAN_MOD_ENABLE=POSIX", "DARSHAN_MOD_DISABLE=*"];
    assert_eq!(on(&read(&only)), [true, false, false, false]);
    // The environment wins over the file, our own variables over Darshan's.
    let file = "MOD_DISABLE POSIX,STDIO\nMOD_ENABLE DXT_POSIX";
    assert_eq!(on(&read_file(file, &[])), [false, false, true, true]);
    let variables = ["DARSHAN_MOD_ENABLE=POSIX", "IOGLASS_MOD_DISABLE=POSIX,DXT_POSIX"];
    assert_eq!(on(&read_file(file, &variables)), [false, false, true, false]);
    assert!(!read(&["DARSHAN_MOD_DISABLE=MPI-IO"]).modules.has(ModuleId(2)));
    let unknown = read(&["DARSHAN_MOD_DISABLE=POSIX,NONSENSE"]);
    assert_eq!(problems(&unknown), [("MOD_DISABLE".to_owned(), Fault::Value)]);
    assert!(unknown.modules.has(module::POSIX));
}

#[test]
fn numbers() {
    let defaults = read(&["DARSHAN_MODMEM=1", "DARSHAN_NAMEMEM=1"]);
    assert_eq!(
        (defaults.memory_alignment, defaults.trace_limit, defaults.record_limit),
        (8, 256 << 20, 2 << 30)
    );
    let given = read(&[
        "DARSHAN_MEMALIGN=64",
        "IOGLASS_TRACE_MEMORY=1.9",
        "IOGLASS_MEMORY=3",
        "IOGLASS_ORIGIN=1700000000123456789",
        "IOGLASS_CLOCK=tsc",
        "DARSHAN_DXT_SMALL_IO_TRIGGER=.25",
        "DARSHAN_DISABLE_SHARED_REDUCTION=",
    ]);
    assert_eq!(
        (given.memory_alignment, given.trace_limit, given.record_limit),
        (64, 1 << 20, 3 << 20)
    );
    assert_eq!(given.origin_ns, Some(1_700_000_000_123_456_789));
    assert_eq!(given.clock, Some(Clock::Tsc));
    assert_eq!((given.small_io_trigger, given.unaligned_io_trigger), (Some(0.25), None));
    assert!(!given.reduce_shared && defaults.reduce_shared);
    let bad = read(&["DARSHAN_MEMALIGN=-1", "IOGLASS_TRACE_MEMORY=many", "IOGLASS_CLOCK=sun"]);
    assert_eq!((bad.memory_alignment, bad.trace_limit, bad.clock), (8, 256 << 20, None));
    assert_eq!(problems(&bad).len(), 3);
    assert_eq!(read(&["DARSHAN_MEMALIGN=0"]).memory_alignment, 8);
    assert_eq!(read_file("MEM_ALIGNMENT 16 # bytes", &[]).memory_alignment, 16);
    assert_eq!(read_file("MEM_ALIGNMENT 16", &["DARSHAN_MEMALIGN=32"]).memory_alignment, 32);
}

#[test]
fn launchers() {
    let world = |variables: &[&str]| read(variables).world;
    let some = |rank, ranks| Some(WorldRank { rank, ranks });
    assert_eq!(world(&[]), None);
    assert_eq!(world(&["RANK=3", "WORLD_SIZE=8"]), some(3, 8));
    assert_eq!(world(&["RANK=3"]), None);
    assert_eq!(world(&["RANK=8", "WORLD_SIZE=8"]), None);
    assert_eq!(world(&["RANK=captain", "WORLD_SIZE=8"]), None);
    assert_eq!(world(&["PMI_RANK=1", "PMI_SIZE=2"]), some(1, 2));
    assert_eq!(world(&["PMIX_RANK=1", "OMPI_COMM_WORLD_SIZE=2"]), some(1, 2));
    // Every name of the table is one that is read.
    for launcher in LAUNCHERS {
        for ranks in launcher.ranks {
            let own = [format!("{}=1", launcher.rank), format!("{ranks}=2")];
            assert_eq!(world(&[&own[0], &own[1], "SLURM_STEP_ID=0"]), some(1, 2), "{own:?}");
        }
    }
    assert_eq!(world(&["FLUX_TASK_RANK=0", "FLUX_JOB_SIZE=1"]), some(0, 1));
    let slurm = ["SLURM_PROCID=2", "SLURM_NTASKS=4"];
    assert_eq!(world(&slurm), None);
    for (step, expected) in
        [("0", some(2, 4)), ("batch", None), ("4294967291", None), ("17", some(2, 4))]
    {
        let step = format!("SLURM_STEP_ID={step}");
        assert_eq!(world(&[slurm[0], slurm[1], &step]), expected, "{step}");
    }
}

#[test]
fn job_ids() {
    assert_eq!(read(&[]).jobid, None);
    assert_eq!(read(&["SLURM_JOB_ID=4711"]).jobid, Some(4711));
    assert_eq!(read(&["PBS_JOBID=815[3].server.site7"]).jobid, Some(815));
    assert_eq!(read(&["MY_ID=9", "SLURM_JOB_ID=1", "DARSHAN_JOBID=MY_ID"]).jobid, Some(9));
    assert_eq!(read_file("JOBID MY_ID", &["MY_ID=9"]).jobid, Some(9));
    assert_eq!(read(&["SLURM_JOB_ID=99999999999999999999999"]).jobid, None);
}

#[test]
fn default_paths() {
    let settings = read(&[]);
    let user = sys::effective_uid();
    let sessions = [format!("/tmp/ompi.node7.{user}"), format!("/scratch/prte.node7.{user}/x.sm")];
    for (path, excluded) in [
        (&*sessions[0], true),
        (&*sessions[1], true),
        ("/etc/passwd", true),
        ("/dev/shm/x", true),
        ("/usr/lib/libc.so", true),
        ("/var/opt/cray/dws/mounts/x", false),
        ("/var/log/x", true),
        ("/home/etc/passwd", false),
        ("/tmp/x", false),
        ("/etc", true),
        ("/", true),
        ("/libs", false),
        ("//home/x", false),
        ("/scratch/ompi.run.1", false),
        ("/tmp/ompi.node7.4294967295/x", false),
        ("/scratch/ompi.5.0.3/out.dat", false),
        ("/scratch/ompi.0/out.dat", false),
        ("/tmp/hydra_hwloc_xmlfile_Z3Nmlr", true),
        ("/home/ompi.c/x", false),
        ("/lib64/x", false),
        ("<STDOUT>", false),
        ("", false),
    ] {
        assert_eq!(settings.excludes(path.as_bytes(), module::POSIX), excluded, "{path}");
        assert_eq!(excluded_by_default_prefix(path.as_bytes()), excluded, "{path}");
    }
}

#[test]
fn path_rules() {
    let settings = read(&["IOGLASS_EXCLUDE=\\.tmp$,^/a{1,2}/", "IOGLASS_INCLUDE=^/etc/my/\n"]);
    let excludes = |path: &str| settings.excludes(path.as_bytes(), module::POSIX);
    assert!(excludes("/home/x.tmp") && excludes("/aa/x") && excludes("/etc/passwd"));
    assert!(!excludes("/home/x") && !excludes("/etc/my/x.tmp"));

    let file = "# what our site wants\n\
                NAME_EXCLUDE \\.log$,^/scratch/junk STDIO,POSIX\n\
                NAME_EXCLUDE ^/only/heat HEATMAP\n\
                NAME_INCLUDE keep *\n";
    let settings = read_file(file, &["IOGLASS_EXCLUDE=^/mine"]);
    let excludes = |path: &str, module| settings.excludes(path.as_bytes(), module);
    assert!(excludes("/x/a.log", module::POSIX) && excludes("/x/a.log", module::STDIO));
    assert!(excludes("/scratch/junk/1", module::POSIX) && excludes("/mine", module::POSIX));
    assert!(!excludes("/only/heat", module::POSIX) && excludes("/only/heat", module::HEATMAP));
    assert!(!excludes("/usr/keep/a.log", module::POSIX));
    assert_eq!(problems(&settings), []);

    // A pattern per line may have commas anywhere.
    let settings = read(&["IOGLASS_EXCLUDE=a,b\n"]);
    assert!(settings.excludes(b"/xa,b", module::POSIX) && !settings.excludes(b"/a", module::POSIX));

    // A bad pattern never matches; the others hold.
    let settings = read(&["IOGLASS_EXCLUDE=(,good"]);
    assert!(!settings.excludes(b"/(", module::POSIX));
    let settings = read(&["IOGLASS_EXCLUDE=*bad,good"]);
    assert!(
        settings.excludes(b"/good", module::POSIX) && !settings.excludes(b"/bad", module::POSIX)
    );
    assert_eq!(problems(&settings), [("EXCLUDE".to_owned(), Fault::Value)]);
}

#[test]
fn programs() {
    let excluded = |argv0: &str, variables: &[&str]| {
        let mut variables = variables.to_vec();
        variables.push("IOGLASS_ENABLE=1");
        read_as(argv0, &variables).mode == Mode::LeftOut
    };
    assert!(excluded("/bin/git", &["DARSHAN_APP_EXCLUDE=ssh,git$"]));
    assert!(!excluded("/bin/gitk", &["DARSHAN_APP_EXCLUDE=ssh,git$"]));
    assert!(excluded("python", &["DARSHAN_APP_EXCLUDE=.*"]));
    assert!(!excluded("./app", &["DARSHAN_APP_EXCLUDE=.*", "DARSHAN_APP_INCLUDE=^./app$"]));
    assert!(!excluded("./app", &["DARSHAN_APP_EXCLUDE=("]));
}

#[test]
fn ranks() {
    let settings = read(&["DARSHAN_RANK_EXCLUDE=1:3,8,16:", "DARSHAN_RANK_INCLUDE=2"]);
    let recorded: Vec<_> = (0..20).filter(|&rank| settings.records_rank(rank)).collect();
    assert_eq!(recorded, [0, 2, 4, 5, 6, 7, 9, 10, 11, 12, 13, 14, 15]);
    let all = ["DARSHAN_RANK_EXCLUDE=*", "RANK=1", "WORLD_SIZE=2", "IOGLASS_ENABLE=1"];
    assert_eq!(read(&all).mode, Mode::LeftOut);
    let bad = read(&["DARSHAN_RANK_EXCLUDE=:", "IOGLASS_ENABLE=1"]);
    assert_eq!((bad.mode, problems(&bad).len()), (Mode::Alone, 1));
}

#[test]
fn log_places() {
    let settings = read(&[
        "DARSHAN_LOGFILE=/a/log",
        "DARSHAN_LOGPATH=/b",
        "IOGLASS_LOGPATH=/c",
        "IOGLASS_LOGPATH_BY_ENV=NOWHERE,SITE_LOGS",
        "SITE_LOGS=/d",
        "HOME=/home/u",
        "XDG_STATE_HOME=",
        "LOGNAME=u",
    ]);
    let log = settings.log;
    assert_eq!((log.file, log.folder, log.root), (Some(c"/a/log"), Some(c"/d"), Some(c"/c")));
    assert_eq!((log.home, log.state_home, log.login), (Some(c"/home/u"), None, Some(c"u")));
    assert_eq!(read_file("LOGPATH /from/file", &[]).log.root, Some(c"/from/file"));
}

#[test]
fn files() {
    let settings = read_file("\n  # only a comment\nNONSENSE 1\nMAX_RECORDS 5 POSIX\n", &[]);
    assert_eq!(problems(&settings), [("NONSENSE".to_owned(), Fault::Unknown)]);
    let missing = read(&["DARSHAN_CONFIG_PATH=/does/not/exist"]);
    assert_eq!(problems(&missing), [("CONFIG_PATH".to_owned(), Fault::Unreadable)]);
    let long = read_file(&"# filler\n".repeat(10_000), &[]);
    assert_eq!(problems(&long), [("CONFIG_PATH".to_owned(), Fault::TooLong)]);
}

#[test]
fn hostile_values() {
    let long = format!("DARSHAN_LOGFILE=/{}", "x".repeat(1 << 20));
    let settings = read(&[&long, "DARSHAN_LOGPATH=/fine"]);
    assert_eq!((settings.log.file, settings.log.root), (None, Some(c"/fine")));
    assert_eq!(problems(&settings), [("LOGFILE".to_owned(), Fault::TooLong)]);

    let many = format!("IOGLASS_EXCLUDE={}", "a,".repeat(1000));
    assert_eq!(problems(&read(&[&many])), [("EXCLUDE".to_owned(), Fault::TooLong)]);

    let bytes: Vec<u8> = (0..=255).collect();
    for name in ["EXCLUDE", "CONFIG_PATH", "RANK_EXCLUDE", "MOD_ENABLE", "JOBID", "CLOCK", "JOB"] {
        for cut in 0..bytes.len() {
            let variable = [b"IOGLASS_", name.as_bytes(), b"=", &bytes[cut..]].concat();
            let settings = Settings::read_with(arena(), [&variable[..]].into_iter(), &bytes);
            assert!(settings.problems().count() <= MAX_PROBLEMS);
        }
    }
    for odd in ["", "=", "IOGLASS_", "IOGLASS_=", "DARSHAN_=x", "IOGLASS_JOB", "IOGLASS_JOB="] {
        assert_eq!(read(&[odd]).mode, Mode::WaitForMpi, "{odd}");
    }
}

#[test]
fn of_this_process_once() {
    let variables = [b"IOGLASS_ENABLE=1".as_slice()];
    assert_eq!(Settings::read(variables.into_iter(), b"app").mode, Mode::Alone);
    assert_eq!(Settings::read(variables.into_iter(), b"app").mode, Mode::Off);
}

#[test]
fn environment_pointers() {
    let strings = [c"A=1".as_ptr(), c"B".as_ptr(), core::ptr::null()];
    // SAFETY: C strings with a null pointer after them.
    let environment = unsafe { Environment::new(strings.as_ptr()) };
    assert_eq!(environment.collect::<Vec<_>>(), [b"A=1".as_slice(), b"B"]);
    // SAFETY: null stands for none.
    assert_eq!(unsafe { Environment::new(core::ptr::null()) }.count(), 0);
}
