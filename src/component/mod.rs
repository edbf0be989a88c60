//! What all tabs and their parts are built from: the context of an event, effects, notices, dialogs, pending requests.
//!
//! Whatever several tabs need is here once. Widgets that know nothing of benchtop are in [`crate::ui`].

mod bindings;
mod confirm;
mod context;
mod effect;
mod failure_details;
mod hint;
mod line_prompt;
mod modal;
pub mod money;
mod notice;
mod offer;
mod palette;
mod path_input;
mod path_prompt;
mod pending;
mod render_context;
pub mod session;

pub use bindings::{Binding, Bindings, bind};
pub use confirm::ConfirmDialog;
pub use context::Cx;
pub use effect::Effect;
pub use failure_details::FailureDetails;
pub use hint::Hint;
pub use line_prompt::LinePrompt;
pub use modal::{Handled, Modal, Modals, Step};
pub use notice::{Level, Notice};
pub use offer::{Offer, Training, Trial};
pub use palette::{Command, keywords};
pub use path_input::{PathInput, PathStep, Wanted};
pub use path_prompt::{PathPrompt, path_help};
pub use pending::Pending;
pub use render_context::RenderContext;
pub use session::Session;
