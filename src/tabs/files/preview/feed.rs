//! What is asked for of the file, and what comes.

use std::time::{Duration, Instant};

use super::form::Form;
use super::{Known, Origin, Over, Preview, Target, Tone, goal};
use crate::api::call::{Call, Content, Span, Ticket};
use crate::component::Cx;
use crate::record::files::{Look, Mark, Place};
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
pub(super) enum What {
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
pub(super) struct Wait {
    pub(super) ticket: Ticket,
    pub(super) what: What,
    pub(super) since: Instant,
    pub(super) content: Option<Content>,
    /// Bytes fetched.
    pub(super) moved: Option<u64>,
    /// When a call is tried again, and why.
    pub(super) retry: Option<(Instant, Untrusted)>,
}

/// What may be fetched if the user says so.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Offer {
    /// What for; `None`: to go on looking.
    pub(super) what: Option<What>,
    /// Bytes that would come.
    pub(super) bytes: u64,
    /// Whether that is because the server gives no parts.
    pub(super) whole: bool,
}

/// How far the file is open.
#[derive(Debug)]
pub(super) enum Phase {
    /// Nothing is there yet.
    Loading,
    /// It cannot be shown, and why.
    Failed(Untrusted),
    Open,
}

/// What is asked for.
#[derive(Debug)]
pub(super) struct Feed {
    pub(super) phase: Phase,
    pub(super) part: Option<Wait>,
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

impl Feed {
    pub(super) fn new(now: Instant) -> Self {
        Self {
            phase: Phase::Loading,
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
        matches!(self.phase, Phase::Open)
    }

    pub(super) fn ticked(&self) -> Instant {
        self.ticked
    }

    pub(super) fn tick(&mut self, now: Instant) {
        self.ticked = now;
    }

    /// The part that is on its way is not wanted any more.
    pub(super) fn drop_part(&mut self) -> Option<Ticket> {
        self.part.take().map(|wait| wait.ticket)
    }

    /// What is on its way that is worth showing.
    pub(super) fn waits(&self) -> Option<&Wait> {
        self.part.as_ref().filter(|wait| wait.what != What::Glance)
    }
}

impl Preview {
    pub(super) fn is_remote(&self) -> bool {
        matches!(self.origin, Origin::Remote { .. })
    }

    /// Whether it is a local workbook: its first sheet is shown as a table.
    fn is_workbook(&self) -> bool {
        let name = self.name.line().to_lowercase();
        !self.is_remote() && [".xlsx", ".xlsm"].iter().any(|ending| name.ends_with(ending))
    }

    /// The local file that is read; `None`: it is on a server.
    pub(super) fn read_path(&self) -> Option<String> {
        match (&self.origin, &self.sheet_copy) {
            (Origin::Remote { .. }, _) => None,
            (Origin::Local { .. }, Some(copy)) => Some(copy.path().to_string_lossy().into_owned()),
            (Origin::Local { path }, None) => Some(path.clone()),
        }
    }

    pub(super) fn is_waiting(&self) -> bool {
        // While it is asked whether to look on, nothing moves.
        let looks = self.scan.is_some() && !matches!(self.over, Over::Ask(_));
        looks || self.feed.waits().is_some() || self.plot.as_ref().is_some_and(super::plot::Plot::waits)
    }

    pub(super) fn first(&mut self, cx: &mut Cx) {
        self.feed.phase = Phase::Loading;
        self.ask(What::First, cx);
    }

    /// Reads the file anew, from where the eye is.
    pub(super) fn reload(&mut self, cx: &mut Cx) {
        self.stop(cx);
        self.wanted = Some(Target::Byte(self.eye.cursor)).filter(|_| self.feed.is_open() && self.eye.cursor > 0);
        self.known = Known { ranges: self.known.ranges, ..Known::default() };
        self.held.replace(Mark::START, true, Vec::new());
        self.held.set_total(None);
        (self.found, self.plot, self.over, self.sheet_copy) = (None, None, Over::None, None);
        self.cache.get_mut().clear();
        self.feed.counted = 0;
        self.first(cx);
    }

