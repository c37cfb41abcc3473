//! The local time zone, found as C's `localtime` finds it.
//!
//! `TimeZone::system` lists the whole zone database first, which takes longer than printing a
//! small log.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use jiff::tz::TimeZone;

/// The zone that `TZ` names, or else the machine's; UTC if there is none.
pub(super) fn local() -> TimeZone {
    let zone = match env::var_os("TZ") {
        None => from_file(Path::new("/etc/localtime")),
        Some(name) => named(name, env::var_os("TZDIR")),
    };
    zone.unwrap_or(TimeZone::UTC)
}

/// A file of the zone database, or a rule such as `EST5EDT,M3.2.0,M11.1.0`.
fn named(name: OsString, database: Option<OsString>) -> Option<TimeZone> {
    let name = name.into_string().ok()?;
    let name = name.strip_prefix(':').unwrap_or(&name);
    if name.is_empty() {
        return None;
    }
    let database = database.map_or_else(|| "/usr/share/zoneinfo".into(), PathBuf::from);
    from_file(&database.join(name)).or_else(|| TimeZone::posix(name).ok())
}

fn from_file(path: &Path) -> Option<TimeZone> {
    TimeZone::tzif("", &fs::read(path).ok()?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::Timestamp;

    #[test]
    fn names_files_and_rules() {
        let offset = |name: &str| {
            let zone = named(name.into(), Some("/nowhere".into()))?;
            Some(zone.to_offset(Timestamp::from_second(1_700_000_000).unwrap()).seconds())
        };
        assert_eq!(offset("EST5EDT,M3.2.0,M11.1.0"), Some(-5 * 3600));
        assert_eq!(offset(":JST-9"), Some(9 * 3600));
        assert_eq!(offset(""), None);
        assert_eq!(offset("No/Such_Zone"), None);
    }
}
