//! Every key of the transcript, as `bindings` does it for the other panes.

use benchtop::api::call::{Call, Progress};
use benchtop::component::{Component, Effect, Offer};
use benchtop::record::Record;
use benchtop::record::work::Work;
use crossterm::event::{KeyCode, KeyEvent};

use crate::bindings::{asks_for_a_result, copied, every_key, long, rows};
use crate::desk::{Desk, call, chunk, failure, part, records, turns};

const PLAIN: &str = "A **plain** answer.  ";
const CODE: &str = "Two:\n\n```rust\nlet a = 1;  \n```\n\n```python\n\tb = 2\n```\n";

/// Creates a conversation of two prompts with answers, with the transcript focused.
fn talked() -> Desk {
    let mut desk = Desk::new();
    desk.talk("first question", PLAIN);
    desk.talk("second question", CODE);
    desk.view(80, 30);
    desk.press("\u{1b}");
    desk
}

/// Creates an answer of 300 rows, with the transcript focused.
fn tall() -> Desk {
    let mut desk = Desk::new();
    desk.talk("q", &long());
    desk.view(80, 22);
    desk.press("\u{1b}");
    desk
}

/// Creates two versions of an answer and shows the second.
fn twice() -> Desk {
    let mut desk = Desk::new();
    desk.talk("q", "version one");
    desk.press("\u{1b}");
    let ticket = call(&desk.press("r")).unwrap().0;
    for progress in [chunk("version two"), Progress::Closed(Ok(()))] {
        desk.progress(ticket, progress);
    }
    assert!(desk.view(80, 22).contains("version two"));
    desk
}

/// Returns the complete text of the message on which the keys act.
fn message(desk: &mut Desk) -> String {
    copied(&desk.press("Y")).unwrap().to_owned()
}

/// Returns by how many rows a key moves the view down, and the number of visible rows.
fn moved(desk: &mut Desk, key: KeyEvent) -> (isize, isize) {
    let (before, page) = rows(&desk.view(80, 22));
    desk.code(key);
    let (after, _) = rows(&desk.view(80, 22));
    (after as isize - before as isize, page as isize)
}

/// Returns which of three occurrences of `needle` in a long answer is visible while it is searched for.
fn needle(desk: &mut Desk) -> usize {
    let picture = desk.view(80, 22);
    ["one", "two", "three"].iter().position(|name| picture.contains(&format!("needle {name}"))).unwrap()
}

fn sought() -> Desk {
    let gap = "straw\n".repeat(80);
    let mut desk = Desk::new();
    desk.talk("q", &format!("```\n{gap}needle one\n{gap}needle two\n{gap}needle three\n{gap}```"));
    desk.view(80, 22);
    desk.press("\u{1b}");
    desk.press("/");
    desk.press("needle");
    desk.press("\n");
    desk
}

