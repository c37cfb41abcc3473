//! Regions: what an annotated program did is in its profile, call by call. [`capabilities`] says
//! which test shows what, [`mistakes`] does so for what programs do wrong.

mod alone;
pub(crate) mod capabilities;
mod doctor;
mod ends;
mod figures;
mod files;
mod findings;
mod flush;
mod kills;
mod limits;
mod mistakes;
mod model;
mod paths;
mod phases;
mod probes;
mod processes;
mod random;
mod ranks;
mod seen;
mod teams;
mod together;
