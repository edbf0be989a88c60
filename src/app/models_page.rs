//! The page of models: favourites and hidden ones, context, price, owner and date, and all that is known of each.

use std::sync::LazyLock;
use std::time::Instant;

use crossterm::event::KeyEvent;
use ratatui::Frame;
use ratatui::layout::Rect;

use super::dialog_answer::{DialogAnswer, ModelsAnswer};
use super::models_row::ModelRow;
use super::models_view::{self, Layout};
use crate::component::{
    Bindings, Component, Cx, FindBar, FindBarEvent, Handled, Hint, Motion, RenderContext, Session, Step, bind,
    bind_all, motions,
};
use crate::text::Untrusted;
use crate::ui::item_list::ItemList;
use crate::ui::key_table::{KeyContext, KeyPlace, ListedKeys};

/// What a key does on the page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Action {
    Use,
    Favourite,
    Hide,
    ShowHidden,
    Default,
    Price,
    KeepParams,
    ForgetParams,
    Copy,
    Filter,
    Refresh,
    Details,
    Scroll(isize),
    Move(Motion),
    Close,
}

fn no_model(page: &ModelsPage) -> Option<&'static str> {
    page.list.selected_item().is_none().then_some("no model is chosen")
}

fn no_price(page: &ModelsPage) -> Option<&'static str> {
    no_model(page).or(page.unavailable.prices)
}

fn no_params(page: &ModelsPage) -> Option<&'static str> {
    no_model(page).or(page.unavailable.params)
}

fn no_defaults(page: &ModelsPage) -> Option<&'static str> {
    let kept = page.list.selected_item().is_some_and(ModelRow::has_defaults);
    (!kept).then_some("no defaults are kept for this model")
}

static KEYS: LazyLock<Bindings<Action, ModelsPage>> = LazyLock::new(|| {
    let mut keys = vec![
        bind("enter", Action::Use, "use", "use the model in this tab").disabled_when(no_model),
        bind("f", Action::Favourite, "favourite", "favourite or not: favourites come first").disabled_when(no_model),
        bind("d", Action::Default, "default", "make it the default of a tab").disabled_when(no_model),
        bind("p", Action::Price, "price", "set what it costs").disabled_when(no_price),
        bind("D", Action::KeepParams, "parameters", "keep the tab's parameters as defaults of the model")
            .disabled_when(no_params),
        bind("X", Action::ForgetParams, "forget", "forget the defaults of the model").disabled_when(no_defaults),
        bind("x", Action::Hide, "hide", "hide it, or show it again: the filter finds hidden ones")
            .disabled_when(no_model),
        bind("H", Action::ShowHidden, "hidden", "list the hidden models too, or not"),
        bind("/", Action::Filter, "filter", "filter by id, owner and abilities")
            .disabled_when(|page: &ModelsPage| page.list.items().is_empty().then_some("there are no models to filter")),
        bind("tab i", Action::Details, "details", "details in place of the list, where there is no room for both")
            .disabled_when(no_model),
        bind("R", Action::Refresh, "refresh", "fetch the list again"),
        bind("y", Action::Copy, "copy", "copy the id").disabled_when(no_model),
        bind_all([("K", Action::Scroll(-1)), ("J", Action::Scroll(1))], "details", "scroll the details")
            .named(&["scroll-details-up", "scroll-details-down"])
            .does(&["scroll the details up", "scroll the details down"]),
        bind("esc q ctrl-c", Action::Close, "", "").does(&["close"]),
    ];
    keys.extend(motions(Action::Move, "model"));
    Bindings::new(KeyContext::new("models").used_in(KeyPlace::ShellDialog), keys)
});

/// Why some settings of models cannot be made; `None`: they can.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Unavailable {
    /// Why no prices can be set.
    pub(super) prices: Option<&'static str>,
    /// Why there are no parameters to keep.
    pub(super) params: Option<&'static str>,
}

/// The models of the profile in use.
#[derive(Debug)]
pub(super) struct ModelsPage {
    pub(super) list: ItemList<ModelRow>,
    pub(super) filter: FindBar,
    pub(super) shows_hidden: bool,
    /// Whether the details stand in place of the list, where there is no room for both.
    pub(super) shows_details: bool,
    /// Why there is no list; empty: there is one, or it is being fetched.
    pub(super) failure: Untrusted,
    unavailable: Unavailable,
    /// First visible row of the details.
    pub(super) top: usize,
    pub(super) layout: Layout,
}

impl ModelsPage {
    /// Creates a page of these models with the cursor on one of them.
    pub(super) fn new(rows: Vec<ModelRow>, here: &str, unavailable: Unavailable) -> Self {
        let mut page = Self {
            list: ItemList::default(),
            filter: FindBar::default(),
            // The model under the cursor must be visible.
            shows_hidden: rows.iter().any(|row| row.hidden && row.id == here),
            shows_details: false,
            failure: Untrusted::default(),
            unavailable,
            top: 0,
            layout: Layout::default(),
        };
        page.fill(rows);
        page.list.select(here);
        page
    }

    /// Replaces the rows; the cursor stays on its model.
    pub(super) fn fill(&mut self, rows: Vec<ModelRow>) {
        self.list.change_items(|all| *all = rows);
        self.sort_and_filter();
    }

