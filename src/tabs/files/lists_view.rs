//! Draws the list of the local folder and the list of the server's files.

use std::borrow::Cow;
use std::time::Instant;

use ratatui::Frame;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;

use super::format::{gauge, wrapped};
use super::local::LocalOrder;
use super::panes::{ListSide, PaneFocus};
use super::remote_files::{FileStatus, RemoteFile, RemoteFiles, RemoteOrder};
use super::state::State;
use super::transfer::{Transfer, TransferKind, TransferState};
use crate::component::RenderContext;
use crate::record::files::{Entry, EntryKind};
use crate::text::Untrusted;
use crate::ui::item_list::Keyed;
use crate::ui::line::Line;
use crate::ui::list::Cursor;
use crate::ui::meter::{self, bytes, count};
use crate::ui::rule::{Rule, cut};
use crate::ui::table::{Align, Table, TableCell, TableColumn, TableRow, TableView, Width};
use crate::ui::theme::Theme;
use crate::ui::{time, wrap};

/// Fits both lists to their areas.
pub(super) fn arrange(state: &mut State) {
    let (local, server) = (state.panes.layout.local, state.panes.layout.server);
    if !local.is_empty() && !state.local.list.is_empty() {
        let body = local_body(local, state);
        let len = state.local.list.len();
        state.local.list.view.fit(&local_columns(), len, body);
    }
    if !server.is_empty() && state.servers.current().is_some_and(|remote| !remote.list.is_empty()) {
        let body = server_body(server, state);
        let remote = state.servers.current_mut();
        let len = remote.list.len();
        remote.list.view.fit(&columns(), len, body);
    }
}

/// Returns what is below a list's rule.
fn below_rule(area: Rect) -> Rect {
    Rect { y: area.y + 1, height: area.height - 1, ..area }
}

/// Returns where the rows of the local folder are.
fn local_body(area: Rect, state: &State) -> Rect {
    let local = &state.local;
    let typed = state.panes.filtering.is_some() && state.panes.side == ListSide::Local;
    let said = local.failed.is_some() || local.cut.is_some();
    above_foot(below_rule(area), typed || !local.filter().is_empty() || said)
}

/// Returns where the rows of the server's list are, with those of uploads under way.
fn server_rows(area: Rect, remote: &RemoteFiles, state: &State) -> Rect {
    let mut body = below_rule(area);
    body.height -= u16::from(has_room(body, remote));
    let typed = state.panes.filtering.is_some() && state.panes.side == ListSide::Server;
    above_foot(body, typed || !remote.filter().is_empty() || about(remote).is_some())
}

fn server_body(area: Rect, state: &State) -> Rect {
    let Some(remote) = state.servers.current() else { return area };
    let body = server_rows(area, remote, state);
    Rect { height: body.height - rising_count(body, remote, state), ..body }
}

/// Whether there is a line that says how full the server is.
fn has_room(body: Rect, remote: &RemoteFiles) -> bool {
    remote.listing.at_ms.is_some() && body.height >= 6
}

/// Returns what is above the line at the foot, if there is one.
fn above_foot(area: Rect, any: bool) -> Rect {
    Rect { height: area.height - u16::from(any && area.height >= 3), ..area }
}

fn local_columns() -> [TableColumn; LocalOrder::ALL.len()] {
    let column = |title: &str, width, align| TableColumn { title: title.to_owned(), width, align };
    [
        column("name", Width::Share { weight: 1, least: 14 }, Align::Left),
        column("size", Width::Fixed(7), Align::Right),
        column("changed", Width::Fixed(8), Align::Right),
    ]
}

