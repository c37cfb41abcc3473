//! Names of records, each once.

use std::collections::HashSet;
use std::fs::File;

use ioglass_log::LogWriter;

use crate::Result;
use crate::write::Work;

/// Writes the names of all logs. Of an id that several logs name the first name counts.
pub(crate) fn merge(work: &mut Work<'_>, writer: &mut LogWriter<File>) -> Result<()> {
    let mut seen: HashSet<u64> = HashSet::new();
    let mut names = writer.begin_names()?;
    work.each_log(
        |_| true,
        |log, _| {
            for (id, name) in log.names().iter() {
                // An empty name says nothing; another log may have a better one.
                if !name.is_empty() && seen.insert(id) {
                    names.name(id, name)?;
                }
            }
            Ok(())
        },
    )?;
    Ok(names.finish()?)
}
