//! Draws what concerns the whole file: at the top of the check page what was found, at the bottom what is or would be
//! written.

use std::time::{Duration, Instant};

use ratatui::layout::Rect;
use unicode_width::UnicodeWidthStr;

use super::figures::LineTone;
use super::line_canvas::LineCanvas;
use super::page::CheckPage;
use super::page_view::CheckPane;
use super::run::CheckPhase;
use super::{columns, wording};
use crate::text::Untrusted;
use crate::ui::meter::{count, spinner};
use crate::ui::overlay::below;
use crate::ui::progress::{Progress, State, Unit};
use crate::ui::wrap;

/// The time of a frame, and whether things may move in it.
#[derive(Clone, Copy)]
pub(super) struct FrameTime {
    pub(super) motion: bool,
    pub(super) now: Instant,
}

impl FrameTime {
    fn elapsed(self, page: &CheckPage) -> Duration {
        if self.motion { self.now.saturating_duration_since(page.run.began) } else { Duration::ZERO }
    }

    pub(super) fn glyph(self, page: &CheckPage) -> &'static str {
        spinner(self.elapsed(page), self.motion)
    }
}

/// Draws how far the work is.
pub(super) fn moving(
    page: &CheckPage,
    (done, total): (u64, u64),
    canvas: &mut LineCanvas,
    area: Rect,
    spin: FrameTime,
) {
    let progress = Progress {
        done,
        total: (total > 0).then_some(total),
        unit: Unit::Bytes,
        rate: page.run.rate.per_second(spin.now),
        left: page.run.rate.left(spin.now, total.saturating_sub(done)),
        state: State::Running,
        elapsed: spin.elapsed(page),
    };
    if area.height > 0 {
        progress.render(Rect { height: 1, ..area }, canvas.buf, canvas.theme);
    }
}

/// Lines of text, each with its place.
pub(super) struct HeadLines {
    area: Rect,
    lines: Vec<(Rect, String, LineTone)>,
    next: usize,
}

impl HeadLines {
    /// Adds a text over several lines, so many at most.
    fn wrapped(&mut self, text: &str, most: usize, tone: LineTone) {
        for line in wrap::lines(text, usize::from(self.area.width).max(1)).into_iter().take(most) {
            self.lines.push((below(self.area, self.next as u16), line.to_owned(), tone));
            self.next += 1;
        }
    }

    pub(super) fn rows(&self) -> u16 {
        u16::try_from(self.next).unwrap_or(u16::MAX).min(self.area.height)
    }

    pub(super) fn draw(&self, canvas: &mut LineCanvas) {
        for (area, line, tone) in &self.lines {
            canvas.line(*area, 0, line, tone.style(canvas.theme));
        }
    }
}

/// Returns what holds of the whole file.
pub(super) fn head(page: &CheckPage, area: Rect) -> HeadLines {
    let report = &page.report;
    let problems = report.problem_count();
    let all = report.valid == report.rows && report.rows > 0;
    let (sign, tone) = if all { ("✓", LineTone::Ok) } else { ("!", LineTone::Warn) };
    let mut parts = vec![(format!("{sign} {}", wording::good(report, area.width)), tone)];
    if problems > 0 {
        // Problems that do not exclude a row from training are not errors.
        let (sign, what, tone) =
            if all { ("!", "warning", LineTone::Warn) } else { ("✕", "problem", LineTone::Error) };
        parts.push((format!("{sign} {} {what}{}", count(problems), if problems == 1 { "" } else { "s" }), tone));
    }
    if area.width >= 60 {
        parts.push((wording::task(report).to_owned(), LineTone::Muted));
    }
    let mut head = HeadLines { area, lines: Vec::new(), next: 1 };
    let mut rest = area;
    for (part, tone) in parts {
        let taken = u16::try_from(part.width() + 3).unwrap_or(u16::MAX).min(rest.width);
        head.lines.push((rest, part, tone));
        rest = Rect { x: rest.x + taken, width: rest.width - taken, ..rest };
    }
    // Where there is little room, the list says the same.
    if area.height > 14 && problems > 0 {
        head.wrapped(&wording::counts(report), 2, LineTone::Muted);
    }
    if let Some(mapping) = report.mapping.as_ref().filter(|_| report.guessed || page.view.pane == CheckPane::Columns)
        && area.height > 8
    {
        let (guess, tone) = if report.guessed { ("! guessed: ", LineTone::Warn) } else { ("", LineTone::Muted) };
        head.wrapped(&format!("{guess}{}", columns::summary(mapping).line()), 2, tone);
    }
    for (sign, why, tone) in [("✕", &report.stop, LineTone::Error), ("!", &report.cut, LineTone::Warn)] {
        if let Some(why) = why
            && area.height > 8
        {
            head.wrapped(&format!("{sign} {}", why.line()), usize::MAX, tone);
        }
    }
    head
}

