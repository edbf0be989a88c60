//! Parts of real files.

use std::io::Write as _;
use std::sync::Arc;

use proptest::prelude::*;

use super::*;
use crate::api::call::Ticket;

const GB: u64 = 1 << 30;

fn ask(path: &Path, place: FilePlace, most: usize) -> FileWindow {
    asked(path, place, most, TextEncoding::Utf8)
}

fn asked(path: &Path, place: FilePlace, most: usize, writing: TextEncoding) -> FileWindow {
    let query = FileQuery { path: path.to_str().unwrap().to_owned(), place, most, writing };
    match read(&query, &Course::new(Ticket(1), Arc::new(|_, _| {}))) {
        Done::Window(window) => *window,
        other => panic!("{other:?}"),
    }
}

fn failed(path: &Path) -> String {
    let query = FileQuery {
        path: path.to_str().unwrap().to_owned(),
        place: FilePlace::From(0),
        most: 10,
        writing: TextEncoding::Utf8,
    };
    match read(&query, &Course::new(Ticket(1), Arc::new(|_, _| {}))) {
        Done::Failed(why) => why.line().into_owned(),
        other => panic!("{other:?}"),
    }
}

fn file(bytes: impl AsRef<[u8]>) -> tempfile::NamedTempFile {
    let mut file = tempfile::NamedTempFile::new().unwrap();
    file.write_all(bytes.as_ref()).unwrap();
    file
}

/// Repeats a request until it is answered. Returns the number of requests.
fn through(path: &Path, mut place: FilePlace, most: usize) -> (FileWindow, usize) {
    for orders in 1.. {
        let window = ask(path, place.clone(), most);
        let Reached::Far(mark) = window.reached else { return (window, orders) };
        match &mut place {
            FilePlace::Line { from, .. } | FilePlace::Count { from, .. } | FilePlace::Find { from, .. } => *from = mark,
            other => panic!("{other:?} took more than one query"),
        }
    }
    unreachable!()
}

fn find(text: &str, byte: u64, back: bool) -> FilePlace {
    FilePlace::Find { text: text.into(), from: LinePosition { byte, line: None }, back }
}

#[test]
fn a_sparse_file_of_5_gb_opens_ends_and_is_gone_through_in_bounded_steps() {
    let mut file = file("first line\nsecond line\n");
    file.as_file().set_len(5 * GB).unwrap();
    file.seek(SeekFrom::Start(5 * GB - 24)).unwrap();
    file.write_all(b"\nthe Needle\nand the end\n").unwrap();
    let path = file.path();
    let first = ask(path, FilePlace::From(0), 65_536);
    assert_eq!((first.at, first.bytes.len(), first.total), (LinePosition::START, 65_536, 5 * GB));
    assert!(first.bytes.starts_with(b"first line\n") && first.begins);
    let end = ask(path, FilePlace::End, 65_536);
    assert_eq!(end.at.byte + end.bytes.len() as u64, 5 * GB);
    assert_eq!(end.bytes, b"the Needle\nand the end\n", "it begins where a line does");
    assert_eq!((end.begins, end.at.line), (true, None));
    // 320 MB from the end are enough to show the steps.
    let from = LinePosition { byte: 5 * GB - (320 << 20), line: Some(3) };
    let (line, orders) = through(path, FilePlace::Line { line: 5, from }, 65_536);
    assert_eq!((line.reached, line.focus.line, orders), (Reached::Found, Some(5), 5));
    assert!(line.bytes[(line.focus.byte - line.at.byte) as usize..].starts_with(b"and the end"));
    let (found, orders) = through(path, FilePlace::Find { text: "nEEDLE".into(), from, back: false }, 65_536);
    assert_eq!((found.reached, found.focus), (Reached::Found, LinePosition { byte: 5 * GB - 19, line: Some(4) }));
    assert_eq!((orders, found.at.line), (5, Some(4)));
    let (back, orders) = through(path, find("absent", 320 << 20, true), 65_536);
    assert_eq!((back.reached, orders), (Reached::Nowhere, 5));
    let (back, _) = through(
        path,
        FilePlace::Find { text: "FIRST".into(), from: LinePosition { byte: 1 << 20, line: Some(3) }, back: true },
        100,
    );
    assert_eq!((back.focus, back.at), (LinePosition::START, LinePosition::START));
}

