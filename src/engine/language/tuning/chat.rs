//! A conversation as the text that a tuned model reads.

use super::Example;

/// A conversation of `(role, text)` as text that ends where the answer begins: each message is its role, a colon, a line
/// break, its text and an empty line; then `assistant:` and a line break.
pub(in super::super) fn render(messages: &[(String, String)]) -> String {
    let mut text: String =
        messages.iter().flat_map(|(role, text)| [role.as_str(), ":\n", text.as_str(), "\n\n"]).collect();
    text.push_str("assistant:\n");
    text
}

/// The example that a conversation teaches: its last message, which must be the assistant's, follows all before it.
/// `None` for a conversation that does not end with the assistant.
pub fn chat_example(messages: &[(String, String)]) -> Option<Example> {
    let ((role, completion), before) = messages.split_last()?;
    (role == "assistant").then(|| Example { prompt: render(before), completion: completion.clone() })
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
}
