//! A text of several lines, as a dialog.

use std::cell::RefCell;
use std::fmt;

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use ratatui::Frame;
use ratatui::layout::Rect;

use super::{Component, Cx, Effect, Handled, Hint, Notice, RenderContext, Step};
use crate::ui::editor::Editor;
use crate::ui::overlay;

/// What a text makes.
type Message<E> = Box<dyn Fn(String) -> E>;

/// Edits a text, and answers with it when it is closed.
pub struct EditorDialog<E> {
    title: &'static str,
    /// Columns and rows of the box at most.
    size: (u16, u16),
    /// A frame fits its first row to the area.
    editor: RefCell<Editor>,
    closed: Message<E>,
    /// What each change of the text emits.
    changed: Option<Message<E>>,
}

impl<E> fmt::Debug for EditorDialog<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EditorDialog").field("title", &self.title).finish_non_exhaustive()
    }
}

impl<E> EditorDialog<E> {
    /// A dialog with a title, its columns and rows at most, the text to begin with, and the answer that the text makes.
    pub fn new(title: &'static str, size: (u16, u16), editor: Editor, closed: impl Fn(String) -> E + 'static) -> Self {
        Self { title, size, editor: RefCell::new(editor), closed: Box::new(closed), changed: None }
    }

    /// Emits every text that is typed, not only the last one; `ctrl-r` closes it too.
    #[must_use]
    pub fn emitting(self, changed: impl Fn(String) -> E + 'static) -> Self {
        Self { changed: Some(Box::new(changed)), ..self }
    }

    fn emit(&mut self) -> Handled<Step<E>> {
        let text = self.editor.get_mut().text();
        self.changed.as_ref().map_or(Handled::Consumed, |changed| Handled::emit(changed(text)))
    }
}

impl<E> Component<Step<E>> for EditorDialog<E> {
    fn key(&mut self, key: KeyEvent, cx: &mut Cx) -> Handled<Step<E>> {
        let control = key.modifiers.contains(KeyModifiers::CONTROL);
        let editor = self.editor.get_mut();
        match key.code {
            KeyCode::Esc => return Handled::answer((self.closed)(editor.text())),
            KeyCode::Char('r') if control && self.changed.is_some() => {
                return Handled::answer((self.closed)(editor.text()));
            }
            KeyCode::F(4) => cx.push(Effect::Edit),
            KeyCode::Char('g') if control => drop(editor.expand_chip()),
            KeyCode::Enter => editor.insert_newline(),
            KeyCode::Char('j') if control => editor.insert_newline(),
            _ => drop(editor.key(key)),
        }
        self.emit()
    }

    fn paste(&mut self, text: &str, cx: &mut Cx) -> Handled<Step<E>> {
        if let Err(why) = self.editor.get_mut().paste(text) {
            cx.notify(Notice::error(why));
        }
        self.emit()
    }

    fn editable(&self) -> Option<String> {
        Some(self.editor.borrow().text())
    }

    fn edited(&mut self, text: &str, _cx: &mut Cx) -> Handled<Step<E>> {
        self.editor.get_mut().set_text(text);
        self.emit()
    }

    fn hints(&self) -> Vec<Hint> {
        vec![Hint::new("⏎", "newline"), Hint::new("F4", "$EDITOR")]
    }

    fn typing(&self) -> bool {
        true
    }

    fn render(&self, frame: &mut Frame, area: Rect, context: RenderContext) {
        let (columns, rows) = self.size;
        let height = (area.height * 2 / 3).clamp(5, rows);
        let foot = "⏎ newline  esc keep and close";
        let inside = overlay::frame(frame, area, (columns, height), self.title, foot, context.theme);
        let place = Rect { x: inside.x + 1, width: inside.width.saturating_sub(2), ..inside };
        self.editor.borrow_mut().render(frame, place, context.theme, true);
    }
}
