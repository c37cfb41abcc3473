//! A finding as it stands in a report.

use ioglass_insight::{
    self as insight, Confidence, Dimension, Language, Level, Need, Quantity, Role, State,
};
#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::de::{IntoDeserializer, value};
use serde::{Deserialize, Serialize};

use super::{finite, some};

/// The result of one check.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[non_exhaustive]
pub struct Finding {
    /// Letter and number of the check; never reused.
    #[cfg_attr(feature = "schema", schemars(regex(pattern = "^[A-Z][0-9]{2}$")))]
    pub code: String,
    /// Name of the check.
    #[cfg_attr(feature = "schema", schemars(regex(pattern = "^[a-z0-9-]+$")))]
    pub name: String,
    /// The problem in a few words; null unless the check fired.
    pub title: Option<String>,
    /// Sentences with this log's numbers, or the reason why the check is fine, could not be made or
    /// does not apply.
    pub detail: Option<String>,
    /// The weight: `HIGH` from 10 % of the run, `WARN` from 1 %, else `INFO`, but never above the
    /// highest level of this check. `OK` if the check is fine, null if it could not be made.
    pub level: Option<Level>,
    /// The result.
    pub state: State,
    /// The data that a check needs and the log lacks. Null with `not-checkable` means that no log of
    /// this run would help, because the run has nothing of the kind, such as MPI-IO.
    #[cfg_attr(feature = "schema", schemars(with = "Option<Need>"))]
    pub needs: Option<Needs>,
    /// The subject of the check.
    pub dimension: Dimension,
    /// Cause or consequence; null unless the check fired and counts for the verdict.
    pub role: Option<Role>,
    /// The code of the cause.
    #[cfg_attr(feature = "schema", schemars(regex(pattern = "^[A-Z][0-9]{2}$")))]
    pub caused_by: Option<String>,
    /// Upper bound of the seconds that it costs the run.
    #[cfg_attr(feature = "schema", schemars(range(min = 0)))]
    pub seconds_at_stake: Option<f64>,
    /// The part of these seconds that no finding above has counted.
    #[cfg_attr(feature = "schema", schemars(range(min = 0)))]
    pub seconds_net: Option<f64>,
    /// `seconds_at_stake` as a part of the run, 0 to 1.
    #[cfg_attr(feature = "schema", schemars(range(min = 0)))]
    pub share: Option<f64>,
    /// The certainty of the seconds; null unless the check fired.
    pub confidence: Option<Confidence>,
    /// The data from which the seconds were computed.
    pub basis: Option<String>,
    /// True if the finding rests on incomplete data.
    pub incomplete_data: bool,
    /// The numbers that the finding rests on.
    pub evidence: Vec<Evidence>,
    /// The files it is about, most seconds first.
    pub files: Vec<FindingFile>,
    /// The number of further files that are not listed.
    pub more_files: u64,
    /// The ranks it is about.
    pub ranks: Vec<i64>,
    /// The number of further ranks that are not listed.
    pub more_ranks: u64,
    /// The regions of the program that its seconds were spent in, most seconds first, at most 32.
    /// What was spent in no region is missing. Empty if nothing is known.
    pub regions: Vec<FindingRegion>,
    /// The remedies.
    pub advice: Vec<Advice>,
    /// Numbers that show the finding at a glance.
    pub chart: Option<Chart>,
}

impl From<&insight::Finding> for Finding {
    /// Fields that mean nothing unless the check fired are none otherwise.
    fn from(finding: &insight::Finding) -> Self {
        let has_fired = finding.state == State::Fired;
        let is_checked = has_fired || finding.state == State::Fine;
        Self {
            code: finding.detector.code.to_owned(),
            name: finding.detector.slug.to_owned(),
            title: some(&finding.title),
            detail: some(&finding.detail),
            level: finding.level.filter(|_| is_checked),
            state: finding.state,
            needs: finding.need.map(Needs::Known),
            dimension: finding.detector.dimension,
            role: finding.role,
            caused_by: finding.caused_by.map(str::to_owned),
            seconds_at_stake: finite(finding.seconds_at_stake),
            seconds_net: finite(finding.seconds_net),
            share: finite(finding.share),
            confidence: has_fired.then_some(finding.confidence),
            basis: some(finding.basis),
            incomplete_data: finding.is_incomplete,
            evidence: finding.evidence.iter().map(Evidence::from).collect(),
            files: finding.files.list.iter().map(FindingFile::from).collect(),
            more_files: finding.files.more,
            ranks: finding.ranks.list.clone(),
            more_ranks: finding.ranks.more,
            regions: finding.regions.iter().map(FindingRegion::from).collect(),
            advice: finding.advice.iter().map(Advice::from).collect(),
            chart: finding.chart.as_ref().map(Chart::from),
        }
    }
}

/// The data that a check needs. A newer writer may know more of them than this reader.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged, from = "String")]
pub enum Needs {
    /// A need that this version knows.
    Known(Need),
    /// Any other word.
    Other(String),
}

impl From<String> for Needs {
    fn from(word: String) -> Self {
        let need = Need::deserialize(word.as_str().into_deserializer());
        need.map_or_else(|_: value::Error| Self::Other(word), Self::Known)
    }
}

/// A number that a finding rests on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[non_exhaustive]
pub struct Evidence {
    /// Its name in words.
    pub name: String,
    /// The number.
    pub value: Option<f64>,
    /// The unit of the number.
    pub unit: Quantity,
}

