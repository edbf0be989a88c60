//! One conversation in memory: its record, its tree, the answer that streams into it, what is not on disk yet.

use std::collections::{HashMap, HashSet};

use super::answer_format::FormatCheck;
use super::answer_tokens::TokensByTurn;
use super::open_call::{self, OpenCall};
use super::responders::Responder;
use super::streaming_answer::{StreamingAnswer, kept_failure};
use super::token_counts::TokenCounts;
use super::tool_calls::CallProblems;
use super::turn_tree::TurnTree;
use crate::api::call::Failure;
use crate::component::{Cx, Notice, Saves, Session};
use crate::record::{Block, ChatParams, Conversation, Head, Id, Turn, TurnStatus};
use crate::tabs::activity::ActivityOutcome;
use crate::tabs::tab::RunMeter;
use crate::text::Untrusted;

/// A conversation that is open, or has an answer under way.
#[derive(Debug)]
pub(super) struct OpenConversation {
    pub(super) record: Conversation,
    /// The parameters it was given as the defaults of the model in use: they are nothing of the user's.
    pub(super) defaults: ChatParams,
    pub(super) tree: TurnTree,
    /// Whether the outline has come from the store.
    pub(super) loaded: bool,
    /// The branch that is shown, first turn first; kept in step with `conversation.leaf`.
    pub(super) path: Vec<Id>,
    /// Counts changes of the branch shown and of what is loaded of it.
    pub(super) revision: u64,
    pub(super) answer: Option<StreamingAnswer>,
    /// What the turn after this commit waits for.
    pub(super) committing: Option<AnswerRequest>,
    pub(super) saves: Saves,
    /// Drafts of this conversation besides the one in the message box: other copies' and those laid aside.
    pub(super) drafts: Vec<String>,
    /// Whether this copy has kept a draft here.
    pub(super) drafted: bool,
    /// Failures of this run, and those kept with turns that are here, for the details view.
    pub(super) failures: HashMap<Id, Failure>,
    /// What is known of the formats of answers that came in this run.
    pub(super) formats: HashMap<Id, FormatCheck>,
    /// What is wrong with calls that are here.
    pub(super) call_problems: CallProblems,
    /// What was told of the tokens of answers that came in this run, or were looked at.
    pub(super) tokens: TokensByTurn,
    /// Turns that the store should have and has not.
    pub(super) lost: HashSet<Id>,
    /// How many tokens its texts have.
    pub(super) counts: TokenCounts,
    /// Whether the request that is about to begin waits for a count.
    pub(super) counting: bool,
    /// How the answers ended that were asked for last; `None`: none has yet.
    outcome: Option<ActivityOutcome>,
}

/// What to ask for once the prompt is on disk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct AnswerRequest {
    /// The turn to answer.
    pub(super) parent: Id,
    /// Text the answer begins with (an answer that is continued); the turn it comes from.
    pub(super) continues: Option<Id>,
    /// A failed, empty turn whose place the answer takes.
    pub(super) replaces: Option<Id>,
    /// Who answers, whatever is chosen before the request begins.
    pub(super) responder: Responder,
}

impl OpenConversation {
    pub(super) fn new(record: Conversation) -> Self {
        Self {
            record,
            defaults: ChatParams::default(),
            tree: TurnTree::default(),
            loaded: false,
            path: Vec::new(),
            revision: 0,
            answer: None,
            committing: None,
            saves: Saves::default(),
            drafts: Vec::new(),
            drafted: false,
            failures: HashMap::new(),
            formats: HashMap::new(),
            call_problems: CallProblems::default(),
            tokens: TokensByTurn::default(),
            lost: HashSet::new(),
            counts: TokenCounts::default(),
            counting: false,
            outcome: None,
        }
    }

    /// Returns an empty conversation that is nowhere but in memory.
    pub(super) fn blank(id: Id, now_ms: i64, session: &Session) -> Self {
        let mut conversation = Self::new(Conversation {
            id,
            title: Untrusted::default(),
            titled: false,
            created_ms: now_ms,
            updated_ms: now_ms,
            trashed_ms: None,
            profile: session.profile.0.as_str().into(),
            model: Untrusted::default(),
            system: String::new(),
            params: ChatParams::default(),
            leaf: None,
            draft: String::new(),
        });
        conversation.loaded = true;
        conversation
    }

