//! The run over a file: which texts go into which request, what comes back, and that it is on disk before it counts.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::super::shared::{Shared, price};
use super::answer;
use super::kept::Kept;
use super::sheet::Sheet;
use crate::api::call::{Call, Failure, FailureKind, Progress, Reply, Ticket};
use crate::api::moderation::{Moderation, ModerationRequest, Texts};
use crate::component::Cx;
use crate::record::{Check, LedgerRow, Record};
use crate::settings::ProfileId;
use crate::tabs::batch::{Batch, Item, Limits};
use crate::tabs::tab::RunMeter;
use crate::text::Untrusted;
use crate::tokens::{Used, estimate};
use crate::ui::progress::Rate;

/// Requests at a time.
const FLIGHTS: usize = 8;
/// Texts in a request, where the server takes several…
const TEXTS: usize = 16;
/// …and their bytes.
const BYTES: u64 = 32 << 10;
/// How long it waits before it offers the store again what it would not take.
const AGAIN: Duration = Duration::from_secs(5);

/// The run.
#[derive(Debug)]
pub(super) struct Run {
    pub(super) batch: Batch,
    /// How fast rows are done.
    pub(super) rate: Rate,
    /// Why the store did not keep what came, and when it is offered again.
    pub(super) unsaved: Option<(Untrusted, Instant)>,
    /// The text of each place of the batch.
    texts: Vec<u32>,
    /// When each request under way was sent.
    sent: HashMap<Ticket, Instant>,
    /// What the server calls the requests that it answers.
    named: HashMap<Ticket, Untrusted>,
    /// Requests whose answer has come and whose end has not.
    ending: BTreeSet<Ticket>,
    /// Attempts that failed, and when the next ones begin.
    retries: HashMap<Ticket, (Instant, Untrusted)>,
    /// What has come and is not with the store.
    coming: Vec<(u32, Check)>,
    /// Lines of the ledger for it: one for each answer.
    bills: Vec<LedgerRow>,
    /// What is with the store: one order at a time, and whatever comes meanwhile is in the next.
    saving: Option<Saving>,
    names: Arc<[Untrusted]>,
    lists: Lists,
    /// What its answers cost.
    pub(super) cost: Option<RunMeter>,
}

/// What is with the store.
#[derive(Debug)]
struct Saving {
    ticket: Ticket,
    /// Each with its place in the batch.
    checks: Vec<(u32, Check)>,
    bills: Vec<LedgerRow>,
}

/// Whether the server takes several texts in a request.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Lists {
    /// Nobody knows yet.
    Unknown,
    /// It does, or none is sent.
    Known,
    /// It refused one: these are asked about one by one. If all of them are answered it was the list.
    Doubted(BTreeSet<u32>),
}

/// What news did.
#[derive(Debug, Default, PartialEq)]
pub(super) struct News {
    /// Checks that are on disk now, each with its text.
    pub(super) kept: Vec<(u32, Check)>,
    /// Whether it was about this run at all.
    pub(super) ours: bool,
}

impl Run {
    /// A run over the texts of a file that have no result that counts.
    pub(super) fn new(sheet: &Sheet, kept: &Kept, shared: &Shared) -> Self {
        let (mut texts, mut items, mut skipped) = (Vec::new(), Vec::new(), 0);
        for (text, place) in sheet.texts().iter().zip(0..) {
            if sheet.results.check(place).is_some_and(|check| check.at_ms >= kept.since_ms) {
                skipped += u64::from(text.rows);
                continue;
            }
            let weight = u32::try_from(sheet.rows[text.first as usize].text.len()).unwrap_or(u32::MAX);
            items.push(Item { weight, rows: text.rows });
            texts.push(place);
        }
        let many = shared.takes_many(&kept.profile);
        let limits = Limits { flights: FLIGHTS, texts: if many { TEXTS } else { 1 }, weight: BYTES };
        Self {
            batch: Batch::new(limits, items, skipped),
            rate: Rate::default(),
            unsaved: None,
            texts,
            sent: HashMap::new(),
            named: HashMap::new(),
            ending: BTreeSet::new(),
            retries: HashMap::new(),
            coming: Vec::new(),
            bills: Vec::new(),
            saving: None,
            names: Arc::from([]),
            lists: if many { Lists::Unknown } else { Lists::Known },
            cost: None,
        }
    }

    /// Sends what may be sent, and offers the store what has come.
    pub(super) fn go(&mut self, sheet: &Sheet, kept: &Kept, cx: &mut Cx) {
        self.rate.feed(cx.now, self.batch.tally().done);
        let (texts, sent, now) = (&self.texts, &mut self.sent, cx.now);
        self.batch.send(now, |items| {
            let text = |item: &u32| {
                let text = &sheet.texts()[texts[*item as usize] as usize];
                sheet.rows[text.first as usize].text.raw().to_owned()
            };
            let input = match items {
                [one] => Texts::One(text(one)),
                many => Texts::Many(many.iter().map(text).collect()),
            };
            let model = Some(kept.model.clone()).filter(|model| !model.is_empty());
            let call = Call::Moderate(Box::new(ModerationRequest { input, model }));
            let ticket = cx.call_to(ProfileId(kept.profile.clone()), call);
            sent.insert(ticket, now);
            ticket
        });
        self.save(cx);
    }

