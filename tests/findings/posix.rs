//! S01 and P01 to P22: what the paper asks of POSIX and streams.

use super::counters::{nothing, read, write};
use super::recipe::{ALL, EACH, GIB, KIB, MIB, Recipe, only, run};
use super::table::{Else, Row, row};

/// A file that one process uses.
fn one() -> Recipe {
    run(1)
}

pub(super) fn rows() -> Vec<Row> {
    vec![
        row("S01", "bytes through streams", [MIB, MIB - 1.0], |n| {
            run(4).stdio(only(0), write(100.0, n / 100.0, 3.0).with("BYTES_WRITTEN", n))
        }),
        row("P01", "writes for 90 reads", [111.0, 110.0], |n| {
            one().posix(only(0), write(n, MIB, 1.0).reads(90.0, MIB, 1.0))
        })
        .free(),
        row("P02", "reads for 90 writes", [111.0, 110.0], |n| {
            one().posix(only(0), read(n, MIB, 1.0).writes(90.0, MIB, 1.0))
        })
        .free(),
        row("P03", "bytes written for 90 read", [111.0, 110.0], |n| {
            one().posix(only(0), write(1.0, n, 1.0).reads(1.0, 90.0, 1.0))
        })
        .free(),
        row("P04", "bytes read for 90 written", [111.0, 110.0], |n| {
            one().posix(only(0), read(1.0, n, 1.0).writes(1.0, 90.0, 1.0))
        })
        .free(),
        row("P05", "reads of 512 KiB", [1001.0, 1000.0], |n| {
            one().posix(only(0), read(n, 512.0 * KIB, 12.0))
        }),
        row("P06", "bytes of a write", [MIB - 1.0, MIB], |n| {
            one().posix(only(0), write(5000.0, n, 12.0))
        }),
        row("P07", "requests from odd memory, of 1,000", [101.0, 100.0], |n| {
            one().posix(only(0), write(1000.0, MIB, 9.0).with("MEM_NOT_ALIGNED", n))
        })
        .free(),
        row("P08", "requests at odd offsets, of 1,000", [101.0, 100.0], |n| {
            let requests = write(1000.0, MIB, 9.0).with("FILE_ALIGNMENT", 4096.0);
            one().posix(only(0), requests.with("FILE_NOT_ALIGNED", n))
        }),
        row("P09", "MiB read of a file of 100", [101.0, 100.0], |n| {
            one().posix(only(0), read(n, MIB, 9.0).with("MAX_BYTE_READ", 100.0 * MIB - 1.0))
        }),
        row("P10", "MiB written to a file of 100", [101.0, 100.0], |n| {
            one().posix(only(0), write(n, MIB, 9.0).with("MAX_BYTE_WRITTEN", 100.0 * MIB - 1.0))
        }),
        row("P11", "reads that step forward, of 10,001", [7999.0, 8000.0], |n| {
            one().posix(only(0), read(10_001.0, 64.0 * KIB, 9.0).with("SEQ_READS", n))
        }),
        row("P12", "reads that step forward, of 100", [80.0, 79.0], |n| {
            one().posix(only(0), read(100.0, MIB, 9.0).with("SEQ_READS", n))
        })
        .otherwise(Else::Absent)
        .free(),
        row("P13", "writes that step forward, of 10,001", [7999.0, 8000.0], |n| {
            one().posix(only(0), write(10_001.0, 64.0 * KIB, 9.0).with("SEQ_WRITES", n))
        }),
        row("P14", "writes that step forward, of 100", [80.0, 79.0], |n| {
            one().posix(only(0), write(100.0, MIB, 9.0).with("SEQ_WRITES", n))
        })
        .otherwise(Else::Absent)
        .free(),
        // Shared by ranks, not by a record of rank −1.
        row("P15", "reads of 4 KiB by rank 1, after 500 by rank 0", [501.0, 500.0], |n| {
            let shared = run(2).posix(only(0), read(500.0, 4.0 * KIB, 9.0));
            shared.posix(only(1), read(n, 4.0 * KIB, 9.0))
        }),
        row("P16", "writes of 4 KiB by rank 1, after 500 by rank 0", [501.0, 500.0], |n| {
            let shared = run(2).posix(only(0), write(500.0, 4.0 * KIB, 9.0));
            shared.posix(only(1), write(n, 4.0 * KIB, 9.0))
        }),
        row("P17", "seconds of rank 1 on each of two files", [15.1, 15.0], |n| {
            let own = |file: &str, run: Recipe| {
                let own = write(1.0, MIB, 1.0).opened(10.0).with("F_META_TIME", n);
                run.file(file).posix(only(1), own)
            };
            own("/data/b", own("/data/a", run(4)))
        }),
        row("P18", "MiB of rank 3, others 100", [84.0, 86.0], |n| {
            let equal = run(4).posix(only(0), write(100.0, MIB, 9.0));
            let equal = equal.posix(only(1), write(100.0, MIB, 8.0));
            let equal = equal.posix(only(2), write(100.0, MIB, 8.0));
            equal.posix(only(3), write(n, MIB, 7.0))
        }),
        row("P19", "seconds of the fastest rank, others 10", [8.4, 8.6], |n| {
            let shared = write(400.0, MIB, 30.0 + n).with("F_SLOWEST_RANK_TIME", 10.0);
            run(4).posix(ALL, shared.with("F_FASTEST_RANK_TIME", n))
        }),
        row("P21", "MiB written by rank 1, rank 0 100", [69.0, 71.0], |n| {
            let shared = run(2).posix(only(0), write(100.0, MIB, 9.0));
            shared.posix(only(1), write(n, MIB, 7.0))
        }),
        row("P22", "MiB read by rank 1, rank 0 100", [69.0, 71.0], |n| {
            let shared = run(2).posix(only(0), read(100.0, MIB, 9.0));
            shared.posix(only(1), read(n, MIB, 7.0))
        }),
        row("X01", "seconds of a stream", [5.01, 4.9], |n| {
            one().file("/data/log.txt").stdio(only(0), write(5000.0, 80.0, n))
        }),
        row("X02", "bytes printed", [10.0 * MIB + 1.0, 10.0 * MIB], |n| {
            let printed = write(1000.0, 80.0, 3.0).with("BYTES_WRITTEN", n);
            one().file("<STDOUT>").stdio(only(0), printed)
        }),
        row("X03", "lines of each of 8 ranks", [1251.0, 1250.0], |n| {
            run(8).file("/data/log.txt").stdio(EACH, write(n, 80.0, 2.0))
        }),
        row("A01", "bytes of a request", [32_767.0, 32_768.0], |n| {
            one().posix(only(0), write(5000.0, n, 12.0))
        }),
        row("A02", "requests of 64 KiB that continue each other", [1000.0, 999.0], |n| {
            one().posix(only(0), write(n, 64.0 * KIB, 12.0))
        }),
        row("A03", "bytes of each of 4 ranks", [MIB - 1.0, MIB], |n| {
            run(4).posix(EACH, write(1.0, n, 6.0))
        }),
        row("A04", "MiB read of a file of 100", [201.0, 200.0], |n| {
            one().posix(only(0), read(n, MIB, 9.0).with("MAX_BYTE_READ", 100.0 * MIB - 1.0))
        }),
        row("A05", "MiB written to a file of 100", [201.0, 200.0], |n| {
            one().posix(only(0), write(n, MIB, 9.0).with("MAX_BYTE_WRITTEN", 100.0 * MIB - 1.0))
        }),
        // One at the end does not count.
        row("A06", "syncs of 500 writes", [102.0, 101.0], |n| {
            one().posix(only(0), write(500.0, MIB, 12.0).with("FSYNCS", n))
        }),
        row("A06", "flushes of 1,500 lines", [1002.0, 1001.0], |n| {
            one().stdio(only(0), write(1500.0, 80.0, 12.0).with("FLUSHES", n))
        }),
        row("A08", "reads of a mapped file", [0.0, 1.0], |n| {
            one().posix(only(0), nothing().opened(1.0).reads(n, MIB, n).with("MMAPS", 1.0))
        })
        .otherwise(Else::Absent)
        .free(),
        row("B01", "MiB of rank 0, the three others 16", [24.0, 23.0], |n| {
            let own = |rank: i64, mib: f64, run: Recipe| {
                run.file(format!("/data/{rank}")).posix(only(rank), write(mib, MIB, mib / 2.0))
            };
            own(3, 16.0, own(2, 16.0, own(1, 16.0, own(0, n, run(4)))))
        }),
        row("B02", "MiB of rank 0, the seven others 8", [56.0, 55.0], |n| {
            let others = (1..8).fold(run(8), |run, rank| {
                run.file(format!("/data/{rank}")).posix(only(rank), write(8.0, MIB, 1.0))
            });
            others.file("/data/0").posix(only(0), write(n, MIB, 20.0))
        }),
        row("N01", "opens of an empty file", [1000.0, 999.0], |n| {
            one().posix(only(0), super::counters::opens(n, 12.0))
        }),
        row("N02", "files of 4 KiB", [1001.0, 1000.0], |n| {
            (0..n as i64).fold(one(), |run, file| {
                let one = write(1.0, 4.0 * KIB, 0.01).with("F_META_TIME", 0.01);
                run.file(format!("/data/{file}")).posix(only(0), one)
            })
        }),
        row("N03", "ranks with a file each", [32.0, 31.0], |n| {
            let ranks = n as i64;
            (0..ranks).fold(run(ranks), |run, rank| {
                let own = write(64.0, MIB, 5.0).with("F_META_TIME", 1.5);
                run.file(format!("/data/{rank}")).posix(only(rank), own)
            })
        }),
        row("N04", "opens of code by 16 ranks", [1001.0, 1000.0], |n| {
            let code = run(16).mount("/home", "lustre").file("/home/app/module.py");
            code.posix(ALL, read(n, 4.0 * KIB, 20.0).opened(n).with("F_META_TIME", 60.0))
        }),
        row("N05", "questions about a file never opened", [1000.0, 999.0], |n| {
            one().posix(only(0), nothing().with("STATS", n).with("F_META_TIME", 7.0))
        }),
        row("C08", "ranks on a file", [8.0, 7.0], |n| {
            run(n as i64).posix(EACH, write(100.0, MIB, 5.0))
        }),
        row("F06", "seconds on NFS, 90 on Lustre", [10.1, 9.9], |n| {
            let run = run(4).time(200.0).mount("/scratch", "lustre").mount("/home", "nfs4");
            let run = run.file("/scratch/a").posix(EACH, write(90.0, MIB, 90.0));
            run.file("/home/a").posix(EACH, write(10.0, MIB, n))
        }),
        row("F07", "bytes written, then read", [GIB, GIB - 1.0], |n| {
            let both = write(1.0, n, 4.0).reads(1.0, n, 4.0);
            let both = both.with("F_WRITE_START_TIMESTAMP", 1.0).with("F_WRITE_END_TIMESTAMP", 5.0);
            let both = both.with("F_READ_START_TIMESTAMP", 50.0).with("F_READ_END_TIMESTAMP", 54.0);
            one().posix(only(0), both)
        }),
    ]
}
