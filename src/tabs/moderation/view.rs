//! The tab's picture: which page, the title, what is said below the results.

use std::ops::Range;
use std::time::Instant;

use ratatui::Frame;
use ratatui::layout::{Position, Rect};

use super::board::Column;
use super::grid::{Columns, Ends, Grid, Moved, Words};
use super::language::{ENGLISH, is_local};
use super::pairs::page;
use super::single;
use super::state::{Page, State};
use super::texts::letter;
use crate::api::call::Failure;
use crate::component::{RenderContext, Session};
use crate::ui::meter;
use crate::ui::rule::{Rule, cut, cut_middle};
use crate::ui::wrap;

/// The table stands on a screen of at least this size.
const WIDE: (u16, u16) = (100, 24);
/// Below so many columns words are few.
pub(super) const NARROW: u16 = 60;

/// Texts to begin with, with their names.
pub(super) const EXAMPLES: [(&str, &str); 3] = [
    ("threat", "If you come near my house again you will regret it."),
    ("film", "That film was killer, 10/10 would die again."),
    ("plain", "The meeting moved to Tuesday; please bring the report."),
];

const MEANINGS: [&str; 2] = [
    "⚑ flagged by the service   ▲ over your threshold, not flagged   ! within 20% of it   ┊ threshold   ▓ bar passes it",
    "Bars never say more than the number: colour = muted below ½ threshold · warn near it · error above it.",
];
const KEYS: [&str; 2] = [
    "s sort by score   g group by family   d show only differences   E export CSV/JSON   space mark row",
    "H this text at other times   w sentence by sentence   B blur flagged texts   f a file of texts   o send it elsewhere",
];

/// Fits the state to the area and to what has come.
pub(super) fn arrange(state: &mut State, area: Rect, session: &Session, now: Instant) {
    state.unseen = false;
    state.modals.arrange(area, session, now);
    state.file.arrange(area, &state.shared, session, now);
    state.wide = area.width >= WIDE.0 && area.height >= WIDE.1;
    state.sync(session, !state.wide && !state.beside);
}

/// Draws everything.
pub(super) fn render(frame: &mut Frame, area: Rect, state: &mut State, context: RenderContext) {
    if area.height < 4 || area.width < 10 {
        return;
    }
    let one = !state.wide && !state.beside;
    let under_way = running(state, context);
    // What went wrong on a page stands below it.
    let below = match state.page {
        Page::Past(_) | Page::Origin(_) | Page::Turns => problem(state, context, area.width),
        Page::Bench | Page::File => Vec::new(),
    };
    let rows = (below.len() as u16).min(area.height / 3);
    let place = Rect { height: area.height - rows, ..area };
    lines(frame, Rect { y: place.bottom(), height: rows, ..area }, &below);
    match &mut state.page {
        Page::File => state.file.render(frame, area, &state.shared, context),
        Page::Past(past) => {
            let (key, text) = past.text();
            let safe = text.screen();
            let hidden = state.shared.kept.blur && state.results.of(&key).iter().any(|check| check.flagged);
            let shown = if hidden { super::blur::blurred(&safe) } else { safe.into_owned() };
            past.render(frame, place, (&state.results, &state.shared), (&shown, &under_way), context);
        }
        Page::Origin(origin) => origin.render(frame, place, (&state.results, &state.shared), &under_way, context),
        Page::Turns => {
            let judge = state.judges(context.session).into_iter().next().unwrap_or_default();
            state.render_turns(frame, place, &judge, &under_way, context);
        }
        Page::Bench if state.texts.len() == 0 => empty(frame, area, state, context),
        Page::Bench if one => single::render(frame, area, state, context),
        Page::Bench => table(frame, area, state, context),
    }
    state.render_dialogs(frame, area, context);
}

/// What runs, in a few words; empty: nothing.
fn running(state: &State, context: RenderContext) -> String {
    let Some(since) = state.flights.since() else {
        return if state.wish.is_some() { "reading what is known".to_owned() } else { String::new() };
    };
    let elapsed = context.now.saturating_duration_since(since);
    format!("{} {} · esc stop", meter::spinner(elapsed, context.session.motion), meter::time(elapsed))
}

