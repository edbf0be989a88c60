//! The picture of the Chat tab: which panes there are, and what stands in them.

use std::time::Instant;

use ratatui::Frame;
use ratatui::layout::{Position, Rect};
use unicode_width::UnicodeWidthStr;

use super::beside::Beside;
use super::pages::Pages;
use super::rules::{composer_rule, saved};
use super::state::{Focus, State};
use super::{blank, find, probe, side};
use crate::component::RenderContext;
use crate::record::Id;
use crate::text::Untrusted;
use crate::ui::meter;
use crate::ui::rule::{Rule, cut};
use crate::ui::theme::Theme;

/// Columns of the list, its border included.
const LIST: u16 = 28;
/// Columns of the parameter panel.
const PARAMS: u16 = 36;
/// Columns with room for a conversation beside the parameter panel.
const BESIDE_PARAMS: u16 = PARAMS + 44;

/// Whether there is room for panes side by side.
pub(super) fn is_wide(area: (u16, u16)) -> bool {
    area.0 >= 100 && area.1 >= 26
}

/// Whether the parameters cover everything but the list.
pub(super) fn params_cover(state: &State, area: (u16, u16)) -> bool {
    let list = if is_wide(area) && !state.list_hidden { LIST } else { 0 };
    area.0 - list < BESIDE_PARAMS
}

/// Whether the list is on the screen: beside the rest, or as a drawer over it.
pub(super) fn list_shown(state: &State, area: (u16, u16)) -> bool {
    if is_wide(area) { !state.list_hidden } else { state.drawer }
}

/// Where everything is, as of the last frame.
#[derive(Clone, Copy, Debug, Default)]
struct Places {
    list: Rect,
    /// The rows of the list alone.
    rows: Rect,
    transcript: Rect,
    composer: Rect,
    params: Rect,
    probe: Rect,
}

/// The picture, with what it has wrapped already.
#[derive(Debug)]
pub(super) struct View {
    pages: Pages,
    /// Versions of a turn are shown side by side.
    beside: Option<Beside>,
    places: Places,
    /// The message box with its rule.
    message: Rect,
    /// When the last frame was drawn.
    drawn: Option<Instant>,
}

impl State {
    /// Takes the keys away from a pane that is not on the screen.
    pub(super) fn settle(&mut self, area: (u16, u16)) {
        if self.focus == Focus::List && !list_shown(self, area) {
            self.focus = Focus::Transcript;
        }
        self.settle_list();
        self.settle_probe();
        if self.params.is_some() && params_cover(self, area) {
            self.focus = Focus::Params;
        }
    }
}

impl View {
    pub(super) fn new() -> Self {
        Self { pages: Pages::new(), beside: None, places: Places::default(), message: Rect::ZERO, drawn: None }
    }

    pub(super) fn beside(&mut self) -> Option<&mut Beside> {
        self.beside.as_mut()
    }

    pub(super) fn is_beside(&self) -> bool {
        self.beside.is_some()
    }

    pub(super) fn set_beside(&mut self, turn: Option<Id>) {
        self.beside = turn.map(Beside::of);
    }

    pub(super) fn pages(&mut self) -> &mut Pages {
        &mut self.pages
    }

    /// When the listings found without colours are to be asked for: the moment they were drawn.
    pub(super) fn colour_due(&self) -> Option<Instant> {
        self.drawn.filter(|_| !self.pages.uncoloured.is_empty())
    }

    pub(super) fn selected(&self) -> Option<Id> {
        self.pages.selected()
    }

    pub(super) fn deselect(&mut self) {
        self.pages.transcript().select(None);
    }

    pub(super) fn select_entry(&mut self, by: isize) {
        self.pages.transcript().select_entry(by);
    }

    pub(super) fn select_block(&mut self, by: isize) {
        self.pages.transcript().select_code(by);
    }

    pub(super) fn follow(&mut self, follow: bool) {
        self.pages.transcript().set_follow(follow);
    }

    pub(super) fn is_following(&mut self) -> bool {
        self.pages.transcript().follow()
    }

