//! The box of threshold profiles: which one is in use, new ones, their defaults, their files.

use crossterm::event::{KeyCode, KeyEvent};
use ratatui::Frame;
use ratatui::layout::{Position, Rect};

use super::thresholds::{LEAP, Profile, STEP, Thresholds};
use crate::component::Hint;
use crate::text::Untrusted;
use crate::ui::line::Line;
use crate::ui::list::Cursor;
use crate::ui::overlay::{self, Words};
use crate::ui::rule::cut;
use crate::ui::theme::Theme;

/// What a key did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Event {
    None,
    /// The thresholds are others.
    Changed,
    Close,
    /// Something to be said.
    Said(&'static str),
    /// The profile in use goes into this file.
    Export(String),
    /// The profiles of this file come in.
    Import(String),
}

/// What is being typed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Typing {
    Name,
    Export,
    Import,
}

/// The box.
#[derive(Debug, Default)]
pub(super) struct Profiles {
    cursor: Cursor,
    typing: Option<(Typing, Line)>,
    /// Those that were deleted, to bring them back.
    gone: Vec<Profile>,
}

impl Profiles {
    /// With the cursor on the one in use.
    pub(super) fn new(thresholds: &Thresholds) -> Self {
        Self { cursor: Cursor { selected: thresholds.chosen(), top: 0 }, ..Self::default() }
    }

    pub(super) fn key(&mut self, key: KeyEvent, thresholds: &mut Thresholds) -> Event {
        if let Some((what, line)) = &mut self.typing {
            match key.code {
                KeyCode::Esc => self.typing = None,
                KeyCode::Enter => {
                    let (what, text) = (*what, line.text().trim().to_owned());
                    self.typing = None;
                    return self.typed(what, text, thresholds);
                }
                _ => drop(line.key(key)),
            }
            return Event::None;
        }
        let len = thresholds.profiles().len();
        let mut shift = |by: f64| {
            thresholds.choose(self.cursor.selected);
            thresholds.profile_mut().shift_usual(by);
            Event::Changed
        };
        match key.code {
            KeyCode::Esc | KeyCode::Char('t' | 'q') => Event::Close,
            KeyCode::Char('j') | KeyCode::Down => {
                self.cursor.by(1, len);
                Event::None
            }
            KeyCode::Char('k') | KeyCode::Up => {
                self.cursor.by(-1, len);
                Event::None
            }
            KeyCode::Char('+') => shift(STEP),
            KeyCode::Char('-') => shift(-STEP),
            KeyCode::Char('=') => shift(LEAP),
            KeyCode::Char('_') => shift(-LEAP),
            KeyCode::Enter | KeyCode::Char(' ') => {
                thresholds.choose(self.cursor.selected);
                Event::Changed
            }
            KeyCode::Char('n') => self.ask(Typing::Name, ""),
            KeyCode::Char('E') => {
                thresholds.choose(self.cursor.selected);
                self.ask(Typing::Export, "thresholds.json")
            }
            KeyCode::Char('I') => self.ask(Typing::Import, ""),
            KeyCode::Char('x') => match thresholds.delete(self.cursor.selected) {
                Some(gone) => {
                    self.gone.push(gone);
                    self.cursor.by(0, len - 1);
                    Event::Changed
                }
                None => Event::Said("one profile has to stay"),
            },
            KeyCode::Char('u') => match self.gone.pop() {
                Some(profile) => {
                    thresholds.add(profile);
                    self.cursor.selected = thresholds.chosen();
                    Event::Changed
                }
                None => Event::Said("nothing was deleted here"),
            },
            _ => Event::None,
        }
    }

    fn ask(&mut self, what: Typing, text: &str) -> Event {
        self.typing = Some((what, Line::new(text)));
        Event::None
    }

    fn typed(&mut self, what: Typing, text: String, thresholds: &mut Thresholds) -> Event {
        match what {
            _ if text.is_empty() => Event::None,
            Typing::Name => {
                thresholds.create(&text);
                self.cursor.selected = thresholds.chosen();
                Event::Changed
            }
            Typing::Export => Event::Export(text),
            Typing::Import => Event::Import(text),
        }
    }

