//! Tables with columns of several kinds: counts, seconds, words.

use std::collections::BTreeMap;
use std::fmt::Write;

use ioglass_harvest::contexts;
use ioglass_harvest::files::{FILES, FILES_COLUMNS, WAITING, WAITING_COLUMNS};
use ioglass_harvest::metadata::{self, NAMED, OTHERS};
use ioglass_harvest::settings;
use ioglass_log::block::{Block, SectionWriter};
use ioglass_log::table::Table;

/// What becomes of the values that several rows have in a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Rule {
    /// Rows with the same values in all such columns are one.
    Key,
    /// The same for a rank, which may have another number in the new log; `-` is none.
    Rank,
    /// Counts are added.
    Count,
    /// Seconds are added.
    Seconds,
    /// The largest count.
    Most,
    /// The first word that is not `-`.
    Word,
}

/// A table of a section.
#[derive(Debug)]
pub(crate) struct MeasuredTable {
    section: &'static str,
    head: String,
    rules: &'static [Rule],
    rows: BTreeMap<Vec<String>, Vec<Value>>,
}

#[derive(Debug, Clone, PartialEq)]
enum Value {
    Count(u64),
    Seconds(f64),
    Word(String),
}

/// All such tables.
pub(crate) fn tables() -> [MeasuredTable; 5] {
    use Rule::{Count, Key, Most, Rank, Seconds, Word};
    let table = |section, head: &str, rules| MeasuredTable {
        section,
        head: head.to_owned(),
        rules,
        rows: BTreeMap::new(),
    };
    [
        table(
            FILES,
            FILES_COLUMNS,
            &[Key, Rank, Word, Count, Count, Count, Seconds, Seconds, Seconds, Most],
        ),
        table(WAITING, WAITING_COLUMNS, &[Rank, Seconds]),
        table(
            contexts::SECTION,
            contexts::COLUMNS,
            &[
                Rank, Key, Key, Count, Count, Count, Count, Count, Count, Seconds, Seconds,
                Seconds, Key, Key, Key, Key,
            ],
        ),
        table(metadata::SECTION, metadata::COLUMNS, &[Rank, Key, Key, Count, Count, Seconds]),
        table(
            settings::SECTION,
            settings::head().trim_end(),
            &[Key, Key, Key, Key, Key, Key, Key, Key, Key, Key, Key, Key, Count, Count],
        ),
    ]
}

impl MeasuredTable {
    /// The name of the section.
    pub(crate) fn section(&self) -> &'static str {
        self.section
    }

    /// Adds the rows of a log. `rank` returns the new number of a rank, or `None` if the log's rows of
    /// it are left out.
    pub(crate) fn add(&mut self, text: &str, rank: impl Fn(i64) -> Option<i64>) {
        let table = Table::new(text);
        let columns: Vec<_> = self.head.split('\t').map(|name| table.column(name)).collect();
        for row in table.rows() {
            let words: Option<Vec<&str>> = columns.iter().map(|column| row.get(*column)).collect();
            let Some((key, values)) = words.and_then(|words| self.read(&words, &rank)) else {
                continue;
            };
            self.insert(key, values);
        }
    }

    fn insert(&mut self, key: Vec<String>, values: Vec<Value>) {
        let Some(known) = self.rows.get_mut(&key) else {
            self.rows.insert(key, values);
            return;
        };
        let rules = self.rules.iter().filter(|rule| !matches!(rule, Rule::Key | Rule::Rank));
        for ((rule, known), value) in rules.zip(known).zip(values) {
            known.join(*rule, value);
        }
    }

    fn read(
        &self,
        words: &[&str],
        rank: &impl Fn(i64) -> Option<i64>,
    ) -> Option<(Vec<String>, Vec<Value>)> {
        let (mut key, mut values) = (Vec::new(), Vec::new());
        for (rule, word) in self.rules.iter().zip(words) {
            match rule {
                Rule::Rank if *word != "-" => key.push(rank(word.parse().ok()?)?.to_string()),
                Rule::Key | Rule::Rank => key.push((*word).to_owned()),
                Rule::Count | Rule::Most => values.push(Value::Count(word.parse().ok()?)),
                Rule::Seconds => {
                    let seconds = word.parse().ok().filter(|seconds: &f64| seconds.is_finite())?;
                    values.push(Value::Seconds(seconds));
                }
                Rule::Word => values.push(Value::Word((*word).to_owned())),
            }
        }
        Some((key, values))
    }

    /// Writes the table, if it has rows.
    pub(crate) fn write(mut self, block: &mut Block) {
        if self.section == metadata::SECTION {
            self.name_few_directories();
        }
        let mut rows: Vec<(Vec<String>, Vec<Value>)> = self.rows.into_iter().collect();
        if rows.is_empty() {
            return;
        }
        // Ranks in the order of their numbers; processes without one come last.
        let rank = self.rules.iter().position(|rule| *rule == Rule::Rank);
        let number = |key: &[String]| -> i64 {
            let rank =
                self.rules.iter().take(rank.unwrap_or(0)).filter(|r| **r == Rule::Key).count();
            key.get(rank).and_then(|text| text.parse().ok()).unwrap_or(i64::MAX)
        };
        rows.sort_by_key(|(key, _)| number(key));
        let mut section = SectionWriter::new(self.section);
        // Writing to a section cannot fail.
        let _ = writeln!(section, "{}", self.head);
        for (key, values) in rows {
            let (mut key, mut values) = (key.into_iter(), values.into_iter());
            for (i, rule) in self.rules.iter().enumerate() {
                let tab = if i > 0 { "\t" } else { "" };
                let _ = match rule {
                    Rule::Key | Rule::Rank => {
                        write!(section, "{tab}{}", key.next().unwrap_or_default())
                    }
                    _ => match values.next() {
                        Some(Value::Count(count)) => write!(section, "{tab}{count}"),
                        Some(Value::Seconds(seconds)) => write!(section, "{tab}{seconds:.7}"),
                        Some(Value::Word(word)) => write!(section, "{tab}{word}"),
                        None => write!(section, "{tab}-"),
                    },
                };
            }
            let _ = writeln!(section);
        }
        section.finish(block);
    }

    /// Keeps the names of the costliest directories; the others of a rank become one.
    fn name_few_directories(&mut self) {
        let seconds = |values: &[Value]| match values {
            [.., Value::Seconds(seconds)] => *seconds,
            _ => 0.0,
        };
        let mut costs: BTreeMap<String, f64> = BTreeMap::new();
        for (key, values) in &self.rows {
            if let Some(directory) = key.get(1).filter(|directory| *directory != OTHERS) {
                *costs.entry(directory.clone()).or_default() += seconds(values);
            }
        }
        if costs.len() <= NAMED {
            return;
        }
        let mut costs: Vec<(String, f64)> = costs.into_iter().collect();
        costs.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        let named: Vec<String> = costs.into_iter().take(NAMED).map(|(name, _)| name).collect();
        for (mut key, values) in std::mem::take(&mut self.rows) {
            if let Some(directory) = key.get_mut(1).filter(|name| !named.contains(name)) {
                OTHERS.clone_into(directory);
            }
            self.insert(key, values);
        }
    }
}

