//! The probe of a server: shown first, sent one request after the other, each answer a fact.

use std::time::{Duration, Instant};

use benchtop::api::call::{Call, Failure, FailureKind, Progress, Reply, Ticket};
use benchtop::api::capability::{Adaptation, Fact, Finding, Subject};
use benchtop::api::chat::ChatChunk;
use benchtop::api::embedding::EmbeddingList;
use benchtop::api::usage::Usage;
use benchtop::app::{App, Effect, Event};
use benchtop::record::{LedgerRow, Record};

use crate::desk::{self, press, screen, words};

const SERVER: &str = "https://work.example/v1";

fn opened() -> App {
    let mut app = desk::app();
    press(&mut app, "^pserver: what\nprobe\n");
    app
}

fn call(effects: &[Effect]) -> Option<(Ticket, Call)> {
    effects.iter().find_map(|effect| match effect {
        Effect::Call(ticket, _, call) => Some((*ticket, call.clone())),
        _ => None,
    })
}

fn tell(app: &mut App, ticket: Ticket, progress: Progress) -> Vec<Effect> {
    app.update(Event::Progress(ticket, progress), Instant::now(), 1_700_000_000_000)
}

fn opened_answer() -> Progress {
    Progress::Opened { request_id: None }
}

/// Returns the names of the facts that these effects store.
fn kept(effects: &[Effect]) -> Vec<String> {
    let name = |effect: &Effect| match effect {
        Effect::TrySave(_, Record::Setting(name, value)) if value.contains("probe") => Some(name.clone()),
        _ => None,
    };
    effects.iter().filter_map(name).collect()
}

/// Returns the ledger row that these effects write.
fn charged(effects: &[Effect]) -> Option<LedgerRow> {
    effects.iter().find_map(|effect| match effect {
        Effect::TrySave(_, Record::Ledger(row)) => Some(row.clone()),
        _ => None,
    })
}

#[test]
fn where_there_is_no_room_for_all_requests_they_scroll() {
    let mut app = opened();
    let page = screen(&mut app, 40, 12);
    assert!(page.contains("GET /models") && !page.contains("/fine_tuning") && page.contains('↓'), "{page}");
    for _ in 0..9 {
        press(&mut app, "j");
        screen(&mut app, 40, 12);
    }
    let page = screen(&mut app, 40, 12);
    assert!(!page.contains("GET /models") && page.contains("/fine_tuning") && page.contains('↑'), "{page}");
    // The one under way is in view.
    press(&mut app, "\n");
    assert!(screen(&mut app, 40, 12).contains("GET /models"), "{}", screen(&mut app, 40, 12));
}

#[test]
fn nothing_is_sent_before_the_requests_were_seen_and_esc_sends_nothing() {
    let mut app = opened();
    for (width, height) in [(120, 36), (80, 24), (40, 14)] {
        let page = screen(&mut app, width, height);
        assert!(page.contains("Probe of work") && page.contains("GET /models"), "{page}");
    }
    let page = screen(&mut app, 120, 36);
    for request in ["POST /chat/completions: 1 token", "gpt-mini", "POST /moderations: 1 word", "GET /files"] {
        assert!(page.contains(request), "{request}: {page}");
    }
    let effects = press(&mut app, "\u{1b}");
    assert_eq!(call(&effects), None);
    assert!(!screen(&mut app, 120, 36).contains("Probe of work"));
}

