//! Colours and styles by role. Every theme is defined by the colours in `roles.rs`; this derives the styles.
//!
//! Themes with surfaces separate panes by their backgrounds; the terminal's 16 colours and no colours separate them by
//! lines.

mod colour;
mod heat;
mod roles;

use ratatui::buffer::{Buffer, Cell};
use ratatui::style::{Color, Modifier, Style};

pub use colour::Rgb;
use roles::Roles;

/// Which theme.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Kind {
    /// Dark, mixed from the terminal's background where it is known.
    Dark,
    /// Light, mixed from the terminal's background where it is known.
    Light,
    /// Dark, in warm tones.
    Warm,
    /// White and strong colours on black.
    HighContrast,
    /// The terminal's own 16 colours: right on any background.
    Ansi,
    /// No colour at all: bold, underline, reverse.
    #[default]
    Mono,
}

impl Kind {
    /// All themes, in the order of the palette.
    pub const ALL: [Self; 6] = [Self::Dark, Self::Light, Self::Warm, Self::HighContrast, Self::Ansi, Self::Mono];

    /// Returns its name in flags and the config file.
    pub fn name(self) -> &'static str {
        match self {
            Self::Dark => "dark",
            Self::Light => "light",
            Self::Warm => "warm",
            Self::HighContrast => "high-contrast",
            Self::Ansi => "ansi",
            Self::Mono => "mono",
        }
    }

    /// Returns the theme of a name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// Returns whether panes are distinguished by their backgrounds.
    pub fn has_surfaces(self) -> bool {
        !matches!(self, Self::Ansi | Self::Mono)
    }
}

/// How many colours the terminal supports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Depth {
    /// None, because `NO_COLOR` is set: every theme is [`Kind::Mono`].
    None,
    /// 16 million.
    True,
    /// 256.
    Indexed,
}

/// What is known of the terminal's background.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Background {
    /// The terminal does not report it.
    #[default]
    Unknown,
    /// The terminal was asked and has not answered yet.
    Asked,
    /// This colour.
    Known(Rgb),
}

/// What determines the theme.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Appearance {
    /// The theme that the user chose; `None`: the one that fits the terminal. `NO_COLOR` takes precedence.
    pub choice: Option<Kind>,
    /// Colour support of the terminal.
    pub terminal: Terminal,
    /// Its background.
    pub background: Background,
}

impl Appearance {
    /// Returns the appearance of a theme over its own background, at a colour depth.
    pub fn fixed(kind: Kind, depth: Depth) -> Self {
        let terminal = match depth {
            Depth::None => Terminal { no_colour: true, ..Terminal::default() },
            Depth::True => Terminal { true_colour: true, ..Terminal::default() },
            Depth::Indexed => Terminal { indexed: true, ..Terminal::default() },
        };
        Self { choice: Some(kind), terminal, background: Background::Unknown }
    }

    /// Returns the theme.
    pub fn theme(&self) -> Theme {
        let depth = self.terminal.depth();
        let known = match self.background {
            Background::Known(background) => Some(background),
            Background::Unknown | Background::Asked => None,
        };
        let kind = match self.choice {
            Some(kind) => kind,
            None if !self.terminal.true_colour && !self.terminal.indexed => Kind::Ansi,
            None if known.is_some_and(|background| !background.is_dark()) => Kind::Light,
            None => Kind::Dark,
        };
        match (kind, known) {
            (Kind::Dark, Some(background)) if background.is_dark() => Theme::over_background(kind, depth, background),
            (Kind::Light, Some(background)) if !background.is_dark() => Theme::over_background(kind, depth, background),
            _ if self.choice.is_none() && self.background == Background::Asked => Theme::until_answered(kind, depth),
            _ => Theme::of(kind, depth),
        }
    }
}

