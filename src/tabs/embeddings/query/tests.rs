//! The ranking as it is used; and what the other panes over the vectors are tried with.

use std::time::Instant;

use ratatui::Terminal;
use ratatui::backend::TestBackend;

use super::*;
use crate::component::{Effect, Session};
use crate::record::TextKey;
use crate::tabs::embeddings::pane::Text;
use crate::ui::theme::{Depth, Kind, Theme};

/// Texts with these vectors.
pub(crate) fn read(texts: &[&str], length: usize, numbers: Vec<f32>) -> Read {
    let text = |(at, text): (usize, &&str)| Text {
        id: Id(at as i64 + 1),
        place: at as u32,
        name: Untrusted::default(),
        text: (*text).into(),
        label: None,
        sent: TextKey::of(&(*text).into()),
        tokens: None,
    };
    let key = VectorKey { profile: "work".into(), model: "embed-small".into(), dimensions: None };
    Read {
        texts: texts.iter().enumerate().map(text).collect(),
        key,
        table: Some(Arc::new(Table::of(length, numbers))),
        ..Read::default()
    }
}

/// Calls a pane with what it may ask for.
pub(crate) fn with<T>(call: impl FnOnce(&mut Cx) -> T) -> (T, Vec<Effect>) {
    let session = Session { profile: crate::settings::ProfileId("work".into()), ..Session::default() };
    let (mut tickets, mut effects) = (100, Vec::new());
    let answer = call(&mut Cx::new(&session, Instant::now(), 0, &mut tickets, &mut effects));
    (answer, effects)
}

/// The sum that was asked for, and its ticket.
pub(crate) fn sum(effects: &[Effect]) -> (Ticket, &Sum) {
    let sum = effects.iter().find_map(|effect| match effect {
        Effect::Work(ticket, Work::Sum(sum)) => Some((*ticket, sum)),
        _ => None,
    });
    sum.expect("a sum was asked for")
}

/// The pane at a size, without colour.
pub(crate) fn picture(pane: &mut dyn Pane, read: &Read, (width, height): (u16, u16)) -> String {
    let session = Session::default();
    let theme = Theme::of(Kind::Mono, Depth::None);
    let look = Look { session: &session, theme: &theme, now: Instant::now(), focus: true };
    let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
    terminal.draw(|frame| pane.render(frame, frame.area(), &look, read)).unwrap();
    let buffer = terminal.backend().buffer();
    let line = |y| (0..width).map(|x| buffer[(x, y)].symbol()).collect::<String>().trim_end().to_owned();
    (0..height).map(line).collect::<Vec<_>>().join("\n")
}

pub(crate) fn key(pane: &mut dyn Pane, code: KeyCode, read: &Read) -> (Ask, Vec<Effect>) {
    with(|cx| pane.key(code.into(), read, cx))
}

fn four() -> Read {
    let texts = ["a refund within 30 days", "shipping costs", "reset login", "money back \u{202e}guarantee"];
    read(&texts, 2, vec![1.0, 0.0, 0.6, 0.8, 0.0, 1.0, 0.8, 0.6])
}

/// Types a text, has it embedded as this vector, and the texts ranked.
fn ranked(pane: &mut Query, read: &Read, text: &str, vector: [f32; 2]) {
    for char in text.chars() {
        assert_eq!(key(pane, KeyCode::Char(char), read).0, Ask::Nothing);
    }
    assert!(matches!(key(pane, KeyCode::Enter, read).0, Ask::Embed(_)));
    let ((), effects) = with(|cx| pane.vector(Ok(vector.into()), read, cx));
    let (ticket, sum) = sum(&effects);
    let figures = crate::vectors::figures(sum, &|_, _| true).unwrap();
    let (taken, _) = with(|cx| pane.worked(ticket, &Done::Figures(figures), read, cx));
    assert!(taken);
}

