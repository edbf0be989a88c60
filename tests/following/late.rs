//! Replays that pause, events that are numbered in one place and not in another, pages of another order, events that
//! are no JSON: each event is told once all the same, and the job's end too.

use std::time::Duration;

use benchtop::api::call::FailureKind;

use crate::script::{Having, Lists, Script, history};
use crate::{LIMIT, endpoint, follow};

#[tokio::test]
async fn a_replay_that_pauses_repeats_nothing() {
    // Longer than the silence after which a connection counts as there.
    let pauses = Duration::from_millis(2_300);
    let having =
        Having { history: history(40), status: "running", streams: true, ends: true, pauses, ..Having::default() };
    let script = Script::new(having).await;
    let told = follow(endpoint(script.address, LIMIT), "ft-x", |told| {
        if told.lost.len() == 1 {
            let mut having = script.having.lock().unwrap();
            (having.history, having.status) = (history(60), "succeeded");
        }
    })
    .await;
    assert_eq!((told.end, script.having.lock().unwrap().streamed), (Some(Ok(())), 2));
    assert_eq!(told.events.iter().map(|event| event.message.clone()).collect::<Vec<_>>(), history(60));
}

#[tokio::test]
async fn events_that_only_the_stream_numbers_are_told_once() {
    let having = Having {
        history: history(30),
        status: "running",
        streams: true,
        ends: true,
        numbers: true,
        ..Having::default()
    };
    let script = Script::new(having).await;
    // The stream closes without a word, so the list is read as well.
    let told = follow(endpoint(script.address, LIMIT), "ft-x", |told| {
        if told.lost.len() == 1 {
            script.having.lock().unwrap().status = "succeeded";
        }
    })
    .await;
    assert_eq!((told.end.as_ref(), told.messages().len()), (Some(&Ok(())), 30));
    assert_eq!(told.messages(), history(30));
    assert!(script.having.lock().unwrap().last.iter().all(|id| id == "29"));
    assert!(!script.having.lock().unwrap().last.is_empty());
}

#[tokio::test]
async fn pages_that_rise_are_read_once_and_those_that_never_change_end() {
    for newer in [true, false] {
        for (lists, events, most) in [(Lists::Rising, 95, 60), (Lists::Deaf, 10, 60)] {
            let having = Having { history: history(events), status: "running", newer, lists, ..Having::default() };
            let script = Script::new(having).await;
            let told = follow(endpoint(script.address, LIMIT), "ft-x", |_| {
                let mut having = script.having.lock().unwrap();
                if having.listed >= 20 {
                    having.status = "succeeded";
                }
            })
            .await;
            assert_eq!((told.end.as_ref(), told.lost.len()), (Some(&Ok(())), 0), "{newer} {lists:?} {:?}", told.lost);
            assert_eq!(told.messages(), history(events), "{newer} {lists:?}");
            let listed = script.having.lock().unwrap().listed;
            assert!(listed < most, "{newer} {lists:?}: {listed}");
        }
    }
}

#[tokio::test]
async fn an_event_that_is_no_json_stops_nothing() {
    let deep = concat!("data: {\"message\": ", "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[", "\n\n");
    for (odd, words) in [
        ("data: {\"message\": \"Step 1\", \"data\": {\"step\": 1, \"train_loss\": NaN}}\n\n", "Step 1"),
        (deep, "unreadable event: {\"message\""),
    ] {
        let having =
            Having { history: history(20), status: "succeeded", streams: true, odd: Some(odd), ..Having::default() };
        let script = Script::new(having).await;
        let told = follow(endpoint(script.address, LIMIT), "ft-x", |_| {}).await;
        assert_eq!((told.end.as_ref(), told.lost.len()), (Some(&Ok(())), 0));
        assert!(told.messages()[10].starts_with(words), "{:?}", told.messages()[10]);
        assert_eq!(told.messages().len(), 21);
    }
}

#[tokio::test]
async fn a_list_that_cannot_be_read_leaves_the_job() {
    let having = Having { status: "running", newer: true, lists: Lists::Garbled, ..Having::default() };
    let script = Script::new(having).await;
    let told = follow(endpoint(script.address, LIMIT), "ft-x", |_| {
        let mut having = script.having.lock().unwrap();
        if having.listed >= 5 {
            having.status = "failed";
        }
    })
    .await;
    assert_eq!(told.end, Some(Ok(())));
    assert_eq!(told.messages(), ["the server's list of events cannot be read; only the job itself is followed"]);
    assert!(told.lost.len() == 2 && told.lost.iter().all(|why| why.kind == FailureKind::Malformed));
}

#[tokio::test]
async fn a_gateway_that_has_no_page_for_a_moment_ends_nothing() {
    for (absent, lost) in [(2, 2), (9, 2)] {
        let having = Having { history: history(9), status: "failed", newer: true, absent, ..Having::default() };
        let script = Script::new(having).await;
        let told = follow(endpoint(script.address, LIMIT), "ft-x", |_| {}).await;
        assert_eq!(
            (told.lost.len(), told.end.unwrap().is_ok(), told.events.len()),
            if absent == 2 { (lost, true, 9) } else { (lost, false, 0) }
        );
    }
}
