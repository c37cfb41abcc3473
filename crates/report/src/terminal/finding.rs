//! A finding: problem, cost, evidence, advice.

use std::io::{self, Write};

use ioglass_insight::model::Region;
use ioglass_insight::{Chart, Finding, Level, RankKind, RegionShare};

use super::advice;
use super::screen::{BOLD, DIM, INDENT, LABEL, PLAIN, Screen, WARN};
use super::select::ShownFinding;
use crate::number::{bytes, counted, seconds, thousands, whole_percent};
use crate::text;

/// Columns of the share, and the width from which on it is shown.
const SHARE: usize = 8;
const SHARE_FROM: usize = 60;
/// Column in which files and ranks begin.
const TEXT: usize = INDENT + LABEL;
/// A path with less room than this beside its numbers gets its own line.
const PATH: usize = 24;
/// Regions that are named, and their least share.
const REGIONS: usize = 2;
const REGION_SHARE: f64 = 0.01;
/// Columns that the path of a region has at least.
const REGION: usize = 12;

pub(super) fn write<W: Write>(
    screen: &mut Screen<'_, W>,
    shown: &ShownFinding<'_>,
    run_time: f64,
    verbosity: u8,
) -> io::Result<()> {
    let finding = shown.finding;
    title(screen, finding, run_time)?;
    body(screen, finding)?;
    regions(screen, finding)?;
    advice::write(screen, &finding.advice, verbosity)?;
    if verbosity > 0 {
        files(screen, finding)?;
        ranks(screen, finding)?;
        for (i, other) in shown.consequences.iter().enumerate() {
            let label = if i == 0 { "also:" } else { "" };
            screen.labelled(INDENT, label, &in_a_line(other))?;
        }
    }
    let hidden = if verbosity > 0 { 0 } else { shown.consequences.len() };
    screen.paragraph(INDENT, DIM, &name(finding, hidden))
}

/// Writes the evidence in sentences, and its chart.
pub(super) fn body<W: Write>(screen: &mut Screen<'_, W>, finding: &Finding) -> io::Result<()> {
    if !finding.detail.is_empty() {
        screen.paragraph(INDENT, PLAIN, &finding.detail)?;
    }
    match &finding.chart {
        Some(chart) => self::chart(screen, chart),
        None => Ok(()),
    }
}

/// Writes sign, level and problem, with seconds and share at the right.
fn title<W: Write>(screen: &mut Screen<'_, W>, finding: &Finding, run_time: f64) -> io::Result<()> {
    let (style, sign, level) = screen.level(finding.level.unwrap_or(Level::Info));
    let (cost, share) = match has_own_seconds(finding) {
        true => (seconds(finding.seconds_net), whole_percent(finding.seconds_net / run_time)),
        false => (String::new(), String::new()),
    };
    let dagger = match finding.is_incomplete && !cost.is_empty() {
        true => format!(" {}", screen.sign('†')),
        false => String::new(),
    };
    let share = if screen.width < SHARE_FROM { String::new() } else { format!("{share:>SHARE$}") };
    let right = text::width(&cost) + text::width(&dagger) + text::width(&share);
    let room = screen.width.saturating_sub(INDENT + right + 2).max(INDENT);
    let mut lines = screen.wrap(&finding.title, room).into_iter();
    let first = lines.next().unwrap_or_default();
    let gap = screen.width.saturating_sub(INDENT + text::width(&first) + right).max(2);
    let (gap, share) = match cost.is_empty() {
        true => ("", ""),
        false => (&*" ".repeat(gap), &*share),
    };
    screen.line(&[
        (style, &sign),
        (style.bold(), &level),
        (PLAIN, &first),
        (PLAIN, gap),
        (BOLD, &cost),
        (WARN, &dagger),
        (PLAIN, share),
    ])?;
    for line in lines {
        screen.line(&[(PLAIN, &format!("{:INDENT$}{line}", ""))])?;
    }
    Ok(())
}

