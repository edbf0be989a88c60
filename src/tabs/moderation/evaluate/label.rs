//! What a label says: that a text is to be flagged or not, or which categories it belongs to.

use std::collections::HashMap;

use serde_json::Value;

use super::super::category::{CategoryInfo, CategoryKey};
use crate::text::Untrusted;

/// Words for “yes”, unless a category is called so.
const YES: &[&str] = &[
    "true",
    "yes",
    "y",
    "t",
    "flagged",
    "flag",
    "unsafe",
    "harmful",
    "toxic",
    "bad",
    "positive",
    "pos",
    "block",
    "blocked",
    "reject",
    "rejected",
    "violation",
    "violating",
    "abusive",
    "offensive",
];
/// Words for “no”.
const NO: &[&str] = &[
    "false",
    "no",
    "n",
    "f",
    "ok",
    "okay",
    "safe",
    "clean",
    "clear",
    "none",
    "neutral",
    "benign",
    "negative",
    "neg",
    "allow",
    "allowed",
    "normal",
    "fine",
    "unflagged",
    "not flagged",
    "not_flagged",
    "harmless",
    "non-toxic",
    "nontoxic",
    "not toxic",
    "not_toxic",
    "acceptable",
    "good",
    "nothing",
];

/// What a label says of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Truth {
    /// Whether it is to be flagged; of no category.
    Flagged(bool),
    /// Which categories it belongs to, as places in the list of them: to none but these.
    Named {
        /// These.
        of: Vec<usize>,
        /// Of these it does not say.
        unsure: Vec<usize>,
        /// Whether it names something else besides, which is no category here.
        other: bool,
    },
    /// There is none.
    Empty,
    /// Nothing that is known here.
    Unknown,
}

/// How the labels of one file are read together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Scheme {
    /// Whether no label names a category: each category is measured as if it alone decided.
    pub(crate) flags_only: bool,
    /// Whether an empty label means “no category”.
    pub(crate) empty_is_none: bool,
}

impl Scheme {
    /// Returns the scheme of a file with these labels.
    pub(crate) fn of(truths: &[Truth]) -> Self {
        let names = truths.iter().any(|truth| matches!(truth, Truth::Named { of, .. } if !of.is_empty()));
        let denies = truths.contains(&Truth::Flagged(false));
        // Lists of categories have no word for “none”.
        Self { flags_only: !names, empty_is_none: names && !denies && truths.contains(&Truth::Empty) }
    }

    /// Returns whether a text belongs to any category; `None`: its label does not say.
    pub(crate) fn any(self, truth: &Truth) -> Option<bool> {
        match truth {
            Truth::Flagged(so) => Some(*so),
            Truth::Named { of, unsure, other } => {
                let so = !of.is_empty() || *other;
                (so || unsure.is_empty()).then_some(so)
            }
            Truth::Empty => self.empty_is_none.then_some(false),
            Truth::Unknown => None,
        }
    }

    /// Returns whether a text belongs to the category at this place; `None`: its label does not say.
    pub(crate) fn category(self, truth: &Truth, at: usize) -> Option<bool> {
        match truth {
            Truth::Flagged(false) => Some(false),
            Truth::Flagged(true) => self.flags_only.then_some(true),
            Truth::Named { of, unsure, .. } => (!unsure.contains(&at)).then(|| of.contains(&at)),
            Truth::Empty => self.empty_is_none.then_some(false),
            Truth::Unknown => None,
        }
    }
}

/// Reads labels that may name these categories.
#[derive(Debug)]
pub(crate) struct Labels<'a> {
    categories: &'a [CategoryInfo],
}

impl<'a> Labels<'a> {
    /// A reader that knows these categories, in either spelling.
    pub(crate) fn new(categories: &'a [CategoryInfo]) -> Self {
        Self { categories }
    }

    /// What a label says.
    pub(crate) fn read(&self, label: &Untrusted) -> Truth {
        // What is read here is compared with known words and never shown.
        let text = label.line();
        let text = text.trim();
        if text.is_empty() {
            return Truth::Empty;
        }
        if let Some(truth) = self.word(text) {
            return truth;
        }
        if text.starts_with(['[', '{', '"'])
            && let Ok(value) = serde_json::from_str::<Value>(text)
        {
            return self.json(&value);
        }
        let parts: Vec<&str> = text.split([',', ';', '|']).map(str::trim).filter(|part| !part.is_empty()).collect();
        if parts.len() > 1 { self.several(&parts) } else { Truth::Unknown }
    }

