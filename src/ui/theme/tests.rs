use super::*;

/// Backgrounds of popular terminal themes.
const DARK: [u32; 8] = [0x00_0000, 0x1c_1f26, 0x28_2a36, 0x1e_1e2e, 0x28_2828, 0x00_2b36, 0x1a_1b26, 0x0d_1117];
const LIGHT: [u32; 6] = [0xff_ffff, 0xfd_f6e3, 0xfb_f1c7, 0xef_f1f5, 0xfa_fafa, 0xf6_f8fa];

pub(super) fn rgb(colour: Option<Color>) -> Rgb {
    match colour {
        Some(Color::Rgb(r, g, b)) => Rgb(r, g, b),
        Some(Color::Indexed(index)) => Rgb::indexed(index),
        other => panic!("neither true nor indexed: {other:?}"),
    }
}

/// Returns every theme with surfaces, with the background it is shown on.
pub(super) fn themes(depth: Depth) -> Vec<(Theme, Rgb)> {
    let own = Kind::ALL.into_iter().filter(|kind| kind.has_surfaces()).map(|kind| {
        let theme = Theme::of(kind, depth);
        let ground = rgb(theme.ground.bg);
        (theme, ground)
    });
    let mixed = DARK.into_iter().chain(LIGHT).map(|background| {
        let ground = Rgb::of(background);
        let terminal = Terminal { true_colour: depth == Depth::True, indexed: true, no_colour: false };
        let background = Background::Known(ground);
        let appearance = Appearance { choice: None, own: Vec::new(), terminal, background };
        (appearance.theme(), ground)
    });
    own.chain(mixed).collect()
}

#[test]
fn text_is_readable_on_every_surface_of_every_theme() {
    for (theme, ground) in themes(Depth::True) {
        let roles = [
            ("muted", theme.muted),
            ("accent", theme.accent),
            ("user", theme.user),
            ("model", theme.model),
            ("system", theme.system),
            ("tool", theme.tool),
            ("good", theme.good),
            ("warn", theme.warn),
            ("bad", theme.bad),
            ("busy", theme.busy),
            ("link", theme.link),
            ("text", theme.raised),
        ];
        for on in [ground, rgb(theme.panel.bg), rgb(theme.raised.bg)] {
            for (name, style) in roles {
                let found = rgb(style.fg).contrast(on);
                assert!(found >= 4.5, "{:?} {name} on {on:?}: {found:.2}", theme.kind);
            }
            let found = rgb(theme.faint.fg).contrast(on);
            assert!(found >= 3.0, "{:?} faint on {on:?}: {found:.2}", theme.kind);
        }
        assert!(rgb(theme.tab.fg).contrast(rgb(theme.tab.bg)) >= 4.5, "{:?} tab", theme.kind);
    }
}

#[test]
fn the_empty_part_of_a_bar_is_fainter_than_the_bar_on_every_surface_and_behind_a_dialog() {
    for (theme, ground) in themes(Depth::True) {
        let known = |colour: Color| if colour == Color::Reset { ground } else { rgb(Some(colour)) };
        let surfaces = [theme.ground.bg, theme.panel.bg, theme.raised.bg, theme.select_in_dialog.bg];
        for background in surfaces.map(Option::unwrap_or_default) {
            let cell = |style: Style| {
                let mut cell = Cell::new("━");
                cell.set_style(style.bg(background));
                cell
            };
            let mut cells = [theme.track(background).unwrap(), theme.muted].map(cell);
            for place in ["in front", "behind"] {
                let [track, bar] = [0, 1].map(|at| known(cells[at].fg).contrast(known(cells[at].bg)));
                let name = format!("{:?} on {background:?} {place}: {track:.2} {bar:.2}", theme.kind);
                assert!(track > 1.02 && track * 1.2 < bar, "{name}");
                for cell in &mut cells {
                    theme.dim(cell);
                }
            }
        }
    }
}

#[test]
fn behind_a_dialog_colours_of_a_heat_map_recede() {
    for depth in [Depth::True, Depth::Indexed] {
        for (theme, _) in themes(depth) {
            for style in theme.heat {
                let mut cell = Cell::new("1");
                cell.set_style(style);
                theme.dim(&mut cell);
                let found = rgb(Some(cell.bg)).contrast(rgb(theme.panel.bg));
                assert!(found < 1.7, "{depth:?} {:?}: {found:.2}", theme.kind);
                assert_eq!(Some(cell.fg), theme.faint.fg);
            }
        }
    }
}

