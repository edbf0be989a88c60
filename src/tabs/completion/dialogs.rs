//! What lies over the panes: the bias list, the details of a failure, words to find.

use crossterm::event::{KeyCode, KeyEvent};
use ratatui::Frame;
use ratatui::layout::Rect;

use super::biases::{self, Biases, Nudge};
use super::state::{Request, State};
use crate::component::{Cx, FailureDetails, Modal, Notice, Step};
use crate::record::work::{Tokens, Work};
use crate::text::Untrusted;
use crate::tokens;
use crate::ui::line::Line;
use crate::ui::overlay;
use crate::ui::theme::Theme;

/// What is open over the panes.
#[derive(Debug)]
pub(super) enum Over {
    /// Biases of tokens.
    Biases(Box<Biases>),
    /// What the server said of a run.
    Details(FailureDetails),
    /// Words to find.
    Find(Line),
    /// The name of a model, for a column whose profile's list is not known.
    Named(Line),
}

impl State {
    /// Opens the bias list.
    pub(super) fn open_biases(&mut self, cx: &mut Cx) {
        let (model, local) = self.pane_model(cx.session);
        let vocabulary = tokens::encoding(&model.line(), local).map(tokens::Encoding::name);
        let map = self.pane().params().common.logit_bias.clone();
        self.over = Some(Over::Biases(Box::new(Biases::new(map, model, vocabulary))));
        self.ask_biases(cx);
    }

    /// Asks what the bias list wants to know.
    pub(super) fn ask_biases(&mut self, cx: &mut Cx) {
        let (model, local) = self.pane_model(cx.session);
        let Some(Over::Biases(list)) = &mut self.over else { return };
        while let Some(ask) = list.ask() {
            let ticket = cx.work(ask.work(&model, local));
            self.pending.insert(ticket, Request::Bias(ask));
        }
    }

    /// Takes what the bias list has.
    pub(super) fn take_biases(&mut self, cx: &Cx) {
        if let Some(Over::Biases(list)) = &self.over {
            let map = list.map();
            self.pane_mut().biases(map);
            self.pane_set(cx);
        }
    }

    /// Puts a bias on a token, whose id has to be found first.
    pub(super) fn nudge(&mut self, text: Untrusted, nudge: Nudge, cx: &mut Cx) {
        let model = self.model(cx.session);
        let ticket = cx.work(Work::Tokenize { model, local: cx.session.local, text: text.clone() });
        self.pending.insert(ticket, Request::Nudge(text, nudge));
    }

    /// The id has been found.
    pub(super) fn nudged(&mut self, text: &Untrusted, nudge: Nudge, found: Option<Tokens>, cx: &mut Cx) {
        let named = format!("“{}”", text.line());
        let id = match found.as_ref().map(|found| (found.vocabulary, found.ids.as_slice())) {
            Some((_, [id])) => *id,
            Some((vocabulary, ids)) => {
                let said = format!("{named} is {} tokens of {vocabulary}, not one: B edits biases by id", ids.len());
                return cx.notify(Notice::warn(said));
            }
            None => {
                let said = "nobody here knows this model's vocabulary: B takes a bias by the token's id";
                return cx.notify(Notice::warn(said));
            }
        };
        self.nudge_id(id, &named, nudge, cx);
    }

    /// Puts a bias on a token.
    pub(super) fn nudge_id(&mut self, id: u32, named: &str, nudge: Nudge, cx: &mut Cx) {
        let mut map = self.settings.params().common.logit_bias.clone();
        nudge.apply(&mut map, id);
        let said = match map.get(&id.to_string()) {
            Some(bias) => format!("{named} (id {id}) has a bias of {bias:+} from the next run on"),
            None => format!("{named} (id {id}) has no bias any more"),
        };
        self.settings.biases(map);
        self.set(cx.now);
        cx.notify(Notice::ok(said).about("bias"));
    }

    /// A key for what is open over the panes.
    pub(super) fn over_key(&mut self, key: KeyEvent, cx: &mut Cx) {
        match &mut self.over {
            None => {}
            Some(Over::Biases(list)) => {
                match list.key(key) {
                    biases::Event::None => {}
                    biases::Event::Changed => self.take_biases(cx),
                    biases::Event::Close => self.over = None,
                }
                self.ask_biases(cx);
            }
            Some(Over::Details(details)) => {
                let step: Step<()> = details.key(key, cx);
                if step == Step::Close {
                    self.over = None;
                }
            }
            Some(Over::Named(line)) => match key.code {
                KeyCode::Esc => self.over = None,
                KeyCode::Enter => {
                    let name = Untrusted::from(line.text());
                    self.over = None;
                    self.compare_chosen(&name, cx);
                }
                _ => drop(line.key(key)),
            },
            Some(Over::Find(line)) => match key.code {
                KeyCode::Esc => {
                    self.find.clear();
                    self.over = None;
                }
                KeyCode::Enter => {
                    self.over = None;
                    self.find_next(false, cx);
                }
                _ => {
                    line.key(key);
                    line.text().clone_into(&mut self.find);
                }
            },
        }
    }

    /// Selects the next match, or the one before.
    pub(super) fn find_next(&mut self, back: bool, cx: &mut Cx) {
        if self.find.is_empty() {
            return;
        }
        let from = match (self.buffer.selection(), back) {
            (Some(selected), true) => selected.start,
            _ => self.buffer.caret(),
        };
        match self.buffer.find(&self.find, from, back) {
            Some(range) => {
                self.buffer.select(Some(range));
                self.placed(cx.now);
            }
            None => cx.notify(Notice::warn(format!("“{}” is not in this text", self.find))),
        }
    }

    /// Draws what is open, if anything is.
    pub(super) fn render_over(&mut self, frame: &mut Frame, area: Rect, theme: &Theme) {
        let theme = &theme.over();
        let named = matches!(self.over, Some(Over::Named(_))).then(|| self.compare_named());
        match &mut self.over {
            None => {}
            Some(Over::Biases(list)) => list.render(frame, area, theme),
            Some(Over::Details(details)) => details.draw(frame, area, theme),
            Some(Over::Find(line) | Over::Named(line)) => {
                let (title, foot) = match &named {
                    Some(title) => (title.as_str(), "⏎ use it  esc back"),
                    None => ("Find in this text", "⏎ find, then n N  esc end"),
                };
                let inside = overlay::frame(frame, area, overlay::WIDEST, 3, title, foot, theme);
                let place = Rect { x: inside.x + 1, width: inside.width.saturating_sub(2), height: 1, ..inside };
                line.render(frame, place, theme.text, true);
            }
        }
    }
}
