//! Where settings come from, what wins, and that a key never goes where it was not meant to.
#![allow(unreachable_pub, missing_docs, clippy::unwrap_used)]

#[path = "settings/connection.rs"]
mod connection;
#[path = "settings/edit.rs"]
mod edit;
#[path = "settings/edit_fields.rs"]
mod edit_fields;
#[path = "settings/themes.rs"]
mod themes;

use std::path::Path;

use benchtop::api::job::Dialect;
use benchtop::settings::{
    Endpoint, Flags, KeySource, Loaded, Profile, ProfileId, Settings, Unusable, keep, limits, resolve,
};
use secrecy::{ExposeSecret, SecretString};

fn load(folder: &Path, config: &str, env: &[(&str, &str)], change: impl FnOnce(&mut Flags)) -> Loaded {
    try_load(folder, config, env, change).unwrap()
}

fn try_load(
    folder: &Path,
    config: &str,
    env: &[(&str, &str)],
    change: impl FnOnce(&mut Flags),
) -> Result<Loaded, Unusable> {
    let path = folder.join("config.toml");
    std::fs::write(&path, config).unwrap();
    let mut flags = Flags { config: Some(path), data_dir: Some(folder.join("data")), ..Flags::default() };
    change(&mut flags);
    Settings::load(&flags, |name| env.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).to_owned()))
}

fn endpoint(loaded: &Loaded, env: &[(&str, &str)]) -> Result<Endpoint, String> {
    let settings = &loaded.settings;
    let named = |name: &str| env.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).to_owned());
    resolve(&settings.profiles[&settings.profile], &settings.paths, named, &hidden())
}

/// Returns the variables that a key command must not see.
fn hidden() -> Vec<String> {
    ["OPENAI_API_KEY", "OTHER_KEY"].map(str::to_owned).to_vec()
}

fn key(endpoint: &Endpoint) -> Option<&str> {
    endpoint.key.as_ref().map(ExposeSecret::expose_secret)
}

const WORK: &str = "profile = \"work\"\n[profiles.work]\nbase_url = \"https://models.example/v1/\"\nmodel = \"m\"\n";

#[test]
fn flags_beat_environment_beats_config_beats_local() {
    let folder = tempfile::tempdir().unwrap();
    let env = [("OPENAI_API_KEY", "sk-env"), ("OPENAI_BASE_URL", "https://env.example/v1")];
    assert_eq!(load(folder.path(), "", &[], |_| {}).settings.profile, ProfileId::local());
    assert_eq!(load(folder.path(), WORK, &[], |_| {}).settings.profile.0, "work");
    let loaded = load(folder.path(), WORK, &env, |_| {});
    let found = endpoint(&loaded, &env).unwrap();
    assert_eq!((found.base_url.as_str(), key(&found)), ("https://env.example/v1", Some("sk-env")));
    let loaded = load(folder.path(), WORK, &env, |flags| flags.base_url = Some("http://127.0.0.1:9/v1".into()));
    let found = endpoint(&loaded, &env).unwrap();
    assert_eq!((found.base_url.as_str(), key(&found)), ("http://127.0.0.1:9/v1", Some("sk-env")));
    assert_eq!(load(folder.path(), WORK, &env, |flags| flags.local = true).settings.profile, ProfileId::local());
    let loaded = load(folder.path(), WORK, &env, |flags| flags.profile = Some("work".into()));
    assert_eq!(loaded.settings.profile.0, "work");
}

#[test]
fn a_base_url_may_have_a_query_that_is_not_shown() {
    let folder = tempfile::tempdir().unwrap();
    for (url, kept) in [
        ("https://h.example/openai/deployments/x?api-version=1&code=secret", None),
        ("https://h.example/v1/?a=b", Some("https://h.example/v1?a=b")),
        ("https://h.example?a=b", None),
        ("https://h.example/v1?", Some("https://h.example/v1")),
    ] {
        let config = format!("profile = \"x\"\n[profiles.x]\nbase_url = \"{url}\"\n");
        let loaded = load(folder.path(), &config, &[], |_| {});
        assert_eq!(loaded.warnings, [] as [String; 0], "{url}");
        let found = endpoint(&loaded, &[]).unwrap();
        assert_eq!(found.base_url, kept.unwrap_or(url));
        assert_eq!(benchtop::settings::origin(&found.base_url), "https://h.example");
        assert!(!format!("{:?}", loaded.settings).contains("secret"));
    }
    for url in
        ["https://h.example/v1?a=b c", "https://h.example/v1#a", "https://u@h.example/v1", "h.example?code=secret"]
    {
        let config = format!("[profiles.x]\nbase_url = \"{url}\"\n");
        let loaded = load(folder.path(), &config, &[], |_| {});
        assert!(loaded.warnings.iter().any(|warning| warning.contains("base URL")), "{url}: {:?}", loaded.warnings);
        assert!(!loaded.warnings.concat().contains("secret"), "{:?}", loaded.warnings);
    }
}

