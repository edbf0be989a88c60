//! What the keys of a component do: one table for input, footer, help and palette.

use crossterm::event::KeyEvent;

use super::{Command, Hint};
use crate::ui::keys::Keymap;

/// Returns why a binding cannot be used in a state; `None`: it can.
type Reason<S> = fn(&S) -> Option<&'static str>;

/// A key and what it does to a component with the state `S`.
#[derive(Debug)]
pub struct Binding<A, S> {
    keys: &'static str,
    action: A,
    label: &'static str,
    help: &'static str,
    palette: Option<Entry>,
    disabled: Reason<S>,
}

/// The palette's part of a binding.
#[derive(Clone, Copy, Debug)]
struct Entry {
    id: &'static str,
    title: &'static str,
    keywords: &'static str,
}

/// Returns a binding: keys parted by spaces, the action, a word or two for the footer, a sentence for the help page.
pub fn bind<A, S>(keys: &'static str, action: A, label: &'static str, help: &'static str) -> Binding<A, S> {
    Binding { keys, action, label, help, palette: None, disabled: |_| None }
}

impl<A, S> Binding<A, S> {
    /// Offers it in the palette under this id, found by the help's words and by these, parted by spaces.
    #[must_use]
    pub fn in_palette(self, id: &'static str, keywords: &'static str) -> Self {
        let title = self.help;
        Self { palette: Some(Entry { id, title, keywords }), ..self }
    }

    /// Shows another title in the palette than the help's sentence.
    #[must_use]
    pub fn titled(self, title: &'static str) -> Self {
        Self { palette: self.palette.map(|entry| Entry { title, ..entry }), ..self }
    }

    /// Disables it in footer and palette while `disabled` returns a reason.
    #[must_use]
    pub fn unless(self, disabled: Reason<S>) -> Self {
        Self { disabled, ..self }
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
        let rows: Vec<_> = list.iter().map(|binding| (binding.keys, binding.action, binding.help)).collect();
        Self { keys: Keymap::new(&rows), list }
    }

    /// Returns the keys alone.
    pub fn keys(&self) -> &Keymap<A> {
        &self.keys
    }

    /// Returns the action of a key.
    pub fn find(&self, key: &KeyEvent) -> Option<A> {
        self.keys.find(key)
    }

    /// Returns those of the actions that can be used, as hints for the footer.
    pub fn footer(&self, actions: &[A], state: &S) -> Vec<Hint> {
        let usable = |action: &A| {
            let binding = self.list.iter().find(|binding| binding.action == *action)?;
            (binding.disabled)(state).is_none().then(|| Hint::new(self.keys.key(*action), binding.label))
        };
        actions.iter().filter_map(usable).collect()
    }

    /// Returns all keys for the help page.
    pub fn help(&self) -> Vec<Hint> {
        Hint::table(&self.keys)
    }

    /// Returns the entries for the palette, each title behind the name of the tab.
    pub fn palette(&self, tab: &str, state: &S) -> Vec<Command> {
        let entry = |binding: &Binding<A, S>| {
            let Entry { id, title, keywords } = binding.palette?;
            let disabled = (binding.disabled)(state).map(str::to_owned);
            Some(Command {
                id,
                title: format!("{tab}: {title}"),
                key: self.keys.key(binding.action),
                disabled,
                keywords,
            })
        };
        self.list.iter().filter_map(entry).collect()
    }

    /// Returns the action of the palette entry with this id, if it can be used.
    pub fn command(&self, id: &str, state: &S) -> Option<A> {
        let binding = self.list.iter().find(|binding| binding.palette.is_some_and(|entry| entry.id == id))?;
        (binding.disabled)(state).is_none().then_some(binding.action)
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
                .unless(|runs| (!runs).then_some("the job is over")),
            bind("j", 'j', "down", "next job"),
        ]);
        assert_eq!(table.find(&KeyEvent::from(KeyCode::Delete)), Some('x'));
        assert_eq!(table.footer(&['j', 'x'], &true), [Hint::new("j", "down"), Hint::new("x", "cancel")]);
        assert_eq!(table.footer(&['j', 'x'], &false), [Hint::new("j", "down")]);
        assert_eq!(table.help(), [Hint::new("x del", "cancel the job"), Hint::new("j", "next job")]);
        let entry = |runs| table.palette("Tune", &runs).remove(0);
        assert_eq!((entry(true).title.as_str(), entry(true).disabled), ("Tune: cancel the job", None));
        assert_eq!(entry(false).disabled.as_deref(), Some("the job is over"));
        assert_eq!((table.command("cancel", &true), table.command("cancel", &false)), (Some('x'), None));
    }
}
