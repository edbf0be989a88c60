//! Reads the JSON of a request's body within limits of count, so that a body within its limit of bytes cannot become
//! many times its size in memory: `{}` takes two bytes to send and hundreds in memory.

use std::cell::{Cell, RefCell};
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};

use super::limits::{NUMBERS, VALUES};
use super::reject::{Reject, short};

/// Parses a whole body. Fails if it is malformed or has too many values.
pub(super) fn read(bytes: &[u8]) -> Result<Value, Reject> {
    let counts = ValueCounts::default();
    let mut reader = serde_json::Deserializer::from_slice(bytes);
    let read = LimitedValue { counts: &counts, top: true }.deserialize(&mut reader);
    let read = read.and_then(|value| reader.end().map(|()| value));
    read.map_err(|why| {
        if let Some((what, most)) = counts.over.get() {
            let field = short(&counts.field.borrow(), 100);
            let message = format!("'{field}' has too many {what}: at most {most} are allowed. Please send fewer.");
            return Reject::bad(message);
        }
        Reject::bad(format!(
            "We could not parse the JSON body of your request. (HINT: This likely means you aren't using your HTTP \
             library correctly. The service expects a JSON payload, but what was sent was not valid JSON: {why}.)"
        ))
    })
}

/// What was counted so far.
#[derive(Default)]
struct ValueCounts {
    /// Numbers.
    numbers: Cell<usize>,
    /// Everything else.
    values: Cell<usize>,
    /// The field of the body that is being read.
    field: RefCell<String>,
    /// The limit that was exceeded.
    over: Cell<Option<(&'static str, usize)>>,
}

/// A value to be parsed.
#[derive(Clone, Copy)]
struct LimitedValue<'a> {
    counts: &'a ValueCounts,
    /// Whether it is the top-level value.
    top: bool,
}

impl LimitedValue<'_> {
    fn inner(self) -> Self {
        Self { top: false, ..self }
    }

    /// Counts a value that is not a number; fails above the limit.
    fn value<E: serde::de::Error>(self) -> Result<(), E> {
        self.count(&self.counts.values, ("values", VALUES))
    }

    fn number<E: serde::de::Error>(self, number: impl Into<Number>) -> Result<Value, E> {
        self.count(&self.counts.numbers, ("numbers", NUMBERS))?;
        Ok(Value::Number(number.into()))
    }

    fn count<E: serde::de::Error>(self, count: &Cell<usize>, bound: (&'static str, usize)) -> Result<(), E> {
        count.set(count.get() + 1);
        if count.get() <= bound.1 {
            return Ok(());
        }
        self.counts.over.set(Some(bound));
        Err(E::custom("too many"))
    }
}

impl<'de> DeserializeSeed<'de> for LimitedValue<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, reader: D) -> Result<Value, D::Error> {
        reader.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for LimitedValue<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any valid JSON value")
    }

    fn visit_bool<E: serde::de::Error>(self, value: bool) -> Result<Value, E> {
        self.value().map(|()| Value::Bool(value))
    }

    fn visit_unit<E: serde::de::Error>(self) -> Result<Value, E> {
        self.value().map(|()| Value::Null)
    }

    fn visit_i64<E: serde::de::Error>(self, value: i64) -> Result<Value, E> {
        self.number(value)
    }

    fn visit_u64<E: serde::de::Error>(self, value: u64) -> Result<Value, E> {
        self.number(value)
    }

    fn visit_f64<E: serde::de::Error>(self, value: f64) -> Result<Value, E> {
        self.number(Number::from_f64(value).ok_or_else(|| E::custom("a number is not finite"))?)
    }

    fn visit_str<E: serde::de::Error>(self, value: &str) -> Result<Value, E> {
        self.value().map(|()| Value::String(value.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        self.value()?;
        let mut list = Vec::new();
        while let Some(item) = items.next_element_seed(self.inner())? {
            list.push(item);
        }
        Ok(Value::Array(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Value, A::Error> {
        self.value()?;
        let mut map = Map::new();
        while let Some(name) = entries.next_key::<String>()? {
            if self.top {
                self.counts.field.borrow_mut().clone_from(&name);
            }
            // An entry takes more memory than the number in it.
            self.value()?;
            map.insert(name, entries.next_value_seed(self.inner())?);
        }
        Ok(Value::Object(map))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_is_within_bounds_is_read_as_it_is() {
        let value = json!({"a": [1, -2, 2.5, 1e300, u64::MAX, null, true, "x\n"], "b": {"c": {}}, "d": []});
        assert_eq!(read(value.to_string().as_bytes()).ok(), Some(value));
        for wrong in ["", "{", "{} x", "[1,]", "nul"] {
            let why = read(wrong.as_bytes()).unwrap_err().message;
            assert!(why.starts_with("We could not parse the JSON body of your request. (HINT: This"), "{why}");
        }
    }

    #[test]
    fn each_bound_is_the_last_that_passes() {
        let numbers = |count: usize| format!("{{\"input\":[{}1]}}", "1,".repeat(count - 1));
        assert!(read(numbers(NUMBERS).as_bytes()).is_ok());
        let why = read(numbers(NUMBERS + 1).as_bytes()).unwrap_err().message;
        assert_eq!(why, format!("'input' has too many numbers: at most {NUMBERS} are allowed. Please send fewer."));
        // The body, its two entries and the list are values too.
        let values = |count: usize| format!("{{\"model\":1,\"messages\":[{}{{}}]}}", "{},".repeat(count - 5));
        assert!(read(values(VALUES).as_bytes()).is_ok());
        let why = read(values(VALUES + 1).as_bytes()).unwrap_err().message;
        assert_eq!(why, format!("'messages' has too many values: at most {VALUES} are allowed. Please send fewer."));
        let entries = (0..VALUES).map(|at| format!("\"{at}\":1,")).collect::<Vec<_>>().concat();
        let why = read(format!("{{\"logit_bias\":{{{entries}\"x\":1}}}}").as_bytes()).unwrap_err().message;
        assert!(why.starts_with("'logit_bias' has too many values"), "{why}");
        let why = read(format!("{{{entries}\"x\":1}}").as_bytes()).unwrap_err().message;
        assert!(why.ends_with("has too many values: at most 32768 are allowed. Please send fewer."), "{why}");
    }
}
