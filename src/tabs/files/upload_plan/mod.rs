//! The dialog of an upload: what was found out about each file. Nothing is sent before Enter.
//!
//! ```text
//! ╭─ Upload 2 files for fine-tuning ───────────────────────────╮
//! │ ▌train.jsonl   214 MB  ✕ 3 problems                        │
//! │  valid.jsonl    18 MB  = same content as v.jsonl on the s… │
//! │                                                            │
//! │ line 12,044  not JSON: trailing comma                      │
//! │                                                            │
//! │ 1 file · 214 MB · the server then holds 454 MB of 1 GB     │
//! ╰────────────────────────────────────────────────────────────╯
//! ```

mod draw;
mod duplicate_search;
pub(super) mod keys;
pub(super) mod planned_file;
mod purposes;
mod wording;

use std::time::Instant;

use crossterm::event::KeyEvent;
use ratatui::Frame;
use ratatui::layout::Rect;

use self::draw::PlanText;
use self::duplicate_search::DuplicateState;
use self::keys::{Action, Verb};
use self::planned_file::{FileSize, PlannedFile, UploadDecision, UploadVerdict};
pub use self::purposes::purpose_words;
pub(super) use self::purposes::purposes;
use super::check::to_tune;
use super::remote_files::RemoteFiles;
use crate::api::call::{Progress, Ticket};
use crate::component::{Component, Cx, Handled, Hint, RenderContext, Session, Step};
use crate::record::work::Done;
use crate::settings::ProfileId;
use crate::ui::list::Cursor;

/// The one that files are checked for.
pub(super) const TRAINING: &str = "fine-tune";

/// The plan's message to the tab, while it is open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Event {
    /// Send what is to be sent.
    Send,
    /// Let the user choose another purpose.
    Purpose,
    /// Read the stored file that the one under the cursor may be the same as.
    Compare,
    /// The check page of this file.
    Check(String),
}

/// The box.
#[derive(Debug)]
pub(super) struct UploadPlan {
    pub(super) profile: ProfileId,
    pub(super) purpose: String,
    /// Whether the purpose was chosen.
    chosen: bool,
    pub(super) items: Vec<PlannedFile>,
    cursor: Cursor,
    note: Option<&'static str>,
    /// Whether Enter was pressed while a file was still being looked at: the upload begins when none is.
    submit_when_ready: bool,
    text: PlanText,
}

impl UploadPlan {
    /// Plans the upload of files by their absolute paths, with their sizes where known. Their purpose is yet to be chosen;
    /// `purpose` is proposed.
    pub(super) fn new(files: Vec<(String, Option<u64>)>, purpose: &str, remote: &RemoteFiles, cx: &mut Cx) -> Self {
        let items: Vec<PlannedFile> =
            files.into_iter().map(|(path, bytes)| PlannedFile::new(path, bytes, cx)).collect();
        let mut plan = Self {
            profile: remote.profile.clone(),
            purpose: purpose.to_owned(),
            chosen: false,
            items,
            cursor: Cursor::default(),
            note: None,
            submit_when_ready: false,
            text: PlanText::default(),
        };
        (0..plan.items.len()).for_each(|at| plan.compare(at, remote, cx));
        plan
    }

    /// Looks for the content of a file on the server and in the plan.
    fn compare(&mut self, at: usize, remote: &RemoteFiles, cx: &mut Cx) {
        let size = self.items[at].bytes();
        let like: Vec<usize> = (0..self.items.len()).filter(|at| size > 0 && self.items[*at].bytes() == size).collect();
        let alone = like.len() == 1;
        self.items[at].find_duplicate(remote, !alone, cx);
        if !alone {
            // The ones before it were alone until now.
            for at in like {
                let item = &mut self.items[at];
                item.duplicate.request_hash(&item.path, cx);
            }
        }
        self.find_duplicates_in_plan();
    }

    /// Notices files of the plan that have the content of one before them.
    fn find_duplicates_in_plan(&mut self) {
        for at in 1..self.items.len() {
            let (before, rest) = self.items.split_at_mut(at);
            rest[0].find_duplicate_in_plan(before);
        }
    }

    /// Takes the server's list, or the news that it failed.
    pub(super) fn listed(&mut self, remote: &RemoteFiles, cx: &mut Cx) {
        for at in 0..self.items.len() {
            if self.items[at].duplicate.needs_list(remote) {
                self.compare(at, remote, cx);
            }
        }
    }

