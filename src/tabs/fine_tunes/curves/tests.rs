//! The page as it is drawn.

use std::time::Instant;

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::layout::Rect;

use super::CurvesPage;
use crate::api::call::{Call, Content, Failure, FailureKind, Progress, Reply, Ticket};
use crate::api::job::{Job, JobEvent, JobFile, JobSettings, JobStatus};
use crate::component::{Component, Cx, Effect, Handled, Notice, RenderContext, Response, Session};
use crate::dataset::read_curves;
use crate::record::work::{Done, Work};
use crate::settings::ProfileId;
use crate::ui::theme::{Depth, Kind, Theme};

/// The page with all around it that it asks.
struct Desk {
    plot: CurvesPage,
    session: Session,
    tickets: u64,
    effects: Vec<Effect>,
    theme: Theme,
}

impl Desk {
    fn new() -> Self {
        let theme = Theme::of(Kind::Mono, Depth::None);
        Self { plot: CurvesPage::default(), session: Session::default(), tickets: 0, effects: Vec::new(), theme }
    }

    fn with<T>(&mut self, act: impl FnOnce(&mut CurvesPage, &mut Cx) -> T) -> T {
        let mut cx = Cx::new(&self.session, Instant::now(), 0, &mut self.tickets, &mut self.effects);
        act(&mut self.plot, &mut cx)
    }

    /// Opens a local file with these contents.
    fn open(&mut self, name: &str, bytes: &[u8]) {
        self.with(|plot, cx| plot.open(name, cx));
        self.work(name, bytes);
    }

    /// Does the work that was asked for last.
    fn work(&mut self, name: &str, bytes: &[u8]) {
        let (ticket, bytes) = match self.effects.pop() {
            Some(Effect::Work(ticket, Work::Curves { .. })) => (ticket, bytes.to_vec()),
            Some(Effect::Work(ticket, Work::CurvesOf { bytes, .. })) => (ticket, bytes.to_vec()),
            other => panic!("no work: {other:?}"),
        };
        let curves = read_curves(name.into(), &bytes, &mut |_| true);
        assert!(self.with(|plot, _| plot.handle_worked(ticket, &Done::Curves(Box::new(curves)))));
    }

    /// Answers the call for a result file.
    fn fetch(&mut self, bytes: &[u8]) {
        let Some(Effect::Call(ticket, _, Call::Content(span))) = self.effects.pop() else { panic!("no call") };
        assert_eq!(span.from, 0);
        let content = Content { from: 0, bytes: bytes.to_vec(), total: Some(bytes.len() as u64), ranges: true };
        self.handle_progress(ticket, &Progress::Reply(Reply::Content(content)));
        self.handle_progress(ticket, &Progress::Closed(Ok(())));
        self.work("compiled_results.csv", &[]);
    }

    fn handle_progress(&mut self, ticket: Ticket, progress: &Progress) {
        assert!(self.with(|plot, cx| plot.handle_progress(ticket, progress, cx)));
    }

    fn keys(&mut self, keys: &str) {
        for key in keys.split(' ') {
            let code = match key {
                "left" => KeyCode::Left,
                "right" => KeyCode::Right,
                "home" => KeyCode::Home,
                "end" => KeyCode::End,
                "esc" => KeyCode::Esc,
                key => KeyCode::Char(key.chars().next().unwrap()),
            };
            let ask = self.with(|plot, cx| plot.key(KeyEvent::new(code, KeyModifiers::NONE), cx));
            assert_eq!(ask, Handled::Consumed, "{key}");
        }
    }

    fn picture(&mut self, width: u16, height: u16) -> String {
        let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
        let area = Rect::new(0, 0, width, height);
        let context = RenderContext { session: &self.session, theme: &self.theme, now: Instant::now() };
        self.plot.set_focus(true);
        self.plot.arrange(area, context.session, context.now);
        terminal.draw(|frame| self.plot.render(frame, area, context)).unwrap();
        let cells = terminal.backend().buffer().content();
        let line = |row: &[ratatui::buffer::Cell]| {
            row.iter().map(ratatui::buffer::Cell::symbol).collect::<String>().trim_end().to_owned()
        };
        cells.chunks(usize::from(width)).map(line).collect::<Vec<_>>().join("\n")
    }

