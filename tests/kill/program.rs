//! Kill -9 of the whole program while answers stream: what the screen called saved is in the store.
//!
//! The screen is read before the kill, never after it: what a terminal had not been given yet, nobody was promised.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant, SystemTime};

use crate::common::kept::kept;
use crate::common::server::Server;
use crate::common::{Bench, Setup};
use crate::words::Random;

/// Words of the longest answer: less than the screen holds.
const WORDS: u64 = 150;

/// Returns word `at` of answer `answer`; no two are equal, and none is broken between two rows.
fn word(answer: u64, at: u64) -> String {
    format!("a{answer:06}w{at:03}éß")
}

/// Returns the answer up to and including that word.
fn text(answer: u64, last: u64) -> String {
    (0..=last).map(|at| word(answer, at)).collect::<Vec<_>>().join(" ")
}

/// Returns what a screen with `saved ✓` promises: the last word of each visible answer, and the number of messages.
fn promised(screen: &str) -> Option<(BTreeMap<u64, u64>, usize)> {
    let (before, _) = screen.split_once(" messages · saved ✓")?;
    let messages = before.rsplit(' ').next()?.replace(',', "").parse().ok()?;
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

/// Answers every question with its words, so many microseconds apart.
fn answer_all(server: Server, pace: Arc<AtomicU64>, seed: u64) {
    let mut chance = Random(seed);
    while let Some(mut asked) = server.next() {
        let answer: u64 = asked.last().1.strip_prefix('q').unwrap().parse().unwrap();
        let (pace, words) = (pace.load(Ordering::SeqCst), 1 + chance.below(WORDS));
        // A thread for each, so that one whose reader was killed keeps nobody waiting.
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
}

/// What was asked, and what was shown as saved.
#[derive(Default)]
struct Seen {
    questions: u64,
    /// Answer → its last word.
    words: BTreeMap<u64, u64>,
    messages: usize,
    /// Screens that said `saved ✓` while an answer streamed.
    streaming: u64,
}

impl Seen {
    fn look(&mut self, screen: &str) {
        let Some((words, messages)) = promised(screen) else { return };
        self.streaming += u64::from(screen.contains("esc stop") && !words.is_empty());
        for (answer, last) in words {
            let kept = self.words.entry(answer).or_insert(last);
            *kept = last.max(*kept);
        }
        self.messages = messages.max(self.messages);
    }

    /// Asks one question after the other, for so long after the first and until an answer was shown as saved, and reads
    /// every screen.
    fn watch(&mut self, bench: &mut Bench, alive: Duration) {
        let mut end: Option<Instant> = None;
        loop {
            let screen = bench.text();
            if bench.whole_frame() {
                self.look(&screen);
            }
            if end.is_some_and(|end| Instant::now() >= end) && !self.words.is_empty() {
                return;
            }
            assert!(end.is_none_or(|end| end.elapsed() < Duration::from_mins(1)), "nothing shown as saved:\n{screen}");
            if screen.contains("esc stop") || (end.is_some() && !screen.contains("saved ✓")) {
                bench.pause(Duration::from_millis(5));
                continue;
            }
            self.questions += 1;
            let (prompt, first) = (format!("q{:06}", self.questions), word(self.questions, 0));
            bench.send(&prompt);
            bench.wait(&prompt);
            // So that Enter is not taken for a part of a paste.
            std::thread::sleep(Duration::from_millis(10));
            bench.send("\r");
            bench.until("the question is asked", |text| text.contains("esc stop") || text.contains(&first));
            end.get_or_insert_with(|| Instant::now() + alive);
        }
    }

    /// Compares with the store; fails with a sentence about the first loss.
    fn compare(&self, data: &Path) -> Result<(), String> {
        let all = kept(data);
        let turns: Vec<_> = all.iter().flat_map(|one| &one.turns).collect();
        if turns.len() < self.messages {
            return Err(format!("{} of {} messages", turns.len(), self.messages));
        }
        for (answer, last) in &self.words {
            let prompt = format!("q{answer:06}");
            let asked = turns.iter().find(|turn| turn.role == "user" && turn.content == *prompt);
            let asked = asked.ok_or_else(|| format!("{prompt} is lost"))?;
            let got = turns.iter().find(|turn| turn.role == "assistant" && turn.parent == Some(asked.id));
            let got = got.map_or("", |turn| turn.content.raw());
            let shown = text(*answer, *last);
            if !got.starts_with(&shown) || !text(*answer, WORDS).starts_with(got) {
                return Err(format!("answer {answer}: {} of {} bytes shown as saved", got.len(), shown.len()));
            }
        }
        Ok(())
    }
}

#[test]
fn what_the_screen_called_saved_survives_kill_9() {
    let kills: u64 = std::env::var("BENCHTOP_KILLS").ok().and_then(|n| n.parse().ok()).unwrap_or(5);
    let seed = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap().as_nanos() as u64 | 1;
    let mut random = Random(seed);
    let server = Server::start();
    let url = server.url.clone();
    let pace = Arc::new(AtomicU64::new(0));
    let paced = Arc::clone(&pace);
    std::thread::spawn(move || answer_all(server, paced, seed ^ 0x5555_5554));
    let (mut home, mut seen) = (tempfile::tempdir().unwrap(), Seen::default());
    for round in 0..kills {
        // The first answers come at once, so that something is shown as saved soon.
        let paces = if round == 0 { 1 } else { 5 };
        pace.store([0, 300, 3_000, 20_000, 250_000][random.below(paces) as usize], Ordering::SeqCst);
        let data = home.path().join("data");
        let args = ["--base-url", &url, "--model", "auto", "--data-dir", data.to_str().unwrap()];
        let mut bench = Bench::with(Setup { args: &args, home: Some(home), ..Setup::default() });
        bench.until("ready", |text| text.contains("▸ Message") && !text.contains("… loading"));
        seen.watch(&mut bench, Duration::from_micros(random.below(1_500_000)));
        // Kill -9.
        home = bench.into_home();
        if let Err(loss) = seen.compare(&data) {
            panic!("seed {seed}, round {round}: {loss}");
        }
    }
    println!(
        "{kills} kills of the program, {} questions, {} answers and {} messages shown as saved ({} screens while \
         streaming), nothing lost",
        seen.questions,
        seen.words.len(),
        seen.messages,
        seen.streaming
    );
}
