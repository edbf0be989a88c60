//! The preview under keys and on the screen.

mod remote;
mod trial;

use crossterm::event::KeyCode;
use proptest::prelude::*;
use ratatui::buffer::Buffer;
use ratatui::style::Color;

use super::file_format::FileFormat;
use super::*;
use trial::{PreviewDriver, wide};

use crate::ui::theme::{Depth, Kind, Theme};

const JSONL: &str = r#"{"messages":[{"role":"system","content":"You label messages of customers in one word."},{"role":"user","content":"Order 4411 late"},{"role":"assistant","content":"delivery"}]}
{"prompt":"Good morning ->","completion":" greeting"}
{"prompt":"Where is it?","completion":" question",}
["no object"]

{"prompt":"a \u001b[2J b","completion":"日本語の要約"}
"#;

fn jsonl(rows: usize) -> String {
    let row = |n: usize| format!("{{\"prompt\":\"row {n}\",\"completion\":\" {}\"}}\n", n * n);
    (1..=rows).map(row).collect::<Vec<_>>().concat()
}

fn csv(rows: u32) -> String {
    let row = |n: u32| {
        let loss = 3.0 / f64::from(n).sqrt();
        format!("{n},{},{loss:.5},{}\n", n * 512, if n.is_multiple_of(7) { "0.5" } else { "" })
    };
    let head = "step,elapsed_tokens,training_loss,validation_loss\n".to_owned();
    head + &(1..=rows).map(row).collect::<Vec<_>>().concat()
}

#[test]
fn jsonl_looks_as_drawn() {
    let mut trial = PreviewDriver::open("train-v3.jsonl", JSONL);
    insta::assert_snapshot!(trial.pictures());
    trial.press("tw");
    insta::assert_snapshot!(trial.pictures());
    trial.press("twjj/order⏎");
    insta::assert_snapshot!(trial.pictures());
}

#[test]
fn rows_are_gone_through_one_by_one_and_by_pages() {
    let mut trial = PreviewDriver::open("a.jsonl", jsonl(2_000));
    let line = |trial: &PreviewDriver| trial.preview.window.row(trial.preview.cursor()).unwrap().line.unwrap();
    trial.press("jjj");
    assert_eq!(line(&trial), 4);
    trial.press("k⇟⇟");
    assert!((30..60).contains(&line(&trial)), "{}", line(&trial));
    trial.press("G");
    assert_eq!(line(&trial), 2_000);
    trial.press("j");
    assert_eq!(trial.said(), "the file ends here");
    trial.press("g1,234⏎");
    assert_eq!(line(&trial), 1_234);
    trial.press("g9999⏎");
    assert_eq!((line(&trial), trial.said().as_str()), (2_000, "the file has 2,000 lines"));
    trial.press("⇱");
    assert_eq!(line(&trial), 1);
    for _ in 0..200 {
        trial.press("⇟");
    }
    assert_eq!(line(&trial), 2_000, "by pages one arrives at the end");
    for _ in 0..200 {
        trial.press("⇞");
    }
    assert_eq!(line(&trial), 1);
}

#[test]
fn a_table_has_its_columns_and_its_curves() {
    let text = "name,kind,amount,note\n\"Smith, J\",a,12.5,\"two\nlines\"\nØre,b,7,\nlast one of all names,c,1000,no end of it";
    let mut trial = PreviewDriver::open("prices.csv", text);
    insta::assert_snapshot!(trial.pictures());
    trial.press("j→→");
    assert!(trial.shown().contains('‹'), "the first column stays: {}", trial.shown());
    trial.press("y");
    assert_eq!(trial.copied, ["Øre,b,7,"]);
    // A quote within a cell is a character: it opens nothing, and the next line is a row.
    let mut trial = PreviewDriver::open("sizes.csv", "name;size\npipe;5\" wide\ntube;\"2\"\"\nlong\"\nrod;3\"");
    trial.press("yjyjy");
    assert_eq!(trial.copied, ["pipe;5\" wide", "tube;\"2\"\"\nlong\"", "rod;3\""]);
    let mut trial = PreviewDriver::open("results.csv", csv(200));
    trial.press("⇟/153⏎");
    insta::assert_snapshot!(trial.pictures());
    trial.press("v");
    insta::assert_snapshot!(trial.pictures());
    trial.press("←←l k ");
    insta::assert_snapshot!(trial.pictures());
    trial.press("⎋");
    assert!(trial.shown().contains("training_loss"), "the table again");
}

/// Returns the colour of the cell in which words begin.
fn colour(buf: &Buffer, words: &str) -> Color {
    for y in 0..buf.area.height {
        let symbols: Vec<&str> = (0..buf.area.width).map(|x| buf[(x, y)].symbol()).collect();
        if let Some(at) = symbols.concat().find(words) {
            let mut used = 0;
            let x = symbols.iter().position(|symbol| {
                used += symbol.len();
                used > at
            });
            return buf[(x.unwrap() as u16, y)].fg;
        }
    }
    panic!("{words} is not on the screen")
}

