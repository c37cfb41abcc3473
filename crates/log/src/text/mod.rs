//! Logs as text: the lines the reference tools print, and the way back.
//!
//! Data lines and `# key: value` lines are byte for byte those of `darshan-parser` and
//! `darshan-dxt-parser`; what explains them is worded here and derived from the tables.

mod head;
mod list;
mod number;
mod output;
mod parse;
mod trace;
mod zone;

pub use list::{ListOptions, list};
pub use output::Stop;
pub use parse::TextBuilder;
pub use trace::{TraceOptions, trace};
