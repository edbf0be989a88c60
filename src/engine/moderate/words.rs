//! A text as words to look up: one case, one form of each letter, disguised spelling undone where that gives a word of
//! the lexicon, and digits read as letters where that gives an English word.

use std::ops::Range;

use unicode_normalization::UnicodeNormalization as _;
use unicode_normalization::char::is_combining_mark;

use super::lexicon::{Lexicon, Tags};

/// Bytes of the longest word; longer ones are cut.
const LONGEST: usize = 40;

/// A word with its tags.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Word {
    /// Letters and digits, lower case.
    pub(super) form: String,
    /// The form without its endings.
    pub(super) stem: String,
    /// Tags of the word itself and of the phrases it stands in.
    pub(super) tags: Tags,
    /// The bytes of the text it was read from.
    pub(super) at: Range<usize>,
    /// Whether it was spelled in disguise.
    pub(super) disguised: bool,
    /// What follows it.
    pub(super) gap: Gap,
}

impl Word {
    /// Returns whether a sentence ends after it.
    pub(super) fn last(&self) -> bool {
        self.gap == Gap::End
    }
}

/// What stands between two pieces of a text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Gap {
    /// White space alone.
    #[default]
    Space,
    /// Marks within a word: `-`, `.`, `_`, `*`, `/`.
    Mark,
    /// A comma or the like.
    Pause,
    /// The end of a sentence.
    End,
}

/// A run of letters and digits as it was written, and what follows.
struct WordRun {
    form: String,
    at: Range<usize>,
    gap: Gap,
}

/// Splits `text` into tagged words; `english` says whether letters are an English word.
pub(super) fn words(text: &str, lexicon: &Lexicon, english: impl Fn(&str) -> bool) -> Vec<Word> {
    let mut found: Vec<Word> = Vec::new();
    let mut pieces = pieces(text).into_iter().peekable();
    let mut joined: Vec<WordRun> = Vec::new();
    while let Some(piece) = pieces.next() {
        // Spaced letters ("k i l l") and words split by marks ("ki-ll") are tried as one.
        let letter = piece.form.chars().count() == 1;
        let inner = piece.gap == Gap::Mark;
        let spread = letter && matches!(piece.gap, Gap::Space | Gap::Mark | Gap::Pause);
        let more = (inner || spread) && pieces.peek().is_some() && joined.len() < 24;
        let goes_on = more && (inner || pieces.peek().is_some_and(|next| next.form.chars().count() == 1));
        joined.push(piece);
        if !goes_on {
            flush(&mut joined, lexicon, &english, &mut found);
        }
    }
    // "1 w1ll": the digit is a letter if the word after it is disguised.
    for at in 1..found.len() {
        if found[at - 1].form == "1" && found[at].disguised {
            let one = &mut found[at - 1];
            *one = Word { at: one.at.clone(), gap: one.gap, disguised: true, ..read("i", lexicon, &english) };
        }
    }
    lexicon.phrases(&mut found);
    found
}

/// Adds the collected pieces as one word if the lexicon has it, else one by one.
fn flush(joined: &mut Vec<WordRun>, lexicon: &Lexicon, english: &impl Fn(&str) -> bool, found: &mut Vec<Word>) {
    if let [first, .., last] = joined.as_slice() {
        let whole: String = joined.iter().map(|piece| piece.form.as_str()).collect();
        let letters = joined.iter().all(|piece| piece.form.chars().count() == 1);
        let odd = letters || joined.iter().any(|piece| !lexicon.knows(&piece.form) && piece.form.len() < 5);
        // "a b c" and "i.e." are no words; three letters at least make one.
        if whole.len() >= 3 && whole.len() <= LONGEST && (odd || joined.len() > 3) {
            let word = read(&whole, lexicon, english);
            let worth = if letters { !word.tags.is_empty() } else { word.tags.has(lexicon.disguised()) };
            if worth {
                let at = first.at.start..last.at.end;
                found.push(Word { at, disguised: true, gap: last.gap, ..word });
                joined.clear();
                return;
            }
        }
    }
    for WordRun { form, at, gap } in joined.drain(..) {
        found.push(Word { at, gap, ..read(&form, lexicon, english) });
    }
}

/// Reads one word, its disguise undone if the lexicon has the result, and digits read as letters if English has it.
fn read(raw: &str, lexicon: &Lexicon, english: &impl Fn(&str) -> bool) -> Word {
    let make = |form: String, disguised| {
        let stem = stem(&form);
        let tags = lexicon.tags(&form, &stem);
        Word { form, stem, tags, disguised, ..Word::default() }
    };
    let word = make(raw.chars().filter(|c| c.is_alphanumeric()).collect(), false);
    if !word.tags.is_empty() || raw.chars().all(|c| c.is_ascii_digit()) {
        return word;
    }
    let letters = unmask(raw);
    let mut tries = vec![letters.clone()];
    if letters.as_bytes().windows(3).any(|three| three[0] == three[1] && three[1] == three[2]) {
        tries.extend([(3, 1), (3, 2), (2, 1)].map(|(long, most)| squeeze(&letters, long, most)));
    }
    if raw.contains(['*', '#']) {
        tries.extend(["i", "u", "a", "e", "o"].map(|vowel| letters.replace(['*', '#'], vowel)));
    }
    tries.extend(lexicon.without_vowels(&letters).map(str::to_owned));
    // "h4te" is a word then, but "mp3" and "covid19" stay as they are.
    let telling = tries.into_iter().map(|form| make(form, true)).find(|tried| tried.tags.has(lexicon.disguised()));
    if let Some(telling) = telling {
        return telling;
    }
    let ordinal = ["st", "nd", "rd", "th"].iter().any(|ending| raw.ends_with(ending));
    let mixed = letters.len() >= 3 && letters != word.form && !ordinal;
    if mixed && letters.bytes().all(|byte| byte.is_ascii_lowercase()) && !english(&word.form) && english(&letters) {
        return make(letters, true);
    }
    word
}

