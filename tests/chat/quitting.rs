//! Quitting says what could not be saved.

use benchtop::app::{Effect, Event};

use crate::desk::{Counts, Disk, Writes};
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
