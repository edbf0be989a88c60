//! Files that a message names: shown while it is written, sent with it, kept with it, refused where they are wrong.

use std::path::{Path, PathBuf};

use benchtop::api::call::Call;
use benchtop::api::capability::{Finding, Subject};
use benchtop::api::chat::ChatRequest;
use benchtop::component::facts::{FactKey, FactSource, KnownFact};
use benchtop::component::{Effect, Session};
use benchtop::record::work::Work;
use benchtop::settings::ProfileId;
use benchtop::ui::graphics::{Graphics, Protocol};
use benchtop::ui::theme::Kind;
use crossterm::event::KeyCode;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::desk::{Desk, Disk, Writes, call, turns};

const PNG: &[u8] = b"\x89PNG\r\n\x1a\nand so on";

/// Creates a folder with these files.
fn folder(files: &[(&str, &[u8])]) -> TempDir {
    let folder = tempfile::Builder::new().prefix("files").tempdir().unwrap();
    for (name, bytes) in files {
        std::fs::write(folder.path().join(name), bytes).unwrap();
    }
    folder
}

fn at(folder: &TempDir, name: &str) -> String {
    path(&folder.path().join(name))
}

fn path(path: &Path) -> String {
    path.to_str().unwrap().to_owned()
}

/// Returns the last message of a request as JSON.
fn last(request: &ChatRequest) -> Value {
    serde_json::to_value(request).unwrap()["messages"].as_array().unwrap().last().unwrap().clone()
}

/// Writes and sends; the request it became.
fn sent(desk: &mut Desk, text: &str) -> Value {
    desk.press(text);
    let effects = desk.press("\n");
    last(call(&effects).expect("it is sent").1)
}

/// Returns the text of the first notice; empty: none.
fn said(effects: &[Effect]) -> String {
    let notice = effects.iter().find_map(|effect| match effect {
        Effect::Notify(notice) => Some(notice.text.line().into_owned()),
        _ => None,
    });
    notice.unwrap_or_default()
}

#[test]
fn a_text_is_a_chip_a_named_listing_and_kept_as_it_was_sent() {
    let folder = folder(&[("notes.md", b"one\n```\ntwo")]);
    let name = at(&folder, "notes.md");
    let mut desk = Desk::new();
    desk.press(&format!("What is in @{name}?"));
    desk.rest();
    let shown = desk.view(120, 34);
    assert!(shown.contains("notes.md · 11 B · ~3 tok]"), "{shown}");
    let expected = format!("What is in @{name}?\n\n{name}:\n````\none\n```\ntwo\n````");
    let effects = desk.press("\n");
    assert_eq!(last(call(&effects).unwrap().1), json!({"role": "user", "content": expected}));
    let ticket = call(&effects).unwrap().0;
    desk.says(ticket, "Two lines.");
    let shown = desk.view(120, 34);
    assert!(shown.contains("notes.md · 11 B · ~3 tok]") && shown.contains("┃ two"), "{shown}");
    assert!(!shown.contains("[✕"), "{shown}");
    // The file changes, the program ends: what was sent is sent again.
    drop(folder);
    desk.restart();
    desk.press("\u{1b}");
    let again = desk.press("r");
    assert_eq!(last(call(&again).unwrap().1), json!({"role": "user", "content": expected}));
}

#[test]
fn a_picture_is_sent_as_a_part_and_shown_by_its_name_and_size() {
    let folder = folder(&[("cat.png", PNG)]);
    let name = at(&folder, "cat.png");
    let mut desk = Desk::new();
    desk.press(&format!("@{name} What is this?"));
    desk.rest();
    for (width, height) in [(120, 34), (80, 22)] {
        let shown = desk.view(width, height);
        assert!(shown.contains("cat.png · 17 B · ~765 tok]"), "{shown}");
    }
    let effects = desk.press("\n");
    let message = last(call(&effects).unwrap().1);
    assert_eq!(message["content"][0]["type"], "text");
    assert!(message["content"][0]["text"].as_str().unwrap().starts_with(&format!("@{name} What is this?")));
    let url = "data:image/png;base64,iVBORw0KGgphbmQgc28gb24=";
    assert_eq!(message["content"][1], json!({"type": "image_url", "image_url": {"url": url}}));
    assert_eq!(message["content"].as_array().unwrap().len(), 2);
    let shown = desk.view(120, 34);
    assert!(shown.contains("[image/png · 17 B]") && !shown.contains("base64"), "{shown}");
    // Edited, it goes with the message as it was, also without the file.
    let ticket = call(&effects).unwrap().0;
    desk.says(ticket, "A cat.");
    drop(folder);
    desk.press("\u{1b}");
    desk.press("k");
    desk.press("e");
    let edited = sent(&mut desk, " Really?");
    assert_eq!(edited["content"][1]["image_url"]["url"], url);
}

