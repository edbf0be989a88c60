//! What a model is trained on: prompts with their completions, or conversations.

use std::io::BufRead;

use serde::Deserialize;

use super::lines::{LineLimits, Lines, column, not_object};
use super::problem::{Fault, Problem};

/// A row of a training file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Example {
    /// Its line, counted from 1.
    pub line: usize,
    /// Its content.
    pub row: Row,
}

/// The two forms of rows. All rows of a file have the same one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Row {
    /// `{"prompt": …, "completion": …}`
    Pair {
        /// May be empty.
        prompt: String,
        /// Not empty.
        completion: String,
    },
    /// `{"messages": […]}`: with at least one message of the assistant that is not empty.
    Chat(Vec<Message>),
}

/// One message of a conversation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// The author.
    pub role: Role,
    /// The text.
    pub content: String,
}

/// The author of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// Instructions to the assistant; today's files also say `developer`.
    #[serde(alias = "developer")]
    System,
    /// The user.
    User,
    /// The model.
    Assistant,
}

/// Reads a training file row by row, in bounded memory; ends after the first fault. An empty file is a fault.
pub fn examples<R: BufRead>(reader: R, limits: LineLimits) -> Examples<R> {
    Examples { lines: Lines::new(reader, limits), form: None, ended: false }
}

/// The rows of a training file.
#[derive(Debug)]
pub struct Examples<R> {
    lines: Lines<R>,
    form: Option<ExampleForm>,
    ended: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ExampleForm {
    Pairs,
    Chats,
}

impl<R: BufRead> Examples<R> {
    fn step(&mut self) -> Result<Option<Example>, Problem> {
        let Some(line) = self.lines.next_line()? else { return Ok(None) };
        let at = line.number;
        let row = row(line.text).map_err(|(column, fault)| Problem::at(at, column, fault))?;
        let form = match row {
            Row::Pair { .. } => ExampleForm::Pairs,
            Row::Chat(_) => ExampleForm::Chats,
        };
        if *self.form.get_or_insert(form) != form {
            let what = match form {
                ExampleForm::Pairs => "row has a prompt and a completion, but the rows before it have messages",
                ExampleForm::Chats => "row has messages, but the rows before it have prompts and completions",
            };
            return Err(Problem::at(at, 1, Fault::Row(what.into())));
        }
        Ok(Some(Example { line: at, row }))
    }
}

impl<R: BufRead> Iterator for Examples<R> {
    type Item = Result<Example, Problem>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.ended {
            return None;
        }
        let step = self.step().transpose();
        self.ended = !matches!(step, Some(Ok(_)));
        step
    }
}

/// A row as it is written. Further keys are ignored.
#[derive(Deserialize)]
struct Written {
    prompt: Option<String>,
    completion: Option<String>,
    messages: Option<Vec<WrittenMessage>>,
}

#[derive(Deserialize)]
struct WrittenMessage {
    role: Role,
    content: Option<MessageContent>,
}

/// A message's content: a text, or its parts.
#[derive(Deserialize)]
#[serde(untagged, expecting = "the content of a message is a string or a list of text parts")]
enum MessageContent {
    Text(String),
    Parts(Vec<ExamplePart>),
}

#[derive(Deserialize)]
struct ExamplePart {
    text: String,
}

fn row(text: &str) -> Result<Row, (usize, Fault)> {
    let refuse = |what: &str| Err((1, Fault::Row(what.to_owned())));
    let written: Written = serde_json::from_str(text).map_err(|why| {
        // serde would also accept a sequence.
        if why.is_data() && text.trim_start().starts_with('{') {
            (column(text, &why), Fault::Row(why.to_string()))
        } else {
            not_object(text, &why)
        }
    })?;
    if !text.trim_start().starts_with('{') {
        let why = "a list instead of an object".to_owned();
        return Err((1, Fault::NotObject { start: text.chars().take(1).collect(), why }));
    }
    match written {
        Written { messages: None, prompt: Some(prompt), completion: Some(completion) } => {
            if completion.is_empty() {
                return refuse("the completion is empty");
            }
            Ok(Row::Pair { prompt, completion })
        }
        Written { messages: Some(messages), prompt: None, completion: None } => {
            let messages: Vec<Message> = messages.into_iter().map(WrittenMessage::read).collect();
            let taught = |message: &Message| message.role == Role::Assistant && !message.content.is_empty();
            if !messages.iter().any(taught) {
                return refuse("no assistant message has any content: there is nothing to learn");
            }
            Ok(Row::Chat(messages))
        }
        Written { messages: Some(_), .. } => refuse("row has messages as well as a prompt or a completion"),
        Written { prompt: None, completion: None, .. } => {
            refuse("missing keys \"prompt\" and \"completion\", or \"messages\"")
        }
        Written { prompt: None, .. } => refuse("missing key \"prompt\""),
        Written { .. } => refuse("missing key \"completion\""),
    }
}