/// `saving…` or why nothing is saved; `None`: all is on disk.
fn saving(state: &State, context: RenderContext) -> Option<Words> {
    match state.refusal().or(context.session.unsaved.as_ref()) {
        Some(why) => Some((format!("✕ not saved: {}", why.line()), context.theme.error)),
        None if state.keep_due.is_some() || !state.unsaved.is_empty() => {
            Some(("saving…".to_owned(), context.theme.muted))
        }
        None => None,
    }
}

/// The title rule. `keys`: what stands at its right while nothing else has to.
pub(super) fn title(frame: &mut Frame, area: Rect, state: &State, name: &str, keys: &str, context: RenderContext) {
    let theme = context.theme;
    let writing = state.writing.is_some();
    let (right, style) = match saving(state, context) {
        Some((words, style)) if style == theme.error => (words, style),
        _ if state.is_busy() => (running(state, context), theme.busy),
        Some((words, style)) if writing => (format!("{words} · esc done · F4 $EDITOR"), style),
        None if writing => ("saved ✓ · esc done · F4 $EDITOR".to_owned(), theme.muted),
        // A file that is not done stands first.
        _ => match state.file.unfinished() {
            Some(file) => (format!("{file} · f · {keys}"), theme.muted),
            None => (keys.to_owned(), theme.muted),
        },
    };
    let focus = !state.has_dialog();
    Rule { title: name, right: &right, right_style: style, focus }.render(
        Rect { height: 1, ..area },
        frame.buffer_mut(),
        theme,
    );
}

/// The text that is being written, in place of the texts above the results. Its rows.
pub(super) fn editor(frame: &mut Frame, area: Rect, state: &mut State, context: RenderContext) -> u16 {
    let focus = !state.has_dialog();
    let Some(writing) = &mut state.writing else { return 0 };
    let width = area.width.saturating_sub(2);
    let most = (area.height / 2).max(1);
    let rows = writing.editor.rows(width, most).clamp(3.min(most), most);
    let place = Rect { x: area.x + 1, y: area.y, width, height: rows };
    writing.editor.render(frame, place, context.theme, focus);
    rows
}

