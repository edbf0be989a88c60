//! From a conversation to the request for its next answer: texts go out byte for byte.
//!
//! A refusal and spoken words go back as the words they are. A call goes back as text too, `name(arguments)`: as
//! `tool_calls` a server takes it only with its result after it, which nobody has.

use super::conversation::{AnswerRequest, OpenConversation};
use crate::api::chat::{ChatMessage, ChatRequest, Stop};
use crate::tabs::generation::json_fields;
use crate::text::Untrusted;

impl OpenConversation {
    /// Returns the request that answers `asking.parent`.
    ///
    /// # Errors
    /// A field is wrong; the sentence says which, and where.
    pub(super) fn request(&self, asking: &AnswerRequest, model: &Untrusted) -> Result<ChatRequest, String> {
        let message = |role: &str, content: Untrusted| ChatMessage { role: role.into(), content, name: None };
        let system = &self.record.system;
        let mut messages = Vec::new();
        if !system.is_empty() {
            messages.push(message("system", system.as_str().into()));
        }
        let path = self.tree.path(Some(asking.parent));
        let said = path.iter().chain(&asking.continues).filter_map(|id| self.tree.turn(*id));
        messages.extend(
            said.filter(|turn| !turn.is_silent()).map(|turn| message(turn.role.raw(), turn.said().into_owned())),
        );
        let params = &self.record.params;
        Ok(ChatRequest {
            model: model.raw().to_owned(),
            messages,
            temperature: params.temperature,
            top_p: params.top_p,
            // One text goes on, not several.
            n: params.n.filter(|_| asking.continues.is_none()),
            stream: Some(params.stream.unwrap_or(true)),
            stop: match params.stop.as_slice() {
                [] => None,
                [one] => Some(Stop::One(one.clone())),
                many => Some(Stop::Many(many.to_vec())),
            },
            max_tokens: params.max_tokens.filter(|_| params.max_completion_tokens.is_none()),
            presence_penalty: params.presence_penalty,
            frequency_penalty: params.frequency_penalty,
            logit_bias: (!params.logit_bias.is_empty()).then(|| params.logit_bias.clone()),
            user: params.user.clone(),
            seed: params.seed,
            logprobs: params.logprobs.map(|_| true),
            top_logprobs: params.logprobs,
            extra: json_fields::fields(params)?,
            ..ChatRequest::default()
        })
    }
}
