//! The flat form: settings as one line, as they travel to the library.
//!
//! ```text
//! ioglass-settings/1;@;mpiio.cb_nodes=4;@f=*.h5&v=x&force;hdf5.chunk=1,26,327680
//! ```
//!
//! Items are separated by `;`. An item that begins with `@` begins a rule and says to what it applies:
//! `f=` files, `v=` variables, `p=` programs, and the words `force`, `serial` and `respect`. The items
//! behind it are its settings, `name=value`, canonical. Rules stand in the order of precedence: the first
//! that matches and sets a parameter wins. Bytes that separate are written `%XX`.
//!
//! [`Writer`] writes a line. [`decode`] reads one in place, without allocation, and trusts nothing:
//! one wrong byte, and there are no settings at all.

use core::fmt::{self, Write};

use crate::param::{Param, Site, find};

/// The beginning of every line: name and version.
pub const MAGIC: &str = "ioglass-settings/1";
/// The most bytes of a line.
pub const MAX_LINE: usize = 64 << 10;

/// Separators inside a decoded line. No text of a line contains them.
const ITEM: u8 = 1;
const FIELD: u8 = 2;
const VALUE: u8 = 3;

/// To what the settings of a rule apply.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Scope<'a> {
    /// Pattern of files.
    pub file: Option<&'a str>,
    /// Pattern of variables: datasets.
    pub variable: Option<&'a str>,
    /// Pattern of programs.
    pub program: Option<&'a str>,
    /// Allows what needs to be forced.
    pub force: bool,
    /// Applies settings of HDF5 to files that are not opened through MPI-IO, too.
    pub serial: bool,
    /// Applies only where the program has left the default.
    pub respect: bool,
}

/// Writes a line.
#[derive(Debug)]
pub struct Writer<W> {
    out: W,
}

impl<W: Write> Writer<W> {
    /// Begins a line.
    ///
    /// # Errors
    /// If the output refuses.
    pub fn new(mut out: W) -> Result<Self, fmt::Error> {
        out.write_str(MAGIC)?;
        Ok(Writer { out })
    }

    /// Begins a rule. Rules are written in the order of precedence.
    ///
    /// # Errors
    /// If the output refuses.
    pub fn rule(&mut self, scope: &Scope<'_>) -> fmt::Result {
        self.out.write_str(";@")?;
        let mut first = true;
        let patterns = [("f=", scope.file), ("v=", scope.variable), ("p=", scope.program)];
        for (key, pattern) in patterns {
            let Some(pattern) = pattern else { continue };
            self.out.write_str(if first { "" } else { "&" })?;
            self.out.write_str(key)?;
            self.escaped(pattern)?;
            first = false;
        }
        let flags = [("force", scope.force), ("serial", scope.serial), ("respect", scope.respect)];
        for (word, flag) in flags {
            if flag {
                self.out.write_str(if first { "" } else { "&" })?;
                self.out.write_str(word)?;
                first = false;
            }
        }
        Ok(())
    }

    /// Writes a setting of the last rule; the value is canonical.
    ///
    /// # Errors
    /// If the output refuses.
    pub fn setting(&mut self, name: &str, value: &str) -> fmt::Result {
        self.out.write_char(';')?;
        self.escaped(name)?;
        self.out.write_char('=')?;
        self.escaped(value)
    }

    /// The output.
    pub fn into_inner(self) -> W {
        self.out
    }

    fn escaped(&mut self, text: &str) -> fmt::Result {
        for letter in text.chars() {
            match letter {
                '%' | ';' | '&' | '=' | '@' => write!(self.out, "%{:02X}", letter as u32)?,
                letter if letter.is_ascii_control() => {
                    write!(self.out, "%{:02X}", letter as u32)?;
                }
                letter => self.out.write_char(letter)?,
            }
        }
        Ok(())
    }
}

/// The reason why a line is not used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Damage {
    /// It begins otherwise, as lines of later versions do.
    Version,
    /// It is longer than [`MAX_LINE`].
    TooLong,
    /// An item is malformed.
    Malformed,
    /// A parameter is unknown.
    UnknownParameter,
    /// A value is not canonical or out of range.
    BadValue,
}

impl Damage {
    /// The reason, in words.
    pub const fn text(self) -> &'static str {
        match self {
            Damage::Version => "the settings are of another version",
            Damage::TooLong => "the settings are longer than 64 KiB",
            Damage::Malformed => "the settings are malformed",
            Damage::UnknownParameter => "the settings name an unknown parameter",
            Damage::BadValue => "a value of the settings is out of range",
        }
    }
}

/// A decoded line.
#[derive(Debug, Clone, Copy)]
pub struct Flat<'a> {
    items: &'a str,
}

