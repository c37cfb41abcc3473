//! What `ioglass apply` prints without running anything.

use std::io::Write;
use std::process::ExitCode;

use ioglass_job::library;
use ioglass_param::Layer;
use ioglass_report::settings::{params_json, params_markdown, params_terminal};
use ioglass_report::text::shorten;
use ioglass_settings::{Rule, Setting, Settings, Unsayable};
use serde_json::{Value, json};

use super::{shell_word, variables};
use crate::cli::{Apply, SettingsFormat};
use crate::cmd::html_output;
use crate::failure::{Failure, Message};
use crate::glyphs;

/// Columns of a name, at least and at most.
const NAME: usize = 27;
const MOST_NAME: usize = 44;

/// Prints the table of parameters.
pub(super) fn params(args: &Apply) -> Result<ExitCode, Failure> {
    let text = match &args.json {
        _ if args.md => params_markdown(),
        Some(Some(path)) => {
            let text = format!("{:#}\n", params_json());
            html_output::write(path, &text)
                .map_err(|error| Failure::cannot_write(path, &error.into()))?;
            return Ok(ExitCode::SUCCESS);
        }
        Some(None) => format!("{:#}\n", params_json()),
        None => params_terminal(),
    };
    glyphs::shown(anstream::stdout().lock()).write_all(text.as_bytes())?;
    Ok(ExitCode::SUCCESS)
}

/// Prints every setting, in the order of precedence.
pub(super) fn check(args: &Apply, settings: &Settings) -> Result<ExitCode, Failure> {
    // A line that is too long for the library is told now.
    variables(settings)?;
    if let Some(file) = &args.json {
        let text = format!("{:#}\n", as_json(settings));
        return match file {
            Some(path) => html_output::write(path, &text)
                .map(|()| ExitCode::SUCCESS)
                .map_err(|error| Failure::cannot_write(path, &error.into())),
            None => Ok(anstream::stdout()
                .lock()
                .write_all(text.as_bytes())
                .map(|()| ExitCode::SUCCESS)?),
        };
    }
    let mut out = glyphs::shown(anstream::stdout().lock());
    let from = args.config.as_ref().map_or("-s".into(), |file| file.display().to_string());
    if settings.is_empty() {
        writeln!(out, "{from} has no setting: the command runs as without.")?;
        return Ok(ExitCode::SUCCESS);
    }
    let count = settings.all().count();
    let noun = if count == 1 { "setting" } else { "settings" };
    writeln!(out, "{from}: {count} {noun}; where several apply, the first here wins")?;
    let longest = settings.all().map(|(_, setting)| setting.name.len()).max().unwrap_or(0);
    let column = longest.clamp(NAME, MOST_NAME);
    let mut last: Option<&Rule> = None;
    for (rule, setting) in settings.all() {
        if last.is_none_or(|last| !std::ptr::eq(last, rule)) {
            writeln!(out, "\n{}", scope(rule))?;
            last = Some(rule);
        }
        let (param, _) = setting.param();
        let (name, value) = (&setting.name, &setting.value);
        writeln!(out, "  {name:<column$} {:<18} {}", shorten(value, 40), setting.origin)?;
        writeln!(out, "      {}", param.site.text())?;
        for condition in param.conditions {
            writeln!(out, "      needs: {}", condition.text())?;
        }
    }
    for note in &settings.notes {
        writeln!(out, "\n! {note}")?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Every setting as JSON, in the order of precedence.
fn as_json(settings: &Settings) -> Value {
    let one = |(rule, setting): (&Rule, &Setting)| {
        let (param, _) = setting.param();
        let needs: Vec<&str> = param.conditions.iter().map(|condition| condition.text()).collect();
        json!({
            "name": setting.name, "value": setting.value, "origin": setting.origin.to_string(),
            "file": rule.file, "variable": rule.variable, "program": rule.program,
            "force": rule.force, "serial": rule.serial, "respect": rule.respect,
            "applied_at": param.site.text(), "needs": needs,
        })
    };
    let all: Vec<Value> = settings.all().map(one).collect();
    json!({"schema": "ioglass.settings-check/1", "settings": all, "notes": settings.notes})
}

/// To what a rule applies, in words.
fn scope(rule: &Rule) -> String {
    let patterns = [("file", &rule.file), ("variable", &rule.variable), ("program", &rule.program)];
    let patterns = patterns
        .iter()
        .filter_map(|(word, pattern)| Some(format!("{word} = {}", pattern.as_ref()?)));
    let flags = [("force", rule.force), ("serial", rule.serial), ("respect", rule.respect)];
    let flags = flags.iter().filter(|(_, is_set)| *is_set).map(|(word, _)| (*word).to_owned());
    let words: Vec<String> = patterns.chain(flags).collect();
    if words.is_empty() { "for everything".into() } else { words.join(", ") }
}

/// Prints lines for a shell.
pub(super) fn environment(settings: &Settings) -> Result<ExitCode, Failure> {
    let mut out = anstream::stdout().lock();
    let library = library::path()?;
    let preloaded = library::preloaded(&library);
    writeln!(out, "export LD_PRELOAD={}", shell_word(&preloaded))?;
    for (name, value) in variables(settings)? {
        writeln!(out, "export {}={}", name.to_string_lossy(), shell_word(&value))?;
    }
    writeln!(
        out,
        "export IOGLASS_DISABLE=1    # only settings; without this line MPI programs are recorded, too"
    )?;
    let left_out: Vec<&str> = settings
        .all()
        .filter(|(_, setting)| setting.param().0.layer == Layer::Cmd)
        .map(|(_, setting)| setting.name.as_str())
        .collect();
    if !left_out.is_empty() {
        writeln!(out, "# not here: {}; only `ioglass apply` fills them in", left_out.join(", "))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Prints the settings in another form.
pub(super) fn convert(settings: &Settings, format: SettingsFormat) -> Result<ExitCode, Failure> {
    let text = match format {
        SettingsFormat::Toml => settings.to_toml(),
        SettingsFormat::Xml => settings.to_xml(),
    };
    let cannot = |unsayable: Unsayable| Failure::bad_input(Message::new(unsayable.to_string()));
    let text = text.map_err(cannot)?;
    anstream::stdout().lock().write_all(text.as_bytes())?;
    Ok(ExitCode::SUCCESS)
}
