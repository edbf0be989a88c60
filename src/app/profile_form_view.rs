//! Draws the form for a profile.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::Line;

use super::profile_form::{ProfileField, ProfileForm, SOURCES};
use crate::settings::profile::is_exposed;
use crate::settings::{KeySource, ProfileId, keyring};
use crate::text::Untrusted;
use crate::ui::list::{Cursor, draw_scroll_arrows};
use crate::ui::overlay::{WIDEST, Words, boxed, content_area, inside, rows_below_title};
use crate::ui::pane;
use crate::ui::theme::Theme;
use crate::ui::wrap;

/// Columns of a label beside its value.
const LABEL: usize = 10;
/// Columns of the box from which on a value stands beside its label.
const BESIDE: usize = 44;

/// A row of the form.
#[derive(Default)]
struct FormRow<'a> {
    line: Line<'a>,
    /// Whether the cursor is on it.
    is_chosen: bool,
    /// The field whose value stands in it, after so many columns.
    field: Option<(&'a ProfileField, u16)>,
}

/// The rows of the form, as they are put together.
struct FormRows<'a> {
    rows: Vec<FormRow<'a>>,
    /// Columns of a row.
    width: usize,
    /// The row that the cursor is on, and the last one that is to be seen with it.
    chosen: usize,
    last: usize,
}

impl<'a> FormRows<'a> {
    /// Adds a text, wrapped, with these marks before its first and its other rows.
    fn text(&mut self, (first, other): (&str, &str), words: &str, style: Style) {
        for (nth, line) in wrap::lines(words, self.width.saturating_sub(wrap::width(first))).into_iter().enumerate() {
            let mark = if nth == 0 { first } else { other };
            self.rows.push(FormRow { line: Line::styled(format!("{mark}{line}"), style), ..FormRow::default() });
        }
    }

    fn blank(&mut self) {
        self.rows.push(FormRow::default());
    }

    /// Adds the sources of a key.
    fn sources(&mut self, form: &ProfileForm, theme: &Theme) {
        self.text((" ", " "), "Where should this profile's key come from?", theme.text);
        self.blank();
        for (index, (source, note)) in SOURCES.iter().enumerate() {
            let from = self.rows.len();
            self.text((&format!("  {}  ", index + 1), "     "), source, theme.text);
            if index == form.source {
                self.chosen = from;
                self.rows[from..].iter_mut().for_each(|row| row.is_chosen = true);
            }
            let note = if index == 0 && !form.env_key { "(not set)" } else { note };
            if !note.is_empty() {
                self.text(("     ", "     "), note, theme.muted);
            }
            if index == form.source {
                self.last = self.rows.len() - 1;
            }
        }
    }

    /// Adds the fields, and what is wrong with them.
    fn fields(&mut self, form: &'a ProfileForm, theme: &Theme) {
        for (index, field) in form.fields.iter().enumerate() {
            let label = Line::styled(format!("  {:<LABEL$}", field.label), theme.muted);
            let mut value = FormRow { is_chosen: index == form.at, ..FormRow::default() };
            if self.width >= BESIDE {
                value.line = label;
                value.field = Some((field, LABEL as u16 + 2));
            } else {
                self.rows.push(FormRow { line: label, ..FormRow::default() });
                value.field = Some((field, 2));
            }
            if value.is_chosen {
                self.chosen = self.rows.len();
            }
            self.rows.push(value);
        }
        self.last = self.chosen;
        self.blank();
        let wrong = form.wrong.as_ref().map(Untrusted::line).unwrap_or_default();
        if wrong.is_empty() {
            self.blank();
        } else {
            self.text(("✕ ", "  "), &wrong, theme.bad);
            self.last = self.rows.len() - 1;
        }
    }
}

/// Returns the rows of the form.
fn rows<'a>(form: &'a ProfileForm, width: usize, theme: &Theme) -> FormRows<'a> {
    // The last column is for the marks that there is more.
    let mut rows = FormRows { rows: Vec::new(), width: width.saturating_sub(1).max(1), chosen: 0, last: 0 };
    let fixed =
        form.replaces_key_of.as_ref().map(|profile| [("Name", profile.name.line()), ("Base URL", profile.host.line())]);
    for (label, text) in fixed.into_iter().flatten() {
        rows.text((&format!("  {label:<LABEL$}"), "            "), &text, theme.text);
    }
    let is_last = if form.is_choosing {
        rows.sources(form, theme);
        form.source + 1 == SOURCES.len()
    } else {
        rows.fields(form, theme);
        form.at + 1 == form.fields.len()
    };
    rows.blank();
    for (words, style) in privacy_lines(form, theme) {
        rows.text((" ", " "), &words, style);
    }
    if is_last {
        rows.last = rows.rows.len() - 1;
    }
    rows
}

pub(super) fn render(form: &ProfileForm, frame: &mut Frame, body: Rect, theme: &Theme) {
    let title = if form.replaces_key_of.is_some() { "A new key" } else { "Add a profile" };
    let FormRows { rows, chosen, last, .. } = rows(form, usize::from(inside(body, (WIDEST, 6)).width), theme);
    let size = (WIDEST, rows.len() as u16 + 3 + rows_below_title(body, theme.kind));
    boxed(frame, body, size, &Words { title, ..Words::default() }, theme);
    let inner = content_area(body, size, theme.kind);
    let height = usize::from(inner.height);
    let mut view = Cursor { selected: last.min(chosen + height.saturating_sub(1)), top: 0 };
    let shown = view.window(height, rows.len());
    for (at, y) in shown.clone().zip(inner.y..inner.bottom()) {
        rows[at].render(frame, Rect { y, height: 1, ..inner }, theme, at == chosen);
    }
    draw_scroll_arrows(frame.buffer_mut(), inner, &shown, rows.len(), theme);
}

impl FormRow<'_> {
    /// Draws it; `is_first`: the cursor is in this row.
    fn render(&self, frame: &mut Frame, area: Rect, theme: &Theme, is_first: bool) {
        frame.render_widget(&self.line, area);
        if let Some((field, x)) = self.field {
            let x = x.min(area.width);
            // A column is left for the mark that there is more.
            let place = Rect { x: area.x + x, width: area.width.saturating_sub(x + 1), ..area };
            field.line.render(frame, place, theme.text, self.is_chosen);
        }
        if !self.is_chosen {
            return;
        }
        let surfaces = theme.kind.has_surfaces();
        if surfaces {
            pane::highlight(frame.buffer_mut(), area, theme, true);
        } else if is_first {
            frame.buffer_mut().set_stringn(area.x, area.y, "▸", usize::from(area.width), theme.accent);
        }
        if self.field.is_none() && !surfaces {
            frame.buffer_mut().set_style(area, theme.select);
        }
        if self.field.is_none() && is_first {
            frame.set_cursor_position((area.x + area.width.min(3).saturating_sub(1), area.y));
        }
    }
}

/// Returns sentences about what is sent and stored.
fn privacy_lines(form: &ProfileForm, theme: &Theme) -> Vec<(String, Style)> {
    let muted = |words: &str| (words.to_owned(), theme.muted);
    let Some(profile) = &form.replaces_key_of else {
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