#[test]
fn a_proxy_that_cannot_be_used_is_said() {
    let folder = tempfile::tempdir().unwrap();
    for (url, said) in
        [("http://127.0.0.1:9/v1", true), ("https://localhost/v1", true), ("https://h.example/v1", false)]
    {
        let config = format!("[profiles.x]\nbase_url = \"{url}\"\nproxy = \"socks5h://p.example:1080\"\n");
        let warnings = load(folder.path(), &config, &[], |_| {}).warnings;
        assert_eq!(warnings.iter().any(|warning| warning.contains("no proxy is used")), said, "{url}: {warnings:?}");
    }
}

#[test]
fn a_key_of_the_environment_never_goes_to_a_profile_that_does_not_ask_for_it() {
    let folder = tempfile::tempdir().unwrap();
    let env = [("OPENAI_API_KEY", "sk-env"), ("OTHER", "sk-other")];
    let loaded = load(folder.path(), WORK, &env, |flags| flags.profile = Some("work".into()));
    assert_eq!(key(&endpoint(&loaded, &env).unwrap()), None);
    let named = format!("{WORK}api_key_env = \"OTHER\"\n");
    let loaded = load(folder.path(), &named, &env, |flags| flags.profile = Some("work".into()));
    let endpoint = endpoint(&loaded, &env).unwrap();
    assert_eq!((key(&endpoint), endpoint.key_variable.as_deref()), (Some("sk-other"), Some("OTHER")));
}

#[test]
fn a_base_url_without_a_key_is_a_server_without_a_key() {
    let folder = tempfile::tempdir().unwrap();
    let env = [("OPENAI_BASE_URL", "http://127.0.0.1:11434/v1")];
    let loaded = load(folder.path(), "", &env, |_| {});
    assert_eq!(loaded.settings.profile, ProfileId::env());
    assert_eq!(key(&endpoint(&loaded, &env).unwrap()), None);
    assert!(loaded.warnings.is_empty());
}

#[test]
fn what_is_wrong_is_named_with_its_line_and_the_rest_holds() {
    let folder = tempfile::tempdir().unwrap();
    let config =
        "theme = \"light\"\ncolour = 3\nmotion = \"no\"\n[profiles.a]\nmodel = \"m\"\n[chat]\nenter = \"newline\"\n";
    let loaded = load(folder.path(), config, &[], |_| {});
    assert_eq!(loaded.settings.theme.as_deref(), Some("light"));
    assert!(loaded.settings.enter_newline);
    for part in
        ["line 2: there is no setting colour", "line 3: motion must be true or false", "the profile a has no base_url"]
    {
        assert!(loaded.warnings.iter().any(|warning| warning.contains(part)), "{part}: {:?}", loaded.warnings);
    }
    let broken = load(folder.path(), "theme = \"light\"\nprofile = \n", &[], |_| {});
    assert!(broken.warnings[0].starts_with("config.toml, line 2, column"), "{:?}", broken.warnings);
    assert_eq!(broken.settings.profile, ProfileId::local());
}

#[test]
fn plain_http_to_another_machine_needs_the_users_word() {
    let folder = tempfile::tempdir().unwrap();
    let config = "profile = \"lan\"\n[profiles.lan]\nbase_url = \"http://10.1.2.3/v1\"\napi_key_env = \"K\"\n";
    let env = [("K", "sk-lan")];
    let refused = endpoint(&load(folder.path(), config, &[], |_| {}), &env).err().unwrap();
    assert!(refused.contains("allow_http"), "{refused}");
    let allowed = format!("{config}allow_http = true\n");
    assert!(endpoint(&load(folder.path(), &allowed, &[], |_| {}), &env).is_ok());
}

#[cfg(unix)]
#[test]
fn a_key_command_gives_its_first_line_and_sees_no_key() {
    let folder = tempfile::tempdir().unwrap();
    let config = "profile = \"c\"\n[profiles.c]\nbase_url = \"https://x.example/v1\"\napi_key_cmd = 'echo \"k${OPENAI_API_KEY:-none}${OTHER_KEY:-none}${SHOWN_KEY:-none}\"; echo more'\n";
    // The variables must really be set: the same test once more, as a process that has them.
    if std::env::var_os("SHOWN_KEY").is_none() {
        let name = "a_key_command_gives_its_first_line_and_sees_no_key";
        let mut again = std::process::Command::new(std::env::current_exe().unwrap());
        again.args(["--exact", name]).envs(hidden().into_iter().map(|name| (name, "sk-hush")));
        let told = again.env("SHOWN_KEY", "shown").output().unwrap();
        let told = String::from_utf8_lossy(&told.stdout).into_owned();
        assert!(told.contains("1 passed"), "{told}");
        return;
    }
    assert_eq!(key(&endpoint(&load(folder.path(), config, &[], |_| {}), &[]).unwrap()), Some("knonenoneshown"));
    let failing = config.replace("echo more", "exit 3");
    let why = endpoint(&load(folder.path(), &failing, &[], |_| {}), &[]).err().unwrap();
    assert!(why.contains("key command failed"), "{why}");
    for (command, said) in [
        ("echo sk-hush >&2; exit 3", "failed"),
        ("echo sk-hush >&2", "printed nothing"),
        ("printf '\\377\\n'", "output is not text"),
        ("true", "printed nothing"),
        ("/nowhere/pass", "failed"),
    ] {
        let loaded = load(folder.path(), "", &[], |_| {});
        let profile = Profile::new("https://x.example/v1", KeySource::Command(command.to_owned()));
        let why = resolve(&profile, &loaded.settings.paths, |_| None, &hidden()).err().unwrap();
        assert!(why.contains(said) && !why.contains("hush"), "{command}: {why}");
    }
}