/// Replaces digits and signs that stand for letters.
fn unmask(raw: &str) -> String {
    let letter = |c: char| match c {
        '0' => 'o',
        '1' | '!' | '|' => 'i',
        '3' | '€' => 'e',
        '4' | '@' => 'a',
        '5' | '$' => 's',
        '7' | '+' => 't',
        '8' => 'b',
        '9' => 'g',
        c => c,
    };
    raw.chars().map(letter).collect()
}

/// Shortens runs of one letter, at least `long`, to `most`.
fn squeeze(form: &str, long: usize, most: usize) -> String {
    let letters: Vec<char> = form.chars().collect();
    let runs = letters.chunk_by(|a, b| a == b);
    runs.flat_map(|run| &run[..if run.len() >= long { most } else { run.len() }]).collect()
}

/// Removes a word's commonest endings. Not a linguistic stem: the lexicon and the text only have to agree.
pub(super) fn stem(form: &str) -> String {
    let mut stem = form;
    let keeps_a_vowel = |rest: &str| rest.len() >= 3 && rest.bytes().any(|b| b"aeiouy".contains(&b));
    if stem.len() > 4 && stem.ends_with("ies") {
        return format!("{}i", &stem[..stem.len() - 3]);
    }
    for ending in ["sses", "shes", "ches", "xes"] {
        if stem.ends_with(ending) {
            stem = &stem[..stem.len() - 2];
        }
    }
    if stem.len() > 3 && stem.ends_with('s') && !stem.ends_with("ss") && !stem.ends_with("us") && !stem.ends_with("is")
    {
        stem = &stem[..stem.len() - 1];
    }
    for ending in ["ingly", "edly", "ing", "ed", "ly"] {
        if let Some(rest) = stem.strip_suffix(ending).filter(|rest| keeps_a_vowel(rest)) {
            stem = rest;
            let bytes = stem.as_bytes();
            let [.., before, end] = bytes else { break };
            if before == end && end.is_ascii() && !b"lsz".contains(end) {
                stem = &stem[..stem.len() - 1];
            }
            break;
        }
    }
    let stem = if stem.len() > 3 { stem.strip_suffix('e').unwrap_or(stem) } else { stem };
    match stem.strip_suffix('y').filter(|rest| rest.len() > 2) {
        Some(rest) => format!("{rest}i"),
        None => stem.to_owned(),
    }
}

/// Splits a text at what is no part of a word.
fn pieces(text: &str) -> Vec<WordRun> {
    let mut out: Vec<WordRun> = Vec::new();
    let mut form = String::new();
    let mut range = 0..0;
    let mut gap = None;
    let plain = |(at, c): (usize, char)| std::iter::once(c).nfkd().map(move |c| (at, c));
    let kept = |(_, c): &(usize, char)| !is_combining_mark(*c) && !invisible(*c);
    let mut chars = text.char_indices().flat_map(plain).filter(kept).map(|(at, c)| (at, latin(c))).peekable();
    let mut close = |form: &mut String, at: &Range<usize>, gap: &mut Option<Gap>| {
        if !form.is_empty() {
            out.push(WordRun { form: std::mem::take(form), at: at.clone(), gap: gap.take().unwrap_or(Gap::End) });
        }
        *gap = None;
    };
    while let Some((at, c)) = chars.next() {
        let next = chars.peek().map_or(' ', |(_, next)| *next);
        let within = c.is_alphanumeric() || masks(c, &form, next);
        if within && form.len() < LONGEST {
            if gap.is_some() {
                close(&mut form, &range, &mut gap);
            }
            if form.is_empty() {
                range.start = at;
            }
            range.end = at + text[at..].chars().next().map_or(0, char::len_utf8);
            form.extend(c.to_lowercase());
        } else if !within && !matches!(c, '\'' | '’' | '‘' | '`') && !form.is_empty() {
            gap = Some(wider(gap, c, next));
        }
    }
    close(&mut form, &range, &mut gap);
    out
}

/// Returns whether a sign stands for a letter here.
fn masks(c: char, before: &str, next: char) -> bool {
    let in_word = next.is_alphanumeric() || matches!(next, '*' | '#' | '$' | '@');
    match c {
        '@' | '$' => in_word && !next.is_ascii_digit(),
        '!' | '|' | '€' | '+' | '*' | '#' => in_word && before.ends_with(|b: char| b.is_alphanumeric() || b == '*'),
        _ => false,
    }
}

