//! The workbench with Embed in front: the real work threads, and a server whose answers the test makes up.

use benchtop::api::embedding::EmbeddingRequest;
use benchtop::component::Session;
use benchtop::record::work::{Done, Work};

pub use crate::kit::{Disk, Writes, records};
use crate::kit::{Driver, Setup, Tab, worked};
pub use crate::replies::texts;

pub const MODEL: &str = "text-embedding-ada-002";

pub type Desk = Driver<Embed>;

#[derive(Default)]
pub struct Embed;

impl Tab for Embed {
    type Request = EmbeddingRequest;

    fn setup() -> Setup {
        let session = Session { model: "gpt-3.5-turbo".into(), ..Session::default() };
        let profiles = vec![("work", "gpt-3.5-turbo"), ("home", "")];
        Setup { digit: Some('4'), session, profiles, ..Setup::default() }
    }

    fn work(&mut self, work: Work) -> Done {
        worked(work)
    }
}

impl Desk {
    /// Runs this many texts, one a line: "text 0" and so on.
    pub fn run_lines(&mut self, count: usize) {
        let lines: Vec<String> = (0..count).map(|number| format!("text {number}")).collect();
        self.paste(&lines.join("\n"));
        self.press("l");
        self.settle();
        self.press("^r");
    }
}
