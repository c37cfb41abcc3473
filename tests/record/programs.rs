//! The programs in `tests/programs/known`, compiled.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;

use super::spec::Spec;
use crate::peer;
use crate::support::{missing, root};

pub(super) struct Program {
    /// `posix/append.c`
    pub(super) name: String,
    /// What to start, without the directory it works in, or why it does not compile.
    pub(super) command: Result<Vec<OsString>, String>,
    pub(super) spec: Spec,
}

impl Program {
    /// `posix`
    pub(super) fn topic(&self) -> &str {
        self.name.split_once('/').expect("every program has a topic").0
    }
}

/// All programs that can run here, by name. `IOGLASS_PROGRAM=NAME` chooses those whose name contains it.
pub(super) fn all() -> Vec<Program> {
    let chosen = std::env::var("IOGLASS_PROGRAM").unwrap_or_default();
    let sources = sources().into_iter().filter(|name| name.contains(&chosen));
    sources.filter_map(prepare).collect()
}

/// The path of one program, compiled.
pub(super) fn compiled(name: &str) -> PathBuf {
    let spec = Spec::read(&folder().join(name));
    compile(name, &spec.build).expect("there is a compiler").expect("it compiles").into()
}

pub(super) fn sources() -> Vec<String> {
    let mut names = Vec::new();
    for topic in fs::read_dir(folder()).unwrap().map(|entry| entry.unwrap().path()) {
        let Ok(entries) = fs::read_dir(&topic) else { continue };
        for path in entries.map(|entry| entry.unwrap().path()) {
            let known = ["c", "cpp", "py"].map(|known| Some(known.as_ref()));
            if known.contains(&path.extension()) {
                let name = path.strip_prefix(folder()).unwrap();
                names.push(name.to_str().unwrap().to_owned());
            }
        }
    }
    names.sort();
    names
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("programs/known")
}

fn prepare(name: String) -> Option<Program> {
    let source = folder().join(&name);
    let spec = Spec::read(&source);
    for header in &spec.needs {
        let path = Path::new("/usr/include").join(header);
        if !path.exists() {
            missing(&name, &path);
            return None;
        }
    }
    let command = if name.ends_with(".py") {
        Ok(vec![peer::python()?.into(), source.into()])
    } else {
        let mut flags = spec.build.clone();
        if let Some(library) = &spec.library {
            let shared = ["-shared".to_owned(), "-fPIC".to_owned()];
            flags.push(compile(library, &shared)?.expect("a library compiles"));
        }
        compile(&name, &flags)?.map(|program| vec![program.into()])
    };
    Some(Program { name, command, spec })
}

/// Into `target/programs`, unless what is there is newer than its source; the path of it.
/// `None` without a compiler.
fn compile(name: &str, flags: &[String]) -> Option<Result<String, String>> {
    // Tests run at once, and must not start what another is still writing.
    static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());
    let _turn = ONE_AT_A_TIME.lock().unwrap();
    let compiler = if name.ends_with(".cpp") { "g++" } else { "gcc" };
    let source = folder().join(name);
    let program = root().join("target/programs").join(name).with_extension("");
    fs::create_dir_all(program.parent().unwrap()).unwrap();
    let modified = |path: &Path| fs::metadata(path).and_then(|found| found.modified()).ok();
    let text = program.to_str().unwrap().to_owned();
    if [&source, &folder().join("common.h")].iter().all(|path| modified(path) < modified(&program))
    {
        return Some(Ok(text));
    }
    let mut command = Command::new(compiler);
    command.args(["-g", "-Wall", "-Werror", "-pthread", "-o"]).arg(&program).arg(source);
    let Ok(output) = command.args(flags).output() else {
        missing(name, Path::new(compiler));
        return None;
    };
    let problem = || String::from_utf8_lossy(&output.stderr).into_owned();
    Some(if output.status.success() { Ok(text) } else { Err(problem()) })
}
