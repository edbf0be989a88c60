//! Request fields that are JSON: the format of the answer, and whatever else a server takes. They are kept as they were
//! typed, checked when they change and before each request.

use serde_json::{Map, Value, json};

use super::tools;
use crate::api::field_scopes::has_parameter;
use crate::record::ChatParams;
use crate::text::Untrusted;
use crate::ui::rule::cut;

/// What stands for an answer that is any JSON object.
const OBJECT: &str = "json_object";

/// Violations that are told one by one.
const VIOLATIONS: usize = 100;
/// Columns of a violation at most: a message may hold a value of the answer.
const VIOLATION: usize = 300;

/// Returns the fields that these parameters add to a request.
///
/// # Errors
/// What is wrong, with its field, line and column.
pub fn fields(params: &ChatParams) -> Result<Map<String, Value>, String> {
    let mut fields = extra(params.extra.as_deref().unwrap_or_default())?;
    if let Some(text) = &params.response_format {
        let format = response_format(text).map_err(|why| format!("response_format {why}"))?;
        fields.insert("response_format".to_owned(), format);
    }
    let tools = tools::read(params.tools.as_deref().unwrap_or_default()).map_err(|why| format!("tools: {why}"))?;
    if !tools.is_empty() {
        fields.insert("tools".to_owned(), tools::definitions(&tools));
        if let Some(choice) = &params.tool_choice {
            let choice = tools::choice(choice, &tools).map_err(|why| format!("tool_choice {why}"))?;
            fields.insert("tool_choice".to_owned(), choice);
        }
    }
    let numbers = [
        ("max_completion_tokens", params.max_completion_tokens.map(Value::from)),
        ("reasoning_effort", params.reasoning_effort.clone().map(Value::from)),
        ("top_k", params.top_k.map(Value::from)),
        ("min_p", params.min_p.map(Value::from)),
    ];
    fields.extend(numbers.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))));
    Ok(fields)
}

/// Returns what is wrong with fields that are JSON, by name: sentences with the label of the field.
pub fn problems(params: &ChatParams) -> Vec<(&'static str, String)> {
    read(params).into_iter().filter_map(|(name, _, field)| Some((name, field.err()?))).collect()
}

/// Returns what fields that are JSON hold in a few words, by name; of a wrong one, where it is wrong.
pub fn summaries(params: &ChatParams) -> Vec<(&'static str, String)> {
    let summary = |(name, text, field): (&'static str, &str, Result<Value, String>)| {
        let words = match field {
            Err(why) => match why.rsplit_once(" at line ") {
                Some((_, place)) => format!("✕ line {}", place.split(' ').next().unwrap_or(place)),
                None => "✕ not valid".to_owned(),
            },
            Ok(Value::Object(fields)) if name == "extra" => fields.keys().cloned().collect::<Vec<_>>().join(", "),
            Ok(Value::Array(tools)) => {
                let names = tools.iter().filter_map(|tool| tool["function"]["name"].as_str());
                names.collect::<Vec<_>>().join(", ")
            }
            Ok(_) if name == "tool_choice" => text.to_owned(),
            Ok(format) => match schema(&format) {
                Some(schema) => {
                    let title = schema.get("title").and_then(Value::as_str).map(|title| format!(" {title}"));
                    format!("schema{}", title.unwrap_or_default())
                }
                None => format.get("type").and_then(Value::as_str).unwrap_or(text).to_owned(),
            },
        };
        (name, words)
    };
    read(params).into_iter().map(summary).collect()
}

/// Returns the fields that are JSON and set: name, text, and what the text means.
fn read(params: &ChatParams) -> Vec<(&'static str, &str, Result<Value, String>)> {
    let format = params.response_format.as_deref().map(|text| {
        let format = response_format(text).map_err(|why| format!("Answer format {why}"));
        ("response_format", text, format)
    });
    let further = params.extra.as_deref().map(|text| ("extra", text, extra(text).map(Value::Object)));
    let tools = params.tools.as_deref().map(|text| (text, tools::read(text)));
    let choice = params.tool_choice.as_deref().map(|text| {
        let known = tools.as_ref().and_then(|(_, tools)| tools.as_deref().ok()).unwrap_or_default();
        ("tool_choice", text, tools::choice(text, known).map_err(|why| format!("Tool choice {why}")))
    });
    let tools = tools.map(|(text, tools)| {
        let tools = tools.map(|tools| tools::definitions(&tools)).map_err(|why| format!("Tools: {why}"));
        ("tools", text, tools)
    });
    format.into_iter().chain(tools).chain(choice).chain(further).collect()
}