    pub(super) fn paste(&mut self, text: &str) {
        if let Some((_, line)) = &mut self.typing {
            line.paste(text);
        }
    }

    pub(super) fn hints(&self) -> Vec<Hint> {
        let hint = Hint::new;
        match &self.typing {
            Some((Typing::Name, _)) => vec![hint("⏎", "make it"), hint("esc", "back")],
            Some((Typing::Export, _)) => vec![hint("⏎", "write it"), hint("esc", "back")],
            Some((Typing::Import, _)) => vec![hint("⏎", "read it"), hint("esc", "back")],
            None => vec![
                hint("⏎", "use"),
                hint("+ -", "default by 0.01"),
                hint("= _", "by 0.05"),
                hint("n", "new"),
                hint("x u", "delete, undo"),
                hint("E I", "export, import"),
            ],
        }
    }

    /// All its keys, for the help page.
    pub(super) fn help() -> Vec<Hint> {
        let hint = Hint::new;
        vec![
            hint("⏎ space", "use the profile"),
            hint("+ -", "its default by 0.01 (= and _ by 0.05)"),
            hint("n", "a new one like the one in use"),
            hint("x", "delete"),
            hint("u", "bring the deleted one back"),
            hint("E", "export as JSON"),
            hint("I", "import from JSON"),
            hint("j k", "down, up"),
            hint("esc t", "close"),
        ]
    }

    /// Draws it as a box over `area`.
    pub(super) fn render(&mut self, frame: &mut Frame, area: Rect, thresholds: &Thresholds, theme: &Theme) {
        let len = thresholds.profiles().len();
        let height = (len as u16 + 5).clamp(6, 16);
        let foot = if self.typing.is_some() { "esc back" } else { "⏎ use  n new  E export  I import  esc close" };
        let words = Words { title: "Thresholds", right: "", foot };
        let inside = overlay::boxed(frame, area, (overlay::WIDEST, height), &words, theme);
        if inside.is_empty() {
            return;
        }
        let list = Rect { height: inside.height.saturating_sub(2), ..inside };
        let names = usize::from(inside.width).saturating_sub(34).max(8);
        for (at, y) in self.cursor.window(usize::from(list.height), len).zip(list.y..list.bottom()) {
            let profile = &thresholds.profiles()[at];
            let here = at == self.cursor.selected;
            let used = if at == thresholds.chosen() { "● " } else { "  " };
            let own = match profile.count() {
                0 => String::new(),
                own => format!(" · {own} of their own"),
            };
            let name = Untrusted::from(profile.name.as_str());
            let name = cut(&name.line(), names);
            let gap = " ".repeat(names.saturating_sub(crate::ui::wrap::width(&name)));
            let row = format!("{used}{name}{gap}  default {:.2}{own}", profile.usual);
            let style = if here { theme.text.patch(theme.select) } else { theme.text };
            let width = usize::from(inside.width);
            if here {
                frame.buffer_mut().set_style(Rect { y, height: 1, ..inside }, theme.select);
            }
            frame.buffer_mut().set_stringn(inside.x, y, cut(&row, width), width, style);
            if here && self.typing.is_none() {
                frame.set_cursor_position(Position::new(inside.x, y));
            }
        }
        let y = inside.bottom() - 1;
        let Some((what, line)) = &self.typing else {
            let words = "A category's own threshold is moved on the bench: + and −.";
            let width = usize::from(inside.width);
            frame.buffer_mut().set_stringn(inside.x, y, cut(words, width), width, theme.muted);
            return;
        };
        let ask = match what {
            Typing::Name => "name  ",
            Typing::Export => "write to  ",
            Typing::Import => "read from  ",
        };
        let x = frame.buffer_mut().set_stringn(inside.x, y, ask, usize::from(inside.width), theme.muted).0;
        let place = Rect { x, y, width: inside.right().saturating_sub(x), height: 1 };
        line.render(frame, place, theme.text, true);
    }
}
