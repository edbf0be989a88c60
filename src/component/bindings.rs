//! What the keys of a component do: one table from which input, footer, help and palette come.

use std::fmt::Debug;
use std::sync::Arc;

use crossterm::event::KeyEvent;

use super::{Command, Hint};
use crate::ui::key_table::{ActionName, KeyContext, KeyTable, ListedKeys, changed_key};
use crate::ui::keys::{Chord, Keymap, KeymapRow};

/// A function that returns why a binding cannot be used in a state; `None`: it can be used.
type Reason<S> = fn(&S) -> Option<&'static str>;

/// A row of a table of bindings: keys, what they do to a component with the state `S`, and where this is shown.
#[derive(Debug)]
pub struct Binding<A, S> {
    /// Each action with its keys, separated by spaces; `None`: only the palette offers the action.
    actions: Vec<(Option<&'static str>, A)>,
    /// The keys as the footer shows them; `None`: the first key of each action.
    footer_keys: Option<&'static str>,
    /// The names of the actions in the file of key bindings; empty: those of their variants.
    names: &'static [&'static str],
    /// The context that the names belong to; `None`: that of the table.
    context: Option<&'static str>,
    label: &'static str,
    /// Returns the label, if it depends on the state.
    label_of: Option<fn(&S) -> &'static str>,
    /// The sentence on the help page; empty: the binding is not on it.
    help: &'static str,
    /// What each action does, for the list of all keys; empty: what the help page says.
    does: &'static [&'static str],
    /// The heading on the help page; `None`: that of the whole table.
    group: Option<&'static str>,
    palette: Option<PaletteEntry>,
    disabled: Reason<S>,
}

/// How the palette shows a binding.
#[derive(Clone, Copy, Debug)]
struct PaletteEntry {
    id: &'static str,
    title: &'static str,
    keywords: &'static str,
    /// The key that is shown; `None`: the first key of the action.
    key: Option<&'static str>,
    /// Context and action that this key belongs to, where that is not the table's.
    key_of: Option<(&'static str, &'static str)>,
}

/// Creates a binding: keys separated by spaces, the action, a word or two for the footer, a sentence for the help page.
pub fn bind<A, S>(keys: &'static str, action: A, label: &'static str, help: &'static str) -> Binding<A, S> {
    bind_all([(keys, action)], label, help)
}