/// Returns what stands between two pieces once `c` is read as well.
fn wider(gap: Option<Gap>, c: char, next: char) -> Gap {
    let this = match c {
        '\n' | '!' | '?' | ';' => Gap::End,
        '.' if !next.is_alphanumeric() => Gap::End,
        '-' | '.' | '_' | '*' | '/' | '~' => Gap::Mark,
        c if c.is_whitespace() => Gap::Space,
        _ => Gap::Pause,
    };
    match (gap, this) {
        (None, this) => this,
        (Some(Gap::End), _) | (_, Gap::End) => Gap::End,
        (Some(Gap::Mark), Gap::Mark) => Gap::Mark,
        (Some(Gap::Space), Gap::Space) => Gap::Space,
        _ => Gap::Pause,
    }
}

fn invisible(c: char) -> bool {
    matches!(c, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2064}' | '\u{feff}')
}

/// Replaces letters of other scripts that look like Latin ones.
fn latin(c: char) -> char {
    match c {
        'а' | 'α' | 'ɑ' | 'А' | 'Α' => 'a',
        'В' | 'Β' | 'β' => 'b',
        'с' | 'С' | 'ϲ' => 'c',
        'ԁ' => 'd',
        'е' | 'ε' | 'Е' | 'Ε' => 'e',
        'һ' | 'Н' | 'Η' => 'h',
        'і' | 'ι' | 'І' | 'Ι' | 'ı' => 'i',
        'ј' | 'Ј' => 'j',
        'к' | 'κ' | 'К' | 'Κ' => 'k',
        'ӏ' | 'Ӏ' => 'l',
        'м' | 'М' | 'Μ' => 'm',
        'Ν' => 'n',
        'о' | 'ο' | 'О' | 'Ο' | 'σ' => 'o',
        'р' | 'ρ' | 'Р' | 'Ρ' => 'p',
        'ѕ' | 'Ѕ' => 's',
        'т' | 'τ' | 'Т' | 'Τ' => 't',
        'υ' => 'u',
        'ν' | 'ѵ' => 'v',
        'ѡ' | 'ω' => 'w',
        'х' | 'χ' | 'Х' | 'Χ' => 'x',
        'у' | 'У' | 'Υ' => 'y',
        'Ζ' => 'z',
        c => c,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn forms(text: &str) -> Vec<String> {
        words(text, &Lexicon::new(), |_| false).into_iter().map(|word| word.form).collect()
    }

    #[test]
    fn evasive_spelling_becomes_the_word_it_stands_for() {
        for text in [
            "kill",
            "k1ll",
            "k!ll",
            "k*ll",
            "k i l l",
            "k.i.l.l",
            "k-i-l-l",
            "kiiill",
            "kll",
            "k\u{200b}ill",
            "kіll",
            "ＫＩＬＬ",
            "ki-ll",
        ] {
            assert_eq!(forms(text), ["kill"], "{text}");
        }
    }

    #[test]
    fn other_words_stay_as_they_are() {
        assert_eq!(forms("Don't, café! x2 a b"), ["dont", "cafe", "x2", "a", "b"]);
        assert_eq!(forms("a well-known co-op"), ["a", "well", "known", "co", "op"]);
    }

    #[test]
    fn digits_for_letters_are_read_where_english_has_the_word() {
        let english = |word: &str| ["you", "tomorrow", "mp3"].contains(&word);
        let found = words("y0u, t0m0rr0w! mp3 x0y 4th 2000", &Lexicon::new(), english);
        let forms: Vec<&str> = found.iter().map(|word| word.form.as_str()).collect();
        assert_eq!(forms, ["you", "tomorrow", "mp3", "x0y", "4th", "2000"]);
    }

    #[test]
    fn a_word_knows_where_it_was_read() {
        let text = "Ｋill k-i-l-l, ﬁre caf\u{e9}s";
        let found = words(text, &Lexicon::new(), |_| false);
        let read: Vec<&str> = found.iter().map(|word| &text[word.at.clone()]).collect();
        assert_eq!(read, ["Ｋill", "k-i-l-l", "ﬁre", "caf\u{e9}s"]);
    }

    #[test]
    fn sentences_end_at_their_marks() {
        let ends: Vec<bool> =
            words("Go. Come now! v1.2 runs", &Lexicon::new(), |_| false).iter().map(Word::last).collect();
        assert_eq!(ends, [true, false, true, false, false, true]);
    }

    #[test]
    fn forms_of_a_word_share_a_stem() {
        for forms in [
            ["kill", "kills", "killed", "killing"],
            ["hate", "hates", "hated", "hating"],
            ["beat", "beats", "beat", "beating"],
        ] {
            assert!(forms.iter().all(|form| stem(form) == stem(forms[0])), "{forms:?}");
        }
        assert_eq!(stem("aもing"), "aも", "bytes within a character may be the same");
        assert_eq!((stem("stabbed"), stem("party")), ("stab".to_owned(), stem("parties")));
    }
}