impl WrittenMessage {
    fn read(self) -> Message {
        let content = match self.content {
            None => String::new(),
            Some(MessageContent::Text(text)) => text,
            Some(MessageContent::Parts(parts)) => parts.into_iter().map(|part| part.text).collect(),
        };
        Message { role: self.role, content }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Vec<Example>, Problem> {
        examples(text.as_bytes(), LineLimits::default()).collect()
    }

    fn wrong(text: &str) -> (usize, usize, String) {
        let problem = read(text).expect_err(text);
        (problem.line, problem.column, problem.fault.to_string())
    }

    #[test]
    fn pairs_are_read_and_further_keys_passed_over() {
        let rows =
            read("{\"prompt\":\"\",\"completion\":\" b\",\"n\":[1]}\r\n{\"completion\":\"d\",\"prompt\":\"ç\"}\n");
        let pair = |line, prompt: &str, completion: &str| Example {
            line,
            row: Row::Pair { prompt: prompt.into(), completion: completion.into() },
        };
        assert_eq!(rows.unwrap(), [pair(1, "", " b"), pair(2, "ç", "d")]);
    }

    #[test]
    fn conversations_are_read_with_parts_and_both_names_of_the_system() {
        let text = r#"{"messages":[{"role":"developer","content":"s"},{"role":"user","content":[{"type":"text","text":"u"},{"type":"text","text":"v"}]},{"role":"assistant","content":"a","weight":1}]}"#;
        let [Example { line: 1, row: Row::Chat(messages) }] = &read(text).unwrap()[..] else { panic!() };
        let said: Vec<_> = messages.iter().map(|message| (message.role, message.content.as_str())).collect();
        assert_eq!(said, [(Role::System, "s"), (Role::User, "uv"), (Role::Assistant, "a")]);
    }

    #[test]
    fn the_first_row_that_teaches_nothing_is_named() {
        let good = r#"{"prompt":"a","completion":"b"}"#;
        for (bad, words) in [
            (r#"{"prompt":"a"}"#, "missing key \"completion\""),
            (r#"{"completion":"a"}"#, "missing key \"prompt\""),
            (r#"{"text":"a"}"#, "missing keys \"prompt\" and \"completion\", or \"messages\""),
            (r#"{"prompt":"a","completion":""}"#, "the completion is empty"),
            (r#"{"prompt":"a","completion":5}"#, "invalid type: integer `5`, expected a string"),
            (r#"{"prompt":"a","prompt":"b","completion":"c"}"#, "duplicate field `prompt`"),
            (r#"{"messages":[]}"#, "no assistant message"),
            (r#"{"messages":[{"role":"assistant","content":null}]}"#, "no assistant message"),
            (r#"{"messages":[{"role":"robot","content":"x"}]}"#, "unknown variant `robot`"),
            (r#"{"messages":[{"role":"user","content":5}]}"#, "the content of a message is a string"),
            (r#"{"messages":[{"content":"x"}]}"#, "missing field `role`"),
            (r#"{"messages":[{"role":"assistant","content":"x"}],"prompt":"a"}"#, "as well as a prompt"),
            (r#"{"messages":[{"role":"assistant","content":"x"}]}"#, "the rows before it have prompts"),
            (r#"["a","b",null]"#, "a list instead of an object"),
            ("{", "line contains invalid json: EOF"),
        ] {
            let (line, _, said) = wrong(&format!("{good}\n{bad}\n{good}"));
            assert!(line == 2 && said.contains(words), "{bad}: {said}");
        }
        let (line, column, _) = wrong(r#"{"prompt":"ä","completion":5}"#);
        assert_eq!((line, column), (1, 28));
    }

    #[test]
    fn a_problem_is_told_as_the_interface_tells_it_and_ends_the_reading() {
        let mut rows = examples(&b"{\"prompt\":\"a\"}\n{}"[..], LineLimits::default());
        let problem = rows.next().unwrap().unwrap_err();
        let sentence = "Invalid file format. Example 1 cannot be parsed. Error: missing key \"completion\" (line 1)";
        assert_eq!(problem.sentence(), sentence);
        assert_eq!(rows.next(), None);
        assert_eq!(read("").unwrap_err().sentence(), "Invalid file format. the file contains no examples");
    }
}
