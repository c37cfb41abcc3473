//! What is wrong with a command line, a file or a program, and what that gets.

use std::fs;
use std::path::Path;

use super::{command, empty, journal, json, names, run, script, tune};

/// The objective of programs that print what is measured.
const PRINTED: [&str; 4] = ["--objective", "output:took ([0-9.]+)", "--check", "off"];

/// A program that prints a number by the value of its option, and notes that it ran.
const PROGRAM: &str = "#!/bin/sh\necho run >> runs\ncase $1 in a) echo took 4;; b) echo took 2;; \
                       *) echo took 1;; esac\n";

/// A search for the option of that program.
fn options<'a>(more: &[&'a str], words: &[&'a str]) -> Vec<&'a str> {
    // A machine may be so busy that a run takes seconds.
    let never = if more.contains(&"--cut") { &[][..] } else { &["--cut", "0"] };
    let all = PRINTED.iter().chain(never).chain(more).copied().chain(["--"]);
    all.chain(words.iter().copied()).collect()
}

#[test]
fn wrong_usage_is_status_2_and_runs_nothing() {
    let folder = empty("usage");
    script(&folder, "program", PROGRAM);
    for arguments in [
        &["--budget", "0"][..],
        &["--budget", "x"],
        &["--search", "sa"],
        &["--confirm", "3"],
        &["--cut", "0.5"],
        &["--cut", "NaN"],
        &["--worth", "0.5"],
        &["--objective", "speed"],
        &["--objective", "output:("],
        &["--objective", "output:no group"],
        &["--maximize"],
        &["--param", "bs"],
        &["--runner", "cluster"],
        &["--timeout", "5 parsecs"],
        &["--resume", "--restart"],
        &["--unknown"],
    ] {
        let all = [arguments, &["--", "./program", "{v}"]].concat();
        let (status, _, aside) = run(tune(&folder, &all));
        assert_eq!(status, 2, "{arguments:?}: {aside}");
    }
    let (status, _, aside) = run(tune(&folder, &["--budget", "5"]));
    assert_eq!(status, 2, "no command: {aside}");
    assert_eq!(names(&folder), ["program"], "nothing ran and nothing was written");
}

#[test]
fn a_space_without_a_choice_is_status_3() {
    let folder = empty("space");
    script(&folder, "program", PROGRAM);
    let file = |text: &str| {
        let text = format!("schema = \"ioglass.space/1\"\n{text}");
        fs::write(folder.join("space.toml"), text).unwrap();
        let all = options(&["--space", "space.toml"], &["./program", "a"]);
        run(tune(&folder, &all))
    };
    let one =
        |name: &str, values: &str| format!("[[param]]\nname = \"{name}\"\nvalues = {values}\n");
    for (text, expected) in [
        (String::new(), "empty"),
        (one("mpiio.cb_nodes", "[4]\ndefault = 4"), "one value"),
        (one("mpiio.cb_nodes", "[4, \"4\"]"), "twice"),
        (
            one("mpiio.cb_node", "[4, 8]"),
            "space.toml:3: no parameter 'cb_node' in [mpiio]; did you mean cb_nodes?",
        ),
        (one("mpiio.cb_nodes", "[0, 8]"), "cb_nodes"),
        (
            one("mpiio.cb_nodes", "[4, 8]\nwhen = { \"hdf5.chunk_byte\" = \"set\" }"),
            "did you mean hdf5.chunk_bytes?",
        ),
        (
            one("mpiio.cb_nodes", "[4, 8]\nwhen = { \"hdf5.chunk_bytes\" = \"set\" }")
                + &one(
                    "hdf5.chunk_bytes",
                    "[\"1M\", \"4M\"]\nwhen = { \"mpiio.cb_nodes\" = \"set\" }",
                ),
            "circle",
        ),
        (one("fs.setstripe", "[\"1,1M\", \"4,1M\"]"), "for {trial_dir} only"),
        (one("env.LD_PRELOAD", "[\"a\", \"b\"]"), "never"),
        (one("env.HOME", "[\"a\", \"b\"]"), "force"),
    ] {
        let (status, _, aside) = file(&text);
        assert_eq!(status, 3, "{text}: {aside}");
        assert!(aside.contains(expected), "{text}: {aside}");
    }
    for (arguments, expected) in [
        (&["--param", "v=a"][..], "one value"),
        (&["--param", "v=a,a"], "twice"),
        (&["--param", "v=a,b", "--param", "v=b,c"], "twice"),
        (&["--param", "trial_dir=a,b"], "not a parameter"),
        (&["--space", "nowhere.toml"], "neither a file nor a preset"),
        (&["--space", "/"], "folder"),
        (&["--param", "v=a,b", "--only", "hdf5"], "no parameter of layer 'hdf5'"),
    ] {
        let (status, _, aside) = run(tune(&folder, &options(arguments, &["./program", "{v}"])));
        assert_eq!(status, 3, "{arguments:?}: {aside}");
        assert!(aside.contains(expected), "{arguments:?}: {aside}");
    }
}

#[test]
fn a_pipe_is_never_waited_for() {
    let folder = empty("pipe");
    script(&folder, "program", PROGRAM);
    let made = std::process::Command::new("mkfifo").arg(folder.join("pipe")).status().unwrap();
    assert!(made.success());
    for arguments in [&["--space", "pipe"][..], &["--param", "v=a,b", "--journal", "pipe"]] {
        let (status, _, aside) = run(tune(&folder, &options(arguments, &["./program", "{v}"])));
        assert_eq!(status, 3, "{arguments:?}: {aside}");
    }
    let (status, _, aside) = run(tune(&folder, &["--replay", "pipe"]));
    assert_eq!(status, 3, "{aside}");
}

#[test]
fn a_placeholder_is_searched_and_filled_in() {
    let folder = empty("placeholder");
    script(&folder, "program", PROGRAM);
    let more = ["--param", "v=a,b,c", "--budget", "8"];
    let report = json(&tune(&folder, &options(&more, &["./program", "{v}", "{other}"])));
    assert_eq!(report["state"], "gain");
    assert_eq!(report["tuned"]["settings"]["cmd.v"], "c");
    assert_eq!(report["speedup"]["median"], 4.0);
    assert_eq!(report["search"]["runs"], 4, "the space has no more");
    assert_eq!(report["rounds"].as_array().unwrap().len(), 8, "the first look decides");
    let best = fs::read_to_string(folder.join("best.toml")).unwrap();
    assert!(best.contains("[cmd]\nv = \"c\""), "{best}");
    let words = ["best.toml", "--", "./program", "{v}"];
    let (status, out, aside) = run(command(&folder, "apply", &words));
    assert_eq!((status, out.as_str()), (0, "took 1\n"), "{aside}");
}

#[test]
fn a_large_number_can_be_wanted() {
    let folder = empty("maximize");
    script(&folder, "program", PROGRAM);
    let more = ["--param", "v=b,a,c", "--maximize"];
    let report = json(&tune(&folder, &options(&more, &["./program", "{v}"])));
    assert_eq!(report["tuned"]["settings"]["cmd.v"], "a");
    assert_eq!(report["objective"]["direction"], "max");
    assert_eq!(report["speedup"]["median"], 2.0);
}

#[test]
fn a_program_finds_its_parameters_in_its_environment() {
    let folder = empty("variable");
    let text = "#!/bin/sh\ntest -z \"$LD_PRELOAD\" || exit 9\n\
                case $IOGLASS_PARAM_v in a) echo took 4;; *) echo took 2;; esac\n";
    script(&folder, "program", text);
    let report = json(&tune(&folder, &options(&["--param", "v=a,b"], &["./program"])));
    assert_eq!(report["tuned"]["settings"]["cmd.v"], "b", "and nothing was preloaded");
}

#[test]
fn nothing_to_gain_is_a_result() {
    let folder = empty("nothing");
    script(&folder, "program", PROGRAM);
    let more = ["--param", "v=c,x,y", "--confirm", "8"];
    let (status, out, aside) = run(tune(&folder, &options(&more, &["./program", "{v}"])));
    assert_eq!(status, 0, "{aside}");
    assert!(out.starts_with("result: nothing to gain"), "{out}");
    let best = fs::read_to_string(folder.join("best.toml")).unwrap();
    assert!(!best.contains("[cmd]") && best.contains("There is no setting here"), "{best}");
}

#[test]
fn a_default_run_that_fails_is_status_3_with_its_last_lines() {
    let folder = empty("default-fails");
    script(&folder, "program", "#!/bin/sh\nseq 1 50 >&2\nexit 7\n");
    let (status, _, aside) =
        run(tune(&folder, &options(&["--param", "v=a,b"], &["./program", "{v}"])));
    assert_eq!(status, 3);
    assert!(aside.contains("the default run failed with status 7"), "{aside}");
    assert!(
        aside.contains("  31\n") && aside.contains("  50\n") && !aside.contains("  30\n"),
        "{aside}"
    );
}

#[test]
fn a_command_that_cannot_run_is_status_3() {
    let folder = empty("cannot-run");
    fs::write(folder.join("text"), "no program").unwrap();
    for word in ["./nowhere", "no-such-program", "./text", "."] {
        for more in [&["--param", "v=a,b"][..], &["--space", "libc"]] {
            let (status, _, aside) = run(tune(&folder, &options(more, &[word, "{v}"])));
            assert_eq!(status, 3, "{word} {more:?}: {aside}");
        }
    }
    assert_eq!(names(&folder), ["text"]);
}

#[test]
fn a_number_that_is_not_printed_is_a_failure() {
    let folder = empty("no-number");
    script(&folder, "program", "#!/bin/sh\necho nothing\n");
    let (status, _, aside) =
        run(tune(&folder, &options(&["--param", "v=a,b"], &["./program", "{v}"])));
    assert_eq!(status, 3, "{aside}");
    assert!(aside.contains("it has no number for output:took"), "{aside}");
    // Of a trial it is an outcome.
    script(&folder, "program", "#!/bin/sh\ntest $1 = b || echo took 3\n");
    let report =
        json(&tune(&folder, &options(&["--param", "v=a,b,c", "--restart"], &["./program", "{v}"])));
    assert_eq!(report["outcomes"]["failed"], 1);
    assert_eq!(report["state"], "nothing-to-gain");
}

#[test]
fn trials_that_fail_are_outcomes_and_never_win() {
    let folder = empty("trials-fail");
    let text = "#!/bin/sh\ncase $1 in a) echo took 4;; b) echo took 1; echo broken >&2; exit 3;; \
                c) kill -9 $$;; *) echo took 2;; esac\n";
    script(&folder, "program", text);
    let report = json(&tune(&folder, &options(&["--param", "v=a,b,c,d"], &["./program", "{v}"])));
    assert_eq!(report["outcomes"]["failed"], 2);
    assert_eq!(report["tuned"]["settings"]["cmd.v"], "d");
    let lines = journal(&folder.join("program.tune.jsonl"));
    let of = |value: &str| lines.iter().find(|line| line["settings"]["cmd.v"] == value).unwrap();
    assert_eq!((&of("b")["exit"], &of("b")["note"]), (&3.into(), &"broken".into()));
    assert_eq!(of("c")["exit"], 137);
}

#[test]
fn most_trials_failing_ends_the_search_and_says_what_they_share() {
    let folder = empty("most-fail");
    let text = "#!/bin/sh\ntest $1 = a || { echo no $1 >&2; exit 3; }\necho took 1\n";
    script(&folder, "program", text);
    // What the default has is not searched.
    let space = "[[param]]\nname = \"cmd.v\"\nvalues = [\"b\"]\ndefault = \"a\"\n";
    fs::write(folder.join("space.toml"), space).unwrap();
    let many = "w=1,2,3,4,5,6,7,8,9,10,11,12";
    let more = ["--space", "space.toml", "--param", many, "--only", "cmd"];
    let (status, _, aside) = run(tune(&folder, &options(&more, &["./program", "{v}", "{w}"])));
    assert_eq!(status, 3, "{aside}");
    assert!(aside.contains("10 of the first 10 runs failed"), "{aside}");
    assert!(aside.contains("cmd.v=b") && aside.contains("no b"), "{aside}");
}

#[test]
fn all_trials_failing_is_nothing_to_gain() {
    let folder = empty("all-fail");
    script(&folder, "program", "#!/bin/sh\ntest $1 = a || exit 3\necho took 1\n");
    let (status, out, aside) =
        run(tune(&folder, &options(&["--param", "v=a,b,c"], &["./program", "{v}"])));
    assert_eq!(status, 0, "{aside}");
    assert!(out.contains("nothing to gain") && out.contains("all trials failed"), "{out}");
}

#[test]
fn a_run_that_hangs_is_a_timeout() {
    let folder = empty("hangs");
    script(&folder, "program", "#!/bin/sh\ntest $1 = b && sleep 600\necho took 1\n");
    let more = ["--param", "v=a,b", "--timeout", "5s", "--cut", "0"];
    let report = json(&tune(&folder, &options(&more, &["./program", "{v}"])));
    assert_eq!(report["outcomes"]["timeout"], 1);
    let (status, _, aside) = run(tune(
        &folder,
        &options(&["--param", "v=b,a", "--timeout", "1s", "--restart"], &["./program", "{v}"]),
    ));
    assert_eq!(status, 3);
    assert!(aside.contains("the default run took longer than 1 s"), "{aside}");
}

#[test]
fn a_journal_in_use_names_the_process() {
    let folder = empty("in-use");
    script(
        &folder,
        "program",
        "#!/bin/sh\ntouch began; while test ! -e go; do sleep 0.01; done\necho took 1\n",
    );
    let more = ["--param", "v=a,b", "--confirm", "0"];
    let arguments = options(&more, &["./program", "{v}"]);
    // The journal is made after the first run.
    fs::write(folder.join("go"), "").unwrap();
    let mut first = tune(&folder, &arguments);
    first.arg("{v}").stdout(std::process::Stdio::null()).stderr(std::process::Stdio::null());
    let gate = folder.join("program");
    let text = "#!/bin/sh\necho took 1\ntest -e second && { touch waits; while test ! -e go2; do sleep 0.01; done; }\ntouch second\n";
    fs::write(&gate, text).unwrap();
    let mut first = first.spawn().unwrap();
    wait_for(&folder.join("waits"));
    let more = ["--param", "v=a,b", "--confirm", "0", "--resume"];
    let mut again = options(&more, &["./program", "{v}"]);
    again.push("{v}");
    let (status, _, aside) = run(tune(&folder, &again));
    fs::write(folder.join("go2"), "").unwrap();
    assert!(first.wait().unwrap().success());
    assert_eq!(status, 3, "{aside}");
    assert!(aside.contains(&format!("in use by process {}", first.id())), "{aside}");
}

/// Waits until a file is there.
#[track_caller]
pub(super) fn wait_for(path: &Path) {
    for _ in 0..3000 {
        if path.exists() {
            return;
        }
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    panic!("{} does not come", path.display());
}

#[test]
fn a_damaged_journal_is_named_with_its_line() {
    let folder = empty("damaged");
    script(&folder, "program", PROGRAM);
    let arguments = options(&["--param", "v=a,b"], &["./program", "{v}"]);
    json(&tune(&folder, &arguments));
    let path = folder.join("program.tune.jsonl");
    let whole = fs::read_to_string(&path).unwrap();
    let mut lines: Vec<&str> = whole.lines().collect();
    lines[2] = "{\"k\":\"trial\",";
    fs::write(&path, lines.join("\n") + "\n").unwrap();
    let arguments = options(&["--param", "v=a,b", "--resume"], &["./program", "{v}"]);
    let (status, _, aside) = run(tune(&folder, &arguments));
    assert_eq!(status, 3);
    assert!(aside.contains("program.tune.jsonl:3:"), "{aside}");
    fs::write(&path, "no journal\n").unwrap();
    let (status, _, aside) = run(tune(&folder, &["--replay", "program.tune.jsonl"]));
    assert_eq!(status, 3, "{aside}");
}

#[test]
fn results_are_tried_before_anything_runs() {
    let folder = empty("unwritable");
    script(&folder, "program", PROGRAM);
    for more in [["-o", "nowhere/best.toml"], ["--xml", "nowhere/best.xml"]] {
        let all = [&["--param", "v=a,b"][..], &more].concat();
        let (status, _, aside) = run(tune(&folder, &options(&all, &["./program", "{v}"])));
        assert_eq!(status, 5, "{more:?}: {aside}");
    }
    assert_eq!(names(&folder), ["program"], "nothing ran");
}

#[test]
fn a_dry_run_runs_nothing() {
    let folder = empty("dry");
    script(&folder, "program", PROGRAM);
    let (status, out, aside) =
        run(tune(&folder, &options(&["--param", "v=a,b,c", "--dry-run"], &["./program", "{v}"])));
    assert_eq!(status, 0, "{aside}");
    assert!(out.contains("1 parameter, 3 settings") && out.contains("cmd.v"), "{out}");
    assert!(out.contains("at most 30 + 12 + 30 runs"), "{out}");
    let (status, out, aside) = run(tune(&folder, &["--dry-run", "--", "./program"]));
    assert_eq!(status, 0, "{aside}");
    assert!(out.contains("--from-log"), "{out}");
    assert_eq!(names(&folder), ["program"]);
}
