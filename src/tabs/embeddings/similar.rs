//! The pane of similarities: the matrix with the pair under its cursor, pairs above the threshold; above 2,000 texts
//! the text under the cursor and what is nearest to it.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};

use super::pane::framed;
use super::pane_data::VectorStatus;
use super::state::State;
use crate::component::RenderContext;
use crate::record::vectors::MATRIX;
use crate::ui::heatmap::{self, HeatCell, Heatmap, NUMBERS};
use crate::ui::meter;
use crate::ui::pane::{Pane, Spacing, Surface};
use crate::ui::rule::cut;
use crate::ui::theme::Theme;
use crate::ui::wrap;

/// Below so many rows each line counts.
const LOW: u16 = 12;
/// The place of the pair's figures below the matrix, after the scale.
const PAIR: u8 = 1;
/// Stands for the legend in the layout.
const LEGEND: &str = "%";
/// Lines of pairs above the threshold at most.
const PAIRS: usize = 2;

/// Draws the pane; `alone`: no other stands beside it.
pub(super) fn render(frame: &mut Frame, area: Rect, state: &State, context: RenderContext, focus: bool, alone: bool) {
    if area.height < 3 || area.width < 10 {
        return;
    }
    let theme = context.theme;
    let (right, style) = state.title(context);
    let long = state.data.texts.len() > MATRIX;
    let title = if long { "Nearest" } else { "Cosine similarity" };
    let spacing = context.session.spacing();
    let pane = Pane { title, note: "", right: &right, right_style: style, focus, surface: Surface::Ground };
    pane.render(area, frame.buffer_mut(), theme, spacing);
    let inner = inner(area, spacing, alone);
    if state.is_blank() {
        return super::view::empty(frame, inner, context);
    }
    if state.data.texts.is_empty() {
        return;
    }
    if long {
        return long_list(frame, inner, state, context);
    }
    let (place, mut lines) = layout(state, inner, context, alone);
    let (cursor, legend) = with_heatmap(state, (focus, alone), |heat| {
        let cursor = heat.render(&state.view.heat, place, frame.buffer_mut(), theme);
        (cursor, heat.legend(&state.view.heat, theme))
    });
    if let Some(line) = lines.iter_mut().find(|line| line.width() == 1 && line.to_string() == LEGEND) {
        *line = shortened(legend, usize::from(inner.width.saturating_sub(2)));
    }
    for (line, y) in lines.iter().zip(place.bottom()..inner.bottom()) {
        // What is a rule begins at the edge.
        let x = if alone && line.width() == usize::from(inner.width) { inner.x } else { inner.x + 1 };
        frame.buffer_mut().set_line(x, y, line, inner.right().saturating_sub(x));
    }
    if let Some(cursor) = cursor.filter(|_| focus) {
        frame.set_cursor_position(cursor);
    }
}

/// Fits the matrix to the pane's area.
pub(super) fn arrange(state: &mut State, area: Rect, context: RenderContext, alone: bool) {
    let rows = state.data.texts.len();
    if area.height < 3 || area.width < 10 || rows == 0 || rows > MATRIX {
        return;
    }
    let (place, _) = layout(state, inner(area, context.session.spacing(), alone), context, alone);
    let mut view = std::mem::take(&mut state.view.heat);
    with_heatmap(state, (false, alone), |heat| heat.arrange(&mut view, place, context.theme));
    state.view.heat = view;
}

/// Returns the area below the title. Beside other panes it has blank space around it; alone every row counts.
fn inner(area: Rect, spacing: Spacing, alone: bool) -> Rect {
    if spacing.has_surfaces() {
        let area = framed(area, spacing);
        return Rect { y: area.y + 1, height: area.height.saturating_sub(1), ..area };
    }
    let padding = u16::from(!alone);
    Rect {
        x: area.x + padding,
        y: area.y + 1 + padding,
        width: area.width - padding,
        height: area.height - 1 - padding,
    }
}

