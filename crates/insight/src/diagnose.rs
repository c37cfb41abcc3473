//! From a recording to its diagnosis.

use crate::causes;
use crate::detect::{self, Case, Check, Context, Detector, Feature, Pool};
use crate::finding::{
    Confidence, Diagnosis, Dimension, Finding, Level, Need, Role, Shows, State, Subject, Top,
    Warning,
};
use crate::model::{Exit, Run};
use crate::program::program;
use crate::recording::Recording;
use crate::regions::Regions;
use crate::threshold::Thresholds;
use crate::verdict::{self, Wording};

/// Shares of the run from which a finding is HIGH, and WARN.
const HIGH: f64 = 0.1;
const WARN: f64 = 0.01;
/// Less than this is never HIGH, however short the run.
const HIGH_SECONDS: f64 = 0.1;
/// Less than this is never worth a warning, and holds no run back.
const WARN_SECONDS: f64 = 0.01;
/// I/O below this share of the run is not worth anybody's time.
pub(crate) const LITTLE: f64 = 0.05;

/// The claims of a check that fired, beside its finding.
#[derive(Debug, Default)]
pub(crate) struct Claim {
    /// The kind of time its seconds are.
    pub(crate) pool: Pool,
    /// True if it names a cause.
    pub(crate) is_cause: bool,
    /// Its words in the verdict.
    pub(crate) wording: Wording,
}

impl Diagnosis {
    /// Diagnoses a recorded run.
    pub fn of(recording: &dyn Recording, thresholds: &Thresholds) -> Self {
        Self::of_run(&Run::with_limits(recording, thresholds), thresholds)
    }

    /// Diagnoses a run.
    pub fn of_run(run: &Run, thresholds: &Thresholds) -> Self {
        let context = Context { run, limits: thresholds };
        let (mut findings, mut others) = (Vec::new(), Vec::new());
        let mut claims = Vec::new();
        let mut warnings = run.warnings.clone();
        let regions = Regions::of(run);
        for detector in detect::ALL {
            let (finding, claim) = match known_trace(run, (detector.check)(&context)) {
                Check::Fired(mut case) => {
                    let warning = case.warning.take();
                    warnings.extend(warning.map(|text| Warning { text, marks: false }));
                    let sources = std::mem::take(&mut case.sources);
                    let (mut finding, claim) = fired(run, detector, *case);
                    if let Some(regions) = &regions {
                        regions.tell(&mut finding, claim.pool, &sources);
                    }
                    (finding, claim)
                }
                Check::Fine(why) => (fine(detector, why), Claim::default()),
                Check::NotCheckable(need) => {
                    let need = if is_unreadable(run, need) { Need::WholeLog } else { need };
                    let mut finding = Finding::empty(detector, State::NotCheckable);
                    finding.detail = need.remedy().to_owned();
                    finding.need = Some(need);
                    (finding, Claim::default())
                }
                Check::Senseless => {
                    let mut finding = Finding::empty(detector, State::Senseless);
                    finding.detail = Feature::first_missing(detector.applies_to, run).to_owned();
                    others.push(finding);
                    continue;
                }
            };
            findings.push(finding);
            claims.push(claim);
        }
        causes::assign(&context, &mut findings, &claims);
        causes::calm(&mut findings);
        causes::count_once(run, &mut findings, &claims);
        let verdict = verdict::of(&context, &findings, &claims);
        findings.sort_by(|a, b| {
            order(a).cmp(&order(b)).then(b.seconds_net.total_cmp(&a.seconds_net)).then(
                b.seconds_at_stake
                    .total_cmp(&a.seconds_at_stake)
                    .then(a.detector.code.cmp(b.detector.code)),
            )
        });
        let budget = verdict::budget(run);
        if budget.is_clamped {
            let text =
                "Records claim more seconds of I/O than the run has. Their times are scaled.";
            warnings.push(Warning { text: text.into(), marks: false });
        }
        warnings.extend(failure(run));
        findings.extend(others);
        Self {
            subject: subject(run),
            warnings,
            verdict,
            budget,
            moved: verdict::moved(run),
            place: verdict::place(run),
            findings,
            settings: run.settings.clone(),
        }
    }
}

/// The outcome of a check that asks for a trace, of a run that was traced: the trace has nothing for it, or
/// is cut off.
fn known_trace(run: &Run, check: Check) -> Check {
    let is_asked_for = matches!(check, Check::NotCheckable(Need::Trace));
    if !is_asked_for || !run.was_traced || is_unreadable(run, Need::Trace) {
        return check;
    }
    let ids = [ioglass_log::dxt::POSIX.id, ioglass_log::dxt::MPIIO.id];
    let is_cut = run.modules.iter().any(|module| module.is_partial && ids.contains(&module.id));
    if is_cut { Check::NotCheckable(Need::WholeTrace) } else { Check::Senseless }
}

