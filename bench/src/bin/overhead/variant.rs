//! What the driver runs under.

use std::ffi::OsString;
use std::path::Path;

/// One way to run the driver.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Variant {
    /// Without a recorder.
    Bare,
    /// Our library loaded, not asked to record.
    Off,
    /// Our library alone.
    Ours,
    /// Our library alone, with a trace.
    OursTrace,
    /// Under `ioglass run`.
    Run,
    /// Under `ioglass run --trace`.
    RunTrace,
    /// The reference's library.
    Reference,
    /// The reference's library, with a trace.
    ReferenceTrace,
}

impl Variant {
    /// Its column's heading.
    pub(crate) fn label(self) -> &'static str {
        match self {
            Self::Bare => "bare",
            Self::Off => "off",
            Self::Ours => "ours",
            Self::OursTrace => "ours+trace",
            Self::Run => "run",
            Self::RunTrace => "run+trace",
            Self::Reference => "reference",
            Self::ReferenceTrace => "ref+trace",
        }
    }

    /// Whether it records every operation.
    pub(crate) fn traces(self) -> bool {
        matches!(self, Self::OursTrace | Self::RunTrace | Self::ReferenceTrace)
    }

    /// Whether `ioglass run` is its parent.
    pub(crate) fn runs(self) -> bool {
        matches!(self, Self::Run | Self::RunTrace)
    }

    /// Whether it needs our library.
    pub(crate) fn is_ours(self) -> bool {
        matches!(self, Self::Off | Self::Ours | Self::OursTrace) || self.runs()
    }

    /// Whether it needs the reference's library.
    pub(crate) fn is_reference(self) -> bool {
        matches!(self, Self::Reference | Self::ReferenceTrace)
    }

    /// The environment that makes a program record with `library` into `log`. `room` is the
    /// reference's configuration where its defaults are too small.
    pub(crate) fn settings(self, library: &Path, log: &Path, room: Option<&Path>) -> Vec<OsString> {
        let assign = |name: &str, value: &Path| {
            let mut setting = OsString::from(name);
            setting.push("=");
            setting.push(value);
            setting
        };
        if self == Self::Bare || self.runs() {
            return Vec::new();
        }
        let mut settings = vec![assign("LD_PRELOAD", library)];
        if self == Self::Off {
            return settings;
        }
        settings.push(assign("DARSHAN_LOGFILE", log));
        if self.is_reference() {
            settings.push("DARSHAN_ENABLE_NONMPI=1".into());
            settings.extend(room.map(|path| assign("DARSHAN_CONFIG_PATH", path)));
        } else {
            settings.push("IOGLASS_ENABLE=1".into());
        }
        if self.traces() {
            settings.push("DXT_ENABLE_IO_TRACE=1".into());
        }
        settings
    }
}