#[test]
fn values_of_json_have_the_colour_of_their_kind() {
    let theme = Theme::of(Kind::Dark, Depth::True);
    let mut trial = PreviewDriver::open("a.jsonl", "{\"prompt\":\"some words\",\"n\":[-1.5,null]}\n{\"cut\":\n");
    let buf = trial.drawn(&theme);
    let found = ["\"prompt", "\"some words", "-1.5", "null", "[-1.5"].map(|words| Some(colour(&buf, words)));
    let looks = [theme.code_keyword, theme.code_string, theme.series[0], theme.series[1], theme.muted];
    assert_eq!(found, looks.map(|look| look.fg));
    assert_ne!(Some(colour(&buf, "\"cut")), theme.code_keyword.fg, "a row that is no JSON has none");
    trial.press("m");
    assert_ne!(Some(colour(&trial.drawn(&theme), "\"prompt")), theme.code_keyword.fg, "nor has text");
}

#[test]
fn a_column_of_a_table_keeps_its_colour() {
    let theme = Theme::of(Kind::Dark, Depth::True);
    let text = "step,loss,name,accuracy\n1,2.5,one,0.25\n2,,two,0.75\n30,1.5,three,0.5\n";
    let mut trial = PreviewDriver::open("results.csv", text);
    for _ in 0..3 {
        let buf = trial.drawn(&theme);
        let found = ["30", "1.5", "three", "0.5"].map(|words| colour(&buf, words));
        let looks = [0, 1, 2].map(|at| theme.series[at].fg.unwrap());
        assert_eq!(found[1..], looks);
        assert!(!looks.contains(&found[0]), "whole numbers have that of text");
        assert_eq!(colour(&buf, "2.5"), looks[0]);
        trial.press("↓");
    }
}

#[test]
fn the_preview_fills_the_tab_and_is_a_pane_again() {
    let mut trial = PreviewDriver::open("a.jsonl", jsonl(3));
    let label =
        |trial: &PreviewDriver| trial.preview.hints().into_iter().find(|hint| hint.key == "f").map(|hint| hint.does);
    assert_eq!(label(&trial).as_deref(), Some("full size"));
    trial.press("f");
    assert!(trial.preview.is_zoomed());
    assert_eq!((label(&trial).as_deref(), trial.preview.escape()), (Some("panes"), Some("panes")));
    trial.press("⎋");
    assert!(!trial.preview.is_zoomed());
    assert_eq!(trial.preview.escape(), Some("close"));
    trial.press("ff");
    assert!(!trial.preview.is_zoomed());
    trial.preview.set_alone(true);
    assert_eq!(label(&trial), None, "where it fills the tab anyway");
    trial.press("f");
    assert!(!trial.preview.is_zoomed());
}

#[test]
fn text_is_shown_as_it_is_and_nothing_in_it_acts() {
    let text = "\u{1b}[2Jred\ttab\r\nöne long line that goes on and on beyond the edge of any pane there is, and then on\r\n\u{202e}back\u{7}\nbad \u{fffd}";
    let mut bytes = text.as_bytes().to_vec();
    bytes.extend(b" \xff\xfe end");
    let mut trial = PreviewDriver::open("notes.txt", bytes);
    insta::assert_snapshot!(trial.pictures());
    trial.press("w");
    insta::assert_snapshot!(trial.pictures());
    trial.press("wj→→");
    insta::assert_snapshot!(trial.pictures());
    assert!(!trial.shown().chars().any(|char| char.is_control() && char != '\n'));
    trial.press("y");
    assert_eq!(trial.copied.len(), 1);
    assert!(trial.copied[0].starts_with("öne") && trial.copied[0].ends_with("then on"), "without its line's end");
}

#[test]
fn bytes_are_shown_as_hex() {
    let mut bytes: Vec<u8> = (0..=255).collect();
    bytes.extend(b"PK some words\0\x01");
    let mut trial = PreviewDriver::open("archive.zip", bytes);
    insta::assert_snapshot!(trial.pictures());
    trial.press("g0x80⏎y");
    assert_eq!(trial.copied, ["80 81 82 83 84 85 86 87"], "eight bytes a row in forty columns");
    trial.press("mm");
    assert_eq!(trial.preview.display.format, FileFormat::Hex);
    trial.press("m");
    assert_eq!(trial.preview.display.format, FileFormat::Text);
}

