//! S01, X01, X02, X03: data through streams of the C library.

use super::{Case, Check, Context, Detector, Feature, Pool, base, top_files};
use crate::advice;
use crate::finding::{Dimension, Level, Moment, Plot, Quantity};
use crate::model::{Direction, File, FileKind, Usage, Way};
use crate::number;

pub(super) static BYTES: Detector = Detector {
    code: "S01",
    slug: "stdio-bytes",
    dimension: Dimension::InterfaceChoice,
    highest: Level::High,
    what: "A large part of the data goes through streams of the C library.",
    condition: "Streams of a parallel program, except the standard ones, move more than \
                interface_stdio of all bytes and at least stdio_bytes.",
    why: "A stream has a small buffer, copies everything once more, and knows nothing of other \
          ranks.",
    fix: "Use MPI-IO or HDF5 for data that ranks share. Give the remaining streams a large buffer.",
    see: "https://man7.org/linux/man-pages/man3/setbuf.3.html",
    applies_to: &[Feature::Streams, Feature::Ranks],
    plots: &[Plot::Interfaces, Plot::Files],
    moment: Moment::WholeRun,
    check: bytes,
};

pub(super) static SLOW_TEXT: Detector = Detector {
    code: "X01",
    slug: "slow-text-output",
    dimension: Dimension::InterfaceChoice,
    highest: Level::High,
    what: "A stream takes much time for little data.",
    condition: "Reads, writes and seeks of a stream, except the standard ones, take at least \
                text_time of the run, with less than text_request bytes per operation. It \
                decides the verdict if a rank makes at least text_calls calls, seeks and \
                flushes. The advice \
                depends on whether calls only fill the buffer (they take less than \
                text_call_time on average) and on whether they write lines of text (less than \
                text_line bytes, of unlike sizes).",
    why: "Each flush is a trip to the file system, and so is each small operation on an \
          unbuffered stream. Operations on a buffered stream still cost a call and, for text, \
          formatting.",
    fix: "Give the stream a large buffer and flush it once per step. Write whole arrays, in \
          binary.",
    see: "https://man7.org/linux/man-pages/man3/setbuf.3.html",
    applies_to: &[Feature::Streams],
    plots: &[Plot::Files],
    moment: Moment::WholeRun,
    check: slow_text,
};

pub(super) static BIG_STDOUT: Detector = Detector {
    code: "X02",
    slug: "big-stdout",
    dimension: Dimension::Information,
    highest: Level::Warn,
    what: "The program prints much to standard output or error.",
    condition: "More than stream_bytes go to <STDOUT> or <STDERR>. A serial program that opened \
                a file, duplicated it and did nothing else with it does not count: the file took \
                the place of the stream.",
    why: "The launcher gathers what ranks print, line by line, through one process.",
    fix: "Print less, or let each rank write a log file on a local disk.",
    see: "https://man7.org/linux/man-pages/man3/setbuf.3.html",
    applies_to: &[Feature::Prints],
    plots: &[Plot::Files],
    moment: Moment::WholeRun,
    check: big_stdout,
};

pub(super) static ALL_RANKS: Detector = Detector {
    code: "X03",
    slug: "text-by-all-ranks",
    dimension: Dimension::InterfaceChoice,
    highest: Level::Warn,
    what: "All ranks write text in small pieces.",
    condition: "At least text_ranks ranks, and at least half of all, write through streams other \
                than the standard ones. They write less than text_request bytes per operation, \
                in more than text_operations operations.",
    why: "Thousands of small writes from many ranks reach the file system at once.",
    fix: "Let one rank collect and write, or use a format that ranks can write together.",
    see: "https://docs.nersc.gov/performance/io/",
    applies_to: &[Feature::Streams, Feature::Ranks],
    plots: &[Plot::Interfaces, Plot::Files],
    moment: Moment::WholeRun,
    check: all_ranks,
};

fn streams<'a>(cx: &Context<'a>) -> impl Iterator<Item = (&'a File, &'a Usage)> {
    // Without streams the answer is known at once.
    let files = if cx.run.stdio.files > 0 { &cx.run.files[..] } else { &[] };
    let data = files.iter().filter(|file| file.kind == FileKind::Data);
    data.filter_map(|file| file.stdio.as_deref().map(|usage| (file, usage)))
}

