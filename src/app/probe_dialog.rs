//! The page of a probe: its requests before they are sent, then the result of each.

use std::sync::LazyLock;
use std::time::{Duration, Instant};

use crossterm::event::KeyEvent;
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use super::dialog_answer::{DialogAnswer, FactAnswer};
use crate::api::call::{Call, Ticket};
use crate::api::capability::Adaptation;
use crate::api::usage::Usage;
use crate::component::{
    Bindings, Component, Cx, Handled, Hint, RenderContext, Scroll, Session, Step, THIS_DIALOG, bind,
};
use crate::text::Untrusted;
use crate::ui::key_table::{KeyContext, KeyPlace, ListedKeys};
use crate::ui::list::draw_scroll_arrows;
use crate::ui::overlay::{Words, below, boxed, content_area, inside, rows_below_title};
use crate::ui::wrap;

/// Time limit of a request.
const TIME_LIMIT: Duration = Duration::from_secs(20);
/// Columns of the box, if there are that many.
const WIDEST: u16 = 100;
/// Columns of a request beside its answer.
const REQUEST_WIDTH: usize = 42;

/// What a key does to the dialog, beside scrolling.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Action {
    /// Sends the requests; closes the dialog once all were answered.
    Enter,
    /// Sends no further request and closes the dialog.
    Stop,
}

static KEYS: LazyLock<Bindings<Action, ProbeDialog>> = LazyLock::new(|| {
    let running = |dialog: &ProbeDialog| (dialog.is_sent && !dialog.is_done()).then_some("the probe is running");
    let enter = |dialog: &ProbeDialog| if dialog.is_sent { "close" } else { "send" };
    Bindings::new(
        KeyContext::new("probe").used_in(KeyPlace::ShellDialog),
        vec![
            bind("enter", Action::Enter, "", "send the requests; when they are answered, close")
                .labelled(enter)
                .disabled_when(running),
            bind("esc ctrl-c", Action::Stop, "", "send nothing, stop, or close"),
        ],
    )
});

/// The state of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum ProbeState {
    Waiting,
    Running(Ticket, Instant),
    /// Succeeded: what the answer shows.
    Succeeded(String),
    /// Refused, failed or not sent: why.
    Failed(String),
}

/// A request of the probe.
#[derive(Clone, Debug)]
pub(super) struct ProbeRequest {
    /// As it is shown.
    pub(super) words: String,
    pub(super) call: Call,
    pub(super) state: ProbeState,
    /// Changes that the client made to it.
    pub(super) changes: Vec<Adaptation>,
    /// What its answer contained: `usage in the stream`, `log probabilities`.
    pub(super) found: Vec<&'static str>,
    /// The usage in its answer.
    pub(super) usage: Option<Usage>,
    /// `x-request-id` of its answer.
    pub(super) request_id: Option<Untrusted>,
}

impl ProbeRequest {
    /// Creates a request that waits to be sent.
    pub(super) fn new(words: String, call: Call) -> Self {
        let (changes, found) = (Vec::new(), Vec::new());
        Self { words, call, state: ProbeState::Waiting, changes, found, usage: None, request_id: None }
    }
}

/// The requests, sent one after the other.
#[derive(Debug)]
pub(super) struct ProbeDialog {
    pub(super) requests: Vec<ProbeRequest>,
    pub(super) is_sent: bool,
    scroll: Scroll,
    /// The request to scroll to with the next arrangement.
    scrolls_to: Option<usize>,
}

/// A row of the list: a request and its answer, each wrapped.
struct ProbeRow {
    /// Which request.
    request: usize,
    is_first: bool,
    words: String,
    /// Its answer, or why there is none.
    state: String,
}

impl ProbeDialog {
    pub(super) fn new(requests: Vec<ProbeRequest>) -> Self {
        Self { requests, is_sent: false, scroll: Scroll::default(), scrolls_to: None }
    }

    /// Marks a request as sent, and scrolls to it.
    pub(super) fn begin(&mut self, at: usize, ticket: Ticket, now: Instant) {
        self.requests[at].state = ProbeState::Running(ticket, now);
        self.scrolls_to = Some(at);
    }

    /// Returns the text above the requests, and the size of the box.
    fn layout(&self, area: Rect, session: &Session) -> (Vec<&'static str>, (u16, u16)) {
        let said = match (self.is_sent, self.is_done()) {
            (false, _) => "These requests are sent one after the other. They cost a few tokens and change nothing.",
            (true, false) => "Each answer becomes an entry in the list of what is known.",
            (true, true) => "Done. What was found is in the list of what is known of the server.",
        };
        let said = wrap::lines(said, usize::from(WIDEST.min(area.width)).saturating_sub(4));
        let blank_rows = rows_below_title(area, session.palette);
        let room = usize::from(inside(area, (WIDEST, 6)).width);
        let height = (self.rows(room).len() + said.len() + 3) as u16 + blank_rows;
        (said, (WIDEST, height))
    }