/// Texts side by side.
fn table(frame: &mut Frame, area: Rect, state: &mut State, context: RenderContext) {
    let theme = context.theme;
    let judges = state.judges(context.session);
    let all = state.board.columns.len();
    let (texts, models) = (state.texts.len(), judges.len());
    let columns = Columns::of(area.width, all, models);
    state.in_view = page(state.column, columns.fit, models, all);
    let Range { start: first, end: shown } = state.in_view;
    let s = |count: usize| if count == 1 { "" } else { "s" };
    let mut keys = format!("{texts} text{} × {models} model{}", s(texts), s(models));
    if shown - first < all {
        keys = format!("{keys} · {}–{shown} of {all} · < >", first + 1);
    }
    if state.differences {
        let what = if models > 1 { "models differ" } else { "texts differ" };
        let those = if shown - first < all { ", of all columns" } else { "" };
        keys = format!("{keys} · only where {what}{those}");
    }
    let profile = state.shared.thresholds.profile();
    if state.shared.thresholds.chosen() > 0 {
        keys = format!("{keys} · thresholds “{}”", crate::text::Untrusted::from(profile.name.as_str()).line());
    }
    keys.push_str(" · a add · e edit · m add model");
    let name = match &state.writing {
        Some(_) => format!("Text {}", state.name(state.column / models.max(1))),
        None => "Texts".to_owned(),
    };
    title(frame, area, state, &name, &keys, context);
    let mut body = Rect { y: area.y + 1, height: area.height - 1, ..area };
    if let Some(agreement) = state.agreement() {
        let sentence = format!(" {}", agreement.sentence(usize::from(area.width)));
        lines(frame, Rect { height: 1, ..body }, &[(sentence, theme.muted)]);
        body = Rect { y: body.y + 1, height: body.height - 1, ..body };
    }
    if body.height > 16 && state.board.columns.iter().any(|column| column.check.is_some() && is_local(&column.judge)) {
        lines(frame, Rect { height: 1, ..body }, &[(format!(" {ENGLISH}"), theme.muted)]);
        body = Rect { y: body.y + 1, height: body.height - 1, ..body };
    }
    let free = state.writing.is_some().then(|| editor(frame, body, state, context));
    let problem = problem(state, context, area.width);
    let inside = columns.inside().min(usize::from(area.width));
    // Before a name stands its text's letter, as in `A · name`.
    let names = state.model_names(context.session, inside.saturating_sub(4));
    let said = state.failure(context.session).filter(|_| !problem.is_empty());
    let ends: Vec<Ends> = (first..shown).map(|at| ends(state, at, inside, (&names, said), context)).collect();
    let mut labels = vec!["Highest", "Your threshold", "Latency"];
    if models > 1 {
        labels.push("Answered by");
    }
    let most = ends.iter().map(|ends| ends.lines.len()).max().unwrap_or(0);
    let none = std::collections::BTreeSet::new();
    let grid = Grid {
        board: &state.board,
        first,
        ends,
        labels,
        profile: state.shared.thresholds.profile(),
        column: state.column,
        at: state.at.as_ref(),
        marked: if state.board.rows.is_empty() { &none } else { &state.marked },
        moved: Moved::Both,
        group: models,
        free,
    };
    // What stands below gives way before the results do.
    let needed = grid.height(most.min(2));
    let below = below(&problem, body.height.saturating_sub(needed), context);
    let rows = (below.len() as u16).min(body.height / 2);
    body.height -= rows;
    let cursor = grid.render(frame, body, theme);
    if state.writing.is_none() && !state.has_dialog() {
        frame.set_cursor_position(cursor);
    }
    lines(frame, Rect { y: body.bottom(), height: rows, ..area }, &below);
}

/// What stands around a column's cells. `names`: of the models; `below`: the failure that is said below the table.
fn ends(
    state: &State,
    at: usize,
    width: usize,
    (names, below): (&[String], Option<&Failure>),
    context: RenderContext,
) -> Ends {
    let theme = context.theme;
    let Some(column) = state.board.columns.get(at) else { return Ends::default() };
    let Some(text) = state.texts.get(column.text) else { return Ends::default() };
    let quote = state.quote(text, width);
    let why = state.results.failure(&text.key, &column.judge).filter(|_| column.check.is_none());
    // What stands below is not said in each column again.
    let why = why.filter(|why| below.is_none_or(|below| below.sentence != why.sentence));
    let instead =
        why.map_or_else(|| (String::new(), theme.error), |why| (why.sentence.line().into_owned(), theme.error));
    let mut feet = vec![
        (State::highest(column), theme.text),
        (format!("{}   − + lower / raise", state.threshold()), theme.text),
        (state.latency(column), theme.muted),
    ];
    let verdict = state.verdict(column, &text.key, context);
    if column.check.is_none() {
        feet = vec![(String::new(), theme.text); 3];
    }
    let mut name = state.name(column.text);
    if names.len() > 1 {
        let asked = &names[at % names.len()];
        let answered = column.check.as_ref().map(|check| check.model.line().into_owned());
        feet.push((answered.unwrap_or_default(), theme.muted));
        let letter = format!("{} · ", letter(column.text));
        name = format!("{letter}{}", cut_middle(asked, width.saturating_sub(wrap::width(&letter))));
    }
    Ends { name, lines: quote.into_iter().map(|line| (line, theme.text)).collect(), verdict, instead, feet }
}

/// The lines below the table, as far as there is room for them: a rule, what went wrong, else what the signs mean.
fn below(problem: &[Words], room: u16, context: RenderContext) -> Vec<Words> {
    let theme = context.theme;
    let rule = ("─".repeat(400), theme.rule);
    let word = |text: &str| (format!(" {text}"), theme.muted);
    let blank = || (String::new(), theme.muted);
    if !problem.is_empty() {
        return std::iter::once(rule).chain(problem.iter().cloned()).collect();
    }
    match room {
        0..2 => Vec::new(),
        2..4 => vec![rule, word(MEANINGS[0])],
        4..7 => vec![rule, word(MEANINGS[0]), word(MEANINGS[1]), word(KEYS[0])],
        _ => vec![rule, word(MEANINGS[0]), word(MEANINGS[1]), blank(), word(KEYS[0]), word(KEYS[1]), blank()],
    }
}

