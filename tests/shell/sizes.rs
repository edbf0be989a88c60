//! What keys do depends on the size of the screen and on the state, never on whether a frame was drawn.

use crate::real::real;

/// Returns the screen after these keys, with a frame drawn before each key, or none before the last.
fn after(size: (u16, u16), keys: &str, frames: bool) -> String {
    let mut real = real(size.0, size.1);
    for key in keys.split(' ') {
        if frames {
            real.lines();
        }
        real.press(key);
    }
    real.screen()
}

#[test]
fn keys_before_the_first_frame_do_what_they_do_after_one() {
    for size in [(120, 36), (80, 24), (40, 12)] {
        for tab in 1..=6 {
            for keys in [
                "\t j j k",
                "a x y z",
                "s j j",
                "G k",
                "\t \t j",
                "p j",
                "c",
                "i a b \u{1b} u",
                "? j j k",
                "? G k k",
                "? / e \u{1b} G",
            ] {
                let keys = format!("\u{1b} {tab} {keys}");
                assert_eq!(after(size, &keys, false), after(size, &keys, true), "{size:?} {keys:?}");
            }
        }
    }
}

#[test]
fn keys_between_a_change_of_size_and_its_frame_do_what_they_do_after_it() {
    let sizes = [(120, 36), (80, 24), (40, 12)];
    for (from, to) in [(0, 1), (0, 2), (1, 0), (1, 2), (2, 0), (2, 1)] {
        for tab in 1..=6 {
            for keys in ["\t", "\t j", "j", "b", "s", "? G k"] {
                let shown = [false, true].map(|frames| {
                    let mut real = real(sizes[from].0, sizes[from].1);
                    real.press("\u{1b}");
                    real.press(&tab.to_string());
                    real.lines();
                    real.size = sizes[to];
                    for key in keys.split(' ') {
                        if frames {
                            real.lines();
                        }
                        real.press(key);
                    }
                    real.screen()
                });
                assert_eq!(shown[0], shown[1], "tab {tab}, {keys:?}, from {:?} to {:?}", sizes[from], sizes[to]);
            }
        }
    }
}

/// Returns keys: many steps down, fewer back. A list scrolls only as far as each step needs.
fn down_and_up(open: &str) -> String {
    format!("\u{1b} {open}{}{}", " j".repeat(40), " k".repeat(3))
}

#[test]
fn a_form_scrolls_by_keys_before_the_first_frame_as_it_does_after_one() {
    for size in [(80, 24), (40, 12)] {
        // Chat's parameters, Complete's settings and presets, a new fine-tune.
        for open in ["t", "2 \u{1b} \t", "2 \u{1b} P", "6 n"] {
            let keys = down_and_up(open);
            assert_eq!(after(size, &keys, false), after(size, &keys, true), "{size:?} {open:?}");
        }
    }
}

#[test]
fn a_form_scrolls_between_a_change_of_size_and_its_frame_as_it_does_after_it() {
    let shown = [false, true].map(|frames| {
        let mut real = real(120, 36);
        real.press("\u{1b}");
        real.press("t");
        real.lines();
        real.size = (40, 12);
        for key in down_and_up("").split(' ').skip(1).filter(|key| !key.is_empty()) {
            if frames {
                real.lines();
            }
            real.press(key);
        }
        real.screen()
    });
    assert_eq!(shown[0], shown[1]);
    assert!(shown[0].contains("Parameters"), "{}", shown[0]);
}
