//! The page that shows all that is known of a job.

use std::sync::LazyLock;

use crossterm::event::KeyEvent;
use ratatui::Frame;
use ratatui::layout::{Position, Rect};

use crate::component::{Bindings, Component, Cx, Handled, Hint, RenderContext, bind, bind_all};
use crate::ui::key_table::ListedKeys;
use crate::ui::pane::{Pane, Spacing, Surface};

/// Columns of a label.
pub(super) const LABEL: usize = 14;
/// Columns of the page's facts at most.
const WIDEST: usize = 96;

/// The page with all that is known of a job. Its rows are set whenever it is arranged.
#[derive(Debug, Default)]
pub(super) struct DetailsPage {
    title: String,
    place: String,
    rows: Vec<String>,
    /// The first row shown, and how many there is room for.
    top: usize,
    height: usize,
}

impl DetailsPage {
    /// Sets what it shows: title and place of the job, rows of at most so many columns.
    pub(super) fn set(
        &mut self,
        (title, place): (String, String),
        (area, spacing): (Rect, Spacing),
        rows: impl FnOnce(usize) -> Vec<String>,
    ) {
        (self.title, self.place) = (title, place);
        let inside = inside(area, spacing);
        self.rows = rows(usize::from(inside.width).min(WIDEST));
        self.height = usize::from(inside.height);
        self.scroll(0);
    }

    /// Shows the first row.
    pub(super) fn scroll_to_top(&mut self) {
        self.top = 0;
    }

    /// Scrolls by rows.
    pub(super) fn scroll(&mut self, rows: isize) {
        self.top = self.top.saturating_add_signed(rows).min(self.rows.len().saturating_sub(self.height));
    }
}

/// What a key of the page does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Action {
    /// Scrolls by rows.
    Scroll(isize),
    /// Goes to another job.
    Job(isize),
    /// Leaves the page.
    Close,
}

static KEYS: LazyLock<Bindings<Action, DetailsPage>> = LazyLock::new(|| {
    Bindings::new(
        "tune.details",
        vec![
            bind_all([("j down", Action::Scroll(1)), ("k up", Action::Scroll(-1))], "scroll", "scroll")
                .named(&["scroll-down", "scroll-up"])
                .does(&["scroll down", "scroll up"]),
            bind_all([("pagedown", Action::Scroll(10)), ("pageup", Action::Scroll(-10))], "", "")
                .named(&["page-down", "page-up"])
                .does(&["page down", "page up"]),
            bind_all([("<", Action::Job(-1)), (">", Action::Job(1))], "job", "previous, next job")
                .named(&["previous-job", "next-job"])
                .does(&["previous job", "next job"]),
            bind("esc enter", Action::Close, "back", "back"),
        ],
    )
});

/// What the page asks of the tab.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum DetailsEvent {
    /// Another job is to be shown, so many places on.
    Job(isize),
    /// The page is left.
    Close,
}

impl Component<DetailsEvent> for DetailsPage {
    fn key(&mut self, key: KeyEvent, _cx: &mut Cx) -> Handled<DetailsEvent> {
        match KEYS.find(&key) {
            Some(Action::Scroll(rows)) => self.scroll(rows),
            Some(Action::Job(places)) => return Handled::Emit(DetailsEvent::Job(places)),
            Some(Action::Close) => return Handled::Emit(DetailsEvent::Close),
            None => return Handled::Ignored,
        }
        Handled::Consumed
    }

    fn hints(&self) -> Vec<Hint> {
        KEYS.footer(&[Action::Scroll(1), Action::Job(1)], self)
    }

    fn help(&self) -> Vec<(&'static str, Vec<Hint>)> {
        vec![("Details", KEYS.help())]
    }

    fn escape(&self) -> Option<&'static str> {
        Some("back")
    }

    fn render(&self, frame: &mut Frame, area: Rect, context: RenderContext) {
        let theme = context.theme;
        let (spacing, surface) = (context.session.spacing(), Surface::Ground);
        let (title, right) = (&*self.title, &*self.place);
        let pane = Pane { title, note: "", right, right_style: theme.muted, focus: true, surface };
        pane.render(area, frame.buffer_mut(), theme, spacing);
        let place = inside(area, spacing);
        for (row, y) in self.rows[self.top..].iter().zip(place.y..place.bottom()) {
            let at = row.char_indices().nth(LABEL).map_or(row.len(), |(at, _)| at);
            let (label, value) = row.split_at(at);
            let buf = frame.buffer_mut();
            let (x, _) = buf.set_stringn(place.x, y, label, usize::from(place.width), theme.muted);
            buf.set_stringn(x, y, value, usize::from(place.right().saturating_sub(x)), theme.text);
        }
        frame.set_cursor_position(Position::new(place.x.min(area.right() - 1), place.y.min(area.bottom() - 1)));
    }
}

/// Returns where the rows of the page stand.
fn inside(area: Rect, spacing: Spacing) -> Rect {
    let content = spacing.pane(area).content;
    let blank_rows = u16::from(area.height > 14 && !spacing.has_surfaces());
    Rect { y: content.y + blank_rows, ..content }.intersection(area)
}

/// Returns its tables of keys, for the list of all keys.
pub(crate) fn listed_keys() -> Vec<ListedKeys> {
    vec![KEYS.listed()]
}
