//! `benchtop profiles` and `benchtop config`.

use serde_json::{Value, json};

use crate::schema::lines;
use crate::{Home, Ran};

const FILE: &str = "profile = \"work\"\ntheme = \"light\"\n\n[profiles.work]\nbase_url = \"https://a.example/v1?code=secret\"\n\
    model = \"small\"\napi_key_cmd = \"echo secret\"\nheaders = { X-Team = \"secret\" }\n\n\
    [profiles.home]\nbase_url = \"http://127.0.0.1:9/v1\"\napi_key_env = \"HOME_KEY\"\n";

#[test]
fn profiles_are_listed_without_their_keys() {
    let home = Home::new();
    let expected = "*\tlocal\tinside benchtop\tno key\t\n";
    assert_eq!(home.run(&["profiles"]), Ran { status: 0, out: expected.into(), errors: String::new() });
    home.config(FILE);
    let ran = home.run(&["profiles"]);
    let expected = "\tlocal\tinside benchtop\tno key\t\n\
        *\twork\thttps://a.example/v1\tkey command\tsmall\n\
        \thome\thttp://127.0.0.1:9/v1\t$HOME_KEY\t\n";
    assert_eq!(ran, Ran { status: 0, out: expected.into(), errors: String::new() });
    let ran = home.run(&["profiles", "--json", "--profile", "home"]);
    assert!(!ran.out.contains("secret"), "{}", ran.out);
    let all = lines("profile", &ran.out);
    assert_eq!(
        all[2],
        json!({"version": 1, "name": "home", "in_use": true, "local": false, "base_url": "http://127.0.0.1:9/v1",
               "key_from": "variable", "key_variable": "HOME_KEY", "model": null})
    );
    assert_eq!(
        (&all[1]["in_use"], &all[1]["key_from"], &all[1]["model"]),
        (&json!(false), &json!("command"), &json!("small"))
    );
    assert_eq!((&all[0]["local"], &all[0]["base_url"]), (&json!(true), &Value::Null));
}

#[test]
fn a_wrong_profile_or_config_file_ends_a_command() {
    let home = Home::new();
    home.config("profile = \"work\"\n[profiles");
    let ran = home.run(&["profiles"]);
    assert_eq!((ran.status, ran.out.as_str()), (3, ""));
    assert!(ran.errors.starts_with("benchtop: config.toml, line 2, column "), "{}", ran.errors);
    home.config(FILE);
    assert_eq!(home.run(&["profiles", "--profile", "gone"]).status, 2);
    assert_eq!(home.run(&["profiles", "--config", "gone.toml"]).status, 2);
    assert_eq!(home.run(&["profiles", "--no-such-flag"]).status, 2);
    assert_eq!(home.run(&["config"]).status, 2);
    let create = ["tune", "create", "--training-file", "file-1"];
    for args in [&create[..], &["chat", "Hello"], &["complete", "a"], &["moderate", "a"], &["embed", "a"]] {
        let ran = home.run(&[args, &["--local", "--model", ""]].concat());
        let errors = "benchtop: --model is empty: name a model, or leave it out\n".to_owned();
        assert_eq!(ran, Ran { status: 2, out: String::new(), errors }, "{args:?}");
    }
}

