//! Reads a model of a server's list. Only the fields in use are read, as the others can be a hundred times as large.

use std::fmt;

use serde::de::{DeserializeOwned, IgnoredAny, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value};

use crate::api::lenient::{self, Flat, Names, Object};
use crate::api::model::Model;

/// How many names of a list are kept, and how many characters of each.
const MAX_NAMES: usize = 40;
const MAX_NAME_CHARS: usize = 40;
/// Dollars for a million tokens; a higher price is ignored.
const MAX_PRICE: f64 = 1e6;

/// Fields with the size of the context. The size in effect takes precedence over the model's maximum.
const CONTEXT_FIELDS: &[&str] = &[
    // LM Studio, for a loaded model.
    "loaded_context_length",
    // vLLM.
    "max_model_len",
    // OpenRouter, Together.
    "context_length",
    // Groq, Vercel.
    "context_window",
    // Mistral, LM Studio.
    "max_context_length",
    // LiteLLM.
    "max_input_tokens",
];

/// Fields with the length of the longest answer: Groq's and OpenRouter's, LiteLLM's.
const OUTPUT_FIELDS: &[&str] = &["max_completion_tokens", "max_output_tokens"];

/// Fields that say what a model is and can do: LM Studio's, Together's and Vercel's; Mistral's, Azure's and LM
/// Studio's; Chutes'; Novita's; Vercel's and DeepInfra's.
const ABILITY_FIELDS: &[&str] = &["type", "capabilities", "supported_features", "features", "tags"];

/// The same in Fireworks' lists: a field that is true.
const ABILITY_FLAGS: &[(&str, &str)] =
    &[("supports_chat", "chat"), ("supports_tools", "tools"), ("supports_image_input", "image input")];

/// Fields that list which fields of requests a model takes: OpenRouter's, Chutes'.
const PARAMETER_FIELDS: &[&str] = &["supported_parameters", "supported_sampling_parameters"];

/// A model with its limits, prices and abilities under the names that servers give them.
#[derive(Default)]
pub(super) struct ListedModel {
    model: Model,
    /// Numbers of the fields, by their places in [`CONTEXT_FIELDS`] and [`OUTPUT_FIELDS`].
    contexts: [Option<u64>; CONTEXT_FIELDS.len()],
    outputs: [Option<u64>; OUTPUT_FIELDS.len()],
    /// llama-server's.
    meta: Meta,
    /// OpenRouter's.
    top_provider: Provider,
}

/// The limits of the provider that runs a model.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Provider {
    #[serde(deserialize_with = "lenient::or_default")]
    context_length: Option<u64>,
    #[serde(deserialize_with = "lenient::or_default")]
    max_completion_tokens: Option<u64>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Meta {
    /// The context with which the model was loaded.
    #[serde(deserialize_with = "lenient::or_default")]
    n_ctx: Option<u64>,
    /// The context with which the model was trained.
    #[serde(deserialize_with = "lenient::or_default")]
    n_ctx_train: Option<u64>,
}

/// OpenRouter's: the model's inputs and outputs.
#[derive(Deserialize)]
#[serde(default)]
struct Architecture {
    input_modalities: Names,
    output_modalities: Names,
}

impl Default for Architecture {
    fn default() -> Self {
        Self { input_modalities: Names(Vec::new()), output_modalities: Names(Vec::new()) }
    }
}

/// What tokens cost, in dollars.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Pricing {
    /// OpenRouter: of one token, as text.
    #[serde(deserialize_with = "lenient::or_default")]
    prompt: Value,
    #[serde(deserialize_with = "lenient::or_default")]
    completion: Value,
    /// Vercel: of one token, as text; Together: of a million, as a number.
    #[serde(deserialize_with = "lenient::or_default")]
    input: Value,
    #[serde(deserialize_with = "lenient::or_default")]
    output: Value,
}

