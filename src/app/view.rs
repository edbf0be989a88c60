//! Draws the screen: the header, the tab in front, the footer with hints and meter, or "Terminal too small".

use std::time::Instant;

use ratatui::backend::TestBackend;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use ratatui::{Frame, Terminal};
use unicode_width::UnicodeWidthStr as _;

use super::App;
use super::keys::Action;
use crate::component::money;
use crate::component::{Hint, RenderContext};
use crate::record::Cost;
use crate::tabs::tab::RunMeter;
use crate::ui::overlay::{dim, ground};
use crate::ui::pane::{self, DrawnPane, fill};
use crate::ui::size_class::SizeClass;
use crate::ui::vim::Mode;
use crate::ui::{ascii, meter as numbers, wrap};

impl App {
    /// Fits the session and the tab in front to the size of the screen, and returns the tab's area; `None`: the screen
    /// is too small.
    pub(super) fn arrange(&mut self, now: Instant) -> Option<Rect> {
        self.follow_theme_list();
        let area = self.area;
        if SizeClass::of(area.width, area.height) == SizeClass::TooSmall {
            return None;
        }
        let body = Rect { y: area.y + 1, height: area.height - 2, ..area };
        self.session.area = (body.width, body.height);
        self.session.palette = self.theme.kind;
        self.tabs[self.front].arrange(body, &self.session, now);
        self.dialogs.arrange(body, &self.session, now);
        Some(body)
    }

    /// Draws a frame.
    pub fn render(&mut self, frame: &mut Frame, now: Instant) {
        self.draw(frame, now);
        if let Some(selection) = &self.input.selection {
            selection.draw(frame.buffer_mut());
        }
        self.theme.even_out(frame.buffer_mut());
        if self.session.terminal.ascii {
            ascii::replace(frame.buffer_mut());
        }
        self.frames.odd.mark(frame.buffer_mut());
    }

    /// Draws the tab in front, then header, footer, dialogs and notices.
    fn draw(&mut self, frame: &mut Frame, now: Instant) {
        let area = frame.area();
        self.resize(area.width, area.height);
        let class = SizeClass::of(area.width, area.height);
        let body = self.arrange(now);
        fill(frame.buffer_mut(), area, self.theme.ground);
        let Some(body) = body else { return Self::draw_too_small(frame, area) };
        // Screen readers and input methods follow the cursor: if the tab does not place it, it is on the tab's name.
        let (header, front) = self.header(class, area.width, now);
        frame.set_cursor_position((area.x + front, area.y));
        let context = RenderContext { session: &self.session, theme: &self.theme, now };
        if !self.render_missing_endpoint(frame, body, context) {
            self.tabs[self.front].render(frame, body, context);
        }
        self.draw_bar(frame, header, Rect { height: 1, ..area });
        let foot = Rect { y: area.bottom() - 1, height: 1, ..area };
        self.draw_bar(frame, self.footer(class, area.width), foot);
        self.dialogs.render(frame, body, context);
        self.draw_toasts(frame, body, class);
    }

    /// Returns the screen and its panes and dialogs. It is drawn for this: the frame that was last sent may be older than
    /// what is selected now. Symbols are as they are without `--ascii`: what is copied is the text itself.
    pub(super) fn drawn(&mut self) -> (Buffer, Vec<DrawnPane>) {
        let (width, height) = (self.area.width, self.area.height);
        let now = self.now;
        let mut buffer = Buffer::default();
        let Ok(mut terminal) = Terminal::new(TestBackend::new(width, height));
        let panes = pane::record(|| {
            let Ok(_) = terminal.draw(|frame| {
                self.draw(frame, now);
                buffer = frame.buffer_mut().clone();
            });
        });
        (buffer, panes)
    }

    /// Draws header or footer.
    fn draw_bar(&self, frame: &mut Frame, line: Line, row: Rect) {
        ground(frame.buffer_mut(), row, self.theme.ground.patch(self.theme.panel));
        frame.render_widget(line, row);
        if row.y == frame.area().y && (self.dialogs.dims() || self.tabs[self.front].has_dialog()) {
            dim(frame.buffer_mut(), row, &self.theme);
        }
    }

