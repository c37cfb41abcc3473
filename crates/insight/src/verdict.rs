//! The verdict on a run and the facts a report begins with.

use std::collections::{BTreeMap, BTreeSet};

use crate::detect::{Context, Pool};
use crate::diagnose::{Claim, LITTLE};
use crate::finding::{
    Budget, Dimension, Finding, Level, Moved, Outcome, Role, Spent, State, TimePart, Verdict, Where,
};
use crate::model::{Direction, Exit, File, FileKind, Run, Totals, Usage};
use crate::{number, unexplained};

/// A finding decides the sentence if it has this part of all avoidable seconds.
const DOMINANT: f64 = 0.6;
/// Parts of the time below this part of the run are not named.
const NAMED: f64 = 0.0005;
/// A direction with less than this part of the bytes is not spoken of.
const NEGLIGIBLE: f64 = 0.001;
/// File systems with less than these parts of all bytes and of all time are not named.
const USED_BYTES: f64 = 0.001;
const USED_TIME: f64 = 0.01;
/// Findings below this part of the run are not worth a sentence.
const WORTH: f64 = 0.01;

/// A direction with this part of the time names it.
const MOST: f64 = 0.9;
/// Calls that print have fewer bytes than this.
const PRINTED: u64 = 4096;

/// The words of a sentence that points to findings which decide nothing. The terminal adds the
/// option that shows these.
pub const SEE_NOTES: &str = "see the notes";

/// The words of a check in the verdict.
#[derive(Debug, Clone, Default)]
pub struct Wording {
    /// The verdict, should it decide: one sentence with the two numbers that matter.
    pub headline: Option<String>,
    /// The first step, should it decide, if that is one command: `stripe the output directory`.
    pub first_step: Option<&'static str>,
    /// Its name inside a sentence, if it is the only cause of its dimension.
    pub phrase: Option<&'static str>,
    /// A limit of a healthy verdict: `mapped files are read unseen`.
    pub caveat: Option<String>,
}

