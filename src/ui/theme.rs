//! Colours and styles by meaning. The page itself is never painted: the terminal's own ground shows through.
//!
//! The figures are chosen for contrast over the grounds of popular terminal themes: 4.5 for text, 3 for marks
//! (measured by the test below).

mod heat;

use ratatui::style::{Color, Modifier, Style};

/// Which palette.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Kind {
    /// For dark grounds.
    Dark,
    /// For light grounds.
    Light,
    /// The terminal's own 16 colours: right on any ground.
    Ansi,
    /// No colour at all: bold, underline, reverse.
    #[default]
    Mono,
}

/// How many colours the terminal takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Depth {
    /// None, because `NO_COLOR` asks for none: every palette is [`Kind::Mono`].
    None,
    /// 16 million.
    True,
    /// 256.
    Indexed,
}

/// Every style of the screen, by role.
#[derive(Clone, Debug, PartialEq)]
pub struct Theme {
    /// Which palette it is.
    pub kind: Kind,
    /// Body.
    pub text: Style,
    /// Times, labels, hints.
    pub muted: Style,
    /// Disabled, grid lines.
    pub faint: Style,
    /// Light rules.
    pub rule: Style,
    /// The heavy rule of the pane with the focus.
    pub rule_focus: Style,
    /// Active tab, keys in the footer.
    pub accent: Style,
    /// The row under the cursor.
    pub select: Style,
    /// Marked rows.
    pub mark: Style,
    /// Ground of a popup.
    pub overlay: Style,
    /// Ground of a notice, which has no frame to part it from what is below.
    pub notice: Style,
    /// "you".
    pub user: Style,
    /// Model name.
    pub assistant: Style,
    /// System messages.
    pub system: Style,
    /// Tool and function messages.
    pub tool: Style,
    /// Done, saved.
    pub ok: Style,
    /// Near a limit, retrying.
    pub warn: Style,
    /// Failed.
    pub error: Style,
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
    /// Curves.
    pub series: [Style; 6],
    /// From none to all of something, in ninths: a ground with its text. Without 256 colours four looks, one a quarter,
    /// the more noticeable the less; they take a line under the text away, where they do not set it.
    pub heat: [Style; 9],
}

/// One role's colours: dark and light as RGB, the same in the 256-colour cube, the ANSI name, the look without colour.
struct RoleColours(u32, u32, u8, u8, Color, Modifier);

const PLAIN: Modifier = Modifier::empty();

