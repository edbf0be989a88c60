//! Several outputs side by side; the first token in which they differ is marked.

mod draw;
mod part;
mod wrapped;

use std::sync::LazyLock;

use crossterm::event::KeyEvent;

use self::wrapped::Wrapped;
use crate::component::{Bindings, Hint, bind};
use crate::record::Token;
use crate::text::Untrusted;
use crate::ui::key_table::ListedKeys;

/// Columns of the screen that an output has at least.
pub(super) const LEAST: u16 = 24;

/// One output.
#[derive(Clone, Copy, Debug)]
pub(super) struct Column<'a> {
    /// What made it: model and what differs in its settings.
    pub(super) title: &'a Untrusted,
    /// Its text so far.
    pub(super) text: &'a Untrusted,
    /// Its tokens as far as they came; may be none, and may lag behind the text.
    pub(super) tokens: &'a [Token],
    /// Tokens, time and cost, in words.
    pub(super) foot: &'a str,
    /// Its state.
    pub(super) state: OutputState<'a>,
    /// Its tokens' log-probability on the average.
    pub(super) mean: Option<f64>,
}

/// The state of an output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum OutputState<'a> {
    /// Not asked yet; its text says what is going to be.
    Unsent,
    /// Asked; nothing has come.
    Waiting,
    /// Refused, and why; asked again in a moment.
    Retrying(&'a Untrusted),
    /// Text arrives.
    Streaming,
    /// Complete.
    Done,
    /// Stopped by the user.
    Stopped,
    /// Broke off, and why.
    CutOff(&'a Untrusted),
    /// Failed before any text, and why.
    Failed(&'a Untrusted),
}

impl OutputState<'_> {
    /// Returns whether more text may come.
    fn grows(self) -> bool {
        matches!(self, Self::Waiting | Self::Retrying(_) | Self::Streaming)
    }
}

/// What a key asks of the owner.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ColumnsEvent {
    /// The picture may be another; nothing to do.
    Moved,
    /// Go on with this output.
    Adopt(usize),
    /// Stop this output.
    Cancel(usize),
    /// Close the columns.
    Close,
}

/// What a key does to the outputs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum ColumnAction {
    Left,
    Right,
    Scroll(isize),
    Alone(isize),
    Page(isize),
    Top,
    Bottom,
    Parting,
    Adopt,
    Cancel,
    Close,
}

use ColumnAction as Action;

/// The outputs' view: which has the focus, and how far they are scrolled. The texts stay with their owner.
#[derive(Debug)]
pub(super) struct Columns {
    /// The output with the focus.
    focus: usize,
    /// Whether the keys go to the outputs, so that one of them is marked as having the focus.
    active: bool,
    /// First row shown of all.
    top: usize,
    /// What each is scrolled besides that.
    alone: Vec<isize>,
    wrapped: Vec<Wrapped>,
    /// Rows of the longest output and of the window, as of the last frame.
    longest: usize,
    window: usize,
    /// Scroll to where the outputs part with the next frame.
    to_parting: bool,
}

/// Keys of the outputs.
static KEYS: LazyLock<Bindings<ColumnAction, ()>> = LazyLock::new(|| {
    Bindings::new(
        "columns",
        vec![
            bind("left < h", Action::Left, "output", "previous output").shown("< >"),
            bind("right > l", Action::Right, "output", "next output"),
            bind("j down", Action::Scroll(1), "scroll", "scroll all down").named(&["scroll-down"]).shown("j k"),
            bind("k up", Action::Scroll(-1), "scroll", "scroll all up").named(&["scroll-up"]),
            bind("J", Action::Alone(1), "scroll one", "scroll this one down").named(&["scroll-one-down"]),
            bind("K", Action::Alone(-1), "scroll one", "scroll this one up").named(&["scroll-one-up"]),
            bind("pagedown", Action::Page(1), "page", "page down").named(&["page-down"]),
            bind("pageup", Action::Page(-1), "page", "page up").named(&["page-up"]),
            bind("g home", Action::Top, "top", "top"),
            bind("G end", Action::Bottom, "end", "end"),
            bind("w", Action::Parting, "difference", "first difference from the first output"),
            bind("enter", Action::Adopt, "use it", "continue with this one"),
            bind("x", Action::Cancel, "stop", "stop this one"),
            bind("esc D", Action::Close, "back", "back"),
        ],
    )
});

impl Default for Columns {
    fn default() -> Self {
        Self {
            focus: 0,
            active: true,
            top: 0,
            alone: Vec::new(),
            wrapped: Vec::new(),
            longest: 0,
            window: 0,
            to_parting: false,
        }
    }
}

