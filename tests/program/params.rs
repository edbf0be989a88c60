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
    drop(asked);
    // Complete begins with what it has of them, whether it takes the profile's model or the first of the list.
    bench.send("\x1b2");
    bench.wait("Settings");
    bench.type_in("Once upon a time");
    bench.send("\x12");
    let asked = server.asked();
    assert_eq!(sent(&asked.body), ["0.5", "64", "null", "null"], "{}", asked.body);
    assert_eq!(asked.body["logprobs"], 3);
}
