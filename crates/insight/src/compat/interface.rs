//! Triggers about the interfaces of a run: S01 and M01.

use ioglass_log::{Log, stdio};

use super::mpiio::MpiIo;
use super::number::{human_bytes, percent, ratio};
use super::posix::Posix;
use super::{Stop, Trigger, records};
use crate::Level;
use crate::threshold::Thresholds;

/// Bytes that went through streams, the standard ones included.
pub(super) fn stdio_bytes(log: &Log) -> Result<i64, Stop> {
    let (mut read, mut written) = (0_i64, 0_i64);
    records::for_each(log, &stdio::MODULE, |record| {
        read = read.wrapping_add(record.int[stdio::BYTES_READ]);
        written = written.wrapping_add(record.int[stdio::BYTES_WRITTEN]);
    })?;
    Ok(written.wrapping_add(read))
}

pub(super) fn judge(
    stdio: i64,
    posix: Option<&Posix>,
    mpiio: Option<&MpiIo>,
    limits: &Thresholds,
    triggers: &mut Vec<Trigger>,
) -> Result<(), Stop> {
    let mpiio_bytes = mpiio.map_or(0, MpiIo::bytes);
    let mut posix_bytes = posix.map_or(0, Posix::bytes);
    // What MPI-IO moves is seen by POSIX again, but only totals are compared.
    if posix_bytes > 0 && posix_bytes >= mpiio_bytes {
        posix_bytes = posix_bytes.wrapping_sub(mpiio_bytes);
    }
    if [stdio, posix_bytes, mpiio_bytes].iter().any(|bytes| *bytes < 0) {
        return Err(Stop::fails("the bytes of a module are fewer than none"));
    }
    let total = stdio.wrapping_add(posix_bytes).wrapping_add(mpiio_bytes);
    if total != 0 && ratio(stdio, total) > limits.interface_stdio {
        let share = percent(stdio, total);
        let (number, unit) = human_bytes(stdio);
        let message = format!("streams move {share:.2} % of all bytes ({number} {unit})");
        triggers.push(
            Trigger::new("S01", Level::High, message)
                .figures(&[share, number])
                .inputs(&[("total_size", total), ("total_size_stdio", stdio)]),
        );
    }
    if mpiio.is_none() {
        triggers.push(Trigger::new("M01", Level::Warn, "the log has no MPI-IO module"));
    }
    Ok(())
}
