//! What lies over the panes: a path being typed, an upload being planned, the question before a deletion.

use crossterm::event::KeyEvent;
use ratatui::Frame;
use ratatui::layout::Rect;

use super::Look;
use super::delete::Deletion;
use super::local::split;
use super::plan::{self, Plan};
use super::shelf::{Shelf, Stored};
use super::state::{Focus, Side, State};
use super::typed::{Step, Typed};
use crate::api::call::{Failure, Progress, Ticket};
use crate::component::{Cx, Hint};
use crate::record::work::{Done, Work};
use crate::settings::ProfileId;
use crate::tabs::generation::details;
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
    pub(super) typed: Typed,
    pub(super) profile: ProfileId,
    pub(super) files: Vec<Stored>,
    /// The folder is looked up.
    pub(super) asked: Option<Ticket>,
}

impl State {
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
            plan::Event::Go => self.send_planned(plan, cx),
            plan::Event::Check(path) => {
                if let Some(mut old) = self.planned.replace(plan) {
                    old.close(cx);
                }
                self.check_file(path, cx);
            }
        }
    }

    fn send_planned(&mut self, mut plan: Box<Plan>, cx: &mut Cx) {
        self.send(&plan, cx);
        plan.close(cx);
        if let Some(mut page) = self.check.take() {
            page.close(cx);
        }
    }

    /// Sends the plan if that was ordered before all its files were looked at, and they are now.
    fn send_ready(&mut self, cx: &mut Cx) {
        let ready = |over: &mut Over| if let Over::Plan(plan) = over { plan.is_ready() } else { false };
        if let Some(Over::Plan(plan)) = self.over.take_if(ready) {
            self.send_planned(plan, cx);
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
        if self.plan_with(|plan, shelf| plan.worked(ticket, done, shelf, cx)) {
            self.send_ready(cx);
            return true;
        }
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
            other @ (Over::Plan(_) | Over::Delete(_) | Over::Details(..)) => (Some(other), false),
        };
        self.over = over;
        ours
    }

    /// Something for the plan, whether it shows or waits behind the check page.
    fn plan_with(&mut self, then: impl FnOnce(&mut Plan, &mut Shelf) -> bool) -> bool {
        let shown = match self.over.take_if(|over| matches!(over, Over::Plan(_))) {
            Some(Over::Plan(plan)) => Some(plan),
            _ => None,
        };
        let shows = shown.is_some();
        let Some(mut plan) = shown.or_else(|| self.planned.take()) else { return false };
        let ours = self.shelf_of(&plan.profile).is_some_and(|shelf| then(&mut plan, shelf));
        if shows {
            self.over = Some(Over::Plan(plan));
        } else {
            self.planned = Some(plan);
        }
        ours
    }

    /// The list of a server has come, or has not: the plan compares anew.
    pub(super) fn plan_listed(&mut self, cx: &mut Cx) {
        self.plan_with(|plan, shelf| {
            plan.listed(shelf, cx);
            true
        });
        self.send_ready(cx);
    }

    /// News of a call; whether the call was that of what is open.
    pub(super) fn over_progress(&mut self, ticket: Ticket, progress: &Progress, cx: &mut Cx) -> bool {
        let ours = self.plan_with(|plan, shelf| plan.progress(ticket, progress, shelf, cx));
        self.send_ready(cx);
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
            Some(Over::Plan(plan)) if plan.typing() => {
                vec![hint("⏎", "choose"), hint("esc", if plan.was_chosen() { "back" } else { "cancel" })]
            }
            Some(Over::Plan(_)) => {
                let hints = [
                    ("⏎", "upload"),
                    ("s", "send anyway"),
                    ("e", "use that there"),
                    ("o", "leave out"),
                    ("v", "check page"),
                ];
                hints.map(|(key, does)| hint(key, does)).to_vec()
            }
            Some(Over::Folder(typed) | Over::File(typed)) => typed.hints(),
            Some(Over::Bound(bound)) => bound.typed.hints(),
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
