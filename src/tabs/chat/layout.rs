//! Where the panes are on a screen of some size.

use ratatui::layout::{Position, Rect};

use super::probabilities;
use super::state::{ChatPane, State};

/// Columns of the list, its border included.
const LIST: u16 = 28;
/// Columns of the list as a drawer.
const DRAWER: u16 = 32;
/// Columns of the parameter panel.
const PARAMS: u16 = 36;
/// Columns with room for a conversation beside the parameter panel.
const BESIDE_PARAMS: u16 = PARAMS + 44;

/// Returns whether there is room for panes side by side.
pub(super) fn is_wide(area: (u16, u16)) -> bool {
    area.0 >= 100 && area.1 >= 26
}

/// Returns whether the parameters cover everything but the list.
pub(super) fn params_cover(state: &State, area: (u16, u16)) -> bool {
    let list = if is_wide(area) && !state.list.hidden { LIST } else { 0 };
    area.0 - list < BESIDE_PARAMS
}

/// Returns whether the list is on the screen: beside the rest, or as a drawer over it.
pub(super) fn list_shown(state: &State, area: (u16, u16)) -> bool {
    if is_wide(area) { !state.list.hidden } else { state.list.drawer }
}

/// The places of the panes; those that are not shown are empty.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ChatLayout {
    pub(super) list: Rect,
    /// The rows of the list alone.
    pub(super) rows: Rect,
    pub(super) params: Rect,
    /// The rule with the conversation's title; empty: there is no room for a conversation.
    pub(super) title: Rect,
    pub(super) transcript: Rect,
    /// The messages, without the row that says where one is.
    pub(super) body: Rect,
    pub(super) probabilities: Rect,
    pub(super) composer: Rect,
    /// The text of the message box.
    pub(super) text: Rect,
    /// Whether the parameters stand beside the conversation.
    pub(super) is_params_beside: bool,
    /// Whether there is little room for the conversation.
    pub(super) is_narrow: bool,
}

impl ChatLayout {
    /// Returns the places in an area; `screen`: columns and rows of the tab.
    pub(super) fn of(area: Rect, state: &State, screen: (u16, u16)) -> Self {
        let mut layout = Self::default();
        let wide = is_wide((area.width, area.height));
        let mut main = area;
        if wide && !state.list.hidden {
            layout.set_list(Rect { width: LIST, ..area });
            main = Rect { x: area.x + LIST, width: area.width - LIST, ..area };
        } else if !wide && state.list.drawer {
            layout.set_list(Rect { width: DRAWER.min(area.width), ..area });
        }
        if state.params.is_open() {
            layout.is_params_beside = main.width >= BESIDE_PARAMS;
            if layout.is_params_beside {
                layout.params = Rect { x: main.right() - PARAMS, width: PARAMS, ..main };
                main.width -= PARAMS + 1;
            } else {
                layout.params = main;
                main.height = 0;
            }
        }
        if main.height >= 4 && main.width >= 10 {
            layout.set_conversation(main, state, screen);
        }
        layout
    }

    fn set_list(&mut self, area: Rect) {
        self.list = area;
        // No room for any row: a terminal this small is told so by the shell.
        if area.height >= 6 && area.width >= 3 {
            self.rows = Rect { x: area.x, y: area.y + 3, width: area.width - 1, height: area.height - 5 };
        }
    }

    fn set_conversation(&mut self, area: Rect, state: &State, (columns, rows): (u16, u16)) {
        self.is_narrow = columns < 60 || rows < 16 || area.width < 46;
        let width = area.width.saturating_sub(2);
        let rows = if self.is_narrow {
            1
        } else {
            state.composer.editor.rows(width, (area.height / 3).max(4)).max(if area.height < 20 { 2 } else { 4 })
        };
        self.title = Rect { height: 1, ..area };
        self.composer = Rect { y: area.bottom() - rows, height: rows, ..area };
        self.text = Rect { x: area.x + 1, width, ..self.composer };
        let rule = self.composer.y - 1;
        let transcript = Rect { y: area.y + 1, height: rule - area.y - 1, ..area };
        let strip = probabilities::rows(state, transcript.height);
        self.probabilities = Rect { y: rule - strip, height: strip, ..area };
        self.transcript = Rect { height: transcript.height - strip, ..transcript };
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
