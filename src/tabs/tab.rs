//! The seam between a tab and the shell: [`Tab`], what it sees ([`Cx`]) and what it may ask for ([`Effect`]).

use std::time::Instant;

use crossterm::event::{KeyEvent, MouseEvent};
use ratatui::{Frame, layout::Rect};

use super::session::Session;
use crate::api::call::{Call, Progress, Ticket};
use crate::record::work::{Done, Work};
use crate::record::{Cost, Id, Query, Record, Run, Stored};
use crate::settings::ProfileId;
use crate::text::Untrusted;
use crate::ui::keys::Keymap;
use crate::ui::theme::Theme;

/// One screen of the workbench: a small state machine and its picture.
pub trait Tab {
    /// Name on the tab bar.
    fn title(&self) -> &'static str;
    /// The same where there is little room: at most five columns.
    fn short(&self) -> &'static str {
        self.title()
    }
    /// A key that is not the shell's.
    fn key(&mut self, key: KeyEvent, cx: &mut Cx);
    /// Something about a call this tab made.
    fn progress(&mut self, ticket: Ticket, progress: Progress, cx: &mut Cx);
    /// Fits the state to the area and to what has come, while the tab is in front: before each input and each frame. What a
    /// key does never depends on whether a frame was drawn.
    fn arrange(&mut self, _area: Rect, _session: &Session, _now: Instant) {}
    /// Draws the tab; never changes its state (a view's caches apart).
    fn render(&mut self, frame: &mut Frame, area: Rect, session: &Session, theme: &Theme, now: Instant);
    /// Keys for the footer, most important first; help is the shell's.
    fn hints(&self) -> Vec<Hint>;
    /// Every key of this tab by context, for the help page.
    fn help(&self) -> Vec<(&'static str, Vec<Hint>)> {
        Vec::new()
    }
    /// The store's answer.
    fn stored(&mut self, _ticket: Ticket, _stored: Stored, _cx: &mut Cx) {}
    /// The work threads' answer.
    fn worked(&mut self, _ticket: Ticket, _done: Done, _cx: &mut Cx) {}
    /// Entries for the palette.
    fn commands(&self) -> Vec<Command> {
        Vec::new()
    }
    /// Runs the palette entry with this id.
    fn command(&mut self, _id: &str, _cx: &mut Cx) {}
    /// Pasted text: newlines normalised, control characters other than tab and newline removed. It goes into what is
    /// being typed and nowhere else; text boxes make safe what they draw.
    fn paste(&mut self, _text: &str, _cx: &mut Cx) {}
    /// A mouse event inside the tab's area (absolute coordinates).
    fn mouse(&mut self, _event: MouseEvent, _cx: &mut Cx) {}
    /// When this tab next wants a [`Tab::tick`] (spinner, countdown, debounce); `None`: never, which costs nothing.
    fn due(&self) -> Option<Instant> {
        None
    }
    /// The moment asked for with [`Tab::due`] has come.
    fn tick(&mut self, _cx: &mut Cx) {}
    /// The program has begun, whichever tab is in front: what must not wait for the front is looked up.
    fn begin(&mut self, _cx: &mut Cx) {}
    /// Has come to the front; the first time it asks for its rows.
    fn enter(&mut self, _cx: &mut Cx) {}
    /// The list of models that was asked for has come, or has not: the session tells.
    fn models(&mut self, _cx: &mut Cx) {}
    /// Has come to the front by a key that is text where text is written (a digit, `[`, `]`): a text box gives the keys
    /// back, so that the next such key goes on to another tab. Nothing typed is lost; open boxes stay.
    fn browse(&mut self, _cx: &mut Cx) {}
    /// "Moderate this text": what this tab would do with the offer.
    fn takes(&self, _offer: &Offer) -> Option<&'static str> {
        None
    }
    /// Takes an offer.
    fn accept(&mut self, _offer: Offer, _cx: &mut Cx) {}
    /// What stands on the tab's name beside its title.
    fn badge(&self) -> Option<Badge> {
        None
    }
    /// What the next Esc does, for the footer; `None`: nothing.
    fn escape(&self) -> Option<&'static str> {
        None
    }
    /// Whether a dialog lies over the tab, which Esc closes before anything else.
    fn has_dialog(&self) -> bool {
        false
    }
    /// Whether letters are text and not shortcuts just now.
    fn typing(&self) -> bool {
        false
    }
    /// Tokens and cost of the tab's last run, for the footer's meter.
    fn meter(&self) -> Option<RunMeter> {
        None
    }
    /// What is being typed, to edit in `$EDITOR` when the user asks (F4); `None`: nothing to edit here.
    fn editable(&self) -> Option<String> {
        None
    }
    /// The text the editor left.
    fn edited(&mut self, _text: String, _cx: &mut Cx) {}
    /// The model this tab works with, where it keeps one of its own; `None`: the session's.
    fn model(&self, _session: &Session) -> Option<Untrusted> {
        None
    }
    /// Whether a model can do this tab's work, as far as its name tells: those that can are offered first.
    fn suits(&self, model: &Untrusted) -> bool {
        crate::tabs::session::chats(model)
    }
    /// A model was chosen while this tab is in front. Whether the tab keeps it to itself; else it is the session's.
    fn choose(&mut self, _model: &Untrusted, _cx: &mut Cx) -> bool {
        false
    }
    /// Ctrl+C: stops what runs here. Whether there was anything to stop.
    fn interrupt(&mut self, _cx: &mut Cx) -> bool {
        false
    }
    /// The program ends: keep what is not kept yet.
    fn parting(&mut self, _cx: &mut Cx) {}
    /// What must be said before quitting ("an upload runs"); `None`: quit freely.
    fn holds_quit(&self, _session: &Session) -> Option<String> {
        None
    }
}