#[test]
fn a_fault_that_changes_the_server_ends_a_command_and_another_one_does_not() {
    let home = Home::new();
    let work = "[profiles.work]\nbase_url = \"http://127.0.0.1:9/v1\"\n";
    for (config, said) in [
        (
            format!("profile = \"wrok\"\n{work}"),
            "names the profile wrok, which does not exist; choose from: local, work",
        ),
        (format!("profile = \"work\"\n{}", work.replace("http", "htp")), "the profile work is ignored: the base URL"),
        (format!("profile = 3\n{work}"), "profile must be text in quotes"),
    ] {
        home.config(&config);
        for args in [&["moderate", "--fail-flagged", "a text"][..], &["chat", "Hello"], &["models"], &["--plain"]] {
            let ran = home.run(args);
            assert_eq!((ran.status, ran.out.as_str()), (3, ""), "{config}{args:?}: {}", ran.errors);
            assert!(ran.errors.contains(said), "{config}: {}", ran.errors);
        }
        assert!(!home.data().exists(), "nothing was begun");
        assert_eq!(home.run(&["profiles", "--local"]).status, 0, "{config}");
    }
    home.config(&format!("profile = \"work\"\ntheme = \"pink\"\n{work}"));
    let ran = home.run(&["profiles"]);
    assert_eq!(ran.status, 0, "{}", ran.errors);
    assert!(ran.errors.contains("there is no theme pink"), "{}", ran.errors);
}

#[test]
fn faults_name_the_config_file_that_was_read() {
    let home = Home::new();
    std::fs::write(home.path().join("mine.toml"), "profile = \"wrok\"\nmotion = 3\nmouse = false\n").unwrap();
    let run = |args: &[&str]| home.run(&[args, &["--config", "mine.toml"]].concat());
    let motion = "mine.toml, line 2: motion must be true or false; it is ignored";
    let profile = "mine.toml, line 1: there is no profile wrok; the workbench uses the local service";
    let out = format!("{profile}\n{motion}\n");
    assert_eq!(run(&["config", "check"]), Ran { status: 3, out, errors: String::new() });
    for fault in lines("fault", &run(&["config", "check", "--json"]).out) {
        assert_eq!(fault["file"], "mine.toml", "{fault}");
    }
    assert!(run(&["config", "show"]).out.contains("mouse\tfalse\tmine.toml, line 3\n"));
    let ran = run(&["models"]);
    assert!(ran.status == 3 && ran.errors.starts_with("benchtop: mine.toml names the profile wrok, "), "{ran:?}");
    let ran = run(&["doctor"]);
    assert!(ran.out.contains(motion), "{ran:?}");
}

#[test]
fn bytes_that_are_no_text_are_named_and_a_key_is_not_shown() {
    use std::os::unix::ffi::OsStrExt as _;
    let home = Home::new();
    home.config("[profiles.work]\nbase_url = \"http://127.0.0.1:9/v1\"\napi_key_env = \"WORK_KEY\"\n");
    let bytes = std::ffi::OsStr::from_bytes(b"sk-\xff");
    let run = |name: &str, args: &[&str]| home.command(args).env(name, bytes).output().unwrap();
    for (name, args) in [
        ("OPENAI_API_KEY", &["models"][..]),
        ("OPENAI_BASE_URL", &["profiles"]),
        ("WORK_KEY", &["models", "--profile", "work"]),
    ] {
        let end = run(name, args);
        let said = format!("benchtop: the environment variable {name} is not UTF-8: correct it, or unset it\n");
        assert_eq!((end.status.code(), String::from_utf8(end.stderr).unwrap()), (Some(2), said));
        assert_eq!(run(name, &["profiles", "--local"]).status.code(), Some(0), "it is not used");
    }
    std::fs::write(home.path().join("good.jsonl"), "{}").unwrap();
    let odd = std::ffi::OsStr::from_bytes(b"b\xffd.jsonl");
    let end = home.command(&["files", "check", "good.jsonl"]).arg(odd).output().unwrap();
    let said = "error: argument 6 is not valid UTF-8\n";
    assert_eq!((end.status.code(), String::from_utf8(end.stderr).unwrap().as_str()), (Some(2), said));
}