    fn draw_too_small(frame: &mut Frame, area: Rect) {
        let mut lines = vec![
            String::new(),
            "Terminal too small".to_owned(),
            String::new(),
            format!("now     {} × {}", area.width, area.height),
            "need    40 × 10".to_owned(),
            String::new(),
        ];
        let room = usize::from(area.height);
        let width = usize::from(area.width).saturating_sub(2).max(8);
        let words = wrap::lines("Nothing is lost: work continues, drafts are saved. ^Q quits.", width);
        if room < lines.len() + words.len() {
            lines.retain(|line| !line.is_empty());
        }
        // If not everything fits, how to quit is said rather than that nothing is lost.
        let words = if room < lines.len() + words.len() { vec!["^Q quits.", "Work continues."] } else { words };
        if room < lines.len() + words.len() {
            lines.truncate(1);
        }
        lines.extend(words.into_iter().map(str::to_owned));
        for (line, y) in lines.iter().zip(area.y..area.bottom()) {
            frame.render_widget(Line::raw(format!(" {line}")), Rect { y, height: 1, ..area });
        }
    }

    /// Returns the footer: the keys that apply now, and the meter.
    fn footer(&self, class: SizeClass, width: u16) -> Line<'static> {
        let theme = &self.theme;
        let meter = meter(self.tabs[self.front].meter(), self.session.today, class);
        // The last column stays empty.
        let width = usize::from(width).saturating_sub(1);
        let room = width.saturating_sub(meter.width() + 2);
        let hints = if self.is_prefix_pending() {
            self.follow_up_hints(width)
        } else {
            drop_hints(self.named_keys(self.footer_hints(class)), room)
        };
        let key = theme.key();
        let mut spans = Vec::new();
        for hint in hints {
            let gap = if spans.is_empty() { " " } else { "  " };
            spans.push(Span::raw(gap));
            spans.push(Span::styled(hint.key, key));
            spans.push(Span::styled(format!(" {}", hint.does), theme.muted));
        }
        let left: usize = spans.iter().map(Span::width).sum();
        if left + meter.width() < width {
            spans.push(Span::raw(" ".repeat(width - left - meter.width())));
            spans.push(Span::styled(meter, theme.muted));
        }
        Line::from(spans)
    }

    /// Returns the name of a key as it is drawn: without symbols where none are wanted.
    pub(super) fn named_key(&self, key: String) -> String {
        if self.session.terminal.ascii { ascii::key(&key) } else { key }
    }

    /// Returns hints with the names of their keys as they are drawn.
    pub(super) fn named_keys(&self, hints: Vec<Hint>) -> Vec<Hint> {
        hints.into_iter().map(|hint| Hint { key: self.named_key(hint.key), ..hint }).collect()
    }

    /// Returns the keys that may follow Ctrl+X, which the footer then shows alone; with help, if it has no space for all
    /// of them, or the user has taken all keys from them.
    fn follow_up_hints(&self, room: usize) -> Vec<Hint> {
        let mut hints = self.named_keys(Hint::after_ctrl_x());
        if hints.is_empty() || columns(&hints) > room {
            let help = self.input.keys.hint(Action::Help, true, "help");
            hints.extend(Some(help).filter(|hint| !hint.key.is_empty()));
        }
        drop_hints(hints, room)
    }

    /// Returns the hints of the dialog or of the tab in front, most important first; help and, for a dialog, Esc at the
    /// end.
    fn footer_hints(&self, class: SizeClass) -> Vec<Hint> {
        let mut hints = self.usual_hints(class);
        // The user may have taken all keys from an action.
        hints.retain(|hint| !hint.key.is_empty());
        if self.in_vim_text_box() {
            let (key, does) = match self.input.vim.mode() {
                Mode::Insert => ("esc", "normal mode"),
                Mode::Normal => ("i", "insert mode"),
                Mode::Visual => ("esc", "end selection"),
            };
            hints.retain(|hint| hint.key != key);
            hints.insert(0, Hint::new(key, does));
        }
        hints
    }

    /// Returns these hints without those of the modes of a text box.
    fn usual_hints(&self, class: SizeClass) -> Vec<Hint> {
        let keys = &self.input.keys;
        if let Some(escape) = self.dialogs.escape() {
            let help = (!self.shows_text()).then(|| keys.hint(Action::Help, true, "help"));
            return self.dialogs.hints().into_iter().chain(help).chain([Hint::new("esc", escape)]).collect();
        }
        if self.lacks_endpoint() {
            let rest = [keys.hint(Action::Palette, true, "commands"), keys.hint(Action::Help, false, "help")];
            return [Self::missing_endpoint_hints(), rest.to_vec()].concat();
        }
        let tab = &self.tabs[self.front];
        let mut hints = tab.hints();
        if let Some(does) = if self.escape_dismisses_notice() { Some("dismiss") } else { tab.escape() } {
            // A tab that lists Esc itself decides its position.
            let named = hints.iter().position(|hint| hint.key == "esc");
            hints.retain(|hint| hint.key != "esc");
            let at =
                if class == SizeClass::Narrow { 0 } else { named.unwrap_or(2).min(hints.len()).min(FOOTER_KEYS - 3) };
            hints.insert(at, Hint::new("esc", does));
        }
        hints.truncate(FOOTER_KEYS - 2);
        // While digits are text, another key goes to a tab.
        if tab.typing() && !tab.has_dialog() && class == SizeClass::Wide && hints.len() < FOOTER_KEYS - 2 {
            hints.extend(keys.tabs_hint(self.tabs.len()));
        }
        hints.push(keys.hint(Action::Palette, true, if class == SizeClass::Wide { "commands" } else { "cmds" }));
        hints.push(keys.hint(Action::Help, tab.typing(), "help"));
        hints
    }
}

