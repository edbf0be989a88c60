//! Keys become actions, actions change the state.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use super::Chat;
use super::keys::Action;
use super::list::Row;
use super::params;
use super::state::{Focus, Over, State};
use crate::record::{Id, TurnStatus};
use crate::tabs::{Cx, Effect, Notice};
use crate::ui::editor::{Edit, Editor};
use crate::ui::form;
use crate::ui::line::Line;
use crate::ui::overlay::Confirm;

/// Questions to begin with.
pub(super) const EXAMPLES: [&str; 3] =
    ["How do I send a message?", "What is top_p, and when do I change it?", "Show me a config.toml with two profiles"];

impl Chat {
    pub(super) fn on_key(&mut self, key: KeyEvent, cx: &mut Cx) {
        if self.state.over.is_some() {
            return self.over_key(key, cx);
        }
        let was_x = std::mem::take(&mut self.after_x);
        if key.code == KeyCode::Esc {
            return self.escape_key(cx);
        }
        match self.state.focus {
            Focus::Composer => self.composer_key(key, was_x, cx),
            Focus::Transcript => {
                if let Some(action) = self.transcript_keys.find(&key) {
                    self.act(action, cx);
                }
            }
            Focus::List => {
                if let Some(action) = self.list_keys.find(&key) {
                    self.act(action, cx);
                }
            }
            Focus::Params => self.params_key(key, cx),
        }
    }

    fn composer_key(&mut self, key: KeyEvent, was_x: bool, cx: &mut Cx) {
        let control = key.modifiers.contains(KeyModifiers::CONTROL);
        if was_x && control && key.code == KeyCode::Char('e') {
            return self.act(Action::External, cx);
        }
        self.after_x = control && key.code == KeyCode::Char('x');
        let newline_first = cx.session.enter_newline;
        let action = match self.composer_keys.find(&key) {
            Some(Action::Submit) if newline_first => Some(Action::Newline),
            Some(Action::Newline) if newline_first && key.modifiers.contains(KeyModifiers::ALT) => Some(Action::Submit),
            action => action,
        };
        if let Some(action) = action {
            return self.act(action, cx);
        }
        let state = &mut self.state;
        let blank = state.room().is_blank() && state.editor.is_empty();
        match key.code {
            KeyCode::Up if blank => state.example = state.example.checked_sub(1).unwrap_or(EXAMPLES.len() - 1),
            KeyCode::Down if blank => state.example = (state.example + 1) % EXAMPLES.len(),
            KeyCode::Up if state.editor.on_first_row() => state.recall(1, cx),
            KeyCode::Down if state.history.is_some() && state.editor.on_last_row() => state.recall(-1, cx),
            _ => {
                if state.editor.key(key) == Edit::Changed {
                    state.drafted(cx.now);
                }
            }
        }
    }

    /// Esc takes one layer away: what is found or filtered, the stream, the caret. Never text.
    fn escape_key(&mut self, cx: &mut Cx) {
        let state = &mut self.state;
        if state.drawer {
            state.drawer = false;
            state.focus = Focus::Transcript;
        } else if state.focus == Focus::Params {
            if state.form.typing() {
                state.form.key(KeyEvent::from(KeyCode::Esc));
            } else {
                state.close_params();
            }
        } else if !state.find.is_empty() {
            state.find.clear();
            self.view.find("");
        } else if state.focus == Focus::List && !state.filter.is_empty() {
            state.filter.clear();
            state.found.clear();
        } else if self.view.side_by_side() {
            self.view.set_side_by_side(None);
        } else if self.view.selected().is_some() && state.focus == Focus::Transcript && !state.room().is_busy() {
            self.view.deselect();
        } else if state.stop(cx) || state.drop_edit(cx) {
        } else if matches!(state.focus, Focus::Composer | Focus::List) {
            state.focus = Focus::Transcript;
        }
    }

