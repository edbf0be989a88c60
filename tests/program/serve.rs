//! `benchtop serve` as other programs meet it: what it prints, who gets in, how it ends.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

use crate::common::LIMIT;

/// A running `benchtop serve`. Dropping it kills it.
struct Serve {
    child: Child,
    /// All it has printed.
    printed: String,
    /// Host and port.
    at: String,
}

impl Serve {
    fn start(args: &[&str], home: &Path) -> Self {
        Self::through(crate::common::program(), args, home)
    }

    /// Starts it by this command, to which its arguments are added.
    fn through(mut command: Command, args: &[&str], home: &Path) -> Self {
        command.arg("serve").args(args).env_clear().env("HOME", home).current_dir(home);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let mut printed = String::new();
        while !printed.contains("Ctrl-C stops.") {
            let Some(line) = lines.next() else { panic!("it ended early: {printed}") };
            printed.push_str(&line.unwrap());
            printed.push('\n');
        }
        let (_, rest) = printed.split_once("at http://").unwrap();
        let at = rest.split('/').next().unwrap().to_owned();
        Self { child, printed, at }
    }

    /// Sends a request; the answer, of which nothing is read yet.
    fn send(&self, method: &str, path: &str, key: &str, body: &str) -> BufReader<TcpStream> {
        let mut stream = TcpStream::connect(&self.at).unwrap();
        stream.set_read_timeout(Some(LIMIT)).unwrap();
        let (at, length) = (&self.at, body.len());
        write!(
            stream,
            "{method} {path} HTTP/1.1\r\nhost: {at}\r\nauthorization: Bearer {key}\r\nconnection: close\r\n\
             content-type: application/json\r\ncontent-length: {length}\r\n\r\n{body}"
        )
        .unwrap();
        BufReader::new(stream)
    }

    /// Requests the list of models; returns the status.
    fn models(&self, key: &str) -> String {
        let mut answer = String::new();
        self.send("GET", "/v1/models", key, "").read_to_string(&mut answer).unwrap();
        answer.split(' ').nth(1).unwrap().to_owned()
    }

    fn send_signal(&self, signal: Signal) {
        kill_process(Pid::from_raw(self.child.id() as i32).unwrap(), signal).unwrap();
    }

    /// Sends a signal and waits for the end; returns the exit status.
    fn end(&mut self, signal: Signal) -> Option<i32> {
        self.send_signal(signal);
        let end = Instant::now() + LIMIT;
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                return status.code();
            }
            assert!(Instant::now() < end, "it does not end");
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}

impl Drop for Serve {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Returns the value of `export NAME=` in the printed lines, as a shell reads it.
fn exported(printed: &str, name: &str) -> String {
    let line = printed.lines().find(|line| line.contains(&format!("export {name}="))).unwrap();
    let told = format!("{}\nprintf %s \"${name}\"", line.trim());
    let said = Command::new("sh").args(["-c", &told]).output().unwrap();
    String::from_utf8(said.stdout).unwrap()
}

#[test]
fn its_printed_lines_are_true_and_the_key_is_its_owners_alone() {
    let home = tempfile::tempdir().unwrap();
    let data: PathBuf = home.path().join("it's here");
    let args = ["--port", "0", "--data", data.to_str().unwrap()];
    let mut serve = Serve::start(&args, home.path());
    let file = data.join("serve.key");
    assert!(serve.printed.contains(&format!("key: {}\n", file.display())), "{}", serve.printed);
    assert_eq!(exported(&serve.printed, "OPENAI_BASE_URL"), format!("http://{}/v1", serve.at));
    let key = exported(&serve.printed, "OPENAI_API_KEY");
    assert_eq!((&*key, key.len()), (std::fs::read_to_string(&file).unwrap().trim(), "sk-local-".len() + 64));
    let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(&file), mode(&data)), (0o600, 0o700));
    assert_eq!((serve.models(&key), serve.models("sk-wrong")), ("200".into(), "401".into()));
    assert!(!serve.printed.contains(&key), "the key itself is not printed");
    assert_eq!(serve.end(Signal::TERM), Some(0));
    // What a shell exported stays true.
    let serve = Serve::start(&args, home.path());
    assert_eq!(exported(&serve.printed, "OPENAI_API_KEY"), key);
    assert_eq!(serve.models(&key), "200");
}