/// True if the log has what a check needs, in a log region that cannot be read.
fn is_unreadable(run: &Run, need: Need) -> bool {
    use ioglass_log as log;
    let modules: &[&log::Module] = match need {
        Need::Trace => &[&log::dxt::POSIX, &log::dxt::MPIIO],
        Need::Heatmap => &[&log::heatmap::MODULE],
        Need::Hdf5 => &[&log::h5f::MODULE, &log::h5d::MODULE],
        Need::MpiIo => &[&log::mpiio::MODULE],
        Need::Lustre => &[&log::lustre::MODULE],
        Need::CompleteRecords
        | Need::CoresForRanks
        | Need::Mounts
        | Need::WholeLog
        | Need::WholeTrace => &[],
    };
    let is_cut = |id| run.modules.iter().any(|found| found.id == id && !found.is_read);
    modules.iter().any(|module| is_cut(module.id))
}

/// Causes, consequences and facts, what is fine, what could not be checked.
fn order(finding: &Finding) -> u8 {
    match (finding.state, finding.role) {
        (State::Fired, Some(Role::Primary)) => 0,
        (State::Fired, _) => 1,
        (State::Fine, _) => 2,
        (State::NotCheckable, _) => 3,
        (State::Senseless, _) => 4,
    }
}

impl Finding {
    /// A finding that says nothing yet.
    pub fn empty(detector: &'static Detector, state: State) -> Self {
        Self {
            detector,
            state,
            level: None,
            title: String::new(),
            detail: String::new(),
            evidence: Vec::new(),
            files: Top::default(),
            ranks: Top::default(),
            regions: Vec::new(),
            shows: Shows::default(),
            role: None,
            caused_by: None,
            seconds_at_stake: 0.0,
            seconds_net: 0.0,
            share: 0.0,
            confidence: Confidence::Derived,
            basis: "",
            is_incomplete: false,
            advice: Vec::new(),
            chart: None,
            need: None,
        }
    }
}

fn fine(detector: &'static Detector, why: String) -> Finding {
    let mut finding = Finding::empty(detector, State::Fine);
    finding.level = Some(Level::Ok);
    finding.detail = why;
    finding
}

fn fired(run: &Run, detector: &'static Detector, case: Case) -> (Finding, Claim) {
    let most = causes::capacity(run, case.pool).min(run.run_time);
    let seconds = if case.seconds.is_finite() { case.seconds.clamp(0.0, most) } else { 0.0 };
    let share = run.share(seconds);
    let by_stake = match share {
        _ if run.share(run.io_time()) < LITTLE => Level::Info,
        _ if share >= HIGH && seconds >= HIGH_SECONDS => Level::High,
        _ if share >= WARN && seconds >= WARN_SECONDS => Level::Warn,
        _ => Level::Info,
    };
    // A tool that copies or packs files does what it was told; its source is not the user's.
    let is_asked = run.tool().is_some() && detector.dimension != Dimension::Information;
    let is_incomplete = run.warnings.iter().any(|warning| warning.marks);
    let confidence = match case.confidence {
        // The missing data may be what matters.
        Confidence::Measured if is_incomplete => Confidence::Derived,
        confidence => confidence,
    };
    let finding = Finding {
        level: Some(
            if is_asked { Level::Info } else { by_stake }.min(detector.highest).min(case.most),
        ),
        title: case.title,
        detail: case.detail,
        evidence: case.evidence,
        files: case.files,
        ranks: case.ranks,
        shows: case.shows,
        seconds_at_stake: seconds,
        share,
        confidence,
        basis: case.basis,
        is_incomplete,
        advice: case.advice,
        chart: case.chart,
        ..Finding::empty(detector, State::Fired)
    };
    let is_little = !run.ranks_mean_something && seconds > 0.0 && seconds < WARN_SECONDS;
    let is_cause = case.is_cause && !is_asked && !is_little;
    (finding, Claim { pool: case.pool, is_cause, wording: case.wording })
}

/// The sentence that says how the program failed.
fn failure(run: &Run) -> Option<Warning> {
    let text = match run.exit? {
        Exit::Status(0) => return None,
        Exit::Status(status) => format!(
            "The program ended with exit status {status}. The report covers what it did until then."
        ),
        Exit::Signal(signal) => format!(
            "The program was ended by signal {signal}. The report covers what it did until then."
        ),
    };
    Some(Warning { text, marks: false })
}

fn subject(run: &Run) -> Subject {
    let has = |module| run.has(module);
    let has_trace = has(&ioglass_log::dxt::POSIX) || has(&ioglass_log::dxt::MPIIO);
    let is_traced = has_trace || run.was_traced;
    let is_empty = run.files.is_empty() && !has_trace;
    Subject {
        program: program(&run.command),
        command: run.command.clone(),
        ranks: run.ranks,
        rank_kind: run.rank_kind,
        run_time: if run.run_time > 1e-9 { run.run_time } else { 0.0 },
        jobid: run.jobid,
        start: run.start,
        recorder: run.recorder.clone(),
        is_complete: !run.warnings.iter().any(|warning| warning.marks),
        is_traced: if is_empty { None } else { Some(is_traced) },
        exit: run.exit,
        left_out: 0,
    }
}
