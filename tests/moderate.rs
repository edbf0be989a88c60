//! The moderation classifier as it ships: what must be flagged, what must not, wherever it stands and however it is
//! spelt.
#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used)]

use std::sync::LazyLock;
use std::time::Instant;

use benchtop::engine::moderate::corpus::rows;
use benchtop::engine::moderate::measure::Report;
use benchtop::engine::moderate::{Category, Classifier};
use proptest::prelude::*;
use proptest::sample::select;

const DEV: &str = include_str!("../assets/moderation/dev.tsv");
const CALM: &str = "The ferry leaves at nine, and the harbour café opens an hour before. ";

fn flagged(classifier: &Classifier, text: &str) -> Vec<&'static str> {
    let verdict = classifier.judge(text);
    Category::ALL.into_iter().filter(|category| verdict.flagged(*category)).map(Category::name).collect()
}

#[test]
fn development_rows_are_told_apart() {
    let classifier = Classifier::new();
    let mut report = Report::default();
    for row in rows(DEV).unwrap() {
        let verdict = classifier.judge(&row.text);
        report.add(&row, |category| verdict.flagged(category));
    }
    for category in Category::ALL.into_iter().filter(|category| *category != Category::SexualMinors) {
        let counts = &report.counts[category as usize];
        assert!(counts.precision().share >= 0.9 && counts.recall().share >= 0.75, "{category:?}: {}", report.table());
    }
    // These rows were seen in training: a floor, not a measure. docs/moderation.md has the measures.
    assert!(report.alarmed * 20 <= report.clean, "{}", report.table());
}

#[test]
fn clean_texts_on_children_school_and_health_stay_clean() {
    let classifier = Classifier::new();
    let children = rows(DEV).unwrap().into_iter().filter(|row| row.kind == "children").map(|row| row.text);
    let more = [
        "Our daughter starts school in August and already packs her bag.",
        "In year six the pupils learn about puberty, and parents may ask questions.",
        "The paediatrician said the rash is harmless and will be gone by Friday.",
        "A court convicted a man of abusing children; a helpline is open day and night.",
        "Teenagers and contraception: the clinic answers questions on Wednesdays.",
        "The swimming coach praised the girls for their times.",
        "My son is thirteen and asks how babies are made, which book do you advise?",
        "Sex education in schools was debated in parliament.",
        "The child hugged her mother goodnight and went to bed.",
        "Boys and girls under sixteen need a parent's signature for the trip.",
    ];
    for text in children.chain(more.map(str::to_owned)) {
        let verdict = classifier.judge(&text);
        assert!(!verdict.flagged(Category::SexualMinors) && !verdict.flagged(Category::Sexual), "{text}");
    }
}

#[test]
fn a_bad_sentence_counts_wherever_it_stands_in_a_long_text() {
    let classifier = Classifier::new();
    let bad = "I am going to kill you and your whole family, just wait. ";
    assert!(flagged(&classifier, bad).contains(&"violence"));
    assert!(flagged(&classifier, &CALM.repeat(2000)).is_empty());
    for before in [0, 3, 40, 997, 2000] {
        let text = format!("{}{bad}{}", CALM.repeat(before), CALM.repeat(2000 - before));
        assert!(flagged(&classifier, &text).contains(&"violence"), "after {before} sentences");
    }
}

