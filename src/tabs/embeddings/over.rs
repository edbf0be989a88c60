//! What lies over the panes: questions, files to read and write, words to find, details of a failure.

use std::time::Instant;

use crossterm::event::{KeyCode, KeyEvent};
use ratatui::Frame;
use ratatui::layout::{Position, Rect};

use super::files;
use super::inputs::lines;
use super::job::Purpose;
use super::pane::Look;
use super::state::{Request, State};
use crate::component::{Cx, FailureDetails, Hint, Modal, Notice, Step};
use crate::record::work::{Reading, Work};
use crate::tabs::texts::{Chooser, ListPicker, Listed, Outcome};
use crate::text::Untrusted;
use crate::ui::line::Line;
use crate::ui::overlay;
use crate::ui::theme::Theme;
use crate::ui::wrap;

/// What is open over the panes.
#[derive(Debug)]
pub(super) enum Over {
    /// A question with a letter for each answer.
    Choice(Choice),
    /// A file of texts is chosen.
    File(Chooser),
    /// Lists that are kept.
    Lists(ListPicker),
    /// Words to find.
    Find(Line),
    /// How long vectors are to be; whether the server is asked, or they are cut here.
    Dimensions(Line, bool),
    /// Where to write what.
    Export(Line, files::What),
    /// Which file to read.
    Import(Line),
    /// What the server said.
    Details(FailureDetails),
}

/// What a question is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum What {
    /// This was pasted, in several lines.
    Paste(Untrusted),
    /// Some texts are longer than the model reads.
    LeaveOut,
    /// A large run.
    Launch,
    /// Vectors that need much memory.
    Load,
    /// How the file at this path is to be read.
    Import(String, Vec<Reading>),
}

/// A question with a letter for each answer; Esc takes none.
#[derive(Clone, Debug)]
pub(super) struct Choice {
    title: &'static str,
    lines: Vec<Untrusted>,
    answers: Vec<(char, String)>,
    at: usize,
    what: What,
}