impl Columns {
    /// Returns the index of the output with the focus.
    pub(super) fn focus(&self) -> usize {
        self.focus
    }

    /// Puts the focus on an output.
    pub(super) fn set_focus(&mut self, focus: usize) {
        self.focus = focus;
    }

    /// Sets whether the keys go to the outputs or to something else on the page.
    pub(super) fn set_active(&mut self, active: bool) {
        self.active = active;
    }

    /// Takes a key, where there are `count` outputs; `None`: it is not a key of the columns.
    pub(super) fn key(&mut self, key: KeyEvent, count: usize) -> Option<ColumnsEvent> {
        let action = KEYS.find(&key)?;
        self.alone.resize(count, 0);
        self.focus = self.focus.min(count.saturating_sub(1));
        // Scrolling stops at the end, so that scrolling back takes effect at once.
        let most = self.longest.saturating_sub(self.window);
        match action {
            Action::Left => self.focus = self.focus.saturating_sub(1),
            Action::Right => self.focus = (self.focus + 1).min(count.saturating_sub(1)),
            Action::Scroll(rows) => self.top = self.top.saturating_add_signed(rows).min(most),
            Action::Page(pages) => {
                let rows = pages.saturating_mul(self.window.saturating_sub(1).max(1) as isize);
                self.top = self.top.saturating_add_signed(rows).min(most);
            }
            Action::Alone(rows) => {
                if let Some(alone) = self.alone.get_mut(self.focus) {
                    *alone = (*alone + rows).clamp(-(self.top as isize), most as isize);
                }
            }
            Action::Top => {
                self.top = 0;
                self.alone.fill(0);
            }
            Action::Bottom => {
                self.top = most;
                self.alone.fill(0);
            }
            Action::Parting => self.to_parting = true,
            Action::Adopt if count > 0 => return Some(ColumnsEvent::Adopt(self.focus)),
            Action::Cancel if count > 0 => return Some(ColumnsEvent::Cancel(self.focus)),
            Action::Adopt | Action::Cancel => {}
            Action::Close => return Some(ColumnsEvent::Close),
        }
        Some(ColumnsEvent::Moved)
    }

    /// Returns all keys, for the help page.
    pub(super) fn hints() -> Vec<Hint> {
        KEYS.help()
    }

