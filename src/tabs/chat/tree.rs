//! A conversation's turns as a tree: each has a parent, siblings are versions of one another, nothing is ever lost.

use std::collections::HashMap;

use crate::record::{Id, Turn};

/// The tree, and as many of its turns as have been loaded.
#[derive(Clone, Debug, Default)]
pub(super) struct Tree {
    parents: HashMap<Id, Option<Id>>,
    /// Oldest first.
    children: HashMap<Option<Id>, Vec<Id>>,
    turns: HashMap<Id, Turn>,
}

impl Tree {
    /// The tree of an outline, without its turns.
    pub(super) fn of(outline: Vec<(Id, Option<Id>)>) -> Self {
        let mut tree = Self::default();
        for (id, parent) in outline {
            tree.place(id, parent);
        }
        tree
    }

    fn place(&mut self, id: Id, parent: Option<Id>) {
        if self.parents.insert(id, parent).is_none() {
            self.children.entry(parent).or_default().push(id);
        }
    }

    /// Adds a turn, or replaces it.
    pub(super) fn put(&mut self, turn: Turn) {
        self.place(turn.id, turn.parent);
        self.turns.insert(turn.id, turn);
    }

    pub(super) fn turn(&self, id: Id) -> Option<&Turn> {
        self.turns.get(&id)
    }

    /// The turns that are here, in no order.
    pub(super) fn loaded(&self) -> impl Iterator<Item = &Turn> {
        self.turns.values()
    }

    pub(super) fn turn_mut(&mut self, id: Id) -> Option<&mut Turn> {
        self.turns.get_mut(&id)
    }

    /// Whether a turn is one of this conversation's, loaded or not.
    pub(super) fn contains(&self, id: Id) -> bool {
        self.parents.contains_key(&id)
    }

    /// The turn a turn follows.
    pub(super) fn parent(&self, id: Id) -> Option<Id> {
        self.parents.get(&id).copied().flatten()
    }

    /// How many turns there are, on all branches.
    pub(super) fn len(&self) -> usize {
        self.parents.len()
    }

    /// From the first turn to this one.
    pub(super) fn path(&self, leaf: Option<Id>) -> Vec<Id> {
        let mut path: Vec<Id> = std::iter::successors(leaf, |id| self.parent(*id)).take(self.parents.len()).collect();
        path.reverse();
        path
    }

    /// A turn's versions, oldest first, itself among them.
    pub(super) fn siblings(&self, id: Id) -> &[Id] {
        self.children.get(&self.parent(id)).map_or(&[], Vec::as_slice)
    }

    /// Which version a turn is (0-based), of how many.
    pub(super) fn version(&self, id: Id) -> (usize, usize) {
        let siblings = self.siblings(id);
        (siblings.iter().position(|other| *other == id).unwrap_or(0), siblings.len())
    }

    /// The end of the newest branch that goes through a turn.
    pub(super) fn newest_leaf(&self, mut id: Id) -> Id {
        while let Some(last) = self.children.get(&Some(id)).and_then(|children| children.last()) {
            id = *last;
        }
        id
    }

    /// The end of the newest branch of all.
    pub(super) fn newest(&self) -> Option<Id> {
        let first = *self.children.get(&None)?.last()?;
        Some(self.newest_leaf(first))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn branches_share_their_beginning_and_know_their_versions() {
        let id = Id;
        let tree = Tree::of(vec![
            (id(1), None),
            (id(2), Some(id(1))),
            (id(3), Some(id(2))),
            (id(4), Some(id(1))),
            (id(5), Some(id(4))),
        ]);
        assert_eq!(tree.path(Some(id(3))), [id(1), id(2), id(3)]);
        assert_eq!(tree.version(id(4)), (1, 2));
        assert_eq!(tree.newest_leaf(id(1)), id(5));
        assert_eq!(tree.newest(), Some(id(5)));
        assert_eq!(tree.path(None), []);
    }
}
