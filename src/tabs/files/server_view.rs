//! Draws the list of the server's files.

use std::borrow::Cow;
use std::time::Instant;

use ratatui::Frame;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;

use super::format::{gauge, list_rows, of_room, right_padding, wrapped};
use super::keys::{Action, KEYS};
use super::list_footer::{ListFooter, above_foot, place, rest};
use super::panes::{ListSide, PaneFocus};
use super::remote_files::{FileStatus, RemoteFile, RemoteFiles, RemoteOrder};
use super::state::State;
use super::transfer::{Transfer, TransferKind, TransferState};
use crate::component::{DETAILS, Hint, RenderContext, TRY_AGAIN, draw_lines, failure_lines, profile_hint};
use crate::text::Untrusted;
use crate::ui::empty_state::EmptyState;
use crate::ui::list::Cursor;
use crate::ui::meter::{self, bytes, count};
use crate::ui::pane::{Pane, Spacing, Surface};
use crate::ui::table::{Align, Table, TableCell, TableColumn, TableRow, TableView, Width};
use crate::ui::theme::Theme;
use crate::ui::time;

/// Share of the server's room from which on it is said that it is nearly full.
const NEARLY: f64 = 0.8;

/// Fits the list to its area.
pub(super) fn arrange(state: &mut State, spacing: Spacing) {
    let area = state.panes.layout.server;
    if area.is_empty() || state.servers.current().is_none_or(|remote| remote.list.is_empty()) {
        return;
    }
    let body = server_body(area, state, spacing);
    let list = &mut state.servers.current_mut().list;
    let len = list.len();
    list.view.right = right_padding(spacing);
    list.view.fit(&columns(), len, body);
}

/// Returns where the rows of the server's list are, with those of uploads under way.
fn server_rows(area: Rect, remote: &RemoteFiles, state: &State, spacing: Spacing) -> Rect {
    let mut body = list_rows(area, spacing);
    body.height -= u16::from(has_room(body, remote));
    let typed = state.panes.find.is_typing() && state.panes.side == ListSide::Server;
    above_foot(body, u16::from(typed || !remote.filter().is_empty() || about(remote).is_some()))
}

fn server_body(area: Rect, state: &State, spacing: Spacing) -> Rect {
    let Some(remote) = state.servers.current() else { return area };
    let body = server_rows(area, remote, state, spacing);
    Rect { height: body.height - rising_count(body, remote, state), ..body }
}

/// Returns whether there is a line that says how full the server is: where it is nearly so.
fn has_room(body: Rect, remote: &RemoteFiles) -> bool {
    remote.listing.at_ms.is_some() && body.height >= 6 && share(remote) >= NEARLY
}

/// Returns how much of the server's room is used, 0 to 1 or more.
fn share(remote: &RemoteFiles) -> f64 {
    remote.total_bytes() as f64 / super::format::ROOM as f64
}

