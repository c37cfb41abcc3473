//! Profiles: files, screens, documents, formats of other tools.

mod ending;
mod files;
mod formats;
mod made;
mod screens;
mod tools;

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use ioglass_profile::{Compression, Profile, write};

use crate::support::{ioglass, scratch};

fn run(arguments: &[&str]) -> Output {
    Command::new(ioglass()).args(["profile"]).args(arguments).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// The file of a profile.
fn saved(name: &str, profile: &Profile) -> PathBuf {
    let file = scratch("profiles").join(format!("{name}.ioprof"));
    std::fs::write(&file, write(profile, Compression::Deflate).unwrap()).unwrap();
    file
}

fn word(path: &Path) -> &str {
    path.to_str().unwrap()
}