#[test]
fn a_key_is_given_by_word_or_by_file_and_a_port_that_is_taken_is_said() {
    let home = tempfile::tempdir().unwrap();
    let file = home.path().join("key.txt");
    std::fs::write(&file, "from-a-file acme owner\nmore acme reader\n").unwrap();
    let by_word = Serve::start(&["--port", "0", "--key", "by-word", "--data", "one"], home.path());
    assert_eq!((by_word.models("by-word"), by_word.models("from-a-file")), ("200".into(), "401".into()));
    assert!(by_word.printed.contains("key: the one you gave") && !by_word.printed.contains("by-word"));
    let by_file = Serve::start(&["--port", "0", "--key-file", "key.txt", "--data-dir", "two"], home.path());
    assert_eq!((by_file.models("from-a-file"), by_file.models("by-word")), ("200".into(), "401".into()));
    assert_eq!(exported(&by_file.printed, "OPENAI_API_KEY"), "from-a-file");
    assert_eq!(by_file.models("more"), "200");
    assert!(by_file.printed.contains("key.txt (and one further key)"), "{}", by_file.printed);
    for data in ["one", "two"] {
        assert!(!home.path().join(data).join("serve.key").exists(), "a key that was given is kept nowhere");
    }
    let port = by_word.at.rsplit_once(':').unwrap().1;
    let mut command = Command::new(env!("CARGO_BIN_EXE_benchtop"));
    command.args(["serve", "--key", "k", "--port", port]).env("HOME", home.path());
    let refused = command.output().unwrap();
    let why = String::from_utf8(refused.stderr).unwrap();
    assert!(refused.status.code() == Some(2) && why.starts_with("benchtop: ") && why.contains(port), "{why}");
}

#[test]
fn a_second_one_on_the_same_directory_is_refused_and_the_first_is_named() {
    let home = tempfile::tempdir().unwrap();
    let first = Serve::start(&["--port", "0", "--key", "k", "--data", "same"], home.path());
    let mut command = Command::new(env!("CARGO_BIN_EXE_benchtop"));
    command.args(["serve", "--port", "0", "--data", "same"]).env("HOME", home.path()).current_dir(home.path());
    let refused = command.output().unwrap();
    let why = String::from_utf8(refused.stderr).unwrap();
    assert_eq!((refused.status.code(), refused.stdout.len()), (Some(2), 0), "{why}");
    assert!(why.contains(&format!("http://{}/v1", first.at)), "{why}");
    assert!(why.contains(&format!("process {}", first.child.id())), "{why}");
    assert_eq!(first.models("k"), "200", "the first goes on");
}

#[test]
#[cfg(target_os = "linux")]
fn a_signal_that_was_ignored_at_the_start_does_not_end_it() {
    let home = tempfile::tempdir().unwrap();
    let mut command = Command::new("/bin/sh");
    command.args(["-c", "trap '' INT HUP; exec \"$0\" \"$@\"", env!("CARGO_BIN_EXE_benchtop")]);
    let mut serve = Serve::through(command, &["--port", "0", "--key", "k"], home.path());
    for signal in [Signal::INT, Signal::HUP] {
        serve.send_signal(signal);
        assert_eq!(serve.models("k"), "200");
    }
    assert_eq!(serve.end(Signal::TERM), Some(0));
}

#[test]
fn flags_that_mean_nothing_to_it_are_refused() {
    let home = tempfile::tempdir().unwrap();
    for (args, said) in [
        (&["--model", "ada"][..], "--model"),
        (&["--profile", "local"], "--profile"),
        (&["--base-url", "http://127.0.0.1:9/v1"], "--base-url"),
        (&["--data", "one", "--data-dir", "two"], "--data is the same as --data-dir"),
        (&["--key", ""], "--key: the key is empty"),
    ] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_benchtop"));
        command.args(["serve", "--port", "0"]).args(args).env("HOME", home.path()).current_dir(home.path());
        let refused = command.output().unwrap();
        let why = String::from_utf8(refused.stderr).unwrap();
        assert_eq!((refused.status.code(), refused.stdout.len()), (Some(2), 0), "{why}");
        assert!(why.starts_with("benchtop: ") && why.contains(said), "{args:?}: {why}");
    }
}

