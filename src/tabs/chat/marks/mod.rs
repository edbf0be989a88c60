//! Turns that were marked to learn from: the marks themselves, what a marked answer should have been, and the page that
//! lists them all and makes rows of them.

mod export;
pub(super) mod keys;
mod page;
pub(super) mod training_rows;

use std::collections::HashMap;

pub(super) use self::page::{MarksEvent, MarksPage};
use super::conversation::OpenConversation;
use crate::api::call::Ticket;
use crate::component::{Cx, Notice};
use crate::record::{Id, Mark, Query, Record, Rows, Stored};
use crate::text::Untrusted;
use crate::ui::editor::Editor;

/// The marks of turns that are here, and the page with all of them.
#[derive(Debug, Default)]
pub(super) struct Marks {
    by_turn: HashMap<Id, Mark>,
    /// The page, while it is open.
    pub(super) page: Option<Box<MarksPage>>,
    /// Marks of conversations that the store was asked for.
    loads: Vec<Ticket>,
}

impl Marks {
    pub(super) fn get(&self, turn: Id) -> Option<&Mark> {
        self.by_turn.get(&turn)
    }

    /// Forgets the mark of a turn that is deleted, and returns it.
    pub(super) fn remove(&mut self, turn: Id) -> Option<Mark> {
        self.by_turn.remove(&turn)
    }

    /// Takes the mark of a turn that comes back.
    pub(super) fn put_back(&mut self, mark: Mark) {
        self.by_turn.insert(mark.turn, mark);
    }

    /// Asks for the marks of a conversation's turns.
    pub(super) fn load(&mut self, id: Id, cx: &mut Cx) {
        self.loads.push(cx.load(Query::MarksOf(id)));
    }

    /// Returns whether a ticket is of marks that were asked for, which come now.
    pub(super) fn take_load(&mut self, ticket: Ticket) -> bool {
        let found = self.loads.iter().position(|load| *load == ticket);
        found.map(|at| self.loads.swap_remove(at)).is_some()
    }

    /// Takes the marks of a conversation's turns. Returns the turns whose marks are others now.
    pub(super) fn loaded(&mut self, stored: Stored, cx: &mut Cx) -> Vec<Id> {
        let marks = match stored {
            Stored::Rows(Rows::Marks(_, marks)) => marks,
            Stored::Failed(why) => {
                cx.notify(Notice::error(why));
                Vec::new()
            }
            _ => Vec::new(),
        };
        let mut changed = Vec::new();
        for mark in marks {
            let turn = mark.turn;
            // A mark that was made here meanwhile is newer.
            if self.get(turn).is_none_or(|own| own.at_ms < mark.at_ms) {
                self.by_turn.insert(turn, mark);
                changed.push(turn);
            }
        }
        changed
    }

    /// Marks an answer as good, or takes the mark back. Returns what keeps that.
    pub(super) fn toggle(&mut self, conversation: &OpenConversation, turn: Id, cx: &mut Cx) -> Option<Record> {
        let found = conversation.tree.turn(turn)?;
        let refusal = if found.role != "assistant" {
            Notice::warn("only answers are marked; go to one with j and k")
        } else if conversation.streaming(turn) || found.content.is_empty() {
            Notice::warn("no complete answer to mark yet")
        } else {
            match self.get(turn) {
                Some(mark) if mark.ideal.is_some() => {
                    Notice::info("this answer has an ideal version: A edits it, v lists and unmarks").about("mark")
                }
                Some(_) => return Some(self.unmark(turn)),
                None => return Some(self.put(Mark { turn, ideal: None, at_ms: cx.unix_ms })),
            }
        };
        cx.notify(refusal);
        None
    }

    /// Returns the text with which the editor for what an answer should have been begins.
    pub(super) fn ideal(&self, conversation: &OpenConversation, turn: Id, cx: &mut Cx) -> Option<Untrusted> {
        let found = conversation.tree.turn(turn)?;
        if found.role != "assistant" || conversation.streaming(turn) {
            cx.notify(Notice::warn("only complete answers can have an ideal version; go to one with j and k"));
            return None;
        }
        let ideal = self.get(turn).and_then(|mark| mark.ideal.clone());
        Some(ideal.unwrap_or_else(|| found.content.clone()))
    }

    /// Takes the editor's text as the ideal answer; a mark with the answer's own words is one without. Returns what
    /// keeps that; `None`: nothing has changed.
    pub(super) fn set_ideal(
        &mut self,
        conversation: &OpenConversation,
        turn: Id,
        text: &str,
        unix_ms: i64,
    ) -> Option<Record> {
        let found = conversation.tree.turn(turn).filter(|_| !text.trim().is_empty())?;
        let mut given = Editor::new("");
        given.edit(&found.content);
        let ideal = (found.content != *text && given.text() != text).then(|| text.into());
        match self.get(turn) {
            Some(mark) if mark.ideal == ideal => None,
            // Viewing the answer's own words without a change marks nothing.
            None if ideal.is_none() => None,
            _ => Some(self.put(Mark { turn, ideal, at_ms: unix_ms })),
        }
    }

    fn put(&mut self, mark: Mark) -> Record {
        self.by_turn.insert(mark.turn, mark.clone());
        Record::Mark(Box::new(mark))
    }

    /// Takes a mark back. Returns what keeps that.
    pub(super) fn unmark(&mut self, turn: Id) -> Record {
        self.by_turn.remove(&turn);
        Record::DeleteMark(turn)
    }

    /// Closes the page. Returns whether it is closed now.
    pub(super) fn close_page(&mut self, cx: &mut Cx) -> bool {
        if self.page.as_ref().is_some_and(|page| !page.may_close(cx)) {
            return false;
        }
        self.page = None;
        true
    }
}
