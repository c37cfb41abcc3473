//! Settings in programs with HDF5 and MPI-IO.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use super::program::{self, Hdf5, OF_MPICH, OF_OPEN_MPI, PARALLEL, SERIAL};
use super::{FIGURE_5, apply, setting, succeeded, text};
use crate::record::run::{library, without_settings};
use crate::support::{ioglass, missing, scratch};

/// Settings of every kind, and what they become in `datasets.c`.
const ALL: &str = "
[hdf5]
alignment = [4096, \"1MiB\"]
chunk_bytes = \"256KiB\"
fill_time = \"never\"
meta_block_size = 8192
coll_metadata_write = true
chunk_cache = \"4MiB\"
transfer = \"independent\"
[mpiio]
cb_nodes = 32
cb_buffer_size = \"1MiB\"
romio_ds_write = \"disable\"
hint = { nobody_knows_it = \"1\" }
[fs]
striping_unit = \"128K\"
";

fn folder(name: &str) -> PathBuf {
    let folder = scratch("settings").join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    folder.canonicalize().unwrap()
}

/// Runs a program of `hdf5` with settings; what became of them, and what the program printed.
fn verified(
    hdf5: &Hdf5,
    folder: &Path,
    options: &[&str],
    program: &Path,
    file: &str,
) -> (Value, String) {
    let json = folder.join("verify.json");
    let to = format!("--json={}", json.display());
    let mut command = apply(folder, &[&[to.as_str()], options].concat());
    command.arg("--").args(hdf5.started(program)).arg(file);
    let output = succeeded(command);
    let document = serde_json::from_str(&fs::read_to_string(&json).unwrap()).unwrap();
    (document, text(&output.stdout))
}

/// Runs it as it is; what it printed.
fn plain(hdf5: &Hdf5, folder: &Path, program: &Path, file: &str) -> String {
    let words = hdf5.started(program);
    let mut command = Command::new(&words[0]);
    command.args(&words[1..]).arg(file).current_dir(folder);
    without_settings(&mut command);
    text(&succeeded(command).stdout)
}

/// Fails if the data in two files differ.
fn same_data(folder: &Path, one: &str, other: &str) {
    let tool = Path::new("/usr/bin/h5diff");
    if !tool.exists() {
        missing("files with and without settings", tool);
        return;
    }
    succeeded({
        let mut command = Command::new(tool);
        command.args([one, other]).current_dir(folder);
        command
    });
}

#[test]
fn figure_5_as_it_is_printed() {
    for hdf5 in &PARALLEL {
        let Some(program) = hdf5.program("datasets") else { continue };
        let folder = folder(&format!("figure-5-{}", hdf5.name));
        fs::write(folder.join("config.xml"), FIGURE_5).unwrap();
        let (found, _) =
            verified(hdf5, &folder, &["config.xml"], &program, "sample_dataset.h5part");
        assert_eq!(setting(&found, "hdf5.alignment")[..2], ["applied", "0,65536"]);
        let refused = setting(&found, "hdf5.sieve_buf_size");
        assert_eq!(refused, ["not-applicable", "", "the MPI-IO driver does not sieve"]);
        // The specific element stands first and wins; the general one has no place.
        let stripes: Vec<&Value> = found["settings"]
            .as_array()
            .unwrap()
            .iter()
            .filter(|setting| setting["name"] == "fs.striping_factor")
            .map(|setting| &setting["places"])
            .collect();
        assert_eq!(stripes.len(), 2);
        assert_eq!(stripes[0], &Value::Array(Vec::new()), "16 for all others");
        assert_eq!(stripes[1][0]["requested"], "4");
        let nodes = setting(&found, "mpiio.cb_nodes");
        match hdf5.name {
            "mpich" => {
                assert_eq!(nodes, ["changed", "1", "cb_config_list allows 1 per node"]);
                let buffer = setting(&found, "mpiio.cb_buffer_size");
                assert_eq!(buffer[..2], ["applied", "1048576"]);
                assert_eq!(setting(&found, "fs.striping_unit")[..2], ["applied", "1048576"]);
            }
            _ => assert_eq!(nodes, ["unverifiable", "", "OMPIO repeats what it is given"]),
        }
        assert_eq!(found["stack"]["hdf5"].as_str().map(|version| &version[..2]), Some("1."));
        assert_eq!(found["stack"]["ranks"], 2);
    }
}

#[test]
fn settings_reach_files_datasets_and_transfers() {
    for hdf5 in &PARALLEL {
        let Some(program) = hdf5.program("datasets") else { continue };
        let folder = folder(&format!("all-{}", hdf5.name));
        fs::write(folder.join("all.toml"), ALL).unwrap();
        let before = plain(hdf5, &folder, &program, "before.h5");
        let (found, after) = verified(hdf5, &folder, &["all.toml"], &program, "after.h5");
        for (name, effective) in [
            ("hdf5.alignment", "4096,1048576"),
            ("hdf5.meta_block_size", "8192"),
            ("hdf5.coll_metadata_write", "true"),
            ("hdf5.chunk_cache", "4194304"),
            ("hdf5.chunk_bytes", "200,125"),
            ("hdf5.transfer", "independent"),
        ] {
            assert_eq!(setting(&found, name)[..2], ["applied", effective], "{name}");
        }
        assert_eq!(setting(&found, "hdf5.fill_time")[0], "applied");
        let place = |name: &str| {
            let all = found["settings"].as_array().unwrap();
            let places = &all.iter().find(|setting| setting["name"] == name).unwrap()["places"];
            places[0].clone()
        };
        assert_eq!(place("hdf5.transfer")["was"], "collective");
        assert_eq!(place("mpiio.cb_buffer_size")["was"], "8388608");
        let unknown = setting(&found, "mpiio.hint.nobody_knows_it")[0];
        assert_eq!(unknown, "unverifiable");
        match hdf5.name {
            "mpich" => assert_eq!(setting(&found, "mpiio.romio_ds_write")[0], "applied"),
            _ => assert_eq!(setting(&found, "mpiio.romio_ds_write")[2], "OMPIO ignores it"),
        }
        same_data(&folder, "before.h5", "after.h5");
        check_datasets(&before, &after);
    }
}

/// What the program printed with settings, beside what it printed without: chunks and fill times where
/// they may change, and nothing else.
#[track_caller]
fn check_datasets(before: &str, after: &str) {
    let names = |text: &str| -> Vec<String> {
        text.lines().map(|line| line.split(' ').next().unwrap().to_owned()).collect()
    };
    assert_eq!(names(before), names(after));
    for (old, new) in before.lines().zip(after.lines()) {
        match old.split(' ').next().unwrap() {
            "plain" => {
                assert!(new.contains("layout=2"), "{new}");
                assert!(new.contains("time=1"), "{new}");
            }
            // A fill value stays, and is written; only the layout may change.
            "filled" => {
                assert!(new.contains("layout=2"), "{new}");
                assert!(new.contains("fill=7 time=2"), "{new}");
            }
            // No fill value, so fill time may change even where chunks may not.
            "compact" | "empty" | "scalar" | "external" => {
                let without_time = |line: &str| line.replace("time=1", "time=2");
                assert_eq!(old, without_time(new));
            }
            // The program's own chunks, filters and lists stay.
            _ => assert_eq!(old, new),
        }
    }
}

#[test]
fn serial_files_stay_as_they_are_unless_asked() {
    let Some(program) = SERIAL.program("datasets") else { return };
    let folder = folder("serial");
    fs::write(folder.join("all.toml"), ALL).unwrap();
    let before = plain(&SERIAL, &folder, &program, "before.h5");
    let (found, after) = verified(&SERIAL, &folder, &["all.toml"], &program, "after.h5");
    assert_eq!(before, after);
    let reason = "the file is not opened through MPI-IO, and serial is not set";
    assert_eq!(setting(&found, "hdf5.alignment"), ["not-applicable", "", reason]);
    fs::write(folder.join("serial.toml"), format!("serial = true\n{ALL}")).unwrap();
    let (found, after) = verified(&SERIAL, &folder, &["serial.toml"], &program, "serial.h5");
    assert_eq!(setting(&found, "hdf5.alignment")[..2], ["applied", "4096,1048576"]);
    assert_eq!(setting(&found, "hdf5.chunk_bytes")[..2], ["applied", "100,250"]);
    check_datasets(&before, &after);
    same_data(&folder, "before.h5", "serial.h5");
}

/// Settings of Blue Gene are read for old files. H5Tuner wrote a prefix over the name of the file.
#[test]
fn old_names_change_no_path() {
    for hdf5 in &PARALLEL {
        let Some(program) = hdf5.program("datasets") else { continue };
        let folder = folder(&format!("old-{}", hdf5.name));
        let config =
            "[fs]\nIBM_lockless_io = true\n[mpiio]\nIBM_largeblock_io = true\nbgl_nodes_pset = 4\n";
        fs::write(folder.join("old.toml"), config).unwrap();
        let before = plain(hdf5, &folder, &program, "out.h5");
        let (found, after) = verified(hdf5, &folder, &["old.toml"], &program, "out.h5");
        assert_eq!(before, after);
        for name in ["fs.IBM_lockless_io", "mpiio.IBM_largeblock_io", "mpiio.bgl_nodes_pset"] {
            assert_eq!(setting(&found, name)[0], "not-applicable", "{name}");
        }
        let names = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().file_name());
        assert!(names.into_iter().all(|name| !name.to_string_lossy().contains(':')));
        assert!(folder.join("out.h5").exists());
    }
}

#[test]
fn force_and_respect() {
    let Some(program) = SERIAL.program("datasets") else { return };
    let folder = folder("force");
    let config = |text: &str| fs::write(folder.join("c.toml"), text).unwrap();
    let run = || verified(&SERIAL, &folder, &["c.toml"], &program, "out.h5");
    // Chunks and fill values of the program change only with force, and filters never.
    config(
        "serial = true\nforce = true\n[[for]]\nvariable = \"chunked\"\nhdf5.chunk = [50, 2000]\nhdf5.fill_time = \"never\"\n",
    );
    let (found, printed) = run();
    assert_eq!(setting(&found, "hdf5.chunk")[..2], ["applied", "50,1000"], "clipped to the extent");
    let line = printed.lines().find(|line| line.starts_with("chunked")).unwrap();
    assert!(line.contains("chunk=50,1000 filters=1 fill=7 time=1"), "{line}");
    // Another number of dimensions.
    config("serial = true\n[[for]]\nvariable = \"plain\"\nhdf5.chunk = [1, 2, 3]\n");
    let reason = "the dataset has another number of dimensions";
    assert_eq!(setting(&run().0, "hdf5.chunk"), ["not-applicable", "", reason]);
}

#[test]
fn a_damaged_line_changes_nothing() {
    let Some(program) = SERIAL.program("datasets") else { return };
    let folder = folder("damaged");
    let before = plain(&SERIAL, &folder, &program, "before.h5");
    let sound = "ioglass-settings/1;@serial;hdf5.chunk_bytes=65536";
    let long = format!("{sound};{}", "@;mpiio.cb_nodes=4;".repeat(4000));
    for line in [
        "",
        "nonsense",
        "ioglass-settings/2;@serial;hdf5.chunk_bytes=65536",
        "ioglass-settings/1;@serial;hdf5.chunk_bytes=64K",
        "ioglass-settings/1;@serial;hdf5.chunk_bytes",
        "ioglass-settings/1;@serial;hdf5.nothing=1",
        "ioglass-settings/1;@serial;hdf5.chunk_bytes=65536;%",
        &long,
    ] {
        let mut command = Command::new(&program);
        command.arg("after.h5").current_dir(&folder);
        without_settings(&mut command);
        command.env("LD_PRELOAD", library()).env("IOGLASS_SETTINGS", line);
        let output = succeeded(command);
        assert_eq!(text(&output.stdout), before, "{line:.60}");
        assert_eq!(text(&output.stderr), "", "{line:.60}");
    }
    // The sound one does, recorded or not.
    let mut command = Command::new(&program);
    command.arg("after.h5").current_dir(&folder);
    without_settings(&mut command);
    command.env("LD_PRELOAD", library()).env("IOGLASS_SETTINGS", sound).env("IOGLASS_DISABLE", "1");
    assert_ne!(text(&succeeded(command).stdout), before);
    // The log says why nothing was set.
    let mut command = Command::new(ioglass());
    command.args(["run", "--no-report", "-o", "log.darshan", "--"]).arg(&program).arg("after.h5");
    without_settings(&mut command);
    command.current_dir(&folder).env("IOGLASS_SETTINGS", "nonsense");
    succeeded(command);
    let report = report(&folder, "log.darshan");
    let reason = "the settings are of another version";
    assert_eq!(setting(&report, "IOGLASS_SETTINGS"), ["not-applicable", "", reason]);
}

#[test]
fn asynchronous_calls_and_several_transfers() {
    let Some(program) = program::newer("later") else { return };
    let folder = folder("later");
    let before = plain(&SERIAL, &folder, &program, "");
    fs::write(folder.join("all.toml"), format!("serial = true\n{ALL}")).unwrap();
    let (found, after) = verified(&SERIAL, &folder, &["all.toml"], &program, "");
    let changed =
        before.replace("alignment 1,1", "alignment 4096,1048576").replace("layout 1", "layout 2");
    assert_ne!(before, changed);
    assert_eq!(after, changed, "the data stay");
    // The worst of its places.
    let [state, _, reason] = setting(&found, "hdf5.alignment");
    assert_eq!([state, reason], ["unverifiable", "the call is asynchronous"]);
    assert_eq!(setting(&found, "hdf5.chunk_bytes")[..2], ["applied", "8"]);
    let reason = "the file is not opened through MPI-IO";
    assert_eq!(setting(&found, "hdf5.transfer"), ["not-applicable", "", reason]);
}

fn report(folder: &Path, log: &str) -> Value {
    let mut command = Command::new(ioglass());
    command.args(["report", "--json", log]).current_dir(folder);
    without_settings(&mut command);
    serde_json::from_str(&text(&succeeded(command).stdout)).unwrap()
}

#[test]
fn logs_have_the_settings_whoever_writes_them() {
    for hdf5 in [&OF_MPICH, &OF_OPEN_MPI] {
        let Some(program) = hdf5.program("datasets") else { continue };
        let folder = folder(&format!("logs-{}", hdf5.name));
        fs::write(folder.join("c.toml"), "[hdf5]\nalignment = [4096, 65536]\n").unwrap();
        let check = |log: &str| {
            let report = report(&folder, log);
            assert_eq!(setting(&report, "hdf5.alignment")[..2], ["applied", "4096,65536"], "{log}");
            assert_eq!(report["settings"][0]["places"][0]["ranks"], 2, "{log}");
        };
        // The command writes the log.
        let mut command = Command::new(ioglass());
        command.args(["run", "--no-report", "--apply", "c.toml", "-o", "run.darshan", "--"]);
        command.args(hdf5.started(&program)).arg("out.h5").current_dir(&folder);
        without_settings(&mut command);
        succeeded(command);
        check("run.darshan");
        // The ranks write it together.
        let line = "ioglass-settings/1;@;hdf5.alignment=4096,65536";
        let mut words = hdf5.started(&program);
        let program = words.pop().unwrap();
        let mut command = Command::new(&words[0]);
        command.args(&words[1..]).arg("env").arg(format!("LD_PRELOAD={}", library().display()));
        command.arg(format!("IOGLASS_SETTINGS={line}")).arg("IOGLASS_ENABLE=1");
        command.arg(format!("DARSHAN_LOGFILE={}", folder.join("alone.darshan").display()));
        command.arg(program).arg("out.h5").current_dir(&folder);
        without_settings(&mut command);
        succeeded(command);
        check("alone.darshan");
        // Merged logs have the settings of both.
        let mut command = Command::new(ioglass());
        command.args(["merge", "-f", "-o", "both.darshan", "run.darshan", "alone.darshan"]);
        without_settings(&mut command);
        succeeded({
            command.current_dir(&folder);
            command
        });
        assert_eq!(report(&folder, "both.darshan")["settings"][0]["places"][0]["ranks"], 4);
    }
}

#[test]
fn inside_the_launcher_one_command_tells() {
    for hdf5 in [&OF_MPICH, &OF_OPEN_MPI] {
        let Some(program) = hdf5.program("datasets") else { continue };
        let folder = folder(&format!("inside-{}", hdf5.name));
        let mut command = Command::new("env");
        command.args(hdf5.mpi.unwrap().launcher(2)).arg(ioglass());
        command.args(["apply", "-s", "hdf5.alignment=4096,65536", "--verify=told.txt", "--"]);
        command.arg(program).arg("out.h5").current_dir(&folder);
        without_settings(&mut command);
        succeeded(command);
        let told = fs::read_to_string(folder.join("told.txt")).unwrap();
        assert!(told.contains("applied         hdf5.alignment        4096,65536"), "{told}");
        let left: Vec<_> =
            fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert_eq!(left.len(), 2, "the file, what was told, and no log: {left:?}");
    }
}

#[test]
fn hdf5_inside_a_program_is_named() {
    let Some(program) = OF_MPICH.static_program("datasets") else { return };
    let folder = folder("static");
    let options = ["-s", "hdf5.fill_time=never", "-s", "mpiio.cb_buffer_size=1M"];
    let (found, _) = verified(&OF_MPICH, &folder, &options, &program, "out.h5");
    let reason = "HDF5 is a part of datasets: link its shared library (h5pcc -shlib)";
    assert_eq!(setting(&found, "hdf5.fill_time"), ["not-applicable", "", reason]);
    assert_eq!(
        setting(&found, "mpiio.cb_buffer_size")[0],
        "applied",
        "the file is opened by MPI-IO"
    );
    let mut doctor = Command::new(ioglass());
    doctor.arg("doctor").arg(&program);
    let told = text(&succeeded(doctor).stdout);
    assert!(told.contains("HDF5 is a part of the program"), "{told}");
}

#[test]
fn fewer_aggregators_have_their_true_reason() {
    let Some(program) = OF_MPICH.program("datasets") else { return };
    let folder = folder("aggregators");
    let found = |nodes: &str, list: &str| {
        let nodes = format!("mpiio.cb_nodes={nodes}");
        let list = format!("mpiio.cb_config_list={list}");
        let options = ["-s", nodes.as_str(), "-s", list.as_str()];
        let (found, _) = verified(&OF_MPICH, &folder, &options, &program, "out.h5");
        setting(&found, "mpiio.cb_nodes").map(str::to_owned)
    };
    assert_eq!(found("2", "*:2"), ["applied", "2", ""]);
    assert_eq!(found("32", "*:32"), ["changed", "2", "no more ranks open the file"]);
    assert_eq!(found("2", "*:1"), ["changed", "1", "cb_config_list allows 1 per node"]);
}