/// Judges the run by its findings and by what each of them says.
pub(crate) fn of(cx: &Context<'_>, findings: &[Finding], claims: &[Claim]) -> Verdict {
    let run = cx.run;
    let causes = || findings.iter().filter(|finding| finding.role == Some(Role::Primary));
    // An empty sum is -0.
    let avoidable = causes().map(|finding| finding.seconds_net).fold(0.0, |a, b| a + b);
    if let Some(sentence) = not_judgeable(run) {
        return Verdict {
            outcome: Outcome::NotJudgeable,
            dimensions: Vec::new(),
            sentence,
            avoidable: 0.0,
        };
    }
    let primary = || findings.iter().filter(|finding| finding.role == Some(Role::Primary));
    let found: BTreeSet<Dimension> = primary().map(|finding| finding.detector.dimension).collect();
    let dimensions: Vec<Dimension> = found.into_iter().collect();
    let io = run.io_time();
    let outcome = if dimensions.is_empty() { Outcome::Healthy } else { Outcome::HeldBack };
    let best = primary().max_by(|a, b| a.seconds_net.total_cmp(&b.seconds_net));
    let wording_of = |best: &Finding| {
        let code = best.detector.code;
        let index = findings.iter().position(|finding| finding.detector.code == code)?;
        Some(&claims.get(index)?.wording)
    };
    let words = best.and_then(wording_of).cloned().unwrap_or_default();
    let dominates = best.is_some_and(|best| best.seconds_net >= DOMINANT * avoidable);
    let headline = words.headline.filter(|_| dominates);
    if outcome == Outcome::Healthy && run.is_damaged {
        let sentence =
            "Not judgeable: the log is cut off or damaged; what is left shows nothing wrong.";
        let (outcome, sentence) = (Outcome::NotJudgeable, sentence.to_owned());
        return Verdict { outcome, dimensions, sentence, avoidable: 0.0 };
    }
    let caveat = claims.iter().find_map(|claim| claim.wording.caveat.as_deref());
    if outcome == Outcome::Healthy
        && let Some((outcome, sentence)) = not_healthy(cx, caveat, is_waited(run, findings, claims))
    {
        return Verdict { outcome, dimensions, sentence, avoidable: 0.0 };
    }
    let phrases = || phrases(&dimensions, findings, claims);
    let sentence = match (outcome, headline) {
        (Outcome::HeldBack, Some(headline)) if run.share(io) >= LITTLE => headline,
        (Outcome::HeldBack, _) if run.share(io) < LITTLE || run.share(avoidable) < WORTH => {
            format!(
                "I/O took {}: {}, but little is at stake.",
                number::of(io, run.run_time),
                phrases()
            )
        }
        (Outcome::HeldBack, _) => {
            let share = number::percent(run.share(io));
            let avoidable = number::of(avoidable, run.run_time);
            let end = match words.first_step {
                Some(step) => format!(". Start with one command: {step}."),
                None => format!(": {}.", phrases()),
            };
            format!("I/O took {share} of this run, up to {avoidable} avoidable{end}")
        }
        _ if run.share(io) < LITTLE => {
            let of_run = number::of(io, run.run_time);
            match many_starts(run) {
                Some(starts) => format!("Healthy. I/O took {of_run}. {starts}"),
                None => {
                    format!("Healthy. I/O took {of_run}; nothing here is worth your time.")
                }
            }
        }
        _ => {
            let noted =
                findings.iter().any(|f| f.state == State::Fired && f.level >= Some(Level::Warn));
            let share = number::percent(run.share(io));
            let of_run = number::of(io, run.run_time);
            if let Some(tool) = run.tool() {
                format!(
                    "Healthy. {tool} spent {share} of the run on files it was asked for ({of_run})."
                )
            } else if noted {
                format!(
                    "Nothing clearly holds it back. I/O took {share} of this run ({of_run}); {SEE_NOTES}."
                )
            } else {
                format!("Healthy. I/O took {share} of this run ({of_run}).")
            }
        }
    };
    Verdict { outcome, dimensions, sentence, avoidable }
}

/// A sentence on a run that may do little else than start processes, one after the other.
fn many_starts(run: &Run) -> Option<String> {
    let processes = run.processes.len();
    let each = run.run_time / processes.max(1) as f64;
    (processes >= MANY_PROCESSES && each < SHORT_PROCESS).then(|| {
        format!(
            "What takes time is likely the start of {} processes, one every {}.",
            number::thousands(processes as u64),
            number::short_seconds(each)
        )
    })
}

/// As many processes, each as short, may cost more to start than they do.
const MANY_PROCESSES: usize = 100;
const SHORT_PROCESS: f64 = 0.02;

/// True if a finding explains most of the I/O time by ranks that wait for each other, as they do in
/// collective calls.
fn is_waited(run: &Run, findings: &[Finding], claims: &[Claim]) -> bool {
    findings.iter().zip(claims).any(|(finding, claim)| {
        let is_most = finding.seconds_at_stake >= 0.5 * run.io_time();
        finding.state == State::Fired && claim.pool == Pool::Wait && is_most
    })
}

