//! The playground in stores of earlier versions and in damaged ones.

use std::fs;
use std::path::Path;

use benchtop::record::{Id, Query, Record, Rows, Run, Sheet, Step, Token, TurnStatus};

use crate::bench::{Bench, conversation, extend, home, keep_conversation, keep_turn, turn};
use crate::playground::{grow, keep_step, load_sheet, run, sheet, step};

#[test]
fn stores_of_earlier_versions_keep_what_they_hold_and_take_the_playground() {
    let later = "DROP TABLE details; DROP TABLE marks; DROP TABLE answers; DROP TABLE texts; DROP TABLE lists; DROP TABLE checks; DROP TABLE asked; DROP TABLE categories; \
         DROP TABLE grown; DROP TABLE steps; DROP TABLE runs; DROP TABLE sheets; DROP TABLE tokens; \
         DROP TABLE presets; PRAGMA user_version = 2";
    for (version, undo) in [(2, later.to_owned()), (1, format!("DROP TABLE purged; {later}; PRAGMA user_version = 1"))]
    {
        let (_home, path) = home();
        let bench = Bench::open(&path).unwrap();
        bench.keep(keep_conversation(conversation(1, "early")));
        bench.keep(keep_turn(benchtop::record::Turn { status: TurnStatus::Streaming, ..turn(2, 1, "He") }));
        bench.keep(extend(2, 2, "llo", 0, "hm"));
        bench.keep(Record::Draft { conversation: Id(1), text: "draft".into() });
        assert!(bench.store.close());
        rusqlite::Connection::open(&path).unwrap().execute_batch(&undo).unwrap();

        let bench = Bench::open(&path).unwrap();
        assert!(bench.store.warnings().is_empty(), "{version}");
        assert_eq!(bench.conversation(1).unwrap().draft, "draft");
        assert_eq!((bench.turns(&[2])[0].content.raw(), bench.found("early").len()), ("Hello", 1));
        bench.keep(Record::Batch(vec![Record::Sheet(sheet(1)), keep_step(step(2, 1, "He")), grow(2, 2, "y")]));
        bench.keep(Record::Purge(Id(9)));
        assert!(bench.store.close());
        let found = load_sheet(&Bench::open(&path).unwrap(), 1).unwrap();
        assert_eq!(found, (sheet(1), vec![step(2, 1, "Hey")]));
    }
}

/// Returns the text that a step of [`filled`] inserts.
fn text(id: i64) -> String {
    format!("{id} é {}", "text of some length ".repeat(20))
}

/// Creates a store of 2,000 steps, each typed after the text of the one before, and a last one that was growing.
fn filled(path: &Path) {
    let bench = Bench::open(path).unwrap();
    bench.keep(Record::Sheet(Sheet { current: Some(Id(2101)), caret: 3, ..sheet(1) }));
    let mut at = 0;
    let mut steps = Vec::new();
    for id in 100..2100 {
        let parent = (id > 100).then_some(Id(id - 1));
        steps.push(keep_step(Step { parent, at, ..step(id, 1, &text(id)) }));
        at += text(id).len() as u64;
    }
    bench.keep(Record::Batch(steps));
    let growing = Step { parent: Some(Id(2099)), at, status: TurnStatus::Streaming, ..step(2101, 1, "It ") };
    bench.keep(keep_step(growing));
    bench.keep(grow(2101, 3, "grew "));
    bench.keep(grow(2101, 8, "on"));
    for at in 0..3 {
        let token = Token { bytes: vec![b'a' + at as u8], ..Token::default() };
        bench.keep(Record::Tokens { of: Id(2101), at, tokens: vec![token] });
    }
    assert!(bench.store.close());
}

/// Returns the text of the last of consecutive steps; fails if one does not fit.
fn last_text(steps: &[Step]) -> String {
    let mut text = String::new();
    let mut before = None;
    for step in steps {
        match step.parent {
            None => text.clear(),
            parent => assert_eq!(parent, before),
        }
        let range = step.at as usize..step.at as usize + step.removed.len();
        assert_eq!(&text[range.clone()], step.removed.raw());
        text.replace_range(range, step.inserted.raw());
        before = Some(step.id);
    }
    text
}

/// Opens a store whose last exit was not clean.
fn reopen(path: &Path) -> Bench {
    fs::write(path.with_file_name("benchtop.db-wal"), "x").unwrap();
    Bench::open(path).unwrap()
}

