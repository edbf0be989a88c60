//! Texts that writer and checker both can make, and the chance that cuts them.

use benchtop::record::{Alternative, Token};

/// Xorshift: enough for choosing moments. Never zero.
pub struct Random(pub u64);

impl Random {
    /// Returns a number below `end`.
    pub fn below(&mut self, end: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % end
    }

    /// Returns where the next part of a text ends: usually near, sometimes some kilobytes further, always between
    /// characters.
    pub fn cut(&mut self, text: &str, from: usize) -> usize {
        let most = if self.below(4) == 0 { 5000 } else { 300 };
        let mut to = (from + self.below(most) as usize + 4).min(text.len());
        while !text.is_char_boundary(to) {
            to -= 1;
        }
        to
    }
}

/// Returns the text of a turn: some characters of every length, including NUL and escapes. `kind`: content 0, reasoning
/// 1.
pub fn text(id: i64, kind: u64) -> String {
    let mut random = Random((id as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ (kind << 63) | 1);
    let count = random.below(if kind == 0 { 6000 } else { 800 });
    (0..count)
        .map(|_| match random.below(40) {
            0 => '\0',
            1 => '\u{1b}',
            2 => '\n',
            3 => 'é',
            4 => '世',
            5 => '👩',
            n => (b'a' + (n as u8 - 6) % 26) as char,
        })
        .collect()
}

/// Bytes of a token.
pub const TOKEN: usize = 4;

/// Splits the text of a step into tokens, also inside characters, with probabilities that need all their digits.
pub fn tokens(id: i64) -> Vec<Token> {
    let mut random = Random(id as u64 | 1);
    let mut logprob = || -(random.below(u64::MAX) as f64) / 1e18;
    text(id, 0)
        .as_bytes()
        .chunks(TOKEN)
        .map(|bytes| Token {
            bytes: bytes.to_vec(),
            logprob: Some(logprob()),
            top: vec![Alternative { bytes: bytes.to_vec(), logprob: logprob() }],
        })
        .collect()
}
