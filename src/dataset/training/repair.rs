//! Repairs of a row, in order.

use std::borrow::Cow;

use super::common_text::small;
use super::json::meant;
use super::json_spans;
use super::labels::labelled;
use super::limits::LONG;
use super::row::{ParsedRow, Row, RowFaults, Rules, pair};
use super::token_count::TokenCounter;
use super::words::is_extra;
use crate::record::training::RepairKind;

/// What is done to rows.
pub(super) struct Repairer {
    /// In the order of the legacy tool, regardless of the order in which they were accepted.
    repairs: Vec<RepairKind>,
    counter: TokenCounter,
    rules: Rules,
}

/// The result of repairing a row.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum RepairedRow {
    /// The row to write. The prompt, the completion; of a conversation its beginning up to the first answer, and its
    /// line.
    Row { prompt: String, completion: String, chat: bool },
    /// It is left out.
    Dropped,
    /// It cannot be written, and the repair for it was not accepted.
    Refused(&'static str),
}

impl RepairedRow {
    /// Returns the line that is written, without its end.
    pub(super) fn line(&self) -> Option<Cow<'_, str>> {
        match self {
            Self::Row { completion, chat: true, .. } => Some(Cow::Borrowed(completion)),
            Self::Row { prompt, completion, chat: false } => Some(Cow::Owned(pair(prompt, completion))),
            Self::Dropped | Self::Refused(_) => None,
        }
    }
}

impl Repairer {
    pub(super) fn new(accepted: &[RepairKind], counter: TokenCounter, rules: Rules) -> Self {
        let mut repairs = accepted.to_vec();
        repairs.sort_by_key(order);
        repairs.dedup();
        Self { repairs, counter, rules }
    }

    pub(super) fn has(&self, kind: &RepairKind) -> bool {
        self.repairs.contains(kind)
    }

    /// Repairs a record that is not blank.
    pub(super) fn repair(&self, found: ParsedRow<'_>) -> RepairedRow {
        let Some(row) = found.row else {
            return if self.has(&RepairKind::BadRows) {
                RepairedRow::Dropped
            } else {
                RepairedRow::Refused("the row cannot be used for training; accept the repair that removes such rows")
            };
        };
        for (is, kind, why) in [
            (
                found.faults.contains(RowFaults::KEY_CASE),
                RepairKind::KeyCase,
                "its keys are not in lower case; accept the repair for that",
            ),
            (
                found.faults.contains(RowFaults::EXTRA_KEY),
                RepairKind::ExtraKeys,
                "it has unknown keys; accept the repair that removes them",
            ),
            (
                found.faults.contains(RowFaults::NOT_TEXT),
                RepairKind::AsText,
                "it has values that are not text; accept the repair that converts them",
            ),
        ] {
            if is && !self.has(&kind) {
                return RepairedRow::Refused(why);
            }
        }
        if found.faults.contains(RowFaults::EMPTY) {
            return if self.has(&RepairKind::EmptyRows) {
                RepairedRow::Dropped
            } else {
                RepairedRow::Refused("it has nothing to learn; accept the repair that removes such rows")
            };
        }
        if self.has(&RepairKind::OverLimit) && self.counter.exceeds(&row).is_some() {
            return RepairedRow::Dropped;
        }
        match row {
            Row::Pair { prompt, completion } => {
                let repaired = self.pair(prompt.into_owned(), completion.into_owned());
                // What was added may make it too long.
                match &repaired {
                    RepairedRow::Row { prompt, completion, .. } if self.has(&RepairKind::OverLimit) => {
                        let row = Row::Pair { prompt: prompt.into(), completion: completion.into() };
                        if self.counter.exceeds(&row).is_some() { RepairedRow::Dropped } else { repaired }
                    }
                    _ => repaired,
                }
            }
            Row::Chat { json, said } => {
                let before = said.iter().take_while(|(role, _)| role != "assistant");
                let prompt = before.flat_map(|(role, content)| [role, "\0", content, "\0"]).collect();
                let completion = if found.faults.intersects(RowFaults::KEY_CASE | RowFaults::EXTRA_KEY) {
                    repaired_object(&json, self.rules)
                } else if json.contains('\n') {
                    json_spans::compact(&json).into_owned()
                } else {
                    json.trim_ascii().to_owned()
                };
                RepairedRow::Row { prompt, completion, chat: true }
            }
        }
    }

