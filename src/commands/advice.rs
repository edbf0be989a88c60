//! Advice of failures in words of the shell: the workbench's names its palette.

use crate::api::advice::Advice;

/// Returns a sentence with the advice for a command in place of that for the workbench, with which it ends.
pub(super) fn for_shell(sentence: &str) -> String {
    Advice::at_end_of(sentence)
        .map_or_else(|| sentence.to_owned(), |(before, advice)| format!("{before}{}", words(advice)))
}

/// Returns a sentence without the advice with which it ends, and the advice for a command.
pub(super) fn split(sentence: &str) -> (&str, Option<&'static str>) {
    Advice::at_end_of(sentence)
        .map_or((sentence, None), |(before, advice)| (before.trim_end_matches([';', ' ']), Some(words(advice))))
}

/// Returns the words of advice that names commands.
fn words(advice: Advice) -> &'static str {
    match advice {
        Advice::ChooseModel => "choose another one: `benchtop models` lists them",
        Advice::ChooseProfile => "choose another one with --profile: `benchtop profiles` lists them",
        Advice::RetryOrChooseProfile => {
            "try again, or choose another profile with --profile: `benchtop profiles` lists them"
        }
        Advice::CorrectKey => "correct it: `benchtop profiles` says where it comes from",
        Advice::AddKey => "set one: `benchtop profiles` says where it is looked for",
        Advice::PasteKey => "paste one in the workbench: Ctrl+P → Profile: new key",
        Advice::SetVariable => "set it",
        Advice::ListFineTunes => "it may have been deleted: `benchtop tune ls` lists all",
        Advice::ListFiles => "`benchtop files ls` lists all",
        Advice::ListModels => "it may already be deleted: `benchtop models` lists those that are there",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn advice_names_commands_and_stays_where_there_is_none() {
        let sentence = "404 the server refused the request: no model x; choose another model: Ctrl+P → Model";
        let found = "404 the server refused the request: no model x";
        assert_eq!(for_shell(sentence), format!("{found}; choose another one: `benchtop models` lists them"));
        assert_eq!(split(sentence), (found, Some("choose another one: `benchtop models` lists them")));
        for other in ["rate limit; wait a moment and try again", "it was deleted, so refresh the list", ""] {
            assert_eq!((for_shell(other).as_str(), split(other)), (other, (other, None)));
        }
    }

    #[test]
    fn all_advice_has_words_for_the_shell_after_any_sentence() {
        for advice in Advice::ALL {
            for found in ["it failed; ", "it failed! ", "has it failed? "] {
                let sentence = format!("{found}{}", advice.words());
                assert_eq!(for_shell(&sentence), format!("{found}{}", words(advice)));
                assert_eq!(split(&sentence), (found.trim_end_matches([';', ' ']), Some(words(advice))));
            }
        }
    }
}