    /// Returns the keys of some actions for the footer, each with what it does there.
    pub(super) fn footer(actions: &[(ColumnAction, &'static str)]) -> Vec<Hint> {
        let hints = |(action, does): &(Action, &'static str)| {
            let does = *does;
            KEYS.footer(&[*action], &()).into_iter().map(move |hint| Hint::new(hint.key, does))
        };
        actions.iter().flat_map(hints).collect()
    }
}

/// Returns its tables of keys, for the list of all keys.
pub(crate) fn listed_keys() -> Vec<ListedKeys> {
    vec![KEYS.listed()]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ui::pane::Spacing;
    use crate::ui::theme::{Depth, Kind, Theme};
    use crossterm::event::KeyCode;
    use ratatui::buffer::Buffer;
    use ratatui::layout::Rect;
    use ratatui::style::Modifier;

    /// An output: its title, its text, where it stands.
    type Output = (Untrusted, Untrusted, OutputState<'static>);

    fn outputs(texts: &[&str]) -> Vec<Output> {
        let title = |at: usize| Untrusted::from(format!("ada · temp {at}"));
        texts.iter().enumerate().map(|(at, text)| (title(at), (*text).into(), OutputState::Done)).collect()
    }

    /// Returns the rows of a drawn buffer, and which cells of it are reversed.
    fn drawn(columns: &mut Columns, outputs: &[Output], width: u16, height: u16) -> (Vec<String>, String) {
        let area = Rect::new(0, 0, width, height);
        let mut buf = Buffer::empty(area);
        let all: Vec<Column> = outputs
            .iter()
            .map(|(title, text, state)| Column {
                title,
                text,
                tokens: &[],
                foot: "16 tok · 0.6 s · $0.0017",
                state: *state,
                mean: Some(-0.61),
            })
            .collect();
        columns.arrange(area, Spacing::Lines, &all);
        columns.draw(area, &mut buf, &all, (Spacing::Lines, &Theme::of(Kind::Mono, Depth::Indexed)));
        let cells = buf.content();
        let rows = cells.chunks(usize::from(width)).map(|row| row.iter().map(ratatui::buffer::Cell::symbol).collect());
        let reversed = cells.iter().filter(|cell| cell.modifier.contains(Modifier::REVERSED));
        (rows.collect(), reversed.map(ratatui::buffer::Cell::symbol).collect())
    }

    fn key(columns: &mut Columns, code: KeyCode, count: usize) -> Option<ColumnsEvent> {
        columns.key(KeyEvent::from(code), count)
    }

    #[test]
    fn they_stand_side_by_side_with_the_place_marked_where_they_part() {
        let outputs = outputs(&["keep the music on", "keep the focus on", "keep the music on"]);
        let (rows, reversed) = drawn(&mut Columns::default(), &outputs, 80, 6);
        assert_eq!(
            rows,
            [
                "━━ ▸ ada · temp 0 ━━━━━━━━ ── ada · temp 1 ────────── ── ada · temp 2 ──────────",
                "┃keep the music on        │┃keep the focus on        │ keep the music on        ",
                "                          │                          │                          ",
                "                          │                          │                          ",
                "                          │                          │                          ",
                " ✓ done · mean −0.61      │ ✓ done · mean −0.61      │ ✓ done · mean −0.61      ",
            ]
        );
        assert_eq!(reversed, "musicfocus");
        let (rows, _) = drawn(&mut Columns::default(), &outputs, 80, 14);
        assert!(rows[13].contains("16 tok · 0.6 s · $0.0017"), "{rows:?}");
    }

    #[test]
    fn where_they_do_not_fit_there_are_pages_and_the_focus_is_always_there() {
        let outputs = outputs(&["one", "two", "three", "four", "five"]);
        let mut columns = Columns::default();
        for (focus, text) in ["one", "two", "three", "four", "five"].iter().enumerate() {
            let (rows, _) = drawn(&mut columns, &outputs, 40, 8);
            assert!(rows[0].contains(&format!("◂ {} of 5 ▸", focus + 1)), "{rows:?}");
            assert!(rows[1].contains(text), "{rows:?}");
            assert!(!rows[1].contains('│'), "one at a time");
            assert_eq!(key(&mut columns, KeyCode::Char('x'), 5), Some(ColumnsEvent::Cancel(focus)));
            assert_eq!(key(&mut columns, KeyCode::Enter, 5), Some(ColumnsEvent::Adopt(focus)));
            assert_eq!(key(&mut columns, KeyCode::Right, 5), Some(ColumnsEvent::Moved));
        }
        assert_eq!(columns.focus(), 4, "the last one stays");
        assert_eq!(key(&mut columns, KeyCode::Esc, 5), Some(ColumnsEvent::Close));
        assert_eq!(key(&mut columns, KeyCode::Char('q'), 5), None);
    }

    #[test]
    fn all_scroll_together_and_one_alone() {
        let long: Vec<String> = (1..=60).map(|row| format!("row {row}")).collect();
        let long = long.join("\n");
        let outputs = outputs(&[&long, &long, "short"]);
        let mut columns = Columns::default();
        let first = |columns: &mut Columns| drawn(columns, &outputs, 80, 12).0[1].clone();
        first(&mut columns);
        for _ in 0..3 {
            key(&mut columns, KeyCode::Char('j'), 3);
        }
        let row = first(&mut columns);
        assert!(row.matches("row 4 ").count() == 2 && row.contains("short"), "what is shorter stays: {row}");
        key(&mut columns, KeyCode::Char('J'), 3);
        let row = first(&mut columns);
        assert!(row.contains("row 5 ") && row.contains("row 4 "), "{row}");
        key(&mut columns, KeyCode::Char('G'), 3);
        assert!(drawn(&mut columns, &outputs, 80, 12).0[9].matches("row 60").count() == 2);
        key(&mut columns, KeyCode::Char('k'), 3);
        assert!(
            drawn(&mut columns, &outputs, 80, 12).0[9].matches("row 59").count() == 2,
            "the way back begins at once"
        );
    }

    #[test]
    fn every_state_says_what_it_is_at_every_size() {
        let mut all = outputs(&["", "half", "", "", "cut", "stop"]);
        let why = || -> &'static Untrusted { Box::leak(Box::new("rate limit: wait 12 s".into())) };
        let states = [
            OutputState::Waiting,
            OutputState::Streaming,
            OutputState::Failed(why()),
            OutputState::Done,
            OutputState::CutOff(why()),
            OutputState::Stopped,
        ];
        for (output, state) in all.iter_mut().zip(states) {
            output.2 = state;
        }
        let (rows, _) = drawn(&mut Columns::default(), &all, 200, 12);
        let picture = rows.join("\n");
        let words = ["… waiting", "● streaming", "✕ rate limit: wait 12 s", "✕ failed", "No text.", "■ stopped"];
        for words in words {
            assert!(picture.contains(words), "{words}: {picture}");
        }
        assert!(picture.contains("✕ cut off: rate limit"), "{picture}");
        for width in 1..60 {
            for height in 1..14 {
                drawn(&mut Columns::default(), &all, width, height);
            }
        }
    }
}
