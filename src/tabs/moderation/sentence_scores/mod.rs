//! Where a score comes from: the text sentence by sentence, each with the score it has alone.

use std::sync::{Arc, LazyLock};
use std::time::Instant;

use crossterm::event::KeyEvent;
use ratatui::Frame;
use ratatui::layout::{Position, Rect};
use ratatui::style::{Modifier, Style};
use unicode_segmentation::UnicodeSegmentation;

use super::action::{self, PageEvent, category_keys, on_pages};
use super::category::{self, CategoryInfo, CategoryKey};
use super::check_results::CheckResults;
use super::mask::masked;
use super::model_ref::ModelRef;
use super::page_data::{self, PageData, quiet};
use super::thresholds::Sign;
use crate::component::{Bindings, Component, Cx, Handled, Hint, Motion, RenderContext, Session, bind, bind_all};
use crate::record::{Check, TextKey};
use crate::text::Untrusted;
use crate::ui::bar::number;
use crate::ui::pane::{self, Pane, Spacing, Surface};
use crate::ui::rule::cut_middle;
use crate::ui::size_class::WIDE;
use crate::ui::theme::{Kind, Theme};
use crate::ui::wrap;

/// Columns of the list of categories at the right.
const SIDE: u16 = 40;
/// Columns of number, sign and blank before a sentence.
const GUTTER: u16 = 9;

/// What a key asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Action {
    /// Another category.
    Category(Motion),
    /// Other rows of the text.
    Scroll(Motion),
    Close,
    /// What the bench does.
    Bench(action::Action),
}

use Action as A;

/// Actions in the footer.
const FOOTER: [A; 4] = [
    A::Bench(action::Action::Run),
    A::Category(Motion::Up),
    A::Scroll(Motion::Up),
    A::Bench(action::Action::Threshold(1)),
];

/// Keys of the page.
pub(super) static KEYS: LazyLock<Bindings<Action, SentenceScores>> = LazyLock::new(|| {
    let run = "check new texts; if there are none, all again";
    let mut list = on_pages(A::Bench, [run, "check all again", "details of a failure"], no_category);
    list.extend(category_keys(A::Category, no_category));
    let scroll = |[(back, up), (on, down)]: [(&'static str, Motion); 2], label, help| {
        bind_all([(back, A::Scroll(up)), (on, A::Scroll(down))], label, help).disabled_when(all_shown)
    };
    list.extend([
        scroll([("J", Motion::Down), ("K", Motion::Up)], "scroll", "scroll by a row"),
        scroll([("pageup", Motion::PageUp), ("pagedown", Motion::PageDown)], "page", "scroll by a page"),
        bind("esc w", A::Close, "back", "back"),
    ]);
    Bindings::new(list)
});

fn no_category(page: &SentenceScores) -> Option<&'static str> {
    page.categories.is_empty().then_some("nothing is checked yet")
}

fn all_shown(page: &SentenceScores) -> Option<&'static str> {
    (page.wrapped.rows.len() <= page.height).then_some("the whole text is shown")
}

/// A sentence of the text, and what is known of it.
#[derive(Clone, Debug)]
struct Sentence {
    key: TextKey,
    text: Untrusted,
    /// Whether a paragraph ends with it.
    ends: bool,
    check: Option<Arc<Check>>,
    failed: bool,
}

/// Returns the sentences of a text, without the blanks around them, and whether a paragraph ends with each.
fn sentences(text: &Untrusted) -> Vec<(Untrusted, bool)> {
    let bounds = text.raw().split_sentence_bounds();
    bounds.filter(|part| !part.trim().is_empty()).map(|part| (part.trim().into(), part.ends_with('\n'))).collect()
}

/// The text's rows at a width.
#[derive(Debug, Default)]
struct WrappedText {
    width: usize,
    masked: bool,
    /// Each row with the sentence that begins on it or goes on; `None`: a blank row behind a paragraph.
    rows: Vec<(Option<usize>, String)>,
}

/// The page.
#[derive(Debug)]
pub(super) struct SentenceScores {
    title: String,
    /// The whole text, and its check.
    whole: (TextKey, Option<Arc<Check>>),
    model: ModelRef,
    sentences: Vec<Sentence>,
    categories: Vec<CategoryInfo>,
    /// The category under the cursor.
    at: Option<CategoryKey>,
    wrapped: WrappedText,
    /// The first row that shows, and how many there is room for.
    top: usize,
    height: usize,
    data: PageData,
}

/// Where the page's parts are drawn.
struct PageAreas {
    /// The text with its title and legend.
    main: Rect,
    text: Rect,
    /// A row below the text.
    legend: Option<Rect>,
    /// The list of categories.
    side: Option<Rect>,
}

