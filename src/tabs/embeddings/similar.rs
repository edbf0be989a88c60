//! The pane of similarities: the matrix with the pair under its cursor, pairs above the threshold; above 2,000 texts
//! the text under the cursor and what is nearest to it.

mod sections;

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};

use self::sections::{LEGEND, LOW, MatrixSection, PAIR, fit};
use super::embedded_list::EmbeddedList;
use super::pane::framed;
use super::pane_data::VectorStatus;
use super::state::RunState;
use crate::component::RenderContext;
use crate::record::vectors::MATRIX;
use crate::ui::heatmap::{self, HeatCell, Heatmap, HeatmapView, NUMBERS};
use crate::ui::meter;
use crate::ui::pane::{Pane, Spacing, Surface};
use crate::ui::rule::cut;
use crate::ui::theme::Theme;
use crate::ui::wrap;

/// Lines of pairs above the threshold at most.
const PAIRS: usize = 2;

/// The pane of similarities, and what it shows.
pub(super) struct MatrixPane<'a> {
    pub(super) list: &'a EmbeddedList,
    pub(super) run: &'a RunState,
    /// What stands at the right end of its title.
    pub(super) title: (String, Style),
    /// Whether there is nothing here at all.
    pub(super) blank: bool,
    pub(super) focus: bool,
    /// Whether no other pane stands beside it.
    pub(super) alone: bool,
}