    fn pair(&self, mut prompt: String, mut completion: String) -> RepairedRow {
        for repair in &self.repairs {
            match repair {
                RepairKind::LongRows if is_long(&prompt, &completion) => return RepairedRow::Dropped,
                RepairKind::BlankPrompts if prompt.trim().is_empty() => return RepairedRow::Dropped,
                RepairKind::Labels { .. } => completion = labelled(repair, &completion).unwrap_or(completion),
                RepairKind::LowerPrompts => prompt = small(&prompt),
                RepairKind::LowerCompletions => completion = self.lowered(&completion),
                RepairKind::PromptSuffix(end) => prompt = ended(prompt, end),
                RepairKind::PromptPrefix(begin) => {
                    if let Some(rest) = without(&prompt, begin, self.has(&RepairKind::LowerPrompts)) {
                        prompt = rest.into();
                    }
                }
                RepairKind::CompletionPrefix(begin) => {
                    if let Some(rest) = without(&completion, begin, self.has(&RepairKind::LowerCompletions)) {
                        completion = shortened(begin, rest);
                    }
                }
                RepairKind::CompletionSuffix(end) => completion = ended(completion, end),
                RepairKind::LeadingSpace if !completion.starts_with(' ') => completion.insert(0, ' '),
                _ => {}
            }
        }
        if completion.is_empty() { RepairedRow::Dropped } else { RepairedRow::Row { prompt, completion, chat: false } }
    }

    /// Converts a completion to lower case, but not the ending that all are to have: it would be added again.
    fn lowered(&self, completion: &str) -> String {
        let parts = self.repairs.iter().find_map(|repair| match repair {
            RepairKind::CompletionSuffix(end) => Some((completion.trim_end().strip_suffix(end)?, end)),
            _ => None,
        });
        parts.map_or_else(|| small(completion), |(text, end)| small(text) + end)
    }
}

/// Returns the rest of a text after a prefix; `lower`: the text was converted to lower case after the prefix was found.
fn without<'a>(text: &'a str, begin: &str, lower: bool) -> Option<&'a str> {
    text.strip_prefix(begin).or_else(|| if lower { text.strip_prefix(&small(begin)) } else { None })
}

/// Returns a completion without its prefix; a space there stays.
pub(super) fn shortened(begin: &str, rest: &str) -> String {
    let space = begin.starts_with(' ') && !rest.starts_with(' ');
    format!("{}{rest}", if space { " " } else { "" })
}

/// Returns a text with an ending, before which no white space of the text is kept.
pub(super) fn ended(mut text: String, end: &str) -> String {
    if !text.ends_with(end) {
        let before = text.trim_end();
        // White space at the end of the ending may be all that is missing.
        let kept = before.strip_suffix(end.trim_end()).map_or(before, str::trim_end).len();
        text.truncate(kept);
        text.push_str(end);
    }
    text
}

/// Returns whether a pair is too long for the legacy tool.
pub(super) fn is_long(prompt: &str, completion: &str) -> bool {
    prompt.len() + completion.len() > LONG && prompt.chars().count() + completion.chars().count() > LONG
}

/// Returns the repairs in the order of the legacy tool.
fn order(repair: &RepairKind) -> u8 {
    match repair {
        RepairKind::Lines => 0,
        RepairKind::KeyCase => 1,
        RepairKind::ExtraKeys => 2,
        RepairKind::AsText => 3,
        RepairKind::BadRows => 4,
        RepairKind::EmptyRows => 5,
        RepairKind::BlankPrompts => 6,
        RepairKind::Labels { .. } => 7,
        RepairKind::Contradictions => 8,
        RepairKind::Duplicates => 9,
        RepairKind::LongRows => 10,
        RepairKind::OverLimit => 11,
        RepairKind::LowerPrompts => 12,
        RepairKind::LowerCompletions => 13,
        RepairKind::PromptSuffix(_) => 14,
        RepairKind::PromptPrefix(_) => 15,
        RepairKind::CompletionPrefix(_) => 16,
        RepairKind::CompletionSuffix(_) => 17,
        RepairKind::LeadingSpace => 18,
    }
}

