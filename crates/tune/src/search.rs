//! Searchers: what to try next, given what came of what was tried.

mod cholesky;
mod ga;
mod gp;
mod history;
mod impact;
mod latin;
mod surrogate;
mod tpe;

use std::sync::Arc;

use serde::{Deserialize, Serialize};

pub use ga::{Ga, Population};
pub use gp::Gp;
pub use history::{Cost, History};
pub use impact::Impact;
pub use latin::Latin;
pub use surrogate::Surrogate;
pub use tpe::Tpe;

use crate::space::{Point, Space};

/// A searcher. All its randomness is counted by the number of the ask, so that the same answers lead to
/// the same questions, whether they were just given or are read from a journal.
pub trait Searcher: std::fmt::Debug + Send {
    /// The next point to try; none if nothing is left, or if what is under way has to be told first. `n`
    /// counts asks, from 1.
    fn ask(&mut self, n: u64) -> Option<Ask>;

    /// Says that a point is under way: it will be told later. Points that are under way are told before the
    /// next batch of asks begins.
    fn pend(&mut self, point: &Point, from: &From);

    /// Tells what came of a point, of this searcher or another.
    fn tell(&mut self, point: &Point, from: &From, cost: Cost);

    /// What was told.
    fn history(&self) -> &History;
}

/// A point to try.
#[derive(Debug, Clone, PartialEq)]
pub struct Ask {
    /// The point.
    pub point: Point,
    /// Who proposes it, and why.
    pub from: From,
}

/// Who proposed a point, and why.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct From {
    /// The way.
    pub how: How,
    /// Codes of the findings whose advice it is.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub codes: Vec<String>,
    /// How an individual of a genetic algorithm came to be.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub birth: Option<Birth>,
}

/// How an individual of a genetic algorithm came to be.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Birth {
    /// The generation, from 1.
    pub generation: u64,
    /// The place in the generation, from 1.
    pub individual: u64,
    /// The places of the parents in the generation before.
    #[serde(default)]
    pub parents: Vec<u64>,
    /// The number of genes that come from the first parent; none for a copy.
    pub cut: Option<u64>,
    /// Genes that were drawn again.
    #[serde(default)]
    pub mutated: Vec<String>,
}

/// A way in which a point is proposed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum How {
    /// The default run.
    #[default]
    Default,
    /// Advice of a finding.
    Advice,
    /// Settings that helped a similar program.
    Motif,
    /// A first sample.
    Init,
    /// At random.
    Random,
    /// By a Gaussian process.
    Gp,
    /// By densities of good and bad values.
    Tpe,
    /// By a genetic algorithm.
    Ga,
    /// One parameter after the other.
    Impact,
    /// The best of the generation before.
    Elite,
    /// Again, as others took the machine.
    Again,
}

impl How {
    /// The word of journals.
    pub const fn name(self) -> &'static str {
        match self {
            How::Default => "default",
            How::Advice => "advice",
            How::Motif => "motif",
            How::Init => "init",
            How::Random => "random",
            How::Gp => "gp",
            How::Tpe => "tpe",
            How::Ga => "ga",
            How::Impact => "impact",
            How::Elite => "elite",
            How::Again => "again",
        }
    }
}

impl From {
    /// A way without details.
    pub fn how(how: How) -> From {
        From { how, ..From::default() }
    }
}

/// A kind of searcher.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    /// A Gaussian process.
    Gp,
    /// Densities of good and bad values.
    Tpe,
    /// The paper's genetic algorithm.
    Ga,
    /// A Latin hypercube.
    Random,
    /// One parameter after the other.
    Impact,
}

impl Method {
    /// All kinds.
    pub const ALL: [Method; 5] =
        [Method::Gp, Method::Tpe, Method::Ga, Method::Random, Method::Impact];

    /// The name that people type.
    pub const fn name(self) -> &'static str {
        match self {
            Method::Gp => "gp",
            Method::Tpe => "tpe",
            Method::Ga => "ga",
            Method::Random => "random",
            Method::Impact => "impact",
        }
    }

    /// A searcher of this kind.
    pub fn searcher(
        self,
        space: Arc<Space>,
        seed: u64,
        population: Population,
    ) -> Box<dyn Searcher> {
        match self {
            Method::Gp => Box::new(Gp::new(space, seed)),
            Method::Tpe => Box::new(Tpe::new(space, seed)),
            Method::Ga => Box::new(Ga::new(space, seed, population)),
            Method::Random => Box::new(Latin::new(space, seed)),
            Method::Impact => Box::new(Impact::new(space, seed)),
        }
    }
}
