//! The Chat tab's state: conversations, what is open, who waits for which ticket. Events in, effects out.

use std::collections::{HashMap, HashSet};
use std::time::{Duration, Instant};

use super::count::{Count, Draft};
use super::list::{Row, Shelf};
use super::room::{Room, SAVE_EVERY};
use super::told::Probe;
use super::undo::Undo;
use super::voices::Voices;
use super::{marks, params};
use crate::component::{Cx, FindBar, Modals, Pending, Session};
use crate::record::work::Work;
use crate::record::{Head, Id, Query, Record};
use crate::settings::ProfileId;
use crate::text::Untrusted;
use crate::ui::editor::Editor;
use crate::ui::form::Form;
use crate::ui::list::Cursor;
use crate::ui::meter::SPINNER_FRAME;

/// How long the composer's text rests before it is kept.
const DRAFT_REST: Duration = Duration::from_millis(300);
/// Between two frames of what counts on without a spinner.
const STILL_FRAME: Duration = Duration::from_millis(500);
/// The setting that holds the conversation last open.
pub(super) const LAST: &str = "chat.last";

/// Which pane has the keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Focus {
    /// The text box: letters are text.
    Composer,
    /// The messages.
    Transcript,
    /// The conversations.
    List,
    /// The parameter panel.
    Params,
    /// The strip of probabilities.
    Probe,
}

/// The answer of a dialog.
#[derive(Clone, Debug)]
pub(super) enum Answer {
    /// A conversation's title.
    Rename(Id, String),
    /// Words that conversations are filtered by, as they are typed.
    Filter(String),
    /// They stay.
    FilterKept,
    /// They go.
    FilterCleared,
    /// Save this text to the file at this path.
    SaveAs(String, Untrusted),
    /// The system prompt, as it is typed.
    System(String),
    /// It is closed.
    SystemClosed,
    /// What an answer should have been.
    Ideal(Id, String),
    /// Another text for a message.
    Change(Id, String),
    /// Delete a conversation for good.
    Purge(Id),
}

/// What an outstanding ticket is for.
#[derive(Clone, Debug)]
pub(super) enum Request {
    /// With the count of orders given until then, if all had been carried out.
    Heads(Option<u64>),
    Last,
    Conversation(Id),
    Outline(Id),
    /// The conversation, and which of its turns.
    Turns(Id, Vec<Id>),
    /// The conversation, and which of its turns the tokens belong to.
    Tokens(Id, Id),
    Found,
    Save(Id),
    /// The conversation, and the prompt that is sent when it is on disk.
    Commit(Id, Id),
    Highlight {
        turn: Id,
        block: usize,
        code: Untrusted,
    },
    /// The path that was typed, and the text for it.
    SaveFile(String, Untrusted),
    /// The marks of a conversation's turns.
    Marks,
    /// The drafts of a conversation besides the one in the message box.
    Drafts,
    /// Rows to learn from that are written to a file, and what is said of them.
    Rows(String),
    Purge,
    /// Tokens of texts.
    Count(Count),
}

/// What the picture has to catch up with.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Touch {
    /// Title or notes of a turn.
    Turn(Id),
    /// Colours of a listing.
    Tints(Id, usize, Untrusted, Vec<(std::ops::Range<usize>, crate::text::Tint)>),
}