    /// News of a call.
    pub(super) fn progress(
        &mut self,
        ticket: Ticket,
        progress: &Progress,
        sheet: &Sheet,
        kept: &Kept,
        shared: &mut Shared,
        cx: &mut Cx,
    ) -> bool {
        if !self.batch.has(ticket) {
            // What follows an answer is its end.
            if matches!(progress, Progress::Closed(_)) {
                return self.ending.remove(&ticket);
            }
            return self.ending.contains(&ticket);
        }
        match progress {
            Progress::Retrying { at, why, .. } => {
                self.retries.insert(ticket, (*at, why.sentence.clone()));
            }
            Progress::Opened { request_id: Some(id) } => {
                self.named.insert(ticket, id.clone());
            }
            Progress::Reply(Reply::Moderation(answer)) => {
                self.ending.insert(ticket);
                self.retries.remove(&ticket);
                self.answer(ticket, answer, sheet, kept, shared, cx);
            }
            Progress::Closed(Ok(())) => {
                let why = Failure::new(FailureKind::Malformed, "the answer holds no result; try again");
                self.fail(ticket, &why, cx);
            }
            Progress::Closed(Err(why)) => self.fail(ticket, why, cx),
            _ => {}
        }
        self.go(sheet, kept, cx);
        true
    }

    /// The store's answer.
    pub(super) fn stored(&mut self, ticket: Ticket, failed: Option<&Untrusted>, cx: &mut Cx) -> News {
        let Some(Saving { checks: saved, bills, .. }) = self.saving.take_if(|saving| saving.ticket == ticket) else {
            return News::default();
        };
        if let Some(why) = failed {
            // Offered again, before what has come since.
            let since = std::mem::replace(&mut self.coming, saved);
            self.coming.extend(since);
            self.bills.extend(bills);
            let again = cx.now + AGAIN;
            self.unsaved = Some((why.clone(), again));
            let why = format!("what came could not be saved: {}", why.line());
            self.batch.hold(why.into(), Some(again));
            return News { kept: Vec::new(), ours: true };
        }
        if self.unsaved.take().is_some() {
            self.batch.release();
        }
        let items: Vec<u32> = saved.iter().map(|(item, _)| *item).collect();
        self.batch.kept(&items);
        let kept = saved.into_iter().map(|(item, check)| (self.texts[item as usize], check)).collect();
        News { kept, ours: true }
    }

    /// The disk refuses for now what has come: the store keeps it and offers it again, and nothing more is asked for.
    /// Whether it was this run's.
    pub(super) fn waits(&mut self, ticket: Ticket, why: &Untrusted, cx: &Cx) -> bool {
        let ours = self.saving.as_ref().is_some_and(|saving| saving.ticket == ticket);
        if ours {
            self.unsaved = Some((why.clone(), cx.now));
            self.batch.hold(format!("what came could not be saved: {}", why.line()).into(), None);
        }
        ours
    }

    /// Offers the store what has come. After a failure only when the wait is over, or it would be offered without end.
    pub(super) fn save(&mut self, cx: &mut Cx) {
        let waits = self.unsaved.as_ref().is_some_and(|(_, again)| *again > cx.now);
        if self.saving.is_none() && !waits {
            self.offer(cx);
        }
    }

    /// Offers the store all that is not on disk, also what it has already and has not answered for: what is kept twice is
    /// kept once. For a run that is done with.
    pub(super) fn flush(&mut self, cx: &mut Cx) {
        if let Some(Saving { mut checks, mut bills, .. }) = self.saving.take() {
            checks.append(&mut self.coming);
            bills.append(&mut self.bills);
            (self.coming, self.bills) = (checks, bills);
        }
        self.offer(cx);
    }

    /// Hands the store what has come.
    fn offer(&mut self, cx: &mut Cx) {
        if self.coming.is_empty() && self.bills.is_empty() {
            return;
        }
        let (checks, bills) = (std::mem::take(&mut self.coming), std::mem::take(&mut self.bills));
        let mut records = Vec::with_capacity(bills.len() + 1);
        if !checks.is_empty() {
            records.push(Record::Checks(checks.iter().map(|(_, check)| check.clone()).collect()));
        }
        records.extend(bills.iter().cloned().map(Record::Ledger));
        let ticket = cx.record(Record::Batch(records));
        self.saving = Some(Saving { ticket, checks, bills });
    }

