//! Keys while something lies over the panes.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use super::Chat;
use super::state::{Focus, Over};
use crate::tabs::Cx;
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
                    self.state.filter.clear();
                    self.state.found.clear();
                    return;
                }
                if line.key(key) {
                    line.text().clone_into(&mut self.state.filter);
                    self.state.cursor.selected = 0;
                    self.state.search(cx);
                }
                if enter {
                    let rows = self.state.list();
                    self.walk(0, &rows);
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
                    self.view.find_next(true);
                }
                if enter {
                    self.state.focus = Focus::Transcript;
                    return;
                }
            }
            Over::System(editor) => {
                if escape || (key.code == KeyCode::Char('r') && key.modifiers.contains(KeyModifiers::CONTROL)) {
                    // Nothing typed is lost: closing keeps it.
                    let id = self.state.open;
                    self.state.room_mut().conversation.system = editor.text();
                    return self.state.keep_conversation(id, cx);
                }
                if enter || (key.code == KeyCode::Char('j') && key.modifiers.contains(KeyModifiers::CONTROL)) {
                    editor.insert_newline();
                } else {
                    editor.key(key);
                }
            }
            Over::Purge(id, confirm) => match confirm.key(key) {
                Answer::Chosen => return self.state.purge(*id, cx),
                Answer::Cancelled => return,
                Answer::Open => {}
            },
            Over::Details(_, scroll) => match key.code {
                KeyCode::Char('j') | KeyCode::Down => *scroll += 1,
                KeyCode::Char('k') | KeyCode::Up => *scroll = scroll.saturating_sub(1),
                KeyCode::Esc | KeyCode::Char('d' | 'q') | KeyCode::Enter => return,
                _ => {}
            },
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
