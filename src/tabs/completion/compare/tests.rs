//! The page as it is used: keys and replies in; calls, records and its picture out.

use std::time::{Duration, Instant};

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use ratatui::layout::Rect;

use super::super::Complete;
use super::super::picture::picture;
use super::super::state::Page;
use super::saved::SETTING;
use super::*;
use crate::api::call::{Call, FailureKind, Progress, Reply, Ticket};
use crate::api::completion::{Completion, CompletionChoice, CompletionRequest, Prompt};
use crate::api::usage::Usage;
use crate::component::{Component, Cx, Effect, RenderContext, Session};
use crate::record::work::{Done, Work};
use crate::record::{Query, Record, Rows, Stored, TurnStatus};
use crate::settings::ProfileId;
use crate::tabs::Tab;
use crate::tokens::{Prices, Tariff, encoding};

const DAVINCI: &str = "text-davinci-003";
const ADA: &str = "text-ada-001";

/// The tab on a desk of its own: what it records is kept at once, what it has counted is counted.
struct Desk {
    tab: Complete,
    session: Session,
    now: Instant,
    tickets: u64,
    sent: Vec<(Ticket, ProfileId, CompletionRequest)>,
    stopped: Vec<Ticket>,
    kept: Vec<Record>,
    said: Vec<String>,
    /// Whether the model was asked for with the shell's list.
    listed: bool,
}

/// Something done to the tab.
type Act<'a> = Box<dyn FnOnce(&mut Complete, &mut Cx) + 'a>;

impl Desk {
    fn new(prompt: &str) -> Self {
        let profiles = [("work", "work"), ("home", "home")];
        let session = Session {
            profile: ProfileId("work".into()),
            profile_name: "work".into(),
            profiles: profiles.map(|(id, name)| (ProfileId(id.into()), name.into())).into(),
            model: DAVINCI.into(),
            models: vec!["gpt-3.5-turbo".into(), DAVINCI.into(), ADA.into()],
            prices: {
                let tariff = Tariff::new("https://api.openai.com/v1", &[], &[]);
                let both = profiles.map(|(id, _)| (ProfileId(id.into()), tariff.clone()));
                Prices::new(both, jiff::civil::Date::default())
            },
            ..Session::default()
        };
        let mut desk = Self {
            tab: Complete::new(),
            session,
            now: Instant::now(),
            tickets: 0,
            sent: Vec::new(),
            stopped: Vec::new(),
            kept: Vec::new(),
            said: Vec::new(),
            listed: false,
        };
        desk.with(Tab::enter);
        desk.with(|tab, cx| tab.paste(prompt, cx));
        desk.key(KeyCode::Esc);
        desk
    }

    fn with<R>(&mut self, act: impl FnOnce(&mut Complete, &mut Cx) -> R) {
        self.act(Box::new(|tab, cx| {
            act(tab, cx);
        }));
    }

    fn act(&mut self, act: Act) {
        let mut effects = Vec::new();
        let session = self.session.clone();
        act(&mut self.tab, &mut Cx::new(&session, self.now, 1_700_000_000_000, &mut self.tickets, &mut effects));
        for effect in effects {
            match effect {
                Effect::Call(ticket, profile, Call::Complete(request)) => self.sent.push((ticket, profile, *request)),
                Effect::Cancel(ticket) => self.stopped.push(ticket),
                Effect::Save(ticket, record) => {
                    self.kept.push(record);
                    self.act(Box::new(move |tab, cx| _ = tab.state.handle_stored(ticket, Stored::Committed, cx)));
                }
                Effect::Load(ticket, Query::Setting(name)) => {
                    let none = Stored::Rows(Rows::Setting(name, None));
                    self.act(Box::new(move |tab, cx| _ = tab.state.handle_stored(ticket, none, cx)));
                }
                Effect::Work(ticket, Work::Count { model, local, texts }) => {
                    let encoding = encoding(&model.line(), local);
                    let count = |text: &Untrusted| encoding.map_or(0, |encoding| encoding.count(&text.line()) as u32);
                    let done = Done::Counted(encoding.is_some(), texts.iter().map(count).collect());
                    self.act(Box::new(move |tab, cx| _ = tab.state.handle_worked(ticket, done, cx)));
                }
                Effect::Notify(notice) => self.said.push(notice.text.line().into_owned()),
                Effect::OpenModelPicker => self.listed = true,
                _ => {}
            }
        }
    }

