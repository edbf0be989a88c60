//! JSON with line breaks and indents, as it is shown. Nothing but white space outside of texts changes: keys keep their
//! order, numbers their digits.

use serde::de::IgnoredAny;

/// Spaces for each level.
const INDENT: usize = 2;

/// A text that is JSON, an entry a line; `None`: it is none.
pub(super) fn indented(text: &str) -> Option<String> {
    serde_json::from_str::<IgnoredAny>(text).ok()?;
    let (mut out, mut depth, mut quoted, mut escaped) = (String::with_capacity(text.len() * 2), 0_usize, false, false);
    let line = |out: &mut String, depth: usize| {
        out.push('\n');
        out.extend(std::iter::repeat_n(' ', depth * INDENT));
    };
    let mut opened = false;
    for c in text.chars() {
        if quoted {
            out.push(c);
            (escaped, quoted) = (!escaped && c == '\\', escaped || c != '"');
            continue;
        }
        if c.is_ascii_whitespace() {
            continue;
        }
        if matches!(c, ']' | '}') {
            depth -= 1;
            // What is empty stays on its line.
            if !opened {
                line(&mut out, depth);
            }
        } else if opened {
            line(&mut out, depth);
        }
        opened = matches!(c, '[' | '{');
        depth += usize::from(opened);
        out.push(c);
        match c {
            '"' => quoted = true,
            ',' => line(&mut out, depth),
            ':' => out.push(' '),
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
}
