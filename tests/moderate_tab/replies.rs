//! What a moderation service answers, as the tests make it up.

use benchtop::api::call::{Failure, FailureKind};
use benchtop::api::moderation::{Moderation, ModerationResult};

/// The texts of the pictures.
pub const THREAT: &str = "I will find you and make you pay for this.";
pub const SELF: &str = "How do I stop thinking about hurting myself?";
pub const FILM: &str = "That film was killer, 10/10 would die again";

/// Names of categories, and for each of the three texts the score in hundredths and whether it is flagged.
type Table = [(&'static str, [(u8, bool); 3]); 13];

#[rustfmt::skip]
const TABLE: Table = [
    ("harassment", [(81, true), (2, false), (5, false)]),
    ("harassment/threatening", [(93, true), (1, false), (3, false)]),
    ("hate", [(6, false), (0, false), (1, false)]),
    ("hate/threatening", [(4, false), (0, false), (0, false)]),
    ("illicit", [(1, false), (0, false), (0, false)]),
    ("illicit/violent", [(2, false), (0, false), (0, false)]),
    ("self-harm", [(0, false), (64, true), (2, false)]),
    ("self-harm/intent", [(0, false), (58, false), (1, false)]),
    ("self-harm/instructions", [(0, false), (3, false), (0, false)]),
    ("sexual", [(0, false), (0, false), (0, false)]),
    ("sexual/minors", [(0, false), (0, false), (0, false)]),
    ("violence", [(47, false), (6, false), (22, false)]),
    ("violence/graphic", [(3, false), (1, false), (4, false)]),
];

/// A result of (name, score, flag).
pub fn result(cells: &[(&str, Option<f64>, Option<bool>)]) -> ModerationResult {
    let mut result = ModerationResult::default();
    for (name, score, flag) in cells {
        result.categories.insert((*name).to_owned(), *flag);
        result.category_scores.insert((*name).to_owned(), *score);
    }
    result.flagged = cells.iter().any(|(.., flag)| *flag == Some(true));
    result
}

/// One of the pictures' texts; another is like the third, but for what stands in it.
fn known(text: &str) -> ModerationResult {
    let column = [THREAT, SELF].iter().position(|known| *known == text).unwrap_or(2);
    let cells: Vec<_> = TABLE
        .iter()
        .map(|(name, columns)| {
            let (score, flag) = columns[column];
            // A sentence with "find" is a threat by itself.
            let hot = *name == "violence" && column == 2 && text.contains("find");
            let score = if hot { 77 } else { score };
            (*name, Some(f64::from(score) / 100.0), Some(flag || hot))
        })
        .collect();
    result(&cells)
}

/// The service's word on some texts. `text-moderation-stable` has seven categories, with other spellings and a null.
pub fn judge(model: &str, texts: &[String]) -> Moderation {
    let stable = model == "text-moderation-stable";
    let result = |text: &String| {
        let all = known(text);
        if !stable {
            return all;
        }
        let few = ["harassment", "hate", "hate/threatening", "self-harm", "sexual", "sexual/minors", "violence"];
        let mut result = ModerationResult { flagged: all.flagged, ..ModerationResult::default() };
        for name in few {
            let spelled = name.replace(['/', '-'], "_");
            let score = all.category_scores[name].map(|score| (score + 0.05_f64).min(1.0));
            let score = if name == "sexual" { None } else { score };
            result.categories.insert(spelled.clone(), all.categories[name]);
            result.category_scores.insert(spelled, score);
        }
        result
    };
    Moderation {
        id: "modr-1".to_owned(),
        model: if stable { "text-moderation-001" } else { "text-moderation-007" }.to_owned(),
        results: texts.iter().map(result).collect(),
    }
}

/// The same with every score moved by so much.
pub fn moved(texts: &[String], by: f64) -> Moderation {
    let mut answer = judge("", texts);
    "text-moderation-008".clone_into(&mut answer.model);
    for result in &mut answer.results {
        for score in result.category_scores.values_mut() {
            *score = score.filter(|score| *score > 0.3).map_or(*score, |score| Some((score + by).min(1.0)));
        }
    }
    answer
}

pub fn offline() -> Failure {
    let why = "no connection to 127.0.0.1:9: connection refused; is the server running?";
    Failure::new(FailureKind::Offline, why)
}

pub fn unsupported() -> Failure {
    let why = "the server does not offer /moderations (404); choose another profile or server";
    Failure { status: Some(404), ..Failure::new(FailureKind::Unsupported, why) }
}

pub fn refused(status: u16) -> Failure {
    let why = format!("the server refused the request ({status}): input must be a string; change it and run again");
    Failure {
        status: Some(status),
        body: r#"{"error":{"message":"input must be a string"}}"#.into(),
        ..Failure::new(FailureKind::Refused, why)
    }
}
