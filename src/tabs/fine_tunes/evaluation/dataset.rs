//! The rows, what both models answered to them, and whether that is right.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

use crate::component::Cx;
use crate::record::answers::HeldRow;
use crate::record::{Answer, Bench, Id, TextKey, TextList, TextRow};
use crate::settings::ProfileId;
use crate::text::Untrusted;

/// Names of the two models' places.
pub(super) const NAMES: [&str; 2] = ["tuned", "base"];

/// What is scored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct EvaluatedModels {
    /// Whose server has the models.
    pub(crate) profile: ProfileId,
    /// The tuned model.
    pub(crate) tuned: Untrusted,
    /// Its base.
    pub(crate) base: Untrusted,
    /// Whether they were trained on messages.
    pub(crate) chat: bool,
    /// The job's validation file: id, name.
    pub(crate) validation: Option<(Untrusted, Untrusted)>,
}

/// What is saved besides the rows.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct EvaluationSettings {
    pub(super) profile: String,
    pub(super) models: [String; 2],
    pub(super) chat: bool,
    pub(super) stop: Vec<String>,
    pub(super) max_tokens: u64,
    /// Names the rows.
    pub(super) key: String,
    /// Tokens of all prompts, and of all that is wanted.
    pub(super) tokens: [u64; 2],
    /// Whether they were counted as the model cuts texts.
    pub(super) exact: bool,
    /// Whether somebody said that they may be sent.
    pub(super) begun: bool,
}

impl EvaluationSettings {
    pub(super) fn of(list: &TextList) -> Self {
        serde_json::from_str(&list.state).unwrap_or_default()
    }

    pub(super) fn json(&self) -> String {
        serde_json::to_string(self).expect("texts and numbers are always JSON")
    }

    pub(super) fn profile(&self) -> ProfileId {
        ProfileId(self.profile.clone())
    }

    pub(super) fn model(&self, which: usize) -> Untrusted {
        self.models[which].as_str().into()
    }

    /// Returns whether these are the models.
    pub(super) fn is_of(&self, facts: &EvaluatedModels) -> bool {
        self.profile == facts.profile.0 && facts.tuned == *self.models[0] && facts.base == *self.models[1]
    }
}

/// Returns the hexadecimal name of rows, as it is stored.
pub(super) fn hex(key: TextKey) -> String {
    let mut name = String::new();
    for byte in key.0 {
        name.push(char::from_digit(u32::from(byte >> 4), 16).unwrap_or('0'));
        name.push(char::from_digit(u32::from(byte & 15), 16).unwrap_or('0'));
    }
    name
}

/// Returns how all these texts end; `None`: all are the same, or there are none.
pub(crate) fn common_end<'a>(mut all: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let first = all.next()?;
    let mut end = first.len();
    let mut differ = false;
    for text in all {
        differ |= text != first;
        let same = first.bytes().rev().zip(text.bytes().rev()).take_while(|(a, b)| a == b).count();
        end = end.min(same);
    }
    if !differ {
        return None;
    }
    let mut from = first.len() - end;
    while !first.is_char_boundary(from) {
        from += 1;
    }
    Some(&first[from..])
}

/// Returns the end that all these answers share and that is no part of their meaning: it has neither letters nor
/// digits, or is ` END`.
pub(crate) fn stop_of<'a>(wanted: impl Iterator<Item = &'a str> + Clone) -> Option<String> {
    let common = common_end(wanted.clone())?;
    if let Some(word) = [" [END]", " END"].into_iter().find(|word| common.ends_with(word)) {
        return Some(word.to_owned());
    }
    let from =
        common.rfind(char::is_alphanumeric).map_or(0, |at| at + common[at..].chars().next().map_or(0, char::len_utf8));
    let stop = &common[from..];
    // What is the end of a whole answer would be all of it.
    let whole = wanted.into_iter().any(|text| text == stop);
    (!stop.is_empty() && !whole).then(|| stop.to_owned())
}

/// How an answer compares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AnswerVerdict {
    /// Byte for byte.
    Exact,
    /// But for blanks around it.
    Right,
    Wrong,
}

impl AnswerVerdict {
    pub(super) fn is_right(self) -> bool {
        self != Self::Wrong
    }
}

