//! One call → requests → replies: the only match on [`Call`].

use std::sync::Arc;

use reqwest::Method;
use serde::Deserialize;
use serde_json::Map;
use tokio::sync::{Notify, mpsc};

use super::answer::ask;
use super::chat::{self, Chat};
use super::completion::{self, Complete};
use super::http::{Http, Request, parse, whole};
use super::scrub::Secrets;
use super::{download, embedding, files, follow, jobs, moderation, upload};
use crate::api::call::{Call, Failure, Followed, Progress, Reply, Ticket};
use crate::api::lenient;
use crate::api::model::{List, Model};
use crate::api::probe::Wanted;
use crate::settings::{Endpoint, limits};

/// Where a call's progress goes, and what may hurry its countdown. The one way out for words of the server's that are
/// no answer, so secrets are taken out here.
pub(super) struct Outlet {
    ticket: Ticket,
    progress: mpsc::Sender<(Ticket, Progress)>,
    pub(super) hurry: Arc<Notify>,
    secrets: Secrets,
}

impl Outlet {
    pub(super) fn new(
        ticket: Ticket,
        progress: mpsc::Sender<(Ticket, Progress)>,
        hurry: Arc<Notify>,
        endpoint: &Endpoint,
    ) -> Self {
        Self { ticket, progress, hurry, secrets: Secrets::of(endpoint) }
    }

    /// Hands on; waits while the channel is full. A receiver that is gone means the program ends.
    pub(super) async fn send(&self, mut progress: Progress) {
        match &mut progress {
            Progress::Retrying { why, .. } | Progress::Closed(Err(why)) => self.secrets.failure(why),
            Progress::Opened { request_id: Some(id) } => self.secrets.text(id),
            _ => {}
        }
        let _ = self.progress.send((self.ticket, progress)).await;
    }

    /// Hands on a piece of the answer that was this many bytes on the wire. The channel counts messages; so that what
    /// waits in it is bounded in bytes as well, a large piece goes in only when nothing else waits.
    pub(super) async fn reply(&self, mut reply: Reply, bytes: usize) {
        if let Reply::Followed(Followed::Lost { why, .. }) = &mut reply {
            self.secrets.failure(why);
        }
        let places = if bytes > limits::BATCH_BYTES { self.progress.max_capacity() } else { 1 };
        if let Ok(mut permits) = self.progress.reserve_many(places).await
            && let Some(permit) = permits.next()
        {
            permit.send((self.ticket, Progress::Reply(reply)));
        }
    }
}

/// Makes the call and says how it ended.
pub(super) async fn perform(http: Arc<Http>, endpoint: Arc<Endpoint>, call: Call, outlet: Outlet) {
    let ended = match call {
        Call::Models => models(&http, &endpoint, &outlet).await,
        Call::Complete(asked) => ask::<Complete>(&http, &endpoint, completion::body(&asked, &endpoint), &outlet).await,
        Call::Moderate(asked) => moderation::moderate(&http, &endpoint, &asked, &outlet).await,
        Call::Embed(asked) => embedding::embed(&http, &endpoint, &asked, &outlet).await,
        Call::Chat(asked) => ask::<Chat>(&http, &endpoint, chat::body(*asked, &endpoint), &outlet).await,
        Call::Files => files::list(&http, &endpoint, &outlet).await,
        Call::File(id) => files::one(&http, &endpoint, &id, &outlet).await,
        Call::DeleteFile(id) => files::delete(&http, &endpoint, &id, &outlet).await,
        Call::Content(span) => files::content(&http, &endpoint, &span, &outlet).await,
        Call::Digest(id) => files::digest(&http, &endpoint, &id, &outlet).await,
        Call::Upload(upload) => upload::upload(&http, &endpoint, &upload, &outlet).await,
        Call::Download(wanted) => download::download(&http, &endpoint, &wanted, &outlet).await,
        Call::Jobs => jobs::list(&http, &endpoint, &outlet).await,
        Call::Job(id) => jobs::one(&http, &endpoint, &id, &outlet).await,
        Call::CreateJob(asked) => jobs::create(&http, &endpoint, &asked, &outlet).await,
        Call::CancelJob(id) => jobs::cancel(&http, &endpoint, &id, &outlet).await,
        Call::DeleteModel(model) => jobs::delete_model(&http, &endpoint, &model, &outlet).await,
        Call::Follow(id) => follow::follow(&http, &endpoint, &id, &outlet).await,
    };
    outlet.send(Progress::Closed(ended)).await;
}

/// A model as far as it is shown: what else servers write of it can be a hundred times as large.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Listed {
    #[serde(deserialize_with = "lenient::or_default")]
    id: String,
    #[serde(deserialize_with = "lenient::or_default")]
    object: String,
    #[serde(deserialize_with = "lenient::or_default")]
    created: Option<i64>,
    #[serde(deserialize_with = "lenient::or_default")]
    owned_by: Option<String>,
}

/// All models, in the server's order, those without a name left out.
async fn models(http: &Http, endpoint: &Endpoint, outlet: &Outlet) -> Result<(), Failure> {
    let response = http.exchange(endpoint, &Request::new(Method::GET, "/models"), outlet).await?;
    let body = whole(Vec::new(), response, limits::MODEL_LIST, endpoint, outlet).await?;
    let list: List<Listed> = parse(&body, Wanted::Data, "/models", endpoint)?;
    let named = list.data.into_iter().filter(|model| !model.id.is_empty());
    let models: Vec<Model> = named
        .map(|Listed { id, object, created, owned_by }| Model { id, object, created, owned_by, extra: Map::new() })
        .collect();
    outlet.reply(Reply::Models(models), body.len()).await;
    Ok(())
}
