//! Style and scripts of the page of a profile: those of the report's page, and charts of its own.

use crate::html::assets;

/// The scripts, in an order in which each needs only those before it.
const SCRIPTS: [&str; 21] = [
    include_str!("../../../web/chart/numbers.js"),
    include_str!("../../../web/chart/colours.js"),
    include_str!("../../../web/chart/unpack.js"),
    include_str!("../../../web/chart/range.js"),
    include_str!("../../../web/chart/canvas.js"),
    include_str!("../../../web/chart/tip.js"),
    include_str!("../../../web/chart/gestures.js"),
    include_str!("../../../web/chart/bars.js"),
    include_str!("../../../web/chart/flame.js"),
    include_str!("../../../web/chart/matrix.js"),
    include_str!("../../../web/chart/series.js"),
    include_str!("../../../web/page/theme.js"),
    include_str!("../../../web/page/controls.js"),
    include_str!("../../../web/profile/model.js"),
    include_str!("../../../web/profile/address.js"),
    include_str!("../../../web/profile/tree.js"),
    include_str!("../../../web/profile/flame.js"),
    include_str!("../../../web/profile/ranks.js"),
    include_str!("../../../web/profile/steps.js"),
    include_str!("../../../web/profile/page.js"),
    include_str!("../../../web/profile/main.js"),
];

pub(crate) fn style() -> String {
    assets::STYLES.concat() + include_str!("../../../web/profile.css")
}

/// Returns all scripts as one.
pub(crate) fn script() -> String {
    assets::joined(&SCRIPTS)
}
