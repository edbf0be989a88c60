//! The question for a path, as a dialog.

use std::fmt;
use std::sync::LazyLock;
use std::time::Instant;

use crossterm::event::KeyEvent;
use ratatui::Frame;
use ratatui::layout::Rect;

use super::path_input::{PathInput, PathStep, Wanted, path_help, path_hints};
use super::{
    Bindings, Component, Cx, Handled, Hint, RenderContext, Response, Session, Step, THIS_DIALOG, bind, border,
};
use crate::api::call::Ticket;
use crate::record::work::{Done, Work};
use crate::text::Untrusted;
use crate::ui::key_table::{KeyContext, KeyPlace, ListedKeys};
use crate::ui::overlay::{self, Words};
use crate::ui::rule::cut;
use crate::ui::wrap;

/// The key that chooses the next way to save; the others are those of the line. The prompt labels it.
static NEXT_WAY: LazyLock<Bindings<(), ()>> = LazyLock::new(|| {
    Bindings::while_typing(
        KeyContext::new("save-prompt").ignoring_shift().used_in(KeyPlace::Dialog),
        vec![bind("shift-tab", (), "", "").named(&["next-way"]).does(&["next form of the file"])],
    )
});

/// The most columns of the box.
const WIDEST: u16 = 80;
/// The most names shown at once.
const NAMES: u16 = 6;
/// The most rows of the note.
const NOTE: usize = 3;
/// The most sentences shown at once.
const LINES: usize = 6;

/// Makes the answer of a path and the number of the chosen way.
type Answer<E> = Box<dyn Fn(String, usize) -> E>;

/// Asks for a path, and for a file that is saved also in which way.
pub struct PathPrompt<E> {
    title: String,
    /// What Enter does.
    verb: &'static str,
    input: PathInput,
    /// Ways to save, each a sentence, of which one is shown below the line; Shift+Tab chooses the next.
    ways: Vec<&'static str>,
    /// The chosen one.
    way: usize,
    /// What Shift+Tab chooses, for the footer.
    choice: &'static str,
    /// Sentences between these and the names.
    lines: Vec<Untrusted>,
    /// Makes the work that looks up a path before it becomes the answer; `None`: it is not looked up.
    lookup: Option<fn(String) -> Work>,
    /// The ticket of the lookup, and the path as it was entered.
    asked: Option<(Ticket, String)>,
    /// Why the path cannot be used.
    note: Option<Untrusted>,
    answer: Answer<E>,
}

impl<E> fmt::Debug for PathPrompt<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PathPrompt").field("title", &self.title).finish_non_exhaustive()
    }
}

impl<E> PathPrompt<E> {
    /// Creates a prompt with a title, what Enter does, the path it begins with, and the function that makes the answer.
    pub fn new(
        title: impl Into<String>,
        verb: &'static str,
        input: PathInput,
        answer: impl Fn(String) -> E + 'static,
    ) -> Self {
        Self::with_answer(title.into(), verb, input, Box::new(move |path, _| answer(path)))
    }

    fn with_answer(title: String, verb: &'static str, input: PathInput, answer: Answer<E>) -> Self {
        Self {
            title,
            verb,
            input,
            ways: Vec::new(),
            way: 0,
            choice: "",
            lines: Vec::new(),
            lookup: None,
            asked: None,
            note: None,
            answer,
        }
    }

    /// A prompt for the file that something is saved to, with the path that is offered; the answer is made of the path
    /// and the number of the way that was chosen.
    pub fn save(
        title: impl Into<String>,
        verb: &'static str,
        path: &str,
        answer: impl Fn(String, usize) -> E + 'static,
    ) -> Self {
        Self::with_answer(title.into(), verb, PathInput::new(Wanted::File, path), Box::new(answer))
    }

    /// Adds ways to save, each a sentence, and the one chosen at first; `choice` says what Shift+Tab chooses.
    #[must_use]
    pub fn with_ways(self, choice: &'static str, ways: Vec<&'static str>, way: usize) -> Self {
        Self { ways, way, choice, ..self }
    }

    /// Adds sentences below the line.
    #[must_use]
    pub fn with_lines(self, lines: Vec<Untrusted>) -> Self {
        Self { lines, ..self }
    }

    /// Looks the folder up before the prompt closes: the answer is its absolute path, and one that cannot be used is
    /// reported.
    #[must_use]
    pub fn resolved(self) -> Self {
        Self { lookup: Some(|path| Work::Folder { path }), ..self }
    }

    /// Looks the file up before the prompt closes: the answer is its absolute path, and one that cannot be uploaded is
    /// reported.
    #[must_use]
    pub fn existing(self) -> Self {
        Self { lookup: Some(|path| Work::File { path }), ..self }
    }

