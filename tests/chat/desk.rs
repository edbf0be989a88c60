//! The Chat tab on a desk of its own: events in, effects out, its picture as text.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use benchtop::api::call::{Call, Failure, FailureKind, Progress, Reply, Ticket};
use benchtop::api::chat::{ChatChunk, ChatChunkChoice, ChatDelta, ChatRequest};
use benchtop::component::{Component, Cx, Effect, RenderContext, Response, Session};
use benchtop::record::work::{Done, Work};
use benchtop::record::{Conversation, Id, Mark, Marked, Query, Record, Rows, Stored, Token, Turn};
use benchtop::settings::ProfileId;
use benchtop::tabs::chat::Chat;
use benchtop::text::Untrusted;
use benchtop::tokens::{Prices, Tariff, encoding, estimate};
use benchtop::ui::theme::{Depth, Kind, Theme};
use crossterm::event::{KeyCode, KeyEvent};
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::layout::Rect;

pub struct Desk {
    /// Drafts of each conversation besides the one in the message box.
    pub drafts: Vec<String>,
    pub chat: Chat,
    pub session: Session,
    pub now: Instant,
    pub unix_ms: i64,
    pub tickets: u64,
    /// The turns on disk, as last kept.
    pub disk: Vec<Turn>,
    /// The conversations on disk, as last kept.
    pub conversations: HashMap<Id, Conversation>,
    /// The tokens on disk.
    pub tokens: HashMap<Id, Vec<Token>>,
    /// The marks on disk.
    pub marks: HashMap<Id, Mark>,
    /// So many marks are listed, whichever there are; 0: those on disk.
    pub many: usize,
    /// The settings on disk.
    pub settings: HashMap<String, Untrusted>,
}

/// The hosted service's prices for the profile in use.
fn hosted() -> Prices {
    let tariff = Tariff::new("https://api.openai.com/v1", &[], &[]);
    Prices::new([(ProfileId("work".to_owned()), tariff)], jiff::civil::Date::default())
}

impl Desk {
    pub fn new() -> Self {
        let session = Session {
            profile: ProfileId("work".to_owned()),
            profile_name: "work".into(),
            model: "gpt-3.5-turbo".into(),
            area: (80, 22),
            prices: hosted(),
            ..Session::default()
        };
        let mut desk = Self {
            drafts: Vec::new(),
            chat: Chat::new(),
            session,
            now: Instant::now(),
            unix_ms: 1_700_000_000_000,
            tickets: 0,
            disk: Vec::new(),
            conversations: HashMap::new(),
            tokens: HashMap::new(),
            marks: HashMap::new(),
            many: 0,
            settings: HashMap::new(),
        };
        desk.with(benchtop::tabs::Tab::enter);
        desk
    }

    pub fn with<R>(&mut self, act: impl FnOnce(&mut Chat, &mut Cx) -> R) -> Vec<Effect> {
        self.arrange();
        let mut effects = Vec::new();
        let mut cx = Cx::new(&self.session, self.now, self.unix_ms, &mut self.tickets, &mut effects);
        act(&mut self.chat, &mut cx);
        effects
    }

    /// Fits the tab to the screen, as the shell does before each event and frame.
    pub fn arrange(&mut self) {
        let (width, height) = self.session.area;
        self.chat.arrange(Rect::new(0, 0, width, height), &self.session, self.now);
    }

    pub fn key(&mut self, code: KeyCode) -> Vec<Effect> {
        self.with(|chat, cx| chat.key(KeyEvent::from(code), cx))
    }

    pub fn text(&mut self, text: &str) {
        for c in text.chars() {
            self.key(KeyCode::Char(c));
        }
    }

    /// Carries out every order to keep something; what that leads to.
    pub fn commit(&mut self, effects: &[Effect]) -> Vec<Effect> {
        for turn in turns(effects) {
            self.disk.retain(|kept| kept.id != turn.id);
            self.disk.push(turn);
        }
        for (_, record) in records(effects) {
            self.keep(record);
        }
        let orders = records(effects).map(|(ticket, _)| ticket).collect::<Vec<_>>();
        orders
            .into_iter()
            .flat_map(|ticket| self.with(|chat, cx| chat.reply(ticket, &mut Response::Store(Stored::Committed), cx)))
            .collect()
    }