#[test]
fn the_images_of_a_message_are_shown_one_at_a_time() {
    let png = png();
    let folder = folder(&[("red.png", &png), ("broken.png", PNG)]);
    let mut desk = Desk::new();
    desk.talk(&format!("@{} @{} What is this?", at(&folder, "red.png"), at(&folder, "broken.png")), "Two images.");
    drop(folder);
    desk.press("\u{1b}");
    assert!(said(&desk.press("I")).contains("no image"), "the answer has none");
    desk.press("kk");
    desk.press("I");
    desk.rest();
    desk.app.session.terminal.graphics = Graphics { protocol: Protocol::HalfBlocks, cell: (10, 20) };
    // Without colours there are none, whatever the terminal can.
    desk.has(&["red.png", "1 of 2", "40 × 20 pixels", "Images need colours"], &["▀"]);
    desk.app.session.palette = Kind::Ansi;
    desk.has(&["▀▀▀▀▀▀▀▀"], &["Images need"]);
    desk.app.session.terminal.graphics.protocol = Protocol::None;
    desk.has(&["This terminal shows no images."], &["▀"]);
    desk.app.session.terminal.graphics.protocol = Protocol::HalfBlocks;
    desk.press("n");
    desk.rest();
    desk.has(&["broken.png", "2 of 2", "This image cannot be shown: "], &["▀"]);
    desk.press("\u{1b}");
    desk.has(&["Two images."], &["broken.png · ", "2 of 2"]);
}

/// Returns a PNG of 40 by 20 pixels, each of its own colour.
fn png() -> Vec<u8> {
    let mut bytes = std::io::Cursor::new(Vec::new());
    let picture = image::RgbImage::from_fn(40, 20, |x, y| image::Rgb([240 - y as u8 * 12, x as u8 * 6, 0]));
    picture.write_to(&mut bytes, image::ImageFormat::Png).unwrap();
    bytes.into_inner()
}

#[test]
fn a_message_that_is_edited_in_place_keeps_its_files_and_an_emptied_one_has_none() {
    let folder = folder(&[("cat.png", PNG)]);
    let mut desk = Desk::new();
    desk.press(&format!("@{}", at(&folder, "cat.png")));
    desk.rest();
    desk.press("^u");
    assert!(!desk.view(120, 34).contains("cat.png"), "its chip goes with its name");
    desk.talk(&format!("@{}", at(&folder, "cat.png")), "A cat.");
    drop(folder);
    desk.press("\u{1b}");
    desk.press("kk");
    desk.press("E");
    desk.press(" Look.");
    desk.press("\u{1b}");
    desk.press("i");
    desk.press("And now?");
    let effects = desk.press("\n");
    let first = serde_json::to_value(call(&effects).unwrap().1).unwrap()["messages"][0].clone();
    assert!(first["content"][0]["text"].as_str().unwrap().contains("cat.png Look."), "{first}");
    assert_eq!(first["content"][1]["type"], "image_url");
}

#[test]
fn a_file_that_cannot_be_sent_is_told_with_its_place_and_nothing_is_sent() {
    let large = vec![b'x'; 20_000_001];
    let folder = folder(&[("fake.png", b"just text"), ("raw.bin", b"a\nb\0c"), ("large.png", &large)]);
    std::fs::create_dir(folder.path().join("pictures")).unwrap();
    for (name, place) in [
        ("large.png", "large.png: it is larger than 20 MB"),
        ("gone.txt", "gone.txt: there is no such file"),
        ("pictures", "pictures: it is a folder; attach its files one by one"),
        ("fake.png", "fake.png: byte 1: not a PNG, JPEG, WebP or GIF image; the file is text"),
        ("raw.bin", "raw.bin: line 2, byte 4: neither an image nor UTF-8 text"),
    ] {
        let mut desk = Desk::new();
        let text = format!("See @{}", at(&folder, name));
        desk.press(&text);
        let effects = desk.press("\n");
        assert!(call(&effects).is_none() && turns(&effects).is_empty(), "{effects:?}");
        let told = said(&effects);
        assert!(told.starts_with("not sent: ") && told.ends_with(place), "{told}");
        assert_eq!(desk.draft(), text);
        let shown = desk.view(120, 34);
        assert!(shown.contains("[✕ "), "{shown}");
        // Without the file it is sent.
        desk.press("^u");
        desk.press("See it");
        assert!(call(&desk.press("\n")).is_some());
    }
}