    /// Reads the labels of a file's rows, each different label once: files have few labels and many rows.
    pub(crate) fn read_all<'b>(&self, labels: impl IntoIterator<Item = Option<&'b Untrusted>>) -> Vec<Truth> {
        let mut known: HashMap<&Untrusted, Truth> = HashMap::new();
        let mut read = |label| known.entry(label).or_insert_with(|| self.read(label)).clone();
        labels.into_iter().map(|label| label.map_or(Truth::Empty, &mut read)).collect()
    }

    /// One word or number, or one category's name.
    fn word(&self, text: &str) -> Option<Truth> {
        if let Some(at) = self.place(text) {
            return Some(Truth::Named { of: vec![at], unsure: Vec::new(), other: false });
        }
        let word = text.trim_matches(['"', '\'']).to_lowercase();
        if YES.contains(&word.as_str()) {
            return Some(Truth::Flagged(true));
        }
        if NO.contains(&word.as_str()) {
            return Some(Truth::Flagged(false));
        }
        number(word.parse().ok()?).map(Truth::Flagged)
    }

    /// Where a category stands.
    fn place(&self, name: &str) -> Option<usize> {
        let key = CategoryKey::of(&name.trim_matches(['"', '\'', ' ']).into());
        self.categories.iter().position(|category| category.key == key)
    }

    /// Several names.
    fn several(&self, names: &[&str]) -> Truth {
        let mut of: Vec<usize> = names.iter().filter_map(|name| self.place(name)).collect();
        of.sort_unstable();
        of.dedup();
        let strange = names.iter().filter(|name| self.place(name).is_none());
        // `none` among names says nothing more; a `yes` does not either.
        let other = strange.clone().any(|name| self.word(name).is_none());
        if of.is_empty() {
            let words: Vec<Truth> = strange.filter_map(|name| self.word(name)).collect();
            let all = words.len() == names.len() && words.windows(2).all(|pair| pair[0] == pair[1]);
            return words.into_iter().next().filter(|_| all).unwrap_or(Truth::Unknown);
        }
        Truth::Named { of, unsure: Vec::new(), other }
    }

    fn json(&self, value: &Value) -> Truth {
        match value {
            Value::String(text) => self.word(text).unwrap_or(Truth::Unknown),
            Value::Array(values) if values.is_empty() => Truth::Flagged(false),
            Value::Array(values) => {
                let names: Vec<&str> = values.iter().filter_map(Value::as_str).collect();
                if names.len() == values.len() { self.several(&names) } else { Truth::Unknown }
            }
            Value::Object(fields) => self.object(fields),
            _ => Truth::Unknown,
        }
    }

    /// Categories by name, each with whether it is so.
    fn object(&self, fields: &serde_json::Map<String, Value>) -> Truth {
        let (mut of, mut unsure, mut other, mut known) = (Vec::new(), Vec::new(), false, fields.is_empty());
        for (name, value) in fields {
            let so = match value {
                Value::Bool(so) => Some(*so),
                Value::Number(value) => value.as_f64().and_then(number),
                _ => None,
            };
            match (self.place(name), so) {
                (Some(at), Some(true)) => of.push(at),
                (Some(_), Some(false)) => {}
                (Some(at), None) => unsure.push(at),
                (None, so) => {
                    other |= so == Some(true);
                    continue;
                }
            }
            known = true;
        }
        if known { Truth::Named { of, unsure, other } } else { Truth::Unknown }
    }
}

/// 0 and 1 are no and yes; other numbers say nothing certain.
#[allow(clippy::float_cmp, reason = "what was written as 0 or 1 is exactly that")]
fn number(number: f64) -> Option<bool> {
    if number == 0.0 {
        return Some(false);
    }
    (number == 1.0).then_some(true)
}

#[cfg(test)]
mod tests {
    use super::super::super::category::union;
    use super::super::super::tests::check;
    use super::*;

    fn named(of: &[usize]) -> Truth {
        Truth::Named { of: of.to_vec(), unsure: Vec::new(), other: false }
    }

    #[test]
    fn labels_say_yes_no_or_which() {
        let check = check(&[("hate", None, None), ("self-harm/intent", None, None), ("toxic", None, None)]);
        let categories = union([&check]);
        let labels = Labels::new(&categories);
        for (label, truth) in [
            ("true", Truth::Flagged(true)),
            (" Yes ", Truth::Flagged(true)),
            ("1", Truth::Flagged(true)),
            ("1.0", Truth::Flagged(true)),
            ("FLAGGED", Truth::Flagged(true)),
            ("0", Truth::Flagged(false)),
            ("safe", Truth::Flagged(false)),
            ("\"ok\"", Truth::Flagged(false)),
            ("[]", Truth::Flagged(false)),
            ("none, none", Truth::Flagged(false)),
            ("0.7", Truth::Unknown),
            ("2", Truth::Unknown),
            ("nan", Truth::Unknown),
            ("spam", Truth::Unknown),
            ("spam,eggs", Truth::Unknown),
            ("yes,no", Truth::Unknown),
            ("[1]", Truth::Unknown),
            ("{\"x\":1}", Truth::Unknown),
            ("", Truth::Empty),
            ("  ", Truth::Empty),
            ("hate", named(&[0])),
            ("Self_Harm_Intent", named(&[1])),
            // A category that is called like a word for yes.
            ("toxic", named(&[2])),
            ("hate; self-harm/intent", named(&[0, 1])),
            ("hate|hate", named(&[0])),
            ("hate,none", named(&[0])),
            ("[\"toxic\",\"hate\"]", named(&[0, 2])),
            ("{\"hate\":true,\"toxic\":0}", named(&[0])),
            ("{}", named(&[])),
            ("hate,spam", Truth::Named { of: vec![0], unsure: vec![], other: true }),
            ("{\"hate\":false,\"toxic\":null,\"spam\":1}", Truth::Named { of: vec![], unsure: vec![2], other: true }),
        ] {
            assert_eq!(labels.read(&label.into()), truth, "{label:?}");
        }
    }
}
