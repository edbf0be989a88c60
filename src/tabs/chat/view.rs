//! The picture of the Chat tab: which panes there are, and what stands in them.

use std::cell::{Ref, RefCell};
use std::time::Instant;

use ratatui::Frame;
use ratatui::layout::{Position, Rect};

use super::comparison_view::ComparisonView;
use super::layout::{ChatLayout, is_wide, list_shown, params_cover};
use super::state::{ChatPane, State};
use super::titles::{composer_rule, saved};
use super::transcript::{EntryKey, TranscriptView};
use super::{empty_state, find_line, list_rows, probabilities};
use crate::component::{Component, RenderContext, Session};
use crate::record::Id;
use crate::ui::canvas::Canvas;
use crate::ui::meter;
use crate::ui::rule::{Rule, cut};
use crate::ui::theme::Theme;
use crate::ui::transcript::Transcript;

/// The picture, with what it has wrapped already.
#[derive(Debug)]
pub(super) struct ChatView {
    /// Drawing keeps what it has wrapped and styled.
    transcript: RefCell<TranscriptView>,
    /// Versions of a turn are shown side by side.
    comparison: Option<ComparisonView>,
    layout: ChatLayout,
    /// When it was last fitted to the screen.
    arranged: Option<Instant>,
}

impl State {
    /// Takes the keys away from a pane that is not on the screen.
    fn settle(&mut self, area: (u16, u16)) {
        if self.focus == ChatPane::List && !list_shown(self, area) {
            self.focus = ChatPane::Transcript;
        }
        self.settle_list();
        self.settle_probabilities();
        if self.params.is_open() && params_cover(self, area) {
            self.focus = ChatPane::Params;
        }
    }
}

impl ChatView {
    pub(super) fn new() -> Self {
        Self {
            transcript: RefCell::new(TranscriptView::new()),
            comparison: None,
            layout: ChatLayout::default(),
            arranged: None,
        }
    }

    pub(super) fn comparison(&mut self) -> Option<&mut ComparisonView> {
        self.comparison.as_mut()
    }

    pub(super) fn is_comparing(&self) -> bool {
        self.comparison.is_some()
    }

    pub(super) fn set_comparison(&mut self, turn: Option<Id>) {
        self.comparison = turn.map(ComparisonView::of);
    }

    pub(super) fn transcript_view(&mut self) -> &mut TranscriptView {
        self.transcript.get_mut()
    }

    /// Returns the messages to move in, to select, to find.
    pub(super) fn transcript(&mut self) -> &mut Transcript<EntryKey> {
        self.transcript_view().transcript()
    }

