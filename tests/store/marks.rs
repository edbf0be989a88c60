//! Marks of turns, and models' answers to rows of a list.

use benchtop::record::{Answer, Bench as Whose, Id, Mark, Marked, Query, Record, Rows, Stored, TextList, TextRow};

use crate::bench::{Bench, conversation, extend, home, keep_conversation, keep_turn, turn};

const ODD: &str = "a\0b\r\n\u{1b}[2J\u{202e}é世\t";

fn mark(turn: i64, ideal: Option<&str>, at_ms: i64) -> Mark {
    Mark { turn: Id(turn), ideal: ideal.map(Into::into), at_ms }
}

fn keep(mark: Mark) -> Record {
    Record::Mark(Box::new(mark))
}

fn all(bench: &Bench) -> Vec<Marked> {
    match bench.load(Query::Marks) {
        Rows::Marked(all) => all,
        other => panic!("{other:?}"),
    }
}

fn of(bench: &Bench, id: i64) -> Vec<Mark> {
    match bench.load(Query::MarksOf(Id(id))) {
        Rows::Marks(_, marks) => marks,
        other => panic!("{other:?}"),
    }
}

fn refused(bench: &Bench, record: Record) -> String {
    match bench.record(record) {
        Stored::Failed(why) => why.raw().to_owned(),
        other => panic!("{other:?}"),
    }
}

fn filled(bench: &Bench) {
    bench.keep(keep_conversation(conversation(1, "first")));
    bench.keep(keep_conversation(conversation(2, "second")));
    bench.keep(keep_turn(turn(10, 1, "asked")));
    bench.keep(keep_turn(benchtop::record::Turn { parent: Some(Id(10)), ..turn(11, 1, "ans") }));
    bench.keep(extend(11, 3, "wer", 0, ""));
    bench.keep(keep_turn(turn(20, 2, "other")));
}

#[test]
fn marks_come_back_and_go_with_their_turns() {
    let (_home, path) = home();
    let bench = Bench::open(&path).unwrap();
    filled(&bench);
    bench.keep(Record::Batch(vec![keep(mark(11, Some(ODD), 5)), keep(mark(20, None, 9))]));
    assert!(refused(&bench, keep(mark(99, None, 1))).contains("the message was deleted"));
    assert!(bench.store.close());

    let bench = Bench::open(&path).unwrap();
    let found = all(&bench);
    assert_eq!(
        found.iter().map(|marked| marked.mark.clone()).collect::<Vec<_>>(),
        [mark(20, None, 9), mark(11, Some(ODD), 5)]
    );
    assert_eq!((found[1].asked.raw(), found[1].text.raw(), found[1].title.raw()), ("asked", "answer", "first"));
    assert_eq!(of(&bench, 1), [mark(11, Some(ODD), 5)]);
    // Another copy's later mark stays; an older one changes nothing, and is not said to be kept.
    let other = Bench::open(&path).unwrap();
    other.keep(keep(mark(11, None, 7)));
    assert!(refused(&bench, keep(mark(11, Some("late to the disk"), 6))).contains("a newer mark"));
    assert_eq!(of(&bench, 1), [mark(11, None, 7)]);
    bench.keep(Record::DeleteMark(Id(20)));
    assert_eq!(of(&other, 2), []);
    // Deleted for good, its conversation takes the mark along.
    bench.keep(Record::Trashed { conversation: Id(1), at_ms: Some(1) });
    assert!(all(&bench)[0].trashed);
    bench.keep(Record::Purge(Id(1)));
    assert_eq!(all(&bench), []);
}

fn answer(id: i64, row: i64, model: &str, text: &str) -> Answer {
    Answer {
        id: Id(id),
        list: Id(1),
        row: Id(row),
        profile: "work".into(),
        model: model.into(),
        text: text.into(),
        at_ms: 7,
        latency_ms: 3,
        finish: "stop".into(),
        prompt_tokens: 10,
        completion_tokens: 2,
        estimated: true,
        cost_nano: Some(5),
    }
}

fn answers(bench: &Bench) -> Vec<Answer> {
    match bench.load(Query::Answers(Id(1))) {
        Rows::Answers(mut answers) => {
            answers.sort_by_key(|answer| answer.id);
            answers
        }
        other => panic!("{other:?}"),
    }
}

fn list() -> Record {
    Record::TextList(Box::new(TextList {
        id: Id(1),
        bench: Whose::Score,
        name: "valid.jsonl".into(),
        source: "/valid.jsonl".into(),
        created_ms: 0,
        updated_ms: 0,
        state: "{}".into(),
        rows: 0,
    }))
}

fn row(id: i64) -> TextRow {
    TextRow { id: Id(id), place: id as u32, name: "1".into(), text: ODD.into(), label: Some(" yes\n".into()) }
}

#[test]
fn an_answer_is_kept_once_and_goes_with_its_list() {
    let (_home, path) = home();
    let bench = Bench::open(&path).unwrap();
    assert!(refused(&bench, Record::Answers(vec![answer(1, 10, "a", "x")])).contains("were deleted"));
    bench.keep(list());
    bench.keep(Record::TextRows { list: Id(1), rows: vec![row(10), row(11)] });
    let kept = [answer(1, 10, "a", ODD), answer(2, 10, "b", ""), answer(3, 11, "a", "x")];
    bench.keep(Record::Answers(kept.to_vec()));
    // Another copy asked the same: what came first stays.
    Bench::open(&path).unwrap().keep(Record::Answers(vec![answer(4, 10, "a", "again")]));
    assert!(bench.store.close());
    let bench = Bench::open(&path).unwrap();
    assert_eq!(answers(&bench), kept);
    let Rows::TextLists(lists) = bench.load(Query::TextLists(Whose::Score)) else { panic!() };
    assert_eq!((lists.len(), lists[0].bench, lists[0].rows), (1, Whose::Score, 2));
    bench.keep(Record::DeleteTextList(Id(1)));
    assert_eq!(answers(&bench), []);
}

#[test]
fn answers_of_a_renamed_profile_are_found_under_its_new_name() {
    let (_home, path) = home();
    let bench = Bench::open(&path).unwrap();
    bench.keep(list());
    bench.keep(Record::TextRows { list: Id(1), rows: vec![row(10), row(11)] });
    // The new name has an answer to the first row; the old one keeps its own.
    let of = |answer: Answer, profile: &str| Answer { profile: profile.into(), ..answer };
    let stored = [answer(1, 10, "a", "old"), of(answer(2, 10, "a", "new"), "office"), answer(3, 11, "a", "moved")];
    bench.keep(Record::Answers(stored.to_vec()));
    bench.keep(Record::ProfileRenamed { from: "work".into(), to: "office".into() });
    let [old, new, moved] = stored;
    assert_eq!(answers(&bench), [old, new, of(moved, "office")]);
}

#[test]
fn a_store_of_the_version_before_takes_marks_and_answers() {
    let (_home, path) = home();
    let bench = Bench::open(&path).unwrap();
    filled(&bench);
    assert!(bench.store.close());
    let undo = "DROP TABLE details; DROP TABLE marks; DROP TABLE answers; PRAGMA user_version = 4";
    rusqlite::Connection::open(&path).unwrap().execute_batch(undo).unwrap();
    let bench = Bench::open(&path).unwrap();
    assert!(bench.store.warnings().is_empty());
    bench.keep(keep(mark(11, None, 1)));
    bench.keep(list());
    bench.keep(Record::Answers(vec![answer(1, 10, "a", "x")]));
    assert_eq!((all(&bench).len(), answers(&bench).len()), (1, 1));
}
