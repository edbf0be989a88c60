//! The text's history: undone and done again, parted into branches, picked otherwise.

use benchtop::api::call::Ticket;
use benchtop::record::{Made, Query, Rows};
use crossterm::event::KeyCode;

use crate::desk::{Desk, prompt};
use crate::replies::{AD, MUSIC, cut, end, piece, text, told};

/// Creates a desk with `Once ` completed by `upon a time`.
fn written() -> Desk {
    let mut desk = Desk::new();
    let ticket = desk.ask("Once ");
    desk.answer_with(ticket, [text("upon"), text(" a time"), end(0, "length")]);
    desk
}

/// Creates an ad whose tokens are known.
fn told_ad() -> Desk {
    let mut desk = Desk::new();
    desk.press("Headphones:");
    desk.set("Log probabilities", "5");
    let (ticket, request) = desk.run();
    assert_eq!(request.logprobs, Some(5));
    desk.answer_with(ticket, told(0, &AD).into_iter().chain([end(0, "stop")]));
    desk
}

#[test]
fn another_branch_without_text_leaves_the_earlier_one_in_place() {
    for end_of in [
        |desk: &mut Desk, ticket| desk.answer_with(ticket, [end(0, "stop")]),
        |desk: &mut Desk, ticket| {
            desk.fail(ticket, cut());
        },
    ] {
        let mut desk = written();
        desk.press("R");
        let (ticket, request) = desk.asked();
        assert_eq!(prompt(&request), "Once ");
        assert_eq!(desk.text(), "Once ");
        end_of(&mut desk, ticket);
        desk.settle();
        assert_eq!(desk.text(), "Once upon a time");
    }
    let mut desk = written();
    desk.press("R");
    let (ticket, _) = desk.asked();
    desk.answer_with(ticket, [end(0, "stop")]);
    desk.shows("nothing was generated: the model ended at once");
    // With text it stands there, and stopped before any text it does not.
    desk.press("R");
    let (ticket, _) = desk.asked();
    desk.answer_with(ticket, [text("more"), end(0, "stop")]);
    assert_eq!(desk.text(), "Once more");
    desk.press("R");
    desk.asked();
    desk.press("\u{1b}");
    assert_eq!(desk.text(), "Once more");
    desk.shows("R send again");
}

#[test]
fn another_branch_with_the_same_text_is_said_to_be_one() {
    let mut desk = written();
    desk.set("Temperature", "0");
    for (piece, said) in [("upon a time", true), ("more", false), ("upon a time", true)] {
        desk.press("R");
        let (ticket, _) = desk.asked();
        desk.answer_with(ticket, [text(piece), end(0, "stop")]);
        desk.settle();
        let says = desk.screen().contains("same text as branch 1 (temperature 0)");
        assert_eq!(says, said, "{}", desk.screen());
    }
}

#[test]
fn a_tree_shows_the_beginning_of_each_branch() {
    let mut desk = written();
    desk.press("R");
    let (ticket, _) = desk.asked();
    desk.answer_with(ticket, [text("more than that"), end(0, "stop")]);
    for row in ["┬ Once", "├─ upon a time", "▌╰─ more than that", "< > switch"] {
        desk.shows(row);
    }
    desk.press("<");
    desk.shows("▌├─ upon a time");
    desk.shows(" ╰─ more than that");
}

#[test]
fn branches_that_begin_alike_are_shown_from_where_they_differ() {
    let mut desk = written();
    for other in ["there is no surprise and the loss is small", "there is no surprise and the model is known"] {
        desk.press("R");
        let (ticket, _) = desk.asked();
        desk.answer_with(ticket, [text(other), end(0, "stop")]);
    }
    for row in ["┬ Once", " ├─ upon a time", " ├─ …loss is small", "▌╰─ …model is known"] {
        desk.shows(row);
    }
}

#[test]
fn the_tree_shows_each_place_with_several_branches() {
    let mut desk = written();
    desk.press("R");
    let (ticket, _) = desk.asked();
    desk.answer_with(ticket, [text("more than that"), end(0, "stop")]);
    let (ticket, _) = desk.run();
    desk.answer_with(ticket, [text(" one"), end(0, "stop")]);
    desk.hides("─ one");
    desk.press("R");
    let (ticket, _) = desk.asked();
    desk.answer_with(ticket, [text(" two"), end(0, "stop")]);
    for row in ["┬ Once", " ├─ upon a time", "▌╰─ more than that two", "┬ more than that", " ├─ one", "▌╰─ two"]
    {
        desk.shows(row);
    }
    desk.press("<");
    for row in ["▌╰─ more than that one", "▌├─ one", " ╰─ two"] {
        desk.shows(row);
    }
}

