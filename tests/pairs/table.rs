//! Everyday programs with a fault and the same ones without it, and programs that have none.
//!
//! Every pair says what its diagnosis must name first. Sources are beside this file; programs read
//! the variable `PAIR_SCALE` and do so many times less, for quick tests.

/// The way a program is started.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Program {
    /// A source, compiled or given to its interpreter.
    Source(&'static str),
    /// A source in C, started with so many ranks.
    Ranks(u32, &'static str),
    /// Words of a command line. A number in braces is divided by the scale.
    Command(&'static [&'static str]),
    /// A line for the shell.
    Shell(&'static str),
}

/// Software that must be installed, besides compilers and interpreters.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Need {
    /// A command.
    Command(&'static str),
    /// A module of Python.
    Module(&'static str),
}

/// The result that both programs of a pair must share.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Same {
    /// Their files, by name and content.
    Files,
    /// The content of all files, one after the other.
    Content,
    /// Their output.
    Output,
}

/// A program with a fault, and the same one without it.
#[derive(Debug)]
pub(crate) struct Pair {
    /// Name of the pair.
    pub(crate) name: &'static str,
    /// The language for the table.
    pub(crate) language: &'static str,
    /// The difference, in words.
    pub(crate) about: &'static str,
    /// The program with the fault.
    pub(crate) slow: Program,
    /// The program without it.
    pub(crate) fixed: Program,
    /// The source that makes what both read.
    pub(crate) given: Option<&'static str>,
    /// Software that must be installed.
    pub(crate) needs: &'static [Need],
    /// Codes of which one must be the first finding.
    pub(crate) codes: &'static [&'static str],
    /// The first file of that finding, without directories. None if it is one of many.
    pub(crate) file: Option<&'static str>,
    /// Dimensions of which the verdict must name one.
    pub(crate) dimensions: &'static [&'static str],
    /// The result that both leave.
    pub(crate) same: Same,
    /// True if pasted code that truncates the file would lose data: it is shared, appended to, only
    /// read, or a database.
    pub(crate) keeps: bool,
}

/// A program without a fault, or one that waits for something else.
#[derive(Debug)]
pub(crate) struct Healthy {
    /// Its name.
    pub(crate) name: &'static str,
    /// Its work, in words.
    pub(crate) about: &'static str,
    /// The program.
    pub(crate) run: Program,
    /// The source that makes what it reads.
    pub(crate) given: Option<&'static str>,
    /// Software that must be installed.
    pub(crate) needs: &'static [Need],
    /// As for a pair.
    pub(crate) keeps: bool,
}

use Need::{Command as Tool, Module};
use Program::{Command, Ranks, Shell, Source};

