//! Loads parts of the file: what is asked for, and what may be.

use std::time::{Duration, Instant};

use super::file_format::FileFormat;
use super::source::FileOrigin;
use super::{FileFacts, JumpTarget, MessageLevel, Preview, PreviewPrompt, search};
use crate::api::call::{Call, Content, Span, Ticket};
use crate::component::Cx;
use crate::record::files::{FilePlace, FileQuery, LinePosition};
use crate::record::work::Work;
use crate::text::Untrusted;
use crate::ui::meter;

/// Bytes of a local file that are held at most.
pub(super) const LOCAL_MOST: usize = 2 << 20;
/// Bytes of a stored one: what is dropped costs a call.
pub(super) const REMOTE_MOST: usize = 8 << 20;
/// Bytes that are asked for first.
const FIRST: u64 = 64 << 10;
/// Bytes of each part behind or before what is there.
const PART: u64 = 256 << 10;
/// Bytes around a place that is jumped to: its half is as long as the longest row.
const AROUND: u64 = 512 << 10;
/// Bytes that are fetched from a server without asking.
const FREE: u64 = 1_000_000;
/// Lines of a local file up to this size are counted without being asked.
const COUNTED: u64 = 256 << 20;
/// So often a local file is asked whether it has changed, while keys are pressed.
const GLANCE: Duration = Duration::from_secs(2);

/// What a part is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ChunkKind {
    /// To see what the file is.
    First,
    /// What follows.
    More,
    /// What is before.
    Back,
    /// Around another place.
    Jump(u64),
    /// The end.
    End,
    /// Whether it is still the same.
    Glance,
}

/// A part that is on its way.
#[derive(Debug)]
pub(super) struct PendingChunk {
    pub(super) ticket: Ticket,
    pub(super) what: ChunkKind,
    pub(super) since: Instant,
    pub(super) content: Option<Content>,
    /// Bytes fetched.
    pub(super) moved: Option<u64>,
    /// When a call is tried again, and why.
    pub(super) retry: Option<(Instant, Untrusted)>,
}

/// What may be fetched if the user says so.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct FetchPrompt {
    /// What for; `None`: to continue looking.
    pub(super) what: Option<ChunkKind>,
    /// Bytes that would come.
    pub(super) bytes: u64,
    /// Whether that is because the server gives no parts.
    pub(super) whole: bool,
}

/// How far the file is open.
#[derive(Debug)]
pub(super) enum LoadState {
    /// Nothing is there yet.
    Loading,
    /// It cannot be shown, and why.
    Failed(Untrusted),
    Open,
}

/// What is asked for.
#[derive(Debug)]
pub(super) struct ChunkLoader {
    pub(super) phase: LoadState,
    pub(super) part: Option<PendingChunk>,
    /// Lines are being counted up to a byte.
    pub(super) counting: Option<(Ticket, u64)>,
    /// Bytes counted so far.
    pub(super) counted: u64,
    /// Whether what was asked for last did not come: it is not asked for again before a key is pressed.
    pub(super) stuck: bool,
    /// Bytes of a stored file that were asked for ahead since a key was pressed.
    pub(super) ahead: u64,
    /// When it was known last that the file is the same.
    pub(super) glanced: Instant,
    ticked: Instant,
}

impl ChunkLoader {
    pub(super) fn new(now: Instant) -> Self {
        Self {
            phase: LoadState::Loading,
            part: None,
            counting: None,
            counted: 0,
            stuck: false,
            ahead: 0,
            glanced: now,
            ticked: now,
        }
    }

    pub(super) fn is_open(&self) -> bool {
        matches!(self.phase, LoadState::Open)
    }

    pub(super) fn ticked(&self) -> Instant {
        self.ticked
    }

    pub(super) fn tick(&mut self, now: Instant) {
        self.ticked = now;
    }

    /// Returns whether it asked for this.
    pub(super) fn owns(&self, ticket: Ticket) -> bool {
        let counting = self.counting.is_some_and(|(counting, _)| counting == ticket);
        counting || self.part.as_ref().is_some_and(|wait| wait.ticket == ticket)
    }

    /// Forgets the part that is on its way. Returns its ticket.
    pub(super) fn drop_part(&mut self) -> Option<Ticket> {
        self.part.take().map(|wait| wait.ticket)
    }

    /// Returns what is on its way that is worth showing.
    pub(super) fn waits(&self) -> Option<&PendingChunk> {
        self.part.as_ref().filter(|wait| wait.what != ChunkKind::Glance)
    }
}

