//! Keys that the user has changed, in `bindings.toml` beside the config file.

use std::path::Path;

use crate::common::{Bench, COLOURS, Setup};
use crate::script;

/// Gives the newline another key, which the footer of the message box shows.
const NEWLINE: &str = "[chat.composer]\nnewline = \"ctrl-n\"\n";

fn write(home: &Path, bindings: &str) {
    let folder = home.join(".config/benchtop");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("bindings.toml"), bindings).unwrap();
}

fn start(bindings: &str) -> Bench {
    let home = tempfile::tempdir().unwrap();
    write(home.path(), bindings);
    let mut bench = Bench::with(Setup { args: &["--local"], home: Some(home), ..Setup::default() });
    bench.wait("Ask a language model");
    bench
}

/// Types two lines with the key that is between them.
pub fn type_two_lines(bench: &mut Bench, key: &str) {
    bench.type_in("first line");
    bench.send(key);
    bench.type_in("second line");
    bench.until("two lines", |text| {
        let row = |words| text.lines().position(|line: &str| line.contains(words));
        row("first line").zip(row("second line")).is_some_and(|(first, second)| second == first + 1)
    });
}

#[test]
fn a_changed_key_is_in_the_footer_and_the_help_and_works() {
    let mut bench = start(NEWLINE);
    bench.wait("^N newline");
    // The title of the box has it, too.
    bench.wait_gone("^J newline");
    type_two_lines(&mut bench, "\x0e");
    bench.send("\x1bOP");
    bench.until("the key on the help page", |text| {
        text.lines().any(|line| line.contains("^N ") && line.contains(" newline"))
    });
}

#[test]
fn empty_pages_name_changed_keys() {
    let mut bench = start(
        "[complete.text-box]\nrun = \"f9\"\n[moderate.bench]\nadd = []\nfile = \"f9\"\n[embed.texts]\nfile = \"f9\"\n\
         [files.lists]\nsample = \"f9\"\n[tune.jobs]\ncreate = \"f9\"\n",
    );
    for (tab, first_step) in [
        ("\x1b2", "F9 let the model continue"),
        ("\x1b3", "F9 open a file of texts"),
        ("\x1b4", "F9 open a file of texts"),
        ("\x1b5", "F9 write a sample training file"),
        ("\x1b6", "F9 create a fine-tune"),
    ] {
        bench.send(tab);
        bench.wait(first_step);
        // It has no key in Moderate.
        bench.wait_gone("write your own");
    }
}

#[test]
fn an_action_without_a_key_is_not_in_the_footer() {
    let mut bench = start("[shell]\npalette = []\n");
    bench.until("a footer without the palette", |text| {
        let footer = text.lines().last().unwrap_or_default();
        footer.contains(" help") && !footer.contains(" commands") && !footer.contains(" cmds")
    });
}

#[test]
fn a_fault_is_told_with_its_line_and_the_rest_of_the_file_holds() {
    let mut bench = start(&format!("{NEWLINE}submit = \"ctlr-s\"\nexternal = \"ctrl-n\"\n"));
    bench.wait("bindings.toml, line 3: \"ctlr-s\" is not a key");
    bench.wait("bindings.toml, line 4: \"ctrl-n\" is a key of newline");
    bench.wait("^N newline");
    type_two_lines(&mut bench, "\x0e");
}

