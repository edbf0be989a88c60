//! Builds the request for a fine-tune, in either interface. A setting that an interface does not have is refused before
//! anything is sent: a job that trains differently than intended costs money.

use serde_json::{Map, Value, json};

use crate::api::call::{Failure, FailureKind};
use crate::api::fine_tune::FineTuneRequest;
use crate::api::job::Dialect;

/// Builds the body of a request for a job. Fails without a training file, with too long a suffix, or with a setting
/// that the interface does not have.
pub(super) fn body(asked: &FineTuneRequest, dialect: Dialect) -> Result<Value, Failure> {
    let most = match dialect {
        Dialect::FineTunes => 40,
        Dialect::FineTuning => 64,
    };
    if asked.training_file.is_empty() {
        return Err(invalid_request("a fine-tune needs a training file; choose one"));
    }
    let length = asked.suffix.as_ref().map_or(0, |suffix| suffix.chars().count());
    if length > most {
        return Err(invalid_request(&format!(
            "the suffix has {length} characters, but this server allows {most}; shorten it"
        )));
    }
    match dialect {
        Dialect::FineTunes => Ok(serde_json::to_value(asked).expect("it is texts, numbers and lists of numbers")),
        Dialect::FineTuning => {
            let (mut body, settings) = newer_fields(asked)?;
            if !settings.is_empty() {
                body.insert("hyperparameters".into(), settings.into());
            }
            Ok(body.into())
        }
    }
}

/// Builds the body with its settings where the latest servers expect them. Fails as [`newer_fields`] does.
pub(super) fn with_method(asked: &FineTuneRequest) -> Result<Value, Failure> {
    let (mut body, settings) = newer_fields(asked)?;
    body.insert("method".into(), json!({"type": "supervised", "supervised": {"hyperparameters": settings}}));
    Ok(body.into())
}

/// Returns whether the server complains about the place of the settings, not about their values.
pub(super) fn wants_method(why: &Failure) -> bool {
    // Each without its first letter, which may be a capital.
    let phrases = ["eprecated", "nrecognized", "nexpected", "nknown", "ot permitted", "'method'", "`method`"];
    matches!(why.status, Some(400 | 422))
        && why.body.contains("hyperparameters")
        && phrases.iter().any(|phrase| why.body.contains(phrase))
}

type Fields = Map<String, Value>;

/// Splits the request into its fields and its settings, for the newer interface. Fails with a setting that it does not
/// have, or without a base model.
fn newer_fields(asked: &FineTuneRequest) -> Result<(Fields, Fields), Failure> {
    if let Some(name) = unsupported_setting(asked) {
        return Err(invalid_request(&format!(
            "this server's fine-tunes (/fine_tuning/jobs) do not support {name}; leave it out, or choose a server with /fine-tunes"
        )));
    }
    let Some(model) = &asked.model else {
        return Err(invalid_request("this server's fine-tunes need the name of a base model; choose one"));
    };
    let body = [
        ("model", Some(json!(model))),
        ("training_file", Some(json!(asked.training_file))),
        ("validation_file", asked.validation_file.as_ref().map(|file| json!(file))),
        ("suffix", asked.suffix.as_ref().map(|suffix| json!(suffix))),
    ];
    let settings = [
        ("n_epochs", asked.n_epochs.map(Value::from)),
        ("batch_size", asked.batch_size.map(Value::from)),
        ("learning_rate_multiplier", asked.learning_rate_multiplier.map(Value::from)),
    ];
    Ok((present(body), present(settings)))
}

/// Returns the fields that have a value.
fn present<const N: usize>(fields: [(&str, Option<Value>); N]) -> Fields {
    fields.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))).collect()
}

