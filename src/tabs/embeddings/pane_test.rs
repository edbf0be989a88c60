//! A pane with its data, keys and the work threads' replies, for tests.

use std::rc::Rc;
use std::sync::Arc;
use std::time::Instant;

use crossterm::event::{KeyCode, KeyEvent};
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::layout::Rect;

use super::pane::{PaneEvent, VectorPane};
use super::pane_data::{Page, PaneData, TextItem};
use crate::api::call::Ticket;
use crate::component::{Cx, Effect, Handled, RenderContext, Response, Session};
use crate::record::vectors::{Figures, VectorTask};
use crate::record::work::{Done, Work};
use crate::record::{Id, TextKey, VectorKey, VectorTable};
use crate::settings::ProfileId;
use crate::text::Untrusted;
use crate::ui::theme::{Depth, Kind, Theme};
use crate::vectors;

/// A pane and what it reads.
pub(super) struct PaneTest<P> {
    pub(super) pane: P,
    pub(super) data: PaneData,
    tickets: u64,
    pub(super) effects: Vec<Effect>,
}

/// Returns a list of texts.
pub(super) fn texts(words: &[&str]) -> Vec<TextItem> {
    let text = |(words, row): (&&str, u32)| {
        let text = Untrusted::new(*words);
        let sent = TextKey::of(&text);
        TextItem { id: Id(i64::from(row) + 1), place: row, name: "".into(), text, label: None, sent, tokens: None }
    };
    words.iter().zip(0..).map(text).collect()
}

/// Returns a list of texts with their vectors; an empty vector: none.
pub(super) fn data(list: &[(&str, &[f32])]) -> PaneData {
    let mut table = VectorTable::new(list.len());
    for ((_, vector), row) in list.iter().zip(0..) {
        table.set(row, vector);
    }
    let words: Vec<&str> = list.iter().map(|(words, _)| *words).collect();
    let mut data = PaneData { texts: Arc::new(texts(&words)), ..PaneData::default() };
    set(&mut data, table);
    data
}

/// Returns the eight texts of the design.
pub(super) fn eight() -> PaneData {
    data(&[
        ("refund within 30 days", &[0.9, 0.1, 0.1]),
        ("money back guarantee", &[0.9, 0.2, 0.0]),
        ("return unused shoes", &[0.8, 0.4, 0.2]),
        ("shipping costs", &[0.3, 0.9, 0.3]),
        ("delivery takes 5 days", &[0.2, 0.9, 0.2]),
        ("change my password", &[0.0, 0.3, 0.9]),
        ("reset login", &[0.0, 0.35, 0.9]),
        ("日本語: 返金について", &[0.8, 0.1, 0.2]),
    ])
}

/// Replaces the vectors and their similarities.
pub(super) fn set(data: &mut PaneData, table: VectorTable) {
    let table = Arc::new(table);
    // As in the tab, there is none of a long list.
    data.matrix = match vectors::figures(&VectorTask::Matrix(table.clone()), &|_, _| true) {
        Ok(Figures::Matrix(matrix)) => Some(matrix),
        _ => None,
    };
    data.table = Some(table);
}

/// Returns texts with vectors of a length, under a model's key.
pub(super) fn of_model(texts: &[&str], length: usize, numbers: Vec<f32>) -> PaneData {
    let key = VectorKey { profile: "work".into(), model: "embed-small".into(), dimensions: None };
    let table = Some(Arc::new(VectorTable::of(length, numbers)));
    PaneData { texts: Arc::new(self::texts(texts)), key, table, ..PaneData::default() }
}

/// Returns the page of a pane, by the name of its help.
fn page(pane: &dyn VectorPane) -> Page {
    match pane.help()[0].0 {
        "Map" => Page::Map,
        "Pairs" => Page::Pairs,
        "Rank by similarity" => Page::Query,
        "Compare" => Page::Compare,
        "Vector checks" => Page::Hygiene,
        other => panic!("{other}"),
    }
}

