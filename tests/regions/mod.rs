//! Regions: what an annotated program did is in its profile, call by call.

mod doctor;
mod ends;
mod figures;
mod findings;
mod limits;
mod paths;
mod processes;
mod ranks;
mod seen;