#[test]
fn the_tree_marks_the_picked_token_and_not_what_it_replaced() {
    let mut desk = told_ad();
    desk.shows("▌╰─ Keep the music.");
    let (ticket, _) = pick(&mut desk, "←↓↓\n");
    for row in ["┬ Headphones: Keep the", " ├─ music.", "▌╰─ calm"] {
        desk.shows(row);
    }
    desk.hides("─ Keep");
    desk.answer_with(ticket, told(0, &[(", always.", -0.3, &[])]));
    desk.shows(" ├─ music.");
    desk.shows("▌╰─ calm, always.");
    desk.press("a");
    desk.shows("▌╰─ calm, always.");
    desk.press("uuu");
    desk.shows("▌╰─ Keep the music.");
}

#[test]
fn a_branch_that_was_deleted_from_the_text_is_not_marked() {
    let mut desk = Desk::new();
    desk.press("Once ");
    desk.set("Completions (n)", "2");
    let (ticket, _) = desk.run();
    desk.answer_with(ticket, [piece(0, "alpha", None), piece(1, "beta", None), end(0, "stop"), end(1, "stop")]);
    desk.shows("▌├─ alpha");
    desk.shows("branch 1 of 2");
    desk.press("i");
    for _ in 0.."alpha".len() {
        desk.code(KeyCode::Backspace);
    }
    assert_eq!(desk.text(), "Once ");
    desk.shows(" ├─ alpha");
    desk.shows("2 branches");
    for marked in ["▌├─", "▌╰─"] {
        desk.hides(marked);
    }
}

#[test]
fn undo_and_redo_go_over_generations() {
    let mut desk = written();
    desk.press("^y");
    desk.shows("nothing to redo");
    let (ticket, _) = desk.run();
    desk.answer_with(ticket, [text(" there was")]);
    desk.press("i. End");
    assert_eq!(desk.text(), "Once upon a time there was. End");
    desk.press("\u{1b}");
    for whole in ["Once upon a time there was", "Once upon a time", "Once ", ""] {
        desk.press("u");
        assert_eq!(desk.text(), whole);
    }
    desk.press("u");
    desk.shows("nothing to undo");
    for (key, whole) in [("U", "Once "), ("^y", "Once upon a time"), ("U", "Once upon a time there was")] {
        desk.press(key);
        assert_eq!(desk.text(), whole);
    }
    // In the text by its own keys.
    desk.press("i^xu");
    assert_eq!(desk.text(), "Once upon a time");
    desk.press("^_");
    assert_eq!(desk.text(), "Once ");
    desk.press("^xr");
    assert_eq!(desk.text(), "Once upon a time");
    desk.press("^xu");
    assert_eq!(desk.text(), "Once ");
    desk.press("^y^y^y");
    assert_eq!(desk.text(), "Once upon a time there was. End");
}

#[test]
fn what_is_undone_and_written_otherwise_is_a_branch() {
    let mut desk = written();
    desk.press("ui more\u{1b}");
    assert_eq!(desk.text(), "Once  more");
    desk.settle();
    let (sheet, steps) = desk.disk.sheet();
    let texts: Vec<_> = steps.iter().map(|step| step.inserted.raw()).collect();
    assert_eq!(texts, ["Once ", "upon a time", " more"]);
    assert_eq!((steps[1].parent, steps[2].parent), (Some(steps[0].id), Some(steps[0].id)));
    assert_eq!(sheet.current, Some(steps[2].id));
    // Nothing generated is lost: the run is opened again.
    desk.press("r\n");
    assert_eq!(desk.text(), "Once upon a time");
}

#[test]
fn accepted_text_is_the_users() {
    let mut desk = written();
    desk.shows("▎");
    desk.press("a");
    desk.hides("▎");
    assert_eq!(desk.text(), "Once upon a time");
    desk.settle();
    assert_eq!(desk.disk.sheet().1.last().unwrap().made, Made::Accepted);
    desk.press("u");
    desk.shows("▎");
}

#[test]
fn what_is_typed_into_generated_text_is_not_generated() {
    let mut desk = written();
    desk.press("←←←←i");
    desk.press("long ");
    assert_eq!(desk.text(), "Once upon a long time");
    desk.press("\u{1b}v");
    desk.news();
    desk.press("y");
    let copied = desk.copied();
    assert!(!copied[0].contains("long") && "upon a time".contains(copied[0].as_str()), "{copied:?}");
}

