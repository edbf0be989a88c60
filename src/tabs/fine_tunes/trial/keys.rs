//! The page's keys: one table while the prompt is typed, one in the answers.

use std::sync::LazyLock;
use std::time::Instant;

use crossterm::event::KeyEvent;
use ratatui::Frame;
use ratatui::layout::Rect;

use super::{RowReading, TrialFocus, TrialPage};
use crate::api::call::Ticket;
use crate::component::{
    Bindings, Component, Cx, Effect, Handled, Hint, Notice, RenderContext, Response, Session, bind,
};
use crate::tabs::columns;
use crate::text::Untrusted;
use crate::ui::key_table::ListedKeys;

/// What a key asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Action {
    Send,
    Newline,
    Next,
    Previous,
    Random,
    OwnPrompt,
    SwitchText,
    AddModel,
    RemoveModel,
    Copy,
    Offer,
    External,
    ToAnswers,
    ToPrompt,
    Escape,
}

use Action as A;

/// What the key that sends the prompt does, for the footer and for the help page.
const SEND: (&str, &str) = ("ask", "ask all models");

/// The keys while the prompt is typed. What sends it is set by the session, and shown before them.
pub(super) static PROMPT: LazyLock<Bindings<Action, TrialPage>> = LazyLock::new(|| {
    Bindings::while_typing(
        "tune.trial-prompt",
        vec![
            bind("ctrl-r", A::Send, SEND.0, SEND.1),
            bind("ctrl-j", A::Newline, "newline", "newline"),
            bind("f8 alt-down", A::Next, "next row", "next row of the file")
                .named(&["next-row"])
                .disabled_when(no_other_row),
            bind("f7 alt-up", A::Previous, "previous row", "previous row").named(&["previous-row"]),
            bind("f9", A::Random, "random row", "random row").disabled_when(no_other_row),
            bind("f3", A::OwnPrompt, "own prompt", "a prompt of your own in place of the row").disabled_when(no_row),
            bind("f6", A::SwitchText, "row's text", "switch between the row's text and the edited text"),
            bind("f5", A::AddModel, "add a model", "add a model"),
            bind("f4", A::External, "$EDITOR", "$EDITOR"),
            bind("ctrl-o", A::Offer, "", "continue in Complete or Chat")
                .named(&["continue-in-tab"])
                .labelled(TrialPage::offer_label),
            bind("tab shift-tab", A::ToAnswers, "answers", "to the answers"),
            bind("esc", A::Escape, "", "").does(&["stop, else back"]),
        ],
    )
});

/// What Enter does while the prompt is typed, as in Chat's message box.
static ENTER_SENDS: LazyLock<Bindings<Action, TrialPage>> =
    LazyLock::new(|| enter_with("enter ctrl-enter", "alt-enter shift-enter"));
static ENTER_INSERTS_NEWLINE: LazyLock<Bindings<Action, TrialPage>> =
    LazyLock::new(|| enter_with("alt-enter shift-enter", "enter ctrl-enter"));

/// Returns what Enter does.
fn enter(enter_newline: bool) -> &'static Bindings<Action, TrialPage> {
    if enter_newline { &ENTER_INSERTS_NEWLINE } else { &ENTER_SENDS }
}

fn enter_with(send: &'static str, newline: &'static str) -> Bindings<Action, TrialPage> {
    Bindings::while_typing(
        "tune.trial-enter",
        vec![
            bind(send, A::Send, "", "").does(&["ask all models"]),
            bind(newline, A::Newline, "", "").does(&["newline"]),
        ],
    )
}