    fn keep(&mut self, record: &Record) {
        match record {
            Record::Batch(all) => all.iter().for_each(|record| self.keep(record)),
            Record::Conversation(kept) => drop(self.conversations.insert(kept.id, (**kept).clone())),
            Record::Tokens { of, at, tokens } => {
                let kept = self.tokens.entry(*of).or_default();
                assert_eq!(*at, kept.len() as u64, "none twice, none left out");
                kept.extend(tokens.iter().cloned());
            }
            Record::Mark(mark) => drop(self.marks.insert(mark.turn, (**mark).clone())),
            Record::MarkGone(turn) => drop(self.marks.remove(turn)),
            Record::Setting(name, value) => drop(self.settings.insert(name.clone(), value.clone())),
            Record::Draft { conversation, text } => {
                if let Some(kept) = self.conversations.get_mut(conversation) {
                    kept.draft.clone_from(text);
                }
            }
            Record::Trashed { conversation, at_ms } => {
                if let Some(kept) = self.conversations.get_mut(conversation) {
                    kept.trashed_ms = *at_ms;
                }
            }
            _ => {}
        }
    }

    /// Answers what is asked of the store, and what that leads to.
    pub fn look_up(&mut self, effects: &[Effect]) {
        let next = self.look_up_once(effects);
        if !next.is_empty() {
            self.look_up(&next);
        }
    }

    /// Answers what is asked of the store; what that leads to.
    fn look_up_once(&mut self, effects: &[Effect]) -> Vec<Effect> {
        let mut all = Vec::new();
        for effect in effects {
            let Effect::Load(ticket, query) = effect else { continue };
            let rows = match query {
                Query::Conversation(id) => Rows::Conversation(self.conversations.get(id).cloned().map(Box::new)),
                Query::Outline(id) => {
                    let of = self.disk.iter().filter(|turn| turn.conversation == *id);
                    Rows::Outline(*id, of.map(|turn| (turn.id, turn.parent)).collect())
                }
                Query::Turns(ids) => {
                    Rows::Turns(self.disk.iter().filter(|turn| ids.contains(&turn.id)).cloned().collect())
                }
                Query::MarksOf(id) => {
                    let of = self.disk.iter().filter(|turn| turn.conversation == *id);
                    Rows::Marks(*id, of.filter_map(|turn| self.marks.get(&turn.id).cloned()).collect())
                }
                Query::Drafts(id) => Rows::Drafts(*id, self.drafts.clone()),
                Query::Marks => Rows::Marked(self.marked()),
                Query::Setting(name) => Rows::Setting(name.clone(), self.settings.get(name).cloned()),
                Query::Tokens(ids) => {
                    let kept = |id: &Id| Some((*id, self.tokens.get(id)?.clone()));
                    Rows::Tokens(ids.iter().filter_map(kept).collect())
                }
                _ => continue,
            };
            all.extend(self.with(|chat, cx| chat.reply(*ticket, &mut Response::Store(Stored::Rows(rows)), cx)));
        }
        all
    }

    /// All marked turns, the last one first.
    fn marked(&self) -> Vec<Marked> {
        let marked = |turn: &Turn| {
            Some(Marked {
                mark: self.marks.get(&turn.id)?.clone(),
                conversation: turn.conversation,
                title: self.conversations[&turn.conversation].title.clone(),
                trashed: false,
                model: turn.model.clone(),
                asked: self.disk.iter().find(|asked| Some(asked.id) == turn.parent)?.content.clone(),
                text: turn.content.clone(),
            })
        };
        let mut all: Vec<Marked> = self.disk.iter().filter_map(marked).collect();
        all.sort_by_key(|marked| std::cmp::Reverse(marked.mark.turn));
        if let Some(one) = all.first().filter(|_| self.many > 0) {
            let like = |n: usize| Marked { text: format!("answer 9,{n}").into(), ..one.clone() };
            return (0..self.many).map(like).collect();
        }
        all
    }

    /// Carries an export through the store; what is to be written, and the order's ticket.
    pub fn saved(&mut self, effects: &[Effect]) -> (Ticket, String) {
        let mut effects = effects.to_vec();
        for _ in 0..100 {
            if let Some(found) = crate::marks::work(&effects) {
                return found;
            }
            effects = self.look_up_once(&effects);
        }
        panic!("nothing is written")
    }

    /// The program ends and begins again, with what is on disk.
    pub fn restart(&mut self) {
        self.chat = Chat::new();
        let asked = self.with(benchtop::tabs::Tab::enter);
        self.look_up(&asked);
        self.picture(120, 34);
    }

    /// Sends a prompt; the call it became.
    pub fn ask(&mut self, prompt: &str) -> Ticket {
        self.text(prompt);
        let kept = self.key(KeyCode::Enter);
        let sent = self.commit(&kept);
        let sent = if call(&sent).is_none() { self.count(&sent) } else { sent };
        let ticket = call(&sent).expect("a kept prompt is sent").0;
        self.commit(&sent);
        ticket
    }

