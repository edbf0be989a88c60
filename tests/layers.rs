//! The source itself: imports run down the layers, never up, never sideways; and a few calls are made in one place
//! only.
//!
//! The order is the map in `src/lib.rs`. Comments and strings are ignored, tests in the source are not.
#![allow(unreachable_pub, missing_docs, clippy::unwrap_used)]

#[path = "layers/cycles.rs"]
mod cycles;
#[path = "layers/docs.rs"]
mod docs;
#[path = "layers/licences.rs"]
mod licences;
#[path = "layers/source.rs"]
mod source;
#[path = "layers/structure.rs"]
mod structure;
#[path = "layers/tabs.rs"]
mod tabs;

use std::fs;
use std::path::{Path, PathBuf};

use source::{Token, reaches, tokens};

/// Modules by layer, lowest first. Those of one layer do not know each other.
const LAYERS: &[&[&str]] = &[
    &["api", "process", "record", "text"],
    &["settings", "disk"],
    &["tokens", "ui"],
    &["engine", "dataset", "vectors"],
    &["component"],
    &["tabs", "client", "service", "store", "work"],
    &["app"],
    &["commands"],
    &["cli"],
];

/// Neighbours that may be used all the same: (who, whom).
const NEIGHBOURS: &[(&str, &str)] = &[("api", "text"), ("record", "text")];

/// Lower layers that may not be used all the same: widgets know nothing of benchtop, the shell reaches the local
/// service over HTTP like any other.
const STRANGERS: &[(&str, &str)] =
    &[("ui", "api"), ("ui", "record"), ("ui", "settings"), ("ui", "disk"), ("app", "service")];