impl Theme {
    /// The palette at a depth. More than sixteen colours do not matter to `Ansi` and `Mono`.
    pub fn of(kind: Kind, depth: Depth) -> Self {
        // The terminal's library leaves out the colours, and would leave nothing in their place.
        let kind = if depth == Depth::None { Kind::Mono } else { kind };
        let role = |role: RoleColours| style(kind, depth, &role);
        let ground = |dark, light, d, l, mono| match kind {
            // What paints a ground of its own says the text's colour too: the terminal's own may be no match for it.
            Kind::Dark => Style::new().fg(pick(depth, 0xdf_dcd9, 253)).bg(pick(depth, dark, d)),
            Kind::Light => Style::new().fg(pick(depth, 0x3a_3735, 237)).bg(pick(depth, light, l)),
            Kind::Ansi | Kind::Mono => Style::new().add_modifier(mono),
        };
        let accent = || role(RoleColours(0x71_a9f0, 0x28_5e9f, 75, 25, Color::Blue, Modifier::BOLD));
        let warn = || role(RoleColours(0xd5_a13c, 0x75_5411, 179, 94, Color::Yellow, PLAIN));
        let faint = || role(RoleColours(0x7e_848a, 0x77_7c83, 244, 244, Color::DarkGray, PLAIN));
        let muted = || role(RoleColours(0xa1_a7ae, 0x59_5e64, 248, 59, Color::Reset, PLAIN));
        let tool = || role(RoleColours(0x68_b494, 0x17_6a4e, 72, 22, Color::Green, Modifier::BOLD));
        let series = |n: usize| {
            const DARK: [(u32, u8); 6] = [
                (0xf7_a791, 216),
                (0xa7_9bfe, 147),
                (0xfb_f74f, 227),
                (0xc0_fcf9, 159),
                (0xd0_4f99, 169),
                (0x98_9401, 100),
            ];
            const LIGHT: [(u32, u8); 6] = [
                (0x0c_33a0, 20),
                (0xc7_3f15, 160),
                (0x1e_907f, 30),
                (0x20_2801, 235),
                (0x98_67e1, 98),
                (0x37_012e, 53),
            ];
            const ANSI: [Color; 6] =
                [Color::Red, Color::Blue, Color::Yellow, Color::Cyan, Color::Magenta, Color::Green];
            role(RoleColours(DARK[n].0, LIGHT[n].0, DARK[n].1, LIGHT[n].1, ANSI[n], PLAIN))
        };
        Self {
            kind,
            // Said aloud, so that text over a rule does not keep the rule's colour.
            text: Style::new().fg(Color::Reset),
            muted: muted(),
            faint: faint(),
            rule: role(RoleColours(0x5d_6269, 0x9b_a0a7, 241, 247, Color::DarkGray, PLAIN)),
            rule_focus: role(RoleColours(0x6d_a0e0, 0x35_66a2, 75, 25, Color::Blue, Modifier::BOLD)),
            accent: accent(),
            select: ground(0x2f_343d, 0xe6_e8eb, 236, 254, Modifier::REVERSED),
            mark: accent(),
            overlay: ground(0x26_2a31, 0xf2_f3f5, 235, 255, PLAIN),
            notice: ground(0x2f_343d, 0xe6_e8eb, 236, 254, Modifier::REVERSED),
            user: role(RoleColours(0x55_b3be, 0x01_6770, 73, 23, Color::Cyan, Modifier::BOLD)),
            assistant: role(RoleColours(0xb2_9dda, 0x68_548c, 140, 60, Color::Magenta, Modifier::BOLD)),
            system: role(RoleColours(0xbc_a462, 0x71_5b13, 143, 94, Color::Yellow, Modifier::BOLD)),
            tool: tool(),
            ok: role(RoleColours(0x5c_b572, 0x02_6f31, 71, 22, Color::Green, PLAIN)),
            warn: warn(),
            error: role(RoleColours(0xfe_7c75, 0xaf_3433, 210, 124, Color::Red, Modifier::BOLD)),
            busy: role(RoleColours(0x58_add4, 0x14_6888, 74, 24, Color::Cyan, PLAIN)),
            link: role(RoleColours(0x67_ade7, 0x17_6297, 75, 24, Color::Blue, PLAIN))
                .add_modifier(Modifier::UNDERLINED),
            // Tinted as the model's name is, and underlined: it shows without colour too.
            generated: role(RoleColours(0xb2_9dda, 0x68_548c, 140, 60, Color::Magenta, PLAIN))
                .add_modifier(Modifier::UNDERLINED),
            find: match kind {
                Kind::Dark => Style::new().bg(pick(depth, 0x4a_3f26, 58)),
                Kind::Light => Style::new().bg(pick(depth, 0xf0_e4c8, 229)),
                Kind::Ansi => Style::new().fg(Color::Black).bg(Color::Yellow),
                Kind::Mono => Style::new().add_modifier(Modifier::REVERSED),
            },
            find_current: Style::new().add_modifier(Modifier::REVERSED | Modifier::BOLD),
            escape: warn().add_modifier(Modifier::REVERSED),
            code_keyword: role(RoleColours(0xb2_9dda, 0x68_548c, 140, 60, Color::Magenta, PLAIN)),
            code_string: role(RoleColours(0x68_b494, 0x17_6a4e, 72, 22, Color::Green, PLAIN)),
            code_comment: muted().add_modifier(Modifier::ITALIC),
            heading: Style::new().add_modifier(Modifier::BOLD),
            series: std::array::from_fn(series),
            heat: std::array::from_fn(|step| heat::look(kind, depth, step)),
        }
    }

    /// The palette on a popup's ground.
    pub fn over(&self) -> Self {
        Self { text: self.text.patch(self.overlay), ..self.clone() }
    }

    /// The palette for a terminal. `flag` is `--theme` or the config's (`dark`, `light`, `ansi`, `mono`), over which
    /// `NO_COLOR` wins; `dark_ground` is what is known of the terminal's own ground.
    pub fn pick(flag: Option<&str>, terminal: &Terminal, dark_ground: Option<bool>) -> Self {
        let kind = match flag {
            Some("dark") => Kind::Dark,
            Some("light") => Kind::Light,
            Some("mono") => Kind::Mono,
            Some("ansi") => Kind::Ansi,
            _ if !terminal.true_colour && !terminal.indexed => Kind::Ansi,
            _ => match dark_ground {
                Some(true) => Kind::Dark,
                Some(false) => Kind::Light,
                // Without an answer only the terminal's own colours are sure to be readable.
                None => Kind::Ansi,
            },
        };
        Self::of(kind, terminal.depth())
    }
}

