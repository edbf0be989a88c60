//! Whole ways through the program: a person at a real terminal on one side, a server on the other, the store at the
//! end.
#![cfg(unix)]
#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used)]

mod common;

use std::path::{Path, PathBuf};
use std::time::Duration;

use benchtop::record::TurnStatus;
use tempfile::TempDir;

use common::kept::{kept, texts};
use common::server::Server;
use common::{Bench, Setup};

const ENTER: &str = "\r";
const ESC: &str = "\x1b";
const TAB: &str = "\t";
const NEWLINE: &str = "\n";
const QUIT: &str = "\x11";

fn data(home: &Path) -> PathBuf {
    home.join("data")
}

fn start(home: TempDir, server: &Server) -> Bench {
    let dir = data(home.path());
    let args = ["--base-url", &server.url, "--model", "auto", "--data-dir", dir.to_str().unwrap()];
    let mut bench = Bench::with(Setup { args: &args, home: Some(home), ..Setup::default() });
    bench.wait("▐1");
    bench
}

fn fresh(server: &Server) -> Bench {
    start(tempfile::tempdir().unwrap(), server)
}

fn ask(bench: &mut Bench, question: &str) {
    bench.type_in(question);
    bench.send(ENTER);
}

/// Waits until the answer has ended and is kept.
fn settled(bench: &mut Bench, messages: u32) -> String {
    let saved = format!("{messages} messages · saved ✓");
    bench.until(&saved, |text| text.contains(&saved) && !text.contains("esc stop"))
}

/// Quits; the home, to look into or to start again in.
fn quit(mut bench: Bench) -> TempDir {
    bench.send(QUIT);
    assert_eq!(bench.ended(), 0);
    bench.assert_whole();
    bench.into_home()
}

fn said(role: &str, text: &str) -> (String, String) {
    (role.to_owned(), text.to_owned())
}

#[test]
fn a_stopped_answer_is_kept_to_the_byte_and_is_there_again() {
    let server = Server::start();
    let mut bench = fresh(&server);
    ask(&mut bench, "Count for me");
    let mut asked = server.asked();
    assert_eq!((asked.last(), &asked.body["model"]), (("user", "Count for me"), &"auto".into()));
    asked.open();
    for token in ["one,", " two,", " three,\n", "vier"] {
        assert!(asked.token(token));
        bench.wait(token.trim());
    }
    bench.send(ESC);
    bench.wait("■ stopped");
    asked.left();
    settled(&mut bench, 2);
    let home = quit(bench);
    let expected = [said("user", "Count for me"), said("assistant", "one, two, three,\nvier")];
    assert_eq!(texts(&data(home.path())), expected);
    assert_eq!(kept(&data(home.path()))[0].turns[1].status, TurnStatus::Stopped);

    let mut bench = start(home, &server);
    let text = bench.wait("■ stopped");
    assert!(text.contains("one, two, three,") && text.contains("vier"), "{text}");
    let home = quit(bench);
    assert_eq!(texts(&data(home.path())), expected, "looking at it changes nothing");
}