/// Returns true if the finding has seconds that no finding above has counted.
pub(crate) fn has_own_seconds(finding: &Finding) -> bool {
    finding.seconds_net > 0.01 * finding.seconds_at_stake.min(f64::MAX)
}

/// Writes a row of bars that start at zero, or the same in words.
fn chart<W: Write>(screen: &mut Screen<'_, W>, chart: &Chart) -> io::Result<()> {
    const BARS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
    let label = format!("{}:  ", screen.text(&chart.label));
    let room = screen.width.saturating_sub(INDENT);
    let largest = chart.values.iter().copied().fold(0.0, f64::max);
    if screen.is_ascii || chart.values.len() > room || !largest.is_normal() {
        return match chart.words.is_empty() {
            true => Ok(()),
            false => screen.paragraph(INDENT, PLAIN, &format!("{label}{}", chart.words)),
        };
    }
    let step = |value: &f64| BARS[((value / largest * 8.0) as usize).min(BARS.len() - 1)];
    let bars: String = chart.values.iter().map(step).collect();
    if text::width(&label) + chart.values.len() > room {
        screen.paragraph(INDENT, PLAIN, label.trim_end())?;
        return screen.line(&[(PLAIN, &format!("{:INDENT$}{bars}", ""))]);
    }
    screen.line(&[(PLAIN, &format!("{:INDENT$}{label}{bars}", ""))])
}

/// Writes the regions with most seconds, with seconds and share at the right.
pub(super) fn regions<W: Write>(screen: &mut Screen<'_, W>, finding: &Finding) -> io::Result<()> {
    let (shown, more) = shown_regions(finding);
    for (i, share) in shown.iter().enumerate() {
        let label = if i == 0 { "region:" } else { "" };
        let figures = region_figures(finding, share);
        let width = screen.width - 1;
        let room = width.saturating_sub(TEXT + text::width(&figures) + 2).max(REGION);
        let mut place = screen.text(&region_place(&share.region));
        let path = screen.region(&share.region.path, room);
        // The path says more than the place.
        if text::width(&path) + text::width(&place) > room {
            place.clear();
        }
        let used = TEXT + text::width(&path) + text::width(&place) + text::width(&figures);
        let gap = " ".repeat(width.saturating_sub(used).max(2));
        screen.line(&[
            (PLAIN, &format!("{:INDENT$}{label:<LABEL$}{path}", "")),
            (DIM, &place),
            (PLAIN, &format!("{gap}{figures}")),
        ])?;
    }
    match more {
        0 => Ok(()),
        more => screen.line(&[(PLAIN, &format!("{:TEXT$}+ {more} more", ""))]),
    }
}

/// Returns the regions that are named, and the number of others that are worth it.
pub(crate) fn shown_regions(finding: &Finding) -> (&[RegionShare], usize) {
    let worth = finding.regions.partition_point(|share| share.share >= REGION_SHARE);
    let shown = worth.min(REGIONS);
    (&finding.regions[..shown], worth - shown)
}

/// Returns the seconds that a region caused, of those that the title has, and their part of the
/// finding: `44.6 s, 92 %`.
pub(crate) fn region_figures(finding: &Finding, share: &RegionShare) -> String {
    let part = whole_percent(share.share);
    let own = match has_own_seconds(finding) {
        true => share.share * finding.seconds_net,
        false => share.seconds,
    };
    if own > 0.0 { format!("{}, {part}", seconds(own)) } else { part }
}

/// Returns the place of a region in the source, after a blank: ` (output.f90:71)`; empty if it is
/// not known.
pub(crate) fn region_place(region: &Region) -> String {
    let base = region.file.rsplit('/').next().unwrap_or_default();
    if base.is_empty() { String::new() } else { format!(" ({base}:{})", region.line) }
}

