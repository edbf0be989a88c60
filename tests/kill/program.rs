//! Kill -9 of the whole program while answers stream: what the screen called saved is in the store.
//!
//! The screen is read before the kill, never after it: what a terminal had not been given yet, nobody was promised.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant, SystemTime};

use crate::common::kept::kept;
use crate::common::server::Server;
use crate::common::{Bench, Setup};
use crate::words::Random;

/// Words of the longest answer: less than the screen holds.
const WORDS: u64 = 150;

/// Word `at` of answer `answer`; no two are the same, and none is broken between two rows.
fn word(answer: u64, at: u64) -> String {
    format!("a{answer:06}w{at:03}éß")
}

/// The answer up to and with that word.
fn text(answer: u64, last: u64) -> String {
    (0..=last).map(|at| word(answer, at)).collect::<Vec<_>>().join(" ")
}

/// What a screen promises: the last word of each answer it shows, if it says `saved ✓`; and how many messages.
fn promised(screen: &str) -> Option<(BTreeMap<u64, u64>, usize)> {
    let (before, _) = screen.split_once(" messages · saved ✓")?;
    let messages = before.rsplit(' ').next()?.parse().ok()?;
    let mut shown = BTreeMap::new();
    for found in screen.split(|c: char| c.is_whitespace() || c == '▍') {
        let Some((answer, at)) = found.strip_prefix('a').and_then(|rest| rest.strip_suffix("éß")?.split_once('w'))
        else {
            continue;
        };
        if let (Ok(answer), Ok(at)) = (answer.parse(), at.parse::<u64>()) {
            let last = shown.entry(answer).or_insert(at);
            *last = at.max(*last);
        }
    }
    Some((shown, messages))
}

#[test]
fn what_the_screen_called_saved_survives_kill_9() {
    let kills: u64 = std::env::var("BENCHTOP_KILLS").ok().and_then(|n| n.parse().ok()).unwrap_or(5);
    let seed = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap().as_nanos() as u64 | 1;
    let mut random = Random(seed);
    let server = Server::start();
    let url = server.url.clone();
    // Microseconds between two words; changes from round to round.
    let pace = Arc::new(AtomicU64::new(0));
    let paced = Arc::clone(&pace);
    std::thread::spawn(move || {
        let mut chance = Random(seed ^ 0x5555_5555);
        while let Some(mut asked) = server.next() {
            let answer: u64 = asked.last().1.strip_prefix('q').unwrap().parse().unwrap();
            let (pace, words) = (paced.load(Ordering::SeqCst), 1 + chance.below(WORDS));
            // A stream for each, so that one whose reader was killed keeps nobody waiting.
            std::thread::spawn(move || {
                asked.open();
                for at in 0..words {
                    let space = if at == 0 { "" } else { " " };
                    if !asked.token(&format!("{space}{}", word(answer, at))) {
                        return;
                    }
                    std::thread::sleep(Duration::from_micros(pace));
                }
                asked.finish();
            });
        }
    });
    let (mut home, mut answer) = (tempfile::tempdir().unwrap(), 0);
    let (mut saved, mut most, mut streaming) = (BTreeMap::new(), 0, 0);
    for round in 0..kills {
        pace.store([0, 300, 3_000, 20_000, 250_000][random.below(5) as usize], Ordering::SeqCst);
        let alive = Duration::from_micros(random.below(1_500_000));
        let dir = home.path().join("data");
        let args = ["--base-url", &url, "--model", "auto", "--data-dir", dir.to_str().unwrap()];
        let mut bench = Bench::with(Setup { args: &args, home: Some(home), ..Setup::default() });
        bench.until("ready", |text| text.contains("▸ Message") && !text.contains("… loading"));
        let mut end = None;
        loop {
            let screen = bench.text();
            if bench.whole_frame()
                && let Some((shown, messages)) = promised(&screen)
            {
                streaming += u64::from(screen.contains("esc stop") && !shown.is_empty());
                for (answer, last) in shown {
                    let kept = saved.entry(answer).or_insert(last);
                    *kept = last.max(*kept);
                }
                most = messages.max(most);
            }
            if end.is_some_and(|end| Instant::now() >= end) {
                break;
            }
            if screen.contains("esc stop") || (end.is_some() && !screen.contains("saved ✓")) {
                bench.pause(Duration::from_millis(5));
            } else {
                answer += 1;
                bench.send(&format!("q{answer:06}"));
                bench.wait(&format!("q{answer:06}"));
                // So that Enter is not taken for a part of a paste.
                std::thread::sleep(Duration::from_millis(10));
                bench.send("\r");
                let first = word(answer, 0);
                bench.until("the question is asked", |text| text.contains("esc stop") || text.contains(&first));
                end.get_or_insert_with(|| Instant::now() + alive);
            }
        }
        // Kill -9.
        home = bench.into_home();
        let all = kept(&dir);
        let turns: Vec<_> = all.iter().flat_map(|one| &one.turns).collect();
        assert!(turns.len() >= most, "seed {seed}, round {round}: {} of {most} messages", turns.len());
        for (answer, last) in &saved {
            let prompt = format!("q{answer:06}");
            let asked = turns.iter().find(|turn| turn.role == "user" && turn.content == prompt);
            let asked = asked.unwrap_or_else(|| panic!("seed {seed}, round {round}: {prompt} is lost"));
            let got = turns.iter().find(|turn| turn.role == "assistant" && turn.parent == Some(asked.id));
            let got = got.map_or("", |turn| turn.content.as_str());
            let shown = text(*answer, *last);
            assert!(
                got.starts_with(&shown) && text(*answer, WORDS).starts_with(got),
                "seed {seed}, round {round}, answer {answer}: {} of {} bytes that were shown as saved",
                got.len(),
                shown.len()
            );
        }
    }
    assert!(kills < 5 || !saved.is_empty(), "seed {seed}: nothing was ever shown as saved");
    println!(
        "{kills} kills of the program, {answer} questions, {} answers and {most} messages shown as saved ({streaming} \
         screens while streaming), nothing lost",
        saved.len()
    );
}
