//! Performs each kind of call. The only match over every [`Call`] is here.

use std::sync::Arc;

use super::answer::request_answer;
use super::chat::{self, Chat};
use super::completion::{self, Complete};
use super::endpoints::MODELS;
use super::http::Http;
use super::listed_model::ListedModel;
use super::progress::ProgressSender;
use super::request::Request;
use super::response_body::{parse_answer, read_body};
use super::{check, download, embedding, files, follow, jobs, moderation, upload};
use crate::api::call::{Call, Failure, Progress, Reply};
use crate::api::model::{List, Model};
use crate::api::probe::AnswerField;
use crate::settings::{Endpoint, limits};
use reqwest::Method;

/// Performs the call, and reports how it ended.
pub(super) async fn perform(http: Arc<Http>, endpoint: Arc<Endpoint>, call: Call, sender: ProgressSender) {
    let ended = match call {
        Call::Models => list_models(&http, &endpoint, &sender).await,
        Call::Check => check::check(&http, &endpoint, &sender).await,
        Call::Complete(asked) => {
            request_answer::<Complete>(&http, &endpoint, completion::body(&asked, &endpoint), &sender).await
        }
        Call::Moderate(asked) => moderation::moderate(&http, &endpoint, &asked, &sender).await,
        Call::Embed(asked) => embedding::embed(&http, &endpoint, &asked, &sender).await,
        Call::Chat(asked) => request_answer::<Chat>(&http, &endpoint, chat::body(*asked, &endpoint), &sender).await,
        Call::Files => files::list(&http, &endpoint, &sender).await,
        Call::File(id) => files::get(&http, &endpoint, &id, &sender).await,
        Call::DeleteFile(id) => files::delete(&http, &endpoint, &id, &sender).await,
        Call::Content(span) => files::read_part(&http, &endpoint, &span, &sender).await,
        Call::Digest(id) => files::hash(&http, &endpoint, &id, &sender).await,
        Call::Upload(upload) => upload::upload(&http, &endpoint, &upload, &sender).await,
        Call::Download(wanted) => download::download(&http, &endpoint, &wanted, &sender).await,
        Call::Jobs => jobs::list(&http, &endpoint, &sender).await,
        Call::Job(id) => jobs::get(&http, &endpoint, &id, &sender).await,
        Call::CreateJob(asked) => jobs::create(&http, &endpoint, &asked, &sender).await,
        Call::CancelJob(id) => jobs::cancel(&http, &endpoint, &id, &sender).await,
        Call::DeleteModel(model) => jobs::delete_model(&http, &endpoint, &model, &sender).await,
        Call::Follow(id) => follow::follow(&http, &endpoint, &id, &sender).await,
    };
    sender.send(Progress::Closed(ended)).await;
}

/// Lists all models, in the server's order, without those that have no name.
async fn list_models(http: &Http, endpoint: &Endpoint, sender: &ProgressSender) -> Result<(), Failure> {
    let response = http.exchange(endpoint, &Request::new(Method::GET, MODELS), sender).await?;
    let body = read_body(Vec::new(), response, limits::MODEL_LIST, endpoint, sender).await?;
    let list: List<ListedModel> = parse_answer(&body, AnswerField::Data, MODELS, endpoint)?;
    let models: Vec<Model> = list.data.into_iter().map(Model::from).filter(|model| !model.id.is_empty()).collect();
    sender.reply(Reply::Models(models), body.len()).await;
    Ok(())
}
