//! What lies over the panes: a path being typed, an upload being planned, the question before a deletion.

use std::path::PathBuf;

use crossterm::event::KeyEvent;
use ratatui::Frame;
use ratatui::layout::Rect;

use super::Look;
use super::check;
use super::delete::Deletion;
use super::local::split;
use super::plan::item::Verdict;
use super::plan::{self, Plan};
use super::shelf::{Shelf, Stored};
use super::state::{Focus, Side, State};
use super::transfers::What;
use super::typed::{Step, Typed};
use super::words::files;
use crate::api::call::{Download, Failure, Progress, Ticket, Upload};
use crate::disk;
use crate::record::work::{Done, Work};
use crate::settings::ProfileId;
use crate::tabs::generation::details;
use crate::tabs::{Cx, Hint, Notice};
use crate::text::Untrusted;
use crate::ui::overlay::Answer;

/// What is open.
#[derive(Debug)]
pub(super) enum Over {
    /// A folder to go to.
    Folder(Typed),
    /// A file to upload.
    File(Typed),
    /// Where these files of a server go.
    Bound(Box<Bound>),
    /// An upload before it begins.
    Plan(Box<Plan>),
    /// Files before they are deleted.
    Delete(Box<Deletion>),
    /// What the server said, and how far it is scrolled.
    Details(Box<Failure>, usize),
}

/// Where files go.
#[derive(Debug)]
pub(super) struct Bound {
    typed: Typed,
    profile: ProfileId,
    files: Vec<Stored>,
    /// The folder is looked up.
    asked: Option<Ticket>,
}

impl State {
    /// Uploads the marked files of the folder, or the one under the cursor; from the server's side a typed path.
    pub(super) fn begin_upload(&mut self, cx: &mut Cx) {
        if self.shelf().is_some_and(Shelf::is_unsupported) {
            return cx.notify(Notice::hint("this server keeps no files: it takes no upload").about("upload"));
        }
        let picked = if self.side == Side::Local { self.local.picked() } else { Vec::new() };
        if picked.is_empty() {
            let folder = self.local.path.raw();
            let begins =
                if folder.is_empty() || folder.ends_with('/') { folder.to_owned() } else { format!("{folder}/") };
            self.over = Some(Over::File(Typed::new("Upload which file?", "plan the upload", &begins)));
            return;
        }
        let files = picked.into_iter().map(|picked| (picked.path, Some(picked.bytes))).collect();
        self.plan(files, cx);
    }

    fn plan(&mut self, files: Vec<(String, Option<u64>)>, cx: &mut Cx) {
        let purpose = if self.kept.purpose.is_empty() { plan::TRAINING.to_owned() } else { self.kept.purpose.clone() };
        let Some(shelf) = self.shelf() else { return };
        let plan = Plan::new(files, &purpose, shelf, cx);
        self.over = Some(Over::Plan(Box::new(plan)));
    }

    /// Plans the upload of files that are for training.
    fn plan_training(&mut self, paths: Vec<String>, cx: &mut Cx) {
        if self.shelf().is_some_and(Shelf::is_unsupported) {
            return cx.notify(Notice::hint("this server keeps no files; the file stays where it is").about("upload"));
        }
        let files = paths.into_iter().map(|path| (path, None)).collect();
        let Some(shelf) = self.shelf() else { return };
        let plan = Plan::training(files, shelf, cx);
        self.over = Some(Over::Plan(Box::new(plan)));
    }

    /// Puts what was planned in line.
    fn send(&mut self, plan: &Plan, cx: &mut Cx) {
        self.kept.purpose.clone_from(&plan.purpose);
        cx.record(self.kept.record());
        let mut there = Vec::new();
        for item in &plan.items {
            match item.verdict() {
                Verdict::Send => {
                    let upload = Upload {
                        path: PathBuf::from(&item.path),
                        name: item.name().to_owned(),
                        purpose: plan.purpose.clone(),
                    };
                    self.learnt.insert(item.path.clone(), item.fact());
                    self.transfers.add(plan.profile.clone(), What::Up(upload), Some(item.bytes()), cx);
                }
                Verdict::Use(id) => there.push((id, item.fact())),
                Verdict::Waits | Verdict::Asks | Verdict::Out => {}
            }
        }
        self.local.unmark();
        for (id, fact) in there {
            let shelf = self.shelf_mut();
            shelf.learn(&id, fact, cx);
            if shelf.point(&id) {
                (self.side, self.focus) = (Side::Server, Focus::List);
            }
        }
    }

