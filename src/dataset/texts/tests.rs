//! Typical and unusual files of texts.

use std::io::BufReader;
use std::path::PathBuf;

use proptest::prelude::*;
use tempfile::TempDir;

use super::rows::{Ends, Rows};
use super::*;

fn file(name: &str, bytes: impl AsRef<[u8]>) -> (TempDir, PathBuf) {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join(name);
    std::fs::write(&path, bytes).unwrap();
    (home, path)
}

fn go_on(_: u64, _: u64) -> bool {
    true
}

fn peeked(name: &str, bytes: impl AsRef<[u8]>) -> Result<Peek, String> {
    let (_home, path) = file(name, bytes);
    peek_texts(&path, None, &mut go_on)
}

/// Returns what is read with the default columns: lines, texts, labels; and what is left out.
fn read(name: &str, bytes: impl AsRef<[u8]>) -> (Vec<(u64, String, Option<String>)>, LeftOut) {
    read_within(name, bytes, TextLimits::default())
}

fn read_within(
    name: &str,
    bytes: impl AsRef<[u8]>,
    limits: TextLimits,
) -> (Vec<(u64, String, Option<String>)>, LeftOut) {
    let (_home, path) = file(name, bytes);
    let peek = peek_texts(&path, None, &mut go_on).unwrap();
    let texts = read_texts(&path, peek.columns, limits, &mut go_on).unwrap();
    let own = |text: &Untrusted| text.screen().into_owned();
    let rows = texts.rows.iter().map(|row| (row.line, own(&row.text), row.label.as_ref().map(own)));
    (rows.collect(), texts.left_out)
}

fn texts(rows: &[(u64, String, Option<String>)]) -> Vec<&str> {
    rows.iter().map(|(_, text, _)| text.as_str()).collect()
}

fn why(left_out: &LeftOut) -> Vec<String> {
    left_out.why.iter().map(|why| why.line().into_owned()).collect()
}

#[test]
fn a_file_that_is_changed_while_it_is_read_is_named() {
    let (_home, path) = file("a.txt", "one\ntwo\n");
    let mut reader = TextReader::choose(&TextInput::Path(path.clone()), None, None).unwrap();
    assert!(reader.next_text().unwrap().is_some());
    std::fs::write(&path, "three\nfour\nfive\n").unwrap();
    while reader.next_text().unwrap().is_some() {}
    assert_eq!(reader.left_out().cut, Some("the file was changed while it was read".into()));
}

#[test]
fn one_text_a_line_with_any_line_end_and_a_mark() {
    for text in ["\u{feff}one\n\n two \nthree", "one\r\n\r\n two \r\nthree\r\n", "one\r \r two \rthree\r"] {
        let (rows, left_out) = read("a.txt", text);
        assert_eq!(texts(&rows), ["one", " two ", "three"], "{text:?}");
        assert_eq!(rows.iter().map(|row| row.0).collect::<Vec<_>>(), [1, 3, 4]);
        assert_eq!((left_out.empty, left_out.refused, left_out.cut), (1, 0, None));
    }
    // Among line feeds a carriage return belongs to the text.
    let (_home, path) = file("a.txt", "a\rb\nc\n");
    let peek = peek_texts(&path, None, &mut go_on).unwrap();
    assert_eq!((peek.columns.layout, peek.count, peek.bytes), (Layout::Lines, Some(2), 6));
    let read = read_texts(&path, peek.columns, TextLimits::default(), &mut go_on).unwrap();
    assert_eq!(read.rows[0].text, "a\rb");
}

