//! What the keys of a component do: one table for input, footer, help and palette.

use crossterm::event::KeyEvent;

use super::{Command, Hint};
use crate::ui::keys::{Binding as Keys, Chord, Keymap};

/// A function that returns why a binding cannot be used in a state; `None`: it can.
type Reason<S> = fn(&S) -> Option<&'static str>;

/// A line of a table: keys, what they do to a component with the state `S`, and where this is shown.
#[derive(Debug)]
pub struct Binding<A, S> {
    /// Each action with its keys, parted by spaces.
    keys: Vec<(&'static str, A)>,
    /// The keys as the footer shows them; empty: the first key of each action.
    shown: &'static str,
    label: &'static str,
    /// The label where it depends on the state.
    label_of: Option<fn(&S) -> &'static str>,
    help: &'static str,
    /// The heading it stands under on the help page; empty: that of the table.
    group: &'static str,
    palette: Option<Entry>,
    disabled: Reason<S>,
}

/// The palette's part of a binding.
#[derive(Clone, Copy, Debug)]
struct Entry {
    id: &'static str,
    title: &'static str,
    keywords: &'static str,
    /// The key that is shown, where it is not in the table.
    key: &'static str,
}

/// Returns a binding: keys parted by spaces, the action, a word or two for the footer, a sentence for the help page.
pub fn bind<A, S>(keys: &'static str, action: A, label: &'static str, help: &'static str) -> Binding<A, S> {
    bind_all([(keys, action)], label, help)
}

/// Returns one line for several actions that are shown as one, as up and down: each with its keys, the first of which is
/// shown.
pub fn bind_all<A, S, const N: usize>(
    keys: [(&'static str, A); N],
    label: &'static str,
    help: &'static str,
) -> Binding<A, S> {
    Binding { keys: keys.into(), shown: "", label, label_of: None, help, group: "", palette: None, disabled: |_| None }
}

/// Returns an entry of the palette for what no key of the table does: its id, words that find it, the key it shows.
pub fn palette_entry<A, S>(
    id: &'static str,
    action: A,
    title: &'static str,
    keywords: &'static str,
    key: &'static str,
) -> Binding<A, S> {
    let palette = Some(Entry { id, title, keywords, key });
    Binding { palette, ..bind("", action, "", "") }
}

impl<A: Copy + PartialEq, S> Binding<A, S> {
    /// Offers it in the palette under this id, found by the help's words and by these, parted by spaces.
    #[must_use]
    pub fn in_palette(self, id: &'static str, keywords: &'static str) -> Self {
        let title = self.help;
        Self { palette: Some(Entry { id, title, keywords, key: "" }), ..self }
    }

    /// Shows another title in the palette than the help's sentence.
    #[must_use]
    pub fn titled(self, title: &'static str) -> Self {
        Self { palette: self.palette.map(|entry| Entry { title, ..entry }), ..self }
    }

    /// Disables it in footer and palette while `disabled` returns a reason.
    #[must_use]
    pub fn disabled_when(self, disabled: Reason<S>) -> Self {
        Self { disabled, ..self }
    }

    /// Shows these keys in the footer, as `jk` for two keys that belong together.
    #[must_use]
    pub fn shown(self, keys: &'static str) -> Self {
        Self { shown: keys, ..self }
    }

    /// Shows the label that `label` returns in the footer, where it depends on the state.
    #[must_use]
    pub fn labelled(self, label: fn(&S) -> &'static str) -> Self {
        Self { label_of: Some(label), ..self }
    }

    /// Whether it has a key: entries of the palette may have none.
    fn has_key(&self) -> bool {
        self.keys.iter().any(|(keys, _)| !keys.is_empty())
    }

    fn does(&self, action: A) -> bool {
        self.keys.iter().any(|(_, other)| *other == action)
    }
}

/// The bindings of a component, in the order of its help page.
#[derive(Debug)]
pub struct Bindings<A, S> {
    keys: Keymap<A>,
    list: Vec<Binding<A, S>>,
}

impl<A: Copy + PartialEq, S> Bindings<A, S> {
    /// A table of bindings.
    ///
    /// # Panics
    /// On a key that cannot be read: the table is part of the program, and a test builds every table.
    pub fn new(list: Vec<Binding<A, S>>) -> Self {
        let with_keys = list.iter().filter(|binding| binding.has_key());
        let rows =
            with_keys.flat_map(|binding| binding.keys.iter().map(|(keys, action)| (*keys, *action, binding.help)));
        Self { keys: Keymap::new(&rows.collect::<Vec<_>>()), list }
    }

    /// A table of bindings in groups, each with the task that is its heading on the help page, as `Copy` or `Find`.
    ///
    /// # Panics
    /// On a key that cannot be read.
    pub fn grouped(groups: Vec<(&'static str, Vec<Binding<A, S>>)>) -> Self {
        let named = |(group, list): (&'static str, Vec<Binding<A, S>>)| {
            list.into_iter().map(move |binding| Binding { group, ..binding })
        };
        Self::new(groups.into_iter().flat_map(named).collect())
    }

    /// Returns the keys alone.
    pub fn keys(&self) -> &Keymap<A> {
        &self.keys
    }

    /// Returns the action of a key, also of a disabled one.
    pub fn find(&self, key: &KeyEvent) -> Option<A> {
        self.keys.find(key)
    }

    /// Returns the action of a key among those that can be used.
    pub fn find_enabled(&self, key: &KeyEvent, state: &S) -> Option<A> {
        let chord = Chord::of(key);
        let usable =
            |action: A| self.list.iter().any(|binding| binding.does(action) && (binding.disabled)(state).is_none());
        let lines = self.keys.bindings().iter().filter(|line| line.chords.contains(&chord));
        lines.map(|line| line.action).find(|action| usable(*action))
    }

    /// Returns those of the actions that can be used, as hints for the footer.
    pub fn footer(&self, actions: &[A], state: &S) -> Vec<Hint> {
        let usable = |action: &A| {
            let binding = self.list.iter().find(|binding| binding.has_key() && binding.does(*action))?;
            let label = binding.label_of.map_or(binding.label, |label| label(state));
            let keys = if binding.shown.is_empty() {
                self.first_keys(binding.keys.iter().map(|(_, action)| *action))
            } else {
                binding.shown.to_owned()
            };
            (binding.disabled)(state).is_none().then(|| Hint::new(keys, label))
        };
        actions.iter().filter_map(usable).collect()
    }

    /// Returns one hint for several actions, as next and previous: the first key of each, with one label.
    pub fn joined(&self, actions: &[A], label: &str) -> Hint {
        Hint::new(self.first_keys(actions.iter().copied()), label)
    }

    /// Returns the first key of each action, parted by spaces.
    fn first_keys(&self, actions: impl Iterator<Item = A>) -> String {
        actions.map(|action| self.keys.key(action)).collect::<Vec<_>>().join(" ")
    }

    /// Returns all keys for the help page; bindings without a help text are left out.
    pub fn help(&self) -> Vec<Hint> {
        self.help_where(|_| true)
    }

    /// Returns all keys for the help page by group, those without a group under `heading`.
    pub fn help_groups(&self, heading: &'static str) -> Vec<(&'static str, Vec<Hint>)> {
        let mut groups: Vec<&str> = Vec::new();
        for binding in self.list.iter().filter(|binding| binding.has_key() && !binding.help.is_empty()) {
            if !groups.contains(&binding.group) {
                groups.push(binding.group);
            }
        }
        let rows = |group: &'static str| {
            let name = if group.is_empty() { heading } else { group };
            (name, self.help_where(|binding| binding.group == group))
        };
        groups.into_iter().map(rows).collect()
    }

    /// Returns the keys that can be used, for the help page.
    pub fn help_enabled(&self, state: &S) -> Vec<Hint> {
        self.help_where(|binding| (binding.disabled)(state).is_none())
    }

    fn help_where(&self, shows: impl Fn(&Binding<A, S>) -> bool) -> Vec<Hint> {
        let line = |binding: &Binding<A, S>| {
            let same = |line: &&Keys<A>| line.action == binding.keys[0].1 && line.does == binding.help;
            let all = self.keys.bindings().iter().find(same);
            let keys = match binding.keys.len() {
                1 => all.map(Keys::keys).unwrap_or_default(),
                _ => self.first_keys(binding.keys.iter().map(|(_, action)| *action)),
            };
            Hint::new(keys, binding.help)
        };
        let rows = self.list.iter().filter(|binding| binding.has_key() && !binding.help.is_empty());
        rows.filter(|binding| shows(binding)).map(line).collect()
    }

    /// Returns the entries for the palette, each title behind the name of the tab.
    pub fn palette(&self, tab: &str, state: &S) -> Vec<Command> {
        let entry = |binding: &Binding<A, S>| {
            let Entry { id, title, keywords, key } = binding.palette?;
            let disabled = (binding.disabled)(state).map(str::to_owned);
            let key = if key.is_empty() { self.keys.key(binding.keys[0].1) } else { key.to_owned() };
            Some(Command { id, title: format!("{tab}: {title}"), key, disabled, keywords })
        };
        self.list.iter().filter_map(entry).collect()
    }

    /// Returns the action of the palette entry with this id, if it can be used.
    pub fn command(&self, id: &str, state: &S) -> Option<A> {
        let binding = self.list.iter().find(|binding| binding.palette.is_some_and(|entry| entry.id == id))?;
        (binding.disabled)(state).is_none().then(|| binding.keys[0].1)
    }
}

#[cfg(test)]
mod tests {
    use crossterm::event::KeyCode;

    use super::*;

    #[test]
    fn keys_footer_help_and_palette_come_from_one_table_and_say_what_is_disabled() {
        let table: Bindings<char, bool> = Bindings::new(vec![
            bind("x delete", 'x', "cancel", "cancel the job")
                .in_palette("cancel", "stop")
                .disabled_when(|runs| (!runs).then_some("the job is over")),
            bind_all([("k up", 'k'), ("j down", 'j')], "job", "job before, next job"),
            bind_all([("g", 'g'), ("G", 'G')], "", "").shown("gG").labelled(|runs| if *runs { "move" } else { "go" }),
            palette_entry("stop", 's', "stop all", "halt", "esc")
                .disabled_when(|runs| (!runs).then_some("nothing runs")),
        ]);
        assert_eq!(table.find(&KeyEvent::from(KeyCode::Delete)), Some('x'));
        assert_eq!(table.find(&KeyEvent::from(KeyCode::Up)), Some('k'));
        assert_eq!(table.footer(&['j', 'x'], &true), [Hint::new("k j", "job"), Hint::new("x", "cancel")]);
        assert_eq!(table.footer(&['j', 'x', 's'], &false), [Hint::new("k j", "job")]);
        assert_eq!(table.footer(&['G'], &false), [Hint::new("gG", "go")]);
        assert_eq!(table.help(), [Hint::new("x del", "cancel the job"), Hint::new("k j", "job before, next job")]);
        let entry = |runs| table.palette("Tune", &runs).remove(0);
        assert_eq!((entry(true).title.as_str(), entry(true).disabled), ("Tune: cancel the job", None));
        assert_eq!(entry(false).disabled.as_deref(), Some("the job is over"));
        assert_eq!(table.joined(&['j', 'x'], "both"), Hint::new("j x", "both"));
        let grouped: Bindings<char, ()> = Bindings::grouped(vec![
            ("Move", vec![bind("j", 'j', "", "next")]),
            ("", vec![bind("x", 'x', "", "cancel")]),
        ]);
        let groups = grouped.help_groups("Jobs");
        assert_eq!(groups, [("Move", vec![Hint::new("j", "next")]), ("Jobs", vec![Hint::new("x", "cancel")])]);
        let stop = table.palette("Tune", &true).remove(1);
        assert_eq!((stop.title.as_str(), stop.key.as_str()), ("Tune: stop all", "esc"));
        assert_eq!(table.command("stop", &true), Some('s'));
        assert_eq!((table.command("cancel", &true), table.command("cancel", &false)), (Some('x'), None));
    }
}
