//! Advice is for the process that did the I/O, keeps its data, and is complete.

use ioglass_insight::memory::MemoryRecording;
use ioglass_insight::threshold::Thresholds;
use ioglass_insight::{Advice, Diagnosis, Language};

use super::counters::{Counters, nothing, read, write};
use super::of;
use super::recipe::{EACH, KIB, Recipe, log_of, only, run};

/// Many small writes, which take half of the run.
fn small_writes() -> Counters {
    write(60_000.0, 64.0, 50.0)
}

fn by(ranks: i64, command: &str) -> Recipe {
    let mut recipe = run(ranks);
    recipe.command(command);
    recipe
}

/// The diagnosis with a table of processes: rank, runtimes, command line.
fn with_processes(recipe: &Recipe, processes: &[(&str, &str, &str)]) -> Diagnosis {
    let log = log_of(recipe.text().as_bytes());
    let mut recording = MemoryRecording::copy_of(&log).unwrap();
    let rows = processes
        .iter()
        .map(|(rank, libraries, command)| format!("{rank}\t{libraries}\t{command}\n"));
    let table = format!("rank\tlibraries\tcommand\n{}", rows.collect::<String>());
    recording.set_table("processes", table);
    Diagnosis::of(&recording, &Thresholds::default())
}

fn advice<'a>(found: &'a Diagnosis, code: &str) -> &'a [Advice] {
    &of(found, code).unwrap_or_else(|| panic!("{code} is absent")).advice
}

/// The language of the first snippet about small requests.
fn language(found: &Diagnosis) -> Option<Language> {
    advice(found, "A01").iter().flat_map(|advice| &advice.snippets).next().map(|it| it.language)
}

#[test]
fn rule_15_the_language_is_that_of_the_process_that_did_the_io() {
    for (command, wanted) in [
        ("python3 job.py", Language::Python),
        ("mpirun -n 4 python job.py", Language::Python),
        ("srun -n 4 --mpi pmix python3 -u job.py", Language::Python),
        ("env OMP_NUM_THREADS=1 time -p nice -n 5 timeout 60 python3 job.py", Language::Python),
        ("sh -c cd /data && exec python3 job.py", Language::Python),
        ("node server.js", Language::JavaScript),
        ("nice perl count.pl", Language::Perl),
        ("bash job.sh", Language::Shell),
        ("./app", Language::C),
        ("mpirun -n 4 ./app job.dat", Language::C),
    ] {
        let found = by(1, command).posix(only(0), small_writes()).diagnose();
        assert_eq!(language(&found), Some(wanted), "{command}");
    }
    // The process that did the I/O counts, whatever started it.
    let alone = by(1, "sh -c ./make-input | ./app").posix(only(0), small_writes());
    for (libraries, command, wanted) in [
        ("stdc++", "./app", Language::Cpp),
        ("gfortran", "./app", Language::Fortran),
        ("-", "./app", Language::C),
        ("stdc++,python", "/usr/bin/python3 job.py", Language::Python),
        ("stdc++,node", "/opt/bin/server", Language::JavaScript),
        ("perl", "/opt/bin/count", Language::Perl),
    ] {
        let found = with_processes(&alone, &[("-", "-", "sh -c"), ("0", libraries, command)]);
        assert_eq!(language(&found), Some(wanted), "{command}");
    }
    // Streams of the C library are used as in C, also by C++.
    let streams = by(1, "./app").stdio(only(0), write(6e6, 8.0, 50.0));
    let found = with_processes(&streams, &[("0", "stdc++", "./app")]);
    let snippets = found.findings.iter().flat_map(|it| &it.advice).flat_map(|it| &it.snippets);
    assert!(
        snippets.clone().count() > 0 && snippets.clone().all(|it| it.language != Language::Cpp)
    );
    let parallel = by(4, "mpirun -n 4 python3 job.py").file("/data/shared");
    let found = parallel.posix(EACH, small_writes()).diagnose();
    let mut snippets = found.findings.iter().flat_map(|it| &it.advice).flat_map(|it| &it.snippets);
    assert!(snippets.all(|snippet| snippet.language == Language::Python));
}

