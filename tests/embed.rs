//! The embedding puts related texts nearer than unrelated ones.
#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used)]

use benchtop::engine::embed::{Space, nearness};

fn near(model: &str, a: &str, b: &str) -> f32 {
    let space = Space::of(model).expect("an embedding model");
    nearness(&space.vector(a), &space.vector(b))
}

const FAMILIES: [&str; 6] = [
    "text-embedding-ada-002",
    "text-embedding-3-large",
    "text-similarity-ada-001",
    "text-similarity-davinci-001",
    "text-search-babbage-doc-001",
    "code-search-ada-text-001",
];

#[test]
fn related_texts_are_nearer_than_unrelated_ones_in_every_family() {
    for model in FAMILIES {
        for (text, related, unrelated) in [
            ("The physician cured the sick boy.", "A doctor healed an ill lad.", "The ferry sails at noon."),
            ("My automobile would not start.", "Our car has engine trouble.", "She bakes bread every week."),
            ("The film was boring.", "A dull movie.", "The bridge is closed for repairs."),
            ("How do I return goods for a refund?", "getting my money back from the shop", "a recipe for lentil soup"),
        ] {
            let (related_at, unrelated_at) = (near(model, text, related), near(model, text, unrelated));
            assert!(related_at > unrelated_at + 0.1, "{model}: {text} {related_at} {unrelated_at}");
        }
    }
}

#[test]
fn opposites_and_denials_are_farther_than_synonyms() {
    let model = "text-embedding-ada-002";
    for (text, same, opposite) in [
        ("The soup was cheap.", "The soup was inexpensive.", "The soup was expensive."),
        ("The guests arrived early.", "The guests came early.", "The guests did not arrive early."),
        ("He sold the car.", "He sold the automobile.", "He bought the car."),
    ] {
        let (same_at, opposite_at) = (near(model, text, same), near(model, text, opposite));
        assert!(same_at > opposite_at, "{text} {same_at} {opposite_at}");
    }
}

#[test]
fn code_is_found_by_what_its_names_say() {
    let model = "code-search-babbage-code-001";
    let (wanted, other) = ("def read_csv_file(path): return rows", "def sendHttpRequest(url): return reply");
    assert!(near(model, "read a csv file", wanted) > near(model, "read a csv file", other) + 0.1);
    let plain = "text-similarity-babbage-001";
    assert!(near(model, "send http request", other) > near(plain, "send http request", other) + 0.1);
}

#[test]
fn the_right_share_on_the_development_set_is_far_above_bag_of_words() {
    let rows: Vec<&str> = include_str!("../assets/embed/dev.tsv").lines().skip(1).collect();
    let right = rows.iter().filter(|row| {
        let cells: Vec<&str> = row.split('\t').collect();
        let model = "text-embedding-ada-002";
        near(model, cells[1], cells[2]) > near(model, cells[1], cells[3])
    });
    let share = right.count() as f64 / rows.len() as f64;
    // Bag-of-words has 16 %: the set was written against it.
    assert!(share > 0.5, "{share}");
}