/// Files that may take text as it came (`Untrusted::raw`), each with the reason.
const RAW: &[(&str, &str)] = &[
    ("src/text/sanitise.rs", "its tests"),
    ("src/store/playground/repair.rs", "edits it: makes a buffer's texts to see what is lost of them"),
    ("src/text/mod.rs", "its own type"),
    ("src/api/call.rs", "leaves words of its own out of it"),
    ("src/tabs/files/preview/loaded_text.rs", "joins it with what is not loaded"),
    ("src/tabs/files/preview/tests/mod.rs", "its tests"),
    ("src/store/text.rs", "saves it"),
    ("src/store/append_text.rs", "compares it with what is stored"),
    ("src/store/waiting.rs", "joins pieces of it that wait for the disk"),
    ("src/store/texts/save.rs", "saves names of categories"),
    ("src/store/details.rs", "saves it"),
    ("src/store/conversations.rs", "indexes the words of titles"),
    ("src/store/turns.rs", "saves it and indexes its words"),
    ("src/record/texts.rs", "makes a name for it of its bytes"),
    ("src/work/tokens.rs", "counts it"),
    ("src/work/training.rs", "looks a model up by its name, and compares it"),
    ("src/work/export/checks.rs", "saves it to a file"),
    ("src/work/export/scores.rs", "saves it to a file"),
    ("src/work/export/tests.rs", "opens the file it names"),
    ("src/tabs/texts/chooser/mod.rs", "opens the file it names"),
    ("src/component/path_input.rs", "finds what paths have in common"),
    ("src/component/path_prompt.rs", "opens the folder it names"),
    ("src/work/export/vectors.rs", "saves it to a file"),
    ("src/work/import/tests.rs", "compares it"),
    ("src/work/file_window/find.rs", "looks for it in a file"),
    ("src/work/mod.rs", "saves it to a file, counts it, and colours and compares it, which names ranges of its bytes"),
    ("src/commands/output.rs", "passes it to a pipe or a file"),
    ("src/commands/chat.rs", "puts it into JSON"),
    ("src/commands/complete.rs", "puts it into JSON"),
    ("src/commands/moderate.rs", "puts it into JSON"),
    ("src/commands/embed.rs", "puts it into JSON"),
    ("src/commands/request.rs", "puts it into JSON"),
    ("src/commands/export.rs", "puts it into JSON"),
    ("src/commands/profiles.rs", "puts it into JSON"),
    ("src/work/export/conversations.rs", "saves it to a file, and passes it to a pipe"),
    ("src/commands/rows.rs", "passes it to a program, a row a line"),
    ("src/commands/files/file_json.rs", "puts it into JSON"),
    ("src/commands/files/get.rs", "puts it into JSON"),
    ("src/commands/files/check.rs", "puts it into JSON"),
    ("src/commands/files/prepare.rs", "puts it into JSON"),
    ("src/client/redact.rs", "takes secrets out of it"),
    ("src/wire/profiles.rs", "saves a model's name in the config file"),
    ("src/app/clipboard.rs", "copies it"),
    ("src/api/chat.rs", "sends it"),
    ("src/tabs/chat/request.rs", "sends it"),
    ("src/tabs/chat/open_call.rs", "sends it again"),
    (
        "src/tabs/chat/tool_calls.rs",
        "checks arguments, and makes a command's words of them, which are shown before it runs",
    ),
    ("src/tabs/chat/attachments.rs", "finds the path and the first lines of a file"),
    ("src/record/blocks.rs", "measures a picture and its kind, and finds a fence that a text does not hold"),
    ("src/work/attach.rs", "its tests"),
    ("src/work/tool_command.rs", "its tests"),
    ("src/tabs/chat/request_size.rs", "counts its tokens"),
    ("src/tabs/chat/answer_format.rs", "reads JSON in it"),
    ("src/tabs/chat/reasoning.rs", "finds tags in it"),
    ("src/tabs/chat/marks/export.rs", "saves it to a file"),
    ("src/tabs/completion/history.rs", "makes the buffer's text of it"),
    ("src/tabs/completion/prompt_text.rs", "puts it into the buffer"),
    ("src/tabs/completion/history/tests.rs", "compares it"),
    ("src/tabs/completion/run.rs", "puts it into the buffer"),
    ("src/tabs/completion/persistence.rs", "reads settings out of it"),
    ("src/tabs/completion/compare/saved.rs", "reads settings out of it"),
    ("src/tabs/completion/token_layout.rs", "finds tokens in it"),
    ("src/tabs/completion/token_layout/tests.rs", "finds tokens in it"),
    ("src/tabs/completion/run_log.rs", "counts its tokens"),
    ("src/tabs/completion/request.rs", "sends it"),
    ("src/tabs/completion/tokenizer/mod.rs", "counts its characters and finds tokens in it"),
    ("src/tabs/completion/tokenizer/draw.rs", "cuts it into tokens, and makes safe what it draws"),
    ("src/tabs/embeddings/transfer.rs", "keeps the file's name"),
    ("src/tabs/embeddings/embedded_list.rs", "replaces newlines"),
    ("src/tabs/embeddings/saves.rs", "reads settings out of it"),
    ("src/tabs/embeddings/list_storage.rs", "stores what a list was imported from"),
    ("src/tabs/embeddings/send.rs", "sends it"),
    ("src/tabs/fine_tunes/sample.rs", "uploads the file it names"),
    ("src/tabs/files/mod.rs", "opens the file it names"),
    ("src/tabs/files/training_offer.rs", "finds the part that was made with another"),
    ("src/client/refused_fields.rs", "reads the error in it"),
    ("src/component/facts.rs", "reads settings out of it"),
    ("src/app/models_marks.rs", "reads settings out of it"),
    ("src/tabs/files/actions.rs", "goes to the folder it names"),
    ("src/tabs/files/remote_file.rs", "names a download"),
    ("src/tabs/files/upload_plan/planned_file.rs", "finds the file it names, and keeps classes"),
    ("src/tabs/files/upload_plan/duplicate_search.rs", "compares names"),
    ("src/tabs/files/local.rs", "makes paths of it, sorts and filters names"),
    ("src/tabs/files/remote_files.rs", "sorts and filters names"),
    ("src/tabs/files/persistence.rs", "reads settings out of it"),
    ("src/tabs/files/state.rs", "keeps the folder"),
    ("src/tabs/files/transfer_outcome.rs", "compares paths"),
    ("src/tabs/files/preview/table_columns.rs", "reads numbers out of it"),
    ("src/tabs/files/preview/tests/trial.rs", "compares it, and looks for it in a file"),
    ("src/tabs/fine_tunes/evaluation/actions.rs", "asks for the file it names"),
    ("src/tabs/fine_tunes/evaluation/replies.rs", "counts it, and names models"),
    ("src/tabs/fine_tunes/evaluation/run.rs", "sends it and counts its tokens"),
    ("src/tabs/fine_tunes/evaluation/dataset.rs", "compares it"),
    ("src/tabs/fine_tunes/evaluation/view.rs", "cuts it"),
    ("src/tabs/generation/mod.rs", "counts its tokens"),
    ("src/tabs/texts/text_index.rs", "looks for words in it"),
    ("src/tabs/moderation/file/dataset.rs", "cuts it, and sorts labels"),
    ("src/tabs/moderation/file/parts.rs", "cuts it"),
    ("src/tabs/moderation/check_run.rs", "sends it and counts its tokens"),
    ("src/tabs/moderation/shared_settings.rs", "reads settings out of it"),
    ("src/tabs/moderation/sentence_scores/mod.rs", "parts it into sentences"),
    ("src/tabs/moderation/mod.rs", "edits it"),
    ("src/tabs/moderation/thresholds.rs", "reads profiles out of it"),
    ("src/tabs/fine_tunes/persistence.rs", "reads settings out of it"),
    ("src/tabs/fine_tunes/trial/rows.rs", "finds how prompts and answers end"),
    ("src/tabs/fine_tunes/trial/mod.rs", "counts the tokens of messages before a prompt"),
    ("src/tabs/fine_tunes/trial/navigation.rs", "compares a row with what is typed"),
    ("src/tabs/fine_tunes/trial/lane.rs", "sends the model's name"),
    ("src/tabs/fine_tunes/create/drafts.rs", "sends a class of a file"),
    ("src/tabs/files/check/mod.rs", "names the files to be uploaded"),
    ("src/tabs/files/check/checked_file.rs", "looks up what is known of models"),
    ("src/tabs/files/check/columns.rs", "names columns in templates"),
    ("src/tabs/generation/echo.rs", "takes the prompt out of it"),
    ("src/tabs/columns/wrapped.rs", "looks where two of it part, and makes safe each line it hands out"),
    ("src/ui/editor/mod.rs", "edits it, and makes safe what it draws"),
    ("src/ui/text_field.rs", "edits it, and makes safe what it draws"),
    ("src/ui/markdown/tests.rs", "compares it"),
    ("src/ui/transcript/find.rs", "looks for words in it"),
    ("src/ui/markdown/mod.rs", "parses it, and each piece becomes safe in `line`"),
];