/// Draws the files of the server.
pub(super) fn render(frame: &mut Frame, area: Rect, state: &State, context: RenderContext) {
    let area = area.intersection(frame.area());
    if area.is_empty() {
        return;
    }
    let here = state.panes.side == ListSide::Server && state.panes.focus == PaneFocus::List;
    let focus = here && !state.modals.is_open();
    let Some(remote) = state.servers.current() else { return };
    let right = match state.deleting.as_ref().filter(|deleting| deleting.profile == remote.profile) {
        Some(deleting) => deleting.words(),
        None => heading(remote, state.clock.now_ms, context),
    };
    let spacing = context.session.spacing();
    let right_style = match remote.listing.failed.is_some() {
        true => context.theme.warn,
        false if spacing.has_surfaces() => context.theme.faint,
        false => context.theme.muted,
    };
    let surface = Surface::Ground;
    let pane = Pane { title: "Server files", note: "", right: &right, right_style, focus, surface };
    pane.render(area, frame.buffer_mut(), context.theme, spacing);
    let mut below = list_rows(area, spacing);
    if has_room(below, remote) {
        below.height -= 1;
        room(frame, spacing.padded(Rect { y: below.bottom(), height: 1, ..below }), remote, context);
    }
    let rows = server_rows(area, remote, state, spacing);
    let foot = ListFooter {
        typed: Some(&state.panes.find).filter(|find| find.is_typing() && state.panes.side == ListSide::Server),
        filter: remote.filter(),
        found: remote.list.len(),
        said: about(remote).map(|(words, style)| (words, style(context.theme))),
    };
    foot.render(frame, rest(below, rows), context);
    let body = server_body(area, state, spacing);
    draw_uploads(frame, rows, remote, state, context);
    if remote.list.is_empty() {
        empty(frame, spacing.padded(body), (remote, state.has_empty_folder()), context.theme);
        place(frame, body, focus);
        return;
    }
    let columns = columns();
    let (by, way) = remote.sort;
    let row = |at: usize| remote.list.row(at).map(|file| file_row(file, remote, state, context)).unwrap_or_default();
    let table = Table { columns: &columns, sort: Some((by.column(), way)), len: remote.list.len(), row: &row, focus };
    let cursor = table.render(remote.list.view, body, frame.buffer_mut(), context.theme);
    if let Some(cursor) = cursor.filter(|_| !state.panes.find.is_typing()) {
        frame.set_cursor_position(cursor);
    }
}

/// Uploads under way, as rows below those that are there: so many at most.
const RISING: usize = 3;

/// Returns how many rows uploads under way take at the foot of the list.
fn rising_count(area: Rect, remote: &RemoteFiles, state: &State) -> u16 {
    let most = RISING.min(usize::from(area.height) / 4);
    state.transfers.unfinished_uploads(&remote.profile).take(most).count() as u16
}

/// Draws unfinished uploads as rows at the foot of the list.
fn draw_uploads(frame: &mut Frame, area: Rect, remote: &RemoteFiles, state: &State, context: RenderContext) {
    let most = usize::from(rising_count(area, remote, state));
    let rows: Vec<TableRow> = state
        .transfers
        .unfinished_uploads(&remote.profile)
        .take(most)
        .map(|one| rising_row(one, state, context))
        .collect();
    if rows.is_empty() {
        return;
    }
    // A table of their own has the same columns; its line of titles is not drawn.
    let height = rows.len() as u16;
    let mut apart = Buffer::empty(Rect { height: height + 1, ..area });
    let row = |at: usize| rows.get(at).cloned().unwrap_or_default();
    let table = Table { columns: &columns(), sort: None, len: rows.len(), row: &row, focus: false };
    let view = TableView { cursor: Cursor { selected: usize::MAX, top: 0 }, ..remote.list.view };
    table.render(view, apart.area, &mut apart, context.theme);
    let above = Rect { height: area.height - height, ..area };
    for y in 0..height {
        for x in area.left()..area.right() {
            frame.buffer_mut()[(x, above.bottom() + y)] = apart[(x, area.y + 1 + y)].clone();
        }
    }
    // No row of this table is under the cursor.
    for y in above.bottom()..area.bottom() {
        frame.buffer_mut().set_stringn(area.x, y, " ", 1, context.theme.text);
    }
}

fn rising_row(one: &Transfer, state: &State, context: RenderContext) -> TableRow {
    let theme = context.theme;
    let (word, style) = match &one.state {
        TransferState::Waiting => ("◌ waiting".to_owned(), theme.muted),
        TransferState::Paused => ("‖ paused".to_owned(), theme.muted),
        TransferState::Retrying(..) => ("⚠ lost".to_owned(), theme.warn),
        _ => (format!("{} uploading", spinner(Some(one.since), context)), theme.busy),
    };
    let purpose = if let TransferKind::Up(upload, _) = &one.what { upload.purpose.as_str() } else { "" };
    let cells = vec![
        TableCell::file(one.name().line(), theme.muted),
        TableCell::measure(&one.total.map(bytes).unwrap_or_default(), theme.muted),
        TableCell::new(self::purpose(&purpose.into()), theme.muted),
        TableCell::new(context.session.zone.time(state.clock.now_ms), theme.muted),
        TableCell::new(word, style),
        TableCell::default(),
    ];
    TableRow { cells, marked: false }
}

