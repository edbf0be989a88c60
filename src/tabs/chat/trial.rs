//! Several models in one conversation: each message is answered by one after the other, and their answers, versions of one
//! another, stand side by side.

use super::kept::UNKEPT;
use super::params;
use super::room::{Asking, Voice};
use super::state::State;
use super::voices::Voices;
use crate::component::{Cx, Notice, Trial};
use crate::record::Id;
use crate::text::Untrusted;

/// Ends that a request may name.
const STOPS: usize = 4;

impl State {
    /// Begins a conversation in which these models answer each message, at temperature 0 and with their own end of an answer.
    /// The prompt waits in the message box: nothing is sent before somebody sends it.
    pub(super) fn take_trial(&mut self, trial: Trial, cx: &mut Cx) {
        let mut prompt = trial.prompt.clone();
        if prompt.is_empty() && self.editing.is_none() {
            prompt = self.editor.text().into();
        }
        self.fresh(cx);
        let id = self.open;
        let params = &mut self.room_mut().conversation.params;
        params.temperature = Some(0.0);
        if !trial.stop.is_empty() {
            params.stop = trial.stop.into_iter().take(STOPS).collect();
        }
        let params = params.clone();
        self.form = params::form(&params);
        let profile = trial.profile;
        let all: Vec<Voice> = trial.models.into_iter().map(|model| Voice { profile: profile.clone(), model }).collect();
        self.trials.insert(id, Voices { all, left: Vec::new(), first: None });
        if !prompt.is_empty() {
            self.editor.edit(&prompt);
            self.drafted(cx.now);
        }
        cx.notify(Notice::hint("each message is answered by both models; < > chooses the one to go on with"));
    }

    /// Whether several models answer in the conversation that is open.
    pub(super) fn is_trial(&self) -> bool {
        self.trials.contains_key(&self.open)
    }

    /// One model answers again, the one in use.
    pub(super) fn end_trial(&mut self, cx: &mut Cx) {
        if self.trials.remove(&self.open).is_some() {
            cx.notify(Notice::ok("from the next message on the model in use answers alone").about("trial"));
        }
    }

    /// Who answers a message first; the others follow. `None`: the model in use, alone.
    pub(super) fn first_voice(&mut self, id: Id) -> Option<Voice> {
        let voices = self.trials.get_mut(&id)?;
        let (first, rest) = voices.all.split_first()?;
        voices.left = rest.to_vec();
        voices.first = None;
        Some(first.clone())
    }

    /// Who would be asked for another answer like this model's, or for the first one. `None`: the model in use.
    pub(super) fn voice(&self, id: Id, model: Option<&Untrusted>) -> Option<Voice> {
        let all = &self.trials.get(&id)?.all;
        all.iter().find(|voice| Some(&voice.model) == model).or(all.first()).cloned()
    }

    /// Who answers again where this model has; it alone, if it is one of them.
    pub(super) fn same_voice(&mut self, id: Id, model: &Untrusted) -> Option<Voice> {
        let voices = self.trials.get(&id)?;
        match voices.all.iter().find(|voice| voice.model == *model).cloned() {
            Some(voice) => Some(voice),
            None => self.first_voice(id),
        }
    }

    /// Those who have not begun to answer do not.
    pub(super) fn silence(&mut self, id: Id) {
        if let Some(voices) = self.trials.get_mut(&id) {
            voices.left.clear();
            voices.first = None;
        }
    }

    /// An answer begins: it is seen beside the others.
    pub(super) fn show_voices(&mut self, id: Id, turn: Id) {
        let Some(voices) = self.trials.get_mut(&id) else { return };
        if voices.first.is_none() && !voices.left.is_empty() {
            voices.first = Some(turn);
        }
        if id == self.open && (voices.first.is_some() || self.rooms[&id].tree.version(turn).1 > 1) {
            self.show_beside = Some(turn);
        }
    }

    /// An answer has ended: the next model is asked; after the last one the conversation goes on from the first one's
    /// answer, unless somebody chooses another.
    pub(super) fn next_voice(&mut self, id: Id, asked: Id, cx: &mut Cx) {
        let Some(voices) = self.trials.get_mut(&id) else { return };
        if voices.left.is_empty() {
            let Some(first) = voices.first.take() else { return };
            if let Some(room) = self.rooms.get_mut(&id) {
                room.go_to(Some(first));
                self.keep_conversation(id, cx);
            }
            if id == self.open {
                self.show_beside = Some(first);
            }
            return;
        }
        let voice = Some(voices.left.remove(0));
        let Some(room) = self.rooms.get_mut(&id) else { return };
        room.committing = Some(Asking { parent: asked, continues: None, replaces: None, voice });
        if room.unsaved.is_empty() {
            self.begin(id, cx);
        } else if room.waits.is_some() {
            self.unsent(id, UNKEPT, cx);
        }
    }
}
