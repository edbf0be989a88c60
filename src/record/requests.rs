//! Requests to the store and what comes back. Every request has a ticket; every ticket gets one last [`Stored`], and
//! perhaps [`Stored::Waiting`] before.

use std::sync::Arc;

use super::{
    Answer, Bench, Block, Check, Conversation, Cost, Head, Id, Mark, Marked, Preset, Run, Sheet, Step, TextKey,
    TextList, TextRow, Token, Turn, VectorKey, VectorTable,
};
use crate::text::Untrusted;

/// Something to keep. `Committed` comes back once it would survive a power cut, `Waiting` where the disk refuses it for
/// now.
#[derive(Clone, Debug, PartialEq)]
pub enum Record {
    /// Insert a conversation, or replace the fields of one that is there (not its turns, not its draft). Several copies
    /// of benchtop may know it, each as it was when they loaded it; so of one that is there this does not change:
    /// whether it is in the trash, when it was made, and a title it has, unless `titled` names one that was never typed
    /// before. One that was deleted for good does not come back: `Failed`.
    Conversation(Box<Conversation>),
    /// Set a title that the user typed for an existing conversation. Of several records the last one counts.
    Title {
        /// The conversation.
        conversation: Id,
        /// Its title.
        title: Untrusted,
    },
    /// Move an existing conversation into the trash, or out of it.
    Trashed {
        /// The conversation.
        conversation: Id,
        /// Unix milliseconds of the move into the trash; `None`: it is not in the trash.
        at_ms: Option<i64>,
    },
    /// Insert a turn, or replace all of it.
    Turn(Box<Turn>),
    /// Make turns of a conversation children of another of its turns; `None`: they become first turns.
    Moved {
        /// The turns.
        turns: Vec<Id>,
        /// Their new parent.
        parent: Option<Id>,
    },
    /// Delete a turn, with its mark and its tokens. Every turn that followed it, also one that another running copy has
    /// added, follows `parent` from now on.
    DeleteTurn {
        /// The turn.
        turn: Id,
        /// New parent of its children; `None`: they become first turns.
        parent: Option<Id>,
    },
    /// Several records in one transaction, in order.
    Batch(Vec<Record>),
    /// Text that arrived for a streaming turn since the last record. The offsets (bytes) make it idempotent and
    /// checkable.
    Extend {
        /// The turn.
        turn: Id,
        /// Length of `content` before.
        content_at: u64,
        /// New text.
        content: Untrusted,
        /// Length of `reasoning` before.
        reasoning_at: u64,
        /// New reasoning.
        reasoning: Untrusted,
    },
    /// Replace the blocks of a streaming turn.
    Blocks {
        /// The turn.
        turn: Id,
        /// All blocks so far.
        blocks: Vec<Block>,
    },
    /// The composer's text, which goes back there and nowhere else; later records for the same conversation supersede
    /// waiting ones. Each running copy of benchtop has its own.
    Draft {
        /// The conversation.
        conversation: Id,
        /// Its draft; empty: none.
        text: String,
    },
    /// The draft became a turn: it goes, if it still is this text. What another running copy has written stays.
    DraftSent {
        /// The conversation.
        conversation: Id,
        /// Its draft as it was last stored.
        text: String,
    },
    /// This copy's draft continues from one that was there when it opened the conversation: that one goes, unless other
    /// copies run, which may show it, too.
    DraftTaken {
        /// The conversation.
        conversation: Id,
        /// The existing draft.
        text: String,
    },
    /// This copy's draft is replaced by another one and stays available, see [`Query::Drafts`].
    DraftAside(Id),
    /// A line of the ledger; the request id is unique, a second row with it changes nothing.
    Ledger(LedgerRow),
    /// A small named value of the screen's (last conversation, theme, …); an empty one deletes what was kept.
    Setting(String, Untrusted),
    /// Delete a trashed conversation and its turns for good.
    Purge(Id),
    /// Insert a sheet of the playground, or replace where one that is there stands. When it was made does not change,
    /// and its last change goes only forward: another copy may be at it, too.
    Sheet(Sheet),
    /// Insert or replace a step, whole. Its sheet comes first.
    Step(Box<Step>),
    /// Text that arrived for a run's step since the last record. The offset (bytes of `inserted`) makes it idempotent
    /// and checkable.
    Grow {
        /// The step.
        step: Id,
        /// Length of `inserted` before.
        at: u64,
        /// New text.
        text: Untrusted,
    },
    /// Insert or replace a run. Its sheet comes first.
    Run(Box<Run>),
    /// Tokens with their probabilities: of a step's text, of a turn's, or under a run's id of the prompt. Appended. The
    /// step, turn or run comes first: the tokens of one that was deleted for good do not come back.
    Tokens {
        /// The step, turn or run.
        of: Id,
        /// Number of tokens stored before these; a record that is stored already changes nothing.
        at: u64,
        /// The new tokens.
        tokens: Vec<Token>,
    },
    /// Insert or replace a preset.
    Preset(Box<Preset>),
    /// Delete a preset.
    DeletePreset(Id),
    /// Insert a list of texts, or replace the fields of one that is there (not its rows, nor when it was made; its last
    /// change goes only forward). One that was deleted does not come back: `Failed`.
    TextList(Box<TextList>),
    /// Delete a list of texts with its rows. What is known of the texts stays.
    DeleteTextList(Id),
    /// Insert or replace rows of a list. The list comes first.
    TextRows {
        /// The list.
        list: Id,
        /// The rows, at most 10,000 in one record.
        rows: Vec<TextRow>,
    },
    /// Delete rows.
    DeleteTextRows(Vec<Id>),
    /// Results of a moderation model. Appended; one that is there already changes nothing.
    Checks(Vec<Check>),
    /// What models answered to rows of a list, which comes first. One that is there already changes nothing.
    Answers(Vec<Answer>),
    /// Insert or replace a turn's mark. The turn comes first. Of several copies the last one stays. It goes with its
    /// turn.
    Mark(Box<Mark>),
    /// Delete a turn's mark; the turn stays.
    DeleteMark(Id),
    /// What is stored under a profile's name (conversations, runs, costs, results, vectors) is its new name's from now
    /// on.
    ProfileRenamed {
        /// The old name.
        from: String,
        /// The new name.
        to: String,
    },
    /// Vectors of texts, into the cache, which is a file of its own and in no backup. One that is there is replaced.
    /// Never in a batch.
    Vectors {
        /// The vectors' profile, model and length.
        key: VectorKey,
        /// Text (as it was sent) and its vector; at most 2,048 in one record.
        vectors: Vec<(TextKey, Arc<[f32]>)>,
    },
}

