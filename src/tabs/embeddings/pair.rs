//! Two texts: what their vectors say of them, and both in full.

pub(super) mod keys;

use std::rc::Rc;
use std::time::Instant;

use crossterm::event::KeyEvent;
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};

use self::keys::{Action, FOOTER, KEYS};
use super::pane::{PaneEvent, framed};
use super::pane_data::{Page, PaneData, VectorStatus};
use super::vector_set::fault;
use crate::component::{Component, Cx, Handled, Hint, RenderContext, Session};
use crate::ui::meter;
use crate::ui::pane::{Pane, Surface};
use crate::ui::rule::cut;
use crate::ui::theme::{Depth, Kind, Theme};
use crate::ui::wrap;
use crate::vectors::{Between, between};

/// The page of a pair.
#[derive(Debug, Default)]
pub(super) struct PairPane {
    data: Rc<PaneData>,
    /// The first line that shows.
    scroll: usize,
}

impl PairPane {
    /// Shows the beginning.
    pub(super) fn reset(&mut self) {
        self.scroll = 0;
    }

    fn act(&mut self, action: Action) -> Handled<PaneEvent> {
        let rows = self.data.texts.len();
        let (row, column) = self.data.cursor;
        match action {
            Action::Scroll(lines) => self.scroll = self.scroll.saturating_add_signed(lines),
            Action::Swap => return Handled::Emit(PaneEvent::Select(column, row)),
            Action::Other(_) if rows == 0 => return Handled::Ignored,
            Action::Other(true) => return Handled::Emit(PaneEvent::Select(row, (column + 1) % rows)),
            Action::Other(false) => return Handled::Emit(PaneEvent::Select(row, (column + rows - 1) % rows)),
            Action::Close => return Handled::Emit(PaneEvent::Close),
        }
        Handled::Consumed
    }
}

impl super::pane::VectorPane for PairPane {
    fn update(&mut self, data: Rc<PaneData>) {
        self.data = data;
    }
}

impl Component<PaneEvent> for PairPane {
    fn key(&mut self, key: KeyEvent, _cx: &mut Cx) -> Handled<PaneEvent> {
        KEYS.find(&key).map_or(Handled::Ignored, |action| self.act(action))
    }

    fn hints(&self) -> Vec<Hint> {
        KEYS.footer(&FOOTER, self)
    }

    fn help(&self) -> Vec<(&'static str, Vec<Hint>)> {
        vec![("Pair", KEYS.help())]
    }

    fn arrange(&mut self, area: Rect, session: &Session, _now: Instant) {
        let area = framed(area, session.spacing());
        // Styles do not matter for the number of lines.
        let theme = Theme::of(Kind::Mono, Depth::None);
        let lines = lines(&self.data, &theme, usize::from(area.width.saturating_sub(2))).len();
        self.scroll = self.scroll.min(lines.saturating_sub(usize::from(area.height.saturating_sub(1))));
    }

    fn render(&self, frame: &mut Frame, area: Rect, context: RenderContext) {
        if area.height < 3 || area.width < 10 {
            return;
        }
        let (theme, data) = (context.theme, &self.data);
        let focus = data.focus == Some(Page::Pair);
        let (one, other) = data.cursor;
        let title = format!("Pair {} × {}", data.letter(one), data.letter(other));
        let spacing = context.session.spacing();
        let (right_style, surface) = (theme.muted, Surface::Ground);
        let pane = Pane { title: &title, note: "", right: "", right_style, focus, surface };
        pane.render(area, frame.buffer_mut(), theme, spacing);
        let area = framed(area, spacing);
        let lines = lines(data, theme, usize::from(area.width.saturating_sub(2)));
        for (line, y) in lines.iter().skip(self.scroll).zip(area.y + 1..area.bottom()) {
            frame.buffer_mut().set_line(area.x + 1, y, line, area.width.saturating_sub(2));
        }
        if focus {
            frame.set_cursor_position((area.x + 1, area.y + 1));
        }
    }
}

/// Returns what the pair under the cursor is to each other, and how many numbers its vectors have; `None`: one has no
/// vector, or one without a direction.
fn of(data: &PaneData) -> Option<(Between, usize)> {
    let table = data.table.as_ref()?;
    let (one, other) = data.cursor;
    let (one, other) = (table.row(one)?, table.row(other)?);
    if fault(one).is_some() || fault(other).is_some() {
        return None;
    }
    Some((between(one, other), table.dimensions()))
}

