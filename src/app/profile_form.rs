//! The forms "Add a profile" (where the key comes from, then the fields) and "A new key" (a field for the key alone).
//! The forms send nothing; once a profile is in use, its list of models is requested.

use std::fmt;
use std::sync::LazyLock;

use crossterm::event::KeyEvent;
use ratatui::Frame;
use ratatui::layout::Rect;

use super::dialog_answer::{DialogAnswer, ProfileAnswer};
use super::event::Profile;
use super::profile_form_view;
use crate::api::call::Ticket;
use crate::component::{
    Bindings, Component, Cx, Handled, Hint, NewKeySource, NewProfile, PastedKey, RenderContext, Step, THIS_DIALOG,
    bind, bind_all,
};
use crate::settings::origin;
use crate::settings::profile::{self, is_exposed};
use crate::text::Untrusted;
use crate::ui::key_table::{KeyContext, KeyPlace, ListedKeys};
use crate::ui::text_field::TextField;

/// Where a new profile's key comes from, in the order of the form.
pub(super) const SOURCES: [(&str, &str); 5] = [
    ("Use OPENAI_API_KEY from the environment", ""),
    ("Paste a key", "stored in keys.toml next to the config file, mode 0600"),
    ("Run a command", "e.g. pass show openai"),
    ("Server without a key", "e.g. http://127.0.0.1:11434/v1"),
    ("Choose a known server", "OpenRouter, Azure, Mistral, Groq, Ollama, vLLM, …"),
];
/// The names of their keys in the file of key bindings.
const SOURCE_NAMES: [&[&str]; 5] =
    [&["use-environment"], &["paste-key"], &["run-command"], &["without-key"], &["known-server"]];
/// The source without a key.
const WITHOUT_KEY: usize = 3;
/// The source that opens a list of servers in place of the form.
const TEMPLATES: usize = 4;

/// What a key does while the source is chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SourceAction {
    Before,
    Next,
    /// Opens the second page with this source.
    Open(usize),
    Enter,
    Close,
}

/// What a key does while the fields are filled in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum FieldAction {
    Before,
    Next,
    Enter,
    /// Goes back to the source, or closes a form without one.
    Back,
    Close,
}

/// Keys while the source is chosen.
static CHOOSING: LazyLock<Bindings<SourceAction, ProfileForm>> =
    LazyLock::new(|| {
        let sources = ["1", "2", "3", "4", "5"].into_iter().enumerate();
        let mut list = vec![
            bind_all([("up k", SourceAction::Before), ("down j", SourceAction::Next)], "choose", "source above, below")
                .named(&["previous", "next"])
                .does(&["source above", "source below"])
                .shown("↑↓"),
            bind("enter", SourceAction::Enter, "select", "select the source"),
        ];
        list.extend(sources.map(|(source, key)| {
            bind(key, SourceAction::Open(source), "", SOURCES[source].0).named(SOURCE_NAMES[source])
        }));
        list.push(bind("esc ctrl-c", SourceAction::Close, "close", "close"));
        Bindings::new(KeyContext::new("new-profile.source").ignoring_shift().used_in(KeyPlace::ShellDialog), list)
    });

/// Keys while the fields are filled in.
static FILLING: LazyLock<Bindings<FieldAction, ProfileForm>> = LazyLock::new(|| {
    let only_field = |form: &ProfileForm| form.replaces_key_of.is_some().then_some("there is no other field");
    Bindings::while_typing(
        KeyContext::new("new-profile.fields").ignoring_shift().used_in(KeyPlace::ShellDialog),
        vec![
            bind("tab down", FieldAction::Next, "next field", "next field").disabled_when(only_field),
            bind("shift-tab up", FieldAction::Before, "", "field before")
                .named(&["previous"])
                .disabled_when(only_field),
            bind("enter", FieldAction::Enter, "", "next field; on the last one, save and use")
                .labelled(|form| if form.at + 1 < form.fields.len() { "next" } else { "save and use" }),
            bind("esc", FieldAction::Back, "back", "back, or close"),
            bind("ctrl-c", FieldAction::Close, "close", "close without saving"),
        ],
    )
});

type FormStep = Handled<Step<DialogAnswer>>;

