//! The command that a call is copied as, run by a real shell in which `curl` writes down what it was given.
#![cfg(unix)]

use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::Command;

use benchtop::api::call::Call;
use benchtop::api::chat::{ChatMessage, ChatRequest};
use benchtop::api::completion::{CompletionRequest, Prompt};
use benchtop::api::embedding::EmbeddingRequest;
use benchtop::api::moderation::{ModerationRequest, Texts};
use benchtop::client::curl;
use benchtop::settings::Endpoint;
use serde_json::{Value, json};

use crate::gather::{complete, completion};
use crate::server::KEY;

const NASTY: &str = "it's \"quoted\" $HOME `id` $(id) \\n \\\\ !! 'two' '' \n\r\n\ttab \u{1b}[0m \u{0} 日本🙂 % %s *?";

/// Runs a command with a stub for `curl`; returns its arguments and its standard input.
fn run(command: &str) -> (Vec<String>, String) {
    let folder = tempfile::tempdir().unwrap();
    let stub = folder.path().join("curl");
    let out = folder.path().join("out");
    let script = format!(
        "#!/bin/sh\nfor one in \"$@\"; do printf '%s\\0' \"$one\"; done > '{0}'\n\
         case \" $* \" in *' @- '*|*' @-') cat > '{0}.in';; esac\n",
        out.display()
    );
    std::fs::write(&stub, script).unwrap();
    std::fs::set_permissions(&stub, std::fs::Permissions::from_mode(0o700)).unwrap();
    let path = format!("{}:{}", folder.path().display(), std::env::var("PATH").unwrap());
    let file = folder.path().join("command");
    std::fs::write(&file, command).unwrap();
    let mut shell = Command::new("sh");
    shell
        .arg(&file)
        .env("PATH", path)
        .env("OPENAI_API_KEY", "sk-of-another-server")
        .env("BENCHTOP_KEY", KEY)
        .env("WORK_KEY", KEY)
        .env("HEADER_X_GATE", "open sesame")
        .env("QUERY_CODE", "a&b");
    assert!(shell.status().unwrap().success(), "{command}");
    let read = |path: &Path| String::from_utf8(std::fs::read(path).unwrap_or_default()).unwrap();
    let given = read(&out);
    let mut given: Vec<String> = given.split('\0').map(str::to_owned).collect();
    assert_eq!(given.pop().as_deref(), Some(""));
    (given, read(&folder.path().join("out.in")))
}

fn endpoint() -> Endpoint {
    Endpoint::new("http://127.0.0.1:9/v1", Some(KEY.to_owned().into()))
}

fn values<'a>(given: &'a [String], option: &str) -> Vec<&'a str> {
    given.windows(2).filter(|pair| pair[0] == option).map(|pair| pair[1].as_str()).collect()
}

#[test]
fn a_body_survives_the_shell_byte_for_byte() {
    let asked = CompletionRequest { stop: None, suffix: Some("'".into()), ..completion(NASTY, true) };
    let mut endpoint = endpoint();
    endpoint.extra_body.insert("min_p".into(), json!(0.5));
    endpoint.organization = Some("org-'1'".into());
    endpoint.headers =
        [("X-Gate".to_owned(), "open sesame".to_owned()), ("Authorization".into(), "Basic x".into())].into();
    let command = curl(&endpoint, &complete(asked.clone()));
    assert!(command.lines().count() > 4 && command.lines().all(|line| line.chars().all(|c| !c.is_control())));
    let (given, _) = run(&command);
    assert!(given.contains(&"http://127.0.0.1:9/v1/completions".to_owned()), "{given:?}");
    let headers = [
        &format!("Authorization: Bearer {KEY}"),
        "OpenAI-Organization: org-'1'",
        "X-Gate: open sesame",
        "Content-Type: application/json",
    ];
    assert_eq!(values(&given, "-H"), headers);
    let body = values(&given, "--data-binary")[0].to_owned();
    let mut expected = serde_json::to_value(&asked).unwrap();
    expected["min_p"] = json!(0.5);
    expected["stream_options"] = json!({"include_usage": true});
    assert_eq!(body, expected.to_string());
    assert_eq!(serde_json::from_str::<Value>(&body).unwrap()["prompt"], NASTY);
}

#[test]
fn a_long_body_goes_through_a_pipe() {
    let prompt = NASTY.repeat(3000);
    let (given, input) = run(&curl(&endpoint(), &complete(completion(&prompt, false))));
    assert_eq!(values(&given, "--data-binary"), ["@-"]);
    assert_eq!(serde_json::from_str::<Value>(&input).unwrap()["prompt"], prompt);
    assert!(!given.contains(&"--no-buffer".to_owned()));
}

