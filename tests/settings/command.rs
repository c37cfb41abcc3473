//! The command line of `ioglass apply`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use super::{FIGURE_5, apply, succeeded, text};
use crate::record::run::without_settings;
use crate::support::{ioglass, scratch};

fn folder(name: &str) -> PathBuf {
    let folder = scratch("settings-command").join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    folder.canonicalize().unwrap()
}

/// Status and standard error of a command.
fn failed(folder: &Path, arguments: &[&str]) -> (i32, String) {
    let output = apply(folder, arguments).output().unwrap();
    (output.status.code().unwrap(), text(&output.stderr))
}

#[test]
fn the_command_is_as_without() {
    let folder = folder("as-without");
    let shell = |options: &[&str], script: &str| {
        let mut arguments = vec!["-s", "mpiio.cb_nodes=4"];
        arguments.extend(options);
        arguments.extend(["--", "sh", "-c", script]);
        let output = apply(&folder, &arguments).output().unwrap();
        (output.status.code(), text(&output.stdout), text(&output.stderr))
    };
    assert_eq!(
        shell(&[], "echo out; echo err >&2; exit 7"),
        (Some(7), "out\n".into(), "err\n".into())
    );
    let (status, out, err) = shell(&["--verify"], "echo out; exit 7");
    assert_eq!((status, out.as_str()), (Some(7), "out\n"));
    assert!(err.contains("not-applicable  mpiio.cb_nodes"), "{err}");
    assert_eq!(shell(&[], "kill -TERM $$").0, None, "the signal is the program's");
    assert_eq!(failed(&folder, &["-s", "mpiio.cb_nodes=4", "--", "/nonexistent"]).0, 127);
    assert_eq!(failed(&folder, &["-s", "mpiio.cb_nodes=4", "--", "/etc/passwd"]).0, 126);
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 0, "no file is written");
}

#[test]
fn strict_says_what_did_not_take_effect() {
    let folder = folder("strict");
    let (status, told) = failed(&folder, &["-s", "mpiio.cb_nodes=4", "--strict", "--", "true"]);
    assert_eq!(status, 1);
    assert!(told.contains("strict: 1 has no place (exit 1)"), "{told}");
    let (status, _) =
        failed(&folder, &["-s", "mpiio.cb_nodes=4", "--strict", "--", "sh", "-c", "exit 9"]);
    assert_eq!(status, 9, "the program's own status comes first");
    let (status, _) = failed(&folder, &["-s", "cmd.x=y", "--strict", "--", "true"]);
    assert_eq!(status, 0);
}

#[test]
fn bad_settings_run_nothing() {
    let folder = folder("bad");
    let witness = folder.join("witness");
    let touch = ["--", "touch", witness.to_str().unwrap()];
    let with = |file: &str, text: &str| {
        fs::write(folder.join(file), text).unwrap();
        failed(&folder, &[&[file][..], &touch].concat())
    };
    let (status, told) = with("fig.toml", "[mpiio]\ncb_node = 4\n[hdf5]\nalignment = [0, 0]\n");
    assert_eq!(status, 3);
    assert!(told.contains("fig.toml:2: no parameter 'cb_node' in [mpiio]; did you mean cb_nodes?"));
    assert!(told.contains("fig.toml:4: hdf5.alignment = '0,0'"), "all errors are told: {told}");
    assert_eq!(with("bomb.xml", "<!DOCTYPE a [<!ENTITY b \"c\">]><Parameters/>").0, 3);
    assert_eq!(with("env.toml", "[env]\nLD_PRELOAD = \"x\"\n").0, 3);
    assert_eq!(failed(&folder, &[&["missing.toml"][..], &touch].concat()).0, 3);
    assert_eq!(failed(&folder, &[&["."][..], &touch].concat()).0, 3);
    assert_eq!(failed(&folder, &[&["-s", "nope=1"][..], &touch].concat()).0, 2);
    assert_eq!(failed(&folder, &touch).0, 2, "no settings at all");
    assert_eq!(failed(&folder, &["fig.toml"]).0, 3);
    let fifo = folder.join("fifo");
    assert!(Command::new("mkfifo").arg(&fifo).status().unwrap().success());
    assert_eq!(failed(&folder, &[&["fifo"][..], &touch].concat()).0, 3, "nobody waits for a pipe");
    assert!(!witness.exists());
    let (status, told) = with("empty.toml", "");
    assert_eq!((status, told.as_str()), (0, ""));
    assert!(witness.exists(), "an empty file is no setting");
}