#[test]
fn the_palette_opens_the_file_in_the_editor_and_applies_it_when_that_closes() {
    let home = tempfile::tempdir().unwrap();
    std::fs::write(home.path().join("written"), NEWLINE).unwrap();
    let text = "cp \"$1\" \"$HOME/before\"\ncat \"$HOME/written\" > \"$1\"";
    let editor = script(home.path(), "editor", text).join("editor");
    let env = [("EDITOR", editor.to_str().unwrap())];
    let mut bench = Bench::with(Setup { args: &["--local"], env: &env, home: Some(home), ..Setup::default() });
    bench.wait("^J newline");
    bench.send("\x10");
    bench.wait("Commands");
    bench.type_in("keys: change");
    bench.send("\r");
    bench.wait("key bindings applied");
    bench.wait("^N newline");
    type_two_lines(&mut bench, "\x0e");
    let first = std::fs::read_to_string(bench.home.path().join("before")).unwrap();
    assert!(first.contains("# [chat.composer]\n"), "a first file lists all actions: {first}");
    let kept = std::fs::read_to_string(bench.home.path().join(".config/benchtop/bindings.toml")).unwrap();
    assert_eq!(kept, NEWLINE);
}

#[test]
fn an_editor_that_fails_is_told_of_with_the_faults_of_what_it_saved() {
    let home = tempfile::tempdir().unwrap();
    std::fs::write(home.path().join("written"), format!("{NEWLINE}submit = \"ctlr-s\"\n")).unwrap();
    let editor = script(home.path(), "editor", "cat \"$HOME/written\" > \"$1\"\nexit 3").join("editor");
    let env = [("EDITOR", editor.to_str().unwrap())];
    let mut bench = Bench::with(Setup { args: &["--local"], env: &env, home: Some(home), ..Setup::default() });
    bench.wait("^J newline");
    bench.send("\x10");
    bench.wait("Commands");
    bench.type_in("keys: change");
    bench.send("\r");
    bench.wait("line 3: \"ctlr-s\" is not a key");
    // The rest of the sentence is in the next line.
    bench.wait("the editor ended with status 3; what it saved was");
    type_two_lines(&mut bench, "\x0e");
}

#[test]
fn keys_of_the_tabs_are_shown_only_where_the_first_and_the_last_have_one() {
    // With colours the footer has space for them.
    let start = |bindings: &str| {
        let home = tempfile::tempdir().unwrap();
        write(home.path(), bindings);
        Bench::with(Setup { args: &["--local"], env: &[COLOURS], home: Some(home), ..Setup::default() })
    };
    let mut bench = start("");
    bench.wait("alt+1…6 tabs");
    let mut bench = start("[shell]\ntab-1 = \"1\"\n");
    let text = bench.wait("F1 help");
    assert!(!text.contains(" tabs "), "{text}");
    bench.send("\x1bOP");
    bench.wait("Help · Chat");
    bench.type_slowly("/go to a tab");
    let is_line = |line: &str| line.contains("1…6") && line.contains("go to a tab");
    let help = bench.until("the keys on the help page", |text| text.lines().any(is_line));
    assert!(!help.contains("also while you type"), "{help}");
}

#[test]
fn alt_and_a_letter_is_a_key_where_the_user_made_it_one() {
    let mut bench = start("[chat.composer]\nnewline = \"alt-n\"\n");
    bench.wait("alt+n newline");
    type_two_lines(&mut bench, "\x1bn");
}

#[test]
fn escape_goes_back_although_its_action_has_another_key() {
    let mut bench =
        start("[chat.escape]\nescape = \"f30\"\n[text-viewer]\nclose = \"f30\"\n[picker]\nclose = \"f30\"\n");
    bench.send("\x10");
    bench.wait("Commands");
    bench.send("\x1b");
    bench.wait_gone("Commands");
    bench.send("\x1b");
    bench.wait("i write");
}

#[test]
fn enter_stays_a_newline_where_the_config_says_so_whatever_default_lines_are_in_the_file() {
    let home = tempfile::tempdir().unwrap();
    write(home.path(), "[chat.composer]\nsubmit = [\"enter\"]\n");
    std::fs::write(home.path().join(".config/benchtop/config.toml"), "[chat]\nenter = \"newline\"\n").unwrap();
    let mut bench = Bench::with(Setup { args: &["--local"], home: Some(home), ..Setup::default() });
    bench.wait("bindings.toml, line 2: \"enter\" is a key of newline");
    type_two_lines(&mut bench, "\r");
    bench.send("\x1bOP");
    bench.until("the key on the help page", |text| {
        text.lines().any(|line| line.contains("alt+⏎ ") && line.contains(" send"))
    });
}