#[test]
fn the_pager_gets_what_is_loaded_and_is_told_what_is_not() {
    let read = |trial: &PreviewDriver| trial.preview.readable(&Session::default()).map(|text| text.raw().to_owned());
    assert_eq!(read(&PreviewDriver::local("a.txt", "one\n")), None, "nothing is loaded yet");
    let mut trial = PreviewDriver::open("a.txt", b"one\nzw\xc3\xb6lf \xff and so on\n".to_vec());
    assert_eq!(read(&trial).unwrap(), "one\nzwölf ⟨FF⟩ and so on\n");
    trial.press("m");
    let hex = read(&trial).unwrap();
    assert!(
        hex.starts_with("000000 6f 6e 65 0a 7a 77 c3 b6  6c 66 20 ff 20 61 6e 64 one·zw··lf · and\n000010 "),
        "{hex}"
    );
    let mut trial = PreviewDriver::open("a.jsonl", jsonl(20_000));
    let text = read(&trial).unwrap();
    assert!(text.starts_with("{\"prompt\":\"row 1\"") && text.ends_with(" more are not loaded]"));
    trial.press("G");
    let text = read(&trial).unwrap();
    assert!(text.starts_with("[the first ") && text.ends_with("\"completion\":\" 400000000\"}"));
}

#[test]
fn what_the_file_begins_with_is_said() {
    let mut trial = PreviewDriver::open("a.txt", wide("\u{feff}erste Zeile\nzweite, Ø\n", false));
    assert!(trial.shown().contains("text   UTF-16") && trial.shown().contains("zweite, Ø"), "{}", trial.shown());
    trial.press("/Ø⏎");
    let mut trial = PreviewDriver::open("a.txt", wide("\u{feff}erste\nzweite\n", true));
    assert!(trial.shown().contains("zweite"), "{}", trial.shown());
    let mut trial = PreviewDriver::open("a.jsonl", "\u{feff}{\"prompt\":1}\n{}\n");
    let shown = trial.shown();
    assert!(shown.contains("JSONL   BOM") && !shown.contains('✕'), "{shown}");
}

#[test]
fn forms_are_found_by_content_and_name() {
    let form = |name: &str, text: &str| file_format::DetectedFormat::of(text.as_bytes(), true, name).form;
    assert_eq!(form("x", "{\"a\":1}\n{\"b\":2}\n"), FileFormat::Jsonl);
    assert_eq!(form("x.csv", "a;b\n1;2\n"), FileFormat::Table(b';'));
    assert_eq!(form("x.csv", "one column\n"), FileFormat::Table(b','));
    assert_eq!(form("x.csv", "pipe 5\";wall;price\n"), FileFormat::Table(b';'), "a quote in a cell is a character");
    assert_eq!(form("x.TSV", "a\tb\n"), FileFormat::Table(b'\t'));
    assert_eq!(form("x", "a\tb\n1\t2\n3\t4\n"), FileFormat::Table(b'\t'));
    assert_eq!(form("x.md", "a, b\nc, d\ne, f\n"), FileFormat::Text);
    assert_eq!(form("x.jsonl", "no json at all\n"), FileFormat::Jsonl, "what is wrong is what one wants to see");
    assert_eq!(form("x.jsonl", "a\0b"), FileFormat::Hex);
    assert_eq!(form("x", ""), FileFormat::Text);
}

#[test]
fn states_of_a_local_file() {
    let mut trial = PreviewDriver::local("big.jsonl", "");
    insta::assert_snapshot!(trial.shown_before());
    trial.settle();
    insta::assert_snapshot!(trial.pictures());
    let mut trial = PreviewDriver::local("secret.txt", "x");
    trial.broken = Some("/home/me/secret.txt may not be read: its permissions do not let you");
    trial.settle();
    insta::assert_snapshot!(trial.pictures());
    trial.broken = None;
    trial.press("r");
    assert!(trial.shown().contains("1 x"), "{}", trial.shown());
}

#[test]
fn a_change_is_noticed_and_parts_are_not_mixed() {
    let mut trial = PreviewDriver::open("log.txt", "one\ntwo\n");
    trial.bytes.extend(b"three\n");
    trial.modified_ms = 2;
    trial.press("j");
    assert!(!trial.shown().contains("changed"), "nobody asks all the time");
    trial.later(3);
    trial.press("k");
    insta::assert_snapshot!(trial.pictures());
    trial.press("g3⏎");
    assert!(trial.said().contains("has changed"), "{}", trial.said());
    trial.press("r");
    trial.press("G");
    assert_eq!(trial.row().1, b"three");
}

