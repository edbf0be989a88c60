//! What is known of a failed call, as lines for the details view.

use crate::api::call::Failure;
use crate::ui::wrap;

/// Everything known of a failure, safe for the screen and wrapped at `width` columns.
pub fn details(failure: &Failure, width: usize) -> Vec<String> {
    let mut lines = vec![failure.sentence.line().into_owned(), String::new()];
    lines.extend(failure.status.map(|status| format!("status      {status}")));
    lines.extend(failure.code.as_ref().map(|code| format!("code        {}", code.line())));
    lines.extend(failure.request_id.as_ref().map(|id| format!("request id  {}", id.line())));
    lines.extend(failure.headers.iter().map(|(name, value)| format!("{name}: {}", value.line())));
    if !failure.body.is_empty() {
        lines.push(String::new());
        lines.extend(failure.body.screen().lines().map(str::to_owned));
    }
    let mut rows = Vec::new();
    for line in lines {
        // A space that hangs over the edge must not cost the letter before it.
        rows.extend(wrap::lines(&line, width).into_iter().map(str::to_owned));
    }
    rows
}
