//! Assigns the vectors of an answer to the texts that were sent, even if the server breaks the interface.

use std::sync::Arc;

use crate::api::embedding::EmbeddingList;

/// Returns for each of the `asked` texts its vector, or a sentence why it has none.
///
/// An entry belongs to the text that its index names. If a server leaves the indices out (all are 0), its own order
/// counts, provided that it sent as many vectors as there were texts. A vector for a text that was not asked for is
/// ignored; a text with two vectors gets none, because nobody knows which one is right.
pub(super) fn sort_out(answer: EmbeddingList, asked: usize) -> Vec<Result<Arc<[f32]>, String>> {
    let sent = answer.data.len();
    let indexed = answer.data.iter().any(|entry| entry.index > 0);
    let mut found: Vec<Option<Vec<f32>>> = vec![None; asked];
    let mut named = vec![0_usize; asked];
    for (place, entry) in answer.data.into_iter().enumerate() {
        let at = if indexed || sent != asked { entry.index as usize } else { place };
        if let (Some(slot), Some(count)) = (found.get_mut(at), named.get_mut(at)) {
            *slot = Some(entry.embedding);
            *count += 1;
        }
    }
    let missing = match sent {
        0 => "the server sent no vector".to_owned(),
        1 => format!("the server sent 1 vector for {asked} texts, and none for this one"),
        _ => format!("the server sent {sent} vectors for {asked} texts, and none for this one"),
    };
    let vector = |(at, found): (usize, Option<Vec<f32>>)| match found {
        Some(_) if named[at] > 1 => {
            Err(format!("the server sent {} vectors with index {at}, so none is used", named[at]))
        }
        None => Err(missing.clone()),
        Some(vector) if vector.is_empty() => Err("the server sent null or an empty list for this text".to_owned()),
        Some(vector) => Ok(vector.into()),
    };
    found.into_iter().enumerate().map(vector).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::embedding::Embedding;

    fn list(entries: &[(u32, &[f32])]) -> EmbeddingList {
        let entry = |(index, numbers): &(u32, &[f32])| Embedding {
            index: *index,
            embedding: numbers.to_vec(),
            ..Embedding::default()
        };
        EmbeddingList { data: entries.iter().map(entry).collect(), ..EmbeddingList::default() }
    }

    fn firsts(answer: EmbeddingList, asked: usize) -> Vec<Option<f32>> {
        sort_out(answer, asked).into_iter().map(|found| found.ok().map(|vector| vector[0])).collect()
    }

    #[test]
    fn each_text_gets_the_vector_its_index_names() {
        assert_eq!(firsts(list(&[(1, &[2.0]), (0, &[1.0])]), 2), [Some(1.0), Some(2.0)]);
        assert_eq!(firsts(list(&[(0, &[1.0]), (0, &[2.0])]), 2), [Some(1.0), Some(2.0)], "no indices: in order");
        assert_eq!(firsts(list(&[(0, &[1.0])]), 2), [Some(1.0), None]);
        assert_eq!(firsts(list(&[(1, &[1.0]), (1, &[2.0]), (7, &[3.0])]), 3), [None; 3], "nobody knows which is right");
        assert_eq!(firsts(list(&[]), 1), [None]);
        assert_eq!(firsts(list(&[(0, &[])]), 1), [None]);
    }

    #[test]
    fn an_index_that_comes_twice_is_an_error_of_its_text_alone() {
        let said = sort_out(list(&[(0, &[1.0]), (1, &[2.0]), (1, &[3.0])]), 3);
        assert_eq!(said[0].as_deref(), Ok(&[1.0][..]));
        assert_eq!(said[1].as_ref().unwrap_err(), "the server sent 2 vectors with index 1, so none is used");
        assert_eq!(said[2].as_ref().unwrap_err(), "the server sent 3 vectors for 3 texts, and none for this one");
    }

    #[test]
    fn what_is_missing_is_said_with_its_numbers() {
        let said = sort_out(list(&[(0, &[1.0])]), 2).pop().unwrap().unwrap_err();
        assert_eq!(said, "the server sent 1 vector for 2 texts, and none for this one");
    }
}
