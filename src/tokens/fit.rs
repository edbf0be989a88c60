//! Whether a prompt and its answer fit into a model's context.

/// How much of a context a request uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fit {
    /// It fits.
    Fits {
        /// Tokens the context holds.
        of: u64,
    },
    /// It does not fit: the server would refuse the request.
    Over {
        /// Tokens of prompt, suffix and answer.
        total: u64,
        /// Tokens the context holds.
        of: u64,
        /// Tokens in excess.
        cut: u64,
    },
    /// The size of the context is unknown.
    Unknown,
}

/// Returns whether `prompt` tokens (with those of the suffix) and an answer of up to `max_tokens` fit into `context`
/// tokens ([`super::context`]). Candidates share the prompt: neither `n` nor `best_of` makes it more.
pub fn fit(prompt: u64, max_tokens: u64, context: Option<u64>) -> Fit {
    let Some(of) = context else { return Fit::Unknown };
    let total = prompt.saturating_add(max_tokens);
    match total.checked_sub(of) {
        None | Some(0) => Fit::Fits { of },
        Some(cut) => Fit::Over { total, of, cut },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_token_fits_and_the_next_does_not() {
        assert_eq!(fit(4_081, 16, Some(4_097)), Fit::Fits { of: 4_097 });
        assert_eq!(fit(4_164, 16, Some(4_097)), Fit::Over { total: 4_180, of: 4_097, cut: 83 });
        assert_eq!(fit(5_000, 0, Some(4_097)), Fit::Over { total: 5_000, of: 4_097, cut: 903 });
        assert_eq!(fit(u64::MAX, u64::MAX, Some(1)), Fit::Over { total: u64::MAX, of: 1, cut: u64::MAX - 1 });
        assert_eq!(fit(1, 1, None), Fit::Unknown);
    }
}
