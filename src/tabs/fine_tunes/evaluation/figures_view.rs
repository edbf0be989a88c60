//! Draws the figures: how many answers match, each class, and the confusion of classes.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::Style;

use super::dataset::NAMES;
use super::figures::CONFUSED;
use super::open_evaluation::OpenEvaluation;
use crate::component::RenderContext;
use crate::component::money::cost;
use crate::text::Untrusted;
use crate::ui::meter::{self, count};
use crate::ui::overlay::below;
use crate::ui::rule::cut;
use crate::ui::table::{Align, Table, TableCell, TableColumn, TableRow, Width};

/// Rows that say how many answers match.
pub(super) const MATCHES: u16 = 3;

/// Draws how many answers of each model match.
pub(super) fn matches(open: &OpenEvaluation, frame: &mut Frame, area: Rect, context: RenderContext) {
    let theme = context.theme;
    let width = usize::from(area.width).saturating_sub(2);
    let figures = &open.figures;
    let mut y = area.y;
    let mut line = |words: String, style: Style| {
        if y < area.bottom() {
            frame.buffer_mut().set_stringn(area.x + 1, y, cut(&words, width), width, style);
            y += 1;
        }
    };
    for which in [0, 1] {
        let [answered, right, exact] = figures.models[which];
        let share =
            |part: u64| if answered == 0 { "—".to_owned() } else { meter::percent(part as f64 / answered as f64) };
        let name = open.dataset.settings.model(which);
        let byte = if exact == right { String::new() } else { format!(", {} byte-identical", share(exact)) };
        let words =
            format!("{:<6} {:>6} correct ({} of {}{byte})", NAMES[which], share(right), count(right), count(answered));
        line(format!("{words} · {}", name.line()), if which == 0 { theme.text } else { theme.muted });
    }
    let spent = open.meter().map(|meter| format!(" · cost {}", cost(meter.cost))).unwrap_or_default();
    let mut facts = format!("{} better · {} worse than the base{spent}", count(figures.won), count(figures.lost));
    if open.dataset.settings.stop.is_empty() && !open.dataset.settings.chat {
        facts.push_str(" · no common ending: answers that run on count as wrong");
    }
    line(facts, theme.text);
}

/// Draws each class, and where there is room what the biggest were taken for.
pub(super) fn classes(open: &OpenEvaluation, frame: &mut Frame, area: Rect, context: RenderContext) {
    let theme = context.theme;
    let figures = &open.figures;
    let column = |title: &str, width, align| TableColumn { title: title.to_owned(), width, align };
    let narrow = area.width < 60;
    let mut columns = vec![
        column("class", Width::Share { weight: 1, least: 8 }, Align::Left),
        column("rows", Width::Fixed(6), Align::Right),
        column("prec.", Width::Fixed(5), Align::Right),
        column("recall", Width::Fixed(6), Align::Right),
    ];
    if !narrow {
        columns.push(column("base prec.", Width::Fixed(10), Align::Right));
        columns.push(column("base recall", Width::Fixed(11), Align::Right));
    }
    let row = |place: usize| {
        let class = &figures.classes[place];
        let name = Untrusted::from(class.name.as_str());
        let cells = vec![
            TableCell::name(name.line(), Style::default()),
            TableCell::new(count(class.rows), theme.muted),
            meter::ratio(class.precision(0)).into(),
            meter::ratio(class.recall(0)).into(),
            TableCell::new(meter::ratio(class.precision(1)), theme.muted),
            TableCell::new(meter::ratio(class.recall(1)), theme.muted),
        ];
        TableRow { cells, marked: false }
    };
    let most = figures.confusion[0].len();
    let rest = if area.height >= 12 { most as u16 + 3 } else { 0 };
    let len = figures.classes.len();
    let upper = Rect { height: (len as u16 + 1).min(area.height.saturating_sub(rest).max(2)).min(area.height), ..area };
    let table = Table { columns: &columns, sort: None, len, row: &row, focus: true };
    let at = table.render(open.view, upper, frame.buffer_mut(), theme);
    if let Some(at) = at {
        frame.set_cursor_position(at);
    }
    let lower = below(area, upper.height + 1);
    if rest == 0 || lower.height < 3 {
        return;
    }
    confusion(open, frame, lower, context);
}

/// Draws what the biggest classes were taken for: what is wanted in rows, what was said in columns; beside the tuned
/// model's count the base's.
fn confusion(open: &OpenEvaluation, frame: &mut Frame, area: Rect, context: RenderContext) {
    let (theme, figures) = (context.theme, &open.figures);
    let most = figures.confusion[0].len();
    let names: Vec<Untrusted> = figures.classes.iter().take(CONFUSED).map(|class| class.name.as_str().into()).collect();
    let first = 14.min(area.width / 4);
    let each = (area.width.saturating_sub(first + 2) / (most as u16 + 1)).clamp(6, 16);
    let put = |frame: &mut Frame, x: u16, y: u16, words: &str, style: Style| {
        if y < area.bottom() && x + each <= area.right() {
            let width = usize::from(each - 1);
            frame.buffer_mut().set_stringn(x, y, cut(words, width), width, style);
        }
    };
    let head = "expected ↓ answer → tuned/base";
    frame.buffer_mut().set_stringn(area.x + 1, area.y, head, usize::from(area.width.saturating_sub(1)), theme.muted);
    for at in 0..=most {
        let x = area.x + 1 + first + at as u16 * each;
        let name = names.get(at).map_or_else(|| "other".into(), Untrusted::line);
        put(frame, x, area.y + 1, &name, theme.muted);
        for (class, y) in (0..most).zip(area.y + 2..area.bottom()) {
            let (tuned, base) = (figures.confusion[0][class][at], figures.confusion[1][class][at]);
            let style = if class == at {
                theme.good
            } else if tuned > 0 {
                theme.warn
            } else {
                theme.faint
            };
            put(frame, x, y, &format!("{tuned}/{base}"), style);
        }
    }
    for (name, y) in names.iter().zip(area.y + 2..area.bottom()) {
        let width = usize::from(first.saturating_sub(1));
        frame.buffer_mut().set_stringn(area.x + 1, y, cut(&name.line(), width), width, theme.text);
    }
}
