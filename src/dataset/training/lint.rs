//! The check: one pass over the file that collects everything.

use std::collections::BinaryHeap;
use std::ops::ControlFlow;
use std::path::Path;

use super::advice;
use super::ahead::batches;
use super::common_text::{CommonText, is_inside};
use super::duplicates::{Hash, RowPosition, SeenRows};
use super::labels::{Labels, labels};
use super::limits::{NAMED, STOPPED};
use super::lint_state::LintState;
use super::raw_record::RawRecord;
use super::row::{ParsedRow, Row, RowFaults, Rules, look, rules};
use super::sample::shown;
use super::source::TrainingFile;
use super::token_count::{TokenCounter, TokenSample};
use super::words;
use crate::dataset::Moved;
use crate::record::training::{CheckReport, Mapping, Problem, ProblemKind, RowForm, Task, TrainingFormat};

/// Rows and bytes between two checks whether to continue.
const OFTEN: u64 = 1 << 20;

/// Checks a training file for a model (`local`: one of the local service's). Uses the first of the mappings that is for
/// the file's columns. Fails with a sentence about the file as a whole, or if `moved` says to stop.
pub fn lint(path: &Path, model: &str, local: bool, mappings: &[Mapping], moved: Moved) -> Result<CheckReport, String> {
    let mut input = TrainingFile::open(path, moved)?;
    let rules = rules(&mut input, local, mappings)?;
    let mut gathered = LintState::new();
    let mut tokens = TokenSample::new(TokenCounter::new(model, local));
    let mut seen = SeenRows::new();
    report_file_problems(&input, &mut gathered, rules);
    let cut = read_rows(&input, rules, &mut gathered, &mut tokens, &mut seen, moved)?;
    // In a file of only blank prompts they are no problem.
    if gathered.prompts.has_text && gathered.blank_prompts > 0 {
        gathered.kinds.insert(ProblemKind::BlankPrompt, gathered.blank_prompts);
        let mut blank = std::mem::take(&mut gathered.without_prompt);
        gathered.problems.append(&mut blank);
    }
    let labels = match advice::task(rules, &gathered) {
        Some(Task::Classification) => labels(&input, rules, &mut gathered, moved)?,
        _ => Labels::default(),
    };
    let duplicates = report_duplicates(&input, rules, seen, &mut gathered, moved)?;
    if gathered.prompts.unsure + gathered.completions.unsure > 0 {
        search_first_rows(&input, rules, &mut gathered)?;
    }
    let total = input.total;
    let tokens = tokens.figures(&mut || moved(total, total));
    if !moved(total, total) {
        return Err(STOPPED.to_owned());
    }
    Ok(advice::report(&input, rules, gathered, (duplicates, labels), tokens, cut))
}

/// Reports what is wrong with the file besides its rows: a byte order mark, undecodable characters, the names of
/// columns.
fn report_file_problems(input: &TrainingFile, gathered: &mut LintState, rules: Rules) {
    let at = input.place(0);
    let problem = |column: u64, kind, words: String| Problem { line: 1, column, at, kind, words: words.into() };
    if input.mark {
        let words = "the file begins with a byte order mark".to_owned();
        gathered.name(problem(1, ProblemKind::Mark, words));
    }
    for line in &input.lost.lines {
        let words = format!("a character that is not valid {} was replaced by �", input.encoding).into();
        gathered.name(Problem { line: *line, column: 1, at: None, kind: ProblemKind::Encoding, words });
    }
    let more = input.lost.count - input.lost.lines.len() as u64;
    *gathered.kinds.entry(ProblemKind::Encoding).or_default() += more;
    gathered.kinds.retain(|_, count| *count > 0);
    if !input.is_table() || input.fields.is_some() {
        return;
    }
    let mut column = 1;
    for (number, name) in input.names.iter().enumerate() {
        let meant = [(rules.columns.0, "prompt"), (rules.columns.1, "completion")];
        let place = if input.source == TrainingFormat::Xlsx { number as u64 + 1 } else { column };
        match meant.iter().find(|(at, _)| *at == Some(number)) {
            None => {
                let words = format!("the column “{name}” is unknown");
                gathered.name(problem(place, ProblemKind::ExtraKey, words));
            }
            Some((_, key)) if name != key => {
                let words = format!("the column “{name}” should be “{key}”");
                gathered.name(problem(place, ProblemKind::KeyCase, words));
            }
            Some(_) => {}
        }
        column += name.chars().count() as u64 + 1;
    }
}

/// Reads all rows. Returns why it ended early, if it did.
fn read_rows(
    input: &TrainingFile,
    rules: Rules,
    gathered: &mut LintState,
    tokens: &mut TokenSample,
    seen: &mut SeenRows,
    moved: Moved,
) -> Result<Option<String>, String> {
    let keys = seen.keys.clone();
    let (mut empty, mut reported) = (EmptyLines::default(), 0);
    let ended = batches(input, rules, &keys, &mut |batch| {
        for (piece, found, hash) in batch.pieces(input, rules) {
            if found.blank {
                empty.take(input, &piece, gathered);
                continue;
            }
            empty.end(gathered);
            if let Err(why) = check_record(input, rules, (&piece, found, hash), gathered, tokens, seen) {
                return ControlFlow::Break(why);
            }
        }
        if batch.read >= reported + OFTEN {
            reported = batch.read;
            if !moved(reported.min(input.total), input.total) {
                return ControlFlow::Break(LintStop::Failed(STOPPED.to_owned()));
            }
        }
        ControlFlow::Continue(())
    })?;
    match ended {
        None => Ok(None),
        Some(LintStop::Rows) => Ok(Some("only the first four billion rows were read".to_owned())),
        Some(LintStop::Failed(why)) => Err(why),
    }
}

