//! The workbench with Complete in front: counts by the real vocabularies, and a server whose answers the test makes up.

use benchtop::api::call::Ticket;
use benchtop::api::completion::CompletionRequest;
use benchtop::app::Effect;
use benchtop::component::Session;
use benchtop::record::work::{Done, Work};
use crossterm::event::KeyCode;

use crate::kit::replies::Request as _;
pub use crate::kit::{Disk, Driver, Setup, Tab, Writes, records, token_work};
pub use crate::replies::prompt;

pub const MODEL: &str = "text-davinci-003";

pub type Desk = Driver<Complete>;

#[derive(Default)]
pub struct Complete;

impl Tab for Complete {
    type Request = CompletionRequest;

    fn setup() -> Setup {
        let session = Session { model: MODEL.into(), ..Session::default() };
        Setup { digit: Some('2'), session, profiles: vec![("work", MODEL), ("home", "")], ..Setup::default() }
    }

    fn work(&mut self, work: Work) -> Done {
        token_work(work)
    }
}

impl Desk {
    /// Types a text and runs it.
    pub fn ask(&mut self, text: &str) -> Ticket {
        self.press(text);
        self.run().0
    }

    /// Returns the request that `C` copies.
    pub fn curl(&mut self) -> CompletionRequest {
        let request = |effect| if let Effect::CopyCurl(_, call) = effect { CompletionRequest::of(call) } else { None };
        self.press("C").into_iter().find_map(request).expect("a request is copied")
    }

    /// Returns the text of the buffer, as an editor gets it.
    pub fn text(&mut self) -> String {
        self.text_or_none().expect("there is a text to edit")
    }

    /// Returns the text of the buffer, copied where a run prevents editing; `None`: another pane is focused.
    pub fn text_or_none(&mut self) -> Option<String> {
        let before = self.effects.len();
        let text = |effect| match effect {
            Effect::OpenEditor(text) => Some(text),
            Effect::Copy(text) => Some(text.raw().to_owned()),
            _ => None,
        };
        let edited = self.code(KeyCode::F(4)).into_iter().find_map(text);
        let found = edited.or_else(|| self.press("Y").into_iter().find_map(text));
        self.effects.truncate(before);
        found
    }

    /// Sets a field of the settings by typing it.
    pub fn set(&mut self, label: &str, value: &str) {
        self.press("\u{1b}s");
        // Whether it is sent or not, between lines or on a background.
        let selected = ["▌  ", "▌• ", "▌   ", "▌ • "].map(|marks| format!("{marks}{label}"));
        let is_selected = |screen: String| selected.iter().any(|row| screen.contains(row));
        let mut steps = 0..40;
        while !is_selected(self.screen()) {
            steps.next().expect(label);
            self.press("j");
        }
        self.press(&if matches!(value, "true" | "false") { "\n".to_owned() } else { format!("\n^u{value}\n") });
        self.press("g\u{1b}");
    }
}
