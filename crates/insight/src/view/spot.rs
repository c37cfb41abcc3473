//! The part of a file that shows a finding: its interface, direction and bytes.

use super::proof::Spot;
use super::timeline::{Lane, LaneCall, LaneDetail};
use super::traced::TraceView;
use crate::finding::{Finding, Shows};
use crate::model::Direction;

/// A larger part of a file than this counts as the whole file.
const MOST_OF_IT: f64 = 0.9;

/// The part of a traced file that shows a finding; none if no call has an offset.
pub(super) fn of(traced: &TraceView<'_>, file: usize, finding: &Finding) -> Option<Spot> {
    let shows = &finding.shows;
    let ways = |lane: &Lane| Direction::BOTH.map(|way| has(traced, lane, file, way));
    let fits = |lane: &&Lane| match shows.direction {
        Some(direction) => ways(lane)[direction as usize],
        None => ways(lane).contains(&true),
    };
    let wanted = if shows.is_asked { "MPI-IO" } else { "POSIX" };
    let lanes = || traced.lanes.iter().rev();
    let lane = lanes()
        .filter(|lane| lane.name == wanted)
        .find(fits)
        .or_else(|| lanes().find(fits))
        .or_else(|| lanes().find(|lane| ways(lane).contains(&true)))?;
    let direction = shows.direction.filter(|way| ways(lane)[*way as usize]);
    let bytes = bytes(lane, file, direction, finding);
    let extent = traced.files.get(file).map_or(0, |file| file.extent) as f64;
    let bytes = bytes.filter(|(low, high)| ((high - low) as f64) < MOST_OF_IT * extent);
    Some(Spot { file, lane: lane.name, direction, bytes })
}

/// True if calls of a lane in this direction have an offset in the file.
fn has(traced: &TraceView<'_>, lane: &Lane, file: usize, direction: Direction) -> bool {
    match &lane.detail {
        LaneDetail::Calls(calls) => {
            calls.iter().any(|call| placed(call, file, Some(direction)).is_some())
        }
        LaneDetail::Cells(_) => {
            let is_own =
                |space: &&super::Space| space.name == lane.name && space.file as usize == file;
            traced.spaces.iter().find(is_own).is_some_and(|space| match direction {
                Direction::Read => space.read.iter().any(|times| *times > 0),
                Direction::Write => space.written.iter().any(|times| *times > 0),
            })
        }
    }
}

/// The bytes of a call, if it is to this file and in this direction.
fn placed(call: &LaneCall, file: usize, direction: Option<Direction>) -> Option<(u64, u64)> {
    let is_meant = direction.is_none_or(|way| call.is_read == (way == Direction::Read));
    let low = call.offset.filter(|_| call.file as usize == file && is_meant && call.length > 0)?;
    Some((low, low.saturating_add(call.length)))
}

/// Bytes that a finding is about: those of its time, or those that are touched more than once.
fn bytes(
    lane: &Lane,
    file: usize,
    direction: Option<Direction>,
    finding: &Finding,
) -> Option<(u64, u64)> {
    let LaneDetail::Calls(calls) = &lane.detail else { return None };
    let Shows { is_again, when, .. } = finding.shows;
    if !is_again && when.is_none() {
        return None;
    }
    let is_then = |call: &&LaneCall| {
        let (start, end) =
            (call.start as f64 / 1e9, call.start as f64 / 1e9 + call.took as f64 / 1e9);
        when.is_none_or(|(from, to)| start <= to && end >= from)
    };
    let meant = calls.iter().filter(is_then).filter_map(|call| placed(call, file, direction));
    let mut meant: Vec<(u64, u64)> = meant.collect();
    if is_again { touched_again(&mut meant) } else { around(&meant) }
}

/// From the first byte to behind the last.
fn around(parts: &[(u64, u64)]) -> Option<(u64, u64)> {
    let low = parts.iter().map(|part| part.0).min()?;
    Some((low, parts.iter().map(|part| part.1).max()?))
}

/// From the first byte that several calls touch to behind the last.
fn touched_again(parts: &mut [(u64, u64)]) -> Option<(u64, u64)> {
    parts.sort_unstable();
    let mut reach = 0;
    let mut again: Option<(u64, u64)> = None;
    for (low, high) in parts.iter().copied() {
        if low < reach {
            let end = high.min(reach);
            again = Some(again.map_or((low, end), |(first, last)| (first, last.max(end))));
        }
        reach = reach.max(high);
    }
    again
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_that_are_touched_again_are_found() {
        assert_eq!(touched_again(&mut [(0, 10), (10, 20), (30, 40)]), None);
        assert_eq!(touched_again(&mut [(30, 60), (0, 10), (35, 40), (5, 12)]), Some((5, 40)));
        assert_eq!(around(&[(30, 60), (7, 10)]), Some((7, 60)));
        assert_eq!(around(&[]), None);
    }
}