    /// Asks where the marked files of the server go, or the one under the cursor.
    pub(super) fn begin_download(&mut self, cx: &mut Cx) {
        if self.side == Side::Local {
            let said = "D downloads what is marked on the server's side; tab goes there";
            return cx.notify(Notice::hint(said).about("download"));
        }
        let Some(shelf) = self.shelf() else { return };
        let (profile, picked) = (shelf.profile.clone(), shelf.picked());
        if picked.is_empty() {
            return;
        }
        let title = match picked.as_slice() {
            [one] => format!("Download {} into which folder?", one.name.line()),
            some => format!("Download {} into which folder?", files(some.len())),
        };
        let mut typed = Typed::new(title, "download", self.local.path.raw());
        for file in &picked {
            let clean = disk::clean(file.name.raw());
            if clean != file.name.raw() {
                typed.lines.push(format!("{} is saved as {clean}", file.name.line()).into());
            }
        }
        self.over = Some(Over::Bound(Box::new(Bound { typed, profile, files: picked, asked: None })));
    }

    /// Puts downloads into an absolute folder in line.
    fn fetch(&mut self, bound: &Bound, folder: &Untrusted, cx: &mut Cx) {
        for file in &bound.files {
            let known = self.shelf_of(&bound.profile).and_then(|shelf| shelf.known.of(&file.id)?.sha256());
            let bytes = (file.bytes > 0).then_some(file.bytes);
            let download = Download {
                id: file.id.clone(),
                name: file.name.raw().to_owned(),
                folder: PathBuf::from(folder.raw()),
                bytes,
                sha256: known,
            };
            self.transfers.add(bound.profile.clone(), What::Down(download), bytes, cx);
        }
        if let Some(shelf) = self.shelf_of(&bound.profile) {
            shelf.unmark();
        }
    }

    /// Asks whether the marked files of the server are to go, or the one under the cursor.
    pub(super) fn begin_delete(&mut self, cx: &mut Cx) {
        if self.side == Side::Local {
            let said = "local files are not deleted here; tab goes to the server's";
            return cx.notify(Notice::hint(said).about("delete"));
        }
        if self.deleting.is_some() {
            return cx.notify(Notice::hint("a deletion is under way; it ends first").about("delete"));
        }
        let Some(shelf) = self.shelf() else { return };
        let mut picked = shelf.picked();
        picked.retain(|file| !file.going);
        if !picked.is_empty() {
            self.over = Some(Over::Delete(Box::new(Deletion::new(shelf, &picked))));
        }
    }

    /// Opens the check page of the local file under the cursor.
    pub(super) fn begin_check(&mut self, cx: &mut Cx) {
        if self.side == Side::Server {
            let said = "D downloads it first: the check reads the whole file from the disk";
            return cx.notify(Notice::hint(said).about("check"));
        }
        if let Some(picked) = self.local.picked().into_iter().next() {
            self.check_file(picked.path, cx);
        }
    }

    pub(super) fn check_file(&mut self, path: String, cx: &mut Cx) {
        // A check that is open goes on.
        if self.check.as_ref().is_some_and(|page| page.path() == path) {
            return;
        }
        if let Some(mut page) = self.check.take() {
            page.close(cx);
        }
        self.check = Some(check::Page::open(path, cx.session.model.clone(), cx.session.local, cx));
    }

    /// A key for the check page.
    pub(super) fn check_key(&mut self, key: KeyEvent, cx: &mut Cx) {
        let Some(page) = &mut self.check else { return };
        match page.key(key, cx) {
            check::Outcome::Taken | check::Outcome::Ignored => {}
            check::Outcome::Closed => {
                self.check = None;
                self.local.refresh(cx);
            }
            check::Outcome::Show(path, byte) => self.show_place(path, byte, cx),
            check::Outcome::Upload(paths) => {
                self.local.refresh(cx);
                self.plan_training(paths, cx);
            }
        }
    }

    /// Asks for a folder's path.
    pub(super) fn begin_path(&mut self) {
        let path = self.local.path.raw();
        self.over = Some(Over::Folder(Typed::new("Go to which folder?", "go there", path)));
    }

    /// What the server said of the last failure.
    pub(super) fn begin_details(&mut self, cx: &mut Cx) {
        let shelf = self.shelf().and_then(|shelf| shelf.failed.clone());
        match self.transfers.failure(self.rows, self.focus == Focus::Transfers).or(shelf) {
            Some(why) => self.over = Some(Over::Details(Box::new(why), 0)),
            None => cx.notify(Notice::hint("nothing has failed").about("details")),
        }
    }

