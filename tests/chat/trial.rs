//! Two models that answer the same message, side by side.

use benchtop::api::call::{Call, Progress, Ticket};
use benchtop::component::{ComparisonOffer, Effect, Offer};
use benchtop::record::{ChatParams, CompletionParams, ModelParams};
use benchtop::settings::ProfileId;
use benchtop::tabs::Tab;
use benchtop::tabs::activity::ActivityOutcome;

use crate::desk::{Desk, call, chunk, failure};

fn trial() -> ComparisonOffer {
    ComparisonOffer {
        profile: ProfileId("home".into()),
        models: vec!["ft:gpt-x:acme".into(), "gpt-x".into()],
        prompt: "Say hello".into(),
        stop: vec!["\n".into()],
        chat: true,
    }
}

/// Returns the calls among effects: ticket, profile, model.
fn calls(effects: &[Effect]) -> Vec<(Ticket, String, String)> {
    let call = |effect: &Effect| match effect {
        Effect::Call(ticket, profile, Call::Chat(request)) => {
            assert_eq!(request.temperature, Some(0.0));
            assert!(request.stop.is_some());
            Some((*ticket, profile.0.clone(), request.model.clone()))
        }
        _ => None,
    };
    effects.iter().filter_map(call).collect()
}

/// Says something as an answer, and ends it; what that leads to.
fn answer(desk: &mut Desk, ticket: Ticket, text: &str) -> Vec<Effect> {
    [desk.progress(ticket, chunk(text)), desk.progress(ticket, Progress::Closed(Ok(())))].concat()
}

#[test]
fn both_models_answer_the_same_message_beside_each_other() {
    let mut desk = Desk::new();
    assert_eq!(desk.app.tab.takes(&Offer::Compare(Box::new(trial()))), Some("Compare the models in Chat"));
    assert_eq!(desk.app.tab.takes(&Offer::Compare(Box::new(ComparisonOffer { chat: false, ..trial() }))), None);
    let opened = desk.with(|chat, cx| chat.accept(Offer::Compare(Box::new(trial())), cx));
    assert!(calls(&opened).is_empty(), "nothing is sent before somebody sends it");
    assert_eq!(desk.draft(), "Say hello");
    let sent = desk.press("\n");
    let first = calls(&sent);
    assert_eq!(first.len(), 1);
    assert_eq!((first[0].1.as_str(), first[0].2.as_str()), ("home", "ft:gpt-x:acme"));
    let next = answer(&mut desk, first[0].0, "Hello from the tuned one");
    let second = calls(&next);
    assert_eq!(second.len(), 1);
    assert_eq!(second[0].2, "gpt-x");
    desk.progress(second[0].0, chunk("Hello from the base"));
    for size in [(120, 36), (80, 22), (40, 11)] {
        insta::assert_snapshot!(format!("trial_{}", size.0), desk.view(size.0, size.1));
    }
    let ended = answer(&mut desk, second[0].0, "");
    assert!(calls(&ended).is_empty(), "each model answers once");
    let picture = desk.view(120, 36);
    assert!(picture.contains("Hello from the tuned one") && picture.contains("Hello from the base"), "{picture}");
    let prompt = desk.disk.turns().iter().find(|turn| turn.content == "Say hello").unwrap().id;
    let answers: Vec<_> = desk.disk.turns().into_iter().filter(|turn| turn.parent == Some(prompt)).collect();
    assert_eq!(answers.len(), 2, "versions of one another");
    // The conversation goes on from the first one's.
    let tuned = answers.iter().find(|turn| turn.content.contains("tuned")).unwrap();
    assert!(desk.disk.conversations().iter().any(|sent| sent.leaf == Some(tuned.id)));
}

#[test]
fn the_models_are_compared_without_the_defaults_of_the_model_in_use() {
    let common = ChatParams { top_k: Some(40), seed: Some(7), ..ChatParams::default() };
    let models: ModelParams = [("m".to_owned(), CompletionParams { common, ..CompletionParams::default() })].into();
    // From an untouched Chat, and from one where something was said.
    for said in [false, true] {
        let mut desk = Desk::with_defaults("home", "m", models.clone());
        desk.view(120, 36);
        if said {
            desk.talk("q", "a");
        }
        desk.with(|chat, cx| chat.accept(Offer::Compare(Box::new(trial())), cx));
        let sent = desk.press("\n");
        let request = call(&sent).unwrap().1;
        assert_eq!((request.temperature, request.seed, request.extra.get("top_k")), (Some(0.0), None, None), "{said}");
    }
}

#[test]
fn the_copied_request_of_an_answer_is_for_the_model_that_gave_it() {
    let mut desk = Desk::new();
    desk.with(|chat, cx| chat.accept(Offer::Compare(Box::new(trial())), cx));
    let sent = desk.press("\n");
    let next = answer(&mut desk, calls(&sent)[0].0, "Hello");
    answer(&mut desk, calls(&next)[0].0, "Hi");
    desk.view(120, 36);
    desk.press("\u{1b}");
    desk.press("\u{1b}");
    let copied = desk.press("C");
    let [Effect::CopyCurl(profile, Call::Chat(request))] = &copied[..] else { panic!("{copied:?}") };
    assert_eq!((profile.0.as_str(), request.model.as_str()), ("home", "ft:gpt-x:acme"));
    assert!(calls(&copied).is_empty());
}

#[test]
fn stopping_stops_those_that_come_too() {
    let mut desk = Desk::new();
    desk.with(|chat, cx| chat.accept(Offer::Compare(Box::new(trial())), cx));
    desk.press("\n");
    desk.view(120, 36);
    let next = desk.with(|chat, cx| assert!(chat.interrupt(cx)));
    assert!(calls(&next).is_empty());
}

#[test]
fn answers_that_are_compared_have_failed_only_if_all_have() {
    use ActivityOutcome::{Ended, EndedWithFailures, Failed};
    for (fails, expected) in [
        ([false, false], Ended),
        ([false, true], EndedWithFailures),
        ([true, false], EndedWithFailures),
        ([true, true], Failed),
    ] {
        let mut desk = Desk::new();
        desk.with(|chat, cx| chat.accept(Offer::Compare(Box::new(trial())), cx));
        let mut sent = desk.press("\n");
        let activities = desk.app.tab.activities();
        for fails in fails {
            assert_eq!(desk.app.tab.activities(), activities);
            let ticket = calls(&sent)[0].0;
            sent = if fails {
                desk.progress(ticket, Progress::Closed(Err(failure("no", Some(400)))))
            } else {
                answer(&mut desk, ticket, "Hello")
            };
        }
        assert!(desk.app.tab.activities().is_empty());
        assert_eq!(desk.app.tab.outcome(&activities[0]), expected, "{fails:?}");
    }
}
