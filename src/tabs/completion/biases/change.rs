//! A bias in numbers and words, and how one key changes it.

use std::collections::BTreeMap;

/// Furthest a bias goes, either way.
pub(super) const MOST: f64 = 100.0;

/// One key's change of one bias.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BiasChange {
    /// −100: never.
    Never,
    /// +5, or 5 more where it is likelier already.
    Likelier,
    /// +100: always.
    Always,
    /// None.
    Remove,
}

impl BiasChange {
    /// Does it to a token's bias, in a map as it is sent.
    pub(crate) fn apply(self, biases: &mut BTreeMap<String, f64>, id: u32) {
        let id = id.to_string();
        let value = match self {
            Self::Never => -MOST,
            Self::Likelier => (biases.get(&id).copied().unwrap_or(0.0).max(0.0) + 5.0).min(MOST),
            Self::Always => MOST,
            Self::Remove => {
                biases.remove(&id);
                return;
            }
        };
        biases.insert(id, value);
    }
}

/// Returns a bias with its sign: `+5`, `−100`, `0`.
pub(crate) fn signed(bias: f64) -> String {
    if bias == 0.0 { "0".to_owned() } else { format!("{}{}", if bias < 0.0 { '−' } else { '+' }, bias.abs()) }
}

/// Returns what a bias does.
pub(super) fn does(bias: f64) -> &'static str {
    match bias {
        _ if bias <= -MOST => "never",
        _ if bias >= MOST => "always",
        _ if bias < 0.0 => "rarer",
        _ if bias > 0.0 => "likelier",
        _ => "no change",
    }
}

/// Returns the sides of a bar of `2 * half + 1` cells around its middle.
pub(super) fn bar(bias: f64, half: usize) -> String {
    let cells = ((bias.abs() / MOST * half as f64).ceil() as usize).min(half);
    let (full, empty) = ("█".repeat(cells), "·".repeat(half - cells));
    let none = "·".repeat(half);
    if bias < 0.0 { format!("{empty}{full}┊{none}") } else { format!("{none}┊{full}{empty}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_change_one_bias() {
        let mut map = BTreeMap::new();
        let mut after = |nudge: BiasChange| {
            nudge.apply(&mut map, 7);
            map.get("7").copied()
        };
        assert_eq!(after(BiasChange::Never), Some(-100.0));
        assert_eq!(after(BiasChange::Likelier), Some(5.0), "from never it begins anew");
        assert_eq!(after(BiasChange::Likelier), Some(10.0));
        assert_eq!(after(BiasChange::Always), Some(100.0));
        assert_eq!(after(BiasChange::Likelier), Some(100.0));
        assert_eq!(after(BiasChange::Remove), None);
        assert_eq!(after(BiasChange::Remove), None);
    }

    #[test]
    fn a_bias_is_said_and_drawn() {
        for (bias, said, word, drawn) in [
            (-100.0, "−100", "never", "████┊····"),
            (-1.0, "−1", "rarer", "···█┊····"),
            (0.0, "0", "no change", "····┊····"),
            (2.5, "+2.5", "likelier", "····┊█···"),
            (50.0, "+50", "likelier", "····┊██··"),
            (100.0, "+100", "always", "····┊████"),
        ] {
            assert_eq!((signed(bias).as_str(), does(bias), bar(bias, 4).as_str()), (said, word, drawn));
        }
    }
}
