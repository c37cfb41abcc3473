//! Annotations in a program: whether it names regions of its code.

/// What every annotated program looks for. It is a text in the program's file.
const LOOKED_FOR: &[u8] = b"ioglass_regions";
/// Ways in which a Python program begins to use its package.
const IMPORTS: [&[u8]; 2] = [b"import ioglass", b"from ioglass"];

/// Returns true if a compiled program has annotations.
pub(super) fn are_in_binary(bytes: &[u8]) -> bool {
    super::has(bytes, LOOKED_FOR)
}

/// Returns true if a script for Python has annotations.
pub(super) fn are_in_script(text: &[u8]) -> bool {
    text.split(|byte| *byte == b'\n').any(|line| {
        let line = line.trim_ascii();
        IMPORTS.iter().any(|import| {
            let rest = line.strip_prefix(*import);
            // `import ioglass_tools` is another package.
            rest.is_some_and(|rest| {
                rest.first().is_none_or(|next| !next.is_ascii_alphanumeric() && *next != b'_')
            })
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_are_known_by_what_they_look_for() {
        assert!(are_in_binary(b"\x7fELFiioglass_regions\0"));
        assert!(!are_in_binary(b"\x7fELF ioglass_region"));
        assert!(!are_in_binary(b""));
    }

    #[test]
    fn scripts_are_known_by_their_imports() {
        assert!(are_in_script(b"#!/usr/bin/python3\nimport os\n  from ioglass import region\n"));
        assert!(are_in_script(b"import ioglass"));
        assert!(are_in_script(b"import ioglass as io\r\n"));
        assert!(!are_in_script(b"import ioglasses\n# import ioglass\nfrom ioglass_x import y\n"));
    }
}
