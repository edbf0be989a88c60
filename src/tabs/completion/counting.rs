//! Has the prompt counted off the screen's thread.

use super::prompt_count::COUNTED;
use super::state::{Request, State};
use crate::component::{Cx, Session};
use crate::record::work::Work;
use crate::text::Untrusted;

impl State {
    /// Has the prompt counted.
    pub(super) fn ask_count(&mut self, cx: &mut Cx) {
        self.count.due = None;
        self.count.guess(&self.text.buffer);
        if self.text.buffer.len() > COUNTED {
            self.count.unknown = true;
            return;
        }
        let work = self.count_work(self.model(cx.session), cx.session.local);
        let ticket = cx.work(work);
        self.pending.insert(ticket, Request::Count { stamp: self.count.stamp });
    }

    /// Returns the work of counting the text before the caret and the text after it as a model cuts them.
    pub(super) fn count_work(&self, model: Untrusted, local: bool) -> Work {
        let texts = self.text.around_caret().map(Untrusted::from);
        Work::Count { model, local, texts: texts.into() }
    }

    /// Takes the counts; `None`: nobody here can count for this model.
    pub(super) fn counted(&mut self, stamp: u64, counts: Option<[u64; 2]>, cx: &mut Cx) {
        if stamp != self.count.stamp {
            return;
        }
        self.count.unknown = counts.is_none();
        self.count.exact = counts;
        if self.active.counting && self.count.is_settled() {
            self.queue_run(cx);
        }
    }

    /// Returns how many tokens the model may read and write together; `None`: unknown.
    pub(super) fn context(&self, session: &Session) -> Option<u64> {
        session.context(&session.profile, &self.model(session))
    }
}