impl PageAreas {
    fn of(area: Rect, spacing: Spacing) -> Self {
        let side = if area.width >= WIDE { SIDE } else { 0 };
        let main = Rect { width: area.width - side, ..area };
        let body = spacing.body(main);
        // The legend stands off the text, and off the edge where there is room.
        let below = if spacing == Spacing::Roomy { 2 } else { 1 };
        let legend = if body.height > 8 { below } else { 0 };
        let text = Rect { height: body.height - legend, ..body };
        Self {
            main,
            text,
            legend: (legend > 0).then_some(Rect { y: text.bottom(), height: 1, ..text }),
            side: (side > 0).then_some(Rect { x: main.right(), width: side, ..area }),
        }
    }

    /// Columns of a row of text.
    fn width(&self) -> usize {
        usize::from(self.text.width.saturating_sub(GUTTER + 2)).max(1)
    }
}

impl SentenceScores {
    /// A page of a text's sentences, checked by `model`; the category to begin with.
    pub(super) fn new(title: String, text: &Untrusted, model: ModelRef, at: Option<CategoryKey>) -> Self {
        let sentence = |(text, ends): (Untrusted, bool)| {
            let key = TextKey::of(&text);
            Sentence { key, text, ends, check: None, failed: false }
        };
        Self {
            title,
            whole: (TextKey::of(text), None),
            model,
            sentences: sentences(text).into_iter().map(sentence).collect(),
            categories: Vec::new(),
            at,
            wrapped: WrappedText::default(),
            top: 0,
            height: 0,
            data: PageData::default(),
        }
    }

    pub(super) fn model(&self) -> &ModelRef {
        &self.model
    }

    pub(super) fn at(&self) -> Option<&CategoryKey> {
        self.at.as_ref()
    }

    /// Returns the sentences, to be checked.
    pub(super) fn texts(&self) -> Vec<(TextKey, Untrusted)> {
        self.sentences.iter().map(|sentence| (sentence.key, sentence.text.clone())).collect()
    }

    pub(super) fn keys(&self) -> Vec<TextKey> {
        self.sentences.iter().map(|sentence| sentence.key).collect()
    }

    /// Takes what is known of the text and its sentences.
    pub(super) fn sync(&mut self, results: &CheckResults, data: PageData) {
        self.whole.1 = results.last(&self.whole.0, &self.model).cloned();
        for sentence in &mut self.sentences {
            sentence.check = results.last(&sentence.key, &self.model).cloned();
            sentence.failed = results.failure(&sentence.key, &self.model).is_some();
        }
        let whole = self.whole.1.as_ref();
        let checks = self.sentences.iter().filter_map(|sentence| sentence.check.as_ref());
        self.categories = category::union(whole.into_iter().chain(checks).map(AsRef::as_ref));
        if self.place().is_none() {
            self.at = whole.and_then(|check| category::highest(check)).map(|(name, _)| CategoryKey::of(name));
        }
        let mask = data.mask && whole.is_some_and(|check| check.flagged);
        self.data = PageData { mask, ..data };
    }

    /// Returns where the category under the cursor is in the list.
    fn place(&self) -> Option<usize> {
        self.categories.iter().position(|category| Some(&category.key) == self.at.as_ref())
    }

    /// Wraps the text, if it is not wrapped like this.
    fn wrap(&mut self, width: usize) {
        let masks = self.data.mask;
        if self.wrapped.width == width && self.wrapped.masked == masks {
            return;
        }
        let mut rows = Vec::new();
        for (at, sentence) in self.sentences.iter().enumerate() {
            let text = sentence.text.screen();
            let text = if masks { masked(&text) } else { text.into_owned() };
            let lines = text.lines().flat_map(|line| wrap::lines(line, width));
            rows.extend(lines.map(|line| (Some(at), line.to_owned())));
            if sentence.ends {
                rows.push((None, String::new()));
            }
        }
        self.wrapped = WrappedText { width, masked: masks, rows };
    }

    fn go_to_category(&mut self, motion: Motion) {
        let last = self.categories.len().saturating_sub(1);
        let at = self.place().unwrap_or(0).saturating_add_signed(motion.rows(0)).min(last);
        self.at = self.categories.get(at).map(|category| category.key.clone());
    }

    fn scroll(&mut self, motion: Motion) {
        let most = self.wrapped.rows.len().saturating_sub(self.height);
        self.top = self.top.saturating_add_signed(motion.rows(self.height)).min(most);
    }

    fn score(&self, check: Option<&Arc<Check>>) -> Option<f64> {
        check.zip(self.at.as_ref()).and_then(|(check, key)| category::score(check, key))
    }

