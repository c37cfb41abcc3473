//! What the folder of a file says of it.

use super::Mount;
use super::file::Kind;

/// Parts of paths under which a program's own code lies.
const CODE_FOLDERS: [&str; 9] = [
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
/// Folders in which everything that begins with `python` is code.
const PYTHON_FOLDERS: [&str; 2] = ["/lib/", "/lib64/"];
/// Endings of files that are code.
const CODE_ENDINGS: [&str; 9] =
    [".py", ".pyc", ".pyo", ".so", ".pth", ".jar", ".class", ".egg-link", ".mod"];
/// Folders that hold a system rather than data.
const SYSTEM_FOLDERS: [&str; 9] =
    ["/usr/", "/lib/", "/lib64/", "/etc/", "/bin/", "/sbin/", "/proc/", "/sys/", "/opt/"];

/// A path up to its last slash, which belongs to it, and what follows.
fn split(path: &str) -> (&str, &str) {
    path.split_at(path.rfind('/').map_or(0, |slash| slash + 1))
}

/// Whether all that is in a folder is read while programs start.
fn is_of_code(folder: &str) -> bool {
    let is_python = |rest: &str| {
        let inside = PYTHON_FOLDERS.iter().find_map(|folder| rest.strip_prefix(folder));
        inside.is_some_and(|inside| inside.starts_with("python"))
    };
    let is_code = |rest: &str| CODE_FOLDERS.iter().any(|folder| rest.starts_with(folder));
    SYSTEM_FOLDERS.iter().any(|system| folder.starts_with(system))
        || folder
            .match_indices('/')
            .map(|(at, _)| &folder[at..])
            .any(|rest| is_code(rest) || is_python(rest))
}

impl Kind {
    /// What a record with this name is.
    pub fn of(name: &str) -> Self {
        Self::within(is_of_code(split(name).0), name)
    }

    /// The same, where it is known whether its folder is one of code.
    fn within(is_of_code: bool, name: &str) -> Self {
        if matches!(name, "<STDIN>" | "<STDOUT>" | "<STDERR>") {
            return Self::Stream;
        }
        let (folder, base) = split(name);
        let is_python = || {
            base.starts_with("python") && PYTHON_FOLDERS.iter().any(|known| folder.ends_with(known))
        };
        let is_versioned_library = || {
            base.split_once(".so.").is_some_and(|(_, version)| {
                version.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.')
            })
        };
        let is_startup = is_of_code
            || CODE_ENDINGS.iter().any(|ending| base.ends_with(ending))
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

/// Says what files are and where. Of very many in the order of their names most are in the folder
/// of the last one, about which all is known then.
pub(super) struct Neighbours<'a> {
    mounts: &'a [Mount],
    folder: String,
    is_of_code: bool,
    mount: Option<usize>,
}

impl<'a> Neighbours<'a> {
    pub(super) fn new(mounts: &'a [Mount]) -> Self {
        Self { mounts, folder: String::new(), is_of_code: false, mount: None }
    }

    /// What the file with this name is, and the mount it lies on.
    pub(super) fn kind_and_mount(&mut self, name: &str) -> (Kind, Option<usize>) {
        let (folder, _) = split(name);
        if folder.is_empty() {
            return (Kind::of(name), mount_of(self.mounts, name));
        }
        if folder != self.folder {
            folder.clone_into(&mut self.folder);
            self.is_of_code = is_of_code(folder);
            self.mount = mount_of(self.mounts, folder);
        }
        // A mount may be asked about itself, which lies in no folder of its own.
        let itself = self.mounts.iter().rposition(|mount| mount.path == name);
        (Kind::within(self.is_of_code, name), itself.or(self.mount))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_says_what_each_of_its_files_would() {
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
                let alone = (Kind::of(name), mount_of(mounts, name));
                assert_eq!(neighbours.kind_and_mount(name), alone, "{name}");
            }
        }
        let kinds = ["/home/lib/python3", "/home/lib/data", "/home/lib64/python3/x", "/home/venv"];
        assert_eq!(kinds.map(Kind::of), [Kind::Startup, Kind::Data, Kind::Startup, Kind::Data]);
    }
}
