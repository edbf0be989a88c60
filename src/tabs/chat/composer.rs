//! The message box: what is written there, what it will become, and what was written before.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use crossterm::event::KeyEvent;

use super::attachments::{Attachments, mention};
use super::chat_pane::ChatPane;
use super::conversation::OpenConversation;
use super::open_call::{OpenCall, result_of};
use super::token_counts::DraftCount;
use crate::component::{Cx, Notice, Pending, Session};
use crate::record::work::Work;
use crate::record::{Block, Id, Turn};
use crate::settings::ProfileId;
use crate::tabs::generation::context_limit;
use crate::text::Untrusted;
use crate::ui::editor::{Edit, Editor};
use crate::ui::key_table::named_key;

/// How many questions to begin with there are.
pub(super) const EXAMPLES: usize = 3;
/// How long the text rests before it is saved.
const DRAFT_REST: Duration = Duration::from_millis(300);
/// How long the text rests before it is counted exactly.
const COUNT_REST: Duration = Duration::from_millis(150);

/// Returns the key that sends the text of the message box, as sentences name it.
pub(super) fn send_key(session: &Session) -> String {
    named_key("chat.composer", "submit", session.send_key())
}

/// The message box.
#[derive(Debug)]
pub(super) struct Composer {
    pub(super) editor: Editor,
    /// Whether a long paste stands in the text as one word.
    pub(super) has_paste: bool,
    /// Whether Enter inserts a newline and Alt+Enter sends.
    pub(super) enter_newline: bool,
    /// The turn whose place the text will take.
    pub(super) editing: Option<Id>,
    /// The pane in which that edit was begun: Esc goes back there.
    pub(super) edit_begun_in: ChatPane,
    /// The call whose result is being written.
    pub(super) result_of: Option<OpenCall>,
    /// Role of the message being written.
    pub(super) role: &'static str,
    /// Position in the prompts of before, from the newest; `None`: not looking back.
    pub(super) recalled: Option<usize>,
    /// Edits that were left under way: the conversation, and the turn its draft is to replace.
    left_edits: HashMap<Id, Id>,
    /// Results that were left under way: the conversation, and the call that its draft is the result of.
    left_results: HashMap<Id, OpenCall>,
    /// Which of the examples is chosen where nothing was said yet.
    pub(super) example: usize,
    /// The files that the text names.
    pub(super) attachments: Attachments,
    /// Files that are read for the message, by name.
    pub(super) reads: Pending<String>,
    /// How many tokens a request with this text would have.
    pub(super) count: DraftCount,
    /// When the text is saved.
    pub(super) save_due: Option<Instant>,
    /// Whether the system prompt was changed since it was last kept.
    pub(super) system_changed: bool,
    /// The message waits for the list of models of this profile, in this conversation.
    pub(super) waits_for_models: Option<(ProfileId, Id)>,
}

impl Composer {
    pub(super) fn new() -> Self {
        Self {
            editor: Editor::new(""),
            has_paste: false,
            enter_newline: false,
            editing: None,
            edit_begun_in: ChatPane::Composer,
            result_of: None,
            role: "user",
            recalled: None,
            left_edits: HashMap::new(),
            left_results: HashMap::new(),
            example: 0,
            attachments: Attachments::default(),
            reads: Pending::default(),
            count: DraftCount::default(),
            save_due: None,
            system_changed: false,
            waits_for_models: None,
        }
    }

    /// Leaves the conversation `left` and shows the draft of another one.
    pub(super) fn show(&mut self, left: Id, shown: &OpenConversation, now: Instant) {
        if let Some(turn) = self.editing.take() {
            self.left_edits.insert(left, turn);
        }
        if let Some(call) = self.result_of.take() {
            self.left_results.insert(left, call);
        }
        let (id, draft) = (shown.record.id, &shown.record.draft);
        self.recalled = None;
        self.role = "user";
        self.attachments.clear();
        self.editor.set_text(draft);
        self.editing = self.left_edits.remove(&id).filter(|_| !draft.is_empty());
        self.edit_begun_in = ChatPane::Composer;
        self.result_of = self.left_results.remove(&id).filter(|_| !draft.is_empty());
        if let Some(turn) = self.edited(shown) {
            self.attachments.restore(&turn.blocks);
        }
        self.recount(now);
    }

    /// Shows another draft of the conversation.
    pub(super) fn replace(&mut self, draft: &str, now: Instant) {
        self.editor.set_text(draft);
        (self.editing, self.recalled, self.result_of) = (None, None, None);
        self.recount(now);
    }

    /// Returns the text that is to be saved, and whether the system prompt was changed; both count as saved from then
    /// on.
    pub(super) fn draft_to_save(&mut self) -> (String, bool) {
        self.save_due = None;
        (self.editor.text(), std::mem::take(&mut self.system_changed))
    }

