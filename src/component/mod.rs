//! What all tabs and their parts are built from: the context of an event, effects, notices, dialogs, pending requests.
//!
//! Whatever several tabs need is here once. Widgets that know nothing of benchtop are in [`crate::ui`].

mod context;
mod effect;
mod hint;
pub mod money;
mod notice;
mod offer;
mod palette;
mod pending;
mod render_context;
pub mod session;

pub use context::Cx;
pub use effect::Effect;
pub use hint::Hint;
pub use notice::{Level, Notice};
pub use offer::{Offer, Training, Trial};
pub use palette::{Command, keywords};
pub use pending::Pending;
pub use render_context::RenderContext;
pub use session::Session;
