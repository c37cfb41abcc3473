//! Values, as 64 bits each.

use std::collections::HashMap;

use ioglass_schema::lustre;

use super::line::{float, int, parse, shown, unsigned, words};
use super::shape::ValueKind;
use super::strings::WordTable;

/// The word for a value that is not known.
const UNKNOWN: &[u8] = b"N/A";

/// Reads the value of the counter `name`.
pub(super) fn read(
    kind: ValueKind,
    name: &[u8],
    text: &[u8],
    strings: &mut WordTable,
) -> Result<u64, String> {
    let what = || String::from_utf8_lossy(name);
    match kind {
        ValueKind::Int => match parse::<i64>(text) {
            Some(value) => Ok(value.cast_unsigned()),
            None => int(text, &what()).map(i64::cast_unsigned),
        },
        ValueKind::Unsigned => match parse(text) {
            Some(value) => Ok(value),
            None => unsigned(text, &what()),
        },
        ValueKind::Float => match parse::<f64>(text) {
            Some(value) => Ok(value.to_bits()),
            None => float(text, &what()).map(f64::to_bits),
        },
        ValueKind::Length(most) => {
            let value = int(text, &what())?;
            match u64::try_from(value) {
                Ok(length) if length <= most => Ok(length),
                _ => Err(format!("{} is {value}, expected 0 to {most}", what())),
            }
        }
        ValueKind::End if text == b"EOF" => Ok((-1_i64).cast_unsigned()),
        ValueKind::End => int(text, &what()).map(i64::cast_unsigned),
        ValueKind::Pattern => pattern(text).ok_or_else(|| {
            let known: Vec<&str> = lustre::PATTERNS.iter().map(|(_, word)| *word).collect();
            format!("{} is {}, expected one of {}", what(), shown(text), known.join(" "))
        }),
        ValueKind::Flags => flags(text).ok_or_else(|| {
            let known = lustre::FLAGS.join(" ");
            format!("{} is {}, expected some of {known}, or 0", what(), shown(text))
        }),
        ValueKind::Word(most) => {
            let word = if text == UNKNOWN { b"" } else { text };
            if word.len() > most {
                return Err(format!("{} is {}, longer than {most} bytes", what(), shown(text)));
            }
            strings.intern(word).map(u64::from)
        }
    }
}

fn pattern(text: &[u8]) -> Option<u64> {
    let known = lustre::PATTERNS.iter().find(|(_, word)| word.as_bytes() == text);
    let number = match known {
        Some((number, _)) => *number,
        None if text == UNKNOWN => -1,
        None => parse(text)?,
    };
    Some(number.cast_unsigned())
}

fn flags(text: &[u8]) -> Option<u64> {
    if text == UNKNOWN {
        return Some((-1_i64).cast_unsigned());
    }
    if let Some(number) = parse::<i64>(text) {
        return Some(number.cast_unsigned());
    }
    text.split(|byte| *byte == b',').try_fold(0, |flags, word| {
        let bit = lustre::FLAGS.iter().position(|flag| flag.as_bytes() == word)?;
        Some(flags | 1 << bit)
    })
}

/// Pool, container and object of a DAOS record.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub(super) struct DaosPlace {
    pub(super) uuids: [[u8; 16]; 2],
    pub(super) words: [u64; 2],
}

impl DaosPlace {
    /// Takes `pool:container` of a mount column.
    pub(super) fn set_container(&mut self, text: &[u8]) -> Result<(), String> {
        if matches!(text, b"" | b"UNKNOWN" | b"N/A") {
            return Ok(());
        }
        let mut parts = text.splitn(2, |byte| *byte == b':');
        let uuids = parts.next().and_then(uuid).zip(parts.next().and_then(uuid));
        let (pool, container) = uuids.ok_or_else(|| {
            format!("mount point is {}, expected pool and container as uuid:uuid", shown(text))
        })?;
        self.uuids = [pool, container];
        Ok(())
    }

    /// Takes `high.low` of a name column.
    pub(super) fn set_object(&mut self, text: &[u8]) -> Result<(), String> {
        if matches!(text, b"" | b"(null)") {
            return Ok(());
        }
        let mut parts = text.splitn(2, |byte| *byte == b'.');
        let words = parts.next().and_then(parse).zip(parts.next().and_then(parse));
        let (high, low) = words.ok_or_else(|| {
            format!("file name is {}, expected an object as two numbers with a dot", shown(text))
        })?;
        self.words = [high, low];
        Ok(())
    }
}

