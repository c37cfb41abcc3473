use super::*;

fn search(pattern: &str, text: &[u8]) -> Result<bool, BadPattern> {
    let mut room = [Code::default(); MAX_PROGRAM];
    Pattern::compile(pattern.as_bytes(), &mut &mut room[..]).map(|pattern| pattern.matches(text))
}

/// The answer of the C library; a bad pattern is `None`.
fn reference(pattern: &str, text: &[u8]) -> Option<bool> {
    let pattern = std::ffi::CString::new(pattern).unwrap();
    let text = std::ffi::CString::new(text).unwrap();
    // SAFETY: the compiled pattern is used only if compiling succeeded, and freed once.
    unsafe {
        let mut compiled: libc::regex_t = core::mem::zeroed();
        let flags = libc::REG_EXTENDED | libc::REG_NOSUB;
        if libc::regcomp(&raw mut compiled, pattern.as_ptr(), flags) != 0 {
            return None;
        }
        let answer = libc::regexec(&compiled, text.as_ptr(), 0, core::ptr::null_mut(), 0);
        libc::regfree(&raw mut compiled);
        Some(answer == 0)
    }
}

const PATTERNS: &[&str] = &[
    "",
    "a",
    "abc",
    "^/scratch/",
    "\\.h5$",
    "^$",
    "a|b",
    "^(a|bc|)d$",
    "^a*$",
    "^a+b?$",
    "(ab)+c",
    "^(ab|c)*d$",
    "a.c",
    "[abc]x",
    "[^abc]x",
    "[]x]",
    "[^]x]y",
    "[a-cx-z]+$",
    "[-a]b",
    "[a-]b",
    "[[:digit:]]+\\.tmp",
    "^[[:alpha:]_][[:alnum:]_]*$",
    "[[.-.]]",
    "[[=a=]b]c",
    "^a{3}$",
    "^a{2,}$",
    "^a{0,2}$",
    "^a{,2}b$",
    "^(ab){2,3}$",
    "^(a|b){2}c{1}$",
    "^a{0}b$",
    "^(a{2}){2}$",
    "^(a*)*$",
    "(a*)+b",
    "(a|ab)(c|bcd)(d*)",
    "^(^a|b$)",
    "x(^a)",
    "a$b",
    "\\*\\(\\)\\[\\]\\{\\}\\|\\^\\$\\\\",
    "\\w+\\s\\W",
    "()",
    "()*a",
    "a||b",
    "a)",
    "^.{4}$",
    "a**",
    "a+?",
    "(((((((a)))))))",
    "^(a?){5}a{5}$",
];

const TEXTS: &[&str] = &[
    "",
    "a",
    "b",
    "ab",
    "abc",
    "abcd",
    "aa",
    "aaa",
    "aaaa",
    "aaaaa",
    "aaaaaa",
    "abab",
    "ababab",
    "abababab",
    "bbc",
    "abd",
    "cd",
    "d",
    "bcd",
    "ababc",
    "axc",
    "cx",
    "dx",
    "]",
    "]y",
    "zy",
    "-b",
    "-",
    "/scratch/x/data.h5",
    "/home/scratch/x.h5.tmp",
    "run12.tmp",
    "_name9",
    "9name",
    "*()[]{}|^$\\",
    "foo !",
    "a)",
    "b$",
    "xa",
    "a$b",
    "caab",
];

#[test]
fn agrees_with_the_c_library() {
    for pattern in PATTERNS {
        for text in TEXTS {
            let expected = reference(pattern, text.as_bytes());
            let found = search(pattern, text.as_bytes()).ok();
            assert_eq!(found, expected, "{pattern:?} in {text:?}");
        }
    }
}

#[test]
fn agrees_with_the_c_library_on_random_patterns() {
    let mut state = 0x2545_F491_4F6C_DD1D_u64;
    let mut random = |below: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state as usize % below
    };
    const PARTS: &[&str] =
        &["a", "b", ".", "[ab]", "[^a]", "(", ")", "|", "*", "+", "?", "{2}", "{1,2}", "^", "$"];
    let mut sound = 0;
    for _ in 0..20_000 {
        let pattern: String = (0..=random(7)).map(|_| PARTS[random(PARTS.len())]).collect();
        let text: String = (0..random(6)).map(|_| ["a", "b", "c"][random(3)]).collect();
        let Some(expected) = reference(&pattern, text.as_bytes()) else { continue };
        if let Ok(found) = search(&pattern, text.as_bytes()) {
            assert_eq!(found, expected, "{pattern:?} in {text:?}");
            sound += 1;
        }
    }
    assert!(sound > 5_000, "only {sound} patterns were understood");
}

#[test]
fn bad_patterns_are_said() {
    for (pattern, why) in [
        ("(a", BadPattern::Open),
        ("[a", BadPattern::Open),
        ("[[:alpha:", BadPattern::Open),
        ("*a", BadPattern::Repeat),
        ("(*a)", BadPattern::Repeat),
        ("a|+", BadPattern::Repeat),
        ("^*", BadPattern::Repeat),
        ("a{", BadPattern::Interval),
        ("a{2,1}", BadPattern::Interval),
        ("a{x}", BadPattern::Interval),
        ("a{1000}", BadPattern::Interval),
        ("[z-a]", BadPattern::Set),
        ("[[:letter:]]", BadPattern::Set),
        ("a\\", BadPattern::Escape),
        ("(a)\\1", BadPattern::Escape),
        ("(((((a{20}){20}){20}){20}){20})", BadPattern::TooLarge),
    ] {
        assert_eq!(search(pattern, b"a"), Err(why), "{pattern:?}");
    }
    let deep = "(".repeat(40) + "a" + &")".repeat(40);
    assert_eq!(search(&deep, b"a"), Err(BadPattern::TooLarge));
    assert_eq!(search(&"a".repeat(MAX_PROGRAM + 1), b"a"), Err(BadPattern::TooLarge));
    assert_eq!(search(&"a".repeat(MAX_PROGRAM), b"a"), Ok(false));
}

/// These take exponential time in a matcher that tries one branch after another.
#[test]
fn hostile_patterns_end() {
    let text = [b'a'; 4096];
    for pattern in ["(a*)*b", "(a|aa)+$b", "(a?){200}a{200}b", "(.*)(.*)(.*)(.*)(.*)[^a]"] {
        assert_eq!(search(pattern, &text), Ok(false), "{pattern}");
    }
}

#[test]
fn bytes_need_not_be_text() {
    assert_eq!(search("^/d/.\\.dat$", b"/d/\xFF.dat"), Ok(true));
    let mut room = [Code::default(); 16];
    let mut rest = &mut room[..];
    let pattern = Pattern::compile(b"[\x80-\xFF]\x01", &mut rest).unwrap();
    assert!(pattern.matches(b"ab\xC3\x01") && !pattern.matches(b"ab\x7F\x01"));
    assert_eq!(rest.len(), 14);
}