#[test]
fn a_line_of_50_mb_comes_in_parts() {
    let mut bytes = vec![b'x'; 50 << 20];
    bytes[..6].copy_from_slice(b"short\n");
    bytes.extend(b"\nlast");
    let file = file(bytes);
    let middle = ask(file.path(), FilePlace::Around(30 << 20), 65_536);
    assert_eq!((middle.begins, middle.bytes.len(), middle.at.byte), (false, 65_536, (30 << 20) - 32_768));
    let line = ask(file.path(), FilePlace::Line { line: 2, from: LinePosition::START }, 65_536);
    assert_eq!((line.focus, line.at), (LinePosition { byte: 6, line: Some(2) }, LinePosition::START));
    let line = ask(file.path(), FilePlace::Line { line: 3, from: LinePosition::START }, 65_536);
    assert_eq!(line.focus, LinePosition { byte: (50 << 20) + 1, line: Some(3) });
    assert_eq!(line.at, line.focus, "the line before begins too far away");
    let line = ask(file.path(), FilePlace::Line { line: 99, from: LinePosition::START }, 65_536);
    assert_eq!((line.reached, line.focus.line), (Reached::Nowhere, Some(3)));
    let before = ask(file.path(), FilePlace::Before(50 << 20), 65_536);
    assert_eq!((before.begins, before.bytes.len()), (false, 65_536));
    let before = ask(file.path(), FilePlace::Before(10), 65_536);
    assert_eq!((before.begins, &before.bytes[..]), (true, &b"short\nxxxx"[..]));
}

#[test]
fn lines_end_as_they_do_and_the_last_need_not() {
    let lines = |text: &str| {
        let file = file(text);
        let window = ask(file.path(), FilePlace::Count { from: LinePosition::START, to: u64::MAX }, 0);
        (window.focus.line.unwrap(), window.begins)
    };
    assert_eq!(lines(""), (1, true));
    assert_eq!(lines("a"), (1, false));
    assert_eq!(lines("a\r\nb\r\n"), (3, true));
    assert_eq!(lines("a\nb"), (2, false));
    let file = file(b"one\r\ntwo\xff\r\nthree");
    for (line, shown, number) in [(1, "one", 1), (2, "two", 2), (3, "three", 3), (4, "three", 3), (0, "one", 1)] {
        let window = ask(file.path(), FilePlace::Line { line, from: LinePosition::START }, 100);
        let from = (window.focus.byte - window.at.byte) as usize;
        assert!(window.bytes[from..].starts_with(shown.as_bytes()), "line {line}");
        assert_eq!((window.focus.line, window.at), (Some(number), LinePosition::START));
    }
}

#[test]
fn a_file_that_became_shorter_since_it_was_opened_ends_where_it_does() {
    let file = file("one\ntwo\nthree\n");
    let place = FilePlace::Line { line: 99, from: LinePosition::START };
    let query =
        FileQuery { path: file.path().to_str().unwrap().to_owned(), place, most: 10, writing: TextEncoding::Utf8 };
    let source = OpenFile::open(&query).unwrap();
    file.as_file().set_len(8).unwrap();
    let window = source.window(&query, &Course::new(Ticket(1), Arc::new(|_, _| {}))).unwrap();
    assert_eq!((window.reached, window.focus), (Reached::Nowhere, LinePosition { byte: 4, line: Some(2) }));
    assert_eq!(window.total, 8);
}