impl From<&insight::Evidence> for Evidence {
    fn from(evidence: &insight::Evidence) -> Self {
        let (name, unit) = (evidence.name.to_owned(), evidence.quantity);
        Self { name, value: finite(evidence.value), unit }
    }
}

/// A file that a finding is about.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[non_exhaustive]
pub struct FindingFile {
    /// Its name in the log.
    pub path: String,
    /// Its part of the seconds at stake.
    #[cfg_attr(feature = "schema", schemars(range(min = 0)))]
    pub seconds: Option<f64>,
    /// Bytes read and written.
    pub bytes: u64,
    /// The number of ranks that used it.
    pub ranks: u64,
}

impl From<&insight::FileShare> for FindingFile {
    fn from(file: &insight::FileShare) -> Self {
        Self {
            path: file.path.to_string(),
            seconds: finite(file.seconds),
            bytes: file.bytes,
            ranks: file.ranks,
        }
    }
}

/// A region of the program that a finding's seconds were spent in.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[non_exhaustive]
pub struct FindingRegion {
    /// The names of the regions around it, from the outermost, and its own.
    pub path: Vec<String>,
    /// Its source file, as the compiler named it.
    pub file: Option<String>,
    /// The line of its annotation there.
    pub line: Option<u32>,
    /// Its part of the seconds at stake.
    #[cfg_attr(feature = "schema", schemars(range(min = 0)))]
    pub seconds: Option<f64>,
    /// Bytes that it read or wrote in the files of the finding, as far as the finding is about reads
    /// or writes, on all ranks.
    pub bytes: u64,
    /// Its part of `seconds_at_stake`, 0 to 1.
    #[cfg_attr(feature = "schema", schemars(range(min = 0, max = 1)))]
    pub share: f64,
}

impl From<&insight::RegionShare> for FindingRegion {
    fn from(share: &insight::RegionShare) -> Self {
        let insight::RegionShare { region, seconds, bytes, share } = share;
        let file = some(&region.file);
        Self {
            path: region.path.clone(),
            line: file.as_ref().map(|_| region.line),
            file,
            seconds: finite(*seconds),
            bytes: *bytes,
            share: share.clamp(0.0, 1.0),
        }
    }
}

/// A remedy.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[non_exhaustive]
pub struct Advice {
    /// The remedy in a sentence.
    pub text: Option<String>,
    /// Lines to type.
    pub commands: Vec<Command>,
    /// The remedy in a program; the language that fits this one comes first.
    pub snippets: Vec<Snippet>,
    /// The same as settings of `ioglass apply`, which need no change of the program. Only settings
    /// whose conditions the log proves.
    #[serde(default)]
    pub settings: Vec<AdvisedSetting>,
    /// The document that recommends it.
    pub see: Option<String>,
}

impl From<&insight::Advice> for Advice {
    fn from(advice: &insight::Advice) -> Self {
        let command = |command: &insight::Command| Command {
            line: command.line.clone(),
            comment: some(&command.comment),
        };
        let snippet = |snippet: &insight::Snippet| Snippet {
            language: Languages::Known(snippet.language),
            code: snippet.code.clone(),
        };
        Self {
            text: some(&advice.text),
            commands: advice.commands.iter().map(command).collect(),
            snippets: advice.snippets.iter().map(snippet).collect(),
            settings: advice.settings.iter().map(AdvisedSetting::from).collect(),
            see: some(advice.see),
        }
    }
}

/// A setting of the I/O stack.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[non_exhaustive]
pub struct AdvisedSetting {
    /// The full name of the parameter.
    pub name: String,
    /// The value in canonical form.
    pub value: String,
    /// The file for which it holds; null holds for all.
    pub file: Option<String>,
    /// The dataset or variable for which it holds; null holds for all.
    pub variable: Option<String>,
}

impl From<&insight::AdvisedSetting> for AdvisedSetting {
    fn from(setting: &insight::AdvisedSetting) -> Self {
        let insight::AdvisedSetting { name, value, file, variable } = setting.clone();
        Self { name, value, file, variable }
    }
}

/// A line to type.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[non_exhaustive]
pub struct Command {
    /// The line.
    pub line: String,
    /// A remark on the line.
    pub comment: Option<String>,
}

/// A few lines of a program.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[non_exhaustive]
pub struct Snippet {
    /// The language.
    #[cfg_attr(feature = "schema", schemars(with = "Language"))]
    pub language: Languages,
    /// The lines.
    pub code: String,
}

/// The language of a snippet. A newer writer may know more of them than this reader.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged, from = "String")]
pub enum Languages {
    /// A language that this version knows.
    Known(Language),
    /// Any other word.
    Other(String),
}

impl From<String> for Languages {
    fn from(word: String) -> Self {
        let language = Language::deserialize(word.as_str().into_deserializer());
        language.map_or_else(|_: value::Error| Self::Other(word), Self::Known)
    }
}

/// Numbers that show a finding at a glance.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[non_exhaustive]
pub struct Chart {
    /// The meaning of the numbers.
    pub label: String,
    /// The numbers, in order.
    pub values: Vec<Option<f64>>,
    /// The same in words.
    pub words: String,
}

impl From<&insight::Chart> for Chart {
    fn from(chart: &insight::Chart) -> Self {
        Self {
            label: chart.label.clone(),
            values: chart.values.iter().copied().map(finite).collect(),
            words: chart.words.clone(),
        }
    }
}
