//! The labels on the map: the legend, which label shows alone, how often the nearest of a text have its label.

use ratatui::style::Style;
use ratatui::text::{Line, Span};

use super::super::flight::{Answer, Flight, Of};
use super::super::labels::Label;
use super::super::pane::Read;
use crate::api::call::Ticket;
use crate::component::Cx;
use crate::record::vectors::{Alike, Figures, Sum};
use crate::record::work::Done;
use crate::ui::meter;
use crate::ui::rule::cut;
use crate::ui::scatter::{SIGNS, sign};
use crate::ui::theme::Theme;
use crate::ui::wrap;

/// Nearest of each text that are looked at.
const NEAREST: usize = 5;
/// Columns of the two figures of a label.
const FIGURES: usize = 19;

/// What the map shows of the labels.
#[derive(Debug, Default)]
pub(super) struct Groups {
    /// The only label that shows; `None`: all.
    only: Option<usize>,
    flight: Flight,
    told: Option<(Of, Alike)>,
}

impl Groups {
    /// Asks for the neighbours by label, unless they are known or under way.
    pub(super) fn fresh(&mut self, read: &Read, now: Option<&Of>, cx: &mut Cx) {
        self.only = self.only.filter(|only| *only < read.labels.all.len());
        let (Some(of), Some(table)) = (now.filter(|_| !read.labels.is_empty()), &read.table) else {
            self.told = None;
            self.flight.stop(cx);
            return;
        };
        if self.told.as_ref().is_some_and(|(told, _)| !told.same_texts(of)) {
            self.told = None;
        }
        let known = self.told.as_ref().is_some_and(|(told, _)| told == of) || self.flight.failed_of(of);
        if !known && !self.flight.of().is_some_and(|under_way| under_way.same_texts(of)) {
            let labels = read.labels.of.clone();
            self.flight.ask(of.clone(), Sum::Alike { table: table.clone(), labels, most: NEAREST }, cx);
        }
    }

    /// Stops what is under way.
    pub(super) fn stop(&mut self, cx: &mut Cx) {
        self.flight.stop(cx);
    }

    /// Takes an answer; whether it was its own.
    pub(super) fn worked(&mut self, ticket: Ticket, done: &Done, cx: &Cx) -> bool {
        match self.flight.take(ticket, done, cx) {
            Answer::Strange => return false,
            Answer::Figures(of, Figures::Alike(told)) => self.told = Some((of, told.clone())),
            Answer::Said | Answer::Figures(..) => {}
        }
        true
    }

    /// The only label that shows.
    pub(super) fn only(&self) -> Option<usize> {
        self.only
    }

    /// Shows the next label alone, or the one before; behind the last and before the first all show.
    pub(super) fn turn(&mut self, forward: bool, read: &Read) {
        let count = read.labels.all.len();
        self.only = match (self.only, forward) {
            (None, true) => Some(0),
            (None, false) => count.checked_sub(1),
            (Some(at), true) => Some(at + 1),
            (Some(at), false) => at.checked_sub(1),
        }
        .filter(|at| *at < count);
    }

    /// Shows all labels; whether one was shown alone.
    pub(super) fn all(&mut self) -> bool {
        self.only.take().is_some()
    }

    /// How often the nearest of texts with these labels have the same one, in per cent; `…`: not known yet.
    fn share(&self, labels: impl Iterator<Item = usize>) -> String {
        let Some((_, told)) = &self.told else {
            return if self.flight.failed().is_some() { "—" } else { "…" }.to_owned();
        };
        let (same, all) = labels
            .filter_map(|label| told.labels.get(label))
            .fold((0, 0), |(same, all), (more, of)| (same + more, all + of));
        if all == 0 { "—".to_owned() } else { format!("{:.0} %", same as f64 / all as f64 * 100.0) }
    }

