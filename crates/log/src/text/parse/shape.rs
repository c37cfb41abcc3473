//! The counters that a module has in text, and the place of each in a record.

use std::collections::HashMap;

use ioglass_schema::{Layout, Module, Unit, apmpi, heatmap, lustre, mdhim};

use super::line::{parse, shown};
use super::suggest::nearest;
use crate::log_region::LARGEST_RECORD;

/// The place of a value in a record, and its notation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct CounterSlot {
    pub(super) number: u32,
    pub(super) kind: ValueKind,
}

/// The notation of a value in text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ValueKind {
    /// A signed integer.
    Int,
    /// A number of things that follow, from 0 to a most.
    Length(u64),
    /// An unsigned integer.
    Unsigned,
    /// A number.
    Float,
    /// A word of at most so many bytes.
    Word(usize),
    /// A Lustre stripe pattern.
    Pattern,
    /// Lustre component flags.
    Flags,
    /// End of a Lustre component.
    End,
}

/// Slot of what the mount column says about records of DAOS.
pub(super) const PLACE: u32 = u32::MAX;

/// Components of a Lustre layout. The file system stores layouts in an attribute of 64 KiB, so
/// it has room for fewer.
pub(super) const MOST_COMPONENTS: u64 = 2047;
/// Values of a component: its integers and its pool.
pub(super) const COMPONENT_SLOTS: u32 = lustre::COMPONENT_COUNTERS.len() as u32 + 1;
/// Slots before those of components.
pub(super) const LUSTRE_HEAD: u32 = 2;
/// Storage targets have slots of their own: this bit, the component and the position.
pub(super) const TARGET: u32 = 1 << 31;
/// Bits of a target's position.
pub(super) const TARGET_BITS: u32 = 20;

/// Bins of a heat map, each read and written.
const MOST_BINS: u64 = LARGEST_RECORD / 16;
/// Words behind a record's head.
const MOST_WORDS: u64 = LARGEST_RECORD / 8;
const _: () = assert!(MOST_WORDS <= 1 << TARGET_BITS);

/// The counters of one kind of record.
#[derive(Debug)]
pub(super) struct Shape {
    pub(super) module: &'static Module,
    /// True for the record that begins an APMPI log region.
    pub(super) is_header: bool,
    /// Counters with fixed names.
    slots: HashMap<String, CounterSlot>,
}

/// One shape for every module with lines of counters. APMPI has two: the second is its header.
pub(super) fn shapes() -> Vec<Shape> {
    let listed = ioglass_schema::modules()
        .filter(|module| !matches!(module.layout, Layout::Dxt | Layout::Apxc));
    let slots = numbered(apmpi_header());
    let header = Shape { module: &apmpi::MODULE, is_header: true, slots };
    listed.map(Shape::new).chain([header]).collect()
}

impl Shape {
    fn new(module: &'static Module) -> Self {
        let slots = match module.layout {
            Layout::Counters | Layout::Mdhim => numbered(counters(module)),
            Layout::Apmpi => numbered(apmpi_rank()),
            Layout::Heatmap => numbered([(heatmap::BIN_WIDTH.to_owned(), ValueKind::Float)]),
            Layout::Lustre => numbered([
                (lustre::NUM_COMPONENTS.to_owned(), ValueKind::Length(MOST_COMPONENTS)),
                (lustre::NUM_STRIPES.to_owned(), ValueKind::Length(MOST_WORDS)),
            ]),
            Layout::Dxt | Layout::Apxc => HashMap::new(),
        };
        Self { module, is_header: false, slots }
    }

    /// The slot of the counter called `name`; `None` if there is none.
    pub(super) fn slot(&self, name: &[u8]) -> Result<Option<CounterSlot>, String> {
        let Ok(name) = str::from_utf8(name) else {
            return Ok(None);
        };
        if let Some(slot) = self.slots.get(name) {
            return Ok(Some(*slot));
        }
        match self.module.layout {
            Layout::Heatmap => heatmap_slot(name),
            Layout::Lustre => lustre_slot(name),
            Layout::Mdhim => mdhim_slot(name),
            _ => Ok(None),
        }
    }

    /// Says that there is no counter called `name`, and perhaps which one was meant.
    pub(super) fn unknown(&self, name: &[u8]) -> String {
        let module = self.module.name;
        let unknown = format!("{module} has no counter {}", shown(name));
        match nearest(name, self.slots.keys().map(String::as_str)) {
            Some(meant) => format!("{unknown}; is {meant} meant?"),
            None => format!("{unknown}; its counters are those that `ioglass parse` lists"),
        }
    }
}

fn numbered(
    counters: impl IntoIterator<Item = (String, ValueKind)>,
) -> HashMap<String, CounterSlot> {
    let counters = counters.into_iter().zip(0..);
    counters.map(|((name, kind), number)| (name, CounterSlot { number, kind })).collect()
}

/// Integers, floats, link: the order of `RecordRef`, which `expand` takes apart again.
fn counters(module: &'static Module) -> impl Iterator<Item = (String, ValueKind)> {
    let ints = module.ints.iter().map(|counter| {
        let kind = match counter.unit {
            Unit::Id => ValueKind::Unsigned,
            _ if counter.name == mdhim::MODULE.ints[mdhim::SERVERS].name => {
                ValueKind::Length(MOST_WORDS)
            }
            _ => ValueKind::Int,
        };
        (counter.name.to_owned(), kind)
    });
    let floats = module.floats.iter().map(|counter| (counter.name.to_owned(), ValueKind::Float));
    let link = module.link.iter().map(|link| (link.name.to_owned(), ValueKind::Unsigned));
    ints.chain(floats).chain(link)
}

