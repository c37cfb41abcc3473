//! What strace saw of a command and what the log says agree, file by file.
//!
//! The log knows the calls a program makes, strace those that reach the kernel. They differ where the C
//! library works for a stream: `fwrite` is one write of the program and, later, one of the kernel.
//! So of a file that a stream was opened on only the bytes are compared. What a child of vfork does
//! before it becomes another program is not recorded, because it runs in its parent's memory; Python's
//! `subprocess` forks instead when it has a function to call (`preexec_fn`).

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::run::{Mode, under};
use super::seen::{self, Seen};
use crate::peer;
use crate::support::{missing, scratch};

/// Calls that succeeded, of all processes.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
struct Calls {
    opens: i64,
    dups: i64,
    reads: i64,
    writes: i64,
    seeks: i64,
    stats: i64,
    bytes_read: i64,
    bytes_written: i64,
}

type ByFile = BTreeMap<String, Calls>;

/// Shell commands over a directory that has the files `in` and `other`. None makes a file its
/// standard output and prints to that through a stream, which is a record of `<STDOUT>` (`sort -o`
/// does), and none reads with a `getc_unlocked` that the compiler has put in its place (`uniq`,
/// `paste`, `join`).
const COREUTILS: &[&str] = &[
    "cp in out",
    "cp --reflink=never --sparse=always in out",
    "cp -p in other out 2>/dev/null || mkdir d && cp -pr in other d",
    "cat in other > out",
    "cat in >> other",
    "cat < in | cat > out",
    "dd if=in of=out bs=1000 conv=fsync status=none",
    "dd if=in of=other bs=512 seek=10 skip=3 count=5 conv=notrunc status=none",
    "dd if=in of=out bs=4096 oflag=append conv=notrunc status=none; dd of=out bs=100 if=in status=none",
    "cat /dev/stdin < in > /dev/null",
    "cat /proc/self/fd/3 3< in",
    "head -c 100 in",
    "head -n 5 in other",
    "tail -n 3 in",
    "tail -c 100 in",
    "wc in",
    "wc -c in other",
    "tee out < in",
    "tee -a other out < in",
    "split -b 10000 in",
    "mv in out",
    "mv in other",
    "rm in; rm -f nothing",
    "touch in new; ls -l",
    "truncate -s 100 in",
    "stat in other; test -e in; test in -nt other",
    "cmp in in; cmp in other",
    "ln in hard; cat hard",
    "sha256sum in",
    "od -c in",
    "tac in",
    "grep -c 99 in",
    "sed -i s/1/2/ in",
    "tar cf out.tar in other; tar tf out.tar; mkdir d; tar xf out.tar -C d",
    "gzip -k in; gunzip -c in.gz",
    "exec 3< in 4> out; read line <&3; echo \"$line\" >&4; cat <&3 >&4",
    "while read line; do :; done < other",
    "(echo one; echo two) > out; echo three >> out",
    "diff in other",
    "find . -type f -size +1k",
];

const PYTHON: &[&str] = &[
    "open('out', 'w').write('text' * 10000)",
    "open('out', 'wb', buffering=0).write(open('in', 'rb').read())",
    "print(len(open('in').readlines()))",
    "f = open('other', 'r+b'); f.seek(10); f.write(b'x'); f.seek(0); f.read(5); f.close()",
    "import shutil; shutil.copy('in', 'out'); shutil.copyfile('in', 'o2'); shutil.move('o2', 'o3')",
    "import os; fd = os.open('in', os.O_RDONLY); os.dup(fd); os.pread(fd, 9, 9); os.lseek(fd, 0, 2)",
    "import pathlib; pathlib.Path('out').write_text(pathlib.Path('in').read_text())",
    "import os; [e.stat() for e in os.scandir('.')]; os.path.getsize('in'); os.path.exists('no')",
    "import tempfile; t = tempfile.NamedTemporaryFile(dir='.'); t.write(b'abc'); t.flush()",
    "import subprocess; subprocess.run(['cat', 'in'], stdout=open('out', 'wb'), preexec_fn=int)",
    "import sqlite3; c = sqlite3.connect('base'); c.execute('create table t (a)'); c.commit()",
    "import zipfile; z = zipfile.ZipFile('z', 'w'); z.write('in'); z.close()",
    "import gzip; gzip.open('z', 'wb').write(open('in', 'rb').read())",
    "import mmap; f = open('in', 'r+b'); m = mmap.mmap(f.fileno(), 0); m[0:3] = b'abc'; m.flush()",
    "import numpy; numpy.save('a', numpy.zeros(1000))",
    "import numpy; numpy.savetxt('a', numpy.zeros(100)); numpy.loadtxt('a')",
    "import h5py; f = h5py.File('a', 'w'); f['x'] = range(5000); f.close(); h5py.File('a')['x'][:]",
    "import os\nif os.fork(): os.wait()\nelse: open('out', 'w').write('child')",
];

#[test]
fn coreutils_agree_with_strace() {
    compare("strace-coreutils", COREUTILS, Path::new("sh"));
}

