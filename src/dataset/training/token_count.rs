//! Tokens of rows: exact for rows that could be too long, and for a sample spread over the whole file.

use super::row::Row;
use crate::record::training::TokenFigures;
use crate::tokens::{self, Encoding};

/// Rows of the sample.
const SAMPLE: usize = 2_000;
/// Bytes of a row up to which it is counted only at the end: most are dropped from the sample again.
const WAIT: usize = 2 << 10;
/// Bars of the histogram.
const BARS: usize = 8;
/// Tokens of an example of the local service at most.
const LOCAL: u64 = 2_048;
/// Tokens of a conversation besides its texts, and of each of its messages.
const CHAT: u64 = 3;
const MESSAGE: u64 = 4;

/// Counts tokens as a model does.
#[derive(Clone, Copy, Debug)]
pub(super) struct TokenCounter {
    encoding: Option<Encoding>,
    pub(super) limit: Option<u64>,
}

impl TokenCounter {
    /// Creates a counter for a model by its name; `local`: one of the local service's.
    pub(super) fn new(model: &str, local: bool) -> Self {
        let limit = if local { Some(LOCAL) } else { tokens::training_limit(model).or_else(|| tokens::context(model)) };
        Self { encoding: tokens::encoding(model, local), limit }
    }

    fn text(self, text: &str) -> u64 {
        self.encoding.map_or_else(|| tokens::estimate(text), |encoding| encoding.count(text))
    }

    /// Returns the tokens of a row.
    pub(super) fn count(self, row: &Row<'_>) -> u64 {
        match row {
            Row::Pair { prompt, completion } => self.text(prompt) + self.text(completion),
            Row::Chat { said, .. } => CHAT + said.iter().map(|(_, content)| MESSAGE + self.text(content)).sum::<u64>(),
        }
    }

    /// Returns its tokens if they could exceed the limit: a token has at least a byte.
    pub(super) fn exceeds(self, row: &Row<'_>) -> Option<(u64, u64)> {
        let limit = self.limit?;
        let beside = match row {
            Row::Pair { .. } => 0,
            Row::Chat { said, .. } => CHAT + MESSAGE * said.len() as u64,
        };
        if row.bytes() as u64 + beside <= limit {
            return None;
        }
        let count = self.count(row);
        (count > limit).then_some((count, limit))
    }
}

/// A random sample of rows with equal probability, and the figures estimated from it.
#[derive(Debug)]
pub(super) struct TokenSample {
    counter: TokenCounter,
    rows: u64,
    bytes: u64,
    kept: Vec<SampledRow>,
    state: u64,
    over: u64,
    most: u64,
}

/// A row of the sample: its bytes and its tokens, or the text to count.
#[derive(Debug)]
enum SampledRow {
    Counted(u64, u64),
    Waiting(Row<'static>),
}

impl TokenSample {
    pub(super) fn new(counter: TokenCounter) -> Self {
        Self { counter, rows: 0, bytes: 0, kept: Vec::new(), state: 0x9e37_79b9_7f4a_7c15, over: 0, most: 0 }
    }

    /// Adds a row. Returns, for one above the limit, its tokens and the limit.
    pub(super) fn take(&mut self, row: &Row<'_>) -> Option<(u64, u64)> {
        let bytes = row.bytes() as u64;
        self.rows += 1;
        self.bytes += bytes;
        let place = if self.kept.len() < SAMPLE { self.kept.len() } else { self.random(self.rows) as usize };
        let over = self.counter.exceeds(row);
        if let Some((tokens, _)) = over {
            self.over += 1;
            self.most = self.most.max(tokens);
        }
        if place < SAMPLE {
            let kept = match over {
                Some((tokens, _)) => SampledRow::Counted(bytes, tokens),
                None if bytes as usize > WAIT => SampledRow::Counted(bytes, self.counter.count(row)),
                None => SampledRow::Waiting(owned(row)),
            };
            match self.kept.get_mut(place) {
                Some(place) => *place = kept,
                None => self.kept.push(kept),
            }
        }
        over
    }

    /// Returns a pseudo-random number below `below`, the same sequence for every file.
    fn random(&mut self, below: u64) -> u64 {
        self.state ^= self.state << 13;
        self.state ^= self.state >> 7;
        self.state ^= self.state << 17;
        ((u128::from(self.state) * u128::from(below)) >> 64) as u64
    }

