//! One line: its columns, and the numbers in them.

/// A data line. Columns after the value may be missing.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct LineColumns<'l> {
    pub(super) module: &'l [u8],
    pub(super) rank: &'l [u8],
    pub(super) id: &'l [u8],
    pub(super) counter: &'l [u8],
    pub(super) value: &'l [u8],
    pub(super) name: Option<&'l [u8]>,
    pub(super) mount: Option<&'l [u8]>,
    pub(super) fs_type: Option<&'l [u8]>,
}

/// The columns that a data line should have.
const EXPECTED: &str = "expected module, rank, record id, counter, value \
                        and perhaps file name, mount point, file system type";

impl<'l> LineColumns<'l> {
    pub(super) fn split(line: &'l [u8]) -> Result<Self, String> {
        if line.contains(&b'\t') { Self::split_at_tabs(line) } else { Self::split_at_blanks(line) }
    }

    fn split_at_tabs(line: &'l [u8]) -> Result<Self, String> {
        let mut parts = line.splitn(6, |byte| *byte == b'\t');
        let mut first = [&line[..0]; 5];
        for (found, column) in first.iter_mut().enumerate() {
            *column = parts.next().ok_or_else(|| columns_missing(found))?.trim_ascii();
        }
        let [module, rank, id, counter, value] = first;
        let mut columns =
            Self { module, rank, id, counter, value, name: None, mount: None, fs_type: None };
        if let Some(rest) = parts.next() {
            // A name may contain tabs, so the last two columns are found from the end.
            let mut from_end = rest.rsplitn(3, |byte| *byte == b'\t');
            let last = [from_end.next(), from_end.next(), from_end.next()];
            (columns.name, columns.mount, columns.fs_type) = match last {
                [fs_type, mount, Some(name)] => (Some(name), mount, fs_type),
                [mount, Some(name), None] => (Some(name), mount, None),
                [name, None, None] => (name, None, None),
            };
        }
        Ok(columns)
    }

    /// Without tabs, a name with a blank cannot be told from two columns.
    fn split_at_blanks(line: &'l [u8]) -> Result<Self, String> {
        let parts: Vec<&[u8]> = words(line).take(9).collect();
        let [module, rank, id, counter, value, ref rest @ ..] = parts[..] else {
            return Err(columns_missing(parts.len()));
        };
        let (name, mount, fs_type) = match *rest {
            [] => (None, None, None),
            [name] => (Some(name), None, None),
            [name, mount, fs_type] => (Some(name), Some(mount), Some(fs_type)),
            _ => {
                return Err("cannot tell where the file name ends; \
                            separate the columns with tabs"
                    .into());
            }
        };
        Ok(Self { module, rank, id, counter, value, name, mount, fs_type })
    }
}

fn columns_missing(found: usize) -> String {
    let plural = if found == 1 { "" } else { "s" };
    format!("found {found} column{plural}, {EXPECTED}")
}

/// The parts of a line between blanks.
pub(super) fn words(line: &[u8]) -> impl Iterator<Item = &[u8]> {
    line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty())
}

pub(super) fn int(text: &[u8], what: &str) -> Result<i64, String> {
    parse(text).ok_or_else(|| format!("{what} is {}, expected an integer", shown(text)))
}

pub(super) fn unsigned(text: &[u8], what: &str) -> Result<u64, String> {
    parse(text).ok_or_else(|| format!("{what} is {}, expected an unsigned integer", shown(text)))
}

pub(super) fn float(text: &[u8], what: &str) -> Result<f64, String> {
    parse(text).ok_or_else(|| format!("{what} is {}, expected a number", shown(text)))
}

pub(super) fn parse<T: std::str::FromStr>(text: &[u8]) -> Option<T> {
    str::from_utf8(text).ok()?.parse().ok()
}

/// Text for a message: in quotes, and not too much of it.
pub(super) fn shown(text: &[u8]) -> String {
    const MOST: usize = 60;
    match text.get(..MOST) {
        Some(start) => format!("\"{}…\"", start.escape_ascii()),
        None => format!("\"{}\"", text.escape_ascii()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(line: &str) -> Result<(String, Vec<Option<String>>), String> {
        let own = |text: &[u8]| String::from_utf8_lossy(text).into_owned();
        let columns = LineColumns::split(line.as_bytes())?;
        let LineColumns { module, rank, id, counter, value, .. } = columns;
        let first = [module, rank, id, counter, value].map(own).join("|");
        let rest = [columns.name, columns.mount, columns.fs_type];
        Ok((first, rest.into_iter().map(|column| column.map(own)).collect()))
    }

    fn rest(line: &str) -> Vec<Option<String>> {
        let (first, rest) = split(line).unwrap();
        assert_eq!(first, "POSIX|0|7|POSIX_OPENS|1");
        rest
    }

    #[test]
    fn columns_with_tabs() {
        let some = |text: &str| Some(text.to_owned());
        let start = "POSIX\t0\t7\tPOSIX_OPENS\t1";
        assert_eq!(rest(start), [None, None, None]);
        assert_eq!(rest(&format!("{start}\t")), [some(""), None, None]);
        assert_eq!(rest(&format!("{start}\ta b")), [some("a b"), None, None]);
        assert_eq!(rest(&format!("{start}\ta\t/")), [some("a"), some("/"), None]);
        assert_eq!(rest(&format!("{start}\ta\t/\text4")), [some("a"), some("/"), some("ext4")]);
        let tab_in_name = rest(&format!("{start}\ta\tb\t/\text4"));
        assert_eq!(tab_in_name, [some("a\tb"), some("/"), some("ext4")]);
    }

    #[test]
    fn columns_with_blanks() {
        let some = |text: &str| Some(text.to_owned());
        let start = "POSIX  0 7   POSIX_OPENS 1";
        assert_eq!(rest(start), [None, None, None]);
        assert_eq!(rest(&format!("{start} a ")), [some("a"), None, None]);
        assert_eq!(rest(&format!("{start} a / ext4")), [some("a"), some("/"), some("ext4")]);
        assert!(split(&format!("{start} a b")).unwrap_err().contains("tabs"));
        assert!(split(&format!("{start} a b / ext4")).unwrap_err().contains("tabs"));
        assert!(split("POSIX 0 7").unwrap_err().contains("found 3 columns"));
    }

    #[test]
    fn long_text_is_cut_in_messages() {
        assert_eq!(shown(b"a\xff"), "\"a\\xff\"");
        assert!(shown(&[b'a'; 1000]).len() < 80);
    }
}
