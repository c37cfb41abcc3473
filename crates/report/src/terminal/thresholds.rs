//! The limits, as a settings file.

use std::io::{self, Write};

use ioglass_insight::detect;
use ioglass_insight::threshold::{ALL, LimitUnit, Thresholds};

/// Columns of a comment.
const ROOM: usize = 76;

/// Writes all limits with their meaning, as a TOML file for `--config`.
pub fn thresholds(out: &mut impl Write, thresholds: &Thresholds) -> io::Result<()> {
    writeln!(out, "# The limits of all checks. Save this, change it, use it with --config FILE.")?;
    for limit in ALL {
        let value = thresholds.get(limit.name).unwrap_or(limit.default);
        writeln!(out)?;
        for line in crate::text::wrap(&limit.used_by(detect::ALL), ROOM) {
            writeln!(out, "# {line}")?;
        }
        let (unit, default) = (unit(limit.measure), limit.default);
        let (min, max) = (limit.min, limit.max);
        writeln!(out, "# {unit}, {min} to {max}, default {default}")?;
        writeln!(out, "{} = {value}", limit.name)?;
    }
    Ok(())
}

/// Returns the unit of a limit in words.
pub(crate) fn unit(measure: LimitUnit) -> &'static str {
    match measure {
        LimitUnit::Share => "a part of 1",
        LimitUnit::Count => "a count",
        LimitUnit::Bytes => "bytes",
        LimitUnit::Seconds => "seconds",
        LimitUnit::Factor => "a factor",
    }
}
