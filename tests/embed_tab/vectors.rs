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
    desk.press("E⇤^u");
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

/// Imports a file of these bytes; what is asked about it is on the screen.
fn imported(name: &str, bytes: &[u8]) -> (tempfile::TempDir, Desk) {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join(name);
    std::fs::write(&path, bytes).unwrap();
    let mut desk = Desk::new();
    desk.press("I");
    desk.paste(&path.to_string_lossy());
    desk.press("\n");
    desk.settle();
    (home, desk)
}

/// Returns a table of numbers without a header.
fn table(rows: usize, columns: usize) -> String {
    let cell = |row: usize, column: usize| ((row * 31 + column * 7) as f32 * 0.37).sin().to_string();
    let line = |row| (0..columns).map(|column| cell(row, column)).collect::<Vec<_>>().join(",") + "\n";
    (0..rows).map(line).collect()
}

#[test]
fn a_table_of_numbers_without_a_heading_is_asked_about() {
    let csv = table(50, 32);
    for (answer, texts, numbers) in [("1", "50", "32 dims"), ("2", "49", "32 dims"), ("3", "49", "31 dims")] {
        let (_home, mut desk) = imported("vectors.csv", csv.as_bytes());
        desk.shows("1  50 vectors of 32 numbers");
        desk.shows("2  heading, 49 vectors of 32");
        desk.shows("3  heading, 49 texts, 31 numbers");
        desk.size = (40, 12);
        desk.shows("3  heading, 49 texts, 31 numbers");
        desk.size = (120, 36);
        desk.press(answer);
        desk.settle();
        desk.shows(&format!("of {texts} "));
        desk.shows(numbers);
    }
    let (_home, mut desk) = imported("vectors.csv", csv.as_bytes());
    desk.press("\u{1b}");
    desk.settle();
    desk.shows("Embed turns texts into vectors");
    // A row without numbers makes no texts of the others' first ones.
    let (_home, mut desk) = imported("vectors.csv", format!("{csv},,\n").as_bytes());
    desk.shows("51 vectors of 32 numbers");
    // What names its columns, or begins with texts, is not asked about.
    let words = ["a", "b", "c", "d"];
    let numbers = table(4, 3);
    let lines: Vec<String> = words.iter().zip(numbers.lines()).map(|(word, line)| format!("{word},{line}")).collect();
    let lines = lines.join("\n");
    let (_home, mut desk) = imported("texts.csv", lines.as_bytes());
    desk.shows("D d");
    let (_home, mut desk) = imported("texts.csv", format!("text,0,1,2\n{lines}").as_bytes());
    desk.shows("D d");
    desk.hides("A text");
}

#[test]
fn a_square_of_numbers_is_asked_about() {
    let numbers = [1.0_f32, 0.25, 0.5, 0.25, 1.0, 0.75, 0.5, 0.75, 1.0];
    let head = format!("{:<117}\n", "{'descr': '<f4', 'fortran_order': False, 'shape': (3, 3), }");
    let mut npy = b"\x93NUMPY\x01\x00".to_vec();
    npy.extend((head.len() as u16).to_le_bytes());
    npy.extend(head.as_bytes());
    npy.extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
    let csv = "1,0.25,0.5\n0.25,1,0.75\n0.5,0.75,1\n";
    let json = "[[1,0.25,0.5],[0.25,1,0.75],[0.5,0.75,1]]";
    for (name, bytes, answer) in
        [("a.npy", &npy[..], "2"), ("a.json", json.as_bytes(), "2"), ("a.csv", csv.as_bytes(), "4")]
    {
        let (home, mut desk) = imported(name, bytes);
        desk.shows("1  3 vectors of 3 numbers");
        desk.shows(&format!("{answer}  similarities of 3 texts"));
        desk.press(answer);
        desk.settle();
        desk.shows(".75");
        desk.shows("These are similarities without");
        drop(home);
        let (_home, mut desk) = imported(name, bytes);
        desk.press("1");
        desk.settle();
        desk.shows("3 dims");
        desk.shows("PCA");
    }
    // One half of it says something else than the other.
    let (_home, mut desk) = imported("a.csv", b"1,0.25,0.5\n0.9,1,0.75\n0.5,0.75,1\n");
    desk.press("4");
    desk.shows("it is not a similarity matrix: row 2, column 1 is");
}
