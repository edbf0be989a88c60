//! Draws the page: the prompt with what the program adds, what the file wants, the answers.

use std::time::Instant;

use ratatui::Frame;
use ratatui::layout::{Position, Rect};

use super::{ModelLane, RowReading, TrialFocus, TrialPage};
use crate::component::{RenderContext, Session};
use crate::tabs::columns::Column;
use crate::tabs::fine_tunes::styled_lines::StyledLine;
use crate::ui::meter;
use crate::ui::pane::{Pane, Spacing, Surface};
use crate::ui::rule::cut;
use crate::ui::wrap;

/// Rows that the answers have at least.
const ANSWERS: u16 = 5;
/// Rows of the prompt at most.
const PROMPT: u16 = 8;
/// Rows of the page from which on there is room for more than prompt, notes and answers.
const TALL: u16 = 20;
/// Names of the columns.
const LETTERS: [&str; super::MOST] = ["A", "B", "C", "D"];

impl TrialPage {
    /// Draws the page.
    pub(super) fn draw(&self, frame: &mut Frame, area: Rect, context: RenderContext) {
        let theme = context.theme;
        let title = self.subject.as_ref().map(|subject| format!("Try {}", subject.name)).unwrap_or_default();
        let right = self.state();
        let (spacing, surface) = (context.session.spacing(), Surface::Ground);
        let focus = self.focus == TrialFocus::Prompt;
        let pane = Pane { title: &title, note: "", right: &right, right_style: theme.muted, focus, surface };
        pane.render(area, frame.buffer_mut(), theme, spacing);
        let prompt = self.prompt_area(area, spacing);
        self.editor.draw(frame, prompt, theme, focus);
        let inner = |y: u16| Rect { y, height: 1, ..prompt }.intersection(area);
        for ((words, style), y) in self.notes(area, context).into_iter().zip(prompt.bottom()..) {
            let place = inner(y);
            if !place.is_empty() {
                let width = usize::from(prompt.width);
                frame.buffer_mut().set_stringn(place.x, place.y, cut(&words, width), width, style);
            }
        }
        let place = self.answers_area(area, spacing);
        let columns: Vec<Column> = self.lanes.iter().map(ModelLane::column).collect();
        self.columns.draw(place, frame.buffer_mut(), &columns, (spacing.within(), theme));
        if self.focus == TrialFocus::Answers {
            frame.set_cursor_position(Position::new(place.x, place.y.min(area.bottom().saturating_sub(1))));
        }
    }

    /// Returns where the prompt stands.
    fn prompt_area(&self, area: Rect, spacing: Spacing) -> Rect {
        let content = spacing.pane(area).content;
        let most = (area.height / 3).clamp(1, PROMPT).min(area.height.saturating_sub(3 + ANSWERS).max(1));
        Rect { height: self.editor.rows(content.width, most), ..content }.intersection(area)
    }

    /// Returns where the answers stand: below the prompt and its notes.
    fn answers_area(&self, area: Rect, spacing: Spacing) -> Rect {
        let others = [!self.added().is_empty(), self.base_note(area, spacing).is_some(), self.is_outdated()];
        let notes = 1 + others.into_iter().map(u16::from).sum::<u16>();
        // With surfaces the columns have no rule above them.
        let blank_rows = u16::from(spacing.has_surfaces() && area.height >= TALL);
        let y = (self.prompt_area(area, spacing).bottom() + notes + blank_rows).min(area.bottom());
        Rect { y, height: area.bottom() - y, ..area }
    }

    /// Returns why the base model's answer may have nothing to do with the row; `None`: that model is not asked, or
    /// there is no room.
    fn base_note(&self, area: Rect, spacing: Spacing) -> Option<String> {
        let base = self.subject.as_ref().map(|subject| &subject.base)?;
        let at = self.lanes.iter().position(|lane| lane.model == *base)?;
        let note = format!("{}, the base model, was not trained on the rows and may say anything.", LETTERS[at]);
        let room = usize::from(spacing.pane(area).content.width);
        (area.height >= TALL && wrap::width(&note) <= room).then_some(note)
    }

    /// Returns whether the answers are to another prompt than the one that is typed.
    fn is_outdated(&self) -> bool {
        self.asked.as_ref().is_some_and(|asked| *asked != self.request())
    }

