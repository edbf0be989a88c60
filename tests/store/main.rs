//! The store from outside: what was acknowledged is there, whatever happened in between.
#![allow(unreachable_pub, missing_docs, clippy::unwrap_used, clippy::expect_used, clippy::print_stderr)]

mod bench;
mod large;
mod marks;
mod opening;
mod playground;
mod recovery;
mod salvage;
mod texts;
#[cfg(target_os = "linux")]
mod unwritable;
mod vectors;
mod waiting;

use benchtop::api::call::Ticket;
use benchtop::record::{
    Block, Conversation, Cost, Details, Id, LedgerRow, Query, Record, Rows, Stored, Turn, TurnStatus,
};

use bench::{Bench, conversation, extend, home, keep_conversation, keep_turn, names, turn};

#[test]
fn what_was_kept_comes_back_byte_for_byte() {
    let (_home, path) = home();
    let odd = "a\0b\r\n\u{1b}[2J\u{202e}é世\t";
    let mut c = conversation(10, odd);
    c.leaf = Some(Id(2));
    let mut t = turn(2, 10, odd);
    t.reasoning = odd.into();
    t.blocks = blocks(odd);
    t.details = Some(Box::new(Details {
        status: Some(429),
        code: Some(odd.into()),
        request_id: Some("req-1".into()),
        attempts: 3,
        headers: vec![("server".to_owned(), odd.into())],
        body: odd.into(),
    }));
    let bench = Bench::open(&path).unwrap();
    bench.keep(keep_conversation(c.clone()));
    bench.keep(keep_turn(t.clone()));
    bench.keep(Record::Setting("theme".into(), "dark".into()));
    assert!(bench.store.close());

    let bench = Bench::open(&path).unwrap();
    assert!(bench.store.warnings().is_empty());
    t.completion_tokens = i64::MAX as u64;
    assert_eq!(bench.turns(&[99, 2]), vec![t]);
    assert_eq!(bench.conversation(10), Some(c));
    assert_eq!(bench.conversation(11), None);
    assert_eq!(bench.heads(), vec![(10, 1, odd.to_owned())]);
    assert_eq!(bench.load(Query::Outline(Id(10))), Rows::Outline(Id(10), vec![(Id(2), Some(Id(1)))]));
    assert_eq!(bench.load(Query::Setting("theme".into())), Rows::Setting("theme".into(), Some("dark".into())));
    assert_eq!(bench.load(Query::Setting("x".into())), Rows::Setting("x".into(), None));
    bench.keep(Record::Setting("theme".into(), "".into()));
    assert_eq!(bench.load(Query::Settings("the".into())), Rows::Settings(Vec::new()), "an empty one is none");
}

/// Returns one block of each kind.
fn blocks(text: &str) -> Vec<Block> {
    vec![
        Block::Refusal { words: text.into(), profile: "work".into() },
        Block::Call { index: 7, id: "call_1".into(), name: text.into(), arguments: text.into() },
        Block::Transcript(text.into()),
        Block::Attachment { kind: "image".into(), place: text.into() },
        Block::File { name: text.into(), kind: "image/png".into(), data: text.into() },
    ]
}

#[test]
fn blocks_of_a_stream_are_replaced_and_go_with_their_turn() {
    let bench = Bench::memory();
    bench.keep(keep_conversation(conversation(1, "")));
    bench.keep(keep_turn(Turn { status: TurnStatus::Streaming, ..turn(2, 1, "") }));
    for text in ["a", "ab"] {
        bench.keep(Record::Blocks { turn: Id(2), blocks: blocks(text) });
        assert_eq!(bench.turns(&[2])[0].blocks, blocks(text));
    }
    assert!(matches!(bench.record(Record::Blocks { turn: Id(3), blocks: blocks("x") }), Stored::Failed(_)));
    bench.keep(keep_turn(turn(2, 1, "text")));
    assert_eq!(bench.turns(&[2])[0], Turn { completion_tokens: i64::MAX as u64, ..turn(2, 1, "text") });
}

