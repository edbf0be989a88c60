//! A conversation as the text that a fine-tuned model reads: in the form of its training examples.

use super::plan::Example;

/// Renders a conversation of `(role, text)` as text that ends where the answer begins: each message is its role, a
/// colon, a line break, its text and an empty line; then `assistant:` and a line break.
pub(crate) fn render(messages: &[(String, String)]) -> String {
    let mut text: String =
        messages.iter().flat_map(|(role, text)| [role.as_str(), ":\n", text.as_str(), "\n\n"]).collect();
    text.push_str("assistant:\n");
    text
}

/// Returns the training example of a conversation: its last message, which must be the assistant's, follows all before
/// it. `None` for a conversation that does not end with the assistant.
pub fn chat_example(messages: &[(String, String)]) -> Option<Example> {
    let ((role, completion), before) = messages.split_last()?;
    (role == "assistant").then(|| Example { prompt: render(before), completion: completion.clone() })
}

/// The form of the prompts that a model was trained on, and so of what it reads in a chat.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) enum Form {
    /// Conversations, as [`render`] writes them.
    #[default]
    Talk,
    /// Prompts that all begin and end alike: `Q: `…`\nA:`, …` ->`. The last message of the user is put between these.
    Framed {
        /// Their common beginning; may be empty.
        before: String,
        /// Their common end; may be empty.
        after: String,
    },
}

/// Bytes of what prompts begin or end with, at most.
const LONGEST: usize = 64;

impl Form {
    /// Determines the common form of all these prompts.
    pub(super) fn of(training: &[Example]) -> Self {
        let mut prompts = training.iter().map(|example| example.prompt.as_str());
        let Some(first) = prompts.next() else { return Self::Talk };
        let (mut before, mut after) = (first, first);
        for prompt in prompts {
            let same = before.chars().zip(prompt.chars()).take_while(|(a, b)| a == b);
            before = &before[..same.map(|(c, _)| c.len_utf8()).sum()];
            let same = after.chars().rev().zip(prompt.chars().rev()).take_while(|(a, b)| a == b);
            after = &after[after.len() - same.map(|(c, _)| c.len_utf8()).sum::<usize>()..];
        }
        if after.ends_with("assistant:\n") {
            return Self::Talk;
        }
        // Words that are alike by chance belong to the prompts: a frame begins and ends at a mark.
        let mark = |c: char| matches!(c, ':' | '\n' | '>' | '#');
        let before = before.rfind(mark).map_or("", |at| &before[..=at]);
        let after = after.trim_start_matches(char::is_alphanumeric);
        let short = |text: &str| if text.len() <= LONGEST { text.to_owned() } else { String::new() };
        // All prompts are equal, or there is one: the frame cannot be determined.
        if before.len() + after.len() >= first.len() {
            return Self::Framed { before: String::new(), after: String::new() };
        }
        let space = if first[before.len()..].starts_with(' ') && !before.is_empty() { " " } else { "" };
        Self::Framed { before: short(before) + space, after: short(after) }
    }

    /// Returns what is asked in a prompt of this form: the text between its frame; of a conversation, the user's last
    /// message.
    pub(crate) fn asked<'a>(&self, prompt: &'a str) -> &'a str {
        match self {
            Self::Talk => {
                let end = prompt.strip_suffix("assistant:\n").unwrap_or(prompt);
                end.rfind("user:\n").map_or(prompt, |at| end[at + "user:\n".len()..].trim())
            }
            Self::Framed { before, after } => {
                let rest = prompt.strip_prefix(before.as_str()).unwrap_or(prompt);
                // A question mark that ends every prompt belongs to what is asked.
                let after = after.trim_start_matches(['?', '!', '.']);
                rest.strip_suffix(after).unwrap_or(rest)
            }
        }
    }

    /// Renders a conversation as a model of this form reads it.
    pub(crate) fn read(&self, messages: &[(String, String)]) -> String {
        let Self::Framed { before, after } = self else { return render(messages) };
        let asked = messages.iter().rev().find(|(role, _)| role == "user").or(messages.last());
        let asked = asked.map_or("", |(_, text)| text.as_str());
        let asked = if after.is_empty() { asked } else { asked.trim_end() };
        let before = if asked.starts_with(before.trim_end()) { "" } else { before };
        // The sender may have typed a part, or all, of ` ->` and the like.
        let ends = |end: &usize| after.get(..*end).is_some_and(|begun| asked.ends_with(begun));
        let written = (0..=after.len()).rev().find(ends).unwrap_or(0);
        [before, asked, &after[written..]].concat()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(role: &str, text: &str) -> (String, String) {
        (role.to_owned(), text.to_owned())
    }

    #[test]
    fn the_last_answer_is_learned_from_all_before_it() {
        let talk = [said("system", "Be kind."), said("user", "Hi"), said("assistant", "Hello!")];
        let example = chat_example(&talk).expect("ends with the assistant");
        assert_eq!(example.prompt, "system:\nBe kind.\n\nuser:\nHi\n\nassistant:\n");
        assert_eq!(example.completion, "Hello!");
        assert_eq!(example.prompt, render(&talk[..2]));
        assert_eq!(chat_example(&talk[..2]), None);
        assert_eq!(chat_example(&[]), None);
    }

    fn form(prompts: &[&str]) -> Form {
        let example = |prompt: &&str| Example { prompt: (*prompt).to_owned(), completion: String::new() };
        Form::of(&prompts.iter().map(example).collect::<Vec<_>>())
    }

    #[test]
    fn a_chat_is_read_in_the_form_of_the_prompts() {
        let moods = form(&["It broke ->", "I love it ->", "Fine so far ->"]);
        assert_eq!(moods, Form::Framed { before: String::new(), after: " ->".into() });
        let ask =
            |form: &Form, text: &str| form.read(&[said("user", "Hi"), said("assistant", "x"), said("user", text)]);
        for text in ["It broke", "It broke ", "It broke ->", "It broke -> "] {
            assert_eq!(ask(&moods, text), "It broke ->", "{text:?}");
        }
        let town = form(&["Q: When does it leave?\nA:", "Q: Who is it?\nA:"]);
        assert_eq!(town, Form::Framed { before: "Q: ".into(), after: "?\nA:".into() });
        for text in ["Who is it", "Who is it?", "Q: Who is it?", "Q: Who is it?\nA:"] {
            assert_eq!(ask(&town, text), "Q: Who is it?\nA:", "{text:?}");
        }
        let plain = form(&["The cat sat", "The cart stood"]);
        assert_eq!(ask(&plain, " as it is "), " as it is ");
        assert_eq!(ask(&form(&["One"]), "Two"), "Two");
        assert_eq!(form(&[]).read(&[]), "assistant:\n");
        let talk = form(&["user:\nHi\n\nassistant:\n", "user:\nHo\n\nassistant:\n"]);
        assert_eq!(
            (talk.clone(), ask(&talk, "Ha")),
            (Form::Talk, render(&[said("user", "Hi"), said("assistant", "x"), said("user", "Ha")]))
        );
    }
}
