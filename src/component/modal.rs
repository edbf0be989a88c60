//! Dialogs: they cover a tab and take its keys until they are closed.

use std::any::Any;
use std::fmt::Debug;
use std::time::Instant;

use crossterm::event::KeyEvent;
use ratatui::Frame;
use ratatui::layout::Rect;

use super::{Component, Cx, Handled, Hint, RenderContext, Response, Session};
use crate::api::call::Ticket;
use crate::text::Untrusted;
use crate::ui::overlay;

/// Heading on the help page for the keys of a dialog without a name.
pub const THIS_DIALOG: &str = "This dialog";

/// What a dialog asks of [`Modals`]; `E` is its message to the owner.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step<E> {
    /// Close the dialog; nothing is done.
    Close,
    /// Close the dialog with this message as its answer.
    Answer(E),
    /// Leave the dialog open; the owner has to act on this message.
    Emit(E),
}

impl<E> Step<E> {
    /// Converts its message with `convert`.
    pub fn map<F>(self, convert: impl FnOnce(E) -> F) -> Step<F> {
        match self {
            Self::Close => Step::Close,
            Self::Answer(message) => Step::Answer(convert(message)),
            Self::Emit(message) => Step::Emit(convert(message)),
        }
    }
}

impl<E> Handled<Step<E>> {
    /// Returns the result that closes a dialog.
    pub fn close() -> Self {
        Self::Emit(Step::Close)
    }

    /// Returns the result that closes a dialog with a message as its answer.
    pub fn answer(message: E) -> Self {
        Self::Emit(Step::Answer(message))
    }

    /// Returns the result that leaves a dialog open and passes a message to its owner.
    pub fn emit(message: E) -> Self {
        Self::Emit(Step::Emit(message))
    }
}

/// A dialog: a component whose messages close it or are passed to its owner.
pub trait Modal<E>: Component<Step<E>> + Debug + Any {}

impl<E, T: Component<Step<E>> + Debug + Any> Modal<E> for T {}

/// The open dialogs of a tab, the top one last.
#[derive(Debug)]
pub struct Modals<E>(Vec<Box<dyn Modal<E>>>);

