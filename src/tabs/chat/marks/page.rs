//! The page that lists all marked answers: to search, unmark and open them, and to write a training file of them.

mod view;

use std::time::Instant;

use crossterm::event::KeyEvent;
use ratatui::Frame;
use ratatui::layout::Rect;

use super::export::{ExportStep, MarksExport};
use super::keys::{Action, FOOTER, KEYS};
use super::training_rows::TrainingForm;
use crate::api::call::Ticket;
use crate::component::{
    Component, ConfirmDialog, Cx, DialogHelp, FindBar, FindBarEvent, Handled, Hint, Modals, Notice, PathPrompt,
    RenderContext, Response, Session,
};
use crate::record::{self, Id, Marked, Query, Stored};
use crate::ui::item_list::{ItemList, Keyed};
use crate::ui::meter::count;
use crate::ui::overlay::Confirm;
use crate::ui::rule::cut;
use view::columns;

/// What the page asks of the tab.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum MarksEvent {
    Close,
    /// This turn of this conversation is to be seen.
    Open(Id, Id),
    /// This turn of this conversation is not marked any more.
    Unmark(Id, Id),
    /// This file is to be written.
    Save(ExportFile),
}

/// A file that is to be written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ExportFile {
    pub(crate) path: String,
    pub(crate) text: String,
    /// What is to be said when it is there.
    pub(crate) words: String,
}

/// The answer of a dialog.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum MarksAnswer {
    /// Write rows of this form to the file at this path.
    Export(String, TrainingForm),
    /// Take the mark of this turn of this conversation back.
    Unmark(Id, Id),
}

/// What Esc takes away.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum MarksEscape {
    /// The words looked for.
    Words,
    /// The export under way.
    Export,
    /// What could not be exported.
    Refused,
    Page,
}

impl Keyed for Marked {
    type Key = Id;

    fn key(&self) -> &Id {
        &self.mark.turn
    }
}

/// The page.
#[derive(Debug)]
pub(crate) struct MarksPage {
    answers: ItemList<Marked>,
    loading: Option<Ticket>,
    find: FindBar,
    modals: Modals<MarksAnswer>,
    export: Option<MarksExport>,
    /// What could not be exported.
    refused: Vec<crate::text::Untrusted>,
}

impl MarksPage {
    /// Returns the page, which asks for all marks.
    pub(crate) fn new(cx: &mut Cx) -> Self {
        Self {
            answers: ItemList::default(),
            loading: Some(cx.load(Query::Marks)),
            find: FindBar::default(),
            modals: Modals::default(),
            export: None,
            refused: Vec::new(),
        }
    }

    /// Returns whether the page may be closed, and says why not: it collects the rows of an export, and is not left
    /// before they are there.
    pub(crate) fn may_close(&self, cx: &mut Cx) -> bool {
        if self.export.is_some() {
            cx.notify(Notice::info("the export is under way: wait for it, or esc stops it").about("marks"));
        }
        self.export.is_none()
    }

    fn search(&mut self) {
        let words = self.find.text().to_lowercase();
        let holds = |marked: &Marked| {
            let ideal = marked.mark.ideal.as_ref();
            let texts = [&marked.title, &marked.asked, &marked.text].into_iter().chain(ideal);
            let all: Vec<String> = texts.map(|text| text.line().to_lowercase()).collect();
            words.split_whitespace().all(|word| all.iter().any(|text| text.contains(word)))
        };
        self.answers.filter_and_sort(|marked| words.is_empty() || holds(marked), |_, _| {});
    }

