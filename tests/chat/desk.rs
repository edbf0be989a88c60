//! The Chat tab alone on the real store, and a server whose answers the test makes up.

use std::rc::Rc;

use benchtop::api::call::{Progress, Ticket};
use benchtop::api::chat::ChatRequest;
use benchtop::component::{Component as _, Session};
use benchtop::record::work::{Done, Work};
use benchtop::settings::ProfileId;
use benchtop::tabs::chat::Chat;
use benchtop::tokens::{Prices, Tariff};

pub use crate::kit::replies::chat::{call, choice, chunk, end, failure, part, retrying, turns};
use crate::kit::{Alone, Driver, Tab, token_work, worked};
pub use crate::kit::{Disk, Writes, records};

pub type Desk = Driver<Counts, Alone<Chat>>;

/// Counts by the real vocabularies.
#[derive(Default)]
pub struct Counts;

impl Tab for Counts {
    type Request = ChatRequest;

    fn work(&mut self, work: Work) -> Done {
        match work {
            Work::Attach { .. } | Work::Paths(_) | Work::Picture(_) => worked(work),
            work => token_work(work),
        }
    }
}

impl Desk {
    pub fn new() -> Self {
        let tariff = Tariff::new("https://api.openai.com/v1", &[], &[]);
        let session = Session {
            profile: ProfileId("work".to_owned()),
            profile_name: "work".into(),
            model: "gpt-3.5-turbo".into(),
            area: (80, 22),
            prices: Prices::new([(ProfileId("work".to_owned()), tariff)], jiff::civil::Date::default()),
            ..Session::default()
        };
        Self::on(&Disk::new(), session)
    }

    pub fn on(disk: &Rc<Disk>, session: Session) -> Self {
        Self::alone(disk, Chat::new, session, 1_700_000_000_000)
    }

    /// Sends a prompt; the call it became.
    pub fn ask(&mut self, prompt: &str) -> Ticket {
        let sent = [self.press(prompt), self.press("\n")].concat();
        call(&sent).expect("a kept prompt is sent").0
    }

    /// Sends a prompt and completes its answer.
    pub fn talk(&mut self, prompt: &str, answer: &str) {
        let ticket = self.ask(prompt);
        self.says(ticket, answer);
        self.unix_ms += 1000;
    }

    /// Completes an answer with this text.
    pub fn says(&mut self, ticket: Ticket, answer: &str) {
        self.progress(ticket, chunk(answer));
        self.progress(ticket, Progress::Closed(Ok(())));
    }

    pub fn draft(&self) -> String {
        self.app.tab.editable().unwrap_or_default()
    }
}