/// Returns how many rows at the foot say what is written or would be.
pub(super) fn foot_rows(page: &CheckPage, area: Rect) -> u16 {
    match page.run.phase {
        _ if area.height < 4 => 0,
        _ if page.columns.template.is_some() => 2,
        CheckPhase::Reading { .. } => 1,
        CheckPhase::Writing { .. } => 2,
        _ => u16::try_from(outcome(page, area).len()).unwrap_or(1),
    }
}

/// Draws what is written or would be.
pub(super) fn foot(page: &CheckPage, canvas: &mut LineCanvas, area: Rect, spin: FrameTime) {
    let theme = canvas.theme;
    let rows = foot_rows(page, area);
    if rows == 0 {
        return;
    }
    let (whole, area) = (area, below(area, area.height - rows));
    match page.run.phase {
        _ if page.columns.template.is_some() => {
            // The line itself is drawn over it, with its cursor.
            canvas.line(area, 0, "{column} stands for a column, \\n for a line end", theme.muted);
            canvas.line(area, 1, "template", theme.text);
        }
        CheckPhase::Reading { .. } => {
            canvas.line(area, 0, &format!("{} reading every row", spin.glyph(page)), theme.busy);
        }
        CheckPhase::Writing { done, total } => {
            canvas.line(area, 0, &format!("{} writing the repaired copy", spin.glyph(page)), theme.busy);
            moving(page, (done, total), canvas, below(area, 1), spin);
        }
        _ => {
            for (at, (line, tone)) in outcome(page, whole).iter().enumerate() {
                canvas.line(area, at, line, tone.style(theme));
            }
        }
    }
}

/// Returns what was written, and what happens next, as the last lines of an area.
fn outcome(page: &CheckPage, area: Rect) -> Vec<(String, LineTone)> {
    let mut lines: Vec<(Untrusted, LineTone)> = Vec::new();
    if let CheckPhase::Written(prepared) = &page.run.phase {
        lines.extend(wording::written(prepared).into_iter().map(|line| (line, LineTone::Ok)));
        lines.extend(
            wording::requests(&prepared.prompt_end, &prepared.completion_end).map(|line| (line, LineTone::Plain)),
        );
    }
    let tone = match &page.run.phase {
        CheckPhase::NotWritten(_) => LineTone::Error,
        CheckPhase::Written(_) => LineTone::Accent,
        _ if wording::objection(&page.report).is_some() => LineTone::Error,
        _ => LineTone::Muted,
    };
    lines.push((wording::next(page), tone));
    let (width, height) = (usize::from(area.width).max(1), usize::from(area.height));
    let wrapped = |(line, tone): &(Untrusted, LineTone)| {
        wrap::lines(&line.line(), width).into_iter().map(|row| (row.to_owned(), *tone)).collect::<Vec<_>>()
    };
    let whole: Vec<(String, LineTone)> = lines.iter().flat_map(wrapped).collect();
    // A reason gets more rows than the description of a key.
    let most = if tone == LineTone::Error { height / 3 } else { height / 6 };
    let mut lines = if whole.len() <= most.max(lines.len()) {
        whole
    } else {
        lines.iter().map(|(line, tone)| (line.line().into_owned(), *tone)).collect()
    };
    let rows = lines.len().min(height / 3).max(1);
    lines.split_off(lines.len() - rows)
}
