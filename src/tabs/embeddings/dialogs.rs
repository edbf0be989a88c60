//! Dialogs over the panes, and what their answers do.

use super::embed_run::{EmbedRun, RunPurpose, RunStage};
use super::state::{Answer, Request, State};
use super::transfer::{ExportKind, shape_words};
use crate::component::{Cx, LinePrompt, Notice, PathInput, PathPrompt, Question, TextViewer};
use crate::record::Bench;
use crate::record::work::{Form, Reading, Shape, Work};
use crate::tabs::texts::{ChosenFile, FileChooser, ListEvent, ListPicker};
use crate::ui::meter;
use crate::ui::text_field::TextField;

impl State {
    /// Asks for a file of texts.
    pub(super) fn choose_file(&mut self) {
        self.modals.open(FileChooser::new(Bench::Embed, Answer::from));
    }

    /// Shows the lists that are kept.
    pub(super) fn choose_list(&mut self, cx: &mut Cx) {
        self.save(cx);
        self.modals.open(ListPicker::new(Bench::Embed, Answer::from, cx));
    }

    /// Asks how long vectors are to be.
    pub(super) fn open_dimensions(&mut self) {
        let now = self.list.data.cut.map(|cut| cut as u32).or(self.list.data.key.dimensions);
        let typed = now.map(|number| number.to_string()).unwrap_or_default();
        let answer = |typed: &str, way| Answer::Dimensions { typed: typed.trim().to_owned(), here: way == 1 };
        let ways = vec!["requested from the server", "cut here, then scaled to length 1"];
        self.modals.open(
            LinePrompt::new("Dimensions (empty: the model's own)", "set", TextField::new(typed), answer).with_ways(
                "requested from the server, or cut here",
                ways,
                self.list.data.cut.is_some().into(),
            ),
        );
    }

    /// Asks which file of vectors to read.
    pub(super) fn open_import(&mut self) {
        let prompt = PathPrompt::new("Import from", "import", PathInput::default(), |path| Answer::Import(path, None));
        self.modals.open(prompt.with_lines(vec!["vectors or a matrix, as .csv, .json or .npy".into()]));
    }

    /// Shows why the last run failed.
    pub(super) fn open_details(&mut self, cx: &mut Cx) {
        match &self.run.failure {
            Some(why) => self.modals.open(TextViewer::of_failure(why)),
            None => cx.notify(Notice::info("nothing has failed")),
        }
    }

    /// Asks where vectors or the matrix go.
    pub(super) fn open_export(&mut self, cx: &mut Cx) {
        if self.list.data.table.is_none() && self.list.data.matrix.is_none() {
            return cx.notify(Notice::info("there are no vectors to export yet; ^R embeds the texts"));
        }
        let kinds = [ExportKind::Vectors, ExportKind::Matrix];
        let prompt = PathPrompt::save("Export to", "export", "~/embeddings.csv", move |path, way| {
            Answer::Export(path, kinds[way])
        });
        let ways = kinds.map(ExportKind::description).into();
        self.modals.open(prompt.with_ways("vectors or matrix", ways, self.list.data.table.is_none().into()));
    }

    /// Asks how to read a file that does not say what it contains.
    pub(super) fn ask_shape(&mut self, path: &str, shapes: &[Shape]) {
        let said = "The file does not say what its numbers are. Import it as:";
        let add = |question: Question<Answer>, (digit, shape): (char, &Shape)| {
            question.answer(digit, shape_words(shape), Answer::Import(path.to_owned(), Some(shape.reading)))
        };
        self.modals.open(('1'..='9').zip(shapes).fold(Question::new("Import", vec![said.into()]), add));
    }

    /// Asks whether all vectors of a long list, which take so many bytes, are loaded.
    pub(super) fn ask_to_load(&mut self, bytes: u64) {
        if self.modals.is_open() {
            return;
        }
        let said = format!(
            "The vectors of {} texts take {} of memory while the list is open.",
            meter::count(self.list.data.texts.len() as u64),
            meter::bytes(bytes)
        );
        self.modals.open(
            Question::new("Load the vectors?", vec![said.into()])
                .answer('l', "load them", Answer::LoadAll)
                .dismiss('n', "not now; b loads them later"),
        );
    }

    /// Opens a run's question where keys go nowhere else: letters that are being typed are no answer.
    pub(super) fn put_question(&mut self) {
        if !self.run.job.as_ref().is_some_and(|job| job.stage == RunStage::Asking) {
            self.run.question = None;
        } else if !self.modals.is_open()
            && self.editing.is_none()
            && !self.find.bar.is_typing()
            && let Some(question) = self.run.question.take()
        {
            self.modals.open(question);
        }
    }

