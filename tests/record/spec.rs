//! What a program says about itself, in comments at its top. A line that begins with four blanks
//! continues the one before. Names are relative to the directory that the program is given;
//! `{a*200}` in a name is 200 times `a`, `{0..9}` stands for ten names, `*` and `?` match as in a
//! shell.
//!
//! ```text
//! build: -O2 -luring           more arguments for the compiler
//! library: moments/lib/early.c                                    a library to link it with
//! needs: liburing.h            a header without which the program is skipped
//! given: NAME BYTES            a file that is there before the program starts
//! stdin: NAME, stdout: NAME, stdout: >> NAME, stderr: NAME         redirections
//! expect: MODULE NAME: COUNTER VALUE, ...; ACCESSES                of the first process
//! expect: MODULE NAME @RANK: ...                                   of another; `@*`: of all, added up
//! absent: MODULE NAME          there is no such record
//! others: NAME: CALL NUMBER, ...                                   calls that no module counts, all of them
//! metadata: NAME: CALL NUMBER, CALL NUMBER/FAILED, ...             calls in a directory, all of them; `.` is the folder
//! facts: NAME: COLUMN VALUE, ...                                   of a file, all that there are but times
//! ```
//!
//! A value is a number (octal after a 0), `*` for any, `7..` for at least 7, or `id(NAME)` for the id of a
//! record. Counters that are not named are 0, and every record in the directory is named.
//!
//! Accesses are `w OFFSET LENGTH` and `r OFFSET LENGTH`, with `x9` for nine of them one after the other and
//! `+100` if they begin 100 bytes apart. `|` is an open or a close between them. From this list follow all
//! counters of data and the trace; counters that are named win. Where `READS` or `WRITES` is named
//! and there is no list, the rest is not known.

use std::fmt;
use std::iter;
use std::path::Path;

use super::model::{Access, Step};

#[derive(Debug, Default)]
pub(super) struct Spec {
    pub(super) build: Vec<String>,
    pub(super) library: Option<String>,
    pub(super) needs: Vec<String>,
    pub(super) given: Vec<(String, usize)>,
    pub(super) stdin: Option<String>,
    pub(super) stdout: Option<Target>,
    pub(super) stderr: Option<Target>,
    pub(super) expected: Vec<Expected>,
    pub(super) absent: Vec<(String, String)>,
    /// File, call, how often.
    pub(super) others: Vec<(String, String, i64)>,
    /// Directory, call, how often and how often in vain.
    pub(super) metadata: Vec<(String, String, (i64, i64))>,
    /// File, column, value.
    pub(super) facts: Vec<(String, String, String)>,
}

/// Where an output goes.
#[derive(Debug)]
pub(super) struct Target {
    pub(super) name: String,
    pub(super) append: bool,
}

