//! What lies over the jobs: questions that are answered by typing, the details of a failure, the path of a file.

use crossterm::event::{KeyCode, KeyEvent};
use ratatui::Frame;
use ratatui::layout::Rect;

use super::entry::{Entry, safe};
use super::path::{Outcome, Path};
use super::state::{Page, Request, State};
use super::words;
use crate::api::call::{Call, Failure, FailureKind};
use crate::api::job::Job;
use crate::component::{Cx, Hint, Notice};
use crate::settings::ProfileId;
use crate::tabs::generation::details;
use crate::text::Untrusted;
use crate::ui::overlay::{Answer, Confirm};
use crate::ui::theme::Theme;

/// Characters of a word that is typed to confirm.
const WORD: usize = 14;

/// What is open.
#[derive(Debug)]
pub(super) enum Over {
    /// Whether a job is to be cancelled: the question, its id.
    Cancel(Confirm, String),
    /// Whether a model is to be deleted: the question, its job's id.
    Delete(Confirm, String),
    /// What the server said, and how far it is scrolled.
    Failure(Box<Failure>, usize),
    /// The path of a local file.
    Path(Box<Path>),
}

impl State {
    /// Asks whether the job under the cursor is to be cancelled.
    pub(super) fn ask_cancel(&mut self, cx: &mut Cx) {
        let Some(entry) = self.board().and_then(|board| board.here()) else { return };
        if !entry.runs() {
            let said = format!("{} is over ({}): there is nothing to cancel", entry.name(), entry.state());
            return cx.notify(Notice::hint(said).about("cancel"));
        }
        let share = entry.told.share(&entry.job).map(|share| format!(", {:.0}% done", share * 100.0));
        let about = format!("{}  {}  {}{}", entry.name(), entry.short(), entry.state(), share.unwrap_or_default());
        let lines = vec![
            about.into(),
            Untrusted::default(),
            "It ends at once and makes no model. What it did so far is lost.".into(),
        ];
        let ask = Confirm::new("Cancel this fine-tune?", lines, "Cancel it").otherwise("Keep").typed(word(entry));
        self.over = Some(Over::Cancel(ask, entry.job.id.clone()));
    }

    /// Asks whether the model of the job under the cursor is to be deleted.
    pub(super) fn ask_delete(&mut self, cx: &mut Cx) {
        let Some(entry) = self.board().and_then(|board| board.here()) else { return };
        let Some(model) = entry.model() else {
            let said = format!("{} made no model that could be deleted", entry.name());
            return cx.notify(Notice::hint(said).about("delete"));
        };
        let lines = vec![
            model,
            format!("made by {} from {}", entry.short(), safe(&entry.job.model)).into(),
            Untrusted::default(),
            "This cannot be undone; who uses the model gets errors. It takes the role of an owner.".into(),
        ];
        let ask = Confirm::new("Delete this model from the server?", lines, "Delete").otherwise("Keep");
        self.over = Some(Over::Delete(ask.typed(word(entry)), entry.job.id.clone()));
    }

    /// Shows what the server said last when something failed.
    pub(super) fn open_failure(&mut self, cx: &mut Cx) {
        let refused = self.create.refused.as_ref().filter(|_| self.page == Page::Create);
        match refused.or(self.board().and_then(|board| board.failure.as_ref())) {
            Some(why) => self.over = Some(Over::Failure(Box::new(why.clone()), 0)),
            None => cx.notify(Notice::hint("nothing has failed").about("details")),
        }
    }

    /// A key for what is open.
    pub(super) fn over_key(&mut self, key: KeyEvent, cx: &mut Cx) {
        let Some(mut over) = self.over.take() else { return };
        let mut open = true;
        match &mut over {
            Over::Failure(_, scroll) => match key.code {
                KeyCode::Char('j') | KeyCode::Down => *scroll += 1,
                KeyCode::Char('k') | KeyCode::Up => *scroll = scroll.saturating_sub(1),
                KeyCode::Esc | KeyCode::Enter | KeyCode::Char('D' | 'd' | 'q') => open = false,
                _ => {}
            },
            Over::Path(path) => match path.key(key, cx) {
                Outcome::Stay => {}
                Outcome::Close => open = false,
                Outcome::Chosen(path) => {
                    open = false;
                    self.open_file(&path, cx);
                }
            },
            Over::Cancel(ask, id) => match ask.key(key) {
                Answer::Open => {}
                Answer::Cancelled => open = false,
                Answer::Chosen => {
                    open = false;
                    self.order(Call::CancelJob(id.clone()), Request::Cancel(id.clone()), cx);
                }
            },
            Over::Delete(ask, id) => match ask.key(key) {
                Answer::Open => {}
                Answer::Cancelled => open = false,
                Answer::Chosen => {
                    open = false;
                    let model = self.board().and_then(|board| board.get(id)?.job.fine_tuned_model.clone());
                    if let Some(model) = model {
                        self.order(Call::DeleteModel(model), Request::Delete(id.clone()), cx);
                    }
                }
            },
        }
        if open {
            self.over = Some(over);
        }
    }

