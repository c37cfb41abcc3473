//! The genetic algorithm of the SC13 paper.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::{Ask, Birth, Cost, From, History, How, Searcher};
use crate::random::Random;
use crate::space::{Point, Space};

/// Probability that a pair of parents is crossed; else the children are copies.
const CROSSOVER: f64 = 0.9;
/// Probability that a gene is drawn again.
const MUTATION: f64 = 0.15;
/// The least and the largest such probability of a gene by its effect.
const BY_EFFECT: (f64, f64) = (0.02, 0.5);

/// Sizes of a genetic algorithm.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Population {
    /// Individuals of a generation.
    pub size: usize,
    /// Generations, the first of which is random.
    pub generations: u64,
    /// Individuals of a generation that replace children of the next, if they are better.
    pub elites: usize,
    /// Genes with more effect are drawn again more often. The paper's algorithm draws all alike.
    pub by_effect: bool,
}

impl Default for Population {
    fn default() -> Population {
        Population { size: 15, generations: 40, elites: 3, by_effect: false }
    }
}

/// The searcher `ga`.
#[derive(Debug)]
pub struct Ga {
    history: History,
    seed: u64,
    sizes: Population,
    /// The generation of which children are asked for, from 1.
    generation: u64,
    /// The parents of this generation; none before the second.
    parents: Vec<Individual>,
    /// Children that were told.
    told: Vec<Individual>,
    /// Children that are under way.
    under_way: usize,
}

#[derive(Debug, Clone)]
struct Individual {
    point: Point,
    /// The cost; none of a failure.
    cost: Option<f64>,
}

impl Individual {
    fn is_better(&self, other: &Individual) -> bool {
        match (self.cost, other.cost) {
            (Some(one), Some(other)) => one < other,
            (one, other) => one.is_some() && other.is_none(),
        }
    }
}

impl Ga {
    /// A searcher of a space.
    pub fn new(space: Arc<Space>, seed: u64, sizes: Population) -> Ga {
        let history = History::new(space);
        Ga {
            history,
            seed,
            sizes,
            generation: 1,
            parents: Vec::new(),
            told: Vec::new(),
            under_way: 0,
        }
    }

    /// The child of this place in the generation, and how it came to be. Each pair of children has its
    /// own numbers.
    fn child(&self, place: usize) -> (Point, Birth) {
        let space = &self.history.space;
        let number = self.generation * self.sizes.size as u64 + place as u64 / 2;
        let random = &mut Random::new(self.seed, "ga", number);
        let mut birth = Birth {
            generation: self.generation,
            individual: place as u64 + 1,
            parents: Vec::new(),
            cut: None,
            mutated: Vec::new(),
        };
        if self.parents.is_empty() {
            let mut point = space.random(random);
            for _ in 0..place % 2 {
                point = space.random(random);
            }
            return (point, birth);
        }
        let pair = [self.parent(random), self.parent(random)];
        let genes = space.axes().len();
        let is_crossed = random.unit() < CROSSOVER && genes > 1;
        let cut = 1 + random.below(genes.saturating_sub(1));
        let (first, second) = if place.is_multiple_of(2) { (0, 1) } else { (1, 0) };
        let mut point = self.parents[pair[first]].point.clone();
        birth.parents = vec![pair[first] as u64 + 1];
        if is_crossed {
            point[cut..].copy_from_slice(&self.parents[pair[second]].point[cut..]);
            birth.parents.push(pair[second] as u64 + 1);
            birth.cut = Some(cut as u64);
        }
        let random = &mut Random::new(self.seed, "mutation", number * 2 + place as u64 % 2);
        let chances = self.chances();
        for (gene, axis) in space.axes().iter().enumerate() {
            if random.unit() < chances[gene] {
                point[gene] = random.below(axis.searched.into()) as u16;
                birth.mutated.push(space.parameters()[gene].name.clone());
            }
        }
        (space.settle(point), birth)
    }

    /// For each gene the probability that it is drawn again. By effect they are as large on average: each
    /// has the part of the variance of costs that goes along with its values.
    fn chances(&self) -> Vec<f64> {
        let genes = self.history.space.axes().len();
        let even = vec![MUTATION; genes];
        if !self.sizes.by_effect {
            return even;
        }
        let logs = self.history.logs();
        let mean = logs.iter().sum::<f64>() / logs.len().max(1) as f64;
        let effects: Vec<f64> = (0..genes)
            .map(|gene| {
                let mut groups: BTreeMap<u16, (f64, f64)> = BTreeMap::new();
                for (seen, log) in self.history.seen().iter().zip(&logs) {
                    let group = groups.entry(seen.point[gene]).or_default();
                    *group = (group.0 + log, group.1 + 1.0);
                }
                groups.values().map(|(sum, count)| count * (sum / count - mean).powi(2)).sum()
            })
            .collect();
        let all = effects.iter().sum::<f64>();
        if all <= 0.0 {
            return even;
        }
        let chance = |effect: &f64| MUTATION * genes as f64 * effect / all;
        effects.iter().map(|effect| chance(effect).clamp(BY_EFFECT.0, BY_EFFECT.1)).collect()
    }

