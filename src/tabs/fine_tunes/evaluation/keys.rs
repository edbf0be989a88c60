//! The page's keys.

use std::sync::LazyLock;

use crossterm::event::{KeyCode, KeyEvent};

use super::open_evaluation::{EvaluationView, OpenEvaluation, RowFilter};
use super::rows_prompt::{RowsChoice, RowsPrompt};
use super::{EvaluationPage, EvaluationPhase, Event, FETCHED, export};
use crate::component::{Bindings, Cx, Hint, Notice, bind};
use crate::record::answers::Source;
use crate::record::work::Work;
use crate::tabs::fine_tunes::range_download::RangeDownload;
use crate::ui::line::Line;
use crate::ui::overlay::Answer;

/// What a key asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Action {
    Run,
    Again,
    Filter,
    Classes,
    Detail,
    Export,
    File,
    Down,
    Up,
    PageDown,
    PageUp,
    Top,
    Bottom,
    Next,
    Previous,
}

use Action as A;

/// Actions in the footer, those that make no sense just now apart.
const FOOTER: [A; 8] = [A::Run, A::Again, A::Filter, A::Detail, A::Classes, A::Export, A::File, A::Previous];

/// Keys of the open rows.
static KEYS: LazyLock<Bindings<Action, OpenEvaluation>> = LazyLock::new(|| {
    Bindings::new(vec![
        bind("p ctrl-r", A::Run, "go on", "send, pause, go on").labelled(run_label).disabled_when(all_answered),
        bind("R", A::Again, "try failed ones", "ask again about rows that came to nothing").disabled_when(none_failed),
        bind("c", A::Filter, "filter", "all rows, changed, wrong, failed").disabled_when(one_row),
        bind("t", A::Classes, "classes", "classes, or rows").disabled_when(no_classes),
        bind("enter", A::Detail, "row", "the row's prompt and answers").disabled_when(busy_or_one_row),
        bind("E", A::Export, "export", "export (.csv or .jsonl)").disabled_when(busy_or_one_row),
        bind("f", A::File, "other rows", "score with other rows").disabled_when(busy_or_one_row),
        bind("j down", A::Down, "next", "next"),
        bind("k up", A::Up, "previous", "previous"),
        bind("pagedown ctrl-d", A::PageDown, "page down", "page down"),
        bind("pageup ctrl-u", A::PageUp, "page up", "page up"),
        bind("g home", A::Top, "top", "top"),
        bind("G end", A::Bottom, "end", "end"),
        bind("> n right", A::Next, "next row", "the next row's answers"),
        bind("< N left", A::Previous, "row", "the row before").shown("< >").disabled_when(no_row),
    ])
});

fn run_label(open: &OpenEvaluation) -> &'static str {
    match (open.is_running(), open.dataset.settings.begun) {
        (true, _) => "pause",
        (false, true) => "go on",
        (false, false) => "send",
    }
}

fn all_answered(open: &OpenEvaluation) -> Option<&'static str> {
    (!open.is_running() && open.is_over()).then_some("all rows are answered")
}

fn none_failed(open: &OpenEvaluation) -> Option<&'static str> {
    (open.is_running() || open.failed() == 0).then_some("no row came to nothing in this run")
}

/// Returns why rows cannot be filtered: one of them is looked at.
fn one_row(open: &OpenEvaluation) -> Option<&'static str> {
    (!open.is_running() && matches!(open.sub, EvaluationView::Detail(..))).then_some("one row is shown")
}

/// Returns why no single row is shown.
fn no_row(open: &OpenEvaluation) -> Option<&'static str> {
    (open.is_running() || !matches!(open.sub, EvaluationView::Detail(..))).then_some("all rows are shown")
}

fn busy_or_one_row(open: &OpenEvaluation) -> Option<&'static str> {
    if open.is_running() { Some("the rows are being sent") } else { one_row(open) }
}

fn no_classes(open: &OpenEvaluation) -> Option<&'static str> {
    busy_or_one_row(open).or_else(|| open.figures.classes.is_empty().then_some("the answers are no classes"))
}