fn apmpi_header() -> impl Iterator<Item = (String, ValueKind)> {
    apmpi::VARIANCES.iter().map(|name| ((*name).to_owned(), ValueKind::Float))
}

fn apmpi_rank() -> impl Iterator<Item = (String, ValueKind)> {
    let full = |(operation, suffix)| format!("{operation}{suffix}");
    let node = (apmpi::NODE_NAME.to_owned(), ValueKind::Word(apmpi::NODE_NAME_SIZE - 1));
    let ints = apmpi::ints().map(move |name| (full(name), ValueKind::Unsigned));
    let times = apmpi::times().chain(apmpi::sync_times());
    let times = times.map(move |name| (full(name), ValueKind::Float));
    let global = apmpi::GLOBAL_TIMES.iter().map(|name| ((*name).to_owned(), ValueKind::Float));
    std::iter::once(node).chain(ints).chain(times).chain(global)
}

/// After the bin width: read and write of bin 0, of bin 1 and so on.
fn heatmap_slot(name: &str) -> Result<Option<CounterSlot>, String> {
    for (prefix, first) in [(heatmap::READ_BIN, 1), (heatmap::WRITE_BIN, 2)] {
        if let Some(bin) = name.strip_prefix(prefix) {
            let bin = below(name, bin, MOST_BINS)?;
            return Ok(Some(CounterSlot { number: first + 2 * bin, kind: ValueKind::Int }));
        }
    }
    Ok(None)
}

fn mdhim_slot(name: &str) -> Result<Option<CounterSlot>, String> {
    let Some(server) = name.strip_prefix(mdhim::SERVER) else {
        return Ok(None);
    };
    let first = (mdhim::MODULE.ints.len() + mdhim::MODULE.floats.len()) as u32;
    let server = below(name, server, MOST_WORDS)?;
    Ok(Some(CounterSlot { number: first + server, kind: ValueKind::Int }))
}

fn lustre_slot(name: &str) -> Result<Option<CounterSlot>, String> {
    let component = name.strip_prefix(lustre::COMPONENT).and_then(|rest| rest.split_once('_'));
    let Some((component, field)) = component else {
        return Ok(None);
    };
    // Components are numbered from 1.
    let component = below(name, component, MOST_COMPONENTS + 1)?.checked_sub(1);
    let component = component.ok_or_else(|| format!("{name}: components begin with 1"))?;
    if let Some(position) = field.strip_prefix(lustre::OST_ID) {
        let position = below(name, position, MOST_WORDS)?;
        let number = TARGET | component << TARGET_BITS | position;
        return Ok(Some(CounterSlot { number, kind: ValueKind::Int }));
    }
    let position = lustre::COMPONENT_COUNTERS.iter().position(|counter| *counter == field);
    let (position, kind) = match (position, field) {
        (Some(position), "STRIPE_PATTERN") => (position as u32, ValueKind::Pattern),
        (Some(position), "FLAGS") => (position as u32, ValueKind::Flags),
        (Some(position), "EXT_END") => (position as u32, ValueKind::End),
        (Some(position), _) => (position as u32, ValueKind::Int),
        (None, lustre::POOL_NAME) => (COMPONENT_SLOTS - 1, ValueKind::Word(lustre::POOL_SIZE)),
        (None, _) => return Ok(None),
    };
    Ok(Some(CounterSlot { number: LUSTRE_HEAD + component * COMPONENT_SLOTS + position, kind }))
}

/// A number in the name of a counter.
fn below(name: &str, digits: &str, end: u64) -> Result<u32, String> {
    let number = Some(digits).filter(|digits| digits.bytes().all(|byte| byte.is_ascii_digit()));
    let number = number.and_then(|digits| parse::<u64>(digits.as_bytes()));
    let number = number.filter(|number| *number < end).and_then(|n| u32::try_from(n).ok());
    let last = end - 1;
    number.ok_or_else(|| {
        format!("{}: expected a number up to {last} in the name", shown(name.as_bytes()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shape(module: &str) -> Shape {
        shapes().into_iter().find(|shape| shape.module.name == module).unwrap()
    }

    #[test]
    fn numbers_in_names_are_bounded() {
        let heatmap = shape("HEATMAP");
        assert!(heatmap.slot(b"HEATMAP_READ_BIN_131071").unwrap().is_some());
        for name in ["HEATMAP_READ_BIN_131072", "HEATMAP_WRITE_BIN_", "HEATMAP_READ_BIN_-1"] {
            assert!(heatmap.slot(name.as_bytes()).is_err(), "{name}");
        }
        let lustre = shape("LUSTRE");
        for name in ["LUSTRE_COMP0_FLAGS", "LUSTRE_COMP2048_FLAGS", "LUSTRE_COMP1_OST_ID_262144"] {
            assert!(lustre.slot(name.as_bytes()).is_err(), "{name}");
        }
        assert!(lustre.slot(b"LUSTRE_COMP2047_OST_ID_262143").unwrap().unwrap().number != PLACE);
    }

    #[test]
    fn the_counter_that_was_meant() {
        assert!(shape("POSIX").unknown(b"POSIX_OPEN").ends_with("is POSIX_OPENS meant?"));
        assert!(shape("POSIX").unknown(b"frobnicate").contains("`ioglass parse`"));
    }
}