#[test]
fn enter_in_a_paste_is_a_newline_whatever_key_sends() {
    let mut bench = start("[chat.composer]\nnewline = \"ctrl-n\"\nsend = \"ctrl-j\"\n");
    // As a terminal sends it that does not mark pastes: all at once.
    bench.send("first line\rsecond line");
    bench.until("two lines that were not sent", |text| {
        let row = |words| text.lines().position(|line: &str| line.contains(words));
        row("first line").zip(row("second line")).is_some_and(|(first, second)| second == first + 1)
    });
    bench.wait("Ask a language model");
}

#[test]
fn text_boxes_have_the_keys_of_emacs() {
    let mut bench = start("text_boxes = \"emacs\"\n");
    bench.wait("alt+x commands");
    bench.until("no other key of the palette", |text| !text.contains("^P"));
    bench.type_in("one two");
    // To the beginning, delete to the end, type, insert what was deleted.
    bench.send("\x01\x0b");
    bench.wait_gone("one two");
    bench.type_in("x ");
    bench.send("\x19");
    bench.wait("x one two");
    // Up to the first of two lines, where a character is deleted.
    bench.send("\x0a");
    bench.type_in("three");
    bench.send("\x10\x01\x04");
    bench.until("the first line without its first character", |text| !text.contains("x one two"));
    bench.send("\x1bx");
    bench.wait("Commands");
    // The line of the palette has them too.
    bench.type_in("messages");
    bench.wait_gone("Chat: role of the next message");
    bench.send("\x01\x0b");
    bench.wait("Chat: role of the next message");
    bench.send("\x19");
    bench.wait_gone("Chat: role of the next message");
    bench.wait("messages");
}

#[test]
fn text_boxes_have_the_modes_of_vim() {
    let mut bench = start("text_boxes = \"vim\"\n");
    bench.wait("esc normal mode");
    bench.type_in("one two three");
    bench.send("\x1b");
    bench.wait("i insert mode");
    bench.send("0wdw");
    bench.wait("one three");
    bench.send("$p");
    bench.wait("one threetwo");
    bench.send("uu");
    bench.wait("one two three");
    bench.send("ofour");
    bench.until("a second line", |text| text.contains("one two three") && text.contains("four"));
    bench.send("\x1bdd");
    bench.wait_gone("four");
    // The second Esc leaves the box, where letters are keys of the conversation.
    bench.send("\x1b");
    bench.wait("i write");
    bench.send("i");
    bench.wait("esc normal mode");
    // A line has no modes: Esc closes its dialog.
    bench.send("\x10");
    bench.wait("Commands");
    bench.type_in("messages");
    bench.send("\x1b");
    bench.wait_gone("Commands");
    bench.wait("one two three");
}

#[test]
fn undo_leads_back_to_where_the_deletion_began_in_text_boxes_with_modes() {
    let mut bench = start("text_boxes = \"vim\"\n");
    // All text boxes have one mode, and Chat's is left in the normal one.
    for (to_tab, name, to_insert) in [("\x1b1", "▐1 Chat▌", ""), ("\x1b2", "▐2 Complete▌", "i")] {
        bench.send(to_tab);
        bench.wait(name);
        bench.send(to_insert);
        bench.wait("esc normal mode");
        bench.type_in("one two three four");
        bench.send("\x1b");
        bench.wait("i insert mode");
        bench.send("0dwdw");
        bench.wait_gone("two three");
        bench.send("u");
        bench.wait("two three four");
        bench.send("x");
        bench.wait("wo three four");
        bench.wait_gone("two three");
    }
}

