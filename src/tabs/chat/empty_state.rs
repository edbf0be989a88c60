//! Draws what an empty conversation shows: the purpose of the tab, questions to try, their keys.

use ratatui::Frame;
use ratatui::layout::Rect;

use super::composer::{Composer, EXAMPLES, send_key};
use crate::component::{Session, palette_key};
use crate::ui::empty_state::EmptyState;
use crate::ui::theme::Theme;

/// What Enter does while the examples are offered.
pub(super) const LOAD_EXAMPLE: &str = "load it";

/// Returns questions to begin with: the local model knows the manual, others know everything else. The first one shows
/// what the tab can do with an answer.
pub(super) fn examples(local: bool) -> [&'static str; EXAMPLES] {
    if local {
        ["Show a config.toml with two profiles", "What is top_p good for?", "How do I send a message?"]
    } else {
        ["Explain a mutex, with code in Rust", "Compare TCP with UDP in a table", "Write a regex for ISO dates"]
    }
}

/// Draws it; where a message is begun, its purpose alone.
pub(super) fn render(frame: &mut Frame, area: Rect, composer: &Composer, session: &Session, theme: &Theme) {
    let (key, palette) = (send_key(session), palette_key());
    let purpose = if session.local {
        "Ask a language model; the local one answers from benchtop's manual.".to_owned()
    } else {
        format!("Ask a language model; nothing is sent until you press {key}.")
    };
    let (samples, keys) =
        (examples(session.local), [(key.as_str(), LOAD_EXAMPLE), ("↑↓", "others"), (&palette, "commands")]);
    let chosen = Some(composer.example);
    let mut empty = EmptyState { purpose: &purpose, samples: &samples, chosen, keys: &keys };
    if !composer.editor.is_empty() {
        (empty.samples, empty.keys) = (&[], &[]);
    }
    empty.render(area, frame.buffer_mut(), theme);
}
