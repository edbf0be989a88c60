//! What answers cost: by the server's prices, by what it says itself, and by tokens that are counted here where it is
//! silent.

use std::time::Duration;

use benchtop::api::call::{Progress, Reply, Ticket};
use benchtop::api::chat::ChatChunk;
use benchtop::api::usage::{PromptDetails, Usage};
use benchtop::component::Effect;
use benchtop::record::{Cost, LedgerRow, Record};
use benchtop::settings::{PriceRow, ProfileId};
use benchtop::tabs::Tab;
use benchtop::tokens::{Prices, Tariff, estimate};

use crate::desk::{Desk, chunk, part, records, turns};

/// Creates a desk with this model, whose profile has this server and these prices.
fn desk(url: &str, own: &[PriceRow], model: &str) -> Desk {
    let mut desk = Desk::new();
    let tariff = Tariff::new(url, own, &[]);
    desk.app.session.prices = Prices::new([(ProfileId("work".to_owned()), tariff)], jiff::civil::Date::default());
    desk.app.session.model = model.into();
    desk
}

fn own(input: i64, output: i64, cached: i64) -> PriceRow {
    let dollars = |price| price * 1_000_000_000;
    PriceRow {
        model: "*".to_owned(),
        origin: String::new(),
        input: dollars(input),
        output: Some(dollars(output)),
        cached: Some(dollars(cached)),
        since: None,
    }
}

/// Returns a chunk with this usage.
fn told(usage: Usage) -> Progress {
    Progress::Reply(Reply::ChatChunk(ChatChunk { usage: Some(usage), ..ChatChunk::default() }))
}

fn counted(prompt_tokens: u64, completion_tokens: u64) -> Usage {
    Usage { prompt_tokens, completion_tokens: Some(completion_tokens), ..Usage::default() }
}

/// Ends an answer: its row of the ledger.
fn end(desk: &mut Desk, ticket: Ticket) -> (LedgerRow, Vec<Effect>) {
    fn find(record: &Record) -> Option<&LedgerRow> {
        match record {
            Record::Ledger(row) => Some(row),
            Record::Batch(all) => all.iter().find_map(find),
            _ => None,
        }
    }
    desk.now += Duration::from_secs(1);
    let ended = desk.progress(ticket, Progress::Closed(Ok(())));
    let row = records(&ended).iter().find_map(|record| find(record)).expect("a row of the ledger").clone();
    (row, ended)
}

#[test]
fn a_models_name_alone_has_no_price() {
    for (url, said, kept) in [
        ("http://127.0.0.1:8000/v1", "free", Some(0)),
        ("https://models.example/v1", "—", None),
        ("https://api.openai.com/v1", "$0.0060", Some(6_000_000)),
    ] {
        let mut desk = desk(url, &[], "gpt-4");
        let ticket = desk.ask("hi");
        desk.progress(ticket, chunk("Hello"));
        desk.progress(ticket, told(counted(100, 50)));
        let (row, _) = end(&mut desk, ticket);
        assert_eq!(row.cost_nano, kept, "{url}");
        assert_eq!(desk.app.tab.meter().unwrap().cost, Cost::from(kept), "{url}");
        let picture = desk.view(120, 34);
        let title = picture.lines().find(|line| line.contains("▼50 tok")).expect("the answer's title");
        assert!(title.trim_end().ends_with(said), "{url}: {title}");
        desk.press("and then?");
        let rule = desk.view(120, 34).lines().find(|line| line.contains("Message")).unwrap_or_default().to_owned();
        let before = if said == "free" { " of 8,192, free" } else { " of 8,192 ≈ " };
        assert!(rule.contains(before), "{url}: {rule}");
        assert!(!desk.view(120, 34).contains("$0.00 "), "nothing unknown is none");
    }
}

#[test]
fn what_the_server_says_it_cost_goes_before_every_price() {
    for url in ["http://127.0.0.1:8000/v1", "https://models.example/v1", "https://api.openai.com/v1"] {
        let mut desk = desk(url, &[own(1, 1, 1)], "gpt-4");
        let ticket = desk.ask("hi");
        for index in 0..3 {
            desk.progress(ticket, part(index, "an answer of some words", ""));
        }
        desk.progress(ticket, told(Usage { cost_nano: Some(123_457), ..counted(100, 50) }));
        let (row, ended) = end(&mut desk, ticket);
        assert_eq!(row.cost_nano, Some(123_457), "{url}");
        let parts: Vec<i64> = turns(&ended).iter().map(|turn| turn.cost_nano.unwrap()).collect();
        assert_eq!((parts.len(), parts.iter().sum()), (3, 123_457), "{url}: {parts:?}");
        assert!(parts.iter().all(|part| (40_000..43_000).contains(part)), "equal texts, equal parts: {parts:?}");
    }
}

#[test]
fn a_profiles_prices_hold_and_cached_tokens_have_theirs() {
    let mut desk = desk("http://127.0.0.1:8000/v1", &[own(10, 20, 1)], "anything");
    let ticket = desk.ask("hi");
    desk.progress(ticket, chunk("Hello"));
    let details = PromptDetails { cached_tokens: 900 };
    desk.progress(ticket, told(Usage { prompt_tokens_details: Some(details), ..counted(1_000, 50) }));
    let (row, _) = end(&mut desk, ticket);
    assert_eq!(row.cost_nano, Some(100 * 10_000 + 900 * 1_000 + 50 * 20_000));
}

#[test]
fn without_a_count_of_the_servers_the_text_is_estimated_and_not_its_pieces() {
    let text = "The quick brown fox jumps over the lazy dog; afterwards it explains tokenization to everybody.";
    let letters: Vec<String> = text.chars().map(String::from).collect();
    for pieces in [letters, vec![text.to_owned()]] {
        let mut desk = desk("https://api.openai.com/v1", &[], "gpt-4");
        let ticket = desk.ask("hi");
        for piece in &pieces {
            desk.progress(ticket, chunk(piece));
        }
        let (row, _) = end(&mut desk, ticket);
        assert_eq!((row.completion_tokens, row.estimated), (estimate(text), true));
        let picture = desk.view(120, 34);
        assert!(picture.contains(&format!("~▼{} tok", estimate(text))), "{picture}");
    }
}

#[test]
fn counts_that_were_refused_are_estimated() {
    let mut desk = desk("https://api.openai.com/v1", &[], "gpt-4");
    let ticket = desk.ask("hello there, how are you?");
    desk.progress(ticket, chunk("Fine, thank you."));
    let usage = serde_json::from_str(r#"{"prompt_tokens": -3, "completion_tokens": 1e300}"#).unwrap();
    desk.progress(ticket, told(usage));
    let (row, _) = end(&mut desk, ticket);
    assert!(row.estimated && row.prompt_tokens > 3 && row.completion_tokens == estimate("Fine, thank you."), "{row:?}");
}

#[test]
fn a_count_beyond_all_measure_is_shared_out_between_the_choices() {
    let mut desk = Desk::new();
    let ticket = desk.ask("q");
    desk.progress(ticket, part(0, &"a".repeat(300), ""));
    desk.progress(ticket, part(1, &"b".repeat(100), ""));
    let most = 1 << 60;
    desk.progress(ticket, told(Usage { prompt_tokens: 7, completion_tokens: Some(most), ..Usage::default() }));
    let end = desk.progress(ticket, Progress::Closed(Ok(())));
    let shares: Vec<u64> = turns(&end).iter().map(|turn| turn.completion_tokens).collect();
    assert_eq!(shares, [most / 4 * 3, most / 4]);
}
