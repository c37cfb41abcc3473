//! M01 to M10: the use of MPI-IO.

use super::{Case, Check, Context, Detector, Feature, Pool, top_files};
use crate::advice;
use crate::finding::{Dimension, Level, Moment, Need, Plot, Quantity};
use crate::model::{Direction, File};
use crate::number;

const SEE: &str = "https://www.mpi-forum.org/docs/mpi-4.1/mpi41-report.pdf";
const NOTHING: &str = "Nothing has to be done.";

const TOGETHER: &str = "Ranks can merge their small pieces into large ones only if they call \
                       together.";
const OVERLAP: &str = "While a call waits for the storage, the program could compute.";

pub(super) static NONE: Detector = Detector {
    code: "M01",
    slug: "no-mpi-io",
    dimension: Dimension::InterfaceChoice,
    highest: Level::Warn,
    what: "A parallel program shares files without MPI-IO.",
    condition: "Several ranks use a file, and none uses it through MPI-IO. It does not decide \
                the verdict.",
    why: TOGETHER,
    fix: "Use MPI-IO, or a library above it: HDF5, PnetCDF, ADIOS.",
    see: SEE,
    applies_to: &[Feature::Ranks, Feature::PosixCalls],
    plots: &[Plot::Interfaces, Plot::Files],
    moment: Moment::WholeRun,
    check: none,
};

pub(super) static NO_COLLECTIVE_READS: Detector = Detector {
    code: "M02",
    slug: "no-collective-reads",
    dimension: Dimension::InterfaceChoice,
    highest: Level::High,
    what: "MPI-IO reads are all independent.",
    condition: "There are more than collective_operations_absolute MPI-IO reads, and none is \
                collective. A file is listed if more than collective_operations of its reads are \
                independent. If a call moves independent_request bytes or more, nothing is at \
                stake, and it does not decide the verdict.",
    why: TOGETHER,
    fix: "Use MPI_File_read_all and similar calls, or H5FD_MPIO_COLLECTIVE in HDF5.",
    see: SEE,
    applies_to: &[Feature::Ranks, Feature::MpiIo, Feature::MpiIoData(Direction::Read)],
    plots: &[Plot::Time, Plot::Interfaces],
    moment: Moment::FileUse,
    check: |cx| independent(cx, Direction::Read),
};

pub(super) static NO_COLLECTIVE_WRITES: Detector = Detector {
    code: "M03",
    slug: "no-collective-writes",
    dimension: Dimension::InterfaceChoice,
    highest: Level::High,
    what: "MPI-IO writes are all independent.",
    condition: "There are more than collective_operations_absolute MPI-IO writes, and none is \
                collective. A file is listed if more than collective_operations of its writes \
                are independent. If a call moves independent_request bytes or more, nothing is \
                at stake, and it does not decide the verdict.",
    why: TOGETHER,
    fix: "Use MPI_File_write_all and similar calls, or H5FD_MPIO_COLLECTIVE in HDF5.",
    see: SEE,
    applies_to: &[Feature::Ranks, Feature::MpiIo, Feature::MpiIoData(Direction::Write)],
    plots: &[Plot::Time, Plot::Interfaces],
    moment: Moment::FileUse,
    check: |cx| independent(cx, Direction::Write),
};

pub(super) static COLLECTIVE_READS: Detector = Detector {
    code: "M04",
    slug: "collective-reads",
    dimension: Dimension::InterfaceChoice,
    highest: Level::Ok,
    what: "MPI-IO reads are collective.",
    condition: "At least half of the MPI-IO reads are collective.",
    why: TOGETHER,
    fix: NOTHING,
    see: SEE,
    applies_to: &[
        Feature::Ranks,
        Feature::MpiIo,
        Feature::MpiIoData(Direction::Read),
        Feature::GoodNews,
    ],
    plots: &[Plot::Time, Plot::Interfaces],
    moment: Moment::FileUse,
    check: |cx| collective(cx, Direction::Read),
};

