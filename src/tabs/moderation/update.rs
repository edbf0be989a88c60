//! Turns keys into actions: first of what is open, then of the page, then of the bench. Says what Esc does.

use crossterm::event::KeyEvent;

use super::action::{Action, PageEvent};
use super::bench_runs::RunScope;
use super::file::page::FileEvent;
use super::keys::{ESCAPE, KEYS, OVERRIDES};
use super::state::{Moderate, Page};
use crate::component::{Component, Cx, Effect, Handled};

impl Moderate {
    /// Handles a key that is not the shell's.
    pub(super) fn handle_key(&mut self, key: KeyEvent, cx: &mut Cx) {
        // The list of models was closed without a choice.
        self.adding_column = false;
        if self.modals.key(key, cx).act(|answer| self.answer(answer, cx)) {
            return;
        }
        if let Some(editor) = &mut self.text_editor {
            let handled = editor.key(key, cx);
            return self.handle_page(handled, cx);
        }
        if let Some(action) = OVERRIDES.find_enabled(&key, self) {
            return self.act(action, cx);
        }
        let handled = match &mut self.page {
            Page::Bench if ESCAPE.find(&key).is_some() => Handled::Emit(PageEvent::Close),
            Page::Bench => KEYS.find(&key).map_or(Handled::Ignored, |action| Handled::Emit(PageEvent::Act(action))),
            Page::File => return self.file_key(key, cx),
            Page::History(page) => page.key(key, cx),
            Page::Sentences(page) => page.key(key, cx),
            Page::Conversation => self.conversation.key(key, cx),
        };
        self.handle_page(handled, cx);
    }

    /// Does what the page in front asks for.
    pub(super) fn handle_page(&mut self, handled: Handled<PageEvent>, cx: &mut Cx) {
        let Handled::Emit(event) = handled else { return };
        match event {
            PageEvent::Close => {
                if let Some((action, _)) = self.escape_action() {
                    self.act(action, cx);
                }
            }
            PageEvent::Put { name, text } => self.put(name, text, cx),
            PageEvent::Changed => self.save_written(cx),
            PageEvent::Act(Action::Differences) if self.failure(cx.session).is_none() => match &mut self.page {
                Page::History(page) => page.toggle_differences(),
                _ => self.toggle_differences(cx),
            },
            PageEvent::Act(action) => self.act(action, cx),
        }
    }

    fn file_key(&mut self, key: KeyEvent, cx: &mut Cx) {
        self.file.shared.file_column = self.model_index_under_cursor(cx.session);
        match self.file.key(key, cx) {
            Handled::Consumed => {}
            Handled::Emit(FileEvent::Close) => self.page = Page::Bench,
            Handled::Emit(FileEvent::Bench { name, text }) => self.put(name, text, cx),
            Handled::Ignored => {
                let shared = |action: &Action| matches!(action, Action::Thresholds | Action::Blur | Action::AddModel);
                if let Some(action) = KEYS.find(&key).filter(shared) {
                    self.act(action, cx);
                }
            }
        }
        self.sync_shared(cx);
    }

    /// Returns what the next Esc does where no dialog is open and no file is shown, and what the footer says of it.
    pub(super) fn escape_action(&self) -> Option<(Action, &'static str)> {
        let busy = self.checks.is_busy();
        match (&self.text_editor, &self.page) {
            (Some(_), _) => Some((Action::Finish, "done")),
            (None, Page::Conversation) if busy => Some((Action::Stop, "stop")),
            (None, Page::History(_) | Page::Sentences(_) | Page::Conversation) => Some((Action::ClosePage, "back")),
            (None, Page::Bench) if !self.bench.marked.is_empty() => Some((Action::Unmark, "unmark")),
            (None, Page::Bench) if self.counts_down() => Some((Action::Stop, "give up")),
            (None, Page::Bench) if busy => Some((Action::Stop, "stop")),
            (None, Page::Bench) if self.bench.differences => Some((Action::AllRows, "all rows")),
            (None, Page::Bench | Page::File) => None,
        }
    }

    /// Performs an action.
    pub(super) fn act(&mut self, action: Action, cx: &mut Cx) {
        match action {
            Action::Run => self.start_run(RunScope::New, cx),
            Action::Again => self.start_run(RunScope::Column, cx),
            Action::Stop => drop(self.stop(cx)),
            Action::RetryNow => self.checks.retry_now(cx),
            Action::Add => self.add_empty(cx),
            Action::Examples => self.add_examples(cx),
            Action::Edit => self.edit_text(cx),
            Action::Finish => self.leave(cx),
            Action::External if self.texts.len() > 0 => cx.push(Effect::EditText),
            Action::External => {}
            Action::Delete => self.delete_text(cx),
            Action::Undo => self.undo_delete(cx),
            Action::Later => self.move_text(true, cx),
            Action::Earlier => self.move_text(false, cx),
            Action::AddModel => self.choose_model(cx),
            Action::DropModel => self.drop_model(cx),
            Action::Thresholds => self.open_thresholds(),
            Action::Threshold(by) => self.shift_thresholds(by, cx),
            Action::Reset => self.reset_thresholds(cx),
            Action::Mark => self.bench.mark(),
            Action::Unmark => self.bench.marked.clear(),
            Action::Sort => self.toggle_sort(cx),
            Action::Families => self.toggle_families(cx),
            Action::Differences if self.failure(cx.session).is_some() => self.open_details(cx),
            Action::Differences => self.toggle_differences(cx),
            Action::AllRows => self.bench.set_differences(false),
            Action::Details => self.open_details(cx),
            Action::Beside => self.bench.beside ^= true,
            Action::History => self.open_history(cx),
            Action::Sentences => self.open_sentences(cx),
            Action::Blur => self.toggle_mask(cx),
            Action::File | Action::Lists => self.open_file(action == Action::Lists, cx),
            Action::Conversation => self.open_conversation(cx),
            Action::ClosePage => self.close_page(),
            Action::Export => self.open_export(cx),
            Action::Offer => self.offer_text(cx),
            Action::Copy => self.copy_text(cx),
            Action::Curl => self.copy_request(cx),
            Action::Column(by) => self.bench.go(by),
            Action::Columns(pages) => self.bench.go_page(pages),
            Action::Row(motion) => self.bench.step(motion),
        }
    }
}
