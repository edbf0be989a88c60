//! The form with all settings of a profile: one of the config file, or a new one from a template. Nothing is written
//! before it is saved.

use std::fmt;
use std::sync::LazyLock;

use crossterm::event::KeyEvent;
use ratatui::Frame;
use ratatui::layout::Rect;

use super::dialog_answer::{DialogAnswer, ProfileAnswer};
use super::profile_editor_key::KeyRows;
use super::profile_editor_rows::{
    self as rows, DETAIL, EXTRA, HEADERS, KEY, SAVE, check_proxy, json, parse_headers, parse_object,
};
use super::profile_form::why_name_is_invalid;
use crate::component::{
    Bindings, Component, Cx, EditedProfile, Handled, HasForm, Hint, RenderContext, Step, bind, bind_all, form_bindings,
};
use crate::settings::edit_fields::{self, OpenedProfile};
use crate::settings::profile::{self, is_exposed};
use crate::settings::{KeySource, Profile, ProfileId, Proxy, origin};
use crate::text::Untrusted;
use crate::ui::form::{Event, Form, FormKey};
use crate::ui::key_table::{KeyContext, KeyPlace, ListedKeys};
use crate::ui::overlay::{self, Words};

/// Columns of the box at most.
const WIDEST: u16 = 84;

/// What a key of the dialog does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Action {
    Form(FormKey),
    Save,
}

use Action as A;

static KEYS: LazyLock<Bindings<Action, ProfileEditor>> = LazyLock::new(|| {
    let mut list = form_bindings(A::Form, "type or choose; on the last row, save", "close without saving");
    list.extend([
        bind("ctrl-s", A::Save, "save", "save the profile")
            .disabled_when(|editor: &ProfileEditor| editor.form.why_typing()),
        bind_all([("tab", A::Form(FormKey::Next)), ("shift-tab", A::Form(FormKey::Previous))], "", "")
            .named(&["next-field", "previous-field"])
            .does(&["next field", "previous field"]),
    ]);
    Bindings::new(KeyContext::new("profile-editor").used_in(KeyPlace::ShellDialog), list)
});

/// The form.
pub(super) struct ProfileEditor {
    opened: OpenedProfile,
    /// The name when the form was opened.
    name: ProfileId,
    form: Form,
    key: KeyRows,
    /// Headers and further fields as JSON, as typed.
    headers: String,
    extra: String,
    /// The base URL to which the user may send the key unencrypted by confirming, or confirmed before.
    confirmed_http: Option<String>,
    /// What is being saved; `None`: nothing is.
    sent: Option<Box<EditedProfile>>,
    /// Whether the user was told that the next Esc discards the changes.
    has_warned: bool,
}

impl fmt::Debug for ProfileEditor {
    /// Writes nothing of the fields: headers may be keys.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ProfileEditor").field("opened", &self.opened).finish_non_exhaustive()
    }
}

impl ProfileEditor {
    /// Creates the form for a profile of the file.
    pub(super) fn new(opened: OpenedProfile) -> Self {
        let name = opened.id.0.clone();
        Self::filled(opened, name, "")
    }

    /// Creates the form for a new profile, with the name it begins with and a note about its base URL.
    pub(super) fn for_new(profile: Profile, name: &str, note: &'static str) -> Self {
        Self::filled(OpenedProfile::for_new(profile), name.to_owned(), note)
    }

    /// Creates the form with the settings of a profile in its rows.
    fn filled(opened: OpenedProfile, name: String, note: &'static str) -> Self {
        let mut form = rows::form(&opened.profile, name.clone());
        if !note.is_empty() {
            form.set_notes(vec![("base_url", note.to_owned())]);
            form.select("base_url");
        }
        let profile = &opened.profile;
        let headers = profile.headers.iter().map(|(name, value)| (name.clone(), value.as_str().into())).collect();
        let (headers, extra) = (json(&headers), json(&profile.extra_body));
        let key = KeyRows::new(profile);
        if opened.exists()
            && let Some(field) = form.fields.iter_mut().find(|field| field.name == "name")
        {
            field.help = "What it is called. Its conversations, vectors, checks and costs move with it.";
        }
        let confirmed_http = profile.allow_http.then(|| profile.base_url.clone());
        let mut editor = Self {
            opened,
            name: ProfileId(name),
            form,
            key,
            headers,
            extra,
            confirmed_http,
            sent: None,
            has_warned: false,
        };
        editor.key.show(&mut editor.form);
        editor.show_json();
        editor.hide_secrets();
        editor
    }

