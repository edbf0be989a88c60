//! JSON as it is published: `docs/commands.schema.json`.

use serde_json::Value;

const SCHEMA: &str = include_str!("../../docs/commands.schema.json");

/// Fails unless a value is what the schema's definition of this name says.
pub fn assert_fits(definition: &str, value: &Value) {
    let mut schema: Value = serde_json::from_str(SCHEMA).unwrap();
    assert!(schema["$defs"].get(definition).is_some(), "the schema defines no {definition}");
    schema["$ref"] = format!("#/$defs/{definition}").into();
    let validator = jsonschema::validator_for(&schema).unwrap();
    let faults: Vec<String> =
        validator.iter_errors(value).map(|why| format!("{}: {why}", why.instance_path())).collect();
    assert!(faults.is_empty(), "{definition}: {}\n{value}", faults.join("\n"));
}

/// Reads JSON Lines, each of which is what the schema's definition of this name says.
pub fn lines(definition: &str, text: &str) -> Vec<Value> {
    let read = |line: &str| {
        let value = serde_json::from_str(line).unwrap_or_else(|why| panic!("{why}: {line}"));
        assert_fits(definition, &value);
        value
    };
    text.lines().map(read).collect()
}

#[test]
fn what_does_not_fit_is_found() {
    let fits = |value: Value| std::panic::catch_unwind(|| assert_fits("profile", &value)).is_ok();
    let mut profile = serde_json::json!({"version": 1, "name": "a", "in_use": true, "local": false, "base_url": null,
                                         "key_from": "none", "model": null, "later": 1});
    assert!(fits(profile.clone()));
    profile["key_from"] = "guessed".into();
    assert!(!fits(profile));
    assert!(!fits(serde_json::json!({"version": 1})));
}