#[test]
fn check_tells_where_settings_come_from() {
    let folder = folder("check");
    fs::write(folder.join("fig5.xml"), FIGURE_5).unwrap();
    let told = text(&succeeded(apply(&folder, &["--check", "fig5.xml"])).stdout);
    assert!(told.starts_with("fig5.xml: 7 settings"), "{told}");
    let first = told.find("file = sample_dataset.h5part").unwrap();
    assert!(first < told.find("for everything").unwrap(), "{told}");
    assert!(told.contains("fig5.xml:11"), "{told}");
    fs::write(folder.join("empty.toml"), "").unwrap();
    let told = text(&succeeded(apply(&folder, &["--check", "empty.toml"])).stdout);
    assert_eq!(told, "empty.toml has no setting: the command runs as without.\n");
}

#[test]
fn both_forms_say_the_same() {
    let folder = folder("forms");
    fs::write(folder.join("fig5.xml"), FIGURE_5).unwrap();
    let toml = succeeded(apply(&folder, &["--to", "toml", "fig5.xml"])).stdout;
    fs::write(folder.join("fig5.toml"), &toml).unwrap();
    let xml = succeeded(apply(&folder, &["--to", "xml", "fig5.toml"])).stdout;
    fs::write(folder.join("again.xml"), &xml).unwrap();
    let line = |file: &str| {
        let lines = text(&succeeded(apply(&folder, &["--env", file])).stdout);
        lines.lines().find(|line| line.contains("IOGLASS_SETTINGS")).unwrap().to_owned()
    };
    assert_eq!(line("fig5.xml"), line("fig5.toml"));
    assert_eq!(line("fig5.xml"), line("again.xml"));
    fs::write(folder.join("env.toml"), "[env]\nUCX_TLS = \"tcp\"\n").unwrap();
    let (status, told) = failed(&folder, &["--to", "xml", "env.toml"]);
    assert_eq!(status, 3);
    assert!(told.contains("XML cannot say env.UCX_TLS"), "{told}");
}

#[test]
fn lines_for_job_scripts_work_in_a_shell() {
    let folder = folder("env");
    fs::write(
        folder.join("c.toml"),
        "[mpiio.hint]\n\"it's\" = \"a b;$(c)\"\n[env]\nUCX_TLS = \"a 'b'\"\n",
    )
    .unwrap();
    let script =
        "eval \"$(\"$0\" apply --env c.toml)\" && printenv UCX_TLS IOGLASS_SETTINGS LD_PRELOAD";
    let mut command = Command::new("sh");
    command.args(["-c", script]).arg(ioglass()).current_dir(&folder);
    without_settings(&mut command);
    let told = text(&succeeded(command).stdout);
    let lines: Vec<&str> = told.lines().collect();
    assert_eq!(lines[0], "a 'b'");
    assert!(lines[1].ends_with("mpiio.hint.it's=a b%3B$(c)"), "{told}");
    assert!(Path::new(lines[2]).is_file(), "{told}");
}

#[test]
fn the_environment_and_placeholders_are_the_command_s() {
    let folder = folder("layers");
    fs::write(folder.join("c.toml"), "[env]\nROMIO_X = \"1\"\n[cmd]\nbs = \"64K\"\n").unwrap();
    let output =
        succeeded(apply(&folder, &["c.toml", "--", "sh", "-c", "echo {bs} {other} $ROMIO_X"]));
    assert_eq!(text(&output.stdout), "64K {other} 1\n");
}

#[test]
fn the_table_of_parameters() {
    let folder = folder("params");
    let table = text(&succeeded(apply(&folder, &["--params"])).stdout);
    assert!(table.contains("\nmpiio.cb_nodes  a number, 1 to 65536\n"), "{table}");
    let json = succeeded(apply(&folder, &["--params", "--json"])).stdout;
    let json: Value = serde_json::from_slice(&json).unwrap();
    assert_eq!(json["schema"], "ioglass.params/1");
    assert_eq!(json["params"][0]["name"], "hdf5.alignment");
    assert!(json["params"].as_array().unwrap().len() > 30);
}
