//! A preview driven by keys, with a made-up file or server behind it.

use std::time::{Duration, Instant};

use crossterm::event::{KeyCode, KeyEvent};
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::buffer::Buffer;

use super::super::*;
use crate::api::call::{Call, Content, Failure, FailureKind, Progress, Reply, Span};
use crate::component::Effect;
use crate::record::files::{FilePlace, FileQuery, FileWindow, Reached};
use crate::record::work::{Done, Work};
use crate::settings::ProfileId;
use crate::ui::theme::{Depth, Kind, Theme};

/// A preview and its file.
pub(super) struct PreviewDriver {
    pub(super) preview: Preview,
    pub(super) bytes: Vec<u8>,
    pub(super) modified_ms: i64,
    /// Whether the server gives parts.
    pub(super) ranges: bool,
    /// How the server fails; `None`: it does not.
    pub(super) failure: Option<Failure>,
    /// How the disk fails.
    pub(super) broken: Option<&'static str>,
    /// Bytes that one order looks through.
    pub(super) step: u64,
    tickets: u64,
    pub(super) effects: Vec<Effect>,
    /// Orders and calls so far, and bytes that came over the wire.
    pub(super) orders: Vec<FilePlace>,
    pub(super) fetched: u64,
    pub(super) size: (u16, u16),
    pub(super) copied: Vec<String>,
    pub(super) now: Instant,
}

impl PreviewDriver {
    fn new(bytes: Vec<u8>, open: impl FnOnce(&mut Cx) -> Preview) -> Self {
        let (session, now) = (Session::default(), Instant::now());
        let (mut tickets, mut effects) = (0, Vec::new());
        let preview = open(&mut Cx::new(&session, now, 0, &mut tickets, &mut effects));
        Self {
            preview,
            bytes,
            modified_ms: 1,
            ranges: true,
            failure: None,
            broken: None,
            step: 1 << 20,
            tickets,
            effects,
            orders: Vec::new(),
            fetched: 0,
            size: (80, 24),
            copied: Vec::new(),
            now,
        }
    }

    /// Returns a local file.
    pub(super) fn local(name: &str, bytes: impl Into<Vec<u8>>) -> Self {
        Self::new(bytes.into(), |cx| Preview::local("/f", name.into(), None, cx))
    }

    /// Opens a local file.
    pub(super) fn open(name: &str, bytes: impl Into<Vec<u8>>) -> Self {
        let mut trial = Self::local(name, bytes);
        trial.settle();
        trial
    }

    /// Returns a stored file.
    pub(super) fn remote(name: &str, bytes: impl Into<Vec<u8>>, ranges: bool) -> Self {
        let bytes = bytes.into();
        let size = Some(bytes.len() as u64);
        let trial = Self::new(bytes, |cx| Preview::remote(ProfileId::default(), "file-1", name.into(), size, cx));
        Self { ranges, ..trial }
    }

    fn with<T>(&mut self, act: impl FnOnce(&mut Preview, &mut Cx) -> T) -> T {
        let session = Session::default();
        let mut cx = Cx::new(&session, self.now, 0, &mut self.tickets, &mut self.effects);
        let out = act(&mut self.preview, &mut cx);
        // Of what is stopped nothing more is heard.
        let stopped = |effect: &Effect| if let Effect::Cancel(ticket) = effect { Some(*ticket) } else { None };
        let stopped: Vec<Ticket> = self.effects.iter().filter_map(stopped).collect();
        self.effects.retain(|effect| match effect {
            Effect::Work(ticket, _) | Effect::Call(ticket, ..) | Effect::Cancel(ticket) => !stopped.contains(ticket),
            _ => true,
        });
        out
    }

    /// Answers one order. Returns whether there was any.
    pub(super) fn answer(&mut self) -> bool {
        if self.effects.is_empty() {
            return false;
        }
        match self.effects.remove(0) {
            Effect::Work(ticket, Work::ReadWindow(look)) => {
                self.orders.push(look.place.clone());
                let done = match self.broken {
                    Some(why) => Done::Failed(why.into()),
                    None => Done::Window(Box::new(self.window(&look))),
                };
                let mut response = Response::Work(done);
                assert_eq!(self.with(|preview, cx| preview.reply(ticket, &mut response, cx)), Handled::Consumed);
            }
            Effect::Call(ticket, _, Call::Content(span)) => {
                let progress = match self.failure.clone() {
                    Some(failure) => vec![Progress::Closed(Err(failure))],
                    None => vec![Progress::Reply(Reply::Content(self.content(&span))), Progress::Closed(Ok(()))],
                };
                for progress in progress {
                    let mut response = Response::Call(progress);
                    assert_eq!(self.with(|preview, cx| preview.reply(ticket, &mut response, cx)), Handled::Consumed);
                }
            }
            Effect::Copy(text) => self.copied.push(text.raw().to_owned()),
            Effect::Notify(_) => {}
            other => panic!("{other:?}"),
        }
        true
    }

