//! Moderate: texts side by side, a row for each category of harm, with thresholds of one's own; and whole files of
//! texts.
//!
//! `state` holds the tab's parts, `update` does what keys stand for, `view` draws; this file implements `Component` and
//! `Tab`.

mod action;
mod agreement;
pub(crate) mod all_keys;
mod answer;
mod bench_actions;
mod bench_runs;
mod bench_texts;
mod bench_view;
mod category;
mod check;
mod check_history;
mod check_results;
mod check_run;
mod conversation;
mod dialogs;
mod evaluate;
mod file;
mod keys;
mod language;
mod mask;
mod model_ref;
mod page_data;
mod persistence;
mod problem;
mod result_cards;
mod result_grid;
mod result_table;
mod saving_run;
mod sentence_scores;
mod shared_settings;
mod sign;
mod single_column;
mod state;
mod styled_text;
mod table_view;
#[cfg(test)]
mod tests;
mod text_editing;
pub mod text_run;
mod thresholds;
mod thresholds_dialog;
mod update;
mod verdict;
mod view;
mod wording;

use std::time::Instant;

use crossterm::event::{KeyEvent, MouseEvent, MouseEventKind};
use ratatui::Frame;
use ratatui::layout::Rect;

use self::action::Action;
use self::keys::{ESCAPE, KEYS, OVERRIDES};
pub use self::state::Moderate;
use self::state::Page;
use self::thresholds_dialog::ThresholdsDialog;
use super::activity::{Activity, ActivityKind, ActivityOutcome};
use super::tab::{Badge, RunMeter, Tab, UnsavedWork};
use crate::api::call::Ticket;
use crate::component::session::moderates;
use crate::component::{
    Command, Component, Cx, DialogHelp, Handled, Hint, Motion, Offer, RenderContext, Response, Session,
    help_in_use_first,
};
use crate::settings::ProfileId;
use crate::text::Untrusted;

impl Component for Moderate {
    fn key(&mut self, key: KeyEvent, cx: &mut Cx) -> Handled<()> {
        self.handle_key(key, cx);
        Handled::Consumed
    }

    fn paste(&mut self, text: &str, cx: &mut Cx) -> Handled<()> {
        if self.modals.paste(text, cx).act(|answer| self.answer(answer, cx)) {
            return Handled::Consumed;
        }
        if let Some(editor) = &mut self.text_editor {
            let handled = editor.paste(text, cx);
            self.handle_page(handled, cx);
        } else if matches!(self.page, Page::File) {
            self.file.paste(text, cx);
        } else {
            // Several paragraphs are one text.
            self.put(Untrusted::default(), text.into(), cx);
        }
        Handled::Consumed
    }

    fn reply(&mut self, ticket: Ticket, response: &mut Response, cx: &mut Cx) -> Handled<()> {
        if self.modals.reply(ticket, response, cx).act(|answer| self.answer(answer, cx)) {
            return Handled::Consumed;
        }
        if !self.file.reply(ticket, response, cx).is_ignored() {
            self.sync_shared(cx);
            return Handled::Consumed;
        }
        match response.take() {
            Response::Call(progress) => self.handle_progress(ticket, &progress, cx),
            Response::Store(stored) => self.handle_stored(ticket, stored, cx),
            Response::Work(done) => self.handle_worked(ticket, done, cx),
            Response::Taken => return Handled::Ignored,
        }
        Handled::Consumed
    }

    fn editable(&self) -> Option<String> {
        if let Some(editor) = &self.text_editor {
            return editor.editable();
        }
        let text = self.texts.get(self.bench.column_here()?.text)?;
        Some(text.row.text.raw().to_owned())
    }

    fn readable(&self, session: &Session) -> Option<Untrusted> {
        match self.page {
            _ if self.modals.is_open() => self.modals.readable(session),
            Page::File if self.text_editor.is_none() => self.file.readable(session),
            _ => self.text_here(session),
        }
    }

    fn edited(&mut self, text: &str, cx: &mut Cx) -> Handled<()> {
        if self.text_editor.is_none() {
            self.edit_text(cx);
        }
        if let Some(editor) = &mut self.text_editor {
            let handled = editor.edited(text, cx);
            self.handle_page(handled, cx);
        }
        Handled::Consumed
    }