    /// Lists favourites first, then those that suit the tab in front, in the server's order; hidden ones last.
    fn sort_and_filter(&mut self) {
        let (words, shows_hidden) = (self.filter.text().to_lowercase(), self.shows_hidden);
        let passes = |row: &ModelRow| {
            let is_listed = !row.hidden || shows_hidden || !words.trim().is_empty();
            is_listed && words.split_whitespace().all(|word| row.filter_text.contains(word))
        };
        self.list.filter_and_sort(passes, |rows, shown| {
            shown.sort_by_key(|at| (rows[*at].hidden, !rows[*at].favourite, !rows[*at].suits, *at));
        });
    }

    fn act(&mut self, action: Action, cx: &mut Cx) -> Handled<Step<DialogAnswer>> {
        let emit = |answer| Handled::emit(DialogAnswer::Models(answer));
        let len = self.list.len();
        let selected = self.list.selected_item().map(|row| row.id.clone());
        match (action, selected) {
            (Action::Close, _) if self.shows_details && !self.layout.has_both() => self.shows_details = false,
            (Action::Close, _) if self.filter.is_shown() => {
                self.filter.clear();
                self.sort_and_filter();
            }
            (Action::Close, _) => return Handled::close(),
            (Action::ShowHidden, _) => {
                self.shows_hidden = !self.shows_hidden;
                self.sort_and_filter();
            }
            (Action::Filter, _) => {
                self.shows_details = false;
                self.filter.start_typing();
            }
            (Action::Refresh, _) => return emit(ModelsAnswer::Refresh),
            (Action::Details, _) => self.shows_details = !self.shows_details,
            (Action::Scroll(by), _) => self.top = self.top.saturating_add_signed(by),
            (Action::Move(motion), _) if self.shows_details && !self.layout.has_both() => {
                self.top = self.top.saturating_add_signed(motion.rows(self.list.view.page));
            }
            (Action::Move(motion), _) => {
                self.list.view.move_by(motion.rows(self.list.view.page), len);
                self.top = 0;
            }
            (Action::Use, Some(id)) => return Handled::answer(DialogAnswer::use_model(id.into())),
            (Action::Favourite, Some(id)) => return emit(ModelsAnswer::Favourite(id)),
            (Action::Hide, Some(id)) => return emit(ModelsAnswer::Hide(id)),
            (Action::Default, Some(id)) => return emit(ModelsAnswer::AskTab(id)),
            (Action::Price, Some(id)) => return emit(ModelsAnswer::AskPrice(id)),
            (Action::KeepParams, Some(id)) => return emit(ModelsAnswer::KeepParams(id)),
            (Action::ForgetParams, Some(id)) => return emit(ModelsAnswer::ForgetParams(id)),
            (Action::Copy, Some(id)) => cx.copy(id.into()),
            (_, None) => {}
        }
        Handled::Consumed
    }
}

impl Component<Step<DialogAnswer>> for ModelsPage {
    fn key(&mut self, key: KeyEvent, cx: &mut Cx) -> Handled<Step<DialogAnswer>> {
        if self.filter.is_typing() {
            match self.filter.key(key) {
                FindBarEvent::Changed | FindBarEvent::Cancelled => {
                    self.sort_and_filter();
                    return Handled::Consumed;
                }
                FindBarEvent::Moved(motion) => return self.act(Action::Move(motion), cx),
                FindBarEvent::Submitted => return Handled::Consumed,
                FindBarEvent::Ignored => {}
            }
            // While typing, other keys that move the cursor still do.
            return match KEYS.find_enabled(&key, self) {
                Some(action @ Action::Move(_)) => self.act(action, cx),
                _ => Handled::Consumed,
            };
        }
        match KEYS.find_enabled(&key, self) {
            Some(action) => self.act(action, cx),
            None => Handled::Consumed,
        }
    }

    fn paste(&mut self, text: &str, _cx: &mut Cx) -> Handled<Step<DialogAnswer>> {
        if self.filter.paste(text) {
            self.sort_and_filter();
        }
        Handled::Consumed
    }

    fn hints(&self) -> Vec<Hint> {
        if self.filter.is_typing() {
            return FindBar::hints();
        }
        let mut actions = vec![Action::Use, Action::Favourite, Action::Default, Action::Price, Action::Filter];
        if !self.layout.has_both() {
            actions.insert(1, Action::Details);
        }
        actions.extend([Action::KeepParams, Action::Hide, Action::ShowHidden, Action::Refresh]);
        KEYS.footer(&actions, self)
    }

    fn help(&self) -> Vec<(&'static str, Vec<Hint>)> {
        let filter = self.filter.is_typing().then(|| ("Filter", FindBar::help()));
        filter.into_iter().chain([("Models", KEYS.help())]).collect()
    }

    fn escape(&self) -> Option<&'static str> {
        let covers = self.shows_details && !self.layout.has_both();
        Some(if covers {
            "list"
        } else if self.filter.is_shown() {
            "show all"
        } else {
            "close"
        })
    }

    fn typing(&self) -> bool {
        self.filter.is_typing()
    }

    fn arrange(&mut self, area: Rect, session: &Session, _now: Instant) {
        let has_note = !self.failure.is_empty() && !self.list.is_empty();
        self.layout = Layout::of(area, session.palette, (self.filter.is_shown(), has_note), self.list.items().len());
        let (len, area) = (self.list.len(), self.layout.list);
        let columns = models_view::columns(self);
        self.list.view.fit(&columns, len, area);
        self.top = self.top.min(models_view::detail_overflow(self));
    }

    fn render(&self, frame: &mut Frame, area: Rect, context: RenderContext) {
        models_view::render(self, frame, area, context);
    }
}

/// Returns its tables of keys, for the list of all keys.
pub(crate) fn listed_keys() -> Vec<ListedKeys> {
    vec![KEYS.listed()]
}