/// Keys in the footer at most; the help page has all.
const FOOTER_KEYS: usize = 6;

/// Returns the columns that hints take in the footer.
fn columns(hints: &[Hint]) -> usize {
    hints.iter().map(|hint| hint.key.width() + hint.does.width() + 3).sum()
}

/// Drops whole hints, the least important first, until the rest fits; the last one stays.
fn drop_hints(mut hints: Vec<Hint>, room: usize) -> Vec<Hint> {
    while hints.len() > 1 && columns(&hints) > room {
        hints.remove(hints.len() - 2);
    }
    hints
}

/// Returns tokens and cost of the last run, and today's cost.
pub(super) fn meter(run: Option<RunMeter>, today: Option<Cost>, class: SizeClass) -> String {
    let today = money::total(today);
    let last = run.map(|run| {
        let about = if run.estimated { "~" } else { "" };
        // Free runs show no cost.
        let cost = match run.cost {
            Cost::FREE => String::new(),
            cost if run.estimated && run.texts == 0 => money::about(cost),
            cost => money::cost(cost),
        };
        let gap = if class == SizeClass::Wide { "   " } else { "  " };
        let cost = if cost.is_empty() { cost } else { format!("{gap}{cost}") };
        if run.texts > 0 {
            let many = if run.texts == 1 { "" } else { "s" };
            format!("{} text{many}{cost}", numbers::count(run.texts))
        } else if class == SizeClass::Wide {
            let sent = format!("sent {about}{}", numbers::count(run.prompt_tokens));
            // Embeddings have no answer tokens.
            match run.completion_tokens {
                0 => format!("{sent}{cost}"),
                received => format!("{sent}   received {about}{}{cost}", numbers::count(received)),
            }
        } else {
            format!("{about}{} tok{cost}", numbers::short(run.prompt_tokens + run.completion_tokens))
        }
    });
    match (class, last) {
        (SizeClass::Wide, Some(last)) => format!("{last}   today {today}"),
        (SizeClass::Medium, Some(last)) => format!("{last}  today {today}"),
        (SizeClass::Wide | SizeClass::Medium, None) => format!("today {today}"),
        _ => today,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_meter_shortens_in_steps() {
        let run = RunMeter {
            prompt_tokens: 1284,
            completion_tokens: 312,
            estimated: false,
            cost: Some(4_100_000).into(),
            texts: 0,
        };
        let day = Some(Some(370_000_000).into());
        assert_eq!(meter(Some(run), day, SizeClass::Wide), "sent 1,284   received 312   $0.0041   today $0.37");
        assert_eq!(meter(Some(run), day, SizeClass::Medium), "1.6k tok  $0.0041  today $0.37");
        assert_eq!(meter(Some(run), day, SizeClass::Narrow), "$0.37");
        let texts = RunMeter { texts: 3, cost: Cost::FREE, ..run };
        assert_eq!(meter(Some(texts), day, SizeClass::Wide), "3 texts   today $0.37");
        assert_eq!(meter(Some(texts), day, SizeClass::Medium), "3 texts  today $0.37");
        let unknown = RunMeter { estimated: true, cost: Cost::UNKNOWN, ..run };
        assert_eq!(meter(Some(unknown), None, SizeClass::Medium), "~1.6k tok  —  today free");
        let part = Cost { nano: 120_000_000, unknown: true };
        assert_eq!(
            meter(Some(unknown), Some(part), SizeClass::Wide),
            "sent ~1,284   received ~312   —   today $0.12 + ?"
        );
        assert_eq!(meter(None, Some(Cost::UNKNOWN), SizeClass::Narrow), "—");
    }

    #[test]
    fn hints_are_cut_whole_and_help_stays() {
        let hints = vec![Hint::new("⏎", "send"), Hint::new("^J", "newline"), Hint::new("F1", "help")];
        let keys = |room| drop_hints(hints.clone(), room).into_iter().map(|hint| hint.key).collect::<Vec<_>>();
        assert_eq!(keys(80), ["⏎", "^J", "F1"]);
        assert_eq!(keys(20), ["⏎", "F1"]);
        assert_eq!(keys(3), ["F1"]);
    }
}