    pub(super) fn top(&mut self) {
        self.pages.transcript().top();
    }

    pub(super) fn page(&mut self, pages: isize) {
        self.pages.transcript().page(pages);
    }

    pub(super) fn half_page(&mut self, halves: isize) {
        let rows = (self.places.transcript.height / 2).max(1) as isize;
        self.pages.transcript().scroll(halves * rows);
    }

    /// Rows of the transcript on the screen.
    pub(super) fn rows(&self) -> u16 {
        self.places.transcript.height
    }

    pub(super) fn begin_find(&mut self) {
        self.pages.transcript().begin_find();
    }

    pub(super) fn find(&mut self, needle: &str) {
        self.pages.transcript().find(needle);
    }

    pub(super) fn find_next(&mut self, back: bool) -> bool {
        self.pages.transcript().find_next(back)
    }

    pub(super) fn toggle_reasoning(&mut self, turn: Option<Id>) {
        if let Some(turn) = turn {
            self.pages.toggle_reasoning(turn);
        }
    }

    pub(super) fn toggle_raw(&mut self, state: &State) {
        self.pages.toggle_raw(state.room());
    }

    pub(super) fn block_text(&self) -> Option<(Untrusted, Untrusted)> {
        self.pages.block_text()
    }

    pub(super) fn wants_older(&self) -> bool {
        self.pages.wants_older()
    }

    /// Draws everything.
    pub(super) fn render(&mut self, frame: &mut Frame, area: Rect, state: &mut State, context: RenderContext) {
        let RenderContext { theme, now, .. } = context;
        state.settle((area.width, area.height));
        // Who looks at it has seen that it failed.
        state.unseen.remove(&state.open);
        self.places = Places::default();
        self.message = Rect::ZERO;
        self.drawn = Some(now);
        let size = (area.width, area.height);
        let mut main = area;
        if is_wide(size) && !state.list_hidden {
            let list = Rect { width: LIST, ..area };
            main = Rect { x: area.x + LIST, width: area.width - LIST, ..area };
            self.list(frame, list, state, context);
            for y in area.y + 1..area.bottom() {
                frame.buffer_mut().set_stringn(main.x - 1, y, "│", 1, theme.rule);
            }
        }
        if state.params.is_some() {
            main = self.params(frame, main, state, theme);
        }
        self.conversation(frame, main, state, context);
        if is_wide(size) && !state.list_hidden {
            frame.buffer_mut().set_stringn(main.x - 1, area.y, "┬", 1, theme.rule);
            let join = self.places.composer.y.saturating_sub(1);
            frame.buffer_mut().set_stringn(main.x - 1, join, "├", 1, theme.rule);
        }
        if !is_wide(size) && state.drawer {
            let drawer = Rect { width: 32.min(area.width), ..area };
            frame.render_widget(ratatui::widgets::Clear, drawer);
            self.list(frame, drawer, state, context);
            for y in area.y + 1..area.bottom() {
                frame.buffer_mut().set_stringn(drawer.right() - 1, y, "│", 1, theme.rule);
            }
        }
        if state.find.is_typing() {
            find::render(frame, self.message, &self.pages.matches(), state, theme);
        }
        if let Some(page) = &mut state.marked {
            page.render(frame, area, theme);
        }
        state.modals.render(frame, area, context);
    }

    /// The parameter panel at the right, or over everything where there is no room. What is left for the rest.
    fn params(&mut self, frame: &mut Frame, area: Rect, state: &mut State, theme: &Theme) -> Rect {
        let focus = state.focus == Focus::Params;
        let beside = area.width >= BESIDE_PARAMS;
        let panel = if beside { Rect { x: area.right() - PARAMS, width: PARAMS, ..area } } else { area };
        self.places.params = panel;
        Rule { title: "Parameters", right: "● sent", right_style: theme.muted, focus }.render(
            panel,
            frame.buffer_mut(),
            theme,
        );
        let inner = Rect {
            x: panel.x + 1,
            y: panel.y + 1,
            width: panel.width.saturating_sub(2),
            height: panel.height.saturating_sub(1),
        };
        state.form.render(frame, inner, theme, focus && !state.is_covered());
        if !beside {
            return Rect { height: 0, ..area };
        }
        for y in area.y..area.bottom() {
            frame.buffer_mut().set_stringn(panel.x - 1, y, "│", 1, theme.rule);
        }
        Rect { width: area.width - PARAMS - 1, ..area }
    }

