//! The pane with all conversations: the list, its filter, whether it is on the screen.

mod draw;
mod items;
pub(super) mod keys;
mod labels;

use std::collections::{HashMap, HashSet};
use std::time::Instant;

use crossterm::event::KeyEvent;
use ratatui::Frame;
use ratatui::layout::{Position, Rect};

use self::items::ConversationList;
use self::keys::{LIST, ListAction};
pub(super) use self::labels::title_of;
use super::action::Action;
use crate::component::{
    Animation, Component, Cx, FindBar, FindBarEvent, Handled, Hint, Motion, Notice, RenderContext, Session,
};
use crate::record::{Head, Id};
use crate::ui::size_class::has_panes_beside;

/// What the pane asks of the tab.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum ListEvent {
    Open(Id),
    Rename(Id),
    /// Move it to the trash.
    Trash(Id),
    /// Bring it back from the trash.
    Restore(Id),
    /// Delete it for good.
    Purge(Id),
    /// Find conversations whose texts hold these words.
    Search(String),
    /// Do what a key of the tab stands for.
    Act(Action),
}

/// What the pane shows of the rest of the tab.
#[derive(Clone, Debug, Default)]
pub(super) struct TabStatus {
    /// The open conversation.
    pub(super) open: Option<Id>,
    /// Those whose answer is under way.
    pub(super) working: Vec<Id>,
    /// Whether the pane has the keys, and whether something lies over it.
    pub(super) focus: bool,
    pub(super) covered: bool,
    /// The clock of its spinners.
    pub(super) animation: Animation,
}

/// The pane with all conversations.
#[derive(Debug, Default)]
pub(super) struct ConversationsPane {
    pub(super) items: ConversationList,
    /// The words that the list is filtered by.
    pub(super) filter: FindBar,
    /// Whether they have come from the store.
    pub(super) loaded: bool,
    /// Whether it is hidden where there is room for it beside the rest.
    pub(super) hidden: bool,
    /// Whether it is open as a drawer where there is not.
    pub(super) drawer: bool,
    /// Deleted for good in this run.
    purged: HashSet<Id>,
    /// Conversations whose answer ended while nobody saw them, and whether it failed.
    pub(super) unseen: HashMap<Id, bool>,
    /// The lines of the list on the screen.
    area: Rect,
    tab: TabStatus,
}

impl ConversationsPane {
    /// Takes in what the rest of the tab does.
    pub(super) fn set_status(&mut self, tab: TabStatus) {
        self.tab = tab;
    }

    /// Takes the time of an event.
    pub(super) fn sync(&mut self, cx: &Cx) {
        self.items.set_time(cx.unix_ms, cx.session.zone);
    }

    /// Puts a conversation's line in its place.
    pub(super) fn put(&mut self, head: Head, cx: &Cx) {
        self.sync(cx);
        self.items.put(head);
    }

    /// Shows all conversations again.
    pub(super) fn clear_filter(&mut self) {
        self.filter.clear();
        self.items.filter("");
    }

    /// Takes the conversations whose text holds these words, each with the turn that does; what was found for other
    /// words than those of the filter comes too late.
    pub(super) fn found(&mut self, words: &str, found: HashMap<Id, Id>) {
        if words == self.filter.text() {
            self.items.found(found);
        }
    }

    /// Takes in what the store has, but for what is `in_use`, which is newer here.
    pub(super) fn merge(&mut self, mut heads: Vec<Head>, in_use: impl Fn(Id) -> bool, cx: &Cx) {
        self.sync(cx);
        self.loaded = true;
        heads.retain(|head| !self.purged.contains(&head.conversation.id));
        self.items.merge(heads, in_use);
    }

    /// Takes out a conversation that is deleted for good.
    pub(super) fn purge(&mut self, id: Id) {
        self.items.remove(id);
        self.unseen.remove(&id);
        self.purged.insert(id);
    }

    /// Returns whether it is on the screen: beside the rest, or as a drawer over it.
    pub(super) fn is_shown(&self, area: (u16, u16)) -> bool {
        if has_panes_beside(area.0, area.1) { !self.hidden } else { self.drawer }
    }