/// The reason why a run without a cause is not healthy, if there is one: it failed, much of it was
/// not seen, or much of its time is not explained.
fn not_healthy(
    cx: &Context<'_>,
    caveat: Option<&str>,
    is_waited: bool,
) -> Option<(Outcome, String)> {
    let run = cx.run;
    let of_run = number::of(run.io_time(), run.run_time);
    let failed = match run.exit {
        Some(Exit::Signal(signal)) => Some(format!("was ended by signal {signal}")),
        Some(Exit::Status(status)) if status >= 2 => Some(format!("failed with status {status}")),
        _ => None,
    };
    if let Some(failed) = failed {
        let sentence = format!(
            "Not judgeable: the program {failed}. Nothing it did until then holds it back (I/O {of_run})."
        );
        return Some((Outcome::NotJudgeable, sentence));
    }
    if let Some(caveat) = caveat {
        let sentence =
            format!("Not judgeable: nothing seen holds it back (I/O {of_run}), but {caveat}.");
        return Some((Outcome::NotJudgeable, sentence));
    }
    if run.tool().is_some() || is_waited || !unexplained::is_much(cx) {
        return None;
    }
    let lossy = run.modules.iter().filter(|module| module.is_partial);
    let names: Vec<&str> = lossy.filter_map(|lossy| lossy.id.module()).map(|it| it.name).collect();
    if !names.is_empty() {
        let sentence = format!(
            "Not judgeable: I/O took {} of this run ({of_run}), but records of {} are missing: \
             the recorder had no room for more files.",
            number::percent(run.share(run.io_time())),
            names.join(", ")
        );
        return Some((Outcome::NotJudgeable, sentence));
    }
    Some((Outcome::CauseUnknown, unexplained::sentence(run)))
}

/// `small requests and random access`.
fn phrases(dimensions: &[Dimension], findings: &[Finding], claims: &[Claim]) -> String {
    let phrase = |dimension: &Dimension| {
        let is_cause = |finding: &Finding| {
            finding.role == Some(Role::Primary) && finding.detector.dimension == *dimension
        };
        let all = findings.iter().zip(claims);
        let mut own =
            all.filter(|(finding, _)| is_cause(finding)).map(|(_, claim)| claim.wording.phrase);
        match (own.next().flatten(), own.next()) {
            (Some(phrase), None) => phrase,
            _ => dimension.phrase(),
        }
    };
    let words: Vec<&str> = dimensions.iter().map(phrase).collect();
    match words.as_slice() {
        [] => String::new(),
        [one] => (*one).to_owned(),
        [rest @ .., last] => format!("{} and {last}", rest.join(", ")),
    }
}

/// The reason why the run cannot be judged, if there is one.
fn not_judgeable(run: &Run) -> Option<String> {
    let has_data = run.data().any(|file| {
        file.layers()
            .any(|usage| usage.calls() + usage.opens + usage.stats + usage.rare().mmaps > 0)
    });
    if run.files.is_empty() && run.metadata.is_empty() {
        return Some("No I/O was recorded.".into());
    }
    if has_data || !run.metadata.is_empty() {
        return None;
    }
    let is_full = run.modules.iter().any(|module| module.is_partial);
    let startup = run.files.iter().filter(|file| file.kind == FileKind::Startup).count() as u64;
    if is_full {
        return Some(format!(
            "Not judgeable: the records were full after {} of start-up; the data never appears.",
            number::counted(startup, "file", "files")
        ));
    }
    None
}

/// The kind of time in streams, if one direction has most of it.
fn streams(totals: &Totals) -> Spent {
    let (reads, writes) = (totals.way(Direction::Read), totals.way(Direction::Write));
    // Where no call took time, as opens alone can, calls decide.
    let (read, write) = match reads.time + writes.time > 0.0 {
        true => (reads.time, writes.time),
        false => (reads.calls as f64, writes.calls as f64),
    };
    let is_printed = writes.bytes < PRINTED.saturating_mul(writes.calls);
    match MOST * (read + write) {
        0.0 => Spent::Streams,
        most if write >= most && is_printed => Spent::Text,
        most if write >= most => Spent::StreamWrites,
        most if read >= most => Spent::StreamReads,
        _ => Spent::Streams,
    }
}