/// Returns the notes at the foot.
fn notes(state: &State, inner: Rect, context: RenderContext) -> Vec<Line<'static>> {
    let width = usize::from(inner.width.saturating_sub(2));
    let mut notes = state.notes(context, width);
    if inner.height < LOW {
        // One line: what failed, else how far it is.
        let failed = notes.iter().position(|note| note.style == context.theme.bad).unwrap_or(0);
        notes = notes.into_iter().skip(failed).take(1).collect();
        for note in &mut notes {
            note.text = cut(&note.text, width);
        }
    }
    let mut lines = super::notes::wrapped(&notes, width, context.theme);
    if inner.height < LOW {
        lines.truncate(1);
    }
    lines
}

/// Does something with the heat map of the similarities.
fn with_heatmap<T>(
    state: &State,
    (focus, alone): (bool, bool),
    act: impl FnOnce(&Heatmap<&dyn Fn(usize, usize) -> HeatCell>) -> T,
) -> T {
    let sending = state.run.job.as_ref().is_some_and(|job| job.is_list() && job.is_sending());
    let cell = |row: usize, column: usize| {
        let (row, column) = (state.row_at(row), state.row_at(column));
        match state.data.cosine(row, column) {
            Some(cosine) => HeatCell::Known(f64::from(cosine)),
            None if settled(state, row, sending) && settled(state, column, sending) => HeatCell::Missing,
            None => HeatCell::Waiting,
        }
    };
    let name = |place: usize| state.data.letter(state.row_at(place));
    let words = |place: usize| state.data.words(state.row_at(place));
    act(&Heatmap {
        size: state.data.texts.len(),
        cell: &cell,
        version: state.analyses.version,
        name: &name,
        text: if alone { Some(&words) } else { None },
        scale: state.scale(),
        focus,
    })
}

/// Returns where the matrix stands in the area, and the lines below it, as many as there is room for.
fn layout(state: &State, area: Rect, context: RenderContext, alone: bool) -> (Rect, Vec<Line<'static>>) {
    let (theme, size) = (context.theme, state.data.texts.len());
    let wanted = u16::try_from(heatmap::height(size, theme)).unwrap_or(u16::MAX);
    // Beside other panes the cells have lines between them, where there is room.
    // On surfaces the last row is as high as the others.
    let last = u16::from(context.session.spacing().has_surfaces());
    let airy = (!alone && size <= NUMBERS).then_some(2 * size as u16 + last);
    let room = usize::from(area.width.saturating_sub(2));
    let sections = sections(state, context, notes(state, area, context), (room, area.height < LOW), alone);
    let rule = alone && !context.session.spacing().has_surfaces();
    let edge = if rule { Line::styled("─".repeat(usize::from(area.width)), theme.rule) } else { Line::default() };
    let (rows, lines) = fit(area.height, (wanted, airy), size, (sections, state.data.matrix.is_some()), &edge);
    (Rect { height: rows, ..area }, lines)
}

