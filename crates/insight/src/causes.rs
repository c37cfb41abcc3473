//! Causes and consequences, and the counting of each second once.

use crate::detect::{self, Context, Pool};
use crate::diagnose::Claim;
use crate::finding::{Dimension, Finding, Level, Role, State};
use crate::model::Run;
use crate::name::Name;

/// If one of `causes` fired, `effects` follow from it and go away with it.
struct CauseRule {
    causes: &'static [&'static str],
    effects: &'static [&'static str],
    /// The condition that must hold besides.
    when: fn(&Facts) -> bool,
}

/// Facts about the run that rules ask for.
struct Facts {
    /// The commonest request in bytes.
    request: u64,
    /// One rank moves at least twice the mean, and in no small requests: a header is no imbalance.
    is_lopsided: bool,
}

const ALWAYS: fn(&Facts) -> bool = |_| true;
/// A page. Random or synchronous requests below it are small as well.
const PAGE: u64 = 4096;

/// Ways of moving data that need no change once the order is better or syncs are fewer.
const INTERFACE: &[&str] = &["C07", "C08", "M01", "M02", "M03", "H05", "S01"];
/// Everything about small requests.
const SIZE: &[&str] = &["A01", "A02", "A03", "P05", "P06", "P08", "P15", "P16", "H07"];
/// Ways of using one file together.
const SHARING: &[&str] = &["C07", "C08", "M01", "M02", "M03", "H05"];
/// Ranks that are unequal. If their bytes are, that is the program's own choice: it follows from no
/// interface, size or target.
const UNEQUAL: &[&str] = &["B01", "B02"];
/// Ranks that take unequal time.
const BALANCE: &[&str] = &["B01", "B02", "P18", "P19", "P21", "P22", "C03", "T03"];

/// Rules in order. A consequence is never a cause.
const RULES: &[CauseRule] = &[
    // A file that is emptied and saved again is opened for that.
    CauseRule { causes: &["A05"], effects: &["N01"], when: ALWAYS },
    // Files that hold almost nothing are opened. Their number and their requests follow from that.
    CauseRule {
        causes: &["N01"],
        effects: &[
            "N02", "N03", "A01", "A02", "A03", "P05", "P06", "P08", "P11", "P13", "P15", "P16",
            "P17", "A04", "A06", "X01", "X03", "S01",
        ],
        when: ALWAYS,
    },
    // Many small files are written in small pieces, and cost metadata.
    CauseRule {
        causes: &["N02"],
        effects: &[
            "N03", "A01", "A02", "A03", "P05", "P06", "P08", "P11", "P13", "P15", "P16", "P17",
        ],
        when: ALWAYS,
    },
    // Each file of each rank has to be made.
    CauseRule { causes: &["N03"], effects: &["P17"], when: ALWAYS },
    // One bad target explains slow I/O, and all ranks wait for it.
    CauseRule {
        causes: &["F01"],
        effects: &[
            "F02", "F03", "F04", "B01", "B02", "P17", "P18", "P19", "P21", "P22", "C03", "T03",
        ],
        when: ALWAYS,
    },
    // HDF5 reads whole chunks, so those that do not fit the access make it read too much.
    CauseRule { causes: &["H04"], effects: &["H03", "A04", "P09"], when: ALWAYS },
    CauseRule { causes: &["H04"], effects: SIZE, when: ALWAYS },
    // A layer decides what the layers below do.
    CauseRule { causes: &["H02"], effects: &["C02", "A05", "P10", "P21"], when: ALWAYS },
    CauseRule {
        causes: &["H01"],
        effects: &["C01", "C02", "P05", "P06", "P09", "P11", "P13", "P22", "A04"],
        when: ALWAYS,
    },
    CauseRule {
        causes: &["C01"],
        effects: &[
            "C02", "F05", "H07", "P05", "P06", "P08", "P09", "P11", "P13", "P15", "P16", "P22",
            "A04",
        ],
        when: ALWAYS,
    },
    CauseRule {
        causes: &["C05"],
        effects: &[
            "C02", "C06", "F05", "H07", "P08", "A01", "A02", "P05", "P06", "P15", "P16", "P21",
            "P22", "M09",
        ],
        when: ALWAYS,
    },
    CauseRule {
        causes: &["H06"],
        effects: &[
            "H07", "M02", "M03", "C01", "C07", "C08", "P08", "A04", "P09", "A01", "A02", "P05",
            "P11", "P15", "P22",
        ],
        when: ALWAYS,
    },
    // Random access: down to a page, no interface and no size would help.
    CauseRule { causes: &["P11", "P13"], effects: INTERFACE, when: ALWAYS },
    CauseRule { causes: &["P11", "P13"], effects: SIZE, when: |facts| facts.request >= PAGE },
    CauseRule {
        causes: &["P11", "P13"],
        effects: &["F02", "F05", "B01", "P18", "P19"],
        when: ALWAYS,
    },
    // A sync after each write makes the rest irrelevant.
    CauseRule { causes: &["A06"], effects: INTERFACE, when: ALWAYS },
    CauseRule { causes: &["A06"], effects: SIZE, when: |facts| facts.request >= PAGE },
    CauseRule {
        causes: &["A06"],
        effects: &["F02", "F05", "B01", "P18", "P19", "P17", "X01"],
        when: ALWAYS,
    },
    // The rank with most of the data is alone with it: no interface gives the others a part.
    CauseRule { causes: &["B02", "B01"], effects: SHARING, when: |facts| facts.is_lopsided },
    CauseRule { causes: &["C06"], effects: &["M09"], when: ALWAYS },
    // Ranks wait while scattered parts are sorted.
    CauseRule { causes: &["H11"], effects: &["C03", "C04"], when: ALWAYS },
    CauseRule { causes: &["H05"], effects: &["M02", "M03", "C07", "C08", "M01"], when: ALWAYS },
    CauseRule { causes: &["C07"], effects: &["M02", "M03", "M01", "C08"], when: ALWAYS },
    CauseRule { causes: &["C08"], effects: &["M01"], when: ALWAYS },
    CauseRule {
        causes: &["F02"],
        effects: &["F03", "B01", "B02", "P18", "P19", "P21", "P22"],
        when: ALWAYS,
    },
    // Small requests are told once.
    CauseRule {
        causes: &["A01"],
        effects: &["A02", "A03", "P05", "P06", "P08", "P15", "P16", "H07"],
        when: ALWAYS,
    },
    CauseRule { causes: &["A02"], effects: &["A03", "P05", "P06", "P15", "P16"], when: ALWAYS },
    CauseRule { causes: &["A04"], effects: &["P09"], when: ALWAYS },
    CauseRule { causes: &["A05"], effects: &["P10"], when: ALWAYS },
    CauseRule { causes: &["N01"], effects: &["P17"], when: ALWAYS },
    CauseRule { causes: &["X01"], effects: &["S01", "X03"], when: ALWAYS },
    // Imbalance of bytes is the cause of that of time.
    CauseRule { causes: &["B02"], effects: &["B01", "P18", "P19", "P21", "P22"], when: ALWAYS },
    CauseRule {
        causes: &["B01"],
        effects: &["P18", "P19", "P21", "P22", "C03", "T03"],
        when: ALWAYS,
    },
    // Competition for one file makes ranks unequal.
    CauseRule {
        causes: &["C07", "C08", "M02", "M03", "H05", "A01"],
        effects: BALANCE,
        when: ALWAYS,
    },
];

