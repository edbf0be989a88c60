//! Draws one text of the file: all of it, every category with its bar, its label, the model that was asked and when.

use std::sync::LazyLock;

use ratatui::Frame;
use ratatui::layout::{Position, Rect};
use ratatui::style::Style;

use super::super::language::{UNJUDGED, is_unjudged};
use super::super::mask::masked;
use super::super::page_data::{head, quiet_style};
use super::super::shared_settings::SharedSettings;
use super::open_file::OpenTextFile;
use super::parts::beginning;
use crate::component::{Bindings, Motion, RenderContext, Session, bind, bind_all, motions};
use crate::ui::bar::Bar;
use crate::ui::key_table::ListedKeys;
use crate::ui::meter::count;
use crate::ui::rule::{cut, cut_middle};
use crate::ui::time::Zone;
use crate::ui::wrap;

/// Columns of a category's name.
const NAME: u16 = 24;
/// Bytes of a text that are shown.
const MOST: usize = 64 << 10;

/// What a key asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Action {
    Close,
    /// Show the row before, or the next one.
    Before,
    After,
    Blur,
    Copy,
    Bench,
    Scroll(Motion),
}

use Action as A;

/// Actions in the footer.
pub(super) const FOOTER: [A; 5] = [A::Before, A::Scroll(Motion::Down), A::Copy, A::Bench, A::Blur];

/// Keys of the page.
pub(super) static KEYS: LazyLock<Bindings<Action, RowDetail>> = LazyLock::new(|| {
    let mut list = vec![
        bind_all([("< N left", A::Before), ("> n right", A::After)], "row", "previous, next row")
            .named(&["previous-row", "next-row"])
            .does(&["previous row", "next row"]),
        bind("o", A::Bench, "add to texts", "add the text to the texts side by side").named(&["add-to-texts"]),
        bind("B", A::Blur, "blur", "blur flagged texts, or show them"),
        bind("y", A::Copy, "copy", "copy the text"),
        bind("esc enter", A::Close, "all rows", "all rows"),
    ];
    list.extend(motions(A::Scroll, "scroll"));
    Bindings::new("moderate.file-row", list)
});

/// The row looked at, and how far it is scrolled.
#[derive(Debug)]
pub(super) struct RowDetail {
    row: usize,
    top: usize,
    /// Lines that show, and lines there are.
    page: usize,
    lines: usize,
    /// The text wrapped for a width, blurred or not.
    wrapped: Option<(usize, bool, Vec<String>)>,
}

impl RowDetail {
    pub(super) fn new(row: usize) -> Self {
        Self { row, top: 0, page: 1, lines: 0, wrapped: None }
    }

    pub(super) fn row(&self) -> usize {
        self.row
    }

    /// Scrolls the text.
    pub(super) fn scroll(&mut self, motion: Motion) {
        let most = self.lines.saturating_sub(self.page);
        self.top = self.top.saturating_add_signed(motion.rows(self.page)).min(most);
    }

    /// Wraps the text for the area and keeps the scroll position within what there is.
    pub(super) fn arrange(&mut self, area: Rect, open: &OpenTextFile, shared: &SharedSettings, session: &Session) {
        let area = session.spacing().pane(area).content;
        let (zone, width) = (session.zone, usize::from(area.width));
        let check = open.dataset.check(self.row);
        self.wrap(open, width, shared.view.mask_flagged && check.is_some_and(|check| check.flagged));
        let text = self.wrapped.as_ref().map_or(0, |(.., text)| text.len());
        let facts: usize = facts(open, self.row, zone).iter().map(|fact| wrap::lines(fact, width.max(8)).len()).sum();
        let categories = if check.is_some() { open.dataset.results.categories().len() } else { 1 };
        self.lines = text + facts + 2 + categories;
        self.page = usize::from(area.height);
        self.top = self.top.min(self.lines.saturating_sub(self.page));
    }

