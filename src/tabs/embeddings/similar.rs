//! The pane of similarities: the matrix with the pair under its cursor, pairs above the threshold; above 2,000 texts the
//! text under the cursor and what is nearest to it.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};

use super::pane_data::VectorStatus;
use super::state::State;
use crate::component::RenderContext;
use crate::record::vectors::MATRIX;
use crate::ui::heatmap::{self, HeatCell, Heatmap, NUMBERS};
use crate::ui::meter;
use crate::ui::rule::{Rule, cut};
use crate::ui::wrap;

/// Below so many rows each line counts.
const LOW: u16 = 12;
/// Stands for the legend in the layout.
const LEGEND: &str = "%";
/// What is above the threshold takes so many lines at most.
const PAIRS: usize = 3;

/// Draws the pane; `alone`: no other stands beside it.
pub(super) fn render(frame: &mut Frame, area: Rect, state: &State, context: RenderContext, focus: bool, alone: bool) {
    if area.height < 3 || area.width < 10 {
        return;
    }
    let theme = context.theme;
    let (right, style) = state.title(context, alone);
    let long = state.data.texts.len() > MATRIX;
    let title = match (long, state.is_ordered()) {
        (true, _) => "Nearest",
        (false, true) => "By cluster",
        (false, false) => "Cosine similarity",
    };
    let rule = Rule { title, right: &right, right_style: style, focus };
    rule.render(Rect { height: 1, ..area }, frame.buffer_mut(), theme);
    let inner = inner(area, alone);
    if state.is_blank() {
        return super::view::blank(frame, inner, context);
    }
    if state.data.texts.is_empty() {
        return;
    }
    if long {
        return long_list(frame, inner, state, context);
    }
    let (place, mut lines) = layout(state, inner, context, alone);
    let (cursor, legend) = with_heatmap(state, context, (focus, alone), |heat| {
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
    let (place, _) = layout(state, inner(area, alone), context, alone);
    let mut view = std::mem::take(&mut state.view.heat);
    with_heatmap(state, context, (false, alone), |heat| heat.arrange(&mut view, place, context.theme));
    state.view.heat = view;
}

/// Returns the area below the title. Beside other panes it has air around it; alone every row counts.
fn inner(area: Rect, alone: bool) -> Rect {
    let air = u16::from(!alone);
    Rect { x: area.x + air, y: area.y + 1 + air, width: area.width - air, height: area.height - 1 - air }
}

/// Returns the notes at the foot.
fn notes(state: &State, inner: Rect, context: RenderContext) -> Vec<Line<'static>> {
    let width = usize::from(inner.width.saturating_sub(2));
    let notes = super::notes::wrapped(&state.notes(context, width), width);
    if inner.height >= LOW {
        return notes;
    }
    // One line: what failed, else how far it is.
    let failed = notes.iter().position(|note| note.style == context.theme.bad).unwrap_or(0);
    notes.into_iter().skip(failed).take(1).collect()
}

/// Does something with the heat map of the similarities.
fn with_heatmap<T>(
    state: &State,
    context: RenderContext,
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
        spin: meter::spinner(state.elapsed(context.now), context.session.motion),
        focus,
    })
}

/// Returns where the matrix stands in the area, and the lines below it, as many as there is room for.
fn layout(state: &State, area: Rect, context: RenderContext, alone: bool) -> (Rect, Vec<Line<'static>>) {
    let (theme, size) = (context.theme, state.data.texts.len());
    let wanted = u16::try_from(heatmap::height(size, theme)).unwrap_or(u16::MAX);
    // Beside other panes the cells have lines between them, where there is room.
    let airy = (!alone && size <= NUMBERS).then_some(2 * size as u16);
    let room = usize::from(area.width.saturating_sub(2));
    let sections = sections(state, context, notes(state, area, context), (room, area.height < LOW), alone);
    let edge = if alone { Line::styled("─".repeat(usize::from(area.width)), theme.rule) } else { Line::default() };
    let (rows, lines) = fit(area.height, (wanted, airy), size, sections, &edge);
    (Rect { height: rows, ..area }, lines)
}