/// What one record must hold.
#[derive(Debug, Clone)]
pub(super) struct Expected {
    pub(super) module: String,
    pub(super) name: String,
    pub(super) rank: Rank,
    pub(super) counters: Vec<(String, Want)>,
    pub(super) steps: Option<Vec<Step>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Rank {
    One(i64),
    All,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Want {
    Exactly(i64),
    AtLeast(i64),
    IdOf(String),
    Any,
}

impl Spec {
    pub(super) fn read(source: &Path) -> Self {
        let text = std::fs::read_to_string(source).unwrap();
        Self::parse(&text).unwrap_or_else(|line| panic!("{}: cannot read {line}", source.display()))
    }

    /// Gives back the line it does not understand.
    fn parse(text: &str) -> Result<Self, String> {
        let mut spec = Self::default();
        for line in directives(text) {
            spec.add(&line).ok_or(line)?;
        }
        if spec.expected.is_empty() && spec.absent.is_empty() && spec.metadata.is_empty() {
            return Err("any expectation".to_owned());
        }
        Ok(spec)
    }

    fn add(&mut self, line: &str) -> Option<()> {
        let (key, value) = line.split_once(": ")?;
        match key {
            "build" => self.build.extend(value.split_whitespace().map(str::to_owned)),
            "library" => self.library = Some(value.to_owned()),
            "needs" => self.needs.push(value.to_owned()),
            "given" => {
                let (name, bytes) = value.rsplit_once(' ')?;
                self.given.push((name.to_owned(), bytes.parse().ok()?));
            }
            "stdin" => self.stdin = Some(value.to_owned()),
            "stdout" => self.stdout = Some(Target::parse(value)),
            "stderr" => self.stderr = Some(Target::parse(value)),
            "expect" => self.expected.extend(Expected::parse(value)?),
            "absent" => {
                let (module, name) = value.split_once(' ')?;
                self.absent.push((module.to_owned(), name.to_owned()));
            }
            "others" => {
                let (name, calls) = value.split_once(": ")?;
                for call in calls.split(", ") {
                    let (call, number) = call.split_once(' ')?;
                    self.others.push((name.to_owned(), call.to_owned(), number.parse().ok()?));
                }
            }
            "metadata" => {
                let (name, calls) = value.split_once(": ")?;
                for call in calls.split(", ") {
                    let (call, number) = call.split_once(' ')?;
                    let (number, failed) = number.split_once('/').unwrap_or((number, "0"));
                    let numbers = (number.parse().ok()?, failed.parse().ok()?);
                    self.metadata.push((name.to_owned(), call.to_owned(), numbers));
                }
            }
            "facts" => {
                let (name, facts) = value.split_once(": ")?;
                for fact in facts.split(", ") {
                    let (column, value) = fact.split_once(' ')?;
                    self.facts.push((name.to_owned(), column.to_owned(), value.to_owned()));
                }
            }
            _ => return None,
        }
        Some(())
    }

    /// Whether all of it happens in one process.
    pub(super) fn is_one_process(&self) -> bool {
        self.expected.iter().all(|expected| expected.rank == Rank::One(0))
    }
}

const KEYS: [&str; 12] = [
    "build", "library", "needs", "given", "stdin", "stdout", "stderr", "expect", "absent",
    "others", "metadata", "facts",
];

/// Comments that begin with a key, each with its continuations.
fn directives(text: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut open = false;
    for line in text.lines() {
        let comment = line.strip_prefix("//").or_else(|| line.strip_prefix("# "));
        let Some(comment) = comment else {
            open = false;
            continue;
        };
        if open && comment.starts_with("    ") {
            let last = found.last_mut().expect("a directive is open");
            last.push(' ');
            last.push_str(comment.trim());
            continue;
        }
        let comment = comment.trim();
        open = comment.split_once(": ").is_some_and(|(key, _)| KEYS.contains(&key));
        if open {
            found.push(comment.to_owned());
        }
    }
    found
}

impl Target {
    fn parse(value: &str) -> Self {
        match value.strip_prefix(">> ") {
            Some(name) => Self { name: name.to_owned(), append: true },
            None => Self { name: value.to_owned(), append: false },
        }
    }
}

impl Expected {
    /// One for each name that the pattern stands for.
    fn parse(value: &str) -> Option<Vec<Self>> {
        let (module, rest) = value.split_once(' ')?;
        let (name, rest) = rest.split_once(": ")?;
        let (name, rank) = match name.split_once(" @") {
            None => (name, Rank::One(0)),
            Some((name, "*")) => (name, Rank::All),
            Some((name, rank)) => (name, Rank::One(rank.parse().ok()?)),
        };
        let (counters, steps) = match rest.split_once(';') {
            Some((counters, steps)) => (counters, Some(steps)),
            None => (rest, None),
        };
        let counters = counters
            .split(',')
            .map(str::trim)
            .filter(|pair| !pair.is_empty())
            .map(|pair| {
                let (counter, want) = pair.split_once(' ')?;
                Some((format!("{module}_{counter}"), Want::parse(want)?))
            })
            .collect::<Option<Vec<_>>>()?;
        let counted = |name: &str| counters.iter().any(|(counter, _)| counter.ends_with(name));
        let steps = match steps {
            Some(steps) => Some(parse_steps(steps)?),
            None if counted("_READS") || counted("_WRITES") => None,
            None => Some(Vec::new()),
        };
        let names = expand(name)?.into_iter();
        let expected = names.map(|name| Self {
            module: module.to_owned(),
            name,
            rank,
            counters: counters.clone(),
            steps: steps.clone(),
        });
        Some(expected.collect())
    }
}

impl fmt::Display for Want {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exactly(value) => write!(f, "{value}"),
            Self::AtLeast(value) => write!(f, "{value} or more"),
            Self::IdOf(name) => write!(f, "the id of {name}"),
            Self::Any => f.write_str("anything"),
        }
    }
}