    /// Passes a key to the text. A word with an `@` that was typed names a file.
    pub(super) fn key(&mut self, key: KeyEvent, cx: &mut Cx) {
        if cx.type_into(&mut self.editor, key) == Edit::Changed {
            self.attachments.choose(&self.editor.word());
            self.typed(cx.now);
        }
    }

    /// Takes the result of an insertion into the text: a change, or the reason why nothing was inserted, which is said.
    pub(super) fn after_insert(&mut self, inserted: Result<(), String>, cx: &mut Cx) {
        match inserted {
            Ok(()) => self.typed(cx.now),
            Err(why) => cx.notify(Notice::error(why)),
        }
    }

    /// Estimates the tokens of the changed text; it is counted and saved once it rests.
    pub(super) fn changed(&mut self, now: Instant) {
        self.recount(now);
        self.save_due = Some(now + DRAFT_REST);
    }

    /// Notes that the user has changed the text: a recalled prompt is a text of its own from here on.
    pub(super) fn typed(&mut self, now: Instant) {
        self.recalled = None;
        self.waits_for_models = None;
        (self.attachments.waits, self.attachments.is_fresh) = (None, false);
        self.changed(now);
    }

    /// Looks for pastes in the changed text and estimates the tokens of it, or of the changed system prompt; they are
    /// counted once it rests.
    pub(super) fn recount(&mut self, now: Instant) {
        self.has_paste = self.editor.has_chip();
        if self.editor.is_empty() {
            self.attachments.reset();
        }
        self.count.guess = context_limit::quick_estimate(self.editor.len(), || self.editor.text());
        self.count.exact = None;
        self.count.stamp += 1;
        self.count_soon(now);
    }

    /// Has the next request counted soon, if there is anything to send.
    pub(super) fn count_soon(&mut self, now: Instant) {
        self.count.due = (!self.editor.is_empty()).then(|| now + COUNT_REST);
    }

    /// Puts a turn's text into the box; sending it makes a branch beside the turn. `begun_in`: the pane in which the user
    /// asked for that, or the box, if nobody did.
    pub(super) fn edit(&mut self, turn: &Turn, begun_in: ChatPane, now: Instant) {
        self.editor.edit(&turn.content);
        self.attachments.restore(&turn.blocks);
        (self.editing, self.edit_begun_in) = (Some(turn.id), begun_in);
        self.changed(now);
    }

    /// Names a file in the text, in place of the beginning of its path before the cursor.
    pub(super) fn attach(&mut self, path: &str, now: Instant) {
        let mention = mention(path);
        self.attachments.choose(&mention);
        self.editor.deselect();
        if self.editor.word().starts_with('@') {
            self.editor.replace_word(&mention);
        } else if self.editor.word().is_empty() {
            self.editor.insert_text(&mention);
        } else {
            self.editor.insert_text(&format!(" {mention}"));
        }
        self.typed(now);
    }

