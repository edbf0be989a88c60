//! The page as it is used: keys and replies go in; calls, records and the screen are checked.

use std::sync::Arc;
use std::time::{Duration, Instant};

use crossterm::event::{KeyCode, KeyEvent};
use ratatui::Terminal;
use ratatui::backend::TestBackend;

use super::*;
use crate::api::call::{Call, Content, Failure, FailureKind, Progress, Reply};
use crate::api::chat::{ChatChoice, ChatCompletion, ChatDelta};
use crate::api::completion::{Completion, CompletionChoice, CompletionRequest, Prompt};
use crate::api::usage::Usage;
use crate::component::{Effect, Modals, Session};
use crate::record::answers::{ScoredRow, Source};
use crate::record::work::{Done, Export, Form, Work};
use crate::record::{Answer, LedgerRow, Record, Rows, Stored};
use crate::settings::ProfileId;
use crate::tokens::{Prices, Tariff};
use crate::ui::theme::{Depth, Kind, Theme};

const TUNED: &str = "curie:ft-acme-2023-04-18-09-48-38";
const BASE: &str = "curie";

struct Desk {
    score: EvaluationPage,
    /// The tab's dialogs.
    modals: Modals<EvaluationAnswer>,
    /// What is on disk.
    lists: Vec<TextList>,
    rows: Vec<TextRow>,
    answers: Vec<Answer>,
    session: Session,
    now: Instant,
    tickets: u64,
    sent: Vec<(Ticket, Call)>,
    cancelled: Vec<Ticket>,
    saved: Vec<(String, Form, Arc<[ScoredRow]>)>,
    bills: Vec<LedgerRow>,
    said: Vec<String>,
    file: String,
    /// Whether the store refuses what it is given.
    full: bool,
    /// What the full disk refused, which the store offers it again.
    refused: Vec<Effect>,
}

impl Desk {
    fn new(file: &str) -> Self {
        Self {
            score: EvaluationPage::default(),
            modals: Modals::default(),
            lists: Vec::new(),
            rows: Vec::new(),
            answers: Vec::new(),
            session: {
                let tariff = Tariff::new("https://api.openai.com/v1", &[], &[]);
                let prices = Prices::new([(ProfileId("work".into()), tariff)], jiff::civil::Date::default());
                Session { prices, ..Session::default() }
            },
            now: Instant::now(),
            tickets: 0,
            sent: Vec::new(),
            cancelled: Vec::new(),
            saved: Vec::new(),
            bills: Vec::new(),
            said: Vec::new(),
            file: file.to_owned(),
            full: false,
            refused: Vec::new(),
        }
    }

    fn facts(chat: bool) -> EvaluatedModels {
        EvaluatedModels {
            profile: ProfileId("work".into()),
            tuned: TUNED.into(),
            base: BASE.into(),
            chat,
            validation: Some(("file-v".into(), "valid.jsonl".into())),
        }
    }

    fn act<T>(&mut self, act: impl FnOnce(&mut EvaluationPage, &mut Cx) -> T) -> T {
        self.with_dialogs(|score, _, cx| act(score, cx))
    }

    /// Does something with the page and the dialogs over it, then opens the dialog that the page asks for.
    fn with_dialogs<T>(
        &mut self,
        act: impl FnOnce(&mut EvaluationPage, &mut Modals<EvaluationAnswer>, &mut Cx) -> T,
    ) -> T {
        let mut effects = Vec::new();
        let session = self.session.clone();
        // Ids of a later start are others.
        let unix = 1_700_000_000_000 + i64::try_from(self.tickets).unwrap();
        let mut cx = Cx::new(&session, self.now, unix, &mut self.tickets, &mut effects);
        let done = act(&mut self.score, &mut self.modals, &mut cx);
        if let Some(dialog) = self.score.take_dialog() {
            dialog.open(&mut self.modals);
        }
        for effect in effects {
            self.effect(effect);
        }
        done
    }

