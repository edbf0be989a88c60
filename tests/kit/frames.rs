//! Whether frames change what keys do.

use std::time::Duration;

use super::{Driver, Front, Tab, keys_of};

/// Screens of three classes of size, so that each follows each other one.
const SIZES: [(u16, u16); 6] = [(120, 36), (80, 24), (40, 12), (120, 36), (40, 12), (80, 24)];

/// Fails unless keys do the same without frames as with a frame before each of them: before the first frame, and after
/// each change of size. Each string of keys is pressed on a screen of another size, and finds what the one before it
/// left.
#[track_caller]
pub fn frames_change_nothing<T: Tab, F: Front>(desk: impl Fn() -> Driver<T, F>, keys: &[&str]) {
    for first in 0..SIZES.len() {
        let (mut without, mut with) = (desk(), desk());
        for (keys, size) in keys.iter().zip(SIZES.into_iter().cycle().skip(first)) {
            (without.size, with.size) = (size, size);
            without.press(keys);
            for key in keys_of(keys) {
                with.lines();
                with.code(key);
            }
            let [without, with] = [&mut without, &mut with].map(|desk| {
                // A notice stays where it was drawn first.
                desk.wait(Duration::from_secs(10));
                desk.lines().iter().map(|line| without_share(line).to_owned()).collect::<Vec<_>>().join("\n")
            });
            assert_eq!(without, with, "{keys:?} at {size:?}");
        }
    }
}

/// Returns a line without the share at its end: an estimate of how far down a view is, better the more was shown.
fn without_share(line: &str) -> &str {
    line.strip_suffix('%').map_or(line, |line| line.trim_end_matches(|c: char| c.is_ascii_digit() || c == ' '))
}
