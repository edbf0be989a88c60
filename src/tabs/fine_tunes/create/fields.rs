//! The fields of a new job as rows, and their values as text.

use crate::api::fine_tune::FineTuneRequest;
use crate::api::job::Dialect;
use crate::ui::form::{Field, Form, Kind};

/// The row that creates the job.
pub(super) const CREATE: &str = "create";
/// The files' names as a request has them.
pub(super) const TRAINING: &str = "training_file";
pub(super) const VALIDATION: &str = "validation_file";
/// What the newer interface does not know, and what is said there instead.
const OLDER: [&str; 5] = [
    "prompt_loss_weight",
    "compute_classification_metrics",
    "classification_n_classes",
    "classification_positive_class",
    "classification_betas",
];
const LACKS: &str = "/fine_tuning/jobs has no such setting.";

const fn whole(min: f64, max: f64) -> Kind {
    Kind::Number { min, max, step: 1.0, whole: true }
}

const fn share(max: f64) -> Kind {
    Kind::Number { min: 0.0, max, step: 0.01, whole: false }
}

/// Name, label, what it takes, default, meaning.
type Row = (&'static str, &'static str, Kind, &'static str, &'static str);

const ROWS: [Row; 13] = [
    (
        TRAINING,
        "Training file",
        Kind::Choice,
        "⏎ to choose",
        "Examples to train on: a file on this server with purpose fine-tune. Required.",
    ),
    (
        VALIDATION,
        "Validation file",
        Kind::Choice,
        "none",
        "Held-out rows that measure the model while it trains; it does not learn from them. 0 clears the field.",
    ),
    ("model", "Base model", Kind::Choice, "curie", "The model to tune: a base model or one tuned before. ⏎ to choose."),
    ("suffix", "Suffix", Kind::Text, "none", "Becomes part of the new model's name."),
    ("n_epochs", "Epochs", whole(1.0, 1000.0), "4", "Passes over all rows, 1 or more. More passes cost more."),
    (
        "batch_size",
        "Batch size",
        whole(1.0, 256.0),
        "auto",
        "Rows per step, 1 to 256. If not set: about 0.2% of the rows, at most 256.",
    ),
    (
        "learning_rate_multiplier",
        "Learning rate",
        share(10.0),
        "auto",
        "Multiplier of the pretraining learning rate, above 0. If not set: 0.05, 0.1 or 0.2, by batch size.",
    ),
    (
        "prompt_loss_weight",
        "Prompt loss",
        share(1.0),
        "0.01",
        "Weight of the prompts in the loss, 0 to 1. Completions always have weight 1.",
    ),
    (
        "compute_classification_metrics",
        "Class metrics",
        Kind::Toggle,
        "false",
        "Accuracy, F1 and more on the validation file after each epoch. For completions that are classes.",
    ),
    (
        "classification_n_classes",
        "Classes",
        whole(2.0, 65_535.0),
        "none",
        "The number of classes, if there are more than two.",
    ),
    (
        "classification_positive_class",
        "Positive class",
        Kind::Text,
        "none",
        "For two classes: the completion that counts as positive.",
    ),
    (
        "classification_betas",
        "Betas",
        Kind::Text,
        "none",
        "For two classes: betas of F-beta scores, separated by commas. 1 weighs precision and recall equally; a larger beta favours recall.",
    ),
    (CREATE, "Create", Kind::Choice, "⏎ to create the job", "Nothing is sent until you press ⏎ here."),
];

/// Returns the rows over a request, for a server's interface.
pub(super) fn form(request: &FineTuneRequest, dialect: Option<Dialect>) -> Form {
    let newer = dialect == Some(Dialect::FineTuning);
    let field = |(name, label, kind, default, help): Row| {
        if newer && OLDER.contains(&name) {
            return Field {
                name,
                label,
                kind: Kind::Shown,
                value: String::new(),
                default: "not available",
                help: LACKS,
                optional: false,
            };
        }
        let default = match name {
            "model" if newer => "⏎ to choose",
            "n_epochs" if newer => "auto",
            _ => default,
        };
        Field { name, label, kind, value: value(request, name), default, help, optional: false }
    };
    Form::new(ROWS.into_iter().map(field).collect())
}

/// Returns the names of a request's fields.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    ROWS.iter().map(|row| row.0).filter(|name| *name != CREATE)
}

/// Returns the text beside a field's value.
fn label(name: &str) -> &'static str {
    ROWS.iter().find(|row| row.0 == name).map_or("", |row| row.1)
}

/// Sets a field as [`set`] does; the error begins with its label.
pub(super) fn enter(request: &mut FineTuneRequest, name: &str, text: &str) -> Result<(), String> {
    set(request, name, text).map_err(|why| format!("{} {why}", label(name)))
}

/// Takes out what the newer interface does not know.
pub(super) fn fit(request: &FineTuneRequest, dialect: Option<Dialect>) -> FineTuneRequest {
    let mut request = request.clone();
    if dialect == Some(Dialect::FineTuning) {
        for name in OLDER {
            // Taking away always works.
            let _ = set(&mut request, name, "");
        }
    }
    request
}