impl MatrixPane<'_> {
    /// Draws the pane.
    pub(super) fn render(&self, frame: &mut Frame, area: Rect, context: RenderContext) {
        if area.height < 3 || area.width < 10 {
            return;
        }
        let theme = context.theme;
        let (right, style) = self.title.clone();
        let long = self.list.data.texts.len() > MATRIX;
        let title = if long { "Nearest" } else { "Cosine similarity" };
        let spacing = context.session.spacing();
        let pane =
            Pane { title, note: "", right: &right, right_style: style, focus: self.focus, surface: Surface::Ground };
        pane.render(area, frame.buffer_mut(), theme, spacing);
        let inner = inner(area, spacing, self.alone);
        if self.blank {
            return super::view::empty(frame, inner, context);
        }
        if self.list.data.texts.is_empty() {
            return;
        }
        if long {
            return self.long_list(frame, inner, context);
        }
        let (place, mut lines) = self.layout(inner, context);
        let (cursor, legend) = self.with_heatmap(|heat| {
            let cursor = heat.render(&self.list.matrix.heat, place, frame.buffer_mut(), theme);
            (cursor, heat.legend(&self.list.matrix.heat, theme))
        });
        if let Some(line) = lines.iter_mut().find(|line| line.width() == 1 && line.to_string() == LEGEND) {
            *line = shortened(legend, usize::from(inner.width.saturating_sub(2)));
        }
        for (line, y) in lines.iter().zip(place.bottom()..inner.bottom()) {
            // What is a rule begins at the edge.
            let x = if self.alone && line.width() == usize::from(inner.width) { inner.x } else { inner.x + 1 };
            frame.buffer_mut().set_line(x, y, line, inner.right().saturating_sub(x));
        }
        if let Some(cursor) = cursor.filter(|_| self.focus) {
            frame.set_cursor_position(cursor);
        }
    }

    /// Returns the notes at the foot.
    fn notes(&self, inner: Rect, context: RenderContext) -> Vec<Line<'static>> {
        let width = usize::from(inner.width.saturating_sub(2));
        let mut notes = self.run.notes(context, width);
        notes.extend(self.list.notes(self.run.job.is_some(), context.theme));
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
    fn with_heatmap<T>(&self, act: impl FnOnce(&Heatmap<&dyn Fn(usize, usize) -> HeatCell>) -> T) -> T {
        let sending = self.run.job.as_ref().is_some_and(|job| job.is_list() && job.is_sending());
        let cell = |row: usize, column: usize| {
            let (row, column) = (self.list.row_at(row), self.list.row_at(column));
            match self.list.data.cosine(row, column) {
                Some(cosine) => HeatCell::Known(f64::from(cosine)),
                None if self.settled(row, sending) && self.settled(column, sending) => HeatCell::Missing,
                None => HeatCell::Waiting,
            }
        };
        let name = |place: usize| self.list.data.letter(self.list.row_at(place));
        let words = |place: usize| self.list.data.words(self.list.row_at(place));
        act(&Heatmap {
            size: self.list.data.texts.len(),
            cell: &cell,
            version: self.list.analyses.version,
            name: &name,
            text: if self.alone { Some(&words) } else { None },
            scale: self.list.analyses.scale(self.list.matrix.stretched),
            focus: self.focus,
        })
    }

    /// Returns where the matrix stands in the area, and the lines below it, as many as there is room for.
    fn layout(&self, area: Rect, context: RenderContext) -> (Rect, Vec<Line<'static>>) {
        let (theme, size) = (context.theme, self.list.data.texts.len());
        let wanted = u16::try_from(heatmap::height(size, theme)).unwrap_or(u16::MAX);
        // Beside other panes the cells have lines between them, where there is room.
        // On surfaces the last row is as high as the others.
        let last = u16::from(context.session.spacing().has_surfaces());
        let airy = (!self.alone && size <= NUMBERS).then_some(2 * size as u16 + last);
        let room = usize::from(area.width.saturating_sub(2));
        let sections = self.sections(context, self.notes(area, context), (room, area.height < LOW));
        let rule = self.alone && !context.session.spacing().has_surfaces();
        let edge = if rule { Line::styled("─".repeat(usize::from(area.width)), theme.rule) } else { Line::default() };
        let (rows, lines) = fit(area.height, (wanted, airy), size, (sections, self.list.data.matrix.is_some()), &edge);
        (Rect { height: rows, ..area }, lines)
    }

    /// Returns whether there is nothing more to come for a text's cells.
    fn settled(&self, row: usize, sending: bool) -> bool {
        match self.list.data.statuses.get(row) {
            Some(VectorStatus::Waiting) => false,
            Some(VectorStatus::None) => {
                !sending || !self.list.vectors.present.contains(&self.list.data.texts[row].sent)
            }
            Some(VectorStatus::Cached | VectorStatus::New) => {
                !(self.list.vectors.loading || self.list.analyses.is_busy())
            }
            _ => true,
        }
    }

    fn sections(
        &self,
        context: RenderContext,
        notes: Vec<Line<'static>>,
        (width, low): (usize, bool),
    ) -> Vec<MatrixSection> {
        let theme = context.theme;
        let mut sections = vec![
            MatrixSection { lines: notes, place: 4 },
            MatrixSection { lines: super::pair::figures(&self.list.data, theme, width), place: PAIR },
        ];
        if low {
            sections[1].lines.truncate(1);
        }
        if self.alone {
            sections.push(MatrixSection { lines: self.nearest_line(width, theme.text), place: 2 });
        }
        sections.push(MatrixSection { lines: self.above(theme, width), place: 3 });
        sections
    }

    /// Returns the nearest texts as a line: `Nearest to A:  B 0.87   H 0.83`.
    fn nearest_line(&self, width: usize, style: Style) -> Vec<Line<'static>> {
        let row = self.list.data.cursor.0;
        let nearest = self.list.nearest(row, 8);
        if nearest.is_empty() {
            return Vec::new();
        }
        let names: Vec<String> =
            nearest.iter().map(|(other, cosine)| format!("{} {cosine:.2}", self.list.data.letter(*other))).collect();
        let line = joined(format!("Nearest to {}:  ", self.list.data.letter(row)), &names, "   ", width);
        vec![Line::styled(line, style)]
    }

    /// Says what matters of the whole: how many pairs are above the threshold, and which is the closest; then names the
    /// next.
    fn above(&self, theme: &Theme, width: usize) -> Vec<Line<'static>> {
        let Some(pairs) = self.list.analyses.above.as_ref().filter(|_| self.list.data.matrix.is_some()) else {
            return Vec::new();
        };
        let name =
            |(one, other): (usize, usize)| format!("{} × {}", self.list.data.letter(one), self.list.data.letter(other));
        let total = pairs.total.max(pairs.pairs.len() as u64);
        let above = self.list.data.above;
        let said = match total {
            0 => format!("No pair above {above:.2}."),
            1 => format!("1 pair above {above:.2}."),
            _ => format!("{} pairs above {above:.2}.", meter::count(total)),
        };
        let closest = self.list.analyses.closest;
        let closest =
            closest.map(|(one, other, cosine)| format!(" The closest is {} with {cosine:.2}.", name((one, other))));
        let said = said + &closest.unwrap_or_default();
        let mut lines: Vec<String> = wrap::lines(&said, width).into_iter().map(str::to_owned).collect();
        let sentence = lines.len();
        let rows = self.list.data.texts.len();
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

    /// Draws the text under the cursor and those nearest to it, for a list of over 2,000 texts.
    fn long_list(&self, frame: &mut Frame, area: Rect, context: RenderContext) {
        let (theme, notes) = (context.theme, self.notes(area, context));
        let row = self.list.data.cursor.0;
        let width = usize::from(area.width.saturating_sub(2));
        let mut lines: Vec<Line<'static>> = Vec::new();
        let head = format!("{} of {}", meter::count(row as u64 + 1), meter::count(self.list.data.texts.len() as u64));
        lines.push(Line::styled(head, theme.muted));
        let text = self.list.data.texts.get(row).map(|text| text.text.screen().into_owned()).unwrap_or_default();
        let wrapped: Vec<&str> = text.lines().flat_map(|line| wrap::lines(line, width)).take(4).collect();
        lines.extend(wrapped.into_iter().map(|line| Line::raw(line.to_owned())));
        lines.push(Line::default());
        let room = usize::from(area.height).saturating_sub(lines.len() + notes.len() + 2);
        let nearest = self.list.nearest(row, room);
        if nearest.is_empty() {
            let why = if self.list.vectors.loading {
                "the vectors are being loaded"
            } else if self.list.data.table.is_none() {
                "no vectors are loaded: ^R embeds texts without one, b loads those on disk"
            } else if self.list.data.table.as_ref().is_some_and(|table| table.has(row)) {
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
            let words = self.list.data.words(other);
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

    /// Fits the matrix to the pane's area.
    pub(super) fn arrange(&self, view: &mut HeatmapView, area: Rect, context: RenderContext) {
        let rows = self.list.data.texts.len();
        if area.height < 3 || area.width < 10 || rows == 0 || rows > MATRIX {
            return;
        }
        let (place, _) = self.layout(inner(area, context.session.spacing(), self.alone), context);
        self.with_heatmap(|heat| heat.arrange(view, place, context.theme));
    }
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

/// Returns the legend without what follows the colours where it is too long.
fn shortened(mut legend: Line<'static>, width: usize) -> Line<'static> {
    while legend.width() > width && legend.spans.len() > 1 {
        legend.spans.pop();
    }
    legend
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
