//! Ranks that each know only their own, and what they write together.

use super::*;
use crate::team::{Agreement, LogPart, Member};

/// Rank `rank` of an MPI job: a file of all ranks, one of the even ones, one or many of its own, a trace
/// and a heat map.
fn rank_of_mpi(rank: i32, ranks: i32, own_files: u64) -> Builder {
    let mut builder = Builder::new(100 + rank as u32, 1 + rank as u64 % 3);
    builder.header.rank = rank;
    builder.header.ranks = ranks;
    builder.header.by_mpi = 1;
    builder.header.lost[Loss::Values as usize] = 1;
    let time = SECOND + 1000 * rank as u64;
    let mut file = |name: &str, number: u64| {
        builder.posix(name, number, |cell| {
            cell.int[posix::WRITES] = 1 + i64::from(rank);
            cell.int[posix::BYTES_WRITTEN] = 100 * i64::from(rank);
            cell.tick[posix::f::WRITE_START_TIMESTAMP] = time;
            cell.tick[posix::f::WRITE_TIME] = 7 + 3 * rank as u64;
            cell.facts.truncated = rank as u32;
            cell.facts.synced = 1000;
        });
    };
    file("/all", 0);
    if rank % 2 == 0 {
        file("/even", 1);
    }
    for own in 0..own_files {
        file(&std::format!("/own/{rank}/{own}"), 2 + own);
    }
    builder.stdio("<STDOUT>", |cell| cell.int[stdio::WRITES] = i64::from(rank % 3));
    builder
        .trace(9, &[event(Op::Write, 0, i64::from(rank), time), event(Op::Read, 2, 5, time + 9)]);
    let mut heat = HeatCell::read(&vec![0; size_of::<HeatCell>()]).unwrap();
    heat.api = Api::Posix as u64;
    heat.bins[0][rank as usize % 50] = 10 + i64::from(rank);
    builder.entry(Kind::Heat, &[heat.bytes()]);
    let mut ops = OpsCell::read(&vec![0; size_of::<OpsCell>()]).unwrap();
    (ops.id, ops.count[0]) = (record_id(b"/all"), u64::from(rank == 3));
    builder.header.waited = if rank % 2 == 1 { SECOND } else { 0 };
    for directory in 0..60 {
        // Ranks have some directories in common; together they have more than a log names.
        let name = std::format!("/many/{}", directory + 10 * rank);
        builder.metadata(&name, |cell| {
            cell.of[1].calls = 2;
            cell.of[1].failed = 1;
            cell.of[1].ticks = 1000 * (1 + directory as u64);
        });
    }
    builder.metadata("", |cell| cell.of[1].calls = 1);
    builder.entry(Kind::Ops, &[ops.bytes()]);
    contexts::region(&mut builder, 1, 0, b"main");
    contexts::wrote(&mut builder, 1, 0, record_id(b"/all"), 100 * rank as u64);
    builder
}

/// A tree of ranks, some of which hold the captures of those below.
struct Tree<'m> {
    members: Vec<Member<'m>>,
    agreed: Agreement,
    /// Each so many ranks have one that holds.
    holders_apart: usize,
    held: BTreeMap<u32, Vec<Vec<u8>>>,
}

impl Tree<'_> {
    /// Parts of a rank and those below it.
    fn gather(&mut self, rank: usize, span: usize) -> LogPart {
        let mut part = self.members[rank].part(&self.agreed).unwrap();
        let mut step = 1;
        while step < span && rank + step < self.members.len() {
            if step == self.holders_apart {
                self.hold(rank, &mut part);
            }
            let below = self.gather(rank + step, step);
            // As it travels.
            part.append_message(&below.to_message()).unwrap();
            step *= 2;
        }
        self.hold(rank, &mut part);
        part
    }

    /// Has the rank hold what it has by now, if it is one that does and has not yet.
    fn hold(&mut self, rank: usize, part: &mut LogPart) {
        if rank > 0 && rank.is_multiple_of(self.holders_apart) {
            self.held.entry(rank as u32).or_insert_with(|| part.hold(rank as u32));
        }
    }
}

#[test]
fn a_team_writes_what_one_would_write_who_knows_all() {
    let teams =
        [(1, 1, 64), (2, 0, 64), (5, 1, 64), (8, 1, 2), (8, 1, 1), (7, 300, 4), (5, 300, 64)];
    // The last team is to keep the records of each rank.
    let teams = teams.map(|team| (team, 0)).into_iter().chain([((5, 1, 2), 1)]);
    for ((ranks, own_files, holders_apart), keeps_ranks) in teams {
        let capture = |rank| {
            let mut builder = rank_of_mpi(rank, ranks, own_files);
            builder.header.keeps_ranks = keeps_ranks;
            builder.build()
        };
        let captures: Vec<_> = (0..ranks).map(capture).collect();
        let sources: Vec<_> =
            captures.iter().map(|bytes| [Source { bytes, fate: Fate::Gone }]).collect();
        let members: Vec<_> = (0..)
            .zip(&sources)
            .map(|(rank, source)| {
                let run = Run { start_ns: None, ..run() };
                Member::open(source, run, rank, ranks.into()).unwrap()
            })
            .collect();
        let agreements = members.iter().map(|member| member.agreement().unwrap());
        let agreed = agreements.reduce(|mut all, other| {
            all.merge(&Agreement::decode(&other.encode()).unwrap());
            all
        });
        let (agreed, held) = (agreed.unwrap(), BTreeMap::new());
        let mut tree = Tree { members, agreed, holders_apart, held };
        let part = tree.gather(0, usize::MAX);
        let mut log = Vec::new();
        let gaps = tree.members[0].write(&run(), &tree.agreed, &part, &mut log).unwrap();
        for (holder, offset) in gaps {
            let bytes = tree.held.get_mut(&holder).unwrap().remove(0);
            log[offset as usize..][..bytes.len()].copy_from_slice(&bytes);
        }
        assert!(tree.held.values().all(Vec::is_empty));
        let together = Log::from_bytes(log).unwrap();
        assert_eq!(together.warnings().count(), 0);

        let all: Vec<_> = captures.iter().map(|bytes| (bytes.clone(), Fate::Gone)).collect();
        let known = harvest(&all, &Run { start_ns: None, ..run() });
        assert_eq!(listing(&together), listing(&known), "{ranks} ranks");
        let by_pid = |log: &Log| {
            let mut processes = processes(log);
            processes.sort_by_key(|process| process.pid);
            processes
        };
        assert_eq!(by_pid(&together), by_pid(&known));
        let section = |log: &Log, name| log.block_section(name, 1 << 20).unwrap();
        let sections =
            ["operations", "lost", "dxt-posix-tid", "files", "waiting", "metadata", "contexts"];
        for name in sections {
            assert_eq!(section(&together, name), section(&known, name), "{name}");
        }
    }
}

/// Every line of a log's listing, the order of records and the sizes of captures aside.
fn listing(log: &Log) -> Vec<String> {
    let mut text = Vec::new();
    ioglass_log::text::list(log, Default::default(), &mut text).unwrap();
    ioglass_log::text::trace(log, Default::default(), &mut text).unwrap();
    let text = String::from_utf8(text).unwrap();
    let lines = text.lines().filter(|line| !line.contains("(compressed)"));
    let mut lines: Vec<_> = lines.map(String::from).collect();
    lines.sort();
    lines
}
