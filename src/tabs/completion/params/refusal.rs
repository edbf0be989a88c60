//! A server's refusal, put to the field it is about.

use super::fields;
use crate::api::call::{Failure, FailureKind};
use crate::api::error::read_error;
use crate::record::CompletionParams;
use crate::text::Untrusted;

/// The field that a refusal names, and what to say there; `None`: it names none, or is no refusal of the request.
pub(super) fn read(failure: &Failure, params: &CompletionParams) -> Option<(&'static str, Untrusted)> {
    if failure.kind != FailureKind::Refused {
        return None;
    }
    // Made safe: the words are for the screen, and a name has no odd characters.
    let error = read_error(failure.body.screen().as_bytes());
    let (name, value) = fields::values(params)
        .filter_map(|(name, value)| {
            let place = if error.param.as_deref() == Some(name) { Some(0) } else { place(&error.message, name) };
            Some((place?, (name, value)))
        })
        .min_by_key(|(place, _)| *place)?
        .1;
    let said = error.message.trim_end_matches(['.', ' ', ';']);
    let said = if said.is_empty() { "it gave no reason" } else { said };
    let what = if value.is_empty() { name.to_owned() } else { format!("{name} {value}") };
    Some((name, format!("the server refuses {what}: {said}; 0 sets it back").into()))
}

/// How surely a message is about a field, the lower the surer; `None`: it is not.
fn place(message: &str, name: &str) -> Option<usize> {
    // The path of the field at fault ends a message of the interface: `… - 'stop'`, `… - 'logit_bias.50256'`.
    if let Some((_, path)) = message.rsplit_once(" - '")
        && path.split(['.', '\'']).next() == Some(name)
    {
        return Some(1);
    }
    let quoted = ['\'', '`', '"'].iter().filter_map(|mark| message.find(&format!("{mark}{name}{mark}"))).min();
    if let Some(at) = quoted {
        return Some(2 + at);
    }
    // Only a name that is no common word stands for a field without quotation marks.
    let bare = name.contains('_').then(|| message.find(name)).flatten();
    bare.map(|at| 2 + message.len() + at)
}