#[test]
fn the_transcript() {
    every_key(
        "Transcript",
        &[
            ("i", |key| {
                let mut desk = talked();
                desk.code(key);
                assert!(desk.app.tab.typing());
            }),
            ("⏎", |key| {
                let mut desk = talked();
                desk.code(key);
                assert!(desk.app.tab.typing());
            }),
            ("a", |key| {
                let mut desk = talked();
                desk.code(key);
                assert_eq!(desk.disk.marks().len(), 1);
                desk.code(key);
                assert_eq!(desk.disk.marks().len(), 0);
            }),
            ("A", |key| {
                let mut desk = talked();
                desk.code(key);
                assert_eq!(desk.draft(), CODE);
            }),
            ("w F6", |key| asks_for_a_result("\u{1b}", key)),
            ("v", |key| {
                let mut desk = talked();
                desk.code(key);
                assert!(desk.view(80, 22).contains("Marked answers"));
            }),
            ("j ↓", |key| {
                let mut desk = talked();
                desk.press("kkk");
                assert_eq!(message(&mut desk), PLAIN);
                desk.code(key);
                assert_eq!(message(&mut desk), "second question");
            }),
            ("k ↑", |key| {
                let mut desk = talked();
                desk.press("k");
                assert_eq!(message(&mut desk), CODE);
                desk.code(key);
                assert_eq!(message(&mut desk), "second question");
            }),
            ("J", |key| {
                let mut desk = talked();
                for code in ["let a = 1;  \n", "\tb = 2\n"] {
                    desk.code(key);
                    assert_eq!(copied(&desk.press("y")), Some(code));
                }
            }),
            ("K", |key| {
                let mut desk = talked();
                desk.press("JJ");
                desk.code(key);
                assert_eq!(copied(&desk.press("y")), Some("let a = 1;  \n"));
            }),
            ("y ^Y", |key| {
                let mut desk = talked();
                assert_eq!(copied(&desk.code(key)), Some("\tb = 2\n"), "the last listing");
                desk.press("kkk");
                assert_eq!(copied(&desk.code(key)), Some(PLAIN), "the selected message");
            }),
            ("O", |key| {
                let mut desk = talked();
                assert_eq!(desk.code(key), [Effect::Offer(Offer::Text(CODE.into()))]);
            }),
            ("M", |key| {
                let mut desk = talked();
                let effects = desk.code(key);
                let [Effect::Offer(Offer::Conversation(_, turns))] = effects.as_slice() else { panic!("{effects:?}") };
                assert_eq!(turns.first().map(|(role, _)| role.raw()), Some("user"));
                assert_eq!(turns.last().map(|(_, text)| text.raw()), Some(CODE));
            }),
            ("Y", |key| {
                let mut desk = talked();
                assert_eq!(copied(&desk.code(key)), Some(CODE));
                desk.press("J");
                assert_eq!(copied(&desk.code(key)), Some(CODE), "all of it, whatever block is selected");
            }),
            ("s", |key| {
                for (before, file, text) in [("J", "block.rs", "let a = 1;  \n"), ("kkk", "message.md", PLAIN)] {
                    let mut desk = talked();
                    desk.press(before);
                    desk.code(key);
                    assert!(desk.view(80, 22).contains(file));
                    let [Effect::Work(_, Work::Save { path, text: saved }), ..] = &desk.press("\n")[..] else {
                        panic!("{file} is not saved")
                    };
                    assert_eq!((path.as_str(), saved.raw()), (file, text));
                }
            }),
            ("r ^R", |key| {
                let mut desk = talked();
                let effects = desk.code(key);
                let request = call(&effects).unwrap().1;
                let said: Vec<&str> = request.messages.iter().map(|message| message.content.raw()).collect();
                assert_eq!(said, ["first question", PLAIN, "second question"]);
            }),
            ("e", |key| {
                let mut desk = talked();
                desk.code(key);
                assert_eq!(desk.draft(), "second question");
                desk.press("!");
                let turn = turns(&desk.press("\n")).remove(0);
                let beside = desk.disk.turns().into_iter().find(|turn| turn.content == "second question").unwrap();
                assert_eq!((turn.content.raw(), turn.parent), ("second question!", beside.parent));
            }),
            ("E", |key| {
                let mut desk = talked();
                desk.code(key);
                assert_eq!(desk.draft(), CODE);
                desk.press("More.");
                let kept = desk.code(KeyEvent::from(KeyCode::Esc));
                assert!(call(&kept).is_none(), "nothing is sent");
                assert!(turns(&kept).iter().any(|turn| turn.content.contains("More.") && turn.role == "assistant"));
            }),
            ("X", |key| {
                let mut desk = talked();
                let kept = desk.code(key);
                assert!(desk.view(80, 30).contains("3 msgs"));
                assert_eq!(
                    kept.iter().filter(|effect| matches!(effect, Effect::Save(..))).count(),
                    1,
                    "whole or not at all"
                );
            }),
            ("C", |key| {
                let mut desk = talked();
                let [Effect::CopyCurl(_, Call::Chat(request))] = &desk.code(key)[..] else { panic!("not copied") };
                let said: Vec<&str> = request.messages.iter().map(|message| message.content.raw()).collect();
                assert_eq!(said, ["first question", PLAIN, "second question"], "what was asked for the last answer");
                desk.press("kk");
                let [Effect::CopyCurl(_, Call::Chat(request))] = &desk.code(key)[..] else { panic!("not copied") };
                assert_eq!(request.messages.len(), 3, "the selected message and what came before it");
            }),
            ("c", |key| {
                let mut desk = Desk::new();
                let ticket = desk.ask("q");
                desk.progress(ticket, chunk("half an"));
                desk.press("\u{1b}");
                desk.press("\u{1b}");
                let effects = desk.code(key);
                let last = call(&effects).unwrap().1.messages.last().unwrap();
                assert_eq!((&*last.role, last.content.raw()), ("assistant", "half an"));
            }),
            ("<", |key| {
                let mut desk = twice();
                desk.code(key);
                let picture = desk.view(80, 22);
                assert!(picture.contains("version one") && picture.contains("‹1/2›"), "{picture}");
            }),
            (">", |key| {
                let mut desk = twice();
                desk.press("<");
                desk.code(key);
                let picture = desk.view(80, 22);
                assert!(picture.contains("version two") && picture.contains("‹2/2›"), "{picture}");
            }),
            ("D", |key| {
                let mut desk = twice();
                desk.code(key);
                let picture = desk.view(100, 22);
                assert!(picture.contains("version one") && picture.contains("version two"), "{picture}");
            }),
            ("m", |key| assert_eq!(talked().code(key), [Effect::OpenModelPicker])),
            ("p", |key| {
                let mut desk = talked();
                desk.code(key);
                assert!(desk.view(80, 22).contains("─ System prompt"));
            }),
            ("t ^T", |key| {
                let mut desk = talked();
                desk.code(key);
                assert_eq!(desk.front(), "Parameters");
            }),
            ("^O", |key| {
                let mut desk = talked();
                desk.code(key);
                desk.press("i");
                desk.press("hi");
                assert_eq!(turns(&desk.press("\n"))[0].role, "assistant");
            }),
            ("z", |key| {
                let mut desk = Desk::new();
                // With room for 5,000 tokens.
                desk.app.session.model = "gpt-4".into();
                desk.paste(&"line\n".repeat(2500));
                let ticket = desk.ask("");
                for progress in [chunk("Long."), Progress::Closed(Ok(()))] {
                    desk.progress(ticket, progress);
                }
                assert!(desk.view(80, 22).contains("more rows"));
                desk.press("\u{1b}");
                for folded in [false, true] {
                    desk.press("kkk");
                    desk.view(80, 22);
                    desk.code(key);
                    desk.press("G");
                    assert_eq!(desk.view(80, 22).contains("more rows"), folded);
                }
            }),
            ("l", |key| {
                let mut desk = talked();
                desk.code(key);
                assert_eq!(desk.front(), "Probabilities");
            }),
            ("o", |key| {
                let mut desk = Desk::new();
                let ticket = desk.ask("q");
                desk.progress(ticket, part(0, "Done.", "because of this"));
                desk.progress(ticket, Progress::Closed(Ok(())));
                desk.press("\u{1b}");
                for shown in [false, true, false] {
                    assert_eq!(desk.view(80, 22).contains("because of this"), shown);
                    desk.code(key);
                }
            }),
            ("R", |key| {
                let mut desk = talked();
                for raw in [false, true, false] {
                    assert_eq!(desk.view(80, 30).contains("**plain**"), raw);
                    desk.code(key);
                }
            }),
            ("f", |key| {
                let mut desk = Desk::new();
                let ticket = desk.ask("q");
                desk.progress(ticket, chunk(&"straw\n\n".repeat(40)));
                desk.view(80, 22);
                desk.press("\t");
                desk.code(key);
                desk.progress(ticket, chunk("the end"));
                let picture = desk.view(80, 22);
                assert!(picture.contains("new line") && !picture.contains("the end"), "{picture}");
                desk.code(key);
                let picture = desk.view(80, 22);
                assert!(picture.contains("following") && picture.contains("the end"), "{picture}");
            }),
            ("/", |key| {
                let mut desk = tall();
                desk.code(key);
                desk.press("row 77");
                assert!(desk.view(80, 22).contains("row 77"));
            }),
            ("n", |key| {
                let mut desk = talked();
                desk.code(key);
                assert!(desk.view(80, 22).contains("New conversation"));
                let mut desk = sought();
                let at = needle(&mut desk);
                for next in 1..=3 {
                    desk.code(key);
                    assert_eq!(needle(&mut desk), (at + next) % 3);
                }
            }),
            ("N", |key| {
                let mut desk = sought();
                let at = needle(&mut desk);
                for next in 1..=3 {
                    desk.code(key);
                    assert_eq!(needle(&mut desk), (at + 3 - next) % 3);
                }
            }),
            ("x", |key| {
                let mut desk = talked();
                let kept = desk.code(key);
                assert!(records(&kept).iter().any(|record| matches!(record, Record::Trashed { at_ms: Some(_), .. })));
                assert!(desk.view(80, 22).contains("New conversation"));
            }),
            ("u", |key| {
                let mut desk = talked();
                desk.press("x");
                desk.view(80, 22);
                let kept = desk.code(key);
                assert!(records(&kept).iter().any(|record| matches!(record, Record::Trashed { at_ms: None, .. })));
                assert!(desk.view(80, 22).contains("second question"));
            }),
            ("d", |key| {
                let mut desk = Desk::new();
                let ticket = desk.ask("q");
                desk.progress(ticket, Progress::Closed(Err(failure("401 wrong key", Some(401)))));
                desk.press("\u{1b}");
                desk.code(key);
                let picture = desk.view(80, 22);
                assert!(picture.contains("─ What the server said") && picture.contains("status      401"), "{picture}");
            }),
            ("I", |key| {
                let mut desk = talked();
                let said = desk.code(key).into_iter().find_map(|effect| match effect {
                    Effect::Notify(notice) => Some(notice.text.line().into_owned()),
                    _ => None,
                });
                assert_eq!(said.as_deref(), Some("this message has no image"));
            }),
            ("b", |key| {
                let mut desk = talked();
                for (width, shown) in [(120, true), (80, false)] {
                    for shown in [shown, !shown, shown] {
                        assert_eq!(desk.view(width, 34).contains("Conversations"), shown, "{width}");
                        desk.code(key);
                    }
                    desk.code(key);
                    desk.code(key);
                    desk.code(key);
                }
            }),
            ("g home", |key| {
                let mut desk = tall();
                desk.code(key);
                assert_eq!(rows(&desk.view(80, 22)).0, 1);
            }),
            ("G end", |key| {
                let mut desk = tall();
                desk.press("g");
                desk.view(80, 22);
                desk.code(key);
                let picture = desk.view(80, 22);
                assert!(picture.contains("row 300") && picture.contains("following"), "{picture}");
            }),
            ("PgUp", |key| {
                let (by, page) = moved(&mut tall(), key);
                assert!((page - 2..=page + 2).contains(&-by), "{by} of {page}");
            }),
            ("PgDn", |key| {
                let mut desk = tall();
                desk.press("g");
                desk.code(KeyCode::PageDown);
                let (by, page) = moved(&mut desk, key);
                assert!((page - 2..=page + 2).contains(&by), "{by} of {page}");
            }),
            ("^U", |key| {
                let (by, page) = moved(&mut tall(), key);
                assert!((page / 2 - 1..=page / 2 + 2).contains(&-by), "{by} of {page}");
            }),
            ("^D", |key| {
                let mut desk = tall();
                desk.press("g");
                desk.code(KeyCode::PageDown);
                let (by, page) = moved(&mut desk, key);
                assert!((page / 2 - 1..=page / 2 + 2).contains(&by), "{by} of {page}");
            }),
            ("F4", |key| assert_eq!(talked().code(key), [Effect::EditText])),
            ("tab", |key| {
                let mut desk = talked();
                desk.view(120, 34);
                desk.code(key);
                assert_eq!(desk.front(), "Conversations");
            }),
            ("shift+tab", |key| {
                let mut desk = talked();
                desk.code(key);
                assert_eq!(desk.front(), "Message");
            }),
        ],
    );
}

#[test]
fn a_scrolled_transcript_says_whether_there_is_more_above_and_below() {
    let mut desk = tall();
    assert!(!desk.view(80, 22).contains("↑ ↓"));
    desk.code(KeyCode::PageUp);
    let between = desk.view(80, 22);
    assert!(between.contains("↑ ↓ "), "{between}");
    desk.press("g");
    let top = desk.view(80, 22);
    assert!(top.contains(" ↓ 0%") && !top.contains("↑ ↓"), "{top}");
}
