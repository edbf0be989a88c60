//! From the collected facts to the report: repairs in the order of the legacy tool, and advice where there is none.

use super::columns::ColumnMapping;
use super::common_text::{CommonText, small};
use super::labels::Labels;
use super::lint_state::LintState;
use super::repair::{ended, shortened};
use super::row::Rules;
use super::sample::{TextPair, pairs};
use super::source::TrainingFile;
use crate::record::training::{
    CheckReport, ClassRows, ProblemKind, Repair, RepairKind, RowForm, Sample, Task, TextEnds, TokenFigures,
    TrainingFormat,
};
use crate::text::Untrusted;

/// Pairs below which more are recommended.
const FEW: u64 = 100;
/// Characters of a common end above which it is very long.
const LONG_END: usize = 10;
/// Characters of a prompt's common beginning up to which it does not matter.
const PROMPT_BEGIN: usize = 12;
/// Characters of a completion's common beginning from which on it does.
const COMPLETION_BEGIN: usize = 5;

pub(super) fn report(
    input: &TrainingFile,
    rules: Rules,
    gathered: LintState,
    (duplicates, labels): (u64, Labels),
    tokens: TokenFigures,
    cut: Option<String>,
) -> CheckReport {
    let task = task(rules, &gathered);
    let mut plan = ReportBuilder { task, repairs: Vec::new(), advice: Vec::new(), stop: None };
    plan.stop = stop(rules, &gathered);
    plan.first(input, &gathered);
    plan.labels(&gathered, labels);
    plan.rows(&gathered, duplicates, &tokens);
    if rules.form == RowForm::Pairs && gathered.usable > 0 {
        plan.case(&gathered);
        plan.prompts(input, &gathered);
        plan.completions(&gathered);
    }
    let classification = task == Some(Task::Classification);
    let (classes, class_count) = if classification {
        (gathered.classes.most(), gathered.classes.number().unwrap_or(0))
    } else {
        (Vec::new(), 0)
    };
    plan.last(input, &gathered, &classes, class_count);
    let seconds = (gathered.usable > 0).then(|| seconds(gathered.usable, classification));
    let ends = TextEnds {
        prompt: gathered.prompts.common_end().to_owned(),
        completion: gathered.completions.common_end().to_owned(),
    };
    let most = classes.into_iter().map(|(class, rows)| (class.into(), rows)).collect();
    let mut counts: Vec<_> = gathered.kinds.into_iter().collect();
    counts.sort_by_key(|(kind, count)| (std::cmp::Reverse(*count), *kind));
    let read = gathered.rows > 0 && gathered.rows > gathered.bad;
    CheckReport {
        bytes: input.bytes,
        source: input.source,
        form: read.then_some(rules.form),
        rows: gathered.rows,
        valid: gathered.valid,
        problems: gathered.problems,
        counts,
        task,
        repairs: plan.repairs,
        advice: plan.advice.into_iter().map(Untrusted::from).collect(),
        stop: plan.stop.map(Untrusted::from),
        tokens,
        classes: ClassRows { most, count: class_count },
        seconds,
        cut: cut.map(Untrusted::from),
        encoding: input.encoding,
        columns: input.columns.clone(),
        mapping: input.mapping.clone(),
        guessed: input.guessed,
        ends,
    }
}

/// Determines the task: with fewer different completions than a third of the rows it is a classification.
pub(super) fn task(rules: Rules, gathered: &LintState) -> Option<Task> {
    if rules.form == RowForm::Chats || gathered.usable == 0 {
        return None;
    }
    if !gathered.prompts.has_text {
        return Some(Task::OpenEnded);
    }
    let few = gathered.classes.number().is_some_and(|classes| classes * 3 < gathered.usable);
    Some(if few { Task::Classification } else { Task::Conditional })
}

/// Estimates the seconds of training on the legacy service, by that tool's formula: by rows, or by the bytes of the
/// table in which it held them, 16 a row.
fn seconds(rows: u64, classification: bool) -> u64 {
    let each = if classification { 1.44 * rows as f64 } else { 0.0515 * (128 + 16 * rows) as f64 };
    (140.0 + each).round() as u64
}