    /// Checks the page as it is drawn in windows of 120 × 36, 80 × 24 and 40 × 12.
    fn pictures(&mut self, name: &str) {
        for (width, height) in [(81, 22), (80, 18), (40, 10)] {
            let picture = self.picture(width, height);
            insta::assert_snapshot!(format!("{name}_{width}x{height}"), picture);
        }
    }
}

fn job(id: &str, suffix: &str, status: JobStatus) -> Job {
    let file = |name: &str| JobFile { id: format!("file-{name}"), filename: name.to_owned(), bytes: Some(1000) };
    Job {
        id: id.to_owned(),
        model: "ada".to_owned(),
        status,
        suffix: (!suffix.is_empty()).then(|| suffix.to_owned()),
        settings: JobSettings {
            n_epochs: Some(4),
            batch_size: Some(1),
            learning_rate_multiplier: Some(0.1),
            prompt_loss_weight: Some(0.01),
        },
        training_files: vec![file("train-v3.jsonl")],
        validation_files: vec![file("valid-v3.jsonl")],
        ..Job::default()
    }
}

fn done(job: Job) -> Job {
    let result = JobFile { id: "file-r".to_owned(), filename: "compiled_results.csv".to_owned(), bytes: None };
    Job { status: JobStatus::Succeeded, result_files: vec![result], ..job }
}