/// What the environment says of the terminal's colours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Terminal {
    /// `NO_COLOR` is set and not empty.
    pub no_colour: bool,
    /// 16 million colours.
    pub true_colour: bool,
    /// 256 colours.
    pub indexed: bool,
}

impl Terminal {
    /// How many colours it may show, where it is none or has more than sixteen.
    pub fn depth(&self) -> Depth {
        match self {
            Self { no_colour: true, .. } => Depth::None,
            Self { true_colour: true, .. } => Depth::True,
            _ => Depth::Indexed,
        }
    }
}

impl Terminal {
    /// From `NO_COLOR`, `COLORTERM` and `TERM`.
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

fn pick(depth: Depth, rgb: u32, index: u8) -> Color {
    match depth {
        Depth::True => Color::Rgb((rgb >> 16) as u8, (rgb >> 8) as u8, rgb as u8),
        Depth::Indexed | Depth::None => Color::Indexed(index),
    }
}

fn style(kind: Kind, depth: Depth, role: &RoleColours) -> Style {
    let RoleColours(dark, light, dark_index, light_index, ansi, mono) = *role;
    // Bold repeats colour only where there is none, or where the ANSI colour may be weak.
    match kind {
        Kind::Dark => Style::new().fg(pick(depth, dark, dark_index)),
        Kind::Light => Style::new().fg(pick(depth, light, light_index)),
        Kind::Ansi if ansi == Color::Reset => Style::new().fg(Color::Reset),
        Kind::Ansi => Style::new().fg(ansi),
        Kind::Mono => Style::new().add_modifier(mono),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Grounds of popular themes.
    const DARK: [u32; 8] = [0x00_0000, 0x1c_1f26, 0x28_2a36, 0x1e_1e2e, 0x28_2828, 0x00_2b36, 0x1a_1b26, 0x0d_1117];
    const LIGHT: [u32; 6] = [0xff_ffff, 0xfd_f6e3, 0xfb_f1c7, 0xef_f1f5, 0xfa_fafa, 0xf6_f8fa];

    pub(super) fn luminance(rgb: u32) -> f64 {
        let part = |shift: u32| {
            let value = f64::from((rgb >> shift) & 0xff) / 255.0;
            if value <= 0.04045 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
        };
        0.2126 * part(16) + 0.7152 * part(8) + 0.0722 * part(0)
    }

    pub(super) fn contrast(a: u32, b: u32) -> f64 {
        let (a, b) = (luminance(a), luminance(b));
        (a.max(b) + 0.05) / (a.min(b) + 0.05)
    }

    fn rgb(style: Style) -> u32 {
        match style.fg {
            Some(Color::Rgb(r, g, b)) => u32::from(r) << 16 | u32::from(g) << 8 | u32::from(b),
            other => panic!("not a true colour: {other:?}"),
        }
    }

    #[test]
    fn text_is_readable_on_every_popular_ground() {
        for (kind, grounds) in [(Kind::Dark, &DARK[..]), (Kind::Light, &LIGHT[..])] {
            let theme = Theme::of(kind, Depth::True);
            let roles = [
                ("muted", theme.muted),
                ("accent", theme.accent),
                ("user", theme.user),
                ("assistant", theme.assistant),
                ("system", theme.system),
                ("tool", theme.tool),
                ("ok", theme.ok),
                ("warn", theme.warn),
                ("error", theme.error),
                ("busy", theme.busy),
                ("link", theme.link),
            ];
            for (name, style) in roles {
                for ground in grounds {
                    let found = contrast(rgb(style), *ground);
                    assert!(found >= 4.5, "{kind:?} {name} on {ground:06x}: {found:.2}");
                }
            }
            for ground in grounds {
                assert!(contrast(rgb(theme.faint), *ground) >= 3.0, "{kind:?} faint on {ground:06x}");
            }
        }
    }

    #[test]
    fn no_colour_means_none_anywhere() {
        let terminal = Terminal::from_env(|name| Some(if name == "NO_COLOR" { "1" } else { "truecolor" }.to_owned()));
        for flag in [None, Some("dark"), Some("light"), Some("ansi"), Some("mono")] {
            let theme = Theme::pick(flag, &terminal, Some(true));
            assert_eq!(theme, Theme::of(Kind::Mono, Depth::Indexed), "{flag:?}: whole, with what stands for colours");
            for style in [theme.user, theme.error, theme.select, theme.find, theme.escape, theme.link] {
                assert_eq!((style.fg, style.bg), (None, None), "{flag:?}");
            }
        }
    }
}