#[test]
fn a_profile_written_in_one_line_is_not_changed_in_silence() {
    let folder = tempfile::tempdir().unwrap();
    let config = folder.path().join("config.toml");
    let text = "profiles.a = { base_url = \"http://127.0.0.1:1/v1\" }\n";
    std::fs::write(&config, text).unwrap();
    let profile = Profile::new("http://127.0.0.1:2/v1", KeySource::None);
    let why = keep::save_profile(&config, &ProfileId("a".into()), &profile).unwrap_err();
    assert!(why.contains("[profiles.a] as an inline table"), "{why}");
    assert_eq!(std::fs::read_to_string(&config).unwrap(), text);
}

#[test]
fn what_is_written_keeps_comments_and_keys_stay_private() {
    let folder = tempfile::tempdir().unwrap();
    let config = folder.path().join("config.toml");
    std::fs::write(&config, "# mine\nprofile = \"a\" # daily\n").unwrap();
    let url = "http://127.0.0.1:1/v1";
    keep::save_profile(&config, &ProfileId("b".into()), &Profile::new(url, KeySource::Kept("b".into()))).unwrap();
    keep::set_default(&config, &ProfileId("b".into())).unwrap();
    keep::set_model(&config, &ProfileId("b".into()), "m2").unwrap();
    let text = std::fs::read_to_string(&config).unwrap();
    assert!(text.starts_with("# mine\nprofile = \"b\" # daily\n"), "{text}");
    let keys = folder.path().join("keys.toml");
    std::fs::write(&keys, "").unwrap();
    keep::keep_key(&keys, "b", "http://127.0.0.1:1", &SecretString::from("sk-kept")).unwrap();
    // Another account at the same host is another key.
    keep::keep_key(&keys, "c", "http://127.0.0.1:1", &SecretString::from("sk-other")).unwrap();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        assert_eq!(std::fs::metadata(&keys).unwrap().permissions().mode() & 0o777, 0o600);
    }
    let loaded = load(folder.path(), &text, &[], |_| {});
    assert_eq!(loaded.settings.profiles[&loaded.settings.profile].model, "m2");
    assert_eq!(key(&endpoint(&loaded, &[]).unwrap()), Some("sk-kept"));
}

#[test]
fn debug_shows_no_secret() {
    let folder = tempfile::tempdir().unwrap();
    let config =
        format!("{WORK}api_key_cmd = \"echo hush1\"\nproxy = \"http://me:hush2@p\"\nheaders.X-Auth = \"hush3\"\n");
    let loaded = load(folder.path(), &config, &[], |_| {});
    let profile = &loaded.settings.profiles[&ProfileId("work".into())];
    assert_eq!(profile.headers["X-Auth"], "hush3");
    let shown = format!("{:?}", loaded.settings);
    assert!(shown.contains("X-Auth") && !shown.contains("hush"), "{shown}");
}

