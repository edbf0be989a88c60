//! Whether a text is in the language that the classifier was trained on.

use whatlang::{Lang, Script};

/// Bytes of a text that are examined.
const LOOKED_AT: usize = 2 << 10;
/// A text is not English if more than one in this many of its letters is of a script other than Latin.
const FOREIGN: usize = 4;
/// Letters below which a text in Latin script is too short for detection.
const SHORT: usize = 20;
/// Common words of English that few other languages have.
const COMMON: [&str; 60] = [
    "the", "and", "you", "your", "is", "are", "of", "to", "that", "this", "it", "with", "for", "my", "they", "he",
    "she", "we", "have", "has", "had", "be", "been", "will", "would", "can", "could", "should", "what", "how", "when",
    "where", "who", "why", "which", "there", "their", "them", "his", "her", "him", "our", "from", "by", "but", "not",
    "i", "i'm", "don't", "it's", "just", "about", "out", "up", "all", "if", "than", "then", "some", "any",
];

/// Returns whether most of a text is English, judged by its beginning; one in Latin script that is too short, or one
/// without letters, counts as English.
pub fn is_english(text: &str) -> bool {
    let text = &text[..text.floor_char_boundary(LOOKED_AT)];
    let letters = text.chars().filter(|c| c.is_alphabetic()).count();
    let foreign = text.chars().filter(|c| is_of_another_script(*c)).count();
    if foreign * FOREIGN > letters {
        return false;
    }
    let Some(info) = whatlang::detect(text) else { return true };
    if info.lang() == Lang::Eng || letters < SHORT {
        return true;
    }
    // Short English texts are now and then taken for another language, but hardly ever have none of these words.
    let words = text.split(|c: char| !c.is_alphanumeric() && c != '\'').filter(|word| !word.is_empty());
    let (all, common) = words.fold((0, 0), |(all, common), word| {
        (all + 1, common + usize::from(COMMON.contains(&word.to_lowercase().as_str())))
    });
    common * 8 > all
}

/// Returns whether a character is a letter of another script than Latin. Letters of no script, such as `𝒶`, are read as
/// the Latin ones they look like.
fn is_of_another_script(c: char) -> bool {
    let script = || whatlang::detect_script(c.encode_utf8(&mut [0; 4]));
    !c.is_ascii() && script().is_some_and(|script| script != Script::Latin)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn english_is_told_from_other_languages() {
        for text in [
            "",
            "12:30 !?",
            "ok",
            "kill yourself",
            "I will kill you tomorrow.",
            "gonna be late, sry!! c u at 8",
            "𝓀𝒾𝓁𝓁 𝓎𝑜𝓊𝓇𝓈𝑒𝓁𝒻",
            "The café in Zürich was lovely, thanks to Jürgen and Chloé.",
            "Dear team, Ольга is on holiday until Monday, please write to the shared address.",
        ] {
            assert!(is_english(text), "{text}");
        }
        for text in [
            "Ich werde dich morgen umbringen, warte nur ab.",
            "Mañana te voy a matar, ya lo verás.",
            "Demain je vais te tuer, tu verras bien.",
            "Завтра я тебя убью.",
            "明日お前を殺す",
            "日本語 🎉 hello",
            "hello, Завтра",
            "سأقتلك غدا",
        ] {
            assert!(!is_english(text), "{text}");
        }
    }

    #[test]
    fn short_english_texts_are_seldom_taken_for_another_language() {
        let rows = super::super::corpus::rows(include_str!("../../../assets/moderation/dev.tsv")).expect("rows");
        let wrong: Vec<_> = rows.iter().filter(|row| !is_english(&row.text)).map(|row| &row.text).collect();
        assert!(wrong.len() * 50 <= rows.len(), "{wrong:#?}");
    }
}
