//! The user's own themes: a built-in theme with other colours.

use super::roles::{ROLES, Roles, TEXT_ROLES};
use super::{Kind, Rgb};

/// The least contrast of a curve, which is no text, with every background.
const CURVE_CONTRAST: f64 = 3.0;
/// The least contrast of text with the background of a match.
const MATCH_CONTRAST: f64 = 4.5;

/// A theme of the user's. Its colours are used as they are, however faint.
#[derive(Clone, Debug, PartialEq)]
pub struct OwnTheme {
    name: String,
    base: Kind,
    pub(super) roles: Roles,
    /// Roles that were not set.
    missing: Vec<&'static str>,
}

impl OwnTheme {
    /// Creates a theme with the colours of a built-in one. `None`: that has no colours of its own.
    pub fn new(name: impl Into<String>, base: Kind) -> Option<Self> {
        Some(Self { name: name.into(), base, roles: Roles::of(base)?, missing: ROLES.to_vec() })
    }

    /// Sets the colour of a role; a name that is no role's changes nothing.
    pub fn set(&mut self, role: &str, colour: Rgb) {
        if let Some(place) = self.roles.role_mut(role) {
            *place = colour;
            self.missing.retain(|missing| *missing != role);
        }
    }

    /// Returns its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the theme that has the colours which were not set.
    pub fn base(&self) -> Kind {
        self.base
    }

    /// Returns the roles whose colours were not set.
    pub fn missing(&self) -> &[&'static str] {
        &self.missing
    }

    /// Returns a sentence for each role that is too faint on a background, with the contrast that it has and needs.
    pub fn faint_roles(&self) -> Vec<String> {
        let mut roles = self.roles;
        let surfaces = [("ground", roles.ground), ("panel", roles.panel), ("raised", roles.raised)];
        let curves = ROLES.into_iter().filter(|role| role.starts_with("series")).map(|role| (role, CURVE_CONTRAST));
        let mut found = Vec::new();
        for (role, least) in TEXT_ROLES.into_iter().chain(curves) {
            let Some(&mut colour) = roles.role_mut(role) else { continue };
            found.extend(too_faint((role, colour), &surfaces, least));
        }
        found.extend(too_faint(("text", roles.text), &[("find", roles.find)], MATCH_CONTRAST));
        found
    }
}

/// Returns a sentence about a role that is too faint on some of these backgrounds; `None`: it is on none.
fn too_faint((role, colour): (&str, Rgb), backgrounds: &[(&str, Rgb)], least: f64) -> Option<String> {
    let contrasts = backgrounds.iter().map(|(name, background)| (name, colour.contrast(*background)));
    let faint: Vec<String> = contrasts
        .filter(|(_, contrast)| *contrast < least)
        // Rounded down: what is too low must not look as if it were enough.
        .map(|(name, contrast)| format!("{:.2} on {name}", (contrast * 100.0).floor() / 100.0))
        .collect();
    let Rgb(red, green, blue) = colour;
    let shown = format!("{role} (#{red:02x}{green:02x}{blue:02x}) is too faint: contrast {}", faint.join(", "));
    (!faint.is_empty()).then(|| format!("{shown}; at least {least} is needed"))
}

#[cfg(test)]
mod tests {
    use super::super::{Appearance, Background, Choice, Depth, Terminal, Theme};
    use super::*;

    fn own(base: Kind, colours: &[(&str, u32)]) -> OwnTheme {
        let mut theme = OwnTheme::new("mine", base).unwrap();
        for (role, colour) in colours {
            theme.set(role, Rgb::of(*colour));
        }
        theme
    }

    #[test]
    fn every_role_has_a_name_and_no_other_name_is_one() {
        let mut theme = own(Kind::Dark, &[]);
        assert_eq!(theme.missing(), ROLES);
        for (at, role) in ROLES.into_iter().enumerate() {
            let before = theme.roles;
            theme.set(role, Rgb(1, 2, at as u8));
            assert_ne!(theme.roles, before, "{role}");
            assert_eq!(theme.missing(), &ROLES[at + 1..]);
        }
        let before = theme.clone();
        theme.set("series7", Rgb(0, 0, 0));
        assert_eq!(theme, before);
        assert!([Kind::Ansi, Kind::Mono].iter().all(|kind| OwnTheme::new("mine", *kind).is_none()));
    }

