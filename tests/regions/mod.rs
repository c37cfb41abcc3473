//! Regions: what an annotated program did is in its profile, call by call.

mod alone;
mod ends;
mod figures;
mod flush;
mod limits;
mod paths;
mod processes;
mod ranks;
mod seen;
