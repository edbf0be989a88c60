//! What answered requests cost: a row of the ledger for each, and their sum for the footer's meter.

use super::Cx;
use crate::record::{Cost, LedgerRow, Record, Run};
use crate::settings::ProfileId;
use crate::text::Untrusted;

/// The cost of one answered request, by profile and model.
#[derive(Clone, Debug, Default)]
pub struct Charge {
    /// Title of the tab.
    pub tab: &'static str,
    /// The `x-request-id` of the answer; `None`: the server sent none, and the row gets an id of our own.
    pub request_id: Option<Untrusted>,
    /// The profile whose server answered.
    pub profile: ProfileId,
    /// The model that answered.
    pub model: Untrusted,
    /// Prompt tokens.
    pub prompt_tokens: u64,
    /// Answer tokens.
    pub completion_tokens: u64,
    /// Whether we estimated the counts, as the server sent none.
    pub estimated: bool,
    /// Nano-dollars; `None`: price unknown.
    pub cost_nano: Option<i64>,
}

impl Charge {
    /// Adds the charge to the meter and returns the record of its row in the ledger, to be saved alone or with the
    /// answer.
    pub fn record(self, meter: &mut RunMeter, cx: &mut Cx) -> Record {
        meter.prompt_tokens += self.prompt_tokens;
        meter.completion_tokens += self.completion_tokens;
        meter.estimated |= self.estimated;
        meter.cost += self.cost_nano.into();
        Record::Ledger(LedgerRow {
            request_id: self.request_id.unwrap_or_else(|| format!("benchtop-{}", cx.id().0).into()),
            at_ms: cx.unix_ms,
            profile: self.profile.0,
            tab: self.tab.into(),
            model: self.model,
            prompt_tokens: self.prompt_tokens,
            completion_tokens: self.completion_tokens,
            estimated: self.estimated,
            cost_nano: self.cost_nano,
        })
    }
}

/// Tokens and cost of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RunMeter {
    /// Sent.
    pub prompt_tokens: u64,
    /// Received.
    pub completion_tokens: u64,
    /// Whether we estimated the counts (shown with `~`).
    pub estimated: bool,
    /// What it cost.
    pub cost: Cost,
    /// How many texts were checked, where texts are counted instead of tokens; 0: tokens are counted.
    pub texts: u64,
}

impl From<&Run> for RunMeter {
    fn from(run: &Run) -> Self {
        let Run { prompt_tokens, completion_tokens, estimated, cost_nano, .. } = *run;
        Self { prompt_tokens, completion_tokens, estimated, cost: cost_nano.into(), texts: 0 }
    }
}
