//! The kind and the mount of a file, by its directory.

use super::Mount;
use super::file::FileKind;

/// Parts of paths of a program's own code.
const CODE_DIRECTORIES: [&str; 9] = [
    "/libexec/",
    "/venv/",
    "/site-packages/",
    "/dist-packages/",
    "/__pycache__/",
    "/node_modules/",
    "/.config/",
    "/share/locale/",
    "/zoneinfo/",
];
/// Directories in which everything that begins with `python` is code.
const PYTHON_DIRECTORIES: [&str; 2] = ["/lib/", "/lib64/"];
/// Endings of files that are code.
const CODE_ENDINGS: [&str; 15] = [
    ".py",
    ".pyc",
    ".pyo",
    ".so",
    ".pth",
    ".jar",
    ".class",
    ".egg-link",
    ".mod",
    ".sh",
    ".pl",
    ".pm",
    ".js",
    ".mjs",
    "/pyvenv.cfg",
];
/// Directories that hold a system rather than data.
const SYSTEM_DIRECTORIES: [&str; 9] =
    ["/usr/", "/lib/", "/lib64/", "/etc/", "/bin/", "/sbin/", "/proc/", "/sys/", "/opt/"];

/// Splits a path behind its last slash.
fn split(path: &str) -> (&str, &str) {
    path.split_at(path.rfind('/').map_or(0, |slash| slash + 1))
}

/// Returns true if everything in a directory is read while programs start.
fn is_of_code(directory: &str) -> bool {
    let is_python = |rest: &str| {
        let inside = PYTHON_DIRECTORIES.iter().find_map(|directory| rest.strip_prefix(directory));
        inside.is_some_and(|inside| inside.starts_with("python"))
    };
    let is_code = |rest: &str| CODE_DIRECTORIES.iter().any(|directory| rest.starts_with(directory));
    SYSTEM_DIRECTORIES.iter().any(|system| directory.starts_with(system))
        || directory
            .match_indices('/')
            .map(|(at, _)| &directory[at..])
            .any(|rest| is_code(rest) || is_python(rest))
}

impl FileKind {
    /// Kind of the record with this name.
    pub fn of(name: &str) -> Self {
        Self::within(is_of_code(split(name).0), name)
    }

    /// Kind of the record with this name, in a directory of code or of something else.
    fn within(is_of_code: bool, name: &str) -> Self {
        if matches!(name, "<STDIN>" | "<STDOUT>" | "<STDERR>") {
            return Self::Stream;
        }
        let (directory, base) = split(name);
        let is_python = || {
            base.starts_with("python")
                && PYTHON_DIRECTORIES.iter().any(|known| directory.ends_with(known))
        };
        let is_versioned_library = || {
            base.split_once(".so.").is_some_and(|(_, version)| {
                version.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.')
            })
        };
        let is_startup = is_of_code
            || CODE_ENDINGS.iter().any(|ending| name.ends_with(ending))
            || is_python()
            || is_versioned_library();
        if is_startup { Self::Startup } else { Self::Data }
    }
}

/// The mount with the longest path that leads to `name`.
pub(super) fn mount_of(mounts: &[Mount], name: &str) -> Option<usize> {
    let leads = |mount: &Mount| {
        name.strip_prefix(mount.path.as_str()).is_some_and(|rest| {
            mount.path.ends_with('/') || rest.starts_with('/') || rest.is_empty()
        })
    };
    let found = mounts.iter().enumerate().filter(|(_, mount)| leads(mount));
    found.max_by_key(|(_, mount)| mount.path.len()).map(|(index, _)| index)
}

/// Finds kinds and mounts of files that come in the order of their names. Most are in the directory
/// of the file before, whose answers are kept.
pub(super) struct Neighbours<'a> {
    mounts: &'a [Mount],
    directory: String,
    is_of_code: bool,
    mount: Option<usize>,
}

impl<'a> Neighbours<'a> {
    pub(super) fn new(mounts: &'a [Mount]) -> Self {
        Self { mounts, directory: String::new(), is_of_code: false, mount: None }
    }

    /// Kind of the file with this name, and the mount it is on.
    pub(super) fn kind_and_mount(&mut self, name: &str) -> (FileKind, Option<usize>) {
        let (directory, _) = split(name);
        if directory.is_empty() {
            return (FileKind::of(name), mount_of(self.mounts, name));
        }
        if directory != self.directory {
            directory.clone_into(&mut self.directory);
            self.is_of_code = is_of_code(directory);
            self.mount = mount_of(self.mounts, directory);
        }
        // The path of a mount itself is not inside its directory.
        let itself = self.mounts.iter().rposition(|mount| mount.path == name);
        (FileKind::within(self.is_of_code, name), itself.or(self.mount))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_directory_says_the_same_as_each_of_its_files() {
        let paths = ["/", "/scratch", "/scratch/a", "/scratch/a", "/scratch/a/b/", "", "tmp"];
        let mount = |path: &str| Mount { path: path.into(), fs_type: "lustre".into() };
        let mounts: Vec<Mount> = paths.into_iter().map(mount).collect();
        for mounts in [&mounts[..], &mounts[1..], &mounts[1..5], &[]] {
            let mut neighbours = Neighbours::new(mounts);
            for name in [
                "/scratch",
                "/scratch/a",
                "/scratch/a/",
                "/scratch/a/b",
                "/scratch/a/b/c",
                "/scratch/ab",
                "/usr/x",
                "/home/lib/python3",
                "/home/lib/data",
                "/home/lib/python3/x",
                "/home/venv/x",
                "/home/venv",
                "/home/x.py",
                "/home/libz.so.1.2",
                "/home/libz.so.old",
                "/home/x",
                "<STDOUT>",
                "tmp",
                "tmp/x",
                "",
            ] {
                let alone = (FileKind::of(name), mount_of(mounts, name));
                assert_eq!(neighbours.kind_and_mount(name), alone, "{name}");
            }
        }
        let kinds = ["/home/lib/python3", "/home/lib/data", "/home/lib64/python3/x", "/home/venv"];
        assert_eq!(
            kinds.map(FileKind::of),
            [FileKind::Startup, FileKind::Data, FileKind::Startup, FileKind::Data]
        );
    }
}
