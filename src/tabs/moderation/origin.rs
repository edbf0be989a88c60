//! Where a score comes from: the text sentence by sentence, each with the score it has alone.

use std::sync::LazyLock;

use crossterm::event::KeyEvent;
use ratatui::Frame;
use ratatui::layout::{Position, Rect};
use unicode_segmentation::UnicodeSegmentation;

use super::actions::{self, PageEvent, on_pages};
use super::blur;
use super::category::{self, Category, Key};
use super::results::{Judge, Results};
use super::shared::Shared;
use super::thresholds::Sign;
use crate::component::{Bindings, RenderContext, bind, bind_all};
use crate::record::{Check, TextKey};
use crate::text::Untrusted;
use crate::ui::bar::number;
use crate::ui::rule::{Rule, cut_middle};
use crate::ui::wrap;

/// Columns of the list of categories at the right.
const SIDE: u16 = 40;
/// The list stands beside the text on a screen at least so wide.
const WIDE: u16 = 100;
/// Columns of number, sign and blank before a sentence.
const GUTTER: u16 = 9;

/// What a key asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Action {
    Up,
    Down,
    Top,
    Bottom,
    ScrollUp,
    ScrollDown,
    PageUp,
    PageDown,
    Close,
    /// What the bench does.
    Bench(actions::Action),
}

use Action as A;

/// Actions in the footer.
pub(super) const FOOTER: [A; 4] =
    [A::Bench(actions::Action::Run), A::Up, A::ScrollUp, A::Bench(actions::Action::Raise)];

/// Keys of the page.
pub(super) static KEYS: LazyLock<Bindings<Action, Origin>> = LazyLock::new(|| {
    let run = "check what is new; if nothing is, all again";
    let mut list = on_pages(A::Bench, [run, "check all again", "details of a failure"]);
    list.extend([
        bind_all([("j down", A::Down), ("k up", A::Up)], "category", "category"),
        bind_all([("home", A::Top), ("G end", A::Bottom)], "first, last", "first, last category"),
        bind_all([("J", A::ScrollDown), ("K", A::ScrollUp)], "scroll", "scroll by a row"),
        bind_all([("pageup", A::PageUp), ("pagedown", A::PageDown)], "page", "scroll by a page"),
        bind("esc w", A::Close, "back", "back"),
    ]);
    Bindings::new(list)
});

/// A sentence of the text.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Sentence {
    key: TextKey,
    text: Untrusted,
    /// Whether a paragraph ends with it.
    ends: bool,
}

/// The page.
#[derive(Debug)]
pub(super) struct Origin {
    title: String,
    /// The whole text.
    whole: TextKey,
    judge: Judge,
    sentences: Vec<Sentence>,
    categories: Vec<Category>,
    at: Option<Key>,
    top: usize,
    /// Rows there were, and rows that showed, in the last frame.
    rows: (usize, usize),
}

/// The sentences of a text, without the blanks around them, and whether a paragraph ends with each.
fn sentences(text: &Untrusted) -> Vec<(Untrusted, bool)> {
    let bounds = text.raw().split_sentence_bounds();
    bounds.filter(|part| !part.trim().is_empty()).map(|part| (part.trim().into(), part.ends_with('\n'))).collect()
}

impl Origin {
    /// A text's sentences, for `judge`; the category to begin with.
    pub(super) fn new(title: String, text: &Untrusted, judge: Judge, at: Option<Key>) -> Self {
        let sentence = |(text, ends): (Untrusted, bool)| Sentence { key: TextKey::of(&text), text, ends };
        Self {
            title,
            whole: TextKey::of(text),
            judge,
            sentences: sentences(text).into_iter().map(sentence).collect(),
            categories: Vec::new(),
            at,
            top: 0,
            rows: (0, 0),
        }
    }

    pub(super) fn judge(&self) -> &Judge {
        &self.judge
    }

    pub(super) fn at(&self) -> Option<&Key> {
        self.at.as_ref()
    }

    /// The sentences, to be checked.
    pub(super) fn texts(&self) -> Vec<(TextKey, Untrusted)> {
        self.sentences.iter().map(|sentence| (sentence.key, sentence.text.clone())).collect()
    }

    pub(super) fn keys(&self) -> Vec<TextKey> {
        self.sentences.iter().map(|sentence| sentence.key).collect()
    }