#[test]
fn json_lines_have_fields_inside_fields_messages_and_plain_strings() {
    let (rows, _) = read("a.jsonl", "{\"id\":7,\"text\":\"a\\nb\",\"label\":\"spam\"}\n{\"text\":\"c\",\"label\":1}\n");
    assert_eq!(rows[0], (1, "a\nb".to_owned(), Some("spam".to_owned())));
    assert_eq!(rows[1].2.as_deref(), Some("1"));
    let peek = peeked("a.jsonl", "{\"id\":7,\"data\":{\"text\":\"a\",\"n\":[1]},\"flagged\":true}\n").unwrap();
    let names: Vec<_> = peek.names.iter().map(|name| name.line().into_owned()).collect();
    assert_eq!(names, ["id", "data.text", "data.n", "flagged"]);
    assert_eq!((peek.columns.text, peek.columns.label), (1, Some(3)));
    assert_eq!(peek.rows[0].iter().map(|cell| cell.line().into_owned()).collect::<Vec<_>>(), ["7", "a", "[1]", "true"]);
    let chat = "{\"messages\":[{\"role\":\"system\",\"content\":\"s\"},{\"role\":\"user\",\"content\":\"first\"},\
                {\"role\":\"assistant\",\"content\":\"x\"},{\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":\"last\"}]}]}\n";
    let (rows, _) = read("chat.jsonl", chat);
    assert_eq!(texts(&rows), ["last"]);
    let (rows, left_out) = read("s.jsonl", "\"one\"\n\"\\u00fc\"\n17\n\"\"\nnull\n{}\n");
    assert_eq!(texts(&rows), ["one", "ü"]);
    assert_eq!((left_out.empty, left_out.refused), (1, 3));
    // A list of labels stays a list.
    let (rows, _) = read(
        "l.jsonl",
        "{\"text\":\"a\",\"labels\":[\"hate\",\"violence\"]}\n{\"text\":\"b\",\"labels\":{\"hate\":true}}",
    );
    assert_eq!(rows[0].2.as_deref(), Some("[\"hate\",\"violence\"]"));
    assert_eq!(rows[1].2.as_deref(), Some("{\"hate\":true}"));
}

#[test]
fn a_label_is_a_word_sooner_than_a_list_wherever_it_stands() {
    let (rows, _) = read(
        "n.jsonl",
        "{\"text\":\"a\",\"tags\":[\"x\"],\"meta\":{\"label\":\"ok\"}}\n{\"text\":\"b\",\"tags\":[],\"meta\":{\"label\":\"bad\"}}\n",
    );
    assert_eq!((rows[0].2.as_deref(), rows[1].2.as_deref()), (Some("ok"), Some("bad")));
}

#[test]
fn what_is_wrong_with_a_row_of_json_is_named() {
    let lines =
        "{\"text\":\"a\"}\n{\"text\":3}\n{\"text\":\"é\",x}\n{\"body\":\"z\"}\n{\"text\":null}\n{\"text\":\"b\"}\n";
    let (rows, left_out) = read("a.jsonl", lines);
    assert_eq!(texts(&rows), ["a", "b"]);
    assert_eq!(
        why(&left_out),
        [
            "line 2: “text” is a number, not text",
            "line 3, column 13: the line is not valid JSON",
            "line 4: there is no “text”",
            "line 5: there is no “text”",
        ]
    );
    assert_eq!(left_out.sentence().unwrap().line(), "4 rows were left out: line 2: “text” is a number, not text …");
}

#[test]
fn tables_have_quotes_line_ends_in_them_semicolons_and_tabs() {
    let (rows, left_out) = read("a.csv", "label,text\r\nspam,\"a \"\"b\"\", c\r\nd\"\r\n\r\nham,e f\r\nham,\r\n");
    assert_eq!(
        rows,
        [(2, "a \"b\", c\nd".to_owned(), Some("spam".to_owned())), (5, "e f".to_owned(), Some("ham".to_owned()))]
    );
    assert_eq!((left_out.empty, left_out.refused), (2, 0));
    let peek = peeked("a.csv", "n;comment\n1;\"a, b\"\n").unwrap();
    assert_eq!((peek.columns.layout, peek.columns.text, peek.names.len(), peek.count), (Layout::Csv, 1, 2, Some(1)));
    let (rows, _) = read("noname", "id\ttext\n1\ta, b \"c\"\n");
    assert_eq!(texts(&rows), ["a, b \"c\""]);
    // Without a header: what occurs again below is a value.
    let (rows, _) = read("sms.tsv", "ham\tsee you\nspam\twin now\nham\tok\n");
    assert_eq!(texts(&rows), ["see you", "win now", "ok"]);
    let (rows, _) = read("cr.csv", "text,label\ra,1\r\"b\rc\",0\rd,1\r");
    assert_eq!(rows.iter().map(|row| (row.0, row.1.as_str())).collect::<Vec<_>>(), [(2, "a"), (3, "b␍c"), (5, "d")]);
}