#[test]
fn a_whole_answer_is_kept_to_the_byte_and_its_escapes_stay_off_the_terminal() {
    // What a terminal would act on: colour, title, clipboard, a query it would answer, one-character forms of these.
    let acts = [
        "\x1b[31337m",
        "\x1b]0;owned\x07",
        "\x1b]52;c;b3duZWQ=\x07",
        "\x1bP+q544e\x1b\\",
        "\u{9b}31338m",
        "\u{9d}0;owned\u{9c}",
        // What it would reorder by, hide or break the line at.
        "\u{202e}",
        "\u{2066}",
        "\u{e0041}",
        "\u{e007f}",
        "\u{2028}",
    ];
    // What stands for these.
    let shown = [
        "␛[31337m",
        "␛]0;owned␇",
        "␛]52;c;b3duZWQ=␇",
        "␛P+q544e␛",
        "⟨U+009B⟩31338m",
        "⟨U+009D⟩0;owned⟨U+009C⟩",
        "⟨U+202E⟩",
        "⟨U+2066⟩",
        "⟨U+E0041⟩⟨U+E007F⟩⟨U+2028⟩",
    ];
    let server = Server::start();
    let mut bench = fresh(&server);
    ask(&mut bench, "Say it");
    let mut asked = server.asked();
    asked.open();
    let mut whole = String::new();
    let plain = ["你好，世界 ", "👩‍👩‍👧‍👦 ", "e\u{301} ", "\r\n", "tab\there ", "\0", "עברית\n\n```rust\nlet x = 1;\n```\n"];
    for piece in plain.into_iter().chain(acts).chain(["the", " end"]) {
        whole.push_str(piece);
        assert!(asked.token(piece));
    }
    asked.finish();
    let text = settled(&mut bench, 2);
    assert!(text.contains("你好，世界") && text.contains("let x = 1;") && text.contains("the end"), "{text}");
    // Wrapped anywhere: the rows' ends mean nothing.
    let joined = |text: &str| text.lines().map(|line| line.trim_matches(['│', '┃', '▌', ' '])).collect::<String>();
    let missing = |text: &str| shown.into_iter().find(|shown| !joined(text).contains(shown));
    assert_eq!(missing(&text), None, "{text}");
    // Also as raw text, which shows what is there.
    bench.send(ESC);
    // An Esc that is read together with the next key is Alt with that key.
    bench.wait("regenerate");
    bench.send("R");
    let text = bench.wait("```rust");
    assert_eq!(missing(&text), None, "{text}");
    let sent = bench.bytes.clone();
    for act in acts {
        let act = act.trim_end_matches(['\x07', '\\', '\x1b', '\u{9c}']);
        assert!(!sent.windows(act.len()).any(|bytes| bytes == act.as_bytes()), "{act:?} reached the terminal");
    }
    let home = quit(bench);
    assert_eq!(texts(&data(home.path())), [said("user", "Say it"), said("assistant", &whole)]);
    assert_eq!(kept(&data(home.path()))[0].turns[1].status, TurnStatus::Done);
}

#[test]
fn a_draft_survives_and_a_long_paste_is_sent_whole() {
    let server = Server::start();
    let mut bench = fresh(&server);
    bench.type_in("first line");
    bench.send(NEWLINE);
    bench.type_in("second line");
    let home = quit(bench);
    assert_eq!(kept(&data(home.path()))[0].conversation.draft, "first line\nsecond line");

    let mut bench = start(home, &server);
    let text = bench.wait("second line");
    assert!(text.contains("first line"), "{text}");
    assert!(server.poll().is_none(), "nothing was sent");
    let pasted = (0..3000).map(|n| format!("line {n} — ünïcode")).collect::<Vec<_>>().join("\n");
    bench.send(&format!("\x1b[200~{pasted}\x1b[201~"));
    bench.wait("pasted 3,000 lines");
    // For this long Enter belongs to the paste: that is the rule, so it is the fact to wait for.
    std::thread::sleep(Duration::from_millis(200));
    bench.send(ENTER);
    let mut asked = server.asked();
    let whole = format!("first line\nsecond line{pasted}");
    assert_eq!(asked.last(), ("user", whole.as_str()));
    asked.open();
    asked.token("Long.");
    asked.finish();
    settled(&mut bench, 2);
    let home = quit(bench);
    assert_eq!(texts(&data(home.path())), [said("user", &whole), said("assistant", "Long.")]);
    assert_eq!(kept(&data(home.path()))[0].conversation.draft, "");
}

/// Starts another copy on the same data.
fn beside(first: &Bench, server: &Server) -> Bench {
    let dir = data(first.home.path());
    let args = ["--base-url", &server.url, "--model", "auto", "--data-dir", dir.to_str().unwrap()];
    Bench::with(Setup { args: &args, ..Setup::default() })
}

