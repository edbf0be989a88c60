//! Opens what lies over a tab, gives it keys and does what it says.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use super::notices::PastNotice;
use super::overlay::{Overlay, PROFILE, PaletteCommand};
use super::pages::{Row, TextPages};
use super::profile_form::ProfileFormStep;
use super::{App, Effect, Profile};
use crate::component::{Hint, Notice};
use crate::settings::ProfileId;
use crate::text::Untrusted;
use crate::ui::overlay::Answer;
use crate::ui::picker::{Item, Picked, Picker};

impl App {
    /// A key while an overlay is open.
    pub(super) fn overlay_key(&mut self, key: KeyEvent) {
        let Some(mut overlay) = self.overlay.take() else { return };
        let mut open = true;
        let mut then: Option<PaletteCommand> = None;
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
            // A name that is a part of a listed one is a name, too.
            Overlay::Models(picker)
                if key.code == KeyCode::Enter
                    && key.modifiers.contains(KeyModifiers::ALT)
                    && picker.typed().is_some() =>
            {
                (open, then) = (false, picker.typed().map(|model| PaletteCommand::Model(model.into())));
            }
            Overlay::Models(picker) => match picker.key(&key) {
                // A server that lists nothing, or not all, still has models.
                Picked::Open if key.code == KeyCode::Enter => {
                    if let Some(model) = picker.unmatched() {
                        (open, then) = (false, Some(PaletteCommand::Model(model.into())));
                    }
                }
                Picked::Open => {}
                Picked::Closed => open = false,
                Picked::Chosen(model) => (open, then) = (false, Some(PaletteCommand::Model(model))),
            },
            Overlay::Profiles(picker) => match picker.key(&key) {
                Picked::Open => {}
                Picked::Closed => open = false,
                Picked::Chosen(Some(id)) => (open, then) = (false, Some(PaletteCommand::Profile(id))),
                Picked::Chosen(None) => (open, then) = (false, Some(PaletteCommand::AddProfile)),
            },
            Overlay::Takers(offer, picker) => match picker.key(&key) {
                Picked::Open => {}
                Picked::Closed => open = false,
                Picked::Chosen(index) => {
                    let offer = offer.clone();
                    return self.give(index, offer);
                }
            },
            Overlay::Profile(form) => match form.key(&key) {
                ProfileFormStep::Open => {}
                ProfileFormStep::Closed => open = false,
                // It stays until the profile is kept: what was filled in must not be lost by a failure.
                ProfileFormStep::Done(profile) => self.effects.push(Effect::AddProfile(profile)),
                ProfileFormStep::Key(key) => self.effects.push(Effect::ReplaceKey(key)),
            },
            Overlay::Quit(_) if key.code == KeyCode::Char('c') && key.modifiers.contains(KeyModifiers::CONTROL) => {
                self.effects.push(Effect::Quit);
            }
            Overlay::Quit(question) => match question.key(key) {
                Answer::Open => {}
                Answer::Cancelled => open = false,
                Answer::Chosen => self.effects.push(Effect::Quit),
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
        self.name_profiles();
        let new = self.profiles.iter().find(|profile| !known.contains(&profile.id)).cloned();
        let awaited = matches!(&self.overlay, Some(Overlay::Profile(form)) if form.sent && form.whose.is_none());
        if awaited {
            self.overlay = None;
        }
        let Some(new) = new else { return };
        let mut said = format!("{} is kept", new.name.line());
        if awaited {
            // Who adds one wants to use it.
            self.set_profile(&new.id);
            said.push_str(" and in use");
        }
        self.notices.say(Notice::ok(said).about(PROFILE), self.now, self.unix_ms);
    }

    /// A profile has another key: its form has done its work, and what the server lists for it is asked again.
    pub(super) fn rekeyed(&mut self, id: &ProfileId) {
        if matches!(&self.overlay, Some(Overlay::Profile(form)) if form.awaits(id)) {
            self.overlay = None;
        }
        let Some(profile) = self.profiles.iter().find(|profile| profile.id == *id) else { return };
        let said = format!("{} uses the new key", profile.name.line());
        self.notices.say(Notice::ok(said).about(PROFILE), self.now, self.unix_ms);
        if *id == self.session.profile {
            self.forget_models();
            self.ask_models();
        }
    }

    /// A profile or a key could not be kept: its form says why, a notice if it was closed meanwhile.
    pub(super) fn not_added(&mut self, why: String) {
        match &mut self.overlay {
            Some(Overlay::Profile(form)) if form.sent => form.refused(why),
            _ => self.notices.keep(Notice::error(why), self.unix_ms),
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
        lines.extend(self.input.keys.help().into_iter().map(Row::Key));
        lines.push(Row::Key(Hint::new("esc", "closes, leaves, stops: one layer at a time; never quits")));
        self.overlay = Some(Overlay::Help(TextPages::new("Help", lines)));
    }

    /// Everything said so far.
    pub(super) fn open_messages(&mut self) {
        let line = |said: &PastNotice| Row::Said(self.session.zone.time_of_day(said.unix_ms), said.notice.clone());
        let mut lines: Vec<Row> = self.notices.past().map(line).collect();
        if lines.is_empty() {
            lines.push(Row::Words("Nothing was said yet.".into()));
        }
        self.overlay = Some(Overlay::Messages(TextPages::new("Messages", lines)));
    }

    /// The models to choose from; fetched when they are not known yet.
    pub(super) fn choose_model(&mut self) {
        if self.session.models.is_empty() {
            self.ask_models();
        }
        let mut picker = Picker::new("Models", self.model_items()).or("⏎ uses this name as it is");
        picker.note(self.model_notes(None));
        let used = self.model();
        picker.point(|model| *model == used);
        self.overlay = Some(Overlay::Models(picker));
    }

    /// The list has come, or has not: an open picker shows it.
    pub(super) fn refill_models(&mut self, failed: Option<Untrusted>) {
        let (items, notes, used) = (self.model_items(), self.model_notes(failed), self.model());
        if let Some(Overlay::Models(picker)) = &mut self.overlay {
            picker.refill(items);
            picker.note(notes);
            picker.point(|model| *model == used);
        }
    }

    fn model_items(&self) -> Vec<Item<Untrusted>> {
        let model = self.model();
        // Those that can do the work of the tab in front come first, in the server's order.
        let tab = &self.tabs[self.front];
        let item = |id: &Untrusted| {
            let note = match () {
                () if *id == model => "in use",
                () if tab.suits(id) => "",
                () => "for another tab",
            };
            Item::new(id.clone(), id.clone(), note)
        };
        let (first, others): (Vec<_>, Vec<_>) = self.session.models.iter().partition(|model| tab.suits(model));
        let mut items: Vec<_> = first.into_iter().chain(others).map(item).collect();
        let known = items.iter().any(|item| item.value == model);
        if !known && !model.is_empty() {
            items.insert(0, item(&model));
        }
        items
    }

    /// Where there is no list: why not, and what can be done without one.
    fn model_notes(&self, failed: Option<Untrusted>) -> Vec<(Untrusted, bool)> {
        let typed = ("A model's name can be typed: ⏎ uses it as it is.".into(), false);
        match failed {
            _ if !self.session.models.is_empty() => Vec::new(),
            Some(why) => vec![(why, true), typed],
            None => vec![("The server's models are being fetched.".into(), false), typed],
        }
    }

    /// The profiles to choose from.
    pub(super) fn choose_profile(&mut self) {
        let item = |profile: &Profile| Item::new(Some(profile.id.clone()), profile.name.clone(), profile.host.clone());
        let mut items: Vec<_> = self.profiles.iter().map(item).collect();
        items.push(Item::new(None, "Add a profile…", ""));
        let mut picker = Picker::new("Profiles", items);
        picker.point(|id| id.as_ref() == Some(&self.session.profile));
        self.overlay = Some(Overlay::Profiles(picker));
    }
}
