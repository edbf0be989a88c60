//! The page: how it looks in each state at three sizes, its keys, what it asks for.

use std::time::Instant;

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use ratatui::Terminal;
use ratatui::backend::TestBackend;

use super::figures::{self, LineTone};
use super::page_view::PANES;
use super::*;
use crate::api::job::Dialect;
use crate::component::Effect;
use crate::record::training::{
    ClassRows, Prepared, Problem, ProblemKind, Repair, RepairKind, RowForm, Sample, Task, TextEnds, TokenFigures,
};
use crate::settings::ProfileId;
use crate::tokens::{Prices, Tariff};
use crate::ui::theme::{Depth, Kind, Theme};

struct CheckDesk {
    page: CheckPage,
    session: Session,
    tickets: u64,
    now: Instant,
    effects: Vec<Effect>,
}

impl CheckDesk {
    fn new(model: &str, local: bool) -> Self {
        let profile = if local { ProfileId::local() } else { ProfileId("work".into()) };
        let tariff = Tariff::new("https://api.openai.com/v1", &[], &[]);
        let prices = Prices::new([(ProfileId("work".into()), tariff)], jiff::civil::Date::default());
        let session = Session { profile, prices, model: model.into(), local, ..Session::default() };
        let (now, mut tickets, mut effects) = (Instant::now(), 0, Vec::new());
        let mut cx = Cx::new(&session, now, 0, &mut tickets, &mut effects);
        let page = CheckPage::open("/home/me/data/sup\u{1b}port.jsonl", Vec::new(), &mut cx);
        Self { page, session, tickets, now, effects }
    }

    /// Creates a page with a report.
    fn of(report: CheckReport) -> Self {
        let mut desk = Self::new("davinci", false);
        desk.done(Done::Checked(Box::new(report)));
        desk
    }

    fn with<T>(&mut self, act: impl FnOnce(&mut CheckPage, &mut Cx) -> T) -> T {
        let mut cx = Cx::new(&self.session, self.now, 0, &mut self.tickets, &mut self.effects);
        act(&mut self.page, &mut cx)
    }

    fn done(&mut self, done: Done) {
        let ticket = Ticket(self.tickets);
        let handled = self.with(|page, cx| page.reply(ticket, &mut Response::Work(done), cx));
        assert_eq!(handled, Handled::Consumed, "it was asked for");
    }

    fn key(&mut self, code: KeyCode) -> Handled<Event> {
        self.with(|page, cx| page.key(KeyEvent::new(code, KeyModifiers::NONE), cx))
    }

    fn keys(&mut self, keys: &str) -> Handled<Event> {
        keys.chars().map(|key| self.key(KeyCode::Char(key))).last().unwrap()
    }

    /// Returns the pictures at all three sizes.
    fn drawn(&mut self) -> String {
        let theme = Theme::of(Kind::Dark, Depth::True);
        let sizes = [(120, 36), (80, 24), (40, 12)];
        let mut all = String::new();
        for (width, height) in sizes {
            let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
            let (session, now) = (self.session.clone(), self.now);
            self.page.arrange(Rect::new(0, 0, width, height), &session, now);
            let context = RenderContext { session: &session, theme: &theme, now };
            terminal.draw(|frame| self.page.render(frame, frame.area(), context)).unwrap();
            all += &terminal.backend().to_string();
        }
        all
    }
}

fn problem(line: u64, kind: ProblemKind, words: &str) -> Problem {
    Problem { line, column: 7, at: Some(line * 100), kind, words: words.into() }
}

fn repair(kind: RepairKind, words: &str, necessary: bool, advised: bool, after: Option<&str>) -> Repair {
    let sample = Sample {
        line: 4411,
        before: r#"{"prompt":"Order late\u001b","completion":"delivery"}"#.into(),
        after: after.map(Into::into),
    };
    Repair { kind, words: words.into(), necessary, advised, rows: 3, samples: vec![sample], note: None }
}

