//! What all commands that send requests have in common.

use clap::Args;
use serde::Serialize;

use super::advice;
use crate::api::call::without_kept;
use crate::component::RunMeter;
use crate::record::TurnStatus;
use crate::text::Untrusted;

/// The version of the JSON that commands print. It changes when a field is removed or means something else.
pub(super) const VERSION: u32 = 1;

/// Flags of all commands that send requests.
#[derive(Clone, Copy, Debug, Default, Args)]
pub(crate) struct RequestArgs {
    /// Print JSON, as docs/commands.md describes it
    #[arg(long)]
    pub(crate) json: bool,
    /// Store nothing: neither texts nor what they cost
    #[arg(long)]
    pub(crate) no_save: bool,
}

/// What can be done where an answer ended at its limit of tokens.
pub(super) const SET_LIMIT: &str = "--max-tokens sets another";

/// Returns the word for how an answer ended.
pub(super) fn status_word(status: TurnStatus) -> &'static str {
    match status {
        TurnStatus::Done | TurnStatus::Streaming => "done",
        TurnStatus::Stopped => "stopped",
        TurnStatus::CutOff => "cut_off",
        TurnStatus::Failed => "failed",
    }
}

/// Returns what is told of an answer that came whole: how it ended, where that is not usual, or that it has no text.
/// The words follow what it is. `at_limit`: what can be done at a limit of tokens.
pub(super) fn end_note(finish_reason: &Untrusted, has_text: bool, at_limit: Option<&str>) -> Option<String> {
    match () {
        () if *finish_reason == *"length" => {
            let advice = at_limit.map(|advice| format!(": {advice}")).unwrap_or_default();
            Some(format!("ended at its limit of tokens{advice}"))
        }
        () if *finish_reason == *"content_filter" => Some("ended early: the server's content filter stopped it".into()),
        () if !has_text => Some("has no text".into()),
        () => None,
    }
}

/// Returns why an answer is not complete, for JSON. `saves`: what came is stored.
pub(super) fn error(sentence: &Untrusted, saves: bool) -> Option<String> {
    let sentence = if saves { sentence.clone() } else { without_kept(sentence) };
    (!sentence.is_empty()).then(|| advice::for_shell(sentence.raw()))
}

/// Parses the id of a conversation.
///
/// # Errors
/// It is none; words that follow the name of the argument.
pub(super) fn conversation_id(text: &str) -> Result<i64, String> {
    text.parse().map_err(|_| format!("an id is a number; {ALL_IDS}"))
}

/// Where the ids of conversations are.
pub(super) const ALL_IDS: &str = "`benchtop export --list` shows all";

/// Tokens and cost, as JSON.
#[derive(Debug, Serialize)]
pub(super) struct UsageJson {
    prompt_tokens: u64,
    completion_tokens: u64,
    /// Whether the counts are estimates.
    estimated: bool,
    /// Dollars; null: unknown.
    cost_usd: Option<f64>,
}

impl From<RunMeter> for UsageJson {
    fn from(meter: RunMeter) -> Self {
        Self {
            prompt_tokens: meter.prompt_tokens,
            completion_tokens: meter.completion_tokens,
            estimated: meter.estimated,
            cost_usd: (!meter.cost.unknown).then(|| meter.cost.nano as f64 / 1e9),
        }
    }
}
