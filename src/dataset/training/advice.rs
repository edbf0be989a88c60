//! From what was gathered to the report: repairs in the order of the legacy tool, and advice where there is none.

use super::columns::ColumnMapping;
use super::common_text::{CommonText, small};
use super::labels::Labels;
use super::lint_state::LintState;
use super::repair::shortened;
use super::row::Rules;
use super::sample::pairs;
use super::source::TrainingFile;
use crate::record::training::{
    CheckReport, ClassRows, ProblemKind, Repair, RepairKind, RowForm, Sample, Task, TextEnds, TokenFigures,
    TrainingFormat,
};
use crate::text::Untrusted;

/// Pairs below which more are advised.
const FEW: u64 = 100;
/// Characters of a common end above which it is very long.
const LONG_END: usize = 10;
/// Characters of a prompt's common beginning up to which it is no trouble.
const PROMPT_BEGIN: usize = 12;
/// Characters of a completion's common beginning from which on it is.
const COMPLETION_BEGIN: usize = 5;

pub(super) fn report(
    input: &TrainingFile,
    rules: Rules,
    gathered: LintState,
    (doubles, labels): (u64, Labels),
    tokens: TokenFigures,
    cut: Option<String>,
) -> CheckReport {
    let task = task(rules, &gathered);
    let mut plan = ReportBuilder { task, repairs: Vec::new(), advice: Vec::new(), stop: None };
    plan.stop = stop(rules, &gathered);
    plan.first(input, &gathered);
    plan.labels(&gathered, labels);
    plan.rows(&gathered, doubles, &tokens);
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

/// Fewer different completions than a third of the rows are classes.
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

/// Seconds that training took on the legacy service, by the tool's reckoning: by rows, or by the bytes of the table it
/// held them in, which were 16 a row.
fn seconds(rows: u64, classification: bool) -> u64 {
    let each = if classification { 1.44 * rows as f64 } else { 0.0515 * (128 + 16 * rows) as f64 };
    (140.0 + each).round() as u64
}

/// Returns why nothing helps.
fn stop(rules: Rules, gathered: &LintState) -> Option<String> {
    if gathered.usable == 0 {
        let why = if gathered.rows == 0 { "there are no rows" } else { "no row can be learnt from, even when mended" };
        return Some(why.to_owned());
    }
    let many = gathered.usable > 1 && rules.form == RowForm::Pairs;
    if many && gathered.prompts.identical && gathered.prompts.has_text {
        let advice = "leave them empty for open-ended generation, or write different ones";
        return Some(format!("all prompts are the same: {advice}"));
    }
    if many && task(rules, gathered) == Some(Task::Conditional) && gathered.completions.identical {
        return Some("all completions are the same: there is nothing to learn; write different ones".to_owned());
    }
    None
}

/// Report under way.
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

    /// Counts, columns, rows that are none.
    fn first(&mut self, input: &TrainingFile, gathered: &LintState) {
        if gathered.usable > 0 && gathered.usable < FEW {
            let rows = if gathered.usable == 1 { "1 row".to_owned() } else { format!("{} rows", gathered.usable) };
            self.advice.push(format!(
                "{rows}: some hundreds are the least that is usual, and twice as many make about the same step again"
            ));
        }
        let marks = gathered.count(ProblemKind::Mark);
        if marks + gathered.blanks > 0 {
            let words = match (marks, gathered.blanks) {
                (0, lines) => format!("{lines} empty lines go"),
                (_, 0) => "the byte order mark goes".to_owned(),
                (_, lines) => format!("the byte order mark and {lines} empty lines go"),
            };
            self.add(RepairKind::Lines, words, true, 0, Vec::new());
        }
        let samples = &gathered.samples;
        let table = |count: u64| if input.is_table() && count > 0 { gathered.rows } else { count };
        let cased = gathered.count(ProblemKind::KeyCase);
        if cased > 0 {
            let what = if input.is_table() { "names of columns" } else { "keys" };
            let words = format!("{what} are written in small letters, as the interface has them");
            let shown = if input.is_table() { samples.table.clone() } else { samples.cased.clone() };
            self.add(RepairKind::KeyCase, words, true, table(cased), shown);
        }
        let extra = gathered.count(ProblemKind::ExtraKey);
        if extra > 0 {
            let what = if input.is_table() { "columns" } else { "keys" };
            let words = format!("{what} that do not belong there go");
            let shown = if input.is_table() { samples.table.clone() } else { samples.extra.clone() };
            self.add(RepairKind::ExtraKeys, words, true, table(extra), shown);
        }
        if gathered.as_text > 0 {
            let words = "numbers, true, false and null become text, and prompts that are missing empty ones".to_owned();
            self.add(RepairKind::AsText, words, true, gathered.as_text, samples.as_text.clone());
        }
        if gathered.bad > 0 {
            let words = "rows go that cannot be read, or lack what is to be learnt".to_owned();
            self.add(RepairKind::BadRows, words, true, gathered.bad, samples.bad.clone());
        }
        let empty = gathered.count(ProblemKind::Empty);
        if empty > 0 {
            let words = "rows go that have nothing to learn in them".to_owned();
            self.add(RepairKind::EmptyRows, words, true, empty, samples.empty.clone());
        }
    }

    /// Blank prompts, labels that are meant to be the same, and those that contradict each other.
    fn labels(&mut self, gathered: &LintState, labels: Labels) {
        let blank = gathered.count(ProblemKind::BlankPrompt);
        if blank > 0 {
            let words = "rows with a blank prompt are left out".to_owned();
            self.add(RepairKind::BlankPrompts, words, false, blank, gathered.samples.blank_prompts.clone());
        }
        if let Some(repair) = labels.repair {
            let pair = |(from, to): &(String, String)| format!("“{}” → “{}”", said(from), said(to));
            let pairs: Vec<String> = labels.same.iter().take(5).map(pair).collect();
            let which = if pairs.is_empty() {
                "labels lose stray blanks".to_owned()
            } else {
                format!("labels that mean the same become one: {}", pairs.join(", "))
            };
            self.add(repair, which, false, labels.changed, labels.changes);
        }
        if labels.contradictions > 0 {
            let words = "rows are left out whose prompt has another label in an earlier row".to_owned();
            self.add(RepairKind::Contradictions, words, false, labels.contradictions, labels.contradicted);
        }
    }

    /// Duplicates and what is too long.
    fn rows(&mut self, gathered: &LintState, doubles: u64, tokens: &TokenFigures) {
        let samples = &gathered.samples;
        if doubles > 0 {
            let words = "rows go that were there before".to_owned();
            self.add(RepairKind::Duplicates, words, false, doubles, samples.doubles.clone());
        }
        if gathered.long > 0 && self.task != Some(Task::OpenEnded) {
            let words = "rows go that have more than 10,000 characters".to_owned();
            self.add(RepairKind::LongRows, words, false, gathered.long, samples.long.clone());
        }
        if tokens.over > 0 {
            let most = tokens.limit.unwrap_or_default();
            let words = format!("rows go that have more than {most} tokens, which is what the model takes");
            self.add(RepairKind::OverLimit, words, false, tokens.over, samples.over.clone());
            if tokens.vocabulary.is_empty()
                && let Some(repair) = self.repairs.last_mut()
            {
                repair.note = Some("the tokens are estimated".into());
            }
        }
    }

    fn case(&mut self, gathered: &LintState) {
        let words = |what: &str| {
            format!(
                "{what} are put in small letters: more than a third of their letters are capitals, which models read worse"
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

    /// The end and the beginning of prompts.
    fn prompts(&mut self, input: &TrainingFile, gathered: &LintState) {
        let prompts = &gathered.prompts;
        if self.task == Some(Task::OpenEnded) || self.stop.is_some() || prompts.count < 2 {
            return;
        }
        if prompts.suffix.is_empty() {
            let end = prompts.end().to_owned();
            let words = format!("prompts end with “{}”, which tells the model where the completion begins", said(&end));
            let shown = pairs(&gathered.samples.first, |p, c| (format!("{p}{end}"), c.to_owned()));
            self.add(RepairKind::PromptSuffix(end), words, false, prompts.count, shown);
        } else {
            self.end("prompts", prompts);
        }
        if prompts.prefix.is_empty() {
            return;
        }
        let (begin, length) = (prompts.prefix.clone(), prompts.prefix.chars().count());
        if length > PROMPT_BEGIN {
            let words =
                format!("prompts lose “{}”, with which all begin: a tuned model needs no instruction", said(&begin));
            let cut = |p: &str| p.strip_prefix(&begin).unwrap_or(p).to_owned();
            let shown = pairs(&gathered.samples.first, |p, c| (cut(p), c.to_owned()));
            self.add(RepairKind::PromptPrefix(begin.clone()), words, false, prompts.count, shown);
            if let Some(repair) = self.repairs.last_mut() {
                // What the template says is meant.
                repair.advised = !input.fields.as_ref().is_some_and(ColumnMapping::has_begin);
            }
        } else {
            self.advice.push(format!("all prompts begin with “{}”", said(&begin)));
        }
    }

    /// What is said of an end that all have.
    fn end(&mut self, what: &str, alike: &CommonText) {
        let end = said(&alike.suffix);
        self.advice.push(format!("all {what} end with “{end}”"));
        if alike.suffix.chars().count() > LONG_END {
            let better = said(alike.end());
            self.advice
                .push(format!("the end of the {what} seems very long; a shorter one would do, such as “{better}”"));
        }
        if alike.inside {
            self.advice.push(format!(
                "some {what} have “{end}” inside as well; change these, or give all {what} an end that stands in none"
            ));
        }
    }

    /// The beginning, the end and the space before completions.
    fn completions(&mut self, gathered: &LintState) {
        let completions = &gathered.completions;
        let length = completions.prefix.chars().count();
        if completions.count > 1 && length >= COMPLETION_BEGIN && !completions.is_all_prefix() {
            let begin = completions.prefix.clone();
            let words = format!("completions lose “{}”, with which all begin", said(&begin));
            let cut = |c: &str| c.strip_prefix(&begin).map_or_else(|| c.to_owned(), |rest| shortened(&begin, rest));
            let shown = pairs(&gathered.samples.first, |p, c| (p.to_owned(), cut(c)));
            self.add(RepairKind::CompletionPrefix(begin.clone()), words, false, completions.count, shown);
        }
        if self.task == Some(Task::Conditional) && self.stop.is_none() && completions.count > 1 {
            if completions.suffix.is_empty() {
                let end = completions.end().to_owned();
                let words = format!("completions end with “{}”, at which the model then stops", said(&end));
                let shown = pairs(&gathered.samples.first, |p, c| (p.to_owned(), format!("{c}{end}")));
                self.add(RepairKind::CompletionSuffix(end), words, false, completions.count, shown);
            } else {
                self.end("completions", completions);
            }
        }
        if completions.spaceless > 0 {
            let words = "completions begin with a space, as words do within a text".to_owned();
            let shown = pairs(&gathered.samples.spaceless, |p, c| (p.to_owned(), format!(" {c}")));
            self.add(RepairKind::LeadingSpace, words, false, completions.spaceless, shown);
        }
    }

    /// What follows from all of it.
    fn last(&mut self, input: &TrainingFile, gathered: &LintState, classes: &[(String, u64)], class_count: u64) {
        if self.task == Some(Task::Classification) {
            self.advice.push(
                "this looks like a classification: a small model (ada) is usually enough, and rows held out tell how \
                 good it gets"
                    .to_owned(),
            );
            let positive = classes.first().map_or("", |(class, _)| class);
            match class_count {
                0 | 1 => self.advice.push("there is one class only: nothing to tell apart".to_owned()),
                2 => self.advice.push(format!(
                    "have the metrics computed: compute_classification_metrics, with “{}” as \
                     classification_positive_class",
                    said(positive)
                )),
                many => self.advice.push(format!(
                    "have the metrics computed: compute_classification_metrics, with {many} as \
                     classification_n_classes"
                )),
            }
        }
        if input.preferences {
            self.advice.push(
                "this is a preference (DPO) file: a preferred and a rejected answer a row; a fine-tune learns from one \
                 answer, here from the preferred one"
                    .to_owned(),
            );
        }
        if gathered.open > 0 {
            let rows = gathered.open;
            self.advice.push(format!(
                "{rows} conversations do not end with the assistant: what follows its last message teaches nothing"
            ));
        }
        if self.stop.is_none() && input.source != TrainingFormat::Jsonl {
            self.advice.push("a job reads JSON Lines: prepare a copy, which is one".to_owned());
        }
    }
}

/// Returns a text within a sentence: its line ends written out, the middle of a long one left out.
fn said(text: &str) -> String {
    let text = text.replace('\\', "\\\\").replace('\n', "\\n").replace('\t', "\\t").replace('\r', "\\r");
    if text.chars().count() <= 60 {
        return text;
    }
    let from: String = text.chars().take(40).collect();
    let to: String = text.chars().skip(text.chars().count() - 15).collect();
    format!("{from} … {to}")
}
