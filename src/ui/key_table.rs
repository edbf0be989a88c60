//! Keymaps whose keys the user can change: each has the name of its context, under which the changes are found.

use std::collections::HashMap;
use std::fmt::Debug;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, PoisonError, RwLock};

use crossterm::event::KeyEvent;

use super::keys::{Chord, Keymap, KeymapRow, without_shift};

/// The keys that are changed: those of each action by its name, by the name of the context.
pub type KeyChanges = HashMap<String, HashMap<String, Vec<Chord>>>;

/// The changes in force. Every table looks here, so that all of them change at once.
static CHANGES: RwLock<Option<Arc<KeyChanges>>> = RwLock::new(None);
/// How often changes were put in force: a keymap of an earlier number is built anew when it is next asked.
static GENERATION: AtomicU64 = AtomicU64::new(0);

/// Puts changes in force in place of those before.
pub fn apply(changes: KeyChanges) {
    *CHANGES.write().unwrap_or_else(PoisonError::into_inner) = Some(Arc::new(changes));
    GENERATION.fetch_add(1, Ordering::Release);
}

fn changes() -> Option<Arc<KeyChanges>> {
    CHANGES.read().unwrap_or_else(PoisonError::into_inner).clone()
}

/// Returns the first key of an action, if its keys are changed; empty: it has none.
pub fn changed_key(context: &str, action: &str) -> Option<String> {
    let changes = changes()?;
    let keys = changes.get(context)?.get(action)?;
    Some(keys.first().map(ToString::to_string).unwrap_or_default())
}

/// Returns the key of an action as a sentence names it: the first that is a key also while text is typed, else the
/// first; `default` unless its keys are changed.
pub fn named_key(context: &str, action: &str, default: &str) -> String {
    let Some(changes) = changes() else { return default.to_owned() };
    let Some(keys) = changes.get(context).and_then(|actions| actions.get(action)) else { return default.to_owned() };
    let key = keys.iter().find(|chord| !chord.types()).or(keys.first());
    key.map(ToString::to_string).unwrap_or_default()
}

/// Returns whether a changed action has this key.
pub fn is_changed_key(chord: Chord) -> bool {
    changes().is_some_and(|changes| changes.values().flat_map(HashMap::values).any(|keys| keys.contains(&chord)))
}

/// Where a table of keys applies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeyContext {
    /// Its name in the file of key bindings, such as `chat.transcript`.
    pub name: &'static str,
    /// Whether letters are text there, so that none can be a key.
    pub is_typing: bool,
    /// Whether a key means the same with Shift, so that no key with Shift can be one of its own.
    pub ignores_shift: bool,
    /// What uses it.
    pub place: KeyPlace,
}

/// What uses a table of keys. The shell's keys come before those of the table: in each place others of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyPlace {
    /// Panes and pages of tabs, perhaps dialogs too: all keys of the shell come first, letters unless text is typed.
    Tab,
    /// Dialogs of tabs, perhaps those of the shell too: the shell's letters are no keys there.
    Dialog,
    /// Only dialogs of the shell: few of the shell's keys come first.
    ShellDialog,
}

impl KeyContext {
    /// Creates the context of a pane or a page, where letters are keys.
    pub const fn new(name: &'static str) -> Self {
        Self { name, is_typing: false, ignores_shift: false, place: KeyPlace::Tab }
    }

    /// Makes letters text.
    #[must_use]
    pub const fn while_typing(self) -> Self {
        Self { is_typing: true, ..self }
    }

    /// Makes keys mean the same with Shift.
    #[must_use]
    pub const fn ignoring_shift(self) -> Self {
        Self { ignores_shift: true, ..self }
    }

    /// Says what uses it.
    #[must_use]
    pub const fn used_in(self, place: KeyPlace) -> Self {
        Self { place, ..self }
    }
}

impl From<&'static str> for KeyContext {
    fn from(name: &'static str) -> Self {
        Self::new(name)
    }
}

/// A keymap of one context, as the user has changed it.
#[derive(Debug)]
pub struct KeyTable<A> {
    context: KeyContext,
    defaults: Keymap<A>,
    /// The names of the actions, one for each row.
    names: Vec<ActionName>,
    built: RwLock<Arc<BuiltKeymaps<A>>>,
}

/// The name under which the keys of an action are changed.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ActionName {
    /// The context: the table's, or of an action that several tables share, that of its own table.
    pub context: &'static str,
    /// The name in the context, such as `copy-block`.
    pub name: String,
}

