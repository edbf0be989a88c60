//! Draws the list of the local folder.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::Style;

use super::format::{list_rows, right_padding, wrapped};
use super::keys::{Action, KEYS};
use super::list_footer::{ListFooter, above_foot, end_of, footer_rows, place, rest};
use super::local::{LocalFolder, LocalOrder};
use super::panes::{ListSide, PaneFocus};
use super::server_view::sample_hint;
use super::state::State;
use crate::component::{Hint, RenderContext};
use crate::record::files::{Entry, EntryKind};
use crate::ui::empty_state::EmptyState;
use crate::ui::item_list::Keyed;
use crate::ui::meter::{bytes, count};
use crate::ui::pane::{Pane, Spacing, Surface};
use crate::ui::rule::cut;
use crate::ui::table::{Align, Table, TableCell, TableColumn, TableRow, Width};
use crate::ui::wrap;

/// Fits the list to its area.
pub(super) fn arrange(state: &mut State, spacing: Spacing) {
    let area = state.panes.layout.local;
    if area.is_empty() || state.local.list.is_empty() {
        return;
    }
    let body = local_body(area, state, spacing);
    let list = &mut state.local.list;
    let len = list.len();
    // A blank before the line between the panes.
    list.view.right = right_padding(spacing).max(1);
    list.view.fit(&local_columns(), len, body);
}

/// Returns where the rows of the local folder are.
fn local_body(area: Rect, state: &State, spacing: Spacing) -> Rect {
    let local = &state.local;
    let typed = state.panes.find.is_typing() && state.panes.side == ListSide::Local;
    let body = list_rows(area, spacing);
    let said = local_said(local).map(|said| footer_rows(&said, spacing.padded(body))).unwrap_or_default();
    above_foot(body, said.max(u16::from(typed || !local.filter().is_empty())))
}

/// Returns what is to be said of the folder: why another one is not here, or why not all of this one is.
fn local_said(local: &LocalFolder) -> Option<String> {
    match &local.failed {
        Some(why) => Some(format!("✕ {} · esc dismiss", why.line())),
        None => local.cut.as_ref().map(|why| why.line().into_owned()),
    }
}

fn local_columns() -> [TableColumn; LocalOrder::ALL.len()] {
    let column = |title: &str, width, align| TableColumn { title: title.to_owned(), width, align };
    [
        column("name", Width::Share { weight: 1, least: 14 }, Align::Left),
        column("size", Width::Fixed(7), Align::Right),
        column("changed", Width::Fixed(8), Align::Right),
    ]
}

/// Draws the local folder.
pub(super) fn render(frame: &mut Frame, area: Rect, state: &State, context: RenderContext) {
    let area = area.intersection(frame.area());
    if area.is_empty() {
        return;
    }
    let here = state.panes.side == ListSide::Local && state.panes.focus == PaneFocus::List;
    let focus = here && !state.modals.is_open();
    let local = &state.local;
    let right = match (local.list.marked_count(), local.list.len()) {
        (0, rows) if rows == local.list.items().len() => count(rows as u64),
        (0, rows) => format!("{} of {}", count(rows as u64), count(local.list.items().len() as u64)),
        (marked, _) => format!("{} marked · {}", count(marked as u64), bytes(local.marked_bytes())),
    };
    let spacing = context.session.spacing();
    let (title, note) = folder_title(local, usize::from(area.width).saturating_sub(12 + right.len()), spacing);
    let right_style = if spacing.has_surfaces() { context.theme.faint } else { context.theme.muted };
    let pane = Pane { title: &title, note: &note, right: &right, right_style, focus, surface: Surface::Panel };
    pane.render(area, frame.buffer_mut(), context.theme, spacing);
    let body = local_body(area, state, spacing);
    let said = local_said(local);
    let foot = ListFooter {
        typed: Some(&state.panes.find).filter(|find| find.is_typing() && state.panes.side == ListSide::Local),
        filter: local.filter(),
        found: local.list.len(),
        said: said.map(|words| (words.into(), context.theme.bad)),
    };
    foot.render(frame, rest(list_rows(area, spacing), body), context);
    if local.list.is_empty() {
        let area = spacing.padded(body);
        let mut say = |said| wrapped(frame, area, said, context.theme.muted);
        match (local.is_asking(), local.list.items().len(), local.filter().is_empty()) {
            (true, 0, _) => say("…"),
            (_, 0, _) => first_steps(frame, area, false, context),
            (.., false) => say("No file name contains these words."),
            _ => first_steps(frame, area, true, context),
        }
        place(frame, body, focus);
        return;
    }
    let columns = local_columns();
    let (by, way) = local.sort;
    let row = |at: usize| {
        local
            .list
            .row(at)
            .map(|entry| entry_row(entry, local.list.is_marked(entry.key()), state.clock.now_ms, context))
            .unwrap_or_default()
    };
    let table = Table { columns: &columns, sort: Some((by.column(), way)), len: local.list.len(), row: &row, focus };
    let cursor = table.render(local.list.view, body, frame.buffer_mut(), context.theme);
    if let Some(cursor) = cursor.filter(|_| !state.panes.find.is_typing()) {
        frame.set_cursor_position(cursor);
    }
    first_step(frame, body, state, context);
}