/// The keys in the answers.
pub(super) static ANSWERS: LazyLock<Bindings<Action, TrialPage>> = LazyLock::new(|| {
    Bindings::new(
        "tune.trial-answers",
        vec![
            bind("ctrl-r", A::Send, "ask", "ask all models"),
            bind("n f8 alt-down", A::Next, "row", "next row of the file")
                .named(&["next-row"])
                .shown("n p r")
                .disabled_when(no_other_row),
            bind("p f7 alt-up", A::Previous, "previous row", "previous row").named(&["previous-row"]),
            bind("r f9", A::Random, "random row", "random row"),
            bind("u f6", A::SwitchText, "row's text", "switch between the row's text and the edited text"),
            bind("m f5", A::AddModel, "add a model", "add a model"),
            bind("X", A::RemoveModel, "remove", "remove this model"),
            bind("y", A::Copy, "copy", "copy this answer"),
            bind("f4", A::External, "$EDITOR", "$EDITOR"),
            bind("o ctrl-o", A::Offer, "", "continue in Complete or Chat")
                .named(&["continue-in-tab"])
                .labelled(TrialPage::offer_label),
            bind("i enter tab shift-tab", A::ToPrompt, "prompt", "to the prompt").shown("⏎"),
            bind("esc", A::Escape, "", "").does(&["stop, else back"]),
        ],
    )
});

fn no_other_row(trial: &TrialPage) -> Option<&'static str> {
    let rows = if let RowReading::Done(examples) = &trial.source.reading { examples.rows.len() } else { 0 };
    (rows < 2).then_some("there is no other row")
}

fn no_row(trial: &TrialPage) -> Option<&'static str> {
    trial.source.at.is_none().then_some("the prompt is your own already")
}

/// What the page asks of the tab.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TrialEvent {
    /// Open [`TrialPage::model_picker`].
    AddModel,
    /// Leave the page; its text and answers stay.
    Close,
}

/// What the next Esc does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum TrialEscape {
    Stop,
    ToPrompt,
    Leave,
}

impl TrialPage {
    /// Returns what the next Esc does, and how the footer calls it.
    fn next_escape(&self) -> (TrialEscape, &'static str) {
        match (self.is_busy(), self.focus) {
            (true, _) => (TrialEscape::Stop, "stop"),
            (_, TrialFocus::Answers) => (TrialEscape::ToPrompt, "to the prompt"),
            (_, TrialFocus::Prompt) => (TrialEscape::Leave, "back"),
        }
    }

    fn escape_key(&mut self, cx: &mut Cx) -> Handled<TrialEvent> {
        match self.next_escape().0 {
            TrialEscape::Stop => drop(self.stop(cx)),
            TrialEscape::ToPrompt => self.focus = TrialFocus::Prompt,
            TrialEscape::Leave => return Handled::Emit(TrialEvent::Close),
        }
        Handled::Consumed
    }

    /// Returns what a key of the prompt does, the session's keys for sending and for a newline included.
    fn prompt_action(key: KeyEvent, cx: &Cx) -> Option<Action> {
        PROMPT.find(&key).or_else(|| enter(cx.session.enter.inserts_newline).find(&key))
    }
}

impl Component<TrialEvent> for TrialPage {
    fn key(&mut self, key: KeyEvent, cx: &mut Cx) -> Handled<TrialEvent> {
        let on_prompt = self.focus == TrialFocus::Prompt;
        let action = if on_prompt { Self::prompt_action(key, cx) } else { ANSWERS.find(&key) };
        match action {
            Some(action) => {
                self.editor.end_ctrl_x();
                return self.act(action, cx);
            }
            None if on_prompt => drop(cx.type_into(&mut self.editor, key)),
            None => match self.columns.key(key, self.lanes.len()) {
                Some(columns::ColumnsEvent::Cancel(at)) => self.stop_lane(at, cx),
                Some(columns::ColumnsEvent::Close) => self.focus = TrialFocus::Prompt,
                _ => {}
            },
        }
        Handled::Consumed
    }

    fn paste(&mut self, text: &str, cx: &mut Cx) -> Handled<TrialEvent> {
        self.focus = TrialFocus::Prompt;
        if let Err(why) = self.editor.paste(text) {
            cx.notify(Notice::warn(why));
        }
        Handled::Consumed
    }

