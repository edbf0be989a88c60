//! The interface between a tab and the shell.

use crossterm::event::MouseEvent;

pub use crate::component::RunMeter;
use crate::component::{Command, Component, Cx, Offer, Session};
use crate::record::CompletionParams;
use crate::settings::ProfileId;
use crate::text::Untrusted;

/// One screen of the workbench: a component that the shell shows under a name.
pub trait Tab: Component {
    /// Name on the tab bar.
    fn title(&self) -> &'static str;
    /// The same where there is little room: at most five columns.
    fn short(&self) -> &'static str {
        self.title()
    }
    /// The endpoints its requests go to: where a server has none of them, that is said in place of the tab.
    fn endpoints(&self) -> &'static [&'static str] {
        &[]
    }
    /// Entries for the palette.
    fn commands(&self) -> Vec<Command> {
        Vec::new()
    }
    /// Runs the palette entry with this id.
    fn command(&mut self, _id: &str, _cx: &mut Cx) {}
    /// A mouse event inside the tab's area (absolute coordinates).
    fn mouse(&mut self, _event: MouseEvent, _cx: &mut Cx) {}
    /// The program has begun, whichever tab is in front: what must not wait for the front is looked up.
    fn begin(&mut self, _cx: &mut Cx) {}
    /// Has come to the front; the first time it asks for its rows.
    fn enter(&mut self, _cx: &mut Cx) {}
    /// Another profile is in use. The tab in front asks its server at once, others when they are entered: not every
    /// server has what they ask for.
    fn profile_changed(&mut self, _in_front: bool, _cx: &mut Cx) {}
    /// A profile has another base URL: what was listed of its server is not of this one.
    fn server_changed(&mut self, _profile: &ProfileId, _cx: &mut Cx) {}
    /// Whether something waits here to go on with a profile's server, such as a run that is paused: the profile must keep
    /// its name and server until then.
    fn needs_profile(&self, _profile: &ProfileId) -> bool {
        false
    }
    /// The list of models that was asked for has come, or has not: the session tells.
    fn models(&mut self, _cx: &mut Cx) {}
    /// Has come to the front by a key that is text where text is written (a digit, `[`, `]`): a text box gives the keys
    /// back, so that the next such key goes on to another tab. Nothing typed is lost; open boxes stay.
    fn browse(&mut self, _cx: &mut Cx) {}
    /// "Moderate this text": what this tab would do with the offer.
    fn takes(&self, _offer: &Offer) -> Option<&'static str> {
        None
    }
    /// Takes an offer.
    fn accept(&mut self, _offer: Offer, _cx: &mut Cx) {}
    /// What stands on the tab's name beside its title.
    fn badge(&self) -> Option<Badge> {
        None
    }
    /// Whether a dialog lies over the tab, which Esc closes before anything else.
    fn has_dialog(&self) -> bool {
        false
    }
    /// Tokens and cost of the tab's last run, for the footer's meter.
    fn meter(&self) -> Option<RunMeter> {
        None
    }
    /// The model this tab works with, where it keeps one of its own; `None`: the session's.
    fn model(&self, _session: &Session) -> Option<Untrusted> {
        None
    }
    /// Whether a model can do this tab's work, as far as its name tells: those that can are offered first.
    fn suits(&self, model: &Untrusted) -> bool {
        crate::component::session::chats(model)
    }
    /// A model was chosen while this tab is in front. Whether the tab keeps it to itself; else it is the session's.
    fn choose(&mut self, _model: &Untrusted, _cx: &mut Cx) -> bool {
        false
    }
    /// The parameters to keep as the defaults of a model: the tab's own where it has such a field, else those kept
    /// before. `None`: its requests have none.
    fn params(&self, _kept: CompletionParams) -> Option<CompletionParams> {
        None
    }
    /// Ctrl+C: stops what runs here. Whether there was anything to stop.
    fn interrupt(&mut self, _cx: &mut Cx) -> bool {
        false
    }
    /// The program ends: keep what is not kept yet.
    fn before_quit(&mut self, _cx: &mut Cx) {}
    /// What is written in this tab, for when it cannot be saved; `None`: the tab holds up quitting itself.
    fn unsaved_work(&self) -> Option<UnsavedWork> {
        None
    }
    /// What must be said before quitting ("an upload runs"); `None`: quit freely.
    fn quit_warning(&self, _session: &Session) -> Option<String> {
        None
    }
}

/// What a tab's user would lose if it could not be saved, and what can be done about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnsavedWork {
    /// `What was written in Chat`
    pub what: &'static str,
    /// `Y copies a message`
    pub how: &'static str,
    /// Whether anything is written.
    pub written: bool,
}

/// What a tab's name carries.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Badge {
    /// Something streams; the shell draws its spinner.
    Busy,
    /// A count or share: `●2`, `↑42%`.
    Text(String),
    /// Something failed unseen.
    Failed,
}