impl ActionName {
    /// Derives the name of an action from that of its variant: `CopyBlock` is `copy-block`, `Move(Down)` is `move-down`.
    pub fn derive(context: &'static str, action: &impl Debug) -> Self {
        let mut name = String::new();
        for char in format!("{action:?}").chars() {
            if !char.is_ascii_alphanumeric() || char.is_ascii_uppercase() {
                name.push('-');
            }
            if char.is_ascii_alphanumeric() {
                name.push(char.to_ascii_lowercase());
            }
        }
        let words: Vec<&str> = name.split('-').filter(|word| !word.is_empty()).collect();
        Self { context, name: words.join("-") }
    }
}

/// The keymaps under the changes of a generation.
#[derive(Debug)]
struct BuiltKeymaps<A> {
    generation: u64,
    all: Arc<Keymap<A>>,
    while_typing: Arc<Keymap<A>>,
}

/// An action of a table with its keys, for a list of all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListedAction {
    /// Its name in the file of key bindings.
    pub name: ActionName,
    /// Its keys as long as they are not changed.
    pub defaults: Vec<Chord>,
    /// Its keys.
    pub keys: Vec<Chord>,
    /// What it does, for people; may be empty.
    pub does: &'static str,
}

/// All actions of a context that have keys.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListedKeys {
    /// The context.
    pub context: KeyContext,
    /// Its actions, in the order of the table.
    pub actions: Vec<ListedAction>,
}

impl ListedKeys {
    /// Returns the actions whose keys are changed under the name of this context: without those of another table.
    pub fn own_actions(&self) -> impl Iterator<Item = &ListedAction> {
        self.actions.iter().filter(|action| action.name.context == self.context.name)
    }
}

impl<A: Copy + PartialEq + Debug> KeyTable<A> {
    /// Creates a table whose actions are named after their variants.
    pub fn new(context: KeyContext, defaults: Keymap<A>) -> Self {
        let names = defaults.rows().iter().map(|row| ActionName::derive(context.name, &row.action)).collect();
        Self::named(context, defaults, names)
    }

    /// Creates a table with the names of its actions, one for each row.
    pub fn named(context: KeyContext, defaults: Keymap<A>, names: Vec<ActionName>) -> Self {
        let (all, while_typing) = (Arc::new(defaults.clone()), Arc::new(defaults.while_typing()));
        let built = BuiltKeymaps { generation: 0, all, while_typing };
        Self { context, defaults, names, built: RwLock::new(Arc::new(built)) }
    }

    /// Returns the keymap.
    pub fn keymap(&self) -> Arc<Keymap<A>> {
        Arc::clone(&self.built().all)
    }

    /// Returns the keymap that is left while characters are text.
    pub fn while_typing(&self) -> Arc<Keymap<A>> {
        Arc::clone(&self.built().while_typing)
    }

    /// Returns the action of a key.
    pub fn find(&self, key: &KeyEvent) -> Option<A> {
        self.built().all.find(&self.meant(key))
    }

    /// Returns a key as the table has it: without Shift, if that makes no difference.
    pub fn meant(&self, key: &KeyEvent) -> KeyEvent {
        if self.context.ignores_shift { without_shift(key) } else { *key }
    }

    /// Returns the key shown for an action; empty: none.
    pub fn key(&self, action: A) -> String {
        self.built().all.key(action)
    }

    /// Returns the keymap as long as nothing is changed.
    pub fn defaults(&self) -> &Keymap<A> {
        &self.defaults
    }

    /// Returns the keymaps under the changes in force; they are built only once for these.
    fn built(&self) -> Arc<BuiltKeymaps<A>> {
        // Read before the changes: they may be newer, never older.
        let generation = GENERATION.load(Ordering::Acquire);
        let built = Arc::clone(&self.built.read().unwrap_or_else(PoisonError::into_inner));
        if built.generation == generation {
            return built;
        }
        let all = self.changed_by(changes().unwrap_or_default().as_ref());
        let while_typing = Arc::new(all.while_typing());
        let built = Arc::new(BuiltKeymaps { generation, while_typing, all: Arc::new(all) });
        *self.built.write().unwrap_or_else(PoisonError::into_inner) = Arc::clone(&built);
        built
    }

    /// Returns the keymap under changes. Of several rows of a changed action the first gets its keys, the others none.
    fn changed_by(&self, changes: &KeyChanges) -> Keymap<A> {
        let changed = |(at, row): (usize, &KeymapRow<A>)| {
            let name = &self.names[at];
            match changes.get(name.context).and_then(|actions| actions.get(&name.name)) {
                None => row.clone(),
                Some(_) if self.names[..at].contains(name) => KeymapRow { chords: Vec::new(), ..row.clone() },
                Some(keys) => KeymapRow { chords: keys.clone(), ..row.clone() },
            }
        };
        Keymap::from_rows(self.defaults.rows().iter().enumerate().map(changed).collect())
    }