impl Want {
    fn parse(text: &str) -> Option<Self> {
        if text == "*" {
            return Some(Self::Any);
        }
        if let Some(name) = text.strip_prefix("id(") {
            return Some(Self::IdOf(name.strip_suffix(')')?.to_owned()));
        }
        if let Some(least) = text.strip_suffix("..") {
            return Some(Self::AtLeast(least.parse().ok()?));
        }
        let octal = text.len() > 1 && text.starts_with('0');
        let number = if octal { i64::from_str_radix(text, 8) } else { text.parse() };
        Some(Self::Exactly(number.ok()?))
    }
}

fn parse_steps(text: &str) -> Option<Vec<Step>> {
    let mut steps = Vec::new();
    for (i, part) in text.split('|').enumerate() {
        if i > 0 {
            steps.push(Step::Reopen);
        }
        for access in part.split(',').map(str::trim).filter(|access| !access.is_empty()) {
            parse_accesses(access, &mut steps)?;
        }
    }
    Some(steps)
}

/// `w 0 100 x3 +1000`
fn parse_accesses(text: &str, steps: &mut Vec<Step>) -> Option<()> {
    let mut words = text.split_whitespace();
    let write = match words.next()? {
        "w" => true,
        "r" => false,
        _ => return None,
    };
    let offset: i64 = words.next()?.parse().ok()?;
    let length: i64 = words.next()?.parse().ok()?;
    let (mut times, mut apart) = (1, length);
    for word in words {
        match (word.strip_prefix('x'), word.strip_prefix('+')) {
            (Some(number), _) => times = number.parse().ok()?,
            (_, Some(number)) => apart = number.parse().ok()?,
            _ => return None,
        }
    }
    steps.extend(
        (0..times).map(|i| Step::Access(Access { write, offset: offset + i * apart, length })),
    );
    Some(())
}

/// Spells out `{a*200}`, `{0..9}` and `\n`.
fn expand(name: &str) -> Option<Vec<String>> {
    let name = name.replace("\\n", "\n");
    let Some((before, rest)) = name.split_once('{') else { return Some(vec![name]) };
    let (inside, after) = rest.split_once('}')?;
    let after = expand(after)?;
    let middle: Vec<String> = if let Some((text, times)) = inside.split_once('*') {
        vec![text.repeat(times.parse().ok()?)]
    } else {
        let (first, last) = inside.split_once("..")?;
        (first.parse::<u32>().ok()?..=last.parse().ok()?).map(|i| i.to_string()).collect()
    };
    let names = middle.iter().flat_map(|middle| {
        iter::zip(iter::repeat(middle), &after)
            .map(|(middle, after)| format!("{before}{middle}{after}"))
    });
    Some(names.collect())
}

#[test]
fn spells_out_what_it_reads() {
    let spec = Spec::parse(
        "// given: in 7\n// expect: POSIX f{1..2}{x*3} @1: OPENS 2, MODE 0644; w 0 5 x2 +8 | r 1 1\n\
         // expect: STDIO <STDOUT>: READS 1..,\n//     BYTES_READ *\n",
    )
    .unwrap();
    assert_eq!(spec.given, [("in".to_owned(), 7)]);
    assert_eq!(spec.expected.len(), 3);
    let second = &spec.expected[1];
    assert_eq!((second.name.as_str(), second.rank), ("f2xxx", Rank::One(1)));
    assert_eq!(second.counters[1], ("POSIX_MODE".to_owned(), Want::Exactly(420)));
    let access = |write, offset, length| Step::Access(Access { write, offset, length });
    let steps = [access(true, 0, 5), access(true, 8, 5), Step::Reopen, access(false, 1, 1)];
    assert_eq!(second.steps.as_deref(), Some(&steps[..]));
    assert_eq!(spec.expected[2].counters[1].1, Want::Any);
    assert_eq!(spec.expected[2].steps, None);
    assert!(Spec::parse("// expect: POSIX x OPENS 1").is_err());
    assert!(Spec::parse("int main() {}").is_err());
}