/// Returns a number between 0 and 1 that looks like any other.
fn noise(at: u64) -> f64 {
    let mixed = (at + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    ((mixed ^ (mixed >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9) >> 40) as f64 / f64::from(1 << 24)
}

fn train(step: u64) -> f64 {
    0.4 + 2.6 * (-(step as f64) / 200.0).exp() + 0.3 * noise(step) * (-(step as f64) / 2000.0).exp()
}

fn valid(step: u64) -> f64 {
    0.5 + 2.3 * (-(step as f64) / 180.0).exp() + 0.0004 * (step as f64 - 780.0).abs()
}

fn event(step: u64) -> JobEvent {
    let mut metrics = vec![("step".to_owned(), step as f64), ("train_loss".to_owned(), train(step))];
    if step.is_multiple_of(60) {
        metrics.push(("valid_loss".to_owned(), valid(step)));
    }
    metrics.push(("total_steps".to_owned(), 2100.0));
    JobEvent { metrics, ..JobEvent::default() }
}

fn legacy(steps: u64) -> Vec<u8> {
    let header = "step,elapsed_tokens,elapsed_examples,training_loss,training_sequence_accuracy,\
training_token_accuracy,validation_loss,validation_sequence_accuracy,validation_token_accuracy,\
classification/accuracy,classification/weighted_f1_score\n";
    let row = |step: u64| {
        let evaluated = if step.is_multiple_of(60) {
            format!("{:.7},0.5,{},{},0.7", valid(step), 1.0 - valid(step) / 3.0, 1.0 - valid(step) / 4.0)
        } else {
            ",,,,".to_owned()
        };
        let (tokens, examples) = (step * 5568, step * 16);
        format!("{step},{tokens},{examples},{:.7},0.0,{:.6},{evaluated}\n", train(step), noise(step))
    };
    (header.to_owned() + &(1..=steps).map(row).collect::<Vec<_>>().concat()).into_bytes()
}

fn local() -> ProfileId {
    ProfileId::local()
}

#[test]
fn results_that_were_asked_for_are_announced_when_they_are_loaded() {
    let mut desk = Desk::new();
    let profile = ProfileId("work".into());
    let job = done(job("ft-8Qk", "support-v3", JobStatus::Running));
    desk.with(|plot, cx| plot.show(&profile, &[&job], cx));
    let Some(Effect::Call(ticket, _, Call::Content(_))) = desk.effects.pop() else { panic!("no call") };
    desk.with(|plot, cx| plot.announce(&profile, "ft-8Qk", cx));
    assert_eq!(desk.effects, [], "nothing is loaded yet");
    let bytes = legacy(300);
    let content = Content { from: 0, total: Some(bytes.len() as u64), bytes, ranges: true };
    desk.handle_progress(ticket, &Progress::Reply(Reply::Content(content)));
    desk.handle_progress(ticket, &Progress::Closed(Ok(())));
    let Some(Effect::Work(ticket, Work::CurvesOf { bytes, .. })) = desk.effects.pop() else { panic!("no work") };
    let curves = read_curves("r.csv".into(), &bytes, &mut |_| true);
    let mut read = Response::Work(Done::Curves(Box::new(curves)));
    assert_eq!(desk.with(|plot, cx| plot.reply(ticket, &mut read, cx)), Handled::Consumed);
    let said = Notice::ok("results loaded: 300 steps").about("results");
    assert_eq!(desk.effects.pop(), Some(Effect::Notify(said.clone())));
    desk.with(|plot, cx| plot.announce(&profile, "ft-8Qk", cx));
    assert_eq!(desk.effects.pop(), Some(Effect::Notify(said)), "they are here already");
}

#[test]
fn a_job_that_runs() {
    let mut desk = Desk::new();
    let job = job("ft-8QkAbCdEfGhIjKlMnOpQrStU", "support-v3", JobStatus::Running);
    desk.with(|plot, cx| plot.show(&local(), &[&job], cx));
    assert!(desk.effects.is_empty(), "there is no result file yet");
    desk.pictures("nothing_yet");
    let events: Vec<JobEvent> = (1..=62).map(|step| event(step * 20)).collect();
    desk.plot.events(&local(), &job.id, &events);
    desk.pictures("live");
    desk.keys("s");
    desk.pictures("live_smooth");
    desk.keys("s s left left left left");
    desk.pictures("live_cursor");
}

#[test]
fn a_job_that_is_done() {
    let mut desk = Desk::new();
    let running = job("ft-8QkAbCdEfGhIjKlMnOpQrStU", "", JobStatus::Running);
    desk.with(|plot, cx| plot.show(&local(), &[&running], cx));
    desk.plot.events(&local(), &running.id, &[event(20), event(40), event(1241)]);
    let over = done(running);
    desk.with(|plot, cx| plot.job(&local(), &over, cx));
    assert!(desk.picture(80, 18).contains("loading the result file"));
    desk.fetch(&legacy(1240));
    assert!(desk.effects.is_empty());
    desk.pictures("result");
    desk.keys("z end z z left . .");
    desk.pictures("zoomed");
    desk.keys("esc esc l");
    desk.pictures("log");
    desk.keys("v v");
    desk.pictures("sequences");
    desk.keys("v");
    desk.pictures("classification");
    // All metrics there are, then the first again.
    desk.keys("v v");
    assert!(desk.picture(80, 18).contains("Loss"));
    // The same job again asks for nothing.
    desk.with(|plot, cx| plot.job(&local(), &over, cx));
    assert!(desk.effects.is_empty());
}

#[test]
fn several_jobs_and_their_differences() {
    let mut desk = Desk::new();
    let mut jobs: Vec<Job> = ["a", "b", "c", "d", "e", "f"]
        .into_iter()
        .map(|name| job(&format!("ft-{}", name.repeat(24)), &format!("support-{name}"), JobStatus::Running))
        .collect();
    jobs[1].settings.n_epochs = Some(2);
    jobs[1].model = "davinci".to_owned();
    jobs[2].settings.learning_rate_multiplier = None;
    jobs[2].status = JobStatus::Failed;
    for (at, job) in jobs.iter().enumerate() {
        let slow = 1.0 + at as f64 * 0.3;
        let events = (1..=40).map(|step: u64| {
            let mut event = event(step * 30);
            event.metrics.iter_mut().filter(|(name, _)| name.ends_with("loss")).for_each(|(_, loss)| *loss *= slow);
            event
        });
        desk.plot.events(&local(), &job.id, &events.collect::<Vec<_>>());
    }
    let two: Vec<&Job> = jobs.iter().take(2).collect();
    desk.with(|plot, cx| plot.show(&local(), &two, cx));
    desk.pictures("two");
    desk.keys("end left");
    desk.pictures("two_cursor");
    let three: Vec<&Job> = jobs.iter().take(3).collect();
    desk.with(|plot, cx| plot.show(&local(), &three, cx));
    desk.keys("d");
    desk.pictures("differences");
    let six: Vec<&Job> = jobs.iter().collect();
    desk.with(|plot, cx| plot.show(&local(), &six, cx));
    desk.keys("w");
    desk.pictures("six");
}

#[test]
fn files_of_the_disk() {
    let mut desk = Desk::new();
    desk.pictures("empty");
    desk.open("results.csv", &legacy(300));
    desk.open("faulty.csv", b"step,train_loss,loss_x\n1,2.5,1\n2,abc,2\n3,1.5,3\n4,inf,x\n5,0,4\n6,0.5,5\n");
    desk.keys("l");
    desk.pictures("files");
    desk.keys("t");
    desk.pictures("notes");
    desk.with(CurvesPage::clear_files);
    assert!(desk.plot.is_empty());
    desk.open("other.csv", b"loss_x,b\n1,2\n3,\x1b[2J\n");
    desk.keys("t t");
    desk.pictures("unknown");
    assert!(!desk.picture(80, 18).contains('\u{1b}'));
}

#[test]
fn what_fails_is_said_and_asked_again() {
    let mut desk = Desk::new();
    let job = done(job("ft-1", "", JobStatus::Running));
    desk.with(|plot, cx| plot.show(&local(), &[&job], cx));
    let Some(Effect::Call(ticket, profile, Call::Content(_))) = desk.effects.pop() else { panic!("no call") };
    assert_eq!(profile, local());
    let failure = Failure::new(FailureKind::Offline, "the server is not reachable");
    desk.handle_progress(ticket, &Progress::Closed(Err(failure)));
    desk.pictures("failed");
    desk.keys("r");
    desk.fetch(b"step,train_loss,train_accuracy\n1,0.5,0.5\n");
    desk.pictures("one_point");
    // Tickets of others are left to them.
    assert!(!desk.with(|plot, cx| plot.handle_progress(Ticket(999), &Progress::Closed(Ok(())), cx)));
    assert!(!desk.with(|plot, _| plot.handle_worked(Ticket(999), &Done::Failed("no".into()))));
    desk.with(|plot, cx| plot.open("/nowhere.csv", cx));
    let Some(Effect::Work(ticket, _)) = desk.effects.pop() else { panic!("no work") };
    let why = Done::Failed("cannot open /nowhere.csv: there is no such file".into());
    assert!(desk.with(|plot, _| plot.handle_worked(ticket, &why)));
    assert!(desk.picture(80, 18).contains("✕ cannot open /nowhere.csv: there is no such file · r try again"));
}

#[test]
fn esc_peels_one_layer_after_the_other() {
    let mut desk = Desk::new();
    desk.open("a.csv", &legacy(100));
    desk.picture(80, 18);
    desk.keys("end z d");
    for does in ["curves", "no cursor", "all steps"] {
        assert_eq!(desk.plot.escape(), Some(does));
        desk.keys("esc");
    }
    assert_eq!(desk.plot.escape(), None);
    let esc = KeyEvent::new(KeyCode::Esc, KeyModifiers::NONE);
    assert_eq!(desk.with(|plot, cx| plot.key(esc, cx)), Handled::Emit(()));
}

#[test]
fn a_rise_is_said_only_where_there_is_a_trend() {
    let since = |losses: &[f64]| {
        let points: Vec<(f64, f64)> = losses.iter().zip(1..).map(|(loss, step)| (f64::from(step), *loss)).collect();
        super::trend::Trend::of(&points).filter(|trend| trend.rises).map(|trend| trend.least.0)
    };
    let falls = |to: u32| (0..to).map(move |at| f64::from(to - at) / f64::from(to));
    let noisy: Vec<f64> = (0..100).map(noise).collect();
    assert_eq!(since(&noisy), None, "noise around a level");
    let plateau: Vec<f64> = falls(20).chain((0..80).map(|at| 0.05 + noise(at) * 0.1)).collect();
    assert_eq!(since(&plateau), None, "a plateau, above its least value for long");
    assert_eq!(since(&[3.0, 2.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0]), None);
    let rise: Vec<f64> = falls(20).chain((0..80).map(|at| 0.04 + at as f64 * 0.005 + noise(at) * 0.1)).collect();
    assert!(since(&rise).is_some_and(|step| step < 40.0), "{:?}", since(&rise));
    assert_eq!(since(&[3.0, 2.0, 1.0, 1.1, 1.2, 1.3, 1.4, 1.5, 1.6, 1.7]), Some(3.0));
    assert_eq!(since(&[3.0, 1.0, 2.0]), None, "too few to tell");
    assert_eq!(since(&[3.0, 2.0, 1.0, f64::NAN, 1.1, 1.2, 1.3, 1.4, 1.5, 1.6, 1.7]), Some(3.0));
    assert_eq!(since(&[]), None);
    assert_eq!(since(&[f64::NAN]), None);
}

/// Returns a result file of so many steps whose loss at one step is very large.
fn spiked(steps: u64) -> Vec<u8> {
    let row = |step: u64| format!("{step},{}\n", if step == steps / 2 { 500.0 } else { train(step) });
    ("step,train_loss\n".to_owned() + &(1..=steps).map(row).collect::<String>()).into_bytes()
}

#[test]
fn an_outlier_does_not_set_the_scale_and_is_told_of() {
    let mut desk = Desk::new();
    desk.open("spike.csv", &spiked(700));
    let picture = desk.picture(80, 18);
    assert!(picture.contains("1 value outside the scale: s shows it"), "{picture}");
    assert!(!picture.contains("500┤"), "{picture}");
    desk.keys("s");
    let picture = desk.picture(80, 18);
    assert!(picture.contains("500┤") && picture.contains("not smoothed"), "{picture}");
}

#[test]
fn trainings_of_unlike_length_lie_over_each_other_in_epochs() {
    let mut desk = Desk::new();
    let jobs = [job("ft-long", "long", JobStatus::Running), job("ft-short", "short", JobStatus::Running)];
    for (job, steps) in jobs.iter().zip([400.0, 4000.0]) {
        let events = (1..=40).map(|part| JobEvent {
            metrics: vec![
                ("step".to_owned(), f64::from(part) * steps / 40.0),
                ("train_loss".to_owned(), 1.0 / f64::from(part)),
                ("total_steps".to_owned(), steps),
            ],
            ..JobEvent::default()
        });
        desk.plot.events(&local(), &job.id, &events.collect::<Vec<_>>());
    }
    desk.with(|plot, cx| plot.show(&local(), &jobs.iter().collect::<Vec<_>>(), cx));
    let picture = desk.picture(80, 18);
    assert!(picture.lines().next().unwrap().contains("epochs"), "{picture}");
    assert!(picture.contains("long") && picture.contains("short") && !picture.contains("4,000"), "{picture}");
    // The same part of each is the same place: the curves have the same end.
    desk.keys("end");
    assert!(desk.picture(80, 18).contains("epoch 4 "), "{}", desk.picture(80, 18));
    desk.keys("esc u");
    assert!(desk.picture(80, 18).contains("4,000"), "{}", desk.picture(80, 18));
}

#[test]
fn no_size_is_too_small() {
    let mut desk = Desk::new();
    let job = done(job("ft-1", "", JobStatus::Running));
    desk.with(|plot, cx| plot.show(&local(), &[&job], cx));
    desk.fetch(&legacy(200));
    desk.open("a.csv", b"loss_x\n1\n");
    for body in ["end", "d", "t"] {
        desk.keys(body);
        for width in (0..12).chain([40, 200]) {
            for height in (0..12).chain([70]) {
                desk.picture(width.max(1), height.max(1));
            }
        }
    }
}

#[test]
fn what_became_of_the_validation_loss_is_said_in_a_sentence() {
    let said = |losses: &[f64]| {
        let row = |(at, loss): (usize, &f64)| format!("{},0.5,{loss}\n", at + 1);
        let rows: String = losses.iter().enumerate().map(row).collect();
        let mut desk = Desk::new();
        desk.open("a.csv", format!("step,train_loss,valid_loss\n{rows}").as_bytes());
        desk.picture(81, 22).lines().filter(|line| line.contains("valid ")).collect::<Vec<_>>().join("\n")
    };
    let rises = [3.0, 2.0, 1.0, 1.1, 1.2, 1.3, 1.4, 1.5, 1.6, 1.7];
    assert!(said(&rises).contains("▲ valid has risen since step 3"), "{}", said(&rises));
    let level = [3.0, 2.0, 0.5, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0];
    assert!(said(&level).contains("valid was lowest at step 3: 0.5"), "{}", said(&level));
    let falls = [3.0, 2.5, 2.0, 1.5, 1.4, 1.3, 1.2, 1.1, 1.0, 0.9];
    let said = said(&falls);
    assert!(!said.contains("lowest") && !said.contains("risen"), "as it should be: {said}");
}
