//! Draws the form for a profile.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};

use super::profile_form::{ProfileForm, SOURCES};
use crate::settings::profile::is_exposed;
use crate::settings::{KeySource, ProfileId, keyring};
use crate::text::Untrusted;
use crate::ui::overlay::{WIDEST, Words, boxed};
use crate::ui::pane;
use crate::ui::rule::cut;
use crate::ui::theme::Theme;
use crate::ui::wrap;

/// A row of `area`; `None` below its end.
fn row(area: Rect, index: usize) -> Option<Rect> {
    let y = area.y.checked_add(u16::try_from(index).ok()?)?;
    (y < area.bottom()).then_some(Rect { y, height: 1, ..area })
}

fn put(frame: &mut Frame, area: Rect, index: usize, line: Line) {
    if let Some(area) = row(area, index) {
        frame.render_widget(line, area);
    }
}

/// Marks the row under the cursor; returns what stands before its text.
fn mark(frame: &mut Frame, area: Rect, index: usize, theme: &Theme) -> &'static str {
    if !theme.kind.has_surfaces() {
        return "▸ ";
    }
    if let Some(row) = row(area, index) {
        pane::highlight(frame.buffer_mut(), row, theme, true);
    }
    "▌ "
}

/// Puts the real cursor `column` columns into a row.
fn cursor(frame: &mut Frame, area: Rect, index: usize, column: usize) {
    if let Some(area) = row(area, index).filter(|area| area.width > 0) {
        let x = area.x + (column as u16).min(area.width - 1);
        frame.set_cursor_position((x, area.y));
    }
}

pub(super) fn render(form: &ProfileForm, frame: &mut Frame, body: Rect, theme: &Theme) {
    let title = if form.whose.is_some() { "A new key" } else { "Add a profile" };
    let inner = boxed(frame, body, (WIDEST, 18), &Words { title, ..Words::default() }, theme);
    let mut at = 1;
    let fixed = form.whose.as_ref().map(|profile| [("Name", profile.name.line()), ("Base URL", profile.host.line())]);
    for (label, text) in fixed.into_iter().flatten() {
        let label = Span::styled(format!("  {label:<9}"), theme.muted);
        let text = cut(&text, usize::from(inner.width).saturating_sub(11));
        put(frame, inner, at, Line::from(vec![label, Span::styled(text, theme.text)]));
        at += 1;
    }
    if form.choosing {
        put(frame, inner, at, Line::raw(" Where should this profile's key come from?"));
        at += 2;
        for (index, (source, note)) in SOURCES.iter().enumerate() {
            let here = index == form.source;
            let mark = if here { mark(frame, inner, at, theme) } else { "  " };
            let note = if index == 0 && !form.env_key { "(not set)" } else { note };
            let line =
                Line::from(vec![Span::styled(mark, theme.accent), Span::raw(format!("{}  {source}", index + 1))]);
            put(frame, inner, at, line);
            if here {
                cursor(frame, inner, at, 2);
            }
            at += 1;
            if !note.is_empty() {
                put(frame, inner, at, Line::styled(format!("     {note}"), theme.muted));
                at += 1;
            }
        }
    } else {
        for (index, field) in form.fields.iter().enumerate() {
            let here = index == form.at;
            let mark = if here { mark(frame, inner, at, theme) } else { "  " };
            let label = format!("{:<9}", field.label);
            let line = Line::from(vec![Span::styled(mark, theme.accent), Span::styled(label, theme.muted)]);
            put(frame, inner, at, line);
            if let Some(row) = row(inner, at) {
                let place = Rect { x: row.x + row.width.min(11), width: row.width.saturating_sub(11), ..row };
                let style = if here && theme.kind.has_surfaces() { theme.select } else { theme.text };
                field.line.render(frame, place, style, here);
            }
            at += 1;
        }
        at += 1;
        let wrong = form.wrong.as_ref().map(Untrusted::line).unwrap_or_default();
        for (index, line) in wrap::lines(&wrong, (inner.width as usize).saturating_sub(2)).into_iter().enumerate() {
            let mark = if index > 0 || wrong.is_empty() { " " } else { "✕" };
            put(frame, inner, at, Line::styled(format!("{mark} {line}"), theme.bad));
            at += 1;
        }
        at += 1;
    }
    at += 1;
    for (words, style) in promises(form, theme) {
        for line in wrap::lines(&words, usize::from(inner.width).saturating_sub(2)) {
            put(frame, inner, at, Line::styled(format!(" {line}"), style));
            at += 1;
        }
    }
}

/// What becomes of what is filled in.
fn promises(form: &ProfileForm, theme: &Theme) -> Vec<(String, Style)> {
    let muted = |words: &str| (words.to_owned(), theme.muted);
    let Some(profile) = &form.whose else {
        return vec![
            muted("Until you send a prompt, only the model list is requested."),
            muted("Requests go to the host you choose here and nowhere else."),
        ];
    };
    let until = match (profile.id == ProfileId::env(), form.env_key) {
        (true, true) => "until OPENAI_API_KEY is changed.",
        (true, false) => "as long as OPENAI_API_KEY is not set.",
        (false, _) => "even if config.toml names another source.",
    };
    let kept = if keyring::AVAILABLE && matches!(profile.key, KeySource::Keyring(_)) {
        "It is stored in the system's keyring and used from now on.".to_owned()
    } else {
        format!("It is stored in keys.toml (mode 0600) next to the config file and used from now on, {until}")
    };
    let mut promises = vec![
        (kept, theme.muted),
        muted("It is sent to this host and nowhere else; the list of models is requested with it at once."),
    ];
    if is_exposed(&profile.host.line()) {
        promises.push(("It is sent unencrypted: use https if the server supports it.".to_owned(), theme.warn));
    }
    promises
}
