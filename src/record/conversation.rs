//! Conversations and their turns. A turn has a parent, so edits and regenerations are branches and lose nothing.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{Block, Details, Id};
use crate::text::Untrusted;

/// A conversation without its turns.
#[derive(Clone, Debug, PartialEq)]
pub struct Conversation {
    /// Its id.
    pub id: Id,
    /// Shown in the list; empty until the first prompt sets it.
    pub title: Untrusted,
    /// Whether the title was typed by the user (then it is never changed automatically).
    pub titled: bool,
    /// Unix milliseconds.
    pub created_ms: i64,
    /// Unix milliseconds of the last turn or change.
    pub updated_ms: i64,
    /// Unix milliseconds since when it is in the trash.
    pub trashed_ms: Option<i64>,
    /// Name of the profile it was last used with.
    pub profile: Untrusted,
    /// Model it was last used with; empty: none yet.
    pub model: Untrusted,
    /// System prompt; empty: none. Only the text box shows it, which makes safe what it draws.
    pub system: String,
    /// Request parameters.
    pub params: ChatParams,
    /// The last turn of the branch that is shown.
    pub leaf: Option<Id>,
    /// Text in the composer, not yet sent. Only the text box shows it, which makes safe what it draws.
    pub draft: String,
}

impl Conversation {
    /// Returns whether title, system prompt and draft are all empty.
    pub fn is_unwritten(&self) -> bool {
        self.title.is_empty() && self.system.is_empty() && self.draft.is_empty()
    }

    /// Returns whether title, system prompt, draft and parameters are all empty; turns are not considered.
    pub fn is_empty(&self) -> bool {
        self.is_unwritten() && self.params == ChatParams::default()
    }
}

/// One line of the conversation list: the conversation and how many turns it has.
#[derive(Clone, Debug, PartialEq)]
pub struct Head {
    /// The conversation.
    pub conversation: Conversation,
    /// Turns on all branches.
    pub turns: u64,
}

/// The request fields a conversation sets; `None`: not sent. Ranges as in the interface. Only the form they are typed
/// into shows their texts, which makes safe what it draws.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ChatParams {
    /// 0 to 2.
    pub temperature: Option<f64>,
    /// 0 to 1.
    pub top_p: Option<f64>,
    /// 1 to 128.
    pub n: Option<u32>,
    /// Default true here: answers stream.
    pub stream: Option<bool>,
    /// At most 4.
    pub stop: Vec<String>,
    /// At least 1.
    pub max_tokens: Option<u64>,
    /// −2 to 2.
    pub presence_penalty: Option<f64>,
    /// −2 to 2.
    pub frequency_penalty: Option<f64>,
    /// Token id → −100 to 100.
    pub logit_bias: BTreeMap<String, f64>,
    /// Opaque name of the end user.
    pub user: Option<String>,
    /// For repeatable sampling.
    pub seed: Option<i64>,
    /// Alternatives a token of chat, 0 to 20; completions have a field of their own.
    #[serde(rename = "top_logprobs")]
    pub logprobs: Option<u32>,
    /// At least 1; the name that today's servers have for `max_tokens`.
    pub max_completion_tokens: Option<u64>,
    /// `minimal`, `low`, `medium`, `high`, …
    pub reasoning_effort: Option<String>,
    /// At least 1.
    pub top_k: Option<u32>,
    /// 0 to 1.
    pub min_p: Option<f64>,
    /// `json_object`, or a JSON schema as it was typed, right or wrong.
    pub response_format: Option<String>,
    /// Further fields, a JSON object as it was typed, right or wrong.
    pub extra: Option<String>,
    /// Tools that may be called, a JSON array as it was read or typed, right or wrong.
    pub tools: Option<String>,
    /// `auto`, `none`, `required` or the name of a tool, as it was typed.
    pub tool_choice: Option<String>,
}

/// One message of a conversation.
#[derive(Clone, Debug, PartialEq)]
pub struct Turn {
    /// Its id.
    pub id: Id,
    /// The conversation it belongs to.
    pub conversation: Id,
    /// The turn it follows; `None`: the first.
    pub parent: Option<Id>,
    /// `system`, `user`, `assistant`, …
    pub role: Untrusted,
    /// The text, byte for byte.
    pub content: Untrusted,
    /// The reasoning, byte for byte; mostly empty.
    pub reasoning: Untrusted,
    /// What an answer holds beside them, in order of arrival; mostly nothing.
    pub blocks: Vec<Block>,
    /// Model that answered (as the server named it); empty for the user's turns.
    pub model: Untrusted,
    /// 0-based choice of an answer with `n` > 1; siblings share the parent.
    pub choice: u32,
    /// Its state.
    pub status: TurnStatus,
    /// What went wrong, a sentence; empty when nothing did. Of a complete answer: what of it could not be read.
    pub error: Untrusted,
    /// More about what went wrong, for the details view.
    pub details: Option<Box<Details>>,
    /// The server's `finish_reason`; empty: none came.
    pub finish_reason: Untrusted,
    /// Unix milliseconds.
    pub created_ms: i64,
    /// Tokens of the prompt.
    pub prompt_tokens: u64,
    /// Tokens of this text.
    pub completion_tokens: u64,
    /// Whether the two counts are ours (`~`) and not the server's.
    pub estimated: bool,
    /// Cost in nano-dollars; `None`: price unknown.
    pub cost_nano: Option<i64>,
    /// Milliseconds from sending to the first token; 0: none came.
    pub first_token_ms: u64,
    /// Milliseconds from sending to the end.
    pub total_ms: u64,
}

/// The state of a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TurnStatus {
    /// Complete.
    Done,
    /// Being received. At start-up this means that the program ended meanwhile: it is shown as cut off.
    Streaming,
    /// Stopped by the user.
    Stopped,
    /// Ended before it was complete.
    CutOff,
    /// Failed before any text.
    Failed,
}