/// Decodes a line in place.
///
/// # Errors
/// If anything in it is wrong; the buffer is then worthless.
pub fn decode(line: &mut [u8]) -> Result<Flat<'_>, Damage> {
    if line.len() > MAX_LINE {
        return Err(Damage::TooLong);
    }
    let rest = line.strip_prefix(MAGIC.as_bytes()).ok_or(Damage::Version)?;
    if !matches!(rest.first(), None | Some(b';')) {
        return Err(Damage::Version);
    }
    let length = unescape(&mut line[MAGIC.len()..]).ok_or(Damage::Malformed)?;
    let line: &[u8] = line;
    let items = &line[MAGIC.len()..][..length];
    let items = core::str::from_utf8(items).map_err(|_| Damage::Malformed)?;
    let flat = Flat { items };
    flat.check()?;
    Ok(flat)
}

/// Replaces separators by control bytes and escapes by what they mean. The new length.
fn unescape(bytes: &mut [u8]) -> Option<usize> {
    let (mut from, mut to) = (0, 0);
    let mut in_value = false;
    while from < bytes.len() {
        let byte = match bytes[from] {
            b';' => {
                in_value = false;
                ITEM
            }
            b'&' => {
                in_value = false;
                FIELD
            }
            b'=' if in_value => return None,
            b'=' => {
                in_value = true;
                VALUE
            }
            b'%' => {
                let hex = bytes.get(from + 1..from + 3)?;
                let hex = core::str::from_utf8(hex).ok()?;
                from += 2;
                // Lines never have NUL, and texts never have the separators of decoded ones.
                u8::from_str_radix(hex, 16).ok().filter(|byte| *byte > VALUE)?
            }
            0..=VALUE => return None,
            byte => byte,
        };
        bytes[to] = byte;
        (from, to) = (from + 1, to + 1);
    }
    Some(to)
}

impl<'a> Flat<'a> {
    /// The rules, in the order of precedence.
    pub fn rules(self) -> impl Iterator<Item = Rule<'a>> {
        let rules = self.items.strip_prefix("\u{1}@").unwrap_or("");
        rules.split("\u{1}@").filter(move |_| !self.items.is_empty()).map(Rule::new)
    }

    fn check(self) -> Result<(), Damage> {
        if !self.items.is_empty() && !self.items.starts_with("\u{1}@") {
            return Err(Damage::Malformed);
        }
        for rule in self.rules() {
            rule.scope().ok_or(Damage::Malformed)?;
            for item in rule.items() {
                let (name, value) = item.split_once(VALUE as char).ok_or(Damage::Malformed)?;
                let (param, _) = find(name).ok_or(Damage::UnknownParameter)?;
                let parsed = param.kind.parse(value).map_err(|_| Damage::BadValue)?;
                if !is_text_of(&parsed, value) {
                    return Err(Damage::BadValue);
                }
            }
        }
        Ok(())
    }
}

/// A rule of a decoded line.
#[derive(Debug, Clone, Copy)]
pub struct Rule<'a> {
    head: &'a str,
    items: &'a str,
}

/// A setting of a rule.
#[derive(Debug, Clone, Copy)]
pub struct Setting<'a> {
    /// The parameter.
    pub param: &'static Param,
    /// The full name; of a family with the rest of it.
    pub name: &'a str,
    /// The rest of the name of a family, else nothing.
    pub rest: &'a str,
    /// The canonical value.
    pub value: &'a str,
}

impl<'a> Rule<'a> {
    fn new(text: &'a str) -> Self {
        let (head, items) = text.split_once(ITEM as char).unwrap_or((text, ""));
        Rule { head, items }
    }

    fn items(self) -> impl Iterator<Item = &'a str> {
        self.items.split(ITEM as char).filter(move |_| !self.items.is_empty())
    }

    /// To what the rule applies.
    pub fn scope(self) -> Option<Scope<'a>> {
        let mut scope = Scope::default();
        for field in self.head.split(FIELD as char).filter(|_| !self.head.is_empty()) {
            match field.split_once(VALUE as char) {
                Some(("f", pattern)) => scope.file = Some(pattern),
                Some(("v", pattern)) => scope.variable = Some(pattern),
                Some(("p", pattern)) => scope.program = Some(pattern),
                None if field == "force" => scope.force = true,
                None if field == "serial" => scope.serial = true,
                None if field == "respect" => scope.respect = true,
                _ => return None,
            }
        }
        Some(scope)
    }

    /// Its settings.
    pub fn settings(self) -> impl Iterator<Item = Setting<'a>> {
        self.items().filter_map(|item| {
            let (name, value) = item.split_once(VALUE as char)?;
            let (param, rest) = find(name)?;
            Some(Setting { param, name, rest, value })
        })
    }

    /// The number of its settings.
    pub fn count(self) -> usize {
        let separators = self.items.bytes().filter(|byte| *byte == ITEM).count();
        if self.items.is_empty() { 0 } else { separators + 1 }
    }
}

/// The bit of a site in a set of sites.
pub const fn site_bit(site: Site) -> u16 {
    1 << site as u16
}

