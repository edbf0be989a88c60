//! The list of all profiles: which one is in use, and what can be done with each.

use std::sync::LazyLock;
use std::time::Instant;

use crossterm::event::KeyEvent;
use ratatui::Frame;
use ratatui::layout::Rect;

use super::dialog_answer::{DialogAnswer, ProfileAnswer};
use super::event::Profile;
use crate::component::{
    Bindings, Component, Cx, Handled, Hint, ProfileChange, RenderContext, Session, Step, bind, bind_all,
};
use crate::settings::ProfileId;
use crate::text::Untrusted;
use crate::ui::key_table::{KeyContext, KeyPlace, ListedKeys};
use crate::ui::overlay::{self, Words};
use crate::ui::rule::cut;
use crate::ui::table::{Align, Table, TableCell, TableColumn, TableRow, TableView, Width};
use crate::ui::theme::Kind;
use crate::ui::wrap;

/// What a key of the page asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Action {
    Use,
    Add,
    Edit,
    Duplicate,
    Rename,
    NewKey,
    Test,
    Delete,
    Up,
    Down,
    Before,
    Next,
    First,
    Last,
    Close,
}

use Action as A;

/// Columns of the box at most.
const WIDEST: u16 = 100;
/// Columns before the lines below the list, as before its names.
const INDENT: usize = 3;
/// Columns from which on server, key and model stand beside the names.
const WIDE: u16 = 56;

static KEYS: LazyLock<Bindings<Action, ProfilesPage>> = LazyLock::new(|| {
    Bindings::new(
        KeyContext::new("profiles").used_in(KeyPlace::ShellDialog),
        vec![
            bind("enter space", A::Use, "use", "use the profile from now on"),
            bind("a n", A::Add, "add", "add a profile"),
            bind("e", A::Edit, "edit", "edit the settings of the profile").disabled_when(ProfilesPage::why_locked),
            bind("d", A::Duplicate, "duplicate", "make a copy of the profile").disabled_when(ProfilesPage::why_locked),
            bind("r", A::Rename, "rename", "rename the profile").disabled_when(ProfilesPage::why_locked),
            bind("K", A::NewKey, "new key", "paste another key").disabled_when(ProfilesPage::why_keyless),
            bind("t", A::Test, "test", "test the profile: connection, certificate, key, models"),
            bind("x delete", A::Delete, "delete", "delete the profile").disabled_when(ProfilesPage::why_locked),
            bind_all([("shift-up <", A::Up), ("shift-down >", A::Down)], "move", "move the profile up, down")
                .named(&["move-profile-up", "move-profile-down"])
                .does(&["move the profile up", "move the profile down"])
                .shown("<>")
                .disabled_when(ProfilesPage::why_locked),
            bind_all([("j down", A::Next), ("k up", A::Before)], "choose", "next profile, profile before")
                .named(&["next", "previous"])
                .does(&["next profile", "previous profile"]),
            bind_all([("g home", A::First), ("G end", A::Last)], "", "first, last profile")
                .does(&["first profile", "last profile"]),
            bind("esc q ctrl-c", A::Close, "close", "close"),
        ],
    )
});

/// The page. Its owner refreshes it when the profiles have changed.
#[derive(Debug, Default)]
pub(super) struct ProfilesPage {
    profiles: Vec<Profile>,
    /// The one in use.
    used: ProfileId,
    view: TableView,
}

impl ProfilesPage {
    /// Creates the list with the cursor on the profile in use.
    pub(super) fn new(profiles: &[Profile], used: &ProfileId) -> Self {
        let mut page = Self::default();
        page.refresh(profiles, used, Some(used));
        page
    }

    /// Replaces the profiles; `selected`: the profile to put the cursor on.
    pub(super) fn refresh(&mut self, profiles: &[Profile], used: &ProfileId, selected: Option<&ProfileId>) {
        self.profiles = profiles.to_vec();
        self.used.clone_from(used);
        self.view.cursor.clamp(self.profiles.len());
        if let Some(at) = self.profiles.iter().position(|profile| Some(&profile.id) == selected) {
            self.view.cursor.selected = at;
        }
    }