impl Value {
    fn join(&mut self, rule: Rule, other: Self) {
        match (self, other) {
            (Self::Count(own), Self::Count(other)) if rule == Rule::Most => *own = other.max(*own),
            (Self::Count(own), Self::Count(other)) => *own = own.saturating_add(other),
            (Self::Seconds(own), Self::Seconds(other)) => *own += other,
            (Self::Word(own), Self::Word(other)) if own == "-" => *own = other,
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(table: MeasuredTable) -> String {
        let name = table.section();
        let mut block = Block::part();
        table.write(&mut block);
        let pieces = block.pieces.unwrap();
        let (own, piece) = &pieces[0];
        assert_eq!(own, name);
        String::from_utf8(piece.bytes.clone()).unwrap()
    }

    #[test]
    fn files_are_joined_by_record_and_rank() {
        let [mut files, ..] = tables();
        let head = FILES_COLUMNS;
        files.add(&format!("{head}\n7\t0\t-\t1\t0\t2\t0.5\t0\t0\t10\n"), Some);
        files.add(
            &format!("{head}\n7\t0\tfifo\t1\t0\t0\t0.25\t0\t1\t4\n8\t1\t-\t0\t1\t0\t0\t0\t0\t0\n"),
            |rank| Some(rank + 9 * rank),
        );
        files.add(&format!("{head}\n7\t5\t-\t1\t0\t2\t0.5\t0\t0\t10\n"), |_| None);
        let expected = format!(
            "{head}\n7\t0\tfifo\t2\t0\t2\t0.7500000\t0.0000000\t1.0000000\t10\n\
             8\t10\t-\t0\t1\t0\t0.0000000\t0.0000000\t0.0000000\t0\n"
        );
        assert_eq!(text(files), expected);
    }

    #[test]
    fn only_the_costliest_directories_keep_their_names() {
        let [.., mut calls, _] = tables();
        let rows: String = (0..70).map(|i| format!("0\t/d{i:02}\tstat\t2\t1\t{i}.0\n")).collect();
        calls.add(&format!("{}\n{rows}-\t-\tstat\t1\t1\t0.5\n", metadata::COLUMNS), Some);
        let text = text(calls);
        let others: Vec<&str> = text.lines().filter(|line| line.contains("\t-\t")).collect();
        // The six cheapest: 0 + 1 + … + 5 seconds.
        assert_eq!(others, ["0\t-\tstat\t12\t6\t15.0000000", "-\t-\tstat\t1\t1\t0.5000000"]);
        assert_eq!(text.lines().count(), 1 + 64 + 2);
    }

    #[test]
    fn contexts_are_joined_by_rank_record_layer_and_region() {
        let [.., mut contexts, _, _] = tables();
        let head = contexts::COLUMNS;
        let row = |rank: u32, bytes: u64, path: &str| {
            format!(
                "{rank}\t7\tposix\t1\t0\t2\t0\t{bytes}\t0\t0.0000000\t0.5000000\t0.0000000\t\
                 region\t3\ta.c\t{path}\n"
            )
        };
        contexts.add(&format!("{head}\n{}{}", row(0, 5, "main"), row(0, 6, "main/b c")), Some);
        contexts.add(&format!("{head}\n{}", row(0, 5, "main")), |rank| Some(rank + 1));
        contexts.add(&format!("{head}\n{}", row(0, 5, "main")), |_| None);
        let added = row(0, 10, "main").replace("\t1\t0\t2\t", "\t2\t0\t4\t");
        let added = added.replace("0.5000000", "1.0000000");
        contexts.add(&format!("{head}\n{}", row(0, 5, "main")), Some);
        let expected = format!("{head}\n{added}{}{}", row(0, 6, "main/b c"), row(1, 5, "main"));
        assert_eq!(text(contexts), expected);
    }

    #[test]
    fn rows_that_are_none_are_passed_over() {
        let [_, mut waiting, ..] = tables();
        waiting.add("rank\tseconds\n0\tNaN\nx\t1\n1\n1\t2.5\n", Some);
        waiting.add("", Some);
        waiting.add("seconds\n1\n", Some);
        assert_eq!(text(waiting), "rank\tseconds\n1\t2.5000000\n");
    }
}
