//! Draws versions of a message side by side.

use std::borrow::Cow;
use std::ops::Range;

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::Style;
use unicode_width::UnicodeWidthStr;

use super::conversation::OpenConversation;
use super::responders::Comparison;
use super::turn_tree::TurnTree;
use super::version_marks::VersionMarks;
use crate::component::RenderContext;
use crate::record::{Id, Turn, TurnStatus};
use crate::text::Untrusted;
use crate::ui::canvas::Canvas;
use crate::ui::meter;
use crate::ui::pane::{Pane, Spacing, Surface};
use crate::ui::rule::{cut, cut_middle};
use crate::ui::theme::Theme;
use crate::ui::wrap;

/// Columns a version has at least.
const NARROWEST: u16 = 30;
/// Columns of a title besides its two texts, with the dot before the name: on a surface, and in a rule.
const TITLE: (usize, usize) = (7, 13);
/// A name that is cut to fewer columns tells nothing.
const NAME: usize = 6;

/// What is shown side by side: all versions of a turn, from a row on.
#[derive(Clone, Debug)]
pub(super) struct ComparisonView {
    /// The version in use.
    pub(super) turn: Id,
    /// The first row shown of each.
    top: usize,
    /// Rows below the last one shown of the longest.
    below: usize,
    pub(super) marks: VersionMarks,
}

/// The conversation whose versions are compared, and who answers in it, where several models do.
#[derive(Clone, Copy, Debug)]
pub(super) struct Compared<'a> {
    pub(super) conversation: &'a OpenConversation,
    pub(super) responders: Option<&'a Comparison>,
}

impl ComparisonView {
    pub(super) fn of(turn: Id) -> Self {
        Self { turn, top: 0, below: 0, marks: VersionMarks::default() }
    }

    /// Moves all columns by rows.
    pub(super) fn scroll(&mut self, rows: isize) {
        self.top = self.top.saturating_add_signed(rows.min(self.below as isize));
    }

    /// Finds out how far it can be scrolled in this area, and the words to mark.
    pub(super) fn arrange(&mut self, area: Rect, compared: Compared, spacing: Spacing) {
        let Some(columns) = self.columns(area, compared) else { return };
        let height = usize::from(area.height.saturating_sub(head(spacing, area) + 1));
        let width = usize::from(columns.width.saturating_sub(2).max(1));
        let tree = &compared.conversation.tree;
        let texts = columns.texts(tree);
        let texts: Vec<&str> = texts.iter().map(|text| text.trim_start_matches('\n')).collect();
        let rows = |text: &&str| -> usize { text.lines().map(|line| wrap::lines(line, width).len().max(1)).sum() };
        self.below = texts.iter().map(rows).max().unwrap_or(0).saturating_sub(self.top + height);
        let base = columns.comparable(tree).then(|| columns.ids().iter().position(|id| *id == self.turn)).flatten();
        self.marks.update(&texts, base);
    }

    /// Returns which versions have a column; where there is no room for all, those around the one in use.
    fn columns<'a>(&self, area: Rect, compared: Compared<'a>) -> Option<VersionColumns<'a>> {
        let Compared { conversation, responders } = compared;
        let siblings = conversation.tree.siblings(self.turn);
        let at = siblings.iter().position(|id| *id == self.turn).filter(|_| area.height >= 3)?;
        let coming = responders.filter(|_| conversation.is_busy());
        let coming: Vec<&Untrusted> = coming.map(|comparison| comparison.remaining().collect()).unwrap_or_default();
        let all = siblings.len() + coming.len();
        let count = all.min(usize::from(area.width / NARROWEST).max(1));
        let first = at.saturating_sub(count - 1).min(all - count);
        Some(VersionColumns { siblings, coming, first, count, width: area.width / count as u16 })
    }

    /// Draws the versions, a column each.
    pub(super) fn render(&self, frame: &mut Frame, area: Rect, compared: Compared, context: RenderContext) {
        let RenderContext { session, theme, .. } = context;
        let (spacing, head) = (session.spacing().within(), head(session.spacing(), area));
        let Some(layout) = self.columns(area, compared) else { return };
        let conversation = compared.conversation;
        let VersionColumns { siblings, coming, first, count: columns, width } = &layout;
        let (first, columns, width, all) = (*first, *columns, *width, siblings.len() + coming.len());
        let stand = |place: usize| match siblings.get(place).and_then(|id| conversation.tree.turn(*id)) {
            Some(turn) => status_label(turn, conversation.streaming(turn.id), theme),
            None => (String::new(), theme.muted),
        };
        // Models that have not answered yet have their column already.
        let model = |place: usize| match siblings.get(place) {
            Some(id) => conversation.tree.turn(*id).map(|turn| &turn.model),
            None => coming.get(place - siblings.len()).copied(),
        };
        let named = |place: usize| model(place).filter(|model| !model.is_empty()).map(Untrusted::line);
        let numbered = |place: usize| format!("{} of {all}", place + 1);
        // Columns for a name. If one name is cut, all are cut alike, so that equal names look equal.
        let space = |place: usize| {
            let arrow = if siblings.get(place) == Some(&self.turn) { 2 } else { 0 };
            let around = if spacing.has_surfaces() { TITLE.0 } else { TITLE.1 + arrow };
            usize::from(width).saturating_sub(stand(place).0.width() + numbered(place).width() + around)
        };
        let shown = layout.shown();
        let fit = shown.clone().all(|place| named(place).is_none_or(|name| name.width() <= space(place)));
        let least = shown.map(space).min().unwrap_or(0);
        for nth in 0..columns {
            let place = first + nth;
            let id = siblings.get(place).copied();
            let turn = id.and_then(|id| conversation.tree.turn(id));
            let column = Rect { x: area.x + nth as u16 * width, width, ..area };
            let mut title = numbered(place);
            if let Some(name) = named(place).filter(|_| fit || least >= NAME) {
                let name = if fit { name } else { cut_middle(&name, least).into() };
                title = format!("{title} · {name}");
            }
            let (right, right_style) = stand(place);
            let focus = id == Some(self.turn);
            let row = Rect { height: 1, ..column };
            let pane = Pane { title: &title, note: "", right: &right, right_style, focus, surface: Surface::Ground };
            pane.render(row, frame.buffer_mut(), theme, spacing);
            let inner = Rect {
                x: column.x + 1,
                y: column.y + head,
                width: column.width.saturating_sub(2),
                height: column.height.saturating_sub(head + 1),
            };
            self.marks.draw(Canvas { area: inner, buf: frame.buffer_mut(), theme }, nth, &content(id, turn), self.top);
        }
        let words = self.marks.legend();
        let room = usize::from(width.saturating_sub(2));
        frame.buffer_mut().set_stringn(area.x + 1, area.bottom() - 1, cut(words, room), room, theme.faint);
    }
}