#[test]
fn rule_15_tools_get_what_helps_them_or_nothing() {
    for tool in ["zip -r a.zip src", "grep -r x src", "timeout 60 rsync -a src there", "make"] {
        let found = by(1, tool).posix(only(0), small_writes()).diagnose();
        assert_eq!(advice(&found, "A01"), [], "{tool}");
    }
    let found = by(1, "nice dd if=a of=b oflag=append,dsync conv=notrunc")
        .posix(only(0), small_writes())
        .diagnose();
    let line = &advice(&found, "A01")[0].commands[0].line;
    assert_eq!(line, "dd bs=1M if=a of=b conv=notrunc oflag=append,dsync");
}

/// Small writes and many syncs of a database, which is known by its name or by its journal.
#[test]
fn rule_16_databases_get_transactions() {
    let synced =
        |recipe: Recipe| recipe.posix(only(0), write(500.0, KIB, 12.0).with("FSYNCS", 500.0));
    let named = synced(by(1, "python3 fill.py").file("/data/all.db"));
    let by_journal = synced(by(1, "python3 fill.py").file("/data/all"))
        .file("/data/all-journal")
        .posix(only(0), nothing().opened(3.0));
    let of_journal = synced(by(1, "python3 fill.py").file("/data/all.sqlite-wal"));
    for recipe in [named, by_journal, of_journal] {
        let found = recipe.diagnose();
        let advice = &advice(&found, "A06")[0];
        assert!(advice.text.contains("one transaction"), "{}", advice.text);
        assert!(advice.text.contains("a crash loses"), "{}", advice.text);
        let languages: Vec<Language> = advice.snippets.iter().map(|it| it.language).collect();
        assert_eq!(languages, [Language::Python, Language::Sql]);
    }
    let found = by(1, "./app").file("/data/all.db").posix(only(0), small_writes()).diagnose();
    assert_eq!(language(&found), Some(Language::Sql));
}

#[test]
fn rule_16_only_the_sole_file_is_named_in_code() {
    let one = by(1, "python3 job.py").file("/data/log.dat").posix(only(0), small_writes());
    let code = |recipe: &Recipe| advice(&recipe.diagnose(), "A01")[0].snippets[0].code.clone();
    assert!(code(&one).contains("open(\"/data/log.dat\", mode, buffering="), "{}", code(&one));
    let two = one.file("/data/in.dat").posix(only(0), read(10.0, KIB, 0.1));
    assert!(code(&two).contains("open(path, mode, buffering="), "{}", code(&two));
}

#[test]
fn rule_17_chunks_are_changed_in_a_copy_of_the_file() {
    let recipe = by(1, "python3 job.py").file("/data/it's/data.h5");
    let chunked = read(5000.0, 2.0 * KIB, 40.0)
        .with("DATATYPE_SIZE", 8.0)
        .with("DATASPACE_NDIMS", 2.0)
        .with("CHUNK_SIZE_D1", 1024.0)
        .with("CHUNK_SIZE_D2", 512.0)
        .with("ACCESS1_LENGTH_D4", 256.0)
        .with("ACCESS1_LENGTH_D5", 1.0);
    let found = recipe
        .h5f(only(0), nothing().opened(1.0))
        .dataset(only(0), chunked)
        .posix(only(0), read(5000.0, 2.0 * KIB, 40.0))
        .diagnose();
    let line = &advice(&found, "H04")[0].commands[0].line;
    assert!(line.starts_with("h5repack -l /d:CHUNK=1x256 "), "{line}");
    let copy = r"'/data/it'\''s/data.h5' '/data/it'\''s/data.rechunked.h5'";
    assert!(line.ends_with(copy), "{line}");
}
