//! The text with its history and the sheet that both are kept on.

use std::time::Instant;

use super::active_run::ActiveRun;
use super::generated_spans::GeneratedSpan;
use super::history::{self, EditHistory, Splice};
use super::prompt_count::PromptCount;
use super::request;
use super::text_find::TextFind;
use crate::api::completion::CompletionRequest;
use crate::component::Cx;
use crate::record::work::Work;
use crate::record::{CompletionParams, Id, Made, Run, Sheet, Step, TurnStatus};
use crate::tabs::generation::context_limit;
use crate::text::Untrusted;
use crate::tokens::{Fit, fit};
use crate::ui::buffer::{Buffer, Change};
use crate::ui::undo;

/// Bytes of the text after the caret that the settings show.
const SUFFIX_EXCERPT: usize = 60;

/// A position in the history of a text: the sheet, the step, the caret.
pub(super) type TextPosition = (Id, Option<Id>, usize);

/// The text, how it came about, and where it is kept.
#[derive(Debug)]
pub(super) struct PromptText {
    pub(super) sheet: Sheet,
    pub(super) history: EditHistory,
    pub(super) buffer: Buffer,
    /// Counts changes of the text and of what is known of it.
    pub(super) revision: u64,
    pub(super) count: PromptCount,
    /// Words looked for in the text.
    pub(super) find: TextFind,
    /// When a run was not sent, as the text is empty.
    pub(super) refused_empty_at: Option<Instant>,
    burst_due: Option<Instant>,
}

impl Default for PromptText {
    fn default() -> Self {
        Self {
            sheet: empty_sheet(Id(0), 0),
            history: EditHistory::default(),
            buffer: Buffer::new(),
            revision: 0,
            count: PromptCount::default(),
            find: TextFind::default(),
            refused_empty_at: None,
            burst_due: None,
        }
    }
}

/// Returns a sheet on which nothing is yet.
pub(super) fn empty_sheet(id: Id, unix_ms: i64) -> Sheet {
    Sheet { id, created_ms: unix_ms, updated_ms: unix_ms, current: None, caret: 0 }
}

impl PromptText {
    /// Returns whether there is nothing, and never was.
    pub(super) fn is_blank(&self) -> bool {
        self.buffer.is_empty() && self.history.len() == 0
    }

    /// Begins a sheet on which nothing is yet.
    pub(super) fn clear(&mut self, sheet: Sheet) {
        self.sheet = sheet;
        self.history = EditHistory::default();
        self.buffer.set_text("");
        self.revision += 1;
    }

    /// Returns where the buffer stands.
    pub(super) fn position(&self) -> TextPosition {
        (self.sheet.id, self.history.current(), self.buffer.caret())
    }

    /// Returns the text before the caret and the text after it.
    pub(super) fn around_caret(&self) -> [String; 2] {
        around_caret(&self.buffer)
    }

    /// Returns a step of the user's after the one the buffer stands at, which changes nothing yet.
    pub(super) fn new_step(&self, made: Made, at: usize, cx: &mut Cx) -> Step {
        history::step(cx.id(), self.sheet.id, self.history.current(), made, at, cx.unix_ms)
    }

    /// Returns a line of the list of runs for the text as it stands, of which nothing was asked yet.
    pub(super) fn new_run(&self, params: CompletionParams, cx: &mut Cx) -> Run {
        Run {
            id: cx.id(),
            sheet: self.sheet.id,
            parent: self.history.current(),
            profile: cx.session.profile_name.clone(),
            model: Untrusted::default(),
            params,
            excerpt: Untrusted::default(),
            status: TurnStatus::Done,
            error: Untrusted::default(),
            created_ms: cx.unix_ms,
            prompt_tokens: 0,
            completion_tokens: 0,
            estimated: false,
            cost_nano: Some(0),
            first_token_ms: 0,
            total_ms: 0,
        }
    }

    /// Returns the request that continues at the caret.
    pub(super) fn request(&self, params: &CompletionParams, model: &Untrusted) -> CompletionRequest {
        let [prompt, suffix] = self.around_caret();
        request::request(prompt, suffix, params, model)
    }

    /// Has the text counted as a model cuts it; `local`: the model is one of the local service's.
    pub(super) fn ask_count(&mut self, model: Untrusted, local: bool, cx: &mut Cx) {
        let Self { count, buffer, .. } = self;
        count.ask(buffer, || count_work(buffer, model, local), cx);
    }

    /// Returns the tokens before the caret and after it, and whether they are a guess.
    pub(super) fn tokens(&mut self) -> ([u64; 2], bool) {
        self.count.guess(&self.buffer);
        self.count.tokens()
    }

    /// Returns how many tokens the text has, of how many; and whether they are too many. `most`: the tokens that may be
    /// generated; `context`: the tokens that the model may read and write together, if that is known.
    pub(super) fn count_words(&self, most: u64, context: Option<u64>, wide: bool) -> (String, bool) {
        let ([prompt, suffix], guess) = self.count.tokens();
        if self.buffer.is_empty() {
            return (String::new(), false);
        }
        let fit = fit(prompt + suffix, most, context);
        (context_limit::count_label(fit, prompt + suffix, !guess, wide), matches!(fit, Fit::Over { .. }))
    }

    /// Returns why the prompt does not fit into the model's context; `None`: it does, or nobody knows.
    pub(super) fn over_limit(&mut self, most: u64, context: Option<u64>) -> Option<String> {
        let ([prompt, suffix], guess) = self.tokens();
        let context = context.filter(|_| !guess)?;
        let Fit::Over { cut, .. } = fit(prompt + suffix, most, Some(context)) else { return None };
        Some(context_limit::prompt_too_long(prompt + suffix, most, cut, context))
    }

