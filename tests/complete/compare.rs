//! Columns that run the same prompt: kept as steps beside each other, with setups that are there again.

use benchtop::api::chat::Stop;
use benchtop::api::completion::Prompt;
use benchtop::component::{ComparisonOffer, Component, Cx, Effect, Handled, Hint, Offer, RenderContext};
use benchtop::record::TurnStatus;
use benchtop::settings::ProfileId;
use benchtop::tabs::Tab;
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use ratatui::Frame;
use ratatui::layout::Rect;

use crate::desk::{Complete, Desk, Disk};
use crate::kit::{Setup, Tab as _};
use crate::replies::{end, offline, text, usage};

/// Opens the page with the second column on another profile and model.
fn compared() -> Desk {
    let mut desk = Desk::new();
    desk.press("Say a\u{1b}c");
    desk.shows("A text-davinci-003");
    desk.press(">Pm^u");
    desk.shows("Model of column B");
    desk.press("ada\n");
    desk.shows("B home: ada");
    desk
}

#[test]
fn each_profile_gets_its_own_call_and_all_is_kept() {
    let mut desk = compared();
    desk.press("^r");
    let sent = desk.sent_to();
    let to: Vec<_> = sent.iter().map(|(_, to, request)| (to.0.as_str(), request.model.as_str())).collect();
    assert_eq!(to, [("work", "text-davinci-003"), ("home", "ada")]);
    desk.answer_with(sent[1].0, [text(" dog"), end(0, "stop"), usage(2, 1)]);
    desk.progress(sent[0].0, text(" cat"));
    desk.fail(sent[0].0, offline());
    desk.shows("✕ cut off");
    desk.shows("✓ done");
    desk.press("\n");
    assert_eq!(desk.text(), "Say a dog", "the second has the focus");
    desk.settle();
    let runs = desk.disk.runs();
    let ended: Vec<_> = runs.iter().map(|run| (run.profile.line().into_owned(), run.status)).collect();
    assert!(ended.contains(&("home".into(), TurnStatus::Done)), "{ended:?}");
    assert!(ended.contains(&("work".into(), TurnStatus::CutOff)), "{ended:?}");
    let (sheet, steps) = desk.disk.sheet();
    let written: Vec<_> = steps.iter().map(|step| step.inserted.line().into_owned()).collect();
    assert!(written.contains(&" cat".to_owned()) && written.contains(&" dog".to_owned()), "{written:?}");
    assert!(sheet.current.is_some());
    // The other one is a branch, one key away, and undo leads back to before both.
    desk.press(">");
    assert_eq!(desk.text(), "Say a cat");
    desk.press("u");
    assert_eq!(desk.text(), "Say a");
}

#[test]
fn the_setups_are_there_after_a_restart() {
    let mut desk = compared();
    desk.settle();
    desk.press("\u{1b}");
    let mut desk = desk.again();
    desk.press("\u{1b}c");
    desk.shows("A text-davinci-003");
    desk.shows("B home: ada");
    desk.shows("not run yet");
}

#[test]
fn nothing_is_sent_before_the_prompt_is_kept() {
    let mut desk = compared();
    desk.writes = crate::desk::Writes::Waiting;
    desk.press("^r");
    assert_eq!(desk.sent().len(), 0);
    desk.writes = crate::desk::Writes::Done;
    desk.release();
    assert_eq!(desk.sent().len(), 2);
}

#[test]
fn a_full_disk_sends_nothing_and_says_so() {
    let mut desk = compared();
    desk.writes = crate::desk::Writes::Refused;
    desk.press("^r");
    assert_eq!(desk.sent().len(), 0);
    desk.shows("not sent");
    desk.shows("not run yet");
}

#[test]
fn counts_that_come_late_are_waited_for_and_can_be_given_up() {
    let mut desk = compared();
    desk.holds = |effect| matches!(effect, Effect::Work(..));
    desk.press("^r");
    assert_eq!(desk.sent().len(), 0);
    desk.shows("counting…");
    desk.press("\u{1b}");
    desk.release();
    assert_eq!(desk.sent().len(), 0, "it was given up");
    desk.holds = |effect| matches!(effect, Effect::Work(..));
    desk.press("^r");
    desk.release();
    assert_eq!(desk.sent().len(), 2);
}

/// What another tab hands on when `o` is pressed there.
struct Giver(Offer);

impl Component for Giver {
    fn key(&mut self, _key: KeyEvent, cx: &mut Cx) -> Handled<()> {
        cx.push(Effect::Offer(self.0.clone()));
        Handled::Consumed
    }

    fn render(&self, _: &mut Frame, _: Rect, _: RenderContext) {}

    fn hints(&self) -> Vec<Hint> {
        Vec::new()
    }
}

impl Tab for Giver {
    fn title(&self) -> &'static str {
        "Giver"
    }
}

fn offer(prompt: &str) -> ComparisonOffer {
    ComparisonOffer {
        profile: ProfileId("home".into()),
        models: vec!["curie:ft-acme-2023".into(), "curie".into()],
        prompt: prompt.into(),
        stop: vec!["\n".into()],
        chat: false,
    }
}

/// Goes to the last tab and has it hand on what it has.
fn handed(offer: ComparisonOffer) -> Desk {
    let mut desk = Desk::start(
        &Disk::new(),
        Setup { more: vec![Box::new(Giver(Offer::Compare(Box::new(offer))))], ..Complete::setup() },
    );
    let last = char::from_digit(benchtop::tabs::all().len() as u32 + 1, 10).unwrap();
    desk.key(KeyCode::Char(last), KeyModifiers::ALT);
    desk.press("o");
    desk
}

#[test]
fn models_that_another_tab_hands_on_stand_beside_each_other() {
    let mut desk = handed(offer("Is it fine? ->"));
    desk.shows("A home: curie:ft-acme-2023");
    desk.shows("B home: curie");
    assert_eq!(desk.sent().len(), 0, "nothing is sent before somebody runs it");
    desk.press("^r");
    let sent = desk.sent_to();
    let to: Vec<_> = sent.iter().map(|(_, to, request)| (to.0.as_str(), request.model.as_str())).collect();
    assert_eq!(to, [("home", "curie:ft-acme-2023"), ("home", "curie")]);
    for (_, _, request) in &sent {
        assert_eq!(request.prompt, Some(Prompt::Text("Is it fine? ->".into())));
        assert_eq!(request.temperature, Some(0.0));
        assert_eq!(request.stop, Some(Stop::One("\n".into())));
    }
}

#[test]
fn the_prompt_that_is_handed_on_is_tried_and_the_text_before_is_kept() {
    let mut desk = Desk::start(
        &Disk::new(),
        Setup { more: vec![Box::new(Giver(Offer::Compare(Box::new(offer("Is it fine? ->")))))], ..Complete::setup() },
    );
    desk.press("Say a");
    let last = char::from_digit(benchtop::tabs::all().len() as u32 + 1, 10).unwrap();
    desk.key(KeyCode::Char(last), KeyModifiers::ALT);
    desk.press("o^r");
    let sent = desk.sent();
    assert_eq!(sent.len(), 2);
    assert!(sent.iter().all(|(.., request)| request.prompt == Some(Prompt::Text("Is it fine? ->".into()))));
    desk.shows("esc, then r, lists the previous ones");
}