/// Creates one binding for several actions that are shown as one, such as up and down: each with its keys, the first of
/// which is shown.
pub fn bind_all<A, S, const N: usize>(
    keys: [(&'static str, A); N],
    label: &'static str,
    help: &'static str,
) -> Binding<A, S> {
    create(keys.map(|(keys, action)| (Some(keys), action)).into(), label, help)
}

/// Creates an entry of the palette for an action that has no key in the table: its id, its title, words that find it,
/// and the key that is shown beside it (empty: none).
pub fn palette_entry<A, S>(
    id: &'static str,
    action: A,
    title: &'static str,
    keywords: &'static str,
    key: &'static str,
) -> Binding<A, S> {
    let palette = Some(PaletteEntry { id, title, keywords, key: Some(key), key_of: None });
    Binding { palette, ..create(vec![(None, action)], "", "") }
}

fn create<A, S>(actions: Vec<(Option<&'static str>, A)>, label: &'static str, help: &'static str) -> Binding<A, S> {
    Binding {
        actions,
        footer_keys: None,
        names: &[],
        context: None,
        label,
        label_of: None,
        help,
        does: &[],
        group: None,
        palette: None,
        disabled: |_| None,
    }
}

impl<A: Copy + PartialEq, S> Binding<A, S> {
    /// Offers the binding in the palette under this id; the words of its help and these, separated by spaces, find it.
    #[must_use]
    pub fn in_palette(self, id: &'static str, keywords: &'static str) -> Self {
        let title = self.help;
        Self { palette: Some(PaletteEntry { id, title, keywords, key: None, key_of: None }), ..self }
    }

    /// Sets whose key the palette shows, by the context and the name of the action: that of another table.
    #[must_use]
    pub fn key_of(self, context: &'static str, action: &'static str) -> Self {
        Self { palette: self.palette.map(|entry| PaletteEntry { key_of: Some((context, action)), ..entry }), ..self }
    }

    /// Sets what each of its actions does, for the list of all keys, where its help is about all of them, or missing.
    #[must_use]
    pub fn does(self, does: &'static [&'static str]) -> Self {
        Self { does, ..self }
    }

    /// Sets the names of its actions in the file of key bindings, where those of their variants say too little.
    #[must_use]
    pub fn named(self, names: &'static [&'static str]) -> Self {
        Self { names, ..self }
    }

    /// Sets another title for the palette than the sentence of the help page.
    #[must_use]
    pub fn titled(self, title: &'static str) -> Self {
        Self { palette: self.palette.map(|entry| PaletteEntry { title, ..entry }), ..self }
    }

    /// Disables the binding in footer and palette while `disabled` returns a reason.
    #[must_use]
    pub fn disabled_when(self, disabled: Reason<S>) -> Self {
        Self { disabled, ..self }
    }

    /// Sets the names of its actions in another context: a widget has the keys, and the table only shows them.
    #[must_use]
    pub fn of_context(self, context: &'static str, names: &'static [&'static str]) -> Self {
        Self { names, context: Some(context), ..self }
    }

    /// Sets the keys that the footer shows, such as `jk` for two keys of the table that belong together: a character for
    /// each, with blanks or `/` between them.
    #[must_use]
    pub fn shown(self, keys: &'static str) -> Self {
        Self { footer_keys: Some(keys), ..self }
    }

    /// Sets the function that returns the label for the footer, where it depends on the state.
    #[must_use]
    pub fn labelled(self, label: fn(&S) -> &'static str) -> Self {
        Self { label_of: Some(label), ..self }
    }

    /// Returns whether it has a key: entries of the palette may have none.
    fn has_key(&self) -> bool {
        self.actions.iter().any(|(keys, _)| keys.is_some())
    }

    /// Returns whether the help page lists it.
    fn has_help(&self) -> bool {
        self.has_key() && !self.help.is_empty()
    }

    fn has_action(&self, action: A) -> bool {
        self.actions.iter().any(|(_, other)| *other == action)
    }

    fn first_action(&self) -> A {
        self.actions[0].1
    }

    fn is_enabled(&self, state: &S) -> bool {
        (self.disabled)(state).is_none()
    }
}

impl<A: Debug, S> Binding<A, S> {
    /// Returns the name of its action with this number, in a table of this context.
    fn name(&self, table: &'static str, at: usize) -> ActionName {
        let context = self.context.unwrap_or(table);
        match self.names.get(at) {
            Some(name) => ActionName { context, name: (*name).to_owned() },
            None => ActionName::derive(context, &self.actions[at].1),
        }
    }
}

/// The bindings of a component, in the order of its help page.
#[derive(Debug)]
pub struct Bindings<A, S> {
    keys: KeyTable<A>,
    list: Vec<Binding<A, S>>,
}

impl<A: Copy + PartialEq + Debug, S> Bindings<A, S> {
    /// Creates a table of bindings with the name that its context has in the file of key bindings. A table that repeats
    /// actions of another one has the same name, so that their keys change with it.
    ///
    /// # Panics
    /// On a key that cannot be read: the table is part of the program, and a test builds every table.
    pub fn new(context: impl Into<KeyContext>, list: Vec<Binding<A, S>>) -> Self {
        Self::create(context.into(), list)
    }

    /// Creates a table for keys while letters are text.
    ///
    /// # Panics
    /// On a key that cannot be read.
    pub fn while_typing(context: impl Into<KeyContext>, list: Vec<Binding<A, S>>) -> Self {
        Self::create(context.into().while_typing(), list)
    }

    fn create(context: KeyContext, list: Vec<Binding<A, S>>) -> Self {
        let (mut rows, mut names) = (Vec::new(), Vec::new());
        for binding in &list {
            for (at, (keys, action)) in binding.actions.iter().enumerate() {
                if let Some(keys) = keys {
                    rows.push((*keys, *action, binding.does.get(at).copied().unwrap_or(binding.help)));
                    names.push(binding.name(context.name, at));
                }
            }
        }
        let keymap = Keymap::new(&rows);
        Self { keys: KeyTable::named(context, keymap, names), list }
    }

    /// Creates a table of bindings in groups, each with the task that is its heading on the help page, such as `Copy`;
    /// empty: the heading of the whole table.
    ///
    /// # Panics
    /// On a key that cannot be read.
    pub fn grouped(context: &'static str, groups: Vec<(&'static str, Vec<Binding<A, S>>)>) -> Self {
        let in_group = |(name, list): (&'static str, Vec<Binding<A, S>>)| {
            let group = Some(name).filter(|name| !name.is_empty());
            list.into_iter().map(move |binding| Binding { group, ..binding })
        };
        Self::new(context, groups.into_iter().flat_map(in_group).collect())
    }

    /// Returns the keys alone.
    pub fn keymap(&self) -> Arc<Keymap<A>> {
        self.keys.keymap()
    }

    /// Returns the keys that are left while characters are text.
    pub fn keymap_while_typing(&self) -> Arc<Keymap<A>> {
        self.keys.while_typing()
    }

    /// Returns all its actions that have keys.
    pub fn listed(&self) -> ListedKeys {
        let label =
            |action| self.list.iter().find(|binding| binding.has_action(action)).map_or("", |found| found.label);
        self.keys.listed(label)
    }

    /// Returns the action of a key, also of a disabled one.
    pub fn find(&self, key: &KeyEvent) -> Option<A> {
        self.keys.find(key)
    }

    /// Returns the first action of a key that is enabled.
    pub fn find_enabled(&self, key: &KeyEvent, state: &S) -> Option<A> {
        let chord = Chord::of(&self.keys.meant(key));
        let is_enabled =
            |action: A| self.list.iter().any(|binding| binding.has_action(action) && binding.is_enabled(state));
        let keymap = self.keymap();
        let rows = keymap.rows().iter().filter(|row| row.chords.contains(&chord));
        rows.map(|row| row.action).find(|action| is_enabled(*action))
    }

    /// Returns hints for the footer: those of the actions that are enabled and have a key.
    pub fn footer(&self, actions: &[A], state: &S) -> Vec<Hint> {
        let hint = |action: &A| {
            let binding = self.list.iter().find(|binding| binding.has_key() && binding.has_action(*action))?;
            let label = binding.label_of.map_or(binding.label, |label| label(state));
            let keys = binding.footer_keys.map_or_else(|| self.first_keys_of(binding), |keys| self.shown_keys(keys));
            (binding.is_enabled(state) && !keys.is_empty()).then(|| Hint::new(keys, label))
        };
        actions.iter().filter_map(hint).collect()
    }

    /// Returns a hint for one action: its first key, which is empty if it has none.
    pub fn hint(&self, action: A, label: &str) -> Hint {
        self.joined(&[action], label)
    }

    /// Returns one hint for several actions, such as next and previous: the first key of each, with one label.
    pub fn joined(&self, actions: &[A], label: &str) -> Hint {
        Hint::new(self.first_keys(actions.iter().copied()), label)
    }

    /// Returns the first key of each action, separated by spaces.
    fn first_keys(&self, actions: impl Iterator<Item = A>) -> String {
        let keymap = self.keymap();
        actions.map(|action| keymap.key(action)).filter(|key| !key.is_empty()).collect::<Vec<_>>().join(" ")
    }

    /// Returns the keys that a binding shows in the footer, as they are; if one of them is changed, those that the
    /// actions have now.
    fn shown_keys(&self, keys: &str) -> String {
        let (defaults, keymap) = (self.keys.defaults(), self.keymap());
        let mut is_changed = false;
        let mut now = Vec::new();
        for shown in keys.chars().filter(|char| !matches!(char, ' ' | '/')) {
            let shown = if shown == '−' { "-".to_owned() } else { shown.to_string() };
            let has_key = |row: &&KeymapRow<A>| row.chords.iter().any(|chord| chord.to_string() == shown);
            let action = defaults.rows().iter().find(has_key).map(|row| row.action);
            let is_kept = keymap.rows().iter().find(has_key).map(|row| row.action) == action;
            is_changed |= !is_kept;
            now.push(action.filter(|_| !is_kept).map_or(shown, |action| keymap.key(action)));
        }
        if is_changed {
            now.retain(|key| !key.is_empty());
            now.join(" ")
        } else {
            keys.to_owned()
        }
    }

    /// Returns the key that the palette shows for an action.
    fn palette_key(&self, entry: PaletteEntry, action: A) -> String {
        let Some(key) = entry.key else { return self.keymap().key(action) };
        if let Some((context, name)) = entry.key_of {
            return changed_key(context, name).unwrap_or_else(|| key.to_owned());
        }
        let is_key =
            |row: &KeymapRow<A>| row.action == action && row.chords.iter().any(|chord| chord.to_string() == key);
        let is_of_table = self.keys.defaults().rows().iter().any(is_key);
        if is_of_table && !self.keymap().rows().iter().any(is_key) { self.keymap().key(action) } else { key.to_owned() }
    }

    fn first_keys_of(&self, binding: &Binding<A, S>) -> String {
        self.first_keys(binding.actions.iter().map(|(_, action)| *action))
    }

    /// Returns all keys for the help page; bindings without a help text are left out.
    pub fn help(&self) -> Vec<Hint> {
        self.help_where(|_| true)
    }

    /// Returns all keys for the help page by group, those without a group under `heading`.
    pub fn help_groups(&self, heading: &'static str) -> Vec<(&'static str, Vec<Hint>)> {
        let mut groups: Vec<Option<&str>> = Vec::new();
        for binding in self.list.iter().filter(|binding| binding.has_help()) {
            if !groups.contains(&binding.group) {
                groups.push(binding.group);
            }
        }
        let hints = |group| self.help_where(|binding| binding.group == group);
        groups.into_iter().map(|group| (group.unwrap_or(heading), hints(group))).collect()
    }

    /// Returns the keys that are enabled, for the help page.
    pub fn help_enabled(&self, state: &S) -> Vec<Hint> {
        self.help_where(|binding| binding.is_enabled(state))
    }

    fn help_where(&self, shows: impl Fn(&Binding<A, S>) -> bool) -> Vec<Hint> {
        // The rows of the keymap are those of the bindings, one for each action that has keys.
        let keymap = self.keymap();
        let mut rows = keymap.rows().iter();
        let with_rows = self.list.iter().map(|binding| {
            let count = binding.actions.iter().filter(|(keys, _)| keys.is_some()).count();
            (binding, rows.by_ref().take(count).collect::<Vec<_>>())
        });
        let hint = |(binding, rows): (&Binding<A, S>, Vec<&KeymapRow<A>>)| {
            let keys = match rows.as_slice() {
                [row] => row.shown_keys(),
                _ => self.first_keys_of(binding),
            };
            Hint::new(keys, binding.help)
        };
        let shown = with_rows.filter(|(binding, _)| binding.has_help() && shows(binding)).map(hint);
        shown.filter(|hint| !hint.key.is_empty()).collect()
    }

    /// Returns the entries for the palette, each title after the name of the tab.
    pub fn palette(&self, tab: &str, state: &S) -> Vec<Command> {
        let titled = |command: Command| Command { title: format!("{tab}: {}", command.title), ..command };
        self.palette_entries(state).map(|(_, command)| titled(command)).collect()
    }

    /// Returns the entries for the palette with their actions.
    pub fn palette_entries(&self, state: &S) -> impl Iterator<Item = (A, Command)> {
        self.list.iter().filter_map(|binding| {
            let entry = binding.palette?;
            let PaletteEntry { id, title, keywords, .. } = entry;
            let disabled = (binding.disabled)(state).map(str::to_owned);
            let action = binding.first_action();
            let key = self.palette_key(entry, action);
            Some((action, Command { id, title: title.to_owned(), key, disabled, keywords }))
        })
    }

    /// Returns the action of the palette entry with this id, if it is enabled.
    pub fn command(&self, id: &str, state: &S) -> Option<A> {
        let binding = self.list.iter().find(|binding| binding.palette.is_some_and(|entry| entry.id == id))?;
        binding.is_enabled(state).then(|| binding.first_action())
    }
}

#[cfg(test)]
mod tests {
    use crossterm::event::KeyCode;

    use super::*;

    /// Returns a table of a job that runs or does not: the state says whether it does.
    fn table() -> Bindings<char, bool> {
        Bindings::new(
            "test",
            vec![
                bind("x delete", 'x', "cancel", "cancel the job")
                    .in_palette("cancel", "stop")
                    .disabled_when(|runs| (!runs).then_some("the job is over")),
                bind_all([("k up", 'k'), ("j down", 'j')], "job", "job before, next job"),
                bind_all([("g", 'g'), ("G", 'G')], "", "")
                    .shown("gG")
                    .labelled(|runs| if *runs { "move" } else { "go" }),
                palette_entry("stop", 's', "stop all", "halt", "esc")
                    .disabled_when(|runs| (!runs).then_some("nothing runs")),
                bind("delete", 'd', "delete", "delete the job").in_palette("delete", "").titled("delete for good"),
            ],
        )
    }

    #[test]
    fn a_key_finds_its_first_action_or_the_first_enabled_one() {
        let delete = KeyEvent::from(KeyCode::Delete);
        assert_eq!(table().find(&delete), Some('x'));
        assert_eq!(table().find(&KeyEvent::from(KeyCode::Up)), Some('k'));
        assert_eq!(
            (table().find_enabled(&delete, &true), table().find_enabled(&delete, &false)),
            (Some('x'), Some('d'))
        );
        assert_eq!(table().find_enabled(&KeyEvent::from(KeyCode::Char('x')), &false), None);
    }

    #[test]
    fn the_footer_shows_enabled_actions_with_their_first_keys() {
        assert_eq!(table().footer(&['j', 'x'], &true), [Hint::new("k j", "job"), Hint::new("x", "cancel")]);
        assert_eq!(table().footer(&['j', 'x', 's'], &false), [Hint::new("k j", "job")]);
        assert_eq!(table().footer(&['G'], &false), [Hint::new("gG", "go")]);
        assert_eq!(table().joined(&['j', 'x'], "both"), Hint::new("j x", "both"));
    }

    #[test]
    fn the_help_page_lists_bindings_that_have_a_help_text() {
        let cancel = Hint::new("x del", "cancel the job");
        let others = [Hint::new("k j", "job before, next job"), Hint::new("del", "delete the job")];
        assert_eq!(table().help(), [&[cancel.clone()][..], &others].concat());
        assert_eq!((table().help_enabled(&true), table().help_enabled(&false)), (table().help(), others.to_vec()));
    }

    #[test]
    fn the_help_page_has_a_heading_for_each_group_and_one_for_the_rest() {
        let binding = |key, action| vec![bind(key, action, "", "next")];
        let hints = |key: &str| vec![Hint::new(key, "next")];
        let grouped: Bindings<char, ()> =
            Bindings::grouped("test", vec![("Move", binding("j", 'j')), ("", binding("k", 'k'))]);
        assert_eq!(grouped.help_groups("Jobs"), [("Move", hints("j")), ("Jobs", hints("k"))]);
        let alone: Bindings<char, ()> = Bindings::new("test", binding("j", 'j'));
        assert_eq!(alone.help_groups("Jobs"), [("Jobs", hints("j"))]);
    }

    #[test]
    fn the_palette_says_why_an_entry_is_disabled_and_runs_only_enabled_ones() {
        let [cancel, stop, delete] = table().palette("Tune", &true).try_into().unwrap();
        assert_eq!((cancel.title.as_str(), cancel.key.as_str(), cancel.disabled), ("Tune: cancel the job", "x", None));
        assert_eq!((stop.title.as_str(), stop.key.as_str()), ("Tune: stop all", "esc"));
        assert_eq!((delete.title.as_str(), delete.key.as_str()), ("Tune: delete for good", "del"));
        assert_eq!(table().palette("Tune", &false)[0].disabled.as_deref(), Some("the job is over"));
        assert_eq!(table().command("stop", &true), Some('s'));
        assert_eq!((table().command("cancel", &true), table().command("cancel", &false)), (Some('x'), None));
    }
}
