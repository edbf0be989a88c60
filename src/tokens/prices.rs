//! What tokens cost, and the built-in table of the hosted service: its context sizes and dated prices.

use std::sync::LazyLock;

use jiff::civil::Date;

const TABLE: &str = include_str!("../../assets/prices.tsv");
/// The server to which the table's prices apply.
const HOSTED: &str = "https://api.openai.com";
/// What the id of a row begins with that has the price of training a model.
const TRAINING: &str = "training:";

/// What tokens of a model cost, in nano-dollars (10⁻⁹ US dollars) for a million of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Price {
    /// Price of the prompt's tokens.
    pub input: i64,
    /// Price of the answer's tokens; `None`: unknown.
    pub output: Option<i64>,
    /// Price of prompt tokens that the server had in its cache; `None`: as the others.
    pub cached: Option<i64>,
    /// The day on which the built-in table was read from the provider; `None`: the price is not from there.
    pub as_of: Option<Date>,
}

/// Tokens that are paid for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Used {
    /// Tokens of the prompt.
    pub prompt: u64,
    /// Those of them that the server had in its cache.
    pub cached: u64,
    /// Tokens of the answer.
    pub completion: u64,
}

impl Used {
    /// Returns the tokens of a prompt without an answer.
    pub fn prompt(tokens: u64) -> Self {
        Self { prompt: tokens, ..Self::default() }
    }
}

impl Price {
    /// The price of models that cost nothing.
    pub const FREE: Self = Self { input: 0, output: Some(0), cached: None, as_of: None };

    /// Returns the cost of the tokens in nano-dollars, rounded to the nearest but to at least 1 where there is any;
    /// `None`: a price that is needed is unknown, or the cost does not fit an `i64`.
    pub fn cost(self, used: Used) -> Option<i64> {
        let part = |tokens: u64, price: i64| i128::from(tokens) * i128::from(price);
        let output = if used.completion == 0 { 0 } else { part(used.completion, self.output?) };
        let cached = used.cached.min(used.prompt);
        let sum = part(used.prompt - cached, self.input) + part(cached, self.cached.unwrap_or(self.input)) + output;
        i64::try_from(((sum + 500_000) / 1_000_000).max(i128::from(sum > 0))).ok()
    }
}

struct PriceRow {
    model: &'static str,
    context: Option<u64>,
    price: Option<Price>,
}

static ROWS: LazyLock<Vec<PriceRow>> = LazyLock::new(|| {
    let rows = TABLE.lines().filter(|line| !line.starts_with('#'));
    rows.filter_map(|line| {
        let mut cells = line.split('\t');
        let (model, context) = (cells.next()?, cells.next()?.parse().ok());
        let [input, output] = [cells.next()?, cells.next()?].map(nano);
        let as_of = cells.next()?.parse().ok();
        let price = input.map(|input| Price { input, output, cached: None, as_of });
        Some(PriceRow { model, context, price })
    })
    .collect()
});

/// Returns whether the table's prices apply to an origin.
pub(super) fn is_hosted(origin: &str) -> bool {
    origin == HOSTED
}

/// Returns the hosted service's price of a model; `None` if the table does not have it. Fine-tuned ids are priced by
/// their base.
pub(super) fn listed(model: &str) -> Option<Price> {
    row(model)?.price
}

/// Returns, as `input`, the hosted service's price of the tokens that a model is trained with, per epoch; `None` for a
/// model that the table does not have or that cannot be trained. A fine-tuned model that is trained further costs what
/// its base does.
pub(super) fn listed_training(model: &str) -> Option<Price> {
    trained(model)?.price
}

/// Returns how many tokens a training example of a model may have; `None` if the table does not have the model.
pub fn training_limit(model: &str) -> Option<u64> {
    trained(model)?.context
}

/// Returns how many tokens prompt and answer may have together; `None` if the table does not have the model.
pub fn context(model: &str) -> Option<u64> {
    row(model)?.context
}

fn row(model: &str) -> Option<&'static PriceRow> {
    ROWS.iter().find(|row| super::tariff::matches(row.model, model))
}

fn trained(model: &str) -> Option<&'static PriceRow> {
    let base = model.split_once(":ft-").map_or(model, |(base, _)| base);
    ROWS.iter().find(|row| row.model.strip_prefix(TRAINING) == Some(base))
}

/// Converts dollars as decimal text to nano-dollars, by moving the decimal point nine places without floats.
fn nano(text: &str) -> Option<i64> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let whole: i64 = whole.parse().ok()?;
    if fraction.len() > 9 || !fraction.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    let fraction: i64 = format!("{fraction:0<9}").parse().ok()?;
    whole.checked_mul(1_000_000_000)?.checked_add(fraction)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prices_are_exact() {
        let turbo = listed("gpt-3.5-turbo").expect("in the table");
        let used = |prompt, completion| Used { prompt, completion, cached: 0 };
        assert_eq!(turbo.input, 2_000_000_000);
        assert_eq!(turbo.as_of, Some(Date::constant(2023, 3, 14)));
        assert_eq!(turbo.cost(used(1_000, 500)), Some(3_000_000));
        assert_eq!(turbo.cost(used(u64::MAX, 0)), None);
        let ada = listed("ada:ft-acme-2023-03-01-00-00-00").expect("fine-tuned");
        assert_eq!(ada.cost(used(0, 1)), Some(1_600));
        assert_eq!((listed("llama3"), listed("gpt-4o")), (None, None));
        assert_eq!(listed("text-embedding-ada-002").and_then(|p| p.cost(Used::prompt(24))), Some(9_600));
    }

    #[test]
    fn cached_tokens_have_their_own_price_where_it_is_known() {
        let price = Price { input: 2_500_000_000, output: None, cached: Some(1_250_000_000), as_of: None };
        let used = Used { prompt: 1_000, cached: 800, completion: 0 };
        assert_eq!(price.cost(used), Some(200 * 2_500 + 800 * 1_250));
        assert_eq!(Price { cached: None, ..price }.cost(used), Some(2_500_000));
        assert_eq!(price.cost(Used { cached: 5_000, ..used }), Some(1_250_000), "never more than there are");
        assert_eq!(price.cost(Used { completion: 1, ..used }), None, "nobody knows what an answer costs");
        let cheap = Price { input: 1, output: None, cached: None, as_of: None };
        assert_eq!((cheap.cost(Used::prompt(1)), cheap.cost(Used::prompt(0))), (Some(1), Some(0)));
    }

    #[test]
    fn training_has_its_own_price() {
        let nano = |model| (listed_training(model).map(|price| price.input / 1_000_000), training_limit(model));
        assert_eq!(nano("ada"), (Some(400), Some(2048)));
        assert_eq!(nano("babbage"), (Some(600), Some(2048)));
        assert_eq!(nano("curie:ft-acme-2023-03-01-00-00-00"), (Some(3_000), Some(2048)));
        assert_eq!(nano("davinci"), (Some(30_000), Some(2048)));
        for nobody in ["gpt-4", "text-davinci-003", "llama3", "", "training:ada"] {
            assert_eq!(nano(nobody), (None, None), "{nobody}");
        }
    }

    #[test]
    fn contexts_are_known() {
        assert_eq!(context("gpt-3.5-turbo"), Some(4096));
        assert_eq!(context("text-moderation-latest"), None);
        assert_eq!(context("nobody"), None);
    }

    #[test]
    fn every_row_reads() {
        let lines = TABLE.lines().filter(|line| !line.starts_with('#')).count();
        assert_eq!(ROWS.len(), lines);
        assert!(ROWS.iter().all(|row| row.price.is_some_and(|price| price.as_of.is_some())));
    }
}
