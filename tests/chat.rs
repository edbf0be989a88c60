//! The Chat tab from outside: events in, effects compared, pictures of its states.
#![allow(unreachable_pub, missing_docs, clippy::unwrap_used, clippy::expect_used)]

use std::time::{Duration, Instant};

use benchtop::api::call::{Call, Failure, FailureKind, Progress, Reply, Ticket};
use benchtop::api::chat::{ChatChunk, ChatChunkChoice, ChatDelta, ChatRequest};
use benchtop::record::{Record, Stored, Turn, TurnStatus};
use benchtop::settings::ProfileId;
use benchtop::tabs::chat::Chat;
use benchtop::tabs::{Cx, Effect, Session, Tab};
use benchtop::ui::theme::{Depth, Kind, Theme};
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use proptest::prelude::*;
use ratatui::Terminal;
use ratatui::backend::TestBackend;

struct Desk {
    chat: Chat,
    session: Session,
    now: Instant,
    unix_ms: i64,
    tickets: u64,
}

impl Desk {
    fn new() -> Self {
        let session = Session {
            profile: ProfileId("work".to_owned()),
            profile_name: "work".to_owned(),
            model: "gpt-3.5-turbo".to_owned(),
            area: (80, 22),
            ..Session::default()
        };
        let mut desk = Self { chat: Chat::new(), session, now: Instant::now(), unix_ms: 1_700_000_000_000, tickets: 0 };
        desk.with(benchtop::tabs::Tab::enter);
        desk
    }

    fn with(&mut self, act: impl FnOnce(&mut Chat, &mut Cx)) -> Vec<Effect> {
        let mut effects = Vec::new();
        let mut cx = Cx::new(&self.session, self.now, self.unix_ms, &mut self.tickets, &mut effects);
        act(&mut self.chat, &mut cx);
        effects
    }

    fn key(&mut self, code: KeyCode) -> Vec<Effect> {
        self.with(|chat, cx| chat.key(KeyEvent::from(code), cx))
    }

    fn text(&mut self, text: &str) {
        for c in text.chars() {
            self.key(KeyCode::Char(c));
        }
    }

    /// Carries out every order to keep something; what that leads to.
    fn commit(&mut self, effects: &[Effect]) -> Vec<Effect> {
        let orders = records(effects).map(|(ticket, _)| ticket).collect::<Vec<_>>();
        orders.into_iter().flat_map(|ticket| self.with(|chat, cx| chat.stored(ticket, Stored::Committed, cx))).collect()
    }

    /// Sends a prompt; the call it became.
    fn ask(&mut self, prompt: &str) -> Ticket {
        self.text(prompt);
        let kept = self.key(KeyCode::Enter);
        let sent = self.commit(&kept);
        let ticket = call(&sent).expect("a kept prompt is sent").0;
        self.commit(&sent);
        ticket
    }

    fn progress(&mut self, ticket: Ticket, progress: Progress) -> Vec<Effect> {
        self.with(|chat, cx| chat.progress(ticket, progress, cx))
    }

    fn draft(&self) -> String {
        self.chat.editable().unwrap_or_default()
    }

    fn picture(&mut self, width: u16, height: u16) -> String {
        self.session.area = (width, height);
        let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
        let theme = Theme::of(Kind::Mono, Depth::Indexed);
        let (chat, session, now) = (&mut self.chat, &self.session, self.now);
        terminal.draw(|frame| chat.render(frame, frame.area(), session, &theme, now)).unwrap();
        let cells = terminal.backend().buffer().content();
        let rows = cells
            .chunks(usize::from(width))
            .map(|row| row.iter().map(ratatui::buffer::Cell::symbol).collect::<String>().trim_end().to_owned());
        // What the clock shows depends on where the test runs; its width does not.
        let at = jiff::Timestamp::from_millisecond(self.unix_ms).unwrap().to_zoned(jiff::tz::TimeZone::system());
        rows.collect::<Vec<_>>().join("\n").replace(&at.strftime("%H:%M").to_string(), "hh:mm")
    }
}

fn records(effects: &[Effect]) -> impl Iterator<Item = (Ticket, &Record)> {
    effects.iter().filter_map(|effect| match effect {
        Effect::Record(ticket, record) => Some((*ticket, record)),
        _ => None,
    })
}

fn call(effects: &[Effect]) -> Option<(Ticket, &ChatRequest)> {
    effects.iter().find_map(|effect| match effect {
        Effect::Call(ticket, _, Call::Chat(request)) => Some((*ticket, &**request)),
        _ => None,
    })
}

