//! Draws the findings.

use ratatui::Frame;
use ratatui::layout::{Position, Rect};

use super::super::pane::framed;
use super::{Finding, HygienePane, Page, Severity};
use crate::component::RenderContext;
use crate::ui::pane::{Pane, Surface};
use crate::ui::rule::cut;
use crate::ui::theme::Theme;
use crate::ui::wrap;

/// Columns of the names.
const NAME: usize = 14;
/// From so many rows on there is a blank line between findings.
const TALL: u16 = 24;

impl HygienePane {
    pub(super) fn draw(&self, frame: &mut Frame, area: Rect, context: RenderContext) {
        let theme = context.theme;
        let focus = self.data.focus == Some(Page::Hygiene);
        let wrong = self.findings.iter().filter(|finding| finding.severity == Severity::Wrong).count();
        let odd = self.findings.iter().filter(|finding| finding.severity == Severity::Odd).count();
        let (right, style) = match () {
            () if self.job.of().is_some() => ("looking…".to_owned(), theme.busy),
            () if self.findings.is_empty() => (String::new(), theme.muted),
            () if wrong > 0 => (format!("✕ {wrong} wrong"), theme.bad),
            () if odd > 0 => (format!("! {odd} to check"), theme.warn),
            () => ("✓ no problems".to_owned(), theme.good),
        };
        let spacing = context.session.spacing();
        let (right_style, surface) = (style, Surface::Ground);
        let pane = Pane { title: "Vector checks", note: "", right: &right, right_style, focus, surface };
        pane.render(area, frame.buffer_mut(), theme, spacing);
        let area = framed(area, spacing);
        if area.height < 2 || area.width < 8 {
            return;
        }
        let body = Rect { y: area.y + 1, height: area.height - 1, ..area };
        if self.findings.is_empty() {
            return self.nothing(frame, body, context);
        }
        let blank_rows = usize::from(area.height >= TALL);
        let width = usize::from(area.width);
        let parts: Vec<Vec<String>> =
            self.findings.iter().map(|finding| words(finding, width.saturating_sub(4))).collect();
        let first = first(&parts, blank_rows, self.selected, usize::from(body.height));
        let mut y = body.y;
        for (at, (finding, lines)) in self.findings.iter().zip(&parts).enumerate().skip(first) {
            if y >= body.bottom() {
                break;
            }
            draw_finding(
                frame,
                Rect { y, height: body.bottom() - y, ..body },
                finding,
                focus && at == self.selected,
                theme,
            );
            for line in lines {
                y += 1;
                if y < body.bottom() {
                    frame.buffer_mut().set_stringn(body.x + 4, y, line, width.saturating_sub(4), theme.muted);
                }
            }
            y += 1 + blank_rows as u16;
        }
    }

    fn nothing(&self, frame: &mut Frame, area: Rect, context: RenderContext) {
        let (words, style) = match self.job.failed() {
            Some(why) => (why.line().into_owned(), context.theme.bad),
            None if self.job.of().is_some() => return,
            None if self.data.table.is_none() => {
                ("The texts have no vectors yet: ^R embeds them.".to_owned(), context.theme.muted)
            }
            None => return,
        };
        let width = usize::from(area.width.saturating_sub(2));
        for (line, y) in wrap::lines(&words, width).into_iter().zip(area.y..area.bottom()) {
            frame.buffer_mut().set_stringn(area.x + 1, y, line, width, style);
        }
    }
}

/// Draws the first row of a finding: sign, name and figure.
fn draw_finding(frame: &mut Frame, area: Rect, finding: &Finding, chosen: bool, theme: &Theme) {
    let (sign, style) = match finding.severity {
        Severity::Fine => ("✓", theme.good),
        Severity::Odd => ("!", theme.warn),
        Severity::Wrong => ("✕", theme.bad),
    };
    let width = usize::from(area.width);
    let ground = if chosen { theme.text.patch(theme.select) } else { theme.text };
    let buf = frame.buffer_mut();
    buf.set_style(Rect { height: 1, ..area }, ground);
    if chosen {
        buf.set_stringn(area.x, area.y, "▌", 1, ground.patch(theme.accent));
    }
    buf.set_stringn(area.x + 2, area.y, sign, 1, ground.patch(style));
    buf.set_stringn(area.x + 4, area.y, format!("{:<NAME$}", finding.name), width.saturating_sub(4), ground);
    let room = width.saturating_sub(5 + NAME);
    buf.set_stringn(area.x + 5 + NAME as u16, area.y, cut(&finding.figure, room), room, ground);
    if chosen {
        frame.set_cursor_position(Position::new(area.x + 2, area.y));
    }
}

fn words(finding: &Finding, width: usize) -> Vec<String> {
    wrap::lines(&finding.words, width.max(1)).into_iter().map(str::to_owned).collect()
}

/// Returns the first finding that is drawn, such that the chosen one is wholly visible where there is room for it.
fn first(parts: &[Vec<String>], blank_rows: usize, selected: usize, room: usize) -> usize {
    let tall = |at: usize| 1 + parts[at].len() + blank_rows;
    let mut first = selected.min(parts.len().saturating_sub(1));
    let mut used = parts.get(first).map_or(0, |lines| 1 + lines.len());
    while first > 0 && used + tall(first - 1) <= room {
        first -= 1;
        used += tall(first);
    }
    first
}