/// What one HTTP answer cost.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LedgerRow {
    /// Unique; `x-request-id`, or one of ours where the server sent none.
    pub request_id: Untrusted,
    /// Unix milliseconds.
    pub at_ms: i64,
    /// Profile name, for sums; never shown from here.
    pub profile: String,
    /// Tab title.
    pub tab: String,
    /// Model.
    pub model: Untrusted,
    /// Prompt tokens.
    pub prompt_tokens: u64,
    /// Answer tokens.
    pub completion_tokens: u64,
    /// Whether the counts are ours.
    pub estimated: bool,
    /// Nano-dollars; `None`: price unknown.
    pub cost_nano: Option<i64>,
}

/// A question to the store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Query {
    /// All conversations, newest first, with the trashed ones.
    Heads,
    /// One conversation, with its draft.
    Conversation(Id),
    /// The drafts of a conversation besides the one that comes with it: other copies' and those laid aside, newest
    /// first.
    Drafts(Id),
    /// The shape of a conversation's tree, oldest first: cheap also for 10,000 turns.
    Outline(Id),
    /// These turns, whole, in this order.
    Turns(Vec<Id>),
    /// Conversations whose titles and finished turns hold all these words (or longer ones that begin so), best first,
    /// those in the trash last, at most 100.
    Search(String),
    /// A named value.
    Setting(String),
    /// The named values whose names begin with this.
    Settings(String),
    /// The cost of a profile since a time.
    Spent {
        /// Profile name.
        profile: String,
        /// Unix milliseconds.
        since_ms: i64,
    },
    /// The models of a profile that answered a request, the one used last first.
    UsedModels(String),
    /// A sheet and all its steps, oldest first.
    Sheet(Id),
    /// The runs of all sheets, newest first, at most this many.
    Runs(u32),
    /// All presets by name.
    Presets,
    /// The tokens stored for these steps, turns or runs.
    Tokens(Vec<Id>),
    /// The lists of a bench, the one changed last first.
    TextLists(Bench),
    /// A list and all its rows by place.
    Texts(Id),
    /// Of each text of a list the newest check for each profile and model asked.
    ListChecks(Id),
    /// All checks of these texts, newest first.
    Checks(Vec<TextKey>),
    /// All answers to a list's rows.
    Answers(Id),
    /// All marked turns, those marked last first.
    Marks,
    /// The marks of a conversation's turns.
    MarksOf(Id),
    /// Which of these texts have a vector.
    HasVectors {
        /// The vectors' profile, model and length.
        key: VectorKey,
        /// The texts as they would be sent.
        texts: Arc<[TextKey]>,
    },
    /// The vectors of these texts, in this order.
    Vectors {
        /// The vectors' profile, model and length.
        key: VectorKey,
        /// The texts as they were sent.
        texts: Arc<[TextKey]>,
    },
}

