//! The preview: what is in a file, local or on a server.
//!
//! It holds a part of the file that slides with the eye and never grows beyond some MB; parts come as windows of a local
//! file or as parts of a stored one. Rows are laid out as they come into view.

mod chunk_loader;
mod curve_plot;
mod draw;
mod draw_text;
mod file_format;
mod hex;
mod keys;
mod pretty;
mod replies;
mod row_layout;
mod row_window;
mod rows;
mod search;
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
use self::file_format::{DetectedFormat, FileFormat};
use self::keys::Action;
use self::row_layout::RowCache;
use self::row_window::RowWindow;
use self::search::{Search, SearchText};
use self::table_columns::TableColumns;
use self::viewport::Viewport;
use crate::api::call::{Progress, Ticket};
use crate::component::{Cx, Hint, RenderContext, Session};
use crate::record::files::{Mark, SheetCopy};
use crate::record::work::Done;
use crate::settings::ProfileId;
use crate::text::Untrusted;
use crate::ui::keys::Keymap;
use crate::ui::line::Line;

/// What a key did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    /// It was the preview's.
    Taken,
    /// The key means nothing here.
    Ignored,
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

/// Where the file is.
#[derive(Clone, Debug, PartialEq, Eq)]
enum FileOrigin {
    Local { path: String },
    Remote { profile: ProfileId, id: String },
}

/// How JSON rows are shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum JsonLayout {
    /// The one under the cursor over several lines, the others on one each.
    #[default]
    Cursor,
    /// All over several lines.
    All,
    /// All as they are.
    None,
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
    marks: Vec<Mark>,
    /// Whether the server gives parts; `None`: not known yet.
    ranges: Option<bool>,
}

/// What stands over the rows.
#[derive(Debug, Default)]
enum PreviewPrompt {
    #[default]
    None,
    /// A text to look for is typed.
    Find(Line),
    /// A place to go to is typed.
    GoTo(Line),
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

/// A file that is looked at.
#[derive(Debug)]
pub(super) struct Preview {
    origin: FileOrigin,
    name: Untrusted,
    /// Of a local workbook the copy of its first sheet, which is read in its place.
    sheet_copy: Option<SheetCopy>,
    known: FileFacts,
    window: RowWindow,
    found: Option<DetectedFormat>,
    form: FileFormat,
    spread: JsonLayout,
    wrap: bool,
    viewport: Viewport,
    /// Rows as lines of the screen, to save work.
    cache: RefCell<RowCache>,
    sheet: TableColumns,
    plot: Option<CurvePlot>,
    loader: ChunkLoader,
    search: Option<Search>,
    search_text: Option<SearchText>,
    prompt: PreviewPrompt,
    message: Option<(MessageLevel, Untrusted)>,
    /// Where to go as soon as something is there.
    pending_jump: Option<JumpTarget>,
    keys: Keymap<Action>,
    /// Whether things may move, as the last frame knew.
    motion: bool,
}

/// Returns the keys of a preview of any kind, for the help page.
pub(super) fn help() -> Vec<(&'static str, Vec<Hint>)> {
    vec![("Preview", Hint::table(&keys::table()))]
}

impl Preview {
    /// Opens a local file by its absolute path, and asks for its beginning. `bytes`: its size, where known already.
    pub(super) fn local(path: impl Into<String>, name: Untrusted, bytes: Option<u64>, cx: &mut Cx) -> Self {
        Self::open(FileOrigin::Local { path: path.into() }, name, bytes, cx)
    }

