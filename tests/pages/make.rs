//! Logs of many shapes: traced and not, of one rank and of very many, with strange names.

use ioglass_log::posix::{self, Posix};
use ioglass_log::{
    Base, Compression, DxtHead, FixedRecord as _, Heatmap, Job, Log, LogWriter, Segment, dxt,
    heatmap, record_id,
};

use crate::findings::counters::write;
use crate::findings::recipe::{ALL, KIB, MIB, Recipe, log_of, only, r, run, w};

/// Four ranks write a file together, block by block, through MPI-IO with POSIX below; then the
/// first reads some of it back.
pub(super) fn traced() -> Recipe {
    let mut recipe = run(4).time(10.0).mount("/scratch", "lustre").file("/scratch/out.h5");
    for rank in 0..4 {
        let at = |step: f64| (step * 4.0 + rank as f64) * MIB;
        let begin = |step: f64| 1.0 + step;
        let late = 0.1 * rank as f64;
        let asked: Vec<_> = (0..6)
            .map(f64::from)
            .map(|step| w(at(step), MIB, begin(step) + late, begin(step) + 0.9))
            .collect();
        let mut done: Vec<_> = (0..6)
            .map(f64::from)
            .map(|step| w(at(step), MIB, begin(step) + 0.4, begin(step) + 0.8 - late / 2.0))
            .collect();
        if rank == 0 {
            done.push(r(0.0, MIB, 8.0, 8.5));
        }
        let node = if rank < 2 { "node1" } else { "node2" };
        recipe = recipe.traced_together(rank, node, &asked).traced(rank, node, &done);
    }
    recipe.stripes(MIB, &[3, 4])
}

/// Twelve ranks write in six phases; the sixth of them is always the last, by far.
pub(super) fn straggler() -> Recipe {
    let mut recipe = run(12).time(20.0).mount("/scratch", "lustre").file("/scratch/out.dat");
    for rank in 0..12 {
        let took = if rank == 5 { 0.15 } else { 0.05 };
        let calls: Vec<_> = (0..6)
            .map(f64::from)
            .map(|step| {
                let begin = 1.0 + 3.0 * step;
                w((step * 12.0 + rank as f64) * 16.0 * MIB, 16.0 * MIB, begin, begin + took)
            })
            .collect();
        recipe = recipe.traced(rank, "node1", &calls);
    }
    recipe
}

/// Two ranks write a file once; then one of them reads a quarter of it again and again.
pub(super) fn reread() -> Recipe {
    let mut recipe = run(2).time(20.0).mount("/scratch", "lustre").file("/scratch/in.dat");
    for rank in 0..2 {
        let mut calls: Vec<_> = (0..8)
            .map(f64::from)
            .map(|i| w((2.0 * i + rank as f64) * 4.0 * MIB, 4.0 * MIB, 1.0 + i, 1.5 + i))
            .collect();
        if rank == 0 {
            let again = (0..16).map(f64::from);
            calls.extend(again.map(|i| {
                let at = (16.0 + 4.0 * (i % 4.0)) * MIB;
                r(at, 4.0 * MIB, 10.0 + 0.5 * i, 10.4 + 0.5 * i)
            }));
        }
        recipe = recipe.traced(rank, "node1", &calls);
    }
    recipe
}

/// The same for a while; then there was no room for more.
pub(super) fn cut() -> Recipe {
    reread().time(60.0).partial("DXT_POSIX")
}

/// One record for all ranks, without a heat map or a trace.
pub(super) fn counters_only() -> Recipe {
    run(64).mount("/", "ext4").posix(ALL, write(640_000.0, 4.0 * KIB, 900.0))
}

/// A process alone, with a heat map.
pub(super) fn one_process() -> Recipe {
    run(1).line("# metadata: ranks = process").posix(only(0), write(5000.0, 64.0 * KIB, 40.0)).heat(
        "POSIX",
        0,
        10.0,
        &[0.0, 3e7, 9e7, 1e8, 0.0, 0.0, 5e7, 5e7, 0.0, 0.0],
    )
}