/// Returns the legend without its words about the scale where it is too long, and without what follows where it still is.
fn shortened(mut legend: Line<'static>, width: usize) -> Line<'static> {
    if legend.width() > width
        && let Some(words) = legend.spans.iter_mut().find(|span| span.content.ends_with("scale 0–1"))
    {
        words.content = words.content.trim_end_matches("scale 0–1").trim_end().to_owned().into();
    }
    while legend.width() > width && legend.spans.len() > 1 {
        legend.spans.pop();
    }
    legend
}

/// Whether there is nothing more to come for a text's cells.
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
    /// Where it stands among the others.
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
        MatrixSection { lines: super::pair::figures(&state.data, theme, width, !alone), place: 0 },
    ];
    if low {
        sections[1].lines.truncate(1);
    }
    if alone {
        sections.push(MatrixSection { lines: nearest_line(state, width, theme.text), place: 1 });
    }
    sections.push(MatrixSection { lines: above(state, width, theme.text, alone), place: if alone { 2 } else { 3 } });
    sections
}

/// Lays out what fits: rows of the matrix, and the lines below it.
fn fit(
    height: u16,
    (wanted, airy): (u16, Option<u16>),
    size: usize,
    sections: Vec<MatrixSection>,
    edge: &Line<'static>,
) -> (u16, Vec<Line<'static>>) {
    // A dense matrix shows a window of any height; of a small one all rows are wanted.
    let least = if size > NUMBERS { height * 3 / 5 } else { size as u16 + 1 };
    // Where there is little room, one line for the pair and one for what has to be said are worth two rows.
    let least = if height < LOW { least.min(height.saturating_sub(2)) } else { least }.min(wanted).max(3);
    let mut room = height.saturating_sub(least.min(height)) as usize;
    let mut taken: Vec<MatrixSection> = Vec::new();
    let legend = MatrixSection { lines: vec![Line::raw(LEGEND)], place: if sections.len() > 3 { 3 } else { 2 } };
    let mut all = sections;
    all.insert(2.min(all.len()), legend);
    for mut section in all.into_iter().filter(|section| !section.lines.is_empty()) {
        if room == 0 {
            break;
        }
        section.lines.truncate(room);
        room -= section.lines.len();
        // A blank line before it, where there is one left.
        if room > 0 && height >= LOW {
            room -= 1;
            section.lines.insert(0, if section.place == 0 { edge.clone() } else { Line::default() });
        }
        taken.push(section);
    }
    taken.sort_by_key(|section| section.place);
    let lines: Vec<Line<'static>> = taken.into_iter().flat_map(|section| section.lines).collect();
    let room = height.saturating_sub(lines.len() as u16);
    (airy.filter(|airy| *airy <= room).unwrap_or(wanted.min(room)), lines)
}

/// `Nearest to A:  B 0.87   H 0.83`.
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

/// Pairs above the threshold.
fn above(state: &State, width: usize, style: Style, alone: bool) -> Vec<Line<'static>> {
    let Some(pairs) = state.analyses.above.as_ref().filter(|_| state.data.matrix.is_some()) else { return Vec::new() };
    let head = format!("Pairs above {:.2}", state.data.above);
    if pairs.pairs.is_empty() {
        let most = if state.analyses.span.1.is_finite() {
            format!(", highest {:.2}", state.analyses.span.1)
        } else {
            String::new()
        };
        return vec![Line::styled(format!("{head}: none{most}"), style)];
    }
    let rows = state.data.texts.len();
    let known = pairs.pairs.iter().filter(|(one, other, _)| (*one as usize) < rows && (*other as usize) < rows);
    let names: Vec<String> = known
        .map(|(one, other, cosine)| {
            let pair = format!("{}–{}", state.data.letter(*one as usize), state.data.letter(*other as usize));
            if alone { pair } else { format!("{pair} {cosine:.2}") }
        })
        .collect();
    if alone {
        return vec![Line::styled(joined(format!("{head}:  "), &names, "  ", width), style)];
    }
    let mut lines = vec![Line::styled(head, style)];
    let mut line = String::new();
    let mut left = names.len();
    for name in &names {
        let next = if line.is_empty() { name.clone() } else { format!("{line}   {name}") };
        if wrap::width(&next) <= width {
            line = next;
        } else {
            lines.push(Line::styled(std::mem::replace(&mut line, name.clone()), style));
            if lines.len() > PAIRS {
                break;
            }
        }
        left -= 1;
    }
    if lines.len() <= PAIRS {
        lines.push(Line::styled(line, style));
    }
    let total = pairs.total.max(names.len() as u64);
    if left > 0 || total > names.len() as u64 {
        lines.push(Line::styled(format!("{} in all · P lists them", meter::count(total)), style));
    }
    lines
}

/// Names behind a head, as many as fit.
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

/// Above 2,000 texts: the one under the cursor, and what is nearest to it.
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
            "no vectors are loaded: ^R embeds what has none, b loads what is on disk"
        } else if state.data.table.as_ref().is_some_and(|table| table.has(row)) {
            "looking for what is nearest…"
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
