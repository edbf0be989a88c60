//! benchtop: a terminal workbench for text models.
//!
//! The map, layer by layer. Imports run down, never up, never sideways (`tests/layers.rs` holds them to it):
//!
//! ```text
//! main                                      wires everything
//! app                                       the shell: loop, frames, focus, overlays
//! tabs · client · service · store · work    worlds that do not know each other
//! component                                 what tabs are built from: events, effects, dialogs, pending requests
//! engine · dataset · vectors                the small local models; files of texts; numbers
//! tokens · ui                               libraries that know nothing of each other
//! settings · disk                           profiles, key sources, limits; the user's folders
//! api · record · text                       the interface and what we keep, as data
//! ```
//!
//! **A key**: terminal → [`app`] → the tab in front → [`component::Effect`]s → the shell executes them → frame.
//! **A token**: service → [`client`] → `(Ticket, Progress)` → [`app`] → the tab that owns the ticket → frame.
//! Stopping is a drop: the client aborts the task, the socket closes, the service's engine stops.

pub mod api;
pub mod app;
pub mod cli;
pub mod client;
pub mod component;
pub mod dataset;
pub mod disk;
pub mod engine;
pub mod record;
pub mod service;
pub mod settings;
pub mod store;
pub mod tabs;
pub mod text;
pub mod tokens;
pub mod ui;
pub mod vectors;
pub mod work;
