//! What answered requests cost: a row of the ledger for each, and their sum for the footer's meter.

use super::Cx;
use crate::api::usage::Usage;
use crate::record::{Cost, LedgerRow, Record, Run};
use crate::settings::ProfileId;
use crate::text::Untrusted;
use crate::tokens::{Price, Used};

/// Tokens as counted here, which hold where the server reports none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OwnCount {
    /// Prompt tokens.
    pub prompt: u64,
    /// Answer tokens, always an estimate.
    pub completion: u64,
    /// Whether the count of the prompt is an estimate.
    pub estimated: bool,
}

/// Tokens and cost of an answer: what the server reports, else our own count and the model's price.
#[derive(Clone, Copy, Debug, Default)]
pub struct AnswerCost {
    usage: Option<Usage>,
    own: OwnCount,
    price: Option<Price>,
}

impl AnswerCost {
    /// Returns the cost of an answer from what the server reports and what is known without it; price `None`: unknown.
    pub fn new(usage: Option<Usage>, own: OwnCount, price: Option<Price>) -> Self {
        Self { usage, own, price }
    }

    /// Returns the cost of a prompt of so many estimated tokens, of which the server reports nothing.
    pub fn of_prompt(tokens: u64, price: Option<Price>) -> Self {
        Self::new(None, OwnCount { prompt: tokens, completion: 0, estimated: true }, price)
    }

    /// Returns the tokens of the prompt.
    pub fn prompt_tokens(&self) -> u64 {
        self.reported_prompt().unwrap_or(self.own.prompt)
    }

    /// Returns the tokens of the answer.
    pub fn completion_tokens(&self) -> u64 {
        self.reported_completion().unwrap_or(self.own.completion)
    }

    /// Returns whether the tokens of the answer are an estimate. Servers leave the count out where nothing was
    /// generated.
    pub fn is_completion_estimated(&self) -> bool {
        self.reported_completion().is_none() && (self.usage.is_none() || self.own.completion > 0)
    }

    /// Returns whether any of the tokens are an estimate.
    pub fn is_estimated(&self) -> bool {
        self.is_completion_estimated() || self.reported_prompt().is_none() && self.own.estimated
    }

    /// Returns the cost in nano-dollars; `None`: unknown.
    pub fn nano(&self) -> Option<i64> {
        self.reported_nano().or_else(|| self.priced(self.prompt_tokens(), self.completion_tokens()))
    }

    /// Returns the cost of so many of its tokens: by the price, or their share of the cost that the server reports.
    pub fn part_nano(&self, prompt: u64, completion: u64) -> Option<i64> {
        let Some(whole) = self.reported_nano() else { return self.priced(prompt, completion) };
        let all = self.prompt_tokens().saturating_add(self.completion_tokens()).max(1);
        i64::try_from(i128::from(whole) * (i128::from(prompt) + i128::from(completion)) / i128::from(all)).ok()
    }

    fn priced(&self, prompt: u64, completion: u64) -> Option<i64> {
        let cached = self.usage.as_ref().map_or(0, Usage::cached_tokens);
        self.price?.cost(Used { prompt, cached, completion })
    }

    fn reported_nano(&self) -> Option<i64> {
        self.usage?.cost_nano
    }

    fn reported_completion(&self) -> Option<u64> {
        self.usage?.completion_tokens
    }

    /// Returns the reported tokens of the prompt. Some servers report only the sum.
    fn reported_prompt(&self) -> Option<u64> {
        let Usage { prompt_tokens, total_tokens, .. } = self.usage?;
        let rest = total_tokens.saturating_sub(self.completion_tokens());
        [prompt_tokens, rest].into_iter().find(|tokens| *tokens > 0)
    }
}

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
    /// Tokens and cost.
    pub cost: AnswerCost,
}

