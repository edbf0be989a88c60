//! The Chat tab's state: conversations, what is open, who waits for which ticket.

use std::collections::HashMap;
use std::time::Instant;

use super::answer_tokens::ProbabilityStrip;
pub(super) use super::chat_pane::ChatPane;
use super::comparison_view::ComparedTexts;
use super::composer::Composer;
use super::conversation::OpenConversation;
use super::conversation_list::{ConversationsPane, TabStatus};
use super::marks;
use super::open_call::{OpenCall, ResultSource};
use super::params;
use super::params_panel::ParamsPanel;
use super::responders::Comparison;
use super::token_counts::PendingCount;
use super::undo::ChatUndo;
use super::view_requests::ViewRequests;
use crate::component::{Animation, Cx, FindBar, Modals, Pending, Session};
use crate::record::work::Work;
use crate::record::{Id, Query, Record};
use crate::tabs::generation::params::take_defaults;
use crate::text::Untrusted;

/// The setting that holds the conversation last open.
pub(super) const LAST: &str = "chat.last";

/// Returns the record that this conversation was open last.
pub(super) fn last_open(id: Id) -> Record {
    Record::Setting(LAST.into(), id.0.to_string().into())
}

/// The answer of a dialog.
#[derive(Clone, Debug)]
pub(super) enum DialogAnswer {
    /// A conversation's title.
    Rename(Id, String),
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
    /// The file of this path goes with the message.
    Attach(String),
    /// Delete a conversation for good.
    Purge(Id),
    /// Where the result of a call comes from.
    CallResult(Box<OpenCall>, ResultSource),
    /// The result of a call, from a file or a command.
    ResultText(Box<OpenCall>, Untrusted),
    /// Definitions of tools, from a file.
    Tools(String),
}

/// What an outstanding ticket is for.
#[derive(Clone, Debug)]
pub(super) enum Request {
    /// With [`State::records`] as it was then, if the store had carried all of them out.
    Heads(Option<u64>),
    Last,
    Conversation(Id),
    Outline(Id),
    /// The conversation, and which of its turns.
    Turns(Id, Vec<Id>),
    /// The conversation, and which of its turns the tokens belong to.
    Tokens(Id, Id),
    /// The words that texts are to hold.
    Found(String),
    Save(Id),
    /// The conversation, and the prompt that is sent when it is on disk.
    Commit(Id, Id),
    Highlight {
        turn: Id,
        block: usize,
        code: Untrusted,
    },
    /// Versions that are compared.
    Differences(ComparedTexts),
    /// The path that was typed, and the text for it.
    SaveFile(String, Untrusted),
    /// The marks of a conversation's turns.
    Marks,
    /// The drafts of a conversation besides the one in the message box.
    Drafts,
    /// Rows to learn from that are written to a file, and what is said of them.
    Rows(String),
    Purge,
    /// A file that the message names.
    Attach(String),
    /// Tokens of texts.
    Count(PendingCount),
}

#[derive(Debug)]
pub(super) struct State {
    pub(super) list: ConversationsPane,
    pub(super) conversations: HashMap<Id, OpenConversation>,
    pub(super) open: Id,
    pub(super) focus: ChatPane,
    pub(super) modals: Modals<DialogAnswer>,
    /// All marked answers, while they are shown.
    pub(super) marks_page: Option<Box<marks::MarksPage>>,
    /// Marks of turns that are here, by turn.
    pub(super) marks: HashMap<Id, crate::record::Mark>,
    /// The strip of probabilities, where it is open.
    pub(super) probabilities: Option<ProbabilityStrip>,
    pub(super) composer: Composer,
    pub(super) params: ParamsPanel,
    pub(super) find: FindBar,
    /// What can be taken back, the last one last.
    pub(super) undos: Vec<ChatUndo>,
    pub(super) animation: Animation,
    /// The conversation that goes to another tab when all of it is here.
    pub(super) offering: Option<Id>,
    /// Conversations in which several models answer each message.
    pub(super) comparisons: HashMap<Id, Comparison>,
    pub(super) pending: Pending<Request>,
    /// How many records the store was given.
    pub(super) records: u64,
    /// Figures of the last run.
    pub(super) last_meter: Option<crate::tabs::tab::RunMeter>,
    pub(super) view_requests: ViewRequests,
    /// What was shown when the tab first came to the front.
    pub(super) start: TabStart,
}

/// Whether the tab was in front, and what was open before it took what the last run left.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum TabStart {
    /// It was never in front.
    #[default]
    Hidden,
    /// The conversation open last takes the place of an untouched one.
    Entered,
    /// A new conversation was asked for: nothing takes its place.
    AskedNew,
}

