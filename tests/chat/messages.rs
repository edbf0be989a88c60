//! Every key of the transcript, as `bindings` does it for the other panes.

use benchtop::api::call::{Call, Progress};
use benchtop::component::{Component, Effect, Offer};
use benchtop::record::Record;
use benchtop::record::work::Work;
use crossterm::event::{KeyCode, KeyEvent};

use crate::bindings::{copied, every_key, long, rows};
use crate::desk::{Desk, call, chunk, failure, part, records, turns};

const PLAIN: &str = "A **plain** answer.  ";
const CODE: &str = "Two:\n\n```rust\nlet a = 1;  \n```\n\n```python\n\tb = 2\n```\n";

/// Two prompts and their answers, at the transcript.
fn talked() -> Desk {
    let mut desk = Desk::new();
    desk.talk("first question", PLAIN);
    desk.talk("second question", CODE);
    desk.picture(80, 30);
    desk.key(KeyCode::Esc);
    desk
}

/// An answer of 300 rows, at the transcript.
fn tall() -> Desk {
    let mut desk = Desk::new();
    desk.talk("q", &long());
    desk.picture(80, 22);
    desk.key(KeyCode::Esc);
    desk
}

/// Two versions of an answer, the second is shown.
fn twice() -> Desk {
    let mut desk = Desk::new();
    desk.talk("q", "version one");
    desk.key(KeyCode::Esc);
    let ticket = call(&desk.keys("r")).unwrap().0;
    for progress in [chunk("version two"), Progress::Closed(Ok(()))] {
        let effects = desk.progress(ticket, progress);
        desk.commit(&effects);
    }
    assert!(desk.picture(80, 22).contains("version two"));
    desk
}

/// The whole of the message the keys act on.
fn message(desk: &mut Desk) -> String {
    copied(&desk.keys("Y")).unwrap().to_owned()
}

/// How far down the rows at the top of the view are moved by a key, and how many rows there are.
fn moved(desk: &mut Desk, key: KeyEvent) -> (isize, isize) {
    let (before, page) = rows(&desk.picture(80, 22));
    desk.press(key);
    let (after, _) = rows(&desk.picture(80, 22));
    (after as isize - before as isize, page as isize)
}

/// Which of three needles in a long answer is in view while `needle` is looked for.
fn needle(desk: &mut Desk) -> usize {
    let picture = desk.picture(80, 22);
    ["one", "two", "three"].iter().position(|name| picture.contains(&format!("needle {name}"))).unwrap()
}

fn sought() -> Desk {
    let gap = "straw\n".repeat(80);
    let mut desk = Desk::new();
    desk.talk("q", &format!("```\n{gap}needle one\n{gap}needle two\n{gap}needle three\n{gap}```"));
    desk.picture(80, 22);
    desk.key(KeyCode::Esc);
    desk.keys("/");
    desk.text("needle");
    desk.key(KeyCode::Enter);
    desk
}

