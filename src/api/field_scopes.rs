//! Lists the request fields that are known, of any server, and what each is about.

use About::{Text, Vectors, Whole};
use SetBy::{Extra, Parameter};

/// What a field says something about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum About {
    /// How a text is generated. In other requests such a field has no meaning, and strict servers refuse it.
    Text,
    /// How a vector is made.
    Vectors,
    /// Any request.
    Whole,
}

/// Where a field's value comes from in Chat.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SetBy {
    /// A parameter of its own, or the program.
    Parameter,
    /// The user's further fields.
    Extra,
}

/// Names, what each is about, and what sets it.
const FIELDS: &[(&str, About, SetBy)] = &[
    ("audio", Text, Extra),
    ("best_of", Text, Extra),
    ("chat_template_kwargs", Text, Extra),
    ("dimensions", Vectors, Extra),
    ("echo", Text, Extra),
    ("enable_thinking", Text, Extra),
    ("encoding_format", Vectors, Extra),
    ("frequency_penalty", Text, Parameter),
    ("function_call", Text, Extra),
    ("functions", Text, Extra),
    ("grammar", Text, Extra),
    ("input", Whole, Extra),
    ("json_schema", Text, Extra),
    ("logit_bias", Text, Parameter),
    ("logprobs", Text, Parameter),
    ("max_completion_tokens", Text, Parameter),
    ("max_tokens", Text, Parameter),
    ("messages", Text, Parameter),
    ("min_p", Text, Parameter),
    ("min_tokens", Text, Extra),
    ("modalities", Text, Extra),
    ("model", Whole, Parameter),
    ("n", Text, Parameter),
    ("parallel_tool_calls", Text, Extra),
    ("prediction", Text, Extra),
    ("presence_penalty", Text, Parameter),
    ("prompt", Text, Extra),
    ("reasoning", Text, Extra),
    ("reasoning_effort", Text, Parameter),
    ("repeat_penalty", Text, Extra),
    ("repetition_penalty", Text, Extra),
    ("response_format", Text, Parameter),
    ("seed", Text, Parameter),
    ("service_tier", Text, Extra),
    ("stop", Text, Parameter),
    ("store", Text, Extra),
    ("stream", Text, Parameter),
    ("stream_options", Text, Parameter),
    ("suffix", Text, Extra),
    ("temperature", Text, Parameter),
    ("thinking", Text, Extra),
    ("tool_choice", Text, Parameter),
    ("tools", Text, Parameter),
    ("top_k", Text, Parameter),
    ("top_logprobs", Text, Parameter),
    ("top_p", Text, Parameter),
    ("typical_p", Text, Extra),
    ("user", Whole, Parameter),
    ("verbosity", Text, Extra),
    ("web_search_options", Text, Extra),
];

/// Returns whether a field says how a text is generated.
pub fn is_about_text(name: &str) -> bool {
    matches_field(name, |about, _| about == Text)
}

/// Returns whether a field says how a vector is made.
pub fn is_about_vectors(name: &str) -> bool {
    matches_field(name, |about, _| about == Vectors)
}

/// Returns whether a field has a parameter of its own in Chat, or is set by the program.
pub fn has_parameter(name: &str) -> bool {
    matches_field(name, |_, set_by| set_by == Parameter)
}

/// Returns whether a field is known.
#[cfg(test)]
pub(crate) fn is_known(name: &str) -> bool {
    matches_field(name, |_, _| true)
}

/// Returns whether a known field meets a condition.
fn matches_field(name: &str, condition: impl Fn(About, SetBy) -> bool) -> bool {
    FIELDS.iter().any(|(known, about, set_by)| *known == name && condition(*about, *set_by))
}
