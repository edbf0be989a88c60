//! The check of a text, in lines that can be read out.

use crate::commands::text_task::{Printer, TextTask};
use crate::commands::texts::Texts;
use crate::commands::{Output, Status, Task};
use crate::component::Cx;
use crate::record::Check;
use crate::tabs::batch::TextResult;
use crate::tabs::moderation::text_run::{CategoryScore, ModerationRun, telling_categories};

/// Returns the command that checks a text with the model of the Moderate tab.
pub(super) fn task(text: String) -> impl Task {
    TextTask::new(ModerationRun::new(None), CheckPrinter, Texts::one(text))
}

/// Prints whether a text is flagged, and a line for each category that counts.
#[derive(Debug)]
struct CheckPrinter;

impl Printer<ModerationRun> for CheckPrinter {
    fn print(&mut self, result: &TextResult<Check>, _run: &ModerationRun, out: &mut Output) {
        let Ok(check) = &result.result else { return };
        out.line(&if check.flagged { "The text is flagged." } else { "The text is not flagged." }.into());
        let categories = telling_categories(check);
        if categories.is_empty() {
            let has_scores = check.scores.iter().any(Option::is_some);
            let why = if has_scores { "All scores round to 0.00." } else { "The server gives no scores." };
            out.line(&why.into());
        }
        for category in categories {
            out.line(&words(&category).into());
        }
    }

    fn end(&mut self, _run: &ModerationRun, _cx: &mut Cx, _out: &mut Output) -> Option<Status> {
        Some(Status::Done)
    }
}

fn words(category: &CategoryScore) -> String {
    let score = category.score.map(|score| format!("score {score:.2}"));
    let flag = category.flag.map(|flag| if flag { "flagged" } else { "not flagged" }.to_owned());
    let said: Vec<String> = [score, flag].into_iter().flatten().collect();
    format!("{}: {}", category.name.line(), said.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_category_is_told_with_what_the_server_says_of_it() {
        let category = |score, flag| words(&CategoryScore { name: "hate\u{1b}".into(), score, flag });
        assert_eq!(category(Some(0.912), Some(true)), "hate␛: score 0.91, flagged");
        assert_eq!(category(Some(0.05), Some(false)), "hate␛: score 0.05, not flagged");
        assert_eq!(category(Some(0.05), None), "hate␛: score 0.05");
        assert_eq!(category(None, Some(true)), "hate␛: flagged");
    }
}