#[test]
fn the_local_service_takes_no_picture_and_that_is_said_before() {
    let folder = folder(&[("cat.png", PNG), ("a.txt", b"text")]);
    let session = Session { local: true, model: "gpt-3.5-turbo".into(), area: (80, 22), ..Session::default() };
    let mut desk = Desk::on(&Disk::new(), session);
    desk.press(&format!("@{}", at(&folder, "cat.png")));
    desk.rest();
    let shown = desk.view(120, 34);
    assert!(shown.contains("the local service accepts no images]"), "{shown}");
    let effects = desk.press("\n");
    assert!(call(&effects).is_none() && turns(&effects).is_empty());
    assert!(said(&effects).ends_with("cat.png: the local service accepts no images"), "{}", said(&effects));
    desk.press("^u");
    let message = sent(&mut desk, &format!("@{}", at(&folder, "a.txt")));
    assert!(message["content"].as_str().unwrap().ends_with("```\ntext\n```"), "{message}");
}

#[test]
fn of_a_long_text_the_transcript_shows_the_beginning() {
    let long: String = (1..=400).fold(String::new(), |text, line| text + &format!("line {line}\n"));
    let folder = folder(&[("long.txt", long.as_bytes())]);
    let mut desk = Desk::new();
    let message = sent(&mut desk, &format!("@{}", at(&folder, "long.txt")));
    assert!(message["content"].as_str().unwrap().contains("line 400"));
    let shown = desk.view(120, 34);
    assert!(
        shown.contains("tok] · its beginning") && shown.contains("line 12") && !shown.contains("line 13"),
        "{shown}"
    );
}

#[test]
fn a_file_is_attached_from_the_palette() {
    let folder = folder(&[("a.txt", b"x")]);
    let mut desk = Desk::new();
    desk.press("See");
    desk.with(|chat, cx| benchtop::tabs::Tab::command(chat, "attach", cx));
    desk.press(&at(&folder, "a.txt"));
    desk.code(KeyCode::Enter);
    assert_eq!(desk.draft(), format!("See @{} ", at(&folder, "a.txt")));
}

#[test]
fn a_path_that_cannot_be_attached_is_told_where_it_is_typed() {
    let folder = folder(&[("a.txt", b"x"), ("fake.png", b"just text")]);
    let mut desk = Desk::new();
    desk.with(|chat, cx| benchtop::tabs::Tab::command(chat, "attach", cx));
    for (name, why) in
        [("gone.txt", "gone.txt: there is no such file"), ("fake.png", "not a PNG, JPEG, WebP or GIF image")]
    {
        desk.press("^u");
        desk.press(&at(&folder, name));
        desk.code(KeyCode::Enter);
        let shown = desk.view(120, 34);
        assert!(shown.contains("Attach a file") && shown.contains("✕ ") && shown.contains(why), "{shown}");
    }
    desk.press("^u");
    desk.press(&at(&folder, "a.txt"));
    desk.code(KeyCode::Enter);
    assert_eq!(desk.draft(), format!("@{} ", at(&folder, "a.txt")));
}

#[test]
fn a_word_that_names_no_file_is_a_word() {
    let mut desk = Desk::new();
    let text = "@dataclass, me@example.com, @gone/none.txt";
    desk.press(text);
    desk.rest();
    let shown = desk.view(120, 34);
    assert!(shown.contains("none.txt: no such file, sent as text]") && !shown.contains("[dataclass"), "{shown}");
    let effects = desk.press("\n");
    assert_eq!(last(call(&effects).unwrap().1), json!({"role": "user", "content": text}));
}