    /// Does what a dialog was answered with.
    pub(super) fn answer(&mut self, answer: Answer, cx: &mut Cx) {
        match answer {
            Answer::Add(texts) => self.add(texts, cx),
            Answer::Read(ChosenFile { path, columns, name }) => {
                if self.is_busy() {
                    return cx.notify(Notice::warn("a run is under way; esc stops it, then open the file again"));
                }
                let ticket = cx.work(Work::ReadTexts { path: path.clone(), columns });
                self.pending.insert(ticket, Request::File { path, name });
            }
            Answer::List(ListEvent::Open(id)) => self.open_list(id, cx),
            Answer::List(ListEvent::Deleted(id)) => self.list_deleted(id, cx),
            Answer::Dimensions { typed, here } => self.set_dimensions(&typed, here, cx),
            Answer::Export(path, what) => self.export(path, what, cx),
            Answer::Import(path, reading) => self.import(path, reading, cx),
            Answer::LoadAll => self.list.load_all(cx),
            Answer::LeaveOut => self.check_lengths(true, cx),
            Answer::Shorten => self.shorten(cx),
            Answer::Launch => self.send_or_ask(true, cx),
            Answer::DropRun => self.drop_run(cx),
        }
    }

    /// Writes a new file.
    fn export(&mut self, path: String, kind: ExportKind, cx: &mut Cx) {
        let Some(form) = Form::of(&path) else {
            return cx.notify(Notice::warn("not written: the name must end in .csv, .json or .npy"));
        };
        let Some(what) = kind.export(&self.list.data) else {
            return cx.notify(Notice::warn(
                "a list of more than 2,000 texts has no matrix; shift+tab chooses its vectors instead",
            ));
        };
        let ticket = cx.work(Work::Export { path, form, what });
        self.pending.insert(ticket, Request::Export);
    }

    /// Reads a file of vectors.
    fn import(&mut self, path: String, reading: Option<Reading>, cx: &mut Cx) {
        if self.is_busy() {
            return cx.notify(Notice::warn("a run is under way; esc stops it, then import again"));
        }
        if self.list.vectors.importing.is_some() || self.pending.any(|asked| matches!(asked, Request::Import(_))) {
            return cx.notify(Notice::warn("an import is still being saved; try again in a moment"));
        }
        let ticket = cx.work(Work::Import { path: path.clone(), reading });
        self.pending.insert(ticket, Request::Import(path));
    }

    /// Discards a run that waits for the user's consent.
    fn drop_run(&mut self, cx: &mut Cx) {
        self.stop(cx);
        self.run.summary = None;
    }

    /// Drops the run, and opens the longest text of the list to be shortened.
    fn shorten(&mut self, cx: &mut Cx) {
        let longest = |job: &EmbedRun| job.missing().max_by_key(|part| part.tokens).map(|part| part.key);
        let key = self.run.job.as_ref().filter(|job| job.purpose == RunPurpose::List).and_then(longest);
        self.drop_run(cx);
        let row = key.and_then(|key| self.list.data.texts.iter().position(|text| text.sent == key));
        if let Some(row) = row {
            self.list.move_cursor(row, None);
            self.start_editing(Some(row), cx);
        }
    }

    /// Takes the length that was typed after `D`.
    fn set_dimensions(&mut self, typed: &str, here: bool, cx: &mut Cx) {
        let number = typed.parse::<u32>().ok().filter(|number| *number > 0);
        if number.is_none() && !typed.is_empty() {
            return cx.notify(Notice::warn(format!(
                "“{typed}” is not a number of dimensions; leave it empty for the model's own"
            )));
        }
        if here {
            let own = self.list.vectors.full.as_ref().map_or(0, |full| full.dimensions());
            let cut = number.map(|number| number as usize).filter(|number| *number < own);
            if number.is_some() && cut.is_none() {
                return cx.notify(Notice::warn(format!("the vectors have {own} dimensions; choose fewer")));
            }
            self.list.data.cut = cut;
            self.list.vectors_changed();
            return self.advance(cx);
        }
        self.list.data.cut = None;
        if self.list.storage.is_imported() {
            cx.notify(Notice::info("imported vectors can only be cut here"));
        } else {
            self.saves.ask_dimensions(number, cx.session, cx.now);
            self.sync(cx);
        }
    }
}
