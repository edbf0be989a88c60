//! The dialog that asks where marked answers are exported to, and in which form.

use std::sync::LazyLock;

use crossterm::event::{KeyCode, KeyEvent};
use ratatui::Frame;
use ratatui::layout::Rect;

use super::training_rows::TrainingForm;
use crate::component::{Bindings, Component, Cx, Handled, Hint, RenderContext, Step, bind};
use crate::ui::line::Line;
use crate::ui::meter::count;
use crate::ui::overlay::{self, Words};
use crate::ui::rule::cut;

/// What a key asks for; the others are the path's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Action {
    Export,
    OtherForm,
}

static KEYS: LazyLock<Bindings<Action, ()>> = LazyLock::new(|| {
    Bindings::new(vec![
        bind("enter", Action::Export, "export", "export"),
        bind("tab shift-tab", Action::OtherForm, "other form", "other form"),
    ])
});

/// Asks for a path and a form of rows.
#[derive(Debug)]
pub(super) struct ExportPrompt {
    path: Line,
    form: TrainingForm,
    /// How many answers go there.
    count: usize,
}

/// What it answers with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ExportTarget {
    pub(super) path: String,
    pub(super) form: TrainingForm,
}

impl ExportPrompt {
    pub(super) fn new(count: usize) -> Self {
        Self { path: Line::new("chats.jsonl"), form: TrainingForm::Chats, count }
    }
}

impl<E: From<ExportTarget>> Component<Step<E>> for ExportPrompt {
    fn key(&mut self, key: KeyEvent, _cx: &mut Cx) -> Handled<Step<E>> {
        match KEYS.find(&key) {
            _ if key.code == KeyCode::Esc => return Handled::close(),
            Some(Action::OtherForm) => {
                self.form = if self.form == TrainingForm::Chats { TrainingForm::Pairs } else { TrainingForm::Chats };
            }
            Some(Action::Export) => {
                let mut path = self.path.text().trim().to_owned();
                if path.is_empty() {
                    return Handled::Consumed;
                }
                // Rows are read back by this ending.
                if !path.to_lowercase().ends_with(".jsonl") {
                    path.push_str(".jsonl");
                }
                return Handled::answer(ExportTarget { path, form: self.form }.into());
            }
            None => drop(self.path.key(key)),
        }
        Handled::Consumed
    }

    fn paste(&mut self, text: &str, _cx: &mut Cx) -> Handled<Step<E>> {
        self.path.paste(text);
        Handled::Consumed
    }

    fn hints(&self) -> Vec<Hint> {
        KEYS.footer(&[Action::Export, Action::OtherForm], &())
    }

    fn typing(&self) -> bool {
        true
    }

    fn render(&self, frame: &mut Frame, area: Rect, context: RenderContext) {
        let theme = context.theme;
        let form = match self.form {
            TrainingForm::Chats => "▸ messages: all up to the answer",
            TrainingForm::Pairs => "▸ prompt and completion: the question and its answer",
        };
        let title = format!("Export {} marked answers", count(self.count as u64));
        let words = Words { title: &title, foot: "⏎ export  tab form  esc cancel", ..Words::default() };
        let inside = overlay::boxed(frame, area, (area.width.saturating_sub(4).min(64), 5), &words, theme);
        self.path.render(frame, Rect { height: 1, ..inside }, theme.text, true);
        if inside.height > 2 {
            let width = usize::from(inside.width);
            frame.buffer_mut().set_stringn(inside.x, inside.y + 2, cut(form, width), width, theme.muted);
        }
    }
}
