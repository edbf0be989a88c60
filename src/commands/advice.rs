//! Advice of failures in words of the shell: the workbench's names its palette.

/// Advice as the workbench gives it, and as a command does.
const ADVICE: [(&str, &str); 8] = [
    ("choose another model: Ctrl+P → Model", "choose another one: `benchtop models` lists them"),
    ("paste the correct key: Ctrl+P → Profile: new key", "correct it: `benchtop profiles` says where it comes from"),
    ("add one: Ctrl+P → Profile: new key", "set one: `benchtop profiles` says where it is looked for"),
    (
        "choose another profile: Ctrl+P → Profile: choose",
        "choose another one with --profile: `benchtop profiles` lists them",
    ),
    ("set it and restart benchtop, or paste a key with Ctrl+P → Profile: new key", "set it"),
    ("paste one with Ctrl+P → Profile: new key", "paste one in the workbench: Ctrl+P → Profile: new key"),
    ("it may have been deleted, so refresh the list", "it may have been deleted: `benchtop tune ls` lists all"),
    ("; refresh the list", "`benchtop files ls` lists all"),
];

/// Returns a sentence with the advice for a command in place of that for the workbench, with which it ends.
pub(super) fn for_shell(sentence: &str) -> String {
    match split(sentence) {
        (_, None) => sentence.to_owned(),
        (found, Some(advice)) => format!("{found}; {advice}"),
    }
}

/// Returns a sentence that ends with known advice without it, and the advice for a command.
pub(super) fn split(sentence: &str) -> (&str, Option<&'static str>) {
    let known = ADVICE.iter().find_map(|(workbench, shell)| Some((sentence.strip_suffix(workbench)?, *shell)));
    known.map_or((sentence, None), |(found, shell)| (found.trim_end_matches("; "), Some(shell)))
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
        for other in ["rate limit; wait a moment and try again", ""] {
            assert_eq!((for_shell(other).as_str(), split(other)), (other, (other, None)));
        }
        let missing = "404 the server has no such file: no file x; refresh the list";
        let found = "404 the server has no such file: no file x";
        assert_eq!(split(missing), (found, Some("`benchtop files ls` lists all")));
    }

    #[test]
    fn all_advice_is_given_somewhere() {
        let sources = [
            include_str!("../client/download.rs"),
            include_str!("../client/failure/mod.rs"),
            include_str!("../client/jobs.rs"),
            include_str!("../settings/resolve.rs"),
        ];
        for (workbench, _) in ADVICE {
            assert!(sources.iter().any(|source| source.contains(workbench)), "{workbench}");
        }
    }
}
