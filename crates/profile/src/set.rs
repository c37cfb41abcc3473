//! Profiles that consist of several files: the parts of a manifest, the snapshots in a folder, or what
//! the processes of one job wrote each for itself.

use std::cell::RefCell;
use std::collections::HashMap;
use std::fmt;
use std::fs::File;
use std::io::{BufReader, Read};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use crate::build::{Places, rows};
use crate::model::{Head, Profile, RankKind, Row};
use crate::summary::Summary;
use crate::{Builder, Error, NoMemory, Problem, Reader};

/// A file that could not be opened.
#[derive(Debug)]
pub struct OpenError {
    /// The file.
    pub path: PathBuf,
    /// The reason.
    pub error: Error,
}

impl fmt::Display for OpenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.path.display(), self.error)
    }
}

impl std::error::Error for OpenError {}

/// A part of a profile that is missing.
#[derive(Debug)]
#[non_exhaustive]
pub enum SetProblem {
    /// A whole file.
    File(OpenError),
    /// A part of a file.
    Part(PathBuf, Problem),
}

impl fmt::Display for SetProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(error) => error.fmt(f),
            Self::Part(path, problem) => write!(f, "{}: {problem}", path.display()),
        }
    }
}

/// A file of a profile.
#[derive(Debug)]
struct Member {
    path: PathBuf,
    reader: Reader,
    places: Places,
    /// The own number of each region of the whole.
    own: HashMap<u32, u32>,
}

/// A profile in one file or several.
#[derive(Debug)]
pub struct Set {
    /// The paths as the user named them.
    named: Vec<PathBuf>,
    members: Vec<Member>,
    /// Without rows.
    profile: Profile,
    summaries: Vec<Summary>,
    problems: RefCell<Vec<SetProblem>>,
    /// True if no rank is in two files.
    has_own_ranks: bool,
    /// The only rank whose figures are of interest.
    rank: Option<u32>,
}

impl Set {
    /// Opens what the paths name: files, manifests, folders of snapshots. Those of one job become one
    /// profile. Errors are files that could not be opened at all.
    pub fn open(paths: &[PathBuf]) -> (Vec<Self>, Vec<OpenError>) {
        let (mut sets, mut errors): (Vec<Vec<(PathBuf, Reader)>>, _) = (Vec::new(), Vec::new());
        let mut named: Vec<Vec<PathBuf>> = Vec::new();
        let mut problems: Vec<Vec<SetProblem>> = Vec::new();
        let mut seen = Files::default();
        for path in paths {
            let (mut readers, mut own) = (Vec::new(), Vec::new());
            if let Err(error) = collect(path, &mut readers, &mut own) {
                errors.push(error);
                continue;
            }
            let count = readers.len();
            readers.retain(|(path, _)| seen.is_new(path));
            if readers.is_empty() && count > 0 {
                continue;
            }
            let Some((_, first)) = readers.first() else {
                // A manifest without any of its files.
                errors.extend(own.into_iter().filter_map(|problem| match problem {
                    SetProblem::File(error) => Some(error),
                    SetProblem::Part(..) => None,
                }));
                continue;
            };
            for (path, reader) in &readers {
                let elsewhere = reader.damage_elsewhere().into_iter();
                own.extend(elsewhere.map(|problem| SetProblem::Part(path.clone(), problem)));
            }
            let is_same = |set: &Vec<(PathBuf, Reader)>| {
                set.iter()
                    .any(|(_, other)| is_one_job(&other.profile().head, &first.profile().head))
            };
            match sets.iter().position(is_same) {
                Some(set) => {
                    sets[set].append(&mut readers);
                    problems[set].append(&mut own);
                    named[set].push(path.clone());
                }
                None => {
                    sets.push(readers);
                    problems.push(own);
                    named.push(vec![path.clone()]);
                }
            }
        }
        let mut found = Vec::new();
        for ((readers, problems), named) in sets.into_iter().zip(problems).zip(named) {
            // Refused memory would have ended the command already.
            if let Ok(set) = Self::of(readers, problems) {
                found.push(Self { named, ..set });
            }
        }
        (found, errors)
    }

