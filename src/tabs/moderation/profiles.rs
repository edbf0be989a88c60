//! The box of threshold profiles: which one is in use, new ones, their defaults, their files.

use std::sync::LazyLock;

use crossterm::event::{KeyCode, KeyEvent};
use ratatui::Frame;
use ratatui::layout::{Position, Rect};

use super::thresholds::{LEAP, Profile, STEP, Thresholds};
use crate::component::{Bindings, Hint, bind, bind_all};
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

/// What a key asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Action {
    Use,
    Raise,
    Lower,
    RaiseMuch,
    LowerMuch,
    New,
    Delete,
    Undo,
    Export,
    Import,
    Up,
    Down,
    Close,
}

use Action as A;

/// Keys of the box.
static KEYS: LazyLock<Bindings<Action, Profiles>> = LazyLock::new(|| {
    Bindings::new(vec![
        bind("enter space", A::Use, "use", "use the profile"),
        bind_all([("+", A::Raise), ("-", A::Lower)], "default by 0.01", "its default by 0.01"),
        bind_all([("=", A::RaiseMuch), ("_", A::LowerMuch)], "by 0.05", "its default by 0.05"),
        bind("n", A::New, "new", "a new one like the one in use"),
        bind_all([("x", A::Delete), ("u", A::Undo)], "delete, undo", "delete; bring the deleted one back"),
        bind_all([("E", A::Export), ("I", A::Import)], "export, import", "export as JSON; import from JSON"),
        bind_all([("j down", A::Down), ("k up", A::Up)], "move", "down, up"),
        bind("esc t q", A::Close, "close", "close"),
    ])
});

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
        let Some(action) = KEYS.find(&key) else { return Event::None };
        match action {
            A::Close => return Event::Close,
            A::Down => self.cursor.by(1, len),
            A::Up => self.cursor.by(-1, len),
            A::Raise => return shift(STEP),
            A::Lower => return shift(-STEP),
            A::RaiseMuch => return shift(LEAP),
            A::LowerMuch => return shift(-LEAP),
            A::Use => {
                thresholds.choose(self.cursor.selected);
                return Event::Changed;
            }
            A::New => self.ask(Typing::Name, ""),
            A::Export => {
                thresholds.choose(self.cursor.selected);
                self.ask(Typing::Export, "thresholds.json");
            }
            A::Import => self.ask(Typing::Import, ""),
            A::Delete => {
                let Some(gone) = thresholds.delete(self.cursor.selected) else {
                    return Event::Said("one profile has to stay");
                };
                self.gone.push(gone);
                self.cursor.by(0, len - 1);
                return Event::Changed;
            }
            A::Undo => {
                let Some(profile) = self.gone.pop() else { return Event::Said("nothing was deleted here") };
                thresholds.add(profile);
                self.cursor.selected = thresholds.chosen();
                return Event::Changed;
            }
        }
        Event::None
    }

    fn ask(&mut self, what: Typing, text: &str) {
        self.typing = Some((what, Line::new(text)));
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
        let enter = match &self.typing {
            Some((Typing::Name, _)) => "make it",
            Some((Typing::Export, _)) => "write it",
            Some((Typing::Import, _)) => "read it",
            None => return KEYS.footer(&[A::Use, A::Raise, A::RaiseMuch, A::New, A::Delete, A::Export], self),
        };
        vec![Hint::new("⏎", enter), Hint::new("esc", "back")]
    }

    /// All its keys, for the help page.
    pub(super) fn help() -> Vec<Hint> {
        KEYS.help()
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