#[test]
fn a_stream_is_appended_checked_and_idempotent() {
    let bench = Bench::memory();
    bench.keep(keep_conversation(conversation(1, "")));
    bench.keep(keep_turn(Turn { status: TurnStatus::Streaming, ..turn(2, 1, "He") }));
    bench.keep(extend(2, 2, "llo ", 0, "hm"));
    bench.keep(extend(2, 6, "wörld", 2, ""));
    // The same again, a piece of it again, and one that overlaps and goes on.
    bench.keep(extend(2, 6, "wörld", 0, "hm"));
    bench.keep(extend(2, 2, "llo", 0, "h"));
    bench.keep(extend(2, 2, "llo wörld!", 0, "hm?"));
    let text = |turn: &Turn| (turn.content.clone(), turn.reasoning.clone(), turn.status);
    assert_eq!(text(&bench.turns(&[2])[0]), ("Hello wörld!".into(), "hm?".into(), TurnStatus::Streaming));
    let gap = extend(2, 14, "x", 3, "");
    let differs = extend(2, 2, "lla", 3, "");
    let inside_a_character = extend(2, 8, "x", 3, "");
    let of_no_turn = extend(3, 0, "x", 0, "");
    for wrong in [gap, differs, inside_a_character, of_no_turn] {
        assert!(matches!(bench.record(wrong), Stored::Failed(_)));
    }
    // A failing order leaves no half behind: the content fits, the reasoning does not.
    assert!(matches!(bench.record(extend(2, 13, "more", 9, "x")), Stored::Failed(_)));
    assert_eq!(text(&bench.turns(&[2])[0]).0, "Hello wörld!");
    bench.keep(keep_turn(turn(2, 1, "Bye")));
    assert_eq!(text(&bench.turns(&[2])[0]), ("Bye".into(), "".into(), TurnStatus::Done));
    bench.keep(extend(2, 3, "!", 0, ""));
    assert_eq!(bench.turns(&[2])[0].content, "Bye!");
}

#[test]
fn a_long_text_that_streamed_stays_in_its_pieces_until_it_is_another() {
    let (_home, path) = home();
    let bench = Bench::open(&path).unwrap();
    bench.keep(keep_conversation(conversation(1, "")));
    bench.keep(keep_turn(Turn { status: TurnStatus::Streaming, ..turn(2, 1, "Once ") }));
    let mut text = "Once ".to_owned();
    for number in 0..20 {
        let piece = format!("upon a time {number} ").repeat(10_000);
        bench.keep(extend(2, text.len() as u64, &piece, 0, "hm"));
        text.push_str(&piece);
    }
    bench.keep(keep_turn(Turn { reasoning: "hm".into(), ..turn(2, 1, &text) }));
    let stored = || {
        let row = |row: &rusqlite::Row| Ok((row.get::<_, i64>(0)?, row.get::<_, i64>(1)?));
        rusqlite::Connection::open(&path).unwrap().query_row(
            "SELECT octet_length(content), (SELECT count(*) FROM parts WHERE turn = 2) FROM turns WHERE id = 2",
            [],
            row,
        )
    };
    assert_eq!(stored(), Ok((5, 20)));
    let check = |text: &str| {
        let found = &bench.turns(&[2])[0];
        assert!(found.content == *text);
        assert_eq!((found.reasoning.clone(), found.status), ("hm".into(), TurnStatus::Done));
        assert_eq!(bench.found("time").len(), 1);
    };
    check(&text);
    let other = text.replacen("Once", "Then", 1);
    bench.keep(keep_turn(Turn { reasoning: "hm".into(), ..turn(2, 1, &other) }));
    assert_eq!(stored(), Ok((other.len() as i64, 0)));
    check(&other);
}

#[test]
fn drafts_and_conversations_do_not_touch_each_other() {
    let bench = Bench::memory();
    bench.keep(Record::Draft { conversation: Id(1), text: "early".into() });
    bench.keep(keep_conversation(Conversation { draft: "ignored".into(), ..conversation(1, "a") }));
    assert_eq!(bench.conversation(1).unwrap().draft, "early");
    bench.keep(Record::Draft { conversation: Id(1), text: "late".into() });
    bench.keep(keep_conversation(Conversation { system: "other".into(), ..conversation(1, "a") }));
    let found = bench.conversation(1).unwrap();
    assert_eq!((found.system.as_str(), found.draft.as_str()), ("other", "late"));
}

