//! The dialog of threshold profiles: which one is in use, new ones, their defaults, their files.

use std::sync::LazyLock;
use std::time::Instant;

use crossterm::event::KeyEvent;
use ratatui::Frame;
use ratatui::layout::{Position, Rect};

use super::action::Answer;
use super::thresholds::{STEP, ThresholdProfile, Thresholds};
use crate::api::call::Ticket;
use crate::component::{
    Bindings, Component, Cx, Handled, Hint, Motion, Notice, RenderContext, Response, Session, Step, bind, bind_all,
};
use crate::record::{Rows, Stored};
use crate::text::Untrusted;
use crate::ui::key_table::{KeyContext, KeyPlace, ListedKeys};
use crate::ui::list::Cursor;
use crate::ui::overlay::{self, Words};
use crate::ui::pane::highlight;
use crate::ui::rule::cut;
use crate::ui::theme::Kind;
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
    Bindings::new(
        KeyContext::new("moderate.thresholds").used_in(KeyPlace::Dialog),
        vec![
            bind("enter space", A::Use, "use", "use the profile"),
            bind_all([("+", A::Shift(1)), ("-", A::Shift(-1))], "default by 0.01", "move its default by 0.01")
                .named(&["raise-default", "lower-default"])
                .does(&["raise its default by 0.01", "lower its default by 0.01"]),
            bind_all([("=", A::Shift(5)), ("_", A::Shift(-5))], "by 0.05", "move its default by 0.05")
                .named(&["raise-default-more", "lower-default-more"])
                .does(&["raise its default by 0.05", "lower its default by 0.05"]),
            bind("n", A::New, "new", "make a new one, a copy of the one in use"),
            bind_all([("x", A::Delete), ("u", A::Undo)], "delete, undo", "delete; restore the deleted one")
                .does(&["delete", "restore the deleted one"]),
            bind_all([("E", A::Export), ("I", A::Import)], "export, import", "export as JSON; import from JSON")
                .does(&["export as JSON", "import from JSON"]),
            bind_all([("j down", A::Go(Motion::Down)), ("k up", A::Go(Motion::Up))], "move", "down, up")
                .named(&["move-down", "move-up"])
                .does(&["down", "up"]),
            bind("esc t q", A::Close, "close", "close"),
        ],
    )
});

/// How one category's threshold is changed.
const CATEGORIES: &str = "In the table of results, + and − change the threshold of one category.";
/// The heading of the thresholds.
const THRESHOLD: &str = "default threshold";
/// Columns of a profile's name at most.
const NAME: usize = 20;
/// Rows of the box at least.
const LEAST: u16 = 6;

/// The dialog. It works on a copy of the thresholds, and emits them when they have changed.
#[derive(Debug, Default)]
pub(super) struct ThresholdsDialog {
    thresholds: Thresholds,
    cursor: Cursor,
    /// Those that were deleted, to bring them back.
    deleted: Vec<ThresholdProfile>,
    /// The saved thresholds, which are still being loaded.
    loading: Option<Ticket>,
}

impl ThresholdsDialog {
    /// Opens with the cursor on the profile in use; `loading`: the request for the saved ones, if they are not here
    /// yet.
    pub(super) fn new(thresholds: Thresholds, loading: Option<Ticket>) -> Self {
        let cursor = Cursor { selected: thresholds.chosen(), top: 0 };
        Self { thresholds, cursor, loading, ..Self::default() }
    }

    /// Returns all its keys, for the help page.
    pub(super) fn keys() -> (&'static str, Vec<Hint>) {
        ("Threshold profiles", KEYS.help())
    }

