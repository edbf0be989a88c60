//! Collects the turns before marked answers, conversation by conversation, and makes training rows of them.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet, VecDeque};

use super::training_rows::{MarkedExample, TrainingForm, TrainingRows};
use crate::api::call::Ticket;
use crate::component::Cx;
use crate::record::{self, Block, Id, Marked, Query, Stored, Turn};
use crate::text::Untrusted;

/// Rows that cannot be exported are named up to here.
const NAMED: usize = 100;

/// An export under way.
#[derive(Debug)]
pub(super) struct MarksExport {
    /// The path of the file.
    pub(super) path: String,
    rows: TrainingRows,
    /// Conversations that come, with their marked turns.
    left: VecDeque<(Id, Vec<Marked>)>,
    here: Option<ExportedConversation>,
    pub(super) total: u64,
    /// Rows that cannot be exported, and why; the first of them.
    pub(super) refused: Vec<Untrusted>,
    pub(super) lost: u64,
}

/// The conversation at hand.
#[derive(Debug)]
struct ExportedConversation {
    ticket: Ticket,
    id: Id,
    marks: Vec<Marked>,
    system: Option<String>,
    parents: Option<HashMap<Id, Option<Id>>>,
}

/// The state of an export after a step.
#[derive(Debug)]
pub(super) enum ExportStep {
    More,
    /// All is collected: the file's text.
    Done(TrainingRows),
    Failed(Untrusted),
}

impl MarksExport {
    pub(super) fn new(path: String, form: TrainingForm, marks: Vec<Marked>) -> Self {
        let total = marks.len() as u64;
        let mut order: Vec<Id> = Vec::new();
        let mut groups: HashMap<Id, Vec<Marked>> = HashMap::new();
        for marked in marks {
            let group = groups.entry(marked.conversation).or_default();
            if group.is_empty() {
                order.push(marked.conversation);
            }
            group.push(marked);
        }
        let left = order.into_iter().filter_map(|id| Some((id, groups.remove(&id)?))).collect();
        Self { path, rows: TrainingRows::new(form), left, here: None, total, refused: Vec::new(), lost: 0 }
    }

    /// Returns rows made or refused so far.
    pub(super) fn done(&self) -> u64 {
        self.rows.count + self.lost
    }

    pub(super) fn has(&self, ticket: Ticket) -> bool {
        self.here.as_ref().is_some_and(|here| here.ticket == ticket)
    }

    /// Continues with the next conversation.
    pub(super) fn next(&mut self, cx: &mut Cx) -> ExportStep {
        let Some((id, marks)) = self.left.pop_front() else { return ExportStep::Done(std::mem::take(&mut self.rows)) };
        let ticket = cx.load(Query::Conversation(id));
        self.here = Some(ExportedConversation { ticket, id, marks, system: None, parents: None });
        ExportStep::More
    }

    /// Takes the store's answer to what was asked last. Returns how the export continues.
    pub(super) fn handle_stored(&mut self, stored: Stored, cx: &mut Cx) -> ExportStep {
        let Some(here) = &mut self.here else { return ExportStep::More };
        match stored {
            Stored::Rows(record::Rows::Conversation(Some(conversation))) => {
                here.system = Some(conversation.system);
                here.ticket = cx.load(Query::Outline(here.id));
                ExportStep::More
            }
            Stored::Rows(record::Rows::Conversation(None)) => {
                let marks = self.here.take().map(|here| here.marks).unwrap_or_default();
                for marked in &marks {
                    self.refuse(marked, "its conversation was deleted");
                }
                self.next(cx)
            }
            Stored::Rows(record::Rows::Outline(_, outline)) => {
                let parents: HashMap<Id, Option<Id>> = outline.into_iter().collect();
                let mut wanted = Vec::new();
                let mut seen = HashSet::new();
                for marked in &here.marks {
                    let mut at = Some(marked.mark.turn);
                    while let Some(id) = at.filter(|id| seen.insert(*id)) {
                        wanted.push(id);
                        at = parents.get(&id).copied().flatten();
                    }
                }
                here.parents = Some(parents);
                here.ticket = cx.load(Query::Turns(wanted));
                ExportStep::More
            }
            Stored::Rows(record::Rows::Turns(turns)) => {
                self.rows_of(&turns);
                self.next(cx)
            }
            Stored::Failed(why) => ExportStep::Failed(why),
            _ => ExportStep::More,
        }
    }

    fn rows_of(&mut self, turns: &[Turn]) {
        let Some(ExportedConversation { marks, system, parents, .. }) = self.here.take() else { return };
        let (system, parents) = (system.unwrap_or_default(), parents.unwrap_or_default());
        let turns: HashMap<Id, (&Turn, Cow<Untrusted>)> =
            turns.iter().map(|turn| (turn.id, (turn, with_files(turn)))).collect();
        for marked in &marks {
            let Some((turn, _)) = turns.get(&marked.mark.turn) else {
                self.refuse(marked, "the message was deleted");
                continue;
            };
            let mut before = Vec::new();
            let mut at = parents.get(&turn.id).copied().flatten();
            let (mut whole, mut has_picture) = (true, false);
            while let Some(id) = at.filter(|_| before.len() <= parents.len()) {
                match turns.get(&id) {
                    Some((turn, text)) => {
                        has_picture |= turn.blocks.iter().any(Block::is_picture);
                        before.push((turn.role.raw(), text.raw()));
                    }
                    None => whole = false,
                }
                at = parents.get(&id).copied().flatten();
            }
            if !whole {
                self.refuse(marked, "a part of what was said before it is lost");
                continue;
            }
            if has_picture {
                self.refuse(marked, "an image was sent before it, which training rows cannot contain");
                continue;
            }
            before.reverse();
            let ideal = marked.mark.ideal.as_ref().map_or(turn.content.raw(), Untrusted::raw);
            let said = MarkedExample { system: &system, before, role: turn.role.raw(), ideal };
            if let Err(why) = self.rows.add(&said) {
                self.refuse(marked, why);
            }
        }
    }

    fn refuse(&mut self, marked: &Marked, why: &str) {
        self.lost += 1;
        if self.refused.len() < NAMED {
            let title = marked.title.line();
            let title = if title.is_empty() { "a conversation without a title".into() } else { title };
            let text = crate::ui::rule::cut(&marked.text.line(), 30);
            self.refused.push(format!("{title} · {text}: {why}").into());
        }
    }
}

/// Returns the text of a message as the model read it, with that of its files.
fn with_files(turn: &Turn) -> Cow<'_, Untrusted> {
    let has_files = turn.blocks.iter().any(|block| matches!(block, Block::File { .. }));
    if has_files { turn.said() } else { Cow::Borrowed(&turn.content) }
}