/// Names that a page must not take for anything but names.
pub(super) const STRANGE: [&[u8]; 6] = [
    b"/data/<script>alert(1)</script>",
    b"/data/</script><img src=x onerror=alert(2)>",
    b"/data/\"><svg onload=alert(3)>&amp;",
    b"/data/\x1b[31m\x07\xe2\x80\xae\xe2\x81\xa6gpj.exe",
    b"/data/\xff\xfe\xc3\x28",
    b"/data/<!--<script>",
];

/// A log with these names, of files that were written slowly.
pub(super) fn strange() -> Log {
    let mut text = run(2).time(10.0).text().into_bytes();
    let mut trace = Vec::new();
    for (i, name) in STRANGE.iter().enumerate() {
        let template =
            run(2).file("/NAME").posix(only((i % 2) as i64), write(20_000.0, 100.0, 4.0));
        let template =
            template.traced((i % 2) as i64, "<b>host", &[w(0.0, 100.0, 1.0, 2.0)]).text();
        let own_id = record_id(name).to_string();
        let template = template.replace(&record_id(b"/NAME").to_string(), &own_id);
        let (records, calls) = template.split_at(template.find("# DXT").unwrap_or(template.len()));
        let lines = records.lines().filter(|line| !line.starts_with('#'));
        for (lines, out) in
            [(lines.collect::<Vec<_>>().join("\n"), &mut text), (calls.to_owned(), &mut trace)]
        {
            // The name is not text, so it is put in as bytes.
            let mut pieces = lines.split("/NAME");
            out.extend_from_slice(pieces.next().unwrap_or_default().as_bytes());
            for piece in pieces {
                out.extend_from_slice(name);
                out.extend_from_slice(piece.as_bytes());
            }
            out.push(b'\n');
        }
    }
    text.extend_from_slice(&trace);
    log_of(&text)
}

/// So many ranks, each with a heat map and so many files of its own.
pub(super) fn large(ranks: u64, files_of_each: u64) -> Log {
    let mut writer = LogWriter::new(Vec::new(), Compression::Zlib).unwrap();
    writer.job(&job(ranks)).unwrap();
    let names: Vec<String> =
        (0..ranks * files_of_each).map(|i| format!("/scratch/run/part.{i:07}")).collect();
    let map = record_id(b"heatmap:POSIX");
    let named = names.iter().map(|name| (record_id(name.as_bytes()), name.as_bytes()));
    writer.names(named.chain([(map, &b"heatmap:POSIX"[..])])).unwrap();
    let mut out = writer.module(&posix::MODULE).unwrap();
    for (i, name) in (0..).zip(&names) {
        let mut record = Posix::new(record_id(name.as_bytes()), (i / files_of_each).cast_signed());
        for (counter, value) in [
            (posix::OPENS, 1),
            (posix::WRITES, 64),
            (posix::BYTES_WRITTEN, 64 << 10),
            (posix::MAX_BYTE_WRITTEN, (64 << 10) - 1),
            (posix::SIZE_WRITE_1K_10K, 64),
        ] {
            record.int[counter] = value;
        }
        record.float[posix::f::WRITE_TIME] = 0.001 + (i % 97) as f64 * 1e-4;
        out.record(&record.view()).unwrap();
    }
    out.finish().unwrap();
    let mut out = writer.module(&heatmap::MODULE).unwrap();
    for rank in 0..ranks.cast_signed() {
        let mut writes = vec![0; 20];
        writes[(rank % 20) as usize] = (files_of_each << 16).cast_signed();
        let base = Base { id: map, rank };
        out.record(&Heatmap { base, bin_width: 5.0, reads: vec![0; 20], writes }).unwrap();
    }
    out.finish().unwrap();
    Log::from_bytes(writer.finish().unwrap()).unwrap()
}

