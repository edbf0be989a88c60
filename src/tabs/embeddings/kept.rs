//! Between the tab and the store: settings and lists that are kept, orders that were refused and are offered again.

use std::sync::Arc;
use std::time::Duration;

use super::inputs::text_of;
use super::pane::Panes;
use super::pane_data::Page;
use super::state::{ListState, Request, Settings, State};
use crate::api::call::Ticket;
use crate::component::{Cx, Notice};
use crate::record::work::FileText;
use crate::record::{Bench, Id, Query, Record, Rows, Stored, TextKey, TextList, TextRow};
use crate::tabs::texts::Keeping;
use crate::text::Untrusted;

/// The setting that holds the typed list's id.
pub(super) const BENCH: &str = "embed.bench";
/// The setting that holds everything else.
const VIEW: &str = "embed.view";
/// How long what was refused waits until it is offered again.
const AGAIN: Duration = Duration::from_secs(3);
/// Rows in one order.
const ROWS: usize = 10_000;

impl State {
    /// Asks for what is on disk: settings first, then the typed list's id, then the list that was open.
    pub(super) fn ask_kept(&mut self, cx: &mut Cx) {
        let ticket = cx.load(Query::Setting(VIEW.into()));
        self.pending.insert(ticket, Request::Settings);
    }

    /// A list to write on.
    pub(super) fn begin_list(&mut self, cx: &mut Cx) {
        if self.list.is_some() {
            return;
        }
        let id = self.bench.unwrap_or_else(|| cx.id());
        self.bench = Some(id);
        self.list = Some(TextList {
            id,
            bench: Bench::Embed,
            name: "typed texts".into(),
            source: Untrusted::default(),
            created_ms: cx.unix_ms,
            updated_ms: cx.unix_ms,
            state: String::new(),
            rows: 0,
        });
        self.settings_changed = true;
    }

    /// Keeps all that is not kept yet.
    pub(super) fn keep(&mut self, cx: &mut Cx) {
        self.keep_due = None;
        let mut records = Vec::new();
        if std::mem::take(&mut self.settings_changed) {
            self.settings.open =
                self.list.as_ref().filter(|list| Some(list.id) != self.bench).map_or(0, |list| list.id.0);
            let json = serde_json::to_string(&self.settings).expect("texts and numbers are always JSON");
            records.push(Record::Setting(VIEW.into(), json.into()));
            records.extend(self.bench.map(|id| Record::Setting(BENCH.into(), id.0.to_string().into())));
        }
        let unkept = std::mem::take(&mut self.unkept);
        if let Some(list) = &mut self.list
            && (std::mem::take(&mut self.list_changed) || !unkept.is_empty())
        {
            list.updated_ms = cx.unix_ms;
            let state = ListState { imported: self.imported.raw().to_owned(), shelf: self.shelf.clone() };
            list.state = serde_json::to_string(&state).expect("texts are always JSON");
            records.push(Record::TextList(Box::new(list.clone())));
            let rows = self.data.texts.iter().filter(|text| unkept.contains(&text.id));
            let rows: Vec<TextRow> = rows
                .map(|text| TextRow {
                    id: text.id,
                    place: text.place,
                    name: text.name.clone(),
                    text: text.text.clone(),
                    label: text.label.clone(),
                })
                .collect();
            let orders = rows.chunks(ROWS).map(|rows| Record::TextRows { list: list.id, rows: rows.to_vec() });
            records.extend(orders);
        }
        if !self.gone.is_empty() {
            records.push(Record::TextRowsGone(std::mem::take(&mut self.gone)));
        }
        if !records.is_empty() {
            self.owe(Record::Batch(records), Request::Save, cx);
        }
        if !self.lost.is_empty() {
            self.keep_due.get_or_insert(cx.now + AGAIN);
        }
    }

    /// Keeps something that nothing but the order itself holds; refused, it is offered again.
    ///
    /// While something refused waits, what is newer waits behind it: the last order is the one that stays.
    pub(super) fn owe(&mut self, record: Record, asked: Request, cx: &mut Cx) {
        if !self.lost.is_empty() {
            if let (Request::Came { .. }, Some(why)) = (&asked, self.save_error.clone()) {
                self.job_unkept(&why);
            }
            self.keep_due.get_or_insert(cx.now + AGAIN);
            return self.lost.push((asked, record));
        }
        let ticket = cx.record(record.clone());
        self.unsaved.push(ticket);
        self.owed.insert(ticket, record);
        self.pending.insert(ticket, asked);
    }

    /// What the disk refused is offered again, in the same order.
    pub(super) fn mend(&mut self, cx: &mut Cx) {
        for (asked, record) in std::mem::take(&mut self.lost) {
            self.owe(record, asked, cx);
        }
    }

    /// Why something here is not on disk.
    pub(super) fn refusal(&self) -> Option<&Untrusted> {
        self.save_error.as_ref().or(self.waits.as_ref())
    }