/// The form: the source, then one field after the other.
pub(super) struct ProfileForm {
    /// The profile whose key is replaced; `None`: a profile is added.
    pub replaces_key_of: Option<Profile>,
    /// Whether `OPENAI_API_KEY` is set.
    pub env_key: bool,
    /// Index into [`SOURCES`].
    pub source: usize,
    /// The fields of the second page; empty until it is first opened.
    pub fields: Vec<ProfileField>,
    /// Whether the source is being chosen: the first page.
    pub is_choosing: bool,
    /// The source that the fields are for.
    fields_source: usize,
    /// The base URL to which the user may send the key unencrypted by confirming.
    confirmed_http: Option<String>,
    /// The field with the caret.
    pub at: usize,
    /// Why the form cannot be submitted yet.
    pub wrong: Option<Untrusted>,
    /// What its profile or key is being saved under; `None`: it is not being saved.
    sent: Option<Ticket>,
}

/// A line to fill in.
#[derive(Default)]
pub(super) struct ProfileField {
    pub label: &'static str,
    pub line: TextField,
}

impl ProfileForm {
    /// Creates the form for a new profile.
    pub(super) fn new(env_key: bool) -> Self {
        Self {
            replaces_key_of: None,
            env_key,
            source: 0,
            fields: Vec::new(),
            is_choosing: true,
            fields_source: 0,
            confirmed_http: None,
            at: 0,
            wrong: None,
            sent: None,
        }
    }

    /// Creates the page that replaces a profile's key.
    pub(super) fn new_key(profile: Profile, env_key: bool) -> Self {
        let fields = vec![ProfileField { label: "Key", line: TextField::secret() }];
        Self { replaces_key_of: Some(profile), fields, is_choosing: false, ..Self::new(env_key) }
    }

    /// Returns whether it waits for this answer.
    pub(super) fn awaits(&self, ticket: Ticket) -> bool {
        self.sent == Some(ticket)
    }

    /// Returns what closing the form would lose; `None`: nothing is filled in.
    pub(super) fn loss(&self) -> Option<&'static str> {
        let filled = |field: &ProfileField| field.label != "Base URL" && !field.line.text().trim().is_empty();
        let (filled, adds) = (self.fields.iter().any(filled), self.replaces_key_of.is_none());
        filled.then_some(if adds { "The new profile is not saved yet." } else { "The new key is not saved yet." })
    }

    /// Shows why the profile could not be saved; the form stays open for a second try.
    pub(super) fn show_refusal(&mut self, why: impl Into<Untrusted>) {
        self.sent = None;
        self.wrong = Some(why.into());
    }

    /// Handles a key while the source is chosen.
    fn handle_source_key(&mut self, key: &KeyEvent) -> FormStep {
        match CHOOSING.find(key) {
            Some(SourceAction::Close) => return Handled::close(),
            Some(SourceAction::Before) => self.source = self.source.saturating_sub(1),
            Some(SourceAction::Next) => self.source = (self.source + 1).min(TEMPLATES),
            Some(SourceAction::Open(source)) => {
                self.source = source;
                return self.open_fields();
            }
            Some(SourceAction::Enter) => return self.open_fields(),
            None => {}
        }
        Handled::Consumed
    }

    /// Opens the second page, as it was left if it is for the same source.
    fn open_fields(&mut self) -> FormStep {
        if self.source == TEMPLATES {
            return Handled::answer(DialogAnswer::Profile(ProfileAnswer::Templates));
        }
        self.is_choosing = false;
        if !self.fields.is_empty() && self.fields_source == self.source {
            return Handled::Consumed;
        }
        self.fields_source = self.source;
        let field = |label, line| ProfileField { label, line };
        let server = if self.source == WITHOUT_KEY { "http://127.0.0.1:11434/v1" } else { "https://api.openai.com/v1" };
        self.fields = vec![field("Name", TextField::default()), field("Base URL", TextField::new(server))];
        match self.source {
            1 => self.fields.push(field("Key", TextField::secret())),
            2 => self.fields.push(field("Command", TextField::default())),
            _ => {}
        }
        self.at = 0;
        Handled::Consumed
    }

    /// Handles a key while the fields are filled in.
    fn handle_field_key(&mut self, key: &KeyEvent, cx: &mut Cx) -> FormStep {
        let count = self.fields.len();
        let action = FILLING.find(key);
        if self.sent.is_some() && !matches!(action, Some(FieldAction::Back | FieldAction::Close)) {
            // Nothing can be changed any more, but the form can be closed.
            return Handled::Consumed;
        }
        self.wrong = None;
        match action {
            Some(FieldAction::Close) => return Handled::close(),
            Some(FieldAction::Back) if self.sent.is_some() || self.replaces_key_of.is_some() => {
                return Handled::close();
            }
            Some(FieldAction::Back) => self.is_choosing = true,
            Some(FieldAction::Next) => self.at = (self.at + 1) % count,
            Some(FieldAction::Before) => self.at = (self.at + count - 1) % count,
            Some(FieldAction::Enter) if self.at + 1 < count => self.at += 1,
            Some(FieldAction::Enter) => self.submit(cx),
            None => drop(self.fields[self.at].line.key(*key)),
        }
        Handled::Consumed
    }

    /// Submits the form, or shows which field is wrong and why.
    fn submit(&mut self, cx: &mut Cx) {
        if let Some(profile) = &self.replaces_key_of {
            let key = self.fields.first().map_or("", |field| field.line.text().trim()).to_owned();
            if key.is_empty() {
                self.wrong = Some("paste the key first".into());
            } else {
                self.sent = Some(cx.replace_key(PastedKey { profile: profile.id.clone(), key }));
            }
            return;
        }
        let field = |index: usize| self.fields.get(index).map_or("", |field| field.line.text().trim()).to_owned();
        let (name, third) = (field(0), field(2));
        let url = profile::normalize_base_url(&field(1));
        let invalid = why_name_is_invalid(&name);
        let wrong = if invalid.is_some() {
            self.at = 0;
            invalid
        } else if let Err(why) = &url {
            self.at = 1;
            Some(why.as_str())
        } else if self.fields.len() > 2 && third.is_empty() {
            self.at = 2;
            Some("this cannot be empty")
        } else {
            None
        };
        if wrong.is_some() {
            self.wrong = wrong.map(Untrusted::from);
            return;
        }
        let base_url = url.unwrap_or_default();
        let allow_http = self.source != WITHOUT_KEY && is_exposed(&base_url);
        if allow_http && self.confirmed_http.as_ref() != Some(&base_url) {
            let to = origin(&base_url);
            self.wrong = Some(format!("the key would be sent unencrypted to {to}; press ⏎ again to confirm").into());
            self.confirmed_http = Some(base_url);
            return;
        }
        self.wrong = None;
        let key = match self.source {
            0 => NewKeySource::Env("OPENAI_API_KEY".into()),
            1 => NewKeySource::Pasted(third),
            2 => NewKeySource::Command(third),
            _ => NewKeySource::None,
        };
        self.sent = Some(cx.add_profile(NewProfile { name, base_url, key, allow_http }));
    }
}

