//! A profile without its rows: the job, the tree, the processes.

use alloc::vec::Vec;

use super::bytes::{Damage, In, Out, list, text_size};
use super::column;
use crate::model::{
    Ending, Head, Io, Kind, Layer, Lost, Notice, NoticeCode, Overhead, Process, Profile, RankKind,
    Region, State, Tag,
};
use crate::{NoMemory, copy};

pub(super) fn put_head(profile: &Profile) -> Result<Out, NoMemory> {
    let mut out = Out::default();
    let Profile { head, outside, overhead, notices, lost, .. } = profile;
    out.text(&head.name);
    out.text(&head.program);
    out.signed(head.job);
    out.signed(head.uid);
    out.byte(head.state as u8);
    out.byte(head.rank_kind as u8);
    out.byte(head.has_io.into());
    out.number(head.started_ns);
    out.number(head.duration_ns);
    out.number(head.ranks.into());
    out.number(head.executions.into());
    out.number(overhead.annotations);
    out.number(overhead.annotation_ns);
    out.number(overhead.flush_ns);
    lost.numbers().into_iter().for_each(|number| out.number(number));
    put_io(outside, &mut out);
    out.count(notices.len(), size_of::<Notice>());
    for notice in notices {
        out.byte(notice.code as u8);
        out.text(&notice.name);
        out.number(notice.region.map_or(0, |region| u64::from(region) + 1));
        out.number(notice.count);
    }
    Ok(out)
}

/// Reads the head into a profile.
pub(crate) fn take_head(input: &mut In<'_>, profile: &mut Profile) -> Result<(), Damage> {
    let (name, program) = (input.text()?, input.text()?);
    let (job, uid) = (input.signed()?, input.signed()?);
    let state = State::of_number(input.byte()?).ok_or(Damage::Unknown("state"))?;
    let rank_kind = RankKind::of_number(input.byte()?).ok_or(Damage::Unknown("kind of ranks"))?;
    let has_io = input.byte()? != 0;
    let (started_ns, duration_ns) = (input.number()?, input.number()?);
    let (ranks, executions) = (input.small()?, input.small()?);
    profile.head = Head {
        name,
        program,
        job,
        uid,
        state,
        started_ns,
        duration_ns,
        ranks,
        rank_kind,
        executions,
        has_io,
    };
    let (annotations, annotation_ns) = (input.number()?, input.number()?);
    profile.overhead = Overhead { annotations, annotation_ns, flush_ns: input.number()? };
    let mut lost = [0; 5];
    for number in &mut lost {
        *number = input.number()?;
    }
    profile.lost = Lost::of_numbers(lost);
    profile.outside = take_io(input)?;
    let count = input.count(size_of::<Notice>(), "notices")?;
    for _ in 0..count {
        // Later versions have more of them.
        let code = NoticeCode::of_number(input.byte()?);
        let name = input.text()?;
        let region = input.number()?.checked_sub(1);
        let region = region.map(u32::try_from).transpose().map_err(|_| Damage::Number)?;
        let count = input.number()?;
        if let Some(code) = code {
            crate::push(&mut profile.notices, Notice { code, name, region, count })?;
        }
    }
    Ok(())
}

/// Appends I/O by layer.
pub(super) fn put_io(io: &[(Layer, Io)], out: &mut Out) {
    out.count(io.len(), size_of::<(Layer, Io)>());
    for (layer, io) in io {
        out.byte(*layer as u8);
        io.numbers().into_iter().for_each(|number| out.number(number));
    }
}

pub(super) fn take_io(input: &mut In<'_>) -> Result<Vec<(Layer, Io)>, Damage> {
    let count = input.count(size_of::<(Layer, Io)>(), "layers")?;
    let mut io: Vec<(Layer, Io)> = list(count)?;
    for _ in 0..count {
        let layer = Layer::of_number(input.byte()?);
        let mut numbers = [0; 9];
        for number in &mut numbers {
            *number = input.number()?;
        }
        if let Some(layer) = layer {
            io.push((layer, Io::of_numbers(numbers)));
        }
    }
    // Each layer once, in order.
    if !io.is_sorted_by(|one, other| one.0 < other.0) {
        return Err(Damage::Unknown("layer"));
    }
    Ok(io)
}

pub(super) fn put_regions(profile: &Profile) -> Result<Out, NoMemory> {
    let mut out = Out::default();
    out.count(profile.metrics.len(), size_of::<Vec<u8>>());
    profile.metrics.iter().for_each(|name| out.text(name));
    out.count(profile.regions.len(), size_of::<Region>());
    let mut file: &[u8] = &[];
    for (region, number) in profile.regions.iter().zip(0_u64..) {
        // How far before it its parent is; 0 for none.
        out.number(region.parent.map_or(0, |parent| number.saturating_sub(parent.into())));
        out.byte(region.kind as u8);
        out.text(&region.name);
        // Most regions are in the file of the one before.
        if region.file == file {
            out.byte(0);
        } else {
            out.byte(1);
            out.text(&region.file);
            file = &region.file;
        }
        out.claim(text_size(file.len() as u64), 1);
        out.number(region.line.into());
        out.count(region.tags.len(), size_of::<Tag>());
        for tag in &region.tags {
            out.text(&tag.key);
            out.number(tag.rank.into());
            out.text(&tag.text);
            out.number(tag.processes.into());
        }
    }
    Ok(out)
}