    /// Reads the file before the prompt closes: the answer is made of its text in place of the path, and a file that
    /// cannot be read is reported.
    #[must_use]
    pub fn contents(self) -> Self {
        Self { lookup: Some(|path| Work::Read { path }), ..self }
    }

    /// Reads the file before the prompt closes: one that cannot go with a message is reported.
    #[must_use]
    pub fn attachable(self) -> Self {
        Self { lookup: Some(|path| Work::Attach { path }), ..self }
    }

    /// Returns how many sentences are shown between the line and the names.
    fn shown_lines(&self) -> u16 {
        u16::from(!self.ways.is_empty()) + self.lines.len().min(LINES) as u16
    }

    fn size(&self) -> (u16, u16) {
        (WIDEST, 6 + NAMES + self.shown_lines())
    }

    /// Returns the key that chooses the next way; `None`: there is no other.
    fn way_hint(&self) -> Option<Hint> {
        (self.ways.len() > 1).then(|| NEXT_WAY.joined(&[()], self.choice))
    }

    fn note(&self) -> Option<Untrusted> {
        self.note.clone().or_else(|| self.input.note().map(Into::into))
    }

    /// Returns the note in rows of `width` columns.
    fn note_lines(&self, width: u16) -> Vec<String> {
        let Some(note) = self.note() else { return Vec::new() };
        let said = format!("✕ {}", note.line());
        wrap::lines(&said, usize::from(width).max(1)).into_iter().take(NOTE).map(str::to_owned).collect()
    }

    /// Returns the area of the names inside the box.
    fn names(&self, inside: Rect) -> Rect {
        let note = self.note_lines(inside.width).len() as u16;
        let top = inside.y.saturating_add(2 + self.shown_lines()).min(inside.bottom());
        let end = inside.bottom().saturating_sub(note.min(inside.height.saturating_sub(1)));
        Rect { y: top, height: end.saturating_sub(top).min(NAMES), ..inside }
    }
}

impl<E> Component<Step<E>> for PathPrompt<E> {
    fn key(&mut self, key: KeyEvent, cx: &mut Cx) -> Handled<Step<E>> {
        self.note = None;
        if self.ways.len() > 1 && NEXT_WAY.find(&key).is_some() {
            self.way = (self.way + 1) % self.ways.len();
            return Handled::Consumed;
        }
        match self.input.key(key, cx) {
            PathStep::Stay | PathStep::Empty => Handled::Consumed,
            PathStep::Close => {
                self.close(cx);
                Handled::close()
            }
            PathStep::Entered(path) => match self.lookup {
                None => Handled::answer((self.answer)(path, self.way)),
                Some(lookup) => {
                    self.close(cx);
                    self.asked = Some((cx.work(lookup(path.clone())), path));
                    Handled::Consumed
                }
            },
        }
    }

    fn paste(&mut self, text: &str, cx: &mut Cx) -> Handled<Step<E>> {
        self.note = None;
        self.input.paste(text, cx);
        Handled::Consumed
    }

    fn reply(&mut self, ticket: Ticket, response: &mut Response, cx: &mut Cx) -> Handled<Step<E>> {
        let Response::Work(done) = response else { return Handled::Ignored };
        if self.input.worked(ticket, done, cx) {
            return Handled::Consumed;
        }
        let Some((_, path)) = self.asked.take_if(|(asked, _)| *asked == ticket) else { return Handled::Ignored };
        let found = match done {
            Done::Folder(folder) => folder.path.raw().to_owned(),
            Done::File { path, .. } => path.raw().to_owned(),
            Done::Read(text) => text.raw().to_owned(),
            Done::Attached(Some(_)) => path,
            Done::Attached(None) => {
                self.note = Some("there is no such file".into());
                return Handled::Consumed;
            }
            Done::Failed(why) => {
                self.note = Some(why.clone());
                return Handled::Consumed;
            }
            _ => return Handled::Consumed,
        };
        self.close(cx);
        Handled::answer((self.answer)(found, self.way))
    }

    fn close(&mut self, cx: &mut Cx) {
        self.input.close(cx);
        if let Some((asked, _)) = self.asked.take() {
            cx.cancel(asked);
        }
    }

    fn hints(&self) -> Vec<Hint> {
        let mut hints = path_hints(self.verb);
        hints.splice(2..2, self.way_hint());
        hints
    }

    fn help(&self) -> Vec<(&'static str, Vec<Hint>)> {
        vec![(THIS_DIALOG, path_help().into_iter().chain(self.way_hint()).collect())]
    }

    fn arrange(&mut self, area: Rect, _session: &Session, _now: Instant) {
        let rows = self.names(overlay::inside(area, self.size())).height;
        self.input.arrange(usize::from(rows));
    }

    fn typing(&self) -> bool {
        true
    }