/// Four ranks that write a file in so many pieces, and read it: more than can be shown one by one.
pub(super) fn long_trace(calls_of_each: u64) -> Log {
    let mut writer = LogWriter::new(Vec::new(), Compression::Zlib).unwrap();
    writer.job(&job(4)).unwrap();
    let (name, id) = (&b"/scratch/long.dat"[..], record_id(b"/scratch/long.dat"));
    writer.names([(id, name)]).unwrap();
    let mut out = writer.module(&dxt::POSIX).unwrap();
    for rank in 0..4 {
        let writes = calls_of_each / 2;
        let mut head = DxtHead { writes, reads: calls_of_each - writes, ..DxtHead::default() };
        head.base = Base { id, rank };
        out.record(&head).unwrap();
        for call in 0..calls_of_each {
            let offset = ((call % writes) * 4 + rank.unsigned_abs()) * 4096;
            let start = 2.0 + call as f64 * 1e-4;
            let (offset, end) = (offset.cast_signed(), start + 5e-5);
            out.record(&Segment { offset, length: 4096, start, end }).unwrap();
        }
    }
    out.finish().unwrap();
    Log::from_bytes(writer.finish().unwrap()).unwrap()
}

fn job(ranks: u64) -> Job {
    let mut job = Job::default();
    job.nprocs = ranks.cast_signed();
    (job.start_sec, job.end_sec) = (1_700_000_000, 1_700_000_100);
    job.set_command(b"./many", &[]);
    job
}

/// Calls that are noise: places, sizes and times are random, and so are the names of their files.
/// `ranks` ranks make `calls` calls through each of MPI-IO and POSIX, to several files.
pub(super) fn noise(ranks: u64, calls: u64) -> Log {
    let mut seed = 0x9E37_79B9_7F4A_7C15_u64;
    let mut random = || {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        seed
    };
    let mut writer = LogWriter::new(Vec::new(), Compression::Zlib).unwrap();
    writer.job(&job(ranks)).unwrap();
    let names: Vec<String> = (0..2000)
        .map(|i| format!("/{i}/{}", "<&\"'\u{202e}é".repeat(60)).chars().take(900).collect())
        .collect();
    let maps = ["heatmap:POSIX", "heatmap:MPIIO", "heatmap:STDIO"];
    let all = names.iter().map(String::as_str).chain(maps);
    writer.names(all.map(|name| (record_id(name.as_bytes()), name.as_bytes()))).unwrap();
    let mut out = writer.module(&posix::MODULE).unwrap();
    for (i, name) in (0..).zip(&names) {
        let mut record = Posix::new(record_id(name.as_bytes()), i % ranks.cast_signed());
        record.int[posix::OPENS] = 1;
        record.float[posix::f::META_TIME] = 1.0 + (i % 7) as f64;
        out.record(&record.view()).unwrap();
    }
    out.finish().unwrap();
    for module in [&dxt::POSIX, &dxt::MPIIO] {
        let mut out = writer.module(module).unwrap();
        for rank in 0..ranks {
            // Some files have most of the calls: each of them is shown in space.
            let id = record_id(names[(rank % 4) as usize].as_bytes());
            let (count, writes) = (calls / ranks, calls / ranks / 2);
            let mut head = DxtHead { writes, reads: count - writes, ..DxtHead::default() };
            head.base = Base { id, rank: rank.cast_signed() };
            out.record(&head).unwrap();
            for _ in 0..count {
                let offset = (random() >> 24).cast_signed();
                let length = (random() >> 26).cast_signed();
                let start = (random() >> 11) as f64 / (1_u64 << 53) as f64 * 90.0;
                let end = start + (random() >> 11) as f64 / (1_u64 << 53) as f64 * 9.0;
                out.record(&Segment { offset, length, start, end }).unwrap();
            }
        }
        out.finish().unwrap();
    }
    let mut out = writer.module(&heatmap::MODULE).unwrap();
    for map in maps {
        for rank in 0..ranks.cast_signed() {
            let mut bins = || (0..200).map(|_| (random() >> 20).cast_signed()).collect();
            let base = Base { id: record_id(map.as_bytes()), rank };
            let (reads, writes) = (bins(), bins());
            out.record(&Heatmap { base, bin_width: 0.5, reads, writes }).unwrap();
        }
    }
    out.finish().unwrap();
    Log::from_bytes(writer.finish().unwrap()).unwrap()
}
