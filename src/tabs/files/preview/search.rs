//! Goes to a byte, a line, or the next match of a text.

use std::time::Instant;

use regex::{Regex, RegexBuilder};

use super::chunk_loader::ChunkKind;
use super::{JumpTarget, MessageLevel, Preview};
use crate::api::call::Ticket;
use crate::component::Cx;
use crate::record::files::{FilePlace, FileWindow, LinePosition, Reached, TextEncoding};
use crate::text::Untrusted;
use crate::ui::meter::count;

/// Bytes around what was looked for.
const AROUND: u64 = 512 << 10;
/// Bytes that may be looked for.
const LONGEST: usize = 1_000;

/// What is looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SearchGoal {
    Line(u64),
    Text { back: bool },
}

/// A search that needs several pieces of work.
#[derive(Debug)]
pub(super) struct PlaceSearch {
    /// The ticket of the work threads; `None`: parts are fetched from a server.
    pub(super) ticket: Option<Ticket>,
    pub(super) goal: SearchGoal,
    /// The position where it began; `here` is how far it has come.
    pub(super) from: LinePosition,
    pub(super) here: u64,
    pub(super) since: Instant,
    /// Bytes that may be fetched.
    pub(super) allowed: u64,
}

/// A text that is looked for.
#[derive(Debug)]
pub(super) struct SearchText {
    pub(super) text: Untrusted,
    pub(super) pattern: Regex,
    /// The match one is at.
    pub(super) at: Option<u64>,
}

impl SearchText {
    /// Creates a search; `None`: there is nothing to look for, or far too much.
    pub(super) fn new(text: &str) -> Option<Self> {
        let pattern = RegexBuilder::new(&regex::escape(text)).case_insensitive(true).build().ok()?;
        (!text.is_empty() && text.len() <= LONGEST).then(|| Self { text: text.into(), pattern, at: None })
    }
}

impl Preview {
    /// Goes to a place; what is on its way for another is dropped.
    pub(super) fn jump_to(&mut self, target: JumpTarget, cx: &mut Cx) {
        self.drop_goal(cx);
        let last = self.known.total.map_or(u64::MAX, |total| total.saturating_sub(1));
        match target {
            JumpTarget::Byte(byte) if self.window.holds(byte.min(last)) => self.move_cursor_to_byte(byte.min(last)),
            JumpTarget::End if self.window.at_end() => self.move_cursor_to_byte(self.window.end()),
            _ if self.refuses() => {}
            JumpTarget::Byte(byte) => self.jump(ChunkKind::Jump(byte.min(last)), cx),
            JumpTarget::End => self.jump(ChunkKind::End, cx),
            JumpTarget::Line(line) => self.seek_line(line.max(1), cx),
        }
    }

    fn jump(&mut self, what: ChunkKind, cx: &mut Cx) {
        if let Some(ticket) = self.loader.drop_part() {
            cx.cancel(ticket);
        }
        self.ask_or_offer(what, cx);
    }

    /// Returns whether no further part may be asked for, which is then said.
    fn refuses(&mut self) -> bool {
        let changed = self.known.changed;
        if changed {
            self.say(MessageLevel::Warn, "the file has changed since it was opened; r reloads it");
        }
        changed
    }

    /// Stops looking.
    pub(super) fn drop_goal(&mut self, cx: &mut Cx) -> bool {
        let Some(search) = self.search.take() else { return false };
        if let Some(ticket) = search.ticket {
            cx.cancel(ticket);
        }
        // Parts that were dropped on the way are not fetched again.
        if !self.window.holds(self.viewport.cursor) {
            self.move_cursor_to_byte(self.window.at().byte);
        }
        true
    }

