//! A failed call where its result would be: the sentence, and what can be done about it, in the same words in every tab.

use unicode_width::UnicodeWidthStr as _;

use crate::ui::wrap;

/// What sends the request again, in every tab.
pub const SEND_AGAIN: &str = "^R send again";
/// What opens [`super::FailureDetails`].
pub const DETAILS: &str = "d details";
/// Where another profile is chosen, or a key or a setting is changed.
pub const PROFILE: &str = "^P profile";

/// What stands before each line.
const BAR: &str = "┃ ";

/// Returns the sentence of a failure, at most so many lines of it, and below it the keys and words as far as one line
/// has room for them; each line with whether it is the sentence's. All fit into `width` columns.
pub fn failure_lines(sentence: &str, below: &[&str], width: usize, most: usize) -> Vec<(String, bool)> {
    let room = width.saturating_sub(BAR.width());
    let lines = wrap::lines(sentence, room.max(8)).into_iter().take(most);
    let lines = lines.map(|line| (format!("{BAR}{line}"), true));
    lines.chain([(format!("{BAR}{}", first_words(below, room)), false)]).collect()
}

/// Returns the first ones of some words that fit into `width` columns, with ` · ` between them.
fn first_words(words: &[&str], width: usize) -> String {
    let mut line = String::new();
    for word in words.iter().filter(|word| !word.is_empty()) {
        let gap = if line.is_empty() { "" } else { " · " };
        if !line.is_empty() && line.width() + gap.width() + word.width() > width {
            break;
        }
        line = line + gap + word;
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_keys_that_matter_most_stay_where_there_is_little_room() {
        let words = [SEND_AGAIN, DETAILS, PROFILE, "your text is kept"];
        let last = |width| failure_lines("nothing is listening there", &words, width, 4).pop().unwrap().0;
        assert_eq!(last(80), "┃ ^R send again · d details · ^P profile · your text is kept");
        assert_eq!(last(40), "┃ ^R send again · d details · ^P profile");
        assert_eq!(last(38), "┃ ^R send again · d details");
        assert_eq!(last(8), "┃ ^R send again");
        let lines = failure_lines("nothing is listening there", &words, 16, 4);
        assert_eq!(lines.iter().filter(|(_, sentence)| *sentence).count(), 3, "{lines:?}");
    }
}
