//! Where a score comes from: the text sentence by sentence, each with the score it has alone.

mod draw;
pub(super) mod keys;

use std::sync::Arc;
use std::time::Instant;

use crossterm::event::KeyEvent;
use ratatui::Frame;
use ratatui::layout::Rect;
use unicode_segmentation::UnicodeSegmentation;

use self::keys::{Action, FOOTER, KEYS};
use super::action::{self, PageEvent};
use super::category::{self, CategoryInfo, CategoryKey};
use super::check_results::CheckResults;
use super::mask::masked;
use super::model_ref::ModelRef;
use super::page_data::{self, PageData};
use super::sign::Sign;
use crate::component::{Component, Cx, Handled, Hint, Motion, RenderContext, Session};
use crate::record::{Check, TextKey};
use crate::text::Untrusted;
use crate::ui::pane::Spacing;
use crate::ui::size_class::WIDE;
use crate::ui::wrap;

/// Columns of the list of categories at the right.
const SIDE: u16 = 40;
/// Columns of number, sign and blank before a sentence.
const GUTTER: u16 = 9;

/// Returns all keys of the page, for the help page.
pub(super) fn help() -> Vec<Hint> {
    KEYS.help()
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
    /// Each row with the sentence that begins on it or continues; `None`: a blank row after a paragraph.
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

    /// Returns how many columns a row of text has.
    fn width(&self) -> usize {
        usize::from(self.text.width.saturating_sub(GUTTER + 2)).max(1)
    }
}

impl SentenceScores {
    /// Creates a page of a text's sentences, checked by `model`; `category` is shown first.
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
}

/// How strongly a sentence has a category.
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
            Some(Action::Close) => return Handled::Emit(PageEvent::Close),
            Some(Action::Bench(action)) => return Handled::Emit(PageEvent::Act(action)),
            Some(Action::Category(motion)) => self.go_to_category(motion),
            Some(Action::Scroll(motion)) => self.scroll(motion),
        }
        Handled::Consumed
    }

    fn hints(&self) -> Vec<Hint> {
        KEYS.footer(&self.data.run.footer_actions(&FOOTER, Action::Bench(action::Action::Run)), self)
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
