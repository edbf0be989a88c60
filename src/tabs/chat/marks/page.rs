//! The page that lists all marked answers: search, take marks back, open, make a file of rows of them.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::widgets::Clear;

use super::export::{Export, Step};
use super::rows::Form;
use crate::api::call::Ticket;
use crate::component::{Cx, Hint, Notice};
use crate::record::{self, Id, Marked, Query, Stored};
use crate::text::Untrusted;
use crate::ui::line::Line;
use crate::ui::meter::count;
use crate::ui::overlay::{self, Answer, Confirm};
use crate::ui::rule::{Rule, cut};
use crate::ui::table::{Align, Cell, Column, Row, Table, View, Width};
use crate::ui::theme::Theme;

/// What a key asks of the tab.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Event {
    Stay,
    Close,
    /// This turn of this conversation is to be seen.
    Open(Id, Id),
    /// This turn of this conversation is not marked any more.
    Unmark(Id, Id),
}

/// A file that is to be written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct File {
    pub(crate) path: String,
    pub(crate) text: String,
    /// What is to be said when it is there.
    pub(crate) words: String,
}

/// The page.
#[derive(Debug)]
pub(crate) struct Page {
    all: Vec<Marked>,
    loading: Option<Ticket>,
    /// Those that show.
    shown: Vec<u32>,
    /// Words looked for, while they are typed.
    find: Option<Line>,
    words: String,
    view: View,
    /// Where to export to, and in which form.
    target: Option<(Line, Form)>,
    export: Option<Export>,
    /// Whether this mark goes with the ideal answer somebody wrote: its conversation and its turn.
    asking: Option<(Confirm, Id, Id)>,
    /// What could not be exported.
    refused: Vec<Untrusted>,
}

impl Page {
    /// The page, which asks for all marks.
    pub(crate) fn new(cx: &mut Cx) -> Self {
        Self {
            all: Vec::new(),
            loading: Some(cx.load(Query::Marks)),
            shown: Vec::new(),
            find: None,
            words: String::new(),
            view: View::default(),
            target: None,
            export: None,
            asking: None,
            refused: Vec::new(),
        }
    }

