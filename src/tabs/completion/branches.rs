//! The small tree of branches: the places where the text could continue in several ways, and the beginning of each.

use std::ops::Range;

use ratatui::Frame;
use ratatui::layout::Rect;

use super::history::EditHistory;
use super::prompt_text::PromptText;
use super::state::State;
use crate::record::{Id, Made, Step};
use crate::text::Untrusted;
use crate::ui::list::{Cursor, draw_scroll_arrows};
use crate::ui::pane;
use crate::ui::rule::cut;
use crate::ui::theme::Theme;
use crate::ui::wrap;

/// Bytes of a text that are looked at.
const BEGINNING: usize = 400;
/// Bytes that branches may begin with alike before they are shown only from where they differ.
const ALIKE: usize = 16;

/// Returns `branch 2 of 3` of the branches at the last generated part, `3 branches` where none of them is in the text any
/// more; `None`: there is one.
pub(super) fn words(history: &EditHistory) -> Option<String> {
    let id = history.last_generated()?;
    let all = history.branches_of(id);
    let at = all.iter().position(|other| *other == id)? + 1;
    let many = all.len();
    let words = if history.generated().part_from(id).is_some() {
        format!("branch {at} of {many}")
    } else {
        format!("{many} branches")
    };
    (many > 1).then_some(words)
}

/// Returns the number of the earliest branch beside a step that has the step's text; `None`: none before it has it.
pub(super) fn earlier_with_same_text(history: &EditHistory, step: &Step) -> Option<usize> {
    let all = history.branches_of(step.id);
    let mut earlier = all.iter().take_while(|id| **id != step.id).map(|id| history.step(*id));
    let is_same = |other: &Step| other.at == step.at && other.inserted == step.inserted;
    earlier.position(|other| other.is_some_and(is_same)).map(|at| at + 1)
}

/// A place where the text could continue in several ways.
struct BranchPoint<'a> {
    /// The step that was made there.
    step: &'a Step,
    /// The steps of its branches, oldest first, itself among them.
    ids: Vec<Id>,
    /// The part of the buffer that the step wrote; `None`: it was replaced since.
    part: Option<Range<usize>>,
}

impl<'a> BranchPoint<'a> {
    /// Returns the place where a step was made.
    fn of(step: &'a Step, history: &EditHistory) -> Self {
        let ids = if step.made == Made::Picked { history.picks(step) } else { history.branches_of(step.id) };
        Self { step, ids, part: history.generated().part_from(step.id) }
    }

    /// Returns the text that a picked token replaced, which is a branch before all others.
    fn replaced(&self) -> Option<&'a Untrusted> {
        (self.step.made == Made::Picked).then_some(&self.step.removed)
    }

    /// Returns how many branches there are.
    fn count(&self) -> usize {
        self.ids.len() + usize::from(self.replaced().is_some())
    }

    /// Returns the position in the buffer.
    fn at(&self) -> usize {
        self.part.as_ref().map_or(self.step.at as usize, |part| part.start)
    }

    /// Returns which branch is in the text; `None`: it was replaced since.
    fn current(&self) -> Option<usize> {
        let at = self.ids.iter().position(|id| *id == self.step.id).filter(|_| self.part.is_some());
        at.map(|at| at + usize::from(self.replaced().is_some()))
    }

    /// Returns the beginning of each branch, oldest first.
    fn beginnings(&self, text: &PromptText) -> Vec<String> {
        // Of the branch in the text what is in the text now.
        let in_text = |part: &Range<usize>| part.start..part.end.min(part.start + BEGINNING);
        let own = self.part.as_ref().map(|part| beginning(&text.buffer.slice(in_text(part)).into()));
        let of_step = |id: &Id| match &own {
            Some(own) if *id == self.step.id => own.clone(),
            _ => text.history.step(*id).map(|step| beginning(&step.inserted)).unwrap_or_default(),
        };
        let replaced = self.replaced().map(beginning);
        let all: Vec<String> = replaced.into_iter().chain(self.ids.iter().map(of_step)).collect();
        from_differences(&all)
    }
}

/// Returns the places on the way to the text as it is: where nothing has a second branch, that of the last generated part
/// alone; `None`: nothing is generated.
fn points(history: &EditHistory) -> Option<Vec<BranchPoint<'_>>> {
    let last = history.last_generated()?;
    // What was replaced since is no place of this text; but `<` and `>` switch the last branches.
    let is_in_text = |point: &BranchPoint<'_>| point.step.id == last || point.current().is_some();
    let all = history.branched().into_iter().map(|step| BranchPoint::of(step, history));
    let mut points: Vec<_> = all.filter(|point| point.count() > 1 && is_in_text(point)).collect();
    if points.is_empty() {
        points.push(BranchPoint::of(history.step(last)?, history));
    }
    Some(points)
}

/// A row: a branch, or the text before a place.
struct Row {
    sign: &'static str,
    text: String,
    /// Whether it is a branch that is in the text.
    is_current: bool,
}

/// The places on the way to the text as it is, each with its branches.
pub(super) struct Branches {
    rows: Vec<Row>,
}

