//! The Files tab: local folders and the files of a server, side by side.
//!
//! `local` and `remote_files` are the two lists, `transfers` what moves between them; `state` owns all parts, `update`
//! handles keys, `view` draws; this file implements `Component` and `Tab`.

mod actions;
pub(crate) mod all_keys;
mod batch_summary;
mod check;
mod clock;
mod delete;
mod details;
mod dialogs;
mod folder_preview;
mod format;
mod job_usage;
mod keys;
mod layout;
mod list_footer;
mod list_request;
mod local;
mod local_view;
mod mouse;
mod pages;
mod panes;
mod persistence;
mod preview;
mod preview_target;
mod remote_file;
mod remote_files;
mod saved_listing;
mod server_files;
mod server_view;
mod servers;
mod soundness;
mod state;
mod status_polls;
mod training_offer;
mod transfer;
mod transfer_outcome;
mod transfers;
mod transfers_view;
mod update;
mod upload_plan;
mod view;

use std::time::Instant;

use crossterm::event::{KeyEvent, MouseEvent, MouseEventKind};
use ratatui::Frame;
use ratatui::layout::Rect;

pub use self::check::{
    CheckUpdate, ChosenColumns, ColumnSource, TrainingCheck, check_summary, column_words, repair_words, request_words,
};
use self::panes::{ListSide, PaneFocus};
pub use self::remote_file::{FileStatus, RemoteFile};
pub use self::server_files::{FilesUpdate, ServerFiles};
pub use self::soundness::Soundness;
use self::state::State;
pub use self::upload_plan::purpose_words;
use super::activity::{Activity, ActivityOutcome};
use super::tab::{Badge, Tab};
use crate::api::call::Ticket;
use crate::component::{
    Command, Component, Cx, DialogHelp, FindBar, Handled, Hint, Offer, RenderContext, Response, Session,
    help_in_use_first, path_help,
};
use crate::settings::ProfileId;
use crate::text::Untrusted;

/// The Files tab.
#[derive(Debug)]
pub struct Files {
    state: State,
}

impl Default for Files {
    fn default() -> Self {
        Self::new()
    }
}

impl Files {
    /// Creates an empty tab; it asks for the folder and for the server's files when it first comes to the front.
    pub fn new() -> Self {
        Self { state: State::default() }
    }
}

impl Component for Files {
    fn key(&mut self, key: KeyEvent, cx: &mut Cx) -> Handled<()> {
        self.on_key(key, cx);
        Handled::Consumed
    }

    fn reply(&mut self, ticket: Ticket, response: &mut Response, cx: &mut Cx) -> Handled<()> {
        self.state.clock.observe(cx);
        if self.state.modals.reply(ticket, response, cx).act(|answer| self.state.answer(answer, cx)) {
            return Handled::Consumed;
        }
        if self.state.pages.reply(ticket, response, cx) || self.state.preview.reply(ticket, response, cx) {
            return Handled::Consumed;
        }
        match response.take() {
            Response::Call(progress) => self.state.handle_progress(ticket, progress, cx),
            Response::Store(stored) => self.state.handle_stored(ticket, stored, cx),
            Response::Work(done) => self.state.handle_worked(ticket, done, cx),
            Response::Taken => return Handled::Ignored,
        }
        Handled::Consumed
    }

    fn arrange(&mut self, area: Rect, session: &Session, now: Instant) {
        self.state.describe_plan();
        self.state.modals.arrange(area, session, now);
        view::arrange(&mut self.state, area, session, now);
    }

    fn render(&self, frame: &mut Frame, area: Rect, context: RenderContext) {
        view::render(frame, area, &self.state, context);
    }

    fn hints(&self) -> Vec<Hint> {
        let state = &self.state;
        if state.modals.is_open() {
            return state.modals.hints();
        }
        if let Some(page) = &state.pages.check {
            return page.hints();
        }
        if state.panes.find.is_typing() {
            return FindBar::hints();
        }
        let actions = match (state.panes.focus, state.panes.side) {
            (PaneFocus::Preview, _) => {
                return state.preview.open.as_ref().map(|(_, preview)| preview.hints()).unwrap_or_default();
            }
            (PaneFocus::Transfers, _) => keys::TRANSFERS,
            (PaneFocus::List, ListSide::Local) if state.has_empty_folder() => {
                return keys::KEYS.footer(&keys::EMPTY_FOLDER, state);
            }
            (PaneFocus::List, ListSide::Local) => keys::LOCAL,
            (PaneFocus::List, ListSide::Server) => keys::SERVER,
        };
        keys::KEYS.footer(&actions, state)
    }

    fn help(&self) -> Vec<(&'static str, Vec<Hint>)> {
        let preview = self.state.preview.open.as_ref().map_or_else(preview::help, |(_, preview)| preview.help());
        let checks = self.state.pages.check.is_some();
        let has_preview = !checks && self.state.panes.focus == PaneFocus::Preview;
        help_in_use_first([
            (!checks && !has_preview, keys::KEYS.help_groups("Files")),
            (has_preview, preview),
            (checks, vec![("Check page", check::help())]),
            (false, vec![("Upload dialog", upload_plan::help()), ("Typing a path", path_help())]),
        ])
    }

    fn paste(&mut self, text: &str, cx: &mut Cx) -> Handled<()> {
        self.state.clock.observe(cx);
        if self.state.modals.paste(text, cx).act(|answer| self.state.answer(answer, cx)) {
            return Handled::Consumed;
        }
        if let Some(page) = &mut self.state.pages.check {
            let _ = page.paste(text, cx);
            return Handled::Consumed;
        }
        if self.state.filter_paste(text) {
            return Handled::Consumed;
        }
        if self.state.panes.focus == PaneFocus::Preview
            && let Some((_, preview)) = &mut self.state.preview.open
        {
            let _ = preview.paste(text, cx);
        }
        Handled::Consumed
    }

