//! A held-out file scored with a tuned model and its base: the whole workbench over a real store, real work threads,
//! the real client and the local service.
#![allow(unreachable_pub, missing_docs, clippy::unwrap_used, clippy::expect_used)]

use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

use benchtop::api::call::{Call, Progress, Reply, Ticket, Upload};
use benchtop::api::fine_tune::FineTuneRequest;
use benchtop::app::{App, Effect, Event, Profile, Start};
use benchtop::client::Client;
use benchtop::component::Session;
use benchtop::record::{Bench, Query, Rows, Stored};
use benchtop::service::{Keys, Options, start};
use benchtop::settings::{Endpoint, ProfileId};
use benchtop::store::Store;
use benchtop::tabs::{self};
use benchtop::ui::theme::{Appearance, Depth, Kind};
use benchtop::work::Workers;
use crossterm::event::{Event as Input, KeyCode, KeyEvent, KeyModifiers};
use ratatui::Terminal;
use ratatui::backend::TestBackend;

const LIMIT: Duration = Duration::from_mins(10);
const KEY: &str = "sk-local-test";
const FRUITS: [&str; 12] =
    ["apple", "pear", "plum", "cherry", "grape", "lemon", "melon", "peach", "fig", "mango", "kiwi", "lime"];
const TOOLS: [&str; 12] =
    ["hammer", "saw", "drill", "wrench", "chisel", "pliers", "file", "axe", "clamp", "plane", "spade", "rake"];

/// A workbench whose effects are carried out.
struct Desk {
    app: App,
    store: Store,
    workers: Workers,
    client: Client,
    endpoint: Arc<Endpoint>,
    events: Receiver<Event>,
    /// Calls made, but for the model list.
    asked: usize,
    start: Instant,
}

impl Desk {
    fn new(endpoint: &Arc<Endpoint>, home: &std::path::Path) -> Self {
        let (send, events) = channel();
        let tell = |send: &Sender<Event>| send.clone();
        let (stored, worked, told) = (tell(&send), tell(&send), send);
        let store = Store::open(&home.join("benchtop.db"), move |ticket: Ticket, answer: Stored| {
            stored.send(Event::Stored(ticket, answer)).unwrap_or_default();
        })
        .unwrap();
        let workers = Workers::spawn(move |ticket, done| worked.send(Event::Worked(ticket, done)).unwrap_or_default());
        let (client, mut progress) = Client::spawn();
        std::thread::spawn(move || {
            while let Some((ticket, news)) = progress.blocking_recv() {
                if told.send(Event::Progress(ticket, news)).is_err() {
                    break;
                }
            }
        });
        let profile = ProfileId("work".into());
        let session = Session { profile: profile.clone(), profile_name: "work".into(), ..Session::default() };
        let start = Start {
            tabs: tabs::all(),
            appearance: Appearance::fixed(Kind::Mono, Depth::Indexed),
            session,
            profiles: vec![Profile { id: profile, name: "work".into(), ..Profile::default() }],
            mouse: false,
            warnings: Vec::new(),
        };
        let now = Instant::now();
        let mut desk = Self {
            app: App::new(start, now, unix()),
            store,
            workers,
            client,
            endpoint: Arc::clone(endpoint),
            events,
            asked: 0,
            start: now,
        };
        desk.event(Event::Started);
        desk
    }

    fn event(&mut self, event: Event) {
        let effects = self.app.update(event, Instant::now(), unix());
        self.take(effects);
    }

    fn take(&mut self, effects: Vec<Effect>) {
        for effect in effects {
            match effect {
                Effect::Call(ticket, _, call) => {
                    self.asked += usize::from(matches!(call, Call::Complete(_)));
                    self.client.call(ticket, Arc::clone(&self.endpoint), call);
                }
                Effect::Cancel(ticket) => {
                    self.client.cancel(ticket);
                    self.workers.cancel(ticket);
                }
                Effect::TrySave(ticket, record) => self.store.try_save(ticket, record),
                Effect::Save(ticket, record) => self.store.save(ticket, record),
                Effect::Load(ticket, query) => self.store.load(ticket, query),
                Effect::Work(ticket, work) => self.workers.send(ticket, work),
                _ => {}
            }
        }
    }

    fn press(&mut self, keys: &str) {
        for key in keys.chars() {
            // As fast as a person types: keys that come faster are a paste.
            std::thread::sleep(Duration::from_millis(30));
            let (code, modifiers) = match key {
                '\n' => (KeyCode::Enter, KeyModifiers::NONE),
                '\u{1b}' => (KeyCode::Esc, KeyModifiers::NONE),
                '⁶' => (KeyCode::Char('6'), KeyModifiers::ALT),
                key => (KeyCode::Char(key), KeyModifiers::NONE),
            };
            self.screen();
            self.event(Event::Input(Input::Key(KeyEvent::new(code, modifiers))));
        }
    }

    /// Waits until the screen shows something.
    fn shows(&mut self, words: &str) -> String {
        loop {
            let screen = self.screen();
            if screen.contains(words) {
                return screen;
            }
            assert!(self.start.elapsed() < LIMIT, "no “{words}”:\n{screen}");
            let wait =
                self.app.due().map_or(Duration::from_secs(5), |due| due.saturating_duration_since(Instant::now()));
            match self.events.recv_timeout(wait.min(Duration::from_secs(5))) {
                Ok(event) => self.event(event),
                Err(RecvTimeoutError::Timeout) => {
                    let effects = self.app.tick(Instant::now(), unix());
                    self.take(effects);
                }
                Err(RecvTimeoutError::Disconnected) => panic!("all is over"),
            }
        }
    }

