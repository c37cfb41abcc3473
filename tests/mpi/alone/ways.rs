//! Programs that go through MPI in every way there is.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::thread;
use std::time::{Duration, Instant};

use ioglass_log::{Log, mpiio};

use super::super::folder;
use super::super::stack::{MPICH, OPEN_MPI, Stack};
use super::{environment, logs_in, merge};
use crate::lifecycle::recording::{counted, said};
use crate::lifecycle::room::Room;
use crate::record::run::{library, without_settings};
use crate::support::{ioglass, missing, scratch};

const RANKS: u32 = 4;
/// Longest time until killed ranks are gone.
const PATIENCE: Duration = Duration::from_secs(20);

/// A run of `ways.c` in a place of its own.
struct Way {
    stack: &'static Stack,
    how: &'static str,
    room: Room,
    /// What stands in front of the program.
    before: Vec<String>,
}

impl Way {
    fn new(stack: &'static Stack, how: &'static str, label: &str) -> Self {
        let room = Room::new(&format!("mpi-alone-{label}-{}", stack.name));
        fs::create_dir(room.folder.join("files")).unwrap();
        fs::create_dir(room.folder.join("logs")).unwrap();
        let before = environment(&room.folder.join("logs")).to_vec();
        Self { stack, how, room, before }
    }

    /// With a setting, or with words in front of the program.
    fn with(mut self, words: &[&str]) -> Self {
        self.before.extend(words.iter().map(|word| (*word).to_owned()));
        self
    }

    fn logs(&self) -> Vec<PathBuf> {
        logs_in(&self.room.folder.join("logs"))
    }

    fn files(&self) -> PathBuf {
        self.room.folder.join("files")
    }

    fn start(&self, before: &[String]) -> Output {
        self.start_program("ways.c", before)
    }

    fn start_program(&self, source: &str, before: &[String]) -> Output {
        let program = self.stack.program(&folder().join("alone").join(source)).unwrap();
        let mut command: Command = self.room.command("timeout");
        without_settings(&mut command);
        command.arg("50").args(self.stack.launcher(RANKS)).args(before).args(program);
        let output = command.arg(self.files()).arg(self.how).output().unwrap();
        assert_ne!(output.status.code(), Some(124), "{} does not end", self.label());
        output
    }

    fn label(&self) -> String {
        format!("{} {}", self.how, self.stack.name)
    }

    fn run(&self) -> Output {
        self.start(&self.before)
    }

    /// Runs it without the library, too: what it says, and how it ends, is the same.
    fn run_and_compare(&self) -> Output {
        let bare = self.start(&["env".to_owned()]);
        fs::remove_dir_all(self.files()).unwrap();
        fs::create_dir(self.files()).unwrap();
        let output = self.run();
        assert_eq!(output.status, bare.status, "{}: {}", self.label(), said(&output));
        let lines = |bytes: &[u8]| {
            let text = String::from_utf8_lossy(bytes).into_owned();
            let mut lines: Vec<_> = text.lines().map(str::to_owned).collect();
            lines.sort();
            lines
        };
        // Ranks print in any order.
        assert_eq!(lines(&output.stdout), lines(&bare.stdout), "{}", self.label());
        assert_eq!(lines(&output.stderr), lines(&bare.stderr), "{}", self.label());
        output
    }

    /// Makes logs of captures that were left, as soon as those who left them are gone: a launcher may end
    /// before the ranks that it has killed.
    fn recover(&self) {
        let begin = Instant::now();
        while !self.room.captures().is_empty() && begin.elapsed() < PATIENCE {
            let mut command = self.room.command(ioglass());
            command.args(["recover", "-o"]).arg(self.room.folder.join("logs"));
            let output = command.output().unwrap();
            assert!(output.status.success(), "{}: {}", self.label(), said(&output));
            thread::sleep(Duration::from_millis(100));
        }
    }

    /// One log of all.
    fn log(&self) -> Log {
        let log = self.room.folder.join("whole.darshan");
        merge(&self.room.folder.join("logs"), &log);
        Log::open(&log).unwrap_or_else(|problem| panic!("{}: {problem}", self.label()))
    }

    /// Bytes written to a file, by rank.
    fn bytes(&self, log: &Log, file: &str) -> BTreeMap<i64, i64> {
        let written = counted(log, &self.files().join(file)).into_iter();
        written.map(|(rank, (_, bytes))| (rank, bytes)).collect()
    }

