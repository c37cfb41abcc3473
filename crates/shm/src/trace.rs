//! Traces: events as bytes, in chunks that each belong to one thread.
//!
//! An event is written as differences to the one before it in the chunk: a sequential stream of
//! equal accesses takes about five bytes each. A chunk can be decoded on its own, as far as its
//! head says it is filled, so nothing is lost when the process is.

use crate::pod::pod;

/// What a traced call was.
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

/// One call: what is traced, and later streamed.
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

/// How a chunk begins.
#[repr(C)]
#[derive(Debug, Clone, Copy, Default)]
pub struct ChunkHead {
    /// Thread whose events these are.
    pub thread: u64,
    /// The differences of the first event are to this tick.
    pub base: u64,
    /// Bytes of events; raised after each event.
    pub used: u64,
    /// Events.
    pub count: u64,
}

pod! {
    ChunkHead: 32;
}

/// The most bytes one event can take: a byte of flags and six numbers.
pub const MAX_EVENT: usize = 1 + 6 * 10;

const SAME_RECORD: u8 = 1 << 3;
const SAME_LENGTH: u8 = 1 << 4;
const CONSECUTIVE: u8 = 1 << 5;
const SAME_REGION: u8 = 1 << 6;
const OP_MASK: u8 = 0b111;

/// What the next event is compared with.
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

    /// Writes `event` at the start of `room` and tells its bytes.
    #[inline]
    pub fn encode(&mut self, event: &Event, room: &mut [u8; MAX_EVENT]) -> usize {
        let mut flags = event.op as u8;
        let mut at = 1;
        at = put(room, at, zigzag(event.begin.wrapping_sub(self.tick) as i64));
        at = put(room, at, event.end.wrapping_sub(event.begin));
        if event.record == self.record {
            flags |= SAME_RECORD;
        } else {
            at = put(room, at, u64::from(event.record));
        }
        if event.length == self.length {
            flags |= SAME_LENGTH;
        } else {
            at = put(room, at, event.length as u64);
        }
        if event.offset == self.next_offset {
            flags |= CONSECUTIVE;
        } else {
            at = put(room, at, zigzag(event.offset.wrapping_sub(self.next_offset)));
        }
        if event.region == self.region {
            flags |= SAME_REGION;
        } else {
            at = put(room, at, u64::from(event.region));
        }
        room[0] = flags;
        self.follow(event);
        at
    }

    /// Reads the event at the start of `bytes` and tells how many it took.
    pub fn decode(&mut self, thread: u32, bytes: &[u8]) -> Option<(Event, usize)> {
        let flags = *bytes.first()?;
        let mut at = 1;
        let begin = self.tick.wrapping_add(unzigzag(get(bytes, &mut at)?) as u64);
        let end = begin.wrapping_add(get(bytes, &mut at)?);
        let record = match flags & SAME_RECORD {
            0 => u32::try_from(get(bytes, &mut at)?).ok()?,
            _ => self.record,
        };
        let length = match flags & SAME_LENGTH {
            0 => get(bytes, &mut at)? as i64,
            _ => self.length,
        };
        let offset = match flags & CONSECUTIVE {
            0 => self.next_offset.wrapping_add(unzigzag(get(bytes, &mut at)?)),
            _ => self.next_offset,
        };
        let region = match flags & SAME_REGION {
            0 => u32::try_from(get(bytes, &mut at)?).ok()?,
            _ => self.region,
        };
        let op = Op::from_bits(flags & OP_MASK)?;
        let event = Event { thread, region, op, record, offset, length, begin, end };
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

/// Seven bits a byte, the lowest first; the top bit says that more follow.
#[inline]
fn put(room: &mut [u8; MAX_EVENT], mut at: usize, mut value: u64) -> usize {
    while value >= 0x80 {
        room[at] = value as u8 | 0x80;
        value >>= 7;
        at += 1;
    }
    room[at] = value as u8;
    at + 1
}

fn get(bytes: &[u8], at: &mut usize) -> Option<u64> {
    let mut value = 0_u64;
    for shift in (0..64).step_by(7) {
        let byte = *bytes.get(*at)?;
        *at += 1;
        value |= u64::from(byte & 0x7F) << shift;
        if byte < 0x80 {
            return Some(value);
        }
    }
    None
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
        assert!(round_trip(&stream) <= 500 * 5 + 8);
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
