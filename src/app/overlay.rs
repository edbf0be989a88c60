//! What may lie over a tab: help, palette, pickers, the profile form, past notices, the question before quitting.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use super::keys::Action;
use super::notices::Said;
use super::pages::{Pages, Row};
use super::profile_form::{Filled, Form};
use super::{App, Order, Profile};
use crate::settings::ProfileId;
use crate::tabs::{Hint, Notice, Offer};
use crate::text::Untrusted;
use crate::ui::overlay::{Answer, Confirm};
use crate::ui::picker::{Item, Picked, Picker};
use crate::ui::theme::{Depth, Kind, Theme};

/// How many palette entries count as recent.
const RECENT: usize = 8;

/// The one that is open.
pub(super) enum Overlay {
    /// Keys by context.
    Help(Pages),
    /// All commands.
    Palette(Picker<Run>),
    /// The server's models.
    Models(Picker<Untrusted>),
    /// Profiles; `None`: add one.
    Profiles(Picker<Option<ProfileId>>),
    /// Which tab takes an offer.
    Takers(Offer, Picker<usize>),
    /// A new profile.
    AddProfile(Box<Form>),
    /// Past notices.
    Messages(Pages),
    /// What would be lost by quitting.
    Quit(Confirm),
}

/// What a palette entry does.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Run {
    /// One of the shell's keys.
    Act(Action),
    /// A tab's command.
    Tab(usize, &'static str),
    /// Choose a model from the list.
    ChooseModel,
    /// Use this model.
    Model(Untrusted),
    /// Choose a profile from the list.
    ChooseProfile,
    /// Use this profile.
    Profile(ProfileId),
    /// The form.
    AddProfile,
    /// Draw with these colours until the end.
    Theme(Kind),
    /// Past notices.
    Messages,
    /// Fetch the models again.
    Refresh,
}