#[test]
fn each_answer_becomes_facts_and_the_next_request_follows() {
    let mut app = opened();
    let (models, first) = call(&press(&mut app, "\n")).expect("the first request is sent");
    assert_eq!(first, Call::Models);
    let fact =
        Fact { server: SERVER.into(), subject: Subject::Endpoint("/models".into()), finding: Finding::Available };
    let effects = tell(&mut app, models, Progress::Learned(Box::new(fact)));
    assert_eq!(kept(&effects).len(), 1, "its source is the probe: {effects:?}");

    let effects = tell(&mut app, models, opened_answer());
    assert!(effects.contains(&Effect::Cancel(models)), "the list itself is not read");
    let (chat, next) = call(&effects).expect("one after the other");
    let Call::Chat(asked) = next else { panic!("{next:?}") };
    assert_eq!((asked.max_tokens, asked.stream, asked.logprobs), (Some(1), Some(true), Some(true)));
    tell(&mut app, chat, Progress::Opened { request_id: Some("req-1".into()) });
    let usage = Usage { prompt_tokens: 7, completion_tokens: Some(1), total_tokens: 8, ..Usage::default() };
    let chunk = ChatChunk { usage: Some(usage), ..ChatChunk::default() };
    tell(&mut app, chat, Progress::Reply(Reply::ChatChunk(chunk)));
    let effects = tell(&mut app, chat, Progress::Closed(Ok(())));
    let row = charged(&effects).expect("it is in the ledger");
    assert_eq!((row.tab.as_str(), row.profile.as_str(), row.estimated), ("Chat", "work", false));
    assert_eq!((row.prompt_tokens, row.completion_tokens, row.request_id), (7, 1, "req-1".into()));
    assert!(kept(&effects).iter().any(|name| name.contains("stream_options")), "{effects:?}");
    assert!(!kept(&effects).iter().any(|name| name.contains("logprobs")));
    assert!(screen(&mut app, 120, 36).contains("usage in the stream, no log probabilities"));

    // A failure is no reason to stop, and nothing is sent twice.
    let (complete, _) = call(&effects).expect("completions");
    let busy = Failure::new(FailureKind::Server, "the server is busy");
    let retry = Progress::Retrying { attempt: 2, of: 3, at: Instant::now(), why: busy };
    let effects = tell(&mut app, complete, retry);
    assert!(effects.contains(&Effect::Cancel(complete)));
    assert_eq!(charged(&effects), None, "what failed costs nothing");
    assert!(screen(&mut app, 120, 36).contains("the server is busy"));

    let (base64, _) = call(&effects).expect("embeddings");
    tell(&mut app, base64, Progress::Adapted(Adaptation::Omitted("encoding_format".into())));
    tell(&mut app, base64, Progress::Reply(Reply::Embeddings(EmbeddingList::default())));
    let effects = tell(&mut app, base64, Progress::Closed(Ok(())));
    assert!(screen(&mut app, 120, 36).contains("no base64"));
    let row = charged(&effects).expect("it is in the ledger");
    assert_eq!((row.tab.as_str(), row.prompt_tokens, row.estimated), ("Embed", 1, true));
    let (several, _) = call(&effects).expect("several texts");
    let effects = tell(&mut app, several, Progress::Closed(Ok(())));
    assert!(kept(&effects).iter().any(|name| name.contains("input")), "{effects:?}");

    // What takes too long is given up.
    let (moderate, _) = call(&effects).expect("moderation");
    let due = app.due().expect("it is bounded in time");
    assert!(due <= Instant::now() + Duration::from_mins(1));
    let effects = app.tick(due, 0);
    assert!(effects.contains(&Effect::Cancel(moderate)), "{effects:?}");
    let (files, _) = call(&effects).expect("files");
    let effects = tell(&mut app, files, opened_answer());
    let (jobs, _) = call(&effects).expect("fine-tunes");
    let effects = tell(&mut app, jobs, opened_answer());
    assert_eq!(call(&effects), None);
    let page = screen(&mut app, 120, 36);
    assert!(page.contains("8 of 8") && page.contains("no answer in time"), "{page}");
    press(&mut app, "\n");
    press(&mut app, "^pserver: what\n");
    assert!(screen(&mut app, 120, 36).contains("from a probe"));
}

#[test]
fn it_is_stopped_by_esc_and_by_leaving() {
    for keys in ["\u{1b}", "^c"] {
        let mut app = opened();
        let (ticket, _) = call(&press(&mut app, "\n")).unwrap();
        let effects = press(&mut app, keys);
        assert!(effects.contains(&Effect::Cancel(ticket)) && call(&effects).is_none(), "{keys:?} {effects:?}");
        assert!(call(&tell(&mut app, ticket, opened_answer())).is_none());
    }
    let mut app = opened();
    let (ticket, _) = call(&press(&mut app, "\n")).unwrap();
    let key = desk::key(crossterm::event::KeyCode::Char('3'), crossterm::event::KeyModifiers::ALT);
    let effects = app.update(key, Instant::now(), 0);
    assert!(effects.contains(&Effect::Cancel(ticket)), "{effects:?}");
}

#[test]
fn an_outcome_is_readable_in_full_at_every_size() {
    let mut app = opened();
    let (ticket, _) = call(&press(&mut app, "\n")).expect("the first request is sent");
    let why = "the server has no list of models; choose another profile or add the endpoint to it";
    tell(&mut app, ticket, Progress::Closed(Err(Failure::new(FailureKind::Server, why))));
    for (width, height) in [(120, 36), (80, 24), (40, 16)] {
        let mut page = words(&mut app, width, height);
        if height == 16 {
            (0..20).for_each(|_| drop(press(&mut app, "k")));
            page = words(&mut app, width, height);
        }
        assert!(why.split(' ').all(|word| page.contains(word)) && !page.contains("profile…"), "{page}");
    }
}
