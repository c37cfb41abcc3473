//! Kills a rank of a program at a random moment, many times, and asks logs and profiles whether anything is lost.
//!
//! What each rank has written is in its file; all of it, but for the call in which it was, must be in a log.
//! Each write is a visit of a region: the profile must have it, too, and its times must add up.
//! It runs with a `/dev/shm` of its own: nobody else's captures are recovered.

#![allow(clippy::print_stdout)] // a table is what it is for

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Context as _, bail, ensure};
use clap::Parser;
use ioglass_log::{Log, mpiio};
use ioglass_profile::{Profile, Reader};

/// Set for the run that has a `/dev/shm` of its own.
const MOUNTED: &str = "IOGLASS_BENCH_MOUNTED";
/// MPIs by the ends of their commands' names, and what their launchers need.
const STACKS: [(&str, &[&str]); 2] =
    [("openmpi", &["--allow-run-as-root", "--oversubscribe"]), ("mpich", &[])];
/// Bytes of a write.
const SIZE: i64 = 100;
/// The folder of the headers that programs include to name their regions.
const INCLUDE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../crates/region/include");
/// A launch that takes longer, in seconds, will never end.
const PATIENCE: &str = "120";

/// Kills a rank at a random moment, and asks logs and profiles whether anything is lost.
#[derive(Parser)]
struct Args {
    /// Launches for each MPI and way to record.
    #[arg(long, default_value_t = 200)]
    runs: u64,
    /// Ranks of each.
    #[arg(long, default_value_t = 8)]
    ranks: u64,
    /// Writes of each rank.
    #[arg(long, default_value_t = 3000)]
    writes: u64,
    /// The latest moment, in microseconds after all ranks have begun.
    #[arg(long, default_value_t = 100_000)]
    latest: u64,
    /// Where moments begin; printed, so that a run can be repeated.
    #[arg(long)]
    seed: Option<u64>,
    /// The program under test; by default the one beside this one.
    #[arg(long, value_name = "PATH")]
    ioglass: Option<PathBuf>,
    /// The source of the driver.
    #[arg(long, value_name = "FILE", default_value = concat!(env!("CARGO_MANIFEST_DIR"), "/killed/driver.c"))]
    driver: PathBuf,
}

/// The ways to record.
#[derive(Debug, Clone, Copy)]
enum Way {
    /// `ioglass run -- mpirun`
    Run,
    /// `mpirun ioglass run`
    Inside,
    /// The library alone, and `ioglass recover` afterwards.
    Library,
}

/// What a series of launches came to.
#[derive(Default)]
struct Tally {
    hung: u64,
    lost: u64,
    /// Launches in which all ranks had written everything when the moment came.
    whole: u64,
    seconds: f64,
}