#[test]
fn ctrl_c_ends_it_while_answers_stream() {
    let home = tempfile::tempdir().unwrap();
    let mut serve = Serve::start(&["--port", "0", "--key", "k"], home.path());
    let body = r#"{"model":"gpt-3.5-turbo","stream":true,"n":20,"max_tokens":200,"messages":[{"role":"user","content":"Hi"}]}"#;
    let mut answer = serve.send("POST", "/v1/chat/completions", "k", body);
    let mut seen = String::new();
    while !seen.contains("data: ") {
        assert!(answer.read_line(&mut seen).unwrap() > 0, "{seen}");
    }
    assert!(seen.starts_with("HTTP/1.1 200 "), "{seen}");
    assert_eq!(serve.end(Signal::INT), Some(0));
    // The stream ends, and does not look whole.
    let _ = answer.read_to_string(&mut seen);
    assert!(!seen.contains("[DONE]"), "{seen}");
}

#[test]
fn a_given_key_is_not_written_down_and_a_file_others_can_read_is_warned_of() {
    let home = tempfile::tempdir().unwrap();
    let file = home.path().join("key.txt");
    std::fs::write(&file, "given-first acme owner\ngiven-second acme reader\n").unwrap();
    let mode = |mode| std::fs::set_permissions(&file, std::fs::Permissions::from_mode(mode)).unwrap();
    mode(0o644);
    let args = ["--port", "0", "--key-file", "key.txt", "--data", "data"];
    let published = home.path().join("data/service.json");
    let written = |when: &str| {
        let text = std::fs::read_to_string(&published).unwrap();
        assert!(text.contains("base_url") && !text.contains("given-"), "{when}: {text}");
        text.split("\"key\":\"").nth(1).unwrap().split('"').next().unwrap().to_owned()
    };
    let mut serve = Serve::start(&args, home.path());
    let own = written("while it serves");
    assert_eq!([&*own, "given-first", "given-second"].map(|key| serve.models(key)), ["200", "200", "200"]);
    assert_eq!(serve.end(Signal::TERM), Some(0));
    let mut said = String::new();
    serve.child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
    assert!(said.contains("warning") && said.contains("chmod 600 key.txt") && !said.contains("given-"), "{said}");
    written("after it stopped");
    mode(0o600);
    let mut serve = Serve::start(&args, home.path());
    assert_eq!((serve.models(&own), serve.models("given-first")), ("401".into(), "200".into()), "valid while served");
    assert_eq!(serve.end(Signal::TERM), Some(0));
    said.clear();
    serve.child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
    assert_eq!(said, "");
}

