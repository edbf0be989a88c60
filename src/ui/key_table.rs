//! Keymaps whose keys the user can change: each has the name of its context, under which the changes are found.

use std::collections::HashMap;
use std::fmt::Debug;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, PoisonError, RwLock};

use crossterm::event::KeyEvent;

use super::keys::{Chord, Keymap, KeymapRow};

/// The keys that are changed: those of each action by its name, by the name of the context.
pub type KeyChanges = HashMap<String, HashMap<String, Vec<Chord>>>;

/// The changes in force. Every table looks here, so that all of them change at once.
static CHANGES: RwLock<Option<Arc<KeyChanges>>> = RwLock::new(None);
/// How often changes were put in force: a keymap of an earlier number is made anew when it is next asked.
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

/// Where a table of keys applies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Context {
    /// Its name in the file of key bindings, such as `chat.transcript`.
    pub name: &'static str,
    /// Whether letters are text there, so that none can be a key.
    pub is_typing: bool,
}

/// A keymap of one context, as the user has changed it.
#[derive(Debug)]
pub struct KeyTable<A> {
    context: Context,
    defaults: Keymap<A>,
    /// The names of the actions, one for each row.
    names: Vec<ActionName>,
    made: RwLock<Arc<Made<A>>>,
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
struct Made<A> {
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
    pub context: Context,
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
    pub fn new(context: Context, defaults: Keymap<A>) -> Self {
        let names = defaults.rows().iter().map(|row| ActionName::derive(context.name, &row.action)).collect();
        Self::named(context, defaults, names)
    }

    /// Creates a table with the names of its actions, one for each row.
    pub fn named(context: Context, defaults: Keymap<A>, names: Vec<ActionName>) -> Self {
        let made =
            Made { generation: 0, while_typing: Arc::new(defaults.while_typing()), all: Arc::new(defaults.clone()) };
        Self { context, defaults, names, made: RwLock::new(Arc::new(made)) }
    }

    /// Returns the keymap.
    pub fn keymap(&self) -> Arc<Keymap<A>> {
        Arc::clone(&self.made().all)
    }

    /// Returns the keymap that is left while characters are text.
    pub fn while_typing(&self) -> Arc<Keymap<A>> {
        Arc::clone(&self.made().while_typing)
    }

    /// Returns the action of a key.
    pub fn find(&self, key: &KeyEvent) -> Option<A> {
        self.made().all.find(key)
    }

    /// Returns the key shown for an action; empty: none.
    pub fn key(&self, action: A) -> String {
        self.made().all.key(action)
    }

    /// Returns the keymap as long as nothing is changed.
    pub fn defaults(&self) -> &Keymap<A> {
        &self.defaults
    }

    /// Returns the keymaps under the changes in force; they are made only once for these.
    fn made(&self) -> Arc<Made<A>> {
        // Read before the changes: they may be newer, never older.
        let generation = GENERATION.load(Ordering::Acquire);
        let made = Arc::clone(&self.made.read().unwrap_or_else(PoisonError::into_inner));
        if made.generation == generation {
            return made;
        }
        let all = self.changed_by(changes().unwrap_or_default().as_ref());
        let made = Arc::new(Made { generation, while_typing: Arc::new(all.while_typing()), all: Arc::new(all) });
        *self.made.write().unwrap_or_else(PoisonError::into_inner) = Arc::clone(&made);
        made
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
        KeyTable::new(Context { name, is_typing: false }, Keymap::new(&rows))
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
        let listed = table.listed(|_| "");
        assert_eq!((&listed.actions[0].defaults, &listed.actions[0].keys), (&vec![chord("y")], &vec![chord("x")]));
        let (before, after) = (table.keymap(), table.keymap());
        assert!(Arc::ptr_eq(&before, &after), "a keymap is made once");
        apply(KeyChanges::new());
        assert_eq!((find(&table, 'y'), find(&table, 'x')), (Some(Action::CopyBlock), None));
    }
}
