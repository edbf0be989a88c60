//! Arranges and draws the check page.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::figures::LineTone;
use super::findings_view::{problem_rows, problems, repair_detail, repairs, repairs_rows};
use super::keys::Action;
use super::line_canvas::{ARROW, LineCanvas, beside_mark};
use super::page::CheckPage;
use super::page_view::CheckPane;
use super::run::CheckPhase;
use super::summary_view::{FrameTime, foot, foot_rows, head, moving};
use super::{columns, figures, keys, wording};
use crate::component::{Hint, RenderContext};
use crate::text::Untrusted;
use crate::ui::list::draw_scroll_arrows;
use crate::ui::meter::count;
use crate::ui::overlay::below;
use crate::ui::pane::{Pane, Spacing, Surface};
use crate::ui::size_class::WIDE;

/// Fits cursors and scroll to an area.
pub(super) fn arrange(page: &mut CheckPage, area: Rect, spacing: Spacing) {
    if area.is_empty() || !shows_report(page) {
        return;
    }
    for (which, area) in panes(page, spacing.pane(area).content) {
        let area = below(area, 1);
        let height = usize::from(area.height);
        if which == page.view.pane {
            page.view.height = height.max(1);
        }
        match which {
            CheckPane::Columns => _ = page.view.columns.window(height, page.report.columns.len()),
            CheckPane::Problems => {
                let (rows, _) = problem_rows(page, area);
                page.view.problems.window(rows, page.report.problems.len());
            }
            CheckPane::Repairs => {
                let rows = height.saturating_sub(repair_detail(page, area).len()).max(3);
                page.view.repairs.window(rows, page.report.repairs.len());
            }
            CheckPane::Figures => {
                let lines = figure_lines(page, beside_mark(area)).len();
                page.view.figures = page.view.figures.min(lines.saturating_sub(height));
            }
        }
    }
}

/// Returns the lines of the figures. Where not all of them fit, there is room at their right for the arrows.
fn figure_lines(page: &CheckPage, area: Rect) -> Vec<(LineTone, String)> {
    let width = usize::from(area.width);
    let lines = figures::lines(page, width);
    if lines.len() <= usize::from(area.height) { lines } else { figures::lines(page, width.saturating_sub(ARROW)) }
}

/// Returns whether what was found stands on the page: it stays while rows are read again for other columns.
fn shows_report(page: &CheckPage) -> bool {
    match page.run.phase {
        CheckPhase::Reading { .. } => page.choices.stays,
        CheckPhase::Failed(_) => false,
        _ => true,
    }
}

pub(super) fn render(page: &CheckPage, buf: &mut Buffer, area: Rect, context: RenderContext) {
    let focus = page.view.focus;
    let (theme, now) = (context.theme, context.now);
    let area = area.intersection(buf.area);
    if area.is_empty() {
        return;
    }
    let about = match (shows_report(page), area.width < 60) {
        (false, _) => String::new(),
        (true, true) => wording::rows(page.report.rows),
        (true, false) => wording::about(&page.report),
    };
    let mut title = Untrusted::from("Check ");
    title.append(&wording::name(page));
    let (spacing, surface) = (context.session.spacing(), Surface::Ground);
    let pane = Pane { title: &title.line(), note: "", right: &about, right_style: theme.muted, focus, surface };
    pane.render(area, buf, theme, spacing);
    let inside = spacing.pane(area).content;
    let mut canvas = LineCanvas { buf, theme };
    let spin = FrameTime { motion: context.session.motion, now };
    match &page.run.phase {
        CheckPhase::Reading { done, total } if !page.choices.stays => {
            let words = format!("{} reading every row", spin.glyph(page));
            canvas.line(inside, 1, &words, theme.busy);
            moving(page, (*done, *total), &mut canvas, below(inside, 2), spin);
        }
        CheckPhase::Failed(why) => {
            let at = canvas.wrapped(inside, 1, &format!("✕ {}", why.line()), theme.bad);
            canvas.line(inside, at + 2, "r check again", theme.muted);
        }
        _ => {
            head(page, inside).draw(&mut canvas);
            foot(page, &mut canvas, inside, spin);
            for (which, area) in panes(page, inside) {
                part(page, &mut canvas, (area, spacing.within()), which, focus);
            }
        }
    }
}

