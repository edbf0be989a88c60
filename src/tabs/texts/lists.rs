//! The lists a bench has kept, to open or delete.

use std::fmt;
use std::sync::LazyLock;
use std::time::Instant;

use crossterm::event::KeyEvent;
use ratatui::Frame;
use ratatui::layout::{Position, Rect};

use crate::api::call::Ticket;
use crate::component::{
    Bindings, Component, Cx, Handled, Hint, Motion, RenderContext, Response, Session, Step, THIS_DIALOG, bind, border,
    motions,
};
use crate::record::{Bench, Id, Query, Record, Rows, Stored, TextList};
use crate::text::Untrusted;
use crate::ui::key_table::{KeyContext, KeyPlace, ListedKeys};
use crate::ui::list::Cursor;
use crate::ui::meter;
use crate::ui::overlay::{self, Answer, Confirm, Words};
use crate::ui::rule::{cut, cut_middle};
use crate::ui::time::Zone;
use crate::ui::wrap;

/// Columns and rows of the box at most.
const WIDEST: u16 = 84;
const HIGHEST: u16 = 18;
/// Rows of a page, one of which stays in view.
const PAGE: usize = 9;

/// What a key asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Action {
    Open,
    Delete,
    Close,
    Go(Motion),
}

use Action as A;

/// Keys of the list.
static KEYS: LazyLock<Bindings<Action, usize>> = LazyLock::new(|| {
    let none = |lists: &usize| (*lists == 0).then_some("there is no list");
    let mut list = vec![
        bind("enter", A::Open, "open", "open the list").disabled_when(none),
        bind("x delete", A::Delete, "delete", "delete the list").disabled_when(none),
        bind("esc", A::Close, "close", "close"),
    ];
    list.extend(motions(A::Go, "list"));
    Bindings::new(KeyContext::new("text-lists").used_in(KeyPlace::Dialog), list)
});

/// Keys of the question before a list is deleted, which handles them itself.
static ASKING: LazyLock<Bindings<Answer, ()>> = LazyLock::new(|| {
    Bindings::new(
        KeyContext::new("confirm").ignoring_shift().used_in(KeyPlace::Dialog),
        vec![bind("y", Answer::Chosen, "delete", "").named(&["yes"])],
    )
});

/// The lists of a bench as a dialog, the one changed last first; `E` is its owner's event.
#[derive(Clone)]
pub(crate) struct ListPicker<E> {
    lists: Vec<TextList>,
    cursor: Cursor,
    loading: Option<Ticket>,
    /// Whether this list is to be deleted.
    asking: Option<(Confirm, Id)>,
    /// Being deleted.
    going: Vec<(Ticket, Id)>,
    note: Option<Untrusted>,
    /// Says of a list how far its run is, in a few words.
    progress: fn(&TextList) -> Option<String>,
    answer: fn(ListEvent) -> E,
}

impl<E> fmt::Debug for ListPicker<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ListPicker").field("lists", &self.lists.len()).finish_non_exhaustive()
    }
}

/// What the owner has to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ListEvent {
    /// Open this list.
    Open(Id),
    /// This list was deleted, on disk too.
    Deleted(Id),
}

impl<E> ListPicker<E> {
    /// Asks the store for the lists of a bench; `answer` returns the owner's event.
    pub(crate) fn new(bench: Bench, answer: fn(ListEvent) -> E, cx: &mut Cx) -> Self {
        let loading = Some(cx.load(Query::TextLists(bench)));
        Self {
            lists: Vec::new(),
            cursor: Cursor::default(),
            loading,
            asking: None,
            going: Vec::new(),
            note: None,
            progress: |_| None,
            answer,
        }
    }

    /// Shows beside each list how far its run is, in a few words.
    pub(crate) fn with_progress(self, progress: fn(&TextList) -> Option<String>) -> Self {
        Self { progress, ..self }
    }

