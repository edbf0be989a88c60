//! Converts marked turns into training rows.

use serde_json::{Value, json};

/// Text of one row at most: no model learns from more.
const ROW: usize = 1 << 20;
/// Text of a file at most.
pub(crate) const FILE: usize = 64 << 20;
/// Ends of prompts, the first that fits is taken.
const SEPARATORS: [&str; 6] = [" ->", "\n\n###\n\n", "\n\n===\n\n", "\n\n---\n\n", "\n\n===>\n\n", "\n\n--->\n\n"];
/// Where none fits.
const SEPARATOR: &str = "\n\n### =>\n\n";
/// Ends of completions, the first that fits is taken.
const STOPS: [&str; 9] = ["\n", ".", " END", "***", "+++", "&&&", "$$$", "@@@", "%%%"];
/// Where none fits.
const STOP: &str = " [END]";

/// Form of the rows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum TrainingForm {
    /// `messages`: the branch up to the answer.
    #[default]
    Chats,
    /// `prompt` and `completion`: the message answered alone.
    Pairs,
}

impl TrainingForm {
    /// Returns what a row of this form holds.
    pub(super) fn description(self) -> &'static str {
        match self {
            Self::Chats => "messages: all up to the answer",
            Self::Pairs => "prompt and completion: the question and its answer",
        }
    }
}

/// A marked answer and all that was said before it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct MarkedExample<'a> {
    pub(crate) system: &'a str,
    /// Who says what, the first first; the answer itself is not among them.
    pub(crate) before: Vec<(&'a str, &'a str)>,
    /// Who gave the answer.
    pub(crate) role: &'a str,
    /// What the answer should be.
    pub(crate) ideal: &'a str,
}

/// Rows as they come together.
#[derive(Clone, Debug, Default)]
pub(crate) struct TrainingRows {
    form: TrainingForm,
    /// Rows of messages, each a line.
    lines: String,
    /// Rows of prompts and completions, without the ends they are to have.
    pairs: Vec<(String, String)>,
    bytes: usize,
    pub(crate) count: u64,
    /// Rows of which earlier messages are left out.
    pub(crate) cut: u64,
}

impl TrainingRows {
    pub(crate) fn new(form: TrainingForm) -> Self {
        Self { form, ..Self::default() }
    }

