//! What an answered request cost, for the ledger.

use super::Cx;
use crate::record::LedgerRow;
use crate::settings::ProfileId;
use crate::text::Untrusted;

/// The cost of one answered request, by profile and model.
#[derive(Clone, Debug, Default)]
pub struct Charge {
    /// Title of the tab.
    pub tab: &'static str,
    /// `x-request-id`; `None`: the server sent none, and the row gets one of ours.
    pub request_id: Option<Untrusted>,
    /// Whose server answered.
    pub profile: ProfileId,
    /// Which model.
    pub model: Untrusted,
    /// Prompt tokens.
    pub prompt_tokens: u64,
    /// Answer tokens.
    pub completion_tokens: u64,
    /// Whether the counts are ours.
    pub estimated: bool,
    /// Nano-dollars; `None`: price unknown.
    pub cost_nano: Option<i64>,
}

impl Charge {
    /// Returns its row in the ledger, to be written alone or together with the answer.
    pub fn row(self, cx: &mut Cx) -> LedgerRow {
        LedgerRow {
            request_id: self.request_id.unwrap_or_else(|| format!("benchtop-{}", cx.id().0).into()),
            at_ms: cx.unix_ms,
            profile: self.profile.0,
            tab: self.tab.into(),
            model: self.model,
            prompt_tokens: self.prompt_tokens,
            completion_tokens: self.completion_tokens,
            estimated: self.estimated,
            cost_nano: self.cost_nano,
        }
    }
}