#[test]
fn what_cannot_be_used_is_an_error_that_names_where_it_stands() {
    let folder = tempfile::tempdir().unwrap();
    let bad_profile = "[profiles.a]\nbase_url = \"nowhere\"\n";
    type Change = fn(&mut Flags);
    let url: Change = |flags| flags.base_url = Some("127.0.0.1:8080".into());
    let port: Change = |flags| flags.base_url = Some("http://127.0.0.1:99999/v1".into());
    let profile: Change = |flags| flags.profile = Some("a".into());
    let unnamed: Change = |flags| flags.profile = Some(String::new());
    let both: Change = |flags| (flags.profile, flags.base_url) = (Some("work".into()), Some("ftp://x/v1".into()));
    let local: Change = |flags| (flags.profile, flags.base_url) = (Some("local".into()), Some("http://x/v1".into()));
    let config: Change = |flags| flags.config = Some("/nonexistent/config.toml".into());
    let model: Change = |flags| flags.model = Some(" ".into());
    let env = [("OPENAI_BASE_URL", "api.example/v1")];
    for (change, config, env, parts) in [
        (url, WORK, &[][..], &["--base-url: ", "\"127.0.0.1:8080\" does not begin with http:// or https://"][..]),
        (port, WORK, &[], &["--base-url: ", "99999", "invalid port"]),
        (both, WORK, &[], &["--base-url: ", "\"ftp://x/v1\""]),
        (local, WORK, &[], &["--base-url: ", "the profile local has its own server"]),
        (unnamed, WORK, &[], &["--profile: the name is empty; choose from: local, work"]),
        (profile, WORK, &[], &["--profile: there is no profile a in ", "config.toml; choose from: local, work"]),
        (
            profile,
            bad_profile,
            &[],
            &["there is no profile a in ", "line 2: the profile a is ignored: the base URL \"nowhere\""],
        ),
        (profile, "profile = \n", &[], &["there is no profile a in ", "line 1, column"]),
        (model, WORK, &[], &["--model is empty"]),
        (config, WORK, &[], &["--config: /nonexistent/config.toml cannot be read: "]),
        (|_| {}, WORK, &env, &["OPENAI_BASE_URL: ", "\"api.example/v1\" does not begin"]),
    ] {
        let why = try_load(folder.path(), config, env, change).unwrap_err().to_string();
        assert!(parts.iter().all(|part| why.contains(part)), "{parts:?}: {why}");
    }
    // What this run does not use cannot end it.
    for change in [|flags: &mut Flags| flags.local = true, |flags: &mut Flags| flags.profile = Some("work".into())] {
        let loaded = load(folder.path(), WORK, &env, change);
        assert!(loaded.warnings[0].starts_with("OPENAI_BASE_URL: "), "{:?}", loaded.warnings);
        assert!(!loaded.settings.profiles.contains_key(&ProfileId::env()));
    }
}

#[test]
fn a_base_url_beside_a_profile_is_used_and_a_kept_key_stays_with_its_server() {
    let folder = tempfile::tempdir().unwrap();
    let to = |url: &'static str| {
        move |flags: &mut Flags| (flags.profile, flags.base_url) = (Some("work".into()), Some(url.into()))
    };
    let env = [("OTHER", "sk-other"), ("OPENAI_API_KEY", "sk-env"), ("OPENAI_BASE_URL", "https://env.example/v1")];
    let named = format!("{WORK}api_key_env = \"OTHER\"\n");
    let loaded = load(folder.path(), &named, &env, to("https://two.example/v1/"));
    let found = endpoint(&loaded, &env).unwrap();
    assert_eq!((found.base_url.as_str(), key(&found)), ("https://two.example/v1", Some("sk-other")));
    assert_eq!(loaded.settings.profiles[&ProfileId("work".into())].model, "m", "the rest of the profile holds");
    assert_eq!(loaded.settings.profiles[&ProfileId::env()].base_url, "https://env.example/v1");
    // The key that was pasted for the profile's own server goes nowhere else.
    let kept = format!("{WORK}api_key_kept = true\n");
    let paths = &loaded.settings.paths;
    keep::keep_key(&paths.keys(), "work", "https://models.example", &"sk-kept".to_owned().into()).unwrap();
    let own = load(folder.path(), &kept, &env, to("https://models.example/other/v1"));
    assert_eq!(key(&endpoint(&own, &env).unwrap()), Some("sk-kept"), "another path of the same server");
    let elsewhere = load(folder.path(), &kept, &env, to("http://127.0.0.1:9/v1"));
    assert_eq!(key(&endpoint(&elsewhere, &env).unwrap()), None);
    let said = &elsewhere.warnings[0];
    assert!(said.contains("https://models.example") && said.contains("not sent to http://127.0.0.1:9"), "{said}");
    // A key that is pasted in such a run is the other server's: the profile's own key and source stay.
    let id = ProfileId("work".into());
    keep::replace_key(paths, &id, &elsewhere.settings.profiles[&id], |_| None, &"sk-nine".to_owned().into()).unwrap();
    let again = load(folder.path(), &kept, &env, to("http://127.0.0.1:9/v1"));
    assert_eq!(key(&endpoint(&again, &env).unwrap()), Some("sk-nine"));
    let named =
        std::fs::read_to_string(&paths.config).unwrap().replace("api_key_kept = true", "api_key_env = \"OTHER\"");
    let other = load(folder.path(), &named, &env, to("http://127.0.0.1:9/v1"));
    keep::replace_key(paths, &id, &other.settings.profiles[&id], |_| None, &"sk-ten".to_owned().into()).unwrap();
    assert_eq!(
        std::fs::read_to_string(&paths.config).unwrap(),
        named,
        "the config file names the profile's own source"
    );
}