    /// Adds a row; why it cannot be one.
    pub(crate) fn add(&mut self, said: &MarkedExample) -> Result<(), &'static str> {
        let MarkedExample { system, before, role, ideal } = said;
        if *role != "assistant" {
            return Err("it is not an assistant's answer");
        }
        if ideal.trim().is_empty() {
            return Err("the answer is empty");
        }
        let asked = before.iter().rfind(|(role, text)| *role == "user" && !text.trim().is_empty());
        let Some((_, asked)) = asked else { return Err("no prompt comes before it") };
        if let Some((role, _)) = before.iter().find(|(role, _)| !["system", "user", "assistant"].contains(role)) {
            return Err(if *role == "tool" || *role == "function" {
                "a tool message comes before it, which training rows cannot contain"
            } else {
                "a message before it is neither system, user nor assistant"
            });
        }
        let bytes = match self.form {
            TrainingForm::Chats => {
                system.len() + ideal.len() + before.iter().map(|(_, text)| text.len()).sum::<usize>()
            }
            TrainingForm::Pairs => asked.len() + ideal.len(),
        };
        if bytes > ROW {
            return Err("it is longer than 1 MB, too long to train on");
        }
        if self.bytes + bytes > FILE {
            return Err("the file would be larger than 64 MB; export fewer at a time (/ finds some)");
        }
        self.bytes += bytes;
        self.count += 1;
        match self.form {
            TrainingForm::Chats => {
                let mut messages: Vec<Value> = Vec::new();
                let said = |role: &str, text: &str| json!({ "role": role, "content": text });
                if !system.is_empty() {
                    messages.push(said("system", system));
                }
                messages
                    .extend(before.iter().filter(|(_, text)| !text.is_empty()).map(|(role, text)| said(role, text)));
                messages.push(said("assistant", ideal));
                self.lines.push_str(&json!({ "messages": messages }).to_string());
                self.lines.push('\n');
            }
            TrainingForm::Pairs => {
                self.cut += u64::from(before.len() > 1 || !system.is_empty());
                self.pairs.push(((*asked).to_owned(), (*ideal).to_owned()));
            }
        }
        Ok(())
    }

    /// Returns all rows, as the file has them.
    pub(crate) fn text(self) -> String {
        if self.form == TrainingForm::Chats {
            return self.lines;
        }
        let fits = |separator: &&&str| {
            let lines = **separator != " ->" || !self.pairs.iter().any(|(prompt, _)| prompt.contains('\n'));
            lines && !self.pairs.iter().any(|(prompt, _)| prompt.contains(**separator))
        };
        let separator = SEPARATORS.iter().find(fits).copied().unwrap_or(SEPARATOR);
        let free = |stop: &&&str| !self.pairs.iter().any(|(_, ideal)| ideal.trim().contains(**stop));
        let stop = STOPS.iter().find(free).copied().unwrap_or(STOP);
        let mut text = String::new();
        for (prompt, ideal) in &self.pairs {
            let row = json!({
                "prompt": format!("{prompt}{separator}"),
                "completion": format!(" {}{stop}", ideal.trim()),
            });
            text.push_str(&row.to_string());
            text.push('\n');
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said<'a>(before: &[(&'a str, &'a str)], ideal: &'a str) -> MarkedExample<'a> {
        MarkedExample { system: "", before: before.to_vec(), role: "assistant", ideal }
    }

    #[test]
    fn a_branch_becomes_messages_and_its_last_question_a_prompt() {
        let before = [("user", "one"), ("assistant", "1"), ("user", "t\"wo\u{1b}")];
        let said = MarkedExample { system: "be brief", ..said(&before, "2\n") };
        let mut chats = TrainingRows::new(TrainingForm::Chats);
        chats.add(&said).unwrap();
        let row: Value = serde_json::from_str(chats.text().trim()).unwrap();
        let roles: Vec<&str> =
            row["messages"].as_array().unwrap().iter().map(|m| m["role"].as_str().unwrap()).collect();
        assert_eq!(roles, ["system", "user", "assistant", "user", "assistant"]);
        assert_eq!(row["messages"][4]["content"], "2\n", "byte for byte");
        let mut pairs = TrainingRows::new(TrainingForm::Pairs);
        pairs.add(&said).unwrap();
        assert_eq!(pairs.cut, 1);
        let row: Value = serde_json::from_str(&pairs.text()).unwrap();
        assert_eq!((&row["prompt"], &row["completion"]), (&"t\"wo\u{1b} ->".into(), &" 2\n".into()));
    }

    #[test]
    fn ends_are_those_that_no_row_holds() {
        let mut rows = TrainingRows::new(TrainingForm::Pairs);
        rows.add(&said(&[("user", "a\nb")], "one. two\nthree")).unwrap();
        rows.add(&said(&[("user", "### c")], "x END")).unwrap();
        let text = rows.text();
        let row: Value = serde_json::from_str(text.lines().next().unwrap()).unwrap();
        assert_eq!(row["prompt"], "a\nb\n\n###\n\n");
        assert_eq!(row["completion"], " one. two\nthree***");
    }

    #[test]
    fn what_is_no_row_is_named() {
        let mut rows = TrainingRows::new(TrainingForm::Chats);
        for (said, words) in [
            (MarkedExample { role: "user", ..said(&[("user", "a")], "b") }, "not an assistant's answer"),
            (said(&[("user", "a")], " \n"), "is empty"),
            (said(&[], "b"), "no prompt"),
            (said(&[("user", "a"), ("tool", "t")], "b"), "a tool message"),
            (said(&[("user", &"a".repeat(ROW))], "b"), "longer than 1 MB"),
        ] {
            assert!(rows.add(&said).unwrap_err().contains(words), "{words}");
        }
        assert_eq!(rows.count, 0);
    }
}
