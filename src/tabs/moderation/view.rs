//! Draws the tab: which page, the title, the tab without texts; and fits its parts to the screen.

use std::time::Instant;

use ratatui::Frame;
use ratatui::layout::Rect;

use super::action::Action;
use super::agreement::ModelAgreement;
use super::bench_actions::EXAMPLES;
use super::keys::{KEYS, OVERRIDES};
use super::language::{ENGLISH, is_local};
use super::single_column;
use super::state::{Moderate, Page};
use super::styled_text::StyledText;
use crate::component::{Component, Hint, RenderContext, Session, draw_lines};
use crate::ui::empty_state::EmptyState;
use crate::ui::overlay::below;
use crate::ui::pane::{Pane, Spacing, Surface};

/// What is known before a key.
impl Moderate {
    /// Fits all parts to the area and to what has come.
    pub(super) fn fit(&mut self, area: Rect, session: &Session, now: Instant) {
        self.results.see_failures();
        self.modals.arrange(area, session, now);
        self.file.arrange(area, session, now);
        self.bench.resize(area.width, area.height);
        let models = self.models(session);
        self.bench.sync(&self.texts, &self.results, &self.file.shared, &models);
        self.bench.show_columns(area.width, models.len());
        let spacing = session.spacing();
        let head = if self.bench.shows_one() { single_column::head(area, spacing) } else { spacing.head(area.height) };
        let body = below(area, head + self.notes(area, spacing).len() as u16);
        let focus = !self.modals.is_open();
        if let Some(editor) = &mut self.text_editor {
            editor.focus = focus;
            editor.arrange(editor.place(body), session, now);
        }
        self.fit_page(area, session, now);
    }

    fn fit_page(&mut self, area: Rect, session: &Session, now: Instant) {
        let data = self.page_data();
        let place = self.page_area(area, session, now);
        match &mut self.page {
            Page::Bench | Page::File => {}
            Page::History(page) => {
                page.sync(&self.results, data);
                page.arrange(place, session, now);
            }
            Page::Sentences(page) => {
                page.sync(&self.results, data);
                page.arrange(place, session, now);
            }
            Page::Conversation => {
                let model = self.models(session).into_iter().next().unwrap_or_default();
                let mut page = std::mem::take(&mut self.conversation);
                page.arrange(place, session, now);
                page.sync(&self.results, &model, |key| self.awaits(key, &model), data);
                self.conversation = page;
            }
        }
    }

    /// Returns the lines below the table's title.
    pub(super) fn notes(&self, area: Rect, spacing: Spacing) -> Vec<String> {
        if self.bench.shows_one() {
            return Vec::new();
        }
        let agreement = ModelAgreement::in_table(&self.bench.table);
        let mut notes: Vec<String> =
            agreement.iter().map(|agreement| format!(" {}", agreement.sentence(usize::from(area.width)))).collect();
        // With surfaces this stands behind the title.
        let has_room = usize::from(area.height) > 17 + notes.len();
        if has_room && !spacing.has_surfaces() && self.has_local_results() {
            notes.push(format!(" {ENGLISH}"));
        }
        notes
    }

    /// Returns whether the local classifier has checked a text of the table.
    fn has_local_results(&self) -> bool {
        self.bench.table.columns.iter().any(|column| column.check.is_some() && is_local(&column.model))
    }
}

impl Moderate {
    /// Draws everything.
    pub(super) fn render_tab(&self, frame: &mut Frame, area: Rect, context: RenderContext) {
        if area.height < 4 || area.width < 10 {
            return;
        }
        match &self.page {
            Page::File => self.file.render(frame, area, context),
            Page::History(page) => self.render_page(page.as_ref(), frame, area, context),
            Page::Sentences(page) => self.render_page(page.as_ref(), frame, area, context),
            Page::Conversation => self.render_page(&self.conversation, frame, area, context),
            Page::Bench if self.texts.len() == 0 => self.render_empty(frame, area, context),
            Page::Bench if self.bench.shows_one() => single_column::render(frame, area, self, context),
            Page::Bench => self.render_table(frame, area, context),
        }
        self.modals.render(frame, area, context);
    }

