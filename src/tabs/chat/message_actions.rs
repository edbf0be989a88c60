//! Actions on the transcript and its messages.

use super::Chat;
use super::conversation::{AnswerRequest, is_answer};
use super::dialogs;
use super::keys::Action;
use super::reasoning::ReasoningSplit;
use super::request::chat_request;
use super::responders::Responder;
use super::state::ChatPane;
use crate::api::call::Call;
use crate::component::{Cx, Effect, Notice, Offer, PictureDialog, TextViewer};
use crate::record::{Block, Id};
use crate::text::Untrusted;

impl Chat {
    pub(super) fn act_in_transcript(&mut self, action: Action, cx: &mut Cx) {
        if self.act_on_comparison(action, cx) {
            return;
        }
        let target = self.target();
        match action {
            Action::NextMessage => self.view.transcript().select_entry(1),
            Action::PreviousMessage => self.view.transcript().select_entry(-1),
            Action::NextBlock => self.view.transcript().select_code(1),
            Action::PreviousBlock => self.view.transcript().select_code(-1),
            Action::Top => {
                self.view.transcript().top();
                self.state.view_requests.to_top = !self.state.conversation().unloaded().is_empty();
                self.state.conversations.load_all(cx);
            }
            Action::Bottom => {
                self.state.view_requests.to_top = false;
                self.view.transcript().set_follow(true);
            }
            Action::PageUp => self.view.transcript().page(-1),
            Action::PageDown => self.view.transcript().page(1),
            Action::HalfUp => self.view.half_page(-1),
            Action::HalfDown => self.view.half_page(1),
            Action::Follow => {
                let following = self.view.transcript().follow();
                self.view.transcript().set_follow(!following);
            }
            Action::Raw => self.view.transcript_view().toggle_raw(self.state.conversation()),
            Action::Fold if !self.view.transcript_view().toggle_fold() => {
                cx.notify(Notice::info("only messages longer than 2,000 rows fold"));
            }
            Action::Probabilities => self.open_probabilities(target, cx),
            Action::CopyBlock | Action::CopyRaw => self.copy(action == Action::CopyRaw, target, cx),
            Action::Offer => {
                let turn = target.and_then(|turn| self.state.conversation().tree.turn(turn));
                if let Some(text) = turn.map(|turn| turn.said().into_owned()).filter(|text| !text.is_empty()) {
                    cx.push(Effect::Offer(Offer::Text(text)));
                }
            }
            Action::OfferAll => self.state.offer_all(cx),
            Action::Save => {
                if let Some((text, name)) = self.block(target) {
                    self.state.modals.open(dialogs::save(&name, text));
                }
            }
            _ => {}
        }
        if let Some(target) = target {
            self.act_on_turn(action, target, cx);
        }
        if self.view.borrow_transcript().wants_older() {
            self.state.conversations.load_turns(self.state.conversations.open, cx);
        }
    }

    /// Returns the turn that keys act on: the selected one, else the last.
    pub(super) fn target(&self) -> Option<Id> {
        self.view.selected().or_else(|| self.state.conversation().path.last().copied())
    }

    /// Does what acts on versions shown side by side. Returns whether it did.
    fn act_on_comparison(&mut self, action: Action, cx: &mut Cx) -> bool {
        let page = self.view.rows() as isize;
        let Some(comparison) = self.view.comparison() else { return false };
        match action {
            Action::NextMessage => comparison.scroll(1),
            Action::PreviousMessage => comparison.scroll(-1),
            Action::HalfDown => comparison.scroll(page / 2),
            Action::HalfUp => comparison.scroll(-page / 2),
            Action::PageDown => comparison.scroll(page),
            Action::PageUp => comparison.scroll(-page),
            Action::Top => comparison.scroll(isize::MIN),
            Action::Bottom => comparison.scroll(isize::MAX),
            Action::Older | Action::Newer => {
                let way = if action == Action::Older { -1 } else { 1 };
                let turn = comparison.turn;
                if self.state.switch_version(turn, way, cx) {
                    self.view.set_comparison(self.state.conversation().adjacent_version(turn, way));
                }
            }
            Action::SideBySide => self.view.set_comparison(None),
            _ => return false,
        }
        true
    }