    fn key(&mut self, code: KeyCode) {
        self.with(|tab, cx| tab.key(KeyEvent::from(code), cx));
    }

    fn press(&mut self, keys: &str) {
        keys.chars().for_each(|key| self.key(KeyCode::Char(key)));
    }

    fn run(&mut self) -> Vec<(Ticket, ProfileId, CompletionRequest)> {
        self.with(|tab, cx| tab.key(KeyEvent::new(KeyCode::Char('r'), KeyModifiers::CONTROL), cx));
        std::mem::take(&mut self.sent)
    }

    fn reply(&mut self, ticket: Ticket, text: &str, reason: Option<&str>) {
        let finish_reason = reason.map(str::to_owned);
        let choice = CompletionChoice { text: text.to_owned(), finish_reason, ..CompletionChoice::default() };
        let usage = reason.map(|_| Usage { prompt_tokens: 5, completion_tokens: Some(3), ..Usage::default() });
        let reply = Completion { choices: vec![choice], usage, ..Completion::default() };
        self.handle_progress(ticket, Progress::Reply(Reply::Completion(reply)));
        if reason.is_some() {
            self.handle_progress(ticket, Progress::Closed(Ok(())));
        }
    }

    fn handle_progress(&mut self, ticket: Ticket, progress: Progress) {
        self.with(|tab, cx| tab.state.handle_progress(ticket, progress, cx));
    }

    fn fail(&mut self, ticket: Ticket, why: &str) {
        self.handle_progress(ticket, Progress::Closed(Err(Failure::new(FailureKind::Offline, why))));
    }

    fn shown(&mut self, width: u16, height: u16) -> String {
        let (tab, session, now) = (&mut self.tab, &self.session, self.now);
        tab.arrange(Rect::new(0, 0, width, height), session, now);
        picture(width, height, |frame, theme| tab.render(frame, frame.area(), RenderContext { session, theme, now }))
    }

    fn text(&self) -> String {
        self.tab.state.text.buffer.text()
    }

    fn setups(&self) -> Vec<(String, String, Option<f64>)> {
        let setups = self.tab.state.compare.columns.iter().map(|column| &column.setup);
        setups.map(|setup| (setup.profile.clone(), setup.model.clone(), setup.params.common.temperature)).collect()
    }
}

fn setup(profile: &str, model: &str, temperature: Option<f64>) -> (String, String, Option<f64>) {
    (profile.to_owned(), model.to_owned(), temperature)
}

#[test]
fn two_models_run_at_once_and_part_at_a_token() {
    let mut desk = Desk::new("Say a");
    desk.press("c");
    assert_eq!(desk.setups(), [setup("work", DAVINCI, None), setup("work", ADA, None)]);
    let shown = desk.shown(80, 24);
    assert!(shown.contains("A text-davinci-003") && shown.contains("B text-ada-001"), "{shown}");
    assert!(shown.contains("model: text-ada-001") && shown.contains("not run yet"), "{shown}");
    assert!(!shown.contains('┃'), "what has not run parts from nothing\n{shown}");
    let sent = desk.run();
    let models: Vec<&str> = sent.iter().map(|(.., request)| request.model.as_str()).collect();
    assert_eq!(models, [DAVINCI, ADA], "both at once, to one profile");
    assert!(sent.iter().all(|(.., request)| request.prompt == Some(Prompt::Text("Say a".into()))));
    let [(a, ..), (b, ..)] = &sent[..] else { panic!() };
    desk.reply(*a, " black cat", None);
    assert!(desk.shown(80, 24).contains(" streaming"));
    desk.reply(*b, " black dog", Some("length"));
    desk.reply(*a, "", Some("stop"));
    let shown = desk.shown(80, 24);
    assert!(shown.contains("┃") && shown.contains("black cat") && shown.contains("black dog"), "{shown}");
    assert!(
        shown.contains("▼3 tok · 0")
            && shown.contains("stop")
            && shown.contains("reached")
            && !shown.contains("length"),
        "{shown}"
    );
    let meter = desk.tab.meter().unwrap();
    assert_eq!((meter.prompt_tokens, meter.completion_tokens, meter.estimated), (10, 6, false), "all columns");
    assert!(meter.cost.nano > 0 && !meter.cost.unknown);
    assert_eq!(desk.text(), "Say a", "the buffer waits for a choice");
    desk.press(">");
    desk.key(KeyCode::Enter);
    assert_eq!(desk.text(), "Say a black dog");
    let state = &desk.tab.state;
    assert!(matches!(state.page, Page::Buffer));
    let last = state.text.history.last_generated().unwrap();
    assert_eq!(state.text.history.branches_of(last).len(), 2, "nothing is lost");
    assert_eq!(state.log.runs.iter().filter(|run| run.status == TurnStatus::Done).count(), 2);
}

