//! The test of a profile: the dialog shows the request before it is sent, then each step as it ends.

use std::fmt;
use std::sync::LazyLock;

use crossterm::event::KeyEvent;
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::Style;

use super::dialog_answer::{DialogAnswer, ProfileAnswer};
use super::tickets::ShellRequest;
use super::{App, Profile};
use crate::api::call::{Call, Progress, Reply};
use crate::api::check::{CheckOutcome, CheckStep, Checked};
use crate::component::{Bindings, Component, Cx, Handled, Hint, RenderContext, Step, bind};
use crate::settings::ProfileId;
use crate::text::Untrusted;
use crate::ui::key_table::{KeyContext, KeyPlace, ListedKeys};
use crate::ui::list::draw_scroll_arrows;
use crate::ui::overlay::{self, Words};
use crate::ui::theme::Theme;
use crate::ui::wrap;

/// What a key asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Action {
    Start,
    Close,
}

use Action as A;

static KEYS: LazyLock<Bindings<Action, TestDialog>> = LazyLock::new(|| {
    Bindings::new(
        KeyContext::new("profile-test").used_in(KeyPlace::ShellDialog),
        vec![
            bind("enter t", A::Start, "start", "send the request")
                .labelled(|dialog: &TestDialog| if dialog.state == State::Ready { "start" } else { "again" })
                .disabled_when(|dialog: &TestDialog| (dialog.state == State::Running).then_some("the test is running")),
            bind("esc q ctrl-c", A::Close, "close", "stop or close"),
        ],
    )
});

/// Columns of the box at most.
const WIDEST: u16 = 84;
/// Columns before the words of a step.
const LABELS: usize = 15;

/// How far the test is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Ready,
    Running,
    Done,
}

/// The dialog. The shell makes the call and passes its progress on.
pub(super) struct TestDialog {
    profile: Profile,
    state: State,
    steps: Vec<Checked>,
    /// Why it ended, if no step says so.
    failure: Option<Untrusted>,
}

impl fmt::Debug for TestDialog {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TestDialog").field("steps", &self.steps).finish_non_exhaustive()
    }
}

impl TestDialog {
    /// Creates the test of a profile; nothing is sent yet.
    pub(super) fn new(profile: Profile) -> Self {
        Self { profile, state: State::Ready, steps: Vec::new(), failure: None }
    }

    /// Notes that the request is sent.
    pub(super) fn begin(&mut self) {
        (self.state, self.failure) = (State::Running, None);
        self.steps.clear();
    }

    /// Adds the outcome of a step.
    pub(super) fn add(&mut self, checked: Checked) {
        self.steps.push(checked);
    }

    /// Notes that the test has ended. The failure of a step is shown there already.
    pub(super) fn end(&mut self, failure: Option<Untrusted>) {
        self.state = State::Done;
        let shown = self.steps.last().is_some_and(|step| step.outcome == CheckOutcome::Failed);
        self.failure = failure.filter(|_| !shown);
    }

    /// Returns whether the test is running.
    fn is_running(&self) -> bool {
        self.state == State::Running
    }

    /// Returns the rows of the dialog: mark, label, words and style.
    fn rows(&self, theme: &Theme) -> Vec<(&'static str, &'static str, String, Style)> {
        let host = self.profile.host.line();
        let request = if self.profile.local {
            "GET /v1/models of the local service".into()
        } else {
            format!("GET {host}/models")
        };
        let mut rows = vec![
            ("", "Request", request, theme.text),
            ("", "", "Sent once; it costs nothing.".to_owned(), theme.muted),
            ("", "Key from", Untrusted::from(self.profile.key.words()).line().into_owned(), theme.text),
            ("", "", String::new(), theme.text),
        ];
        for step in CheckStep::ALL {
            let label = match step {
                CheckStep::Name => "Name resolved",
                CheckStep::Connection => "Connected",
                CheckStep::Certificate => "Certificate",
                CheckStep::Key => "Key",
                CheckStep::Models => "Models",
            };
            let running = self.is_running() && CheckStep::ALL.get(self.steps.len()) == Some(&step);
            rows.push(match self.steps.iter().find(|checked| checked.step == step) {
                Some(Checked { outcome, words, .. }) => {
                    let (mark, style) = match outcome {
                        CheckOutcome::Passed => ("✓", theme.text),
                        CheckOutcome::Noted => ("!", theme.warn),
                        CheckOutcome::Failed => ("✕", theme.bad),
                    };
                    (mark, label, words.line().into_owned(), style)
                }
                None if running => ("·", label, "…".to_owned(), theme.busy),
                None => ("·", label, String::new(), theme.faint),
            });
        }
        if let Some(why) = &self.failure {
            rows.push(("✕", "", why.line().into_owned(), theme.bad));
        }
        rows
    }

