//! Texts with labels or clusters: marks and legend on the map, one label alone, how often the nearest have the same
//! label.

use crate::desk::Desk;
use crate::replies::{entry, list};

/// Opens a table of texts with labels, as many texts as `each` says for each label; embeds them so that texts of one
/// label lie together, but for the last of `billing`, which lies among `shipping`.
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

/// Counts a mark on the map, which is between the tabs and the footer and, on a wide screen, on the right.
fn marks(desk: &mut Desk, mark: char) -> usize {
    let left = if desk.size.0 >= 100 { 84 } else { 0 };
    let lines = desk.lines();
    lines[1..lines.len() - 1].iter().flat_map(|line| line.chars().skip(left)).filter(|char| *char == mark).count()
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
    let right = |line: &str| line.chars().skip(84).collect::<String>().trim_end().to_owned();
    let line = |name: &str| screen.lines().map(right).find(|line| line.contains(name)).unwrap();
    assert!(line("● billing").ends_with("9         89%"), "{screen}");
    assert!(line("▲ account").ends_with("7        100%"), "{screen}");
    desk.shows("same label among the 5 nearest");
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
    desk.shows("* 3 more ");
    desk.press(",");
    desk.shows("▸* class8");
    desk.size = (40, 12);
    desk.shows("class8");
}

#[test]
fn texts_without_labels_say_where_labels_come_from() {
    // Of three texts there are no clusters either.
    let mut desk = Desk::new();
    desk.press("aone\ntwo\nthree\n\n");
    let (ticket, request) = desk.run();
    desk.answer(ticket, crate::replies::vectors(&request));
    desk.settle();
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

/// Creates thirty texts without labels about three subjects, with vectors that separate them.
fn clustered(size: (u16, u16)) -> Desk {
    let words = ["the refund of order", "the delivery of parcel", "the password of account"];
    let lines: Vec<String> = (0..30).map(|at| format!("{} {at}", words[at % 3])).collect();
    let mut desk = Desk::new();
    desk.paste(&lines.join("\n"));
    desk.press("l");
    desk.settle();
    desk.size = size;
    desk.press("^r");
    for (ticket, request) in desk.sent() {
        let vectors = (0..crate::desk::texts(&request).len() as u32).map(|at| {
            let mut vector = [(at as f32).sin() * 0.1, (at as f32).cos() * 0.1, 0.05];
            vector[at as usize % 3] += 1.0;
            entry(at, &vector)
        });
        desk.answer(ticket, list(vectors.collect(), 5));
    }
    desk.settle();
    desk
}

#[test]
fn texts_without_labels_are_told_apart_by_cluster_and_clusters_named_by_their_words() {
    let mut desk = clustered((120, 36));
    desk.shows("  Clusters");
    for words in ["● refund, order", "■ delivery, parcel", "▲ password, account"] {
        desk.shows(words);
    }
    assert!(["●", "■", "▲"].iter().all(|mark| marks(&mut desk, mark.chars().next().unwrap()) > 2), "{}", desk.screen());
    // The names are on the map, too.
    let right: String = desk.lines().iter().map(|line| line.chars().skip(84).collect::<String>()).collect();
    assert!(right.contains("refund, order") && right.contains("password, account"), "{}", desk.screen());
    desk.press("m.");
    desk.shows("▸● refund, order");
    assert!(marks(&mut desk, '■') < 2, "{}", desk.screen());
    desk.shows("all clusters");
    desk.press("\u{1b}");
    for size in [(80, 24), (40, 12)] {
        desk.size = size;
        desk.shows("refund, ord");
    }
}

#[test]
fn labelled_texts_can_be_coloured_by_cluster() {
    let mut desk = labelled(&[("billing", 9), ("shipping", 8), ("account", 7)], (120, 36));
    desk.shows("  Labels");
    desk.press("c");
    desk.settle();
    desk.shows("  Clusters");
    desk.press("c");
    desk.shows("  Labels");
}

#[test]
fn the_map_is_made_wider_and_stays_so_while_the_program_runs() {
    let mut desk = crate::pictures::done((120, 36));
    let map = |desk: &mut Desk| desk.lines()[2].chars().enumerate().filter(|(_, char)| *char == '│').last().unwrap().0;
    let narrow = map(&mut desk);
    desk.shows("+ wider");
    desk.press("+");
    let wide = map(&mut desk);
    assert!(wide + 10 < narrow, "{}", desk.screen());
    desk.press("+");
    desk.shows("- narrower");
    desk.press("-");
    assert_eq!(map(&mut desk), wide);
    // Other pages come and go; with the keys on the map it has its own, because there + and - zoom.
    desk.press("P\u{1b}m");
    assert_eq!(map(&mut desk), wide);
    desk.shows("> wider");
    desk.press("<<<");
    desk.shows("▸ Map");
    assert!(map(&mut desk) > wide);
    desk.press("\u{1b}-");
    desk.hides("Map");
    desk.press("+");
    desk.shows("Map");
}

#[test]
fn where_fewer_texts_than_the_nearest_have_a_label_100_percent_is_explained() {
    let most = "100%: as many as there can be";
    for size in [(120, 36), (80, 24)] {
        let mut desk = labelled(&[("billing", 9), ("account", 2)], size);
        desk.shows("◆ selected");
        desk.shows(most);
        labelled(&[("billing", 9), ("shipping", 8)], size).hides(most);
    }
}

#[test]
fn words_of_a_long_list_end_before_the_arrow_that_says_it_continues() {
    let mut desk = labelled(&[("billing", 30), ("shipping", 30)], (120, 36));
    for keys in ["", "\u{1b}iG"] {
        desk.press(keys);
        let words_before = |line: &String| {
            let list: String = line.chars().take(31).collect();
            list.find(['↑', '↓']).map(|at| list[..at].to_owned())
        };
        let lines = desk.lines();
        let before: Vec<String> = lines[1..lines.len() - 1].iter().filter_map(words_before).collect();
        assert!(!before.is_empty() && before.iter().all(|words| words.ends_with(' ')), "{before:?} {}", desk.screen());
    }
}
