//! Spaces: the parameters of a search, their values and what they depend on.

mod argument;
mod axis;
mod file;
mod only;
mod parameter;
mod preset;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

pub use argument::argument;
pub use axis::Axis;
pub use file::read;
pub use only::only;
pub use parameter::{DEFAULT, Needs, Parameter};
pub use preset::{Machine, PRESETS, preset};

use crate::random::Random;

/// What differs from the default run: names of parameters, and canonical values.
pub type Settings = BTreeMap<String, String>;

/// A place in a space: for each parameter the place of its value.
pub type Point = Vec<u16>;

/// The most parameters of a space.
const MOST_PARAMETERS: usize = 64;
/// The most values of a parameter.
const MOST_VALUES: usize = 4096;
/// The most combinations of parameters on which others depend.
const MOST_COMBINATIONS: u64 = 1 << 20;

/// A reason why parameters make no space.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SpaceError {
    /// No parameter has two values.
    #[error("the space is empty: no parameter has two values to choose from")]
    Empty,
    /// More parameters than a search can have.
    #[error("the space has {0} parameters; {MOST_PARAMETERS} are the most")]
    Parameters(usize),
    /// More values than a parameter can have.
    #[error("{0} has {1} values; {MOST_VALUES} are the most")]
    Values(String, usize),
    /// A parameter is there twice.
    #[error("{0} is given twice")]
    Twice(String),
    /// A value is there twice.
    #[error("{0} has the value {1} twice")]
    ValueTwice(String, String),
    /// A condition names no parameter of the space.
    #[error("{0} depends on {1}, which is not in the space{hint}", hint = near(.2))]
    UnknownNeed(String, String, Option<String>),
    /// A condition names a value that its parameter does not have.
    #[error("{0} depends on {1} = {2}, which is none of its values")]
    UnknownNeedValue(String, String, String),
    /// Conditions depend on each other.
    #[error("conditions go round in a circle: {}", .0.join(", "))]
    Circle(Vec<String>),
    /// Too many combinations of conditions.
    #[error("too many parameters depend on each other; make fewer conditions")]
    Entangled,
    /// A tied parameter is searched itself or tied twice.
    #[error("{0} is tied to {1}, and is given a value elsewhere, too")]
    TiedTwice(String, String),
    /// A tie names no parameter, or its value is none.
    #[error("{0} is tied to {1}: {2}")]
    BadTie(String, String, String),
}

/// The end of an error message with the right name.
fn near(name: &Option<String>) -> String {
    name.as_ref().map(|name| format!("; did you mean {name}?")).unwrap_or_default()
}

/// A space.
#[derive(Debug, Clone)]
pub struct Space {
    parameters: Vec<Parameter>,
    axes: Vec<Axis>,
    /// For each parameter, what it depends on.
    needs: Vec<parameter::Dependencies>,
    /// Parameters such that each comes after those that it depends on.
    order: Vec<usize>,
    size: u64,
}

impl Space {
    /// The space of these parameters; of those with the same name the later one holds. Parameters with
    /// fewer than two values are left out.
    ///
    /// # Errors
    /// If they make no space.
    pub fn new(parameters: Vec<Parameter>) -> Result<Space, SpaceError> {
        let mut kept: Vec<Parameter> = Vec::new();
        for parameter in parameters {
            kept.retain(|earlier| earlier.name != parameter.name);
            kept.push(parameter);
        }
        if kept.len() > MOST_PARAMETERS {
            return Err(SpaceError::Parameters(kept.len()));
        }
        for parameter in &kept {
            parameter.check()?;
        }
        kept.retain(|parameter| parameter.values.len() > 1 || !parameter.searches_default());
        if kept.is_empty() {
            return Err(SpaceError::Empty);
        }
        parameter::check_ties(&kept)?;
        let axes: Vec<Axis> = kept.iter().map(Axis::new).collect();
        let needs = parameter::needs(&kept, &axes)?;
        let order = parameter::order(&kept, &needs)?;
        let mut space = Space { parameters: kept, axes, needs, order, size: 0 };
        space.size = space.count()?;
        if space.size < 2 && space.axes.iter().all(Axis::searches_default) {
            return Err(SpaceError::Empty);
        }
        Ok(space)
    }

    /// The parameters, in the order of a point's values.
    pub fn parameters(&self) -> &[Parameter] {
        &self.parameters
    }

    /// The axes, one per parameter.
    pub fn axes(&self) -> &[Axis] {
        &self.axes
    }

    /// The number of distinct settings that are searched.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// The point of the default run.
    pub fn default_point(&self) -> Point {
        self.axes.iter().map(|axis| axis.default).collect()
    }

    /// The parameter is searched at this point.
    pub fn is_active(&self, point: &[u16], parameter: usize) -> bool {
        self.needs[parameter].iter().all(|(other, values)| values.contains(&point[*other]))
    }

