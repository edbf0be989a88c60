//! The figures of a training file as lines of text.

use ratatui::style::Style;

use super::{CheckPage, columns, wording};
use crate::record::training::ProblemKind;
use crate::ui::meter::{bar, count, short};
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

/// Returns all lines in so many columns.
pub(super) fn lines(page: &CheckPage, width: usize) -> Vec<(LineTone, String)> {
    let (report, tokens) = (&page.report, &page.report.tokens);
    let mut lines = Vec::new();
    let mut put = |tone, text: String| {
        lines.extend(wrap::lines(&text, width.max(1)).into_iter().map(|line| (tone, line.to_owned())));
    };
    put(LineTone::Plain, format!("model     {}  m another", page.file.model.line()));
    put(LineTone::Plain, format!("cost      {}", wording::cost(page)));
    let split = match page.choices.held_out {
        Some(share) => format!("{share} % held out for validation"),
        None => "nothing held out for validation".to_owned(),
    };
    put(LineTone::Plain, format!("split     {split}"));
    if let Some(mapping) = &report.mapping {
        put(LineTone::Muted, format!("columns   {}", columns::summary(mapping).line()));
    }
    if let Some(words) = wording::requests(&report.ends.prompt, &report.ends.completion) {
        put(LineTone::Plain, format!("requests  {}", words.line()));
    }
    if tokens.sampled > 0 {
        let limit = tokens.limit.map(|limit| format!(" of {}", count(limit))).unwrap_or_default();
        let (min, median, max) = (count(tokens.min), count(tokens.median), count(tokens.max));
        put(LineTone::Plain, format!("tokens    min {min} · median {median} · max {max}{limit}"));
        let all = tokens.sampled >= report.rows;
        let how = if tokens.vocabulary.is_empty() { "estimated" } else { tokens.vocabulary.as_str() };
        let sampled = if all { "all rows".to_owned() } else { format!("{} sampled", wording::rows(tokens.sampled)) };
        let about = if all { "" } else { "~" };
        put(LineTone::Muted, format!("          {about}{} in all · {sampled} · {how}", short(tokens.total)));
    }
    let most = tokens.bars.iter().map(|(_, rows)| *rows).max().unwrap_or(0).max(1);
    for (up_to, rows) in &tokens.bars {
        let head = format!("{:>9} ", format!("≤{}", short(*up_to)));
        let room = width.saturating_sub(head.len() + 8).min(40);
        put(LineTone::Accent, format!("{head}{} {}", bar(*rows as f64 / most as f64, room), count(*rows)));
    }
    match tokens.over {
        0 => {}
        over => put(LineTone::Warn, format!("! {} over the limit", wording::rows(over))),
    }
    match wording::of(report, ProblemKind::Duplicate) {
        0 => {}
        number => {
            let share = number as f64 * 100.0 / report.rows.max(1) as f64;
            put(LineTone::Plain, format!("repeated  {} ({share:.1} %)", wording::rows(number)));
        }
    }
    if !report.classes.most.is_empty() {
        let number = report.classes.count.max(report.classes.most.len() as u64);
        let repaired = match number.saturating_sub(page.choices.merged(&page.report)) {
            same if same == number => String::new(),
            fewer => format!(", {} once the labels are repaired", count(fewer)),
        };
        put(LineTone::Plain, format!("classes   {}{repaired}", count(number)));
        for (name, rows) in &report.classes.most {
            let name = rule::cut(&name.line(), width.saturating_sub(20).max(8));
            put(LineTone::Muted, format!("          {name}  {}", count(*rows)));
        }
    }
    // What it takes on this machine is not known before it runs.
    if let Some(seconds) = report.seconds.filter(|_| !page.file.local) {
        let time = match seconds {
            0..120 => format!("{seconds} s"),
            120..7200 => format!("{} min", seconds / 60),
            _ => format!("{} h", seconds / 3600),
        };
        put(LineTone::Muted, format!("time      about {time} to train, as the legacy tool estimates it"));
    }
    for advice in &report.advice {
        put(LineTone::Warn, format!("! {}", advice.line()));
    }
    lines
}