impl Overlay {
    /// Which of several tabs takes an offer.
    pub(super) fn takers(offer: Offer, takers: &[(usize, &'static str)]) -> Self {
        let items = takers.iter().map(|(index, does)| Item::new(*index, *does, "")).collect();
        Self::Takers(offer, Picker::new("Where to?", items))
    }

    /// Pasted text.
    pub(super) fn paste(&mut self, text: &str) {
        match self {
            Self::Palette(picker) => picker.paste(text),
            Self::Models(picker) => picker.paste(text),
            Self::Profiles(picker) => picker.paste(text),
            Self::Takers(_, picker) => picker.paste(text),
            Self::AddProfile(form) => form.paste(text),
            Self::Help(_) | Self::Messages(_) | Self::Quit(_) => {}
        }
    }

    /// Keys for the footer.
    pub(super) fn hints(&self) -> Vec<Hint> {
        match self {
            Self::Help(_) | Self::Messages(_) => vec![Hint::new("↑↓", "scroll"), Hint::new("esc", "close")],
            Self::Quit(_) => vec![Hint::new("←→", "choose"), Hint::new("⏎", "do it"), Hint::new("esc", "stay")],
            Self::AddProfile(form) => form.hints(),
            _ => vec![Hint::new("↑↓", "choose"), Hint::new("⏎", "run"), Hint::new("esc", "close")],
        }
    }
}

impl App {
    /// A key while an overlay is open.
    pub(super) fn overlay_key(&mut self, key: KeyEvent) {
        let Some(mut overlay) = self.overlay.take() else { return };
        let mut open = true;
        let mut then: Option<Run> = None;
        match &mut overlay {
            Overlay::Help(pages) | Overlay::Messages(pages) => open = pages.key(&key),
            Overlay::Palette(picker) => match picker.key(&key) {
                Picked::Open => {}
                Picked::Closed => open = false,
                Picked::Chosen(run) => {
                    self.used(picker.here().map(|item| item.label().to_owned()).unwrap_or_default());
                    (open, then) = (false, Some(run));
                }
            },
            Overlay::Models(picker) => match picker.key(&key) {
                // A server that lists nothing, or not all, still has models.
                Picked::Open if key.code == KeyCode::Enter => {
                    if let Some(model) = picker.unmatched() {
                        (open, then) = (false, Some(Run::Model(model.into())));
                    }
                }
                Picked::Open => {}
                Picked::Closed => open = false,
                Picked::Chosen(model) => (open, then) = (false, Some(Run::Model(model))),
            },
            Overlay::Profiles(picker) => match picker.key(&key) {
                Picked::Open => {}
                Picked::Closed => open = false,
                Picked::Chosen(Some(id)) => (open, then) = (false, Some(Run::Profile(id))),
                Picked::Chosen(None) => (open, then) = (false, Some(Run::AddProfile)),
            },
            Overlay::Takers(offer, picker) => match picker.key(&key) {
                Picked::Open => {}
                Picked::Closed => open = false,
                Picked::Chosen(index) => {
                    let offer = offer.clone();
                    return self.give(index, offer);
                }
            },
            Overlay::AddProfile(form) => match form.key(&key) {
                Filled::Open => {}
                Filled::Closed => open = false,
                // It stays until the profile is kept: what was filled in must not be lost by a failure.
                Filled::Done(profile) => self.orders.push(Order::AddProfile(profile)),
            },
            Overlay::Quit(_) if key.code == KeyCode::Char('c') && key.modifiers.contains(KeyModifiers::CONTROL) => {
                self.orders.push(Order::Quit);
            }
            Overlay::Quit(question) => match question.key(key) {
                Answer::Open => {}
                Answer::Cancelled => open = false,
                Answer::Chosen => self.orders.push(Order::Quit),
            },
        }
        if open {
            self.overlay = Some(overlay);
        }
        if let Some(run) = then {
            self.run(run);
        }
    }

    /// A profile was added: its form has done its work.
    pub(super) fn added(&mut self, profiles: Vec<Profile>) {
        let known: Vec<ProfileId> = self.profiles.iter().map(|profile| profile.id.clone()).collect();
        self.profiles = profiles;
        if matches!(&self.overlay, Some(Overlay::AddProfile(form)) if form.sent) {
            self.overlay = None;
            // Who adds one wants to use it.
            let new = self.profiles.iter().map(|profile| profile.id.clone()).find(|id| !known.contains(id));
            if let Some(id) = new {
                self.set_profile(&id);
            }
        }
    }

    /// A profile could not be added: its form says why, a notice if it was closed meanwhile.
    pub(super) fn not_added(&mut self, why: String) {
        match &mut self.overlay {
            Some(Overlay::AddProfile(form)) if form.sent => form.refused(why),
            _ => self.notices.keep(Notice::error(why), self.unix_ms),
        }
    }

    fn used(&mut self, label: String) {
        self.recent.retain(|recent| *recent != label);
        self.recent.insert(0, label);
        self.recent.truncate(RECENT);
    }

    fn run(&mut self, run: Run) {
        match run {
            Run::Act(action) => self.act(action),
            Run::Tab(index, id) => {
                if index != self.front {
                    self.go(index);
                }
                self.tab(index, |tab, cx| tab.command(id, cx));
            }
            Run::ChooseModel => self.choose_model(),
            Run::Model(model) => self.set_model(model),
            Run::ChooseProfile => self.choose_profile(),
            Run::Profile(id) => self.set_profile(&id),
            Run::AddProfile => {
                let form = Form { env_key: self.session.env_key, ..Form::default() };
                self.overlay = Some(Overlay::AddProfile(Box::new(form)));
            }
            Run::Theme(kind) => self.theme = Theme::of(kind, self.depth),
            Run::Messages => self.open_messages(),
            Run::Refresh => self.ask_models(),
        }
    }

    /// Help: the tab in front first, then the shell's keys.
    pub(super) fn open_help(&mut self) {
        let tab = &self.tabs[self.front];
        let mut lines = Vec::new();
        for (context, hints) in tab.help() {
            lines.push(Row::Head(format!("{} · {context}", tab.title())));
            lines.extend(hints.into_iter().map(Row::Key));
        }
        if lines.is_empty() {
            lines.push(Row::Head(tab.title().to_owned()));
            lines.extend(tab.hints().into_iter().map(Row::Key));
        }
        lines.push(Row::Head("Everywhere".into()));
        lines.extend(self.keys.help().into_iter().map(Row::Key));
        lines.push(Row::Key(Hint::new("esc", "closes, leaves, stops: one layer at a time; never quits")));
        self.overlay = Some(Overlay::Help(Pages::new("Help", lines)));
    }

    /// Everything said so far.
    pub(super) fn open_messages(&mut self) {
        let line = |said: &Said| Row::Said(clock(said.unix_ms), said.notice.clone());
        let mut lines: Vec<Row> = self.notices.past().map(line).collect();
        if lines.is_empty() {
            lines.push(Row::Words("Nothing was said yet.".into()));
        }
        self.overlay = Some(Overlay::Messages(Pages::new("Messages", lines)));
    }

    /// The palette: the tab's commands, the shell's, models and profiles; recent ones first.
    pub(super) fn open_palette(&mut self) {
        let mut items: Vec<Item<Run>> = Vec::new();
        let order = std::iter::once(self.front).chain((0..self.tabs.len()).filter(|index| *index != self.front));
        for index in order {
            let tab = &self.tabs[index];
            for command in tab.commands() {
                let front = index == self.front;
                let label = if front { command.title } else { format!("{}: {}", tab.title(), command.title) };
                let item = Item::new(Run::Tab(index, command.id), label, command.key);
                items.push(match command.disabled {
                    Some(why) => item.disabled(why),
                    None => item,
                });
            }
        }
        for (index, tab) in self.tabs.iter().enumerate().filter(|(index, _)| *index != self.front) {
            let label = format!("Go to {}", tab.title());
            items.push(Item::new(Run::Act(Action::Go(index)), label, (index + 1).to_string()));
        }
        items.push(Item::new(Run::ChooseModel, "Model: choose…", "m"));
        for model in &self.session.models {
            items.push(Item::new(Run::Model(model.clone()), format!("Model: {}", model.line()), ""));
        }
        items.push(Item::new(Run::ChooseProfile, "Profile: choose…", ""));
        for profile in &self.profiles {
            let label = format!("Profile: {}", profile.name.line());
            items.push(Item::new(Run::Profile(profile.id.clone()), label, profile.host.clone()));
        }
        items.push(Item::new(Run::AddProfile, "Profile: add…", ""));
        for (kind, name) in [(Kind::Dark, "dark"), (Kind::Light, "light"), (Kind::Ansi, "ansi"), (Kind::Mono, "mono")] {
            let used = self.theme.kind == kind;
            let item = Item::new(Run::Theme(kind), format!("Theme: {name}"), if used { "in use" } else { "" });
            let colourless = self.depth == Depth::None && !used;
            items.push(if colourless { item.disabled("NO_COLOR is set") } else { item });
        }
        items.push(Item::new(Run::Refresh, "Models: fetch again", ""));
        items.push(Item::new(Run::Messages, "Messages", ""));
        let mouse = if self.mouse { "on" } else { "off" };
        for (action, label) in [
            (Action::Help, "Help"),
            (Action::Mouse, "Mouse on or off"),
            (Action::Repaint, "Repaint"),
            (Action::Suspend, "Suspend"),
            (Action::Quit, "Quit"),
        ] {
            let detail = if action == Action::Mouse { mouse.to_owned() } else { self.keys.key(action) };
            items.push(Item::new(Run::Act(action), label, detail));
        }
        let place = |label: &str| self.recent.iter().position(|recent| recent == label).unwrap_or(RECENT);
        items.sort_by_key(|item| place(item.label()));
        self.overlay = Some(Overlay::Palette(Picker::new("Commands", items)));
    }

    /// The models to choose from; fetched when they are not known yet.
    pub(super) fn choose_model(&mut self) {
        if self.session.models.is_empty() {
            self.ask_models();
        }
        let mut picker = Picker::new("Models", self.model_items(None)).or("⏎ uses this name as it is");
        picker.point(|model| *model == self.session.model);
        self.overlay = Some(Overlay::Models(picker));
    }

    /// The list has come, or has not: an open picker shows it.
    pub(super) fn refill_models(&mut self, failed: Option<Untrusted>) {
        let items = self.model_items(failed);
        if let Some(Overlay::Models(picker)) = &mut self.overlay {
            picker.refill(items);
            picker.point(|model| *model == self.session.model);
        }
    }

    fn model_items(&self, failed: Option<Untrusted>) -> Vec<Item<Untrusted>> {
        let item = |id: &Untrusted| {
            let used = if *id == self.session.model { "in use" } else { "" };
            Item::new(id.clone(), id.clone(), used)
        };
        // Those that chat first, in the server's order.
        let (chat, others): (Vec<_>, Vec<_>) =
            self.session.models.iter().partition(|model| super::upkeep::chats(model));
        let mut items: Vec<_> = chat.into_iter().chain(others).map(item).collect();
        let known = items.iter().any(|item| item.value == self.session.model);
        if !known && !self.session.model.is_empty() {
            items.insert(0, item(&self.session.model));
        }
        if self.session.models.is_empty() {
            let why = failed.unwrap_or_else(|| "the server's models are being fetched".into());
            items.push(Item::new(Untrusted::default(), why, "").disabled("type a name"));
        }
        items
    }

    /// The profiles to choose from.
    fn choose_profile(&mut self) {
        let item = |profile: &Profile| Item::new(Some(profile.id.clone()), profile.name.clone(), profile.host.clone());
        let mut items: Vec<_> = self.profiles.iter().map(item).collect();
        items.push(Item::new(None, "Add a profile…", ""));
        let mut picker = Picker::new("Profiles", items);
        picker.point(|id| id.as_ref() == Some(&self.session.profile));
        self.overlay = Some(Overlay::Profiles(picker));
    }
}

/// Local time of day.
fn clock(unix_ms: i64) -> String {
    jiff::Timestamp::from_millisecond(unix_ms)
        .map(|at| at.to_zoned(jiff::tz::TimeZone::system()).strftime("%H:%M:%S").to_string())
        .unwrap_or_default()
}