pub(super) static COLLECTIVE_WRITES: Detector = Detector {
    code: "M05",
    slug: "collective-writes",
    dimension: Dimension::InterfaceChoice,
    highest: Level::Ok,
    what: "MPI-IO writes are collective.",
    condition: "At least half of the MPI-IO writes are collective.",
    why: TOGETHER,
    fix: NOTHING,
    see: SEE,
    applies_to: &[
        Feature::Ranks,
        Feature::MpiIo,
        Feature::MpiIoData(Direction::Write),
        Feature::GoodNews,
    ],
    plots: &[Plot::Time, Plot::Interfaces],
    moment: Moment::FileUse,
    check: |cx| collective(cx, Direction::Write),
};

pub(super) static BLOCKING_READS: Detector = Detector {
    code: "M06",
    slug: "blocking-reads",
    dimension: Dimension::Information,
    highest: Level::Warn,
    what: "The program waits for every MPI-IO read.",
    condition: "There are MPI-IO reads, and none is non-blocking.",
    why: OVERLAP,
    fix: "Start reads early with MPI_File_iread, or use the asynchronous connector of HDF5.",
    see: SEE,
    applies_to: &[Feature::MpiIo, Feature::MpiIoData(Direction::Read)],
    plots: &[Plot::Time, Plot::Interfaces],
    moment: Moment::FileUse,
    check: |cx| blocking(cx, Direction::Read),
};

pub(super) static BLOCKING_WRITES: Detector = Detector {
    code: "M07",
    slug: "blocking-writes",
    dimension: Dimension::Information,
    highest: Level::Warn,
    what: "The program waits for every MPI-IO write.",
    condition: "There are MPI-IO writes, and none is non-blocking.",
    why: OVERLAP,
    fix: "Write with MPI_File_iwrite and wait later, or use the asynchronous connector of HDF5.",
    see: SEE,
    applies_to: &[Feature::MpiIo, Feature::MpiIoData(Direction::Write)],
    plots: &[Plot::Time, Plot::Interfaces],
    moment: Moment::FileUse,
    check: |cx| blocking(cx, Direction::Write),
};

pub(super) static FEW_AGGREGATORS: Detector = Detector {
    code: "M08",
    slug: "few-aggregators",
    dimension: Dimension::InterfaceChoice,
    highest: Level::Ok,
    what: "There are fewer aggregators than nodes.",
    condition: "In the trace, fewer ranks than nodes write below collective calls.",
    why: TOGETHER,
    fix: NOTHING,
    see: SEE,
    applies_to: &[Feature::Ranks, Feature::MpiIo, Feature::CollectiveCalls, Feature::GoodNews],
    plots: &[Plot::Time, Plot::Interfaces],
    moment: Moment::FileUse,
    check: |cx| aggregators(cx, std::cmp::Ordering::Less),
};

pub(super) static MANY_AGGREGATORS: Detector = Detector {
    code: "M09",
    slug: "many-aggregators",
    dimension: Dimension::InterfaceChoice,
    highest: Level::High,
    what: "There are more aggregators than nodes.",
    condition: "In the trace, more ranks than nodes write below collective calls.",
    why: "Aggregators on one node compete for its network.",
    fix: "Set cb_nodes to the number of nodes.",
    see: SEE,
    applies_to: &[Feature::Ranks, Feature::MpiIo, Feature::CollectiveCalls],
    plots: &[Plot::Time, Plot::Interfaces],
    moment: Moment::FileUse,
    check: |cx| aggregators(cx, std::cmp::Ordering::Greater),
};

pub(super) static AGGREGATOR_PER_NODE: Detector = Detector {
    code: "M10",
    slug: "aggregator-per-node",
    dimension: Dimension::InterfaceChoice,
    highest: Level::Ok,
    what: "There is one aggregator on each node.",
    condition: "In the trace, as many ranks as nodes write below collective calls.",
    why: TOGETHER,
    fix: NOTHING,
    see: SEE,
    applies_to: &[Feature::Ranks, Feature::MpiIo, Feature::CollectiveCalls, Feature::GoodNews],
    plots: &[Plot::Time, Plot::Interfaces],
    moment: Moment::FileUse,
    check: |cx| aggregators(cx, std::cmp::Ordering::Equal),
};

