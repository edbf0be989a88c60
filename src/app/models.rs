//! The models of the profile in use: the quick choice between them, and what the page of models asks for.

use super::dialog_answer::{DialogAnswer, ModelsAnswer};
use super::dialogs::PickerDialog;
use super::model_params::NO_PARAMS;
use super::models_marks::PREFIX;
use super::models_page::{ModelsPage, Unavailable};
use super::tickets::ShellRequest;
use super::{App, Effect};
use crate::component::money::per_million;
use crate::component::{LinePrompt, Notice, StartupChoice};
use crate::record::{Query, Record};
use crate::settings::PriceRow;
use crate::text::Untrusted;
use crate::tokens::Price;
use crate::ui::picker::{Item, Note, Picker};
use crate::ui::text_field::TextField;

/// Subject of notices about changes on the page of models.
const MODELS_PAGE: &str = "models page";
/// The highest price of a million tokens that can be entered, in dollars.
const MAX_PRICE: f64 = 1e6;

impl App {
    /// Asks the store for favourites and hidden models.
    pub(super) fn load_model_marks(&mut self) {
        self.models.is_unread = true;
        self.load(ShellRequest::ModelMarks, Query::Settings(PREFIX.to_owned()));
    }

    /// Opens the list of models to choose from, which is fetched when it is not known yet.
    pub(super) fn choose_model(&mut self) {
        if self.session.models.is_empty() {
            self.fetch_models();
        }
        let mut picker = Picker::new("Models", self.model_items());
        picker.set_notes(self.model_notes(None));
        let used = self.model();
        picker.select_where(|model| *model == used);
        let page = |model: Option<Untrusted>| DialogAnswer::Models(ModelsAnswer::Open(model.unwrap_or_default()));
        let dialog = PickerDialog::new(picker, "use", |model, _| DialogAnswer::use_model(model));
        self.dialogs.open(dialog.or_typed(DialogAnswer::use_model).with_page(page));
    }

    /// Returns whether a dialog shows the list of models.
    pub(super) fn is_choosing_model(&self) -> bool {
        self.dialogs.find::<PickerDialog<Untrusted>>().is_some() || self.dialogs.find::<ModelsPage>().is_some()
    }

    /// Updates the open list or page of models; `failed`: why the list could not be fetched.
    pub(super) fn refresh_models(&mut self, failed: Option<Untrusted>) {
        if self.dialogs.find::<ModelsPage>().is_some() {
            let rows = self.model_rows();
            // If there is an older list, a notice says why it could not be fetched again.
            let note = failed.clone().filter(|_| self.session.models.is_empty());
            if let Some(page) = self.dialogs.find_mut::<ModelsPage>() {
                page.fill(rows);
                page.failure = note.unwrap_or_default();
            }
        }
        if self.dialogs.find::<PickerDialog<Untrusted>>().is_none() {
            return;
        }
        let (items, notes, used) = (self.model_items(), self.model_notes(failed), self.model());
        if let Some(PickerDialog { picker, .. }) = self.dialogs.find_mut::<PickerDialog<Untrusted>>() {
            picker.refill(items);
            picker.set_notes(notes);
            picker.select_where(|model| *model == used);
        }
    }

    /// Returns the models to choose from, in the order in which they are listed.
    fn model_items(&self) -> Vec<Item<Untrusted>> {
        let model = self.model();
        let tab = &self.tabs[self.front];
        let marks = |id: &Untrusted| self.models.marks(&self.session.profile, &id.line());
        let item = |id: &Untrusted| {
            let (favourite, hidden) = marks(id);
            let note = match () {
                () if *id == model => "in use",
                () if tab.suits(id) => "",
                () => "for another tab",
            };
            let note = if favourite { format!("★ {note}").trim().to_owned() } else { note.to_owned() };
            let item = Item::new(id.clone(), id.clone(), note);
            if hidden && *id != model { item.hidden() } else { item }
        };
        // Favourites come first, then those that can do the work of the tab in front, in the server's order.
        let mut models: Vec<_> = self.session.models.iter().collect();
        models.sort_by_key(|id| (!marks(id).0, !tab.suits(id)));
        let mut items: Vec<_> = models.into_iter().map(item).collect();
        let known = items.iter().any(|item| item.value == model);
        if !known && !model.is_empty() {
            items.insert(0, item(&model));
        }
        items
    }

