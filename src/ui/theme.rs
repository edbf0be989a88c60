//! Colours and styles by role. Every theme is defined by the colours in `roles.rs`; this derives the styles.
//!
//! Themes with surfaces separate panes by their backgrounds; the terminal's 16 colours and no colours separate them by
//! lines.

mod appearance;
mod colour;
mod heat;
mod own;
mod roles;
mod styles;
#[cfg(test)]
mod tests;

use ratatui::buffer::{Buffer, Cell};
use ratatui::style::{Color, Modifier, Style};

pub use appearance::{Appearance, Background, Choice, Terminal};
pub use colour::Rgb;
pub use own::OwnTheme;
pub use roles::ROLES;
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
    pub fn on_overlay(&self) -> Self {
        let (select, text) = (self.select_in_dialog, self.text.patch(self.raised));
        Self { ground: self.raised, panel: self.raised, select, text, ..self.clone() }
    }
}
