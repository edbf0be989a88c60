//! The shell with its own tabs, Chat in front, on the real store.

use benchtop::api::call::Ticket;
use benchtop::api::chat::ChatRequest;
use benchtop::component::Session;
use benchtop::record::work::{Done, Work};
use benchtop::ui::theme::Kind;

use crate::kit::{Disk, Driver, Setup, Tab, without_files};

pub type Real = Driver<Chat>;

#[derive(Default)]
pub struct Chat;

impl Tab for Chat {
    type Request = ChatRequest;

    fn work(&mut self, work: Work) -> Done {
        without_files(work)
    }
}

/// Creates a workbench on a screen of this size.
pub fn real(width: u16, height: u16) -> Real {
    real_with(width, height, |_| {})
}

/// Creates a workbench whose session is changed before it starts.
pub fn real_with(width: u16, height: u16, change: impl FnOnce(&mut Session)) -> Real {
    let mut setup = setup((width, height));
    change(&mut setup.session);
    Real::start(&Disk::new(), setup)
}

/// Creates a workbench with surfaces.
pub fn real_dark(width: u16, height: u16) -> Real {
    Real::start(&Disk::new(), Setup { theme: Kind::Dark, ..setup((width, height)) })
}

fn setup(size: (u16, u16)) -> Setup {
    let session = Session { model: "gpt-4".into(), ..Session::default() };
    Setup { unix_ms: 0, session, profiles: vec![("work", "")], size, ..Setup::default() }
}

impl Real {
    /// Sends a prompt; its call.
    pub fn ask(&mut self, prompt: &str) -> Ticket {
        self.news();
        self.press(&format!("{prompt}\n"));
        self.asked().0
    }
}
