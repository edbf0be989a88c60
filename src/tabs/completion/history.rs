//! The buffer's history as a tree: every earlier state can be reached again, and it is known which parts a model wrote.
//!
//! It has no side effects: it returns the splices that lead from one state of the buffer to another, and updates the
//! ranges of the generated parts.

use std::collections::HashMap;
use std::ops::Range;

use super::generated_spans::{GeneratedSpan, GeneratedSpans};
use crate::record::{Id, Made, Step, TurnStatus};
use crate::text::Untrusted;
use crate::ui::undo::Change;

/// A change to be made to the buffer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Splice {
    /// What goes, in bytes of the text before it.
    pub(super) range: Range<usize>,
    /// What comes.
    pub(super) text: Untrusted,
}

/// The steps of a sheet and where among them the buffer stands.
#[derive(Clone, Debug, Default)]
pub(super) struct EditHistory {
    steps: HashMap<Id, Step>,
    /// Oldest first.
    children: HashMap<Option<Id>, Vec<Id>>,
    current: Option<Id>,
    /// The last visited child of each step: forward leads there.
    next_taken: HashMap<Option<Id>, Id>,
    generated: GeneratedSpans,
    /// The last step on the way here in which the user took the whole text away.
    replaced: Option<Id>,
    /// The typed step that still takes in what is typed.
    burst: Option<Id>,
}

impl EditHistory {
    /// Returns the tree of these steps, standing at one of them (at the newest, where that one is unknown).
    pub(super) fn of(steps: Vec<Step>, current: Option<Id>) -> Self {
        let mut history = Self::default();
        for step in steps {
            history.insert(step);
        }
        history.current = current.map(|id| if history.steps.contains_key(&id) { id } else { history.newest() });
        history.remember_path();
        history.find_generated();
        history
    }

    fn newest(&self) -> Id {
        self.steps.keys().copied().max().unwrap_or(Id(0))
    }

    /// Adds a step anywhere, or replaces it; where the buffer stands does not change.
    pub(super) fn insert(&mut self, step: Step) {
        let siblings = self.children.entry(step.parent).or_default();
        if !siblings.contains(&step.id) {
            siblings.push(step.id);
        }
        self.steps.insert(step.id, step);
    }

    pub(super) fn step(&self, id: Id) -> Option<&Step> {
        self.steps.get(&id)
    }

    pub(super) fn step_mut(&mut self, id: Id) -> Option<&mut Step> {
        self.steps.get_mut(&id)
    }

    /// Returns how many steps there are, on all branches.
    pub(super) fn len(&self) -> usize {
        self.steps.len()
    }

    pub(super) fn current(&self) -> Option<Id> {
        self.current
    }

    /// Returns the parts of the buffer that a model wrote.
    pub(super) fn generated(&self) -> &GeneratedSpans {
        &self.generated
    }

    pub(super) fn spans(&self) -> &[GeneratedSpan] {
        self.generated.list()
    }

    /// Returns the steps from the current one back to the first.
    pub(super) fn ancestors(&self) -> impl Iterator<Item = &Step> {
        let first = self.current.and_then(|id| self.steps.get(&id));
        // A damaged store may lead in circles.
        std::iter::successors(first, |step| self.steps.get(&step.parent?)).take(self.steps.len())
    }

    /// Returns the steps from the first to this one.
    pub(super) fn path(&self, to: Option<Id>) -> Vec<Id> {
        let up = |id: &Id| self.steps.get(id).and_then(|step| step.parent);
        // A damaged store may lead in circles.
        let mut path: Vec<Id> = std::iter::successors(to, up).take(self.steps.len()).collect();
        path.reverse();
        path
    }

    /// Returns the buffer as it is here, made from nothing.
    pub(super) fn text(&self) -> String {
        let mut text = String::new();
        for id in self.path(self.current) {
            let Some(step) = self.steps.get(&id) else { continue };
            let range = bounds(step, text.len());
            if text.is_char_boundary(range.start) && text.is_char_boundary(range.end) {
                text.replace_range(range, step.inserted.raw());
            }
        }
        text
    }

