//! Slow local work, off the screen's thread: highlighting, saving, tokens, files of texts, computations over vectors.
//!
//! Several lanes, so that a long block of code to colour or a long text to count never delays a save. A lane is a
//! thread that starts with its first work; after it was idle for a while it drops what it has loaded.

mod attach;
mod course;
mod curves;
mod differences;
mod digest;
mod examples;
mod export;
mod file_window;
mod folder;
mod highlight;
mod import;
mod numbers;
mod picture;
mod save;
mod texts;
mod tokens;
mod tool_command;
mod training;

use std::collections::HashMap;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::thread;
use std::time::Duration;

pub use self::attach::attachment;
use self::course::{Course, Replies};
pub use self::export::conversations::ConversationTexts;
use self::highlight::Painter;
pub use self::training::output_names;
use crate::api::call::Ticket;
use crate::record::work::{Done, Work};
use crate::text::Untrusted;

/// The work threads. They start with the first work; until then nothing is loaded. When this is dropped, they finish
/// what they were given.
pub struct Workers {
    replies: Replies,
    /// Thread for highlighting, differences of texts, and pictures.
    slow: Lane,
    /// Thread for saving.
    quick: Lane,
    /// Thread for tokens.
    tokens: Lane,
    /// Thread for files that are read.
    files: Lane,
    /// Thread for computations on vectors.
    numbers: Lane,
    /// Thread for folders and parts of files.
    windows: Lane,
    /// Thread for curves of large files.
    curves: Lane,
    /// Thread for hashes of files.
    hashes: Lane,
    /// Thread for training files.
    training: Lane,
    /// Thread for programs of tools.
    programs: Lane,
    /// The programs of tools that were started.
    started: Mutex<Vec<Course>>,
    /// Requests without an answer yet.
    open: Arc<Mutex<HashMap<Ticket, Course>>>,
}

/// The channel to a lane; `None` inside: its thread could not start.
type Lane = OnceLock<Option<Sender<(Course, Work)>>>;

impl Workers {
    /// Creates work threads that answer each ticket through `replies`, on threads of their own.
    pub fn spawn(replies: impl Fn(Ticket, Done) + Send + Sync + 'static) -> Self {
        Self {
            replies: Arc::new(replies),
            slow: Lane::new(),
            quick: Lane::new(),
            tokens: Lane::new(),
            files: Lane::new(),
            numbers: Lane::new(),
            windows: Lane::new(),
            curves: Lane::new(),
            hashes: Lane::new(),
            training: Lane::new(),
            programs: Lane::new(),
            started: Mutex::default(),
            open: Arc::default(),
        }
    }

    /// Queues work. Never waits.
    pub fn send(&self, ticket: Ticket, work: Work) {
        let (lane, name) = match work {
            Work::Highlight { .. } | Work::Differences { .. } | Work::Picture(_) => (&self.slow, "work-highlight"),
            Work::Save { .. } | Work::Export { .. } | Work::Paths(_) | Work::Read { .. } => (&self.quick, "work"),
            Work::Tokenize { .. } | Work::Spell { .. } | Work::Count { .. } => (&self.tokens, "work-tokens"),
            Work::Peek { .. }
            | Work::ReadTexts { .. }
            | Work::Examples(_)
            | Work::Attach { .. }
            | Work::Import { .. }
            | Work::Sheet { .. } => (&self.files, "work-files"),
            Work::Vectors(_) => (&self.numbers, "work-numbers"),
            Work::Folder { .. } | Work::File { .. } | Work::ReadWindow(_) => (&self.windows, "work-windows"),
            Work::Curves { .. } | Work::CurvesOf { .. } => (&self.curves, "work-curves"),
            Work::Hash { .. } => (&self.hashes, "work-hashes"),
            Work::Check(_) | Work::Prepare(_) => (&self.training, "work-training"),
            Work::Tool(_) => (&self.programs, "work-programs"),
        };
        let course = Course::new(ticket, Arc::clone(&self.replies));
        if matches!(work, Work::Tool(_)) {
            self.started.lock().unwrap_or_else(PoisonError::into_inner).push(course.clone());
        }
        self.open.lock().unwrap_or_else(PoisonError::into_inner).insert(ticket, course.clone());
        let lane = lane.get_or_init(|| {
            let (commands, waiting) = channel();
            let open = Arc::clone(&self.open);
            let thread = thread::Builder::new().name(name.to_owned()).spawn(move || run(&waiting, &open));
            thread.is_ok().then_some(commands)
        });
        if lane.as_ref().is_none_or(|commands| commands.send((course, work)).is_err()) {
            let why = "no thread could be started; quit some programs and try again";
            end(&self.open, ticket, Done::Failed(why.into()));
        }
    }