    fn reply(&mut self, ticket: Ticket, response: &mut Response, cx: &mut Cx) -> Handled<TrialEvent> {
        let own = match response {
            Response::Call(progress) => self.handle_progress(ticket, progress, cx),
            Response::Work(done) => self.handle_worked(ticket, done),
            Response::Store(_) | Response::Taken => false,
        };
        if own { Handled::Consumed } else { Handled::Ignored }
    }

    fn editable(&self) -> Option<String> {
        Some(self.editor.text())
    }

    fn readable(&self, _session: &Session) -> Option<Untrusted> {
        self.lanes.get(self.columns.focus()).map(|lane| lane.text().clone())
    }

    fn edited(&mut self, text: &str, _cx: &mut Cx) -> Handled<TrialEvent> {
        self.editor.set_text(text);
        Handled::Consumed
    }

    fn hints(&self) -> Vec<Hint> {
        if self.focus == TrialFocus::Answers {
            return ANSWERS.footer(&[A::ToPrompt, A::Next, A::AddModel, A::Copy, A::Offer], self);
        }
        let others = PROMPT.footer(&[A::Next, A::OwnPrompt, A::Random, A::ToAnswers, A::AddModel, A::Offer], self);
        [vec![Hint::new(self.send_key, SEND.0)], others].concat()
    }

    fn help(&self) -> Vec<(&'static str, Vec<Hint>)> {
        let mut prompt = PROMPT.help();
        prompt.insert(0, Hint::new(self.send_key, SEND.1));
        prompt.extend(Hint::of_text_box());
        let mut answers = ANSWERS.help();
        let others = columns::Columns::hints().into_iter();
        let others: Vec<Hint> = others.filter(|hint| answers.iter().all(|own| own.key != hint.key)).collect();
        answers.extend(others);
        vec![("Try a model: the prompt", prompt), ("Try a model: the answers", answers)]
    }

    fn escape(&self) -> Option<&'static str> {
        Some(self.next_escape().1)
    }

    fn typing(&self) -> bool {
        self.focus == TrialFocus::Prompt
    }

    fn is_prefix_pending(&self) -> bool {
        self.typing() && self.editor.is_after_x()
    }

    fn arrange(&mut self, area: Rect, session: &Session, now: Instant) {
        self.fit(area, session, now);
    }

    fn render(&self, frame: &mut Frame, area: Rect, context: RenderContext) {
        self.draw(frame, area, context);
    }
}

impl TrialPage {
    fn act(&mut self, action: Action, cx: &mut Cx) -> Handled<TrialEvent> {
        match action {
            A::Send => self.send(cx),
            A::Newline => self.editor.insert_newline(cx.now),
            A::Next => self.step(1, cx),
            A::Previous => self.step(-1, cx),
            A::Random => self.go_to_random_row(cx),
            A::OwnPrompt => self.go_to(None),
            A::SwitchText => self.switch_text(cx),
            A::AddModel => return Handled::Emit(TrialEvent::AddModel),
            A::RemoveModel => self.remove(cx),
            A::Copy => match self.lanes.get(self.columns.focus()).filter(|lane| !lane.text().is_empty()) {
                Some(lane) => cx.copy(lane.text().clone()),
                None => cx.notify(Notice::info("there is no answer to copy yet").about("try")),
            },
            A::Offer => self.offer(cx),
            A::External => cx.push(Effect::EditText),
            A::ToAnswers => self.focus = TrialFocus::Answers,
            A::ToPrompt => self.focus = TrialFocus::Prompt,
            A::Escape => return self.escape_key(cx),
        }
        Handled::Consumed
    }
}

/// Returns its tables of keys, for the list of all keys.
pub(crate) fn listed_keys(enter_newline: bool) -> Vec<ListedKeys> {
    vec![PROMPT.listed(), enter(enter_newline).listed(), ANSWERS.listed()]
}

#[cfg(test)]
mod tests {
    #[test]
    fn no_key_means_two_things() {
        assert_eq!(super::PROMPT.keymap().clashes(), []);
        assert_eq!(super::ANSWERS.keymap().clashes(), []);
    }
}
