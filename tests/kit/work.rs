//! What the work threads answer.

use std::sync::mpsc::channel;
use std::time::Duration;

use benchtop::api::call::Ticket;
use benchtop::record::work::{Done, Work};
use benchtop::work::Workers;

const LIMIT: Duration = Duration::from_secs(20);

/// Returns what the program's own threads answer.
pub fn worked(work: Work) -> Done {
    let (send, answers) = channel();
    let workers = Workers::spawn(move |_, done| send.send(done).unwrap_or_default());
    workers.send(Ticket(1), work);
    let mut answers = std::iter::repeat_with(|| answers.recv_timeout(LIMIT).expect("the work threads answer"));
    answers.find(|done| !matches!(done, Done::Moved { .. })).unwrap()
}

/// Returns what threads answer that write every file and find none.
pub fn without_files(work: Work) -> Done {
    match work {
        Work::Save { path, .. } | Work::Export { path, .. } => Done::Saved(path.into()),
        Work::Peek { .. } | Work::ReadTexts { .. } | Work::Import { .. } => {
            Done::Failed("there is no such file".into())
        }
        Work::Highlight { .. } => Done::Highlighted(Vec::new()),
        Work::Paths(_) => Done::Paths(Vec::new()),
        Work::Tokenize { .. } => Done::Tokens(None),
        Work::Spell { .. } => Done::Spelled(None),
        Work::Count { texts, .. } => Done::Counted(false, vec![1; texts.len()]),
        _ => Done::Failed("there is no such work here".into()),
    }
}