    /// Returns the rows of the list at this width; if there is room, answers stand beside their requests.
    fn rows(&self, width: usize) -> Vec<ProbeRow> {
        let room = width.saturating_sub(3).max(1);
        let beside = self.is_sent && room >= 2 * REQUEST_WIDTH;
        let mut rows = Vec::new();
        for (at, request) in self.requests.iter().enumerate() {
            let state = match &request.state {
                ProbeState::Waiting => "",
                ProbeState::Running(..) => "sent",
                ProbeState::Succeeded(words) | ProbeState::Failed(words) => words,
            };
            let words = wrap::lines(&request.words, if beside { REQUEST_WIDTH - 2 } else { room });
            let states = wrap::lines(state, if beside { room - REQUEST_WIDTH } else { room.saturating_sub(2).max(1) });
            let row = |nth: usize, words: &str, state: &str| ProbeRow {
                request: at,
                is_first: nth == 0,
                words: words.to_owned(),
                state: state.to_owned(),
            };
            let part = |parts: &[&'_ str], nth: usize| parts.get(nth).copied().unwrap_or_default().to_owned();
            if beside {
                let count = words.len().max(states.len());
                rows.extend((0..count).map(|nth| row(nth, &part(&words, nth), &part(&states, nth))));
            } else {
                rows.extend(words.iter().enumerate().map(|(nth, words)| row(nth, words, "")));
                rows.extend(states.iter().filter(|state| !state.is_empty()).map(|state| row(1, "", state)));
            }
        }
        rows
    }

    /// Returns when the request under way times out; `None`: none is under way.
    pub(super) fn due(&self) -> Option<Instant> {
        self.requests.iter().find_map(|request| match request.state {
            ProbeState::Running(_, since) => Some(since + TIME_LIMIT),
            _ => None,
        })
    }

    /// Returns the request under way.
    pub(super) fn running_request(&mut self) -> Option<(Ticket, &mut ProbeRequest)> {
        self.requests.iter_mut().find_map(|request| match request.state {
            ProbeState::Running(ticket, _) => Some((ticket, request)),
            _ => None,
        })
    }

    fn is_done(&self) -> bool {
        self.is_sent
            && self
                .requests
                .iter()
                .all(|request| matches!(request.state, ProbeState::Succeeded(_) | ProbeState::Failed(_)))
    }
}

impl Component<Step<DialogAnswer>> for ProbeDialog {
    fn key(&mut self, key: KeyEvent, _cx: &mut Cx) -> Handled<Step<DialogAnswer>> {
        match KEYS.find(&key) {
            Some(Action::Enter) if !self.is_sent => {
                self.is_sent = true;
                return Handled::emit(DialogAnswer::Fact(FactAnswer::SendProbe));
            }
            Some(Action::Enter) if self.is_done() => return Handled::close(),
            Some(Action::Stop) => return Handled::answer(DialogAnswer::Fact(FactAnswer::StopProbe)),
            Some(Action::Enter) => {}
            None => _ = self.scroll.key(key),
        }
        Handled::Consumed
    }

    fn hints(&self) -> Vec<Hint> {
        [KEYS.footer(&[Action::Enter], self), self.scroll.hints()].concat()
    }

    fn help(&self) -> Vec<(&'static str, Vec<Hint>)> {
        vec![(THIS_DIALOG, [KEYS.help(), Scroll::help()].concat())]
    }

    fn escape(&self) -> Option<&'static str> {
        Some(match (self.is_sent, self.is_done()) {
            (false, _) => "send nothing",
            (true, true) => "close",
            (true, false) => "stop",
        })
    }

    fn arrange(&mut self, area: Rect, session: &Session, _now: Instant) {
        let (said, size) = self.layout(area, session);
        let inner = content_area(area, size, session.palette);
        let rows = self.rows(usize::from(inner.width));
        self.scroll.fit(rows.len(), usize::from(inner.height).saturating_sub(said.len() + 1));
        if let Some(at) = self.scrolls_to.take() {
            let of = |row: &ProbeRow| row.request == at;
            let (first, last) = (rows.iter().position(of), rows.iter().rposition(of));
            self.scroll.reveal(first.unwrap_or(0)..last.map_or(0, |last| last + 1));
        }
    }

    fn render(&self, frame: &mut Frame, area: Rect, context: RenderContext) {
        let theme = context.theme;
        let (said, size) = self.layout(area, context.session);
        let title = format!("Probe of {}", context.session.profile_name.line());
        let done = self
            .requests
            .iter()
            .filter(|request| !matches!(request.state, ProbeState::Waiting | ProbeState::Running(..)));
        let right = if self.is_sent { format!("{} of {}", done.count(), self.requests.len()) } else { String::new() };
        let words = Words { title: &title, right: &right, ..Words::default() };
        boxed(frame, area, size, &words, theme);
        let inner = content_area(area, size, theme.kind);
        let mut lines: Vec<Line> = said.into_iter().map(|line| Line::styled(line.to_owned(), theme.muted)).collect();
        lines.push(Line::default());
        let above = lines.len();
        let visible = self.scroll.visible();
        for row in self.rows(usize::from(inner.width)).into_iter().skip(visible.start) {
            let (mark, style) = match &self.requests[row.request].state {
                ProbeState::Waiting => ("·", theme.faint),
                ProbeState::Running(..) => ("◌", theme.busy),
                ProbeState::Succeeded(_) => ("✓", theme.good),
                ProbeState::Failed(_) => ("✕", theme.bad),
            };
            let mark = if row.is_first { mark } else { " " };
            // An answer below its request is indented.
            let column = if row.words.is_empty() && usize::from(inner.width) < 2 * REQUEST_WIDTH + 3 {
                2
            } else {
                REQUEST_WIDTH
            };
            let gap = if row.state.is_empty() { 0 } else { column.saturating_sub(wrap::width(&row.words)) };
            lines.push(Line::from(vec![
                Span::styled(format!("{mark} "), style),
                Span::styled(row.words, theme.text),
                Span::styled(" ".repeat(gap) + &row.state, theme.muted),
            ]));
        }
        for (line, y) in lines.into_iter().zip(inner.y..inner.bottom()) {
            frame.render_widget(line, Rect { y, height: 1, ..inner });
        }
        let rows = below(inner, above as u16);
        draw_scroll_arrows(frame.buffer_mut(), rows, &visible, self.scroll.count(), theme);
    }
}

/// Returns its tables of keys, for the list of all keys.
pub(crate) fn listed_keys() -> Vec<ListedKeys> {
    vec![KEYS.listed()]
}