/// Returns why a profile cannot have a name, whether taken or not; `None`: it can.
pub(super) fn why_name_is_invalid(name: &str) -> Option<&'static str> {
    let word = !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || "-_.".contains(c));
    let usable = word && name != "local" && name != "env";
    (!usable).then_some("use letters, digits, - _ . and a name that is not taken (local and env are)")
}

impl fmt::Debug for ProfileForm {
    /// Writes nothing of the fields: a key may be filled in.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("ProfileForm").finish_non_exhaustive()
    }
}

impl Component<Step<DialogAnswer>> for ProfileForm {
    fn key(&mut self, key: KeyEvent, cx: &mut Cx) -> FormStep {
        if self.is_choosing { self.handle_source_key(&key) } else { self.handle_field_key(&key, cx) }
    }

    fn paste(&mut self, text: &str, _cx: &mut Cx) -> FormStep {
        if let Some(field) = self.fields.get_mut(self.at).filter(|_| self.sent.is_none() && !self.is_choosing) {
            field.line.paste(text.trim().lines().next().unwrap_or_default());
        }
        Handled::Consumed
    }

    fn hints(&self) -> Vec<Hint> {
        if self.is_choosing {
            CHOOSING.footer(&[SourceAction::Next, SourceAction::Enter], self)
        } else {
            FILLING.footer(&[FieldAction::Next, FieldAction::Enter], self)
        }
    }

    fn help(&self) -> Vec<(&'static str, Vec<Hint>)> {
        vec![(THIS_DIALOG, if self.is_choosing { CHOOSING.help() } else { FILLING.help_enabled(self) })]
    }

    fn escape(&self) -> Option<&'static str> {
        Some(match () {
            () if self.replaces_key_of.is_some() => "cancel",
            () if self.is_choosing || self.sent.is_some() => "close",
            () => "back",
        })
    }

    fn typing(&self) -> bool {
        true
    }

    fn render(&self, frame: &mut Frame, area: Rect, context: RenderContext) {
        profile_form_view::render(self, frame, area, context.theme);
    }
}

