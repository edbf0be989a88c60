//! Keys do the same whether or not frames are drawn between them.

use benchtop::record::files::Entry;

use crate::desk::{Desk, HERE, entry, file, folder};
use crate::kit::frames_change_nothing;

/// Creates a desk with more files than a screen shows, here and at the server, and transfers.
fn many() -> Desk {
    let mut desk = Desk::new();
    let local: Vec<Entry> = (0..60).map(|nth| entry(&format!("rows-{nth:02}.jsonl"), 100 * nth, 3)).collect();
    desk.folders.insert(HERE.to_owned(), [vec![folder("archive")], local].concat());
    let server = (0..60).map(|nth| {
        file(&format!("file-{nth:02}"), &format!("rows-{nth:02}.jsonl"), 100 * nth, "fine-tune", 2, "processed")
    });
    desk.press("^r");
    desk.list(server.collect());
    desk.press("\t^r");
    desk.press("jj    D\n");
    desk.settle();
    desk
}

#[test]
fn with_long_lists() {
    frames_change_nothing(
        many,
        &[
            "jjj",
            "Gkk",
            "⇞⇞j",
            "⇟k",
            "\tjjj",
            "Gkk",
            "⇞j",
            "ssk",
            "/3",
            "\nj k",
            "\u{1b}\u{1b}\tjj",
            "kk",
            "\tG\n",
            "jj⇟",
            "tjw",
            "/a",
            "\nnN",
            "\u{1b}\u{1b}gj\n",
            "\u{1b}gjU",
            "\n",
            "jj\u{1b}",
            "vjj",
            "\u{1b}\u{1b}ixx",
            "\u{1b}\tAx",
        ],
    );
}
