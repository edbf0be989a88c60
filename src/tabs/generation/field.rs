//! Which field of a request a refusal is about.

use crate::api::call::Failure;
use crate::api::error::read_error;

/// Words after which servers name a field.
const BEFORE: &[&str] = &["Unrecognized request argument supplied: ", "Unrecognized request arguments supplied: "];

/// The field that a server's refusal names, if it is one of these: by its `param`, or in its words (`- 'temperature'` at
/// their end, `('x' was unexpected)`, `Unrecognized request argument supplied: x`, `'best_of'`, or as the beginning of a
/// list of complaints, `temperature: …`). Of a path (`messages.1.role`) the first name counts.
pub fn names_field(failure: &Failure, fields: &[&'static str]) -> Option<&'static str> {
    if !matches!(failure.status, Some(400..=499)) {
        return None;
    }
    // Compared, never shown.
    let error = read_error(failure.body.screen().as_bytes());
    let known = |name: &str| {
        let first = name.trim().split(['.', '[']).next()?;
        fields.iter().copied().find(|field| *field == first)
    };
    error.param.as_deref().and_then(known).or_else(|| in_words(&error.message, known))
}

fn in_words(words: &str, known: impl Fn(&str) -> Option<&'static str>) -> Option<&'static str> {
    let at_end = words.rsplit_once(" - '").and_then(|(_, rest)| known(rest.trim_end().strip_suffix('\'')?));
    let argument = || {
        let rest = BEFORE.iter().find_map(|before| Some(words.split_once(before)?.1))?;
        rest.split([',', ' ']).find_map(|name| known(name.trim_end_matches('.')))
    };
    // Every piece between two marks: an apostrophe elsewhere must not turn inside out what is quoted.
    let quoted = || ['\'', '`', '"'].into_iter().flat_map(|mark| words.split(mark).skip(1)).find_map(&known);
    let complaint = || words.split("; ").find_map(|one| known(one.split_once(": ")?.0));
    at_end.or_else(argument).or_else(quoted).or_else(complaint)
}
