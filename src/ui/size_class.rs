//! Size classes of the screen.

/// Columns from which on panes are side by side.
pub const WIDE: u16 = 100;
/// Columns from which on labels are spelled out.
pub const MEDIUM: u16 = 60;

/// How much space there is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SizeClass {
    /// At least 100 × 28.
    Wide,
    /// At least 60 × 18.
    Medium,
    /// At least 40 × 10.
    Narrow,
    /// Less.
    TooSmall,
}

impl SizeClass {
    /// Returns the class of a screen of this size.
    pub fn of(width: u16, height: u16) -> Self {
        match (width, height) {
            (WIDE.., 28..) => Self::Wide,
            (MEDIUM.., 18..) => Self::Medium,
            (40.., 10..) => Self::Narrow,
            _ => Self::TooSmall,
        }
    }
}

/// Returns whether panes are side by side in an area of this size, which is what a wide screen has between header and
/// footer.
pub fn has_panes_beside(width: u16, height: u16) -> bool {
    SizeClass::of(width, height.saturating_add(2)) == SizeClass::Wide
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_their_class() {
        assert_eq!(SizeClass::of(120, 36), SizeClass::Wide);
        assert_eq!(SizeClass::of(120, 27), SizeClass::Medium);
        assert_eq!(SizeClass::of(80, 24), SizeClass::Medium);
        assert_eq!(SizeClass::of(80, 17), SizeClass::Narrow);
        assert_eq!(SizeClass::of(40, 10), SizeClass::Narrow);
        assert_eq!(SizeClass::of(39, 50), SizeClass::TooSmall);
        assert_eq!(SizeClass::of(200, 9), SizeClass::TooSmall);
        assert!(has_panes_beside(100, 26) && !has_panes_beside(99, 26) && !has_panes_beside(100, 25));
    }
}