    /// Returns what is said where there is no list: why, and what can be done without one.
    fn model_notes(&self, failed: Option<Untrusted>) -> Vec<Note> {
        let typed = Note::hint("Or type a model's name: ⏎ uses it as typed.");
        match failed {
            _ if !self.session.models.is_empty() => Vec::new(),
            Some(why) => vec![Note::failure(why), typed],
            None => vec![Note::hint("The server's models are being fetched."), typed],
        }
    }

    /// Opens the page of models with the cursor on one of them; `None`: on the one in use.
    pub(super) fn open_models(&mut self, here: Option<Untrusted>) {
        if self.models.listed.is_empty() {
            self.fetch_models();
        }
        let here = here.filter(|model| !model.is_empty()).unwrap_or_else(|| self.model());
        let unavailable = Unavailable {
            prices: self.session.local.then_some("the local service is free"),
            params: (!self.has_params()).then_some(NO_PARAMS),
        };
        let page = ModelsPage::new(self.model_rows(), &here.line(), unavailable);
        self.dialogs.open(page);
    }

    /// Carries out an answer of the page of models.
    pub(super) fn handle_models_answer(&mut self, answer: ModelsAnswer) {
        let profile = self.session.profile.clone();
        match answer {
            ModelsAnswer::Open(here) => self.open_models(Some(here)),
            ModelsAnswer::Favourite(_) | ModelsAnswer::Hide(_) if self.models.is_unread => {
                self.say_about_models(Notice::warn("favourites and hidden models are being read; try again"));
                if !self.requests.has_shell_request(|request| *request == ShellRequest::ModelMarks) {
                    self.load_model_marks();
                }
            }
            ModelsAnswer::Favourite(id) => {
                let record = self.models.toggle_favourite(&profile, &id);
                self.save_marks(record);
            }
            ModelsAnswer::Hide(id) => {
                let record = self.models.toggle_hidden(&profile, &id);
                self.save_marks(record);
                if self.models.marks(&profile, &id).1 {
                    self.say_about_models(Notice::ok("hidden: H lists it"));
                }
            }
            ModelsAnswer::AskTab(id) => self.ask_default_tab(&id),
            ModelsAnswer::Default(tab, model) => {
                let said = format!("{} is the default of {}", model.line(), self.tabs[tab].title());
                self.set_tab_model(tab, model);
                self.say_about_models(Notice::ok(said));
                self.refresh_models(None);
            }
            ModelsAnswer::AskPrice(id) => {
                let known = self.dialogs.find::<ModelsPage>().and_then(|page| page.list.get(&id)?.price);
                let known = known.filter(|price| *price != Price::FREE);
                self.ask_price(id, &known.map(format_price).unwrap_or_default());
            }
            ModelsAnswer::Price(id, text) => self.set_price(id, &text),
            ModelsAnswer::KeepParams(id) => self.keep_params(self.front, &id.into()),
            ModelsAnswer::ForgetParams(id) => self.forget_params(&id.into()),
            ModelsAnswer::Refresh => self.fetch_models(),
        }
    }

    /// Moves the favourites and hidden models of a profile to its new name.
    pub(super) fn move_marks(&mut self, from: &str, to: &str) {
        for record in self.models.rename(from, to) {
            self.save_marks(record);
        }
    }

    fn save_marks(&mut self, record: Record) {
        self.try_save(ShellRequest::Keep, record);
        self.refresh_models(None);
    }

    fn say_about_models(&mut self, notice: Notice) {
        self.say(notice.about(MODELS_PAGE));
    }

