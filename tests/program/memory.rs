//! What a program that is open all day takes: memory, handles and threads after many answers.
//!
//! `BENCHTOP_ANSWERS=1000` makes it that many answers; a line after each hundred then says what they took.

use crate::common::server::Server;
use crate::common::{Bench, Setup};
use crate::until;

/// Answers without the variable.
const ANSWERS: usize = 60;
/// Answers in each of several conversations.
const PER_CONVERSATION: usize = 20;
/// What an answer may leave, KiB, on average. Measured: 120 to 200; more than 600 where all that was made to show it
/// stays.
const PER_ANSWER: usize = 320;

/// Returns an answer of 2,000 short tokens of Markdown.
fn answer(number: usize) -> Vec<String> {
    let section = |n: usize| {
        let words: String = (0..39).map(|word| format!("word{word} ")).collect::<Vec<_>>().concat();
        let items: String = (0..10).map(|item| format!("- item **{item}** then `code`\n")).collect::<Vec<_>>().concat();
        let code: String =
            (0..17).map(|line| format!("    let value{line} = {line} + 1; // sum\n")).collect::<Vec<_>>().concat();
        format!("## Section {number}.{n}\n\n{words}\n\n{items}\n```rust\nfn main() {{\n{code}}}\n```\n\n")
    };
    let text: String = (0..15).map(section).collect();
    text.as_bytes().chunks(8).map(|token| String::from_utf8(token.to_vec()).unwrap()).collect()
}

/// Returns a number of the process's status file.
fn status(bench: &Bench, name: &str) -> usize {
    let status = std::fs::read_to_string(format!("/proc/{}/status", bench.pid())).unwrap();
    let line = status.lines().find(|line| line.starts_with(name)).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

/// Returns the processor time so far, seconds; the system counts in hundredths.
fn processor(bench: &Bench) -> f64 {
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", bench.pid())).unwrap();
    let fields = stat.rsplit_once(") ").unwrap().1.split_whitespace().skip(11).take(2);
    fields.map(|ticks| ticks.parse::<f64>().unwrap() / 100.0).sum()
}

fn handles(bench: &Bench) -> usize {
    std::fs::read_dir(format!("/proc/{}/fd", bench.pid())).unwrap().count()
}

#[test]
#[cfg(target_os = "linux")]
fn an_answer_leaves_little_more_than_its_text() {
    let asked_for = std::env::var("BENCHTOP_ANSWERS").ok().and_then(|count| count.parse().ok());
    let answers: usize = asked_for.unwrap_or(ANSWERS);
    for spread in [1, answers.div_ceil(PER_CONVERSATION)] {
        let server = Server::start();
        let args = ["--base-url", &server.url, "--model", "auto"];
        let mut bench = Bench::with(Setup { args: &args, ..Setup::default() });
        bench.wait("▐1");
        let mut begin = (0, 0, 0);
        for number in 0..answers {
            if number > 0 && spread > 1 && number.is_multiple_of(PER_CONVERSATION) {
                bench.send("\x1b");
                bench.wait("i write");
                bench.send("n");
                bench.wait("New conversation");
            }
            bench.type_in(&format!("q{number}"));
            bench.send("\r");
            let mut asked = server.asked();
            asked.open();
            for token in answer(number) {
                asked.token(&token);
            }
            asked.token(&format!("\n\nEND{number}."));
            asked.finish();
            bench.until("the end of the answer", |text| {
                text.contains(&format!("END{number}.")) && text.contains("saved ✓") && !text.contains("esc stop")
            });
            // What the first ones need is needed once: connections, highlighting, the store's caches.
            if number == 9 {
                begin = (status(&bench, "VmRSS"), handles(&bench), status(&bench, "Threads"));
            }
            if asked_for.is_some() && (number + 1) % 100 == 0 {
                let (rss, threads) = (status(&bench, "VmRSS"), status(&bench, "Threads"));
                eprintln!(
                    "{spread}: {} answers, {rss} KiB, {} handles, {threads} threads, {:.2} s of processor time",
                    number + 1,
                    handles(&bench),
                    processor(&bench)
                );
            }
        }
        // Threads that have nothing to do end by themselves, and freed memory may be given back a little later.
        let most = begin.0 + (answers - 10) * PER_ANSWER;
        until("memory within its bound", || (status(&bench, "VmRSS") <= most).then_some(()));
        until("handles as before", || (handles(&bench) <= begin.1 + 2).then_some(()));
        until("threads as before", || (status(&bench, "Threads") <= begin.2 + 2).then_some(()));
    }
}