fn uuid(text: &[u8]) -> Option<[u8; 16]> {
    let mut uuid = [0; 16];
    let mut digits = text.iter().filter(|byte| **byte != b'-');
    let mut digit = || (*digits.next()? as char).to_digit(16);
    for byte in &mut uuid {
        *byte = u8::try_from(digit()? << 4 | digit()?).ok()?;
    }
    (text.len() == 36 && digits.next().is_none()).then_some(uuid)
}

/// Places, each stored once.
#[derive(Debug, Default)]
pub(super) struct DaosPlaces {
    numbers: HashMap<DaosPlace, u64>,
}

impl DaosPlaces {
    pub(super) fn intern(&mut self, place: DaosPlace) -> u64 {
        let next = self.numbers.len() as u64;
        *self.numbers.entry(place).or_insert(next)
    }

    /// The places by number.
    pub(super) fn into_list(self) -> Vec<DaosPlace> {
        let mut places: Vec<(u64, DaosPlace)> =
            self.numbers.into_iter().map(|(place, number)| (number, place)).collect();
        places.sort_unstable_by_key(|(number, _)| *number);
        places.into_iter().map(|(_, place)| place).collect()
    }
}

/// One component of a layout as traces show it: `[Component 1] stripe_ext: 0 - EOF, stripe_size:
/// 1048576, stripe_count: 2, OSTs: 3 4`.
#[derive(Debug)]
pub(super) struct Component<'l> {
    pub(super) start: i64,
    pub(super) end: i64,
    pub(super) stripe_size: i64,
    pub(super) stripe_count: i64,
    targets: &'l [u8],
}

impl<'l> Component<'l> {
    pub(super) fn parse(line: &'l [u8]) -> Result<Self, String> {
        Self::fields(line).ok_or_else(|| {
            let expected =
                "stripe_ext: <start> - <end>, stripe_size: <n>, stripe_count: <n>, OSTs:";
            format!("found {}, expected [Component <n>] {expected} …", shown(line))
        })
    }

    fn fields(line: &'l [u8]) -> Option<Self> {
        let colon = line.windows(5).position(|window| window == b"OSTs:")?;
        let (fields, targets) = (&line[..colon], &line[colon + 5..]);
        let close = fields.iter().position(|byte| *byte == b']')?;
        let mut fields = fields[close + 1..].split(|byte| *byte == b',').map(<[u8]>::trim_ascii);
        let mut extent = words(fields.next()?.strip_prefix(b"stripe_ext:")?);
        let (start, dash, end) = (extent.next()?, extent.next()?, extent.next()?);
        if dash != b"-" || extent.next().is_some() || !words(targets).all(is_int) {
            return None;
        }
        let end = if end == b"EOF" { -1 } else { parse(end)? };
        let stripe_size = parse(fields.next()?.strip_prefix(b"stripe_size:")?.trim_ascii())?;
        let stripe_count = parse(fields.next()?.strip_prefix(b"stripe_count:")?.trim_ascii())?;
        Some(Self { start: parse(start)?, end, stripe_size, stripe_count, targets })
    }

    pub(super) fn targets(&self) -> impl Iterator<Item = i64> + use<'l> {
        words(self.targets).filter_map(parse)
    }
}

fn is_int(word: &[u8]) -> bool {
    parse::<i64>(word).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_lustre() {
        assert_eq!(pattern(b"raid0,overstriped"), Some(4));
        assert_eq!(pattern(b"N/A"), Some(u64::MAX));
        assert_eq!(pattern(b"raid5"), None);
        assert_eq!(flags(b"0"), Some(0));
        assert_eq!(flags(b"init,nosync"), Some(0x30));
        assert_eq!(flags(b"init,"), None);
    }

    #[test]
    fn uuids() {
        let text = b"d0e93d4c-fc99-4657-96a8-fb9fa4f43073";
        assert_eq!(uuid(text).unwrap()[..5], [0xd0, 0xe9, 0x3d, 0x4c, 0xfc]);
        assert_eq!(uuid(b"d0e93d4cfc99465796a8fb9fa4f43073"), None);
        assert_eq!(uuid(b"d0e93d4c-fc99-4657-96a8-fb9fa4f4307g"), None);
    }

    #[test]
    fn components_of_traces() {
        let line =
            b"[Component 1] stripe_ext: 0 - EOF, stripe_size: 1048576, stripe_count: 2, OSTs: 3 4";
        let component = Component::parse(line).unwrap();
        assert_eq!((component.start, component.end), (0, -1));
        assert_eq!((component.stripe_size, component.stripe_count), (1 << 20, 2));
        assert_eq!(component.targets().collect::<Vec<_>>(), [3, 4]);
        assert!(Component::parse(b"[Component 1] stripe_ext: 0, OSTs: 1").is_err());
    }
}