/// Types a draft and waits until it is called saved.
fn draft(bench: &mut Bench, text: &str) {
    bench.type_in(text);
    bench.until("the draft is saved", |screen| screen.contains(text) && screen.contains("saved ✓"));
}

#[test]
fn two_copies_in_one_conversation_each_keep_their_draft() {
    let server = Server::start();
    let mut one = fresh(&server);
    ask(&mut one, "Hello");
    let mut asked = server.asked();
    asked.open();
    asked.token("Hi.");
    asked.finish();
    settled(&mut one, 2);
    let mut two = beside(&one, &server);
    two.wait("── Hello");
    draft(&mut one, "written by one");
    draft(&mut two, "written by two");
    // Kill -9, both.
    drop(two);
    let home = one.into_home();
    let mut bench = start(home, &server);
    let text = bench.wait("F3 other draft");
    assert!(text.contains("written by two") && !text.contains("written by one"), "{text}");
    bench.send("\x1bOR");
    bench.wait_gone("written by two");
    let text = bench.wait("written by one");
    assert!(text.contains("F3 other draft"), "{text}");
    settled(&mut bench, 2);
    let home = quit(bench);
    let mut bench = start(home, &server);
    let text = bench.until("the first draft, and that there is another", |screen| {
        screen.contains("written by one") && screen.contains("F3 other draft")
    });
    assert!(!text.contains("written by two"), "{text}");
    bench.send("\x1bOR");
    bench.wait("written by two");
    settled(&mut bench, 2);
    bench.send(ENTER);
    let mut asked = server.asked();
    assert_eq!(asked.last(), ("user", "written by two"));
    asked.open();
    asked.token("Yes.");
    asked.finish();
    settled(&mut bench, 4);
    let home = quit(bench);
    assert_eq!(kept(&data(home.path()))[0].conversation.draft, "written by one", "what was not sent stays");
}

#[test]
fn a_draft_is_listed_by_its_first_words() {
    let server = Server::start();
    let mut bench = fresh(&server);
    draft(&mut bench, "Seven reasons");
    let text = bench.wait("Draft: Seven reasons");
    assert_eq!(text.matches("Seven reasons").count(), 2, "in the list and in the box: {text}");
    quit(bench);
}

#[test]
fn a_store_that_is_deleted_under_a_running_program_is_written_again() {
    let server = Server::start();
    let mut bench = fresh(&server);
    ask(&mut bench, "Hello");
    let mut asked = server.asked();
    asked.open();
    asked.token("Hi.");
    asked.finish();
    settled(&mut bench, 2);
    // The program may add a file between two steps of the deletion.
    while let Err(why) = std::fs::remove_dir_all(data(bench.home.path())) {
        assert_eq!(why.kind(), std::io::ErrorKind::DirectoryNotEmpty, "{why}");
    }
    draft(&mut bench, "after the accident");
    bench.wait("file was deleted while benchtop ran");
    let home = bench.into_home();
    assert_eq!(texts(&data(home.path())), [said("user", "Hello"), said("assistant", "Hi.")]);
    assert_eq!(kept(&data(home.path()))[0].conversation.draft, "after the accident");
}

/// Lets no file of the program grow beyond so many bytes; `None`: as far as the disk goes.
#[cfg(target_os = "linux")]
fn limit(bench: &Bench, bytes: Option<u64>) {
    use rustix::process::{Pid, Resource, Rlimit, prlimit};
    let limit = Rlimit { current: bytes, maximum: None };
    prlimit(Pid::from_raw(bench.pid()), Resource::Fsize, limit).unwrap();
}

