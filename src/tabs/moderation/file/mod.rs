//! The page of a file of texts: a table of all of them, and their run.
//!
//! `f` asks for a path, Enter looks into the file, Enter again reads it; `p` starts, pauses and goes on. The run is the
//! tab's and not the page's: it goes on while something else is looked at, and after a restart when the tab is opened.

mod act;
mod answer;
mod detail;
mod export;
mod failures;
mod kept;
mod keys;
mod load;
mod open;
mod order;
mod over;
mod results;
mod run;
mod sheet;
mod sieve;
#[cfg(test)]
mod tests;
mod view;
mod words;

use std::time::{Duration, Instant};

use crossterm::event::KeyEvent;
use ratatui::Frame;
use ratatui::layout::Rect;

use self::detail::Detail;
use self::export::Exporting;
use self::failures::Failures;
use self::keys::Action;
use self::load::Step;
use self::open::{Open, Saved};
use self::over::Over;
use self::run::Run;
use super::evaluate;
use super::shared::Shared;
use crate::api::call::{Progress, Ticket};
use crate::component::{Cx, Hint, RenderContext};
use crate::record::Stored;
use crate::record::work::Done;
use crate::tabs::Badge;
use crate::tabs::batch::State;
use crate::tabs::tab::RunMeter;
use crate::text::Untrusted;
use crate::ui::keys::Keymap;
use crate::ui::meter::count;
use crate::ui::rule::cut;

/// An evaluation is made anew so long after results have come, ten times as long for a long file…
const REST: Duration = Duration::from_millis(500);
/// …of more rows than this.
const LONG: usize = 20_000;

/// What a key did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Event {
    /// Nothing the tab needs to know.
    None,
    /// The page is done with; what runs goes on.
    Close,
    /// This text, with its name, is to stand on the bench.
    Bench { name: Untrusted, text: Untrusted },
    /// The key means nothing here.
    Ignored,
}

/// What is there.
#[derive(Debug, Default)]
enum Phase {
    /// No list.
    #[default]
    Empty,
    /// One is on its way.
    Step(Step),
    /// One is open.
    Open(Box<Open>),
}

/// What of an open list is looked at.
#[derive(Debug, Default)]
enum Sub {
    /// All rows.
    #[default]
    Table,
    /// One row.
    Detail(Detail),
    /// What came to nothing.
    Failures(Failures),
    /// How well the thresholds agree with the labels.
    Evaluate(Box<evaluate::Page>),
}

/// The page. It is there from the start and hears all that is about its tickets, also while it is not shown.
#[derive(Debug)]
pub(super) struct FilePage {
    phase: Phase,
    sub: Sub,
    over: Option<Over>,
    keys: Keymap<Action>,
    /// Whether the page was asked for while it was not known yet what was open last.
    wanted: bool,
    /// Whether a run that was cut goes on when what is known is here.
    goes_on: bool,
    /// Whether a run was asked for of a file that is on its way.
    runs: bool,
    exporting: Option<Exporting>,
    /// Runs that are done with and have results the store has not kept yet.
    owing: Vec<Run>,
    /// When the evaluation that is looked at is made anew, because results have come.
    stale: Option<Instant>,
    /// When something was last heard: countdowns are told from there on.
    seen: Option<Instant>,
}

impl Default for FilePage {
    fn default() -> Self {
        Self {
            phase: Phase::Empty,
            sub: Sub::Table,
            over: None,
            keys: keys::table(),
            wanted: false,
            goes_on: false,
            runs: false,
            exporting: None,
            owing: Vec::new(),
            stale: None,
            seen: None,
        }
    }
}

impl FilePage {
    /// The tab has come to the front for the first time: asks for what it needs of the disk.
    pub(super) fn enter(&mut self, cx: &mut Cx) {
        self.seen = Some(cx.now);
        self.ask_last(cx);
    }

    /// Comes into view: the list last open, else the choice of a file.
    pub(super) fn open(&mut self, cx: &mut Cx) {
        self.seen = Some(cx.now);
        self.wanted = true;
        if matches!(self.phase, Phase::Empty) && self.over.is_none() {
            self.choose_file();
        }
    }

    /// Comes into view with the lists that are kept.
    pub(super) fn lists(&mut self, cx: &mut Cx) {
        self.seen = Some(cx.now);
        self.wanted = true;
        self.choose_list(cx);
    }

    /// How far the open file's texts are checked, where some are not: `a.csv: 120 of 300 texts`.
    pub(super) fn unfinished(&self) -> Option<String> {
        let Phase::Open(open) = &self.phase else { return None };
        let (tally, name) = (open.tally(), &open.sheet.list.name);
        let some = tally.left() > 0 && open.loading.is_none();
        some.then(|| format!("{}: {} of {} texts", cut(&name.line(), 24), count(tally.done), count(tally.total)))
    }