/// The budget of the run time.
pub(crate) fn budget(run: &Run) -> Budget {
    let io = run.claimed_io_time();
    let is_clamped = io > run.run_time * 1.001;
    let scale = if is_clamped && io > 0.0 { run.run_time / io } else { 1.0 };
    let posix = &run.all_posix;
    let mut parts = Vec::new();
    let mut push = |on: Spent, seconds: f64| {
        if seconds > 0.0 {
            parts.push(TimePart { on, seconds: seconds * scale });
        }
    };
    if run.all_mpiio.slowest > posix.slowest {
        push(Spent::MpiIo, run.all_mpiio.slowest);
    } else {
        push(Spent::Read, posix.slowest_read);
        push(Spent::Write, posix.slowest_write);
        push(Spent::Metadata, posix.slowest_meta);
    }
    push(streams(&run.all_stdio), run.all_stdio.slowest);
    push(Spent::Hdf5, run.above_hdf5);
    push(Spent::Pnetcdf, run.above_pnetcdf);
    push(Spent::Read, run.daos.slowest_read);
    push(Spent::Write, run.daos.slowest_write);
    push(Spent::Metadata, run.daos.slowest_meta);
    let mut merged: Vec<TimePart> = Vec::new();
    for part in parts {
        match merged.iter_mut().find(|known| known.on == part.on) {
            Some(known) => known.seconds += part.seconds,
            None => merged.push(part),
        }
    }
    let rank = |part: &TimePart| u8::from(part.on == Spent::Metadata);
    merged.sort_by(|a, b| rank(a).cmp(&rank(b)).then(b.seconds.total_cmp(&a.seconds)));
    // Parts that are not worth a name count as outside.
    let all = merged.iter().map(|part| part.seconds).fold(0.0, f64::max);
    merged.retain(|part| part.seconds >= NAMED * run.run_time || part.seconds >= all);
    let io = io.min(run.run_time);
    let waiting = run.waiting.min(run.run_time - io);
    if waiting >= NAMED * run.run_time {
        merged.push(TimePart { on: Spent::Waiting, seconds: waiting });
    }
    let named: f64 = merged.iter().map(|part| part.seconds).sum();
    let outside = (run.run_time - named).max(0.0);
    merged.push(TimePart { on: Spent::Outside, seconds: outside });
    Budget { run_time: run.run_time, io, parts: merged, is_clamped }
}

/// The bytes and requests of the run.
pub(crate) fn moved(run: &Run) -> Moved {
    let by_mpiio = run.all_mpiio.slowest > run.all_posix.slowest && run.mpiio.sum.bytes() > 0;
    let (by, totals) = if by_mpiio { ("MPI-IO", &run.mpiio) } else { ("", &run.all_posix) };
    let mut moved = Moved {
        by,
        written: totals.way(Direction::Write).bytes,
        read: totals.way(Direction::Read).bytes,
        rate: None,
        requests: totals.sum.calls(),
        common_size: None,
    };
    let mut time = totals.slowest;
    if !by_mpiio {
        for other in [&run.stdio, &run.daos] {
            moved.written = moved.written.saturating_add(other.way(Direction::Write).bytes);
            moved.read = moved.read.saturating_add(other.way(Direction::Read).bytes);
            time += other.slowest;
        }
    }
    let all = moved.written.saturating_add(moved.read) as f64;
    // A few bytes of settings are not what the run is about.
    for (direction, amount) in
        [(Direction::Read, &mut moved.read), (Direction::Write, &mut moved.written)]
    {
        if (*amount as f64) < NEGLIGIBLE * all {
            *amount = 0;
            moved.requests = moved.requests.saturating_sub(totals.way(direction).calls);
        }
    }
    let told: u64 = totals.sum.common_sizes.iter().map(|(_, count)| count).sum();
    let common = totals.sum.common_size();
    // It says something if most requests have it, and most bytes are moved by them.
    let is_typical = |(size, count): &(u64, u64)| {
        let twice = count.saturating_mul(2);
        let is_most = twice > told && twice > moved.requests;
        is_most && twice as f64 * *size as f64 >= all
    };
    moved.common_size = common.filter(is_typical).map(|(size, _)| size);
    let bytes = moved.written.saturating_add(moved.read) as f64;
    if time > 1e-4 && bytes >= 1_048_576.0 {
        moved.rate = Some(bytes / time);
    }
    moved
}