#[test]
fn one_is_stopped_one_fails_and_the_others_go_on() {
    let mut desk = Desk::new("Say a");
    desk.press("ca");
    assert_eq!(desk.setups().len(), 3);
    let sent = desk.run();
    let [(a, ..), (b, ..), (c, ..)] = &sent[..] else { panic!() };
    desk.reply(*a, " one", None);
    desk.reply(*b, " two", None);
    desk.press("<x");
    assert_eq!(desk.stopped, [*a]);
    desk.fail(*c, "no connection can be made");
    desk.reply(*b, " and", Some("stop"));
    let shown = desk.shown(120, 36);
    for words in ["■ stopped", "two and", "no connection can be", "✕ failed", "✓ done"] {
        assert!(shown.contains(words), "{words}\n{shown}");
    }
    // The keys are the page's again.
    assert_eq!(desk.tab.escape(), Some("close"));
    desk.press("y");
    assert!(desk.said.is_empty(), "{:?}", desk.said);
}

#[test]
fn esc_stops_all_then_closes_and_the_outputs_are_there_again() {
    let mut desk = Desk::new("Say a");
    desk.press("c");
    let sent = desk.run();
    desk.reply(sent[0].0, " one", None);
    assert_eq!(desk.tab.escape(), Some("stop all"));
    desk.press("m");
    assert!(!desk.listed, "nothing is changed while it runs");
    desk.key(KeyCode::Esc);
    assert_eq!(desk.stopped.len(), 2);
    assert!(desk.tab.state.is_comparing());
    desk.key(KeyCode::Esc);
    assert!(matches!(desk.tab.state.page, Page::Buffer));
    desk.press("c");
    assert!(desk.shown(80, 24).contains("one"));
    desk.key(KeyCode::Esc);
    desk.press("i!");
    desk.key(KeyCode::Esc);
    desk.press("c");
    assert!(desk.shown(80, 24).contains("not run yet"), "another text has no outputs yet");
}

#[test]
fn a_column_is_added_removed_and_sent_elsewhere() {
    let mut desk = Desk::new("Say a");
    desk.press("cX");
    assert_eq!((desk.setups().len(), desk.said.len()), (2, 1), "two are the fewest");
    desk.press("aaa");
    assert_eq!((desk.setups().len(), desk.said.len()), (4, 2), "four are the most");
    desk.press("XX");
    // The model of a profile whose list is not known is typed.
    desk.press("P");
    assert_eq!(desk.setups()[1].0, "home");
    desk.press("m");
    assert!(!desk.listed && desk.tab.typing());
    desk.with(|tab, cx| tab.key(KeyEvent::new(KeyCode::Char('u'), KeyModifiers::CONTROL), cx));
    desk.with(|tab, cx| tab.paste("my-", cx));
    desk.press("llama");
    desk.key(KeyCode::Enter);
    assert_eq!(desk.setups()[1], setup("home", "my-llama", None));
    let sent = desk.run();
    let to: Vec<(&str, &str)> = sent.iter().map(|(_, to, request)| (to.0.as_str(), request.model.as_str())).collect();
    assert_eq!(to, [("work", DAVINCI), ("home", "my-llama")]);
    assert!(desk.shown(120, 36).contains("B home: my-llama"), "{}", desk.shown(120, 36));
    desk.key(KeyCode::Esc);
    // One of the profile in use is chosen from the list.
    desk.press("<m");
    assert!(desk.listed);
    desk.with(|tab, cx| assert!(tab.choose(&ADA.into(), cx)));
    assert_eq!(desk.setups()[0].1, ADA);
    assert_eq!(desk.tab.state.model(&desk.session), Untrusted::from(DAVINCI), "the tab's own stays");
}

