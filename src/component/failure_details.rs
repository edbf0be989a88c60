//! What is known of a failed call, as a dialog.

use std::sync::LazyLock;
use std::time::Instant;

use crossterm::event::KeyEvent;
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::Line;

use super::{Bindings, Component, Cx, Handled, Hint, RenderContext, Scroll, Session, Step, bind};
use crate::api::call::Failure;
use crate::ui::wrap;

/// The keys that close the dialog; those that scroll are the same in all dialogs.
static CLOSE: LazyLock<Bindings<(), ()>> =
    LazyLock::new(|| Bindings::new(vec![bind("esc enter d D q", (), "close", "close")]));

/// Shows a failure: its sentence, status, code, headers and body.
#[derive(Debug)]
pub struct FailureDetails {
    failure: Failure,
    scroll: Scroll,
}

impl FailureDetails {
    /// Creates a dialog that shows a failure.
    pub fn new(failure: Failure) -> Self {
        Self { failure, scroll: Scroll::default() }
    }
}

impl<E> Component<Step<E>> for FailureDetails {
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
        vec![("Details of a failure", [Scroll::help(), CLOSE.help()].concat())]
    }

    fn arrange(&mut self, area: Rect, session: &Session, _now: Instant) {
        let len = lines(&self.failure, Scroll::text_columns(area)).len();
        self.scroll.arrange_box(len, area, session.palette);
    }

    fn typing(&self) -> bool {
        true
    }

    fn render(&self, frame: &mut Frame, area: Rect, context: RenderContext) {
        let lines = lines(&self.failure, Scroll::text_columns(area)).into_iter();
        let lines: Vec<Line> = lines.map(|line| Line::styled(line, context.theme.text)).collect();
        // Without an answer the words are the program's own.
        let answered = self.failure.status.is_some() || !self.failure.body.is_empty();
        let title = if answered { "What the server said" } else { "Details of the failure" };
        self.scroll.render_box(frame, area, title, &lines, context.theme);
    }
}

/// Returns everything known of a failure, safe for the screen and wrapped at `width` columns.
fn lines(failure: &Failure, width: usize) -> Vec<String> {
    let mut lines = vec![failure.sentence.line().into_owned(), String::new()];
    lines.extend(failure.status.map(|status| format!("status      {status}")));
    lines.extend(failure.code.as_ref().map(|code| format!("code        {}", code.line())));
    lines.extend(failure.request_id.as_ref().map(|id| format!("request id  {}", id.line())));
    if failure.attempts > 1 {
        lines.push(format!("attempts    {}", failure.attempts));
    }
    lines.extend(failure.headers.iter().map(|(name, value)| format!("{name}: {}", value.line())));
    if !failure.body.is_empty() {
        lines.push(String::new());
        lines.extend(failure.body.screen().lines().map(str::to_owned));
    }
    // A space that hangs over the edge must not cost the letter before it.
    lines.iter().flat_map(|line| wrap::lines(line, width)).map(str::to_owned).collect()
}