#[cfg(unix)]
#[test]
fn files_of_settings_are_read_within_bounds() {
    use std::os::unix::fs::symlink;
    let folder = tempfile::tempdir().unwrap();
    let most = limits::SETTINGS_FILE as usize;
    let text = format!("theme = \"light\"\n#{}", " ".repeat(most - 17));
    assert_eq!(text.len(), most);
    assert_eq!(load(folder.path(), &text, &[], |_| {}).settings.theme.as_deref(), Some("light"));
    let why = try_load(folder.path(), &(text + " "), &[], |_| {}).unwrap_err().to_string();
    assert!(why.ends_with("cannot be read: it is larger than 1 MiB"), "{why}");
    let pipe = folder.path().join("pipe.toml");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status().unwrap();
    assert!(made.success());
    let [zero, dir] = ["zero.toml", "dir.toml"].map(|name| folder.path().join(name));
    symlink("/dev/zero", &zero).unwrap();
    std::fs::create_dir(&dir).unwrap();
    for path in [pipe, zero, dir] {
        let change = |flags: &mut Flags| flags.config = Some(path.clone());
        let why = try_load(folder.path(), "", &[], change).unwrap_err().to_string();
        assert!(why.ends_with("cannot be read: it is not a regular file"), "{why}");
        let why = keep::set_default(&path, &ProfileId("a".into())).unwrap_err();
        assert!(why.contains("it is not a regular file; nothing was changed"), "{why}");
    }
}

#[test]
fn any_number_of_unknown_settings_is_said_in_few_words() {
    let folder = tempfile::tempdir().unwrap();
    let config: String = (0..50_000).map(|n| format!("key{n} = {n}\n")).collect::<Vec<_>>().concat();
    let loaded = load(folder.path(), &config, &[], |_| {});
    assert_eq!(loaded.warnings.len(), 21, "{:?}", loaded.warnings);
    assert_eq!(loaded.warnings[20], "config.toml: 49980 more faults are not listed");
}

#[test]
fn a_theme_that_is_not_there_is_said_with_the_ones_there_are() {
    let folder = tempfile::tempdir().unwrap();
    let loaded = load(folder.path(), "mouse = false\ntheme = \"pink\"\n", &[], |_| {});
    assert_eq!(loaded.settings.theme, None);
    assert_eq!(
        loaded.warnings,
        ["config.toml, line 2: theme is ignored: there is no theme pink; choose from: dark, light, warm, \
             high-contrast, ansi, mono"],
        "the rest of the file holds"
    );
    assert_eq!(load(folder.path(), "theme = \"mono\"\n", &[], |_| {}).settings.theme.as_deref(), Some("mono"));
}

#[test]
fn proxies_come_from_the_profile_or_three_variables_of_the_environment() {
    let folder = tempfile::tempdir().unwrap();
    let env = [
        ("HTTP_PROXY", "http://never:1"),
        ("http_proxy", "http://never:1"),
        ("HTTPS_PROXY", "http://https:1"),
        ("all_proxy", "socks5://all:1"),
        ("NO_PROXY", "near.example"),
    ];
    for (line, https, all, except) in [
        ("", Some("http://https:1"), Some("socks5://all:1"), Some("near.example")),
        ("proxy = \"none\"\n", None, None, None),
        ("proxy = \"http://own:1\"\n", None, Some("http://own:1"), None),
    ] {
        let loaded = load(folder.path(), &format!("{WORK}{line}"), &env, |_| {});
        let route = endpoint(&loaded, &env).unwrap().route;
        assert_eq!((route.https.as_deref(), route.all.as_deref(), route.except.as_deref()), (https, all, except));
    }
}

#[test]
fn the_patience_for_headers_has_its_bounds() {
    let folder = tempfile::tempdir().unwrap();
    for (seconds, good) in [(0, false), (1, true), (limits::HEADERS_MOST, true), (limits::HEADERS_MOST + 1, false)] {
        let loaded = load(folder.path(), &format!("{WORK}headers_timeout = {seconds}\n"), &[], |_| {});
        let limit = loaded.settings.profiles[&ProfileId("work".into())].headers_limit.as_secs();
        assert_eq!(limit == seconds.unsigned_abs(), good, "{seconds}");
        assert_eq!(loaded.warnings.is_empty(), good, "{:?}", loaded.warnings);
    }
}

#[test]
fn the_interface_to_fine_tunes_can_be_named() {
    let folder = tempfile::tempdir().unwrap();
    for (line, dialect, good) in [
        ("", None, true),
        ("fine_tunes = \"auto\"\n", None, true),
        ("fine_tunes = \"fine-tunes\"\n", Some(Dialect::FineTunes), true),
        ("fine_tunes = \"fine_tuning\"\n", Some(Dialect::FineTuning), true),
        ("fine_tunes = \"new\"\n", None, false),
        ("fine_tunes = true\n", None, false),
    ] {
        let loaded = load(folder.path(), &format!("{WORK}{line}"), &[], |_| {});
        let profile = &loaded.settings.profiles[&ProfileId("work".into())];
        assert_eq!(profile.fine_tunes, dialect, "{line}");
        assert_eq!(loaded.warnings.is_empty(), good, "{:?}", loaded.warnings);
        if !good {
            let warning = &loaded.warnings[0];
            assert!(warning.contains("line ") && warning.contains("\"fine_tuning\" or \"auto\""), "{warning}");
        }
        if good {
            let config = folder.path().join("saved.toml");
            std::fs::remove_file(&config).ok();
            keep::save_profile(&config, &ProfileId("work".into()), profile).unwrap();
            let saved = std::fs::read_to_string(&config).unwrap();
            assert_eq!(saved.contains("fine_tunes"), dialect.is_some(), "{saved}");
            let env = [("OTHER", "sk-wrong"), ("OPENAI_API_KEY", "sk-wrong"), ("KEY", "sk-wrong")];
            assert_eq!(endpoint(&loaded, &env).unwrap().fine_tunes, dialect);
        }
    }
}