#[test]
fn python_agrees_with_strace() {
    let Some(python) = peer::python() else { return };
    compare("strace-python", PYTHON, &python);
}

/// Runs `interpreter -c text` for each text, once under each observer.
fn compare(name: &str, texts: &[&str], interpreter: &Path) {
    let strace = Path::new("/usr/bin/strace");
    if !strace.exists() {
        return missing("strace", strace);
    }
    let place = scratch(name).canonicalize().unwrap();
    // The same directory for both, so that names have the same length.
    let folder = place.join("folder");
    let mut traced = Vec::new();
    let mut logs = Vec::new();
    for (i, text) in texts.iter().enumerate() {
        let trace = place.join(format!("{i}.strace"));
        let mut watched = Command::new(strace);
        watched.args(["-f", "-y", "-s0", "-e", "trace=file,desc,process", "-o"]).arg(&trace);
        run(watched.arg(interpreter).args(["-c", text]), &folder);
        traced.push(parse(&fs::read_to_string(&trace).unwrap(), &folder));

        let log = place.join(format!("{i}.darshan"));
        let _ = fs::remove_file(&log);
        run(under(Mode::Run, &log).arg(interpreter).args(["-c", text]), &folder);
        logs.push(log);
    }
    let mut wrong = Vec::new();
    for ((text, traced), seen) in texts.iter().zip(traced).zip(seen::read(&logs)) {
        match seen {
            Err(problem) => wrong.push(format!("{text}\n  {problem}")),
            Ok(seen) => {
                let found = differences(&traced, &seen, &folder);
                wrong.extend(found.iter().map(|found| format!("{text}\n  {found}")));
            }
        }
    }
    assert!(wrong.is_empty(), "what differs:\n{}", wrong.join("\n"));
}

/// Whatever the command ends with; that is compared elsewhere.
fn run(command: &mut Command, folder: &Path) {
    let _ = fs::remove_dir_all(folder);
    fs::create_dir_all(folder).unwrap();
    let lines: String = (1..=10000).map(|i| format!("{i}\n")).collect();
    fs::write(folder.join("in"), lines).unwrap();
    fs::write(folder.join("other"), "a b\nc d\n").unwrap();
    let quiet = command.current_dir(folder).stdin(Stdio::null()).stdout(Stdio::null());
    // One locale, so that both runs look for the same files.
    quiet.stderr(Stdio::null()).env("LC_ALL", "C").status().unwrap();
}

fn differences(traced: &ByFile, seen: &Seen, folder: &Path) -> Vec<String> {
    let mut wrong = Vec::new();
    let recorded = recorded(seen, folder);
    let mut names: Vec<&String> = traced.keys().chain(recorded.keys()).collect();
    names.sort();
    names.dedup();
    for name in names {
        let traced = traced.get(name).cloned().unwrap_or_default();
        let (recorded, is_stream) = recorded.get(name).cloned().unwrap_or_default();
        let agrees = if is_stream {
            (traced.bytes_read, traced.bytes_written)
                == (recorded.bytes_read, recorded.bytes_written)
        } else {
            traced == recorded
        };
        if !agrees {
            wrong.push(format!("{name}: strace {traced:?}\n  {name}: log    {recorded:?}"));
        }
    }
    wrong
}

/// What the log says of the files in the directory, and whether a stream was opened on them.
fn recorded(seen: &Seen, folder: &Path) -> BTreeMap<String, (Calls, bool)> {
    let mut found: BTreeMap<String, (Calls, bool)> = BTreeMap::new();
    for record in &seen.records {
        let Some(name) = inside(&record.name, folder) else { continue };
        let (calls, is_stream) = found.entry(name).or_default();
        let counter = |name: &str| record.counter(&format!("{}_{name}", record.module));
        *is_stream |= record.module == "STDIO";
        calls.opens += counter("OPENS") - counter("DUPS") - counter("FILENOS") - counter("FDOPENS");
        calls.dups += counter("DUPS");
        calls.reads += counter("READS");
        calls.writes += counter("WRITES");
        calls.seeks += counter("SEEKS");
        calls.stats += counter("STATS");
        calls.bytes_read += counter("BYTES_READ");
        calls.bytes_written += counter("BYTES_WRITTEN");
    }
    // Renaming has counters of its own, which strace's view has not.
    found.retain(|_, (calls, _)| *calls != Calls::default());
    found
}

/// The name of a file in the directory. Temporary ones have another name in each run.
fn inside(path: &str, folder: &Path) -> Option<String> {
    let name = path.strip_prefix(folder.to_str().unwrap())?.strip_prefix('/')?;
    let temporary = ["sed", "tmp"].iter().find(|start| name.starts_with(**start));
    Some(temporary.map_or(name, |start| start).to_owned())
}

