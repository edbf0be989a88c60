//! What happens to the shell, and what it wants done: plain data.

use std::time::Duration;

use crossterm::event::Event as Input;

use super::{NewProfile, PastedKey};
use crate::api::call::{Call, Progress, Ticket};
use crate::api::job::Dialect;
use crate::component::Notice;
use crate::record::work::{Done, Work};
use crate::record::{Query, Record, Stored};
use crate::settings::ProfileId;
use crate::text::Untrusted;
use crate::tokens::Tariff;
use crate::ui::theme::Theme;

/// Something that happened.
#[derive(Debug)]
pub enum Event {
    /// The user did something.
    Input(Input),
    /// About a call.
    Progress(Ticket, Progress),
    /// The store's answer.
    Stored(Ticket, Stored),
    /// The work threads' answer.
    Worked(Ticket, Done),
    /// The first frame is on the screen and the world is there to work with.
    Started,
    /// To be said in passing.
    Said(Notice),
    /// To be said until it is dismissed.
    Kept(Notice),
    /// Nothing can be kept; why.
    Unsaved(String),
    /// What could not be kept can be again.
    Writable,
    /// The terminal reports Shift+Enter.
    ShiftEnter,
    /// Colours to draw with from now on.
    Theme(Box<Theme>),
    /// What `$EDITOR` left; `None`: it was left without a change.
    Edited(Option<String>),
    /// The program was suspended for so long.
    Resumed(Duration),
    /// The profiles there are.
    Profiles(Vec<Profile>),
    /// A profile has another key.
    Rekeyed(ProfileId),
    /// A new profile, or a new key, could not be kept; why.
    NotAdded(String),
}

/// Something to be done outside the shell. Plain data.
#[derive(Clone, Debug, PartialEq)]
pub enum Order {
    /// Make a call.
    Call(Ticket, ProfileId, Call),
    /// Stop it.
    Cancel(Ticket),
    /// End its countdown.
    Hurry(Ticket),
    /// Keep.
    Record(Ticket, Record),
    /// Look up.
    Load(Ticket, Query),
    /// Work.
    Work(Ticket, Work),
    /// Put on the clipboard.
    Copy(Untrusted),
    /// Put a call on the clipboard as a `curl` command.
    CopyCurl(ProfileId, Call),
    /// Open the editor on this text.
    Edit(String),
    /// Give the terminal to the shell.
    Suspend,
    /// Paint everything again.
    Repaint,
    /// Mouse capture.
    Mouse(bool),
    /// The window's title.
    Title(String),
    /// Begin with this next time.
    Remember(Choice),
    /// Keep a new profile.
    AddProfile(Box<NewProfile>),
    /// This profile's key was refused: it is looked up anew for the next call.
    ForgetKey(ProfileId),
    /// Keep another key for a profile, which uses it from then on.
    ReplaceKey(Box<PastedKey>),
    /// End.
    Quit,
}

/// What the user chose for this time and the next, to be kept in the config file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Choice {
    /// A profile.
    Profile(ProfileId),
    /// A profile's model.
    Model(ProfileId, Untrusted),
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
    /// Whether it is the local service.
    pub local: bool,
    /// The interface to fine-tunes its profile names; `None`: the server is asked.
    pub fine_tunes: Option<Dialect>,
    /// What its server's models cost.
    pub tariff: Tariff,
}
