//! Answers of the work threads.

use std::sync::mpsc::channel;
use std::time::Duration;

use benchtop::api::call::Ticket;
use benchtop::record::work::{Done, Tokens, Work};
use benchtop::text::Untrusted;
use benchtop::tokens::{encoding, estimate};
use benchtop::work::Workers;

const LIMIT: Duration = Duration::from_mins(10);

/// Returns the answer of the program's own threads.
pub fn worked(work: Work) -> Done {
    let (send, answers) = channel();
    let workers = Workers::spawn(move |_, done| send.send(done).unwrap_or_default());
    workers.send(Ticket(1), work);
    let mut answers = std::iter::repeat_with(|| answers.recv_timeout(LIMIT).expect("the work threads answer"));
    answers.find(|done| !matches!(done, Done::Moved { .. })).unwrap()
}

/// Returns the answer of threads that write every file and find none.
pub fn without_files(work: Work) -> Done {
    match work {
        Work::Save { path, .. } | Work::Export { path, .. } => Done::Saved(path.into()),
        Work::Peek { .. } | Work::ReadTexts { .. } | Work::Import { .. } => {
            Done::Failed("there is no such file".into())
        }
        Work::Highlight { .. } => Done::Highlighted(Vec::new()),
        Work::Differences { .. } => worked(work),
        Work::Paths(_) => Done::Paths(Vec::new()),
        Work::Attach { .. } => Done::Attached(None),
        Work::Tokenize { .. } => Done::Tokens(None),
        Work::Spell { .. } => Done::Spelled(None),
        Work::Count { texts, .. } => Done::Counted(false, vec![1; texts.len()]),
        _ => Done::Failed("there is no such work here".into()),
    }
}

/// Returns the answer of threads that have the real vocabularies and no file.
pub fn token_work(work: Work) -> Done {
    match work {
        Work::Tokenize { model, local, text } => Done::Tokens(encoding(&model.line(), local).map(|encoding| {
            let ids = encoding.encode(text.raw());
            let ends = encoding.ends(&ids).unwrap();
            Tokens { vocabulary: encoding.name(), ids, ends }
        })),
        Work::Count { model, local, texts } => {
            let encoding = encoding(&model.line(), local);
            let count = |text: &Untrusted| encoding.map_or(0, |encoding| encoding.count(text.raw()) as u32);
            Done::Counted(encoding.is_some(), texts.iter().map(count).collect())
        }
        Work::Spell { model, local, ids } => {
            let spell = |id: &u32| encoding(&model.line(), local).unwrap().token(*id).unwrap_or_default();
            Done::Spelled(encoding(&model.line(), local).map(|_| ids.iter().map(spell).collect()))
        }
        other => without_files(other),
    }
}