/// What Esc does to open rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum EscapeStep {
    ShowRows,
    ShowAllRows,
    Close,
}

impl EscapeStep {
    fn of(open: &OpenEvaluation) -> Self {
        match (open.sub, open.filter) {
            (EvaluationView::Classes | EvaluationView::Detail(..), _) => Self::ShowRows,
            (EvaluationView::Table, RowFilter::All) => Self::Close,
            (EvaluationView::Table, _) => Self::ShowAllRows,
        }
    }

    fn label(self) -> &'static str {
        match self {
            Self::ShowRows => "rows",
            Self::ShowAllRows => "all rows",
            Self::Close => "close",
        }
    }
}

impl EvaluationPage {
    /// A key while it is shown.
    pub(crate) fn key(&mut self, key: KeyEvent, cx: &mut Cx) -> Event {
        self.seen = Some(cx.now);
        if let Some(confirm) = &mut self.confirm {
            match confirm.key(key) {
                Answer::Open => {}
                Answer::Cancelled => self.confirm = None,
                Answer::Chosen => {
                    self.confirm = None;
                    if let EvaluationPhase::Open(open) = &mut self.phase {
                        open.begin(cx);
                    }
                }
            }
            return Event::None;
        }
        if let Some(line) = &mut self.export {
            match key.code {
                KeyCode::Esc => self.export = None,
                KeyCode::Enter => self.save(cx),
                _ => drop(line.key(key)),
            }
            return Event::None;
        }
        match &mut self.phase {
            EvaluationPhase::Choose(choose) => {
                let validation = self.facts.as_ref().is_some_and(|facts| facts.validation.is_some());
                match choose.key(key, validation, cx) {
                    RowsChoice::Stay => {}
                    RowsChoice::Close => {
                        self.phase = EvaluationPhase::Empty;
                        return Event::Close;
                    }
                    RowsChoice::Path(path) => {
                        let name = path.rsplit(['/', '\\']).next().unwrap_or_default().into();
                        let ticket = cx.work(Work::Examples(Source::Path(path.clone())));
                        self.phase = EvaluationPhase::Reading { ticket, name, source: path.into() };
                    }
                    RowsChoice::Validation => self.fetch(cx),
                }
                Event::None
            }
            EvaluationPhase::Open(_) => self.open_key(key, cx),
            _ if key.code == KeyCode::Esc => {
                self.leave(cx);
                Event::Close
            }
            _ => Event::Ignored,
        }
    }

    /// Asks the server for the job's validation file.
    fn fetch(&mut self, cx: &mut Cx) {
        let Some(facts) = &self.facts else { return };
        let Some((id, name)) = facts.validation.clone() else { return };
        let whole = RangeDownload::ask(facts.profile.clone(), id.raw().to_owned(), FETCHED, cx);
        self.phase = EvaluationPhase::Fetching { whole, name };
    }

    fn open_key(&mut self, key: KeyEvent, cx: &mut Cx) -> Event {
        let EvaluationPhase::Open(open) = &mut self.phase else { return Event::Ignored };
        if key.code == KeyCode::Esc {
            match EscapeStep::of(open) {
                EscapeStep::ShowRows => open.sub = EvaluationView::Table,
                EscapeStep::ShowAllRows => {
                    open.filter = RowFilter::All;
                    open.look();
                }
                EscapeStep::Close => {
                    if open.is_running() {
                        cx.notify(Notice::info("the score goes on; T shows it again, ^C stops it").about("score"));
                    }
                    return Event::Close;
                }
            }
            return Event::None;
        }
        let Some(action) = KEYS.find(&key) else { return Event::Ignored };
        match action {
            Action::Run if open.is_running() => open.stop(cx),
            Action::Run => {
                if open.start(cx) {
                    self.confirm = Some(open.question(cx.session));
                }
            }
            Action::Again => open.again(cx),
            Action::Export => self.export = Some(Line::new("scores.csv")),
            Action::File => {
                if open.is_running() {
                    cx.notify(Notice::warn("a run is under way; p stops it, then f scores with other rows"));
                } else {
                    self.leave(cx);
                    // What was scored meanwhile is known by its rows.
                    self.listing = None;
                    self.phase = EvaluationPhase::Choose(RowsPrompt::default());
                    self.relist(cx);
                }
            }
            action => turn(open, action),
        }
        Event::None
    }