    fn seek_line(&mut self, line: u64, cx: &mut Cx) {
        if let Some(row) = self.window.line(line) {
            self.move_cursor_to_byte(self.window.place(row));
            return;
        }
        if let (Some(lines), true) = (self.known.lines, self.window.at_end())
            && line > lines
        {
            self.said_last(lines);
            self.move_cursor_to_byte(self.window.end());
            return;
        }
        let below = |mark: &&LinePosition| mark.line.is_some_and(|known| known < line);
        let from = self.known.marks.iter().take_while(below).last().copied().unwrap_or(LinePosition::START);
        let window = Some(self.window.at()).filter(|at| below(&at) && at.byte > from.byte);
        self.start_search(SearchGoal::Line(line), window.unwrap_or(from), cx);
    }

    /// Looks for the next place of the text; `back`: for the one before.
    pub(super) fn find(&mut self, back: bool, cx: &mut Cx) {
        self.drop_goal(cx);
        if self.refuses() {
            return;
        }
        let Some(search_text) = &self.search_text else { return };
        let from = match (search_text.at, back) {
            (Some(at), false) => at + 1,
            (Some(at), true) => at,
            (None, _) => self.viewport.cursor,
        };
        if self.source.is_remote() && self.window.writing() != TextEncoding::Utf8 {
            self.say(MessageLevel::Warn, "UTF-16 files on a server cannot be searched; download it first");
            return;
        }
        let from = self.window.mark(from);
        self.start_search(SearchGoal::Text { back }, from, cx);
    }

    fn start_search(&mut self, goal: SearchGoal, from: LinePosition, cx: &mut Cx) {
        let ticket = self.start_scan(goal, from, cx);
        self.search = Some(PlaceSearch { ticket, goal, from, here: from.byte, since: cx.now, allowed: 0 });
        if ticket.is_none() {
            self.search_loaded(cx);
        }
    }

    /// Starts to search a part of a local file and returns the ticket; `None`: the file is on a server.
    fn start_scan(&self, goal: SearchGoal, from: LinePosition, cx: &mut Cx) -> Option<Ticket> {
        let place = match goal {
            SearchGoal::Line(line) => FilePlace::Line { line, from },
            SearchGoal::Text { back } => FilePlace::Find { text: self.search_text.as_ref()?.text.clone(), from, back },
        };
        self.read_local(place, AROUND, cx)
    }

    /// Takes how far the work threads have searched.
    pub(super) fn scanned(&mut self, window: FileWindow, cx: &mut Cx) {
        if !self.check_unchanged(&window, cx) {
            self.stop(cx);
            return;
        }
        self.note_lines(&window.marks);
        let Some(search) = &mut self.search else { return };
        let goal = search.goal;
        if let Reached::Far(mark) = window.reached {
            search.here = mark.byte;
            let ticket = self.start_scan(goal, mark, cx);
            if let Some(search) = &mut self.search {
                search.ticket = ticket;
            }
            return;
        }
        self.search = None;
        match (goal, window.reached) {
            (SearchGoal::Text { back }, Reached::Nowhere) => self.not_found(back),
            (SearchGoal::Line(_), Reached::Nowhere) => {
                self.known.lines = window.focus.line;
                self.said_last(window.focus.line.unwrap_or(1));
                self.go_to_found(window);
            }
            _ => {
                if let (SearchGoal::Text { .. }, Some(search_text)) = (goal, &mut self.search_text) {
                    search_text.at = Some(window.focus.byte);
                }
                self.go_to_found(window);
            }
        }
    }

    /// Stands where the work threads found what was looked for.
    fn go_to_found(&mut self, window: FileWindow) {
        let FileWindow { at, begins, bytes, focus, .. } = window;
        let known = [at, focus].into_iter().filter(|mark| mark.line.is_some());
        self.note_lines(&known.collect::<Vec<_>>());
        if !self.window.holds(focus.byte) {
            self.loader.part = None;
            self.cache.get_mut().clear();
            self.window.replace(at, begins, bytes);
        }
        self.move_cursor_to_byte(focus.byte);
    }

