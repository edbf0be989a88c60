//! The Chat tab's state: its parts, and what concerns several of them.

use std::time::Instant;

pub(super) use super::chat_pane::ChatPane;
use super::comparison_view::Compared;
use super::composer::Composer;
use super::conversation::OpenConversation;
use super::conversations::Conversations;
use super::dialogs::DialogAnswer;
use super::layout::{ChatLayout, params_cover};
use super::marks::Marks;
use super::params;
use super::params_panel::ParamsPanel;
use super::probabilities::ProbabilitiesPane;
use super::responders::{Comparison, Comparisons};
use super::undo::UndoList;
use super::view_requests::{ViewRequests, ViewedParts};
use crate::component::{Animation, ComparisonOffer, Component, Cx, FindBar, Modals, Notice, Pending, Session};
use crate::record::work::Work;
use crate::record::{ChatParams, Id};
use crate::tabs::generation::params::take_defaults;
use crate::tabs::tab::RunMeter;
use crate::text::Untrusted;

/// What a ticket of work is for.
#[derive(Clone, Debug)]
pub(super) enum Request {
    /// The path that was typed, and the text for it.
    SaveFile(String, Untrusted),
    /// Rows to learn from that are written to a file, and what is said of them.
    Rows(String),
    /// The paths that go on as this word of the message does, which begins with an `@`.
    Paths(String),
}

#[derive(Debug)]
pub(super) struct State {
    pub(super) conversations: Conversations,
    pub(super) focus: ChatPane,
    pub(super) modals: Modals<DialogAnswer>,
    pub(super) marks: Marks,
    pub(super) probabilities: ProbabilitiesPane,
    pub(super) composer: Composer,
    pub(super) params: ParamsPanel,
    pub(super) find: FindBar,
    pub(super) undos: UndoList,
    pub(super) animation: Animation,
    /// The conversation that goes to another tab when all of it is here.
    pub(super) offering: Option<Id>,
    pub(super) comparisons: Comparisons,
    pub(super) pending: Pending<Request>,
    /// Figures of the last run.
    pub(super) last_meter: Option<RunMeter>,
    pub(super) view_requests: ViewRequests,
    /// What was shown when the tab first came to the front.
    start: TabStart,
}