/// Reads strace's output: `PID call(ARGUMENTS) = RESULT`, where descriptors are `3</their/path>`.
fn parse(text: &str, folder: &Path) -> ByFile {
    let mut found = ByFile::new();
    let mut unfinished: BTreeMap<&str, String> = BTreeMap::new();
    for line in text.lines() {
        let Some((pid, rest)) = line.split_once(' ') else { continue };
        let rest = rest.trim_start();
        if let Some(begin) = rest.strip_suffix("<unfinished ...>") {
            unfinished.insert(pid, begin.to_owned());
            continue;
        }
        let whole = match rest.strip_prefix("<... ").and_then(|rest| rest.split_once(" resumed>")) {
            Some((_, end)) => unfinished.remove(pid).unwrap_or_default() + end,
            None => rest.to_owned(),
        };
        if let Some(call) = Call::parse(&whole) {
            call.count(&mut found, folder);
        }
    }
    found.retain(|_, calls| *calls != Calls::default());
    found
}

struct Call<'a> {
    name: &'a str,
    arguments: &'a str,
    result: i64,
    /// Of the descriptor that it gave back.
    opened: Option<&'a str>,
    /// Of the descriptors that it was given.
    paths: Vec<&'a str>,
}

impl<'a> Call<'a> {
    /// `None` for anything but a call that succeeded.
    fn parse(line: &'a str) -> Option<Self> {
        let (call, outcome) = line.rsplit_once(" = ")?;
        let (name, arguments) = call.split_once('(')?;
        let digits = outcome.find(|c: char| !c.is_ascii_digit()).unwrap_or(outcome.len());
        let result = outcome[..digits].parse().ok()?;
        let opened = descriptors(outcome).first().copied();
        Some(Self { name, arguments, result, opened, paths: descriptors(arguments) })
    }

    fn count(&self, found: &mut ByFile, folder: &Path) {
        let mut of = |path: Option<&str>, count: &dyn Fn(&mut Calls)| {
            if let Some(name) = path.and_then(|path| inside(path, folder)) {
                count(found.entry(name).or_default());
            }
        };
        let read = |calls: &mut Calls| {
            calls.reads += 1;
            calls.bytes_read += self.result;
        };
        let write = |calls: &mut Calls| {
            calls.writes += 1;
            calls.bytes_written += self.result;
        };
        let path = |i: usize| self.paths.get(i).copied();
        match self.name {
            "open" | "openat" | "creat" => of(self.opened, &|calls| calls.opens += 1),
            "dup" | "dup2" | "dup3" => of(self.opened, &|calls| calls.dups += 1),
            "fcntl" if self.arguments.contains("F_DUPFD") => {
                of(self.opened, &|calls| calls.dups += 1);
            }
            "read" | "pread64" | "readv" | "preadv" | "preadv2" => of(path(0), &read),
            "write" | "pwrite64" | "writev" | "pwritev" | "pwritev2" => of(path(0), &write),
            "copy_file_range" | "splice" => {
                of(path(0), &read);
                of(path(1), &write);
            }
            "sendfile" => {
                of(path(0), &write);
                of(path(1), &read);
            }
            "lseek" => of(path(0), &|calls| calls.seeks += 1),
            "stat" | "lstat" | "fstat" | "newfstatat" | "statx"
                if self.arguments.contains("S_IFREG") =>
            {
                of(self.asked_for(folder).to_str(), &|calls| calls.stats += 1);
            }
            _ => {}
        }
    }

    /// The file that a stat call is about.
    fn asked_for(&self, folder: &Path) -> PathBuf {
        let base = self.paths.first().map_or(folder, |path| Path::new(*path));
        let quoted = self.arguments.split('"').nth(1).unwrap_or("");
        let name = quoted.strip_prefix("./").unwrap_or(quoted);
        if name.is_empty() { base.to_owned() } else { base.join(name) }
    }
}

/// The paths in `3</a/path>, AT_FDCWD</another>`.
fn descriptors(text: &str) -> Vec<&str> {
    let starts = text.match_indices("</").map(|(i, _)| i + 1);
    starts.filter_map(|start| Some(text[start..].split_once('>')?.0)).collect()
}

#[test]
fn reads_what_strace_writes() {
    let text = "\
1 openat(AT_FDCWD</f>, \"in\", O_RDONLY) = 3</f/in>
1 openat(AT_FDCWD</f>, \"no\", O_RDONLY) = -1 ENOENT (No such file or directory)
2 read(3</f/in>,  <unfinished ...>
1 copy_file_range(3</f/in>, NULL, 4</f/out>, NULL, 99, 0) = 20
2 <... read resumed>\"\"..., 10) = 10
1 newfstatat(AT_FDCWD</f>, \"in\", {st_mode=S_IFREG|0644, st_size=9, ...}, 0) = 0
1 newfstatat(3</f/in>, \"\", {st_mode=S_IFREG|0644, st_size=9, ...}, AT_EMPTY_PATH) = 0
1 dup2(3</f/in>, 1</dev/null>) = 1</f/in>
1 read(5</etc/passwd>, \"\"..., 10) = 10
1 +++ exited with 0 +++
";
    let found = parse(text, Path::new("/f"));
    let expected =
        Calls { opens: 1, dups: 1, reads: 2, stats: 2, bytes_read: 30, ..Calls::default() };
    assert_eq!(found["in"], expected);
    assert_eq!(found["out"], Calls { writes: 1, bytes_written: 20, ..Calls::default() });
    assert_eq!(found.len(), 2);
}
