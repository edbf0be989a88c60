//! What is to be done outside a component or outside the shell, as data.

use super::{NewProfile, Notice, Offer, PastedKey, ProfileChange, StartupChoice};
use crate::api::call::{Call, Ticket};
use crate::api::capability::{Fact, Subject};
use crate::record::work::Work;
use crate::record::{Query, Record};
use crate::settings::ProfileId;
use crate::text::Untrusted;

/// A command, as plain data. Components emit them to the shell; the shell carries some out itself and passes the others
/// on to its [`EffectHandler`](crate::app::run::EffectHandler).
#[derive(Clone, Debug, PartialEq)]
pub enum Effect {
    // Calls to servers, and what is known of servers.
    /// Make a call to a profile's server.
    Call(Ticket, ProfileId, Call),
    /// Stop a call.
    Cancel(Ticket),
    /// Retry now instead of at the end of the countdown.
    RetryNow(Ticket),
    /// Look up the key of a profile again for the next call, as it was refused.
    ForgetKey(ProfileId),
    /// Add a fact to what is known of a server.
    AddFact(Box<Fact>),
    /// Remove what is known of a server about a subject.
    RemoveFact {
        /// The server's base URL.
        base_url: String,
        /// What the fact is about.
        subject: Subject,
    },

    // The store, and work on threads of its own.
    /// Save a record. While the disk refuses it, it waits. If it does not fit what is stored, or too much waits
    /// already, it is given up, with `Stored::Failed`.
    TrySave(Ticket, Record),
    /// Save a record, and retry until it is written or never can be. See [`Saves`](super::Saves).
    Save(Ticket, Record),
    /// Read from the store.
    Load(Ticket, Query),
    /// Do slow local work on a thread of its own.
    Work(Ticket, Work),

    // Profiles, and choices for the next start.
    /// Save a new profile.
    AddProfile(Ticket, Box<NewProfile>),
    /// Read a profile of the config file, to be edited.
    OpenProfile(ProfileId),
    /// Change a profile of the config file.
    ChangeProfile(ProfileChange),
    /// Save another key for a profile, which uses it from then on.
    ReplaceKey(Ticket, Box<PastedKey>),
    /// Keep this choice for the next start.
    Remember(StartupChoice),

    // The model in use.
    /// Fetch the list of models, unless that is under way, and tell the tab when it is there.
    FetchModels,
    /// Open the shell's list of models to choose one from.
    OpenModelPicker,
    /// Use this model from now on with this profile.
    SetModel(Untrusted),
    /// Keep the tab's parameters as the defaults of the model it works with.
    KeepParams,

    // Notices, and what one tab hands to another.
    /// Show a notice.
    Notify(Notice),
    /// Remove the notice about this subject, as its problem is solved.
    ResolveNotice(&'static str),
    /// Hand something to whichever tab takes it.
    Offer(Offer),

    // The clipboard and other programs.
    /// Copy a text to the clipboard.
    Copy(Untrusted),
    /// Put a call to a profile's server on the clipboard, as a `curl` command that names the key's variable.
    CopyCurl(ProfileId, Call),
    /// Open `$VISUAL`/`$EDITOR` on the text of the tab or dialog
    /// ([`Component::editable`](super::Component::editable)).
    EditText,
    /// Open the editor on this text.
    OpenEditor(String),
    /// Open the editor on the file of key bindings, and put it in force afterwards.
    EditBindings,
    /// Open `$PAGER` on this text, which is safe for the screen.
    OpenPager(String),

    // The terminal and the program.
    /// Draw the whole screen again.
    Repaint,
    /// Switch mouse capture on or off.
    SetMouseCapture(bool),
    /// Set the window's title.
    Title(String),
    /// Tell the user, who is in another window, what ended: words of the program's own.
    DesktopNotification(String),
    /// Suspend the program and return to the shell that started it.
    Suspend,
    /// Quit. If a tab asks for it and something would be lost, the user is asked first.
    Quit,
}
