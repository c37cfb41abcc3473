//! The first lines of a screen, and the last.

use std::io::{self, Write};

use ioglass_insight::profile::Overview;
use ioglass_profile::{Lost, RankKind, Set};

use super::super::json::path;
use crate::number::{counted, fixed, seconds, thousands};
use crate::terminal::screen::{DIM, GOOD, PLAIN, Screen, WARN};
use crate::text;

/// Kinds of notices that are named.
const NAMED: usize = 2;

pub(super) fn write<W: Write>(
    screen: &mut Screen<'_, W>,
    set: &Set,
    overview: &Overview,
    is_verbose: bool,
) -> io::Result<()> {
    let head = &set.profile().head;
    let mut facts = vec![screen.short(&name(set), 40)];
    facts.push(ranks(set));
    facts.push(seconds(overview.seconds));
    if head.job != 0 {
        facts.push(format!("job {}", head.job));
    }
    if head.started_ns > 0 {
        let second = (head.started_ns / 1_000_000_000) as i64;
        facts.push(text::date(second, "%Y-%m-%d %H:%M UTC"));
    }
    facts.retain(|fact| !fact.is_empty());
    for line in Screen::<W>::flow(&facts, 2, screen.width) {
        screen.line(&[(PLAIN, &line)])?;
    }
    let file = set.named().first().map(|path| path.to_string_lossy().into_owned());
    let file = file.unwrap_or_default();
    let more = set.named().len().saturating_sub(1);
    let mut facts = vec![screen.path(&file, screen.width / 2)];
    if more > 0 {
        facts.push(format!("and {more} more"));
    }
    facts.push(counted(set.profile().regions.len() as u64, "region", "regions"));
    facts.push(head.state.word().into());
    facts.push(if head.has_io { "with I/O".into() } else { "without I/O".into() });
    if let Some(rank) = set.selected_rank() {
        facts.push(format!("rank {rank} only"));
    }
    facts.retain(|fact| !fact.is_empty());
    for line in Screen::<W>::flow(&facts, 2, screen.width) {
        screen.line(&[(DIM, &line)])?;
    }
    notices(screen, set, overview, is_verbose)?;
    losses(screen, &set.profile().lost)
}

/// The name of the profile, or that of its program.
pub(super) fn name(set: &Set) -> String {
    let head = &set.profile().head;
    let name = if head.name.is_empty() { &head.program } else { &head.name };
    String::from_utf8_lossy(name).into_owned()
}

/// `64 ranks`, or `3 processes`.
pub(super) fn ranks(set: &Set) -> String {
    let head = &set.profile().head;
    match head.rank_kind {
        RankKind::Process => counted(head.ranks.into(), "process", "processes"),
        RankKind::Launcher | RankKind::Mpi => counted(head.ranks.into(), "rank", "ranks"),
    }
}

pub(super) fn notices<W: Write>(
    screen: &mut Screen<'_, W>,
    set: &Set,
    overview: &Overview,
    is_verbose: bool,
) -> io::Result<()> {
    let mut kinds: Vec<(&str, u64)> = Vec::new();
    for notice in &overview.notices {
        match kinds.iter_mut().find(|(code, _)| *code == notice.code.word()) {
            Some((_, count)) => *count = count.saturating_add(notice.count),
            None => kinds.push((notice.code.word(), notice.count)),
        }
    }
    if kinds.is_empty() {
        return Ok(());
    }
    kinds.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    let all: u64 = kinds.iter().fold(0, |sum, (_, count)| sum.saturating_add(*count));
    let named: Vec<String> = kinds
        .iter()
        .take(NAMED)
        .map(|(code, count)| format!("{code} {}", thousands(*count)))
        .collect();
    let mut line = counted(all, "notice", "notices");
    if kinds.len() > 1 {
        line += &format!(" of {} kinds", kinds.len());
    }
    line += &format!(": {}", named.join(", "));
    if kinds.len() > NAMED {
        line += &format!(", {} more", kinds.len() - NAMED);
    }
    if !is_verbose {
        line += " (-v)";
    }
    warn(screen, &line)?;
    if is_verbose {
        for notice in &overview.notices {
            let place = notice.region.map(|region| path(set.profile(), region).join(" › "));
            let name = String::from_utf8_lossy(&notice.name);
            let mut line = format!("{} {} {name}", thousands(notice.count), notice.code.word());
            if let Some(place) = place {
                line += &format!(" in {place}");
            }
            let line = screen.short(&line, screen.width - 4);
            screen.line(&[(PLAIN, &format!("    {line}"))])?;
        }
    }
    Ok(())
}

