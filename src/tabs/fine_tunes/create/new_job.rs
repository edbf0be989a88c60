//! A new job without the page: what `benchtop tune create` sends.

use super::fields;
use super::rules::rules;
use crate::api::fine_tune::FineTuneRequest;
use crate::api::job::Dialect;

/// Makes a request of fields by their names in the interface, as the page would send it to a server with this
/// interface. Also returns what is worth knowing before it is sent.
///
/// # Errors
/// A field is wrong; a sentence that begins with its name.
pub fn new_job(values: &[(&str, &str)], dialect: Option<Dialect>) -> Result<(FineTuneRequest, Vec<String>), String> {
    let mut request = FineTuneRequest::default();
    for (name, value) in values {
        fields::set(&mut request, name, value).map_err(|why| format!("{name} {why}"))?;
    }
    let request = fields::fit(&request, dialect);
    let mut advice = Vec::new();
    for rule in rules(&request, dialect, None) {
        let said = format!("{}: {}", rule.field, rule.why);
        if rule.stops {
            return Err(said);
        }
        advice.push(said);
    }
    Ok((request, advice))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_has_what_was_given_and_what_is_wrong_is_named() {
        let values = [("training_file", "file-1"), ("model", "ada"), ("n_epochs", "2"), ("suffix", "My Tone")];
        let (request, advice) = new_job(&values, Some(Dialect::FineTunes)).unwrap();
        assert_eq!((request.training_file.as_str(), request.n_epochs), ("file-1", Some(2)));
        assert_eq!(advice, ["suffix: in the model's name it becomes “my-tone”"]);
        let same = [("training_file", "file-1"), ("validation_file", "file-1"), ("model", "ada")];
        assert!(new_job(&same, None).unwrap_err().starts_with("validation_file: training and validation must differ"));
        assert_eq!(new_job(&[("n_epochs", "two")], None).unwrap_err(), "n_epochs must be a number");
    }
}
