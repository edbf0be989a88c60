//! What goes on in the tabs is in the window's title, and what ends while another window has the focus is told.

use std::cell::RefCell;
use std::rc::Rc;
use std::time::{Duration, Instant};

use benchtop::app::{App, Effect, Event};
use benchtop::component::{Component, Cx, Handled, Hint, RenderContext};
use benchtop::tabs::Tab;
use benchtop::tabs::activity::{Activity, ActivityKind, ActivityOutcome};
use crossterm::event::{Event as Input, KeyCode, KeyEvent, KeyModifiers};
use ratatui::Frame;
use ratatui::layout::Rect;

use crate::desk::{app_of, key};

const SECOND: Duration = Duration::from_secs(1);

/// What goes on in a tab, and how what does not go on any more ended.
#[derive(Default)]
struct Going {
    on: Vec<Activity>,
    outcome: ActivityOutcome,
}

/// A tab in which goes on what the test says.
struct Busy(Rc<RefCell<Going>>);

impl Component for Busy {
    fn key(&mut self, _key: KeyEvent, _cx: &mut Cx) -> Handled<()> {
        Handled::Consumed
    }

    fn hints(&self) -> Vec<Hint> {
        Vec::new()
    }

    fn render(&self, _frame: &mut Frame, _area: Rect, _: RenderContext) {}
}

impl Tab for Busy {
    fn title(&self) -> &'static str {
        "Busy"
    }

    fn activities(&self) -> Vec<Activity> {
        self.0.borrow().on.clone()
    }

    fn outcome(&self, _: &Activity) -> ActivityOutcome {
        self.0.borrow().outcome
    }
}

/// The workbench with that tab, and its time.
struct Desk {
    app: App,
    going: Rc<RefCell<Going>>,
    now: Instant,
}

impl Desk {
    fn start() -> Self {
        let going: Rc<RefCell<Going>> = Rc::default();
        let app = app_of(vec![Box::new(Busy(Rc::clone(&going)))]);
        let mut desk = Self { app, going, now: Instant::now() };
        assert_eq!(titles(&desk.event(Event::Started)), ["benchtop · Busy"]);
        desk.wait(SECOND);
        desk
    }

    fn event(&mut self, event: Event) -> Vec<Effect> {
        self.app.update(event, self.now, 0)
    }

    /// Sets what goes on. Returns what that leads to at once.
    fn goes_on(&mut self, on: &[Activity]) -> Vec<Effect> {
        self.going.borrow_mut().on = on.to_vec();
        self.event(Event::Input(Input::Resize(100, 30)))
    }

    /// Lets time pass. Returns what that leads to.
    fn wait(&mut self, time: Duration) -> Vec<Effect> {
        let end = self.now + time;
        let mut effects = Vec::new();
        while let Some(due) = self.app.due().filter(|due| *due <= end) {
            self.now = due;
            effects.extend(self.app.tick(due, 0));
        }
        self.now = end;
        effects
    }

    fn unfocus(&mut self) {
        self.event(Event::Input(Input::FocusLost));
    }
}

fn titles(effects: &[Effect]) -> Vec<&str> {
    effects
        .iter()
        .filter_map(|effect| if let Effect::Title(title) = effect { Some(title.as_str()) } else { None })
        .collect()
}

fn told(effects: &[Effect]) -> Vec<&str> {
    let mut told = Vec::new();
    for effect in effects {
        if let Effect::DesktopNotification(words) = effect {
            told.push(words.as_str());
        }
    }
    told
}

fn answer(id: u64) -> Activity {
    Activity::new(ActivityKind::Answer, id)
}

fn run(done: u64, total: u64) -> Activity {
    Activity { progress: Some((done, total)), ..Activity::new(ActivityKind::Run, 1) }
}

#[test]
fn the_title_says_what_goes_on_and_changes_at_most_once_a_second() {
    let mut desk = Desk::start();
    assert_eq!(titles(&desk.goes_on(&[answer(1)])), ["benchtop: 1 answer"]);
    assert_eq!(titles(&desk.goes_on(&[answer(1), answer(2)])), [""; 0]);
    assert_eq!(titles(&desk.wait(SECOND)), ["benchtop: 2 answers"]);
    let upload = Activity { progress: Some((1, 4)), ..Activity::new(ActivityKind::Upload, 7) };
    desk.wait(SECOND);
    let all = [run(1_230, 3_000), upload, answer(1), Activity::new(ActivityKind::Job, 3)];
    assert_eq!(titles(&desk.goes_on(&all)), ["benchtop: 1 answer, 41% of 3,000 texts, 1 upload 25%, 1 job"]);
    for done in 1_231..2_000 {
        assert_eq!(titles(&desk.goes_on(&[run(done, 3_000)])), [""; 0], "a second has not passed");
    }
    assert_eq!(titles(&desk.wait(SECOND)), ["benchtop: 66% of 3,000 texts"]);
    desk.wait(SECOND);
    assert_eq!(titles(&desk.goes_on(&[])), ["benchtop · Busy"]);
    assert_eq!(desk.app.due(), None, "nothing goes on: nothing is due");
}

