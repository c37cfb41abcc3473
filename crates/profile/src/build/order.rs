//! The order of everything in a profile, and what follows from it.

use alloc::vec::Vec;
use core::cmp::Reverse;

use super::{Places, rows};
use crate::NoMemory;
use crate::model::{Head, Process, Profile, Region};

/// Puts a part's head to the whole's. Names are those of the part that began first.
pub(super) fn join_heads(head: &mut Head, other: Head, is_first: bool) {
    if is_first && *head == Head::default() {
        *head = other;
        return;
    }
    let end = |head: &Head| head.started_ns.saturating_add(head.duration_ns);
    let end = end(head).max(end(&other));
    let state = head.state.max(other.state);
    let ranks = head.ranks.max(other.ranks);
    let rank_kind = head.rank_kind.max(other.rank_kind);
    let executions = head.executions.max(other.executions);
    let has_io = head.has_io | other.has_io;
    let key = |head: &Head| (head.started_ns, head.job, head.uid);
    let is_before =
        (key(&other), &other.name, &other.program) < (key(head), &head.name, &head.program);
    if is_before {
        *head = other;
    }
    let duration_ns = end - head.started_ns;
    *head =
        Head { duration_ns, state, ranks, rank_kind, executions, has_io, ..core::mem::take(head) };
}

/// Numbers the ranks anew if several inputs gave the same number to different processes, as each
/// process does that knows only itself.
pub(super) fn number_ranks(profile: &mut Profile, origins: &[u32]) -> Result<(), NoMemory> {
    // Of each rank of each input the process that began first.
    let mut groups: Vec<(u32, u32, usize)> = Vec::new();
    let list = &profile.processes;
    groups.try_reserve_exact(list.len()).map_err(|_| NoMemory)?;
    groups.extend(
        list.iter()
            .zip(origins)
            .enumerate()
            .map(|(i, (process, origin))| (process.rank, *origin, i)),
    );
    let begin = |at: usize| (list[at].started_ns, &list[at].host, list[at].pid);
    groups.sort_unstable_by(|one, other| {
        (one.0, one.1, begin(one.2)).cmp(&(other.0, other.1, begin(other.2)))
    });
    groups.dedup_by_key(|(rank, origin, _)| (*rank, *origin));
    if groups.windows(2).all(|pair| pair[0].0 != pair[1].0) {
        return Ok(());
    }
    groups.sort_unstable_by_key(|group| begin(group.2));
    let mut numbers: Vec<(u32, u32, u32)> = Vec::new();
    numbers.try_reserve_exact(groups.len()).map_err(|_| NoMemory)?;
    numbers
        .extend(groups.iter().zip(0..).map(|((rank, origin, _), number)| (*rank, *origin, number)));
    numbers.sort_unstable();
    let number = |rank: u32, origin: u32| {
        let at =
            numbers.binary_search_by_key(&(rank, origin), |(rank, origin, _)| (*rank, *origin));
        at.map_or(0, |at| numbers[at].2)
    };
    for (process, origin) in profile.processes.iter_mut().zip(origins) {
        process.rank = number(process.rank, *origin);
    }
    profile.head.ranks = profile.head.ranks.max(numbers.len() as u32);
    Ok(())
}

/// Puts everything in order.
pub(super) fn sort(mut profile: Profile) -> Result<(Profile, Places), NoMemory> {
    let key = |process: &Process| (process.rank, process.started_ns, process.pid);
    let processes = sort_list(&mut profile.processes, |one, other| {
        key(one).cmp(&key(other)).then_with(|| one.host.cmp(&other.host))
    })?;
    let metrics = sort_list(&mut profile.metrics, Ord::cmp)?;
    for region in &mut profile.regions {
        sort_rows(region, &processes, &metrics)?;
    }
    let regions = sort_regions(&mut profile.regions)?;
    for notice in &mut profile.notices {
        notice.region = notice.region.and_then(|at| regions.get(at as usize)).copied();
    }
    profile.notices.sort_unstable();
    profile.notices.dedup_by(|later, first| {
        let is_same =
            (later.code, &later.name, later.region) == (first.code, &first.name, first.region);
        if is_same {
            first.count = first.count.saturating_add(later.count);
        }
        is_same
    });
    profile.outside.sort_unstable_by_key(|(layer, _)| *layer);
    Ok((profile, Places { regions, processes, metrics }))
}

