//! Quitting says what could not be saved.

use std::time::Duration;

use benchtop::api::call::{Failure, FailureKind, Progress};
use benchtop::app::{Effect, Event};
use benchtop::record::TurnStatus;
use benchtop::tabs::Tab;

use crate::desk::{Counts, Desk, Disk, Writes};
use crate::kit::{Driver, Setup};

fn start() -> Driver<Counts> {
    Driver::start(&Disk::new(), Setup { profiles: vec![("work", "gpt-3.5-turbo")], ..Setup::default() })
}

#[test]
fn where_nothing_can_be_saved_quitting_asks_once_something_is_written() {
    let mut driver = start();
    driver.event(Event::Unsaved("the data directory is read-only".into()));
    driver.press("^q");
    assert!(driver.effects.contains(&Effect::Quit), "nothing was written");
    let mut driver = start();
    driver.event(Event::Unsaved("the data directory is read-only".into()));
    driver.press("a draft^q");
    driver.shows("Quitting tries once more");
    assert!(!driver.effects.contains(&Effect::Quit));
}

#[test]
fn quitting_is_held_up_by_what_the_disk_refuses_until_it_takes_it() {
    let mut driver = start();
    driver.models_come(&["gpt-3.5-turbo"]);
    driver.writes = Writes::Full;
    driver.press("hi\n");
    driver.put_off("the disk reports an error");
    driver.press("^q");
    driver.shows("What was written in Chat could not be saved: the disk");
    driver.shows("reports an error. Quitting tries once more");
    driver.release();
    driver.hides("Quitting tries once more");
    driver.press("^q");
    assert!(driver.effects.contains(&Effect::Quit));
}

#[test]
fn quitting_during_a_countdown_saves_why_the_request_failed() {
    let mut desk = Desk::new();
    let ticket = desk.ask("hi");
    let (at, why) = (desk.now + Duration::from_secs(20), Failure::new(FailureKind::RateLimit, "too many requests"));
    desk.progress(ticket, Progress::Retrying { attempt: 2, of: 3, at, why });
    desk.with(Tab::before_quit);
    let turns = desk.disk.turns();
    let answer = turns.iter().find(|turn| turn.role == "assistant").unwrap();
    assert_eq!((answer.status, &*answer.error.line()), (TurnStatus::Failed, "given up: too many requests"));
}