    fn effect(&mut self, effect: Effect) {
        match effect {
            Effect::Call(ticket, profile, call) => {
                assert_eq!(profile.0, "work");
                self.sent.push((ticket, call));
            }
            Effect::Cancel(ticket) => self.cancelled.push(ticket),
            Effect::TrySave(ticket, _) | Effect::Save(ticket, _) if self.full => {
                self.refused.push(effect);
                let mut stored = Stored::Waiting("the disk is full".into());
                self.act(|score, cx| score.handle_stored(ticket, &mut stored, cx));
            }
            Effect::TrySave(ticket, record) | Effect::Save(ticket, record) => {
                self.keep(record);
                self.act(|score, cx| score.handle_stored(ticket, &mut Stored::Committed, cx));
            }
            Effect::Load(ticket, query) => {
                let rows = match query {
                    Query::TextLists(Bench::Score) => Rows::TextLists(self.lists.clone()),
                    Query::Texts(id) => {
                        let list = self.lists.iter().find(|list| list.id == id).cloned();
                        Rows::Texts(list.map(|list| (list, self.rows.clone())))
                    }
                    Query::Answers(_) => Rows::Answers(self.answers.clone()),
                    other => panic!("{other:?}"),
                };
                let mut stored = Stored::Rows(rows);
                self.act(|score, cx| score.handle_stored(ticket, &mut stored, cx));
            }
            Effect::Work(ticket, work) => {
                let done = match work {
                    Work::Examples(source) => {
                        let text = match source {
                            Source::Bytes(bytes) => String::from_utf8(bytes.to_vec()).unwrap(),
                            Source::Path(_) => self.file.clone(),
                        };
                        held(&text)
                    }
                    Work::Count { texts, .. } => {
                        Done::Counted(true, texts.iter().map(|text| text.len() as u32 / 3 + 1).collect())
                    }
                    Work::Export { path, form, what: Export::Scores(rows) } => {
                        self.saved.push((path.clone(), form, rows));
                        Done::Saved(path.into())
                    }
                    Work::Paths(_) => Done::Paths(vec!["/held/valid.jsonl".into()]),
                    other => panic!("{other:?}"),
                };
                let mut response = Response::Work(done);
                self.with_dialogs(|score, modals, cx| {
                    let handled = modals.reply(ticket, &mut response, cx).and_then(|answer| score.answer(answer, cx));
                    if handled.is_ignored() { score.reply(ticket, &mut response, cx) } else { handled }
                });
            }
            Effect::Notify(notice) => self.said.push(notice.text.line().into_owned()),
            other => panic!("{other:?}"),
        }
    }

    fn keep(&mut self, record: Record) {
        match record {
            Record::Batch(all) => all.into_iter().for_each(|record| self.keep(record)),
            Record::TextList(list) => {
                self.lists.retain(|other| other.id != list.id);
                self.lists.push(*list);
            }
            Record::TextRows { rows, .. } => self.rows.extend(rows),
            Record::Answers(answers) => {
                assert!(!self.lists.is_empty(), "the list comes first");
                self.answers.extend(answers);
            }
            Record::Ledger(row) => self.bills.push(row),
            other => panic!("{other:?}"),
        }
    }

    fn code(&mut self, code: KeyCode) -> Handled<EvaluationEvent> {
        let key = KeyEvent::from(code);
        self.with_dialogs(|score, modals, cx| {
            let handled = modals.key(key, cx).and_then(|answer| score.answer(answer, cx));
            if handled.is_ignored() { score.key(key, cx) } else { handled }
        })
    }

    fn press(&mut self, keys: &str) {
        for key in keys.chars() {
            self.code(match key {
                '\n' => KeyCode::Enter,
                '\u{1b}' => KeyCode::Esc,
                key => KeyCode::Char(key),
            });
        }
    }

    /// Chooses the file and says that it may be sent.
    fn begin(&mut self, chat: bool) {
        self.act(|score, cx| score.open(Self::facts(chat), cx));
        self.press("/held/valid.jsonl\n");
        assert!(self.sent.is_empty(), "nothing is sent before somebody says so");
        self.picture(80, 24);
        self.press("y");
    }

    /// Answers every request under way, each prompt as `says` has it, until none are.
    fn run(&mut self, says: impl Fn(&str, &str) -> Option<String>) -> usize {
        let mut answered = 0;
        while !self.sent.is_empty() {
            let (ticket, call) = self.sent.remove(0);
            if self.cancelled.contains(&ticket) {
                continue;
            }
            answered += 1;
            match reply(&call, &says) {
                Some(reply) => {
                    self.act(|score, cx| score.handle_progress(ticket, &Progress::Reply(reply), cx));
                    self.act(|score, cx| score.handle_progress(ticket, &Progress::Closed(Ok(())), cx));
                }
                None => self.fail(ticket, FailureKind::Refused, Some(400)),
            }
        }
        answered
    }

