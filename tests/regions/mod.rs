//! Regions: what an annotated program did is in its profile, call by call.

mod ends;
mod figures;
mod kills;
mod limits;
mod model;
mod paths;
mod processes;
mod random;
mod ranks;
mod seen;
