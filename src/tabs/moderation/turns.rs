//! A conversation: its turns, each with what the service says of it.

use std::sync::LazyLock;

use crossterm::event::KeyEvent;
use ratatui::Frame;
use ratatui::layout::{Position, Rect};

use super::category;
use super::check::Which;
use super::keys::{self, PageEvent, on_pages};
use super::results::Judge;
use super::state::State;
use super::thresholds::Sign;
use crate::component::{Bindings, RenderContext, bind, bind_all};
use crate::record::{Check, TextKey};
use crate::text::Untrusted;
use crate::ui::bar::number;
use crate::ui::list::Cursor;
use crate::ui::rule::{Rule, cut, cut_middle};

/// One turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Turn {
    role: Untrusted,
    text: Untrusted,
    key: TextKey,
}

/// The conversation that was sent here last; no turns: none was.
#[derive(Debug, Default)]
pub(super) struct Turns {
    title: Untrusted,
    all: Vec<Turn>,
    cursor: Cursor,
    /// Rows of the last frame.
    page: usize,
}

/// What a key asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Action {
    Up,
    Down,
    Top,
    Bottom,
    PageUp,
    PageDown,
    /// Put the turn on the bench.
    Put,
    Close,
    /// What the bench does.
    Bench(keys::Action),
}

use Action as A;

/// Actions in the footer.
pub(super) const FOOTER: [A; 4] =
    [A::Bench(keys::Action::Run), A::Put, A::Bench(keys::Action::Again), A::Bench(keys::Action::Thresholds)];

/// Keys of the page.
pub(super) static KEYS: LazyLock<Bindings<Action, Turns>> = LazyLock::new(|| {
    let run = "check what is new; if nothing is, all again";
    let mut list = on_pages(A::Bench, [run, "this turn again", "details of a failure"]);
    list.extend([
        bind("enter", A::Put, "to the bench", "put the turn on the bench"),
        bind_all([("j down", A::Down), ("k up", A::Up)], "turn", "down, up"),
        bind_all([("pagedown", A::PageDown), ("pageup", A::PageUp)], "page", "page down, up"),
        bind_all([("home", A::Top), ("G end", A::Bottom)], "first, last", "first, last turn"),
        bind("esc v", A::Close, "back", "back"),
    ]);
    Bindings::new(list)
});