/// Returns why no repair helps.
fn stop(rules: Rules, gathered: &LintState) -> Option<String> {
    if gathered.usable == 0 {
        let why =
            if gathered.rows == 0 { "there are no rows" } else { "no row can be used for training, even after repair" };
        return Some(why.to_owned());
    }
    let many = gathered.usable > 1 && rules.form == RowForm::Pairs;
    if many && gathered.prompts.identical && gathered.prompts.has_text {
        let advice = "leave them empty for open-ended generation, or use different ones";
        return Some(format!("all prompts are the same: {advice}"));
    }
    if many && task(rules, gathered) == Some(Task::Conditional) && gathered.completions.identical {
        return Some("all completions are the same: there is nothing to learn; use different ones".to_owned());
    }
    None
}

/// A report that is being built.
struct ReportBuilder {
    task: Option<Task>,
    repairs: Vec<Repair>,
    advice: Vec<String>,
    stop: Option<String>,
}

impl ReportBuilder {
    fn add(&mut self, kind: RepairKind, words: String, necessary: bool, rows: u64, samples: Vec<Sample>) {
        let words = words.into();
        self.repairs.push(Repair { kind, words, necessary, advised: true, rows, samples, note: None });
    }

    /// Adds repairs of keys, columns, and rows that cannot be read.
    fn first(&mut self, input: &TrainingFile, gathered: &LintState) {
        if gathered.usable > 0 && gathered.usable < FEW {
            let rows = if gathered.usable == 1 { "1 row".to_owned() } else { format!("{} rows", gathered.usable) };
            self.advice.push(format!(
                "{rows}: a few hundred are recommended, and each doubling improves the model by about the same amount"
            ));
        }
        let marks = gathered.count(ProblemKind::Mark);
        if marks + gathered.blanks > 0 {
            let lines = match gathered.blanks {
                1 => "1 empty line".to_owned(),
                lines => format!("{lines} empty lines"),
            };
            let words = match (marks, gathered.blanks) {
                (0, _) => format!("Remove {lines}"),
                (_, 0) => "Remove the byte order mark".to_owned(),
                _ => format!("Remove the byte order mark and {lines}"),
            };
            self.add(RepairKind::Lines, words, true, 0, Vec::new());
        }
        let samples = &gathered.samples;
        let table = |count: u64| if input.is_table() && count > 0 { gathered.rows } else { count };
        let cased = gathered.count(ProblemKind::KeyCase);
        if cased > 0 {
            let what = if input.is_table() { "column names" } else { "keys" };
            let words = format!("Convert {what} to lower case, as the API expects");
            let shown = if input.is_table() { samples.table.clone() } else { samples.cased.clone() };
            self.add(RepairKind::KeyCase, words, true, table(cased), shown);
        }
        let extra = gathered.count(ProblemKind::ExtraKey);
        if extra > 0 {
            let what = if input.is_table() { "columns" } else { "keys" };
            let words = format!("Remove unknown {what}");
            let shown = if input.is_table() { samples.table.clone() } else { samples.extra.clone() };
            self.add(RepairKind::ExtraKeys, words, true, table(extra), shown);
        }
        if gathered.as_text > 0 {
            let words = "Convert numbers, true, false and null to text, and add empty prompts where they are missing"
                .to_owned();
            self.add(RepairKind::AsText, words, true, gathered.as_text, samples.as_text.clone());
        }
        if gathered.bad > 0 {
            let words = "Remove rows that cannot be read or are incomplete".to_owned();
            self.add(RepairKind::BadRows, words, true, gathered.bad, samples.bad.clone());
        }
        let empty = gathered.count(ProblemKind::Empty);
        if empty > 0 {
            let words = "Remove rows with nothing to learn".to_owned();
            self.add(RepairKind::EmptyRows, words, true, empty, samples.empty.clone());
        }
    }

    /// Adds repairs of blank prompts, of labels that mean the same, and of contradicting ones.
    fn labels(&mut self, gathered: &LintState, labels: Labels) {
        let blank = gathered.count(ProblemKind::BlankPrompt);
        if blank > 0 {
            let words = "Remove rows with a blank prompt".to_owned();
            self.add(RepairKind::BlankPrompts, words, false, blank, gathered.samples.blank_prompts.clone());
        }
        if let Some(repair) = labels.repair {
            let pair = |(from, to): &(String, String)| format!("“{}” → “{}”", said(from), said(to));
            let pairs: Vec<String> = labels.same.iter().take(5).map(pair).collect();
            let which = if pairs.is_empty() {
                "Remove stray spaces from labels".to_owned()
            } else {
                format!("Merge labels that mean the same: {}", pairs.join(", "))
            };
            self.add(repair, which, false, labels.changed, labels.changes);
        }
        if labels.contradictions > 0 {
            let words = "Remove rows whose prompt has a different label in an earlier row".to_owned();
            self.add(RepairKind::Contradictions, words, false, labels.contradictions, labels.contradicted);
        }
    }

