//! The settings of a profile written into the config file, and templates for new ones.

use std::time::Duration;

use benchtop::settings::edit_fields::{OpenedProfile, open, save};
use benchtop::settings::templates::TEMPLATES;
use benchtop::settings::{KeySource, Paths, Profile, ProfileId, Proxy};
use serde_json::json;

use super::load;

const FILE: &str = r#"# top
[profiles.work]  # mine
# where it is
base_url = "https://a.example/v1"  # through the gateway
model = "m"      # small
# who pays
organization = "org-1"
api_key_env = "A_KEY"  # from the vault
odd = 3

[profiles.work.headers]
X-Team = "a"  # ours
X-Old = "o"

[profiles.work.extra_body]
seed = 7  # fixed

[profiles.other]
base_url = "https://b.example/v1"
"#;

fn id(name: &str) -> ProfileId {
    ProfileId(name.to_owned())
}

fn text(paths: &Paths) -> String {
    std::fs::read_to_string(&paths.config).unwrap()
}

#[test]
fn only_what_differs_is_written_and_comments_stay() {
    let folder = tempfile::tempdir().unwrap();
    let paths = load(folder.path(), FILE, &[], |_| {}).settings.paths;
    let opened = open(&paths, &id("work")).unwrap();
    save(&paths, &opened, &id("work"), &opened.profile).unwrap();
    assert_eq!(text(&paths), FILE, "nothing differs");
    let mut new = opened.profile.clone();
    new.base_url = "https://c.example/v1?api-version=1".into();
    new.model = "large".into();
    new.organization = None;
    new.key = KeySource::Command("pass show c".into());
    new.headers = [("X-Team".to_owned(), "b".to_owned()), ("X-New".to_owned(), "n".to_owned())].into();
    new.extra_body = json!({"seed": 8, "provider": {"order": ["a", 1.5, true]}}).as_object().unwrap().clone();
    new.proxy = Proxy::Direct;
    new.ca_file = "own.pem".into();
    new.idle_limit = Duration::from_secs(5);
    save(&paths, &opened, &id("work"), &new).unwrap();
    let written = text(&paths);
    for part in [
        "# top\n[profiles.work]  # mine\n# where it is\nbase_url = \"https://c.example/v1?api-version=1\"  # through the gateway\n",
        "model = \"large\"      # small\n",
        "# who pays\n",
        "api_key_cmd = \"pass show c\"",
        "odd = 3\n",
        "X-Team = \"b\"  # ours\n",
        "X-New = \"n\"\n",
        "seed = 8  # fixed\n",
        "proxy = \"none\"",
        "idle_timeout = 5",
        "[profiles.other]\nbase_url = \"https://b.example/v1\"\n",
    ] {
        assert!(written.contains(part), "{part}: {written}");
    }
    for gone in ["organization", "A_KEY", "X-Old"] {
        assert!(!written.contains(gone), "{gone}: {written}");
    }
    let read = load(folder.path(), &written, &[], |_| {}).settings.profiles;
    assert!(read[&id("work")] == new, "{written}");
    // Everything back to what it is without the settings.
    let opened = open(&paths, &id("work")).unwrap();
    let bare = Profile::new("https://c.example/v1", KeySource::None);
    save(&paths, &opened, &id("work"), &bare).unwrap();
    let written = text(&paths);
    assert!(load(folder.path(), &written, &[], |_| {}).settings.profiles[&id("work")] == bare, "{written}");
    for part in ["# top", "# mine", "# where it is", "# through the gateway", "# who pays", "odd = 3"] {
        assert!(written.contains(part), "{part}: {written}");
    }
}

