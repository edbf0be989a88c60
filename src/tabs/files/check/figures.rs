//! The figures of a training file as lines of text.

use ratatui::style::Style;

use super::{CheckPage, columns, wording};
use crate::record::training::ProblemKind;
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
        match self {
            Self::Plain => theme.text,
            Self::Muted => theme.muted,
            Self::Ok => theme.good,
            Self::Warn => theme.warn,
            Self::Error => theme.bad,
            Self::Accent => theme.accent,
        }
    }
}

/// Columns of the labels.
const LABEL: usize = 10;

/// Returns all lines in so many columns.
pub(super) fn lines(page: &CheckPage, width: usize) -> Vec<(LineTone, String)> {
    let (report, tokens) = (&page.report, &page.report.tokens);
    let mut lines = Vec::new();
    // What stands behind a label is wrapped below itself.
    let mut put = |tone, label: &str, text: String| {
        let indent = if label.is_empty() { 0 } else { LABEL };
        for (at, line) in wrap::lines(&text, width.saturating_sub(indent).max(1)).into_iter().enumerate() {
            let label = if at == 0 { label } else { "" };
            lines.push((tone, format!("{label:<indent$}{line}")));
        }
    };
    put(LineTone::Plain, "model", format!("{}  m another", page.file.model.line()));
    put(LineTone::Plain, "cost", wording::cost(page));
    let split = match page.choices.held_out {
        Some(share) => format!("{share}% held out for validation"),
        None => "nothing held out for validation".to_owned(),
    };
    put(LineTone::Plain, "split", split);
    if let Some(mapping) = &report.mapping {
        put(LineTone::Muted, "columns", columns::summary(mapping).line().into_owned());
    }
    if let Some(words) = wording::requests(&report.ends.prompt, &report.ends.completion) {
        put(LineTone::Plain, "requests", words.line().into_owned());
    }
    if tokens.sampled > 0 {
        let limit = tokens.limit.map(|limit| format!(" of {}", count(limit))).unwrap_or_default();
        let (min, median, max) = (count(tokens.min), count(tokens.median), count(tokens.max));
        put(LineTone::Plain, "tokens", format!("min {min} · median {median} · max {max}{limit}"));
        let all = tokens.sampled >= report.rows;
        let how = if tokens.vocabulary.is_empty() { "estimated" } else { tokens.vocabulary.as_str() };
        let sampled = if all { "all rows".to_owned() } else { format!("{} sampled", wording::rows(tokens.sampled)) };
        let about = if all { "" } else { "~" };
        put(LineTone::Muted, " ", format!("{about}{} in all · {sampled} · {how}", short(tokens.total)));
    }
    let most = tokens.bars.iter().map(|(_, rows)| *rows).max().unwrap_or(0).max(1);
    for (up_to, rows) in &tokens.bars {
        let head = format!("≤{}", short(*up_to));
        let room = width.saturating_sub(LABEL + 8).min(40);
        let bar = thin(*rows as f64 / most as f64, room).replace('─', " ");
        put(LineTone::Plain, &format!("{head:>9}"), format!("{bar}  {:>5}", count(*rows)));
    }
    match tokens.over {
        0 => {}
        over => put(LineTone::Warn, "", format!("! {} over the limit", wording::rows(over))),
    }
    match wording::of(report, ProblemKind::Duplicate) {
        0 => {}
        number => {
            let share = percent(number as f64 / report.rows.max(1) as f64);
            put(LineTone::Plain, "repeated", format!("{} ({share})", wording::rows(number)));
        }
    }
    if !report.classes.most.is_empty() {
        let number = report.classes.count.max(report.classes.most.len() as u64);
        let repaired = match number.saturating_sub(page.choices.merged(&page.report)) {
            same if same == number => String::new(),
            fewer => format!(", {} once the labels are repaired", count(fewer)),
        };
        put(LineTone::Plain, "classes", format!("{}{repaired}", count(number)));
        let cut = |name: &Untrusted| rule::cut(&name.line(), width.saturating_sub(20).max(8));
        let widest = report.classes.most.iter().map(|(name, _)| wrap::width(&cut(name))).max().unwrap_or(0);
        for (name, rows) in &report.classes.most {
            let name = cut(name);
            let pad = " ".repeat(widest - wrap::width(&name));
            put(LineTone::Muted, " ", format!("{name}{pad}  {:>5}", count(*rows)));
        }
    }
    // What it takes on this machine is not known before it runs.
    if let Some(seconds) = report.seconds.filter(|_| !page.file.local) {
        let time = match seconds {
            0..120 => format!("{seconds} s"),
            120..7200 => format!("{} min", seconds / 60),
            _ => format!("{} h", seconds / 3600),
        };
        put(LineTone::Muted, "time", format!("about {time} to train, as the legacy tool estimates it"));
    }
    for advice in &report.advice {
        put(LineTone::Warn, "", format!("! {}", advice.line()));
    }
    lines
}
