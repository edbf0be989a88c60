//! One text at several times: every check there is of it, oldest first, and what moved from one to the next.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use crossterm::event::KeyEvent;
use ratatui::Frame;
use ratatui::layout::Rect;

use super::actions::{self, PageEvent, on_pages};
use super::board::Board;
use super::category::Key;
use super::grid::{Columns, Ends, Grid, Moved};
use super::language::UNJUDGED;
use super::results::{Judge, Results};
use super::shared::Shared;
use super::words::model;
use super::{category, words};
use crate::component::{Bindings, RenderContext, bind, bind_all};
use crate::record::{Check, TextKey};
use crate::text::Untrusted;
use crate::ui::rule::Rule;

/// What a key asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Action {
    Left,
    Right,
    PageLeft,
    PageRight,
    Up,
    Down,
    Top,
    Bottom,
    Close,
    /// What the bench does.
    Bench(actions::Action),
}

use Action as A;

/// Actions in the footer.
pub(super) const FOOTER: [A; 4] =
    [A::Bench(actions::Action::Run), A::Up, A::PageLeft, A::Bench(actions::Action::Raise)];

/// Keys of the page.
pub(super) static KEYS: LazyLock<Bindings<Action, Past>> = LazyLock::new(|| {
    let mut list =
        on_pages(A::Bench, ["check it again", "check it again", "only differences; of a failure the details"]);
    list.extend([
        bind_all([("h left", A::Left), ("l right", A::Right)], "check", "check before, after"),
        bind_all([("<", A::PageLeft), (">", A::PageRight)], "older, newer", "older, newer"),
        bind_all([("j down", A::Down), ("k up", A::Up)], "category", "category"),
        bind_all([("home", A::Top), ("G end", A::Bottom)], "first, last", "first, last category"),
        bind("esc H", A::Close, "back", "back"),
    ]);
    Bindings::new(list)
});

/// The page.
#[derive(Debug)]
pub(super) struct Past {
    /// The text's letter and name.
    title: String,
    text: (TextKey, Untrusted),
    judge: Judge,
    board: Board,
    /// How many checks the board is of.
    count: usize,
    /// Whether only categories show whose columns differ.
    differences: bool,
    column: usize,
    at: Option<Key>,
    /// Columns that fit, as of the last frame.
    fit: usize,
}

impl Past {
    /// The checks of a text; it is checked again by `judge`.
    pub(super) fn new(title: String, text: (TextKey, Untrusted), judge: Judge, results: &Results) -> Self {
        let board = Board::default();
        let mut past = Self { title, text, judge, board, count: 0, differences: false, column: 0, at: None, fit: 1 };
        past.sync(results);
        past
    }

    pub(super) fn text(&self) -> (TextKey, Untrusted) {
        self.text.clone()
    }

    pub(super) fn judge(&self) -> &Judge {
        &self.judge
    }

    /// The category under the cursor.
    pub(super) fn at(&self) -> Option<&Key> {
        self.at.as_ref()
    }

    /// Takes in checks that came. The cursor goes to the newest.
    fn sync(&mut self, results: &Results) {
        let checks = results.of(&self.text.0);
        if checks.len() == self.count {
            return;
        }
        self.count = checks.len();
        self.column = self.count.saturating_sub(1);
        self.fill(results);
    }

    fn fill(&mut self, results: &Results) {
        let oldest_first: Vec<_> = results.of(&self.text.0).iter().rev().cloned().collect();
        self.board = Board::of(&oldest_first, &self.text.1, self.differences);
        if self.at.is_none() {
            self.at = self.board.key(0).cloned();
        }
    }

    /// Shows only categories whose columns differ, or all again.
    pub(super) fn toggle(&mut self, results: &Results) {
        self.differences ^= true;
        self.fill(results);
    }

    /// Handles a key. Returns what it asks of the tab.
    pub(super) fn key(&mut self, key: KeyEvent) -> Option<PageEvent> {
        let rows = self.board.rows.len();
        let row = self.board.row(self.at.as_ref());
        let mut go = |row: usize| self.at = self.board.key(row.min(rows.saturating_sub(1))).cloned();
        match KEYS.find(&key)? {
            A::Close => return Some(PageEvent::Close),
            A::Bench(action) => return Some(PageEvent::Act(action)),
            A::Down => go(row + 1),
            A::Up => go(row.saturating_sub(1)),
            A::Top => go(0),
            A::Bottom => go(rows),
            A::Left => self.column = self.column.saturating_sub(1),
            A::Right => self.column = (self.column + 1).min(self.count.saturating_sub(1)),
            A::PageLeft => self.column = self.column.saturating_sub(self.fit),
            A::PageRight => self.column = (self.column + self.fit).min(self.count.saturating_sub(1)),
        }
        None
    }

