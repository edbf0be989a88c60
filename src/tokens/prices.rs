//! The dated table of context sizes and prices.

use std::sync::LazyLock;

const TABLE: &str = include_str!("../../assets/prices.tsv");
/// What the name of a row begins with that has the price of training a model.
const TRAINING: &str = "training:";

/// What a token costs, in nano-dollars (10⁻⁹ US dollars): integers, since every price per 1,000 tokens converts exactly.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Price {
    /// A token of the prompt.
    pub prompt_nano: i64,
    /// A token of the answer.
    pub completion_nano: i64,
}

impl Price {
    /// The cost of a run in nano-dollars; `None` when it does not fit an `i64`.
    pub fn cost_nano(self, prompt: u64, completion: u64) -> Option<i64> {
        let part = |nano: i64, tokens: u64| nano.checked_mul(i64::try_from(tokens).ok()?);
        part(self.prompt_nano, prompt)?.checked_add(part(self.completion_nano, completion)?)
    }
}

struct Row {
    model: &'static str,
    context: Option<u64>,
    price: Option<Price>,
}

static ROWS: LazyLock<Vec<Row>> = LazyLock::new(|| {
    let rows = TABLE.lines().filter(|line| !line.starts_with('#'));
    rows.filter_map(|line| {
        let mut cells = line.split('\t');
        let model = cells.next()?;
        let context = cells.next()?.parse().ok();
        let price = nano(cells.next()?)
            .zip(cells.next().and_then(nano))
            .map(|(prompt_nano, completion_nano)| Price { prompt_nano, completion_nano });
        Some(Row { model, context, price })
    })
    .collect()
});

/// The price of a model in the table; `None` for one it does not know. Fine-tuned ids are priced by their base.
pub fn price(model: &str) -> Option<Price> {
    row(model)?.price
}

/// What a token costs that a model is trained with, once an epoch, in nano-dollars; `None` for a model the table does not
/// know or nobody trains. A fine-tuned model that is trained further costs what its base does.
pub fn training_price(model: &str) -> Option<i64> {
    let base = model.split_once(":ft-").map_or(model, |(base, _)| base);
    ROWS.iter().find(|row| row.model.strip_prefix(TRAINING) == Some(base))?.price.map(|price| price.prompt_nano)
}

/// How many tokens an example may have that a model is trained with; `None` as in [`training_price`].
pub fn training_limit(model: &str) -> Option<u64> {
    let base = model.split_once(":ft-").map_or(model, |(base, _)| base);
    ROWS.iter().find(|row| row.model.strip_prefix(TRAINING) == Some(base))?.context
}

/// How many tokens prompt and answer may have together; `None` for a model the table does not know.
pub fn context(model: &str) -> Option<u64> {
    row(model)?.context
}

fn row(model: &str) -> Option<&'static Row> {
    ROWS.iter().find(|row| match row.model.strip_suffix('*') {
        Some(prefix) => model.starts_with(prefix),
        None => row.model == model,
    })
}

/// Dollars per 1,000 tokens, as decimal text, to nano-dollars per token: six decimal places, moved without floats.
fn nano(text: &str) -> Option<i64> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let whole: i64 = whole.parse().ok()?;
    if fraction.len() > 6 || !fraction.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    let fraction: i64 = format!("{fraction:0<6}").parse().ok()?;
    whole.checked_mul(1_000_000)?.checked_add(fraction)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prices_are_exact() {
        let turbo = price("gpt-3.5-turbo").expect("in the table");
        assert_eq!(turbo.prompt_nano, 2_000);
        assert_eq!(turbo.cost_nano(1_000, 500), Some(3_000_000));
        assert_eq!(turbo.cost_nano(u64::MAX, 0), None);
        let ada = price("ada:ft-acme-2023-03-01-00-00-00").expect("fine-tuned");
        assert_eq!(ada.completion_nano, 1_600);
        assert_eq!(price("llama3"), None);
        assert_eq!(price("text-embedding-ada-002").and_then(|p| p.cost_nano(24, 0)), Some(9_600));
    }

    #[test]
    fn training_has_its_own_price() {
        let nano = |model| (training_price(model), training_limit(model));
        assert_eq!(nano("ada"), (Some(400), Some(2048)));
        assert_eq!(nano("babbage"), (Some(600), Some(2048)));
        assert_eq!(nano("curie:ft-acme-2023-03-01-00-00-00"), (Some(3_000), Some(2048)));
        assert_eq!(nano("davinci"), (Some(30_000), Some(2048)));
        for nobody in ["gpt-4", "text-davinci-003", "llama3", "", "training:ada"] {
            assert_eq!(nano(nobody), (None, None), "{nobody}");
        }
        assert_eq!(price("training:ada").map(|price| price.completion_nano), Some(0));
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
        assert!(ROWS.iter().all(|row| row.price.is_some()));
    }
}
