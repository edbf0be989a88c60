//! Words and the forms they come in: `cheaper` → `cheap`, `went` → `go`.

use std::collections::HashMap;

/// A line for each word whose forms follow no rule, the word first.
const IRREGULAR: &str = include_str!("../../../assets/embed/irregular.txt");

/// The irregular forms.
pub(super) struct Forms(HashMap<&'static str, &'static str>);

impl Forms {
    /// Reads the list.
    pub(super) fn read() -> Self {
        let mut forms = HashMap::new();
        for line in IRREGULAR.lines() {
            let mut words = line.split(' ');
            if let Some(base) = words.next() {
                forms.extend(words.map(|form| (form, base)));
            }
        }
        Self(forms)
    }

    /// The first of the words that `word` may be a form of, itself first, that `known` knows; else the likeliest one.
    pub(super) fn base(&self, word: &str, known: impl Fn(&str) -> bool) -> String {
        if let Some(base) = self.0.get(word) {
            return (*base).to_owned();
        }
        let ascii = word.bytes().all(|byte| byte.is_ascii_lowercase());
        if !ascii || word.len() < 4 || known(word) {
            return word.to_owned();
        }
        let guesses = guesses(word);
        guesses.iter().find(|guess| known(guess)).or(guesses.first()).cloned().unwrap_or_else(|| word.to_owned())
    }
}

/// What `word` may be a form of by its ending, likelier ones first.
fn guesses(word: &str) -> Vec<String> {
    let mut guesses = Vec::new();
    let mut put = |stem: &str, ending: &str| {
        if stem.len() + ending.len() >= 3 && stem.bytes().any(|byte| b"aeiouy".contains(&byte)) {
            guesses.push(format!("{stem}{ending}"));
        }
    };
    for (ending, replacements) in ENDINGS {
        let Some(stem) = word.strip_suffix(ending) else { continue };
        let bytes = stem.as_bytes();
        // `glass`, `this` and `bus` are no plurals.
        if *ending == "s" && bytes.last().is_some_and(|last| b"siu".contains(last)) {
            continue;
        }
        let doubled = bytes.len() > 2 && bytes[bytes.len() - 1] == bytes[bytes.len() - 2];
        if doubled && ["ed", "ing", "er", "est"].contains(ending) {
            let single = &stem[..stem.len() - 1];
            // `fall`, `press`, `stuff` keep both letters, `stopped` does not.
            let keeps = b"lsfz".contains(&bytes[bytes.len() - 1]);
            let both = if keeps { [stem, single] } else { [single, stem] };
            for stem in both {
                put(stem, "");
            }
        }
        for replacement in *replacements {
            put(stem, replacement);
        }
    }
    guesses
}

/// Endings and what may stand in their place.
const ENDINGS: &[(&str, &[&str])] = &[
    ("ies", &["y", "ie"]),
    ("ied", &["y", "ie"]),
    ("ier", &["y"]),
    ("iest", &["y"]),
    ("ily", &["y"]),
    ("sses", &["ss"]),
    ("xes", &["x"]),
    ("ches", &["ch"]),
    ("shes", &["sh"]),
    ("oes", &["o"]),
    ("s", &[""]),
    ("es", &[""]),
    ("ed", &["", "e"]),
    ("ing", &["", "e"]),
    ("er", &["", "e"]),
    ("est", &["", "e"]),
    ("ly", &["", "le"]),
    ("ness", &[""]),
    ("iness", &["y"]),
    ("ment", &[""]),
    ("ation", &["e", "", "ate"]),
    ("ion", &["", "e"]),
    ("or", &["", "e"]),
    ("ful", &[""]),
    ("able", &["", "e"]),
    ("ers", &["", "e"]),
    ("ings", &["", "e"]),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_lead_to_their_word() {
        let forms = Forms::read();
        let known = ["stop", "cheap", "make", "carry", "fall", "danger", "happy", "decorate", "box", "translate"];
        let base = |word| forms.base(word, |word| known.contains(&word));
        for (form, word) in [
            ("stopped", "stop"),
            ("cheaper", "cheap"),
            ("making", "make"),
            ("carries", "carry"),
            ("falling", "fall"),
            ("boxes", "box"),
            ("happily", "happy"),
            ("translation", "translate"),
            ("decorator", "decorate"),
            ("went", "go"),
            ("children", "child"),
            // Not in the list of known words: the likeliest.
            ("zebras", "zebra"),
            ("gripping", "grip"),
            ("this", "this"),
            ("naïve", "naïve"),
        ] {
            assert_eq!(base(form), word, "{form}");
        }
    }
}