#[test]
fn long_lines_are_cut_into_pieces_and_memory_is_bounded() {
    let mut bytes = b"short\n".to_vec();
    bytes.extend(std::iter::repeat_n(b"0123456789abcde\xc3\xa9".as_slice(), 400_000).flatten());
    bytes.extend(b"\nthe end\n");
    let mut trial = PreviewDriver::open("long.txt", bytes);
    trial.press("jw");
    for _ in 0..60 {
        trial.press("⇟");
        let window = trial.preview.window.bytes().len();
        assert!(window <= 3 << 20, "{window}");
        let (_, row) = trial.row();
        assert!(row.len() <= 256 << 10 && str::from_utf8(&row).is_ok(), "no character is cut");
    }
    trial.press("G");
    assert_eq!(trial.row().1, b"the end");
    trial.press("k");
    assert!(trial.row().1.ends_with("é".as_bytes()), "the end of the long line");
    trial.press("g1⏎");
    assert_eq!(trial.row().1, b"short");
    trial.press("/the end⏎");
    assert_eq!(trial.row().1, b"the end");
    for _ in 0..50 {
        trial.press("⇞");
    }
    assert!(trial.preview.window.bytes().len() <= 3 << 20);
}

#[test]
fn looking_is_stepwise_and_can_be_stopped() {
    let mut trial = PreviewDriver::open("a.txt", jsonl(30_000));
    trial.step = 10_000;
    trial.press("g");
    for key in "29000".chars() {
        trial.tap(KeyCode::Char(key));
    }
    trial.tap(KeyCode::Enter);
    assert!(trial.answer() && trial.answer() && trial.answer());
    assert_eq!(trial.preview.escape(), Some("stop"));
    insta::assert_snapshot!(trial.shown_before());
    trial.tap(KeyCode::Esc);
    trial.settle();
    assert_eq!((trial.said().as_str(), trial.row().0), ("search stopped", 0));
    trial.press("g29000⏎");
    assert!(trial.row().1.starts_with(b"{\"prompt\":\"row 29000\""));
    trial.press("/row 12⏎");
    assert!(trial.said().contains("not found below; N searches above"), "{}", trial.said());
    trial.press("N");
    assert!(trial.row().1.starts_with(b"{\"prompt\":\"row 12999\""), "{:?}", trial.row());
    trial.press("nN");
    assert_eq!(trial.preview.escape(), Some("stop search"));
    trial.press("⎋");
    assert_eq!(trial.preview.escape(), Some("close"));
    assert_eq!(trial.key(KeyCode::Esc), Handled::Emit(Event::Closed));
}

#[test]
fn it_fits_into_any_pane() {
    for (name, bytes) in
        [("a.jsonl", JSONL.as_bytes().to_vec()), ("a.csv", csv(30).into_bytes()), ("a.bin", vec![0; 99])]
    {
        let mut trial = PreviewDriver::open(name, bytes);
        for (width, height) in (1..50).step_by(3).flat_map(|width| (1..14).map(move |height| (width, height))) {
            trial.size = (width, height);
            trial.press("G⇱");
        }
        trial.press("v");
        for (width, height) in (1..50).step_by(3).flat_map(|width| (1..14).map(move |height| (width, height))) {
            trial.shown_at(width, height);
        }
    }
}

/// Returns all rows with their line's ends, gone through one by one with the key.
fn joined(trial: &mut PreviewDriver) -> Vec<u8> {
    let mut all = Vec::new();
    loop {
        let (at, row) = trial.row();
        assert_eq!(at, all.len() as u64);
        all.extend(row);
        let next = trial.bytes[all.len()..].iter().take_while(|byte| b"\r\n".contains(byte)).count();
        let ended = memchr::memchr(b'\n', &trial.bytes[all.len()..][..next]).map_or(0, |end| end + 1);
        all.extend_from_slice(&trial.bytes[all.len()..][..ended]);
        trial.press("j");
        if trial.row().0 == at {
            return all;
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn going_down_shows_the_file_byte_for_byte(lines in proptest::collection::vec("[ -~é]{0,40}\r?", 1..60)) {
        let text = lines.join("\n");
        prop_assume!(!text.is_empty());
        let mut trial = PreviewDriver::open("a.txt", text.clone());
        trial.preview.show_as(FileFormat::Text);
        let all = joined(&mut trial);
        prop_assert_eq!(String::from_utf8_lossy(&all), text);
    }

    #[test]
    fn any_line_is_gone_to(lines in proptest::collection::vec("[a-z]{0,30}", 2..900), picks in proptest::collection::vec(any::<prop::sample::Index>(), 1..6)) {
        let text = lines.iter().map(|line| format!("{}{line}\n", "x".repeat(200))).collect::<Vec<_>>().concat();
        let mut trial = PreviewDriver::open("a.txt", text);
        for pick in picks {
            let line = pick.index(lines.len());
            trial.go_to(JumpTarget::Line(line as u64 + 1));
            trial.settle();
            let row = trial.preview.window.row(trial.preview.cursor()).unwrap();
            prop_assert_eq!(row.line, Some(line as u64 + 1));
            prop_assert_eq!(&row.bytes[200..], lines[line].as_bytes());
        }
    }
}
