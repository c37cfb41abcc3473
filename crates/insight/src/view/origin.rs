//! Where all of it comes from: the log itself.

use ioglass_log::Log;

/// A log, and what it is made of.
#[derive(Debug, Clone, PartialEq)]
pub struct Origin {
    /// Bytes.
    pub size: u64,
    /// The version of its format, such as `3.41`.
    pub format: String,
    /// The user's number.
    pub uid: i64,
    /// End of the job in seconds since 1970; 0 if not known.
    pub end: i64,
    /// Modules in it.
    pub modules: Vec<Part>,
}

/// A module of the log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    /// Its name.
    pub name: String,
    /// Its version.
    pub version: u32,
    /// Bytes in the log.
    pub bytes: u64,
    /// It lost records.
    pub is_partial: bool,
}

impl Origin {
    pub(super) fn of(log: &Log) -> Self {
        let modules = log.modules().filter(|info| info.extent.len > 0).map(|info| Part {
            name: match info.id.module() {
                Some(module) => module.name.to_owned(),
                None => format!("module {}", info.id.0),
            },
            version: info.version,
            bytes: info.extent.len,
            is_partial: info.partial,
        });
        let version = log.header().version;
        Self {
            size: log.size(),
            format: format!("{}.{:02}", version.major, version.minor),
            uid: log.job().uid,
            end: log.job().end_sec.max(0),
            modules: modules.collect(),
        }
    }
}