/// What went wrong with the column under the cursor, what comes next, and what can be done.
pub(super) fn problem(state: &State, context: RenderContext, width: u16) -> Vec<Words> {
    let theme = context.theme;
    let room = usize::from(width).saturating_sub(4).max(8);
    let block = |sentence: &str| -> Vec<Words> {
        let lines = wrap::lines(sentence, room).into_iter().take(4);
        lines.map(|line| (format!(" ┃ {line}"), theme.error)).collect()
    };
    let kept = if width < NARROW { "" } else { " · your texts are kept" };
    if let Some((_, retry)) = state.flights.counting().next() {
        let left = retry.at.saturating_duration_since(context.now).as_secs_f64();
        let whole = retry.at.saturating_duration_since(retry.since).as_secs_f64().max(0.001);
        let bar = meter::bar(1.0 - left / whole, if width < NARROW { 8 } else { 20 });
        let attempt = format!(" ┃ attempt {} of {} in {:>2} s   {bar}", retry.attempt, retry.of, left.ceil());
        let mut lines = vec![(attempt, theme.warn)];
        lines.extend(block(&retry.why.sentence.line()));
        let keys = if state.writing.is_some() { "esc, then ⏎ try now" } else { "⏎ try now · esc give up" };
        lines.push((format!(" ┃ {keys}{kept}"), theme.muted));
        return lines;
    }
    if state.is_busy() {
        return Vec::new();
    }
    let Some(why) = state.failure(context.session) else { return Vec::new() };
    let mut lines = block(&why.sentence.line());
    let same = |column: &&Column| {
        let failure = state.texts.get(column.text).and_then(|text| state.results.failure(&text.key, &column.judge));
        failure.is_some_and(|failure| failure.sentence == why.sentence)
    };
    let times = match state.board.columns.iter().filter(same).count() {
        0 | 1 => String::new(),
        count => format!(" · the same in {count} columns"),
    };
    lines.push((format!(" ┃ R tries again · d details{times}{kept}"), theme.muted));
    lines
}

/// Writes lines, one a row.
pub(super) fn lines(frame: &mut Frame, area: Rect, lines: &[Words]) {
    let width = usize::from(area.width);
    for ((words, style), y) in lines.iter().zip(area.y..area.bottom()) {
        let words = if words.starts_with('─') { words.clone() } else { cut(words, width) };
        frame.buffer_mut().set_stringn(area.x, y, words, width, *style);
    }
}

/// No texts: what this is, the keys, examples to load.
fn empty(frame: &mut Frame, area: Rect, state: &State, context: RenderContext) {
    let theme = context.theme;
    title(frame, area, state, "Texts", "a add · f file", context);
    let width = usize::from(area.width.saturating_sub(2).min(76));
    let mut rows: Vec<Words> = Vec::new();
    let mut say = |words: &str, style| {
        rows.extend(wrap::lines(words, width).into_iter().map(|line| (format!(" {line}"), style)));
    };
    say("What a moderation model makes of texts, side by side, a row for each category.", theme.text);
    say("a writes a text, a paste adds one, f opens a file. ⏎ loads these:", theme.text);
    for (_, text) in EXAMPLES {
        say(&format!("“{text}”"), theme.faint);
    }
    if let Some(file) = state.file.unfinished() {
        say(&format!("{file} are checked: f shows it, L the files opened before."), theme.text);
    }
    let air = u16::from(area.height > 10);
    let place = Rect { y: area.y + 1 + air, height: area.height - 1 - air, ..area };
    frame.set_cursor_position(Position::new(place.x + 1, place.y));
    lines(frame, place, &rows);
}