impl Preview {
    pub(super) fn is_waiting(&self) -> bool {
        // While the user is asked whether to continue, nothing is loaded.
        let looks = self.search.is_some() && !matches!(self.prompt, PreviewPrompt::Ask(_));
        looks || self.loader.waits().is_some() || self.plot.as_ref().is_some_and(super::curve_plot::CurvePlot::waits)
    }

    pub(super) fn first(&mut self, cx: &mut Cx) {
        self.loader.phase = LoadState::Loading;
        self.ask(ChunkKind::First, cx);
    }

    /// Reads the file again, from the row under the cursor.
    pub(super) fn reload(&mut self, cx: &mut Cx) {
        self.stop(cx);
        self.pending_jump =
            Some(JumpTarget::Byte(self.viewport.cursor)).filter(|_| self.loader.is_open() && self.viewport.cursor > 0);
        self.known = FileFacts { ranges: self.known.ranges, ..FileFacts::default() };
        self.window.replace(LinePosition::START, true, Vec::new());
        self.window.set_total(None);
        (self.display.detected, self.plot, self.prompt, self.source.sheet_copy) =
            (None, None, PreviewPrompt::None, None);
        self.cache.get_mut().clear();
        self.loader.counted = 0;
        self.first(cx);
    }

    /// Stops what is on its way.
    pub(super) fn stop(&mut self, cx: &mut Cx) {
        let part = self.loader.part.take().map(|wait| wait.ticket);
        let search = self.search.take().and_then(|search| search.ticket);
        let counting = self.loader.counting.take().map(|(ticket, _)| ticket);
        for ticket in [part, search, counting].into_iter().flatten() {
            cx.cancel(ticket);
        }
    }

    /// Asks the work threads for a part of the local file; `None`: the file is a server's.
    pub(super) fn read_local(&self, place: FilePlace, most: u64, cx: &mut Cx) -> Option<Ticket> {
        let path = self.source.read_path()?;
        let writing = self.window.writing();
        Some(cx.work(Work::ReadWindow(FileQuery { path, place, most: most as usize, writing })))
    }

    /// Asks for a part, unless one is on its way.
    pub(super) fn ask(&mut self, what: ChunkKind, cx: &mut Cx) {
        if self.loader.part.is_some() {
            return;
        }
        let ticket = match &self.source.origin {
            FileOrigin::Local { path } if self.source.sheet_copy.is_none() && self.source.is_workbook() => {
                Some(cx.work(Work::Sheet { path: path.clone() }))
            }
            FileOrigin::Local { .. } => {
                let (place, most) = match what {
                    ChunkKind::First => (FilePlace::From(0), FIRST),
                    ChunkKind::More => (FilePlace::From(self.window.end()), PART),
                    ChunkKind::Back => (FilePlace::Before(self.window.at().byte), PART),
                    ChunkKind::Jump(byte) => (FilePlace::Around(byte), AROUND),
                    ChunkKind::End => (FilePlace::End, AROUND),
                    ChunkKind::Glance => (FilePlace::From(u64::MAX), 0),
                };
                self.read_local(place, most, cx)
            }
            FileOrigin::Remote { profile, id } => {
                let (from, most) = self.span(what);
                Some(cx.call_to(profile.clone(), Call::Content(Box::new(Span { id: id.clone(), from, most }))))
            }
        };
        let Some(ticket) = ticket else { return };
        self.loader.part = Some(PendingChunk { ticket, what, since: cx.now, content: None, moved: None, retry: None });
    }

    /// Returns the bytes of a stored file that a part takes.
    pub(super) fn span(&self, what: ChunkKind) -> (u64, u64) {
        let (at, end) = (self.window.at().byte, self.window.end());
        match what {
            ChunkKind::First | ChunkKind::Glance => (0, FIRST),
            // Where each part is sent from the start of the file again, each is as long as all parts before it.
            ChunkKind::More if self.known.ranges == Some(false) => (end, PART.max(end)),
            ChunkKind::More => (end, PART),
            ChunkKind::Back => (at.saturating_sub(PART), PART.min(at)),
            ChunkKind::Jump(byte) => (byte.saturating_sub(PART / 2), PART),
            ChunkKind::End => (self.known.total.unwrap_or(0).saturating_sub(PART), PART),
        }
    }

    /// Returns how many bytes are sent over the network for a part.
    fn cost(&self, what: ChunkKind) -> u64 {
        let (from, most) = self.span(what);
        let total = self.known.total.unwrap_or(u64::MAX);
        if self.known.ranges == Some(false) { (from + most).min(total) } else { most.min(total) }
    }

    /// Asks for a part; where it costs much, asks the user first.
    pub(super) fn ask_or_offer(&mut self, what: ChunkKind, cx: &mut Cx) {
        let bytes = self.cost(what);
        if self.source.is_remote() && bytes > FREE {
            self.prompt = PreviewPrompt::Ask(FetchPrompt { what: Some(what), bytes, whole: true });
        } else {
            self.ask(what, cx);
        }
    }

