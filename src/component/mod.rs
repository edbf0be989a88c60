//! What all tabs and their parts are built from: the context of an event, effects, notices, dialogs, pending requests.
//!
//! Whatever several tabs need is here once. Widgets that know nothing of benchtop are in [`crate::ui`].

mod animation;
mod base;
mod bindings;
mod charge;
mod choice_dialog;
mod confirm;
mod context;
mod editor_dialog;
mod effect;
pub mod facts;
mod failure_details;
mod find_bar;
mod hint;
mod line_prompt;
mod modal;
pub mod money;
mod motion;
mod new_profile;
mod notice;
mod offer;
mod palette;
mod path_input;
mod path_prompt;
mod pending;
mod question;
mod render_context;
mod saves;
pub mod session;

pub use animation::Animation;
pub use base::{Component, Handled, Response};
pub use bindings::{Binding, Bindings, bind, bind_all, palette_entry};
pub use charge::Charge;
pub use choice_dialog::ChoiceDialog;
pub use confirm::ConfirmDialog;
pub use context::Cx;
pub use editor_dialog::EditorDialog;
pub use effect::Effect;
pub use failure_details::FailureDetails;
pub use find_bar::{Find, FindBar};
pub use hint::Hint;
pub use line_prompt::LinePrompt;
pub use modal::{Modal, Modals, Step};
pub use motion::{Motion, motions};
pub use new_profile::{EditedProfile, NewKeySource, NewProfile, PastedKey, ProfileChange, StartupChoice};
pub use notice::{Level, Notice};
pub use offer::{Offer, Training, Trial};
pub use palette::{Command, keywords};
pub use path_input::{PathInput, PathStep, Wanted};
pub use path_prompt::{PathPrompt, path_help, path_hints};
pub use pending::Pending;
pub use question::Question;
pub use render_context::RenderContext;
pub use saves::Saves;
pub use session::{EnterKeys, Session};