fn columns() -> [TableColumn; RemoteOrder::ALL.len()] {
    let column = |title: &str, width, align| TableColumn { title: title.to_owned(), width, align };
    [
        column("name", Width::Share { weight: 1, least: 14 }, Align::Left),
        column("size", Width::Fixed(7), Align::Right),
        column("purpose", Width::Fixed(10), Align::Left),
        column("created", Width::Fixed(9), Align::Right),
        column("status", Width::Fixed(11), Align::Left),
        column("used", Width::Fixed(7), Align::Left),
    ]
}

/// Returns what stands at the right of the title: how many and how much, or how old it is.
fn heading(remote: &RemoteFiles, now_ms: i64, context: RenderContext) -> String {
    let spin = || spinner(remote.listing.since, context);
    let age = remote.listing.at_ms.map(|at| time::ago(at, now_ms));
    let again = remote.listing.again.filter(|_| remote.is_asking());
    if let Some(at) = again {
        return format!("⚠ no answer; retry in {} · ^R now", time::countdown(at, context.now));
    }
    match (remote.is_asking(), &remote.listing.failed, age) {
        (true, _, Some(age)) => format!("{} as of {age}", spin()),
        (true, _, None) => format!("{} loading", spin()),
        (false, Some(_), Some(age)) => format!("✕ as of {age} · ^R"),
        (false, Some(_), None) if remote.listing.is_unsupported() => "not available".to_owned(),
        (false, Some(_), None) => "✕".to_owned(),
        (false, None, Some(age)) if remote.listing.old && remote.list.marked_count() == 0 => {
            format!("as of {age} · ^R")
        }
        (false, None, _) if remote.list.marked_count() > 0 => {
            let sum =
                remote.list.items().iter().filter(|file| remote.list.is_marked(&file.id)).map(|file| file.bytes).sum();
            format!("{} marked · {}", count(remote.list.marked_count() as u64), bytes(sum))
        }
        (false, None, _) if remote.list.items().is_empty() => String::new(),
        (false, None, _) => {
            format!("{}   {}", count(remote.list.items().len() as u64), of_room(remote.total_bytes()))
        }
    }
}

/// Draws how full the server is.
fn room(frame: &mut Frame, line: Rect, remote: &RemoteFiles, context: RenderContext) {
    let style = if share(remote) >= 1.0 { context.theme.bad } else { context.theme.warn };
    let cells = usize::from(line.width).saturating_sub(28).min(24);
    let said = format!("{} !", gauge(remote.total_bytes(), cells));
    frame.buffer_mut().set_stringn(line.x, line.y, said, usize::from(line.width), style);
}

/// A function that returns a style of the theme.
type StyleOf = fn(&Theme) -> Style;

/// Returns what is to be said of the file under the cursor, or of the list.
fn about(remote: &RemoteFiles) -> Option<(Cow<'_, str>, StyleOf)> {
    if let Some(why) = remote.listing.failed.as_ref().filter(|_| !remote.list.is_empty()) {
        return Some((why.sentence.line(), |theme| theme.warn));
    }
    let file = remote.list.selected_item()?;
    match &file.status {
        FileStatus::Error(Some(why)) => Some((format!("✕ {}", why.line()).into(), |theme| theme.bad)),
        FileStatus::DeletedElsewhere => Some(("no longer on the server: deleted elsewhere".into(), |theme| theme.warn)),
        _ => {
            let used = remote.uses.words(&file.id);
            if used.is_empty() { None } else { Some((used.into(), |theme| theme.muted)) }
        }
    }
}

/// What is said where the server has no files yet.
const NO_FILES: &str =
    "The server has no files yet. This tab checks training data and moves files to and from the server.";
/// What is said where the server does not offer to store any.
const NOT_OFFERED: &str = "This server does not store files. You can still view, check and repair files in the folder.";

