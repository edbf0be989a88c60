//! The page on the screen: the fields, and beside them or below what comes of it.

use ratatui::Frame;
use ratatui::layout::Rect;

use super::{CreatePage, FileListing, rules};
use crate::api::file::File;
use crate::api::job::Dialect;
use crate::component::{RenderContext, Session, money};
use crate::tabs::fine_tunes::styled_lines::StyledLine;
use crate::tokens::Used;
use crate::ui::pane::{Pane, Surface};
use crate::ui::rule::cut_middle;
use crate::ui::theme::Theme;
use crate::ui::{meter, wrap};

/// Columns from which the sums stand beside the fields.
const BESIDE: u16 = 100;
/// Columns of the fields there.
const FIELDS: u16 = 62;
/// Bytes of a training file that make a token, JSON around the texts included: a guess.
const BYTES: u64 = 5;

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
        None if area.width < 60 => ("nothing is sent yet".to_owned(), theme.muted),
        None => ("nothing is sent before the last ⏎".to_owned(), theme.muted),
    };
    let focus = page.picker.is_none();
    let (spacing, surface) = (session.spacing(), Surface::Ground);
    let pane = Pane { title: "New fine-tune", note: "", right: &right, right_style, focus: true, surface };
    pane.render(area, frame.buffer_mut(), theme, spacing);
    let body = spacing.body(area);
    let air = u16::from(area.height > 16 && !spacing.has_surfaces()).min(body.height);
    let inside = Rect { y: body.y + air, height: body.height - air, ..body };
    if area.width >= BESIDE {
        let left = Rect { width: FIELDS, ..inside };
        // The words stand below the fields, not at the bottom of the screen.
        let left = Rect { height: left.height.min(19), ..left };
        page.form.render(frame, left, theme, focus);
        let beside = Rect { x: inside.x + FIELDS + 3, width: inside.width - FIELDS - 4, ..inside };
        let lines = page.sums(session, usize::from(beside.width), true, theme);
        put(frame, beside, &lines);
    } else {
        let lines = page.sums(session, usize::from(inside.width.saturating_sub(2)), false, theme);
        let below = (lines.len() as u16).min(inside.height.saturating_sub(6) / 2);
        let form = Rect { height: inside.height - below, ..inside };
        page.form.render(frame, form, theme, focus);
        let foot = Rect { x: inside.x + 1, y: form.bottom(), width: inside.width.saturating_sub(2), height: below };
        put(frame, foot, &lines);
    }
    if let Some(picker) = &page.picker {
        picker.render(frame, area, &theme.over());
    }
}

impl CreatePage {
    /// Returns what comes of it: cost, the model's name; beside the fields also what stands in the way.
    fn sums(&self, session: &Session, width: usize, long: bool, theme: &Theme) -> Vec<StyledLine> {
        let mut lines: Vec<StyledLine> = vec![(self.cost(session, long), theme.text)];
        let name = rules::coming(&self.draft.request, self.dialect);
        lines.push((format!("model   {}", cut_middle(&name, width.saturating_sub(8))), theme.text));
        if !long {
            return lines;
        }
        lines.insert(0, (self.rows(), theme.text));
        let path = self.dialect.map_or("/fine-tunes, or what the server has", Dialect::path);
        lines.push((format!("sent    POST {path}"), theme.muted));
        lines.push((String::new(), theme.text));
        for rule in self.rules() {
            let (mark, style) = if rule.stops { ("✕", theme.bad) } else { ("!", theme.warn) };
            for (row, words) in wrap::lines(&rule.why, width.saturating_sub(2)).into_iter().enumerate() {
                lines.push((format!("{} {words}", if row == 0 { mark } else { " " }), style));
            }
        }
        lines
    }

    fn file(&self) -> Option<&File> {
        let FileListing::Known(files) = &self.files else { return None };
        files.iter().find(|file| file.id == self.draft.request.training_file)
    }

    /// Tokens of one pass, and whether they are a guess.
    pub(super) fn tokens(&self) -> Option<(u64, bool)> {
        if self.draft.tokens > 0 {
            return Some((self.draft.tokens, false));
        }
        self.file().map(|file| ((file.bytes / BYTES).max(1), true))
    }

    /// Returns `rows    48,210 · 6,912,000 tokens · 214 MB`
    fn rows(&self) -> String {
        let mut parts = Vec::new();
        if self.draft.rows > 0 {
            parts.push(meter::count(self.draft.rows));
        }
        if let Some((tokens, guess)) = self.tokens() {
            parts.push(format!("{}{} tokens", if guess { "~" } else { "" }, meter::count(tokens)));
        }
        parts.extend(self.file().map(|file| meter::bytes(file.bytes)));
        format!("rows    {}", if parts.is_empty() { "—".to_owned() } else { parts.join(" · ") })
    }

    /// Returns `cost    ~$36.40 for 4 epochs`; `dated`: with the date of the built-in prices.
    pub(super) fn cost(&self, session: &Session, dated: bool) -> String {
        if session.local {
            return "cost    free, on this machine".to_owned();
        }
        let request = &self.draft.request;
        let newer = self.dialect == Some(Dialect::FineTuning);
        let chosen = request.n_epochs.map(u64::from);
        let epochs = chosen.or((!newer).then_some(4));
        let model = request.model.as_deref().or((!newer).then_some("curie")).unwrap_or_default();
        let Some((tokens, _)) = self.tokens() else { return "cost    — choose a training file".to_owned() };
        let all = tokens.saturating_mul(epochs.unwrap_or(1));
        let Some((price, nano)) =
            session.training_price(model).and_then(|price| Some((price, price.cost(Used::prompt(all))?)))
        else {
            return "cost    — this model's price of training is not known".to_owned();
        };
        let times = match epochs {
            Some(1) => "1 epoch".to_owned(),
            Some(epochs) => format!("{epochs} epochs"),
            None => "each epoch; the server chooses how many".to_owned(),
        };
        let day = price.as_of.filter(|_| dated).map(|day| format!(" (prices of {day})")).unwrap_or_default();
        format!("cost    {} for {times}{day}", money::about(Some(nano)))
    }
}

fn put(frame: &mut Frame, area: Rect, lines: &[StyledLine]) {
    for ((words, style), y) in lines.iter().zip(area.y..area.bottom()) {
        frame.buffer_mut().set_stringn(area.x, y, words, usize::from(area.width), *style);
    }
}
