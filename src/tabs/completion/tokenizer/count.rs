//! The live count of a prompt, in words.

use crate::tokens::Fit;
use crate::ui::meter::count;

/// The count of a prompt as a title shows it. `exact`: `prompt` was cut by the model's own vocabulary, not estimated
/// (`~`). `wide`: there is room for the context too.
///
/// `38 tok of 4,097` (narrow `38 tok`); over the limit `4,180 of 4,097 tok, cut 83` (narrow `cut 83 tok`), where the
/// first number has the answer's tokens in it.
pub(in crate::tabs::completion) fn words(fit: Fit, prompt: u64, exact: bool, wide: bool) -> String {
    let about = if exact { "" } else { "~" };
    match fit {
        // No cut of the prompt makes room for so much.
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
        let said = |prompt, context, exact, wide| words(fit(prompt, 16, context), prompt, exact, wide);
        assert_eq!(said(38, Some(4_097), true, true), "38 tok of 4,097");
        assert_eq!(said(38, Some(4_097), true, false), "38 tok");
        assert_eq!(said(38, None, false, true), "~38 tok");
        assert_eq!(said(4_164, Some(4_097), true, true), "4,180 of 4,097 tok, cut 83");
        assert_eq!(said(4_164, Some(4_097), false, true), "~4,180 of 4,097 tok, cut ~83");
        assert_eq!(said(4_164, Some(4_097), true, false), "cut 83 tok");
        let most = |wide| words(fit(6, 74_090, Some(4_097)), 6, true, wide);
        assert_eq!(most(true), "74,096 of 4,097 tok, max_tokens at most 4,091");
        assert_eq!(most(false), "max_tokens at most 4,091");
    }
}
