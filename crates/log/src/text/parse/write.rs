//! The log, written from what the text said.

use ioglass_schema::{Base, Layout, Module, ModuleId, apmpi, lustre, modules, record_id};

use super::TextBuilder;
use super::expand::{self, Budget};
use super::shape::Shape;
use super::strings::WordTable;
use super::table::LineTable;
use super::trace::{Layouts, ModuleTrace};
use super::value::DaosPlace;
use crate::block::{self, Block};
use crate::codec::Compression;
use crate::record::{Apmpi, ApmpiHeader, DxtHead, Encode, RecordBuf};
use crate::rewrite::CopyError;
use crate::write::{LogWriter, ModuleWriter, Sink, WriteError};

impl TextBuilder {
    /// Writes the log.
    pub fn write<S: Sink>(self, sink: S, compression: Compression) -> Result<S, CopyError<S::Error>>
    where
        S::Error: std::error::Error + 'static,
    {
        let mut writer = LogWriter::new(sink, compression)?;
        writer.job(&self.job.build())?;
        writer.names(self.names.iter())?;
        drop(self.names);
        for number in (0..ModuleId::MAX as u8).filter(|number| self.partial >> number & 1 == 1) {
            writer.set_partial(ModuleId(number));
        }

        let mut sources = Sources {
            budget: Budget::of_text(self.size),
            words: self.words,
            places: self.places.into_list(),
            has_sync: self.has_sync,
        };
        let mut tables: Vec<(Shape, LineTable)> =
            self.shapes.into_iter().zip(self.tables).collect();
        tables.retain(|(_, table)| !table.is_empty());
        let mut traces = Vec::from(self.traces.list);
        traces.retain(|trace| !trace.is_empty());
        let layouts = self.traces.layouts;
        let mut block = Block::default();
        for module in modules() {
            // What is written is no longer needed, so it is taken out.
            let own: Vec<_> = tables.extract_if(.., |(shape, _)| shape.module == module).collect();
            let trace = traces.extract_if(.., |trace| trace.module == module).next();
            let has_layouts = module == &lustre::MODULE && !layouts.is_empty();
            if own.is_empty() && trace.is_none() && !has_layouts {
                continue;
            }
            let mut log_region = writer.module(module)?;
            if let Some(trace) = trace {
                let threads = write_trace(&mut log_region, trace, &sources.words)?;
                block.push(block::threads_section(module), &threads);
            } else if own.is_empty() {
                sources.write_layouts(&mut log_region, &layouts)?;
            } else {
                sources.write_tables(&mut log_region, module, own)?;
            }
            log_region.finish()?;
        }
        writer.block(&block);
        Ok(writer.finish()?)
    }
}

/// Tables that records refer to.
#[derive(Debug)]
struct Sources {
    budget: Budget,
    words: WordTable,
    places: Vec<DaosPlace>,
    has_sync: bool,
}

impl Sources {
    /// Writes the records of a module: one table of them, or two for APMPI.
    fn write_tables<S: Sink>(
        &mut self,
        log_region: &mut ModuleWriter<'_, S>,
        module: &'static Module,
        tables: Vec<(Shape, LineTable)>,
    ) -> Result<(), CopyError<S::Error>>
    where
        S::Error: std::error::Error + 'static,
    {
        if module.layout == Layout::Apmpi {
            return self.write_apmpi(log_region, tables);
        }
        let Self { budget, words, places, .. } = self;
        let mut buffer = RecordBuf::new(module);
        for (_, table) in tables {
            for (base, mut cells) in table.into_records().iter() {
                let cells = &mut cells;
                match module.layout {
                    Layout::Counters => {
                        expand::counters(&mut buffer, base, cells, places);
                        log_region.record(&buffer.view())?;
                    }
                    Layout::Lustre => {
                        log_region.record(&expand::lustre(base, cells, words, budget)?)?;
                    }
                    Layout::Heatmap => log_region.record(&expand::heatmap(base, cells, budget)?)?,
                    Layout::Mdhim => log_region.record(&expand::mdhim(base, cells, budget)?)?,
                    Layout::Apmpi | Layout::Dxt | Layout::Apxc => {}
                }
            }
        }
        Ok(())
    }

    /// An APMPI log region begins with one header, whether or not the text has it.
    fn write_apmpi<S: Sink>(
        &self,
        log_region: &mut ModuleWriter<'_, S>,
        tables: Vec<(Shape, LineTable)>,
    ) -> Result<(), CopyError<S::Error>>
    where
        S::Error: std::error::Error + 'static,
    {
        let (headers, ranks): (Vec<_>, Vec<_>) =
            tables.into_iter().partition(|(shape, _)| shape.is_header);
        let mut header = headers.into_iter().find_map(|(_, table)| {
            let records = table.into_records();
            let mut headers =
                records.iter().map(|(base, mut cells)| expand::apmpi_header(base, &mut cells));
            headers.next()
        });
        let header = header.get_or_insert_with(|| ApmpiHeader {
            base: Base { id: record_id(apmpi::HEADER_NAME), rank: 0 },
            ..ApmpiHeader::default()
        });
        header.sync = u32::from(self.has_sync);
        log_region.record(&Apmpi::Header(*header))?;
        for (_, table) in ranks {
            for (base, mut cells) in table.into_records().iter() {
                let rank = expand::apmpi_rank(base, &mut cells, &self.words);
                log_region.record(&Apmpi::Rank(rank))?;
            }
        }
        Ok(())
    }

    /// Writes layouts that only a trace shows.
    fn write_layouts<S: Sink>(
        &mut self,
        log_region: &mut ModuleWriter<'_, S>,
        layouts: &Layouts,
    ) -> Result<(), CopyError<S::Error>>
    where
        S::Error: std::error::Error + 'static,
    {
        for (id, components) in layouts.iter() {
            log_region.record(&expand::traced_layout(id, components, &mut self.budget)?)?;
        }
        Ok(())
    }
}

/// Writes a trace. The result is its thread ids, if it has any, as a section stores them.
fn write_trace<S: Sink>(
    log_region: &mut ModuleWriter<'_, S>,
    mut trace: ModuleTrace,
    words: &WordTable,
) -> Result<Vec<u8>, WriteError<S::Error>> {
    let (order, starts) = trace.order();
    let mut threads = Vec::new();
    if trace.has_threads {
        threads.reserve_exact(8 * trace.segments.len());
    }
    let mut bytes = Vec::new();
    for (i, record) in trace.records.iter().enumerate() {
        let [first, read, end] = [starts[2 * i], starts[2 * i + 1], starts[2 * i + 2]];
        log_region.record(&DxtHead {
            base: record.base,
            shared: 0,
            hostname: words.get(u64::from(record.hostname)).into(),
            writes: u64::from(read - first),
            reads: u64::from(end - read),
        })?;
        for position in &order[first as usize..end as usize] {
            let traced = &trace.segments[*position as usize];
            bytes.clear();
            traced.segment.encode(&mut bytes);
            log_region.bytes(&bytes)?;
            if trace.has_threads {
                threads.extend_from_slice(&traced.thread.to_le_bytes());
            }
        }
    }
    Ok(threads)
}
