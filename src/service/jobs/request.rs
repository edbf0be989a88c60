//! Reads the request for a new job, in both interfaces, and refuses what is invalid. What depends on stored files or
//! the model list is checked elsewhere.

use serde_json::Value;

use super::job::Classes;
use crate::service::check::{self, Fields};
use crate::service::reject::{Reject, short};

/// Passes over the training set, at most.
pub(crate) const EPOCHS: i64 = 1000;
/// Examples a step, at most.
pub(crate) const BATCH: u32 = 256;
/// Passes by default.
const DEFAULT_EPOCHS: u32 = 4;
/// Characters of a suffix, in the older interface and in the newer one.
const SUFFIX: (usize, usize) = (40, 64);
/// Beta values at once.
const BETAS: usize = 16;

/// The fields of the first interface.
const FIELDS: [&str; 12] = [
    "training_file",
    "validation_file",
    "model",
    "n_epochs",
    "batch_size",
    "learning_rate_multiplier",
    "prompt_loss_weight",
    "compute_classification_metrics",
    "classification_n_classes",
    "classification_positive_class",
    "classification_betas",
    "suffix",
];
/// The fields of the newer one.
const NEWER: [&str; 9] = [
    "training_file",
    "validation_file",
    "model",
    "hyperparameters",
    "method",
    "suffix",
    "seed",
    "metadata",
    "integrations",
];
/// The fields of its settings.
const SETTINGS: [&str; 3] = ["n_epochs", "batch_size", "learning_rate_multiplier"];

/// A request for a new job.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct JobRequest {
    pub(crate) training: String,
    pub(crate) validation: Option<String>,
    pub(crate) model: String,
    pub(crate) n_epochs: u32,
    pub(crate) batch_size: Option<u32>,
    pub(crate) learning_rate_multiplier: Option<f64>,
    pub(crate) prompt_loss_weight: f64,
    pub(crate) classes: Option<Classes>,
    pub(crate) suffix: Option<String>,
    pub(crate) seed: Option<u64>,
    pub(crate) metadata: Option<Value>,
    /// Whether chat models may be named.
    pub(crate) chat: bool,
}

impl JobRequest {
    /// Reads and checks a body of `POST /v1/fine-tunes`. Fails at the first field that is wrong.
    pub(crate) fn read(body: &[u8]) -> Result<Self, Reject> {
        let map = check::body(body)?;
        let fields = Fields::of(&map);
        refuse_unknown(&fields, &FIELDS)?;
        let training = check::text(fields.require("training_file")?, "training_file")?.to_owned();
        let validation = non_empty(fields.text("validation_file")?);
        Ok(Self {
            classes: classes(&fields, validation.is_some())?,
            model: fields.model()?.unwrap_or("curie").to_owned(),
            n_epochs: fields.integer("n_epochs", 1, EPOCHS)?.map_or(DEFAULT_EPOCHS, |epochs| epochs as u32),
            batch_size: fields.integer("batch_size", 1, BATCH.into())?.map(|size| size as u32),
            learning_rate_multiplier: multiplier(&fields)?,
            prompt_loss_weight: fields.number("prompt_loss_weight", 0.0, 1.0)?.unwrap_or(0.01),
            suffix: suffix(&fields, SUFFIX.0)?,
            training,
            validation,
            seed: None,
            metadata: None,
            chat: false,
        })
    }

    /// Reads and checks a body of `POST /v1/fine_tuning/jobs`. Fails at the first field that is wrong.
    pub(crate) fn read_newer(body: &[u8]) -> Result<Self, Reject> {
        let map = check::body(body)?;
        let fields = Fields::of(&map);
        refuse_unknown(&fields, &NEWER)?;
        let model = fields.model()?;
        let model = model.ok_or_else(Reject::no_model)?;
        let training = check::text(fields.require("training_file")?, "training_file")?;
        if fields.get("integrations").is_some_and(|value| value.as_array().is_none_or(|all| !all.is_empty())) {
            let message = "The local service does not support integrations; leave 'integrations' out.";
            return Err(Reject::bad(message).param("integrations"));
        }
        let metadata = fields.get("metadata").map(|value| Fields::at(value, "metadata".into()).map(|_| value.clone()));
        let settings = Settings::read(&fields)?;
        Ok(Self {
            training: training.to_owned(),
            validation: non_empty(fields.text("validation_file")?),
            model: model.to_owned(),
            n_epochs: settings.n_epochs.unwrap_or(DEFAULT_EPOCHS),
            batch_size: settings.batch_size,
            learning_rate_multiplier: settings.learning_rate_multiplier,
            prompt_loss_weight: 0.01,
            classes: None,
            suffix: suffix(&fields, SUFFIX.1)?,
            seed: fields.integer("seed", 0, i64::from(i32::MAX))?.map(i64::cast_unsigned),
            metadata: metadata.transpose()?,
            chat: true,
        })
    }
}