/// Sorts a list. Returns the new position of each old one.
fn sort_list<T: Default>(
    list: &mut Vec<T>,
    compare: impl Fn(&T, &T) -> core::cmp::Ordering,
) -> Result<Vec<u32>, NoMemory> {
    let mut order: Vec<u32> = Vec::new();
    order.try_reserve_exact(list.len()).map_err(|_| NoMemory)?;
    order.extend(0..list.len() as u32);
    order.sort_unstable_by(|one, other| {
        compare(&list[*one as usize], &list[*other as usize]).then(one.cmp(other))
    });
    arrange(list, &order)
}

/// Puts a list into this order of old positions. Returns the new position of each old one.
fn arrange<T: Default>(list: &mut Vec<T>, order: &[u32]) -> Result<Vec<u32>, NoMemory> {
    let mut places: Vec<u32> = Vec::new();
    places.try_reserve_exact(order.len()).map_err(|_| NoMemory)?;
    places.resize(order.len(), 0);
    let mut sorted: Vec<T> = Vec::new();
    sorted.try_reserve_exact(order.len()).map_err(|_| NoMemory)?;
    for (new, old) in (0..).zip(order) {
        places[*old as usize] = new;
        sorted.push(core::mem::take(&mut list[*old as usize]));
    }
    *list = sorted;
    Ok(places)
}

fn sort_rows(region: &mut Region, processes: &[u32], metrics: &[u32]) -> Result<(), NoMemory> {
    for row in &mut region.rows {
        row.process = processes.get(row.process as usize).copied().unwrap_or(0);
        rows::rename_metrics(row, metrics);
        rows::tidy(row);
    }
    rows::sort(&mut region.rows)?;
    region.tags.sort_unstable();
    Ok(())
}

/// Puts regions in the order of the tree, siblings by time. Returns the new position of each.
fn sort_regions(regions: &mut Vec<Region>) -> Result<Vec<u32>, NoMemory> {
    let count = regions.len();
    let mut keys: Vec<(Option<u32>, Reverse<u128>, u32)> = Vec::new();
    keys.try_reserve_exact(count).map_err(|_| NoMemory)?;
    keys.extend(regions.iter().zip(0..).map(|(region, at)| {
        let time = region.rows.iter().map(|row| u128::from(row.time_ns)).sum::<u128>();
        (region.parent, Reverse(time), at)
    }));
    // Siblings stand together, and those of the outermost level first.
    keys.sort_unstable_by(|one, other| {
        let own = |key: &(Option<u32>, Reverse<u128>, u32)| {
            let region = &regions[key.2 as usize];
            (&region.name, region.kind)
        };
        (one.0, one.1, own(one)).cmp(&(other.0, other.1, own(other)))
    });
    let children = |parent: Option<u32>| {
        let from = keys.partition_point(|key| key.0 < parent);
        from..from + keys[from..].partition_point(|key| key.0 == parent)
    };
    let mut order: Vec<u32> = Vec::new();
    order.try_reserve_exact(count).map_err(|_| NoMemory)?;
    let mut waiting: Vec<u32> = Vec::new();
    waiting.try_reserve_exact(count).map_err(|_| NoMemory)?;
    waiting.extend(keys[children(None)].iter().rev().map(|key| key.2));
    while let Some(at) = waiting.pop() {
        order.push(at);
        waiting.extend(keys[children(Some(at))].iter().rev().map(|key| key.2));
    }
    let places = arrange(regions, &order)?;
    for region in regions {
        region.parent = region.parent.and_then(|parent| places.get(parent as usize)).copied();
    }
    Ok(places)
}
