//! Regions: what an annotated program did is in its profile, call by call.

mod ends;
mod figures;
mod files;
mod limits;
mod paths;
mod phases;
mod processes;
mod ranks;
mod seen;
mod teams;
