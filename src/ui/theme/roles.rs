//! The colours that define each theme.

use super::Kind;
use super::colour::Rgb;

/// A theme's colours by role, from which everything else is derived.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Roles {
    /// Background of the main pane.
    pub(super) ground: Rgb,
    /// Background of side panes, tab bar, footer, listings and the user's messages.
    pub(super) panel: Rgb,
    /// Background of the selected row, inline code, dialogs and notices.
    pub(super) raised: Rgb,
    pub(super) text: Rgb,
    pub(super) muted: Rgb,
    pub(super) faint: Rgb,
    pub(super) accent: Rgb,
    /// What models write, and their names.
    pub(super) model: Rgb,
    pub(super) good: Rgb,
    pub(super) warn: Rgb,
    pub(super) bad: Rgb,
    /// Running, live.
    pub(super) busy: Rgb,
    pub(super) series: [Rgb; 6],
    /// Background of matches.
    pub(super) find: Rgb,
}

/// Names of all roles, as files of themes have them.
pub const ROLES: [&str; 19] = [
    "ground", "panel", "raised", "text", "muted", "faint", "accent", "model", "good", "warn", "bad", "busy", "find",
    "series1", "series2", "series3", "series4", "series5", "series6",
];

/// Roles of text, each with the least contrast that it needs on every background.
pub(super) const TEXT_ROLES: [(&str, f64); 9] = [
    ("text", 7.0),
    ("muted", 4.5),
    ("faint", 3.0),
    ("accent", 4.5),
    ("model", 4.5),
    ("good", 4.5),
    ("warn", 4.5),
    ("bad", 4.5),
    ("busy", 4.5),
];

const DARK_SERIES: [Rgb; 6] = [
    Rgb::of(0xf7_a791),
    Rgb::of(0xa7_9bfe),
    Rgb::of(0xfb_f74f),
    Rgb::of(0xc0_fcf9),
    Rgb::of(0xd0_4f99),
    Rgb::of(0x98_9401),
];

const DARK: Roles = Roles {
    ground: Rgb::of(0x15_161b),
    panel: Rgb::of(0x1d_2028),
    raised: Rgb::of(0x29_2d38),
    text: Rgb::of(0xdf_dcd9),
    muted: Rgb::of(0xa1_a7ae),
    faint: Rgb::of(0x70_767f),
    accent: Rgb::of(0x71_a9f0),
    model: Rgb::of(0xb2_9dda),
    good: Rgb::of(0x5c_b572),
    warn: Rgb::of(0xd5_a13c),
    bad: Rgb::of(0xfe_7c75),
    busy: Rgb::of(0x58_add4),
    series: DARK_SERIES,
    find: Rgb::of(0x4a_3f26),
};

const LIGHT: Roles = Roles {
    ground: Rgb::of(0xfc_fcfb),
    panel: Rgb::of(0xf1_f2f5),
    raised: Rgb::of(0xe2_e6ed),
    text: Rgb::of(0x2e_3036),
    muted: Rgb::of(0x53_5861),
    faint: Rgb::of(0x7c_818a),
    accent: Rgb::of(0x28_5e9f),
    model: Rgb::of(0x68_548c),
    good: Rgb::of(0x02_6f31),
    warn: Rgb::of(0x75_5411),
    bad: Rgb::of(0xaf_3433),
    busy: Rgb::of(0x14_6888),
    series: [
        Rgb::of(0x0c_33a0),
        Rgb::of(0xb5_3389),
        Rgb::of(0x1e_907f),
        Rgb::of(0x20_2801),
        Rgb::of(0x98_67e1),
        Rgb::of(0x37_012e),
    ],
    find: Rgb::of(0xf0_e4c8),
};

const WARM: Roles = Roles {
    ground: Rgb::of(0x1c_1815),
    panel: Rgb::of(0x26_201b),
    raised: Rgb::of(0x35_2d25),
    text: Rgb::of(0xe8_ddce),
    muted: Rgb::of(0xb8_aa98),
    faint: Rgb::of(0x84_786a),
    accent: Rgb::of(0x8c_c2b4),
    model: Rgb::of(0xdc_a2a8),
    good: Rgb::of(0xa2_bd6c),
    warn: Rgb::of(0xe6_b04f),
    bad: Rgb::of(0xf0_7f6a),
    busy: Rgb::of(0x86_b6c9),
    series: DARK_SERIES,
    find: Rgb::of(0x55_4420),
};

const HIGH_CONTRAST: Roles = Roles {
    ground: Rgb::of(0x00_0000),
    panel: Rgb::of(0x14_1414),
    raised: Rgb::of(0x30_3030),
    text: Rgb::of(0xff_ffff),
    muted: Rgb::of(0xe0_e0e0),
    faint: Rgb::of(0xc0_c0c0),
    accent: Rgb::of(0x6f_d0ff),
    model: Rgb::of(0xe5_c0ff),
    good: Rgb::of(0x6c_ff8c),
    warn: Rgb::of(0xff_d83d),
    bad: Rgb::of(0xff_9d9d),
    busy: Rgb::of(0x7f_f0f0),
    series: DARK_SERIES,
    find: Rgb::of(0x5a_4a00),
};

impl Roles {
    /// Returns the colours of a theme over its own background, on which they are readable; `None`: it has the
    /// terminal's 16, or none.
    pub(super) fn of(kind: Kind) -> Option<Self> {
        match kind {
            Kind::Dark => Some(DARK),
            Kind::Light => Some(LIGHT),
            Kind::Warm => Some(WARM),
            Kind::HighContrast => Some(HIGH_CONTRAST),
            Kind::Ansi | Kind::Mono => None,
        }
    }

    /// Returns the colours over the terminal's own background: panel and raised are mixed from it.
    pub(super) fn over(mut self, background: Rgb) -> Self {
        let (tint, panel, raised) =
            if background.is_dark() { (Rgb::of(0xc4_cfec), 0.05, 0.115) } else { (Rgb::of(0x14_2450), 0.045, 0.105) };
        self.ground = background;
        self.panel = background.mix(tint, panel);
        self.raised = background.mix(tint, raised);
        self.readable()
    }

    /// Returns the colours, those of text with enough contrast on each of the backgrounds.
    fn readable(mut self) -> Self {
        // The background that is nearest to the text.
        let on = self.raised;
        for (role, least) in TEXT_ROLES {
            if let Some(colour) = self.role_mut(role) {
                *colour = colour.readable_on(on, least);
            }
        }
        self
    }

    /// Returns the colour of the role with this name, to change it; `None`: there is no such role.
    pub(super) fn role_mut(&mut self, name: &str) -> Option<&mut Rgb> {
        let [first, second, third, fourth, fifth, sixth] = &mut self.series;
        Some(match name {
            "ground" => &mut self.ground,
            "panel" => &mut self.panel,
            "raised" => &mut self.raised,
            "text" => &mut self.text,
            "muted" => &mut self.muted,
            "faint" => &mut self.faint,
            "accent" => &mut self.accent,
            "model" => &mut self.model,
            "good" => &mut self.good,
            "warn" => &mut self.warn,
            "bad" => &mut self.bad,
            "busy" => &mut self.busy,
            "find" => &mut self.find,
            "series1" => first,
            "series2" => second,
            "series3" => third,
            "series4" => fourth,
            "series5" => fifth,
            "series6" => sixth,
            _ => return None,
        })
    }
}
