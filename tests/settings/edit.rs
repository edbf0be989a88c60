//! Profiles renamed, copied, deleted and moved in the config file.

use std::path::Path;

use benchtop::settings::{KeySource, Paths, ProfileId, Settings, edit, keep, resolve};
use secrecy::ExposeSecret;

use super::load;

const FILE: &str = r#"# Where calls go.
profile = "work"  # the one to start with
strange = 1

# --- servers ---

# The company's.
[profiles.work]
base_url = "https://models.example/v1"  # through the gateway
api_key_kept = true
odd = "kept"

[profiles.work.headers]  # for the gateway
X-Team = "a"

# The one at home.
[profiles.home]
base_url = "http://127.0.0.1:11434/v1"

[chat]
enter = "send"  # as ever

[profiles.third]
base_url = "https://third.example/v1"
# the end
"#;

fn id(name: &str) -> ProfileId {
    ProfileId(name.to_owned())
}

fn paths(folder: &Path) -> Paths {
    let config = load(folder, FILE, &[], |_| {}).settings.paths;
    keep::keep_key(&config.keys(), "work", "https://models.example", &"sk-work".to_owned().into()).unwrap();
    keep::keep_key(&config.keys(), "home", "https://models.example", &"sk-home".to_owned().into()).unwrap();
    config
}

fn text(paths: &Paths) -> String {
    std::fs::read_to_string(&paths.config).unwrap()
}

fn names(paths: &Paths) -> Vec<String> {
    edit::order(&paths.config).unwrap()
}

/// Reads the file again, and returns the warnings beside those about the two unknown settings.
fn warnings(folder: &Path, paths: &Paths) -> Vec<String> {
    let warnings = load(folder, &text(paths), &[], |_| {}).warnings;
    warnings.into_iter().filter(|warning| !warning.contains("there is no setting")).collect()
}

#[test]
fn profiles_stand_in_the_order_of_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let settings = load(folder.path(), FILE, &[("OPENAI_API_KEY", "sk")], |_| {}).settings;
    let names: Vec<_> = settings.profiles.keys().map(|id| id.0.as_str()).collect();
    assert_eq!(names, ["local", "env", "work", "home", "third"]);
}

#[test]
fn a_renamed_profile_keeps_its_place_its_comments_and_its_key() {
    let folder = tempfile::tempdir().unwrap();
    let paths = paths(folder.path());
    edit::rename(&paths, &id("work"), &id("büro")).unwrap();
    let wanted = FILE
        .replace("profile = \"work\"", "profile = \"büro\"")
        .replace("[profiles.work]", "[profiles.\"büro\"]")
        .replace("[profiles.work.headers]", "[profiles.\"büro\".headers]");
    assert_eq!(text(&paths), wanted);
    let loaded = load(folder.path(), &text(&paths), &[], |_| {});
    let profile = &loaded.settings.profiles[&id("büro")];
    assert!(profile.key == KeySource::Kept("büro".into()));
    let found = resolve(profile, &paths, |_| None, &[]).unwrap();
    assert_eq!(found.key.unwrap().expose_secret(), "sk-work");
    let keys = std::fs::read_to_string(paths.keys()).unwrap();
    assert!(!keys.contains("work @") && keys.contains("home @ https://models.example"), "{keys}");
}

#[test]
fn a_name_that_is_taken_changes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let paths = paths(folder.path());
    keep::keep_key(&paths.keys(), "gone", "https://models.example", &"sk-gone".to_owned().into()).unwrap();
    let keys = std::fs::read_to_string(paths.keys()).unwrap();
    for result in [
        edit::rename(&paths, &id("work"), &id("home")).map(drop),
        edit::duplicate(&paths, &id("work"), &id("third")),
        edit::rename(&paths, &id("gone"), &id("new")).map(drop),
        edit::duplicate(&paths, &id("gone"), &id("new")),
        edit::delete(&paths, &id("gone")).map(drop),
        edit::shift(&paths.config, &id("gone"), true),
    ] {
        assert!(result.unwrap_err().contains("nothing was changed"));
    }
    assert_eq!(text(&paths), FILE);
    assert_eq!(std::fs::read_to_string(paths.keys()).unwrap(), keys, "another profile's key stays, and none is copied");
}

#[test]
fn a_copy_stands_at_the_end_and_has_the_key_too() {
    let folder = tempfile::tempdir().unwrap();
    let paths = paths(folder.path());
    edit::duplicate(&paths, &id("work"), &id("copy")).unwrap();
    let copy = "\n[profiles.copy]\nbase_url = \"https://models.example/v1\"  # through the gateway\napi_key_kept = true\nodd = \"kept\"\n\n[profiles.copy.headers]  # for the gateway\nX-Team = \"a\"\n";
    let text = text(&paths);
    assert!(text.contains(copy), "{text}");
    assert_eq!(text.replace(copy, ""), FILE);
    let settings: Settings = load(folder.path(), &text, &[], |_| {}).settings;
    let found = resolve(&settings.profiles[&id("copy")], &paths, |_| None, &[]).unwrap();
    assert_eq!(found.key.unwrap().expose_secret(), "sk-work");
    assert_eq!(found.headers["X-Team"], "a");
}