    /// Fits it to its area.
    pub(super) fn fit(&mut self, area: Rect, session: &Session, now: Instant) {
        let spacing = session.spacing();
        self.width = area.width;
        self.editor.arrange(self.prompt_area(area, spacing));
        self.columns.set_active(self.focus == TrialFocus::Answers);
        let tuned = self.subject.as_ref().map(|subject| &subject.tuned);
        for (at, lane) in self.lanes.iter_mut().enumerate() {
            let role = if Some(&lane.model) == tuned { "tuned " } else { "" };
            lane.title = format!("{} {role}{}", LETTERS[at], lane.model.line()).into();
            lane.foot = lane.words(session, now);
        }
        let place = self.answers_area(area, spacing);
        let columns: Vec<Column> = self.lanes.iter().map(ModelLane::column).collect();
        self.columns.arrange(place, spacing.within(), &columns);
    }

    /// Returns which row is shown, and whether it is edited.
    fn state(&self) -> String {
        let RowReading::Done(examples) = &self.source.reading else { return String::new() };
        let Some(at) = self.source.at else { return "your own prompt".to_owned() };
        let edited = if self.untouched().is_some() { "" } else { " · edited" };
        let first = if examples.part { "first " } else { "" };
        format!("row {} of {first}{}{edited}", at + 1, meter::count(examples.rows.len() as u64))
    }

    /// Returns the lines below the prompt: what is added to it, what the file wants or why it says nothing, and what to
    /// know of the answers.
    fn notes(&self, area: Rect, context: RenderContext) -> Vec<StyledLine> {
        let RenderContext { session, theme, now } = context;
        let mut notes = Vec::new();
        let added = self.added();
        if !added.is_empty() {
            notes.push((added, theme.muted));
        }
        let name = self.subject.as_ref().and_then(|subject| subject.file.as_ref());
        let name = name.map(|(_, name)| name.line().into_owned()).unwrap_or_default();
        let about = match &self.source.reading {
            RowReading::None => ("This job names no training file: type a prompt.".to_owned(), theme.muted),
            RowReading::Fetching(_) | RowReading::Parsing(..) => {
                let spin = meter::spinner(now.saturating_duration_since(self.since.unwrap_or(now)), session.motion);
                (format!("{spin} loading {name}; you can type a prompt meanwhile"), theme.busy)
            }
            RowReading::Failed(why) => {
                (format!("Type a prompt; {name} cannot be read: {}", sentence(&why.line())), theme.warn)
            }
            RowReading::Done(examples) if examples.rows.is_empty() => {
                (format!("{name} has no rows: type a prompt."), theme.muted)
            }
            RowReading::Done(_) => match (self.untouched(), self.source.at) {
                (Some(row), _) => (format!("expected: {}", row.wanted.line()), theme.text),
                (None, Some(_)) => ("edited: F6 restores the row's text and expected answer".to_owned(), theme.muted),
                (None, None) => ("F8 shows the first row of the file".to_owned(), theme.muted),
            },
        };
        notes.push(about);
        notes.extend(self.base_note(area, session.spacing()).map(|note| (note, theme.muted)));
        if self.is_outdated() {
            notes.push((
                format!("the answers below are for another prompt; {} to ask again", self.send_key),
                theme.warn,
            ));
        }
        notes
    }

    /// Returns what the program sends with the prompt, as it stands in the file.
    fn added(&self) -> String {
        let RowReading::Done(examples) = &self.source.reading else { return String::new() };
        let mut parts = Vec::new();
        if !examples.separator.is_empty() && !self.editor.text().ends_with(&examples.separator) {
            parts.push(format!("sent with {:?} at its end", examples.separator));
        }
        if let [first, rest @ ..] = self.before() {
            let more = if rest.is_empty() { String::new() } else { format!(" and {} more", rest.len()) };
            parts.push(format!("after {}: {}{more}", first.role, first.content.line()));
        }
        if let Some(stop) = &examples.stop {
            parts.push(format!("stops at {stop:?}"));
        }
        parts.join(" · ")
    }
}

/// Returns a sentence without its full stop.
fn sentence(words: &str) -> &str {
    words.trim_end_matches('.')
}