    fn look(&mut self) {
        let words = self.words.to_lowercase();
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

    pub(crate) fn key(&mut self, key: KeyEvent, cx: &mut Cx) -> Event {
        if let Some((ask, conversation, turn)) = &mut self.asking {
            let (conversation, turn) = (*conversation, *turn);
            return match ask.key(key) {
                Answer::Open => Event::Stay,
                Answer::Cancelled => {
                    self.asking = None;
                    Event::Stay
                }
                Answer::Chosen => self.unmark(conversation, turn),
            };
        }
        if let Some((line, form)) = &mut self.target {
            match key.code {
                KeyCode::Esc => self.target = None,
                KeyCode::Tab | KeyCode::BackTab => {
                    *form = if *form == Form::Chats { Form::Pairs } else { Form::Chats };
                }
                KeyCode::Enter => self.begin(cx),
                _ => drop(line.key(key)),
            }
            return Event::Stay;
        }
        if let Some(line) = &mut self.find {
            match key.code {
                KeyCode::Esc => {
                    self.find = None;
                    self.words.clear();
                }
                KeyCode::Enter => self.find = None,
                _ => {
                    line.key(key);
                    line.text().clone_into(&mut self.words);
                }
            }
            self.look();
            return Event::Stay;
        }
        if key.modifiers.contains(KeyModifiers::CONTROL) || key.modifiers.contains(KeyModifiers::ALT) {
            return Event::Stay;
        }
        let len = self.shown.len();
        match key.code {
            KeyCode::Esc if self.export.is_some() => {
                self.export = None;
                cx.notify(Notice::hint("the export was stopped; nothing was written").about("marks"));
            }
            KeyCode::Esc if !self.refused.is_empty() => self.refused.clear(),
            KeyCode::Esc if !self.words.is_empty() => {
                self.words.clear();
                self.look();
            }
            // The page collects the rows: it is not left before they are there.
            KeyCode::Char('v' | 'q') | KeyCode::Enter if self.export.is_some() => {
                cx.notify(Notice::hint("the export is under way: wait for it, or esc stops it").about("marks"));
            }
            KeyCode::Esc | KeyCode::Char('v' | 'q') => return Event::Close,
            KeyCode::Char('j') | KeyCode::Down => self.view.by(1, len),
            KeyCode::Char('k') | KeyCode::Up => self.view.by(-1, len),
            KeyCode::PageDown => self.view.pages(1, len),
            KeyCode::PageUp => self.view.pages(-1, len),
            KeyCode::Char('g') | KeyCode::Home => self.view.home(),
            KeyCode::Char('G') | KeyCode::End => self.view.end(len),
            KeyCode::Char('/') => self.find = Some(Line::new(self.words.clone())),
            KeyCode::Enter => {
                if let Some(marked) = self.here() {
                    return Event::Open(marked.conversation, marked.mark.turn);
                }
            }
            KeyCode::Char('u') => {
                let Some(marked) = self.here() else { return Event::Stay };
                let (conversation, turn) = (marked.conversation, marked.mark.turn);
                let Some(ideal) = &marked.mark.ideal else { return self.unmark(conversation, turn) };
                let words = cut(&ideal.line(), 120).into();
                let lines = vec!["The ideal answer you wrote goes with the mark:".into(), words];
                self.asking = Some((Confirm::new("Unmark this answer?", lines, "Unmark"), conversation, turn));
            }
            KeyCode::Char('E') if len > 0 && self.export.is_none() => {
                self.target = Some((Line::new("chats.jsonl"), Form::Chats));
            }
            KeyCode::Char('E') => cx.notify(Notice::hint("no answer is marked yet: a in the transcript marks one")),
            _ => {}
        }
        Event::Stay
    }

    fn unmark(&mut self, conversation: Id, turn: Id) -> Event {
        self.asking = None;
        self.all.retain(|marked| marked.mark.turn != turn);
        self.look();
        Event::Unmark(conversation, turn)
    }

    pub(crate) fn paste(&mut self, text: &str) {
        if let Some((line, _)) = &mut self.target {
            line.paste(text);
        } else if let Some(line) = &mut self.find {
            line.paste(text);
            line.text().clone_into(&mut self.words);
            self.look();
        }
    }

    fn begin(&mut self, cx: &mut Cx) {
        let Some((line, form)) = &self.target else { return };
        let mut path = line.text().trim().to_owned();
        if path.is_empty() {
            return;
        }
        // Rows are read back by this ending.
        if !path.to_lowercase().ends_with(".jsonl") {
            path.push_str(".jsonl");
        }
        let marks = self.shown.iter().map(|at| self.all[*at as usize].clone()).collect();
        let mut export = Export::new(path, *form, marks);
        self.target = None;
        self.refused.clear();
        if let Step::More = export.next(cx) {
            self.export = Some(export);
        }
    }

    /// Whether the store's answer is to a question of the page's.
    pub(crate) fn has(&self, ticket: Ticket) -> bool {
        self.loading == Some(ticket) || self.export.as_ref().is_some_and(|export| export.has(ticket))
    }

    /// The store's answer to a question of the page's. The file, once all of it is collected.
    pub(crate) fn stored(&mut self, ticket: Ticket, stored: Stored, cx: &mut Cx) -> Option<File> {
        if self.loading.take_if(|loading| *loading == ticket).is_some() {
            match stored {
                Stored::Rows(record::Rows::Marked(all)) => self.all = all,
                Stored::Failed(why) => cx.notify(Notice::error(why)),
                _ => {}
            }
            self.look();
            return None;
        }
        let export = self.export.as_mut()?;
        match export.stored(stored, cx) {
            Step::More => None,
            Step::Failed(why) => {
                self.export = None;
                cx.notify(Notice::error(format!("the export was given up: {}", why.line())));
                None
            }
            Step::Done(rows) => {
                let export = self.export.take()?;
                self.refused = export.refused;
                let (made, cut) = (rows.count, rows.cut);
                if made == 0 {
                    cx.notify(Notice::warn("none of these answers can be a row; see why below").about("marks"));
                    return None;
                }
                let mut words = format!("{} rows", count(made));
                if export.lost > 0 {
                    words = format!("{words}, {} left out", count(export.lost));
                }
                if cut > 0 {
                    words = format!("{words}; of {} what was said earlier is no part of the prompt", count(cut));
                }
                Some(File { path: export.path, text: rows.text(), words })
            }
        }
    }

    pub(crate) fn hints(&self) -> Vec<Hint> {
        let hint = Hint::new;
        if self.asking.is_some() {
            return vec![hint("←→", "choose"), hint("⏎", "do it"), hint("esc", "cancel")];
        }
        match (&self.target, &self.find) {
            (Some(_), _) => vec![hint("⏎", "export"), hint("tab", "other form")],
            (_, Some(_)) => vec![hint("⏎", "keep")],
            _ => vec![hint("⏎", "open"), hint("u", "unmark"), hint("/", "search"), hint("E", "export")],
        }
    }

    /// Draws it over `area`.
    pub(crate) fn render(&mut self, frame: &mut Frame, area: Rect, theme: &Theme) {
        if area.height < 3 || area.width < 8 {
            return;
        }
        frame.render_widget(Clear, area);
        let right = match &self.export {
            Some(export) => format!("exporting {} of {} · esc stop", count(export.done()), count(export.total)),
            None if self.loading.is_some() => "loading…".to_owned(),
            None => self.view.position(self.shown.len()),
        };
        Rule { title: "Marked answers", right: &right, right_style: theme.muted, focus: true }.render(
            area,
            frame.buffer_mut(),
            theme,
        );
        let mut body = Rect { y: area.y + 1, height: area.height - 1, ..area };
        if self.find.is_some() || !self.words.is_empty() {
            frame.buffer_mut().set_stringn(body.x + 1, body.y, "/", 1, theme.accent);
            let place = Rect { x: body.x + 3, width: body.width.saturating_sub(4), height: 1, ..body };
            match &self.find {
                Some(line) => line.render(frame, place, theme.text, true),
                None => {
                    let words = Untrusted::from(self.words.as_str());
                    frame.buffer_mut().set_stringn(
                        place.x,
                        place.y,
                        words.line(),
                        usize::from(place.width),
                        theme.text,
                    );
                }
            }
            body = Rect { y: body.y + 1, height: body.height - 1, ..body };
        }
        let below = (self.refused.len() as u16 + 1).min(body.height / 2);
        if !self.refused.is_empty() && below > 1 {
            let lower = Rect { y: body.bottom() - below, height: below, ..body };
            Rule { title: "Not exported", right: "esc close", right_style: theme.muted, focus: false }.render(
                lower,
                frame.buffer_mut(),
                theme,
            );
            let width = usize::from(lower.width).saturating_sub(2);
            for (why, y) in self.refused.iter().zip(lower.y + 1..lower.bottom()) {
                frame.buffer_mut().set_stringn(lower.x + 1, y, cut(&why.line(), width), width, theme.warn);
            }
            body.height -= below;
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
        } else {
            self.table(frame, body, theme);
        }
        self.ask(frame, area, theme);
        if let Some((ask, ..)) = &self.asking {
            ask.render(frame, area, &theme.over());
        }
    }

    fn table(&mut self, frame: &mut Frame, area: Rect, theme: &Theme) {
        let column = |title: &str, width| Column { title: title.to_owned(), width, align: Align::Left };
        let share = |weight, least| Width::Share { weight, least };
        let mut columns = vec![column("mark", Width::Fixed(5))];
        if area.width >= 60 {
            columns.push(column("conversation", share(2, 10)));
            columns.push(column("asked", share(3, 10)));
        }
        columns.push(column("answer", share(4, 12)));
        let row = |place: usize| {
            let marked = &self.all[self.shown[place] as usize];
            let ideal = marked.mark.ideal.as_ref();
            let cells = columns.iter().map(|column| match column.title.as_str() {
                "mark" if ideal.is_some() => Cell::new("ideal", theme.accent),
                "mark" => Cell::new("good", theme.ok),
                "conversation" => {
                    Cell::new(marked.title.line(), if marked.trashed { theme.faint } else { theme.muted })
                }
                "asked" => Cell::new(cut(&marked.asked.line(), 200), theme.muted),
                _ => Cell::new(cut(&ideal.unwrap_or(&marked.text).line(), 200), Style::default()),
            });
            Row { cells: cells.collect(), marked: false }
        };
        let mut view = self.view;
        let at = Table { columns: &columns, sort: None, len: self.shown.len(), row: &row, focus: true }.render(
            &mut view,
            area,
            frame.buffer_mut(),
            theme,
        );
        self.view = view;
        if let Some(at) = at.filter(|_| self.find.is_none()) {
            frame.set_cursor_position(at);
        }
    }

    /// Where to, and in which form.
    fn ask(&self, frame: &mut Frame, area: Rect, theme: &Theme) {
        let Some((line, form)) = &self.target else { return };
        let form = match form {
            Form::Chats => "▸ messages: all that was said up to the answer",
            Form::Pairs => "▸ prompt and completion: the question and its answer",
        };
        let title = format!("Export {} marked answers", count(self.shown.len() as u64));
        let words =
            overlay::Words { title: &title, foot: "⏎ export  tab form  esc cancel", ..overlay::Words::default() };
        let inside = overlay::boxed(frame, area, (area.width.saturating_sub(4).min(64), 5), &words, theme);
        let theme = theme.over();
        line.render(frame, Rect { height: 1, ..inside }, theme.text, true);
        if inside.height > 2 {
            let width = usize::from(inside.width);
            frame.buffer_mut().set_stringn(inside.x, inside.y + 2, cut(form, width), width, theme.muted);
        }
    }
}
