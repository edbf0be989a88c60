//! What happens to the program.

use std::sync::Arc;
use std::time::Duration;

use crossterm::event::Event as Input;

use crate::api::call::{Progress, Ticket};
use crate::api::job::Dialect;
use crate::component::{Notice, ProfileChange};
use crate::record::Stored;
use crate::record::work::Done;
use crate::settings::edit_fields::OpenedProfile;
use crate::settings::{Endpoint, KeySource, ProfileId};
use crate::store::Store;
use crate::text::Untrusted;
use crate::tokens::Tariff;
use crate::ui::theme::Background;

/// Something that happened. The loop and its [`EffectHandler`](super::run::EffectHandler) handle some events; all
/// others reach [`App::update`](super::App::update).
pub enum Event {
    /// The user did something.
    Input(Input),
    /// About a call.
    Progress(Ticket, Progress),
    /// The store's answer.
    Stored(Ticket, Stored),
    /// The work threads' answer.
    Worked(Ticket, Done),
    /// The first frame is on the screen and effects are carried out from now on.
    Started,
    /// Show a notice for a few seconds.
    Notice(Notice),
    /// Show a notice until it is dismissed.
    LastingNotice(Notice),
    /// A profile's server can be called, or why not.
    Endpoint(ProfileId, Result<Arc<Endpoint>, String>),
    /// The store is open, or why not.
    Store(Box<Result<Store, String>>),
    /// Nothing can be saved; why.
    Unsaved(String),
    /// The store can be written again.
    Writable,
    /// The terminal reports Shift+Enter.
    ShiftEnter,
    /// What is known now of the terminal's background.
    Background(Background),
    /// What `$EDITOR` left; `None`: it was left without a change.
    Edited(Option<String>),
    /// The program was suspended for so long.
    Resumed(Duration),
    /// The profiles there are.
    Profiles(Vec<Profile>),
    /// A profile as the config file has it now, to be edited; or why it cannot be read.
    ProfileOpened(Result<Box<OpenedProfile>, String>),
    /// A profile was changed, with all profiles as they are now; or why it could not be.
    ProfileChanged(ProfileChange, Result<Vec<Profile>, String>),
    /// A profile has another key, with all profiles as they are now.
    Rekeyed(ProfileId, Vec<Profile>),
    /// A new profile, or a new key, could not be saved; why.
    NotAdded(String),
    /// A signal that ends the program, by number.
    Signal(i32),
    /// The terminal is gone.
    Hangup,
    /// Another program asks this one to stop for a while.
    Suspend,
    /// The program goes on after a stop: the screen may show anything.
    Continued,
}

/// A profile as the shell shows it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Profile {
    /// Its id.
    pub id: ProfileId,
    /// As shown.
    pub name: Untrusted,
    /// Where its calls go, as shown.
    pub host: Untrusted,
    /// Model it starts with; empty: the server's first.
    pub model: Untrusted,
    /// Where its key comes from.
    pub key: KeySource,
    /// Whether it is the local service.
    pub local: bool,
    /// The interface to fine-tunes its profile names; `None`: the server is asked.
    pub fine_tunes: Option<Dialect>,
    /// What its server's models cost.
    pub tariff: Tariff,
}