/// Every style of the screen, by role.
#[derive(Clone, Debug, PartialEq)]
pub struct Theme {
    /// Which theme it is.
    pub kind: Kind,
    /// Background of the main pane.
    pub ground: Style,
    /// Background of side panes, tab bar, footer, listings and the user's messages.
    pub panel: Style,
    /// Background of dialogs, notices and inline code, with the colour of text.
    pub raised: Style,
    /// Content.
    pub text: Style,
    /// Labels.
    pub muted: Style,
    /// Secondary details: times, counts, units, hints; grid lines, what is disabled.
    pub faint: Style,
    /// Lines.
    pub rule: Style,
    /// The line of the pane with the focus.
    pub rule_focus: Style,
    /// Keys, and what has the focus.
    pub accent: Style,
    /// The name of the tab in front.
    pub tab: Style,
    /// The row under the cursor.
    pub select: Style,
    /// The row under the cursor, in a dialog.
    pub select_in_dialog: Style,
    /// Marked rows.
    pub mark: Style,
    /// Background of a notice.
    pub notice: Style,
    /// "you".
    pub user: Style,
    /// A model's name.
    pub model: Style,
    /// System messages.
    pub system: Style,
    /// Tool and function messages.
    pub tool: Style,
    /// Done, saved.
    pub good: Style,
    /// Near a limit, retrying.
    pub warn: Style,
    /// Failed.
    pub bad: Style,
    /// Running.
    pub busy: Style,
    /// Links.
    pub link: Style,
    /// Model text inside a text of the user's.
    pub generated: Style,
    /// A match.
    pub find: Style,
    /// The match under the cursor.
    pub find_current: Style,
    /// Bytes made visible.
    pub escape: Style,
    /// Keywords of code.
    pub code_keyword: Style,
    /// Strings of code.
    pub code_string: Style,
    /// Comments of code.
    pub code_comment: Style,
    /// Headings.
    pub heading: Style,
    /// Values behind their average: less visible than all else.
    pub trace: Style,
    /// Curves.
    pub series: [Style; 6],
    /// Shares from 0 to 1, in ninths: a background with its text. Without 256 colours there are four styles, one per
    /// quarter, more noticeable for smaller shares; they remove an underline of the text unless they set it.
    pub heat: [Style; 9],
}

/// One role's look in the terminal's 16 colours, and without colour.
struct Plain(Color, Modifier);

const PLAIN: Modifier = Modifier::empty();

impl Theme {
    /// Returns the theme over its own background. More than sixteen colours do not matter to `Ansi` and `Mono`.
    pub fn of(kind: Kind, depth: Depth) -> Self {
        // The terminal's library leaves out the colours without a replacement.
        match Roles::of(kind).filter(|_| depth != Depth::None) {
            Some(roles) => Self::with_surfaces(kind, depth, &roles, true),
            None if kind == Kind::Ansi && depth != Depth::None => Self::with_lines(Kind::Ansi),
            None => Self::with_lines(Kind::Mono),
        }
    }

    /// Returns the theme over the terminal's background, which is not painted: panel and raised are mixed from it.
    fn over_background(kind: Kind, depth: Depth, background: Rgb) -> Self {
        match Roles::of(kind).filter(|_| depth != Depth::None) {
            Some(roles) => Self::with_surfaces(kind, depth, &roles.over(background), false),
            None => Self::of(kind, depth),
        }
    }

    /// Returns what is shown until the terminal has reported its background: the final layout, in colours that are
    /// readable on any background.
    fn until_answered(kind: Kind, depth: Depth) -> Self {
        if !kind.has_surfaces() || depth == Depth::None {
            return Self::of(kind, depth);
        }
        let bold = Style::new().add_modifier(Modifier::BOLD);
        Self { kind, select: bold, select_in_dialog: bold, ..Self::with_lines(Kind::Ansi) }
    }

    fn with_surfaces(kind: Kind, depth: Depth, roles: &Roles, paints_ground: bool) -> Self {
        let colour = |colour: Rgb| Style::new().fg(colour.at(depth));
        let bold = |style: Style| style.add_modifier(Modifier::BOLD);
        let (ground, panel, raised) = (roles.ground, roles.panel, roles.raised);
        let in_dialog = raised.mix(roles.text, 0.11);
        // Of 256 colours the nearest greys, all different.
        let mut taken = Vec::new();
        let mut surface = |colour: Rgb| match depth {
            Depth::True => colour.at(depth),
            Depth::Indexed | Depth::None => {
                let grey = colour.grey_besides(&taken);
                taken.push(grey);
                Color::Indexed(grey)
            }
        };
        let surfaces = [ground, panel, raised, in_dialog].map(&mut surface);
        // Painted areas also set the text's colour: the terminal's own may not contrast with them.
        let paint = |background: Color| Style::new().fg(roles.text.at(depth)).bg(background);
        let (muted, accent, warn) = (colour(roles.muted), colour(roles.accent), colour(roles.warn));
        let model = colour(roles.model);
        Self {
            kind,
            ground: if paints_ground { paint(surfaces[0]) } else { Style::new() },
            panel: Style::new().bg(surfaces[1]),
            raised: paint(surfaces[2]),
            text: if paints_ground { colour(roles.text) } else { Style::new().fg(Color::Reset) },
            muted,
            faint: colour(roles.faint),
            rule: colour(roles.faint),
            rule_focus: accent,
            accent,
            tab: bold(Style::new().fg(on(roles.accent).at(depth)).bg(roles.accent.at(depth))),
            select: paint(surfaces[2]),
            select_in_dialog: paint(surfaces[3]),
            mark: accent,
            notice: paint(surfaces[2]),
            user: bold(accent),
            model: bold(model),
            system: bold(muted),
            tool: bold(muted),
            good: colour(roles.good),
            warn,
            bad: colour(roles.bad),
            busy: colour(roles.busy),
            link: accent.add_modifier(Modifier::UNDERLINED),
            generated: model,
            find: Style::new().bg(roles.find.at(depth)),
            find_current: Style::new().add_modifier(Modifier::REVERSED | Modifier::BOLD),
            escape: warn.add_modifier(Modifier::REVERSED),
            code_keyword: model,
            code_string: colour(roles.good),
            code_comment: muted.add_modifier(Modifier::ITALIC),
            heading: Style::new().add_modifier(Modifier::BOLD),
            trace: colour(ground.mix(roles.faint, 0.45)),
            series: roles.series.map(colour),
            heat: std::array::from_fn(|step| heat::step_over(ground, depth, step)),
        }
    }

