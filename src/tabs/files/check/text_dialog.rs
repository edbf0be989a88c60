//! The whole text of a problem or a repair, which the lists of the check page cut, as a dialog.

use std::sync::LazyLock;
use std::time::Instant;

use crossterm::event::KeyEvent;
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::Line;

use super::figures::LineTone;
use super::findings_view;
use super::page_view::Finding;
use crate::component::{
    Bindings, Component, Cx, Handled, Hint, RenderContext, Scroll, Session, Step, THIS_DIALOG, bind,
};
use crate::ui::meter::count;
use crate::ui::wrap;

/// The keys that close the dialog; those that scroll are the same in all dialogs.
static CLOSE: LazyLock<Bindings<(), ()>> = LazyLock::new(|| Bindings::new(vec![bind("enter q esc", (), "", "close")]));

/// Shows all of a finding.
#[derive(Debug)]
pub(crate) struct FindingDialog {
    finding: Finding,
    scroll: Scroll,
}

impl FindingDialog {
    /// Creates a dialog that shows a finding.
    pub(crate) fn new(finding: Finding) -> Self {
        Self { finding, scroll: Scroll::default() }
    }

    /// Returns the text in lines of so many columns.
    fn lines(&self, width: usize) -> Vec<(String, LineTone)> {
        match &self.finding {
            Finding::Problem(problem) => {
                let place = format!("line {}, column {}", count(problem.line), count(problem.column));
                let lines = [place, String::new(), problem.words.line().into_owned()];
                let lines = lines.iter().flat_map(|line| wrap::lines(line, width));
                lines.map(|line| (line.to_owned(), LineTone::Plain)).collect()
            }
            Finding::Repair(repair) => findings_view::repair_lines(repair, width),
        }
    }
}

impl<E> Component<Step<E>> for FindingDialog {
    fn key(&mut self, key: KeyEvent, _cx: &mut Cx) -> Handled<Step<E>> {
        if !self.scroll.key(key) && CLOSE.find(&key).is_some() {
            return Handled::close();
        }
        Handled::Consumed
    }

    fn hints(&self) -> Vec<Hint> {
        self.scroll.hints()
    }

    fn help(&self) -> Vec<(&'static str, Vec<Hint>)> {
        vec![(THIS_DIALOG, [Scroll::help(), CLOSE.help()].concat())]
    }

    fn escape(&self) -> Option<&'static str> {
        Some("close the text")
    }

    fn typing(&self) -> bool {
        true
    }

    fn arrange(&mut self, area: Rect, session: &Session, _now: Instant) {
        let len = self.lines(Scroll::text_columns(area)).len();
        self.scroll.arrange_box(len, area, session.palette);
    }

    fn render(&self, frame: &mut Frame, area: Rect, context: RenderContext) {
        let theme = context.theme;
        let lines = self.lines(Scroll::text_columns(area)).into_iter();
        let lines: Vec<Line> = lines.map(|(line, tone)| Line::styled(line, tone.style(theme))).collect();
        let title = match self.finding {
            Finding::Problem(_) => "Problem",
            Finding::Repair(_) => "Repair",
        };
        self.scroll.render_box(frame, area, title, &lines, theme);
    }
}
