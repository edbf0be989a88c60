//! Cutting texts into tokens and spelling tokens out. The tables are loaded with the first order that needs them.

use super::course::Course;
use crate::record::work::{Done, Tokens};
use crate::text::Untrusted;
use crate::tokens;

/// A text cut as a model does; `Done::Tokens(None)`: nobody here knows how.
pub(super) fn cut(model: &str, local: bool, text: &str) -> Done {
    Done::Tokens(tokens::encoding(model, local).and_then(|encoding| {
        let ids = encoding.encode(text);
        let ends = encoding.ends(&ids).ok()?;
        Some(Tokens { vocabulary: encoding.name(), ids, ends })
    }))
}

/// The bytes of each id, empty for one that is no token; `Done::Spelled(None)`: nobody here knows the vocabulary.
pub(super) fn spell(model: &str, local: bool, ids: &[u32]) -> Done {
    let encoding = tokens::encoding(model, local);
    Done::Spelled(encoding.map(|encoding| ids.iter().map(|id| encoding.token(*id).unwrap_or_default()).collect()))
}

/// Texts between two words on how far a count is.
const OFTEN: usize = 5_000;

/// How many tokens each text has; estimates where nobody here knows the vocabulary. Stops between two texts.
pub(super) fn count(model: &str, local: bool, texts: &[Untrusted], course: &Course) -> Done {
    let encoding = tokens::encoding(model, local);
    let count = |text: &Untrusted| match encoding {
        Some(encoding) => encoding.encode(text.raw()).len() as u32,
        None => tokens::estimate(text.raw()) as u32,
    };
    let mut counts = Vec::with_capacity(texts.len());
    for (at, text) in texts.iter().enumerate() {
        if course.is_stopped() {
            break;
        }
        if at > 0 && at % OFTEN == 0 {
            course.moved(at as u64, texts.len() as u64);
        }
        counts.push(count(text));
    }
    Done::Counted(encoding.is_some(), counts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_cut_and_its_tokens_spelled() {
        let text = "Größe: 日本 music\n";
        let Done::Tokens(Some(tokens)) = cut("text-davinci-003", false, text) else { panic!("known") };
        assert_eq!((tokens.vocabulary, tokens.ends.last()), ("p50k_base", Some(&text.len())));
        assert_eq!(tokens.ids.len(), tokens.ends.len());
        let Done::Spelled(Some(spelled)) = spell("text-davinci-003", false, &tokens.ids) else { panic!("known") };
        assert_eq!(spelled.concat(), text.as_bytes());
        assert_eq!(spelled.iter().map(Vec::len).sum::<usize>(), text.len());
        assert_eq!(
            cut("", true, ""),
            Done::Tokens(Some(Tokens { vocabulary: "r50k_base", ids: vec![], ends: vec![] }))
        );
    }

    #[test]
    fn what_nobody_knows_is_said() {
        assert_eq!(cut("llama3", false, "a"), Done::Tokens(None));
        assert_eq!(spell("llama3", false, &[1]), Done::Spelled(None));
        assert_eq!(spell("ada", false, &[50_257, 2647]), Done::Spelled(Some(vec![vec![], b" music".to_vec()])));
    }
}
