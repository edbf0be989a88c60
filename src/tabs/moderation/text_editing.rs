//! The text of the bench that is being written.

use std::sync::LazyLock;
use std::time::Instant;

use crossterm::event::KeyEvent;
use ratatui::Frame;
use ratatui::layout::Rect;

use super::action::{Action, PageEvent};
use crate::component::{Bindings, Component, Cx, Handled, Hint, Notice, RenderContext, Session, bind};
use crate::record::Id;
use crate::text::Untrusted;
use crate::ui::editor::{Edit, Editor};
use crate::ui::key_table::ListedKeys;

/// What a key does to a text that is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum WritingAction {
    Finish,
    Newline,
    Check,
    External,
}

use WritingAction as A;

/// Keys while a text is written.
pub(super) static KEYS: LazyLock<Bindings<WritingAction, ()>> = LazyLock::new(|| {
    Bindings::while_typing(
        "moderate.text-box",
        vec![
            bind("esc", A::Finish, "done", "done"),
            bind("enter ctrl-j shift-enter alt-enter ctrl-enter", A::Newline, "newline", ""),
            bind("ctrl-r", A::Check, "check", "check"),
            bind("f4", A::External, "$EDITOR", "$EDITOR (also ^X ^E)"),
        ],
    )
});

/// A text and the box it is written in.
#[derive(Debug)]
pub(super) struct TextEditing {
    pub(super) id: Id,
    editor: Editor,
    /// Where it is drawn.
    area: Rect,
    /// Whether the cursor is in it: no dialog lies over it.
    pub(super) focus: bool,
}

impl TextEditing {
    /// Opens a text.
    pub(super) fn new(id: Id, text: &Untrusted) -> Self {
        let mut editor = Editor::new("Write or paste a text; ^R checks it.");
        editor.edit(text);
        Self { id, editor, area: Rect::ZERO, focus: true }
    }

    pub(super) fn text(&self) -> Untrusted {
        self.editor.text().into()
    }

    /// Returns the part of `area` it takes, at its top.
    pub(super) fn place(&self, area: Rect) -> Rect {
        let width = area.width.saturating_sub(2);
        let most = (area.height / 2).max(1);
        let height = self.editor.rows(width, most).clamp(3.min(most), most);
        Rect { x: area.x + 1, y: area.y, width, height }
    }

    /// Returns the rows it takes.
    pub(super) fn rows(&self) -> u16 {
        self.area.height
    }
}

impl Component<PageEvent> for TextEditing {
    fn key(&mut self, key: KeyEvent, cx: &mut Cx) -> Handled<PageEvent> {
        match KEYS.find(&key) {
            Some(A::Finish) => return Handled::Emit(PageEvent::Close),
            Some(A::Check) => return Handled::Emit(PageEvent::Act(Action::Run)),
            Some(A::External) => return Handled::Emit(PageEvent::Act(Action::External)),
            // A text begins with a word; until then the box says what to do.
            Some(A::Newline) if self.editor.is_empty() => return Handled::Consumed,
            Some(A::Newline) => self.editor.insert_newline(cx.now),
            None if cx.type_into(&mut self.editor, key) != Edit::Changed => return Handled::Consumed,
            None => {}
        }
        Handled::Emit(PageEvent::Changed)
    }

    fn paste(&mut self, text: &str, cx: &mut Cx) -> Handled<PageEvent> {
        if let Err(why) = self.editor.paste(text) {
            cx.notify(Notice::warn(why));
        }
        Handled::Emit(PageEvent::Changed)
    }

    fn editable(&self) -> Option<String> {
        Some(self.editor.text())
    }

    fn edited(&mut self, text: &str, _cx: &mut Cx) -> Handled<PageEvent> {
        self.editor.set_text(text);
        Handled::Emit(PageEvent::Close)
    }

    fn arrange(&mut self, area: Rect, _session: &Session, _now: Instant) {
        self.area = area;
        self.editor.arrange(area);
    }

    fn hints(&self) -> Vec<Hint> {
        KEYS.footer(&[A::Finish, A::Check, A::External], &())
    }

    fn escape(&self) -> Option<&'static str> {
        Some("done")
    }

    fn typing(&self) -> bool {
        true
    }

    fn is_prefix_pending(&self) -> bool {
        self.editor.is_after_x()
    }

    fn render(&self, frame: &mut Frame, area: Rect, context: RenderContext) {
        self.editor.draw(frame, area, context.theme, self.focus);
    }
}

/// Returns its tables of keys, for the list of all keys.
pub(crate) fn listed_keys() -> Vec<ListedKeys> {
    vec![KEYS.listed()]
}