fn bytes(cx: &Context<'_>) -> Check {
    let (run, limits) = (cx.run, cx.limits);
    if !run.ranks_mean_something {
        return Check::Senseless;
    }
    let moved = run.stdio.sum.bytes();
    let below =
        run.posix.sum.bytes().max(run.mpiio.sum.bytes()).saturating_add(run.daos.sum.bytes());
    let all = moved.saturating_add(below);
    if all == 0 || run.stdio.files == 0 {
        return Check::Senseless;
    }
    let share = moved as f64 / all as f64;
    let mean = moved as f64 / run.stdio.sum.calls().max(1) as f64;
    let detail = format!(
        "{} of {} go through streams ({}), {} a call.",
        number::bytes(moved),
        number::bytes(all),
        number::percent(share),
        number::bytes(mean as u64)
    );
    if share <= limits.interface_stdio || (moved as f64) < limits.stdio_bytes {
        return Check::Fine(detail);
    }
    // Large pieces of files that each rank has for itself are as fast as any other way.
    let is_shared = streams(cx).any(|(file, _)| file.ranks(run.ranks) > 1);
    if mean >= limits.large_request && !is_shared {
        return Check::Fine(detail);
    }
    let title = format!("{} of all bytes go through streams", number::percent(share));
    let files = streams(cx).map(|(file, usage)| cx.share_of(file, usage.slowest_time(run.ranks)));
    let setting = cx.setting(None);
    let reads = run.stdio.way(Direction::Read).bytes > run.stdio.way(Direction::Write).bytes;
    let most = streams(cx).max_by_key(|(_, usage)| usage.bytes());
    let advice = if most.is_some_and(|(_, usage)| is_text(cx, usage)) {
        // Lines that are appended have no offset that a rank could know.
        advice::one_rank_prints(&setting, run.active_ranks)
    } else if reads {
        advice::collective_read(&setting, setting.library())
    } else {
        advice::collective_write(&setting, setting.library())
    };
    Case::new(title, detail, run.stdio.slowest.min(run.run_time))
        .evidence("bytes through streams", moved as f64, Quantity::Bytes)
        .evidence("all bytes", all as f64, Quantity::Bytes)
        .evidence("share", share, Quantity::Share)
        .files(top_files(files))
        .pool(Pool::Text)
        .advise(advice)
        .fired()
}