    fn act(&mut self, action: Action, cx: &mut Cx) -> Handled<MarksEvent> {
        let len = self.answers.len();
        match action {
            Action::Close | Action::Open if !self.may_close(cx) => {}
            Action::Close => return Handled::Emit(MarksEvent::Close),
            Action::Move(motion) => self.answers.view.move_by(motion.rows(self.answers.view.page), len),
            Action::Escape => return self.escape_key(cx),
            Action::Search => self.find.start_typing(),
            Action::Open => {
                if let Some(marked) = self.answers.selected_item() {
                    return Handled::Emit(MarksEvent::Open(marked.conversation, marked.mark.turn));
                }
            }
            Action::Unmark => {
                let Some(marked) = self.answers.selected_item() else { return Handled::Consumed };
                let (conversation, turn) = (marked.conversation, marked.mark.turn);
                let Some(ideal) = &marked.mark.ideal else { return self.unmark(conversation, turn) };
                let words = cut(&ideal.line(), 120).into();
                let lines = vec!["The ideal answer you wrote goes with the mark:".into(), words];
                let question = Confirm::new("Unmark this answer?", lines, "Unmark");
                self.modals.open(ConfirmDialog::new(question, MarksAnswer::Unmark(conversation, turn)));
            }
            Action::Export if len > 0 && self.export.is_none() => self.ask_export(),
            Action::Export => {
                cx.notify(Notice::info("no answer is marked yet: a in the transcript marks one"));
            }
        }
        Handled::Consumed
    }

    /// Asks where the answers that show are exported to, and in which form.
    fn ask_export(&mut self) {
        let title = format!("Export {} marked answers", count(self.answers.len() as u64));
        let forms = [TrainingForm::Chats, TrainingForm::Pairs];
        let prompt = PathPrompt::save(title, "export", "chats.jsonl", move |mut path, way| {
            // Rows are read back by this ending.
            if !path.to_lowercase().ends_with(".jsonl") {
                path.push_str(".jsonl");
            }
            MarksAnswer::Export(path, forms[way])
        });
        self.modals.open(prompt.with_ways("format", forms.map(TrainingForm::description).into(), 0));
    }

    /// Returns what the next Esc takes away, and what it is called.
    fn next_escape(&self) -> (MarksEscape, &'static str) {
        if self.find.is_typing() {
            (MarksEscape::Words, "clear filter")
        } else if self.export.is_some() {
            (MarksEscape::Export, "stop")
        } else if !self.refused.is_empty() {
            (MarksEscape::Refused, "close")
        } else if !self.find.text().is_empty() {
            (MarksEscape::Words, "clear filter")
        } else {
            (MarksEscape::Page, "close")
        }
    }

    fn escape_key(&mut self, cx: &mut Cx) -> Handled<MarksEvent> {
        match self.next_escape().0 {
            MarksEscape::Export => {
                self.export = None;
                cx.notify(Notice::info("the export was stopped; nothing was written").about("marks"));
            }
            MarksEscape::Refused => self.refused.clear(),
            MarksEscape::Words => {
                self.find.clear();
                self.search();
            }
            MarksEscape::Page => return Handled::Emit(MarksEvent::Close),
        }
        Handled::Consumed
    }

    fn unmark(&mut self, conversation: Id, turn: Id) -> Handled<MarksEvent> {
        self.answers.change_items(|all| all.retain(|marked| marked.mark.turn != turn));
        self.search();
        Handled::Emit(MarksEvent::Unmark(conversation, turn))
    }

    fn answered(&mut self, handled: Handled<MarksAnswer>, cx: &mut Cx) -> Handled<MarksEvent> {
        handled.and_then(|answer| match answer {
            MarksAnswer::Unmark(conversation, turn) => self.unmark(conversation, turn),
            MarksAnswer::Export(path, form) => {
                let mut export = MarksExport::new(path, form, self.answers.rows().cloned().collect());
                self.refused.clear();
                if let ExportStep::More = export.next(cx) {
                    self.export = Some(export);
                }
                Handled::Consumed
            }
        })
    }

