//! The embedding puts related texts nearer than unrelated ones.
#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used)]

use benchtop::engine::embed::{Space, cosine_similarity};

fn near(model: &str, a: &str, b: &str) -> f32 {
    let space = Space::of(model).expect("an embedding model");
    cosine_similarity(&space.vector(a), &space.vector(b))
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
fn paraphrases_are_found_among_texts_the_author_of_the_model_has_not_seen() {
    let rows: Vec<&str> = include_str!("../assets/embed/test.tsv").lines().skip(1).collect();
    let space = Space::of("text-embedding-ada-002").unwrap();
    let texts = |column: usize| -> Vec<Vec<f32>> {
        rows.iter().map(|row| space.vector(row.split('\t').nth(column).unwrap())).collect()
    };
    let (anchors, paraphrases, distractors) = (texts(1), texts(2), texts(3));
    let of = |right: usize| right as f64 / rows.len() as f64;
    let nearest = |anchor: &Vec<f32>| {
        let near = |at: &usize| cosine_similarity(anchor, &paraphrases[*at]);
        (0..rows.len()).max_by(|a, b| near(a).total_cmp(&near(b))).unwrap()
    };
    let found = of((0..rows.len()).filter(|at| nearest(&anchors[*at]) == *at).count());
    assert!(found > 0.94, "{found}");
    let nearer = |at: &usize| {
        cosine_similarity(&anchors[*at], &paraphrases[*at]) > cosine_similarity(&anchors[*at], &distractors[*at])
    };
    let right = of((0..rows.len()).filter(nearer).count());
    // Distractors repeat the anchor's words: plain word counts get 14 %.
    assert!(right > 0.4, "{right}");
}

#[test]
fn pieces_and_vectors_are_those_of_the_published_model() {
    let model = benchtop::engine::sentence::model();
    for line in include_str!("fixtures/sentence.jsonl").lines() {
        let of: serde_json::Value = serde_json::from_str(line).unwrap();
        let text = of["text"].as_str().unwrap();
        let pieces = model.pieces(text);
        assert_eq!(serde_json::json!(pieces.numbers), of["pieces"], "{text}");
        let published: Vec<f32> = serde_json::from_value(of["vector"].clone()).unwrap();
        let near = cosine_similarity(&model.vectors(&model.windows(&pieces))[0], &published);
        assert!(near > 0.99, "{text}: {near}");
    }
}

#[test]
fn all_of_a_long_text_counts() {
    let long = |end: &str| format!("{}{end}", "The minutes of the meeting were read. ".repeat(100));
    let model = "text-embedding-ada-002";
    let (a, b) = (long("Then a bear broke into the kitchen and ate the honey."), long("Then the budget was approved."));
    let question = "Which animal got into the kitchen?";
    assert!(near(model, question, &a) > near(model, question, &b) + 0.02);
}
