//! The beginning of both listings: the job, the log regions, the mounts.

use ioglass_schema::ModuleId;
use jiff::{Timestamp, fmt::strtime, tz::TimeZone};

use super::output::Output;
use super::zone;
use crate::error::{Error, LogRegion};
use crate::header::SIZE;
use crate::read::{Log, ModuleInfo};

/// Printed by the library that wrote format 3.20, whose common access sizes cannot be trusted.
const DOUBTFUL_VERSION: (u32, u32) = (3, 20);

pub(super) fn put(out: &mut Output<'_>, log: &Log) {
    let (header, job) = (log.header(), log.job());
    if (header.version.major, header.version.minor) == DOUBTFUL_VERSION {
        out.line("# *WARNING*: the library that wrote format 3.20 stored wrong common access");
        out.line("#            sizes, and what stands before them may be damaged too.");
    }
    out.line(&format!("# darshan log version: {}", header.version));
    out.line(&format!("# compression method: {}", header.compression.name()));
    out.put(b"# exe: ");
    // The reference takes the command line for missing then, and this line is read by programs.
    if !job.is_command_cut() {
        out.put(job.command());
    }
    out.line("");
    let zone = zone::local();
    out.line(&format!("# uid: {}", job.uid));
    out.line(&format!("# jobid: {}", job.jobid));
    out.line(&format!("# start_time: {}", job.start_sec));
    out.line(&format!("# start_time_asci: {}", date(job.start_sec, &zone)));
    out.line(&format!("# end_time: {}", job.end_sec));
    out.line(&format!("# end_time_asci: {}", date(job.end_sec, &zone)));
    out.line(&format!("# nprocs: {}", job.nprocs));
    out.line(&format!("# run time: {:.4}", log.run_time()));
    for (key, value) in job.metadata() {
        out.put(b"# metadata: ");
        out.put(key);
        out.put(b" = ");
        out.put(value);
        out.line("");
    }

    out.heading("parts of the log");
    // The reference prints the size of today's header whatever the log has.
    out.line(&format!("# header: {SIZE} bytes (uncompressed)"));
    out.line(&format!("# job data: {} bytes (compressed)", log.job_extent().len));
    out.line(&format!("# record table: {} bytes (compressed)", header.names.len));
    for info in log.modules() {
        let (len, version) = (info.extent.len, info.version);
        let name = module_name(info.id);
        out.line(&format!("# {name}: {len} bytes (compressed), ver={version}"));
    }

    out.heading("file systems mounted (mount point, type)");
    for mount in job.mounts_by_length() {
        out.put(b"# mount entry:\t");
        out.put(&mount.path);
        out.put(b"\t");
        out.put(&mount.fs_type);
        out.line("");
    }
}

/// A module's title and, if it lost records, a warning. `Err` if losses may not be shown.
pub(super) fn put_module(
    out: &mut Output<'_>,
    info: ModuleInfo,
    show_incomplete: bool,
) -> Result<(), Error> {
    let name = match info.id.module() {
        Some(module) => module.name.to_owned(),
        None if info.id == ModuleId(0) => "NULL".to_owned(),
        None => format!("number {}", info.id.0),
    };
    out.heading(&format!("{name} module data"));
    if info.partial {
        if !show_incomplete {
            return Err(Error::Incomplete(LogRegion::Module(info.id)));
        }
        out.line("");
        out.line(&format!("# *WARNING*: The {name} module contains incomplete data!"));
        out.line(
            "#            It ran out of memory for records, or of names. Leave files out that",
        );
        out.line("#            do not matter (NAME_EXCLUDE), or give it more (MAX_RECORDS).");
    }
    Ok(())
}

fn module_name(id: ModuleId) -> String {
    match id.module() {
        Some(module) => format!("{} module", module.name),
        None if id == ModuleId(0) => "NULL module".into(),
        None => format!("<UNKNOWN> module (id {})", id.0),
    }
}

/// Like C's `ctime`.
fn date(seconds: i64, zone: &TimeZone) -> String {
    let Ok(timestamp) = Timestamp::from_second(seconds) else {
        return "(null)".into();
    };
    let local = timestamp.to_zoned(zone.clone());
    strtime::format("%a %b %e %H:%M:%S %Y", &local).unwrap_or_else(|_| "(null)".into())
}