#[test]
fn a_file_that_was_changed_meanwhile_is_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let paths = load(folder.path(), FILE, &[], |_| {}).settings.paths;
    let opened = open(&paths, &id("work")).unwrap();
    let new = Profile { model: "large".into(), ..opened.profile.clone() };
    // Elsewhere in the file: that stays, and this is written.
    std::fs::write(&paths.config, FILE.replace("b.example", "d.example")).unwrap();
    save(&paths, &opened, &id("work"), &new).unwrap();
    let both = text(&paths);
    assert!(both.contains("d.example") && both.contains("\"large\""), "{both}");
    let opened = open(&paths, &id("work")).unwrap();
    let changed = both.replace("\"large\"", "\"theirs\"");
    std::fs::write(&paths.config, &changed).unwrap();
    let why = save(&paths, &opened, &id("work"), &new).unwrap_err();
    assert!(why.contains("was changed in the file meanwhile"), "{why}");
    assert_eq!(text(&paths), changed);
    std::fs::write(&paths.config, "[profiles.work").unwrap();
    assert!(save(&paths, &opened, &id("work"), &new).unwrap_err().contains("not valid TOML"));
    assert!(open(&paths, &id("work")).unwrap_err().contains("not valid TOML"));
}

#[test]
fn a_table_within_a_profile_that_was_changed_meanwhile_is_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let paths = load(folder.path(), FILE, &[], |_| {}).settings.paths;
    for (from, to) in [("X-Team = \"a\"", "X-Team = \"theirs\""), ("seed = 7", "seed = 9")] {
        std::fs::write(&paths.config, FILE).unwrap();
        let opened = open(&paths, &id("work")).unwrap();
        let new =
            Profile { model: "large".into(), headers: std::collections::BTreeMap::default(), ..opened.profile.clone() };
        let changed = FILE.replace(from, to);
        std::fs::write(&paths.config, &changed).unwrap();
        let why = save(&paths, &opened, &id("work"), &new).unwrap_err();
        assert!(why.contains("was changed in the file meanwhile"), "{why}");
        assert_eq!(text(&paths), changed);
    }
}

#[test]
fn what_is_empty_is_as_good_as_left_out() {
    let folder = tempfile::tempdir().unwrap();
    let file = FILE.replace("organization = \"org-1\"", "organization = \"\"\nproxy = \"\"");
    let paths = load(folder.path(), &file, &[], |_| {}).settings.paths;
    let opened = open(&paths, &id("work")).unwrap();
    assert!(opened.profile.organization.is_none() && opened.profile.proxy == Proxy::Environment);
    let new = Profile { model: "large".into(), ..opened.profile.clone() };
    save(&paths, &opened, &id("work"), &new).unwrap();
    assert_eq!(text(&paths), file.replace("model = \"m\"", "model = \"large\""));
}

#[test]
fn no_comment_is_lost_with_what_it_is_about() {
    const TABLES: &str = r#"[profiles.work]
base_url = "https://a.example/v1"
# for the vault
api_key_env = "A_KEY"

# for the gateway
[profiles.work.headers]
# the team
X-Team = "a"
# of old
X-Old = "o"

[profiles.work.extra_body]
# fixed
seed = 7

# where it may run
[profiles.work.extra_body.provider]
# ours first
order = ["a"]
# never
only = "b"
"#;
    let folder = tempfile::tempdir().unwrap();
    let paths = load(folder.path(), TABLES, &[], |_| {}).settings.paths;
    let edit = |change: &dyn Fn(&mut Profile)| {
        std::fs::write(&paths.config, TABLES).unwrap();
        let opened = open(&paths, &id("work")).unwrap();
        let mut new = opened.profile.clone();
        change(&mut new);
        save(&paths, &opened, &id("work"), &new).unwrap();
        let written = text(&paths);
        let lines = |text: &str| {
            let mut lines: Vec<_> = text.lines().filter(|line| line.starts_with('#')).map(str::to_owned).collect();
            lines.sort_unstable();
            lines
        };
        assert_eq!(lines(&written), lines(TABLES), "{written}");
        written
    };
    edit(&|new| drop(new.headers.remove("X-Old")));
    edit(&|new| new.headers.clear());
    edit(&|new| new.extra_body.clear());
    edit(&|new| drop(new.extra_body.insert("provider".into(), json!("c"))));
    edit(&|new| new.key = KeySource::None);
    let written = edit(&|new| new.extra_body["provider"] = json!({"order": ["c"]}));
    assert!(written.contains("[profiles.work.extra_body.provider]\n"), "{written}");
    let opened = open(&paths, &id("work")).unwrap();
    let key = "sk-1".to_owned().into();
    benchtop::settings::keep::replace_key(&paths, &id("work"), &opened.profile, |_| None, &key).unwrap();
    assert!(text(&paths).contains("# for the vault\n") && !text(&paths).contains("A_KEY"), "{}", text(&paths));
}