/// The local folder.
pub(super) fn local(frame: &mut Frame, area: Rect, state: &State, context: RenderContext) {
    let area = area.intersection(frame.area());
    if area.is_empty() {
        return;
    }
    let here = state.panes.side == ListSide::Local && state.panes.focus == PaneFocus::List;
    let focus = here && !state.has_dialog();
    let local = &state.local;
    let title = if local.path.is_empty() { "Folder".into() } else { local.path.line() };
    let right = match (local.list.marked_count(), local.list.len()) {
        (0, rows) if rows == local.list.items().len() => count(rows as u64),
        (0, rows) => format!("{} of {}", count(rows as u64), count(local.list.items().len() as u64)),
        (marked, _) => format!("{} marked", count(marked as u64)),
    };
    // The rule itself takes ten columns, its arrow two.
    let title = end_of(&title, usize::from(area.width).saturating_sub(12 + right.len()));
    let rule = Rule { title: &title, right: &right, right_style: context.theme.muted, focus };
    rule.render(area, frame.buffer_mut(), context.theme);
    let body = local_body(area, state);
    let said = local.failed.as_ref().or(local.cut.as_ref());
    let foot = ListFooter {
        typed: state.panes.filtering.as_ref().filter(|_| state.panes.side == ListSide::Local),
        filter: local.filter(),
        said: said.map(|why| (why.line(), context.theme.bad)),
    };
    foot.render(frame, rest(below_rule(area), body), context, here);
    if local.list.is_empty() {
        let said = match (local.is_asking(), local.list.items().len(), local.filter().is_empty()) {
            (true, 0, _) => "…",
            (_, 0, _) => "Nothing is in this folder. h goes to the one around it, i types a path.",
            (.., false) => "No name has these words.",
            _ => "Only hidden files are here; . shows them.",
        };
        wrapped(frame, body, said, context.theme.muted);
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
    if let Some(cursor) = cursor.filter(|_| state.panes.filtering.is_none()) {
        frame.set_cursor_position(cursor);
    }
}

fn entry_row(entry: &Entry, marked: bool, now_ms: i64, context: RenderContext) -> TableRow {
    let theme = context.theme;
    let name = entry.name.line();
    let link = if entry.link { " →" } else { "" };
    let (name, style) = match entry.kind {
        EntryKind::Folder => (format!("{name}/{link}"), theme.accent),
        EntryKind::File => (format!("{name}{link}"), Style::new()),
        EntryKind::Other | EntryKind::Unnameable => (format!("{name}{link}"), theme.faint),
    };
    let size = match entry.kind {
        EntryKind::File => bytes(entry.bytes),
        EntryKind::Folder => String::new(),
        EntryKind::Other if entry.is_broken() => "broken".to_owned(),
        EntryKind::Other => "special".to_owned(),
        EntryKind::Unnameable => "—".to_owned(),
    };
    let time = context.session.zone.when(entry.modified_ms.unwrap_or_default(), now_ms);
    let cells = vec![TableCell::name(name, style), TableCell::new(size, theme.text), TableCell::new(time, theme.muted)];
    TableRow { cells, marked }
}

/// The files of the server.
pub(super) fn server(frame: &mut Frame, area: Rect, state: &State, context: RenderContext) {
    let area = area.intersection(frame.area());
    if area.is_empty() {
        return;
    }
    let here = state.panes.side == ListSide::Server && state.panes.focus == PaneFocus::List;
    let focus = here && !state.has_dialog();
    let Some(remote) = state.servers.current() else { return };
    let right = match state.deleting.as_ref().filter(|deleting| deleting.profile == remote.profile) {
        Some(deleting) => deleting.words(),
        None => heading(remote, state.clock.now_ms, context),
    };
    let style = if remote.listing.failed.is_some() { context.theme.warn } else { context.theme.muted };
    let rule = Rule { title: "Files on server", right: &right, right_style: style, focus };
    rule.render(area, frame.buffer_mut(), context.theme);
    let mut below = below_rule(area);
    if has_room(below, remote) {
        below.height -= 1;
        room(frame, Rect { y: below.bottom(), height: 1, ..below }, remote, context);
    }
    let rows = server_rows(area, remote, state);
    let foot = ListFooter {
        typed: state.panes.filtering.as_ref().filter(|_| state.panes.side == ListSide::Server),
        filter: remote.filter(),
        said: about(remote).map(|(words, style)| (words, style(context.theme))),
    };
    foot.render(frame, rest(below, rows), context, here);
    let body = server_body(area, state);
    rising(frame, rows, remote, state, context);
    if remote.list.is_empty() {
        let (said, style) = nothing(remote, context);
        wrapped(frame, body, &said, style);
        place(frame, body, focus);
        return;
    }
    let columns = columns();
    let (by, way) = remote.sort;
    let row =
        |at: usize| remote.list.row(at).map(|file| file_row(file, remote, state, context, body)).unwrap_or_default();
    let table = Table { columns: &columns, sort: Some((by.column(), way)), len: remote.list.len(), row: &row, focus };
    let cursor = table.render(remote.list.view, body, frame.buffer_mut(), context.theme);
    if let Some(cursor) = cursor.filter(|_| state.panes.filtering.is_none()) {
        frame.set_cursor_position(cursor);
    }
}

/// Uploads under way, as rows below those that are there: so many at most.
const RISING: usize = 3;

/// Returns how many rows uploads under way take at the foot of the list.
fn rising_count(area: Rect, remote: &RemoteFiles, state: &State) -> u16 {
    let most = RISING.min(usize::from(area.height) / 4);
    state.transfers.rising(&remote.profile).take(most).count() as u16
}

/// Draws uploads that are not over as rows at the foot of the list.
fn rising(frame: &mut Frame, area: Rect, remote: &RemoteFiles, state: &State, context: RenderContext) {
    let most = usize::from(rising_count(area, remote, state));
    let rows: Vec<TableRow> =
        state.transfers.rising(&remote.profile).take(most).map(|one| rising_row(one, state, context)).collect();
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
    // None of them is under the cursor.
    for y in above.bottom()..area.bottom() {
        frame.buffer_mut().set_stringn(area.x, y, " ", 1, context.theme.text);
    }
}

fn rising_row(one: &Transfer, state: &State, context: RenderContext) -> TableRow {
    let theme = context.theme;
    let (word, style) = match &one.state {
        TransferState::Waiting => ("◌ in line".to_owned(), theme.muted),
        TransferState::Paused => ("‖ paused".to_owned(), theme.muted),
        TransferState::Retrying(..) => ("⚠ lost".to_owned(), theme.warn),
        _ => (format!("{} uploading", spinner(Some(one.since), context)), theme.busy),
    };
    let purpose = if let TransferKind::Up(upload, _) = &one.what { upload.purpose.as_str() } else { "" };
    let cells = vec![
        TableCell::name(one.name().line(), theme.muted),
        TableCell::new(one.total.map(bytes).unwrap_or_default(), theme.muted),
        TableCell::new(self::purpose(&purpose.into()), theme.muted),
        TableCell::new(context.session.zone.time(state.clock.now_ms), theme.muted),
        TableCell::new(word, style),
        TableCell::default(),
    ];
    TableRow { cells, marked: false }
}

/// Returns a name in the list's first column; of a name that is too long both ends are kept, however narrow it is:
/// those that were made together differ at their ends.
fn ends(name: &str, area: Rect) -> String {
    // What the other columns and the blanks between take.
    let width = usize::from(area.width).saturating_sub(3 + 54).max(14);
    if wrap::width(name) <= width {
        return name.to_owned();
    }
    let tail = end_of(name, width * 2 / 3);
    let head = cut(name, width - wrap::width(&tail) + 1);
    format!("{}{tail}", head.trim_end_matches('…'))
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
    let again = remote.listing.again.map(|at| at.saturating_duration_since(context.now).as_secs_f64().ceil() as u64);
    match (remote.listing.is_asking(), &remote.listing.failed, age) {
        (true, ..) if again.is_some() => format!("⚠ no answer; again in {} s · ^R now", again.unwrap_or(0).max(1)),
        (true, _, Some(age)) => format!("{} as of {age}", spin()),
        (true, _, None) => format!("{} loading", spin()),
        (false, Some(_), Some(age)) => format!("✕ as of {age} · ^R"),
        (false, Some(_), None) if remote.listing.is_unsupported() => "not offered".to_owned(),
        (false, Some(_), None) => "✕".to_owned(),
        (false, None, Some(age)) if remote.listing.old && remote.list.marked_count() == 0 => {
            format!("as of {age} · ^R")
        }
        (false, None, _) if remote.list.marked_count() > 0 => {
            let sum =
                remote.list.items().iter().filter(|file| remote.list.is_marked(&file.id)).map(|file| file.bytes).sum();
            format!("{} marked · {}", count(remote.list.marked_count() as u64), bytes(sum))
        }
        (false, None, _) => format!("{} · {}", count(remote.list.items().len() as u64), bytes(remote.total_bytes())),
    }
}

/// How full the server is.
fn room(frame: &mut Frame, line: Rect, remote: &RemoteFiles, context: RenderContext) {
    let sum = remote.total_bytes();
    let style = match sum as f64 / super::format::ROOM as f64 {
        share if share >= 1.0 => context.theme.bad,
        share if share >= 0.8 => context.theme.warn,
        _ => context.theme.muted,
    };
    let mark = if sum as f64 >= super::format::ROOM as f64 * 0.8 { " !" } else { "" };
    let cells = usize::from(line.width).saturating_sub(30).min(24);
    let said = format!("{}{mark}", gauge(sum, cells));
    frame.buffer_mut().set_stringn(line.x + 1, line.y, said, usize::from(line.width.saturating_sub(2)), style);
}

/// A function that returns a style of the theme.
type StyleOf = fn(&Theme) -> Style;

/// Returns what is to be said of the file under the cursor, or of the list.
fn about(remote: &RemoteFiles) -> Option<(Cow<'_, str>, StyleOf)> {
    if let Some(why) = remote.listing.failed.as_ref().filter(|_| !remote.list.is_empty()) {
        return Some((why.sentence.line(), |theme| theme.warn));
    }
    let file = remote.list.here()?;
    match &file.status {
        FileStatus::Error(Some(why)) => Some((format!("✕ {}", why.line()).into(), |theme| theme.bad)),
        FileStatus::Gone => Some(("it is not there any more: deleted elsewhere".into(), |theme| theme.warn)),
        _ => {
            let used = remote.uses.words(&file.id);
            if used.is_empty() { None } else { Some((used.into(), |theme| theme.muted)) }
        }
    }
}

fn nothing<'a>(remote: &'a RemoteFiles, context: RenderContext) -> (Cow<'a, str>, Style) {
    if remote.listing.is_unsupported() {
        let said =
            "This server keeps no files. The local side works all the same: look into files, check and mend them.";
        return (said.into(), context.theme.muted);
    }
    if let Some(why) = &remote.listing.failed {
        return (format!("{} · ^R tries again", why.sentence.line()).into(), context.theme.warn);
    }
    let said = match (remote.listing.at_ms, remote.list.items().is_empty()) {
        (None, _) => "",
        (_, true) => "No files yet. U uploads one.",
        (_, false) => "No name, purpose or id has these words.",
    };
    (said.into(), context.theme.muted)
}

