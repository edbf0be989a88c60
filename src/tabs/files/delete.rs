//! Deletes server files: the list is shown, a word is typed, failures are named.

use std::time::Instant;

use std::collections::VecDeque;
use std::sync::LazyLock;

use crossterm::event::KeyEvent;
use ratatui::Frame;
use ratatui::layout::{Position, Rect};

use super::dialogs;
use super::format::sum;
use super::job_usage::JobUsage;
use super::remote_files::{RemoteFile, RemoteFiles};
use crate::api::call::{Call, Failure, Progress, Ticket};
use crate::api::job::short_id;
use crate::component::{
    Bindings, Component, Cx, Handled, Hint, Motion, Notice, Pending, RenderContext, Session, Step, THIS_DIALOG, bind,
    bind_all, border,
};
use crate::settings::ProfileId;
use crate::text::Untrusted;
use crate::ui::key_table::{KeyContext, KeyPlace, ListedKeys};
use crate::ui::list::Cursor;
use crate::ui::meter::{bytes, count};
use crate::ui::overlay::{self, Answer, Confirm, Words};
use crate::ui::rule::cut;

/// So many are named in the question itself; more are shown as a list before it.
const NAMED: usize = 4;
/// Deletions under way at once.
const AT_ONCE: usize = 4;

/// What is to go, as it is shown.
#[derive(Debug)]
struct DeleteLine {
    name: Untrusted,
    words: String,
    runs: bool,
}

/// The question.
#[derive(Debug)]
pub(super) struct DeleteDialog {
    profile: ProfileId,
    ids: Vec<(String, Untrusted)>,
    lines: Vec<DeleteLine>,
    bytes: u64,
    /// The list is looked at; else the question is asked.
    list: Option<Cursor>,
    ask: Confirm,
}

impl DeleteDialog {
    /// Asks about these files.
    pub(super) fn new(remote: &RemoteFiles, files: &[RemoteFile]) -> Self {
        let mut lines: Vec<DeleteLine> = files.iter().map(|file| line(file, &remote.uses)).collect();
        // Of several of one name the id says which.
        let twins = remote.ids_with_shared_name();
        for (line, file) in lines.iter_mut().zip(files) {
            if twins.contains(file.id.as_str()) {
                line.words = format!("{}  {}", Untrusted::from(file.id.as_str()).line(), line.words);
            }
        }
        let sum = files.iter().fold(0_u64, |sum, file| sum.saturating_add(file.bytes));
        let ask = ask(&lines, sum);
        Self {
            profile: remote.profile.clone(),
            ids: files.iter().map(|file| (file.id.clone(), file.name.clone())).collect(),
            list: (lines.len() > NAMED).then(Cursor::default),
            lines,
            bytes: sum,
            ask,
        }
    }

    /// Returns the height of the box of the list.
    fn height(&self, area: Rect) -> u16 {
        (self.lines.len() as u16).saturating_add(2).min(area.height).min(24)
    }
}

/// What a key does to the list of files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum DeleteKey {
    /// Continues to the question.
    Continue,
    Close,
    Move(Motion),
}

/// The keys of the list.
static KEYS: LazyLock<Bindings<DeleteKey, ()>> = LazyLock::new(|| {
    use DeleteKey::Move;
    Bindings::new(
        KeyContext::new("files.delete").used_in(KeyPlace::Dialog),
        vec![
            bind("enter", DeleteKey::Continue, "continue", "continue"),
            bind("esc q", DeleteKey::Close, "cancel", "cancel"),
            bind_all([("j down", Move(Motion::Down)), ("k up", Move(Motion::Up))], "scroll", "down, up")
                .does(&["down", "up"]),
            bind_all(
                [("pagedown space", Move(Motion::PageDown)), ("pageup", Move(Motion::PageUp))],
                "",
                "page down, up",
            )
            .does(&["page down", "page up"]),
            bind_all([("g home", Move(Motion::First)), ("G end", Move(Motion::Last))], "", "first, last")
                .does(&["first", "last"]),
        ],
    )
});

