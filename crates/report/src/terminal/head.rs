//! The first lines: the run, the log, and warnings about the data.

use std::io::{self, Write};
use std::path::Path;

use ioglass_insight::{Diagnosis, Subject};

use super::screen::{DIM, PLAIN, Screen, WARN};
use crate::number::seconds;
use crate::text;

/// Columns that a program's name may take.
const NAME: usize = 40;

pub(super) fn write<W: Write>(
    screen: &mut Screen<'_, W>,
    diagnosis: &Diagnosis,
    log: &Path,
) -> io::Result<()> {
    let subject = &diagnosis.subject;
    for line in Screen::<W>::flow(&run(screen, subject), 2, screen.width) {
        screen.line(&[(PLAIN, &line)])?;
    }
    for line in Screen::<W>::flow(&about_log(screen, subject, log), 2, screen.width) {
        screen.line(&[(DIM, &line)])?;
    }
    for warning in &diagnosis.warnings {
        let sentence = match warning.marks {
            true => format!("{}. Marked †.", warning.text.trim_end_matches('.')),
            false => warning.text.clone(),
        };
        for (i, line) in screen.wrap(&sentence, screen.room(2)).into_iter().enumerate() {
            let sign = if i == 0 { "! " } else { "  " };
            let dagger = screen.sign('†');
            match line.rsplit_once(&dagger).filter(|_| warning.marks) {
                Some((before, after)) => {
                    screen.line(&[
                        (WARN, sign),
                        (PLAIN, before),
                        (WARN, &dagger),
                        (PLAIN, after),
                    ])?;
                }
                None => screen.line(&[(WARN, sign), (PLAIN, &line)])?,
            }
        }
    }
    Ok(())
}

fn run<W: Write>(screen: &Screen<'_, W>, subject: &Subject) -> Vec<String> {
    let mut items = vec![screen.short(&subject.program, NAME.min(screen.width))];
    items.push(screen.ranks(subject.ranks));
    items.push(seconds(subject.run_time));
    items.push(format!("job {}", subject.jobid));
    if subject.start != 0 {
        items.push(text::date(subject.start, "%Y-%m-%d %H:%M UTC"));
    }
    items
}

fn about_log<W: Write>(screen: &Screen<'_, W>, subject: &Subject, log: &Path) -> Vec<String> {
    let mut items = vec![screen.short(&subject.recorder, NAME)];
    if subject.is_complete {
        items.push("complete".into());
    }
    match subject.is_traced {
        Some(true) => items.push("traced".into()),
        Some(false) => items.push("no trace".into()),
        None => {}
    }
    let used: usize = items.iter().map(|item| text::width(item) + 2).sum();
    let name = log.file_name().unwrap_or(log.as_os_str()).to_string_lossy();
    let room = screen.width.saturating_sub(used).max(NAME / 2).min(screen.width);
    items.insert(0, screen.short(&name, room));
    items
}
