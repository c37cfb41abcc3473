//! What became of a setting.

/// What became of a setting at a place, from the best to the worst. A setting with several places has the
/// worst state of them, except that applied somewhere and not applicable elsewhere is applied.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum State {
    /// The stack says so.
    Applied,
    /// This stack, file system or program has no use for it, or a condition does not hold.
    NotApplicable,
    /// It was handed over, and the stack cannot be asked.
    Unverifiable,
    /// The stack says another value.
    Changed,
}

impl State {
    /// All states.
    pub const ALL: [State; 4] =
        [State::Applied, State::NotApplicable, State::Unverifiable, State::Changed];

    /// The word for it.
    pub const fn name(self) -> &'static str {
        match self {
            State::Applied => "applied",
            State::NotApplicable => "not-applicable",
            State::Unverifiable => "unverifiable",
            State::Changed => "changed",
        }
    }

    /// The state of this name.
    pub fn named(name: &str) -> Option<State> {
        State::ALL.into_iter().find(|state| state.name() == name)
    }

    /// The state of a setting with both.
    pub fn and(self, other: State) -> State {
        match (self, other) {
            (State::Applied, State::NotApplicable) | (State::NotApplicable, State::Applied) => {
                State::Applied
            }
            (one, other) => one.max(other),
        }
    }
}

/// The columns of a row that says what became of a setting at a place: name and value, to what the rule
/// applies, the place, what the program had asked for, what the stack says and by which call, the state and
/// the reason. An empty text is none.
pub const COLUMNS: [&str; 12] = [
    "setting",
    "requested",
    "rule_file",
    "rule_variable",
    "rule_program",
    "file",
    "variable",
    "was",
    "effective",
    "by",
    "state",
    "reason",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn several_places_have_one_state() {
        use State::*;
        for (one, other, both) in [
            (Applied, NotApplicable, Applied),
            (Applied, Unverifiable, Unverifiable),
            (NotApplicable, Unverifiable, Unverifiable),
            (Changed, Unverifiable, Changed),
            (Changed, NotApplicable, Changed),
        ] {
            assert_eq!(one.and(other), both);
            assert_eq!(other.and(one), both);
        }
        for state in State::ALL {
            assert_eq!(State::named(state.name()), Some(state));
            assert_eq!(state.and(state), state);
        }
    }
}
