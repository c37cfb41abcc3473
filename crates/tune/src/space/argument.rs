//! Placeholders of the command as parameters.

use super::Parameter;

/// The parameter of an argument `NAME=V1,V2,…`: a placeholder of the command. The first value is the
/// default.
///
/// # Errors
/// The problem, as a sentence.
pub fn argument(text: &str) -> Result<Parameter, String> {
    let (name, values) =
        text.split_once('=').ok_or_else(|| format!("'{text}' is not NAME=V1,V2,…"))?;
    let letters = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-".contains(&byte));
    if name.is_empty() || !letters {
        return Err(format!("'{}' is no name of a placeholder", name.escape_debug()));
    }
    let values: Vec<&str> = values.split(',').collect();
    for (place, value) in values.iter().enumerate() {
        if value.contains('\0') || value.len() > 1024 {
            return Err(format!("a value of {name} is no text of at most 1,024 bytes"));
        }
        if values[..place].contains(value) {
            return Err(format!("{name} has the value '{}' twice", value.escape_debug()));
        }
    }
    if values.len() < 2 {
        return Err(format!("{name} has one value; two are the least to choose from"));
    }
    Ok(Parameter::plain(&format!("cmd.{name}"), &values))
}
