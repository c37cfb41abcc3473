//! Names of programs, and the program behind a launcher or wrapper.

use crate::finding::Language;

/// The program's name, and the script's if an interpreter runs one.
pub fn program(command: &str) -> String {
    let mut words = command.split_whitespace();
    let Some(first) = words.next().map(base) else {
        return "unknown program".into();
    };
    let script = words.find(|word| !word.starts_with('-')).map(base);
    match script {
        Some(script) if first.starts_with("python") && script.ends_with(".py") => {
            format!("{first} {script}")
        }
        _ => first.to_owned(),
    }
}

/// The last part of a path.
fn base(word: &str) -> &str {
    word.rsplit('/').next().unwrap_or(word)
}

/// The words of the program that a command line runs in the end, without the launchers and wrappers
/// before it: `mpirun -n 4 python x.py` runs `python x.py`. A log keeps no quotes, so the words of a
/// script after `sh -c` count as well, if they are one command.
pub fn launched(command: &str) -> Vec<&str> {
    let mut words: Vec<&str> = command.split_whitespace().collect();
    // Wrappers can stand before wrappers. Each step takes words away.
    while let Some(inner) = unwrapped(&words) {
        words = inner.to_vec();
    }
    words
}

/// The name of the program that a command line runs in the end.
pub fn launched_name(command: &str) -> &str {
    launched(command).first().map_or("", |word| base(word))
}

/// A program that runs the command line in its arguments.
struct Wrapper {
    names: &'static [&'static str],
    /// Options whose value is the next word.
    valued: &'static [&'static str],
    /// Words before the command that are no options.
    operands: usize,
}

/// Options with two values, of Open MPI and MPICH.
const TWO_VALUED: [&str; 7] = ["-mca", "--mca", "-gmca", "--gmca", "-env", "-genv", "--prtemca"];

const WRAPPERS: [Wrapper; 13] = [
    Wrapper {
        names: &[
            "mpirun",
            "mpiexec",
            "mpiexec.hydra",
            "mpiexec.mpich",
            "mpirun.mpich",
            "mpirun.openmpi",
            "mpiexec.openmpi",
            "orterun",
            "prterun",
            "aprun",
            "ibrun",
            "jsrun",
            "flux",
            "prun",
        ],
        valued: &[
            "-n",
            "-np",
            "--np",
            "-c",
            "-N",
            "-H",
            "-host",
            "--host",
            "-hosts",
            "-hostfile",
            "--hostfile",
            "-machinefile",
            "--machinefile",
            "-f",
            "-x",
            "-wdir",
            "--wdir",
            "-wd",
            "-map-by",
            "--map-by",
            "-bind-to",
            "--bind-to",
            "-rank-by",
            "--rank-by",
            "-ppn",
            "--ppn",
            "-perhost",
            "-npernode",
            "--npernode",
            "-launcher",
            "-envlist",
            "-d",
            "-S",
            "-output-filename",
            "--output-filename",
            "-prefix",
            "--prefix",
            "--app",
            "-a",
            "-g",
            "-r",
        ],
        operands: 0,
    },
    Wrapper {
        names: &["srun"],
        valued: &[
            "-n",
            "--ntasks",
            "-N",
            "--nodes",
            "-c",
            "--cpus-per-task",
            "-p",
            "--partition",
            "-t",
            "--time",
            "-A",
            "--account",
            "-J",
            "--job-name",
            "-w",
            "--nodelist",
            "-x",
            "--exclude",
            "-q",
            "--qos",
            "-D",
            "--chdir",
            "-o",
            "--output",
            "-e",
            "--error",
            "-i",
            "--input",
            "-C",
            "--constraint",
            "-G",
            "--gpus",
            "--ntasks-per-node",
            "--mem",
            "--mpi",
            "-m",
            "--distribution",
            "-M",
            "--clusters",
            "-r",
            "--relative",
        ],
        operands: 0,
    },
    Wrapper { names: &["env"], valued: &["-u", "--unset", "-C", "--chdir"], operands: 0 },
    Wrapper { names: &["time"], valued: &["-f", "--format", "-o", "--output"], operands: 0 },
    Wrapper { names: &["nice"], valued: &["-n", "--adjustment"], operands: 0 },
    Wrapper { names: &["timeout"], valued: &["-k", "--kill-after", "-s", "--signal"], operands: 1 },
    Wrapper {
        names: &["nohup", "setsid", "exec", "command", "catchsegv", "doas"],
        valued: &[],
        operands: 0,
    },
    Wrapper { names: &["sudo"], valued: &["-u", "-g", "-D"], operands: 0 },
    Wrapper { names: &["stdbuf"], valued: &["-i", "-o", "-e"], operands: 0 },
    Wrapper { names: &["ionice", "chrt"], valued: &["-c", "-n"], operands: 0 },
    Wrapper { names: &["taskset"], valued: &["-c", "--cpu-list"], operands: 0 },
    Wrapper { names: &["numactl"], valued: &["-N", "-m", "-C", "-i", "-p"], operands: 0 },
    Wrapper { names: &["xvfb-run", "unshare", "chronic"], valued: &[], operands: 0 },
];

