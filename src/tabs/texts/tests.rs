//! The chooser and the lists, driven by keys and on the screen.

use std::time::Instant;

use crossterm::event::{KeyCode, KeyEvent};
use ratatui::Terminal;
use ratatui::backend::TestBackend;

use super::*;
use crate::api::call::Ticket;
use crate::component::{Component, Cx, Effect, Handled, RenderContext, Response, Session, Step};
use crate::record::work::{Columns, Done, FileText, Layout, Peek, Work};
use crate::record::{Bench, Id, Query, Record, Rows, Stored, TextList};
use crate::text::Untrusted;
use crate::ui::theme::{Depth, Kind, Theme};

type Chooser = FileChooser<ChosenFile>;
type Picker = ListPicker<ListEvent>;

/// Everything a tab is given.
struct Desk {
    session: Session,
    now: Instant,
    tickets: u64,
    effects: Vec<Effect>,
}

impl Desk {
    fn new() -> Self {
        Self { session: Session::default(), now: Instant::now(), tickets: 0, effects: Vec::new() }
    }

    fn cx(&mut self) -> Cx<'_> {
        Cx::new(&self.session, self.now, 1_700_000_000_000, &mut self.tickets, &mut self.effects)
    }

    /// Returns the work asked for last.
    fn asked(&mut self) -> (Ticket, Work) {
        let work = self.effects.drain(..).rev().find_map(|effect| match effect {
            Effect::Work(ticket, work) => Some((ticket, work)),
            _ => None,
        });
        work.expect("no work was asked for")
    }
}

fn code(key: char) -> KeyEvent {
    KeyEvent::from(match key {
        '\n' => KeyCode::Enter,
        '\t' => KeyCode::Tab,
        '\u{1b}' => KeyCode::Esc,
        '↓' => KeyCode::Down,
        '↑' => KeyCode::Up,
        key => KeyCode::Char(key),
    })
}

fn press(chooser: &mut Chooser, desk: &mut Desk, keys: &str) -> Handled<Step<ChosenFile>> {
    keys.chars().map(|key| chooser.key(code(key), &mut desk.cx())).last().expect("some keys")
}

/// Returns the dialog on a screen of this size.
fn shown<E>(dialog: &mut impl Component<Step<E>>, desk: &Desk, width: u16, height: u16) -> String {
    let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
    let theme = Theme::of(Kind::Mono, Depth::None);
    let session = Session { motion: true, ..Session::default() };
    dialog.arrange(terminal.get_frame().area(), &session, desk.now);
    let context = RenderContext { session: &session, theme: &theme, now: desk.now };
    terminal.draw(|frame| dialog.render(frame, frame.area(), context)).unwrap();
    terminal.backend().to_string()
}

/// Returns whether the dialog takes what the work threads answered.
fn worked(chooser: &mut Chooser, desk: &mut Desk, ticket: Ticket, done: Done) -> bool {
    !chooser.reply(ticket, &mut Response::Work(done), &mut desk.cx()).is_ignored()
}

fn paths(names: &[&str]) -> Done {
    Done::Paths(names.iter().map(|name| Untrusted::from(*name)).collect())
}

fn peek() -> Peek {
    let cells = |row: &[&str]| row.iter().map(|cell| Untrusted::from(*cell)).collect::<Vec<_>>();
    Peek {
        path: "/data/a.csv".into(),
        bytes: 431_000,
        columns: Columns { layout: Layout::Csv, header: true, text: 1, label: Some(2) },
        names: cells(&["id", "comment", "toxic"]),
        rows: vec![cells(&["1", "you\u{1b}[2J are\nnice", "0"]), cells(&["2", "日本語", "1"])],
        count: Some(2_000),
    }
}

/// Returns a chooser that has looked at a file.
fn looked(desk: &mut Desk) -> Chooser {
    let mut chooser = Chooser::new(Bench::Moderate, |file| file);
    press(&mut chooser, desk, "a.csv\n");
    let (ticket, work) = desk.asked();
    assert_eq!(work, Work::Peek { path: "a.csv".to_owned(), form: None });
    assert!(worked(&mut chooser, desk, ticket, Done::Peeked(Box::new(peek()))));
    chooser
}