#[test]
fn ragged_rows_are_named_and_not_cut() {
    let (rows, left_out) = read("a.csv", "label,text\nham,one\nham,two, three\nham\nham,four,,\nspam,five\n");
    assert_eq!(texts(&rows), ["one", "four", "five"]);
    assert_eq!(
        why(&left_out),
        [
            "line 3: the row has 3 cells, but there are 2 columns",
            "line 4: the row has only 1 cell, so “text” is missing"
        ]
    );
    let (rows, left_out) = read("a.csv", "text,label\na,1\nb,0\n\"c,1\nd,0\n");
    assert_eq!(texts(&rows), ["a", "b"]);
    assert_eq!(why(&left_out), ["line 4: a quote is not closed before the end of the file"]);
}

#[test]
fn bytes_that_are_no_text_are_named_with_line_and_column() {
    let (rows, left_out) = read("a.txt", b"one\nz\xc3\xa4\xe4x\nt\0wo\nthree\n");
    assert_eq!(texts(&rows), ["one", "three"]);
    assert_eq!(why(&left_out), ["line 2, column 3: byte 0xE4 is not UTF-8", "line 3, column 2: contains a zero byte"]);
    let (rows, left_out) = read("a.csv", b"text,label\n\"a\nb\xff\",1\nc,0\n");
    assert_eq!(
        (texts(&rows), why(&left_out)),
        (vec!["c"], vec!["line 3, column 2: byte 0xFF is not UTF-8".to_owned()])
    );
}