/// Shells, which run a script.
const SHELLS: [&str; 6] = ["sh", "bash", "dash", "zsh", "ksh", "ash"];

/// True for a shell.
pub(crate) fn is_shell(name: &str) -> bool {
    SHELLS.contains(&name)
}

/// The words after the first program, if that runs them.
fn unwrapped<'w, 't>(words: &'w [&'t str]) -> Option<&'w [&'t str]> {
    let name = base(words.first()?);
    if is_shell(name) {
        return only_command(words);
    }
    let wrapper = WRAPPERS.iter().find(|wrapper| wrapper.names.contains(&name))?;
    let mut rest = &words[1..];
    let mut operands = wrapper.operands;
    loop {
        let (word, after) = rest.split_first()?;
        let taken = if *word == "--" {
            return (!after.is_empty()).then_some(after);
        } else if TWO_VALUED.contains(word) {
            3
        } else if wrapper.valued.contains(word) {
            2
        } else if word.starts_with('-') || is_assignment(word) || is_number(word) {
            // A number is the value of an option that is not known.
            operands = if is_number(word) { 0 } else { operands };
            1
        } else if operands > 0 {
            operands -= 1;
            1
        } else {
            return Some(rest);
        };
        rest = rest.get(taken..)?;
    }
}

/// The only command of a script after `sh -c`. Commands that only prepare do not count.
fn only_command<'w, 't>(words: &'w [&'t str]) -> Option<&'w [&'t str]> {
    const PREPARE: [&str; 9] =
        ["cd", "export", "set", "source", ".", "ulimit", "umask", "module", "mkdir"];
    let options = words[1..].iter().take_while(|word| word.starts_with('-')).count();
    let has_script = words[1..=options].iter().any(|word| is_script_option(word));
    let script = words.get(1 + options..).filter(|_| has_script)?;
    let mut only = None;
    let separates =
        |word: &&str| matches!(*word, "&&" | "||" | ";" | "|" | "&") || word.ends_with(';');
    for part in script.split_inclusive(separates) {
        let end = part.len() - usize::from(part.last().is_some_and(|word| is_separator(word)));
        let part = &part[..end];
        let part = &part[part.iter().take_while(|word| is_assignment(word)).count()..];
        let Some(first) = part.first() else { continue };
        if PREPARE.contains(&first.trim_end_matches(';')) {
            continue;
        }
        // Loops, tests and second commands are more than one program.
        let is_syntax = ["for", "while", "if", "until", "case", "{", "(", "!"].contains(first);
        if is_syntax || only.is_some() {
            return None;
        }
        only = Some(part);
    }
    only
}

fn is_separator(word: &str) -> bool {
    matches!(word, "&&" | "||" | ";" | "|" | "&")
}

/// `-c`, also among other letters, as in `-lc`.
fn is_script_option(word: &str) -> bool {
    word.starts_with('-') && !word.starts_with("--") && word.ends_with('c')
}

fn is_assignment(word: &str) -> bool {
    word.split_once('=').is_some_and(|(name, _)| {
        !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    })
}

/// A number, also with a unit of time or a list of processors.
fn is_number(word: &str) -> bool {
    let digits = word.trim_end_matches(['s', 'm', 'h', 'd']);
    !digits.is_empty() && digits.chars().all(|c| c.is_ascii_digit() || ".,-:".contains(c))
}