    /// Adds a step after the current one and stands on it. The buffer has changed already.
    pub(super) fn push(&mut self, step: Step) {
        let id = step.id;
        self.insert(step);
        self.burst = None;
        self.current = Some(id);
        self.remember_path();
        self.take_in(id);
    }

    /// Takes in what was typed: into the step that is being typed, where it continues there, else as a new one made of
    /// `fresh`. Which step it is.
    pub(super) fn typed(&mut self, change: &Change, fresh: Step) -> Id {
        if let Some(id) = self.burst.filter(|id| self.current == Some(*id))
            && let Some(step) = self.steps.get_mut(&id)
            && extend_step(step, change)
        {
            let removed = change.removed.len();
            if self.generated.is_whole_text(removed) {
                self.replaced = Some(id);
            }
            self.generated.shift(change.at, removed, change.inserted.len());
            return id;
        }
        let id = fresh.id;
        self.push(fresh);
        self.burst = Some(id);
        id
    }

    /// Makes what is typed next a step of its own.
    pub(super) fn end_burst(&mut self) {
        self.burst = None;
    }

    /// Appends text to a run's step. Whether the buffer shows it, and where it is to be inserted there.
    pub(super) fn append(&mut self, id: Id, text: &Untrusted) -> Option<Splice> {
        let step = self.steps.get_mut(&id)?;
        let (before, at) = (step.inserted.len(), step.at as usize);
        step.inserted.append(text);
        if self.current != Some(id) {
            return None;
        }
        let end = at + before;
        self.generated.append(id, end, before, text.len());
        Some(Splice { range: end..end, text: text.clone() })
    }

    /// Goes one step back; `None`: there is nothing before.
    pub(super) fn back(&mut self) -> Option<Vec<Splice>> {
        let current = self.current?;
        let parent = self.steps.get(&current)?.parent;
        Some(self.go_to(parent))
    }

    /// Goes one step forward, the way that was taken last; `None`: there is nothing after it.
    pub(super) fn forward(&mut self) -> Option<Vec<Splice>> {
        let next = self.next_step()?;
        Some(self.go_to(Some(next)))
    }

    /// Returns the step that forward leads to.
    pub(super) fn next_step(&self) -> Option<Id> {
        let newest = || self.children.get(&self.current).and_then(|children| children.iter().max().copied());
        self.next_taken.get(&self.current).copied().or_else(newest)
    }

    /// Goes to another step. Returns the splices that bring the buffer there, in order.
    pub(super) fn go_to(&mut self, to: Option<Id>) -> Vec<Splice> {
        let (here, there) = (self.path(self.current), self.path(to));
        let shared = here.iter().zip(&there).take_while(|(a, b)| a == b).count();
        let undo = here[shared..].iter().rev().filter_map(|id| self.steps.get(id)).map(|step| {
            let at = step.at as usize;
            Splice { range: at..at + step.inserted.len(), text: step.removed.clone() }
        });
        let redo = there[shared..].iter().filter_map(|id| self.steps.get(id)).map(|step| {
            let at = step.at as usize;
            Splice { range: at..at + step.removed.len(), text: step.inserted.clone() }
        });
        let splices = undo.chain(redo).filter(|splice| !(splice.range.is_empty() && splice.text.is_empty())).collect();
        self.current = to;
        self.burst = None;
        self.remember_path();
        self.find_generated();
        splices
    }

    /// Returns the last step on the way here that a model made, unless the user replaced the whole text since.
    pub(super) fn last_generated(&self) -> Option<Id> {
        self.since_replaced().find(|step| is_generated(step)).map(|step| step.id)
    }

    /// Returns the steps on the way here that a model made or in which a token was picked, oldest first; none from
    /// before the user replaced the whole text.
    pub(super) fn branched(&self) -> Vec<&Step> {
        let is_meant = |step: &&Step| is_generated(step) || step.made == Made::Picked;
        let mut steps: Vec<&Step> = self.since_replaced().filter(is_meant).collect();
        steps.reverse();
        steps
    }

