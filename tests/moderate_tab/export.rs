//! The export of a file's results, read back: every model that checked the file, and the file's own columns.

use std::fs;
use std::path::Path;

use benchtop::app::Effect;
use benchtop::record::work::Work;
use benchtop::record::{Bench, Query, Rows};

use crate::desk::{Desk, Disk, MODEL};
use crate::replies::{FILM, THREAT};

const STABLE: &str = "text-moderation-stable";

/// Creates a desk on this disk that reads and writes real files and checks with this model.
fn desk(disk: &std::rc::Rc<Disk>, unix_ms: i64, model: &str) -> Desk {
    let mut desk = Desk::knowing(disk, unix_ms, &[model], "work");
    desk.files = true;
    desk
}

/// Opens a file of three texts and checks it with two models, one after the other.
fn checked_twice(file: &Path) -> Desk {
    let rows = format!("id,comment,label,flagged\n=7,\"{THREAT}\",harassment,yes\n8,\"{FILM}\",,no\n9,Hello,,\n");
    fs::write(file, rows).unwrap();
    let disk = Disk::new();
    let mut first = desk(&disk, 1_700_000_000_000, MODEL);
    first.press("f");
    first.paste(file.to_str().unwrap());
    first.press("\n\n");
    first.settle();
    first.news();
    first.press("p");
    first.serve();
    first.settle();
    first.shows("3 of 3");
    drop(first);
    let mut second = desk(&disk, 1_700_000_100_000, STABLE);
    second.press("f");
    second.settle();
    second.news();
    second.press("R\t\n");
    second.serve();
    second.settle();
    second.shows(STABLE);
    second.shows("3 of 3");
    second
}

/// Exports to this path and reads the headers and rows back.
fn export(desk: &mut Desk, to: &Path) -> (Vec<String>, Vec<Vec<String>>) {
    desk.press("E^u");
    desk.paste(to.to_str().unwrap());
    desk.press("\n");
    let mut reader = csv::Reader::from_path(to).unwrap();
    let cells = |row: &csv::StringRecord| row.iter().map(str::to_owned).collect::<Vec<_>>();
    let head = cells(reader.headers().unwrap());
    (head, reader.records().map(|row| cells(&row.unwrap())).collect())
}

#[test]
fn every_model_and_the_files_own_columns_are_exported() {
    let home = tempfile::tempdir().unwrap();
    let mut desk = checked_twice(&home.path().join("help.csv"));
    let (head, rows) = export(&mut desk, &home.path().join("out.csv"));
    desk.shows("exported to");
    let at = |name: &str| head.iter().position(|head| head == name).unwrap_or_else(|| panic!("no {name}: {head:?}"));
    let cells = |names: &[&str]| -> Vec<Vec<String>> {
        rows.iter().map(|row| names.iter().map(|name| row[at(name)].clone()).collect()).collect()
    };
    assert_eq!(
        cells(&["place", "id", "flagged (file)", "asked"]),
        [
            ["1", "'=7", "yes", STABLE],
            ["1", "'=7", "yes", MODEL],
            ["2", "8", "no", STABLE],
            ["2", "8", "no", MODEL],
            ["3", "9", "", STABLE],
            ["3", "9", "", MODEL],
        ]
    );
    assert_eq!(cells(&["text", "label", "flagged"])[1], [THREAT, "harassment", "true"]);
    assert_eq!(head.iter().filter(|name| name.replace('_', "/") == "hate/threatening").count(), 1, "{head:?}");
    assert!(!head.contains(&"comment".to_owned()), "the text is there once");
}

#[test]
fn a_file_that_has_changed_is_exported_without_its_columns_and_that_is_said() {
    let home = tempfile::tempdir().unwrap();
    let file = home.path().join("help.csv");
    let mut desk = checked_twice(&file);
    let text = fs::read_to_string(&file).unwrap();
    fs::write(&file, text.replace("Hello", "Hallo")).unwrap();
    let (head, rows) = export(&mut desk, &home.path().join("out.csv"));
    assert!(!head.contains(&"id".to_owned()) && rows.len() == 6, "{head:?}");
    desk.shows("without the file's");
    desk.shows("has changed since it was opened");
    fs::remove_file(&file).unwrap();
    let (head, _) = export(&mut desk, &home.path().join("again.csv"));
    assert!(!head.contains(&"id".to_owned()));
}

#[test]
fn the_preview_says_which_rows_are_left_out_before_anything_is_read() {
    let home = tempfile::tempdir().unwrap();
    let file = home.path().join("help.csv");
    fs::write(&file, "id,comment\n1,fine\n2,\n3,a,b\n4,also fine\n5,  \n6,c,d\n").unwrap();
    let mut desk = desk(&Disk::new(), 1_700_000_000_000, MODEL);
    desk.press("f");
    desk.paste(file.to_str().unwrap());
    desk.press("\n");
    desk.shows("2 left out: no text (lines 3, 6)");
    desk.shows("2 left out: the row has 3 cells, but there are 2 columns (lines 4, 7)");
    assert!(desk.disk.load(Query::TextLists(Bench::Moderate)) == Rows::TextLists(Vec::new()));
    desk.size = (40, 12);
    desk.shows("2 left out: no text (lines 3, 6)");
    desk.press("\n");
    desk.settle();
    desk.shows("0 of 2");
}

#[test]
fn a_second_export_waits_until_the_first_is_written() {
    let home = tempfile::tempdir().unwrap();
    let mut desk = checked_twice(&home.path().join("help.csv"));
    desk.holds = |effect| matches!(effect, Effect::Work(_, Work::Export { .. }));
    let paths = [home.path().join("first.csv"), home.path().join("second.csv")];
    for path in &paths {
        desk.press("E^u");
        desk.paste(path.to_str().unwrap());
        desk.press("\n");
    }
    desk.shows("an export is still being written");
    desk.release();
    assert_eq!(paths.each_ref().map(|path| path.exists()), [true, false]);
    desk.press("\n");
    assert!(paths[1].exists(), "{}", desk.screen());
}