fn main() -> anyhow::Result<()> {
    let args = Args::parse();
    if std::env::var_os(MOUNTED).is_none() {
        let script = r#"mount -t tmpfs ioglass-bench /dev/shm && exec "$0" "$@""#;
        let mut command = Command::new("unshare");
        command.args(["--mount", "sh", "-c", script]).arg(std::env::current_exe()?);
        return Err(command.args(std::env::args_os().skip(1)).env(MOUNTED, "1").exec().into());
    }
    let ioglass = match &args.ioglass {
        Some(ioglass) => ioglass.clone(),
        None => std::env::current_exe()?.with_file_name("ioglass"),
    };
    let folder = std::env::temp_dir().join(format!("ioglass-bench-killed-{}", std::process::id()));
    let seed = args.seed.unwrap_or(u64::from(std::process::id()));
    println!("seed {seed}; {} ranks, {} launches each", args.ranks, args.runs);
    let mut state = seed ^ 0x9E37_79B9_7F4A_7C15;
    for (stack, options) in STACKS {
        let driver = folder.join(format!("driver-{stack}"));
        fs::create_dir_all(&folder)?;
        let compiler = format!("mpicc.{stack}");
        let mut compile = Command::new(&compiler);
        compile.args(["-O2", "-I", INCLUDE, "-o"]).args([&driver, &args.driver]);
        match compile.status() {
            Ok(status) => ensure!(status.success(), "the driver does not compile"),
            Err(_) => {
                println!("{stack}: no {compiler}");
                continue;
            }
        }
        for way in [Way::Run, Way::Inside, Way::Library] {
            let mut tally = Tally::default();
            for _ in 0..args.runs {
                let random = next(&mut state);
                let (rank, moment) = (random % args.ranks, 100 + (random >> 8) % args.latest);
                let words = [args.writes, rank, moment].map(|number| number.to_string());
                let mut launch = vec![format!("mpirun.{stack}")];
                launch.extend(options.iter().map(|option| (*option).to_owned()));
                launch.extend(["-n".to_owned(), args.ranks.to_string()]);
                let place = folder.join("run");
                let begin = Instant::now();
                let ended = run(way, &ioglass, &launch, &driver, &words, &place)?;
                tally.seconds = tally.seconds.max(begin.elapsed().as_secs_f64());
                if !ended {
                    tally.hung += 1;
                    println!("{stack} {way:?}: rank {rank} at {moment} us: HANGS");
                    continue;
                }
                let mut lost = losses(&place, &args)?;
                if !matches!(way, Way::Library) {
                    lost.extend(profile_losses(&place, &args)?);
                }
                tally.lost += u64::from(!lost.is_empty());
                lost.iter().for_each(|lost| {
                    println!("{stack} {way:?}: rank {rank} at {moment} us: {lost}  <-- NOT MET");
                });
                tally.whole += u64::from(is_whole(&place, &args)?);
            }
            println!(
                "{stack:<8} {:<8} {} launches: {} hang, {} lose, {} wrote everything, the longest {:.1} s",
                format!("{way:?}"),
                args.runs,
                tally.hung,
                tally.lost,
                tally.whole,
                tally.seconds
            );
        }
    }
    // What is left is in the temporary directory.
    drop(fs::remove_dir_all(&folder));
    Ok(())
}

/// Launches the driver and recovers what it leaves. Whether it ended.
fn run(
    way: Way,
    ioglass: &Path,
    launch: &[String],
    driver: &Path,
    words: &[String],
    place: &Path,
) -> anyhow::Result<bool> {
    drop(fs::remove_dir_all(place));
    let (files, logs) = (place.join("files"), place.join("logs"));
    fs::create_dir_all(&files)?;
    fs::create_dir_all(&logs)?;
    let mut command = Command::new("timeout");
    command.args(["--kill-after=10", PATIENCE]);
    match way {
        Way::Run => {
            command.arg(ioglass).args(["run", "--no-report", "-o"]).arg(logs.join("log.darshan"));
            command.arg("--").args(launch);
        }
        Way::Inside => {
            command.args(launch).arg(ioglass).args(["run", "--no-report", "-o"]);
            command.arg(logs.join("log.darshan")).arg("--");
        }
        Way::Library => {
            let output = Command::new(ioglass).arg("lib").output()?;
            let library = String::from_utf8(output.stdout)?;
            command.args(launch).arg("env").arg(format!("LD_PRELOAD={}", library.trim_end()));
            command.arg(format!("DARSHAN_LOGFILE={}", logs.join("log.darshan").display()));
        }
    }
    command.arg(driver).arg(&files).args(words);
    let said = fs::File::create(place.join("said"))?;
    // Whoever makes the log, perhaps after the launcher has ended, has its standard error until then.
    let output = command.stdin(Stdio::null()).stdout(said).stderr(Stdio::piped()).output()?;
    let status = output.status;
    if status.code() == Some(124) || status.code() == Some(137) {
        return Ok(false);
    }
    if matches!(way, Way::Library) {
        recover(ioglass, &logs)?;
    }
    Ok(true)
}

/// Recovers the jobs in `/dev/shm`, which is this program's own.
fn recover(ioglass: &Path, logs: &Path) -> anyhow::Result<()> {
    let jobs = Path::new("/dev/shm").join(format!("ioglass-{}", nix::unistd::getuid()));
    let Ok(entries) = fs::read_dir(&jobs) else { return Ok(()) };
    let mut folders = Vec::new();
    for entry in entries {
        let path = entry?.path();
        if path.is_dir() {
            folders.push(path);
        }
    }
    for (number, folder) in folders.iter().enumerate() {
        let log = logs.join(format!("recovered-{number}.darshan"));
        let output =
            Command::new(ioglass).arg("recover").arg(folder).arg("-o").arg(log).output()?;
        if !output.status.success() {
            bail!("recover: {}", String::from_utf8_lossy(&output.stderr));
        }
    }
    Ok(())
}