#[test]
fn a_burst_is_committed_together_and_each_ticket_is_answered_once() {
    let (_home, path) = home();
    let bench = Bench::open(&path).unwrap();
    bench.keep(keep_conversation(conversation(1, "")));
    let mut expected = Vec::new();
    for n in 0..300_i64 {
        let ticket = bench.ticket();
        let (record, good) = match n % 3 {
            0 => (keep_turn(turn(100 + n, 1, &format!("turn {n}"))), true),
            1 => (Record::Draft { conversation: Id(1), text: format!("draft {n}") }, true),
            _ => (keep_turn(turn(100 + n, 777, "of no conversation")), false),
        };
        expected.push((ticket, good));
        bench.store.try_save(ticket, record);
    }
    let mut answers: Vec<_> =
        (0..300).map(|_| bench.answer()).map(|(ticket, stored)| (ticket, stored == Stored::Committed)).collect();
    answers.sort_unstable();
    assert_eq!(answers, expected);
    assert_eq!(bench.conversation(1).unwrap().draft, "draft 298");
    assert_eq!(bench.heads()[0].1, 100);
    assert!(bench.answers.try_recv().is_err());
}

#[test]
fn a_batch_is_whole_or_not_at_all() {
    let bench = Bench::memory();
    let good = keep_conversation(conversation(1, "x"));
    let bad = keep_turn(turn(5, 2, "of no conversation"));
    assert!(matches!(bench.record(Record::Batch(vec![good.clone(), bad])), Stored::Failed(_)));
    assert_eq!(bench.conversation(1), None);
    bench.keep(Record::Batch(vec![good, keep_turn(turn(5, 1, "y"))]));
    assert_eq!(bench.heads(), vec![(1, 1, "x".into())]);
}

#[test]
fn words_are_found_in_titles_and_finished_turns() {
    let bench = Bench::memory();
    bench.keep(keep_conversation(conversation(1, "Refund policy")));
    bench.keep(keep_conversation(conversation(2, "Reise")));
    bench.keep(keep_turn(turn(11, 1, "The customer asks for money.")));
    let long = format!("{} Überweisung \"AND\" NOT {}", "word ".repeat(60), "end ".repeat(60));
    bench.keep(keep_turn(turn(12, 1, &long)));
    bench.keep(keep_turn(turn(21, 2, "東京は世界の都市")));
    bench.keep(keep_turn(Turn { status: TurnStatus::Streaming, ..turn(22, 2, "unfinished") }));
    let hits = |words: &str| bench.found(words).into_iter().map(|(c, t, _)| (c, t)).collect::<Vec<_>>();
    assert_eq!(hits("money"), [(1, 11)]);
    assert_eq!(hits("MON"), [(1, 11)]);
    // Words of one conversation in different turns and the title.
    assert_eq!(hits("refund uberweisung money").len(), 1);
    assert_eq!(hits("refund 世界"), []);
    assert_eq!(hits("世界"), [(2, 21)]);
    assert_eq!(hits("unfinished"), []);
    assert_eq!(hits("\"AND\" NOT* OR ("), []);
    assert_eq!(hits("\"AND\" NOT"), [(1, 12)]);
    assert_eq!(hits("'\" ()"), []);
    let (_, _, snippet) = &bench.found("überweisung")[0];
    assert!(snippet.starts_with('…') && snippet.ends_with('…') && snippet.contains("Überweisung"), "{snippet}");
    assert!(snippet.chars().count() <= 125, "{snippet}");
    // A turn that changes, a title that changes, a conversation that goes.
    bench.keep(keep_turn(turn(11, 1, "Nothing of it.")));
    bench.keep(keep_turn(turn(22, 2, "finished")));
    bench.keep(Record::Title { conversation: Id(1), title: "Other".into() });
    bench.keep(Record::Trashed { conversation: Id(1), at_ms: Some(5) });
    assert_eq!(hits("money"), []);
    assert_eq!(hits("refund"), []);
    assert_eq!(hits("finished"), [(2, 22)]);
    assert_eq!(hits("other"), [(1, 12)]);
    bench.keep(Record::Purge(Id(1)));
    assert_eq!(hits("nothing"), []);
    assert_eq!(bench.turns(&[11, 12]), []);
}

#[test]
fn only_the_trash_can_be_purged() {
    let bench = Bench::memory();
    bench.keep(keep_conversation(conversation(1, "kept")));
    bench.keep(keep_turn(turn(11, 1, "text")));
    assert!(matches!(bench.record(Record::Purge(Id(1))), Stored::Failed(_)));
    assert_eq!(bench.heads(), vec![(1, 1, "kept".into())]);
    bench.keep(Record::Purge(Id(2)));
}