/// What quitting is held up by while the disk does not take something: the store offers it once more at the end.
pub(super) fn unsaved(what: &str, why: &Untrusted, rescue: &str) -> String {
    format!(
        "{what} could not be saved: {}. Quitting tries once more; what is refused then would be lost; {rescue}.",
        why.line()
    )
}

/// Tokens and cost of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RunMeter {
    /// Sent.
    pub prompt_tokens: u64,
    /// Received.
    pub completion_tokens: u64,
    /// Whether counts are ours (`~`).
    pub estimated: bool,
    /// What it cost.
    pub cost: Cost,
    /// Texts that were looked at, where they count and not their tokens; 0: tokens count.
    pub texts: u64,
}

impl From<&Run> for RunMeter {
    fn from(run: &Run) -> Self {
        let Run { prompt_tokens, completion_tokens, estimated, cost_nano, .. } = *run;
        Self { prompt_tokens, completion_tokens, estimated, cost: cost_nano.into(), texts: 0 }
    }
}

/// What a tab sees and may ask for while it handles one event.
pub struct Cx<'a> {
    /// The workbench as it is.
    pub session: &'a Session,
    /// Monotonic now.
    pub now: Instant,
    /// Wall clock, Unix milliseconds.
    pub unix_ms: i64,
    tickets: &'a mut u64,
    effects: &'a mut Vec<Effect>,
}

impl<'a> Cx<'a> {
    /// A context that numbers tickets from `tickets` and collects into `effects`.
    pub fn new(
        session: &'a Session,
        now: Instant,
        unix_ms: i64,
        tickets: &'a mut u64,
        effects: &'a mut Vec<Effect>,
    ) -> Self {
        Self { session, now, unix_ms, tickets, effects }
    }

    /// A new ticket, never used before.
    fn ticket(&mut self) -> Ticket {
        *self.tickets += 1;
        Ticket(*self.tickets)
    }

    /// A new record id.
    pub fn id(&mut self) -> Id {
        let ticket = self.ticket();
        Id::fresh(self.unix_ms, ticket.0)
    }