/// Returns the legend without what follows the colours where it is too long.
fn shortened(mut legend: Line<'static>, width: usize) -> Line<'static> {
    while legend.width() > width && legend.spans.len() > 1 {
        legend.spans.pop();
    }
    legend
}

/// Returns whether there is nothing more to come for a text's cells.
fn settled(state: &State, row: usize, sending: bool) -> bool {
    match state.data.statuses.get(row) {
        Some(VectorStatus::Waiting) => false,
        Some(VectorStatus::None) => !sending || !state.vectors.present.contains(&state.data.texts[row].sent),
        Some(VectorStatus::Cached | VectorStatus::New) => !(state.vectors.loading || state.analyses.is_busy()),
        _ => true,
    }
}

/// What stands below the matrix, weightiest first: its lines, and whether a blank one goes before it.
struct MatrixSection {
    lines: Vec<Line<'static>>,
    /// Its place among the notes.
    place: u8,
}

fn sections(
    state: &State,
    context: RenderContext,
    notes: Vec<Line<'static>>,
    (width, low): (usize, bool),
    alone: bool,
) -> Vec<MatrixSection> {
    let theme = context.theme;
    let mut sections = vec![
        MatrixSection { lines: notes, place: 4 },
        MatrixSection { lines: super::pair::figures(&state.data, theme, width), place: PAIR },
    ];
    if low {
        sections[1].lines.truncate(1);
    }
    if alone {
        sections.push(MatrixSection { lines: nearest_line(state, width, theme.text), place: 2 });
    }
    sections.push(MatrixSection { lines: above(state, theme, width), place: 3 });
    sections
}

/// Lays out what fits: rows of the matrix, and the lines below it, with the scale of the colours where there are any.
fn fit(
    height: u16,
    (wanted, airy): (u16, Option<u16>),
    size: usize,
    (sections, scale): (Vec<MatrixSection>, bool),
    edge: &Line<'static>,
) -> (u16, Vec<Line<'static>>) {
    // A dense matrix shows a window of any height; of a small one all rows are wanted.
    let least = if size > NUMBERS { height * 3 / 5 } else { size as u16 + 1 };
    // Where there is little room, one line for the pair and one for what has to be said are worth two rows.
    let least = if height < LOW { least.min(height.saturating_sub(2)) } else { least }.min(wanted).max(3);
    let mut room = height.saturating_sub(least.min(height)) as usize;
    let mut taken: Vec<MatrixSection> = Vec::new();
    let legend = MatrixSection { lines: vec![Line::raw(LEGEND)], place: 0 };
    let mut all = sections;
    if scale {
        all.insert(2.min(all.len()), legend);
    }
    for mut section in all.into_iter().filter(|section| !section.lines.is_empty()) {
        if room == 0 {
            break;
        }
        section.lines.truncate(room);
        room -= section.lines.len();
        // A blank line before it, where there is one left.
        if room > 0 && height >= LOW {
            room -= 1;
            section.lines.insert(0, if section.place == PAIR { edge.clone() } else { Line::default() });
        }
        taken.push(section);
    }
    taken.sort_by_key(|section| section.place);
    let lines: Vec<Line<'static>> = taken.into_iter().flat_map(|section| section.lines).collect();
    let room = height.saturating_sub(lines.len() as u16);
    (airy.filter(|airy| *airy <= room).unwrap_or(wanted.min(room)), lines)
}

/// Returns the nearest texts as a line: `Nearest to A:  B 0.87   H 0.83`.
fn nearest_line(state: &State, width: usize, style: Style) -> Vec<Line<'static>> {
    let row = state.data.cursor.0;
    let nearest = state.nearest(row, 8);
    if nearest.is_empty() {
        return Vec::new();
    }
    let names: Vec<String> =
        nearest.iter().map(|(other, cosine)| format!("{} {cosine:.2}", state.data.letter(*other))).collect();
    let line = joined(format!("Nearest to {}:  ", state.data.letter(row)), &names, "   ", width);
    vec![Line::styled(line, style)]
}

