//! Reads the fields of a request body and refuses what does not fit, in the words of the interface's schema checker
//! (`2.5 is greater than the maximum of 2 - 'temperature'`). Null always means "not sent".

use std::fmt::Write as _;

use serde_json::{Map, Value};

use super::json;
use super::reject::{Reject, short};

/// Characters of a wrong value that an error repeats.
const SHOWN: usize = 200;

/// An object of the request and its path in it.
pub(crate) struct Fields<'a> {
    map: &'a Map<String, Value>,
    /// Path of the object, empty for the body itself.
    path: String,
}

/// Parses the body as an object; fails if it is none.
pub(crate) fn body(bytes: &[u8]) -> Result<Map<String, Value>, Reject> {
    match json::read(bytes)? {
        Value::Object(map) => Ok(map),
        other => Err(not_type(&other, "object", "")),
    }
}

impl<'a> Fields<'a> {
    /// Wraps the body itself.
    pub(crate) fn of(map: &'a Map<String, Value>) -> Self {
        Self { map, path: String::new() }
    }

    /// Wraps `value`, which stands at `path`; fails if it is not an object.
    pub(crate) fn at(value: &'a Value, path: String) -> Result<Self, Reject> {
        match value {
            Value::Object(map) => Ok(Self { map, path }),
            other => Err(not_type(other, "object", &path)),
        }
    }

    /// Returns the path of the field `name`.
    pub(crate) fn path(&self, name: &str) -> String {
        if self.path.is_empty() { name.to_owned() } else { format!("{}.{name}", self.path) }
    }

    /// Returns the value of `name`, unless it is absent or null.
    pub(crate) fn get(&self, name: &str) -> Option<&'a Value> {
        self.map.get(name).filter(|value| !value.is_null())
    }

    /// Returns the value of `name`; fails if it is absent or null.
    pub(crate) fn require(&self, name: &str) -> Result<&'a Value, Reject> {
        self.get(name).ok_or_else(|| Reject::bad(format!("'{name}' is a required property{}", path_suffix(&self.path))))
    }

    /// Returns the first name in the object that is not in `known`.
    pub(crate) fn first_unknown(&self, known: &[&str]) -> Option<&'a str> {
        self.map.keys().map(String::as_str).find(|name| !known.contains(name))
    }

    /// Fails if a name is not in `known`.
    pub(crate) fn refuse_unknown(&self, known: &[&str]) -> Result<(), Reject> {
        let Some(name) = self.first_unknown(known) else { return Ok(()) };
        Err(Reject::bad(format!("Unrecognized request argument supplied: {}", short(name, SHOWN))))
    }

    /// Returns the model; an empty name means "not sent". Fails if it is no string.
    pub(crate) fn model(&self) -> Result<Option<&'a str>, Reject> {
        Ok(self.text("model")?.filter(|model| !model.is_empty()))
    }

    /// Returns a string; fails if it is something else.
    pub(crate) fn text(&self, name: &str) -> Result<Option<&'a str>, Reject> {
        self.get(name).map(|value| text(value, &self.path(name))).transpose()
    }

    /// Returns a boolean; fails if it is something else.
    pub(crate) fn flag(&self, name: &str) -> Result<Option<bool>, Reject> {
        self.get(name)
            .map(|value| value.as_bool().ok_or_else(|| not_type(value, "boolean", &self.path(name))))
            .transpose()
    }

    /// Returns a number from `least` to `most`, inclusive; fails for anything else.
    pub(crate) fn number(&self, name: &str, least: f64, most: f64) -> Result<Option<f64>, Reject> {
        self.get(name).map(|value| number(value, &self.path(name), least, most)).transpose()
    }

    /// Returns a whole number from `least` to `most`, inclusive; `3.0` is one. Fails for anything else.
    pub(crate) fn integer(&self, name: &str, least: i64, most: i64) -> Result<Option<i64>, Reject> {
        let Some(value) = self.get(name) else { return Ok(None) };
        let path = self.path(name);
        let exact = value.as_f64().filter(|f| f.fract() == 0.0 && f.abs() < 9.0e15).map(|f| f as i64);
        if value.as_u64().is_some_and(|whole| i64::try_from(whole).is_err()) {
            return Err(too_great(value, &most.to_string(), &path));
        }
        let whole = value.as_i64().or(exact).ok_or_else(|| not_type(value, "integer", &path))?;
        if whole < least {
            return Err(too_small(value, &least.to_string(), &path));
        }
        if whole > most {
            return Err(too_great(value, &most.to_string(), &path));
        }
        Ok(Some(whole))
    }

    /// Returns an array; fails if it is something else.
    pub(crate) fn list(&self, name: &str) -> Result<Option<&'a Vec<Value>>, Reject> {
        self.get(name)
            .map(|value| value.as_array().ok_or_else(|| not_type(value, "array", &self.path(name))))
            .transpose()
    }
}

/// Returns `value`, which stands at `path`, as a string; fails if it is none.
pub(crate) fn text<'a>(value: &'a Value, path: &str) -> Result<&'a str, Reject> {
    value.as_str().ok_or_else(|| not_type(value, "string", path))
}

/// Returns `value`, which stands at `path`, as a number from `least` to `most`; fails for anything else.
pub(crate) fn number(value: &Value, path: &str, least: f64, most: f64) -> Result<f64, Reject> {
    let number = value.as_f64().ok_or_else(|| not_type(value, "number", path))?;
    if number < least {
        return Err(too_small(value, &least.to_string(), path));
    }
    if number > most {
        return Err(too_great(value, &most.to_string(), path));
    }
    Ok(number)
}