#[test]
fn a_new_key_takes_the_place_of_what_the_config_named() {
    let folder = tempfile::tempdir().unwrap();
    let env = [("OTHER", "sk-wrong")];
    for source in ["", "api_key_env = \"OTHER\"", "api_key_cmd = 'echo sk-wrong'", "api_key_kept = true"] {
        let config = format!("# mine\n{WORK}{source}\norganization = \"org\" # and this\n");
        let loaded = load(folder.path(), &config, &env, |_| {});
        let (paths, id) = (&loaded.settings.paths, &loaded.settings.profile);
        let found = keep::replace_key(paths, id, &loaded.settings.profiles[id], |_| None, &"sk-new".to_owned().into());
        assert_eq!(found, Ok(KeySource::Kept("work".into())));
        let text = std::fs::read_to_string(&paths.config).unwrap();
        assert!(text.starts_with("# mine\n") && text.contains("organization = \"org\" # and this"), "{text}");
        assert!(!text.contains("api_key_env") && !text.contains("api_key_cmd"), "{text}");
        let again = load(folder.path(), &text, &env, |_| {});
        assert_eq!(key(&endpoint(&again, &env).unwrap()), Some("sk-new"), "after a restart, {source}");
        // Another host is another server: it does not get this key.
        let moved = load(folder.path(), &text.replace("models.example", "moved.example"), &env, |_| {});
        assert!(endpoint(&moved, &env).is_err());
        std::fs::remove_file(paths.keys()).unwrap();
    }
}

#[test]
fn a_new_key_stands_for_the_environments_until_that_is_another() {
    let folder = tempfile::tempdir().unwrap();
    let start = |variable: Option<&str>| {
        let url = [("OPENAI_BASE_URL", "https://env.example/v1")];
        let env: Vec<_> = variable.map(|key| ("OPENAI_API_KEY", key)).into_iter().chain(url).collect();
        let loaded = load(folder.path(), "", &env, |_| {});
        let found = endpoint(&loaded, &env).unwrap();
        (key(&found).map(str::to_owned), loaded.settings)
    };
    let (found, settings) = start(Some("sk-wrong-1234"));
    assert_eq!(found.as_deref(), Some("sk-wrong-1234"));
    let named = |_: &str| Some("sk-wrong-1234".to_owned());
    let id = ProfileId::env();
    keep::replace_key(&settings.paths, &id, &settings.profiles[&id], named, &"sk-new".to_owned().into()).unwrap();
    assert_eq!(start(Some("sk-wrong-1234")).0.as_deref(), Some("sk-new"));
    assert_eq!(start(Some("sk-right-5678")).0.as_deref(), Some("sk-right-5678"), "the variable is the later word");
    assert_eq!(start(None).0, None);
    assert!(!settings.paths.config.exists() || std::fs::read_to_string(settings.paths.config).unwrap().is_empty());
}

#[test]
fn a_new_key_for_a_profile_in_one_line_says_what_to_do() {
    let folder = tempfile::tempdir().unwrap();
    let config = "profile = \"a\"\nprofiles.a = { base_url = \"http://127.0.0.1:1/v1\" }\n";
    let loaded = load(folder.path(), config, &[], |_| {});
    let (paths, id) = (&loaded.settings.paths, &loaded.settings.profile);
    let found = keep::replace_key(paths, id, &loaded.settings.profiles[id], |_| None, &"sk-new".to_owned().into());
    assert!(found.unwrap_err().contains("has no [profiles.a] table"));
    assert_eq!(std::fs::read_to_string(&paths.config).unwrap(), config);
}

/// Returns the rows read from a `prices.toml`, model and input, and the warnings.
fn priced(text: impl AsRef<[u8]>) -> (Vec<(String, i64)>, Vec<String>) {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("prices.toml"), text).unwrap();
    let loaded = load(folder.path(), "", &[], |_| {});
    assert_eq!(loaded.settings.profile, ProfileId::local(), "it starts all the same");
    let rows = loaded.settings.prices.into_iter().map(|row| (row.model, row.input)).collect();
    let folder = folder.path().display().to_string();
    (rows, loaded.warnings.into_iter().map(|warning| warning.replace(&folder, "")).collect())
}

