//! Panes over vectors under keys, with the work threads' answers, for tests.

use std::sync::Arc;
use std::time::Instant;

use crossterm::event::{KeyCode, KeyEvent};
use ratatui::Terminal;
use ratatui::backend::TestBackend;

use super::pane::{Ask, Look, Pane, Read, Text};
use crate::api::call::Ticket;
use crate::component::{Cx, Effect, Session};
use crate::record::vectors::{Figures, Sum};
use crate::record::work::{Done, Work};
use crate::record::{Id, Table, TextKey};
use crate::text::Untrusted;
use crate::ui::theme::{Depth, Kind, Theme};
use crate::vectors;

/// A pane and what it reads.
pub(super) struct Trial<P> {
    pub(super) pane: P,
    pub(super) read: Read,
    tickets: u64,
    pub(super) effects: Vec<Effect>,
}

/// A list of texts.
pub(super) fn texts(words: &[&str]) -> Vec<Text> {
    let text = |(words, row): (&&str, u32)| {
        let text = Untrusted::new(*words);
        let sent = TextKey::of(&text);
        Text { id: Id(i64::from(row) + 1), place: row, name: "".into(), text, label: None, sent, tokens: None }
    };
    words.iter().zip(0..).map(text).collect()
}

/// A list of texts with their vectors; an empty vector: none.
pub(super) fn read(list: &[(&str, &[f32])]) -> Read {
    let mut table = Table::new(list.len());
    for ((_, vector), row) in list.iter().zip(0..) {
        table.set(row, vector);
    }
    let words: Vec<&str> = list.iter().map(|(words, _)| *words).collect();
    let mut read = Read { texts: texts(&words), ..Read::default() };
    set(&mut read, table);
    read
}

/// The eight texts of the design.
pub(super) fn eight() -> Read {
    read(&[
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

/// Other vectors, and their similarities.
pub(super) fn set(read: &mut Read, table: Table) {
    let table = Arc::new(table);
    // As in the tab, there is none of a long list.
    read.matrix = match vectors::figures(&Sum::Matrix(table.clone()), &|_, _| true) {
        Ok(Figures::Matrix(matrix)) => Some(matrix),
        _ => None,
    };
    read.table = Some(table);
}

impl<P: Pane + Default> Trial<P> {
    pub(super) fn new(read: Read) -> Self {
        Self { pane: P::default(), read, tickets: 0, effects: Vec::new() }
    }

    fn with<T>(&mut self, act: impl FnOnce(&mut P, &Read, &mut Cx) -> T) -> T {
        let session = Session::default();
        let mut cx = Cx::new(&session, Instant::now(), 0, &mut self.tickets, &mut self.effects);
        act(&mut self.pane, &self.read, &mut cx)
    }

    pub(super) fn fresh(&mut self) {
        self.with(P::fresh);
    }

    /// A key; the tab does what is asked of it as far as it is a matter of the list.
    pub(super) fn press(&mut self, code: KeyCode) -> Ask {
        let ask = self.with(|pane, read, cx| pane.key(KeyEvent::from(code), read, cx));
        match ask {
            Ask::Go(row) => self.read.cursor.0 = row,
            Ask::Above(above) => self.read.above = above,
            _ => {}
        }
        ask
    }

    pub(super) fn says(&mut self, ticket: Ticket, done: &Done) -> bool {
        self.with(|pane, read, cx| pane.worked(ticket, done, read, cx))
    }

    /// The sums that were asked for since the last time and were not stopped.
    pub(super) fn asked(&mut self) -> Vec<(Ticket, Sum)> {
        let mut asked = Vec::new();
        for effect in self.effects.drain(..) {
            match effect {
                Effect::Work(ticket, Work::Sum(sum)) => asked.push((ticket, sum)),
                Effect::Cancel(ticket) => asked.retain(|(of, _)| *of != ticket),
                other => panic!("{other:?}"),
            }
        }
        asked
    }

    /// Answers all that is asked for, until nothing is; how many sums that were.
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
                assert!(self.says(ticket, &done), "{sum:?} is its own");
            }
        }
    }

    /// The pane at a size, without colour.
    pub(super) fn shown(&mut self, width: u16, height: u16) -> String {
        self.shown_as(width, height, true)
    }

    pub(super) fn shown_as(&mut self, width: u16, height: u16, focus: bool) -> String {
        let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
        let (session, theme) = (Session::default(), Theme::of(Kind::Mono, Depth::None));
        let look = Look { session: &session, theme: &theme, now: Instant::now(), focus };
        terminal.draw(|frame| self.pane.render(frame, frame.area(), &look, &self.read)).unwrap();
        let screen = terminal.backend().to_string();
        // Behind a row the backend says which of its cells wide characters hide.
        let rows = screen.lines().map(|row| row.split("\" Hidden by").next().unwrap_or_default());
        rows.map(|row| row.trim_matches('"').trim_end()).collect::<Vec<_>>().join("\n")
    }
}
