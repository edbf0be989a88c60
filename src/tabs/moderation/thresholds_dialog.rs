//! The dialog of threshold profiles: which one is in use, new ones, their defaults, their files.

use std::sync::LazyLock;
use std::time::Instant;

use crossterm::event::{KeyCode, KeyEvent};
use ratatui::Frame;
use ratatui::layout::{Position, Rect};

use super::action::Answer;
use super::thresholds::{STEP, ThresholdProfile, Thresholds};
use crate::api::call::Ticket;
use crate::component::{
    Bindings, Component, Cx, Handled, Hint, Motion, Notice, RenderContext, Response, Session, Step, bind, bind_all,
};
use crate::record::work::{Done, Work};
use crate::record::{Rows, Stored};
use crate::text::Untrusted;
use crate::ui::line::Line;
use crate::ui::list::Cursor;
use crate::ui::overlay::{self, Words};
use crate::ui::rule::cut;
use crate::ui::wrap;

/// What a key asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Action {
    Use,
    /// Moves the default by so many hundredths.
    Shift(i8),
    New,
    Delete,
    Undo,
    Export,
    Import,
    Go(Motion),
    Close,
}

use Action as A;

/// Keys of the dialog.
static KEYS: LazyLock<Bindings<Action, ThresholdsDialog>> = LazyLock::new(|| {
    Bindings::new(vec![
        bind("enter space", A::Use, "use", "use the profile"),
        bind_all([("+", A::Shift(1)), ("-", A::Shift(-1))], "default by 0.01", "move its default by 0.01"),
        bind_all([("=", A::Shift(5)), ("_", A::Shift(-5))], "by 0.05", "move its default by 0.05"),
        bind("n", A::New, "new", "make a new one, a copy of the one in use"),
        bind_all([("x", A::Delete), ("u", A::Undo)], "delete, undo", "delete; restore the deleted one"),
        bind_all([("E", A::Export), ("I", A::Import)], "export, import", "export as JSON; import from JSON"),
        bind_all([("j down", A::Go(Motion::Down)), ("k up", A::Go(Motion::Up))], "move", "down, up"),
        bind("esc t q", A::Close, "close", "close"),
    ])
});

/// How one category's threshold is changed.
const CATEGORIES: &str = "In the table of results, + and − change the threshold of one category.";
/// Rows of the box at least.
const LEAST: u16 = 6;

/// What is typed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum TypedInput {
    Name,
    ExportPath,
    ImportPath,
}

/// The key that ends what is typed.
static INPUT_KEYS: LazyLock<Bindings<TypedInput, ()>> = LazyLock::new(|| {
    Bindings::new(vec![
        bind("enter", TypedInput::Name, "create", ""),
        bind("enter", TypedInput::ExportPath, "write", ""),
        bind("enter", TypedInput::ImportPath, "read", ""),
    ])
});

/// The dialog. It works on a copy of the thresholds, and emits them when they have changed.
#[derive(Debug, Default)]
pub(super) struct ThresholdsDialog {
    thresholds: Thresholds,
    cursor: Cursor,
    typing: Option<(TypedInput, Line)>,
    /// Those that were deleted, to bring them back.
    deleted: Vec<ThresholdProfile>,
    /// The saved thresholds, which are still being loaded.
    loading: Option<Ticket>,
    /// The file that is read.
    importing: Option<Ticket>,
}

impl ThresholdsDialog {
    /// Opens with the cursor on the profile in use; `loading`: the request for the saved ones, if they are not here yet.
    pub(super) fn new(thresholds: Thresholds, loading: Option<Ticket>) -> Self {
        let cursor = Cursor { selected: thresholds.chosen(), top: 0 };
        Self { thresholds, cursor, loading, ..Self::default() }
    }

    /// All its keys, for the help page.
    pub(super) fn keys() -> (&'static str, Vec<Hint>) {
        ("Threshold profiles", KEYS.help())
    }

