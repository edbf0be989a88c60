//! Checks a new job: what servers refuse, and what is worth knowing before it is paid for.

use super::fields::{TRAINING, VALIDATION};
use crate::api::file::File;
use crate::api::fine_tune::FineTuneRequest;
use crate::api::job::Dialect;
use crate::tabs::fine_tunes::job_row::safe;

/// Characters of a suffix in the first interface, and in the newer one.
const SUFFIX: (usize, usize) = (40, 64);
/// Models that are there to be tuned.
pub const BASES: [&str; 4] = ["ada", "babbage", "curie", "davinci"];

/// Returns whether the older interface tunes a model, by its name: one that is there for it, or was tuned before.
pub fn is_tunable(model: &str) -> bool {
    BASES.contains(&model) || model.contains(":ft-") || model.starts_with("ft:")
}

/// Something to say about the fields, at one of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct RequestRule {
    pub(super) field: &'static str,
    pub(super) why: String,
    /// Whether no job can be made of them.
    pub(super) stops: bool,
}

fn stop(field: &'static str, why: impl Into<String>) -> RequestRule {
    RequestRule { field, why: why.into(), stops: true }
}

fn advise(field: &'static str, why: impl Into<String>) -> RequestRule {
    RequestRule { field, why: why.into(), stops: false }
}

/// Returns what is to be said of a request; `files`: the server's, where they are known. What stops it comes first.
pub(super) fn rules(request: &FineTuneRequest, dialect: Option<Dialect>, files: Option<&[File]>) -> Vec<RequestRule> {
    let newer = dialect == Some(Dialect::FineTuning);
    let mut rules = Vec::new();
    if request.training_file.is_empty() {
        rules.push(stop(TRAINING, "a training file is required; ⏎ to choose one"));
    }
    if request.validation_file.as_ref().is_some_and(|id| *id == request.training_file) {
        rules.push(stop(
            VALIDATION,
            "training and validation must differ: the model has already seen its training rows",
        ));
    }
    let named = [(TRAINING, Some(&request.training_file)), (VALIDATION, request.validation_file.as_ref())];
    for (field, id) in named {
        let Some(id) = id.filter(|id| !id.is_empty()) else { continue };
        rules.extend(files.and_then(|files| file(field, id, files)));
    }
    if newer && request.model.is_none() {
        rules.push(stop("model", "a base model is required, as this interface has no default; ⏎ to choose one"));
    }
    if let (false, Some(model)) = (newer, &request.model)
        && !is_tunable(model)
    {
        let bases = BASES.join(", ");
        rules.push(advise(
            "model",
            format!("this interface tunes {bases} and models tuned before; others may be refused"),
        ));
    }
    rules.extend(named_as(request, newer));
    if request.learning_rate_multiplier.is_some_and(|factor| factor <= 0.0) {
        rules.push(stop(
            "learning_rate_multiplier",
            "the multiplier must be above 0; press 0 on this row for the default",
        ));
    }
    if !newer {
        if request.learning_rate_multiplier.is_some_and(|factor| factor > 0.0 && !(0.02..=0.2).contains(&factor)) {
            rules.push(advise("learning_rate_multiplier", "the recommended range is 0.02 to 0.2"));
        }
        rules.extend(classes(request));
    }
    rules.sort_by_key(|rule| !rule.stops);
    rules
}

/// Returns what is to be said of a file that was chosen.
fn file(field: &'static str, id: &str, files: &[File]) -> Option<RequestRule> {
    let Some(file) = files.iter().find(|file| file.id == id) else {
        return Some(stop(field, "this file is not on the server; ⏎ to choose another"));
    };
    match file.status.as_deref() {
        Some("error") => {
            let why = file.status_details.as_deref().map(|why| format!(": {}", safe(why))).unwrap_or_default();
            Some(stop(field, format!("the server rejected this file{why}")))
        }
        Some("deleted") => Some(stop(field, "this file was deleted; ⏎ to choose another")),
        Some("processed") | None => None,
        Some(status) => Some(advise(
            field,
            format!("the server has not processed it yet ({}); the job may be refused", safe(status)),
        )),
    }
}

/// Returns what is to be said of the suffix.
fn named_as(request: &FineTuneRequest, newer: bool) -> Option<RequestRule> {
    let given = request.suffix.as_deref()?;
    let (most, long) = (if newer { SUFFIX.1 } else { SUFFIX.0 }, given.chars().count());
    let clean = cleaned(given);
    if long > most {
        return Some(stop("suffix", format!("a suffix can have at most {most} characters; this one has {long}")));
    }
    if clean.is_empty() {
        return Some(stop("suffix", "a suffix needs at least one letter from a to z or one digit"));
    }
    (clean != given).then(|| advise("suffix", format!("in the model's name it becomes “{clean}”")))
}

/// Returns what is to be said of the classification's fields.
fn classes(request: &FineTuneRequest) -> Vec<RequestRule> {
    let mut rules = Vec::new();
    let many = request.classification_n_classes;
    let positive = request.classification_positive_class.is_some();
    let betas = request.classification_betas.is_some();
    if request.compute_classification_metrics != Some(true) {
        if many.is_some() || positive || betas {
            let why = "ignored unless class metrics are on";
            let field = match (many, positive) {
                (Some(_), _) => "classification_n_classes",
                (None, true) => "classification_positive_class",
                (None, false) => "classification_betas",
            };
            rules.push(advise(field, why));
        }
        return rules;
    }
    let metrics = "compute_classification_metrics";
    if request.validation_file.is_none() {
        rules.push(stop(metrics, "class metrics need a validation file; choose one above"));
    }
    match (many, positive) {
        (None, false) => {
            rules.push(stop(
                metrics,
                "class metrics need the number of classes or, for two classes, the positive class",
            ));
        }
        (Some(3..), true) => {
            let why = "a positive class is only for two classes; leave it empty for more";
            rules.push(stop("classification_positive_class", why));
        }
        _ => {}
    }
    if betas && !positive {
        rules.push(stop("classification_betas", "betas are only for two classes and need the positive class"));
    }
    rules
}

