//! The page that lists all marked answers: search, take marks back, open, make a file of rows of them.

use std::time::Instant;

use crossterm::event::{KeyCode, KeyEvent};
use ratatui::Frame;
use ratatui::layout::{Position, Rect};
use ratatui::style::Style;
use ratatui::widgets::Clear;

use super::export::{ExportStep, MarksExport};
use super::keys::{Action, FOOTER, KEYS};
use super::training_rows::TrainingForm;
use crate::api::call::Ticket;
use crate::component::{
    Component, ConfirmDialog, Cx, Find, FindBar, Handled, Hint, Modals, Motion, Notice, PathPrompt, RenderContext,
    Response, Session,
};
use crate::record::{self, Id, Marked, Query, Stored};
use crate::ui::meter::count;
use crate::ui::overlay::Confirm;
use crate::ui::pane::{Pane, Spacing, Surface};
use crate::ui::rule::cut;
use crate::ui::table::{Align, Table, TableCell, TableColumn, TableRow, TableView, Width};
use crate::ui::theme::Theme;

/// What the page asks of the tab.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum MarksEvent {
    Close,
    /// This turn of this conversation is to be seen.
    Open(Id, Id),
    /// This turn of this conversation is not marked any more.
    Unmark(Id, Id),
    /// This file is to be written.
    Save(ExportFile),
}

/// A file that is to be written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ExportFile {
    pub(crate) path: String,
    pub(crate) text: String,
    /// What is to be said when it is there.
    pub(crate) words: String,
}

/// The answer of a dialog.
#[derive(Clone, Debug, PartialEq, Eq)]
enum MarksAnswer {
    /// Write rows of this form to the file at this path.
    Export(String, TrainingForm),
    /// Take the mark of this turn of this conversation back.
    Unmark(Id, Id),
}

/// What Esc takes away.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum MarksEscape {
    /// The words looked for.
    Words,
    /// The export under way.
    Export,
    /// What could not be exported.
    Refused,
    Page,
}

/// The page.
#[derive(Debug)]
pub(crate) struct MarksPage {
    all: Vec<Marked>,
    loading: Option<Ticket>,
    /// Those that show.
    shown: Vec<u32>,
    find: FindBar,
    view: TableView,
    modals: Modals<MarksAnswer>,
    export: Option<MarksExport>,
    /// What could not be exported.
    refused: Vec<crate::text::Untrusted>,
}

impl MarksPage {
    /// Returns the page, which asks for all marks.
    pub(crate) fn new(cx: &mut Cx) -> Self {
        Self {
            all: Vec::new(),
            loading: Some(cx.load(Query::Marks)),
            shown: Vec::new(),
            find: FindBar::default(),
            view: TableView::default(),
            modals: Modals::default(),
            export: None,
            refused: Vec::new(),
        }
    }

    fn search(&mut self) {
        let words = self.find.words().to_lowercase();
        let holds = |marked: &Marked| {
            let ideal = marked.mark.ideal.as_ref();
            let texts = [&marked.title, &marked.asked, &marked.text].into_iter().chain(ideal);
            let all: Vec<String> = texts.map(|text| text.line().to_lowercase()).collect();
            words.split_whitespace().all(|word| all.iter().any(|text| text.contains(word)))
        };
        let shows = |at: &u32| words.is_empty() || holds(&self.all[*at as usize]);
        self.shown = (0..self.all.len() as u32).filter(shows).collect();
        self.view.by(0, self.shown.len());
    }

    fn here(&self) -> Option<&Marked> {
        self.all.get(*self.shown.get(self.view.cursor.selected)? as usize)
    }

