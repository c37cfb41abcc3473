//! Checks of the positions that a header names.

use ioglass_schema::ModuleId;

use crate::error::{Damage, Error, LogRegion};
use crate::header::{Extent, Header};
use crate::source::Source;

/// The job has no entry in the header: it ends where the first log region begins.
pub(super) fn job_extent(header: &Header, source: &Source) -> Result<Extent, Error> {
    let names = Some(header.names.offset).filter(|offset| *offset > 0);
    let first_module = || header.modules.iter().map(|extent| extent.offset).find(|o| *o > 0);
    let end = names.or_else(first_module).unwrap_or_else(|| source.len());
    let end = end.min(source.len());
    if end <= header.size {
        return Err(Error::corrupt(LogRegion::Job, header.size, Damage::JobInHeader { end }));
    }
    Ok(Extent { offset: header.size, len: end - header.size })
}

/// Log regions may not overlap. One that reaches past the end of the file is only cut off: what is
/// there can be read, so that is a warning.
pub(super) fn extents(header: &Header, job: Extent, source: &Source) -> Result<Vec<Error>, Error> {
    let modules = header.modules.iter().enumerate();
    let mut log_regions: Vec<(LogRegion, Extent)> = modules
        .map(|(number, extent)| (LogRegion::Module(ModuleId(number as u8)), *extent))
        .chain([(LogRegion::Job, job), (LogRegion::Names, header.names)])
        .filter(|(_, extent)| extent.len > 0)
        .collect();
    log_regions.sort_by_key(|(_, extent)| extent.offset);

    let mut warnings = Vec::new();
    let mut before = (LogRegion::Header, Extent { offset: 0, len: header.size });
    for (log_region, extent) in log_regions {
        if extent.offset < before.1.end() {
            let damage = Damage::Overlap { before: before.0, end: before.1.end() };
            return Err(Error::corrupt(log_region, extent.offset, damage));
        }
        if extent.end() > source.len() {
            let damage = Damage::PastEnd { end: extent.end(), size: source.len() };
            warnings.push(Error::corrupt(log_region, extent.offset, damage));
        }
        before = (log_region, extent);
    }
    Ok(warnings)
}