    /// A key for what is open.
    pub(super) fn over_key(&mut self, key: KeyEvent, cx: &mut Cx) {
        let Some(over) = self.over.take() else { return };
        self.over = match over {
            Over::Folder(mut typed) => match typed.key(key, cx) {
                Step::Stay => Some(Over::Folder(typed)),
                Step::Close => None,
                Step::Done(path) => {
                    typed.close(cx);
                    (self.side, self.focus) = (Side::Local, Focus::List);
                    self.local.go(path, None, cx);
                    None
                }
            },
            Over::File(mut typed) => match typed.key(key, cx) {
                Step::Stay => Some(Over::File(typed)),
                Step::Close => None,
                Step::Done(path) => {
                    typed.close(cx);
                    self.plan(vec![(path, None)], cx);
                    return;
                }
            },
            Over::Bound(mut bound) => match bound.typed.key(key, cx) {
                Step::Stay => Some(Over::Bound(bound)),
                Step::Close => {
                    if let Some(asked) = bound.asked {
                        cx.cancel(asked);
                    }
                    None
                }
                Step::Done(path) => {
                    if let Some(asked) = bound.asked.replace(cx.work(Work::Folder { path })) {
                        cx.cancel(asked);
                    }
                    Some(Over::Bound(bound))
                }
            },
            Over::Plan(plan) => return self.plan_key(plan, key, cx),
            Over::Delete(mut deletion) => match deletion.key(key) {
                Answer::Open => Some(Over::Delete(deletion)),
                Answer::Cancelled => None,
                Answer::Chosen => {
                    let deleting = deletion.begin(cx);
                    if let Some(shelf) = self.shelf_of(&deleting.profile) {
                        deleting.open().for_each(|id| shelf.going(id, true));
                        shelf.unmark();
                    }
                    self.deleting = Some(deleting);
                    None
                }
            },
            Over::Details(why, mut scroll) => {
                use crossterm::event::KeyCode;
                match key.code {
                    KeyCode::Char('j') | KeyCode::Down => scroll += 1,
                    KeyCode::Char('k') | KeyCode::Up => scroll = scroll.saturating_sub(1),
                    KeyCode::Esc | KeyCode::Enter | KeyCode::Char('d' | 'q') => return,
                    _ => {}
                }
                Some(Over::Details(why, scroll))
            }
        };
    }

    fn plan_key(&mut self, mut plan: Box<Plan>, key: KeyEvent, cx: &mut Cx) {
        let Some(shelf) = self.shelf_of(&plan.profile) else { return };
        match plan.key(key, shelf, cx) {
            plan::Event::Stay => self.over = Some(Over::Plan(plan)),
            plan::Event::Close => plan.close(cx),
            plan::Event::Go => {
                self.send(&plan, cx);
                plan.close(cx);
                if let Some(mut page) = self.check.take() {
                    page.close(cx);
                }
            }
            plan::Event::Check(path) => {
                plan.close(cx);
                self.check_file(path, cx);
            }
        }
    }

    /// Pasted text for what is open.
    pub(super) fn over_paste(&mut self, text: &str, cx: &mut Cx) {
        match &mut self.over {
            Some(Over::Folder(typed) | Over::File(typed)) => typed.paste(text, cx),
            Some(Over::Bound(bound)) => bound.typed.paste(text, cx),
            Some(Over::Plan(plan)) => plan.paste(text),
            Some(Over::Delete(_) | Over::Details(..)) | None => {}
        }
    }

    /// The work threads' answer; whether the order was that of what is open.
    pub(super) fn over_worked(&mut self, ticket: Ticket, done: &Done, cx: &mut Cx) -> bool {
        let Some(over) = self.over.take() else { return false };
        let (over, ours) = match over {
            Over::Folder(mut typed) => {
                let ours = typed.worked(ticket, done, cx);
                (Some(Over::Folder(typed)), ours)
            }
            Over::File(mut typed) => {
                let ours = typed.worked(ticket, done, cx);
                (Some(Over::File(typed)), ours)
            }
            Over::Bound(mut bound) if bound.asked == Some(ticket) => {
                bound.asked = None;
                match done {
                    Done::Folder(folder) => {
                        bound.typed.close(cx);
                        self.fetch(&bound, &folder.path, cx);
                        (None, true)
                    }
                    Done::Failed(why) => {
                        bound.typed.note = Some(why.clone());
                        (Some(Over::Bound(bound)), true)
                    }
                    _ => (Some(Over::Bound(bound)), true),
                }
            }
            Over::Bound(mut bound) => {
                let ours = bound.typed.worked(ticket, done, cx);
                (Some(Over::Bound(bound)), ours)
            }
            Over::Plan(mut plan) => {
                let shelf = self.shelf_of(&plan.profile);
                let ours = shelf.is_some_and(|shelf| plan.worked(ticket, done, shelf, cx));
                (Some(Over::Plan(plan)), ours)
            }
            other @ (Over::Delete(_) | Over::Details(..)) => (Some(other), false),
        };
        self.over = over;
        ours
    }

