//! What lies over the bench: threshold profiles, the details of a failure, where an export goes.

use crossterm::event::{KeyCode, KeyEvent};
use ratatui::Frame;
use ratatui::layout::Rect;

use super::profiles::{self, Profiles};
use super::state::{Request, State};
use super::words::model;
use crate::api::call::Failure;
use crate::component::{Cx, Hint, Notice};
use crate::record::work::{Export, Form, Work};
use crate::record::{Check, TextRow};
use crate::tabs::generation::details;
use crate::text::Untrusted;
use crate::ui::line::Line;
use crate::ui::overlay;
use crate::ui::theme::Theme;

/// What is open.
#[derive(Debug)]
pub(super) enum Over {
    /// Threshold profiles.
    Profiles(Profiles),
    /// What the server said, and how far it is scrolled.
    Details(Box<Failure>, usize),
    /// The path of an export.
    Export(Line),
}

impl State {
    /// Shows why the column under the cursor, or else any, failed.
    pub(super) fn open_details(&mut self, cx: &mut Cx) {
        match self.failure(cx.session) {
            Some(why) => self.over = Some(Over::Details(Box::new(why.clone()), 0)),
            None => cx.notify(Notice::hint("nothing has failed").about("details")),
        }
    }

    /// Asks where the results of the column's model go.
    pub(super) fn open_export(&mut self, cx: &mut Cx) {
        if self.board.columns.iter().all(|column| column.check.is_none()) {
            return cx.notify(Notice::hint("there are no results to export: ^R checks").about("export"));
        }
        self.over = Some(Over::Export(Line::new("moderation.csv")));
    }

    /// Writes the results of all models that are shown: for each text a row for each of them.
    fn export(&mut self, path: &str, cx: &mut Cx) {
        let form = if path.to_lowercase().ends_with(".json") { Form::Json } else { Form::Csv };
        let judges = self.judges(cx.session);
        let each = self.texts.all().iter().flat_map(|text| judges.iter().map(move |judge| (text, judge)));
        let (rows, checks): (Vec<TextRow>, Vec<Option<Check>>) = each
            .map(|(text, judge)| {
                let check = self.results.last(&text.key, judge).map(|check| Check::clone(check));
                (text.row.clone(), check)
            })
            .unzip();
        let profile = self.shared.thresholds.profile();
        let thresholds: Vec<(Untrusted, f64)> =
            self.board.categories.iter().map(|one| (one.name.clone(), profile.of(&one.key))).collect();
        let what =
            Export::Checks { rows: rows.into(), checks: checks.into(), thresholds: thresholds.into(), source: None };
        let ticket = cx.work(Work::Export { path: path.to_owned(), form, what });
        self.pending.insert(ticket, Request::Export);
    }

    /// A key for what is open.
    pub(super) fn over_key(&mut self, key: KeyEvent, cx: &mut Cx) {
        match &mut self.over {
            None => {}
            Some(Over::Details(_, scroll)) => match key.code {
                KeyCode::Char('j') | KeyCode::Down => *scroll += 1,
                KeyCode::Char('k') | KeyCode::Up => *scroll = scroll.saturating_sub(1),
                KeyCode::Esc | KeyCode::Enter | KeyCode::Char('d' | 'q') => self.over = None,
                _ => {}
            },
            Some(Over::Export(line)) => match key.code {
                KeyCode::Esc => self.over = None,
                KeyCode::Enter => {
                    let path = line.text().trim().to_owned();
                    self.over = None;
                    if !path.is_empty() {
                        self.export(&path, cx);
                    }
                }
                _ => drop(line.key(key)),
            },
            Some(Over::Profiles(list)) => match list.key(key, &mut self.shared.thresholds) {
                profiles::Event::None => {}
                profiles::Event::Changed => self.share(cx),
                profiles::Event::Close => self.over = None,
                profiles::Event::Said(why) => cx.notify(Notice::hint(why).about("thresholds")),
                profiles::Event::Export(path) => {
                    let text = self.shared.thresholds.export().into();
                    let ticket = cx.work(Work::Save { path, text });
                    self.pending.insert(ticket, Request::Export);
                }
                profiles::Event::Import(path) => {
                    let ticket = cx.work(Work::Read { path });
                    self.pending.insert(ticket, Request::Import);
                }
            },
        }
    }

    /// Pasted text for what is open.
    pub(super) fn over_paste(&mut self, text: &str) {
        match &mut self.over {
            Some(Over::Export(line)) => line.paste(text),
            Some(Over::Profiles(list)) => list.paste(text),
            Some(Over::Details(..)) | None => {}
        }
    }

    /// Keys for the footer.
    pub(super) fn over_hints(&self) -> Vec<Hint> {
        match &self.over {
            Some(Over::Profiles(list)) => list.hints(),
            _ => Vec::new(),
        }
    }

    /// Draws what is open, if anything is.
    pub(super) fn render_over(
        &mut self,
        frame: &mut Frame,
        area: Rect,
        session: &crate::component::Session,
        theme: &Theme,
    ) {
        let theme = &theme.over();
        let of = self.place(session).map(|(_, judge)| model(&judge.1)).unwrap_or_default();
        let count = self.texts.len();
        match &mut self.over {
            None => {}
            Some(Over::Details(why, scroll)) => details::render(frame, area, Some(why), scroll, theme),
            Some(Over::Profiles(list)) => list.render(frame, area, &self.shared.thresholds, theme),
            Some(Over::Export(line)) => {
                let title = format!("Export {count} texts by {of}");
                let foot = "⏎ write (.csv or .json)  esc back";
                let inside = overlay::frame(frame, area, overlay::WIDEST, 3, &title, foot, theme);
                let place = Rect { x: inside.x + 1, width: inside.width.saturating_sub(2), height: 1, ..inside };
                line.render(frame, place, theme.text, true);
            }
        }
    }
}