/// Returns how to get a file to begin with.
pub(super) fn sample_hint() -> Hint {
    KEYS.hint(Action::Sample, "write a sample training file")
}

/// Draws why there are no rows, or how to begin.
fn empty(frame: &mut Frame, area: Rect, (remote, in_empty_folder): (&RemoteFiles, bool), theme: &Theme) {
    let listing = &remote.listing;
    let keys =
        [sample_hint(), KEYS.hint(Action::Check, "check the selected file"), KEYS.hint(Action::Upload, "upload it")];
    let mut first_steps = |purpose, keys: &[Hint]| {
        let keys: Vec<_> = keys.iter().map(Hint::as_pair).collect();
        EmptyState { purpose, samples: &[], chosen: None, keys: &keys }.render(area, frame.buffer_mut(), theme);
    };
    match &listing.failed {
        Some(_) if listing.is_unsupported() => first_steps(NOT_OFFERED, &keys[..2]),
        Some(why) => {
            let below = [TRY_AGAIN, DETAILS, &profile_hint()];
            let lines = failure_lines(&why.sentence.line(), &below, usize::from(area.width), usize::MAX).into_iter();
            let style = |is_sentence| if is_sentence { theme.bad } else { theme.muted };
            let lines: Vec<_> = lines.map(|(line, is_sentence)| (line, style(is_sentence))).collect();
            draw_lines(frame.buffer_mut(), area, &lines, theme);
        }
        None if listing.at_ms.is_none() => {}
        None if remote.list.items().is_empty() => {
            // What is done with the selected file cannot be done without one.
            first_steps(NO_FILES, if in_empty_folder { &keys[..1] } else { &keys });
        }
        None => wrapped(frame, area, "No file has these words in its name, purpose or id.", theme.muted),
    }
}

fn file_row(file: &RemoteFile, remote: &RemoteFiles, state: &State, context: RenderContext) -> TableRow {
    let (theme, zone) = (context.theme, context.session.zone);
    let faint = remote.is_stale() || file.status == FileStatus::DeletedElsewhere;
    let style = |style: Style| if faint { theme.faint } else { style };
    let (status, status_style) = match &file.status {
        _ if file.going => ("… deleting".to_owned(), theme.busy),
        FileStatus::Uploaded => ("… uploaded".to_owned(), theme.busy),
        FileStatus::Processed => ("✓ processed".to_owned(), theme.good),
        FileStatus::Error(_) => ("✕ error".to_owned(), theme.bad),
        FileStatus::DeletedElsewhere => ("gone".to_owned(), theme.warn),
        FileStatus::Other(word) => (word.line().into_owned(), theme.muted),
    };
    let uses = remote.uses.of(&file.id);
    let (used, used_style) = match uses.first() {
        Some(one) if one.runs => (format!("●{}", one.role.short_name()), theme.busy),
        Some(one) => (one.role.short_name().to_owned(), theme.text),
        None if remote.uses.is_orphan(&file.id) => ("no job".to_owned(), theme.faint),
        None => (String::new(), theme.faint),
    };
    let cells = vec![
        TableCell::file(file.name.line(), style(theme.text)),
        TableCell::measure(&bytes(file.bytes), style(theme.text)),
        TableCell::new(purpose(&file.purpose), style(theme.muted)),
        TableCell::new(zone.when(file.created_ms.unwrap_or_default(), state.clock.now_ms), style(theme.faint)),
        TableCell::new(status, style(status_style)),
        TableCell::new(used, style(used_style)),
    ];
    TableRow { cells, marked: remote.list.is_marked(&file.id) }
}

/// Returns a purpose as the column has room for it.
fn purpose(purpose: &Untrusted) -> String {
    let word = purpose.line();
    match &*word {
        "fine-tune-results" => "results".to_owned(),
        "classifications" => "classific.".to_owned(),
        _ => word.into_owned(),
    }
}

fn spinner(since: Option<Instant>, context: RenderContext) -> &'static str {
    meter::spinner(
        since.map(|since| context.now.saturating_duration_since(since)).unwrap_or_default(),
        context.session.motion,
    )
}
