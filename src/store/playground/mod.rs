//! The completion playground in the store: sheets with their steps, runs, tokens, presets.

mod load;
mod repair;
mod save;
mod token;

pub(super) use load::{presets, runs, sheet, tokens};
pub(super) use repair::{repair_rows, repair_steps};
pub(super) use save::{delete_preset, write_preset, write_run, write_sheet, write_step, write_tokens};
