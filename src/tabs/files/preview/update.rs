//! What keys do.

use crossterm::event::{KeyCode, KeyEvent};

use super::chunk_loader::ChunkKind;
use super::curve_plot::{self, CurvePlot};
use super::file_format::FileFormat;
use super::keys::Action;
use super::search::SearchText;
use super::{JsonLayout, JumpTarget, MessageLevel, Outcome, Preview, PreviewPrompt};
use crate::component::{Cx, Hint, Notice};
use crate::record::files::Writing;
use crate::ui::line::Line;

/// Columns that sideways keys scroll.
const ASIDE: usize = 16;

impl Preview {
    pub(super) fn keyed(&mut self, key: KeyEvent, cx: &mut Cx) -> Outcome {
        match &self.prompt {
            PreviewPrompt::None => {}
            PreviewPrompt::Ask(_) => return self.ask_key(key, cx),
            PreviewPrompt::Find(_) | PreviewPrompt::GoTo(_) => {
                self.typed_key(key, cx);
                return Outcome::Taken;
            }
        }
        if key.code == KeyCode::Esc {
            return self.escaped(cx);
        }
        if let Some(plot) = &mut self.plot {
            match plot.key(key) {
                curve_plot::Outcome::Taken => return Outcome::Taken,
                curve_plot::Outcome::Ignored => return Outcome::Ignored,
                curve_plot::Outcome::Closed => {
                    self.drop_plot(cx);
                    return Outcome::Taken;
                }
            }
        }
        let Some(action) = self.keys.find(&key).filter(|action| self.has(*action)) else { return Outcome::Ignored };
        self.message = None;
        self.act(action, cx);
        Outcome::Taken
    }

    fn escaped(&mut self, cx: &mut Cx) -> Outcome {
        if self.drop_goal(cx) {
            self.say(MessageLevel::Plain, "stopped looking");
        } else if self.plot.is_some() {
            self.drop_plot(cx);
        } else if self.search_text.take().is_none() {
            return Outcome::Closed;
        } else {
            self.message = None;
        }
        Outcome::Taken
    }

    fn drop_plot(&mut self, cx: &mut Cx) {
        if let Some(mut plot) = self.plot.take() {
            plot.close(cx);
        }
    }

    fn ask_key(&mut self, key: KeyEvent, cx: &mut Cx) -> Outcome {
        let PreviewPrompt::Ask(offer) = std::mem::take(&mut self.prompt) else { return Outcome::Ignored };
        match key.code {
            KeyCode::Enter | KeyCode::Char('y') => self.accept(offer, cx),
            KeyCode::Esc | KeyCode::Char('n') => {
                self.drop_goal(cx);
                self.say(MessageLevel::Plain, "nothing was fetched");
            }
            _ => {
                self.prompt = PreviewPrompt::Ask(offer);
                return Outcome::Ignored;
            }
        }
        Outcome::Taken
    }

    fn typed_key(&mut self, key: KeyEvent, cx: &mut Cx) {
        let over = std::mem::take(&mut self.prompt);
        match (over, key.code) {
            (_, KeyCode::Esc) => {}
            // Nothing typed: what was looked for is looked for again.
            (PreviewPrompt::Find(line), KeyCode::Enter) if line.is_empty() => self.find(false, cx),
            (PreviewPrompt::Find(line), KeyCode::Enter) => {
                self.search_text = SearchText::new(line.text());
                if self.search_text.is_none() {
                    self.say(MessageLevel::Warn, "that is too long to be looked for; take a part of it");
                }
                self.find(false, cx);
            }
            (PreviewPrompt::GoTo(line), KeyCode::Enter) => {
                match self.typed_place(line.text(), self.form == FileFormat::Hex) {
                    Some(target) => self.go(target, cx),
                    None => self.say(MessageLevel::Warn, "type a line, a share (50%), a byte (@4096, 0x1000) or end"),
                }
            }
            (PreviewPrompt::Find(mut line), _) => {
                line.key(key);
                self.prompt = PreviewPrompt::Find(line);
            }
            (PreviewPrompt::GoTo(mut line), _) => {
                line.key(key);
                self.prompt = PreviewPrompt::GoTo(line);
            }
            (over, _) => self.prompt = over,
        }
    }

    /// Whether an action has a meaning for what is shown.
    pub(super) fn has(&self, action: Action) -> bool {
        if !self.loader.is_open() {
            return action == Action::Reload;
        }
        let table = matches!(self.found.and_then(|found| found.rows), Some(FileFormat::Table(_)));
        match action {
            Action::Pretty => self.form == FileFormat::Jsonl,
            Action::Wrap => matches!(self.form, FileFormat::Jsonl | FileFormat::Text),
            Action::Curves => table && matches!(self.form, FileFormat::Table(_)),
            Action::Left | Action::Right | Action::Margin => self.form != FileFormat::Hex,
            _ => true,
        }
    }