    fn fail(&mut self, ticket: Ticket, kind: FailureKind, status: Option<u16>) {
        let why = Failure { status, ..Failure::new(kind, "the server said no") };
        self.act(|score, cx| score.handle_progress(ticket, &Progress::Closed(Err(why)), cx));
    }

    fn wait(&mut self, time: Duration) {
        self.now += time;
        if !self.full {
            for effect in std::mem::take(&mut self.refused) {
                self.effect(effect);
            }
        }
        self.act(EvaluationPage::tick);
    }

    fn opened(&self) -> &OpenEvaluation {
        let EvaluationPhase::Open(open) = &self.score.phase else { panic!("{:?}", self.score.phase) };
        open
    }

    fn picture(&mut self, width: u16, height: u16) -> String {
        let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
        let theme = Theme::of(Kind::Mono, Depth::Indexed);
        let area = terminal.get_frame().area();
        self.score.arrange(area, &self.session, self.now);
        self.modals.arrange(area, &self.session, self.now);
        let context = RenderContext { session: &self.session, theme: &theme, now: self.now };
        let draw = |frame: &mut Frame| {
            self.score.render(frame, area, context);
            self.modals.render(frame, area, context);
        };
        terminal.draw(draw).unwrap();
        let cells = terminal.backend().buffer().content();
        let rows = cells.chunks(usize::from(width));
        let rows =
            rows.map(|row| row.iter().map(ratatui::buffer::Cell::symbol).collect::<String>().trim_end().to_owned());
        rows.collect::<Vec<_>>().join("\n")
    }
}

/// Returns what the work threads make of a file.
fn held(text: &str) -> Done {
    let mut held = HeldOut { key: Some(crate::record::TextKey::of(&text.into())), ..HeldOut::default() };
    for (line, row) in (1..).zip(text.lines()) {
        let row: serde_json::Value = serde_json::from_str(row).unwrap();
        let (prompt, wanted) = match row["messages"].as_array() {
            None => (row["prompt"].as_str().unwrap().to_owned(), row["completion"].as_str().unwrap()),
            Some(all) => {
                held.chat = true;
                let (last, before) = all.split_last().unwrap();
                (serde_json::Value::from(before.to_vec()).to_string(), last["content"].as_str().unwrap())
            }
        };
        held.rows.push(crate::record::answers::HeldRow { line, prompt: prompt.into(), wanted: wanted.into() });
    }
    Done::Examples(Box::new(held))
}

fn reply(call: &Call, says: impl Fn(&str, &str) -> Option<String>) -> Option<Reply> {
    let usage =
        |rows: u64| Some(Usage { prompt_tokens: 10 * rows, completion_tokens: Some(2 * rows), ..Usage::default() });
    match call {
        Call::Complete(request) => {
            assert_eq!((request.temperature, request.stream), (Some(0.0), None));
            let prompts = match request.prompt.clone().unwrap() {
                Prompt::Text(one) => vec![one],
                Prompt::Texts(many) => many,
                other => panic!("{other:?}"),
            };
            let mut choices = Vec::new();
            for (index, prompt) in (0..).zip(&prompts) {
                let finish_reason = Some("stop".to_owned());
                choices.push(CompletionChoice {
                    text: says(&request.model, prompt)?,
                    index,
                    finish_reason,
                    ..CompletionChoice::default()
                });
            }
            // Answers may stand in any order.
            choices.reverse();
            Some(Reply::Completion(Completion { choices, usage: usage(prompts.len() as u64), ..Completion::default() }))
        }
        Call::Chat(request) => {
            let text = says(&request.model, &request.messages.last().unwrap().content.screen())?;
            let message = ChatDelta { content: Some(text), ..ChatDelta::default() };
            let choices = vec![ChatChoice { message, ..ChatChoice::default() }];
            Some(Reply::Chat(ChatCompletion { choices, usage: usage(1), ..ChatCompletion::default() }))
        }
        other => panic!("{other:?}"),
    }
}

/// Returns a file of so many rows: every third is `no`.
fn file(rows: usize) -> String {
    let row = |at: usize| {
        let wanted = if at.is_multiple_of(3) { " no\\n" } else { " yes\\n" };
        format!("{{\"prompt\":\"Is {at} fine? ->\",\"completion\":\"{wanted}\"}}\n")
    };
    (0..rows).map(row).collect()
}