    /// Moves the cursor by a step of the mouse wheel.
    pub(super) fn scroll(&mut self, steps: isize) {
        self.items.move_cursor(if steps < 0 { Motion::Up } else { Motion::Down });
    }

    /// Puts the cursor where the mouse was pressed; returns the conversation there.
    pub(super) fn press(&mut self, at: Position) -> Option<Id> {
        let line = self.area.contains(at).then(|| self.items.top() + usize::from(at.y - self.area.y))?;
        if self.items.select_line(line) { self.items.selected().map(|(id, _)| id) } else { None }
    }

    /// Shows what the words that are typed leave, from the first row.
    fn search(&mut self) -> Handled<ListEvent> {
        let words = self.filter.text().to_owned();
        self.items.filter(&words);
        self.items.move_cursor(Motion::First);
        Handled::Emit(ListEvent::Search(words))
    }
}

impl Component<ListEvent> for ConversationsPane {
    fn key(&mut self, key: KeyEvent, cx: &mut Cx) -> Handled<ListEvent> {
        if self.filter.is_typing() {
            match self.filter.key(key) {
                FindBarEvent::Changed => return self.search(),
                FindBarEvent::Cancelled => self.clear_filter(),
                FindBarEvent::Moved(motion) => self.items.move_cursor(motion),
                FindBarEvent::Submitted | FindBarEvent::Ignored => {}
            }
            return Handled::Consumed;
        }
        let Some(action) = LIST.find(&key) else { return Handled::Ignored };
        let event = match (action, self.items.selected()) {
            (ListAction::Open, Some((id, _))) => ListEvent::Open(id),
            (ListAction::Rename, Some((id, _))) => ListEvent::Rename(id),
            (ListAction::Trash, Some((id, false))) => ListEvent::Trash(id),
            (ListAction::Restore, Some((id, true))) => ListEvent::Restore(id),
            (ListAction::Restore, _) => ListEvent::Act(Action::Undo),
            (ListAction::Purge, Some((id, true))) => ListEvent::Purge(id),
            (ListAction::Tab(action), _) => ListEvent::Act(action),
            (ListAction::Move(motion), _) => {
                self.items.move_cursor(motion);
                return Handled::Consumed;
            }
            (ListAction::Open, None) if self.items.is_on_trash() => {
                self.items.toggle_trash();
                return Handled::Consumed;
            }
            (ListAction::Purge, _) => {
                cx.notify(Notice::warn("only for conversations in the trash"));
                return Handled::Consumed;
            }
            (ListAction::Open | ListAction::Rename | ListAction::Trash, _) => return Handled::Consumed,
        };
        Handled::Emit(event)
    }

    fn paste(&mut self, text: &str, _cx: &mut Cx) -> Handled<ListEvent> {
        if self.filter.paste(text) { self.search() } else { Handled::Ignored }
    }

    fn hints(&self) -> Vec<Hint> {
        if self.filter.is_typing() {
            return FindBar::hints();
        }
        let actions: &[ListAction] = match (self.items.is_on_trash(), self.items.selected()) {
            (true, _) => &[ListAction::Open, ListAction::Tab(Action::New)],
            (_, Some((_, true))) => &[ListAction::Open, ListAction::Restore, ListAction::Purge],
            _ => &[
                ListAction::Open,
                ListAction::Tab(Action::New),
                ListAction::Rename,
                ListAction::Trash,
                ListAction::Tab(Action::Filter),
            ],
        };
        LIST.footer(actions, self)
    }

    fn help(&self) -> Vec<(&'static str, Vec<Hint>)> {
        vec![("Conversations", LIST.help())]
    }

    fn escape(&self) -> Option<&'static str> {
        (self.filter.is_typing() || !self.filter.text().is_empty()).then_some("clear filter")
    }

    fn typing(&self) -> bool {
        self.filter.is_typing()
    }

    fn arrange(&mut self, area: Rect, session: &Session, _now: Instant) {
        self.area = draw::lines_area(area, session.spacing());
        if !self.area.is_empty() {
            self.items.arrange(usize::from(self.area.height));
        }
    }

    fn render(&self, frame: &mut Frame, area: Rect, context: RenderContext) {
        self.draw(frame, area, context);
    }
}
