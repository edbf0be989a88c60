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
pub(crate) enum LabelMeaning {
    /// Whether it is to be flagged; of no category.
    Flagged(bool),
    /// Which categories it belongs to, as places in the list of them: to none but these.
    Named {
        /// The categories that the label names.
        of: Vec<usize>,
        /// The categories of which the label says nothing.
        unsure: Vec<usize>,
        /// Whether it names something else besides, which is no category here.
        other: bool,
    },
    /// The label is empty.
    Empty,
    /// Nothing that is known here.
    Unknown,
}

/// How the labels of one file are read together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct LabelScheme {
    /// Whether no label names a category: each category is measured as if it alone decided.
    pub(crate) flags_only: bool,
    /// Whether an empty label means “no category”.
    pub(crate) empty_is_none: bool,
}

impl LabelScheme {
    /// Returns the scheme of a file with these labels.
    pub(crate) fn of(truths: &[LabelMeaning]) -> Self {
        let names = truths.iter().any(|truth| matches!(truth, LabelMeaning::Named { of, .. } if !of.is_empty()));
        let denies = truths.contains(&LabelMeaning::Flagged(false));
        // Lists of categories have no word for “none”.
        Self { flags_only: !names, empty_is_none: names && !denies && truths.contains(&LabelMeaning::Empty) }
    }

    /// Returns whether a text belongs to any category; `None`: its label does not say.
    pub(crate) fn any(self, truth: &LabelMeaning) -> Option<bool> {
        match truth {
            LabelMeaning::Flagged(so) => Some(*so),
            LabelMeaning::Named { of, unsure, other } => {
                let so = !of.is_empty() || *other;
                (so || unsure.is_empty()).then_some(so)
            }
            LabelMeaning::Empty => self.empty_is_none.then_some(false),
            LabelMeaning::Unknown => None,
        }
    }

    /// Returns whether a text belongs to the category at this place; `None`: its label does not say.
    pub(crate) fn category(self, truth: &LabelMeaning, at: usize) -> Option<bool> {
        match truth {
            LabelMeaning::Flagged(false) => Some(false),
            LabelMeaning::Flagged(true) => self.flags_only.then_some(true),
            LabelMeaning::Named { of, unsure, .. } => (!unsure.contains(&at)).then(|| of.contains(&at)),
            LabelMeaning::Empty => self.empty_is_none.then_some(false),
            LabelMeaning::Unknown => None,
        }
    }
}

/// Reads labels that may name these categories.
#[derive(Debug)]
pub(crate) struct LabelReader<'a> {
    categories: &'a [CategoryInfo],
}

impl<'a> LabelReader<'a> {
    /// Creates a reader that knows these categories, in either spelling.
    pub(crate) fn new(categories: &'a [CategoryInfo]) -> Self {
        Self { categories }
    }

    /// Returns what a label says.
    pub(crate) fn read(&self, label: &Untrusted) -> LabelMeaning {
        // What is read here is compared with known words and never shown.
        let text = label.line();
        let text = text.trim();
        if text.is_empty() {
            return LabelMeaning::Empty;
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
        if parts.len() > 1 { self.several(&parts) } else { LabelMeaning::Unknown }
    }

    /// Reads the labels of a file's rows, each different label once: files have few labels and many rows.
    pub(crate) fn read_all<'b>(&self, labels: impl IntoIterator<Item = Option<&'b Untrusted>>) -> Vec<LabelMeaning> {
        let mut known: HashMap<&Untrusted, LabelMeaning> = HashMap::new();
        let mut read = |label| known.entry(label).or_insert_with(|| self.read(label)).clone();
        labels.into_iter().map(|label| label.map_or(LabelMeaning::Empty, &mut read)).collect()
    }

    /// Reads one word or number, or one category's name.
    fn word(&self, text: &str) -> Option<LabelMeaning> {
        if let Some(at) = self.place(text) {
            return Some(LabelMeaning::Named { of: vec![at], unsure: Vec::new(), other: false });
        }
        let word = text.trim_matches(['"', '\'']).to_lowercase();
        if YES.contains(&word.as_str()) {
            return Some(LabelMeaning::Flagged(true));
        }
        if NO.contains(&word.as_str()) {
            return Some(LabelMeaning::Flagged(false));
        }
        number(word.parse().ok()?).map(LabelMeaning::Flagged)
    }