    /// The legend as a table of at most `rows` rows: the label, its texts, its neighbours. Empty where there are no labels.
    pub(super) fn legend(&self, read: &Read, width: usize, rows: usize, theme: &Theme) -> Vec<Line<'static>> {
        let all = &read.labels.all;
        if all.is_empty() || rows < 3 || width < FIGURES + 8 {
            return Vec::new();
        }
        let name = width - FIGURES - 4;
        let figures = |texts: &str, near: &str| format!("{texts:>7} {near:>11}");
        let row = |group: Option<usize>, words: &str, texts: usize, near: &str| {
            let (mark, style) = sign(group, theme);
            let chosen = group.is_some() && group == self.only;
            let text = if self.only.is_none() || chosen { theme.text } else { theme.muted };
            let words = cut(words, name);
            let pad = " ".repeat(name.saturating_sub(wrap::width(&words)));
            Line::from(vec![
                Span::styled(if chosen { "▸" } else { " " }, theme.accent),
                Span::styled(mark, style),
                Span::styled(format!(" {words}{pad} {}", figures(&meter::count(texts as u64), near)), text),
            ])
        };
        let head = format!("   {}{}", " ".repeat(name), figures("texts", "neighbours"));
        let mut lines = vec![Line::styled(cut(&head, width), theme.muted)];
        let room = rows - 2;
        let named = if all.len() <= room.min(SIGNS.len()) { all.len() } else { room.min(SIGNS.len() + 1) - 1 };
        for (at, label) in all.iter().enumerate().take(named) {
            lines.push(row(Some(at), &label.name, label.texts, &self.share(std::iter::once(at))));
        }
        let rest = &all[named..];
        match self.only.filter(|only| *only >= named).and_then(|only| Some((only, all.get(only)?))) {
            Some((at, label)) => lines.push(row(Some(at), &label.name, label.texts, &self.share(std::iter::once(at)))),
            None if rest.is_empty() => {}
            None => {
                let words = format!("{} more labels", meter::count(rest.len() as u64));
                let texts = rest.iter().map(|label| label.texts).sum();
                lines.push(row(None, &words, texts, &self.share(named..all.len())));
            }
        }
        lines.push(Line::styled(cut(&format!(" neighbours: {}", self.words()), width), theme.muted));
        lines
    }

    /// What the neighbours' figure is.
    fn words(&self) -> String {
        match &self.told {
            Some((_, told)) if told.rows < told.of => format!(
                "same label in {NEAREST} nearest, of {} texts of {}",
                meter::count(told.rows as u64),
                meter::count(told.of as u64)
            ),
            _ => format!("same label in {NEAREST} nearest"),
        }
    }

    /// The legend on one line: all labels as far as there is room, or the one that shows alone.
    pub(super) fn line(&self, read: &Read, width: usize, theme: &Theme) -> Option<Line<'static>> {
        let all = &read.labels.all;
        if let Some((only, label)) = self.only.and_then(|only| Some((only, all.get(only)?))) {
            let (mark, style) = sign(Some(only), theme);
            let share = self.share(std::iter::once(only));
            let figures = format!(" · {} · {share} of {NEAREST} nearest", meter::count(label.texts as u64));
            let name = cut(&label.name, width.saturating_sub(4 + wrap::width(&figures)));
            let mark = [Span::styled(" ▸", theme.accent), Span::styled(mark, style)];
            return Some(Line::from([&mark[..], &[Span::styled(format!(" {name}{figures}"), theme.text)]].concat()));
        }
        let mut spans: Vec<Span<'static>> = Vec::new();
        let mut used = 0;
        for (at, Label { name, .. }) in all.iter().enumerate() {
            let left = all.len() - at;
            let (mark, style) = sign(Some(at), theme);
            let word = format!(" {} {}", cut(name, 12), self.share(std::iter::once(at)));
            // The last of those that fit leaves room for how many there are beside it.
            let more = if left > 1 { 1 + wrap::width(&format!("+{}", left - 1)) } else { 0 };
            if at == SIGNS.len() || used + 2 + wrap::width(&word) + more > width {
                spans.push(Span::styled(format!(" +{left}"), theme.muted));
                break;
            }
            used += 2 + wrap::width(&word);
            spans.extend([Span::styled(" ", Style::new()), Span::styled(mark, style), Span::styled(word, theme.text)]);
        }
        (!spans.is_empty()).then(|| Line::from(spans))
    }
}
