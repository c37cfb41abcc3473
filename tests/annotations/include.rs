//! `ioglass include` lays down what programs include, and again if it is spoilt.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;

use super::{headers, python_path};
use crate::support::{ioglass, scratch};

/// The folder that the command prints, if its cache is there.
fn folder(cache: &Path, options: &[&str]) -> PathBuf {
    let mut command = Command::new(ioglass());
    let output =
        command.arg("include").args(options).env("XDG_CACHE_HOME", cache).output().unwrap();
    assert!(output.status.success() && output.stderr.is_empty(), "{output:?}");
    PathBuf::from(String::from_utf8(output.stdout).unwrap().strip_suffix('\n').unwrap())
}

#[track_caller]
fn same_files(source: &Path, copy: &Path) {
    let names = |folder: &Path| {
        let names = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name());
        let mut names: Vec<_> = names.filter(|name| name != "__pycache__").collect();
        names.sort();
        names
    };
    assert_eq!(names(source), names(copy));
    for name in names(source) {
        let same = fs::read(source.join(&name)).unwrap() == fs::read(copy.join(&name)).unwrap();
        assert!(same, "{name:?}");
        let mode = fs::metadata(copy.join(&name)).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o644, "{name:?}");
    }
}

#[test]
fn files_are_laid_down_and_repaired() {
    let cache = scratch("annotations-include");
    fs::remove_dir_all(&cache).unwrap();
    fs::create_dir_all(&cache).unwrap();
    for (options, source, package) in
        [(&[][..], headers(), ""), (&["--python"], python_path().join("ioglass"), "ioglass")]
    {
        let folder = folder(&cache, options);
        assert!(folder.starts_with(&cache), "{}", folder.display());
        let files = folder.join(package);
        same_files(&source, &files);
        let before: Vec<_> = fs::read_dir(&files)
            .unwrap()
            .map(|entry| entry.unwrap().metadata().unwrap().modified().unwrap())
            .collect();
        assert_eq!(self::folder(&cache, options), folder);
        let after: Vec<_> = fs::read_dir(&files)
            .unwrap()
            .map(|entry| entry.unwrap().metadata().unwrap().modified().unwrap())
            .collect();
        assert_eq!(before, after, "whole files are written again");

        // Cut, replaced, removed, and writable by others.
        let paths: Vec<_> = fs::read_dir(&files).unwrap().map(|it| it.unwrap().path()).collect();
        fs::write(&paths[0], "cut").unwrap();
        self::folder(&cache, options);
        same_files(&source, &files);
        fs::remove_file(&paths[0]).unwrap();
        symlink("/etc/hostname", &paths[0]).unwrap();
        fs::remove_file(&paths[1]).unwrap();
        self::folder(&cache, options);
        same_files(&source, &files);
        fs::set_permissions(&paths[1], fs::Permissions::from_mode(0o666)).unwrap();
        self::folder(&cache, options);
        same_files(&source, &files);
    }
}

/// Where others could change the files, another folder is taken.
#[test]
fn an_unsafe_cache_is_not_used() {
    let cache = scratch("annotations-unsafe");
    let unsafe_folder = cache.join("ioglass");
    fs::create_dir_all(&unsafe_folder).unwrap();
    fs::set_permissions(&unsafe_folder, fs::Permissions::from_mode(0o777)).unwrap();
    for options in [&[][..], &["--python"]] {
        let folder = folder(&cache, options);
        assert!(!folder.starts_with(&cache), "{}", folder.display());
    }
}