impl Pricing {
    /// Returns the prices in nano-dollars for a million tokens of the prompt and of the answer.
    fn nano_dollars(&self) -> [Option<i64>; 2] {
        let nano = |dollars: f64| (0.0..=MAX_PRICE).contains(&dollars).then(|| (dollars * 1e9).round() as i64);
        let number = |value: &Value| lenient::scalar(value)?.parse::<f64>().ok();
        let of = |token: &Value, either: &Value| {
            let factor = if either.is_string() { 1e6 } else { 1.0 };
            let of_a_million = || number(either).map(|dollars| dollars * factor);
            nano(number(token).map(|dollars| dollars * 1e6).or_else(of_a_million)?)
        };
        [of(&self.prompt, &self.input), of(&self.completion, &self.output)]
    }
}

impl<'de> Deserialize<'de> for ListedModel {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        struct Fields;
        impl<'de> Visitor<'de> for Fields {
            type Value = ListedModel;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<ListedModel, A::Error> {
                let mut listed = ListedModel::default();
                while let Some(name) = map.next_key::<String>()? {
                    listed.read_field(&name, &mut map)?;
                }
                Ok(listed)
            }
        }
        input.deserialize_map(Fields)
    }
}

impl ListedModel {
    /// Reads the value of a field, or skips it if it is not used.
    fn read_field<'de, A: MapAccess<'de>>(&mut self, name: &str, map: &mut A) -> Result<(), A::Error> {
        let place = |names: &[&str]| names.iter().position(|field| *field == name);
        let details = &mut self.model.details;
        match name {
            "id" => self.model.id = scalar(map)?,
            "object" => self.model.object = scalar(map)?,
            "created" => self.model.created = scalar(map)?,
            "owned_by" => self.model.owned_by = scalar(map)?,
            "meta" => self.meta = object(map)?,
            "top_provider" => self.top_provider = object(map)?,
            "architecture" => {
                let Architecture { input_modalities, output_modalities } = object(map)?;
                add_names(&mut details.takes, input_modalities);
                add_names(&mut details.gives, output_modalities);
            }
            "input_modalities" => add_names(&mut details.takes, map.next_value()?),
            "output_modalities" => add_names(&mut details.gives, map.next_value()?),
            "pricing" => [details.input_price, details.output_price] = object::<Pricing, _>(map)?.nano_dollars(),
            _ if ABILITY_FIELDS.contains(&name) => add_names(&mut details.abilities, map.next_value()?),
            _ if PARAMETER_FIELDS.contains(&name) => add_names(&mut details.parameters, map.next_value()?),
            _ => {
                if let Some(at) = place(CONTEXT_FIELDS) {
                    self.contexts[at] = scalar(map)?;
                } else if let Some(at) = place(OUTPUT_FIELDS) {
                    self.outputs[at] = scalar(map)?;
                } else if let Some((_, ability)) = ABILITY_FLAGS.iter().find(|(field, _)| *field == name) {
                    if scalar(map)? {
                        add_names(&mut details.abilities, Names(vec![(*ability).to_owned()]));
                    }
                } else {
                    map.next_value::<IgnoredAny>()?;
                }
            }
        }
        Ok(())
    }
}

impl From<ListedModel> for Model {
    fn from(listed: ListedModel) -> Self {
        let ListedModel { model, contexts, outputs, meta, top_provider } = listed;
        let first = |numbers: &mut dyn Iterator<Item = Option<u64>>| numbers.flatten().find(|&tokens| tokens > 0);
        let running = [top_provider.context_length];
        let trained = [meta.n_ctx, meta.n_ctx_train];
        Self {
            context: first(&mut running.into_iter().chain(contexts).chain(trained)),
            output: first(&mut [top_provider.max_completion_tokens].into_iter().chain(outputs)),
            extra: Map::new(),
            ..model
        }
    }
}

/// Reads a scalar, or the default if it is null or of another type.
fn scalar<'de, T: DeserializeOwned + Default, A: MapAccess<'de>>(map: &mut A) -> Result<T, A::Error> {
    Ok(serde_json::from_value(map.next_value::<Flat>()?.0).unwrap_or_default())
}

/// Reads an object, or the default if it is anything else.
fn object<'de, T: Deserialize<'de> + Default, A: MapAccess<'de>>(map: &mut A) -> Result<T, A::Error> {
    Ok(map.next_value::<Object<T>>()?.0.unwrap_or_default())
}

