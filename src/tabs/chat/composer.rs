//! The message box: what is written there, what it will become, and what was written before.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use crossterm::event::KeyEvent;

use super::attachments::{Attachments, mention};
use super::open_call::OpenCall;
use super::token_counts::DraftCount;
use crate::component::{Cx, Notice};
use crate::record::{Id, Turn};
use crate::settings::ProfileId;
use crate::tabs::generation::context_limit;
use crate::ui::editor::{Edit, Editor};

/// How many questions to begin with there are.
pub(super) const EXAMPLES: usize = 3;
/// How long the text rests before it is saved.
const DRAFT_REST: Duration = Duration::from_millis(300);
/// How long the text rests before it is counted exactly.
const COUNT_REST: Duration = Duration::from_millis(150);

/// The message box.
#[derive(Debug)]
pub(super) struct Composer {
    pub(super) editor: Editor,
    /// Whether Enter inserts a newline and Alt+Enter sends.
    pub(super) enter_newline: bool,
    /// The turn whose place the text will take.
    pub(super) editing: Option<Id>,
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
            enter_newline: false,
            editing: None,
            result_of: None,
            role: "user",
            recalled: None,
            left_edits: HashMap::new(),
            left_results: HashMap::new(),
            example: 0,
            attachments: Attachments::default(),
            count: DraftCount::default(),
            save_due: None,
            system_changed: false,
            waits_for_models: None,
        }
    }

    /// Leaves the conversation `left` and shows the draft of another one.
    pub(super) fn show(&mut self, left: Id, id: Id, draft: &str) {
        if let Some(turn) = self.editing.take() {
            self.left_edits.insert(left, turn);
        }
        if let Some(call) = self.result_of.take() {
            self.left_results.insert(left, call);
        }
        self.recalled = None;
        self.role = "user";
        self.attachments.clear();
        self.editor.set_text(draft);
        self.editing = self.left_edits.remove(&id).filter(|_| !draft.is_empty());
        self.result_of = self.left_results.remove(&id).filter(|_| !draft.is_empty());
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

    /// Estimates the tokens of the changed text or system prompt; they are counted once it rests.
    pub(super) fn recount(&mut self, now: Instant) {
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

    /// Puts a turn's text into the box; sending it makes a branch beside the turn.
    pub(super) fn edit(&mut self, turn: &Turn, now: Instant) {
        self.editor.edit(&turn.content);
        self.attachments.restore(&turn.blocks);
        self.editing = Some(turn.id);
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