#[test]
fn tab_completes_a_path_behind_an_at_sign() {
    let folder = folder(&[("my notes.txt", b"hello"), ("other.txt", b"x"), ("other.md", b"x")]);
    let begun = path(&PathBuf::from(folder.path()).join("my"));
    let mut desk = Desk::new();
    desk.press("See ");
    desk.press(&format!("@{begun}"));
    desk.code(KeyCode::Tab);
    assert_eq!(desk.draft(), format!("See @\"{}\" ", at(&folder, "my notes.txt")));
    desk.press("and ");
    desk.rest();
    let shown = desk.view(120, 34);
    assert!(shown.contains("my notes.txt · 5 B") && !shown.contains("Attach a file"), "{shown}");
    // Of several files one is chosen.
    desk.press(&format!("@{}", at(&folder, "ot")));
    desk.code(KeyCode::Tab);
    let shown = desk.view(120, 34);
    assert!(shown.contains("Attach a file") && shown.contains("other.md") && shown.contains("other.txt"), "{shown}");
    desk.press("her.m");
    desk.code(KeyCode::Tab);
    desk.code(KeyCode::Enter);
    let expected = format!("See @\"{}\" and @{} ", at(&folder, "my notes.txt"), at(&folder, "other.md"));
    assert_eq!(desk.draft(), expected);
    // Elsewhere Tab goes to the next pane.
    desk.code(KeyCode::Tab);
    assert_eq!(desk.front(), "Transcript");
}

/// The profiles that chat requests went to.
fn went_to(effects: &[Effect]) -> Vec<&str> {
    let to = effects.iter().filter_map(|effect| match effect {
        Effect::Call(_, profile, Call::Chat(_)) => Some(profile.0.as_str()),
        _ => None,
    });
    to.collect()
}

#[test]
fn a_message_that_waits_for_its_files_does_not_go_to_a_profile_or_model_that_was_chosen_meanwhile() {
    for (changed, model, profile) in [("profile", "gpt-3.5-turbo", "other"), ("model", "other-model", "work")] {
        let folder = folder(&[("a.txt", b"private")]);
        let mut desk = Desk::new();
        let text = format!("Read @{}", at(&folder, "a.txt"));
        desk.press(&text);
        desk.holds = |effect| matches!(effect, Effect::Work(_, Work::Attach { .. }));
        assert!(went_to(&desk.press("\n")).is_empty(), "its file is not read yet");
        let session = &mut desk.app.session;
        (session.profile, session.profile_name) = (ProfileId(profile.into()), profile.into());
        session.model = model.into();
        let effects = desk.release();
        assert!(went_to(&effects).is_empty() && turns(&effects).is_empty(), "{effects:?}");
        let why = format!("the {changed} was changed before the message's files were read");
        assert_eq!(said(&effects), format!("not sent: {why}; ⏎ sends it to {model} of {profile}"));
        assert_eq!(desk.draft(), text);
        // Enter sends it to the ones that are shown now.
        let effects = desk.press("\n");
        assert_eq!(went_to(&effects), [profile]);
        assert_eq!(call(&effects).unwrap().1.model, model);
    }
}

#[test]
fn a_message_that_waits_for_the_disk_goes_where_it_was_sent_to() {
    let mut desk = Desk::new();
    desk.press("Hello");
    desk.writes = Writes::Waiting;
    assert!(went_to(&desk.press("\n")).is_empty(), "it is not on disk yet");
    (desk.app.session.profile, desk.app.session.model) = (ProfileId("other".into()), "other-model".into());
    let effects = desk.release();
    assert_eq!(went_to(&effects), ["work"]);
    assert_eq!(call(&effects).unwrap().1.model, "gpt-3.5-turbo");
}

#[test]
fn a_message_that_waits_for_the_disk_has_the_limit_of_the_profile_it_was_sent_to() {
    for (limited, is_sent) in [("work", false), ("other", true)] {
        let mut desk = Desk::new();
        desk.press("Hello");
        desk.writes = Writes::Waiting;
        desk.press("\n");
        let subject = Subject::Context("gpt-3.5-turbo".into());
        let key = FactKey::of_model(limited, subject);
        let known = KnownFact { finding: Finding::Tokens(3), source: FactSource::Answer, at_ms: 0 };
        desk.app.session.facts.note(key, known);
        desk.app.session.profile = ProfileId("other".into());
        let effects = desk.release();
        assert_eq!(went_to(&effects) == ["work"], is_sent, "{limited}: {effects:?}");
    }
}
