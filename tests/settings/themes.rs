//! Themes of the user's own: how their files are read, named and checked.

use std::path::Path;

use benchtop::app::own_themes::{self, ThemeCheck};
use benchtop::settings::theme_files::{self, ThemeFile};
use benchtop::settings::{keep, limits};
use tempfile::TempDir;

use super::{load, try_load};

/// Creates a folder with these themes beside its config file.
fn folder(themes: &[(&str, &str)]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("themes")).unwrap();
    for (name, text) in themes {
        std::fs::write(folder.path().join("themes").join(name), text).unwrap();
    }
    folder
}

fn read(folder: &Path) -> (Vec<ThemeFile>, Vec<String>) {
    theme_files::read_all(&folder.join("themes"))
}

fn check(folder: &Path) -> ThemeCheck {
    own_themes::check(&load(folder, "", &[], |_| {}).settings.paths)
}

#[test]
fn a_theme_has_a_base_and_colours_and_lists_by_name() {
    let first = "base = \"warm\"\nground = \"#0a0B0c\"\nseries6 = \"#ffFFff\" # white\n";
    let folder = folder(&[("b.toml", first), ("a b.toml", ""), (".c.toml", "x = 1"), ("notes.txt", "x = 1")]);
    let (themes, warnings) = read(folder.path());
    assert_eq!(warnings, [""; 0]);
    let named = |name: &str, base, colours: &[_]| ThemeFile { name: name.into(), base, colours: colours.to_vec() };
    let colours = [("ground", [0x0a, 0x0b, 0x0c]), ("series6", [0xff, 0xff, 0xff])];
    assert_eq!(themes, [named("a b", "dark", &[]), named("b", "warm", &colours)]);
    let none = tempfile::tempdir().unwrap();
    assert_eq!(read(none.path()), (Vec::new(), Vec::new()), "without a folder there are none");
}

#[test]
fn what_is_wrong_in_a_theme_is_named_with_its_line_and_the_rest_is_used() {
    let text = "text = \"#dfdcd9\"\nbase = \"ansi\"\naccent = \"blue\"\nmodel = \"#12345\"\nbad = \"#+12345\"\n\
                good = 3\npink = \"#ff00ff\"\nseries7 = \"#ffffff\"\n[warn]\nx = 1\n";
    let folder = folder(&[("mine.toml", text), ("dark.toml", ""), ("odd.toml", "text = \n")]);
    let (themes, warnings) = read(folder.path());
    let names: Vec<&str> = themes.iter().map(|theme| theme.name.as_str()).collect();
    assert_eq!(names, ["mine", "odd"]);
    assert_eq!((themes[0].base, &*themes[0].colours), ("dark", &[("text", [0xdf, 0xdc, 0xd9])][..]));
    assert_eq!((themes[1].base, &*themes[1].colours), ("dark", &[][..]));
    let colour = |line: u8, role: &str| {
        format!("themes/mine.toml, line {line}: {role} must be a colour such as \"#71a9f0\"; the base's is used")
    };
    let expected = [
        "themes/dark.toml: dark is a built-in theme, so this file is not used; give it another name".to_owned(),
        "themes/mine.toml, line 2: base must be one of dark, light, warm, high-contrast; dark is used".to_owned(),
        colour(3, "accent"),
        colour(4, "model"),
        colour(5, "bad"),
        colour(6, "good"),
        "themes/mine.toml, line 7: there is no role pink; it is ignored".to_owned(),
        "themes/mine.toml, line 8: there is no role series7; it is ignored".to_owned(),
        colour(9, "warn"),
    ];
    assert_eq!(warnings[..9], expected);
    assert!(warnings[9].starts_with("themes/odd.toml, line 1, column "), "{}", warnings[9]);
    assert!(warnings[9].ends_with("until this is corrected it has the colours of dark"), "{}", warnings[9]);
    assert_eq!(warnings.len(), 10);
}

#[test]
fn many_mistakes_and_many_files_are_counted_and_odd_files_hold_nothing_up() {
    let text = (0..30).map(|number| format!("role{number} = 1\n")).collect::<Vec<_>>().concat();
    let folder = folder(&[("mine.toml", &text)]);
    let (_, warnings) = read(folder.path());
    assert_eq!(warnings.len(), limits::CONFIG_WARNINGS + 1);
    assert_eq!(warnings[limits::CONFIG_WARNINGS], "themes/mine.toml: 10 more faults are not listed");
    std::fs::create_dir(folder.path().join("themes/a.toml")).unwrap();
    let (themes, warnings) = read(folder.path());
    assert_eq!(themes.len(), 2);
    let said = "themes/a.toml cannot be read: it is not a regular file; it has the colours of dark";
    assert_eq!(warnings[0], said);
    for number in 0..limits::THEMES {
        std::fs::write(folder.path().join(format!("themes/x{number}.toml")), "").unwrap();
    }
    let (themes, warnings) = read(folder.path());
    assert_eq!(themes.len(), limits::THEMES);
    assert!(warnings[0].ends_with("themes: 2 more themes are ignored; remove some files"), "{}", warnings[0]);
}

#[test]
fn names_that_cannot_be_chosen_are_refused() {
    let folder = folder(&[("mine.toml", ""), ("automatic.toml", "")]);
    let mut expected = vec![
        "themes/automatic.toml: automatic means the theme that fits the terminal, so this file is not used; give it \
         another name",
    ];
    // Elsewhere it separates folders.
    if cfg!(unix) {
        std::fs::write(folder.path().join("themes/a\\b.toml"), "").unwrap();
        expected.insert(
            0,
            "themes/a\\b.toml: a name with \\ would be read as a path, so this file is not used; give it another name",
        );
    }
    let (themes, warnings) = read(folder.path());
    assert_eq!(themes.iter().map(|theme| theme.name.as_str()).collect::<Vec<_>>(), ["mine"]);
    assert_eq!(warnings, expected);
}