#[test]
fn another_key_that_goes_back_does_what_escape_does_in_text_boxes_with_modes_and_after_the_prefix() {
    let mut bench = start(
        "text_boxes = \"vim\"\n[chat.composer]\nexpand-paste = []\n[editor]\nexpand-paste = []\n\
         [shell]\nback = \"ctrl-g\"\n",
    );
    bench.wait("esc normal mode");
    bench.type_in("one two");
    bench.send("\x07");
    bench.wait("i insert mode");
    bench.send("0dw");
    bench.wait_gone("one two");
    bench.send("i");
    bench.wait("esc normal mode");
    bench.send("\x18");
    bench.wait("u undo");
    bench.send("\x07");
    bench.wait_gone("u undo");
    bench.wait("esc normal mode");
}

#[test]
fn escape_ends_the_prefix_although_no_key_may_follow_it() {
    let mut bench =
        start("[text-box-after-prefix]\nundo = []\nredo = []\nselect-all = []\ncopy = []\ncut = []\nexternal = []\n");
    let has_palette = |footer: &str| footer.contains(" commands") || footer.contains(" cmds");
    for (to_tab, name) in [("\x1b1", "▐1 Chat▌"), ("\x1b2", "▐2 Complete▌")] {
        bench.send(to_tab);
        bench.wait(name);
        bench.type_in("one");
        bench.send("\x18");
        bench.until("help alone in the footer", |text| {
            let footer = text.lines().last().unwrap_or_default();
            footer.trim_start().starts_with("F1 help") && !has_palette(footer)
        });
        bench.send("\x1b");
        bench.until("the usual footer", |text| has_palette(text.lines().last().unwrap_or_default()));
        // The box still has the keys.
        bench.type_in("two");
        bench.wait("onetwo");
    }
}

#[test]
fn keys_after_the_prefix_are_set_for_all_text_boxes_at_once() {
    let mut bench = start("[text-box-after-prefix]\nundo = \"z\"\nexternal = []\n");
    for (to_tab, name) in [("\x1b1", "▐1 Chat▌"), ("\x1b2", "▐2 Complete▌")] {
        bench.send(to_tab);
        bench.wait(name);
        bench.type_in("quartz");
        bench.send("\x18");
        bench.until("the keys that are set", |text| {
            let footer = text.lines().last().unwrap_or_default();
            footer.trim_start().starts_with("z undo") && !footer.contains("$EDITOR")
        });
        bench.send("z");
        bench.wait_gone("quartz");
    }
}

#[test]
fn the_help_of_text_boxes_with_modes_leaves_out_keys_that_are_read_as_esc_and_a_letter() {
    for (bindings, redo) in [("", "alt+z"), ("text_boxes = \"vim\"\n", "nothing matches")] {
        let mut bench = start(bindings);
        bench.send("\x1bOP");
        bench.wait("Help · Chat");
        bench.send("/redo typing");
        bench.wait("/ redo typing");
        bench.wait(redo);
    }
}

#[test]
fn the_help_lists_the_commands_of_vim_where_text_boxes_have_modes() {
    let mut bench = start("text_boxes = \"vim\"\n");
    bench.wait("esc normal mode");
    let help = |bench: &mut Bench| {
        bench.send("\x1bOP");
        bench.wait("Help · Chat");
        bench.send("/commands of vim");
        bench.wait("/ commands of vim");
    };
    help(&mut bench);
    bench.until("the commands", |text| {
        ["delete the line; d and", "undo, redo", "a number before a command"].iter().all(|words| text.contains(words))
    });
    bench.send("\x1b");
    bench.wait_gone("/ commands of vim");
    bench.send("\x1b");
    bench.wait_gone("Help · Chat");
    // A line has no modes.
    bench.send("\x10");
    bench.wait("Commands");
    help(&mut bench);
    bench.wait("nothing matches");
    let mut bench = start("");
    help(&mut bench);
    bench.wait("nothing matches");
}
