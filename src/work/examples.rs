//! Rows to score models with: a small training file, read as a whole.

use std::fmt::Write as _;
use std::fs::File;
use std::io::{BufRead, BufReader};

use super::save::expand;
use crate::dataset::{LineLimits, Message, Role, Row, examples};
use crate::record::TextKey;
use crate::record::answers::{HeldOut, HeldRow, Source};
use crate::record::work::Done;
use crate::text::Untrusted;

/// Rows and bytes of such a file.
const LIMITS: LineLimits = LineLimits { line: 4 << 20, rows: 100_000, bytes: 64 << 20 };

/// Reads the rows.
pub(super) fn read(source: &Source) -> Done {
    let rows = match source {
        Source::Bytes(bytes) => rows(&bytes[..], "the stored file"),
        Source::Path(path) => expand(path).and_then(|path| {
            let name = path.display().to_string();
            let why = |why: std::io::Error| format!("cannot read {name}: {why}");
            // Checked before opening: opening a pipe would wait for a writer.
            if !path.metadata().map_err(why)?.is_file() {
                return Err(format!("{name} is not a regular file"));
            }
            rows(BufReader::new(File::open(&path).map_err(why)?), &name)
        }),
    };
    rows.map_or_else(|why| Done::Failed(why.into()), |rows| Done::Examples(Box::new(rows)))
}

fn rows(reader: impl BufRead, name: &str) -> Result<HeldOut, String> {
    let mut held = HeldOut::default();
    let mut names = String::new();
    for example in examples(reader, LIMITS) {
        let example =
            example.map_err(|problem| format!("{name}: {}; check and repair it in Files", problem.sentence()))?;
        let line = example.line as u64;
        let (prompt, wanted) = match example.row {
            Row::Pair { prompt, completion } => (prompt, completion),
            Row::Chat(messages) => {
                held.chat = true;
                asked(messages)
                    .ok_or_else(|| format!("{name}, line {line}: the last message is not the assistant's"))?
            }
        };
        for part in [&prompt, &wanted] {
            // Each part with its length and name, so that different rows never give the same key.
            let _ = write!(names, "{} {:?} ", part.len(), TextKey::of(&part.as_str().into()).0);
        }
        held.rows.push(HeldRow { line, prompt: prompt.into(), wanted: wanted.into() });
    }
    held.key = Some(TextKey::of(&Untrusted::from(names)));
    Ok(held)
}

/// Returns all messages before the last answer, as JSON, and that answer; `None`: the last message is no answer.
fn asked(mut messages: Vec<Message>) -> Option<(String, String)> {
    let last = messages.pop().filter(|last| last.role == Role::Assistant && !last.content.is_empty())?;
    let said = |message: &Message| {
        let role = match message.role {
            Role::System => "system",
            Role::User => "user",
            Role::Assistant => "assistant",
        };
        serde_json::json!({ "role": role, "content": message.content })
    };
    let before: Vec<_> = messages.iter().map(said).collect();
    Some((serde_json::Value::from(before).to_string(), last.content))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_bytes(text: &str) -> Done {
        read(&Source::Bytes(text.as_bytes().into()))
    }

    #[test]
    fn prompts_and_messages_are_read_with_what_is_wanted() {
        let Done::Examples(pairs) = read_bytes("{\"prompt\":\"a ->\",\"completion\":\" b\\n\"}\n") else { panic!() };
        let row = HeldRow { line: 1, prompt: "a ->".into(), wanted: " b\n".into() };
        assert_eq!((&pairs.rows[..], pairs.chat), (&[row][..], false));
        let chat = r#"{"messages":[{"role":"system","content":"s"},{"role":"user","content":"é\n"},{"role":"assistant","content":"A"}]}"#;
        let Done::Examples(chats) = read_bytes(chat) else { panic!() };
        assert!(chats.chat);
        let said: serde_json::Value = serde_json::from_str(&chats.rows[0].prompt.line()).unwrap();
        assert_eq!(said[1]["content"], "é\n");
        assert_eq!(chats.rows[0].wanted, "A");
        let Done::Examples(again) = read_bytes(chat) else { panic!() };
        assert!(again.key == chats.key && again.key != pairs.key);
    }

    #[test]
    fn a_row_that_cannot_be_scored_is_named() {
        for (text, words) in [
            ("{\"prompt\":\"a\"}\n", "missing key"),
            ("", "no examples"),
            (
                r#"{"messages":[{"role":"assistant","content":"A"},{"role":"user","content":"b"}]}"#,
                "line 1: the last message is not the assistant's",
            ),
        ] {
            let Done::Failed(why) = read_bytes(text) else { panic!("{text}") };
            assert!(why.line().contains(words), "{why:?}");
        }
        let Done::Failed(why) = read(&Source::Path("/".into())) else { panic!() };
        assert!(why.line().contains("not a regular file"), "{why:?}");
    }
}
