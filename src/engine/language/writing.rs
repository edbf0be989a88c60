//! From tokens to text that may be shown: whole characters, and nothing of a stop sequence.

/// Joins bytes into characters; an unfinished one waits for its rest.
#[derive(Clone, Debug, Default)]
pub struct Utf8Buffer {
    held: Vec<u8>,
}

impl Utf8Buffer {
    /// Adds bytes and returns what is complete. Bytes that can never become a character turn into U+FFFD.
    pub fn push(&mut self, bytes: &[u8]) -> String {
        self.held.extend_from_slice(bytes);
        let mut out = String::new();
        loop {
            match std::str::from_utf8(&self.held) {
                Ok(text) => {
                    out.push_str(text);
                    self.held.clear();
                    return out;
                }
                Err(e) => {
                    let valid = e.valid_up_to();
                    out.push_str(&String::from_utf8_lossy(&self.held[..valid]));
                    match e.error_len() {
                        Some(bad) => {
                            out.push('\u{FFFD}');
                            self.held.drain(..valid + bad);
                        }
                        None => {
                            self.held.drain(..valid);
                            return out;
                        }
                    }
                }
            }
        }
    }

    /// Returns what is left at the end: an unfinished character becomes U+FFFD.
    pub fn rest(&mut self) -> String {
        let rest = String::from_utf8_lossy(&self.held).into_owned();
        self.held.clear();
        rest
    }
}

/// Holds text back while it may be the beginning of a stop sequence, also across tokens.
#[derive(Clone, Debug, Default)]
pub struct StopBuffer {
    stops: Vec<String>,
    held: String,
    hit: bool,
}

impl StopBuffer {
    /// Creates a buffer for stop sequences; empty ones are ignored.
    pub fn new(stops: &[String]) -> Self {
        Self { stops: stops.iter().filter(|s| !s.is_empty()).cloned().collect(), ..Self::default() }
    }

    /// Adds text and returns what is certain to come before any stop sequence; nothing after one.
    pub fn push(&mut self, text: &str) -> String {
        if self.hit {
            return String::new();
        }
        self.held.push_str(text);
        if let Some(at) = self.stops.iter().filter_map(|stop| self.held.find(stop.as_str())).min() {
            self.hit = true;
            self.held.truncate(at);
            return std::mem::take(&mut self.held);
        }
        let keep = self.stops.iter().map(|stop| overlap(&self.held, stop)).max().unwrap_or(0);
        let rest = self.held.split_off(self.held.len() - keep);
        std::mem::replace(&mut self.held, rest)
    }

    /// Returns whether a stop sequence was found.
    pub fn hit(&self) -> bool {
        self.hit
    }

    /// Returns what was held back when the text ends for another reason.
    pub fn rest(&mut self) -> String {
        std::mem::take(&mut self.held)
    }
}

/// Returns the length in bytes of the longest end of `text` with which `stop` begins.
fn overlap(text: &str, stop: &str) -> usize {
    let longest = text.len().min(stop.len() - 1);
    (1..=longest).rev().find(|n| stop.is_char_boundary(*n) && text.ends_with(&stop[..*n])).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_survive_any_split() {
        let text = "a é 日 🙂 z";
        for size in 1..5 {
            let mut buffer = Utf8Buffer::default();
            let mut out: String = text.as_bytes().chunks(size).map(|part| buffer.push(part)).collect();
            out.push_str(&buffer.rest());
            assert_eq!(out, text);
        }
        let mut buffer = Utf8Buffer::default();
        assert_eq!(buffer.push(b"a\xFFb\xE6\x97"), "a\u{FFFD}b");
        assert_eq!(buffer.rest(), "\u{FFFD}");
    }

    #[test]
    fn a_stop_is_found_over_borders_and_never_shown() {
        let mut buffer = StopBuffer::new(&["END".to_owned(), "\n\n".to_owned()]);
        let shown: String = ["one E", "N", "T two E", "ND three"].iter().map(|part| buffer.push(part)).collect();
        assert_eq!(shown, "one ENT two ");
        assert!(buffer.hit());
        assert_eq!(buffer.rest(), "");
        let mut buffer = StopBuffer::new(&["日本".to_owned()]);
        assert_eq!(buffer.push("x日"), "x");
        assert_eq!(buffer.rest(), "日");
    }
}