/// Reads further fields: a JSON object, or nothing.
///
/// # Errors
/// What is wrong, with line and column: a sentence with the label of the field.
pub fn extra(text: &str) -> Result<Map<String, Value>, String> {
    if text.trim().is_empty() {
        return Ok(Map::new());
    }
    let value: Value = serde_json::from_str(text).map_err(|error| format!("Further fields: {error}"))?;
    let Value::Object(fields) = value else {
        return Err("Further fields must be a JSON object, such as {\"verbosity\": \"low\"}".to_owned());
    };
    match fields.keys().find(|name| has_parameter(name)) {
        Some(name) => Err(format!("Further fields: {name} has a field of its own here; remove it")),
        None => Ok(fields),
    }
}

/// Reads the format of an answer: `json_object`, a JSON schema, or a whole `response_format`.
///
/// # Errors
/// What is wrong, with line and column, or with its place in the schema: words that follow the name of the field.
pub fn response_format(text: &str) -> Result<Value, String> {
    if text.trim() == OBJECT {
        return Ok(json!({"type": OBJECT}));
    }
    let value: Value = serde_json::from_str(text).map_err(|error| format!("is not JSON: {error}"))?;
    let Value::Object(format) = value else {
        return Err(format!("must be {OBJECT} or a JSON schema"));
    };
    if let Some("text" | OBJECT | "json_schema") = format.get("type").and_then(Value::as_str) {
        let format = Value::Object(format);
        check(schema(&format))?;
        return Ok(format);
    }
    let named = format.get("title").and_then(Value::as_str).unwrap_or("answer");
    let name: String = named.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).take(64).collect();
    let schema = Value::Object(format);
    check(Some(&schema))?;
    Ok(json!({"type": "json_schema", "json_schema": {"name": name, "strict": true, "schema": schema}}))
}

/// Returns what a format asks of an answer, in words; `None`: nothing.
pub fn target(format: &str) -> Option<&'static str> {
    let format = response_format(format).ok()?;
    match schema(&format) {
        Some(_) => Some("the schema"),
        None => (format["type"] == OBJECT).then_some(OBJECT),
    }
}

/// Returns what an answer does not keep to of the format that was asked for, each with its path, on a line of its own;
/// none: it fits. `None`: any text does.
pub fn violations(format: &str, answer: &str) -> Option<Vec<String>> {
    let format = response_format(format).ok()?;
    let validator = match format["type"].as_str() {
        Some(OBJECT) => None,
        _ => Some(jsonschema::validator_for(schema(&format)?).ok()?),
    };
    let answer: Value = match serde_json::from_str(answer) {
        Ok(answer) => answer,
        Err(error) => return Some(vec![format!("it is not JSON: {error}")]),
    };
    let Some(validator) = validator else {
        return Some(if answer.is_object() { Vec::new() } else { vec!["it is not a JSON object".to_owned()] });
    };
    let mut errors = validator.iter_errors(&answer);
    let mut told: Vec<String> = errors.by_ref().take(VIOLATIONS).map(|error| violation(&error)).collect();
    match errors.count() {
        0 => {}
        more => told.push(format!("and {more} more")),
    }
    Some(told)
}

/// Returns a violation with its path. Its words hold the value where that is short.
pub(super) fn violation(error: &jsonschema::ValidationError) -> String {
    let path = error.instance_path().to_string();
    let whole = matches!(&**error.instance(), Value::Object(_) | Value::Array(_));
    let words = if whole { error.masked_with("this value").to_string() } else { error.to_string() };
    let told = Untrusted::from(format!("{}: {words}", if path.is_empty() { "/" } else { &path }));
    cut(&told.line(), VIOLATION)
}

/// Returns the schema in a format.
fn schema(format: &Value) -> Option<&Value> {
    format.get("json_schema")?.get("schema")
}