#[test]
fn a_damaged_store_keeps_its_steps_and_every_text_can_be_made() {
    let (_home, path) = home();
    filled(&path);
    let mut bytes = fs::read(&path).unwrap();
    let pages = bytes.len() / 4096;
    for page in [pages / 3, pages / 2, pages / 2 + 1] {
        bytes[page * 4096..(page + 1) * 4096].fill(0xa5);
    }
    fs::write(&path, &bytes).unwrap();

    let bench = reopen(&path);
    let (found, steps) = load_sheet(&bench, 1).unwrap();
    let warning = bench.store.warnings().join("\n");
    assert!(warning.contains(&format!(", {} steps in Complete", steps.len())), "{warning}");
    assert!((1900..2001).contains(&steps.len()), "{} of 2,001 steps left", steps.len());
    for step in &steps[..steps.len() - 1] {
        assert_eq!(step.inserted.raw(), text(step.id.0));
    }
    let last = steps.last().unwrap();
    assert_eq!((last.id, last.inserted.raw(), last.status), (Id(2101), "It grew on", TurnStatus::Streaming));
    // Where a step is lost a new text begins, and what was added to it after that is all in it.
    let made = last_text(&steps);
    let begun = steps.iter().rev().find(|step| step.parent.is_none()).unwrap().id;
    assert!(begun > Id(100));
    let whole: String = (begun.0..2100).map(text).collect();
    assert_eq!(made, format!("{whole}It grew on"));
    assert_eq!((found.current, found.caret), (Some(Id(2101)), made.len() as u64));
    // It goes on, and is sound.
    bench.keep(grow(2101, 10, "!"));
    assert!(bench.store.close());
    assert!(Bench::open(&path).unwrap().store.warnings().is_empty());
}

/// Damages a store where no row is.
fn spoil(path: &Path) {
    let rows = rusqlite::Connection::open(path).unwrap();
    let root: i64 =
        rows.query_row("SELECT rootpage FROM sqlite_schema WHERE name = 'presets'", [], |row| row.get(0)).unwrap();
    drop(rows);
    let mut bytes = fs::read(path).unwrap();
    bytes[(root as usize - 1) * 4096..root as usize * 4096].fill(0xa5);
    fs::write(path, &bytes).unwrap();
}

#[test]
fn what_lost_its_owner_or_its_middle_is_put_right() {
    let (_home, path) = home();
    filled(&path);
    let lose = "PRAGMA foreign_keys = OFF; DELETE FROM sheets; DELETE FROM steps WHERE id = 2099; \
         DELETE FROM grown WHERE place = 3; DELETE FROM tokens WHERE place = 1; \
         INSERT INTO grown (step, place, text) VALUES (77, 0, 'of no step'); \
         INSERT INTO tokens (owner, place, amount, tokens) VALUES (77, 0, 1, '[[\"x\",null,[]]]'); \
         INSERT INTO runs VALUES (5, 2, NULL, '', '', '{}', '', 'done', '', 9, 0, 0, 0, NULL, 0, 0)";
    let connection = rusqlite::Connection::open(&path).unwrap();
    connection.execute_batch(lose).unwrap();
    drop(connection);
    spoil(&path);

    let bench = reopen(&path);
    assert_eq!(bench.store.warnings().len(), 1);
    let (found, steps) = load_sheet(&bench, 1).unwrap();
    assert_eq!((found.created_ms, found.updated_ms, found.current), (100, 2101, Some(Id(2101))));
    let last = steps.last().unwrap();
    assert_eq!((last.parent, last.at, last.inserted.raw()), (None, 0, "It "));
    assert_eq!((found.caret, steps.len()), (3, 2000));
    assert_eq!(last_text(&steps), "It ");
    let tokens = bench.load(Query::Tokens(vec![Id(2101), Id(77)]));
    let first = Token { bytes: b"a".to_vec(), ..Token::default() };
    assert_eq!(tokens, Rows::Tokens(vec![(Id(2101), vec![first])]));
    let (found, steps) = load_sheet(&bench, 2).unwrap();
    assert_eq!((found.created_ms, found.current, steps.len()), (9, None, 0));
    bench.keep(grow(2101, 3, "goes on"));
}

#[test]
fn a_change_at_the_end_of_what_is_left_takes_nothing_away_and_a_run_follows_no_lost_step() {
    let (_home, path) = home();
    let bench = Bench::open(&path).unwrap();
    bench.keep(Record::Sheet(Sheet { current: Some(Id(12)), caret: 9, ..sheet(1) }));
    bench.keep(keep_step(step(10, 1, "hello ")));
    bench.keep(grow(10, 6, "wörld"));
    // It stands where the text will end once what had grown is lost.
    let change = Step { parent: Some(Id(10)), at: 6, removed: "wörld".into(), ..step(12, 1, "you") };
    bench.keep(keep_step(change));
    for (id, parent) in [(20, 10), (21, 11)] {
        bench.keep(Record::Run(Box::new(Run { parent: Some(Id(parent)), ..run(id, 1) })));
    }
    assert!(bench.store.close());
    rusqlite::Connection::open(&path).unwrap().execute_batch("DELETE FROM grown").unwrap();
    spoil(&path);

    let bench = reopen(&path);
    let (_, steps) = load_sheet(&bench, 1).unwrap();
    let kept: Vec<_> = steps.iter().map(|step| (step.id.0, step.at, step.removed.raw(), step.inserted.raw())).collect();
    assert_eq!(kept, [(10, 0, "", "hello "), (12, 6, "", "you")]);
    assert_eq!(last_text(&steps), "hello you");
    let Rows::Runs(runs) = bench.load(Query::Runs(9)) else { panic!("runs") };
    assert_eq!(runs.iter().map(|run| (run.id.0, run.parent)).collect::<Vec<_>>(), [(21, None), (20, Some(Id(10)))]);
}
