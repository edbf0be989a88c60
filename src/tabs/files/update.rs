//! What keys do in the tab.

use crossterm::event::KeyEvent;

use super::Files;
use super::keys::{self, Action};
use super::layout::PaneDensity;
use super::panes::{ListSide, PaneFocus};
use super::preview;
use super::remote_files::{RemoteFile, RemoteFiles};
use super::state::State;
use crate::api::call::Call;
use crate::component::{Component, Cx, Effect, FindBarEvent, Handled, Motion, Notice, Offer};
use crate::record::files::{Entry, EntryKind};
use crate::text::Untrusted;

/// What the next Esc does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum FilesEscape {
    /// The key is for what is open: a dialog, a page, the preview.
    PassOn,
    FocusList,
    ClearFilter,
    ClearMarks,
    StopListing,
    /// Dismisses the failure of the local folder.
    DismissFailure,
}

impl Files {
    pub(super) fn on_key(&mut self, key: KeyEvent, cx: &mut Cx) {
        self.state.clock.observe(cx);
        self.state.no_input_since_upload = false;
        if self.state.modals.key(key, cx).act(|answer| self.state.answer(answer, cx)) {
            return;
        }
        if self.state.pages.check.is_some() {
            return self.state.check_key(key, cx);
        }
        if self.state.panes.find.is_typing() {
            return self.state.filter_key(key, cx);
        }
        if self.state.panes.focus == PaneFocus::Preview
            && let Some((_, preview)) = &mut self.state.preview.open
        {
            match preview.key(key, cx) {
                Handled::Consumed => return,
                Handled::Emit(preview::Event::Closed) => {
                    return self.state.leave_preview(cx);
                }
                Handled::Ignored => {}
            }
        }
        if let Some(action) = keys::KEYS.find(&key) {
            self.act(action, cx);
        }
    }

    pub(super) fn act(&mut self, action: Action, cx: &mut Cx) {
        let state = &mut self.state;
        if state.panes.focus != PaneFocus::List && action.is_of_lists() {
            // An action must not affect rows that are not in front.
            let said = "this works in the lists; press esc until you are there";
            return cx.notify(Notice::info(said).about("focus"));
        }
        match action {
            Action::Refresh => state.refresh(cx),
            Action::NextPane => state.focus_next(1),
            Action::PreviousPane => state.focus_next(-1),
            Action::Open => state.open(cx),
            Action::Zoom => state.zoom(cx),
            Action::OpenFolder => state.descend(cx),
            Action::Parent if state.panes.side == ListSide::Local => state.local.open_parent(cx),
            Action::Home if state.panes.side == ListSide::Local => state.local.go_to("~".to_owned(), None, cx),
            Action::Hidden if state.panes.side == ListSide::Local => {
                state.local.toggle_hidden();
                state.save_view(cx);
            }
            Action::Mark => state.mark(),
            Action::MarkAll => match state.panes.side {
                ListSide::Local => state.local.mark_all(),
                ListSide::Server => state.servers.current_mut().list.toggle_marks(|_| true),
            },
            Action::Sort => state.sort_by_next_column(cx),
            Action::Reverse => state.reverse_sort(cx),
            Action::Filter => state.begin_filter(),
            Action::Transfers => state.toggle_all_transfers(),
            Action::Pause | Action::Cancel | Action::Retry => state.on_transfer(action, cx),
            Action::Clear => state.clear_transfers(cx),
            Action::CopyId => state.copy_id_or_path(cx),
            Action::CopyName => state.copy_name(cx),
            Action::Move(motion) => state.move_cursor(motion),
            Action::PreviousColumns => state.list().0.scroll(-1),
            Action::NextColumns => state.list().0.scroll(1),
            Action::Upload => state.begin_upload(cx),
            Action::Download => state.begin_download(cx),
            Action::Delete => state.begin_delete(cx),
            Action::Sample => state.write_sample(cx),
            Action::Check => state.begin_check(cx),
            Action::Train => state.offer(cx),
            Action::Path => state.begin_path(),
            Action::Details => state.begin_details(cx),
            // Esc does not move the cursor, and must not bring back a preview that it has closed.
            Action::Escape => return state.escape(cx),
            Action::Curl => cx.push(Effect::CopyCurl(cx.session.profile.clone(), Call::Files)),
            Action::Parent | Action::Home | Action::Hidden => {}
        }
        self.state.preview.preview_after_rest(cx.now);
    }
}

