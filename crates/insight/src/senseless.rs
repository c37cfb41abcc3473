//! Why a check makes no sense for a run.

use crate::model::{Direction, Kind, Run, Totals};

/// What checks are about, and how to see that a run has nothing of it.
struct Topic {
    codes: &'static [&'static str],
    is_missing: fn(&Run) -> bool,
    why: &'static str,
}

/// The first that is missing is the reason.
const TOPICS: &[Topic] = &[
    Topic {
        codes: &["A08"],
        is_missing: |_| true,
        why: "No data file is mapped into memory without being read.",
    },
    Topic {
        codes: &["H09"],
        is_missing: |run| !run.libraries.pnetcdf,
        why: "No PnetCDF in this run.",
    },
    Topic { codes: &["H10"], is_missing: |run| run.daos.files == 0, why: "No DAOS in this run." },
    Topic {
        codes: &["H01", "H02", "H03", "H04", "H05", "H06", "H07", "H08"],
        is_missing: |run| !run.libraries.hdf5,
        why: "No HDF5 in this run.",
    },
    Topic {
        codes: &["X02"],
        is_missing: |run| !run.files.iter().any(|file| file.kind == Kind::Stream),
        why: "Nothing is printed in this run.",
    },
    Topic {
        codes: &["S01", "X01", "X03"],
        is_missing: |run| run.stdio.files == 0,
        why: "No streams of the C library in this run.",
    },
    Topic {
        codes: &["F01", "F02", "F03"],
        is_missing: |run| !run.is_on_lustre,
        why: "No file of this run is on Lustre.",
    },
    Topic {
        codes: &[
            "A07", "B01", "B02", "C03", "C04", "C05", "C06", "C08", "F05", "H01", "H05", "H06",
            "M01", "M02", "M03", "M04", "M05", "M08", "M09", "M10", "N03", "N04", "P15", "P16",
            "P18", "P19", "P21", "P22", "S01", "T03", "X03",
        ],
        is_missing: |run| !run.ranks_mean_something,
        why: "This run has no ranks that work together.",
    },
    Topic {
        codes: &[
            "C01", "C02", "C03", "C04", "C05", "C06", "C07", "H01", "M02", "M03", "M04", "M05",
            "M06", "M07", "M08", "M09", "M10",
        ],
        is_missing: |run| run.mpiio.files == 0,
        why: "No MPI-IO in this run.",
    },
    Topic {
        codes: &["C04", "C05", "C06", "H01", "M08", "M09", "M10"],
        is_missing: |run| !is_collective(run),
        why: "No collective MPI-IO calls in this run.",
    },
    Topic {
        codes: &["A04", "P05", "P09", "P11", "P12", "P15", "P22"],
        is_missing: |run| lacks(&run.posix, Direction::Read),
        why: "Nothing is read by POSIX calls in this run.",
    },
    Topic {
        codes: &["A05", "A06", "F05", "P06", "P10", "P13", "P14", "P16", "P21"],
        is_missing: |run| lacks(&run.posix, Direction::Write),
        why: "Nothing is written by POSIX calls in this run.",
    },
    Topic {
        codes: &["M02", "M04", "M06"],
        is_missing: |run| lacks(&run.mpiio, Direction::Read),
        why: "Nothing is read by MPI-IO in this run.",
    },
    Topic {
        codes: &["C01", "M03", "M05", "M07"],
        is_missing: |run| lacks(&run.mpiio, Direction::Write),
        why: "Nothing is written by MPI-IO in this run.",
    },
    Topic {
        codes: &["A07", "F07"],
        is_missing: |run| lacks(&run.posix, Direction::Read) || lacks(&run.posix, Direction::Write),
        why: "This run does not both read and write.",
    },
    Topic {
        codes: &["M08", "M10", "P12", "P14", "M04", "M05"],
        is_missing: |_| true,
        why: "It tells good news, which there is none of here.",
    },
    Topic {
        codes: &[
            "A01", "A02", "A03", "M01", "N01", "N02", "N05", "P01", "P02", "P03", "P04", "P07",
            "P08", "P17",
        ],
        is_missing: |run| run.posix.sum.calls() == 0,
        why: "No data is moved by POSIX calls in this run.",
    },
    Topic {
        codes: &["T01", "T02", "T03", "T04"],
        is_missing: |run| run.io_time() <= 0.0,
        why: "No time is spent in I/O in this run.",
    },
];

/// Why the check of this code makes no sense, in a sentence.
pub(crate) fn why(run: &Run, code: &str) -> &'static str {
    if run.files.is_empty() {
        return "Nothing was recorded.";
    }
    let topic = TOPICS.iter().find(|topic| topic.codes.contains(&code) && (topic.is_missing)(run));
    topic.map_or("This run has too little of what it looks at.", |topic| topic.why)
}

fn is_collective(run: &Run) -> bool {
    run.mpiio.sum.is_collective()
}

fn lacks(totals: &Totals, direction: Direction) -> bool {
    totals.way(direction).calls == 0
}
