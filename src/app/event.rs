//! The events that the shell handles.

use std::sync::Arc;
use std::time::Duration;

use crossterm::event::Event as Input;

use crate::api::call::{Progress, Ticket};
use crate::api::job::Dialect;
use crate::component::{Notice, ProfileChange};
use crate::record::work::Done;
use crate::record::{ModelParams, Stored};
use crate::settings::edit_fields::OpenedProfile;
use crate::settings::{Endpoint, KeySource, ProfileId};
use crate::store::Store;
use crate::text::Untrusted;
use crate::tokens::Tariff;
use crate::ui::theme::Background;

/// Something that happened. The loop and its [`EffectHandler`](super::run::EffectHandler) handle some events; all
/// others reach [`App::update`](super::App::update).
pub enum Event {
    /// Input of the user.
    Input(Input),
    /// Progress of a call.
    Progress(Ticket, Progress),
    /// The store's answer.
    Stored(Ticket, Stored),
    /// An answer of the work threads.
    Worked(Ticket, Done),
    /// The first frame is on the screen; effects are carried out from now on.
    Started,
    /// Show a notice for a few seconds.
    Notice(Notice),
    /// Show a notice until it is dismissed.
    LastingNotice(Notice),
    /// How to call a profile's server, or why that is impossible.
    Endpoint(ProfileId, Result<Arc<Endpoint>, String>),
    /// Copy a text to the clipboard.
    Copy(Untrusted),
    /// The store is open, or why it cannot be opened.
    Store(Box<Result<Store, String>>),
    /// Nothing can be stored; why.
    Unsaved(String),
    /// What is stored cannot be read, and nothing can be stored; why.
    Unreadable(String),
    /// The store can be written again.
    Writable,
    /// The terminal reports Shift+Enter.
    ShiftEnter,
    /// The answer about the terminal's background.
    Background(Background),
    /// The text from `$EDITOR`; `None`: unchanged.
    Edited(Option<String>),
    /// The file of key bindings was applied after the editor ended.
    BindingsEdited {
        /// Sentences about what is wrong in the file.
        faults: Vec<String>,
        /// Why the editor failed, if it did.
        failure: Option<String>,
    },
    /// The program was suspended for this time.
    Resumed(Duration),
    /// A new profile was saved, with all profiles as they are now; or why it could not be saved.
    ProfileAdded(Ticket, Result<Vec<Profile>, String>),
    /// A profile as it is in the config file now, to be edited; or why it cannot be read.
    ProfileOpened(Result<Box<OpenedProfile>, String>),
    /// A profile was changed, with all profiles as they are now; or why it could not be changed.
    ProfileChanged(ProfileChange, Result<Vec<Profile>, String>),
    /// A profile has another key, with all profiles as they are now; or why the key could not be saved.
    KeyReplaced(Ticket, ProfileId, Result<Vec<Profile>, String>),
    /// A signal that ends the program, by number.
    Signal(i32),
    /// The terminal is gone.
    Hangup,
    /// Another program requests that this one stops for a while.
    Suspend,
    /// The program continues after a stop: the screen may show anything.
    Continued,
}

/// A profile as the shell shows it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Profile {
    /// Its id.
    pub id: ProfileId,
    /// As shown.
    pub name: Untrusted,
    /// The host of its calls, as shown.
    pub host: Untrusted,
    /// Model it starts with; empty: the server's first.
    pub model: Untrusted,
    /// Where its key comes from.
    pub key: KeySource,
    /// Whether it is the local service.
    pub local: bool,
    /// The interface to fine-tunes its profile names; `None`: the server is asked.
    pub fine_tunes: Option<Dialect>,
    /// The parameters that requests to its models begin with.
    pub params: ModelParams,
    /// The prices of its server's models.
    pub tariff: Tariff,
}