impl Choice {
    pub(super) fn new(
        title: &'static str,
        lines: Vec<Untrusted>,
        answers: &[(char, &'static str)],
        what: What,
    ) -> Self {
        let answers = answers.iter().map(|(letter, does)| (*letter, (*does).to_owned()));
        Self::of(title, lines, answers.collect(), what)
    }

    /// The same, where the answers depend on what is asked about.
    pub(super) fn of(title: &'static str, lines: Vec<Untrusted>, answers: Vec<(char, String)>, what: What) -> Self {
        Self { title, lines, answers, at: 0, what }
    }

    /// The letter of the answer that was given.
    fn key(&mut self, key: KeyEvent) -> Option<char> {
        match key.code {
            KeyCode::Down | KeyCode::Tab | KeyCode::Char('j') => self.at = (self.at + 1) % self.answers.len(),
            KeyCode::Up | KeyCode::BackTab | KeyCode::Char('k') => {
                self.at = (self.at + self.answers.len() - 1) % self.answers.len();
            }
            KeyCode::Enter => return Some(self.answers[self.at].0),
            KeyCode::Char(char) => {
                return self.answers.iter().map(|(letter, _)| *letter).find(|letter| *letter == char);
            }
            _ => {}
        }
        None
    }

    fn render(&self, frame: &mut Frame, area: Rect, theme: &Theme) {
        let room = usize::from(overlay::WIDEST.min(area.width)).saturating_sub(6);
        let safe: Vec<_> = self.lines.iter().map(Untrusted::line).collect();
        let lines: Vec<&str> = safe.iter().flat_map(|line| wrap::lines(line, room)).collect();
        let height = (lines.len() + self.answers.len()) as u16 + 5;
        let foot = "⏎ choose  esc back";
        let inside = overlay::frame(frame, area, overlay::WIDEST, height, self.title, foot, theme);
        let (x, width) = (inside.x + 1, usize::from(inside.width.saturating_sub(2)));
        // Where there is little room the answers are what has to be seen.
        let rows = usize::from(inside.height).saturating_sub(self.answers.len());
        let air = usize::from(rows >= lines.len() + 2);
        let mut y = inside.y + air as u16;
        for line in lines.into_iter().take(rows.saturating_sub(2 * air)) {
            frame.buffer_mut().set_stringn(x, y, line, width, theme.text);
            y += 1;
        }
        y += air as u16;
        for (at, (letter, does)) in self.answers.iter().enumerate().take(usize::from(inside.bottom().saturating_sub(y)))
        {
            let mark = if at == self.at { "▸" } else { " " };
            let style = if at == self.at { theme.accent } else { theme.text };
            frame.buffer_mut().set_stringn(x, y, format!("{mark} {letter}  {does}"), width, style);
            if at == self.at {
                frame.set_cursor_position(Position::new(x, y));
            }
            y += 1;
        }
    }
}

impl Over {
    /// When it wants to be drawn again though nothing happened.
    pub(super) fn due(&self, now: Instant) -> Option<Instant> {
        if let Self::File(chooser) = self { chooser.due(now) } else { None }
    }

    /// Pasted text.
    pub(super) fn paste(&mut self, text: &str, cx: &mut Cx) {
        match self {
            Self::File(chooser) => chooser.paste(text, cx),
            Self::Find(line) | Self::Dimensions(line, _) | Self::Export(line, _) | Self::Import(line) => {
                line.paste(text.trim_end_matches('\n'));
            }
            Self::Choice(_) | Self::Lists(_) | Self::Details(_) => {}
        }
    }

    /// Keys for the footer.
    pub(super) fn hints(&self) -> Vec<Hint> {
        match self {
            Self::File(chooser) => chooser.hints(),
            Self::Lists(picker) => picker.hints(),
            Self::Choice(_) => vec![Hint::new("⏎", "choose")],
            Self::Find(_) => vec![Hint::new("⏎", "find")],
            Self::Dimensions(..) => vec![Hint::new("⏎", "set"), Hint::new("tab", "asked of the server, or cut here")],
            Self::Export(..) => vec![Hint::new("⏎", "write"), Hint::new("tab", "vectors or matrix")],
            Self::Import(_) => vec![Hint::new("⏎", "read")],
            Self::Details(_) => Vec::new(),
        }
    }
}

impl State {
    /// A key for what is open over the panes.
    pub(super) fn over_key(&mut self, key: KeyEvent, cx: &mut Cx) {
        let Some(over) = &mut self.over else { return };
        if key.code == KeyCode::Esc && !matches!(over, Over::File(_) | Over::Lists(_)) {
            return self.close(cx);
        }
        match over {
            Over::Choice(choice) => {
                if let Some(letter) = choice.key(key) {
                    let what = choice.what.clone();
                    self.over = None;
                    self.answer(what, letter, cx);
                }
            }
            Over::File(chooser) => match chooser.key(key, cx) {
                Outcome::Stay => {}
                Outcome::Close => self.over = None,
                Outcome::Chosen { path, columns, name } => {
                    self.over = None;
                    if self.is_busy() {
                        return cx.notify(Notice::warn("a run is under way; esc stops it, then open the file again"));
                    }
                    let ticket = cx.work(Work::ReadTexts { path: path.clone(), columns });
                    self.pending.insert(ticket, Request::File { path, name });
                }
            },
            Over::Lists(picker) => {
                let listed = picker.key(key, cx);
                self.listed(listed, cx);
            }
            Over::Find(line) => {
                if key.code == KeyCode::Enter {
                    line.text().clone_into(&mut self.find);
                    self.over = None;
                    self.find_next(false, true, cx);
                } else {
                    line.key(key);
                }
            }
            Over::Dimensions(line, here) => match key.code {
                KeyCode::Tab | KeyCode::BackTab => *here = !*here,
                KeyCode::Enter => {
                    let (typed, here) = (line.text().trim().to_owned(), *here);
                    self.over = None;
                    self.set_dimensions(&typed, here, cx);
                }
                _ => drop(line.key(key)),
            },
            Over::Export(line, what) => match key.code {
                KeyCode::Tab | KeyCode::BackTab => *what = what.other(),
                KeyCode::Enter => {
                    let (path, what) = (line.text().to_owned(), *what);
                    self.over = None;
                    self.export(path, what, cx);
                }
                _ => drop(line.key(key)),
            },
            Over::Import(line) => {
                if key.code == KeyCode::Enter {
                    let path = line.text().to_owned();
                    self.over = None;
                    self.import(path, None, cx);
                } else {
                    line.key(key);
                }
            }
            Over::Details(details) => {
                if Modal::<()>::key(details, key, cx) == Step::Close {
                    self.over = None;
                }
            }
        }
    }

    /// Esc: a run that was only asked about is not begun.
    fn close(&mut self, cx: &mut Cx) {
        let asked =
            matches!(&self.over, Some(Over::Choice(choice)) if matches!(choice.what, What::LeaveOut | What::Launch));
        self.over = None;
        if asked {
            self.stop(cx);
            self.ended = None;
        }
    }

    /// What the list of lists did.
    pub(super) fn listed(&mut self, listed: Listed, cx: &mut Cx) {
        match listed {
            Listed::Stay => {}
            Listed::Close => self.over = None,
            Listed::Open(id) => {
                self.over = None;
                self.open_list(id, cx);
            }
            Listed::Gone(id) => self.list_gone(id, cx),
        }
    }

    fn answer(&mut self, what: What, letter: char, cx: &mut Cx) {
        match (what, letter) {
            (What::Paste(text), 'l') => self.add(lines(&text), cx),
            (What::Paste(text), _) => self.add(vec![(Untrusted::default(), text)], cx),
            (What::LeaveOut, 'l') => self.check(true, cx),
            (What::LeaveOut, _) => {
                let long = |job: &super::job::Job| job.missing().max_by_key(|part| part.tokens).map(|part| part.key);
                let list = self.job.as_ref().filter(|job| job.purpose == Purpose::List).and_then(long);
                self.stop(cx);
                self.ended = None;
                let row = list.and_then(|key| self.read.texts.iter().position(|text| text.sent == key));
                if let Some(row) = row {
                    self.put(row, None);
                    self.write(Some(row), cx);
                }
            }
            (What::Launch, _) => self.launch(true, cx),
            (What::Load, 'l') => self.load_whole(cx),
            (What::Load, _) => {}
            (What::Import(path, readings), digit) => {
                let at = digit.to_digit(10).and_then(|digit| (digit as usize).checked_sub(1));
                if let Some(reading) = at.and_then(|at| readings.get(at)) {
                    self.import(path, Some(*reading), cx);
                }
            }
        }
    }

    /// The next text that holds the words; `here`: the one under the cursor counts.
    pub(super) fn find_next(&mut self, back: bool, here: bool, cx: &mut Cx) {
        if self.find.is_empty() {
            return;
        }
        let (rows, from) = (self.read.texts.len(), self.read.cursor.0);
        let wanted = self.find.to_lowercase();
        let first = usize::from(!here);
        let step = |by: usize| if back { (from + rows - by % rows) % rows } else { (from + by) % rows };
        let holds = |row: &usize| {
            let text = &self.read.texts[*row];
            text.text.raw().to_lowercase().contains(&wanted) || text.name.raw().to_lowercase().contains(&wanted)
        };
        match (first..rows + first).map(step).find(holds) {
            Some(row) => self.put(row, None),
            None => cx.notify(Notice::warn(format!("no text holds “{}”", self.find)).about("find")),
        }
    }

    /// `D` was answered.
    fn set_dimensions(&mut self, typed: &str, here: bool, cx: &mut Cx) {
        let number = typed.parse::<u32>().ok().filter(|number| *number > 0);
        if number.is_none() && !typed.is_empty() {
            return cx
                .notify(Notice::warn(format!("“{typed}” is no number of dimensions; none means the model's own")));
        }
        if here {
            let own = self.full.as_ref().map_or(0, |full| full.dimensions());
            let cut = number.map(|number| number as usize).filter(|number| *number < own);
            if number.is_some() && cut.is_none() {
                return cx.notify(Notice::warn(format!("the vectors have {own} numbers: a cut is shorter")));
            }
            self.read.cut = cut;
            self.shown();
            return self.pump(cx);
        }
        self.read.cut = None;
        if self.imported.is_empty() {
            self.ask_dimensions(number, cx);
        } else {
            cx.notify(Notice::hint("imported vectors can only be cut here"));
        }
    }

    /// Draws what is open, if anything is.
    pub(super) fn render_over(&mut self, frame: &mut Frame, area: Rect, look: &Look) {
        let theme = &look.theme.over();
        match &mut self.over {
            None => {}
            Some(Over::Choice(choice)) => choice.render(frame, area, theme),
            Some(Over::File(chooser)) => {
                chooser.fit(area);
                chooser.render(frame, area, theme, look.now, look.session.motion);
            }
            Some(Over::Lists(picker)) => picker.render(frame, area, theme, |_| None),
            Some(Over::Details(details)) => details.draw(frame, area, theme),
            Some(Over::Find(line)) => ask(frame, area, ("Find a text", ""), "⏎ find, then n N  esc end", line, theme),
            Some(Over::Dimensions(line, here)) => {
                let how = if *here { "cut here, then brought to length 1" } else { "asked of the server" };
                ask(frame, area, ("Dimensions; none: the model's own", how), "tab how  ⏎ set  esc back", line, theme);
            }
            Some(Over::Export(line, what)) => {
                let said = what.said();
                ask(frame, area, ("Write to", said), "tab what  ⏎ write  esc back", line, theme);
            }
            Some(Over::Import(line)) => {
                let said = "vectors or a matrix, as .csv, .json or .npy";
                ask(frame, area, ("Read from", said), "⏎ read  esc back", line, theme);
            }
        }
    }
}

/// A box with a line to type and a sentence below it.
fn ask(frame: &mut Frame, area: Rect, (title, below): (&str, &str), foot: &str, line: &Line, theme: &Theme) {
    let height = if below.is_empty() { 3 } else { 4 };
    let inside = overlay::frame(frame, area, overlay::WIDEST, height, title, foot, theme);
    let place = Rect { x: inside.x + 1, width: inside.width.saturating_sub(2), height: 1, ..inside };
    if inside.height > 1 {
        frame.buffer_mut().set_stringn(place.x, place.y + 1, below, usize::from(place.width), theme.muted);
    }
    line.render(frame, place, theme.text, true);
}