    /// Asks the client to make a call to the session's profile.
    pub fn call(&mut self, call: Call) -> Ticket {
        self.call_to(self.session.profile.clone(), call)
    }

    /// Asks the client to make a call to a profile.
    pub fn call_to(&mut self, profile: ProfileId, call: Call) -> Ticket {
        let ticket = self.ticket();
        self.effects.push(Effect::Call(ticket, profile, call));
        ticket
    }

    /// Stops a call. Nothing more of it will arrive.
    pub fn cancel(&mut self, ticket: Ticket) {
        self.effects.push(Effect::Cancel(ticket));
    }

    /// Ends a retry's countdown: try now.
    pub fn hurry(&mut self, ticket: Ticket) {
        self.effects.push(Effect::Hurry(ticket));
    }

    /// Keeps something.
    pub fn record(&mut self, record: Record) -> Ticket {
        let ticket = self.ticket();
        self.effects.push(Effect::Record(ticket, record));
        ticket
    }

    /// Asks the store.
    pub fn load(&mut self, query: Query) -> Ticket {
        let ticket = self.ticket();
        self.effects.push(Effect::Load(ticket, query));
        ticket
    }

    /// Hands work to the work threads.
    pub fn work(&mut self, work: Work) -> Ticket {
        let ticket = self.ticket();
        self.effects.push(Effect::Work(ticket, work));
        ticket
    }

    /// Says something in passing.
    pub fn notify(&mut self, notice: Notice) {
        self.effects.push(Effect::Notify(notice));
    }

    /// Copies to the clipboard, byte for byte.
    pub fn copy(&mut self, text: Untrusted) {
        self.effects.push(Effect::Copy(text));
    }

    /// Any other effect.
    pub fn push(&mut self, effect: Effect) {
        self.effects.push(effect);
    }
}

/// What a tab wants done outside itself. Plain data.
#[derive(Clone, Debug, PartialEq)]
pub enum Effect {
    /// Make a call to a profile's server.
    Call(Ticket, ProfileId, Call),
    /// Stop it.
    Cancel(Ticket),
    /// Retry now instead of at the end of the countdown.
    Hurry(Ticket),
    /// Keep.
    Record(Ticket, Record),
    /// Look up.
    Load(Ticket, Query),
    /// Slow local work.
    Work(Ticket, Work),
    /// Hand something to whichever tab takes it.
    Offer(Offer),
    /// Say something.
    Notify(Notice),
    /// Take off what was said about something: it is solved.
    Settle(&'static str),
    /// Put on the clipboard.
    Copy(Untrusted),
    /// Put a call to a profile's server on the clipboard, as a `curl` command that names the key's variable.
    CopyCurl(ProfileId, Call),
    /// Open `$VISUAL`/`$EDITOR` on [`Tab::editable`].
    Edit,
    /// Choose a model from the list (the shell's overlay).
    ChooseModel,
    /// Fetch the list of models, unless it is being fetched; then [`Tab::models`].
    AskModels,
    /// Use this model from now on with this profile.
    SetModel(Untrusted),
    /// Quit.
    Quit,
}

/// Something one tab hands to whichever tab can use it. No tab names another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Offer {
    /// A text.
    Text(Untrusted),
    /// Several texts, each with its name (may be empty).
    Texts(Vec<(Untrusted, Untrusted)>),
    /// A conversation: its title, and of each turn who speaks and what.
    Conversation(Untrusted, Vec<(Untrusted, Untrusted)>),
    /// A model's id.
    Model(Untrusted),
    /// A local file, by its path: to be looked at, checked, uploaded.
    Local(Untrusted),
    /// A stored file to train with: the profile whose server has it, its id, its name, and what is known of its classes
    /// (empty: nothing, or it is no classification).
    Training(Box<Training>),
    /// Models to be tried on the same prompt: the tuned one first, its base after it.
    Compare(Box<Trial>),
}