    /// The disk refuses something for now: the store keeps it and offers it again.
    fn waits_for_disk(&mut self, ticket: Ticket, asked: Request, why: Untrusted) {
        self.pending.insert(ticket, asked);
        self.waits = Some(why);
    }

    pub(super) fn stored(&mut self, ticket: Ticket, stored: Stored, cx: &mut Cx) {
        let Some(asked) = self.pending.take(ticket) else { return };
        match (asked, stored) {
            (asked, Stored::Waiting(why)) => self.waits_for_disk(ticket, asked, why),
            (asked @ (Request::Save | Request::Came { .. } | Request::Rows | Request::Vectored), stored) => {
                self.unsaved.retain(|other| *other != ticket);
                self.waits.take_if(|_| self.unsaved.is_empty());
                let owed = self.owed.remove(&ticket);
                if let Stored::Failed(why) = stored {
                    self.refused(asked, owed, why, cx);
                } else {
                    self.committed(asked, owed, cx);
                }
            }
            (asked, Stored::Rows(rows)) => self.rows(asked, rows, cx),
            (Request::Settings | Request::Bench | Request::List(_), Stored::Failed(why)) => {
                self.is_loaded(cx);
                cx.notify(Notice::error(format!("what was here last could not be read: {}", why.line())));
            }
            (Request::Job(number), Stored::Failed(why)) => self.job_failed(number, &why, cx),
            (Request::Vectors { .. } | Request::All { .. } | Request::Measure { .. }, Stored::Failed(why)) => {
                self.loading = false;
                cx.notify(Notice::error(format!("the vectors could not be read: {}", why.line())));
            }
            (_, Stored::Failed(why)) => cx.notify(Notice::error(why)),
            (_, Stored::Committed) => {}
        }
    }

    fn refused(&mut self, asked: Request, owed: Option<Record>, why: Untrusted, cx: &mut Cx) {
        if let Request::Came { .. } = &asked {
            self.job_unkept(&why);
        }
        self.lost.extend(owed.map(|record| (asked, record)));
        self.save_error = Some(why);
        self.keep_due.get_or_insert(cx.now + AGAIN);
    }

    fn committed(&mut self, asked: Request, owed: Option<Record>, cx: &mut Cx) {
        self.saved = true;
        if self.lost.is_empty() {
            self.save_error = None;
        } else {
            // It was sent behind an order that was refused: so it is again, after that one.
            if let (Request::Save, Some(newer @ Record::Batch(_))) = (&asked, &owed) {
                self.lost.push((Request::Save, newer.clone()));
            }
            self.mend(cx);
        }
        match (asked, owed) {
            (Request::Came { key, job, items }, Some(Record::Vectors { vectors, .. })) => {
                self.came(&key, job, &items, &vectors, cx);
            }
            (Request::Rows, _) => self.copy_rows(cx),
            (Request::Vectored, _) => self.copy_vectors(cx),
            _ => {}
        }
    }

    fn rows(&mut self, asked: Request, rows: Rows, cx: &mut Cx) {
        match (asked, rows) {
            (Request::Settings, Rows::Setting(_, json)) => {
                if let Some(json) = json.filter(|_| !self.settings_changed) {
                    self.settings = serde_json::from_str::<Settings>(json.raw()).unwrap_or_default();
                }
                let ticket = cx.load(Query::Setting(BENCH.into()));
                self.pending.insert(ticket, Request::Bench);
            }
            (Request::Bench, Rows::Setting(_, id)) => {
                let bench = id.and_then(|id| id.line().parse().ok()).map(Id);
                self.bench = self.bench.or(bench);
                let open = Some(Id(self.settings.open)).filter(|id| id.0 != 0).or(self.bench);
                match open {
                    Some(id) => self.ask_list(id, cx),
                    None => self.is_loaded(cx),
                }
            }
            (Request::List(id), Rows::Texts(found)) => self.found(id, found, cx),
            (Request::Has { key, texts }, Rows::HasVectors(has)) => self.has(&key, &texts, &has, cx),
            (Request::Measure { stamp }, Rows::Vectors(table)) => self.measured(stamp, table.dimensions(), cx),
            (Request::Vectors { key, rows }, Rows::Vectors(table)) => self.vectors(&key, &rows, &table, cx),
            (Request::All { stamp }, Rows::Vectors(table)) => self.whole(stamp, table, cx),
            (Request::Job(number), rows) => self.job_rows(number, rows, cx),
            _ => {}
        }
    }

    /// Opens a list that is kept; what is under way is not left behind unsaid.
    pub(super) fn open_list(&mut self, id: Id, cx: &mut Cx) {
        if self.is_busy() || self.importing.is_some() {
            return cx.notify(Notice::warn("a run is under way; esc stops it, then open the list again"));
        }
        self.keep(cx);
        self.ask_list(id, cx);
    }

    fn ask_list(&mut self, id: Id, cx: &mut Cx) {
        let ticket = cx.load(Query::Texts(id));
        self.pending.insert(ticket, Request::List(id));
    }