fn non_empty(text: Option<&str>) -> Option<String> {
    text.filter(|text| !text.is_empty()).map(str::to_owned)
}

/// Fails if a field is not one of `names`.
fn refuse_unknown(fields: &Fields<'_>, names: &[&str]) -> Result<(), Reject> {
    let Some(name) = fields.first_unknown(names) else { return Ok(()) };
    let name = short(name, 100);
    Err(Reject::bad(format!("Additional properties are not allowed ('{name}' was unexpected)")))
}

fn multiplier(fields: &Fields<'_>) -> Result<Option<f64>, Reject> {
    let multiplier = fields.number("learning_rate_multiplier", 0.0, 10.0)?;
    if multiplier == Some(0.0) {
        let path = fields.path("learning_rate_multiplier");
        return Err(Reject::bad(format!("0 is less than or equal to the minimum of 0 - '{path}'")));
    }
    Ok(multiplier)
}

/// Reads the classification metrics asked for; fails if what they require is missing.
fn classes(fields: &Fields<'_>, validated: bool) -> Result<Option<Classes>, Reject> {
    let wanted = fields.flag("compute_classification_metrics")?.unwrap_or(false);
    let many = fields.integer("classification_n_classes", 2, i64::from(u16::MAX))?.map(|classes| classes as u32);
    let positive = non_empty(fields.text("classification_positive_class")?);
    let betas = betas(fields)?;
    let refuse = |message: &str| Err(Reject::bad(message));
    if !wanted {
        return Ok(None);
    }
    if !validated {
        return refuse("'validation_file' is required when 'compute_classification_metrics' is set");
    }
    match (many, positive) {
        (None, None) => refuse(
            "'classification_n_classes' (multiclass) or 'classification_positive_class' (binary) is required when \
             'compute_classification_metrics' is set",
        ),
        (Some(3..), Some(_)) => refuse(
            "'classification_positive_class' is for binary classification, and 'classification_n_classes' is more than 2",
        ),
        (Some(_), None) if betas.is_some() => {
            refuse("'classification_betas' is for binary classification and requires 'classification_positive_class'")
        }
        (Some(many), None) => Ok(Some(Classes::Many(many))),
        (_, Some(positive)) => Ok(Some(Classes::Two { positive, betas: betas.unwrap_or_else(|| vec![1.0]) })),
    }
}

fn betas(fields: &Fields<'_>) -> Result<Option<Vec<f64>>, Reject> {
    let name = "classification_betas";
    let Some(list) = fields.list(name)? else { return Ok(None) };
    if list.len() > BETAS {
        return Err(check::too_long(&Value::Array(list.clone()), name));
    }
    let beta = |(at, value): (usize, &Value)| check::number(value, &format!("{name}.{at}"), 0.0, 1000.0);
    let mut betas = list.iter().enumerate().map(beta).collect::<Result<Vec<_>, _>>()?;
    // Each is a column of the results, and names of columns are unique.
    let mut seen = Vec::new();
    betas.retain(|beta| {
        !seen.contains(beta) && {
            seen.push(*beta);
            true
        }
    });
    Ok(Some(betas).filter(|betas| !betas.is_empty()))
}

/// Reads the part of a model's name that its owner chooses: lower-case, each run of other characters than letters and
/// digits a dash. Fails if it is too long or nothing is left.
fn suffix(fields: &Fields<'_>, most: usize) -> Result<Option<String>, Reject> {
    let Some(given) = fields.text("suffix")?.filter(|given| !given.is_empty()) else { return Ok(None) };
    if given.chars().count() > most {
        return Err(check::too_long(&Value::from(given), "suffix"));
    }
    let lower = given.to_lowercase();
    let words: Vec<&str> = lower.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty()).collect();
    if words.is_empty() {
        let message = format!("'{}' contains neither a letter from a to z nor a digit - 'suffix'", short(given, 40));
        return Err(Reject::bad(message));
    }
    Ok(Some(words.join("-")))
}

