//! Converts the three forms in which servers send tokens into one, and finds the positions of tokens in a text.

mod alignment;

pub use self::alignment::token_ranges;
use crate::api::completion::{LogprobColumns, LogprobEntry, LogprobOther, Logprobs};
use crate::record::{Alternative, Token};
use crate::settings::limits;

/// What servers write where a probability is nil, or too small to be told.
const NIL: f64 = -9999.0;

/// Returns the tokens of a choice or of a piece of one; none where the server sent none. Nothing in them is an error:
/// what is missing is not told.
pub fn tokens(told: Option<Logprobs>) -> Vec<Token> {
    match told {
        None => Vec::new(),
        Some(Logprobs::Columns(columns)) => from_columns(columns),
        Some(Logprobs::Entries { content }) => content.into_iter().map(from_entry).collect(),
    }
}

/// Returns the interface's lists; the one of the tokens says how many there are.
fn from_columns(columns: LogprobColumns) -> Vec<Token> {
    let mut logprobs = columns.token_logprobs.into_iter();
    let mut tops = columns.top_logprobs.unwrap_or_default().into_iter();
    let token = |name: String| {
        let top = tops.next().flatten().unwrap_or_default();
        Token {
            bytes: bytes(&name),
            logprob: known_logprob(logprobs.next().flatten()),
            top: sorted(top.into_iter().map(|(name, logprob)| alternative(bytes(&name), logprob))),
        }
    };
    columns.tokens.into_iter().map(token).collect()
}

fn from_entry(entry: LogprobEntry) -> Token {
    Token {
        bytes: if entry.bytes.is_empty() { bytes(&entry.token) } else { entry.bytes },
        logprob: known_logprob(entry.logprob),
        top: sorted(entry.top_logprobs.into_iter().filter_map(from_other)),
    }
}

/// Returns an alternative in chat's form; `None`: it has no name, or no figure.
fn from_other(other: LogprobOther) -> Option<Alternative> {
    let bytes = if other.bytes.is_empty() { bytes(&other.token?) } else { other.bytes };
    Some(alternative(bytes, other.logprob?))
}

fn alternative(bytes: Vec<u8>, logprob: f64) -> Alternative {
    Alternative { bytes, logprob: logprob.clamp(NIL, 0.0) }
}

/// Returns alternatives, likeliest first, and no more than one can ask for; of two that are as likely the first comes
/// first.
fn sorted(all: impl Iterator<Item = Alternative>) -> Vec<Alternative> {
    let mut all: Vec<Alternative> = all.collect();
    all.sort_by(|a, b| b.logprob.total_cmp(&a.logprob));
    all.truncate(limits::ALTERNATIVES);
    // They are kept as long as the text is.
    all.shrink_to_fit();
    all
}

/// Returns a logarithm that says something: what stands for "very unlikely" is no figure to reckon with.
fn known_logprob(logprob: Option<f64>) -> Option<f64> {
    logprob.filter(|logprob| logprob.is_finite() && *logprob > NIL).map(|logprob| logprob.min(0.0))
}

/// Returns the bytes of a token by its name. One that is a part of a character is called `bytes:\xe6\x97` in the
/// interface's form and `\xe6\x97` in chat's; what these spell is never whole text, so a text that only looks so stays
/// what it is.
fn bytes(name: &str) -> Vec<u8> {
    let spelt = unescaped(name.strip_prefix("bytes:").unwrap_or(name));
    spelt.filter(|bytes| str::from_utf8(bytes).is_err()).unwrap_or_else(|| name.as_bytes().to_owned())
}

/// Returns a text with its `\xe6` as bytes; `None`: there are none, or a backslash that begins none.
fn unescaped(text: &str) -> Option<Vec<u8>> {
    let mut pieces = text.split('\\');
    let mut bytes = pieces.next()?.as_bytes().to_owned();
    for piece in pieces {
        let digits = piece.strip_prefix('x')?.get(..2)?;
        bytes.push(u8::from_str_radix(digits, 16).ok()?);
        bytes.extend_from_slice(&piece.as_bytes()[3..]);
    }
    Some(bytes)
}
