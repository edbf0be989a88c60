//! What stands where nothing was said yet.

use ratatui::Frame;
use ratatui::layout::Rect;

use super::state::State;
use crate::component::Session;
use crate::ui::rule::cut;
use crate::ui::theme::Theme;

/// Questions to begin with: the local model knows the manual, others know everything else.
pub(super) fn examples(local: bool) -> [&'static str; 3] {
    if local {
        [
            "How do I send a message?",
            "What is top_p, and when do I change it?",
            "Show me a config.toml with two profiles",
        ]
    } else {
        [
            "What is the difference between a mutex and a semaphore?",
            "Write a regular expression for ISO dates, and explain it",
            "Summarize this text in three sentences: ",
        ]
    }
}

/// Says where one is and offers examples to begin with.
pub(super) fn render(frame: &mut Frame, area: Rect, state: &State, session: &Session, theme: &Theme) {
    let key = session.send_key();
    let words = if session.local {
        format!(
            "You are on the local service: a small model inside this program, offline and free, that knows benchtop's \
             manual and little else. Type below, {key} sends. Ctrl+P → Profile to use a key or another server."
        )
    } else {
        format!("Type below. {key} sends. Nothing you type leaves this machine before that.")
    };
    let width = usize::from(area.width.min(76));
    let mut rows = Vec::new();
    crate::ui::wrap::rows(&words, width, |range| rows.push(words[range].trim_end()));
    let mut y = area.y + u16::from(area.height > 8);
    for line in rows {
        if y >= area.bottom() {
            return;
        }
        frame.buffer_mut().set_stringn(area.x, y, line, width, theme.text);
        y += 1;
    }
    y += 1;
    if state.composer.editor.is_empty() {
        for (at, example) in examples(session.local).iter().enumerate() {
            if y >= area.bottom() {
                return;
            }
            let chosen = at == state.composer.example;
            let (mark, style) = if chosen { ("▸ ", theme.accent) } else { ("  ", theme.muted) };
            frame.buffer_mut().set_stringn(area.x, y, cut(&format!("{mark}{example}"), width), width, style);
            y += 1;
        }
        if y + 1 < area.bottom() {
            let keys = format!("↑↓ choose an example, {key} loads it");
            frame.buffer_mut().set_stringn(area.x + 2, y + 1, keys, width, theme.muted);
        }
    }
}
