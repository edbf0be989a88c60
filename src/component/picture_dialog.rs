//! The pictures of a message, as a dialog that shows one at a time.

use std::sync::LazyLock;
use std::time::Instant;

use crossterm::event::KeyEvent;
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::Line;
use ratatui::widgets::{Paragraph, Wrap};

use super::{
    Bindings, Component, Cx, Effect, Handled, Hint, RenderContext, Response, Session, Step, THIS_DIALOG, bind,
};
use crate::api::call::Ticket;
use crate::record::Block;
use crate::record::work::{Done, Work};
use crate::text::Untrusted;
use crate::ui::graphics::{Graphics, Picture, Protocol};
use crate::ui::key_table::{KeyContext, KeyPlace, ListedKeys};
use crate::ui::meter;
use crate::ui::overlay::{Words, boxed, content_area};
use crate::ui::theme::Kind;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Action {
    Close,
    Next,
    Previous,
}

static KEYS: LazyLock<Bindings<Action, PictureDialog>> = LazyLock::new(|| {
    Bindings::new(
        KeyContext::new("images").used_in(KeyPlace::Dialog),
        vec![
            bind("n right", Action::Next, "next", "next image").disabled_when(only_one),
            bind("p left", Action::Previous, "previous", "previous image").disabled_when(only_one),
            bind("esc enter q", Action::Close, "close", "close"),
        ],
    )
});

fn only_one(dialog: &PictureDialog) -> Option<&'static str> {
    (dialog.blocks.len() < 2).then_some("there is only one image")
}

/// How far the picture in front is.
#[derive(Debug)]
enum State {
    Decoding(Ticket),
    Decoded(Picture, (u32, u32)),
    Failed(Untrusted),
}

/// Shows the pictures of a message, one at a time. Where the terminal shows none, their names and sizes.
#[derive(Debug)]
pub struct PictureDialog {
    /// The pictures, at least one.
    blocks: Vec<Block>,
    at: usize,
    state: State,
}

impl PictureDialog {
    /// Creates a dialog; `None`: none of the blocks is a picture.
    pub fn new(blocks: &[Block], cx: &mut Cx) -> Option<Self> {
        let blocks: Vec<Block> = blocks.iter().filter(|block| block.is_picture()).cloned().collect();
        let state = decode(blocks.first()?, cx);
        Some(Self { blocks, at: 0, state })
    }

    fn show(&mut self, at: usize, cx: &mut Cx) {
        self.leave(cx);
        self.at = at;
        self.state = decode(&self.blocks[at], cx);
    }

    /// Removes the picture in front: stops decoding it, or clears what the terminal has drawn of it.
    fn leave(&self, cx: &mut Cx) {
        match self.state {
            State::Decoding(ticket) => cx.cancel(ticket),
            // These stay where nothing is written over them.
            State::Decoded(..) if matches!(graphics(cx.session).protocol, Protocol::Iterm2 | Protocol::Sixel) => {
                cx.push(Effect::Repaint);
            }
            State::Decoded(..) | State::Failed(_) => {}
        }
    }

    /// Returns the name and the size of the picture in front.
    fn words(&self) -> (String, String) {
        let block = &self.blocks[self.at];
        let bytes = meter::bytes(block.file_size() as u64);
        let size = match self.state {
            State::Decoded(_, (width, height)) => format!("{width} × {height} pixels · {bytes}"),
            _ => bytes,
        };
        (block.body().line().into_owned(), size)
    }
}

/// Starts to decode a picture.
fn decode(block: &Block, cx: &mut Cx) -> State {
    let url = block.picture().cloned().unwrap_or_default();
    State::Decoding(cx.work(Work::Picture(url)))
}

/// Returns how pictures are shown in a theme: without colours not at all.
fn graphics(session: &Session) -> Graphics {
    let graphics = session.terminal.graphics;
    if session.palette == Kind::Mono { Graphics { protocol: Protocol::None, ..graphics } } else { graphics }
}

impl<E> Component<Step<E>> for PictureDialog {
    fn key(&mut self, key: KeyEvent, cx: &mut Cx) -> Handled<Step<E>> {
        let count = self.blocks.len();
        match KEYS.find_enabled(&key, self) {
            Some(Action::Close) => {
                self.leave(cx);
                return Handled::close();
            }
            Some(Action::Next) => self.show((self.at + 1) % count, cx),
            Some(Action::Previous) => self.show((self.at + count - 1) % count, cx),
            None => {}
        }
        Handled::Consumed
    }

    fn reply(&mut self, ticket: Ticket, response: &mut Response, _cx: &mut Cx) -> Handled<Step<E>> {
        match (&self.state, response) {
            (State::Decoding(own), Response::Work(done)) if *own == ticket => match done {
                Done::Picture(decoded) => {
                    self.state = State::Decoded(Picture::new(decoded.pixels.clone()), decoded.size);
                }
                Done::Failed(why) => self.state = State::Failed(why.clone()),
                _ => {}
            },
            _ => return Handled::Ignored,
        }
        Handled::Consumed
    }

    fn close(&mut self, cx: &mut Cx) {
        self.leave(cx);
    }

    fn hints(&self) -> Vec<Hint> {
        KEYS.footer(&[Action::Next, Action::Previous], self)
    }

    fn help(&self) -> Vec<(&'static str, Vec<Hint>)> {
        vec![(THIS_DIALOG, KEYS.help())]
    }

    fn arrange(&mut self, area: Rect, session: &Session, _now: Instant) {
        if let State::Decoded(picture, _) = &mut self.state {
            picture.fit(content_area(area, (area.width, area.height), session.palette), graphics(session));
        }
    }

    fn render(&self, frame: &mut Frame, area: Rect, context: RenderContext) {
        let theme = context.theme;
        let (title, more) = self.words();
        let right =
            if self.blocks.len() > 1 { format!("{} of {}", self.at + 1, self.blocks.len()) } else { String::new() };
        let words = Words { title: &title, right: &right, more: &more, ..Words::default() };
        boxed(frame, area, (area.width, area.height), &words, theme);
        let inner = content_area(area, (area.width, area.height), theme.kind);
        let said = match &self.state {
            State::Decoded(picture, _) => {
                if picture.render(inner, frame.buffer_mut()) {
                    return;
                }
                let why = if context.session.palette == Kind::Mono {
                    "Images need colours, and this theme has none."
                } else {
                    "This terminal shows no images."
                };
                Line::styled(why, theme.muted)
            }
            State::Decoding(_) => Line::styled("decoding…", theme.faint),
            State::Failed(why) => Line::styled(why.line().into_owned(), theme.bad),
        };
        frame.render_widget(Paragraph::new(said).wrap(Wrap { trim: true }), inner);
    }
}

/// Returns its tables of keys, for the list of all keys.
pub(crate) fn listed_keys() -> Vec<ListedKeys> {
    vec![KEYS.listed()]
}