#[derive(Debug)]
pub(super) struct State {
    pub(super) shelf: Shelf,
    pub(super) heads_loaded: bool,
    pub(super) rooms: HashMap<Id, Room>,
    pub(super) open: Id,
    pub(super) focus: Focus,
    pub(super) modals: Modals<Answer>,
    /// All marked answers, while they are shown.
    pub(super) marked: Option<Box<marks::Page>>,
    /// The strip of probabilities, where it is open.
    pub(super) probe: Option<Probe>,
    pub(super) editor: Editor,
    /// The turn whose place the composer's text will take.
    pub(super) editing: Option<Id>,
    /// Role of the message being written.
    pub(super) role: &'static str,
    pub(super) form: Form,
    /// The pane the parameters were opened from; `None`: they are closed.
    pub(super) params: Option<Focus>,
    /// Whether the list is shown: hidden by hand when wide, opened as a drawer when not.
    pub(super) list_hidden: bool,
    pub(super) drawer: bool,
    pub(super) cursor: Cursor,
    pub(super) find: FindBar,
    /// What can be taken back, the last one last.
    pub(super) undos: Vec<Undo>,
    /// Deleted for good in this run.
    pub(super) purged: HashSet<Id>,
    /// Position in the prompts of before, from the newest; `None`: not looking back.
    pub(super) history: Option<usize>,
    /// Edits that were left under way: the conversation, and the turn its draft is to replace.
    pub(super) edits: HashMap<Id, Id>,
    /// Conversations whose answer ended while nobody saw them, and whether it failed.
    pub(super) unseen: HashMap<Id, bool>,
    pub(super) example: usize,
    /// How many tokens the composer's text would make a request have.
    pub(super) draft: Draft,
    pub(super) draft_due: Option<Instant>,
    /// When the tab first came to the front: what spins is measured from there.
    pub(super) born: Option<Instant>,
    /// The last tick; the next one is due a spinner's frame later.
    pub(super) ticked: Option<Instant>,
    /// Whether things may move.
    pub(super) motion: bool,
    /// Whether Enter inserts a newline and Alt+Enter sends.
    pub(super) enter_newline: bool,
    /// Whether the system prompt was changed since it was last kept.
    pub(super) system_changed: bool,
    /// The first message is to come into view once all of them are here.
    pub(super) to_top: bool,
    /// The conversation that goes to another tab when all of it is here.
    pub(super) offering: Option<Id>,
    /// Marks of turns that are here, by turn.
    pub(super) marks: HashMap<Id, crate::record::Mark>,
    /// The turn to be looked at once its conversation is here.
    pub(super) goal: Option<(Id, Id)>,
    /// The turn to be selected with the next frame that has it.
    pub(super) show_turn: Option<Id>,
    /// What is then looked for from there on.
    pub(super) seek: Option<String>,
    /// Conversations in which several models answer each message.
    pub(super) trials: HashMap<Id, Voices>,
    /// An answer that is to be seen beside its versions, with the next frame.
    pub(super) show_beside: Option<Id>,
    pub(super) pending: Pending<Request>,
    /// Orders to keep something, ever.
    pub(super) orders: u64,
    /// Figures of the last run.
    pub(super) meter: Option<crate::tabs::tab::RunMeter>,
    /// The message waits for the list of models of this profile, in this conversation.
    pub(super) waiting: Option<(ProfileId, Id)>,
    /// For the picture; cleared once it has caught up.
    pub(super) touched: Vec<Touch>,
    pub(super) entered: bool,
    /// Whether a new conversation was asked for: then the one open last does not take its place.
    pub(super) asked_new: bool,
    /// Wall clock as of the last tick, Unix milliseconds: the list's days are counted from it.
    pub(super) unix_ms: i64,
}

impl State {
    pub(super) fn new() -> Self {
        // The first event gives the blank conversation its real id; nothing is recorded under this one.
        let open = Id(0);
        Self {
            shelf: Shelf::default(),
            heads_loaded: false,
            rooms: HashMap::from([(open, Room::blank(open, 0, &Session::default()))]),
            open,
            focus: Focus::Composer,
            modals: Modals::default(),
            marked: None,
            probe: None,
            editor: Editor::new(""),
            editing: None,
            role: "user",
            form: params::form(&crate::record::ChatParams::default()),
            params: None,
            list_hidden: false,
            drawer: false,
            cursor: Cursor::default(),
            find: FindBar::default(),
            undos: Vec::new(),
            purged: HashSet::new(),
            history: None,
            edits: HashMap::new(),
            unseen: HashMap::new(),
            example: 0,
            draft: Draft::default(),
            draft_due: None,
            born: None,
            ticked: None,
            motion: true,
            enter_newline: false,
            waiting: None,
            system_changed: false,
            to_top: false,
            offering: None,
            marks: HashMap::new(),
            goal: None,
            show_turn: None,
            seek: None,
            trials: HashMap::new(),
            show_beside: None,
            pending: Pending::default(),
            orders: 0,
            meter: None,
            touched: Vec::new(),
            entered: false,
            asked_new: false,
            unix_ms: 0,
        }
    }