/// What a [`Query`] found.
#[derive(Clone, Debug, PartialEq)]
pub enum Rows {
    /// To `Heads`.
    Heads(Vec<Head>),
    /// To `Conversation`.
    Conversation(Option<Box<Conversation>>),
    /// To `Drafts`.
    Drafts(Id, Vec<String>),
    /// To `Outline`: id, parent.
    Outline(Id, Vec<(Id, Option<Id>)>),
    /// To `Turns`.
    Turns(Vec<Turn>),
    /// To `Search`: conversation, the best turn (the shown branch's last where only the title has the words; 0: no
    /// turns), a snippet on one line.
    Found(Vec<(Id, Id, Untrusted)>),
    /// To `Setting`.
    Setting(String, Option<Untrusted>),
    /// To `Settings`: name and value, by name.
    Settings(Vec<(String, Untrusted)>),
    /// To `Spent`: the total cost of the rows; `None`: there are none.
    Spent(Option<Cost>),
    /// To `UsedModels`.
    UsedModels(Vec<Untrusted>),
    /// To `Sheet`: `None`: there is none of that id.
    Sheet(Option<(Sheet, Vec<Step>)>),
    /// To `Runs`.
    Runs(Vec<Run>),
    /// To `Presets`.
    Presets(Vec<Preset>),
    /// To `Tokens`: those that have any, in the order asked for.
    Tokens(Vec<(Id, Vec<Token>)>),
    /// To `TextLists`.
    TextLists(Vec<TextList>),
    /// To `Texts`; `None`: there is none of that id.
    Texts(Option<(TextList, Vec<TextRow>)>),
    /// To `ListChecks` (in no order) and `Checks`.
    Checks(Vec<Check>),
    /// To `Answers`, in no order.
    Answers(Vec<Answer>),
    /// To `Marks`.
    Marked(Vec<Marked>),
    /// To `MarksOf`, in no order.
    Marks(Id, Vec<Mark>),
    /// To `HasVectors`: one for each text asked for.
    HasVectors(Vec<bool>),
    /// To `Vectors`: a row for each text asked for.
    Vectors(Arc<VectorTable>),
}

/// The store's answer to one request.
#[derive(Clone, Debug, PartialEq)]
pub enum Stored {
    /// On disk.
    Committed,
    /// What a query found.
    Rows(Rows),
    /// The disk does not accept it now; why. It is offered again, in order, on a timer and at the end: `Committed` or
    /// `Failed` follows, and this again when the reason changes.
    Waiting(Untrusted),
    /// Not done, and never will be; a sentence that says why and what to do.
    Failed(Untrusted),
}
