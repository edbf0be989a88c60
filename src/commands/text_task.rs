//! The loop of commands over texts: reads texts as there is room for them, prints results in the order of the texts.

use std::time::{Duration, Instant};

use super::texts::Texts;
use super::{Output, Status, Task};
use crate::api::call::{Failure, Ticket};
use crate::component::{Cx, Response};
use crate::tabs::batch::{TextResult, TextRun, TextRunUpdate, UnwatchedState};
use crate::ui::meter::count;
use crate::ui::progress::{Rate, Unit, left_in_words, per_second};

/// Time between two lines of progress.
const OFTEN: Duration = Duration::from_millis(200);

/// What a command does with results.
pub(super) trait Printer<R: TextRun> {
    /// Prints a result, or notes that a text has none. Why it has none is told already.
    fn print(&mut self, result: &TextResult<R::Outcome>, run: &R, out: &mut Output);

    /// Ends, after the last result. Returns what the results mean; `None`: a work thread's answer is waited for.
    fn end(&mut self, run: &R, cx: &mut Cx, out: &mut Output) -> Option<Status>;

    /// Takes a work thread's answer. Returns what it means; `None`: it is to somebody else.
    fn handle(&mut self, _ticket: Ticket, _response: &Response, _out: &mut Output) -> Option<Status> {
        None
    }
}

/// A command over texts.
#[derive(Debug)]
pub(super) struct TextTask<R, P> {
    run: R,
    printer: P,
    texts: Texts,
    /// Whether all texts were read.
    has_all: bool,
    /// Texts that were given to the run.
    added: u64,
    /// Those that have a result, or were told to have none.
    done: u64,
    progress: TextProgress,
    /// Why a request was last said to be sent again.
    said: Option<String>,
    /// How it ends, whatever the results mean.
    fault: Option<Status>,
    /// Whether the last result was printed.
    has_ended: bool,
    status: Option<Status>,
}

impl<R: TextRun, P: Printer<R>> TextTask<R, P> {
    /// Creates a command that has not begun.
    pub(super) fn new(run: R, printer: P, texts: Texts) -> Self {
        Self {
            run,
            printer,
            texts,
            has_all: false,
            added: 0,
            done: 0,
            progress: TextProgress::default(),
            said: None,
            fault: None,
            has_ended: false,
            status: None,
        }
    }

    /// Reads and sends texts as there is room for them, and prints what has come.
    fn advance(&mut self, cx: &mut Cx, out: &mut Output) {
        if self.has_ended {
            return;
        }
        loop {
            self.read(out);
            self.run.send(cx);
            if !self.print(out) {
                break;
            }
        }
        self.progress.show(self.done, self.texts.total(), cx.now, out);
        match self.run.state(cx.now) {
            UnwatchedState::Running => {}
            UnwatchedState::Waits { why, until } => {
                let wait = left_in_words(until.saturating_duration_since(cx.now));
                out.notice(format!("{}; sent again in {wait}", why.line()));
            }
            UnwatchedState::GivesUp(why) => return self.give_up(&why, cx, out),
        }
        if self.has_all && self.run.is_empty() {
            self.end(cx, out);
        }
    }

    /// Adds texts to the run while it has room.
    fn read(&mut self, out: &mut Output) {
        while !self.has_all && self.run.has_room() {
            match self.texts.next_text() {
                Ok(Some(text)) => {
                    self.added += 1;
                    self.run.push(text);
                }
                Ok(None) => self.has_all = true,
                Err(why) => {
                    out.notice(why);
                    self.fault = Some(Status::Usage);
                    self.has_all = true;
                }
            }
        }
    }

    /// Prints the results that are next. Returns whether there was one.
    fn print(&mut self, out: &mut Output) -> bool {
        let before = self.done;
        while let Some(result) = self.run.take() {
            self.print_result(&result, out);
        }
        self.done > before
    }

    /// Prints the results that are left once the run has ended, also those of texts after one that has none.
    fn print_late(&mut self, out: &mut Output) {
        while let Some(result) = self.run.take_late() {
            self.print_result(&result, out);
        }
    }

    /// Prints a result, or says why a text has none.
    fn print_result(&mut self, result: &TextResult<R::Outcome>, out: &mut Output) {
        self.done += 1;
        if let Err(why) = &result.result {
            // One text alone needs no index.
            let place =
                if self.has_all && self.added == 1 { String::new() } else { format!("index {}: ", result.index) };
            out.notice(format!("{place}{}", why.line()));
        } else {
            self.said = None;
        }
        self.printer.print(result, &self.run, out);
    }

