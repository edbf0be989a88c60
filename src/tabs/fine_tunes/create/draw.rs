//! Draws the page: the fields, and beside or below them what the job would do and cost.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::Style;

use super::fields::TRAINING;
use super::{CreatePage, FileListing, rules};
use crate::api::file::File;
use crate::api::job::Dialect;
use crate::component::{RenderContext, Session, money};
use crate::tabs::fine_tunes::format::rows;
use crate::tokens::Used;
use crate::ui::pane::{self, Pane, Spacing, Surface};
use crate::ui::rule::{cut, cut_middle};
use crate::ui::theme::Theme;
use crate::ui::{meter, wrap};

/// Columns from which the sums stand beside the fields.
const BESIDE: u16 = 100;
/// Columns of the pane with the fields there.
const MAIN: u16 = 64;
/// Rows of the sums below the fields.
const SUMS: u16 = 2;
/// Bytes of a training file that make a token, JSON around the texts included: a guess.
const BYTES: u64 = 5;

/// Columns of a label before what comes of it.
const LABEL: usize = 9;

/// A line of what comes of the fields.
struct Sum {
    /// Empty: there is none.
    label: &'static str,
    words: String,
    style: Style,
}

/// Draws the page.
pub(super) fn page(page: &CreatePage, frame: &mut Frame, area: Rect, context: RenderContext) {
    let RenderContext { session, theme, now } = context;
    if area.is_empty() {
        return;
    }
    let (right, right_style) = match page.sending {
        Some(since) => {
            let spin = meter::spinner(now.saturating_duration_since(since), session.motion);
            (format!("{spin} creating"), theme.busy)
        }
        None if page.refused.is_some() => ("✕ refused · D details".to_owned(), theme.bad),
        None if area.width < 60 => ("not sent yet".to_owned(), theme.muted),
        None => ("nothing is sent until you choose Create".to_owned(), theme.muted),
    };
    let spacing = session.spacing();
    let (main, side) = panes(area, spacing);
    let pane =
        Pane { title: "New fine-tune", note: "", right: &right, right_style, focus: true, surface: Surface::Ground };
    pane.render(main, frame.buffer_mut(), theme, spacing);
    let long = !side.is_empty();
    if long {
        let surface = Surface::Panel;
        let pane = Pane { title: "Request", note: "", right: "", right_style: theme.muted, focus: false, surface };
        pane.render(side, frame.buffer_mut(), theme, spacing);
        let line = Rect { x: side.x.saturating_sub(1), width: 1, ..side };
        pane::divider(frame.buffer_mut(), line, theme, spacing);
    }
    let (form, sums) = parts(area, spacing);
    page.form.render(frame, form, theme, true);
    put(frame, sums, &page.sums(session, usize::from(sums.width), long, theme), theme);
}

/// Returns the areas of the pane with the fields, and of that with what comes of them; empty: it has none.
fn panes(area: Rect, spacing: Spacing) -> (Rect, Rect) {
    if area.width < BESIDE {
        return (area, Rect::default());
    }
    let line = u16::from(!spacing.has_surfaces());
    let (x, width) = (area.x + MAIN + line, area.width - MAIN - line);
    (Rect { width: MAIN, ..area }, Rect { x, width, ..area })
}

/// Returns where the fields stand, and what comes of them.
fn parts(area: Rect, spacing: Spacing) -> (Rect, Rect) {
    let (main, side) = panes(area, spacing);
    let body = spacing.body(main);
    let blank_rows = u16::from(area.height > 16 && !spacing.has_surfaces()).min(body.height);
    let inside = Rect { y: body.y + blank_rows, height: body.height - blank_rows, ..body };
    if !side.is_empty() {
        // The words stand below the fields, not at the bottom of the screen.
        let fields = Rect { height: inside.height.min(17), ..inside };
        let content = spacing.pane(side).content;
        return (
            fields,
            Rect { y: content.y + blank_rows, height: content.height.saturating_sub(blank_rows), ..content },
        );
    }
    let height = SUMS.min(inside.height.saturating_sub(6) / 2);
    let fields = Rect { height: inside.height - height, ..inside };
    // Below the words of the form.
    let side = 1 + u16::from(spacing.has_surfaces());
    let width = inside.width.saturating_sub(2 * side);
    (fields, Rect { x: inside.x + side.min(inside.width), y: fields.bottom(), width, height })
}

impl CreatePage {
    /// Fits the fields to the area.
    pub(super) fn arrange_fields(&mut self, area: Rect, spacing: Spacing) {
        self.form.arrange(parts(area, spacing).0, spacing, true);
    }