/// A finding with this part of the run is not hidden behind a cause that is worth less.
const HIDDEN: f64 = 0.05;
/// Seconds of a finding over those of its cause from which it stands by itself.
const MORE: f64 = 1.25;

/// Marks findings as causes, or as consequences of one.
pub(crate) fn assign(cx: &Context<'_>, findings: &mut [Finding], claims: &[Claim]) {
    let request = cx.run.posix.sum.common_size().map_or(0, |(size, _)| size);
    let facts = Facts { request, is_lopsided: request >= PAGE && detect::is_lopsided(cx) };
    let judged = |finding: &Finding| {
        finding.state == State::Fired && finding.detector.dimension != Dimension::Information
    };
    for (finding, claim) in findings.iter_mut().zip(claims) {
        if judged(finding) {
            finding.role = Some(if claim.is_cause { Role::Primary } else { Role::Secondary });
        }
    }
    for rule in RULES.iter().filter(|rule| (rule.when)(&facts)) {
        let place = |code: &str| {
            let place = findings.iter().position(|finding| finding.detector.code == code)?;
            (findings[place].role == Some(Role::Primary)).then_some(place)
        };
        let causes: Vec<usize> = rule.causes.iter().filter_map(|code| place(code)).collect();
        for index in 0..findings.len() {
            let finding = &findings[index];
            let code = finding.detector.code;
            if !rule.effects.contains(&code) || !judged(finding) || finding.caused_by.is_some() {
                continue;
            }
            let hides = |cause: &&usize| {
                let found = &findings[**cause];
                let is_given = facts.is_lopsided
                    && UNEQUAL.contains(&code)
                    && !UNEQUAL.contains(&found.detector.code);
                let apart = is_worth_more(cx.run, finding, found)
                    && are_apart((finding, claims[index].pool), (found, claims[**cause].pool));
                **cause != index && !is_given && !apart
            };
            let Some(cause) = causes.iter().find(hides).map(|cause| findings[*cause].detector.code)
            else {
                continue;
            };
            findings[index].role = Some(Role::Secondary);
            findings[index].caused_by = Some(cause);
            // A consequence is no louder than its cause.
            let cause = findings.iter().find(|finding| finding.detector.code == cause);
            let most = cause.and_then(|cause| cause.level);
            findings[index].level = findings[index].level.min(most);
        }
    }
}

/// True if a finding costs so much more than what would be its cause that it must be told.
fn is_worth_more(run: &Run, finding: &Finding, cause: &Finding) -> bool {
    run.share(finding.seconds_at_stake) >= HIDDEN
        && finding.seconds_at_stake > MORE * cause.seconds_at_stake
}

