//! Draws the list of runs.

use std::time::Duration;

use ratatui::Frame;
use ratatui::layout::{Position, Rect};
use ratatui::style::Style;

use super::{RunListContext, Runs};
use crate::component::{FindBar, money};
use crate::record::{Run, TurnStatus};
use crate::tabs::completion::params;
use crate::ui::pane;
use crate::ui::rule::{cut, cut_middle};
use crate::ui::size_class::{MEDIUM, WIDE};
use crate::ui::theme::Theme;
use crate::ui::{meter, time, wrap};

/// Columns of the settings that are worth having.
const SETTINGS: usize = 8;
/// Columns of a model's name, where there are many.
const MODEL: usize = 26;
/// The same where there are fewer columns.
const SHORT: usize = 20;
/// Columns of an excerpt that are worth having.
const EXCERPT: usize = 10;

impl Runs {
    /// Draws the rows that show, and below them the filter while there is one. Its cost does not grow with the runs.
    pub(crate) fn render(&self, frame: &mut Frame, area: Rect, runs: &[Run], context: &RunListContext) {
        let RunListContext { theme, focus, .. } = *context;
        let area = area.intersection(frame.area());
        if area.is_empty() {
            return;
        }
        self.foot(frame, context.inner(area), theme);
        let list = Rect { height: area.height - self.rows_below(area), ..area };
        if self.list.is_empty() {
            let words = if runs.is_empty() {
                "No runs yet. ^R runs the text. Runs are listed here with their prompts, tokens and costs; ⏎ opens one again."
            } else {
                "No run has these words in its model, text or profile."
            };
            let inner = context.inner(list);
            let lines = wrap::lines(words, usize::from(inner.width).max(1));
            for (line, y) in lines.iter().zip(inner.y..inner.bottom()) {
                frame.buffer_mut().set_string(inner.x, y, line, theme.muted);
            }
            return;
        }
        let cursor = self.list.view.cursor;
        let window = cursor.top..cursor.top + usize::from(list.height);
        let shown: Vec<(usize, &Run)> = window.filter_map(|at| Some((at, &runs[self.list.row(at)?.place]))).collect();
        let most = if list.width < WIDE { SHORT } else { MODEL };
        let models = shown.iter().map(|(_, run)| wrap::width(&run.model.line()).min(most));
        let model = models.max().unwrap_or(most);
        for ((at, run), y) in shown.into_iter().zip(list.y..) {
            let chosen = focus && at == cursor.selected;
            let row = Row { run, context, chosen, model };
            row.render(frame, Rect { y, height: 1, ..list });
            if chosen && !self.typing() {
                frame.set_cursor_position(Position::new(list.x, y));
            }
        }
    }

    fn foot(&self, frame: &mut Frame, area: Rect, theme: &Theme) {
        if self.rows_below(area) > 0 {
            let row = Rect { y: area.bottom() - 1, height: 1, ..area };
            self.find.render(frame, row, &FindBar::found(self.list.len()), theme);
        }
    }
}

/// One run on one line.
struct Row<'a> {
    run: &'a Run,
    context: &'a RunListContext<'a>,
    chosen: bool,
    /// Columns of the widest model's name among the rows.
    model: usize,
}

