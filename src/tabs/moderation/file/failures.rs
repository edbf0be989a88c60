//! The texts that failed, each with its sentence, to be tried again.

use std::sync::LazyLock;

use ratatui::Frame;
use ratatui::layout::{Position, Rect};

use super::super::page_data::{head, quiet_style};
use super::open_file::OpenTextFile;
use crate::component::{Bindings, Motion, RenderContext, Session, bind, motions};
use crate::ui::key_table::ListedKeys;
use crate::ui::list::Cursor;
use crate::ui::meter::count;
use crate::ui::pane;
use crate::ui::rule::cut;

/// What a key asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Action {
    Close,
    /// Try all of them again.
    Retry,
    /// Show the text under the cursor.
    Show,
    Go(Motion),
}

use Action as A;

/// Actions in the footer.
pub(super) const FOOTER: [A; 3] = [A::Retry, A::Show, A::Go(Motion::Down)];

/// Keys of the page.
pub(super) static KEYS: LazyLock<Bindings<Action, FailureList>> = LazyLock::new(|| {
    let mut list = vec![
        bind("r", A::Retry, "try again", "try again"),
        bind("enter", A::Show, "whole text", "whole text"),
        bind("esc", A::Close, "all rows", "all rows"),
    ];
    list.extend(motions(A::Go, "text"));
    Bindings::new("moderate.file-failures", list)
});

/// The list's cursor.
#[derive(Debug, Default)]
pub(super) struct FailureList {
    cursor: Cursor,
    page: usize,
}

impl FailureList {
    /// Moves the cursor in a list of `len` texts.
    pub(super) fn go(&mut self, motion: Motion, len: usize) {
        self.cursor.move_by(motion.rows(self.page + 1), len);
    }

    /// Returns the place of the text under the cursor.
    pub(super) fn at(&self) -> usize {
        self.cursor.selected
    }

    /// Fits the list to the area.
    pub(super) fn arrange(&mut self, area: Rect, open: &OpenTextFile, session: &Session) {
        // Two lines each: which one, and why.
        self.page = usize::from(session.spacing().body(area).height / 2).max(1);
        let failures = open.run.as_ref().map_or(0, |run| run.failures().len());
        self.cursor.window(self.page, failures);
    }

    pub(super) fn render(&self, frame: &mut Frame, area: Rect, open: &OpenTextFile, context: RenderContext) {
        let theme = context.theme;
        let failures = open.run.as_ref().map_or(&[][..], |run| run.failures());
        let title =
            format!("{} text{} failed", count(failures.len() as u64), if failures.len() == 1 { "" } else { "s" });
        head(frame, area, (&title, ""), quiet_style(context), context);
        let body = context.session.spacing().body(area);
        let mut cursor = self.cursor;
        let window = cursor.window(self.page, failures.len());
        for (at, y) in window.zip((body.y..body.bottom().saturating_sub(1)).step_by(2)) {
            let Some(row) = row(open, at) else { continue };
            let chosen = at == self.cursor.selected;
            let style = if chosen { theme.text.patch(theme.select) } else { theme.text };
            let width = usize::from(body.width);
            if chosen {
                pane::highlight(frame.buffer_mut(), Rect { y, height: 1, ..area }, theme, true);
                frame.set_cursor_position(Position::new(area.x, y));
            }
            let words = format!("{}  {}", count(row as u64 + 1), open.dataset.excerpt(row));
            let buf = frame.buffer_mut();
            buf.set_string(body.x + 1, y, cut(&words, width.saturating_sub(2)), style);
            let why = format!("✕ {}", failures[at].why.line());
            buf.set_string(body.x + 3, y + 1, cut(&why, width.saturating_sub(4)), theme.bad);
        }
    }
}

/// Returns the first row of the file with the text that failed at this place of the list.
pub(super) fn row(open: &OpenTextFile, at: usize) -> Option<usize> {
    let run = open.run.as_ref()?;
    let text = run.text(run.failures().get(at)?.item);
    open.dataset.texts().get(text as usize).map(|text| text.first as usize)
}

/// Returns its tables of keys, for the list of all keys.
pub(crate) fn listed_keys() -> Vec<ListedKeys> {
    vec![KEYS.listed()]
}
