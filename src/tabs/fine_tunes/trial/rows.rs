//! Rows to try a tuned model with, from the beginning of a job's file: the text that is typed, what the program adds to
//! it, and the answer the file wants.

use std::sync::Arc;

use crate::api::call::{Call, Content, Progress, Reply, Span, Ticket};
use crate::api::chat::ChatMessage;
use crate::component::Cx;
use crate::record::answers::{HeldOut, HeldRow, Source};
use crate::record::work::{Done, Work};
use crate::settings::ProfileId;
use crate::tabs::fine_tunes::evaluation::{common_end, stop_of};
use crate::text::Untrusted;
use crate::tokens::estimate;

/// Bytes of the file that are read: enough rows to choose from, read in a moment.
const LOOK: u64 = 1 << 20;
/// Ends of prompts that are looked for where the rows are too few to show theirs, longest first.
const SEPARATORS: [&str; 5] = ["\n\n###\n\n", "\n\n===\n\n", "\n\n---\n\n", " ->", "->"];

/// A row as it is tried.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct TrialRow {
    /// What is typed: the prompt without the separator, or the last message of the user.
    pub(super) text: Untrusted,
    /// Messages that are sent before it.
    pub(super) before: Vec<ChatMessage>,
    /// The answer that the file wants, without the end that stops it.
    pub(super) wanted: Untrusted,
}

/// The rows that were read.
#[derive(Debug, Default)]
pub(super) struct TrialRows {
    pub(super) rows: Vec<TrialRow>,
    /// Whether they hold messages; else prompts and completions.
    pub(super) chat: bool,
    /// What ends every prompt; empty: nothing does.
    pub(super) separator: String,
    /// What ends every answer.
    pub(super) stop: Option<String>,
    /// Tokens of the longest answer, estimated.
    pub(super) longest: u64,
    /// Whether the file has more rows than were read.
    pub(super) part: bool,
}

impl TrialRows {
    fn of(held: &HeldOut, part: bool) -> Self {
        let prompts = held.rows.iter().map(|row| row.prompt.raw());
        let separator = if held.chat { String::new() } else { separator(prompts) };
        let stop = stop_of(held.rows.iter().map(|row| row.wanted.raw()));
        let longest = held.rows.iter().map(|row| estimate(row.wanted.raw())).max().unwrap_or(0);
        let example = |row: &HeldRow| {
            let wanted = row.wanted.raw();
            let wanted = stop.as_deref().and_then(|stop| wanted.strip_suffix(stop)).unwrap_or(wanted).trim();
            let (text, before) =
                if held.chat { last_message(&row.prompt) } else { (unended(row, &separator), Vec::new()) };
            TrialRow { text, before, wanted: wanted.into() }
        };
        let rows = held.rows.iter().map(example).collect();
        Self { rows, chat: held.chat, separator, stop, longest, part }
    }
}

fn unended(row: &HeldRow, separator: &str) -> Untrusted {
    let prompt = row.prompt.raw();
    prompt.strip_suffix(separator).unwrap_or(prompt).into()
}

/// Returns the user's last message and the messages before it.
fn last_message(prompt: &Untrusted) -> (Untrusted, Vec<ChatMessage>) {
    let mut before: Vec<ChatMessage> = serde_json::from_str(prompt.raw()).unwrap_or_default();
    match before.pop_if(|message| message.role == "user") {
        Some(message) => (message.content, before),
        None => (Untrusted::default(), before),
    }
}

/// Returns what ends all these prompts and is no part of what they say: from its first blank on, so that a question
/// mark that all prompts have stays with them.
fn separator<'a>(prompts: impl Iterator<Item = &'a str> + Clone) -> String {
    // A last line that all prompts have, as in `\nSentiment:`.
    if let Some(common) = common_end(prompts.clone())
        && let Some(at) = common.find('\n').filter(|at| !common[*at..].trim().is_empty())
    {
        return common[at..].to_owned();
    }
    let known = |prompt: &str| SEPARATORS.into_iter().find(|end| prompt.ends_with(end));
    let Some(common) = stop_of(prompts.clone()) else {
        return prompts.into_iter().next().and_then(known).unwrap_or_default().to_owned();
    };
    if let Some(end) = known(&common) {
        return end.to_owned();
    }
    let from = common.find(char::is_whitespace);
    let from = from.or_else(|| common.find(|c: char| !".,;?!)\"'”’".contains(c)));
    from.map_or_else(String::new, |from| common[from..].to_owned())
}