    /// Returns its line in the list, as it is saved: before anything was said the defaults of a model are not part of
    /// it.
    pub(super) fn head(&self) -> Head {
        let mut conversation = self.record.clone();
        if self.is_blank() && conversation.params == self.defaults {
            conversation.params = ChatParams::default();
        }
        Head { conversation, turns: self.tree.len() as u64 }
    }

    /// Returns whether an answer is under way or about to be.
    pub(super) fn is_busy(&self) -> bool {
        self.answer.is_some() || self.committing.is_some()
    }

    /// Takes the request for an answer that begins once all is on disk.
    pub(super) fn ask(&mut self, asking: AnswerRequest) {
        (self.committing, self.outcome) = (Some(asking), None);
    }

    /// Returns how the answers ended that were asked for last.
    pub(super) fn outcome(&self) -> ActivityOutcome {
        self.outcome.unwrap_or(ActivityOutcome::Stopped)
    }

    /// Notes how an answer ended. Where several models answer a message, their answers count together.
    pub(super) fn note_outcome(&mut self, outcome: ActivityOutcome) {
        self.outcome = ActivityOutcome::of_parts(self.outcome.into_iter().chain([outcome]));
    }

    /// Returns whether its request waits for another attempt.
    pub(super) fn is_retrying(&self) -> bool {
        self.answer.as_ref().is_some_and(|answer| answer.run.is_retrying())
    }

    /// Returns tokens and cost of the answer under way; one that was refused and waits for its next attempt has cost
    /// nothing.
    pub(super) fn meter(&self) -> Option<RunMeter> {
        self.answer.as_ref().filter(|_| !self.is_retrying()).map(|answer| answer.run.meter())
    }

    /// Ends the countdown to the next attempt. Returns whether there was one.
    pub(super) fn skip_countdown(&self, cx: &mut Cx) -> bool {
        self.answer.as_ref().is_some_and(|answer| answer.run.retry_now(cx))
    }

    /// Returns whether its messages can be changed now; says why not.
    pub(super) fn can_change(&self, cx: &mut Cx) -> bool {
        if self.is_busy() {
            cx.notify(Notice::warn("an answer is under way; esc stops it"));
        }
        !self.is_busy() && self.loaded
    }

    /// Returns the version before or after this one.
    pub(super) fn adjacent_version(&self, turn: Id, way: isize) -> Option<Id> {
        self.tree.siblings(turn).get(self.tree.version(turn).0.checked_add_signed(way)?).copied()
    }

    /// Returns whether a request need not wait for the disk: all is saved, or the user was told that it is not.
    pub(super) fn may_send(&self) -> bool {
        self.saves.is_saved() || self.saves.refusal().is_some()
    }

    /// Returns whether nothing was ever said here.
    pub(super) fn is_blank(&self) -> bool {
        self.loaded && self.tree.len() == 0
    }

    /// Returns whether anything is here that is worth a line in the list.
    pub(super) fn is_begun(&self) -> bool {
        self.record.params != self.defaults || !self.record.is_unwritten() || !self.is_blank()
    }

    /// Shows the branch that ends with this turn.
    pub(super) fn go_to(&mut self, leaf: Option<Id>) {
        self.record.leaf = leaf;
        self.path = self.tree.path(leaf);
        self.tree.set_branch(&self.path);
        self.revision += 1;
    }

    /// Returns the turn that streams as this choice.
    pub(super) fn streaming(&self, id: Id) -> bool {
        self.answer.as_ref().is_some_and(|answer| answer.turns().any(|turn| turn == id))
    }

    /// Returns turns from the first to `leaf` that are not loaded.
    pub(super) fn missing(&self, leaf: Id) -> Vec<Id> {
        self.tree.path(Some(leaf)).into_iter().filter(|id| self.tree.turn(*id).is_none()).collect()
    }

    /// Returns turns of the shown branch that can still be loaded.
    pub(super) fn unloaded(&self) -> Vec<Id> {
        let wanted = |id: &Id| self.tree.turn(*id).is_none() && !self.lost.contains(id);
        self.path.iter().copied().filter(wanted).collect()
    }

