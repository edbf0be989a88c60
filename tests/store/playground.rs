//! The playground in the store: what was acknowledged is there, text that grew is whole, and copies keep out of each
//! other's way.

use benchtop::record::{
    Alternative, ChatParams, CompletionParams, Id, Made, Preset, Query, Record, Rows, Run, Sheet, Step, Stored, Token,
    TurnStatus,
};

use crate::bench::{Bench, conversation, home, keep_conversation, keep_turn, turn};

const ODD: &str = "a\0b\r\n\u{1b}[2J\u{202e}é世\t";

pub fn sheet(id: i64) -> Sheet {
    Sheet { id: Id(id), created_ms: 5, updated_ms: 7, current: None, caret: 0 }
}

pub fn step(id: i64, sheet: i64, inserted: &str) -> Step {
    Step {
        id: Id(id),
        sheet: Id(sheet),
        parent: None,
        made: Made::Typed,
        at: 0,
        removed: "".into(),
        inserted: inserted.into(),
        status: TurnStatus::Done,
        finish_reason: "".into(),
        created_ms: id,
    }
}

fn settings() -> CompletionParams {
    CompletionParams {
        common: ChatParams {
            temperature: Some(0.1 + 0.2),
            stop: vec!["\n".into()],
            logit_bias: [("50256".to_owned(), -100.0)].into(),
            seed: Some(-1),
            ..ChatParams::default()
        },
        logprobs: Some(5),
        echo: Some(true),
        best_of: Some(3),
    }
}

pub fn run(id: i64, sheet: i64) -> Run {
    Run {
        id: Id(id),
        sheet: Id(sheet),
        parent: Some(Id(3)),
        profile: "local".into(),
        model: "gpt-2".into(),
        params: settings(),
        excerpt: ODD.into(),
        status: TurnStatus::Stopped,
        error: "it broke".into(),
        created_ms: id,
        prompt_tokens: 3,
        completion_tokens: i64::MAX as u64,
        estimated: true,
        cost_nano: Some(-5),
        first_token_ms: 7,
        total_ms: 9,
    }
}

fn preset(id: i64, name: &str) -> Preset {
    Preset {
        id: Id(id),
        name: name.into(),
        prompt: ODD.into(),
        caret: 2,
        model: "m".into(),
        params: settings(),
        created_ms: id,
    }
}

fn token(text: &[u8], logprob: Option<f64>) -> Token {
    let top = logprob.map(|logprob| Alternative { bytes: text.to_vec(), logprob });
    Token { bytes: text.to_vec(), logprob, top: top.into_iter().collect() }
}

pub fn keep_step(step: Step) -> Record {
    Record::Step(Box::new(step))
}

pub fn grow(step: i64, at: u64, text: &str) -> Record {
    Record::Grow { step: Id(step), at, text: text.into() }
}

fn add(of: i64, at: u64, tokens: &[Token]) -> Record {
    Record::Tokens { of: Id(of), at, tokens: tokens.to_vec() }
}

pub fn load_sheet(bench: &Bench, id: i64) -> Option<(Sheet, Vec<Step>)> {
    match bench.load(Query::Sheet(Id(id))) {
        Rows::Sheet(found) => found,
        other => panic!("{other:?}"),
    }
}

fn load_tokens(bench: &Bench, ids: &[i64]) -> Vec<(Id, Vec<Token>)> {
    match bench.load(Query::Tokens(ids.iter().copied().map(Id).collect())) {
        Rows::Tokens(found) => found,
        other => panic!("{other:?}"),
    }
}