    fn act(&mut self, action: Action, cx: &mut Cx) -> Handled<MarksEvent> {
        let len = self.shown.len();
        match action {
            // The page collects the rows: it is not left before they are there.
            Action::Close | Action::Open if self.export.is_some() => {
                cx.notify(Notice::info("the export is under way: wait for it, or esc stops it").about("marks"));
            }
            Action::Close => return Handled::Emit(MarksEvent::Close),
            Action::Move(Motion::PageDown) => self.view.pages(1, len),
            Action::Move(Motion::PageUp) => self.view.pages(-1, len),
            Action::Move(motion) => self.view.by(motion.rows(self.view.page), len),
            Action::Search => self.find.open(),
            Action::Open => {
                if let Some(marked) = self.here() {
                    return Handled::Emit(MarksEvent::Open(marked.conversation, marked.mark.turn));
                }
            }
            Action::Unmark => {
                let Some(marked) = self.here() else { return Handled::Consumed };
                let (conversation, turn) = (marked.conversation, marked.mark.turn);
                let Some(ideal) = &marked.mark.ideal else { return self.unmark(conversation, turn) };
                let words = cut(&ideal.line(), 120).into();
                let lines = vec!["The ideal answer you wrote goes with the mark:".into(), words];
                let question = Confirm::new("Unmark this answer?", lines, "Unmark");
                self.modals.open(ConfirmDialog::new(question, MarksAnswer::Unmark(conversation, turn)));
            }
            Action::Export if len > 0 && self.export.is_none() => self.ask_export(),
            Action::Export => {
                cx.notify(Notice::info("no answer is marked yet: a in the transcript marks one"));
            }
        }
        Handled::Consumed
    }

    /// Asks where the answers that show are exported to, and in which form.
    fn ask_export(&mut self) {
        let title = format!("Export {} marked answers", count(self.shown.len() as u64));
        let forms = [TrainingForm::Chats, TrainingForm::Pairs];
        let prompt = PathPrompt::save(title, "export", "chats.jsonl", move |mut path, way| {
            // Rows are read back by this ending.
            if !path.to_lowercase().ends_with(".jsonl") {
                path.push_str(".jsonl");
            }
            MarksAnswer::Export(path, forms[way])
        });
        self.modals.open(prompt.with_ways("form", forms.map(TrainingForm::description).into(), 0));
    }

    /// Returns what the next Esc takes away, and what it is called.
    fn next_escape(&self) -> (MarksEscape, &'static str) {
        if self.find.is_typing() {
            (MarksEscape::Words, "clear filter")
        } else if self.export.is_some() {
            (MarksEscape::Export, "stop")
        } else if !self.refused.is_empty() {
            (MarksEscape::Refused, "close")
        } else if !self.find.words().is_empty() {
            (MarksEscape::Words, "clear filter")
        } else {
            (MarksEscape::Page, "close")
        }
    }

    fn escape_key(&mut self, cx: &mut Cx) -> Handled<MarksEvent> {
        match self.next_escape().0 {
            MarksEscape::Export => {
                self.export = None;
                cx.notify(Notice::info("the export was stopped; nothing was written").about("marks"));
            }
            MarksEscape::Refused => self.refused.clear(),
            MarksEscape::Words => {
                self.find.clear();
                self.search();
            }
            MarksEscape::Page => return Handled::Emit(MarksEvent::Close),
        }
        Handled::Consumed
    }

    fn unmark(&mut self, conversation: Id, turn: Id) -> Handled<MarksEvent> {
        self.all.retain(|marked| marked.mark.turn != turn);
        self.search();
        Handled::Emit(MarksEvent::Unmark(conversation, turn))
    }

    fn answered(&mut self, handled: Handled<MarksAnswer>, cx: &mut Cx) -> Handled<MarksEvent> {
        match handled {
            Handled::Ignored => Handled::Ignored,
            Handled::Consumed => Handled::Consumed,
            Handled::Emit(MarksAnswer::Unmark(conversation, turn)) => self.unmark(conversation, turn),
            Handled::Emit(MarksAnswer::Export(path, form)) => {
                let marks = self.shown.iter().map(|at| self.all[*at as usize].clone()).collect();
                let mut export = MarksExport::new(path, form, marks);
                self.refused.clear();
                if let ExportStep::More = export.next(cx) {
                    self.export = Some(export);
                }
                Handled::Consumed
            }
        }
    }

