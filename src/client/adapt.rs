//! Sends a request as its server is known to accept it, and learns from a refusal that names a field.

use reqwest::Response;
use serde_json::{Map, Value};

use super::http::Http;
use super::knowledge::Knowledge;
use super::progress::ProgressSender;
use super::refused_fields::{changes_after, is_conditional};
use super::request::Request;
use super::request_body::Body;
use crate::api::call::{Failure, Progress};
use crate::api::capability::{Adaptation, Subject};
use crate::settings::Endpoint;

/// Fields that make no sense without another field.
const DEPENDENT_FIELDS: &[(&str, &str)] = &[("top_logprobs", "logprobs")];

/// Sends a POST with the changes that its server is known to need, and returns the response once its headers have
/// arrived. After a refusal that names a field that can be changed, the request is sent once more with that change.
pub(super) async fn post(
    http: &Http,
    endpoint: &Endpoint,
    path: &'static str,
    mut body: Body,
    sender: &ProgressSender,
) -> Result<Response, Failure> {
    let fixed = body.fixed_field;
    let model = body.fields.get("model").and_then(Value::as_str).unwrap_or_default().to_owned();
    let known = known_changes(&http.knowledge, endpoint, (path, &model), &body.fields);
    for change in known.into_iter().filter(|change| fixed != Some(change.field())) {
        apply(&mut body.fields, &change);
        sender.send(Progress::Adapted(change)).await;
    }
    let mut names: Vec<String> = body.fields.keys().filter(|name| fixed != Some(name.as_str())).cloned().collect();
    let request = Request::post(path, body);
    let why = match http.exchange(endpoint, &request, sender).await {
        Err(why) => why,
        answer => return answer,
    };
    let changes = changes_after(&why, &model, &names);
    if changes.is_empty() {
        return Err(why);
    }
    for change in &changes {
        sender.send(Progress::Adapted(change.clone())).await;
        names.retain(|name| !replaces(change, name));
    }
    let changed = request.changed(|fields| changes.iter().for_each(|change| apply(fields, change)));
    let answer = http.exchange(endpoint, &changed, sender).await;
    let is_accepted = match &answer {
        Ok(_) => true,
        // A refusal of yet another field shows that the server accepted these changes.
        Err(second) => !changes_after(second, &model, &names).is_empty(),
    };
    if !is_accepted {
        return answer;
    }
    for change in &changes {
        // A field that is refused only together with another may be accepted alone: nothing is learned about it.
        if !is_conditional(&why, &model, change.field(), &names) {
            let subject = Subject::field(path, &model, change.field());
            http.knowledge.learn(endpoint, subject, change.finding(), sender).await;
        }
    }
    answer
}

/// Returns the changes to these fields that a server is known to need.
fn known_changes(
    knowledge: &Knowledge,
    endpoint: &Endpoint,
    (path, model): (&str, &str),
    fields: &Map<String, Value>,
) -> Vec<Adaptation> {
    let change = |field: &String| {
        let finding = knowledge.of(endpoint, &Subject::field(path, model, field))?;
        // A list is split before its requests are built.
        Adaptation::of(field, &finding).filter(|change| !matches!(change, Adaptation::Split { .. }))
    };
    fields.keys().filter_map(change).collect()
}

/// Returns whether a field is no longer sent after a change.
fn replaces(change: &Adaptation, name: &str) -> bool {
    let depends = |(dependent, needed): &(&str, &str)| *dependent == name && *needed == change.field();
    name == change.field() || matches!(change, Adaptation::Omitted(_)) && DEPENDENT_FIELDS.iter().any(depends)
}

/// Makes a change to a request's fields.
fn apply(fields: &mut Map<String, Value>, change: &Adaptation) {
    match change {
        Adaptation::Omitted(_) => fields.retain(|name, _| !replaces(change, name)),
        Adaptation::Renamed { field, to } => {
            if let Some(value) = fields.remove(field) {
                fields.entry(to.clone()).or_insert(value);
            }
        }
        Adaptation::Split { .. } => {}
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_depends_on_a_field_goes_with_it_and_a_new_name_keeps_the_value() {
        let Value::Object(mut fields) = json!({"logprobs": true, "top_logprobs": 3, "max_tokens": 5}) else { panic!() };
        apply(&mut fields, &Adaptation::Omitted("logprobs".into()));
        apply(&mut fields, &Adaptation::Renamed { field: "max_tokens".into(), to: "max_completion_tokens".into() });
        assert_eq!(Value::Object(fields), json!({"max_completion_tokens": 5}));
    }

    #[test]
    fn fields_that_depend_on_each_other_are_known_as_fields() {
        for name in DEPENDENT_FIELDS.iter().flat_map(|(one, other)| [one, other]) {
            assert!(crate::api::field_scopes::is_known(name), "{name}");
        }
    }
}
