//! Rules: settings and to what they apply.

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;

use ioglass_param::flat::{MAX_LINE, Scope, Writer};
use ioglass_param::glob::{is_exact, matches_path};
use ioglass_param::{Layer, Param, find};

/// The place where a setting was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
    /// The command line.
    Argument,
    /// A line of a file.
    File(PathBuf, usize),
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Origin::Argument => f.write_str("-s"),
            Origin::File(file, line) => write!(f, "{}:{line}", file.display()),
        }
    }
}

/// A value for a parameter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Setting {
    /// The full name; of a family with the rest of it.
    pub name: String,
    /// The canonical value.
    pub value: String,
    /// The place where it was read.
    pub origin: Origin,
}

impl Setting {
    /// The row of the parameter, with the rest of the name for a family.
    pub fn param(&self) -> (&'static Param, &str) {
        find(&self.name).unwrap_or((&ioglass_param::cmd::PLACEHOLDER, &self.name))
    }
}

/// Settings that apply to the same things.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Rule {
    /// Pattern of files.
    pub file: Option<String>,
    /// Pattern of variables: datasets.
    pub variable: Option<String>,
    /// Pattern of programs.
    pub program: Option<String>,
    /// Allows what needs to be forced.
    pub force: bool,
    /// Applies settings of HDF5 to files that are not opened through MPI-IO, too.
    pub serial: bool,
    /// Applies only where the program has left the default.
    pub respect: bool,
    /// The settings, in the order of the file.
    pub settings: Vec<Setting>,
}

impl Rule {
    /// To what it applies.
    pub fn scope(&self) -> Scope<'_> {
        Scope {
            file: self.file.as_deref(),
            variable: self.variable.as_deref(),
            program: self.program.as_deref(),
            force: self.force,
            serial: self.serial,
            respect: self.respect,
        }
    }

    /// It applies to everything.
    pub fn is_general(&self) -> bool {
        self.file.is_none() && self.variable.is_none()
    }
}

impl Rule {
    /// It has a value for this parameter.
    pub(crate) fn sets(&self, name: &str) -> bool {
        self.settings.iter().any(|setting| setting.name == name)
    }

    fn patterns(&self) -> [Option<&str>; 3] {
        [self.file.as_deref(), self.variable.as_deref(), self.program.as_deref()]
    }

    /// It applies to all that another one applies to.
    pub(crate) fn covers(&self, other: &Rule) -> bool {
        let mut pairs = self.patterns().into_iter().zip(other.patterns());
        pairs.all(|pair| match pair {
            (None, _) => true,
            (Some(own), Some(other)) => own == other || is_exact(other) && matches(own, other),
            (Some(_), None) => false,
        })
    }

    /// Nothing is both its and another one's, as far as their names tell.
    pub(crate) fn is_apart_from(&self, other: &Rule) -> bool {
        let mut pairs = self.patterns().into_iter().zip(other.patterns());
        pairs.any(|pair| match pair {
            (Some(own), Some(other)) if is_exact(own) && is_exact(other) => {
                !matches(own, other) && !matches(other, own)
            }
            _ => false,
        })
    }
}

fn matches(pattern: &str, name: &str) -> bool {
    matches_path(pattern.as_bytes(), name.as_bytes())
}

/// Checked settings, in the order of precedence.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Settings {
    /// Rules; the first that matches and sets a parameter wins.
    pub rules: Vec<Rule>,
    /// Remarks about settings that never apply, a sentence each.
    pub notes: Vec<String>,
}

/// The settings do not fit into a line of 64 KiB.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the settings take {0} bytes; 65,536 is the most")]
pub struct TooLong(pub usize);

impl Settings {
    /// There is no setting.
    pub fn is_empty(&self) -> bool {
        self.rules.iter().all(|rule| rule.settings.is_empty())
    }

    /// All settings with their rules, in the order of precedence.
    pub fn all(&self) -> impl Iterator<Item = (&Rule, &Setting)> {
        self.rules.iter().flat_map(|rule| rule.settings.iter().map(move |setting| (rule, setting)))
    }

    /// The line for the library.
    ///
    /// # Errors
    /// If it is longer than 64 KiB.
    pub fn flat(&self) -> Result<String, TooLong> {
        let line = self.line().unwrap_or_default();
        if line.len() > MAX_LINE { Err(TooLong(line.len())) } else { Ok(line) }
    }

    fn line(&self) -> Result<String, fmt::Error> {
        let mut writer = Writer::new(String::new())?;
        for rule in &self.rules {
            let mut settings =
                rule.settings.iter().filter(|setting| setting.param().0.site.is_injected());
            let Some(first) = settings.next() else { continue };
            writer.rule(&rule.scope())?;
            for setting in std::iter::once(first).chain(settings) {
                writer.setting(&setting.name, &setting.value)?;
            }
        }
        Ok(writer.into_inner())
    }

    /// Variables for the environment of the command: those that may be set.
    pub fn environment(&self) -> BTreeMap<&str, &str> {
        self.of_layer(Layer::Env, |rule, name| refused_variable(name, rule.force).is_none())
    }

    /// Values for the placeholders of the command.
    pub fn placeholders(&self) -> BTreeMap<&str, &str> {
        self.of_layer(Layer::Cmd, |_, _| true)
    }

    /// Names inside a layer of the command, and their values.
    fn of_layer(&self, layer: Layer, allows: fn(&Rule, &str) -> bool) -> BTreeMap<&str, &str> {
        let mut values = BTreeMap::new();
        for (rule, setting) in self.all().filter(|(_, setting)| setting.param().0.layer == layer) {
            let name = &setting.name[layer.name().len() + 1..];
            if allows(rule, name) {
                values.entry(name).or_insert(setting.value.as_str());
            }
        }
        values
    }
}

/// The reason why a variable is not set, if there is one.
pub fn refused_variable(name: &str, force: bool) -> Option<&'static str> {
    /// Variables that would take the program or the recorder over.
    const NEVER: [&str; 4] = ["LD_", "IOGLASS_", "DARSHAN_", "PATH"];
    /// Variables of MPI, HDF5 and UCX.
    const KNOWN: [&str; 8] = [
        "OMPI_MCA_",
        "PRTE_MCA_",
        "ROMIO_",
        "MPICH_MPIIO_",
        "MPIR_CVAR_",
        "HDF5_",
        "H5FD_",
        "UCX_",
    ];
    let starts = |prefixes: &[&str]| prefixes.iter().any(|prefix| name.starts_with(prefix));
    if starts(&NEVER) {
        Some("it is never set by settings")
    } else if !force && !starts(&KNOWN) {
        Some("it is no variable of MPI, HDF5 or UCX; it needs force")
    } else {
        None
    }
}