    fn hints(&self) -> Vec<Hint> {
        if self.modals.is_open() {
            return self.modals.hints();
        }
        if let Some(editor) = &self.text_editor {
            return editor.hints();
        }
        if self.counts_down() {
            return OVERRIDES.footer(&[Action::RetryNow], self);
        }
        let hints = match &self.page {
            Page::File => return self.file.hints(),
            Page::History(page) => page.hints(),
            Page::Sentences(page) => page.hints(),
            Page::Conversation => self.conversation.hints(),
            Page::Bench if self.texts.len() == 0 => {
                let examples = OVERRIDES.footer(&[Action::Examples], self);
                return [KEYS.footer(&[Action::Add], self), examples, KEYS.footer(&[Action::File], self)].concat();
            }
            Page::Bench => {
                let actions: &[Action] = if self.bench.wide { &keys::BENCH } else { &keys::NARROW };
                KEYS.footer(&self.checks.status().footer_actions(actions, Action::Run), self)
            }
        };
        if self.checks.is_busy() { [ESCAPE.footer(&[Action::Stop], &()), hints].concat() } else { hints }
    }

    fn help(&self) -> Vec<(&'static str, Vec<Hint>)> {
        let one = |title, hints| vec![(title, hints)];
        let is_writing = self.text_editor.is_some();
        let is_page = |is_open: bool| is_open && !is_writing;
        let pages = [
            (is_page(matches!(self.page, Page::Bench)), KEYS.help_groups("Texts side by side")),
            (is_writing, one("A text being written", [text_editing::KEYS.help(), Hint::of_text_box()].concat())),
            (false, vec![ThresholdsDialog::keys()]),
            (is_page(matches!(self.page, Page::History(_))), one("A text over time", check_history::KEYS.help())),
            (is_page(matches!(self.page, Page::Sentences(_))), one("Sentence by sentence", sentence_scores::help())),
            (is_page(matches!(self.page, Page::Conversation)), one("A conversation", conversation::KEYS.help())),
        ];
        let is_file = is_page(matches!(self.page, Page::File));
        // The first group is that of what the file's page shows.
        let file = self.file.help().into_iter().enumerate().map(|(at, group)| (is_file && at == 0, vec![group]));
        help_in_use_first(pages.into_iter().chain(file))
    }

    fn escape(&self) -> Option<&'static str> {
        match &self.page {
            _ if self.modals.is_open() => self.modals.escape(),
            Page::File if self.text_editor.is_none() => self.file.escape(),
            _ => self.escape_action().map(|(_, label)| label),
        }
    }

    fn typing(&self) -> bool {
        let file = matches!(self.page, Page::File) && self.file.typing();
        self.modals.is_open() || self.text_editor.is_some() || file
    }

    fn in_text_box(&self) -> bool {
        !self.modals.is_open() && self.text_editor.is_some() && !matches!(self.page, Page::File)
    }

    fn is_prefix_pending(&self) -> bool {
        !self.modals.is_open() && self.text_editor.as_ref().is_some_and(Component::is_prefix_pending)
    }

    fn arrange(&mut self, area: Rect, session: &Session, now: Instant) {
        self.fit(area, session, now);
    }

    fn due(&self) -> Option<Instant> {
        [self.checks.due(), self.save_due, self.file.due()].into_iter().flatten().min()
    }

    fn tick(&mut self, cx: &mut Cx) {
        self.checks.tick(cx.now);
        if self.save_due.is_some_and(|due| due <= cx.now) {
            self.save(cx);
        }
        if self.file.due().is_some_and(|due| due <= cx.now) {
            self.file.tick(cx);
            self.sync_shared(cx);
        }
    }

    fn render(&self, frame: &mut Frame, area: Rect, context: RenderContext) {
        self.render_tab(frame, area, context);
    }
}