    fn act(&mut self, action: Action, cx: &mut Cx) {
        let page = isize::try_from(self.viewport.page).unwrap_or(1);
        match action {
            Action::Down => {
                let moved = self.down();
                self.at_edge(moved, true, cx);
            }
            Action::Up => {
                let moved = self.up();
                self.at_edge(moved, false, cx);
            }
            Action::PageDown => self.scrolled((page - 1).max(1), cx),
            Action::PageUp => self.scrolled(-(page - 1).max(1), cx),
            Action::HalfDown => self.scrolled((page / 2).max(1), cx),
            Action::HalfUp => self.scrolled(-(page / 2).max(1), cx),
            Action::Top => self.go(JumpTarget::Byte(0), cx),
            Action::End => self.go(JumpTarget::End, cx),
            Action::Left => self.aside(false),
            Action::Right => self.aside(true),
            Action::Margin => self.viewport.left = 0,
            Action::GoTo => self.prompt = PreviewPrompt::GoTo(Line::default()),
            Action::Find => self.prompt = PreviewPrompt::Find(Line::default()),
            Action::Next | Action::Previous if self.search_text.is_none() => {
                self.say(MessageLevel::Plain, "nothing is looked for yet; / looks for a text");
            }
            Action::Next => self.find(false, cx),
            Action::Previous => self.find(true, cx),
            Action::Pretty => {
                self.spread = match self.spread {
                    JsonLayout::Cursor => JsonLayout::All,
                    JsonLayout::All => JsonLayout::None,
                    JsonLayout::None => JsonLayout::Cursor,
                };
                self.stand(self.viewport.cursor);
            }
            Action::Wrap => {
                self.wrap = !self.wrap;
                self.viewport.left = 0;
                self.stand(self.viewport.cursor);
            }
            Action::FileFormat => self.next_form(),
            Action::Curves => self.curves(cx),
            Action::Copy => self.copy(cx),
            Action::Reload => self.reload(cx),
        }
    }

    fn scrolled(&mut self, lines: isize, cx: &mut Cx) {
        let moved = self.scroll(lines);
        self.at_edge(moved, lines > 0, cx);
    }

    /// Where there is no further way: more is asked for, or it is said that the file ends.
    fn at_edge(&mut self, moved: bool, down: bool, cx: &mut Cx) {
        if moved || self.loader.waits().is_some() {
            return;
        }
        let all = if down { self.window.at_end() } else { self.window.at().byte == 0 };
        if all {
            self.say(MessageLevel::Plain, if down { "the file ends here" } else { "the file begins here" });
        } else if self.known.changed {
            self.say(MessageLevel::Warn, "the file has changed since it was opened; r reads it anew");
        } else {
            self.ask_or_offer(if down { ChunkKind::More } else { ChunkKind::Back }, cx);
        }
    }

    fn aside(&mut self, right: bool) {
        let by = if matches!(self.form, FileFormat::Table(_)) { 1 } else { ASIDE };
        // How far there is something to see is known when it is drawn.
        self.viewport.left = if right { self.viewport.left + by } else { self.viewport.left.saturating_sub(by) };
    }

    /// The next way to show the file: its rows, text, bytes.
    fn next_form(&mut self) {
        let rows = self.found.and_then(|found| found.rows);
        let forms: Vec<FileFormat> = rows.into_iter().chain([FileFormat::Text, FileFormat::Hex]).collect();
        let at = forms.iter().position(|form| *form == self.form).unwrap_or(0);
        let next = forms[(at + 1) % forms.len()];
        self.viewport.left = 0;
        self.show_as(next);
    }

    fn curves(&mut self, cx: &mut Cx) {
        self.drop_goal(cx);
        self.plot = Some(match self.read_path() {
            Some(path) => CurvePlot::local(&path, &self.window, &self.sheet, cx),
            None => CurvePlot::window(&self.window, &self.sheet),
        });
    }

    /// The row under the cursor, byte for byte.
    fn copy(&mut self, cx: &mut Cx) {
        let Some(row) = self.window.row(self.cursor()) else { return };
        if self.form == FileFormat::Hex {
            let hex: Vec<String> = row.bytes.iter().map(|byte| format!("{byte:02x}")).collect();
            return cx.copy(hex.join(" ").into());
        }
        let text = match (self.window.writing(), str::from_utf8(row.bytes)) {
            (Writing::Utf8, Ok(text)) => text.to_owned().into(),
            (Writing::Utf8, Err(why)) => {
                let words = format!("not copied: the row is no UTF-8 at byte {}", why.valid_up_to() + 1);
                return cx.notify(Notice::warn(words));
            }
            (writing, _) => super::row_layout::text(row.bytes, writing),
        };
        if row.open {
            cx.notify(Notice::warn("only what is here of the row was copied: its end is not loaded"));
        } else if !row.whole() && matches!(self.form, FileFormat::Jsonl | FileFormat::Text) {
            cx.notify(Notice::warn("the line is longer than 256 KB: the piece under the cursor was copied"));
        }
        cx.copy(text);
    }

    pub(super) fn key_hints(&self) -> Vec<Hint> {
        match &self.prompt {
            PreviewPrompt::Ask(_) => return vec![Hint::new("⏎", "fetch"), Hint::new("esc", "do not")],
            PreviewPrompt::Find(_) => return vec![Hint::new("⏎", "look")],
            PreviewPrompt::GoTo(_) => return vec![Hint::new("⏎", "go")],
            PreviewPrompt::None if self.plot.is_some() => return curve_plot::hints(),
            PreviewPrompt::None => {}
        }
        let shown = [
            (Action::GoTo, "go to line"),
            (Action::Find, "search"),
            (Action::Pretty, "raw/pretty"),
            (Action::Curves, "curves"),
            (Action::Wrap, "wrap"),
            (Action::FileFormat, "show as"),
            (Action::Copy, "copy row"),
            (Action::Reload, if self.loader.is_open() { "read anew" } else { "try again" }),
        ];
        let has = shown.into_iter().filter(|(action, _)| self.has(*action));
        has.map(|(action, does)| Hint::new(self.keys.key(action), does)).collect()
    }
}
