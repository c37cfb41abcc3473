//! One sentence on where the time went.

use ioglass_profile::Set;

use super::{Overview, WORTH, is_above, name, stands_out};
use crate::number::{digits, of, seconds};

/// The largest of: time in files, what could be saved by sharing work evenly, the largest own time.
pub(super) fn sentence(set: &Set, overview: &Overview) -> String {
    let regions = &set.profile().regions;
    let largest = |value: &dyn Fn(usize) -> f64| {
        (0..regions.len())
            .max_by(|one, other| value(*one).total_cmp(&value(*other)).then(other.cmp(one)))
    };
    let Some(own) = largest(&|region| overview.regions[region].itself) else {
        return "No region was entered.".into();
    };
    let whole = overview.seconds;
    let files = overview.budget.files;
    let cost = |region: usize| stands_out::uneven_cost(set, overview, region as u32).unwrap_or(0.0);
    // Of regions with nearly the same cost the innermost.
    let worst = largest(&cost).filter(|worst| cost(*worst) > 0.0).map(|worst| {
        let inner = (worst..regions.len()).filter(|region| {
            cost(*region) >= 0.9 * cost(worst) && is_above(regions, worst as u32, *region as u32)
        });
        inner.max_by_key(|region| overview.regions[*region].depth).unwrap_or(worst)
    });
    let uneven = worst.map_or(0.0, cost);
    let own_time = overview.regions[own].itself;
    let named = |region: usize| name(&regions[region]);
    if files >= own_time && files >= uneven && files > 0.0 {
        let most = largest(&|region| overview.regions[region].io)
            .filter(|region| overview.regions[*region].io > 0.0);
        let part = of(files, whole);
        return match most {
            Some(region) => {
                let io = digits(overview.regions[region].io);
                format!("Files take {part}, {io} of them in one region: {}.", named(region))
            }
            None => format!("Files take {part}, all of it outside the regions."),
        };
    }
    if let Some(worst) = worst.filter(|_| uneven >= own_time && uneven > 0.0) {
        let part = of(uneven, whole);
        return format!(
            "{} could save {part} at most, if its ranks shared the work evenly.",
            named(worst)
        );
    }
    let begin = match own_time > whole {
        false => format!("{} takes {}.", named(own), of(own_time, whole)),
        true => format!(
            "{} takes {} on all threads together, the run {}.",
            named(own),
            seconds(own_time),
            seconds(whole)
        ),
    };
    let files = seconds(files);
    match worst.filter(|_| uneven >= whole * WORTH && uneven > 0.0) {
        Some(worst) => format!(
            "{begin} {} is uneven, up to {}; files take {files}.",
            named(worst),
            seconds(uneven)
        ),
        None => format!("{begin} Nothing is uneven, files take {files}."),
    }
}
