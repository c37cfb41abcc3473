//! pprof: protocol buffers, compressed with gzip.

use std::collections::HashMap;
use std::io::{self, Write};

use flate2::Compression;
use flate2::write::GzEncoder;
use ioglass_profile::Set;

use super::{Table, Together};
use crate::profile::By;

/// Writes a profile for pprof. Values are a region's own; ranks and threads are labels.
pub fn pprof(out: &mut impl Write, set: &Set, together: Together) -> io::Result<()> {
    let table = Table::new(set, &[By::Thread], together);
    table.check_depth(|region| (region + 1).ilog2() as usize / 7)?;
    let mut gzip = GzEncoder::new(out, Compression::default());
    let mut texts = Texts::default();
    texts.number("");
    let mut message = Message::default();
    let (rank, thread) = (texts.number("rank"), texts.number("thread"));
    for (kind, unit) in [("calls", "count"), ("wall", "nanoseconds")] {
        let mut own = Message::default();
        own.varint(1, texts.number(kind));
        own.varint(2, texts.number(unit));
        message.bytes(1, &own.0);
    }
    for (region, own) in table.values.iter().enumerate() {
        // The innermost comes first.
        let stack: Vec<u64> = table.path(region).iter().rev().map(|at| *at as u64 + 1).collect();
        for (key, value) in own {
            let mut sample = Message::default();
            sample.packed(1, &stack);
            sample.packed(2, &[value.calls.round() as u64, value.exclusive_ns.round() as u64]);
            let labels = [(rank, key.rank), (thread, key.thread)];
            for (name, number) in
                labels.into_iter().filter_map(|(name, number)| Some((name, number?)))
            {
                let mut label = Message::default();
                label.varint(1, name);
                label.varint(3, number.into());
                sample.bytes(3, &label.0);
            }
            message.bytes(2, &sample.0);
            message.write(&mut gzip)?;
        }
    }
    for (region, own) in set.profile().regions.iter().enumerate() {
        let id = region as u64 + 1;
        let mut line = Message::default();
        line.varint(1, id);
        line.varint(2, own.line.into());
        let mut location = Message::default();
        location.varint(1, id);
        location.bytes(4, &line.0);
        message.bytes(4, &location.0);
        let name = texts.number(&table.name(region));
        let file = texts.number(&super::lossy(&own.file));
        let mut function = Message::default();
        function.varint(1, id);
        function.varint(2, name);
        function.varint(3, name);
        function.varint(4, file);
        message.bytes(5, &function.0);
        message.write(&mut gzip)?;
    }
    for text in &texts.list {
        message.bytes(6, text.as_bytes());
    }
    message.varint(9, set.profile().head.started_ns);
    message.varint(10, set.profile().head.duration_ns);
    message.write(&mut gzip)?;
    gzip.finish().map(drop)
}

/// The table of texts, each once.
#[derive(Default)]
struct Texts {
    list: Vec<String>,
    numbers: HashMap<String, u64>,
}

impl Texts {
    fn number(&mut self, text: &str) -> u64 {
        if let Some(number) = self.numbers.get(text) {
            return *number;
        }
        let number = self.list.len() as u64;
        self.list.push(text.into());
        self.numbers.insert(text.into(), number);
        number
    }
}

/// A message of protocol buffers.
#[derive(Default)]
struct Message(Vec<u8>);

impl Message {
    fn number(&mut self, mut number: u64) {
        while number >= 0x80 {
            self.0.push(number as u8 | 0x80);
            number >>= 7;
        }
        self.0.push(number as u8);
    }

    fn varint(&mut self, field: u64, number: u64) {
        self.number(field << 3);
        self.number(number);
    }

    /// Writes what there is so far, and forgets it.
    fn write(&mut self, out: &mut impl Write) -> io::Result<()> {
        out.write_all(&self.0)?;
        self.0.clear();
        Ok(())
    }

    fn bytes(&mut self, field: u64, bytes: &[u8]) {
        self.number(field << 3 | 2);
        self.number(bytes.len() as u64);
        self.0.extend_from_slice(bytes);
    }

    fn packed(&mut self, field: u64, numbers: &[u64]) {
        let mut list = Self::default();
        numbers.iter().for_each(|number| list.number(*number));
        self.bytes(field, &list.0);
    }
}