    /// Takes the store's answer. Ignores answers to questions of others.
    pub(super) fn handle_stored(&mut self, ticket: Ticket, stored: &Stored) -> Handled<Step<E>> {
        if self.loading == Some(ticket) {
            self.loading = None;
            match stored {
                // The texts that were typed are not a list to open: they are the bench itself.
                Stored::Rows(Rows::TextLists(lists)) => {
                    self.lists = lists.iter().filter(|list| !list.source.is_empty()).cloned().collect();
                }
                Stored::Failed(why) => self.note = Some(why.clone()),
                _ => {}
            }
            return Handled::Consumed;
        }
        let Some(at) = self.going.iter().position(|(going, _)| *going == ticket) else { return Handled::Ignored };
        if let Stored::Waiting(why) = stored {
            self.note = Some(format!("not deleted yet: {}", why.line()).into());
            return Handled::Consumed;
        }
        let (_, id) = self.going.remove(at);
        if let Stored::Failed(why) = stored {
            let mut note = Untrusted::from("not deleted: ");
            note.append(why);
            self.note = Some(note);
            return Handled::Consumed;
        }
        self.lists.retain(|list| list.id != id);
        self.cursor.clamp(self.lists.len());
        Handled::emit((self.answer)(ListEvent::Deleted(id)))
    }

    fn ask(&mut self) {
        if let (Some(list), Some(id)) = (self.lists.get(self.cursor.selected), self.selected_id()) {
            let lines = vec![
                list.name.clone(),
                format!("its {} are removed from benchtop; the file itself stays", texts(list.rows)).into(),
                "results and vectors of these texts are kept and not paid for again".into(),
            ];
            self.asking = Some((Confirm::new("Delete this list?", lines, "Delete"), id));
        }
    }

    /// Returns the list under the cursor, unless it is being deleted.
    fn selected_id(&self) -> Option<Id> {
        let id = self.lists.get(self.cursor.selected)?.id;
        (!self.is_going(id)).then_some(id)
    }

    fn is_going(&self, id: Id) -> bool {
        self.going.iter().any(|(_, going)| *going == id)
    }

    /// Returns the keys of the list.
    fn list_hints(&self) -> Vec<Hint> {
        KEYS.footer(&[A::Open, A::Delete], &self.lists.len())
    }

    /// Draws it as a box over `area`.
    fn draw(&self, frame: &mut Frame, area: Rect, context: RenderContext) {
        let theme = context.theme;
        let area = area.intersection(frame.area());
        let count = self.lists.len();
        let right = if count == 0 { String::new() } else { format!("{count}") };
        let foot = border(&self.list_hints(), "close", WIDEST.min(area.width));
        let words = Words { title: "Files that were opened", right: &right, foot: &foot, ..Words::default() };
        let inside = overlay::boxed(frame, area, self.size(), &words, theme);
        if inside.is_empty() {
            return;
        }
        if count == 0 {
            let words = if self.loading.is_some() { "loading …" } else { "none yet; f opens one" };
            put(frame, inside, words, theme.muted);
        }
        let list = Rect { height: inside.height.saturating_sub(2).max(1), ..inside };
        let mut cursor = self.cursor;
        for (at, y) in cursor.window(usize::from(list.height), count).zip(list.y..) {
            let row = Rect { y, height: 1, ..list };
            let is_selected = at == self.cursor.selected;
            let words = self.row(&self.lists[at], usize::from(list.width), is_selected, context.session.zone);
            put(frame, row, &words, if is_selected { theme.text.patch(theme.select) } else { theme.text });
            if is_selected {
                frame.set_cursor_position(Position::new(row.x, y));
            }
        }
        let last = Rect { y: inside.bottom() - 1, height: 1, ..inside };
        if let Some(note) = &self.note {
            put(frame, last, &format!("✕ {}", cut(&note.line(), usize::from(last.width).saturating_sub(2))), theme.bad);
        } else if let Some(list) = self.lists.get(self.cursor.selected) {
            put(frame, last, &cut_middle(&list.source.line(), usize::from(last.width)), theme.muted);
        }
        if let Some((asking, _)) = &self.asking {
            asking.render(frame, area, theme);
        }
    }

