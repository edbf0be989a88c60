//! `benchtop embed`: turns texts into vectors, and prints, compares or saves them.

use std::path::Path;
use std::sync::Arc;

use clap::Args;
use serde::Serialize;

use super::request::{RequestArgs, VERSION};
use super::text_task::{Printer, TextTask};
use super::texts::{TextArgs, one_line};
use super::{Output, Status, Task, input, rows};
use crate::api::call::Ticket;
use crate::component::{Cx, Response};
use crate::record::VectorTable;
use crate::record::work::{Done, Export, Form, Work};
use crate::tabs::batch::TextResult;
use crate::tabs::embeddings::text_run::EmbeddingRun;
use crate::text::Untrusted;
use crate::vectors::between;

/// Numbers of a vector that a person is shown.
const SHOWN: usize = 4;
/// What is said where there is nothing to compare.
const TOO_FEW: &str = "--compare: give at least two texts";

/// The command line of `benchtop embed`.
#[derive(Clone, Debug, Args)]
pub struct EmbedArgs {
    #[command(flatten)]
    pub(crate) texts: TextArgs,
    /// Length of the vectors, where the model lets one choose
    #[arg(long, value_name = "NUMBERS", value_parser = clap::value_parser!(u32).range(1..))]
    pub dimensions: Option<u32>,
    /// Write the vectors to a new file: .npy, .csv, .json or .jsonl by its ending
    #[arg(long, value_name = "FILE", conflicts_with_all = ["compare", "json"])]
    pub output: Option<String>,
    /// Print how similar each text is to the first one, instead of the vectors
    #[arg(long)]
    pub compare: bool,
    #[command(flatten)]
    pub(crate) request: RequestArgs,
}

impl EmbedArgs {
    /// Returns whether the vectors are stored.
    pub fn saves(&self) -> bool {
        !self.request.no_save
    }
}

/// Returns the command. `model`: the one that is named.
///
/// # Errors
/// The command line cannot be carried out; a sentence.
pub fn embed(args: &EmbedArgs, model: Option<&str>) -> Result<impl Task + use<>, String> {
    let to = match &args.output {
        Some(output) => VectorUse::File(VectorFile::new(output)?),
        None if args.compare => VectorUse::Compare { first: None, texts: 0 },
        None => VectorUse::Print,
    };
    let texts = args.texts.open()?;
    if args.compare && texts.total() == Some(1) {
        return Err(TOO_FEW.to_owned());
    }
    let printer = VectorPrinter { json: args.request.json, to };
    let run = EmbeddingRun::new(model.map(Untrusted::from), args.dimensions);
    Ok(TextTask::new(run, printer, texts))
}

/// What is done with vectors.
#[derive(Debug)]
enum VectorUse {
    /// They are printed.
    Print,
    /// Each is compared with the first one.
    Compare { first: Option<Arc<[f32]>>, texts: u64 },
    /// They are written to a file.
    File(VectorFile),
}

/// A file of vectors, which is written when all have come.
#[derive(Debug)]
struct VectorFile {
    /// Absolute.
    path: String,
    form: Form,
    texts: Vec<Untrusted>,
    table: VectorTable,
    /// Whether a vector was left out.
    has_odd: bool,
    /// The work thread's answer that is waited for.
    writing: Option<Ticket>,
}

impl VectorFile {
    /// Checks where a file is to be written.
    fn new(output: &str) -> Result<Self, String> {
        let shown = Path::new(output);
        // `.npy` alone is a name without an ending.
        let form = shown.extension().and_then(|ending| {
            if ending.eq_ignore_ascii_case("jsonl") { Some(Form::JsonLines) } else { Form::of(output) }
        });
        let form = form.ok_or("--output: the name has to end in .npy, .csv, .json or .jsonl")?;
        let path = input::output_file(output)?;
        // The texts are beside an array.
        let beside = (form == Form::Npy).then(|| shown.with_extension("jsonl"));
        for path in [Some(shown.to_owned()), beside].into_iter().flatten() {
            if path.symlink_metadata().is_ok() {
                return Err(format!("--output: {} exists: name another file, or remove it first", path.display()));
            }
        }
        Ok(Self { path, form, texts: Vec::new(), table: VectorTable::new(0), has_odd: false, writing: None })
    }

    /// Adds a text; a vector of another length than the others is left out. Returns whether it was not.
    fn add(&mut self, text: Untrusted, vector: Option<&[f32]>) -> bool {
        self.texts.push(text);
        let is_added = self.table.push(vector);
        if !is_added {
            self.table.push(None);
            self.has_odd = true;
        }
        is_added
    }