#[test]
fn a_draft_that_was_sent_goes_and_another_copys_stays() {
    let bench = Bench::memory();
    bench.keep(keep_conversation(conversation(1, "kept")));
    let draft = |text: &str| Record::Draft { conversation: Id(1), text: text.into() };
    let sent = |text: &str| Record::DraftSent { conversation: Id(1), text: text.into() };
    bench.keep(draft("mine"));
    bench.keep(sent("theirs"));
    assert_eq!(bench.conversation(1).unwrap().draft, "mine");
    bench.keep(sent("mine"));
    assert_eq!(bench.conversation(1).unwrap().draft, "");
}

/// What one copy does to a conversation that another one has open, as it was before.
#[test]
fn a_copy_that_sends_undoes_nothing_another_one_did() {
    let bench = Bench::memory();
    let at_start = Conversation { updated_ms: 50, ..conversation(1, "from the prompt") };
    bench.keep(keep_conversation(at_start.clone()));
    bench.keep(keep_turn(turn(11, 1, "text")));
    bench.keep(Record::Title { conversation: Id(1), title: "typed".into() });
    bench.keep(Record::Trashed { conversation: Id(1), at_ms: Some(7) });
    // The other copy sends: a turn, and the conversation with what it knows of it.
    let sent = Conversation { leaf: Some(Id(12)), model: "m2".into(), updated_ms: 40, ..at_start.clone() };
    bench.keep(Record::Batch(vec![keep_conversation(sent.clone()), keep_turn(turn(12, 1, "more"))]));
    let found = bench.conversation(1).unwrap();
    assert_eq!((found.title.raw(), found.titled, found.trashed_ms), ("typed", true, Some(7)));
    assert_eq!((found.leaf, found.model.raw(), found.updated_ms), (Some(Id(12)), "m2", 50));
    assert_eq!((bench.found("typed").len(), bench.found("prompt").len()), (1, 0));
    // The last title that was typed stays, and one out of the trash stays out.
    bench.keep(Record::Title { conversation: Id(1), title: "typed again".into() });
    bench.keep(Record::Trashed { conversation: Id(1), at_ms: None });
    let stale = Conversation { title: "old".into(), titled: true, trashed_ms: Some(7), ..sent.clone() };
    bench.keep(keep_conversation(stale));
    let found = bench.conversation(1).unwrap();
    assert_eq!((found.title.raw(), found.trashed_ms), ("typed again", None));
    // Deleted for good by one, it is not brought back by the other.
    bench.keep(Record::Trashed { conversation: Id(1), at_ms: Some(8) });
    bench.keep(Record::Purge(Id(1)));
    let gone = "the conversation was deleted, perhaps by another copy of benchtop";
    for late in [
        Record::Batch(vec![keep_conversation(sent), keep_turn(turn(13, 1, "late"))]),
        Record::Draft { conversation: Id(1), text: "late".into() },
        Record::Title { conversation: Id(1), title: "late".into() },
        Record::Trashed { conversation: Id(1), at_ms: None },
    ] {
        assert_eq!(bench.record(late), Stored::Failed(gone.into()));
    }
    assert_eq!((bench.heads(), bench.turns(&[11, 12, 13])), (vec![], vec![]));
}

#[test]
fn the_first_title_comes_with_the_first_prompt_or_is_typed_before_it() {
    let bench = Bench::memory();
    // A conversation gets there with its draft, and has no title then.
    for (id, title, titled) in [(1, "prompt", false), (2, "typed", true)] {
        bench.keep(keep_conversation(conversation(id, "")));
        bench.keep(keep_conversation(Conversation { titled, ..conversation(id, title) }));
        let found = bench.conversation(id).unwrap();
        assert_eq!((found.title.raw(), found.titled), (title, titled));
        assert_eq!(bench.found(title).len(), 1);
        // Of two first prompts at once the first names it.
        bench.keep(keep_conversation(conversation(id, "second prompt")));
        assert_eq!(bench.conversation(id).unwrap().title, title);
    }
}