    #[test]
    fn no_built_in_theme_is_too_faint() {
        for kind in Kind::ALL.into_iter().filter(|kind| kind.has_surfaces()) {
            assert_eq!(own(kind, &[]).faint_roles(), [""; 0], "{kind:?}");
        }
    }

    #[test]
    fn what_is_too_faint_is_named_with_its_contrast_on_each_background() {
        // Contrasts of #777777: 4.478 on white, 4.689 on black.
        let colours = [("ground", 0xff_ffff), ("panel", 0xff_ffff), ("raised", 0x00_0000)];
        let rest = ["text", "faint", "accent", "model", "good", "warn", "bad", "busy"].map(|role| (role, 0x77_7777));
        let theme = own(Kind::Light, &[&colours[..], &rest, &[("find", 0x77_7777)]].concat());
        let found = theme.faint_roles();
        let about = |role: &str| found.iter().filter(|said| said.starts_with(&format!("{role} "))).collect::<Vec<_>>();
        let text =
            "text (#777777) is too faint: contrast 4.47 on ground, 4.47 on panel, 4.68 on raised; at least 7 is needed";
        let on_find = "text (#777777) is too faint: contrast 1.00 on find; at least 4.5 is needed";
        assert_eq!(about("text"), [text, on_find]);
        let accent = "accent (#777777) is too faint: contrast 4.47 on ground, 4.47 on panel; at least 4.5 is needed";
        assert_eq!(about("accent"), [accent]);
        assert_eq!(about("faint"), [""; 0], "3 is enough");
        // The base's own, dark on black.
        let muted = "muted (#535861) is too faint: contrast 2.93 on raised; at least 4.5 is needed";
        assert_eq!(about("muted"), [muted]);
        let curve = "series6 (#37012e) is too faint: contrast 1.20 on raised; at least 3 is needed";
        assert_eq!(about("series6"), [curve]);
    }

    #[test]
    fn its_colours_are_used_as_they_are_and_only_where_the_terminal_has_them() {
        let colours = [("ground", 0x10_2030), ("faint", 0x11_2131)];
        let [true_colour, indexed, sixteen, none] =
            [(true, true, false), (false, true, false), (false, false, false), (true, true, true)]
                .map(|(true_colour, indexed, no_colour)| Terminal { no_colour, true_colour, indexed });
        let of = |choice, terminal, background| {
            let own = vec![own(Kind::Warm, &colours)];
            Appearance { choice: Some(choice), own, terminal, background }.theme()
        };
        let mine = Choice::Own(0);
        for background in [Background::Unknown, Background::Known(Rgb::of(0x00_0000))] {
            let theme = of(mine, true_colour, background);
            assert_eq!(theme.kind, Kind::Warm);
            assert_eq!(theme.ground.bg, Some(Rgb::of(0x10_2030).at(Depth::True)));
            assert_eq!(theme.faint.fg, Some(Rgb::of(0x11_2131).at(Depth::True)));
            assert_eq!(theme.accent, Theme::of(Kind::Warm, Depth::True).accent);
        }
        let theme = of(mine, indexed, Background::Unknown);
        assert_eq!(theme.faint.fg, Some(Rgb::of(0x11_2131).at(Depth::Indexed)));
        for terminal in [sixteen, none] {
            let base = of(Choice::BuiltIn(Kind::Warm), terminal, Background::Unknown);
            assert_eq!(of(mine, terminal, Background::Unknown), base);
        }
    }

    #[test]
    fn a_name_is_a_built_in_themes_first() {
        let own = ["light", "mine"].map(|name| OwnTheme::new(name, Kind::Dark).unwrap()).to_vec();
        let appearance = Appearance { own, ..Appearance::fixed(Kind::Dark, Depth::True) };
        let named = ["light", "mine", "yours"].map(|name| appearance.named(name));
        assert_eq!(named, [Some(Choice::BuiltIn(Kind::Light)), Some(Choice::Own(1)), None]);
        assert_eq!(
            named.map(|choice| choice.and_then(|choice| appearance.name(choice))),
            [Some("light"), Some("mine"), None]
        );
    }
}