#[test]
fn a_text_ranks_the_others_and_ranked_again_it_says_what_moved() {
    let (mut read, mut pane) = (four(), Query::default());
    assert!(pane.typing());
    ranked(&mut pane, &read, "money", [1.0, 0.0]);
    assert_eq!(pane.ranked.iter().map(|ranked| ranked.row).collect::<Vec<_>>(), [0, 3, 1, 2]);
    assert!(pane.ranked.iter().all(|ranked| ranked.shift == Shift::First));
    assert!(!pane.typing(), "the list has the keys");
    key(&mut pane, KeyCode::Char('i'), &read);
    ranked(&mut pane, &read, " login", [0.0, 1.0]);
    assert!(pane.ranked.iter().all(|ranked| ranked.shift == Shift::First), "another text says nothing of this one");
    // The same text under another model; its vectors go before those of the other come.
    let vectors = read.table.take();
    read.key.model = "other".into();
    with(|cx| pane.fresh(&read, cx));
    read.table = vectors;
    ranked(&mut pane, &read, "", [1.0, 0.0]);
    let told: Vec<_> = pane.ranked.iter().map(|ranked| (ranked.row, ranked.shift)).collect();
    assert_eq!(told, [(0, Shift::Up(3)), (3, Shift::Up(1)), (1, Shift::Down(1)), (2, Shift::Down(3))]);
    key(&mut pane, KeyCode::Char('j'), &read);
    assert_eq!(key(&mut pane, KeyCode::Enter, &read).0, Ask::Go(3));
    for size in [(120, 36), (80, 24), (40, 12)] {
        let shown = picture(&mut pane, &read, size);
        for words in ["Rank by a text", "money login", "1.000", "↑3", "↓1", "reset login"] {
            assert!(shown.contains(words), "{words:?} at {size:?}:\n{shown}");
        }
        assert!(!shown.contains('\u{202e}'));
    }
}

#[test]
fn what_cannot_be_ranked_says_why() {
    let (mut read, mut pane) = (four(), Query::default());
    assert_eq!(key(&mut pane, KeyCode::Enter, &read).0, Ask::Nothing, "nothing is typed");
    pane.paste("money");
    assert!(matches!(key(&mut pane, KeyCode::Enter, &read).0, Ask::Embed(_)));
    with(|cx| pane.vector(Err("the server does not answer".into()), &read, cx));
    assert!(picture(&mut pane, &read, (80, 24)).contains("✕ the server does not answer"));
    read.table = None;
    assert_eq!(key(&mut pane, KeyCode::Enter, &read).0, Ask::Nothing);
    assert!(picture(&mut pane, &read, (80, 24)).contains("the texts have no vectors yet"));
    assert_eq!(key(&mut pane, KeyCode::Esc, &read).0, Ask::Close);
}

#[test]
fn other_vectors_are_ranked_anew_and_those_of_another_model_are_let_go() {
    let (mut read, mut pane) = (four(), Query::default());
    ranked(&mut pane, &read, "money", [1.0, 0.0]);
    let ((), effects) = with(|cx| pane.fresh(&read, cx));
    assert_eq!(effects, [], "the same is not asked for again");
    read.table = four().table;
    let ((), effects) = with(|cx| pane.fresh(&read, cx));
    assert!(matches!(sum(&effects).1, Sum::Nearest { .. }));
    read.key.model = "other".into();
    let ((), effects) = with(|cx| pane.fresh(&read, cx));
    assert!(matches!(effects[..], [Effect::Cancel(_)]));
    assert!(pane.ranked.is_empty() && !pane.line.is_empty(), "what was typed stays");
}

#[test]
fn any_size_can_be_drawn() {
    let (read, mut pane) = (four(), Query::default());
    ranked(&mut pane, &read, "money", [1.0, 0.0]);
    for size in [(1, 1), (7, 3), (8, 3), (20, 5), (200, 60)] {
        picture(&mut pane, &read, size);
    }
}
