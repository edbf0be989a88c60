//! The shell with its own tabs, Chat in front; the store says yes to everything and has nothing.

use std::sync::Arc;
use std::time::Instant;

use benchtop::api::call::{Call, Failure, Progress, Ticket};
use benchtop::app::{App, Effect, Event, Profile, Start};
use benchtop::component::Session;
use benchtop::record::{Query, Rows, Stored, VectorTable};
use benchtop::settings::ProfileId;
use benchtop::tabs::{self};
use benchtop::ui::theme::{Depth, Kind, Theme};
use crossterm::event::{KeyCode, KeyModifiers};
use ratatui::Terminal;
use ratatui::backend::TestBackend;

use crate::desk::{APART, events, key};

/// A workbench on a screen of a size.
pub struct Real {
    pub app: App,
    size: (u16, u16),
    now: Instant,
    /// What the start asked for, the store left out.
    pub started: Vec<Effect>,
}

impl Real {
    pub fn new(width: u16, height: u16) -> Self {
        Self::with(width, height, |_| {})
    }

    /// A workbench whose session is changed before it starts.
    pub fn with(width: u16, height: u16, change: impl FnOnce(&mut Session)) -> Self {
        let profile = ProfileId("work".into());
        let mut session = Session {
            profile: profile.clone(),
            profile_name: "work".into(),
            model: "gpt-4".into(),
            ..Session::default()
        };
        change(&mut session);
        let start = Start {
            tabs: tabs::all(),
            theme: Theme::of(Kind::Mono, Depth::Indexed),
            depth: Depth::Indexed,
            session,
            profiles: vec![Profile { id: profile, name: "work".into(), ..Profile::default() }],
            mouse: true,
            warnings: Vec::new(),
        };
        let now = Instant::now();
        let mut real = Self { app: App::new(start, now, 0), size: (width, height), now, started: Vec::new() };
        real.started = real.event(Event::Started);
        real
    }

    /// Presses keys as [`events`] reads them; what they lead to, what the store was asked left out.
    pub fn press(&mut self, keys: &str) -> Vec<Effect> {
        events(keys).into_iter().flat_map(|event| self.event(event)).collect()
    }

    pub fn code(&mut self, code: KeyCode) -> Vec<Effect> {
        self.event(key(code, KeyModifiers::NONE))
    }

    pub fn event(&mut self, event: Event) -> Vec<Effect> {
        self.app.resize(self.size.0, self.size.1);
        self.now += APART;
        let effects = self.app.update(event, self.now, 0);
        self.keep(effects)
    }

    /// Sends a prompt; its call.
    pub fn ask(&mut self, prompt: &str) -> Ticket {
        let effects = self.press(&format!("{prompt}\n"));
        let call = |effect: &Effect| match effect {
            Effect::Call(ticket, _, Call::Chat(_)) => Some(*ticket),
            _ => None,
        };
        effects.iter().find_map(call).expect("the prompt is sent")
    }

    pub fn progress(&mut self, ticket: Ticket, progress: Progress) {
        let effects = self.app.update(Event::Progress(ticket, progress), self.now, 0);
        self.keep(effects);
    }

    pub fn fail(&mut self, ticket: Ticket, why: Failure) {
        self.progress(ticket, Progress::Closed(Err(why)));
    }

    /// The terminal has another size from here on.
    pub fn resize(&mut self, size: (u16, u16)) {
        self.size = size;
    }

    /// The screen's rows.
    pub fn lines(&mut self) -> Vec<String> {
        let mut terminal = Terminal::new(TestBackend::new(self.size.0, self.size.1)).unwrap();
        terminal.draw(|frame| self.app.render(frame, self.now)).unwrap();
        let cells = terminal.backend().buffer().content();
        let row = |row: &[ratatui::buffer::Cell]| row.iter().map(ratatui::buffer::Cell::symbol).collect::<String>();
        cells.chunks(usize::from(self.size.0)).map(row).collect()
    }

    pub fn screen(&mut self) -> String {
        self.lines().join("\n")
    }

    /// The last row.
    pub fn footer(&mut self) -> String {
        self.lines().pop().unwrap_or_default()
    }

    /// Answers for the store; the other effects.
    pub fn keep(&mut self, effects: Vec<Effect>) -> Vec<Effect> {
        let mut others = Vec::new();
        for effect in effects {
            let (ticket, stored) = match effect {
                Effect::Record(ticket, _) | Effect::Save(ticket, _) => (ticket, Stored::Committed),
                Effect::Load(ticket, query) => (ticket, Stored::Rows(nothing(query))),
                other => {
                    others.push(other);
                    continue;
                }
            };
            let next = self.app.update(Event::Stored(ticket, stored), self.now, 0);
            others.extend(self.keep(next));
        }
        others
    }
}

fn nothing(query: Query) -> Rows {
    match query {
        Query::Heads => Rows::Heads(Vec::new()),
        Query::Conversation(_) => Rows::Conversation(None),
        Query::Outline(id) => Rows::Outline(id, Vec::new()),
        Query::Drafts(id) => Rows::Drafts(id, Vec::new()),
        Query::Turns(_) => Rows::Turns(Vec::new()),
        Query::Search(_) => Rows::Found(Vec::new()),
        Query::Setting(name) => Rows::Setting(name, None),
        Query::Spent { .. } => Rows::Spent(None),
        Query::Sheet(_) => Rows::Sheet(None),
        Query::Runs(_) => Rows::Runs(Vec::new()),
        Query::Presets => Rows::Presets(Vec::new()),
        Query::Tokens(_) => Rows::Tokens(Vec::new()),
        Query::TextLists(_) => Rows::TextLists(Vec::new()),
        Query::Texts(_) => Rows::Texts(None),
        Query::ListChecks(_) | Query::Checks(_) => Rows::Checks(Vec::new()),
        Query::HasVectors { texts, .. } => Rows::HasVectors(vec![false; texts.len()]),
        Query::Vectors { texts, .. } => Rows::Vectors(Arc::new(VectorTable::new(texts.len()))),
        Query::Answers(_) => Rows::Answers(Vec::new()),
        Query::Marks => Rows::Marked(Vec::new()),
        Query::MarksOf(conversation) => Rows::Marks(conversation, Vec::new()),
    }
}