impl Charge {
    /// Adds the charge to the meter and returns the record of its row in the ledger, to be saved alone or with the
    /// answer.
    pub fn record(self, meter: &mut RunMeter, cx: &mut Cx) -> Record {
        let RunMeter { prompt_tokens, completion_tokens, estimated, .. } = self.cost.into();
        let cost_nano = self.cost.nano();
        meter.prompt_tokens += prompt_tokens;
        meter.completion_tokens += completion_tokens;
        meter.estimated |= estimated;
        meter.cost += cost_nano.into();
        Record::Ledger(LedgerRow {
            request_id: self.request_id.unwrap_or_else(|| format!("benchtop-{}", cx.id().0).into()),
            at_ms: cx.unix_ms,
            profile: self.profile.0,
            tab: self.tab.into(),
            model: self.model,
            prompt_tokens,
            completion_tokens,
            estimated,
            cost_nano,
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

impl From<AnswerCost> for RunMeter {
    fn from(cost: AnswerCost) -> Self {
        Self {
            prompt_tokens: cost.prompt_tokens(),
            completion_tokens: cost.completion_tokens(),
            estimated: cost.is_estimated(),
            cost: cost.nano().into(),
            texts: 0,
        }
    }
}

impl From<&Run> for RunMeter {
    fn from(run: &Run) -> Self {
        let Run { prompt_tokens, completion_tokens, estimated, cost_nano, .. } = *run;
        Self { prompt_tokens, completion_tokens, estimated, cost: cost_nano.into(), texts: 0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::usage::PromptDetails;

    const PRICE: Option<Price> =
        Some(Price { input: 1_000_000, output: Some(10_000_000), cached: Some(0), as_of: None });
    const OWN: OwnCount = OwnCount { prompt: 7, completion: 3, estimated: true };

    fn figures(usage: Option<Usage>, own: OwnCount) -> (u64, u64, bool, Option<i64>) {
        let cost = AnswerCost::new(usage, own, PRICE);
        (cost.prompt_tokens(), cost.completion_tokens(), cost.is_estimated(), cost.nano())
    }

    fn usage(prompt_tokens: u64, completion_tokens: Option<u64>, total_tokens: u64) -> Usage {
        Usage { prompt_tokens, completion_tokens, total_tokens, ..Usage::default() }
    }

    #[test]
    fn reported_tokens_win_over_our_own_count() {
        for (reported, expected) in [
            (None, (7, 3, true, Some(37))),
            (Some(usage(20, Some(5), 25)), (20, 5, false, Some(70))),
            (Some(usage(0, Some(5), 0)), (7, 5, true, Some(57))),
            (Some(usage(20, None, 0)), (20, 3, true, Some(50))),
            (Some(usage(20, Some(5), 99)), (20, 5, false, Some(70))),
            (Some(usage(0, Some(5), 25)), (20, 5, false, Some(70))),
        ] {
            assert_eq!(figures(reported, OWN), expected, "{reported:?}");
        }
        let prompt_only = OwnCount { completion: 0, ..OWN };
        for (reported, expected) in [
            (None, (7, 0, true, Some(7))),
            (Some(usage(20, None, 20)), (20, 0, false, Some(20))),
            (Some(usage(0, None, 20)), (20, 0, false, Some(20))),
            (Some(usage(0, None, 0)), (7, 0, true, Some(7))),
        ] {
            assert_eq!(figures(reported, prompt_only), expected, "{reported:?}");
        }
    }

    #[test]
    fn an_exact_count_of_the_prompt_is_no_estimate() {
        let own = OwnCount { estimated: false, ..OWN };
        assert!(!AnswerCost::new(Some(usage(0, Some(5), 0)), own, None).is_estimated());
        let unreported = AnswerCost::new(None, own, None);
        assert!(unreported.is_estimated() && unreported.is_completion_estimated());
    }

    #[test]
    fn a_reported_cost_wins_over_the_price_and_is_shared_out_by_tokens() {
        let details = Some(PromptDetails { cached_tokens: 15 });
        let cached = Usage { prompt_tokens_details: details, ..usage(20, Some(5), 25) };
        assert_eq!(AnswerCost::new(Some(cached), OWN, PRICE).nano(), Some(55), "cached tokens have their own price");
        let cost = AnswerCost::new(Some(Usage { cost_nano: Some(1_000), ..cached }), OWN, PRICE);
        assert_eq!((cost.nano(), cost.part_nano(4, 1)), (Some(1_000), Some(200)));
        let priced = AnswerCost::new(Some(usage(20, Some(5), 25)), OWN, PRICE);
        assert_eq!((priced.part_nano(4, 1), AnswerCost::of_prompt(9, PRICE).nano()), (Some(14), Some(9)));
        assert_eq!(AnswerCost::of_prompt(9, None).nano(), None);
    }
}