fn none(cx: &Context<'_>) -> Check {
    let run = cx.run;
    if !run.ranks_mean_something || run.posix.sum.bytes() == 0 {
        return Check::Senseless;
    }
    if run.mpiio.files > 0 {
        return Check::Fine(format!(
            "{} through MPI-IO.",
            number::counted(run.mpiio.files, "file goes", "files go")
        ));
    }
    let is_shared = |file: &&File| {
        file.posix.as_deref().is_some_and(|usage| usage.bytes() > 0 && usage.ranks(run.ranks) >= 2)
    };
    let shared: Vec<&File> = run.shared().filter(is_shared).collect();
    if shared.is_empty() {
        return Check::Fine("No file is shared by ranks.".into());
    }
    let count = shared.len() as u64;
    let seconds =
        shared.iter().map(|file| file.slowest_time(run.ranks)).sum::<f64>().min(run.posix.slowest);
    let files = shared.iter().map(|file| cx.share_of(file, file.slowest_time(run.ranks)));
    let title = format!(
        "{} without MPI-IO",
        number::counted(count, "shared file is used", "shared files are used")
    );
    let setting = cx.setting(shared.first().copied());
    let writes = run.posix.slowest_write >= run.posix.slowest_read;
    let advice = if writes {
        advice::collective_write(&setting, setting.library())
    } else {
        advice::collective_read(&setting, setting.library())
    };
    Case::new(
        title,
        "Each rank accesses the file system by itself.".to_owned(),
        seconds.min(run.run_time),
    )
    .evidence("shared files", count as f64, Quantity::Count)
    .files(top_files(files))
    .advise(advice)
    .cause_if(false)
    .fired()
}

/// Independent, collective and all calls in one direction.
fn calls(cx: &Context<'_>, direction: Direction) -> (u64, u64, u64) {
    let way = cx.run.mpiio.way(direction);
    let kinds = way.kinds();
    (kinds.independent + kinds.nonblocking, kinds.together(), way.calls)
}

fn independent(cx: &Context<'_>, direction: Direction) -> Check {
    let run = cx.run;
    let (alone, together, all) = calls(cx, direction);
    if all == 0 || !run.ranks_mean_something {
        return Check::Senseless;
    }
    let detail = format!(
        "{} of {} MPI-IO {} are independent.",
        number::thousands(alone),
        number::thousands(all),
        direction.noun()
    );
    if together > 0 || all as f64 <= cx.limits.collective_operations_absolute {
        return Check::Fine(detail);
    }
    let listed = |file: &File| {
        let usage = file.mpiio.as_deref()?;
        let way = usage.way(direction);
        let alone = way.kinds().independent;
        let share = alone as f64 / way.calls.max(1) as f64;
        (alone > 0 && share > cx.limits.collective_operations)
            .then(|| cx.share_of(file, usage.slowest_part(way.time, run.ranks)))
    };
    let mean = run.mpiio.way(direction).bytes / all;
    // Large requests reach the storage as they are. Merging them saves nothing.
    let is_small = (mean as f64) < cx.limits.independent_request;
    let seconds = if is_small { run.mpiio.slowest_way(direction) } else { 0.0 };
    let title =
        format!("{} MPI-IO {} are all independent", number::thousands(all), direction.noun());
    let setting = cx.setting(None);
    let advice = match direction {
        Direction::Read => advice::collective_read(&setting, setting.library()),
        Direction::Write => advice::collective_write(&setting, setting.library()),
    };
    Case::new(
        title,
        format!("{detail} They move {} each.", number::bytes(mean)),
        seconds.min(run.run_time),
    )
    .evidence("independent calls", alone as f64, Quantity::Count)
    .evidence("calls", all as f64, Quantity::Count)
    .evidence("bytes a call", mean as f64, Quantity::Bytes)
    .files(top_files(run.data().filter_map(listed)))
    .pool(if direction == Direction::Read { Pool::Read } else { Pool::Write })
    .advise(advice)
    .cause_if(is_small)
    .fired()
}