    /// What the next Esc does.
    pub(super) fn escape_hint(&self) -> Option<&'static str> {
        let state = &self.state;
        Some(match () {
            () if state.over.is_some() => "close",
            () if state.drawer => "close list",
            () if state.focus == Focus::Params => "close",
            () if !state.find.is_empty() => "end find",
            () if state.focus == Focus::List && !state.filter.is_empty() => "clear filter",
            () if self.view.side_by_side() => "close",
            () if self.view.selected().is_some() && state.focus == Focus::Transcript && !state.room().is_busy() => {
                "deselect"
            }
            () if state.room().answer.as_ref().is_some_and(super::room::Answer::is_counting) => "give up",
            () if state.room().is_busy() => "stop",
            () if state.editing.is_some() => "drop edit",
            () if state.focus == Focus::Composer => "browse",
            () if state.focus == Focus::List => "transcript",
            () => return None,
        })
    }

    fn params_key(&mut self, key: KeyEvent, cx: &mut Cx) {
        match self.state.form.key(key) {
            form::Event::Change(name, text) => self.set_param(name, &text, cx),
            form::Event::Close => self.state.close_params(),
            form::Event::Ignored => match key.code {
                KeyCode::Tab | KeyCode::BackTab => self.act(Action::NextPane, cx),
                KeyCode::Char('t') => self.state.close_params(),
                KeyCode::Char('m') => self.act(Action::Model, cx),
                KeyCode::Char('p') => self.act(Action::System, cx),
                _ => {}
            },
            form::Event::None => {}
        }
    }

    fn set_param(&mut self, name: &'static str, text: &str, cx: &mut Cx) {
        let state = &mut self.state;
        let id = state.open;
        match params::set(&mut state.room_mut().conversation.params, name, text) {
            Ok(()) => {
                state.form.set(name, text.to_owned());
                state.keep_conversation(id, cx);
            }
            Err(why) => state.form.refuse(why),
        }
    }

    pub(super) fn act(&mut self, action: Action, cx: &mut Cx) {
        match action {
            Action::Submit => self.submit(cx),
            Action::Send => self.send(cx),
            Action::Newline => {
                self.state.editor.insert_newline();
                self.state.drafted(cx.now);
            }
            Action::NextPane => self.go(1, cx),
            Action::PreviousPane => self.go(-1, cx),
            Action::External => cx.push(Effect::Edit),
            Action::NextRole => self.next_role(),
            Action::ExpandPaste => {
                if self.state.editor.expand_chip() {
                    self.state.drafted(cx.now);
                }
            }
            Action::Write => {
                if !self.state.hurry(cx) {
                    self.state.focus = Focus::Composer;
                    self.state.drawer = false;
                }
            }
            Action::Model => cx.push(Effect::ChooseModel),
            Action::System => {
                let mut editor = Editor::new("How the model should behave; empty: nothing is sent");
                editor.set_text(&self.state.room().conversation.system);
                self.state.over = Some(Over::System(Box::new(editor)));
            }
            Action::Params => {
                self.state.open_params();
            }
            Action::Find => self.state.over = Some(Over::Find(Line::new(self.state.find.clone()))),
            Action::Filter => self.state.over = Some(Over::Filter(Line::new(self.state.filter.clone()))),
            Action::New if self.state.focus == Focus::Transcript && !self.state.find.is_empty() => {
                self.view.find_next(false);
            }
            Action::New => self.state.fresh(cx),
            Action::FindBack => {
                self.view.find_next(true);
            }
            Action::SideList => self.side_list(cx),
            Action::Undo if self.state.focus == Focus::List && self.trashed_row().is_some() => {
                if let Some(id) = self.trashed_row() {
                    self.state.trash(id, false, cx);
                }
            }
            Action::Undo => match self.state.trashed.last().copied() {
                Some(id) => self.state.trash(id, false, cx),
                None => cx.notify(Notice::warn("there is nothing to undo")),
            },
            _ if self.state.focus == Focus::List => self.act_in_list(action, cx),
            _ => self.act_in_transcript(action, cx),
        }
    }

    fn submit(&mut self, cx: &mut Cx) {
        if self.state.hurry(cx) {
            return;
        }
        if self.state.editor.is_empty() && self.state.room().is_blank() {
            self.state.editor.set_text(EXAMPLES[self.state.example]);
            self.state.drafted(cx.now);
            return;
        }
        self.send(cx);
    }

    fn send(&mut self, cx: &mut Cx) {
        self.state.send(cx);
        if self.state.room().committing.is_some() {
            self.view.follow(true);
            self.view.deselect();
        }
    }

    fn next_role(&mut self) {
        self.state.role = match self.state.role {
            "user" => "assistant",
            "assistant" => "system",
            _ => "user",
        };
    }

    /// The pane after this one, among those on the screen.
    fn pane(&mut self, way: isize, cx: &Cx) -> Focus {
        let mut panes = vec![Focus::Composer, Focus::Transcript];
        if super::view::list_shown(&self.state, cx.session.area) {
            panes.push(Focus::List);
        }
        if self.state.params.is_some() {
            panes.push(Focus::Params);
        }
        let at = panes.iter().position(|pane| *pane == self.state.focus).unwrap_or(0) as isize;
        panes[(at + way).rem_euclid(panes.len() as isize) as usize]
    }

    /// Goes to that pane; in the list, to the conversation that is open.
    fn go(&mut self, way: isize, cx: &Cx) {
        self.state.focus = self.pane(way, cx);
        if self.state.focus == Focus::List {
            self.state.point_at(self.state.open);
        }
    }

    fn side_list(&mut self, cx: &Cx) {
        let state = &mut self.state;
        if super::view::is_wide(cx.session.area) {
            state.list_hidden = !state.list_hidden;
            if state.list_hidden && state.focus == Focus::List {
                state.focus = Focus::Transcript;
            }
        } else {
            state.drawer = !state.drawer;
            state.focus = if state.drawer { Focus::List } else { Focus::Transcript };
            state.point_at(state.open);
        }
    }

    fn act_in_list(&mut self, action: Action, cx: &mut Cx) {
        let rows = self.state.list();
        let row = rows.get(self.state.cursor.selected).cloned();
        let item = match &row {
            Some(Row::Item { id, trashed, .. }) => Some((*id, *trashed)),
            _ => None,
        };
        match (action, item) {
            (Action::Down, _) => self.walk(1, &rows),
            (Action::Up, _) => self.walk(-1, &rows),
            (Action::Top, _) => {
                self.state.cursor.selected = 0;
                self.walk(0, &rows);
            }
            (Action::Bottom, _) => self.state.cursor.selected = rows.len().saturating_sub(1),
            (Action::Open, Some((id, _))) => {
                self.state.open(id, cx);
                self.state.focus = Focus::Composer;
            }
            (Action::Open, None) if matches!(row, Some(Row::Trash(_))) => {
                self.state.trash_open = !self.state.trash_open;
            }
            (Action::Rename, Some((id, _))) => self.begin_rename(id),
            (Action::Trash, Some((id, false))) => self.state.trash(id, true, cx),
            (Action::Purge, Some((id, true))) => self.state.over = Some(self.purge_question(id)),
            (Action::Purge, _) => cx.notify(Notice::warn("this acts on a conversation in the trash")),
            _ => {}
        }
    }

    /// The conversation under the list's cursor, if it is in the trash.
    fn trashed_row(&self) -> Option<Id> {
        match self.state.list().get(self.state.cursor.selected) {
            Some(Row::Item { id, trashed: true, .. }) => Some(*id),
            _ => None,
        }
    }

    fn purge_question(&self, id: Id) -> Over {
        let title = self.title_of(id);
        let lines = vec![format!("“{title}”"), String::new(), "This cannot be undone.".to_owned()];
        Over::Purge(id, Confirm::new("Delete for good?", lines, "Delete"))
    }

    fn title_of(&self, id: Id) -> String {
        let head = self.state.heads.iter().find(|head| head.conversation.id == id);
        head.map(|head| crate::text::line(&head.conversation.title).into_owned()).unwrap_or_default()
    }

    pub(super) fn begin_rename(&mut self, id: Id) {
        let title =
            self.state.heads.iter().find(|head| head.conversation.id == id).map(|head| head.conversation.title.clone());
        self.state.over = Some(Over::Rename(id, Line::new(title.unwrap_or_default())));
    }

    /// Moves in the list, over section titles.
    pub(super) fn walk(&mut self, by: isize, rows: &[Row]) {
        let cursor = &mut self.state.cursor;
        let step = if by < 0 { -1 } else { 1 };
        if by != 0 {
            cursor.by(step, rows.len());
        }
        let before = cursor.selected;
        while matches!(rows.get(cursor.selected), Some(Row::Section(_))) {
            cursor.by(step, rows.len());
            if cursor.selected == 0 || cursor.selected + 1 == rows.len() {
                break;
            }
        }
        if matches!(rows.get(cursor.selected), Some(Row::Section(_))) {
            cursor.selected = (before + 1).min(rows.len().saturating_sub(1));
        }
    }

    fn act_in_transcript(&mut self, action: Action, cx: &mut Cx) {
        let target = self.view.selected().or_else(|| self.state.room().path.last().copied());
        match action {
            Action::NextMessage => self.view.select_entry(1),
            Action::PreviousMessage => self.view.select_entry(-1),
            Action::NextBlock => self.view.select_block(1),
            Action::PreviousBlock => self.view.select_block(-1),
            Action::Top => self.view.top(),
            Action::Bottom => self.view.follow(true),
            Action::PageUp => self.view.page(-1),
            Action::PageDown => self.view.page(1),
            Action::HalfUp => self.view.half_page(-1),
            Action::HalfDown => self.view.half_page(1),
            Action::Follow => {
                let following = self.view.is_following();
                self.view.follow(!following);
            }
            Action::Raw => self.view.toggle_raw(&self.state),
            Action::Fold => self.view.toggle_fold(target),
            Action::Reasoning => self.view.toggle_reasoning(target),
            Action::CopyBlock | Action::CopyRaw => self.copy(action == Action::CopyRaw, target, cx),
            Action::Save => {
                if let Some((text, name)) = self.block(target) {
                    self.state.over = Some(Over::SaveAs(Line::new(name), text));
                }
            }
            _ => {}
        }
        if let Some(target) = target {
            self.act_on_turn(action, target, cx);
        }
        if self.view.wants_older() {
            self.state.load_turns(self.state.open, cx);
        }
    }

    fn act_on_turn(&mut self, action: Action, target: Id, cx: &mut Cx) {
        match action {
            Action::Regenerate => {
                self.state.regenerate(target, cx);
                self.view.deselect();
                self.view.follow(true);
            }
            Action::Edit => {
                let target = self.asked_by(target);
                self.state.edit(target, cx);
            }
            Action::Continue => self.state.go_on(target, cx),
            Action::Older | Action::Newer => {
                let way = if action == Action::Older { -1 } else { 1 };
                // Versions of the message, or of the prompt above it when the answer has only one.
                let turn = if self.state.room().tree.version(target).1 > 1 { target } else { self.asked_by(target) };
                if self.state.switch(turn, way, cx) {
                    self.view.deselect();
                } else {
                    cx.notify(Notice::warn("there is no other version that way"));
                }
            }
            Action::SideBySide => {
                if self.state.room().tree.version(target).1 > 1 {
                    self.view.set_side_by_side(Some(target));
                } else {
                    cx.notify(Notice::warn("this message has only one version; r makes another"));
                }
            }
            Action::Details if self.state.room().failures.contains_key(&target) => {
                self.state.over = Some(Over::Details(target, 0));
            }
            Action::Details => cx.notify(Notice::ok("no details: nothing failed here in this run")),
            Action::Trash => self.state.trash(self.state.open, true, cx),
            _ => {}
        }
    }

    /// The turn itself if somebody wrote it, else the one it answers.
    fn asked_by(&self, turn: Id) -> Id {
        let tree = &self.state.room().tree;
        match tree.turn(turn) {
            Some(found) if found.role == "assistant" => tree.parent(turn).unwrap_or(turn),
            _ => turn,
        }
    }

    /// The selected block's text and a name for its file.
    fn block(&self, target: Option<Id>) -> Option<(String, String)> {
        if let Some((text, language)) = self.view.block_text() {
            return Some((text, format!("block.{}", extension(&language))));
        }
        let turn = self.state.room().tree.turn(target?)?;
        Some((turn.content.clone(), "message.md".to_owned()))
    }

    fn copy(&mut self, raw: bool, target: Option<Id>, cx: &mut Cx) {
        let whole = || self.state.room().tree.turn(target?).map(|turn| turn.content.clone());
        let text = if raw { whole() } else { self.block(target).map(|(text, _)| text) };
        match text {
            Some(text) if !text.is_empty() => cx.copy(text),
            _ => cx.notify(Notice::warn("there is nothing to copy here")),
        }
    }
}

impl super::room::Answer {
    /// Whether a retry's countdown runs.
    pub(super) fn is_counting(&self) -> bool {
        matches!(self.run.phase, crate::tabs::generation::Phase::Retrying { .. })
    }
}

impl State {
    /// Why a turn can be continued; `None`: it cannot.
    pub(super) fn unfinished(turn: &crate::record::Turn) -> bool {
        turn.finish_reason == "length" || matches!(turn.status, TurnStatus::Stopped | TurnStatus::CutOff)
    }
}

/// A file name's end for a fence's language.
fn extension(language: &str) -> &str {
    match language {
        "rust" => "rs",
        "python" => "py",
        "javascript" => "js",
        "typescript" => "ts",
        "bash" | "shell" | "zsh" => "sh",
        "markdown" => "md",
        "" | "text" => "txt",
        other if other.len() <= 8 && other.bytes().all(|byte| byte.is_ascii_alphanumeric()) => other,
        _ => "txt",
    }
}