#[test]
fn what_the_reader_would_not_take_is_not_written() {
    let folder = tempfile::tempdir().unwrap();
    let paths = load(folder.path(), FILE, &[], |_| {}).settings.paths;
    let opened = open(&paths, &id("work")).unwrap();
    for (change, said) in [
        (&(|new: &mut Profile| new.base_url = "nowhere".into()) as &dyn Fn(&mut Profile), "does not begin with http"),
        (&|new: &mut Profile| new.idle_limit = Duration::from_secs(999_999), "idle_timeout must be"),
        (&|new: &mut Profile| new.extra_body = json!({"a": null}).as_object().unwrap().clone(), "cannot hold null"),
        (&|new: &mut Profile| new.extra_body = json!({"a": u64::MAX}).as_object().unwrap().clone(), "too large"),
    ] {
        let mut new = opened.profile.clone();
        change(&mut new);
        let why = save(&paths, &opened, &id("work"), &new).unwrap_err();
        assert!(why.contains(said), "{said}: {why}");
        assert_eq!(text(&paths), FILE);
    }
}

#[test]
fn each_template_makes_a_profile_that_the_reader_takes() {
    let folder = tempfile::tempdir().unwrap();
    let paths = load(folder.path(), FILE, &[], |_| {}).settings.paths;
    for template in TEMPLATES {
        let (fresh, name) = (OpenedProfile::for_new(template.profile()), id(template.name));
        save(&paths, &fresh, &name, &template.profile()).unwrap();
        let loaded = load(folder.path(), &text(&paths), &[], |flags| flags.profile = Some(template.name.to_owned()));
        assert!(loaded.settings.profiles[&name] == template.profile(), "{}", text(&paths));
        let others = loaded.warnings.iter().filter(|warning| !warning.contains("there is no setting"));
        assert_eq!(others.count(), 0, "{:?}", loaded.warnings);
        let env = (!template.key.is_empty()).then_some((template.key, "sk-1"));
        let found = super::endpoint(&loaded, env.as_slice()).unwrap();
        assert_eq!(super::key(&found), env.map(|_| "sk-1"), "{}", template.title);
        assert!(save(&paths, &fresh, &name, &template.profile()).unwrap_err().contains("of this name already"));
    }
    assert!(text(&paths).starts_with(FILE), "what was there stays as it is");
}

#[test]
fn a_profile_can_be_the_first_of_a_file_that_is_not_there() {
    let folder = tempfile::tempdir().unwrap();
    let paths = load(folder.path(), "", &[], |_| {}).settings.paths;
    std::fs::remove_file(&paths.config).unwrap();
    let profile = TEMPLATES[0].profile();
    save(&paths, &OpenedProfile::for_new(profile.clone()), &id("first"), &profile).unwrap();
    assert!(load(folder.path(), &text(&paths), &[], |_| {}).settings.profiles[&id("first")] == profile);
}

#[test]
fn debug_shows_no_header() {
    let folder = tempfile::tempdir().unwrap();
    let config = "[profiles.a]\nbase_url = \"https://a.example/v1\"\n[profiles.a.headers]\napi-key = \"hidden-1\"\n";
    let paths = load(folder.path(), config, &[], |_| {}).settings.paths;
    let opened = open(&paths, &id("a")).unwrap();
    assert!(!format!("{opened:?}").contains("hidden-1"));
}