fn report() -> CheckReport {
    CheckReport {
        bytes: 214_000_000,
        form: Some(RowForm::Pairs),
        rows: 48_210,
        valid: 48_207,
        problems: vec![
            problem(12_044, ProblemKind::NotJson, "not JSON: a comma too many"),
            problem(30_118, ProblemKind::MissingKey, "there is no \"completion\""),
            problem(41_902, ProblemKind::Encoding, "not UTF-8: \u{1b}[2J\u{202e}"),
        ],
        counts: vec![
            (ProblemKind::Duplicate, 214),
            (ProblemKind::NotJson, 1),
            (ProblemKind::MissingKey, 1),
            (ProblemKind::Encoding, 1),
        ],
        task: Some(Task::Classification),
        repairs: vec![
            repair(RepairKind::BadRows, "rows that cannot be read go", true, true, None),
            repair(RepairKind::Duplicates, "rows that were there before go", false, true, None),
            repair(
                RepairKind::LeadingSpace,
                "completions begin with a space, as tokens do",
                false,
                true,
                Some(r#"{"prompt":"Order late\u001b","completion":" delivery"}"#),
            ),
            repair(RepairKind::LowerCompletions, "completions in small letters", false, false, Some("…")),
        ],
        advice: vec!["fewer than 100 rows a class: add more".into()],
        tokens: TokenFigures {
            vocabulary: "r50k_base".into(),
            sampled: 10_000,
            min: 12,
            median: 148,
            max: 4102,
            total: 6_900_000,
            limit: Some(2048),
            over: 1,
            bars: vec![(64, 900), (128, 3000), (256, 5000), (512, 900), (4102, 200)],
        },
        classes: ClassRows { most: vec![(" delivery".into(), 30_000), (" refund".into(), 18_000)], count: 2 },
        seconds: Some(2400),
        ..CheckReport::default()
    }
}

#[test]
fn while_it_is_read() {
    let mut desk = CheckDesk::new("davinci", false);
    assert!(matches!(&desk.effects[..], [Effect::Work(_, Work::Check(check))] if check.model == "davinci"));
    desk.done(Done::Moved { done: 90_000_000, total: 214_000_000 });
    insta::assert_snapshot!(desk.drawn());
    assert!(desk.page.due().is_some());
    assert_eq!(desk.key(KeyCode::Esc), Handled::Emit(Event::Closed));
    assert!(matches!(desk.effects.last(), Some(Effect::Cancel(_))));
}

#[test]
fn with_problems() {
    let mut desk = CheckDesk::of(report());
    insta::assert_snapshot!("problems", desk.drawn());
    desk.key(KeyCode::Tab);
    desk.keys("jj");
    insta::assert_snapshot!("repairs", desk.drawn());
    desk.key(KeyCode::Tab);
    insta::assert_snapshot!("figures", desk.drawn());
    assert!(desk.page.due().is_none(), "nothing moves");
}

#[test]
fn without_problems() {
    let clean =
        CheckReport { problems: vec![], counts: vec![], repairs: vec![], valid: 48_210, advice: vec![], ..report() };
    insta::assert_snapshot!(CheckDesk::of(clean).drawn());
}

#[test]
fn what_cannot_be_read() {
    let nothing = CheckReport { bytes: 12, rows: 0, cut: None, ..CheckReport::default() };
    insta::assert_snapshot!("nothing", CheckDesk::of(nothing).drawn());
    let cut = CheckReport {
        cut: Some("the file has more than 3,000,000 rows; the rest was not looked at".into()),
        stop: Some("all prompts are the same".into()),
        ..report()
    };
    insta::assert_snapshot!("cut", CheckDesk::of(cut).drawn());
    let mut desk = CheckDesk::new("davinci", false);
    desk.done(Done::Failed("/home/me/data/support.jsonl does not exist\u{1b}".into()));
    insta::assert_snapshot!("failed", desk.drawn());
    assert_eq!(desk.keys("r"), Handled::Consumed);
    assert!(matches!(desk.effects.last(), Some(Effect::Work(_, Work::Check(_)))));
}

#[test]
fn what_is_written() {
    let mut desk = CheckDesk::of(report());
    desk.keys("w");
    let Some(Effect::Work(_, Work::Prepare(asked))) = desk.effects.last() else { panic!() };
    assert_eq!(asked.repairs, [RepairKind::BadRows, RepairKind::Duplicates, RepairKind::LeadingSpace]);
    assert_eq!(asked.split, Some(Split { share: Some(0.2), seed: SEED }));
    desk.done(Done::Moved { done: 90_000_000, total: 214_000_000 });
    insta::assert_snapshot!("writing", desk.drawn());
    let files = vec![
        ("/home/me/data/support_prepared_train.jsonl".into(), 38_397, 170_000_000),
        ("/home/me/data/support_prepared_valid.jsonl".into(), 9599, 43_000_000),
    ];
    desk.done(Done::Prepared(Box::new(Prepared { files, left_out: 214, ..Prepared::default() })));
    insta::assert_snapshot!("written", desk.drawn());
    let Handled::Emit(Event::Upload(paths)) = desk.keys("U") else { panic!() };
    assert_eq!(paths.len(), 2);
    // Another choice, and it has to be written again.
    desk.key(KeyCode::Tab);
    desk.keys("j ");
    assert_eq!(desk.keys("U"), Handled::Emit(Event::Upload(vec!["/home/me/data/sup\u{1b}port.jsonl".into()])));
    desk.keys("w");
    desk.done(Done::Prepared(Box::default()));
    for key in [">", "<", "s", "s"] {
        desk.page.run.phase = CheckPhase::Written(Box::default());
        desk.keys(key);
        assert!(matches!(desk.page.run.phase, CheckPhase::Checked), "{key}: what was written has another share");
    }
    desk.keys("w");
    let Some(Effect::Work(_, Work::Prepare(asked))) = desk.effects.last() else { panic!() };
    assert_eq!(asked.repairs, [RepairKind::BadRows, RepairKind::LeadingSpace]);
    desk.keys("s");
    assert!(desk.page.choices.held_out.is_some(), "not while it is written");
    assert_eq!(desk.key(KeyCode::Esc), Handled::Consumed, "the writing is stopped");
    assert!(matches!(desk.effects.last(), Some(Effect::Cancel(_))));
    assert_eq!(desk.key(KeyCode::Esc), Handled::Emit(Event::Closed));
    desk.keys("w");
    desk.done(Done::Failed("the disk is full".into()));
    insta::assert_snapshot!("not_written", desk.drawn());
}

#[test]
fn necessary_repairs_stay_and_rows_are_shown() {
    let mut desk = CheckDesk::of(report());
    assert_eq!(
        desk.key(KeyCode::Enter),
        Handled::Emit(Event::Show("/home/me/data/sup\u{1b}port.jsonl".into(), 1_204_400))
    );
    desk.keys("nnnn");
    assert_eq!(
        desk.key(KeyCode::Enter),
        Handled::Emit(Event::Show("/home/me/data/sup\u{1b}port.jsonl".into(), 4_190_200))
    );
    desk.keys("N");
    assert_eq!(desk.page.view.problems.selected, 1);
    desk.key(KeyCode::Tab);
    desk.keys(" ");
    assert!(desk.page.choices.accepted[0]);
    assert!(matches!(desk.effects.last(), Some(Effect::Notify(_))));
    let mut stopped = CheckDesk::of(CheckReport { stop: Some("all prompts are the same".into()), ..report() });
    stopped.keys("w");
    assert!(matches!(stopped.effects.last(), Some(Effect::Notify(_))), "and nothing is written");
    let mut table = CheckDesk::of(CheckReport { source: TrainingFormat::Csv, ..report() });
    assert_eq!(table.keys("U"), Handled::Consumed, "a table is no training file");
}

#[test]
fn what_training_costs() {
    let cost = |model: &str, local| {
        let mut desk = CheckDesk::new(model, local);
        desk.done(Done::Checked(Box::new(report())));
        desk.keys("++-");
        wording::cost(&desk.page)
    };
    let novel = |local| {
        let mut desk = CheckDesk::new("novel", local);
        desk.keys("mmm");
        desk.done(Done::Checked(Box::new(report())));
        desk.keys("++-");
        wording::cost(&desk.page)
    };
    // 6.9 million tokens, 5 epochs, at 0.03 dollars for a thousand.
    assert_eq!(cost("davinci", false), "5 epochs  ~$1035.00  prices as of 2023-03-14");
    let curie = "5 epochs  ~$103.50  prices as of 2023-03-14";
    assert_eq!(cost("novel", false), curie, "where the session's model is none that is trained");
    assert_eq!(novel(false), "5 epochs  —  price unknown");
    assert_eq!(cost("davinci", true), "5 epochs  free on the local service");
    let mut desk = CheckDesk::of(report());
    desk.keys(&"-".repeat(99));
    assert_eq!(desk.page.choices.epochs, 1);
    desk.keys(&"+".repeat(99));
    assert_eq!(desk.page.choices.epochs, choices::EPOCHS);
}

#[test]
fn the_figures_are_for_a_model_that_can_be_trained() {
    let first = |model: &str| CheckDesk::new(model, false).page.file.model.line().into_owned();
    for (session, model) in [
        ("davinci", "davinci"),
        ("gpt-3.5-turbo", "gpt-3.5-turbo"),
        ("curie:ft-acme-2023-03-01-00-00-00", "curie:ft-acme-2023-03-01-00-00-00"),
        ("ft:gpt-4o-mini:acme::x", "ft:gpt-4o-mini:acme::x"),
        ("gpt-4", "curie"),
        ("", "curie"),
    ] {
        assert_eq!(first(session), model, "{session}");
    }
    let local = CheckDesk::new("gpt-3.5-turbo", true).page.file.model;
    assert_eq!(local.line(), "curie", "as a new fine-tune there has it");
    let mut desk = CheckDesk::new("gpt-4", false);
    desk.done(Done::Checked(Box::new(report())));
    desk.key(KeyCode::Tab);
    desk.keys("j +");
    let mut seen = Vec::new();
    for _ in 0..6 {
        desk.keys("m");
        let Some(Effect::Work(_, Work::Check(check))) = desk.effects.last() else { panic!("it counts anew") };
        seen.push(check.model.line().into_owned());
        desk.done(Done::Checked(Box::new(report())));
        assert!(desk.drawn().contains(&format!("model     {}", seen.last().unwrap())));
    }
    assert_eq!(seen, ["davinci", "gpt-3.5-turbo", "gpt-4", "ada", "babbage", "curie"]);
    assert_eq!(desk.page.choices.accepted, [true, false, true, false], "what was chosen stays");
    assert_eq!((desk.page.choices.epochs, desk.page.view.pane), (5, CheckPane::Repairs));
    desk.keys("r");
    desk.done(Done::Checked(Box::new(report())));
    assert_eq!((desk.page.choices.accepted[1], desk.page.choices.epochs), (true, 4), "checked again, all is as it was");
}

#[test]
fn problems_do_not_look_like_success() {
    let theme = Theme::of(Kind::Dark, Depth::True);
    let style = |report: CheckReport, sign: &str| {
        let mut desk = CheckDesk::of(report);
        let mut terminal = Terminal::new(TestBackend::new(120, 36)).unwrap();
        let (session, now) = (desk.session.clone(), desk.now);
        desk.page.arrange(Rect::new(0, 0, 120, 36), &session, now);
        let context = RenderContext { session: &session, theme: &theme, now };
        terminal.draw(|frame| desk.page.render(frame, frame.area(), context)).unwrap();
        let buffer = terminal.backend().buffer();
        (0..120).map(|x| &buffer[(x, 1)]).find(|cell| cell.symbol() == sign).unwrap().fg
    };
    assert_eq!(Some(style(report(), "✕")), theme.bad.fg);
    let sound = || CheckReport { valid: 48_210, ..report() };
    assert_eq!(Some(style(sound(), "!")), theme.warn.fg);
    assert_eq!(Some(style(sound(), "✓")), theme.good.fg);
}

#[test]
fn advice_does_not_look_like_a_warning() {
    let desk = CheckDesk::of(report());
    let lines = figures::lines(&desk.page, 60);
    let (tone, _) = lines.iter().find(|(_, line)| line == "· fewer than 100 rows a class: add more").unwrap();
    assert_eq!(*tone, LineTone::Muted);
}

#[test]
fn a_repair_too_long_for_its_line_is_shown_as_a_whole() {
    let long = format!("{} and the end", "rows of two kinds are parted ".repeat(5));
    let mut desk =
        CheckDesk::of(CheckReport { repairs: vec![repair(RepairKind::BadRows, &long, false, true, None)], ..report() });
    desk.key(KeyCode::Tab);
    assert!(desk.drawn().contains("and the end"), "{}", desk.drawn());
}

#[test]
fn every_size_draws_and_keys_do_not_clash() {
    assert_eq!(keys::KEYS.keymap().clashes(), []);
    let theme = Theme::of(Kind::Dark, Depth::True);
    for phase in 0..3 {
        let mut desk = if phase == 0 { CheckDesk::new("m", false) } else { CheckDesk::of(report()) };
        if phase == 2 {
            desk.keys("w");
        }
        for pane in PANES {
            desk.page.view.pane = pane;
            for (width, height) in (1..130).flat_map(|width| [1, 2, 3, 5, 9, 12, 40].map(|height| (width, height))) {
                let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
                let session = desk.session.clone();
                let now = desk.now;
                desk.page.arrange(Rect::new(0, 0, width, height), &session, now);
                let context = RenderContext { session: &session, theme: &theme, now };
                terminal.draw(|frame| desk.page.render(frame, frame.area(), context)).unwrap();
            }
        }
    }
}

#[test]
fn the_check_is_for_the_model_that_is_tuned() {
    let mut desk = CheckDesk::new("gpt-4o-mini", false);
    desk.session.fine_tunes = Some(Dialect::FineTuning);
    desk.session.models = ["gpt-4o-mini", "gpt-4o", "text-embedding-3-small"].map(Into::into).to_vec();
    desk.page = desk.with(|_, cx| CheckPage::open("/home/me/a.jsonl", Vec::new(), cx));
    let asked = |desk: &CheckDesk| match desk.effects.last() {
        Some(Effect::Work(_, Work::Check(check))) => check.model.line().into_owned(),
        other => panic!("{other:?}"),
    };
    assert_eq!(asked(&desk), "gpt-4o-mini");
    desk.keys("m");
    assert_eq!(asked(&desk), "gpt-4o");
    desk.keys("m");
    assert_eq!(asked(&desk), "gpt-4o-mini", "what cannot be tuned is not offered");
}

#[test]
fn a_split_is_proposed_for_classes_and_what_requests_send_is_said() {
    let mut desk = CheckDesk::of(report());
    desk.keys("w");
    let files = vec![("/home/me/data/a_prepared.jsonl".into(), 9, 90)];
    let (prompt_end, completion_end) = (" ->".to_owned(), "\n".to_owned());
    desk.done(Done::Prepared(Box::new(Prepared { files, prompt_end, completion_end, ..Prepared::default() })));
    let shown = "end each prompt with “ ->” · stop “\\n”";
    assert!(desk.drawn().contains(shown), "{}", desk.drawn());
    // Whoever checks what was written sees it again.
    let ends = TextEnds { prompt: " ->".to_owned(), completion: "\n".to_owned() };
    let mut desk = CheckDesk::of(CheckReport { ends, task: Some(Task::Conditional), ..report() });
    assert_eq!(desk.page.choices.held_out, None, "only classes are split unasked");
    assert!(desk.drawn().contains(shown), "{}", desk.drawn());
}

#[test]
fn held_out_rows_are_counted_once_they_are_written() {
    let mut desk = CheckDesk::of(report());
    assert!(desk.drawn().contains("about 20% of rows held out"), "{}", desk.drawn());
    assert!(desk.drawn().contains("U then uploads them"), "{}", desk.drawn());
    desk.keys("w");
    let files = vec![("/home/me/a_train.jsonl".into(), 25, 90), ("/home/me/a_valid.jsonl".into(), 5, 10)];
    desk.done(Done::Prepared(Box::new(Prepared { files, ..Prepared::default() })));
    assert!(desk.drawn().contains("5 rows (17%) held out"), "{}", desk.drawn());
}

#[test]
fn labels_that_become_one_are_counted_as_one() {
    let same = vec![("Billing".to_owned(), "billing".to_owned()), (" Sales".to_owned(), "sales".to_owned())];
    let kind = RepairKind::Labels { same, begin: " ".into(), end: "\n".into() };
    let repairs = vec![repair(kind, "Write labels alike.", false, true, None)];
    let mut desk = CheckDesk::of(CheckReport {
        problems: vec![],
        repairs,
        classes: ClassRows { count: 4, ..report().classes },
        ..report()
    });
    assert!(desk.drawn().contains("classes   4, 2 once the labels are repaired"), "{}", desk.drawn());
    desk.keys(" ");
    assert!(!desk.drawn().contains("once the labels"), "the repair is not accepted: {}", desk.drawn());
}
