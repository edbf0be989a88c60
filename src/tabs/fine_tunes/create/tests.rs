use std::time::Instant;

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use super::*;
use crate::api::call::FailureKind;
use crate::component::{ChoiceDialog, Modals, Session, Training};
use crate::tabs::fine_tunes::dialogs::Answer;

fn session() -> Session {
    Session { profile: ProfileId("work".into()), ..Session::default() }
}

fn page() -> CreatePage {
    let mut page = CreatePage::default();
    page.switch(&session(), Some(Dialect::FineTunes));
    page.open(&Session::default());
    let file = |id: &str, name: &str| File {
        id: id.into(),
        filename: name.into(),
        bytes: 5_000_000,
        purpose: "fine-tune".into(),
        status: Some("processed".into()),
        ..File::default()
    };
    page.files(vec![file("file-1", "train.jsonl"), file("file-2", "valid.jsonl")]);
    page.files_closed(None);
    page
}

/// Presses keys, which go to a list to choose from while one is open.
fn press(page: &mut CreatePage, keys: &str) -> Handled<CreateEvent> {
    let (session, mut tickets, mut effects) = (session(), 0, Vec::new());
    let mut cx = Cx::new(&session, Instant::now(), 0, &mut tickets, &mut effects);
    let (mut last, mut modals) = (Handled::Consumed, Modals::default());
    for key in keys.chars() {
        let key = match key {
            '\n' => KeyEvent::from(KeyCode::Enter),
            '^' => KeyEvent::new(KeyCode::Char('r'), KeyModifiers::CONTROL),
            key => KeyEvent::from(KeyCode::Char(key)),
        };
        last = match modals.key(key, &mut cx) {
            Handled::Emit(Answer::CreateFile(file)) => page.set_file(file),
            Handled::Ignored => page.key(key, &mut cx),
            handled => handled.and_then(|_| Handled::Ignored),
        };
        if let Handled::Emit(CreateEvent::ChooseFile(field)) = last {
            modals.open(ChoiceDialog::new(page.file_picker(field), Answer::CreateFile));
        }
    }
    last
}

#[test]
fn nothing_is_sent_before_the_last_enter() {
    let mut page = page();
    assert_eq!(press(&mut page, "^"), Handled::Consumed);
    assert_eq!(page.form.selected(), Some(TRAINING), "what is amiss has the cursor");
    press(&mut page, "\ntrain\n");
    assert_eq!(page.draft.request.training_file, "file-1");
    assert_eq!(press(&mut page, "^"), Handled::Consumed);
    assert_eq!(page.form.selected(), Some(CREATE));
    let Handled::Emit(CreateEvent::Send(request)) = press(&mut page, "\n") else { panic!() };
    assert_eq!(*request, FineTuneRequest { training_file: "file-1".into(), ..FineTuneRequest::default() });
    assert_eq!(press(&mut page, "\n"), Handled::Consumed, "it is sent once");
}

#[test]
fn a_refusal_keeps_everything_and_stands_at_its_field() {
    let mut page = page();
    press(&mut page, "\ntrain\n");
    press(&mut page, "^\n");
    let mut why = Failure::new(FailureKind::Refused, "refused");
    why.body = r#"{"error":{"message":"too many","param":"n_epochs"}}"#.into();
    page.handle_answer(&session().profile, Some(why));
    assert_eq!((page.form.selected(), page.draft.request.training_file.as_str()), (Some("n_epochs"), "file-1"));
    press(&mut page, "^");
    assert!(matches!(press(&mut page, "\n"), Handled::Emit(CreateEvent::Send(_))));
    page.handle_answer(&session().profile, None);
    assert!(!page.is_begun());
}

#[test]
fn an_offer_fills_the_page() {
    let mut page = page();
    let mut offer = Training {
        id: "file-1".into(),
        name: "train.jsonl".into(),
        validation: Some(("file-2".into(), "valid.jsonl".into())),
        rows: 100,
        tokens: 10_000,
        classes: vec![" yes".into(), " no".into()],
        ..Training::default()
    };
    page.take(&offer);
    let request = page.request();
    assert_eq!(request.classification_positive_class.as_deref(), Some(" yes"));
    assert_eq!((request.compute_classification_metrics, request.classification_n_classes), (Some(true), None));
    assert_eq!((page.tokens(), page.rules()), (Some((10_000, false)), vec![]));
    assert_eq!((page.known_rows("file-1"), page.known_rows("file-2")), (Some(100), None));
    offer.classes.push(" maybe".into());
    page.take(&offer);
    assert_eq!(page.request().classification_n_classes, Some(3));
    // Of many classes not all names are known.
    offer.class_count = 150;
    page.take(&offer);
    assert_eq!(page.request().classification_n_classes, Some(150));
    offer.validation = None;
    page.take(&offer);
    assert_eq!((page.request().compute_classification_metrics, page.rules()), (None, vec![]));
}