/// The pairs.
pub(crate) const PAIRS: &[Pair] = &[
    Pair {
        name: "endl",
        language: "C++",
        about: "`std::endl` or `'\\n'` in a million lines",
        slow: Source("endl/slow.cpp"),
        fixed: Source("endl/fixed.cpp"),
        given: None,
        needs: &[],
        codes: &["A01", "A02"],
        file: Some("table.txt"),
        dimensions: &["access_granularity"],
        same: Same::Files,
        keeps: false,
    },
    Pair {
        name: "log-reopen",
        language: "C",
        about: "a log opened for each of 100,000 lines, or once",
        slow: Source("log-reopen/slow.c"),
        fixed: Source("log-reopen/fixed.c"),
        given: None,
        needs: &[],
        codes: &["N01", "P17"],
        file: Some("run.log"),
        dimensions: &["metadata_intensity"],
        same: Same::Files,
        keeps: true,
    },
    Pair {
        name: "sync-each",
        language: "C",
        about: "1,200 small files read; `fdatasync` after each of 400 writes, or once",
        slow: Source("sync-each/slow.c"),
        fixed: Source("sync-each/fixed.c"),
        given: Some("sync-each/given.sh"),
        needs: &[],
        codes: &["A06"],
        file: Some("journal.dat"),
        dimensions: &["throughput_utilization"],
        same: Same::Files,
        keeps: true,
    },
    Pair {
        name: "random-pages",
        language: "C",
        about: "24,000 pages of a cold file in any order, or in the order of the file",
        slow: Source("random-pages/slow.c"),
        fixed: Source("random-pages/fixed.c"),
        given: Some("random-pages/given.sh"),
        needs: &[],
        codes: &["P11"],
        file: Some("pages.dat"),
        dimensions: &["access_pattern"],
        same: Same::Output,
        keeps: true,
    },
    Pair {
        name: "small-writes",
        language: "C",
        about: "48.8 MiB in writes of 64 B, or of 1 MiB",
        slow: Source("small-writes/slow.c"),
        fixed: Source("small-writes/fixed.c"),
        given: None,
        needs: &[],
        codes: &["A01"],
        file: Some("records.dat"),
        dimensions: &["access_granularity"],
        same: Same::Files,
        keeps: false,
    },
    Pair {
        name: "byte-reads",
        language: "C",
        about: "2 MB in reads of one byte, or of 1 MiB",
        slow: Source("byte-reads/slow.c"),
        fixed: Source("byte-reads/fixed.c"),
        given: Some("byte-reads/given.sh"),
        needs: &[],
        codes: &["A01"],
        file: Some("input.bin"),
        dimensions: &["access_granularity"],
        same: Same::Output,
        keeps: true,
    },
    Pair {
        name: "fseek-each",
        language: "C",
        about: "`fseek` before each of 4 million `fread` of 16 B, or none",
        slow: Source("fseek-each/slow.c"),
        fixed: Source("fseek-each/fixed.c"),
        given: Some("fseek-each/given.sh"),
        needs: &[],
        codes: &["X01"],
        file: Some("table.bin"),
        dimensions: &["interface_choice"],
        same: Same::Output,
        keeps: true,
    },
    Pair {
        name: "npy-again",
        language: "Python",
        about: "`numpy.load` of 128 MiB, 20 times or once",
        slow: Source("npy-again/slow.py"),
        fixed: Source("npy-again/fixed.py"),
        given: Some("npy-again/given.py"),
        needs: &[Module("numpy")],
        codes: &["A04"],
        file: Some("weights.npy"),
        dimensions: &["throughput_utilization"],
        same: Same::Output,
        keeps: true,
    },
    Pair {
        name: "save-again",
        language: "Python",
        about: "a result of 32 MiB, written 24 times or once",
        slow: Source("save-again/slow.py"),
        fixed: Source("save-again/fixed.py"),
        given: None,
        needs: &[],
        codes: &["A05"],
        file: Some("results.bin"),
        dimensions: &["throughput_utilization"],
        same: Same::Files,
        keeps: false,
    },
    Pair {
        name: "unbuffered",
        language: "Python",
        about: "a file of 600,000 lines opened with `buffering=0`, or with a buffer",
        slow: Source("unbuffered/slow.py"),
        fixed: Source("unbuffered/fixed.py"),
        given: None,
        needs: &[],
        codes: &["A01", "A02"],
        file: Some("table.csv"),
        dimensions: &["access_granularity"],
        same: Same::Files,
        keeps: false,
    },
    Pair {
        name: "mkdir-each",
        language: "Python",
        about: "a directory made and removed 700 times, or once",
        slow: Source("mkdir-each/slow.py"),
        fixed: Source("mkdir-each/fixed.py"),
        given: None,
        needs: &[],
        codes: &["N01", "P17"],
        file: None,
        dimensions: &["metadata_intensity"],
        same: Same::Output,
        keeps: false,
    },
    Pair {
        name: "sqlite-commits",
        language: "Python, SQLite",
        about: "300 inserts committed one by one, or together",
        slow: Source("sqlite-commits/slow.py"),
        fixed: Source("sqlite-commits/fixed.py"),
        given: None,
        needs: &[Module("sqlite3")],
        codes: &["A06"],
        file: Some("orders.db"),
        dimensions: &["throughput_utilization"],
        same: Same::Output,
        keeps: true,
    },
    Pair {
        name: "h5-rows",
        language: "Python, HDF5",
        about: "100 rows of packed chunks of 1,000, the file opened for each, or read once",
        slow: Source("h5-rows/slow.py"),
        fixed: Source("h5-rows/fixed.py"),
        given: Some("h5-rows/given.py"),
        needs: &[Module("h5py")],
        codes: &["H04", "H03"],
        file: Some("samples.h5"),
        dimensions: &["access_granularity", "throughput_utilization"],
        same: Same::Output,
        keeps: true,
    },
    Pair {
        name: "h5-flush",
        language: "Python, HDF5",
        about: "a packed dataset flushed after each of 150 rows, or once",
        slow: Source("h5-flush/slow.py"),
        fixed: Source("h5-flush/fixed.py"),
        given: None,
        needs: &[Module("h5py")],
        codes: &["A06"],
        file: Some("steps.h5"),
        dimensions: &["throughput_utilization"],
        same: Same::Output,
        keeps: false,
    },
    Pair {
        name: "shell-append",
        language: "shell",
        about: "`>> out.txt` at each of 40,000 lines, or once around the loop",
        slow: Source("shell-append/slow.sh"),
        fixed: Source("shell-append/fixed.sh"),
        given: None,
        needs: &[],
        codes: &["N01", "P17"],
        file: Some("out.txt"),
        dimensions: &["metadata_intensity"],
        same: Same::Files,
        keeps: true,
    },
    Pair {
        name: "dd-dsync",
        language: "shell",
        about: "`dd` of 160 blocks with `oflag=dsync` or `conv=fdatasync`",
        slow: Command(&[
            "dd",
            "if=/dev/zero",
            "of=out.dat",
            "bs=16k",
            "count={160}",
            "oflag=dsync",
        ]),
        fixed: Command(&[
            "dd",
            "if=/dev/zero",
            "of=out.dat",
            "bs=16k",
            "count={160}",
            "conv=fdatasync",
        ]),
        given: None,
        needs: &[],
        codes: &["A06"],
        file: Some("out.dat"),
        dimensions: &["throughput_utilization"],
        same: Same::Files,
        keeps: false,
    },
    Pair {
        name: "node-append",
        language: "Node",
        about: "`appendFileSync` of 120,000 lines, or of all together",
        slow: Source("node-append/slow.js"),
        fixed: Source("node-append/fixed.js"),
        given: None,
        needs: &[],
        codes: &["N01", "P17"],
        file: Some("service.log"),
        dimensions: &["metadata_intensity"],
        same: Same::Files,
        keeps: true,
    },
    Pair {
        name: "node-files",
        language: "Node",
        about: "10,000 small files, or one",
        slow: Source("node-files/slow.js"),
        fixed: Source("node-files/fixed.js"),
        given: None,
        needs: &[],
        codes: &["N01", "N02", "P17"],
        file: None,
        dimensions: &["file_strategy", "metadata_intensity"],
        same: Same::Content,
        keeps: false,
    },
    Pair {
        name: "probes",
        language: "Perl",
        about: "600,000 names looked up, or the directory listed once",
        slow: Source("probes/slow.pl"),
        fixed: Source("probes/fixed.pl"),
        given: Some("probes/given.sh"),
        needs: &[],
        codes: &["N05"],
        file: None,
        dimensions: &["metadata_intensity"],
        same: Same::Output,
        keeps: true,
    },
    Pair {
        name: "mpi-records",
        language: "C, 4 ranks",
        about: "300,000 records of 16 B of each rank, one by one or in one call",
        slow: Ranks(4, "mpi-records/slow.c"),
        fixed: Ranks(4, "mpi-records/fixed.c"),
        given: None,
        needs: &[],
        codes: &["A01", "C07", "M03"],
        file: Some("records.dat"),
        dimensions: &["access_granularity", "interface_choice"],
        same: Same::Files,
        keeps: true,
    },
    Pair {
        name: "mpi-posix",
        language: "C, 2 ranks",
        about: "16 MiB of each rank in a shared file, in pieces of 64 B or of 1 MiB",
        slow: Ranks(2, "mpi-posix/slow.c"),
        fixed: Ranks(2, "mpi-posix/fixed.c"),
        given: None,
        needs: &[],
        codes: &["A01", "C08", "P16"],
        file: Some("field.dat"),
        dimensions: &["access_granularity", "interface_choice"],
        same: Same::Files,
        keeps: true,
    },
];

