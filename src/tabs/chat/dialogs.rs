//! The dialogs of the tab, and their answers.

use super::open_call::{OpenCall, ResultSource};
use crate::component::{ChoiceDialog, ConfirmDialog, Cx, EditorDialog, LinePrompt, PathInput, PathPrompt, Wanted};
use crate::record::{Head, Id};
use crate::tabs::generation::tools::Tool;
use crate::text::Untrusted;
use crate::ui::editor::Editor;
use crate::ui::overlay::Confirm;
use crate::ui::picker::{Item, Picker};
use crate::ui::rule::cut;
use crate::ui::text_field::TextField;

/// Columns and rows of the system prompt at most.
const SYSTEM: (u16, u16) = (76, 16);
/// Columns and rows of a message that is edited.
const MESSAGE: (u16, u16) = (96, 20);
/// Columns of a command in the list of what to do.
const COMMAND: usize = 40;

/// The answer of a dialog.
#[derive(Clone, Debug)]
pub(super) enum DialogAnswer {
    /// A conversation's title.
    Rename(Id, String),
    /// Save this text to the file at this path.
    SaveAs(String, Untrusted),
    /// The system prompt, as it is typed.
    System(String),
    /// It is closed.
    SystemClosed,
    /// What an answer should have been.
    Ideal(Id, String),
    /// Another text for a message.
    Change(Id, String),
    /// The file of this path goes with the message.
    Attach(String),
    /// Delete a conversation for good.
    Purge(Id),
    /// Where the result of a call comes from.
    CallResult(Box<OpenCall>, ResultSource),
    /// The result of a call, from a file or a command.
    ResultText(Box<OpenCall>, Untrusted),
    /// Definitions of tools, from a file.
    Tools(String),
}

/// Returns the dialog that asks for a conversation's title; `head`: its line in the list, where it has one.
pub(super) fn rename(id: Id, head: Option<&Head>) -> LinePrompt<DialogAnswer> {
    let title = head.map(|head| TextField::edit(&head.conversation.title)).unwrap_or_default();
    let answer = move |title: &str, _| DialogAnswer::Rename(id, title.to_owned());
    LinePrompt::new("Title", "rename", title, answer)
}

/// Returns the dialog that asks where a text goes, first at this path.
pub(super) fn save(path: &str, text: Untrusted) -> PathPrompt<DialogAnswer> {
    let answer = move |path, _| DialogAnswer::SaveAs(path, text.clone());
    PathPrompt::save("Save to a new file", "save", path, answer)
}

/// Returns the dialog that asks for the path of a file that goes with the message, first the part of it that is typed
/// there.
pub(super) fn attach(begun: &str, cx: &mut Cx) -> PathPrompt<DialogAnswer> {
    let mut input = PathInput::new(Wanted::File, begun);
    input.ask(cx);
    PathPrompt::new("Attach a file", "attach", input, DialogAnswer::Attach).attachable()
}

/// Returns the dialog with the system prompt; as everything typed, it is kept as it changes.
pub(super) fn system_prompt(text: &str) -> EditorDialog<DialogAnswer> {
    let mut editor = Editor::new("How the model should behave; if empty, none is sent");
    editor.set_text(text);
    let dialog = EditorDialog::new("System prompt", SYSTEM, editor, |_| DialogAnswer::SystemClosed);
    dialog.emitting(DialogAnswer::System)
}

/// Returns the editor for what an answer should have been.
pub(super) fn ideal(turn: Id, text: &Untrusted) -> EditorDialog<DialogAnswer> {
    let mut editor = Editor::new("What the answer should have been; if empty, the mark stays as it is");
    editor.edit(text);
    let title = "What the answer should have been";
    EditorDialog::new(title, MESSAGE, editor, move |text| DialogAnswer::Ideal(turn, text))
}

/// Returns the editor for another text of a message.
pub(super) fn change(turn: Id, text: &Untrusted) -> EditorDialog<DialogAnswer> {
    let mut editor = Editor::new("The message's text; if empty, it stays as it is");
    editor.edit(text);
    EditorDialog::new("Edit in place", MESSAGE, editor, move |text| DialogAnswer::Change(turn, text))
}

/// Returns the question whether a conversation is deleted for good; `head`: its line in the list, where it has one.
pub(super) fn purge(id: Id, head: Option<&Head>) -> ConfirmDialog<DialogAnswer> {
    let title = head.map(|head| head.conversation.title.line().into_owned());
    let title = title.filter(|title| !title.is_empty()).unwrap_or_else(|| "Draft".to_owned());
    let lines = vec![format!("“{title}”").into(), "".into(), "This cannot be undone.".into()];
    ConfirmDialog::new(Confirm::new("Delete for good?", lines, "Delete"), DialogAnswer::Purge(id))
}

/// Returns the dialog that asks for a file with definitions of tools.
pub(super) fn tools_file() -> PathPrompt<DialogAnswer> {
    let title = "Which file defines the tools?";
    PathPrompt::new(title, "read", PathInput::default(), DialogAnswer::Tools).contents()
}

/// Returns the dialog that asks for a file with the result of a call.
pub(super) fn result_file(call: OpenCall) -> PathPrompt<DialogAnswer> {
    let title = format!("Result of {} from which file?", call.name.line());
    let answer = move |text: String| DialogAnswer::ResultText(Box::new(call.clone()), text.into());
    PathPrompt::new(title, "read", PathInput::default(), answer).contents()
}

/// Returns the dialog that asks where the result of a call is to come from.
pub(super) fn result_sources(
    calls: Vec<OpenCall>,
    tools: &[Tool],
) -> ChoiceDialog<(OpenCall, ResultSource), DialogAnswer> {
    let mut items = Vec::new();
    for call in calls {
        let name = call.name.line().into_owned();
        let item = |source, words: String, detail: &str| Item::new((call.clone(), source), words, detail);
        items.push(item(ResultSource::Typed, format!("Write the result of {name}"), "type or paste it"));
        items.push(item(ResultSource::File, format!("Take the result of {name} from a file…"), ""));
        let run = |words: &str| format!("Run {}", cut(words, COMMAND));
        items.push(match call.command(tools) {
            Some(Ok(command)) => {
                item(ResultSource::Command, run(&shell_words::join(&command.words)), "you are asked first")
            }
            Some(Err(why)) => item(ResultSource::Command, run(&name), "").disabled(why),
            None => item(ResultSource::Command, run(&name), "").disabled("its definition names no command"),
        });
    }
    let answer = |(call, source)| DialogAnswer::CallResult(Box::new(call), source);
    ChoiceDialog::new(Picker::new("Result of a call", items), answer)
}
