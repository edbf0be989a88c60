//! What acts on the transcript and its messages.

use super::Chat;
use super::keys::Action;
use super::room::{Asking, Voice};
use super::state::State;
use super::thought::Shown;
use crate::api::call::Call;
use crate::component::{Cx, Effect, Notice, Offer};
use crate::record::{Block, Id};
use crate::text::Untrusted;

impl Chat {
    pub(super) fn act_in_transcript(&mut self, action: Action, cx: &mut Cx) {
        if self.act_beside(action, cx) {
            return;
        }
        let target = self.view.selected().or_else(|| self.state.room().path.last().copied());
        match action {
            Action::NextMessage => self.view.select_entry(1),
            Action::PreviousMessage => self.view.select_entry(-1),
            Action::NextBlock => self.view.select_block(1),
            Action::PreviousBlock => self.view.select_block(-1),
            Action::Top => {
                self.view.top();
                self.state.to_top = !self.state.room().unloaded().is_empty();
                self.state.load_all(self.state.open, cx);
            }
            Action::Bottom => {
                self.state.to_top = false;
                self.view.follow(true);
            }
            Action::PageUp => self.view.page(-1),
            Action::PageDown => self.view.page(1),
            Action::HalfUp => self.view.half_page(-1),
            Action::HalfDown => self.view.half_page(1),
            Action::Follow => {
                let following = self.view.is_following();
                self.view.follow(!following);
            }
            Action::Raw => self.view.toggle_raw(&self.state),
            Action::Fold if !self.view.pages().toggle_fold() => {
                cx.notify(Notice::hint("only messages of more than 2,000 rows fold"));
            }
            Action::Reasoning => self.view.toggle_reasoning(target),
            Action::Probabilities => self.probe(target, cx),
            Action::CopyBlock | Action::CopyRaw => self.copy(action == Action::CopyRaw, target, cx),
            Action::Offer => {
                let turn = target.and_then(|turn| self.state.room().tree.turn(turn));
                if let Some(text) = turn.map(|turn| turn.said().into_owned()).filter(|text| !text.is_empty()) {
                    cx.push(Effect::Offer(Offer::Text(text)));
                }
            }
            Action::OfferAll => self.state.offer_all(cx),
            Action::Save => {
                if let Some((text, name)) = self.block(target) {
                    self.state.open_save(name, text);
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

    /// What acts on versions shown side by side. Whether it did.
    fn act_beside(&mut self, action: Action, cx: &mut Cx) -> bool {
        let page = self.view.rows() as isize;
        let Some(beside) = self.view.beside() else { return false };
        match action {
            Action::NextMessage => beside.scroll(1),
            Action::PreviousMessage => beside.scroll(-1),
            Action::HalfDown => beside.scroll(page / 2),
            Action::HalfUp => beside.scroll(-page / 2),
            Action::PageDown => beside.scroll(page),
            Action::PageUp => beside.scroll(-page),
            Action::Top => beside.scroll(isize::MIN),
            Action::Bottom => beside.scroll(isize::MAX),
            Action::Older | Action::Newer => {
                let way = if action == Action::Older { -1 } else { 1 };
                let turn = beside.turn;
                if self.state.switch(turn, way, cx) {
                    self.view.set_beside(self.state.sibling(turn, way));
                }
            }
            Action::SideBySide => self.view.set_beside(None),
            _ => return false,
        }
        true
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
            Action::Change => self.state.begin_change(target, cx),
            Action::DeleteTurn => {
                self.state.delete_turn(target, cx);
                self.view.deselect();
            }
            Action::Curl => self.state.curl(target, cx),
            Action::Continue => self.state.go_on(target, cx),
            Action::Older | Action::Newer => {
                let way = if action == Action::Older { -1 } else { 1 };
                let turn = self.versions_of(target);
                match self.state.sibling(turn, way) {
                    Some(next) if self.state.switch(turn, way, cx) => {
                        // The message stays the one that keys act on: the other way leads back.
                        self.view.pages().select(next, None);
                    }
                    _ => cx.notify(Notice::warn("there is no other version that way").about("version")),
                }
            }
            Action::SideBySide => {
                if self.state.room().tree.version(target).1 > 1 {
                    self.view.set_beside(Some(target));
                    let tree = &self.state.room().tree;
                    let versions = tree.siblings(target).iter().copied();
                    let missing = versions.filter(|id| tree.turn(*id).is_none()).collect();
                    self.state.load_these(self.state.open, missing, cx);
                } else {
                    cx.notify(Notice::warn("this message has only one version; r makes another"));
                }
            }
            Action::Mark => self.state.mark(target, cx),
            Action::Ideal => self.state.begin_ideal(target, cx),
            Action::Details if !self.state.open_details(target) => {
                cx.notify(Notice::hint("no details: nothing failed here"));
            }
            Action::Trash => self.state.trash(self.state.open, true, cx),
            _ => {}
        }
    }

    /// The turn whose versions are walked: this one, or the prompt it answers where it has only one; while none is selected
    /// the last one that has several.
    pub(super) fn versions_of(&self, turn: Id) -> Id {
        let room = self.state.room();
        let several = |id: &Id| room.tree.version(*id).1 > 1;
        if several(&turn) {
            return turn;
        }
        let asked = self.asked_by(turn);
        if several(&asked) || self.view.selected().is_some() {
            return asked;
        }
        room.path.iter().rev().copied().find(several).unwrap_or(asked)
    }

    /// The turn itself if somebody wrote it, else the one it answers.
    fn asked_by(&self, turn: Id) -> Id {
        let tree = &self.state.room().tree;
        match tree.turn(turn) {
            Some(found) if State::is_answer(found) => tree.parent(turn).unwrap_or(turn),
            _ => turn,
        }
    }

    /// The selected block's text and a name for its file.
    fn block(&mut self, target: Option<Id>) -> Option<(Untrusted, String)> {
        if let Some(turn) = self.view.pages().selected_reasoning() {
            // Also while it is folded.
            let (text, range) = Shown::of(self.state.room().tree.turn(turn)?).reasoning();
            return Some((text.part(range), "reasoning.md".to_owned()));
        }
        if let Some((turn, at)) = self.view.pages().selected_block() {
            let block = self.state.room().tree.turn(turn)?.blocks.get(at)?;
            return Some(match block {
                // Without the white space it is shown with.
                Block::Call { arguments, .. } => (arguments.clone(), "arguments.json".to_owned()),
                block => (block.text(), "message.md".to_owned()),
            });
        }
        if let Some((text, language)) = self.view.block_text() {
            return Some((text, format!("block.{}", extension(&language.line()))));
        }
        let turn = self.state.room().tree.turn(target?)?;
        Some((turn.said().into_owned(), "message.md".to_owned()))
    }

    fn copy(&mut self, raw: bool, target: Option<Id>, cx: &mut Cx) {
        let text = if raw {
            target.and_then(|turn| self.state.room().tree.turn(turn)).map(|turn| turn.said().into_owned())
        } else {
            self.block(target).map(|(text, _)| text)
        };
        match text {
            Some(text) if !text.is_empty() => cx.copy(text),
            _ => cx.notify(Notice::warn("there is nothing to copy here")),
        }
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

impl State {
    /// Copies the request for this answer, or for an answer to this message, as a command for a shell.
    pub(super) fn curl(&mut self, turn: Id, cx: &mut Cx) {
        let id = self.open;
        let room = self.room();
        let Some(found) = room.tree.turn(turn) else { return };
        let answer = Some(found).filter(|found| Self::is_answer(found));
        let parent = answer.and_then(|found| found.parent).unwrap_or(turn);
        let voice = self.voice(id, answer.map(|found| &found.model));
        let voice =
            voice.unwrap_or_else(|| Voice { profile: cx.session.profile.clone(), model: cx.session.model.clone() });
        let missing = room.missing(parent);
        if !missing.is_empty() {
            cx.notify(Notice::hint("the beginning of this conversation is still being read; C again in a moment"));
            return self.load_these(id, missing, cx);
        }
        let request = room.request(&Asking { parent, continues: None, replaces: None, voice: None }, &voice.model);
        cx.push(Effect::CopyCurl(voice.profile, Call::Chat(Box::new(request))));
    }

    /// Sends the branch that is shown to another tab, the system prompt first; what of it is still on disk comes before.
    pub(super) fn offer_all(&mut self, cx: &mut Cx) {
        let id = self.open;
        if !self.room().unloaded().is_empty() {
            self.offering = Some(id);
            return self.load_all(id, cx);
        }
        self.offering = None;
        let room = self.room();
        let system = Some(room.conversation.system.as_str()).filter(|system| !system.is_empty());
        let turns = room.path.iter().filter_map(|id| room.tree.turn(*id)).filter(|turn| !turn.is_silent());
        let said = turns.map(|turn| (turn.role.clone(), turn.said().into_owned()));
        let all: Vec<_> = system.map(|text| ("system".into(), text.into())).into_iter().chain(said).collect();
        if !all.is_empty() {
            cx.push(Effect::Offer(Offer::Conversation(room.conversation.title.clone(), all)));
        }
    }
}