    /// Returns what closing the form would lose; `None`: nothing was changed.
    pub(super) fn loss(&self) -> Option<&'static str> {
        let same = self.draft().is_ok_and(|draft| draft.profile == self.opened.profile && draft.name == self.name);
        (!same).then_some("The changes to the profile are not saved yet.")
    }

    /// Returns whether it waits for this to be saved.
    pub(super) fn awaits(&self, edited: &EditedProfile) -> bool {
        self.sent.as_deref() == Some(edited)
    }

    /// Shows why the profile could not be saved; the form stays open for a second try.
    pub(super) fn show_refusal(&mut self, why: impl Into<Untrusted>) {
        self.sent = None;
        self.form.refuse(SAVE, why);
    }

    /// Returns the JSON of a row that is written in an editor.
    pub(super) fn json(&self, row: &str) -> &str {
        if row == HEADERS { &self.headers } else { &self.extra }
    }

    /// Sets the JSON of a row that was written in an editor; what is wrong with it is shown.
    pub(super) fn set_json(&mut self, row: &str, text: String) {
        let wrong = if row == HEADERS { parse_headers(&text).err() } else { parse_object(&text).err() };
        let kept = if row == HEADERS { &mut self.headers } else { &mut self.extra };
        *kept = text;
        self.form.clear_refusal();
        self.show_json();
        if let Some(why) = wrong {
            self.form.refuse(row, why);
        }
    }

    /// Shows the names in the JSON without their values: a header's value may be a key.
    fn show_json(&mut self) {
        for row in [HEADERS, EXTRA] {
            let text = self.json(row);
            let shown = match parse_object(text) {
                Ok(map) => map.keys().cloned().collect::<Vec<_>>().join(", "),
                Err(_) => "not valid JSON".to_owned(),
            };
            self.form.show(row, shown);
        }
    }

    /// Shows what may be a secret as an ellipsis, as long as it was not changed.
    fn hide_secrets(&mut self) {
        let profile = &self.opened.profile;
        let hidden = [
            ("base_url", profile.base_url.as_str(), rows::without_query(&profile.base_url)),
            (
                "proxy",
                &edit_fields::proxy_setting(&profile.proxy),
                rows::without_user(&edit_fields::proxy_setting(&profile.proxy)),
            ),
            match &profile.key {
                KeySource::Command(command) => (DETAIL, command, rows::first_word(command)),
                _ => (DETAIL, "", String::new()),
            },
        ];
        let same = |row: &str, text: &str| self.opened.exists() && self.value(row) == text.trim();
        let hidden = hidden.into_iter().filter(|(row, text, _)| same(row, text));
        let hidden = hidden.map(|(row, _, shown)| (row, shown)).collect();
        self.form.set_summaries(hidden);
    }

    /// Chooses the next source of the key.
    fn next_source(&mut self) {
        self.key.next();
        self.key.show(&mut self.form);
        self.hide_secrets();
    }

    /// Sets what the source of the key needs, or shows why it cannot be used.
    fn set_detail(&mut self, text: String) {
        if let Err(why) = self.key.set_detail(&text) {
            self.form.set(DETAIL, self.key.detail().to_owned());
            return self.form.refuse(DETAIL, why);
        }
        self.form.set(DETAIL, text);
        self.hide_secrets();
    }

    /// Returns the text of a row.
    fn value(&self, name: &str) -> &str {
        self.form.fields.iter().find(|field| field.name == name).map_or("", |field| field.value.trim())
    }

    /// Returns the profile as it is entered, or which row is wrong and why.
    fn draft(&self) -> Result<EditedProfile, (&'static str, String)> {
        let name = self.value("name");
        if let Some(why) = why_name_is_invalid(name) {
            return Err(("name", why.to_owned()));
        }
        let base_url = profile::normalize_base_url(self.value("base_url")).map_err(|why| ("base_url", why))?;
        let key = self.key.draft(name)?;
        let limit = |name: &'static str, default: std::time::Duration| match self.value(name) {
            "" => Ok(default),
            text => text.parse().map(std::time::Duration::from_secs).map_err(|_| (name, "not a number".to_owned())),
        };
        let default = Profile::new("", KeySource::None);
        let non_empty = |text: &str| (!text.is_empty()).then(|| text.to_owned());
        let profile = Profile {
            base_url,
            model: self.value("model").to_owned(),
            organization: non_empty(self.value("organization")),
            key,
            headers: parse_headers(&self.headers).map_err(|why| (HEADERS, why))?,
            extra_body: parse_object(&self.extra).map_err(|why| (EXTRA, why))?,
            connect_limit: limit("connect_timeout", default.connect_limit)?,
            headers_limit: limit("headers_timeout", default.headers_limit)?,
            idle_limit: limit("idle_timeout", default.idle_limit)?,
            ca_file: self.value("ca_file").to_owned(),
            proxy: match self.value("proxy") {
                "" => Proxy::Environment,
                "none" => Proxy::Direct,
                url => Proxy::Through(check_proxy(url).map_err(|why| ("proxy", why))?),
            },
            ..self.opened.profile.clone()
        };
        Ok(EditedProfile { opened: self.opened.clone(), name: ProfileId(name.to_owned()), profile })
    }

    /// Asks for the profile to be saved, or shows which row is wrong and why.
    fn save(&mut self) -> Handled<Step<DialogAnswer>> {
        let mut draft = match self.draft() {
            Ok(draft) => draft,
            Err((row, why)) => {
                self.form.refuse(row, why);
                return Handled::Consumed;
            }
        };
        let base_url = &draft.profile.base_url;
        let exposed = draft.profile.key != KeySource::None && is_exposed(base_url);
        if exposed && self.confirmed_http.as_ref() != Some(base_url) {
            let to = origin(base_url);
            self.form.refuse(SAVE, format!("the key would be sent unencrypted to {to}; save again to confirm"));
            self.confirmed_http = Some(base_url.clone());
            return Handled::Consumed;
        }
        draft.profile.allow_http |= exposed;
        let draft = Box::new(draft);
        self.sent = Some(draft.clone());
        Handled::emit(DialogAnswer::Profile(ProfileAnswer::Save(draft)))
    }

    /// Closes the form, after a warning if changes would be lost.
    fn close(&mut self) -> Handled<Step<DialogAnswer>> {
        if self.loss().is_some() && !std::mem::replace(&mut self.has_warned, true) {
            let row = self.form.selected().unwrap_or(SAVE);
            self.form.refuse(row, "the changes are not saved; press esc again to discard them");
            return Handled::Consumed;
        }
        Handled::close()
    }

    fn size(area: Rect) -> (u16, u16) {
        (WIDEST.min(area.width.saturating_sub(2)).max(area.width.min(40)), area.height.min(rows::COUNT as u16 + 7))
    }
}