#[test]
fn paths_are_printed_whether_files_are_there_or_not() {
    let home = Home::new();
    let at = |path: &str| home.path().join(path).display().to_string();
    let config = at(".config/benchtop/config.toml");
    assert_eq!(home.run(&["config", "path"]), Ran { status: 0, out: format!("{config}\n"), errors: String::new() });
    let data = home.data().display().to_string();
    let expected = format!(
        "config\t{config}\nkeys\t{}\nprices\t{}\nbindings\t{}\nthemes\t{}\ndata\t{data}\nstore\t{data}/benchtop.db\nlogs\t{data}/logs\n",
        at(".config/benchtop/keys.toml"),
        at(".config/benchtop/prices.toml"),
        at(".config/benchtop/bindings.toml"),
        at(".config/benchtop/themes")
    );
    assert_eq!(home.run(&["config", "path", "--all"]).out, expected);
    assert_eq!(home.run(&["config", "path", "--config", "mine.toml"]).out, "mine.toml\n");
    assert!(!home.data().exists(), "nothing was created");
}

#[test]
fn a_first_config_file_is_written_once() {
    use std::os::unix::fs::PermissionsExt as _;
    let home = Home::new();
    let path = home.path().join(".config/benchtop/config.toml");
    let shown = path.display();
    assert_eq!(home.run(&["config", "init"]), Ran { status: 0, out: format!("{shown}\n"), errors: String::new() });
    let text = std::fs::read_to_string(&path).unwrap();
    assert!(text.contains("# [profiles.work]"), "{text}");
    assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    let errors = "benchtop: no faults\n".to_owned();
    assert_eq!(home.run(&["config", "check"]), Ran { status: 0, out: String::new(), errors });
    std::fs::write(&path, "mine = 1\n").unwrap();
    let errors = format!("benchtop: {shown} is there already: it was not changed\n");
    assert_eq!(home.run(&["config", "init"]), Ran { status: 2, out: String::new(), errors });
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "mine = 1\n");
}

#[test]
fn faults_are_named_with_their_lines() {
    let home = Home::new();
    home.config(
        "theme = \"pink\"\nprofile = \"gone\"\n[profiles.work]\nmodel = 3\nbase_url = \"https://a.example/v1\"\n",
    );
    std::fs::write(home.path().join(".config/benchtop/prices.toml"), "[[price]]\nmodel = \"m\"\n").unwrap();
    let ran = home.run(&["config", "check"]);
    let theme = "theme is ignored: there is no theme pink; choose from: dark, light, warm, high-contrast, ansi, mono";
    let expected = format!(
        "config.toml, line 1: {theme}\nconfig.toml, line 2: there is no profile gone; the workbench uses the local service\n\
         config.toml, line 4: model must be text in quotes; it is ignored\n\
         prices.toml, line 1: a price needs input; this price is ignored\n"
    );
    assert_eq!(ran, Ran { status: 3, out: expected, errors: String::new() });
    let ran = home.run(&["config", "check", "--json"]);
    let first = json!({"version": 1, "file": "config.toml", "line": 1, "column": null, "message": theme});
    assert_eq!((ran.status, lines("fault", &ran.out).len(), &lines("fault", &ran.out)[0]), (3, 4, &first));
    home.config("");
    std::fs::remove_file(home.path().join(".config/benchtop/prices.toml")).unwrap();
    let themes = home.path().join(".config/benchtop/themes");
    std::fs::create_dir(&themes).unwrap();
    std::fs::write(themes.join("mine.toml"), "text = \"#000000\"\n").unwrap();
    let ran = home.run(&["config", "check"]);
    assert_eq!(ran.status, 3);
    assert!(ran.out.starts_with("themes/mine.toml: text"), "{}", ran.out);
    assert!(
        ran.errors.starts_with("benchtop: themes/mine.toml: roles with the colours of dark: ground, "),
        "{}",
        ran.errors
    );
    home.config("profile = \n");
    let ran = home.run(&["config", "check", "--json"]);
    assert_eq!(
        (&lines("fault", &ran.out)[0]["line"], lines("fault", &ran.out)[0]["column"].is_u64()),
        (&json!(1), true)
    );
}

