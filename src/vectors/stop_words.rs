//! English words that say nothing about what a text is about.

/// The words in alphabetical order, lower case.
const STOP_WORDS: [&str; 149] = [
    "a", "about", "above", "after", "again", "all", "also", "am", "an", "and", "any", "are", "aren't", "as", "at",
    "be", "because", "been", "before", "being", "below", "between", "both", "but", "by", "can", "can't", "cannot",
    "could", "did", "didn't", "do", "does", "doesn't", "doing", "don't", "down", "during", "each", "else", "ever",
    "few", "for", "from", "further", "get", "got", "had", "has", "have", "having", "he", "her", "here", "hers", "him",
    "his", "how", "however", "i", "i'll", "i'm", "i've", "if", "in", "into", "is", "isn't", "it", "it's", "its",
    "just", "may", "me", "might", "more", "most", "must", "my", "no", "nor", "not", "now", "of", "off", "on", "once",
    "only", "or", "other", "our", "out", "over", "own", "please", "same", "shall", "she", "should", "so", "some",
    "such", "than", "that", "that's", "the", "their", "them", "then", "there", "these", "they", "this", "those",
    "through", "to", "too", "under", "until", "up", "upon", "us", "very", "was", "wasn't", "we", "were", "what",
    "what's", "when", "where", "whether", "which", "while", "who", "whom", "whose", "why", "will", "with", "within",
    "without", "won't", "would", "yet", "you", "you're", "your", "yours",
];

/// Returns whether a word in lower case is a stop word, whichever apostrophe it has.
pub(super) fn is_stop_word(word: &str) -> bool {
    STOP_WORDS.binary_search(&word.replace('’', "'").as_str()).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stop_words_are_found_and_others_are_not() {
        assert!(STOP_WORDS.is_sorted());
        assert!(["the", "of", "a", "yours", "don’t"].into_iter().all(is_stop_word));
        assert!(!["refund", "thesis", ""].into_iter().any(is_stop_word));
    }
}
