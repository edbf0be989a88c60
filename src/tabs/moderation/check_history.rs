//! The page of all checks of one text, oldest first, and what changed from each to the next.

use std::collections::BTreeSet;
use std::sync::LazyLock;
use std::time::Instant;

use crossterm::event::KeyEvent;
use ratatui::Frame;
use ratatui::layout::Rect;

use super::action::{self, PageEvent, category_keys, on_pages};
use super::category::{self, CategoryKey};
use super::check_results::CheckResults;
use super::language::UNJUDGED;
use super::mask::masked;
use super::model_ref::ModelRef;
use super::page_data::{self, PageData};
use super::result_grid::{ChangeFormat, ColumnLayout, ColumnSummary, ResultGrid};
use super::result_table::{MOVED, ResultColumn, ResultTable, ScoreAndFlag};
use super::wording::{self, model_name};
use crate::component::{Bindings, Component, Cx, Handled, Hint, Motion, RenderContext, Session, bind, bind_all};
use crate::record::TextKey;
use crate::text::Untrusted;
use crate::ui::key_table::ListedKeys;
use crate::ui::theme::Theme;

/// What a key asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Action {
    /// Another category.
    Category(Motion),
    /// By so many checks.
    Check(isize),
    /// By so many pages of checks.
    Page(isize),
    Close,
    /// What the bench does.
    Bench(action::Action),
}

use Action as A;

/// Actions in the footer.
const FOOTER: [A; 4] =
    [A::Bench(action::Action::Run), A::Category(Motion::Up), A::Page(-1), A::Bench(action::Action::Threshold(1))];

/// Keys of the page.
pub(super) static KEYS: LazyLock<Bindings<Action, CheckHistory>> = LazyLock::new(|| {
    let differences = Some("only differences; for a failure the details");
    let mut list = on_pages(A::Bench, ["check it again"; 2], differences, no_row);
    list.extend([
        bind_all([("h left", A::Check(-1)), ("l right", A::Check(1))], "check", "previous, next check")
            .named(&["previous-check", "next-check"])
            .does(&["previous check", "next check"]),
        bind_all([("<", A::Page(-1)), (">", A::Page(1))], "older, newer", "older, newer")
            .named(&["older", "newer"])
            .does(&["older checks", "newer checks"])
            .disabled_when(all_shown),
    ]);
    list.extend(category_keys(A::Category, no_row));
    list.push(bind("esc H", A::Close, "back", "back"));
    Bindings::new("moderate.history", list)
});

fn no_row(page: &CheckHistory) -> Option<&'static str> {
    page.table.rows.is_empty().then_some("nothing is checked yet")
}

fn all_shown(page: &CheckHistory) -> Option<&'static str> {
    (page.table.columns.len() <= page.fit).then_some("all checks are shown")
}

/// The page.
#[derive(Debug)]
pub(super) struct CheckHistory {
    /// The text's letter and name.
    title: String,
    text: (TextKey, Untrusted),
    model: ModelRef,
    table: ResultTable,
    /// How many checks the table is of, and whether only categories show whose columns differ.
    built: Option<(usize, bool)>,
    differences: bool,
    column: usize,
    at: Option<CategoryKey>,
    /// Columns that fit.
    fit: usize,
    data: PageData,
}

impl CheckHistory {
    /// Creates a page of all checks of a text, which is checked again by `model`.
    pub(super) fn new(title: String, text: (TextKey, Untrusted), model: ModelRef) -> Self {
        Self {
            title,
            text,
            model,
            table: ResultTable::default(),
            built: None,
            differences: false,
            column: 0,
            at: None,
            fit: 1,
            data: PageData::default(),
        }
    }

    pub(super) fn text(&self) -> (TextKey, Untrusted) {
        self.text.clone()
    }

    pub(super) fn model(&self) -> &ModelRef {
        &self.model
    }

    /// Returns the category under the cursor.
    pub(super) fn at(&self) -> Option<&CategoryKey> {
        self.at.as_ref()
    }

    /// Takes in checks that came. The cursor goes to the newest.
    pub(super) fn sync(&mut self, results: &CheckResults, data: PageData) {
        self.data = PageData { mask: data.mask && results.is_flagged(&self.text.0), ..data };
        let checks = results.of(&self.text.0);
        let wanted = (checks.len(), self.differences);
        if self.built == Some(wanted) {
            return;
        }
        if self.built.is_none_or(|(count, _)| count != checks.len()) {
            self.column = checks.len().saturating_sub(1);
        }
        self.built = Some(wanted);
        let oldest_first: Vec<_> = checks.iter().rev().cloned().collect();
        self.table = ResultTable::of(&oldest_first, &self.text.1, self.differences);
        if self.at.is_none() {
            self.at = self.table.key(0).cloned();
        }
    }

    /// Shows only categories whose columns differ, or all again.
    pub(super) fn toggle_differences(&mut self) {
        self.differences ^= true;
    }

    fn go(&mut self, by: isize) {
        self.column = self.column.saturating_add_signed(by).min(self.table.columns.len().saturating_sub(1));
    }