    /// Returns the profile under the cursor.
    fn selected_profile(&self) -> Option<&Profile> {
        self.profiles.get(self.view.cursor.selected)
    }

    /// Returns why the profile under the cursor cannot be changed; `None`: it can.
    fn why_locked(&self) -> Option<&'static str> {
        match self.selected_profile() {
            Some(profile) if profile.local => Some("the local service is part of benchtop and cannot be changed"),
            Some(profile) if profile.id == ProfileId::env() => {
                Some("set by OPENAI_API_KEY or OPENAI_BASE_URL; change it there")
            }
            _ => None,
        }
    }

    /// Returns why the profile under the cursor takes no key; `None`: it does.
    fn why_keyless(&self) -> Option<&'static str> {
        self.selected_profile().filter(|profile| profile.local).map(|_| "the local service needs no key")
    }

    /// Carries out an action, or asks the owner for it.
    fn act(&mut self, action: Action) -> Handled<Step<DialogAnswer>> {
        let len = self.profiles.len();
        let rows = match action {
            A::Next => Some(1),
            A::Before => Some(-1),
            A::First => Some(isize::MIN),
            A::Last => Some(isize::MAX),
            _ => None,
        };
        if let Some(rows) = rows {
            self.view.move_by(rows, len);
            return Handled::Consumed;
        }
        let Some(profile) = self.selected_profile() else {
            return if action == A::Close { Handled::close() } else { Handled::Consumed };
        };
        let id = profile.id.clone();
        let locked = match action {
            A::Edit | A::Duplicate | A::Rename | A::Delete | A::Up | A::Down => self.why_locked(),
            A::NewKey => self.why_keyless(),
            _ => None,
        };
        if let Some(why) = locked {
            return Handled::emit(DialogAnswer::Profile(ProfileAnswer::Cannot(why)));
        }
        let answer = match action {
            A::Use => return Handled::answer(DialogAnswer::Profile(ProfileAnswer::Use(id))),
            A::Close => return Handled::close(),
            A::Add => ProfileAnswer::Add,
            A::Edit => ProfileAnswer::Edit(id),
            A::Duplicate => ProfileAnswer::AskDuplicate(id),
            A::Rename => ProfileAnswer::AskRename(id),
            A::NewKey => ProfileAnswer::NewKey(id),
            A::Test => ProfileAnswer::Test(id),
            A::Delete => ProfileAnswer::AskDelete(id),
            A::Up => ProfileAnswer::Change(ProfileChange::Up(id)),
            A::Down => ProfileAnswer::Change(ProfileChange::Down(id)),
            A::Next | A::Before | A::First | A::Last => return Handled::Consumed,
        };
        Handled::emit(DialogAnswer::Profile(answer))
    }
}

impl Component<Step<DialogAnswer>> for ProfilesPage {
    fn key(&mut self, key: KeyEvent, _cx: &mut Cx) -> Handled<Step<DialogAnswer>> {
        KEYS.find(&key).map_or(Handled::Consumed, |action| self.act(action))
    }

    fn hints(&self) -> Vec<Hint> {
        KEYS.footer(&[A::Use, A::Add, A::Edit, A::Test, A::Rename, A::Duplicate, A::Delete, A::Up, A::NewKey], self)
    }

    fn help(&self) -> Vec<(&'static str, Vec<Hint>)> {
        vec![("Profiles", KEYS.help())]
    }