fn file_row(file: &RemoteFile, remote: &RemoteFiles, state: &State, context: RenderContext, area: Rect) -> TableRow {
    let (theme, zone) = (context.theme, &context.session.zone);
    let faint = remote.listing.is_stale() || file.status == FileStatus::Gone;
    let style = |style: Style| if faint { theme.faint } else { style };
    let (status, status_style) = match &file.status {
        _ if file.going => ("… deleting".to_owned(), theme.busy),
        FileStatus::Uploaded => ("… uploaded".to_owned(), theme.busy),
        FileStatus::Processed => ("✓ processed".to_owned(), theme.good),
        FileStatus::Error(_) => ("✕ error".to_owned(), theme.bad),
        FileStatus::Gone => ("gone".to_owned(), theme.warn),
        FileStatus::Other(word) => (word.line().into_owned(), theme.muted),
    };
    let uses = remote.uses.of(&file.id);
    let (used, used_style) = match uses.first() {
        Some(one) if one.runs => (format!("●{}", one.role.short()), theme.busy),
        Some(one) => (one.role.short().to_owned(), theme.text),
        None if remote.uses.is_orphan(&file.id) => ("no job".to_owned(), theme.faint),
        None => (String::new(), theme.faint),
    };
    let cells = vec![
        TableCell::name(ends(&file.name.line(), area), style(theme.text)),
        TableCell::new(bytes(file.bytes), style(theme.text)),
        TableCell::new(purpose(&file.purpose), style(theme.text)),
        TableCell::new(zone.when(file.created_ms.unwrap_or_default(), state.clock.now_ms), style(theme.muted)),
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

/// The lowest line of a list: the words typed to filter, else what is to be said.
struct ListFooter<'a> {
    typed: Option<&'a Line>,
    filter: &'a str,
    said: Option<(Cow<'a, str>, Style)>,
}

impl ListFooter<'_> {
    fn render(&self, frame: &mut Frame, area: Rect, context: RenderContext, focus: bool) {
        if area.is_empty() {
            return;
        }
        let line = Rect { x: area.x + 1, width: area.width.saturating_sub(2), ..area };
        let room = usize::from(line.width);
        if let Some(typed) = self.typed {
            frame.buffer_mut().set_stringn(line.x, line.y, "/ ", room, context.theme.accent);
            let rest = Rect { x: line.x + 2.min(line.width), width: line.width.saturating_sub(2), ..line };
            typed.render(frame, rest, context.theme.text, focus);
        } else if !self.filter.is_empty() {
            let filter = Untrusted::from(format!("/ {} · esc shows all", self.filter));
            frame.buffer_mut().set_stringn(line.x, line.y, cut(&filter.line(), room), room, context.theme.accent);
        } else if let Some((said, style)) = &self.said {
            frame.buffer_mut().set_stringn(line.x, line.y, cut(said, room), room, *style);
        }
    }
}

/// Returns the rows of an area below its first part.
fn rest(area: Rect, part: Rect) -> Rect {
    Rect { y: part.bottom(), height: area.bottom() - part.bottom(), ..area }
}

/// Returns a path in so many columns, of a longer one its end, which matters most.
fn end_of(path: &str, width: usize) -> String {
    use unicode_segmentation::UnicodeSegmentation as _;
    if crate::ui::wrap::width(path) <= width || width < 4 {
        return path.to_owned();
    }
    let (mut start, mut used) = (path.len(), 1);
    for (at, grapheme) in path.grapheme_indices(true).rev() {
        used += crate::ui::wrap::width(grapheme);
        if used > width {
            break;
        }
        start = at;
    }
    format!("…{}", &path[start..])
}

/// The terminal's cursor where a list has no row.
fn place(frame: &mut Frame, area: Rect, focus: bool) {
    if focus && !area.is_empty() {
        frame.set_cursor_position((area.x, area.y));
    }
}
