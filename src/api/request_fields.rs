//! The names of request fields that are known here, whatever server takes them, and what each is about.

use About::{Text, Vectors, Whole};

/// What a field says something about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum About {
    /// How a text is written. It has no meaning where none is, and servers that know their own fields refuse it there.
    Text,
    /// How a vector is made.
    Vectors,
    /// Any request.
    Whole,
}

/// Names, what each is about, and whether it has a parameter of its own in Chat or is set by the program.
const FIELDS: &[(&str, About, bool)] = &[
    ("audio", Text, false),
    ("best_of", Text, false),
    ("chat_template_kwargs", Text, false),
    ("dimensions", Vectors, false),
    ("echo", Text, false),
    ("enable_thinking", Text, false),
    ("encoding_format", Vectors, false),
    ("frequency_penalty", Text, true),
    ("function_call", Text, false),
    ("functions", Text, false),
    ("grammar", Text, false),
    ("json_schema", Text, false),
    ("logit_bias", Text, true),
    ("logprobs", Text, true),
    ("max_completion_tokens", Text, true),
    ("max_tokens", Text, true),
    ("messages", Text, true),
    ("min_p", Text, true),
    ("min_tokens", Text, false),
    ("modalities", Text, false),
    ("model", Whole, true),
    ("n", Text, true),
    ("parallel_tool_calls", Text, false),
    ("prediction", Text, false),
    ("presence_penalty", Text, true),
    ("prompt", Text, false),
    ("reasoning", Text, false),
    ("reasoning_effort", Text, true),
    ("repeat_penalty", Text, false),
    ("repetition_penalty", Text, false),
    ("response_format", Text, true),
    ("seed", Text, true),
    ("service_tier", Text, false),
    ("stop", Text, true),
    ("store", Text, false),
    ("stream", Text, true),
    ("stream_options", Text, true),
    ("suffix", Text, false),
    ("temperature", Text, true),
    ("thinking", Text, false),
    ("tool_choice", Text, true),
    ("tools", Text, true),
    ("top_k", Text, true),
    ("top_logprobs", Text, true),
    ("top_p", Text, true),
    ("typical_p", Text, false),
    ("user", Whole, true),
    ("verbosity", Text, false),
    ("web_search_options", Text, false),
];

/// Whether a field says how a text is written.
pub fn is_about_text(name: &str) -> bool {
    is(name, |about, _| about == Text)
}

/// Whether a field says how a vector is made.
pub fn is_about_vectors(name: &str) -> bool {
    is(name, |about, _| about == Vectors)
}

/// Whether a field has a parameter of its own in Chat, or is set by the program.
pub fn has_parameter(name: &str) -> bool {
    is(name, |_, has_parameter| has_parameter)
}

fn is(name: &str, such: impl Fn(About, bool) -> bool) -> bool {
    FIELDS.iter().any(|(known, about, has_parameter)| *known == name && such(*about, *has_parameter))
}