    fn found(&mut self, id: Id, found: Option<(TextList, Vec<TextRow>)>, cx: &mut Cx) {
        let Some((list, rows)) = found else {
            // A list that was deleted by another copy: the typed one is always there.
            let bench = self.bench.filter(|bench| *bench != id);
            return match bench {
                Some(bench) if !self.loaded => self.ask_list(bench, cx),
                _ => self.is_loaded(cx),
            };
        };
        // What was typed before it came stays.
        let typed = if self.loaded { Vec::new() } else { std::mem::take(self.data.texts_mut()) };
        self.show_list(list, rows, cx);
        self.is_loaded(cx);
        if !typed.is_empty() {
            self.add(typed.into_iter().map(|text| (text.name, text.text)).collect(), cx);
        }
    }

    /// Another list stands here; the vectors of the one before are let go.
    pub(super) fn show_list(&mut self, list: TextList, rows: Vec<TextRow>, cx: &mut Cx) {
        // A run that is paused goes on when its list is open again.
        self.stop(cx);
        let state: ListState = serde_json::from_str(&list.state).unwrap_or_default();
        (self.imported, self.shelf) = (state.imported.into(), state.shelf);
        self.list = Some(list);
        self.settings_changed = self.loaded;
        if self.loaded {
            self.keep_due.get_or_insert(cx.now);
        }
        self.undo.clear();
        self.writing = None;
        self.data.cut = None;
        self.forget_vectors(cx);
        // Panes hold what they were drawn from.
        self.panes = Panes::default();
        let texts = rows.into_iter().map(|row| {
            let sent = TextKey::of(&self.sent(&row.text));
            text_of(row, sent)
        });
        let texts = texts.collect();
        self.data.texts = Arc::new(texts);
        self.data.cursor = (0, 1.min(self.data.texts.len().saturating_sub(1)));
        (self.inputs, self.heat) = Default::default();
        self.page = if self.data.texts.len() > 1 { Page::Matrix } else { Page::Inputs };
        self.data.key = self.wanted_key(cx.session);
        self.align();
        self.place_heat();
        self.look(cx);
    }

    /// A file was read: it becomes a list of its own, copied into the store row by row.
    pub(super) fn opened_file(&mut self, name: Untrusted, path: String, texts: Vec<FileText>, cx: &mut Cx) {
        if texts.is_empty() {
            return cx.notify(Notice::warn("there is no text in this file"));
        }
        self.keep(cx);
        let (keeping, rows) = Keeping::new(Bench::Embed, name, path.into(), texts, cx);
        self.show_list(keeping.list().clone(), rows.clone(), cx);
        self.copying.push((keeping, rows));
        if self.copying.len() == 1 {
            self.copy_rows(cx);
        }
    }

    /// The next rows of a file on their way to the disk.
    fn copy_rows(&mut self, cx: &mut Cx) {
        while let Some((keeping, rows)) = self.copying.first_mut() {
            if let Some(record) = keeping.next(rows) {
                return self.owe(record, Request::Rows, cx);
            }
            self.copying.remove(0);
        }
    }

    /// What was here last has come, or there is none.
    fn is_loaded(&mut self, cx: &mut Cx) {
        self.loaded = true;
        self.data.key = self.wanted_key(cx.session);
        let offered = std::mem::take(&mut self.offered);
        if !offered.is_empty() {
            self.add(offered, cx);
        }
        self.look(cx);
    }

    /// A list was deleted; the open one makes place for the typed one.
    pub(super) fn list_gone(&mut self, id: Id, cx: &mut Cx) {
        let open = self.list.as_ref().is_some_and(|list| list.id == id);
        if self.bench == Some(id) {
            self.bench = None;
            self.settings_changed = true;
        }
        if !open {
            return;
        }
        self.unkept.clear();
        self.gone.clear();
        self.list_changed = false;
        self.no_list(cx);
        match self.bench {
            Some(bench) => self.open_list(bench, cx),
            None => self.keep(cx),
        }
    }

    /// Back from a file to the texts that were typed, if any were.
    pub(super) fn typed_list(&mut self, cx: &mut Cx) {
        let open = self.list.as_ref().map(|list| list.id);
        match self.bench {
            Some(bench) if open == Some(bench) => cx.notify(Notice::hint("these are the texts that were typed")),
            Some(bench) => self.open_list(bench, cx),
            None if open.is_some() => {
                self.stop(cx);
                self.keep(cx);
                self.no_list(cx);
                self.keep(cx);
            }
            None => {}
        }
    }

    /// No list stands here.
    fn no_list(&mut self, cx: &mut Cx) {
        self.list = None;
        self.imported = Untrusted::default();
        self.data.texts = Arc::default();
        self.undo.clear();
        self.forget_vectors(cx);
        self.panes = Panes::default();
        self.align();
        self.page = Page::Inputs;
        self.settings_changed = true;
    }
}
