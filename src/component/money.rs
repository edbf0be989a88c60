//! Formats costs for people.

use crate::record::Cost;

/// Formats a cost: `$0.0041`; `free`; `—` if it is unknown; `$0.12 + ?` if a part of it is unknown.
pub fn cost(cost: impl Into<Cost>) -> String {
    written(cost.into(), dollars)
}

/// Formats the cost of an estimated number of tokens: `~$0.0041`. A cost that is free or unknown is not marked.
pub fn about(about: impl Into<Cost>) -> String {
    let known = about.into();
    format!("{}{}", if known.nano == 0 { "" } else { "~" }, cost(known))
}

/// Formats what is about to be sent, and its cost: `~61 tok ≈ $0.000024`, `~61 tok, free`, `~61 tok ≈ —`.
pub fn priced(words: &str, known: impl Into<Cost>) -> String {
    let known = known.into();
    format!("{words}{}{}", if known.is_free() { ", " } else { " ≈ " }, cost(known))
}

/// Formats the sum of a day, rounded to cents from one cent on. Without a request nothing was spent: `free`.
pub fn total(sum: Option<Cost>) -> String {
    let cents = |nano| if nano < 10_000_000 { dollars(nano) } else { format!("${:.2}", nano as f64 / 1e9) };
    written(sum.unwrap_or(Cost::FREE), cents)
}

/// Formats the price of a million tokens with as many digits as it has: `$2.50`, `$0.075`, `$10`.
pub fn per_million(nano: i64) -> String {
    let dollars = nano as f64 / 1e9;
    if nano % 1_000_000_000 == 0 {
        return format!("${dollars:.0}");
    }
    let text = format!("{dollars:.6}");
    let text = text.trim_end_matches('0');
    // Cents have two digits.
    let digits = text.split_once('.').map_or(0, |(_, digits)| digits.len());
    if digits < 2 { format!("${dollars:.2}") } else { format!("${text}") }
}

fn written(cost: Cost, dollars: impl Fn(i64) -> String) -> String {
    match (cost.nano, cost.unknown) {
        (0, false) => "free".to_owned(),
        (0, true) => "—".to_owned(),
        (nano, false) => dollars(nano),
        (nano, true) => format!("{} + ?", dollars(nano)),
    }
}

/// Formats nano-dollars as dollars: two decimals from a dollar on, four below that, six below a hundredth of a cent.
fn dollars(nano: i64) -> String {
    let dollars = nano as f64 / 1e9;
    match nano {
        1_000_000_000.. => format!("${dollars:.2}"),
        100_000.. => format!("${dollars:.4}"),
        // What costs something is never shown as costing nothing.
        1..1_000 => "<$0.000001".to_owned(),
        _ => format!("${dollars:.6}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn costs_read_well() {
        assert_eq!(
            [None, Some(0), Some(4_100_000), Some(400), Some(1_500_000_000)].map(cost),
            ["—", "free", "$0.0041", "<$0.000001", "$1.50"]
        );
        assert_eq!([None, Some(0), Some(4_100_000)].map(about), ["—", "free", "~$0.0041"]);
        let part = Cost { nano: 120_000_000, unknown: true };
        assert_eq!((cost(part), about(part)), ("$0.1200 + ?".to_owned(), "~$0.1200 + ?".to_owned()));
        assert_eq!(
            [None, Some(0), Some(24_000)].map(|nano| priced("~61 tok", nano)),
            ["~61 tok ≈ —", "~61 tok, free", "~61 tok ≈ $0.000024"]
        );
        let prices = [0, 10_000_000_000, 2_500_000_000, 75_000_000, 20_000, 37_500_000].map(per_million);
        assert_eq!(prices, ["$0", "$10", "$2.50", "$0.075", "$0.00002", "$0.0375"]);
        let day = |nano, unknown| total(Some(Cost { nano, unknown }));
        assert_eq!([total(None), day(0, false), day(0, true)], ["free", "free", "—"]);
        assert_eq!([day(120_000_000, true), day(4_100_000, false)], ["$0.12 + ?", "$0.0041"]);
    }
}
