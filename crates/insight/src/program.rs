//! Names of programs.

/// The program's name, and the script's if an interpreter runs one.
pub fn program(command: &str) -> String {
    let mut words = command.split_whitespace();
    let base = |word: &str| word.rsplit('/').next().unwrap_or(word).to_owned();
    let Some(first) = words.next().map(base) else {
        return "unknown program".into();
    };
    let script = words.find(|word| !word.starts_with('-')).map(base);
    match script {
        Some(script) if first.starts_with("python") && script.ends_with(".py") => {
            format!("{first} {script}")
        }
        _ => first,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interpreter_is_named_with_its_script() {
        assert_eq!(program("/home/me/bin/ior -a POSIX"), "ior");
        assert_eq!(program("python3 -u ./tests/diagonal.py write 1"), "python3 diagonal.py");
        assert_eq!(program("python -c pass"), "python");
        assert_eq!(program(" "), "unknown program");
    }
}