/// Why a pass ends before the file does.
enum LintStop {
    Failed(String),
    /// There are more rows than can be compared.
    Rows,
}

/// Empty lines since the last row; at the end of a file they do not count.
#[derive(Default)]
struct EmptyLines {
    count: u64,
    problems: Vec<Problem>,
}

impl EmptyLines {
    fn take(&mut self, input: &TrainingFile, piece: &RawRecord<'_>, gathered: &LintState) {
        self.count += 1;
        if gathered.problems.len() + self.problems.len() < NAMED {
            let words = "the line is empty".to_owned();
            self.problems.push(words::problem(input, piece, ProblemKind::EmptyLine, 0, words));
        }
    }

    /// Counts the empty lines, as a row follows them.
    fn end(&mut self, gathered: &mut LintState) {
        if self.count > 0 {
            gathered.blanks += self.count;
            *gathered.kinds.entry(ProblemKind::EmptyLine).or_default() += self.count;
            gathered.problems.append(&mut self.problems);
            self.count = 0;
        }
    }
}

/// Checks a record that is not blank, and counts what it is for the report.
fn check_record(
    input: &TrainingFile,
    rules: Rules,
    (piece, found, hash): (&RawRecord<'_>, ParsedRow<'_>, Option<Hash>),
    gathered: &mut LintState,
    tokens: &mut TokenSample,
    seen: &mut SeenRows,
) -> Result<(), LintStop> {
    gathered.rows += 1;
    gathered.valid += u64::from(found.is_valid());
    if found.is_odd() {
        gathered.wrong(input, piece, &found, rules);
        gathered.bad += u64::from(found.bad.is_some());
        gathered.as_text += u64::from(found.faults.contains(RowFaults::NOT_TEXT) && found.row.is_some());
        gathered.samples.wrong(input, piece, &found, rules);
    }
    let Some(row) = found.row.filter(|_| !found.faults.contains(RowFaults::EMPTY)) else { return Ok(()) };
    gathered.samples.table(input, piece, &row);
    // A missing prompt is reported already.
    if !found.faults.contains(RowFaults::NOT_TEXT) {
        gathered.blank_prompt(input, piece, &row);
    }
    gathered.take(&row, piece.line);
    if let Some((count, limit)) = tokens.take(&row) {
        let words = format!("{count} tokens, but the model's limit is {limit}");
        gathered.name(words::problem(input, piece, ProblemKind::TooLong, 0, words));
        gathered.samples.over(piece.line, || shown(&row));
    }
    let number = u32::try_from(gathered.rows - 1).map_err(|_| LintStop::Rows)?;
    let position = RowPosition { row: number, line: piece.line as u32, at: piece.at };
    let hash = hash.unwrap_or_else(|| seen.keys.of(&row));
    seen.push(hash, position).map_err(|why| LintStop::Failed(format!("cannot look for duplicates: {why}")))
}

/// Finds the duplicates, reports the first of them and counts them.
fn report_duplicates(
    input: &TrainingFile,
    rules: Rules,
    seen: SeenRows,
    gathered: &mut LintState,
    moved: Moved,
) -> Result<u64, String> {
    let mut first: BinaryHeap<(RowPosition, RowPosition)> = BinaryHeap::new();
    let (mut count, mut on) = (0_u64, true);
    seen.find_duplicates(&mut |again, before| {
        count += 1;
        if first.len() < NAMED {
            first.push((again, before));
        } else if first.peek().is_some_and(|last| again < last.0) {
            first.pop();
            first.push((again, before));
        }
        if count.is_multiple_of(1 << 16) {
            on = moved(input.total, input.total);
        }
        on
    })
    .map_err(|why| format!("cannot look for duplicates: {why}"))?;
    if !on {
        return Err(STOPPED.to_owned());
    }
    let at = |position: RowPosition| input.place(position.at);
    for (again, before) in first.into_sorted_vec() {
        let words = format!("duplicate of line {}", before.line).into();
        let line = u64::from(again.line);
        gathered.problems.push(Problem { line, column: 1, at: at(again), kind: ProblemKind::Duplicate, words });
        gathered.samples.duplicate(input, rules, again);
    }
    if count > 0 {
        gathered.kinds.insert(ProblemKind::Duplicate, count);
    }
    gathered.problems.sort_by_key(|problem| (problem.line, problem.column));
    gathered.problems.truncate(NAMED);
    Ok(count)
}

/// Searches the common end within those first rows that were read before it was known.
fn search_first_rows(input: &TrainingFile, rules: Rules, gathered: &mut LintState) -> Result<(), String> {
    if rules.form == RowForm::Chats {
        return Ok(());
    }
    let mut pieces = input.pieces()?;
    let mut taken = 0;
    let (prompts, completions) = (&mut gathered.prompts, &mut gathered.completions);
    let open = |alike: &CommonText, taken: u64| !alike.inside && !alike.suffix.is_empty() && alike.unsure > taken;
    while open(prompts, taken) || open(completions, taken) {
        let Some(piece) = pieces.next().map_err(|why| why.to_string())? else { break };
        let found = look(input, &piece, rules);
        let Some(Row::Pair { prompt, completion }) = found.row.filter(|_| !found.faults.contains(RowFaults::EMPTY))
        else {
            continue;
        };
        taken += 1;
        for (alike, text) in [(&mut *prompts, prompt), (&mut *completions, completion)] {
            alike.inside |=
                !alike.suffix.is_empty() && text.ends_with(&alike.suffix) && is_inside(&text, &alike.suffix);
        }
    }
    Ok(())
}