/// Files that may make a bare `str` safe (`text::line`, `text::screen`): it has no type there. Elsewhere it gets one.
const BARE: &[(&str, &str)] = &[
    ("src/ui/editor/draw.rs", "draws what is typed"),
    ("src/ui/buffer/glyph.rs", "draws what is typed, and what was generated into it"),
    ("src/ui/text_field.rs", "draws what is typed"),
    ("src/ui/form/draw.rs", "draws what was typed"),
    ("src/ui/markdown/line.rs", "draws the pieces that the parser hands out"),
    ("src/tabs/columns/wrapped.rs", "hands out the lines of an output"),
    ("src/tabs/chat/attachments.rs", "shows the paths that are typed in a message"),
    ("src/app/crash.rs", "the last words, with as little around them as possible"),
];

/// Files that may name a record of the ledger: others get it of `Charge::record`, which adds it to the meter too.
const LEDGER: &[(&str, &str)] = &[
    ("src/component/charge.rs", "makes it"),
    ("src/app/tickets.rs", "sees whether there is one, which changes what today cost"),
    ("src/store/about.rs", "names it"),
    ("src/store/write.rs", "passes it on to its table"),
];

/// The file that may write a cell's symbol past ratatui's filter: the one that makes links.
const SYMBOL: &[&str] = &["src/ui/hyperlink.rs"];

/// Functions of ratatui that abort, or set a hook that does, where the terminal is gone.
const ABORTING: &[&str] = &["restore", "init", "try_init", "init_with_options", "try_init_with_options", "run"];

fn layer(module: &str) -> Option<usize> {
    LAYERS.iter().position(|layer| layer.contains(&module))
}

/// Returns whether a list of exceptions contains this file.
fn excepts(list: &[(&str, &str)], path: &str) -> bool {
    list.iter().any(|(excepted, _)| *excepted == path)
}

/// Returns why `from` may not use `to`; `None`: it may.
fn objection(from: &str, to: &str) -> Option<String> {
    if from == to || NEIGHBOURS.contains(&(from, to)) {
        return None;
    }
    let (Some(upper), Some(lower)) = (layer(from), layer(to)) else {
        return Some(format!("{from} uses {to}, and one of them has no layer: add it to the map"));
    };
    if upper < lower {
        Some(format!("{from} uses {to}, which is above it"))
    } else if upper == lower {
        Some(format!("{from} uses {to}, which is beside it"))
    } else if STRANGERS.contains(&(from, to)) {
        Some(format!("{from} uses {to}, which it must not know"))
    } else {
        None
    }
}

