//! H08: functions of HDF5 that are out of date.

use super::{Case, Check, Context, Detector, Feature, base, datasets};
use crate::advice;
use crate::finding::{Dimension, Level, Moment, Plot, Quantity};
use crate::model::Dataset;
use crate::number;

pub(super) static DETECTOR: Detector = Detector {
    code: "H08",
    slug: "hdf5-deprecated",
    dimension: Dimension::Information,
    highest: Level::Info,
    what: "The program uses old functions of HDF5.",
    condition: "A function of HDF5 1.6 opened or created a dataset.",
    why: "They take no property lists, and property lists control most of what makes HDF5 fast.",
    fix: "Use the current functions, such as H5Dcreate2 and H5Dopen2.",
    see: "https://support.hdfgroup.org/documentation/hdf5/latest/api-compat-macros.html",
    applies_to: &[Feature::Hdf5],
    plots: &[Plot::Interfaces, Plot::Files],
    moment: Moment::WholeRun,
    check,
};

fn check(cx: &Context<'_>) -> Check {
    if !datasets::are_known(cx) {
        return Check::Senseless;
    }
    let old: Vec<&Dataset> =
        cx.run.datasets.iter().filter(|dataset| dataset.is_deprecated).collect();
    let Some(first) = old.first() else {
        return Check::Fine("Only current functions are used.".into());
    };
    let title = format!(
        "{} opened with functions of HDF5 1.6",
        number::counted(old.len() as u64, "dataset is", "datasets are")
    );
    Case::new(title, format!("One of them is {}.", base(&first.name)), 0.0)
        .evidence("datasets", old.len() as f64, Quantity::Count)
        .advise(advice::hdf5_current_calls(&cx.setting(None)))
        .fired()
}
