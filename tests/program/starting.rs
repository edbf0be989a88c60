//! Starting where something is missing: room on the disk, the right to write, threads, files, a home.

use std::os::unix::process::CommandExt as _;
use std::process::{Command, Output};

use tempfile::TempDir;

use crate::common::server::Server;
use crate::common::{Bench, Setup};
use crate::talk;

/// Starts a program where the shell has mounted something; `None`, and a word, where that is not allowed.
fn mounted(script: &str) -> Option<[String; 5]> {
    let flags = if rustix::process::geteuid().is_root() { "-m" } else { "-rm" };
    let probe = Command::new("unshare").args([flags, "mount", "-t", "tmpfs", "none", "/mnt"]).output();
    if !probe.as_ref().is_ok_and(|probe| probe.status.success()) {
        eprintln!("skipped: nothing can be mounted here: {probe:?}");
        return None;
    }
    Some(["unshare", flags, "sh", "-c", &format!("{script} && exec \"$0\" \"$@\"")].map(str::to_owned))
}

/// Creates a home with a stored conversation, and its server.
fn kept() -> (TempDir, Server) {
    let (server, home) = (Server::start(), tempfile::tempdir().unwrap());
    let mut bench = start(home, &server, &[]);
    talk(&mut bench, &server, "Keep this", "Kept.");
    bench.send("\x11");
    assert_eq!(bench.ended(), 0);
    (bench.into_home(), server)
}

fn start(home: TempDir, server: &Server, through: &[&str]) -> Bench {
    let env = [("OPENAI_API_KEY", "sk-test-0123456789")];
    let args = ["--base-url", &server.url, "--model", "auto"];
    let mut bench = Bench::with(Setup { args: &args, env: &env, home: Some(home), through, ..Setup::default() });
    bench.wait("▐1");
    bench
}

fn starts_and_reads(script: &str, why: &str) {
    let Some(through) = mounted(script) else { return };
    let (home, server) = kept();
    let mut bench = start(home, &server, &through.each_ref().map(String::as_str));
    bench.wait("Kept.");
    let text = bench.wait("✕ not saved");
    // A notice may be wrapped.
    let words = text.split_whitespace().filter(|word| *word != "│").collect::<Vec<_>>().join(" ");
    assert!(words.contains(why), "{text}");
    works(&mut bench, &server);
}

/// Checks that the warning that nothing is saved stays on the screen, and that the program can be used: an answer
/// arrives.
fn works(bench: &mut Bench, server: &Server) {
    bench.type_in("More");
    bench.send("\r");
    let mut asked = server.asked();
    asked.open();
    asked.token("And more.");
    asked.finish();
    bench.wait("And more.");
    bench.wait("✕ not saved");
}

#[test]
fn on_a_full_disk_it_starts_and_shows_what_is_there() {
    let data = "\"$HOME/.local/share/benchtop\"";
    let script = format!(
        "cp -a {data} \"$HOME/copy\" && mount -t tmpfs -o size=8m none {data} && cp -a \"$HOME/copy/.\" {data} && \
         {{ cat /dev/zero >{data}/filler 2>/dev/null; true; }}"
    );
    starts_and_reads(&script, "disk full");
}

#[test]
fn on_a_full_disk_what_the_log_cannot_take_is_lost_and_nothing_else() {
    let data = "\"$HOME/.local/share/benchtop\"";
    let script = format!(
        "mkdir -p {data} && mount -t tmpfs -o size=1m none {data} && cp \"$HOME/theirs.db\" {data}/benchtop.db && \
         {{ cat /dev/zero >{data}/filler 2>/dev/null; true; }}"
    );
    let Some(through) = mounted(&script) else { return };
    let (server, home) = (Server::start(), tempfile::tempdir().unwrap());
    // That the store is another program's is logged.
    let theirs = rusqlite::Connection::open(home.path().join("theirs.db")).unwrap();
    theirs.execute_batch("CREATE TABLE theirs (x); PRAGMA application_id = 7").unwrap();
    drop(theirs);
    let mut bench = start(home, &server, &through.each_ref().map(String::as_str));
    bench.wait("✕ not saved");
    works(&mut bench, &server);
    bench.send("\x11");
    bench.wait("Quit now?");
    bench.send("\x1b[C");
    bench.send("\r");
    bench.ended();
    assert!(!bench.text().contains("benchtop failed"), "{}", bench.text());
}

#[test]
fn on_a_disk_mounted_to_be_read_it_starts_and_shows_what_is_there() {
    let script = "mount --bind \"$HOME\" \"$HOME\" && mount -o remount,ro,bind \"$HOME\" && cd \"$HOME\"";
    starts_and_reads(script, "cannot use");
}

/// Runs the program without a terminal behind a shell's limit.
fn limited(limit: &str, other_user: bool) -> Output {
    let mut command = Command::new("sh");
    let line = format!("{limit}; exec \"$0\" --local");
    command.args(["-c", &line, env!("CARGO_BIN_EXE_benchtop")]).env("TERM", "xterm").env("HOME", "/nowhere");
    if other_user {
        // The superuser has no limit of threads.
        command.uid(65534).gid(65534).current_dir("/");
    }
    command.output().unwrap()
}

fn assert_said(run: &Output, words: &str) {
    let said = String::from_utf8_lossy(&run.stderr);
    assert_eq!(run.status.code(), Some(2), "{said}");
    assert!(said.starts_with("benchtop: ") && said.contains(words) && said.lines().count() == 1, "{said}");
}

#[test]
fn without_files_or_threads_a_sentence_says_what_to_do() {
    assert_said(&limited("ulimit -n 12", false), "raise the limit with `ulimit -n 256`");
    let root = rustix::process::geteuid().is_root();
    let run = limited("ulimit -u 1 2>/dev/null || ulimit -p 1", root);
    if root && run.status.code() == Some(126) {
        return eprintln!("skipped: another user cannot run the program where it is");
    }
    assert_said(&run, "cannot start more threads");
}

#[test]
fn without_a_home_nothing_starts_unless_both_places_are_named() {
    let home = tempfile::tempdir().unwrap();
    // A directory of this name that everybody can write to is not used instead.
    let theirs = home.path().join("tmp/benchtop");
    std::fs::create_dir_all(&theirs).unwrap();
    std::fs::write(theirs.join("config.toml"), "theme = \"pink\"\n").unwrap();
    let run = |args: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_benchtop"));
        // A relative home is another directory wherever the program is started: it is none.
        command.args(args).env_clear().env("HOME", "rel").env("TMPDIR", home.path().join("tmp"));
        command.current_dir(home.path()).env("TERM", "xterm").output().unwrap()
    };
    let places = ["--config", "mine.toml", "--data-dir", "data"];
    for args in [&[][..], &["--plain"], &["config", "path"], &["models"], &["doctor"], &["serve"], &places[..2]] {
        let ran = run(args);
        assert_said(&ran, "no home folder is known: set HOME, or use --config and --data-dir");
        assert!(ran.stdout.is_empty(), "{args:?}");
    }
    let ran = run(&[&["config", "path"], &places[..]].concat());
    assert_eq!((ran.status.code(), String::from_utf8(ran.stdout).unwrap()), (Some(0), "mine.toml\n".to_owned()));
    assert!(!home.path().join("rel").exists(), "nothing is written into the working directory");
    assert_eq!(std::fs::read_dir(&theirs).unwrap().count(), 1, "nothing is written there");
}
