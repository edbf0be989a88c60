//! A conversation that Chat sends here.

use benchtop::record::{ChatParams, Conversation, Id, Record, Turn, TurnStatus};
use crossterm::event::{KeyCode, KeyModifiers};

use crate::desk::Desk;
use crate::replies::{FILM, SELF, THREAT, texts};

fn turn(id: i64, role: &str, text: &str) -> Record {
    Record::Turn(Box::new(Turn {
        id: Id(id),
        conversation: Id(1),
        parent: (id > 10).then(|| Id(id - 1)),
        role: role.into(),
        content: text.into(),
        reasoning: "".into(),
        blocks: Vec::new(),
        model: "gpt-mini".into(),
        choice: 0,
        status: TurnStatus::Done,
        error: "".into(),
        details: None,
        finish_reason: "stop".into(),
        created_ms: 1_699_999_000_000 + id,
        prompt_tokens: 1,
        completion_tokens: 1,
        estimated: false,
        cost_nano: None,
        first_token_ms: 1,
        total_ms: 1,
    }))
}

/// Creates a desk with a conversation of this many turns, opened in Chat.
fn chatting(turns: i64) -> Desk {
    let desk = Desk::new();
    let conversation = Conversation {
        id: Id(1),
        title: "A film night".into(),
        titled: true,
        created_ms: 1_699_999_000_000,
        updated_ms: 1_699_999_000_000,
        trashed_ms: None,
        profile: "work".into(),
        model: "gpt-mini".into(),
        system: String::new(),
        params: ChatParams::default(),
        leaf: None,
        draft: String::new(),
    };
    desk.disk.record(Record::Conversation(Box::new(conversation)));
    let texts = [("user", SELF), ("assistant", FILM), ("user", THREAT)];
    for at in 0..turns {
        let (role, text) = texts[at as usize % 3];
        let text = if at < 3 { text.to_owned() } else { format!("{text} {at}") };
        desk.disk.record(turn(10 + at, role, &text));
    }
    desk.disk.record(Record::Setting("chat.last".into(), "1".into()));
    let mut desk = desk.again();
    desk.key(KeyCode::Char('1'), KeyModifiers::ALT);
    desk.settle();
    desk.press("\u{1b}");
    desk
}

/// Creates a desk with a conversation that was sent here.
pub fn sent() -> Desk {
    let mut desk = chatting(3);
    desk.press("M");
    desk.settle();
    desk.news();
    desk
}

#[test]
fn a_conversation_comes_with_a_flag_for_each_turn() {
    let mut desk = sent();
    desk.shows("A film night");
    assert!(desk.line("How do I stop").contains("not checked"));
    assert_eq!(desk.check(), 1, "one request for all turns");
    desk.settle();
    assert!(desk.line("How do I stop").contains("⚑ 0.64 self-harm"), "{}", desk.screen());
    assert!(desk.line("I will find").contains("⚑ 0.93 harassment/threatening"));
    assert!(desk.line("That film").contains("0.22 violence"));
    desk.shows("2 flagged");
    desk.press("jj\n");
    desk.shows("A · user 3");
    desk.shows("0.93 ⚑");
}

#[test]
fn a_long_conversation_is_loaded_whole_before_it_is_sent() {
    let mut desk = chatting(500);
    desk.press("M");
    desk.settle();
    desk.shows("500 turns");
}

#[test]
fn one_turn_is_checked_again() {
    let mut desk = sent();
    desk.check();
    desk.press("j");
    desk.press("R");
    let sent = desk.sent();
    assert_eq!(sent.len(), 1);
    assert_eq!(texts(&sent[0].1), [FILM]);
}

#[test]
fn what_is_being_written_is_left_when_something_else_comes() {
    let mut desk = chatting(3);
    desk.key(KeyCode::Char('3'), KeyModifiers::ALT);
    desk.press("ahalf a text");
    desk.key(KeyCode::Char('1'), KeyModifiers::ALT);
    desk.press("M");
    desk.settle();
    desk.press("jjk");
    desk.settle();
    desk.shows("A film night");
    assert_eq!(desk.disk.texts("moderate.bench"), ["half a text"]);
    // A text that comes while another is written stands beside it.
    desk.press("\u{1b}e!");
    desk.key(KeyCode::Char('1'), KeyModifiers::ALT);
    desk.press("M");
    desk.press("\n");
    desk.press("jj");
    desk.settle();
    assert_eq!(desk.disk.texts("moderate.bench"), ["half a text!", SELF]);
}