    /// Draws a page, and what went wrong below it.
    fn render_page<E>(&self, page: &impl Component<E>, frame: &mut Frame, area: Rect, context: RenderContext) {
        let place = self.page_area(area, context.session, context.now);
        draw_lines(frame.buffer_mut(), below(area, place.height), &self.problem(context, area.width), context.theme);
        page.render(frame, place, context);
    }

    /// Returns `saving…` or why nothing is saved; `None`: all is on disk.
    fn saving(&self, context: RenderContext) -> Option<StyledText> {
        match self.saves.refusal().or(context.session.unsaved.as_ref()) {
            Some(why) => Some((format!("✕ not saved: {}", why.line()), context.theme.bad)),
            None => self.is_saving().then(|| ("saving…".to_owned(), context.theme.muted)),
        }
    }

    /// Draws the title; `keys`: what is at its right while nothing else has to.
    pub(super) fn render_title(&self, frame: &mut Frame, area: Rect, title: &str, keys: &str, context: RenderContext) {
        let theme = context.theme;
        let writing = self.text_editor.is_some();
        let (right, right_style) = match self.saving(context) {
            Some((words, style)) if style == theme.bad => (words, style),
            _ if self.checks.is_busy() => (self.checks.status().words(context), theme.busy),
            Some((words, style)) if writing => (words, style),
            None if writing => ("saved ✓".to_owned(), theme.muted),
            // An unfinished file comes first.
            _ => match self.file.unfinished() {
                Some(file) if !keys.is_empty() => (format!("{file} · f · {keys}"), theme.muted),
                _ => (keys.to_owned(), theme.muted),
            },
        };
        let spacing = context.session.spacing();
        let surfaces = spacing.has_surfaces();
        let right = if surfaces { right.replace(" · ", "   ") } else { right };
        let right_style = if surfaces && right_style == theme.muted { theme.faint } else { right_style };
        let focus = !self.modals.is_open();
        // With surfaces what holds for all texts stands behind the title, and the focus is on one of them.
        let bench = surfaces && matches!(self.page, Page::Bench) && self.texts.len() > 0 && !self.bench.shows_one();
        let note = if bench && self.has_local_results() { format!(" {ENGLISH}") } else { String::new() };
        let focus = focus && !(bench && self.text_editor.is_none());
        let pane = Pane { title, note: &note, right: &right, right_style, focus, surface: Surface::Ground };
        pane.render(area, frame.buffer_mut(), theme, spacing);
    }

    /// Draws the text that is written. Returns the rows it takes.
    pub(super) fn render_writing(&self, frame: &mut Frame, body: Rect, context: RenderContext) -> Option<u16> {
        let editor = self.text_editor.as_ref()?;
        editor.render(frame, editor.place(body), context);
        Some(editor.rows())
    }

    /// Draws what the tab is for, examples to load and keys to begin with: there are no texts yet.
    fn render_empty(&self, frame: &mut Frame, area: Rect, context: RenderContext) {
        self.render_title(frame, area, "Texts", "", context);
        let unfinished = self.file.unfinished().map(|file| format!("continue {file}"));
        // The local service, which costs nothing, checks them at once.
        let sample = if context.session.local { "check the sample texts" } else { "load the sample texts" };
        let keys = [
            OVERRIDES.hint(Action::Examples, sample),
            KEYS.hint(Action::Add, "write your own"),
            KEYS.hint(Action::File, unfinished.as_deref().unwrap_or("open a file of texts")),
        ];
        let samples = EXAMPLES.map(|(_, text)| format!("“{text}”"));
        let empty = EmptyState {
            purpose: "Check texts for harmful content, category by category.",
            samples: &samples.each_ref().map(String::as_str),
            chosen: None,
            keys: &keys.each_ref().map(Hint::as_pair),
        };
        let place = context.session.spacing().pane(area).content;
        let purpose = empty.render(place, frame.buffer_mut(), context.theme);
        frame.set_cursor_position(purpose.as_position());
    }
}
