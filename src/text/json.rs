//! JSON with line breaks and indents, for display. Nothing but white space outside of strings changes: keys keep their
//! order, numbers their digits.

use serde::de::IgnoredAny;

use super::json_tokens::JsonTokens;

/// Columns per level.
const INDENT: usize = 2;
/// Levels beyond which most of what is shown would be indents.
const DEPTH: usize = 64;
/// Bytes of the longest text that is indented.
const LONGEST: usize = 256 << 10;
/// How many times its own length an indented text may have, …
const GROWTH: usize = 4;
/// … plus this many bytes, so that a short text may grow more.
const SHORT: usize = 16 << 10;

/// Indents a text that is JSON, an entry a line. `None`: it is not JSON, or so long or deep that it is more readable as
/// it came.
pub(super) fn indented(text: &str) -> Option<String> {
    if text.len() > LONGEST {
        return None;
    }
    serde_json::from_str::<IgnoredAny>(text).ok()?;
    let most = text.len() * GROWTH + SHORT;
    let (mut out, mut depth, mut opened) = (String::with_capacity(text.len() * 2), 0_usize, false);
    let line = |out: &mut String, depth: usize| {
        out.push('\n');
        out.extend(std::iter::repeat_n(' ', depth * INDENT));
    };
    for token in JsonTokens::new(text, 0) {
        let token = &text[token];
        if matches!(token, "]" | "}") {
            depth -= 1;
            // An empty object or array stays on its line.
            if !opened {
                line(&mut out, depth);
            }
        } else if opened {
            line(&mut out, depth);
        }
        opened = matches!(token, "[" | "{");
        depth += usize::from(opened);
        if depth > DEPTH || out.len() > most {
            return None;
        }
        out.push_str(token);
        match token {
            "," => line(&mut out, depth),
            ":" => out.push(' '),
            _ => {}
        }
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_white_space_changes() {
        let shown = "{\n  \"b\": 1.50,\n  \"a\": [\n    \"x, {y}: \\\"[\\\\\",\n    {},\n    []\n  ]\n}";
        assert_eq!(indented(r#"{"b":1.50, "a" : ["x, {y}: \"[\\",{ }, []]}"#).as_deref(), Some(shown));
        assert_eq!(indented("\"text\"").as_deref(), Some("\"text\""));
        for broken in ["", "{\"a\": ", "get_weather", "[1}"] {
            assert_eq!(indented(broken), None, "{broken}");
        }
    }

    #[test]
    fn what_is_too_deep_or_too_long_is_left_as_it_is() {
        let nested = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
        assert!(indented(&nested(DEPTH)).is_some());
        assert_eq!(indented(&nested(DEPTH + 1)), None);
        assert_eq!(indented(&nested(60_000)), None);
        let wide = |inner: &str, count: usize| format!("[{}]", vec![inner; count].join(","));
        assert!(indented(&wide("{\"name\":\"value\"}", 5_000)).is_some());
        assert_eq!(indented(&wide("\"value\"", 40_000)), None, "longer than {LONGEST}");
        let indents = wide(&format!("{}1,1,1,1{}", "[".repeat(40), "]".repeat(40)), 1_000);
        assert_eq!(indented(&indents), None, "more than {GROWTH} times as long");
    }
}