#[test]
fn the_request_log_has_a_line_for_each_request_and_nothing_of_what_was_asked() {
    let home = tempfile::tempdir().unwrap();
    let mut serve = Serve::start(&["--port", "0", "--key", "sk-the-key", "--log", "requests.log"], home.path());
    let body = r#"{"model":"gpt-3.5-turbo","max_tokens":5,"messages":[{"role":"user","content":"a private word"}]}"#;
    let get = |method: &str, path: &str, key: &str, body: &str| {
        let mut answer = String::new();
        serve.send(method, path, key, body).read_to_string(&mut answer).unwrap();
        answer
    };
    let answer = get("POST", "/v1/chat/completions", "sk-the-key", body);
    assert!(answer.contains("\"usage\""), "{answer}");
    get("POST", "/v1/chat/completions", "sk-the-key", &body.replacen('{', "{\"stream\":true,", 1));
    get("GET", "/v1/files?secret=value", "sk-the-key", "");
    get("GET", "/v1/models", "sk-wrong", "");
    get("GET", "/v1/models/sk-the-key", "sk-the-key", "");
    get("GET", "/v1/the-key", "sk-the-key", "");
    assert!(get("GET", "/health", "", "").contains("ok"));
    // A caller who goes away before the answer is there.
    let long = body.replace("\"max_tokens\":5", "\"n\":128,\"max_tokens\":4000");
    let leaves = serve.send("POST", "/v1/chat/completions", "sk-the-key", &long);
    let live = || get("GET", "/metrics", "sk-the-key", "").contains("answers_live 1");
    crate::until("the answer is being written", || live().then_some(()));
    drop(leaves);
    let path = home.path().join("requests.log");
    crate::until("the line", || std::fs::read_to_string(&path).ok().filter(|log| log.contains(" 499 ")));
    assert_eq!(serve.end(Signal::TERM), Some(0));
    let path = home.path().join("requests.log");
    let log = std::fs::read_to_string(&path).unwrap();
    let lines = log.lines().filter(|line| !line.contains(" GET /metrics 200 "));
    let words: Vec<Vec<&str>> = lines.map(|line| line.split(' ').collect()).collect();
    let told: Vec<String> = words.iter().map(|words| words[1..4].join(" ")).collect();
    assert_eq!(
        told,
        [
            "POST /v1/chat/completions 200",
            "POST /v1/chat/completions 200",
            "GET /v1/files 200",
            "GET /v1/models 401",
            "GET /v1/models/sk-**** 404",
            "GET other 404",
            "GET /health 200",
            "POST /v1/chat/completions 499"
        ]
    );
    for words in &words {
        assert!(words.len() == 6 && words[0].ends_with('Z') && words[4].parse::<u64>().is_ok(), "{log}");
    }
    let tokens =
        |words: &[&str]| words[5].split_once('+').map(|(a, b)| (a.parse::<u64>().unwrap(), b.parse::<u64>().unwrap()));
    for words in &words[..2] {
        assert!(tokens(words).is_some_and(|(prompt, written)| prompt > 5 && (1..=5).contains(&written)), "{log}");
    }
    assert_eq!(words[2][5], "-");
    for hidden in ["private", "secret", "value", "the-key"] {
        assert!(!log.contains(hidden), "{hidden}: {log}");
    }
    assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
}

#[test]
fn what_goes_wrong_inside_stands_in_the_log_that_the_error_names() {
    let home = tempfile::tempdir().unwrap();
    let serve = Serve::start(&["--port", "0", "--key", "k", "--data", "data"], home.path());
    let form = "--b\r\nContent-Disposition: form-data; name=\"purpose\"\r\n\r\nsearch\r\n--b\r\nContent-Disposition: \
                form-data; name=\"file\"; filename=\"a.jsonl\"\r\n\r\n{\"text\":\"a\"}\n\r\n--b--\r\n";
    let mut stream = TcpStream::connect(&serve.at).unwrap();
    stream.set_read_timeout(Some(LIMIT)).unwrap();
    let (at, length) = (&serve.at, form.len());
    write!(
        stream,
        "POST /v1/files HTTP/1.1\r\nhost: {at}\r\nauthorization: Bearer k\r\nconnection: close\r\ncontent-type: \
         multipart/form-data; boundary=b\r\ncontent-length: {length}\r\n\r\n{form}"
    )
    .unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    let id = answer.split("\"id\":\"").nth(1).unwrap_or_else(|| panic!("{answer}")).split('"').next().unwrap();
    std::fs::remove_file(home.path().join(format!("data/service/files/{id}.data"))).unwrap();
    let mut answer = String::new();
    serve.send("GET", &format!("/v1/files/{id}/content"), "k", "").read_to_string(&mut answer).unwrap();
    assert!(
        answer.starts_with("HTTP/1.1 500 ") && answer.contains("folder logs of benchtop's data directory"),
        "{answer}"
    );
    let mut logs: Vec<PathBuf> =
        std::fs::read_dir(home.path().join("data/logs")).unwrap().map(|file| file.unwrap().path()).collect();
    logs.retain(|path| path.file_name().unwrap().to_str().unwrap().starts_with("benchtop."));
    assert!(std::fs::read_to_string(&logs[0]).unwrap().contains("a stored file could not be read"), "{logs:?}");
}

#[test]
fn a_bad_data_directory_is_said_once() {
    let home = tempfile::tempdir().unwrap();
    std::fs::write(home.path().join("file"), "").unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_benchtop"));
    command.args(["serve", "--port", "0", "--data", "file/data"]).env("HOME", home.path()).current_dir(home.path());
    let refused = command.output().unwrap();
    let why = String::from_utf8(refused.stderr).unwrap();
    assert_eq!((refused.status.code(), why.matches("Not a directory").count()), (Some(2), 1), "{why}");
}
