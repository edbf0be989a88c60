//! What keys do in the preview.

use crossterm::event::KeyEvent;

use super::chunk_loader::ChunkKind;
use super::curve_plot::CurvePlot;
use super::file_format::FileFormat;
use super::keys::{self, Action, PromptAction};
use super::search::SearchText;
use super::{Event, JumpTarget, MessageLevel, Preview, PreviewPrompt};
use crate::component::{Cx, Handled, Hint, Motion, Notice};
use crate::record::files::TextEncoding;
use crate::ui::text_field::TextField;

/// Columns that sideways keys scroll.
const ASIDE: usize = 16;

/// What the next Esc does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PreviewEscape {
    LeavePrompt,
    /// Answers the question whether to fetch with no.
    RefuseFetch,
    /// Stops a search that is under way.
    StopSearch,
    /// Shows the table in place of the curves.
    CloseCurves,
    /// Forgets the text that was searched for.
    ClearSearch,
    /// Shows the other panes again.
    LeaveZoom,
    ClosePreview,
}

impl Preview {
    pub(super) fn keyed(&mut self, key: KeyEvent, cx: &mut Cx) -> Handled<Event> {
        if let Some(keys) = self.prompt.keys() {
            match keys.find(&key) {
                Some(PromptAction::Leave) => return self.escaped(cx),
                Some(PromptAction::Accept) => self.accept_prompt(cx),
                None => match &mut self.prompt {
                    PreviewPrompt::Find(line) | PreviewPrompt::GoTo(line) => _ = line.key(key),
                    PreviewPrompt::None | PreviewPrompt::Ask(_) => return Handled::Ignored,
                },
            }
            return Handled::Consumed;
        }
        let action = keys::KEYS.find_enabled(&key, self);
        if action == Some(Action::Escape) {
            return self.escaped(cx);
        }
        if let Some(plot) = &mut self.plot {
            let handled = plot.key(key);
            if handled == Handled::Emit(()) {
                self.drop_plot(cx);
            }
            return if handled.is_ignored() { Handled::Ignored } else { Handled::Consumed };
        }
        let Some(action) = action else { return Handled::Ignored };
        self.message = None;
        self.act(action, cx)
    }

    /// Moves the cursor a row as the wheel turns; in the curves, that of the list of columns.
    pub(crate) fn wheel(&mut self, motion: Motion, cx: &mut Cx) {
        if let Some(plot) = &mut self.plot {
            return plot.step(motion.rows(1));
        }
        if self.prompt.keys().is_none() && self.loader.is_open() {
            (self.loader.stuck, self.loader.ahead) = (false, 0);
            self.message = None;
            _ = self.act(Action::Move(motion), cx);
            self.follow_up(cx);
        }
    }

    /// Returns what the next Esc does, and what it is called.
    pub(super) fn next_escape(&self) -> (PreviewEscape, &'static str) {
        match &self.prompt {
            PreviewPrompt::Find(_) | PreviewPrompt::GoTo(_) => (PreviewEscape::LeavePrompt, "leave"),
            PreviewPrompt::Ask(_) => (PreviewEscape::RefuseFetch, "cancel"),
            PreviewPrompt::None if self.search.is_some() => (PreviewEscape::StopSearch, "stop"),
            PreviewPrompt::None if self.plot.is_some() => (PreviewEscape::CloseCurves, "table"),
            PreviewPrompt::None if self.search_text.is_some() => (PreviewEscape::ClearSearch, "stop search"),
            PreviewPrompt::None if self.is_zoomed() => (PreviewEscape::LeaveZoom, "panes"),
            PreviewPrompt::None => (PreviewEscape::ClosePreview, "close"),
        }
    }

    fn escaped(&mut self, cx: &mut Cx) -> Handled<Event> {
        let escape = self.next_escape().0;
        self.prompt = PreviewPrompt::None;
        match escape {
            PreviewEscape::LeavePrompt => {}
            PreviewEscape::RefuseFetch => {
                self.drop_goal(cx);
                self.say(MessageLevel::Plain, "nothing was fetched");
            }
            PreviewEscape::StopSearch => {
                self.drop_goal(cx);
                self.say(MessageLevel::Plain, "search stopped");
            }
            PreviewEscape::CloseCurves => self.drop_plot(cx),
            PreviewEscape::ClearSearch => (self.search_text, self.message) = (None, None),
            PreviewEscape::LeaveZoom => self.zoom(),
            PreviewEscape::ClosePreview => return Handled::Emit(Event::Closed),
        }
        Handled::Consumed
    }

    fn drop_plot(&mut self, cx: &mut Cx) {
        if let Some(mut plot) = self.plot.take() {
            plot.close(cx);
        }
    }

    /// Does what was typed, or fetches what was asked for.
    fn accept_prompt(&mut self, cx: &mut Cx) {
        match std::mem::take(&mut self.prompt) {
            // Nothing was typed: the last search is repeated.
            PreviewPrompt::Find(line) if line.is_empty() => self.find(false, cx),
            PreviewPrompt::Find(line) => {
                self.search_text = SearchText::new(line.text());
                if self.search_text.is_none() {
                    self.say(MessageLevel::Warn, "too long to search for; use a part of it");
                }
                self.find(false, cx);
            }
            PreviewPrompt::GoTo(line) => match self.typed_place(line.text(), self.display.format == FileFormat::Hex) {
                Some(target) => self.jump_to(target, cx),
                None => self.say(MessageLevel::Warn, "type a line, a share (50%), a byte (@4096, 0x1000) or end"),
            },
            PreviewPrompt::Ask(offer) => self.accept(offer, cx),
            PreviewPrompt::None => {}
        }
    }