    /// Returns the theme of the terminal's 16 colours, or of none.
    fn with_lines(kind: Kind) -> Self {
        let role = |Plain(colour, modifier): Plain| match kind {
            Kind::Mono => Style::new().add_modifier(modifier),
            _ => Style::new().fg(colour),
        };
        let reversed = Style::new().add_modifier(Modifier::REVERSED);
        let accent = role(Plain(Color::Blue, Modifier::BOLD));
        let (muted, faint) = (role(Plain(Color::Reset, PLAIN)), role(Plain(Color::DarkGray, PLAIN)));
        let warn = role(Plain(Color::Yellow, PLAIN));
        // Red, yellow and green have a meaning of their own.
        let series =
            [Color::Cyan, Color::Magenta, Color::Blue, Color::LightCyan, Color::LightMagenta, Color::LightBlue];
        Self {
            kind,
            ground: Style::new(),
            panel: Style::new(),
            raised: Style::new(),
            // Set explicitly, so that text over a line does not keep the line's colour.
            text: Style::new().fg(Color::Reset),
            muted,
            faint,
            rule: faint,
            rule_focus: accent,
            accent,
            tab: accent,
            select: reversed,
            select_in_dialog: reversed,
            mark: accent,
            // A notice has no frame.
            notice: reversed,
            user: role(Plain(Color::Cyan, Modifier::BOLD)),
            model: role(Plain(Color::Magenta, Modifier::BOLD)),
            system: role(Plain(Color::Yellow, Modifier::BOLD)),
            tool: role(Plain(Color::Green, Modifier::BOLD)),
            good: role(Plain(Color::Green, PLAIN)),
            warn,
            bad: role(Plain(Color::Red, Modifier::BOLD)),
            busy: role(Plain(Color::Cyan, PLAIN)),
            link: role(Plain(Color::Blue, PLAIN)).add_modifier(Modifier::UNDERLINED),
            // Coloured as the model's name is, and underlined: visible without colour too.
            generated: role(Plain(Color::Magenta, PLAIN)).add_modifier(Modifier::UNDERLINED),
            find: match kind {
                Kind::Mono => reversed,
                _ => Style::new().fg(Color::Black).bg(Color::Yellow),
            },
            find_current: Style::new().add_modifier(Modifier::REVERSED | Modifier::BOLD),
            escape: warn.add_modifier(Modifier::REVERSED),
            code_keyword: role(Plain(Color::Magenta, PLAIN)),
            code_string: role(Plain(Color::Green, Modifier::BOLD)),
            code_comment: muted.add_modifier(Modifier::ITALIC),
            heading: Style::new().add_modifier(Modifier::BOLD),
            trace: faint,
            series: series.map(|colour| role(Plain(colour, PLAIN))),
            heat: std::array::from_fn(heat::look),
        }
    }

    /// Returns the style of a key's name.
    pub fn key(&self) -> Style {
        if self.kind.has_surfaces() { self.accent.add_modifier(Modifier::BOLD) } else { self.accent }
    }

    /// Returns the style of the empty part of a bar, fainter than any bar: as another background. `None`: the theme has
    /// no backgrounds.
    pub fn track(&self, background: Color) -> Option<Style> {
        let raised = self.raised.bg.filter(|_| self.kind.has_surfaces())?;
        let colour = if background == raised { self.select_in_dialog.bg? } else { raised };
        Some(Style::new().fg(colour))
    }