    /// A profile in memory.
    pub fn of_profile(profile: &Profile) -> Result<Self, NoMemory> {
        let bytes = crate::write(profile, crate::Compression::None)?;
        let reader = Reader::of_bytes(bytes).map_err(|_| NoMemory)?;
        Self::of(vec![(PathBuf::new(), reader)], Vec::new())
    }

    fn of(
        readers: Vec<(PathBuf, Reader)>,
        mut problems: Vec<SetProblem>,
    ) -> Result<Self, NoMemory> {
        for (path, reader) in &readers {
            problems.extend(reader.problems().map(|own| SetProblem::Part(path.clone(), own)));
        }
        let mut members: Vec<Member> = readers
            .into_iter()
            .map(|(path, reader)| Member {
                path,
                reader,
                places: Places::default(),
                own: HashMap::new(),
            })
            .collect();
        let (profile, has_own_ranks) = match &mut members[..] {
            [only] => {
                only.places = Places {
                    regions: numbers(only.reader.profile().regions.len()),
                    processes: numbers(only.reader.profile().processes.len()),
                    metrics: numbers(only.reader.profile().metrics.len()),
                };
                // Regions may be many, and one copy of them is enough.
                let regions = only.reader.take_regions();
                (Profile { regions, ..only.reader.profile().clone() }, true)
            }
            _ => (join(&mut members)?, false),
        };
        for member in &mut members {
            member.own = member.places.regions.iter().copied().zip(0..).collect();
        }
        let mut set = Self {
            named: Vec::new(),
            members,
            profile,
            summaries: Vec::new(),
            problems: RefCell::new(problems),
            has_own_ranks,
            rank: None,
        };
        set.has_own_ranks |= set.ranks_are_apart();
        set.summarize()?;
        Ok(set)
    }

    /// Returns true if no rank is in two files.
    fn ranks_are_apart(&self) -> bool {
        let mut owners = HashMap::new();
        self.members.iter().enumerate().all(|(number, member)| {
            member.places.processes.iter().all(|process| {
                let rank = self.profile.processes[*process as usize].rank;
                *owners.entry(rank).or_insert(number) == number
            })
        })
    }

    fn summarize(&mut self) -> Result<(), NoMemory> {
        if let [only] = &mut self.members[..]
            && let Some(mut own) = only.reader.take_summaries()
        {
            for summary in &mut own {
                let read = std::mem::take(summary);
                // Adding puts in order what a file may tell in any.
                summary.add(&read)?;
            }
            self.summaries = own;
            return Ok(());
        }
        self.summaries = vec![Summary::default(); self.profile.regions.len()];
        let all = self.members.iter().all(|member| member.reader.summaries().is_some());
        if self.has_own_ranks && all {
            for member in &self.members {
                let own = member.reader.summaries().unwrap_or_default();
                for (summary, region) in own.iter().zip(&member.places.regions) {
                    let mut summary = summary.clone();
                    for metric in &mut summary.total.metrics {
                        metric.metric = member.places.metrics[metric.metric as usize];
                    }
                    summary.total.metrics.sort_by_key(|metric| metric.metric);
                    self.rename_ranks(member, &mut summary);
                    self.summaries[*region as usize].add(&summary)?;
                }
            }
            return Ok(());
        }
        for region in 0..self.profile.regions.len() as u32 {
            let rows = self.rows(region, true);
            self.summaries[region as usize] = Summary::of(&rows, &self.profile.processes)?;
        }
        Ok(())
    }

    /// Ranks in totals are those of the file; in the whole they may have other numbers.
    fn rename_ranks(&self, member: &Member, summary: &mut Summary) {
        if self.profile.head.rank_kind != RankKind::Process || self.members.len() == 1 {
            return;
        }
        let processes = &member.reader.profile().processes;
        let renamed = |rank: u32| {
            let own = processes.iter().position(|process| process.rank == rank);
            let place = own.and_then(|own| member.places.processes.get(own));
            place.map_or(rank, |place| self.profile.processes[*place as usize].rank)
        };
        summary.ranks.slowest = renamed(summary.ranks.slowest);
        summary.slowest.iter_mut().for_each(|slow| slow.rank = renamed(slow.rank));
    }