    /// Opens a file of a profile's server, and asks for its first 64 KB.
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
            origin,
            name,
            sheet_copy: None,
            known: FileFacts { total: bytes, ..FileFacts::default() },
            window: RowWindow::new(most),
            found: None,
            form: FileFormat::Text,
            spread: JsonLayout::default(),
            wrap: false,
            viewport: Viewport::default(),
            cache: RefCell::default(),
            sheet: TableColumns::default(),
            plot: None,
            loader: ChunkLoader::new(cx.now),
            search: None,
            search_text: None,
            prompt: PreviewPrompt::None,
            message: None,
            pending_jump: None,
            keys: keys::table(),
            motion: false,
        };
        preview.first(cx);
        preview
    }

    /// Shows a place of the file. It may be asked for before anything of the file is there.
    pub(super) fn go_to(&mut self, target: JumpTarget, cx: &mut Cx) {
        self.plot = None;
        if self.loader.is_open() {
            self.go(target, cx);
            self.follow_up(cx);
        } else {
            self.pending_jump = Some(target);
        }
    }

    /// A key, while the preview has the focus.
    pub(super) fn key(&mut self, key: KeyEvent, cx: &mut Cx) -> Outcome {
        (self.loader.stuck, self.loader.ahead) = (false, 0);
        let outcome = self.keyed(key, cx);
        if outcome == Outcome::Closed {
            self.close(cx);
        } else {
            self.follow_up(cx);
        }
        outcome
    }

    /// The work threads' answer; whether the ticket is the preview's.
    pub(super) fn worked(&mut self, ticket: Ticket, done: Done, cx: &mut Cx) -> bool {
        let own = self.answered(ticket, done, cx);
        if own {
            self.follow_up(cx);
        }
        own
    }

    /// Something about a call; whether the ticket is the preview's.
    pub(super) fn progress(&mut self, ticket: Ticket, progress: Progress, cx: &mut Cx) -> bool {
        let own = self.called(ticket, progress, cx);
        if own {
            self.follow_up(cx);
        }
        own
    }

    /// Pasted text; whether something is being typed here that takes it.
    pub(super) fn paste(&mut self, text: &str, _cx: &mut Cx) -> bool {
        match &mut self.prompt {
            PreviewPrompt::Find(line) | PreviewPrompt::GoTo(line) => {
                line.paste(text);
                true
            }
            _ => false,
        }
    }

    /// Stops all that is on its way: before it is dropped.
    pub(super) fn close(&mut self, cx: &mut Cx) {
        self.stop(cx);
        if let Some(plot) = &mut self.plot {
            plot.close(cx);
        }
    }

    /// Keys for the footer, most important first.
    pub(super) fn hints(&self) -> Vec<Hint> {
        self.key_hints()
    }

    /// Every key by context, for the help page.
    pub(super) fn help(&self) -> Vec<(&'static str, Vec<Hint>)> {
        let mut rows = self.keys.clone();
        rows.retain(|action| self.has(action));
        let mut all = vec![("Preview", Hint::table(&rows))];
        if self.plot.is_some() {
            all.push(("Curves", curve_plot::hints()));
        }
        all
    }

    /// Whether letters are text just now.
    pub(super) fn typing(&self) -> bool {
        matches!(self.prompt, PreviewPrompt::Find(_) | PreviewPrompt::GoTo(_))
    }

    /// What the next Esc does here.
    pub(super) fn escape(&self) -> &'static str {
        match &self.prompt {
            PreviewPrompt::Find(_) | PreviewPrompt::GoTo(_) => "leave",
            PreviewPrompt::Ask(_) => "do not fetch",
            PreviewPrompt::None if self.search.is_some() => "stop",
            PreviewPrompt::None if self.plot.is_some() => "table",
            PreviewPrompt::None if self.search_text.is_some() => "end search",
            PreviewPrompt::None => "close",
        }
    }

    /// When it next wants a tick; `None`: nothing moves.
    pub(super) fn due(&self) -> Option<Instant> {
        (self.motion && self.is_waiting()).then(|| self.loader.ticked() + crate::ui::meter::SPINNER_FRAME)
    }

    /// The moment asked for has come.
    pub(super) fn tick(&mut self, cx: &mut Cx) {
        self.loader.tick(cx.now);
    }

    /// Draws it into `area`, its title rule in the first row.
    pub(super) fn render(&self, frame: &mut Frame, area: Rect, focus: bool, context: RenderContext) {
        self.draw(frame, area, focus, context.theme, context.now);
    }

    /// Fits it to the area it is drawn into.
    pub(super) fn arrange(&mut self, area: Rect, session: &Session) {
        self.motion = session.motion;
        self.fit(area);
    }
}