impl State {
    pub(super) fn new() -> Self {
        // The first event gives the blank conversation its real id; nothing is recorded under this one.
        let open = Id(0);
        Self {
            list: ConversationsPane::default(),
            conversations: HashMap::from([(open, OpenConversation::blank(open, 0, &Session::default()))]),
            open,
            focus: ChatPane::Composer,
            modals: Modals::default(),
            marks_page: None,
            marks: HashMap::new(),
            probabilities: None,
            composer: Composer::new(),
            params: ParamsPanel::new(&crate::record::ChatParams::default()),
            find: FindBar::default(),
            undos: Vec::new(),
            animation: Animation::default(),
            offering: None,
            comparisons: HashMap::new(),
            pending: Pending::default(),
            records: 0,
            last_meter: None,
            view_requests: ViewRequests::default(),
            start: TabStart::default(),
        }
    }

    pub(super) fn conversation(&self) -> &OpenConversation {
        self.conversations.get(&self.open).expect("the open conversation is always in memory")
    }

    pub(super) fn conversation_mut(&mut self) -> &mut OpenConversation {
        self.conversations.get_mut(&self.open).expect("the open conversation is always in memory")
    }

    /// Opens a conversation; the one left continues to stream.
    pub(super) fn open(&mut self, id: Id, cx: &mut Cx) {
        if id == self.open {
            self.list.drawer = false;
            return;
        }
        self.save_draft(cx);
        if self.conversations.contains_key(&id) {
            self.show(id, cx);
        } else {
            let Some(head) = self.list.items.head(id) else { return };
            self.conversations.insert(id, OpenConversation::new(head.conversation.clone()));
            self.show(id, cx);
            // The row of the list may be outdated: another copy may have continued the conversation.
            self.load(id, cx);
        }
    }

    /// Opens a conversation of the list; one that was found by the filter's words where they stand.
    pub(super) fn open_row(&mut self, id: Id, cx: &mut Cx) {
        let words = Untrusted::from(self.list.filter.text()).line().into_owned();
        match self.list.items.match_in(id) {
            Some(turn) => {
                self.open_marked(id, turn, cx);
                self.view_requests.seek = Some(words);
            }
            None => {
                self.open(id, cx);
                self.focus = ChatPane::Composer;
            }
        }
    }

    /// Makes a conversation the open one, its draft the composer's text.
    pub(super) fn show(&mut self, id: Id, cx: &mut Cx) {
        let left = std::mem::replace(&mut self.open, id);
        let conversation = self.conversation();
        let (draft, params) = (conversation.record.draft.clone(), conversation.record.params.clone());
        self.composer.show(left, id, &draft);
        if let Some(turn) = self.composer.editing.and_then(|turn| self.conversation().tree.turn(turn)).cloned() {
            self.composer.attachments.restore(&turn.blocks);
        }
        self.release(left);
        self.list.drawer = false;
        self.find.clear();
        self.view_requests.to_top = false;
        self.offering = None;
        self.params.show(&params);
        self.composer.recount(cx.now);
        // It is not offered to the store again: nobody would miss it.
        cx.record(last_open(id));
        self.load_turns(id, cx);
    }

    /// Lets go of a conversation that is not open, unless it works or holds what is not on disk.
    pub(super) fn release(&mut self, id: Id) {
        if id != self.open
            && self
                .conversations
                .get(&id)
                .is_some_and(|conversation| !conversation.is_busy() && conversation.saves.is_saved())
        {
            self.conversations.remove(&id);
        }
    }

    /// Opens a new, empty conversation.
    pub(super) fn new_conversation(&mut self, cx: &mut Cx) {
        self.start = TabStart::AskedNew;
        self.save_draft(cx);
        if self.conversation().is_begun() {
            let id = cx.id();
            self.conversations.insert(id, OpenConversation::blank(id, cx.unix_ms, cx.session));
            self.show(id, cx);
        }
        self.focus = ChatPane::Composer;
        self.list.drawer = false;
    }

    /// Gives the open conversation the defaults of the model in use, where nothing was said in it and no parameter was
    /// set.
    pub(super) fn fill_defaults(&mut self, session: &Session) {
        if !self.conversation().is_blank() || self.is_comparison() {
            return;
        }
        let defaults = params::defaults(session.defaults(&session.profile, &session.model));
        let conversation = self.conversation_mut();
        if take_defaults(&mut conversation.record.params, &mut conversation.defaults, defaults.clone()) {
            self.params.show(&defaults);
        }
    }

