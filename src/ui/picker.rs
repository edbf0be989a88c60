//! A list to choose from by typing a few letters: palette, models, profiles, receivers of an offer.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::{Modifier, Style};
use ratatui::text::{Line, Span};
use unicode_width::UnicodeWidthStr as _;

use super::line::Line as Input;
use super::list::Cursor;
use super::meter;
use super::overlay::{self, Words};
use super::rank::RankQuery;
use super::rule::cut;
use super::theme::Theme;
use super::wrap;
use crate::text::Untrusted;

/// Columns at most: with space for the reason why something cannot be chosen.
const WIDEST: u16 = 100;
/// Columns of a detail below which it is left out.
const LEAST_DETAIL: usize = 16;
/// Rows of a page.
const PAGE: isize = 8;

/// One line of the list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Item<T> {
    /// The value that is returned.
    pub value: T,
    /// The text that is shown and searched, safe for the screen.
    label: String,
    /// The text on the right, safe for the screen: its key, its state, or why it cannot be chosen.
    detail: String,
    able: bool,
    /// Other words to search by, in lower case, separated by blanks.
    keywords: &'static str,
    /// Whether it belongs to another place than the current one.
    elsewhere: bool,
    /// Whether it is listed only while something is typed.
    hidden: bool,
}

impl<T> Item<T> {
    /// Creates an item: its value, its label, and the detail at the right. The texts may come from outside.
    pub fn new(value: T, label: impl Into<Untrusted>, detail: impl Into<Untrusted>) -> Self {
        let (label, detail) = (label.into(), detail.into());
        let (label, detail) = (label.line().into_owned(), detail.line().into_owned());
        Self { value, label, detail, able: true, keywords: "", elsewhere: false, hidden: false }
    }

    /// Adds words by which the item is found too (lower case, separated by blanks).
    #[must_use]
    pub fn keywords(self, keywords: &'static str) -> Self {
        Self { keywords, ..self }
    }

    /// Marks the item as one of another place: local items that match equally well come before it.
    #[must_use]
    pub fn elsewhere(self) -> Self {
        Self { elsewhere: true, ..self }
    }

    /// Marks the item as one that is listed only when something is typed.
    #[must_use]
    pub fn hidden(self) -> Self {
        Self { hidden: true, ..self }
    }

    /// Marks the item as one that cannot be chosen now, and why.
    #[must_use]
    pub fn disabled(self, why: impl Into<Untrusted>) -> Self {
        Self { detail: format!("— {}", why.into().line()), able: false, ..self }
    }

    /// Returns the label.
    pub fn label(&self) -> &str {
        &self.label
    }
}

/// What a key did.
#[derive(Clone, Debug, PartialEq)]
pub enum Picked<T> {
    /// The picker is still open.
    Open,
    /// It was closed without a choice.
    Closed,
    /// An item was chosen.
    Chosen(T),
}

/// The list, what was typed, and where the cursor is.
#[derive(Clone, Debug)]
pub struct Picker<T> {
    title: &'static str,
    query: Input,
    /// Over [`Picker::found`].
    cursor: Cursor,
    items: Vec<Item<T>>,
    /// Indices of the matching items, best first.
    found: Vec<usize>,
    /// The text for when nothing matches.
    nothing: &'static str,
    /// Sentences below the list, and whether each reports a failure.
    notes: Vec<(Untrusted, bool)>,
    /// Whether the item under the cursor stands in full below the list where its row is cut.
    in_full: bool,
}

impl<T: Clone> Picker<T> {
    /// Creates a picker over `items`, in their order; disabled ones come last.
    pub fn new(title: &'static str, items: Vec<Item<T>>) -> Self {
        let (query, cursor) = (Input::default(), Cursor::default());
        let (found, notes) = (Vec::new(), Vec::new());
        let mut picker = Self { title, query, cursor, items, found, nothing: "nothing matches", notes, in_full: false };
        picker.find();
        picker
    }

    /// Sets the text for when nothing matches.
    #[must_use]
    pub fn or(self, nothing: &'static str) -> Self {
        Self { nothing, ..self }
    }

