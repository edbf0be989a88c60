//! What is known of a failed call, as a dialog.

use super::{ParagraphStyle, TextViewer};
use crate::api::call::Failure;

impl TextViewer {
    /// Creates a dialog that shows a failure: its sentence, status, code, headers and body.
    pub fn of_failure(failure: &Failure) -> Self {
        // Without an answer the words are the program's own.
        let answered = failure.status.is_some() || !failure.body.is_empty();
        let title = if answered { "What the server said" } else { "Details of the failure" };
        let style: ParagraphStyle = |theme| theme.text;
        Self::new(title, paragraphs(failure).into_iter().map(|text| (text, style)).collect())
    }
}

/// Returns everything known of a failure, safe for the screen.
fn paragraphs(failure: &Failure) -> Vec<String> {
    let mut all = vec![failure.sentence.line().into_owned(), String::new()];
    all.extend(failure.status.map(|status| format!("status      {status}")));
    all.extend(failure.code.as_ref().map(|code| format!("code        {}", code.line())));
    all.extend(failure.request_id.as_ref().map(|id| format!("request id  {}", id.line())));
    if failure.attempts > 1 {
        all.push(format!("attempts    {}", failure.attempts));
    }
    all.extend(failure.headers.iter().map(|(name, value)| format!("{name}: {}", value.line())));
    if !failure.body.is_empty() {
        all.push(String::new());
        all.extend(failure.body.screen().lines().map(str::to_owned));
    }
    all
}
