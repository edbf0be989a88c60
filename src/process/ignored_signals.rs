//! Signals that the program was started to ignore, as by `nohup`, or as a background job of a script: they stay ignored.
//! Only Linux says which they are without unsafe code.

use std::sync::LazyLock;

/// The signals that were ignored when it was first asked: bit 0 stands for signal 1.
static IGNORED: LazyLock<u64> = LazyLock::new(|| {
    // On other systems there is no such file.
    mask(&std::fs::read_to_string("/proc/self/status").unwrap_or_default())
});

/// Returns whether a signal was ignored at the start. Whoever installs a handler asks before.
pub fn was_ignored(signal: i32) -> bool {
    let bit = u32::try_from(signal).ok().and_then(|signal| signal.checked_sub(1));
    bit.and_then(|bit| IGNORED.checked_shr(bit)).is_some_and(|rest| rest & 1 == 1)
}

/// Returns the mask of ignored signals in what Linux says of a process.
fn mask(status: &str) -> u64 {
    let digits = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    digits.and_then(|digits| u64::from_str_radix(digits.trim(), 16).ok()).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mask_is_found_in_what_linux_says() {
        assert_eq!(mask("Name:\tbenchtop\nSigBlk:\t0000000000000001\nSigIgn:\t0000000000001003\n"), 0x1003);
        assert_eq!(mask(""), 0);
        for none in [-1, 0, 65] {
            assert!(!was_ignored(none));
        }
    }
}