    /// A parent, by roulette: the faster, the more likely. Failures weigh what the worst does.
    fn parent(&self, random: &mut Random) -> usize {
        let costs = || self.parents.iter().filter_map(|one| one.cost);
        let (low, high) = (costs().fold(f64::MAX, f64::min), costs().fold(0.0, f64::max));
        let weight = |one: &Individual| match one.cost {
            Some(cost) => high + low - cost,
            None if low < f64::MAX => low,
            None => 1.0,
        };
        let mut ball = random.unit() * self.parents.iter().map(weight).sum::<f64>();
        let place = self.parents.iter().position(|one| {
            ball -= weight(one);
            ball < 0.0
        });
        place.unwrap_or(self.parents.len() - 1)
    }

    /// The children become parents; the best of their own parents replace the last of them if they are
    /// better.
    fn next_generation(&mut self) {
        let mut old = std::mem::take(&mut self.parents);
        self.parents = std::mem::take(&mut self.told);
        self.generation += 1;
        let costs = |one: &Individual| one.cost.unwrap_or(f64::INFINITY);
        old.sort_by(|a, b| costs(a).total_cmp(&costs(b)));
        let last = self.parents.len();
        for (place, elite) in old.into_iter().take(self.sizes.elites.min(last)).enumerate() {
            if elite.is_better(&self.parents[last - 1 - place]) {
                self.parents[last - 1 - place] = elite;
            }
        }
    }
}

impl Searcher for Ga {
    fn ask(&mut self, _: u64) -> Option<Ask> {
        if self.told.len() == self.sizes.size {
            self.next_generation();
        }
        if self.generation > self.sizes.generations {
            return None;
        }
        // The children of the next generation need their parents.
        if self.told.len() + self.under_way == self.sizes.size {
            return None;
        }
        let (mut point, birth) = self.child(self.told.len() + self.under_way);
        // What failed is not tried again: a random one takes its place.
        if self.history.is_bad(&point) {
            let number = birth.generation * self.sizes.size as u64 + birth.individual;
            point = self.history.untried(&mut Random::new(self.seed, "instead", number))?;
        }
        let from = From { how: How::Ga, codes: Vec::new(), birth: Some(birth) };
        Some(Ask { point, from })
    }

    fn pend(&mut self, point: &Point, from: &From) {
        self.under_way += usize::from(from.how == How::Ga);
        self.history.pend(point);
    }

    fn tell(&mut self, point: &Point, from: &From, cost: Cost) {
        self.history.tell(point, cost);
        let cost = match cost {
            Cost::Measured(cost) | Cost::AtLeast(cost) => Some(cost),
            Cost::Bad | Cost::Unknown => None,
        };
        match from.how {
            How::Ga => {
                if self.told.len() == self.sizes.size {
                    self.next_generation();
                }
                self.under_way = self.under_way.saturating_sub(1);
                self.told.push(Individual { point: point.clone(), cost });
            }
            // The same individual, run again as others took the machine.
            How::Again => {
                if let Some(same) = self.told.iter_mut().rev().find(|one| one.point == *point) {
                    same.cost = cost;
                }
            }
            _ => {}
        }
    }

    fn history(&self) -> &History {
        &self.history
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::space::Parameter;

    /// How often each gene is drawn again where only the first one matters.
    fn drawn(by_effect: bool) -> Vec<usize> {
        let values: Vec<String> = (0..8).map(|value| value.to_string()).collect();
        let values: Vec<&str> = values.iter().map(String::as_str).collect();
        let names = ["cmd.a", "cmd.b", "cmd.c", "cmd.d"];
        let parameters = names.iter().map(|name| Parameter::plain(name, &values)).collect();
        let space = Arc::new(Space::new(parameters).unwrap());
        let mut ga = Ga::new(space, 1, Population { by_effect, ..Population::default() });
        let mut counts = vec![0; names.len()];
        for n in 1..=600 {
            let ask = ga.ask(n).unwrap();
            for name in &ask.from.birth.as_ref().unwrap().mutated {
                counts[names.iter().position(|own| own == name).unwrap()] += 1;
            }
            let cost = 1.0 + f64::from(ask.point[0]);
            ga.tell(&ask.point, &ask.from, Cost::Measured(cost));
        }
        counts
    }

    #[test]
    fn f4_genes_with_effect_are_drawn_again_more_often() {
        let even = drawn(false);
        assert!(even.iter().all(|count| (60..120).contains(count)), "15 % of 585: {even:?}");
        let by_effect = drawn(true);
        let others = by_effect[1..].iter().max().unwrap();
        assert!(by_effect[0] > 2 * others, "{by_effect:?}");
    }
}