    fn act_on_turn(&mut self, action: Action, target: Id, cx: &mut Cx) {
        match action {
            Action::Regenerate => {
                self.state.regenerate(target, cx);
                self.view.transcript().select(None);
                self.view.transcript().set_follow(true);
            }
            Action::Edit => {
                let target = self.asked_by(target);
                self.state.edit(target, cx);
            }
            Action::Change => {
                let conversation = self.state.conversations.current();
                if let Some(found) = conversation.tree.turn(target).filter(|_| conversation.can_change(cx)) {
                    self.state.modals.open(dialogs::change(target, &found.content));
                }
            }
            Action::DeleteTurn => {
                self.state.delete_turn(target, cx);
                self.view.transcript().select(None);
            }
            Action::Curl => self.copy_curl(target, cx),
            Action::Continue => self.state.continue_answer(target, cx),
            Action::Older | Action::Newer | Action::SideBySide => self.act_on_versions(action, target, cx),
            Action::Reasoning => self.view.transcript_view().toggle_reasoning(target),
            Action::Mark => {
                let record = self.state.marks.toggle(self.state.conversations.current(), target, cx);
                self.state.save_mark(target, record, cx);
            }
            Action::Ideal => {
                if let Some(text) = self.state.marks.ideal(self.state.conversations.current(), target, cx) {
                    self.state.modals.open(dialogs::ideal(target, &text));
                }
            }
            Action::Details => match self.state.conversation().failures.get(&target).map(TextViewer::of_failure) {
                Some(viewer) => self.state.modals.open(viewer),
                None => cx.notify(Notice::info("no details: nothing failed here")),
            },
            Action::Pictures => {
                let turn = self.state.conversation().tree.turn(target);
                match turn.and_then(|turn| PictureDialog::new(&turn.blocks, cx)) {
                    Some(dialog) => self.state.modals.open(dialog),
                    None => cx.notify(Notice::info("this message has no image")),
                }
            }
            Action::Trash => self.state.set_trashed(self.state.conversations.open, true, cx),
            _ => {}
        }
    }

    /// Shows another version of a turn, or all of them side by side.
    fn act_on_versions(&mut self, action: Action, target: Id, cx: &mut Cx) {
        if action != Action::SideBySide {
            let way = if action == Action::Older { -1 } else { 1 };
            let turn = self.versions_of(target);
            match self.state.conversation().adjacent_version(turn, way) {
                Some(next) if self.state.switch_version(turn, way, cx) => {
                    // The message stays selected, so that the opposite key leads back.
                    self.view.transcript_view().select(next, None);
                }
                _ => cx.notify(Notice::warn("no other version in that direction").about("version")),
            }
        } else if self.state.conversation().tree.version(target).1 > 1 {
            self.view.set_comparison(Some(target));
            let tree = &self.state.conversation().tree;
            let versions = tree.siblings(target).iter().copied();
            let missing = versions.filter(|id| tree.turn(*id).is_none()).collect();
            self.state.conversations.load_these(self.state.conversations.open, missing, cx);
        } else {
            cx.notify(Notice::warn("only one version; r makes another"));
        }
    }

    /// Returns the turn whose versions `<` and `>` go through: this one, or the prompt it answers where it has only
    /// one; while none is selected, the last one that has several.
    pub(super) fn versions_of(&self, turn: Id) -> Id {
        let conversation = self.state.conversation();
        let several = |id: &Id| conversation.tree.version(*id).1 > 1;
        if several(&turn) {
            return turn;
        }
        let asked = self.asked_by(turn);
        if several(&asked) || self.view.selected().is_some() {
            return asked;
        }
        conversation.path.iter().rev().copied().find(several).unwrap_or(asked)
    }

