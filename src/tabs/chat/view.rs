//! Draws the Chat tab: its panes and their contents.

use std::cell::{Ref, RefCell};
use std::time::Instant;

use ratatui::Frame;
use ratatui::layout::{Position, Rect};
use ratatui::widgets::{Block, Borders, Clear, Widget};

use super::comparison_view::ComparisonView;
use super::layout::ChatLayout;
use super::state::{ChatPane, State};
use super::titles::saved;
use super::transcript::{EntryKey, TranscriptView};
use super::view_requests::ViewedParts;
use super::{empty_state, message_box};
use crate::component::{Component, RenderContext, Session};
use crate::record::Id;
use crate::ui::meter;
use crate::ui::pane::{self, Pane, Surface};
use crate::ui::size_class::has_panes_beside;
use crate::ui::transcript::{COLUMN, Transcript};

/// What is drawn, fitted to the screen.
#[derive(Debug)]
pub(super) struct ChatView {
    /// Drawing keeps what it has styled.
    transcript: RefCell<TranscriptView>,
    /// Versions of a turn are shown side by side.
    comparison: Option<ComparisonView>,
    layout: ChatLayout,
    /// When it was last fitted to the screen.
    arranged: Option<Instant>,
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

    /// Returns when work for what came into view is to be asked for, colours of listings or a comparison: at once.
    pub(super) fn work_due(&self) -> Option<Instant> {
        let compares = self.comparison.as_ref().is_some_and(|view| view.marks.wants_comparison());
        self.arranged.filter(|_| compares || self.borrow_transcript().has_listings())
    }

