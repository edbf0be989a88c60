//! `benchtop models`: lists the models of a server.

use clap::Args;
use serde::Serialize;

use super::request::VERSION;
use super::{Output, Status, Task};
use crate::api::call::{Call, Progress, Reply, Ticket};
use crate::component::{Cx, Response};
use crate::text::Untrusted;

/// The command line of `benchtop models`.
#[derive(Clone, Copy, Debug, Args)]
pub struct ModelsArgs {
    /// Print a line of JSON for each model
    #[arg(long)]
    pub json: bool,
}

/// The command.
#[derive(Debug)]
pub struct Models {
    json: bool,
    asked: Option<Ticket>,
    status: Option<Status>,
}

impl Models {
    /// Creates the command.
    pub fn new(args: ModelsArgs) -> Self {
        Self { json: args.json, asked: None, status: None }
    }
}

impl Task for Models {
    fn start(&mut self, cx: &mut Cx, _out: &mut Output) {
        self.asked = Some(cx.call(Call::Models));
    }

    fn reply(&mut self, ticket: Ticket, response: Response, cx: &mut Cx, out: &mut Output) {
        let Response::Call(progress) = response else { return };
        if self.asked != Some(ticket) {
            return;
        }
        match progress {
            Progress::Reply(Reply::Models(models)) => {
                for model in &models {
                    let id = Untrusted::from(model.id.as_str());
                    if self.json {
                        let price = cx.session.price(&cx.session.profile, &id);
                        out.json(&ModelJson {
                            version: VERSION,
                            id: &model.id,
                            context_tokens: model.context.or_else(|| cx.session.context(&cx.session.profile, &id)),
                            owned_by: model.owned_by.as_deref(),
                            price_usd_per_million: price.map(|price| PriceJson {
                                input: price.input as f64 / 1e9,
                                output: price.output.map(|output| output as f64 / 1e9),
                            }),
                        });
                    } else {
                        out.line(&id);
                    }
                }
            }
            progress => self.status = self.status.or(Status::of_call(&progress, out)),
        }
    }

    fn interrupt(&mut self, cx: &mut Cx, _out: &mut Output) {
        if let Some(asked) = self.asked.take() {
            cx.cancel(asked);
        }
        self.status = Some(Status::Done);
    }

    fn status(&self) -> Option<Status> {
        self.status
    }
}

#[derive(Debug, Serialize)]
struct ModelJson<'a> {
    version: u32,
    id: &'a str,
    owned_by: Option<&'a str>,
    /// Null: unknown.
    context_tokens: Option<u64>,
    /// Null: unknown.
    price_usd_per_million: Option<PriceJson>,
}

#[derive(Debug, Serialize)]
struct PriceJson {
    input: f64,
    output: Option<f64>,
}
