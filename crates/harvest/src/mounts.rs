//! Mounted file systems, as a log lists them.

use alloc::vec::Vec;

use ioglass_log::Mount;

/// Types that hold no files of users.
const LEFT_OUT: [&str; 14] = [
    "tmpfs",
    "proc",
    "sysfs",
    "devpts",
    "binfmt_misc",
    "fusectl",
    "debugfs",
    "securityfs",
    "nfsd",
    "none",
    "rpc_pipefs",
    "hugetlbfs",
    "cgroup",
    "cgroup2",
];
/// As many as the reference lists.
const MOST: usize = 64;
/// Longer entries than this are left out.
const LONGEST: usize = 256;

/// The mounts out of a table such as `/proc/self/mounts`, those of NFS last.
pub fn mounts(table: &[u8]) -> Vec<Mount> {
    let mut mounts: Vec<Mount> = Vec::new();
    for line in table.split(|byte| *byte == b'\n') {
        let mut words = line.split(|byte| *byte == b' ').skip(1);
        let (Some(path), Some(fs_type)) = (words.next(), words.next()) else { continue };
        // Blanks are written as `\040`; a log has no place for such paths.
        let fits = line.len() < LONGEST && !path.contains(&b'\\');
        let wanted = !LEFT_OUT.iter().any(|left_out| left_out.as_bytes() == fs_type);
        let mount = Mount { path: path.into(), fs_type: fs_type.into() };
        if fits && wanted && !mounts.contains(&mount) {
            mounts.push(mount);
        }
    }
    mounts.sort_by_key(|mount| mount.fs_type == b"nfs");
    mounts.truncate(MOST);
    mounts
}
