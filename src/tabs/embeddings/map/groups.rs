//! The labels on the map: the legend, which label shows alone, how often the nearest of a text have its label.

use ratatui::style::Style;
use ratatui::text::{Line, Span};

use super::super::background::{BackgroundJob, JobReply, VectorsVersion};
use super::super::labels::TextLabel;
use super::super::pane_data::PaneData;
use super::MapGroups;
use crate::api::call::Ticket;
use crate::component::{Cx, Response};
use crate::record::vectors::{Alike, Figures, VectorTask};
use crate::ui::meter;
use crate::ui::rule::cut;
use crate::ui::scatter::{SIGNS, sign};
use crate::ui::theme::Theme;
use crate::ui::wrap;

/// Nearest of each text that are looked at.
const NEAREST: usize = 5;
/// Columns of the two figures of a label, and of a cluster's one.
const FIGURES: usize = 19;
const FIGURE: usize = 7;

/// What the map shows of the labels or clusters.
#[derive(Debug, Default)]
pub(super) struct LabelLegend {
    /// The only one that shows; `None`: all.
    only: Option<usize>,
    job: BackgroundJob,
    alike: Option<(VectorsVersion, Alike)>,
}

impl LabelLegend {
    /// Asks for the neighbours by label, unless they are known or under way.
    pub(super) fn refresh(&mut self, data: &PaneData, now: Option<&VectorsVersion>, cx: &mut Cx) {
        let (Some(of), Some(table)) = (now.filter(|_| !data.labels.is_empty()), &data.table) else {
            self.alike = None;
            self.job.stop(cx);
            return;
        };
        if self.alike.as_ref().is_some_and(|(alike, _)| !alike.same_texts(of)) {
            self.alike = None;
        }
        let known = self.alike.as_ref().is_some_and(|(alike, _)| alike == of) || self.job.failed_of(of);
        if !known && !self.job.of().is_some_and(|running| running.same_texts(of)) {
            let labels = data.labels.of.clone();
            self.job.ask(of.clone(), VectorTask::Alike { table: table.clone(), labels, most: NEAREST }, cx);
        }
    }

    /// Stops what is under way.
    pub(super) fn cancel(&mut self, cx: &mut Cx) {
        self.job.stop(cx);
    }

    /// Takes a reply. Returns whether it was its own.
    pub(super) fn reply(&mut self, ticket: Ticket, response: &mut Response, cx: &Cx) -> bool {
        match self.job.take(ticket, response, cx) {
            JobReply::NotOwn => return false,
            JobReply::Figures(of, Figures::Alike(alike)) => self.alike = Some((of, alike)),
            JobReply::Progress | JobReply::Figures(..) => {}
        }
        true
    }

    /// Notes how many there are.
    pub(super) fn limit(&mut self, count: usize) {
        self.only = self.only.filter(|only| *only < count);
    }

    /// Returns the only one that shows; `None`: all.
    pub(super) fn only(&self) -> Option<usize> {
        self.only
    }

    /// Shows the next one alone, or the one before; after the last and before the first all show.
    pub(super) fn turn(&mut self, forward: bool, count: usize) {
        self.only = match (self.only, forward) {
            (None, true) => Some(0),
            (None, false) => count.checked_sub(1),
            (Some(at), true) => Some(at + 1),
            (Some(at), false) => at.checked_sub(1),
        }
        .filter(|at| *at < count);
    }

    /// Shows all.
    pub(super) fn show_all(&mut self) {
        self.only = None;
    }

    /// Returns how often the nearest of texts with these labels have the same one, in per cent; `…`: not known yet.
    fn share(&self, labels: impl Iterator<Item = usize>) -> String {
        let Some((_, alike)) = &self.alike else {
            return if self.job.failed().is_some() { "—" } else { "…" }.to_owned();
        };
        let (same, all) = labels
            .filter_map(|label| alike.labels.get(label))
            .fold((0, 0), |(same, all), (more, of)| (same + more, all + of));
        if all == 0 { "—".to_owned() } else { meter::percent(same as f64 / all as f64) }
    }

