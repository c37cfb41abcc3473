//! Settings of the I/O stack that do what an advice says, where the log proves that they do no harm.

use std::fmt::Display;

use ioglass_param::{Param, hdf5, libc, mpiio};

use super::Setting;
use crate::finding::{Advice, AdvisedSetting};

/// The chunks that are tried first.
const LEAST_CHUNK: u64 = 256 << 10;
const LARGEST_CHUNK: u64 = 16 << 20;
/// A buffer that still fits into the cache of a core.
const STREAM_BUFFER: u64 = 256 << 10;
/// The buffer of interpreters, which copy less.
const BLOCK_SIZE: u64 = 1 << 20;

impl Advice {
    /// Adds a setting if the log proves its conditions: for all files, else for the file of the
    /// advice.
    pub(super) fn set(mut self, setting: &Setting, param: &Param, value: impl Display) -> Self {
        let text = value.to_string();
        // A number of this run may be out of the parameter's range.
        let Ok(value) = param.kind.parse(&text) else { return self };
        let value = value.to_string();
        let file = if setting.proven_of_all.allows(param, &value).is_ok() {
            None
        } else if setting.proven.allows(param, &value).is_ok() && is_plain(&setting.target.path) {
            Some(setting.target.path.clone())
        } else {
            return self;
        };
        let name = param.to_string();
        self.settings.push(AdvisedSetting { name, value, file, variable: None });
        self
    }

    /// Adds collective transfers of HDF5, unless there are some.
    pub(super) fn set_collective(self, setting: &Setting) -> Self {
        if setting.proven_of_all.has_collective_hdf5 {
            return self;
        }
        self.set(setting, &hdf5::TRANSFER, "collective")
    }

    /// Adds the settings that make each part of a dataset one piece of the file, if its datasets are
    /// written in parts.
    pub(super) fn set_chunks(self, setting: &Setting) -> Self {
        let Some(part) = setting.target.part else { return self };
        let bytes = 1 << part.clamp(LEAST_CHUNK, LARGEST_CHUNK).ilog2();
        let before = self.settings.len();
        let advice = self.set(setting, &hdf5::FILL_TIME, "never");
        // With fill values every chunk would be written twice.
        if advice.settings.len() == before {
            return advice;
        }
        advice.set(setting, &hdf5::CHUNK_BYTES, bytes)
    }

    /// Adds the number of aggregators, and what lets ROMIO have so many.
    pub(super) fn set_aggregators(self, setting: &Setting, nodes: u64) -> Self {
        let list = format!("*:{nodes}");
        self.set(setting, &mpiio::CB_NODES, nodes).set(setting, &mpiio::CB_CONFIG_LIST, list)
    }

    /// Adds larger buffers of the program's streams, or of the interpreter that runs it.
    pub(super) fn set_buffers(self, setting: &Setting) -> Self {
        self.set(setting, &libc::STDIO_BUFFER, STREAM_BUFFER).set(
            setting,
            &libc::BLOCK_SIZE,
            BLOCK_SIZE,
        )
    }
}

/// True for a path that stands for itself as a pattern of files.
fn is_plain(path: &str) -> bool {
    !path.is_empty()
        && !path.contains(['*', '?', '[', ']', '\\'])
        && !path.contains(char::is_control)
}
