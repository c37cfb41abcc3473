//! The job of the new log.

use ioglass_harvest::process::WHOLE;
use ioglass_log::{Job, Mount};

use crate::input::Input;
use crate::ranks::Ranks;
use crate::time::SECOND;

/// Bytes that a log has for metadata, without the NUL at their end.
const METADATA_ROOM: usize = 1023;
/// In a log's metadata: how many of its ranks it tells nothing of.
pub const MISSING: &str = "missing_ranks";
/// Keys whose values are counts of what happened in each log.
const COUNTED: [&[u8]; 2] = [b"unrecorded", b"excluded_opens"];

/// One job out of those of all logs: who and what as the first says it, the rest united.
pub(crate) fn merge(
    inputs: &[Input],
    ranks: &Ranks,
    missing: i64,
    (start_ns, end_ns): (i64, i64),
) -> Job {
    let mut job = inputs.first().map_or_else(Job::default, |first| first.job.clone());
    let command = job.command().to_vec();
    job.start_sec = start_ns.div_euclid(SECOND);
    job.start_nsec = start_ns.rem_euclid(SECOND);
    job.end_sec = end_ns.div_euclid(SECOND);
    job.end_nsec = end_ns.rem_euclid(SECOND);
    job.nprocs = ranks.count;
    job.metadata = metadata(inputs, ranks, missing);
    let mut mounts: Vec<Mount> = Vec::new();
    for mount in inputs.iter().flat_map(|input| input.job.mounts()) {
        if !mounts.contains(mount) {
            mounts.push(mount.clone());
        }
    }
    job.set_command(&command, &mounts);
    job
}

fn metadata(inputs: &[Input], ranks: &Ranks, missing: i64) -> Vec<u8> {
    let mut lines: Vec<Vec<u8>> = Vec::new();
    let mut counts = [0_u64; COUNTED.len()];
    for (key, value) in inputs.iter().flat_map(|input| input.job.metadata()) {
        if let Some(counted) = COUNTED.iter().position(|counted| *counted == key) {
            let count = std::str::from_utf8(value).ok().and_then(|text| text.parse().ok());
            counts[counted] = counts[counted].saturating_add(count.unwrap_or(0));
            continue;
        }
        let line = [key, b"=", value].concat();
        let is_ours = [b"ranks".as_slice(), b"merged", MISSING.as_bytes(), WHOLE.as_bytes()];
        let is_ours = is_ours.contains(&key);
        if !is_ours && !lines.contains(&line) {
            lines.push(line);
        }
    }
    // Ours come first: what does not fit is what others had to say.
    let own = [
        format!("ranks={}", ranks.numbered_by).into_bytes(),
        format!("merged={}", inputs.len()).into_bytes(),
    ];
    let missing = (missing > 0).then(|| format!("{MISSING}={missing}").into_bytes());
    let counts = COUNTED.iter().zip(counts).filter(|(_, count)| *count > 0);
    let counts = counts.map(|(key, count)| [key, &b"="[..], count.to_string().as_bytes()].concat());
    let at = lines.len().min(1);
    lines.splice(at..at, own.into_iter().chain(missing).chain(counts));
    let mut metadata = Vec::new();
    for line in lines {
        if metadata.len() + line.len() < METADATA_ROOM {
            metadata.extend(line);
            metadata.push(b'\n');
        }
    }
    metadata
}