#[test]
fn tab_completes_as_far_as_names_agree_and_then_lists_them() {
    let mut desk = Desk::new();
    let mut chooser = Chooser::new(Bench::Embed, |file| file);
    press(&mut chooser, &mut desk, "da\t");
    let (ticket, work) = desk.asked();
    assert_eq!(work, Work::Paths("da".to_owned()));
    // Tab was pressed before the names were there.
    assert!(worked(&mut chooser, &mut desk, ticket, paths(&["data-ä.txt", "data-ö/", "data-ö.txt"])));
    let (ticket, work) = desk.asked();
    assert_eq!(work, Work::Paths("data-".to_owned()));
    worked(&mut chooser, &mut desk, ticket, paths(&["data-ä.txt", "data-ö/", "data-ö.txt"]));
    press(&mut chooser, &mut desk, "\t");
    let screen = shown(&mut chooser, &desk, 60, 20);
    assert!(screen.contains("path  data-") && screen.contains("▸ data-ä.txt"), "{screen}");
    // Enter goes into a directory, and looks at a file.
    press(&mut chooser, &mut desk, "↓\n");
    let (ticket, work) = desk.asked();
    assert_eq!(work, Work::Paths("data-ö/".to_owned()));
    worked(&mut chooser, &mut desk, ticket, paths(&["data-ö/x.txt"]));
    press(&mut chooser, &mut desk, "↓\n");
    assert_eq!(desk.asked().1, Work::Peek { path: "data-ö/x.txt".to_owned(), form: None });
}

#[test]
fn names_of_what_was_typed_before_come_too_late() {
    let mut desk = Desk::new();
    let mut chooser = Chooser::new(Bench::Embed, |file| file);
    press(&mut chooser, &mut desk, "a");
    let (late, _) = desk.asked();
    press(&mut chooser, &mut desk, "b");
    assert!(desk.effects.contains(&Effect::Cancel(late)));
    assert!(!worked(&mut chooser, &mut desk, late, paths(&["axe"])));
    assert!(!shown(&mut chooser, &desk, 60, 20).contains("axe"));
}

#[test]
fn what_is_dropped_onto_the_terminal_is_a_path() {
    for (dropped, path) in [
        ("'/a b/c.txt' ", "/a b/c.txt"),
        ("\"/a b\"\n", "/a b"),
        ("/a\\ b.txt", "/a b.txt"),
        ("file:///tmp/x", "/tmp/x"),
        (" ~/x.csv", "~/x.csv"),
    ] {
        let mut desk = Desk::new();
        let mut chooser = Chooser::new(Bench::Embed, |file| file);
        chooser.paste(dropped, &mut desk.cx());
        press(&mut chooser, &mut desk, "\n");
        assert_eq!(desk.asked().1, Work::Peek { path: path.to_owned(), form: None }, "{dropped:?}");
    }
}

#[test]
fn a_file_shows_its_form_columns_and_rows_and_opens_as_chosen() {
    let mut desk = Desk::new();
    let mut chooser = looked(&mut desk);
    assert!(!chooser.typing());
    let screen = shown(&mut chooser, &desk, 80, 24);
    for words in
        ["2,000 rows · 431 kB", "▸ text       ‹ comment ›", "toxic", "CSV", "comment (text)", "toxic (label)", "日本語"]
    {
        assert!(screen.contains(words), "{words}: {screen}");
    }
    assert!(!screen.contains('\u{1b}') && screen.contains("␛[2J"), "{screen}");
    let chosen = |outcome: Handled<Step<ChosenFile>>| match outcome {
        Handled::Emit(Step::Answer(ChosenFile { path, columns, name })) => (path, columns, name.line().into_owned()),
        other => panic!("{other:?}"),
    };
    let (path, columns, name) = chosen(press(&mut chooser.clone(), &mut desk, "\n"));
    assert_eq!((path.as_str(), columns, name.as_str()), ("/data/a.csv", peek().columns, "a.csv"));
    // The next column has the texts: the label's, so there is no label any more.
    let (_, columns, _) = chosen(press(&mut chooser.clone(), &mut desk, "l\n"));
    assert_eq!((columns.text, columns.label), (2, None));
    // Labels go round through none, and past the text.
    let labels: Vec<_> = ["jh\n", "jl\n", "jll\n", "jlll\n"]
        .map(|keys| chosen(press(&mut chooser.clone(), &mut desk, keys)).1.label)
        .to_vec();
    assert_eq!(labels, [Some(0), None, Some(0), Some(2)]);
}