    /// Returns the parameter that the editor is opened for, with its text: the one under the cursor, if it is JSON.
    pub(super) fn editable_field(&self) -> Option<(&'static str, String)> {
        if self.focus == ChatPane::Params { self.params.editable() } else { None }
    }

    /// Takes another system prompt.
    pub(super) fn set_system(&mut self, text: String, now: Instant) {
        let conversation = self.conversation_mut();
        conversation.record.system = text;
        conversation.counts.forget_system();
        self.composer.system_changed = true;
        self.composer.changed(now);
    }

    /// Sets a parameter of the open conversation.
    pub(super) fn set_param(&mut self, name: &'static str, text: &str, cx: &mut Cx) {
        let id = self.open;
        let Some(conversation) = self.conversations.get_mut(&id) else { return };
        if self.params.set(&mut conversation.record.params, name, text, cx) {
            if name == "tools" {
                let changed = conversation.check_all_calls();
                for turn in changed {
                    self.view_requests.redraw(turn);
                }
            }
            self.save_conversation(id, cx);
        }
    }

    /// Tells the list what the rest of the tab does.
    pub(super) fn settle_list(&mut self) {
        let busy = self.conversations.iter().filter(|(_, conversation)| conversation.is_busy());
        let status = TabStatus {
            open: Some(self.open),
            working: busy.map(|(id, _)| *id).collect(),
            focus: self.focus == ChatPane::List,
            covered: self.is_covered(),
            animation: self.animation,
        };
        self.list.set_status(status);
    }

    /// Asks for the colours of a listing.
    pub(super) fn request_colours(
        &mut self,
        turn: Id,
        block: usize,
        language: Untrusted,
        code: Untrusted,
        cx: &mut Cx,
    ) {
        let ticket = cx.work(Work::Highlight { language, code: code.clone() });
        self.pending.insert(ticket, Request::Highlight { turn, block, code });
    }

    /// Asks for the differences of versions.
    pub(super) fn request_differences(&mut self, of: ComparedTexts, work: Work, cx: &mut Cx) {
        let ticket = cx.work(work);
        self.pending.insert(ticket, Request::Differences(of));
    }

    /// Writes a text to a new file.
    pub(super) fn save_file(&mut self, path: String, text: Untrusted, cx: &mut Cx) {
        let ticket = cx.work(Work::Save { path: path.clone(), text: text.clone() });
        self.pending.insert(ticket, Request::SaveFile(path, text));
    }

    /// Writes rows to learn from to a new file; `words`: what is then said of them.
    pub(super) fn save_rows(&mut self, path: String, text: String, words: String, cx: &mut Cx) {
        let ticket = cx.work(Work::Save { path, text: text.into() });
        self.pending.insert(ticket, Request::Rows(words));
    }

    /// Searches the texts of conversations for words.
    pub(super) fn search(&mut self, words: String, cx: &mut Cx) {
        if !words.trim().is_empty() {
            let ticket = cx.load(Query::Search(words.clone()));
            self.pending.insert(ticket, Request::Found(words));
        }
    }

    /// Returns whether the open conversation's request waits for another attempt.
    pub(super) fn is_retrying(&self) -> bool {
        self.conversation().answer.as_ref().is_some_and(|answer| answer.run.is_retrying())
    }

    /// Returns when something here wants to move or be kept.
    pub(super) fn due(&self) -> Option<Instant> {
        let answers =
            self.conversations.values().filter_map(|conversation| Some((conversation, conversation.answer.as_ref()?)));
        let spin = answers.clone().next().and(self.animation.due());
        let save = answers.filter(|(conversation, answer)| answer.has_unsaved(&conversation.tree));
        let save = save.map(|(_, answer)| answer.run.save_due()).min();
        [spin, save, self.composer.save_due, self.composer.count.due].into_iter().flatten().min()
    }

    pub(super) fn tick(&mut self, cx: &mut Cx) {
        self.list.sync(cx);
        self.animation.tick(cx.now);
        if self.composer.save_due.is_some_and(|due| due <= cx.now) {
            self.save_draft(cx);
        }
        if self.composer.count.due.is_some_and(|due| due <= cx.now) {
            self.ask_files(cx);
            self.ask_count(cx);
        }
        let ids: Vec<Id> = self
            .conversations
            .iter()
            .filter(|(_, conversation)| conversation.answer.is_some())
            .map(|(id, _)| *id)
            .collect();
        for id in ids {
            self.save_answer(id, cx);
        }
    }
}