#[test]
fn in_sixteen_colours_a_reversed_row_has_one_look() {
    let theme = Theme::of(Kind::Ansi, Depth::Indexed);
    let mut buf = Buffer::with_lines(["▌✓ mood  0.2"]);
    let area = buf.area;
    buf.set_style(area, theme.select);
    for (x, style) in [theme.accent, theme.good, theme.faint, theme.warn].into_iter().enumerate() {
        buf[(x as u16 * 3, 0)].set_style(style);
    }
    theme.even_out(&mut buf);
    assert!(buf.content.iter().all(|cell| (cell.fg, cell.bg) == (Color::Reset, Color::Reset)));
    assert!(buf.content.iter().all(|cell| cell.modifier.contains(Modifier::REVERSED)));
}

#[test]
fn no_curve_has_a_colour_with_a_meaning_of_its_own() {
    let theme = Theme::of(Kind::Ansi, Depth::Indexed);
    for taken in [theme.bad, theme.warn, theme.good] {
        assert!(theme.series.iter().all(|series| series.fg != taken.fg), "{taken:?}");
    }
}

#[test]
fn surfaces_differ_from_each_other_at_every_depth() {
    for depth in [Depth::True, Depth::Indexed] {
        for (theme, ground) in themes(depth) {
            let surfaces = [theme.panel.bg, theme.raised.bg, theme.select_in_dialog.bg].map(rgb);
            let all = [&[ground][..], &surfaces].concat();
            assert!((1..all.len()).all(|at| !all[..at].contains(&all[at])), "{depth:?} {:?}: {all:?}", theme.kind);
            // A surface must be visible.
            for pair in all.windows(2) {
                let difference = i32::from(pair[0].1) - i32::from(pair[1].1);
                assert!(difference.abs() >= 5, "{depth:?} {:?}: {all:?}", theme.kind);
            }
        }
    }
}

#[test]
fn the_terminals_background_decides_unless_the_user_has_chosen() {
    let terminal = Terminal { true_colour: true, ..Terminal::default() };
    let theme = |choice: Option<Kind>, background| {
        Appearance { choice: choice.map(Choice::BuiltIn), own: Vec::new(), terminal, background }.theme()
    };
    let [dark, light] = [0x28_2a36, 0xfd_f6e3].map(|number| Background::Known(Rgb::of(number)));
    for (choice, background, kind, paints) in [
        (None, dark, Kind::Dark, false),
        (None, light, Kind::Light, false),
        (None, Background::Unknown, Kind::Dark, true),
        // Nothing is painted that the answer may contradict.
        (None, Background::Asked, Kind::Dark, false),
        (Some(Kind::Light), dark, Kind::Light, true),
        (Some(Kind::Dark), dark, Kind::Dark, false),
        (Some(Kind::Warm), dark, Kind::Warm, true),
        (Some(Kind::HighContrast), light, Kind::HighContrast, true),
        (Some(Kind::Ansi), dark, Kind::Ansi, false),
    ] {
        let theme = theme(choice, background);
        assert_eq!((theme.kind, theme.ground.bg.is_some()), (kind, paints), "{choice:?} {background:?}");
    }
    let plain = Appearance { terminal: Terminal::default(), ..Appearance::fixed(Kind::Dark, Depth::True) };
    assert_eq!(plain.theme_of(None).kind, Kind::Ansi, "sixteen colours");
}

#[test]
fn no_colour_means_none_anywhere() {
    let terminal = Terminal::from_env(|name| Some(if name == "NO_COLOR" { "1" } else { "truecolor" }.to_owned()));
    for choice in [None].into_iter().chain(Kind::ALL.map(Some)) {
        for background in [Background::Asked, Background::Known(Rgb::of(0))] {
            let choice = choice.map(Choice::BuiltIn);
            let theme = Appearance { choice, own: Vec::new(), terminal, background }.theme();
            assert_eq!(theme, Theme::of(Kind::Mono, Depth::Indexed), "{choice:?}: whole, with what stands for colours");
            for style in [theme.user, theme.bad, theme.select, theme.find, theme.escape, theme.link, theme.tab] {
                assert_eq!((style.fg, style.bg), (None, None), "{choice:?}");
            }
        }
    }
}