/// Receives an answer while the disk accepts nothing, and continues to the question whether to quit.
#[cfg(target_os = "linux")]
fn answered_on_a_full_disk(server: &Server) -> (Bench, String) {
    let home = tempfile::tempdir().unwrap();
    let dir = data(home.path());
    let args = ["--base-url", &server.url, "--model", "auto", "--data-dir", dir.to_str().unwrap()];
    let mut bench = Bench::with(Setup { args: &args, home: Some(home), ..Setup::default() });
    bench.wait("▐1");
    ask(&mut bench, "Count for me");
    let mut asked = server.asked();
    asked.open();
    assert!(asked.token("begun"));
    bench.until("the beginning is saved", |text| text.contains("begun") && text.contains("saved ✓"));
    limit(&bench, Some(std::fs::metadata(dir.join("benchtop.db-wal")).unwrap().len()));
    let mut whole = "begun".to_owned();
    for n in 0..3_000 {
        let piece = format!(" {n}");
        assert!(asked.token(&piece));
        whole.push_str(&piece);
    }
    bench.wait("✕ not saved");
    asked.finish();
    bench.wait_gone("esc stop");
    assert!(bench.wait("2999").contains("✕ not saved"));
    bench.send(QUIT);
    bench.wait("could not be saved: the disk");
    (bench, whole)
}

#[cfg(target_os = "linux")]
#[test]
fn what_streamed_while_the_disk_was_full_is_kept_by_quitting_once_it_has_room() {
    let server = Server::start();
    let (mut bench, whole) = answered_on_a_full_disk(&server);
    limit(&bench, None);
    // Chosen at once: what waits is offered once more at the end.
    bench.send("\x1b[C");
    bench.send(ENTER);
    assert_eq!(bench.ended(), 0);
    bench.assert_whole();
    let home = bench.into_home();
    assert_eq!(texts(&data(home.path())), [said("user", "Count for me"), said("assistant", &whole)]);
}

#[cfg(target_os = "linux")]
#[test]
fn what_streamed_while_the_disk_was_full_is_kept_when_it_has_room_without_a_key() {
    let server = Server::start();
    let (mut bench, whole) = answered_on_a_full_disk(&server);
    limit(&bench, None);
    bench.wait("everything is saved");
    bench.until("saved ✓", |text| text.contains("saved ✓") && !text.contains("not saved"));
    // Kill -9.
    let home = bench.into_home();
    assert_eq!(texts(&data(home.path())), [said("user", "Count for me"), said("assistant", &whole)]);
}

#[cfg(target_os = "linux")]
#[test]
fn what_the_disk_refuses_to_the_end_is_told_on_the_terminal() {
    let server = Server::start();
    let (mut bench, _) = answered_on_a_full_disk(&server);
    bench.send("\x1b[C");
    bench.send(ENTER);
    assert_eq!(bench.ended(), 1);
    let text = bench.text();
    assert!(text.contains("not everything could be saved: ") && text.contains("the disk reports an error"), "{text}");
}

#[test]
fn a_countdown_is_ended_and_given_up() {
    let busy = r#"{"error":{"message":"slow down","type":"requests","code":"rate_limit_exceeded"}}"#;
    let server = Server::start();
    let mut bench = fresh(&server);
    ask(&mut bench, "Quickly please");
    server.asked().refuse("429 Too Many Requests", "retry-after: 100\r\n", busy);
    bench.wait("attempt 2 of 3 in");
    assert!(server.poll().is_none());
    bench.send(ENTER);
    server.asked().refuse("429 Too Many Requests", "retry-after: 100\r\n", busy);
    bench.wait("attempt 3 of 3 in");
    bench.send(ESC);
    bench.wait_gone("attempt 3 of 3");
    let home = quit(bench);
    assert_eq!(kept(&data(home.path()))[0].conversation.draft, "Quickly please");
    assert!(server.poll().is_none(), "it was given up");

    // The box's text is the prompt: it can be sent as it is.
    let mut bench = start(home, &server);
    // In the list, as the title, as the message that failed and in the box: all of it is there again.
    bench.until("the prompt in the box", |text| text.matches("Quickly please").count() == 4);
    bench.send(ENTER);
    let mut asked = server.asked();
    assert_eq!(asked.last(), ("user", "Quickly please"));
    asked.open();
    asked.token("Here.");
    asked.finish();
    bench.wait("Here.");
    quit(bench);
}

