//! What a new tab costs: one that is written in a file of its own works in the shell, which does not know it.
#![allow(missing_docs, unreachable_pub, clippy::unwrap_used)]

#[path = "../kit/mod.rs"]
mod kit;
mod tab;

use benchtop::api::call::{Call, Reply, Ticket};
use benchtop::api::file::File;
use benchtop::app::Effect;
use benchtop::record::work::{Done, Work};

use kit::{Disk, Driver, Setup, Tab};
use tab::Stock;

struct Seventh;

impl Tab for Seventh {
    fn digit(&self) -> Option<char> {
        Some('7')
    }

    fn work(&mut self, _ticket: Ticket, _work: Work) -> Done {
        Done::Paths(Vec::new())
    }
}

fn file(id: &str, filename: &str, bytes: u64) -> File {
    File { id: id.into(), filename: filename.into(), bytes, ..File::default() }
}

fn start(disk: &std::rc::Rc<Disk>) -> Driver<Seventh> {
    let mut desk = Driver::start(disk, Seventh, Setup { more: vec![Box::new(Stock::new())], ..Setup::default() });
    let (ticket, _) = desk.last(|call| *call == Call::Files);
    desk.reply(ticket, Reply::Files(vec![file("file-1", "small.jsonl", 10), file("file-2", "large.jsonl", 5_000)]));
    desk
}

#[test]
fn a_new_tab_has_list_details_footer_help_and_palette() {
    let mut desk = start(&Disk::new());
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
    let mut desk = start(&Disk::new());
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
    let disk = Disk::new();
    let mut desk = start(&disk);
    desk.press("sl\u{1b}");
    desk.hides("small.jsonl");
    assert_eq!(disk.setting("stock.least").as_deref(), Some("1000"));
    desk.end();
    let mut desk = start(&disk);
    desk.shows("large.jsonl");
    desk.hides("small.jsonl");
}