#[test]
fn what_was_long_is_told_when_it_ends_while_another_window_has_the_focus() {
    let mut desk = Desk::start();
    desk.goes_on(&[answer(1)]);
    desk.unfocus();
    desk.wait(SECOND * 11);
    desk.goes_on(&[]);
    assert_eq!(told(&desk.wait(SECOND)), ["1 answer ended"]);
    assert_eq!(told(&desk.wait(SECOND * 60)), [""; 0], "once");
    desk.goes_on(&[answer(2)]);
    desk.wait(SECOND * 9);
    desk.goes_on(&[]);
    assert_eq!(told(&desk.wait(SECOND * 60)), [""; 0], "it was short");
    desk.goes_on(&[run(1, 2)]);
    desk.goes_on(&[]);
    assert_eq!(told(&desk.wait(SECOND)), ["1 run ended"], "of a run it does not matter how long it took");
}

#[test]
fn what_failed_is_called_failed_and_what_was_stopped_is_not_told() {
    let mut desk = Desk::start();
    desk.unfocus();
    let upload = Activity::new(ActivityKind::Upload, 7);
    desk.goes_on(&[run(1, 2), upload]);
    desk.going.borrow_mut().outcome = ActivityOutcome::Failed;
    desk.goes_on(&[upload]);
    desk.going.borrow_mut().outcome = ActivityOutcome::Ended;
    desk.goes_on(&[]);
    assert_eq!(told(&desk.wait(SECOND)), ["1 run failed, 1 upload ended"]);
    desk.going.borrow_mut().outcome = ActivityOutcome::EndedWithFailures;
    desk.goes_on(&[run(1, 2)]);
    desk.goes_on(&[]);
    assert_eq!(told(&desk.wait(SECOND)), ["1 run ended with failures"]);
    desk.goes_on(&[upload]);
    desk.going.borrow_mut().outcome = ActivityOutcome::Stopped;
    desk.goes_on(&[]);
    assert_eq!(told(&desk.wait(SECOND * 60)), [""; 0]);
    assert_eq!(desk.app.due(), None);
}

#[test]
fn what_ends_within_a_second_is_told_together() {
    let mut desk = Desk::start();
    let download = Activity::new(ActivityKind::Download, 9);
    desk.goes_on(&[answer(1), answer(2), answer(3), download]);
    desk.unfocus();
    desk.wait(SECOND * 20);
    desk.goes_on(&[answer(2), answer(3), download]);
    desk.wait(SECOND / 2);
    desk.goes_on(&[answer(3)]);
    assert_eq!(told(&desk.wait(SECOND)), ["2 answers ended, 1 download ended"]);
    desk.goes_on(&[]);
    assert_eq!(told(&desk.wait(SECOND)), ["1 answer ended"]);
}

#[test]
fn files_that_are_transferred_together_are_told_once_the_last_has_ended() {
    let mut desk = Desk::start();
    desk.unfocus();
    let all: Vec<Activity> = (0..4).map(|id| Activity::new(ActivityKind::Download, id)).collect();
    for left in (1..4).rev() {
        desk.goes_on(&all[..=left]);
        assert_eq!(told(&desk.wait(SECOND * 5)), [""; 0], "{left}");
    }
    desk.going.borrow_mut().outcome = ActivityOutcome::Failed;
    desk.goes_on(&all[..1]);
    desk.goes_on(&[]);
    assert_eq!(told(&desk.wait(SECOND)), ["2 downloads ended, 2 downloads failed"]);
    assert_eq!(desk.app.due(), None);
}

#[test]
fn nothing_is_told_while_the_window_has_the_focus() {
    let mut desk = Desk::start();
    let end = |desk: &mut Desk| {
        desk.goes_on(&[run(1, 2)]);
        desk.goes_on(&[]);
    };
    end(&mut desk);
    assert_eq!(told(&desk.wait(SECOND * 5)), [""; 0], "a terminal that reports nothing has the focus");
    desk.unfocus();
    end(&mut desk);
    desk.event(Event::Input(Input::FocusGained));
    assert_eq!(told(&desk.wait(SECOND * 5)), [""; 0], "the user came back within the second");
    desk.unfocus();
    desk.event(key(KeyCode::Char('x'), KeyModifiers::NONE));
    end(&mut desk);
    assert_eq!(told(&desk.wait(SECOND * 5)), [""; 0], "the user types");
    desk.unfocus();
    end(&mut desk);
    assert_eq!(told(&desk.wait(SECOND)), ["1 run ended"]);
}