#[test]
fn the_pane_is_over_the_settings_of_the_column_with_the_focus() {
    let mut desk = Desk::new("Say a");
    desk.shown(120, 36);
    desk.press("c>s");
    assert!(desk.shown(120, 36).contains("Settings of B"));
    // Model, mode, max tokens, temperature.
    desk.press("jjj");
    desk.key(KeyCode::Enter);
    desk.press("0.2");
    desk.key(KeyCode::Enter);
    desk.key(KeyCode::Esc);
    assert_eq!(desk.setups()[1].2, Some(0.2));
    assert_eq!(desk.setups()[0].2, None);
    assert_eq!(desk.tab.state.settings.params().common.temperature, None, "the tab's own stay");
    assert!(desk.shown(120, 36).contains("B text-ada-001 · temp 0.2"), "{}", desk.shown(120, 36));
    let sent = desk.run();
    let temperatures: Vec<_> = sent.iter().map(|(.., request)| request.temperature).collect();
    assert_eq!(temperatures, [None, Some(0.2)]);
    // After ^R in the pane, the columns run, not the buffer.
    desk.key(KeyCode::Esc);
    desk.press("s");
    assert_eq!(desk.run().len(), 2);
}

/// Returns the setups that a record saves.
fn setting(record: &Record) -> Option<String> {
    match record {
        Record::Setting(name, json) if name == SETTING => Some(json.line().into_owned()),
        Record::Batch(all) => all.iter().rev().find_map(setting),
        _ => None,
    }
}