    /// Draws the sentences, each begun on a row of its own, with its score before it.
    fn render_text(&self, frame: &mut Frame, area: Rect, width: usize, context: RenderContext) {
        let theme = context.theme;
        frame.set_cursor_position(Position::new(area.x + 1, area.y));
        let rows = self.wrapped.rows.iter().enumerate().skip(self.top);
        for ((row, (sentence, line)), y) in rows.zip(area.y..area.bottom()) {
            let Some(at) = *sentence else { continue };
            let sentence = &self.sentences[at];
            let score = self.score(sentence.check.as_ref());
            if row == 0 || self.wrapped.rows[row - 1].0 != Some(at) {
                let flag = sentence.check.as_ref().zip(self.at.as_ref());
                let flag = flag.and_then(|(check, key)| category::flag(check, key));
                let sign = self.at.as_ref().map_or(Sign::Clear, |key| Sign::of(score, flag, self.data.profile.of(key)));
                let words = match score {
                    Some(score) => format!("{} {}", number(score), sign.glyph()),
                    None if sentence.failed => "✕ failed".to_owned(),
                    None => "   —".to_owned(),
                };
                let style = if sign == Sign::Clear { theme.muted } else { sign.style(theme) };
                frame.buffer_mut().set_stringn(area.x + 1, y, words, usize::from(GUTTER), style);
            }
            let look = self.look(sentence, theme);
            frame.buffer_mut().set_stringn(area.x + 1 + GUTTER, y, line, width, look);
        }
    }

    /// Returns how a sentence has a category: at the threshold or over it, at least half of that, or less.
    fn extent(&self, sentence: &Sentence, key: &CategoryKey) -> Extent {
        let Some(check) = &sentence.check else { return Extent::Less };
        let (score, threshold) = (category::score(check, key), self.data.profile.of(key));
        match Sign::of(score, category::flag(check, key), threshold) {
            Sign::Flagged | Sign::Over => Extent::Over,
            _ if score.is_some_and(|score| score >= threshold / 2.0) => Extent::Half,
            _ => Extent::Less,
        }
    }

    /// Returns the category whose colour a sentence has, and how it has that: the one under the cursor, else the first
    /// that it is over the threshold of.
    fn category_of(&self, sentence: &Sentence) -> Option<(&CategoryKey, Extent)> {
        let here = self.at.as_ref().map(|key| (key, self.extent(sentence, key)));
        let over = |category: &CategoryInfo| self.extent(sentence, &category.key) == Extent::Over;
        let other = || self.categories.iter().find(|category| over(category)).map(|one| (&one.key, Extent::Over));
        here.filter(|(_, extent)| *extent != Extent::Less).or_else(other)
    }

    /// Returns the look of a sentence.
    fn look(&self, sentence: &Sentence, theme: &Theme) -> Style {
        if matches!(theme.kind, Kind::Ansi | Kind::Mono) {
            let score = self.score(sentence.check.as_ref());
            return score.map_or(theme.text, |score| theme.heat_high(score));
        }
        match self.category_of(sentence) {
            Some((key, Extent::Over)) => theme.series[key.colour()].add_modifier(Modifier::BOLD),
            Some((key, _)) => theme.series[key.colour()],
            None => theme.text,
        }
    }

    /// Returns what the looks of sentences mean: words with the look of each.
    fn looks(&self, theme: &Theme) -> Vec<(String, Style)> {
        if matches!(theme.kind, Kind::Ansi | Kind::Mono) {
            let legend = theme.heat_high_legend().into_iter();
            return legend.map(|(words, style)| (words.to_owned(), style)).collect();
        }
        let found = |category: &&CategoryInfo| {
            let own = |sentence: &Sentence| self.category_of(sentence).is_some_and(|(key, _)| *key == category.key);
            self.sentences.iter().any(own)
        };
        let words =
            |category: &CategoryInfo| (format!("■ {}   ", category.name.line()), theme.series[category.key.colour()]);
        let bold = ("bold: over the threshold".to_owned(), theme.faint);
        let mut looks: Vec<_> = self.categories.iter().filter(found).map(words).collect();
        looks.extend(Some(bold).filter(|_| !looks.is_empty()));
        looks
    }

    /// Draws the score of the whole text, and what the colours mean.
    fn render_legend(&self, frame: &mut Frame, area: Rect, context: RenderContext) {
        let theme = context.theme;
        let score = self.score(self.whole.1.as_ref());
        let words = score.map_or_else(String::new, |score| format!("the whole text: {}   ", number(score)));
        let mut x = frame.buffer_mut().set_stringn(area.x + 1, area.y, words, usize::from(area.width), theme.text).0;
        for (words, style) in self.looks(theme) {
            let room = usize::from(area.right().saturating_sub(x));
            // What has no room is left out whole.
            if wrap::width(words.trim_end()) > room {
                break;
            }
            x = frame.buffer_mut().set_stringn(x, area.y, words, room, style).0;
        }
    }

