//! A cost, of one thing or as a sum.

use std::iter::Sum;
use std::ops::{Add, AddAssign};

/// A cost: the known part, and whether another part is unknown. The default is free.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cost {
    /// The known part, nano-dollars.
    pub nano: i64,
    /// Whether the price of a part is unknown.
    pub unknown: bool,
}

impl Cost {
    /// Known to cost nothing.
    pub const FREE: Self = Self { nano: 0, unknown: false };
    /// The price of all of it is unknown.
    pub const UNKNOWN: Self = Self { nano: 0, unknown: true };

    /// Returns whether it is known to cost nothing.
    pub fn is_free(self) -> bool {
        self == Self::FREE
    }
}

/// `None`: the price is unknown.
impl From<Option<i64>> for Cost {
    fn from(nano: Option<i64>) -> Self {
        nano.map_or(Self::UNKNOWN, |nano| Self { nano, unknown: false })
    }
}

impl Add for Cost {
    type Output = Self;

    fn add(self, more: Self) -> Self {
        Self { nano: self.nano.saturating_add(more.nano), unknown: self.unknown || more.unknown }
    }
}

impl AddAssign for Cost {
    fn add_assign(&mut self, more: Self) {
        *self = *self + more;
    }
}

impl Sum for Cost {
    fn sum<I: Iterator<Item = Self>>(costs: I) -> Self {
        costs.fold(Self::FREE, Self::add)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sum_with_an_unknown_part_keeps_what_is_known() {
        let sum = |costs: &[Option<i64>]| costs.iter().copied().map(Cost::from).sum::<Cost>();
        assert_eq!(sum(&[]), Cost::FREE);
        assert_eq!(sum(&[Some(0), Some(0)]), Cost::FREE);
        assert_eq!(sum(&[Some(5), None, Some(7)]), Cost { nano: 12, unknown: true });
        assert_eq!(sum(&[None, Some(0)]), Cost::UNKNOWN);
        assert_eq!(sum(&[Some(i64::MAX), Some(1)]).nano, i64::MAX);
    }
}