    /// News of a call; whether the call was that of what is open.
    pub(super) fn over_progress(&mut self, ticket: Ticket, progress: &Progress, cx: &mut Cx) -> bool {
        let Some(Over::Plan(mut plan)) = self.over.take_if(|over| matches!(over, Over::Plan(_))) else { return false };
        let shelf = self.shelf_of(&plan.profile);
        let ours = shelf.is_some_and(|shelf| plan.progress(ticket, progress, shelf, cx));
        self.over = Some(Over::Plan(plan));
        ours
    }

    /// Ends a deletion's calls as they come in. Whether the call was one.
    pub(super) fn deleted(&mut self, ticket: Ticket, progress: &Progress, cx: &mut Cx) -> bool {
        let Some(mut deleting) = self.deleting.take() else { return false };
        let ours = deleting.progress(ticket, progress, cx);
        let gone = deleting.take();
        let stay = deleting.stay();
        if let Some(shelf) = self.shelf_of(&deleting.profile) {
            for id in &gone {
                shelf.remove(id);
            }
            for id in &stay {
                shelf.going(id, false);
            }
        }
        if deleting.is_over() {
            cx.notify(deleting.said());
        } else {
            self.deleting = Some(deleting);
        }
        ours
    }

    /// Ctrl+C: stops what was asked of the server, then deletions that have not begun, then pauses what moves.
    pub(super) fn interrupt(&mut self, cx: &mut Cx) -> bool {
        if self.shelf_mut().stop(cx) {
            return true;
        }
        if let Some(mut deleting) = self.deleting.take() {
            let stay = deleting.stop();
            if let Some(shelf) = self.shelf_of(&deleting.profile) {
                for id in &stay {
                    shelf.going(id, false);
                }
            }
            self.deleting = Some(deleting);
            if !stay.is_empty() {
                return true;
            }
        }
        self.transfers.halt(cx)
    }

    /// Keys for the footer.
    pub(super) fn over_hints(&self) -> Vec<Hint> {
        let hint = Hint::new;
        match &self.over {
            Some(Over::Plan(plan)) if !plan.typing() => {
                vec![hint("⏎", "upload"), hint("s", "send anyway"), hint("o", "leave out"), hint("v", "check page")]
            }
            Some(Over::Delete(_)) => vec![hint("tab", "move"), hint("⏎", "choose"), hint("esc", "cancel")],
            _ => Vec::new(),
        }
    }

    /// Whether letters are text in what is open.
    pub(super) fn over_types(&self) -> bool {
        match &self.over {
            Some(Over::Plan(plan)) => plan.typing(),
            Some(_) => true,
            None => false,
        }
    }

    /// Draws what is open.
    pub(super) fn render_over(&mut self, frame: &mut Frame, area: Rect, look: &Look) {
        let theme = &look.theme.over();
        let Some(over) = self.over.take() else { return };
        self.over = Some(match over {
            Over::Folder(mut typed) => {
                typed.render(frame, area, theme);
                Over::Folder(typed)
            }
            Over::File(mut typed) => {
                typed.render(frame, area, theme);
                Over::File(typed)
            }
            Over::Bound(mut bound) => {
                bound.typed.render(frame, area, theme);
                Over::Bound(bound)
            }
            Over::Plan(mut plan) => {
                if let Some(shelf) = self.shelf_of(&plan.profile) {
                    plan.render(frame, area, shelf, theme);
                }
                Over::Plan(plan)
            }
            Over::Delete(mut deletion) => {
                deletion.render(frame, area, theme);
                Over::Delete(deletion)
            }
            Over::Details(why, mut scroll) => {
                details::render(frame, area, Some(&why), &mut scroll, theme);
                Over::Details(why, scroll)
            }
        });
    }

    /// A local file in its folder.
    pub(super) fn show_local(&mut self, path: &str, cx: &mut Cx) {
        (self.side, self.focus) = (Side::Local, Focus::List);
        match split(path) {
            Some((folder, name)) => self.local.go(folder.to_owned(), Some(name.to_owned()), cx),
            None => self.local.go(path.to_owned(), None, cx),
        }
    }
}
