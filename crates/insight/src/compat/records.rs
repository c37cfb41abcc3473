//! Records as the original sees them.

use ioglass_log::{Log, Module, RecordRef};

use super::Stop;

/// Hands out the records of `module`, if the log has it; false if it has not. A record without a
/// name is passed over, and no record at all is more than the original can take.
pub(super) fn for_each(
    log: &Log,
    module: &'static Module,
    mut see: impl FnMut(RecordRef<'_>),
) -> Result<bool, Stop> {
    if log.module_info(module.id).extent.len == 0 {
        return Ok(false);
    }
    let names = log.names();
    let mut records = log.records(module)?;
    let mut seen = false;
    while let Some(record) = records.next()? {
        if names.get(record.base.id).is_some() {
            see(record);
            seen = true;
        }
    }
    if seen { Ok(true) } else { Err(no_record(module)) }
}

/// The failure at a module of which there is nothing to make a table of.
pub(super) fn no_record(module: &Module) -> Stop {
    Stop::fails(format!("the {} module has no record with a name", module.name))
}

/// The name of a record that [`for_each`] handed out.
pub(super) fn path(log: &Log, id: u64) -> String {
    String::from_utf8_lossy(log.names().get(id).unwrap_or_default()).into_owned()
}