/// All turns kept by some effects.
fn turns(effects: &[Effect]) -> Vec<Turn> {
    fn collect(record: &Record, into: &mut Vec<Turn>) {
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

fn chunk(text: &str) -> Progress {
    let delta = ChatDelta { content: Some(text.to_owned()), ..ChatDelta::default() };
    let choice = ChatChunkChoice { delta, ..ChatChunkChoice::default() };
    Progress::Reply(Reply::ChatChunk(ChatChunk { choices: vec![choice], ..ChatChunk::default() }))
}

fn failure(sentence: &str, status: Option<u16>) -> Failure {
    Failure { status, ..Failure::new(FailureKind::RateLimit, sentence) }
}

fn retrying(desk: &Desk) -> Progress {
    let why = failure("rate limit: the server asks to wait 12 s", Some(429));
    Progress::Retrying { attempt: 2, of: 3, at: desk.now + Duration::from_secs(9), why }
}

#[test]
fn a_prompt_is_sent_once_it_is_on_disk() {
    let mut desk = Desk::new();
    desk.text("hi");
    let kept = desk.key(KeyCode::Enter);
    assert_eq!(call(&kept), None, "not before it is kept");
    let [turn] = &turns(&kept)[..] else { panic!("{kept:?}") };
    assert_eq!((turn.role.as_str(), turn.content.as_str()), ("user", "hi"));
    assert_eq!(desk.draft(), "");
    let sent = desk.commit(&kept);
    let (_, request) = call(&sent).unwrap();
    assert_eq!((request.messages.len(), request.messages[0].content.as_str()), (1, "hi"));
    assert_eq!(turns(&sent)[0].status, TurnStatus::Streaming);
}

#[test]
fn a_prompt_that_cannot_be_kept_is_not_sent_and_comes_back() {
    let mut desk = Desk::new();
    desk.text("hi");
    let kept = desk.key(KeyCode::Enter);
    let tickets: Vec<Ticket> = records(&kept).map(|(ticket, _)| ticket).collect();
    for ticket in tickets {
        let effects = desk.with(|chat, cx| chat.stored(ticket, Stored::Failed("disk full".to_owned()), cx));
        assert_eq!(call(&effects), None);
    }
    assert_eq!(desk.draft(), "hi");
    assert!(desk.picture(80, 22).contains("✕ not saved: disk full"));
    let effects = desk.key(KeyCode::Char('!'));
    desk.commit(&effects);
    desk.now += Duration::from_secs(1);
    let draft = desk.with(benchtop::tabs::Tab::tick);
    desk.commit(&draft);
    assert!(desk.picture(80, 22).contains("✕ not saved: disk full"), "it stays");
}

#[test]
fn enter_while_an_answer_streams_queues_nothing() {
    let mut desk = Desk::new();
    let ticket = desk.ask("hi");
    desk.progress(ticket, chunk("Hello"));
    desk.text("next");
    let effects = desk.key(KeyCode::Enter);
    assert!(turns(&effects).is_empty() && call(&effects).is_none());
    assert_eq!(desk.draft(), "next");
    assert_eq!(desk.chat.escape(), Some("stop"));
}

#[test]
fn stopping_keeps_the_text_and_late_progress_is_ignored() {
    let mut desk = Desk::new();
    let ticket = desk.ask("hi");
    desk.progress(ticket, chunk("Hello"));
    let effects = desk.key(KeyCode::Esc);
    assert!(effects.contains(&Effect::Cancel(ticket)));
    let last = turns(&effects).pop().unwrap();
    assert_eq!((last.content.as_str(), last.status), ("Hello", TurnStatus::Stopped));
    assert_eq!(desk.progress(ticket, chunk(" late")), []);
    assert!(desk.picture(80, 22).contains("■ stopped after"));
}

#[test]
fn a_stopped_answer_goes_on_in_a_new_one_that_begins_with_its_text() {
    let mut desk = Desk::new();
    let ticket = desk.ask("hi");
    desk.progress(ticket, chunk("Hello"));
    let stopped = turns(&desk.key(KeyCode::Esc)).pop().unwrap();
    desk.key(KeyCode::Esc);
    let effects = desk.key(KeyCode::Char('c'));
    let (_, request) = call(&effects).unwrap();
    let last = request.messages.last().unwrap();
    assert_eq!((last.role.as_str(), last.content.as_str()), ("assistant", "Hello"));
    let new = turns(&effects).pop().unwrap();
    assert_eq!((new.parent, new.content.as_str()), (stopped.parent, "Hello"));
    assert_ne!(new.id, stopped.id);
}

#[test]
fn text_is_kept_every_second() {
    let mut desk = Desk::new();
    let ticket = desk.ask("hi");
    assert!(records(&desk.progress(ticket, chunk("a"))).next().is_none());
    assert!(desk.picture(80, 22).contains("saving…"), "not given to the store is not saved");
    desk.now += Duration::from_millis(1001);
    let effects = desk.progress(ticket, chunk("b"));
    let kept: Vec<_> = records(&effects).map(|(_, record)| record.clone()).collect();
    let [Record::Extend { content_at: 0, content, .. }] = &kept[..] else { panic!("{kept:?}") };
    assert_eq!(content, "ab");
    desk.commit(&effects);
    assert!(desk.picture(80, 22).contains("saved ✓"));
}

#[test]
fn leaving_a_conversation_does_not_stop_its_answer() {
    let mut desk = Desk::new();
    let ticket = desk.ask("hi");
    desk.progress(ticket, chunk("Hello"));
    desk.key(KeyCode::Tab);
    let left = desk.key(KeyCode::Char('n'));
    assert!(!left.contains(&Effect::Cancel(ticket)));
    assert!(desk.picture(120, 34).contains('●'), "the list shows it");
    desk.progress(ticket, chunk(" you"));
    let last = turns(&desk.progress(ticket, Progress::Closed(Ok(())))).pop().unwrap();
    assert_eq!((last.content.as_str(), last.status), ("Hello you", TurnStatus::Done));
}

#[test]
fn a_countdown_is_hurried_or_given_up() {
    let mut desk = Desk::new();
    let ticket = desk.ask("hi");
    let again = retrying(&desk);
    desk.progress(ticket, again);
    assert!(desk.key(KeyCode::Enter).contains(&Effect::Hurry(ticket)));
    let given_up = desk.with(|chat, cx| assert!(chat.interrupt(cx), "Ctrl+C stops a countdown too"));
    assert!(given_up.contains(&Effect::Cancel(ticket)));
    assert_eq!(desk.draft(), "hi", "the prompt is back");
}

#[test]
fn an_edit_that_is_given_up_keeps_what_was_changed() {
    let mut desk = Desk::new();
    let ticket = desk.ask("hi");
    desk.progress(ticket, chunk("Hello"));
    desk.progress(ticket, Progress::Closed(Ok(())));
    desk.picture(80, 22);
    desk.key(KeyCode::Esc);
    for c in ['k', 'k', 'e'] {
        desk.key(KeyCode::Char(c));
    }
    assert_eq!(desk.draft(), "hi");
    desk.text(" there");
    desk.key(KeyCode::Esc);
    assert_eq!(desk.draft(), "hi there");
}

/// A part of one choice's answer.
fn part(index: u32, text: &str, reasoning: &str) -> Progress {
    let some = |text: &str| (!text.is_empty()).then(|| text.to_owned());
    let delta = ChatDelta { content: some(text), reasoning_content: some(reasoning), ..ChatDelta::default() };
    let choice = ChatChunkChoice { index, delta, ..ChatChunkChoice::default() };
    Progress::Reply(Reply::ChatChunk(ChatChunk { choices: vec![choice], ..ChatChunk::default() }))
}

#[test]
fn several_choices_are_switched_and_shown_side_by_side() {
    let mut desk = Desk::new();
    desk.key(KeyCode::Esc);
    for c in ['t', 'j', 'j', 'j', 'l', 'l'] {
        desk.key(KeyCode::Char(c));
    }
    desk.key(KeyCode::Esc);
    desk.key(KeyCode::Char('i'));
    desk.text("hi");
    let kept = desk.key(KeyCode::Enter);
    let sent = desk.commit(&kept);
    let (ticket, request) = call(&sent).unwrap();
    assert_eq!(request.n, Some(3));
    for (index, text) in ["Alpha", "Bravo", "Charlie"].iter().enumerate() {
        desk.progress(ticket, part(index as u32, text, ""));
    }
    let done = turns(&desk.progress(ticket, Progress::Closed(Ok(()))));
    assert_eq!(done.iter().map(|turn| turn.content.as_str()).collect::<Vec<_>>(), ["Alpha", "Bravo", "Charlie"]);
    assert!(done.iter().all(|turn| turn.parent == done[0].parent), "choices are versions of one another");
    let picture = desk.picture(100, 22);
    assert!(picture.contains("Alpha") && picture.contains("‹1/3›"), "{picture}");
    desk.key(KeyCode::Esc);
    desk.key(KeyCode::Char('>'));
    let picture = desk.picture(100, 22);
    assert!(picture.contains("Bravo") && picture.contains("‹2/3›") && !picture.contains("Alpha"), "{picture}");
    desk.key(KeyCode::Char('D'));
    let picture = desk.picture(100, 22);
    for text in ["1 of 3", "▸ 2 of 3", "3 of 3", "Alpha", "Bravo", "Charlie"] {
        assert!(picture.contains(text), "{text} in {picture}");
    }
    desk.key(KeyCode::Char('>'));
    assert!(desk.picture(100, 22).contains("▸ 3 of 3"));
    // Another conversation has no such versions.
    desk.key(KeyCode::Char('n'));
    assert!(desk.picture(100, 22).contains("New conversation"));
}

#[test]
fn versions_longer_than_the_screen_scroll() {
    let mut desk = Desk::new();
    let ticket = desk.ask("hi");
    let long: Vec<String> = (1..=60).map(|line| format!("row {line}")).collect();
    desk.progress(ticket, chunk(&long.join("\n")));
    desk.progress(ticket, Progress::Closed(Ok(())));
    desk.key(KeyCode::Esc);
    let again = desk.key(KeyCode::Char('r'));
    let ticket = call(&again).unwrap().0;
    desk.progress(ticket, chunk("short"));
    desk.progress(ticket, Progress::Closed(Ok(())));
    desk.key(KeyCode::Char('D'));
    let picture = desk.picture(100, 22);
    assert!(picture.contains("row 1 ") && picture.contains("more") && picture.contains("short"), "{picture}");
    desk.key(KeyCode::Char('G'));
    let picture = desk.picture(100, 22);
    assert!(picture.contains("row 60") && !picture.contains("more"), "{picture}");
}

#[test]
fn reasoning_is_folded_and_grows_in_view_once_unfolded() {
    let mut desk = Desk::new();
    let ticket = desk.ask("hi");
    desk.progress(ticket, part(0, "", "First I look"));
    let picture = desk.picture(80, 22);
    assert!(picture.contains("▸ reasoning · ~3 tok · o shows") && !picture.contains("First I look"), "{picture}");
    desk.key(KeyCode::Tab);
    desk.key(KeyCode::Char('o'));
    assert!(desk.picture(80, 22).contains("First I look"));
    desk.progress(ticket, part(0, "", " and then I leap"));
    desk.progress(ticket, part(0, "Done.", ""));
    let picture = desk.picture(80, 22);
    let at = |text: &str| picture.find(text).unwrap_or_else(|| panic!("{text} in {picture}"));
    assert!(at("gpt-3.5-turbo") < at("▾ reasoning") && at("▾ reasoning") < at("First I look and then I leap"));
    assert!(at("and then I leap") < at("Done."));
}

#[test]
fn a_conversation_is_renamed_trashed_brought_back_and_deleted_for_good() {
    let mut desk = Desk::new();
    let ticket = desk.ask("hi");
    desk.progress(ticket, chunk("Hello"));
    desk.progress(ticket, Progress::Closed(Ok(())));
    desk.picture(120, 34);
    for code in [KeyCode::Tab, KeyCode::Tab, KeyCode::Char('e')] {
        desk.key(code);
    }
    desk.text(" there");
    desk.key(KeyCode::Enter);
    assert!(desk.picture(120, 34).contains("hi there"));
    let trashed = desk.key(KeyCode::Char('x'));
    assert!(trashed.iter().any(|effect| matches!(effect, Effect::Record(_, Record::Trashed { at_ms: Some(_), .. }))));
    let picture = desk.picture(120, 34);
    assert!(picture.contains("Trash (1)") && picture.contains("New conversation"), "{picture}");
    let back = desk.key(KeyCode::Char('u'));
    assert!(back.iter().any(|effect| matches!(effect, Effect::Record(_, Record::Trashed { at_ms: None, .. }))));
    let picture = desk.picture(120, 34);
    assert!(picture.contains("hi there") && !picture.contains("Trash"), "{picture}");
    for c in ['g', 'x', 'G'] {
        desk.key(KeyCode::Char(c));
    }
    desk.key(KeyCode::Enter);
    desk.picture(120, 34);
    desk.key(KeyCode::Char('G'));
    desk.key(KeyCode::Char('X'));
    assert!(desk.picture(120, 34).contains("Delete for good?"));
    let kept = desk.key(KeyCode::Enter);
    assert!(records(&kept).next().is_none(), "the first button cancels");
    desk.key(KeyCode::Char('X'));
    desk.key(KeyCode::Tab);
    let purged = desk.key(KeyCode::Enter);
    assert!(records(&purged).any(|(_, record)| matches!(record, Record::Purge(_))), "{purged:?}");
    let picture = desk.picture(120, 34);
    assert!(!picture.contains("hi there") && !picture.contains("Trash"), "{picture}");
}

#[test]
fn a_click_focuses_what_is_under_it_and_the_wheel_scrolls_it() {
    use crossterm::event::{MouseButton, MouseEvent, MouseEventKind};
    let mut desk = Desk::new();
    let ticket = desk.ask("hi");
    let long: Vec<String> = (1..=60).map(|line| format!("row {line}\n")).collect();
    desk.progress(ticket, chunk(&long.join("\n")));
    desk.progress(ticket, Progress::Closed(Ok(())));
    assert!(desk.picture(80, 22).contains("row 60"));
    let mouse = |desk: &mut Desk, kind, column, row| {
        desk.with(|chat, cx| chat.mouse(MouseEvent { kind, column, row, modifiers: KeyModifiers::NONE }, cx));
    };
    for _ in 0..10 {
        mouse(&mut desk, MouseEventKind::ScrollUp, 10, 5);
    }
    assert!(!desk.picture(80, 22).contains("row 60"));
    assert!(desk.chat.typing(), "the wheel moves no focus");
    mouse(&mut desk, MouseEventKind::Down(MouseButton::Left), 10, 5);
    assert!(!desk.chat.typing());
    mouse(&mut desk, MouseEventKind::Down(MouseButton::Left), 10, 20);
    assert!(desk.chat.typing());
}

#[test]
fn pictures_of_every_state() {
    for (name, width, height) in [("wide", 120, 34), ("medium", 80, 22), ("narrow", 40, 10)] {
        let snap = |state: &str, desk: &mut Desk| {
            insta::assert_snapshot!(format!("{state}_{name}"), desk.picture(width, height));
        };
        let mut desk = Desk::new();
        snap("empty", &mut desk);
        let ticket = desk.ask("Now as JSON with keys rule, days, example.");
        desk.now += Duration::from_millis(1200);
        snap("waiting", &mut desk);
        let again = retrying(&desk);
        desk.progress(ticket, again);
        snap("countdown", &mut desk);
        desk.progress(ticket, Progress::Opened { request_id: None });
        desk.progress(ticket, chunk("Here it is:\n\n```json\n{\n  \"days\": 30,"));
        snap("streaming", &mut desk);
        desk.key(KeyCode::Esc);
        snap("stopped", &mut desk);
        let mut desk = Desk::new();
        let ticket = desk.ask("hi");
        desk.progress(ticket, chunk("Hello"));
        desk.progress(ticket, Progress::Closed(Err(failure("connection reset", None))));
        snap("cut_off", &mut desk);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, ..ProptestConfig::default() })]
    #[test]
    fn random_keys_and_replies_never_panic(steps in proptest::collection::vec((0_u8..12, any::<char>(), 1_u16..130, 1_u16..40), 80)) {
        let mut desk = Desk::new();
        let mut calls: Vec<Ticket> = Vec::new();
        let mut waiting: Vec<Effect> = Vec::new();
        for (kind, c, width, height) in steps {
            let effects = match kind {
                0..=2 => desk.key(KeyCode::Char(char::from(b' ' + (c as u32 % 95) as u8))),
                3 => desk.key(KeyCode::Enter),
                4 => {
                    let before = desk.draft();
                    let idle = desk.chat.typing() && desk.chat.escape() == Some("browse");
                    let effects = desk.key(KeyCode::Esc);
                    if idle {
                        prop_assert_eq!(before, desk.draft());
                    }
                    effects
                }
                5 => desk.key([KeyCode::Tab, KeyCode::Up, KeyCode::Down, KeyCode::PageUp][c as usize % 4]),
                6 => desk.with(|chat, cx| chat.key(KeyEvent::new(KeyCode::Char('r'), KeyModifiers::CONTROL), cx)),
                7 => {
                    let orders = std::mem::take(&mut waiting);
                    desk.commit(&orders)
                }
                8 => calls.last().copied().map_or_else(Vec::new, |ticket| desk.progress(ticket, chunk("x\u{1b}[2J\n```"))),
                9 => calls.pop().map_or_else(Vec::new, |ticket| {
                    let why = failure("connection reset", None);
                    desk.progress(ticket, Progress::Closed(if (c as u32).is_multiple_of(2) { Ok(()) } else { Err(why) }))
                }),
                10 => {
                    desk.now += Duration::from_millis(400);
                    desk.with(benchtop::tabs::Tab::tick)
                }
                _ => {
                    let picture = desk.picture(width, height);
                    prop_assert!(!picture.contains(char::from(27)), "an escape reached the screen");
                    Vec::new()
                }
            };
            calls.extend(call(&effects).map(|(ticket, _)| ticket));
            waiting.extend(effects);
        }
    }
}
