//! A row's JSON, parsed once without building what is not needed: texts are borrowed, the rest is skipped.

use std::borrow::Cow;
use std::fmt;

use serde::de::{Deserialize, DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

/// Keys that newer files have beside `messages`.
pub(super) const BESIDE: &[&str] = &["tools", "functions", "parallel_tool_calls", "function_call", "tool_choice"];

/// A value that should be a text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) enum Slot<'a> {
    /// The key is missing.
    #[default]
    Missing,
    /// A text.
    Text(Cow<'a, str>),
    /// A number, `true` or `false` as text, or `null`, which is empty.
    Plain(String),
    /// A list or an object.
    Deep,
}

impl Slot<'_> {
    fn is_there(&self) -> bool {
        *self != Self::Missing
    }
}

/// What of a row's object matters.
#[derive(Debug, Default)]
pub(super) struct Object<'a> {
    pub(super) prompt: Slot<'a>,
    pub(super) completion: Slot<'a>,
    pub(super) messages: Option<Messages<'a>>,
    pub(super) keys: KeyFaults,
}

bitflags::bitflags! {
    /// What is wrong with the keys of an object.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub(super) struct KeyFaults: u8 {
        /// There are keys that belong to no row.
        const EXTRA = 1;
        /// There are keys that belong to conversations alone.
        const BESIDE = 1 << 1;
        /// A key is in other letter case.
        const CASE = 1 << 2;
        /// A key is there twice.
        const TWICE = 1 << 3;
    }
}

/// What stands under `messages`.
#[derive(Debug)]
pub(super) enum Messages<'a> {
    List(Vec<RawMessage<'a>>),
    /// No list.
    Other,
}

/// One message.
#[derive(Debug, Default)]
pub(super) struct RawMessage<'a> {
    pub(super) role: Slot<'a>,
    /// `null` is no content.
    pub(super) content: Slot<'a>,
    /// Whether it is a call and has no text.
    pub(super) calls: bool,
    /// Whether it is not an object.
    pub(super) other: bool,
    /// Whether it has more than role and content.
    pub(super) more: bool,
    /// Its weight in training.
    pub(super) weight: Slot<'a>,
    pub(super) name: Slot<'a>,
    /// The call that it is the result of.
    pub(super) answers: Slot<'a>,
    /// Its calls.
    pub(super) made: Vec<serde_json::Value>,
}

/// What a visitor returns for values of other types than those it reads; for `null` only where texts are no exception.
macro_rules! plain {
    ($of:ty, $made:expr $(, $visit_str:ident: $str:ty)?) => {
        fn visit_bool<E>(self, _: bool) -> Result<$of, E> {
            Ok($made)
        }
        fn visit_u64<E>(self, _: u64) -> Result<$of, E> {
            Ok($made)
        }
        fn visit_i64<E>(self, _: i64) -> Result<$of, E> {
            Ok($made)
        }
        fn visit_f64<E>(self, _: f64) -> Result<$of, E> {
            Ok($made)
        }
        $(
            fn $visit_str<E>(self, _: $str) -> Result<$of, E> {
                Ok($made)
            }
            fn visit_unit<E>(self) -> Result<$of, E> {
                Ok($made)
            }
        )?
    };
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum RowKey {
    Prompt,
    Completion,
    Messages,
    Beside,
    Extra,
}

fn key(name: &str) -> (RowKey, bool) {
    match name {
        "prompt" => (RowKey::Prompt, false),
        "completion" => (RowKey::Completion, false),
        "messages" => (RowKey::Messages, false),
        _ if BESIDE.contains(&name) => (RowKey::Beside, false),
        _ => match name.trim() {
            name if name.eq_ignore_ascii_case("prompt") => (RowKey::Prompt, true),
            name if name.eq_ignore_ascii_case("completion") => (RowKey::Completion, true),
            name if name.eq_ignore_ascii_case("messages") => (RowKey::Messages, true),
            _ => (RowKey::Extra, false),
        },
    }
}

/// Returns the key that is meant, ignoring case; `None`: none that belongs to a row.
pub(super) fn meant(name: &str) -> Option<&'static str> {
    match key(name).0 {
        RowKey::Prompt => Some("prompt"),
        RowKey::Completion => Some("completion"),
        RowKey::Messages => Some("messages"),
        RowKey::Beside | RowKey::Extra => None,
    }
}