    fn size(&self, area: Rect, theme: &Theme) -> (u16, u16) {
        let width = WIDEST.min(area.width.saturating_sub(2)).max(area.width.min(40));
        let room = usize::from(width).saturating_sub(4 + 2 + LABELS).max(8);
        let rows: usize = self.rows(theme).iter().map(|row| wrap::lines(&row.2, room).len().max(1)).sum();
        (width, rows as u16 + 3 + overlay::rows_below_title(area, theme.kind))
    }
}

impl App {
    /// Sends the request of a profile's test.
    pub(super) fn start_test(&mut self, id: ProfileId) {
        self.call(ShellRequest::Check, id, Call::Check);
        if let Some(dialog) = self.dialogs.find_mut::<TestDialog>() {
            dialog.begin();
        }
    }

    /// Stops the test that runs.
    pub(super) fn stop_test(&mut self) {
        self.cancel_requests(|request| *request == ShellRequest::Check);
    }

    /// Shows what a test has found so far.
    pub(super) fn show_test_progress(&mut self, progress: Progress) {
        let Some(dialog) = self.dialogs.find_mut::<TestDialog>() else { return };
        match progress {
            Progress::Reply(Reply::Checked(checked)) => dialog.add(checked),
            Progress::Closed(ended) => dialog.end(ended.err().map(|why| why.sentence)),
            _ => {}
        }
    }
}

impl Component<Step<DialogAnswer>> for TestDialog {
    fn key(&mut self, key: KeyEvent, _cx: &mut Cx) -> Handled<Step<DialogAnswer>> {
        let id = self.profile.id.clone();
        match KEYS.find_enabled(&key, self) {
            Some(A::Start) => Handled::emit(DialogAnswer::Profile(ProfileAnswer::StartTest(id))),
            Some(A::Close) if self.is_running() => Handled::answer(DialogAnswer::Profile(ProfileAnswer::StopTest)),
            Some(A::Close) => Handled::close(),
            None => Handled::Consumed,
        }
    }

    fn hints(&self) -> Vec<Hint> {
        KEYS.footer(&[A::Start], self)
    }

    fn help(&self) -> Vec<(&'static str, Vec<Hint>)> {
        vec![("Test", KEYS.help())]
    }

    fn escape(&self) -> Option<&'static str> {
        Some(if self.is_running() { "stop" } else { "close" })
    }

    fn typing(&self) -> bool {
        true
    }

    fn render(&self, frame: &mut Frame, area: Rect, context: RenderContext) {
        let theme = context.theme;
        let title = format!("Test {}", self.profile.name.line());
        let (width, height) = self.size(area, theme);
        let words = Words { title: &title, ..Words::default() };
        overlay::boxed(frame, area, (width, height), &words, theme);
        let inside = overlay::content_area(area, (width, height), theme.kind);
        let room = usize::from(inside.width).saturating_sub(2 + LABELS).max(8);
        let rows = self.rows(theme);
        let lines = rows.iter().flat_map(|(mark, label, words, style)| {
            let mut parts = wrap::lines(words, room);
            if parts.is_empty() {
                parts.push("");
            }
            let first = |at: usize, text: &'static str| if at == 0 { text } else { "" };
            parts.into_iter().enumerate().map(move |(at, part)| (first(at, mark), first(at, label), part, *style))
        });
        let lines: Vec<_> = lines.collect();
        // Where there is no room for all: the request before it is sent, the steps afterwards.
        let (len, height) = (lines.len(), usize::from(inside.height));
        let skipped = if self.state == State::Ready { 0 } else { len.saturating_sub(height) };
        for ((mark, label, part, style), y) in lines.into_iter().skip(skipped).zip(inside.y..inside.bottom()) {
            let buf = frame.buffer_mut();
            let width = usize::from(inside.width);
            let mark_style = if mark == "✓" { theme.good } else { style };
            buf.set_stringn(inside.x, y, mark, width, mark_style);
            buf.set_stringn(inside.x + 2, y, label, width.saturating_sub(2), theme.muted);
            let x = inside.x + (2 + LABELS as u16).min(inside.width);
            buf.set_stringn(x, y, part, room, style);
        }
        draw_scroll_arrows(frame.buffer_mut(), inside, &(skipped..(skipped + height).min(len)), len, theme);
    }
}

/// Returns its tables of keys, for the list of all keys.
pub(crate) fn listed_keys() -> Vec<ListedKeys> {
    vec![KEYS.listed()]
}