    /// Says of the call that is next to be answered that it is sent again after so long.
    pub(super) fn retries_in(&mut self, wait: Duration) {
        let ticket = self.effects.iter().find_map(|effect| match effect {
            Effect::Call(ticket, ..) => Some(*ticket),
            _ => None,
        });
        let why = failure(FailureKind::Offline, None, "no connection");
        let retrying = Progress::Retrying { attempt: 2, of: 3, at: self.now + wait, why };
        self.with(|preview, cx| preview.reply(ticket.expect("a call is under way"), &mut Response::Call(retrying), cx));
    }

    pub(super) fn settle(&mut self) {
        // A frame says how large the page is.
        self.shown();
        for _ in 0..10_000 {
            if !self.answer() {
                self.shown();
                return;
            }
        }
        panic!("it never rests");
    }

    fn content(&mut self, span: &Span) -> Content {
        let len = self.bytes.len() as u64;
        let (from, end) = (span.from.min(len), (span.from + span.most).min(len));
        self.fetched += if self.ranges { end - from } else { end };
        let bytes = self.bytes[from as usize..end as usize].to_vec();
        Content { from, bytes, total: Some(len), ranges: self.ranges }
    }

    /// Returns what the work threads would answer.
    fn window(&self, look: &FileQuery) -> FileWindow {
        let total = self.bytes.len() as u64;
        let most = look.most as u64;
        let nothing = |focus, reached| FileWindow {
            at: focus,
            focus,
            reached,
            ..self.part(0, 0, LinePosition { byte: 0, line: None })
        };
        match look.place.clone() {
            FilePlace::From(byte) => {
                self.part(byte.min(total), byte.saturating_add(most), LinePosition { byte, line: None })
            }
            FilePlace::Before(byte) => {
                let at = self.begin(byte.saturating_sub(most), byte - 1);
                self.part(at, byte, LinePosition { byte, line: None })
            }
            FilePlace::Around(byte) => self.around(byte, most),
            FilePlace::End => self.around(total, most),
            FilePlace::Line { line, from } => {
                let (mut at, mut number) = (from.byte, from.line.unwrap());
                while number < line {
                    if at - from.byte > self.step {
                        let far = LinePosition { byte: at, line: Some(number) };
                        return nothing(far, Reached::Far(far));
                    }
                    match memchr::memchr(b'\n', &self.bytes[at as usize..]) {
                        Some(end) if at + (end as u64) + 1 < total => (at, number) = (at + end as u64 + 1, number + 1),
                        _ => {
                            let window = self.around(at, most);
                            let focus = LinePosition { byte: at, line: Some(number) };
                            return FileWindow { reached: Reached::Nowhere, focus, ..self.numbered(window) };
                        }
                    }
                }
                self.numbered(self.around(at, most))
            }
            FilePlace::Count { from, to } => {
                let here = to.min(total).min(from.byte + self.step);
                let lines = memchr::memchr_iter(b'\n', &self.bytes[from.byte as usize..here as usize]).count();
                let mark = LinePosition { byte: here, line: from.line.map(|line| line + lines as u64) };
                let reached = if here < to.min(total) { Reached::Far(mark) } else { Reached::Found };
                FileWindow { begins: self.begins(here), ..nothing(mark, reached) }
            }
            FilePlace::Find { text, from, back } => {
                let (hay, text) = (self.bytes.to_ascii_lowercase(), text.raw().to_lowercase());
                let from = (from.byte as usize).min(hay.len());
                let found = if back {
                    memchr::memmem::find_iter(&hay, &text).take_while(|at| *at < from).last()
                } else {
                    memchr::memmem::find(&hay[from..], text.as_bytes()).map(|at| at + from)
                };
                match found {
                    Some(at) => self.around(at as u64, most),
                    None => nothing(LinePosition { byte: 0, line: None }, Reached::Nowhere),
                }
            }
        }
    }

    fn begins(&self, byte: u64) -> bool {
        byte == 0 || self.bytes[byte as usize - 1] == b'\n'
    }

    /// Returns where the first line begins in a range; its beginning, where none does.
    fn begin(&self, at: u64, to: u64) -> u64 {
        (at..=to).find(|byte| self.begins(*byte)).unwrap_or(at)
    }

    fn around(&self, byte: u64, most: u64) -> FileWindow {
        let byte = byte.min(self.bytes.len() as u64);
        let half = if byte == self.bytes.len() as u64 { most } else { most / 2 };
        let at = self.begin(byte.saturating_sub(half), byte);
        self.part(at, byte - (byte - at).min(half) + most, LinePosition { byte, line: None })
    }