    /// Leaves out the figures of all other ranks.
    pub fn select_rank(&mut self, rank: u32) -> Result<(), NoMemory> {
        self.rank = Some(rank);
        for region in 0..self.profile.regions.len() as u32 {
            let rows = self.rows(region, true);
            self.summaries[region as usize] = Summary::of(&rows, &self.profile.processes)?;
        }
        Ok(())
    }

    /// The only rank whose figures are of interest, if one was selected.
    pub fn selected_rank(&self) -> Option<u32> {
        self.rank
    }

    /// The profile without its rows.
    pub fn profile(&self) -> &Profile {
        &self.profile
    }

    /// The totals of its regions.
    pub fn summaries(&self) -> &[Summary] {
        &self.summaries
    }

    /// The paths as the user named them.
    pub fn named(&self) -> &[PathBuf] {
        &self.named
    }

    /// Its files.
    pub fn paths(&self) -> impl Iterator<Item = &Path> {
        self.members.iter().map(|member| &*member.path)
    }

    /// What could not be read so far.
    pub fn take_problems(&self) -> Vec<SetProblem> {
        self.problems.take()
    }

    /// The rows of a region, with their iterations if they are wanted.
    pub fn rows(&self, region: u32, with_series: bool) -> Vec<Row> {
        let mut all = Vec::new();
        for member in &self.members {
            let Some(own) = member.own.get(&region) else { continue };
            let (list, problem) = member.reader.rows(*own, with_series);
            if let Some(problem) = problem {
                self.note(&member.path, problem);
            }
            if self.members.len() == 1 {
                all = list;
                break;
            }
            all.extend(list.into_iter().map(|mut row| {
                row.process = member.places.processes[row.process as usize];
                rows::rename_metrics(&mut row, &member.places.metrics);
                rows::tidy(&mut row);
                row
            }));
        }
        if rows::sort(&mut all).is_err() {
            all.clear();
        }
        if let Some(rank) = self.rank {
            all.retain(|row| self.profile.processes[row.process as usize].rank == rank);
        }
        all
    }

    /// Notes a problem, once for all regions in a section.
    fn note(&self, path: &Path, problem: Problem) {
        let mut problems = self.problems.borrow_mut();
        let is_known = |known: &SetProblem| match known {
            SetProblem::Part(known, other) => known == path && other.is_same_place(&problem),
            SetProblem::File(_) => false,
        };
        if !problems.iter().any(is_known) {
            problems.push(SetProblem::Part(path.into(), problem));
        }
    }

    /// The whole profile, as far as it is sound.
    pub fn whole(&self) -> Profile {
        let mut profile = self.profile.clone();
        for (region, number) in profile.regions.iter_mut().zip(0..) {
            region.rows = self.rows(number, true);
        }
        profile
    }
}

fn numbers(count: usize) -> Vec<u32> {
    (0..count as u32).collect()
}

/// Puts the trees of all files together.
fn join(members: &mut [Member]) -> Result<Profile, NoMemory> {
    let mut builder = Builder::default();
    for member in &mut *members {
        let mut skeleton = member.reader.profile().clone();
        // Siblings are in the order of their time, which is in the totals.
        for (region, summary) in
            skeleton.regions.iter_mut().zip(member.reader.summaries().unwrap_or_default())
        {
            region.rows.push(Row { time_ns: summary.total.time_ns, ..Row::default() });
        }
        member.places = builder.add_profile(skeleton)?;
    }
    let (mut profile, last) = builder.finish_with_places()?;
    profile.regions.iter_mut().for_each(|region| region.rows.clear());
    let follow = |list: &mut Vec<u32>, last: &[u32]| {
        list.iter_mut().for_each(|place| *place = last[*place as usize]);
    };
    for member in members {
        follow(&mut member.places.regions, &last.regions);
        follow(&mut member.places.processes, &last.processes);
        follow(&mut member.places.metrics, &last.metrics);
    }
    Ok(profile)
}

/// Files that were opened. One that is named twice, by itself and in a manifest, and a copy of one
/// count once.
#[derive(Default)]
struct Files(HashMap<u64, Vec<PathBuf>>);

impl Files {
    fn is_new(&mut self, path: &Path) -> bool {
        let Ok(size) = path.metadata().map(|found| found.len()) else { return true };
        let alike = self.0.entry(size).or_default();
        let is_new = alike.iter().all(|other| !is_same(path, other));
        if is_new {
            alike.push(path.into());
        }
        is_new
    }
}