impl HasForm for ProfileEditor {
    fn form(&self) -> &Form {
        &self.form
    }

    fn enter_label(&self) -> Option<&'static str> {
        match self.form.selected() {
            Some(SAVE) => Some("save"),
            Some(KEY) => Some("next source"),
            Some(HEADERS | EXTRA) => Some("edit"),
            _ => None,
        }
    }
}

impl Component<Step<DialogAnswer>> for ProfileEditor {
    fn key(&mut self, key: KeyEvent, _cx: &mut Cx) -> Handled<Step<DialogAnswer>> {
        let action = KEYS.find(&key);
        let closes = action == Some(A::Form(FormKey::Close));
        if self.sent.is_some() {
            return if closes { Handled::close() } else { Handled::Consumed };
        }
        if !closes {
            self.has_warned = false;
        }
        let event = match action.filter(|_| !self.form.typing()) {
            Some(A::Save) => return self.save(),
            Some(A::Form(key)) => self.form.act(key),
            None => self.form.key(key),
        };
        match event {
            Event::None | Event::Ignored | Event::Change(SAVE, _) => {}
            Event::Ask(SAVE) => return self.save(),
            Event::Ask(KEY) => self.next_source(),
            Event::Ask(row) => return Handled::emit(DialogAnswer::Profile(ProfileAnswer::EditText(row))),
            Event::Change(KEY, _) => {
                self.key.clear();
                self.key.show(&mut self.form);
            }
            Event::Change(row @ (HEADERS | EXTRA), _) => self.set_json(row, String::new()),
            Event::Change(DETAIL, text) => self.set_detail(text),
            Event::Change(row, text) => {
                self.form.set(row, text);
                self.hide_secrets();
            }
            Event::Close => return self.close(),
        }
        Handled::Consumed
    }

    fn paste(&mut self, text: &str, _cx: &mut Cx) -> Handled<Step<DialogAnswer>> {
        self.form.paste(text.trim());
        Handled::Consumed
    }

    fn hints(&self) -> Vec<Hint> {
        let field = [FormKey::Next, FormKey::Enter, FormKey::Reset].map(A::Form);
        KEYS.footer(&[&field[..], &[A::Save]].concat(), self)
    }

    fn help(&self) -> Vec<(&'static str, Vec<Hint>)> {
        vec![("Profile", KEYS.help())]
    }

    fn escape(&self) -> Option<&'static str> {
        Some(if self.form.typing() { "back" } else { "cancel" })
    }

    fn typing(&self) -> bool {
        true
    }

    fn render(&self, frame: &mut Frame, area: Rect, context: RenderContext) {
        let theme = context.theme;
        let title =
            if self.opened.exists() { format!("Profile {}", self.opened.id.0) } else { "Add a profile".to_owned() };
        let title = Untrusted::from(title);
        let title = title.line();
        let words = Words { title: &title, ..Words::default() };
        overlay::boxed(frame, area, Self::size(area), &words, theme);
        self.form.render(frame, overlay::content_area(area, Self::size(area), theme.kind), theme, true);
    }
}

/// Returns its tables of keys, for the list of all keys.
pub(crate) fn listed_keys() -> Vec<ListedKeys> {
    vec![KEYS.listed()]
}
