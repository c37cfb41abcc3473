//! The lines on the data moved and its location.

use std::io::{self, Write};

use ioglass_insight::{Diagnosis, Moved, Where};

use super::screen::{PLAIN, Screen};
use crate::number::{bytes, counted, rate, thousands};
use crate::{settings, text};

/// Columns before a fact.
const LABEL: usize = 10;
/// File systems that are named.
const SYSTEMS: usize = 2;

/// Writes both facts. Each is cut to one line unless `is_whole`.
pub(super) fn write<W: Write>(
    screen: &mut Screen<'_, W>,
    diagnosis: &Diagnosis,
    is_whole: bool,
) -> io::Result<()> {
    fact(screen, "moved", &moved(&diagnosis.moved), is_whole)?;
    fact(screen, "where", &place(&diagnosis.place), is_whole)?;
    if diagnosis.settings.is_empty() {
        return Ok(());
    }
    let more = if is_whole { "" } else { " (-v)" };
    let counts = settings::counts(&diagnosis.settings);
    fact(screen, "set", &[format!("{counts}{more}")], true)
}

fn fact<W: Write>(
    screen: &mut Screen<'_, W>,
    label: &str,
    words: &[String],
    is_whole: bool,
) -> io::Result<()> {
    let room = screen.width - LABEL;
    let mut line = String::new();
    for (i, word) in words.iter().enumerate() {
        let longer = if i == 0 { word.clone() } else { format!("{line}, {word}") };
        if i > 0 && !is_whole && text::width(&screen.text(&longer)) > room {
            break;
        }
        line = longer;
    }
    for (i, line) in screen.wrap(&line, room).iter().enumerate() {
        let label = if i == 0 { label } else { "" };
        screen.line(&[(PLAIN, &format!("  {label:<8}{line}"))])?;
    }
    Ok(())
}

pub(crate) fn moved(moved: &Moved) -> Vec<String> {
    let amounts = [(moved.written, "written"), (moved.read, "read")];
    let amounts = amounts.into_iter().filter(|(amount, _)| *amount > 0);
    let words: Vec<String> = amounts.map(|(n, verb)| format!("{} {verb}", bytes(n))).collect();
    if words.is_empty() {
        return vec!["nothing".into()];
    }
    let mut amount = words.join(", ");
    if !moved.by.is_empty() {
        amount += &format!(" by {}", moved.by);
    }
    if let Some(speed) = moved.rate {
        amount += &format!(" at {}", rate(speed));
    }
    let requests = counted(moved.requests, "request", "requests");
    let requests = moved.common_size.map(|size| format!("{requests} of {}", bytes(size)));
    std::iter::once(amount).chain(requests).collect()
}

pub(crate) fn place(place: &Where) -> Vec<String> {
    let systems = place.systems.iter().take(SYSTEMS).map(|(kind, mount)| {
        // The root says nothing about where.
        if mount.is_empty() || mount == "/" { kind.clone() } else { format!("{kind} {mount}") }
    });
    let mut systems: Vec<String> = systems.collect();
    if let Some(more) = place.systems.len().checked_sub(SYSTEMS).filter(|more| *more > 0) {
        systems.push(format!("{more} more"));
    }
    let mut words = match systems.split_last() {
        Some((last, [])) => vec![last.clone()],
        Some((last, first)) => vec![format!("{} and {last}", first.join(", "))],
        None => Vec::new(),
    };
    words.push(counted(place.files, "file", "files"));
    if place.one_per_rank {
        words.push("one per rank".into());
    } else if place.shared > 0 && place.shared == place.files {
        words.push("shared".into());
    } else if place.shared > 0 {
        words.push(format!("{} of them shared", thousands(place.shared)));
    }
    match place.stripes {
        Some(1) if place.files == 1 => words.push("one stripe".into()),
        Some(1) => words.push("one stripe each".into()),
        Some(stripes) if place.files == 1 => words.push(format!("{} stripes", thousands(stripes))),
        Some(stripes) => words.push(format!("{} stripes each", thousands(stripes))),
        None => {}
    }
    if let Some(targets) = place.targets {
        words.push(counted(targets, "OST", "OSTs"));
    }
    if !place.folder.is_empty() {
        words.push(format!("in {}", text::last_parts(&place.folder, 2)));
    }
    words
}