    /// Adds repairs of duplicates and of rows that are too long.
    fn rows(&mut self, gathered: &LintState, duplicates: u64, tokens: &TokenFigures) {
        let samples = &gathered.samples;
        if duplicates > 0 {
            let words = "Remove duplicate rows".to_owned();
            self.add(RepairKind::Duplicates, words, false, duplicates, samples.duplicates.clone());
        }
        if gathered.long > 0 && self.task != Some(Task::OpenEnded) {
            let words = "Remove rows with more than 10,000 characters".to_owned();
            self.add(RepairKind::LongRows, words, false, gathered.long, samples.long.clone());
        }
        if tokens.over > 0 {
            let most = tokens.limit.unwrap_or_default();
            let words = format!("Remove rows with more than {most} tokens, the model's limit");
            self.add(RepairKind::OverLimit, words, false, tokens.over, samples.over.clone());
            if tokens.vocabulary.is_empty()
                && let Some(repair) = self.repairs.last_mut()
            {
                repair.note = Some("token counts are estimated".into());
            }
        }
    }

    fn case(&mut self, gathered: &LintState) {
        let words = |what: &str| {
            format!(
                "Convert {what} to lower case: more than a third of their letters are capitals, which models handle less well"
            )
        };
        if gathered.prompts.shouts() {
            let shown = pairs(&gathered.samples.capital_prompts, |p, c| (small(p), c.to_owned()));
            self.add(RepairKind::LowerPrompts, words("prompts"), false, gathered.prompts.capitals, shown);
        }
        if gathered.completions.shouts() {
            let shown = pairs(&gathered.samples.capital_completions, |p, c| (p.to_owned(), small(c)));
            self.add(RepairKind::LowerCompletions, words("completions"), false, gathered.completions.capitals, shown);
        }
    }

    /// Adds repairs and advice on the end and the beginning of prompts.
    fn prompts(&mut self, input: &TrainingFile, gathered: &LintState) {
        let prompts = &gathered.prompts;
        if self.task == Some(Task::OpenEnded) || self.stop.is_some() || prompts.count < 2 {
            return;
        }
        if prompts.suffix.is_empty() {
            let (end, missing, most) = missing_end(prompts);
            let words = format!(
                "End prompts with “{}”{most}, so that the model can tell where the completion begins",
                said(&end)
            );
            let samples = &gathered.samples;
            let rows = rows_to_end(&samples.open_prompts, &samples.first, most);
            let rows = rows.iter().filter(|(_, prompt, _)| !prompt.ends_with(&end));
            let shown = pairs(rows, |p, c| (ended(p.to_owned(), &end), c.to_owned()));
            self.add(RepairKind::PromptSuffix(end), words, false, missing, shown);
        } else {
            self.end("prompts", prompts);
        }
        if prompts.prefix.is_empty() {
            return;
        }
        let (begin, length) = (prompts.prefix.clone(), prompts.prefix.chars().count());
        if length > PROMPT_BEGIN {
            let words = format!(
                "Remove “{}” from the start of all prompts: a fine-tuned model needs no instruction",
                said(&begin)
            );
            let cut = |p: &str| p.strip_prefix(&begin).unwrap_or(p).to_owned();
            let shown = pairs(&gathered.samples.first, |p, c| (cut(p), c.to_owned()));
            self.add(RepairKind::PromptPrefix(begin.clone()), words, false, prompts.count, shown);
            if let Some(repair) = self.repairs.last_mut() {
                // What the template adds is intended.
                repair.advised = !input.fields.as_ref().is_some_and(ColumnMapping::has_begin);
            }
        } else {
            self.advice.push(format!("all prompts begin with “{}”", said(&begin)));
        }
    }

    /// Adds advice on an end that all texts have.
    fn end(&mut self, what: &str, alike: &CommonText) {
        let end = said(&alike.suffix);
        self.advice.push(format!("all {what} end with “{end}”"));
        if alike.suffix.chars().count() > LONG_END {
            let better = said(alike.end());
            self.advice.push(format!(
                "the common ending of the {what} seems very long; a shorter one is enough, such as “{better}”"
            ));
        }
        if alike.inside {
            self.advice.push(format!(
                "some {what} also contain “{end}” in the middle; change these, or choose an ending that appears nowhere else"
            ));
        }
    }