    /// Draws it. `shown`: the text as it may be shown; `under_way`: what runs, in a few words.
    pub(super) fn render(
        &mut self,
        frame: &mut Frame,
        area: Rect,
        (results, shared): (&Results, &Shared),
        (shown, under_way): (&str, &str),
        context: RenderContext,
    ) {
        self.sync(results);
        let theme = context.theme;
        let title = format!("Text {} at other times", self.title);
        let right = match (under_way, self.count) {
            ("", 0) => "^R checks it · esc back".to_owned(),
            ("", 1) => "1 check · ^R checks it again · esc back".to_owned(),
            ("", count) if self.differences => format!("{count} checks · only differences · d all rows · esc back"),
            ("", count) => format!("{count} checks · ^R checks it again · esc back"),
            (words, _) => format!("{words} · esc back"),
        };
        let style = if under_way.is_empty() { theme.muted } else { theme.busy };
        Rule { title: &title, right: &right, right_style: style, focus: true }.render(
            Rect { height: 1, ..area },
            frame.buffer_mut(),
            theme,
        );
        let quoted = words::quoted(shown, usize::from(area.width.saturating_sub(2)));
        let rows = (quoted.len() as u16).min(if area.height > 16 { 3 } else { 1 });
        for (line, y) in quoted.iter().zip(area.y + 1..(area.y + 1 + rows).min(area.bottom())) {
            let width = usize::from(area.width.saturating_sub(2));
            let last = y == area.y + rows && quoted.len() > usize::from(rows);
            let line = if last { format!("{}…", line.trim_end_matches('”')) } else { line.clone() };
            frame.buffer_mut().set_stringn(area.x + 1, y, line, width, theme.text);
        }
        let body = Rect { y: area.y + 1 + rows, height: area.height.saturating_sub(1 + rows), ..area };
        let columns = Columns::of(body.width, self.count, 1);
        self.fit = columns.fit;
        let first = self.column / columns.fit * columns.fit;
        let shown = (first + columns.fit).min(self.count);
        let ends = self.board.columns[first..shown].iter().filter_map(|column| {
            let check = column.check.as_ref()?;
            let before = column.before.as_ref();
            let moved = before.map_or(0, |_| {
                let cells = column.cells.iter().zip(&column.old);
                cells
                    .filter(|(cell, old)| cell.0.zip(**old).is_some_and(|(now, old)| (now - old).abs() >= 0.005))
                    .count()
            });
            let verdict = if check.flagged {
                (format!("⚑ FLAGGED  {}", words::categories(category::flagged(check))), theme.error)
            } else if column.unjudged {
                (UNJUDGED.to_owned(), theme.muted)
            } else {
                ("✓ clear".to_owned(), theme.ok)
            };
            let told = match before {
                None => ("first check".to_owned(), theme.muted),
                Some(_) if moved == 0 => ("nothing moved".to_owned(), theme.muted),
                Some(_) => (format!("{moved} moved"), theme.accent),
            };
            let renamed = before.is_some_and(|before| before.model != check.model);
            let answered = if check.model.is_empty() { model(&check.asked) } else { check.model.line().into_owned() };
            let answered = if renamed { (format!("{answered}, new"), theme.warn) } else { (answered, theme.muted) };
            Some(Ends {
                name: date(check),
                lines: vec![(model(&check.asked), theme.muted)],
                verdict,
                feet: vec![told, answered],
                ..Ends::default()
            })
        });
        let none = BTreeSet::new();
        let grid = Grid {
            board: &self.board,
            first,
            ends: ends.collect(),
            labels: vec!["Since before", "Answered by"],
            profile: shared.thresholds.profile(),
            column: self.column,
            at: self.at.as_ref(),
            marked: &none,
            moved: Moved::Difference,
            group: 1,
            free: None,
        };
        if self.count == 0 {
            let words = "This text was never checked: ^R checks it.";
            frame.buffer_mut().set_stringn(body.x + 1, body.y + 1, words, usize::from(body.width), theme.muted);
            frame.set_cursor_position((body.x + 1, body.y + 1));
            return;
        }
        let cursor = grid.render(frame, body, theme);
        frame.set_cursor_position(cursor);
    }
}

/// `21 Nov 2026 14:02`, local time.
fn date(check: &Check) -> String {
    let at = jiff::Timestamp::from_millisecond(check.at_ms).unwrap_or_default();
    at.to_zoned(jiff::tz::TimeZone::system()).strftime("%-d %b %Y %H:%M").to_string()
}