impl<E> Default for Modals<E> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<E: 'static> Modals<E> {
    /// Opens a dialog over those that are open.
    pub fn open(&mut self, modal: impl Modal<E>) {
        self.0.push(Box::new(modal));
    }

    /// Returns whether a dialog is open.
    pub fn is_open(&self) -> bool {
        !self.0.is_empty()
    }

    /// Returns the top dialog, if it is a `T`.
    pub fn top<T: 'static>(&self) -> Option<&T> {
        let top: &dyn Any = self.0.last()?.as_ref();
        top.downcast_ref()
    }

    /// Returns the highest dialog that is a `T`.
    pub fn find<T: 'static>(&self) -> Option<&T> {
        self.0.iter().rev().find_map(|modal| {
            let modal: &dyn Any = modal.as_ref();
            modal.downcast_ref()
        })
    }

    /// Returns the highest dialog that is a `T` mutably.
    pub fn find_mut<T: 'static>(&mut self) -> Option<&mut T> {
        self.all_mut().next()
    }

    /// Returns the dialogs that are a `T` mutably, the highest first.
    pub fn all_mut<T: 'static>(&mut self) -> impl Iterator<Item = &mut T> {
        self.0.iter_mut().rev().filter_map(|modal| {
            let modal: &mut dyn Any = modal.as_mut();
            modal.downcast_mut()
        })
    }

    /// Removes the highest dialog that is a `T` and returns it.
    pub fn take<T: 'static>(&mut self) -> Option<Box<T>> {
        let at = self.0.iter().rposition(|modal| {
            let modal: &dyn Any = modal.as_ref();
            modal.is::<T>()
        })?;
        let modal: Box<dyn Any> = self.0.remove(at);
        modal.downcast().ok()
    }

    /// Removes the dialogs of type `T`. Does not cancel their requests: it is for dialogs that make none.
    pub fn remove_type<T: 'static>(&mut self) {
        self.remove_if(|_: &T| true);
    }

    /// Removes the dialogs of type `T` for which `predicate` holds; returns whether there were any. Does not cancel
    /// their requests.
    pub fn remove_if<T: 'static>(&mut self, predicate: impl Fn(&T) -> bool) -> bool {
        let before = self.0.len();
        self.0.retain(|modal| {
            let modal: &dyn Any = modal.as_ref();
            !modal.downcast_ref().is_some_and(&predicate)
        });
        self.0.len() < before
    }

    /// Closes all dialogs and cancels their requests.
    pub fn close_all(&mut self, cx: &mut Cx) {
        for mut modal in self.0.drain(..) {
            modal.close(cx);
        }
    }

    /// Passes a key to the top dialog.
    pub fn key(&mut self, key: KeyEvent, cx: &mut Cx) -> Handled<E> {
        self.with_top(|top| top.key(key, cx))
    }

    /// Passes pasted text to the top dialog.
    pub fn paste(&mut self, text: &str, cx: &mut Cx) -> Handled<E> {
        self.with_top(|top| top.paste(text, cx))
    }

    /// Returns the text of the top dialog for an external editor; `None`: none is open, or it has none.
    pub fn editable(&self) -> Option<String> {
        self.0.last()?.editable()
    }

    /// Returns the text that is read in the top dialog, for the pager; `None`: none is open, or it has none.
    pub fn readable(&self, session: &Session) -> Option<Untrusted> {
        self.0.last()?.readable(session)
    }

    /// Passes the text from the external editor to the top dialog.
    pub fn edited(&mut self, text: &str, cx: &mut Cx) -> Handled<E> {
        self.with_top(|top| top.edited(text, cx))
    }

    /// Passes a reply to the dialog that asked for it.
    pub fn reply(&mut self, ticket: Ticket, response: &mut Response, cx: &mut Cx) -> Handled<E> {
        for at in 0..self.0.len() {
            let handled = self.0[at].reply(ticket, response, cx);
            if !handled.is_ignored() {
                return self.apply(at, handled);
            }
        }
        Handled::Ignored
    }

    /// Passes an event to the top dialog. An event that it ignores counts as consumed.
    fn with_top(&mut self, pass: impl FnOnce(&mut dyn Modal<E>) -> Handled<Step<E>>) -> Handled<E> {
        let Some(top) = self.0.last_mut() else { return Handled::Ignored };
        let handled = pass(top.as_mut());
        self.apply(self.0.len() - 1, handled)
    }

    /// Removes the dialog at `at` if it closes or answers, and returns what its owner has to act on.
    fn apply(&mut self, at: usize, handled: Handled<Step<E>>) -> Handled<E> {
        match handled {
            Handled::Emit(Step::Emit(message)) => Handled::Emit(message),
            Handled::Emit(Step::Answer(message)) => {
                self.0.remove(at);
                Handled::Emit(message)
            }
            Handled::Emit(Step::Close) => {
                self.0.remove(at);
                Handled::Consumed
            }
            Handled::Ignored | Handled::Consumed => Handled::Consumed,
        }
    }

    /// Returns the keys of the top dialog for the footer.
    pub fn hints(&self) -> Vec<Hint> {
        self.0.last().map(|top| top.hints()).unwrap_or_default()
    }

    /// Returns every key of the top dialog by context, for the help page: those of its footer and Esc, if it lists no
    /// others. Empty: no dialog is open.
    pub fn help(&self) -> Vec<(&'static str, Vec<Hint>)> {
        let Some(top) = self.0.last() else { return Vec::new() };
        let help = top.help();
        if !help.is_empty() {
            return help;
        }
        let mut hints = top.hints();
        hints.retain(|hint| hint.key != "esc");
        hints.extend(self.escape().map(|does| Hint::new("esc", does)));
        vec![(THIS_DIALOG, hints)]
    }

    /// Returns what Esc does to the top dialog; `None`: none is open.
    pub fn escape(&self) -> Option<&'static str> {
        self.0.last().map(|top| top.escape().unwrap_or("close"))
    }

    /// Fits all dialogs to the area they are drawn over.
    pub fn arrange(&mut self, area: Rect, session: &Session, now: Instant) {
        let room = overlay::room(area, session.palette);
        self.0.iter_mut().for_each(|modal| modal.arrange(room, session, now));
    }

    /// Returns whether a dialog dims what is behind it.
    pub fn dims(&self) -> bool {
        self.0.iter().any(|modal| modal.dims())
    }

    /// Returns whether letters are text for the top dialog.
    pub fn typing(&self) -> bool {
        self.0.last().is_some_and(|top| top.typing())
    }

    /// Returns whether keys go to a text box of the top dialog.
    pub fn in_text_box(&self) -> bool {
        self.0.last().is_some_and(|top| top.in_text_box())
    }

    /// Returns whether the next key is one after Ctrl+X in a text box of the top dialog.
    pub fn is_prefix_pending(&self) -> bool {
        self.0.last().is_some_and(|top| top.is_prefix_pending())
    }

    /// Returns when a dialog next has to be drawn again although nothing happens. Dialogs get no tick: they change in
    /// [`Component::arrange`].
    pub fn due(&self) -> Option<Instant> {
        self.0.iter().filter_map(|modal| modal.due()).min()
    }

    /// Draws all dialogs over `area`, the top one last.
    pub fn render(&self, frame: &mut Frame, area: Rect, context: RenderContext) {
        let over = RenderContext { theme: &context.theme.on_overlay(), ..context };
        for modal in &self.0 {
            if modal.dims() {
                overlay::dim(frame.buffer_mut(), area, context.theme);
            }
            modal.render(frame, overlay::room(area, context.session.palette), over);
        }
    }
}

#[cfg(test)]
mod tests {
    use crossterm::event::KeyCode;

