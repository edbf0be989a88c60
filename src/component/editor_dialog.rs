//! A text of several lines, as a dialog.

use std::fmt;
use std::sync::LazyLock;
use std::time::Instant;

use crossterm::event::KeyEvent;
use ratatui::Frame;
use ratatui::layout::Rect;

use super::{
    Bindings, Component, Cx, Effect, Handled, Hint, Notice, RenderContext, Session, Step, THIS_DIALOG, bind, border,
};
use crate::ui::editor::Editor;
use crate::ui::key_table::{KeyContext, KeyPlace, ListedKeys};
use crate::ui::overlay::{self, Words};

/// What Esc does.
const KEEP: &str = "keep and close";

/// What a key does to the dialog; all others edit the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum EditorKey {
    Newline,
    External,
    ExpandPaste,
    Close,
    /// Closes it by the key that sends elsewhere.
    Send,
}

/// Keys of the dialog; the state says whether every text that is typed is emitted.
static KEYS: LazyLock<Bindings<EditorKey, bool>> = LazyLock::new(|| {
    use EditorKey as K;
    Bindings::while_typing(
        KeyContext::new("editor").ignoring_shift().used_in(KeyPlace::Dialog),
        vec![
            bind("enter ctrl-j", K::Newline, "newline", "newline"),
            bind("alt-enter ctrl-enter", K::Newline, "", ""),
            bind("f4", K::External, "$EDITOR", "edit it in $EDITOR"),
            bind("ctrl-g", K::ExpandPaste, "paste", "show a pasted text in full"),
            bind("esc", K::Close, KEEP, KEEP),
            bind("ctrl-r", K::Send, "", KEEP)
                .does(&["keep and close, where that does not go without saying"])
                .disabled_when(|emits| (!emits).then_some("only esc closes it")),
        ],
    )
});

/// Makes a message of the text.
type Message<E> = Box<dyn Fn(String) -> E>;

/// Lets the user edit a text, and answers with it when closed.
pub struct EditorDialog<E> {
    title: &'static str,
    /// The most columns and rows of the box.
    size: (u16, u16),
    editor: Editor,
    closed: Message<E>,
    /// Makes the message that each change of the text emits.
    changed: Option<Message<E>>,
}

impl<E> fmt::Debug for EditorDialog<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EditorDialog").field("title", &self.title).finish_non_exhaustive()
    }
}

impl<E> EditorDialog<E> {
    /// Creates a dialog: its title, the most columns and rows of its box, an editor with the text to begin with, and
    /// the function that makes the answer of the text.
    pub fn new(title: &'static str, size: (u16, u16), editor: Editor, closed: impl Fn(String) -> E + 'static) -> Self {
        Self { title, size, editor, closed: Box::new(closed), changed: None }
    }

    /// Emits every text that is typed, not only the last one; `ctrl-r` closes it too.
    #[must_use]
    pub fn emitting(self, changed: impl Fn(String) -> E + 'static) -> Self {
        Self { changed: Some(Box::new(changed)), ..self }
    }

    /// Returns the most columns and rows of its box over an area.
    fn size(&self, area: Rect) -> (u16, u16) {
        (self.size.0, (area.height * 2 / 3).clamp(5, self.size.1))
    }

    fn emit(&mut self) -> Handled<Step<E>> {
        let text = self.editor.text();
        self.changed.as_ref().map_or(Handled::Consumed, |changed| Handled::emit(changed(text)))
    }
}

impl<E> Component<Step<E>> for EditorDialog<E> {
    fn key(&mut self, key: KeyEvent, cx: &mut Cx) -> Handled<Step<E>> {
        let editor = &mut self.editor;
        match KEYS.find_enabled(&key, &self.changed.is_some()) {
            Some(EditorKey::Close | EditorKey::Send) => return Handled::answer((self.closed)(editor.text())),
            Some(EditorKey::External) => cx.push(Effect::EditText),
            Some(EditorKey::ExpandPaste) => {
                if let Err(why) = editor.expand_chip() {
                    cx.notify(Notice::info(why));
                }
            }
            Some(EditorKey::Newline) => editor.insert_newline(cx.now),
            None => drop(cx.type_into(editor, key)),
        }
        self.emit()
    }

    fn paste(&mut self, text: &str, cx: &mut Cx) -> Handled<Step<E>> {
        if let Err(why) = self.editor.paste(text) {
            cx.notify(Notice::error(why));
        }
        self.emit()
    }

    fn editable(&self) -> Option<String> {
        Some(self.editor.text())
    }

    fn edited(&mut self, text: &str, _cx: &mut Cx) -> Handled<Step<E>> {
        self.editor.set_text(text);
        self.emit()
    }

    fn hints(&self) -> Vec<Hint> {
        if self.editor.is_after_x() {
            return Hint::after_ctrl_x();
        }
        KEYS.footer(&[EditorKey::Newline, EditorKey::External], &self.changed.is_some())
    }

    fn help(&self) -> Vec<(&'static str, Vec<Hint>)> {
        vec![(THIS_DIALOG, [KEYS.help_enabled(&self.changed.is_some()), Hint::of_text_box()].concat())]
    }

    fn escape(&self) -> Option<&'static str> {
        Some(KEEP)
    }

    fn typing(&self) -> bool {
        true
    }

    fn in_text_box(&self) -> bool {
        true
    }

    fn is_prefix_pending(&self) -> bool {
        self.editor.is_after_x()
    }

    fn arrange(&mut self, area: Rect, session: &Session, _now: Instant) {
        self.editor.arrange(overlay::content_area(area, self.size(area), session.palette));
    }

    fn render(&self, frame: &mut Frame, area: Rect, context: RenderContext) {
        let size = self.size(area);
        let foot = border(&self.hints(), KEEP, size.0.min(area.width));
        let words = Words { title: self.title, foot: &foot, ..Words::default() };
        overlay::boxed(frame, area, size, &words, context.theme);
        self.editor.draw(frame, overlay::content_area(area, size, context.theme.kind), context.theme, true);
    }
}

/// Returns its tables of keys, for the list of all keys.
pub(crate) fn listed_keys() -> Vec<ListedKeys> {
    vec![KEYS.listed()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_key_means_two_things() {
        assert_eq!(KEYS.keymap().clashes(), []);
    }
}