/// Says what matters of the whole: how many pairs are above the threshold, and which is the closest; then names the
/// next.
fn above(state: &State, theme: &Theme, width: usize) -> Vec<Line<'static>> {
    let Some(pairs) = state.analyses.above.as_ref().filter(|_| state.data.matrix.is_some()) else { return Vec::new() };
    let name = |(one, other): (usize, usize)| format!("{} × {}", state.data.letter(one), state.data.letter(other));
    let total = pairs.total.max(pairs.pairs.len() as u64);
    let above = state.data.above;
    let said = match total {
        0 => format!("No pair above {above:.2}."),
        1 => format!("1 pair above {above:.2}."),
        _ => format!("{} pairs above {above:.2}.", meter::count(total)),
    };
    let closest = state.analyses.closest;
    let closest =
        closest.map(|(one, other, cosine)| format!(" The closest is {} with {cosine:.2}.", name((one, other))));
    let said = said + &closest.unwrap_or_default();
    let mut lines: Vec<String> = wrap::lines(&said, width).into_iter().map(str::to_owned).collect();
    let sentence = lines.len();
    let rows = state.data.texts.len();
    let known = pairs.pairs.iter().filter(|(one, other, _)| (*one as usize) < rows && (*other as usize) < rows);
    let mut left = total.saturating_sub(1);
    let mut line = String::new();
    let mut named = 0;
    for (one, other, cosine) in known.skip(1) {
        let pair = format!("{} {cosine:.2}", name((*one as usize, *other as usize)));
        let next = if line.is_empty() { pair.clone() } else { format!("{line}   {pair}") };
        if wrap::width(&next) <= width {
            line = next;
        } else {
            lines.push(std::mem::replace(&mut line, pair));
            named += 1;
            if named == PAIRS {
                line.clear();
                break;
            }
        }
        left = left.saturating_sub(1);
    }
    lines.extend((!line.is_empty()).then_some(line));
    if left > 0 {
        lines.push(format!("{} more · P lists all", meter::count(left)));
    }
    let style = |at: usize| if at < sentence { theme.text } else { theme.muted };
    lines.into_iter().enumerate().map(|(at, line)| Line::styled(line, style(at))).collect()
}

/// Names after a head, as many as fit.
fn joined(head: String, names: &[String], between: &str, width: usize) -> String {
    let mut line = head;
    for (at, name) in names.iter().enumerate() {
        let next = if at == 0 { format!("{line}{name}") } else { format!("{line}{between}{name}") };
        if wrap::width(&next) > width {
            break;
        }
        line = next;
    }
    line
}

/// Draws the text under the cursor and those nearest to it, for a list of over 2,000 texts.
fn long_list(frame: &mut Frame, area: Rect, state: &State, context: RenderContext) {
    let (theme, notes) = (context.theme, notes(state, area, context));
    let row = state.data.cursor.0;
    let width = usize::from(area.width.saturating_sub(2));
    let mut lines: Vec<Line<'static>> = Vec::new();
    let head = format!("{} of {}", meter::count(row as u64 + 1), meter::count(state.data.texts.len() as u64));
    lines.push(Line::styled(head, theme.muted));
    let text = state.data.texts.get(row).map(|text| text.text.screen().into_owned()).unwrap_or_default();
    let wrapped: Vec<&str> = text.lines().flat_map(|line| wrap::lines(line, width)).take(4).collect();
    lines.extend(wrapped.into_iter().map(|line| Line::raw(line.to_owned())));
    lines.push(Line::default());
    let room = usize::from(area.height).saturating_sub(lines.len() + notes.len() + 2);
    let nearest = state.nearest(row, room);
    if nearest.is_empty() {
        let why = if state.vectors.loading {
            "the vectors are being loaded"
        } else if state.data.table.is_none() {
            "no vectors are loaded: ^R embeds texts without one, b loads those on disk"
        } else if state.data.table.as_ref().is_some_and(|table| table.has(row)) {
            "finding the nearest texts…"
        } else {
            "this text has no vector"
        };
        lines.extend(wrap::lines(why, width).into_iter().map(|row| Line::styled(row.to_owned(), theme.muted)));
    } else {
        lines.push(Line::styled("Nearest, by cosine", theme.muted));
    }
    for (other, cosine) in nearest {
        let number = meter::count(other as u64 + 1);
        let words = state.data.words(other);
        let line = cut(&format!("{cosine:>5.2}  {number:>7}  {words}"), width);
        lines.push(Line::from(Span::styled(line, theme.text)));
    }
    let foot = area.bottom().saturating_sub(notes.len() as u16);
    for (line, y) in lines.iter().zip(area.y..foot) {
        frame.buffer_mut().set_line(area.x + 1, y, line, area.width.saturating_sub(2));
    }
    for (line, y) in notes.iter().zip(foot..area.bottom()) {
        frame.buffer_mut().set_line(area.x + 1, y, line, area.width.saturating_sub(2));
    }
}