impl Branches {
    /// Returns how many rows the tree has, without the texts in them; `None`: nothing is generated.
    pub(super) fn rows_of(state: &State) -> Option<u16> {
        let points = points(&state.text.history)?;
        Some(points.iter().map(|point| point.count() + 1).sum::<usize>() as u16)
    }

    /// Returns the tree; `None`: nothing is generated.
    pub(super) fn of(state: &State) -> Option<Self> {
        let text = &state.text;
        let (mut rows, mut from) = (Vec::new(), 0);
        for point in points(&text.history)? {
            let (at, current, last) = (point.at(), point.current(), point.count() - 1);
            // The text since the place before, if that is before it.
            let from_here = if from < at { from } else { 0 };
            let before = text.buffer.slice(from_here..at.min(from_here + BEGINNING));
            rows.push(Row { sign: "┬ ", text: beginning(&before.into()), is_current: false });
            from = at;
            rows.extend(point.beginnings(text).into_iter().enumerate().map(|(nth, text)| Row {
                sign: if nth == last { "╰─ " } else { "├─ " },
                text,
                is_current: current == Some(nth),
            }));
        }
        Some(Self { rows })
    }

    /// Draws it, the last branch that is in the text in view.
    pub(super) fn render(&self, frame: &mut Frame, area: Rect, theme: &Theme) {
        let area = area.intersection(frame.area());
        if area.height < 2 || area.width < 8 {
            return;
        }
        let last = self.rows.iter().rposition(|row| row.is_current);
        let mut cursor = Cursor { selected: last.unwrap_or(self.rows.len()), ..Cursor::default() };
        let window = cursor.window(usize::from(area.height), self.rows.len());
        for (row, y) in self.rows[window.clone()].iter().zip(area.y..) {
            line(frame, Rect { y, height: 1, ..area }, row, window.len() < self.rows.len(), theme);
        }
        draw_scroll_arrows(frame.buffer_mut(), area, &window, self.rows.len(), theme);
    }
}

/// Returns texts from where they differ, those that begin like another one of them.
fn from_differences(texts: &[String]) -> Vec<String> {
    let mut order: Vec<usize> = (0..texts.len()).collect();
    order.sort_by_key(|at| texts[*at].as_str());
    let mut alike = vec![0; texts.len()];
    // In this order those that begin alike are neighbours.
    for pair in order.windows(2) {
        for (at, other) in [(pair[0], pair[1]), (pair[1], pair[0])] {
            alike[at] = alike[at].max(words_alike(&texts[at], &texts[other]));
        }
    }
    let shown = |(text, alike): (&String, usize)| {
        if alike > ALIKE { format!("…{}", text[alike..].trim_start()) } else { text.clone() }
    };
    texts.iter().zip(alike).map(shown).collect()
}

/// Returns how many bytes of a text are words that another one begins with too; 0: all of it is.
fn words_alike(text: &str, other: &str) -> usize {
    let chars = text.chars().zip(other.chars()).take_while(|(char, other)| char == other);
    let alike: usize = chars.map(|(char, _)| char.len_utf8()).sum();
    if alike == text.len() {
        return 0;
    }
    // A word that differs is shown whole.
    text[..alike].rfind(char::is_whitespace).unwrap_or(alike)
}

/// Returns the beginning of a text as it is shown. It is cut first: branches may be long.
fn beginning(text: &Untrusted) -> String {
    text.beginning(BEGINNING).screen().into_owned()
}

/// Draws the beginning of a text after its sign; `scrolls`: a column at its end is left for the mark that the tree
/// continues, and one before it.
fn line(frame: &mut Frame, area: Rect, row: &Row, scrolls: bool, theme: &Theme) {
    let Row { sign, text, is_current } = row;
    let buf = frame.buffer_mut();
    let on = |style| if *is_current { theme.select.patch(style) } else { style };
    let look = on(if *is_current { theme.text } else { theme.muted });
    if *is_current {
        // The focus is never here.
        pane::highlight(buf, area, theme, false);
    }
    // With surfaces it is as wide as its pane.
    let (pad, end, mark) = if theme.kind.has_surfaces() { (2, 2, 1) } else { (1, 0, 2) };
    let end = if scrolls { end + mark } else { end };
    let width = usize::from(area.width.saturating_sub(pad + end));
    buf.set_stringn(area.x + pad, area.y, sign, width, on(theme.faint));
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let text = if text.is_empty() { "(no text)".to_owned() } else { text };
    let room = width.saturating_sub(wrap::width(sign));
    buf.set_stringn(area.x + pad + wrap::width(sign) as u16, area.y, cut(&text, room), room, look);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_text_is_cut_between_two_characters_and_what_is_left_is_safe() {
        let long = format!("\u{1b}[31m{}", "é".repeat(BEGINNING));
        let shown = beginning(&Untrusted::from(long));
        assert!(shown.ends_with('é') && !shown.contains('\u{1b}'), "{shown}");
        assert_eq!(shown.matches('é').count(), (BEGINNING - "\u{1b}[31m".len()) / 2);
        assert_eq!(beginning(&Untrusted::from("short")), "short");
    }
}
