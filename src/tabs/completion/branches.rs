//! The small tree of branches: the places where the text could continue in several ways, and the beginning of each.

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

/// Returns `branch 2 of 3` of the candidates for the last generated part, `3 branches` where none of them is in the text
/// any more; `None`: there is one.
pub(super) fn words(history: &EditHistory) -> Option<String> {
    let id = history.last_generated()?;
    let all = history.candidates(id);
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
    let all = history.candidates(step.id);
    let mut earlier = all.iter().take_while(|id| **id != step.id).map(|id| history.step(*id));
    let is_same = |other: &Step| other.at == step.at && other.inserted == step.inserted;
    earlier.position(|other| other.is_some_and(is_same)).map(|at| at + 1)
}

/// A place where the text could continue in several ways.
struct BranchPoint {
    /// The position in the buffer.
    at: usize,
    /// The beginning of each branch, oldest first.
    branches: Vec<String>,
    /// Which of them is in the text; `None`: it was replaced since.
    current: Option<usize>,
}

impl BranchPoint {
    /// Returns the place where a step was made: its candidates, or the tokens picked there after the text they replaced.
    fn of(step: &Step, text: &PromptText) -> Self {
        let history = &text.history;
        let part = history.generated().part_from(step.id);
        let (replaced, ids) = match step.made {
            Made::Picked => (Some(beginning(&step.removed)), history.picks(step)),
            _ => (None, history.candidates(step.id)),
        };
        let earlier = usize::from(replaced.is_some());
        let current = ids.iter().position(|id| *id == step.id).filter(|_| part.is_some()).map(|at| at + earlier);
        let at = part.as_ref().map_or(step.at as usize, |part| part.start);
        // Of the branch in the text what is in the text now.
        let own =
            part.map(|part| beginning(&text.buffer.slice(part.start..part.end.min(part.start + BEGINNING)).into()));
        let name = |id: &Id| match &own {
            Some(own) if *id == step.id => own.clone(),
            _ => history.step(*id).map(|step| beginning(&step.inserted)).unwrap_or_default(),
        };
        let branches: Vec<String> = replaced.into_iter().chain(ids.iter().map(name)).collect();
        Self { at, branches: from_differences(&branches), current }
    }
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
    /// Returns the tree: where nothing has a second branch, it has the last generated part alone; `None`: nothing is
    /// generated.
    pub(super) fn of(state: &State) -> Option<Self> {
        let text = &state.text;
        let history = &text.history;
        let last = history.last_generated()?;
        let has_several = |step: &&Step| step.made == Made::Picked || history.candidates(step.id).len() > 1;
        let several = history.branched().into_iter().filter(has_several);
        let points = several.map(|step| (step.id, BranchPoint::of(step, text)));
        // What was replaced since is no place of this text; but `<` and `>` switch the last candidates.
        let in_text = points.filter(|(id, point)| *id == last || point.current.is_some());
        let mut points: Vec<BranchPoint> = in_text.map(|(_, point)| point).collect();
        if points.is_empty() {
            points.push(BranchPoint::of(history.step(last)?, text));
        }
        let (mut rows, mut from) = (Vec::new(), 0);
        for point in points {
            // The text since the place before, if that is before it.
            let from_here = if from < point.at { from } else { 0 };
            let before = text.buffer.slice(from_here..point.at.min(from_here + BEGINNING));
            rows.push(Row { sign: "┬ ", text: beginning(&before.into()), is_current: false });
            from = point.at;
            let end = point.branches.len() - 1;
            rows.extend(point.branches.into_iter().enumerate().map(|(nth, text)| Row {
                sign: if nth == end { "╰─ " } else { "├─ " },
                text,
                is_current: point.current == Some(nth),
            }));
        }
        Some(Self { rows })
    }

    /// Returns how many rows it has.
    pub(super) fn rows(&self) -> u16 {
        self.rows.len() as u16
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

/// Returns the beginning of a text as it is shown.
fn beginning(text: &Untrusted) -> String {
    let text = text.screen();
    text[..text.floor_char_boundary(BEGINNING)].to_owned()
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
