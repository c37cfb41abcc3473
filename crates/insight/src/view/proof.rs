//! The plots of a page that show a finding, and the part of each to look at.

use super::{MapMeasure, View, spot};
pub use crate::finding::Plot;
use crate::finding::{Finding, Moment};
use crate::model::{Direction, File, Run, Usage};
use crate::trace::Phase;

/// A plot in which a finding can be seen.
#[derive(Debug, Clone, PartialEq)]
pub struct Proof {
    /// The plot.
    pub plot: Plot,
    /// The seconds to look at.
    pub range: Option<(f64, f64)>,
    /// The ranks to look at; all if there are none.
    pub ranks: Vec<i64>,
    /// The part of a file.
    pub spot: Option<Spot>,
}

/// A part of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Spot {
    /// The file, a place in the list of traced files.
    pub file: usize,
    /// The interface.
    pub lane: &'static str,
    /// Reads or writes; none if it is about both.
    pub direction: Option<Direction>,
    /// The first byte and the one after the last; none if it is about all.
    pub bytes: Option<(u64, u64)>,
}

pub(super) fn of(view: &View<'_>, run: &Run, finding: &Finding) -> Vec<Proof> {
    let (plots, moment) = (finding.detector.plots, finding.detector.moment);
    let name = finding.files.list.first().map(|file| &*file.path);
    let file = name.and_then(|name| run.files.iter().find(|file| *file.name == *name));
    let place = file.and_then(|file| {
        let files = &view.traced.as_ref()?.files;
        files.iter().position(|traced| traced.id == file.id && traced.extent > 0)
    });
    let shows = &finding.shows;
    let range = shows.when.or_else(|| match moment {
        Moment::WholeRun => None,
        Moment::LongestTail => tail(run).map(|phase| (phase.begin, phase.end)),
        Moment::FileUse => file.and_then(|file| span(file, shows.direction)),
    });
    // If nothing tells more, the whole trace.
    let range = range.or_else(|| phases(run).filter(|_| moment != Moment::WholeRun));
    let ranks = ranks(view, finding);
    let spot = place.zip(view.traced.as_ref());
    let spot = spot.and_then(|(place, traced)| spot::of(traced, place, finding));
    let proof = |plot: &Plot| Proof {
        plot: *plot,
        ranks: if *plot == Plot::Time { ranks.clone() } else { Vec::new() },
        range: range.filter(|_| *plot == Plot::Time).map(|range| widened(range, view.span)),
        spot: if *plot == Plot::Space { spot } else { None },
    };
    // If a rank is known to stand out, its calls are proof as well.
    let calls = (!ranks.is_empty() && !plots.contains(&Plot::Time)).then_some(&Plot::Time);
    let drawn = plots.iter().chain(calls).filter(|plot| is_drawn(view, **plot, spot.is_some()));
    let proofs: Vec<Proof> = drawn.map(proof).collect();
    // Sums are always there.
    if proofs.is_empty() { vec![proof(&Plot::Interfaces)] } else { proofs }
}

/// Ranks of a finding whose calls are shown.
fn ranks(view: &View<'_>, finding: &Finding) -> Vec<i64> {
    let Some(traced) = &view.traced else { return Vec::new() };
    let is_shown = |rank: &i64| {
        let rank = u32::try_from(*rank).ok();
        rank.is_some_and(|rank| traced.lanes.iter().any(|lane| lane.rows.has(rank)))
    };
    let mut ranks: Vec<i64> = finding.ranks.list.iter().copied().filter(is_shown).collect();
    ranks.sort_unstable();
    ranks
}

/// True if the page has this plot of this run.
fn is_drawn(view: &View<'_>, plot: Plot, has_spot: bool) -> bool {
    match plot {
        Plot::Time => {
            view.traced.is_some() || view.heat.iter().any(|map| map.measure == MapMeasure::Bytes)
        }
        Plot::Heat => !view.heat.is_empty(),
        Plot::Space => has_spot,
        Plot::Ranks => !view.ranks.is_empty(),
        Plot::Requests | Plot::Interfaces | Plot::Files => true,
    }
}

/// The time from the first to the last access of a file, in one direction or both.
fn span(file: &File, direction: Option<Direction>) -> Option<(f64, f64)> {
    let is_meant = |way: Direction| direction.is_none_or(|direction| direction == way);
    let ways = file.layers().flat_map(|usage: &Usage| Direction::BOTH.into_iter().zip(&usage.ways));
    let ways = ways.filter(|(way, _)| is_meant(*way)).map(|(_, way)| way);
    let ways = ways.filter(|way| way.last > 0.0);
    let widen = |(begin, end): (f64, f64), way: &crate::model::Way| {
        (begin.min(way.first), end.max(way.last))
    };
    let (begin, end) = ways.fold((f64::INFINITY, 0.0), widen);
    (end > begin).then_some((begin, end))
}

/// From the first traced call to the last.
fn phases(run: &Run) -> Option<(f64, f64)> {
    let phases = &run.trace.as_ref()?.phases;
    Some((phases.first()?.begin, phases.last()?.end))
}

fn tail(run: &Run) -> Option<&Phase> {
    let phases = &run.trace.as_ref()?.phases;
    phases.iter().max_by(|a, b| a.tail().total_cmp(&b.tail()))
}

/// Adds a little before and after, within the run.
fn widened((begin, end): (f64, f64), span: f64) -> (f64, f64) {
    let air = 0.03 * (end - begin);
    ((begin - air).max(0.0), (end + air).min(span))
}
