//! Tools that a model may call: their definitions, the arguments of a call against them, the programs they name.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::json_fields::violation;
use crate::record::ToolCommand;

/// The longest name of a tool, characters.
const NAME: usize = 64;
/// How long a tool's program may take where its definition does not say, seconds; and at most.
const TIME_LIMIT: (u64, u64) = (30, 3600);
/// Violations of a schema that are told one by one.
const VIOLATIONS: usize = 10;
/// What `tool_choice` takes besides the name of a tool.
const CHOICES: [&str; 3] = ["auto", "none", "required"];

/// A tool as it is defined: what is sent, and what runs here when the user says so.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tool {
    #[serde(rename = "type", default)]
    kind: Kind,
    function: Function,
    /// The program and its arguments. Stays here.
    #[serde(default)]
    command: Vec<String>,
    /// Stays here.
    time_limit_s: Option<u64>,
}

#[derive(Clone, Copy, Debug, Default, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
enum Kind {
    #[default]
    Function,
}

#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct Function {
    name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<String>,
    /// A JSON schema of an object.
    #[serde(skip_serializing_if = "Option::is_none")]
    parameters: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    strict: Option<bool>,
}

impl Tool {
    /// Returns its name.
    pub fn name(&self) -> &str {
        &self.function.name
    }

    /// Returns its definition as it is sent.
    fn definition(&self) -> Value {
        json!({"type": self.kind, "function": self.function})
    }

    /// Returns the program to run for a call with these arguments; `None`: it names none.
    ///
    /// # Errors
    /// A word stands for an argument that the call does not have.
    pub fn command(&self, arguments: &str) -> Option<Result<ToolCommand, String>> {
        if self.command.is_empty() {
            return None;
        }
        let values = serde_json::from_str::<Value>(arguments).unwrap_or_default();
        let word = |word: &String| {
            let Some(name) = word.strip_prefix('{').and_then(|rest| rest.strip_suffix('}')) else {
                return Ok(word.clone());
            };
            match values.get(name) {
                Some(Value::String(text)) => Ok(text.clone()),
                Some(value) => Ok(value.to_string()),
                None => Err(format!("the call has no argument {name}, which the command of {} needs", self.name())),
            }
        };
        let words = self.command.iter().map(word).collect::<Result<Vec<_>, _>>();
        let limit = Duration::from_secs(self.time_limit_s.unwrap_or(TIME_LIMIT.0));
        Some(words.map(|words| ToolCommand { words, input: arguments.to_owned(), limit }))
    }

    /// Returns what is wrong with the arguments of a call, each with its path.
    pub fn violations(&self, arguments: &str) -> Vec<String> {
        let arguments: Value = match serde_json::from_str(if arguments.is_empty() { "{}" } else { arguments }) {
            Ok(arguments) => arguments,
            Err(error) => return vec![format!("the arguments are not JSON: {error}")],
        };
        let schema = self.function.parameters.as_ref().and_then(|schema| jsonschema::validator_for(schema).ok());
        let errors = schema.iter().flat_map(|schema| schema.iter_errors(&arguments));
        errors.take(VIOLATIONS).map(|error| violation(&error)).collect()
    }

    /// Returns what is wrong with its definition.
    fn check(&self) -> Result<(), String> {
        let name = self.name();
        let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
        if name.is_empty() || name.chars().count() > NAME || !name.chars().all(is_name) {
            return Err(format!("the name {name:?} is not 1 to {NAME} letters, digits, _ and -"));
        }
        if let Some(parameters) = &self.function.parameters {
            let wrong = |error: jsonschema::ValidationError| {
                format!("the parameters of {name} are not a valid JSON schema, at {}", violation(&error))
            };
            jsonschema::validator_for(parameters).map_err(wrong)?;
        }
        match self.time_limit_s {
            Some(seconds) if !(1..=TIME_LIMIT.1).contains(&seconds) => {
                Err(format!("time_limit_s of {name} must be 1 to {}; {seconds} is not", TIME_LIMIT.1))
            }
            _ if self.command.first().is_some_and(String::is_empty) => {
                Err(format!("the command of {name} has no program"))
            }
            _ => Ok(()),
        }
    }
}

/// Reads definitions: a JSON array of tools, each an object with `function` and, if its calls can be run here,
/// `command`.
///
/// # Errors
/// What is wrong, with line and column, or with the tool's number and name.
pub fn read(text: &str) -> Result<Vec<Tool>, String> {
    if text.trim().is_empty() {
        return Ok(Vec::new());
    }
    let tools: Vec<Tool> = serde_json::from_str(text).map_err(|error| error.to_string())?;
    for (at, tool) in tools.iter().enumerate() {
        tool.check().map_err(|why| format!("number {}: {why}", at + 1))?;
        if tools[..at].iter().any(|other| other.name() == tool.name()) {
            return Err(format!("number {}: {} is defined already", at + 1, tool.name()));
        }
    }
    Ok(tools)
}

