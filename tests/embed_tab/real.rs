//! The tab against the local service, over real HTTP by the real client.

use std::sync::Arc;
use std::time::Duration;

use benchtop::api::call::{Call, Progress};
use benchtop::app::{Effect, Event};
use benchtop::client::Client;
use benchtop::service::{Keys, Options, start};
use benchtop::settings::Endpoint;

use crate::desk::Desk;

const LIMIT: Duration = Duration::from_mins(2);

#[tokio::test(flavor = "multi_thread")]
async fn the_sample_is_embedded_and_what_belongs_together_is_near() {
    let key = "sk-local-test".to_owned();
    let options = Options { keys: Some(Keys::single(key.clone().into())), ..Options::default() };
    let service = start(options).await.unwrap();
    let endpoint = Arc::new(Endpoint::new(service.base_url(), Some(key.into())));
    let (client, mut progress) = Client::spawn();
    let mut desk = Desk::new();
    desk.press("\n");
    desk.settle();
    desk.press("^r");
    for effect in desk.news() {
        if let Effect::Call(ticket, _, call @ Call::Embed(_)) = effect {
            client.call(ticket, Arc::clone(&endpoint), call);
        }
    }
    loop {
        let (ticket, progress) = tokio::time::timeout(LIMIT, progress.recv()).await.expect("it answers").unwrap();
        let end = matches!(progress, Progress::Closed(_));
        desk.event(Event::Progress(ticket, progress));
        if end {
            break;
        }
    }
    desk.settle();
    desk.shows("8 texts embedded");
    desk.shows("1.00");
    desk.press("\u{1b}l\n");
    desk.shows("cosine");
    desk.shows("dimensions");
    // What was made from these texts by this model is as it should be.
    desk.press("\u{1b}H");
    desk.settle();
    desk.shows("✓ no problems");
}