/// Checks a schema; what it refers to elsewhere is not fetched, and is an error.
fn check(schema: Option<&Value>) -> Result<(), String> {
    let Some(schema) = schema else { return Ok(()) };
    jsonschema::validator_for(schema).map(drop).map_err(|error| {
        let path = error.instance_path().to_string();
        let place = if path.is_empty() { String::new() } else { format!(", at {path}") };
        format!("is not a valid JSON schema{place}: {error}")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_format_is_an_object_a_schema_or_written_in_full() {
        assert_eq!(response_format(" json_object ").unwrap(), json!({"type": "json_object"}));
        let schema = json!({"title": "A person", "type": "object", "required": ["name"]});
        let format = response_format(&schema.to_string()).unwrap();
        let expected = json!({"name": "A_person", "strict": true, "schema": schema});
        assert_eq!(format, json!({"type": "json_schema", "json_schema": expected}));
        assert_eq!(response_format(&format.to_string()).unwrap(), format);
    }

    #[test]
    fn what_is_wrong_is_said_with_its_place() {
        let why = response_format("{\n  \"type\": object}").unwrap_err();
        assert!(why.starts_with("is not JSON: ") && why.contains("line 2 column 11"), "{why}");
        let why = response_format("{\"properties\": {\"a\": {\"type\": 5}}}").unwrap_err();
        assert!(why.starts_with("is not a valid JSON schema, at /properties/a/type"), "{why}");
        assert_eq!(response_format("[1]").unwrap_err(), "must be json_object or a JSON schema");
        assert!(extra("{\"a\": }").unwrap_err().contains("line 1 column 7"));
        assert!(extra("{\"temperature\": 1}").unwrap_err().contains("temperature has a field of its own"));
        assert!(extra("3").unwrap_err().contains("JSON object"));
        assert_eq!(extra("  "), Ok(Map::new()));
    }

    #[test]
    fn each_violation_has_its_path() {
        let schema = json!({
            "type": "object", "required": ["name", "age"],
            "properties": {"name": {"type": "string"}, "age": {"type": "integer", "minimum": 0}},
        });
        let of = |answer: Value| violations(&schema.to_string(), &answer.to_string()).unwrap();
        assert_eq!(of(json!({"name": "Ada", "age": 36})), Vec::<String>::new());
        let wrong = of(json!({"name": 5, "age": -1}));
        assert!(wrong.len() == 2 && wrong.iter().any(|why| why.starts_with("/name: ")), "{wrong:?}");
        assert!(wrong.iter().any(|why| why.starts_with("/age: ")), "{wrong:?}");
        assert!(of(json!({"name": "Ada"}))[0].starts_with("/: "));
        assert!(violations("json_object", "no JSON").unwrap()[0].starts_with("it is not JSON: "));
        assert_eq!(violations("json_object", "[]").unwrap(), ["it is not a JSON object"]);
        assert_eq!(violations("json_object", "{}"), Some(Vec::new()));
        assert_eq!(violations("{\"type\": \"text\"}", "no JSON"), None);
    }

    #[test]
    fn violations_are_told_in_bounds() {
        let schema = json!({"items": {"type": "integer"}, "maxItems": 1}).to_string();
        let long = Value::from("long\n".repeat(1000));
        let of = violations(&schema, &Value::Array(vec![long; 200]).to_string()).unwrap();
        assert_eq!((of.len(), of[VIOLATIONS].as_str()), (VIOLATIONS + 1, "and 101 more"));
        assert!(of.iter().all(|line| line.len() < 2 * VIOLATION && !line.contains('\n')), "{of:?}");
        assert!(of.iter().any(|line| line.starts_with("/: this value has more than 1 item")), "{:?}", &of[..2]);
    }

    #[test]
    fn fields_that_are_json_are_summarized_and_their_problems_told() {
        let of = |format: &str, extra: &str| {
            let set = |text: &str| (!text.is_empty()).then(|| text.to_owned());
            let params = ChatParams { response_format: set(format), extra: set(extra), ..ChatParams::default() };
            let words = summaries(&params).into_iter().map(|(_, words)| words).collect::<Vec<_>>().join("; ");
            (words, problems(&params).len())
        };
        assert_eq!(of("", ""), (String::new(), 0));
        assert_eq!(of("json_object", "{\"b\": 1, \"a\": 2}"), ("json_object; a, b".to_owned(), 0));
        assert_eq!(of("{\"title\": \"A person\"}", ""), ("schema A person".to_owned(), 0));
        assert_eq!(of("{\n  \"a\": }", "3"), ("✕ line 2; ✕ not valid".to_owned(), 2));
    }

    #[test]
    fn problems_have_the_label_of_their_field_and_errors_of_a_request_its_name() {
        let wrong = || Some("[".to_owned());
        let params = ChatParams {
            response_format: wrong(),
            tools: wrong(),
            tool_choice: wrong(),
            extra: wrong(),
            ..ChatParams::default()
        };
        let begins: Vec<_> = problems(&params).into_iter().map(|(name, why)| (name, why[..8].to_owned())).collect();
        let expected = [
            ("response_format", "Answer f"),
            ("tools", "Tools: E"),
            ("tool_choice", "Tool cho"),
            ("extra", "Further "),
        ];
        assert_eq!(begins, expected.map(|(name, begin)| (name, begin.to_owned())));
        let format = ChatParams { response_format: wrong(), ..ChatParams::default() };
        assert!(fields(&format).unwrap_err().starts_with("response_format is not JSON: EOF"));
        let tools = ChatParams { tools: wrong(), ..ChatParams::default() };
        assert!(fields(&tools).unwrap_err().starts_with("tools: EOF"));
    }

    #[test]
    fn only_what_is_set_becomes_a_field() {
        assert_eq!(fields(&ChatParams::default()), Ok(Map::new()));
        let params = ChatParams {
            max_completion_tokens: Some(9),
            reasoning_effort: Some("low".into()),
            top_k: Some(40),
            min_p: Some(0.1),
            response_format: Some("json_object".into()),
            extra: Some("{\"verbosity\": \"low\"}".into()),
            ..ChatParams::default()
        };
        let expected = json!({
            "max_completion_tokens": 9, "reasoning_effort": "low", "top_k": 40, "min_p": 0.1,
            "response_format": {"type": "json_object"}, "verbosity": "low",
        });
        assert_eq!(fields(&params).map(Value::Object), Ok(expected));
    }
}
