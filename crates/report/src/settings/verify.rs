//! The JSON of `ioglass apply --verify`.

use ioglass_insight::settings::{Place, SettingOutcome};
use ioglass_param::find;
#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What became of the settings of one command.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema), schemars(extend("$id" = "ioglass.verify/1")))]
#[non_exhaustive]
pub struct Verify {
    /// Name and version of this format.
    pub schema: Schema,
    /// The file of settings; null if all were given on the command line.
    pub config: Option<String>,
    /// The command.
    pub command: Vec<String>,
    /// Its exit status; 128 and the number of the signal that ended it.
    pub exit: u8,
    /// The libraries of the program.
    pub stack: Stack,
    /// The settings, from the file system up.
    pub settings: Vec<Setting>,
    /// Remarks, a sentence each.
    pub warnings: Vec<String>,
}

/// A version of the format.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[non_exhaustive]
pub enum Schema {
    /// The only version so far.
    #[default]
    #[serde(rename = "ioglass.verify/1")]
    V1,
}

/// The libraries of the program, as far as it has used them with settings.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[non_exhaustive]
pub struct Stack {
    /// Name and version of MPI.
    pub mpi: Option<String>,
    /// `ROMIO` or `OMPIO`.
    pub mpiio: Option<String>,
    /// The version of HDF5.
    pub hdf5: Option<String>,
    /// The version of PnetCDF.
    pub pnetcdf: Option<String>,
    /// Number of processes.
    pub processes: u64,
    /// Number of ranks.
    pub ranks: u64,
}

/// A setting, and what became of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[non_exhaustive]
pub struct Setting {
    /// The full name of the parameter.
    pub name: String,
    /// Its layer.
    pub layer: String,
    /// The pattern of files to which it applies.
    pub file: Option<String>,
    /// The pattern of variables.
    pub variable: Option<String>,
    /// The pattern of programs.
    pub program: Option<String>,
    /// The value that was asked for.
    pub requested: String,
    /// The worst state of its places: `applied`, `changed`, `not-applicable` or `unverifiable`.
    pub state: String,
    /// The reason for that state.
    pub reason: Option<String>,
    /// Every place.
    pub places: Vec<Place>,
}

/// The JSON schema of a [`Verify`].
#[cfg(feature = "schema")]
pub fn schema() -> serde_json::Value {
    crate::json::schema_of::<Verify>()
}

impl From<&SettingOutcome> for Setting {
    fn from(outcome: &SettingOutcome) -> Self {
        let asked = &outcome.asked;
        let layer = find(&asked.name).map(|(param, _)| param.layer.name().to_owned());
        Self {
            name: asked.name.clone(),
            layer: layer.unwrap_or_default(),
            file: asked.scope.file.clone(),
            variable: asked.scope.variable.clone(),
            program: asked.scope.program.clone(),
            requested: asked.value.clone(),
            state: outcome.state.name().to_owned(),
            reason: outcome.reason.clone(),
            places: outcome.places.clone(),
        }
    }
}

impl Verify {
    /// Puts the parts together.
    pub fn new(
        config: Option<String>,
        command: Vec<String>,
        exit: u8,
        stack: Stack,
        outcomes: &[SettingOutcome],
        warnings: Vec<String>,
    ) -> Self {
        let settings = outcomes.iter().map(Setting::from).collect();
        Self { schema: Schema::V1, config, command, exit, stack, settings, warnings }
    }
}

impl Stack {
    /// Makes the stack of what a log's metadata says of it.
    pub fn new<'m>(
        metadata: impl Fn(&str) -> Option<String> + 'm,
        processes: u64,
        ranks: u64,
    ) -> Self {
        let [mpi, mpiio, hdf5, pnetcdf] = ["mpi", "mpiio", "hdf5", "pnetcdf"].map(metadata);
        Self { mpi, mpiio, hdf5, pnetcdf, processes, ranks }
    }

    /// Names and versions, such as `MPICH 4.0.2 (ROMIO), HDF5 1.10.8`.
    pub fn text(&self) -> String {
        let mpi = self.mpi.as_ref().map(|mpi| match &self.mpiio {
            Some(mpiio) => format!("{mpi} ({mpiio})"),
            None => mpi.clone(),
        });
        let named = |name: &str, version: &Option<String>| {
            version.as_ref().map(|version| format!("{name} {version}"))
        };
        let parts = [mpi, named("HDF5", &self.hdf5), named("PnetCDF", &self.pnetcdf)];
        parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
    }
}
