//! Draws the plan of an upload.

use ratatui::Frame;
use ratatui::layout::{Position, Rect};

use super::UploadPlan;
use super::planned_file::{PlannedFile, UploadVerdict};
use super::purposes::title_words;
use crate::tabs::files::format::sum;
use crate::tabs::files::format::{ROOM, files};
use crate::tabs::files::remote_files::RemoteFiles;
use crate::text::Untrusted;
use crate::ui::meter::{bytes, count};
use crate::ui::overlay::{self, Words};
use crate::ui::rule::{cut, cut_file};
use crate::ui::theme::Theme;
use crate::ui::wrap;

/// Columns and rows at most.
const SIZE: (u16, u16) = (92, 22);
/// Rows below the list: a blank, sentences, a blank, the sum.
const SENTENCES: u16 = 5;

/// Columns of the box's inside below which sizes have no room.
const NARROW: usize = 44;

/// What is said of the files, worked out before it is drawn.
#[derive(Debug, Default)]
pub(super) struct PlanText {
    /// What is said beside the name of each file.
    rows: Vec<(UploadVerdict, String)>,
    /// What is said of the file under the cursor.
    sentences: Vec<Untrusted>,
    /// How many more problems it has than there are sentences.
    more: u64,
    /// Bytes that the server holds; `None`: not known.
    stored: Option<u64>,
}

impl UploadPlan {
    /// Works out what is said of the files, with what is known of those on the server.
    pub(crate) fn describe(&mut self, remote: &RemoteFiles) {
        let here = self.items.get(self.cursor.selected);
        let sentences = here.map(|item| item.sentences(remote)).unwrap_or_default();
        let more = here.map_or(0, PlannedFile::unlisted_problems);
        let rows = self.items.iter().map(|item| (item.verdict(), item.status_words(remote))).collect();
        self.text = PlanText { rows, sentences, more, stored: remote.listing.at_ms.map(|_| remote.total_bytes()) };
    }

    pub(super) fn draw(&self, frame: &mut Frame, area: Rect, theme: &Theme) {
        let area = area.intersection(frame.area());
        let nothing = self.nothing_to_upload();
        let title = match nothing {
            Some(_) => "Nothing to upload".to_owned(),
            None => format!("Upload {} {}", files(self.items.len()), title_words(&self.purpose)),
        };
        let all = self.rows();
        let (height, rows) = self.heights(area);
        let right = if all > rows { format!("{} of {all}", self.cursor.selected + 1) } else { String::new() };
        let words = Words { title: &title, right: &right, ..Words::default() };
        let inside = overlay::boxed(frame, area, (SIZE.0, height), &words, theme);
        if inside.is_empty() {
            return;
        }
        // A border keeps the list off the title, where there is one.
        let gap = u16::from(theme.kind.has_surfaces() && inside.height > rows + SENTENCES);
        let list = Rect { y: inside.y + gap, height: rows.min(inside.height - gap), ..inside };
        self.list(frame, list, theme);
        let last = inside.bottom() - 1;
        let about = Rect { y: list.bottom() + 1, height: last.saturating_sub(list.bottom() + 2), ..inside };
        sentences(frame, about, (&self.text.sentences, self.text.more), theme);
        if let Some(note) = self.note.or(nothing) {
            // What has to be done first may also take the blank row above the last one.
            let top = list.bottom().max(last.saturating_sub(1));
            let rows = Rect { y: top, height: inside.bottom().saturating_sub(top), ..inside };
            draw_note(frame, rows, note, theme);
        } else if last >= list.bottom() {
            let line = Rect { y: last, height: 1, ..inside };
            self.last(frame, line, theme);
        }
    }

    fn rows(&self) -> u16 {
        self.items.len().min(usize::from(u16::MAX / 2)) as u16
    }

    /// Returns the height of the box and of its list.
    fn heights(&self, area: Rect) -> (u16, u16) {
        let all = self.rows();
        let about = self.text.sentences.len();
        // Rows are left out only where there is no room; then it is said how many there are.
        let height = (all + 2 + SENTENCES + 4).min(SIZE.1).min(area.height);
        let below = if about > 0 { SENTENCES } else { 1 };
        (height, all.min(height.saturating_sub(2 + below + 2)).max(1))
    }

    /// Brings the file under the cursor into view.
    pub(super) fn fit(&mut self, area: Rect) {
        let (height, rows) = self.heights(area);
        self.cursor.window(usize::from(rows.min(height.saturating_sub(2))), self.items.len());
    }

