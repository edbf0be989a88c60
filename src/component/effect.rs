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
    /// Make a call to a profile's server.
    Call(Ticket, ProfileId, Call),
    /// Stop a call.
    Cancel(Ticket),
    /// Add a fact to what is known of a server.
    Know(Box<Fact>),
    /// Forget what is known of a server (its base URL) about a subject.
    Forget(String, Subject),
    /// Retry now instead of at the end of the countdown.
    RetryNow(Ticket),
    /// Write a record; answered once with `Stored::Failed` when it does not fit what is stored.
    Record(Ticket, Record),
    /// Save a record, offering it again while the disk refuses it: see [`Saves`](super::Saves).
    Save(Ticket, Record),
    /// Read from the store.
    Load(Ticket, Query),
    /// Do slow local work on a thread of its own.
    Work(Ticket, Work),
    /// Hand something to whichever tab takes it.
    Offer(Offer),
    /// Show a notice.
    Notify(Notice),
    /// Remove the notice about this subject, as its problem is solved.
    Settle(&'static str),
    /// Copy a text to the clipboard.
    Copy(Untrusted),
    /// Put a call to a profile's server on the clipboard, as a `curl` command that names the key's variable.
    CopyCurl(ProfileId, Call),
    /// Open `$VISUAL`/`$EDITOR` on what is being typed in the tab.
    Edit,
    /// Open the editor on this text.
    OpenEditor(String),
    /// Open the editor on the file of key bindings, and put it in force afterwards.
    EditBindings,
    /// Open `$PAGER` on this text, which is safe for the screen.
    OpenPager(String),
    /// Choose a model from the list (the shell's overlay).
    ChooseModel,
    /// Fetch the list of models, unless that is under way, and tell the tab when it is there.
    AskModels,
    /// Use this model from now on with this profile.
    SetModel(Untrusted),
    /// Keep the tab's parameters as the defaults of the model it works with.
    KeepParams,
    /// Quit. If a tab asks for it and something would be lost, the user is asked first.
    Quit,
    /// Suspend the program and return to the shell that started it.
    Suspend,
    /// Draw the whole screen again.
    Repaint,
    /// Switch mouse capture on or off.
    Mouse(bool),
    /// Set the window's title.
    Title(String),
    /// Tell the user, who is in another window, what ended: words of the program's own.
    DesktopNotification(String),
    /// Keep this choice for the next start.
    Remember(StartupChoice),
    /// Save a new profile.
    AddProfile(Ticket, Box<NewProfile>),
    /// Read a profile of the config file, to be edited.
    OpenProfile(ProfileId),
    /// Change a profile of the config file.
    ChangeProfile(ProfileChange),
    /// Look up the key of a profile again for the next call, as it was refused.
    ForgetKey(ProfileId),
    /// Save another key for a profile, which uses it from then on.
    ReplaceKey(Ticket, Box<PastedKey>),
}