#[test]
fn another_form_is_looked_at_anew_and_esc_goes_back_to_the_path() {
    let mut desk = Desk::new();
    let mut chooser = looked(&mut desk);
    press(&mut chooser, &mut desk, "jjl");
    let (ticket, work) = desk.asked();
    assert_eq!(work, Work::Peek { path: "/data/a.csv".to_owned(), form: Some((Layout::Tsv, true)) });
    worked(&mut chooser, &mut desk, ticket, Done::Moved { done: 1_000_000, total: 64_000_000 });
    let screen = shown(&mut chooser, &desk, 80, 24);
    assert!(screen.contains("reading it: 1 MB of 64 MB") && chooser.due().is_some(), "{screen}");
    assert_eq!(chooser.escape(), Some("stop"));
    worked(&mut chooser, &mut desk, ticket, Done::Failed("cannot read it".into()));
    assert!(shown(&mut chooser, &desk, 80, 24).contains("✕ cannot read it"));
    press(&mut chooser, &mut desk, "j\u{20}");
    assert_eq!(desk.asked().1, Work::Peek { path: "/data/a.csv".to_owned(), form: Some((Layout::Csv, false)) });
    // Esc stops looking, then leaves the file, then the box.
    press(&mut chooser, &mut desk, "\u{1b}");
    assert!(matches!(desk.effects.last(), Some(Effect::Cancel(_))));
    assert_eq!(chooser.escape(), Some("another file"));
    assert_eq!(press(&mut chooser, &mut desk, "\u{1b}"), Handled::Consumed);
    assert_eq!((chooser.typing(), chooser.escape()), (true, Some("close")));
    assert_eq!(press(&mut chooser, &mut desk, "\u{1b}"), Handled::close());
}