/// Returns whether a file has only tests.
fn is_test(path: &str) -> bool {
    path.ends_with("/tests.rs") || path.contains("/tests/")
}

/// Returns all faults of one file, as `file:line: what`.
fn faults(path: &str, text: &str) -> Vec<String> {
    let tokens = tokens(text);
    let mut faults = Vec::new();
    // Tests of a file look into records of the ledger.
    let code_end = text.find("#[cfg(test)]\nmod tests {").map_or(usize::MAX, |at| text[..at].lines().count());
    let module = module(path);
    // main wires everything; the library's root only lists modules.
    if let Some(from) = module.first() {
        for (line, to) in reaches(&tokens, &module) {
            faults.extend(objection(from, &to).map(|why| format!("{path}:{line}: {why}")));
        }
    }
    for (at, (line, token)) in tokens.iter().enumerate() {
        let next = |n: usize| tokens.get(at + n).map(|(_, token)| token);
        let ident = |n: usize| next(n).and_then(Token::ident);
        let mut fault = |what: &str| faults.push(format!("{path}:{line}: {what}"));
        match token {
            Token::Punct('.')
                if ident(1) == Some("raw") && next(2) == Some(&Token::Punct('(')) && !excepts(RAW, path) =>
            {
                fault("takes text raw; show it with `screen` or `line`, or add the file to the list and say why");
            }
            Token::Ident(name) if name == "Untrusted" && ident(3) == Some("raw") && !excepts(RAW, path) => {
                fault("takes text raw; show it with `screen` or `line`, or add the file to the list and say why");
            }
            Token::Ident(name)
                if name == "text"
                    && next(1) == Some(&Token::Punct(':'))
                    && matches!(ident(3), Some("line" | "screen"))
                    && !excepts(BARE, path) =>
            {
                fault("makes a bare text safe; let it be `Untrusted`, or add the file to the list and say why");
            }
            Token::Ident(name)
                if name == "Record"
                    && ident(3) == Some("Ledger")
                    && *line <= code_end
                    && !excepts(LEDGER, path)
                    && !is_test(path) =>
            {
                fault("names a record of the ledger; `Charge::record` makes it and adds it to the meter");
            }
            Token::Ident(name) if name == "set_symbol" && !SYMBOL.contains(&path) => {
                fault("sets a cell's symbol, which passes escape sequences; only links do");
            }
            Token::Ident(name) if name == "ratatui" && next(1) == Some(&Token::Punct(':')) => {
                for (line, used) in source::children(&tokens, at + 1) {
                    if ABORTING.contains(&used.as_str()) {
                        faults.push(format!("{path}:{line}: ratatui::{used} can abort on a terminal that is gone"));
                    }
                }
            }
            _ => {}
        }
    }
    faults
}

/// Converts a path to a module: `src/store/read.rs` → `store`, `read`.
fn module(path: &str) -> Vec<String> {
    let path = path.trim_start_matches("src/").trim_end_matches(".rs");
    let mut module: Vec<String> = path.split('/').map(str::to_owned).collect();
    if module.last().is_some_and(|last| last == "mod") {
        module.pop();
    }
    if matches!(path, "lib" | "main") { Vec::new() } else { module }
}

fn sources(directory: &Path, into: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, into);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            into.push(path);
        }
    }
}

/// Returns the paths of a folder's source files, from the repository's root.
fn files(folder: &str) -> Vec<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut paths = Vec::new();
    sources(&root.join(folder), &mut paths);
    let name = |path: PathBuf| path.strip_prefix(root).unwrap().to_string_lossy().replace('\\', "/");
    paths.into_iter().map(name).collect()
}

/// Reads all files of `src`, with their paths from the repository's root.
fn all() -> Vec<(String, String)> {
    let mut paths = files("src");
    paths.sort();
    let read = |path: String| {
        let text = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(&path)).unwrap();
        (path, text)
    };
    paths.into_iter().map(read).collect()
}

#[test]
fn the_source_keeps_to_its_layers() {
    let all = all();
    assert!(all.len() > 30, "only {} files found", all.len());
    let faults: Vec<String> = all.iter().flat_map(|(path, text)| faults(path, text)).collect();
    assert!(faults.is_empty(), "\n{}", faults.join("\n"));
}

