//! The first lines: which run, which log, and what is wrong with the data.

use std::io::{self, Write};
use std::path::Path;

use ioglass_insight::{Diagnosis, Subject};

use super::page::{DIM, PLAIN, Page, WARN};
use crate::number::seconds;
use crate::text;

/// Columns that a program's name may take.
const NAME: usize = 40;

pub(super) fn write<W: Write>(
    page: &mut Page<'_, W>,
    diagnosis: &Diagnosis,
    log: &Path,
) -> io::Result<()> {
    let subject = &diagnosis.subject;
    for line in Page::<W>::flow(&run(page, subject), 2, page.width) {
        page.line(&[(PLAIN, &line)])?;
    }
    for line in Page::<W>::flow(&about_log(page, subject, log), 2, page.width) {
        page.line(&[(DIM, &line)])?;
    }
    for warning in &diagnosis.warnings {
        let sentence = match warning.marks {
            true => format!("{}. Marked †.", warning.text.trim_end_matches('.')),
            false => warning.text.clone(),
        };
        for (i, line) in page.wrap(&sentence, page.room(2)).into_iter().enumerate() {
            let sign = if i == 0 { "! " } else { "  " };
            let dagger = page.sign('†');
            match line.rsplit_once(&dagger).filter(|_| warning.marks) {
                Some((before, after)) => {
                    page.line(&[(WARN, sign), (PLAIN, before), (WARN, &dagger), (PLAIN, after)])?;
                }
                None => page.line(&[(WARN, sign), (PLAIN, &line)])?,
            }
        }
    }
    Ok(())
}

fn run<W: Write>(page: &Page<'_, W>, subject: &Subject) -> Vec<String> {
    let mut items = vec![page.short(&subject.program, NAME.min(page.width))];
    items.push(page.ranks(subject.ranks));
    items.push(seconds(subject.run_time));
    items.push(format!("job {}", subject.jobid));
    if subject.start != 0 {
        items.push(text::date(subject.start, "%Y-%m-%d %H:%M UTC"));
    }
    items
}

fn about_log<W: Write>(page: &Page<'_, W>, subject: &Subject, log: &Path) -> Vec<String> {
    let mut items = vec![page.short(&subject.recorder, NAME)];
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
    let room = page.width.saturating_sub(used).max(NAME / 2).min(page.width);
    items.insert(0, page.short(&name, room));
    items
}
