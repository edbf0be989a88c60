//! The figures of a training file as lines of text.

use ratatui::style::Style;

use super::page::CheckPage;
use super::run::CheckPhase;
use super::{columns, wording};
use crate::component::ParagraphStyle;
use crate::record::training::{CheckReport, ProblemKind};
use crate::text::Untrusted;
use crate::ui::meter::{count, percent, short, thin};
use crate::ui::theme::Theme;
use crate::ui::{rule, wrap};

/// The style of a line by what it says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LineTone {
    Plain,
    Muted,
    Ok,
    Warn,
    Error,
    Accent,
}

impl LineTone {
    pub(super) fn style(self, theme: &Theme) -> Style {
        self.style_of()(theme)
    }

    /// Returns the function that returns the style.
    pub(super) fn style_of(self) -> ParagraphStyle {
        match self {
            Self::Plain => |theme| theme.text,
            Self::Muted => |theme| theme.muted,
            Self::Ok => |theme| theme.good,
            Self::Warn => |theme| theme.warn,
            Self::Error => |theme| theme.bad,
            Self::Accent => |theme| theme.accent,
        }
    }
}

/// Columns of the labels.
const LABEL: usize = 10;

/// Lines of text of so many columns.
struct FigureLines {
    width: usize,
    lines: Vec<(LineTone, String)>,
}

impl FigureLines {
    /// Adds a text with a label; what stands behind a label is wrapped below itself.
    fn put(&mut self, tone: LineTone, label: &str, text: impl AsRef<str>) {
        let indent = if label.is_empty() { 0 } else { LABEL };
        for (at, line) in wrap::lines(text.as_ref(), self.width.saturating_sub(indent).max(1)).into_iter().enumerate() {
            let label = if at == 0 { label } else { "" };
            self.lines.push((tone, format!("{label:<indent$}{line}")));
        }
    }
}

/// Returns all lines in so many columns.
pub(super) fn lines(page: &CheckPage, width: usize) -> Vec<(LineTone, String)> {
    let mut lines = FigureLines { width, lines: Vec::new() };
    training(page, &mut lines);
    tokens(&page.report, &mut lines);
    if let repeated @ 1.. = wording::of(&page.report, ProblemKind::Duplicate) {
        let share = percent(repeated as f64 / page.report.rows.max(1) as f64);
        lines.put(LineTone::Plain, "repeated", format!("{} ({share})", wording::rows(repeated)));
    }
    classes(page, &mut lines);
    // The time that it takes on this machine is not known in advance.
    if let Some(seconds) = page.report.seconds.filter(|_| !page.file.local) {
        let time = match seconds {
            0..120 => format!("{seconds} s"),
            120..7200 => format!("{} min", seconds / 60),
            _ => format!("{} h", seconds / 3600),
        };
        lines.put(LineTone::Muted, "time", format!("about {time} to train, a rough estimate"));
    }
    for advice in &page.report.advice {
        // Nothing is wrong.
        lines.put(LineTone::Muted, "", format!("· {}", advice.line()));
    }
    lines.lines
}

/// Adds the facts of a training run with this file: model, cost, rows held out, use of the columns.
fn training(page: &CheckPage, lines: &mut FigureLines) {
    lines.put(LineTone::Plain, "model", format!("{}  m another", page.file.model.line()));
    lines.put(LineTone::Plain, "cost", wording::cost(page));
    let split = match (page.choices.held_out, &page.run.phase) {
        (Some(_), CheckPhase::Written(prepared)) => wording::held_out(prepared),
        // Rows with the same prompt stay together, so the share is not exact.
        (Some(share), _) => format!("about {share}% of rows held out"),
        (None, _) => "nothing held out for validation".to_owned(),
    };
    lines.put(LineTone::Plain, "split", split);
    if let Some(mapping) = &page.report.mapping {
        lines.put(LineTone::Muted, "columns", columns::summary(mapping).line());
    }
    if let Some(words) = wording::requests(&page.report.ends.prompt, &page.report.ends.completion) {
        lines.put(LineTone::Plain, "requests", words.line());
    }
}

/// Adds how many tokens rows have, as figures and bars.
fn tokens(report: &CheckReport, lines: &mut FigureLines) {
    let tokens = &report.tokens;
    if tokens.sampled > 0 {
        let limit = tokens.limit.map(|limit| format!(" of {}", count(limit))).unwrap_or_default();
        let (min, median, max) = (count(tokens.min), count(tokens.median), count(tokens.max));
        lines.put(LineTone::Plain, "tokens", format!("min {min} · median {median} · max {max}{limit}"));
        let all = tokens.sampled >= report.rows;
        let how = if tokens.vocabulary.is_empty() { "estimated" } else { tokens.vocabulary.as_str() };
        let sampled = if all { "all rows".to_owned() } else { format!("{} sampled", wording::rows(tokens.sampled)) };
        let about = if all { "" } else { "~" };
        lines.put(LineTone::Muted, " ", format!("{about}{} in all · {sampled} · {how}", short(tokens.total)));
    }
    let most = tokens.bars.iter().map(|(_, rows)| *rows).max().unwrap_or(0).max(1);
    for (up_to, rows) in &tokens.bars {
        let head = format!("≤{}", short(*up_to));
        let room = lines.width.saturating_sub(LABEL + 8).min(40);
        let bar = thin(*rows as f64 / most as f64, room).replace('─', " ");
        lines.put(LineTone::Plain, &format!("{head:>9}"), format!("{bar}  {:>5}", count(*rows)));
    }
    if tokens.over > 0 {
        lines.put(LineTone::Warn, "", format!("! {} over the limit", wording::rows(tokens.over)));
    }
}

/// Adds the number of classes and the largest ones.
fn classes(page: &CheckPage, lines: &mut FigureLines) {
    let classes = &page.report.classes;
    if classes.most.is_empty() {
        return;
    }
    let number = classes.count.max(classes.most.len() as u64);
    let repaired = match number.saturating_sub(page.choices.merged(&page.report)) {
        same if same == number => String::new(),
        fewer => format!(", {} once the labels are repaired", count(fewer)),
    };
    lines.put(LineTone::Plain, "classes", format!("{}{repaired}", count(number)));
    let most = lines.width.saturating_sub(20).max(8);
    let cut = |name: &Untrusted| rule::cut(&name.line(), most);
    let widest = classes.most.iter().map(|(name, _)| wrap::width(&cut(name))).max().unwrap_or(0);
    for (name, rows) in &classes.most {
        let name = cut(name);
        let pad = " ".repeat(widest - wrap::width(&name));
        lines.put(LineTone::Muted, " ", format!("{name}{pad}  {:>5}", count(*rows)));
    }
}