impl Turns {
    /// A conversation's title and turns.
    pub(super) fn new(title: Untrusted, turns: Vec<(Untrusted, Untrusted)>) -> Self {
        let turn = |(role, text): (Untrusted, Untrusted)| Turn { key: TextKey::of(&text), role, text };
        Self { title, all: turns.into_iter().map(turn).collect(), ..Self::default() }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    pub(super) fn keys(&self) -> Vec<TextKey> {
        self.all.iter().map(|turn| turn.key).collect()
    }

    /// The texts a run is about.
    pub(super) fn texts(&self, which: Which) -> Vec<(TextKey, Untrusted)> {
        let here = |at: usize| which == Which::New || at == self.cursor.selected;
        let turns = self.all.iter().enumerate().filter(|(at, _)| here(*at));
        turns.map(|(_, turn)| (turn.key, turn.text.clone())).collect()
    }

    /// The text under the cursor.
    pub(super) fn text(&self) -> Option<(TextKey, Untrusted)> {
        self.all.get(self.cursor.selected).map(|turn| (turn.key, turn.text.clone()))
    }

    /// Handles a key. Returns what it asks of the tab.
    pub(super) fn key(&mut self, key: KeyEvent) -> Option<PageEvent> {
        let (len, page) = (self.all.len(), self.page.max(2) as isize - 1);
        match KEYS.find(&key)? {
            A::Close => return Some(PageEvent::Close),
            A::Bench(action) => return Some(PageEvent::Act(action)),
            A::Down => self.cursor.by(1, len),
            A::Up => self.cursor.by(-1, len),
            A::Top => self.cursor.selected = 0,
            A::Bottom => self.cursor.selected = len.saturating_sub(1),
            A::PageUp => self.cursor.by(-page, len),
            A::PageDown => self.cursor.by(page, len),
            A::Put => {
                let turn = self.all.get(self.cursor.selected)?;
                let name = format!("{} {}", turn.role.line(), self.cursor.selected + 1);
                return Some(PageEvent::Put { name: name.into(), text: turn.text.clone() });
            }
        }
        None
    }
}

impl State {
    /// Draws the conversation.
    pub(super) fn render_turns(
        &mut self,
        frame: &mut Frame,
        area: Rect,
        judge: &Judge,
        under_way: &str,
        context: RenderContext,
    ) {
        let theme = context.theme;
        let mut cursor = self.turns.cursor;
        let count = self.turns.all.len();
        let flagged = self.turns.all.iter().filter(|turn| self.is_flagged_by(&turn.key, judge)).count();
        let right = match under_way {
            "" => format!("{count} turns · {flagged} flagged · ^R check · ⏎ to the bench · esc back"),
            words => format!("{count} turns · {words}"),
        };
        let style = if under_way.is_empty() { theme.muted } else { theme.busy };
        let title = if self.turns.title.is_empty() { "Conversation".into() } else { self.turns.title.line() };
        Rule { title: &title, right: &right, right_style: style, focus: true }.render(
            Rect { height: 1, ..area },
            frame.buffer_mut(),
            theme,
        );
        let body = Rect { y: area.y + 1, height: area.height.saturating_sub(1), ..area };
        let wide = area.width >= 60;
        let name = if area.width >= 90 { 24 } else { 16 };
        // Role, excerpt, then sign, score and category.
        let role: usize = if wide { 10 } else { 5 };
        let tail = if wide { 2 + 5 + name } else { 2 + 5 };
        let room = usize::from(area.width).saturating_sub(role + tail + 4);
        let window = cursor.window(usize::from(body.height), count);
        for (at, y) in window.zip(body.y..body.bottom()) {
            let turn = &self.turns.all[at];
            let here = at == cursor.selected;
            let line = Rect { y, height: 1, ..body };
            let base = if here { theme.text.patch(theme.select) } else { theme.text };
            if here {
                frame.buffer_mut().set_style(line, theme.select);
                frame.buffer_mut().set_stringn(body.x, y, "▌", 1, theme.accent.patch(theme.select));
                frame.set_cursor_position(Position::new(body.x, y));
            }
            let tint = match turn.role.line().as_ref() {
                "user" => theme.user,
                "assistant" => theme.assistant,
                "system" => theme.system,
                _ => theme.tool,
            };
            let tint = if here { tint.patch(theme.select) } else { tint };
            frame.buffer_mut().set_stringn(body.x + 1, y, cut(&turn.role.line(), role - 1), role, tint);
            let text = self.shown(&turn.key, &turn.text).replace('\n', " ");
            let x = body.x + 1 + role as u16;
            frame.buffer_mut().set_stringn(x, y, cut(&text, room), room, base);
            let x = x + room as u16 + 1;
            let (sign, words, style) = self.told(turn, judge, context);
            let style = if here { style.patch(theme.select) } else { style };
            frame.buffer_mut().set_stringn(x, y, sign, 2, style);
            let width = usize::from(area.width).saturating_sub(role + room + 4);
            frame.buffer_mut().set_stringn(x + 2, y, cut_middle(&words, width), width, style);
        }
        self.turns.page = usize::from(body.height);
        self.turns.cursor = cursor;
    }

    fn is_flagged_by(&self, key: &TextKey, judge: &Judge) -> bool {
        self.results.last(key, judge).is_some_and(|check| check.flagged)
    }

    /// Sign, words and look of a turn.
    fn told(
        &self,
        turn: &Turn,
        judge: &Judge,
        context: RenderContext,
    ) -> (&'static str, String, ratatui::style::Style) {
        let theme = context.theme;
        if turn.text.line().trim().is_empty() {
            return (" ", "no text".to_owned(), theme.faint);
        }
        if self.awaits(&turn.key, judge) {
            let since = self.flights.since().unwrap_or(context.now);
            let spin = crate::ui::meter::spinner(context.now.saturating_duration_since(since), context.session.motion);
            return (spin, String::new(), theme.busy);
        }
        if self.results.failure(&turn.key, judge).is_some() {
            return ("✕", "failed".to_owned(), theme.error);
        }
        let Some(check) = self.results.last(&turn.key, judge) else {
            return (" ", "not checked".to_owned(), theme.faint);
        };
        let sign = self.worst(check);
        let words = match category::telling(check) {
            Some((name, score)) => format!("{} {}", number(score), name.line()),
            None => category::leading(check).into_owned(),
        };
        (sign.glyph(), words, if sign == Sign::Clear { theme.muted } else { sign.style(theme) })
    }

    /// The gravest sign of a check.
    fn worst(&self, check: &Check) -> Sign {
        if check.flagged {
            return Sign::Flagged;
        }
        let profile = self.shared.thresholds.profile();
        let signs = check
            .categories
            .iter()
            .zip(check.scores.iter().zip(&check.flags))
            .map(|(name, (score, flag))| Sign::of(*score, *flag, profile.of(&category::Key::of(name))));
        let grave = |sign: &Sign| match sign {
            Sign::Flagged => 3,
            Sign::Over => 2,
            Sign::Near => 1,
            Sign::Clear => 0,
        };
        signs.max_by_key(grave).unwrap_or(Sign::Clear)
    }
}
