//! Draws what is known of the file under the cursor, where it is not previewed.

use ratatui::Frame;
use ratatui::layout::Rect;

use super::folder_preview::{DetailLines, FolderPreview};
use super::panes::ListSide;
use super::remote_files::{FileStatus, RemoteFile};
use super::state::State;
use crate::component::RenderContext;
use crate::record::files::EntryKind;
use crate::text::Untrusted;
use crate::ui::meter::{bytes, count};
use crate::ui::pane::{Pane, Surface};
use crate::ui::rule::cut;

/// Columns of a label.
const LABEL: usize = 11;

/// Draws it.
pub(super) fn render(frame: &mut Frame, area: Rect, state: &State, context: RenderContext) {
    let area = area.intersection(frame.area());
    if area.is_empty() {
        return;
    }
    let (title, right, lines) = match state.panes.side {
        ListSide::Local => local(state),
        ListSide::Server => match state.servers.current().and_then(|remote| remote.list.selected_item()) {
            Some(file) => stored(file, state),
            None => (String::new(), "", Vec::new()),
        },
    };
    let (theme, spacing) = (context.theme, context.session.spacing());
    let pane =
        Pane { title: &title, note: "", right, right_style: theme.muted, focus: false, surface: Surface::Ground };
    pane.render(area, frame.buffer_mut(), theme, spacing);
    let content = spacing.pane(area).content;
    let width = usize::from(content.width);
    for ((label, words), y) in lines.iter().zip(content.y..content.bottom()) {
        frame.buffer_mut().set_stringn(content.x, y, label, width, theme.muted);
        let room = width.saturating_sub(LABEL);
        let at = content.x + (LABEL as u16).min(content.width);
        frame.buffer_mut().set_stringn(at, y, cut(words, room), room, theme.text);
    }
}

fn local(state: &State) -> (String, &'static str, DetailLines) {
    let Some(entry) = state.local.list.selected_item() else { return (String::new(), "", Vec::new()) };
    let name = entry.name.line().into_owned();
    let (right, line) = match entry.kind {
        EntryKind::Folder => ("⏎ open", ("kind", "folder".to_owned())),
        EntryKind::File => ("⏎ preview", ("size", bytes(entry.bytes))),
        EntryKind::Other if entry.is_broken() => ("", ("kind", "broken link".to_owned())),
        EntryKind::Other => ("", ("kind", "pipe, socket or device: it cannot be opened".to_owned())),
        EntryKind::Unnameable => ("", ("name", "not valid text; rename it to open it".to_owned())),
    };
    let folder = state.preview.folder(&state.local.path_of(entry)).map(FolderPreview::lines);
    let lines = folder.filter(|lines| !lines.is_empty()).cloned().unwrap_or_else(|| vec![line]);
    (name, right, lines)
}

fn stored(file: &RemoteFile, state: &State) -> (String, &'static str, DetailLines) {
    let mut lines = vec![
        ("id", Untrusted::from(file.id.as_str()).line().into_owned()),
        ("size", format!("{} · {} bytes", bytes(file.bytes), count(file.bytes))),
        ("purpose", file.purpose.line().into_owned()),
    ];
    match &file.status {
        FileStatus::Error(Some(why)) => lines.push(("error", why.line().into_owned())),
        FileStatus::DeletedElsewhere => lines.push(("status", "deleted elsewhere; ^R refreshes the list".to_owned())),
        _ => {}
    }
    let Some(remote) = state.servers.current() else { return (file.name.line().into_owned(), "", lines) };
    if let Some(metadata) = remote.metadata.of(&file.id) {
        if !metadata.hash().is_empty() {
            lines.push(("sha256", metadata.hash().to_owned()));
        }
        if metadata.rows > 0 {
            let tokens =
                if metadata.tokens > 0 { format!(" · {} tokens", count(metadata.tokens)) } else { String::new() };
            let classes = match metadata.classes.len() {
                0 => String::new(),
                some => format!(" · {some} classes"),
            };
            lines.push(("examples", format!("{}{tokens}{classes}", count(metadata.rows))));
        }
    }
    for one in remote.uses.of(&file.id) {
        let runs = if one.runs { " · not finished" } else { "" };
        lines.push(("used by", format!("{} as {}{runs}", one.job.line(), one.role.word())));
    }
    if remote.uses.is_orphan(&file.id) {
        lines.push(("used by", "no job".to_owned()));
    }
    (file.name.line().into_owned(), "⏎ preview", lines)
}