    /// Dims a cell behind a dialog. What is fainter than faint text, such as the empty part of a bar, stays as it is,
    /// and strong backgrounds recede.
    pub fn dim(&self, cell: &mut Cell) {
        let Some(panel) = self.panel.bg.filter(|_| self.kind.has_surfaces()) else { return };
        let is_tab = self.tab.bg == Some(cell.bg) && cell.modifier.contains(Modifier::BOLD);
        cell.modifier.remove(Modifier::BOLD | Modifier::UNDERLINED | Modifier::REVERSED);
        let surfaces = [self.ground.bg, Some(panel), Some(Color::Reset)];
        let faint = self.faint.fg.unwrap_or_default();
        if is_tab {
            // The tab in front is text on the accent colour, which would make faint text unreadable.
            (cell.fg, cell.bg) = (panel, faint);
            return;
        }
        if self.raised.bg == Some(cell.bg) || self.select_in_dialog.bg == Some(cell.bg) {
            // Nothing but the dialog is raised.
            cell.bg = panel;
        } else if !surfaces.contains(&Some(cell.bg)) {
            cell.bg = match (Rgb::known(cell.bg), Rgb::known(panel)) {
                (Some(own), Some(quiet)) if matches!(cell.bg, Color::Rgb(..)) => own.mix(quiet, 0.85).at(Depth::True),
                _ => panel,
            };
        }
        let is_fainter = [self.raised.bg, self.select_in_dialog.bg, self.trace.fg].contains(&Some(cell.fg));
        if !is_fainter {
            cell.fg = faint;
        }
    }

    /// Gives a reversed cell of 16 colours the terminal's own two: a selected row would be a row of patches, some of
    /// them unreadable.
    pub fn even_out(&self, buf: &mut Buffer) {
        if self.kind != Kind::Ansi {
            return;
        }
        for cell in buf.content.iter_mut().filter(|cell| cell.modifier.contains(Modifier::REVERSED)) {
            (cell.fg, cell.bg) = (Color::Reset, Color::Reset);
        }
    }

    /// Returns the theme inside a dialog: on its background.
    pub fn over(&self) -> Self {
        let (select, text) = (self.select_in_dialog, self.text.patch(self.raised));
        Self { ground: self.raised, panel: self.raised, select, text, ..self.clone() }
    }
}

/// Returns black or white, whichever is readable on a background.
fn on(background: Rgb) -> Rgb {
    let [black, white] = [0x0b_0d12, 0xff_ffff].map(Rgb::of);
    if black.contrast(background) >= white.contrast(background) { black } else { white }
}

/// What the environment says about the terminal's colours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Terminal {
    /// Whether `NO_COLOR` is set and not empty.
    pub no_colour: bool,
    /// Whether it supports 16 million colours.
    pub true_colour: bool,
    /// Whether it supports 256 colours.
    pub indexed: bool,
}

impl Terminal {
    /// Returns how many colours may be used if it is none or more than sixteen.
    pub fn depth(&self) -> Depth {
        match self {
            Self { no_colour: true, .. } => Depth::None,
            Self { true_colour: true, .. } => Depth::True,
            _ => Depth::Indexed,
        }
    }
}

impl Terminal {
    /// Reads `NO_COLOR`, `COLORTERM` and `TERM`.
    pub fn from_env(var: impl Fn(&str) -> Option<String>) -> Self {
        let colorterm = var("COLORTERM").unwrap_or_default();
        let term = var("TERM").unwrap_or_default();
        Self {
            no_colour: var("NO_COLOR").is_some_and(|value| !value.is_empty()),
            true_colour: matches!(colorterm.as_str(), "truecolor" | "24bit") || term.ends_with("-direct"),
            indexed: term.contains("256color"),
        }
    }
}

#[cfg(test)]
mod tests {
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
            let background = Rgb::of(background);
            let terminal = Terminal { true_colour: depth == Depth::True, indexed: true, no_colour: false };
            let appearance = Appearance { choice: None, terminal, background: Background::Known(background) };
            (appearance.theme(), background)
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
        let theme = |choice, background| Appearance { choice, terminal, background }.theme();
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
        let plain = Appearance { choice: None, terminal: Terminal::default(), background: Background::Unknown };
        assert_eq!(plain.theme().kind, Kind::Ansi, "sixteen colours");
    }

    #[test]
    fn no_colour_means_none_anywhere() {
        let terminal = Terminal::from_env(|name| Some(if name == "NO_COLOR" { "1" } else { "truecolor" }.to_owned()));
        for choice in [None].into_iter().chain(Kind::ALL.map(Some)) {
            for background in [Background::Asked, Background::Known(Rgb::of(0))] {
                let theme = Appearance { choice, terminal, background }.theme();
                assert_eq!(
                    theme,
                    Theme::of(Kind::Mono, Depth::Indexed),
                    "{choice:?}: whole, with what stands for colours"
                );
                for style in [theme.user, theme.bad, theme.select, theme.find, theme.escape, theme.link, theme.tab] {
                    assert_eq!((style.fg, style.bg), (None, None), "{choice:?}");
                }
            }
        }
    }
}