    fn act(&mut self, action: Action, cx: &mut Cx) -> Handled<Event> {
        let page = isize::try_from(self.viewport.page).unwrap_or(1);
        match action {
            Action::Move(Motion::Down) => {
                let moved = self.down();
                self.at_edge(moved, true, cx);
            }
            Action::Move(Motion::Up) => {
                let moved = self.up();
                self.at_edge(moved, false, cx);
            }
            Action::Move(Motion::First) => self.jump_to(JumpTarget::Byte(0), cx),
            Action::Move(Motion::Last) => self.jump_to(JumpTarget::End, cx),
            Action::Move(Motion::HalfDown) => self.scrolled((page / 2).max(1), cx),
            Action::Move(Motion::HalfUp) => self.scrolled(-(page / 2).max(1), cx),
            Action::Move(motion) => self.scrolled(motion.rows(usize::from(self.viewport.page)), cx),
            Action::Left => self.scroll_sideways(false),
            Action::Right => self.scroll_sideways(true),
            Action::Margin => self.viewport.left = 0,
            Action::GoTo => self.prompt = PreviewPrompt::GoTo(TextField::default()),
            Action::Find => self.prompt = PreviewPrompt::Find(TextField::default()),
            Action::Next | Action::Previous if self.search_text.is_none() => {
                self.say(MessageLevel::Plain, "no search yet; / searches");
            }
            Action::Next => self.find(false, cx),
            Action::Previous => self.find(true, cx),
            Action::Pretty => {
                self.display.next_json();
                self.move_cursor_to_byte(self.viewport.cursor);
            }
            Action::Wrap => {
                self.display.wrap = !self.display.wrap;
                self.viewport.left = 0;
                self.move_cursor_to_byte(self.viewport.cursor);
            }
            Action::Form => self.next_form(),
            Action::Curves => self.curves(cx),
            Action::Copy => self.copy(cx),
            Action::Reload => self.reload(cx),
            Action::Zoom => self.zoom(),
            Action::Escape => return self.escaped(cx),
        }
        Handled::Consumed
    }

    fn scrolled(&mut self, lines: isize, cx: &mut Cx) {
        let moved = self.scroll(lines);
        self.at_edge(moved, lines > 0, cx);
    }

    /// Asks for more of the file at the end of what is loaded, or says that the file ends.
    fn at_edge(&mut self, moved: bool, down: bool, cx: &mut Cx) {
        if moved || self.loader.waits().is_some() {
            return;
        }
        let all = if down { self.window.at_end() } else { self.window.at().byte == 0 };
        if all {
            self.say(MessageLevel::Plain, if down { "the file ends here" } else { "the file begins here" });
        } else if self.known.changed {
            self.say(MessageLevel::Warn, "the file has changed since it was opened; r reloads it");
        } else {
            self.ask_or_offer(if down { ChunkKind::More } else { ChunkKind::Back }, cx);
        }
    }

    fn scroll_sideways(&mut self, right: bool) {
        let by = if self.display.is_table() { 1 } else { ASIDE };
        // The limit of scrolling is known when the rows are drawn.
        self.viewport.left = if right { self.viewport.left + by } else { self.viewport.left.saturating_sub(by) };
    }

    /// Shows the file in its next form: rows, text, bytes.
    fn next_form(&mut self) {
        let next = self.display.next_format();
        self.viewport.left = 0;
        self.show_as(next);
    }

    fn curves(&mut self, cx: &mut Cx) {
        self.drop_goal(cx);
        self.plot = Some(match self.source.read_path() {
            Some(path) => CurvePlot::local(&path, &self.window, &self.display.columns, cx),
            None => CurvePlot::window(&self.window, &self.display.columns),
        });
    }

    /// Copies the row under the cursor, byte for byte.
    fn copy(&mut self, cx: &mut Cx) {
        let Some(row) = self.window.row(self.cursor()) else { return };
        if self.display.format == FileFormat::Hex {
            let hex: Vec<String> = row.bytes.iter().map(|byte| format!("{byte:02x}")).collect();
            return cx.copy(hex.join(" ").into());
        }
        let text = match (self.window.writing(), str::from_utf8(row.bytes)) {
            (TextEncoding::Utf8, Ok(text)) => text.to_owned().into(),
            (TextEncoding::Utf8, Err(why)) => {
                let words = format!("not copied: invalid UTF-8 at byte {}", why.valid_up_to() + 1);
                return cx.notify(Notice::warn(words));
            }
            (writing, _) => super::row_layout::text(row.bytes, writing),
        };
        if row.open {
            cx.notify(Notice::warn("only the loaded part of the row was copied"));
        } else if !row.whole() && self.display.is_lines() {
            cx.notify(Notice::warn("the line is longer than 256 kB; only the part under the cursor was copied"));
        }
        cx.copy(text);
    }

    pub(super) fn key_hints(&self) -> Vec<Hint> {
        match (&self.prompt.keys(), &self.plot) {
            (Some(keys), _) => keys.footer(&[PromptAction::Accept, PromptAction::Leave], &self.prompt),
            (None, Some(_)) => CurvePlot::hints(),
            (None, None) => keys::KEYS.footer(&keys::FOOTER, self),
        }
    }
}
