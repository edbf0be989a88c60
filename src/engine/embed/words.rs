//! Cuts a text into words.

/// A word of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Word {
    /// In lower case; `not` for each `n't`.
    pub(super) text: String,
    /// Whether a stop or comma stands between it and the word before.
    pub(super) breaks: bool,
}

/// Words longer than this many bytes are cut off: no language has them.
const LONGEST: usize = 64;

/// The words of `text`; in `code`, names such as `readLine` and `read_line` are cut as well.
pub(super) fn cut(text: &str, code: bool) -> Vec<Word> {
    let mut words = Vec::new();
    let mut breaks = false;
    let mut rest = text;
    while let Some(start) = rest.find(char::is_alphanumeric) {
        breaks |= rest[..start].contains(['.', ',', ';', ':', '!', '?', '(', ')', '\n']);
        rest = &rest[start..];
        let end = rest.find(|c: char| !c.is_alphanumeric() && c != '\'' && c != '’').unwrap_or(rest.len());
        let (run, after) = rest.split_at(end);
        rest = after;
        let from = words.len();
        if code {
            parts(run, &mut words);
        } else {
            plain(run, &mut words);
        }
        if let Some(first) = words.get_mut(from) {
            first.breaks = std::mem::take(&mut breaks);
        }
    }
    words
}

fn push(text: &str, words: &mut Vec<Word>) {
    if !text.is_empty() {
        let text = &text[..text.floor_char_boundary(LONGEST)];
        words.push(Word { text: text.to_owned(), breaks: false });
    }
}

/// A word of prose: `can't` is `can not`, and what follows an apostrophe otherwise says little.
fn plain(run: &str, words: &mut Vec<Word>) {
    let run = run.to_lowercase().replace('’', "'");
    let (head, tail) = run.split_once('\'').unwrap_or((&run, ""));
    match (head, tail) {
        ("can", "t") => push("can", words),
        ("won", "t") => push("will", words),
        ("shan", "t") => push("shall", words),
        (_, "t") => push(head.strip_suffix('n').unwrap_or(head), words),
        _ => push(head, words),
    }
    match tail {
        "t" => push("not", words),
        "" | "s" | "re" | "ve" | "ll" | "d" | "m" => {}
        _ => tail.split('\'').for_each(|part| push(part, words)),
    }
    if run == "cannot" {
        words.pop();
        push("can", words);
        push("not", words);
    }
}

/// The parts of a name such as `parseHTTPBody2`: `parse`, `http`, `body`, `2`.
fn parts(run: &str, words: &mut Vec<Word>) {
    let letters: Vec<char> = run.chars().collect();
    let mut word = String::new();
    for (at, c) in letters.iter().enumerate() {
        let before = at.checked_sub(1).map(|before| letters[before]);
        let begins = before.is_some_and(|before| {
            let lower_next = letters.get(at + 1).is_some_and(|next| next.is_lowercase());
            c.is_numeric() != before.is_numeric()
                || c.is_uppercase() && (before.is_lowercase() || before.is_uppercase() && lower_next)
        });
        if begins {
            plain(&word, words);
            word.clear();
        }
        word.push(*c);
    }
    plain(&word, words);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(text: &str, code: bool) -> Vec<String> {
        cut(text, code).into_iter().map(|word| word.text).collect()
    }

    #[test]
    fn names_in_code_are_cut() {
        let name = "parseHTTPBody2 read_line iOS";
        assert_eq!(texts(name, true), ["parse", "http", "body", "2", "read", "line", "i", "os"]);
        assert_eq!(texts(name, false), ["parsehttpbody2", "read", "line", "ios"]);
    }

    #[test]
    fn short_forms_are_spelled_out() {
        assert_eq!(texts("Can't won’t isn't cannot", false), ["can", "not", "will", "not", "is", "not", "can", "not"]);
        assert_eq!(texts("the boy's dog, it's O'Neill's", false), ["the", "boy", "dog", "it", "o", "neill", "s"]);
        assert!(cut("one, two", false)[1].breaks && !cut("one two", false)[1].breaks);
    }
}
