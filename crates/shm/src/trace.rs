//! Traces: encoded events, in chunks of one thread each.
//!
//! An event is encoded as differences from the previous event in the chunk: each access of a
//! sequential stream of equal accesses takes six bytes. A chunk can be decoded on its own, up to
//! the length in its head, so no event is lost when the process is killed.

use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout};

use crate::pod::pod;

/// The operation of a traced call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Op {
    /// A read through a descriptor.
    Read = 0,
    /// A write through a descriptor.
    Write = 1,
    /// A read through MPI-IO.
    MpiRead = 2,
    /// A write through MPI-IO.
    MpiWrite = 3,
}

impl Op {
    fn from_bits(bits: u8) -> Option<Self> {
        [Self::Read, Self::Write, Self::MpiRead, Self::MpiWrite].get(usize::from(bits)).copied()
    }
}

/// One traced call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Event {
    /// Thread that made the call.
    pub thread: u32,
    /// Code region it was in; 0 is none.
    pub region: u32,
    /// The call.
    pub op: Op,
    /// Number of the record in its process.
    pub record: u32,
    /// First byte.
    pub offset: i64,
    /// Bytes.
    pub length: i64,
    /// Begin, in ticks.
    pub begin: u64,
    /// End, in ticks.
    pub end: u64,
}

/// The head of a chunk.
#[repr(C)]
#[derive(Debug, Clone, Copy, Default, FromBytes, IntoBytes, Immutable, KnownLayout)]
pub struct ChunkHead {
    /// Thread whose events these are.
    pub thread: u64,
    /// Base tick: the first event stores its difference from this.
    pub base: u64,
    /// Bytes of events; raised after each event.
    pub used: u64,
    /// Events.
    pub count: u64,
}

pod! {
    ChunkHead: 32;
}

/// Buffer size for one event: a control word and six numbers, each stored with eight bytes whatever
/// its width. The size is rounded up so that a mask replaces the bounds check.
pub const MAX_EVENT: usize = ROOM_MASK + 1 + 8;
const ROOM_MASK: usize = 63;
const _: () = assert!(2 + 6 * 8 <= ROOM_MASK);

// The control word: the operation, the numbers that follow, and their widths.
const OP_MASK: u16 = 0b111;
const NEW_RECORD: u16 = 1 << 3;
const NEW_REGION: u16 = 1 << 4;
/// Widths of the differences of begin, duration, length and offset, two bits each.
const WIDTHS: u32 = 8;

/// Values of the previous event; the next event is encoded relative to them.
#[derive(Debug, Clone, Copy, Default)]
pub struct Context {
    tick: u64,
    record: u32,
    region: u32,
    length: i64,
    next_offset: i64,
}

impl Context {
    /// The context of a chunk's first event.
    pub fn new(base: u64) -> Self {
        Self { tick: base, ..Self::default() }
    }

    /// Writes `event` at the start of `room` and returns its length in bytes.
    ///
    /// Traces worth recording hold mostly irregular numbers, so the code does not branch on their
    /// widths: mispredicted branches would cost more than all the rest.
    #[inline]
    pub fn encode(&mut self, event: &Event, room: &mut [u8; MAX_EVENT]) -> usize {
        let differences = [
            event.begin.wrapping_sub(self.tick),
            event.end.wrapping_sub(event.begin),
            zigzag(event.length.wrapping_sub(self.length)),
            zigzag(event.offset.wrapping_sub(self.next_offset)),
        ];
        let mut control = event.op as u16;
        let mut at = 2;
        for (i, difference) in differences.into_iter().enumerate() {
            let code = width_code(difference);
            control |= code << (WIDTHS + 2 * i as u32);
            put(room, at, difference);
            at += width(code);
        }
        if event.record != self.record {
            control |= NEW_RECORD;
            put(room, at, event.record.into());
            at += 4;
        }
        if event.region != self.region {
            control |= NEW_REGION;
            put(room, at, event.region.into());
            at += 4;
        }
        [room[0], room[1]] = control.to_le_bytes();
        self.follow(event);
        at
    }

    /// Reads the event at the start of `bytes` and returns it with its length in bytes.
    pub fn decode(&mut self, thread: u32, bytes: &[u8]) -> Option<(Event, usize)> {
        let control = u16::from_le_bytes(bytes.get(..2)?.try_into().ok()?);
        let mut at = 2;
        let mut differences = [0; 4];
        for (i, difference) in differences.iter_mut().enumerate() {
            *difference = get(bytes, &mut at, width(control >> (WIDTHS + 2 * i as u32) & 3))?;
        }
        let [begin, duration, length, offset] = differences;
        let mut number = |is_new: u16, before: u32| match control & is_new {
            0 => Some(before),
            _ => get(bytes, &mut at, 4).map(|number| number as u32),
        };
        let record = number(NEW_RECORD, self.record)?;
        let region = number(NEW_REGION, self.region)?;
        let begin = self.tick.wrapping_add(begin);
        let event = Event {
            thread,
            region,
            op: Op::from_bits((control & OP_MASK) as u8)?,
            record,
            offset: self.next_offset.wrapping_add(unzigzag(offset)),
            length: self.length.wrapping_add(unzigzag(length)),
            begin,
            end: begin.wrapping_add(duration),
        };
        self.follow(&event);
        Some((event, at))
    }

