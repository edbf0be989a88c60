//! What the programs that benchtop starts get to see, and who may look into benchtop itself.

use std::os::unix::fs::{MetadataExt as _, PermissionsExt};
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::common::server::Server;
use crate::common::{Bench, Setup};
use crate::{path, script, talk, until};

const KEY: &str = "sk-test-environment-0123456789";
const OTHER: &str = "sk-other-environment-0123456789";

/// Writes the environment of whoever runs it to this file of the home.
fn tells(file: &str) -> String {
    format!("env > \"$HOME/part\"\nmv \"$HOME/part\" \"$HOME/{file}\"")
}

/// Checks that the environment a child wrote to a file contains no key.
fn seen(home: &Path, file: &str) {
    let env = until(file, || std::fs::read_to_string(home.join(file)).ok());
    assert!(env.contains("HARMLESS=yes"), "{file}: {env}");
    for secret in [KEY, OTHER, "OPENAI_API_KEY", "OTHER_KEY"] {
        assert!(!env.contains(secret), "{file} has {secret}: {env}");
    }
}

#[test]
fn no_child_gets_a_key() {
    let (server, home) = (Server::start(), tempfile::tempdir().unwrap());
    let config = format!(
        "profile = \"one\"\n[profiles.one]\nbase_url = \"{}\"\nmodel = \"m\"\napi_key_cmd = \"key-command\"\n\
         [profiles.two]\nbase_url = \"https://x.example/v1\"\napi_key_env = \"OTHER_KEY\"\n",
        server.url
    );
    let file = home.path().join("config.toml");
    std::fs::write(&file, config).unwrap();
    script(home.path(), "key-command", &format!("{}\necho sk-command-0123456789", tells("by-key-command")));
    script(home.path(), "editor", &format!("{}\nprintf 'from the editor' > \"$1\"", tells("by-editor")));
    let bin = script(home.path(), "xclip", &format!("cat > /dev/null\n{}", tells("by-clipboard")));
    let (path, root) = (path(&bin), home.path().to_owned());
    let env = [
        ("PATH", &*path),
        ("DISPLAY", ":0"),
        ("EDITOR", "editor"),
        ("OPENAI_API_KEY", KEY),
        ("OTHER_KEY", OTHER),
        ("HARMLESS", "yes"),
    ];
    let args = ["--config", file.to_str().unwrap(), "--profile", "one"];
    let mut bench = Bench::with(Setup { args: &args, env: &env, ssh: false, home: Some(home), ..Setup::default() });
    bench.wait("▐1");
    talk(&mut bench, &server, "Hello", "Hi.");
    seen(&root, "by-key-command");
    bench.send("\x1bOS");
    bench.wait("from the editor");
    seen(&root, "by-editor");
    bench.send("\x1b");
    bench.wait("regenerate");
    bench.send("Y");
    bench.wait("copied");
    seen(&root, "by-clipboard");
    bench.send("\x11");
    assert_eq!(bench.ended(), 0);
}

#[test]
fn its_error_output_is_the_log_while_the_screen_is_its_own() {
    let mut bench = Bench::start(&["--local"]);
    bench.wait("▐1");
    let link = format!("/proc/{}/fd/2", bench.pid());
    let to = until("standard error leads into the log", || {
        std::fs::read_link(&link).ok().filter(|to| to.ends_with("logs/stderr.log"))
    });
    assert_eq!(std::fs::metadata(to).unwrap().permissions().mode() & 0o777, 0o600);
    bench.send("\x11");
    assert_eq!(bench.ended(), 0);
    bench.assert_whole();
}

#[cfg(target_os = "linux")]
#[test]
fn no_core_is_dumped_and_nobody_of_the_same_user_may_look_in() {
    /// Somebody who may do nothing.
    const NOBODY: u32 = 65534;
    let home = tempfile::tempdir().unwrap();
    let me = std::fs::metadata(home.path()).unwrap().uid();
    let mut program = env!("CARGO_BIN_EXE_benchtop").into();
    if me == 0 {
        // All that is root's looks the same: the program runs as somebody else, from where they can get at it.
        let mode = |path: &Path, mode| std::fs::set_permissions(path, PermissionsExt::from_mode(mode)).unwrap();
        let copy = home.path().join("benchtop");
        std::fs::copy(&program, &copy).unwrap();
        mode(home.path(), 0o777);
        mode(&copy, 0o755);
        program = copy;
    }
    let mut command = Command::new(program);
    command.args(["serve", "--port", "0", "--key", "k"]).arg("--data").arg(home.path().join("data"));
    command.stdout(Stdio::piped()).stderr(Stdio::null()).stdin(Stdio::null());
    if me == 0 {
        command.uid(NOBODY).gid(NOBODY);
    }
    let mut child = command.spawn().unwrap();
    let proc = format!("/proc/{}", child.id());
    // Its first words: what hardens it comes before them.
    let mut line = String::new();
    std::io::BufRead::read_line(&mut std::io::BufReader::new(child.stdout.take().unwrap()), &mut line).unwrap();
    let limits = std::fs::read_to_string(format!("{proc}/limits"));
    let status = std::fs::read_to_string(format!("{proc}/status")).unwrap();
    let owner = std::fs::metadata(format!("{proc}/environ")).map(|file| file.uid());
    child.kill().unwrap();
    child.wait().unwrap();
    let runs_as = status.lines().find_map(|line| line.strip_prefix("Uid:")).unwrap().split_whitespace().next();
    assert_ne!(runs_as, Some("0"), "{line}");
    // The kernel gives the files of a process that may not be dumped to root, whoever runs it.
    assert_eq!(owner.unwrap(), 0);
    if let Ok(limits) = limits {
        let core = limits.lines().find(|line| line.starts_with("Max core file size")).unwrap();
        assert_eq!(core.split_whitespace().filter(|word| *word == "0").count(), 2, "{core}");
    }
}