/// The state of reading the rows.
#[derive(Debug, Default)]
pub(super) enum RowReading {
    /// The job names no file.
    #[default]
    None,
    Fetching(Ticket),
    /// The work threads have it; whether the file continues behind it.
    Parsing(Ticket, bool),
    Failed(Untrusted),
    Done(TrialRows),
}

impl RowReading {
    /// Asks for the beginning of a file.
    pub(super) fn begin(profile: ProfileId, file: String, cx: &mut Cx) -> Self {
        let span = Span { id: file, from: 0, most: LOOK };
        Self::Fetching(cx.call_to(profile, Call::Content(Box::new(span))))
    }

    pub(super) fn is_waiting(&self) -> bool {
        matches!(self, Self::Fetching(_) | Self::Parsing(..))
    }

    /// Stops the call that is under way, if one is.
    pub(super) fn stop(&mut self, cx: &mut Cx) {
        if let Self::Fetching(ticket) = self {
            cx.cancel(*ticket);
            *self = Self::Failed("loading it was stopped".into());
        }
    }

    /// Takes a part of a call. Returns whether the call was its own.
    pub(super) fn handle_progress(&mut self, ticket: Ticket, progress: &Progress, cx: &mut Cx) -> bool {
        if !matches!(self, Self::Fetching(own) if *own == ticket) {
            return false;
        }
        match progress {
            Progress::Reply(Reply::Content(content)) => {
                let (bytes, part) = whole_lines(content);
                *self = Self::Parsing(cx.work(Work::Examples(Source::Bytes(Arc::from(bytes)))), part);
                cx.cancel(ticket);
            }
            Progress::Closed(Err(why)) => *self = Self::Failed(why.sentence.clone()),
            Progress::Closed(Ok(())) => *self = Self::Failed("the server sent no content".into()),
            _ => {}
        }
        true
    }

    /// Takes a result of the work threads. Returns whether it had ordered it.
    pub(super) fn handle_worked(&mut self, ticket: Ticket, done: &Done) -> bool {
        let part = match self {
            Self::Parsing(own, part) if *own == ticket => *part,
            _ => return false,
        };
        match done {
            Done::Moved { .. } => {}
            Done::Examples(held) if held.rows.is_empty() && part => {
                *self = Self::Failed("its first row is too long to show here".into());
            }
            Done::Examples(held) => *self = Self::Done(TrialRows::of(held, part)),
            Done::Failed(why) => *self = Self::Failed(why.clone()),
            _ => *self = Self::Failed("it has no rows that can be tried".into()),
        }
        true
    }
}

/// Returns the lines that are there to their ends, and whether the file has more.
fn whole_lines(content: &Content) -> (&[u8], bool) {
    let bytes = content.bytes.as_slice();
    if content.total.is_some_and(|total| total <= bytes.len() as u64) || (bytes.len() as u64) < LOOK {
        return (bytes, false);
    }
    let end = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
    (&bytes[..end], true)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(prompts: &[&str]) -> String {
        separator(prompts.iter().copied())
    }

    #[test]
    fn the_separator_is_what_ends_all_prompts_and_nothing_that_they_say() {
        assert_eq!(of(&["Late again ->", "Broken ->"]), " ->");
        assert_eq!(of(&["What is 1? ->", "What is 2? ->"]), " ->");
        assert_eq!(of(&["a\n\n###\n\n", "b\n\n###\n\n"]), "\n\n###\n\n");
        assert_eq!(of(&["Where?", "When?"]), "");
        assert_eq!(of(&["a?=>", "b?=>"]), "=>");
        assert_eq!(of(&["Good\nSentiment:", "Bad\nSentiment:"]), "\nSentiment:", "a last line that all have");
        assert_eq!(of(&["only one ->"]), " ->", "a single row has a separator that is usual");
        assert_eq!(of(&["only one"]), "");
        assert_eq!(of(&[]), "");
    }

    #[test]
    fn the_last_message_of_the_user_is_typed_and_the_others_are_sent_before_it() {
        let row = HeldRow {
            line: 1,
            prompt: r#"[{"role":"system","content":"Be kind."},{"role":"user","content":"Late?"}]"#.into(),
            wanted: "delivery".into(),
        };
        let held = HeldOut { rows: vec![row], chat: true, key: None };
        let examples = TrialRows::of(&held, false);
        assert_eq!(examples.rows[0].text, *"Late?");
        assert_eq!(examples.rows[0].before[0].role, "system");
        assert_eq!(examples.separator, "");
    }
}
