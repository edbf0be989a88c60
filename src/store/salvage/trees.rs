//! Finds the pages that hold each table's rows: through the pages that refer to them if these can be read, else by the
//! rows' shape.

use std::collections::{HashMap, HashSet};

use rusqlite::types::ValueRef;

use super::cells::{self, Cell, Kind};
use super::pages::Pages;
use super::shape::Shape;

/// A page with rows of a table (by its index among the shapes).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Leaf {
    pub(super) table: usize,
    pub(super) page: u32,
    /// Whether other pages say which table it belongs to; if not, only its rows do.
    pub(super) led_to: bool,
}

/// Returns the pages of a store that hold rows, those certainly in use first.
pub(super) fn leaves(pages: &Pages, shapes: &[Shape]) -> Vec<Leaf> {
    let mut search = Search { pages, taken: vec![false; pages.count() as usize + 1] };
    let roots = search.roots();
    let mut leaves = Vec::new();
    let mut torn = Vec::new();
    for (table, shape) in shapes.iter().enumerate() {
        let (found, whole) = roots.get(&shape.table).map_or((Vec::new(), false), |root| search.walk(*root, shape));
        leaves.extend(found.into_iter().map(|page| Leaf { table, page, led_to: true }));
        if !whole {
            torn.push(table);
        }
    }
    // If all free pages are known, a page that is neither free nor referred to is in use, too. Otherwise only tables
    // that miss some of their pages can own such pages; the others would get back what was deleted.
    let free = pages.free();
    if free.is_some() {
        torn = (0..shapes.len()).collect();
    }
    leaves.extend(search.strays(shapes, &torn, &free.into_iter().flatten().collect()));
    leaves
}

/// Returns the names of the tables in the store's schema.
pub(super) fn tables(pages: &Pages) -> HashSet<String> {
    let mut search = Search { pages, taken: vec![false; pages.count() as usize + 1] };
    search.roots().into_keys().collect()
}

struct Search<'a> {
    pages: &'a Pages,
    /// Pages known to be in use, by number.
    taken: Vec<bool>,
}

impl Search<'_> {
    /// Returns the root page of each table in the schema.
    fn roots(&mut self) -> HashMap<String, u32> {
        let shape = Shape::schema();
        let (mut leaves, whole) = self.walk(1, &shape);
        if !whole {
            let strays = self.strays(std::slice::from_ref(&shape), &[0], &HashSet::new());
            leaves.extend(strays.into_iter().map(|leaf| leaf.page));
        }
        let mut roots = HashMap::new();
        for leaf in leaves {
            self.taken[leaf as usize] = true;
            let Some(page) = self.pages.read(leaf) else { continue };
            let places = cells::rows(&page, leaf == 1).unwrap_or_default();
            for cell in places.iter().filter_map(|place| Cell::read(&page, *place)) {
                let payload = cell.payload(self.pages);
                let values = payload.as_deref().and_then(cells::values);
                let Some([ValueRef::Text(b"table"), ValueRef::Text(name), _, ValueRef::Integer(root), ..]) =
                    values.as_deref()
                else {
                    continue;
                };
                if let (Ok(name), Ok(root)) = (str::from_utf8(name), u32::try_from(*root)) {
                    roots.entry(name.to_owned()).or_insert(root);
                }
            }
        }
        roots
    }

    /// Returns the leaves below a page, in order, as far as they hold rows of this shape; and whether these are all
    /// there are.
    fn walk(&mut self, root: u32, shape: &Shape) -> (Vec<u32>, bool) {
        let (mut leaves, mut whole) = (Vec::new(), true);
        let mut waiting = vec![(root, i64::MIN, i64::MAX)];
        while let Some((number, low, high)) = waiting.pop() {
            let fresh = self.taken.get(number as usize).is_some_and(|taken| !taken);
            let page = if fresh { self.pages.read(number) } else { None };
            let mut sound = true;
            let kind = page.as_deref().and_then(|page| Some((page, cells::kind(page, number == 1, &mut sound)?)));
            match kind {
                None => whole = false,
                Some((_, Kind::Interior(children))) => {
                    self.taken[number as usize] = true;
                    whole &= sound;
                    let mut from = low;
                    let below = children.into_iter().map(|(child, key)| {
                        let to = key.unwrap_or(high);
                        (child, std::mem::replace(&mut from, to), to)
                    });
                    let below: Vec<_> = below.collect();
                    waiting.extend(below.into_iter().rev());
                }
                Some((page, Kind::Leaf(places))) => {
                    let rows: Vec<Cell> = places.iter().filter_map(|place| Cell::read(page, *place)).collect();
                    if 2 * rows.iter().filter(|row| shape.fits(row)).count() < places.len() {
                        whole = false;
                        continue;
                    }
                    whole &= rows.iter().all(|row| (row.key > low || low == i64::MIN) && row.key <= high);
                    self.taken[number as usize] = true;
                    leaves.push(number);
                }
            }
        }
        (leaves, whole)
    }

    /// Returns leaves that no page in use refers to and that are not free, each with that of the torn tables which most
    /// of its rows fit. First those to which some other page refers: the others may be left from what was deleted.
    fn strays(&self, shapes: &[Shape], torn: &[usize], free: &HashSet<u32>) -> Vec<Leaf> {
        let (mut strays, mut named) = (Vec::new(), HashSet::new());
        for number in (2..=self.pages.count()).filter(|number| !self.taken[*number as usize] && !free.contains(number))
        {
            let Some(page) = self.pages.read(number) else { continue };
            match cells::kind(&page, false, &mut true) {
                Some(Kind::Interior(children)) => named.extend(children.into_iter().map(|(child, _)| child)),
                Some(Kind::Leaf(places)) => {
                    let rows: Vec<Cell> = places.iter().filter_map(|place| Cell::read(&page, *place)).collect();
                    let fitting = |table: usize| {
                        let shape: &Shape = &shapes[table];
                        rows.iter().filter(|row| shape.fits(row) && shape.recognises(row)).count()
                    };
                    let most = torn.iter().map(|table| (fitting(*table), *table)).max_by_key(|(rows, _)| *rows);
                    if let Some((count, table)) = most
                        && count > 0
                        && 2 * count >= places.len()
                    {
                        strays.push(Leaf { table, page: number, led_to: false });
                    }
                }
                None => {}
            }
        }
        strays.sort_by_key(|leaf| !named.contains(&leaf.page));
        strays
    }
}
