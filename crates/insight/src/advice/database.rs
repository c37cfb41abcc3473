//! SQLite: the database decides which bytes are written, the program how often.

use super::template::{Template, template};
use super::{Setting, see};
use crate::finding::Advice;

const TRANSACTION: Template = template!("one_transaction": Python "py", Sql "sql");
const PAGE_CACHE: Template = template!("page_cache": Python "py", Sql "sql");

/// Make many changes in one transaction.
pub fn one_transaction(setting: &Setting) -> Advice {
    let text =
        "Put the changes in one transaction: a crash loses all since BEGIN, never half of one.";
    Advice::of(text, see::SQLITE_INSERTS).snippet(setting, &TRANSACTION, &[])
}

/// Let the database keep more of itself in memory.
pub fn page_cache(setting: &Setting) -> Advice {
    let text = "Keep one connection with a page cache of 64 MiB, read in one transaction, and give \
                slow queries an index.";
    Advice::of(text, see::SQLITE_CACHE).snippet(setting, &PAGE_CACHE, &[])
}

/// The database that a file belongs to, by its name: itself, or the one of a journal.
pub(crate) fn name_of(file: &str) -> Option<&str> {
    let name = journal_of(file).unwrap_or(file);
    let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending);
    let is_known =
        ["db", "sqlite", "sqlite3", "db3"].iter().any(|known| ending.eq_ignore_ascii_case(known));
    is_known.then_some(name)
}

/// The file that a journal is of, whatever its name.
pub(crate) fn journal_of(file: &str) -> Option<&str> {
    JOURNALS.iter().find_map(|ending| file.strip_suffix(ending)).filter(|name| !name.is_empty())
}

/// Endings of the files beside a database.
pub(crate) const JOURNALS: [&str; 2] = ["-journal", "-wal"];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn databases_are_known_by_name() {
        assert_eq!(name_of("/a/x.db"), Some("/a/x.db"));
        assert_eq!(name_of("/a/x.SQLite3-journal"), Some("/a/x.SQLite3"));
        assert_eq!(name_of("/a/db"), None);
        assert_eq!(name_of("/a/x.dat-wal"), None);
        assert_eq!(journal_of("/a/x.dat-wal"), Some("/a/x.dat"));
        assert_eq!(journal_of("-wal"), None);
    }
}