/// The language of a program, by its words and the runtimes that it loaded. None if nothing tells:
/// it is compiled.
pub(crate) fn interpreted(words: &[&str], libraries: &[String]) -> Option<Language> {
    let name = base(words.first()?);
    // Versions do not matter: `python3.12`, `perl5.38`.
    let stem = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    let has = |library: &str| libraries.iter().any(|known| known == library);
    let ends = |endings: &[&str]| endings.iter().any(|ending| name.ends_with(ending));
    let by_name = match stem {
        "python" | "pypy" | "ipython" => Some(Language::Python),
        "node" | "nodejs" => Some(Language::JavaScript),
        "perl" => Some(Language::Perl),
        "sqlite" => Some(Language::Sql),
        // There are no snippets for these. Those of another language would be no help.
        "ruby" | "java" | "julia" | "php" | "Rscript" | "R" | "lua" | "luajit" | "tclsh"
        | "octave" | "deno" | "bun" | "dotnet" | "guile" => Some(Language::Shell),
        _ if is_shell(name) || ends(&[".sh"]) => Some(Language::Shell),
        _ if ends(&[".py"]) => Some(Language::Python),
        _ if ends(&[".js", ".mjs", ".cjs"]) => Some(Language::JavaScript),
        _ if ends(&[".pl"]) => Some(Language::Perl),
        _ => None,
    };
    let by_library = || {
        [("python", Language::Python), ("node", Language::JavaScript), ("perl", Language::Perl)]
            .into_iter()
            .find_map(|(library, language)| has(library).then_some(language))
    };
    // Launchers of Python that are not known, such as `torchrun train.py`.
    let by_script = || words.iter().any(|word| word.ends_with(".py")).then_some(Language::Python);
    by_name.or_else(by_library).or_else(by_script)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interpreter_is_named_with_its_script() {
        assert_eq!(program("/home/me/bin/ior -a POSIX"), "ior");
        assert_eq!(program("python3 -u ./tests/diagonal.py write 1"), "python3 diagonal.py");
        assert_eq!(program("python -c pass"), "python");
        assert_eq!(program(" "), "unknown program");
    }

    #[test]
    fn launchers_and_wrappers_are_skipped() {
        for (command, inner) in [
            ("mpirun -n 4 python x.py", "python x.py"),
            ("mpirun --oversubscribe -np 4 --mca io ^ompio ./app -n 3", "./app -n 3"),
            ("mpiexec.hydra -genv OMP_NUM_THREADS 2 -ppn 8 /bin/app", "/bin/app"),
            ("srun -N 2 --ntasks=8 --unknown 3 python3 x.py", "python3 x.py"),
            ("env -u HOME A=1 B=2 nice -n 5 timeout -k 5 10m perl x.pl", "perl x.pl"),
            ("timeout 1.5 ./app", "./app"),
            ("time -p node x.js", "node x.js"),
            ("nice -10 ./app", "./app"),
            ("/usr/bin/env python3 x.py", "python3 x.py"),
            ("numactl --interleave=all -N 0 taskset -c 0-3 ./app", "./app"),
            ("sh -c cd /data && A=1 python x.py", "python x.py"),
            ("bash -lc exec mpirun -n 2 ./app", "./app"),
            ("sh -c a.out | sort", "sh -c a.out | sort"),
            ("sh -c for i in 1 2; do echo $i; done", "sh -c for i in 1 2; do echo $i; done"),
            ("bash run.sh", "bash run.sh"),
            ("mpirun", "mpirun"),
            ("env", "env"),
            ("./app --- x", "./app --- x"),
            ("", ""),
        ] {
            assert_eq!(launched(command).join(" "), inner, "{command}");
        }
        assert_eq!(launched_name("nice /usr/bin/tar cf a b"), "tar");
    }

    #[test]
    fn names_and_runtimes_tell_the_language() {
        let language = |command: &str, libraries: &[&str]| {
            let libraries: Vec<String> = libraries.iter().map(|name| (*name).to_owned()).collect();
            interpreted(&launched(command), &libraries)
        };
        assert_eq!(language("mpirun -n 4 python3.12 x.py", &[]), Some(Language::Python));
        assert_eq!(language("torchrun train.py", &[]), Some(Language::Python));
        assert_eq!(language("./analyse", &["stdc++", "python"]), Some(Language::Python));
        assert_eq!(language("node server.js", &[]), Some(Language::JavaScript));
        assert_eq!(language("./tool.pl", &[]), Some(Language::Perl));
        assert_eq!(language("sqlite3 a.db", &[]), Some(Language::Sql));
        assert_eq!(language("java -jar a.jar", &[]), Some(Language::Shell));
        assert_eq!(language("./app", &["stdc++"]), None);
        assert_eq!(language("", &[]), None);
    }
}