    /// Handles a key. Returns what it asks of the tab.
    pub(super) fn key(&mut self, key: KeyEvent) -> Option<PageEvent> {
        let here = self.categories.iter().position(|category| Some(&category.key) == self.at.as_ref()).unwrap_or(0);
        let last = self.categories.len().saturating_sub(1);
        let mut go = |at: usize| self.at = self.categories.get(at.min(last)).map(|category| category.key.clone());
        let page = self.rows.1.saturating_sub(1).max(1);
        let most = self.rows.0.saturating_sub(self.rows.1);
        match KEYS.find(&key)? {
            A::Close => return Some(PageEvent::Close),
            A::Bench(action) => return Some(PageEvent::Act(action)),
            A::Down => go(here + 1),
            A::Up => go(here.saturating_sub(1)),
            A::Top => go(0),
            A::Bottom => go(last),
            A::ScrollDown => self.top = (self.top + 1).min(most),
            A::ScrollUp => self.top = self.top.saturating_sub(1).min(most),
            A::PageDown => self.top = (self.top + page).min(most),
            A::PageUp => self.top = self.top.min(most).saturating_sub(page),
        }
        None
    }

    /// Draws it. `under_way`: what runs, in a few words.
    pub(super) fn render(
        &mut self,
        frame: &mut Frame,
        area: Rect,
        (results, shared): (&Results, &Shared),
        under_way: &str,
        context: RenderContext,
    ) {
        let theme = context.theme;
        let whole = results.last(&self.whole, &self.judge).cloned();
        let of = |sentence: &Sentence| results.last(&sentence.key, &self.judge).cloned();
        let checks: Vec<Option<std::sync::Arc<Check>>> = self.sentences.iter().map(of).collect();
        self.categories = category::union(whole.iter().chain(checks.iter().flatten()).map(AsRef::as_ref));
        if !self.categories.iter().any(|category| Some(&category.key) == self.at.as_ref()) {
            self.at = whole.as_ref().and_then(|check| category::highest(check)).map(|(name, _)| Key::of(name));
        }
        let name = self.categories.iter().find(|category| Some(&category.key) == self.at.as_ref());
        let name = name.map_or_else(|| "no category yet".to_owned(), |category| category.name.line().into_owned());
        let count = self.sentences.len();
        let count = format!("{count} sentence{}", if count == 1 { "" } else { "s" });
        let right = match under_way {
            "" => format!("{count} · j k category · esc back"),
            words => format!("{count} · {words}"),
        };
        let title = format!("Text {} · {name}", self.title);
        let style = if under_way.is_empty() { theme.muted } else { theme.busy };
        Rule { title: &title, right: &right, right_style: style, focus: true }.render(
            Rect { height: 1, ..area },
            frame.buffer_mut(),
            theme,
        );
        let side = if area.width >= WIDE { SIDE } else { 0 };
        let mut body = Rect { y: area.y + 1, height: area.height.saturating_sub(1), width: area.width - side, ..area };
        let legend = u16::from(body.height > 8);
        body.height -= legend;
        let blurred = shared.kept.blur && whole.as_ref().is_some_and(|check| check.flagged);
        self.text(frame, body, &checks, (shared, results), blurred, context);
        if legend > 0 {
            let words = whole.as_ref().zip(self.at.as_ref()).and_then(|(check, key)| category::score(check, key));
            let words = words.map_or_else(String::new, |score| format!("the whole text: {}   ", number(score)));
            let y = body.bottom();
            let mut x = frame.buffer_mut().set_stringn(body.x + 1, y, words, usize::from(body.width), theme.text).0;
            for (words, style) in theme.heat_high_legend() {
                let room = usize::from(body.right().saturating_sub(x));
                x = frame.buffer_mut().set_stringn(x, y, words, room, style).0;
            }
        }
        if side > 0 {
            let place = Rect { x: body.right(), width: side, height: area.height.saturating_sub(1), ..body };
            self.side(frame, place, whole.as_deref(), &checks, shared, context);
        }
    }

