//! A program under `ioglass run` does what it does without: same output, same status, same files.

mod allocators;
mod compare;
mod everyday;
mod interpreters;
mod process;
mod sanitizers;
mod shells;
mod system_calls;
