//! Settings files: values for parameters of the I/O stack, and to what they apply.
//!
//! A file is TOML, or the XML of the SC13 paper. [`Settings::read`] reads one with all that it includes,
//! checks every name and value against the table of [`ioglass_param`], and puts the rules in the order of
//! precedence. [`Settings::flat`] is the line for the library, [`Settings::environment`] and
//! [`Settings::placeholders`] are what the command itself fills in, [`Settings::to_toml`] and
//! [`Settings::to_xml`] write files.
//!
//! ```
//! use ioglass_settings::Settings;
//!
//! let settings = Settings::parse("[mpiio]\ncb_nodes = 4\n", "my.toml").unwrap();
//! assert_eq!(settings.flat().unwrap(), "ioglass-settings/1;@;mpiio.cb_nodes=4");
//! ```
//!
//! Invariants: a file is untrusted; nothing panics, waits on a pipe, or takes more than a few times the
//! size of the file. All problems of a file are collected, each with its place. The crate prints nothing.

mod argument;
mod output;
mod precedence;
mod problem;
mod read;
mod rule;
mod toml;
mod xml;

#[cfg(test)]
mod tests;

pub use argument::argument;
pub use output::{Unsayable, quoted};
pub use problem::{Problem, Problems};
pub use read::load;
pub use rule::{Origin, Rule, Setting, Settings, TooLong, refused_variable};
