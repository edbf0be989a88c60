//! How answers are shown: LaTeX as it came, tables whose cells wrap, reasoning within an answer folded.

use benchtop::api::call::Progress;
use benchtop::component::Effect;
use benchtop::record::TurnStatus;

use crate::bindings::copied;
use crate::desk::{Desk, call, chunk, turns};

#[test]
fn latex_keeps_its_backslashes_and_lines_and_prices_are_no_latex() {
    let mut desk = Desk::new();
    desk.talk(
        "q",
        "As \\(a^2\\_b\\) shows:\n\\[\n  x \\\\\n  y\n\\]\nIt costs $5 and $6, \\*not\\* $7.\n\n$$\nz\n$$\n",
    );
    let picture = desk.view(80, 30);
    for text in ["As \\(a^2\\_b\\) shows:\n", "\\[\n", "  x \\\\\n", "\\]\n", "$5 and $6, *not* $7.", "$$\n", " z\n"] {
        assert!(picture.contains(text), "{text:?} in\n{picture}");
    }
}

#[test]
fn a_long_cell_wraps_within_its_column_and_a_table_without_room_is_a_block_for_each_row() {
    let long = "keeps every word of what it says ".repeat(6);
    let mut desk = Desk::new();
    desk.talk(
        "q",
        &format!("| Name | What it does | 数 |\n|---|---|---|\n| first | {long} | 一 |\n| second | short | 二 |\n"),
    );
    let picture = desk.view(120, 36);
    let rows: Vec<&str> = picture.lines().filter(|row| row.matches('│').count() == 3).collect();
    assert!(rows.len() >= 5, "{picture}");
    assert!(rows[1].contains("first  │ keeps every word") && rows[1].trim_end().ends_with('一'), "{picture}");
    assert!(rows[2].contains("       │ ") && rows.last().unwrap().contains("second │ short"), "{picture}");
    let columns = |row: &str| row.match_indices('│').map(|(at, _)| row[..at].chars().count()).collect::<Vec<_>>();
    let narrow = desk.view(24, 60);
    assert!(
        narrow.contains("Name: first\n   What it does:\n     keeps every word\n") && narrow.contains(": 一"),
        "{narrow}"
    );
    assert_eq!(columns(rows[2])[..2], columns(rows[3])[..2], "{picture}");
}

#[test]
fn a_table_stays_and_is_found_when_the_answer_that_goes_on_after_it_ends() {
    let mut desk = Desk::new();
    let ticket = desk.ask("q");
    for text in ["| Name | Days |\n|---|---|\n| first | 7 |\n", "\nThat ", "is all."] {
        desk.progress(ticket, chunk(text));
        desk.view(80, 22);
    }
    desk.progress(ticket, Progress::Closed(Ok(())));
    let picture = desk.view(80, 22);
    for row in ["Name  │ Days", "first │ 7", "That is all."] {
        assert!(picture.contains(row), "{row} in {picture}");
    }
    desk.press("\u{1b}");
    desk.press("/first");
    assert!(desk.view(80, 22).contains("1 of 1"), "{}", desk.view(80, 22));
}

/// The parts of an answer that thinks before it speaks.
const THOUGHTS: [&str; 4] = ["<th", "ink>\nFirst I look", " and leap\n</thi", "nk>\n\nIt is **done**."];

#[test]
fn reasoning_within_an_answer_is_folded_and_what_is_kept_copied_and_sent_is_whole() {
    let mut desk = Desk::new();
    let ticket = desk.ask("q");
    let mut kept = Vec::new();
    for text in THOUGHTS {
        kept.extend(desk.progress(ticket, chunk(text)));
        let picture = desk.view(80, 22);
        assert!(!picture.contains("<th") && !picture.contains("</") && !picture.contains("First I look"), "{picture}");
        assert_eq!(picture.contains("▸ reasoning"), text != THOUGHTS[0], "{picture}");
    }
    kept.extend(desk.progress(ticket, Progress::Closed(Ok(()))));
    let picture = desk.view(80, 22);
    assert!(picture.contains("It is done.") && picture.contains("▸ reasoning · ~6 tok · o show"), "{picture}");
    let turn = turns(&kept).pop().unwrap();
    assert!(turn.content == *THOUGHTS.concat() && turn.reasoning.is_empty() && turn.status == TurnStatus::Done);
    // Opened, it stands aside, also where there are no colours.
    desk.press("\u{1b}");
    desk.press("o");
    let picture = desk.view(80, 22);
    let row =
        |text: &str| picture.lines().find(|row| row.contains(text)).unwrap_or_else(|| panic!("{text}: {picture}"));
    assert!(row("First I look and leap").trim_start().starts_with('┃'), "{picture}");
    assert!(!row("It is done.").contains('┃') && picture.contains("▾ reasoning"), "{picture}");
    assert_eq!(copied(&desk.press("Y")), Some(THOUGHTS.concat().as_str()));
    desk.press("j");
    desk.press("G");
    let sent = desk.press("y");
    assert!(sent.iter().any(|effect| matches!(effect, Effect::Copy(_))));
    desk.press("r");
    // It is sent again as it came.
    desk.press("\u{1b}");
    let mut desk = Desk::new();
    desk.talk("q", &THOUGHTS.concat());
    desk.press("and then?");
    let sent = desk.press("\n");
    assert_eq!(call(&sent).unwrap().1.messages[1].content, THOUGHTS.concat().as_str());
}

#[test]
fn reasoning_that_is_open_while_it_comes_shows_no_part_of_a_tag() {
    let mut desk = Desk::new();
    let ticket = desk.ask("q");
    desk.progress(ticket, chunk("<think>\nFirst I look"));
    desk.view(80, 22);
    desk.press("\t");
    desk.press("o");
    assert!(desk.view(80, 22).contains("First I look"));
    for text in [" and leap\n<", "/th", "ink", ">\n\nDone."] {
        desk.progress(ticket, chunk(text));
        let picture = desk.view(80, 22);
        assert!(picture.contains("and leap") && !picture.contains('<') && !picture.contains("/th"), "{picture}");
    }
    assert!(desk.view(80, 22).contains("Done."));
}

#[test]
fn reasoning_is_folded_also_where_the_whole_answer_came_between_two_frames() {
    let mut desk = Desk::new();
    let ticket = desk.ask("q");
    desk.view(80, 22);
    for progress in [chunk("<think>\nFirst I look"), chunk("</think>\nDone."), Progress::Closed(Ok(()))] {
        desk.progress(ticket, progress);
    }
    let picture = desk.view(80, 22);
    let at = |text: &str| picture.find(text).unwrap_or_else(|| panic!("{text} in {picture}"));
    assert!(at("gpt-3.5-turbo") < at("▸ reasoning") && at("▸ reasoning") < at("Done."), "{picture}");
}

#[test]
fn reasoning_that_never_ends_and_words_that_only_look_like_it() {
    let mut desk = Desk::new();
    desk.talk("q", "<thinking>on and on");
    let picture = desk.view(80, 22);
    assert!(picture.contains("▸ reasoning") && !picture.contains("on and on"), "{picture}");
    desk.talk("q", "Use `<think>` and </think> with care.");
    desk.talk("q", "<thin> is no tag");
    let picture = desk.view(80, 30);
    assert!(
        picture.contains("Use `<think>` and </think> with care.") && picture.contains("<thin> is no tag"),
        "{picture}"
    );
}