    /// Stops the programs of tools, and waits a moment for them to end.
    pub fn stop_programs(&self) {
        let started = std::mem::take(&mut *self.started.lock().unwrap_or_else(PoisonError::into_inner));
        if !started.is_empty() {
            started.iter().for_each(Course::stop);
            tool_command::await_none(Duration::from_secs(1));
        }
    }

    /// Cancels work, which ends at its next check. No further answer follows. Tickets of others are ignored.
    pub fn cancel(&self, ticket: Ticket) {
        if let Some(course) = self.open.lock().unwrap_or_else(PoisonError::into_inner).remove(&ticket) {
            course.stop();
        }
    }
}

/// Reports how work ended, unless it was cancelled.
fn end(open: &Mutex<HashMap<Ticket, Course>>, ticket: Ticket, done: Done) {
    let course = open.lock().unwrap_or_else(PoisonError::into_inner).remove(&ticket);
    if let Some(course) = course {
        course.say(done);
    }
}

impl fmt::Debug for Workers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Workers").finish_non_exhaustive()
    }
}

/// Runs a lane's thread.
fn run(waiting: &Receiver<(Course, Work)>, open: &Mutex<HashMap<Ticket, Course>>) {
    let mut painter = None;
    loop {
        let command = match &painter {
            None => waiting.recv().ok(),
            Some(_) => match waiting.recv_timeout(highlight::KEEP) {
                Ok(command) => Some(command),
                Err(std::sync::mpsc::RecvTimeoutError::Timeout) => {
                    painter = None;
                    continue;
                }
                Err(std::sync::mpsc::RecvTimeoutError::Disconnected) => None,
            },
        };
        let Some((course, work)) = command else { return };
        if course.is_stopped() {
            continue;
        }
        let done = guarded(|| perform(work, &mut painter, &course)).unwrap_or_else(|| {
            painter = None;
            Done::Failed("internal error in background work; please report it".into())
        });
        end(open, course.ticket(), done);
    }
}

/// Returns the result of `work`; `None`: it panicked.
fn guarded<T>(work: impl FnOnce() -> T) -> Option<T> {
    catch_unwind(AssertUnwindSafe(work)).ok()
}