    /// Draws the beginning of the text. Returns the rows it took.
    fn render_text(&self, frame: &mut Frame, area: Rect, theme: &Theme) -> u16 {
        let width = usize::from(area.width);
        let text = self.text.1.screen();
        let quoted = wording::quoted(&if self.data.mask { masked(&text) } else { text.into_owned() }, width);
        let rows = (quoted.len() as u16).min(if area.height > 16 { 3 } else { 1 });
        for (line, y) in quoted.iter().zip(area.y..(area.y + rows).min(area.bottom())) {
            let last = y + 1 == area.y + rows && quoted.len() > usize::from(rows);
            let line = if last { format!("{}…", line.trim_end_matches('”')) } else { line.clone() };
            frame.buffer_mut().set_stringn(area.x, y, line, width, theme.text);
        }
        rows
    }
}

impl Component<PageEvent> for CheckHistory {
    fn key(&mut self, key: KeyEvent, _cx: &mut Cx) -> Handled<PageEvent> {
        match KEYS.find(&key) {
            None => return Handled::Ignored,
            Some(A::Close) => return Handled::Emit(PageEvent::Close),
            Some(A::Bench(action)) => return Handled::Emit(PageEvent::Act(action)),
            Some(A::Category(motion)) => self.at = self.table.step(self.at.as_ref(), motion, 0),
            Some(A::Check(by)) => self.go(by),
            Some(A::Page(pages)) => self.go(pages * self.fit as isize),
        }
        Handled::Consumed
    }

    fn hints(&self) -> Vec<Hint> {
        KEYS.footer(&self.data.run.footer_actions(&FOOTER, A::Bench(action::Action::Run)), self)
    }

    fn arrange(&mut self, area: Rect, _session: &Session, _now: Instant) {
        self.fit = ColumnLayout::of(area.width, self.table.columns.len(), 1).fit;
    }

    fn render(&self, frame: &mut Frame, area: Rect, context: RenderContext) {
        let theme = context.theme;
        let title = format!("Text {} over time", self.title);
        let run = self.data.run.words(context);
        let count = self.table.columns.len();
        let right = match (run.as_str(), count) {
            ("", 0) => String::new(),
            ("", 1) => "1 check".to_owned(),
            ("", count) if self.differences => format!("{count} checks · only differences · d all rows"),
            ("", count) => format!("{count} checks"),
            (run, _) => run.to_owned(),
        };
        page_data::title(frame, area, &title, &right, !run.is_empty(), context);
        let spacing = context.session.spacing();
        let inner = spacing.pane(area).content;
        let rows = self.render_text(frame, inner, theme);
        let body = Rect { y: inner.y + rows, height: inner.height.saturating_sub(rows), ..area };
        if count == 0 {
            let words = "Not checked yet. ^R checks it.";
            frame.buffer_mut().set_stringn(inner.x, body.y + 1, words, usize::from(inner.width), theme.muted);
            frame.set_cursor_position((inner.x, body.y + 1));
            return;
        }
        let first = self.column / self.fit * self.fit;
        let shown = &self.table.columns[first..(first + self.fit).min(count)];
        let grid = ResultGrid {
            table: &self.table,
            first,
            ends: shown.iter().filter_map(|column| summary(column, context)).collect(),
            labels: vec!["Change", "Answered by"],
            profile: &self.data.profile,
            column: self.column,
            at: self.at.as_ref(),
            marked: &BTreeSet::new(),
            moved: ChangeFormat::Difference,
            group: 1,
            free: None,
            side: spacing.side(),
        };
        let cursor = if spacing.has_surfaces() {
            let top = u16::from(body.height > 12);
            let body = Rect { y: body.y + top, height: body.height - top, ..body };
            grid.render_cards(frame, body, theme).0
        } else {
            grid.render(frame, body, theme)
        };
        frame.set_cursor_position(cursor);
    }
}

/// Returns what is written above and below the scores of a check.
fn summary(column: &ResultColumn, context: RenderContext) -> Option<ColumnSummary> {
    let theme = context.theme;
    let check = column.check.as_ref()?;
    let before = column.before.as_ref();
    let is_moved = |(cell, old): &(&ScoreAndFlag, &Option<f64>)| {
        cell.0.zip(**old).is_some_and(|(now, old)| (now - old).abs() >= MOVED)
    };
    let moved = before.map_or(0, |_| column.cells.iter().zip(&column.old).filter(is_moved).count());
    let verdict = if check.flagged {
        (format!("⚑ flagged  {}", wording::categories(category::flagged(check))), theme.bad)
    } else if column.unjudged {
        (UNJUDGED.to_owned(), theme.muted)
    } else {
        ("✓ clear".to_owned(), theme.good)
    };
    let change = match before {
        None => ("first check".to_owned(), theme.muted),
        Some(_) if moved == 0 => ("no change".to_owned(), theme.muted),
        Some(_) => (format!("{moved} moved"), theme.accent),
    };
    let renamed = before.is_some_and(|before| before.model != check.model);
    let answered = if check.model.is_empty() { model_name(&check.asked) } else { check.model.line().into_owned() };
    let answered = if renamed { (format!("{answered}, new"), theme.warn) } else { (answered, theme.muted) };
    Some(ColumnSummary {
        name: context.session.zone.date_time(check.at_ms),
        lines: vec![(model_name(&check.asked), theme.muted)],
        verdict,
        feet: vec![change, answered],
        ..ColumnSummary::default()
    })
}

/// Returns its tables of keys, for the list of all keys.
pub(crate) fn listed_keys() -> Vec<ListedKeys> {
    vec![KEYS.listed()]
}