    /// Returns its actions with their keys; `label` says what an action does that has no help.
    pub fn listed(&self, label: impl Fn(A) -> &'static str) -> ListedKeys {
        let keymap = self.keymap();
        let mut actions: Vec<ListedAction> = Vec::new();
        for ((row, default), name) in keymap.rows().iter().zip(self.defaults.rows()).zip(&self.names) {
            if let Some(action) = actions.iter_mut().find(|action| action.name == *name) {
                action.keys.extend(&row.chords);
                action.defaults.extend(&default.chords);
                continue;
            }
            let does = Some(row.description).filter(|does| !does.is_empty()).unwrap_or_else(|| label(row.action));
            let (keys, defaults) = (row.chords.clone(), default.chords.clone());
            actions.push(ListedAction { name: name.clone(), defaults, keys, does });
        }
        ListedKeys { context: self.context, actions }
    }
}

#[cfg(test)]
mod tests {
    use crossterm::event::{KeyCode, KeyEvent};

    use super::*;

    #[derive(Clone, Copy, Debug, PartialEq)]
    enum Action {
        CopyBlock,
        Move(Way),
        Close,
    }

    #[derive(Clone, Copy, Debug, PartialEq)]
    enum Way {
        HalfUp,
    }

    /// Returns a table in a context that no other test changes.
    fn table(name: &'static str) -> KeyTable<Action> {
        let rows = [
            ("y", Action::CopyBlock, "copy"),
            ("u", Action::Move(Way::HalfUp), ""),
            ("esc", Action::Close, ""),
            ("q", Action::Close, ""),
        ];
        KeyTable::new(KeyContext::new(name), Keymap::new(&rows))
    }

    fn find(table: &KeyTable<Action>, char: char) -> Option<Action> {
        table.keymap().find(&KeyEvent::from(KeyCode::Char(char)))
    }

    #[test]
    fn actions_are_listed_once_by_the_names_of_their_variants() {
        let listed = table("test.names").listed(|_| "something");
        let all: Vec<_> = listed.actions.iter().map(|action| (action.name.name.as_str(), action.does)).collect();
        assert_eq!(all, [("copy-block", "copy"), ("move-half-up", "something"), ("close", "something")]);
        assert_eq!(listed.actions[2].keys, ["esc", "q"].map(|name| Chord::parse(name).unwrap()));
    }

    #[test]
    fn changed_keys_take_the_place_of_the_others_at_once_and_go_with_the_change() {
        let chord = |name| Chord::parse(name).unwrap();
        let table = table("test.changes");
        assert_eq!((find(&table, 'y'), find(&table, 'x')), (Some(Action::CopyBlock), None));
        let keys = |name: &str, keys: Vec<Chord>| (name.to_owned(), keys);
        let changed = [keys("copy-block", vec![chord("x")]), keys("close", vec![chord("ctrl-g")])].into();
        // Other tests apply no changes: this is the only one that does.
        apply([("test.changes".to_owned(), changed)].into());
        assert_eq!((find(&table, 'y'), find(&table, 'x')), (None, Some(Action::CopyBlock)));
        assert_eq!((find(&table, 'q'), find(&table, 'u')), (None, Some(Action::Move(Way::HalfUp))));
        assert_eq!(changed_key("test.changes", "copy-block").as_deref(), Some("x"));
        assert_eq!(changed_key("test.changes", "close").as_deref(), Some("^G"));
        assert_eq!(changed_key("test.changes", "move-half-up"), None);
        let named = ["close", "copy-block", "move-half-up"].map(|action| named_key("test.changes", action, "u"));
        assert_eq!(named, ["^G", "x", "u"]);
        assert_eq!(["x", "ctrl-g", "y"].map(|name| is_changed_key(chord(name))), [true, true, false]);
        let listed = table.listed(|_| "");
        assert_eq!((&listed.actions[0].defaults, &listed.actions[0].keys), (&vec![chord("y")], &vec![chord("x")]));
        let (before, after) = (table.keymap(), table.keymap());
        assert!(Arc::ptr_eq(&before, &after), "a keymap is built once");
        apply(KeyChanges::new());
        assert_eq!((find(&table, 'y'), find(&table, 'x')), (Some(Action::CopyBlock), None));
    }
}
