//! Runs as jobs of Slurm.
//!
//! A job runs `ioglass trial`, which makes the run as it is made on one machine and leaves its result as a
//! file. Slurm is only asked whether jobs are over. All jobs of a search have a folder, from which a search
//! that goes on finds them.

mod commands;
mod job;
mod make;

use std::collections::BTreeMap;
use std::fs::{self, DirBuilder};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;
use std::time::{Duration, Instant};

use ioglass_job::trial::{IfKilled, catch_interrupts};
use ioglass_tune::journal::{Outcome, Recorded};
use ioglass_tune::runner::{Request, Run, Runner, RunnerError};
use ioglass_tune::tuning::Seed;

use super::Machine;
use super::known::Known;
use super::local::id;
use super::trial::{Judge, Made, Order, cannot_make, work_folder};
use super::{best, live, question};
use crate::cli::Tune;
use crate::failure::{Failure, Message};
use commands::{Refused, Slurm, State, Submission};
use job::{Answer, Job};
pub(in crate::cmd) use make::make;

/// The shortest and the longest pause before the next look at the files of jobs.
const PAUSES: (Duration, Duration) = (Duration::from_millis(100), Duration::from_secs(2));
/// A pause is this part of the time that was waited so far.
const PART: u32 = 10;
/// The shortest time between two looks at the queue.
const LOOK: Duration = Duration::from_secs(1);
/// The result of a job that is over may be seen so much later.
const LATE: Duration = Duration::from_secs(5);
/// A job has so many seconds to end a run by itself.
const GRACE: f64 = 10.0;
/// Slurm may be away for so long.
const PATIENCE: Duration = Duration::from_secs(300);
/// Jobs that were cancelled, or have left their result, have so long to go.
const GONE: Duration = Duration::from_secs(45);
/// It is said of a job that it waits after so long.
const WAITS: Duration = Duration::from_secs(60);
/// A pause after which it is looked whether all is to end.
const SLICE: Duration = Duration::from_millis(50);

/// Runs the command in jobs of Slurm, with settings.
pub(super) struct SlurmRunner<'a> {
    args: &'a Tune,
    slurm: Slurm,
    judge: Judge<'a>,
    first: Order,
    known: Known,
    id: String,
    work: PathBuf,
    /// The folder of all jobs.
    root: PathBuf,
    /// Jobs by the number of their run.
    jobs: BTreeMap<u64, Job>,
    /// Jobs of the search before, by the number of their run.
    found: BTreeMap<u64, Job>,
    /// Names of jobs that may not be gone yet.
    leaving: Vec<String>,
    looked: Option<Instant>,
    away: Option<Instant>,
    /// Jobs are left alone at the end.
    is_left: bool,
}

impl<'a> SlurmRunner<'a> {
    /// Nothing is run yet. Jobs of a killed search with the same journal are found.
    pub(super) fn new(args: &'a Tune, recorded: Option<&Recorded>) -> Result<Self, Failure> {
        if let Some(name) = commands::missing() {
            let message = Message::new(format!("there is no {name}"))
                .evidence("The commands of Slurm have to be in PATH: sbatch, squeue and scancel.");
            return Err(Failure::bad_input(message));
        }
        let arguments = commands::words(args.slurm_args.as_deref().unwrap_or_default());
        let arguments = arguments.map_err(|problem| {
            Failure::usage(Message::new(format!("--slurm-args cannot be read: {problem}")))
        })?;
        let id = id(recorded);
        let work = work_folder(args.work.as_deref())?;
        let root = work.join(&id);
        catch_interrupts();
        fs::create_dir_all(&work).map_err(|error| cannot_make(&work, &error))?;
        DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(&root)
            .map_err(|error| cannot_make(&root, &error))?;
        let mut own = best::files(args);
        own.push(root.clone());
        let mut runner = SlurmRunner {
            args,
            slurm: Slurm::new(arguments),
            judge: Judge::new(args, recorded),
            first: Order::first(args, &own)?,
            known: Known::default(),
            id,
            work,
            root,
            jobs: BTreeMap::new(),
            found: BTreeMap::new(),
            leaving: Vec::new(),
            looked: None,
            away: None,
            is_left: false,
        };
        runner.find()?;
        Ok(runner)
    }