#[test]
fn branches_are_switched_and_none_is_lost() {
    let mut desk = Desk::new();
    desk.press("Once ");
    desk.set("Completions (n)", "3");
    let (ticket, request) = desk.run();
    assert_eq!(request.n, Some(3));
    // They come in turns, and the second one first.
    let pieces = [(1, "beta"), (0, "al"), (2, "gam"), (0, "pha"), (2, "ma")];
    desk.answer_with(
        ticket,
        pieces.map(|(index, words)| piece(index, words, None)).into_iter().chain([0, 1, 2].map(|i| end(i, "stop"))),
    );
    desk.shows(" of 3   < > previous, next");
    let mut seen = Vec::new();
    desk.press("<<<");
    for _ in 0..3 {
        seen.push(desk.text());
        desk.press(">");
    }
    seen.sort();
    assert_eq!(seen, ["Once alpha", "Once beta", "Once gamma"]);
    desk.press(">");
    desk.press("D");
    for words in ["alpha", "beta", "gamma"] {
        desk.shows(words);
    }
    desk.press("<<<\n");
    let chosen = desk.text();
    desk.press("<");
    assert_eq!(desk.text(), chosen, "the first one");
    // What is done after one is there again with it.
    desk.press("i!\u{1b}>");
    assert_ne!(desk.text(), format!("{chosen}!"));
    desk.press("<");
    assert_eq!(desk.text(), format!("{chosen}!"));
    // Another run from the same place is one more of them.
    desk.press("R");
    let (ticket, request) = desk.asked();
    assert_eq!(prompt(&request), "Once ");
    desk.answer_with(ticket, [piece(0, "delta", None)]);
    assert_eq!(desk.text(), "Once delta");
    desk.shows("branch 4 of 4");
}

#[test]
fn a_text_that_replaces_all_has_no_branches_of_the_one_before() {
    let mut desk = Desk::new();
    desk.press("Once ");
    desk.set("Completions (n)", "2");
    let (ticket, _) = desk.run();
    desk.answer_with(ticket, [piece(0, "alpha", None), piece(1, "beta", None), end(0, "stop"), end(1, "stop")]);
    desk.shows("Branches");
    desk.shows("╰─ beta");
    desk.press("Pg\n");
    assert!(!desk.text().contains("Once"), "{}", desk.text());
    desk.hides("Branches");
    desk.hides("beta");
    // What brings the text back brings its branches back.
    desk.press("u");
    assert_eq!(desk.text(), "Once alpha");
    desk.shows("╰─ beta");
    // Of a text that was deleted there are none either; a part that was deleted changes nothing.
    desk.press("i");
    desk.code(KeyCode::Backspace);
    desk.shows("╰─ beta");
    for _ in 0..20 {
        desk.code(KeyCode::Backspace);
    }
    desk.hides("Branches");
}

#[test]
fn a_run_again_goes_out_with_what_followed() {
    let mut desk = Desk::new();
    desk.press("a  z←←");
    let (ticket, first) = desk.run();
    assert_eq!((prompt(&first), first.suffix.as_deref()), ("a ", Some(" z")));
    desk.answer_with(ticket, [text("b")]);
    desk.press("R");
    let (_, second) = desk.asked();
    assert_eq!((prompt(&second), second.suffix.as_deref()), ("a ", Some(" z")));
}

/// Chooses an alternative of the strip; the call this leads to.
fn pick(desk: &mut Desk, keys: &str) -> (Ticket, String) {
    desk.news();
    desk.press(keys);
    let (ticket, request) = desk.asked();
    (ticket, prompt(&request).to_owned())
}

#[test]
fn an_alternative_is_picked_and_the_model_goes_on_from_there() {
    let mut desk = told_ad();
    assert_eq!(desk.text(), "Headphones: Keep the music.");
    desk.shows("Token 4 of 4");
    // To ` music`, from there to ` calm`, the third of its list.
    let (ticket, sent) = pick(&mut desk, "←↓↓\n");
    assert_eq!(sent, "Headphones: Keep the calm");
    assert_eq!(desk.text(), "Headphones: Keep the calm");
    desk.answer_with(ticket, told(0, &[(", always.", -0.3, &[])]));
    assert_eq!(desk.text(), "Headphones: Keep the calm, always.");
    // The strip is of the whole text as it is now.
    desk.shows("Token 4 of 4");
    for whole in ["Headphones: Keep the calm", "Headphones: Keep the music."] {
        desk.press("u");
        assert_eq!(desk.text(), whole);
    }
    desk.press("UU");
    assert_eq!(desk.text(), "Headphones: Keep the calm, always.");
    desk.settle();
    let (_, steps) = desk.disk.sheet();
    let picked = steps.iter().find(|step| step.made == Made::Picked).unwrap();
    assert_eq!((picked.removed.raw(), picked.inserted.raw()), (" music.", " calm"));
    assert_eq!(desk.disk.tokens(picked.id)[0].text(), " calm");
}