    fn screen(&mut self) -> String {
        let mut terminal = Terminal::new(TestBackend::new(120, 36)).unwrap();
        terminal.draw(|frame| self.app.render(frame, Instant::now())).unwrap();
        let cells = terminal.backend().buffer().content();
        let rows = cells.chunks(120);
        rows.map(|row| row.iter().map(ratatui::buffer::Cell::symbol).collect::<String>() + "\n").collect()
    }
}

fn unix() -> i64 {
    std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_millis() as i64
}

fn rows(words: &[&str], answer: &str) -> String {
    let row = |word: &&str| format!("{{\"prompt\":\"{word} ->\",\"completion\":\" {answer}\\n\"}}\n");
    words.iter().map(row).collect()
}

/// Makes a call; its replies.
async fn call(
    client: &Client,
    progress: &mut tokio::sync::mpsc::Receiver<(Ticket, Progress)>,
    endpoint: &Arc<Endpoint>,
    call: Call,
) -> Reply {
    client.call(Ticket(u64::MAX), Arc::clone(endpoint), call);
    let mut last = None;
    while let Some((_, news)) = tokio::time::timeout(LIMIT, progress.recv()).await.expect("it answers") {
        match news {
            Progress::Reply(reply) => last = Some(reply),
            Progress::Closed(end) => {
                end.unwrap();
                break;
            }
            _ => {}
        }
    }
    last.expect("a reply")
}

#[tokio::test(flavor = "multi_thread")]
async fn both_models_are_asked_once_about_every_row() {
    let home = tempfile::tempdir().unwrap();
    let options = Options {
        keys: Some(Keys::single(KEY.to_owned().into())),
        data: Some(home.path().join("service")),
        ..Options::default()
    };
    let service = start(options).await.unwrap();
    let endpoint = Arc::new(Endpoint::new(service.base_url(), Some(KEY.to_owned().into())));
    let train = home.path().join("train.jsonl");
    std::fs::write(&train, rows(&FRUITS[..9], "fruit") + &rows(&TOOLS[..9], "tool")).unwrap();
    let (client, mut progress) = Client::spawn();
    let upload = Upload { path: train.clone(), name: "train.jsonl".into(), purpose: "fine-tune".into() };
    let Reply::Uploaded(file, _) = call(&client, &mut progress, &endpoint, Call::Upload(Box::new(upload))).await else {
        panic!("no file")
    };
    let request = FineTuneRequest {
        training_file: file.id.clone(),
        model: Some("ada".into()),
        n_epochs: Some(4),
        ..FineTuneRequest::default()
    };
    let Reply::Job(mut job) = call(&client, &mut progress, &endpoint, Call::CreateJob(Box::new(request))).await else {
        panic!("no job")
    };
    while !job.status.is_finished() {
        tokio::time::sleep(Duration::from_millis(200)).await;
        let Reply::Job(next) = call(&client, &mut progress, &endpoint, Call::Job(job.id.clone())).await else {
            panic!()
        };
        job = next;
    }
    let held = home.path().join("held.jsonl");
    // Some of what it has learned, and what neither has seen.
    std::fs::write(&held, rows(&FRUITS[6..], "fruit") + &rows(&TOOLS[6..], "tool")).unwrap();

    let (path, shared, db) = (held.display().to_string(), Arc::clone(&endpoint), home.path().to_owned());
    let worked = tokio::task::spawn_blocking(move || {
        let mut desk = Desk::new(&shared, &db);
        desk.press("\u{1b}⁶");
        desk.shows("ada:ft-");
        desk.press("T");
        desk.shows("Held-out rows");
        desk.press(&path);
        desk.press("\n");
        desk.shows("Send these rows to both models?");
        assert_eq!(desk.asked, 0, "nothing is sent before somebody says so");
        desk.press("y");
        let screen = desk.shows("24 answers  ✓");
        // Answers are kept as they come.
        desk.shows("saved ✓");
        assert!(desk.store.close());
        (desk.asked, screen)
    });
    let (asked, screen) = worked.await.unwrap();
    assert_eq!(asked, 2, "several prompts in one request to each model:\n{screen}");
    assert!(screen.contains("correct (") && screen.contains("of 12"), "{screen}");

    // A copy that starts later has them all, and asks nothing again.
    let (send, answers) = channel();
    let store = Store::open(&home.path().join("benchtop.db"), move |_, stored| send.send(stored).unwrap_or_default());
    let store = store.unwrap();
    let load = |query| {
        store.load(Ticket(1), query);
        match answers.recv_timeout(LIMIT).unwrap() {
            Stored::Rows(rows) => rows,
            other => panic!("{other:?}"),
        }
    };
    let Rows::TextLists(lists) = load(Query::TextLists(Bench::Score)) else { panic!() };
    assert_eq!((lists.len(), lists[0].rows), (1, 12));
    let Rows::Answers(kept) = load(Query::Answers(lists[0].id)) else { panic!() };
    assert_eq!(kept.len(), 24);
    assert!(kept.iter().all(|answer| answer.finish == "stop" || answer.finish == "length"), "{kept:?}");
    service.stop().await;
}