    /// Returns whether the frame of the message box names its keys.
    pub(super) fn box_names_keys(&self) -> bool {
        self.layout.names_keys
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

    /// Fits the messages, or versions of one, to their place in the layout, after what was asked for and has changed.
    pub(super) fn arrange(&mut self, layout: ChatLayout, mut viewed: ViewedParts, session: &Session, now: Instant) {
        self.layout = layout;
        self.arranged = Some(now);
        if layout.title.is_empty() {
            return;
        }
        let (compared, requests) = (viewed.compared, &mut *viewed.requests);
        let conversation = compared.conversation;
        if let Some(turn) = requests.versions.take() {
            match &mut self.comparison {
                Some(comparison) => comparison.turn = turn,
                None => self.comparison = Some(ComparisonView::of(turn)),
            }
        }
        if let Some(turn) = requests.turn.take_if(|turn| conversation.tree.turn(*turn).is_some()) {
            self.comparison = None;
            self.transcript.get_mut().select(turn, requests.seek.take());
        }
        // The turns of another conversation are other turns.
        self.comparison.take_if(|comparison| !conversation.tree.contains(comparison.turn));
        if let Some(comparison) = &mut self.comparison {
            if let Some((of, found)) = requests.differences.take() {
                comparison.marks.compared(&of, found);
            }
            return comparison.arrange(layout.transcript, compared, session.spacing());
        }
        let inner = layout.inner;
        let view = self.transcript.get_mut();
        view.sync(&mut viewed, inner.width, session, now);
        // The last row shows the words searched for and the position; where there are few rows, only if that is not the
        // end.
        let roomy = session.spacing().has_surfaces() && !layout.is_narrow;
        let placed = inner.height >= 9
            || (inner.height >= 4 && roomy)
            || (inner.height >= 4 && !view.transcript().follow())
            || (inner.height >= 2 && viewed.find.is_shown());
        self.layout.body = if placed { Rect { height: inner.height - 1, ..inner } } else { inner };
        if !conversation.is_blank() && !view.is_loading(conversation) {
            view.arrange(self.layout.body, conversation.is_busy(), now);
        }
    }

    /// Draws everything.
    pub(super) fn render(&self, frame: &mut Frame, area: Rect, state: &State, context: RenderContext) {
        let RenderContext { session, theme, .. } = context;
        let (layout, spacing) = (&self.layout, session.spacing());
        let beside = has_panes_beside(area.width, area.height) && !state.conversations.list.hidden;
        if state.params.is_open() {
            self.params(frame, state, context);
        }
        self.conversation(frame, state, context);
        if beside {
            state.conversations.list.render(frame, layout.list, context);
            let line = Rect { x: layout.list.right() - 1, width: 1, ..area };
            pane::divider(frame.buffer_mut(), line, theme, spacing);
            if !spacing.has_surfaces() && !layout.title.is_empty() {
                frame.buffer_mut().set_stringn(line.x, layout.composer.y.saturating_sub(1), "├", 1, theme.rule);
            }
        } else if state.conversations.list.drawer {
            frame.render_widget(Clear, layout.list);
            state.conversations.list.render(frame, layout.list, context);
            let (x, height) = (layout.list.right().saturating_sub(1), area.height.saturating_sub(1));
            let line = Rect { x, y: area.y + 1, width: 1, height };
            if !spacing.has_surfaces() {
                Block::new().borders(Borders::LEFT).border_style(theme.rule).render(line, frame.buffer_mut());
            }
        }
        if let Some(page) = &state.marks.page {
            page.render(frame, area, context);
        }
        state.modals.render(frame, area, context);
    }

    /// Draws the parameter panel at the right, or over everything where there is no room.
    fn params(&self, frame: &mut Frame, state: &State, context: RenderContext) {
        let RenderContext { session, theme, .. } = context;
        let focus = state.focus == ChatPane::Params;
        let (panel, spacing) = (self.layout.params, session.spacing());
        let right_style = if spacing.has_surfaces() { theme.faint } else { theme.muted };
        // The footer has no room for the key.
        let right = if focus && !state.params.form.typing() { "D keep  • sent" } else { "• sent" };
        let title = Pane { title: "Parameters", note: "", right, right_style, focus, surface: Surface::Panel };
        title.render(panel, frame.buffer_mut(), theme, spacing);
        let inner = spacing.pane(panel).content;
        state.params.form.render(frame, inner, theme, focus && !state.is_covered());
        if self.layout.is_params_beside && !spacing.has_surfaces() {
            for y in panel.y..panel.bottom() {
                frame.buffer_mut().set_stringn(panel.x - 1, y, "│", 1, theme.rule);
            }
        }
    }

    /// Draws the title, the transcript and the message box.
    fn conversation(&self, frame: &mut Frame, state: &State, context: RenderContext) {
        let RenderContext { session, theme, .. } = context;
        let (layout, spacing) = (&self.layout, session.spacing());
        if layout.title.is_empty() {
            return;
        }
        let focus = !state.is_covered();
        let conversation = state.conversation();
        let (saved, right_style) = saved(state, session, theme);
        let title = conversation.record.title.line();
        let title = if title.is_empty() { "New conversation".to_owned() } else { title.into_owned() };
        let count = match (conversation.path.len(), layout.main.width < 90) {
            (0, _) => String::new(),
            (1, true) => "1 msg".to_owned(),
            (count, true) => format!("{} msgs", meter::count(count as u64)),
            (1, false) => "1 message".to_owned(),
            (count, false) => format!("{} messages", meter::count(count as u64)),
        };
        // A failure takes the place of the count.
        let failed = conversation.saves.refusal().is_some() || session.unsaved.is_some();
        let (note, right) = if failed || count.is_empty() {
            (String::new(), saved)
        } else if spacing.has_surfaces() {
            (count, saved)
        } else {
            (String::new(), format!("{count} · {saved}"))
        };
        let browsing = state.focus == ChatPane::Transcript && focus;
        let (title, note, right) = (title.as_str(), note.as_str(), right.as_str());
        let pane = Pane { title, note, right, right_style, focus: browsing, surface: Surface::Ground };
        // With surfaces the title ends where messages do.
        let messages = COLUMN as u16 + 2 * spacing.side();
        let alone = spacing.has_surfaces() && self.comparison.is_none();
        let width = if alone { layout.main.width.min(messages) } else { layout.main.width };
        pane::paint(frame.buffer_mut(), layout.main, Surface::Ground, theme);
        pane.render(Rect { width, ..layout.main }, frame.buffer_mut(), theme, spacing);
        match &self.comparison {
            Some(comparison) => comparison.render(frame, layout.transcript, state.compared(), context),
            None => self.draw_transcript(frame, state, context),
        }
        let reading = state.focus == ChatPane::Probabilities && focus;
        state.probabilities.render(frame, layout.probabilities, conversation, reading, theme);
        let writing = state.focus == ChatPane::Composer && focus;
        message_box::render(frame, layout, state, writing, context);
    }

    fn draw_transcript(&self, frame: &mut Frame, state: &State, context: RenderContext) {
        let RenderContext { session, theme, .. } = context;
        let inner = self.layout.inner;
        let conversation = state.conversation();
        if conversation.is_blank() {
            return empty_state::render(frame, inner, &state.composer, session, theme);
        }
        let mut view = self.transcript.borrow_mut();
        if view.is_loading(conversation) {
            frame.buffer_mut().set_stringn(inner.x, inner.y + 1, "… loading", usize::from(inner.width), theme.muted);
            return;
        }
        view.restyle((conversation, &state.marks), context);
        let body = self.layout.body;
        let caret = conversation.is_busy().then_some("▍");
        view.render(frame, theme, caret);
        if body.height < inner.height {
            let row = Rect { y: inner.bottom() - 1, height: 1, ..inner };
            let place = view.place(&state.find, session.spacing());
            state.find.render(frame, row, &place, theme);
        }
        if state.focus == ChatPane::Transcript && !state.is_covered() {
            frame.set_cursor_position(Position::new(inner.x, view.cursor_row(body)));
        }
    }

    /// Returns which pane a position is in.
    pub(super) fn pane(&self, at: Position) -> Option<ChatPane> {
        self.layout.pane(at)
    }
}