    /// The title rule, the transcript, the message box.
    fn conversation(&mut self, frame: &mut Frame, area: Rect, state: &mut State, context: RenderContext) {
        let RenderContext { session, theme, .. } = context;
        if area.height < 4 || area.width < 10 {
            return;
        }
        let (columns, rows) = session.area;
        let narrow = columns < 60 || rows < 16 || area.width < 46;
        let focus = !state.is_covered();
        let text_width = area.width.saturating_sub(2);
        let rows = if narrow {
            1
        } else {
            state.editor.rows(text_width, (area.height / 3).max(4)).max(if area.height < 20 { 2 } else { 4 })
        };
        let composer = Rect { y: area.bottom() - rows, height: rows, ..area };
        let rule = Rect { y: composer.y - 1, height: 1, ..area };
        self.message = Rect { height: rows + 1, ..rule };
        let transcript = Rect { y: area.y + 1, height: rule.y - area.y - 1, ..area };
        let strip = probe::rows(state, transcript.height);
        let strip = Rect { y: rule.y - strip, height: strip, ..area };
        let transcript = Rect { height: transcript.height - strip.height, ..transcript };
        self.places.probe = strip;
        self.places.composer = composer;
        self.places.transcript = transcript;
        let room = state.room();
        let (saved, saved_style) = saved(state, session, theme);
        let title = room.conversation.title.line();
        let title = if title.is_empty() { "New conversation".to_owned() } else { title.into_owned() };
        let words = match (room.path.len(), area.width < 90) {
            (1, true) => "msg",
            (_, true) => "msgs",
            (1, false) => "message",
            (_, false) => "messages",
        };
        // A failure needs the place the count would take.
        let failed = room.refusal().is_some() || session.unsaved.is_some();
        let right = match room.path.len() {
            _ if failed => saved,
            0 => saved,
            count => format!("{} {} · {saved}", meter::count(count as u64), words),
        };
        let browsing = state.focus == Focus::Transcript && focus;
        Rule { title: &title, right: &right, right_style: saved_style, focus: browsing }.render(
            Rect { height: 1, ..area },
            frame.buffer_mut(),
            theme,
        );
        if let Some(turn) = state.show_beside.take() {
            match &mut self.beside {
                Some(beside) => beside.turn = turn,
                None => self.set_beside(Some(turn)),
            }
        }
        let here = |turn: &Id| state.rooms.get(&state.open).is_some_and(|room| room.tree.turn(*turn).is_some());
        if let Some(turn) = state.show_turn.filter(here) {
            state.show_turn = None;
            self.set_beside(None);
            self.pages.select(turn, state.seek.take());
        }
        // Another conversation has other turns.
        self.beside = self.beside.filter(|beside| state.room().tree.contains(beside.turn));
        if let Some(beside) = &mut self.beside {
            beside.render(frame, transcript, state, theme);
        } else {
            self.transcript(frame, transcript, state, context);
        }
        probe::render(frame, strip, state, theme);
        let writing = state.focus == Focus::Composer && focus;
        let (name, hints, over) = composer_rule(state, session, narrow, area.width);
        let style = if over { theme.error } else { theme.muted };
        Rule { title: &name, right: &hints, right_style: style, focus: writing }.render(
            rule,
            frame.buffer_mut(),
            theme,
        );
        let box_area = Rect { x: composer.x + 1, width: text_width, ..composer };
        state.editor.render(frame, box_area, theme, writing);
    }

