//! Draws the page of sentences: the text, the legend of its colours, the categories.

use std::sync::Arc;

use ratatui::Frame;
use ratatui::layout::{Position, Rect};
use ratatui::style::{Modifier, Style};

use super::super::category::{self, CategoryInfo};
use super::super::page_data::quiet_style;
use super::super::sign::Sign;
use super::{Extent, GUTTER, Sentence, SentenceScores};
use crate::component::RenderContext;
use crate::record::Check;
use crate::ui::bar::number;
use crate::ui::pane::{self, Pane, Surface};
use crate::ui::rule::cut_middle;
use crate::ui::theme::{Kind, Theme};
use crate::ui::wrap;

impl SentenceScores {
    /// Draws the sentences, each begun on a row of its own, with its score before it.
    pub(super) fn render_text(&self, frame: &mut Frame, area: Rect, width: usize, context: RenderContext) {
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
    pub(super) fn render_legend(&self, frame: &mut Frame, area: Rect, context: RenderContext) {
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
    pub(super) fn render_categories(&self, frame: &mut Frame, area: Rect, context: RenderContext) {
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
        frame.buffer_mut().set_stringn(area.x + 4, area.y, head, width, quiet_style(context));
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
