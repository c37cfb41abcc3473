//! What is pasted is complete, and destroys nothing.

use ioglass_insight::Language;

use super::samples::{self, Sample};

/// Parts of code that empty a file, or write over its beginning.
const EMPTIES: [&str; 22] = [
    "\"w\"",
    "\"wb\"",
    "\"w+",
    "\"wt\"",
    "'w'",
    "'wb'",
    "'w+",
    "O_TRUNC",
    "ACC_TRUNC",
    "CLOBBER",
    "ios::trunc",
    "'>'",
    "'>:",
    "'+>'",
    "writeFile",
    "createWriteStream",
    "tofile(",
    "write_bytes",
    "write_text",
    "truncate",
    "status='replace'",
    "MODE_DELETE_ON_CLOSE",
];

fn is_in(part: &str, text: &str) -> bool {
    text.contains(part)
}

#[test]
fn rule_16_nothing_pasted_destroys_data() {
    for Sample { name, setting, advice } in samples::all() {
        for snippet in &advice.snippets {
            let code = &snippet.code;
            let found = EMPTIES.iter().find(|part| is_in(part, code));
            assert_eq!(found, None, "{name}: {code}");
            // These open by themselves, and empty the file unless they are told not to.
            for line in code.lines().filter(|line| line.contains("std::ofstream")) {
                assert!(line.contains("std::ios::app"), "{name}: {code}");
            }
            if snippet.language == Language::Fortran {
                let writes = code.contains("write (");
                for line in code.lines().filter(|line| line.starts_with("open (") && writes) {
                    let whole = line.contains("position=") || code.contains("position=position");
                    assert!(whole, "{name}: {code}");
                }
            }
            if snippet.language == Language::Shell {
                assert!(!code.replace(">>", "").contains('>'), "{name}: {code}");
            }
            // Streams and buffers of the program have no place in files of a library.
            if setting.target.is_database {
                let is_of_files = ["buffer_writes", "larger_reads", "sync_once", "open_once"];
                let is_sql = matches!(snippet.language, Language::Sql | Language::Python);
                assert!(!is_of_files.contains(&name) || is_sql, "{name}: {code}");
                assert!(!is_of_files.contains(&name) || !code.contains("open("), "{name}: {code}");
            }
        }
        for line in advice.commands.iter().map(|command| &command.line) {
            for (at, _) in line.match_indices('>') {
                let to = line[at + 1..].trim_start_matches('>').trim_start();
                let is_new = to.starts_with("\"$out\"") && line.contains("out=$(mktemp)");
                let appends = line[at..].starts_with(">>") || line[..at].ends_with('>');
                assert!(is_new || appends, "{name}: {line}");
            }
            let word = |wanted: &str| line.split(' ').any(|word| word == wanted);
            assert!(!word("rm") && !word("mv") && !word("truncate"), "{name}: {line}");
            if line.contains("cp ") && !setting.is_tool {
                assert!(line.contains("$(mktemp -d)") || line.contains("test -e "), "{line}");
            }
        }
    }
}

#[test]
fn rule_16_lost_durability_is_said() {
    for Sample { name, advice, .. } in samples::all() {
        if matches!(name, "sync_once" | "one_transaction") && !advice.text.is_empty() {
            assert!(advice.text.contains("a crash"), "{name}: {}", advice.text);
        }
    }
}

/// A word in capitals is for the reader to fill in, and dots are what was left out.
#[test]
fn rule_17_commands_are_complete() {
    const MISSING: [&str; 12] = [
        "PROGRAM", "SCRIPT", "FILE", "ARCHIVE", "FROM", "TO", "JOB", "DIR", "MOUNT", "NAME",
        "DATASET", "FOLDER",
    ];
    for Sample { name, advice, .. } in samples::all() {
        for line in advice.commands.iter().map(|command| &command.line) {
            let mut words = line.split(|c: char| !c.is_alphanumeric() && c != '_');
            assert_eq!(words.find(|word| MISSING.contains(word)), None, "{name}: {line}");
        }
        let commands = advice.commands.iter().map(|command| &command.line);
        for text in commands.chain(advice.snippets.iter().map(|snippet| &snippet.code)) {
            for part in ["…", "...", "old.h5", "new.h5", "<name>", "<file>", "''", "path/to"] {
                let is_quote = part == "''" && text.contains("'\\''");
                let is_empty = part == "''" && text.contains("= ''");
                assert!(!text.contains(part) || is_quote || is_empty, "{name}: {part}: {text}");
            }
        }
    }
}

#[test]
fn rule_17_the_only_file_is_named_in_code() {
    let all = samples::all();
    let named = |language: Language, quote: char| {
        let wanted = format!("{quote}{}{quote}", samples::ONLY);
        let is_of =
            |sample: &&Sample| sample.name == "open_once" && sample.setting.language == language;
        let mut snippets = all.iter().filter(is_of).flat_map(|sample| &sample.advice.snippets);
        assert!(snippets.any(|snippet| snippet.code.contains(&wanted)), "{language:?}");
    };
    for language in [Language::C, Language::Python, Language::Cpp, Language::JavaScript] {
        named(language, '"');
    }
    for language in [Language::Fortran, Language::Perl, Language::Shell] {
        named(language, '\'');
    }
    for Sample { name, advice, .. } in &all {
        let mut codes = advice.snippets.iter().map(|snippet| &snippet.code);
        assert!(!codes.any(|code| code.contains("reboot")), "{name}: a name is not trusted");
    }
}

#[test]
fn rule_15_only_languages_that_the_program_can_be_of_are_shown() {
    for Sample { name, setting, advice } in samples::all() {
        let mut others = advice.snippets.iter().map(|snippet| snippet.language);
        let fits = |language: Language| match setting.language {
            Language::C | Language::Fortran => matches!(language, Language::C | Language::Fortran),
            Language::Cpp => matches!(language, Language::Cpp | Language::C),
            own => language == own,
        };
        assert!(others.all(|it| fits(it) || it == Language::Sql), "{name}: {:?}", setting.language);
    }
}
