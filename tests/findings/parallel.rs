//! M, C, H, F: MPI-IO, libraries above it, and storage targets below.

use super::counters::{nothing, read, read_all, read_alone, write, write_all, write_alone};
use super::recipe::{ALL, Call, EACH, GIB, KIB, MIB, Recipe, only, r, row_of, run, w};
use super::table::{Else, Row, row};

const H5: &str = "/scratch/out.h5";

/// A run on Lustre.
fn lustre(ranks: i64) -> Recipe {
    run(ranks).mount("/scratch", "lustre").file("/scratch/out")
}

/// Each of `ranks` ranks, two on a node, makes one collective write of `bytes`, which takes the
/// seconds 10 to 20.
fn together(ranks: i64, bytes: f64, run: Recipe) -> Recipe {
    (0..ranks).fold(run, |run, rank| {
        let offset = rank as f64 * bytes;
        run.traced_together(rank, &node(rank), &[w(offset, bytes, 10.0, 20.0)])
    })
}

fn node(rank: i64) -> String {
    format!("node{}", rank / 2)
}

/// The first of each node's ranks, `count` of them, write `bytes` each for all.
fn aggregators(count: i64, bytes: f64, run: Recipe) -> Recipe {
    (0..count).fold(run, |run, number| {
        // On one node after the other, then once more.
        let rank = number * 2 % 16 + number * 2 / 16;
        run.traced(rank, &node(rank), &[w(number as f64 * bytes, bytes, 10.0, 19.0)])
    })
}

pub(super) fn rows() -> Vec<Row> {
    let mut rows = mpi_io();
    rows.extend(storage());
    rows.extend(hdf5());
    rows
}

fn mpi_io() -> Vec<Row> {
    vec![
        row("M01", "ranks on a file", [2.0, 1.0], |n| {
            run(n as i64).posix(EACH, write(100.0, MIB, 5.0))
        })
        .otherwise(Else::Absent),
        row("M02", "independent reads", [1001.0, 1000.0], |n| {
            run(4).mpiio(ALL, read_alone(n, KIB, 40.0)).posix(ALL, read(n, KIB, 40.0))
        }),
        row("M03", "independent writes", [1001.0, 1000.0], |n| {
            run(4).mpiio(ALL, write_alone(n, KIB, 40.0)).posix(ALL, write(n, KIB, 40.0))
        }),
        row("M04", "collective reads besides 500 independent ones", [500.0, 499.0], |n| {
            run(4).mpiio(ALL, read_all(n, KIB, 4.0).and("INDEP_", "READ", 500.0, KIB, 4.0))
        })
        .otherwise(Else::Absent)
        .free(),
        row("M05", "collective writes besides 500 independent ones", [500.0, 499.0], |n| {
            run(4).mpiio(ALL, write_all(n, KIB, 4.0).and("INDEP_", "WRITE", 500.0, KIB, 4.0))
        })
        .otherwise(Else::Absent)
        .free(),
        row("M06", "non-blocking reads", [0.0, 1.0], |n| {
            run(4).mpiio(ALL, read_alone(100.0, MIB, 4.0).with("NB_READS", n))
        })
        .free(),
        row("M07", "non-blocking writes", [0.0, 1.0], |n| {
            run(4).mpiio(ALL, write_alone(100.0, MIB, 4.0).with("NB_WRITES", n))
        })
        .free(),
        row("M08", "aggregators on 2 nodes", [1.0, 2.0], |n| {
            aggregators(n as i64, MIB, together(4, MIB, lustre(4)))
        })
        .otherwise(Else::Absent)
        .free(),
        row("M09", "aggregators on 2 nodes", [3.0, 2.0], |n| {
            let run = aggregators(2, MIB, together(4, MIB, lustre(4)));
            match n as i64 {
                3 => run.traced(1, &node(1), &[w(2.0 * MIB, MIB, 10.0, 19.0)]),
                _ => run,
            }
        })
        .free(),
        row("M10", "aggregators on 2 nodes", [2.0, 1.0], |n| {
            aggregators(n as i64, MIB, together(4, MIB, lustre(4)))
        })
        .otherwise(Else::Absent)
        .free(),
        row("C01", "bytes read below, none asked for", [MIB + 1.0, MIB], |n| {
            let run = run(4).mpiio(ALL, write_alone(400.0, 64.0 * KIB, 40.0));
            run.posix(ALL, write(400.0, 64.0 * KIB, 20.0).reads(1.0, n, 16.0))
        }),
        row("C02", "MiB written below, 1,000 asked for", [1101.0, 1100.0], |n| {
            let run = run(4).mpiio(ALL, write_alone(1000.0, MIB, 40.0));
            run.posix(ALL, write(n, MIB, 40.0))
        }),
        row("C03", "seconds in MPI-IO, 10 in POSIX", [20.1, 20.0], |n| {
            let run = run(4).mpiio(EACH, write_all(10.0, MIB, n));
            run.posix(EACH, write(10.0, MIB, 10.0))
        }),
        row("C04", "seconds of 10 that the aggregator writes", [4.9, 5.0], |n| {
            together(4, MIB, lustre(4)).traced(0, "node0", &[w(0.0, 4.0 * MIB, 10.0, 10.0 + n)])
        })
        .measured(),
        row("C05", "of 4 ranks that write themselves", [3.0, 2.0], |n| {
            (0..n as i64).fold(together(4, 64.0 * KIB, lustre(4)), |run, rank| {
                let offset = rank as f64 * 64.0 * KIB;
                run.traced(rank, &node(rank), &[w(offset, 64.0 * KIB, 10.0, 19.0)])
            })
        })
        .measured(),
        row("C06", "aggregators on 8 nodes", [3.0, 4.0], |n| {
            aggregators(n as i64, GIB, together(16, GIB / 4.0, lustre(16)))
        })
        .measured(),
        row("C07", "requests at a stride, of 1,000", [501.0, 500.0], |n| {
            let strided = write(1000.0, 64.0 * KIB, 80.0).with("STRIDE1_STRIDE", MIB);
            run(8).posix(ALL, strided.with("STRIDE1_COUNT", n))
        }),
    ]
}