    /// Looks in what has come from a server, and fetches more if need be.
    pub(super) fn search_loaded(&mut self, cx: &mut Cx) {
        let Some(search) = self.search.as_ref().filter(|search| search.ticket.is_none()) else { return };
        match search.goal {
            SearchGoal::Line(line) => {
                if let Some(row) = self.window.line(line) {
                    self.search = None;
                    return self.move_cursor_to_byte(self.window.place(row));
                }
                if self.window.at().line.is_none_or(|first| line < first) {
                    self.search = None;
                    self.pending_jump = Some(JumpTarget::Line(line));
                    return self.jump(ChunkKind::Jump(0), cx);
                }
                if self.window.at_end() {
                    self.search = None;
                    self.said_last(self.known.lines.unwrap_or(1));
                    return self.move_cursor_to_byte(self.window.end());
                }
            }
            SearchGoal::Text { back } => {
                let from = search.here;
                if let Some(at) = self.in_held(from, back) {
                    self.search = None;
                    if let Some(search_text) = &mut self.search_text {
                        search_text.at = Some(at);
                    }
                    return self.move_cursor_to_byte(at);
                }
                if back && self.window.at().byte > 0 {
                    self.search = None;
                    return self.say(MessageLevel::Warn, "not in the part loaded so far; go up and search again");
                }
                if back || self.window.at_end() {
                    self.search = None;
                    return self.not_found(back);
                }
                let longest = self.search_text.as_ref().map_or(0, |search_text| search_text.text.len() as u64 * 4);
                if let Some(search) = &mut self.search {
                    search.here = from.max(self.window.end().saturating_sub(longest));
                }
            }
        }
        match &self.search {
            Some(search) if self.walk_costs(search) => self.offer_walk(),
            Some(_) => self.ask(ChunkKind::More, cx),
            None => {}
        }
    }

    /// Returns the next match in what is held.
    fn in_held(&self, from: u64, back: bool) -> Option<u64> {
        let search_text = self.search_text.as_ref()?;
        let pattern =
            regex::bytes::RegexBuilder::new(search_text.pattern.as_str()).case_insensitive(true).build().ok()?;
        let at = self.window.at().byte;
        let bytes = self.window.bytes();
        let from = (from.saturating_sub(at) as usize).min(bytes.len());
        let found = if back {
            pattern.find_iter(bytes).take_while(|found| found.start() < from).last()
        } else {
            pattern.find_at(bytes, from)
        };
        found.map(|found| at + found.start() as u64)
    }

    fn said_last(&mut self, lines: u64) {
        let words = if lines == 1 {
            "the file has one line".to_owned()
        } else {
            format!("the file has {} lines", count(lines))
        };
        self.say(MessageLevel::Warn, words);
    }

    fn not_found(&mut self, back: bool) {
        let Some(search_text) = &self.search_text else { return };
        let mut words = Untrusted::from("“");
        words.append(&search_text.text);
        let (here, other) = if back { ("above", "n searches below") } else { ("below", "N searches above") };
        words.push(&format!("” not found {here}; {other}"));
        self.say(MessageLevel::Warn, words);
    }

    /// Returns the place that was typed.
    pub(super) fn typed_place(&mut self, typed: &str, hex: bool) -> Option<JumpTarget> {
        let plain: String = typed.chars().filter(|char| !" ,_".contains(*char)).collect();
        let total = self.known.total.unwrap_or(0);
        if plain.is_empty() {
            return Some(JumpTarget::Byte(0));
        }
        if let Some(share) = plain.strip_suffix('%').and_then(|share| share.parse::<f64>().ok()) {
            let share = (share / 100.0).clamp(0.0, 1.0);
            return Some(if share < 1.0 { JumpTarget::Byte((total as f64 * share) as u64) } else { JumpTarget::End });
        }
        if plain == "$" || plain == "end" {
            return Some(JumpTarget::End);
        }
        if let Some(byte) = plain.strip_prefix("0x") {
            return u64::from_str_radix(byte, 16).ok().map(JumpTarget::Byte);
        }
        if let Some(byte) = plain.strip_prefix('@') {
            return byte.parse().ok().map(JumpTarget::Byte);
        }
        plain.parse().ok().map(if hex { JumpTarget::Byte } else { JumpTarget::Line })
    }
}
