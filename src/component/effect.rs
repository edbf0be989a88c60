//! What a component asks of the shell, as data.

use super::{Notice, Offer};
use crate::api::call::{Call, Ticket};
use crate::record::work::Work;
use crate::record::{Query, Record};
use crate::settings::ProfileId;
use crate::text::Untrusted;

/// What a tab wants done outside itself. Plain data.
#[derive(Clone, Debug, PartialEq)]
pub enum Effect {
    /// Make a call to a profile's server.
    Call(Ticket, ProfileId, Call),
    /// Stop it.
    Cancel(Ticket),
    /// Retry now instead of at the end of the countdown.
    Hurry(Ticket),
    /// Keep.
    Record(Ticket, Record),
    /// Look up.
    Load(Ticket, Query),
    /// Slow local work.
    Work(Ticket, Work),
    /// Hand something to whichever tab takes it.
    Offer(Offer),
    /// Say something.
    Notify(Notice),
    /// Take off what was said about something: it is solved.
    Settle(&'static str),
    /// Put on the clipboard.
    Copy(Untrusted),
    /// Put a call to a profile's server on the clipboard, as a `curl` command that names the key's variable.
    CopyCurl(ProfileId, Call),
    /// Open `$VISUAL`/`$EDITOR` on what is being typed in the tab.
    Edit,
    /// Choose a model from the list (the shell's overlay).
    ChooseModel,
    /// Fetch the list of models, unless it is being fetched; then the tab is told.
    AskModels,
    /// Use this model from now on with this profile.
    SetModel(Untrusted),
    /// Quit.
    Quit,
}
