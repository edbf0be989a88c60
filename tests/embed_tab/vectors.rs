//! Vectors as files and back, and what a cut is.

use crate::desk::Desk;
use crate::pictures::done;

#[test]
fn vectors_go_out_as_files_and_come_back() {
    let home = tempfile::tempdir().unwrap();
    for form in ["csv", "json", "npy"] {
        let path = home.path().join(format!("vectors.{form}")).to_string_lossy().into_owned();
        let mut desk = done((120, 36));
        desk.press("E^u");
        desk.paste(&path);
        desk.press("\n");
        desk.shows("written to");
        assert!(std::fs::metadata(&path).unwrap().len() > 1_000, "{form}");
        let mut other = Desk::new();
        other.press("I");
        other.paste(&path);
        other.press("\n");
        other.settle();
        other.shows("imported");
        other.shows(".87");
        other.shows("1,536 dims");
        other.press("^r");
        assert!(other.sent().is_empty(), "imported vectors are not asked for");
        let mut other = other.again();
        other.settle();
        other.shows(".87");
    }
}

#[test]
fn a_matrix_goes_out_and_comes_back() {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("matrix.csv").to_string_lossy().into_owned();
    let mut desk = done((120, 36));
    desk.press("E\t^u");
    desk.paste(&path);
    desk.press("\n");
    desk.shows("written to");
    let mut other = Desk::new();
    other.press("I");
    other.paste(&path);
    other.press("\n");
    other.settle();
    other.shows(".87");
}