impl Row<'_> {
    fn render(&self, frame: &mut Frame, area: Rect) {
        if self.chosen {
            pane::highlight(frame.buffer_mut(), area, self.context.theme, true);
        }
        let area = self.context.inner(area);
        let width = usize::from(area.width);
        let (ground, muted) = if self.chosen {
            (
                self.context.theme.text.patch(self.context.theme.select),
                self.context.theme.muted.patch(self.context.theme.select),
            )
        } else {
            (self.context.theme.text, self.context.theme.muted)
        };
        let buf = frame.buffer_mut();
        let (mark, style) = self.mark(width);
        let mark_at = width.saturating_sub(wrap::width(&mark));
        buf.set_stringn(area.x + mark_at as u16, area.y, &mark, width - mark_at, style);
        let used = self.used(width);
        let used_at = mark_at.saturating_sub(wrap::width(&used) + 1);
        let time = self.context.zone.when_short(self.run.created_ms, self.context.now_ms);
        buf.set_stringn(area.x, area.y, &time, used_at, muted);
        buf.set_stringn(area.x + used_at as u16, area.y, &used, mark_at - used_at, muted);
        // The remaining columns are shared by model, text and settings.
        let left = Rect { x: area.x + 1 + wrap::width(&time) as u16, ..area };
        let mut left = RowSpace { frame, at: left, room: used_at.saturating_sub(2 + wrap::width(&time)) };
        // On a narrow screen, only the text is shown.
        if width >= usize::from(MEDIUM) {
            let most = left.room.min(self.model);
            let model = cut_middle(&self.run.model.line(), most);
            let pad = most.saturating_sub(wrap::width(&model));
            left.put(&format!("{model}{}", " ".repeat(pad)), muted);
            if self.run.profile != *self.context.profile {
                let most = left.room.min(16);
                left.put(&cut(&format!("@{}", self.run.profile.line()), most), self.context.theme.accent);
            }
        }
        // The text comes first, in a column of its own; the settings take the remaining columns.
        let room = if left.room >= 2 * EXCERPT + SETTINGS { left.room * 3 / 5 } else { left.room };
        if room >= EXCERPT {
            let words = self.run.excerpt.screen();
            let words = cut(&words.split_whitespace().collect::<Vec<_>>().join(" "), room);
            let pad = room - wrap::width(&words);
            left.put(&format!("{words}{}", " ".repeat(pad)), ground);
        }
        if left.room >= SETTINGS {
            left.put(&cut(&params::brief(&self.run.params), left.room), muted);
        }
    }

    /// Returns `✓`, or the outcome of it and, in a word, why.
    fn mark(&self, width: usize) -> (String, Style) {
        let theme = self.context.theme;
        let (mark, word, style) = match self.run.status {
            TurnStatus::Done => ("✓", "", theme.good),
            TurnStatus::Stopped => ("■", "stopped", theme.warn),
            TurnStatus::Streaming if self.context.live.contains(&self.run.id) => {
                (if self.context.spin == "…" { "●" } else { self.context.spin }, "running", theme.busy)
            }
            TurnStatus::Streaming | TurnStatus::CutOff => ("✕", "cut off", theme.bad),
            TurnStatus::Failed => ("✕", "failed", theme.bad),
        };
        let style = if self.chosen { self.context.theme.select.patch(style) } else { style };
        let text = if width < usize::from(WIDE) { mark.to_owned() } else { format!("{mark} {word:<7}") };
        (text, style)
    }

    /// Returns tokens, time and cost; where it is narrow the cost alone.
    fn used(&self, width: usize) -> String {
        let run = self.run;
        let about = if run.estimated { "~" } else { "" };
        let money = money::cost(run.cost_nano);
        if width < usize::from(MEDIUM) {
            return format!("{about}▼{} {money}", meter::short(run.completion_tokens));
        }
        let unit = if width < usize::from(WIDE) { "" } else { " tok" };
        let (sent, came) = (meter::short(run.prompt_tokens), meter::short(run.completion_tokens));
        let tokens = format!("{about}▲{sent} ▼{came}{unit}");
        let time = time::duration(Duration::from_millis(run.total_ms));
        format!("{tokens:>0$}  {time:>6}  {money:>8} ", 12 + unit.len())
    }
}

/// The middle of a row as far as it is empty.
struct RowSpace<'a, 'b> {
    frame: &'a mut Frame<'b>,
    at: Rect,
    room: usize,
}

impl RowSpace<'_, '_> {
    /// Draws a text if all of it fits.
    fn put(&mut self, text: &str, style: Style) {
        let columns = wrap::width(text);
        if columns > 0 && columns <= self.room {
            self.frame.buffer_mut().set_stringn(self.at.x, self.at.y, text, columns, style);
            self.at.x += columns as u16 + 2;
            self.room = self.room.saturating_sub(columns + 2);
        }
    }
}