/// Returns an object with the members that belong there, under the right keys.
pub(super) fn repaired_object(json: &str, rules: Rules) -> String {
    let members = json_spans::members(json, 0);
    let kept = members.iter().filter(|member| !is_extra(member, rules)).map(|member| {
        let key = meant(&member.name).map_or_else(|| json[member.key.clone()].to_owned(), |key| format!("\"{key}\""));
        format!("{key}: {}", json_spans::compact(&json[member.value.clone()]))
    });
    format!("{{{}}}", kept.collect::<Vec<_>>().join(", "))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::record::training::RowForm;

    const RULES: Rules = Rules { form: RowForm::Pairs, local: false, columns: (None, None) };

    fn repaired(repairs: &[RepairKind], prompt: &str, completion: &str) -> (String, String) {
        let row = Row::Pair { prompt: prompt.into(), completion: completion.into() };
        let repairer = Repairer::new(repairs, TokenCounter::new("ada", false), RULES);
        match repairer.repair(ParsedRow { row: Some(row), ..ParsedRow::default() }) {
            RepairedRow::Row { prompt, completion, .. } => (prompt, completion),
            other => (format!("{other:?}"), String::new()),
        }
    }

    fn all() -> Vec<RepairKind> {
        vec![
            RepairKind::LeadingSpace,
            RepairKind::CompletionSuffix(" END".into()),
            RepairKind::CompletionPrefix("Answer: ".into()),
            RepairKind::PromptPrefix("Question number".into()),
            RepairKind::PromptSuffix(" ->".into()),
            RepairKind::LowerCompletions,
            RepairKind::LowerPrompts,
        ]
    }

    #[test]
    fn repairs_are_done_in_the_order_of_the_legacy_tool() {
        let done = repaired(&all(), "Question number One", "Answer: YES");
        assert_eq!(done, (" one ->".to_owned(), " yes END".to_owned()));
        let done = repaired(&[RepairKind::CompletionPrefix(" Answer:".into())], "", " Answer:no");
        assert_eq!(done.1, " no");
        let done = repaired(&[RepairKind::CompletionPrefix(" Answer:".into())], "", " Answer: no");
        assert_eq!(done.1, " no");
        assert_eq!(repaired(&[RepairKind::CompletionPrefix("same".into())], "", "same").0, "Dropped");
    }

    #[test]
    fn no_white_space_is_left_before_an_added_ending() {
        let repairs = [RepairKind::PromptSuffix("\n\n###\n\n".into()), RepairKind::CompletionSuffix(".".into())];
        let pair = |prompt: &str, completion: &str| (prompt.to_owned(), completion.to_owned());
        assert_eq!(repaired(&repairs, "film \n", " good\n"), pair("film\n\n###\n\n", " good."));
        assert_eq!(repaired(&repairs, "film\n\n###\n", " good. "), pair("film\n\n###\n\n", " good."));
        assert_eq!(repaired(&repairs, "film \n\n###\n", " good . "), pair("film\n\n###\n\n", " good."));
        let line = [RepairKind::PromptSuffix(" ->".into()), RepairKind::CompletionSuffix("\n".into())];
        assert_eq!(repaired(&line, "film -> ", " bad "), pair("film ->", " bad\n"));
        assert_eq!(repaired(&line, "film ->", " bad\n"), pair("film ->", " bad\n"));
    }

    #[test]
    fn an_ending_that_is_there_keeps_its_case() {
        let repairs = [RepairKind::LowerCompletions, RepairKind::CompletionSuffix(" END".into())];
        for (before, after) in [
            (" Berlin END", " berlin END"),
            (" Berlin END\n", " berlin END"),
            (" Berlin", " berlin END"),
            (" Not the end", " not the end END"),
        ] {
            assert_eq!(repaired(&repairs, "", before).1, after);
        }
        assert_eq!(repaired(&repairs[..1], "", " Berlin END").1, " berlin end");
    }

    #[test]
    fn rows_go_that_are_too_long_and_nothing_is_written_that_nobody_accepted() {
        let long = "é".repeat(10_000);
        assert_eq!(repaired(&[RepairKind::LongRows], &long, "x").0, "Dropped");
        assert_eq!(repaired(&[RepairKind::LongRows], &long[2..], "x").1, "x");
        assert_eq!(repaired(&[RepairKind::OverLimit], &" word".repeat(2_048), " word").0, "Dropped");
        // What is added counts as well.
        let (full, end) = (" word".repeat(2_047), RepairKind::PromptSuffix(" ->".into()));
        assert_eq!(repaired(&[RepairKind::OverLimit], &full, " word").1, " word");
        assert_eq!(repaired(&[RepairKind::OverLimit, end], &full, " word").0, "Dropped");
        let repairer = Repairer::new(&[], TokenCounter::new("ada", false), RULES);
        let row = || Some(Row::Pair { prompt: "a".into(), completion: "b".into() });
        let refused = |found| matches!(repairer.repair(found), RepairedRow::Refused(_));
        assert!(refused(ParsedRow { row: row(), faults: RowFaults::KEY_CASE, ..ParsedRow::default() }));
        assert!(refused(ParsedRow { row: row(), faults: RowFaults::EXTRA_KEY, ..ParsedRow::default() }));
        assert!(refused(ParsedRow { row: row(), faults: RowFaults::NOT_TEXT, ..ParsedRow::default() }));
        assert!(refused(ParsedRow { row: row(), faults: RowFaults::EMPTY, ..ParsedRow::default() }));
        assert!(refused(ParsedRow::default()));
    }

    #[test]
    fn an_object_keeps_what_belongs_there() {
        let rules = Rules { form: RowForm::Chats, ..RULES };
        let json = r#"{ "id":1, "Messages" : [ {"role":"user", "content":"a b"} ],"tools":[]}"#;
        assert_eq!(repaired_object(json, rules), r#"{"messages": [{"role":"user","content":"a b"}], "tools": []}"#);
    }

    proptest! {
        #[test]
        fn repairing_twice_changes_nothing_more(prompt in "[A-Za-c :\n]{0,12}", completion in "[A-Za-c ]{1,12}") {
            let repairs: Vec<_> = all().into_iter().filter(|kind| !matches!(kind,
                RepairKind::CompletionPrefix(_) | RepairKind::PromptPrefix(_))).collect();
            let once = repaired(&repairs, &prompt, &completion);
            prop_assert_eq!(repaired(&repairs, &once.0, &once.1), once);
        }
    }
}