#[test]
fn a_second_pick_drops_all_that_was_written_behind_it() {
    let mut desk = told_ad();
    let (ticket, _) = pick(&mut desk, "←↓↓\n");
    desk.answer_with(ticket, told(0, &[(", always.", -0.3, &[])]));
    // ` the` for ` your`: behind it stand the picked token and what the second run wrote.
    let (_, sent) = pick(&mut desk, "←←↓\n");
    assert_eq!(sent, "Headphones: Keep your");
    assert_eq!(desk.text(), "Headphones: Keep your");
    desk.press("\u{1b}u");
    assert_eq!(desk.text(), "Headphones: Keep the calm, always.");
    // The part is one, however many runs wrote it.
    desk.press("y");
    assert_eq!(desk.copied(), [" Keep the calm, always."]);
}

#[test]
fn picking_keeps_what_follows_the_generated_part() {
    let mut desk = Desk::new();
    desk.press("Keep  end←←←←");
    desk.set("Log probabilities", "5");
    let (ticket, request) = desk.run();
    assert_eq!(request.suffix.as_deref(), Some(" end"));
    desk.answer_with(ticket, told(0, &[MUSIC, AD[3]]));
    assert_eq!(desk.text(), "Keep  music. end");
    desk.news();
    desk.press("g↓\n");
    let (_, request) = desk.asked();
    assert_eq!((prompt(&request), request.suffix.as_deref()), ("Keep  focus", Some(" end")));
    assert_eq!(desk.text(), "Keep  focus end");
}

#[test]
fn an_alternative_in_an_echoed_prompt_cuts_all_that_followed() {
    let mut desk = Desk::new();
    desk.press("Keep the music");
    desk.set("Log probabilities", "5");
    desk.set("Echo", "true");
    let (ticket, request) = desk.run();
    assert_eq!(request.echo, Some(true));
    let keep = ("Keep", 1.0, &[][..]);
    desk.answer_with(ticket, told(0, &[keep, AD[1], MUSIC, AD[3]]).into_iter().chain([end(0, "stop")]));
    assert_eq!(desk.text(), "Keep the music.", "the echo is not a part of what was written");
    desk.shows("Token 4 of 4");
    let (_, sent) = pick(&mut desk, "←←↓\n");
    assert_eq!(sent, "Keep your");
    assert_eq!(desk.text(), "Keep your");
}

#[test]
fn picking_what_stands_there_changes_nothing() {
    let mut desk = told_ad();
    desk.news();
    desk.press("←\n");
    assert_eq!(desk.sent(), []);
    assert_eq!(desk.text(), "Headphones: Keep the music.");
}

#[test]
fn a_picked_text_that_is_cut_off_is_whole_when_it_starts_again() {
    let mut desk = told_ad();
    let (ticket, _) = pick(&mut desk, "←↓\n");
    desk.progress(ticket, text(" of"));
    desk.fail(ticket, cut());
    let Rows::Runs(runs) = desk.disk.load(Query::Runs(10)) else { panic!() };
    assert_eq!(runs.len(), 2);
    let mut desk = desk.again();
    assert_eq!(desk.text(), "Headphones: Keep the focus of");
    desk.press("\u{1b}uu");
    assert_eq!(desk.text(), "Headphones: Keep the music.");
    desk.shows("Token 4 of 4");
    desk.press("UU");
    assert_eq!(desk.text(), "Headphones: Keep the focus of");
}

#[test]
fn the_footer_names_undo_and_redo_where_they_can_act() {
    let mut desk = Desk::new();
    let mut names = |keys: &str, named: &[&str]| {
        desk.press(keys);
        let footer = desk.footer();
        for key in ["undo", "redo"] {
            assert_eq!(footer.contains(key), named.contains(&key), "{keys:?}: {footer}");
        }
    };
    names("", &[]);
    names("Once", &[]);
    names("\u{1b}", &["undo"]);
    names("u", &["redo"]);
    names("i", &["redo"]);
    names("^y\u{1b}", &["undo"]);
}
