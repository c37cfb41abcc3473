//! Records made of counters.

use std::marker::PhantomData;

use ioglass_schema::{FixedRecord, Module, RecordRef};

use super::Log;
use crate::bytes::Order;
use crate::decode::compat;
use crate::error::Error;
use crate::log_region::LogRegionReader;
use crate::record::RecordBuf;

/// Records of one module, each lent until the next is read.
///
/// ```no_run
/// # let log = ioglass_log::Log::open("app.darshan")?;
/// let mut records = log.records(&ioglass_log::stdio::MODULE)?;
/// while let Some(record) = records.next()? {
///     println!("{} {:?}", record.base.id, record.int("STDIO_OPENS"));
/// }
/// # Ok::<(), ioglass_log::Error>(())
/// ```
#[derive(Debug)]
pub struct Records<'a> {
    log_region: LogRegionReader<'a>,
    version: u32,
    order: Order,
    size: usize,
    record: RecordBuf,
    left_out: u64,
}

impl<'a> Records<'a> {
    pub(super) fn new(log: &'a Log, module: &'static Module) -> Self {
        let version = log.header.versions[module.id.index()];
        Self {
            log_region: log.module_log_region(module),
            version,
            order: log.header.order,
            size: compat::stored_size(module, version),
            record: RecordBuf::new(module),
            left_out: 0,
        }
    }

    /// The next record; `None` after the last.
    // A lending iterator cannot be an `Iterator`.
    #[allow(clippy::should_implement_trait)]
    pub fn next(&mut self) -> Result<Option<RecordRef<'_>>, Error> {
        loop {
            let Some(bytes) = self.log_region.record(self.size)? else {
                return Ok(None);
            };
            if compat::decode(&mut self.record, self.version, self.order, bytes) {
                break;
            }
            self.left_out += 1;
        }
        Ok(Some(self.record.view()))
    }

    /// Records passed over so far because only their own, old tools can express them.
    pub fn left_out(&self) -> u64 {
        self.left_out
    }
}

/// Typed records of one module.
#[derive(Debug)]
pub struct TypedRecords<'a, T> {
    records: Option<Records<'a>>,
    record: PhantomData<T>,
}

impl<'a, T> TypedRecords<'a, T> {
    pub(super) fn new(records: Records<'a>) -> Self {
        Self { records: Some(records), record: PhantomData }
    }
}

impl<T: FixedRecord> Iterator for TypedRecords<'_, T> {
    type Item = Result<T, Error>;

    /// The next record. After an error there are no more.
    fn next(&mut self) -> Option<Self::Item> {
        match self.records.as_mut()?.next() {
            Ok(record) => T::from_ref(record?).map(Ok),
            Err(error) => {
                self.records = None;
                Some(Err(error))
            }
        }
    }
}
