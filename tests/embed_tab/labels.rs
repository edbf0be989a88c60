//! Texts with labels: marks and legend on the map, one label alone, how often the nearest have the same label.

use crate::desk::Desk;
use crate::replies::{entry, list};

/// Opens a table of texts with labels, as many texts as `each` says for each label; embeds them so that texts of one label
/// lie together, but for the last of `billing`, which lies among `shipping`.
fn labelled(labels: &[(&str, usize)], size: (u16, u16)) -> Desk {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("help desk.csv");
    let mut rows = vec!["text,label".to_owned()];
    let mut places = Vec::new();
    for (at, (label, count)) in labels.iter().enumerate() {
        for number in 0..*count {
            rows.push(format!("question {number} about {label},{label}"));
            let strays = at == 0 && number + 1 == *count;
            places.push((if strays { 1 } else { at }, number));
        }
    }
    std::fs::write(&path, rows.join("\n")).unwrap();
    let mut desk = Desk::new();
    desk.press("f");
    desk.paste(&path.to_string_lossy());
    desk.press("\n");
    desk.settle();
    desk.press("\n");
    desk.settle();
    desk.size = size;
    desk.press("^r");
    let mut first = 0;
    for (ticket, request) in desk.sent() {
        let count = crate::desk::texts(&request).len();
        let vectors = places[first..first + count].iter().zip(0..).map(|((at, number), index)| {
            let angle = *at as f32 * 1.1 + *number as f32 * 0.5 / labels[*at].1.max(1) as f32;
            entry(index, &[angle.cos(), angle.sin(), 0.1])
        });
        let vectors = vectors.collect();
        desk.answer(ticket, list(vectors, 5));
        first += count;
    }
    desk.settle();
    desk.press("m");
    desk.settle();
    desk
}

/// How often a mark is on the screen below the tabs and above the footer: these have signs like some of the marks.
fn marks(desk: &mut Desk, mark: char) -> usize {
    let lines = desk.lines();
    lines[1..lines.len() - 1].iter().map(|line| line.matches(mark).count()).sum()
}

#[test]
fn marks_on_the_map_tell_the_labels_and_a_legend_names_them() {
    let mut desk = labelled(&[("billing", 9), ("shipping", 8), ("account", 7)], (120, 36));
    for words in ["● billing", "■ shipping", "▲ account", "◆ A  billing · question 0 about"] {
        desk.shows(words);
    }
    let screen = desk.screen();
    let marks = ['●', '■', '▲'].map(|mark| marks(&mut desk, mark));
    assert!(marks.iter().all(|count| *count > 4), "{marks:?} {screen}");
    // Of `billing` eight of nine lie together, and each has five of them nearest.
    let line = |name: &str| screen.lines().find(|line| line.contains(name)).unwrap().trim_end().to_owned();
    assert!(line("● billing").ends_with("9        89 %"), "{screen}");
    assert!(line("▲ account").ends_with("7       100 %"), "{screen}");
    desk.shows("neighbours: same label in 5 nearest");
}

#[test]
fn one_label_shows_alone() {
    for size in [(120, 36), (80, 24), (40, 12)] {
        let mut desk = labelled(&[("billing", 9), ("shipping", 8), ("account", 7)], size);
        desk.press(".");
        assert!(marks(&mut desk, '■') < 2 && marks(&mut desk, '▲') < 2, "{}", desk.screen());
        desk.press(".");
        assert!(marks(&mut desk, '■') > 2, "{}", desk.screen());
        assert!(marks(&mut desk, '●') < 2, "{}", desk.screen());
        desk.shows("▸■ shipping");
        // Keys go among the points that show: from the first text of billing to one of shipping.
        desk.press("lhkj");
        desk.shows("shipping · question");
        desk.press(",");
        desk.shows("▸● billing");
        desk.press("\u{1b}");
        assert!(marks(&mut desk, '■') > 2 && marks(&mut desk, '▲') > 2, "{}", desk.screen());
        desk.hides("▸●");
        desk.shows("Map");
    }
}

#[test]
fn many_points_have_marks_and_colours_too() {
    let mut desk = labelled(&[("billing", 150), ("shipping", 140), ("account", 130)], (120, 36));
    let screen = desk.screen();
    assert!(marks(&mut desk, '■') > 5 && marks(&mut desk, '▲') > 5, "{screen}");
    assert!(!screen.chars().any(|char| ('\u{2801}'..='\u{28ff}').contains(&char)), "{screen}");
    desk.press("..");
    assert!(marks(&mut desk, '■') > 5 && marks(&mut desk, '▲') < 2, "{}", desk.screen());
}

#[test]
fn more_labels_than_marks_share_one() {
    let names: Vec<String> = (0..9).map(|at| format!("class{at}")).collect();
    let labels: Vec<(&str, usize)> = names.iter().map(|name| (name.as_str(), 6)).collect();
    let mut desk = labelled(&labels, (120, 36));
    desk.shows("△ class5");
    desk.shows("· 3 more labels");
    desk.press(",");
    desk.shows("▸· class8");
    desk.size = (40, 12);
    desk.shows("class8");
}

#[test]
fn texts_without_labels_say_where_labels_come_from() {
    let mut desk = crate::pictures::done((120, 36));
    desk.press("m.");
    desk.shows("these texts have no labels");
}

#[test]
fn labels_on_the_map_as_pictures() {
    for (name, size) in [("wide", (120, 36)), ("medium", (80, 24)), ("narrow", (40, 12))] {
        let mut desk = labelled(&[("billing", 9), ("shipping", 8), ("account", 7)], size);
        insta::assert_snapshot!(format!("labels_{name}"), desk.picture());
        desk.press(".");
        insta::assert_snapshot!(format!("one_label_{name}"), desk.picture());
    }
}