    /// Returns the turn itself if somebody wrote it, else the one it answers.
    fn asked_by(&self, turn: Id) -> Id {
        let tree = &self.state.conversation().tree;
        match tree.turn(turn) {
            Some(found) if is_answer(found) => tree.parent(turn).unwrap_or(turn),
            _ => turn,
        }
    }

    /// Opens the strip of the selected answer or the last one; what is not here is asked of the store.
    fn open_probabilities(&mut self, target: Option<Id>, cx: &mut Cx) {
        let conversation = self.state.conversation();
        let answer = |id: &Id| conversation.tree.turn(*id).is_some_and(is_answer);
        let turn = match self.view.selected() {
            Some(selected) => Some(selected).filter(answer),
            None => target.filter(answer).or_else(|| conversation.path.iter().rev().copied().find(answer)),
        };
        let Some(turn) = turn else { return cx.notify(Notice::info("only answers have probabilities")) };
        self.state.conversations.load_tokens(turn, cx);
        self.state.probabilities.open(turn, self.state.conversations.current());
        self.state.focus = ChatPane::Probabilities;
    }

    /// Copies the request for this answer, or for an answer to this message, as a command for a shell.
    fn copy_curl(&mut self, turn: Id, cx: &mut Cx) {
        let id = self.state.conversations.open;
        let conversation = self.state.conversations.current();
        let Some(found) = conversation.tree.turn(turn) else { return };
        let answer = Some(found).filter(|found| is_answer(found));
        let parent = answer.and_then(|found| found.parent).unwrap_or(turn);
        let missing = conversation.missing(parent);
        if !missing.is_empty() {
            cx.notify(Notice::info("the beginning of this conversation is still being read; C again in a moment"));
            return self.state.conversations.load_these(id, missing, cx);
        }
        let responder = self.state.comparisons.like(id, answer.map(|found| &found.model), cx.session);
        let asking = AnswerRequest { parent, continues: None, replaces: None, responder };
        let Responder { profile, model } = &asking.responder;
        match chat_request(conversation, &asking, model) {
            Ok(request) => cx.push(Effect::CopyCurl(profile.clone(), Call::Chat(Box::new(request)))),
            Err(why) => cx.notify(Notice::error(format!("not copied: {why}"))),
        }
    }

    /// Returns the selected block's text and a name for its file.
    fn block(&self, target: Option<Id>) -> Option<(Untrusted, String)> {
        if let Some(turn) = self.view.borrow_transcript().selected_reasoning() {
            // This also works while it is folded.
            let (text, range) = ReasoningSplit::of(self.state.conversation().tree.turn(turn)?).reasoning();
            return Some((text.part(range), "reasoning.md".to_owned()));
        }
        if let Some((turn, at)) = self.view.borrow_transcript().selected_block() {
            let block = self.state.conversation().tree.turn(turn)?.blocks.get(at)?;
            return Some(match block {
                // The white space with which it is shown is not copied.
                Block::Call { arguments, .. } => (arguments.clone(), "arguments.json".to_owned()),
                block => (block.text(), "message.md".to_owned()),
            });
        }
        if let Some((text, language)) = self.view.borrow_transcript().block_text() {
            return Some((text, format!("block.{}", extension(&language.line()))));
        }
        let turn = self.state.conversation().tree.turn(target?)?;
        Some((turn.said().into_owned(), "message.md".to_owned()))
    }

    fn copy(&self, raw: bool, target: Option<Id>, cx: &mut Cx) {
        let text = if raw {
            target.and_then(|turn| self.state.conversation().tree.turn(turn)).map(|turn| turn.said().into_owned())
        } else {
            self.block(target).map(|(text, _)| text)
        };
        match text {
            Some(text) if !text.is_empty() => cx.copy(text),
            _ => cx.notify(Notice::warn("there is nothing to copy here")),
        }
    }
}

/// Returns a file name's end for a fence's language.
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