/// The place of the files.
pub(crate) fn place(run: &Run) -> Where {
    let used = |file: &&File| file.layers().next().is_some();
    let is_file = |file: &&File| file.kind != FileKind::Stream;
    let mut files: Vec<&File> = run.files.iter().filter(is_file).filter(used).collect();
    let mut systems: BTreeMap<usize, (u64, f64)> = BTreeMap::new();
    for file in &files {
        // A file in DAOS lies on no mount, whatever its name.
        if let Some(mount) = file.mount.filter(|_| file.daos.is_none()) {
            let (bytes, time) = systems.entry(mount).or_default();
            *bytes = bytes.saturating_add(file.bytes());
            *time += file.layers().map(Usage::time).sum::<f64>();
        }
    }
    let bytes = systems.values().map(|(bytes, _)| *bytes as f64).sum::<f64>();
    let time = systems.values().map(|(_, time)| *time).sum::<f64>();
    systems.retain(|_, (own_bytes, own_time)| {
        *own_bytes as f64 >= USED_BYTES * bytes.max(1.0) || *own_time >= USED_TIME * time
    });
    if !systems.is_empty() {
        let is_there = |mount| systems.contains_key(&mount);
        files.retain(|file| file.daos.is_some() || file.mount.is_none_or(is_there));
    }
    let mut systems: Vec<(usize, (u64, f64))> = systems.into_iter().collect();
    systems.sort_by_key(|(mount, (bytes, _))| (std::cmp::Reverse(*bytes), *mount));
    let data: Vec<&File> =
        files.iter().copied().filter(|file| file.kind == FileKind::Data).collect();
    let (mut shared, mut own) = (0_u64, 0_u64);
    let (mut stripes, mut targets) = (BTreeSet::new(), BTreeSet::new());
    for file in &data {
        let (bytes, ranks) = (file.bytes(), file.ranks(run.ranks));
        shared += u64::from(run.ranks > 1 && ranks > 1);
        own += u64::from(bytes > 0 && ranks == 1);
        // One by one: they are few, while files may be very many.
        if let Some(layout) = &file.stripes {
            stripes.extend(layout.main(bytes).map(|part| part.count));
            let parts = layout.components.iter();
            parts.for_each(|part| targets.extend(part.targets.iter().copied()));
        }
    }
    let of_mount = |(mount, _): &(usize, _)| {
        (run.mounts[*mount].fs_type.clone(), run.mounts[*mount].path.clone())
    };
    let daos = files.iter().any(|file| file.daos.is_some());
    let daos = daos.then(|| ("daos".to_owned(), String::new()));
    Where {
        systems: daos.into_iter().chain(systems.iter().map(of_mount)).collect(),
        files: files.len() as u64,
        shared,
        one_per_rank: run.ranks_mean_something && own == run.ranks && own == files.len() as u64,
        stripes: (stripes.len() == 1).then(|| stripes.first().copied()).flatten(),
        targets: (!targets.is_empty()).then_some(targets.len() as u64),
        folder: common_folder(&data),
    }
}

/// The directory that holds all files; empty if that is the root.
fn common_folder(files: &[&File]) -> String {
    let mut folders = files.iter().map(|file| crate::detect::folder(&file.name));
    let Some(first) = folders.next() else { return String::new() };
    let mut common = first;
    for folder in folders {
        while !(folder == common
            || folder.strip_prefix(common).is_some_and(|rest| rest.starts_with('/')))
        {
            match common.rfind('/') {
                Some(slash) if slash > 0 => common = &common[..slash],
                _ => return String::new(),
            }
        }
    }
    if common == "/" || common == "." { String::new() } else { common.to_owned() }
}

/// The highest level among findings; consequences do not count by themselves.
pub fn worst(findings: &[Finding]) -> Option<Level> {
    let fired = findings.iter().filter(|finding| finding.state == State::Fired);
    fired.filter(|finding| finding.role != Some(Role::Secondary)).filter_map(|f| f.level).max()
}
