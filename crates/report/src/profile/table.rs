//! Profiles as tables: CSV with a line per row, Markdown with a line per region.

use std::io::{self, Write};

use ioglass_insight::profile::{Overview, UNEVEN};
use ioglass_profile::{Layer, Set};

use super::json::{lossy, path};
use super::{By, Selection, rows};
use crate::number::{bytes, percent, thousands};

/// Writes a line for each row: the path, the dimensions of `by`, the figures.
pub fn csv(out: &mut impl Write, set: &Set, selection: &Selection) -> io::Result<()> {
    let profile = set.profile();
    let mut head =
        vec!["path".to_owned(), "name".into(), "kind".into(), "file".into(), "line".into()];
    head.extend(selection.by.iter().map(|by| by.word().to_owned()));
    let figures = ["calls", "open", "time_ns", "exclusive_ns", "min_ns", "max_ns"];
    head.extend(figures.map(str::to_owned));
    for layer in Layer::ALL {
        let parts = [
            "opens",
            "reads",
            "writes",
            "bytes_read",
            "bytes_written",
            "other",
            "read_ns",
            "write_ns",
            "metadata_ns",
        ];
        head.extend(parts.map(|part| format!("{}_{part}", layer.word())));
    }
    for metric in &profile.metrics {
        head.push(lossy(metric));
    }
    line(out, &head)?;
    for region in selection.regions(set) {
        let own = &profile.regions[region as usize];
        let names = ioglass_insight::profile::joined(&path(profile, region));
        for (key, sums) in rows::of(set, region, selection) {
            let figures = &sums.figures;
            let line_number = if own.line > 0 { own.line.to_string() } else { String::new() };
            let mut cells = vec![
                names.clone(),
                lossy(&own.name),
                own.kind.word().into(),
                lossy(&own.file),
                line_number,
            ];
            for by in &selection.by {
                let number = match by {
                    By::Rank => key.rank.map(u64::from),
                    By::Thread => key.thread.map(u64::from),
                    By::Execution => key.execution.map(u64::from),
                    By::Iteration => key.iteration,
                };
                cells.push(number.map_or(String::new(), |number| number.to_string()));
            }
            let exclusive = sums.io_total.is_none().then_some(figures.exclusive_ns);
            let single = |ns: u64| (figures.calls > 0 && !sums.is_joined).then_some(ns);
            let numbers = [
                Some(figures.calls),
                Some(figures.open),
                Some(figures.time_ns),
                exclusive,
                single(figures.min_ns),
                single(figures.max_ns),
            ];
            cells.extend(
                numbers.map(|number| number.map_or(String::new(), |number| number.to_string())),
            );
            for layer in Layer::ALL {
                let io =
                    figures.io.iter().find(|(own, _)| own == layer).map(|(_, io)| io.numbers());
                match io {
                    Some(numbers) => cells.extend(numbers.map(|number| number.to_string())),
                    None => cells.extend(std::iter::repeat_n(String::new(), 9)),
                }
            }
            for metric in 0..profile.metrics.len() as u32 {
                let own = figures.metrics.iter().find(|own| own.metric == metric);
                cells.push(own.map_or(String::new(), |own| match own.measure {
                    ioglass_profile::Measure::Count { sum, .. } => sum.to_string(),
                    ioglass_profile::Measure::Value { sum, .. } => sum.to_string(),
                }));
            }
            line(out, &cells)?;
        }
    }
    Ok(())
}

/// Writes a line of CSV, as RFC 4180 has it but for the end of the line.
fn line(out: &mut impl Write, cells: &[String]) -> io::Result<()> {
    for (number, cell) in cells.iter().enumerate() {
        if number > 0 {
            out.write_all(b",")?;
        }
        out.write_all(quoted(cell).as_bytes())?;
    }
    out.write_all(b"\n")
}

/// A cell, quoted where it must be. Controls that a terminal would obey are replaced.
fn quoted(cell: &str) -> String {
    let harmless = |c: char| if c != '\n' && crate::text::is_harmful(c) { '\u{FFFD}' } else { c };
    let cell: String = cell.chars().map(harmless).collect();
    if cell.contains(['"', ',', '\n', '\r']) {
        format!("\"{}\"", cell.replace('"', "\"\""))
    } else {
        cell
    }
}

/// Writes a table of the regions in Markdown.
pub fn markdown(out: &mut impl Write, set: &Set, selection: &Selection) -> io::Result<()> {
    let overview = Overview::of(set);
    let cell = |text: &str| {
        let text = crate::text::clean(text);
        text.replace('\\', "\\\\").replace('|', "\\|").replace('<', "&lt;").replace('`', "\\`")
    };
    writeln!(out, "{}\n", cell(&overview.verdict))?;
    writeln!(out, "| region | calls | seconds | itself | share | uneven | I/O | moved |")?;
    writeln!(out, "|---|--:|--:|--:|--:|--:|--:|--:|")?;
    for region in selection.regions(set) {
        let shown = &overview.regions[region as usize];
        let name = cell(&lossy(&set.profile().regions[region as usize].name));
        let indent = "&emsp;".repeat(shown.depth.min(20));
        let calls = thousands(set.summaries()[region as usize].total.calls);
        let share = if overview.seconds > 0.0 { shown.itself / overview.seconds } else { 0.0 };
        let uneven = shown.uneven.filter(|uneven| *uneven >= UNEVEN).map_or(String::new(), percent);
        let io = if shown.io > 0.0 { super::terminal::short(shown.io) } else { String::new() };
        let moved = match shown.moved.0.saturating_add(shown.moved.1) {
            0 => String::new(),
            moved => bytes(moved),
        };
        let (seconds, itself) =
            (super::terminal::short(shown.seconds), super::terminal::short(shown.itself));
        let share = percent(share);
        writeln!(
            out,
            "| {indent}{name} | {calls} | {seconds} | {itself} | {share} | {uneven} | {io} | {moved} |"
        )?;
    }
    for out_of in &overview.stands_out {
        writeln!(out, "\n- {}", cell(&out_of.sentence))?;
    }
    Ok(())
}