/// Answers a prompt: the tuned model is wrong in row 4 only; the base says yes to all, with no blank before it.
fn says(model: &str, prompt: &str) -> Option<String> {
    let at: usize = prompt.chars().filter(char::is_ascii_digit).collect::<String>().parse().ok()?;
    Some(match model {
        BASE => "yes".to_owned(),
        _ if at.is_multiple_of(3) || at == 4 => " no".to_owned(),
        _ => " yes".to_owned(),
    })
}

fn requests(desk: &Desk) -> Vec<&CompletionRequest> {
    let mut all = Vec::new();
    for (_, call) in &desk.sent {
        if let Call::Complete(request) = call {
            all.push(&**request);
        }
    }
    all
}

#[test]
fn the_answers_to_a_row_scroll_no_further_than_their_end() {
    let mut desk = Desk::new(&file(3));
    desk.begin(false);
    desk.run(says);
    desk.press("\n");
    let top = desk.picture(80, 8);
    desk.press("jjjjjjjjjjjjjjjjjjjj");
    let end = desk.picture(80, 8);
    assert!(end.contains("Is 0 fine?") && end != top, "{end}");
    desk.press("k");
    assert_ne!(desk.picture(80, 8), end, "nor is the way back longer");
    desk.press("G");
    assert_eq!(desk.picture(80, 8), end);
    desk.press("g");
    assert_eq!(desk.picture(80, 8), top);
}

#[test]
fn the_pager_gets_the_row_that_is_shown_or_under_the_cursor_whole() {
    let mut desk = Desk::new(&file(3));
    desk.begin(false);
    let long = "yes ".repeat(20_000);
    desk.run(|model, _| Some(if model == BASE { long.clone() } else { " no\n\u{1b}".to_owned() }));
    desk.picture(80, 22);
    let read = |desk: &Desk| desk.score.readable(&desk.session).map(|text| text.screen().into_owned());
    let first = read(&desk).unwrap();
    assert!(first.starts_with("Line 1\n\nexpected\n no\n"), "{first}");
    assert!(first.contains(TUNED) && first.contains("\n no\n␛\n") && first.contains(&long), "nothing is cut");
    assert!(first.ends_with("\n\nprompt\nIs 0 fine? ->"));
    desk.press("\nnn");
    assert!(read(&desk).unwrap().starts_with("Line 3\n"));
}

#[test]
fn both_models_answer_all_rows_and_are_compared() {
    let mut desk = Desk::new(&file(30));
    desk.begin(false);
    let sent = requests(&desk);
    assert_eq!(sent.len(), 4, "two requests of several prompts for each model");
    assert_eq!(sent[0].stop, Some(crate::api::chat::Stop::Many(vec!["\n".into()])));
    assert!(sent.iter().all(|request| request.max_tokens == Some(10)), "{sent:?}");
    assert_eq!(desk.run(says), 4);
    let figures = &desk.opened().figures;
    assert_eq!(figures.models, [[30, 29, 29], [30, 20, 0]]);
    assert_eq!((figures.won, figures.lost), (10, 1));
    assert_eq!(desk.bills.len(), 4);
    assert_eq!(desk.bills.iter().map(|bill| bill.prompt_tokens).sum::<u64>(), 600);
    for (width, height) in [(120, 34), (80, 22), (40, 11)] {
        insta::assert_snapshot!(format!("done_{width}"), desk.picture(width, height));
    }
    desk.press("t");
    for (width, height) in [(120, 34), (80, 22), (40, 11)] {
        insta::assert_snapshot!(format!("classes_{width}"), desk.picture(width, height));
    }
    assert!(desk.score.readable(&desk.session).is_none(), "classes are no text");
    desk.press("tc");
    assert_eq!((desk.opened().filter, desk.opened().order.len(), desk.opened().order[0]), (RowFilter::Changed, 11, 4));
    desk.press("\n");
    for (width, height) in [(120, 34), (80, 22), (40, 11)] {
        insta::assert_snapshot!(format!("detail_{width}"), desk.picture(width, height));
    }
    desk.press("\u{1b}c");
    assert_eq!(desk.opened().order, [4]);
    desk.press("E\n");
    let (path, form, rows) = &desk.saved[0];
    assert_eq!((path.as_str(), *form, rows.len()), ("scores.csv", Form::Csv, 30));
    let verdicts = rows[4].answers.each_ref().map(|answer| answer.as_ref().map(|(_, verdict)| *verdict));
    assert_eq!((verdicts, rows[4].changed), ([Some("no"), Some("trimmed")], "lost"));
    desk.press("E.jsonl\n");
    assert_eq!((desk.saved[1].0.as_str(), desk.saved[1].1), ("scores.csv.jsonl", Form::Json));
}

