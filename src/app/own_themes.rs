//! The user's own themes: what the files say becomes colours, and is checked.

use std::collections::BTreeMap;

use crate::settings::Paths;
use crate::settings::theme_files::{self, ROLES, ThemeFile};
use crate::ui::theme::{Kind, OwnTheme, Rgb};

/// What is to be said of the files of themes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ThemeCheck {
    /// Sentences about what is wrong: what is ignored.
    pub faults: Vec<String>,
    /// A sentence for each role that is too faint, by file.
    pub faint: BTreeMap<String, Vec<String>>,
    /// Sentences about roles that are taken from a theme's base.
    pub notes: Vec<String>,
}

/// Reads the user's own themes, and returns them with sentences about what is wrong in their files.
pub fn load(paths: &Paths) -> (Vec<OwnTheme>, Vec<String>) {
    let (files, warnings) = theme_files::read_all(&paths.themes());
    (files.into_iter().filter_map(theme).collect(), warnings)
}

/// Checks all files of themes.
pub fn check(paths: &Paths) -> ThemeCheck {
    let (themes, faults) = load(paths);
    let mut check = ThemeCheck { faults, ..ThemeCheck::default() };
    for theme in themes {
        let file = format!("themes/{}.toml", theme.name());
        let missing = theme.missing();
        // A file that sets none says nothing of colours, or its faults say that it is not used.
        if (1..ROLES.len()).contains(&missing.len()) {
            let (missing, base) = (missing.join(", "), theme.base().name());
            check.notes.push(format!("{file}: roles with the colours of {base}: {missing}"));
        }
        let faint = theme.faint_roles();
        if !faint.is_empty() {
            check.faint.insert(file, faint);
        }
    }
    check
}

/// Returns the theme of a file; `None`: its base has no colours of its own.
fn theme(file: ThemeFile) -> Option<OwnTheme> {
    let mut theme = OwnTheme::new(file.name, Kind::named(file.base)?)?;
    for (role, [red, green, blue]) in file.colours {
        theme.set(role, Rgb(red, green, blue));
    }
    Some(theme)
}