/// Draws what to do in a folder that shows no files.
fn first_steps(frame: &mut Frame, area: Rect, has_hidden: bool, context: RenderContext) {
    let hint = |action, does: &str| KEYS.hint(action, does);
    let hidden = has_hidden.then(|| hint(Action::Hidden, "show them"));
    let around = [hint(Action::Parent, "open its parent"), hint(Action::Path, "open another folder"), sample_hint()];
    let keys: Vec<Hint> = hidden.into_iter().chain(around).collect();
    let keys: Vec<_> = keys.iter().map(Hint::as_pair).collect();
    let purpose = if has_hidden { "All files in this folder are hidden." } else { "This folder is empty." };
    EmptyState { purpose, samples: &[], chosen: None, keys: &keys }.render(area, frame.buffer_mut(), context.theme);
}

/// Says below the files how to get one to begin with, where the pane that says so is not shown.
fn first_step(frame: &mut Frame, body: Rect, state: &State, context: RenderContext) {
    let has_files = state.servers.current().is_some_and(|remote| !remote.list.items().is_empty());
    // Below the titles, the files and a blank row.
    let row = state.local.list.len() + 2;
    if has_files || !state.panes.layout.server.is_empty() || row >= usize::from(body.height) {
        return;
    }
    let line = context.session.spacing().padded(Rect { y: body.y + row as u16, height: 1, ..body });
    let Hint { key, does } = sample_hint();
    if !key.is_empty() {
        let words = format!("{key}  {does}");
        frame.buffer_mut().set_stringn(line.x, line.y, words, usize::from(line.width), context.theme.muted);
    }
}

/// Returns a folder's name and its path; where lines tell panes apart, the path alone.
fn folder_title(local: &LocalFolder, room: usize, spacing: Spacing) -> (String, String) {
    if local.path.is_empty() {
        return ("Folder".to_owned(), String::new());
    }
    let path = local.path.line();
    if !spacing.has_surfaces() {
        return (end_of(&path, room), String::new());
    }
    let name = cut(&local.name().line(), room / 2);
    let rest = room.saturating_sub(wrap::width(&name) + 1);
    // The title already has the name.
    let around = path.strip_suffix(&*local.name().line()).filter(|around| !around.is_empty());
    let around = around.map_or(&*path, |around| if around.len() > 1 { around.trim_end_matches('/') } else { around });
    (name, end_of(around, rest))
}

fn entry_row(entry: &Entry, marked: bool, now_ms: i64, context: RenderContext) -> TableRow {
    let theme = context.theme;
    let name = entry.name.line();
    let (name, style) = match entry.kind {
        EntryKind::Folder => (format!("{name}/"), theme.accent),
        EntryKind::File => (name.into_owned(), Style::new()),
        EntryKind::Other | EntryKind::Unnameable => (name.into_owned(), theme.faint),
    };
    let link = entry.link.as_ref().map(|target| format!(" → {}", target.line())).unwrap_or_default();
    let size = match entry.kind {
        EntryKind::File => bytes(entry.bytes),
        EntryKind::Folder => String::new(),
        EntryKind::Other if entry.is_broken() => "broken".to_owned(),
        EntryKind::Other => "special".to_owned(),
        EntryKind::Unnameable => "—".to_owned(),
    };
    let time = context.session.zone.when(entry.modified_ms.unwrap_or_default(), now_ms);
    let name = TableCell { note: link, ..TableCell::file(name, style) };
    let cells = vec![name, TableCell::measure(&size, theme.text), TableCell::new(time, theme.faint)];
    TableRow { cells, marked }
}