    /// Takes the user's consent.
    pub(super) fn accept(&mut self, offer: FetchPrompt, cx: &mut Cx) {
        match offer.what {
            Some(what) => self.ask(what, cx),
            None => {
                if let Some(search) = &mut self.search {
                    search.allowed = u64::MAX;
                }
                self.ask(ChunkKind::More, cx);
            }
        }
    }

    /// Asks for what will be needed next.
    pub(super) fn follow_up(&mut self, cx: &mut Cx) {
        let rests = self.known.changed || self.loader.stuck || self.search.is_some();
        if rests || !self.loader.is_open() || self.loader.part.is_some() {
            return;
        }
        let at = self.window.index_of(self.viewport.cursor);
        let page = usize::from(self.viewport.page).max(1);
        let near = if self.source.is_remote() { page } else { (page * 3).max(100) };
        // The end of the loaded part is soon reached with long rows: without a key press, no more is loaded than is
        // free in total.
        let free = |what| !self.source.is_remote() || self.loader.ahead + self.cost(what) <= FREE;
        let more =
            !self.window.at_end() && self.window.len() - at.min(self.window.len()) <= near && free(ChunkKind::More);
        let back = self.window.at().byte > 0 && at < near && free(ChunkKind::Back);
        if more || back {
            let what = if more { ChunkKind::More } else { ChunkKind::Back };
            self.loader.ahead += self.cost(what);
            self.ask(what, cx);
        } else if !self.source.is_remote() && cx.now.duration_since(self.loader.glanced) >= GLANCE {
            self.ask(ChunkKind::Glance, cx);
        }
        self.count_on(cx);
    }

    /// Counts lines of a local file, where that does not take long.
    fn count_on(&mut self, cx: &mut Cx) {
        let total = self.known.total.unwrap_or(u64::MAX);
        if self.loader.counting.is_some() || self.source.is_remote() || self.display.format == FileFormat::Hex {
            return;
        }
        let at = self.window.at();
        let (from, to) = if at.line.is_none() {
            (self.mark_before(at.byte), at.byte)
        } else if self.known.lines.is_none() && total <= COUNTED {
            (self.known.marks.last().copied().unwrap_or(LinePosition::START), u64::MAX)
        } else {
            return;
        };
        if to.min(total) - from.byte > COUNTED {
            return;
        }
        self.loader.counting = self.read_local(FilePlace::Count { from, to }, 0, cx).map(|ticket| (ticket, to));
    }

    /// Returns the last place up to a byte whose line is known.
    pub(super) fn mark_before(&self, byte: u64) -> LinePosition {
        let known = self.known.marks.partition_point(|mark| mark.byte <= byte);
        known.checked_sub(1).map_or(LinePosition::START, |at| self.known.marks[at])
    }

    pub(super) fn note_lines(&mut self, marks: &[LinePosition]) {
        for mark in marks {
            if let Err(at) = self.known.marks.binary_search_by_key(&mark.byte, |mark| mark.byte) {
                self.known.marks.insert(at, *mark);
            }
        }
    }

    pub(super) fn say(&mut self, tone: MessageLevel, text: impl Into<Untrusted>) {
        self.message = Some((tone, text.into()));
    }

    /// Offers to fetch as much as the search needs to continue; it is said before anything is fetched.
    pub(super) fn offer_walk(&mut self) {
        let rest = self.known.total.map_or(0, |total| total.saturating_sub(self.window.end()));
        let whole = self.known.ranges == Some(false);
        self.prompt = PreviewPrompt::Ask(FetchPrompt {
            what: None,
            bytes: if whole { self.known.total.unwrap_or(rest) } else { rest },
            whole,
        });
    }

    /// Returns whether looking on costs more than what is free.
    pub(super) fn walk_costs(&self, search: &search::PlaceSearch) -> bool {
        self.window.end().saturating_sub(search.from.byte) + self.cost(ChunkKind::More) > FREE.max(search.allowed)
    }
}

impl FetchPrompt {
    /// Returns what is asked.
    pub(super) fn words(self) -> String {
        let bytes = meter::bytes(self.bytes);
        match (self.what, self.whole) {
            (Some(_), _) => {
                format!("This server does not send parts of files. Showing more fetches {bytes} from the start.")
            }
            (None, true) => format!(
                "Not found in the part loaded so far. Searching on fetches up to {bytes}, from the start each time."
            ),
            (None, false) => format!("Not found in the part loaded so far. Searching on fetches up to {bytes}."),
        }
    }
}