/// The rows and what came of them.
#[derive(Debug)]
pub(super) struct EvaluationDataset {
    pub(super) list: TextList,
    pub(super) settings: EvaluationSettings,
    pub(super) rows: Vec<TextRow>,
    places: HashMap<Id, usize>,
    /// For each model, its answer to each row.
    answers: [Vec<Option<Answer>>; 2],
    /// Rows that each has answered.
    answered: [usize; 2],
}

impl EvaluationDataset {
    /// Creates a data set of new rows.
    pub(super) fn new(
        held: Vec<HeldRow>,
        name: Untrusted,
        source: Untrusted,
        settings: EvaluationSettings,
        cx: &mut Cx,
    ) -> Self {
        let list = TextList {
            id: cx.id(),
            bench: Bench::Score,
            name,
            source,
            created_ms: cx.unix_ms,
            updated_ms: cx.unix_ms,
            state: settings.json(),
            rows: held.len() as u64,
        };
        let row = |(place, row): (u32, HeldRow)| TextRow {
            id: cx.id(),
            place,
            name: row.line.to_string().into(),
            text: row.prompt,
            label: Some(row.wanted),
        };
        let rows = (0..).zip(held).map(row).collect();
        Self::of(list, rows, Vec::new())
    }

    /// Creates a data set of stored rows, with the answers that are stored.
    pub(super) fn of(list: TextList, rows: Vec<TextRow>, answers: Vec<Answer>) -> Self {
        let places = rows.iter().enumerate().map(|(place, row)| (row.id, place)).collect();
        let none = vec![None; rows.len()];
        let settings = EvaluationSettings::of(&list);
        let mut dataset = Self { list, settings, rows, places, answers: [none.clone(), none], answered: [0, 0] };
        for answer in answers {
            dataset.put(answer);
        }
        dataset
    }

    /// Takes an answer that is on disk.
    pub(super) fn put(&mut self, answer: Answer) {
        let which = self.settings.models.iter().position(|model| answer.model == **model);
        if let (Some(which), Some(place)) = (which, self.places.get(&answer.row))
            && answer.profile == self.settings.profile
            && self.answers[which][*place].replace(answer).is_none()
        {
            self.answered[which] += 1;
        }
    }

    pub(super) fn answer(&self, which: usize, row: usize) -> Option<&Answer> {
        self.answers[which].get(row)?.as_ref()
    }

    /// Returns the rows that a model has not answered.
    pub(super) fn missing(&self, which: usize) -> Vec<u32> {
        (0..).zip(&self.answers[which]).filter(|(_, answer)| answer.is_none()).map(|(row, _)| row).collect()
    }

    /// Returns how many rows a model has not answered.
    pub(super) fn missing_count(&self, which: usize) -> usize {
        self.rows.len() - self.answered[which]
    }

    /// Returns the wanted answer of a row, without the end that all answers share.
    pub(super) fn wanted_answer(&self, row: usize) -> &str {
        let label = self.rows[row].label.as_ref().map_or("", Untrusted::raw);
        self.bare(label)
    }

    fn bare<'a>(&self, text: &'a str) -> &'a str {
        self.settings.stop.iter().find_map(|stop| text.strip_suffix(stop.as_str())).unwrap_or(text)
    }

    /// Returns what a model answered, as a class.
    pub(super) fn answered_class(&self, which: usize, row: usize) -> Option<&str> {
        Some(self.bare(self.answer(which, row)?.text.raw()).trim())
    }

    pub(super) fn verdict(&self, which: usize, row: usize) -> Option<AnswerVerdict> {
        let wanted = self.wanted_answer(row);
        let answer = self.answer(which, row)?;
        Some(match self.answered_class(which, row) {
            _ if answer.text == *wanted => AnswerVerdict::Exact,
            Some(said) if said == wanted.trim() => AnswerVerdict::Right,
            _ => AnswerVerdict::Wrong,
        })
    }

    /// Returns what tuning did to a row; `None`: both models are right, or neither is.
    pub(super) fn tuning_effect(&self, row: usize) -> Option<TuningEffect> {
        match (self.verdict(0, row)?.is_right(), self.verdict(1, row)?.is_right()) {
            (true, false) => Some(TuningEffect::Won),
            (false, true) => Some(TuningEffect::Lost),
            _ => None,
        }
    }
}

/// What tuning did to a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TuningEffect {
    /// Only the tuned model is right.
    Won,
    /// Only the base is right.
    Lost,
}

#[cfg(test)]
mod tests {
    use super::super::figures::EvaluationFigures;
    use super::*;

