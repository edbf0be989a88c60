//! Templates of profiles for known servers.

use super::profile::{KeySource, Profile};

/// What a profile for a server begins with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Template {
    /// What the server is called.
    pub title: &'static str,
    /// Name of the profile.
    pub name: &'static str,
    /// Base URL.
    pub base_url: &'static str,
    /// The variable that usually contains its key; empty: it needs none.
    pub key: &'static str,
    /// What the user has to know; empty: nothing.
    pub note: &'static str,
}

/// Creates a template: title, name, base URL, variable of the key, note.
const fn template(
    title: &'static str,
    name: &'static str,
    base_url: &'static str,
    key: &'static str,
    note: &'static str,
) -> Template {
    Template { title, name, base_url, key, note }
}

/// All templates, hosted services first.
pub const TEMPLATES: [Template; 10] = [
    template("OpenAI", "openai", "https://api.openai.com/v1", "OPENAI_API_KEY", ""),
    template(
        "Azure OpenAI",
        "azure",
        "https://RESOURCE.openai.azure.com/openai/v1",
        "AZURE_OPENAI_API_KEY",
        "Replace RESOURCE in the base URL. Models are the names of your deployments.",
    ),
    template("OpenRouter", "openrouter", "https://openrouter.ai/api/v1", "OPENROUTER_API_KEY", ""),
    template("Mistral", "mistral", "https://api.mistral.ai/v1", "MISTRAL_API_KEY", ""),
    template("Groq", "groq", "https://api.groq.com/openai/v1", "GROQ_API_KEY", ""),
    template("Ollama", "ollama", "http://127.0.0.1:11434/v1", "", ""),
    template("LM Studio", "lm-studio", "http://127.0.0.1:1234/v1", "", "Start its server in LM Studio, Developer."),
    template("llama.cpp (llama-server)", "llama-cpp", "http://127.0.0.1:8080/v1", "", ""),
    template("vLLM", "vllm", "http://127.0.0.1:8000/v1", "", "A key is needed only if the server runs with --api-key."),
    template("LiteLLM proxy", "litellm", "http://127.0.0.1:4000/v1", "LITELLM_API_KEY", ""),
];

impl Template {
    /// Returns the profile to begin with.
    pub fn profile(&self) -> Profile {
        let key = if self.key.is_empty() { KeySource::None } else { KeySource::Env(self.key.to_owned()) };
        Profile::new(self.base_url, key)
    }
}