#[test]
fn all_keys_are_printed_with_their_names_as_they_are_changed() {
    let home = Home::new();
    let all = home.run(&["config", "keys"]);
    assert_eq!((all.status, all.errors.as_str()), (0, ""));
    insta::assert_snapshot!("keys", all.out);
    // Every table of the source is among them.
    let mut missing = Vec::new();
    for text in source(&std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src")) {
        let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default().to_owned();
        for start in ["Bindings::new(", "Bindings::while_typing(", "Bindings::grouped(", "KeyContext::new("] {
            for after in code.split(start).skip(1) {
                let Some(name) = after.trim_start().strip_prefix('"').and_then(|rest| rest.split('"').next()) else {
                    continue;
                };
                if !all.out.lines().any(|line| line.split('\t').next() == Some(name)) {
                    missing.push(name.to_owned());
                }
            }
        }
    }
    assert_eq!(missing, [""; 0], "contexts that are not listed");
    let folder = home.path().join(".config/benchtop");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("bindings.toml"), "[chat.transcript]\nfind = \"f5\"\nraw = []\nfund = \"x\"\n").unwrap();
    let changed = home.run(&["config", "keys"]);
    let errors =
        "benchtop: bindings.toml, line 4: chat.transcript has no action fund; it is ignored; did you mean find?\n";
    assert_eq!((changed.status, changed.errors.as_str()), (0, errors));
    assert!(changed.out.contains("\nchat.transcript\tfind\tf5\tfind\n"), "{}", changed.out);
    assert!(changed.out.contains("\nchat.transcript\traw\t(none)\traw text\n"), "{}", changed.out);
    assert_eq!(changed.out.lines().count(), all.out.lines().count());
    let json = lines("keys", &home.run(&["config", "keys", "--json"]).out);
    let find = json.iter().find(|line| line["context"] == "chat.transcript" && line["action"] == "find").unwrap();
    let expected = json!({"version": 1, "context": "chat.transcript", "action": "find", "keys": ["f5"], "default": ["/"],
                          "does": "find"});
    assert_eq!((json.len(), find), (all.out.lines().count(), &expected));
    let checked = home.run(&["config", "check"]);
    assert_eq!((checked.status, checked.out), (3, errors.strip_prefix("benchtop: ").unwrap().to_owned()));
}

#[test]
fn keys_that_text_boxes_with_modes_read_as_commands_are_not_listed() {
    let home = Home::new();
    home.config("");
    let listed = |bindings: &str| {
        std::fs::write(home.path().join(".config/benchtop/bindings.toml"), bindings).unwrap();
        let ran = home.run(&["config", "keys"]);
        assert_eq!((ran.status, ran.errors.as_str()), (0, ""));
        ran.out
    };
    let keys = |all: &str, start: &str| {
        let line = all.lines().find(|line| line.starts_with(&format!("{start}\t"))).unwrap();
        line.split('\t').nth(2).unwrap().to_owned()
    };
    let default = listed("");
    assert_eq!(keys(&default, "text-box\tword-left"), "alt-b alt-left ctrl-left");
    let vim = listed("text_boxes = \"vim\"\n");
    assert_eq!(vim.lines().count(), default.lines().count());
    for (action, expected) in [
        ("text-box\tword-left", "alt-left ctrl-left"),
        ("text-box\tdelete-word-right", "alt-delete ctrl-delete"),
        ("text-box\tredo", "(none)"),
        ("complete.text-box\tredo", "ctrl-y"),
    ] {
        assert_eq!(keys(&vim, action), expected, "{action}");
    }
    // A key of the user stays one.
    let own = listed("text_boxes = \"vim\"\n[text-box]\nword-left = \"alt-b\"\n");
    assert_eq!(keys(&own, "text-box\tword-left"), "alt-b");
}