/// Returns the pair below the matrix: one line of figures, both texts on a line each.
pub(super) fn figures(data: &PaneData, theme: &Theme, width: usize) -> Vec<Line<'static>> {
    let (one, other) = data.cursor;
    let rows = data.texts.len();
    if one >= rows || other >= rows {
        return Vec::new();
    }
    let name = format!("{} × {}", data.letter(one), data.letter(other));
    let mut numbers = match (of(data), data.cosine(one, other)) {
        (Some((pair, dimensions)), _) => {
            vec![
                Span::styled(format!("{:.2}", pair.cosine), theme.text),
                Span::styled(format!("dot {:.2}", pair.dot), theme.text),
                Span::styled(format!("distance {:.2}", pair.distance), theme.text),
                Span::styled(format!("{} dims", meter::count(dimensions as u64)), theme.faint),
            ]
        }
        (None, Some(cosine)) => vec![Span::styled(format!("{cosine:.2}"), theme.text)],
        (None, None) => {
            let why = why(data, one).or_else(|| why(data, other)).unwrap_or_else(|| "—".to_owned());
            vec![Span::styled(cut(&why, width.saturating_sub(wrap::width(&name) + 2)), theme.text)]
        }
    };
    // Where there is no room, blanks go before figures.
    let fits = |numbers: &[Span], gap: usize| {
        wrap::width(&name) + numbers.iter().map(|number| gap + number.width()).sum::<usize>() <= width
    };
    let gap = |numbers: &[Span]| [3, 2, 1].into_iter().find(|gap| fits(numbers, *gap));
    while gap(&numbers).is_none() && numbers.len() > 1 {
        numbers.pop();
    }
    let gap = " ".repeat(gap(&numbers).unwrap_or(2));
    let mut spans = vec![Span::styled(name, theme.heading)];
    for number in numbers {
        spans.extend([Span::raw(gap.clone()), number]);
    }
    let mut lines = vec![Line::from(spans)];
    let text = |row: usize| Line::styled(cut(&data.words(row), width), theme.text);
    lines.push(text(one));
    if one != other {
        lines.push(text(other));
    }
    lines
}

/// Returns why a text has no similarities.
fn why(data: &PaneData, row: usize) -> Option<String> {
    let said = data.failures.iter().find(|(failed, _)| *failed == row).map(|(_, why)| why.line().into_owned());
    let words = said.or_else(|| match data.statuses.get(row) {
        Some(VectorStatus::Waiting) => Some("waiting for its vector".to_owned()),
        Some(VectorStatus::None) => Some("not embedded yet".to_owned()),
        Some(VectorStatus::TooLong) => Some("too long for the model".to_owned()),
        _ => None,
    })?;
    Some(format!("—  {}: {words}", data.letter(row)))
}

fn lines(data: &PaneData, theme: &Theme, width: usize) -> Vec<Line<'static>> {
    let (one, other) = data.cursor;
    let mut lines = vec![Line::default()];
    let mut say = |words: String, style: Style| lines.push(Line::styled(cut(&words, width), style));
    match of(data) {
        Some((Between { cosine, dot, distance }, dimensions)) => {
            say(format!("cosine      {cosine:.4}"), theme.text);
            say(format!("dot         {dot:.4}"), theme.text);
            say(format!("distance    {distance:.4}"), theme.text);
            say(format!("dimensions  {}", meter::count(dimensions as u64)), theme.text);
        }
        None => {
            let why = why(data, one).or_else(|| why(data, other));
            let cosine = data.cosine(one, other).map(|cosine| format!("cosine      {cosine:.4}"));
            say(cosine.or(why).unwrap_or_else(|| "—  no vectors".to_owned()), theme.text);
        }
    }
    let both = data.texts.get(one).zip(data.texts.get(other)).filter(|_| one != other);
    if both.is_some_and(|(one, other)| one.sent == other.sent) {
        say("the same text, embedded once".to_owned(), theme.muted);
    }
    let rows = if one == other { vec![one] } else { vec![one, other] };
    for row in rows {
        let Some(text) = data.texts.get(row) else { continue };
        let tokens = text.tokens.map_or_else(
            || "tokens not counted".to_owned(),
            |tokens| {
                let mark = if data.exact { "" } else { "~" };
                let tokens = u64::from(tokens);
                format!("{mark}{} {}", meter::count(tokens), if tokens == 1 { "token" } else { "tokens" })
            },
        );
        let cached = match data.statuses.get(row) {
            Some(VectorStatus::Cached) => " · cached",
            Some(VectorStatus::Failed) => " · no vector",
            _ => "",
        };
        let name = if text.name.is_empty() { String::new() } else { format!("  {}", text.name.line()) };
        lines.push(Line::default());
        let head = format!("{}{name}  {tokens}{cached}", data.letter(row));
        lines.push(Line::styled(cut(&head, width), theme.muted));
        let screen = text.text.screen();
        let rows = screen.lines().flat_map(|line| wrap::lines(line, width));
        lines.extend(rows.map(|row| Line::styled(row.to_owned(), theme.text)));
    }
    lines
}
