//! Paths of regions as text: names joined by `/`; a `/` or `\` in a name has a `\` before it.

/// The longest text of a path; what is beyond is cut.
const LONGEST_PATH: usize = 4095;

/// The names of a path, as they are written in it.
#[derive(Debug, Clone)]
pub struct PathNames<'t>(Option<&'t [u8]>);

impl<'t> PathNames<'t> {
    /// The names in a text; an empty one has none. `None` if the text is no path: a name is empty, or
    /// nothing follows a `\`.
    pub fn of(text: &'t [u8]) -> Option<Self> {
        let names = Self((!text.is_empty()).then_some(text));
        let is_name = |name: &[u8]| !name.is_empty() && !ends_in_escape(name);
        names.clone().all(is_name).then_some(names)
    }
}

impl<'t> Iterator for PathNames<'t> {
    type Item = &'t [u8];

    fn next(&mut self) -> Option<&'t [u8]> {
        let text = self.0?;
        let mut is_escaped = false;
        let end = text.iter().position(|byte| {
            let ends = *byte == b'/' && !is_escaped;
            is_escaped = *byte == b'\\' && !is_escaped;
            ends
        });
        self.0 = end.and_then(|end| text.get(end + 1..));
        text.get(..end.unwrap_or(text.len()))
    }
}

fn ends_in_escape(name: &[u8]) -> bool {
    name.iter().rev().take_while(|byte| **byte == b'\\').count() % 2 == 1
}

/// The bytes of a name that is written like this.
pub fn unescaped(written: &[u8]) -> impl Iterator<Item = u8> {
    let mut bytes = written.iter().copied();
    core::iter::from_fn(move || match bytes.next()? {
        b'\\' => bytes.next(),
        byte => Some(byte),
    })
}

/// A name as it is written in a path.
pub fn escaped(name: &[u8]) -> impl Iterator<Item = u8> {
    name.iter().flat_map(|byte| {
        let escape = matches!(byte, b'/' | b'\\').then_some(b'\\');
        escape.into_iter().chain([*byte])
    })
}

/// As much of a path as may be handed on: whole names only.
pub fn cut_path(text: &[u8]) -> &[u8] {
    if text.len() <= LONGEST_PATH {
        return text;
    }
    let mut end = 0;
    let mut at = 0;
    for name in PathNames(Some(text)) {
        at += name.len();
        if at > LONGEST_PATH {
            break;
        }
        end = at;
        at += 1;
    }
    text.get(..end).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    extern crate std;
    use std::vec::Vec;

    use super::*;

    #[test]
    fn names_have_any_bytes() {
        let names: [&[u8]; 6] = [b"a", b"b/c", b"\\", b"d\\/", b"\xFF\n e", b"//\\\\"];
        let mut text = Vec::new();
        for name in names {
            if !text.is_empty() {
                text.push(b'/');
            }
            text.extend(escaped(name));
        }
        let read: Vec<Vec<u8>> =
            PathNames::of(&text).unwrap().map(|name| unescaped(name).collect()).collect();
        assert_eq!(read, names);
        assert_eq!(PathNames::of(b"").unwrap().count(), 0);
    }

    #[test]
    fn nonsense_is_no_path() {
        for text in ["/", "a/", "/a", "a//b", "a\\", "a\\/", "a/b\\\\\\"] {
            let is_path = PathNames::of(text.as_bytes()).is_some();
            assert_eq!(is_path, text == "a\\/", "{text}");
        }
    }

    #[test]
    fn long_paths_are_cut_between_names() {
        let name = [b'x'; 1000];
        let text = [&name[..]; 6].join(&b'/');
        assert_eq!(cut_path(&text), &text[..4 * 1001 - 1]);
        assert_eq!(cut_path(&[b'x'; 5000]), b"");
        assert_eq!(cut_path(&text[..LONGEST_PATH]), &text[..LONGEST_PATH]);
    }
}
