//! The workbench with Complete in front: counts by the real vocabularies, and a server whose answers the test makes up.

use std::rc::Rc;

use benchtop::api::call::Ticket;
use benchtop::app::Effect;
use benchtop::component::Session;
use benchtop::record::work::{Done, Work};
use benchtop::tabs::{self};

pub use crate::kit::{Disk, Writes, records};
use crate::kit::{Driver, Setup, Tab};
pub use crate::replies::prompt;
use crate::replies::token_work;

pub const MODEL: &str = "text-davinci-003";

pub type Desk = Driver<Complete>;

#[derive(Default)]
pub struct Complete {
    /// Whether counts and tokenizers wait for [`Driver::release`].
    pub slow_work: bool,
}

impl Tab for Complete {
    fn digit(&self) -> Option<char> {
        Some('2')
    }

    fn work(&mut self, _: Ticket, work: Work) -> Done {
        token_work(work)
    }

    fn waits(&self, effect: &Effect) -> bool {
        self.slow_work && matches!(effect, Effect::Work(..))
    }
}

impl Desk {
    pub fn new() -> Self {
        Self::on(&Disk::new())
    }

    /// A copy that starts on this disk.
    pub fn on(disk: &Rc<Disk>) -> Self {
        Self::at(disk, 1_700_000_000_000)
    }

    /// A copy with more tabs behind its own.
    pub fn with(more: Vec<Box<dyn tabs::Tab>>) -> Self {
        Self::begin(&Disk::new(), 1_700_000_000_000, more)
    }

    /// A copy that starts at another time: its ids differ from those of a copy before.
    pub fn at(disk: &Rc<Disk>, unix_ms: i64) -> Self {
        Self::begin(disk, unix_ms, Vec::new())
    }

    fn begin(disk: &Rc<Disk>, unix_ms: i64, more: Vec<Box<dyn tabs::Tab>>) -> Self {
        let session = Session { model: MODEL.into(), ..Session::default() };
        let profiles = vec![("work", MODEL), ("home", "")];
        let mut desk = Self::start(disk, Complete::default(), Setup { unix_ms, session, profiles, more });
        desk.news();
        desk
    }

    /// A copy that starts where this one ended.
    pub fn again(mut self) -> Self {
        let unix_ms = self.end();
        Self::at(&self.disk, unix_ms)
    }
}
