//! A part of a space.

use ioglass_param::Layer;

use super::{Needs, Parameter};

/// The parameters of these layers and names. Those that depend on others which are left out stay only if
/// the default of the others is what they need.
///
/// # Errors
/// A sentence about a name that is none of the parameters.
pub fn only(parameters: Vec<Parameter>, names: &[String]) -> Result<Vec<Parameter>, String> {
    for name in names {
        let is_layer = Layer::named(name).is_some();
        let is_there =
            parameters.iter().any(|parameter| parameter.name == *name || parameter.layer() == name);
        if !is_there {
            let there: Vec<&str> = parameters.iter().map(|one| one.name.as_str()).collect();
            let what = if is_layer { "no parameter of layer" } else { "no parameter" };
            return Err(format!("the space has {what} '{name}'; it has {}", there.join(", ")));
        }
    }
    let is_named = |parameter: &Parameter| {
        names.iter().any(|name| parameter.name == *name || parameter.layer() == name)
    };
    let (mut kept, left): (Vec<_>, Vec<_>) = parameters.into_iter().partition(is_named);
    kept.retain(|parameter| {
        parameter.when.iter().all(|(other, needs)| {
            let Some(left) = left.iter().find(|left| left.name == *other) else { return true };
            matches!(needs, Needs::Values(values) if values.contains(&left.default))
        })
    });
    for parameter in &mut kept {
        parameter.when.retain(|other, _| !left.iter().any(|left| left.name == *other));
    }
    Ok(kept)
}
