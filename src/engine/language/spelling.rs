//! Plain `r50k` tokens, whatever part of them a model has: ids mean the same for every model.

use super::vocabulary::END;
use crate::tokens::Encoding::R50k;

/// [`END`] as it stands in a text.
const END_TEXT: &str = "<|endoftext|>";
/// The larger models of the time had further tokens above [`END`]: 2 to 25 spaces in a row.
const SPACES: std::ops::RangeInclusive<u32> = END + 1..=END + 24;

/// The largest id that is a token.
pub const LARGEST: u32 = *SPACES.end();

/// Returns the tokens of a text; `<|endoftext|>` is one.
pub fn tokens(text: &str) -> Vec<u32> {
    let mut ids = Vec::new();
    for (at, part) in text.split(END_TEXT).enumerate() {
        ids.extend((at > 0).then_some(END));
        ids.extend(R50k.encode(part));
    }
    ids
}

/// Returns the bytes of a token, which may be a part of a character; none for an id that is no token.
pub fn bytes(id: u32) -> Vec<u8> {
    match id {
        END => END_TEXT.into(),
        _ if SPACES.contains(&id) => vec![b' '; (id - END + 1) as usize],
        _ => R50k.bytes(&[id]).unwrap_or_default(),
    }
}

/// Returns the text of tokens; bytes that are no character become U+FFFD.
pub fn text(ids: &[u32]) -> String {
    let bytes: Vec<u8> = ids.iter().flat_map(|id| bytes(*id)).collect();
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_text_comes_back() {
        for whole in ["", "plain words", "a<|endoftext|>b<|endoftext|>", "日本語 🙂 e\u{301}", "<|endoftext", "  \n\t"]
        {
            assert_eq!(text(&tokens(whole)), whole);
        }
        assert_eq!(tokens(END_TEXT), [END]);
        assert_eq!(tokens("Hello world"), [15_496, 995]);
        assert_eq!((bytes(50_257), bytes(LARGEST).len(), bytes(LARGEST + 1).len()), (b"  ".to_vec(), 25, 0));
    }
}