    fn transcript(&mut self, frame: &mut Frame, area: Rect, state: &mut State, context: RenderContext) {
        let RenderContext { session, theme, .. } = context;
        let inner = Rect { x: area.x + 1, width: area.width.saturating_sub(2), ..area };
        self.pages.sync(state, inner.width, context);
        let room = state.room();
        if room.is_blank() {
            blank::render(frame, inner, state, session, theme);
            return;
        }
        if !room.loaded || (self.pages.is_empty() && !room.path.is_empty()) {
            frame.buffer_mut().set_stringn(inner.x, inner.y + 1, "… loading", usize::from(inner.width), theme.muted);
            return;
        }
        // The last row says where one is; where rows are few, only when that is not the end.
        let finding = !state.find.words().is_empty();
        let placed = inner.height >= 9 || (inner.height >= 4 && (finding || !self.pages.transcript().follow()));
        let body = if placed { Rect { height: inner.height - 1, ..inner } } else { inner };
        let caret = room.is_busy().then_some("▍");
        self.pages.render(body, frame, theme, caret, context.now);
        if body.height < inner.height {
            let place = self.pages.place();
            let x = inner.right().saturating_sub(place.width() as u16);
            frame.buffer_mut().set_stringn(x, inner.bottom() - 1, &place, place.width(), theme.muted);
        }
        if state.focus == Focus::Transcript && !state.is_covered() {
            frame.set_cursor_position(Position::new(inner.x, self.pages.cursor_row(body)));
        }
    }

    fn list(&mut self, frame: &mut Frame, area: Rect, state: &mut State, context: RenderContext) {
        let RenderContext { session, theme, now } = context;
        // No room for any row: a terminal this small is told so by the shell.
        if area.height < 6 || area.width < 3 {
            return;
        }
        let focus = state.focus == Focus::List && !state.is_covered();
        Rule { title: "Conversations", right: "", right_style: theme.muted, focus }.render(
            Rect { height: 1, ..area },
            frame.buffer_mut(),
            theme,
        );
        if area.height < 2 || area.width < 2 {
            return;
        }
        let width = usize::from(area.width.saturating_sub(2));
        let words = state.shelf.words();
        let filter = if words.is_empty() { "/ filter".to_owned() } else { format!("/ {}", words.line()) };
        let style = if words.is_empty() { theme.muted } else { theme.accent };
        frame.buffer_mut().set_stringn(area.x + 1, area.y + 1, cut(&filter, width), width, style);
        let place = Rect { x: area.x, y: area.y + 3, width: area.width - 1, height: area.height.saturating_sub(5) };
        self.places.list = area;
        self.places.rows = place;
        let count = state.list().len();
        if count == 0 {
            let words = match (state.heads_loaded, state.shelf.words().is_empty()) {
                (false, _) => "… loading",
                (true, true) if session.unsaved.is_some() => "none can be read",
                (true, true) => "none yet",
                (true, false) => "nothing matches",
            };
            frame.buffer_mut().set_stringn(area.x + 1, place.y, words, width, theme.muted);
        }
        let spin = meter::spinner(now.saturating_duration_since(state.born.unwrap_or(now)), session.motion);
        for (at, y) in state.cursor.window(usize::from(place.height), count).zip(place.y..) {
            let chosen = focus && at == state.cursor.selected;
            side::row(frame, Rect { y, height: 1, ..place }, &state.list()[at], state, chosen, spin, theme);
            if chosen {
                frame.set_cursor_position(Position::new(place.x, y));
            }
        }
        let foot = "n new  b hide";
        frame.buffer_mut().set_stringn(area.x + 1, area.bottom() - 1, cut(foot, width), width, theme.muted);
    }

    /// Which pane a position is in.
    pub(super) fn pane(&self, at: Position) -> Option<Focus> {
        let places = &self.places;
        [
            (places.list, Focus::List),
            (places.params, Focus::Params),
            (places.composer, Focus::Composer),
            (places.probe, Focus::Probe),
            (places.transcript, Focus::Transcript),
        ]
        .into_iter()
        .find(|(area, _)| area.contains(at))
        .map(|(_, focus)| focus)
    }

    /// Which row of the list is at a position.
    pub(super) fn list_row(&self, at: Position, state: &State) -> Option<usize> {
        self.places.rows.contains(at).then(|| state.cursor.top + usize::from(at.y - self.places.rows.y))
    }
}