impl Component<Step<dialogs::Answer>> for DeleteDialog {
    fn key(&mut self, key: KeyEvent, _cx: &mut Cx) -> Handled<Step<dialogs::Answer>> {
        let Some(cursor) = &mut self.list else {
            return match self.ask.key(key) {
                Answer::Open => Handled::Consumed,
                Answer::Cancelled => Handled::close(),
                Answer::Chosen => {
                    let (profile, files) = (self.profile.clone(), std::mem::take(&mut self.ids));
                    Handled::answer(dialogs::Answer::Delete { profile, files })
                }
            };
        };
        match KEYS.find(&key) {
            Some(DeleteKey::Close) => return Handled::close(),
            Some(DeleteKey::Continue) => self.list = None,
            // A page is ten files, and keeps none of them visible.
            Some(DeleteKey::Move(motion)) => cursor.move_by(motion.rows(11), self.lines.len()),
            None => {}
        }
        Handled::Consumed
    }

    fn hints(&self) -> Vec<Hint> {
        if self.list.is_some() {
            KEYS.footer(&[DeleteKey::Move(Motion::Down), DeleteKey::Continue], &())
        } else {
            Hint::of_question(&self.ask)
        }
    }

    fn help(&self) -> Vec<(&'static str, Vec<Hint>)> {
        vec![(THIS_DIALOG, if self.list.is_some() { KEYS.help() } else { Hint::help_of_question(&self.ask) })]
    }

    fn escape(&self) -> Option<&'static str> {
        Some("cancel")
    }

    fn arrange(&mut self, area: Rect, _session: &Session, _now: Instant) {
        let (rows, len) = (usize::from(self.height(area).saturating_sub(2)), self.lines.len());
        if let Some(cursor) = &mut self.list {
            cursor.window(rows, len);
        }
    }

    fn typing(&self) -> bool {
        true
    }

    fn render(&self, frame: &mut Frame, area: Rect, context: RenderContext) {
        let theme = context.theme;
        let Some(mut cursor) = self.list else { return self.ask.render(frame, area, theme) };
        let title = format!("Delete {} from the server?", sum(self.lines.len(), self.bytes));
        let foot = border(&self.hints(), "cancel", overlay::WIDEST.min(area.width));
        let words = Words { title: &title, right: "", foot: &foot, ..Words::default() };
        let inside = overlay::boxed(frame, area, (overlay::WIDEST, self.height(area)), &words, theme);
        let width = usize::from(inside.width);
        for (at, y) in cursor.window(usize::from(inside.height), self.lines.len()).zip(inside.y..) {
            let line = &self.lines[at];
            let style = if line.runs { theme.warn } else { theme.text };
            let style = if at == cursor.selected { style.patch(theme.select) } else { style };
            let text = cut(&format!("{}  {}", line.name.line(), line.words), width);
            frame.buffer_mut().set_stringn(inside.x, y, text, width, style);
            if at == cursor.selected {
                frame.set_cursor_position(Position::new(inside.x, y));
            }
        }
    }
}

fn line(file: &RemoteFile, uses: &JobUsage) -> DeleteLine {
    let all = uses.of(&file.id);
    let mut words = bytes(file.bytes);
    if let Some(first) = all.first() {
        let state = if first.runs { " (running)" } else { "" };
        words = format!("{words}  used by {}{state}", short_id(&first.job.line()));
        if all.len() > 1 {
            words = format!("{words} and {} more", all.len() - 1);
        }
    }
    DeleteLine { name: file.name.clone(), words, runs: all.iter().any(|one| one.runs) }
}

fn ask(lines: &[DeleteLine], sum_bytes: u64) -> Confirm {
    let mut said: Vec<Untrusted> = match lines.len() {
        0..=NAMED => lines.iter().map(|line| format!("{}  {}", line.name.line(), line.words).into()).collect(),
        some => vec![sum(some, sum_bytes).into()],
    };
    let runs = lines.iter().filter(|line| line.runs).count();
    let jobs = match runs {
        0 => "",
        1 => " The job may fail.",
        _ => " The jobs may fail.",
    };
    said.push(Untrusted::default());
    said.push(format!("This cannot be undone.{jobs}").into());
    let word = match lines {
        [_] => "delete".to_owned(),
        some => some.len().to_string(),
    };
    Confirm::new("Delete from server?", said, "Delete").typed(word)
}

/// Deletions under way.
#[derive(Debug)]
pub(super) struct DeleteQueue {
    pub(super) profile: ProfileId,
    waiting: VecDeque<(String, Untrusted)>,
    /// Ids and names of those under way.
    flying: Pending<(String, Untrusted)>,
    /// The ids of deleted files, to be removed from the list.
    gone: Vec<String>,
    /// Those of them that the server did not have, with what it said.
    missing: Vec<(String, Failure)>,
    /// The files that could not be deleted, with the reasons.
    failed: Vec<(String, Untrusted, Failure)>,
    total: usize,
}