    fn order(&mut self, call: Call, asked: Request, cx: &mut Cx) {
        if let Some(profile) = self.board().map(|board| board.profile.clone()) {
            self.ask(&profile, call, asked, cx);
        }
    }

    /// A job that was cancelled or created, as the server has it now.
    pub(super) fn answered(&mut self, profile: &ProfileId, job: Job, created: bool, cx: &mut Cx) {
        let id = job.id.clone();
        self.changed(profile, job, cx);
        if created && let Some(stale) = self.board_of(profile).and_then(|board| board.listing.take()) {
            // A list that was asked for before may lack the job.
            self.pending.take(stale);
            cx.cancel(stale);
            self.list_of(profile, cx);
        }
        if created && let Some(board) = self.board_of(profile) {
            board.select_job(&id);
            if self.board().is_some_and(|board| board.profile == *profile) {
                self.page = Page::Jobs;
                self.selected(cx);
            }
        }
        self.follow(cx);
    }

    /// A new job was made, or was not.
    pub(super) fn created(&mut self, profile: &ProfileId, why: Option<Failure>, cx: &mut Cx) {
        self.keep_soon(cx.now);
        let here = self.board().is_some_and(|board| board.profile == *profile);
        let notice = match &why {
            Some(_) if here && self.page == Page::Create => None,
            Some(why) => Some(Notice::error(format!("the fine-tune was not made: {}", why.sentence.line()))),
            None => {
                let name = self.board_of(profile).and_then(|board| board.here()).map(Entry::name);
                let runs = words::runs(profile);
                Some(Notice::ok(format!("{} is made; {runs}", name.unwrap_or_default())))
            }
        };
        self.create.sent(profile, why);
        if let Some(notice) = notice {
            cx.notify(notice.about("create"));
        }
    }

    pub(super) fn not_cancelled(&mut self, profile: &ProfileId, id: &str, why: &Failure, cx: &mut Cx) {
        let name = self.board_of(profile).and_then(|board| Some(board.get(id)?.name())).unwrap_or_default();
        cx.notify(Notice::error(format!("{name} was not cancelled: {}", why.sentence.line())).about("cancel"));
        // Mostly it was over already.
        self.list(cx);
    }

    /// A model is gone, or is not.
    pub(super) fn deleted(&mut self, profile: &ProfileId, id: &str, why: Option<Failure>, cx: &mut Cx) {
        let Some(entry) = self.board_of(profile).and_then(|board| board.get(id)) else { return };
        let model = safe(entry.job.fine_tuned_model.as_deref().unwrap_or_default());
        let notice = match why {
            None => {
                self.forget(profile, id, cx.now);
                Notice::ok(format!("{model} is deleted"))
            }
            Some(why) if why.status == Some(403) => {
                let said = "only an owner of the organisation may delete models; ask one of them";
                Notice::error(format!("{model} is not deleted: {said}"))
            }
            Some(why) if why.status == Some(404) && why.kind != FailureKind::Unsupported => {
                self.forget(profile, id, cx.now);
                Notice::warn(format!("the server has no model {model}: it was deleted before, or is another caller's"))
            }
            Some(why) => Notice::error(format!("{model} is not deleted: {}", why.sentence.line())),
        };
        cx.notify(notice.about("delete"));
    }

    /// Pasted text for what is open.
    pub(super) fn over_paste(&mut self, text: &str, cx: &mut Cx) {
        if let Some(Over::Path(path)) = &mut self.over {
            path.paste(text, cx);
        }
    }

    /// Keys for the footer.
    pub(super) fn over_hints(&self) -> Vec<Hint> {
        let hint = Hint::new;
        match &self.over {
            Some(Over::Path(_)) => vec![hint("⏎", "draw it"), hint("tab", "complete"), hint("↑↓", "choose")],
            Some(Over::Failure(..)) => vec![hint("j k", "scroll")],
            Some(Over::Cancel(..) | Over::Delete(..)) => vec![hint("⏎", "when the word is typed")],
            None => Vec::new(),
        }
    }

    /// Draws what is open, if anything is.
    pub(super) fn render_over(&mut self, frame: &mut Frame, area: Rect, theme: &Theme) {
        let theme = &theme.over();
        match &mut self.over {
            None => {}
            Some(Over::Cancel(ask, _) | Over::Delete(ask, _)) => ask.render(frame, area, theme),
            Some(Over::Failure(why, scroll)) => details::render(frame, area, Some(why), scroll, theme),
            Some(Over::Path(path)) => path.render(frame, area, theme),
        }
    }
}

/// What is typed to confirm: the job's name where that is easily typed, else its id.
fn word(entry: &Entry) -> String {
    let name = entry.name();
    let easy = (1..=WORD).contains(&name.len()) && name.bytes().all(|byte| byte.is_ascii_graphic());
    if easy { name } else { super::entry::tail(&entry.job.id) }
}
