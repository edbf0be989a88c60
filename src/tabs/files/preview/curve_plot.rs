//! A table's columns of numbers as curves over its rows.
//!
//! A column named `step` is what they stand over; without one it is the row's number. What is held whole is read at
//! once; of a larger local file the work threads read all of it.

use std::cell::RefCell;
use std::sync::LazyLock;

use crossterm::event::KeyEvent;
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use super::draw_text::{block, put};
use super::row_window::RowWindow;
use super::table_columns::{TableColumns, number};
use crate::api::call::Ticket;
use crate::component::{Bindings, Cx, Handled, Hint, bind, bind_all};
use crate::record::work::{Done, Work};
use crate::text::Untrusted;
use crate::ui::chart::{self, Chart, LOOKS, Series, View};
use crate::ui::key_table::ListedKeys;
use crate::ui::list::Cursor;
use crate::ui::meter::count;
use crate::ui::rule::cut;
use crate::ui::theme::Theme;

/// Rows that are read of what is held.
const ROWS: usize = 50_000;
/// Columns that are read.
const COLUMNS: usize = 60;
/// Columns of a legend's name.
const NAME: usize = 36;
/// Weight of what was before in the smoothed curve.
const SMOOTH: f64 = 0.6;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Action {
    Left,
    Right,
    First,
    Last,
    In,
    Out,
    All,
    Down,
    Up,
    Show,
    Log,
    Smooth,
    Close,
}

/// The actions in the footer.
const FOOTER: [Action; 8] =
    [Action::Left, Action::Down, Action::Show, Action::In, Action::All, Action::Log, Action::Smooth, Action::Close];

/// Keys of the curves.
static KEYS: LazyLock<Bindings<Action, ()>> = LazyLock::new(|| {
    use Action as A;
    Bindings::new(
        "files.preview-curves",
        vec![
            bind_all([("left", A::Left), ("right", A::Right)], "values", "")
                .does(&["previous value", "next value"])
                .shown("←→"),
            bind_all([("j down", A::Down), ("k up", A::Up)], "column", "").does(&["next column", "previous column"]),
            bind("space", A::Show, "show/hide", ""),
            bind_all([("+", A::In), ("-", A::Out)], "zoom", "")
                .named(&["zoom-in", "zoom-out"])
                .does(&["zoom in", "zoom out"]),
            bind("0", A::All, "all", ""),
            bind("l", A::Log, "log", ""),
            bind("s", A::Smooth, "smooth", ""),
            bind("v", A::Close, "table", ""),
            bind_all([("home", A::First), ("end", A::Last)], "", "").does(&["first value", "last value"]),
        ],
    )
});

/// A column of numbers.
#[derive(Clone, Debug, PartialEq)]
struct ColumnCurve {
    name: Untrusted,
    points: Vec<(f64, f64)>,
    shown: bool,
}

/// The curves.
#[derive(Debug)]
pub(super) struct CurvePlot {
    ticket: Option<Ticket>,
    curves: Vec<ColumnCurve>,
    list: Cursor,
    view: RefCell<View>,
    version: u64,
    log: bool,
    smooth: bool,
    /// What is to be known of them.
    notes: Vec<Untrusted>,
    failed: Option<Untrusted>,
}

impl CurvePlot {
    fn new() -> Self {
        Self {
            ticket: None,
            curves: Vec::new(),
            list: Cursor::default(),
            view: RefCell::default(),
            version: 0,
            log: false,
            smooth: false,
            notes: Vec::new(),
            failed: None,
        }
    }

    /// Plots a local file: what is loaded if that is all of it, else what the work threads read.
    pub(super) fn local(path: &str, window: &RowWindow, sheet: &TableColumns, cx: &mut Cx) -> Self {
        if window.at().byte == 0 && window.at_end() {
            return Self::window(window, sheet);
        }
        Self { ticket: Some(cx.work(Work::Curves { path: path.to_owned() })), ..Self::new() }
    }

    /// Plots what is loaded.
    pub(super) fn window(window: &RowWindow, sheet: &TableColumns) -> Self {
        let mut plot = Self::new();
        let first = usize::from(sheet.header.is_some() && window.at().byte == 0);
        // A row whose end is not loaded yet is not plotted.
        let whole = |at: &usize| window.row(*at).is_some_and(|row| !row.open);
        let rows: Vec<Vec<Untrusted>> = (first..window.len().min(first + ROWS))
            .filter(whole)
            .filter_map(|at| window.row(at))
            .map(|row| sheet.cells(&row))
            .collect();
        let names: Vec<String> = sheet.columns().into_iter().take(COLUMNS).map(|column| column.title).collect();
        let step = names.iter().position(|name| name.trim().eq_ignore_ascii_case("step"));
        for (at, name) in names.iter().enumerate().filter(|(at, _)| Some(*at) != step) {
            let points = column(&rows, at, step);
            let numbers = points.iter().filter(|point| !point.1.is_nan()).count();
            if numbers > 0 && numbers * 2 >= points.len() {
                plot.curves.push(ColumnCurve { name: name.clone().into(), points, shown: false });
            }
        }
        if !(window.at().byte == 0 && window.at_end() && rows.len() < ROWS) {
            plot.notes.push(format!("of the {} rows loaded", count(rows.len() as u64)).into());
        }
        if step.is_none() {
            plot.notes.push("no column named step: plotted by row number".into());
        }
        plot.choose();
        plot
    }

