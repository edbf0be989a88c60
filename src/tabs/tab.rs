//! The interface between a tab and the shell.

use crossterm::event::MouseEvent;
use ratatui::layout::Position;

use super::activity::{Activity, ActivityOutcome};
pub use crate::component::RunMeter;
use crate::component::{Command, Component, Cx, DialogHelp, Offer, Session};
use crate::record::CompletionParams;
use crate::settings::ProfileId;
use crate::text::Untrusted;

/// Rows of text that a step of the mouse wheel scrolls.
pub const WHEEL_ROWS: isize = 3;

/// One screen of the workbench: a component that the shell shows under a name.
pub trait Tab: Component {
    /// Returns the name on the tab bar.
    fn title(&self) -> &'static str;
    /// Returns the name where there is little room: at most five columns.
    fn short(&self) -> &'static str {
        self.title()
    }
    /// Returns the endpoints its requests go to: where a server has none of them, that is said in place of the tab.
    fn endpoints(&self) -> &'static [&'static str] {
        &[]
    }
    /// Returns the entries for the palette.
    fn commands(&self) -> Vec<Command> {
        Vec::new()
    }
    /// Runs the palette entry with this id.
    fn command(&mut self, _id: &str, _cx: &mut Cx) {}
    /// Takes a mouse event inside the tab's area (absolute coordinates).
    fn mouse(&mut self, _event: MouseEvent, _cx: &mut Cx) {}
    /// Returns whether dragging the mouse from here (absolute coordinates) selects in a way of the tab's own; elsewhere
    /// what the screen shows is selected.
    fn selects_from(&self, _at: Position) -> bool {
        false
    }
    /// Is called once at the start of the program, whichever tab is in front: looks up what must not wait until the tab
    /// comes to the front.
    fn begin(&mut self, _cx: &mut Cx) {}
    /// Is called when the tab comes to the front; the first time it asks for its rows.
    fn enter(&mut self, _cx: &mut Cx) {}
    /// Is called when another profile is in use. The tab in front asks its server at once, others when they are
    /// entered: not every server has what they ask for.
    fn profile_changed(&mut self, _in_front: bool, _cx: &mut Cx) {}
    /// Is called when the base URL of a profile has changed: forgets what the former server listed.
    fn server_changed(&mut self, _profile: &ProfileId, _cx: &mut Cx) {}
    /// Is called when another tab has uploaded a file to a profile's server.
    fn file_uploaded(&mut self, _profile: &ProfileId, _cx: &mut Cx) {}
    /// Returns whether something waits here to continue with a profile's server, such as a paused run: the profile must
    /// keep its name and server until then.
    fn needs_profile(&self, _profile: &ProfileId) -> bool {
        false
    }
    /// Is called when the list of models that was asked for has arrived or has failed; the session holds it.
    fn models(&mut self, _cx: &mut Cx) {}
    /// Is called when the tab comes to the front by a key that a text box would take as text (a digit, `[`, `]`): a
    /// text box loses the focus, so that the next such key changes the tab again. Nothing typed is lost; open boxes
    /// stay.
    fn browse(&mut self, _cx: &mut Cx) {}
    /// Returns what this tab would do with an offer, such as `Moderate this text`; `None`: it does not take it.
    fn takes(&self, _offer: &Offer) -> Option<&'static str> {
        None
    }
    /// Takes an offer.
    fn accept(&mut self, _offer: Offer, _cx: &mut Cx) {}
    /// Returns what the tab bar shows beside the title.
    fn badge(&self) -> Option<Badge> {
        None
    }
    /// Returns what goes on here that may take long.
    fn activities(&self) -> Vec<Activity> {
        Vec::new()
    }
    /// Returns how an activity that went on a moment ago ended.
    fn outcome(&self, _activity: &Activity) -> ActivityOutcome {
        ActivityOutcome::Ended
    }
    /// Returns the name of the page in place of the tab's panes; empty: the panes are shown.
    fn page(&self) -> &'static str {
        ""
    }
    /// Returns whether a dialog covers the tab, which Esc closes before anything else.
    fn has_dialog(&self) -> bool {
        false
    }
    /// Returns the keys of what covers the tab, for the help page.
    fn dialog_help(&self) -> DialogHelp {
        Vec::new().into()
    }
    /// Returns tokens and cost of the tab's last run, for the footer's meter.
    fn meter(&self) -> Option<RunMeter> {
        None
    }
    /// Returns the model this tab works with, where it keeps one of its own; `None`: the session's.
    fn model(&self, _session: &Session) -> Option<Untrusted> {
        None
    }
    /// Returns whether a model can do this tab's work, as far as its name tells: those that can are offered first.
    fn suits(&self, model: &Untrusted) -> bool {
        crate::component::session::may_chat(model)
    }
    /// Takes a model that was chosen while this tab is in front. Returns whether the tab keeps it to itself; else it
    /// becomes the session's.
    fn choose(&mut self, _model: &Untrusted, _cx: &mut Cx) -> bool {
        false
    }
    /// Returns the parameters to keep as the defaults of a model: the tab's own where it has such a field, else those
    /// kept before. `None`: its requests have none.
    fn params(&self, _kept: CompletionParams) -> Option<CompletionParams> {
        None
    }
    /// Stops what runs here, on Ctrl+C. Returns whether there was anything to stop.
    fn interrupt(&mut self, _cx: &mut Cx) -> bool {
        false
    }
    /// Saves what is not saved yet, before the program ends.
    fn before_quit(&mut self, _cx: &mut Cx) {}
    /// Returns what is written in this tab, for when it cannot be saved; `None`: the tab holds up quitting itself. A tab
    /// that returns something shows on its screen that records are refused; the shell then shows no notice over it.
    fn unsaved_work(&self) -> Option<UnsavedWork> {
        None
    }
    /// Returns what the user is told before quitting ("an upload runs"); `None`: nothing has to be said.
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

/// Returns the sentence before quitting on what was not saved, why, and what to do: nothing, or `; ` and a way to keep
/// it.
pub fn unsaved_sentence(what: &str, why: &Untrusted, how: &str) -> String {
    let why = why.line();
    format!("{what} could not be saved: {why}. Quitting tries once more; what still cannot be saved is lost{how}.")
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