    /// Shows the item under the cursor in full below the list where its row is cut.
    #[must_use]
    pub fn in_full(self) -> Self {
        Self { in_full: true, ..self }
    }

    /// Sets sentences below the list, which cannot be chosen; `true`: it reports a failure.
    pub fn note(&mut self, notes: Vec<(Untrusted, bool)>) {
        self.notes = notes;
    }

    /// Returns what was typed; `None` for nothing.
    pub fn typed(&self) -> Option<&str> {
        Some(self.query.text().trim()).filter(|typed| !typed.is_empty())
    }

    /// Returns what was typed, if it matches nothing that can be chosen.
    pub fn unmatched(&self) -> Option<&str> {
        self.typed().filter(|_| !self.here().is_some_and(|item| item.able))
    }

    /// Moves the cursor to the first item for which `is` returns true.
    pub fn point(&mut self, is: impl Fn(&T) -> bool) {
        if let Some(at) = self.found.iter().position(|&index| is(&self.items[index].value)) {
            self.cursor.selected = at;
        }
    }

    /// Replaces the items and keeps what was typed.
    pub fn refill(&mut self, items: Vec<Item<T>>) {
        self.items = items;
        self.find();
    }

    /// Returns the item under the cursor.
    pub fn here(&self) -> Option<&Item<T>> {
        self.found.get(self.cursor.selected).map(|&index| &self.items[index])
    }

    /// Handles a key.
    pub fn key(&mut self, key: &KeyEvent) -> Picked<T> {
        let control = key.modifiers.contains(KeyModifiers::CONTROL);
        let (count, last) = (self.found.len(), self.found.len().saturating_sub(1));
        let at = &mut self.cursor.selected;
        match key.code {
            KeyCode::Esc => return Picked::Closed,
            KeyCode::Char('c' | 'p') if control => return Picked::Closed,
            KeyCode::Enter => {
                if let Some(item) = self.here().filter(|item| item.able) {
                    return Picked::Chosen(item.value.clone());
                }
            }
            KeyCode::Up | KeyCode::BackTab => *at = at.checked_sub(1).unwrap_or(last),
            KeyCode::Down | KeyCode::Tab => *at = if *at >= last { 0 } else { *at + 1 },
            KeyCode::PageUp => self.cursor.by(-PAGE, count),
            KeyCode::PageDown => self.cursor.by(PAGE, count),
            _ => {
                if self.query.key(*key) {
                    self.search();
                }
            }
        }
        Picked::Open
    }

    /// Pastes text into the filter.
    pub fn paste(&mut self, text: &str) {
        self.query.paste(text);
        self.search();
    }

    /// Filters again after typing and moves the cursor to the best match.
    fn search(&mut self) {
        self.cursor = Cursor::default();
        self.find();
    }

    fn find(&mut self) {
        let mut query = RankQuery::new(self.query.text());
        let mut ranked: Vec<_> = self
            .items
            .iter()
            .enumerate()
            .filter(|(_, item)| !item.hidden || !self.query.text().trim().is_empty())
            .filter_map(|(at, item)| {
                let rank = query.rank(&item.label, item.keywords, item.elsewhere)?;
                Some((!item.able, rank, at))
            })
            .collect();
        // Scattered letters count only if no words match.
        if ranked.iter().any(|(_, rank, _)| !rank.is_scattered()) {
            ranked.retain(|(_, rank, _)| !rank.is_scattered());
        }
        ranked.sort_unstable();
        self.found = ranked.into_iter().map(|(_, _, at)| at).collect();
        self.cursor.by(0, self.found.len());
    }