    /// Asks for which tab a model is to be the default.
    fn ask_default_tab(&mut self, id: &str) {
        let (model, front) = (Untrusted::from(id), self.front);
        let tabs = self.tabs_with_models();
        let item = |(index, used): &(usize, Untrusted)| {
            let detail = if *used == model { "is its default".into() } else { used.clone() };
            Item::new(*index, self.tabs[*index].title(), detail)
        };
        let mut picker = Picker::new("Default of which tab?", tabs.iter().map(item).collect());
        picker.select_where(|index| *index == front);
        let answer = move |index, _: &str| DialogAnswer::Models(ModelsAnswer::Default(index, model.clone()));
        self.dialogs.open(PickerDialog::new(picker, "set", answer));
    }

    fn ask_price(&mut self, id: String, text: &str) {
        let title = format!("Price of {}", Untrusted::from(id.as_str()).line());
        let answer = move |text: &str, _| DialogAnswer::Models(ModelsAnswer::Price(id.clone(), text.to_owned()));
        let prompt = LinePrompt::new(title, "save", TextField::new(text), answer);
        let form = "Dollars per million tokens: input, output, cached input, separated by spaces.";
        self.dialogs.open(prompt.required().example("2.5 10 1.25").saying(form));
    }

    /// Uses the price that was entered, and saves it in the config file.
    fn set_price(&mut self, id: String, text: &str) {
        let Some(row) = parse_price(&id, text) else {
            let said = "a price is one to three numbers of 0 or more, such as 2.5 10 1.25";
            self.say_about_models(Notice::warn(said));
            return self.ask_price(id, text);
        };
        let profile = self.session.profile.clone();
        if let Some(used) = self.profiles.iter_mut().find(|one| one.id == profile) {
            used.tariff.set(row.clone());
        }
        self.update_session_profiles();
        let output = row.output.map(|nano| format!(", {} out", per_million(nano))).unwrap_or_default();
        let said = format!("{} costs {} in{output} from now on", Untrusted::from(id).line(), per_million(row.input));
        self.say_about_models(Notice::ok(said));
        self.effects.push(Effect::Remember(StartupChoice::Price(profile, row)));
        self.refresh_models(None);
    }
}

/// Parses a price: dollars for a million tokens of the prompt, of the answer, and of a prompt that the server had in
/// its cache; separated by spaces or commas.
fn parse_price(model: &str, text: &str) -> Option<PriceRow> {
    let parts: Vec<&str> = text.split([' ', ',', ';', '/']).filter(|part| !part.is_empty()).collect();
    let nano = |part: &&str| {
        let dollars: f64 = part.trim_start_matches('$').parse().ok()?;
        (0.0..=MAX_PRICE).contains(&dollars).then(|| (dollars * 1e9).round() as i64)
    };
    let numbers = parts.iter().map(nano).collect::<Option<Vec<i64>>>()?;
    let (input, rest) = numbers.split_first().filter(|(_, rest)| rest.len() <= 2)?;
    let [output, cached] = [0, 1].map(|at| rest.get(at).copied());
    Some(PriceRow { model: model.to_owned(), origin: String::new(), input: *input, output, cached, since: None })
}

/// Formats a price as [`parse_price`] reads it, up to the first number that is not known: the next would be read in its
/// place.
fn format_price(price: Price) -> String {
    let numbers = [Some(price.input), price.output, price.cached].into_iter().map_while(|nano| nano);
    numbers.map(|nano| (nano as f64 / 1e9).to_string()).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_price_is_one_to_three_numbers() {
        let read = |text| parse_price("m", text).map(|row| (row.input / 1_000_000, row.output, row.cached));
        assert_eq!(read("2.5 10 1.25"), Some((2500, Some(10_000_000_000), Some(1_250_000_000))));
        assert_eq!(read("$0.1, $0.4"), Some((100, Some(400_000_000), None)));
        assert_eq!(read("0"), Some((0, None, None)));
        for wrong in ["", "much", "-1", "1 2 3 4", "inf", "NaN", "1e9"] {
            assert_eq!(read(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn a_price_is_offered_as_it_would_be_read() {
        let price =
            Price { input: 2_500_000_000, output: Some(10_000_000_000), cached: Some(1_250_000_000), as_of: None };
        assert_eq!(format_price(price), "2.5 10 1.25");
        assert_eq!(format_price(Price { output: None, ..price }), "2.5", "what follows would be taken for the output");
    }
}
