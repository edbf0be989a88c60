//! Reads messages of an input: each is a line, or several of which all but the last end in `\`.

use std::io::{self, BufRead};

use crate::commands::input::INPUT;

/// Reads the next message, without its line end. A message that is too long or no text is an error within the result: a
/// sentence. `None`: there are no more.
///
/// # Errors
/// The input cannot be read.
pub(super) fn read_message(input: &mut impl BufRead) -> io::Result<Option<Result<String, String>>> {
    let mut message = Vec::new();
    loop {
        let room = (INPUT + 1).saturating_sub(message.len() as u64);
        let count = io::Read::take(&mut *input, room).read_until(b'\n', &mut message)?;
        if message.len() as u64 > INPUT {
            if !message.ends_with(b"\n") {
                input.skip_until(b'\n')?;
            }
            return Ok(Some(Err("not sent: the message has more than 10 MB: send a shorter one".to_owned())));
        }
        if count == 0 {
            break;
        }
        if message.pop_if(|last| *last == b'\n').is_some() {
            message.pop_if(|last| *last == b'\r');
        }
        match message.last_mut() {
            Some(last) if *last == b'\\' => *last = b'\n',
            // An empty line is no end of the input.
            _ => return Ok(Some(text(message))),
        }
    }
    Ok((!message.is_empty()).then(|| text(message)))
}

fn text(message: Vec<u8>) -> Result<String, String> {
    String::from_utf8(message).map_err(|why| {
        let at = why.utf8_error().valid_up_to();
        format!("not sent: the message is not UTF-8 (at byte {at}): convert it first")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(input: &[u8]) -> Vec<Result<String, String>> {
        let mut input = input;
        std::iter::from_fn(|| read_message(&mut input).unwrap()).collect()
    }

    #[test]
    fn lines_are_messages_and_some_continue() {
        let of = |texts: &[&str]| texts.iter().map(|text| Ok((*text).to_owned())).collect::<Vec<_>>();
        assert_eq!(read(b"one\r\n\ntwo\\\nthree\nfour"), of(&["one", "", "two\nthree", "four"]));
        assert_eq!(read(b"the end is missing \\"), of(&["the end is missing \n"]));
        assert_eq!(read(b"\\\n"), of(&["\n"]));
        assert!(read(b"").is_empty());
    }

    #[test]
    fn what_is_no_text_or_too_long_is_left_out_and_the_rest_is_read() {
        let messages = read(b"one\ntw\xff \\\no\nthree\n");
        let not_text = "not sent: the message is not UTF-8 (at byte 2): convert it first";
        assert_eq!(messages, [Ok("one".to_owned()), Err(not_text.to_owned()), Ok("three".to_owned())]);
        for (bytes, is_sent) in [(INPUT - 1, true), (INPUT, false), (3 * INPUT, false)] {
            let mut input = vec![b'a'; bytes as usize];
            input.extend_from_slice(b"\nb");
            let messages = read(&input);
            assert_eq!((messages.len(), messages[0].is_ok(), &messages[1]), (2, is_sent, &Ok("b".to_owned())));
        }
    }
}