fn storage() -> Vec<Row> {
    vec![
        row("F01", "seconds for a file on OST 2, elsewhere 1", [12.0, 2.0], |n| {
            let places = [0, 1, 2, 3].into_iter().flat_map(|ost| (0..3).map(move |i| (ost, i)));
            places.fold(lustre(12), |run, (ost, file)| {
                let seconds = if ost == 2 { n } else { 1.0 };
                let rank = ost * 3 + file;
                let run = run.file(format!("/scratch/{rank}")).stripes(MIB, &[ost]);
                run.posix(only(rank), write(100.0, MIB, seconds))
            })
        }),
        row("F02", "stripes of a shared file of 2 GiB", [1.0, 2.0], |n| {
            let targets: Vec<i64> = (0..n as i64).collect();
            let run = lustre(4).stripes(MIB, &targets);
            run.posix(ALL, write(2048.0, MIB, 80.0))
        }),
        row("F03", "GiB on OST 0, on OST 1 it is 1", [3.0, 2.9], |n| {
            let run = lustre(2).file("/scratch/a").stripes(MIB, &[0]);
            let run = run.posix(only(0), write(n * KIB, MIB, 30.0));
            run.file("/scratch/b").stripes(MIB, &[1]).posix(only(1), write(KIB, MIB, 10.0))
        }),
        row("F04", "seconds of every other phase, the rest take 1", [3.2, 2.8], |n| {
            let phase = |at: f64, seconds: f64| row_of(w(at * MIB, MIB, at, at + seconds), 10);
            let calls = [phase(10.0, 1.0), phase(30.0, n), phase(50.0, 1.0), phase(70.0, n)];
            lustre(1).traced(0, "n", &calls.concat())
        })
        .assumed(),
        row("F05", "of 10 stripes with two writers", [2.0, 1.0], |n| {
            let run = lustre(2).stripes(MIB, &[0]);
            let run = run.traced(0, "a", &row_of(w(0.0, MIB, 10.0, 30.0), 10));
            run.traced(1, "b", &row_of(w(0.0, MIB, 10.0, 12.0), n as usize))
        })
        .measured(),
        row("F05", "bytes of a request, where there is no trace", [4095.0, 4096.0], |n| {
            lustre(8).posix(ALL, write(8000.0, n, 80.0))
        })
        .assumed()
        .otherwise(Else::NotCheckable),
        row("T01", "phases of 100 KiB", [10.0, 9.0], |n| {
            let phase = |number: i64| {
                let at = 5.0 + 9.0 * number as f64;
                row_of(w(number as f64 * MIB, KIB, at, at + 0.6 + 0.1 * number as f64), 100)
            };
            let calls: Vec<Call> = (0..n as i64).flat_map(phase).collect();
            lustre(1).traced(0, "n", &calls)
        })
        .measured(),
        row("T02", "places by which bursts are early or late", [0.0, 4.0], |n| {
            let bins: Vec<f64> = (0..100_usize)
                .map(|bin| {
                    let (burst, place) = (bin / 10, bin % 10);
                    let shift = burst * burst * 7 % 11 * n as usize / 4;
                    if place == shift % 10 { MIB } else { 0.0 }
                })
                .collect();
            run(1).posix(only(0), write(10.0, MIB, 9.0)).heat("POSIX", 0, 1.0, &bins)
        })
        .free(),
        row("T03", "of 4 phases in which rank 3 is late", [2.0, 1.0], |n| {
            (0..4).fold(lustre(4), |run, rank| {
                let phase = |number: i64| {
                    let late = if number < n as i64 { 3 } else { number % 3 };
                    let at = 10.0 + 20.0 * number as f64;
                    let seconds = if rank == late { 4.0 } else { 2.0 };
                    row_of(w((number * 4 + rank) as f64 * MIB, KIB, at, at + seconds), 100)
                };
                let calls: Vec<Call> = (0..4).flat_map(phase).collect();
                run.traced(rank, &format!("node{rank}"), &calls)
            })
        })
        .measured(),
        row("T04", "seconds of each of two phases", [2.5, 2.4], |n| {
            let phase = |at: f64| w(at * MIB, MIB, at, at + n);
            lustre(1).traced(0, "n", &[phase(10.0), phase(50.0)])
        })
        .measured(),
        row("A02", "requests of 64 KiB that continue each other", [1000.0, 999.0], |n| {
            lustre(1).traced(0, "n", &row_of(w(0.0, 64.0 * KIB, 10.0, 30.0), n as usize))
        })
        .measured(),
        row("A04", "times that 100 MiB are read", [2.0, 1.0], |n| {
            let pass = |number: i64| {
                let at = 10.0 * (number + 1) as f64;
                row_of(r(0.0, 10.0 * MIB, at, at + 9.0), 10)
            };
            let calls: Vec<Call> = (0..n as i64).flat_map(pass).collect();
            lustre(1).traced(0, "n", &calls)
        })
        .measured(),
        row("A07", "the rank that reads what rank 0 wrote", [1.0, 0.0], |n| {
            let run = lustre(2).traced(0, "a", &[w(0.0, MIB, 10.0, 11.0)]);
            run.traced(n as i64, "a", &[r(0.0, MIB, 20.0, 22.0)])
        })
        .measured(),
        row("N05", "reads of nothing", [1001.0, 1000.0], |n| {
            lustre(1).traced(0, "n", &row_of(r(0.0, 0.0, 10.0, 20.0), n as usize))
        })
        .measured(),
    ]
}

