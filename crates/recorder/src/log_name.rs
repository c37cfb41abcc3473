//! Names of logs that processes write themselves.

use core::ops::Deref;

use crate::local_time::LocalTime;
use crate::path::PathBuffer;

/// The longest user and program name that is not truncated.
const MAX_PART: usize = 64;

/// The parts of a log's name: the same as Darshan's, so that tools that sort logs find them.
#[derive(Clone, Copy)]
pub struct LogName<'n> {
    /// Login name; without one, the user id.
    pub user: Result<&'n [u8], u32>,
    /// The program, without directories.
    pub program: &'n [u8],
    /// Job id.
    pub jobid: u64,
    /// Process id.
    pub pid: u32,
    /// Start of the process; computed only if it is needed.
    pub start: &'n dyn Deref<Target = LocalTime>,
    /// Makes names unique.
    pub random: u64,
}

impl LogName<'_> {
    /// Appends the directory of the day.
    pub fn push_day(&self, path: &mut PathBuffer) {
        let LocalTime { year, month, day, .. } = **self.start;
        for part in [year.cast_unsigned(), month, day] {
            path.push(b"/");
            path.push_number(part, 10);
        }
    }

    /// Appends the name of the file while it is being written.
    pub fn push_partial(&self, path: &mut PathBuffer) {
        self.push_stem(path);
        path.push(b".darshan_partial");
    }

    /// Appends the name of the complete file; `took_ns` is the time it took.
    pub fn push_final(&self, path: &mut PathBuffer, took_ns: u64) {
        self.push_stem(path);
        path.push(b"_");
        path.push_number(took_ns / 1_000_000_000 + 1, 10);
        path.push(b".darshan");
    }

    fn push_stem(&self, path: &mut PathBuffer) {
        let LocalTime { month, day, second, .. } = **self.start;
        path.push(b"/");
        match self.user {
            Ok(login) => push_part(path, login),
            Err(uid) => path.push_number(uid.into(), 10),
        }
        path.push(b"_");
        push_part(path, self.program);
        path.push(b"_id");
        path.push_number(self.jobid, 10);
        path.push(b"-");
        path.push_number(self.pid.into(), 10);
        path.push(b"_");
        path.push_number(month, 10);
        path.push(b"-");
        path.push_number(day, 10);
        path.push(b"-");
        path.push_number(second, 10);
        path.push(b"-");
        path.push_number(self.random, 10);
    }
}

/// Appends a text of unknown origin: no slashes, no control characters.
fn push_part(path: &mut PathBuffer, part: &[u8]) {
    for &byte in part.iter().take(MAX_PART) {
        path.push(&[if byte == b'/' || byte.is_ascii_control() { b'_' } else { byte }]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const START: LocalTime = LocalTime { year: 2013, month: 7, day: 8, second: 58_921 };

    fn name() -> LogName<'static> {
        LogName {
            user: Ok(b"carns"),
            program: b"my-app",
            jobid: 114_525,
            pid: 27_122,
            start: &&START,
            random: 3_295_222_930_108_443_034,
        }
    }

    #[test]
    fn as_the_reference_has_it() {
        let mut path = PathBuffer::new();
        path.push(b"/logs");
        name().push_day(&mut path);
        let folder = path.as_bytes().len();
        name().push_partial(&mut path);
        let stem = "/logs/2013/7/8/carns_my-app_id114525-27122_7-8-58921-3295222930108443034";
        assert_eq!(path.as_bytes(), format!("{stem}.darshan_partial").as_bytes());
        path.truncate(folder);
        name().push_final(&mut path, 1_500_000_000);
        assert_eq!(path.as_bytes(), format!("{stem}_2.darshan").as_bytes());
    }

    #[test]
    fn odd_parts_stay_in_the_folder() {
        let mut path = PathBuffer::new();
        let odd = LogName { user: Ok(b"../x\n"), program: &[b'p'; 500], ..name() };
        odd.push_partial(&mut path);
        assert!(path.as_bytes().starts_with(b"/.._x__ppp"));
        assert!(!path.as_bytes()[1..].contains(&b'/') && path.as_bytes().len() < 255);
        path.clear();
        LogName { user: Err(1000), ..name() }.push_partial(&mut path);
        assert!(path.as_bytes().starts_with(b"/1000_my-app_id"));
    }
}