    #[test]
    fn the_common_end_is_what_says_nothing() {
        for (all, stop) in [
            (&[" positive\n", " negative\n"][..], Some("\n")),
            (&[" a END", " b END"], Some(" END")),
            (&["It rains.", "It snows."], Some(".")),
            (&[" true", " false"], None),
            (&["\n", "a\n"], None),
            (&["same\n", "same\n"], None),
            (&["ein é", "a è"], None),
            (&[], None),
        ] {
            assert_eq!(stop_of(all.iter().copied()).as_deref(), stop, "{all:?}");
        }
    }

    fn dataset(rows: &[(&str, Option<&str>, Option<&str>)]) -> EvaluationDataset {
        let settings = EvaluationSettings {
            models: ["t".into(), "b".into()],
            stop: vec!["\n".into()],
            ..EvaluationSettings::default()
        };
        let list = TextList {
            id: Id(1),
            bench: Bench::Score,
            name: "".into(),
            source: "".into(),
            created_ms: 0,
            updated_ms: 0,
            state: settings.json(),
            rows: 0,
        };
        let row = |(at, (wanted, ..)): (usize, &(&str, Option<&str>, Option<&str>))| TextRow {
            id: Id(10 + at as i64),
            place: at as u32,
            name: "".into(),
            text: "p".into(),
            label: Some((*wanted).into()),
        };
        let mut answers = Vec::new();
        for (at, (_, tuned, base)) in rows.iter().enumerate() {
            for (model, text) in [("t", tuned), ("b", base)] {
                answers.extend(text.map(|text| Answer {
                    id: Id(0),
                    list: Id(1),
                    row: Id(10 + at as i64),
                    profile: String::new(),
                    model: model.into(),
                    text: text.into(),
                    at_ms: 0,
                    latency_ms: 0,
                    finish: "stop".into(),
                    prompt_tokens: 0,
                    completion_tokens: 0,
                    estimated: false,
                    cost_nano: None,
                }));
            }
        }
        EvaluationDataset::of(list, rows.iter().enumerate().map(row).collect(), answers)
    }

    #[test]
    fn matches_changes_and_classes_are_counted() {
        let dataset = dataset(&[
            (" yes\n", Some(" yes"), Some("no")),
            (" yes\n", Some("yes"), Some(" yes")),
            (" no\n", Some(" yes"), Some(" no")),
            (" no\n", Some(" no"), Some("perhaps, who knows")),
            (" no\n", None, Some("")),
        ]);
        assert_eq!(dataset.verdict(0, 0), Some(AnswerVerdict::Exact));
        assert_eq!(dataset.verdict(0, 1), Some(AnswerVerdict::Right));
        assert_eq!(
            (dataset.tuning_effect(0), dataset.tuning_effect(2)),
            (Some(TuningEffect::Won), Some(TuningEffect::Lost))
        );
        assert_eq!((dataset.tuning_effect(1), dataset.tuning_effect(4)), (None, None));
        assert_eq!(dataset.missing(0), [4]);
        let figures = EvaluationFigures::of(&dataset);
        assert_eq!(figures.models, [[4, 3, 2], [5, 2, 2]]);
        assert_eq!((figures.won, figures.lost), (2, 1));
        let [no, yes] = &figures.classes[..] else { panic!("{:?}", figures.classes) };
        assert_eq!((no.name.as_str(), no.rows, yes.rows), ("no", 3, 2));
        assert_eq!((yes.precision(0), yes.recall(0)), (Some(2.0 / 3.0), Some(1.0)));
        assert_eq!((no.precision(1), no.recall(1)), (Some(0.5), Some(1.0 / 3.0)));
        assert_eq!(figures.confusion[0], [[1, 1, 0], [0, 2, 0]]);
        assert_eq!(figures.confusion[1], [[1, 0, 2], [1, 1, 0]]);
    }

    #[test]
    fn many_different_answers_are_no_classes() {
        let rows: Vec<String> = (0..50).map(|n| format!("answer {n}")).collect();
        let rows: Vec<_> = rows.iter().map(|row| (row.as_str(), None, None)).collect();
        assert_eq!(EvaluationFigures::of(&dataset(&rows)).classes, []);
        assert_eq!(EvaluationFigures::of(&dataset(&rows[..2])).classes, [], "two rows are no classes either");
    }
}