    /// Returns the legend as a table of at most `rows` rows: the label, its texts, its neighbours; of clusters no
    /// neighbours. Empty where there is no room.
    pub(super) fn legend(&self, groups: MapGroups, width: usize, rows: usize, theme: &Theme) -> Vec<Line<'static>> {
        let all = &groups.all.all;
        let figures = if groups.clusters { FIGURE } else { FIGURES };
        if rows < 3 || width < figures + 8 {
            return Vec::new();
        }
        let name = width - figures - 4;
        let written = |texts: &str, near: &str| {
            if groups.clusters { format!("{texts:>FIGURE$}") } else { format!("{texts:>7} {near:>11}") }
        };
        let row = |group: Option<usize>, words: &str, texts: usize, near: &str| {
            let (mark, style) = sign(group, theme);
            let chosen = group.is_some() && group == self.only;
            let text = if self.only.is_none() || chosen { theme.text } else { theme.muted };
            let words = cut(words, name);
            let pad = " ".repeat(name.saturating_sub(wrap::width(&words)));
            Line::from(vec![
                Span::styled(if chosen { "▸" } else { " " }, theme.accent),
                Span::styled(mark, style),
                Span::styled(format!(" {words}{pad} {}", written(&meter::count(texts as u64), near)), text),
            ])
        };
        let selected = cut("selected", name);
        let head = format!(" {selected:<name$} {}", written("texts", "neighbours"));
        let head = [Span::raw(" "), Span::styled("◆", theme.accent), Span::styled(head, theme.muted)];
        let mut lines = vec![Line::from_iter(head)];
        let words = if groups.clusters { Vec::new() } else { self.words(all, width, rows) };
        let room = rows - 1 - words.len();
        let named = if all.len() <= room.min(SIGNS.len()) { all.len() } else { room.min(SIGNS.len() + 1) - 1 };
        for (at, label) in all.iter().enumerate().take(named) {
            lines.push(row(Some(at), &label.name, label.texts, &self.share(std::iter::once(at))));
        }
        let rest = &all[named..];
        match self.only.filter(|only| *only >= named).and_then(|only| Some((only, all.get(only)?))) {
            Some((at, label)) => lines.push(row(Some(at), &label.name, label.texts, &self.share(std::iter::once(at)))),
            None if rest.is_empty() => {}
            None => {
                let words = format!("{} more {}", meter::count(rest.len() as u64), groups.noun());
                let words = if wrap::width(&words) > name { format!("{} more", rest.len()) } else { words };
                let texts = rest.iter().map(|label| label.texts).sum();
                lines.push(row(None, &words, texts, &self.share(named..all.len())));
            }
        }
        lines.extend(words.iter().map(|words| Line::styled(cut(&format!(" {words}"), width), theme.muted)));
        lines
    }

    /// Says what the neighbours' figure is, in a line; in two where a label has so few texts that not all of the nearest
    /// can have it, and the legend has rows for both.
    fn words(&self, labels: &[TextLabel], width: usize, rows: usize) -> Vec<String> {
        let figure = match &self.alike {
            Some((_, alike)) if alike.rows < alike.of => format!(
                "same label among the {NEAREST} nearest, in {} of {} texts",
                meter::count(alike.rows as u64),
                meter::count(alike.of as u64)
            ),
            _ => format!("same label among the {NEAREST} nearest"),
        };
        let whole = format!("neighbours: {figure}");
        let figure = if wrap::width(&whole) < width { whole } else { figure };
        let is_small = rows > 4 && labels.iter().any(|label| label.texts <= NEAREST);
        let most = is_small.then(|| "100%: as many as there can be".to_owned());
        std::iter::once(figure).chain(most).collect()
    }

    /// Returns the legend on one line: all as far as there is room, or the one that shows alone.
    pub(super) fn line(&self, groups: MapGroups, width: usize, theme: &Theme) -> Option<Line<'static>> {
        let all = &groups.all.all;
        if let Some((only, label)) = self.only.and_then(|only| Some((only, all.get(only)?))) {
            let (mark, style) = sign(Some(only), theme);
            let texts = meter::count(label.texts as u64);
            let figures = if groups.clusters {
                format!(" · {texts} {}", if label.texts == 1 { "text" } else { "texts" })
            } else {
                format!(" · {texts} · {} of {NEAREST} nearest", self.share(std::iter::once(only)))
            };
            let name = cut(&label.name, width.saturating_sub(4 + wrap::width(&figures)));
            let mark = [Span::styled(" ▸", theme.accent), Span::styled(mark, style)];
            return Some(Line::from([&mark[..], &[Span::styled(format!(" {name}{figures}"), theme.text)]].concat()));
        }
        let mut spans: Vec<Span<'static>> = Vec::new();
        let mut used = 0;
        for (at, TextLabel { name, texts }) in all.iter().enumerate() {
            let left = all.len() - at;
            let (mark, style) = sign(Some(at), theme);
            let figure = if groups.clusters { meter::count(*texts as u64) } else { self.share(std::iter::once(at)) };
            let word = format!(" {} {figure}", cut(name, 12));
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
