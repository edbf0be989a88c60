//! The workbench with Complete in front: counts by the real vocabularies, and a server whose answers the test makes up.

use std::rc::Rc;

use benchtop::api::call::{Call, Progress, Ticket};
use benchtop::api::completion::{CompletionRequest, Prompt};
use benchtop::app::Effect;
use benchtop::component::Session;
use benchtop::record::work::{Done, Tokens, Work};
use benchtop::record::{Id, Preset, Query, Rows, Run, Sheet, Step, Token};
use benchtop::settings::ProfileId;
use benchtop::tabs::{self};
use benchtop::text::Untrusted;
use benchtop::tokens::encoding;
use crossterm::event::KeyCode;

pub use crate::kit::{Disk, Writes, records};
use crate::kit::{Driver, Setup, Tab};

pub const MODEL: &str = "text-davinci-003";

pub type Desk = Driver<Complete>;

#[derive(Default)]
pub struct Complete {
    /// Whether counts and tokenizers wait for [`Driver::release`].
    pub slow_work: bool,
}

impl Tab for Complete {
    fn digit(&self) -> Option<char> {
        Some('2')
    }

    fn work(&mut self, _: Ticket, work: Work) -> Done {
        match work {
            Work::Tokenize { model, local, text } => Done::Tokens(encoding(&model.line(), local).map(|encoding| {
                let ids = encoding.encode(text.raw());
                let ends = encoding.ends(&ids).unwrap();
                Tokens { vocabulary: encoding.name(), ids, ends }
            })),
            Work::Count { model, local, texts } => {
                let encoding = encoding(&model.line(), local);
                let count = |text: &Untrusted| encoding.map_or(0, |encoding| encoding.count(text.raw()) as u32);
                Done::Counted(encoding.is_some(), texts.iter().map(count).collect())
            }
            Work::Spell { model, local, ids } => {
                let spell = |id: &u32| encoding(&model.line(), local).unwrap().token(*id).unwrap_or_default();
                Done::Spelled(encoding(&model.line(), local).map(|_| ids.iter().map(spell).collect()))
            }
            Work::Highlight { .. } => Done::Highlighted(Vec::new()),
            Work::Save { path, .. } => Done::Saved(path.into()),
            // Other tabs' work: no file is here.
            other => Done::Failed(format!("not here: {other:?}").into()),
        }
    }

    fn waits(&self, effect: &Effect) -> bool {
        self.slow_work && matches!(effect, Effect::Work(..))
    }
}

impl Desk {
    pub fn new() -> Self {
        Self::on(&Disk::new())
    }

    /// A copy that starts on this disk.
    pub fn on(disk: &Rc<Disk>) -> Self {
        Self::at(disk, 1_700_000_000_000)
    }

    /// A copy with more tabs behind its own.
    pub fn with(more: Vec<Box<dyn tabs::Tab>>) -> Self {
        Self::begin(&Disk::new(), 1_700_000_000_000, more)
    }

    /// A copy that starts at another time: its ids differ from those of a copy before.
    pub fn at(disk: &Rc<Disk>, unix_ms: i64) -> Self {
        Self::begin(disk, unix_ms, Vec::new())
    }

    fn begin(disk: &Rc<Disk>, unix_ms: i64, more: Vec<Box<dyn tabs::Tab>>) -> Self {
        let session = Session { model: MODEL.into(), ..Session::default() };
        let profiles = vec![("work", MODEL), ("home", "")];
        let mut desk = Self::start(disk, Complete::default(), Setup { unix_ms, session, profiles, more });
        desk.news();
        desk
    }

    /// A copy that starts where this one ended.
    pub fn again(mut self) -> Self {
        let unix_ms = self.end();
        Self::at(&self.disk, unix_ms)
    }

    /// Completions asked for since this was asked last.
    pub fn sent(&mut self) -> Vec<(Ticket, ProfileId, CompletionRequest)> {
        let call = |effect| match effect {
            Effect::Call(ticket, profile, Call::Complete(request)) => Some((ticket, profile, *request)),
            _ => None,
        };
        self.news().into_iter().filter_map(call).collect()
    }

    /// Runs; the only call this leads to.
    pub fn run(&mut self) -> (Ticket, CompletionRequest) {
        self.press("^r");
        self.asked()
    }

