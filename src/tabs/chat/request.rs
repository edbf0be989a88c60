//! Builds the request for the next answer of a conversation: texts are sent byte for byte.
//!
//! A refusal goes back as a refusal to the profile whose server gave it, and as text to others; a transcript goes back
//! as text. Calls go back as they came if each is followed by its result, else as text, `name(arguments)`: a server
//! takes them only with their results.

use super::conversation::{AnswerRequest, OpenConversation};
use super::open_call::{self, OpenCall};
use crate::api::chat::{ChatMessage, ChatRequest, Stop};
use crate::component::Offer;
use crate::record::{Block, Turn};
use crate::settings::ProfileId;
use crate::tabs::generation::json_fields;
use crate::text::Untrusted;

/// Returns the branch of a conversation that is shown as it is sent to another tab, the system prompt first; `None`: it is
/// empty.
pub(super) fn branch_offer(conversation: &OpenConversation) -> Option<Offer> {
    let system = Some(conversation.record.system.as_str()).filter(|system| !system.is_empty());
    let turns = conversation.path.iter().filter_map(|id| conversation.tree.turn(*id)).filter(|turn| !turn.is_silent());
    let said = turns.map(|turn| (turn.role.clone(), turn.said().into_owned()));
    let all: Vec<_> = system.map(|text| ("system".into(), text.into())).into_iter().chain(said).collect();
    (!all.is_empty()).then(|| Offer::Conversation(conversation.record.title.clone(), all))
}

/// Returns the request for an answer to `asking.parent` by a model.
///
/// # Errors
/// A field is wrong; the sentence says which, and where.
pub(super) fn chat_request(
    conversation: &OpenConversation,
    asking: &AnswerRequest,
    model: &Untrusted,
) -> Result<ChatRequest, String> {
    let message = |role: &str, content: Untrusted| ChatMessage { role: role.into(), content, ..ChatMessage::default() };
    let system = &conversation.record.system;
    let mut messages = Vec::new();
    if !system.is_empty() {
        messages.push(message("system", system.as_str().into()));
    }
    let path = conversation.tree.path(Some(asking.parent));
    let turns: Vec<&Turn> = path.iter().chain(&asking.continues).filter_map(|id| conversation.tree.turn(*id)).collect();
    messages.extend(messages_of(&turns, &asking.responder.profile));
    let params = &conversation.record.params;
    Ok(ChatRequest {
        model: model.raw().to_owned(),
        messages,
        temperature: params.temperature,
        top_p: params.top_p,
        // Only one answer is continued, not several.
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

/// Returns what was said, as messages to a profile's server.
fn messages_of(turns: &[&Turn], profile: &ProfileId) -> Vec<ChatMessage> {
    // Other servers may know no field for it, and take no message without text.
    let is_own = |block: &Block| matches!(block, Block::Refusal { profile: of, .. } if of.raw() == profile.0);
    let mut messages = Vec::new();
    // These are the calls of the answer before that are followed by their results.
    let mut open: Vec<Untrusted> = Vec::new();
    for (at, turn) in turns.iter().enumerate().filter(|(_, turn)| !turn.is_silent()) {
        let role = turn.role.raw().to_owned();
        if let Some(id) = open_call::result_of(turn) {
            let content = turn.content.clone();
            messages.push(if open.contains(id) {
                ChatMessage { role, content, tool_call_id: Some(id.raw().to_owned()), ..ChatMessage::default() }
            } else {
                // The answer with the call was deleted, or is not on this branch.
                ChatMessage { role: "user".to_owned(), content, ..ChatMessage::default() }
            });
            continue;
        }
        let results: Vec<_> = turns[at + 1..].iter().map_while(|turn| open_call::result_of(turn)).collect();
        open = open_call::calls(turn).map(|call| call.id).collect();
        if !open.iter().all(|id| results.contains(&id)) {
            open.clear();
        }
        let refusal = turn.blocks.iter().find(|block| is_own(block)).map(|block| block.body().raw().to_owned());
        let message = ChatMessage { role, refusal, ..ChatMessage::default() };
        messages.push(if open.is_empty() {
            let images = turn.blocks.iter().filter_map(Block::picture).cloned().collect();
            ChatMessage { content: turn.said_with(|block| !is_own(block)).into_owned(), images, ..message }
        } else {
            let tool_calls = open_call::calls(turn).map(OpenCall::sent).collect();
            let content = turn.said_with(|block| matches!(block, Block::Refusal { .. }) && !is_own(block)).into_owned();
            ChatMessage { content, tool_calls, ..message }
        });
    }
    messages
}