    /// Returns the figures; stops early when `on` returns false.
    pub(super) fn figures(self, on: &mut dyn FnMut() -> bool) -> TokenFigures {
        let counter = self.counter;
        let mut counts = Vec::with_capacity(self.kept.len());
        let (mut tokens, mut bytes) = (0, 0);
        for (at, kept) in self.kept.iter().enumerate() {
            if at % 64 == 0 && !on() {
                break;
            }
            let (size, count) = match kept {
                SampledRow::Counted(bytes, tokens) => (*bytes, *tokens),
                SampledRow::Waiting(row) => (row.bytes() as u64, counter.count(row)),
            };
            tokens += count;
            bytes += size;
            counts.push(count);
        }
        counts.sort_unstable();
        let total = if counts.len() as u64 == self.rows || bytes == 0 {
            tokens
        } else {
            (u128::from(tokens) * u128::from(self.bytes) / u128::from(bytes)) as u64
        };
        TokenFigures {
            vocabulary: counter.encoding.map(|encoding| encoding.name().to_owned()).unwrap_or_default(),
            sampled: counts.len() as u64,
            min: counts.first().copied().unwrap_or(0),
            median: counts.get(counts.len() / 2).copied().unwrap_or(0),
            max: counts.last().copied().unwrap_or(0).max(self.most),
            total,
            limit: counter.limit,
            over: self.over,
            bars: bars(&counts),
        }
    }
}

fn owned(row: &Row<'_>) -> Row<'static> {
    match row {
        Row::Pair { prompt, completion } => {
            Row::Pair { prompt: prompt.clone().into_owned().into(), completion: completion.clone().into_owned().into() }
        }
        Row::Chat { said, .. } => {
            let own = |text: &std::borrow::Cow<'_, str>| text.clone().into_owned().into();
            Row::Chat { json: "".into(), said: said.iter().map(|(role, content)| (own(role), own(content))).collect() }
        }
    }
}

/// Returns a histogram of sorted counts: bars of one round width, from the smallest to the largest.
fn bars(counts: &[u64]) -> Vec<(u64, u64)> {
    let (Some(least), Some(most)) = (counts.first(), counts.last()) else { return Vec::new() };
    // The bar `at` covers what is above `at * width`, up to the beginning of the next.
    let span = |width: u64| (least.saturating_sub(1) / width)..most.div_ceil(width).max(1);
    // 1, 2, 5, 10, …
    let round = (0..).flat_map(|tens| [1, 2, 5].map(|digit| digit * 10_u64.saturating_pow(tens)));
    let width = round.into_iter().find(|width| span(*width).count() <= BARS).unwrap_or(u64::MAX);
    let below = |bound: u64| counts.partition_point(|count| *count <= bound);
    let bar = |at: u64| {
        let from = if at == 0 { 0 } else { below(at * width) };
        ((at + 1) * width, (below((at + 1) * width) - from) as u64)
    };
    span(width).map(bar).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pair<'a>(prompt: &'a str, completion: &'a str) -> Row<'a> {
        Row::Pair { prompt: prompt.into(), completion: completion.into() }
    }

    #[test]
    fn a_histogram_has_round_bars_that_hold_all() {
        assert_eq!(bars(&[]), []);
        assert_eq!(bars(&[0]), [(1, 1)]);
        assert_eq!(bars(&[1, 2, 2, 3]), [(1, 1), (2, 2), (3, 1)]);
        assert_eq!(bars(&[1, 8]).len(), 8);
        assert_eq!(bars(&[17, 17]), [(17, 2)], "what is not there takes no room");
        assert_eq!(bars(&[101, 109]), [(102, 1), (104, 0), (106, 0), (108, 0), (110, 1)]);
        let counts: Vec<u64> = (0..3_001).collect();
        let found = bars(&counts);
        assert_eq!((found.len(), found[0], found[1]), (6, (500, 501), (1_000, 500)));
        assert_eq!(found.iter().map(|(_, rows)| rows).sum::<u64>(), 3_001);
    }

    #[test]
    fn only_rows_that_could_be_too_long_are_counted_and_these_exactly() {
        let counter = TokenCounter::new("ada", false);
        assert_eq!(counter.limit, Some(2_048));
        assert_eq!(counter.exceeds(&pair("", &" word".repeat(2_048))), None);
        assert_eq!(counter.exceeds(&pair(" word", &" word".repeat(2_048))), Some((2_049, 2_048)));
        let said = vec![("user".into(), "word".into()), ("assistant".into(), "word".into())];
        assert_eq!(counter.count(&Row::Chat { json: "".into(), said }), 3 + 2 * 5);
        let unknown = TokenCounter::new("llama3", false);
        assert_eq!((unknown.limit, unknown.exceeds(&pair("", &"x".repeat(100_000)))), (None, None));
        assert_eq!(TokenCounter::new("llama3", true).limit, Some(2_048));
    }

    #[test]
    fn the_whole_is_reckoned_from_a_sample_of_it_all() {
        let mut sample = TokenSample::new(TokenCounter::new("ada", false));
        for n in 0..20_000 {
            // The rows of the second half are three times as long.
            sample.take(&pair("", &" word".repeat(if n < 10_000 { 10 } else { 30 })));
        }
        let figures = sample.figures(&mut || true);
        assert_eq!((figures.sampled, figures.min, figures.max, figures.over), (2_000, 10, 30, 0));
        assert_eq!((figures.total, figures.vocabulary.as_str()), (400_000, "r50k_base"));
        let long = figures.bars.iter().find(|(most, _)| *most == 30).unwrap().1;
        assert!((900..1_100).contains(&long), "{long}");
    }
}