/// The newer interface's settings, which may stand in either of two places; `auto` and null leave the choice to the
/// service.
#[derive(Default)]
struct Settings {
    n_epochs: Option<u32>,
    batch_size: Option<u32>,
    learning_rate_multiplier: Option<f64>,
}

impl Settings {
    fn read(fields: &Fields<'_>) -> Result<Self, Reject> {
        let method = match fields.get("method") {
            None => None,
            Some(method) => {
                let method = Fields::at(method, "method".into())?;
                refuse_unknown(&method, &["type", "supervised"])?;
                let kind = method.require("type")?;
                if check::text(kind, "method.type")? != "supervised" {
                    return Err(check::not_one_of(kind, &["supervised"], "method.type"));
                }
                match method.get("supervised") {
                    None => None,
                    Some(supervised) => Fields::at(supervised, "method.supervised".into())?.get("hyperparameters"),
                }
            }
        };
        let (value, path) = match (method, fields.get("hyperparameters")) {
            (Some(value), _) => (value, "method.supervised.hyperparameters"),
            (None, Some(value)) => (value, "hyperparameters"),
            (None, None) => return Ok(Self::default()),
        };
        let mut object = match value {
            Value::Object(object) => object.clone(),
            other => return Err(check::not_type(other, "object", path)),
        };
        object.retain(|name, value| !(SETTINGS.contains(&name.as_str()) && value == "auto"));
        let value = Value::Object(object);
        let fields = Fields::at(&value, path.into())?;
        refuse_unknown(&fields, &SETTINGS)?;
        Ok(Self {
            n_epochs: fields.integer("n_epochs", 1, EPOCHS)?.map(|epochs| epochs as u32),
            batch_size: fields.integer("batch_size", 1, BATCH.into())?.map(|size| size as u32),
            learning_rate_multiplier: multiplier(&fields)?,
        })
    }
}

/// Returns the default batch size: about 0.2 % of the examples, at least 1, at most 256.
pub(super) fn batch_size(examples: usize) -> u32 {
    ((examples + 250) / 500).clamp(1, BATCH as usize) as u32
}