/// Refuses a value of the wrong type.
pub(crate) fn not_type(value: &Value, wanted: &str, path: &str) -> Reject {
    Reject::bad(format!("{} is not of type '{wanted}'{}", repr(value), path_suffix(path)))
}

/// Refuses a word that is not one of `words`.
pub(crate) fn not_one_of(value: &Value, words: &[&str], path: &str) -> Reject {
    let words: Vec<String> = words.iter().map(|word| format!("'{word}'")).collect();
    Reject::bad(format!("{} is not one of [{}]{}", repr(value), words.join(", "), path_suffix(path)))
}

/// Refuses an array with too many items.
pub(crate) fn too_long(value: &Value, path: &str) -> Reject {
    Reject::bad(format!("{} is too long{}", repr(value), path_suffix(path)))
}

/// Refuses an array with too few items.
pub(crate) fn too_short(value: &Value, path: &str) -> Reject {
    Reject::bad(format!("{} is too short{}", repr(value), path_suffix(path)))
}

/// Refuses a value that is none of several shapes.
pub(crate) fn no_shape(value: &Value, path: &str) -> Reject {
    Reject::bad(format!("{} is not valid under any of the given schemas{}", repr(value), path_suffix(path)))
}

fn too_great(value: &Value, most: &str, path: &str) -> Reject {
    Reject::bad(format!("{} is greater than the maximum of {most}{}", repr(value), path_suffix(path)))
}

fn too_small(value: &Value, least: &str, path: &str) -> Reject {
    Reject::bad(format!("{} is less than the minimum of {least}{}", repr(value), path_suffix(path)))
}

fn path_suffix(path: &str) -> String {
    if path.is_empty() { String::new() } else { format!(" - '{}'", short(path, SHOWN)) }
}

/// Returns a value as the interface's checker writes it: in Python's notation, shortened for an error.
fn repr(value: &Value) -> String {
    let mut out = String::new();
    write_repr(value, &mut out);
    short(&out, SHOWN)
}

fn write_repr(value: &Value, out: &mut String) {
    // An error shows the first 200 characters: what follows four times that in bytes need not be written.
    if out.len() > 4 * SHOWN {
        return;
    }
    match value {
        Value::Null => out.push_str("None"),
        Value::Bool(true) => out.push_str("True"),
        Value::Bool(false) => out.push_str("False"),
        Value::Number(number) => {
            let _ = write!(out, "{number}");
        }
        Value::String(text) => quote(text, out),
        Value::Array(items) => {
            out.push('[');
            for (i, item) in items.iter().enumerate() {
                out.push_str(if i == 0 { "" } else { ", " });
                write_repr(item, out);
            }
            out.push(']');
        }
        Value::Object(map) => {
            out.push('{');
            for (i, (name, item)) in map.iter().enumerate() {
                out.push_str(if i == 0 { "" } else { ", " });
                quote(name, out);
                out.push_str(": ");
                write_repr(item, out);
            }
            out.push('}');
        }
    }
}

fn quote(text: &str, out: &mut String) {
    let mark = if text.contains('\'') && !text.contains('"') { '"' } else { '\'' };
    out.push(mark);
    for c in text.chars().take(SHOWN + 1) {
        match c {
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            '\r' => out.push_str("\\r"),
            '\\' => out.push_str("\\\\"),
            c if c == mark => out.extend(['\\', c]),
            c if c.is_control() => {
                let _ = write!(out, "\\x{:02x}", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out.push(mark);
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn refused<T>(result: Result<T, Reject>) -> String {
        result.err().expect("refused").message
    }

    #[test]
    fn values_are_written_as_the_interface_writes_them() {
        let value = json!([null, true, 1.5, "it's", "a\n", {"k": []}]);
        assert_eq!(repr(&value), r#"[None, True, 1.5, "it's", 'a\n', {'k': []}]"#);
        assert_eq!(repr(&json!("x".repeat(1000))).chars().count(), SHOWN + 1);
    }

    #[test]
    fn numbers_have_ends_and_whole_numbers_may_carry_a_zero_fraction() {
        let value = json!({"t": 2.5, "n": 3.0, "m": 1.5, "b": true, "z": null, "big": 1e300, "u": u64::MAX});
        let Value::Object(map) = &value else { unreachable!() };
        let fields = Fields::of(map);
        assert_eq!(refused(fields.number("t", 0.0, 2.0)), "2.5 is greater than the maximum of 2 - 't'");
        assert_eq!(refused(fields.number("t", 3.0, 4.0)), "2.5 is less than the minimum of 3 - 't'");
        assert_eq!(fields.number("t", 2.5, 2.5).ok(), Some(Some(2.5)));
        assert_eq!(fields.integer("n", 1, 3).ok(), Some(Some(3)));
        assert_eq!(refused(fields.integer("m", 1, 3)), "1.5 is not of type 'integer' - 'm'");
        assert_eq!(refused(fields.integer("u", 1, 3)), "18446744073709551615 is greater than the maximum of 3 - 'u'");
        assert_eq!(refused(fields.integer("big", 1, 3)), "1e+300 is not of type 'integer' - 'big'");
        assert_eq!(refused(fields.number("b", 0.0, 1.0)), "True is not of type 'number' - 'b'");
        assert_eq!(fields.number("z", 0.0, 1.0).ok(), Some(None));
    }

    #[test]
    fn a_body_that_is_not_an_object_is_refused() {
        assert_eq!(refused(body(b"[]")), "[] is not of type 'object'");
        assert!(refused(body(b"{")).starts_with("We could not parse the JSON body of your request. (HINT: This"));
        assert!(refused(body(b"")).contains("HINT"));
        assert!(refused(body("[".repeat(200).as_bytes())).contains("recursion"), "depth is bounded");
    }
}