    /// Counts tokens where it was asked for; what that leads to.
    pub fn count(&mut self, effects: &[Effect]) -> Vec<Effect> {
        let orders = effects.iter().filter_map(|effect| match effect {
            Effect::Work(ticket, work) => Some((*ticket, counts(work)?)),
            _ => None,
        });
        let orders: Vec<_> = orders.collect();
        orders
            .into_iter()
            .flat_map(|(ticket, done)| self.with(|chat, cx| chat.reply(ticket, &mut Response::Work(done), cx)))
            .collect()
    }

    pub fn progress(&mut self, ticket: Ticket, progress: Progress) -> Vec<Effect> {
        self.with(|chat, cx| chat.reply(ticket, &mut Response::Call(progress), cx))
    }

    pub fn draft(&self) -> String {
        self.chat.editable().unwrap_or_default()
    }

    pub fn picture(&mut self, width: u16, height: u16) -> String {
        self.session.area = (width, height);
        self.arrange();
        let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
        let theme = Theme::of(Kind::Mono, Depth::Indexed);
        let (chat, session, now) = (&self.chat, &self.session, self.now);
        terminal.draw(|frame| chat.render(frame, frame.area(), RenderContext { session, theme: &theme, now })).unwrap();
        let cells = terminal.backend().buffer().content();
        let rows = cells
            .chunks(usize::from(width))
            .map(|row| row.iter().map(ratatui::buffer::Cell::symbol).collect::<String>().trim_end().to_owned());
        // What the clock shows depends on where the test runs; its width does not.
        let at = jiff::Timestamp::from_millisecond(self.unix_ms).unwrap().to_zoned(jiff::tz::TimeZone::system());
        rows.collect::<Vec<_>>().join("\n").replace(&at.strftime("%H:%M").to_string(), "hh:mm")
    }
}

/// A count by the real vocabularies; `None`: other work.
pub fn counts(work: &Work) -> Option<Done> {
    let Work::Count { model, local, texts } = work else { return None };
    let encoding = encoding(&model.line(), *local);
    let count = |text: &Untrusted| encoding.map_or_else(|| estimate(text.raw()), |encoding| encoding.count(text.raw()));
    Some(Done::Counted(encoding.is_some(), texts.iter().map(|text| count(text) as u32).collect()))
}

pub fn records(effects: &[Effect]) -> impl Iterator<Item = (Ticket, &Record)> {
    effects.iter().filter_map(|effect| match effect {
        Effect::Record(ticket, record) | Effect::Save(ticket, record) => Some((*ticket, record)),
        _ => None,
    })
}

pub fn call(effects: &[Effect]) -> Option<(Ticket, &ChatRequest)> {
    effects.iter().find_map(|effect| match effect {
        Effect::Call(ticket, _, Call::Chat(request)) => Some((*ticket, &**request)),
        _ => None,
    })
}

/// All turns kept by some effects.
pub fn turns(effects: &[Effect]) -> Vec<Turn> {
    pub fn collect(record: &Record, into: &mut Vec<Turn>) {
        match record {
            Record::Turn(turn) => into.push((**turn).clone()),
            Record::Batch(records) => records.iter().for_each(|record| collect(record, into)),
            _ => {}
        }
    }
    let mut found = Vec::new();
    records(effects).for_each(|(_, record)| collect(record, &mut found));
    found
}

pub fn chunk(text: &str) -> Progress {
    let delta = ChatDelta { content: Some(text.to_owned()), ..ChatDelta::default() };
    let choice = ChatChunkChoice { delta, ..ChatChunkChoice::default() };
    Progress::Reply(Reply::ChatChunk(ChatChunk { choices: vec![choice], ..ChatChunk::default() }))
}

pub fn failure(sentence: &str, status: Option<u16>) -> Failure {
    Failure { status, ..Failure::new(FailureKind::RateLimit, sentence) }
}

pub fn retrying(desk: &Desk) -> Progress {
    let why = failure("rate limit: the server asks to wait 12 s", Some(429));
    Progress::Retrying { attempt: 2, of: 3, at: desk.now + Duration::from_secs(9), why }
}

/// A part of one choice's answer.
pub fn part(index: u32, text: &str, reasoning: &str) -> Progress {
    let some = |text: &str| (!text.is_empty()).then(|| text.to_owned());
    let delta = ChatDelta { content: some(text), reasoning_content: some(reasoning), ..ChatDelta::default() };
    let choice = ChatChunkChoice { index, delta, ..ChatChunkChoice::default() };
    Progress::Reply(Reply::ChatChunk(ChatChunk { choices: vec![choice], ..ChatChunk::default() }))
}