fn perform(work: Work, painter: &mut Option<Painter>, course: &Course) -> Done {
    match work {
        // Not worth loading the syntaxes for.
        Work::Highlight { code, .. } if code.len() > highlight::MOST => Done::Highlighted(Vec::new()),
        Work::Highlight { language, code } => {
            Done::Highlighted(painter.get_or_insert_with(Painter::new).paint(language.raw(), code.raw()))
        }
        Work::Differences { texts, base } => {
            Done::Differences(differences::marks(&texts.iter().map(Untrusted::raw).collect::<Vec<_>>(), base))
        }
        Work::Tokenize { model, local, text } => tokens::cut(model.raw(), local, text.raw()),
        Work::Spell { model, local, ids } => tokens::spell(model.raw(), local, &ids),
        Work::Save { path, text } => match save::save(&path, text.raw()) {
            Ok(path) => Done::Saved(path.to_string_lossy().into_owned().into()),
            Err(why) => Done::Failed(why.into()),
        },
        Work::Count { model, local, texts } => tokens::count(model.raw(), local, &texts, course),
        Work::Tool(command) => tool_command::run(&command, course),
        Work::Paths(typed) => texts::paths(&typed),
        Work::Peek { path, form } => texts::peek(&path, form, course),
        Work::ReadTexts { path, columns } => texts::read(&path, columns, course),
        Work::Examples(source) => examples::read(&source),
        Work::Read { path } => texts::settings(&path),
        Work::Attach { path } => attach::read(&path),
        Work::Picture(url) => picture::decode(url.raw()),
        Work::Export { path, form, what } => export::export(&path, form, &what, course),
        Work::Import { path, reading } => import::import(&path, reading, course),
        Work::Vectors(sum) => numbers::sum(sum, course),
        Work::Folder { path } => folder::list(&path, course),
        Work::File { path } => folder::look_up(&path),
        Work::Hash { path } => digest::hash(&path, course),
        Work::ReadWindow(query) => file_window::read(&query, course),
        Work::Sheet { path } => training::sheet(&path, course),
        Work::Check(check) => training::check(&check, course),
        Work::Prepare(prepare) => training::prepare(&prepare, course),
        Work::Curves { path } => curves::read(&path, course),
        Work::CurvesOf { name, bytes } => curves::fetched(&name, &bytes, course),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_ticket_is_answered_once() {
        let home = tempfile::tempdir().unwrap();
        let (send, answers) = channel();
        let workers = Workers::spawn(move |ticket, done| send.send((ticket, done)).unwrap());
        let code = Untrusted::from("let x = 1;");
        for n in 0..3 {
            workers.send(Ticket(n), Work::Highlight { language: "rust".into(), code: code.clone() });
            let path = home.path().join(format!("{n}.rs")).to_string_lossy().into_owned();
            workers.send(Ticket(10 + n), Work::Save { path, text: code.clone() });
        }
        workers.send(Ticket(20), Work::Save { path: "/nowhere/at/all.md".to_owned(), text: code });
        drop(workers);
        let mut all = Vec::new();
        while let Ok(answer) = answers.recv_timeout(Duration::from_mins(1)) {
            all.push(answer);
        }
        all.sort_by_key(|(ticket, _)| *ticket);
        let tickets: Vec<u64> = all.iter().map(|(ticket, _)| ticket.0).collect();
        assert_eq!(tickets, [0, 1, 2, 10, 11, 12, 20]);
        assert!(matches!(&all[0].1, Done::Highlighted(tints) if !tints.is_empty()));
        assert!(matches!(&all[3].1, Done::Saved(path) if std::fs::read_to_string(path.raw()).unwrap() == "let x = 1;"));
        assert!(matches!(&all[6].1, Done::Failed(_)));
    }

    #[test]
    fn a_long_text_is_cut_beside_other_work() {
        let home = tempfile::tempdir().unwrap();
        let (send, answers) = channel();
        let workers = Workers::spawn(move |ticket, done| send.send((ticket, done)).unwrap());
        let text: String = (0..).map(|n| format!("Line {n} of it, naïve 日本.\n")).take(40_000).collect();
        assert!(text.len() > 1_000_000);
        let (model, text) = (Untrusted::from("text-davinci-003"), Untrusted::from(text));
        workers.send(Ticket(0), Work::Tokenize { model: model.clone(), local: false, text: text.clone() });
        workers.send(Ticket(1), Work::Spell { model, local: false, ids: vec![2647, 60_000] });
        let path = home.path().join("a.txt").to_string_lossy().into_owned();
        workers.send(Ticket(2), Work::Save { path, text: "a".into() });
        drop(workers);
        let mut all: Vec<_> = std::iter::from_fn(|| answers.recv_timeout(Duration::from_mins(1)).ok()).collect();
        all.sort_by_key(|(ticket, _)| *ticket);
        assert_eq!(all.len(), 3);
        let Done::Tokens(Some(tokens)) = &all[0].1 else { panic!("not cut") };
        assert_eq!((tokens.ids.len(), tokens.ends.last()), (tokens.ends.len(), Some(&text.len())));
        assert!(tokens.ends.is_sorted());
        assert_eq!(all[1].1, Done::Spelled(Some(vec![b" music".to_vec(), vec![]])));
        assert!(matches!(&all[2].1, Done::Saved(_)));
    }

    #[test]
    fn a_panic_is_caught() {
        assert_eq!(guarded(|| "".parse::<u8>().unwrap()), None);
        assert_eq!(guarded(|| 1), Some(1));
    }
}
