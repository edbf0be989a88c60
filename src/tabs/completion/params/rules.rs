//! Checks the values of several fields together: what servers refuse, and what is worth knowing before it is paid for.

use super::fields;
use crate::record::CompletionParams;
use crate::ui::meter;

/// Something to say about the settings, at one of their fields.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SettingRule {
    /// The field.
    pub(crate) field: &'static str,
    /// A sentence.
    pub(crate) why: String,
    /// Whether no request can be made of them.
    pub(crate) stops: bool,
}

fn note(field: &'static str, why: impl Into<String>) -> SettingRule {
    SettingRule { field, why: why.into(), stops: false }
}

/// Returns what is to be said of settings; `insert`: there is text after the caret; `free`: runs cost nothing. What stops
/// a request comes first.
pub(crate) fn rules(params: &CompletionParams, insert: bool, free: bool) -> Vec<SettingRule> {
    let common = &params.common;
    let n = common.n.unwrap_or(1);
    let best = params.best_of.unwrap_or(n);
    let echo = params.echo == Some(true);
    let nothing = common.max_tokens == Some(0);
    let mut rules = Vec::new();
    if best < n {
        rules.push(SettingRule {
            field: "best_of",
            why: format!("Best of is {best}, too few to return {n} completions (n); 0 resets it"),
            stops: true,
        });
    } else if best > 1 && params.best_of.is_some() {
        let whole =
            if common.stream == Some(false) { "" } else { ", and they cannot be streamed: they arrive all at once" };
        let billed = if free { "" } else { "; all are billed" };
        rules.push(note("best_of", format!("{best} are generated and {n} returned{billed}{whole}")));
    }
    let written = u64::from(best.max(n));
    if written > 1 && !free {
        let each = common.max_tokens.unwrap_or(fields::MAX_TOKENS);
        let most = meter::count(written.saturating_mul(each));
        rules.push(note("n", format!("{written} × {each} tokens: up to {most} are generated and billed")));
    }
    match (echo, params.logprobs, nothing) {
        (true, None, true) => {
            rules.push(note("echo", "the prompt is returned unchanged; set Log probabilities to score it"));
        }
        (true, None, false) => {
            rules.push(note("echo", "without Log probabilities the prompt is returned unscored"));
        }
        (false, _, true) => {
            rules.push(note("max_tokens", "0 tokens are generated, and without Echo nothing is returned"));
        }
        _ => {}
    }
    if echo && insert {
        rules.push(note(
            "echo",
            "the text after the caret may be returned as well; some servers refuse Echo with a suffix",
        ));
    }
    let moved = |value: Option<f64>| value.is_some_and(|value| (value - 1.0).abs() > f64::EPSILON);
    if moved(common.temperature) && moved(common.top_p) {
        let why = "Temperature and Top p are both changed; changing one is usually enough";
        rules.push(note("top_p", why));
    }
    rules
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::ChatParams;

    fn said(params: &CompletionParams, insert: bool) -> Vec<(&'static str, bool)> {
        rules(params, insert, false).into_iter().map(|rule| (rule.field, rule.stops)).collect()
    }

    #[test]
    fn only_too_few_to_choose_from_stops_a_request() {
        let of = |n, best_of, stream| CompletionParams {
            common: ChatParams { n, stream, ..ChatParams::default() },
            best_of,
            ..CompletionParams::default()
        };
        assert_eq!(said(&of(None, None, None), false), []);
        assert_eq!(said(&of(Some(3), Some(2), None), false), [("best_of", true), ("n", false)]);
        let why = rules(&of(Some(3), Some(2), None), false, false).remove(0).why;
        assert!(
            why.contains("Best of is 2, too few to return 3 completions (n)") && why.ends_with("0 resets it"),
            "{why}"
        );
        let best = rules(&of(Some(2), Some(5), None), false, false);
        assert!(best[0].why.contains("cannot be streamed: they arrive all at once"), "{}", best[0].why);
        assert_eq!(best[1].why, "5 × 16 tokens: up to 80 are generated and billed");
        assert!(!rules(&of(Some(2), Some(5), Some(false)), false, false)[0].why.contains("stream"));
        assert_eq!(said(&of(Some(3), None, None), false), [("n", false)], "without best_of there are n");
    }

    #[test]
    fn what_costs_nothing_is_not_said_to_be_billed() {
        let common = ChatParams { n: Some(2), ..ChatParams::default() };
        let params = CompletionParams { common, best_of: Some(5), ..CompletionParams::default() };
        let whys: Vec<String> = rules(&params, false, true).into_iter().map(|rule| rule.why).collect();
        assert_eq!(whys, ["5 are generated and 2 returned, and they cannot be streamed: they arrive all at once"]);
    }

    #[test]
    fn what_brings_nothing_is_said() {
        let of = |echo, logprobs, max_tokens| CompletionParams {
            common: ChatParams { max_tokens, ..ChatParams::default() },
            echo,
            logprobs,
            ..CompletionParams::default()
        };
        assert_eq!(said(&of(Some(true), Some(5), Some(0)), false), [], "the prompt alone, scored");
        assert_eq!(said(&of(Some(true), None, Some(0)), false), [("echo", false)]);
        assert_eq!(said(&of(Some(true), None, None), false), [("echo", false)]);
        assert_eq!(said(&of(None, Some(5), Some(0)), false), [("max_tokens", false)]);
        assert_eq!(said(&of(Some(true), Some(5), None), true), [("echo", false)], "with a suffix");
        let common = ChatParams { temperature: Some(0.5), top_p: Some(0.5), ..ChatParams::default() };
        let mut both = CompletionParams { common, ..CompletionParams::default() };
        assert_eq!(said(&both, false), [("top_p", false)]);
        both.common.top_p = Some(1.0);
        assert_eq!(said(&both, false), [], "1 is no change");
    }
}