/// Returns the default factor on the learning rate: 0.05 for batches of less than 8 examples, 0.1 for less than 64, 0.2
/// from there on.
pub(super) fn learning_rate_multiplier(batch_size: u32) -> f64 {
    match batch_size {
        ..8 => 0.05,
        8..64 => 0.1,
        64.. => 0.2,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(more: Value) -> Result<JobRequest, String> {
        let mut body = json!({"training_file": "file-a"});
        for (name, value) in more.as_object().unwrap() {
            body[name] = value.clone();
        }
        JobRequest::read(body.to_string().as_bytes()).map_err(|reject| reject.message)
    }

    fn newer(more: Value) -> Result<JobRequest, String> {
        let mut body = json!({"training_file": "file-a", "model": "ada"});
        for (name, value) in more.as_object().unwrap() {
            body[name] = value.clone();
        }
        JobRequest::read_newer(body.to_string().as_bytes()).map_err(|reject| reject.message)
    }

    #[test]
    fn null_means_default_in_every_field() {
        let plain = read(json!({})).unwrap();
        let nulls: serde_json::Map<String, Value> =
            FIELDS[1..].iter().map(|name| ((*name).to_owned(), Value::Null)).collect();
        assert_eq!(read(nulls.into()).unwrap(), plain);
        assert_eq!((plain.model.as_str(), plain.n_epochs, plain.prompt_loss_weight), ("curie", 4, 0.01));
        assert_eq!((plain.batch_size, plain.learning_rate_multiplier, plain.suffix), (None, None, None));
    }

    #[test]
    fn every_rule_of_classification_holds() {
        let wanted = |more: Value| {
            let mut all = json!({"compute_classification_metrics": true, "validation_file": "file-b"});
            for (name, value) in more.as_object().unwrap() {
                all[name] = value.clone();
            }
            read(all)
        };
        assert!(read(json!({"compute_classification_metrics": true})).unwrap_err().starts_with("'validation_file'"));
        assert!(wanted(json!({})).unwrap_err().contains("'classification_positive_class' (binary) is required"));
        assert_eq!(wanted(json!({"classification_n_classes": 3})).unwrap().classes, Some(Classes::Many(3)));
        let two = |betas: &[f64]| Some(Classes::Two { positive: "yes".into(), betas: betas.to_vec() });
        assert_eq!(wanted(json!({"classification_positive_class": "yes"})).unwrap().classes, two(&[1.0]));
        let both = json!({"classification_positive_class": "yes", "classification_n_classes": 2, "classification_betas": [0.5, 2, 2]});
        assert_eq!(wanted(both).unwrap().classes, two(&[0.5, 2.0]));
        for wrong in [
            json!({"classification_n_classes": 3, "classification_positive_class": "yes"}),
            json!({"classification_n_classes": 3, "classification_betas": [1]}),
            json!({"classification_n_classes": 1}),
            json!({"classification_positive_class": "yes", "classification_betas": ["x"]}),
            json!({"classification_positive_class": "yes", "classification_betas": vec![1; 17]}),
        ] {
            assert!(wanted(wrong.clone()).is_err(), "{wrong}");
        }
        // No metrics are asked for, so what they would require may be missing.
        assert_eq!(read(json!({"classification_n_classes": 3})).unwrap().classes, None);
    }

    #[test]
    fn a_suffix_becomes_a_part_of_a_name() {
        let suffix = |given: &str| read(json!({ "suffix": given })).map(|order| order.suffix.unwrap_or_default());
        assert_eq!(suffix("My  Model!! v2.").unwrap(), "my-model-v2");
        assert_eq!(suffix("").unwrap(), "");
        assert_eq!(suffix(&"x".repeat(40)).unwrap().len(), 40);
        assert!(suffix(&"x".repeat(41)).unwrap_err().ends_with(" is too long - 'suffix'"));
        assert!(suffix("…/..").unwrap_err().contains("neither"));
        assert_eq!(newer(json!({"suffix": "x".repeat(64)})).unwrap().suffix.unwrap().len(), 64);
        assert!(newer(json!({"suffix": "x".repeat(65)})).is_err());
    }

    #[test]
    fn the_newer_settings_stand_in_either_place() {
        let auto = json!({"n_epochs": "auto", "batch_size": "auto", "learning_rate_multiplier": "auto"});
        let settings = json!({"n_epochs": 2, "batch_size": 3, "learning_rate_multiplier": 0.5});
        let found = |request: JobRequest| (request.n_epochs, request.batch_size, request.learning_rate_multiplier);
        assert_eq!(found(newer(json!({ "hyperparameters": auto })).unwrap()), (4, None, None));
        assert_eq!(found(newer(json!({ "hyperparameters": settings })).unwrap()), (2, Some(3), Some(0.5)));
        let method = json!({"type": "supervised", "supervised": {"hyperparameters": settings}});
        assert_eq!(found(newer(json!({ "method": method })).unwrap()), (2, Some(3), Some(0.5)));
        assert_eq!(found(newer(json!({"method": {"type": "supervised"}, "metadata": {"a": "b"}})).unwrap()).0, 4);
        for wrong in [
            json!({"method": {"type": "dpo"}}),
            json!({"hyperparameters": {"beta": 1}}),
            json!({"hyperparameters": {"n_epochs": "many"}}),
            json!({"hyperparameters": []}),
            json!({"integrations": [{"type": "wandb"}]}),
            json!({"metadata": 5}),
            json!({"n_epochs": 4}),
            json!({"model": null}),
        ] {
            assert!(newer(wrong.clone()).is_err(), "{wrong}");
        }
    }

    #[test]
    fn defaults_follow_the_number_of_examples() {
        let sizes = [1, 249, 500, 750, 5000, 1_000_000].map(batch_size);
        assert_eq!(sizes, [1, 1, 1, 2, 10, 256]);
        let factors = [1, 7, 8, 63, 64, 256].map(learning_rate_multiplier);
        assert_eq!(factors.map(|factor| format!("{factor}")), ["0.05", "0.05", "0.1", "0.1", "0.2", "0.2"]);
    }
}
