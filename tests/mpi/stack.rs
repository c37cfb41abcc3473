//! The MPIs that may be installed, their compilers and launchers.

use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;

use crate::peer;
use crate::support::{missing, root};

/// An MPI, by the end of its commands' names.
#[derive(Debug)]
pub(crate) struct Stack {
    pub(crate) name: &'static str,
    /// What its launcher needs to run as root, and more ranks than processors.
    options: &'static [&'static str],
}

pub(crate) const OPEN_MPI: Stack =
    Stack { name: "openmpi", options: &["--allow-run-as-root", "--oversubscribe"] };
pub(crate) const MPICH: Stack = Stack { name: "mpich", options: &[] };

/// Tests run at once, and must not start what another is still writing.
static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

impl Stack {
    /// Whether it is installed; if not, that is said.
    pub(crate) fn is_here(&self) -> bool {
        let path = Path::new("/usr/bin").join(format!("mpicc.{}", self.name));
        let is_here = path.exists();
        if !is_here {
            missing(self.name, &path);
        }
        is_here
    }

    /// The command that starts so many ranks of what is added to it.
    pub(crate) fn launcher(&self, ranks: u32) -> Vec<OsString> {
        let mut words = vec![format!("mpirun.{}", self.name).into()];
        words.extend(self.options.iter().map(OsString::from));
        words.extend(["-n".into(), ranks.to_string().into()]);
        words
    }

    /// The words that start a program; `None` if something for it is missing.
    pub(crate) fn program(&self, source: &Path) -> Option<Vec<OsString>> {
        let extension = source.extension().unwrap().to_str().unwrap();
        let compiler = match extension {
            "c" => "mpicc",
            "cpp" => "mpicxx",
            "f90" => "mpifort",
            _ => return self.python(source),
        };
        let folder = root().join("target/programs/mpi").join(self.name);
        fs::create_dir_all(&folder).unwrap();
        let program = folder.join(source.file_stem().unwrap());
        let _turn = ONE_AT_A_TIME.lock().unwrap();
        let modified = |path: &Path| fs::metadata(path).and_then(|found| found.modified()).ok();
        let headers = headers(source).into_iter().map(|header| modified(&header)).max().flatten();
        if modified(source).max(headers) < modified(&program) {
            return Some(vec![program.into()]);
        }
        let mut command = Command::new(format!("{compiler}.{}", self.name));
        command.args(["-g", "-Wall", "-o"]).arg(&program).arg(source);
        let output = command.output().unwrap();
        let problem = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{}: {problem}", source.display());
        Some(vec![program.into()])
    }

    /// What starts a Python program with its mpi4py: the distribution's, or the one that comes with
    /// PyDarshan's and takes any MPI.
    fn python(&self, source: &Path) -> Option<Vec<OsString>> {
        if !source.ends_with("python_wheel.py") {
            let module = Path::new("/usr/lib/python3/dist-packages/mpi4py");
            if !module.exists() {
                missing("mpi4py", module);
                return None;
            }
            return Some(vec!["/usr/bin/python3".into(), source.into()]);
        }
        let python = peer::python()?;
        let has_it =
            Command::new(&python).args(["-c", "import mpi4py"]).status().unwrap().success();
        if !has_it {
            missing("mpi4py beside PyDarshan", &python);
            return None;
        }
        let mut words: Vec<OsString> =
            vec!["env".into(), format!("MPI4PY_MPIABI={}", self.name).into()];
        if self.name == MPICH.name {
            // A distribution with two MPIs calls it otherwise.
            let folder = root().join("target/programs/mpi/mpich/lib");
            fs::create_dir_all(&folder).unwrap();
            let _ =
                symlink("/usr/lib/x86_64-linux-gnu/libmpich.so.12", folder.join("libmpi.so.12"));
            let mut setting = OsString::from("LD_LIBRARY_PATH=");
            setting.push(folder.canonicalize().unwrap());
            words.push(setting);
        }
        words.extend([python.into(), source.into()]);
        Some(words)
    }
}

/// What a program may include.
fn headers(source: &Path) -> Vec<PathBuf> {
    let beside = fs::read_dir(source.parent().unwrap()).unwrap();
    let mut headers: Vec<_> = beside.map(|entry| entry.unwrap().path()).collect();
    headers.retain(|path| path.extension().is_some_and(|extension| extension == "h"));
    headers.push(root().join("tests/programs/mpi/common.h"));
    headers
}
