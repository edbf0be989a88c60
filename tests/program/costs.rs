//! What the program says things cost: the same model by a name that is in the built-in table, on servers of this
//! machine.

use std::path::Path;

use crate::common::server::Server;
use crate::common::{Bench, Setup};

/// Asks once, with a config file and a `prices.toml`, and gets an answer of 1,000 and 500 tokens that says this, too.
fn asked(config: &str, prices: &str, usage: &str) -> Bench {
    let server = Server::start();
    let home = tempfile::tempdir().unwrap();
    let dir = home.path().join(".config/benchtop");
    std::fs::create_dir_all(&dir).unwrap();
    let profile = format!("profile = \"one\"\n[profiles.one]\nbase_url = \"{}\"\nmodel = \"gpt-4\"\n", server.url);
    std::fs::write(dir.join("config.toml"), format!("{profile}{config}")).unwrap();
    if !prices.is_empty() {
        let origin = server.url.trim_end_matches("/v1");
        std::fs::write(dir.join("prices.toml"), prices.replace("ORIGIN", origin)).unwrap();
    }
    let mut bench = Bench::with(Setup { home: Some(home), ..Setup::default() });
    bench.wait("● one · gpt-4");
    bench.type_in("What is it?");
    bench.send("\r");
    let mut asked = server.asked();
    asked.open();
    asked.token("An answer.");
    asked.finish_with(&format!("{{\"prompt_tokens\":1000,\"completion_tokens\":500{usage}}}"));
    bench.until("saved ✓", |text| text.contains("2 messages · saved ✓") && !text.contains("esc stop"));
    bench
}

#[test]
fn a_server_of_this_machine_is_free_unless_somebody_says_otherwise() {
    let row = "[[price]]\nmodel = \"gpt-4*\"\norigin = \"ORIGIN\"\ninput = 2.5\noutput = 10\nsince = 2020-01-01\n";
    let own = "[profiles.one.prices.\"gpt-4\"]\ninput = 1\noutput = 2\n";
    for (config, prices, usage, said) in [
        ("", String::new(), "", "sent 1,000   received 500   today free"),
        ("", row.to_owned(), "", "sent 1,000   received 500   $0.0075   today $0.0075"),
        ("", row.replace("2020", "9999"), "", "sent 1,000   received 500   today free"),
        ("", row.replace("ORIGIN", "https://api.openai.com"), "", "sent 1,000   received 500   today free"),
        (own, row.to_owned(), "", "sent 1,000   received 500   $0.0020   today $0.0020"),
        (own, row.to_owned(), ",\"cost\":0.125", "sent 1,000   received 500   $0.1250   today $0.12"),
    ] {
        let mut bench = asked(config, &prices, usage);
        bench.until(said, |text| text.contains(said));
    }
}

#[test]
fn that_a_server_says_what_answers_cost_is_known_after_a_restart() {
    for (usage, is_said) in [(",\"cost\":0.125", true), ("", false)] {
        let mut bench = asked("", "", usage);
        bench.send("\x11");
        assert_eq!(bench.ended(), 0);
        let mut bench = Bench::with(Setup { home: Some(bench.into_home()), ..Setup::default() });
        bench.wait("An answer.");
        bench.send("\x10");
        bench.wait("Commands");
        bench.type_in("server: what");
        bench.send("\r");
        // The answer also shows that the endpoint exists, so the list is not empty.
        let shown = bench.wait("Set a field to be left out");
        assert!(shown.contains("/chat/completions"), "{shown}");
        assert_eq!(shown.contains("cost in answers"), is_said, "{shown}");
    }
}

#[test]
fn a_broken_price_file_is_named_and_the_program_starts() {
    let mut bench = asked("", "[[price]]\nmodel = \"gpt-4\"\norigin = \"ORIGIN\"\ninput = \"much\"\n", "");
    bench.send("\x10");
    bench.type_in("messages");
    bench.send("\r");
    bench.wait("prices.toml, line 4: input must be dollars per million");
}

#[test]
fn a_price_file_that_is_a_pipe_does_not_hold_the_start() {
    let home = tempfile::tempdir().unwrap();
    let dir = home.path().join(".config/benchtop");
    std::fs::create_dir_all(&dir).unwrap();
    let pipe = dir.join("prices.toml");
    make_pipe(&pipe);
    let mut bench = Bench::with(Setup { home: Some(home), ..Setup::default() });
    bench.wait("it is not a regular file; its prices are ignored");
}

fn make_pipe(path: &Path) {
    let made = std::process::Command::new("mkfifo").arg(path).status().unwrap();
    assert!(made.success());
}
