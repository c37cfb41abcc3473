//! The JSON schema of reports, derived from their types.

use schemars::Schema;
use schemars::generate::SchemaSettings;
use schemars::transform::RecursiveTransform;
use serde_json::Value;

use super::Report;

/// Returns the JSON schema (draft 2020-12) of a [`Report`] that this version writes.
pub fn schema() -> Value {
    schema_of::<Report>()
}

/// Returns the JSON schema of a type that is written.
pub(crate) fn schema_of<T: schemars::JsonSchema>() -> Value {
    let settings = SchemaSettings::draft2020_12().for_serialize();
    let settings = settings.with_transform(RecursiveTransform(strict));
    settings.into_generator().into_root_schema_for::<T>().into()
}

/// Makes a part of the schema exact, and puts its description on one line.
fn strict(schema: &mut Schema) {
    if schema.get("properties").is_some() {
        schema.insert("additionalProperties".into(), false.into());
    }
    // The standard does not know `uint64` and `double`; strict validators refuse them.
    schema.remove("format");
    // What is read may lack a field that is always written.
    schema.remove("default");
    if let Some(Value::String(description)) = schema.get_mut("description") {
        *description = description.replace('\n', " ");
    }
}