    /// Finds jobs that a killed search has left: those that go on, and those that have left a result.
    fn find(&mut self) -> Result<(), Failure> {
        let jobs = Job::all(&self.root);
        if jobs.is_empty() {
            return Ok(());
        }
        let names: Vec<String> = jobs.iter().map(Job::name).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let listed = self.slurm.list(&names).map_err(|refused| {
            // The next one may find them.
            self.is_left = true;
            Failure::bad_input(super::runner_message(&no_answer(&refused)))
        })?;
        for mut job in jobs {
            let own = listed.iter().find(|one| one.name == job.name());
            let lives = own.is_some_and(|one| one.state != State::Over);
            job.number = own.map(|one| one.number.clone()).or(job.number);
            let has_result = matches!(job.answer(), Some(Answer::Made(made)) if made.run.outcome != Outcome::Cancelled);
            if lives || has_result {
                self.found.insert(job.task.run, job);
            } else {
                // It may still be on its way into the queue.
                self.leaving.push(job.name());
            }
        }
        Ok(())
    }

    /// The job of a run: one that was found, or a new one.
    fn job(&mut self, run: u64, order: Order) -> Result<Job, RunnerError> {
        if let Some(job) = self.found.remove(&run) {
            let of = |order: &Order| (order.settings.clone(), order.is_default);
            if of(&job.task.order) == of(&order) {
                return Ok(job);
            }
            self.drop_job(&job);
        }
        Job::make(&self.root, run, order)
            .map_err(|error| RunnerError(format!("cannot make the files of a run: {error}")))
    }

    /// Submits a job, unless it was or all is to end. `is_patient`: waits for a controller that is away.
    fn submit(
        &mut self,
        job: &mut Job,
        is_patient: bool,
        stop: &AtomicBool,
    ) -> Result<(), Refusal> {
        let name = job.name();
        let begin = Instant::now();
        // A job that was found may have left its result before its number was noted.
        let is_over = job.answer().is_some();
        while job.number.is_none() && !is_over {
            if stop.load(Relaxed) {
                return Ok(());
            }
            let script = job.script().map_err(|error| Refusal::own(&error))?;
            let submission = Submission {
                name: &name,
                folder: &job.folder,
                script: &script,
                output: job::OUTPUT,
            };
            let number = match self.slurm.submit(&submission) {
                Ok(number) => Some(number),
                Err(refused) if !refused.is_away || !is_patient => {
                    return Err(Refusal::Sbatch(refused));
                }
                Err(refused) => {
                    self.be_patient(&refused).map_err(Refusal::Own)?;
                    sleep(begin, stop);
                    // It may have been taken before the answer was lost.
                    let listed = self.slurm.list(&[&name]).unwrap_or_default();
                    listed.into_iter().next().map(|one| one.number)
                }
            };
            if let Some(number) = number {
                self.away = None;
                job.submitted(number).map_err(|error| Refusal::own(&error))?;
            }
        }
        Ok(())
    }

    /// Slurm does not answer: fails if that has been so for too long.
    fn be_patient(&mut self, refused: &Refused) -> Result<(), RunnerError> {
        let since = *self.away.get_or_insert_with(|| {
            if !self.args.quiet {
                live::say("ioglass: Slurm does not answer; waiting up to 5 min for it");
            }
            Instant::now()
        });
        if since.elapsed() < PATIENCE {
            return Ok(());
        }
        self.is_left = true;
        Err(no_answer(refused))
    }

    /// Looks at the queue: which jobs are over.
    fn look(&mut self) -> Result<(), RunnerError> {
        let names: Vec<String> = self.jobs.values().map(Job::name).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        self.looked = Some(Instant::now());
        let listed = match self.slurm.list(&names) {
            Ok(listed) => listed,
            Err(refused) => return self.be_patient(&refused),
        };
        self.away = None;
        for job in self.jobs.values_mut().filter(|job| job.number.is_some()) {
            let own = listed.iter().find(|one| one.name == job.name());
            match own.map(|one| one.state) {
                None | Some(State::Over) => {
                    let word = own.map_or("Slurm knows it no more", |one| one.word.as_str());
                    job.over.get_or_insert_with(|| (Instant::now(), word.to_owned()));
                }
                Some(State::Waits) if job.since.elapsed() > WAITS && !job.is_said => {
                    job.is_said = true;
                    let reason = own.map(|one| one.reason.as_str()).unwrap_or_default();
                    if !self.args.quiet {
                        live::say(&format!(
                            "ioglass: {} waits in the queue: {reason}",
                            job.shown()
                        ));
                    }
                }
                Some(State::Waits | State::Runs) => {}
            }
        }
        Ok(())
    }

