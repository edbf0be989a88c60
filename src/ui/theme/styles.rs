//! The styles of a theme, derived from its colours.

use ratatui::style::{Color, Modifier, Style};

use super::roles::Roles;
use super::{Depth, Kind, Rgb, Theme, heat};

/// One role's look in the terminal's 16 colours, and without colour.
struct Plain(Color, Modifier);

/// No modifier.
pub(super) const PLAIN: Modifier = Modifier::empty();

impl Theme {
    /// Returns the theme of these colours; its ground is painted, or that of the terminal.
    pub(super) fn with_surfaces(kind: Kind, depth: Depth, roles: &Roles, paints_ground: bool) -> Self {
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
            tab: bold(Style::new().fg(readable_on(roles.accent).at(depth)).bg(roles.accent.at(depth))),
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
    pub(super) fn with_lines(kind: Kind) -> Self {
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
}

/// Returns black or white, whichever is readable on a background.
fn readable_on(background: Rgb) -> Rgb {
    let [black, white] = [0x0b_0d12, 0xff_ffff].map(Rgb::of);
    if black.contrast(background) >= white.contrast(background) { black } else { white }
}