/// Returns its tables of keys, for the list of all keys.
pub(crate) fn listed_keys() -> Vec<ListedKeys> {
    vec![CHOOSING.listed(), FILLING.listed()]
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use crossterm::event::{KeyCode, KeyModifiers};

    use super::*;
    use crate::component::{Effect, Session};

    #[test]
    fn no_key_means_two_things() {
        assert_eq!((CHOOSING.keymap().clashes(), FILLING.keymap().clashes()), (Vec::new(), Vec::new()));
    }

    /// Passes something to the form, and returns what it made of it and what it asked for.
    fn pass_for_effects(
        form: &mut ProfileForm,
        pass: impl FnOnce(&mut ProfileForm, &mut Cx) -> FormStep,
    ) -> (FormStep, Vec<Effect>) {
        let (session, mut tickets, mut effects) = (Session::default(), 0, Vec::new());
        let handled = pass(form, &mut Cx::new(&session, Instant::now(), 0, &mut tickets, &mut effects));
        (handled, effects)
    }

    fn pass(form: &mut ProfileForm, pass: impl FnOnce(&mut ProfileForm, &mut Cx) -> FormStep) -> FormStep {
        pass_for_effects(form, pass).0
    }

    fn key(form: &mut ProfileForm, code: KeyCode) -> FormStep {
        pass(form, |form, cx| form.key(KeyEvent::new(code, KeyModifiers::NONE), cx))
    }

    fn press(form: &mut ProfileForm, keys: &str) -> FormStep {
        let mut last = Handled::Consumed;
        for c in keys.chars() {
            last = key(form, if c == '\n' { KeyCode::Enter } else { KeyCode::Char(c) });
        }
        last
    }

    /// Returns the profile that the next Enter makes.
    fn done(form: &mut ProfileForm) -> NewProfile {
        let enter = KeyEvent::from(KeyCode::Enter);
        match pass_for_effects(form, |form, cx| form.key(enter, cx)).1.pop() {
            Some(Effect::AddProfile(ticket, profile)) if form.awaits(ticket) => *profile,
            _ => panic!("not done: {:?}", form.wrong),
        }
    }

    #[test]
    fn a_pasted_key_makes_a_profile_and_is_not_in_its_debug() {
        let mut form = ProfileForm::new(false);
        press(&mut form, "2work\n\n");
        pass(&mut form, |form, cx| form.paste("sk-secret\n", cx));
        assert!(!format!("{form:?}").contains("secret"));
        let profile = done(&mut form);
        assert_eq!(profile.name, "work");
        assert_eq!(profile.base_url, "https://api.openai.com/v1");
        assert!(profile.key == NewKeySource::Pasted("sk-secret".into()));
        assert!(!format!("{profile:?}").contains("secret"));
    }

    #[test]
    fn what_is_wrong_is_said_and_esc_goes_back() {
        let mut form = ProfileForm::new(false);
        assert_eq!(press(&mut form, "4local\n\n"), Handled::Consumed);
        assert!(form.wrong.is_some() && form.at == 0);
        assert_eq!(key(&mut form, KeyCode::Esc), Handled::Consumed);
        assert!(form.is_choosing);
        press(&mut form, "4");
        assert_eq!(form.fields[0].line.text(), "local", "what was filled in is there again");
        assert_eq!(key(&mut form, KeyCode::Esc), Handled::Consumed);
        assert_eq!(key(&mut form, KeyCode::Esc), Handled::close());
    }

    #[test]
    fn while_it_is_saved_the_form_takes_no_key_but_those_that_close_it() {
        let mut form = ProfileForm::new(false);
        press(&mut form, "1work\n");
        assert_eq!(form.escape(), Some("back"));
        done(&mut form);
        assert_eq!(press(&mut form, "x\n"), Handled::Consumed);
        assert_eq!((form.fields[0].line.text(), form.at, form.escape()), ("work", 1, Some("close")));
        assert_eq!(key(&mut form, KeyCode::Esc), Handled::close());
        let interrupt = KeyEvent::new(KeyCode::Char('c'), KeyModifiers::CONTROL);
        assert_eq!(pass(&mut form, |form, cx| form.key(interrupt, cx)), Handled::close());
    }

    #[test]
    fn a_url_is_one_that_the_config_file_takes_and_plain_http_is_asked_about() {
        for url in ["ftp://host/v1", "https://me@host/v1", "https://", "host/v1"] {
            let mut form = ProfileForm::new(false);
            press(&mut form, "2work\n");
            form.fields[1].line = TextField::new(url);
            assert_eq!(press(&mut form, "\nkey\n"), Handled::Consumed, "{url}");
            assert_eq!(form.at, 1);
        }
        let mut form = ProfileForm::new(false);
        press(&mut form, "2work\n");
        form.fields[1].line = TextField::new("http://far.example:8080/v1");
        assert_eq!(press(&mut form, "\nkey\n"), Handled::Consumed);
        let asked = form.wrong.as_ref().unwrap().line().into_owned();
        assert!(asked.contains("unencrypted to http://far.example:8080"), "{asked}");
        let profile = done(&mut form);
        assert!(profile.allow_http);
    }
}