    /// Returns the row of a list: name, rows, when it was changed last, the progress of its run.
    fn row(&self, list: &TextList, width: usize, is_selected: bool, zone: Zone) -> String {
        let when = zone.day_time(list.updated_ms);
        let state = if self.is_going(list.id) { Some("deleting …".to_owned()) } else { (self.progress)(list) };
        let mut right = vec![texts(list.rows), when];
        right.extend(state);
        let mut right = right.join("  ");
        // Where there is little room, the name comes first.
        right = cut(&right, width.saturating_sub(14));
        let room = width.saturating_sub(wrap::width(&right) + 4);
        let name = cut(&list.name.line(), room);
        let blanks = width.saturating_sub(2 + wrap::width(&name) + wrap::width(&right));
        format!("{} {name}{}{right}", if is_selected { "▸" } else { " " }, " ".repeat(blanks))
    }

    /// Returns the size of the box.
    fn size(&self) -> (u16, u16) {
        (WIDEST, (self.lists.len().max(1) as u16).saturating_add(5).min(HIGHEST))
    }
}

impl<E> Component<Step<E>> for ListPicker<E> {
    fn key(&mut self, key: KeyEvent, cx: &mut Cx) -> Handled<Step<E>> {
        if let Some((asking, id)) = &mut self.asking {
            let id = *id;
            match asking.key(key) {
                Answer::Open => {}
                Answer::Cancelled => self.asking = None,
                Answer::Chosen => {
                    self.asking = None;
                    // The cursor may be on another by now.
                    self.going.push((cx.try_save(Record::DeleteTextList(id)), id));
                }
            }
            return Handled::Consumed;
        }
        self.note = None;
        match KEYS.find(&key) {
            Some(A::Close) => return Handled::close(),
            Some(A::Open) => {
                if let Some(id) = self.selected_id() {
                    return Handled::answer((self.answer)(ListEvent::Open(id)));
                }
            }
            Some(A::Go(motion)) => self.cursor.move_by(motion.rows(PAGE), self.lists.len()),
            Some(A::Delete) => self.ask(),
            None => {}
        }
        Handled::Consumed
    }

    fn reply(&mut self, ticket: Ticket, response: &mut Response, _cx: &mut Cx) -> Handled<Step<E>> {
        let Response::Store(stored) = response else { return Handled::Ignored };
        self.handle_stored(ticket, stored)
    }

    fn hints(&self) -> Vec<Hint> {
        if self.asking.is_some() {
            return ASKING.footer(&[Answer::Chosen], &());
        }
        self.list_hints()
    }

    fn help(&self) -> Vec<(&'static str, Vec<Hint>)> {
        let keys = self.asking.as_ref().map_or_else(|| KEYS.help(), |(asking, _)| Hint::help_of_question(asking));
        vec![(THIS_DIALOG, keys)]
    }

    fn escape(&self) -> Option<&'static str> {
        Some(if self.asking.is_some() { "cancel" } else { "close" })
    }

    fn arrange(&mut self, area: Rect, _session: &Session, _now: Instant) {
        let rows = overlay::inside(area, self.size()).height.saturating_sub(2).max(1);
        self.cursor.window(usize::from(rows), self.lists.len());
    }

    fn typing(&self) -> bool {
        true
    }

    fn render(&self, frame: &mut Frame, area: Rect, context: RenderContext) {
        self.draw(frame, area, context);
    }
}

fn texts(count: u64) -> String {
    if count == 1 { "1 text".to_owned() } else { format!("{} texts", meter::count(count)) }
}

fn put(frame: &mut Frame, area: Rect, words: &str, style: ratatui::style::Style) {
    if !area.is_empty() {
        frame.buffer_mut().set_stringn(area.x, area.y, words, usize::from(area.width), style);
    }
}

/// Returns its tables of keys, for the list of all keys.
pub(crate) fn listed_keys() -> Vec<ListedKeys> {
    vec![KEYS.listed()]
}
