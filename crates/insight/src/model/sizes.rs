//! Requests by their size.

/// Upper bounds of the size classes but the last, as Darshan has them: each belongs to its class.
pub const CLASS_BOUNDS: [u64; 9] =
    [100, 1 << 10, 10 << 10, 100 << 10, 1 << 20, 4 << 20, 10 << 20, 100 << 20, 1 << 30];
/// Size classes.
pub const CLASSES: usize = 10;

/// Calls by size class. Of very many files most have calls of one class, which needs little room.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Sizes(Held);

#[derive(Debug, Clone, PartialEq)]
enum Held {
    One { class: u8, calls: u64 },
    Several(Box<[u64; CLASSES]>),
}

impl Default for Held {
    fn default() -> Self {
        Self::One { class: 0, calls: 0 }
    }
}

impl Sizes {
    /// Adds calls of a class.
    pub(crate) fn add(&mut self, class: usize, more: u64) {
        if more == 0 {
            return;
        }
        match &mut self.0 {
            Held::Several(all) => super::believed::add_count(&mut all[class], more),
            Held::One { class: only, calls } if *calls == 0 || usize::from(*only) == class => {
                *only = class as u8;
                super::believed::add_count(calls, more);
            }
            Held::One { class: only, calls } => {
                let mut all = Box::new([0; CLASSES]);
                all[usize::from(*only)] = *calls;
                all[class] = more;
                self.0 = Held::Several(all);
            }
        }
    }

    /// Adds all of another file's.
    pub(crate) fn merge(&mut self, other: &Self) {
        match &other.0 {
            Held::One { class, calls } => self.add((*class).into(), *calls),
            Held::Several(all) => {
                (0..).zip(&**all).for_each(|(class, calls)| self.add(class, *calls));
            }
        }
    }

    /// Calls of one class.
    pub fn of(&self, class: usize) -> u64 {
        match &self.0 {
            Held::One { class: only, calls } if usize::from(*only) == class => *calls,
            Held::One { .. } => 0,
            Held::Several(all) => all[class],
        }
    }

    /// Calls of this class and all below it.
    pub fn up_to(&self, class: usize) -> u64 {
        match &self.0 {
            Held::One { class: only, calls } if usize::from(*only) <= class => *calls,
            Held::One { .. } => 0,
            Held::Several(all) => all[..=class].iter().sum(),
        }
    }

    /// Calls of all classes.
    pub fn all(&self) -> u64 {
        self.up_to(CLASSES - 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_add_up_however_they_are_held() {
        let mut sizes = Sizes::default();
        assert_eq!(sizes.all(), 0);
        sizes.add(0, 0);
        sizes.add(4, 3);
        sizes.add(4, 2);
        assert_eq!((sizes.of(4), sizes.of(0), sizes.up_to(3), sizes.up_to(4)), (5, 0, 0, 5));
        let one = sizes.clone();
        sizes.add(9, 7);
        assert_eq!((sizes.of(4), sizes.of(9), sizes.up_to(8), sizes.all()), (5, 7, 5, 12));
        sizes.merge(&one);
        let mut other = one;
        other.merge(&sizes);
        assert_eq!((sizes.all(), other.of(4), other.of(9)), (17, 15, 7));
    }
}