/// Returns a suffix as it stands in a model's name: small letters, each run of anything but letters and digits a dash.
pub(super) fn cleaned(suffix: &str) -> String {
    let lower = suffix.to_lowercase();
    let words = lower.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join("-")
}

/// Returns what the model will be called, as far as it is known now.
pub(super) fn model_name_preview(request: &FineTuneRequest, dialect: Option<Dialect>) -> String {
    let suffix = request.suffix.as_deref().map(cleaned).filter(|suffix| !suffix.is_empty());
    let model = request.model.as_deref().unwrap_or("curie");
    if dialect == Some(Dialect::FineTuning) {
        let base = if request.model.is_none() { "…" } else { base(model) };
        return safe(&format!("ft:{base}:…:{}…", suffix.map(|suffix| format!("{suffix}:")).unwrap_or_default()));
    }
    let suffix = suffix.map(|suffix| format!(":{suffix}")).unwrap_or_default();
    safe(&format!("{}:ft-…{suffix}-<time>", base(model)))
}

/// Returns the base of a tuned model's name; of another the name itself.
pub(super) fn base(model: &str) -> &str {
    if let Some(rest) = model.strip_prefix("ft:") {
        return rest.split(':').next().unwrap_or(rest);
    }
    model.split_once(":ft-").map_or(model, |(base, _)| base)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request() -> FineTuneRequest {
        FineTuneRequest { training_file: "file-1".into(), ..FineTuneRequest::default() }
    }

    fn said(request: &FineTuneRequest, dialect: Dialect) -> Vec<(&'static str, bool)> {
        rules(request, Some(dialect), None).into_iter().map(|rule| (rule.field, rule.stops)).collect()
    }

    fn old(request: &FineTuneRequest) -> Vec<(&'static str, bool)> {
        said(request, Dialect::FineTunes)
    }

    #[test]
    fn what_no_server_takes_stops() {
        assert_eq!(old(&FineTuneRequest::default()), [(TRAINING, true)]);
        assert_eq!(old(&request()), []);
        assert_eq!(said(&request(), Dialect::FineTuning), [("model", true)]);
        let same = FineTuneRequest { validation_file: Some("file-1".into()), ..request() };
        assert_eq!(old(&same), [(VALIDATION, true)]);
        let long = FineTuneRequest { suffix: Some("x".repeat(41)), model: Some("m".into()), ..request() };
        assert_eq!(old(&long), [("suffix", true), ("model", false)]);
        assert_eq!(said(&long, Dialect::FineTuning), []);
        let empty = FineTuneRequest { suffix: Some("…".into()), ..request() };
        assert_eq!(old(&empty), [("suffix", true)]);
        let zero = FineTuneRequest { learning_rate_multiplier: Some(0.0), ..request() };
        assert_eq!(old(&zero), [("learning_rate_multiplier", true)]);
        let high = FineTuneRequest { learning_rate_multiplier: Some(0.5), ..request() };
        assert_eq!(old(&high), [("learning_rate_multiplier", false)]);
    }

    #[test]
    fn metrics_need_what_they_are_computed_with() {
        let metrics = "compute_classification_metrics";
        let mut asked = FineTuneRequest { compute_classification_metrics: Some(true), ..request() };
        assert_eq!(old(&asked), [(metrics, true), (metrics, true)]);
        asked.validation_file = Some("file-2".into());
        assert_eq!(old(&asked), [(metrics, true)]);
        asked.classification_n_classes = Some(3);
        assert_eq!(old(&asked), []);
        asked.classification_betas = Some(vec![1.0]);
        assert_eq!(old(&asked), [("classification_betas", true)]);
        asked.classification_positive_class = Some(" yes".into());
        assert_eq!(old(&asked), [("classification_positive_class", true)]);
        asked.classification_n_classes = None;
        assert_eq!(old(&asked), []);
        asked.compute_classification_metrics = None;
        assert_eq!(old(&asked), [("classification_positive_class", false)]);
    }

    #[test]
    fn files_must_be_there_and_sound() {
        let file = |id: &str, status: &str| File { id: id.into(), status: Some(status.into()), ..File::default() };
        let files = [file("file-1", "processed"), file("file-2", "error"), file("file-3", "uploaded")];
        let with = |id: &str| {
            let request = FineTuneRequest { training_file: id.into(), ..FineTuneRequest::default() };
            rules(&request, None, Some(&files)).first().map(|rule| rule.stops)
        };
        assert_eq!(
            [with("file-1"), with("file-2"), with("file-3"), with("file-4")],
            [None, Some(true), Some(false), Some(true)]
        );
    }

    #[test]
    fn a_suffix_is_shown_as_it_will_be() {
        assert_eq!(cleaned("My  Model_v2!"), "my-model-v2");
        let asked = FineTuneRequest { suffix: Some("My Model".into()), model: Some("ada".into()), ..request() };
        assert_eq!(model_name_preview(&asked, Some(Dialect::FineTunes)), "ada:ft-…:my-model-<time>");
        assert_eq!(model_name_preview(&asked, Some(Dialect::FineTuning)), "ft:ada:…:my-model:…");
        assert_eq!(base("ada:ft-personal:x-2023-04-18-09-48-38"), "ada");
        assert_eq!(base("ft:gpt-4o-mini:org::id"), "gpt-4o-mini");
    }
}
