//! Says how many tokens a request has and whether they fit into the model's context.

use crate::text::Untrusted;
use crate::tokens::{self, Fit};
use crate::ui::meter::count;

/// Tokens the chat format adds to each message.
pub const MESSAGE: u64 = 4;
/// Tokens the chat format adds to a request, with which the answer begins.
pub const ANSWER: u64 = 3;

/// Bytes above which a text is not even estimated on the screen's thread: it must not cost a key its frame.
const LONG: usize = 20_000;

/// Returns a guess at the tokens of a text of so many bytes that is made at once: a long one is not even looked at.
pub fn quick_estimate<T: AsRef<str>>(bytes: usize, text: impl FnOnce() -> T) -> u64 {
    if bytes > LONG { bytes as u64 / 4 } else { tokens::estimate(text().as_ref()) }
}

/// Returns why a conversation is not sent: `prompt` tokens and `asked` for the answer (`None`: as many as fit) are
/// `cut` more than the model may have.
pub fn conversation_too_long(prompt: u64, asked: Option<u64>, cut: u64, context: u64, model: &Untrusted) -> String {
    let most = asked.map(|most| format!(" and the {} to come", count(most))).unwrap_or_default();
    let over = format!(
        "the conversation's {} tokens{most} are {} more than the {} of {}; nothing was sent",
        count(prompt),
        count(cut),
        count(context),
        model.line()
    );
    let left = context.saturating_sub(prompt);
    match asked {
        Some(_) if left > 0 && cut >= prompt => format!("{over}. Lower max tokens to {left} (t).", left = count(left)),
        _ => format!(
            "{over}. Shorten the message, delete earlier ones (X in the transcript) or choose another model (m)."
        ),
    }
}

/// Returns why a prompt is not sent.
pub fn prompt_too_long(prompt: u64, most: u64, cut: u64, context: u64) -> String {
    let more = format!("the prompt's {prompt} tokens and the {most} to come are {cut} more than the model's {context}");
    let left = context.saturating_sub(prompt);
    match (left > 0, cut < prompt) {
        // The tokens of the answer alone are too many.
        (true, false) => format!("{more}: lower max_tokens to {left}; nothing was sent"),
        (true, true) => format!("{more}: cut {cut}, or lower max_tokens to {left}; nothing was sent"),
        (false, _) => format!("{more}: cut {cut}; nothing was sent"),
    }
}

/// Returns the count of a prompt as a title shows it. `exact`: `prompt` was cut by the model's own vocabulary, not
/// estimated (`~`). `wide`: there is room for the context too.
///
/// `38 tok of 4,097` (narrow `38 tok`); over the limit `4,180 of 4,097 tok, cut 83` (narrow `cut 83 tok`), where the
/// first number has the answer's tokens in it.
pub fn count_label(fit: Fit, prompt: u64, exact: bool, wide: bool) -> String {
    let about = if exact { "" } else { "~" };
    match fit {
        // However short the prompt, the answer does not fit.
        Fit::Over { total, of, cut } if cut >= prompt && prompt < of => {
            let left = format!("max_tokens at most {about}{}", count(of - prompt));
            if wide { format!("{about}{} of {} tok, {left}", count(total), count(of)) } else { left }
        }
        Fit::Over { total, of, cut } if wide => {
            format!("{about}{} of {} tok, cut {about}{}", count(total), count(of), count(cut))
        }
        Fit::Over { cut, .. } => format!("cut {about}{} tok", count(cut)),
        Fit::Fits { of } if wide => format!("{about}{} tok of {}", count(prompt), count(of)),
        Fit::Fits { .. } | Fit::Unknown => format!("{about}{} tok", count(prompt)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tokens::fit;

    #[test]
    fn the_count_says_how_much_to_cut() {
        let said = |prompt, context, exact, wide| count_label(fit(prompt, 16, context), prompt, exact, wide);
        assert_eq!(said(38, Some(4_097), true, true), "38 tok of 4,097");
        assert_eq!(said(38, Some(4_097), true, false), "38 tok");
        assert_eq!(said(38, None, false, true), "~38 tok");
        assert_eq!(said(4_164, Some(4_097), true, true), "4,180 of 4,097 tok, cut 83");
        assert_eq!(said(4_164, Some(4_097), false, true), "~4,180 of 4,097 tok, cut ~83");
        assert_eq!(said(4_164, Some(4_097), true, false), "cut 83 tok");
        let most = |wide| count_label(fit(6, 74_090, Some(4_097)), 6, true, wide);
        assert_eq!(most(true), "74,096 of 4,097 tok, max_tokens at most 4,091");
        assert_eq!(most(false), "max_tokens at most 4,091");
    }
    #[test]
    fn a_refusal_says_how_much_is_too_much_and_what_to_do() {
        let said = |prompt, asked, cut| conversation_too_long(prompt, asked, cut, 4_096, &"gpt-3.5-turbo".into());
        let long = said(25_008, None, 20_913);
        assert!(long.starts_with("the conversation's 25,008 tokens are 20,913 more than the 4,096 of gpt-3.5-turbo;"));
        assert!(long.contains("nothing was sent. Shorten the message, delete earlier ones"), "{long}");
        let most = said(12, Some(9_000), 4_916);
        assert!(most.contains("12 tokens and the 9,000 to come") && most.ends_with("Lower max tokens to 4,084 (t)."));
    }
}
