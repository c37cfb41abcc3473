use std::ffi::CString;
use std::process::Command;

use super::*;

fn text(seconds: i64, zone: Option<&str>) -> String {
    let zone = zone.map(|zone| CString::new(zone).unwrap());
    let time = local_time(seconds, zone.as_deref(), &mut [0; 16 << 10]);
    format!("{} {} {} {}", time.year, time.month, time.day, time.second)
}

/// The answer of `date`, which uses the C library.
fn reference(seconds: i64, zone: Option<&str>) -> String {
    let mut date = Command::new("date");
    match zone {
        Some(zone) => date.env("TZ", zone),
        None => date.env_remove("TZ"),
    };
    let out = date.arg(format!("-d@{seconds}")).arg("+%Y %-m %-d %-H %-M %-S").output().unwrap();
    let out = String::from_utf8(out.stdout).unwrap();
    let part: Vec<i64> = out.split_whitespace().map(|part| part.parse().unwrap()).collect();
    format!("{} {} {} {}", part[0], part[1], part[2], part[3] * 3600 + part[4] * 60 + part[5])
}

#[test]
fn agrees_with_the_c_library() {
    let zones = [
        None,
        Some("UTC"),
        Some(""),
        Some("CET-1CEST,M3.5.0,M10.5.0/3"),
        Some("EST5EDT"),
        Some("AEST-10AEDT,M10.1.0,M4.1.0/3"),
        Some("<+0330>-3:30"),
        Some("XXX3YYY,J60/0,J300/1:30"),
        Some("XXX3YYY,59,299/-1"),
        Some("Europe/Berlin"),
        Some(":America/New_York"),
        Some("Australia/Sydney"),
        Some("Asia/Kathmandu"),
        Some("No/Such_Zone"),
    ];
    let moments = [
        0,
        951_782_399,
        951_782_400,
        1_078_012_800,
        1_700_000_000,
        1_711_846_799,
        1_711_846_800,
        1_729_990_799,
        1_729_990_800,
        1_743_296_400,
        2_000_000_000,
        4_102_444_799,
        5_000_000_000,
    ];
    for zone in zones {
        for seconds in moments {
            assert_eq!(text(seconds, zone), reference(seconds, zone), "{seconds} in {zone:?}");
        }
    }
}

#[test]
fn nonsense_is_utc() {
    for zone in ["A", "ABC", "ABC99999", "CET-1CEST,M3", "../../etc/passwd", "/etc/passwd", "<"] {
        assert_eq!(text(1_700_000_000, Some(zone)), "2023 11 14 80000", "{zone}");
    }
}

#[test]
fn cut_zone_files_are_refused() {
    let head = |times: u32| {
        let mut head = b"TZif2".to_vec();
        head.resize(20, 0);
        for count in [0, 0, 0, times, 1, 4] {
            head.extend(u32::to_be_bytes(count));
        }
        head
    };
    let mut file = head(0);
    file.extend([0, 0, 0, 0, 0, 0, b'U', b'T', b'C', 0]);
    file.extend(head(1));
    file.extend(1_000_i64.to_be_bytes());
    file.push(0);
    file.extend(7200_u32.to_be_bytes());
    file.extend(*b"\x00\x00ABC\x00\n\n");
    assert_eq!(zone_file::offset(&file, 2_000), Some(7200));
    for len in 0..file.len() {
        assert_eq!(zone_file::offset(&file[..len], 2_000), None, "{len} bytes");
    }
    let mut huge = head(u32::MAX);
    huge.extend(head(u32::MAX));
    assert_eq!(zone_file::offset(&huge, 0), None);
}
