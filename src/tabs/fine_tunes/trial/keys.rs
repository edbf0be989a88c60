//! The page's keys: one table while the prompt is typed, one in the answers.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use super::{Focus, Source, Trial};
use crate::component::{Cx, Effect, Hint, Notice};
use crate::tabs::columns;
use crate::ui::keys::Keymap;
use crate::ui::picker::Picked;

/// What a key asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Action {
    Send,
    Newline,
    Next,
    Previous,
    Random,
    Original,
    Add,
    Remove,
    Copy,
    Offer,
    External,
    Pane,
    Prompt,
}

use Action as A;

/// While the prompt is typed.
pub(super) fn prompt() -> Keymap<Action> {
    Keymap::new(&[
        ("ctrl-r", A::Send, "ask all models"),
        ("ctrl-j", A::Newline, "newline"),
        ("f8 alt-down", A::Next, "next row of the file"),
        ("f7 alt-up", A::Previous, "previous row"),
        ("f9", A::Random, "random row"),
        ("f6", A::Original, "the row's own text, or the edited one again"),
        ("f5", A::Add, "add a model"),
        ("f4", A::External, "$EDITOR"),
        ("ctrl-o", A::Offer, "go on in Complete or Chat"),
        ("tab shift-tab", A::Pane, "to the answers"),
    ])
}

/// In the answers.
pub(super) fn answers() -> Keymap<Action> {
    Keymap::new(&[
        ("ctrl-r", A::Send, "ask all models"),
        ("n f8 alt-down", A::Next, "next row of the file"),
        ("p f7 alt-up", A::Previous, "previous row"),
        ("r f9", A::Random, "random row"),
        ("u f6", A::Original, "the row's own text, or the edited one again"),
        ("m f5", A::Add, "add a model"),
        ("X", A::Remove, "remove this model"),
        ("y", A::Copy, "copy this answer"),
        ("f4", A::External, "$EDITOR"),
        ("o ctrl-o", A::Offer, "go on in Complete or Chat"),
        ("i enter tab shift-tab", A::Prompt, "to the prompt"),
    ])
}

/// What a key did to the page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Event {
    None,
    /// The page is left; its text and answers stay.
    Close,
}

impl Trial {
    /// A key for the page. `ready`: models of other jobs that may be added.
    pub(crate) fn key(&mut self, key: KeyEvent, ready: &[String], cx: &mut Cx) -> Event {
        if let Some(picker) = &mut self.picker {
            match picker.key(&key) {
                Picked::Open => {}
                Picked::Closed => self.picker = None,
                Picked::Chosen(model) => {
                    self.picker = None;
                    self.add(model.into());
                }
            }
            return Event::None;
        }
        if key.code == KeyCode::Esc {
            return self.escape_key(cx);
        }
        let table = if self.focus == Focus::Prompt { &self.prompt_keys } else { &self.answer_keys };
        if let Some(action) = table.find(&key) {
            self.act(action, ready, cx);
        } else if self.focus == Focus::Answers {
            match self.columns.get_mut().key(key, self.lanes.len()) {
                Some(columns::Event::Cancel(at)) => self.stop_lane(at, cx),
                Some(columns::Event::Close) => self.focus = Focus::Prompt,
                _ => {}
            }
        } else if key.code == KeyCode::Enter {
            // The same keys as in Chat's message box.
            let modified = key.modifiers.intersects(KeyModifiers::ALT | KeyModifiers::SHIFT);
            let action = if modified == cx.session.enter_newline { A::Send } else { A::Newline };
            self.act(action, ready, cx);
        } else {
            self.editor.key(key);
        }
        Event::None
    }

    fn escape_key(&mut self, cx: &mut Cx) -> Event {
        if self.is_busy() {
            self.stop(cx);
        } else if self.focus == Focus::Answers {
            self.focus = Focus::Prompt;
        } else {
            return Event::Close;
        }
        Event::None
    }

    /// What the next Esc does.
    pub(crate) fn escape(&self) -> &'static str {
        match (self.picker.is_some(), self.is_busy(), self.focus) {
            (true, ..) => "close",
            (_, true, _) => "stop",
            (_, _, Focus::Answers) => "to the prompt",
            (_, _, Focus::Prompt) => "back",
        }
    }

    fn act(&mut self, action: Action, ready: &[String], cx: &mut Cx) {
        match action {
            A::Send => self.send(cx),
            A::Newline => self.editor.insert_newline(),
            A::Next => self.step(1, cx),
            A::Previous => self.step(-1, cx),
            A::Random => self.random(cx),
            A::Original => self.restore(cx),
            A::Add => self.choose(ready, cx),
            A::Remove => self.remove(cx),
            A::Copy => match self.lanes.get(self.columns.borrow().focus()).filter(|lane| !lane.text().is_empty()) {
                Some(lane) => cx.copy(lane.text().clone()),
                None => cx.notify(Notice::hint("there is no answer to copy yet").about("try")),
            },
            A::Offer => self.offer(cx),
            A::External => cx.push(Effect::Edit),
            A::Pane => self.focus = Focus::Answers,
            A::Prompt => self.focus = Focus::Prompt,
        }
    }

    /// Keys for the footer.
    pub(crate) fn hints(&self) -> Vec<Hint> {
        let hint = Hint::new;
        if self.picker.is_some() {
            return vec![hint("⏎", "add it")];
        }
        let rows = matches!(&self.source.reading, Source::Done(examples) if examples.rows.len() > 1);
        if self.focus == Focus::Answers {
            let mut hints =
                vec![hint("⏎", "prompt"), hint("m", "add a model"), hint("y", "copy"), hint("o", self.place())];
            if rows {
                hints.insert(1, hint("n p r", "row"));
            }
            return hints;
        }
        let mut hints = vec![hint(self.send_key, "ask"), hint("tab", "answers"), hint("F5", "add a model")];
        if rows {
            hints.insert(1, hint("F8", "next row"));
            hints.insert(2, hint("F9", "random row"));
        }
        hints.push(hint("^O", self.place()));
        hints
    }

    /// Every key, for the help page.
    pub(crate) fn help(&self) -> Vec<(&'static str, Vec<Hint>)> {
        let mut prompt = vec![Hint::new(self.send_key, "ask all models")];
        prompt.extend(Hint::table(&self.prompt_keys));
        let mut answers = Hint::table(&self.answer_keys);
        let others: Vec<Hint> = self
            .columns
            .borrow()
            .hints()
            .into_iter()
            .filter(|hint| answers.iter().all(|own| own.key != hint.key))
            .collect();
        answers.extend(others);
        vec![("Try a model: the prompt", prompt), ("Try a model: the answers", answers)]
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn no_key_means_two_things() {
        assert_eq!(super::prompt().clashes(), []);
        assert_eq!(super::answers().clashes(), []);
    }
}