#[test]
fn every_module_has_a_layer_and_every_exception_a_use() {
    let lib = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("src/lib.rs")).unwrap();
    let words = tokens(&lib);
    for pair in words.windows(2) {
        if let [(_, Token::Ident(word)), (_, Token::Ident(module))] = pair
            && word == "mod"
        {
            assert!(layer(module).is_some(), "{module} has no layer");
        }
    }
    let needs = |path: &str, words: &[&str]| {
        let text = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(path)).unwrap();
        assert!(words.iter().any(|word| text.contains(word)), "{path} needs no exception any more");
    };
    for (path, _) in RAW {
        needs(path, &["raw(", "Untrusted::raw"]);
    }
    for (path, _) in BARE {
        needs(path, &["text::line(", "text::screen("]);
    }
    for (path, _) in LEDGER {
        needs(path, &["Record::Ledger"]);
    }
    for path in SYMBOL {
        needs(path, &["set_symbol"]);
    }
}

#[test]
fn planted_faults_are_found() {
    let planted: &[(&str, &str, usize)] = &[
        // Up.
        ("src/api/x.rs", "use crate::client::Client;", 1),
        ("src/ui/mod.rs", "fn f() -> crate::tabs::Tab { todo() }", 1),
        ("src/settings/mod.rs", "use super::app;", 1),
        ("src/text/mod.rs", "use crate::{\n    text::Tint,\n    ui::{self, theme},\n};", 1),
        ("src/engine/deep/er.rs", "use super::super::super::{work::x, app::{a, b}};", 2),
        ("src/tokens/mod.rs", "mod tests { use super::*; use super::super::engine::x; }", 1),
        // Sideways.
        ("src/tabs/chat/mod.rs", "use crate::store::Store;", 1),
        ("src/store/mod.rs", "let x = crate :: work\n::y;", 1),
        ("src/api/x.rs", "use crate::record::Id;", 1),
        ("src/work/mod.rs", "r#\"\"#; '\"'; use crate::client::x; b'\\''; \"", 1),
        // Down, but strangers.
        ("src/ui/x.rs", "use crate::api::Usage;", 1),
        ("src/app/mod.rs", "pub(crate) use crate::service::start;", 1),
        // Everything, the unknown, a second name.
        ("src/store/x.rs", "use crate::*;", 1),
        ("src/store/x.rs", "use crate::novelty::x;", 1),
        ("src/store/x.rs", "use crate as everything;", 1),
        // Calls.
        ("src/tabs/x.rs", "text.raw()", 1),
        ("src/tabs/x.rs", "map(Untrusted::raw); Untrusted::raw(&x)", 2),
        ("src/tabs/x.rs", "text::line(&x); crate::text::screen(&x)", 2),
        ("src/ui/x.rs", "cell\n.set_symbol(\"x\")", 1),
        ("src/tabs/x.rs", "cx.save(Record::Ledger(row)); rows.map(crate::record::Record::Ledger);", 2),
        ("src/app/x.rs", "ratatui::restore();", 1),
        ("src/main.rs", "use ratatui::{Frame, init as start};", 1),
    ];
    for (path, text, count) in planted {
        let found = faults(path, text);
        assert_eq!(found.len(), *count, "{path}: {text}\n{found:?}");
    }
}

#[test]
fn what_is_allowed_is_not_found() {
    let fine: &[(&str, &str)] = &[
        ("src/tabs/chat/mod.rs", "use crate::{api::call::Call, record, ui::theme::Theme, tabs::tab::Tab};"),
        ("src/tabs/chat/view.rs", "use super::super::tab::Tab; use super::state::State; pub(super) fn f() {}"),
        (
            "src/store/mod.rs",
            "/// Like [`crate::work`].\n// use crate::work;\n/* /* crate::app */ crate::app */ fn f<'a>(x: &'a str) {}",
        ),
        ("src/store/mod.rs", "let text = \"use crate::work \\\" crate::app\"; let raw = r##\"crate::app \"# \"##;"),
        ("src/record/work.rs", "use crate::text::Tint; pub(in crate::record) struct X;"),
        ("src/tabs/chat/tests.rs", "match record { Record::Ledger(row) => {} }"),
        ("src/cli.rs", "crate::service::start(); crate::app::run()"),
        ("src/main.rs", "benchtop::service::start(); ratatui::try_restore()"),
        (
            "src/ui/x.rs",
            "fn raw() {} let raw = (1); Span::raw(x); mod tests { use super::*; mod deep { use super::super::x; } }",
        ),
    ];
    for (path, text) in fine {
        assert_eq!(faults(path, text), Vec::<String>::new(), "{path}: {text}");
    }
}
