//! Keys while something lies over the panes.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use super::state::{Focus, Over};
use super::{Chat, marks};
use crate::component::{Cx, Effect, Modal, Step};
use crate::ui::overlay::Answer;

impl Chat {
    /// A key for what is open.
    pub(super) fn over_key(&mut self, key: KeyEvent, cx: &mut Cx) {
        let Some(mut over) = self.state.over.take() else { return };
        let enter = key.code == KeyCode::Enter;
        let escape = key.code == KeyCode::Esc;
        match &mut over {
            Over::Rename(id, line) if enter => return self.state.rename(*id, line.text(), cx),
            Over::SaveAs(line, text) if enter => {
                return self.state.save_file(line.text().to_owned(), std::mem::take(text), cx);
            }
            Over::Filter(line) => {
                if escape {
                    self.state.shelf.filter("");
                    return;
                }
                if line.key(key) {
                    self.state.set_filter(line.text(), cx);
                }
                if enter {
                    self.walk(0);
                    return;
                }
            }
            Over::Find(line) => {
                if escape {
                    self.state.find.clear();
                    self.view.find("");
                    return;
                }
                if line.key(key) {
                    line.text().clone_into(&mut self.state.find);
                    self.view.find(line.text());
                }
                if enter {
                    self.state.focus = Focus::Transcript;
                    return;
                }
            }
            Over::System(editor) => {
                let control = key.modifiers.contains(KeyModifiers::CONTROL);
                match key.code {
                    KeyCode::Esc => return self.state.keep_draft(cx),
                    KeyCode::Char('r') if control => return self.state.keep_draft(cx),
                    KeyCode::F(4) => cx.push(Effect::Edit),
                    KeyCode::Char('g') if control => drop(editor.expand_chip()),
                    KeyCode::Enter => editor.insert_newline(),
                    KeyCode::Char('j') if control => editor.insert_newline(),
                    _ => drop(editor.key(key)),
                }
                // As everything typed, it is kept as it changes.
                let text = editor.text();
                if text != self.state.room().conversation.system {
                    self.state.set_system(text, cx.now);
                }
            }
            Over::Ideal(turn, editor) if escape => return self.state.end_ideal(*turn, &editor.text(), cx),
            Over::Change(turn, editor) if escape => return self.state.end_change(*turn, editor.text(), cx),
            Over::Ideal(_, editor) | Over::Change(_, editor) => {
                let control = key.modifiers.contains(KeyModifiers::CONTROL);
                match key.code {
                    KeyCode::F(4) => cx.push(Effect::Edit),
                    KeyCode::Char('g') if control => drop(editor.expand_chip()),
                    KeyCode::Enter => editor.insert_newline(),
                    KeyCode::Char('j') if control => editor.insert_newline(),
                    _ => drop(editor.key(key)),
                }
            }
            Over::Marks(page) => match page.key(key, cx) {
                marks::Event::Stay => {}
                marks::Event::Close => return,
                marks::Event::Open(conversation, turn) => return self.state.open_marked(conversation, turn, cx),
                marks::Event::Unmark(conversation, turn) => self.state.unmark(turn, conversation, cx),
            },
            Over::Purge(id, confirm) => match confirm.key(key) {
                Answer::Chosen => return self.state.purge(*id, cx),
                Answer::Cancelled => return,
                Answer::Open => {}
            },
            Over::Details(details) => {
                if Modal::<()>::key(details, key, cx) == Step::Close {
                    return;
                }
            }
            Over::Rename(_, line) | Over::SaveAs(line, _) => {
                if escape {
                    return;
                }
                line.key(key);
            }
        }
        self.state.over = Some(over);
    }
}
