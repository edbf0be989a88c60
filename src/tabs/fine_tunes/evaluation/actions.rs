//! What keys and the answers of dialogs do to the page.

use crossterm::event::KeyEvent;

use super::answer::{EvaluationAnswer, EvaluationDialog};
use super::keys::{Action, KEYS};
use super::open_evaluation::{EvaluationView, OpenEvaluation, RowFilter};
use super::{EvaluationEvent, EvaluationPage, EvaluationPhase, export};
use crate::component::{Cx, Handled, Notice};
use crate::record::answers::Source;
use crate::record::work::Work;
use crate::tabs::range_download::RangeDownload;

/// Bytes of a stored file that are read.
const FETCHED: u64 = 64 << 20;

/// What the next Esc does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EvaluationEscape {
    ShowRows,
    ShowAllRows,
    /// Closes the page; a run continues.
    Close,
    /// Stops what is read, and closes the page.
    Leave,
}

impl EvaluationPage {
    /// Returns what the next Esc does, and how the footer calls it; `None`: the page is empty.
    pub(super) fn next_escape(&self) -> Option<(EvaluationEscape, &'static str)> {
        self.facts.as_ref()?;
        let EvaluationPhase::Open(open) = &self.phase else { return Some((EvaluationEscape::Leave, "close")) };
        Some(match (open.sub, open.filter) {
            (EvaluationView::Classes | EvaluationView::Detail(..), _) => (EvaluationEscape::ShowRows, "rows"),
            (EvaluationView::Table, RowFilter::All) => (EvaluationEscape::Close, "close"),
            (EvaluationView::Table, _) => (EvaluationEscape::ShowAllRows, "all rows"),
        })
    }

    fn escape_key(&mut self, cx: &mut Cx) -> Handled<EvaluationEvent> {
        let Some((escape, _)) = self.next_escape() else { return Handled::Ignored };
        match (escape, &mut self.phase) {
            (EvaluationEscape::Leave, _) => {
                self.leave(cx);
                return Handled::Emit(EvaluationEvent::Close);
            }
            (EvaluationEscape::ShowRows, EvaluationPhase::Open(open)) => open.sub = EvaluationView::Table,
            (EvaluationEscape::ShowAllRows, EvaluationPhase::Open(open)) => {
                open.filter = RowFilter::All;
                open.refresh();
            }
            (EvaluationEscape::Close, EvaluationPhase::Open(open)) => {
                if open.is_running() {
                    cx.notify(Notice::info("scoring continues; T shows it again, ^C stops it").about("score"));
                }
                return Handled::Emit(EvaluationEvent::Close);
            }
            _ => {}
        }
        Handled::Consumed
    }

    /// Does what a dialog was answered with.
    pub(crate) fn answer(&mut self, answer: EvaluationAnswer, cx: &mut Cx) -> Handled<EvaluationEvent> {
        self.seen = Some(cx.now);
        match (answer, &mut self.phase) {
            (EvaluationAnswer::Send, EvaluationPhase::Open(open)) => open.begin(cx),
            (EvaluationAnswer::Export(path), EvaluationPhase::Open(open)) => {
                if self.exporting.is_none() {
                    self.exporting = Some(cx.work(export::export(&open.dataset, path)));
                }
            }
            (EvaluationAnswer::Path(path), _) => {
                let name = path.rsplit(['/', '\\']).next().unwrap_or_default().into();
                let ticket = cx.work(Work::Examples(Source::Path(path.clone())));
                self.phase = EvaluationPhase::Reading { ticket, name, source: path.into() };
            }
            (EvaluationAnswer::Validation, _) => self.fetch(cx),
            (EvaluationAnswer::NoRows, _) => {
                self.phase = EvaluationPhase::Empty;
                return Handled::Emit(EvaluationEvent::Close);
            }
            (EvaluationAnswer::Send | EvaluationAnswer::Export(_), _) => {}
        }
        Handled::Consumed
    }

    /// Asks the server for the job's validation file.
    fn fetch(&mut self, cx: &mut Cx) {
        let Some(facts) = &self.facts else { return };
        let Some((id, name)) = facts.validation.clone() else { return };
        let whole = RangeDownload::ask(facts.profile.clone(), id.raw().to_owned(), FETCHED, cx);
        self.phase = EvaluationPhase::Fetching { whole, name };
    }

    /// Does what a key asks for.
    pub(super) fn page_key(&mut self, key: KeyEvent, cx: &mut Cx) -> Handled<EvaluationEvent> {
        let Some(action) = KEYS.find(&key) else { return Handled::Ignored };
        if action == Action::Escape {
            return self.escape_key(cx);
        }
        let EvaluationPhase::Open(open) = &mut self.phase else { return Handled::Ignored };
        match action {
            Action::Run if open.is_running() => open.stop(cx),
            Action::Run => {
                if open.start(cx) {
                    self.asks = Some(EvaluationDialog::Send(open.question(cx.session)));
                }
            }
            Action::Again => open.retry_failed(cx),
            Action::Export => self.asks = Some(EvaluationDialog::Export),
            Action::File if open.is_running() => {
                cx.notify(Notice::warn("scoring is running; pause it with p before you choose other rows"));
            }
            Action::File => {
                self.leave(cx);
                self.choose_rows(None);
                // What was scored meanwhile is known by its rows.
                self.load_lists(cx);
            }
            action => turn(open, action),
        }
        Handled::Consumed
    }
}

/// Does what only moves the cursor or chooses what is shown.
fn turn(open: &mut OpenEvaluation, action: Action) {
    let len = open.order.len();
    if let EvaluationView::Detail(at) = &mut open.sub {
        match action {
            Action::Move(motion) => open.scroll.move_by(motion),
            Action::Detail | Action::Classes => open.sub = EvaluationView::Table,
            Action::Next | Action::Previous => {
                let by = if action == Action::Next { 1 } else { -1 };
                open.view.move_by(by, len);
                *at = open.view.cursor.selected;
                open.scroll.to_first();
            }
            _ => {}
        }
        return;
    }
    match action {
        Action::Move(motion) => open.view.move_by(motion.rows(open.view.page), len),
        Action::Next => open.view.scroll(1),
        Action::Previous => open.view.scroll(-1),
        Action::Detail if len > 0 => {
            open.sub = EvaluationView::Detail(open.view.cursor.selected);
            open.scroll.to_first();
        }
        Action::Classes => {
            open.sub = if open.sub == EvaluationView::Classes || open.figures.classes.is_empty() {
                EvaluationView::Table
            } else {
                EvaluationView::Classes
            };
        }
        Action::Filter => {
            open.filter = match open.filter {
                RowFilter::All => RowFilter::Changed,
                RowFilter::Changed => RowFilter::Wrong,
                RowFilter::Wrong if open.failed_count() > 0 => RowFilter::Failed,
                RowFilter::Wrong | RowFilter::Failed => RowFilter::All,
            };
            open.sub = EvaluationView::Table;
            open.refresh();
            open.view.home();
        }
        _ => {}
    }
}
