//! What all commands that send requests have in common.

use clap::Args;
use serde::Serialize;

use crate::component::RunMeter;
use crate::record::TurnStatus;

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

/// Returns the word for how an answer ended.
pub(super) fn status_word(status: TurnStatus) -> &'static str {
    match status {
        TurnStatus::Done | TurnStatus::Streaming => "done",
        TurnStatus::Stopped => "stopped",
        TurnStatus::CutOff => "cut_off",
        TurnStatus::Failed => "failed",
    }
}

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