#[test]
fn prices_are_read_from_their_file_and_from_a_profile() {
    let folder = tempfile::tempdir().unwrap();
    let text = "[[price]]\nmodel = \"gpt-4o*\"\norigin = \"https://API.openai.com:443/v1\"\ninput = 2.5\noutput = 10\n\
                cached = 1.25\nsince = 2024-10-01\n[[price]]\nmodel = \"e\"\norigin = \"http://[::1]:8080\"\ninput = 0.02\n\
                since = \"2026-01-02\"\n";
    std::fs::write(folder.path().join("prices.toml"), text).unwrap();
    let config = format!("{WORK}[profiles.work.prices.\"gpt-4o*\"]\ninput = 0\noutput = 0.0375\n");
    let loaded = load(folder.path(), &config, &[], |_| {});
    assert_eq!(loaded.warnings, [""; 0]);
    let [chat, embed] = &loaded.settings.prices[..] else { panic!("{:?}", loaded.settings.prices) };
    assert_eq!((chat.model.as_str(), chat.origin.as_str()), ("gpt-4o*", "https://api.openai.com"));
    assert_eq!((chat.input, chat.output, chat.cached), (2_500_000_000, Some(10_000_000_000), Some(1_250_000_000)));
    assert_eq!(chat.since, Some(jiff::civil::date(2024, 10, 1)));
    assert_eq!((embed.origin.as_str(), embed.input), ("http://[::1]:8080", 20_000_000));
    assert_eq!((embed.output, embed.since), (None, Some(jiff::civil::date(2026, 1, 2))));
    let [own] = &loaded.settings.profiles[&ProfileId("work".into())].prices[..] else { panic!("one price") };
    assert_eq!((own.model.as_str(), own.input, own.output), ("gpt-4o*", 0, Some(37_500_000)));
}

#[test]
fn what_is_wrong_with_prices_is_named_with_its_line_and_what_is_expected() {
    let row = "[[price]]\nmodel = \"m\"\norigin = \"https://a.example\"\ninput = 1\n";
    for (text, said) in [
        (row.replace("= 1", "= -1"), "prices.toml, line 4: input must be dollars per million tokens"),
        (row.replace("= 1", "= nan"), "line 4: input must be dollars"),
        (row.replace("= 1", "= 1e9"), "line 4: input must be dollars"),
        (row.replace("input = 1", ""), "line 1: a price needs input"),
        (row.replace("model = \"m\"", ""), "line 1: a price needs model"),
        (row.replace("https://a.example", "a.example"), "line 3: origin must be a server address"),
        (format!("{row}since = \"soon\"\n"), "line 5: since must be a date such as 2026-11-22"),
        ("input = 1\n".to_owned(), "line 1: only [[price]] tables are expected"),
        ("[[price]\n".to_owned(), "prices.toml, line 1, column"),
        (format!("{row}input = 2\n"), "prices.toml, line 5, column"),
    ] {
        let (rows, warnings) = priced(&text);
        assert_eq!(rows, [], "{text}");
        assert!(warnings.len() == 1 && warnings[0].contains(said), "{said}: {warnings:?}");
    }
    // One bad row does not cost the others.
    let (rows, warnings) = priced(format!("{}{row}cahced = 2\n", row.replace("= 1", "= \"x\"")));
    assert_eq!(rows, [("m".to_owned(), 1_000_000_000)]);
    assert!(warnings.len() == 2 && warnings[1].contains("line 9: prices have no setting cahced"), "{warnings:?}");
    let config = format!("{WORK}[profiles.work.prices]\ngpt = 3\n[profiles.work.prices.x]\noutput = 1\n");
    let folder = tempfile::tempdir().unwrap();
    let warnings = load(folder.path(), &config, &[], |_| {}).warnings;
    assert!(
        warnings.iter().any(|said| said.starts_with("config.toml, line 6: prices.gpt must be a table")),
        "{warnings:?}"
    );
    assert!(warnings.iter().any(|said| said.starts_with("config.toml, line 7: a price needs input")), "{warnings:?}");
}

#[test]
fn a_price_file_is_read_within_bounds() {
    let (_, warnings) = priced((0..25).map(|at| format!("a{at} = 1\n")).collect::<Vec<_>>().concat());
    assert_eq!(warnings.len(), limits::CONFIG_WARNINGS + 1);
    assert!(warnings[limits::CONFIG_WARNINGS].contains("5 more"), "{warnings:?}");
    let row = "[[price]]\nmodel = \"m\"\norigin = \"https://a.example\"\ninput = 1\n";
    for (over, good) in [(-1_isize, true), (0, true), (1, false)] {
        let size = (1_usize << 20).saturating_add_signed(over);
        let text = format!("{row}#{}", "x".repeat(size - row.len() - 1));
        let (rows, warnings) = priced(text);
        assert_eq!(rows.len(), usize::from(good), "{over:+}: {warnings:?}");
        assert_eq!(warnings.iter().any(|said| said.contains("larger than 1 MiB")), !good, "{over:+}");
    }
    let (rows, warnings) = priced(b"\xff\xfe");
    assert!(rows.is_empty() && warnings[0].starts_with("/prices.toml cannot be read"), "{warnings:?}");
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("prices.toml")).unwrap();
    let warnings = load(folder.path(), "", &[], |_| {}).warnings;
    assert!(warnings[0].contains("it is not a regular file"), "{warnings:?}");
}

