//! The input of a request: a text, several, token ids, or several lists of them.

use serde_json::Value;

use super::check::{self, Fields};
use super::reject::Reject;

/// Upper limit of token ids; the largest tokenizer has fewer.
const MAX_ID: u64 = 200_000;

/// The value of `prompt` or `input`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Input {
    /// One or more texts.
    Texts(Vec<String>),
    /// One or more lists of token ids.
    Tokens(Vec<Vec<u32>>),
}

impl Input {
    /// Reads the field `name`, with at most `most` entries; `None`: not sent. Fails if it is of another form.
    pub(crate) fn read(fields: &Fields<'_>, name: &str, most: usize) -> Result<Option<Self>, Reject> {
        let path = fields.path(name);
        let value = match fields.get(name) {
            None => return Ok(None),
            Some(Value::String(text)) => return Ok(Some(Self::Texts(vec![text.clone()]))),
            Some(value) => value,
        };
        let Value::Array(items) = value else { return Err(check::no_shape(value, &path)) };
        let at = |at: usize| format!("{path}.{at}");
        match items.first() {
            None => Err(check::too_short(value, &path)),
            Some(Value::Number(_)) => Ok(Some(Self::Tokens(vec![ids(items, &path)?]))),
            _ if items.len() > most => Err(check::too_long(value, &path)),
            Some(Value::String(_)) => {
                let texts = items.iter().enumerate().map(|(i, item)| check::text(item, &at(i)).map(str::to_owned));
                Ok(Some(Self::Texts(texts.collect::<Result<_, _>>()?)))
            }
            Some(Value::Array(_)) => {
                let lists = items.iter().enumerate().map(|(i, item)| match item {
                    Value::Array(list) if list.is_empty() => Err(check::too_short(item, &at(i))),
                    Value::Array(list) => ids(list, &at(i)),
                    _ => Err(check::not_type(item, "array", &at(i))),
                });
                Ok(Some(Self::Tokens(lists.collect::<Result<_, _>>()?)))
            }
            Some(_) => Err(check::no_shape(value, &path)),
        }
    }
}

fn ids(items: &[Value], path: &str) -> Result<Vec<u32>, Reject> {
    let id = |(i, item): (usize, &Value)| {
        let id = item.as_u64().filter(|id| *id < MAX_ID);
        id.map(|id| id as u32).ok_or_else(|| check::not_type(item, "token id", &format!("{path}.{i}")))
    };
    items.iter().enumerate().map(id).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(value: Value) -> Result<Option<Input>, String> {
        let body = json!({ "input": value });
        let Value::Object(map) = &body else { unreachable!() };
        Input::read(&Fields::of(map), "input", 2).map_err(|reject| reject.message)
    }

    #[test]
    fn all_four_forms_are_read() {
        assert_eq!(read(json!(null)), Ok(None));
        assert_eq!(read(json!("a")), Ok(Some(Input::Texts(vec!["a".into()]))));
        assert_eq!(read(json!(["a", "b"])), Ok(Some(Input::Texts(vec!["a".into(), "b".into()]))));
        assert_eq!(read(json!([1, 2, 3])), Ok(Some(Input::Tokens(vec![vec![1, 2, 3]]))));
        assert_eq!(read(json!([[1], [2, 3]])), Ok(Some(Input::Tokens(vec![vec![1], vec![2, 3]]))));
    }

    #[test]
    fn other_forms_are_refused_by_place() {
        for (value, words) in [
            (json!([]), "[] is too short - 'input'"),
            (json!(5), "5 is not valid under any of the given schemas - 'input'"),
            (json!([null]), "[None] is not valid under any of the given schemas - 'input'"),
            (json!(["a", 5]), "5 is not of type 'string' - 'input.1'"),
            (json!(["a", "b", "c"]), "['a', 'b', 'c'] is too long - 'input'"),
            (json!([1, -2]), "-2 is not of type 'token id' - 'input.1'"),
            (json!([1, 2.5]), "2.5 is not of type 'token id' - 'input.1'"),
            (json!([[1], []]), "[] is too short - 'input.1'"),
            (json!([[1], "x"]), "'x' is not of type 'array' - 'input.1'"),
        ] {
            assert_eq!(read(value.clone()), Err(words.to_owned()), "{value}");
        }
    }
}
