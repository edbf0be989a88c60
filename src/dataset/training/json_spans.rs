//! Positions in valid JSON: the members of an object, the elements of a list. For reporting places and for copying
//! members unchanged.

use std::borrow::Cow;
use std::ops::Range;

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
    let bytes = json.as_bytes();
    let mut at = blanks(bytes, from);
    let mut members = Vec::new();
    if bytes.get(at) != Some(&b'{') {
        return members;
    }
    at = blanks(bytes, at + 1);
    while bytes.get(at) == Some(&b'"') {
        let end = value(bytes, at);
        let begin = blanks(bytes, blanks(bytes, end) + 1);
        let close = value(bytes, begin);
        let inner = json.get(at + 1..end.saturating_sub(1)).unwrap_or_default();
        let name = if inner.contains('\\') {
            serde_json::from_str::<String>(&json[at..end]).map_or(Cow::Borrowed(inner), Cow::Owned)
        } else {
            Cow::Borrowed(inner)
        };
        members.push(Member { name, key: at..end, value: begin..close });
        let behind = blanks(bytes, close);
        if bytes.get(behind) != Some(&b',') {
            break;
        }
        at = blanks(bytes, behind + 1);
    }
    members
}

/// Returns the elements of the list that begins at `from`, after blanks; none if it is not a list.
pub(super) fn elements(json: &str, from: usize) -> Vec<Range<usize>> {
    let bytes = json.as_bytes();
    let mut at = blanks(bytes, from);
    let mut elements = Vec::new();
    if bytes.get(at) != Some(&b'[') {
        return elements;
    }
    at = blanks(bytes, at + 1);
    while bytes.get(at).is_some_and(|byte| *byte != b']') {
        let end = value(bytes, at);
        elements.push(at..end);
        let behind = blanks(bytes, end);
        if bytes.get(behind) != Some(&b',') {
            break;
        }
        at = blanks(bytes, behind + 1);
    }
    elements
}

/// Returns the JSON without the blanks between its tokens.
pub(super) fn compact(json: &str) -> Cow<'_, str> {
    let bytes = json.as_bytes();
    let mut pieces: Option<String> = None;
    let (mut at, mut from) = (0, 0);
    while at < bytes.len() {
        match bytes[at] {
            b'"' => at = value(bytes, at),
            b' ' | b'\t' | b'\n' | b'\r' => {
                pieces.get_or_insert_default().push_str(&json[from..at]);
                at = blanks(bytes, at);
                from = at;
            }
            _ => at += 1,
        }
    }
    match pieces {
        None => Cow::Borrowed(json),
        Some(mut pieces) => {
            pieces.push_str(&json[from..]);
            Cow::Owned(pieces)
        }
    }
}

fn blanks(bytes: &[u8], from: usize) -> usize {
    let rest = bytes.get(from..).unwrap_or_default();
    from + rest.iter().take_while(|byte| matches!(byte, b' ' | b'\t' | b'\n' | b'\r')).count()
}

/// Returns where the value that begins at `from` ends.
fn value(bytes: &[u8], from: usize) -> usize {
    let (mut at, mut deep) = (from, 0_usize);
    while at < bytes.len() {
        match bytes[at] {
            b'"' => {
                at += 1;
                while at < bytes.len() && bytes[at] != b'"' {
                    at += 1 + usize::from(bytes[at] == b'\\');
                }
                at = (at + 1).min(bytes.len());
                if deep == 0 {
                    return at;
                }
                continue;
            }
            b'{' | b'[' => deep += 1,
            b'}' | b']' if deep <= 1 => return if deep == 1 { at + 1 } else { at },
            b'}' | b']' => deep -= 1,
            b',' | b':' | b' ' | b'\t' | b'\n' | b'\r' if deep == 0 => return at,
            _ => {}
        }
        at += 1;
    }
    at
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