#[test]
fn it_fits_into_any_screen() {
    let mut desk = Desk::new();
    let mut typing = Chooser::new(Bench::Embed, |file| file);
    press(&mut typing, &mut desk, "a");
    let (ticket, _) = desk.asked();
    let names: Vec<String> = (0..200).map(|n| format!("a{n}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    worked(&mut typing, &mut desk, ticket, paths(&names));
    press(&mut typing, &mut desk, &"↓".repeat(30));
    let mut file = looked(&mut desk);
    let mut failed = looked(&mut desk);
    press(&mut failed, &mut desk, "jjl");
    let (ticket, _) = desk.asked();
    worked(&mut failed, &mut desk, ticket, Done::Failed("a long sentence ".repeat(20).into()));
    for (width, height) in [(1, 1), (4, 3), (12, 5), (40, 10), (60, 18), (80, 24), (200, 60)] {
        for chooser in [&mut typing, &mut file, &mut failed] {
            let screen = shown(chooser, &desk, width, height);
            assert_eq!(screen.lines().count(), usize::from(height));
        }
    }
    assert!(shown(&mut typing, &desk, 80, 24).contains("▸ a29"));
}

fn list(id: i64, name: &str, source: &str) -> TextList {
    TextList {
        id: Id(id),
        bench: Bench::Moderate,
        name: name.into(),
        source: source.into(),
        created_ms: 0,
        updated_ms: 1_700_000_000_000,
        state: String::new(),
        rows: 2_000,
    }
}

/// Returns a picker with two lists, and the bench's own.
fn picker(desk: &mut Desk) -> Picker {
    let mut picker = Picker::new(Bench::Moderate, |event| event, &mut desk.cx());
    let Some(Effect::Load(ticket, Query::TextLists(Bench::Moderate))) = desk.effects.pop() else { panic!("not asked") };
    let lists = vec![list(1, "bench", ""), list(2, "a.csv", "/data/a.csv"), list(3, "b.csv", "/data/b.csv")];
    assert_eq!(picker.handle_stored(Ticket(99), &Stored::Committed), Handled::Ignored);
    assert_eq!(picker.handle_stored(ticket, &Stored::Rows(Rows::TextLists(lists))), Handled::Consumed);
    picker
}

#[test]
fn kept_lists_are_opened_and_deleted_when_asked_twice() {
    let mut desk = Desk::new();
    let progress = |list: &TextList| (list.id == Id(2)).then(|| "paused at 40%".to_owned());
    let mut picker = picker(&mut desk).with_progress(progress);
    let keys = |picker: &mut Picker, desk: &mut Desk, keys: &str| {
        keys.chars().map(|key| picker.key(code(key), &mut desk.cx())).last().unwrap()
    };
    let screen = shown(&mut picker, &desk, 80, 24);
    for words in ["▸ a.csv", "2,000 texts", "paused at 40%", "/data/a.csv", "Nov"] {
        assert!(screen.contains(words), "{words}: {screen}");
    }
    assert!(!screen.contains("bench"));
    assert_eq!(keys(&mut picker, &mut desk, "j\n"), Handled::answer(ListEvent::Open(Id(3))));
    keys(&mut picker, &mut desk, "x");
    assert_eq!(picker.escape(), Some("cancel"));
    assert_eq!(keys(&mut picker, &mut desk, "\n"), Handled::Consumed, "the answer is no unless told otherwise");
    assert_eq!(picker.escape(), Some("close"));
    assert!(desk.effects.is_empty());
    keys(&mut picker, &mut desk, "xy");
    let Some(Effect::TrySave(ticket, Record::DeleteTextList(Id(3)))) = desk.effects.pop() else {
        panic!("not deleted")
    };
    assert_eq!(keys(&mut picker, &mut desk, "\n"), Handled::Consumed, "it is no list to open any more");
    assert_eq!(picker.handle_stored(ticket, &Stored::Failed("disk full".into())), Handled::Consumed);
    let screen = shown(&mut picker, &desk, 80, 24);
    assert!(screen.contains("✕ not deleted: disk full") && screen.contains("b.csv"), "{screen}");
    keys(&mut picker, &mut desk, "xy");
    let Some(Effect::TrySave(ticket, _)) = desk.effects.pop() else { panic!("not deleted") };
    assert_eq!(picker.handle_stored(ticket, &Stored::Committed), Handled::emit(ListEvent::Deleted(Id(3))));
    assert_eq!(keys(&mut picker, &mut desk, "\n"), Handled::answer(ListEvent::Open(Id(2))));
    for (width, height) in [(1, 1), (3, 2), (20, 6), (40, 10), (200, 60)] {
        shown(&mut picker, &desk, width, height);
    }
}

#[test]
fn the_list_that_is_asked_about_is_deleted_whatever_moves_meanwhile() {
    let mut desk = Desk::new();
    let mut picker = picker(&mut desk);
    let keys = |picker: &mut Picker, desk: &mut Desk, keys: &str| {
        keys.chars().map(|key| picker.key(code(key), &mut desk.cx())).last().unwrap()
    };
    keys(&mut picker, &mut desk, "xyjx");
    let first = desk.effects.iter().find_map(|effect| match effect {
        Effect::TrySave(ticket, Record::DeleteTextList(Id(2))) => Some(*ticket),
        _ => None,
    });
    desk.effects.clear();
    let mut lists = picker.clone();
    assert_eq!(picker.handle_stored(first.unwrap(), &Stored::Committed), Handled::emit(ListEvent::Deleted(Id(2))));
    for picker in [&mut lists, &mut picker] {
        keys(picker, &mut desk, "y");
        assert!(matches!(desk.effects.pop(), Some(Effect::TrySave(_, Record::DeleteTextList(Id(3))))));
    }
}

#[test]
fn a_file_becomes_a_list_whose_rows_are_kept_in_orders() {
    let mut desk = Desk::new();
    let text = |n: u64| FileText { line: n, text: format!("text {n}").into(), label: (n == 3).then(|| "x".into()) };
    let texts: Vec<FileText> = (0..25_000).map(text).collect();
    let (mut import, rows) = ListImport::new(Bench::Embed, "a".into(), "/a".into(), texts, &mut desk.cx());
    let list = import.list().clone();
    assert_eq!((rows.len(), list.rows, list.source == "/a"), (25_000, 25_000, true));
    assert_eq!((rows[3].place, rows[3].label.clone()), (3, Some("x".into())));
    let mut ids: Vec<Id> = rows.iter().map(|row| row.id).chain([list.id]).collect();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), 25_001);
    assert_eq!(import.next(&rows), Some(Record::TextList(Box::new(list.clone()))));
    let mut kept = Vec::new();
    let mut orders = Vec::new();
    while let Some(Record::TextRows { list: id, rows }) = import.next(&rows) {
        assert_eq!(id, list.id);
        orders.push(rows.len());
        kept.extend(rows);
    }
    assert_eq!((kept == rows, orders), (true, vec![10_000, 10_000, 5_000]));
    // Long texts make an order of fewer rows, of one at least.
    let texts = (0..3).map(|n| FileText { line: n, text: "x".repeat(5 << 20).into(), label: None }).collect();
    let (mut import, rows) = ListImport::new(Bench::Embed, "a".into(), "/a".into(), texts, &mut desk.cx());
    let orders = std::iter::from_fn(|| import.next(&rows));
    assert_eq!(orders.count(), 4);
}
