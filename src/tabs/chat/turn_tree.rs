//! A conversation's turns as a tree: each has a parent, siblings are versions of one another, no turn is ever lost.

use std::collections::HashMap;

use crate::record::{Id, Turn};

/// The tree, and as many of its turns as have been loaded.
#[derive(Clone, Debug, Default)]
pub(super) struct TurnTree {
    parents: HashMap<Id, Option<Id>>,
    /// Oldest first.
    children: HashMap<Option<Id>, Vec<Id>>,
    turns: HashMap<Id, Turn>,
    /// Of each turn that was on a branch shown, the turn that followed it there last.
    shown: HashMap<Id, Id>,
}

impl TurnTree {
    /// Returns the tree of an outline, without its turns.
    pub(super) fn of(outline: Vec<(Id, Option<Id>)>) -> Self {
        let mut tree = Self::default();
        for (id, parent) in outline {
            tree.place(id, parent);
        }
        tree
    }

    fn place(&mut self, id: Id, parent: Option<Id>) {
        if self.parents.insert(id, parent).is_none() {
            let siblings = self.children.entry(parent).or_default();
            let at = siblings.partition_point(|other| *other < id);
            siblings.insert(at, id);
        }
    }

    /// Puts turns after another one; those beside them stay in their order, oldest first.
    pub(super) fn move_to(&mut self, turns: &[Id], parent: Option<Id>) {
        for turn in turns {
            let before = self.parents.insert(*turn, parent);
            if let Some(siblings) = before.and_then(|before| self.children.get_mut(&before)) {
                siblings.retain(|other| other != turn);
            }
            let siblings = self.children.entry(parent).or_default();
            let at = siblings.partition_point(|other| other < turn);
            siblings.insert(at, *turn);
            if let Some(turn) = self.turns.get_mut(turn) {
                turn.parent = parent;
            }
        }
        // The turns before them are not followed by them any more.
        self.shown.retain(|_, next| !turns.contains(next));
    }

    /// Takes a turn out; nothing follows it any more.
    pub(super) fn remove(&mut self, id: Id) {
        let parent = self.parents.remove(&id);
        if let Some(siblings) = parent.and_then(|parent| self.children.get_mut(&parent)) {
            siblings.retain(|other| *other != id);
        }
        self.turns.remove(&id);
        self.shown.retain(|from, to| *from != id && *to != id);
    }

    /// Returns the turns that follow one, on all branches.
    pub(super) fn children(&self, of: Option<Id>) -> &[Id] {
        self.children.get(&of).map_or(&[], Vec::as_slice)
    }

    /// Adds a turn, or replaces it.
    pub(super) fn put(&mut self, turn: Turn) {
        self.place(turn.id, turn.parent);
        self.turns.insert(turn.id, turn);
    }

    pub(super) fn turn(&self, id: Id) -> Option<&Turn> {
        self.turns.get(&id)
    }

    /// Returns the turns that were loaded, in no order.
    pub(super) fn turns(&self) -> impl Iterator<Item = &Turn> {
        self.turns.values()
    }

    pub(super) fn turn_mut(&mut self, id: Id) -> Option<&mut Turn> {
        self.turns.get_mut(&id)
    }

    /// Returns whether a turn is one of this conversation's, loaded or not.
    pub(super) fn contains(&self, id: Id) -> bool {
        self.parents.contains_key(&id)
    }

    /// Returns the turn a turn follows.
    pub(super) fn parent(&self, id: Id) -> Option<Id> {
        self.parents.get(&id).copied().flatten()
    }

    /// Returns how many turns there are, on all branches.
    pub(super) fn len(&self) -> usize {
        self.parents.len()
    }

    /// Returns the turns from the first to this one.
    pub(super) fn path(&self, leaf: Option<Id>) -> Vec<Id> {
        let mut path: Vec<Id> = std::iter::successors(leaf, |id| self.parent(*id)).take(self.parents.len()).collect();
        path.reverse();
        path
    }

    /// Returns a turn's versions, oldest first, itself among them.
    pub(super) fn siblings(&self, id: Id) -> &[Id] {
        self.children(self.parent(id))
    }

    /// Returns which version a turn is (0-based), of how many.
    pub(super) fn version(&self, id: Id) -> (usize, usize) {
        let siblings = self.siblings(id);
        (siblings.iter().position(|other| *other == id).unwrap_or(0), siblings.len())
    }

    /// Notes that this branch is shown, first turn first.
    pub(super) fn set_branch(&mut self, path: &[Id]) {
        self.shown.extend(path.windows(2).map(|pair| (pair[0], pair[1])));
    }

    /// Returns the end of the branch through a turn that was shown last; beyond that, of the one that was last added
    /// to.
    pub(super) fn latest_leaf(&self, mut id: Id) -> Id {
        // In a damaged store, the parents of turns may form a circle.
        for _ in 0..self.parents.len() {
            let Some(next) = self.shown.get(&id) else { break };
            id = *next;
        }
        let (mut newest, mut below) = (None, vec![id]);
        for _ in 0..self.parents.len() {
            let Some(turn) = below.pop() else { break };
            let after = self.children(Some(turn));
            // Ids grow with time, but an edited turn is newer than the turns after it.
            newest = newest.max(Some(turn).filter(|_| after.is_empty()));
            below.extend(after);
        }
        newest.unwrap_or(id)
    }

    /// Returns the end of the branch that was last added to.
    pub(super) fn newest(&self) -> Option<Id> {
        self.parents.keys().copied().filter(|id| self.children(Some(*id)).is_empty()).max()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_moves_behind_another_turn_is_the_end_of_that_branch_alone() {
        let id = Id;
        let mut tree = TurnTree::of(vec![(id(1), None), (id(2), Some(id(1))), (id(3), Some(id(2)))]);
        tree.set_branch(&[id(1), id(2), id(3)]);
        tree.place(id(4), Some(id(1)));
        tree.move_to(&[id(3)], Some(id(4)));
        assert_eq!((tree.latest_leaf(id(2)), tree.latest_leaf(id(4)), tree.latest_leaf(id(1))), (id(2), id(3), id(2)));
        assert_eq!(tree.newest(), Some(id(3)));
        tree.move_to(&[id(3)], Some(id(2)));
        tree.remove(id(4));
        assert_eq!((tree.latest_leaf(id(1)), tree.siblings(id(2)), tree.len()), (id(3), [id(2)].as_slice(), 3));
    }

    #[test]
    fn branches_share_their_beginning_and_know_their_versions() {
        let id = Id;
        let mut tree = TurnTree::of(vec![
            (id(1), None),
            (id(2), Some(id(1))),
            (id(3), Some(id(2))),
            (id(4), Some(id(1))),
            (id(5), Some(id(4))),
        ]);
        assert_eq!(tree.path(Some(id(3))), [id(1), id(2), id(3)]);
        assert_eq!(tree.version(id(4)), (1, 2));
        assert_eq!(tree.latest_leaf(id(1)), id(5));
        assert_eq!(tree.newest(), Some(id(5)));
        assert_eq!(tree.path(None), []);
        tree.set_branch(&[id(1), id(2), id(3)]);
        assert_eq!((tree.latest_leaf(id(1)), tree.latest_leaf(id(4))), (id(3), id(5)), "one goes back to what one saw");
    }
}