/// Returns true if two files have the same bytes.
fn is_same(one: &Path, other: &Path) -> bool {
    let place = |path: &Path| path.metadata().map(|found| (found.dev(), found.ino())).ok();
    if place(one).is_some() && place(one) == place(other) {
        return true;
    }
    let open = |path: &Path| Some(BufReader::new(File::open(path).ok()?).bytes());
    let (Some(mut one), Some(mut other)) = (open(one), open(other)) else { return false };
    one.all(|byte| match (byte, other.next()) {
        (Ok(byte), Some(Ok(same))) => byte == same,
        _ => false,
    })
}

/// Opens a file, the files of a manifest or those in a folder.
fn collect(
    path: &Path,
    readers: &mut Vec<(PathBuf, Reader)>,
    problems: &mut Vec<SetProblem>,
) -> Result<(), OpenError> {
    let failed = |error| OpenError { path: path.into(), error };
    let mut files: Vec<PathBuf> = Vec::new();
    let mut manifest = None;
    if path.is_dir() {
        let entries = std::fs::read_dir(path).map_err(|error| failed(Error::Io(error)))?;
        let is_profile = |path: &PathBuf| path.extension().is_some_and(|end| end == "ioprof");
        files.extend(entries.filter_map(Result::ok).map(|entry| entry.path()).filter(is_profile));
        files.sort();
        if files.is_empty() {
            let kind = std::io::ErrorKind::NotFound;
            let error = std::io::Error::new(kind, "no profile is in this folder");
            return Err(failed(Error::Io(error)));
        }
    } else {
        let reader = Reader::open(path).map_err(failed)?;
        let Some(parts) = reader.parts() else {
            readers.push((path.into(), reader));
            return Ok(());
        };
        problems.extend(reader.problems().map(|own| SetProblem::Part(path.into(), own)));
        let folder = path.parent().unwrap_or(Path::new(""));
        files.extend(parts.iter().map(|part| folder.join(std::ffi::OsStr::from_bytes(&part.name))));
        manifest = Some(reader);
    }
    for (number, file) in files.into_iter().enumerate() {
        match Reader::open(&file) {
            Ok(reader)
                if manifest
                    .as_ref()
                    .is_some_and(|manifest| !is_part(&reader, manifest, number)) =>
            {
                let error = OpenError { path: file, error: Error::NotTheRanks };
                problems.push(SetProblem::File(error));
            }
            // A part is no manifest: that could go round in circles.
            Ok(reader) if reader.parts().is_none() => readers.push((file, reader)),
            Ok(_) => {}
            Err(error) => problems.push(SetProblem::File(OpenError { path: file, error })),
        }
    }
    Ok(())
}

/// Returns true if a file may be the part with this number of a manifest: it is of the job and has no
/// other ranks. Ranks that were never annotated leave a part that knows nothing of the job.
fn is_part(file: &Reader, manifest: &Reader, number: usize) -> bool {
    let parts = manifest.parts().unwrap_or_default();
    let Some(part) = parts.get(number) else { return false };
    let profile = file.profile();
    // The last one has ranks beyond those of the job, too.
    let is_last = number + 1 == parts.len();
    let end = part.first_rank.saturating_add(part.ranks);
    let is_known = manifest.problems().next().is_none() && !profile.processes.is_empty();
    let is_its = |rank: u32| rank >= part.first_rank && (is_last || rank < end);
    (!is_known || is_one_job(&manifest.profile().head, &profile.head))
        && profile.processes.iter().all(|process| is_its(process.rank))
}

/// Returns true if two files are of one job: the user, the scheduler's number and the size of the job
/// decide. Without a scheduler processes have numbers of their own; those that ran at the same time
/// belong together.
fn is_one_job(one: &Head, other: &Head) -> bool {
    let is_fixed = |head: &Head| head.rank_kind != RankKind::Process;
    if one.uid != other.uid || is_fixed(one) != is_fixed(other) {
        return false;
    }
    if is_fixed(one) {
        return (one.job, one.ranks) == (other.job, other.ranks);
    }
    let end = |head: &Head| head.started_ns.saturating_add(head.duration_ns);
    one.job == other.job || (one.started_ns <= end(other) && other.started_ns <= end(one))
}