    /// Returns what comes of it: cost, the model's name; beside the fields also what stands in the way.
    fn sums(&self, session: &Session, width: usize, long: bool, theme: &Theme) -> Vec<Sum> {
        let sum = |label, words, style| Sum { label, words, style };
        let mut lines = vec![sum("cost", self.cost(session, long), theme.text)];
        let name = rules::model_name_preview(&self.draft.request, self.dialect);
        lines.push(sum("model", cut_middle(&name, width.saturating_sub(LABEL)), theme.text));
        if !long {
            return lines;
        }
        lines.insert(0, sum("size", self.size(), theme.text));
        let path = self.dialect.map_or("/fine-tunes or /fine_tuning/jobs", Dialect::path);
        lines.push(sum("sent to", format!("POST {path}"), theme.text));
        lines.push(sum("", String::new(), theme.text));
        // An empty page is not told off for being empty.
        let empty = self.draft.request.training_file.is_empty();
        let mut rules = self.rules();
        rules.retain(|rule| rule.field != TRAINING || !empty);
        // The form says the first one of the selected field.
        let selected = rules.iter().position(|rule| Some(rule.field) == self.form.selected());
        if let Some(at) = selected.filter(|_| self.refused.is_none()) {
            rules.remove(at);
        }
        for rule in rules {
            let (mark, style) = if rule.stops { ("✕", theme.bad) } else { ("!", theme.warn) };
            for (row, words) in wrap::lines(&rule.why, width.saturating_sub(2)).into_iter().enumerate() {
                lines.push(sum("", format!("{} {words}", if row == 0 { mark } else { " " }), style));
            }
        }
        lines
    }

    fn file(&self) -> Option<&File> {
        let FileListing::Known(files) = &self.files else { return None };
        files.iter().find(|file| file.id == self.draft.request.training_file)
    }

    /// Returns the tokens of one epoch, and whether they are an estimate.
    pub(super) fn tokens(&self) -> Option<(u64, bool)> {
        if self.draft.tokens > 0 {
            return Some((self.draft.tokens, false));
        }
        self.file().map(|file| ((file.bytes / BYTES).max(1), true))
    }

    /// Returns `48,210 rows · 6,912,000 tokens · 214 MB`
    fn size(&self) -> String {
        let mut parts = Vec::new();
        if self.draft.rows > 0 {
            parts.push(rows(self.draft.rows));
        }
        if let Some((tokens, guess)) = self.tokens() {
            parts.push(format!("{}{} tokens", if guess { "~" } else { "" }, meter::count(tokens)));
        }
        parts.extend(self.file().map(|file| meter::bytes(file.bytes)));
        if parts.is_empty() { "no training file is chosen yet".to_owned() } else { parts.join(" · ") }
    }

    /// Returns `~$36.40 for 4 epochs`; `dated`: with the date of the built-in prices.
    pub(super) fn cost(&self, session: &Session, dated: bool) -> String {
        if session.local {
            return "free, on this machine".to_owned();
        }
        let request = &self.draft.request;
        let newer = self.dialect == Some(Dialect::FineTuning);
        let chosen = request.n_epochs.map(u64::from);
        let epochs = chosen.or((!newer).then_some(4));
        let model = request.model.as_deref().or((!newer).then_some("curie")).unwrap_or_default();
        let Some((tokens, _)) = self.tokens() else { return "— choose a training file".to_owned() };
        let all = tokens.saturating_mul(epochs.unwrap_or(1));
        let Some((price, nano)) =
            session.training_price(model).and_then(|price| Some((price, price.cost(Used::prompt(all))?)))
        else {
            return "— no known training price for this model".to_owned();
        };
        let times = match epochs {
            Some(1) => "1 epoch".to_owned(),
            Some(epochs) => format!("{epochs} epochs"),
            None => "per epoch; the server chooses how many".to_owned(),
        };
        let day = price.as_of.filter(|_| dated).map(|day| format!(" (prices as of {day})")).unwrap_or_default();
        format!("{} for {times}{day}", money::about(Some(nano)))
    }
}

fn put(frame: &mut Frame, area: Rect, lines: &[Sum], theme: &Theme) {
    let width = usize::from(area.width);
    for (line, y) in lines.iter().zip(area.y..area.bottom()) {
        let label = if line.label.is_empty() { 0 } else { LABEL.min(width) };
        frame.buffer_mut().set_stringn(area.x, y, line.label, label, theme.muted);
        let words = cut(&line.words, width - label);
        frame.buffer_mut().set_stringn(area.x + label as u16, y, words, width - label, line.style);
    }
}