    /// Returns the steps from the current one back to where the user replaced the whole text.
    fn since_replaced(&self) -> impl Iterator<Item = &Step> {
        self.ancestors().take_while(|step| self.replaced != Some(step.id))
    }

    /// Returns the branches at a generated step: the generated steps that were made where it was, oldest first, itself among
    /// them.
    pub(super) fn branches_of(&self, id: Id) -> Vec<Id> {
        self.siblings(id, is_generated)
    }

    /// Returns the steps in which a token was picked where it was in this one, oldest first, itself among them.
    pub(super) fn picks(&self, pick: &Step) -> Vec<Id> {
        self.siblings(pick.id, |step| step.made == Made::Picked && step.at == pick.at)
    }

    /// Returns some of the steps with the same parent as this one, oldest first.
    fn siblings(&self, id: Id, is_meant: impl Fn(&Step) -> bool) -> Vec<Id> {
        let parent = self.steps.get(&id).and_then(|step| step.parent);
        let children = self.children.get(&parent).map_or(&[][..], Vec::as_slice);
        let is_meant = |id: &Id| self.steps.get(id).is_some_and(&is_meant);
        let mut all: Vec<Id> = children.iter().copied().filter(is_meant).collect();
        all.sort();
        all
    }

    /// Returns the first step a run wrote; `None`: it wrote none.
    pub(super) fn output_of(&self, run: Id) -> Option<Id> {
        self.outputs_of(run).map(|step| step.id).min()
    }

    /// Returns all that a run wrote, in no order.
    pub(super) fn outputs_of(&self, run: Id) -> impl Iterator<Item = &Step> {
        let by = move |step: &&Step| matches!(step.made, Made::Generated { run: by, .. } if by == run);
        self.steps.values().filter(by)
    }

    /// Returns where one stood last below a step.
    pub(super) fn latest_below(&self, mut id: Id) -> Id {
        for _ in 0..self.steps.len() {
            let Some(next) = self.next_taken.get(&Some(id)) else { break };
            id = *next;
        }
        id
    }

    /// Makes the way here the way forward from each step on it.
    fn remember_path(&mut self) {
        let mut before = None;
        for id in self.path(self.current) {
            self.next_taken.insert(before, id);
            before = Some(id);
        }
    }

    /// Finds the generated parts again.
    fn find_generated(&mut self) {
        (self.generated, self.replaced) = (GeneratedSpans::default(), None);
        for id in self.path(self.current) {
            self.take_in(id);
        }
    }

    /// Takes in what a step does to the generated parts.
    fn take_in(&mut self, id: Id) {
        let Some(step) = self.steps.get(&id) else { return };
        if step.made == Made::Typed && self.generated.is_whole_text(step.removed.len()) {
            self.replaced = Some(id);
        }
        self.generated.apply(step);
    }
}

fn is_generated(step: &Step) -> bool {
    matches!(step.made, Made::Generated { .. })
}

/// Returns where a step's change is in a text of this length: what is kept may be damaged.
fn bounds(step: &Step, len: usize) -> Range<usize> {
    let at = (step.at as usize).min(len);
    at..(at + step.removed.len()).min(len)
}

/// Takes a change into a typed step, if it continues where that left off.
fn extend_step(step: &mut Step, next: &Change) -> bool {
    let (removed, inserted) = (step.removed.raw().to_owned(), step.inserted.raw().to_owned());
    let mut change = Change { at: step.at as usize, removed, inserted };
    let joined = change.join(next);
    if joined {
        (step.at, step.removed, step.inserted) = (change.at as u64, change.removed.into(), change.inserted.into());
    }
    joined
}

/// Returns a step of the user's own making.
pub(super) fn step(id: Id, sheet: Id, parent: Option<Id>, made: Made, at: usize, created_ms: i64) -> Step {
    Step {
        id,
        sheet,
        parent,
        made,
        at: at as u64,
        removed: Untrusted::default(),
        inserted: Untrusted::default(),
        status: TurnStatus::Done,
        finish_reason: Untrusted::default(),
        created_ms,
    }
}

#[cfg(test)]
mod tests;
