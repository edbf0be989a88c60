//! What an answer holds besides its text: shown for what it is, kept, copied, sent back. And failures: kept with their
//! details, shown at the field they are about.

use benchtop::api::call::{Failure, FailureKind, Progress, Reply};
use benchtop::component::Effect;
use benchtop::record::{Block, Record, TurnStatus};
use benchtop::settings::ProfileId;

use crate::desk::{Desk, Writes, call, choice, chunk, end, records, turns};

/// Returns a chunk with this delta as JSON.
pub fn delta(json: &str) -> Progress {
    let delta: serde_json::Value = serde_json::from_str(json).unwrap();
    choice(serde_json::json!({"index": 0, "delta": delta}))
}

/// Asks and is answered with these chunks.
fn answered(desk: &mut Desk, chunks: Vec<Progress>) {
    let ticket = desk.ask("q");
    for chunk in chunks {
        desk.progress(ticket, chunk);
        desk.view(80, 22);
    }
    desk.progress(ticket, Progress::Closed(Ok(())));
}

const REFUSAL: [&str; 2] = [r#"{"content":null,"refusal":"I can"}"#, r#"{"refusal":"not help with that."}"#];
pub const CALL: [&str; 3] = [
    r#"{"tool_calls":[{"index":0,"id":"call_1","function":{"name":"get_weather","arguments":"{\"city\":"}}]}"#,
    r#"{"tool_calls":[{"index":1,"id":"call_2","function":{"name":"get_time","arguments":"{}"}}]}"#,
    r#"{"tool_calls":[{"index":0,"function":{"arguments":"\"Paris\",\"n\":1.50}"}}]}"#,
];

#[test]
fn a_refusal_and_calls_are_shown_for_what_they_are_and_after_a_restart() {
    let mut desk = Desk::new();
    answered(&mut desk, REFUSAL.iter().chain(&CALL).map(|json| delta(json)).chain([end(0, "tool_calls")]).collect());
    for _ in 0..2 {
        let shown = desk.view(80, 30);
        for words in [
            "! the model refused",
            "I cannot help with that.",
            "→ call get_weather",
            "\"city\": \"Paris\"",
            "\"n\": 1.50",
        ] {
            assert!(shown.contains(words), "{words}:\n{shown}");
        }
        assert!(shown.contains("→ call get_time"), "{shown}");
        assert!(!shown.contains("empty answer"), "{shown}");
        desk.restart();
    }
}

#[test]
fn a_refusal_goes_back_as_one_to_the_profile_that_gave_it_and_as_text_to_others() {
    let mut desk = Desk::new();
    answered(&mut desk, REFUSAL.iter().map(|json| delta(json)).chain([end(0, "stop")]).collect());
    for (profile, content, refusal) in [
        ("work", "", Some("I cannot help with that.")),
        ("other", "I cannot help with that.", None),
        ("work", "", Some("I cannot help with that.")),
    ] {
        desk.app.session.profile = ProfileId(profile.into());
        desk.press("\u{1b}");
        desk.press("i");
        desk.press("go on");
        let sent = desk.press("\n");
        let (ticket, request) = call(&sent).unwrap();
        let message = &request.messages[1];
        assert_eq!((message.content.raw(), message.refusal.as_deref()), (content, refusal), "{profile}");
        desk.says(ticket, "yes");
        desk.restart();
    }
}

#[test]
fn calls_are_shown_while_they_are_written_and_kept_as_they_come() {
    let mut desk = Desk::new();
    let ticket = desk.ask("q");
    desk.progress(ticket, delta(CALL[0]));
    let shown = desk.view(80, 22);
    assert!(shown.contains("→ call get_weather") && shown.contains("{\"city\":"), "{shown}");
    desk.writes = Writes::Waiting;
    desk.now += std::time::Duration::from_secs(2);
    let kept = desk.progress(ticket, delta(CALL[1]));
    let blocks = records(&kept).iter().find_map(|record| match record {
        Record::Blocks { blocks, .. } => Some(blocks.clone()),
        _ => None,
    });
    let called: Vec<_> = blocks.unwrap().iter().map(|block| block.text().line().into_owned()).collect();
    assert_eq!(called, ["get_weather({\"city\":)", "get_time({})"]);
    assert!(desk.view(80, 22).contains("saving…"));
}

#[test]
fn what_was_said_in_another_form_is_copied_and_sent_back_as_text() {
    let mut desk = Desk::new();
    let spoken = delta(r#"{"audio":{"transcript":"spoken"}}"#);
    let image = delta(r#"{"images":[{"type":"image_url","image_url":{"url":"https://x.example/a.png"}}]}"#);
    let chunks = CALL.iter().map(|json| delta(json)).chain([chunk("text"), spoken, image]).collect();
    answered(&mut desk, chunks);
    let shown = desk.view(80, 34);
    for words in ["♪ audio transcript", "[image]", "https://x.example/a.png"] {
        assert!(shown.contains(words), "{words}:\n{shown}");
    }
    let said = "text\n\nget_weather({\"city\":\"Paris\",\"n\":1.50})\n\nget_time({})\n\nspoken\n\n[image] https://x.example/a.png";
    desk.press("\u{1b}");
    let copied = desk.press("Y");
    assert!(copied.contains(&Effect::Copy(said.into())), "{copied:?}");
    desk.press("i");
    desk.press("go on");
    let sent = desk.press("\n");
    let messages = call(&sent).unwrap().1.messages.clone();
    let sent: Vec<_> = messages.iter().map(|message| (message.role.as_str(), message.content.raw())).collect();
    assert_eq!(sent, [("user", "q"), ("assistant", said), ("user", "go on")]);
}

#[test]
fn arguments_that_would_be_mostly_indents_are_shown_as_they_came() {
    let depth = 2_000;
    let arguments = format!("{}{}", "[".repeat(depth), "]".repeat(depth));
    let called =
        format!(r#"{{"tool_calls":[{{"index":0,"id":"a","function":{{"name":"f","arguments":"{arguments}"}}}}]}}"#);
    let mut desk = Desk::new();
    answered(&mut desk, vec![delta(&called)]);
    for _ in 0..2 {
        desk.press("\u{1b}");
        desk.press("gg");
        let shown = desk.view(80, 30);
        assert!(shown.contains("→ call f") && shown.contains("[[[[[["), "{shown}");
        desk.restart();
    }
}

#[test]
fn images_without_an_address_are_told_apart_and_sources_named_again_are_not() {
    let images = r#"{"images":[{"type":"image_url","image_url":{"url":"data:image/png;base64,aaaa"}},
        {"type":"image_url","image_url":{"url":"data:image/png;base64,bbbb"}}]}"#;
    let mut desk = Desk::new();
    let sources = r#"{"citations":["https://a.example/"]}"#;
    answered(&mut desk, vec![delta(images), delta(sources), delta(sources)]);
    let shown = desk.view(80, 30);
    assert_eq!((shown.matches("[image]").count(), shown.matches("https://a.example/").count()), (2, 1), "{shown}");
}

#[test]
fn of_very_many_sources_the_number_is_kept() {
    let mut desk = Desk::new();
    let sources = |from: usize| {
        let all: Vec<String> = (from..from + 250).map(|n| format!("\"https://a.example/{n}\"")).collect();
        delta(&format!(r#"{{"citations":[{}]}}"#, all.join(",")))
    };
    let ticket = desk.ask("q");
    for from in (0..3_000).step_by(250) {
        desk.progress(ticket, sources(from));
    }
    let end = desk.progress(ticket, Progress::Closed(Ok(())));
    let turn = turns(&end).pop().unwrap();
    assert_eq!(turn.blocks.len(), 1_001);
    let shown = desk.view(80, 22);
    assert!(shown.contains("[more]") && shown.contains("2000 attachments were left out"), "{shown}");
}

#[test]
fn a_selected_call_is_copied_as_its_arguments_were_written() {
    let mut desk = Desk::new();
    answered(&mut desk, CALL.iter().map(|json| delta(json)).collect());
    desk.view(80, 30);
    desk.press("\u{1b}");
    // From the end: the second call, then the first.
    desk.press("k");
    desk.press("k");
    let copied = desk.press("y");
    assert!(copied.contains(&Effect::Copy("{\"city\":\"Paris\",\"n\":1.50}".into())), "{copied:?}");
}

#[test]
fn only_an_empty_answer_is_called_empty_and_says_how_it_ended() {
    let mut desk = Desk::new();
    answered(&mut desk, vec![end(0, "stop")]);
    assert!(desk.view(80, 22).contains("(empty answer · finish_reason stop)"), "{}", desk.view(80, 22));
    let mut desk = Desk::new();
    answered(&mut desk, vec![]);
    assert!(desk.view(80, 22).contains("(empty answer · no finish_reason was sent)"));
}

#[test]
fn events_that_could_not_be_read_are_counted_below_the_answer() {
    let mut desk = Desk::new();
    let unread = |events| Progress::Reply(Reply::Unread(events));
    answered(&mut desk, vec![chunk("text"), end(0, "stop"), unread(2)]);
    for _ in 0..2 {
        let shown = desk.view(80, 22);
        assert!(shown.contains("! 2 events of the stream could not be read and were left out"), "{shown}");
        assert!(!shown.contains("✕"), "{shown}");
        desk.restart();
    }
}

fn refused(body: &str) -> Failure {
    Failure {
        status: Some(400),
        request_id: Some("req-17".into()),
        attempts: 3,
        body: body.into(),
        headers: vec![("server".to_owned(), "nginx".into())],
        ..Failure::new(FailureKind::Refused, "400 the server refused the request")
    }
}

#[test]
fn details_of_a_failure_outlive_the_program() {
    let mut desk = Desk::new();
    let ticket = desk.ask("q");
    let end = desk.progress(ticket, Progress::Closed(Err(refused("the body"))));
    assert_eq!(turns(&end).last().unwrap().status, TurnStatus::Failed);
    for _ in 0..2 {
        desk.press("\u{1b}");
        desk.press("d");
        let shown = desk.view(80, 22);
        for words in ["status      400", "request id  req-17", "attempts    3", "server: nginx", "the body"] {
            assert!(shown.contains(words), "{words}:\n{shown}");
        }
        desk.press("\u{1b}");
        desk.restart();
    }
}

#[test]
fn a_refusal_points_at_the_parameter_it_names() {
    let mut desk = Desk::new();
    let ticket = desk.ask("q");
    let body = r#"{"error":{"message":"'max_tokens' is not supported with this model.","param":"max_tokens"}}"#;
    desk.progress(ticket, Progress::Closed(Err(refused(body))));
    desk.with(|chat, cx| benchtop::tabs::Tab::command(chat, "params", cx));
    let words: String = desk.view(120, 34).split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("the server refuses max_tokens"), "{}", desk.view(120, 34));
    // The keys act on that field.
    desk.press("\n");
    desk.press("99");
    desk.press("\n");
    let shown = desk.view(120, 34);
    assert!(shown.lines().any(|line| line.contains("Max tokens") && line.contains("99")), "{shown}");
    assert!(!shown.contains("the server refuses"), "{shown}");
}

#[test]
fn blocks_of_the_same_call_are_joined_however_servers_number_them() {
    let call = |index, id: &str, name: &str, arguments: &str| Block::Call {
        index,
        id: id.into(),
        name: name.into(),
        arguments: arguments.into(),
    };
    for (pieces, whole) in [
        (vec![call(0, "a", "f", ""), call(0, "", "", "{"), call(0, "", "", "}")], vec!["f({})"]),
        // Whole calls under one number, told apart by id or by name.
        (vec![call(0, "a", "f", "{}"), call(0, "b", "f", "{}")], vec!["f({})", "f({})"]),
        (vec![call(0, "", "f", "{}"), call(0, "", "g", "{}")], vec!["f({})", "g({})"]),
        // A name in pieces, and one that is said again with each piece.
        (vec![call(0, "a", "get_", ""), call(0, "", "time", "{}")], vec!["get_time({})"]),
        (vec![call(0, "a", "f", "{"), call(0, "a", "f", "}")], vec!["f({})"]),
    ] {
        let mut desk = Desk::new();
        desk.talk("q", "a");
        let mut turn = desk.disk.turns().pop().unwrap();
        turn.blocks.clear();
        for piece in pieces {
            turn.add(piece);
        }
        let said: Vec<_> = turn.blocks.iter().map(|block| block.text().line().into_owned()).collect();
        assert_eq!(said, whole);
    }
}

#[test]
fn what_the_content_filter_ended_says_so_in_a_narrow_pane() {
    let mut desk = Desk::new();
    let ticket = desk.ask("q");
    for progress in [chunk("x"), end(0, "content_filter"), Progress::Closed(Ok(()))] {
        desk.progress(ticket, progress);
    }
    let picture = desk.view(40, 12);
    assert!(picture.contains("! the server's content filter ended"), "{picture}");
    assert!(picture.contains("! this answer") || picture.contains("! answer"), "{picture}");
}