impl State {
    /// Returns what the next Esc does, and what the footer calls it, if anything.
    fn next_escape(&self) -> (FilesEscape, Option<&'static str>) {
        if self.modals.is_open() {
            return (FilesEscape::PassOn, self.modals.escape());
        }
        if let Some(page) = &self.pages.check {
            return (FilesEscape::PassOn, page.escape());
        }
        if self.panes.find.is_typing() {
            return (FilesEscape::ClearFilter, Some("all"));
        }
        match (self.panes.focus, &self.preview.open) {
            (PaneFocus::Preview, Some((_, preview))) => return (FilesEscape::PassOn, preview.escape()),
            (PaneFocus::Preview | PaneFocus::Transfers, _) => return (FilesEscape::FocusList, Some("list")),
            (PaneFocus::List, _) => {}
        }
        let remote = self.servers.current().filter(|_| self.panes.side == ListSide::Server);
        let (filter, marked) = match self.panes.side {
            ListSide::Local => (self.local.filter(), self.local.list.marked_count()),
            ListSide::Server => remote.map_or(("", 0), |remote| (remote.filter(), remote.list.marked_count())),
        };
        if self.panes.side == ListSide::Local && self.local.failed.is_some() {
            return (FilesEscape::DismissFailure, Some("dismiss"));
        }
        if !filter.is_empty() {
            return (FilesEscape::ClearFilter, Some("all"));
        }
        if marked > 0 {
            return (FilesEscape::ClearMarks, Some("unmark"));
        }
        if remote.is_some_and(RemoteFiles::is_asking) {
            return (FilesEscape::StopListing, Some("stop"));
        }
        (FilesEscape::PassOn, None)
    }

    /// Does what the next Esc does.
    fn escape(&mut self, cx: &mut Cx) {
        match self.next_escape().0 {
            FilesEscape::PassOn => {}
            FilesEscape::FocusList => self.panes.focus = PaneFocus::List,
            FilesEscape::ClearFilter => {
                self.panes.find.clear();
                self.set_filter();
            }
            FilesEscape::ClearMarks => match self.panes.side {
                ListSide::Local => _ = self.local.list.clear_marks(),
                ListSide::Server => _ = self.servers.current_mut().list.clear_marks(),
            },
            FilesEscape::DismissFailure => self.local.failed = None,
            FilesEscape::StopListing => _ = self.servers.current_mut().stop_listing(cx),
        }
    }