    /// Takes in the store's answer to a question of the export's. Returns the file, once all of it is collected.
    fn exported(&mut self, stored: Stored, cx: &mut Cx) -> Option<ExportFile> {
        let export = self.export.as_mut()?;
        match export.stored(stored, cx) {
            ExportStep::More => None,
            ExportStep::Failed(why) => {
                self.export = None;
                cx.notify(Notice::error(format!("not exported: {}", why.line())));
                None
            }
            ExportStep::Done(rows) => {
                let export = self.export.take()?;
                self.refused = export.refused;
                let (made, cut) = (rows.count, rows.cut);
                if made == 0 {
                    cx.notify(
                        Notice::warn("none of these answers can become a training row; reasons below").about("marks"),
                    );
                    return None;
                }
                let mut words = format!("{} rows", count(made));
                if export.lost > 0 {
                    words = format!("{words}, {} left out", count(export.lost));
                }
                if cut > 0 {
                    words = format!("{words}; {} without the earlier messages", count(cut));
                }
                Some(ExportFile { path: export.path, text: rows.text(), words })
            }
        }
    }

    /// Returns the places of the words looked for, the table, and what was not exported.
    fn places(&self, area: Rect, spacing: Spacing) -> [Rect; 3] {
        let head = spacing.head(area.height).min(area.height);
        let mut body = Rect { y: area.y + head, height: area.height - head, ..area };
        let find = Rect { height: u16::from(self.find.is_shown()).min(body.height), ..body };
        body = Rect { y: body.y + find.height, height: body.height - find.height, ..body };
        let below = (self.refused.len() as u16 + 1).min(body.height / 2);
        let below = if self.refused.is_empty() || below <= 1 { 0 } else { below };
        let lower = Rect { y: body.bottom() - below, height: below, ..body };
        body.height -= below;
        [find, body, lower]
    }

    /// Draws the table; returns where the terminal's cursor belongs.
    fn table(&self, frame: &mut Frame, area: Rect, theme: &Theme) -> Option<Position> {
        let columns = columns(area.width);
        let row = |place: usize| {
            let marked = &self.all[self.shown[place] as usize];
            let ideal = marked.mark.ideal.as_ref();
            let cells = columns.iter().map(|column| match column.title.as_str() {
                "mark" if ideal.is_some() => TableCell::new("ideal", theme.accent),
                "mark" => TableCell::new("good", theme.good),
                "conversation" => {
                    TableCell::new(marked.title.line(), if marked.trashed { theme.faint } else { theme.muted })
                }
                "asked" => TableCell::new(cut(&marked.asked.line(), 200), theme.muted),
                _ => TableCell::new(cut(&ideal.unwrap_or(&marked.text).line(), 200), Style::default()),
            });
            TableRow { cells: cells.collect(), marked: false }
        };
        let table = Table { columns: &columns, sort: None, len: self.shown.len(), row: &row, focus: true };
        table.render(self.view, area, frame.buffer_mut(), theme)
    }
}

/// Returns the columns there is room for.
fn columns(width: u16) -> Vec<TableColumn> {
    let column = |title: &str, width| TableColumn { title: title.to_owned(), width, align: Align::Left };
    let share = |weight, least| Width::Share { weight, least };
    let mut columns = vec![column("mark", Width::Fixed(5))];
    if width >= 60 {
        columns.push(column("conversation", share(2, 10)));
        columns.push(column("asked", share(3, 10)));
    }
    columns.push(column("answer", share(4, 12)));
    columns
}

impl Component<MarksEvent> for MarksPage {
    fn key(&mut self, key: KeyEvent, cx: &mut Cx) -> Handled<MarksEvent> {
        let handled = self.modals.key(key, cx);
        if !handled.is_ignored() {
            return self.answered(handled, cx);
        }
        if key.code == KeyCode::Esc {
            return self.escape_key(cx);
        }
        if self.find.is_typing() {
            if self.find.key(key) == Find::Changed {
                self.search();
            }
            return Handled::Consumed;
        }
        match KEYS.find(&key) {
            Some(action) => self.act(action, cx),
            None => Handled::Consumed,
        }
    }

    fn paste(&mut self, text: &str, cx: &mut Cx) -> Handled<MarksEvent> {
        let handled = self.modals.paste(text, cx);
        if !handled.is_ignored() {
            return self.answered(handled, cx);
        }
        if self.find.paste(text) {
            self.search();
        }
        Handled::Consumed
    }