/// A stored file to train with.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Training {
    /// Whose server has it.
    pub profile: ProfileId,
    /// `file-…`
    pub id: Untrusted,
    /// Its name.
    pub name: Untrusted,
    /// The file to validate with that was made beside it: id, name.
    pub validation: Option<(Untrusted, Untrusted)>,
    /// Rows; 0: not known.
    pub rows: u64,
    /// Tokens of one pass; 0: not known.
    pub tokens: u64,
    /// Its classes, most frequent first, not all where they are many; empty: none, or not known.
    pub classes: Vec<Untrusted>,
    /// How many classes it has; 0: none, or not known.
    pub class_count: u64,
}

/// Models to be tried on the same prompt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trial {
    /// Whose server has them.
    pub profile: ProfileId,
    /// The tuned one first, its base after it.
    pub models: Vec<Untrusted>,
    /// A prompt to begin with, where none is there.
    pub prompt: Untrusted,
    /// Where an answer ends, as the training file has it; empty: not known.
    pub stop: Vec<String>,
    /// Whether they were trained on messages, for Chat; else on prompts, for Complete.
    pub chat: bool,
}

/// A key and what it does, for footer and help.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hint {
    /// As shown: `⏎`, `^J`, `esc`.
    pub key: String,
    /// A word or two.
    pub does: String,
}

impl Hint {
    /// A hint.
    pub fn new(key: impl Into<String>, does: impl Into<String>) -> Self {
        Self { key: key.into(), does: does.into() }
    }

    /// A table of keys, all its lines in their order.
    pub fn table<A: Copy + PartialEq>(map: &Keymap<A>) -> Vec<Self> {
        map.bindings().iter().map(|binding| Self::new(binding.keys(), binding.does)).collect()
    }
}

/// A palette entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Command {
    /// For [`Tab::command`].
    pub id: &'static str,
    /// Sentence case.
    pub title: String,
    /// The key that does it too; empty: none.
    pub key: String,
    /// Why it cannot be done now; `None`: it can.
    pub disabled: Option<String>,
    /// Other words it is found by: small letters, parted by blanks.
    pub keywords: &'static str,
}

/// Returns the keywords of the command with this id from a tab's table of them; empty: it has none.
pub fn keywords(table: &[(&str, &'static str)], id: &str) -> &'static str {
    table.iter().find(|(known, _)| *known == id).map_or("", |(_, words)| words)
}

/// What a tab's name carries.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Badge {
    /// Something streams; the shell draws its spinner.
    Busy,
    /// A count or share: `●2`, `↑42%`.
    Text(String),
    /// Something failed unseen.
    Failed,
}

/// Something said in passing (a toast, and a line in Messages).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notice {
    /// How serious.
    pub level: Level,
    /// A sentence; may hold text from outside.
    pub text: Untrusted,
    /// What it is about; `None`: nothing that another notice could be about.
    pub about: Option<String>,
}

impl Notice {
    fn new(level: Level, text: Untrusted) -> Self {
        Self { level, text, about: None }
    }
    /// How something is done.
    pub fn hint(text: impl Into<Untrusted>) -> Self {
        Self::new(Level::Hint, text.into())
    }
    /// All is well.
    pub fn ok(text: impl Into<Untrusted>) -> Self {
        Self::new(Level::Ok, text.into())
    }
    /// Worth knowing.
    pub fn warn(text: impl Into<Untrusted>) -> Self {
        Self::new(Level::Warn, text.into())
    }
    /// Went wrong.
    pub fn error(text: impl Into<Untrusted>) -> Self {
        Self::new(Level::Error, text.into())
    }
    /// What it is about, in a word of the caller's own: a later notice about the same takes its place on the screen.
    #[must_use]
    pub fn about(self, subject: impl Into<String>) -> Self {
        Self { about: Some(subject.into()), ..self }
    }
}

/// How serious a notice is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// `·`
    Hint,
    /// `✓`
    Ok,
    /// `!`
    Warn,
    /// `✕`
    Error,
}