/// Returns definitions as they are sent.
pub fn definitions(tools: &[Tool]) -> Value {
    tools.iter().map(Tool::definition).collect()
}

/// Reads which tool is to be called.
///
/// # Errors
/// There is no such tool; words that follow the name of the field.
pub fn choice(text: &str, tools: &[Tool]) -> Result<Value, String> {
    let known = tools.iter().map(Tool::name);
    if CHOICES.contains(&text) {
        return Ok(text.into());
    }
    if known.clone().any(|name| name == text) {
        return Ok(json!({"type": "function", "function": {"name": text}}));
    }
    let names: Vec<&str> = CHOICES.into_iter().chain(known).collect();
    Err(format!("must be one of {}; {text} is not", names.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    const ADD: &str = r#"[
  {"type": "function",
   "function": {"name": "add", "description": "Adds.",
    "parameters": {"type": "object", "required": ["a", "b"],
     "properties": {"a": {"type": "integer"}, "b": {"type": "integer"}}}},
   "command": ["expr", "{a}", "+", "{b}"], "time_limit_s": 5},
  {"function": {"name": "now"}}
]"#;

    #[test]
    fn what_stays_here_is_not_sent() {
        let tools = read(ADD).unwrap();
        let sent = definitions(&tools);
        assert_eq!(sent[0]["function"]["name"], "add");
        assert_eq!(sent[0]["type"], "function");
        assert_eq!(sent[1], json!({"type": "function", "function": {"name": "now"}}));
        let words = sent.to_string();
        assert!(!words.contains("command") && !words.contains("expr") && !words.contains("time_limit_s"), "{words}");
    }

    #[test]
    fn a_wrong_definition_is_told_with_its_place() {
        let wrong = |text: &str| read(text).unwrap_err();
        let unknown = wrong("[{\"function\": {\"name\": \"a\"},\n  \"shell\": true}]");
        assert!(unknown.contains("unknown field `shell`") && unknown.contains("line 2 column 9"), "{unknown}");
        assert!(wrong("[{\"function\": {\"name\": \"a b\"}}]").contains("number 1: the name \"a b\""));
        let schema = wrong("[{\"function\": {\"name\": \"a\", \"parameters\": {\"type\": \"thing\"}}}]");
        assert!(schema.contains("the parameters of a are not a valid JSON schema, at /type"), "{schema}");
        let twice = wrong("[{\"function\": {\"name\": \"a\"}}, {\"function\": {\"name\": \"a\"}}]");
        assert!(twice.contains("number 2: a is defined already"), "{twice}");
        assert!(wrong("{}").contains("line 1 column"));
        assert!(wrong("[{\"function\": {\"name\": \"a\"}, \"time_limit_s\": 0}]").contains("1 to 3600"));
        assert!(wrong("[{\"function\": {\"name\": \"a\"}, \"command\": [\"\"]}]").contains("has no program"));
    }

    #[test]
    fn arguments_are_checked_and_take_the_place_of_whole_words() {
        let tools = read(ADD).unwrap();
        let add = &tools[0];
        assert!(add.violations("{\"a\": 1, \"b\": 2}").is_empty());
        assert!(add.violations("{\"a\": \"x\", \"b\": 2}")[0].starts_with("/a: "));
        assert!(add.violations("{\"a\": ")[0].starts_with("the arguments are not JSON"));
        assert!(tools[1].violations("").is_empty());
        let command = add.command("{\"a\": 1, \"b\": \"2; rm x\"}").unwrap().unwrap();
        assert_eq!(command.words, ["expr", "1", "+", "2; rm x"]);
        assert_eq!(command.limit, Duration::from_secs(5));
        assert!(add.command("{\"a\": 1}").unwrap().unwrap_err().contains("no argument b"));
        assert!(tools[1].command("{}").is_none());
    }

    #[test]
    fn a_choice_is_a_word_or_the_name_of_a_tool() {
        let tools = read(ADD).unwrap();
        assert_eq!(choice("required", &tools), Ok(json!("required")));
        assert_eq!(choice("now", &tools), Ok(json!({"type": "function", "function": {"name": "now"}})));
        assert!(choice("subtract", &tools).unwrap_err().contains("auto, none, required, add, now; subtract is not"));
    }
}