    use super::*;
    use crate::component::{ChoiceDialog, ConfirmDialog, EditorDialog, LinePrompt, PathPrompt, Question};
    use crate::record::work::Done;
    use crate::ui::editor::Editor;
    use crate::ui::overlay::Confirm;
    use crate::ui::picker::Picker;
    use crate::ui::text_field::TextField;

    /// Answers with the letter that is pressed; asks for work on `w`, and answers when that is done.
    #[derive(Debug, Default)]
    struct Letters {
        asked: Option<Ticket>,
    }

    impl Component<Step<char>> for Letters {
        fn key(&mut self, key: KeyEvent, cx: &mut Cx) -> Handled<Step<char>> {
            match key.code {
                KeyCode::Esc => Handled::close(),
                KeyCode::Char('w') => {
                    self.asked = Some(cx.work(crate::record::work::Work::Paths(String::new())));
                    Handled::Consumed
                }
                KeyCode::Char(letter) => Handled::answer(letter),
                _ => Handled::Consumed,
            }
        }

        fn reply(&mut self, ticket: Ticket, _response: &mut Response, _cx: &mut Cx) -> Handled<Step<char>> {
            if self.asked == Some(ticket) { Handled::answer('!') } else { Handled::Ignored }
        }

        fn hints(&self) -> Vec<Hint> {
            Vec::new()
        }

        fn render(&self, _frame: &mut Frame, _area: Rect, _context: RenderContext) {}
    }

    #[test]
    fn the_help_of_every_shared_dialog_has_the_keys_of_its_footer_and_esc() {
        let ask = || Confirm::new("Delete?", Vec::new(), "Delete");
        let dialogs: Vec<Box<dyn Modal<char>>> = vec![
            Box::new(ConfirmDialog::new(ask(), 'y')),
            Box::new(ConfirmDialog::new(ask().typed("all"), 'y')),
            Box::new(Question::new("Load?", Vec::new()).answer('l', "load", 'l')),
            Box::new(LinePrompt::new("Name", "save", TextField::default(), |_, _| 's').with_ways(
                "form",
                vec!["a", "b"],
                0,
            )),
            Box::new(PathPrompt::save("Save", "save", "", |_, _| 's').with_ways("form", vec!["a", "b"], 0)),
            Box::new(ChoiceDialog::new(Picker::<char>::new("Use", Vec::new()), |value| value)),
            Box::new(EditorDialog::new("Text", (40, 10), Editor::new(""), |_| 't').emitting(|_| 't')),
            Box::new(Letters::default()),
        ];
        for dialog in dialogs {
            let modals = Modals(vec![dialog]);
            let (help, footer) = (modals.help(), modals.hints());
            let listed: Vec<&str> =
                help.iter().flat_map(|(_, hints)| hints).flat_map(|hint| hint.key.split(' ')).collect();
            // Arrows stand side by side in a footer.
            let lists = |key: &str| listed.contains(&key) || key.chars().all(|key| listed.contains(&&*key.to_string()));
            let missing: Vec<&Hint> = footer.iter().filter(|hint| !hint.key.split(' ').all(lists)).collect();
            assert!(missing.is_empty() && listed.contains(&"esc"), "{modals:?}: {missing:?} not in {help:?}");
            assert!(help.iter().flat_map(|(_, hints)| hints).all(|hint| !hint.does.is_empty()), "{help:?}");
        }
        assert_eq!(Modals::<char>::default().help(), []);
    }

    #[test]
    fn keys_go_to_the_top_dialog_and_answers_of_workers_to_the_one_that_asked() {
        let (session, mut tickets, mut effects) = (Session::default(), 0, Vec::new());
        let mut cx = Cx::new(&session, Instant::now(), 0, &mut tickets, &mut effects);
        let mut modals = Modals::default();
        let press = |modals: &mut Modals<char>, code, cx: &mut Cx| modals.key(KeyEvent::from(code), cx);
        assert_eq!(press(&mut modals, KeyCode::Char('a'), &mut cx), Handled::Ignored, "none is open");
        modals.open(Letters::default());
        assert_eq!(press(&mut modals, KeyCode::Char('w'), &mut cx), Handled::Consumed);
        modals.open(Letters::default());
        assert_eq!(press(&mut modals, KeyCode::Tab, &mut cx), Handled::Consumed);
        let paths = || Response::Work(Done::Paths(Vec::new()));
        assert_eq!(modals.reply(Ticket(99), &mut paths(), &mut cx), Handled::Ignored);
        assert_eq!(modals.reply(Ticket(1), &mut paths(), &mut cx), Handled::Emit('!'), "the lower one");
        assert!(modals.is_open(), "the upper one is still open");
        assert_eq!(press(&mut modals, KeyCode::Char('b'), &mut cx), Handled::Emit('b'));
        assert_eq!(modals.escape(), None);
        modals.open(Letters::default());
        assert_eq!(press(&mut modals, KeyCode::Esc, &mut cx), Handled::Consumed);
        assert!(!modals.is_open());
    }
}