/// Returns the first field that was set and that the newer interface does not have.
fn unsupported_setting(asked: &FineTuneRequest) -> Option<&'static str> {
    [
        ("prompt_loss_weight", asked.prompt_loss_weight.is_some()),
        ("compute_classification_metrics", asked.compute_classification_metrics == Some(true)),
        ("classification_n_classes", asked.classification_n_classes.is_some()),
        ("classification_positive_class", asked.classification_positive_class.is_some()),
        ("classification_betas", asked.classification_betas.as_ref().is_some_and(|betas| !betas.is_empty())),
    ]
    .into_iter()
    .find_map(|(name, set)| set.then_some(name))
}

fn invalid_request(sentence: &str) -> Failure {
    Failure::new(FailureKind::Refused, sentence)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked() -> FineTuneRequest {
        FineTuneRequest { training_file: "file-a".into(), model: Some("ada".into()), ..FineTuneRequest::default() }
    }

    #[test]
    fn settings_stand_where_the_interface_has_them() {
        let asked = FineTuneRequest { n_epochs: Some(2), suffix: Some("s".into()), ..asked() };
        let plain = json!({"training_file": "file-a", "model": "ada", "n_epochs": 2, "suffix": "s"});
        assert_eq!(body(&asked, Dialect::FineTunes).unwrap(), plain);
        let newer =
            json!({"training_file": "file-a", "model": "ada", "suffix": "s", "hyperparameters": {"n_epochs": 2}});
        assert_eq!(body(&asked, Dialect::FineTuning).unwrap(), newer);
        let method = json!({"type": "supervised", "supervised": {"hyperparameters": {"n_epochs": 2}}});
        assert_eq!(with_method(&asked).unwrap()["method"], method);
    }

    #[test]
    fn what_an_interface_does_not_have_is_named_and_not_sent() {
        for (asked, name) in [
            (FineTuneRequest { prompt_loss_weight: Some(0.01), ..asked() }, "prompt_loss_weight"),
            (
                FineTuneRequest { compute_classification_metrics: Some(true), ..asked() },
                "compute_classification_metrics",
            ),
            (FineTuneRequest { classification_n_classes: Some(3), ..asked() }, "classification_n_classes"),
            (
                FineTuneRequest { classification_positive_class: Some("a".into()), ..asked() },
                "classification_positive_class",
            ),
            (FineTuneRequest { classification_betas: Some(vec![1.0]), ..asked() }, "classification_betas"),
            (FineTuneRequest { model: None, ..asked() }, "base model"),
        ] {
            let why = body(&asked, Dialect::FineTuning).unwrap_err();
            assert!(why.sentence.contains(name), "{name}");
            assert!(body(&asked, Dialect::FineTunes).is_ok(), "{name}");
        }
        let off = FineTuneRequest { compute_classification_metrics: Some(false), ..asked() };
        assert!(body(&off, Dialect::FineTuning).is_ok());
        for (dialect, most) in [(Dialect::FineTunes, 40), (Dialect::FineTuning, 64)] {
            for (over, good) in [(-1, true), (0, true), (1, false)] {
                let suffix = "ä".repeat(40_usize.max(most).saturating_add_signed(over));
                assert_eq!(
                    body(&FineTuneRequest { suffix: Some(suffix), ..asked() }, dialect).is_ok(),
                    good,
                    "{over:+}"
                );
            }
        }
        assert!(body(&FineTuneRequest::default(), Dialect::FineTunes).is_err());
    }

    #[test]
    fn only_a_complaint_about_the_place_moves_the_settings() {
        let why = |status: u16, body: &str| Failure { status: Some(status), body: body.into(), ..invalid_request("x") };
        assert!(wants_method(&why(400, "Unrecognized request argument supplied: hyperparameters")));
        assert!(wants_method(&why(422, "'hyperparameters' is deprecated, use 'method'")));
        assert!(!wants_method(&why(400, "1001 is greater than the maximum of 1000 - 'hyperparameters.n_epochs'")));
        assert!(!wants_method(&why(500, "unexpected hyperparameters")));
    }
}