    /// Stops what is on its way.
    pub(super) fn stop(&mut self, cx: &mut Cx) {
        let part = self.feed.part.take().map(|wait| wait.ticket);
        let scan = self.scan.take().and_then(|scan| scan.ticket);
        let counting = self.feed.counting.take().map(|(ticket, _)| ticket);
        for ticket in [part, scan, counting].into_iter().flatten() {
            cx.cancel(ticket);
        }
    }

    /// An order to the work threads about the local file.
    pub(super) fn look(&self, place: Place, most: u64, cx: &mut Cx) -> Option<Ticket> {
        let path = self.read_path()?;
        let writing = self.held.writing();
        Some(cx.work(Work::Look(Look { path, place, most: most as usize, writing })))
    }

    /// Asks for a part, unless one is on its way.
    pub(super) fn ask(&mut self, what: What, cx: &mut Cx) {
        if self.feed.part.is_some() {
            return;
        }
        let ticket = match &self.origin {
            Origin::Local { path } if self.sheet_copy.is_none() && self.is_workbook() => {
                Some(cx.work(Work::Sheet { path: path.clone() }))
            }
            Origin::Local { .. } => {
                let (place, most) = match what {
                    What::First => (Place::From(0), FIRST),
                    What::More => (Place::From(self.held.end()), PART),
                    What::Back => (Place::Before(self.held.at().byte), PART),
                    What::Jump(byte) => (Place::Around(byte), AROUND),
                    What::End => (Place::End, AROUND),
                    What::Glance => (Place::From(u64::MAX), 0),
                };
                self.look(place, most, cx)
            }
            Origin::Remote { profile, id } => {
                let (from, most) = self.span(what);
                Some(cx.call_to(profile.clone(), Call::Content(Box::new(Span { id: id.clone(), from, most }))))
            }
        };
        let Some(ticket) = ticket else { return };
        self.feed.part = Some(Wait { ticket, what, since: cx.now, content: None, moved: None, retry: None });
    }

    /// The bytes of a stored file that a part takes.
    pub(super) fn span(&self, what: What) -> (u64, u64) {
        let (at, end) = (self.held.at().byte, self.held.end());
        match what {
            What::First | What::Glance => (0, FIRST),
            // Where all comes again from the start each time, each part is as long as all before.
            What::More if self.known.ranges == Some(false) => (end, PART.max(end)),
            What::More => (end, PART),
            What::Back => (at.saturating_sub(PART), PART.min(at)),
            What::Jump(byte) => (byte.saturating_sub(PART / 2), PART),
            What::End => (self.known.total.unwrap_or(0).saturating_sub(PART), PART),
        }
    }

    /// Bytes that come over the wire for a part.
    fn cost(&self, what: What) -> u64 {
        let (from, most) = self.span(what);
        let total = self.known.total.unwrap_or(u64::MAX);
        if self.known.ranges == Some(false) { (from + most).min(total) } else { most.min(total) }
    }

    /// Asks for a part; where it costs much, asks the user first.
    pub(super) fn ask_or_offer(&mut self, what: What, cx: &mut Cx) {
        let bytes = self.cost(what);
        if self.is_remote() && bytes > FREE {
            self.over = Over::Ask(Offer { what: Some(what), bytes, whole: true });
        } else {
            self.ask(what, cx);
        }
    }

    /// The user said yes.
    pub(super) fn accept(&mut self, offer: Offer, cx: &mut Cx) {
        match offer.what {
            Some(what) => self.ask(what, cx),
            None => {
                if let Some(scan) = &mut self.scan {
                    scan.allowed = u64::MAX;
                }
                self.ask(What::More, cx);
            }
        }
    }