impl DeleteQueue {
    /// Begins to delete files with these ids and names.
    pub(super) fn begin(profile: ProfileId, files: Vec<(String, Untrusted)>, cx: &mut Cx) -> Self {
        let total = files.len();
        let (flying, gone, missing, failed) = (Pending::default(), Vec::new(), Vec::new(), Vec::new());
        let mut deleting = Self { profile, waiting: files.into(), flying, gone, missing, failed, total };
        deleting.delete_next(cx);
        deleting
    }

    fn delete_next(&mut self, cx: &mut Cx) {
        while self.flying.purposes().count() < AT_ONCE
            && let Some((id, name)) = self.waiting.pop_front()
        {
            let ticket = cx.call_to(self.profile.clone(), Call::DeleteFile(id.clone()));
            self.flying.insert(ticket, (id, name));
        }
    }

    /// News of a call. Returns whether it is one of these.
    pub(super) fn handle_progress(&mut self, ticket: Ticket, progress: &Progress, cx: &mut Cx) -> bool {
        if self.flying.get(ticket).is_none() {
            return false;
        }
        if let Progress::Closed(result) = progress
            && let Some((id, name)) = self.flying.take(ticket)
        {
            match result {
                Ok(()) => self.gone.push(id),
                Err(why) if why.status == Some(404) => {
                    self.missing.push((id.clone(), why.clone()));
                    self.gone.push(id);
                }
                Err(why) => self.failed.push((id, name, why.clone())),
            }
            self.delete_next(cx);
        }
        true
    }

    /// Returns ids under way or waiting.
    pub(super) fn open(&self) -> impl Iterator<Item = &str> {
        self.flying.purposes().map(|(id, _)| id.as_str()).chain(self.waiting.iter().map(|(id, _)| id.as_str()))
    }

    /// Takes the ids that are gone since this was asked.
    pub(super) fn take(&mut self) -> Vec<String> {
        std::mem::take(&mut self.gone)
    }

    /// Takes the ids that the server deleted since this was asked, without those that it did not have.
    pub(super) fn take_deleted(&mut self) -> Vec<String> {
        let mut gone = self.take();
        gone.retain(|id| !self.missing.iter().any(|(missing, _)| missing == id));
        gone
    }

    /// Returns the progress, such as `deleting 3 of 12`.
    pub(super) fn words(&self) -> String {
        let left = self.flying.purposes().count() + self.waiting.len();
        format!("deleting {} of {}", count((self.total - left) as u64), count(self.total as u64))
    }

    pub(super) fn is_finished(&self) -> bool {
        self.flying.purposes().next().is_none() && self.waiting.is_empty()
    }

    /// Stops what has not begun: their ids.
    pub(super) fn stop(&mut self) -> Vec<String> {
        self.total -= self.waiting.len();
        std::mem::take(&mut self.waiting).into_iter().map(|(id, _)| id).collect()
    }

    /// Returns what is said when it is over: those that failed by their names.
    pub(super) fn summary(&self) -> Notice {
        let gone = self.total - self.failed.len();
        if self.failed.is_empty() {
            return Notice::ok(format!("{} deleted", super::format::files(gone)));
        }
        let mut said = Untrusted::from(format!("{} of {} not deleted: ", self.failed.len(), self.total));
        for (at, (_, name, why)) in self.failed.iter().enumerate() {
            said.push(if at == 0 { "" } else { "; " });
            said.append(name);
            said.push(" (");
            said.append(&why.sentence);
            said.push(")");
        }
        Notice::error(said)
    }

    /// Returns the ids of the files that could not be deleted, those included that the server did not have, with the
    /// reasons.
    pub(super) fn failures(&self) -> impl Iterator<Item = (&str, &Failure)> {
        let failed = self.failed.iter().map(|(id, _, why)| (id.as_str(), why));
        failed.chain(self.missing.iter().map(|(id, why)| (id.as_str(), why)))
    }

    /// Returns ids of those that stay.
    pub(super) fn remaining_ids(&self) -> Vec<String> {
        self.failed.iter().map(|(id, ..)| id.clone()).collect()
    }
}

/// Returns its tables of keys, for the list of all keys.
pub(crate) fn listed_keys() -> Vec<ListedKeys> {
    vec![KEYS.listed()]
}