    /// Asks anew for what is kept: rows that were scored are found by what they hold.
    fn relist(&mut self, cx: &mut Cx) {
        self.listing = Some(cx.load(crate::record::Query::TextLists(crate::record::Bench::Score)));
    }

    fn save(&mut self, cx: &mut Cx) {
        let Some(line) = self.export.take() else { return };
        let path = line.text().trim().to_owned();
        let EvaluationPhase::Open(open) = &self.phase else { return };
        if path.is_empty() || self.exporting.is_some() {
            return;
        }
        let text = export::export(&open.dataset, &path).into();
        self.exporting = Some(cx.work(Work::Save { path, text }));
    }

    /// Keys for the footer while it is shown.
    pub(crate) fn hints(&self) -> Vec<Hint> {
        let hint = Hint::new;
        match (&self.confirm, &self.export, &self.phase) {
            (Some(_), ..) => vec![hint("←→", "choose"), hint("⏎", "do it")],
            (_, Some(_), _) => vec![hint("⏎", "export")],
            (_, _, EvaluationPhase::Choose(_)) => vec![hint("⏎", "read"), hint("tab", "complete")],
            (_, _, EvaluationPhase::Open(open)) => KEYS.footer(&FOOTER, open),
            _ => Vec::new(),
        }
    }

    /// All its keys by context; the first is where it is.
    pub(crate) fn help(&self) -> Vec<(&'static str, Vec<Hint>)> {
        if self.facts.is_none() {
            return Vec::new();
        }
        vec![("Score", KEYS.help())]
    }

    /// What the next Esc does while it is shown.
    pub(crate) fn escape(&self) -> Option<&'static str> {
        self.facts.as_ref()?;
        Some(match (&self.confirm, &self.export, &self.phase) {
            (Some(_), ..) => "not now",
            (_, Some(_), _) => "cancel",
            (_, _, EvaluationPhase::Open(open)) => EscapeStep::of(open).label(),
            _ => "close",
        })
    }

    /// Whether letters are text just now.
    pub(crate) fn typing(&self) -> bool {
        self.export.is_some() || self.confirm.is_some() || matches!(self.phase, EvaluationPhase::Choose(_))
    }
}

/// What only moves or chooses what shows.
fn turn(open: &mut OpenEvaluation, action: Action) {
    let len = open.order.len();
    if let EvaluationView::Detail(at, top) = &mut open.sub {
        let page = open.view.page.max(4) as isize;
        match action {
            Action::Down => *top = top.saturating_add(1),
            Action::Up => *top = top.saturating_sub(1),
            Action::PageDown => *top = top.saturating_add_signed(page),
            Action::PageUp => *top = top.saturating_add_signed(-page),
            Action::Top => *top = 0,
            Action::Detail | Action::Classes => open.sub = EvaluationView::Table,
            Action::Next | Action::Previous => {
                let by = if action == Action::Next { 1 } else { -1 };
                open.view.by(by, len);
                (*at, *top) = (open.view.cursor.selected, 0);
            }
            _ => {}
        }
        return;
    }
    match action {
        Action::Down => open.view.by(1, len),
        Action::Up => open.view.by(-1, len),
        Action::PageDown => open.view.pages(1, len),
        Action::PageUp => open.view.pages(-1, len),
        Action::Top => open.view.home(),
        Action::Bottom => open.view.end(len),
        Action::Next => open.view.scroll(1),
        Action::Previous => open.view.scroll(-1),
        Action::Detail if len > 0 => open.sub = EvaluationView::Detail(open.view.cursor.selected, 0),
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
                RowFilter::Wrong if open.failed() > 0 => RowFilter::Failed,
                RowFilter::Wrong | RowFilter::Failed => RowFilter::All,
            };
            open.sub = EvaluationView::Table;
            open.look();
            open.view.home();
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn no_key_means_two_things() {
        assert_eq!(super::KEYS.keys().clashes(), []);
    }
}
