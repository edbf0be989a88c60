//! The first row: the tabs on the left; server, model and problems of the server on the right.
//!
//! If space is short, these are left out, in this order: the program's name; the profile's name; the middle of a long
//! model name; the model's name, and the profile's name takes its place; all words. The marks of the server's state and
//! of records that are not saved stay.

use std::time::Instant;

use ratatui::style::Style;
use ratatui::text::{Line, Span};
use unicode_width::UnicodeWidthStr as _;

use super::App;
use crate::component::session::Server;
use crate::tabs::{Badge, Tab};
use crate::ui::meter;
use crate::ui::rule::cut_middle;
use crate::ui::size_class::SizeClass;
use crate::ui::theme::Theme;

/// The program's name, if there is space for it.
const NAME: &str = " benchtop  ";
/// Least columns of a model's name that is cut: with fewer it is left out.
const LEAST_MODEL: usize = 24;

/// Shown before the mark of the server's state while the disk refuses records; the second where space is short.
const NOT_SAVED: [&str; 2] = [" ✕ not saved ", " ✕ "];

/// A tab's name in the header.
struct HeaderCell {
    index: usize,
    front: bool,
    number: String,
    /// After a blank; may be empty.
    name: String,
    badge: String,
    /// Whether the badge marks a failure.
    failed: bool,
}

impl HeaderCell {
    fn width(&self) -> usize {
        self.number.width() + self.name.width() + self.badge.width() + 2
    }

    fn spans(self, theme: &Theme) -> Vec<Span<'static>> {
        let Self { front, number, name, badge, failed, .. } = self;
        if front {
            // Half a column at each end: the front tab is marked by shape, and by colour if there is any.
            let end = |glyph| Span::styled(glyph, theme.accent);
            return vec![end("▐"), Span::styled(format!("{number}{name}{badge}"), theme.tab), end("▌")];
        }
        // The number is the key, not a part of the name.
        vec![
            Span::styled(format!(" {number}"), theme.faint),
            Span::styled(name, theme.muted),
            Span::styled(badge, if failed { theme.bad } else { theme.muted }),
            Span::raw(" "),
        ]
    }
}

/// The contents of the header at a given width.
struct Header {
    /// The program's name; may be empty.
    name: &'static str,
    cells: Vec<HeaderCell>,
    /// Columns after each cell.
    gap: usize,
    /// Words after the mark of the server's state; may be empty.
    words: String,
}

impl App {
    /// Returns the header at `width` columns, and the column of the front tab's name.
    pub(super) fn header(&self, class: SizeClass, width: u16, now: Instant) -> (Line<'static>, u16) {
        let theme = &self.theme;
        let header = self.arrange_header(class, usize::from(width), now);
        let name = if theme.kind.has_surfaces() { theme.key() } else { theme.muted };
        let mut spans = vec![Span::styled(header.name, name)];
        let mut front = 0;
        for cell in header.cells {
            if cell.front {
                front = spans.iter().map(Span::width).sum::<usize>() + 1;
            }
            spans.extend(cell.spans(theme));
            spans.push(Span::raw(" ".repeat(header.gap)));
        }
        let (mark, style) = self.server_mark();
        let left: usize = spans.iter().map(Span::width).sum();
        // The last column stays empty.
        let free = usize::from(width).saturating_sub(left + mark.width() + header.words.width() + 1);
        let is_refused = self.requests.unsaved.is_waiting();
        let unsaved = NOT_SAVED.into_iter().find(|text| is_refused && text.width() <= free).unwrap_or_default();
        spans.push(Span::raw(" ".repeat(free - unsaved.width())));
        spans.push(Span::styled(unsaved, theme.bad));
        spans.push(Span::styled(mark, style));
        spans.push(Span::styled(header.words, theme.muted));
        (Line::from(spans), front as u16)
    }

    /// Returns the tab whose name is at this column of the header.
    pub(super) fn tab_at(&self, column: u16) -> Option<usize> {
        let class = SizeClass::of(self.area.width, self.area.height);
        let header = self.arrange_header(class, usize::from(self.area.width), self.now);
        let mut x = header.name.width();
        for cell in header.cells {
            let width = cell.width();
            if (x..x + width).contains(&usize::from(column)) {
                return Some(cell.index);
            }
            x += width + header.gap;
        }
        None
    }