    fn escape(&self) -> Option<&'static str> {
        Some("close")
    }

    fn typing(&self) -> bool {
        true
    }

    fn arrange(&mut self, area: Rect, session: &Session, _now: Instant) {
        let inside = overlay::content_area(area, self.size(area, session.palette), session.palette);
        let (columns, len) = (columns(inside.width), self.profiles.len());
        self.view.fit(&columns, len, self.list(inside));
    }

    fn render(&self, frame: &mut Frame, area: Rect, context: RenderContext) {
        let theme = context.theme;
        let right = self.view.position(self.profiles.len());
        let words = Words { title: "Profiles", right: &right, ..Words::default() };
        let size = self.size(area, theme.kind);
        overlay::boxed(frame, area, size, &words, theme);
        let inside = overlay::content_area(area, size, theme.kind);
        let columns = columns(inside.width);
        let row = |at: usize| self.row(at, theme.faint);
        let table = Table { columns: &columns, sort: None, len: self.profiles.len(), row: &row, focus: true };
        let list = self.list(inside);
        if let Some(cursor) = table.render(self.view, list, frame.buffer_mut(), theme) {
            frame.set_cursor_position(cursor);
        }
        let width = usize::from(inside.width).saturating_sub(INDENT);
        for (line, y) in self.details(inside.width).iter().zip(list.bottom() + 1..inside.bottom()) {
            frame.buffer_mut().set_stringn(inside.x + INDENT as u16, y, cut(line, width), width, theme.muted);
        }
    }
}

/// Returns the columns of the table in a box of this width.
fn columns(width: u16) -> Vec<TableColumn> {
    let column = |title: &str, weight, least| TableColumn {
        title: title.to_owned(),
        width: Width::Share { weight, least },
        align: Align::Left,
    };
    let mut columns = vec![column("profile", 3, 12)];
    if width >= WIDE {
        columns.extend([column("server", 4, 16), column("key", 2, 10), column("model", 3, 8)]);
    }
    columns
}

impl ProfilesPage {
    fn row(&self, at: usize, faint: ratatui::style::Style) -> TableRow {
        let Some(profile) = self.profiles.get(at) else { return TableRow::default() };
        let mut name = TableCell::from(profile.name.line().into_owned());
        if profile.id == self.used {
            name.note = " · in use".into();
        }
        let host = profile.host.line();
        let host = host.split_once("://").map_or(&*host, |(_, rest)| rest);
        let model = match profile.model.line() {
            model if model.is_empty() => TableCell::new("the first", faint),
            model => TableCell::name(model, ratatui::style::Style::new()),
        };
        TableRow {
            cells: vec![
                name,
                host.to_owned().into(),
                Untrusted::from(profile.key.words()).line().into_owned().into(),
                model,
            ],
            marked: false,
        }
    }

    /// Returns the lines below the list: the profile under the cursor in full, and why it cannot be changed.
    fn details(&self, width: u16) -> Vec<String> {
        let Some(profile) = self.selected_profile() else { return Vec::new() };
        let label = if width < WIDE || profile.local { "" } else { "Base URL  " };
        let mut lines = vec![format!("{label}{}", profile.host.line())];
        if width < WIDE {
            let model = profile.model.line();
            let model = if model.is_empty() { "the server's first model".into() } else { model };
            lines.push(format!("{} · {model}", Untrusted::from(profile.key.words()).line()));
        }
        let room = usize::from(width).saturating_sub(INDENT).max(1);
        if let Some(why) = self.why_locked() {
            lines.extend(wrap::lines(why, room).into_iter().map(str::to_owned));
        }
        lines
    }

    /// Returns the rows below the list: a blank one and the details, as many as any profile has.
    fn rows_below(width: u16) -> u16 {
        1 + match width {
            ..WIDE => 4,
            // The longest reason why a profile cannot be changed takes two rows.
            WIDE..62 => 3,
            _ => 2,
        }
    }

    fn size(&self, area: Rect, kind: Kind) -> (u16, u16) {
        let blank_rows = overlay::rows_below_title(area, kind);
        let width = WIDEST.min(area.width.saturating_sub(4)).max(area.width.min(40));
        (width, self.profiles.len() as u16 + 1 + Self::rows_below(width.saturating_sub(4)) + 2 + blank_rows)
    }

    fn list(&self, inside: Rect) -> Rect {
        let rows = self.profiles.len() as u16 + 1;
        let below = Self::rows_below(inside.width);
        // On a small screen the list comes before the last of the details.
        let below = if rows + below > inside.height { below.min(3) } else { below };
        let most = inside.height.saturating_sub(below).max(inside.height.min(3));
        Rect { height: rows.min(most), ..inside }
    }
}

/// Returns its tables of keys, for the list of all keys.
pub(crate) fn listed_keys() -> Vec<ListedKeys> {
    vec![KEYS.listed()]
}