    /// Chooses what is shown first: losses, else accuracies, else the first column. Other columns mostly have another
    /// scale.
    fn choose(&mut self) {
        let named = |curve: &ColumnCurve, word: &str| curve.name.line().to_lowercase().contains(word);
        let word = ["loss", "acc"].into_iter().find(|word| self.curves.iter().any(|curve| named(curve, word)));
        let mut left = LOOKS;
        for (at, curve) in self.curves.iter_mut().enumerate() {
            curve.shown = left > 0 && word.map_or(at == 0, |word| named(curve, word));
            left -= usize::from(curve.shown);
        }
        self.version += 1;
    }

    /// Returns whether it asked for this work.
    pub(super) fn owns(&self, ticket: Ticket) -> bool {
        self.ticket == Some(ticket)
    }

    /// Returns whether it waits for the work threads.
    pub(super) fn waits(&self) -> bool {
        self.ticket.is_some()
    }

    /// Stops what is on its way.
    pub(super) fn close(&mut self, cx: &mut Cx) {
        if let Some(ticket) = self.ticket.take() {
            cx.cancel(ticket);
        }
    }

    /// Takes a result of the work threads. Returns whether it was for the curves.
    pub(super) fn handle_worked(&mut self, ticket: Ticket, done: Done, _cx: &mut Cx) -> bool {
        if self.ticket != Some(ticket) {
            return false;
        }
        match done {
            Done::Curves(read) => {
                self.ticket = None;
                let curve = |curve: crate::record::curves::Curve| ColumnCurve {
                    name: curve.name,
                    points: curve.points,
                    shown: false,
                };
                self.curves = read.curves.into_iter().map(curve).collect();
                self.notes = read.notes;
                self.choose();
            }
            Done::Failed(why) => {
                self.ticket = None;
                self.failed = Some(why);
            }
            _ => {}
        }
        true
    }

    /// Returns its keys, most important first.
    pub(super) fn hints() -> Vec<Hint> {
        KEYS.footer(&FOOTER, &())
    }

    /// Handles a key; emits when the table is to be shown again.
    pub(super) fn key(&mut self, key: KeyEvent) -> Handled<()> {
        let Some(action) = KEYS.find(&key) else { return Handled::Ignored };
        if action == Action::Close {
            return Handled::Emit(());
        }
        match action {
            Action::Down => self.step(1),
            Action::Up => self.step(-1),
            Action::Show => self.show(),
            Action::Log => {
                self.log = !self.log;
                self.version += 1;
            }
            Action::Smooth => {
                self.smooth = !self.smooth;
                self.version += 1;
            }
            Action::All => self.view.get_mut().reset(),
            other => {
                let view = &mut self.view.borrow_mut();
                self.chart(|chart| match other {
                    Action::Left => chart.go(view, -1),
                    Action::Right => chart.go(view, 1),
                    Action::First => chart.edge(view, false),
                    Action::Last => chart.edge(view, true),
                    Action::In => chart.zoom(view, 1),
                    _ => chart.zoom(view, -1),
                });
            }
        }
        Handled::Consumed
    }

    /// Moves the cursor in the list of columns.
    pub(super) fn step(&mut self, rows: isize) {
        self.list.move_by(rows, self.curves.len());
    }

    /// Shows the column under the cursor, or hides it; of more than there are looks the first one goes.
    fn show(&mut self) {
        let at = self.list.selected;
        let Some(shown) = self.curves.get(at).map(|curve| !curve.shown) else { return };
        if shown
            && self.curves.iter().filter(|curve| curve.shown).count() >= LOOKS
            && let Some(first) = self.curves.iter_mut().find(|curve| curve.shown)
        {
            first.shown = false;
        }
        self.curves[at].shown = shown;
        self.version += 1;
    }

    fn letter(at: usize) -> char {
        char::from(b'A' + (at % 26) as u8)
    }

    /// Returns the curves that show, as they are drawn.
    fn chart<T>(&self, act: impl FnOnce(&Chart) -> T) -> T {
        let shown = self.curves.iter().enumerate().filter(|(_, curve)| curve.shown).zip(0..);
        let series = shown.map(|((at, curve), look)| Series {
            letter: Some(Self::letter(at)),
            look,
            points: &curve.points,
            confirmed: curve.points.len(),
        });
        let series: Vec<Series> = series.collect();
        let smoothing = if self.smooth { SMOOTH } else { 0.0 };
        act(&Chart { series: &series, version: self.version, log: self.log, smoothing, braille: true })
    }