impl<P: VectorPane + Default> PaneTest<P> {
    pub(super) fn new(data: PaneData) -> Self {
        let mut test = Self { pane: P::default(), data, tickets: 0, effects: Vec::new() };
        test.update(true);
        test
    }

    fn update(&mut self, focus: bool) {
        let focus = focus.then(|| page(&self.pane));
        self.pane.update(Rc::new(PaneData { focus, ..self.data.clone() }));
    }

    pub(super) fn with<T>(&mut self, act: impl FnOnce(&mut P, &mut Cx) -> T) -> T {
        let session = Session { profile: ProfileId("work".into()), ..Session::default() };
        let mut cx = Cx::new(&session, Instant::now(), 0, &mut self.tickets, &mut self.effects);
        act(&mut self.pane, &mut cx)
    }

    /// Hands the data to the pane, which asks for what it shows.
    pub(super) fn refresh(&mut self) {
        self.update(true);
        self.with(P::refresh);
    }

    /// Presses a key; what is asked for that concerns the list is done as the tab does it.
    pub(super) fn press(&mut self, key: impl Into<KeyEvent>) -> Handled<PaneEvent> {
        self.update(true);
        let handled = self.with(|pane, cx| pane.key(key.into(), cx));
        match handled {
            Handled::Emit(PaneEvent::Go(row)) => self.data.cursor.0 = row,
            Handled::Emit(PaneEvent::Above(above)) => self.data.above = above,
            _ => return handled,
        }
        self.refresh();
        handled
    }

    /// Presses letters; what the last one asks for.
    pub(super) fn type_(&mut self, letters: &str) -> Handled<PaneEvent> {
        letters.chars().map(|letter| self.press(KeyCode::Char(letter))).last().unwrap()
    }

    pub(super) fn says(&mut self, ticket: Ticket, done: Done) -> bool {
        !self.with(|pane, cx| pane.reply(ticket, &mut Response::Work(done), cx)).is_ignored()
    }

    /// Returns the work that was asked for since the last time and was not cancelled.
    pub(super) fn asked(&mut self) -> Vec<(Ticket, VectorTask)> {
        let mut asked = Vec::new();
        for effect in self.effects.drain(..) {
            match effect {
                Effect::Work(ticket, Work::Vectors(sum)) => asked.push((ticket, sum)),
                Effect::Cancel(ticket) => asked.retain(|(of, _)| *of != ticket),
                other => panic!("{other:?}"),
            }
        }
        asked
    }

    /// Answers all that is asked for, until nothing is. Returns how much that was.
    pub(super) fn settle(&mut self) -> usize {
        let mut sums = 0;
        loop {
            let asked = self.asked();
            if asked.is_empty() {
                return sums;
            }
            for (ticket, sum) in asked {
                sums += 1;
                let done = Done::Figures(vectors::figures(&sum, &|_, _| true).unwrap());
                assert!(self.says(ticket, done), "{sum:?} is its own");
            }
        }
    }

    /// Returns the pane at a size, without colour.
    pub(super) fn shown(&mut self, width: u16, height: u16) -> String {
        self.shown_as(width, height, true)
    }

    pub(super) fn shown_as(&mut self, width: u16, height: u16, focus: bool) -> String {
        self.update(focus);
        let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
        let (session, theme) = (Session::default(), Theme::of(Kind::Mono, Depth::None));
        let context = RenderContext { session: &session, theme: &theme, now: Instant::now() };
        self.pane.arrange(Rect::new(0, 0, width, height), &session, context.now);
        terminal.draw(|frame| self.pane.render(frame, frame.area(), context)).unwrap();
        let screen = terminal.backend().to_string();
        // Behind a row the backend says which of its cells wide characters hide.
        let rows = screen.lines().map(|row| row.split("\" Hidden by").next().unwrap_or_default());
        rows.map(|row| row.trim_matches('"').trim_end()).collect::<Vec<_>>().join("\n")
    }
}