    pub(super) fn room(&self) -> &Room {
        self.rooms.get(&self.open).expect("the open conversation always has a room")
    }

    pub(super) fn room_mut(&mut self) -> &mut Room {
        self.rooms.get_mut(&self.open).expect("the open conversation always has a room")
    }

    /// Opens the parameters, or goes to them.
    pub(super) fn open_params(&mut self) {
        if self.params.is_none() && !self.form.is_refused() {
            self.form.select("temperature");
        }
        if self.focus != Focus::Params {
            self.params = Some(self.focus);
        }
        self.focus = Focus::Params;
    }

    /// Closes the parameters; the keys go back to where they were.
    pub(super) fn close_params(&mut self) {
        if let Some(from) = self.params.take() {
            self.focus = from;
        }
    }

    /// Opens a conversation; the one left goes on streaming.
    pub(super) fn open(&mut self, id: Id, cx: &mut Cx) {
        if id == self.open {
            self.drawer = false;
            return;
        }
        self.keep_draft(cx);
        if self.rooms.contains_key(&id) {
            self.show(id, cx);
        } else {
            let Some(head) = self.shelf.head(id) else { return };
            self.rooms.insert(id, Room::new(head.conversation.clone()));
            self.show(id, cx);
            // The list's line may be old: another copy may have gone on with it.
            self.load(id, cx);
        }
    }

    /// Opens a conversation of the list; one that was found by the filter's words where they stand.
    pub(super) fn open_row(&mut self, id: Id, cx: &mut Cx) {
        let words = self.shelf.words().line().into_owned();
        match self.shelf.match_in(id) {
            Some(turn) => {
                self.open_marked(id, turn, cx);
                self.seek = Some(words);
            }
            None => {
                self.open(id, cx);
                self.focus = Focus::Composer;
            }
        }
    }

    /// Makes a room the open one, its draft the composer's text.
    pub(super) fn show(&mut self, id: Id, cx: &mut Cx) {
        let left = std::mem::replace(&mut self.open, id);
        if let Some(turn) = self.editing.take() {
            self.edits.insert(left, turn);
        }
        self.release(left);
        self.history = None;
        self.role = "user";
        self.drawer = false;
        self.find.clear();
        self.to_top = false;
        self.offering = None;
        let room = self.room();
        let (draft, form) = (room.conversation.draft.clone(), params::form(&room.conversation.params));
        self.form = form;
        self.editor.set_text(&draft);
        self.editing = self.edits.remove(&id).filter(|_| !draft.is_empty());
        self.recount(cx.now);
        cx.record(Record::Setting(LAST.into(), id.0.to_string().into()));
        self.load_turns(id, cx);
    }

    /// Lets go of a conversation that is not open, unless it works or holds what is not on disk.
    pub(super) fn release(&mut self, id: Id) {
        if id != self.open && self.rooms.get(&id).is_some_and(|room| !room.is_busy() && room.is_kept()) {
            self.rooms.remove(&id);
        }
    }

    /// A new, empty conversation.
    pub(super) fn fresh(&mut self, cx: &mut Cx) {
        self.asked_new = true;
        self.keep_draft(cx);
        if self.room().is_begun() {
            let id = cx.id();
            self.rooms.insert(id, Room::blank(id, cx.unix_ms, cx.session));
            self.show(id, cx);
        }
        self.focus = Focus::Composer;
        self.drawer = false;
    }

    /// The user has changed the composer's text: a recalled prompt is a text of its own from here on.
    pub(super) fn typed(&mut self, now: Instant) {
        self.history = None;
        self.waiting = None;
        self.drafted(now);
    }

    /// The system prompt is another.
    pub(super) fn set_system(&mut self, text: String, now: Instant) {
        let room = self.room_mut();
        room.conversation.system = text;
        room.counts.forget_system();
        self.system_changed = true;
        self.recount(now);
        self.draft_due = Some(now + DRAFT_REST);
    }