    fn render(&self, frame: &mut Frame, area: Rect, context: RenderContext) {
        let theme = context.theme;
        let area = area.intersection(frame.area());
        let foot = border(&self.hints(), "close", WIDEST.min(area.width));
        let words = Words { title: &self.title, right: "", foot: &foot, ..Words::default() };
        let inside = overlay::boxed(frame, area, self.size(), &words, theme);
        if inside.is_empty() {
            return;
        }
        let width = usize::from(inside.width);
        self.input.render_line(frame, inside, theme);
        let names = self.names(inside);
        // More than fit are counted.
        let mut y = inside.y + 1;
        if let Some(way) = self.ways.get(self.way).filter(|_| y < names.y) {
            frame.buffer_mut().set_stringn(inside.x, y, cut(way, width), width, theme.muted);
            y += 1;
        }
        let shown = self.lines.len().min(LINES);
        let more = Untrusted::from(format!("and {} more", self.lines.len().saturating_sub(shown.saturating_sub(1))));
        for ((at, line), y) in self.lines.iter().take(shown).enumerate().zip(y..names.y) {
            let line = if at + 1 == shown && self.lines.len() > shown { &more } else { line };
            frame.buffer_mut().set_stringn(inside.x, y, cut(&line.line(), width), width, theme.muted);
        }
        self.input.render_names(frame, names, theme);
        let note = self.note_lines(inside.width);
        if self.input.has_no_names() && note.is_empty() && !names.is_empty() {
            let said = wrap::lines("tab lists what is there; ~ is your home", width);
            for (line, y) in said.into_iter().zip(names.y..names.bottom()) {
                frame.buffer_mut().set_stringn(names.x, y, line, width, theme.faint);
            }
        }
        for (line, y) in note.iter().rev().zip((inside.y + 1..inside.bottom()).rev()) {
            frame.buffer_mut().set_stringn(inside.x, y, line, width, theme.bad);
        }
    }
}

/// Returns its tables of keys, for the list of all keys.
pub(crate) fn listed_keys() -> Vec<ListedKeys> {
    vec![NEXT_WAY.listed()]
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use crossterm::event::KeyCode;

    use super::*;
    use crate::component::Effect;

    type Prompt = PathPrompt<(String, usize)>;

    type Handling = Handled<Step<(String, usize)>>;

    /// Passes an event to a prompt; names that it then asks for are `found`. Returns what the event did.
    fn pass(prompt: &mut Prompt, found: &[&str], event: impl Fn(&mut Prompt, &mut Cx) -> Handling) -> Handling {
        let (session, mut tickets, mut effects) = (Session::default(), 0, Vec::new());
        let handled = event(prompt, &mut Cx::new(&session, Instant::now(), 0, &mut tickets, &mut effects));
        if let Some(Effect::Work(ticket, Work::Paths(_))) = effects.pop() {
            let done = Done::Paths(found.iter().map(|path| Untrusted::from(*path)).collect());
            let mut cx = Cx::new(&session, Instant::now(), 0, &mut tickets, &mut effects);
            assert!(!prompt.reply(ticket, &mut Response::Work(done), &mut cx).is_ignored());
        }
        handled
    }

    fn press(prompt: &mut Prompt, keys: &[KeyCode], found: &[&str]) -> Handling {
        let press = |key: &KeyCode| pass(prompt, found, |prompt, cx| prompt.key(KeyEvent::from(*key), cx));
        keys.iter().map(press).last().expect("some keys")
    }

    fn both() -> [Prompt; 2] {
        let read = PathPrompt::new("Read", "read", PathInput::default(), |path| (path, 0));
        [read, PathPrompt::save("Save", "save", "", |path, way| (path, way)).with_ways("form", vec!["a", "b"], 0)]
    }

    #[test]
    fn a_path_dropped_onto_a_prompt_loses_its_quotes_whether_it_is_read_or_saved_to() {
        for mut prompt in both() {
            pass(&mut prompt, &[], |prompt, cx| prompt.paste("'/a/b c.csv'\n", cx));
            let answer = press(&mut prompt, &[KeyCode::Enter], &[]);
            assert_eq!(answer, Handled::answer(("/a/b c.csv".to_owned(), 0)));
        }
    }

    #[test]
    fn tab_completes_and_shift_tab_goes_to_the_next_way() {
        for mut prompt in both() {
            let has_ways = !prompt.ways.is_empty();
            let keys = [KeyCode::Char('/'), KeyCode::Char('a'), KeyCode::Tab, KeyCode::BackTab, KeyCode::Enter];
            let answer = press(&mut prompt, &keys, &["/abc.csv"]);
            assert_eq!(answer, Handled::answer(("/abc.csv".to_owned(), has_ways.into())));
        }
    }
}