fn slow_text(cx: &Context<'_>) -> Check {
    let (run, limits) = (cx.run, cx.limits);
    let mut worst: Option<(f64, &File, &Usage)> = None;
    let mut files = Vec::new();
    let mut looked_at = 0;
    for (file, usage) in streams(cx) {
        looked_at += 1;
        let seconds = usage.slowest_part(stream_price(cx, usage), run.ranks);
        let operations = usage.calls().saturating_add(usage.rare().syncs).max(1);
        let mean = usage.bytes() as f64 / operations as f64;
        if run.share(seconds) >= limits.text_time && mean < limits.text_request {
            files.push(cx.share_of(file, seconds));
            if worst.is_none_or(|(most, ..)| seconds > most) {
                worst = Some((seconds, file, usage));
            }
        }
    }
    let Some((slowest, file, usage)) = worst else {
        return match looked_at {
            0 => Check::Senseless,
            _ => Check::Fine(format!(
                "Streams take {} of the run.",
                number::percent(run.share(run.stdio.slowest))
            )),
        };
    };
    // Ranks write their own files side by side.
    let all: f64 = files.iter().map(|file| file.seconds).sum();
    let seconds = all.min(run.stdio.slowest).max(slowest);
    let who = match usage.by_rank.as_slice() {
        [one] if run.ranks_mean_something => format!("Rank {} needs", one.rank),
        _ if run.ranks_mean_something => "Ranks need".to_owned(),
        _ => "The program needs".to_owned(),
    };
    let writes = usage.way(Direction::Write).time >= usage.way(Direction::Read).time;
    let verb = if writes { "write" } else { "read" };
    let is_text = is_text(cx, usage);
    let seeks = is_sought(usage);
    let what = if is_text { "of text" } else { "through a stream" };
    let title = if seeks {
        let seeks = number::counted(usage.seeks, "seek", "seeks");
        format!("{seeks} in {} throw the stream's buffer away", base(&file.name))
    } else {
        let bytes = number::bytes(usage.bytes());
        format!("{who} {} to {verb} {bytes} {what}", number::seconds(slowest))
    };
    let mean = number::bytes(usage.bytes() / usage.calls().max(1));
    let detail = format!(
        "{}: {} {} of {mean} on average, {} seeks, {} flushes.",
        base(&file.name),
        number::thousands(usage.calls()),
        match (usage.ways[0].calls, usage.ways[1].calls) {
            (0, _) => "writes",
            (_, 0) => "reads",
            _ => "reads and writes",
        },
        number::thousands(usage.seeks),
        number::thousands(usage.rare().syncs),
    );
    let setting = cx.setting(Some(file));
    let operations = usage.calls().saturating_add(usage.rare().syncs).saturating_add(usage.seeks);
    // Its calls format or parse in memory. That is computing, and no file is to blame.
    let is_computing = !seeks && is_buffered(cx, file, usage);
    Case::new(title, detail, seconds.min(run.run_time))
        .evidence("seconds", seconds, Quantity::Seconds)
        .evidence("bytes", usage.bytes() as f64, Quantity::Bytes)
        .evidence("calls", usage.calls() as f64, Quantity::Count)
        .evidence("flushes", usage.rare().syncs as f64, Quantity::Count)
        .files(top_files(files))
        .pool(Pool::Text)
        .advise(if seeks {
            advice::no_seeks(&setting, usage.seeks, usage.bytes())
        } else if !writes && !is_computing {
            advice::larger_reads(&setting, 1 << 20)
        } else if is_computing {
            advice::fewer_stream_calls(&setting, usage.calls(), usage.bytes(), is_text)
        } else if usage.rare().syncs > 0 {
            advice::text_output(&setting, usage.calls(), usage.bytes())
        } else {
            advice::buffer_writes(&setting, 1 << 20)
        })
        .phrase(if seeks { "seeks in a stream" } else { "small calls on a stream" })
        // A few slow calls tell of the file system, not of the stream.
        .cause_if(
            !is_computing
                && operations as f64 / usage.ranks(run.ranks).max(1) as f64 >= limits.text_calls,
        )
        .at_most(if is_computing { Level::Info } else { Level::High })
        .fired()
}

/// Seconds of a call that the buffer of a stream serves.
const BUFFERED_CALL: f64 = 25e-9;

/// True if most calls follow a seek, which throws the buffer away.
pub(crate) fn is_sought(usage: &Usage) -> bool {
    usage.seeks.saturating_mul(2) > usage.calls() && usage.calls() > 0
}

/// Seconds, all ranks together, that calls which a buffer serves would save. Opening and closing is
/// another matter.
fn stream_price(cx: &Context<'_>, usage: &Usage) -> f64 {
    let moved: f64 = Direction::BOTH
        .iter()
        .map(|way| cx.price_of_calls(usage, *way, usage.way(*way).calls, usage.way(*way).bytes))
        .sum();
    let others = usage.opens.saturating_mul(2).saturating_add(usage.seeks).max(1);
    let sought = match is_sought(usage) {
        true => usage.meta_time * usage.seeks as f64 / others as f64,
        false => 0.0,
    };
    (moved + sought - usage.calls() as f64 * BUFFERED_CALL).max(0.0)
}

/// True for lines of text: they are short and of unlike sizes. Binary numbers are all of one size.
fn is_text(cx: &Context<'_>, usage: &Usage) -> bool {
    let calls = usage.calls().max(1);
    let mean = usage.bytes() as f64 / calls as f64;
    mean < cx.limits.text_line && !usage.bytes().is_multiple_of(calls)
}

/// True if its calls do not wait for the storage, because they are too short or because the calls
/// below are large. A larger buffer would change nothing.
pub(crate) fn is_buffered(cx: &Context<'_>, file: &File, usage: &Usage) -> bool {
    let calls = usage.calls().max(1);
    let below = file.posix.as_deref().map(|posix| posix.way(Direction::Write));
    let is_large =
        |way: &Way| way.calls > 0 && way.bytes as f64 / way.calls as f64 >= cx.limits.text_request;
    // Flushes wait. They are counted apart.
    let is_flushed = usage.rare().syncs.saturating_mul(FLUSHES_APART) > calls;
    let is_short = usage.data_time() / (calls as f64) < cx.limits.text_call_time;
    !is_flushed && (is_short || below.is_some_and(is_large))
}