#[test]
fn what_was_compared_last_is_there_again() {
    let mut desk = Desk::new("Say a");
    desk.press("ca");
    desk.tab.state.compare.columns[2].setup.params.common.temperature = Some(0.5);
    desk.run();
    desk.now += Duration::from_secs(1);
    desk.with(Component::tick);
    let json = desk.kept.iter().rev().find_map(setting).expect("the setups are kept");
    let mut next = Compare::default();
    next.fill(&json);
    let setups = |compare: &Compare| compare.columns.iter().map(|column| column.setup.clone()).collect::<Vec<_>>();
    assert_eq!(setups(&next), setups(&desk.tab.state.compare));
    next.fill(r#"{"columns":[{},{}]}"#);
    assert_eq!(next.columns.len(), 3, "what is there stays");
    for odd in ["", "[]", r#"{"columns":[{}]}"#, r#"{"columns":7}"#] {
        let mut compare = Compare::default();
        compare.fill(odd);
        assert!(compare.columns.is_empty(), "{odd}");
    }
}

#[test]
fn a_prompt_too_long_for_one_column_is_sent_to_none() {
    let mut desk = Desk::new(&"word ".repeat(3000));
    desk.press("c");
    assert_eq!(desk.run(), [], "{:?}", desk.said);
    let said = desk.said.concat();
    assert!(said.contains("column B (text-ada-001)") && said.contains("nothing was sent"), "{said}");
    assert_eq!(desk.tab.state.compare.focus(), 1);
    assert!(!desk.tab.state.active.is_busy());
    assert!(desk.tab.state.log.runs.is_empty());
}

#[test]
fn without_a_model_nothing_is_sent_and_more_than_one_completion_is_not_asked_for() {
    let mut desk = Desk::new("Say a");
    desk.press("c");
    desk.tab.state.compare.columns[0].setup.params.common.n = Some(3);
    assert!(desk.shown(80, 24).contains("n: 3 (one per column)"), "{}", desk.shown(80, 24));
    assert!(desk.run().iter().all(|(.., request)| request.n.is_none()));
    desk.key(KeyCode::Esc);
    desk.tab.state.compare.columns[1].setup.model.clear();
    assert_eq!(desk.run(), []);
    assert!(desk.said.concat().contains("column B: no model is chosen yet"), "{:?}", desk.said);
}

#[test]
fn taking_one_that_still_writes_lets_it_go_on_in_the_buffer() {
    let mut desk = Desk::new("Say a");
    desk.press("c");
    let sent = desk.run();
    desk.reply(sent[0].0, " one", None);
    desk.reply(sent[1].0, " two", None);
    desk.key(KeyCode::Enter);
    assert_eq!((desk.text().as_str(), desk.stopped.as_slice()), ("Say a one", &[sent[1].0][..]));
    desk.reply(sent[0].0, " more", Some("stop"));
    assert_eq!(desk.text(), "Say a one more");
    assert!(!desk.tab.state.active.is_busy());
}

#[test]
fn a_refused_attempt_counts_down_and_enter_tries_now() {
    let mut desk = Desk::new("Say a");
    desk.press("c");
    let sent = desk.run();
    let why = Failure::new(FailureKind::RateLimit, "rate limit: the server asks to wait");
    let at = desk.now + Duration::from_secs(9);
    desk.handle_progress(sent[0].0, Progress::Retrying { attempt: 2, of: 3, at, why });
    let shown = desk.shown(80, 24);
    assert!(shown.contains("rate limit: the server") && shown.contains("attempt 2 of 3 in 9 s"), "{shown}");
    assert_eq!(desk.tab.hints()[0].does, "try now");
    desk.press("x");
    assert!(desk.shown(80, 24).contains("given up: rate limit"));
    assert!(desk.tab.state.active.is_busy(), "the other goes on");
}

#[test]
fn a_preset_that_is_refused_while_columns_run_plans_no_save() {
    let mut desk = Desk::new("Say a");
    desk.press("c");
    assert_eq!(desk.run().len(), 2);
    desk.now += Duration::from_secs(1);
    desk.with(Component::tick);
    assert_eq!(desk.tab.state.saves.due, None);
    let before = desk.setups();
    desk.key(KeyCode::Tab);
    desk.key(KeyCode::Tab);
    desk.key(KeyCode::Enter);
    assert_eq!(desk.said.last().map(String::as_str), Some("a run is under way; esc stops it"));
    assert_eq!((desk.setups(), desk.tab.state.saves.due), (before, None));
}

#[test]
fn one_column_at_a_time_where_there_is_little_room() {
    let mut desk = Desk::new("Say a");
    desk.press("ca>");
    assert!(desk.shown(40, 10).contains("◂ 3 of 3 ▸"), "{}", desk.shown(40, 10));
    desk.press("<");
    let shown = desk.shown(40, 10);
    assert!(shown.contains("◂ 2 of 3 ▸") && shown.contains("B text-davinci-003"), "{shown}");
    assert!(!shown.contains("A text"), "{shown}");
    desk.press("s");
    assert!(desk.shown(40, 10).contains("Settings of B"));
    desk.key(KeyCode::Esc);
    assert!(desk.tab.state.is_comparing());
}

#[test]
fn equal_outputs_are_not_marked() {
    let mut desk = Desk::new("Say a");
    desk.press("c");
    let sent = desk.run();
    for (ticket, ..) in &sent {
        desk.reply(*ticket, " black cat", Some("stop"));
    }
    let shown = desk.shown(80, 24);
    assert!(shown.matches("black cat").count() == 2 && !shown.contains('┃'), "{shown}");
    // A column that failed is compared with none, and the others with each other.
    desk.press("a");
    let sent = desk.run();
    desk.fail(sent[0].0, "no connection can be made");
    desk.reply(sent[1].0, " black cat", Some("stop"));
    assert!(!desk.shown(120, 24).contains('┃'), "{}", desk.shown(120, 24));
    desk.reply(sent[2].0, " black dog", Some("stop"));
    let shown = desk.shown(120, 24);
    assert_eq!(shown.matches('┃').count(), 2, "{shown}");
}

#[test]
fn no_key_means_two_things() {
    let keys = super::keys::KEYS.keymap();
    assert_eq!(keys.clashes(), []);
    for binding in keys.rows() {
        for chord in &binding.chords {
            let hints = Columns::hints();
            let taken = hints.iter().any(|hint| hint.key.split(' ').any(|key| *key == chord.to_string()));
            assert!(!taken, "{chord}");
        }
    }
}