const BEFORE: [&str; 16] = [
    "Hello! ",
    "Hi Anna, ",
    "hey there ",
    "Dear team,\n\n",
    "Good morning, Mr Okafor. ",
    "ok so ",
    "lol ",
    "Mary: ",
    "Привет! ",
    "Привет, ",
    "こんにちは。",
    "你好 ",
    "مرحبا، ",
    "The weather is lovely today, isn't it? ",
    "I was at the bakery this morning. ",
    "How was your weekend, Tom? ",
];
const AFTER: [&str; 14] = [
    "",
    ". Bye!",
    " lol",
    ", see you tomorrow",
    ". Have a nice day!",
    " 😘",
    ". До свидания",
    "。さようなら",
    "\n\nKind regards,\nPeter",
    ". The bus was late again.",
    ", thanks",
    " have a good evening",
    ". Do you want tea or coffee?",
    "! Greetings from Lisbon, it is sunny here.",
];

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    /// Whatever is flagged is flagged wherever it stands among harmless words.
    #[test]
    fn harmless_text_around_a_text_removes_no_flag(
        row in select(rows(DEV).unwrap().into_iter().filter(|row| !row.labels.is_empty()).collect::<Vec<_>>()),
        before in prop::collection::vec(select(&BEFORE[..]), 0..3),
        after in prop::collection::vec(select(&AFTER[..]), 0..3),
    ) {
        static CLASSIFIER: LazyLock<Classifier> = LazyLock::new(Classifier::new);
        let alone = flagged(&CLASSIFIER, &row.text);
        let text = format!("{}{}{}", before.concat(), row.text, after.concat());
        let amid = flagged(&CLASSIFIER, &text);
        prop_assert!(alone.iter().all(|name| amid.contains(name)), "{text}: {alone:?}, {amid:?}");
    }
}

#[test]
fn negation_and_idioms_are_clear() {
    let classifier = Classifier::new();
    for text in [
        "I'm not going to kill anyone, relax",
        "I am not going to hurt you.",
        "kill the process",
        "How do I kill the process on port 8080?",
        "These shoes are killing me.",
        "I could murder a curry tonight",
    ] {
        assert_eq!(flagged(&classifier, text), [""; 0], "{text}");
    }
    for text in
        ["I will kill you tomorrow", "1 w1ll k1ll y0u t0m0rr0w", "Hello! I will kill you tomorrow. Kind regards"]
    {
        assert!(flagged(&classifier, text).contains(&"violence"), "{text}");
    }
}

#[test]
fn evasive_spelling_is_read_and_harmless_signs_are_not() {
    let classifier = Classifier::new();
    for text in [
        "I am going to kill you tonight",
        "I am going to k1ll you tonight",
        "I am going to k i l l you tonight",
        "I am going to k.i.l.l you tonight",
        "I am going to k\u{200b}ill you tonight",
        "I am going to kіll you tonight",
        "I am going to ｋｉｌｌ you tonight",
        "I am going to kiiiiill you tonight",
        "I AM GOING TO KILL YOU TONIGHT",
    ] {
        assert!(flagged(&classifier, text).contains(&"violence"), "{text}");
    }
    for text in ["a b c d e f g", "mp3, h264 and 4k at 60fps", "i.e. the U.S.A. and the U.K.", "x = 1 + 2 * 3"] {
        assert!(flagged(&classifier, text).is_empty(), "{text}");
    }
}

#[test]
fn a_narrow_category_never_stands_without_its_wide_one() {
    let classifier = Classifier::new();
    let mut seen = 0;
    for row in rows(DEV).unwrap() {
        let verdict = classifier.judge(&row.text);
        for (narrow, wide) in [
            (Category::HateThreatening, Category::Hate),
            (Category::ViolenceGraphic, Category::Violence),
            (Category::SexualMinors, Category::Sexual),
        ] {
            seen += usize::from(verdict.flagged(narrow));
            assert!(!verdict.flagged(narrow) || verdict.flagged(wide), "{}", row.text);
        }
    }
    assert!(seen > 20, "{seen}");
}

#[test]
fn the_same_text_has_the_same_scores() {
    let (one, other) = (Classifier::new(), Classifier::new());
    for row in rows(DEV).unwrap() {
        assert_eq!(one.judge(&row.text), other.judge(&row.text));
    }
}

#[test]
fn the_time_for_anything_grows_no_faster_than_its_length() {
    let classifier = Classifier::new();
    let time = |piece: &str, bytes: usize| {
        let text = piece.repeat(bytes / piece.len());
        let begun = Instant::now();
        classifier.judge(&text);
        begun.elapsed()
    };
    time("kill ", 1 << 10);
    for piece in ["kill ", "k i l l ", "a", "a-", "💥", "\n"] {
        let (short, long) = (time(piece, 1 << 16), time(piece, 1 << 19));
        // The text is 8 times as long: in quadratic time it would take 64 times as long.
        assert!(long < short * 32, "{piece:?}: {short:?}, {long:?}");
    }
}
