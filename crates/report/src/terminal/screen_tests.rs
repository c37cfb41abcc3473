//! Whole screens, byte for byte.

use std::path::Path;

use ioglass_insight::Diagnosis;

use super::{Options, write};
use crate::samples::{empty, healthy, imbalanced, slow_ost};

/// The screen without colours.
pub(super) fn screen(diagnosis: &Diagnosis, options: &Options<'_>) -> String {
    let mut out = Vec::new();
    write(&mut out, diagnosis, options).unwrap();
    anstream::adapter::strip_str(&String::from_utf8(out).unwrap()).to_string()
}

pub(super) fn options(log: &str, width: usize) -> Options<'_> {
    Options { width, ..Options::new(Path::new(log)) }
}

#[test]
fn one_dominant_finding() {
    let shown = screen(&slow_ost(), &options("logs/sample-badost.darshan", 80));
    assert_eq!(
        shown,
        "\
ior  2,048 ranks  780 s  job 6265799  2017-06-20 17:49 UTC
sample-badost.darshan  Darshan 3.1.3  complete  no trace

One slow storage target cost 762 of 780 s.

  time    ████████████████████████████████████████████████████████████   780 s
          █ write 777.9 s, 99.7 %   ▒ metadata 0.6 s   ░ outside I/O 1.5 s
  moved   512 GiB written at 673 MiB/s, 131,072 requests of 1 MiB
  where   lustre /scratch1, 2,048 files, one per rank, one stripe each, 24 OSTs

▲ HIGH  OST 14 writes 46× slower than the other 23                 762 s    98 %
        85 of 2,048 files lie on it, at 0.50 MiB/s each against 23.0
        elsewhere. Slowest file there 777.9 s, slowest anywhere else 16.4 s.
        MiB/s by OST, 0 to 23:  ▇▇▇███▇▇▆▇▇█▇█▁██▇█▇█▇██
        do this:  lfs df /scratch1 | grep OST:14   # then tell your centre
                  write to /scratch2 until it is repaired
        F01 slow-ost  derived from counters and stripes

✓ 31 checks fine   ○ 12 not checkable, most need ioglass run --trace
"
    );
}

#[test]
fn one_dominant_finding_with_room() {
    let shown = screen(&slow_ost(), &options("sample-badost.darshan", 120));
    assert_eq!(
        shown,
        "\
ior  2,048 ranks  780 s  job 6265799  2017-06-20 17:49 UTC
sample-badost.darshan  Darshan 3.1.3  complete  no trace

One slow storage target cost 762 of 780 s.

  time    ████████████████████████████████████████████████████████████████████████████████████████████████████   780 s
          █ write 777.9 s, 99.7 %   ▒ metadata 0.6 s   ░ outside I/O 1.5 s
  moved   512 GiB written at 673 MiB/s, 131,072 requests of 1 MiB
  where   lustre /scratch1, 2,048 files, one per rank, one stripe each, 24 OSTs, in …/glock/test-scratch1

▲ HIGH  OST 14 writes 46× slower than the other 23                                                         762 s    98 %
        85 of 2,048 files lie on it, at 0.50 MiB/s each against 23.0 elsewhere. Slowest file there
        777.9 s, slowest anywhere else 16.4 s.
        MiB/s by OST, 0 to 23:  ▇▇▇███▇▇▆▇▇█▇█▁██▇█▇█▇██
        do this:  lfs df /scratch1 | grep OST:14      # full or degraded? then report OST 14 to your centre
                  write to /scratch2 (also Lustre, mounted on these nodes) until it is repaired
        F01 slow-ost  derived from counters and stripes

✓ 31 checks fine   ○ 12 not checkable, most need a trace: ioglass run --trace, or DXT_ENABLE_IO_TRACE=1
"
    );
}

#[test]
fn several_findings() {
    let shown = screen(&imbalanced(), &options("imbalanced-io.darshan", 80));
    assert_eq!(
        shown,
        "\
407752450  496 ranks  1,479 s  job 1452113755  2021-04-14 21:29 UTC
imbalanced-io.darshan  Darshan 3.2.1  no trace
! POSIX is incomplete: rank 0 reached the limit of 1,024 records. Marked †.

I/O took 92 % of this run, up to 1,220 of 1,479 s avoidable. Start with one
command: stripe the output directory.

  time    ██████████████████████████████████████████████████▓▓▓▓▓░░░░░ 1,479 s
          █ MPI-IO 1,244 s, 84 %   ▓ text output 114 s   ░ outside I/O 122 s
  moved   74.1 GiB written, 49.3 GiB read by MPI-IO at 102 MiB/s
  where   lustre /lus/theta-fs0 and overlay, 1,026 files, 3 of them shared

▲ HIGH  98.6 GiB pass through one rank to one OST                  563 s    38 %
        3981085427 has stripe count 1 (OST 29), so MPI-IO used one aggregator:
        rank 0 moved all 98.6 GiB in 1 MiB requests, 583 s in POSIX; the
        others waited.
        do this:  lfs setstripe -c 29 -S 16M DIR   # before creating the file
        F02 single-stripe  derived

▲ HIGH  187 collective writes per rank take 3.0 s each           543 s †    37 %
        312046190: 263 KiB per rank and call, 565 s in MPI-IO, 22 s of them in
        recorded POSIX calls. The rest is waiting, or rank 0, which was not
        recorded.
        do this:  lfs getstripe -c DIR/312046190   # 1? then stripe it too:
                  lfs setstripe -c 14 -S 16M DIR
                  fewer, larger calls: H5Dwrite_multi, ncmpi_iput + wait_all
        C03 collective-wait  derived, incomplete data

◆ WARN  Rank 0 needs 113 s to write 44 KiB of text                 113 s     8 %
        1115354007: 956 writes, 176 flushes, 33 s in open alone.
        do this:  setvbuf(f, NULL, _IOFBF, 1 << 20);  // and flush once per step
        X01 slow-text-output  derived

✓ 31 checks fine   ○ 12 not checkable   + 1 note below 1 % of the run (-v)
"
    );
}

#[test]
fn a_healthy_small_run() {
    let shown = screen(&healthy(), &options("hdf5_diagonal_write_half_ranks_dxt.darshan", 80));
    assert_eq!(
        shown,
        "\
python diagonal_hdf5.py  10 ranks  3 s  job 5133433  2022-03-10 19:26 UTC
hdf5_diagonal_write_half_ranks_dxt.darshan  Darshan 3.3.1  complete  traced

Healthy. I/O took 0.03 of 3 s; nothing here is worth your time.

  time    ▒░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░     3 s
          ▒ metadata 0.03 s, 0.9 %   ░ outside I/O 2.97 s
  moved   12.6 KiB written, 2.5 MiB read
  where   nfs and local, 74 files

✓ 31 checks fine   ○ 12 not checkable   + 1 note (-v)
"
    );
}

#[test]
fn nothing_recorded() {
    let shown = screen(&empty(), &options("empty_log.darshan", 80));
    assert_eq!(
        shown,
        "\
mpi-io-test  4 ranks  0.04 s  job 395998  2023-02-24 20:20 UTC
empty_log.darshan  Darshan 3.4.2  complete

No I/O was recorded.

  The program did no I/O, or the recorder did not see it. Usual causes:
  - it is linked statically            ioglass doctor ./mpi-io-test
  - it was started without MPI_Init    export DARSHAN_ENABLE_NONMPI=1
  - only some ranks had the preload    ioglass run -- mpirun … ./mpi-io-test
"
    );
}
