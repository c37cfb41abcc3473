//! Files on which ranks differ: the part that several checks share.

use super::{Check, Context, base};
use crate::finding::FileShare;
use crate::model::Usage;
use crate::number;

/// Files on which ranks differ by more than is allowed.
#[derive(Debug)]
pub(super) struct Unequal {
    /// All of them.
    pub(super) files: Vec<FileShare>,
    /// The last part of the name of the one that costs most.
    pub(super) name: String,
    /// The value of the rank with most there.
    pub(super) most: f64,
    /// The value of the rank with least there.
    pub(super) least: f64,
    /// The difference as a part of the most.
    pub(super) share: f64,
}

impl Unequal {
    /// Looks at each file that ranks use for themselves. `spread` gives the most and the least that
    /// a rank has of it. Without such a file, the error is the outcome of the check.
    pub(super) fn find(
        cx: &Context<'_>,
        limit: f64,
        spread: impl Fn(&Usage, u64) -> Option<(f64, f64)>,
    ) -> Result<Self, Check> {
        let run = cx.run;
        if !run.ranks_mean_something {
            return Err(Check::Senseless);
        }
        let mut found =
            Self { files: Vec::new(), name: String::new(), most: 0.0, least: 0.0, share: 0.0 };
        let (mut looked_at, mut worst) = (0_u64, (-1.0, 0.0));
        for file in run.shared() {
            // With collective buffering only aggregators touch the file, as intended.
            let is_collective = file.mpiio.as_deref().is_some_and(Usage::is_collective);
            let Some(usage) = file.posix.as_deref().filter(|_| !is_collective) else { continue };
            let Some((most, least)) = spread(usage, run.ranks) else { continue };
            looked_at += 1;
            let share = (most - least) / most;
            if most <= 0.0 || share <= limit {
                continue;
            }
            let mean = usage.time() / usage.ranks(run.ranks).max(1) as f64;
            let seconds = (usage.slowest_time(run.ranks) - mean).max(0.0);
            if (seconds, share) > worst {
                worst = (seconds, share);
                (found.share, found.most, found.least) = (share, most, least);
                base(&file.name).clone_into(&mut found.name);
            }
            found.files.push(cx.share_of(file, seconds));
        }
        match (looked_at, found.files.is_empty()) {
            (0, _) => Err(Check::Senseless),
            (_, false) => Ok(found),
            (_, true) => Err(Check::Fine(format!(
                "Ranks are alike on {}.",
                number::counted(looked_at, "file", "files")
            ))),
        }
    }

    /// Seconds that the slowest rank takes beyond the mean, on the file where that is most.
    pub(super) fn seconds(&self) -> f64 {
        self.files.iter().map(|file| file.seconds).fold(0.0, f64::max)
    }

    /// `; 3 files in all`, if there are several.
    pub(super) fn how_many(&self) -> String {
        match self.files.len() as u64 {
            0 | 1 => String::new(),
            files => format!("; {} in all", number::counted(files, "file", "files")),
        }
    }
}