/// With fewer than one flush for this many calls, the buffer fills before it is emptied.
const FLUSHES_APART: u64 = 100;

fn big_stdout(cx: &Context<'_>) -> Check {
    let run = cx.run;
    let streams =
        run.files.iter().filter(|file| file.kind == FileKind::Stream && *file.name != *"<STDIN>");
    let mut files = Vec::new();
    let mut most: Option<(u64, &File)> = None;
    for file in streams {
        let bytes = file.bytes();
        files.push(cx.share_of(file, file.slowest_time(run.ranks)));
        if most.is_none_or(|(known, _)| bytes > known) {
            most = Some((bytes, file));
        }
    }
    let Some((bytes, file)) = most else { return Check::Senseless };
    let detail = format!("{} through {}.", number::bytes(bytes), file.name);
    if bytes as f64 <= cx.limits.stream_bytes {
        return Check::Fine(detail);
    }
    if let Some(target) = put_in_its_place(cx) {
        let name = base(&target.name);
        return Check::Fine(format!("{detail} They may end in {name}, which was duplicated."));
    }
    let seconds: f64 = files.iter().map(|file| file.seconds).fold(0.0, f64::max);
    let setting = cx.setting(None);
    let stream = if *file.name == *"<STDERR>" { "standard error" } else { "standard output" };
    let title = format!("{} go to {stream}", number::bytes(bytes));
    Case::new(title, detail, seconds.min(run.run_time))
        .evidence("bytes", bytes as f64, Quantity::Bytes)
        .files(top_files(files))
        .pool(Pool::Text)
        .advise(advice::quiet_stream(&setting, bytes))
        .fired()
}

/// True if a serial program opened a file, duplicated it and did nothing else with it. Its standard
/// stream goes to that file and is not printed.
fn put_in_its_place<'a>(cx: &Context<'a>) -> Option<&'a File> {
    let is_target = |file: &&File| {
        let dups = file.posix.as_deref().map_or(0, |usage| usage.rare().dups);
        dups > 0 && file.layers().all(|usage| usage.calls() == 0)
    };
    cx.run.data().find(is_target).filter(|_| !cx.run.ranks_mean_something)
}

fn all_ranks(cx: &Context<'_>) -> Check {
    let (run, limits) = (cx.run, cx.limits);
    if !run.ranks_mean_something || run.stdio.files == 0 {
        return Check::Senseless;
    }
    let way = run.stdio.way(Direction::Write);
    let by_all = streams(cx)
        .any(|(_, usage)| usage.reduced.is_some() && usage.way(Direction::Write).calls > 0);
    let ranks = if by_all {
        run.ranks
    } else {
        run.stdio.by_rank.values().filter(|rank| rank.written > 0).count() as u64
    };
    let mean = way.bytes as f64 / way.calls.max(1) as f64;
    let detail = format!(
        "{} write text, {} writes of {} on average.",
        number::counted(ranks, "rank", "ranks"),
        number::thousands(way.calls),
        number::bytes(mean as u64)
    );
    let fires = ranks as f64 >= limits.text_ranks
        && ranks.saturating_mul(2) >= run.active_ranks
        && way.calls as f64 > limits.text_operations
        && mean < limits.text_request;
    if !fires {
        return Check::Fine(detail);
    }
    let written = || streams(cx).filter(|(_, usage)| usage.way(Direction::Write).calls > 0);
    let files = written().map(|(file, usage)| cx.share_of(file, usage.slowest_time(run.ranks)));
    let seconds = cx.slowest_rank(written().map(|(_, usage)| (usage, usage.time())));
    let setting = cx.setting(None);
    Case::new(
        format!(
            "{} ranks write text, {} at a time",
            number::thousands(ranks),
            number::bytes(mean as u64)
        ),
        detail,
        seconds.min(run.run_time),
    )
    .evidence("ranks", ranks as f64, Quantity::Count)
    .evidence("writes", way.calls as f64, Quantity::Count)
    .evidence("bytes a write", mean, Quantity::Bytes)
    .files(top_files(files))
    .pool(Pool::Text)
    .advise(advice::one_rank_prints(&setting, ranks))
    .fired()
}