    fn act(&mut self, action: Action, cx: &mut Cx) -> Handled<Step<Answer>> {
        let len = self.thresholds.profiles().len();
        match action {
            A::Close => {
                return self.importing.map_or(Handled::close(), |ticket| Handled::answer(Answer::Importing(ticket)));
            }
            A::Go(motion) => self.cursor.by(motion.rows(len), len),
            A::New => self.ask(TypedInput::Name, ""),
            A::Import => self.ask(TypedInput::ImportPath, ""),
            A::Export => {
                self.ask(TypedInput::ExportPath, "thresholds.json");
                return self.choose();
            }
            A::Use => return self.choose(),
            A::Shift(by) => {
                self.thresholds.choose(self.cursor.selected);
                self.thresholds.profile_mut().shift_usual(f64::from(by) * STEP);
                return self.changed();
            }
            A::Delete => {
                let Some(deleted) = self.thresholds.delete(self.cursor.selected) else {
                    return say("at least one profile is needed", cx);
                };
                self.deleted.push(deleted);
                self.cursor.by(0, len - 1);
                return self.changed();
            }
            A::Undo => {
                let Some(profile) = self.deleted.pop() else { return say("nothing was deleted here", cx) };
                self.thresholds.add(profile);
                self.cursor.selected = self.thresholds.chosen();
                return self.changed();
            }
        }
        Handled::Consumed
    }

    /// Uses the profile under the cursor.
    fn choose(&mut self) -> Handled<Step<Answer>> {
        self.thresholds.choose(self.cursor.selected);
        self.changed()
    }

    fn changed(&mut self) -> Handled<Step<Answer>> {
        self.loading = None;
        Handled::emit(Answer::Thresholds(self.thresholds.clone()))
    }

    fn ask(&mut self, input: TypedInput, text: &str) {
        self.typing = Some((input, Line::new(text)));
    }

    /// Takes what was typed.
    fn typed(&mut self, input: TypedInput, text: &str, cx: &mut Cx) -> Handled<Step<Answer>> {
        match input {
            _ if text.is_empty() => {}
            TypedInput::Name => {
                self.thresholds.create(text);
                self.cursor.selected = self.thresholds.chosen();
                return self.changed();
            }
            TypedInput::ExportPath => return Handled::emit(Answer::ExportThresholds(text.to_owned())),
            TypedInput::ImportPath => self.importing = Some(cx.work(Work::Read { path: text.to_owned() })),
        }
        Handled::Consumed
    }
}

fn say(why: &'static str, cx: &mut Cx) -> Handled<Step<Answer>> {
    cx.notify(Notice::info(why).about("thresholds"));
    Handled::Consumed
}

impl Component<Step<Answer>> for ThresholdsDialog {
    fn key(&mut self, key: KeyEvent, cx: &mut Cx) -> Handled<Step<Answer>> {
        let Some((input, line)) = &mut self.typing else {
            return KEYS.find(&key).map_or(Handled::Consumed, |action| self.act(action, cx));
        };
        if INPUT_KEYS.find(&key).is_some() {
            let (input, text) = (*input, line.text().trim().to_owned());
            self.typing = None;
            return self.typed(input, &text, cx);
        }
        if key.code == KeyCode::Esc {
            self.typing = None;
        } else {
            line.key(key);
        }
        Handled::Consumed
    }

    fn paste(&mut self, text: &str, _cx: &mut Cx) -> Handled<Step<Answer>> {
        if let Some((_, line)) = &mut self.typing {
            line.paste(text);
        }
        Handled::Consumed
    }

    fn reply(&mut self, ticket: Ticket, response: &mut Response, cx: &mut Cx) -> Handled<Step<Answer>> {
        if self.loading == Some(ticket)
            && let Response::Store(Stored::Rows(Rows::Setting(_, Some(json)))) = response
        {
            // The tab takes them too.
            self.thresholds = Thresholds::saved(json);
            self.loading = None;
            return Handled::Ignored;
        }
        if self.importing != Some(ticket) {
            return Handled::Ignored;
        }
        let Response::Work(done) = response.take() else { return Handled::Consumed };
        if matches!(done, Done::Moved { .. }) {
            return Handled::Consumed;
        }
        self.importing = None;
        if self.thresholds.import(done, cx) { self.changed() } else { Handled::Consumed }
    }

