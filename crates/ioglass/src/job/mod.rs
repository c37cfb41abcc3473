//! A job on this machine: where its captures lie, who of it lives, and how a log is made of it.

pub(crate) mod alive;
pub(crate) mod clock;
pub(crate) mod file;
pub(crate) mod harvest;
pub(crate) mod keeper;
pub(crate) mod launch;
pub(crate) mod launched;
pub(crate) mod leftover;
pub(crate) mod library;
pub(crate) mod mounts;
pub(crate) mod output;
pub(crate) mod parts;
pub(crate) mod place;
pub(crate) mod rooms;
pub(crate) mod sys;
pub(crate) mod together;
mod witness;
