//! JSON that is not quite JSON: the figures `NaN` and `Infinity`, which servers write of a training that went wrong, and
//! events that cannot be read at all.

use std::borrow::Cow;

use crate::api::job::JobEvent;
use crate::api::probe::Probe;
use crate::client::scrub::Secrets;
use crate::settings::Endpoint;

/// Words that are figures elsewhere, longest first.
const WORDS: [&[u8]; 3] = [b"-Infinity", b"Infinity", b"NaN"];

/// The bytes where they are JSON; with `null` in place of figures that JSON does not have where they are not.
pub(in crate::client) fn strict(bytes: Cow<'_, [u8]>) -> Cow<'_, [u8]> {
    if Probe::of(&bytes).is_ok() { bytes } else { mend(&bytes).map_or(bytes, Cow::Owned) }
}

/// `None`: there is no such figure.
fn mend(bytes: &[u8]) -> Option<Vec<u8>> {
    let mut mended = Vec::with_capacity(bytes.len());
    let (mut at, mut quoted, mut found) = (0, false, false);
    while let Some(&byte) = bytes.get(at) {
        let word = WORDS.iter().find(|word| !quoted && bytes[at..].starts_with(word));
        if let Some(word) = word {
            mended.extend_from_slice(b"null");
            at += word.len();
            found = true;
            continue;
        }
        mended.push(byte);
        at += 1;
        match byte {
            b'"' => quoted = !quoted,
            b'\\' if quoted => {
                mended.extend(bytes.get(at));
                at += 1;
            }
            _ => {}
        }
    }
    found.then_some(mended)
}

/// What stands in the place of an event that cannot be read.
pub(super) fn note(data: &[u8], endpoint: &Endpoint) -> JobEvent {
    let shown = Secrets::of(endpoint).body(&data[..data.len().min(SHOWN)]);
    let message = format!("an event that cannot be read: {shown}");
    JobEvent { level: "warn".into(), message, ..JobEvent::default() }
}

/// Bytes of such an event that are shown.
const SHOWN: usize = 200;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_that_json_does_not_have_become_null() {
        let told = |text: &str| String::from_utf8(strict(text.as_bytes().into()).into_owned()).unwrap();
        assert_eq!(
            told(r#"{"m":"NaN \" NaN","d":{"a":NaN,"b":-Infinity,"c":[Infinity]}}"#),
            r#"{"m":"NaN \" NaN","d":{"a":null,"b":null,"c":[null]}}"#
        );
        for same in [r#"{"m":"NaN"}"#, "{", r#"{"m":"NaN\"#, "", "[DON"] {
            assert_eq!(told(same), same);
        }
    }
}