/// Reads names of metrics and the tree into a profile.
pub(crate) fn take_regions(input: &mut In<'_>, profile: &mut Profile) -> Result<(), Damage> {
    let count = input.count(size_of::<Vec<u8>>(), "metrics")?;
    profile.metrics = list(count)?;
    for _ in 0..count {
        profile.metrics.push(input.text()?);
    }
    let count = input.count(size_of::<Region>(), "regions")?;
    let mut file: Vec<u8> = Vec::new();
    profile.regions = list(count)?;
    for number in 0..count as u64 {
        let parent = match input.number()? {
            0 => None,
            back => Some(number.checked_sub(back).ok_or(Damage::Unknown("parent"))? as u32),
        };
        let kind = Kind::of_number(input.byte()?).ok_or(Damage::Unknown("kind of regions"))?;
        let name = input.text()?;
        if input.byte()? != 0 {
            file = input.text()?;
        }
        input.claim(text_size(file.len() as u64), 1, "file names")?;
        let line = input.small()?;
        let tags = input.count(size_of::<Tag>(), "tags")?;
        let file = copy(&file)?;
        let mut region = Region { parent, name, kind, file, line, ..Region::default() };
        region.tags = list(tags)?;
        for _ in 0..tags {
            let (key, rank) = (input.text()?, input.small()?);
            let (text, processes) = (input.text()?, input.small()?);
            region.tags.push(Tag { key, rank, text, processes });
        }
        profile.regions.push(region);
    }
    Ok(())
}

pub(super) fn put_processes(processes: &[Process]) -> Result<Out, NoMemory> {
    let mut out = Out::default();
    out.count(processes.len(), size_of::<Process>());
    let mut hosts: Vec<&[u8]> = list(processes.len())?;
    hosts.extend(processes.iter().map(|process| &process.host[..]));
    hosts.sort_unstable();
    hosts.dedup();
    out.count(hosts.len(), size_of::<Vec<u8>>());
    hosts.iter().for_each(|host| out.text(host));
    for process in processes {
        out.claim(text_size(process.host.len() as u64), 1);
    }
    let mut values: Vec<u64> = list(processes.len())?;
    let host = |process: &Process| hosts.binary_search(&&process.host[..]).unwrap_or(0) as u64;
    let columns: [&dyn Fn(&Process) -> u64; 6] = [
        &|process| process.rank.into(),
        &|process| process.started_ns,
        &host,
        &|process| process.pid,
        &|process| process.threads.into(),
        &|process| process.ending as u64,
    ];
    let mut before = 0;
    for (column, number) in columns.into_iter().zip(0..) {
        values.clear();
        values.extend(processes.iter().map(column));
        if number == 0 {
            // Ranks follow each other, so their differences are all alike.
            for value in &mut values {
                (before, *value) = (*value, value.wrapping_sub(before));
            }
        }
        column::put(&values, &mut out)?;
    }
    Ok(out)
}

pub(crate) fn take_processes(input: &mut In<'_>) -> Result<Vec<Process>, Damage> {
    let count = input.count(size_of::<Process>(), "processes")?;
    let hosts = input.count(size_of::<Vec<u8>>(), "hosts")?;
    let mut names: Vec<Vec<u8>> = Vec::new();
    for _ in 0..hosts {
        let name = input.text()?;
        crate::push(&mut names, name)?;
    }
    let mut columns: [Vec<u64>; 6] = Default::default();
    for column in &mut columns {
        *column = column::take(input, count)?;
    }
    let [ranks, starts, hosts, pids, threads, endings] = columns;
    let mut processes = list(count)?;
    let mut rank = 0_u64;
    for at in 0..count {
        rank = rank.wrapping_add(ranks[at]);
        let number = |number: u64| u32::try_from(number).map_err(|_| Damage::Number);
        let host = usize::try_from(hosts[at]).ok().and_then(|host| names.get(host));
        let host = host.ok_or(Damage::Unknown("host"))?;
        input.claim(text_size(host.len() as u64), 1, "names of hosts")?;
        let ending = u8::try_from(endings[at]).ok().and_then(Ending::of_number);
        processes.push(Process {
            rank: number(rank)?,
            started_ns: starts[at],
            host: copy(host)?,
            pid: pids[at],
            threads: number(threads[at])?,
            ending: ending.ok_or(Damage::Unknown("ending"))?,
        });
    }
    Ok(processes)
}