    /// Adds turns that were wanted of the store.
    pub(super) fn add_loaded(&mut self, wanted: &[Id], turns: Vec<Turn>) {
        for mut turn in turns {
            if turn.status == TurnStatus::Streaming && !self.streaming(turn.id) {
                turn.status = TurnStatus::CutOff;
                turn.error = "the program ended meanwhile".into();
            }
            if self.tree.turn(turn.id).is_none() {
                self.failures.extend(kept_failure(&turn).map(|failure| (turn.id, failure)));
                self.tree.put(turn);
            }
        }
        self.check_calls(wanted.iter().copied());
        // Turns that the store does not have are not asked for again: another copy may have deleted them.
        self.lost.extend(wanted.iter().filter(|turn| self.tree.turn(**turn).is_none()));
        self.revision += 1;
    }

    /// Returns the calls of the last answer that have no result yet.
    pub(super) fn open_calls(&self) -> Vec<OpenCall> {
        let mut done = Vec::new();
        for turn in self.path.iter().rev().map_while(|id| self.tree.turn(*id)) {
            if let Some(id) = open_call::result_of(turn) {
                done.push(id);
            } else if turn.role == "assistant" && turn.status == TurnStatus::Done {
                return open_call::calls(turn).filter(|call| !done.contains(&&call.id)).collect();
            } else {
                break;
            }
        }
        Vec::new()
    }

    /// Checks the calls of these turns against the tools of its requests.
    pub(super) fn check_calls(&mut self, turns: impl IntoIterator<Item = Id>) {
        self.call_problems.check(turns, &self.tree, &self.record.params);
    }

    /// Returns tokens that the conversation so far adds to the next request, `edited` and what follows it left out: as
    /// the server counted them for the last answer, or estimated by length.
    pub(super) fn context_tokens(&self, edited: Option<Id>) -> u64 {
        let kept = edited.and_then(|edited| self.path.iter().position(|id| *id == edited)).unwrap_or(self.path.len());
        let turns = self.path[..kept].iter().rev().map_while(|id| self.tree.turn(*id));
        let mut tokens = 0;
        for turn in turns {
            if turn.role == "assistant" && turn.prompt_tokens > 0 {
                return tokens + turn.prompt_tokens + turn.completion_tokens;
            }
            let pictures: u64 = turn.blocks.iter().map(Block::picture_tokens).sum();
            tokens += (turn.content.len() + turn.blocks_len()) as u64 / 4 + pictures + 4;
        }
        tokens + self.record.system.len() as u64 / 4
    }

    /// Returns an empty answer to `parent`.
    pub(super) fn answer_turn(&self, id: Id, parent: Id, choice: u32, model: Untrusted, unix_ms: i64) -> Turn {
        Turn {
            id,
            conversation: self.record.id,
            parent: Some(parent),
            role: "assistant".into(),
            content: Untrusted::default(),
            reasoning: Untrusted::default(),
            blocks: Vec::new(),
            model,
            choice,
            status: TurnStatus::Streaming,
            error: Untrusted::default(),
            details: None,
            finish_reason: Untrusted::default(),
            created_ms: unix_ms,
            prompt_tokens: 0,
            completion_tokens: 0,
            estimated: true,
            cost_nano: None,
            first_token_ms: 0,
            total_ms: 0,
        }
    }

    /// Returns a turn somebody typed, or pasted.
    pub(super) fn typed_turn(
        &self,
        id: Id,
        parent: Option<Id>,
        role: Untrusted,
        content: impl Into<Untrusted>,
        unix_ms: i64,
    ) -> Turn {
        Turn {
            parent,
            role,
            content: content.into(),
            status: TurnStatus::Done,
            ..self.answer_turn(id, id, 0, Untrusted::default(), unix_ms)
        }
    }
}

/// Returns whether a model wrote a turn; what was typed in a model's name has no model.
pub(super) fn is_answer(turn: &Turn) -> bool {
    turn.role == "assistant" && !turn.model.is_empty()
}

/// Returns whether a turn can be continued.
pub(super) fn is_unfinished(turn: &Turn) -> bool {
    turn.finish_reason == "length" || matches!(turn.status, TurnStatus::Stopped | TurnStatus::CutOff)
}
