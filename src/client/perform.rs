//! One call → requests → replies: the only match on [`Call`].

use std::sync::Arc;

use reqwest::Method;
use tokio::sync::{Notify, mpsc};

use super::chat;
use super::http::{Http, Request};
use crate::api::call::{Call, Failure, Progress, Reply, Ticket};
use crate::api::model::{Model, ModelList};
use crate::settings::Endpoint;

/// Where a call's progress goes, and what may hurry its countdown.
pub(super) struct Outlet {
    pub(super) ticket: Ticket,
    pub(super) progress: mpsc::Sender<(Ticket, Progress)>,
    pub(super) hurry: Arc<Notify>,
}

impl Outlet {
    /// Hands on; waits while the channel is full. A receiver that is gone means the program ends.
    pub(super) async fn send(&self, progress: Progress) {
        let _ = self.progress.send((self.ticket, progress)).await;
    }

    /// Hands on a piece of the answer.
    pub(super) async fn reply(&self, reply: Reply) {
        self.send(Progress::Reply(reply)).await;
    }
}

/// Makes the call and says how it ended.
pub(super) async fn perform(http: Arc<Http>, endpoint: Arc<Endpoint>, call: Call, outlet: Outlet) {
    let ended = match call {
        Call::Models => models(&http, &endpoint, &outlet).await,
        Call::Chat(request) => chat::chat(&http, &endpoint, *request, &outlet).await,
    };
    outlet.send(Progress::Closed(ended)).await;
}

/// All models, in the server's order, those without a name left out.
async fn models(http: &Http, endpoint: &Endpoint, outlet: &Outlet) -> Result<(), Failure> {
    let response = http.exchange(endpoint, &Request::new(Method::GET, "/models"), outlet).await?;
    let list: ModelList = http.json(endpoint, response, outlet).await?;
    let models: Vec<Model> = list.data.into_iter().filter(|model| !model.id.is_empty()).collect();
    outlet.reply(Reply::Models(models)).await;
    Ok(())
}