    /// Puts what was made of a file in its place: these paths.
    pub(super) fn replace(&mut self, from: &str, paths: Vec<String>, remote: &RemoteFiles, cx: &mut Cx) {
        let at = self.items.iter().position(|item| item.path == from).unwrap_or(self.items.len());
        if paths == [from] {
            return;
        }
        if let Some(mut old) = (at < self.items.len()).then(|| self.items.remove(at)) {
            old.close(cx);
        }
        for path in paths.into_iter().rev() {
            self.items.insert(at, PlannedFile::new(path, None, cx));
            self.compare(at, remote, cx);
        }
        self.cursor.selected = at;
        if self.chosen {
            self.check(cx);
        }
    }

    /// Creates a plan for files that are made for training.
    pub(super) fn training(files: Vec<(String, Option<u64>)>, remote: &RemoteFiles, cx: &mut Cx) -> Self {
        let mut plan = Self::new(files, TRAINING, remote, cx);
        plan.choose(TRAINING.to_owned(), cx);
        plan
    }

    /// Returns whether its purpose was chosen.
    pub(super) fn has_purpose(&self) -> bool {
        self.chosen
    }

    /// Takes the purpose that was chosen, and checks the files for it.
    pub(super) fn choose(&mut self, purpose: String, cx: &mut Cx) {
        self.chosen = true;
        self.purpose = purpose;
        self.check(cx);
    }

    /// Checks what is to train; what is for something else needs none.
    fn check(&mut self, cx: &mut Cx) {
        let (model, local) = (to_tune(cx.session), cx.session.local);
        for item in &mut self.items {
            if self.purpose == TRAINING {
                item.check(&model, local, cx);
            } else {
                item.skip_check(cx);
            }
        }
    }

    /// Returns the file under the cursor.
    fn selected_file(&self) -> Option<&PlannedFile> {
        self.items.get(self.cursor.selected)
    }

    fn act(&mut self, action: Action) -> Handled<Step<Event>> {
        match action {
            Action::Close => return Handled::close(),
            Action::Submit if self.submit() => return Handled::emit(Event::Send),
            Action::Submit => {}
            // A page is ten files, and keeps none of them visible.
            Action::Move(motion) => self.cursor.move_by(motion.rows(11), self.items.len()),
            Action::Purpose => return Handled::emit(Event::Purpose),
            Action::Decide(verb) => self.decide(|item| match verb {
                Verb::Send => item.toggle(UploadDecision::Send),
                Verb::LeaveOut => item.toggle(UploadDecision::Out),
                Verb::UseStored => match item.stored_copy().map(str::to_owned) {
                    Some(id) => {
                        item.decision = Some(UploadDecision::Use(id));
                        None
                    }
                    None => Some("no stored file has the same content"),
                },
            }),
            Action::DecideAll(verb) => self.decide_all(|item| match verb {
                Verb::Send => Some(UploadDecision::Send),
                Verb::LeaveOut => Some(UploadDecision::Out),
                Verb::UseStored => item.stored_copy().map(|id| UploadDecision::Use(id.to_owned())),
            }),
            Action::Compare => return Handled::emit(Event::Compare),
            Action::Check => {
                if let Some(item) = self.items.get(self.cursor.selected) {
                    return Handled::emit(Event::Check(item.path.clone()));
                }
            }
        }
        Handled::Consumed
    }

    /// Reads the stored file of the same size as the one under the cursor.
    pub(super) fn read(&mut self, remote: &RemoteFiles, cx: &mut Cx) {
        match self.items.get_mut(self.cursor.selected).map(|item| &mut item.duplicate) {
            Some(search) if matches!(search.state, DuplicateState::NeedsConfirm(_)) => {
                search.compare_next(remote, true, cx);
            }
            _ => self.note = Some("there is nothing to compare it with"),
        }
    }

    /// Ends what is on its way.
    pub(super) fn stop(&mut self, cx: &mut Cx) {
        self.items.iter_mut().for_each(|item| item.close(cx));
    }

    fn decide(&mut self, decide: impl Fn(&mut PlannedFile) -> Option<&'static str>) {
        if let Some(item) = self.items.get_mut(self.cursor.selected) {
            self.note = decide(item);
        }
        self.find_duplicates_in_plan();
    }

    /// Decides on each file that waits for an answer, as far as `decide` has one for it.
    fn decide_all(&mut self, decide: impl Fn(&PlannedFile) -> Option<UploadDecision>) {
        let mut any = false;
        // One after the other: the result for a file may also hold for the next file with the same content.
        for at in 0..self.items.len() {
            if self.items[at].verdict() == UploadVerdict::Asks
                && let Some(decision) = decide(&self.items[at])
            {
                self.items[at].decision = Some(decision);
                any = true;
                self.find_duplicates_in_plan();
            }
        }
        if !any {
            self.note = Some("no file is undecided");
        }
    }