    /// The sentences, each begun on a row of its own, with its number before it.
    fn text(
        &mut self,
        frame: &mut Frame,
        area: Rect,
        checks: &[Option<std::sync::Arc<Check>>],
        (shared, results): (&Shared, &Results),
        blurred: bool,
        context: RenderContext,
    ) {
        let theme = context.theme;
        let width = usize::from(area.width.saturating_sub(GUTTER + 2)).max(1);
        let profile = shared.thresholds.profile();
        let mut rows: Vec<(String, String, Option<f64>, Sign)> = Vec::new();
        for (sentence, check) in self.sentences.iter().zip(checks) {
            let at = self.at.as_ref();
            let score = check.as_ref().zip(at).and_then(|(check, key)| category::score(check, key));
            let flag = check.as_ref().zip(at).and_then(|(check, key)| category::flag(check, key));
            let sign = at.map_or(Sign::Clear, |key| Sign::of(score, flag, profile.of(key)));
            let failed = results.failure(&sentence.key, &self.judge).is_some();
            let told = match score {
                Some(score) => format!("{} {}", number(score), sign.glyph()),
                None if failed => "✕ failed".to_owned(),
                None => "   —".to_owned(),
            };
            let text = sentence.text.screen();
            let text = if blurred { blur::blurred(&text) } else { text.into_owned() };
            let lines: Vec<String> =
                text.lines().flat_map(|line| wrap::lines(line, width)).map(str::to_owned).collect();
            for (nth, line) in lines.into_iter().enumerate() {
                rows.push((if nth == 0 { told.clone() } else { String::new() }, line, score, sign));
            }
            if sentence.ends {
                rows.push((String::new(), String::new(), None, Sign::Clear));
            }
        }
        let height = usize::from(area.height);
        self.rows = (rows.len(), height);
        self.top = self.top.min(rows.len().saturating_sub(height));
        frame.set_cursor_position(Position::new(area.x + 1, area.y));
        for ((told, line, score, sign), y) in rows.iter().skip(self.top).zip(area.y..area.bottom()) {
            let style = if *sign == Sign::Clear { theme.muted } else { sign.style(theme) };
            frame.buffer_mut().set_stringn(area.x + 1, y, told, usize::from(GUTTER), style);
            let heat = score.map_or(theme.text, |score| theme.heat_high(score));
            frame.buffer_mut().set_stringn(area.x + 1 + GUTTER, y, line, width, heat);
        }
    }

    /// The categories: of the whole text, and the highest of the sentences.
    fn side(
        &self,
        frame: &mut Frame,
        area: Rect,
        whole: Option<&Check>,
        checks: &[Option<std::sync::Arc<Check>>],
        shared: &Shared,
        context: RenderContext,
    ) {
        let theme = context.theme;
        for y in area.y..area.bottom() {
            frame.buffer_mut().set_stringn(area.x, y, "│", 1, theme.rule);
        }
        let width = usize::from(area.width.saturating_sub(3));
        let names = width.saturating_sub(15);
        let head = format!("{:names$} whole highest", "");
        frame.buffer_mut().set_stringn(area.x + 2, area.y, head, width, theme.muted);
        let here = self.categories.iter().position(|category| Some(&category.key) == self.at.as_ref()).unwrap_or(0);
        let height = usize::from(area.height.saturating_sub(1));
        let top = (here + 1).saturating_sub(height);
        for ((at, category), y) in self.categories.iter().enumerate().skip(top).zip(area.y + 1..area.bottom()) {
            let score = |check: &Check| category::score(check, &category.key);
            let whole = whole.and_then(score);
            let highest = checks.iter().flatten().filter_map(|check| score(check)).max_by(f64::total_cmp);
            let told = |score: Option<f64>| score.map_or_else(|| "   —".to_owned(), number);
            let sign = Sign::of(highest, None, shared.thresholds.profile().of(&category.key));
            let name = cut_middle(&category.name.line(), names);
            let gap = " ".repeat(names.saturating_sub(wrap::width(&name)));
            let words = format!("{name}{gap}  {}    {} {}", told(whole), told(highest), sign.glyph());
            let mut style = if sign == Sign::Clear { theme.text } else { sign.style(theme) };
            if at == here {
                style = style.patch(theme.select);
                let row = Rect { x: area.x + 1, y, width: area.width - 1, height: 1 };
                frame.buffer_mut().set_style(row, theme.select);
                frame.buffer_mut().set_stringn(area.x + 1, y, "▌", 1, theme.accent.patch(theme.select));
            }
            frame.buffer_mut().set_stringn(area.x + 2, y, words, width, style);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_are_whole_and_paragraphs_end_where_they_do() {
        let text = "I will find you. Mr. Smith knows!  Why?\n\nあれは。これは？ last";
        let found: Vec<(String, bool)> =
            sentences(&text.into()).into_iter().map(|(text, ends)| (text.line().into_owned(), ends)).collect();
        assert_eq!(found.first(), Some(&("I will find you.".to_owned(), false)));
        assert!(found.iter().any(|(text, ends)| text == "Why?" && *ends), "{found:?}");
        assert_eq!(found.last(), Some(&("last".to_owned(), false)));
        let letters = |text: &str| text.chars().filter(|char| !char.is_whitespace()).collect::<String>();
        let all: String = found.iter().map(|(text, _)| letters(text)).collect();
        assert_eq!(all, letters(text), "nothing is left out");
    }
}
