//! The preview: what is in a file, local or on a server.
//!
//! A window of some MB of the file is in memory and moves with the cursor; its parts are read from a local file or
//! fetched from a server. Rows are laid out as they come into view.

mod chunk_loader;
pub(super) mod curve_plot;
mod draw;
mod draw_text;
mod file_format;
mod hex;
mod json_parts;
pub(super) mod keys;
mod loaded_text;
mod pretty;
mod replies;
mod row_display;
mod row_layout;
mod row_window;
mod rows;
mod scrolling;
mod search;
mod source;
mod status;
mod table_columns;
#[cfg(test)]
mod tests;
mod update;
mod viewport;

use std::cell::RefCell;
use std::time::Instant;

use crossterm::event::KeyEvent;
use ratatui::Frame;
use ratatui::layout::Rect;

use self::chunk_loader::ChunkLoader;
use self::curve_plot::CurvePlot;
use self::row_display::RowDisplay;
use self::row_layout::RowCache;
use self::row_window::RowWindow;
use self::search::{PlaceSearch, SearchText};
use self::source::{FileOrigin, FileSource};
use self::viewport::Viewport;
use crate::api::call::Ticket;
use crate::component::{Component, Cx, Handled, Hint, RenderContext, Response, Session};
use crate::record::files::LinePosition;
use crate::settings::ProfileId;
use crate::text::Untrusted;
use crate::ui::meter::SPINNER_FRAME;
use crate::ui::text_field::TextField;

/// The preview's message to the tab.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Event {
    /// The preview is done with: drop it. Nothing is on its way any more.
    Closed,
}

/// A place to go to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum JumpTarget {
    /// The byte, counted from 0.
    Byte(u64),
    /// The line, counted from 1.
    Line(u64),
    /// The last row.
    End,
}

/// What is known of the file as it was when it was opened.
#[derive(Debug, Default)]
struct FileFacts {
    /// Bytes.
    total: Option<u64>,
    /// Unix milliseconds of its last change.
    modified_ms: Option<i64>,
    /// Whether a part of it has come: what differs from then on is a change.
    seen: bool,
    /// Whether it has changed since: parts of it are not asked for any more.
    changed: bool,
    /// Lines, where they were counted.
    lines: Option<u64>,
    /// Places whose lines are known, ascending.
    marks: Vec<LinePosition>,
    /// Whether the server gives parts; `None`: not known yet.
    ranges: Option<bool>,
}

/// What stands over the rows.
#[derive(Debug, Default)]
enum PreviewPrompt {
    #[default]
    None,
    /// A text to look for is typed.
    Find(TextField),
    /// A place to go to is typed.
    GoTo(TextField),
    /// More than is fetched without asking is wanted.
    Ask(chunk_loader::FetchPrompt),
}

/// How serious what is said is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum MessageLevel {
    Plain,
    Warn,
    Error,
}

/// How much of the tab the preview takes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum PreviewSize {
    /// All of it: the screen has no room for more than one pane.
    Only,
    /// A pane among others.
    #[default]
    Pane,
    /// All of it, until the user says otherwise.
    Zoomed,
}

/// A file that is looked at.
#[derive(Debug)]
pub(super) struct Preview {
    source: FileSource,
    known: FileFacts,
    window: RowWindow,
    display: RowDisplay,
    viewport: Viewport,
    /// Rows as lines of the screen, to save work.
    cache: RefCell<RowCache>,
    plot: Option<CurvePlot>,
    loader: ChunkLoader,
    search: Option<PlaceSearch>,
    search_text: Option<SearchText>,
    prompt: PreviewPrompt,
    message: Option<(MessageLevel, Untrusted)>,
    /// Where to go as soon as something is there.
    pending_jump: Option<JumpTarget>,
    /// Whether things may move.
    motion: bool,
    /// Whether it has the keys.
    focus: bool,
    size: PreviewSize,
}

/// Returns the keys of a preview of any kind, for the help page.
pub(super) fn help() -> Vec<(&'static str, Vec<Hint>)> {
    vec![("Preview", keys::KEYS.help())]
}

impl Preview {
    /// Opens a local file by its absolute path, and asks for its beginning. `bytes`: its size, where known already.
    pub(super) fn local(path: impl Into<String>, name: Untrusted, bytes: Option<u64>, cx: &mut Cx) -> Self {
        Self::open(FileOrigin::Local { path: path.into() }, name, bytes, cx)
    }

    /// Opens a file of a profile's server, and asks for its first 64 kB.
    pub(super) fn remote(
        profile: ProfileId,
        id: impl Into<String>,
        name: Untrusted,
        bytes: Option<u64>,
        cx: &mut Cx,
    ) -> Self {
        Self::open(FileOrigin::Remote { profile, id: id.into() }, name, bytes, cx)
    }

