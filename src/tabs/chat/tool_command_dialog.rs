//! The question whether a tool's program is run, with its exact words, and the wait for its end.

use crossterm::event::{KeyCode, KeyEvent};
use ratatui::Frame;
use ratatui::layout::Rect;

use super::open_call::OpenCall;
use super::state::DialogAnswer;
use crate::api::call::Ticket;
use crate::component::{Component, Cx, Effect, Handled, Hint, Notice, RenderContext, Response, Step};
use crate::record::ToolCommand;
use crate::record::work::{Done, Work};
use crate::text::Untrusted;
use crate::ui::overlay::{Answer, Confirm};

/// Asks, runs, waits.
#[derive(Debug)]
pub(super) struct ToolCommandDialog {
    call: OpenCall,
    command: ToolCommand,
    question: Confirm,
    /// The program that runs.
    running: Option<Ticket>,
}

impl ToolCommandDialog {
    pub(super) fn new(call: OpenCall, command: ToolCommand) -> Self {
        let lines = vec![
            Untrusted::from(shell_words::join(&command.words)),
            "".into(),
            format!("Its input: {}", command.input).into(),
            format!(
                "No shell reads it. It has {} s, and none of the environment's keys. You see the result before it is sent.",
                command.limit.as_secs()
            )
            .into(),
        ];
        let question = Confirm::new(format!("Run this for {}?", call.name.line()), lines, "Run");
        Self { call, command, question, running: None }
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
        Handled::answer(DialogAnswer::CommandResult(Box::new(self.call.clone()), text))
    }
}

impl Component<Step<DialogAnswer>> for ToolCommandDialog {
    fn key(&mut self, key: KeyEvent, cx: &mut Cx) -> Handled<Step<DialogAnswer>> {
        if let Some(ticket) = self.running {
            if key.code != KeyCode::Esc {
                return Handled::Consumed;
            }
            cx.push(Effect::Cancel(ticket));
            cx.notify(Notice::warn("the command was stopped"));
            return Handled::close();
        }
        match self.question.key(key) {
            Answer::Open => {}
            Answer::Cancelled => return Handled::close(),
            Answer::Chosen => {
                self.running = Some(cx.work(Work::Tool(self.command.clone())));
                let words = shell_words::join(&self.command.words);
                let lines = vec![Untrusted::from(words), "".into(), "Running…".into()];
                self.question = Confirm::new("A command is running", lines, "Running").otherwise("esc stops it");
            }
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
        if self.running.is_some() { Vec::new() } else { vec![Hint::new("tab", "move"), Hint::new("⏎", "choose")] }
    }

    fn escape(&self) -> Option<&'static str> {
        Some(if self.running.is_some() { "stop the command" } else { "cancel" })
    }

    fn typing(&self) -> bool {
        true
    }

    fn render(&self, frame: &mut Frame, area: Rect, context: RenderContext) {
        self.question.render(frame, area, context.theme);
    }
}
