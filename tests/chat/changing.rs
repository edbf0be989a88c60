//! One message is edited in place or deleted: the others stay, it can be taken back, and all of it is there after a restart.

use benchtop::api::chat::ChatRequest;
use crossterm::event::KeyCode;

use crate::desk::call;
use crate::disk::Disk;

/// Two prompts and their answers, at the transcript.
fn talked() -> Disk {
    let mut disk = Disk::new();
    disk.talk("first question", "first answer");
    disk.talk("second question", "second answer");
    disk.picture();
    disk.key(KeyCode::Esc);
    disk
}

/// The request that the next message makes.
fn next(disk: &mut Disk) -> ChatRequest {
    disk.key(KeyCode::Esc);
    disk.keys("i");
    disk.keys("next");
    let sent = disk.key(KeyCode::Enter);
    call(&sent).expect("it is sent").1.clone()
}

fn said(request: &ChatRequest) -> Vec<&str> {
    request.messages.iter().map(|message| message.content.raw()).collect()
}

/// Selects the message so many from the end and edits it in place.
fn edit(disk: &mut Disk, from_end: usize, text: &str) {
    disk.keys(&"k".repeat(from_end));
    disk.keys("E");
    disk.picture();
    disk.clear();
    disk.keys(text);
    disk.key(KeyCode::Esc);
    disk.picture();
}

#[test]
fn an_answer_is_edited_in_place_and_what_follows_stays() {
    let mut disk = talked();
    edit(&mut disk, 3, "a better answer");
    disk.shows(&["first question", "a better answer", "‹2/2›", "second question", "second answer"], &["first answer"]);
    // The old text is a version.
    disk.keys("<");
    disk.shows(&["first answer", "‹1/2›"], &["a better answer", "second question"]);
    disk.keys(">");
    disk.shows(&["a better answer", "second answer"], &["first answer"]);
    let mut disk = disk.restart();
    disk.shows(&["a better answer", "second answer"], &["first answer"]);
    let request = next(&mut disk);
    assert_eq!(said(&request), ["first question", "a better answer", "second question", "second answer", "next"]);
    assert_eq!(&*request.messages[1].role, "assistant");
}

#[test]
fn an_edit_is_taken_back() {
    for from_end in 1..=4 {
        let mut disk = talked();
        edit(&mut disk, from_end, "other words");
        disk.shows(&["other words"], &[]);
        disk.keys("u");
        disk.shows(&["first question", "first answer", "second question", "second answer"], &["other words", "‹"]);
        let mut disk = disk.restart();
        disk.shows(&["first question", "first answer", "second question", "second answer"], &["other words", "‹"]);
        let request = next(&mut disk);
        let all = ["first question", "first answer", "second question", "second answer", "next"];
        assert_eq!(said(&request), all, "{from_end}");
    }
}

#[test]
fn any_message_is_deleted_and_brought_back() {
    let all = ["first question", "first answer", "second question", "second answer"];
    for from_end in 1..=4 {
        let mut disk = talked();
        disk.keys(&"k".repeat(from_end));
        disk.keys("X");
        let gone = all[all.len() - from_end];
        let left: Vec<&str> = all.into_iter().filter(|text| *text != gone).collect();
        disk.shows(&left[1..], &[]);
        disk.shows(&["3 messages"], &[]);
        let mut disk = disk.restart();
        let picture = disk.desk.picture(80, 30);
        assert!(!picture.lines().skip(1).any(|line| line.contains(gone)), "{gone} is gone for good");
        assert!(!picture.contains('‹'), "nor is it a version of what follows it: {picture}");
        assert_eq!(said(&next(&mut disk)), [left.as_slice(), &["next"]].concat());

        let mut disk = talked();
        disk.keys(&"k".repeat(from_end));
        disk.keys("X");
        disk.picture();
        disk.keys("u");
        disk.shows(&["4 messages"], &[]);
        let mut disk = disk.restart();
        assert_eq!(said(&next(&mut disk)), [all.as_slice(), &["next"]].concat(), "{gone} is back");
    }
}
