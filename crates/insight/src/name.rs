//! Names of files.

use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

/// A name, stored together with others: a log may have very many, and a list of files holds its
/// own copies.
#[derive(Clone, Default)]
pub struct Name {
    store: Arc<String>,
    start: u32,
    len: u32,
}

impl Name {
    /// Stores names together; below 4 GiB of them.
    pub(crate) fn together<'a>(
        texts: impl Iterator<Item = &'a str> + Clone,
    ) -> impl Iterator<Item = Self> {
        let mut all = String::with_capacity(texts.clone().map(str::len).sum());
        all.extend(texts.clone());
        let store = Arc::new(all);
        texts.scan(0, move |next, text| {
            let (start, len) = (*next, text.len() as u32);
            *next += len;
            Some(Self { store: store.clone(), start, len })
        })
    }
}

impl From<&str> for Name {
    fn from(text: &str) -> Self {
        Self { store: Arc::new(text.to_owned()), start: 0, len: text.len() as u32 }
    }
}

impl From<String> for Name {
    fn from(text: String) -> Self {
        let len = text.len() as u32;
        Self { store: Arc::new(text), start: 0, len }
    }
}

impl Deref for Name {
    type Target = str;

    fn deref(&self) -> &str {
        &self.store[self.start as usize..][..self.len as usize]
    }
}

impl fmt::Debug for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&**self, f)
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&**self, f)
    }
}

impl PartialEq for Name {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl Eq for Name {}

impl PartialOrd for Name {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Name {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        (**self).cmp(&**other)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stored_together_are_told_apart() {
        let texts = ["/data/a", "", "/data/ä", "/data/b"];
        let names: Vec<Name> = Name::together(texts.into_iter()).collect();
        assert!(names.iter().map(|name| &**name).eq(texts));
        assert_eq!(names[0], Name::from("/data/a"));
        assert!(names[3] < names[2] && names[1] == Name::default());
    }
}
