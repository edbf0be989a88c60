//! Reads messages of an input: each is a line, or several of which all but the last end in `\`.

use std::io::{self, BufRead};

use crate::commands::input::INPUT;

/// What was read of an input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum ReadMessage {
    /// A message, without its line end.
    Message(String),
    /// A message that is too long or no text, or an input that cannot be read: a sentence.
    Wrong(String),
    /// A message that was being typed when the input ended.
    Unfinished,
}

/// Reads the next message. `None`: there are no more. Where messages are typed, one without its line end is unfinished:
/// Enter sends it.
///
/// # Errors
/// The input cannot be read.
pub(super) fn read_message(input: &mut impl BufRead, is_typed: bool) -> io::Result<Option<ReadMessage>> {
    let mut message = Vec::new();
    loop {
        let room = (INPUT + 1).saturating_sub(message.len() as u64);
        let count = io::Read::take(&mut *input, room).read_until(b'\n', &mut message)?;
        if message.len() as u64 > INPUT {
            if !message.ends_with(b"\n") {
                input.skip_until(b'\n')?;
            }
            return Ok(Some(ReadMessage::Wrong(
                "not sent: the message has more than 10 MB: send a shorter one".to_owned(),
            )));
        }
        if count == 0 {
            break;
        }
        if message.pop_if(|last| *last == b'\n').is_some() {
            message.pop_if(|last| *last == b'\r');
        } else if is_typed {
            return Ok(Some(ReadMessage::Unfinished));
        }
        match message.last_mut() {
            Some(last) if *last == b'\\' => *last = b'\n',
            // An empty line is no end of the input.
            _ => return Ok(Some(text(message))),
        }
    }
    Ok((!message.is_empty()).then(|| if is_typed { ReadMessage::Unfinished } else { text(message) }))
}

fn text(message: Vec<u8>) -> ReadMessage {
    String::from_utf8(message).map_or_else(
        |why| {
            let at = why.utf8_error().valid_up_to();
            ReadMessage::Wrong(format!("not sent: the message is not UTF-8 (at byte {at}): convert it first"))
        },
        ReadMessage::Message,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(input: &[u8]) -> Vec<ReadMessage> {
        let mut input = input;
        std::iter::from_fn(|| read_message(&mut input, false).unwrap()).collect()
    }

    fn message(text: &str) -> ReadMessage {
        ReadMessage::Message(text.to_owned())
    }

    #[test]
    fn lines_are_messages_and_some_continue() {
        let of = |texts: &[&str]| texts.iter().map(|text| message(text)).collect::<Vec<_>>();
        assert_eq!(read(b"one\r\n\ntwo\\\nthree\nfour"), of(&["one", "", "two\nthree", "four"]));
        assert_eq!(read(b"the end is missing \\"), of(&["the end is missing \n"]));
        assert_eq!(read(b"\\\n"), of(&["\n"]));
        assert!(read(b"").is_empty());
    }

    #[test]
    fn a_message_that_is_typed_is_unfinished_without_its_line_end() {
        for (input, whole) in [(&b"one\ntwo"[..], 1), (b"half", 0), (b"goes on \\\n", 0), (b"goes on \\\nhalf", 0)] {
            let mut input = input;
            let read: Vec<ReadMessage> = std::iter::from_fn(|| read_message(&mut input, true).unwrap()).collect();
            assert_eq!((read.len(), read.last()), (whole + 1, Some(&ReadMessage::Unfinished)), "{read:?}");
        }
    }

    #[test]
    fn what_is_no_text_or_too_long_is_left_out_and_the_rest_is_read() {
        let messages = read(b"one\ntw\xff \\\no\nthree\n");
        let not_text = "not sent: the message is not UTF-8 (at byte 2): convert it first";
        assert_eq!(messages, [message("one"), ReadMessage::Wrong(not_text.to_owned()), message("three")]);
        for (bytes, is_sent) in [(INPUT - 1, true), (INPUT, false), (3 * INPUT, false)] {
            let mut input = vec![b'a'; bytes as usize];
            input.extend_from_slice(b"\nb");
            let messages = read(&input);
            let is_message = matches!(messages[0], ReadMessage::Message(_));
            assert_eq!((messages.len(), is_message, &messages[1]), (2, is_sent, &message("b")));
        }
    }
}
