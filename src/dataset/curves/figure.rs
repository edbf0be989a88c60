//! Names of columns, in both dialects of the interface.

use crate::record::curves::{Figure, Of};

/// Returns what a column measures, by its name.
pub(super) fn figure(name: &str) -> Figure {
    let name = name.trim().to_ascii_lowercase().replace(['-', ' '], "_");
    if name.strip_prefix("classification/").is_some_and(|rest| !rest.is_empty()) {
        return Figure::Classification;
    }
    match name.as_str() {
        "elapsed_tokens" => return Figure::ElapsedTokens,
        "elapsed_examples" => return Figure::ElapsedExamples,
        _ => {}
    }
    let prefixes = [
        ("full_validation_", Of::FullValidation),
        ("full_valid_", Of::FullValidation),
        ("training_", Of::Training),
        ("train_", Of::Training),
        ("validation_", Of::Validation),
        ("valid_", Of::Validation),
    ];
    let found = prefixes.iter().find_map(|(prefix, of)| Some((name.strip_prefix(prefix)?, *of)));
    match found {
        Some(("loss", of)) => Figure::Loss(of),
        Some(("token_accuracy" | "mean_token_accuracy" | "accuracy", of)) => Figure::Tokens(of),
        Some(("sequence_accuracy", of)) => Figure::Sequences(of),
        _ => Figure::Other,
    }
}

/// Returns whether −1 in a column means that nothing was measured at the step.
pub(super) fn is_now_and_then(figure: Figure) -> bool {
    match figure {
        Figure::Loss(of) | Figure::Tokens(of) | Figure::Sequences(of) => of != Of::Training,
        Figure::Classification => true,
        Figure::ElapsedTokens | Figure::ElapsedExamples | Figure::Other => false,
    }
}

/// Returns whether a column is the step.
pub(super) fn is_step(name: &str) -> bool {
    ["step", "global_step", "iteration"].iter().any(|step| name.trim().eq_ignore_ascii_case(step))
}
