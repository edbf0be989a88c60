//! What keys do.

use crossterm::event::{KeyCode, KeyEvent};

use super::feed::What;
use super::form::Form;
use super::goal::Sought;
use super::keys::Action;
use super::plot::{self, Plot};
use super::{Outcome, Over, Preview, Spread, Target, Tone};
use crate::component::{Cx, Hint, Notice};
use crate::record::files::Writing;
use crate::ui::line::Line;

/// Columns that sideways keys scroll.
const ASIDE: usize = 16;

impl Preview {
    pub(super) fn keyed(&mut self, key: KeyEvent, cx: &mut Cx) -> Outcome {
        match &self.over {
            Over::None => {}
            Over::Ask(_) => return self.ask_key(key, cx),
            Over::Find(_) | Over::GoTo(_) => {
                self.typed_key(key, cx);
                return Outcome::Taken;
            }
        }
        if key.code == KeyCode::Esc {
            return self.escaped(cx);
        }
        if let Some(plot) = &mut self.plot {
            match plot.key(key) {
                plot::Outcome::Taken => return Outcome::Taken,
                plot::Outcome::Ignored => return Outcome::Ignored,
                plot::Outcome::Closed => {
                    self.drop_plot(cx);
                    return Outcome::Taken;
                }
            }
        }
        let Some(action) = self.keys.find(&key).filter(|action| self.has(*action)) else { return Outcome::Ignored };
        self.said = None;
        self.act(action, cx);
        Outcome::Taken
    }

    fn escaped(&mut self, cx: &mut Cx) -> Outcome {
        if self.drop_goal(cx) {
            self.say(Tone::Plain, "stopped looking");
        } else if self.plot.is_some() {
            self.drop_plot(cx);
        } else if self.sought.take().is_none() {
            return Outcome::Closed;
        } else {
            self.said = None;
        }
        Outcome::Taken
    }

    fn drop_plot(&mut self, cx: &mut Cx) {
        if let Some(mut plot) = self.plot.take() {
            plot.close(cx);
        }
    }

    fn ask_key(&mut self, key: KeyEvent, cx: &mut Cx) -> Outcome {
        let Over::Ask(offer) = std::mem::take(&mut self.over) else { return Outcome::Ignored };
        match key.code {
            KeyCode::Enter | KeyCode::Char('y') => self.accept(offer, cx),
            KeyCode::Esc | KeyCode::Char('n') => {
                self.drop_goal(cx);
                self.say(Tone::Plain, "nothing was fetched");
            }
            _ => {
                self.over = Over::Ask(offer);
                return Outcome::Ignored;
            }
        }
        Outcome::Taken
    }

    fn typed_key(&mut self, key: KeyEvent, cx: &mut Cx) {
        let over = std::mem::take(&mut self.over);
        match (over, key.code) {
            (_, KeyCode::Esc) => {}
            // Nothing typed: what was looked for is looked for again.
            (Over::Find(line), KeyCode::Enter) if line.is_empty() => self.find(false, cx),
            (Over::Find(line), KeyCode::Enter) => {
                self.sought = Sought::new(line.text());
                if self.sought.is_none() {
                    self.say(Tone::Warn, "that is too long to be looked for; take a part of it");
                }
                self.find(false, cx);
            }
            (Over::GoTo(line), KeyCode::Enter) => match self.typed_place(line.text(), self.form == Form::Hex) {
                Some(target) => self.go(target, cx),
                None => self.say(Tone::Warn, "type a line, a share (50%), a byte (@4096, 0x1000) or end"),
            },
            (Over::Find(mut line), _) => {
                line.key(key);
                self.over = Over::Find(line);
            }
            (Over::GoTo(mut line), _) => {
                line.key(key);
                self.over = Over::GoTo(line);
            }
            (over, _) => self.over = over,
        }
    }

    /// Whether an action has a meaning for what is shown.
    pub(super) fn has(&self, action: Action) -> bool {
        if !self.feed.is_open() {
            return action == Action::Reload;
        }
        let table = matches!(self.found.and_then(|found| found.rows), Some(Form::Table(_)));
        match action {
            Action::Pretty => self.form == Form::Jsonl,
            Action::Wrap => matches!(self.form, Form::Jsonl | Form::Text),
            Action::Curves => table && matches!(self.form, Form::Table(_)),
            Action::Left | Action::Right | Action::Margin => self.form != Form::Hex,
            _ => true,
        }
    }

