//! The question whether a tool's program is run, with its exact words, and the wait for its end.

use std::sync::LazyLock;
use std::time::Instant;

use crossterm::event::KeyEvent;
use ratatui::Frame;
use ratatui::layout::Rect;

use super::dialogs::DialogAnswer;
use super::open_call::OpenCall;
use crate::api::call::Ticket;
use crate::component::{
    Bindings, Component, Cx, Effect, Handled, Hint, Notice, RenderContext, Response, Session, Step, THIS_DIALOG, bind,
};
use crate::record::ToolCommand;
use crate::record::work::{Done, Work};
use crate::text::Untrusted;
use crate::ui::key_table::{KeyContext, KeyPlace, ListedKeys};
use crate::ui::overlay::{Answer, Confirm};
use crate::ui::rule::cut;

/// Columns of the command's input that are shown; the call shows it whole.
const INPUT: usize = 100;

/// What the dialog has keys for while the command runs, besides those of its question.
static RUNNING: LazyLock<Bindings<(), ()>> = LazyLock::new(|| {
    Bindings::new(
        KeyContext::new("chat.tool-command").used_in(KeyPlace::Dialog),
        vec![bind("esc", (), STOP, "").named(&["stop"])],
    )
});
/// What Esc does then.
const STOP: &str = "stop the command";

/// Asks, runs, waits.
#[derive(Debug)]
pub(super) struct ToolCommandDialog {
    call: OpenCall,
    command: ToolCommand,
    question: Confirm,
    /// Whether every word of the command is on the screen.
    is_whole: bool,
    /// The program that runs.
    running: Option<Ticket>,
}

impl ToolCommandDialog {
    pub(super) fn new(call: OpenCall, command: ToolCommand) -> Self {
        let limit = command.limit.as_secs();
        let lines = vec![
            Untrusted::from(shell_words::join(&command.words)),
            "".into(),
            format!("No shell reads it; it has {limit} s. You see the result before it is sent.").into(),
            format!("Its input: {}", cut(&Untrusted::from(command.input.as_str()).line(), INPUT)).into(),
        ];
        let question = Confirm::new(format!("Run this for {}?", call.name.line()), lines, "Run");
        Self { call, command, question, is_whole: false, running: None }
    }

    fn run(&mut self, cx: &mut Cx) {
        if !self.is_whole {
            let said = "the command is longer than the screen shows; enlarge the window, or write the result yourself";
            return cx.notify(Notice::warn(said));
        }
        self.running = Some(cx.work(Work::Tool(self.command.clone())));
        let words = shell_words::join(&self.command.words);
        let lines = vec![Untrusted::from(words), "".into(), "Its result appears in the message box.".into()];
        self.question = Confirm::new("The command is running", lines, "Stop").otherwise("Wait");
    }

    fn stop(ticket: Ticket, cx: &mut Cx) -> Handled<Step<DialogAnswer>> {
        cx.push(Effect::Cancel(ticket));
        cx.notify(Notice::warn("the command was stopped"));
        Handled::close()
    }

    fn ended(&mut self, done: &Done, cx: &mut Cx) -> Handled<Step<DialogAnswer>> {
        let text = match done {
            Done::ToolOutput(output) => {
                if let Some(why) = &output.failure {
                    cx.notify(Notice::warn(format!("{why}; what it printed is in the message box")));
                }
                output.text.clone()
            }
            Done::Failed(why) => {
                cx.notify(Notice::error(why.clone()));
                return Handled::close();
            }
            _ => return Handled::Consumed,
        };
        Handled::answer(DialogAnswer::ResultText(Box::new(self.call.clone()), text))
    }
}

impl Component<Step<DialogAnswer>> for ToolCommandDialog {
    fn key(&mut self, key: KeyEvent, cx: &mut Cx) -> Handled<Step<DialogAnswer>> {
        match self.running {
            // Esc stops; it does not only take the answer `Wait`, which changes nothing.
            Some(ticket) => {
                if RUNNING.find(&key).is_some() || self.question.key(key) == Answer::Chosen {
                    return Self::stop(ticket, cx);
                }
            }
            None => match self.question.key(key) {
                Answer::Open => {}
                Answer::Cancelled => return Handled::close(),
                Answer::Chosen => self.run(cx),
            },
        }
        Handled::Consumed
    }

    fn reply(&mut self, ticket: Ticket, response: &mut Response, cx: &mut Cx) -> Handled<Step<DialogAnswer>> {
        if self.running != Some(ticket) {
            return Handled::Ignored;
        }
        match response.take() {
            Response::Work(done) => self.ended(&done, cx),
            _ => Handled::Consumed,
        }
    }

    fn hints(&self) -> Vec<Hint> {
        Hint::of_question(&self.question)
    }

    fn help(&self) -> Vec<(&'static str, Vec<Hint>)> {
        vec![(THIS_DIALOG, Hint::help_of_question(&self.question))]
    }

    fn escape(&self) -> Option<&'static str> {
        Some(if self.running.is_some() { STOP } else { "cancel" })
    }

    fn typing(&self) -> bool {
        true
    }

    fn arrange(&mut self, area: Rect, _session: &Session, _now: Instant) {
        self.is_whole = self.question.shows_first_line(area);
    }

    fn render(&self, frame: &mut Frame, area: Rect, context: RenderContext) {
        self.question.render(frame, area, context.theme);
    }
}

/// Returns its tables of keys, for the list of all keys.
pub(crate) fn listed_keys() -> Vec<ListedKeys> {
    vec![RUNNING.listed()]
}