    /// What is open and what works is in the list whatever it is filtered by.
    pub(super) fn settle_list(&mut self) {
        let mut ids: Vec<Id> = self.rooms.iter().filter(|(_, room)| room.is_busy()).map(|(id, _)| *id).collect();
        ids.push(self.open);
        ids.sort_unstable();
        let on = self.list().get(self.cursor.selected).cloned();
        if self.shelf.keep_in(ids)
            && let Some(Row::Item { id, .. }) = on
        {
            self.point_at(id);
        }
    }

    /// The composer's text is another.
    pub(super) fn drafted(&mut self, now: Instant) {
        self.recount(now);
        self.draft_due = Some(now + DRAFT_REST);
    }

    /// Has a listing coloured.
    pub(super) fn highlight(&mut self, turn: Id, block: usize, language: Untrusted, code: Untrusted, cx: &mut Cx) {
        let ticket = cx.work(Work::Highlight { language, code: code.clone() });
        self.pending.insert(ticket, Request::Highlight { turn, block, code });
    }

    /// Writes a text to a new file.
    pub(super) fn save_file(&mut self, path: String, text: Untrusted, cx: &mut Cx) {
        let ticket = cx.work(Work::Save { path: path.clone(), text: text.clone() });
        self.pending.insert(ticket, Request::SaveFile(path, text));
    }

    /// Shows the conversations whose titles or texts hold these words.
    pub(super) fn set_filter(&mut self, words: &str, cx: &mut Cx) {
        self.shelf.filter(words);
        self.cursor.selected = 0;
        if !words.trim().is_empty() {
            let ticket = cx.load(Query::Search(words.to_owned()));
            self.pending.insert(ticket, Request::Found);
        }
    }

    /// The list as it is shown.
    pub(super) fn list(&self) -> &[Row] {
        self.shelf.rows(self.unix_ms)
    }

    /// Puts the list's cursor on a conversation, if the list shows it.
    pub(super) fn point_at(&mut self, id: Id) {
        let at = self.list().iter().position(|row| matches!(row, Row::Item { id: other, .. } if *other == id));
        self.cursor.selected = at.unwrap_or(self.cursor.selected);
    }

    /// The list has other rows: its cursor stands on one that can be acted on, near where it was.
    pub(super) fn settle_cursor(&mut self) {
        let rows = self.shelf.rows(self.unix_ms);
        let at = self.cursor.selected.min(rows.len().saturating_sub(1));
        // A section is never the last row.
        let on_section = matches!(rows.get(at), Some(Row::Section(_)));
        self.cursor.selected = at + usize::from(on_section);
    }

    /// Puts a conversation's line in its place. The cursor stays on the conversation it is on.
    pub(super) fn put_head(&mut self, head: Head) {
        let on = self.list().get(self.cursor.selected).cloned();
        self.shelf.put(head);
        if let Some(Row::Item { id, .. }) = on {
            self.point_at(id);
        }
    }

    /// Whether this conversation's answer is under way.
    pub(super) fn is_streaming(&self, id: Id) -> bool {
        self.rooms.get(&id).is_some_and(Room::is_busy)
    }

    /// When something here wants to move or be kept.
    pub(super) fn due(&self) -> Option<Instant> {
        let answers = self.rooms.values().filter_map(|room| Some((room, room.answer.as_ref()?)));
        // Without motion only the seconds count on.
        let frame = if self.motion { SPINNER_FRAME } else { STILL_FRAME };
        let spin = answers.clone().next().and(self.ticked).map(|at| at + frame);
        let save = answers.filter(|(room, answer)| answer.has_unsaved(&room.tree));
        let save = save.map(|(_, answer)| answer.last_saved + SAVE_EVERY).min();
        [spin, save, self.draft_due, self.count_due()].into_iter().flatten().min()
    }

    pub(super) fn tick(&mut self, cx: &mut Cx) {
        self.unix_ms = cx.unix_ms;
        self.ticked = Some(cx.now);
        if self.draft_due.is_some_and(|due| due <= cx.now) {
            self.keep_draft(cx);
        }
        if self.count_due().is_some_and(|due| due <= cx.now) {
            self.ask_count(cx);
        }
        let ids: Vec<Id> = self.rooms.iter().filter(|(_, room)| room.answer.is_some()).map(|(id, _)| *id).collect();
        for id in ids {
            self.save_answer(id, false, cx);
        }
    }
}
