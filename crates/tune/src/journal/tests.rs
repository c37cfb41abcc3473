//! Tests of journals.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use serde_json::{Map, json};

use super::*;
use crate::search::{Birth, From, How};
use crate::space::{Parameter, Settings};

struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let folder = std::env::temp_dir().join(format!("ioglass-{name}-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        Folder(folder)
    }

    fn file(&self) -> PathBuf {
        self.0.join("a.jsonl")
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn start() -> Start {
    let mut start = Start {
        schema: "ioglass.journal/1".into(),
        ioglass: "0.1.0".into(),
        time: "2026-11-20T10:00:00Z".into(),
        command: vec!["./gcrm".into(), "-n".into()],
        cwd: "/scratch/u".into(),
        space: vec![Parameter::plain("mpiio.cb_nodes", &["default", "1", "2"])],
        search: "gp".into(),
        seed: 1,
        objective: "io".into(),
        direction: Direction::Min,
        budget: json!(30),
        runner: "local".into(),
        options: Map::new(),
        digest: String::new(),
        rest: Map::new(),
    };
    start.digest = start.digest();
    start
}

fn trial(n: u64) -> Trial {
    Trial {
        n,
        run: n,
        phase: Phase::Search,
        from: From::how(How::Gp),
        settings: Settings::from([("mpiio.cb_nodes".into(), "2".into())]),
        outcome: Outcome::Ok,
        value: Some(0.1 + 0.2),
        io: Some(1.0 / 3.0),
        wall: 0.58,
        exit: Some(0),
        bytes: Bytes { read: 0, written: 41_943_040 },
        began: "2026-11-20T10:00:01Z".into(),
        load: Some(0.04),
        cached: false,
        note: None,
        told: None,
        rest: Map::new(),
    }
}

fn line(trial: Trial) -> Line {
    Line::Trial(Box::new(trial))
}

#[test]
fn what_is_written_is_read_to_the_last_digit() {
    let folder = Folder::new("journal-read");
    let mut journal = Journal::create(&folder.file(), &start()).unwrap();
    let birth = Birth {
        generation: 2,
        individual: 7,
        parents: vec![3, 1],
        cut: None,
        mutated: vec!["mpiio.cb_nodes".into()],
    };
    let child = From { how: How::Ga, codes: Vec::new(), birth: Some(birth) };
    let trials = [trial(1), Trial { from: child, value: Some(f64::MIN_POSITIVE), ..trial(2) }];
    for trial in &trials {
        journal.append(&line(trial.clone())).unwrap();
    }
    journal.append(&Line::End(End { state: "gain".into() })).unwrap();
    drop(journal);
    let recorded = read(&folder.file()).unwrap();
    assert_eq!(recorded.start, start());
    assert_eq!(recorded.trials, trials);
    assert_eq!(recorded.state.as_deref(), Some("gain"));
    let text = fs::read_to_string(folder.file()).unwrap();
    let second: serde_json::Value = serde_json::from_str(text.lines().nth(2).unwrap()).unwrap();
    let expected = json!({"how": "ga", "generation": 2, "individual": 7, "parents": [3, 1],
        "cut": null, "mutated": ["mpiio.cb_nodes"]});
    assert_eq!(second["from"], expected);
    assert_eq!(second["k"], "trial");
}

#[test]
fn what_later_versions_add_is_kept() {
    let folder = Folder::new("journal-later");
    let mut first = serde_json::to_value(Line::Start(Box::new(start()))).unwrap();
    first["later"] = json!([1, 2]);
    let mut second = serde_json::to_value(line(trial(1))).unwrap();
    second["later"] = json!("x");
    let text = format!("{first}\n{second}\n{{\"k\":\"comment\",\"x\":1}}\n");
    fs::write(folder.file(), text).unwrap();
    let recorded = read(&folder.file()).unwrap();
    assert_eq!(recorded.start.rest["later"], json!([1, 2]));
    assert_eq!(recorded.trials[0].rest["later"], "x");
    assert_eq!(serde_json::to_value(line(recorded.trials[0].clone())).unwrap(), second);
}

#[test]
fn half_a_last_line_is_dropped_and_any_other_bad_one_is_an_error() {
    let folder = Folder::new("journal-bad");
    let path = folder.file();
    let mut journal = Journal::create(&path, &start()).unwrap();
    journal.append(&line(trial(1))).unwrap();
    drop(journal);
    let whole = fs::read(&path).unwrap();
    let add = |bytes: &[u8]| {
        fs::write(&path, &whole).unwrap();
        fs::OpenOptions::new().append(true).open(&path).unwrap().write_all(bytes).unwrap();
    };
    add(b"{\"k\":\"trial\",\"n\":2,");
    let (mut journal, recorded) = Journal::resume(&path, &start()).unwrap();
    assert_eq!(recorded.trials.len(), 1);
    journal.append(&line(trial(2))).unwrap();
    drop(journal);
    assert_eq!(read(&path).unwrap().trials.len(), 2, "the next line stands on its own");
    let rows: [(&[u8], &str); 5] = [
        (b"{\"k\":\"trial\",\"n\":2,\n", ":3: EOF while parsing"),
        (b"\n", ":3: EOF while parsing"),
        (b"\xff\n", ":3: expected value"),
        (b"{\"k\":\"end\"}\n", ":3: missing field `state`"),
        (&[whole.as_slice(), b"\n"].concat(), ":3: a second start"),
    ];
    for (bytes, error) in rows {
        add(bytes);
        let found = read(&path).unwrap_err().to_string();
        assert!(found.contains(error), "{found}");
    }
    add(format!("{}\n", serde_json::to_string(&line(trial(3))).unwrap()).as_bytes());
    assert!(read(&path).unwrap_err().to_string().ends_with(":3: trial 3 where 2 is due"));
    add(&vec![b' '; 5 << 20]);
    assert!(read(&path).unwrap_err().to_string().ends_with("longer than 4 MiB"));
}

#[test]
fn what_is_no_journal_is_said() {
    let folder = Folder::new("journal-none");
    let path = folder.file();
    let refused = |path: &Path| read(path).unwrap_err().to_string();
    assert!(refused(&path).starts_with("cannot read"));
    assert!(refused(&folder.0).ends_with("it is no regular file"));
    for (text, error) in [
        ("", "it has no whole line"),
        ("{\"k\":\"start\"", "it has no whole line"),
        ("hello\n", "line 1: expected value"),
        ("{\"k\":\"end\",\"state\":\"gain\"}\n", "the first line is no start"),
    ] {
        fs::write(&path, text).unwrap();
        assert!(refused(&path).contains(error), "{}", refused(&path));
    }
    let other = Start { schema: "ioglass.journal/2".into(), ..start() };
    let first = serde_json::to_string(&Line::Start(Box::new(other))).unwrap();
    fs::write(&path, format!("{first}\n")).unwrap();
    assert!(refused(&path).contains("its schema is ioglass.journal/2"));
}

#[test]
fn a_journal_is_used_by_one_search_at_a_time() {
    let folder = Folder::new("journal-lock");
    let path = folder.file();
    let journal = Journal::create(&path, &start()).unwrap();
    let own = std::process::id();
    for refused in [
        Journal::resume(&path, &start()).map(|_| ()),
        Journal::restart(&path, &start()).map(|_| ()),
    ] {
        let error = refused.unwrap_err();
        assert!(
            matches!(error, JournalError::InUse(_, Some(process)) if process == own),
            "{error}"
        );
    }
    assert!(read(&path).is_ok(), "it may be read meanwhile");
    drop(journal);
    assert!(matches!(Journal::create(&path, &start()), Err(JournalError::Exists(_))));
    let journal = Journal::restart(&path, &start()).unwrap();
    assert!(folder.0.join("a.jsonl.1").exists());
    assert_eq!(journal.path(), path);
}

#[test]
fn a_changed_search_does_not_go_on() {
    let folder = Folder::new("journal-changed");
    let path = folder.file();
    drop(Journal::create(&path, &start()).unwrap());
    let mut now = start();
    now.seed = 2;
    now.command.push("-x".into());
    now.space[0].values.push("4".into());
    now.digest = now.digest();
    let Err(JournalError::Changed(_, changed)) = Journal::resume(&path, &now) else { panic!() };
    let changed: Vec<String> = changed.iter().map(ToString::to_string).collect();
    assert_eq!(changed[0], "command: ./gcrm -n in the journal, now ./gcrm -n -x");
    assert!(changed[1].starts_with("space: {\"name\":\"mpiio.cb_nodes\""), "{}", changed[1]);
    assert_eq!(changed[2], "seed: 1 in the journal, now 2");
    let budget = Start { budget: json!("45m"), ..start() };
    assert!(Journal::resume(&path, &budget).is_ok(), "the budget may change");
}

#[test]
fn a_hundred_thousand_trials_are_read() {
    let folder = Folder::new("journal-long");
    let path = folder.file();
    drop(Journal::create(&path, &start()).unwrap());
    let mut file = fs::OpenOptions::new().append(true).open(&path).unwrap();
    let mut text = String::new();
    for n in 1..=100_000 {
        text.push_str(&serde_json::to_string(&line(trial(n))).unwrap());
        text.push('\n');
    }
    file.write_all(text.as_bytes()).unwrap();
    let (_, recorded) = Journal::resume(&path, &start()).unwrap();
    assert_eq!(recorded.trials.len(), 100_000);
}