/// Whether the tab was in front, and what was open before it took what the last run left.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum TabStart {
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
        Self {
            conversations: Conversations::new(),
            focus: ChatPane::Composer,
            modals: Modals::default(),
            marks: Marks::default(),
            probabilities: ProbabilitiesPane::default(),
            composer: Composer::new(),
            params: ParamsPanel::new(&ChatParams::default()),
            find: FindBar::default(),
            undos: UndoList::default(),
            animation: Animation::default(),
            offering: None,
            comparisons: Comparisons::default(),
            pending: Pending::default(),
            last_meter: None,
            view_requests: ViewRequests::default(),
            start: TabStart::default(),
        }
    }

    pub(super) fn conversation(&self) -> &OpenConversation {
        self.conversations.current()
    }

    pub(super) fn conversation_mut(&mut self) -> &mut OpenConversation {
        self.conversations.current_mut()
    }

    /// Comes to the front; the first time it asks for what is on disk.
    pub(super) fn enter(&mut self, cx: &mut Cx) {
        self.conversations.list.sync(cx);
        if self.start != TabStart::Hidden {
            return;
        }
        self.start = TabStart::Entered;
        self.animation.start(cx.now);
        self.animation.set_motion(cx.session.motion);
        self.composer.enter_newline = cx.session.enter.inserts_newline;
        self.conversations.begin(cx);
        self.conversations.load_list(cx);
        self.conversations.load_last(cx);
    }

    /// Returns whether the user has begun nothing yet.
    pub(super) fn is_untouched(&self) -> bool {
        let begun = self.start == TabStart::AskedNew || self.conversation().is_begun() || self.conversation().is_busy();
        !begun && self.composer.editor.is_empty() && !self.is_covered()
    }

    /// Returns whether Enter takes an example into the message box: nothing was said or written here.
    pub(super) fn offers_examples(&self) -> bool {
        self.composer.editor.is_empty() && self.conversation().is_blank()
    }

    /// Returns whether something lies over the panes or is typed in one, and takes the keys.
    pub(super) fn is_covered(&self) -> bool {
        self.modals.is_open() || self.is_finding() || self.marks.page.is_some()
    }

    /// Returns whether words to find or to filter by are typed.
    pub(super) fn is_finding(&self) -> bool {
        self.find.is_typing() || self.conversations.list.typing()
    }

    /// Returns whether several models answer in the conversation that is open.
    pub(super) fn is_comparison(&self) -> bool {
        self.comparisons.get(self.conversations.open).is_some()
    }

    /// Returns the open conversation with who answers in it, for its versions side by side.
    pub(super) fn compared(&self) -> Compared<'_> {
        Compared { conversation: self.conversation(), responders: self.comparisons.get(self.conversations.open) }
    }

    /// Returns the parts that the messages on the screen are made of.
    pub(super) fn viewed(&mut self) -> ViewedParts<'_> {
        let conversation = self.conversations.current();
        let responders = self.comparisons.get(self.conversations.open);
        ViewedParts {
            compared: Compared { conversation, responders },
            marks: &self.marks,
            focus: self.focus,
            requests: &mut self.view_requests,
            find: &mut self.find,
        }
    }

    /// Opens a conversation; the one left continues to stream.
    pub(super) fn open(&mut self, id: Id, cx: &mut Cx) {
        if id == self.conversations.open {
            self.conversations.list.drawer = false;
            return;
        }
        self.save_draft(cx);
        if self.conversations.fetch(id, cx) {
            self.show(id, cx);
        }
    }

    /// Opens a conversation of the list; one that was found by the filter's words where they stand.
    pub(super) fn open_row(&mut self, id: Id, cx: &mut Cx) {
        let list = &self.conversations.list;
        let words = Untrusted::from(list.filter.text()).line().into_owned();
        match list.items.match_in(id) {
            Some(turn) => {
                self.open_at(id, turn, cx);
                self.view_requests.seek = Some(words);
            }
            None => {
                self.open(id, cx);
                self.focus = ChatPane::Composer;
            }
        }
    }

    /// Opens a conversation at a turn of it.
    pub(super) fn open_at(&mut self, conversation: Id, turn: Id, cx: &mut Cx) {
        self.focus = ChatPane::Transcript;
        self.view_requests.goal = Some((conversation, turn));
        self.open(conversation, cx);
        self.reach_goal(cx);
    }

    /// Shows the branch with the turn that is to be looked at, and selects it, once the conversation is here.
    pub(super) fn reach_goal(&mut self, cx: &mut Cx) {
        let conversation = self.conversations.current_mut();
        let here = |(id, _): &mut (Id, Id)| *id == conversation.record.id && conversation.loaded;
        let Some((_, turn)) = self.view_requests.goal.take_if(here) else { return };
        if conversation.tree.contains(turn) {
            let leaf = conversation.tree.latest_leaf(turn);
            conversation.go_to(Some(leaf));
            self.view_requests.turn = Some(turn);
            self.conversations.load_all(cx);
        }
    }

    /// Makes a conversation the open one, its draft the composer's text.
    pub(super) fn show(&mut self, id: Id, cx: &mut Cx) {
        let left = self.conversations.show(id, cx);
        self.composer.show(left, self.conversations.current(), cx.now);
        self.find.clear();
        self.view_requests.to_top = false;
        self.offering = None;
        self.params.show(&self.conversations.current().record.params);
    }

    /// Opens a new, empty conversation.
    pub(super) fn new_conversation(&mut self, cx: &mut Cx) {
        self.start = TabStart::AskedNew;
        self.save_draft(cx);
        if self.conversation().is_begun() {
            let id = self.conversations.add_blank(cx);
            self.show(id, cx);
        }
        self.focus = ChatPane::Composer;
        self.conversations.list.drawer = false;
    }

    /// Begins a conversation in which these models answer each message, at temperature 0 and with their own end of an
    /// answer. The prompt waits in the message box: nothing is sent before somebody sends it.
    pub(super) fn begin_comparison(&mut self, trial: ComparisonOffer, cx: &mut Cx) {
        let mut prompt = trial.prompt.clone();
        if prompt.is_empty() && self.composer.editing.is_none() {
            prompt = self.composer.editor.text().into();
        }
        self.new_conversation(cx);
        // The defaults of the model in use are not taken: it may not be one of these models.
        let params = Comparison::params(trial.stop);
        self.params.show(&params);
        self.conversation_mut().record.params = params;
        self.comparisons.begin(self.conversations.open, &trial.profile, trial.models);
        if !prompt.is_empty() {
            self.composer.editor.edit(&prompt);
            self.composer.changed(cx.now);
        }
        cx.notify(Notice::info("both models answer each message; < > chooses the answer to continue from"));
    }

    /// Gives the open conversation the defaults of the model in use, where nothing was said in it and no parameter was
    /// set.
    pub(super) fn fill_defaults(&mut self, session: &Session) {
        if !self.conversation().is_blank() || self.is_comparison() {
            return;
        }
        let defaults = params::defaults(session.defaults(&session.profile, &session.model));
        let conversation = self.conversations.current_mut();
        if take_defaults(&mut conversation.record.params, &mut conversation.defaults, defaults.clone()) {
            self.params.show(&defaults);
        }
    }

    /// Returns the parameter that the editor is opened for, with its text: the one under the cursor, if it is JSON.
    pub(super) fn editable_field(&self) -> Option<(&'static str, String)> {
        if self.focus == ChatPane::Params { self.params.editable() } else { None }
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

    /// Keeps what is being written.
    pub(super) fn save_draft(&mut self, cx: &mut Cx) {
        let (text, is_system_changed) = self.composer.draft_to_save();
        self.conversations.save_draft(text, is_system_changed, cx);
    }

    /// Puts the next of the other drafts into the message box.
    pub(super) fn next_draft(&mut self, cx: &mut Cx) {
        if !self.conversation().loaded {
            return cx.notify(Notice::info("this conversation is still being read; try again in a moment"));
        }
        if self.conversation().drafts.is_empty() {
            return cx.notify(Notice::info("there is no other draft in this conversation"));
        }
        // The draft in the box, as it is now.
        self.save_draft(cx);
        self.composer.replace(&self.conversations.next_draft(cx), cx.now);
    }

    /// Takes the keys away from a pane that is not on the screen.
    pub(super) fn focus_visible_pane(&mut self, area: (u16, u16)) {
        let list = &mut self.conversations.list;
        if self.focus == ChatPane::List && !list.is_shown(area) {
            self.focus = ChatPane::Transcript;
        }
        if self.focus != ChatPane::List {
            list.filter.stop_typing();
        }
        self.probabilities.close_if_gone(self.conversations.current());
        if self.focus == ChatPane::Probabilities && !self.probabilities.is_open() {
            self.focus = ChatPane::Transcript;
        }
        if self.params.is_open() && params_cover(&self.conversations.list, area) {
            self.focus = ChatPane::Params;
        }
    }

    /// Fits the panes besides the messages to their places.
    pub(super) fn arrange_panes(&mut self, layout: &ChatLayout, session: &Session, now: Instant) {
        let (covered, spacing) = (self.is_covered(), session.spacing());
        self.composer.editor.arrange(layout.text);
        let params_focus = self.focus == ChatPane::Params && !covered;
        self.params.form.arrange(spacing.pane(layout.params).content, spacing, params_focus);
        // A failure of the open conversation has been seen.
        self.conversations.list.unseen.remove(&self.conversations.open);
        self.conversations.update_list(self.focus == ChatPane::List, covered, self.animation);
        self.conversations.list.arrange(layout.list, session, now);
    }

    /// Returns when something here wants to move or be kept.
    pub(super) fn due(&self) -> Option<Instant> {
        let in_memory = self.conversations.in_memory.values();
        let answers = in_memory.filter_map(|conversation| Some((conversation, conversation.answer.as_ref()?)));
        let spin = answers.clone().next().and(self.animation.due());
        let save = answers.filter(|(conversation, answer)| answer.has_unsaved(&conversation.tree));
        let save = save.map(|(_, answer)| answer.run.save_due()).min();
        [spin, save, self.composer.save_due, self.composer.count.due].into_iter().flatten().min()
    }

    pub(super) fn tick(&mut self, cx: &mut Cx) {
        self.conversations.list.sync(cx);
        self.animation.tick(cx.now);
        if self.composer.save_due.is_some_and(|due| due <= cx.now) {
            self.save_draft(cx);
        }
        if self.composer.count.due.is_some_and(|due| due <= cx.now) {
            let conversation = self.conversations.current_mut();
            self.composer.read_files(conversation, cx);
            self.composer.count_request(conversation, cx);
        }
        for id in self.conversations.answering() {
            self.conversations.save_answer(id, cx);
        }
    }
}