fn hdf5() -> Vec<Row> {
    vec![
        row("H01", "MiB moved below to store 256 KiB", [25.0, 24.0], |n| {
            let run = lustre(4).file(H5).h5f(ALL, nothing().with("OPENS", 4.0));
            let run = (0..4).fold(run, |run, rank| {
                let calls = [
                    w(rank as f64 * 64.0 * MIB, 64.0 * MIB, 1.0, 2.0),
                    w(256.0 * MIB + rank as f64 * 64.0 * KIB, 64.0 * KIB, 10.0, 20.0),
                ];
                run.traced_together(rank, "n", &calls)
            });
            let data = w(0.0, 256.0 * MIB, 1.0, 2.0);
            run.traced(0, "n", &[data, w(256.0 * MIB, n * MIB, 10.0, 20.0)])
        })
        .measured(),
        row("H02", "bytes written below for each of the dataset", [1.21, 1.2], |n| {
            let run = lustre(4).file(H5).dataset(ALL, write(1024.0, MIB, 40.0));
            run.mpiio(ALL, write_all(1024.0, (n * MIB).round(), 40.0))
        }),
        row("H03", "bytes read below for each of the dataset", [1.51, 1.5], |n| {
            let run = lustre(4).file(H5).dataset(ALL, read(1024.0, MIB, 40.0));
            run.mpiio(ALL, read_all(1024.0, (n * MIB).round(), 40.0))
        }),
        // The recorder counts an access along the last of five dimensions, a chunk along the first.
        row("H04", "elements of an access, a chunk has 512 × 1024", [1000.0, 1024.0], |n| {
            let access = write(100.0, 512.0 * n * 8.0, 40.0)
                .with("DATASPACE_NDIMS", 2.0)
                .with("DATATYPE_SIZE", 8.0)
                .with("CHUNK_SIZE_D1", 1024.0)
                .with("CHUNK_SIZE_D2", 512.0)
                .with("ACCESS1_LENGTH_D4", n)
                .with("ACCESS1_LENGTH_D5", 512.0);
            lustre(4).file(H5).dataset(ALL, access)
        }),
        row("H05", "independent accesses", [1001.0, 1000.0], |n| {
            let run = lustre(4).file(H5).h5f(ALL, nothing().with("USE_MPIIO", 1.0));
            let run = run.dataset(ALL, write(n, KIB, 40.0));
            run.mpiio(ALL, write_alone(n, KIB, 40.0)).posix(ALL, write(n, KIB, 40.0))
        }),
        row("H06", "own reads of a rank, 100 are the same for all", [100.0, 101.0], |n| {
            (0..8).fold(lustre(8).file(H5), |run, rank| {
                let common = row_of(r(0.0, KIB, 10.0, 20.0), 100);
                let own = r(GIB * (1.0 + rank as f64), KIB, 30.0, 31.0);
                run.traced(rank, "n", &[common, row_of(own, n as usize)].concat())
            })
        })
        .measured(),
        row("H07", "requests at odd offsets, of 1,000", [101.0, 100.0], |n| {
            let requests = write(1000.0, MIB, 40.0).with("FILE_ALIGNMENT", MIB);
            let file = lustre(4).file(H5).h5f(ALL, nothing().with("OPENS", 4.0));
            file.posix(ALL, requests.with("FILE_NOT_ALIGNED", n))
        }),
        row("H08", "datasets opened by old functions", [1.0, 0.0], |n| {
            run(1).file(H5).dataset(only(0), write(10.0, MIB, 4.0).with("USE_DEPRECATED", n))
        })
        .free(),
        row("H09", "seconds that a rank waits", [5.0, 4.9], |n| {
            lustre(4).file("/scratch/a.nc").pnetcdf(EACH, nothing().with("F_WAIT_TIME", n))
        }),
        row("H10", "requests of 64 KiB", [1001.0, 1000.0], |n| {
            run(1).file("/a").dfs(only(0), write(n, 64.0 * KIB, 12.0))
        }),
        row(
            "H11",
            "seconds of a rank in collective writes, 10 in the writes below",
            [11.1, 10.9],
            |n| {
                let part = write(40.0, 20.0 * MIB, n)
                    .with("DATASPACE_NDIMS", 2.0)
                    .with("DATASPACE_NPOINTS", 40.0 * 20.0 * MIB / 8.0)
                    .with("DATATYPE_SIZE", 8.0)
                    .with("ACCESS1_LENGTH_D4", 20.0)
                    .with("ACCESS1_LENGTH_D5", MIB / 8.0);
                let run = run(4).file(H5).h5f(ALL, nothing().with("USE_MPIIO", 4.0));
                let run = run.dataset(ALL, part).mpiio(ALL, write_all(40.0, 20.0 * MIB, 4.0 * n));
                run.posix(only(0), write(40.0, 20.0 * MIB, 10.0))
            },
        ),
    ]
}
