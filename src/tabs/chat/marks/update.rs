//! Marks a turn, takes a mark back, edits what the answer should have been.

use crate::component::{Cx, Notice};
use crate::record::{Id, Mark, Query, Record};
use crate::tabs::chat::state::{ChatPane, Request, State};
use crate::ui::editor::Editor;

impl State {
    /// Asks for the marks of a conversation's turns.
    pub(crate) fn load_marks(&mut self, id: Id, cx: &mut Cx) {
        let ticket = cx.load(Query::MarksOf(id));
        self.pending.insert(ticket, Request::Marks);
    }

    /// Takes the marks of a conversation's turns.
    pub(crate) fn marked(&mut self, marks: Vec<Mark>) {
        for mark in marks {
            let turn = mark.turn;
            // A mark that was made here meanwhile is newer.
            if self.marks.get(&turn).is_none_or(|own| own.at_ms < mark.at_ms) {
                self.marks.insert(turn, mark);
                self.view_requests.redraw(turn);
            }
        }
    }

    /// Marks an answer as good, or takes the mark back.
    pub(crate) fn mark(&mut self, turn: Id, cx: &mut Cx) {
        let Some(found) = self.conversation().tree.turn(turn) else { return };
        if found.role != "assistant" {
            return cx.notify(Notice::warn("only answers are marked; go to one with j and k"));
        }
        if self.conversation().streaming(turn) || found.content.is_empty() {
            return cx.notify(Notice::warn("no complete answer to mark yet"));
        }
        match self.marks.get(&turn) {
            Some(mark) if mark.ideal.is_some() => {
                cx.notify(
                    Notice::info("this answer has an ideal version: A edits it, v lists and unmarks").about("mark"),
                );
            }
            Some(_) => self.unmark(turn, self.open, cx),
            None => self.save_mark(Mark { turn, ideal: None, at_ms: cx.unix_ms }, cx),
        }
    }

    /// Opens the editor for what an answer should have been.
    pub(crate) fn begin_ideal(&mut self, turn: Id, cx: &mut Cx) {
        let Some(found) = self.conversation().tree.turn(turn) else { return };
        if found.role != "assistant" || self.conversation().streaming(turn) {
            return cx.notify(Notice::warn("only complete answers can have an ideal version; go to one with j and k"));
        }
        let ideal = self.marks.get(&turn).and_then(|mark| mark.ideal.clone());
        let text = ideal.unwrap_or_else(|| found.content.clone());
        self.open_ideal(turn, &text);
    }

    /// Saves the editor's text as the ideal answer; a mark with the answer's own words is one without.
    pub(crate) fn end_ideal(&mut self, turn: Id, text: &str, cx: &mut Cx) {
        if text.trim().is_empty() {
            return;
        }
        let Some(found) = self.conversation().tree.turn(turn) else { return };
        let mut given = Editor::new("");
        given.edit(&found.content);
        let ideal = (found.content != *text && given.text() != text).then(|| text.into());
        match self.marks.get(&turn) {
            Some(mark) if mark.ideal == ideal => return,
            // Viewing the answer's own words without a change marks nothing.
            None if ideal.is_none() => return,
            _ => {}
        }
        self.save_mark(Mark { turn, ideal, at_ms: cx.unix_ms }, cx);
    }

    fn save_mark(&mut self, mark: Mark, cx: &mut Cx) {
        self.marks.insert(mark.turn, mark.clone());
        self.view_requests.redraw(mark.turn);
        let record = Record::Mark(Box::new(mark));
        self.save(self.open, record, cx);
    }

    /// Takes a mark back.
    pub(crate) fn unmark(&mut self, turn: Id, conversation: Id, cx: &mut Cx) {
        self.marks.remove(&turn);
        self.view_requests.redraw(turn);
        self.save(conversation, Record::DeleteMark(turn), cx);
    }

    /// Shows a marked answer in its conversation.
    pub(crate) fn open_marked(&mut self, conversation: Id, turn: Id, cx: &mut Cx) {
        self.focus = ChatPane::Transcript;
        self.view_requests.goal = Some((conversation, turn));
        self.open(conversation, cx);
        self.reach_goal(conversation, cx);
    }

    /// Shows the branch with the turn that is to be looked at, and selects it, once the conversation is here.
    pub(crate) fn reach_goal(&mut self, id: Id, cx: &mut Cx) {
        let Some((_, turn)) =
            self.view_requests.goal.filter(|(conversation, _)| *conversation == id && id == self.open)
        else {
            return;
        };
        if !self.conversation().loaded {
            return;
        }
        self.view_requests.goal = None;
        let conversation = self.conversation_mut();
        if conversation.tree.contains(turn) {
            let leaf = conversation.tree.latest_leaf(turn);
            conversation.go_to(Some(leaf));
            self.view_requests.turn = Some(turn);
            self.load_all(id, cx);
        }
    }
}
