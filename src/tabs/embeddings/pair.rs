//! Two texts: what their vectors say of them, and both in full.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::Line;

use super::held::fault;
use super::pane::Look;
use super::state::{Mark, State};
use crate::ui::meter;
use crate::ui::rule::{Rule, cut};
use crate::ui::theme::Theme;
use crate::ui::wrap;
use crate::vectors::{Between, between};

/// What the pair under the cursor is to each other, and how many numbers its vectors have; `None`: one has no vector, or one
/// without a direction.
fn of(state: &State) -> Option<(Between, usize)> {
    let table = state.read.table.as_ref()?;
    let (one, other) = state.read.cursor;
    let (one, other) = (table.row(one)?, table.row(other)?);
    if fault(one).is_some() || fault(other).is_some() {
        return None;
    }
    Some((between(one, other), table.dimensions()))
}

/// The pair below the matrix: one line of figures, both texts on a line each; `beside`: with a line that names the pair.
pub(super) fn figures(state: &State, theme: &Theme, width: usize, beside: bool) -> Vec<Line<'static>> {
    let (one, other) = state.read.cursor;
    let rows = state.read.texts.len();
    if one >= rows || other >= rows {
        return Vec::new();
    }
    let name = format!("{} × {}", state.read.letter(one), state.read.letter(other));
    let known = of(state);
    let numbers = match (known, state.read.cosine(one, other)) {
        (Some((pair, _)), _) => format!("{:.2}  dot {:.2} · L2 {:.2}", pair.cosine, pair.dot, pair.distance),
        (None, Some(cosine)) => format!("{cosine:.2}"),
        (None, None) => why(state, one).or_else(|| why(state, other)).unwrap_or_else(|| "—".to_owned()),
    };
    let text = |row: usize| {
        let line = format!("{} {}", state.read.letter(row), state.read.words(row));
        Line::styled(cut(&line, width), theme.text)
    };
    let mut lines = Vec::new();
    if beside {
        lines.push(Line::styled(format!("▐ cursor: {name}"), theme.muted));
        lines.push(Line::default());
        let dims = known.map(|(_, dimensions)| format!(" · {} dims", meter::count(dimensions as u64)));
        lines.push(Line::styled(cut(&format!("{numbers}{}", dims.unwrap_or_default()), width), theme.text));
    } else {
        lines.push(Line::styled(cut(&format!("{name}  {numbers}"), width), theme.text));
    }
    lines.push(text(one));
    if one != other {
        lines.push(text(other));
    }
    lines
}

/// Why a text has no similarities.
fn why(state: &State, row: usize) -> Option<String> {
    let said = state.read.gone.iter().find(|(gone, _)| *gone == row).map(|(_, why)| why.line().into_owned());
    let words = said.or_else(|| match state.marks.get(row) {
        Some(Mark::Waiting) => Some("its vector is on its way".to_owned()),
        Some(Mark::None) => Some("not embedded yet".to_owned()),
        Some(Mark::Long) => Some("too long for the model".to_owned()),
        _ => None,
    })?;
    Some(format!("—  {}: {words}", state.read.letter(row)))
}

/// The page.
pub(super) fn render(frame: &mut Frame, area: Rect, state: &mut State, look: &Look) {
    if area.height < 3 || area.width < 10 {
        return;
    }
    let theme = look.theme;
    let (one, other) = state.read.cursor;
    let title = format!("Pair {} × {}", state.read.letter(one), state.read.letter(other));
    let rule = Rule { title: &title, right: "h l other text · esc back", right_style: theme.muted, focus: look.focus };
    rule.render(Rect { height: 1, ..area }, frame.buffer_mut(), theme);
    let width = usize::from(area.width.saturating_sub(2));
    let lines = lines(state, theme, width);
    let height = usize::from(area.height - 1);
    state.scroll = state.scroll.min(lines.len().saturating_sub(height));
    for (line, y) in lines[state.scroll..].iter().zip(area.y + 1..area.bottom()) {
        frame.buffer_mut().set_line(area.x + 1, y, line, area.width.saturating_sub(2));
    }
    if look.focus && !state.modals.is_open() {
        frame.set_cursor_position((area.x + 1, area.y + 1));
    }
}

fn lines(state: &State, theme: &Theme, width: usize) -> Vec<Line<'static>> {
    let (one, other) = state.read.cursor;
    let mut lines = vec![Line::default()];
    let mut say = |words: String, style: Style| lines.push(Line::styled(cut(&words, width), style));
    match of(state) {
        Some((Between { cosine, dot, distance }, dimensions)) => {
            say(format!("cosine      {cosine:.4}"), theme.text);
            say(format!("dot         {dot:.4}"), theme.text);
            say(format!("L2          {distance:.4}"), theme.text);
            say(format!("dimensions  {}", meter::count(dimensions as u64)), theme.text);
        }
        None => {
            let why = why(state, one).or_else(|| why(state, other));
            let cosine = state.read.cosine(one, other).map(|cosine| format!("cosine      {cosine:.4}"));
            say(cosine.or(why).unwrap_or_else(|| "—  no vectors".to_owned()), theme.text);
        }
    }
    let both = state.read.texts.get(one).zip(state.read.texts.get(other)).filter(|_| one != other);
    if both.is_some_and(|(one, other)| one.sent == other.sent) {
        say("the same text: embedded once".to_owned(), theme.muted);
    }
    let rows = if one == other { vec![one] } else { vec![one, other] };
    for row in rows {
        let Some(text) = state.read.texts.get(row) else { continue };
        let tokens = text.tokens.map_or_else(
            || "tokens not counted".to_owned(),
            |tokens| {
                let mark = if state.exact { "" } else { "~" };
                let tokens = u64::from(tokens);
                format!("{mark}{} {}", meter::count(tokens), if tokens == 1 { "token" } else { "tokens" })
            },
        );
        let cached = match state.marks.get(row) {
            Some(Mark::Cached) => " · cached",
            Some(Mark::Failed) => " · no vector",
            _ => "",
        };
        let name = if text.name.is_empty() { String::new() } else { format!("  {}", text.name.line()) };
        lines.push(Line::default());
        let head = format!("{}{name}  {tokens}{cached}", state.read.letter(row));
        lines.push(Line::styled(cut(&head, width), theme.muted));
        let screen = text.text.screen();
        let rows = screen.lines().flat_map(|line| wrap::lines(line, width));
        lines.extend(rows.map(|row| Line::styled(row.to_owned(), theme.text)));
    }
    lines
}
