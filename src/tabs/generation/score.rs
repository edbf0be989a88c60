//! How likely a text was to its model: sums over the log-probabilities of its tokens.

use crate::record::Token;
use crate::ui::meter::count;

/// What is known of a text's tokens, added up as they come.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Score {
    /// All of them.
    pub tokens: u64,
    /// How many tokens have a log-probability; only these count in the sum.
    pub scored: u64,
    /// Sum of their natural logarithms; minus infinity where one was impossible.
    pub sum: f64,
}

impl Score {
    /// Returns the score of some tokens.
    pub fn of(tokens: &[Token]) -> Self {
        let mut score = Self::default();
        score.add(tokens);
        score
    }

    /// Counts more of them.
    pub fn add(&mut self, tokens: &[Token]) {
        self.tokens += tokens.len() as u64;
        for logprob in tokens.iter().filter_map(|token| token.logprob) {
            // NaN says nothing, and no probability is above 1.
            if !logprob.is_nan() {
                self.scored += 1;
                self.sum += logprob.min(0.0);
            }
        }
    }

    /// Returns the mean log-probability of a token; `None`: none has one.
    pub fn mean(&self) -> Option<f64> {
        (self.scored > 0).then(|| self.sum / self.scored as f64)
    }

    /// Returns between how many equally likely tokens the model stood on the average, at least 1; `None`: none has a
    /// figure.
    pub fn perplexity(&self) -> Option<f64> {
        self.mean().map(|mean| (-mean).exp())
    }

    /// Returns its figures in words, the one that tells most first; none: nothing has a figure.
    pub fn figures(&self) -> Vec<String> {
        let figures = |perplexity| {
            vec![format!("perplexity {}", plain(perplexity)), format!("sum of logprobs {}", signed(self.sum, 1))]
        };
        self.perplexity().map(figures).unwrap_or_default()
    }
}

/// Returns the figures of an answer on one line of at most `width` columns: sum and mean go first where there is little
/// room. Empty: nothing has a figure.
pub fn summary(score: &Score, width: usize) -> String {
    let (Some(perplexity), Some(mean)) = (score.perplexity(), score.mean()) else { return String::new() };
    let (sum, mean) = (format!("Σ {}", signed(score.sum, 1)), format!("mean {}", signed(mean, 2)));
    let line = |figures: &[&str]| {
        let tokens = format!("completion {} tok", count(score.tokens));
        let perplexity = format!("perplexity {}", plain(perplexity));
        [&[tokens.as_str()], figures, &[perplexity.as_str()]].concat().join(" · ")
    };
    let forms = [line(&[&sum, &mean]), line(&[&mean])];
    forms.into_iter().find(|form| form.chars().count() <= width).unwrap_or_else(|| line(&[]))
}

/// Returns a number with a minus sign of its own, `−0.89`, `−∞`.
pub fn signed(number: f64, digits: usize) -> String {
    if number.is_infinite() {
        return if number < 0.0 { "−∞" } else { "∞" }.to_owned();
    }
    let digits = format!("{number:.digits$}");
    match digits.strip_prefix('-') {
        // A value rounded to zero has no sign.
        Some(rest) if rest.contains(|digit: char| matches!(digit, '1'..='9')) => format!("−{rest}"),
        Some(rest) => rest.to_owned(),
        None => digits,
    }
}

/// Returns a probability as it is read beside a bar: `0.41`, `0.0031`, `<0.0001`, `0`.
pub fn share(probability: f64) -> String {
    match probability {
        p if p.is_nan() => "—".to_owned(),
        p if p <= 0.0 => "0".to_owned(),
        p if p < 0.0001 => "<0.0001".to_owned(),
        p if p < 0.01 => format!("{p:.4}"),
        p => format!("{:.2}", p.min(1.0)),
    }
}

fn plain(number: f64) -> String {
    match number {
        n if n.is_infinite() => "∞".to_owned(),
        n if n >= 1e6 => format!("{n:.1e}"),
        n if n >= 100.0 => count(n.round() as u64),
        n => format!("{n:.2}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(logprobs: &[Option<f64>]) -> Vec<Token> {
        logprobs.iter().map(|logprob| Token { logprob: *logprob, ..Token::default() }).collect()
    }

    #[test]
    fn tokens_without_a_figure_do_not_count() {
        let score = Score::of(&tokens(&[None, Some(-1.0), Some(-3.0), Some(f64::NAN)]));
        assert_eq!(score, Score { tokens: 4, scored: 2, sum: -4.0 });
        assert_eq!((score.mean(), score.perplexity()), (Some(-2.0), Some(2_f64.exp())));
        let none = Score::of(&tokens(&[None, Some(f64::NAN)]));
        assert_eq!((none.tokens, none.mean(), none.perplexity()), (2, None, None));
        assert_eq!(Score::of(&[]), Score::default());
    }

    #[test]
    fn what_was_impossible_or_more_than_certain_stays_in_bounds() {
        let never = Score::of(&tokens(&[Some(f64::NEG_INFINITY), Some(-1.0)]));
        assert_eq!((never.mean(), never.perplexity()), (Some(f64::NEG_INFINITY), Some(f64::INFINITY)));
        let certain = Score::of(&tokens(&[Some(0.000_01), Some(f64::INFINITY)]));
        assert_eq!(certain.perplexity(), Some(1.0));
        assert!(summary(&never, 200).contains("Σ −∞ · mean −∞ · perplexity ∞"));
    }

    #[test]
    fn added_in_pieces_is_as_added_at_once() {
        let all = tokens(&[None, Some(-0.5), Some(-1.5), Some(-2.0)]);
        let mut score = Score::default();
        for piece in all.chunks(3) {
            score.add(piece);
        }
        assert_eq!(score, Score::of(&all));
    }

    #[test]
    fn the_line_says_less_where_there_is_less_room() {
        let mut prompt = Score::of(&tokens(&[Some(-1.6); 38]));
        prompt.sum = -61.2;
        let mut completion = Score::of(&tokens(&[Some(-0.6); 16]));
        completion.sum = -9.79;
        assert_eq!(summary(&completion, 120), "completion 16 tok · Σ −9.8 · mean −0.61 · perplexity 1.84");
        assert_eq!(summary(&completion, 50), "completion 16 tok · mean −0.61 · perplexity 1.84");
        assert_eq!(summary(&completion, 40), "completion 16 tok · perplexity 1.84");
        assert_eq!(summary(&Score::default(), 120), "");
        assert_eq!(prompt.figures(), ["perplexity 5.01", "sum of logprobs −61.2"]);
        assert!(Score::default().figures().is_empty());
    }

    #[test]
    fn numbers_are_read_as_they_are() {
        assert_eq!([signed(-0.894, 2), signed(-0.001, 2), signed(0.5, 1)], ["−0.89", "0.00", "0.5"]);
        assert_eq!(
            [0.41, 0.0031, 0.000_01, 0.0, 1.0, 1.2, f64::NAN].map(share),
            ["0.41", "0.0031", "<0.0001", "0", "1.00", "1.00", "—"]
        );
    }
}
