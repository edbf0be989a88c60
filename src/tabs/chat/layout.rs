//! Places the panes on a screen of any size.

use ratatui::layout::{Position, Rect};

use super::conversation_list::ConversationsPane;
use super::state::{ChatPane, State};
use crate::component::Session;
use crate::ui::pane::Spacing;
use crate::ui::size_class::has_panes_beside;
use crate::ui::transcript::COLUMN;

/// Columns of the list, its border included; and from so many columns of the screen on.
const LIST: u16 = 28;
const WIDE_LIST: (u16, u16) = (50, 160);
/// Columns of the list as a drawer.
const DRAWER: u16 = 32;
/// Columns of the parameter panel.
const PARAMS: u16 = 36;
/// Columns from which on the message box names its keys.
pub(super) const KEYS: u16 = 88;
/// Columns with room for a conversation beside the parameter panel.
const BESIDE_PARAMS: u16 = PARAMS + 44;

/// Returns the columns of the list on a screen of so many columns.
fn list_columns(width: u16) -> u16 {
    if width < WIDE_LIST.1 { LIST } else { WIDE_LIST.0 }
}

/// Returns whether the parameters cover everything but the list.
pub(super) fn params_cover(list: &ConversationsPane, area: (u16, u16)) -> bool {
    let list = if has_panes_beside(area.0, area.1) && !list.hidden { list_columns(area.0) } else { 0 };
    area.0 - list < BESIDE_PARAMS
}

/// The places of the panes; those that are not shown are empty.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ChatLayout {
    pub(super) list: Rect,
    pub(super) params: Rect,
    /// The conversation: title, messages and message box.
    pub(super) main: Rect,
    /// The row with the conversation's title; empty: there is no room for a conversation.
    pub(super) title: Rect,
    /// The area of the messages, or of the versions of one.
    pub(super) transcript: Rect,
    /// The same without the column for marks, and without blank columns.
    pub(super) inner: Rect,
    /// The messages, without the row that says where one is.
    pub(super) body: Rect,
    pub(super) probabilities: Rect,
    /// The message box, with its frame where it has one.
    pub(super) composer: Rect,
    /// The row of the message box with the files that go with it; empty: there are none.
    pub(super) files: Rect,
    /// The text of the message box.
    pub(super) text: Rect,
    /// Whether the parameters stand beside the conversation.
    pub(super) is_params_beside: bool,
    /// Whether there is little room for the conversation.
    pub(super) is_narrow: bool,
    /// Whether the frame of the message box names its keys.
    pub(super) names_keys: bool,
}

impl ChatLayout {
    /// Returns the places in an area.
    pub(super) fn of(area: Rect, state: &State, session: &Session) -> Self {
        let mut layout = Self::default();
        let spacing = session.spacing();
        let wide = has_panes_beside(area.width, area.height);
        let mut main = area;
        if wide && !state.conversations.list.hidden {
            let columns = list_columns(area.width);
            layout.list = Rect { width: columns, ..area };
            main = Rect { x: area.x + columns, width: area.width - columns, ..area };
        } else if !wide && state.conversations.list.drawer {
            layout.list = Rect { width: DRAWER.min(area.width), ..area };
        }
        if state.params.is_open() {
            layout.is_params_beside = main.width >= BESIDE_PARAMS;
            if layout.is_params_beside {
                layout.params = Rect { x: main.right() - PARAMS, width: PARAMS, ..main };
                main.width -= PARAMS + u16::from(!spacing.has_surfaces());
            } else {
                layout.params = main;
                main.height = 0;
            }
        }
        if main.height >= 4 && main.width >= 10 {
            layout.set_conversation(main, state, session);
        }
        layout
    }

    fn set_conversation(&mut self, area: Rect, state: &State, session: &Session) {
        let (spacing, (columns, rows)) = (session.spacing(), session.area);
        self.main = area;
        self.is_narrow = columns < 60 || rows < 16 || area.width < 46;
        self.title = spacing.pane(area).title;
        self.set_composer(area, state, spacing);
        self.names_keys = spacing.has_surfaces() && !self.is_narrow && area.width >= KEYS;
        let top = spacing.pane(area).content.y;
        // Without surfaces, the box has a rule above it.
        let end = self.composer.y - u16::from(!spacing.has_surfaces());
        let all = Rect { y: top, height: end.saturating_sub(top), ..area };
        let strip = state.probabilities.rows(state.conversation(), all.height);
        let content = spacing.padded(all);
        self.transcript = match spacing {
            Spacing::Lines => all,
            Spacing::Compact | Spacing::Roomy => Rect { x: content.x - 1, width: content.width + 1, ..all },
        };
        self.probabilities = Rect { y: end - strip, height: strip, ..self.transcript };
        self.transcript.height -= strip;
        let (x, width) = (self.transcript.x + 1, self.transcript.width - 1);
        self.inner = Rect { x, width: width - u16::from(spacing == Spacing::Lines), ..self.transcript };
    }

    /// Places the message box and its text.
    fn set_composer(&mut self, area: Rect, state: &State, spacing: Spacing) {
        let framed = spacing.has_surfaces() && !self.is_narrow;
        let place = match spacing {
            // The box is as wide as messages are.
            Spacing::Roomy => {
                let content = spacing.padded(area);
                Rect { width: content.width.min(COLUMN as u16), ..content }
            }
            Spacing::Compact if framed => spacing.padded(area),
            _ => area,
        };
        // Rows of the frame, rows below it, columns beside the text.
        let (around, below) = if framed { (1, u16::from(area.height >= 20)) } else { (0, 0) };
        let side = if spacing.has_surfaces() { 2 } else { 1 };
        let width = place.width.saturating_sub(2 * side);
        let least = if spacing == Spacing::Compact || area.height < 20 { 2 } else { 4 };
        let most = (area.height / 3).max(4);
        let rows = if self.is_narrow { 1 } else { state.composer.editor.rows(width, most).max(least) };
        let files = u16::from(state.composer.attachments.is_shown() && area.height >= 7);
        let height = rows + files + 2 * around;
        self.composer = Rect { y: area.bottom() - below - height, height, ..place };
        let (x, y) = (self.composer.x + side, self.composer.y + around);
        self.files = Rect { x, y, width, height: files };
        self.text = Rect { x, y: y + files, width, height: rows };
    }

    /// Returns the pane at a position.
    pub(super) fn pane(&self, at: Position) -> Option<ChatPane> {
        let panes = [
            (self.list, ChatPane::List),
            (self.params, ChatPane::Params),
            (self.composer, ChatPane::Composer),
            (self.probabilities, ChatPane::Probabilities),
            (self.transcript, ChatPane::Transcript),
        ];
        panes.into_iter().find(|(area, _)| area.contains(at)).map(|(_, focus)| focus)
    }
}
