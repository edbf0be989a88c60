//! Lists of texts and what was said of their texts: what was acknowledged is there, and copies keep out of each other's
//! way.

use std::path::Path;
use std::sync::Arc;

use benchtop::record::{Bench as Whose, Check, Id, Query, Record, Rows, Stored, TextKey, TextList, TextRow, Turn};
use benchtop::text::Untrusted;

use crate::bench::{Bench, conversation, home, keep_conversation, keep_turn, turn};

const ODD: &str = "a\0b\r\n\u{1b}[2J\u{202e}é世\t";
const GONE: &str = "the list was deleted, perhaps by another copy of benchtop";

fn list(id: i64, bench: Whose) -> TextList {
    TextList {
        id: Id(id),
        bench,
        name: format!("list {id}").into(),
        source: "".into(),
        created_ms: 5,
        updated_ms: id,
        state: "{}".into(),
        rows: 0,
    }
}

fn row(id: i64, place: u32, text: &str) -> TextRow {
    TextRow { id: Id(id), place, name: "".into(), text: text.into(), label: None }
}

fn keep_list(list: TextList) -> Record {
    Record::TextList(Box::new(list))
}

fn keep_rows(list: i64, rows: Vec<TextRow>) -> Record {
    Record::TextRows { list: Id(list), rows }
}

fn check(id: i64, text: &str) -> Check {
    Check {
        id: Id(id),
        text: TextKey::of(&text.into()),
        profile: "local".into(),
        asked: "m".into(),
        model: "m-2".into(),
        at_ms: id,
        latency_ms: 7,
        flagged: true,
        categories: ["hate", "self-harm/intent", ODD].map(Untrusted::from).into(),
        scores: [Some(0.1 + 0.2), None, Some(f64::MIN_POSITIVE)].into(),
        flags: [Some(true), Some(false), None].into(),
    }
}

fn lists(bench: &Bench, whose: Whose) -> Vec<TextList> {
    match bench.load(Query::TextLists(whose)) {
        Rows::TextLists(lists) => lists,
        other => panic!("{other:?}"),
    }
}

fn texts(bench: &Bench, id: i64) -> Option<(TextList, Vec<TextRow>)> {
    match bench.load(Query::Texts(Id(id))) {
        Rows::Texts(found) => found,
        other => panic!("{other:?}"),
    }
}

/// Checks in the order of their ids, or as they came.
fn checks(bench: &Bench, query: Query) -> Vec<Check> {
    let sorted = matches!(query, Query::ListChecks(_));
    match bench.load(query) {
        Rows::Checks(mut checks) => {
            if sorted {
                checks.sort_by_key(|check| check.id);
            }
            checks
        }
        other => panic!("{other:?}"),
    }
}

fn ids(checks: &[Check]) -> Vec<i64> {
    checks.iter().map(|check| check.id.0).collect()
}