use super::open_evaluation::RowFilter;

#[test]
fn the_question_and_the_choice_of_rows_as_pictures() {
    let mut desk = Desk::new(&file(30));
    desk.act(|score, cx| score.open(Desk::facts(false), cx));
    for (width, height) in [(120, 34), (80, 22), (40, 11)] {
        insta::assert_snapshot!(format!("choice_{width}"), desk.picture(width, height));
    }
    desk.press("/h\n");
    for (width, height) in [(120, 34), (80, 22), (40, 11)] {
        insta::assert_snapshot!(format!("question_{width}"), desk.picture(width, height));
    }
    desk.press("\n");
    assert!(!desk.modals.is_open() && desk.sent.is_empty(), "Enter alone sends nothing");
    desk.press("p");
    assert!(desk.modals.is_open());
}

#[test]
fn what_came_is_not_asked_again_after_a_restart() {
    let mut desk = Desk::new(&file(100));
    desk.begin(false);
    // Two of the requests are answered, then the program ends.
    for _ in 0..2 {
        let (ticket, call) = desk.sent.remove(0);
        let reply = reply(&call, says).unwrap();
        desk.act(|score, cx| score.handle_progress(ticket, &Progress::Reply(reply), cx));
    }
    let before = desk.opened().tally();
    assert_eq!((before.done, before.total), (32, 200));
    desk.act(EvaluationPage::before_quit);
    desk.score = EvaluationPage::default();
    desk.sent.clear();
    desk.act(|score, cx| score.open(Desk::facts(false), cx));
    assert_eq!(desk.opened().tally().done, 32);
    assert!(desk.sent.is_empty(), "nothing goes on by itself");
    desk.press("py");
    let asked: usize = {
        let mut asked = 0;
        let mut all = Vec::new();
        while !desk.sent.is_empty() {
            all.append(&mut desk.sent);
            let (ticket, call) = all.remove(0);
            if let Call::Complete(request) = &call {
                asked += match request.prompt.as_ref().unwrap() {
                    Prompt::Texts(many) => many.len(),
                    _ => 1,
                };
            }
            desk.act(|score, cx| score.handle_progress(ticket, &Progress::Reply(reply(&call, says).unwrap()), cx));
            all.append(&mut desk.sent);
            desk.sent = all;
            all = Vec::new();
        }
        asked
    };
    assert_eq!(asked, 168);
    assert_eq!(desk.opened().tally().done, 200);
    // The same rows chosen again are those that are scored.
    desk.press("f/held/valid.jsonl\n");
    assert!(desk.sent.is_empty() && !desk.modals.is_open());
    assert_eq!(desk.opened().tally().done, 200);
}

#[test]
fn esc_leaves_it_running_and_p_stops_and_goes_on() {
    let mut desk = Desk::new(&file(100));
    desk.begin(false);
    let under_way = desk.sent.len();
    // Whoever leaves the page does not stop it.
    assert_eq!(desk.score.escape(), Some("close"));
    let esc = KeyEvent::from(KeyCode::Esc);
    assert_eq!(desk.act(|score, cx| score.key(esc, cx)), Handled::Emit(EvaluationEvent::Close));
    assert!(desk.cancelled.is_empty() && desk.score.badge().is_some());
    desk.act(|score, cx| score.open(Desk::facts(false), cx));
    desk.press("p");
    assert_eq!(desk.cancelled.len(), under_way);
    assert!(desk.picture(80, 22).contains('‖'), "{}", desk.picture(80, 22));
    desk.sent.clear();
    desk.press("p");
    assert_eq!(desk.sent.len(), under_way, "no question twice");
    desk.run(says);
    assert_eq!(desk.opened().tally().done, 200);
}

#[test]
fn a_server_that_takes_one_prompt_a_request_gets_one() {
    let mut desk = Desk::new(&file(20));
    desk.begin(false);
    while let Some(at) = desk.sent.iter().position(|(_, call)| is_many(call)) {
        let (ticket, _) = desk.sent.remove(at);
        desk.fail(ticket, FailureKind::Refused, Some(400));
    }
    assert_eq!(desk.run(says), 40);
    assert_eq!(desk.opened().figures.models[0], [20, 19, 19]);
}

