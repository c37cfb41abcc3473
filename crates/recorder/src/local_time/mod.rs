//! Local time, for the names of logs. The C library's functions allocate and lock, which is not
//! safe in another program while it ends.

mod rule;
mod zone_file;

use core::ffi::CStr;

use crate::sys;

/// A moment in calendar form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LocalTime {
    /// Year.
    pub year: i64,
    /// Month, from 1.
    pub month: u64,
    /// Day of the month, from 1.
    pub day: u64,
    /// Seconds since midnight.
    pub second: u64,
}

const DAY: i64 = 86_400;
/// Directory of time zone files.
const ZONES: &[u8] = b"/usr/share/zoneinfo/";
const LOCAL_ZONE: &CStr = c"/etc/localtime";

/// The local time `seconds` after 1970, for this value of `TZ`. `buffer` holds the description of
/// the zone, which has a few kilobytes; UTC if there is none.
pub fn local_time(seconds: i64, zone: Option<&CStr>, buffer: &mut [u8]) -> LocalTime {
    let offset = offset(seconds, zone, buffer).unwrap_or(0);
    calendar(seconds.saturating_add(offset))
}

/// Seconds east of UTC.
fn offset(seconds: i64, zone: Option<&CStr>, buffer: &mut [u8]) -> Option<i64> {
    let Some(zone) = zone else {
        let len = sys::read_file(LOCAL_ZONE, buffer).ok()?;
        return zone_file::offset(&buffer[..len], seconds);
    };
    let zone = zone.to_bytes();
    let name = zone.strip_prefix(b":").unwrap_or(zone);
    from_file(seconds, name, buffer).or_else(|| rule::offset(zone, seconds))
}

fn from_file(seconds: i64, name: &[u8], buffer: &mut [u8]) -> Option<i64> {
    let folder = if name.starts_with(b"/") { &b""[..] } else { ZONES };
    let len = folder.len() + name.len();
    let path = buffer.get_mut(..=len)?;
    path[..folder.len()].copy_from_slice(folder);
    path[folder.len()..len].copy_from_slice(name);
    path[len] = 0;
    let (path, rest) = buffer.split_at_mut(len + 1);
    let len = sys::read_file(CStr::from_bytes_with_nul(path).ok()?, rest).ok()?;
    zone_file::offset(&rest[..len], seconds)
}

fn calendar(seconds: i64) -> LocalTime {
    let mut day = seconds.div_euclid(DAY);
    // The calendar repeats every 400 years.
    const CYCLE: i64 = 146_097;
    let mut year = 1970 + 400 * day.div_euclid(CYCLE);
    day = day.rem_euclid(CYCLE);
    while day >= days_of_year(year) {
        day -= days_of_year(year);
        year += 1;
    }
    let mut month = 1;
    while day >= days_of_month(year, month) {
        day -= days_of_month(year, month);
        month += 1;
    }
    LocalTime {
        year,
        month: month.cast_unsigned(),
        day: day.cast_unsigned() + 1,
        second: seconds.rem_euclid(DAY).cast_unsigned(),
    }
}

fn is_leap(year: i64) -> bool {
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
}

fn days_of_year(year: i64) -> i64 {
    365 + i64::from(is_leap(year))
}

fn days_of_month(year: i64, month: i64) -> i64 {
    match month {
        2 => 28 + i64::from(is_leap(year)),
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

#[cfg(test)]
mod tests;
