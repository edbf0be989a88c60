//! The help page is searched, and says where in it one is.

use crossterm::event::KeyCode;

use crate::real::{Real, real};

#[test]
fn help_is_searched_by_typing() {
    let mut real = real(100, 30);
    real.press("\u{1b}?");
    let all = real.screen();
    assert!(all.contains("next message") && all.contains("/ search  esc close"), "{all}");
    real.press("/side by");
    let found = real.screen();
    assert!(found.contains("/ side by") && found.contains("versions side by side"), "{found}");
    assert!(found.contains("Answers") && !found.contains("next message"), "headings stay: {found}");
    assert!(real.footer().contains("esc show all"), "{}", real.footer());
    real.press("zzz");
    assert!(real.screen().contains("nothing matches"));
    // Letters that scroll or close elsewhere are text here; Esc shows all again, then closes.
    real.press("q?jk");
    assert!(real.screen().contains("side byzzzq?jk"), "{}", real.screen());
    real.press("\u{1b}");
    assert_eq!(real.screen(), all);
    real.press("\u{1b}");
    assert!(!real.screen().contains("/ search"));
}

#[test]
fn help_says_where_in_it_one_is() {
    let mut real = real(80, 24);
    real.press("\u{1b}?");
    let place = |real: &mut Real| {
        let top = real.lines().into_iter().find(|line| line.contains("─ Help")).unwrap();
        top.split_whitespace().skip_while(|word| !word.contains('–')).take(4).collect::<Vec<_>>().join(" ")
    };
    let first = place(&mut real);
    assert!(first.starts_with("1–20 of ") && first.ends_with('↓'), "{first}");
    let all: usize = first.split(' ').nth(2).unwrap().parse().unwrap();
    real.code(KeyCode::PageDown);
    assert!(place(&mut real).starts_with("20–39 of "), "{}", place(&mut real));
    real.press("G");
    assert!(place(&mut real).starts_with(&format!("{}–{all} of {all} ─", all - 19)), "{}", place(&mut real));
}
