//! Which rows are shown, in which order, with which signs.

use super::*;

#[test]
fn rows_are_filtered_by_category_flag_label_and_words() {
    let mut desk = Desk::new();
    desk.file(&[
        ("Ärger mit 95", Some("hate")),
        ("nothing 10", Some("0")),
        ("more of it 80", Some("violence")),
        ("all is well 5", Some("1")),
    ]);
    desk.keys("p");
    desk.finish();
    assert_eq!(desk.rows(), [1, 3, 4, 2]);
    desk.keys("F");
    assert_eq!(desk.rows(), [1]);
    desk.keys("F>>");
    assert_eq!(desk.rows(), [4, 2, 3, 1], "by violence");
    desk.keys(">");
    assert_eq!(desk.rows(), [1, 3, 4, 2], "by the highest again");
    // Row 4 is said to be harmful and is below the threshold; row 3 is harmful in another way than it is said to be.
    for rows in [&[3, 4][..], &[4], &[3], &[1, 3, 4, 2]] {
        desk.keys("D");
        assert_eq!(desk.rows(), rows);
    }
    desk.keys("/ÄRGER");
    assert_eq!(desk.rows(), [1]);
    desk.press(KeyCode::Enter);
    assert_eq!(desk.rows(), [1]);
    assert_eq!(desk.press(KeyCode::Esc), Handled::Consumed);
    assert_eq!(desk.rows().len(), 4);
    desk.keys("ss");
    let labels: Vec<u32> = desk.rows();
    assert_eq!(labels, [2, 4, 1, 3], "0, 1, hate, violence");
    assert_eq!(desk.press(KeyCode::Esc), Handled::Emit(FileEvent::Close));
}

#[test]
fn thresholds_move_and_the_signs_follow() {
    let mut desk = Desk::new();
    desk.file(&[("a 60", None)]);
    desk.keys("p");
    desk.finish();
    use crate::tabs::moderation::sign::Sign;
    let sign = |desk: &Desk| desk.open().dataset.results.top(0).sign;
    assert_eq!(sign(&desk), Sign::Over);
    desk.keys("+++++++++++");
    assert_eq!(sign(&desk), Sign::Near);
    desk.keys("-");
    assert_eq!(sign(&desk), Sign::Over);
    assert!(desk.page.shared.changed);
}