pub(super) fn losses<W: Write>(screen: &mut Screen<'_, W>, lost: &Lost) -> io::Result<()> {
    let Lost { regions, names, metrics, tags, visits } = *lost;
    let count = |number: u64| thousands(number);
    if visits > 0 {
        let text = format!("{} visits were lost: no memory (IOGLASS_REGION_MEMORY)", count(visits));
        warn(screen, &text)?;
    }
    if regions > 0 {
        let text =
            format!("{} visits are put together as (more): too many regions", count(regions));
        warn(screen, &text)?;
    }
    let rest =
        [("names were cut", names), ("metrics were lost", metrics), ("tags were lost", tags)];
    for (what, number) in rest {
        if number > 0 {
            warn(screen, &format!("{} {what}", count(number)))?;
        }
    }
    Ok(())
}

/// Writes a line about the quality of the data.
pub(super) fn warn<W: Write>(screen: &mut Screen<'_, W>, text: &str) -> io::Result<()> {
    for (line, number) in screen.wrap(text, screen.room(2)).into_iter().zip(0..) {
        let sign = if number == 0 { "! " } else { "  " };
        screen.line(&[(WARN, sign), (PLAIN, &line)])?;
    }
    Ok(())
}

/// What is said if there is no region.
pub(super) fn empty<W: Write>(screen: &mut Screen<'_, W>) -> io::Result<()> {
    screen.line(&[(PLAIN, "No region was entered.")])?;
    screen.blank()?;
    screen.paragraph(2, PLAIN, "Usual causes:")?;
    for cause in [
        "- the program has none            ioglass include",
        "- IOGLASS_REGIONS=0 was set",
        "- it is linked statically         ioglass doctor ./app",
    ] {
        screen.line(&[(PLAIN, "  "), (PLAIN, cause)])?;
    }
    Ok(())
}

pub(super) fn last_line<W: Write>(
    screen: &mut Screen<'_, W>,
    set: &Set,
    overview: &Overview,
) -> io::Result<()> {
    let is_whole = set.profile().lost == Lost::default();
    let percent = 100.0 * overview.overhead;
    let cost = match percent {
        _ if percent < 0.001 => "< 0.001 %".into(),
        _ if percent < 0.1 => format!("{} %", fixed(percent, 3)),
        _ => crate::number::percent(overview.overhead),
    };
    let (style, sign) = if is_whole { (GOOD, screen.sign('✓')) } else { (WARN, "!".into()) };
    let begin = if is_whole { "nothing lost" } else { "some was lost" };
    let mut facts = vec![format!("{sign} {begin}, measuring cost {cost}")];
    if overview.regions.iter().any(|line| line.on_ranks.is_some()) {
        facts.push(format!("{} not on all ranks", screen.sign('†')));
    }
    facts.push("more: -v, --json".into());
    let mut sign = Some(sign);
    for line in Screen::<W>::flow(&facts, 3, screen.width) {
        let is_short = text::width(&line) <= screen.width;
        for line in if is_short { vec![line] } else { screen.wrap(&line, screen.width) } {
            let first = sign.take().unwrap_or_default();
            let rest = line.strip_prefix(&first).unwrap_or(&line);
            screen.line(&[(style, &first), (PLAIN, rest)])?;
        }
    }
    Ok(())
}