/// Writes the files in columns: seconds, bytes, ranks, path.
pub(super) fn files<W: Write>(screen: &mut Screen<'_, W>, finding: &Finding) -> io::Result<()> {
    let files = &finding.files;
    let rows: Vec<[String; 3]> = files
        .list
        .iter()
        .map(|f| [seconds(f.seconds), bytes(f.bytes), screen.ranks(f.ranks)])
        .collect();
    let columns = [0, 1, 2].map(|i| rows.iter().map(|row| row[i].len()).max().unwrap_or(0));
    let [first, second, third] = columns;
    let beside = screen.width.saturating_sub(TEXT + first + second + third + 6);
    for (i, (row, file)) in rows.iter().zip(&files.list).enumerate() {
        let label = if i == 0 { "files:" } else { "" };
        let [seconds, bytes, ranks] = row;
        let figures = format!("{seconds:>first$}  {bytes:>second$}  {ranks:>third$}");
        let figures = format!("{:INDENT$}{label:<LABEL$}{figures}", "");
        if beside < PATH {
            let path = screen.path(&file.path, screen.width.saturating_sub(INDENT));
            screen.line(&[(PLAIN, &figures)])?;
            screen.line(&[(PLAIN, &format!("{:INDENT$}{path}", ""))])?;
        } else {
            let path = screen.path(&file.path, beside);
            screen.line(&[(PLAIN, &format!("{figures}  {path}"))])?;
        }
    }
    if files.more > 0 {
        screen.line(&[(PLAIN, &format!("{:TEXT$}+ {} more", "", thousands(files.more)))])?;
    }
    Ok(())
}

/// Writes the ranks.
pub(super) fn ranks<W: Write>(screen: &mut Screen<'_, W>, finding: &Finding) -> io::Result<()> {
    let ranks = &finding.ranks;
    if ranks.list.is_empty() {
        return Ok(());
    }
    let words: Vec<String> = ranks.list.iter().map(ToString::to_string).collect();
    let more = match ranks.more {
        0 => String::new(),
        more => format!(" + {} more", thousands(more)),
    };
    let label = if screen.rank_kind == RankKind::Process { "process:" } else { "ranks:" };
    screen.labelled(INDENT, label, &format!("{}{more}", words.join(", ")))
}

/// Returns a consequence on one line, to be shown under its cause.
pub(crate) fn in_a_line(finding: &Finding) -> String {
    let (code, slug) = (finding.detector.code, finding.detector.slug);
    let cost = match finding.seconds_at_stake > 0.0 {
        true => format!(", {}", seconds(finding.seconds_at_stake)),
        false => String::new(),
    };
    format!("{code} {slug}: {}{cost}", finding.title)
}

/// Returns code, name and confidence.
pub(super) fn name(finding: &Finding, hidden_consequences: usize) -> String {
    let (code, slug) = (finding.detector.code, finding.detector.slug);
    let mut line = format!("{code} {slug}  {}", confidence(finding));
    if hidden_consequences > 0 {
        let others = counted(hidden_consequences as u64, "more follows", "more follow");
        line += &format!("; {others} (-v)");
    }
    line
}

/// Returns the confidence, and the finding that counts the seconds.
pub(crate) fn confidence(finding: &Finding) -> String {
    let mut line = finding.confidence.word().to_owned();
    if !finding.basis.is_empty() {
        line += &format!(" from {}", finding.basis);
    }
    if finding.is_incomplete {
        line += ", incomplete data";
    }
    // Explains why a finding has few seconds or none.
    if finding.seconds_net < finding.seconds_at_stake && finding.seconds_at_stake.is_finite() {
        let part = if has_own_seconds(finding) { "part of its" } else { "its" };
        let verb = if has_own_seconds(finding) { "is" } else { "are" };
        line += &format!(
            "; {part} {} {verb} counted in a finding above",
            seconds(finding.seconds_at_stake)
        );
    }
    line
}
