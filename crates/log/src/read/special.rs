//! Records with shapes of their own.

use std::marker::PhantomData;

use ioglass_schema::mdhim::Mdhim;
use ioglass_schema::{Base, FixedRecord, Module, apmpi, apxc, heatmap, lustre, mdhim};

use super::Log;
use crate::bytes::Order;
use crate::decode::Cursor;
use crate::decode::compat;
use crate::error::{Damage, Error};
use crate::log_region::LogRegionReader;
use crate::record::{
    Apmpi, ApmpiHeader, ApmpiRank, Apxc, ApxcHeader, ApxcRouter, Encode, Heatmap, Lustre,
    MdhimServers, RecordBuf,
};

/// A record that is not just counters. Only this crate implements it.
pub trait Special: Encode + sealed::ReadSpecial {
    /// The module whose records these are.
    const MODULE: &'static Module;
}

mod sealed {
    /// Records that can be read with [`SpecialReader`](super::SpecialReader).
    pub trait ReadSpecial: Sized {
        /// Reads the next record; `None` after the last.
        fn read(reader: &mut super::SpecialReader<'_>) -> Result<Option<Self>, super::Error>;
    }
}

/// A log region whose next record is to be read, and what earlier records said.
#[derive(Debug)]
pub struct SpecialReader<'a> {
    log_region: LogRegionReader<'a>,
    version: u32,
    order: Order,
    is_first: bool,
    first_heatmap: Option<(usize, f64)>,
}

/// The size of a record and the function that decodes it.
type RecordDecoder<T> = (usize, fn(&[u8], Order) -> T);

impl SpecialReader<'_> {
    /// Reads the next record of a module whose first record is a header.
    fn header_or_record<T>(
        &mut self,
        header: RecordDecoder<T>,
        record: RecordDecoder<T>,
    ) -> Result<Option<T>, Error> {
        let order = self.order;
        let (size, decode) = if self.is_first { header } else { record };
        Ok(self.log_region.record(size)?.map(|bytes| decode(bytes, order)))
    }
}

/// Records of one module with a shape of its own.
#[derive(Debug)]
pub struct SpecialRecords<'a, T> {
    reader: Option<SpecialReader<'a>>,
    record: PhantomData<T>,
}

impl<'a, T: Special> SpecialRecords<'a, T> {
    pub(super) fn new(log: &'a Log) -> Self {
        let reader = SpecialReader {
            log_region: log.module_log_region(T::MODULE),
            version: log.header.versions[T::MODULE.id.index()],
            order: log.header.order,
            is_first: true,
            first_heatmap: None,
        };
        Self { reader: Some(reader), record: PhantomData }
    }
}

impl<T: Special> Iterator for SpecialRecords<'_, T> {
    type Item = Result<T, Error>;

    /// The next record. After an error there are no more.
    fn next(&mut self) -> Option<Self::Item> {
        let reader = self.reader.as_mut()?;
        let record = T::read(reader).transpose();
        reader.is_first = false;
        if !matches!(record, Some(Ok(_))) {
            self.reader = None;
        }
        record
    }
}

impl Special for Lustre {
    const MODULE: &'static Module = &lustre::MODULE;
}

impl sealed::ReadSpecial for Lustre {
    fn read(reader: &mut SpecialReader<'_>) -> Result<Option<Self>, Error> {
        let order = reader.order;
        if reader.version == 1 {
            let Some(head) = reader.log_region.record(lustre::V1_HEAD_SIZE)? else {
                return Ok(None);
            };
            let head: [u8; lustre::V1_HEAD_SIZE] = Cursor::new(head, order).array();
            let stripes = Cursor::new(&head[lustre::V1_HEAD_SIZE - 8..], order).u64();
            let targets = reader.log_region.rest_of_record(stripes.saturating_mul(8), "targets")?;
            return Ok(Some(Self::decode_v1(&head, targets, order)));
        }
        let Some(head) = reader.log_region.record(lustre::HEAD_SIZE)? else {
            return Ok(None);
        };
        let mut cursor = Cursor::new(head, order);
        let base = Base { id: cursor.u64(), rank: cursor.i64() };
        let (components, stripes) = (cursor.i64(), cursor.u64());
        if components < 1 {
            return Ok(Some(Self { base, ..Self::default() }));
        }
        let components = components.cast_unsigned().saturating_mul(lustre::COMPONENT_SIZE as u64);
        let all = components.saturating_add(stripes.saturating_mul(8));
        let bytes = reader.log_region.rest_of_record(all, "components and targets")?;
        let (components, targets) = bytes.split_at(components as usize);
        Ok(Some(Self::decode(base, components, targets, order)))
    }
}

impl Special for Heatmap {
    const MODULE: &'static Module = &heatmap::MODULE;
}

impl sealed::ReadSpecial for Heatmap {
    fn read(reader: &mut SpecialReader<'_>) -> Result<Option<Self>, Error> {
        let order = reader.order;
        let Some(head) = reader.log_region.record(heatmap::HEAD_SIZE)? else {
            return Ok(None);
        };
        let (mut map, bins) = Self::decode_head(head, order);
        let bins = bins.cast_unsigned().saturating_mul(16);
        map.decode_bins(reader.log_region.rest_of_record(bins, "bins")?, order);
        let own = (map.writes.len(), map.bin_width);
        map.align_with(reader.first_heatmap.get_or_insert(own));
        Ok(Some(map))
    }
}

impl Special for MdhimServers {
    const MODULE: &'static Module = &mdhim::MODULE;
}

impl sealed::ReadSpecial for MdhimServers {
    fn read(reader: &mut SpecialReader<'_>) -> Result<Option<Self>, Error> {
        let order = reader.order;
        let size = mdhim::MODULE.record_size(reader.version);
        let Some(bytes) = reader.log_region.record(size)? else {
            return Ok(None);
        };
        let mut buffer = RecordBuf::new(&mdhim::MODULE);
        compat::decode(&mut buffer, reader.version, order, bytes);
        let record = Mdhim::from_ref(buffer.view());
        let record = record.ok_or_else(|| reader.log_region.corrupt(Damage::Shape))?;
        let servers = MdhimServers::stored_servers(&record).saturating_mul(8);
        let bytes = reader.log_region.rest_of_record(servers, "servers")?;
        let servers = bytes.chunks_exact(8).map(|bytes| Cursor::new(bytes, order).i64()).collect();
        Ok(Some(Self { record, servers }))
    }
}

impl Special for Apmpi {
    const MODULE: &'static Module = &apmpi::MODULE;
}

impl sealed::ReadSpecial for Apmpi {
    fn read(reader: &mut SpecialReader<'_>) -> Result<Option<Self>, Error> {
        reader.header_or_record(
            (apmpi::HEADER_SIZE, |bytes, order| Self::Header(ApmpiHeader::decode(bytes, order))),
            (apmpi::RECORD_SIZE, |bytes, order| Self::Rank(ApmpiRank::decode(bytes, order))),
        )
    }
}

impl Special for Apxc {
    const MODULE: &'static Module = &apxc::MODULE;
}

impl sealed::ReadSpecial for Apxc {
    fn read(reader: &mut SpecialReader<'_>) -> Result<Option<Self>, Error> {
        reader.header_or_record(
            (apxc::HEADER_SIZE, |bytes, order| Self::Header(ApxcHeader::decode(bytes, order))),
            (apxc::RECORD_SIZE, |bytes, order| Self::Router(ApxcRouter::decode(bytes, order))),
        )
    }
}