fn refused(bench: &Bench, record: Record) -> String {
    match bench.record(record) {
        Stored::Failed(why) => why.raw().to_owned(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn what_the_playground_kept_comes_back_byte_for_byte() {
    let (_home, path) = home();
    let bench = Bench::open(&path).unwrap();
    let made = [Made::Typed, Made::Generated { run: Id(90), choice: 2 }, Made::Picked, Made::Accepted];
    let steps: Vec<Step> = (3..)
        .zip(made)
        .map(|(id, made)| Step {
            parent: (id > 3).then_some(Id(id - 1)),
            made,
            at: 4,
            removed: ODD.into(),
            finish_reason: "length".into(),
            ..step(id, 1, ODD)
        })
        .collect();
    let kept = Sheet { current: Some(Id(6)), caret: 12, ..sheet(1) };
    bench.keep(Record::Sheet(kept.clone()));
    // Not in the order of their making.
    for step in steps.iter().rev() {
        bench.keep(keep_step(step.clone()));
    }
    for id in [90, 91, 92] {
        bench.keep(Record::Run(Box::new(run(id, 1))));
    }
    for (id, name) in [(20, "ärger"), (21, "Zoo"), (22, "apple"), (23, "Apple")] {
        bench.keep(Record::Preset(Box::new(preset(id, name))));
    }
    bench.keep(Record::DeletePreset(Id(21)));
    bench.keep(Record::DeletePreset(Id(77)));
    assert!(bench.store.close());

    let bench = Bench::open(&path).unwrap();
    assert_eq!(load_sheet(&bench, 1), Some((kept, steps)));
    assert_eq!(load_sheet(&bench, 2), None);
    assert_eq!(bench.load(Query::Runs(2)), Rows::Runs(vec![run(92, 1), run(91, 1)]));
    assert_eq!(bench.load(Query::Runs(0)), Rows::Runs(vec![]));
    let named = vec![preset(22, "apple"), preset(23, "Apple"), preset(20, "ärger")];
    assert_eq!(bench.load(Query::Presets), Rows::Presets(named));
}

#[test]
fn a_step_grows_checked_and_idempotent_and_is_found_as_it_was_left() {
    let (_home, path) = home();
    let bench = Bench::open(&path).unwrap();
    bench.keep(Record::Sheet(sheet(1)));
    for id in [2, 3, 4] {
        bench.keep(keep_step(Step { status: TurnStatus::Streaming, ..step(id, 1, "He") }));
    }
    bench.keep(grow(2, 2, "llo "));
    bench.keep(grow(4, 2, "y"));
    bench.keep(grow(2, 6, "wörld"));
    // The same again, a piece of it again, and one that overlaps and goes on.
    for (at, text) in [(6, "wörld"), (2, "llo"), (2, "llo wörld!"), (99, "")] {
        bench.keep(grow(2, at, text));
    }
    assert_eq!(refused(&bench, grow(2, 14, "x")), "text of the step is missing between bytes 13 and 14");
    assert_eq!(refused(&bench, grow(2, 2, "lla")), "the step's stored text differs from the new text from byte 2 on");
    assert_eq!(refused(&bench, grow(2, 8, "x")), "byte 8 of the step is inside a character");
    assert_eq!(refused(&bench, grow(9, 0, "x")), "the step was deleted before its text arrived");
    assert!(bench.store.close());

    let bench = Bench::open(&path).unwrap();
    let texts = |bench: &Bench| -> Vec<(String, TurnStatus)> {
        let (_, steps) = load_sheet(bench, 1).unwrap();
        steps.into_iter().map(|step| (step.inserted.raw().to_owned(), step.status)).collect()
    };
    let streaming = |text: &str| (text.to_owned(), TurnStatus::Streaming);
    assert_eq!(texts(&bench), [streaming("Hello wörld!"), streaming("He"), streaming("Hey")]);
    bench.keep(keep_step(step(2, 1, "Bye")));
    assert_eq!(texts(&bench), [("Bye".to_owned(), TurnStatus::Done), streaming("He"), streaming("Hey")]);
}

#[test]
fn a_long_step_that_grew_stays_in_its_pieces_until_it_is_another() {
    let (_home, path) = home();
    let bench = Bench::open(&path).unwrap();
    bench.keep(Record::Sheet(sheet(1)));
    bench.keep(keep_step(Step { status: TurnStatus::Streaming, ..step(3, 1, "Once ") }));
    let mut text = "Once ".to_owned();
    for number in 0..20 {
        let piece = format!("upon a time {number} ").repeat(10_000);
        bench.keep(grow(3, text.len() as u64, &piece));
        text.push_str(&piece);
    }
    let row = |row: &rusqlite::Row| Ok((row.get::<_, i64>(0)?, row.get::<_, i64>(1)?));
    let sql = "SELECT octet_length(inserted), (SELECT count(*) FROM grown WHERE step = 3) FROM steps WHERE id = 3";
    let stored = || rusqlite::Connection::open(&path).unwrap().query_row(sql, [], row);
    for (text, pieces) in [(text.clone(), (5, 20)), (text.replacen("Once", "Then", 1), (text.len() as i64, 0))] {
        bench.keep(keep_step(step(3, 1, &text)));
        assert_eq!(stored(), Ok(pieces));
        assert!(load_sheet(&bench, 1).unwrap().1 == [step(3, 1, &text)]);
    }
}

#[test]
fn tokens_are_appended_once_and_a_gap_is_refused() {
    let (_home, path) = home();
    let bench = Bench::open(&path).unwrap();
    bench.keep(Record::Sheet(sheet(1)));
    bench.keep(keep_step(step(2, 1, "")));
    bench.keep(Record::Run(Box::new(run(3, 1))));
    let all = [
        token(b"a", Some(-0.1 - 0.2)),
        token(b"\xe2\x98", Some(f64::NEG_INFINITY)),
        token(b"\x83\"", None),
        token(b"", Some(-1e-12)),
        token("世".as_bytes(), Some(-7.0)),
    ];
    bench.keep(add(2, 0, &all[..2]));
    bench.keep(add(2, 2, &all[2..4]));
    // The same again, a piece of it, and one that overlaps and goes on.
    bench.keep(add(2, 0, &all[..2]));
    bench.keep(add(2, 1, &all[1..3]));
    bench.keep(add(2, 3, &all[3..]));
    bench.keep(add(3, 0, &all[..1]));
    let gap = refused(&bench, add(2, 6, &all[..1]));
    assert_eq!(gap, "tokens are missing between the 5 stored and number 6");
    assert!(refused(&bench, add(2, 1, &all[..1])).contains("differ"));
    // What is already there does not hide that the rest differs.
    assert!(refused(&bench, add(2, 3, &[all[3].clone(), all[0].clone(), all[1].clone()])).contains("differ"));
    assert!(refused(&bench, add(77, 0, &all)).contains("no longer exists"));
    // A step that is written whole keeps its tokens.
    bench.keep(keep_step(step(2, 1, "whole")));
    assert!(bench.store.close());
    let bench = Bench::open(&path).unwrap();
    let found = load_tokens(&bench, &[3, 99, 2]);
    assert_eq!(found, vec![(Id(3), all[..1].to_vec()), (Id(2), all.to_vec())]);
}

#[test]
fn tokens_of_a_turn_go_with_it_and_stay_away() {
    let bench = Bench::memory();
    bench.keep(keep_conversation(conversation(1, "")));
    bench.keep(keep_turn(turn(11, 1, "a")));
    let tokens = [token(b"a", Some(-1.0))];
    bench.keep(add(11, 0, &tokens));
    assert_eq!(load_tokens(&bench, &[11]).len(), 1);
    bench.keep(Record::Trashed { conversation: Id(1), at_ms: Some(1) });
    bench.keep(Record::Purge(Id(1)));
    assert_eq!(load_tokens(&bench, &[11]), []);
    assert!(refused(&bench, add(11, 0, &tokens)).contains("no longer exists"));
}

#[test]
fn what_has_no_sheet_is_refused_in_words() {
    let bench = Bench::memory();
    let no_sheet = "the text this belongs to is not stored";
    assert_eq!(refused(&bench, keep_step(step(2, 1, "x"))), no_sheet);
    assert_eq!(refused(&bench, Record::Run(Box::new(run(3, 1)))), no_sheet);
    let whole = Record::Batch(vec![Record::Sheet(sheet(1)), keep_step(step(2, 1, "x")), grow(2, 5, "x")]);
    assert!(refused(&bench, whole).contains("missing"));
    assert_eq!(load_sheet(&bench, 1), None);
}

#[test]
fn copies_that_write_on_one_sheet_keep_each_others_steps() {
    let (_home, path) = home();
    let one = Bench::open(&path).unwrap();
    one.keep(Record::Sheet(sheet(1)));
    one.keep(keep_step(Step { status: TurnStatus::Streaming, ..step(2, 1, "He") }));
    let two = Bench::open(&path).unwrap();
    two.keep(Record::Batch(vec![
        keep_step(Step { parent: Some(Id(2)), ..step(3, 1, "theirs") }),
        Record::Sheet(Sheet { current: Some(Id(3)), caret: 6, updated_ms: 90, ..sheet(1) }),
    ]));
    one.keep(grow(2, 2, "llo"));
    // The first does not know of that step, nor of the time.
    one.keep(Record::Sheet(Sheet { caret: 5, updated_ms: 80, ..sheet(1) }));
    let (found, steps) = load_sheet(&one, 1).unwrap();
    assert_eq!(found, Sheet { caret: 5, updated_ms: 90, ..sheet(1) });
    let texts: Vec<&str> = steps.iter().map(|step| step.inserted.raw()).collect();
    assert_eq!(texts, ["Hello", "theirs"]);
    // A sheet may stand at the other's step, or at one that has not come yet.
    one.keep(Record::Sheet(Sheet { current: Some(Id(3)), ..sheet(1) }));
    one.keep(Record::Sheet(Sheet { current: Some(Id(4)), ..sheet(1) }));
    assert_eq!(load_sheet(&two, 1).unwrap().0.current, Some(Id(4)));
}

#[test]
fn what_a_later_version_wrote_differently_is_read_as_far_as_it_goes() {
    let (_home, path) = home();
    let bench = Bench::open(&path).unwrap();
    bench.keep(Record::Sheet(sheet(1)));
    for id in [2, 3, 4] {
        bench.keep(keep_step(Step { made: Made::Generated { run: Id(5), choice: 1 }, ..step(id, 1, "x") }));
    }
    bench.keep(Record::Run(Box::new(run(5, 1))));
    for at in 0..3 {
        bench.keep(add(2, at, &[token(b"x", None)]));
    }
    assert!(bench.store.close());
    let change = "UPDATE steps SET made = 'dreamt', status = 'dreaming' WHERE id = 2; \
         UPDATE steps SET run = NULL WHERE id = 3; UPDATE runs SET params = '{\"echo\":\"loud\"}'; \
         UPDATE tokens SET tokens = '[{\"bytes\":\"x\"}]' WHERE place = 1";
    rusqlite::Connection::open(&path).unwrap().execute_batch(change).unwrap();

    let bench = Bench::open(&path).unwrap();
    let (_, steps) = load_sheet(&bench, 1).unwrap();
    let made: Vec<Made> = steps.iter().map(|step| step.made).collect();
    assert_eq!(made, [Made::Typed, Made::Typed, Made::Generated { run: Id(5), choice: 1 }]);
    assert_eq!(steps[0].status, TurnStatus::CutOff);
    let without = Run { params: CompletionParams::default(), ..run(5, 1) };
    assert_eq!(bench.load(Query::Runs(9)), Rows::Runs(vec![without]));
    assert_eq!(load_tokens(&bench, &[2]), vec![(Id(2), vec![token(b"x", None)])]);
}

#[test]
fn at_the_limits_nothing_breaks() {
    let (_home, path) = home();
    let bench = Bench::open(&path).unwrap();
    let large = ODD.repeat(100_000);
    let most = i64::MAX as u64;
    bench.keep(Record::Sheet(Sheet { caret: u64::MAX, current: Some(Id(i64::MAX)), ..sheet(1) }));
    bench.keep(keep_step(Step { at: u64::MAX, removed: large.as_str().into(), ..step(2, 1, "") }));
    bench.keep(grow(2, 0, &large));
    assert!(refused(&bench, grow(2, u64::MAX, "x")).contains("missing"));
    assert!(refused(&bench, add(2, u64::MAX, &[Token::default()])).contains("missing"));
    bench.keep(add(2, u64::MAX, &[]));
    let tokens = vec![token(&[0xff; 1000], Some(f64::MIN)); 1000];
    bench.keep(add(2, 0, &tokens));
    let names = ["", "same", "same"];
    for (id, name) in (30..).zip(names) {
        bench.keep(Record::Preset(Box::new(Preset { prompt: large.as_str().into(), ..preset(id, name) })));
    }
    assert!(bench.store.close());
    let bench = Bench::open(&path).unwrap();
    let kept = Step { at: most, removed: large.as_str().into(), ..step(2, 1, &large) };
    let found = load_sheet(&bench, 1).unwrap();
    assert_eq!(found, (Sheet { caret: most, current: Some(Id(i64::MAX)), ..sheet(1) }, vec![kept]));
    assert_eq!(load_tokens(&bench, &[2])[0].1, tokens);
    let Rows::Presets(presets) = bench.load(Query::Presets) else { panic!() };
    assert_eq!(presets.iter().map(|preset| preset.name.raw()).collect::<Vec<_>>(), names);
    assert_eq!(bench.load(Query::Runs(u32::MAX)), Rows::Runs(vec![]));
}