    /// A key while it is shown.
    pub(super) fn key(&mut self, key: KeyEvent, shared: &mut Shared, cx: &mut Cx) -> Event {
        self.seen = Some(cx.now);
        if let Some(over) = self.over.take() {
            return self.key_over(over, key, shared, cx);
        }
        self.key_page(key, shared, cx)
    }

    /// A paste while it is shown. Whether it was taken.
    pub(super) fn paste(&mut self, text: &str, cx: &mut Cx) -> bool {
        match &mut self.over {
            Some(Over::File(chooser)) => chooser.paste(text, cx),
            Some(Over::Category(picker)) => picker.paste(text),
            Some(Over::Export(line)) => line.paste(text),
            Some(Over::Find(line)) => {
                line.paste(text);
                if let Phase::Open(open) = &mut self.phase {
                    open.find(line.text());
                }
            }
            _ => return false,
        }
        true
    }

    /// News of a call. Whether the call was the page's.
    pub(super) fn progress(&mut self, ticket: Ticket, progress: &Progress, shared: &mut Shared, cx: &mut Cx) -> bool {
        self.seen = Some(cx.now);
        let Phase::Open(open) = &mut self.phase else { return false };
        let Open { run: Some(run), sheet, kept, .. } = &mut **open else { return false };
        run.progress(ticket, progress, sheet, kept, shared, cx)
    }

    /// The store's answer, of which it takes the rows it asked for. Whether the question was the page's.
    pub(super) fn stored(&mut self, ticket: Ticket, stored: &mut Stored, shared: &mut Shared, cx: &mut Cx) -> bool {
        self.seen = Some(cx.now);
        if let Some(Over::Lists(lists)) = &mut self.over
            && let Some(listed) = lists.stored(ticket, stored)
        {
            if let Some(over) = self.over.take() {
                self.listed(listed, over, cx);
            }
            return true;
        }
        if self.export_stored(ticket, stored, shared, cx) {
            return true;
        }
        if let Stored::Waiting(why) = stored {
            return self.waits(ticket, why, cx);
        }
        let failed = if let Stored::Failed(why) = stored { Some(why.clone()) } else { None };
        if self.owing.iter_mut().any(|run| run.stored(ticket, failed.as_ref(), cx).ours) {
            self.owing.retain(|run| run.owes() > 0);
            return true;
        }
        if let Phase::Open(open) = &mut self.phase
            && open.stored(ticket, failed.as_ref(), shared, cx)
        {
            if matches!(self.sub, Sub::Evaluate(_)) {
                let rest = if open.sheet.len() > LONG { REST * 10 } else { REST };
                self.stale.get_or_insert(cx.now + rest);
            }
            return true;
        }
        self.stored_step(ticket, stored, shared, cx)
    }

    /// The disk refuses something for now: the store keeps it and offers it again. Whether it was the page's.
    fn waits(&mut self, ticket: Ticket, why: &Untrusted, cx: &Cx) -> bool {
        let open = if let Phase::Open(open) = &mut self.phase { Some(open) } else { None };
        let saves = open.as_ref().is_some_and(|open| open.saved == Saved::With(ticket));
        let run = open.and_then(|open| open.run.as_mut());
        let ours = self.owing.iter_mut().chain(run).any(|run| run.waits(ticket, why, cx));
        ours || saves || self.copy_waits(ticket, why)
    }

    /// The work threads' answer. Whether the order was the page's.
    pub(super) fn worked(&mut self, ticket: Ticket, done: &Done, cx: &mut Cx) -> bool {
        self.seen = Some(cx.now);
        if let Some(Over::File(chooser)) = &mut self.over
            && chooser.worked(ticket, done, cx)
        {
            return true;
        }
        self.export_worked(ticket, done, cx) || self.worked_step(ticket, done, cx)
    }

    /// The models in use are others, or the thresholds.
    pub(super) fn changed(&mut self, shared: &Shared) {
        if let Phase::Open(open) = &mut self.phase {
            open.look(shared);
        }
    }

    /// Draws it.
    pub(super) fn render(&mut self, frame: &mut Frame, area: Rect, shared: &Shared, context: RenderContext) {
        view::render(self, frame, area, shared, context);
    }

    /// Keys for the footer while it is shown.
    pub(super) fn hints(&self) -> Vec<Hint> {
        self.all_hints()
    }

    /// All its keys by context; the first is where it is.
    pub(super) fn help(&self) -> Vec<(&'static str, Vec<Hint>)> {
        let mut help = vec![
            ("File of texts", Hint::table(&self.keys)),
            ("A text of the file", detail::help()),
            ("Texts that came to nothing", failures::help()),
        ];
        let front = match self.sub {
            Sub::Table | Sub::Evaluate(_) => 0,
            Sub::Detail(_) => 1,
            Sub::Failures(_) => 2,
        };
        help[..=front].rotate_right(1);
        help
    }

    /// Whether a dialog lies over it.
    pub(super) fn has_dialog(&self) -> bool {
        self.over.is_some()
    }

