//! What stands over the page: the choice of a file, of a list, of a category, a line that is typed, a question.

use crossterm::event::{KeyCode, KeyEvent};

use super::super::category::Key;
use super::super::shared::Shared;
use super::load::judge;
use super::open::Open;
use super::{Event, FilePage, Phase, Sub};
use crate::component::Cx;
use crate::record::Bench;
use crate::tabs::texts::{Chooser, ListPicker, Listed, Outcome};
use crate::text::Untrusted;
use crate::ui::line::Line;
use crate::ui::meter::count;
use crate::ui::overlay::{Answer, Confirm};
use crate::ui::picker::{Item, Picked, Picker};

/// What stands over the page.
#[derive(Debug)]
pub(super) enum Over {
    /// A file is chosen.
    File(Box<Chooser>),
    /// A list that is kept.
    Lists(Box<ListPicker>),
    /// The category that counts.
    Category(Picker<Option<Key>>),
    /// Words to find.
    Find(Line),
    /// Where an export goes.
    Export(Line),
    /// Whether all is checked again.
    Again(Confirm),
}

impl FilePage {
    /// Asks for a file.
    pub(super) fn choose_file(&mut self) {
        self.over = Some(Over::File(Box::new(Chooser::new(Bench::Moderate))));
    }

    /// Shows the lists that are kept.
    pub(super) fn choose_list(&mut self, cx: &mut Cx) {
        self.over = Some(Over::Lists(Box::new(ListPicker::new(Bench::Moderate, cx))));
    }

    /// A key while something stands over the page.
    pub(super) fn key_over(&mut self, mut over: Over, key: KeyEvent, shared: &mut Shared, cx: &mut Cx) -> Event {
        let stays = match &mut over {
            Over::File(chooser) => match chooser.key(key, cx) {
                Outcome::Stay => true,
                Outcome::Close if matches!(self.phase, Phase::Empty) => return Event::Close,
                Outcome::Close => false,
                Outcome::Chosen { path, columns, name } => {
                    self.read(path, columns, name, cx);
                    false
                }
            },
            Over::Lists(lists) => {
                let listed = lists.key(key, cx);
                return self.listed(listed, over, cx);
            }
            Over::Category(picker) => match picker.key(&key) {
                Picked::Open => true,
                Picked::Closed => false,
                Picked::Chosen(category) => {
                    if let Phase::Open(open) = &mut self.phase {
                        open.choose(category.as_ref(), shared, cx);
                    }
                    false
                }
            },
            Over::Find(line) => self.find_key(line, key),
            Over::Export(line) => self.export_key(line, key, cx),
            Over::Again(confirm) => match confirm.key(key) {
                Answer::Open => true,
                Answer::Cancelled => false,
                Answer::Chosen => {
                    if let Phase::Open(open) = &mut self.phase {
                        self.owing.extend(open.part(cx));
                        (open.kept.profile, open.kept.model) = judge(shared, cx);
                        open.again(shared, cx);
                    }
                    false
                }
            },
        };
        if stays {
            self.over = Some(over);
        }
        Event::None
    }

    /// What the list of lists asks for.
    pub(super) fn listed(&mut self, listed: Listed, over: Over, cx: &mut Cx) -> Event {
        match listed {
            Listed::Stay => self.over = Some(over),
            Listed::Close => {
                if matches!(self.phase, Phase::Empty) {
                    return Event::Close;
                }
            }
            Listed::Open(id) => {
                if !matches!(&self.phase, Phase::Open(open) if open.sheet.list.id == id) {
                    self.load(id, false, cx);
                }
            }
            Listed::Gone(id) => {
                if let Phase::Open(open) = &mut self.phase
                    && open.sheet.list.id == id
                {
                    self.owing.extend(open.part(cx));
                    self.phase = Phase::Empty;
                    self.sub = Sub::Table;
                }
                self.over = Some(over);
            }
        }
        Event::None
    }

    /// A key for the words looked for. Whether they are still typed.
    fn find_key(&mut self, line: &mut Line, key: KeyEvent) -> bool {
        let Phase::Open(open) = &mut self.phase else { return false };
        match key.code {
            KeyCode::Enter => return false,
            KeyCode::Esc => {
                open.find("");
                return false;
            }
            KeyCode::Down | KeyCode::Up => {
                open.view.by(if key.code == KeyCode::Down { 1 } else { -1 }, open.order.len());
            }
            _ => {
                if line.key(key) {
                    open.find(line.text());
                }
            }
        }
        true
    }
}

/// The choice of a category.
pub(super) fn categories(open: &Open) -> Over {
    let all = Item::new(None, "the highest of all", "");
    let each = open
        .sheet
        .results
        .categories()
        .iter()
        .map(|category| Item::new(Some(category.key.clone()), category.name.line().into_owned(), ""));
    let mut picker = Picker::new("Category", std::iter::once(all).chain(each).collect())
        .or("No category has these words in its name.");
    let chosen = open.sheet.results.chosen().map(|category| category.key.clone());
    picker.point(|key| *key == chosen);
    Over::Category(picker)
}

/// The question before all is checked again.
pub(super) fn again(open: &Open) -> Over {
    let rows = count(open.sheet.len() as u64);
    let lines = vec![
        Untrusted::from(format!("{rows} texts are sent again, also those with a result.")),
        "What was found before stays kept, with its model and date.".into(),
    ];
    Over::Again(Confirm::new("Check all again?", lines, "Check again"))
}