    fn open(origin: FileOrigin, name: Untrusted, bytes: Option<u64>, cx: &mut Cx) -> Self {
        let most = if matches!(origin, FileOrigin::Local { .. }) {
            chunk_loader::LOCAL_MOST
        } else {
            chunk_loader::REMOTE_MOST
        };
        let mut preview = Self {
            source: FileSource::new(origin, name),
            known: FileFacts { total: bytes, ..FileFacts::default() },
            window: RowWindow::new(most),
            display: RowDisplay::default(),
            viewport: Viewport::default(),
            cache: RefCell::default(),
            plot: None,
            loader: ChunkLoader::new(cx.now),
            search: None,
            search_text: None,
            prompt: PreviewPrompt::None,
            message: None,
            pending_jump: None,
            motion: false,
            focus: true,
            size: PreviewSize::default(),
        };
        preview.first(cx);
        preview
    }

    /// Shows a place of the file. It may be asked for before anything of the file is there.
    pub(super) fn go_to(&mut self, target: JumpTarget, cx: &mut Cx) {
        self.plot = None;
        if self.loader.is_open() {
            self.jump_to(target, cx);
            self.follow_up(cx);
        } else {
            self.pending_jump = Some(target);
        }
    }

    /// Tells whether it has the keys.
    pub(super) fn set_focus(&mut self, focus: bool) {
        self.focus = focus;
    }

    /// Tells whether there is room for other panes beside it.
    pub(super) fn set_alone(&mut self, alone: bool) {
        self.size = match (alone, self.size) {
            (true, PreviewSize::Pane) => PreviewSize::Only,
            (false, PreviewSize::Only) => PreviewSize::Pane,
            (_, size) => size,
        };
    }

    /// Returns whether the user wants it to take the whole tab.
    pub(super) fn is_zoomed(&self) -> bool {
        self.size == PreviewSize::Zoomed
    }

    /// Makes it take the whole tab, or a part of it again.
    pub(super) fn zoom(&mut self) {
        self.size = match self.size {
            PreviewSize::Pane => PreviewSize::Zoomed,
            PreviewSize::Zoomed => PreviewSize::Pane,
            PreviewSize::Only => PreviewSize::Only,
        };
    }

    /// Returns every key by context, for the help page.
    pub(super) fn help(&self) -> Vec<(&'static str, Vec<Hint>)> {
        let curves = self.plot.as_ref().map(|_| ("Curves", CurvePlot::hints()));
        [("Preview", keys::KEYS.help_enabled(self))].into_iter().chain(curves).collect()
    }

    /// Returns whether it asked for this.
    fn owns(&self, ticket: Ticket) -> bool {
        self.loader.owns(ticket)
            || self.search.as_ref().is_some_and(|search| search.ticket == Some(ticket))
            || self.plot.as_ref().is_some_and(|plot| plot.owns(ticket))
    }
}

impl Component<Event> for Preview {
    fn key(&mut self, key: KeyEvent, cx: &mut Cx) -> Handled<Event> {
        (self.loader.stuck, self.loader.ahead) = (false, 0);
        let handled = self.keyed(key, cx);
        if matches!(handled, Handled::Emit(Event::Closed)) {
            self.close(cx);
        } else {
            self.follow_up(cx);
        }
        handled
    }

    fn reply(&mut self, ticket: Ticket, response: &mut Response, cx: &mut Cx) -> Handled<Event> {
        if !self.owns(ticket) {
            return Handled::Ignored;
        }
        match response.take() {
            Response::Work(done) => _ = self.answered(ticket, done, cx),
            Response::Call(progress) => _ = self.handle_progress(ticket, progress, cx),
            Response::Store(_) | Response::Taken => {}
        }
        self.follow_up(cx);
        Handled::Consumed
    }

    fn paste(&mut self, text: &str, _cx: &mut Cx) -> Handled<Event> {
        let (PreviewPrompt::Find(line) | PreviewPrompt::GoTo(line)) = &mut self.prompt else {
            return Handled::Ignored;
        };
        line.paste(text);
        Handled::Consumed
    }

    /// Stops all that is on its way: before it is dropped.
    fn close(&mut self, cx: &mut Cx) {
        self.stop(cx);
        if let Some(plot) = &mut self.plot {
            plot.close(cx);
        }
    }

    fn readable(&self, _session: &Session) -> Option<Untrusted> {
        self.loaded_text()
    }

    fn hints(&self) -> Vec<Hint> {
        self.key_hints()
    }

    fn typing(&self) -> bool {
        matches!(self.prompt, PreviewPrompt::Find(_) | PreviewPrompt::GoTo(_))
    }

    fn escape(&self) -> Option<&'static str> {
        Some(self.next_escape().1)
    }

    fn due(&self) -> Option<Instant> {
        (self.motion && self.is_waiting()).then(|| self.loader.ticked() + SPINNER_FRAME)
    }

    fn tick(&mut self, cx: &mut Cx) {
        self.loader.tick(cx.now);
    }

    fn arrange(&mut self, area: Rect, session: &Session, _now: Instant) {
        self.motion = session.motion;
        self.fit(area, session.spacing());
    }

    fn render(&self, frame: &mut Frame, area: Rect, context: RenderContext) {
        self.draw(frame, area, context);
    }
}
