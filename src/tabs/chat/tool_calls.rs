//! Calls of tools: which wait for a result, what is wrong with their arguments, and where a result comes from. A result
//! is written in the message box, so it can be changed before it is sent; it is sent with the key that sends a message.

use std::collections::HashSet;

use super::conversation::OpenConversation;
use super::open_call::{OpenCall, ResultSource, calls, result_of};
use super::state::{ChatPane, DialogAnswer, State};
use super::tool_command_dialog::ToolCommandDialog;
use crate::component::{ChoiceDialog, Cx, Notice, PathInput, PathPrompt};
use crate::record::{Id, TurnStatus};
use crate::tabs::generation::tools::{self, Tool};
use crate::text::Untrusted;
use crate::ui::picker::{Item, Picker};
use crate::ui::rule::cut;

/// Columns of a command in the list of what to do.
const COMMAND: usize = 40;

impl OpenConversation {
    /// Returns the tools of its requests; none where their definitions are wrong.
    pub(super) fn tools(&self) -> Vec<Tool> {
        tools::read(self.record.params.tools.as_deref().unwrap_or_default()).unwrap_or_default()
    }

    /// Returns the calls of the last answer that have no result yet.
    pub(super) fn open_calls(&self) -> Vec<OpenCall> {
        let mut done = Vec::new();
        for turn in self.path.iter().rev().map_while(|id| self.tree.turn(*id)) {
            if let Some(id) = result_of(turn) {
                done.push(id);
            } else if turn.role == "assistant" && turn.status == TurnStatus::Done {
                return calls(turn).filter(|call| !done.contains(&&call.id)).collect();
            } else {
                break;
            }
        }
        Vec::new()
    }

    /// Checks the calls of these turns against the tools, once for each: when they have come, and when the tools
    /// change.
    pub(super) fn check_calls(&mut self, turns: impl IntoIterator<Item = Id>) {
        // The tools are only read for the first call: mostly there is none.
        let mut tools = None;
        for turn in turns {
            let Some(turn) = self.tree.turn(turn).filter(|turn| turn.status == TurnStatus::Done) else { continue };
            for call in calls(turn) {
                let tools = tools.get_or_insert_with(|| self.tools());
                self.call_problems.insert((call.turn, call.id.clone()), problems(&call, tools));
            }
        }
    }

    /// Checks all calls that are here again: the tools are others. Returns the answers that have some.
    pub(super) fn check_all_calls(&mut self) -> HashSet<Id> {
        let turns: HashSet<Id> = self.call_problems.drain().map(|((turn, _), _)| turn).collect();
        self.check_calls(turns.iter().copied());
        turns
    }
}

/// Returns what is wrong with a call; none where no tools are defined.
fn problems(call: &OpenCall, tools: &[Tool]) -> Vec<String> {
    match tools.iter().find(|tool| call.name == tool.name()) {
        Some(tool) => tool.violations(call.arguments.raw()),
        None if tools.is_empty() => Vec::new(),
        None => vec!["no tool of this name is defined".to_owned()],
    }
}

impl State {
    /// Asks where the result of a call is to come from.
    pub(super) fn open_results(&mut self, cx: &mut Cx) {
        let conversation = self.conversation();
        let (calls, tools) = (conversation.open_calls(), conversation.tools());
        if calls.is_empty() {
            return cx.notify(Notice::info("no call waits for a result"));
        }
        let mut items = Vec::new();
        for call in calls {
            let name = call.name.line().into_owned();
            let command = tools.iter().find(|tool| call.name == tool.name());
            let command = command.and_then(|tool| tool.command(call.arguments.raw()));
            let item = |source, words: String, detail: &str| Item::new((call.clone(), source), words, detail);
            items.push(item(ResultSource::Typed, format!("Write the result of {name}"), "type or paste it"));
            items.push(item(ResultSource::File, format!("Take the result of {name} from a file…"), ""));
            let run = |words: &str| format!("Run {}", cut(words, COMMAND));
            items.push(match command {
                Some(Ok(command)) => {
                    item(ResultSource::Command, run(&shell_words::join(&command.words)), "you are asked first")
                }
                Some(Err(why)) => item(ResultSource::Command, run(&name), "").disabled(why),
                None => item(ResultSource::Command, run(&name), "").disabled("its definition names no command"),
            });
        }
        let answer = |(call, source)| DialogAnswer::CallResult(Box::new(call), source);
        self.modals.open(ChoiceDialog::new(Picker::new("Result of a call", items), answer));
    }

    /// Begins a result in the message box, from the source that was chosen.
    pub(super) fn begin_result(&mut self, call: OpenCall, source: ResultSource, cx: &mut Cx) {
        if source != ResultSource::Typed && !self.composer.editor.is_empty() {
            return cx.notify(Notice::warn("the message box holds another text; send or clear it first"));
        }
        match source {
            ResultSource::Typed => self.write_result(call),
            ResultSource::File => {
                let title = format!("Result of {} from which file?", call.name.line());
                let answer = move |text: String| DialogAnswer::ResultText(Box::new(call.clone()), text.into());
                self.modals.open(PathPrompt::new(title, "read", PathInput::default(), answer).contents());
            }
            ResultSource::Command => {
                let tools = self.conversation().tools();
                let tool = tools.iter().find(|tool| call.name == tool.name());
                if let Some(Ok(command)) = tool.and_then(|tool| tool.command(call.arguments.raw())) {
                    self.modals.open(ToolCommandDialog::new(call, command));
                }
            }
        }
    }

    /// Puts a text into the message box as the result of a call.
    pub(super) fn fill_result(&mut self, call: OpenCall, text: &Untrusted, cx: &mut Cx) {
        if !self.composer.editor.is_empty() {
            return cx.notify(Notice::warn("the message box holds another text; send or clear it first"));
        }
        self.composer.editor.edit(text);
        self.composer.changed(cx.now);
        self.write_result(call);
    }

    fn write_result(&mut self, call: OpenCall) {
        self.composer.editing = None;
        self.composer.result_of = Some(call);
        self.focus = ChatPane::Composer;
    }

    /// Asks for the first result that an answer which has just ended waits for, unless something is being written.
    pub(super) fn expect_result(&mut self) {
        if self.composer.editor.is_empty() && self.composer.editing.is_none() && !self.is_comparison() {
            let conversation = self.conversation();
            if conversation.record.params.tools.is_some() {
                self.composer.result_of = conversation.open_calls().into_iter().next();
            }
        }
    }
}