#[test]
fn an_answer_that_was_cut_off_says_so_and_goes_on() {
    let server = Server::start();
    let mut bench = fresh(&server);
    ask(&mut bench, "Tell me");
    let mut asked = server.asked();
    asked.open();
    asked.token("Once upon");
    bench.wait("Once upon");
    asked.cut();
    bench.wait("cut off");
    assert!(server.poll().is_none(), "it is not asked again by itself");
    bench.send(ESC);
    bench.wait("regenerate");
    bench.send("c");
    let mut asked = server.asked();
    assert_eq!(asked.last(), ("assistant", "Once upon"));
    asked.open();
    asked.token(" a time");
    asked.finish();
    bench.wait("Once upon a time");
    bench.until("saved ✓", |text| text.contains("saved ✓") && !text.contains("esc stop"));
    let home = quit(bench);
    let texts = texts(&data(home.path()));
    assert_eq!(
        texts,
        [said("user", "Tell me"), said("assistant", "Once upon"), said("assistant", "Once upon a time")],
        "the piece and the whole are two versions"
    );
}

#[test]
fn leaving_a_conversation_does_not_stop_it() {
    let server = Server::start();
    let mut bench = fresh(&server);
    ask(&mut bench, "Slowly");
    let mut asked = server.asked();
    asked.open();
    asked.token("alpha");
    bench.wait("alpha");
    bench.send(TAB);
    bench.wait("i write");
    bench.send("n");
    bench.wait("── New conversation");
    assert!(asked.token(" beta"));
    ask(&mut bench, "Second");
    let mut second = server.asked();
    second.open();
    second.token("other");
    bench.wait("other");
    assert!(asked.token(" gamma"));
    asked.finish();
    second.finish();
    settled(&mut bench, 2);
    let text = bench.text();
    assert!(text.contains("Slowly") && !text.contains("gamma"), "{text}");
    // Back to it by the list.
    bench.send("\x1b[Z");
    bench.wait("⏎ open");
    bench.send("j");
    bench.send(ENTER);
    bench.wait("alpha beta gamma");
    settled(&mut bench, 2);
    let home = quit(bench);
    let all = kept(&data(home.path()));
    let one = all.iter().find(|one| one.turns[0].content == "Slowly").unwrap();
    assert_eq!((one.turns[1].content.raw(), one.turns[1].status), ("alpha beta gamma", TurnStatus::Done));
}

#[test]
fn the_local_service_answers_and_is_handed_on() {
    let home = tempfile::tempdir().unwrap();
    let dir = data(home.path());
    let dir = dir.to_str().unwrap();
    let local = || {
        let mut bench = Bench::start(&["--data-dir", dir]);
        bench.wait("▐1");
        bench.wait("local");
        bench
    };
    let mut first = local();
    ask(&mut first, "What is water?");
    settled(&mut first, 2);
    let mut second = local();
    // What was open last is open again.
    second.wait("── What is water?");
    // Each in a conversation of its own: small models fill their context.
    let mut another = |question: &str, first: Option<Bench>| {
        second.send(TAB);
        second.wait("i write");
        second.send("n");
        second.wait("── New conversation");
        if let Some(first) = first {
            quit(first);
        }
        ask(&mut second, question);
        settled(&mut second, 2);
    };
    another("And ice?", None);
    another("And steam?", Some(first));
    quit(second);
    let all = kept(Path::new(dir));
    assert_eq!(all.len(), 3);
    for one in all {
        let turn = &one.turns[1];
        assert_eq!((turn.status, turn.content.is_empty()), (TurnStatus::Done, false), "{turn:?}");
    }
}
