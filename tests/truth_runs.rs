//! Small parallel programs whose fault is known, because it was built into them: recorded and diagnosed,
//! each gets its label and nothing else. Labels stand at the top of the programs:
//!
//! ```text
//! ranks: 8                       unless 4 are enough for the fault
//! must: DIMENSION DIMENSION      what the verdict names; without it the run is healthy
//! may: DIMENSION                 what it may name, too
//! ```

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::mpi::stack::OPEN_MPI;
use crate::record::run::{finish, ioglass_run};
use crate::support::{ioglass, missing, scratch};

/// What a program says of itself.
#[derive(Debug)]
struct Label {
    ranks: u32,
    must: Vec<String>,
    may: Vec<String>,
}

impl Label {
    fn read(source: &Path) -> Self {
        let text = fs::read_to_string(source).unwrap();
        let comments = text.lines().map_while(|line| {
            line.strip_prefix("// ").or_else(|| line.strip_prefix("# ")).map(str::trim)
        });
        let said: Vec<_> = comments.filter_map(|comment| comment.split_once(": ")).collect();
        let value = |key: &str| said.iter().find(|(said, _)| *said == key).map(|(_, value)| *value);
        let words = |key| value(key).unwrap_or("").split_whitespace().map(str::to_owned).collect();
        let ranks = value("ranks").map_or(4, |ranks| ranks.parse().unwrap());
        Self { ranks, must: words("must"), may: words("may") }
    }

    /// What is wrong with a verdict, in words.
    fn differs_from(&self, verdict: &Value) -> Option<String> {
        let state = if self.must.is_empty() { "healthy" } else { "held-back" };
        let found = verdict["dimensions"].as_array().unwrap().iter();
        let found: Vec<_> = found.map(|dimension| dimension.as_str().unwrap().to_owned()).collect();
        let is_right = verdict["state"] == state
            && self.must.iter().all(|dimension| found.contains(dimension))
            && found.iter().all(|found| self.must.contains(found) || self.may.contains(found));
        (!is_right).then(|| format!("{} {found:?} instead of {self:?}", verdict["state"]))
    }
}

/// The programs, by name.
fn sources() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("programs/truth");
    let mut sources: Vec<_> =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    sources.retain(|path| path.extension().is_some_and(|extension| extension != "h"));
    sources.sort();
    assert_eq!(sources.len(), 13);
    sources
}

/// Records a program and asks for the verdict; `None` if something for it is missing.
fn verdict(source: &Path, ranks: u32) -> Option<Value> {
    let h5py = Path::new("/usr/lib/python3/dist-packages/h5py/_debian_h5py_mpi");
    if source.ends_with("hdf5_alone.py") && !h5py.exists() {
        missing("h5py over MPI", h5py);
        return None;
    }
    let name = source.file_stem().unwrap().to_str().unwrap();
    let place = scratch("truth-runs").canonicalize().unwrap();
    let (folder, log) = (place.join(name), place.join(format!("{name}.darshan")));
    let _ = (fs::remove_dir_all(&folder), fs::remove_file(&log));
    fs::create_dir_all(&folder).unwrap();
    let mut command = ioglass_run(&[], &log);
    command.args(OPEN_MPI.launcher(ranks)).args(OPEN_MPI.program(source)?).arg(&folder);
    let problems = place.join(format!("{name}.stderr"));
    command.current_dir(&place).stderr(fs::File::create(&problems).unwrap());
    let status = finish(command).unwrap();
    assert!(status.success(), "{name}: {}", fs::read_to_string(&problems).unwrap());
    fs::remove_dir_all(&folder).unwrap();
    // Its status says whether there are findings.
    let output = Command::new(ioglass()).args(["report", "--json"]).arg(&log).output().unwrap();
    let report: Value = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|_| panic!("{name}: {}", String::from_utf8_lossy(&output.stderr)));
    Some(report["verdict"].clone())
}

#[test]
fn programs_get_their_label() {
    if !OPEN_MPI.is_here() {
        return;
    }
    let mut wrong = Vec::new();
    for source in sources() {
        let label = Label::read(&source);
        let Some(verdict) = verdict(&source, label.ranks) else { continue };
        let name = source.file_name().unwrap().display();
        wrong.extend(label.differs_from(&verdict).map(|what| format!("{name}: {what}")));
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}
