//! The list of biases as a dialog: what it asks of the work threads, and what it tells its owner.

use std::collections::BTreeMap;
use std::time::Instant;

use crossterm::event::KeyEvent;
use ratatui::Frame;
use ratatui::layout::Rect;

use super::{BiasQuery, Biases, Event};
use crate::api::call::Ticket;
use crate::component::{Component, Cx, Handled, Hint, RenderContext, Response, Session, Step, THIS_DIALOG};
use crate::text::Untrusted;
use crate::tokens;

/// The list of biases for a model. Its answer is the map of biases, after each change.
#[derive(Debug)]
pub(crate) struct BiasDialog {
    list: Biases,
    model: Untrusted,
    /// Whether the model is one of the local service's.
    local: bool,
    asked: Vec<(Ticket, BiasQuery)>,
}

impl BiasDialog {
    /// Returns a dialog with these biases, which asks at once how they are spelled.
    pub(crate) fn new(map: BTreeMap<String, f64>, model: Untrusted, local: bool, cx: &mut Cx) -> Self {
        let vocabulary = tokens::encoding(&model.line(), local).map(tokens::Encoding::name);
        let list = Biases::new(map, model.clone(), vocabulary);
        let mut dialog = Self { list, model, local, asked: Vec::new() };
        dialog.ask(cx);
        dialog
    }

    fn ask(&mut self, cx: &mut Cx) {
        while let Some(ask) = self.list.ask() {
            self.asked.push((cx.work(ask.work(&self.model, self.local)), ask));
        }
    }

    fn step<E: From<BTreeMap<String, f64>>>(&mut self, event: Event, cx: &mut Cx) -> Handled<Step<E>> {
        self.ask(cx);
        match event {
            Event::None => Handled::Consumed,
            Event::Changed => Handled::emit(self.list.map().into()),
            Event::Close => Handled::close(),
        }
    }
}

impl<E: From<BTreeMap<String, f64>>> Component<Step<E>> for BiasDialog {
    fn key(&mut self, key: KeyEvent, cx: &mut Cx) -> Handled<Step<E>> {
        let event = self.list.key(key);
        self.step(event, cx)
    }

    fn paste(&mut self, text: &str, _cx: &mut Cx) -> Handled<Step<E>> {
        self.list.paste(text);
        Handled::Consumed
    }

    fn reply(&mut self, ticket: Ticket, response: &mut Response, cx: &mut Cx) -> Handled<Step<E>> {
        let Response::Work(done) = response else { return Handled::Ignored };
        let Some(at) = self.asked.iter().position(|(asked, _)| *asked == ticket) else { return Handled::Ignored };
        let (_, ask) = self.asked.remove(at);
        let event = self.list.answer(&ask, done);
        self.step(event, cx)
    }

    fn hints(&self) -> Vec<Hint> {
        self.list.hints()
    }

    fn help(&self) -> Vec<(&'static str, Vec<Hint>)> {
        vec![(THIS_DIALOG, self.list.help())]
    }

    fn typing(&self) -> bool {
        true
    }

    fn arrange(&mut self, area: Rect, _session: &Session, _now: Instant) {
        self.list.arrange(area);
    }

    fn render(&self, frame: &mut Frame, area: Rect, context: RenderContext) {
        self.list.render(frame, area, context.theme);
    }
}
