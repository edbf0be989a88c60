//! Parameter defaults of a profile's models: the tables `[profiles.NAME.models."MODEL"]` of `config.toml`, read within the
//! bounds of each field.

use serde_json::{Map, Value};
use toml_edit::TableLike;

use super::toml_values::{Span, json};
use crate::record::{CompletionParams, ModelParams, parameter_bounds};

/// Sets the defaults of a model; without any parameter, removes them.
pub fn set(all: &mut ModelParams, model: &str, params: CompletionParams) {
    if params == CompletionParams::default() {
        all.remove(model);
    } else {
        all.insert(model.to_owned(), params);
    }
}

/// Reads the table of a profile's models. What is wrong in it is passed to `warn` and left out; all else is taken.
pub(super) fn of_profile(table: &dyn TableLike, warn: &mut impl FnMut(Span, &str)) -> ModelParams {
    let mut all = ModelParams::new();
    for (model, item) in table.iter() {
        let Some(table) = item.as_table_like() else {
            warn(item.span(), &format!("models.{model} must be a table of parameters; it is ignored"));
            continue;
        };
        let params =
            params(&fields(table, &mut |span, why| warn(span, &format!("models.{model}: {why}; it is ignored"))));
        set(&mut all, model, params);
    }
    all
}

/// Returns the fields of a model's table that can be used; the others are passed to `warn`, each with the reason.
pub(super) fn fields(table: &dyn TableLike, warn: &mut impl FnMut(Span, &str)) -> Map<String, Value> {
    let mut fields = Map::new();
    for (name, item) in table.iter() {
        match parameter_bounds::field(name, &json(item)) {
            Ok(value) => drop(fields.insert(name.to_owned(), value)),
            Err(why) => warn(item.span(), &why),
        }
    }
    fields
}

/// Returns the parameters that these fields set.
pub(super) fn params(fields: &Map<String, Value>) -> CompletionParams {
    serde_json::from_value(Value::Object(fields.clone())).unwrap_or_default()
}

/// Returns the fields that are set, by name.
pub fn set_fields(params: &CompletionParams) -> Map<String, Value> {
    let Ok(Value::Object(mut fields)) = serde_json::to_value(params) else { return Map::new() };
    fields.retain(|_, value| match value {
        Value::Null => false,
        Value::Array(items) => !items.is_empty(),
        Value::Object(items) => !items.is_empty(),
        _ => true,
    });
    fields
}