/// Returns the rows above the texts: the titles, and a blank one where there is room.
fn head(spacing: Spacing, area: Rect) -> u16 {
    1 + u16::from(spacing == Spacing::Roomy && area.height > 3)
}

/// The versions that have a column.
struct VersionColumns<'a> {
    siblings: &'a [Id],
    /// Models that answer after those.
    coming: Vec<&'a Untrusted>,
    first: usize,
    count: usize,
    /// Columns of the screen for each.
    width: u16,
}

impl VersionColumns<'_> {
    fn shown(&self) -> Range<usize> {
        self.first..self.first + self.count
    }

    /// Returns the versions shown, without the models that have not begun to answer.
    fn ids(&self) -> &[Id] {
        let end = self.shown().end.min(self.siblings.len());
        self.siblings.get(self.first..end).unwrap_or_default()
    }

    /// Returns the text of each column.
    fn texts<'a>(&self, tree: &'a TurnTree) -> Vec<Cow<'a, str>> {
        let text = |place: usize| {
            let id = self.siblings.get(place).copied();
            content(id, id.and_then(|id| tree.turn(id)))
        };
        self.shown().map(text).collect()
    }

    /// Returns whether there are several versions, and all of them are here and no longer grow.
    fn comparable(&self, tree: &TurnTree) -> bool {
        let whole = |id: &Id| tree.turn(*id).is_some_and(|turn| turn.status != TurnStatus::Streaming);
        self.count > 1 && self.ids().len() == self.count && self.ids().iter().all(whole)
    }
}

/// Returns the text of a column, safe for the screen; `id`: none for a model that has not begun to answer.
fn content(id: Option<Id>, turn: Option<&Turn>) -> Cow<'_, str> {
    match (id, turn) {
        (None, _) => "answers after the previous one".into(),
        (_, None) => "… loading".into(),
        (_, Some(turn)) if turn.error.is_empty() && turn.blocks.is_empty() => turn.content.screen(),
        (_, Some(turn)) if turn.error.is_empty() => turn.said().screen().into_owned().into(),
        (_, Some(turn)) => format!("{}\n\n✕ {}", turn.said().screen(), turn.error.screen()).into(),
    }
}

/// Returns the outcome of an answer, for its column's rule.
fn status_label(turn: &Turn, streams: bool, theme: &Theme) -> (String, Style) {
    match turn.status {
        TurnStatus::Streaming if streams && turn.is_silent() => ("waiting".to_owned(), theme.busy),
        TurnStatus::Streaming if streams => ("streaming".to_owned(), theme.busy),
        TurnStatus::Streaming | TurnStatus::CutOff => ("✕ cut off".to_owned(), theme.bad),
        TurnStatus::Failed => ("✕ failed".to_owned(), theme.bad),
        TurnStatus::Stopped => ("■ stopped".to_owned(), theme.warn),
        TurnStatus::Done if turn.completion_tokens > 0 => {
            let mark = if turn.estimated { "~" } else { "" };
            let arrow = if theme.kind.has_surfaces() { "" } else { "▼" };
            (format!("{mark}{arrow}{} tok", meter::count(turn.completion_tokens)), theme.faint)
        }
        TurnStatus::Done => (String::new(), theme.muted),
    }
}