#[test]
fn where_enter_inserts_a_newline_the_keys_listed_are_those_in_force() {
    let home = Home::new();
    let listed = |config: &str| {
        home.config(config);
        let ran = home.run(&["config", "keys"]);
        assert_eq!((ran.status, ran.errors.as_str()), (0, ""));
        ran.out
    };
    let [sends, inserts] = ["", "[chat]\nenter = \"newline\"\n"].map(listed);
    for (action, [sending, inserting]) in [
        ("chat.composer\tsubmit", ["enter", "alt-enter"]),
        ("chat.composer\tnewline", ["ctrl-j alt-enter shift-enter", "enter ctrl-j shift-enter"]),
        ("embed.text-box\ttake-next", ["enter ctrl-enter", "alt-enter shift-enter"]),
        ("embed.text-box\tnewline", ["ctrl-j alt-enter shift-enter", "enter ctrl-j ctrl-enter"]),
        ("tune.trial-enter\tsend", ["enter ctrl-enter", "alt-enter shift-enter"]),
        ("tune.trial-enter\tnewline", ["alt-enter shift-enter", "enter ctrl-enter"]),
    ] {
        for (all, keys) in [(&sends, sending), (&inserts, inserting)] {
            assert!(all.contains(&format!("\n{action}\t{keys}\t")), "{action}: {all}");
        }
    }
    std::fs::write(home.path().join(".config/benchtop/bindings.toml"), "[chat.composer]\nsubmit = \"enter\"\n")
        .unwrap();
    let checked = home.run(&["config", "check"]);
    assert_eq!(checked.status, 3);
    assert!(checked.out.starts_with("bindings.toml, line 2: \"enter\" is a key of newline already"), "{}", checked.out);
}

/// Returns the text of all files of source below a folder.
fn source(folder: &std::path::Path) -> Vec<String> {
    let mut texts = Vec::new();
    for path in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
        if path.is_dir() {
            texts.extend(source(&path));
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            texts.push(std::fs::read_to_string(path).unwrap());
        }
    }
    texts
}

#[test]
fn settings_in_force_are_shown_with_their_sources() {
    let home = Home::new();
    home.config(FILE);
    let shown = |args: &[&str], vars: &[(&str, &str)]| {
        let mut command = home.command(&[&["config", "show", "--json"], args].concat());
        let output = command.envs(vars.iter().copied()).output().unwrap();
        assert_eq!(output.status.code(), Some(0));
        let out = String::from_utf8(output.stdout).unwrap();
        assert!(!out.contains("secret"), "{out}");
        lines("setting", &out)
    };
    let of = |all: &[Value], name: &str| {
        let one = all.iter().find(|one| one["name"] == name).unwrap_or_else(|| panic!("{name}: {all:?}"));
        (one["value"].clone(), one["from"].clone(), one.get("line").or(one.get("from_name")).cloned())
    };
    let all = shown(&[], &[]);
    assert_eq!(of(&all, "theme"), (json!("light"), json!("file"), Some(json!(2))));
    assert_eq!(of(&all, "mouse"), (json!(true), json!("default"), None));
    assert_eq!(of(&all, "profiles.work.key"), (json!("key command"), json!("file"), Some(json!(7))));
    assert_eq!(of(&all, "profiles.work.headers"), (json!(["X-Team"]), json!("file"), Some(json!(8))));
    let all = shown(&["--model", "large"], &[("OPENAI_API_KEY", "sk-secret-0123456789")]);
    assert_eq!(of(&all, "profile"), (json!("env"), json!("variable"), Some(json!("OPENAI_API_KEY"))));
    assert_eq!(of(&all, "profiles.env.model"), (json!("large"), json!("flag"), Some(json!("--model"))));
    let all = shown(&[], &[("NO_COLOR", "1")]);
    assert_eq!(of(&all, "theme"), (json!("mono"), json!("variable"), Some(json!("NO_COLOR"))));
    assert_eq!(of(&shown(&[], &[("NO_COLOR", "")]), "theme").0, "light");
    let ran = home.run(&["config", "show", "--local"]);
    assert_eq!(ran.out.lines().next(), Some("profile\tlocal\t--local"), "{}", ran.out);
    assert!(ran.out.lines().all(|line| line.split('\t').count() == 3), "{}", ran.out);
}