    /// Draws the picker as a box over `area`.
    pub fn render(&self, frame: &mut Frame, area: Rect, theme: &Theme) {
        let (found, all) = (self.found.len(), self.items.len());
        let columns = usize::from(WIDEST.min(area.width)).saturating_sub(6);
        let mut notes = self.reason(columns, theme);
        // What stands in full comes before the other notes where there is no room for both.
        let also = self.notes(columns, theme);
        if notes.is_empty() || !self.in_full || area.height >= 16 {
            notes.splice(0..0, also);
        }
        // Without a list the notes say what to do with what is typed.
        let listed = if all == 0 && !notes.is_empty() { 0 } else { all.max(1) };
        // A blank row separates them from the list.
        let below = notes.len() + usize::from(listed > 0 && !notes.is_empty());
        let air = overlay::rows_below_title(area, theme.kind);
        let height = (listed as u16).saturating_add(4 + below as u16).clamp(6, 20) + air;
        let size = (WIDEST, height);
        let inner = overlay::below(overlay::inside(area, size), air);
        let rows = usize::from(inner.height).saturating_sub(2);
        let below = if listed == 0 { rows } else { below.min(rows.saturating_sub(1)) };
        let mut cursor = self.cursor;
        let window = cursor.window(rows - below, found);
        let below_window = match found - window.end {
            0 => String::new(),
            more => format!("↓ {} more", meter::count(more as u64)),
        };
        let count = if all == 0 { String::new() } else { format!("{found} of {all}") };
        let words = Words { title: self.title, right: &count, more: &below_window, ..Words::default() };
        overlay::boxed(frame, area, size, &words, theme);
        if inner.is_empty() {
            return;
        }
        frame.render_widget(Span::styled("> ", theme.accent), Rect { height: 1, ..inner });
        let query = Rect { x: inner.x + 2.min(inner.width), width: inner.width.saturating_sub(2), height: 1, ..inner };
        self.query.render(frame, query, theme.text, true);
        let first_note = (inner.y + 2 + (rows - below) as u16).saturating_add(u16::from(listed > 0));
        for (line, y) in notes.into_iter().zip(first_note..inner.bottom()) {
            frame.render_widget(line, Rect { y, height: 1, ..inner });
        }
        let column = self.detail_column(usize::from(inner.width));
        for (at, y) in window.zip(inner.y + 2..) {
            let line = self.row(at, usize::from(inner.width), column, theme);
            frame.render_widget(line, Rect { y, height: 1, ..inner });
        }
        if found == 0 && rows > below && (all > 0 || !self.query.is_empty()) {
            let line = Line::styled(format!("  {}", self.nothing), theme.muted);
            frame.render_widget(line, Rect { y: inner.y + 2, height: 1, ..inner });
        }
    }