#[test]
fn texts_are_found_letter_case_apart_in_both_directions_and_writings() {
    let file8 = file("Grüße an alle\nnoch GRÜSSE, grüße\nGRÜßE\n");
    let at = |byte, back| ask(file8.path(), find("grüße", byte, back), 100).focus.byte;
    let text = fs::read_to_string(file8.path()).unwrap();
    let places = [0, text.find("grüße").unwrap() as u64, text.find("GRÜßE").unwrap() as u64];
    assert_eq!([at(0, false), at(1, false), at(places[1] + 1, false)], places);
    assert_eq!([at(places[1], true), at(places[2], true), at(u64::MAX, true)], places);
    for (writing, high) in [(TextEncoding::Utf16Low, false), (TextEncoding::Utf16High, true)] {
        let bytes: Vec<u8> = "\u{feff}ab\u{a0a}c\nzwei Äpfel\n"
            .encode_utf16()
            .flat_map(|unit| if high { unit.to_be_bytes() } else { unit.to_le_bytes() })
            .collect();
        let file = file(bytes);
        let found = asked(
            file.path(),
            FilePlace::Find { text: "äPF".into(), from: LinePosition::START, back: false },
            100,
            writing,
        );
        assert_eq!(found.focus, LinePosition { byte: 22, line: Some(2) }, "{writing:?}");
        let line = asked(file.path(), FilePlace::Line { line: 2, from: LinePosition::START }, 100, writing);
        assert_eq!(line.focus, LinePosition { byte: 12, line: Some(2) }, "{writing:?}");
        let counted = asked(file.path(), FilePlace::Count { from: LinePosition::START, to: u64::MAX }, 0, writing);
        assert_eq!((counted.focus.line, counted.begins), (Some(3), true));
    }
}

#[test]
fn what_cannot_be_read_is_said() {
    let home = tempfile::tempdir().unwrap();
    assert!(failed(&home.path().join("none")).contains("is gone"));
    assert!(failed(home.path()).ends_with("is a folder"));
    #[cfg(unix)]
    {
        let pipe = home.path().join("pipe");
        rustix::fs::mknodat(rustix::fs::CWD, &pipe, rustix::fs::FileType::Fifo, rustix::fs::Mode::RWXU, 0).unwrap();
        assert!(failed(&pipe).ends_with("is not a regular file"));
        use std::os::unix::fs::PermissionsExt as _;
        let closed = home.path().join("closed");
        fs::write(&closed, "x").unwrap();
        fs::set_permissions(&closed, fs::Permissions::from_mode(0o000)).unwrap();
        // root can read everything.
        if File::open(&closed).is_err() {
            assert!(failed(&closed).contains("permission to read"));
        }
    }
}

proptest! {
    #[test]
    fn windows_joined_are_the_file(bytes in proptest::collection::vec(prop_oneof![Just(b'\n'), any::<u8>()], 0..400), most in 1_usize..90) {
        let file = file(&bytes);
        let mut joined = Vec::new();
        while joined.len() < bytes.len() {
            let part = ask(file.path(), FilePlace::From(joined.len() as u64), most);
            prop_assert_eq!(part.begins, joined.is_empty() || joined.ends_with(b"\n"));
            prop_assert!(!part.bytes.is_empty());
            joined.extend(part.bytes);
        }
        prop_assert_eq!(&joined, &bytes);
        let mut back: Vec<u8> = Vec::new();
        while back.len() < bytes.len() {
            let part = ask(file.path(), FilePlace::Before((bytes.len() - back.len()) as u64), most);
            prop_assert!(!part.bytes.is_empty());
            back.splice(0..0, part.bytes);
        }
        prop_assert_eq!(&back, &bytes);
    }

    #[test]
    fn any_line_is_gone_to_from_any_place(
        lines in proptest::collection::vec("[a-c\r]{0,6}", 1..40),
        pick in any::<prop::sample::Index>(),
        known in any::<prop::sample::Index>(),
        most in 8_usize..60,
    ) {
        let file = file(lines.join("\n"));
        let wanted = pick.index(lines.len());
        let begin = |line: usize| lines[..line].iter().map(|line| line.len() as u64 + 1).sum::<u64>();
        let from = known.index(wanted + 1);
        let from = LinePosition { byte: begin(from), line: Some(from as u64 + 1) };
        let window = ask(file.path(), FilePlace::Line { line: wanted as u64 + 1, from }, most);
        if begin(wanted) < file.path().metadata().unwrap().len() || wanted == 0 {
            prop_assert_eq!(window.focus, LinePosition { byte: begin(wanted), line: Some(wanted as u64 + 1) });
            prop_assert_eq!(window.reached, Reached::Found);
            prop_assert!(window.at.byte <= window.focus.byte);
            let first = window.at.line.unwrap() as usize - 1;
            prop_assert!(begin(first) <= window.at.byte);
        }
    }
}
