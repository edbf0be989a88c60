//! Words as the search compares them: lower case, stemmed, without stop words, near-synonyms unified.

/// Words that carry no topic.
const FILLER: &str = " a an the is are am was be been do does did how to i my me you your it its in on at for with and or \
    can could would should will shall may of this that these those there what whats which who where when why have has had \
    please tell explain mean means meaning about from by as if so we use used using get want need way \
    give show let some any s t m im id ill up into just really between them they ";

/// `word → the word it counts as`, both stemmed.
const SAME: &[(&str, &str)] = &[
    ("remov", "delet"),
    ("eras", "delet"),
    ("discard", "delet"),
    ("abort", "stop"),
    ("cancel", "stop"),
    ("halt", "stop"),
    ("interrupt", "stop"),
    ("exit", "quit"),
    ("clos", "quit"),
    ("leav", "quit"),
    ("chang", "switch"),
    ("select", "switch"),
    ("choos", "switch"),
    ("pick", "switch"),
    ("respons", "answer"),
    ("reply", "answer"),
    ("repli", "answer"),
    ("output", "answer"),
    ("chat", "convers"),
    ("thread", "convers"),
    ("linebreak", "newlin"),
    ("multilin", "newlin"),
    ("price", "cost"),
    ("money", "cost"),
    ("expens", "cost"),
    ("spend", "cost"),
    ("spent", "cost"),
    ("dollar", "cost"),
    ("retry", "regener"),
    ("retri", "regener"),
    ("redo", "regener"),
    ("modify", "edit"),
    ("finetun", "tune"),
    ("fine-tun", "tune"),
    ("undelet", "restor"),
    ("recover", "restor"),
    ("submit", "send"),
    ("shortcut", "key"),
    ("keybind", "key"),
    ("hotkey", "key"),
    ("apikey", "key"),
    ("kept", "stor"),
    ("internet", "offlin"),
    ("network", "offlin"),
    ("prompt", "message"),
    ("messag", "message"),
    ("color", "colour"),
    ("config", "configur"),
    ("setting", "configur"),
    ("hi", "hello"),
    ("hey", "hello"),
    ("yank", "copy"),
    ("copi", "copy"),
    ("clipboard", "copy"),
    ("programm", "program"),
    ("paramet", "parameter"),
    ("temp", "temperatur"),
];

/// Returns the words of a text that carry its topic, each stemmed.
pub(super) fn words(text: &str) -> Vec<String> {
    let lower = text
        .to_lowercase()
        .replace("new line", "newline")
        .replace("line break", "newline")
        .replace("fine tun", "finetun");
    let part = |c: char| !(c.is_alphanumeric() || matches!(c, '_' | '~' | '-' | '$' | '▲' | '▼'));
    let split = lower.split(part).map(|word| word.trim_matches('-')).filter(|word| !word.is_empty());
    let split: Vec<&str> = split.collect();
    let topic: Vec<String> =
        split.iter().filter(|word| !FILLER.contains(&format!(" {word} "))).map(|word| same(word)).collect();
    // "Who are you?" consists of stop words: then these are compared, under names that no other text uses.
    if topic.is_empty() { split.iter().map(|word| format!("={word}")).collect() } else { topic }
}

fn same(word: &str) -> String {
    let stem = stem(word);
    SAME.iter().find(|(from, _)| *from == stem).map_or(stem, |(_, to)| (*to).to_owned())
}

/// Removes the commonest English endings; crude, but the same for question and manual.
fn stem(word: &str) -> String {
    if word.contains('_') || !word.is_ascii() {
        return word.to_owned();
    }
    let mut stem = word;
    for (ending, least) in
        [("ations", 4), ("ation", 4), ("ings", 3), ("ing", 3), ("ies", 3), ("ed", 3), ("es", 3), ("s", 3), ("e", 3)]
    {
        if let Some(cut) = stem.strip_suffix(ending)
            && cut.len() >= least
            && !(ending == "s" && cut.ends_with(['s', 'u', 'i']))
        {
            stem = cut;
            break;
        }
    }
    let bytes = stem.as_bytes();
    // "stopping" was cut to "stopp".
    if let [.., a, b] = bytes
        && a == b
        && stem.len() > 3
        && !matches!(b, b'l' | b's' | b'e')
    {
        stem = &stem[..stem.len() - 1];
    }
    stem.strip_suffix('e').filter(|cut| cut.len() >= 3).unwrap_or(stem).to_owned()
}

/// Returns the similarity of two words by their pairs of letters, 0 to 1.
pub(super) fn similarity(a: &str, b: &str) -> f32 {
    let pairs = |word: &str| {
        let letters: Vec<char> = std::iter::once('^').chain(word.chars()).chain(['$']).collect();
        letters.windows(2).map(|w| (w[0], w[1])).collect::<Vec<_>>()
    };
    let (a, mut b) = (pairs(a), pairs(b));
    let whole = a.len() + b.len();
    let mut shared = 0;
    for pair in &a {
        if let Some(at) = b.iter().position(|other| other == pair) {
            b.swap_remove(at);
            shared += 2;
        }
    }
    shared as f32 / whole as f32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_of_a_word_meet() {
        assert_eq!(words("How do I stop an answer?"), words("stopping answers"));
        assert_eq!(words("what is top_p?"), ["top_p"]);
        assert_eq!(words("deleting a file"), words("remove files"));
        assert_eq!(words("add a new line"), words("add newlines"));
        assert!(similarity("temperatur", "temprature") > 0.6);
        assert!(similarity("file", "fish") < 0.5);
    }
}