#[test]
fn the_ledger_counts_each_request_once() {
    let bench = Bench::memory();
    let row = |request: &str, at_ms, profile: &str, cost_nano| LedgerRow {
        request_id: request.into(),
        at_ms,
        profile: profile.into(),
        tab: "Chat".into(),
        model: "m".into(),
        prompt_tokens: 1,
        completion_tokens: 2,
        estimated: false,
        cost_nano,
    };
    for row in [
        row("a", 100, "work", Some(50)),
        row("a", 100, "work", Some(70)),
        row("b", 99, "work", Some(1)),
        row("c", 101, "local", Some(1)),
        row("d", 102, "work", None),
    ] {
        bench.keep(Record::Ledger(row));
    }
    let spent = |since_ms| bench.load(Query::Spent { profile: "work".into(), since_ms });
    let sum = |nano| Rows::Spent(Some(Cost { nano, unknown: true }));
    assert_eq!(spent(100), sum(50));
    bench.keep(Record::Ledger(row("e", 103, "work", Some(i64::MAX))));
    assert_eq!(spent(100), sum(i64::MAX));
    assert_eq!(spent(104), Rows::Spent(None));
    bench.keep(Record::Ledger(row("f", 105, "work", Some(0))));
    assert_eq!(spent(104), Rows::Spent(Some(Cost::FREE)), "what is known to be free is not nothing");
}

#[test]
fn what_is_stored_under_a_profiles_name_goes_to_its_new_name() {
    let (_home, path) = home();
    let bench = Bench::open(&path).unwrap();
    let row = |id: &str, profile: &str| LedgerRow {
        request_id: id.into(),
        at_ms: 100,
        profile: profile.into(),
        tab: "Chat".into(),
        model: "m".into(),
        prompt_tokens: 1,
        completion_tokens: 2,
        estimated: false,
        cost_nano: Some(7),
    };
    for row in [row("a", "work"), row("b", "work"), row("c", "office"), row("d", "home")] {
        bench.keep(Record::Ledger(row));
    }
    bench.keep(keep_conversation(benchtop::record::Conversation { profile: "work".into(), ..conversation(1, "x") }));
    bench.keep(Record::ProfileRenamed { from: "work".into(), to: "office".into() });
    let spent = |profile: &str| bench.load(Query::Spent { profile: profile.into(), since_ms: 0 });
    assert_eq!(spent("work"), Rows::Spent(None));
    assert_eq!(spent("office"), Rows::Spent(Some(Cost { nano: 21, unknown: false })));
    assert_eq!(spent("home"), Rows::Spent(Some(Cost { nano: 7, unknown: false })));
    let Rows::Conversation(Some(found)) = bench.load(Query::Conversation(Id(1))) else { panic!("it is there") };
    assert_eq!(found.profile.raw(), "office");
}

#[test]
fn copies_share_a_store() {
    let (_home, path) = home();
    let one = Bench::open(&path).unwrap();
    one.keep(keep_conversation(conversation(1, "shared")));
    one.keep(keep_turn(Turn { status: TurnStatus::Streaming, ..turn(11, 1, "still ") }));
    let two = Bench::open(&path).unwrap();
    assert!(two.store.warnings().is_empty());
    assert_eq!(two.turns(&[11])[0].status, TurnStatus::Streaming);
    two.keep(keep_conversation(conversation(2, "second")));
    assert!(two.store.close());
    // The first goes on with its stream.
    one.keep(extend(11, 6, "coming", 0, ""));
    assert_eq!(one.turns(&[11])[0].content, "still coming");
    assert_eq!(one.heads().len(), 2);
}

#[test]
fn close_finishes_what_was_ordered_and_leaves_one_file() {
    let (_home, path) = home();
    let bench = Bench::open(&path).unwrap();
    bench.store.try_save(Ticket(1), keep_conversation(conversation(1, "")));
    for n in 0..200 {
        bench.store.try_save(Ticket(2 + n), keep_turn(turn(10 + n as i64, 1, "x")));
    }
    bench.store.load(Ticket(1000), Query::Heads);
    assert!(bench.store.close());
    let answers: Vec<_> = bench.answers.iter().collect();
    assert_eq!(answers.len(), 202);
    assert!(matches!(&answers[201].1, Stored::Rows(Rows::Heads(heads)) if heads[0].turns == 200));
    let left = names(path.parent().unwrap());
    assert!(!left.iter().any(|name| name.ends_with("-wal") || name.ends_with("-shm")), "{left:?}");
}