/// Returns a field's value as it is typed; of the files the page knows the names. Empty: not set.
pub(super) fn value(request: &FineTuneRequest, name: &str) -> String {
    fn text<T: ToString>(value: Option<&T>) -> String {
        value.map(T::to_string).unwrap_or_default()
    }
    match name {
        "model" => text(request.model.as_ref()),
        "suffix" => text(request.suffix.as_ref()),
        "n_epochs" => text(request.n_epochs.as_ref()),
        "batch_size" => text(request.batch_size.as_ref()),
        "learning_rate_multiplier" => text(request.learning_rate_multiplier.as_ref()),
        "prompt_loss_weight" => text(request.prompt_loss_weight.as_ref()),
        "compute_classification_metrics" => text(request.compute_classification_metrics.as_ref()),
        "classification_n_classes" => text(request.classification_n_classes.as_ref()),
        "classification_positive_class" => text(request.classification_positive_class.as_ref()),
        "classification_betas" => {
            let betas = request.classification_betas.iter().flatten();
            betas.map(f64::to_string).collect::<Vec<_>>().join(", ")
        }
        _ => String::new(),
    }
}

/// Sets a field from its text; empty sets it back. The error says what it takes, to follow its name.
pub(super) fn set(request: &mut FineTuneRequest, name: &str, text: &str) -> Result<(), String> {
    let trimmed = text.trim();
    let number = || -> Result<Option<f64>, String> {
        let read = || trimmed.parse::<f64>().ok().filter(|number| number.is_finite());
        if trimmed.is_empty() { Ok(None) } else { read().map(Some).ok_or("must be a number".to_owned()) }
    };
    let whole = || number().map(|number| number.map(|number| number as u32));
    match name {
        "suffix" => request.suffix = Some(trimmed.to_owned()).filter(|text| !text.is_empty()),
        "model" => request.model = Some(trimmed.to_owned()).filter(|text| !text.is_empty()),
        TRAINING => trimmed.clone_into(&mut request.training_file),
        VALIDATION => request.validation_file = Some(trimmed.to_owned()).filter(|text| !text.is_empty()),
        "n_epochs" => request.n_epochs = whole()?,
        "batch_size" => request.batch_size = whole()?,
        "learning_rate_multiplier" => request.learning_rate_multiplier = number()?,
        "prompt_loss_weight" => request.prompt_loss_weight = number()?,
        "compute_classification_metrics" => {
            // Not asked for is the default: a request that says so says nothing.
            request.compute_classification_metrics = Some(trimmed == "true").filter(|wanted| *wanted);
        }
        "classification_n_classes" => request.classification_n_classes = whole()?,
        // A class may begin with a space.
        "classification_positive_class" => {
            request.classification_positive_class = Some(text.to_owned()).filter(|text| !text.trim().is_empty());
        }
        "classification_betas" => request.classification_betas = betas(trimmed)?,
        _ => {}
    }
    Ok(())
}

fn betas(text: &str) -> Result<Option<Vec<f64>>, String> {
    let parts = text.split([',', ' ', ';']).filter(|part| !part.is_empty());
    let beta = |part: &str| part.parse::<f64>().ok().filter(|beta| (0.0..=1000.0).contains(beta));
    let betas: Option<Vec<f64>> = parts.map(beta).collect();
    let betas = betas.ok_or("must be numbers from 0 to 1000, separated by commas")?;
    if betas.len() > 16 {
        return Err("must be at most 16 numbers".into());
    }
    Ok(Some(betas).filter(|betas| !betas.is_empty()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_field_is_set_read_and_set_back() {
        let mut request = FineTuneRequest::default();
        for (name, text) in [
            ("model", "ada"),
            ("suffix", "tone"),
            ("n_epochs", "2"),
            ("batch_size", "16"),
            ("learning_rate_multiplier", "0.1"),
            ("prompt_loss_weight", "0.02"),
            ("compute_classification_metrics", "true"),
            ("classification_n_classes", "3"),
            ("classification_positive_class", " yes"),
            ("classification_betas", "1, 0.5"),
        ] {
            set(&mut request, name, text).unwrap();
            assert_eq!(value(&request, name), text);
        }
        let newer = fit(&request, Some(Dialect::FineTuning));
        assert_eq!((newer.classification_betas, newer.prompt_loss_weight, newer.n_epochs), (None, None, Some(2)));
        for name in names() {
            set(&mut request, name, "").unwrap();
        }
        assert_eq!(request, FineTuneRequest::default());
        assert!(set(&mut request, "classification_betas", "1, x").is_err());
        assert!(set(&mut request, "n_epochs", "x").is_err());
        let said = enter(&mut request, "classification_betas", "1, x").unwrap_err();
        assert!(said.starts_with("Betas must be numbers"), "{said}");
    }
}