impl<'de> Deserialize<'de> for Object<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct RowVisitor;
        impl<'de> Visitor<'de> for RowVisitor {
            type Value = Object<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Object<'de>, A::Error> {
                let mut object = Object::default();
                while let Some((key, cased)) = map.next_key_seed(Named(key))? {
                    let there = match key {
                        RowKey::Prompt => object.prompt.is_there(),
                        RowKey::Completion => object.completion.is_there(),
                        RowKey::Messages => object.messages.is_some(),
                        RowKey::Beside | RowKey::Extra => false,
                    };
                    if cased {
                        object.keys |= KeyFaults::CASE;
                    }
                    if there {
                        object.keys |= KeyFaults::TWICE;
                    }
                    match key {
                        RowKey::Prompt => object.prompt = map.next_value()?,
                        RowKey::Completion => object.completion = map.next_value()?,
                        RowKey::Messages => object.messages = Some(map.next_value()?),
                        RowKey::Beside | RowKey::Extra => {
                            object.keys |= if key == RowKey::Beside { KeyFaults::BESIDE } else { KeyFaults::EXTRA };
                            map.next_value::<IgnoredAny>()?;
                        }
                    }
                }
                Ok(object)
            }
        }
        deserializer.deserialize_any(RowVisitor)
    }
}

/// Reads a key and converts it with `of`.
struct Named<F>(F);

impl<'de, T, F: FnOnce(&str) -> T> DeserializeSeed<'de> for Named<F> {
    type Value = T;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<T, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl<T, F: FnOnce(&str) -> T> Visitor<'_> for Named<F> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a key")
    }

    fn visit_str<E>(self, name: &str) -> Result<T, E> {
        Ok((self.0)(name))
    }
}

impl<'de> Deserialize<'de> for Slot<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct RowVisitor;
        impl<'de> Visitor<'de> for RowVisitor {
            type Value = Slot<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a value")
            }
            fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Slot<'de>, E> {
                Ok(Slot::Text(Cow::Borrowed(text)))
            }
            fn visit_str<E>(self, text: &str) -> Result<Slot<'de>, E> {
                Ok(Slot::Text(Cow::Owned(text.to_owned())))
            }
            fn visit_bool<E>(self, value: bool) -> Result<Slot<'de>, E> {
                Ok(Slot::Plain(value.to_string()))
            }
            fn visit_u64<E>(self, value: u64) -> Result<Slot<'de>, E> {
                Ok(Slot::Plain(value.to_string()))
            }
            fn visit_i64<E>(self, value: i64) -> Result<Slot<'de>, E> {
                Ok(Slot::Plain(value.to_string()))
            }
            fn visit_f64<E>(self, value: f64) -> Result<Slot<'de>, E> {
                Ok(Slot::Plain(value.to_string()))
            }
            fn visit_unit<E>(self) -> Result<Slot<'de>, E> {
                Ok(Slot::Plain(String::new()))
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Slot<'de>, A::Error> {
                while seq.next_element::<IgnoredAny>()?.is_some() {}
                Ok(Slot::Deep)
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Slot<'de>, A::Error> {
                while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
                Ok(Slot::Deep)
            }
        }
        deserializer.deserialize_any(RowVisitor)
    }
}

