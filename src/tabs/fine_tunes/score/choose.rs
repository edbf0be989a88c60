//! Which rows: a local file by its path, or the job's validation file.

use crossterm::event::{KeyCode, KeyEvent};
use ratatui::Frame;
use ratatui::layout::Rect;

use crate::api::call::Ticket;
use crate::component::Cx;
use crate::record::work::{Done, Work};
use crate::text::Untrusted;
use crate::ui::line::Line;
use crate::ui::overlay;
use crate::ui::rule::cut;
use crate::ui::theme::Theme;

/// Names shown below the path.
const NAMES: u16 = 6;

/// What a key chose.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Choice {
    Stay,
    Close,
    /// This local file.
    Path(String),
    /// The job's validation file.
    Validation,
}

/// The box.
#[derive(Debug, Default)]
pub(super) struct Choose {
    path: Line,
    asked: Option<Ticket>,
    found: Vec<Untrusted>,
    /// What went wrong.
    note: Option<Untrusted>,
}

impl Choose {
    /// Asks again, and says what went wrong before.
    pub(super) fn again(why: Untrusted) -> Self {
        Self { note: Some(why), ..Self::default() }
    }

    pub(super) fn key(&mut self, key: KeyEvent, validation: bool, cx: &mut Cx) -> Choice {
        match key.code {
            KeyCode::Esc => return Choice::Close,
            KeyCode::Enter => {
                let path = self.path.text().trim().trim_matches(['\'', '"']);
                if !path.is_empty() {
                    return Choice::Path(path.to_owned());
                }
                if validation {
                    return Choice::Validation;
                }
                self.note = Some("type the path of a JSONL file; tab completes it".into());
            }
            KeyCode::Tab => {
                let common = common(&self.found);
                if common.len() > self.path.text().len() {
                    self.path = Line::new(common);
                }
                self.ask(cx);
            }
            _ => {
                if self.path.key(key) {
                    self.note = None;
                    self.ask(cx);
                }
            }
        }
        Choice::Stay
    }

    pub(super) fn paste(&mut self, text: &str, cx: &mut Cx) {
        self.path.paste(text.trim_matches(['\n', '\r']));
        self.note = None;
        self.ask(cx);
    }

    fn ask(&mut self, cx: &mut Cx) {
        if let Some(asked) = self.asked.take() {
            cx.cancel(asked);
        }
        self.asked = Some(cx.work(Work::Paths(self.path.text().to_owned())));
    }

    pub(super) fn worked(&mut self, ticket: Ticket, done: &Done) -> bool {
        let ours = self.asked.take_if(|asked| *asked == ticket).is_some();
        if let (true, Done::Paths(found)) = (ours, done) {
            self.found.clone_from(found);
        }
        ours
    }

    pub(super) fn render(&self, frame: &mut Frame, area: Rect, validation: Option<&Untrusted>, theme: &Theme) {
        let mut lines: Vec<String> = Vec::new();
        if let Some(name) = validation.filter(|_| self.path.is_empty()) {
            lines.push(format!("⏎ takes the job's validation file: {}", name.line()));
        }
        lines.extend(self.found.iter().take(usize::from(NAMES)).map(|name| name.line().into_owned()));
        if let Some(note) = &self.note {
            lines.push(note.line().into_owned());
        }
        let words = overlay::Words {
            title: "Held-out rows (JSONL)",
            foot: "⏎ read  tab complete  esc close",
            ..overlay::Words::default()
        };
        let size = (area.width.saturating_sub(4).min(76), 3 + lines.len() as u16);
        let inside = overlay::boxed(frame, area, size, &words, theme);
        let theme = theme.over();
        for (line, y) in lines.iter().zip(inside.y + 1..inside.bottom()) {
            let width = usize::from(inside.width);
            frame.buffer_mut().set_stringn(inside.x, y, cut(line, width), width, theme.muted);
        }
        self.path.render(frame, Rect { height: 1, ..inside }, theme.text, true);
    }
}

/// What all paths begin with.
fn common(paths: &[Untrusted]) -> String {
    let Some((first, others)) = paths.split_first() else { return String::new() };
    let mut common = first.raw();
    for path in others {
        let same = common.char_indices().zip(path.raw().chars()).find(|((_, a), b)| a != b);
        let end = same.map_or(common.len().min(path.len()), |((at, _), _)| at);
        common = &common[..end];
    }
    common.to_owned()
}