    /// Gives parameters that are not searched at this point their default: of points that mean the same,
    /// one is left.
    pub fn settle(&self, mut point: Point) -> Point {
        for &parameter in &self.order {
            if !self.is_active(&point, parameter) {
                point[parameter] = self.axes[parameter].default;
            }
        }
        point
    }

    /// A searcher may propose this point: it leaves nothing alone that must have a value.
    pub fn is_searched(&self, point: &[u16]) -> bool {
        (0..point.len()).all(|parameter| {
            point[parameter] < self.axes[parameter].searched || !self.is_active(point, parameter)
        })
    }

    /// A random point.
    pub fn random(&self, random: &mut Random) -> Point {
        let draw = |axis: &Axis| random.below(axis.searched.into()) as u16;
        self.settle(self.axes.iter().map(draw).collect())
    }

    /// All points that are searched, if they are at most `most`.
    pub fn all(&self, most: u64) -> Option<Vec<Point>> {
        if self.size > most {
            return None;
        }
        let mut points = vec![self.default_point()];
        for &parameter in &self.order {
            let axis = &self.axes[parameter];
            points = points
                .into_iter()
                .flat_map(|point| {
                    let values = if self.is_active(&point, parameter) {
                        0..axis.searched
                    } else {
                        axis.default..axis.default + 1
                    };
                    values.map(move |value| {
                        let mut point = point.clone();
                        point[parameter] = value;
                        point
                    })
                })
                .collect();
        }
        Some(points)
    }

    /// The settings that differ from the default run, with what is tied to them.
    pub fn settings(&self, point: &[u16]) -> Settings {
        self.chosen(point, |axis, value| value != axis.default)
    }

    /// All settings that are to be applied: also a default that is a value.
    pub fn applied(&self, point: &[u16]) -> Settings {
        self.chosen(point, |axis, value| axis.values[usize::from(value)] != DEFAULT)
    }

    fn chosen(&self, point: &[u16], is_chosen: impl Fn(&Axis, u16) -> bool) -> Settings {
        let mut settings = Settings::new();
        for (parameter, (axis, &value)) in self.axes.iter().zip(point).enumerate() {
            let text = &axis.values[usize::from(value)];
            if !is_chosen(axis, value) {
                continue;
            }
            settings.insert(self.parameters[parameter].name.clone(), text.clone());
            for (name, value) in self.parameters[parameter].tied(text) {
                settings.insert(name, value);
            }
        }
        settings
    }

    /// The point of settings that differ from the default run; none if it is not in the space.
    pub fn point(&self, settings: &Settings) -> Option<Point> {
        let mut point = self.default_point();
        for (parameter, axis) in self.axes.iter().enumerate() {
            if let Some(value) = settings.get(&self.parameters[parameter].name) {
                point[parameter] = axis.values.iter().position(|one| one == value)? as u16;
            }
        }
        (self.settings(&point) == *settings).then_some(point)
    }

    /// The place of a parameter of this name.
    pub fn place(&self, name: &str) -> Option<usize> {
        self.parameters.iter().position(|parameter| parameter.name == name)
    }

    /// The number of distinct settings: parameters on which others depend are counted out, the values of
    /// others multiply.
    fn count(&self) -> Result<u64, SpaceError> {
        let mut rules: Vec<usize> =
            self.needs.iter().flat_map(|needs| needs.iter().map(|(other, _)| *other)).collect();
        rules.sort_unstable();
        rules.dedup();
        let mut points = vec![self.default_point()];
        for &parameter in self.order.iter().filter(|parameter| rules.contains(parameter)) {
            let mut next = Vec::new();
            for point in points {
                let axis = &self.axes[parameter];
                let active = self.is_active(&point, parameter);
                let values = if active { 0..axis.searched } else { axis.default..axis.default + 1 };
                next.extend(values.map(|value| {
                    let mut point = point.clone();
                    point[parameter] = value;
                    point
                }));
                if next.len() as u64 > MOST_COMBINATIONS {
                    return Err(SpaceError::Entangled);
                }
            }
            points = next;
        }
        let others: Vec<usize> =
            (0..self.axes.len()).filter(|parameter| !rules.contains(parameter)).collect();
        Ok(points.iter().fold(0u64, |sum, point| {
            let settings = others.iter().fold(1u64, |product, &parameter| {
                let active = self.is_active(point, parameter);
                product.saturating_mul(if active {
                    self.axes[parameter].searched.into()
                } else {
                    1
                })
            });
            sum.saturating_add(settings)
        }))
    }
}

impl Space {
    /// How far two points are from each other: the parameters that differ, and a little for how much.
    pub fn apart(&self, one: &[u16], other: &[u16]) -> f64 {
        let axes = self.axes.iter().zip(one.iter().zip(other));
        axes.map(|(axis, (a, b))| {
            let steps = f64::from(a.abs_diff(*b)) / axis.values.len() as f64;
            if a == b { 0.0 } else { 1.0 + steps }
        })
        .sum()
    }
}
