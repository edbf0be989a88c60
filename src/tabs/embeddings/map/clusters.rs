//! Clusters of the texts with their names, for lists without labels: computed once for each set of vectors.

use std::sync::Arc;

use super::super::background::{BackgroundJob, JobReply, VectorsVersion};
use super::super::labels::TextLabels;
use super::super::pane_data::PaneData;
use crate::api::call::Ticket;
use crate::component::{Cx, Response};
use crate::record::vectors::{Figures, VectorTask};

/// Texts without which there are no clusters.
const LEAST: usize = 4;

/// The clusters of the texts.
#[derive(Debug, Default)]
pub(super) struct TextClusters {
    job: BackgroundJob,
    known: Option<(VectorsVersion, Arc<TextLabels>)>,
}

impl TextClusters {
    /// Asks for the clusters, unless they are known or under way.
    pub(super) fn refresh(&mut self, data: &PaneData, now: Option<&VectorsVersion>, cx: &mut Cx) {
        let (Some(of), Some(table)) = (now.filter(|_| data.texts.len() >= LEAST), &data.table) else {
            self.known = None;
            self.job.stop(cx);
            return;
        };
        if self.known.as_ref().is_some_and(|(known, _)| !known.same_texts(of)) {
            self.known = None;
        }
        let known = self.known.as_ref().is_some_and(|(known, _)| known == of) || self.job.failed_of(of);
        if !known && !self.job.of().is_some_and(|running| running.same_texts(of)) {
            let texts = data.texts.iter().map(|text| text.text.clone()).collect();
            self.job.ask(of.clone(), VectorTask::Clusters { table: table.clone(), texts }, cx);
        }
    }

    /// Stops what is under way.
    pub(super) fn cancel(&mut self, cx: &mut Cx) {
        self.job.stop(cx);
    }

    /// Takes a reply. Returns whether it was its own.
    pub(super) fn reply(&mut self, ticket: Ticket, response: &mut Response, cx: &Cx) -> bool {
        match self.job.take(ticket, response, cx) {
            JobReply::NotOwn => return false,
            JobReply::Figures(of, Figures::Clusters(clusters)) => {
                self.known = Some((of, Arc::new(TextLabels::of_clusters(&clusters))));
            }
            JobReply::Progress | JobReply::Figures(..) => {}
        }
        true
    }

    /// Returns the clusters of so many texts, where there are any.
    pub(super) fn all(&self, texts: usize) -> Option<&Arc<TextLabels>> {
        let known = self.known.as_ref().map(|(_, clusters)| clusters);
        known.filter(|clusters| clusters.of.len() == texts && !clusters.is_empty())
    }
}