impl Tab for Moderate {
    fn title(&self) -> &'static str {
        "Moderate"
    }

    fn endpoints(&self) -> &'static [&'static str] {
        &["/moderations"]
    }

    fn short(&self) -> &'static str {
        "Mod"
    }

    fn commands(&self) -> Vec<Command> {
        KEYS.palette("Moderate", self)
    }

    fn command(&mut self, id: &str, cx: &mut Cx) {
        if let Some(action) = KEYS.command(id, self) {
            self.act(action, cx);
        }
    }

    fn mouse(&mut self, event: MouseEvent, _cx: &mut Cx) {
        if !self.modals.is_open() && self.text_editor.is_none() && matches!(self.page, Page::Bench) {
            match event.kind {
                MouseEventKind::ScrollUp => self.bench.step(Motion::Up),
                MouseEventKind::ScrollDown => self.bench.step(Motion::Down),
                _ => {}
            }
        }
    }

    fn enter(&mut self, cx: &mut Cx) {
        self.enter_tab(cx);
    }

    fn takes(&self, offer: &Offer) -> Option<&'static str> {
        Some(match offer {
            Offer::Text(_) => "Moderate this text",
            Offer::Texts(_) => "Moderate these texts",
            Offer::Conversation(..) => "Moderate this conversation",
            Offer::Model(_) => "Moderate with this model",
            _ => return None,
        })
    }

    fn accept(&mut self, offer: Offer, cx: &mut Cx) {
        match offer {
            Offer::Text(text) => self.put(Untrusted::default(), text, cx),
            Offer::Texts(texts) => {
                for (name, text) in texts {
                    self.put(name, text, cx);
                }
            }
            Offer::Conversation(title, turns) => self.show_conversation(title, turns, cx),
            Offer::Model(model) => self.use_model(&model, true, cx),
            _ => {}
        }
    }

    fn badge(&self) -> Option<Badge> {
        if self.checks.is_busy() {
            return Some(Badge::Busy);
        }
        self.file.badge().or_else(|| self.results.has_unseen_failure().then_some(Badge::Failed))
    }

    fn activities(&self) -> Vec<Activity> {
        let checks = self.checks.is_busy().then(|| Activity::new(ActivityKind::Check, 0));
        checks.into_iter().chain(self.file.activity()).collect()
    }

    fn outcome(&self, activity: &Activity) -> ActivityOutcome {
        if activity.kind == ActivityKind::Check { self.checks.outcome() } else { self.file.outcome() }
    }

    fn page(&self) -> &'static str {
        match self.page {
            Page::Bench => "",
            Page::File => "File",
            Page::History(_) => "History",
            Page::Sentences(_) => "Sentences",
            Page::Conversation => "Conversation",
        }
    }

    fn has_dialog(&self) -> bool {
        self.modals.is_open() || self.file.has_dialog()
    }

    fn dialog_help(&self) -> DialogHelp {
        if self.modals.is_open() { self.modals.help().into() } else { self.file.dialog_help() }
    }

    fn browse(&mut self, cx: &mut Cx) {
        if !self.modals.is_open() {
            self.leave(cx);
        }
    }

    fn meter(&self) -> Option<RunMeter> {
        match self.page {
            Page::File => self.file.meter(),
            Page::Conversation => self.checks.meter(),
            _ => self.checks.meter().map(|meter| RunMeter { texts: self.texts.len() as u64, ..meter }),
        }
    }

    fn model(&self, session: &Session) -> Option<Untrusted> {
        if matches!(self.page, Page::File)
            && let Some(model) = self.file.begun_model(session)
        {
            return Some(model);
        }
        self.file.shared.models(session).get(self.model_index_under_cursor(session)).cloned()
    }

    fn suits(&self, model: &Untrusted) -> bool {
        moderates(model)
    }

    fn choose(&mut self, model: &Untrusted, cx: &mut Cx) -> bool {
        let add = std::mem::take(&mut self.adding_column);
        self.use_model(model, add, cx);
        true
    }

    fn interrupt(&mut self, cx: &mut Cx) -> bool {
        match self.page {
            Page::File => self.file.interrupt(cx),
            _ => self.stop(cx),
        }
    }

    fn unsaved_work(&self) -> Option<UnsavedWork> {
        let how = if self.bench.has_results() { "E exports them with their results" } else { "y copies a text" };
        Some(UnsavedWork { what: "The texts in Moderate", how, written: self.texts.len() > 0 })
    }

    fn needs_profile(&self, profile: &ProfileId) -> bool {
        self.checks.needs_profile(profile) || self.file.needs_profile(profile)
    }

    fn quit_warning(&self, _session: &Session) -> Option<String> {
        self.file.quit_warning()
    }

    fn before_quit(&mut self, cx: &mut Cx) {
        self.stop(cx);
        self.leave(cx);
        self.save(cx);
        self.file.before_quit(cx);
    }
}