/// Returns the parts of the page that show, with their areas.
fn panes(page: &CheckPage, area: Rect) -> Vec<(CheckPane, Rect)> {
    let head = head(page, area).rows();
    // A blank row below the summary, where there is room for it.
    let middle = below(area, head + u16::from(area.height > 24));
    let middle = Rect { height: middle.height.saturating_sub(foot_rows(page, area)), ..middle };
    if middle.height == 0 {
        return Vec::new();
    }
    // The panes' rules go from edge to edge.
    let wide = area.width + 2 >= WIDE;
    if !wide {
        return vec![(page.view.pane, middle)];
    }
    let mut left = Rect { width: middle.width / 2, ..middle };
    let right = Rect { x: left.right() + 1, width: middle.width.saturating_sub(left.width + 1), ..middle };
    let lines = figures::lines(page, usize::from(beside_mark(right).width)).len() + 1;
    // The figures have what the repairs leave, and at least what they need where that is no more than half.
    let half = Rect { height: right.height / 2, ..right };
    let upper = right.height.saturating_sub(u16::try_from(lines).unwrap_or(u16::MAX));
    let upper = upper.max(half.height.min(repairs_rows(page, below(half, 1)).saturating_add(2)));
    let mut panes = Vec::new();
    // A file with the usual column names needs no choice.
    let own = page.report.mapping.as_ref().is_some_and(columns::has_own_names);
    if page.view.pane == CheckPane::Columns || own {
        let lines = u16::try_from(page.report.columns.len()).unwrap_or(u16::MAX).saturating_add(1);
        let lines = lines.min(left.height / 2);
        panes.push((CheckPane::Columns, Rect { height: lines, ..left }));
        left = below(left, lines);
    }
    let rest = [(CheckPane::Problems, left), (CheckPane::Repairs, Rect { height: upper, ..right })];
    panes.extend(rest.into_iter().chain([(CheckPane::Figures, below(right, upper))]));
    panes.retain(|(_, area)| area.height > 0);
    panes
}

/// Draws a part of the page, its rule in the first row.
fn part(page: &CheckPage, canvas: &mut LineCanvas, (area, spacing): (Rect, Spacing), which: CheckPane, focus: bool) {
    let report = &page.report;
    let (title, right) = match which {
        CheckPane::Columns => {
            let keys = keys::KEYS.footer(&keys::OF_COLUMNS, page);
            let keys: Vec<String> = keys.into_iter().map(|Hint { key, does }| format!("{key} {does}")).collect();
            ("Columns", keys.join(" · "))
        }
        CheckPane::Problems => {
            let (shown, all) = (report.problems.len() as u64, report.problem_count());
            let first = if shown < all { format!("the first {} · ", count(shown)) } else { String::new() };
            let [next, before] = [Action::Next, Action::Before].map(|action| keys::KEYS.keymap().key(action));
            let keys =
                if area.width < 50 { format!("{next}/{before}") } else { format!("{next} next · {before} previous") };
            ("Problems", if all == 0 { "none".to_owned() } else { format!("{first}{keys}") })
        }
        CheckPane::Repairs => {
            let accepted = page.choices.accepted.iter().filter(|accepted| **accepted).count();
            ("Repairs", format!("{accepted} of {} accepted", report.repairs.len()))
        }
        CheckPane::Figures => ("Figures", String::new()),
    };
    let focus = focus && page.view.pane == which;
    let (right_style, surface) = (canvas.theme.muted, Surface::Ground);
    let row = Rect { height: area.height.min(1), ..area };
    Pane { title, note: "", right: &right, right_style, focus, surface }.render(row, canvas.buf, canvas.theme, spacing);
    let inside = below(area, 1);
    match which {
        CheckPane::Columns => columns::draw(page, canvas, inside, focus),
        CheckPane::Problems => problems(page, canvas, inside, focus),
        CheckPane::Repairs => repairs(page, canvas, inside, focus),
        CheckPane::Figures => {
            let inside = beside_mark(inside);
            let lines = figure_lines(page, inside);
            for (at, (tone, line)) in lines.iter().skip(page.view.figures).take(usize::from(inside.height)).enumerate()
            {
                canvas.line(inside, at, line, tone.style(canvas.theme));
            }
            let shown = page.view.figures..page.view.figures + usize::from(inside.height);
            draw_scroll_arrows(canvas.buf, inside, &shown, lines.len(), canvas.theme);
        }
    }
}