#[test]
fn what_is_deleted_takes_its_key_along_and_no_comment_of_others() {
    let folder = tempfile::tempdir().unwrap();
    let paths = paths(folder.path());
    edit::delete(&paths, &id("work")).unwrap();
    let text = text(&paths);
    assert!(text.contains("profile = \"local\"  # the one to start with"), "{text}");
    for kept in
        ["# Where calls go.", "# --- servers ---", "# The one at home.\n[profiles.home]", "# as ever", "# the end"]
    {
        assert!(text.contains(kept), "{kept}: {text}");
    }
    assert!(!text.contains("gateway") && !text.contains("company"), "{text}");
    assert_eq!(warnings(folder.path(), &paths), [] as [String; 0]);
    let keys = std::fs::read_to_string(paths.keys()).unwrap();
    assert!(!keys.contains("work @") && keys.contains("home @"), "{keys}");
    for rest in ["home", "third"] {
        edit::delete(&paths, &id(rest)).unwrap();
    }
    assert_eq!(names(&paths), [] as [String; 0]);
    assert!(self::text(&paths).contains("# --- servers ---"), "{}", self::text(&paths));
}

#[test]
fn profiles_change_places_and_comments_go_along() {
    let folder = tempfile::tempdir().unwrap();
    let paths = paths(folder.path());
    edit::shift(&paths.config, &id("work"), true).unwrap();
    assert_eq!(text(&paths), FILE, "it is the first already");
    edit::shift(&paths.config, &id("work"), false).unwrap();
    assert_eq!(names(&paths), ["home", "work", "third"]);
    let moved = text(&paths);
    let at = |part: &str| moved.find(part).unwrap_or_else(|| panic!("{part}: {moved}"));
    let order = [
        "# --- servers ---",
        "# The one at home.\n[profiles.home]",
        "# The company's.\n[profiles.work]",
        "odd = \"kept\"",
        "[profiles.work.headers]  # for the gateway",
        "[chat]",
        "[profiles.third]",
        "# the end",
    ];
    assert!(order.windows(2).all(|pair| at(pair[0]) < at(pair[1])), "{moved}");
    edit::shift(&paths.config, &id("third"), true).unwrap();
    assert_eq!(names(&paths), ["home", "third", "work"]);
    edit::shift(&paths.config, &id("third"), true).unwrap();
    edit::shift(&paths.config, &id("third"), true).unwrap();
    assert_eq!(names(&paths), ["third", "home", "work"]);
    let lines = |text: &str| {
        let mut lines: Vec<_> = text.lines().filter(|line| !line.is_empty()).map(str::to_owned).collect();
        lines.sort();
        lines
    };
    assert_eq!(lines(&text(&paths)), lines(FILE), "every line is still there");
    assert_eq!(warnings(folder.path(), &paths), [] as [String; 0]);
}

#[test]
fn a_profile_in_one_line_is_named_and_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let file = "profiles.a = { base_url = \"http://127.0.0.1:1/v1\" }\n";
    let paths = load(folder.path(), file, &[], |_| {}).settings.paths;
    for result in [edit::rename(&paths, &id("a"), &id("b")), edit::delete(&paths, &id("a"))] {
        assert!(result.unwrap_err().contains("inline table"));
    }
    assert_eq!(text(&paths), file);
}

/// What the process of its own below does: both writes that a name needs, of which the second fails.
fn change_both(folder: &Path) {
    let paths = Paths::find(Some(&folder.join("config.toml")), Some(folder)).unwrap();
    let renamed = edit::rename(&paths, &id("work"), &id("office")).map(drop);
    for failed in [renamed, edit::duplicate(&paths, &id("work"), &id("copy"))] {
        let why = failed.expect_err("the config file is too large for this process");
        assert!(why.contains("config.toml cannot be written") && !why.contains("still stored"), "{why}");
    }
}

#[cfg(unix)]
#[test]
fn where_the_config_file_cannot_be_written_no_key_is_lost_and_no_copy_left() {
    if let Some(folder) = std::env::var_os("BENCHTOP_TEST_FOLDER") {
        return change_both(Path::new(&folder));
    }
    let folder = tempfile::tempdir().unwrap();
    let paths = Paths::find(Some(&folder.path().join("config.toml")), Some(folder.path())).unwrap();
    let config = format!(
        "# {}\n[profiles.work]\nbase_url = \"https://a.example/v1\"\napi_key_kept = true\n",
        "x".repeat(20_000)
    );
    std::fs::write(&paths.config, &config).unwrap();
    let keys = "\"work @ https://a.example\" = \"sk-1\"\n\"office @ https://old.example\" = \"sk-2\"\n";
    std::fs::write(paths.keys(), keys).unwrap();
    // No file may be larger than 8 KiB: the keys can be written, the config file cannot.
    let mut shell = std::process::Command::new("sh");
    shell.args(["-c", "trap '' XFSZ; ulimit -f 16; exec \"$0\" --exact \"$1\""]).arg(std::env::current_exe().unwrap());
    shell.arg("edit::where_the_config_file_cannot_be_written_no_key_is_lost_and_no_copy_left");
    let told = shell.env("BENCHTOP_TEST_FOLDER", folder.path()).output().unwrap();
    let words = String::from_utf8_lossy(&told.stdout).into_owned();
    assert!(told.status.success() && words.contains("1 passed"), "{words}");
    assert_eq!(std::fs::read_to_string(&paths.config).unwrap(), config);
    assert_eq!(std::fs::read_to_string(paths.keys()).unwrap(), keys);
}