    /// Adds repairs and advice on the beginning, the end and the leading space of completions.
    fn completions(&mut self, gathered: &LintState) {
        let completions = &gathered.completions;
        let length = completions.prefix.chars().count();
        if completions.count > 1 && length >= COMPLETION_BEGIN && !completions.is_all_prefix() {
            let begin = completions.prefix.clone();
            let words = format!("Remove “{}” from the start of all completions", said(&begin));
            let cut = |c: &str| c.strip_prefix(&begin).map_or_else(|| c.to_owned(), |rest| shortened(&begin, rest));
            let shown = pairs(&gathered.samples.first, |p, c| (p.to_owned(), cut(c)));
            self.add(RepairKind::CompletionPrefix(begin.clone()), words, false, completions.count, shown);
        }
        if self.task == Some(Task::Conditional) && self.stop.is_none() && completions.count > 1 {
            if completions.suffix.is_empty() {
                let (end, missing, most) = missing_end(completions);
                let words = format!("End completions with “{}”{most}, so that the model stops there", said(&end));
                let samples = &gathered.samples;
                let rows = rows_to_end(&samples.open_completions, &samples.first, most);
                let rows = rows.iter().filter(|(_, _, completion)| !completion.ends_with(&end));
                let shown = pairs(rows, |p, c| (p.to_owned(), ended(c.to_owned(), &end)));
                self.add(RepairKind::CompletionSuffix(end), words, false, missing, shown);
            } else {
                self.end("completions", completions);
            }
        }
        if completions.spaceless > 0 {
            let words = "Begin completions with a space, as words within a sentence do".to_owned();
            let shown = pairs(&gathered.samples.spaceless, |p, c| (p.to_owned(), format!(" {c}")));
            self.add(RepairKind::LeadingSpace, words, false, completions.spaceless, shown);
        }
    }

    /// Adds the advice that follows from everything else.
    fn last(&mut self, input: &TrainingFile, gathered: &LintState, classes: &[(String, u64)], class_count: u64) {
        if self.task == Some(Task::Classification) {
            self.advice.push(
                "this looks like classification: a small model (ada) is usually enough, and held-out rows show how \
                 good it gets"
                    .to_owned(),
            );
            let positive = classes.first().map_or("", |(class, _)| class);
            match class_count {
                0 | 1 => self.advice.push("there is only one class: nothing to distinguish".to_owned()),
                2 => self.advice.push(format!(
                    "to get metrics, create the fine-tune in the Tune tab: set Class metrics \
                     (compute_classification_metrics), with “{}” as Positive class (classification_positive_class)",
                    said(positive)
                )),
                many => self.advice.push(format!(
                    "to get metrics, create the fine-tune in the Tune tab: set Class metrics \
                     (compute_classification_metrics), with {many} as Classes (classification_n_classes)"
                )),
            }
        }
        if input.preferences {
            self.advice.push(
                "this is a preference (DPO) file, with a preferred and a rejected answer per row; a fine-tune learns \
                 only from the preferred one"
                    .to_owned(),
            );
        }
        if gathered.open > 0 {
            let conversations = match gathered.open {
                1 => "1 conversation does".to_owned(),
                rows => format!("{rows} conversations do"),
            };
            self.advice.push(format!(
                "{conversations} not end with an assistant message: what follows the last one is not learned"
            ));
        }
        if self.stop.is_none() && input.source != TrainingFormat::Jsonl {
            self.advice.push("fine-tunes need JSON Lines: prepare a copy in that format".to_owned());
        }
    }
}

/// Returns the rows to show an ending with: where most have it, those without a usual ending, if there are any; else the
/// first ones.
fn rows_to_end<'a>(open: &'a [TextPair], first: &'a [TextPair], most: &str) -> &'a [TextPair] {
    if most.is_empty() || open.is_empty() { first } else { open }
}

/// Returns the ending that texts should have, where they have none in common, how many lack it, and words that say that
/// most have it.
fn missing_end(texts: &CommonText) -> (String, u64, &'static str) {
    match texts.frequent_end() {
        Some((end, missing)) => (end.to_owned(), missing, " as most do"),
        None => (texts.end().to_owned(), texts.count, ""),
    }
}

/// Returns a text for use in a sentence: with its line ends escaped, and shortened in the middle.
fn said(text: &str) -> String {
    let text = text.replace('\\', "\\\\").replace('\n', "\\n").replace('\t', "\\t").replace('\r', "\\r");
    if text.chars().count() <= 60 {
        return text;
    }
    let from: String = text.chars().take(40).collect();
    let to: String = text.chars().skip(text.chars().count() - 15).collect();
    format!("{from} … {to}")
}
