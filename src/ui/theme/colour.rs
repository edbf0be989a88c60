//! Colours as numbers: luminance, contrast, mixing, and the nearest of the terminal's 256.

use ratatui::style::Color;

use super::Depth;

/// A colour: red, green and blue, 8 bits each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Rgb(pub u8, pub u8, pub u8);

impl Rgb {
    /// Returns the colour of a number such as `0x1c_1f26`.
    pub(super) const fn of(number: u32) -> Self {
        Self((number >> 16) as u8, (number >> 8) as u8, number as u8)
    }

    /// Returns the colour of a cell; `None`: it is one of the terminal's own 16.
    pub(super) fn known(colour: Color) -> Option<Self> {
        match colour {
            Color::Rgb(r, g, b) => Some(Self(r, g, b)),
            Color::Indexed(index @ 16..) => Some(Self::indexed(index)),
            _ => None,
        }
    }

    /// Returns whether it looks dark.
    pub fn is_dark(self) -> bool {
        let light = u32::from(self.0) * 299 + u32::from(self.1) * 587 + u32::from(self.2) * 114;
        light < 128 * 1000
    }

    /// Returns a colour between this one (`share` 0) and another (`share` 1).
    pub(super) fn mix(self, other: Self, share: f64) -> Self {
        let part = |from: u8, to: u8| (f64::from(from) + (f64::from(to) - f64::from(from)) * share).round() as u8;
        Self(part(self.0, other.0), part(self.1, other.1), part(self.2, other.2))
    }

    /// Returns the relative luminance, 0 to 1 (WCAG 2.1).
    pub(super) fn luminance(self) -> f64 {
        let part = |value: u8| {
            let value = f64::from(value) / 255.0;
            if value <= 0.04045 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
        };
        0.2126 * part(self.0) + 0.7152 * part(self.1) + 0.0722 * part(self.2)
    }

    /// Returns the contrast with another colour, 1 to 21 (WCAG 2.1).
    pub(super) fn contrast(self, other: Self) -> f64 {
        let (a, b) = (self.luminance(), other.luminance());
        (a.max(b) + 0.05) / (a.min(b) + 0.05)
    }

    /// Returns this colour, lightened or darkened until its contrast with `background` is at least `least`, or it is
    /// white or black.
    pub(super) fn readable_on(self, background: Self, least: f64) -> Self {
        let end = if background.is_dark() { Self(255, 255, 255) } else { Self(0, 0, 0) };
        let steps = (0..=20).map(|step| self.mix(end, f64::from(step) / 20.0));
        steps.into_iter().find(|colour| colour.contrast(background) >= least).unwrap_or(end)
    }

    /// Returns the colour as the terminal takes it.
    pub(super) fn at(self, depth: Depth) -> Color {
        match depth {
            Depth::True => Color::Rgb(self.0, self.1, self.2),
            Depth::Indexed | Depth::None => Color::Indexed(self.nearest()),
        }
    }

    /// Returns the nearest colour of the 6×6×6 cube and the 24 greys (16 to 255).
    fn nearest(self) -> u8 {
        let distance = |&index: &u8| {
            let other = Self::indexed(index);
            let part = |a: u8, b: u8| (i32::from(a) - i32::from(b)).pow(2);
            part(self.0, other.0) + part(self.1, other.1) + part(self.2, other.2)
        };
        (16..=255).min_by_key(distance).unwrap_or(16)
    }

    /// Returns the nearest grey that no colour of `taken` is shown as.
    pub(super) fn grey_besides(self, taken: &[u8]) -> u8 {
        let light = |index: u8| i32::from(Self::indexed(index).1);
        let own = i32::from(self.1);
        (232..=255)
            .filter(|index| !taken.contains(index))
            .min_by_key(|index| (light(*index) - own).abs())
            .unwrap_or(232)
    }

    /// Returns the colour that terminals show for a number from 16 to 255.
    pub(super) fn indexed(index: u8) -> Self {
        if index >= 232 {
            let grey = 8 + 10 * (index - 232);
            return Self(grey, grey, grey);
        }
        let level = |n: u8| if n == 0 { 0 } else { n * 40 + 55 };
        let n = index - 16;
        Self(level(n / 36), level(n / 6 % 6), level(n % 6))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_of_256_colours_is_found() {
        for (colour, index) in [(0xff_0000, 196), (0x80_8080, 244), (0x00_005f, 17), (0xff_ffff, 231)] {
            assert_eq!(Rgb::of(colour).nearest(), index, "{colour:06x}");
        }
        assert_eq!(Rgb::of(0x1c_1f26).grey_besides(&[]), 234);
        assert_eq!(Rgb::of(0x1c_1f26).grey_besides(&[234]), 235);
    }

    #[test]
    fn a_colour_is_made_readable_and_left_alone_where_it_is() {
        let (dark, light) = (Rgb::of(0x1c_1f26), Rgb::of(0xfa_fafa));
        for background in [dark, light] {
            let made = Rgb::of(0x77_7777).readable_on(background, 7.0);
            assert!(made.contrast(background) >= 7.0, "{made:?} on {background:?}");
        }
        assert_eq!(Rgb::of(0xff_ffff).readable_on(dark, 4.5), Rgb::of(0xff_ffff));
    }
}