    /// Has the file written.
    fn write(&mut self, model: Untrusted, cx: &mut Cx) {
        let (texts, table) = (std::mem::take(&mut self.texts), std::mem::take(&mut self.table));
        let what = Export::Vectors { texts: texts.into(), table: Arc::new(table), model };
        self.writing = Some(cx.work(Work::Export { path: self.path.clone(), form: self.form, what }));
    }
}

/// Prints vectors.
#[derive(Debug)]
struct VectorPrinter {
    json: bool,
    to: VectorUse,
}

impl Printer<EmbeddingRun> for VectorPrinter {
    fn print(&mut self, result: &TextResult<Arc<[f32]>>, run: &EmbeddingRun, out: &mut Output) {
        let TextResult { index, text, result } = result;
        let (index, vector) = (*index, result.as_ref().ok());
        match (&mut self.to, vector) {
            (VectorUse::File(file), vector) => {
                if !file.add(text.clone(), vector.map(|vector| &**vector)) {
                    out.notice(format!("index {index}: its vector has another length than the others"));
                }
            }
            (VectorUse::Compare { first, texts }, vector) => {
                *texts += 1;
                match (&*first, vector) {
                    (Some(first), Some(vector)) => {
                        let cosine = between(first, vector).cosine;
                        if self.json {
                            let (model, text) = (run.model().raw(), text.raw());
                            out.json(&CompareJson { version: VERSION, index, cosine, model, text });
                        } else if let Some(columns) = out.columns() {
                            let text = one_line(text, columns.saturating_sub(8));
                            out.line(&format!("{cosine:.4}  {text}").into());
                        } else {
                            rows::print_cells(&[format!("{cosine:.4}").into(), text.clone()], out);
                        }
                    }
                    (None, Some(vector)) if index == 0 => *first = Some(Arc::clone(vector)),
                    _ => {}
                }
            }
            (VectorUse::Print, Some(vector)) if self.json => out.json(&EmbedJson {
                version: VERSION,
                index,
                model: run.model().raw(),
                dimensions: vector.len(),
                embedding: vector,
                text: text.raw(),
            }),
            (VectorUse::Print, Some(vector)) => print_numbers(vector, text, out),
            (VectorUse::Print, None) => {}
        }
    }

    fn end(&mut self, run: &EmbeddingRun, cx: &mut Cx, out: &mut Output) -> Option<Status> {
        match &mut self.to {
            VectorUse::File(file) if file.table.present() > 0 => {
                file.write(run.model().clone(), cx);
                None
            }
            VectorUse::Compare { texts: 1, .. } => {
                out.notice(TOO_FEW);
                Some(Status::Usage)
            }
            _ => Some(Status::Done),
        }
    }

    fn handle(&mut self, ticket: Ticket, response: &Response, out: &mut Output) -> Option<Status> {
        let VectorUse::File(file) = &self.to else { return None };
        match response {
            Response::Work(Done::Saved(path)) if file.writing == Some(ticket) => {
                out.line(path);
                // A vector that cannot be used is no answer.
                Some(if file.has_odd { Status::Unreachable } else { Status::Done })
            }
            Response::Work(Done::Failed(why)) if file.writing == Some(ticket) => {
                out.notice(why.clone());
                Some(Status::CutOff)
            }
            _ => None,
        }
    }
}

/// Prints a vector on one line: all of its numbers for a program, the first ones and the text for a person.
fn print_numbers(vector: &[f32], text: &Untrusted, out: &mut Output) {
    let Some(columns) = out.columns() else {
        let numbers: Vec<String> = vector.iter().map(f32::to_string).collect();
        return out.line(&numbers.join("\t").into());
    };
    let first: Vec<String> = vector.iter().take(SHOWN).map(|number| format!("{number:.4}")).collect();
    let more = if vector.len() > SHOWN { ", …" } else { "" };
    let before = format!("{} numbers · {}{more}  ", vector.len(), first.join(", "));
    let room = columns.saturating_sub(before.chars().count());
    out.line(&(before + &one_line(text, room)).into());
}

/// A text's vector as JSON.
#[derive(Debug, Serialize)]
struct EmbedJson<'a> {
    version: u32,
    /// The text's place among all texts, from 0.
    index: u32,
    model: &'a str,
    dimensions: usize,
    /// Null stands for what is no number.
    embedding: &'a [f32],
    text: &'a str,
}

/// How similar a text is to the first one, as JSON.
#[derive(Debug, Serialize)]
struct CompareJson<'a> {
    version: u32,
    /// The text's place among all texts, from 0.
    index: u32,
    /// −1 to 1; null: one of the vectors has no direction.
    cosine: f64,
    model: &'a str,
    text: &'a str,
}
