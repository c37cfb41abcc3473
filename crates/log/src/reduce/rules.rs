//! Rules by which two records of one file become one.

use ioglass_schema::{RecordRef, Rule};

use crate::record::RecordBuf;

/// Adds to a record what the same rank did to the same file elsewhere, such as after it became
/// another program.
pub fn join(into: &mut RecordBuf, mut from: RecordBuf) {
    if into.module.id != from.module.id {
        return;
    }
    for (i, counter) in from.module.ints.iter().enumerate() {
        // What was not set does not replace what was.
        if counter.rule == Rule::Last && from.int[i] == 0 {
            from.int[i] = into.int[i];
        }
    }
    combine(into, from.view(), merge_top4);
}

/// Merges a table of four common values into another; takes the indices of its first value and
/// count, and the integers in a value.
pub(crate) type MergeTop4 = fn(&mut [i64], &[i64], usize, usize, usize);

/// The rules that look at two integers alone.
pub(super) fn combined_int(rule: Rule, old: i64, new: i64) -> i64 {
    match rule {
        Rule::Sum => old.wrapping_add(new),
        Rule::SumKnown => old.wrapping_add(new).max(-1),
        Rule::Last => new,
        Rule::Max => new.max(old),
        Rule::Or => i64::from(old != 0 || new != 0),
        _ => old,
    }
}

/// The rules that look at two times alone; `None` if the old one stays.
pub(super) fn combined_float(rule: Rule, old: f64, new: f64) -> Option<f64> {
    let replaces = match rule {
        Rule::Sum => return Some(old + new),
        Rule::MinNonZero => new > 0.0 && (old == 0.0 || new < old),
        Rule::Max | Rule::MaxWith(_) | Rule::Slowest { .. } => new > old,
        Rule::Fastest { .. } => new < old,
        _ => false,
    };
    replaces.then_some(new)
}

/// Applies the rules that look at one counter at a time, and the tables of common values. Which rank is the
/// fastest or slowest they do not tell.
pub(crate) fn combine(into: &mut RecordBuf, from: RecordRef<'_>, top4: MergeTop4) {
    for (i, counter) in from.module.ints.iter().enumerate() {
        match counter.rule {
            Rule::Top4 { counts, width } => top4(&mut into.int, from.int, i, counts, width),
            rule => into.int[i] = combined_int(rule, into.int[i], from.int[i]),
        }
    }
    for (i, counter) in from.module.floats.iter().enumerate() {
        if let Rule::Fastest { .. } | Rule::Slowest { .. } = counter.rule {
            continue;
        }
        if let Some(value) = combined_float(counter.rule, into.float[i], from.float[i]) {
            into.float[i] = value;
            if let Rule::MaxWith(size) = counter.rule {
                into.int[size] = from.int[size];
            }
        }
    }
    for (old, value) in into.link.iter_mut().zip(from.link) {
        *old = *value;
    }
    for (old, value) in into.uuids.iter_mut().zip(from.uuids) {
        *old = *value;
    }
    for (old, value) in into.words.iter_mut().zip(from.words) {
        *old = *value;
    }
}

/// Values of a table of four are at most this wide.
pub(super) const WIDEST: usize = 11;

/// One value with its count.
type CommonValue = ([i64; WIDEST], i64);

fn entry(int: &[i64], values: usize, counts: usize, width: usize, slot: usize) -> CommonValue {
    let mut value = [0; WIDEST];
    value[..width].copy_from_slice(&int[values + slot * width..][..width]);
    (value, int[counts + slot])
}

/// Both tables' values together, the four most frequent first; of equals the larger first.
pub(super) fn merge_top4(
    into: &mut [i64],
    from: &[i64],
    values: usize,
    counts: usize,
    width: usize,
) {
    merge_common(into, from, (values, counts, width), 4);
}

/// The most values of two tables.
const MOST: usize = 16;

/// The same of tables with so many slots: where values and counts begin, and the integers in a value.
pub(super) fn merge_common(
    into: &mut [i64],
    from: &[i64],
    (values, counts, width): (usize, usize, usize),
    slots: usize,
) {
    if add_counts(into, from, (values, counts, width), slots) {
        return;
    }
    let mut merged: [CommonValue; MOST] = [([0; WIDEST], 0); MOST];
    let mut used = 0;
    for int in [from, &*into] {
        for slot in 0..slots {
            let (value, count) = entry(int, values, counts, width, slot);
            if value[0] == 0 {
                continue;
            }
            match merged[..used].iter_mut().find(|(known, _)| *known == value) {
                Some((_, known)) => *known = known.wrapping_add(count),
                None => {
                    merged[used] = (value, count);
                    used += 1;
                }
            }
        }
    }
    // Of values that compare equal the one inserted last comes first.
    merged[..used].reverse();
    merged[..used].sort_by(|(a, a_count), (b, b_count)| b_count.cmp(a_count).then(b[0].cmp(&a[0])));
    for (slot, (value, count)) in merged[..slots].iter().enumerate() {
        into[values + slot * width..][..width].copy_from_slice(&value[..width]);
        into[counts + slot] = *count;
    }
}

/// Ranks mostly do the same, so tables have the same values and only counts differ: adds those, if that is
/// all there is to it.
fn add_counts(
    into: &mut [i64],
    from: &[i64],
    (values, counts, width): (usize, usize, usize),
    slots: usize,
) -> bool {
    let table = values..values + slots * width;
    if into[table.clone()] != from[table] {
        return false;
    }
    let mut sums = [0; MOST];
    for (slot, sum) in sums[..slots].iter_mut().enumerate() {
        if into[values + slot * width] != 0 {
            *sum = into[counts + slot].wrapping_add(from[counts + slot]);
        }
    }
    // Those that are not there come last, as they must.
    let key = |slot: usize| (sums[slot], into[values + slot * width]);
    let is_before = |slot: usize, next: (i64, i64)| key(slot) > next || next == (0, 0);
    let in_order = (0..slots - 1).all(|slot| is_before(slot, key(slot + 1)));
    if in_order {
        into[counts..counts + slots].copy_from_slice(&sums[..slots]);
    }
    in_order
}