    fn act(&mut self, action: Action, cx: &mut Cx) {
        let page = isize::try_from(self.eye.page).unwrap_or(1);
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
            Action::Top => self.go(Target::Byte(0), cx),
            Action::End => self.go(Target::End, cx),
            Action::Left => self.aside(false),
            Action::Right => self.aside(true),
            Action::Margin => self.eye.left = 0,
            Action::GoTo => self.over = Over::GoTo(Line::default()),
            Action::Find => self.over = Over::Find(Line::default()),
            Action::Next | Action::Previous if self.sought.is_none() => {
                self.say(Tone::Plain, "nothing is looked for yet; / looks for a text");
            }
            Action::Next => self.find(false, cx),
            Action::Previous => self.find(true, cx),
            Action::Pretty => {
                self.spread = match self.spread {
                    Spread::Cursor => Spread::All,
                    Spread::All => Spread::None,
                    Spread::None => Spread::Cursor,
                };
                self.stand(self.eye.cursor);
            }
            Action::Wrap => {
                self.wrap = !self.wrap;
                self.eye.left = 0;
                self.stand(self.eye.cursor);
            }
            Action::Form => self.next_form(),
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
        if moved || self.feed.waits().is_some() {
            return;
        }
        let all = if down { self.held.at_end() } else { self.held.at().byte == 0 };
        if all {
            self.say(Tone::Plain, if down { "the file ends here" } else { "the file begins here" });
        } else if self.known.changed {
            self.say(Tone::Warn, "the file has changed since it was opened; r reads it anew");
        } else {
            self.ask_or_offer(if down { What::More } else { What::Back }, cx);
        }
    }

    fn aside(&mut self, right: bool) {
        let by = if matches!(self.form, Form::Table(_)) { 1 } else { ASIDE };
        // How far there is something to see is known when it is drawn.
        self.eye.left = if right { self.eye.left + by } else { self.eye.left.saturating_sub(by) };
    }

    /// The next way to show the file: its rows, text, bytes.
    fn next_form(&mut self) {
        let rows = self.found.and_then(|found| found.rows);
        let forms: Vec<Form> = rows.into_iter().chain([Form::Text, Form::Hex]).collect();
        let at = forms.iter().position(|form| *form == self.form).unwrap_or(0);
        let next = forms[(at + 1) % forms.len()];
        self.eye.left = 0;
        self.show_as(next);
    }

    fn curves(&mut self, cx: &mut Cx) {
        self.drop_goal(cx);
        self.plot = Some(match self.read_path() {
            Some(path) => Plot::local(&path, &self.held, &self.sheet, cx),
            None => Plot::held(&self.held, &self.sheet),
        });
    }

    /// The row under the cursor, byte for byte.
    fn copy(&mut self, cx: &mut Cx) {
        let Some(row) = self.held.row(self.cursor()) else { return };
        if self.form == Form::Hex {
            let hex: Vec<String> = row.bytes.iter().map(|byte| format!("{byte:02x}")).collect();
            return cx.copy(hex.join(" ").into());
        }
        let text = match (self.held.writing(), str::from_utf8(row.bytes)) {
            (Writing::Utf8, Ok(text)) => text.to_owned().into(),
            (Writing::Utf8, Err(why)) => {
                let words = format!("not copied: the row is no UTF-8 at byte {}", why.valid_up_to() + 1);
                return cx.notify(Notice::warn(words));
            }
            (writing, _) => super::lay::text(row.bytes, writing),
        };
        if row.open {
            cx.notify(Notice::warn("only what is here of the row was copied: its end is not loaded"));
        } else if !row.whole() && matches!(self.form, Form::Jsonl | Form::Text) {
            cx.notify(Notice::warn("the line is longer than 256 KB: the piece under the cursor was copied"));
        }
        cx.copy(text);
    }

    pub(super) fn key_hints(&self) -> Vec<Hint> {
        match &self.over {
            Over::Ask(_) => return vec![Hint::new("⏎", "fetch"), Hint::new("esc", "do not")],
            Over::Find(_) => return vec![Hint::new("⏎", "look")],
            Over::GoTo(_) => return vec![Hint::new("⏎", "go")],
            Over::None if self.plot.is_some() => return plot::hints(),
            Over::None => {}
        }
        let shown = [
            (Action::GoTo, "go to line"),
            (Action::Find, "search"),
            (Action::Pretty, "raw/pretty"),
            (Action::Curves, "curves"),
            (Action::Wrap, "wrap"),
            (Action::Form, "show as"),
            (Action::Copy, "copy row"),
            (Action::Reload, if self.feed.is_open() { "read anew" } else { "try again" }),
        ];
        let has = shown.into_iter().filter(|(action, _)| self.has(*action));
        has.map(|(action, does)| Hint::new(self.keys.key(action), does)).collect()
    }
}
