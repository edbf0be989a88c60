//! `benchtop completions` and `benchtop man`.

use std::path::Path;
use std::process::{Command, Stdio};

use crate::common::server::Server;
use crate::{Home, Ran};

/// Runs a script in a shell that finds `benchtop`; `None`: there is no such shell.
fn run_in(home: &Home, shell: &[&str], script: &str) -> Option<String> {
    let bin = Path::new(env!("CARGO_BIN_EXE_benchtop")).parent().unwrap();
    let path = format!("{}:{}", bin.display(), std::env::var("PATH").unwrap_or_default());
    let mut command = Command::new(shell[0]);
    command.args(&shell[1..]).arg(script).env_clear().env("HOME", home.path()).env("PATH", path);
    command.env("XDG_DATA_HOME", home.path().join("share")).current_dir(home.path()).stdin(Stdio::null());
    let output = command.output().ok()?;
    assert!(output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
    Some(String::from_utf8(output.stdout).unwrap())
}

/// Returns what bash offers where this line ends.
fn bash(home: &Home, line: &str) -> Vec<String> {
    // What readline does: words are also split at : and =, and the function gets the part at the cursor.
    let script = format!(
        r#"
        source <(benchtop completions bash)
        COMP_LINE={line}
        COMP_POINT=${{#COMP_LINE}}
        COMP_TYPE=9
        COMP_WORDS=()
        rest=$COMP_LINE
        while [[ -n $rest ]]; do
            rest=${{rest#"${{rest%%[! ]*}}"}}
            [[ $rest =~ ^([:=]+|[^\ :=]+)(.*)$ ]] || break
            COMP_WORDS+=("${{BASH_REMATCH[1]}}")
            rest=${{BASH_REMATCH[2]}}
        done
        [[ $COMP_LINE == *\  ]] && COMP_WORDS+=("")
        COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1))
        current=${{COMP_WORDS[COMP_CWORD]}}
        [[ $current == [:=]* ]] && current=""
        compopt() {{ echo "compopt $*"; }}
        _benchtop benchtop "$current" x
        printf '%s\n' "${{COMPREPLY[@]}}"
        "#,
        line = shell_words::quote(line)
    );
    let out = run_in(home, &["bash", "--norc", "-c"], &script).expect("bash is there");
    out.lines().filter(|line| !line.is_empty()).map(str::to_owned).collect()
}

/// Makes a home with two profiles and a conversation, whose id is returned.
fn home() -> (Home, String) {
    let (home, server) = (Home::new(), Server::start());
    home.config(&format!(
        "[profiles.work]\nbase_url = \"{}\"\nmodel = \"llama3:8b\"\n[profiles.work.models.\"other:1\"]\nseed = 1\n\
         [profiles.\"my home\"]\nbase_url = \"http://127.0.0.1:9/v1\"\n",
        server.url
    ));
    let data = home.path().join("share/benchtop");
    let mut command = Command::new(env!("CARGO_BIN_EXE_benchtop"));
    command
        .args(["chat", "Which $(rivers)?", "--profile", "work", "--model", "used:2", "--json", "--data-dir"])
        .arg(data);
    command.env_clear().env("HOME", home.path()).stdin(Stdio::null()).stdout(Stdio::piped());
    let child = command.spawn().unwrap();
    let mut asked = server.asked();
    asked.open();
    asked.token("None");
    asked.finish();
    let json: serde_json::Value = serde_json::from_slice(&child.wait_with_output().unwrap().stdout).unwrap();
    let id = json["conversation"].as_str().unwrap().to_owned();
    (home, id)
}

#[test]
fn bash_completes_commands_flags_and_values() {
    let (home, id) = home();
    assert_eq!(bash(&home, "benchtop comp"), ["complete", "completions"]);
    assert_eq!(bash(&home, "benchtop chat --conv"), ["--conversation"]);
    assert_eq!(bash(&home, "benchtop config "), ["path", "init", "check", "keys", "show", "help"]);
    assert_eq!(bash(&home, "benchtop --theme m"), ["mono"]);
    let efforts = ["none", "minimal", "low", "medium", "high", "xhigh"];
    assert_eq!(bash(&home, "benchtop chat --reasoning-effort "), efforts);
    assert_eq!(bash(&home, "benchtop chat --reasoning-effort=m"), ["minimal", "medium"]);
    // A name with a blank would be two words.
    assert_eq!(bash(&home, "benchtop chat --profile "), ["local", "work"]);
    assert_eq!(bash(&home, "benchtop chat --profile=w"), ["work"]);
    assert_eq!(bash(&home, "benchtop --profile work chat --model "), ["llama3:8b", "other:1", "used:2"]);
    // Bash replaces only what follows the last : or =.
    assert_eq!(bash(&home, "benchtop --profile work chat --model llama3:"), ["8b"]);
    assert_eq!(bash(&home, "benchtop --profile work chat --model=llama3:8"), ["8b"]);
    assert_eq!(bash(&home, "benchtop chat --conversation "), [id.as_str()]);
    assert_eq!(bash(&home, "benchtop export "), [id.as_str()]);
    assert_eq!(bash(&home, &format!("benchtop export {}", &id[..4])), [id.as_str()]);
    assert_eq!(bash(&home, "benchtop chat "), [""; 0]);
    assert_eq!(bash(&home, "benchtop --config "), ["compopt -o default"]);
    assert_eq!(bash(&home, "benchtop man --dir x"), ["compopt -o default"]);
    assert_eq!(bash(&home, "benchtop files get x --output "), ["compopt -o default"]);
    assert_eq!(bash(&home, "benchtop tune create --training-file "), ["compopt -o default"]);
    assert_eq!(bash(&home, "benchtop files get "), [""; 0], "an id");
    assert_eq!(bash(&home, "benchtop files put --purpose f"), ["fine-tune"]);
    let mut tunable = bash(&home, "benchtop --local tune create --model ");
    tunable.sort_unstable();
    assert_eq!(tunable, ["ada", "babbage", "curie", "davinci"]);
    assert_eq!(bash(&home, "benchtop no-such-command --x"), [""; 0]);
}

#[test]
fn a_model_that_never_answered_is_not_offered() {
    let home = Home::new();
    assert_eq!(home.run(&["--local", "chat", "--model", "nope", "Hello"]).status, 5);
    let data = home.data().display().to_string();
    let typed = ["benchtop", "--local", "--data-dir", &data, "chat", "--model", "no"];
    let offered = home.run(&[&["complete-words", "bash", "6", "--"][..], &typed].concat());
    assert_eq!((offered.status, offered.out.as_str()), (0, "values\n"));
}

#[test]
fn words_have_titles_where_a_shell_shows_them() {
    let (home, id) = home();
    let words = |args: &[&str]| {
        let script = format!("benchtop complete-words {}", shell_words::join(args));
        run_in(&home, &["bash", "--norc", "-c"], &script).unwrap()
    };
    let typed = ["--", "benchtop", "export", ""];
    assert_eq!(words(&[&["zsh", "2"], &typed[..]].concat()), format!("values\n{id}:Which $(rivers)?\n"));
    assert_eq!(words(&[&["fish", "2"], &typed[..]].concat()), format!("values\n{id}\tWhich $(rivers)?\n"));
    assert_eq!(
        words(&[&["bash", "2", "--titles"], &typed[..]].concat()),
        format!("values\n{id}\n"),
        "one alone has none"
    );
    let typed = ["--", "benchtop", "chat", "--reasoning-effort", "l"];
    assert_eq!(words(&[&["zsh", "3"], &typed[..]].concat()), "values\nlow\n");
    assert_eq!(words(&[&["fish", "3"], &typed[..]].concat()), "values\nlow\t\n");
    let typed = ["--", "benchtop", "--profile", "work", "chat", "--model", ""];
    assert_eq!(words(&[&["zsh", "5"], &typed[..]].concat()), "values\nllama3\\:8b\nother\\:1\nused\\:2\n");
    assert_eq!(words(&["zsh", "2", "--", "benchtop", "chat"]), "values\n", "a word that is not begun");
    let store = home.path().join("share/benchtop/benchtop.db");
    std::fs::write(&store, "damaged").unwrap();
    assert_eq!(words(&["zsh", "2", "--", "benchtop", "export", ""]), "values\n");
    assert_eq!(std::fs::read(&store).unwrap(), b"damaged");
}

#[test]
fn zsh_and_fish_accept_their_scripts() {
    let (home, id) = home();
    let zsh = "autoload -Uz compinit && compinit -u -D; source <(benchtop completions zsh); \
               compadd() { :; }; _describe() { print -rl -- ${(P)argv[-1]}; }; _files() { print files; }; \
               words=(benchtop export ''); CURRENT=3; _benchtop; words=(benchtop --config ''); CURRENT=3; _benchtop";
    if let Some(out) = run_in(&home, &["zsh", "-f", "-c"], zsh) {
        assert_eq!(out, format!("{id}:Which $(rivers)?\nfiles\n"));
        let values = "words=(benchtop chat --profile ''); CURRENT=4; _benchtop; \
                      words=(benchtop --profile work chat --model ''); CURRENT=6; _benchtop";
        let (loads, _) = zsh.split_once("words=").unwrap();
        let out = run_in(&home, &["zsh", "-f", "-c"], &format!("{loads}{values}")).unwrap();
        let [local, work, models @ ..] = &out.lines().collect::<Vec<_>>()[..] else { panic!("{out}") };
        assert!(*local == "local:inside benchtop" && work.starts_with("work:http://127.0.0.1:"), "{out}");
        assert_eq!(models, ["llama3\\:8b", "other\\:1", "used\\:2"]);
    }
    let fish = "benchtop completions fish | source; complete --do-complete 'benchtop export '; \
                complete --do-complete 'benchtop conf'";
    if let Some(out) = run_in(&home, &["fish", "--no-config", "-c"], fish) {
        let about = "The config file: where it is, a first one, what is wrong in it, what is in force";
        assert_eq!(out, format!("{id}\tWhich $(rivers)?\nconfig\t{about}\n"));
        let values = "benchtop completions fish | source; complete --do-complete 'benchtop chat --profile '; \
                      complete --do-complete 'benchtop --profile work chat --model '";
        let out = run_in(&home, &["fish", "--no-config", "-c"], values).unwrap();
        let [local, work, models @ ..] = &out.lines().collect::<Vec<_>>()[..] else { panic!("{out}") };
        assert!(*local == "local\tinside benchtop" && work.starts_with("work\thttp://127.0.0.1:"), "{out}");
        assert_eq!(models, ["llama3:8b", "other:1", "used:2"]);
    }
}

#[test]
fn man_pages_name_every_command() {
    let home = Home::new();
    let ran = home.run(&["man"]);
    assert_eq!((ran.status, ran.errors.as_str()), (0, ""));
    assert!(ran.out.contains(".TH BENCHTOP 1 2") && ran.out.contains("benchtop\\-chat(1)"), "{}", ran.out);
    assert!(!ran.out.contains("selfcheck") && !ran.out.contains("complete\\-words"), "{}", ran.out);
    let folder = home.path().join("man");
    let ran = home.run(&["man", "--dir", "man"]);
    assert_eq!(ran, Ran { status: 0, out: String::new(), errors: String::new() });
    for name in ["benchtop.1", "benchtop-chat.1", "benchtop-config.1", "benchtop-config-check.1", "benchtop-serve.1"] {
        let page = std::fs::read_to_string(folder.join(name)).unwrap_or_else(|why| panic!("{name}: {why}"));
        assert!(page.contains(".SH NAME") && page.contains("\\-\\-data\\-dir"), "{name}: {page}");
        assert_eq!(page.matches(".SH \"EXIT STATUS\"\n").count(), 1, "{name}: {page}");
        // A server is stopped by a signal.
        let has_130 = page.contains("\n\\fB130\\fR\n");
        assert_eq!(has_130, name != "benchtop-serve.1", "{name}: {page}");
    }
    let read = |name: &str| std::fs::read_to_string(folder.join(name)).unwrap();
    let (program, prepare) = (read("benchtop.1"), read("benchtop-files-prepare.1"));
    for section in ["ENVIRONMENT", "FILES", "NOTES", "EXAMPLES", "\"SEE ALSO\"", "VERSION"] {
        assert_eq!(program.matches(&format!(".SH {section}\n")).count(), 1, "{section}: {program}");
    }
    assert!(program.contains("\\fBBENCHTOP_ACCESSIBLE\\fR\n") && program.contains("config.toml\\fR\n"), "{program}");
    assert!(!program.contains(".SH EXTRA") && !program.contains("Examples:"), "{program}");
    let heading = prepare.lines().find(|line| line.starts_with(".TH ")).unwrap();
    assert!(heading.starts_with(".TH BENCHTOP-FILES-PREPARE 1 "), "{heading}");
    assert!(heading.contains(&format!("\"benchtop {}\"", env!("CARGO_PKG_VERSION"))), "{heading}");
    assert!(prepare.contains("\\fBbenchtop files prepare\\fR [OPTIONS] \\-\\-output <FILE> <FILE>\n"), "{prepare}");
    assert!(prepare.ends_with(".SH \"SEE ALSO\"\nbenchtop(1), benchtop\\-files(1)\n"), "{prepare}");
    assert!(!prepare.contains(".br\n\n.br\n"), "{prepare}");
    std::fs::write(home.path().join("taken"), "").unwrap();
    let ran = home.run(&["man", "--dir", "taken"]);
    assert_eq!((ran.status, ran.out.as_str()), (2, ""));
    assert_eq!(ran.errors, "benchtop: --dir: taken is a file: name a folder\n");
    let ran = home.run(&["man", "--dir", "taken/man"]);
    assert_eq!((ran.status, ran.out.as_str()), (2, ""));
    assert!(ran.errors.starts_with("benchtop: taken/man cannot be written: "), "{}", ran.errors);
}
