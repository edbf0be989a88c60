//! Reads the parameter defaults of a profile's models: the tables `[profiles.NAME.models."MODEL"]` of `config.toml`.
//! Each field must be within its bounds.

use serde_json::{Map, Value};
use toml_edit::TableLike;

use super::toml_values::{Span, to_json};
use crate::record::{CompletionParams, ModelParams, parameter_bounds};

/// Sets the defaults of a model; without any parameter, removes them.
pub fn set_defaults(all: &mut ModelParams, model: &str, params: CompletionParams) {
    if params == CompletionParams::default() {
        all.remove(model);
    } else {
        all.insert(model.to_owned(), params);
    }
}

/// Reads the table of a profile's models. What is wrong in it is ignored and passed to `warn`.
pub(super) fn read_table(table: &dyn TableLike, warn: &mut impl FnMut(Span, &str)) -> ModelParams {
    let mut all = ModelParams::new();
    for (model, item) in table.iter() {
        let Some(table) = item.as_table_like() else {
            warn(item.span(), &format!("models.{model} must be a table of parameters; it is ignored"));
            continue;
        };
        let params = fields_to_params(&usable_fields(table, &mut |span, why| {
            warn(span, &format!("models.{model}: {why}; it is ignored"));
        }));
        set_defaults(&mut all, model, params);
    }
    all
}

/// Returns the fields of a model's table that can be used; the others are passed to `warn`, each with the reason.
pub(super) fn usable_fields(table: &dyn TableLike, warn: &mut impl FnMut(Span, &str)) -> Map<String, Value> {
    let mut fields = Map::new();
    for (name, item) in table.iter() {
        match parameter_bounds::field(name, &to_json(item)) {
            Ok(value) => drop(fields.insert(name.to_owned(), value)),
            Err(why) => warn(item.span(), &why),
        }
    }
    fields
}

/// Returns the parameters that these fields set.
pub(super) fn fields_to_params(fields: &Map<String, Value>) -> CompletionParams {
    serde_json::from_value(Value::Object(fields.clone())).unwrap_or_default()
}

/// Returns the fields that parameters set, by name.
pub fn params_to_fields(params: &CompletionParams) -> Map<String, Value> {
    let Ok(Value::Object(mut fields)) = serde_json::to_value(params) else { return Map::new() };
    fields.retain(|_, value| match value {
        Value::Null => false,
        Value::Array(items) => !items.is_empty(),
        Value::Object(items) => !items.is_empty(),
        _ => true,
    });
    fields
}