    /// Returns the contents of the header at this width.
    fn arrange_header(&self, class: SizeClass, width: usize, now: Instant) -> Header {
        let cells = self.cells(class, now);
        let gap = usize::from(class == SizeClass::Wide);
        let left: usize = cells.iter().map(|cell| cell.width() + gap).sum();
        // Before the words: a blank, the mark, a blank; after them the last column, which stays empty. While the disk
        // refuses records, the shorter mark of that comes first.
        let unsaved = if self.requests.unsaved.is_waiting() { NOT_SAVED[1].width() - 1 } else { 0 };
        let room = width.saturating_sub(left + 4 + unsaved);
        let words = self.server_words(room);
        let spare = room.saturating_sub(NAME.width());
        let name = if class == SizeClass::Wide && words.width() <= spare && words == self.server_words(usize::MAX) {
            NAME
        } else {
            ""
        };
        let words = if words.is_empty() { words } else { format!(" {words}") };
        Header { name, cells, gap, words }
    }

    /// Returns the names of the tabs; on a narrow screen that of the tab in front, and the numbers of those with a
    /// failure.
    fn cells(&self, class: SizeClass, now: Instant) -> Vec<HeaderCell> {
        let cells = self.tabs.iter().enumerate().map(|(index, tab)| self.cell(index, tab.as_ref(), class, now));
        cells.filter(|cell| class != SizeClass::Narrow || cell.front || cell.failed).collect()
    }

    /// Returns the name of a tab.
    fn cell(&self, index: usize, tab: &dyn Tab, class: SizeClass, now: Instant) -> HeaderCell {
        let front = index == self.front;
        let badge = match tab.badge() {
            // Its error is shown when the tab is in front.
            _ if !front && self.notices.has_error_of(index) => Some(Badge::Failed),
            badge => badge,
        };
        let failed = badge == Some(Badge::Failed);
        let mut badge = match badge {
            None => String::new(),
            Some(Badge::Busy) => {
                meter::spinner(now.saturating_duration_since(self.frames.started), self.session.motion).to_owned()
            }
            Some(Badge::Failed) => "✕".to_owned(),
            Some(Badge::Text(text)) if class == SizeClass::Wide => text,
            Some(Badge::Text(text)) => text.trim_end_matches('%').to_owned(),
        };
        if class == SizeClass::Wide && !badge.is_empty() {
            badge.insert(0, ' ');
        }
        let narrow = class == SizeClass::Narrow;
        let number =
            if narrow && front { format!("{}/{}", index + 1, self.tabs.len()) } else { (index + 1).to_string() };
        let name = match class {
            SizeClass::Narrow if !front => String::new(),
            SizeClass::Wide => format!(" {}", tab.title()),
            _ => format!(" {}", if front { tab.title() } else { tab.short() }),
        };
        HeaderCell { index, front, number, name, badge, failed }
    }

    /// Returns the mark of the server's state and its style.
    fn server_mark(&self) -> (&'static str, Style) {
        match self.session.server {
            Server::Fine => ("●", self.theme.good),
            Server::Offline => ("○", self.theme.warn),
            Server::KeyRefused | Server::NoKey => ("✕", self.theme.bad),
        }
    }

    /// Returns where calls go, or what is wrong there, in at most `room` columns; empty: nothing fits.
    fn server_words(&self, room: usize) -> String {
        let name = self.session.profile_name.line();
        let model = self.model();
        let model = model.line();
        let trouble = match self.session.server {
            Server::Fine => None,
            Server::Offline => Some("offline"),
            Server::KeyRefused => Some("key refused"),
            Server::NoKey => Some("no key"),
        };
        let candidates = match trouble {
            Some(trouble) => vec![format!("{name} · {trouble}"), trouble.to_owned()],
            None if model.is_empty() => vec![name.into_owned()],
            None => {
                let whole = format!("{name} · {model}");
                let short = cut_middle(&model, room.max(LEAST_MODEL));
                vec![whole, short, name.into_owned()]
            }
        };
        candidates.into_iter().find(|words| words.width() <= room).unwrap_or_default()
    }
}
