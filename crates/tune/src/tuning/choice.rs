//! The choice among the candidates of the search.

use super::{Event, Stop, Tuning};
use crate::journal::{Outcome, Phase};
use crate::paired::median;
use crate::space::Point;

/// Rounds of the choice.
pub const CHOICE_ROUNDS: u64 = 3;

impl Tuning<'_> {
    /// Runs the candidates and the default in turn; the best median wins. None if all fail.
    pub(super) fn choose(&mut self, candidates: &[Point]) -> Result<Option<Point>, Stop> {
        let mut points = candidates.to_vec();
        points.push(self.plan.space.default_point());
        let of = CHOICE_ROUNDS * points.len() as u64;
        (self.event)(Event::Choosing { candidates: candidates.len(), runs: of });
        let mut costs: Vec<Vec<f64>> = vec![Vec::new(); points.len()];
        let mut is_bad = vec![false; points.len()];
        let mut runs = 0;
        for round in 1..=CHOICE_ROUNDS {
            for place in self.shuffled("choose", round, points.len()) {
                runs += 1;
                if !is_bad[place] {
                    let confirm = self.confirm(Phase::Choose, round, &points[place])?;
                    match (confirm.outcome, confirm.value) {
                        (Outcome::Ok, Some(value)) => {
                            costs[place].push(self.plan.objective.cost(value));
                        }
                        (Outcome::Disturbed, _) => {}
                        _ => is_bad[place] = true,
                    }
                }
                (self.event)(Event::Chosen { runs, of });
            }
        }
        let rate = |place: usize| {
            let mut costs = costs[place].clone();
            costs.sort_by(f64::total_cmp);
            median(&costs)
        };
        let winner = (0..candidates.len())
            .filter(|place| !is_bad[*place] && !costs[*place].is_empty())
            .min_by(|a, b| rate(*a).total_cmp(&rate(*b)));
        Ok(winner.map(|place| candidates[place].clone()))
    }
}