    /// Takes in the store's answer to a question of the export's. Returns the file, once all of it is collected.
    fn exported(&mut self, stored: Stored, cx: &mut Cx) -> Option<ExportFile> {
        let export = self.export.as_mut()?;
        match export.handle_stored(stored, cx) {
            ExportStep::More => None,
            ExportStep::Failed(why) => {
                self.export = None;
                cx.notify(Notice::error(format!("not exported: {}", why.line())));
                None
            }
            ExportStep::Done(rows) => {
                let export = self.export.take()?;
                self.refused = export.refused;
                let (made, cut) = (rows.count, rows.cut);
                if made == 0 {
                    cx.notify(
                        Notice::warn("none of these answers can become a training row; reasons below").about("marks"),
                    );
                    return None;
                }
                let mut words = format!("{} rows", count(made));
                if export.lost > 0 {
                    words = format!("{words}, {} left out", count(export.lost));
                }
                if cut > 0 {
                    words = format!("{words}; {} without the earlier messages", count(cut));
                }
                Some(ExportFile { path: export.path, text: rows.text(), words })
            }
        }
    }

    /// Returns the keys of the page or of what is over it, for the help page.
    pub(crate) fn dialog_help(&self) -> DialogHelp {
        match () {
            () if self.modals.is_open() => self.modals.help().into(),
            () if self.find.is_typing() => DialogHelp::FindBar,
            () => vec![("Marked answers", KEYS.help())].into(),
        }
    }
}

impl Component<MarksEvent> for MarksPage {
    fn key(&mut self, key: KeyEvent, cx: &mut Cx) -> Handled<MarksEvent> {
        let handled = self.modals.key(key, cx);
        if !handled.is_ignored() {
            return self.answered(handled, cx);
        }
        if self.find.is_typing() {
            match self.find.key(key) {
                FindBarEvent::Changed | FindBarEvent::Cancelled => self.search(),
                FindBarEvent::Moved(motion) => return self.act(Action::Move(motion), cx),
                FindBarEvent::Submitted | FindBarEvent::Ignored => {}
            }
            return Handled::Consumed;
        }
        match KEYS.find(&key) {
            Some(action) => self.act(action, cx),
            None => Handled::Consumed,
        }
    }

    fn paste(&mut self, text: &str, cx: &mut Cx) -> Handled<MarksEvent> {
        let handled = self.modals.paste(text, cx);
        if !handled.is_ignored() {
            return self.answered(handled, cx);
        }
        if self.find.paste(text) {
            self.search();
        }
        Handled::Consumed
    }

    fn reply(&mut self, ticket: Ticket, response: &mut Response, cx: &mut Cx) -> Handled<MarksEvent> {
        let handled = self.modals.reply(ticket, response, cx);
        if !handled.is_ignored() {
            return self.answered(handled, cx);
        }
        let loaded = self.loading.take_if(|loading| *loading == ticket).is_some();
        if !loaded && !self.export.as_ref().is_some_and(|export| export.has(ticket)) {
            return Handled::Ignored;
        }
        let Response::Store(stored) = response.take() else { return Handled::Consumed };
        if !loaded {
            return self.exported(stored, cx).map_or(Handled::Consumed, |file| Handled::Emit(MarksEvent::Save(file)));
        }
        match stored {
            Stored::Rows(record::Rows::Marked(marked)) => self.answers.change_items(|all| *all = marked),
            Stored::Failed(why) => cx.notify(Notice::error(why)),
            _ => {}
        }
        self.search();
        Handled::Consumed
    }

    fn hints(&self) -> Vec<Hint> {
        if self.modals.is_open() {
            return self.modals.hints();
        }
        if self.find.is_typing() { FindBar::hints() } else { KEYS.footer(&FOOTER, &()) }
    }

    fn escape(&self) -> Option<&'static str> {
        self.modals.escape().or(Some(self.next_escape().1))
    }

    fn typing(&self) -> bool {
        true
    }

    fn arrange(&mut self, area: Rect, session: &Session, now: Instant) {
        let spacing = session.spacing();
        let [_, body, _] = self.places(area, spacing);
        let len = self.answers.len();
        let view = &mut self.answers.view;
        view.right = if spacing.has_surfaces() { spacing.side() } else { 0 };
        view.fit(&columns(body.width), len, body);
        self.modals.arrange(area, session, now);
    }

    fn render(&self, frame: &mut Frame, area: Rect, context: RenderContext) {
        self.draw(frame, area, context);
    }
}
