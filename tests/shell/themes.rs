//! The list of themes: the one under the cursor is shown, Esc leads back to the one in use, Enter keeps it.

use std::time::Instant;

use benchtop::app::{App, Effect};
use benchtop::component::StartupChoice;
use benchtop::ui::theme::{Depth, Kind, OwnTheme, Rgb, Theme};
use crossterm::event::{KeyCode, KeyModifiers};
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::buffer::Buffer;
use ratatui::style::Color;

use crate::desk::{app_themed, key, press, screen};

const GROUND: Color = Color::Rgb(0x30, 0x10, 0x20);
const FAINT: Color = Color::Rgb(0x31, 0x11, 0x21);

fn app() -> App {
    let mut mine = OwnTheme::new("mine", Kind::Dark).unwrap();
    mine.set("ground", Rgb(0x30, 0x10, 0x20));
    mine.set("faint", Rgb(0x31, 0x11, 0x21));
    app_themed(vec![mine])
}

fn drawn(app: &mut App) -> Buffer {
    let mut terminal = Terminal::new(TestBackend::new(120, 36)).unwrap();
    terminal.draw(|frame| app.render(frame, Instant::now())).unwrap();
    terminal.backend().buffer().clone()
}

/// Returns the background of the main pane, below the list.
fn ground(app: &mut App) -> Color {
    drawn(app)[(3, 33)].bg
}

fn ground_of(kind: Kind) -> Color {
    Theme::of(kind, Depth::True).ground.bg.unwrap()
}

fn kept(effects: &[Effect]) -> Vec<&StartupChoice> {
    let choices = effects.iter().filter_map(|effect| match effect {
        Effect::Remember(choice) => Some(choice),
        _ => None,
    });
    choices.collect()
}

#[test]
fn the_theme_under_the_cursor_is_shown_and_escape_leads_back() {
    let mut app = app();
    assert_eq!(ground(&mut app), ground_of(Kind::Dark));
    press(&mut app, "^ptheme: choose\n");
    assert_eq!(ground(&mut app), ground_of(Kind::Dark), "the one in use is under the cursor");
    for kind in [Kind::Light, Kind::Warm] {
        press(&mut app, "↓");
        let theme = Theme::of(kind, Depth::True);
        let buf = drawn(&mut app);
        assert_eq!(Some(buf[(3, 33)].bg), theme.ground.bg);
        assert_eq!(buf[(10, 0)].bg, theme.panel.bg.unwrap(), "the header is neither dimmed nor of the old theme");
        assert!(buf.content.iter().any(|cell| Some(cell.bg) == theme.tab.bg), "the tab in front is as bright");
    }
    press(&mut app, "mine");
    assert_eq!(ground(&mut app), GROUND);
    assert!(drawn(&mut app).content.iter().any(|cell| cell.fg == FAINT), "used as it is, though it is too faint");
    assert_eq!(kept(&press(&mut app, "\u{1b}")), [] as [&StartupChoice; 0]);
    assert_eq!(ground(&mut app), ground_of(Kind::Dark));
    // A key that closes all dialogs leads back as well.
    press(&mut app, "^ptheme: choose\nlight");
    assert_eq!(ground(&mut app), ground_of(Kind::Light));
    app.update(key(KeyCode::Char('2'), KeyModifiers::ALT), Instant::now(), 0);
    assert_eq!(ground(&mut app), ground_of(Kind::Dark));
}

#[test]
fn enter_keeps_the_theme_for_the_next_start() {
    let mut app = app();
    let effects = press(&mut app, "^ptheme: choose\nmine\n");
    assert_eq!(kept(&effects), [&StartupChoice::Theme(Some("mine".into()))]);
    assert_eq!(ground(&mut app), GROUND);
    press(&mut app, "^ptheme: choose\n");
    let listed = screen(&mut app, 120, 36);
    assert!(listed.lines().any(|line| line.contains("▌ mine") && line.contains("in use")), "{listed}");
    let effects = press(&mut app, "automatic\n");
    assert_eq!(kept(&effects), [&StartupChoice::Theme(None)]);
    assert_eq!(ground(&mut app), ground_of(Kind::Dark), "the terminal's background is not known");
    let told = screen(&mut app, 120, 36);
    assert!(told.contains("from the next start on the theme fits"), "{told}");
    // The palette has them too, by name.
    let effects = press(&mut app, "^ptheme: mine\n");
    assert_eq!(kept(&effects), [&StartupChoice::Theme(Some("mine".into()))]);
    assert_eq!(ground(&mut app), GROUND);
}
