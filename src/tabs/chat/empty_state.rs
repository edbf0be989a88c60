//! What stands where nothing was said yet: what the tab is for, a question to try, the keys for that.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use ratatui::widgets::Widget;

use super::state::State;
use crate::component::Session;
use crate::ui::rule::cut;
use crate::ui::theme::Theme;
use crate::ui::wrap;

/// Columns of a row at most.
const WIDTH: u16 = 76;

/// Questions to begin with: the local model knows the manual, others know everything else. The first one shows what the tab
/// can do with an answer.
pub(super) fn examples(local: bool) -> [&'static str; 3] {
    if local {
        ["Show a config.toml with two profiles", "What is top_p good for?", "How do I send a message?"]
    } else {
        ["Explain a mutex, with code in Rust", "Compare TCP with UDP in a table", "Write a regex for ISO dates"]
    }
}

/// Draws it in the upper third of an area: what there is room for, the sentence first.
pub(super) fn render(frame: &mut Frame, area: Rect, state: &State, session: &Session, theme: &Theme) {
    let rows = rows(Rect { width: area.width.min(WIDTH), ..area }, state, session, theme);
    let free = area.height.saturating_sub(rows.len() as u16);
    let top = area.y + (area.height / 8).min(free);
    for (row, y) in rows.iter().zip(top..area.bottom()) {
        row.render(Rect { y, height: 1, ..area }, frame.buffer_mut());
    }
}

fn rows(area: Rect, state: &State, session: &Session, theme: &Theme) -> Vec<Line<'static>> {
    let key = session.send_key();
    let words = if session.local {
        "Ask a language model; the local one answers from benchtop's manual.".to_owned()
    } else {
        format!("Ask a language model; nothing is sent until you press {key}.")
    };
    let width = usize::from(area.width);
    let says: Vec<Line> =
        wrap::lines(&words, width).into_iter().map(|row| Line::styled(row.to_owned(), theme.text)).collect();
    if !state.composer.editor.is_empty() {
        return says;
    }
    let example = |(at, words): (usize, &&str)| {
        let chosen = at == state.composer.example;
        let (mark, style) = if chosen { ("▸ ", theme.accent) } else { ("  ", theme.muted) };
        Line::styled(cut(&format!("{mark}{words}"), width), style)
    };
    let mut examples: Vec<Line> = examples(session.local).iter().enumerate().map(example).collect();
    let keys = keys(&[(key, "use it"), ("↑↓", "others"), ("^P", "commands")], width, theme);
    let height = usize::from(area.height);
    if says.len() + examples.len() + 3 > height {
        examples = vec![examples.swap_remove(state.composer.example)];
    }
    let blank = says.len() + examples.len() + 3 <= height;
    let gap = || blank.then(Line::default);
    says.into_iter().chain(gap()).chain(examples).chain(gap()).chain([keys]).collect()
}

/// Keys with what they do, as many as there is room for.
fn keys(keys: &[(&'static str, &'static str)], width: usize, theme: &Theme) -> Line<'static> {
    let mut spans: Vec<Span> = Vec::new();
    let mut left = width;
    for (key, does) in keys {
        let gap = if spans.is_empty() { "  " } else { "   " };
        let columns = wrap::width(gap) + wrap::width(key) + 1 + does.len();
        let Some(rest) = left.checked_sub(columns) else { break };
        left = rest;
        let does = format!(" {does}");
        spans.extend([Span::raw(gap), Span::styled(*key, theme.accent), Span::styled(does, theme.muted)]);
    }
    spans.into()
}