    /// Fails unless the log has what all ranks do in any case, and nothing is left.
    fn check(&self, log: &Log) {
        let (label, ranks) = (self.label(), i64::from(RANKS));
        assert_eq!(log.job().nprocs, ranks, "{label}");
        assert_eq!(log.job().metadata_value("missing_ranks"), None, "{label}");
        let mut records = log.records(&mpiio::MODULE).unwrap();
        let record = records.next().unwrap().unwrap_or_else(|| panic!("{label}: no record"));
        assert_eq!(
            (record.base.rank, record.int[mpiio::INDEP_WRITES]),
            (-1, 10 * ranks),
            "{label}"
        );
        assert!(records.next().unwrap().is_none(), "{label}: more than one record");
        for rank in 0..ranks {
            let own = self.bytes(log, &format!("own.{rank}"));
            assert_eq!(own, BTreeMap::from([(rank, 20)]), "{label}");
        }
        self.room.check_nothing_left();
    }
}

/// Both MPIs, as far as they are installed.
fn stacks() -> impl Iterator<Item = &'static Stack> {
    [&OPEN_MPI, &MPICH].into_iter().filter(|stack| stack.is_here())
}

/// One log, of all ranks.
fn one_log(way: &Way) -> Log {
    way.run_and_compare();
    assert_eq!(way.logs().len(), 1, "{}: {:?}", way.label(), way.logs());
    let log = way.log();
    way.check(&log);
    log
}

#[test]
fn finished() {
    for stack in stacks() {
        let log = one_log(&Way::new(stack, "finished", "finished"));
        // There is no directory of the day.
        assert!(log.job().metadata_value("fallback").unwrap().contains("no such directory"));
    }
}

#[test]
fn files_before_mpi_begins() {
    for stack in stacks() {
        let way = Way::new(stack, "early", "early");
        assert_eq!(way.bytes(&one_log(&way), "early"), BTreeMap::from([(-1, 28)]));
    }
}

#[test]
fn files_after_mpi_has_ended_are_in_small_logs() {
    for stack in stacks() {
        let way = Way::new(stack, "late", "late");
        way.run_and_compare();
        assert_eq!(way.logs().len(), 1 + RANKS as usize, "{:?}", way.logs());
        let log = way.log();
        way.check(&log);
        // What all ranks did before and after is one record.
        let both = way.bytes(&log, "both");
        assert_eq!(both, BTreeMap::from([(-1, 20 * i64::from(RANKS))]), "{}", way.label());
        for rank in 0..i64::from(RANKS) {
            let late = way.bytes(&log, &format!("late.{rank}"));
            assert_eq!(late, BTreeMap::from([(rank, 50)]), "{}", way.label());
        }
    }
}

/// The log of MPI's time says nothing about what came after it.
#[test]
fn a_rank_is_killed_after_mpi_has_ended() {
    for stack in stacks() {
        let way = Way::new(stack, "late and killed", "late-killed");
        assert!(!way.run().status.success());
        way.recover();
        let log = way.log();
        way.check(&log);
        for rank in 0..i64::from(RANKS) {
            let late = way.bytes(&log, &format!("late.{rank}"));
            assert_eq!(late, BTreeMap::from([(rank, 50)]), "{}", way.label());
        }
    }
}

/// Where a file was asked for, too, the small logs are beside it.
#[test]
fn small_logs_are_beside_the_file_that_was_asked_for() {
    for stack in stacks() {
        let way = Way::new(stack, "late", "late-file");
        let beside = way.room.folder.join("beside");
        fs::create_dir(&beside).unwrap();
        let file = beside.join("job.darshan");
        let setting = format!("DARSHAN_LOGFILE={}", file.display());
        let way = way.with(&["env", "-u", "DARSHAN_LOGPATH", &setting]);
        way.run_and_compare();
        let logs = logs_in(&beside);
        assert!(logs.contains(&file), "{logs:?}");
        assert_eq!(logs.len(), 1 + RANKS as usize, "{}: {logs:?} {:?}", way.label(), way.logs());
        assert!(way.logs().is_empty(), "{}", way.label());
    }
}