    /// Ends before the last text.
    fn give_up(&mut self, why: &Failure, cx: &mut Cx, out: &mut Output) {
        let ended = self.end_early(cx, out);
        let sentence = why.sentence.line();
        out.notice(if self.done == 0 { sentence.into_owned() } else { format!("{ended}: {sentence}") });
        self.status = Some(Status::of_failure(why));
    }

    /// Stops the run and prints what came. Returns how many texts have no result, and which is the first of them.
    fn end_early(&mut self, cx: &mut Cx, out: &mut Output) -> String {
        self.run.stop(cx);
        self.has_ended = true;
        let first = self.done;
        self.print_late(out);
        // A file that was not read to its end may have rows without a text.
        let all = if self.has_all { Some(self.added) } else { self.texts.total() };
        let missing = match all.map(|all| all.saturating_sub(self.done)) {
            None => format!(", index {first} is the first without a result"),
            Some(0) => String::new(),
            Some(1) => format!(", index {first} has no result"),
            Some(missing) => format!(", {} have no result, the first is index {first}", count(missing)),
        };
        format!("stopped after {}{missing}", in_words(self.done))
    }

    /// Ends after the last text.
    fn end(&mut self, cx: &mut Cx, out: &mut Output) {
        self.run.stop(cx);
        self.has_ended = true;
        for words in self.texts.left_out() {
            out.notice(words);
        }
        let failed = self.run.text_failure().map(Status::of_failure);
        self.fault = self.fault.or(failed).or(self.texts.is_faulty().then_some(Status::Usage));
        if self.done == 0 {
            out.notice("there is no text");
            self.fault.get_or_insert(Status::Usage);
        }
        let ended = self.printer.end(&self.run, cx, out);
        self.status = ended.map(|status| self.fault.unwrap_or(status));
    }
}

impl<R: TextRun, P: Printer<R>> Task for TextTask<R, P> {
    fn start(&mut self, cx: &mut Cx, _out: &mut Output) {
        self.run.start(cx);
    }

    fn reply(&mut self, ticket: Ticket, response: Response, cx: &mut Cx, out: &mut Output) {
        if let Some(status) = self.printer.handle(ticket, &response, out) {
            self.status = Some(self.fault.unwrap_or(status));
            return;
        }
        if self.has_ended {
            return;
        }
        match self.run.handle(ticket, response, cx) {
            TextRunUpdate::Nothing => {}
            TextRunUpdate::Retrying(why) => {
                let cause = Some(why.cause());
                if self.said != cause {
                    out.retrying(&why);
                    self.said = cause;
                }
            }
            TextRunUpdate::Told(words) => out.notice(words),
            TextRunUpdate::NoModel => {
                out.notice("the server lists no model for this: name one with --model");
                (self.has_ended, self.status) = (true, Some(Status::Usage));
            }
            TextRunUpdate::NotStarted(why) => self.give_up(&why, cx, out),
        }
        self.advance(cx, out);
    }

    fn due(&self, now: Instant) -> Option<Instant> {
        self.run.due(now).filter(|_| !self.has_ended)
    }

    fn tick(&mut self, cx: &mut Cx, out: &mut Output) {
        self.advance(cx, out);
    }

    fn interrupt(&mut self, cx: &mut Cx, out: &mut Output) {
        if out.is_closed() {
            self.run.stop(cx);
            self.has_ended = true;
        } else {
            let ended = self.end_early(cx, out);
            out.notice(ended);
        }
        self.status = Some(Status::Done);
    }

    fn status(&self) -> Option<Status> {
        self.status
    }
}

fn in_words(texts: u64) -> String {
    if texts == 1 { "1 text".to_owned() } else { format!("{} texts", count(texts)) }
}

/// How far a command is, on one line: `4,310 of 10,000 texts · 112/s · 51 s left`.
#[derive(Debug, Default)]
struct TextProgress {
    rate: Rate,
    shown: Option<Instant>,
}

impl TextProgress {
    /// Shows it some times a second.
    fn show(&mut self, done: u64, total: Option<u64>, now: Instant, out: &mut Output) {
        self.rate.feed(now, done);
        // Not at once: most runs are shorter.
        if now.saturating_duration_since(*self.shown.get_or_insert(now)) < OFTEN {
            return;
        }
        self.shown = Some(now);
        let of = total.map(|total| format!(" of {}", count(total))).unwrap_or_default();
        let rate = self.rate.per_second(now).map(|rate| per_second(rate, Unit::Count("texts")));
        let left = total.and_then(|total| self.rate.left(now, total.saturating_sub(done)));
        let left = left.map(|left| format!("{} left", left_in_words(left)));
        let words = [Some(format!("{}{of} texts", count(done))), rate, left];
        out.progress(words.into_iter().flatten().collect::<Vec<_>>().join(" · "));
    }
}