    fn due(&self) -> Option<Instant> {
        self.state.due()
    }

    fn tick(&mut self, cx: &mut Cx) {
        self.state.clock.observe(cx);
        self.state.tick(cx);
    }

    fn readable(&self, session: &Session) -> Option<Untrusted> {
        if self.state.modals.is_open() {
            return self.state.modals.readable(session);
        }
        // A page of a check covers the preview.
        let (_, preview) = self.state.preview.open.as_ref().filter(|_| self.state.pages.check.is_none())?;
        preview.readable(session)
    }

    fn escape(&self) -> Option<&'static str> {
        self.state.escape_label()
    }

    fn typing(&self) -> bool {
        let preview = self.state.preview.open.as_ref().filter(|_| self.state.panes.focus == PaneFocus::Preview);
        let page = self.state.pages.check.as_ref();
        if self.state.modals.is_open() {
            return self.state.modals.typing();
        }
        page.is_some_and(Component::typing)
            || self.state.panes.find.is_typing()
            || preview.is_some_and(|(_, preview)| preview.typing())
    }
}

impl Tab for Files {
    fn title(&self) -> &'static str {
        "Files"
    }

    fn endpoints(&self) -> &'static [&'static str] {
        &["/files"]
    }

    fn mouse(&mut self, event: MouseEvent, cx: &mut Cx) {
        self.state.clock.observe(cx);
        self.state.no_input_since_upload &= matches!(event.kind, MouseEventKind::Moved);
        if self.state.modals.is_open() || self.state.pages.check.is_some() {
            return;
        }
        self.state.handle_mouse(event, cx);
    }

    fn profile_changed(&mut self, in_front: bool, cx: &mut Cx) {
        self.state.clock.observe(cx);
        self.state.switch_profile(cx.session);
        if in_front && self.state.saved.is_loaded() {
            self.state.open_server(cx);
        }
    }

    fn server_changed(&mut self, profile: &ProfileId, cx: &mut Cx) {
        self.state.clock.observe(cx);
        self.state.servers.forget(profile, self.state.saved.view.server_sort(), cx);
    }

    fn file_uploaded(&mut self, profile: &ProfileId, cx: &mut Cx) {
        self.state.clock.observe(cx);
        if let Some(remote) = self.state.servers.of_mut(profile) {
            remote.refresh_changed(cx);
        }
    }

    fn enter(&mut self, cx: &mut Cx) {
        self.state.clock.observe(cx);
        self.state.enter(cx);
    }

    fn commands(&self) -> Vec<Command> {
        keys::KEYS.palette(self.title(), &self.state)
    }

    fn command(&mut self, id: &str, cx: &mut Cx) {
        self.state.clock.observe(cx);
        if let Some(action) = keys::KEYS.command(id, &self.state) {
            // A check continues; v on its file shows it again.
            self.state.pages.put_aside(cx);
            if action.is_of_lists() {
                self.state.panes.focus = PaneFocus::List;
            }
            self.state.no_input_since_upload = false;
            self.act(action, cx);
        }
    }

    fn takes(&self, offer: &Offer) -> Option<&'static str> {
        matches!(offer, Offer::Local(_)).then_some("Show this file in its folder")
    }

    fn accept(&mut self, offer: Offer, cx: &mut Cx) {
        self.state.clock.observe(cx);
        if let Offer::Local(path) = offer {
            if self.state.saved.is_loaded() {
                self.state.show_local(path.raw(), cx);
            } else {
                self.state.saved.offered = Some(path.raw().to_owned());
            }
        }
    }

    fn badge(&self) -> Option<Badge> {
        let transfers = &self.state.transfers;
        transfers.badge().map(Badge::Text).or_else(|| transfers.has_unseen().then_some(Badge::Failed))
    }

    fn activities(&self) -> Vec<Activity> {
        self.state.transfers.activities()
    }

    fn outcome(&self, activity: &Activity) -> ActivityOutcome {
        self.state.transfers.outcome(activity.id)
    }

    fn page(&self) -> &'static str {
        if self.state.pages.check.is_some() { "Check" } else { "" }
    }

    fn has_dialog(&self) -> bool {
        self.state.modals.is_open()
    }

    fn dialog_help(&self) -> DialogHelp {
        if self.state.panes.find.is_typing() {
            return DialogHelp::FindBar;
        }
        self.state.modals.help().into()
    }

    fn interrupt(&mut self, cx: &mut Cx) -> bool {
        self.state.interrupt(cx)
    }

    fn needs_profile(&self, profile: &ProfileId) -> bool {
        self.state.transfers.needs_profile(profile)
    }

    fn quit_warning(&self, _session: &Session) -> Option<String> {
        let state = &self.state;
        let transfers = match state.transfers.unfinished_count() {
            0 => None,
            1 => Some("A transfer is under way. A download continues where it was; an upload starts over.".to_owned()),
            some => {
                Some(format!("{some} transfers are under way. Downloads continue where they were; uploads start over."))
            }
        };
        let deleting = state.deleting.as_ref().map(|deleting| {
            let left = deleting.open().count();
            format!("Files are being deleted; {left} may remain on the server.")
        });
        let writes = state.pages.writes().then(|| "A repaired copy is being written and will be discarded.".to_owned());
        let all: Vec<String> = [transfers, deleting, writes].into_iter().flatten().collect();
        (!all.is_empty()).then(|| all.join(" "))
    }

    fn before_quit(&mut self, cx: &mut Cx) {
        self.state.save_view(cx);
    }
}