    /// Waits for the result of a job.
    fn wait(&mut self, run: u64, stop: &AtomicBool) -> Result<Made, RunnerError> {
        let begin = Instant::now();
        loop {
            if stop.load(Relaxed) {
                self.cancel_all();
                return Ok(Made::unmeasured(Outcome::Cancelled, question::now(), String::new()));
            }
            let late: Vec<u64> = self.jobs.keys().copied().collect();
            for one in late {
                self.end_if_late(one);
            }
            let Some(job) = self.jobs.get(&run) else {
                return Err(RunnerError("a job is lost".into()));
            };
            let was_over = job.over.as_ref().is_some_and(|over| over.0.elapsed() > LATE);
            let answer = job.answer();
            if answer.is_some() || was_over {
                return self.ended(run, answer);
            }
            if self.looked.is_none_or(|looked| looked.elapsed() > LOOK) {
                self.look()?;
            }
            sleep(begin, stop);
        }
    }

    /// Cancels a job whose run takes too long and that does not end it.
    fn end_if_late(&mut self, run: u64) {
        let Some(job) = self.jobs.get_mut(&run) else { return };
        let Some(limit) = job.task.order.limit() else { return };
        let is_late = job.runs_for().is_some_and(|seconds| seconds > limit + GRACE);
        if is_late && job.cancelled.is_none() {
            job.cancelled = Some(job.task.order.over(limit));
            // If that fails, the job still has the limit of its own.
            let _ = self.slurm.cancel(&job.name(), job.number.as_deref());
        }
    }

    /// What came of a job that has ended.
    fn ended(&mut self, run: u64, answer: Option<Answer>) -> Result<Made, RunnerError> {
        let Some(job) = self.jobs.remove(&run) else {
            return Err(RunnerError("a job is lost".into()));
        };
        let lines = job.last_lines();
        let failed = |what: &str| {
            let word = job.over.as_ref().map(|over| format!(" ({})", over.1)).unwrap_or_default();
            let note = format!("{} {what}{word}\n{lines}", job.shown());
            Made::unmeasured(Outcome::Failed, question::now(), note.trim_end().to_owned())
        };
        let mut made = match answer {
            Some(Answer::Made(made)) if made.run.outcome != Outcome::Cancelled => *made,
            Some(Answer::Error(text)) => {
                self.drop_job(&job);
                return Err(RunnerError(text));
            }
            Some(Answer::Made(_)) => failed("was cancelled"),
            None => failed("ended without a result"),
        };
        if let Some(outcome) = job.cancelled
            && made.run.outcome == Outcome::Failed
        {
            made = Made::unmeasured(outcome, question::now(), String::new());
            made.run.note = None;
            made.run.wall = job.task.order.limit().unwrap_or(0.0);
        }
        made.job = job.number.clone();
        self.leaving.push(job.name());
        job.remove();
        Ok(made)
    }

    /// A job that is not wanted any more.
    fn drop_job(&mut self, job: &Job) {
        // The end of the search looks once more.
        let _ = self.slurm.cancel(&job.name(), job.number.as_deref());
        self.leaving.push(job.name());
    }

    fn cancel_all(&mut self) {
        let jobs = std::mem::take(&mut self.jobs).into_values();
        let jobs: Vec<Job> = jobs.chain(std::mem::take(&mut self.found).into_values()).collect();
        for job in jobs {
            self.drop_job(&job);
        }
    }

    /// Waits until all jobs are gone. Those that are not are named.
    fn see_off(&mut self) {
        let begin = Instant::now();
        let mut pause = PAUSES.0;
        while !self.leaving.is_empty() {
            let names: Vec<&str> = self.leaving.iter().map(String::as_str).collect();
            let Ok(listed) = self.slurm.list(&names) else { break };
            self.leaving = listed
                .into_iter()
                .filter(|one| one.state != State::Over)
                .map(|one| one.name)
                .collect();
            if self.leaving.is_empty() || begin.elapsed() > GONE {
                break;
            }
            for name in &self.leaving {
                // It may have been submitted after it was cancelled.
                let _ = self.slurm.cancel(name, None);
            }
            std::thread::sleep(pause);
            pause = (pause * 2).min(LOOK);
        }
        for name in &self.leaving {
            live::say(&format!("ioglass: a job may go on; scancel --name={name} ends it"));
        }
    }
}

