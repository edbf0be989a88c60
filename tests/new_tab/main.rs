//! What a new tab costs: one that is written in a file of its own works in the shell, which does not know it.
#![allow(missing_docs, unreachable_pub, clippy::unwrap_used)]

#[path = "../kit/mod.rs"]
mod kit;
mod tab;

use benchtop::api::call::{Call, Reply};
use benchtop::api::file::File;
use benchtop::app::Effect;
use benchtop::record::work::{Done, Work};

use kit::{Driver, Setup, Tab};
use tab::Stock;

#[derive(Default)]
struct Seventh;

impl Tab for Seventh {
    type Request = Call;

    fn setup() -> Setup {
        Setup { digit: Some('7'), more: vec![Box::new(Stock::new())], ..Setup::default() }
    }

    fn started(desk: &mut Driver<Self>) {
        let files = vec![file("file-1", "small.jsonl", 10), file("file-2", "large.jsonl", 5_000)];
        desk.answer_last(&Call::Files, Reply::Files(files));
    }

    fn work(&mut self, _work: Work) -> Done {
        Done::Paths(Vec::new())
    }
}

fn file(id: &str, filename: &str, bytes: u64) -> File {
    File { id: id.into(), filename: filename.into(), bytes, ..File::default() }
}

#[test]
fn a_new_tab_has_list_details_footer_help_and_palette() {
    let mut desk = Driver::<Seventh>::new();
    desk.shows("small.jsonl");
    desk.shows("file-1, 10 bytes");
    desk.press("j");
    desk.shows("file-2, 5000 bytes");
    let footer = desk.footer();
    assert!(footer.contains("x delete"), "{footer}");
    desk.press("?");
    desk.shows("change the settings");
    desk.press("\u{1b}^pstock");
    desk.shows("Stock: delete the file");
}

#[test]
fn its_dialog_asks_before_a_file_is_deleted() {
    let mut desk = Driver::<Seventh>::new();
    desk.press("x");
    desk.shows("Delete this file?");
    desk.press("\t\n");
    let (ticket, call) = desk.last(|call| matches!(call, Call::DeleteFile(_)));
    assert_eq!(call, Call::DeleteFile("file-1".into()));
    desk.reply(ticket, Reply::Deleted("file-1".into()));
    desk.hides("small.jsonl");
    assert!(desk.effects.iter().any(|effect| matches!(effect, Effect::Call(..))));
}

#[test]
fn its_setting_is_kept_over_a_restart() {
    let mut desk = Driver::<Seventh>::new();
    desk.press("sl\u{1b}");
    desk.hides("small.jsonl");
    assert_eq!(desk.disk.setting("stock.least").as_deref(), Some("1000"));
    let mut desk = desk.again();
    desk.shows("large.jsonl");
    desk.hides("small.jsonl");
}
