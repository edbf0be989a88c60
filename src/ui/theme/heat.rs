//! The ramp that shows how much of something there is, from none to all.

use ratatui::style::{Color, Modifier, Style};

use super::{Depth, Kind, PLAIN, Rgb, Theme};

impl Theme {
    /// The look of a share, 0 to 1.
    pub fn heat(&self, share: f64) -> Style {
        // No number counts as none.
        let share = share.max(0.0);
        let step = if self.has_ramp() { (share * 9.0) as usize } else { QUARTERS[((share * 4.0) as usize).min(3)] };
        self.heat[step.min(8)]
    }

    /// The look of a share, 0 to 1, of which the high ones are looked for: as [`Self::heat`], but without colour it is the
    /// high shares that stand out.
    pub fn heat_high(&self, share: f64) -> Style {
        if self.has_ramp() {
            return self.heat(share);
        }
        self.heat[QUARTERS[3 - ((share.max(0.0) * 4.0) as usize).min(3)]]
    }

    /// What the looks of [`Self::heat_high`] mean: words with the look of each.
    pub fn heat_high_legend(&self) -> Vec<(&'static str, Style)> {
        let mut legend = self.heat_legend();
        if !self.has_ramp() {
            let looks: Vec<Style> = legend.iter().rev().map(|(_, look)| *look).collect();
            legend.iter_mut().zip(looks).for_each(|((_, look), other)| *look = other);
        }
        legend
    }

    /// What the looks of [`Self::heat`] mean: words with the look of each.
    pub fn heat_legend(&self) -> Vec<(&'static str, Style)> {
        const NINTHS: [&str; 9] = [" 0", " 11", " 22", " 33", " 44", " 56", " 67", " 78", " 89% "];
        const WORDS: [&str; 4] = ["<25%", "<50%", "<75%", "≥75%"];
        if self.has_ramp() {
            return NINTHS.into_iter().zip(self.heat).collect();
        }
        WORDS.into_iter().zip(QUARTERS.map(|step| self.heat[step])).collect()
    }

    /// Whether each ninth has a background of its own, rather than each quarter a look.
    fn has_ramp(&self) -> bool {
        self.heat[0].bg.is_some()
    }
}

/// The steps of the ramp that stand for the quarters where it has but four looks.
const QUARTERS: [usize; 4] = [0, 2, 4, 7];

/// A step of the ramp. Its lightness rises with each step, in both depths, so that it reads without its hues.
pub(super) fn look(kind: Kind, depth: Depth, step: usize) -> Style {
    const RAMP: [(u32, u8); 9] = [
        (0x1d_1f33, 17),
        (0x27_305a, 18),
        (0x2b_4a7a, 24),
        (0x2c_6a88, 61),
        (0x2f_8a84, 30),
        (0x4a_a873, 36),
        (0x8c_c152, 41),
        (0xb8_ca50, 148),
        (0xe3_d34f, 220),
    ];
    let (rgb, index) = RAMP[step];
    let set = |modifier: Modifier| {
        let all = Modifier::REVERSED | Modifier::BOLD | Modifier::UNDERLINED;
        Style::new().remove_modifier(all - modifier).add_modifier(modifier)
    };
    if kind.has_surfaces() {
        let at =
            |rgb: u32, index: u8| if depth == Depth::True { Rgb::of(rgb).at(depth) } else { Color::Indexed(index) };
        let ink = if step < 4 { at(0xff_ffff, 231) } else { at(0, 16) };
        return Style::new().fg(ink).bg(at(rgb, index));
    }
    // What was unlikely is looked for, so it is the plain ones that are likely.
    match QUARTERS.iter().rposition(|first| *first <= step) {
        Some(3) => set(PLAIN),
        Some(2) => set(Modifier::UNDERLINED),
        Some(1) => set(Modifier::BOLD | Modifier::UNDERLINED),
        _ => set(Modifier::REVERSED),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rgb(colour: Option<Color>) -> Rgb {
        match colour {
            Some(Color::Rgb(r, g, b)) => Rgb(r, g, b),
            Some(Color::Indexed(index)) => Rgb::indexed(index),
            other => panic!("neither true nor indexed: {other:?}"),
        }
    }

    #[test]
    fn text_on_every_step_of_the_ramp_is_readable_and_the_ramp_gets_lighter() {
        for (kind, depth) in [Kind::Dark, Kind::Light].into_iter().zip([Depth::True, Depth::Indexed]) {
            let theme = Theme::of(kind, depth);
            let mut before = -1.0;
            for (step, style) in theme.heat.iter().enumerate() {
                let (ink, ground) = (rgb(style.fg), rgb(style.bg));
                let found = ink.contrast(ground);
                assert!(found >= 4.5, "{depth:?} step {step}: {found:.2}");
                assert!(ground.luminance() > before, "{depth:?} step {step} is no lighter than the one before");
                before = ground.luminance();
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