    fn reply(&mut self, ticket: Ticket, response: &mut Response, cx: &mut Cx) -> Handled<MarksEvent> {
        let handled = self.modals.reply(ticket, response, cx);
        if !handled.is_ignored() {
            return self.answered(handled, cx);
        }
        let loaded = self.loading.take_if(|loading| *loading == ticket).is_some();
        if !loaded && !self.export.as_ref().is_some_and(|export| export.has(ticket)) {
            return Handled::Ignored;
        }
        let Response::Store(stored) = response.take() else { return Handled::Consumed };
        if !loaded {
            return self.exported(stored, cx).map_or(Handled::Consumed, |file| Handled::Emit(MarksEvent::Save(file)));
        }
        match stored {
            Stored::Rows(record::Rows::Marked(all)) => self.all = all,
            Stored::Failed(why) => cx.notify(Notice::error(why)),
            _ => {}
        }
        self.search();
        Handled::Consumed
    }

    fn hints(&self) -> Vec<Hint> {
        if self.modals.is_open() {
            return self.modals.hints();
        }
        if self.find.is_typing() { FindBar::hints() } else { KEYS.footer(&FOOTER, &()) }
    }

    fn escape(&self) -> Option<&'static str> {
        self.modals.escape().or(Some(self.next_escape().1))
    }

    fn typing(&self) -> bool {
        true
    }

    fn arrange(&mut self, area: Rect, session: &Session, now: Instant) {
        let spacing = session.spacing();
        let [_, body, _] = self.places(area, spacing);
        self.view.right = if spacing.has_surfaces() { spacing.side() } else { 0 };
        self.view.fit(&columns(body.width), self.shown.len(), body);
        self.modals.arrange(area, session, now);
    }

    fn render(&self, frame: &mut Frame, area: Rect, context: RenderContext) {
        let RenderContext { session, theme, .. } = context;
        let spacing = session.spacing();
        if area.height < 3 || area.width < 8 {
            return;
        }
        frame.render_widget(Clear, area);
        let right = match &self.export {
            Some(export) => format!("exporting {} of {} · esc stop", count(export.done()), count(export.total)),
            None if self.loading.is_some() => "loading…".to_owned(),
            None => self.view.position(self.shown.len()),
        };
        let right_style = if spacing.has_surfaces() { theme.faint } else { theme.muted };
        let pane = Pane {
            title: "Marked answers",
            note: "",
            right: &right,
            right_style,
            focus: true,
            surface: Surface::Ground,
        };
        pane.render(area, frame.buffer_mut(), theme, spacing);
        let [find, body, lower] = self.places(area, spacing);
        if !find.is_empty() {
            let width = find.width.saturating_sub(2);
            self.find.render(frame, Rect { x: find.x + 1, width, ..find }, "", theme);
        }
        if !lower.is_empty() {
            let right = "esc close";
            let pane =
                Pane { title: "Not exported", note: "", right, right_style, focus: false, surface: Surface::Panel };
            pane.render(lower, frame.buffer_mut(), theme, spacing);
            let width = usize::from(lower.width).saturating_sub(2);
            for (why, y) in self.refused.iter().zip(lower.y + spacing.head(lower.height)..lower.bottom()) {
                frame.buffer_mut().set_stringn(lower.x + 1, y, cut(&why.line(), width), width, theme.warn);
            }
        }
        if self.shown.is_empty() && self.loading.is_none() {
            let words = if self.all.is_empty() {
                "None yet: a marks an answer in the transcript as good, A writes what it should have been."
            } else {
                "No marked answer holds these words."
            };
            let width = usize::from(body.width).saturating_sub(2).max(1);
            for (line, y) in crate::ui::wrap::lines(words, width).iter().zip(body.y + 1..body.bottom()) {
                frame.buffer_mut().set_stringn(body.x + 1, y, line, width, theme.muted);
            }
        } else if let Some(at) = self.table(frame, body, theme).filter(|_| !self.find.is_typing()) {
            frame.set_cursor_position(at);
        }
        self.modals.render(frame, area, context);
    }
}
