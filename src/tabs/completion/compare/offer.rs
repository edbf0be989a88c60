//! Takes models that another tab wants to compare: a column each, with the same prompt.

use super::super::models::ChosenModels;
use super::{ColumnSetup, Compare, ComparedColumn, MOST};
use crate::component::{ComparisonOffer, Session};
use crate::record::CompletionParams;
use crate::text::Untrusted;

/// Ends that a request may name.
const STOPS: usize = 4;

impl Compare {
    /// Replaces the columns by these models, at temperature 0 and with their own end of an answer; all else is as
    /// `params` has it. Nothing is sent before somebody runs them.
    pub(crate) fn take_offer(
        &mut self,
        offer: ComparisonOffer,
        mut params: CompletionParams,
        models: &ChosenModels,
        session: &Session,
    ) {
        params.common.temperature = Some(0.0);
        if !offer.stop.is_empty() {
            params.common.stop = offer.stop.into_iter().take(STOPS).collect();
        }
        let column = |model: &Untrusted| {
            let (profile, model) = (offer.profile.0.clone(), model.line().into_owned());
            ComparedColumn::new(ColumnSetup { profile, model, params: params.clone() })
        };
        self.columns = offer.models.iter().take(MOST).map(column).collect();
        if self.columns.len() == 1 {
            // Its base is not known: the model in use takes its place.
            self.columns.push(column(&models.of(&offer.profile, session)));
        }
        self.set_focus(0);
        self.changed = true;
    }
}