impl<'de> Deserialize<'de> for Messages<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct RowVisitor;
        impl<'de> Visitor<'de> for RowVisitor {
            type Value = Messages<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a value")
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Messages<'de>, A::Error> {
                let mut messages = Vec::new();
                while let Some(message) = seq.next_element()? {
                    messages.push(message);
                }
                Ok(Messages::List(messages))
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Messages<'de>, A::Error> {
                while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
                Ok(Messages::Other)
            }
            plain!(Messages<'de>, Messages::Other, visit_str: &str);
        }
        deserializer.deserialize_any(RowVisitor)
    }
}

impl<'de> Deserialize<'de> for RawMessage<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct RowVisitor;
        impl<'de> Visitor<'de> for RowVisitor {
            type Value = RawMessage<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a value")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<RawMessage<'de>, A::Error> {
                #[derive(PartialEq)]
                enum FieldOf {
                    Role,
                    Content,
                    Calls,
                    Weight,
                    Name,
                    Answers,
                    More,
                }
                let of = |name: &str| match name {
                    "role" => FieldOf::Role,
                    "content" => FieldOf::Content,
                    "tool_calls" | "function_call" => FieldOf::Calls,
                    "weight" => FieldOf::Weight,
                    "name" => FieldOf::Name,
                    "tool_call_id" => FieldOf::Answers,
                    _ => FieldOf::More,
                };
                let mut message = RawMessage::default();
                while let Some(of) = map.next_key_seed(Named(of))? {
                    match of {
                        FieldOf::Role => message.role = map.next_value()?,
                        FieldOf::Content => message.content = map.next_value::<Content<'de>>()?.0,
                        of => {
                            message.more = true;
                            match of {
                                FieldOf::Calls => {
                                    message.calls = true;
                                    message.made.push(map.next_value()?);
                                }
                                FieldOf::Weight => message.weight = map.next_value()?,
                                FieldOf::Name => message.name = map.next_value()?,
                                FieldOf::Answers => message.answers = map.next_value()?,
                                _ => {
                                    map.next_value::<IgnoredAny>()?;
                                }
                            }
                        }
                    }
                }
                Ok(message)
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<RawMessage<'de>, A::Error> {
                while seq.next_element::<IgnoredAny>()?.is_some() {}
                Ok(RawMessage { other: true, ..RawMessage::default() })
            }
            plain!(RawMessage<'de>, RawMessage { other: true, ..RawMessage::default() }, visit_str: &str);
        }
        deserializer.deserialize_any(RowVisitor)
    }
}

/// A text, or a list of parts that have one, joined.
struct Content<'a>(Slot<'a>);

impl<'de> Deserialize<'de> for Content<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(serde::Deserialize)]
        #[serde(untagged)]
        enum Either {
            Parts(Vec<PartVisitor>),
            Other(IgnoredAny),
        }
        #[derive(serde::Deserialize)]
        struct PartVisitor {
            text: String,
        }
        struct RowVisitor;
        impl<'de> Visitor<'de> for RowVisitor {
            type Value = Slot<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a value")
            }
            fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Slot<'de>, E> {
                Ok(Slot::Text(Cow::Borrowed(text)))
            }
            fn visit_str<E>(self, text: &str) -> Result<Slot<'de>, E> {
                Ok(Slot::Text(Cow::Owned(text.to_owned())))
            }
            plain!(Slot<'de>, Slot::Deep);
            fn visit_unit<E>(self) -> Result<Slot<'de>, E> {
                Ok(Slot::Plain(String::new()))
            }
            fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> Result<Slot<'de>, A::Error> {
                let list = serde::de::value::SeqAccessDeserializer::new(seq);
                Ok(match Either::deserialize(list)? {
                    Either::Parts(parts) => {
                        Slot::Text(Cow::Owned(parts.into_iter().map(|part| part.text).collect::<String>()))
                    }
                    Either::Other(_) => Slot::Deep,
                })
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Slot<'de>, A::Error> {
                while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
                Ok(Slot::Deep)
            }
        }
        deserializer.deserialize_any(RowVisitor).map(Content)
    }
}