#[test]
fn the_key_is_never_in_it_and_no_header_where_there_is_none() {
    let prompt = format!("my key is {KEY}, yes");
    let message = ChatMessage { role: "user".into(), content: prompt.clone().into(), ..ChatMessage::default() };
    let chat = ChatRequest { model: KEY.into(), messages: vec![message], ..ChatRequest::default() };
    let mut keyed = endpoint();
    keyed.organization = Some(KEY.into());
    keyed.headers = [("X-Gate".to_owned(), KEY.to_owned())].into();
    for call in [complete(completion(&prompt, true)), Call::Chat(Box::new(chat)), Call::Models] {
        let command = curl(&keyed, &call);
        assert!(!command.contains(KEY), "{command}");
        let (given, _) = run(&command);
        if let Some(body) = values(&given, "--data-binary").first() {
            assert!(body.contains(&prompt), "the shell puts it back: {body}");
        }
        let open = curl(&Endpoint::new("http://127.0.0.1:9/v1", None), &call);
        assert!(!open.contains("uthorization"), "{open}");
    }
}

#[test]
fn the_query_of_a_base_url_is_copied_and_its_secret_is_not() {
    let endpoint = Endpoint::new("http://127.0.0.1:9/x?api-version=2024-06-01&code=hidden-1", None);
    let command = curl(&endpoint, &Call::Models);
    assert!(!command.contains("hidden-1"), "{command}");
    let (given, _) = run(&command);
    assert_eq!(given[0], "http://127.0.0.1:9/x/models?api-version=2024-06-01&code=a&b");
}

#[test]
fn the_best_of_several_is_not_streamed_here_either() {
    let asked = CompletionRequest { best_of: Some(3), ..completion("p", true) };
    let (given, _) = run(&curl(&endpoint(), &complete(asked)));
    let body: Value = serde_json::from_str(values(&given, "--data-binary")[0]).unwrap();
    assert_eq!((&body["stream"], body.get("stream_options")), (&json!(false), None));
}

#[test]
fn moderations_and_embeddings_are_copied_as_they_are_sent() {
    let moderation = ModerationRequest { input: Texts::Many(vec![NASTY.into(), String::new()]), model: None };
    let embedding = EmbeddingRequest {
        model: "m".into(),
        input: Prompt::Texts(vec![NASTY.into()]),
        encoding_format: None,
        dimensions: Some(256),
        user: None,
    };
    let mut endpoint = endpoint();
    endpoint.extra_body.insert("temperature".into(), json!(0.5));
    endpoint.extra_body.insert("metadata".into(), json!("it's"));
    for (call, path, body) in [
        (Call::Moderate(Box::new(moderation)), "moderations", json!({"input": [NASTY, ""], "metadata": "it's"})),
        (
            Call::Embed(Box::new(embedding)),
            "embeddings",
            json!({"model": "m", "input": [NASTY], "dimensions": 256, "encoding_format": "base64", "metadata": "it's"}),
        ),
    ] {
        let (given, _) = run(&curl(&endpoint, &call));
        assert!(given.contains(&format!("http://127.0.0.1:9/v1/{path}")), "{given:?}");
        assert!(!given.contains(&"--no-buffer".to_owned()));
        let sent: Value = serde_json::from_str(values(&given, "--data-binary")[0]).unwrap();
        assert_eq!(sent, body);
    }
}

#[test]
fn no_secret_of_the_body_is_copied_however_it_is_written() {
    let secret = "a\"b\\c'd";
    let mut endpoint = endpoint();
    for (name, value) in [
        ("api_key", json!(secret)),
        ("inner", json!({"api_key": "first-secret"})),
        ("others", json!([{"api-key": "first-secret-and-more"}, {"token": "first-secret"}])),
    ] {
        endpoint.extra_body.insert(name.into(), value);
    }
    let command = curl(&endpoint, &complete(completion("p", false)));
    assert!(!command.contains("first-secret") && !command.contains("b\\\\c") && !command.contains(r"b\c"), "{command}");
    let rests = command.split("$BODY_").skip(1);
    let mut variables: Vec<&str> = rests.map(|rest| rest.split('"').next().unwrap()).collect();
    variables.sort_unstable();
    assert_eq!(variables, ["API_KEY", "API_KEY_2", "API_KEY_2", "API_KEY_3"]);
    // The shell puts the values back where they were.
    let script = format!(
        "export BODY_API_KEY='{}' BODY_API_KEY_2=first-secret BODY_API_KEY_3=first-secret-and-more\n{command}",
        secret.replace('\'', r"'\''")
    );
    let (given, _) = run(&script);
    let body: Value = serde_json::from_str(values(&given, "--data-binary")[0]).unwrap();
    assert_eq!((&body["api_key"], &body["inner"]["api_key"]), (&json!(secret), &json!("first-secret")));
    assert_eq!(body["others"], json!([{"api-key": "first-secret-and-more"}, {"token": "first-secret"}]));
}

#[test]
fn the_key_comes_from_its_own_variable() {
    for (variable, named) in
        [(None, "$BENCHTOP_KEY"), (Some("WORK_KEY"), "$WORK_KEY"), (Some("MY-$(id)"), "$BENCHTOP_KEY")]
    {
        let endpoint = Endpoint { key_variable: variable.map(str::to_owned), ..endpoint() };
        let command = curl(&endpoint, &Call::Models);
        assert!(command.contains(&format!("-H \"Authorization: Bearer {named}\"")), "{command}");
        let (given, _) = run(&command);
        assert_eq!(values(&given, "-H"), [format!("Authorization: Bearer {KEY}")]);
    }
}