/// Programs that nothing is wrong with.
pub(crate) const HEALTHY: &[Healthy] = &[
    Healthy {
        name: "copy-tree",
        about: "`cp -r` of 2,000 small files",
        run: Command(&["cp", "-r", "tree", "copy"]),
        given: Some("healthy/given-tree.sh"),
        needs: &[],
        keeps: true,
    },
    Healthy {
        name: "archive",
        about: "`tar cf` of 2,000 small files",
        run: Command(&["tar", "cf", "tree.tar", "tree"]),
        given: Some("healthy/given-tree.sh"),
        needs: &[],
        keeps: true,
    },
    Healthy {
        name: "search",
        about: "`grep -r` in 2,000 small files",
        run: Command(&["grep", "-r", "--count", "needle", "tree"]),
        given: Some("healthy/given-tree.sh"),
        needs: &[],
        keeps: true,
    },
    Healthy {
        name: "synchronize",
        about: "`rsync -a` of 2,000 small files",
        run: Command(&["rsync", "-a", "tree/", "copy/"]),
        given: Some("healthy/given-tree.sh"),
        needs: &[Tool("rsync")],
        keeps: true,
    },
    Healthy {
        name: "remove",
        about: "`rm -rf` of 2,000 small files",
        run: Command(&["rm", "-rf", "tree"]),
        given: Some("healthy/given-tree.sh"),
        needs: &[],
        keeps: true,
    },
    Healthy {
        name: "count-lines",
        about: "`wc -l` of 135 MB",
        run: Command(&["wc", "-l", "lines.txt"]),
        given: Some("healthy/given-lines.sh"),
        needs: &[],
        keeps: true,
    },
    Healthy {
        name: "python-lines",
        about: "`for line in file` in Python, 135 MB",
        run: Source("healthy/lines.py"),
        given: Some("healthy/given-lines.sh"),
        needs: &[],
        keeps: true,
    },
    Healthy {
        name: "compress",
        about: "`gzip` of 9 MB",
        run: Command(&["gzip", "--keep", "numbers.txt"]),
        given: Some("healthy/given-numbers.sh"),
        needs: &[],
        keeps: true,
    },
    Healthy {
        name: "sort",
        about: "`sort` of a million numbers",
        run: Command(&["sort", "-n", "-o", "sorted.txt", "numbers.txt"]),
        given: Some("healthy/given-numbers.sh"),
        needs: &[],
        keeps: true,
    },
    Healthy {
        name: "commit",
        about: "`git add`, `commit` and `status` of 100 files",
        run: Source("healthy/git.sh"),
        given: Some("healthy/given-repository.sh"),
        needs: &[Tool("git")],
        keeps: true,
    },
    Healthy {
        name: "build",
        about: "`make` of 21 small files of C",
        run: Command(&["make", "-C", "project"]),
        given: Some("healthy/given-project.sh"),
        needs: &[Tool("make"), Tool("cc")],
        keeps: true,
    },
    Healthy {
        name: "waits-for-writer",
        about: "`cat` of a named pipe whose writer sleeps",
        run: Source("healthy/pipe-wait.sh"),
        given: None,
        needs: &[],
        keeps: true,
    },
    Healthy {
        name: "waits-for-pipe",
        about: "`sleep 1 | cat`",
        run: Shell("sleep 1 | cat"),
        given: None,
        needs: &[],
        keeps: true,
    },
    Healthy {
        name: "large-writes",
        about: "256 MiB in writes of 4 MiB",
        run: Source("healthy/large-writes.c"),
        given: None,
        needs: &[],
        keeps: false,
    },
    Healthy {
        name: "compute",
        about: "Python that computes",
        run: Source("healthy/compute.py"),
        given: None,
        needs: &[],
        keeps: false,
    },
    Healthy {
        name: "one-transaction",
        about: "400,000 inserts into SQLite in one transaction",
        run: Source("healthy/one_transaction.py"),
        given: None,
        needs: &[Module("sqlite3")],
        keeps: true,
    },
    Healthy {
        name: "contiguous",
        about: "h5py, 128 MiB in four writes",
        run: Source("healthy/contiguous.py"),
        given: None,
        needs: &[Module("h5py")],
        keeps: false,
    },
    Healthy {
        name: "collective",
        about: "4 ranks, 160 MiB in collective writes of 4 MiB",
        run: Ranks(4, "healthy/collective.c"),
        given: None,
        needs: &[],
        keeps: true,
    },
];