    /// Asks for what will be needed next.
    pub(super) fn follow_up(&mut self, cx: &mut Cx) {
        let rests = self.known.changed || self.feed.stuck || self.scan.is_some();
        if rests || !self.feed.is_open() || self.feed.part.is_some() {
            return;
        }
        let at = self.held.index_of(self.eye.cursor);
        let page = usize::from(self.eye.page).max(1);
        let near = if self.is_remote() { page } else { (page * 3).max(100) };
        // Long rows are near their end at once: without a key no more comes than is free in all.
        let free = |what| !self.is_remote() || self.feed.ahead + self.cost(what) <= FREE;
        let more = !self.held.at_end() && self.held.len() - at.min(self.held.len()) <= near && free(What::More);
        let back = self.held.at().byte > 0 && at < near && free(What::Back);
        if more || back {
            let what = if more { What::More } else { What::Back };
            self.feed.ahead += self.cost(what);
            self.ask(what, cx);
        } else if !self.is_remote() && cx.now.duration_since(self.feed.glanced) >= GLANCE {
            self.ask(What::Glance, cx);
        }
        self.count_on(cx);
    }

    /// Counts lines of a local file, where that does not take long.
    fn count_on(&mut self, cx: &mut Cx) {
        let total = self.known.total.unwrap_or(u64::MAX);
        if self.feed.counting.is_some() || self.is_remote() || self.form == Form::Hex {
            return;
        }
        let at = self.held.at();
        let (from, to) = if at.line.is_none() {
            (self.mark_before(at.byte), at.byte)
        } else if self.known.lines.is_none() && total <= COUNTED {
            (self.known.marks.last().copied().unwrap_or(Mark::START), u64::MAX)
        } else {
            return;
        };
        if to.min(total) - from.byte > COUNTED {
            return;
        }
        self.feed.counting = self.look(Place::Count { from, to }, 0, cx).map(|ticket| (ticket, to));
    }

    /// The last place up to a byte whose line is known.
    pub(super) fn mark_before(&self, byte: u64) -> Mark {
        let known = self.known.marks.partition_point(|mark| mark.byte <= byte);
        known.checked_sub(1).map_or(Mark::START, |at| self.known.marks[at])
    }

    pub(super) fn learn(&mut self, marks: &[Mark]) {
        for mark in marks {
            if let Err(at) = self.known.marks.binary_search_by_key(&mark.byte, |mark| mark.byte) {
                self.known.marks.insert(at, *mark);
            }
        }
    }

    pub(super) fn say(&mut self, tone: Tone, text: impl Into<Untrusted>) {
        self.said = Some((tone, text.into()));
    }

    /// What is fetched when so much more is needed to go on looking, said before it is.
    pub(super) fn offer_walk(&mut self) {
        let rest = self.known.total.map_or(0, |total| total.saturating_sub(self.held.end()));
        let whole = self.known.ranges == Some(false);
        self.over =
            Over::Ask(Offer { what: None, bytes: if whole { self.known.total.unwrap_or(rest) } else { rest }, whole });
    }

    /// Whether looking on costs more than what is free.
    pub(super) fn walk_costs(&self, scan: &goal::Scan) -> bool {
        self.held.end().saturating_sub(scan.from.byte) + self.cost(What::More) > FREE.max(scan.allowed)
    }
}

impl Offer {
    /// What is asked.
    pub(super) fn words(self) -> String {
        let bytes = match self.bytes {
            megabytes @ 1_000_000..1_000_000_000 => format!("{:.1} MB", megabytes as f64 / 1e6),
            bytes => meter::bytes(bytes),
        };
        match (self.what, self.whole) {
            (Some(_), _) => {
                format!("This server gives no parts of files: to show more, {bytes} are fetched from the start.")
            }
            (None, true) => format!("Not in what is here. Looking on fetches up to {bytes}, from the start each time."),
            (None, false) => format!("Not in what is here. Looking on fetches up to {bytes}."),
        }
    }
}
