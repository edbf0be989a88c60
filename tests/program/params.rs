//! Parameter defaults of a profile's model: from the config file into the requests of Chat and Complete, and from the
//! panel into the config file.

use crate::common::server::Server;
use crate::common::{Bench, Setup};
use crate::{answer, until};

#[test]
fn defaults_of_a_model_are_sent_and_kept_from_the_panel() {
    let (server, home) = (Server::start(), tempfile::tempdir().unwrap());
    let config = format!(
        "profile = \"one\"\n[profiles.one]\nbase_url = \"{}\"\nmodel = \"m\"\n[profiles.one.models.m] # mine\n\
         temperature = 0.25 # careful\nmax_tokens = 64\ntop_k = 40\nlogprobs = 3\nn = 500\n\
         [profiles.one.models.auto]\ntemperature = 0.5\nmax_tokens = 64\ntop_k = 40\nlogprobs = 3\n",
        server.url
    );
    let file = home.path().join("config.toml");
    std::fs::write(&file, config).unwrap();
    let args = ["--config", file.to_str().unwrap()];
    let start = |home| {
        let mut bench = Bench::with(Setup { args: &args, home: Some(home), ..Setup::default() });
        bench.wait("● one");
        bench
    };
    let mut bench = start(home);
    bench.wait("line 10: models.m: n must be a whole");
    bench.type_in("Hello");
    bench.send("\r");
    let asked = server.asked();
    let sent =
        |body: &serde_json::Value| ["temperature", "max_tokens", "top_k", "n"].map(|name| body[name].to_string());
    assert_eq!(sent(&asked.body), ["0.25", "64", "40", "null"], "{}", asked.body);
    answer(&mut bench, asked, "Hi.");
    // Another temperature, kept from the panel.
    bench.send("\x14");
    bench.wait("Temperature");
    bench.send("\r");
    bench.send("\x15");
    bench.type_in("0.5");
    bench.send("\r");
    bench.send("D");
    bench.wait("defaults of m:");
    until("it is saved", || {
        let text = std::fs::read_to_string(&file).ok()?;
        (text.contains("temperature = 0.5 # careful\n") && text.contains("logprobs = 3\nn = 500\n")).then_some(())
    });
    bench.send("\x11");
    assert_eq!(bench.ended(), 0);
    let mut bench = start(bench.into_home());
    bench.send("\x1b");
    bench.wait("regenerate");
    bench.send("n");
    bench.wait_gone("2 messages");
    bench.type_in("Again");
    bench.send("\r");
    let asked = server.asked();
    assert_eq!(sent(&asked.body), ["0.5", "64", "40", "null"], "{}", asked.body);
    answer(&mut bench, asked, "Heard.");
    // Complete begins with what it has of them, whether it takes the profile's model or the first of the list.
    bench.send("\x1b2");
    bench.wait("Settings");
    bench.type_in("Once upon a time");
    bench.send("\x12");
    let asked = server.asked();
    assert_eq!(sent(&asked.body), ["0.5", "64", "null", "null"], "{}", asked.body);
    assert_eq!(asked.body["logprobs"], 3);
}

/// Returns what a request has of the parameters that the levels set.
fn levels(body: &serde_json::Value) -> [String; 5] {
    ["temperature", "top_p", "max_tokens", "max_completion_tokens", "seed"].map(|name| body[name].to_string())
}

/// Asks in a conversation of its own; returns what its request has.
fn in_new_conversation(bench: &mut Bench, server: &Server, prompt: &str, shown: &str) -> [String; 5] {
    bench.send("\x1b");
    bench.wait("regenerate");
    bench.send("n");
    bench.wait_gone(shown);
    ask(bench, server, prompt)
}

/// Asks, and gets an answer; returns what the request has.
fn ask(bench: &mut Bench, server: &Server, prompt: &str) -> [String; 5] {
    bench.type_in(prompt);
    bench.send("\r");
    let asked = server.asked();
    let sent = levels(&asked.body);
    answer(bench, asked, &format!("heard {prompt}"));
    sent
}

#[test]
fn the_conversations_parameters_precede_the_models_and_these_the_profiles() {
    let (server, home) = (Server::start(), tempfile::tempdir().unwrap());
    let config = format!(
        "profile = \"one\"\n[profiles.one]\nbase_url = \"{url}\"\nmodel = \"m\"\n\
         [profiles.one.extra_body]\ntemperature = 0.1\ntop_p = 0.1\nmax_tokens = 10\nseed = 1\n\
         [profiles.one.models.m]\ntemperature = 0.25\nmax_tokens = 64\n\
         [profiles.two]\nbase_url = \"{url}\"\nmodel = \"m\"\n[profiles.two.extra_body]\nmax_tokens = 10\n\
         [profiles.two.models.m]\nmax_completion_tokens = 7\n",
        url = server.url
    );
    let mut bench = crate::configured(home, &config, &[]);
    // The model's before the profile's, which has the rest.
    assert_eq!(ask(&mut bench, &server, "first"), ["0.25", "0.1", "64", "null", "1"]);
    // The conversation's before the model's, for as long as it lasts.
    bench.send("\x14");
    bench.wait("Temperature");
    bench.send("\r\x15");
    bench.type_in("0.5");
    bench.send("\r");
    bench.wait_gone("esc leave field");
    bench.send("\x1b");
    bench.wait_gone("Top p");
    assert_eq!(ask(&mut bench, &server, "second"), ["0.5", "0.1", "64", "null", "1"]);
    assert_eq!(in_new_conversation(&mut bench, &server, "third", "heard second"), ["0.25", "0.1", "64", "null", "1"]);
    // A model without defaults has the profile's alone.
    bench.send("\x10");
    bench.wait("Commands");
    bench.type_in("model: choose");
    bench.send("\r");
    bench.wait("auto");
    bench.type_in("auto");
    bench.send("\r");
    bench.wait("● one · auto");
    assert_eq!(in_new_conversation(&mut bench, &server, "fourth", "heard third"), ["0.1", "0.1", "10", "null", "1"]);
    // Another profile has its own; a limit replaces one under the other name.
    bench.send("\x1b[24~");
    bench.wait("two is in use");
    assert_eq!(
        in_new_conversation(&mut bench, &server, "fifth", "heard fourth"),
        ["null", "null", "null", "7", "null"]
    );
}
