//! `benchtop moderate`: checks texts and prints which of them are flagged.

use std::collections::BTreeMap;

use clap::Args;
use serde::Serialize;

use super::request::{RequestArgs, VERSION};
use super::text_task::{Printer, TextTask};
use super::texts::{TextArgs, one_line};
use super::{Output, Status, Task, rows};
use crate::component::Cx;
use crate::record::Check;
use crate::tabs::batch::TextResult;
use crate::tabs::moderation::text_run::{ModerationRun, highest};
use crate::text::Untrusted;
use crate::ui::rule::pad;

/// Columns of the highest category and its score, for a person.
const TOP: usize = 24;

/// The command line of `benchtop moderate`.
#[derive(Clone, Debug, Args)]
pub struct ModerateArgs {
    #[command(flatten)]
    pub(crate) texts: TextArgs,
    /// Flag a text if one of its scores is at least this, whatever the service says: 0 to 1
    #[arg(long, value_name = "SCORE", allow_negative_numbers = true)]
    pub threshold: Option<f64>,
    /// Exit with status 1 if a text is flagged
    #[arg(long)]
    pub fail_flagged: bool,
    #[command(flatten)]
    pub(crate) request: RequestArgs,
}

impl ModerateArgs {
    /// Returns whether the results are stored.
    pub fn saves(&self) -> bool {
        !self.request.no_save
    }
}

/// Returns the command. `model`: the one that is named.
///
/// # Errors
/// The command line cannot be carried out; a sentence.
pub fn moderate(args: &ModerateArgs, model: Option<&str>) -> Result<impl Task + use<>, String> {
    if args.threshold.is_some_and(|threshold| !(0.0..=1.0).contains(&threshold)) {
        return Err("--threshold: give a number from 0 to 1".to_owned());
    }
    let printer = CheckPrinter {
        threshold: args.threshold,
        json: args.request.json,
        fail_flagged: args.fail_flagged,
        has_flagged: false,
    };
    let run = ModerationRun::new(model.map(Untrusted::from));
    Ok(TextTask::new(run, printer, args.texts.open()?))
}

/// Prints checks.
#[derive(Debug)]
struct CheckPrinter {
    threshold: Option<f64>,
    json: bool,
    fail_flagged: bool,
    has_flagged: bool,
}

impl CheckPrinter {
    /// Returns the categories of a check that are flagged.
    fn flagged<'a>(&self, check: &'a Check) -> Vec<&'a str> {
        let categories = check.categories.iter().zip(&check.scores).zip(&check.flags);
        let is_flagged = |score: Option<f64>, flag: Option<bool>| match self.threshold {
            Some(threshold) => score.is_some_and(|score| score >= threshold),
            None => flag == Some(true),
        };
        categories.filter(|((_, score), flag)| is_flagged(**score, **flag)).map(|((name, _), _)| name.raw()).collect()
    }
}

impl Printer<ModerationRun> for CheckPrinter {
    fn print(&mut self, result: &TextResult<Check>, _run: &ModerationRun, out: &mut Output) {
        let Ok(check) = &result.result else { return };
        let categories = self.flagged(check);
        let flagged = if self.threshold.is_some() { !categories.is_empty() } else { check.flagged };
        self.has_flagged |= flagged;
        if self.json {
            let scores = check.categories.iter().map(Untrusted::raw).zip(check.scores.iter().copied());
            let model = if check.model.is_empty() { &check.asked } else { &check.model };
            out.json(&ModerateJson {
                version: VERSION,
                index: result.index,
                flagged,
                categories,
                scores: scores.collect(),
                model: model.raw(),
                text: result.text.raw(),
            });
            return;
        }
        let verdict = if flagged { "flagged" } else { "ok" };
        let top = highest(check).map_or_else(|| "-".to_owned(), |(name, score)| format!("{} {score:.2}", name.line()));
        let Some(columns) = out.columns() else {
            return rows::print_cells(&[verdict.into(), top.into(), result.text.clone()], out);
        };
        let before = format!("{verdict:<8} {} ", pad(&top, TOP));
        let room = columns.saturating_sub(before.len());
        out.line(&(before + &one_line(&result.text, room)).into());
    }

    fn end(&mut self, _run: &ModerationRun, _cx: &mut Cx, _out: &mut Output) -> Option<Status> {
        Some(if self.fail_flagged && self.has_flagged { Status::ResultIsNo } else { Status::Done })
    }
}

/// A text's check as JSON.
#[derive(Debug, Serialize)]
struct ModerateJson<'a> {
    version: u32,
    /// The text's place among all texts, from 0.
    index: u32,
    flagged: bool,
    /// Categories that are flagged.
    categories: Vec<&'a str>,
    /// Null: the service has none.
    scores: BTreeMap<&'a str, Option<f64>>,
    model: &'a str,
    text: &'a str,
}