#[test]
fn a_theme_is_chosen_by_its_name_in_the_config_file_and_by_the_flag() {
    let folder = folder(&[("mine.toml", ""), ("light.toml", "")]);
    let named = |config: &str| load(folder.path(), config, &[], |_| {});
    for name in ["mine", "light"] {
        let loaded = named(&format!("theme = \"{name}\"\n"));
        assert_eq!((loaded.settings.theme.as_deref(), &*loaded.warnings), (Some(name), &[][..]));
    }
    let known = "there is no theme pink; choose from: dark, light, warm, high-contrast, ansi, mono, mine";
    let pathless = format!(
        "a theme is named without a path; put its file into {} and name it without .toml",
        folder.path().join("themes").display()
    );
    for (config, why) in [
        ("theme = \"pink\"", format!("theme is ignored: {known}")),
        ("theme = \"../themes/mine\"", format!("theme is ignored: {pathless}")),
        ("theme = \"..\\\\mine\"", format!("theme is ignored: {pathless}")),
        ("theme = 3", "theme must be text in quotes; it is ignored".to_owned()),
    ] {
        let loaded = named(config);
        assert_eq!((loaded.settings.theme, loaded.warnings), (None, vec![format!("config.toml, line 1: {why}")]));
    }
    let by_flag =
        |name: &str| try_load(folder.path(), "theme = \"dark\"\n", &[], |flags| flags.theme = Some(name.into()));
    assert_eq!(by_flag("mine").unwrap().settings.theme.as_deref(), Some("mine"));
    assert_eq!(by_flag("pink").unwrap_err().0, format!("--theme: {known}"));
    assert_eq!(by_flag("./mine").unwrap_err().0, format!("--theme: {pathless}"));
}

#[test]
fn a_chosen_theme_is_kept_in_the_config_file_and_can_be_taken_out() {
    let folder = folder(&[("mine.toml", "")]);
    let config = folder.path().join("config.toml");
    let text = "# mine\ntheme = \"dark\" # by day\n\n[profiles.work]\nbase_url = \"https://models.example/v1\"\n";
    std::fs::write(&config, text).unwrap();
    keep::set_theme(&config, Some("mine")).unwrap();
    assert_eq!(std::fs::read_to_string(&config).unwrap(), text.replace("\"dark\"", "\"mine\""));
    keep::set_theme(&config, None).unwrap();
    let left = std::fs::read_to_string(&config).unwrap();
    assert!(!left.contains("theme") && left.contains("[profiles.work]"), "{left}");
    keep::set_theme(&config, None).unwrap();
    assert_eq!(std::fs::read_to_string(&config).unwrap(), left);
}

#[test]
fn the_check_of_all_files_names_what_is_wrong_or_too_faint_and_what_is_of_the_base() {
    let all = theme_files::ROLES.map(|role| match role {
        "ground" | "panel" | "raised" | "find" => format!("{role} = \"#000000\"\n"),
        _ => format!("{role} = \"#ffffff\"\n"),
    });
    let faint = "base = \"light\"\nmuted = \"#bbbbbb\"\nblack = 1\n";
    let folder = folder(&[("faint.toml", faint), ("whole.toml", &all.concat())]);
    let ThemeCheck { faults, faint, notes } = check(folder.path());
    assert_eq!(faults, ["themes/faint.toml, line 3: there is no role black; it is ignored"]);
    let too_faint = "muted (#bbbbbb) is too faint: contrast 1.87 on ground, 1.71 on panel, 1.53 on raised; at least 4.5 \
                     is needed";
    assert_eq!(faint, [("themes/faint.toml".to_owned(), vec![too_faint.to_owned()])].into());
    let missing = "ground, panel, raised, text, faint, accent, model, good, warn, bad, busy, find, series1, series2, \
                   series3, series4, series5, series6";
    assert_eq!(notes, [format!("themes/faint.toml: roles with the colours of light: {missing}")]);
    // Of a file that is not used its fault says it.
    std::fs::write(folder.path().join("themes/faint.toml"), "muted = \n").unwrap();
    let ThemeCheck { faults, notes, .. } = check(folder.path());
    assert!(faults.len() == 1 && faults[0].ends_with("it has the colours of dark"), "{faults:?}");
    assert_eq!(notes, [""; 0]);
}

#[test]
fn the_example_of_the_documentation_has_no_fault() {
    let text = std::fs::read_to_string("docs/themes.md").unwrap();
    let example = text.split("```").nth(1).unwrap().trim_start_matches("toml");
    let folder = folder(&[("solarized.toml", example)]);
    let ThemeCheck { faults, faint, .. } = check(folder.path());
    assert!(faults.is_empty() && faint.is_empty(), "{faults:?} {faint:?}");
    let (themes, _) = read(folder.path());
    assert_eq!(themes[0].colours.len(), 9);
    let roles = text.split("\n## ").nth(1).unwrap();
    for role in theme_files::ROLES {
        let series = role.trim_end_matches(|c: char| c.is_ascii_digit());
        assert!(roles.contains(&format!("`{role}`")) || roles.contains(&format!("`{series}1`")), "{role}");
    }
}