/// Without a begin of MPI there is no log of all, but one of each.
#[test]
fn sessions_alone() {
    const CANNOT: i32 = 77;
    for stack in stacks() {
        let way = Way::new(stack, "", "session");
        let output = way.start_program("session.c", &way.before);
        if output.status.code() == Some(CANNOT) {
            missing("what session.c needs", &Path::new(stack.name).join("MPI 4"));
            continue;
        }
        assert!(output.status.success(), "{}", said(&output));
        assert_eq!(way.logs().len(), RANKS as usize, "{}: {:?}", way.label(), way.logs());
        let log = way.log();
        assert_eq!(log.job().nprocs, i64::from(RANKS));
        // All ranks of MPI know the file.
        assert_eq!(way.bytes(&log, "data"), BTreeMap::from([(-1, 30 * i64::from(RANKS))]));
        way.room.check_nothing_left();
    }
}

#[test]
fn mpi_ends_in_a_handler_of_exit() {
    stacks().for_each(|stack| drop(one_log(&Way::new(stack, "atexit", "atexit"))));
}

#[test]
fn a_rank_comes_late() {
    stacks().for_each(|stack| drop(one_log(&Way::new(stack, "slow", "slow"))));
}

/// Who is at the end of MPI must not only wait: others need it to come there.
#[test]
fn a_message_arrives_at_the_end_of_mpi() {
    for stack in stacks() {
        let begin = Instant::now();
        let way = Way::new(stack, "owed", "owed");
        // MPICH may warn of the message, also without the library.
        assert!(way.run().status.success(), "{}", way.label());
        assert!(begin.elapsed() < PATIENCE, "{}", way.label());
        assert_eq!(way.logs().len(), 1, "{}: {:?}", way.label(), way.logs());
        way.check(&way.log());
    }
}

/// Ranks that do not find each other on their node talk through MPI.
#[test]
fn each_rank_has_a_parent_of_its_own() {
    const WAITS: &str = "\"$0\" \"$@\"; exit $?";
    for stack in stacks() {
        let way = Way::new(stack, "finished", "parents").with(&["sh", "-c", WAITS]);
        way.run();
        assert_eq!(way.logs().len(), 1, "{}: {:?}", way.label(), way.logs());
        way.check(&way.log());
    }
}

#[test]
fn records_of_ranks_stay_apart_if_asked() {
    for stack in stacks() {
        let way = Way::new(stack, "finished", "apart");
        let way = way.with(&["DARSHAN_DISABLE_SHARED_REDUCTION=1"]);
        way.run();
        let each = (0..i64::from(RANKS)).map(|rank| (rank, 1000)).collect();
        assert_eq!(way.bytes(&way.log(), "data"), each, "{}", way.label());
    }
}

/// What threads write while MPI ends is in the log or in one of the small ones, but for a call that was
/// under way when they parted.
#[test]
fn threads_go_on_while_mpi_ends() {
    for stack in stacks() {
        let way = Way::new(stack, "threads", "threads");
        way.run_and_compare();
        let log = way.log();
        way.check(&log);
        for (rank, thread) in (0..i64::from(RANKS)).flat_map(|rank| [(rank, 0), (rank, 1)]) {
            let name = format!("busy.{rank}.{thread}");
            let size = fs::metadata(way.files().join(&name)).unwrap().len() as i64;
            let found = way.bytes(&log, &name)[&rank];
            assert!((0..=10).contains(&(size - found)), "{}: {found} of {size}", way.label());
        }
    }
}

#[test]
fn ranks_that_do_not_end_mpi_have_logs_of_their_own() {
    for stack in stacks() {
        let way = Way::new(stack, "left", "left");
        way.run();
        // Launchers may kill a rank that is still writing.
        way.recover();
        way.check(&way.log());
    }
}

#[test]
fn ranks_that_are_killed_are_recovered() {
    for stack in stacks() {
        for how in ["killed", "aborted"] {
            let way = Way::new(stack, how, how);
            assert!(!way.run().status.success());
            way.recover();
            way.check(&way.log());
        }
    }
}

/// Each rank has a log of its own then.
#[test]
fn a_rank_comes_too_late() {
    for stack in stacks() {
        let way = Way::new(stack, "slower", "slower").with(&["IOGLASS_MPI_TIMEOUT=1"]);
        let begin = Instant::now();
        let output = way.run();
        assert!(output.status.success(), "{}: {}", way.label(), said(&output));
        assert!(begin.elapsed().as_secs() < 20, "{}", way.label());
        assert!(way.logs().len() >= RANKS as usize, "{}: {:?}", way.label(), way.logs());
        way.check(&way.log());
    }
}