    fn hints(&self) -> Vec<Hint> {
        match &self.typing {
            Some((input, _)) => INPUT_KEYS.footer(&[*input], &()),
            None => KEYS.footer(&[A::Use, A::Shift(1), A::Shift(5), A::New, A::Delete, A::Export], self),
        }
    }

    fn help(&self) -> Vec<(&'static str, Vec<Hint>)> {
        vec![Self::keys()]
    }

    fn escape(&self) -> Option<&'static str> {
        Some(if self.typing.is_some() { "back" } else { "close" })
    }

    fn typing(&self) -> bool {
        true
    }

    fn arrange(&mut self, area: Rect, _session: &Session, _now: Instant) {
        let inside = overlay::inside(area, self.size(area));
        self.cursor.window(usize::from(self.list(inside).height), self.thresholds.profiles().len());
    }

    fn render(&self, frame: &mut Frame, area: Rect, context: RenderContext) {
        let theme = context.theme;
        let foot = if self.typing.is_some() { "esc back" } else { "⏎ use  n new  E export  I import  esc close" };
        let words = Words { title: "Thresholds", right: "", foot };
        let inside = overlay::boxed(frame, area, self.size(area), &words, theme);
        if inside.is_empty() {
            return;
        }
        let list = self.list(inside);
        let width = usize::from(inside.width);
        let names = width.saturating_sub(34).max(8);
        let profiles = self.thresholds.profiles().iter().enumerate().skip(self.cursor.top);
        for ((at, profile), y) in profiles.zip(list.y..list.bottom()) {
            let here = at == self.cursor.selected;
            let used = if at == self.thresholds.chosen() { "● " } else { "  " };
            let own = match profile.count() {
                0 => String::new(),
                1 => " · 1 category differs".to_owned(),
                own => format!(" · {own} categories differ"),
            };
            let name = Untrusted::from(profile.name.as_str());
            let name = cut(&name.line(), names);
            let gap = " ".repeat(names.saturating_sub(wrap::width(&name)));
            let row = format!("{used}{name}{gap}  default {:.2}{own}", profile.usual);
            let style = if here { theme.text.patch(theme.select) } else { theme.text };
            if here {
                frame.buffer_mut().set_style(Rect { y, height: 1, ..inside }, theme.select);
            }
            frame.buffer_mut().set_stringn(inside.x, y, cut(&row, width), width, style);
            if here && self.typing.is_none() {
                frame.set_cursor_position(Position::new(inside.x, y));
            }
        }
        let Some((input, line)) = &self.typing else {
            let lines = wrap::lines(CATEGORIES, width);
            for (line, y) in lines.into_iter().zip(list.bottom() + 1..inside.bottom()) {
                frame.buffer_mut().set_stringn(inside.x, y, line, width, theme.muted);
            }
            return;
        };
        let y = inside.bottom() - 1;
        let ask = match input {
            TypedInput::Name => "name  ",
            TypedInput::ExportPath => "write to  ",
            TypedInput::ImportPath => "read from  ",
        };
        let x = frame.buffer_mut().set_stringn(inside.x, y, ask, width, theme.muted).0;
        let place = Rect { x, y, width: inside.right().saturating_sub(x), height: 1 };
        line.render(frame, place, theme.text, true);
    }
}

impl ThresholdsDialog {
    /// Returns the width and height of the box.
    fn size(&self, area: Rect) -> (u16, u16) {
        let below = self.below(overlay::inside(area, (overlay::WIDEST, LEAST)).width);
        (overlay::WIDEST, (self.thresholds.profiles().len() as u16 + below + 3).clamp(LEAST, 16))
    }

    /// Returns the rows of the profiles.
    fn list(&self, inside: Rect) -> Rect {
        Rect { height: inside.height.saturating_sub(self.below(inside.width)).max(inside.height.min(1)), ..inside }
    }

    /// Returns the rows below the profiles: a blank one, then what is typed or a sentence.
    fn below(&self, width: u16) -> u16 {
        let lines = if self.typing.is_some() { 1 } else { wrap::lines(CATEGORIES, usize::from(width)).len() };
        1 + lines as u16
    }
}
