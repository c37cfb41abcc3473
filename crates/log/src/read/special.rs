//! Records with shapes of their own.

use std::marker::PhantomData;

use ioglass_schema::mdhim::Mdhim;
use ioglass_schema::{Base, FixedRecord, Module, apmpi, apxc, heatmap, lustre, mdhim};

use super::Log;
use crate::bytes::Order;
use crate::decode::Cursor;
use crate::decode::compat;
use crate::error::Error;
use crate::log_region::LogRegionReader;
use crate::record::{
    Apmpi, ApmpiHeader, ApmpiRank, Apxc, ApxcHeader, ApxcRouter, Encode, Heatmap, Lustre,
    MdhimServers, RecordBuf,
};

/// A record that is not just counters.
pub trait Special: Encode + Sized {
    /// The module whose records these are.
    const MODULE: &'static Module;

    /// Reads the next record.
    #[doc(hidden)]
    fn read(place: &mut Place<'_>) -> Result<Option<Self>, Error>;
}

/// Where in a log region the next record is read, and what earlier records said.
#[doc(hidden)]
pub struct Place<'a> {
    log_region: LogRegionReader<'a>,
    version: u32,
    order: Order,
    is_first: bool,
    first_heatmap: Option<(usize, f64)>,
}

/// Records of one module with a shape of its own.
pub struct SpecialRecords<'a, T> {
    place: Option<Place<'a>>,
    record: PhantomData<T>,
}

impl<'a, T: Special> SpecialRecords<'a, T> {
    pub(super) fn new(log: &'a Log) -> Self {
        let place = Place {
            log_region: log.module_log_region(T::MODULE),
            version: log.header.versions[T::MODULE.id.index()],
            order: log.header.order,
            is_first: true,
            first_heatmap: None,
        };
        Self { place: Some(place), record: PhantomData }
    }
}

impl<T: Special> Iterator for SpecialRecords<'_, T> {
    type Item = Result<T, Error>;

    /// The next record. After an error there are no more.
    fn next(&mut self) -> Option<Self::Item> {
        let place = self.place.as_mut()?;
        let record = T::read(place).transpose();
        place.is_first = false;
        if !matches!(record, Some(Ok(_))) {
            self.place = None;
        }
        record
    }
}

impl Special for Lustre {
    const MODULE: &'static Module = &lustre::MODULE;

    fn read(place: &mut Place<'_>) -> Result<Option<Self>, Error> {
        let order = place.order;
        if place.version == 1 {
            let Some(head) = place.log_region.record(lustre::V1_HEAD_SIZE)? else {
                return Ok(None);
            };
            let head: [u8; lustre::V1_HEAD_SIZE] = Cursor::new(head, order).array();
            let stripes = Cursor::new(&head[lustre::V1_HEAD_SIZE - 8..], order).u64();
            let targets = place.log_region.rest_of_record(stripes.saturating_mul(8), "targets")?;
            return Ok(Some(Self::decode_v1(&head, targets, order)));
        }
        let Some(head) = place.log_region.record(lustre::HEAD_SIZE)? else {
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
        let bytes = place.log_region.rest_of_record(all, "components and targets")?;
        let (components, targets) = bytes.split_at(components as usize);
        Ok(Some(Self::decode(base, components, targets, order)))
    }
}

impl Special for Heatmap {
    const MODULE: &'static Module = &heatmap::MODULE;

    fn read(place: &mut Place<'_>) -> Result<Option<Self>, Error> {
        let order = place.order;
        let Some(head) = place.log_region.record(heatmap::HEAD_SIZE)? else {
            return Ok(None);
        };
        let (mut map, bins) = Self::decode_head(head, order);
        let bins = bins.cast_unsigned().saturating_mul(16);
        map.decode_bins(place.log_region.rest_of_record(bins, "bins")?, order);
        let own = (map.writes.len(), map.bin_width);
        map.align_with(place.first_heatmap.get_or_insert(own));
        Ok(Some(map))
    }
}

impl Special for MdhimServers {
    const MODULE: &'static Module = &mdhim::MODULE;

    fn read(place: &mut Place<'_>) -> Result<Option<Self>, Error> {
        let order = place.order;
        let size = mdhim::MODULE.record_size(place.version);
        let Some(bytes) = place.log_region.record(size)? else {
            return Ok(None);
        };
        let mut buffer = RecordBuf::new(&mdhim::MODULE);
        compat::decode(&mut buffer, place.version, order, bytes);
        let record = Mdhim::from_ref(buffer.view());
        let record =
            record.ok_or_else(|| place.log_region.corrupt("the record has another shape"))?;
        let servers = MdhimServers::stored_servers(&record).saturating_mul(8);
        let bytes = place.log_region.rest_of_record(servers, "servers")?;
        let servers = bytes.chunks_exact(8).map(|bytes| Cursor::new(bytes, order).i64()).collect();
        Ok(Some(Self { record, servers }))
    }
}

impl Special for Apmpi {
    const MODULE: &'static Module = &apmpi::MODULE;

    fn read(place: &mut Place<'_>) -> Result<Option<Self>, Error> {
        let order = place.order;
        let (header, size) = (place.is_first, apmpi::RECORD_SIZE);
        let size = if header { apmpi::HEADER_SIZE } else { size };
        Ok(place.log_region.record(size)?.map(|bytes| {
            if header {
                Self::Header(ApmpiHeader::decode(bytes, order))
            } else {
                Self::Rank(ApmpiRank::decode(bytes, order))
            }
        }))
    }
}

impl Special for Apxc {
    const MODULE: &'static Module = &apxc::MODULE;

    fn read(place: &mut Place<'_>) -> Result<Option<Self>, Error> {
        let order = place.order;
        let (header, size) = (place.is_first, apxc::RECORD_SIZE);
        let size = if header { apxc::HEADER_SIZE } else { size };
        Ok(place.log_region.record(size)?.map(|bytes| {
            if header {
                Self::Header(ApxcHeader::decode(bytes, order))
            } else {
                Self::Router(ApxcRouter::decode(bytes, order))
            }
        }))
    }
}
