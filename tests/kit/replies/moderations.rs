//! Checks of texts.

use benchtop::api::call::{Failure, FailureKind};
use benchtop::api::moderation::{Moderation, ModerationRequest, ModerationResult, Texts};

use super::failure;
pub use super::offline;

/// The texts in the snapshots.
pub const THREAT: &str = "I will find you and make you pay for this.";
pub const SELF: &str = "How do I stop thinking about hurting myself?";
pub const FILM: &str = "That film was killer, 10/10 would die again";

/// The score in hundredths for each of the three texts; from 60 on it is flagged.
#[rustfmt::skip]
const TABLE: [(&str, [u8; 3]); 13] = [
    ("harassment", [81, 2, 5]), ("harassment/threatening", [93, 1, 3]), ("hate", [6, 0, 1]), ("hate/threatening", [4, 0, 0]),
    ("illicit", [1, 0, 0]), ("illicit/violent", [2, 0, 0]), ("self-harm", [0, 64, 2]), ("self-harm/intent", [0, 58, 1]),
    ("self-harm/instructions", [0, 3, 0]), ("sexual", [0, 0, 0]), ("sexual/minors", [0, 0, 0]), ("violence", [47, 6, 22]),
    ("violence/graphic", [3, 1, 4]),
];

/// Returns a result from (name, score, flag).
pub fn result(cells: &[(&str, Option<f64>, Option<bool>)]) -> ModerationResult {
    ModerationResult {
        flagged: cells.iter().any(|(.., flag)| *flag == Some(true)),
        categories: cells.iter().map(|(name, _, flag)| ((*name).to_owned(), *flag)).collect(),
        category_scores: cells.iter().map(|(name, score, _)| ((*name).to_owned(), *score)).collect(),
    }
}

/// Returns the service's verdict on some texts. `text-moderation-stable` has seven categories, with other spellings and
/// a null.
pub fn judge(model: &str, texts: &[String]) -> Moderation {
    let few = ["harassment", "hate", "hate/threatening", "self-harm", "sexual", "sexual/minors", "violence"];
    let stable = model == "text-moderation-stable";
    let one = |text: &String| {
        // Another text scores like the third, except that "find" makes it a threat.
        let column = [THREAT, SELF].iter().position(|known| known == text).unwrap_or(2);
        let cell = |(name, scores): &(&str, [u8; 3])| {
            let hot = *name == "violence" && column == 2 && text.contains("find");
            let hundredths = if hot { 77 } else { scores[column] };
            let (score, flag) = (f64::from(hundredths) / 100.0, Some(hundredths >= 60));
            match stable {
                true if *name == "sexual" => ((*name).to_owned(), None, flag),
                true => (name.replace(['/', '-'], "_"), Some((score + 0.05).min(1.0)), flag),
                false => ((*name).to_owned(), Some(score), flag),
            }
        };
        let cells: Vec<_> = TABLE.iter().filter(|(name, _)| !stable || few.contains(name)).map(cell).collect();
        result(&cells.iter().map(|(name, score, flag)| (name.as_str(), *score, *flag)).collect::<Vec<_>>())
    };
    let version = if stable { "text-moderation-001" } else { "text-moderation-007" };
    Moderation { id: "modr-1".to_owned(), model: version.to_owned(), results: texts.iter().map(one).collect() }
}

/// Returns the verdict with every score changed by `by`.
pub fn moved(texts: &[String], by: f64) -> Moderation {
    let mut answer = Moderation { model: "text-moderation-008".to_owned(), ..judge("", texts) };
    for score in answer.results.iter_mut().flat_map(|result| result.category_scores.values_mut()) {
        *score = score.filter(|score| *score > 0.3).map_or(*score, |score| Some((score + by).min(1.0)));
    }
    answer
}

pub fn unsupported() -> Failure {
    let why = "the server does not offer /moderations (404); choose another profile or server";
    failure(FailureKind::Unsupported, Some(404), why)
}

pub fn refused(status: u16) -> Failure {
    let why = format!("the server refused the request ({status}): input must be a string; change it and run again");
    super::refused(status, &why, r#"{"error":{"message":"input must be a string"}}"#)
}

/// Returns the texts of a request.
pub fn texts(request: &ModerationRequest) -> Vec<String> {
    match &request.input {
        Texts::One(text) => vec![text.clone()],
        Texts::Many(texts) => texts.clone(),
    }
}
