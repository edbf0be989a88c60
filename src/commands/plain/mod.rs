//! `benchtop --plain`: the workbench line by line, for screen readers and terminals that cannot place text. Each line is
//! printed once, and the cursor never moves.

mod check;
mod message;
mod open;

use std::collections::VecDeque;
use std::io::IsTerminal as _;

use serde_json::Map;
use tokio::sync::mpsc::{self, Receiver};

use self::message::{ReadMessage, read_message};
use self::open::Open;
use super::chat::Chat;
use super::complete::Complete;
use super::models::{Models, ModelsArgs};
use super::request::ALL_IDS;
use super::run::Runner;
use super::{Output, Plan, Status, Task, tune};
use crate::component::Session;
use crate::record::Id;
use crate::tabs::chat::exchange::{Continued, Message};
use crate::text::Untrusted;

const HELP: &str = "\
Type a message and press Enter to send it. A line that ends in \\ continues on the next one.
/new             begin a new conversation
/open ID         continue the conversation with this id; `benchtop export --list` shows all
/complete TEXT   have a model continue a text
/moderate TEXT   have a text checked, and list the scores that are not 0
/jobs            list the fine-tunes of the server
/job ID          follow a fine-tune until it has ended: its events as they come, without the single steps
/models          list the models of the server
/model ID        use another model from now on
/help            this list
/quit            quit; Ctrl+D does, too
Ctrl+C stops an answer. It also stops following a fine-tune, which goes on.
Ctrl+C at the prompt ends the session.";

/// What is done next.
#[derive(Debug, PartialEq, Eq)]
enum Line {
    Message(String),
    Complete(String),
    Moderate(String),
    Jobs,
    Job(String),
    Open(Id),
    Model(String),
    New,
    Models,
    Help,
    Quit,
    Wrong(String),
}

impl Line {
    fn read(line: &str) -> Option<Self> {
        let line = line.trim();
        let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let rest = rest.trim();
        let needs = |what: &str| Self::Wrong(format!("{word} needs {what}"));
        Some(match word {
            "" => return None,
            "/new" | "/jobs" | "/models" | "/help" | "/quit" if !rest.is_empty() => {
                Self::Wrong(format!("{word} takes no text: type it on a line of its own"))
            }
            "/new" => Self::New,
            "/models" => Self::Models,
            "/help" => Self::Help,
            "/quit" => Self::Quit,
            "/complete" | "/moderate" if rest.is_empty() => needs("a text"),
            "/complete" => Self::Complete(rest.to_owned()),
            "/moderate" => Self::Moderate(rest.to_owned()),
            "/jobs" => Self::Jobs,
            "/job" if rest.is_empty() => needs("the id of a fine-tune; /jobs lists them"),
            "/job" => Self::Job(rest.to_owned()),
            "/model" if rest.is_empty() => needs("the id of a model"),
            "/model" => Self::Model(rest.to_owned()),
            "/open" => rest
                .parse()
                .map_or_else(|_| needs(&format!("the id of a conversation; {ALL_IDS}")), |id| Self::Open(Id(id))),
            _ if word.starts_with('/') => Self::Wrong(format!("there is no command {word}; /help lists them")),
            _ => Self::Message(line.to_owned()),
        })
    }
}

/// Reads lines and does what they say until the input ends or a signal ends the session. Needs a running tokio runtime.
pub async fn run(plan: Plan, out: &mut Output) -> Status {
    let mut messages = read_messages();
    let mut runner = Runner::new(plan, out);
    let (mut conversation, mut unsent) = (Continued::Nothing, None);
    let greeting = greeting(runner.session());
    say(&mut runner, greeting);
    let status = loop {
        let line = match next_line(&mut messages, &mut runner).await {
            Ok(line) => line,
            Err(status) => break status,
        };
        match line {
            Line::Message(text) => {
                let message = Message {
                    continues: conversation,
                    text,
                    is_typed: true,
                    unsent,
                    files: VecDeque::new(),
                    system: None,
                    fields: Map::new(),
                };
                let mut chat = Chat::of(message);
                say(&mut runner, "Waiting for the answer.");
                let ended = run_generation(&mut runner, &mut chat).await;
                unsent = chat.unsent();
                // Nothing continues with a message that was not sent.
                if let Some(id) = chat.conversation().filter(|_| ended != Status::Usage) {
                    conversation = Continued::Conversation(id);
                }
            }
            Line::Complete(prompt) => {
                run_generation(&mut runner, &mut Complete::of(prompt)).await;
            }
            Line::Moderate(text) => run_task(&mut runner, check::task(text)).await,
            Line::Jobs => run_task(&mut runner, tune::in_sentences()).await,
            Line::Job(id) => run_task(&mut runner, tune::follow(id, "/job")).await,
            Line::Models => run_task(&mut runner, Models::new(ModelsArgs { json: false })).await,
            Line::Open(id) => {
                if runner.run(&mut Open::new(id)).await == Status::Done {
                    conversation = Continued::Conversation(id);
                    say(&mut runner, "The next message continues it.");
                }
            }
            Line::New => {
                conversation = Continued::Nothing;
                say(&mut runner, "The next message begins a new conversation.");
            }
            Line::Model(model) => {
                let model = Untrusted::from(model);
                say(&mut runner, format!("The model is {} from now on.", model.line()));
                // Servers take models that they do not list.
                if runner.lists_models_without(&model) {
                    say(&mut runner, "The server does not list it; /models prints the list.");
                }
                runner.set_model(model);
            }
            Line::Help => HELP.lines().for_each(|line| say(&mut runner, line)),
            Line::Wrong(why) => runner.out.notice(why),
            Line::Quit => break Status::Done,
        }
        if runner.out.is_closed() {
            break Status::Done;
        }
    };
    runner.close(status).await
}