fn refused(bench: &Bench, record: Record) -> String {
    match bench.record(record) {
        Stored::Failed(why) => why.raw().to_owned(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn lists_and_rows_come_back_byte_for_byte_by_place() {
    let (_home, path) = home();
    let bench = Bench::open(&path).unwrap();
    let odd = TextList {
        name: ODD.into(),
        source: "/a/b.csv".into(),
        updated_ms: 90,
        state: ODD.into(),
        ..list(1, Whose::Moderate)
    };
    let rows = vec![
        TextRow { name: ODD.into(), label: Some(ODD.into()), ..row(12, 0, ODD) },
        TextRow { label: Some("".into()), ..row(11, 3, "") },
        row(13, 3, "same place"),
        row(10, u32::MAX, "last"),
    ];
    bench.keep(Record::Batch(vec![keep_list(odd.clone()), keep_rows(1, rows.iter().rev().cloned().collect())]));
    for (id, whose) in [(2, Whose::Moderate), (3, Whose::Embed), (4, Whose::Embed)] {
        bench.keep(keep_list(list(id, whose)));
    }
    bench.keep(keep_rows(3, vec![row(30, 0, "x")]));
    assert!(bench.store.close());

    let bench = Bench::open(&path).unwrap();
    let odd = TextList { rows: 4, ..odd };
    assert_eq!(texts(&bench, 1), Some((odd.clone(), rows.clone())));
    assert_eq!(texts(&bench, 9), None);
    assert_eq!(lists(&bench, Whose::Moderate), [odd, list(2, Whose::Moderate)]);
    assert_eq!(lists(&bench, Whose::Embed), [list(4, Whose::Embed), TextList { rows: 1, ..list(3, Whose::Embed) }]);
    // A row that is kept again is replaced, rows go, the list's fields change and its rows stay.
    bench.keep(keep_rows(1, vec![TextRow { label: None, ..row(13, 9, "moved") }]));
    bench.keep(Record::DeleteTextRows(vec![Id(12), Id(10), Id(77)]));
    let later = TextList { created_ms: 77, updated_ms: 40, state: "2".into(), ..list(1, Whose::Embed) };
    bench.keep(keep_list(later.clone()));
    let (found, rows) = texts(&bench, 1).unwrap();
    assert_eq!(rows, [TextRow { label: Some("".into()), ..row(11, 3, "") }, row(13, 9, "moved")]);
    // When it was made does not change, and its last change goes only forward.
    assert_eq!(found, TextList { created_ms: 5, updated_ms: 90, rows: 2, ..later });
}

#[test]
fn a_list_that_was_deleted_stays_away_with_its_rows_and_what_is_known_of_its_texts_stays() {
    let (_home, path) = home();
    let (one, two) = (Bench::open(&path).unwrap(), Bench::open(&path).unwrap());
    one.keep(Record::Batch(vec![keep_list(list(1, Whose::Moderate)), keep_rows(1, vec![row(10, 0, "a")])]));
    one.keep(Record::Checks(vec![check(100, "a")]));
    assert_eq!(texts(&two, 1).unwrap().1.len(), 1);
    two.keep(Record::DeleteTextList(Id(1)));
    two.keep(Record::DeleteTextList(Id(1)));
    // The first copy still shows it.
    assert_eq!(refused(&one, keep_rows(1, vec![row(10, 0, "a"), row(11, 1, "b")])), GONE);
    assert_eq!(refused(&one, keep_list(list(1, Whose::Moderate))), GONE);
    assert_eq!(refused(&one, keep_rows(2, vec![row(10, 0, "a")])), "the list these texts belong to is not stored");
    one.keep(Record::DeleteTextRows(vec![Id(10)]));
    assert_eq!((texts(&one, 1), lists(&one, Whose::Moderate)), (None, vec![]));
    assert_eq!(checks(&one, Query::ListChecks(Id(1))), []);
    let key = TextKey::of(&"a".into());
    assert_eq!(checks(&one, Query::Checks(vec![key])), [check(100, "a")]);
    // In another list the same text has what is known of it.
    one.keep(Record::Batch(vec![keep_list(list(2, Whose::Embed)), keep_rows(2, vec![row(20, 0, "a")])]));
    assert_eq!(checks(&two, Query::ListChecks(Id(2))), [check(100, "a")]);
}

#[test]
fn checks_come_back_whole_and_history_is_newest_first() {
    let (_home, path) = home();
    let bench = Bench::open(&path).unwrap();
    let nothing = Check { categories: [].into(), scores: [].into(), flags: [].into(), ..check(3, "a") };
    let other = Check {
        flagged: false,
        profile: String::new(),
        asked: ODD.into(),
        model: "".into(),
        latency_ms: u32::MAX,
        at_ms: -1,
        categories: ["one"].map(Untrusted::from).into(),
        scores: [Some(1.0)].into(),
        flags: [None].into(),
        ..check(4, "b")
    };
    bench.keep(Record::Checks(vec![check(1, "a"), other.clone(), nothing.clone(), check(2, "b")]));
    // Again, and with something else in it: what is there stays.
    bench.keep(Record::Checks(vec![Check { flagged: false, ..check(1, "a") }, check(5, "c")]));
    bench.keep(Record::Checks(vec![]));
    assert!(bench.store.close());

    let bench = Bench::open(&path).unwrap();
    let keys = ["b", "a", "nobody's", "a"].map(|text| TextKey::of(&text.into())).to_vec();
    let found = checks(&bench, Query::Checks(keys));
    assert_eq!(found, [nothing, check(2, "b"), check(1, "a"), other]);
    assert!(Arc::ptr_eq(&found[1].categories, &found[2].categories), "shared");
    let bits = |check: &Check| check.scores.iter().map(|score| score.map(f64::to_bits)).collect::<Vec<_>>();
    assert_eq!(bits(&found[1]), bits(&check(2, "b")));
}

#[test]
fn a_list_has_the_newest_check_of_each_text_for_each_profile_and_model() {
    let bench = Bench::memory();
    let rows = vec![row(10, 0, "a"), row(11, 1, "b"), row(12, 2, "a"), row(13, 3, "never checked")];
    bench.keep(Record::Batch(vec![keep_list(list(1, Whose::Moderate)), keep_rows(1, rows)]));
    let of = |id, text: &str, profile: &str, asked: &str, at_ms| Check {
        profile: profile.into(),
        asked: asked.into(),
        at_ms,
        ..check(id, text)
    };
    bench.keep(Record::Checks(vec![
        of(1, "a", "local", "m", 10),
        of(2, "a", "local", "m", 30),
        of(3, "a", "local", "m", 20),
        of(4, "a", "local", "other", 5),
        of(5, "a", "work", "m", 6),
        // Of one moment the one made last.
        of(7, "b", "local", "m", 10),
        of(6, "b", "local", "m", 10),
        of(8, "of no row", "local", "m", 99),
    ]));
    assert_eq!(ids(&checks(&bench, Query::ListChecks(Id(1)))), [2, 4, 5, 7]);
    let key = TextKey::of(&"a".into());
    assert_eq!(ids(&checks(&bench, Query::Checks(vec![key]))), [2, 3, 1, 5, 4]);
    assert_eq!(checks(&bench, Query::ListChecks(Id(2))), []);
}

#[test]
fn twenty_thousand_rows_and_their_checks_are_kept_in_order() {
    let (_home, path) = home();
    let bench = Bench::open(&path).unwrap();
    bench.keep(keep_list(list(1, Whose::Moderate)));
    let text = |n: i64| format!("text number {n} é");
    let rows: Vec<TextRow> = (0..20_000).map(|n| row(1_000_000 - n, n as u32, &text(n))).collect();
    for some in rows.chunks(10_000) {
        bench.keep(keep_rows(1, some.to_vec()));
    }
    for first in (0..20_000).step_by(1_000) {
        let old = (first..first + 1_000).map(|n| Check { at_ms: 1, ..check(n + 1, &text(n)) }).collect();
        let new = (first..first + 1_000).map(|n| Check { at_ms: 2, ..check(n + 100_001, &text(n)) }).collect();
        bench.keep(Record::Batch(vec![Record::Checks(old), Record::Checks(new)]));
    }
    assert!(bench.store.close());
    let bench = Bench::open(&path).unwrap();
    let (found, back) = texts(&bench, 1).unwrap();
    assert_eq!((found.rows, back == rows), (20_000, true));
    assert_eq!(ids(&checks(&bench, Query::ListChecks(Id(1)))), (100_001..=120_000).collect::<Vec<_>>());
    bench.keep(Record::DeleteTextList(Id(1)));
    assert_eq!(texts(&bench, 1), None);
}

#[test]
fn a_store_of_the_third_version_keeps_what_it_holds_and_takes_lists() {
    let (_home, path) = home();
    let bench = Bench::open(&path).unwrap();
    bench.keep(keep_conversation(conversation(1, "early")));
    bench.keep(keep_turn(turn(2, 1, "text")));
    bench.keep(Record::Sheet(crate::playground::sheet(3)));
    bench.keep(crate::playground::keep_step(crate::playground::step(4, 3, "typed")));
    bench.keep(Record::Setting("theme".into(), "dark".into()));
    assert!(bench.store.close());
    let undo = "DROP TABLE details; DROP TABLE marks; DROP TABLE answers; DROP TABLE texts; DROP TABLE lists; DROP TABLE checks; DROP TABLE asked; DROP TABLE categories; \
         PRAGMA user_version = 3";
    rusqlite::Connection::open(&path).unwrap().execute_batch(undo).unwrap();

    let bench = Bench::open(&path).unwrap();
    assert!(bench.store.warnings().is_empty());
    assert_eq!(
        (bench.turns(&[2]), bench.found("early").len()),
        (vec![Turn { completion_tokens: i64::MAX as u64, ..turn(2, 1, "text") }], 1)
    );
    assert_eq!(crate::playground::load_sheet(&bench, 3).unwrap().1.len(), 1);
    assert_eq!(bench.load(Query::Setting("theme".into())), Rows::Setting("theme".into(), Some("dark".into())));
    bench.keep(Record::Batch(vec![keep_list(list(1, Whose::Embed)), keep_rows(1, vec![row(10, 0, "a")])]));
    bench.keep(Record::Checks(vec![check(1, "a")]));
    assert_eq!(checks(&bench, Query::ListChecks(Id(1))), [check(1, "a")]);
}

/// Returns an id far from others, as ids made from the time are.
fn apart(n: i64) -> i64 {
    (n + 1) << 26
}

/// Creates a store of 2,000 rows with a check each, cleanly closed.
fn filled(path: &Path) {
    let bench = Bench::open(path).unwrap();
    bench.keep(keep_list(TextList { name: "file".into(), source: "/a".into(), ..list(1, Whose::Embed) }));
    let text = |n: i64| format!("{n} {}", "text of some length ".repeat(10));
    bench.keep(keep_rows(1, (0..2_000).map(|n| row(apart(n), n as u32, &text(n))).collect()));
    bench.keep(Record::Checks((0..2_000).map(|n| check(apart(n), &text(n))).collect()));
    assert!(bench.store.close());
}

#[test]
fn a_damaged_store_keeps_its_texts_and_checks() {
    let (_home, path) = home();
    filled(&path);
    let mut bytes = std::fs::read(&path).unwrap();
    let pages = bytes.len() / 4096;
    for page in [pages / 3, pages / 2, pages / 2 + 1, pages * 3 / 4] {
        bytes[page * 4096..(page + 1) * 4096].fill(0xa5);
    }
    std::fs::write(&path, &bytes).unwrap();
    std::fs::write(path.with_file_name("benchtop.db-wal"), "x").unwrap();

    let bench = Bench::open(&path).unwrap();
    let (found, rows) = texts(&bench, 1).unwrap();
    let known = checks(&bench, Query::ListChecks(Id(1)));
    assert_eq!((found.name.raw(), found.bench), ("file", Whose::Embed));
    let (left, known) = (rows.len(), known.len());
    assert!((1_900..2_000).contains(&left) && (1_900..2_000).contains(&known), "{left} rows, {known} checks");
    let warning = bench.store.warnings().join("\n");
    assert!(warning.contains(&format!("{} texts in lists and ", rows.len())), "{warning}");
    for row in &rows {
        assert!(row.text.raw().starts_with(&format!("{} text of", row.place)));
    }
    bench.keep(keep_rows(1, vec![row(9_000, 1, "goes on")]));
    assert!(bench.store.close());
    assert!(Bench::open(&path).unwrap().store.warnings().is_empty());
}

#[test]
fn rows_that_lost_their_list_get_one_and_scores_of_nothing_go() {
    let (_home, path) = home();
    filled(&path);
    let bench = Bench::open(&path).unwrap();
    for (id, name) in [(2, "embed.bench"), (3, "moderate.file")] {
        bench.keep(keep_list(list(id, Whose::Moderate)));
        bench.keep(keep_rows(id, vec![row(id + 5_000, 0, &format!("of {id}"))]));
        bench.keep(Record::Setting(name.into(), id.to_string().into()));
    }
    bench.keep(Record::Checks(vec![Check { asked: "n".into(), categories: [].into(), ..check(9, "of 3") }]));
    assert!(bench.store.close());
    let rows = rusqlite::Connection::open(&path).unwrap();
    let lose = "PRAGMA foreign_keys = OFF; DELETE FROM lists; DELETE FROM categories WHERE names <> '[]'; \
         DELETE FROM asked WHERE model = 'n'";
    rows.execute_batch(lose).unwrap();
    let root: i64 =
        rows.query_row("SELECT rootpage FROM sqlite_schema WHERE name = 'presets'", [], |row| row.get(0)).unwrap();
    drop(rows);
    let mut bytes = std::fs::read(&path).unwrap();
    bytes[(root as usize - 1) * 4096..root as usize * 4096].fill(0xa5);
    std::fs::write(&path, &bytes).unwrap();
    std::fs::write(path.with_file_name("benchtop.db-wal"), "x").unwrap();

    let bench = Bench::open(&path).unwrap();
    assert_eq!(bench.store.warnings().len(), 1);
    let kind = |list: &TextList| (list.id.0, list.source.is_empty(), list.rows);
    assert_eq!(lists(&bench, Whose::Embed).iter().map(kind).collect::<Vec<_>>(), [(2, true, 1)]);
    let files = lists(&bench, Whose::Moderate);
    assert_eq!(files.iter().map(kind).collect::<Vec<_>>(), [(3, false, 1), (1, false, 2_000)]);
    assert!(files.iter().all(|list| list.name == "Recovered"));
    assert_eq!(checks(&bench, Query::ListChecks(Id(1))), []);
    let left = checks(&bench, Query::ListChecks(Id(3)));
    assert_eq!((ids(&left), left[0].model.raw(), left[0].asked.contains("lost")), (vec![9], "m-2", true));
    // What lost its categories is checked again.
    bench.keep(Record::Checks(vec![check(20_000, &format!("0 {}", "text of some length ".repeat(10)))]));
    assert_eq!(ids(&checks(&bench, Query::ListChecks(Id(1)))), [20_000]);
}

#[test]
fn checks_of_a_renamed_profile_are_found_under_its_new_name() {
    let (_home, path) = home();
    let bench = Bench::open(&path).unwrap();
    let of = |id, text: &str, profile: &str, asked: &str| Check {
        profile: profile.into(),
        asked: asked.into(),
        ..check(id, text)
    };
    // Both names have asked `m`; only the old one has asked `n`.
    let before = [of(1, "a", "work", "m"), of(2, "b", "work", "n"), of(3, "b", "office", "m"), of(4, "b", "home", "m")];
    bench.keep(Record::Checks(before.to_vec()));
    bench.keep(keep_list(list(1, Whose::Moderate)));
    bench.keep(keep_rows(1, vec![row(10, 0, "a"), row(11, 1, "b")]));
    bench.keep(Record::ProfileRenamed { from: "work".into(), to: "office".into() });
    let after = before.map(|check| match check.profile.as_str() {
        "work" => Check { profile: "office".into(), ..check },
        _ => check,
    });
    assert_eq!(checks(&bench, Query::ListChecks(Id(1))), after);
}
