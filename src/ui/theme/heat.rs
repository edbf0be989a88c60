//! The colour ramp for shares from 0 to 1.

use ratatui::style::{Color, Modifier, Style};

use super::styles::PLAIN;
use super::{Depth, Rgb, Theme};

impl Theme {
    /// Returns the style of a share, 0 to 1.
    pub fn heat(&self, share: f64) -> Style {
        // NaN counts as 0.
        let share = share.max(0.0);
        let step = if self.has_ramp() { (share * 9.0) as usize } else { QUARTERS[((share * 4.0) as usize).min(3)] };
        self.heat[step.min(8)]
    }

    /// Returns the style of a share, 0 to 1, of which high ones are of interest: as [`Self::heat`], but without colour
    /// the high shares stand out.
    pub fn heat_high(&self, share: f64) -> Style {
        if self.has_ramp() {
            return self.heat(share);
        }
        self.heat[QUARTERS[3 - ((share.max(0.0) * 4.0) as usize).min(3)]]
    }

    /// Returns the legend of [`Self::heat_high`]: words, each in its style.
    pub fn heat_high_legend(&self) -> Vec<(&'static str, Style)> {
        let mut legend = self.heat_legend();
        if !self.has_ramp() {
            let looks: Vec<Style> = legend.iter().rev().map(|(_, look)| *look).collect();
            legend.iter_mut().zip(looks).for_each(|((_, look), other)| *look = other);
        }
        legend
    }

    /// Returns the legend of [`Self::heat`]: words, each in its style.
    pub fn heat_legend(&self) -> Vec<(&'static str, Style)> {
        const NINTHS: [&str; 9] = [" 0", " 11", " 22", " 33", " 44", " 56", " 67", " 78", " 89% "];
        const LABELS: [&str; 4] = ["<25%", "<50%", "<75%", "≥75%"];
        if self.has_ramp() {
            return NINTHS.into_iter().zip(self.heat).collect();
        }
        LABELS.into_iter().zip(QUARTERS.map(|step| self.heat[step])).collect()
    }

    /// Returns whether each ninth has a background of its own, rather than each quarter a style.
    fn has_ramp(&self) -> bool {
        self.heat[0].bg.is_some()
    }
}

/// The steps of the ramp for the quarters, if it has only four styles.
const QUARTERS: [usize; 4] = [0, 2, 4, 7];

/// The steps above the lowest, over dark and over light backgrounds.
const OVER_DARK: [u32; 8] = [0x27_305a, 0x2b_4a7a, 0x2c_6a88, 0x2f_8a84, 0x4a_a873, 0x8c_c152, 0xb8_ca50, 0xe3_d34f];
const OVER_LIGHT: [u32; 8] = [0xe0_f3db, 0xcc_ebc5, 0xa8_ddb5, 0x7b_ccc4, 0x4e_b3d3, 0x2b_8cbe, 0x08_68ac, 0x08_4081];
/// All steps where there are 256 colours.
const OVER_DARK_INDEXED: [u8; 9] = [17, 18, 24, 61, 30, 36, 41, 148, 220];
const OVER_LIGHT_INDEXED: [u8; 9] = [255, 189, 152, 115, 79, 73, 31, 25, 18];

/// Returns a step of the ramp over a background. It begins there and gets lighter on a dark one, darker on a light one,
/// with each step and at both depths, so that it is readable without its hues.
pub(super) fn step_over(ground: Rgb, depth: Depth, step: usize) -> Style {
    let (ramp, indexed) =
        if ground.is_dark() { (OVER_DARK, OVER_DARK_INDEXED) } else { (OVER_LIGHT, OVER_LIGHT_INDEXED) };
    let (colour, shown) = match depth {
        Depth::True => {
            let colour = step.checked_sub(1).map_or_else(|| ground.mix(Rgb::of(ramp[0]), 0.4), |at| Rgb::of(ramp[at]));
            (colour, colour.at(depth))
        }
        Depth::Indexed | Depth::None => (Rgb::indexed(indexed[step]), Color::Indexed(indexed[step])),
    };
    let [black, white] = [0, 0xff_ffff].map(Rgb::of);
    let ink = if black.contrast(colour) >= white.contrast(colour) { black } else { white };
    Style::new().fg(ink.at(depth)).bg(shown)
}