    fn list(&self, frame: &mut Frame, area: Rect, theme: &Theme) {
        let width = usize::from(area.width);
        let longest = self.items.iter().map(|item| wrap::width(&Untrusted::from(item.name()).line())).max();
        let names = longest.unwrap_or(0).clamp(8, (width * 2 / 5).max(8));
        let mut cursor = self.cursor;
        for (at, y) in cursor.window(usize::from(area.height), self.items.len()).zip(area.y..) {
            let item = &self.items[at];
            let is_selected = at == self.cursor.selected;
            let ground = if is_selected { theme.text.patch(theme.select) } else { theme.text };
            frame.buffer_mut().set_style(Rect { y, height: 1, ..area }, ground);
            let name = Untrusted::from(item.name());
            let name = cut_file(&name.line(), names);
            let pad = " ".repeat(names.saturating_sub(wrap::width(&name)));
            let size = if width < NARROW { String::new() } else { format!("{:>7}  ", bytes(item.bytes())) };
            let head = format!("  {name}{pad}  {size}");
            let used = wrap::width(&head);
            frame.buffer_mut().set_stringn(area.x, y, head, width, ground);
            if is_selected {
                frame.buffer_mut().set_stringn(area.x, y, "▌", 1, ground.patch(theme.accent));
            }
            let Some((verdict, words)) = self.text.rows.get(at) else { continue };
            let style = match verdict {
                UploadVerdict::Waits => theme.busy,
                UploadVerdict::Asks => theme.warn,
                UploadVerdict::Send => theme.good,
                UploadVerdict::Use(_) => theme.accent,
                UploadVerdict::Out => theme.faint,
            };
            if used < width {
                let words = cut(words, width - used);
                frame.buffer_mut().set_stringn(area.x + used as u16, y, words, width - used, ground.patch(style));
            }
            if is_selected {
                frame.set_cursor_position(Position::new(area.x, y));
            }
        }
    }

    /// Draws the last line: what is sent, and how full the server is then.
    fn last(&self, frame: &mut Frame, line: Rect, theme: &Theme) {
        let width = usize::from(line.width);
        let (count, size) = self.sum();
        let then = self.text.stored.unwrap_or(0).saturating_add(size);
        let full = then > ROOM;
        let mark = if full { " !" } else { "" };
        let sum = if count == 0 { "nothing is uploaded, stored files are used".to_owned() } else { sum(count, size) };
        let said = match self.text.stored {
            Some(_) => format!("{sum} · the server then holds {} of {}{mark}", bytes(then), bytes(ROOM)),
            None => format!("{sum}. How much the server holds is not known."),
        };
        let said = if wrap::width(&said) > width && !full { sum } else { said };
        let style = if full { theme.bad } else { theme.text };
        frame.buffer_mut().set_stringn(line.x, line.y, cut(&said, width), width, style);
    }
}

/// Draws what has to be done first, at the foot of these rows.
fn draw_note(frame: &mut Frame, area: Rect, note: &str, theme: &Theme) {
    let width = usize::from(area.width).max(1);
    let said = format!("! {note}");
    let all = wrap::lines(&said, width);
    let shown = all.len().min(usize::from(area.height));
    let top = area.bottom().saturating_sub(shown as u16);
    for (at, (row, y)) in all.iter().zip(top..area.bottom()).enumerate() {
        let is_cut = at + 1 == shown && shown < all.len();
        let row = if is_cut { cut(&format!("{row} …"), width) } else { (*row).to_owned() };
        frame.buffer_mut().set_stringn(area.x, y, row, width, theme.warn);
    }
}

/// Draws sentences as far as there is room, then how many there are besides; `more` of them are not in the list.
fn sentences(frame: &mut Frame, area: Rect, (lines, more): (&[Untrusted], u64), theme: &Theme) {
    let width = usize::from(area.width).max(1);
    let room = usize::from(area.height);
    let mut rows: Vec<String> = Vec::new();
    let mut left = lines.len() as u64 + more;
    for line in lines {
        let line = line.line();
        let wrapped = wrap::lines(&line, width);
        // A row is kept for the count of the others.
        let kept = usize::from(left > 1);
        // Where there is room for no sentence, the first one is cut.
        let fits = rows.len() + wrapped.len() + kept <= room;
        if !fits && !rows.is_empty() {
            break;
        }
        let most = if fits { wrapped.len() } else { room.saturating_sub(kept).max(1) };
        let is_cut = wrapped.len() > most;
        rows.extend(wrapped.into_iter().take(most).map(str::to_owned));
        if is_cut && let Some(last) = rows.last_mut() {
            *last = cut(&format!("{last} …"), width);
        }
        left -= 1;
    }
    if left > 0 {
        rows.push(format!("and {} more", count(left)));
    }
    for (row, y) in rows.iter().zip(area.y..area.bottom()) {
        frame.buffer_mut().set_stringn(area.x, y, cut(row, width), width, theme.muted);
    }
}
