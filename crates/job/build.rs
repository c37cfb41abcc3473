//! Builds the preload library, so that this crate can embed it, or takes one that a packager has built.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Every function of the library begins a cache line, so that a call touches fewer of them: it comes when
/// other code has filled the caches.
const FLAGS: &str = "build.rustflags=['-Cllvm-args=-align-all-functions=6']";

/// Directories of the crates in the library.
const PARTS: [&str; 8] =
    ["preload", "recorder", "param", "shm", "schema", "log", "profile", "harvest"];

/// The variable with the path of a library that was built before.
const GIVEN: &str = "IOGLASS_PRELOAD_LIB";

/// The name of a function that only the preload library exports.
const SYMBOL: &[u8] = b"\0ioglass_disable\0";

fn main() {
    println!("cargo::rerun-if-env-changed={GIVEN}");
    let (system, machine) = (variable("CARGO_CFG_TARGET_OS"), variable("CARGO_CFG_TARGET_ARCH"));
    if (system.as_str(), machine.as_str()) != ("linux", "x86_64") {
        fail(&format!(
            "ioglass records programs on Linux on x86-64 only, not on {system} on {machine}"
        ));
    }
    let library = match env::var_os(GIVEN) {
        Some(path) => given(path.into()),
        None => built(),
    };
    println!("cargo::rustc-env=IOGLASS_LIBRARY={}", library.display());
}

/// The library that a packager has built.
fn given(path: PathBuf) -> PathBuf {
    let shown = path.display();
    if !path.is_absolute() {
        fail(&format!("{GIVEN} is {shown}, which is not an absolute path"));
    }
    println!("cargo::rerun-if-changed={shown}");
    match fs::read(&path) {
        Err(error) => fail(&format!("{GIVEN} is {shown}, which cannot be read: {error}")),
        Ok(bytes) if !is_library(&bytes) => {
            fail(&format!("{GIVEN} is {shown}, which is no ELF shared object for x86-64"))
        }
        Ok(bytes) if !bytes.windows(SYMBOL.len()).any(|bytes| bytes == SYMBOL) => {
            fail(&format!("{GIVEN} is {shown}, which is not the preload library of ioglass"))
        }
        Ok(_) => path,
    }
}

/// Returns true if these bytes begin a 64-bit little-endian shared object for x86-64.
fn is_library(bytes: &[u8]) -> bool {
    const SHARED_OBJECT: [u8; 2] = [3, 0];
    const X86_64: [u8; 2] = [62, 0];
    bytes.starts_with(b"\x7fELF\x02\x01")
        && bytes.get(16..18) == Some(&SHARED_OBJECT)
        && bytes.get(18..20) == Some(&X86_64)
}

/// The library as a nested cargo builds it.
fn built() -> PathBuf {
    let crates = Path::new(&variable("CARGO_MANIFEST_DIR")).join("..");
    for part in PARTS {
        println!("cargo::rerun-if-changed={}", crates.join(part).display());
    }
    println!("cargo::rerun-if-changed={}", crates.join("../Cargo.toml").display());
    let target = variable("TARGET");
    let directory = PathBuf::from(variable("OUT_DIR")).join("preload");
    let mut build = Command::new(variable("CARGO"));
    build.args(["build", "--release", "--locked", "--quiet", "--target", &target]);
    build.arg("--manifest-path").arg(crates.join("preload/Cargo.toml"));
    build.arg("--target-dir").arg(&directory);
    build.args(["--config", FLAGS]);
    clean(&mut build);
    let status = build.status().expect("cargo can be started");
    assert!(status.success(), "the preload library does not build");
    directory.join(&target).join("release/libioglass.so")
}

/// Ends the build with an error.
fn fail(message: &str) -> ! {
    println!("cargo::error={message}");
    std::process::exit(1);
}

fn variable(name: &str) -> String {
    env::var(name).unwrap_or_else(|_| panic!("cargo sets {name}"))
}

/// The library is the same whatever builds the command: flags, profiles and wrappers of the outer
/// build are not its own.
fn clean(build: &mut Command) {
    for (name, value) in env::vars_os() {
        let (name, value) = (name.to_string_lossy(), value.to_string_lossy());
        let of_cargo = name.starts_with("CARGO_") && !is_setting(&name);
        let flags = name.starts_with("RUSTFLAGS") || name.starts_with("RUSTDOC");
        let lints = name.starts_with("RUSTC_") && value.contains("clippy-driver");
        let of_build = ["TARGET", "HOST", "OUT_DIR", "PROFILE", "OPT_LEVEL", "DEBUG", "NUM_JOBS"]
            .contains(&name.as_ref());
        if of_cargo || flags || lints || of_build || name.starts_with("CLIPPY_") {
            build.env_remove(name.as_ref());
        }
    }
}

/// Returns true for settings of cargo itself: its home, packages and network.
fn is_setting(name: &str) -> bool {
    ["CARGO_HOME", "CARGO_NET_", "CARGO_HTTP_", "CARGO_REGISTRIES_", "CARGO_SOURCE_"]
        .iter()
        .any(|setting| name.starts_with(setting))
}