fn collective(cx: &Context<'_>, direction: Direction) -> Check {
    let (_, together, all) = calls(cx, direction);
    if all == 0 || together.saturating_mul(2) < all {
        return Check::Senseless;
    }
    Check::Fine(format!(
        "{} of {} MPI-IO {} are collective ({}).",
        number::thousands(together),
        number::thousands(all),
        direction.noun(),
        number::percent(together as f64 / all as f64)
    ))
}

fn blocking(cx: &Context<'_>, direction: Direction) -> Check {
    let run = cx.run;
    let way = run.mpiio.way(direction);
    if way.calls == 0 {
        return Check::Senseless;
    }
    let nonblocking = way.kinds().nonblocking;
    if nonblocking > 0 {
        return Check::Fine(format!(
            "{} non-blocking MPI-IO {}.",
            number::thousands(nonblocking),
            direction.noun()
        ));
    }
    let setting = cx.setting(None);
    let advice = match direction {
        _ if setting.has_hdf5 => advice::hdf5_async(&setting, direction),
        Direction::Read => advice::nonblocking_read(&setting),
        Direction::Write => advice::nonblocking_write(&setting),
    };
    let title = match way.calls {
        1 => format!("The only MPI-IO {} waits for the storage", direction.verb()),
        calls => format!(
            "All {} MPI-IO {} wait for the storage",
            number::thousands(calls),
            direction.noun()
        ),
    };
    // Another check measures what overlap could hide. Nothing is known of it here.
    Case::new(title, "Nothing is computed meanwhile.".to_owned(), 0.0)
        .evidence("calls", way.calls as f64, Quantity::Count)
        .evidence(
            "seconds of the slowest rank",
            run.mpiio.slowest_way(direction),
            Quantity::Seconds,
        )
        .pool(if direction == Direction::Read { Pool::Read } else { Pool::Write })
        .advise(advice)
        .fired()
}

fn aggregators(cx: &Context<'_>, wanted: std::cmp::Ordering) -> Check {
    let run = cx.run;
    let is_collective = run.mpiio.sum.is_collective();
    if !is_collective || !run.ranks_mean_something {
        return Check::Senseless;
    }
    let Some(trace) = &run.trace else {
        // Without a trace there is nothing good to report.
        return if wanted == std::cmp::Ordering::Greater {
            Check::NotCheckable(Need::Trace)
        } else {
            Check::Senseless
        };
    };
    let nodes = trace.hosts.len() as u64;
    let most = trace
        .files
        .iter()
        .filter(|file| file.asked.is_some())
        .map(|file| file.writes.ranks.max(file.reads.ranks))
        .max()
        .unwrap_or(0);
    if nodes == 0 || most == 0 {
        return Check::Senseless;
    }
    let detail = format!(
        "{} on {}.",
        number::counted(most, "aggregator", "aggregators"),
        number::counted(nodes, "node", "nodes")
    );
    if most.cmp(&nodes) != wanted {
        return if wanted == std::cmp::Ordering::Greater {
            Check::Fine(detail)
        } else {
            Check::Senseless
        };
    }
    if wanted != std::cmp::Ordering::Greater {
        return Check::Fine(detail);
    }
    let setting = cx.setting(None);
    Case::new(
        format!(
            "{} aggregators work on {} nodes",
            number::thousands(most),
            number::thousands(nodes)
        ),
        detail,
        0.0,
    )
    .evidence("aggregators", most as f64, Quantity::Count)
    .evidence("nodes", nodes as f64, Quantity::Count)
    .advise(advice::aggregators(&setting, nodes))
    // Another check measures what that costs.
    .cause_if(false)
    .fired()
}
