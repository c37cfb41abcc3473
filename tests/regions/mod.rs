//! Regions: what an annotated program did is in its profile, call by call. [`capabilities`] says
//! which test shows what, [`mistakes`] does so for what programs do wrong.

mod capabilities;
mod ends;
mod figures;
mod kills;
mod limits;
mod mistakes;
mod model;
mod paths;
mod probes;
mod processes;
mod random;
mod ranks;
mod seen;