    #[inline]
    fn follow(&mut self, event: &Event) {
        self.tick = event.end;
        self.record = event.record;
        self.region = event.region;
        self.length = event.length;
        self.next_offset = event.offset.wrapping_add(event.length);
    }
}

/// The events of one chunk: the bytes of a [`crate::Kind::Trace`] entry.
#[derive(Debug, Clone)]
pub struct Events<'r> {
    thread: u32,
    context: Context,
    bytes: &'r [u8],
}

impl<'r> Events<'r> {
    /// The events of the entry with these bytes.
    pub fn of(entry: &'r [u8]) -> Option<Self> {
        let head = <ChunkHead as crate::Pod>::read(entry)?;
        let bytes = &entry[size_of::<ChunkHead>()..];
        let used = usize::try_from(head.used).unwrap_or(usize::MAX).min(bytes.len());
        Some(Self {
            thread: head.thread as u32,
            context: Context::new(head.base),
            bytes: &bytes[..used],
        })
    }
}

impl Iterator for Events<'_> {
    type Item = Event;

    fn next(&mut self) -> Option<Event> {
        let (event, size) = self.context.decode(self.thread, self.bytes)?;
        self.bytes = &self.bytes[size..];
        Some(event)
    }
}

#[inline]
fn zigzag(value: i64) -> u64 {
    ((value << 1) ^ (value >> 63)) as u64
}

fn unzigzag(value: u64) -> i64 {
    (value >> 1) as i64 ^ -((value & 1) as i64)
}

/// Two bits that encode the width of a number.
#[inline]
fn width_code(value: u64) -> u16 {
    u16::from(value != 0) + u16::from(value >> 16 != 0) + u16::from(value >> 32 != 0)
}

/// Width in bytes: 0, 2, 4 or 8.
#[inline]
fn width(code: u16) -> usize {
    (1 << code) & !1
}

/// Stores a number; the next number overwrites the bytes above its width.
#[inline]
fn put(room: &mut [u8; MAX_EVENT], at: usize, value: u64) {
    let at = at & ROOM_MASK;
    room[at..at + 8].copy_from_slice(&value.to_le_bytes());
}

#[inline]
fn get(bytes: &[u8], at: &mut usize, width: usize) -> Option<u64> {
    let stored = bytes.get(*at..*at + width)?;
    let mut value = [0; 8];
    value[..width].copy_from_slice(stored);
    *at += width;
    Some(u64::from_le_bytes(value))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(op: Op, record: u32, offset: i64, length: i64, begin: u64, end: u64) -> Event {
        Event { thread: 7, region: 0, op, record, offset, length, begin, end }
    }

    fn round_trip(events: &[Event]) -> usize {
        let mut context = Context::new(1000);
        let mut bytes = [0; 4096];
        let mut used = 0;
        for event in events {
            let mut room = [0; MAX_EVENT];
            let size = context.encode(event, &mut room);
            bytes[used..used + size].copy_from_slice(&room[..size]);
            used += size;
        }
        let mut context = Context::new(1000);
        let mut at = 0;
        for event in events {
            let (decoded, size) = context.decode(7, &bytes[at..used]).unwrap();
            assert_eq!(decoded, *event);
            at += size;
        }
        assert_eq!(at, used);
        used
    }

    #[test]
    fn events_survive() {
        round_trip(&[
            event(Op::Write, 3, 0, 64, 2000, 2300),
            event(Op::Write, 3, 64, 64, 2310, 2600),
            event(Op::Read, 0, i64::MAX, 0, 100, 100),
            event(Op::MpiWrite, u32::MAX, -1, i64::MAX, u64::MAX, 5),
            Event { region: 9, ..event(Op::MpiRead, 1, i64::MIN, -1, 0, u64::MAX) },
        ]);
    }

    #[test]
    fn a_sequential_stream_is_small() {
        let mut stream = [event(Op::Write, 1, 0, 64, 0, 0); 500];
        for (i, event) in stream.iter_mut().enumerate() {
            event.offset = 64 * i as i64;
            event.begin = 5000 + 1000 * i as u64;
            event.end = event.begin + 900;
        }
        assert!(round_trip(&stream) <= 500 * 6 + 8);
    }

    #[test]
    fn a_cut_event_is_none() {
        let mut room = [0; MAX_EVENT];
        let size =
            Context::new(0).encode(&event(Op::Read, 5, 1 << 40, 1 << 30, 9, 1 << 20), &mut room);
        for cut in 0..size {
            assert!(Context::new(0).decode(0, &room[..cut]).is_none());
        }
    }
}