    /// Returns the first words after the caret.
    pub(super) fn suffix_excerpt(&self) -> Untrusted {
        let caret = self.buffer.caret();
        self.buffer.slice(caret..(caret + SUFFIX_EXCERPT).min(self.buffer.len())).into()
    }

    /// Types a text from outside.
    pub(super) fn insert(&mut self, text: &Untrusted) -> Change {
        self.buffer.insert(text.raw())
    }

    /// Types a text from outside in place of the whole text.
    pub(super) fn replace_all(&mut self, text: &Untrusted) -> Change {
        self.buffer.select((!self.buffer.is_empty()).then(|| 0..self.buffer.len()));
        self.insert(text)
    }

    /// Replaces the part that differs from a text, so that the tokens before and after it keep their probabilities.
    pub(super) fn replace_difference(&mut self, text: &str) -> Change {
        let before = self.buffer.text();
        let head: usize =
            before.chars().zip(text.chars()).take_while(|(a, b)| a == b).map(|(char, _)| char.len_utf8()).sum();
        let (old, new) = (&before[head..], &text[head..]);
        let tail: usize = (old.chars().rev().zip(new.chars().rev()))
            .take_while(|(a, b)| a == b)
            .map(|(char, _)| char.len_utf8())
            .sum();
        let (range, inserted) = (head..before.len() - tail, &text[head..text.len() - tail]);
        let change = Change { at: head, removed: before[range.clone()].to_owned(), inserted: inserted.to_owned() };
        self.buffer.splice(range, inserted);
        self.buffer.set_caret(head + inserted.len());
        change
    }

    /// Returns the work of counting the text before the caret and the text after it as a model cuts them.
    pub(super) fn count_work(&self, model: Untrusted, local: bool) -> Work {
        count_work(&self.buffer, model, local)
    }

    /// Brings the buffer where the history went.
    pub(super) fn apply(&mut self, splices: &[Splice]) {
        for Splice { range, text } in splices {
            self.buffer.splice(range.clone(), text.raw());
        }
        if let Some(Splice { range, text }) = splices.last() {
            self.buffer.set_caret(range.start + text.len());
        }
    }

    /// Notes that the buffer stands at another step.
    pub(super) fn step_changed(&mut self, unix_ms: i64) {
        self.revision += 1;
        self.sheet.current = self.history.current();
        self.sheet.updated_ms = unix_ms;
    }

    /// Notes where the caret is.
    pub(super) fn caret_moved(&mut self, now: Instant) {
        self.sheet.caret = self.buffer.caret() as u64;
        self.count.changed(now);
    }

    /// Notes that something was typed.
    pub(super) fn typed(&mut self, now: Instant) {
        self.refused_empty_at = None;
        self.burst_due = Some(now + undo::REST);
    }

    /// Returns when what is typed next becomes a step of its own.
    pub(super) fn due(&self) -> Option<Instant> {
        self.burst_due
    }

    /// Ends the step that is typed, when nothing was typed for long enough.
    pub(super) fn tick(&mut self, now: Instant) {
        if self.burst_due.take_if(|due| *due <= now).is_some() {
            self.history.end_burst();
        }
    }

    /// Returns the generated pieces of the buffer.
    pub(super) fn spans(&self) -> &[GeneratedSpan] {
        self.history.spans()
    }

    /// Returns where a run writes, in bytes of the buffer; `None`: it writes elsewhere.
    pub(super) fn growing_end(&self, active: &ActiveRun) -> Option<usize> {
        let here = self.history.current()?;
        let shown = active.outputs.iter().any(|output| output.step == here);
        let step = self.history.step(here).filter(|_| shown)?;
        Some(step.at as usize + step.inserted.len())
    }

    /// Returns the text without what models wrote.
    pub(super) fn written(&self) -> String {
        let (mut written, mut from) = (String::new(), 0);
        for span in self.spans() {
            written.push_str(&self.buffer.slice(from..span.range.start));
            from = span.range.end;
        }
        written + &self.buffer.slice(from..self.buffer.len())
    }

    /// Returns how many bytes models wrote.
    pub(super) fn generated(&self) -> usize {
        self.spans().iter().map(|span| span.range.len()).sum()
    }

    /// Selects the generated part around the caret, then everything, then nothing.
    pub(super) fn select_next(&mut self) {
        let (all, caret) = (0..self.buffer.len(), self.buffer.caret());
        let before = caret.saturating_sub(1);
        let generated = self.history.generated();
        let part = generated.part_at(caret).or_else(|| generated.part_at(before)).or_else(|| generated.last_part());
        let next = match self.buffer.selection() {
            None => part.or(Some(all)),
            Some(selected) if selected == all => None,
            Some(_) => Some(all),
        };
        self.buffer.select(next.filter(|range| !range.is_empty()));
    }

    /// Returns the selection, else the generated part, else the whole text.
    pub(super) fn chosen(&self) -> Untrusted {
        let range =
            self.buffer.selection().or_else(|| self.history.generated().last_part()).unwrap_or(0..self.buffer.len());
        self.buffer.slice(range).into()
    }
}

fn around_caret(buffer: &Buffer) -> [String; 2] {
    let caret = buffer.caret();
    [buffer.slice(0..caret), buffer.slice(caret..buffer.len())]
}

fn count_work(buffer: &Buffer, model: Untrusted, local: bool) -> Work {
    Work::Count { model, local, texts: around_caret(buffer).map(Untrusted::from).into() }
}
