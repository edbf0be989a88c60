//! Counts the tokens of an answer without building it in memory.

use std::borrow::Cow;

use serde::de::{DeserializeSeed, IgnoredAny, MapAccess, SeqAccess};
use serde::{Deserialize, Deserializer};

use super::lenient::AnyReader;

/// Bytes of a text that count as one entry; a longer text counts as several.
const ENTRY_BYTES: usize = 32;
/// Entries that a map of fewer alternatives counts as: it takes no less memory.
const MIN_MAP_ENTRIES: usize = 5;

/// Returns how many further entries a text counts as.
pub(super) fn text_entries(text: &str) -> usize {
    text.len() / ENTRY_BYTES
}

/// Returns how many further entries `bytes` written as numbers count as.
pub(super) fn byte_entries(count: usize) -> usize {
    count / ENTRY_BYTES
}

/// Returns how many entries a map of alternatives counts as.
pub(super) fn map_entries(count: usize) -> usize {
    if count > 0 { count.max(MIN_MAP_ENTRIES) } else { 0 }
}

/// How many tokens the list of choices contains, or what is in its place.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Choices {
    /// Whether it is a list.
    pub(super) list: bool,
    /// Tokens and alternatives to them in all choices, in whichever form.
    pub(super) tokens: usize,
}

impl<'de> Deserialize<'de> for Choices {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        let EntryCount { list, inside, .. } = CountedPart::Choices.deserialize(input)?;
        Ok(Self { list, tokens: inside })
    }
}

/// What part of an answer is counted.
#[derive(Clone, Copy)]
enum CountedPart {
    Choices,
    Choice,
    Logprobs,
    /// A list of scalars, one a token.
    Column,
    /// A map of alternatives for each token, and one of these maps.
    AlternativeMaps,
    AlternativeMap,
    /// Chat's: tokens, or the alternatives to one.
    Entries,
    Entry,
}

/// What was counted of a part.
#[derive(Clone, Copy, Default)]
struct EntryCount {
    list: bool,
    /// Elements of the list itself.
    length: usize,
    /// Entries inside the elements.
    inside: usize,
}

impl EntryCount {
    fn of(inside: usize) -> Self {
        Self { inside, ..Self::default() }
    }

    fn all(self) -> usize {
        self.length + self.inside
    }
}

impl<'de> DeserializeSeed<'de> for CountedPart {
    type Value = EntryCount;

    fn deserialize<D: Deserializer<'de>>(self, input: D) -> Result<EntryCount, D::Error> {
        self.read(input)
    }
}

impl<'de> AnyReader<'de> for CountedPart {
    type Value = EntryCount;

    fn text(self, text: Cow<'_, str>) -> EntryCount {
        EntryCount::of(text_entries(&text))
    }

    fn list<A: SeqAccess<'de>>(self, mut list: A) -> Result<EntryCount, A::Error> {
        let element = match self {
            Self::Choices => Self::Choice,
            Self::AlternativeMaps => Self::AlternativeMap,
            Self::Entries => Self::Entry,
            part => part,
        };
        let mut count = EntryCount { list: true, ..EntryCount::default() };
        while let Some(inside) = list.next_element_seed(element)? {
            count.length += 1;
            count.inside += inside.all();
        }
        Ok(count)
    }

    fn object<A: MapAccess<'de>>(self, mut object: A) -> Result<EntryCount, A::Error> {
        // The longest of the lists says how many tokens there are.
        let (mut inside, mut longest, mut names) = (0, 0, 0);
        while let Some(name) = object.next_key::<String>()? {
            let part = match (self, name.as_str()) {
                (Self::Choice, "logprobs") => Self::Logprobs,
                (Self::Logprobs, "tokens" | "token_logprobs" | "text_offset") | (Self::Entry, "token" | "bytes") => {
                    Self::Column
                }
                (Self::Logprobs, "top_logprobs") => Self::AlternativeMaps,
                (Self::Logprobs, "content") | (Self::Entry, "top_logprobs") => Self::Entries,
                (part, name) => {
                    if matches!(part, Self::AlternativeMap) {
                        names += 1;
                        inside += text_entries(name);
                    }
                    object.next_value::<IgnoredAny>()?;
                    continue;
                }
            };
            let found = object.next_value_seed(part)?;
            match (self, name.as_str()) {
                (Self::Entry, "bytes") => inside += byte_entries(found.length),
                (Self::Logprobs, _) => {
                    longest = longest.max(found.length);
                    inside += found.inside;
                }
                _ => inside += found.all(),
            }
        }
        Ok(EntryCount::of(inside + map_entries(names) + longest))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::api::completion::Logprobs;

    fn count(logprobs: &Value) -> usize {
        let choices = json!([{"text": "x", "logprobs": logprobs}, {"text": "y"}]);
        let found: Choices = serde_json::from_value(choices).unwrap();
        assert!(found.list);
        if let Ok(built) = serde_json::from_value::<Logprobs>(logprobs.clone()) {
            assert!(built.entries() <= found.tokens, "{logprobs}");
            assert!(!logprobs.is_object() || built.entries() == found.tokens, "{logprobs}");
        }
        found.tokens
    }

    #[test]
    fn tokens_and_their_alternatives_are_counted_in_both_forms() {
        let names = ["a", "b", "c", "d", "e", "f"];
        let six: serde_json::Map<String, Value> = names.iter().map(|name| ((*name).to_owned(), json!(-1))).collect();
        let columns = json!({"tokens": ["a", "b", "c"], "token_logprobs": [-1, null, -2], "text_offset": [0, 1, 2]});
        assert_eq!(count(&columns), 3, "a token has a place in each list");
        let columns = json!({"tokens": ["a", "b"], "top_logprobs": [six, {"a": -1}]});
        assert_eq!(count(&columns), 2 + 6 + 5);
        let entry = |names: &[&str]| {
            json!({"token": "a", "logprob": -1, "bytes": [97], "top_logprobs":
            names.iter().map(|name| json!({"token": name, "logprob": -1, "bytes": [97]})).collect::<Vec<_>>()})
        };
        assert_eq!(count(&json!({"content": [entry(&names), entry(&[])]})), 2 + 6);
        assert_eq!(count(&json!({"text_offset": [1, 2, 3, 4]})), 4, "whatever its list");
        let long = "x".repeat(10 * ENTRY_BYTES);
        assert_eq!(count(&json!({"tokens": [long, "a"]})), 2 + 10);
        assert_eq!(count(&json!({"content": [{"token": "a", "bytes": vec![97; 3 * ENTRY_BYTES]}]})), 1 + 3);
    }

    #[test]
    fn what_tells_nothing_counts_nothing() {
        for nothing in [json!(null), json!("x"), json!([1, 2]), json!({"content": 3, "tokens": {}}), json!(2)] {
            // A list where there should be an object is read past.
            assert!(count(&nothing) <= 2, "{nothing}");
        }
        for other in [json!(null), json!({}), json!("x"), json!(-1), json!(true), json!(0.5)] {
            let found: Choices = serde_json::from_value(other).unwrap();
            assert!(!found.list && found.tokens == 0);
        }
    }
}
