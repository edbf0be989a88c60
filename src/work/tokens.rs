//! Tokenising texts and spelling tokens out. The tables are loaded with the first order that needs them.

use super::course::Course;
use crate::record::work::{Done, Tokens};
use crate::text::Untrusted;
use crate::tokens;

/// Tokenises a text as a model does; `Done::Tokens(None)`: its encoding is unknown.
pub(super) fn cut(model: &str, local: bool, text: &str) -> Done {
    Done::Tokens(tokens::encoding(model, local).and_then(|encoding| {
        let ids = encoding.encode(text);
        let ends = encoding.ends(&ids).ok()?;
        Some(Tokens { vocabulary: encoding.name(), ids, ends })
    }))
}

/// Returns the bytes of each id, empty for one that is no token; `Done::Spelled(None)`: the encoding is unknown.
pub(super) fn spell(model: &str, local: bool, ids: &[u32]) -> Done {
    let encoding = tokens::encoding(model, local);
    Done::Spelled(encoding.map(|encoding| ids.iter().map(|id| encoding.token(*id).unwrap_or_default()).collect()))
}

/// Texts, and bytes of text, between two reports of progress.
const OFTEN: usize = 5_000;
const OFTEN_BYTES: usize = 1 << 20;

/// Counts the tokens of each text; estimates them if the encoding is unknown. Stops only between two texts.
pub(super) fn count(model: &str, local: bool, texts: &[Untrusted], course: &Course) -> Done {
    let encoding = tokens::encoding(model, local);
    let count = |text: &Untrusted| match encoding {
        Some(encoding) => encoding.count(text.raw()) as u32,
        None => tokens::estimate(text.raw()) as u32,
    };
    let mut counts = Vec::with_capacity(texts.len());
    let (mut since, mut bytes) = (0, 0);
    for (at, text) in texts.iter().enumerate() {
        if course.is_stopped() {
            break;
        }
        if since == OFTEN || bytes >= OFTEN_BYTES {
            (since, bytes) = (0, 0);
            course.moved(at as u64, texts.len() as u64);
        }
        since += 1;
        bytes += text.len();
        counts.push(count(text));
    }
    Done::Counted(encoding.is_some(), counts)
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;
    use std::sync::{Arc, Mutex};

    use super::*;
    use crate::api::call::Ticket;

    #[test]
    fn a_hundred_thousand_texts_are_counted_and_it_is_said_how_far_it_is() {
        let texts: Vec<Untrusted> = (0..100_000).map(|n| format!("text {n}").into()).collect();
        let (said, hears) = channel();
        let course = Course::new(Ticket(1), Arc::new(move |_, done| said.send(done).unwrap()));
        let Done::Counted(true, counts) = count("text-embedding-ada-002", false, &texts, &course) else {
            panic!("the vocabulary is known")
        };
        assert_eq!((counts.len(), counts[7], counts.iter().min()), (100_000, 3, Some(&3)));
        let moved: Vec<Done> = hears.try_iter().collect();
        assert_eq!(moved.len(), 19);
        assert_eq!(moved[0], Done::Moved { done: 5_000, total: 100_000 });
        let Done::Counted(false, counts) = count("llama3", false, &texts[..10], &course) else { panic!("estimates") };
        assert_eq!((counts.len(), counts.iter().all(|count| *count > 0)), (10, true));
    }

    #[test]
    fn a_count_stops_when_nobody_waits_for_it_and_says_no_more() {
        let long: Vec<Untrusted> = vec!["many words in a text ".repeat(20_000).into(); 20];
        let (said, hears) = channel();
        let own: Arc<Mutex<Option<Course>>> = Arc::default();
        let stops = Arc::clone(&own);
        let replies = move |_, done| {
            said.send(done).unwrap();
            if let Some(course) = &*stops.lock().unwrap() {
                course.stop();
            }
        };
        let course = Course::new(Ticket(1), Arc::new(replies));
        *own.lock().unwrap() = Some(course.clone());
        let Done::Counted(_, counts) = count("text-embedding-ada-002", false, &long, &course) else { panic!("counts") };
        // Long texts report sooner: after a megabyte. The text after it is still counted.
        assert_eq!(hears.try_iter().collect::<Vec<_>>(), [Done::Moved { done: 3, total: 20 }]);
        assert_eq!(counts.len(), 4);
    }

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