    /// What the next Esc does while it is shown.
    pub(super) fn escape(&self) -> Option<&'static str> {
        Some(match (&self.over, &self.sub, &self.phase) {
            // The box says it.
            (Some(Over::Again(_)), ..) => return None,
            (Some(Over::Find(_)), ..) => "all rows",
            (Some(_), ..) => "close",
            (None, Sub::Table, Phase::Open(open)) if open.is_filtered() => "all rows",
            (None, Sub::Table, _) => "bench",
            (None, ..) => "all rows",
        })
    }

    /// Whether letters are text just now.
    pub(super) fn typing(&self) -> bool {
        match &self.over {
            Some(Over::File(chooser)) => chooser.typing(),
            Some(_) => true,
            None => false,
        }
    }

    /// When it next wants a tick.
    pub(super) fn due(&self) -> Option<Instant> {
        let now = self.seen?;
        let open = if let Phase::Open(open) = &self.phase { open.due(now) } else { None };
        let chooser = if let Some(Over::File(chooser)) = &self.over { chooser.due(now) } else { None };
        let owing = self.owing.iter().filter_map(Run::again_at).min();
        [open, chooser, owing, self.stale, self.due_step()].into_iter().flatten().min()
    }

    /// The moment has come, or another's.
    pub(super) fn tick(&mut self, cx: &mut Cx) {
        self.seen = Some(cx.now);
        self.tick_step(cx);
        for run in &mut self.owing {
            run.save(cx);
        }
        if self.stale.take_if(|at| *at <= cx.now).is_some()
            && let (Phase::Open(open), Sub::Evaluate(page)) = (&self.phase, &mut self.sub)
        {
            page.take(act::evaluation(open));
        }
        if let Phase::Open(open) = &mut self.phase {
            open.go(cx);
            open.keep(false, cx);
        }
    }

    /// What stands on the tab's name because of it, also while it is not shown.
    pub(super) fn badge(&self) -> Option<Badge> {
        let Phase::Open(open) = &self.phase else {
            return matches!(self.phase, Phase::Step(Step::Reading { .. } | Step::Copying(_))).then_some(Badge::Busy);
        };
        match open.state()? {
            State::Held { until: None, .. } => Some(Badge::Failed),
            State::Running | State::Held { .. } => {
                let tally = open.tally();
                let share = (tally.done + tally.failed) * 100 / tally.total.max(1);
                Some(Badge::Text(format!("{share}%")))
            }
            State::Paused | State::Finished => None,
        }
    }

    /// What its last run was.
    pub(super) fn meter(&self) -> Option<RunMeter> {
        let Phase::Open(open) = &self.phase else { return None };
        let run = open.run.as_ref()?;
        Some(RunMeter { texts: open.tally().done, ..run.cost? })
    }

    /// Ctrl+C: pauses what runs. Whether there was anything.
    pub(super) fn interrupt(&mut self, cx: &mut Cx) -> bool {
        let Phase::Open(open) = &mut self.phase else { return false };
        if !open.is_running() {
            return false;
        }
        open.stop(cx);
        open.kept.paused = true;
        open.changed(cx);
        true
    }

    /// What must be said before quitting.
    pub(super) fn holds_quit(&self) -> Option<String> {
        let open = if let Phase::Open(open) = &self.phase { Some(open) } else { None };
        let runs = open.and_then(|open| open.run.as_ref()).into_iter().chain(&self.owing);
        let refused: Vec<_> =
            runs.filter(|run| run.owes() > 0).filter_map(|run| Some((run, run.unsaved.as_ref()?))).collect();
        let (_, (why, _)) = refused.first()?;
        let lost: usize = refused.iter().map(|(run, _)| run.owes()).sum();
        let name = open.map_or_else(|| "a file".into(), |open| open.sheet.list.name.line());
        Some(format!(
            "{lost} results of {name} could not be saved: {}. Quitting tries once more; what is refused then is lost.",
            why.line()
        ))
    }

    /// The program ends: keeps what is not kept yet.
    pub(super) fn parting(&mut self, cx: &mut Cx) {
        for run in &mut self.owing {
            run.flush(cx);
        }
        if let Phase::Open(open) = &mut self.phase {
            open.keep(true, cx);
            self.owing.extend(open.part(cx));
        }
    }

    /// What the title says of the disk.
    fn saved(&self) -> Option<Untrusted> {
        let Phase::Open(open) = &self.phase else { return None };
        let unsaved = open.run.as_ref().and_then(|run| run.unsaved.as_ref());
        if let Some(why) = unsaved.map(|(why, _)| why) {
            return Some(format!("✕ not saved: {}", why.line()).into());
        }
        Some(match &open.saved {
            Saved::Failed(why, _) => format!("✕ not saved: {}", why.line()).into(),
            Saved::Kept if open.run.as_ref().is_none_or(|run| run.owes() == 0) => "saved ✓".into(),
            _ => "saving…".into(),
        })
    }
}