    fn answer(
        &mut self,
        ticket: Ticket,
        answer: &Moderation,
        sheet: &Sheet,
        kept: &Kept,
        shared: &mut Shared,
        cx: &mut Cx,
    ) {
        let Some(asked) = self.batch.asked(ticket) else { return };
        let asked = asked.to_vec();
        let (many, results) = (asked.len() > 1, answer.results.len());
        let took = self.sent.remove(&ticket).map_or(Duration::ZERO, |sent| cx.now.saturating_duration_since(sent));
        // Each answer has its line, also one that is of no use.
        self.bill(ticket, &asked, sheet, kept, cx);
        if asked.len() > 2 && results == 1 {
            // One result for all of them: the server reads one text a request.
            shared.one_each(&kept.profile);
            self.batch.one_each();
            self.lists = Lists::Known;
            return self.batch.again(ticket);
        }
        if many && results != asked.len() {
            // Nobody can say whose they are: each half is asked about by itself.
            let why = format!("the server answered {} texts with {results} results", asked.len());
            return self.batch.failed(ticket, &Failure::new(FailureKind::Malformed, why), cx.now);
        }
        if many && matches!(std::mem::replace(&mut self.lists, Lists::Known), Lists::Doubted(_)) {
            // The server does take several: it was one of the texts.
            self.batch.several(TEXTS);
        }
        let items = self.batch.answered(ticket);
        let keys: Vec<_> = items.iter().map(|item| sheet.texts()[self.texts[*item as usize] as usize].key).collect();
        let latency_ms = u32::try_from(took.as_millis()).unwrap_or(u32::MAX);
        let asked = answer::Asked { profile: &kept.profile, model: &kept.model, latency_ms };
        let mut checks = answer::checks(answer, &keys, asked, &mut self.names, cx).into_iter();
        for item in items {
            match checks.next().flatten() {
                Some(check) => self.coming.push((item, check)),
                None => {
                    let words = "the server's answer says nothing about this text; try it again";
                    self.batch.refused(item, words.into());
                }
            }
            self.cleared(item, kept, shared);
        }
    }

    /// A line of the ledger for an answer.
    fn bill(&mut self, ticket: Ticket, items: &[u32], sheet: &Sheet, kept: &Kept, cx: &mut Cx) {
        let text = |item: &u32| &sheet.rows[sheet.texts()[self.texts[*item as usize] as usize].first as usize].text;
        let tokens = items.iter().map(|item| estimate(text(item).raw())).sum();
        let model = Untrusted::from(kept.model.as_str());
        let request_id = self.named.remove(&ticket).unwrap_or_else(|| format!("benchtop-{}", cx.id().0).into());
        let cost_nano = price(&kept.profile, &model, cx.session).and_then(|price| price.cost(Used::prompt(tokens)));
        self.bills.push(LedgerRow {
            request_id,
            at_ms: cx.unix_ms,
            profile: kept.profile.clone(),
            tab: "Moderate".into(),
            model,
            prompt_tokens: tokens,
            completion_tokens: 0,
            estimated: true,
            cost_nano,
        });
        let before = self.cost.unwrap_or_default();
        self.cost = Some(RunMeter {
            prompt_tokens: before.prompt_tokens + tokens,
            estimated: true,
            cost: before.cost + cost_nano.into(),
            ..before
        });
    }

    /// A text of a list that was refused was answered alone. After the last one it is known that it was the list.
    fn cleared(&mut self, item: u32, kept: &Kept, shared: &mut Shared) {
        let Lists::Doubted(left) = &mut self.lists else { return };
        if left.remove(&item) && left.is_empty() {
            shared.one_each(&kept.profile);
            self.lists = Lists::Known;
        }
    }

    fn fail(&mut self, ticket: Ticket, why: &Failure, cx: &Cx) {
        self.retries.remove(&ticket);
        self.named.remove(&ticket);
        self.sent.remove(&ticket);
        let asked = self.batch.asked(ticket).unwrap_or_default();
        if why.kind == FailureKind::Refused && why.status != Some(404) {
            match &mut self.lists {
                Lists::Unknown if asked.len() > 1 => {
                    self.lists = Lists::Doubted(asked.iter().copied().collect());
                    self.batch.one_each();
                    return self.batch.again(ticket);
                }
                Lists::Doubted(_) if asked.len() > 1 => return self.batch.again(ticket),
                Lists::Doubted(left) if asked.first().is_some_and(|item| left.contains(item)) => {
                    // It was one of the texts.
                    self.lists = Lists::Known;
                    self.batch.several(TEXTS);
                }
                _ => {}
            }
        }
        self.batch.failed(ticket, why, cx.now);
    }

    /// Stops all that is under way.
    pub(super) fn stop(&mut self, cx: &mut Cx) {
        for ticket in self.batch.stop() {
            cx.cancel(ticket);
        }
        (self.sent, self.retries, self.ending, self.named) = Default::default();
        self.rate.clear();
    }

    /// The text of a place of the batch.
    pub(super) fn text(&self, item: u32) -> u32 {
        self.texts[item as usize]
    }

    /// The next attempt of a request that is retried, and why.
    pub(super) fn retry(&self) -> Option<(Instant, &Untrusted)> {
        self.retries.values().min_by_key(|(at, _)| *at).map(|(at, why)| (*at, why))
    }

    /// When the store is offered again what it would not take; `None`: it has it, or owes no answer.
    pub(super) fn again_at(&self) -> Option<Instant> {
        self.unsaved.as_ref().filter(|_| self.saving.is_none()).map(|(_, again)| *again)
    }

    /// What has come and is not on disk.
    pub(super) fn owes(&self) -> usize {
        self.coming.len() + self.saving.as_ref().map_or(0, |saving| saving.checks.len())
    }
}
