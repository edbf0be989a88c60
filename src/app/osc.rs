//! The terminal's answer to "what is your background colour?" (OSC 11).
//!
//! The question is sent after the first frame, so that a terminal that does not answer delays nothing. The answer
//! arrives among the keys: the event reader does not know the sequence and reports it as `Alt+]`, its characters, and
//! `Alt+\` or `Ctrl+G`. The filter removes it from the keys, and returns keys that only look like the beginning of one.

use crossterm::event::{Event, KeyCode, KeyEvent, KeyModifiers};

/// The question: background colour, closed by ST.
pub const QUESTION: &[u8] = b"\x1b]11;?\x1b\\";
/// Characters of an answer at most.
const MAX_CHARS: usize = 64;

/// What an event turned out to be.
#[derive(Debug, PartialEq)]
pub enum OscMatch {
    /// User input: these events, in order.
    None(Vec<Event>),
    /// A part of an answer, or of what may become one.
    Partial,
    /// The background's red, green, blue.
    Background(u8, u8, u8),
}

/// Filters the answers out of the keys.
#[derive(Debug, Default)]
pub struct OscFilter {
    /// Events that may be the beginning of an answer, and its text.
    held: Vec<Event>,
    text: String,
}

impl OscFilter {
    /// Adds an event, and returns what it and those held back turned out to be.
    pub fn filter(&mut self, event: Event) -> OscMatch {
        let Some((code, modifiers)) = key_of(&event) else { return self.release(event) };
        if self.held.is_empty() {
            if (code, modifiers) == (KeyCode::Char(']'), KeyModifiers::ALT) {
                self.held.push(event);
                return OscMatch::Partial;
            }
            return OscMatch::None(vec![event]);
        }
        match code {
            KeyCode::Char('\\') if modifiers == KeyModifiers::ALT => self.finish(event),
            KeyCode::Char('g') if modifiers == KeyModifiers::CONTROL => self.finish(event),
            KeyCode::Char(c) if (modifiers - KeyModifiers::SHIFT).is_empty() && self.fits(c) => {
                self.text.push(c);
                self.held.push(event);
                OscMatch::Partial
            }
            _ => self.release(event),
        }
    }

    /// Returns whether `c` can be the next character of an answer.
    fn fits(&self, c: char) -> bool {
        const HEAD: &str = "11;rgb";
        match HEAD.chars().nth(self.text.len()) {
            Some(head) => head == c,
            None => self.text.len() < MAX_CHARS && (c.is_ascii_hexdigit() || "a:/".contains(c)),
        }
    }

    /// Returns the events held back and this one: they are no answer.
    fn release(&mut self, event: Event) -> OscMatch {
        self.text.clear();
        let mut keys = std::mem::take(&mut self.held);
        keys.push(event);
        OscMatch::None(keys)
    }

    /// Returns the colour of a complete answer, whose last event this is; what is no answer comes back.
    fn finish(&mut self, event: Event) -> OscMatch {
        let Some((red, green, blue)) = parse_colour(&self.text) else { return self.release(event) };
        self.held.clear();
        self.text.clear();
        OscMatch::Background(red, green, blue)
    }
}

/// Returns the key of a key event.
fn key_of(event: &Event) -> Option<(KeyCode, KeyModifiers)> {
    match event {
        Event::Key(KeyEvent { code, modifiers, .. }) => Some((*code, *modifiers)),
        _ => None,
    }
}

/// Parses `11;rgb:RRRR/GGGG/BBBB`, each of one to four hexadecimal digits, into 8 bits each.
fn parse_colour(text: &str) -> Option<(u8, u8, u8)> {
    let rest = text.strip_prefix("11;rgb")?.trim_start_matches('a').strip_prefix(':')?;
    let mut parts = rest.split('/').map(|part| {
        let max = match part.len() {
            digits @ 1..=4 => (1_u32 << (4 * digits)) - 1,
            _ => return None,
        };
        u32::from_str_radix(part, 16).ok().map(|value| (value * 255 / max) as u8)
    });
    Some((parts.next()??, parts.next()??, parts.next()??))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(code: KeyCode, modifiers: KeyModifiers) -> Event {
        Event::Key(KeyEvent::new(code, modifiers))
    }

    fn ctrl_g() -> Event {
        key(KeyCode::Char('g'), KeyModifiers::CONTROL)
    }

    fn feed(filter: &mut OscFilter, text: &str, end: Option<Event>) -> Vec<OscMatch> {
        let start = key(KeyCode::Char(']'), KeyModifiers::ALT);
        let chars = text.chars().map(|c| key(KeyCode::Char(c), KeyModifiers::NONE));
        std::iter::once(start).chain(chars).chain(end).map(|event| filter.filter(event)).collect()
    }

    #[test]
    fn an_answer_is_taken_out_of_the_keys() {
        for end in [key(KeyCode::Char('\\'), KeyModifiers::ALT), ctrl_g()] {
            let heard = feed(&mut OscFilter::default(), "11;rgb:ffff/8080/0000", Some(end));
            let (last, held) = heard.split_last().unwrap();
            assert_eq!(*last, OscMatch::Background(255, 128, 0));
            assert!(held.iter().all(|heard| *heard == OscMatch::Partial));
        }
        assert_eq!(parse_colour("11;rgb:1e/1e/2e"), Some((0x1e, 0x1e, 0x2e)));
        assert_eq!(parse_colour("11;rgb:/1/2"), None);
    }

    #[test]
    fn keys_that_only_look_like_one_come_back_whole() {
        let mut filter = OscFilter::default();
        let heard = feed(&mut filter, "1x", None);
        assert_eq!(heard[..2], [OscMatch::Partial, OscMatch::Partial]);
        let OscMatch::None(keys) = &heard[2] else { panic!("{heard:?}") };
        assert_eq!(keys.len(), 3);
        assert!(
            matches!(filter.filter(key(KeyCode::Char('a'), KeyModifiers::NONE)), OscMatch::None(keys) if keys.len() == 1)
        );
        for (text, end) in
            [("", ctrl_g()), ("11;", ctrl_g()), ("11;rgb:1", key(KeyCode::Char('\\'), KeyModifiers::ALT))]
        {
            let heard = feed(&mut filter, text, Some(end.clone()));
            let Some(OscMatch::None(keys)) = heard.last() else { panic!("{heard:?}") };
            assert_eq!((keys.len(), keys.last()), (text.len() + 2, Some(&end)), "{text:?}");
        }
    }
}
