//! What conversations and days are called in the list.

use jiff::civil::Date;

use crate::record::Conversation;
use crate::text::Untrusted;

/// Longest title made from a prompt, in characters.
const TITLE: usize = 60;

/// Returns what a conversation is called in the list: by its title, else by its draft.
pub(super) fn label(conversation: &Conversation) -> Untrusted {
    let Conversation { title, draft, .. } = conversation;
    match title_of(draft) {
        _ if !title.is_empty() => title.clone(),
        first if first.is_empty() => "Draft".into(),
        first => format!("Draft: {first}").into(),
    }
}

/// Returns a title: the first line that says something.
pub(crate) fn title_of(prompt: &str) -> String {
    let line = prompt.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
    line.chars().take(TITLE).collect()
}

/// Returns how a day is called, seen from today.
pub(super) fn age(then: Date, today: Date) -> String {
    let days = today.since(then).map_or(0, |span| span.get_days());
    match days {
        ..=0 => "Today".to_owned(),
        1 => "Yesterday".to_owned(),
        2..=7 => "Last 7 days".to_owned(),
        8..=30 => "Last 30 days".to_owned(),
        _ => then.strftime("%B %Y").to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_called_as_people_call_them() {
        let today = Date::constant(2026, 3, 10);
        let called = |month, day| age(Date::constant(2026, month, day), today);
        assert_eq!(called(3, 10), "Today");
        assert_eq!(called(3, 9), "Yesterday");
        assert_eq!(called(3, 4), "Last 7 days");
        assert_eq!(called(2, 20), "Last 30 days");
        assert_eq!(called(1, 2), "January 2026");
    }
}