#[test]
fn the_transcript() {
    every_key(
        "Transcript",
        &[
            ("i", |key| {
                let mut desk = talked();
                desk.press(key);
                assert!(desk.chat.typing());
            }),
            ("⏎", |key| {
                let mut desk = talked();
                desk.press(key);
                assert!(desk.chat.typing());
            }),
            ("a", |key| {
                let mut desk = talked();
                desk.press(key);
                assert_eq!(desk.marks.len(), 1);
                desk.press(key);
                assert_eq!(desk.marks.len(), 0);
            }),
            ("A", |key| {
                let mut desk = talked();
                desk.press(key);
                assert_eq!(desk.draft(), CODE);
            }),
            ("v", |key| {
                let mut desk = talked();
                desk.press(key);
                assert!(desk.picture(80, 22).contains("Marked answers"));
            }),
            ("j ↓", |key| {
                let mut desk = talked();
                desk.keys("kkk");
                assert_eq!(message(&mut desk), PLAIN);
                desk.press(key);
                assert_eq!(message(&mut desk), "second question");
            }),
            ("k ↑", |key| {
                let mut desk = talked();
                desk.keys("k");
                assert_eq!(message(&mut desk), CODE);
                desk.press(key);
                assert_eq!(message(&mut desk), "second question");
            }),
            ("J", |key| {
                let mut desk = talked();
                for code in ["let a = 1;  \n", "\tb = 2\n"] {
                    desk.press(key);
                    assert_eq!(copied(&desk.keys("y")), Some(code));
                }
            }),
            ("K", |key| {
                let mut desk = talked();
                desk.keys("JJ");
                desk.press(key);
                assert_eq!(copied(&desk.keys("y")), Some("let a = 1;  \n"));
            }),
            ("y ^Y", |key| {
                let mut desk = talked();
                assert_eq!(copied(&desk.press(key)), Some("\tb = 2\n"), "the last listing");
                desk.keys("kkk");
                assert_eq!(copied(&desk.press(key)), Some(PLAIN), "the selected message");
            }),
            ("O", |key| {
                let mut desk = talked();
                assert_eq!(desk.press(key), [Effect::Offer(Offer::Text(CODE.into()))]);
            }),
            ("M", |key| {
                let mut desk = talked();
                let effects = desk.press(key);
                let [Effect::Offer(Offer::Conversation(_, turns))] = effects.as_slice() else { panic!("{effects:?}") };
                assert_eq!(turns.first().map(|(role, _)| role.raw()), Some("user"));
                assert_eq!(turns.last().map(|(_, text)| text.raw()), Some(CODE));
            }),
            ("Y", |key| {
                let mut desk = talked();
                assert_eq!(copied(&desk.press(key)), Some(CODE));
                desk.keys("J");
                assert_eq!(copied(&desk.press(key)), Some(CODE), "all of it, whatever block is selected");
            }),
            ("s", |key| {
                for (before, file, text) in [("J", "block.rs", "let a = 1;  \n"), ("kkk", "message.md", PLAIN)] {
                    let mut desk = talked();
                    desk.keys(before);
                    desk.press(key);
                    assert!(desk.picture(80, 22).contains(file));
                    let [Effect::Work(_, Work::Save { path, text: saved })] = &desk.key(KeyCode::Enter)[..] else {
                        panic!("{file} is not saved")
                    };
                    assert_eq!((path.as_str(), saved.raw()), (file, text));
                }
            }),
            ("r ^R", |key| {
                let mut desk = talked();
                let effects = desk.press(key);
                let request = call(&effects).unwrap().1;
                let said: Vec<&str> = request.messages.iter().map(|message| message.content.raw()).collect();
                assert_eq!(said, ["first question", PLAIN, "second question"]);
            }),
            ("e", |key| {
                let mut desk = talked();
                desk.press(key);
                assert_eq!(desk.draft(), "second question");
                desk.text("!");
                let turn = turns(&desk.key(KeyCode::Enter)).pop().unwrap();
                let beside = desk.disk.iter().find(|turn| turn.content == "second question").unwrap();
                assert_eq!((turn.content.raw(), turn.parent), ("second question!", beside.parent));
            }),
            ("E", |key| {
                let mut desk = talked();
                desk.press(key);
                assert_eq!(desk.draft(), CODE);
                desk.text("More.");
                let kept = desk.press(KeyEvent::from(KeyCode::Esc));
                assert!(call(&kept).is_none(), "nothing is sent");
                assert!(turns(&kept).iter().any(|turn| turn.content.contains("More.") && turn.role == "assistant"));
            }),
            ("X", |key| {
                let mut desk = talked();
                let kept = desk.press(key);
                assert!(desk.picture(80, 30).contains("3 msgs"));
                assert!(records(&kept).count() == 1, "whole or not at all");
            }),
            ("C", |key| {
                let mut desk = talked();
                let [Effect::CopyCurl(_, Call::Chat(request))] = &desk.press(key)[..] else { panic!("not copied") };
                let said: Vec<&str> = request.messages.iter().map(|message| message.content.raw()).collect();
                assert_eq!(said, ["first question", PLAIN, "second question"], "what was asked for the last answer");
                desk.keys("kk");
                let [Effect::CopyCurl(_, Call::Chat(request))] = &desk.press(key)[..] else { panic!("not copied") };
                assert_eq!(request.messages.len(), 3, "the selected message and what came before it");
            }),
            ("c", |key| {
                let mut desk = Desk::new();
                let ticket = desk.ask("q");
                desk.progress(ticket, chunk("half an"));
                let stopped = desk.key(KeyCode::Esc);
                desk.commit(&stopped);
                desk.key(KeyCode::Esc);
                let effects = desk.press(key);
                let last = call(&effects).unwrap().1.messages.last().unwrap();
                assert_eq!((&*last.role, last.content.raw()), ("assistant", "half an"));
            }),
            ("<", |key| {
                let mut desk = twice();
                desk.press(key);
                let picture = desk.picture(80, 22);
                assert!(picture.contains("version one") && picture.contains("‹1/2›"), "{picture}");
            }),
            (">", |key| {
                let mut desk = twice();
                desk.keys("<");
                desk.press(key);
                let picture = desk.picture(80, 22);
                assert!(picture.contains("version two") && picture.contains("‹2/2›"), "{picture}");
            }),
            ("D", |key| {
                let mut desk = twice();
                desk.press(key);
                let picture = desk.picture(100, 22);
                assert!(picture.contains("version one") && picture.contains("version two"), "{picture}");
            }),
            ("m", |key| assert_eq!(talked().press(key), [Effect::ChooseModel])),
            ("p", |key| {
                let mut desk = talked();
                desk.press(key);
                assert!(desk.picture(80, 22).contains("─ System prompt"));
            }),
            ("t ^T", |key| {
                let mut desk = talked();
                desk.press(key);
                assert_eq!(desk.front(), "Parameters");
            }),
            ("^O", |key| {
                let mut desk = talked();
                desk.press(key);
                desk.keys("i");
                desk.text("hi");
                assert_eq!(turns(&desk.key(KeyCode::Enter))[0].role, "assistant");
            }),
            ("z", |key| {
                let mut desk = Desk::new();
                // With room for 5,000 tokens.
                desk.session.model = "gpt-4".into();
                desk.with(|chat, cx| chat.paste(&"line\n".repeat(2500), cx));
                let ticket = desk.ask("");
                for progress in [chunk("Long."), Progress::Closed(Ok(()))] {
                    let effects = desk.progress(ticket, progress);
                    desk.commit(&effects);
                }
                assert!(desk.picture(80, 22).contains("more rows"));
                desk.key(KeyCode::Esc);
                for folded in [false, true] {
                    desk.keys("kkk");
                    desk.picture(80, 22);
                    desk.press(key);
                    desk.keys("G");
                    assert_eq!(desk.picture(80, 22).contains("more rows"), folded);
                }
            }),
            ("l", |key| {
                let mut desk = talked();
                desk.press(key);
                assert_eq!(desk.front(), "Probabilities");
            }),
            ("o", |key| {
                let mut desk = Desk::new();
                let ticket = desk.ask("q");
                desk.progress(ticket, part(0, "Done.", "because of this"));
                desk.progress(ticket, Progress::Closed(Ok(())));
                desk.key(KeyCode::Esc);
                for shown in [false, true, false] {
                    assert_eq!(desk.picture(80, 22).contains("because of this"), shown);
                    desk.press(key);
                }
            }),
            ("R", |key| {
                let mut desk = talked();
                for raw in [false, true, false] {
                    assert_eq!(desk.picture(80, 30).contains("**plain**"), raw);
                    desk.press(key);
                }
            }),
            ("f", |key| {
                let mut desk = Desk::new();
                let ticket = desk.ask("q");
                desk.progress(ticket, chunk(&"straw\n\n".repeat(40)));
                desk.picture(80, 22);
                desk.key(KeyCode::Tab);
                desk.press(key);
                desk.progress(ticket, chunk("the end"));
                let picture = desk.picture(80, 22);
                assert!(picture.contains("new line") && !picture.contains("the end"), "{picture}");
                desk.press(key);
                let picture = desk.picture(80, 22);
                assert!(picture.contains("following") && picture.contains("the end"), "{picture}");
            }),
            ("/", |key| {
                let mut desk = tall();
                desk.press(key);
                desk.text("row 77");
                assert!(desk.picture(80, 22).contains("row 77"));
            }),
            ("n", |key| {
                let mut desk = talked();
                desk.press(key);
                assert!(desk.picture(80, 22).contains("New conversation"));
                let mut desk = sought();
                let at = needle(&mut desk);
                for next in 1..=3 {
                    desk.press(key);
                    assert_eq!(needle(&mut desk), (at + next) % 3);
                }
            }),
            ("N", |key| {
                let mut desk = sought();
                let at = needle(&mut desk);
                for next in 1..=3 {
                    desk.press(key);
                    assert_eq!(needle(&mut desk), (at + 3 - next) % 3);
                }
            }),
            ("x", |key| {
                let mut desk = talked();
                let kept = desk.press(key);
                assert!(records(&kept).any(|(_, record)| matches!(record, Record::Trashed { at_ms: Some(_), .. })));
                assert!(desk.picture(80, 22).contains("New conversation"));
            }),
            ("u", |key| {
                let mut desk = talked();
                desk.keys("x");
                desk.picture(80, 22);
                let kept = desk.press(key);
                assert!(records(&kept).any(|(_, record)| matches!(record, Record::Trashed { at_ms: None, .. })));
                desk.look_up(&kept);
                assert!(desk.picture(80, 22).contains("second question"));
            }),
            ("d", |key| {
                let mut desk = Desk::new();
                let ticket = desk.ask("q");
                desk.progress(ticket, Progress::Closed(Err(failure("401 wrong key", Some(401)))));
                desk.key(KeyCode::Esc);
                desk.press(key);
                let picture = desk.picture(80, 22);
                assert!(picture.contains("─ What the server said") && picture.contains("status      401"), "{picture}");
            }),
            ("b", |key| {
                let mut desk = talked();
                for (width, shown) in [(120, true), (80, false)] {
                    for shown in [shown, !shown, shown] {
                        assert_eq!(desk.picture(width, 34).contains("Conversations"), shown, "{width}");
                        desk.press(key);
                    }
                    desk.press(key);
                    desk.press(key);
                    desk.press(key);
                }
            }),
            ("g home", |key| {
                let mut desk = tall();
                desk.press(key);
                assert_eq!(rows(&desk.picture(80, 22)).0, 1);
            }),
            ("G end", |key| {
                let mut desk = tall();
                desk.keys("g");
                desk.picture(80, 22);
                desk.press(key);
                let picture = desk.picture(80, 22);
                assert!(picture.contains("row 300") && picture.contains("following"), "{picture}");
            }),
            ("PgUp", |key| {
                let (by, page) = moved(&mut tall(), key);
                assert!((page - 2..=page + 2).contains(&-by), "{by} of {page}");
            }),
            ("PgDn", |key| {
                let mut desk = tall();
                desk.keys("g");
                desk.key(KeyCode::PageDown);
                let (by, page) = moved(&mut desk, key);
                assert!((page - 2..=page + 2).contains(&by), "{by} of {page}");
            }),
            ("^U", |key| {
                let (by, page) = moved(&mut tall(), key);
                assert!((page / 2 - 1..=page / 2 + 2).contains(&-by), "{by} of {page}");
            }),
            ("^D", |key| {
                let mut desk = tall();
                desk.keys("g");
                desk.key(KeyCode::PageDown);
                let (by, page) = moved(&mut desk, key);
                assert!((page / 2 - 1..=page / 2 + 2).contains(&by), "{by} of {page}");
            }),
            ("F4", |key| assert_eq!(talked().press(key), [Effect::Edit])),
            ("tab", |key| {
                let mut desk = talked();
                desk.picture(120, 34);
                desk.press(key);
                assert_eq!(desk.front(), "Conversations");
            }),
            ("shift+tab", |key| {
                let mut desk = talked();
                desk.press(key);
                assert_eq!(desk.front(), "Message");
            }),
        ],
    );
}
