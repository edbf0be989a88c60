//! Finds the field of a new job that a server's refusal is about.

use super::fields::{self, TRAINING, VALIDATION};
use crate::api::call::{Failure, FailureKind};
use crate::api::error::read_error;
use crate::api::fine_tune::FineTuneRequest;
use crate::text::Untrusted;

/// Returns the field that a refusal names, and what to say there; `None`: it names none, or is no refusal of the
/// request.
pub(super) fn read(failure: &Failure, request: &FineTuneRequest) -> Option<(&'static str, Untrusted)> {
    if failure.kind != FailureKind::Refused {
        return None;
    }
    // Made safe: the words are for the screen, and a name has no odd characters.
    let error = read_error(failure.body.screen().as_bytes());
    let message = error.message.as_str();
    let named = |name: &'static str| -> Option<usize> {
        // Of a path each part may be the field: `hyperparameters.n_epochs`.
        let of = |path: &str| path.split(['.', '[', ']']).any(|part| part == name);
        if error.param.as_deref().is_some_and(of) {
            return Some(0);
        }
        if message.rsplit_once(" - '").is_some_and(|(_, path)| of(path.trim_end_matches('\''))) {
            return Some(1);
        }
        let quoted = ['\'', '`', '"'].iter().filter_map(|mark| message.find(&format!("{mark}{name}{mark}"))).min();
        let bare = || name.contains('_').then(|| message.find(name)).flatten().map(|at| message.len() + at);
        quoted.or_else(bare).map(|at| 2 + at)
    };
    let found = fields::names().filter_map(|name| Some((named(name)?, name))).min();
    let file = || {
        // A file is named by its id.
        let holds = |id: &str| !id.is_empty() && message.contains(id);
        if request.validation_file.as_deref().is_some_and(holds) {
            return Some(VALIDATION);
        }
        (holds(&request.training_file) || error.param.as_deref() == Some("file")).then_some(TRAINING)
    };
    let model = || {
        let said = message.starts_with("Invalid base model") || error.code.as_deref() == Some("model_not_found");
        said.then_some("model")
    };
    let name = found.map(|(_, name)| name).or_else(model).or_else(file)?;
    let said = message.strip_suffix(&format!(" - '{name}'")).unwrap_or(message).trim_end_matches(['.', ' ', ';']);
    let said = if said.is_empty() { "it gave no reason" } else { said };
    Some((name, format!("the server refuses this: {said}").into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_stands_at_the_field_it_names() {
        let request = FineTuneRequest {
            training_file: "file-abc".into(),
            validation_file: Some("file-def".into()),
            ..FineTuneRequest::default()
        };
        for (body, field) in [
            (r#"{"error":{"message":"0 is less than the minimum of 1 - 'n_epochs'"}}"#, Some("n_epochs")),
            (r#"{"error":{"message":"no","param":"hyperparameters.batch_size"}}"#, Some("batch_size")),
            (
                r#"{"error":{"message":"'validation_file' is required when 'compute_classification_metrics' is set"}}"#,
                Some(VALIDATION),
            ),
            (r#"{"error":{"message":"No file with ID: file-abc","param":"file"}}"#, Some(TRAINING)),
            (r#"{"error":{"message":"No file with ID: file-def"}}"#, Some(VALIDATION)),
            (r#"{"error":{"message":"no such model","code":"model_not_found"}}"#, Some("model")),
            (r#"{"error":{"message":"Invalid base model: x (model must be one of ada)"}}"#, Some("model")),
            (r#"{"error":{"message":"the classification_betas are odd"}}"#, Some("classification_betas")),
            (r#"{"error":{"message":"you have too many jobs"}}"#, None),
            ("<html>", None),
        ] {
            let mut failure = Failure::new(FailureKind::Refused, "400");
            failure.body = body.into();
            assert_eq!(read(&failure, &request).map(|(name, _)| name), field, "{body}");
        }
        assert_eq!(read(&Failure::new(FailureKind::Server, "500"), &request), None);
    }
}