#[test]
fn a_page_is_kept_for_each_profile() {
    let mut page = page();
    press(&mut page, "\ntrain\n");
    let other = Session { profile: ProfileId("home".into()), ..Session::default() };
    page.switch(&other, None);
    assert!(!page.is_begun());
    let json = serde_json::to_string(&page.drafts()).unwrap();
    let mut again = CreatePage::default();
    again.switch(&session(), None);
    again.restore(serde_json::from_str(&json).unwrap(), &session());
    assert_eq!(again.draft.training, "train.jsonl");
    page.switch(&session(), None);
    assert_eq!(page.draft, again.draft);
}

#[test]
fn what_the_newer_interface_lacks_is_neither_set_nor_sent() {
    let mut page = page();
    press(&mut page, "\ntrain\n");
    page.change("prompt_loss_weight", "0.5");
    page.change("model", "gpt-x");
    page.switch(&session(), Some(Dialect::FineTuning));
    assert_eq!(page.request().prompt_loss_weight, None);
    assert_eq!(page.rules(), vec![]);
    page.switch(&session(), Some(Dialect::FineTunes));
    assert_eq!(page.request().prompt_loss_weight, Some(0.5), "it is not forgotten");
}

#[test]
fn a_job_is_made_once_whichever_profile_shows_meanwhile() {
    let mut page = page();
    let other = Session { profile: ProfileId("home".into()), ..Session::default() };
    press(&mut page, "\ntrain\n");
    press(&mut page, "^");
    assert!(matches!(press(&mut page, "\n"), Handled::Emit(CreateEvent::Send(_))));
    page.switch(&other, None);
    page.switch(&session(), None);
    assert!(
        page.is_waiting() && !matches!(press(&mut page, "\n"), Handled::Emit(CreateEvent::Send(_))),
        "it is being made"
    );
    page.switch(&other, None);
    page.handle_answer(&session().profile, None);
    assert!(!page.is_begun() && !page.is_waiting());
    page.switch(&session(), None);
    assert!(!page.is_begun() && !page.is_waiting(), "it was made: the page is empty");
}

#[test]
fn what_was_kept_fills_what_a_file_from_another_tab_leaves_open() {
    let mut page = page();
    press(&mut page, "\ntrain\n");
    page.change("suffix", "mine");
    let json = serde_json::to_string(&page.drafts()).unwrap();
    let mut again = CreatePage::default();
    again.switch(&session(), None);
    again.take(&Training { id: "file-9".into(), name: "new.jsonl".into(), ..Training::default() });
    again.restore(serde_json::from_str(&json).unwrap(), &session());
    let request = again.request();
    assert_eq!((request.training_file.as_str(), request.suffix.as_deref()), ("file-9", Some("mine")));
    assert_eq!(again.other_file(&"file-1".into()).as_deref(), Some("new.jsonl"));
    assert_eq!(again.other_file(&"file-9".into()), None);
}

#[test]
fn what_the_files_tab_knows_of_a_file_is_filled_in() {
    let mut page = page();
    let saved = r#"[["file-1",{"rows":1296,"tokens":13606,"classes":[" a"," b"," c"],"class_count":3}]]"#;
    page.known = MetadataCache::read(saved);
    press(&mut page, "\ntrain\n");
    assert_eq!((page.tokens(), page.known_rows("file-1")), (Some((13_606, false)), Some(1_296)));
    assert_eq!(page.request().classification_n_classes, None, "no class metrics are asked for");
    page.change("compute_classification_metrics", "true");
    assert_eq!(page.request().classification_n_classes, Some(3));
    page.change("compute_classification_metrics", "false");
    assert_eq!(page.request().classification_n_classes, None);
    page.change("classification_n_classes", "4");
    page.change("compute_classification_metrics", "true");
    assert_eq!(page.request().classification_n_classes, Some(4), "what was typed stays");
}