/// Returns what a session begins with: the server and the model.
fn greeting(session: &Session) -> String {
    let (server, model) = (session.profile_name.line(), session.model.line());
    let model = if model.is_empty() { "not chosen yet" } else { &*model };
    format!("benchtop, line by line. Server: {server}. Model: {model}. /help lists the commands.")
}

async fn run_task(runner: &mut Runner<'_>, mut task: impl Task) {
    runner.run(&mut task).await;
}

/// Has a text generated; says so if it was stopped. Returns how it ended.
async fn run_generation(runner: &mut Runner<'_>, task: &mut impl Task) -> Status {
    let ended = runner.run(task).await;
    if ended == Status::Interrupted {
        say(runner, "Stopped.");
    }
    ended
}

/// Prints a line of our own.
fn say(runner: &mut Runner<'_>, words: impl Into<Untrusted>) {
    runner.out.line(&words.into());
    runner.out.flush();
}

/// Returns the next line that says something, or how the session ends: the input has ended, or a signal has come.
async fn next_line(messages: &mut Receiver<ReadMessage>, runner: &mut Runner<'_>) -> Result<Line, Status> {
    // It was meant for what ran before.
    if runner.forget_ctrl_c() {
        return Err(Status::Interrupted);
    }
    loop {
        runner.out.prompt("You: ");
        let read = tokio::select! {
            read = messages.recv() => read.ok_or(Status::Done),
            _ = runner.stopped() => Err(Status::Interrupted),
        };
        if !matches!(read, Ok(ReadMessage::Message(_) | ReadMessage::Wrong(_))) {
            // No Enter has ended the line of the prompt.
            runner.out.prompt("\n");
        }
        match read? {
            ReadMessage::Message(text) => {
                if let Some(line) = Line::read(&text) {
                    return Ok(line);
                }
            }
            ReadMessage::Wrong(why) => runner.out.notice(why),
            ReadMessage::Unfinished => {
                runner.out.notice("not sent: the input ended before Enter was pressed");
                return Err(Status::Done);
            }
        }
    }
}

/// Returns what is read from standard input. Messages are read on a thread of their own, which
/// cannot be interrupted, one ahead of those that are answered.
fn read_messages() -> Receiver<ReadMessage> {
    let (sender, receiver) = mpsc::channel(1);
    let read = move || {
        let mut input = std::io::stdin().lock();
        let is_typed = input.is_terminal();
        let unreadable =
            |why: std::io::Error| Some(ReadMessage::Wrong(format!("standard input cannot be read: {why}")));
        loop {
            let message = read_message(&mut input, is_typed);
            let is_last = message.is_err();
            let Some(message) = message.unwrap_or_else(unreadable) else { break };
            if sender.blocking_send(message).is_err() || is_last {
                break;
            }
        }
    };
    // Without a thread the input is as good as ended.
    let _ = std::thread::Builder::new().name("input".into()).spawn(read);
    receiver
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_messages_or_commands() {
        assert_eq!(Line::read("  "), None);
        assert_eq!(Line::read(" hello there "), Some(Line::Message("hello there".into())));
        assert_eq!(Line::read("/complete Once upon"), Some(Line::Complete("Once upon".into())));
        assert_eq!(Line::read("/moderate two words"), Some(Line::Moderate("two words".into())));
        assert_eq!(Line::read("/open 17"), Some(Line::Open(Id(17))));
        for wrong in ["/open", "/open x", "/complete", "/moderate", "/job", "/model ", "/shout"] {
            assert!(matches!(Line::read(wrong), Some(Line::Wrong(_))), "{wrong}");
        }
        let named = HELP.lines().filter(|line| line.starts_with('/'));
        for mut words in named.map(|line| line.split(' ')) {
            let (name, takes_text) = (words.next().unwrap(), words.next().is_some_and(|word| !word.is_empty()));
            let is_command = |line: &str| !matches!(Line::read(line), Some(Line::Wrong(_) | Line::Message(_)));
            let with_text = format!("{name} 1");
            assert_eq!((is_command(name), is_command(&with_text)), (!takes_text, takes_text), "{name}");
        }
        let said = "/quit takes no text: type it on a line of its own";
        assert_eq!(Line::read("/quit now"), Some(Line::Wrong(said.into())), "nothing that follows is lost");
    }
}