/// The others do not wait for it longer than they are told to, and it does not hold up the program.
#[test]
fn a_rank_is_not_recorded() {
    const SWITCH: &str = "test \"${OMPI_COMM_WORLD_RANK:-$PMI_RANK}\" != 1 || \
                          export IOGLASS_DISABLE=1; exec \"$0\" \"$@\"";
    for stack in stacks() {
        let way = Way::new(stack, "collective", "disabled");
        let way = way.with(&["IOGLASS_MPI_TIMEOUT=1", "sh", "-c", SWITCH]);
        let output = way.run();
        assert!(output.status.success(), "{}: {}", way.label(), said(&output));
        let others = [0, 2, 3].map(|rank| (rank, 1000)).into();
        assert_eq!(way.bytes(&way.log(), "data"), others, "{}", way.label());
    }
}

#[test]
fn ranks_that_are_left_out_take_part() {
    for stack in stacks() {
        let way = Way::new(stack, "finished", "left-out").with(&["DARSHAN_RANK_EXCLUDE=1:2"]);
        way.run_and_compare();
        assert_eq!(way.logs().len(), 1, "{}: {:?}", way.label(), way.logs());
        let others = [0, 3].map(|rank| (rank, 1000)).into();
        assert_eq!(way.bytes(&way.log(), "data"), others, "{}", way.label());
        way.room.check_nothing_left();
    }
}

/// A rank that is to write but does not see the directory sends its bytes to one that does.
#[test]
fn a_rank_does_not_see_the_folder_of_logs() {
    const HIDE: &str = "test \"${OMPI_COMM_WORLD_RANK:-$PMI_RANK}\" = 0 || \
                        mount -t tmpfs tmpfs \"$DARSHAN_LOGPATH\" || exit 1; exec \"$0\" \"$@\"";
    for stack in stacks() {
        let way = Way::new(stack, "finished", "hidden");
        if !way.room.is_private() {
            return;
        }
        let way = way.with(&["IOGLASS_AGGREGATORS=4", "unshare", "--mount", "sh", "-c", HIDE]);
        let output = way.run();
        assert!(output.status.success(), "{}: {}", way.label(), said(&output));
        assert_eq!(way.logs().len(), 1, "{}: {:?}", way.label(), way.logs());
        way.check(&way.log());
    }
}

#[test]
fn a_folder_that_cannot_be_written_is_told() {
    for stack in stacks() {
        let way = Way::new(stack, "finished", "fallback").with(&["DARSHAN_LOGPATH=/proc/logs"]);
        let log = one_log(&way);
        let fallback = log.job().metadata_value("fallback").unwrap().into_owned();
        assert!(fallback.starts_with("/proc/logs/"), "{fallback}");
    }
}

/// Another tool, in front of the library or behind it, sees what it would see without.
#[test]
fn another_tool_takes_over_the_same_names() {
    for stack in stacks() {
        let tool = tool(stack);
        let ours = library();
        for (label, libraries) in [("first", [&tool, &ours]), ("second", [&ours, &tool])] {
            let way = Way::new(stack, "finished", label);
            let [first, second] = libraries.map(|library| library.display());
            let way = way.with(&[&format!("LD_PRELOAD={first}:{second}")]);
            let output = way.run();
            let said = String::from_utf8_lossy(&output.stdout).into_owned();
            let seen = said.lines().filter(|line| *line == "10 writes").count();
            assert_eq!(seen, RANKS as usize, "{} {label}: {said}", way.label());
            // What the tool prints when the log is written is not worth another.
            assert_eq!(way.logs().len(), 1, "{} {label}", way.label());
            way.check(&way.log());
        }
    }
}

/// The other tool, as a library.
fn tool(stack: &Stack) -> PathBuf {
    let library = scratch("mpi-alone-tool").join(format!("{}.so", stack.name));
    let mut command = Command::new(format!("mpicc.{}", stack.name));
    command.args(["-shared", "-fPIC", "-o"]).arg(&library).arg(folder().join("alone/tool.c"));
    assert!(command.status().unwrap().success());
    library.canonicalize().unwrap()
}