/// True if the seconds of two findings are in other operations, or in other files.
fn are_apart(a: (&Finding, Pool), b: (&Finding, Pool)) -> bool {
    let is_metadata = |pool: Pool| pool == Pool::Metadata;
    let is_text = |pool: Pool| pool == Pool::Text;
    let other_operations = is_metadata(a.1) != is_metadata(b.1)
        || is_text(a.1) != is_text(b.1)
        || matches!((a.1, b.1), (Pool::Read, Pool::Write) | (Pool::Write, Pool::Read));
    let [a, b] = [&a.0.files, &b.0.files];
    let are_known = [a, b].iter().all(|files| files.more == 0 && !files.list.is_empty());
    let is_in_b = |path: &Name| b.list.iter().any(|file| file.path == *path);
    other_operations || are_known && !a.list.iter().any(|file| is_in_b(&file.path))
}

/// Lowers the level of a finding that is no cause and follows from none. It is true of healthy runs
/// as well, so its seconds may not be avoidable. It is worth a look and never an alarm.
pub(crate) fn calm(findings: &mut [Finding]) {
    let is_open = |finding: &&mut Finding| {
        finding.role == Some(Role::Secondary) && finding.caused_by.is_none()
    };
    for finding in findings.iter_mut().filter(is_open) {
        finding.level = finding.level.map(|level| level.min(Level::Warn));
    }
}

/// Seconds that are left to be counted.
struct Left {
    read: f64,
    write: f64,
    metadata: f64,
    wait: f64,
    text: f64,
    library: f64,
    all: f64,
}

/// Seconds of the slowest rank that a finding about `pool` can be about at most.
pub(crate) fn capacity(run: &Run, pool: Pool) -> f64 {
    let posix = &run.all_posix;
    let io = run.io_time();
    let wait = (run.all_mpiio.slowest - posix.slowest).max(0.0) + run.daos.slowest;
    let most = match pool {
        Pool::Read => posix.slowest_read + wait,
        // The open and close around writes may be part of their price.
        Pool::Write => posix.slowest_write + posix.slowest_meta + wait,
        Pool::Data => posix.slowest_read + posix.slowest_write + wait,
        Pool::Metadata | Pool::Wait | Pool::Library => io,
        Pool::Text => run.all_stdio.slowest,
    };
    // A trace, or a library above, may have seconds that counters do not have.
    match (most > 0.0, io > 0.0) {
        (true, _) => most.min(io),
        (false, true) => io,
        (false, false) => run.run_time,
    }
}

/// Counts each second once, in the finding with most seconds, causes first.
pub(crate) fn count_once(run: &Run, findings: &mut [Finding], claims: &[Claim]) {
    let posix = &run.all_posix;
    let mut left = Left {
        read: posix.slowest_read,
        write: posix.slowest_write,
        metadata: posix.slowest_meta + run.all_mpiio.slowest_meta,
        wait: (run.all_mpiio.slowest - posix.slowest).max(0.0),
        text: run.all_stdio.slowest,
        library: run.above_hdf5 + run.above_pnetcdf,
        all: run.io_time(),
    };
    // DAOS is not below POSIX, and MPI-IO may be above something that is not recorded.
    let beyond = (run.io_time() - posix.slowest - left.wait - left.text - left.library).max(0.0);
    left.read += beyond;
    let mut order: Vec<usize> = (0..findings.len()).collect();
    order.sort_by(|a, b| {
        let (a, b) = (&findings[*a], &findings[*b]);
        let is_secondary = |finding: &Finding| finding.role != Some(Role::Primary);
        is_secondary(a)
            .cmp(&is_secondary(b))
            .then(b.seconds_at_stake.total_cmp(&a.seconds_at_stake))
            .then(a.detector.code.cmp(b.detector.code))
    });
    for index in order {
        let wanted = findings[index].seconds_at_stake.min(left.all);
        let taken = match claims[index].pool {
            // Where MPI-IO is above, all ranks wait for those that read and write.
            Pool::Read => take(&mut [&mut left.read, &mut left.wait], wanted),
            Pool::Write => take(&mut [&mut left.write, &mut left.wait, &mut left.metadata], wanted),
            Pool::Data => take(&mut [&mut left.write, &mut left.read, &mut left.wait], wanted),
            Pool::Metadata => {
                let pools =
                    &mut [&mut left.metadata, &mut left.write, &mut left.read, &mut left.text];
                take(pools, wanted)
            }
            Pool::Wait => take(&mut [&mut left.wait, &mut left.write, &mut left.read], wanted),
            Pool::Text => take(&mut [&mut left.text], wanted),
            Pool::Library => take(
                &mut [
                    &mut left.library,
                    &mut left.write,
                    &mut left.read,
                    &mut left.wait,
                    &mut left.metadata,
                ],
                wanted,
            ),
        };
        left.all -= taken;
        findings[index].seconds_net = taken;
    }
}

/// Takes seconds out of some pools, in order.
fn take(pools: &mut [&mut f64], wanted: f64) -> f64 {
    let mut taken = 0.0;
    for pool in pools {
        let part = (wanted - taken).min(**pool).max(0.0);
        **pool -= part;
        taken += part;
    }
    taken
}
