//! Profiles as text: for people, for programs, for tables.

pub mod convert;
mod deep;
pub mod json;
pub mod page;
pub mod rows;
pub mod table;
pub mod terminal;

use ioglass_insight::profile::Sort;
use ioglass_profile::Set;

pub use deep::{TooDeep, TooWide};

/// A dimension by which figures are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum By {
    /// By rank.
    Rank,
    /// By thread.
    Thread,
    /// By execution.
    Execution,
    /// By iteration.
    Iteration,
}

impl By {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Rank, Self::Thread, Self::Execution, Self::Iteration];

    /// Its word.
    pub fn word(self) -> &'static str {
        match self {
            Self::Rank => "rank",
            Self::Thread => "thread",
            Self::Execution => "execution",
            Self::Iteration => "iteration",
        }
    }

    /// The dimensions of a list such as `rank,thread`, or of `all`.
    pub fn list(text: &str) -> Result<Vec<Self>, String> {
        if text == "all" {
            return Ok(Self::ALL.to_vec());
        }
        let mut list = Vec::new();
        for word in text.split(',').filter(|word| !word.is_empty()) {
            match Self::ALL.into_iter().find(|by| by.word() == word) {
                Some(by) => list.push(by),
                None => {
                    return Err(format!(
                        "{word} is none of rank, thread, execution, iteration, all"
                    ));
                }
            }
        }
        list.sort();
        list.dedup();
        Ok(list)
    }
}

/// What of a profile is shown, and how.
#[derive(Debug, Clone)]
pub struct Selection {
    /// Dimensions of rows.
    pub by: Vec<By>,
    /// The only region that is shown, with those below it.
    pub only: Option<u32>,
    /// Levels that are shown.
    pub depth: Option<usize>,
    /// Order of siblings.
    pub sort: Sort,
}

impl Default for Selection {
    fn default() -> Self {
        Self { by: vec![By::Rank], only: None, depth: None, sort: Sort::Time }
    }
}

impl Selection {
    /// The regions that are shown, in order.
    pub fn regions(&self, set: &Set) -> Vec<u32> {
        ioglass_insight::profile::select(set, self.only, self.depth, self.sort)
    }

    /// Returns true if figures are shown by this dimension.
    pub fn has(&self, by: By) -> bool {
        self.by.contains(&by)
    }
}