/// Returns the style of a step of the ramp without colours.
pub(super) fn look(step: usize) -> Style {
    let set = |modifier: Modifier| {
        let all = Modifier::REVERSED | Modifier::BOLD | Modifier::UNDERLINED;
        Style::new().remove_modifier(all - modifier).add_modifier(modifier)
    };
    // Unlikely tokens are of interest, so the likely ones are plain.
    match QUARTERS.iter().rposition(|first| *first <= step) {
        Some(3) => set(PLAIN),
        Some(2) => set(Modifier::UNDERLINED),
        Some(1) => set(Modifier::BOLD | Modifier::UNDERLINED),
        _ => set(Modifier::REVERSED),
    }
}

#[cfg(test)]
mod tests {
    use super::super::Kind;
    use super::super::tests::{rgb, themes};
    use super::*;

    #[test]
    fn text_on_every_step_is_readable_and_the_ramp_goes_from_the_background_on() {
        for depth in [Depth::True, Depth::Indexed] {
            for (theme, ground) in themes(depth) {
                let name = format!("{depth:?} {:?} {ground:?}", theme.kind);
                let steps = theme.heat.map(|style| (rgb(style.fg), rgb(style.bg)));
                for (step, (ink, colour)) in steps.iter().enumerate() {
                    let found = ink.contrast(*colour);
                    assert!(found >= 4.5, "{name} step {step}: {found:.2}");
                }
                let far = |colour: Rgb| {
                    if ground.is_dark() { colour.luminance() } else { -colour.luminance() }
                };
                assert!(steps.windows(2).all(|pair| far(pair[0].1) < far(pair[1].1)), "{name}: {steps:?}");
                let first = steps[0].1.contrast(ground);
                assert!(first < 1.3, "{name}: begins at {first:.2}");
            }
        }
    }

    #[test]
    fn shares_have_their_step_and_without_colour_four_looks() {
        let theme = Theme::of(Kind::Dark, Depth::True);
        let step = |share: f64| theme.heat.iter().position(|style| *style == theme.heat(share));
        for (share, at) in [(0.0, 0), (0.12, 1), (0.5, 4), (0.9, 8), (1.0, 8), (7.0, 8), (-1.0, 0), (f64::NAN, 0)] {
            assert_eq!(step(share), Some(at), "{share}");
        }
        for kind in [Kind::Ansi, Kind::Mono] {
            let theme = Theme::of(kind, Depth::Indexed);
            let looks: Vec<Style> = [0.1, 0.3, 0.6, 0.9].map(|share| theme.heat(share)).to_vec();
            assert!(looks.iter().enumerate().all(|(at, look)| !looks[..at].contains(look)), "{kind:?}: told apart");
            assert!(looks.iter().all(|look| look.fg.is_none() && look.bg.is_none()), "{kind:?}: without colour");
            let legend: Vec<Style> = theme.heat_legend().into_iter().map(|(_, look)| look).collect();
            assert_eq!(legend, looks, "the legend shows what is used");
            let high: Vec<Style> = [0.1, 0.3, 0.6, 0.9].map(|share| theme.heat_high(share)).to_vec();
            assert_eq!(high, looks.iter().rev().copied().collect::<Vec<_>>(), "what is looked for stands out");
            assert_eq!(high, theme.heat_high_legend().into_iter().map(|(_, look)| look).collect::<Vec<_>>());
            for (edge, below) in [(0.25, 0.2499), (0.5, 0.4999), (0.75, 0.7499)] {
                assert_ne!(theme.heat(edge), theme.heat(below), "{edge}");
            }
            assert!(theme.heat.iter().all(|look| looks.contains(look)));
        }
    }
}