    /// Returns the transcript to look something up.
    pub(super) fn borrow_transcript(&self) -> Ref<'_, TranscriptView> {
        self.transcript.borrow()
    }

    /// Returns when the listings found without colours are to be asked for: the moment they came into view.
    pub(super) fn colour_due(&self) -> Option<Instant> {
        self.arranged.filter(|_| self.borrow_transcript().has_listings())
    }

    pub(super) fn selected(&self) -> Option<Id> {
        self.borrow_transcript().selected()
    }

    pub(super) fn half_page(&mut self, halves: isize) {
        let rows = (self.rows() / 2).max(1) as isize;
        self.transcript().scroll(halves * rows);
    }

    /// Returns rows of the transcript on the screen.
    pub(super) fn rows(&self) -> u16 {
        self.layout.transcript.height
    }

    /// Fits everything to the area: who has the keys, where the panes are, what the transcript shows.
    pub(super) fn arrange(&mut self, area: Rect, state: &mut State, session: &Session, now: Instant) {
        state.settle((area.width, area.height));
        // Who looks at it has seen that it failed.
        state.list.unseen.remove(&state.open);
        self.arranged = Some(now);
        self.layout = ChatLayout::of(area, state, session.area);
        state.composer.editor.arrange(self.layout.text);
        let count = state.list.rows().len();
        if !self.layout.rows.is_empty() {
            state.list.cursor.window(usize::from(self.layout.rows.height), count);
        }
        if self.layout.title.is_empty() {
            return;
        }
        let requests = &mut state.view_requests;
        if let Some(turn) = requests.versions.take() {
            match &mut self.comparison {
                Some(comparison) => comparison.turn = turn,
                None => self.comparison = Some(ComparisonView::of(turn)),
            }
        }
        let here = |turn: &Id| {
            state.conversations.get(&state.open).is_some_and(|conversation| conversation.tree.turn(*turn).is_some())
        };
        if let Some(turn) = state.view_requests.turn.take_if(|turn| here(turn)) {
            self.comparison = None;
            self.transcript.get_mut().select(turn, state.view_requests.seek.take());
        }
        // Another conversation has other turns.
        self.comparison.take_if(|comparison| !state.conversation().tree.contains(comparison.turn));
        if let Some(comparison) = &mut self.comparison {
            return comparison.arrange(self.layout.transcript, state, now);
        }
        let transcript = self.layout.transcript;
        let inner = Rect { x: transcript.x + 1, width: transcript.width.saturating_sub(2), ..transcript };
        let view = self.transcript.get_mut();
        view.sync(state, inner.width, session, now);
        // The last row says what is looked for and where one is; where rows are few, only when that is not the end.
        let placed = inner.height >= 9
            || (inner.height >= 4 && !view.transcript().follow())
            || (inner.height >= 2 && state.find.is_shown());
        self.layout.body = if placed { Rect { height: inner.height - 1, ..inner } } else { inner };
        if !state.conversation().is_blank() && !view.is_loading(state.conversation()) {
            view.arrange(self.layout.body, state.conversation().is_busy(), now);
        }
    }

    /// Draws everything.
    pub(super) fn render(&self, frame: &mut Frame, area: Rect, state: &State, context: RenderContext) {
        let RenderContext { theme, .. } = context;
        let size = (area.width, area.height);
        let mut left = area.x;
        if is_wide(size) && !state.list.hidden {
            self.list(frame, self.layout.list, state, context);
            left = self.layout.list.right();
            vertical_rule(frame, left - 1, area, theme);
        }
        if state.params.is_open() {
            self.params(frame, state, theme);
        }
        self.conversation(frame, state, context);
        if is_wide(size) && !state.list.hidden {
            frame.buffer_mut().set_stringn(left - 1, area.y, "┬", 1, theme.rule);
            let join = self.layout.composer.y.saturating_sub(1);
            frame.buffer_mut().set_stringn(left - 1, join, "├", 1, theme.rule);
        }
        if !is_wide(size) && state.list.drawer {
            let drawer = self.layout.list;
            frame.render_widget(ratatui::widgets::Clear, drawer);
            self.list(frame, drawer, state, context);
            vertical_rule(frame, drawer.right() - 1, area, theme);
        }
        if let Some(page) = &state.marks_page {
            page.render(frame, area, context);
        }
        state.modals.render(frame, area, context);
    }

    /// Draws the parameter panel at the right, or over everything where there is no room.
    fn params(&self, frame: &mut Frame, state: &State, theme: &Theme) {
        let focus = state.focus == ChatPane::Params;
        let panel = self.layout.params;
        let rule = Rule { title: "Parameters", right: "● sent", right_style: theme.muted, focus };
        rule.render(panel, frame.buffer_mut(), theme);
        let (width, height) = (panel.width.saturating_sub(2), panel.height.saturating_sub(1));
        let inner = Rect { x: panel.x + 1, y: panel.y + 1, width, height };
        state.params.form.render(frame, inner, theme, focus && !state.is_covered());
        if self.layout.is_params_beside {
            for y in panel.y..panel.bottom() {
                frame.buffer_mut().set_stringn(panel.x - 1, y, "│", 1, theme.rule);
            }
        }
    }

    /// Draws the title rule, the transcript and the message box.
    fn conversation(&self, frame: &mut Frame, state: &State, context: RenderContext) {
        let RenderContext { session, theme, .. } = context;
        let ChatLayout { title: area, transcript, composer, .. } = self.layout;
        if area.is_empty() {
            return;
        }
        let focus = !state.is_covered();
        let conversation = state.conversation();
        let (saved, saved_style) = saved(state, session, theme);
        let title = conversation.record.title.line();
        let title = if title.is_empty() { "New conversation".to_owned() } else { title.into_owned() };
        let words = match (conversation.path.len(), area.width < 90) {
            (1, true) => "msg",
            (_, true) => "msgs",
            (1, false) => "message",
            (_, false) => "messages",
        };
        // A failure needs the place the count would take.
        let failed = conversation.saves.refusal().is_some() || session.unsaved.is_some();
        let right = match conversation.path.len() {
            _ if failed => saved,
            0 => saved,
            count => format!("{} {} · {saved}", meter::count(count as u64), words),
        };
        let browsing = state.focus == ChatPane::Transcript && focus;
        let rule = Rule { title: &title, right: &right, right_style: saved_style, focus: browsing };
        rule.render(area, frame.buffer_mut(), theme);
        match &self.comparison {
            Some(comparison) => comparison.render(frame, transcript, state, theme),
            None => self.draw_transcript(frame, transcript, state, context),
        }
        probabilities::render(frame, self.layout.probabilities, state, theme);
        let writing = state.focus == ChatPane::Composer && focus;
        let (name, hints, over) = composer_rule(state, session, self.layout.is_narrow, area.width);
        let style = if over { theme.bad } else { theme.muted };
        let rule = Rule { title: &name, right: &hints, right_style: style, focus: writing };
        rule.render(Rect { y: composer.y - 1, height: 1, ..composer }, frame.buffer_mut(), theme);
        state.composer.editor.draw(frame, self.layout.text, theme, writing);
    }

    fn draw_transcript(&self, frame: &mut Frame, area: Rect, state: &State, context: RenderContext) {
        let RenderContext { session, theme, .. } = context;
        let inner = Rect { x: area.x + 1, width: area.width.saturating_sub(2), ..area };
        let conversation = state.conversation();
        if conversation.is_blank() {
            return empty_state::render(frame, inner, state, session, theme);
        }
        let mut view = self.transcript.borrow_mut();
        if view.is_loading(conversation) {
            frame.buffer_mut().set_stringn(inner.x, inner.y + 1, "… loading", usize::from(inner.width), theme.muted);
            return;
        }
        view.restyle(state, context);
        let body = self.layout.body;
        let caret = conversation.is_busy().then_some("▍");
        view.render(body, frame, theme, caret);
        if body.height < inner.height {
            let row = Rect { y: inner.bottom() - 1, height: 1, ..inner };
            find_line::render(frame, row, &view.place(&state.find), &state.find, theme);
        }
        if state.focus == ChatPane::Transcript && !state.is_covered() {
            frame.set_cursor_position(Position::new(inner.x, view.cursor_row(body)));
        }
    }

    fn list(&self, frame: &mut Frame, area: Rect, state: &State, context: RenderContext) {
        let RenderContext { session, theme, now } = context;
        let place = self.layout.rows;
        if place.is_empty() {
            return;
        }
        let focus = state.focus == ChatPane::List && !state.is_covered();
        let rule = Rule { title: "Conversations", right: "", right_style: theme.muted, focus };
        rule.render(Rect { height: 1, ..area }, frame.buffer_mut(), theme);
        let width = usize::from(area.width.saturating_sub(2));
        let words = state.list.items.words();
        let filter = if words.is_empty() { "/ filter".to_owned() } else { format!("/ {}", words.line()) };
        let style = if words.is_empty() { theme.muted } else { theme.accent };
        frame.buffer_mut().set_stringn(area.x + 1, area.y + 1, cut(&filter, width), width, style);
        let count = state.list.rows().len();
        if count == 0 {
            let words = match (state.list.loaded, state.list.items.words().is_empty()) {
                (false, _) => "… loading",
                (true, true) if session.unsaved.is_some() => "none can be read",
                (true, true) => "none yet",
                (true, false) => "nothing matches",
            };
            frame.buffer_mut().set_stringn(area.x + 1, place.y, words, width, theme.muted);
        }
        let spin = meter::spinner(state.animation.elapsed(now), session.motion);
        for (at, y) in (state.list.cursor.top..count).zip(place.y..place.bottom()) {
            let chosen = focus && at == state.list.cursor.selected;
            let canvas = Canvas { area: Rect { y, height: 1, ..place }, buf: frame.buffer_mut(), theme };
            list_rows::render(canvas, &state.list.rows()[at], state, chosen, spin);
            if chosen {
                frame.set_cursor_position(Position::new(place.x, y));
            }
        }
        let foot = "n new  b hide";
        frame.buffer_mut().set_stringn(area.x + 1, area.bottom() - 1, cut(foot, width), width, theme.muted);
    }

    /// Returns which pane a position is in.
    pub(super) fn pane(&self, at: Position) -> Option<ChatPane> {
        self.layout.pane(at)
    }

    /// Returns which row of the list is at a position.
    pub(super) fn list_row(&self, at: Position, state: &State) -> Option<usize> {
        let rows = self.layout.rows;
        rows.contains(at).then(|| state.list.cursor.top + usize::from(at.y - rows.y))
    }
}

/// Draws the line between two panes, below their titles.
fn vertical_rule(frame: &mut Frame, x: u16, area: Rect, theme: &Theme) {
    for y in area.y + 1..area.bottom() {
        frame.buffer_mut().set_stringn(x, y, "│", 1, theme.rule);
    }
}