/// The value prints as this text.
fn is_text_of(value: &crate::Value<'_>, text: &str) -> bool {
    struct Rest<'a>(&'a str);

    impl Write for Rest<'_> {
        fn write_str(&mut self, part: &str) -> fmt::Result {
            self.0 = self.0.strip_prefix(part).ok_or(fmt::Error)?;
            Ok(())
        }
    }

    let mut rest = Rest(text);
    write!(rest, "{value}").is_ok() && rest.0.is_empty()
}

#[cfg(test)]
mod tests {
    extern crate std;
    use std::string::{String, ToString};
    use std::vec::Vec;

    use super::*;

    fn line() -> String {
        let mut writer = Writer::new(String::new()).unwrap();
        let scope = Scope {
            file: Some("a;b=%&@.h5"),
            variable: Some("/Step#0/x"),
            force: true,
            ..Scope::default()
        };
        writer.rule(&scope).unwrap();
        writer.setting("hdf5.chunk", "1,26,327680").unwrap();
        writer.rule(&Scope { program: Some("reader*"), serial: true, ..Scope::default() }).unwrap();
        writer.setting("mpiio.hint.x y", "a=b;\nc").unwrap();
        writer.setting("libc.stdio_buffer", "65536").unwrap();
        writer.rule(&Scope::default()).unwrap();
        writer.into_inner()
    }

    #[test]
    fn a_line_is_read_as_it_was_written() {
        let mut bytes = line().into_bytes();
        assert!(!bytes.contains(&b'\n'));
        let rules: Vec<_> = decode(&mut bytes).unwrap().rules().collect();
        assert_eq!(rules.len(), 3);
        let scope = rules[0].scope().unwrap();
        assert_eq!(scope.file, Some("a;b=%&@.h5"));
        assert_eq!(scope.variable, Some("/Step#0/x"));
        assert!(scope.force && !scope.serial && !scope.respect);
        let setting = rules[0].settings().next().unwrap();
        assert_eq!((setting.name, setting.value), ("hdf5.chunk", "1,26,327680"));
        let settings: Vec<_> = rules[1].settings().collect();
        assert_eq!((settings[0].rest, settings[0].value), ("x y", "a=b;\nc"));
        assert_eq!(settings[1].param.to_string(), "libc.stdio_buffer");
        assert_eq!(rules[1].scope().unwrap().program, Some("reader*"));
        let sites = rules[1].settings().fold(0, |sites, one| sites | site_bit(one.param.site));
        assert_eq!(sites, site_bit(Site::Info) | site_bit(Site::Stream));
        assert_eq!(rules[1].count(), rules[1].settings().count());
        assert_eq!(rules[2].settings().count(), 0);
    }

    #[test]
    fn a_damaged_line_is_refused_whole() {
        let rows = [
            ("", Damage::Version),
            ("ioglass-settings/2;@;mpiio.cb_nodes=4", Damage::Version),
            ("ioglass-settings/10", Damage::Version),
            ("ioglass-settings/1;mpiio.cb_nodes=4", Damage::Malformed),
            ("ioglass-settings/1;@;mpiio.cb_nodes", Damage::Malformed),
            ("ioglass-settings/1;@x=1;mpiio.cb_nodes=4", Damage::Malformed),
            ("ioglass-settings/1;@;mpiio.cb_nodes=4;", Damage::Malformed),
            ("ioglass-settings/1;@;mpiio.cb_nodes=%3", Damage::Malformed),
            ("ioglass-settings/1;@;mpiio.cb_nodes=%00", Damage::Malformed),
            ("ioglass-settings/1;@;mpiio.cb_nodes=4=5", Damage::Malformed),
            ("ioglass-settings/1;@f=%FF;mpiio.cb_nodes=4", Damage::Malformed),
            ("ioglass-settings/1;@;mpiio.nope=4", Damage::UnknownParameter),
            ("ioglass-settings/1;@;mpiio.cb_nodes=x", Damage::BadValue),
            ("ioglass-settings/1;@;mpiio.cb_nodes=04", Damage::BadValue),
            ("ioglass-settings/1;@;mpiio.cb_buffer_size=1M", Damage::BadValue),
        ];
        for (line, damage) in rows {
            let mut bytes = String::from(line).into_bytes();
            assert_eq!(decode(&mut bytes).err(), Some(damage), "{line}");
        }
        assert_eq!(decode(&mut std::vec![b'x'; MAX_LINE + 1]).err(), Some(Damage::TooLong));
        assert_eq!(decode(&mut b"ioglass-settings/1".to_vec()).unwrap().rules().count(), 0);
    }

    #[test]
    fn any_cut_or_flipped_byte_is_refused_or_read() {
        let whole = line().into_bytes();
        for place in 0..whole.len() {
            if let Ok(flat) = decode(&mut whole[..place].to_vec()) {
                assert!(flat.rules().all(|rule| rule.settings().count() < place + 99));
            }
            for flip in [1, 0x20, 0x80, 0xff] {
                let mut bytes = whole.clone();
                bytes[place] ^= flip;
                if let Ok(flat) = decode(&mut bytes) {
                    assert!(flat.rules().all(|rule| rule.settings().count() < place + 99));
                }
            }
        }
    }
}
