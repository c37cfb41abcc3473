//! Tables of text, as sections of the `IOGLASS` block have them.
//!
//! The first line has the names of the columns, each further line is a row. Tabs separate columns.
//! Readers find columns by name, because later versions add columns.
//!
//! ```
//! use ioglass_log::table::Table;
//!
//! let table = Table::new("rank\tcalls\tdirectory\n0\t7\t/data\n1\tmany\t/data\n");
//! let (calls, missing) = (table.column("calls"), table.column("seconds"));
//! let first = table.rows().next().unwrap();
//! assert_eq!(first.number::<u64>(calls), Some(7));
//! assert_eq!(first.get(missing), None);
//! assert_eq!(table.rows().filter_map(|row| row.number::<u64>(calls)).count(), 1);
//! ```

use core::str::FromStr;

/// The text of a section. Nothing is copied, and any text is a table.
#[derive(Debug, Clone, Copy)]
pub struct Table<'t> {
    head: &'t str,
    rows: &'t str,
}

/// The position of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Column {
    index: usize,
    /// True if no other column follows: then it has the rest of the line.
    is_last: bool,
}

/// One line of a table.
#[derive(Debug, Clone, Copy)]
pub struct Row<'t> {
    line: &'t str,
}

impl<'t> Table<'t> {
    /// The table with this text.
    pub fn new(text: &'t str) -> Self {
        let (head, rows) = text.split_once('\n').unwrap_or((text, ""));
        Self { head, rows }
    }

    /// The names of its columns.
    pub fn names(&self) -> impl Iterator<Item = &'t str> + Clone + use<'t> {
        self.head.split('\t').filter(|name| !name.is_empty())
    }

    /// The column with this name, if there is one.
    pub fn column(&self, name: &str) -> Option<Column> {
        let mut names = self.head.split('\t');
        let index = names.position(|other| other == name)?;
        Some(Column { index, is_last: names.next().is_none() })
    }

    /// Its rows, without empty lines.
    pub fn rows(&self) -> impl Iterator<Item = Row<'t>> + Clone + use<'t> {
        self.rows.lines().filter(|line| !line.is_empty()).map(|line| Row { line })
    }
}

impl<'t> Row<'t> {
    /// The text in a column; `None` if the table has no such column or the line is too short.
    pub fn get(&self, column: Option<Column>) -> Option<&'t str> {
        let Column { index, is_last } = column?;
        if is_last {
            self.line.splitn(index + 1, '\t').nth(index)
        } else {
            self.line.split('\t').nth(index)
        }
    }

    /// The number in a column, if there is one.
    pub fn number<N: FromStr>(&self, column: Option<Column>) -> Option<N> {
        self.get(column)?.parse().ok()
    }

    /// All its texts, in the order of the columns.
    pub fn words(&self) -> impl Iterator<Item = &'t str> + Clone + use<'t> {
        self.line.split('\t')
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use super::*;

    #[test]
    fn columns_are_found_by_name() {
        let table = Table::new("a\tb\tc\n1\t2\t3\n\n4\n5\t6\t7\t8\n");
        assert_eq!(table.names().collect::<Vec<_>>(), ["a", "b", "c"]);
        let of = |name| table.rows().map(|row| row.get(table.column(name))).collect::<Vec<_>>();
        assert_eq!(of("a"), [Some("1"), Some("4"), Some("5")]);
        assert_eq!(of("b"), [Some("2"), None, Some("6")]);
        // The last column may have anything.
        assert_eq!(of("c"), [Some("3"), None, Some("7\t8")]);
        assert_eq!(of("d"), [None; 3]);
    }

    #[test]
    fn any_text_is_a_table() {
        for text in ["", "\n", "\n\n\t\n", "a", "a\n", "\t\t\n\t\n", "a\r\n1\r\n"] {
            let table = Table::new(text);
            for row in table.rows() {
                let _ = (row.get(table.column("a")), row.number::<u64>(table.column("")));
                assert!(row.words().count() > 0);
            }
        }
    }
}