#[test]
fn what_is_no_file_of_texts_is_refused_in_a_sentence() {
    let wide: Vec<u8> = "hello there, you\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    let marked = [b"\xff\xfe".as_slice(), &wide].concat();
    let noise: Vec<u8> = (0..4_000_u32).map(|n| (n.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
    for (bytes, words) in [
        (wide.as_slice(), "is UTF-16; save it as UTF-8"),
        (&marked, "is UTF-16; save it as UTF-8"),
        (b"PK\x03\x04\x14\0", "a zip archive"),
        (b"%PDF-1.7\n", "a PDF"),
        (&noise, "it contains binary data"),
        (b"", "is empty"),
        (b"\xef\xbb\xbf\r\n \n", "is empty"),
    ] {
        let why = peeked("a", bytes).unwrap_err();
        assert!(why.contains(words), "{words}: {why}");
    }
    assert!(peeked("a.json", "[\n {\"text\": \"a\"}\n]").unwrap_err().contains("a single JSON document"));
    assert!(peeked("a.jsonl", "{}\n{}\n").unwrap_err().contains("no JSON objects or strings"));
    let home = tempfile::tempdir().unwrap();
    assert!(peek_texts(home.path(), None, &mut go_on).unwrap_err().contains("is a folder"));
    assert!(peek_texts(&home.path().join("x"), None, &mut go_on).unwrap_err().contains("there is no such file"));
    #[cfg(unix)]
    assert!(peek_texts(Path::new("/dev/zero"), None, &mut go_on).unwrap_err().contains("not a regular file"));
}

#[test]
fn limits_hold_at_their_edges_and_are_said() {
    let limits = TextLimits { rows: 3, text: 10, row: 8, file: 1_000 };
    let (rows, left_out) = read_within("a.txt", "a\nb\n\nc\n\n", limits);
    assert_eq!((rows.len(), left_out.cut), (3, None));
    let (rows, left_out) = read_within("a.txt", "a\nb\nc\nd\n", limits);
    let cut = left_out.sentence().unwrap();
    assert_eq!(
        (rows.len(), cut.line().as_ref()),
        (3, "only the first 3 texts were read; split the file to read the rest")
    );
    assert_eq!(read_within("a.txt", "aaaaa\nbbbbb\n", limits).1.cut, None);
    let (rows, left_out) = read_within("a.txt", "aaaaa\nbbbbbb\n", limits);
    assert_eq!(rows.len(), 1);
    assert!(left_out.cut.unwrap().contains("10 bytes of text"));
    let (rows, left_out) = read_within("a.txt", "aaaaaaaaa\nbb\n", limits);
    assert_eq!((texts(&rows), why(&left_out)), (vec!["bb"], vec!["line 1: the row is longer than 8 bytes".to_owned()]));
    let (rows, left_out) = read_within("a.txt", format!("a\n{}b", "\n".repeat(2_000)), limits);
    assert_eq!((rows.len(), left_out.cut), (1, Some("only the first 1000 bytes of the file were read".into())));
    let (rows, left_out) = read_within("a.csv", "text,l\na,1\n\"bcdefghi\nx,1\n", limits);
    assert_eq!(texts(&rows), ["a"]);
    assert!(why(&left_out)[0].contains("perhaps a quote is never closed"), "{:?}", why(&left_out));
}

#[test]
fn a_line_of_ten_megabytes_is_a_text_and_one_of_twenty_is_named() {
    let long = format!("a\n{}\n{}\nb\n", "x".repeat(10_000_000), "y".repeat(20_000_000));
    let (rows, left_out) = read("a.txt", long);
    assert_eq!(rows.iter().map(|row| row.1.len()).collect::<Vec<_>>(), [1, 10_000_000, 1]);
    assert_eq!(why(&left_out), ["line 3: the row is longer than 16 MiB"]);
}

#[test]
fn a_choice_of_form_counts_and_what_is_not_waited_for_stops() {
    let (_home, path) = file("a.csv", "x,y\na,b\n");
    let lines = peek_texts(&path, Some((Layout::Lines, false)), &mut go_on).unwrap();
    assert_eq!((lines.columns.layout, lines.count), (Layout::Lines, Some(2)));
    let table = peek_texts(&path, Some((Layout::Csv, false)), &mut go_on).unwrap();
    assert_eq!((table.names[1].line().as_ref(), table.rows.len(), table.count), ("column 2", 2, Some(2)));
    let read = read_texts(&path, Columns { text: 2, ..table.columns }, TextLimits::default(), &mut go_on);
    assert!(read.unwrap_err().contains("has changed"));
    let (_home, path) = file("b.txt", "some text\n".repeat(400_000));
    let columns = Columns { layout: Layout::Lines, header: false, text: 0, label: None };
    let mut heard = Vec::new();
    let read =
        read_texts(&path, columns, TextLimits { rows: usize::MAX, ..TextLimits::default() }, &mut |done, total| {
            heard.push((done, total));
            heard.len() < 2
        });
    assert!(read.unwrap().rows.len() < 400_000);
    assert_eq!((heard.len(), heard[0].1), (2, 4_000_000));
}

/// Generates text with characters that are special in tables.
fn odd() -> impl Strategy<Value = Vec<u8>> {
    let bytes = prop::sample::select(b"ab \",;\t\n\r\"\n,x\xc3\xa4\xff\0{}[]:".to_vec());
    prop::collection::vec(bytes, 0..300)
}

proptest! {
    #[test]
    fn nothing_makes_it_panic_and_every_row_is_accounted_for(
        bytes in odd(),
        name in prop::sample::select(vec!["a.txt", "a.csv", "a.tsv", "a.jsonl", "a"]),
        form in prop::option::of((0..4, any::<bool>())),
    ) {
        let (_home, path) = file(name, &bytes);
        let layouts = [Layout::Lines, Layout::Jsonl, Layout::Csv, Layout::Tsv];
        let form = form.map(|(layout, header)| (layouts[layout as usize], header));
        if let Ok(peek) = peek_texts(&path, form, &mut go_on) {
            let read = read_texts(&path, peek.columns, TextLimits::default(), &mut go_on).unwrap();
            let all = read.rows.len() as u64 + read.left_out.refused;
            // Rows with blank texts are counted by `empty`, with the blank lines.
            prop_assert!(all <= peek.count.unwrap());
            prop_assert!(peek.count.unwrap() <= all + read.left_out.empty);
        }
    }

    #[test]
    fn lines_are_those_of_a_naive_reader(lines in prop::collection::vec("[a-zä ]{0,9}", 1..40), crlf in any::<bool>()) {
        let text = lines.join(if crlf { "\r\n" } else { "\n" });
        prop_assume!(!text.trim().is_empty());
        let (_home, path) = file("a.txt", &text);
        let columns = Columns { layout: Layout::Lines, header: false, text: 0, label: None };
        let read = read_texts(&path, columns, TextLimits::default(), &mut go_on).unwrap();
        let naive: Vec<&str> = lines.iter().map(String::as_str).filter(|line| !line.trim().is_empty()).collect();
        prop_assert!(read.rows.iter().map(|row| &row.text).eq(naive.iter().copied()));
        prop_assert_eq!(read.left_out.refused, 0);
    }

    #[test]
    fn rows_of_a_table_are_those_of_the_csv_reader(bytes in odd()) {
        let mut naive = Vec::new();
        let mut reader = csv::ReaderBuilder::new().has_headers(false).flexible(true).from_reader(bytes.as_slice());
        for record in reader.byte_records() {
            naive.push(record.unwrap().iter().map(<[u8]>::to_vec).collect::<Vec<_>>());
        }
        let mut rows = Rows::new(BufReader::with_capacity(3, bytes.as_slice()), Ends::Quoted(b','), 1_000);
        let mut own = Vec::new();
        while let Some(row) = rows.next().unwrap() {
            prop_assert_eq!(row.line, line_of(&bytes, row.bytes, row.line));
            if !row.bytes.is_empty() {
                own.push(cells(row.bytes, b','));
            }
        }
        prop_assert_eq!(own, naive);
    }

    #[test]
    fn what_is_written_as_csv_is_read_as_it_was(texts in prop::collection::vec("[a-z\",;\n\r\t ä]{1,12}", 1..20)) {
        let mut writer = csv::Writer::from_writer(Vec::new());
        writer.write_record(["label", "text"]).unwrap();
        for text in &texts {
            writer.write_record(["x", text]).unwrap();
        }
        let (_home, path) = file("a.csv", writer.into_inner().unwrap());
        let columns = Columns { layout: Layout::Csv, header: true, text: 1, label: Some(0) };
        let read = read_texts(&path, columns, TextLimits::default(), &mut go_on).unwrap();
        let naive: Vec<&str> = texts.iter().map(String::as_str).filter(|text| !text.trim().is_empty()).collect();
        prop_assert!(read.rows.iter().map(|row| &row.text).eq(naive.iter().copied()));
    }
}

/// Returns the line, if the row's bytes are there; else another number.
fn line_of(bytes: &[u8], row: &[u8], line: u64) -> u64 {
    let mut at = 0;
    for _ in 1..line {
        while !matches!(bytes[at], b'\n' | b'\r') {
            at += 1;
        }
        at += if bytes[at..].starts_with(b"\r\n") { 2 } else { 1 };
    }
    if bytes[at..].starts_with(row) { line } else { 0 }
}