    /// Returns the index of a category.
    fn place(&self, name: &str) -> Option<usize> {
        let key = CategoryKey::of(&name.trim_matches(['"', '\'', ' ']).into());
        self.categories.iter().position(|category| category.key == key)
    }

    /// Reads several names.
    fn several(&self, names: &[&str]) -> LabelMeaning {
        let mut of: Vec<usize> = names.iter().filter_map(|name| self.place(name)).collect();
        of.sort_unstable();
        of.dedup();
        let strange = names.iter().filter(|name| self.place(name).is_none());
        // `none` among names says nothing more; a `yes` does not either.
        let other = strange.clone().any(|name| self.word(name).is_none());
        if of.is_empty() {
            let words: Vec<LabelMeaning> = strange.filter_map(|name| self.word(name)).collect();
            let all = words.len() == names.len() && words.windows(2).all(|pair| pair[0] == pair[1]);
            return words.into_iter().next().filter(|_| all).unwrap_or(LabelMeaning::Unknown);
        }
        LabelMeaning::Named { of, unsure: Vec::new(), other }
    }

    fn json(&self, value: &Value) -> LabelMeaning {
        match value {
            Value::String(text) => self.word(text).unwrap_or(LabelMeaning::Unknown),
            Value::Array(values) if values.is_empty() => LabelMeaning::Flagged(false),
            Value::Array(values) => {
                let names: Vec<&str> = values.iter().filter_map(Value::as_str).collect();
                if names.len() == values.len() { self.several(&names) } else { LabelMeaning::Unknown }
            }
            Value::Object(fields) => self.object(fields),
            _ => LabelMeaning::Unknown,
        }
    }

    /// Categories by name, each with whether it is so.
    fn object(&self, fields: &serde_json::Map<String, Value>) -> LabelMeaning {
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
        if known { LabelMeaning::Named { of, unsure, other } } else { LabelMeaning::Unknown }
    }
}

/// Reads a number: 0 and 1 are no and yes; other numbers say nothing certain.
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

    fn named(of: &[usize]) -> LabelMeaning {
        LabelMeaning::Named { of: of.to_vec(), unsure: Vec::new(), other: false }
    }

    #[test]
    fn labels_say_yes_no_or_which() {
        let check = check(&[("hate", None, None), ("self-harm/intent", None, None), ("toxic", None, None)]);
        let categories = union([&check]);
        let labels = LabelReader::new(&categories);
        for (label, truth) in [
            ("true", LabelMeaning::Flagged(true)),
            (" Yes ", LabelMeaning::Flagged(true)),
            ("1", LabelMeaning::Flagged(true)),
            ("1.0", LabelMeaning::Flagged(true)),
            ("FLAGGED", LabelMeaning::Flagged(true)),
            ("0", LabelMeaning::Flagged(false)),
            ("safe", LabelMeaning::Flagged(false)),
            ("\"ok\"", LabelMeaning::Flagged(false)),
            ("[]", LabelMeaning::Flagged(false)),
            ("none, none", LabelMeaning::Flagged(false)),
            ("0.7", LabelMeaning::Unknown),
            ("2", LabelMeaning::Unknown),
            ("nan", LabelMeaning::Unknown),
            ("spam", LabelMeaning::Unknown),
            ("spam,eggs", LabelMeaning::Unknown),
            ("yes,no", LabelMeaning::Unknown),
            ("[1]", LabelMeaning::Unknown),
            ("{\"x\":1}", LabelMeaning::Unknown),
            ("", LabelMeaning::Empty),
            ("  ", LabelMeaning::Empty),
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
            ("hate,spam", LabelMeaning::Named { of: vec![0], unsure: vec![], other: true }),
            (
                "{\"hate\":false,\"toxic\":null,\"spam\":1}",
                LabelMeaning::Named { of: vec![], unsure: vec![2], other: true },
            ),
        ] {
            assert_eq!(labels.read(&label.into()), truth, "{label:?}");
        }
    }
}