#[test]
fn what_a_profile_holds_for_its_server_goes_to_no_other() {
    let folder = tempfile::tempdir().unwrap();
    let to = |url: &'static str| {
        move |flags: &mut Flags| (flags.profile, flags.base_url) = (Some("work".into()), Some(url.into()))
    };
    let config = "[profiles.work]\nbase_url = \"https://models.example/v1?sig=s-query\"\nmodel = \"m\"\n\
        organization = \"org-1\"\napi_key_cmd = \"echo sk-cmd\"\n[profiles.work.headers]\napi-key = \"s-header\"\n\
        [profiles.work.extra_body]\nuser = \"u-1\"\n[profiles.work.prices.m]\ninput = 1\n";
    let profile = |loaded: &Loaded| loaded.settings.profiles[&ProfileId("work".into())].clone();
    let own = load(folder.path(), config, &[], to("https://models.example/other/v1"));
    let found = endpoint(&own, &[]).unwrap();
    assert_eq!((key(&found), found.organization.as_deref()), (Some("sk-cmd"), Some("org-1")));
    assert_eq!((found.headers.len(), found.extra_body.len(), profile(&own).prices.len()), (1, 1, 1));
    assert!(own.warnings.is_empty(), "{:?}", own.warnings);

    for url in ["https://other.example/v1", "http://10.1.2.3/v1"] {
        let other = load(folder.path(), config, &[], to(url));
        let found = endpoint(&other, &[]).unwrap();
        assert_eq!((found.base_url.as_str(), key(&found), found.organization.as_deref()), (url, None, None));
        assert!(found.headers.is_empty() && found.extra_body.is_empty());
        let profile = profile(&other);
        assert_eq!((profile.model.as_str(), profile.prices.len()), ("m", 0));
        assert!(!profile.allow_http, "nobody has said that a key may go there unencrypted");
        let said = other.warnings.join("\n");
        for left_out in
            ["key command", "header api-key", "organization", "extra_body", "prices", "https://models.example"]
        {
            assert!(said.contains(left_out), "{left_out}: {said}");
        }
        assert!(!said.contains("s-header") && !said.contains("s-query"), "{said}");
    }

    // A key of the environment is given for this run.
    let config = config.replace("api_key_cmd = \"echo sk-cmd\"", "api_key_env = \"OPENAI_API_KEY\"");
    let env = [("OPENAI_API_KEY", "sk-env")];
    let other = load(folder.path(), &config, &env, to("http://10.1.2.3/v1"));
    assert_eq!(key(&endpoint(&other, &env).unwrap()), Some("sk-env"));
    let said = other.warnings.join("\n");
    assert!(said.contains("the key is sent unencrypted to http://10.1.2.3"), "{said}");
}

#[cfg(not(feature = "keyring"))]
#[test]
fn a_key_in_the_keyring_is_read_written_and_missed_with_the_profiles_name() {
    let folder = tempfile::tempdir().unwrap();
    let config =
        "profile = \"c\"\n[profiles.c]\nbase_url = \"https://x.example/v1\"\napi_key_keyring = \"ours\" # shared\n";
    let loaded = load(folder.path(), config, &[], |_| {});
    let entry = benchtop::settings::KeyringEntry { profile: "c".into(), service: "ours".into() };
    let profile = &loaded.settings.profiles[&ProfileId("c".into())];
    assert!(profile.key == KeySource::Keyring(entry.clone()) && loaded.warnings.is_empty());
    assert_eq!(profile.key.words(), "system keyring");
    let why = resolve(profile, &loaded.settings.paths, |_| None, &[]).err().unwrap();
    assert!(why.contains("the key of c is in the system's keyring") && why.contains("--features keyring"), "{why}");
    // A key that is pasted then is kept in the file of keys, which the profile names from then on.
    let paths = &loaded.settings.paths;
    let source =
        keep::replace_key(paths, &ProfileId("c".into()), profile, |_| None, &"sk-1".to_owned().into()).unwrap();
    assert!(source == KeySource::Kept("c".into()));
    let text = std::fs::read_to_string(&paths.config).unwrap();
    assert!(text.contains("api_key_kept = true") && !text.contains("keyring"), "{text}");
    // Another server of the command line gets none of it.
    let loaded = load(folder.path(), config, &[], |flags| {
        (flags.profile, flags.base_url) = (Some("c".into()), Some("https://y.example/v1".into()));
    });
    assert!(loaded.settings.profiles[&ProfileId("c".into())].key == KeySource::None, "{:?}", loaded.warnings);
    assert!(loaded.warnings.iter().any(|warning| warning.contains("its key in the system's keyring")));
}