    /// Returns whether the upload begins now: it was asked for while files were still being looked at, and none is any
    /// more.
    pub(super) fn is_ready(&mut self) -> bool {
        if !std::mem::take(&mut self.submit_when_ready) {
            return false;
        }
        self.note = None;
        if self.items.iter().any(|item| item.decision.is_none() && item.is_unknown()) {
            self.note = Some("some files could not be compared with the server's; enter uploads them anyway");
            return false;
        }
        self.submit()
    }

    /// Returns whether the upload begins; if not, what is to be done first is said.
    fn submit(&mut self) -> bool {
        let verdicts: Vec<UploadVerdict> = self.items.iter().map(PlannedFile::verdict).collect();
        let at = |wanted: UploadVerdict| verdicts.iter().position(|verdict| *verdict == wanted);
        if let Some(at) = at(UploadVerdict::Asks) {
            self.cursor.selected = at;
            let asking = verdicts.iter().filter(|verdict| **verdict == UploadVerdict::Asks).count();
            self.note = Some(self.items[at].decision_words(asking == 1, self.items.len() == 1));
        } else if let Some(at) = at(UploadVerdict::Waits) {
            self.cursor.selected = at;
            self.note = Some("the upload begins when all files are checked; s includes this one now");
            self.submit_when_ready = true;
        } else {
            self.note = self.nothing_to_upload();
            return self.note.is_none();
        }
        false
    }

    /// Returns why there is nothing to upload; `None`: there is, or the stored file is used for one of the plan.
    fn nothing_to_upload(&self) -> Option<&'static str> {
        if self.items.iter().any(|item| item.verdict() != UploadVerdict::Out) {
            return None;
        }
        let refused = self.items.iter().filter(|item| matches!(item.size, FileSize::Wrong(_))).count();
        Some(match refused {
            _ if self.items.is_empty() => "no file is left to upload: none was chosen",
            0 => "no file is left to upload: all are left out; o decides again",
            some if some == self.items.len() => "no file is left to upload: none of them can be sent",
            _ => "no file is left to upload: some cannot be sent, the others are left out",
        })
    }

    /// Takes a result of the work threads. Returns whether the dialog had asked for it.
    pub(super) fn handle_worked(&mut self, ticket: Ticket, done: &Done, remote: &RemoteFiles, cx: &mut Cx) -> bool {
        let Some((at, sized)) = self
            .items
            .iter_mut()
            .enumerate()
            .find_map(|(at, item)| item.handle_worked(ticket, done, remote, cx).map(|sized| (at, sized)))
        else {
            return false;
        };
        if sized {
            self.compare(at, remote, cx);
        }
        self.find_duplicates_in_plan();
        true
    }

    /// News of a call. Returns whether the call was the box's.
    pub(super) fn handle_progress(
        &mut self,
        ticket: Ticket,
        progress: &Progress,
        remote: &mut RemoteFiles,
        cx: &mut Cx,
    ) -> bool {
        self.items.iter_mut().any(|item| item.duplicate.handle_progress(ticket, progress, remote, cx))
    }

    /// Returns how many are to be sent, and their bytes.
    fn sum(&self) -> (usize, u64) {
        let sent =
            self.items.iter().filter(|item| !matches!(item.verdict(), UploadVerdict::Out | UploadVerdict::Use(_)));
        sent.fold((0, 0), |(count, sum), item| (count + 1, sum + item.bytes()))
    }
}

impl<E: From<Event>> Component<Step<E>> for UploadPlan {
    fn key(&mut self, key: KeyEvent, cx: &mut Cx) -> Handled<Step<E>> {
        (self.note, self.submit_when_ready) = (None, false);
        let handled = keys::KEYS.find(&key).map_or(Handled::Consumed, |action| self.act(action));
        if let Handled::Emit(Step::Close) = handled {
            self.stop(cx);
        }
        handled.map(|step| step.map(E::from))
    }

    fn close(&mut self, cx: &mut Cx) {
        self.stop(cx);
    }

    fn hints(&self) -> Vec<Hint> {
        keys::footer(self)
    }

    fn help(&self) -> Vec<(&'static str, Vec<Hint>)> {
        vec![("Upload dialog", help())]
    }

    fn typing(&self) -> bool {
        true
    }

    fn escape(&self) -> Option<&'static str> {
        Some("cancel")
    }

    fn arrange(&mut self, area: Rect, _session: &Session, _now: Instant) {
        self.fit(area);
    }

    fn render(&self, frame: &mut Frame, area: Rect, context: RenderContext) {
        self.draw(frame, area, context.theme);
    }
}

/// Returns its keys, for the help page.
pub(super) fn help() -> Vec<Hint> {
    keys::KEYS.help()
}
