//! Reads the query of a request's URL. Unknown names are ignored.

use std::collections::HashMap;

use super::reject::{Reject, short};

/// Names and values; of a repeated name the last value.
pub(super) type QueryParams = HashMap<String, String>;

/// Reads a boolean in the spellings that clients use; not sent: false. Fails for anything else.
pub(super) fn flag(params: &QueryParams, name: &str) -> Result<bool, Reject> {
    match params.get(name).map(String::as_str) {
        Some("true" | "True" | "TRUE" | "1") => Ok(true),
        None | Some("" | "false" | "False" | "FALSE" | "0" | "null" | "None") => Ok(false),
        Some(other) => Err(Reject::bad(format!("'{}' is not of type 'boolean' - '{name}'", short(other, 100)))),
    }
}

/// Reads a whole number from `least` to `most`; not sent: `default`. Fails for anything else.
pub(super) fn integer(params: &QueryParams, name: &str, least: u64, most: u64, default: u64) -> Result<u64, Reject> {
    let Some(value) = params.get(name).filter(|value| !value.is_empty()) else { return Ok(default) };
    let shown = short(value, 100);
    match value.parse::<u64>() {
        Ok(number) if number < least => {
            Err(Reject::bad(format!("{shown} is less than the minimum of {least} - '{name}'")))
        }
        Ok(number) if number > most => {
            Err(Reject::bad(format!("{shown} is greater than the maximum of {most} - '{name}'")))
        }
        Ok(number) => Ok(number),
        Err(_) => Err(Reject::bad(format!("'{shown}' is not of type 'integer' - '{name}'"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_flag_and_no_number_is_refused() {
        let params = |name: &str, value: &str| QueryParams::from([(name.to_owned(), value.to_owned())]);
        assert_eq!(flag(&params("stream", "true"), "stream").ok(), Some(true));
        assert_eq!(flag(&params("stream", "False"), "stream").ok(), Some(false));
        assert_eq!(flag(&params("other", "x"), "stream").ok(), Some(false));
        assert!(flag(&params("stream", "maybe"), "stream").is_err());
        assert_eq!(integer(&params("limit", "1"), "limit", 1, 100, 20).ok(), Some(1));
        assert_eq!(integer(&params("limit", ""), "limit", 1, 100, 20).ok(), Some(20));
        for wrong in ["0", "101", "x", "-1"] {
            assert!(integer(&params("limit", wrong), "limit", 1, 100, 20).is_err(), "{wrong}");
        }
    }
}
