//! Positions in valid JSON: the members of an object, the elements of a list. For reporting places and for copying
//! members unchanged.

use std::borrow::Cow;
use std::ops::Range;

use crate::text::JsonTokens;

/// A member of an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Member<'a> {
    pub(super) name: Cow<'a, str>,
    /// Position of its key, including the quotes.
    pub(super) key: Range<usize>,
    pub(super) value: Range<usize>,
}

/// Returns the members of the object that begins at `from`, after blanks; none if it is not an object.
pub(super) fn members(json: &str, from: usize) -> Vec<Member<'_>> {
    let mut tokens = JsonTokens::new(json, from);
    let mut members = Vec::new();
    if !tokens.skip_sign(b'{') {
        return members;
    }
    while tokens.peek() == Some(b'"')
        && let Some(key) = tokens.next()
    {
        tokens.skip_sign(b':');
        let value = tokens.value();
        let inner = json.get(key.start + 1..key.end.saturating_sub(1)).unwrap_or_default();
        let name = if inner.contains('\\') {
            serde_json::from_str::<String>(&json[key.clone()]).map_or(Cow::Borrowed(inner), Cow::Owned)
        } else {
            Cow::Borrowed(inner)
        };
        members.push(Member { name, key, value });
        if !tokens.skip_sign(b',') {
            break;
        }
    }
    members
}

/// Returns the elements of the list that begins at `from`, after blanks; none if it is not a list.
pub(super) fn elements(json: &str, from: usize) -> Vec<Range<usize>> {
    let mut tokens = JsonTokens::new(json, from);
    let mut elements = Vec::new();
    if !tokens.skip_sign(b'[') {
        return elements;
    }
    while tokens.peek().is_some_and(|first| first != b']') {
        elements.push(tokens.value());
        if !tokens.skip_sign(b',') {
            break;
        }
    }
    elements
}

/// Returns the JSON without the blanks between its tokens.
pub(super) fn compact(json: &str) -> Cow<'_, str> {
    let tokens = JsonTokens::new(json, 0);
    if tokens.clone().map(|token| token.len()).sum::<usize>() == json.len() {
        return Cow::Borrowed(json);
    }
    Cow::Owned(tokens.map(|token| &json[token]).collect())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn members_and_elements_are_found() {
        let json = r#" { "a\"}" : [1, {"x":"]"}, "z"] ,"b":-1.5e3, "\u00e9":{}} "#;
        let members = members(json, 0);
        let found: Vec<_> = members.iter().map(|m| (&*m.name, &json[m.key.clone()], &json[m.value.clone()])).collect();
        let expected =
            [("a\"}", r#""a\"}""#, r#"[1, {"x":"]"}, "z"]"#), ("b", r#""b""#, "-1.5e3"), ("é", r#""\u00e9""#, "{}")];
        assert_eq!(found, expected);
        let list: Vec<_> = elements(json, members[0].value.start).into_iter().map(|range| &json[range]).collect();
        assert_eq!(list, ["1", r#"{"x":"]"}"#, r#""z""#]);
        assert_eq!((super::members("[]", 0).len(), elements("{}", 0).len(), super::members("{}", 0).len()), (0, 0, 0));
        assert_eq!(compact(json), r#"{"a\"}":[1,{"x":"]"},"z"],"b":-1.5e3,"\u00e9":{}}"#);
        assert_eq!(compact(r#"{"a b":"c d"}"#), r#"{"a b":"c d"}"#);
    }

    proptest! {
        #[test]
        fn nothing_makes_it_panic(text in "[\\[\\]{}\",:a\\\\ é1]{0,40}") {
            members(&text, 0);
            elements(&text, 0);
            compact(&text);
        }
    }
}
