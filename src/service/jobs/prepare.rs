//! Reads a job's examples and refuses what cannot be trained: malformed rows, examples that are too long, training and
//! validation data that overlap, classes that are not those of the job.
//!
//! They are read when the job is created, for its price and for early errors, and again when it runs: nothing of them
//! is in memory while the job waits.

use std::collections::{HashMap, HashSet};
use std::io::BufReader;

use super::job::{Classes, Spec};
use crate::dataset::{self, LineLimits, Role, Row};
use crate::engine::language::Model;
use crate::engine::language::tuning::{Example, chat_example};
use crate::service::state::State;

/// Bytes of a training file: what training holds in memory at once.
const BYTES: u64 = 32 << 20;
/// Rows of it.
const ROWS: usize = 250_000;
/// Tokens of an example.
const TOKENS: u64 = 2048;
/// Rows after which reading checks whether it is still wanted.
const CHECK_INTERVAL: usize = 256;

/// A job's training and validation examples.
#[derive(Debug)]
pub(super) struct Datasets {
    pub(super) training: Vec<Example>,
    pub(super) validation: Vec<Example>,
    /// Tokens of the training examples, once.
    pub(super) tokens: u64,
}

/// Why there are no examples.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum DatasetError {
    /// The job was cancelled, or the service stops.
    Cancelled,
    /// A problem, as a sentence for the job's owner.
    Invalid(String),
}

/// A file's examples with the lines they stand in.
struct FileExamples {
    examples: Vec<Example>,
    lines: Vec<usize>,
    tokens: u64,
}

/// Reads a job's files, for as long as `wanted` returns true; `model` counts tokens. Fails if a file is missing, a row
/// cannot be trained, or the files do not match the job.
pub(super) fn datasets(
    state: &State,
    spec: &Spec,
    model: &Model,
    wanted: &dyn Fn() -> bool,
) -> Result<Datasets, DatasetError> {
    let training = read(state, &spec.training.id, model, wanted)?;
    let validation = match &spec.validation {
        None => FileExamples { examples: Vec::new(), lines: Vec::new(), tokens: 0 },
        Some(file) => {
            let validation = read(state, &file.id, model, wanted)?;
            check_disjoint(spec, &file.id, &training, &validation)?;
            validation
        }
    };
    check_classes(spec, &training, &validation)?;
    Ok(Datasets { tokens: training.tokens, training: training.examples, validation: validation.examples })
}

/// Creates a refusal that names the file.
fn file_error(file: &str, what: &str) -> DatasetError {
    DatasetError::Invalid(format!("Error with {file}: {what}"))
}

fn read(state: &State, id: &str, model: &Model, wanted: &dyn Fn() -> bool) -> Result<FileExamples, DatasetError> {
    let file = state.files().read(id).map_err(|why| file_error(id, &format!("the file cannot be read: {why}")))?;
    let limits = LineLimits { rows: ROWS, bytes: BYTES, ..LineLimits::default() };
    let mut found = FileExamples { examples: Vec::new(), lines: Vec::new(), tokens: 0 };
    let (mut longest, mut long) = ((0, 0), 0);
    for (at, row) in dataset::examples(BufReader::with_capacity(1 << 16, file), limits).enumerate() {
        if at % CHECK_INTERVAL == 0 && !wanted() {
            return Err(DatasetError::Cancelled);
        }
        let row = row.map_err(|problem| file_error(id, &problem.sentence()))?;
        for example in examples(row.row) {
            let tokens = model.count(&example.prompt) + model.count(&example.completion);
            long += usize::from(tokens > TOKENS);
            if tokens > longest.1 {
                longest = (row.line, tokens);
            }
            found.tokens += tokens;
            found.examples.push(example);
            found.lines.push(row.line);
        }
    }
    if 2 * long > found.examples.len() {
        return Err(DatasetError::Invalid(format!(
            "Error: The majority of examples in the training file contain more than the {TOKENS} tokens allowed for \
             this model."
        )));
    }
    if let (line, tokens @ TOKENS..) = longest
        && long > 0
    {
        let what = format!(
            "Example {line} has {tokens} tokens, more than the {TOKENS} allowed for this model. Shorten it or leave \
             it out. (line {line})"
        );
        return Err(file_error(id, &what));
    }
    Ok(found)
}

/// Returns the examples of a row: a pair itself; of a conversation each answer, after all that precedes it.
fn examples(row: Row) -> Vec<Example> {
    match row {
        Row::Pair { prompt, completion } => vec![Example { prompt, completion }],
        Row::Chat(messages) => {
            let word = |role| match role {
                Role::System => "system",
                Role::User => "user",
                Role::Assistant => "assistant",
            };
            let said: Vec<(String, String)> =
                messages.into_iter().map(|message| (word(message.role).to_owned(), message.content)).collect();
            let answers = (1..=said.len()).filter(|end| !said[end - 1].1.is_empty());
            answers.filter_map(|end| chat_example(&said[..end])).collect()
        }
    }
}

/// Fails if training and validation data overlap, as the validation would mean nothing.
fn check_disjoint(
    spec: &Spec,
    file: &str,
    training: &FileExamples,
    validation: &FileExamples,
) -> Result<(), DatasetError> {
    let mut lines_by_example = HashMap::new();
    for (example, line) in validation.examples.iter().zip(&validation.lines) {
        lines_by_example.insert((example.prompt.as_str(), example.completion.as_str()), *line);
    }
    for (example, line) in training.examples.iter().zip(&training.lines) {
        if let Some(other) = lines_by_example.get(&(example.prompt.as_str(), example.completion.as_str())) {
            let what = format!(
                "Example {other} also stands in the training file {} (line {line}). Training and validation data must \
                 be mutually exclusive. (line {other})",
                spec.training.id
            );
            return Err(file_error(file, &what));
        }
    }
    Ok(())
}

/// Fails unless the completions are the classes of the job.
fn check_classes(spec: &Spec, training: &FileExamples, validation: &FileExamples) -> Result<(), DatasetError> {
    let Some(classes) = &spec.classes else { return Ok(()) };
    let known: HashSet<&str> = training.examples.iter().map(|example| example.completion.trim()).collect();
    let wanted = match classes {
        Classes::Many(classes) => *classes as usize,
        Classes::Two { .. } => 2,
    };
    let wrong = |file: &str| {
        let words = "does not match the number of classes specified in the hyperparameters.";
        DatasetError::Invalid(format!("The number of classes in {file} {words}"))
    };
    if known.len() != wanted {
        return Err(wrong(&spec.training.id));
    }
    if let Classes::Two { positive, .. } = classes
        && !known.contains(positive.trim())
    {
        let what = format!("No example has the positive class '{}' as its completion.", positive.trim());
        return Err(file_error(&spec.training.id, &what));
    }
    let file = spec.validation.as_ref().map_or("", |file| &file.id);
    let found: HashSet<&str> = validation.examples.iter().map(|example| example.completion.trim()).collect();
    if found.len() > wanted {
        return Err(wrong(file));
    }
    let unknown = validation.examples.iter().position(|example| !known.contains(example.completion.trim()));
    match unknown {
        None => Ok(()),
        Some(at) => {
            let line = validation.lines[at];
            Err(file_error(file, &format!("Example {line} has a class that no training example has. (line {line})")))
        }
    }
}
