//! The programs in `tests/programs/hdf5`, and how they are compiled and started.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::peer;
use crate::support::{missing, root};

/// How a program is built and started.
struct Kind {
    name: &'static str,
    /// The compiler and what it needs behind the source; without, Python.
    compiler: &'static [&'static str],
    is_for_ranks: bool,
    /// What must be there.
    needs: &'static str,
}

/// `-shlib`, because a library that is linked statically cannot be seen.
const KINDS: [Kind; 11] = [
    Kind {
        name: "serial.c",
        compiler: &["h5cc", "-shlib"],
        is_for_ranks: false,
        needs: "/usr/bin/h5cc",
    },
    Kind {
        name: "again.c",
        compiler: &["h5cc", "-shlib"],
        is_for_ranks: false,
        needs: "/usr/bin/h5cc",
    },
    Kind {
        name: "changed.c",
        compiler: &["h5cc", "-shlib"],
        is_for_ranks: false,
        needs: "/usr/bin/h5cc",
    },
    Kind {
        name: "inherited.c",
        compiler: &["h5cc", "-shlib"],
        is_for_ranks: false,
        needs: "/usr/bin/h5cc",
    },
    Kind {
        name: "errors.c",
        compiler: &["h5cc", "-shlib"],
        is_for_ranks: false,
        needs: "/usr/bin/h5cc",
    },
    Kind {
        name: "parallel.c",
        compiler: &["h5pcc.openmpi", "-shlib"],
        is_for_ranks: true,
        needs: "/usr/bin/h5pcc.openmpi",
    },
    Kind {
        name: "drivers.c",
        compiler: &["h5pcc.openmpi", "-shlib"],
        is_for_ranks: true,
        needs: "/usr/bin/h5pcc.openmpi",
    },
    Kind {
        name: "variables.c",
        compiler: &["mpicc.openmpi", "-lpnetcdf"],
        is_for_ranks: true,
        needs: "/usr/include/pnetcdf.h",
    },
    Kind { name: "several.c", compiler: &["gcc"], is_for_ranks: false, needs: "/usr/bin/gcc" },
    Kind { name: "two_libraries.py", compiler: &[], is_for_ranks: false, needs: "/usr" },
    Kind {
        name: "ranks.py",
        compiler: &[],
        is_for_ranks: true,
        needs: "/usr/lib/python3/dist-packages/h5py/_debian_h5py_mpi",
    },
];

/// A program that can be started.
pub(super) struct Program {
    pub(super) name: &'static str,
    pub(super) source: PathBuf,
    start: Vec<OsString>,
    kind: &'static Kind,
}

/// A program, compiled; `None` if something for it is missing, which is said.
pub(super) fn find(name: &str) -> Option<Program> {
    let kind = KINDS.iter().find(|kind| kind.name == name).expect("it is in the table");
    if !Path::new(kind.needs).exists() {
        missing(name, Path::new(kind.needs));
        return None;
    }
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("programs/hdf5").join(name);
    let start = match kind.compiler {
        [] if kind.is_for_ranks => vec!["/usr/bin/python3".into(), source.clone().into()],
        [] => vec![peer::python()?.into(), source.clone().into()],
        ["gcc"] => {
            let library = newer_library()?;
            let place = format!("-Wl,-rpath,{}", library.parent().unwrap().display());
            vec![compile(&source, "gcc", &[library.to_str().unwrap(), &place]).into()]
        }
        [compiler, flags @ ..] => vec![compile(&source, compiler, flags).into()],
    };
    Some(Program { name: kind.name, source, start, kind })
}

/// The HDF5 library that h5py's wheel brings.
pub(crate) fn newer_library() -> Option<PathBuf> {
    let find = "import glob, h5py, os; \
        print(*glob.glob(os.path.dirname(h5py.__file__) + '.libs/libhdf5-*'))";
    let output = Command::new(peer::python()?).args(["-c", find]).output().unwrap();
    let library = PathBuf::from(String::from_utf8(output.stdout).unwrap().trim());
    if !library.is_file() {
        missing("h5py's wheel", &library);
        return None;
    }
    Some(library)
}

fn compile(source: &Path, compiler: &str, flags: &[&str]) -> PathBuf {
    // Tests that run at the same time compile the same program, and the compilers' scripts leave
    // an object named after the source where they run: each thread has a folder of its own.
    let thread = format!("{:?}", std::thread::current().id()).replace(['(', ')'], "-");
    let folder = root().join("target/programs/hdf5").join(thread);
    fs::create_dir_all(&folder).unwrap();
    let program = folder.join(source.file_stem().unwrap());
    let mut command = Command::new(compiler);
    command.current_dir(&folder).args(["-g", "-Wall", "-o"]).arg(&program).arg(source).args(flags);
    let output = command.output().unwrap();
    let problem = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{}: {problem}", source.display());
    program
}

impl Program {
    pub(super) fn is_for_ranks(&self) -> bool {
        self.kind.is_for_ranks
    }

    /// The words that start it with so many ranks.
    pub(super) fn started_with(&self, ranks: u32) -> Vec<OsString> {
        let mut words: Vec<OsString> = Vec::new();
        if self.kind.is_for_ranks {
            let launcher = ["mpirun.openmpi", "--allow-run-as-root", "--oversubscribe", "-n"];
            words.extend(launcher.iter().map(OsString::from));
            words.push(ranks.to_string().into());
        }
        words.extend(self.start.iter().cloned());
        words
    }
}
