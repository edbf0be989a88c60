//! Formatted numbers, for `ui` and the modules that cannot use it.

/// Formats `1284` as `1,284`.
pub fn count(number: u64) -> String {
    grouped(&number.to_string())
}

/// Inserts commas between the thousands of a decimal number, such as `-1284.5`.
pub fn grouped(number: &str) -> String {
    let whole = number.find('.').unwrap_or(number.len());
    let sign = usize::from(number.starts_with('-'));
    let mut out = String::with_capacity(number.len() + whole / 3);
    for (at, char) in number.char_indices() {
        if at > sign && at < whole && (whole - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(char);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_are_grouped_before_the_decimal_point() {
        assert_eq!(["0", "999", "1000"].map(grouped), ["0", "999", "1,000"]);
        assert_eq!(["-100", "-1234567.1234", "1234.5"].map(grouped), ["-100", "-1,234,567.1234", "1,234.5"]);
        assert_eq!(count(u64::MAX), "18,446,744,073,709,551,615");
    }
}