    pub(super) fn render(&self, frame: &mut Frame, area: Rect, open: &OpenTextFile, context: RenderContext) {
        let (theme, zone) = (context.theme, context.session.zone);
        let check = open.dataset.check(self.row);
        let title = format!("Row {} of {}", count(self.row as u64 + 1), open.dataset.list.name.line());
        let right =
            format!("{} of {}", count(open.rows.view.cursor.selected as u64 + 1), count(open.rows.order.len() as u64));
        head(frame, area, (&title, &right), quiet_style(context), context);
        let area = context.session.spacing().pane(area).content;
        let width = usize::from(area.width);
        if area.is_empty() {
            return;
        }
        let mut lines: Vec<(String, Style)> = Vec::new();
        if let Some((.., text)) = &self.wrapped {
            lines.extend(text.iter().map(|line| (line.clone(), theme.text)));
        }
        lines.push((String::new(), theme.text));
        for fact in facts(open, self.row, zone) {
            let fact = wrap::lines(&fact, width.max(8)).into_iter();
            lines.extend(fact.map(|line| (line.to_owned(), theme.muted)));
        }
        lines.push((String::new(), theme.text));
        let order = ranked(open, self.row);
        let head = lines.len();
        for (at, y) in (self.top..self.lines).zip(area.y..area.bottom()) {
            let row = Rect { y, height: 1, ..area };
            if let Some((line, style)) = lines.get(at) {
                frame.buffer_mut().set_stringn(row.x, y, line, usize::from(row.width), *style);
            } else if check.is_some() {
                category(frame, row, open, self.row, order[at - head], context);
            } else {
                let words = cut("Not checked yet.", usize::from(row.width));
                frame.buffer_mut().set_string(row.x, y, words, theme.muted);
            }
        }
        frame.set_cursor_position(Position::new(area.x, area.y));
    }

    fn wrap(&mut self, open: &OpenTextFile, width: usize, blur: bool) {
        if self.wrapped.as_ref().is_some_and(|(own, blurred, _)| (*own, *blurred) == (width, blur)) {
            return;
        }
        let text = beginning(&open.dataset.rows[self.row].text, MOST);
        let text = text.screen();
        let text = if blur { masked(&text) } else { text.into_owned() };
        let mut lines: Vec<String> =
            text.lines().flat_map(|line| wrap::lines(line, width.max(1)).into_iter().map(str::to_owned)).collect();
        if open.dataset.rows[self.row].text.len() > MOST {
            lines.push("… only its beginning is shown; y copies all of it".to_owned());
        }
        self.wrapped = Some((width, blur, lines));
    }
}

/// Returns label, model, date and time of the check; and which rows have the same text.
fn facts(open: &OpenTextFile, row: usize, zone: Zone) -> Vec<String> {
    let mut lines = Vec::new();
    let (dataset, mut parts) = (&open.dataset, Vec::new());
    if let Some(label) = &dataset.rows[row].label {
        parts.push(format!("label {}", label.line()));
    }
    let rows = dataset.texts().get(dataset.text_of(row) as usize).map_or(1, |text| text.rows);
    if rows > 1 {
        parts.push(format!("{} rows have this text; it is sent once", count(rows.into())));
    }
    if !parts.is_empty() {
        lines.push(parts.join(" · "));
    }
    if let Some(check) = dataset.check(row) {
        let mut parts = Vec::new();
        let verdict = match check.flagged {
            true => "⚑ flagged",
            false if is_unjudged(check, &dataset.rows[row].text) => UNJUDGED,
            false => "✓ clear",
        };
        parts.push(verdict.to_owned());
        let model = if check.model.is_empty() { &check.asked } else { &check.model };
        if !model.is_empty() {
            parts.push(model.line().into_owned());
        }
        parts.push(zone.date_time(check.at_ms));
        parts.push(format!("{} ms", count(check.latency_ms.into())));
        lines.push(parts.join(" · "));
    }
    lines
}

/// Returns the places of all categories: flagged ones first, then by score.
fn ranked(open: &OpenTextFile, row: usize) -> Vec<usize> {
    let (results, text) = (&open.dataset.results, open.dataset.text_of(row));
    let rank = |place: usize| {
        let (score, flagged) = results.cell(text, place);
        (flagged, score.unwrap_or(-1.0))
    };
    let mut order: Vec<usize> = (0..results.categories().len()).collect();
    order.sort_by(|a, b| {
        let ((a, low), (b, high)) = (rank(*a), rank(*b));
        b.cmp(&a).then(high.total_cmp(&low))
    });
    order
}

/// Draws a category with its bar.
fn category(frame: &mut Frame, area: Rect, open: &OpenTextFile, row: usize, place: usize, context: RenderContext) {
    let results = &open.dataset.results;
    let Some(category) = results.categories().get(place) else { return };
    let (score, flagged) = results.cell(open.dataset.text_of(row), place);
    let name = NAME.min(area.width / 2);
    let words = cut_middle(&category.name.line(), usize::from(name.saturating_sub(1)));
    frame.buffer_mut().set_string(area.x, area.y, words, context.theme.text);
    let bar = Rect { x: area.x + name, width: (area.width - name).min(47), ..area };
    Bar { score, threshold: Some(results.threshold(place)), flagged }.render(bar, frame.buffer_mut(), context.theme);
}

/// Returns its tables of keys, for the list of all keys.
pub(crate) fn listed_keys() -> Vec<ListedKeys> {
    vec![KEYS.listed()]
}