    fn act(&mut self, action: Action, cx: &mut Cx) -> Handled<Step<Answer>> {
        let len = self.thresholds.profiles().len();
        match action {
            A::Close => return Handled::close(),
            A::Go(motion) => self.cursor.move_by(motion.rows(len), len),
            A::New => return Handled::emit(Answer::AskThresholdsName),
            A::Import => return Handled::emit(Answer::AskImportThresholds),
            A::Export => {
                self.thresholds.choose(self.cursor.selected);
                self.loading = None;
                return Handled::emit(Answer::AskExportThresholds(self.thresholds.clone()));
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
                self.cursor.clamp(len - 1);
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
}

fn say(why: &'static str, cx: &mut Cx) -> Handled<Step<Answer>> {
    cx.notify(Notice::info(why).about("thresholds"));
    Handled::Consumed
}

impl Component<Step<Answer>> for ThresholdsDialog {
    fn key(&mut self, key: KeyEvent, cx: &mut Cx) -> Handled<Step<Answer>> {
        KEYS.find(&key).map_or(Handled::Consumed, |action| self.act(action, cx))
    }

    fn reply(&mut self, ticket: Ticket, response: &mut Response, _cx: &mut Cx) -> Handled<Step<Answer>> {
        if self.loading == Some(ticket)
            && let Response::Store(Stored::Rows(Rows::Setting(_, Some(json)))) = response
        {
            // The tab takes them too.
            self.thresholds = Thresholds::saved(json);
            self.loading = None;
            return Handled::Ignored;
        }
        Handled::Ignored
    }

    fn hints(&self) -> Vec<Hint> {
        KEYS.footer(&[A::Use, A::New, A::Shift(1), A::Export, A::Delete], self)
    }

    fn help(&self) -> Vec<(&'static str, Vec<Hint>)> {
        vec![Self::keys()]
    }

    fn typing(&self) -> bool {
        true
    }

    fn arrange(&mut self, area: Rect, session: &Session, _now: Instant) {
        let inside = overlay::content_area(area, self.size(area, session.palette), session.palette);
        self.cursor.window(usize::from(Self::list(inside).height), self.thresholds.profiles().len());
    }

    fn render(&self, frame: &mut Frame, area: Rect, context: RenderContext) {
        let theme = context.theme;
        let size = self.size(area, theme.kind);
        let words = Words { title: "Thresholds", right: "esc close", ..Words::default() };
        overlay::boxed(frame, area, size, &words, theme);
        let inside = overlay::content_area(area, size, theme.kind);
        if inside.is_empty() {
            return;
        }
        let list = Self::list(inside);
        let width = usize::from(inside.width);
        // The mark of the cursor, that of the profile in use, and the threshold with its heading.
        let names = width.saturating_sub(4 + THRESHOLD.len()).clamp(8, NAME);
        let name = |name: &str| {
            let name = cut(name, names);
            let gap = " ".repeat(names.saturating_sub(wrap::width(&name)));
            format!("{name}{gap}")
        };
        let buf = frame.buffer_mut();
        buf.set_stringn(inside.x, inside.y, format!("    {}{THRESHOLD}", name("profile")), width, theme.muted);
        let profiles = self.thresholds.profiles().iter().enumerate().skip(self.cursor.top);
        for ((at, profile), y) in profiles.zip(list.y..list.bottom()) {
            let is_selected = at == self.cursor.selected;
            let used = if at == self.thresholds.chosen() { "●" } else { " " };
            let own = match profile.count() {
                0 => String::new(),
                1 => "   1 category differs".to_owned(),
                own => format!("   {own} categories differ"),
            };
            let profile_name = name(&Untrusted::from(profile.name.as_str()).line());
            let threshold = format!("{:>columns$.2}", profile.usual, columns = THRESHOLD.len());
            let row = cut(&format!("  {used} {profile_name}{threshold}{own}"), width);
            let style = if is_selected { theme.text.patch(theme.select) } else { theme.text };
            let buf = frame.buffer_mut();
            buf.set_stringn(inside.x, y, row, width, style);
            if is_selected {
                highlight(buf, Rect { y, height: 1, ..inside }, theme, true);
                frame.set_cursor_position(Position::new(inside.x, y));
            }
        }
        let lines = wrap::lines(CATEGORIES, width);
        for (line, y) in lines.into_iter().zip(list.bottom() + 1..inside.bottom()) {
            frame.buffer_mut().set_stringn(inside.x, y, line, width, theme.muted);
        }
    }
}

impl ThresholdsDialog {
    /// Returns the width and height of the box.
    fn size(&self, area: Rect, kind: Kind) -> (u16, u16) {
        let below = Self::below(overlay::inside(area, (overlay::WIDEST, LEAST)).width);
        // The border, the heading, the profiles.
        let rows = 3 + self.thresholds.profiles().len() as u16;
        (overlay::WIDEST, (rows + below).clamp(LEAST, 16) + overlay::rows_below_title(area, kind))
    }

    /// Returns the rows of the profiles, below their heading.
    fn list(inside: Rect) -> Rect {
        let height = inside.height.saturating_sub(1 + Self::below(inside.width)).max(1);
        let list = Rect { y: inside.y + 1, height, ..inside };
        list.intersection(inside)
    }

    /// Returns the rows below the profiles: a blank one, then a sentence.
    fn below(width: u16) -> u16 {
        1 + wrap::lines(CATEGORIES, usize::from(width)).len() as u16
    }

    /// Takes thresholds that were changed elsewhere.
    pub(super) fn set(&mut self, thresholds: Thresholds) {
        self.cursor.selected = thresholds.chosen();
        (self.thresholds, self.loading) = (thresholds, None);
    }
}

/// Returns its tables of keys, for the list of all keys.
pub(crate) fn listed_keys() -> Vec<ListedKeys> {
    vec![KEYS.listed()]
}
