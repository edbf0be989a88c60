//! Actions on the list of conversations.

use super::Chat;
use super::conversation_list::ListEvent;
use super::layout::{list_shown, params_cover};
use super::state::{ChatPane, State};
use crate::component::Cx;
use crate::ui::size_class::has_panes_beside;

impl State {
    /// Closes the page of marked answers. Returns whether it is closed now.
    pub(super) fn close_marks(&mut self, cx: &mut Cx) -> bool {
        if self.marks_page.as_ref().is_some_and(|page| !page.may_close(cx)) {
            return false;
        }
        self.marks_page = None;
        true
    }

    /// Closes the parameters where they cover the conversation.
    pub(super) fn close_covering_params(&mut self, area: (u16, u16)) {
        if params_cover(self, area) {
            self.params.close(&mut self.focus);
        }
    }
}

impl Chat {
    pub(super) fn side_list(&mut self, cx: &mut Cx) {
        let state = &mut self.state;
        if has_panes_beside(cx.session.area.0, cx.session.area.1) {
            state.list.hidden = !state.list.hidden;
            if state.list.hidden && state.focus == ChatPane::List {
                state.focus = ChatPane::Transcript;
            }
        } else {
            state.list.drawer = !state.list.drawer;
            state.focus = if state.list.drawer { ChatPane::List } else { ChatPane::Transcript };
            state.list.items.select(state.open);
        }
        state.load_list(cx);
    }

    /// Begins to type words that conversations are filtered by; where the list is not on the screen, it comes there.
    pub(super) fn filter_list(&mut self, cx: &mut Cx) {
        if !self.state.close_marks(cx) {
            return;
        }
        if !list_shown(&self.state, cx.session.area) {
            self.side_list(cx);
        }
        self.state.close_covering_params(cx.session.area);
        self.state.find.stop_typing();
        self.state.focus = ChatPane::List;
        self.state.list.filter.start_typing();
    }

    /// Does what the list asks for.
    pub(super) fn list_event(&mut self, event: ListEvent, cx: &mut Cx) {
        let state = &mut self.state;
        match event {
            ListEvent::Open(id) => state.open_row(id, cx),
            ListEvent::Rename(id) => state.open_rename(id),
            ListEvent::Trash(id) => state.set_trashed(id, true, cx),
            ListEvent::Restore(id) => state.set_trashed(id, false, cx),
            ListEvent::Purge(id) => state.open_purge(id),
            ListEvent::Search(words) => state.search(words, cx),
            ListEvent::Act(action) => self.act(action, cx),
        }
    }
}
