//! Builds the preload library, so that the command can carry it.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Every function of the library begins a line of the cache, so that a call touches fewer of them: it comes when
/// others have filled the caches.
const FLAGS: &str = "build.rustflags=['-Cllvm-args=-align-all-functions=6']";

/// What goes into the library.
const PARTS: [&str; 6] = ["preload", "recorder", "shm", "schema", "log", "harvest"];

fn main() {
    let crates = Path::new(&variable("CARGO_MANIFEST_DIR")).join("..");
    for part in PARTS {
        println!("cargo::rerun-if-changed={}", crates.join(part).display());
    }
    println!("cargo::rerun-if-changed={}", crates.join("../Cargo.toml").display());
    let target = variable("TARGET");
    let folder = PathBuf::from(variable("OUT_DIR")).join("preload");
    let mut build = Command::new(variable("CARGO"));
    build.args(["build", "--release", "--locked", "--quiet", "--target", &target]);
    build.arg("--manifest-path").arg(crates.join("preload/Cargo.toml"));
    build.arg("--target-dir").arg(&folder);
    build.args(["--config", FLAGS]);
    clean(&mut build);
    let status = build.status().expect("cargo can be started");
    assert!(status.success(), "the preload library does not build");
    let library = folder.join(&target).join("release/libioglass.so");
    println!("cargo::rustc-env=IOGLASS_LIBRARY={}", library.display());
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

/// Where cargo finds itself, its packages and its network.
fn is_setting(name: &str) -> bool {
    ["CARGO_HOME", "CARGO_NET_", "CARGO_HTTP_", "CARGO_REGISTRIES_", "CARGO_SOURCE_"]
        .iter()
        .any(|setting| name.starts_with(setting))
}
