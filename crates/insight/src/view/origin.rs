//! The recording that everything comes from.

use crate::recording::{RecordedModule, Recording};

/// A recording, and the modules in it.
#[derive(Debug, Clone, PartialEq)]
pub struct Origin {
    /// Bytes.
    pub size: u64,
    /// Version of the log format, such as `3.41`; none if there is no log.
    pub format: Option<String>,
    /// The user's number.
    pub uid: i64,
    /// End of the job in seconds since 1970; 0 if not known.
    pub end: i64,
    /// Modules that have records.
    pub modules: Vec<OriginModule>,
}

/// A module of the recording.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OriginModule {
    /// Name.
    pub name: String,
    /// Version of its records.
    pub version: u32,
    /// Bytes of its records.
    pub bytes: u64,
    /// True if it lost records.
    pub is_partial: bool,
}

impl Origin {
    pub(super) fn of(recording: &dyn Recording) -> Self {
        let module = |module: RecordedModule| OriginModule {
            name: match module.id.module() {
                Some(known) => known.name.to_owned(),
                None => format!("module {}", module.id.0),
            },
            version: module.version,
            bytes: module.bytes,
            is_partial: module.is_partial,
        };
        let modules = recording.modules().into_iter().filter(|module| module.bytes > 0);
        Self {
            size: recording.size(),
            format: recording.format().map(|version| version.to_string()),
            uid: recording.job().uid,
            end: recording.job().end_sec.max(0),
            modules: modules.map(module).collect(),
        }
    }
}