    /// Fits the curves and their list to an area.
    pub(super) fn arrange(&mut self, area: Rect) {
        let (place, legend, _) = self.parts(area);
        let view = &mut self.view.borrow_mut();
        self.chart(|chart| chart.fit(view, place));
        self.list.window(usize::from(legend.height), self.curves.len());
    }

    /// Returns where the curves are, their list, and the row of what is said of them.
    fn parts(&self, area: Rect) -> (Rect, Rect, u16) {
        let below = u16::from(!self.said().is_empty());
        let rows = (self.curves.len() as u16).min(LOOKS as u16).min((area.height / 3).max(1));
        let height = area.height.saturating_sub(rows + below);
        (Rect { height, ..area }, Rect { y: area.y + height, height: rows, ..area }, area.height - below)
    }

    pub(super) fn render(&self, area: Rect, buf: &mut Buffer, theme: &Theme) -> Option<Position> {
        if self.ticket.is_some() {
            put(buf, area, 1, 1, "reading all of the file …", theme.busy);
            return None;
        }
        if let Some(why) = &self.failed {
            block(&format!("✕ {}", why.line()), Some("v table"), theme.bad, area, buf, theme);
            return None;
        }
        if self.curves.is_empty() {
            put(buf, area, 1, 1, "No column contains numbers.", theme.muted);
            put(buf, area, 1, 2, "v table", theme.muted);
            return None;
        }
        let notes = self.said();
        let (place, legend, last) = self.parts(area);
        let cursor = self.chart(|chart| chart.render(&mut self.view.borrow_mut(), place, buf, theme));
        self.legend(legend, buf, theme);
        put(buf, area, 1, last, &cut(&notes, usize::from(area.width.saturating_sub(2))), theme.warn);
        cursor
    }

    /// Returns what is to be known.
    fn said(&self) -> String {
        let left = self.view.borrow().left_out();
        let mut said: Vec<String> = self.notes.iter().map(|note| note.line().into_owned()).collect();
        for (number, what) in
            [(left.nan, "no numbers"), (left.infinite, "infinite"), (left.not_positive, "not above 0")]
        {
            if number > 0 {
                said.push(format!("{} values are {what}", count(number)));
            }
        }
        said.join(" · ")
    }

    fn legend(&self, area: Rect, buf: &mut Buffer, theme: &Theme) {
        let mut list = self.list;
        let shown = list.window(usize::from(area.height), self.curves.len());
        let values = self.chart(|chart| chart.at_cursor(&self.view.borrow()));
        let mut look = self.curves[..shown.start].iter().filter(|curve| curve.shown).count();
        let widest = self.curves.iter().map(|curve| crate::ui::wrap::width(&curve.name.line())).max().unwrap_or(0);
        let name = widest.min(NAME).min(usize::from(area.width.saturating_sub(24)).max(8)) as u16;
        for (at, y) in shown.zip(0..) {
            let curve = &self.curves[at];
            let style = if curve.shown { theme.series[look % LOOKS] } else { theme.muted };
            let value = if curve.shown { values.get(look).copied().flatten() } else { None };
            look += usize::from(curve.shown);
            let chosen = at == self.list.selected;
            put(buf, area, 0, y, if chosen { "▌" } else { " " }, theme.accent);
            let mark =
                if curve.shown { format!("▣ {}", Self::letter(at)) } else { format!("  {}", Self::letter(at)) };
            put(buf, area, 1, y, &mark, style);
            put(
                buf,
                area,
                5,
                y,
                &cut(&curve.name.line(), usize::from(name)),
                if curve.shown { theme.text } else { theme.muted },
            );
            let (words, value) = match (value, curve.points.last()) {
                (Some((step, value)), _) => (format!("at {}", chart::exact(step)), value),
                (None, Some((_, value))) => ("last".to_owned(), *value),
                (None, None) => (String::new(), f64::NAN),
            };
            let value = if value.is_nan() { "—".to_owned() } else { chart::exact(value) };
            put(buf, area, 5 + name + 2, y, &format!("{value}  {words}"), theme.muted);
        }
    }
}

/// Returns a column's points over the steps.
fn column(rows: &[Vec<Untrusted>], at: usize, step: Option<usize>) -> Vec<(f64, f64)> {
    let mut points = Vec::new();
    for (row, index) in rows.iter().zip(1_u32..) {
        let over = match step {
            None => Some(f64::from(index)),
            Some(step) => row.get(step).and_then(number).filter(|step| step.is_finite()),
        };
        if let (Some(over), Some(cell)) = (over, row.get(at).filter(|cell| !cell.is_empty())) {
            points.push((over, number(cell).unwrap_or(f64::NAN)));
        }
    }
    points.sort_by(|one, other| one.0.total_cmp(&other.0));
    points
}

/// Returns its tables of keys, for the list of all keys.
pub(crate) fn listed_keys() -> Vec<ListedKeys> {
    vec![KEYS.listed()]
}