/// Bytes that logs have of each rank; a rank may be in two, if it was killed just before it would have
/// removed what is in the log.
fn recorded(place: &Path) -> anyhow::Result<BTreeMap<i64, i64>> {
    let mut found: BTreeMap<i64, i64> = BTreeMap::new();
    for entry in fs::read_dir(place.join("logs"))? {
        let path = entry?.path();
        // What a killed writer leaves is called otherwise.
        if path.extension().is_none_or(|extension| extension != "darshan") {
            continue;
        }
        let log = Log::open(path).context("a log that cannot be read")?;
        let mut records = log.records(&mpiio::MODULE)?;
        while let Some(record) = records.next()? {
            let bytes = found.entry(record.base.rank).or_default();
            *bytes = record.int[mpiio::BYTES_WRITTEN].max(*bytes);
        }
    }
    Ok(found)
}

fn size(place: &Path, rank: u64) -> i64 {
    let file = place.join(format!("files/own.{rank}"));
    fs::metadata(file).map_or(0, |found| found.len().cast_signed())
}

/// What is in files but in no log.
fn losses(place: &Path, args: &Args) -> anyhow::Result<Vec<String>> {
    let found = recorded(place)?;
    let mut lost = Vec::new();
    for rank in 0..args.ranks {
        let written = size(place, rank);
        // A rank of one has all files to itself.
        let of_rank = if args.ranks == 1 { found.get(&-1) } else { found.get(&rank.cast_signed()) };
        let bytes = of_rank.or(found.get(&0).filter(|_| args.ranks == 1)).copied().unwrap_or(0);
        if !(0..=SIZE).contains(&(written - bytes)) {
            lost.push(format!("rank {rank} wrote {written} bytes, logs have {bytes}"));
        }
    }
    Ok(lost)
}

/// The bytes of files that are missing in the profile, and the times that do not add up.
fn profile_losses(place: &Path, args: &Args) -> anyhow::Result<Vec<String>> {
    let path = place.join("logs/log.ioprof");
    if !path.exists() {
        let has_written = (0..args.ranks).any(|rank| size(place, rank) > 0);
        return Ok(has_written.then(|| "there is no profile".to_owned()).into_iter().collect());
    }
    let (profile, problems) = Reader::open(&path)?.whole();
    let mut lost: Vec<String> =
        problems.iter().map(|problem| format!("profile: {problem}")).collect();
    let visits = visits(&profile);
    for rank in 0..args.ranks {
        let written = size(place, rank) / SIZE;
        let calls = visits.get(&rank).copied().unwrap_or(0);
        if !(0..=1).contains(&(calls - written)) {
            lost.push(format!("rank {rank} wrote {written} times, the profile has {calls} visits"));
        }
    }
    let all =
        profile.regions.iter().flat_map(|region| region.rows.iter().map(move |row| (region, row)));
    let (mut outermost, mut exclusive) = (0, 0);
    for (region, row) in all {
        outermost += if region.parent.is_none() { row.time_ns } else { 0 };
        exclusive += row.exclusive_ns;
    }
    if outermost != exclusive {
        lost.push(format!("outermost regions have {outermost} ns, all by themselves {exclusive}"));
    }
    Ok(lost)
}

/// Visits of the region of writes, by rank.
fn visits(profile: &Profile) -> BTreeMap<u64, i64> {
    let mut visits: BTreeMap<u64, i64> = BTreeMap::new();
    let writes = profile.regions.iter().filter(|region| region.name == b"write");
    for row in writes.flat_map(|region| &region.rows) {
        if let Some(process) = profile.processes.get(row.process as usize) {
            *visits.entry(process.rank.into()).or_default() += row.calls.cast_signed();
        }
    }
    visits
}

/// Whether all ranks came to their end.
fn is_whole(place: &Path, args: &Args) -> anyhow::Result<bool> {
    let all = SIZE * i64::try_from(args.writes)?;
    Ok((0..args.ranks).all(|rank| size(place, rank) == all))
}

fn next(state: &mut u64) -> u64 {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    *state
}