    /// Returns the notes, wrapped.
    fn notes(&self, columns: usize, theme: &Theme) -> Vec<Line<'static>> {
        let mut lines = Vec::new();
        for (note, failed) in &self.notes {
            let (mark, style) = if *failed { ("✕ ", theme.bad) } else { ("  ", theme.muted) };
            for (row, words) in wrap::lines(&note.line(), columns).into_iter().enumerate() {
                let mark = if row == 0 { mark } else { "  " };
                lines.push(Line::styled(format!("{mark}{words}"), style));
            }
        }
        lines
    }

    /// Returns why the item under the cursor cannot be chosen, or all of it, if its row has no space for that; as many lines as the
    /// longest such reason takes, so that the list stays where it is.
    fn reason(&self, columns: usize, theme: &Theme) -> Vec<Line<'static>> {
        let is_cut = |item: &Item<T>| {
            let shown = item.label.width() + item.detail.width() + 4;
            (!item.able || self.in_full) && shown > columns + 2
        };
        let text = |item: &Item<T>| {
            if self.in_full { format!("{}: {}", item.label, item.detail) } else { item.detail.clone() }
        };
        let lines = |item: &Item<T>| wrap::lines(&text(item), columns).len();
        let found = || self.found.iter().map(|&index| &self.items[index]);
        let Some(rows) = found().filter(|item| is_cut(item)).map(lines).max() else { return Vec::new() };
        let here = self.here().filter(|item| is_cut(item));
        let mut shown: Vec<Line> = here.map_or_else(Vec::new, |item| {
            let text = text(item);
            let lines = wrap::lines(&text, columns).into_iter();
            lines.map(|line| Line::styled(format!("  {line}"), theme.muted)).collect()
        });
        shown.resize(rows, Line::default());
        shown
    }

    /// Returns a label with the typed words emphasised.
    fn label(&self, label: String, able: bool, theme: &Theme) -> Vec<Span<'static>> {
        let small = label.to_lowercase();
        // A few letters have a lower-case form of another length: the places would be wrong.
        if small.len() != label.len() {
            return vec![Span::raw(label)];
        }
        let typed = self.query.text().to_lowercase();
        let mut is_typed = vec![false; label.len()];
        for word in typed.split_whitespace() {
            for (at, found) in small.match_indices(word) {
                is_typed[at..at + found.len()].fill(true);
            }
        }
        let style = if able { theme.key() } else { Style::new().add_modifier(Modifier::UNDERLINED) };
        let parts = label.char_indices().collect::<Vec<_>>();
        let parts = parts.chunk_by(|(one, _), (other, _)| is_typed.get(*one) == is_typed.get(*other));
        let span = |part: &[(usize, char)]| {
            let text: String = part.iter().map(|(_, char)| *char).collect();
            let found = part.first().is_some_and(|(at, _)| is_typed.get(*at) == Some(&true));
            if found { Span::styled(text, style) } else { Span::raw(text) }
        };
        parts.map(span).collect()
    }

    /// Returns the column of the details if some do not fit beside their labels: left-aligned they are cut at the same
    /// place, or left out if little of them would be seen. `None`: they fit, and are at the right.
    fn detail_column(&self, width: usize) -> Option<usize> {
        let able = || self.found.iter().map(|&index| &self.items[index]).filter(|item| item.able);
        let is_cut = |item: &Item<T>| item.label.width() + item.detail.width() + 4 > width;
        let widest = able().map(|item| item.label.width()).max()?;
        able().any(is_cut).then_some(if widest + 4 + LEAST_DETAIL <= width { widest + 4 } else { width })
    }

    fn row(&self, at: usize, width: usize, column: Option<usize>, theme: &Theme) -> Line<'_> {
        let item = &self.items[self.found[at]];
        let here = at == self.cursor.selected;
        let style = if item.able { Style::default() } else { theme.faint };
        let label = cut(&item.label, width.saturating_sub(3));
        let left = label.width() + 2;
        let (detail, gap) = match column.filter(|_| item.able) {
            Some(column) => (cut(&item.detail, width.saturating_sub(column)), column.saturating_sub(left)),
            None => {
                let detail = cut(&item.detail, width.saturating_sub(left + 2));
                let gap = width.saturating_sub(left + detail.width());
                (detail, gap)
            }
        };
        let mark = match here {
            true if theme.kind.has_surfaces() => "▌ ",
            true => "▸ ",
            false => "  ",
        };
        let mut spans = vec![Span::styled(mark, theme.accent)];
        spans.extend(self.label(label, item.able, theme));
        spans.extend([Span::raw(" ".repeat(gap)), Span::styled(detail, theme.muted)]);
        Line::from(spans).style(if here { style.patch(theme.select) } else { style })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn item(label: &str, disabled: bool) -> Item<String> {
        let item = Item::new(label.to_owned(), label, "");
        if disabled { item.disabled("needs two texts") } else { item }
    }

    fn press(picker: &mut Picker<String>, code: KeyCode) -> Picked<String> {
        picker.key(&KeyEvent::new(code, KeyModifiers::NONE))
    }

    #[test]
    fn letters_find_and_enter_chooses() {
        let mut picker = Picker::new(
            "Commands",
            vec![item("Compare models", true), item("Go to Moderate", false), item("Quit", false)],
        );
        assert_eq!(picker.here().unwrap().label(), "Go to Moderate", "disabled ones come last");
        for c in "mod".chars() {
            press(&mut picker, KeyCode::Char(c));
        }
        assert_eq!((picker.found.len(), picker.items.len()), (2, 3));
        assert_eq!(press(&mut picker, KeyCode::Down), Picked::Open);
        assert_eq!(press(&mut picker, KeyCode::Enter), Picked::Open, "a disabled one is not chosen");
        press(&mut picker, KeyCode::Up);
        assert_eq!(press(&mut picker, KeyCode::Enter), Picked::Chosen("Go to Moderate".into()));
    }

    #[test]
    fn letters_that_stand_apart_are_found_only_where_no_word_fits() {
        let mut picker = Picker::new("Commands", vec![item("Edit the message", false), item("Theme: dark", false)]);
        let found = |picker: &Picker<String>| -> Vec<String> {
            picker.found.iter().map(|at| picker.items[*at].label.clone()).collect()
        };
        picker.paste("theme");
        assert_eq!(found(&picker), ["Theme: dark"]);
        let mut picker = Picker::new("Models", vec![item("gpt-4o-mini", false)]);
        picker.paste("gptmini");
        assert_eq!(found(&picker), ["gpt-4o-mini"]);
    }

    #[test]
    fn a_list_says_how_much_is_below_and_notes_stand_where_it_would_be() {
        use super::super::theme::{Depth, Kind};
        use ratatui::Terminal;
        use ratatui::backend::TestBackend;
        let shown = |picker: &Picker<String>, (width, height)| {
            let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
            let theme = Theme::of(Kind::Dark, Depth::True);
            terminal.draw(|frame| picker.render(frame, frame.area(), &theme)).unwrap();
            terminal.backend().to_string()
        };
        let items: Vec<_> = (0..30).map(|n| item(&format!("item {n}"), false)).collect();
        let mut picker = Picker::new("Models", items);
        assert!(shown(&picker, (60, 12)).contains("↓ 22 more"), "{}", shown(&picker, (60, 12)));
        picker.paste("item 29");
        assert!(!shown(&picker, (60, 12)).contains("more"));
        let mut empty: Picker<String> = Picker::new("Models", Vec::new());
        empty.note(vec![("nothing is listening at http://127.0.0.1:9".into(), true), ("Type a name.".into(), false)]);
        for size in [(40, 10), (80, 22), (120, 34)] {
            let screen = shown(&empty, size);
            let lines: Vec<&str> = screen.lines().map(|line| line.trim_matches(['"', ' '])).collect();
            let query = lines.iter().position(|line| *line == ">").unwrap();
            assert!(lines[query + 1].is_empty() && lines[query + 2].starts_with("✕ nothing"), "{screen}");
            assert!(screen.contains("Type a name."), "{screen}");
        }
    }

    #[test]
    fn texts_from_outside_are_made_safe() {
        let item = Item::new((), "gpt\u{1b}[2J\u{202e}x", "host\n").disabled("why\u{7}");
        let whole = format!("{}{}", item.label, item.detail);
        assert!(!whole.contains(['\u{1b}', '\u{202e}', '\u{7}', '\n']), "{whole:?}");
    }

    #[test]
    fn nothing_found_is_no_choice() {
        let mut picker = Picker::new("Models", vec![item("a", false)]);
        press(&mut picker, KeyCode::Char('z'));
        for code in [KeyCode::Up, KeyCode::Down, KeyCode::PageDown, KeyCode::End, KeyCode::Enter] {
            assert_eq!(press(&mut picker, code), Picked::Open);
        }
        assert_eq!(press(&mut picker, KeyCode::Esc), Picked::Closed);
    }

    #[test]
    fn the_whole_reason_why_an_entry_cannot_be_chosen_is_said_and_what_was_typed_stands_out() {
        use super::super::theme::{Depth, Kind};
        use ratatui::Terminal;
        use ratatui::backend::TestBackend;
        let long = "undo: bring back what was trashed, deleted or edited last";
        let items = vec![item("quit", false), Item::new(String::new(), long, "").disabled("there is nothing to undo")];
        let mut picker = Picker::new("Commands", items);
        picker.paste("delete");
        let theme = Theme::of(Kind::Dark, Depth::True);
        for (width, height) in [(40, 12), (80, 22), (120, 34)] {
            let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
            terminal.draw(|frame| picker.render(frame, frame.area(), &theme)).unwrap();
            let screen = terminal.backend().to_string();
            assert!(screen.contains("— there is nothing to undo"), "{screen}");
        }
        let line = picker.row(0, 90, None, &theme);
        let marked = line.spans.iter().find(|span| span.content == "delete").unwrap();
        assert!(marked.style.add_modifier.contains(Modifier::UNDERLINED));
    }
}
