//! Lists of texts in the store, and what services said of their texts.
//!
//! A check belongs to no list but to its text: whoever has the text again, in whichever list, has what is known of it.

mod load;
mod mend;
mod save;
mod score;

pub(super) use load::{checks, list_checks, lists, texts};
pub(super) use mend::adopt;
pub(super) use save::{delete_list, delete_rows, write_checks, write_list, write_rows};

use crate::record::Bench;

/// Whose a list is, as it is kept.
fn word(bench: Bench) -> &'static str {
    match bench {
        Bench::Moderate => "moderate",
        Bench::Embed => "embed",
    }
}