/// Adds names, each once.
fn add_names(to: &mut Vec<String>, names: Names) {
    for name in names.0 {
        let name: String = name.trim().chars().take(MAX_NAME_CHARS).collect();
        if !name.is_empty() && to.len() < MAX_NAMES && !to.contains(&name) {
            to.push(name);
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn limits_are_read_under_each_servers_names() {
        let of = |fields: Value| {
            let listed: ListedModel = serde_json::from_value(fields).unwrap();
            let model = Model::from(listed);
            (model.context, model.output)
        };
        assert_eq!(of(json!({"id": "m"})), (None, None));
        assert_eq!(of(json!({"max_model_len": 32768})), (Some(32768), None), "vLLM");
        let groq = json!({"context_window": 131_072, "max_completion_tokens": 32768});
        assert_eq!(of(groq), (Some(131_072), Some(32768)));
        let router = json!({"context_length": 200_000, "top_provider": {"context_length": 128_000, "max_completion_tokens": 4096}});
        assert_eq!(of(router), (Some(128_000), Some(4096)), "OpenRouter");
        let studio = json!({"max_context_length": 40960, "loaded_context_length": 4096});
        assert_eq!(of(studio), (Some(4096), None), "LM Studio");
        assert_eq!(of(json!({"max_context_length": 32768})), (Some(32768), None), "Mistral");
        assert_eq!(of(json!({"max_input_tokens": 8192, "max_output_tokens": 0})), (Some(8192), None), "LiteLLM");
        assert_eq!(of(json!({"meta": {"n_ctx_train": 8192, "vocab_type": 2}})), (Some(8192), None), "llama-server");
        assert_eq!(of(json!({"meta": null, "top_provider": "x", "context_length": []})), (None, None));
    }

    #[test]
    fn prices_and_abilities_are_read_under_each_servers_names() {
        let of = |fields: Value| Model::from(serde_json::from_value::<ListedModel>(fields).unwrap()).details;
        let prices = |fields: Value| {
            let details = of(fields);
            [details.input_price, details.output_price].map(|nano| nano.map(|nano| nano / 1_000_000))
        };
        let priced = |pricing: Value| prices(json!({"pricing": pricing}));
        assert_eq!(
            priced(json!({"prompt": "0.00003", "completion": "0.00006"})),
            [Some(30_000), Some(60_000)],
            "OpenRouter"
        );
        assert_eq!(priced(json!({"input": "0.0000002", "output": "0.0000006"})), [Some(200), Some(600)], "Vercel");
        assert_eq!(priced(json!({"input": 0.18, "output": 0.59, "hourly": 0})), [Some(180), Some(590)], "Together");
        assert_eq!(priced(json!({"prompt": "-1", "completion": "much"})), [None, None]);
        assert_eq!(priced(json!([1])), [None, None]);

        let router = json!({
            "architecture": {"input_modalities": ["text", "image"], "output_modalities": ["text"], "modality": "text+image->text"},
            "supported_parameters": ["tools", "seed", "seed", 7],
        });
        let details = of(router);
        assert_eq!((details.takes, details.gives), (vec!["text".to_owned(), "image".into()], vec!["text".to_owned()]));
        assert_eq!(details.parameters, ["tools", "seed"]);
        let mistral = json!({"type": "base", "capabilities": {"completion_chat": true, "vision": false, "ocr": null}});
        assert_eq!(of(mistral).abilities, ["completion_chat", "base"]);
        let studio = json!({"type": "vlm", "capabilities": ["tool_use"]});
        assert_eq!(of(studio).abilities, ["tool_use", "vlm"]);
        let other = json!({"supports_chat": true, "supports_tools": null, "input_modalities": ["text"], "tags": 3});
        let details = of(other);
        assert_eq!((details.abilities, details.takes), (vec!["chat".to_owned()], vec!["text".to_owned()]));
        let long =
            json!({"features": vec!["x".repeat(500); 3], "tags": (0..500).map(|n| n.to_string()).collect::<Vec<_>>()});
        let details = of(long);
        assert_eq!((details.abilities.len(), details.abilities[0].len()), (MAX_NAMES, MAX_NAME_CHARS));
    }
}