fn is_many(call: &Call) -> bool {
    matches!(call, Call::Complete(request) if matches!(request.prompt, Some(Prompt::Texts(_))))
}

#[test]
fn rows_that_come_to_nothing_are_named_and_tried_again() {
    let mut desk = Desk::new(&file(3));
    desk.begin(false);
    let no = |model: &str, prompt: &str| if prompt.contains('1') { None } else { says(model, prompt) };
    desk.run(no);
    desk.wait(Duration::from_secs(1));
    assert_eq!(desk.opened().tally().failed, 2);
    desk.press("ccc");
    let picture = desk.picture(120, 30);
    assert!(picture.contains("the server said no") && picture.contains("without an answer"), "{picture}");
    desk.press("R");
    desk.run(says);
    assert_eq!((desk.opened().tally().failed, desk.opened().tally().done), (0, 6));
}

#[test]
fn a_limit_waits_and_goes_on_by_itself() {
    let mut desk = Desk::new(&file(3));
    desk.begin(false);
    let all: Vec<Ticket> = desk.sent.drain(..).map(|(ticket, _)| ticket).collect();
    for ticket in all {
        desk.fail(ticket, FailureKind::RateLimit, Some(429));
    }
    let picture = desk.picture(120, 30);
    assert!(picture.contains("the server said no") && picture.contains("retry in 5 s"), "{picture}");
    assert!(desk.sent.is_empty());
    desk.wait(Duration::from_secs(6));
    desk.run(says);
    assert_eq!(desk.opened().tally().done, 6);
}

#[test]
fn a_full_disk_loses_nothing_and_says_so() {
    let mut desk = Desk::new(&file(3));
    desk.begin(false);
    desk.full = true;
    desk.run(says);
    assert!(desk.picture(120, 30).contains("not saved: the disk is full"));
    let said = desk.score.quit_warning().unwrap_or_default();
    assert!(said.starts_with("Some scoring answers could not be saved: "), "{said}");
    assert!(said.ends_with("what still cannot be saved is lost."), "{said}");
    assert_eq!(desk.opened().tally().done, 0, "it is not there before it is on disk");
    desk.full = false;
    desk.wait(Duration::from_secs(6));
    assert_eq!(desk.opened().tally().done, 6);
    assert!(desk.score.quit_warning().is_none());
    assert_eq!(desk.bills.len(), 2, "each answer is billed once");
}

#[test]
fn messages_of_the_validation_file_are_asked_one_by_one() {
    let chat = |at: usize| {
        format!(
            r#"{{"messages":[{{"role":"system","content":"s"}},{{"role":"user","content":"{at}"}},{{"role":"assistant","content":"A{at}"}}]}}"#
        )
    };
    let text: String = (0..6).map(|at| chat(at) + "\n").collect();
    let mut desk = Desk::new("");
    desk.act(|score, cx| score.open(Desk::facts(true), cx));
    desk.press("\n");
    let (ticket, call) = desk.sent.remove(0);
    let Call::Content(span) = &call else { panic!("{call:?}") };
    assert_eq!((span.id.as_str(), span.from), ("file-v", 0));
    let bytes = text.into_bytes();
    let content = Content { from: 0, total: Some(bytes.len() as u64), bytes, ranges: true };
    desk.act(|score, cx| score.handle_progress(ticket, &Progress::Reply(Reply::Content(content)), cx));
    desk.act(|score, cx| score.handle_progress(ticket, &Progress::Closed(Ok(())), cx));
    assert!(desk.sent.is_empty());
    desk.press("y");
    let Some((_, Call::Chat(request))) = desk.sent.first() else { panic!() };
    assert_eq!((request.messages.len(), request.messages[0].role.as_str()), (2, "system"));
    assert_eq!(desk.run(|_, prompt| Some(format!("A{prompt}"))), 12);
    assert_eq!(desk.opened().figures.models, [[6, 6, 6], [6, 6, 6]]);
    assert!(desk.opened().figures.classes.is_empty());
}

#[test]
fn no_size_is_too_small_to_draw() {
    let mut desk = Desk::new(&file(30));
    desk.begin(false);
    desk.run(says);
    for keys in ["", "t", "t\n", "\u{1b}E"] {
        desk.press(keys);
        for width in 1..70 {
            for height in [1, 2, 3, 5, 9, 20] {
                desk.picture(width, height);
            }
        }
    }
}