    fn numbered(&self, window: FileWindow) -> FileWindow {
        let line = |byte: u64| memchr::memchr_iter(b'\n', &self.bytes[..byte as usize]).count() as u64 + 1;
        let with = |mark: LinePosition| LinePosition { line: Some(line(mark.byte)), ..mark };
        FileWindow { at: with(window.at), focus: with(window.focus), ..window }
    }

    fn part(&self, at: u64, end: u64, focus: LinePosition) -> FileWindow {
        let total = self.bytes.len() as u64;
        let bytes = self.bytes[at as usize..end.min(total).max(at) as usize].to_vec();
        let modified_ms = Some(self.modified_ms);
        let at = LinePosition { byte: at, line: (at == 0).then_some(1) };
        FileWindow { at, bytes, begins: self.begins(at.byte), total, modified_ms, focus, ..FileWindow::default() }
    }

    pub(super) fn key(&mut self, code: KeyCode) -> Handled<Event> {
        let outcome = self.tap(code);
        self.settle();
        outcome
    }

    /// Presses a key without answering what it asks for.
    pub(super) fn tap(&mut self, code: KeyCode) -> Handled<Event> {
        self.with(|preview, cx| preview.key(KeyEvent::from(code), cx))
    }

    /// Types keys: `⏎` is Enter, `⎋` Esc, `↓` `↑` `→` `←` arrows, `⇟` `⇞` pages, `⇲` End.
    pub(super) fn press(&mut self, keys: &str) {
        for key in keys.chars() {
            self.key(match key {
                '⏎' => KeyCode::Enter,
                '⎋' => KeyCode::Esc,
                '↓' => KeyCode::Down,
                '↑' => KeyCode::Up,
                '→' => KeyCode::Right,
                '←' => KeyCode::Left,
                '⇟' => KeyCode::PageDown,
                '⇞' => KeyCode::PageUp,
                '⇲' => KeyCode::End,
                '⇱' => KeyCode::Home,
                key => KeyCode::Char(key),
            });
        }
    }

    pub(super) fn go_to(&mut self, target: JumpTarget) {
        self.with(|preview, cx| preview.go_to(target, cx));
    }

    pub(super) fn later(&mut self, seconds: u64) {
        self.now += Duration::from_secs(seconds);
    }

    pub(super) fn shown(&mut self) -> String {
        let buffer = self.drawn(&Theme::of(Kind::Mono, Depth::Indexed));
        let rows = buffer.content().chunks(usize::from(self.size.0.max(1)));
        let rows: Vec<String> = rows.map(|row| row.iter().map(ratatui::buffer::Cell::symbol).collect()).collect();
        rows.iter().map(|row| row.trim_end()).collect::<Vec<_>>().join("\n")
    }

    /// Draws a frame.
    pub(super) fn drawn(&mut self, theme: &Theme) -> Buffer {
        let (width, height) = self.size;
        let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
        let (session, now) = (Session::default(), self.now);
        let preview = &mut self.preview;
        preview.arrange(Rect::new(0, 0, width, height), &session, now);
        let context = RenderContext { session: &session, theme, now };
        terminal.draw(|frame| preview.render(frame, frame.area(), context)).unwrap();
        terminal.backend().buffer().clone()
    }

    pub(super) fn shown_at(&mut self, width: u16, height: u16) -> String {
        self.size = (width, height);
        self.settle();
        self.shown()
    }

    /// Returns the three sizes of the design, one below the other: the pane beside a list, alone, in a small terminal.
    pub(super) fn pictures(&mut self) -> String {
        [(55, 22), (80, 20), (40, 10)].map(|(width, height)| self.shown_at(width, height)).join("\n\n")
    }

    /// Returns the screen before what the preview waits for has come.
    pub(super) fn shown_before(&mut self) -> String {
        let before: Vec<String> = [(55, 22), (80, 20), (40, 10)]
            .into_iter()
            .map(|size| {
                self.size = size;
                self.shown()
            })
            .collect();
        before.join("\n\n")
    }

    /// Returns the row under the cursor, byte for byte.
    pub(super) fn row(&self) -> (u64, Vec<u8>) {
        let row = self.preview.window.row(self.preview.cursor()).unwrap();
        (row.at, row.bytes.to_vec())
    }

    pub(super) fn said(&self) -> String {
        self.preview.message.as_ref().map(|(_, words)| words.line().into_owned()).unwrap_or_default()
    }
}

pub(super) fn failure(kind: FailureKind, status: Option<u16>, sentence: &str) -> Failure {
    Failure { status, ..Failure::new(kind, sentence) }
}

pub(super) fn wide(text: &str, high: bool) -> Vec<u8> {
    text.encode_utf16().flat_map(|unit| if high { unit.to_be_bytes() } else { unit.to_le_bytes() }).collect()
}