    /// The only call since this was asked last.
    pub fn asked(&mut self) -> (Ticket, CompletionRequest) {
        let mut sent = self.sent();
        assert_eq!(sent.len(), 1, "one call\n{}", self.screen());
        let (ticket, _, request) = sent.remove(0);
        (ticket, request)
    }

    /// Types and runs.
    pub fn ask(&mut self, text: &str) -> Ticket {
        self.press(text);
        self.run().0
    }

    /// A whole stream: pieces, then the end.
    pub fn answer(&mut self, ticket: Ticket, pieces: impl IntoIterator<Item = Progress>) {
        self.progress(ticket, Progress::Opened { request_id: None });
        for piece in pieces {
            self.progress(ticket, piece);
        }
        self.progress(ticket, Progress::Closed(Ok(())));
    }

    /// The text in the buffer, as an editor gets it.
    pub fn text(&mut self) -> String {
        self.text_or_none().expect("there is a text to edit")
    }

    /// The same; `None`: another pane has the keys.
    pub fn text_or_none(&mut self) -> Option<String> {
        let before = self.effects.len();
        let find = |desk: &Self| {
            desk.effects[before..].iter().find_map(|effect| match effect {
                Effect::OpenEditor(text) => Some(text.clone()),
                Effect::Copy(text) => Some(text.raw().to_owned()),
                _ => None,
            })
        };
        self.code(KeyCode::F(4));
        let mut text = find(self);
        if text.is_none() {
            // While it runs nothing is edited, but it may be copied.
            self.code(KeyCode::Char('Y'));
            text = find(self);
        }
        self.effects.truncate(before);
        text
    }

    /// What `C` copies: the request that a run would send.
    pub fn curl(&mut self) -> CompletionRequest {
        let before = self.effects.len();
        self.press("C");
        let copied = self.effects[before..].iter().find_map(|effect| match effect {
            Effect::CopyCurl(_, Call::Complete(request)) => Some((**request).clone()),
            _ => None,
        });
        copied.expect("a request is copied")
    }

    /// What was put on the clipboard since this was asked last.
    pub fn copied(&mut self) -> Vec<String> {
        let copied = |effect| if let Effect::Copy(text) = effect { Some(text.raw().to_owned()) } else { None };
        self.news().into_iter().filter_map(copied).collect()
    }

    /// Sets a field of the settings by typing it.
    pub fn set(&mut self, label: &str, value: &str) {
        self.press("\u{1b}");
        self.code(KeyCode::Char('s'));
        let at = format!("▌{label}");
        for _ in 0..40 {
            if self.screen().contains(&at) {
                break;
            }
            self.press("j");
        }
        self.shows(&at);
        if matches!(value, "true" | "false") {
            self.press("\n");
        } else {
            self.press(&format!("\n^u{value}\n"));
        }
        self.press("g\u{1b}");
    }
}

impl Disk {
    /// The sheet that is opened next time, with its steps.
    pub fn sheet(&self) -> (Sheet, Vec<Step>) {
        self.sheet_of(Id(self.setting("completion.sheet").expect("a sheet").parse().unwrap()))
    }

    pub fn sheet_of(&self, id: Id) -> (Sheet, Vec<Step>) {
        let Rows::Sheet(Some(sheet)) = self.load(Query::Sheet(id)) else { panic!("none") };
        sheet
    }

    pub fn runs(&self) -> Vec<Run> {
        let Rows::Runs(runs) = self.load(Query::Runs(1000)) else { panic!() };
        runs
    }

    pub fn presets(&self) -> Vec<Preset> {
        let Rows::Presets(presets) = self.load(Query::Presets) else { panic!() };
        presets
    }

    pub fn tokens(&self, of: Id) -> Vec<Token> {
        let Rows::Tokens(found) = self.load(Query::Tokens(vec![of])) else { panic!() };
        found.into_iter().next().map(|(_, tokens)| tokens).unwrap_or_default()
    }
}

/// The text that a request goes on with.
pub fn prompt(request: &CompletionRequest) -> &str {
    match &request.prompt {
        Some(Prompt::Text(text)) => text,
        other => panic!("{other:?}"),
    }
}