    /// Returns the turn that is edited.
    fn edited<'a>(&self, conversation: &'a OpenConversation) -> Option<&'a Turn> {
        self.editing.and_then(|turn| conversation.tree.turn(turn))
    }

    /// Returns whether the box holds a turn's text as it is there.
    pub(super) fn is_edit_unchanged(&self, conversation: &OpenConversation) -> bool {
        self.edited(conversation).is_some_and(|turn| turn.content == *self.editor.text())
    }

    /// Ends an edit. An unchanged text leaves the box, its turn has it; a changed one stays as a message.
    pub(super) fn drop_edit(&mut self, conversation: &OpenConversation, now: Instant) {
        if self.is_edit_unchanged(conversation) {
            self.editor.set_text("");
        }
        self.editing = None;
        self.changed(now);
    }

    /// Puts a prompt that got no answer back into an empty box.
    pub(super) fn return_prompt(&mut self, conversation: &OpenConversation, asked: Id, now: Instant) {
        if let Some(prompt) = conversation.tree.turn(asked).filter(|_| self.editor.is_empty()) {
            self.edit(prompt, ChatPane::Composer, now);
        }
    }

    /// Shows the prompt before (`way` 1) or after (−1) the one in the box, from the newest on. What is being written is
    /// not replaced: only an empty box begins to look back.
    pub(super) fn recall(&mut self, conversation: &OpenConversation, way: isize, now: Instant) {
        let next = match (self.recalled, way) {
            (None, 1) if self.editor.is_empty() => Some(0),
            (Some(at), _) => at.checked_add_signed(way),
            _ => return,
        };
        self.result_of = None;
        let typed = conversation.path.iter().rev().filter_map(|id| conversation.tree.turn(*id));
        let mut prompts = typed.filter(|turn| turn.role == "user");
        match next {
            None => {
                self.editor.set_text("");
                self.recalled = None;
            }
            Some(next) => {
                let Some(prompt) = prompts.nth(next) else { return };
                self.editor.edit(&prompt.content);
                self.recalled = Some(next);
            }
        }
        self.changed(now);
    }

    /// Shows a pasted text in full.
    pub(super) fn expand_paste(&mut self, cx: &mut Cx) {
        match self.editor.expand_chip() {
            Ok(()) => self.typed(cx.now),
            Err(why) => cx.notify(Notice::info(why)),
        }
    }

    /// Writes the text as the result of a call.
    pub(super) fn write_result(&mut self, call: OpenCall) {
        self.editing = None;
        self.result_of = Some(call);
    }

    /// Puts a text into the empty box as the result of a call.
    pub(super) fn fill_result(&mut self, call: OpenCall, text: &Untrusted, now: Instant) {
        self.editor.edit(text);
        self.changed(now);
        self.write_result(call);
    }

    /// Asks for the first result that the last answer waits for, unless something is being written.
    pub(super) fn expect_result(&mut self, conversation: &OpenConversation) {
        if self.editor.is_empty() && self.editing.is_none() && conversation.record.params.tools.is_some() {
            self.result_of = conversation.open_calls().into_iter().next();
        }
    }

    /// Has the files read for the message as it is to be sent now. Returns whether any is still being read.
    pub(super) fn read_files_anew(&mut self, conversation: &OpenConversation, cx: &mut Cx) -> bool {
        self.attachments.refresh();
        self.read_files(conversation, cx)
    }

    /// Has the files read that the message names. Returns whether any is still being read.
    pub(super) fn read_files(&mut self, conversation: &OpenConversation, cx: &mut Cx) -> bool {
        if self.result_of.is_some() || self.edited(conversation).is_some_and(|turn| result_of(turn).is_some()) {
            // The result of a call is text alone.
            self.attachments.clear();
            return false;
        }
        let text = self.editor.text();
        for name in self.attachments.set_text(&text) {
            let ticket = cx.work(Work::Attach { path: name.clone() });
            self.reads.insert(ticket, name);
        }
        self.attachments.is_reading()
    }

    /// Takes what the next message is besides its text, out of the box: who says it, and its files or the call it is the
    /// result of.
    pub(super) fn take_role_and_blocks(&mut self, conversation: &OpenConversation) -> (Untrusted, Vec<Block>) {
        let edited = self.edited(conversation);
        self.editing = None;
        let result = self.result_of.take().map(|call| call.result());
        let chosen = std::mem::replace(&mut self.role, "user");
        let chosen = Untrusted::from(if result.is_some() { "tool" } else { chosen });
        let (role, result) = match edited {
            Some(turn) => {
                let again = turn.blocks.iter().find(|block| matches!(block, Block::ResultOf { .. }));
                (turn.role.clone(), again.cloned())
            }
            None => (chosen, result),
        };
        // The result of a call is text alone.
        (role, result.map_or_else(|| self.attachments.blocks(), |result| vec![result]))
    }

    /// Returns whether the message is to be sent as soon as the list of models names one.
    pub(super) fn waits_for_model(&self, session: &Session, open: Id) -> bool {
        let waits = self.waits_for_models.as_ref();
        waits.is_some_and(|(profile, conversation)| *profile == session.profile && *conversation == open)
    }

    /// Returns whether a message waits for the list of models, or for its files, in the conversation that is open.
    pub(super) fn waits_in(&self, open: Id) -> bool {
        let models = self.waits_for_models.as_ref();
        self.attachments.waits.is_some() || models.is_some_and(|(_, conversation)| *conversation == open)
    }

    /// Lets a message that waits not be sent.
    pub(super) fn stop_waiting(&mut self) {
        self.waits_for_models = None;
        self.attachments.waits = None;
    }

    /// Empties the box: the text was sent, and is saved with its message.
    pub(super) fn sent(&mut self, now: Instant) {
        self.editor.set_text("");
        self.recalled = None;
        (self.save_due, self.system_changed) = (None, false);
        self.recount(now);
    }

    /// Chooses the next of the examples, or the one before; after the last comes the first.
    pub(super) fn choose_example(&mut self, way: isize) {
        self.example = (self.example as isize + way).rem_euclid(EXAMPLES as isize) as usize;
    }

    /// Takes the role after this one; after the result of a call comes the user's.
    pub(super) fn next_role(&mut self) {
        if self.result_of.take().is_some() {
            return;
        }
        self.role = match self.role {
            "user" => "assistant",
            "assistant" => "system",
            _ => "user",
        };
    }
}