    /// Returns what the next Esc does, for the footer.
    pub(super) fn escape_label(&self) -> Option<&'static str> {
        self.next_escape().1
    }

    fn refresh(&mut self, cx: &mut Cx) {
        if self.panes.side == ListSide::Local && self.panes.focus == PaneFocus::List {
            self.local.refresh(cx);
        }
        let remote = self.servers.current_mut();
        if !remote.retry_listing_now(cx) {
            remote.refresh(cx);
        }
    }

    /// Gives the keys to the next pane, or the one before.
    fn focus_next(&mut self, by: isize) {
        self.panes.focus_next(by, self.preview.open.is_some(), self.transfers.len() > 0);
        if self.panes.focus == PaneFocus::Transfers {
            self.focus_transfers();
        }
    }

    /// Gives the keys to the transfers, with the cursor on one that is not finished.
    fn focus_transfers(&mut self) {
        self.panes.focus = PaneFocus::Transfers;
        self.transfers.select_unfinished(self.panes.layout.transfer_rows);
    }

    /// Takes the keys from the transfers if none is left.
    fn leave_empty_transfers(&mut self) {
        if self.transfers.len() == 0 {
            self.panes.leave(PaneFocus::Transfers);
        }
    }

    /// Shows all transfers, or only those under way; unless the tab is wide, they also get the keys.
    fn toggle_all_transfers(&mut self) {
        self.transfers.show_all = !self.transfers.show_all;
        if self.panes.layout.density != PaneDensity::Three && self.transfers.len() > 0 {
            self.focus_transfers();
        }
    }

    /// Offers the server's file under the cursor as training data.
    fn offer(&mut self, cx: &mut Cx) {
        let Some(remote) = self.servers.current() else { return };
        let file = match self.panes.side {
            ListSide::Server => remote.list.selected_item(),
            ListSide::Local => {
                let selected = self.local.list.selected_item();
                let file = selected.and_then(|entry| super::training_offer::uploaded(remote, &entry.name, entry.bytes));
                if file.is_none() {
                    return cx.notify(Notice::info("U uploads it first; then o trains with it").about("offer"));
                }
                file
            }
        };
        let Some(file) = file else { return };
        match super::training_offer::offer(remote, file) {
            Ok(training) => cx.push(Effect::Offer(Offer::Training(Box::new(training)))),
            Err(why) => cx.notify(Notice::info(why).about("offer")),
        }
    }

    fn open(&mut self, cx: &mut Cx) {
        match self.panes.focus {
            PaneFocus::List if self.panes.side == ListSide::Local && self.local.open_selected(cx) => {}
            PaneFocus::List => self.focus_preview(cx),
            PaneFocus::Preview | PaneFocus::Transfers => {}
        }
    }

    fn descend(&mut self, cx: &mut Cx) {
        if self.panes.side == ListSide::Local && self.panes.focus == PaneFocus::List {
            self.local.open_selected(cx);
        }
    }

    fn mark(&mut self) {
        match self.panes.side {
            ListSide::Local => self.local.mark(),
            ListSide::Server => self.servers.current_mut().mark(),
        }
    }

    /// Sorts the list with the keys by its next column.
    fn sort_by_next_column(&mut self, cx: &mut Cx) {
        match self.panes.side {
            ListSide::Local => self.local.sort_by(self.local.sort.0.next()),
            ListSide::Server => {
                let remote = self.servers.current_mut();
                remote.sort_by(remote.sort.0.next());
            }
        }
        self.save_view(cx);
    }

    /// Sorts the list with the keys in the other direction.
    fn reverse_sort(&mut self, cx: &mut Cx) {
        match self.panes.side {
            ListSide::Local => {
                let (by, direction) = self.local.sort;
                self.local.sort_by((by, direction.reversed()));
            }
            ListSide::Server => {
                let remote = self.servers.current_mut();
                let (by, direction) = remote.sort;
                remote.sort_by((by, direction.reversed()));
            }
        }
        self.save_view(cx);
    }

    fn begin_filter(&mut self) {
        let words = match self.panes.side {
            ListSide::Local => self.local.filter(),
            ListSide::Server => self.servers.current().map_or("", |remote| remote.filter()),
        };
        self.panes.find.set_text(words);
        self.panes.find.start_typing();
        self.panes.focus = PaneFocus::List;
    }

    fn set_filter(&mut self) {
        let words = self.panes.find.text();
        match self.panes.side {
            ListSide::Local => self.local.set_filter(words),
            ListSide::Server => self.servers.current_mut().set_filter(words),
        }
    }

    /// Handles a key in the filter bar.
    fn filter_key(&mut self, key: KeyEvent, cx: &mut Cx) {
        match self.panes.find.key(key) {
            FindBarEvent::Changed | FindBarEvent::Cancelled => self.set_filter(),
            FindBarEvent::Moved(motion) => self.move_cursor(motion),
            FindBarEvent::Submitted | FindBarEvent::Ignored => {}
        }
        self.preview.preview_after_rest(cx.now);
    }

    /// Takes a paste while words to filter by are typed. Returns whether they are.
    pub(super) fn filter_paste(&mut self, text: &str) -> bool {
        let typing = self.panes.find.paste(text);
        if typing {
            self.set_filter();
        }
        typing
    }

    fn on_transfer(&mut self, action: Action, cx: &mut Cx) {
        let shown = self.transfers.shown(self.panes.layout.transfer_rows);
        if shown.is_empty() {
            return cx.notify(Notice::info("no transfer is under way").about("transfers"));
        }
        // With a single transfer there is no need to select it first.
        if self.panes.focus != PaneFocus::Transfers && shown.len() > 1 {
            return self.focus_transfers();
        }
        let Some(&at) = shown.get(self.transfers.cursor.selected.min(shown.len() - 1)) else { return };
        let said = match action {
            Action::Pause => self.transfers.toggle_pause(at, cx),
            Action::Cancel => self.transfers.cancel(at, cx),
            _ => self.transfers.retry(at, cx),
        };
        if let Some(said) = said {
            cx.notify(Notice::info(said).about("transfers"));
        }
        self.leave_empty_transfers();
    }

    /// Removes finished transfers from the list.
    fn clear_transfers(&mut self, cx: &mut Cx) {
        if !self.transfers.clear() {
            cx.notify(Notice::info("no transfer has ended").about("transfers"));
        }
        self.leave_empty_transfers();
    }

    /// Copies the name of the file under the cursor.
    fn copy_name(&self, cx: &mut Cx) {
        let name = match self.panes.side {
            ListSide::Local => self.nameable_entry().map(|entry| &entry.name),
            ListSide::Server => self.selected_remote_file().map(|file| &file.name),
        };
        if let Some(name) = name {
            cx.copy(name.clone());
        }
    }

    /// Copies the path of the local file under the cursor, or the id of the server's.
    fn copy_id_or_path(&self, cx: &mut Cx) {
        let text = match self.panes.side {
            ListSide::Local => self.nameable_entry().map(|entry| self.local.path_of(entry)),
            ListSide::Server => self.selected_remote_file().map(|file| file.id.clone()),
        };
        if let Some(text) = text {
            cx.copy(Untrusted::from(text));
        }
    }

    /// Returns the local entry under the cursor, if its name can be copied.
    fn nameable_entry(&self) -> Option<&Entry> {
        self.local.list.selected_item().filter(|entry| entry.kind != EntryKind::Unnameable)
    }

    fn selected_remote_file(&self) -> Option<&RemoteFile> {
        self.servers.current()?.list.selected_item()
    }

    /// Moves the cursor of the pane with the keys.
    pub(super) fn move_cursor(&mut self, motion: Motion) {
        match self.panes.focus {
            PaneFocus::Transfers => {
                // A page of transfers keeps no row visible.
                let rows = self.panes.layout.transfer_rows;
                let len = self.transfers.shown(rows).len();
                self.transfers.cursor.move_by(motion.rows(rows + 1), len);
            }
            PaneFocus::List => {
                let (view, len) = self.list();
                view.move_by(motion.rows(view.page), len);
            }
            PaneFocus::Preview => {}
        }
    }
}