/// Ends the first job of a search that was killed, and removes its files.
fn end_first(name: &str, root: &Path) {
    // Commands are not given files in the place of the standard ones.
    let _standard = [0, 1, 2].map(|_| fs::File::open("/dev/null"));
    let slurm = Slurm::default();
    let begin = Instant::now();
    // It may be on its way into the queue.
    while begin.elapsed() < GONE {
        // Asking again is all that can be done if that fails.
        let _ = slurm.cancel(name, None);
        std::thread::sleep(LOOK);
        let listed = slurm.list(&[name]).unwrap_or_default();
        if !listed.is_empty() && listed.iter().all(|one| one.state == State::Over) {
            break;
        }
    }
    // Nobody is left to be told.
    let _ = fs::remove_dir_all(root);
    let _ = root.parent().map(fs::remove_dir);
}

/// A job was not submitted.
enum Refusal {
    /// sbatch says why.
    Sbatch(Refused),
    Own(RunnerError),
}

impl Refusal {
    fn own(error: &std::io::Error) -> Refusal {
        Refusal::Own(RunnerError(format!("cannot make the files of a run: {error}")))
    }
}

impl From<Refusal> for RunnerError {
    fn from(refusal: Refusal) -> RunnerError {
        match refusal {
            Refusal::Own(error) => error,
            Refusal::Sbatch(refused) if refused.is_away => no_answer(&refused),
            Refusal::Sbatch(refused) => {
                RunnerError(format!("sbatch does not take the job\n{}", refused.lines))
            }
        }
    }
}

/// Slurm does not answer.
fn no_answer(refused: &Refused) -> RunnerError {
    RunnerError(format!(
        "Slurm does not answer\n{}\nThe journal is kept; ioglass tune --resume goes on, with jobs that went \
         on meanwhile.",
        refused.lines
    ))
}

/// Waits a little, and longer the longer it was waited already. It ends when all is to end.
fn sleep(since: Instant, stop: &AtomicBool) {
    let pause = (since.elapsed() / PART).clamp(PAUSES.0, PAUSES.1);
    let begin = Instant::now();
    while begin.elapsed() < pause && !stop.load(Relaxed) {
        std::thread::sleep(SLICE);
    }
}

impl Machine for SlurmRunner<'_> {
    fn first(&mut self) -> Result<Option<(Known, Vec<Seed>)>, Failure> {
        let stop = catch_interrupts();
        let order = self.first.clone();
        let made = (|| {
            let mut job = self.job(1, order)?;
            // Without a journal nobody would find it again. If that fails, it goes on after a kill.
            let (name, root) = (job.name(), self.root.clone());
            let _end = IfKilled::prepare(|| end_first(&name, &root)).ok();
            // There is nothing to wait for yet.
            self.submit(&mut job, false, stop)?;
            self.jobs.insert(1, job);
            self.wait(1, stop)
        })();
        self.judge.first(made, stop)
    }

    fn learn(&mut self, known: &Known) {
        self.known = known.clone();
    }

    fn id(&self) -> String {
        self.id.clone()
    }
}

impl Runner for SlurmRunner<'_> {
    fn begin(&mut self, request: &Request<'_>) -> Result<(), RunnerError> {
        let order = self.first.later(request, &self.known);
        let mut job = self.job(request.run, order)?;
        // What is refused now, as too many jobs wait, may be taken when others are over.
        if let Err(Refusal::Own(error)) = self.submit(&mut job, false, request.stop) {
            return Err(error);
        }
        self.jobs.insert(request.run, job);
        Ok(())
    }

    fn run(&mut self, request: &Request<'_>) -> Result<Run, RunnerError> {
        if let Some(run) = self.judge.take_first(request) {
            return Ok(run);
        }
        let mut job = match self.jobs.remove(&request.run) {
            Some(job) => job,
            None => self.job(request.run, self.first.later(request, &self.known))?,
        };
        let submitted = self.submit(&mut job, true, request.stop);
        self.jobs.insert(request.run, job);
        submitted?;
        // All runs of a batch were begun: what was found beside them is not wanted any more.
        for job in std::mem::take(&mut self.found).into_values() {
            self.drop_job(&job);
        }
        let made = self.wait(request.run, request.stop)?;
        Ok(self.judge.judge(made, request))
    }
}

impl Drop for SlurmRunner<'_> {
    fn drop(&mut self) {
        if self.is_left {
            return;
        }
        self.cancel_all();
        self.see_off();
        // What cannot be removed is not ours any more.
        let _ = fs::remove_dir_all(&self.root);
        // Others may use it, too; then it is not empty and stays.
        let _ = fs::remove_dir(&self.work);
    }
}
