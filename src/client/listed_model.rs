//! A model of a server's list, read as far as it is used: what else servers write of it can be a hundred times as large.

use serde::Deserialize;
use serde_json::Map;

use crate::api::lenient;
use crate::api::model::Model;

/// A model with its limits under the names that servers give them.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct ListedModel {
    #[serde(deserialize_with = "lenient::or_default")]
    id: String,
    #[serde(deserialize_with = "lenient::or_default")]
    object: String,
    #[serde(deserialize_with = "lenient::or_default")]
    created: Option<i64>,
    #[serde(deserialize_with = "lenient::or_default")]
    owned_by: Option<String>,
    /// OpenRouter, Together.
    #[serde(deserialize_with = "lenient::or_default")]
    context_length: Option<u64>,
    /// Groq.
    #[serde(deserialize_with = "lenient::or_default")]
    context_window: Option<u64>,
    /// LM Studio, of a model that is loaded: what it was loaded with.
    #[serde(deserialize_with = "lenient::or_default")]
    loaded_context_length: Option<u64>,
    /// Mistral, LM Studio.
    #[serde(deserialize_with = "lenient::or_default")]
    max_context_length: Option<u64>,
    /// vLLM.
    #[serde(deserialize_with = "lenient::or_default")]
    max_model_len: Option<u64>,
    /// LiteLLM.
    #[serde(deserialize_with = "lenient::or_default")]
    max_input_tokens: Option<u64>,
    /// LiteLLM.
    #[serde(deserialize_with = "lenient::or_default")]
    max_output_tokens: Option<u64>,
    /// Groq, OpenRouter.
    #[serde(deserialize_with = "lenient::or_default")]
    max_completion_tokens: Option<u64>,
    /// llama-server's.
    #[serde(deserialize_with = "lenient::object")]
    meta: Meta,
    /// OpenRouter's.
    #[serde(deserialize_with = "lenient::object")]
    top_provider: Provider,
}

/// The limits of who runs a model.
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
    /// What the model was loaded with.
    #[serde(deserialize_with = "lenient::or_default")]
    n_ctx: Option<u64>,
    /// What the model was trained with.
    #[serde(deserialize_with = "lenient::or_default")]
    n_ctx_train: Option<u64>,
}

impl From<ListedModel> for Model {
    fn from(listed: ListedModel) -> Self {
        // What holds now goes before what the model could do.
        let contexts = [
            listed.top_provider.context_length,
            listed.loaded_context_length,
            listed.max_model_len,
            listed.context_length,
            listed.context_window,
            listed.max_context_length,
            listed.max_input_tokens,
            listed.meta.n_ctx,
            listed.meta.n_ctx_train,
        ];
        let outputs =
            [listed.top_provider.max_completion_tokens, listed.max_completion_tokens, listed.max_output_tokens];
        let first = |numbers: &[Option<u64>]| numbers.iter().flatten().copied().find(|&tokens| tokens > 0);
        Self {
            id: listed.id,
            object: listed.object,
            created: listed.created,
            owned_by: listed.owned_by,
            context: first(&contexts),
            output: first(&outputs),
            extra: Map::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

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
}