    /// Draws the categories: of the whole text, and the highest of the sentences.
    fn render_categories(&self, frame: &mut Frame, area: Rect, context: RenderContext) {
        let theme = context.theme;
        let spacing = context.session.spacing();
        let pane = Pane {
            title: "Categories",
            note: "",
            right: "",
            right_style: theme.muted,
            focus: false,
            surface: Surface::Panel,
        };
        pane.render(area, frame.buffer_mut(), theme, spacing);
        pane::divider(frame.buffer_mut(), Rect { width: 1, ..area }, theme, spacing);
        let area = spacing.body(area);
        let width = usize::from(area.width.saturating_sub(5));
        let names = width.saturating_sub(15);
        let head = format!("{:names$} whole highest", "");
        frame.buffer_mut().set_stringn(area.x + 4, area.y, head, width, quiet(context));
        let here = self.place().unwrap_or(0);
        let height = usize::from(area.height.saturating_sub(1));
        let top = (here + 1).saturating_sub(height);
        for ((at, category), y) in self.categories.iter().enumerate().skip(top).zip(area.y + 1..area.bottom()) {
            let score = |check: &Arc<Check>| category::score(check, &category.key);
            let whole = self.whole.1.as_ref().and_then(score);
            let checks = self.sentences.iter().filter_map(|sentence| sentence.check.as_ref());
            let highest = checks.filter_map(score).max_by(f64::total_cmp);
            let printed = |score: Option<f64>| score.map_or_else(|| "   —".to_owned(), number);
            let sign = Sign::of(highest, None, self.data.profile.of(&category.key));
            let name = cut_middle(&category.name.line(), names);
            let gap = " ".repeat(names.saturating_sub(wrap::width(&name)));
            let words = format!("{name}{gap}  {}    {} {}", printed(whole), printed(highest), sign.glyph());
            let mut style = if sign == Sign::Clear { theme.text } else { sign.style(theme) };
            if at == here {
                style = theme.select.patch(style);
                let row = Rect { x: area.x + 1, y, width: area.width - 1, height: 1 };
                pane::highlight(frame.buffer_mut(), row, theme, true);
            }
            frame.buffer_mut().set_stringn(area.x + 2, y, "■", width, theme.series[category.key.colour()]);
            frame.buffer_mut().set_stringn(area.x + 4, y, words, width, style);
        }
    }
}

/// How a sentence has a category.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Extent {
    /// Its score is at the threshold or over it, or the service flagged it.
    Over,
    /// Its score is at least half of the threshold.
    Half,
    Less,
}

impl Component<PageEvent> for SentenceScores {
    fn key(&mut self, key: KeyEvent, _cx: &mut Cx) -> Handled<PageEvent> {
        match KEYS.find(&key) {
            None => return Handled::Ignored,
            Some(A::Close) => return Handled::Emit(PageEvent::Close),
            Some(A::Bench(action)) => return Handled::Emit(PageEvent::Act(action)),
            Some(A::Category(motion)) => self.go_to_category(motion),
            Some(A::Scroll(motion)) => self.scroll(motion),
        }
        Handled::Consumed
    }

    fn hints(&self) -> Vec<Hint> {
        KEYS.footer(&FOOTER, self)
    }

    fn arrange(&mut self, area: Rect, session: &Session, _now: Instant) {
        let areas = PageAreas::of(area, session.spacing());
        self.wrap(areas.width());
        self.height = usize::from(areas.text.height);
        self.top = self.top.min(self.wrapped.rows.len().saturating_sub(self.height));
    }

    fn render(&self, frame: &mut Frame, area: Rect, context: RenderContext) {
        let name = self.categories.iter().find(|category| Some(&category.key) == self.at.as_ref());
        let name = name.map_or_else(|| "no category yet".to_owned(), |category| category.name.line().into_owned());
        let count = self.sentences.len();
        let count = format!("{count} sentence{}", if count == 1 { "" } else { "s" });
        let run = self.data.run.words(context);
        let right = match run.as_str() {
            "" => count,
            run => format!("{count} · {run}"),
        };
        let areas = PageAreas::of(area, context.session.spacing());
        let title = format!("Text {} · {name}", self.title);
        page_data::title(frame, areas.main, &title, &right, !run.is_empty(), context);
        self.render_text(frame, areas.text, areas.width(), context);
        if let Some(area) = areas.legend {
            self.render_legend(frame, area, context);
        }
        if let Some(area) = areas.side {
            self.render_categories(frame, area, context);
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
