//! Carries out actions, and what Esc and the answers of dialogs ask for.

use std::time::Instant;

use super::Complete;
use super::active_run::RunPurpose;
use super::biases::{BiasChange, BiasDialog, TokenBias};
use super::compare::NO_TEXT;
use super::keys::Action;
use super::prompt_text::PromptText;
use super::runs::Runs;
use super::state::{Answer, CompletePane, Page, State};
use super::tokenizer::Tokenizer;
use crate::api::call::Call;
use crate::component::{Component, Cx, Effect, LinePrompt, Notice, Offer, Session, TextViewer};
use crate::text::Untrusted;
use crate::ui::buffer::CaretStep;
use crate::ui::text_field::TextField;

/// What can be done with the text when a run is over.
pub(super) const LATER: &str = ", then the text can be changed";

impl Complete {
    /// Returns what the next Esc does, and what the footer calls it; `None`: nothing. Panes whose keys are typed or
    /// filtered take Esc first.
    pub(super) fn next_escape(&self) -> Option<(EscapeAction, &'static str)> {
        use EscapeAction as E;
        let state = &self.state;
        Some(match state.focus {
            _ if state.text.find.bar.is_typing() => (E::EndFind, "end find"),
            CompletePane::Presets => (E::LeavePane, state.presets.escape()?),
            CompletePane::Settings => (E::LeavePane, state.pane().escape()?),
            _ if state.is_comparing() && state.active.is_busy() => (E::Stop, "stop all"),
            _ if !matches!(state.page, Page::Buffer) => (E::ClosePage, "close"),
            // The selection stays: it can be sent and copied from there.
            CompletePane::Text if !state.active.is_busy() => (E::LeaveText, "leave text"),
            _ if state.text.buffer.selection().is_some() => (E::Deselect, "deselect"),
            _ if !state.text.find.words().is_empty() => (E::EndFind, "end find"),
            _ if state.is_retrying() => (E::Stop, "give up"),
            _ if state.active.is_busy() => (E::Stop, "stop"),
            _ => return None,
        })
    }

    /// Does what Esc does.
    pub(super) fn escape_pressed(&mut self, cx: &mut Cx) {
        let Some((action, _)) = self.next_escape() else { return };
        let state = &mut self.state;
        match action {
            EscapeAction::LeavePane | EscapeAction::LeaveText => state.focus = CompletePane::Browse,
            EscapeAction::ClosePage => state.page = Page::Buffer,
            EscapeAction::Deselect => state.text.buffer.select(None),
            EscapeAction::EndFind => state.text.find.clear(),
            EscapeAction::Stop => drop(state.stop(cx)),
        }
    }

    /// Does an action: of runs and the text first.
    pub(super) fn update(&mut self, action: Action, cx: &mut Cx) {
        let state = &mut self.state;
        // A command of the palette may move the focus while words are typed.
        state.text.find.bar.stop_typing();
        let in_text = [Action::Again, Action::Undo, Action::Redo, Action::Older, Action::Newer, Action::Accept];
        if state.is_comparing() && in_text.contains(&action) {
            // The change of the text must be visible.
            state.page = Page::Buffer;
        }
        match action {
            Action::Run if state.is_comparing() => state.run_comparison(cx),
            Action::Run => state.run(cx),
            Action::Again => state.generate_another(cx),
            Action::Stop => drop(state.stop(cx)),
            Action::Undo | Action::Redo => state.undo_redo(action == Action::Undo, cx),
            Action::Accept => state.accept_generated(cx),
            Action::Older => state.show_branch(-1, cx),
            Action::Newer => state.show_branch(1, cx),
            Action::Select => {
                state.text.select_next();
                state.caret_moved(cx.now);
            }
            Action::CopyAll => cx.copy(state.text.buffer.text().into()),
            Action::Curl => {
                let request = state.text.request(state.settings.params(), &state.model(cx.session));
                cx.push(Effect::CopyCurl(cx.session.profile.clone(), Call::Complete(Box::new(request))));
            }
            Action::Copy | Action::Offer => match state.text.chosen() {
                text if text.is_empty() => {}
                text if action == Action::Copy => cx.copy(text),
                text => cx.push(Effect::Offer(Offer::Text(text))),
            },
            Action::New => state.new_text(cx),
            Action::FindNext | Action::FindBack => {
                let PromptText { find, buffer, .. } = &mut state.text;
                if find.select_next(buffer, action == Action::FindBack, cx) {
                    state.caret_moved(cx.now);
                }
            }
            Action::External if state.active.refuses_while_busy(LATER, cx) => {}
            Action::External => cx.push(Effect::EditText),
            _ => self.act_on_view(action, cx),
        }
    }

    /// Does an action that changes what is shown.
    fn act_on_view(&mut self, action: Action, cx: &mut Cx) {
        let (wide, state) = (self.view.is_wide(), &mut self.state);
        match action {
            Action::Write => {
                state.page = Page::Buffer;
                state.focus = CompletePane::Text;
                state.text.buffer.follow(false);
            }
            Action::NextPane => state.focus = state.focus.next(),
            Action::PreviousPane => state.focus = state.focus.next().next(),
            Action::Compare => state.open_compare(cx.session),
            Action::Heat => {
                state.scores.heat = !state.scores.heat;
                state.settings_changed(cx.now);
                if state.scores.heat && state.scores.layout.is_empty() {
                    cx.notify(Notice::info("no probabilities here: set Log probabilities in the settings and run"));
                }
            }
            Action::Branches => state.open_branches(cx),
            Action::Settings if state.focus == CompletePane::Settings && !wide => state.focus = CompletePane::Browse,
            Action::Settings => state.focus = CompletePane::Settings,
            Action::Model if state.is_comparing() => {
                let chosen = state.compare.choose_model(cx);
                chosen.act(|model| state.open_model_name(&model));
            }
            Action::Model => cx.push(Effect::OpenModelPicker),
            Action::Presets => {
                state.focus = CompletePane::Presets;
                state.presets.enter(false);
            }
            Action::SavePreset => {
                state.focus = CompletePane::Presets;
                state.presets.save();
            }
            Action::Strip => state.scores.strip_shown = !state.scores.strip_shown,
            Action::Tokenizer => state.open_tokenizer(cx),
            Action::Biases => state.open_biases(cx),
            Action::Runs => state.open_runs(),
            Action::Find => {
                (state.page, state.focus) = (Page::Buffer, CompletePane::Browse);
                state.text.find.start(&state.text.buffer);
            }
            Action::Details => {
                if let Some(why) = state.failed_run().and_then(|run| state.log.failures.get(&run)) {
                    state.modals.open(TextViewer::of_failure(why));
                }
            }
            _ => self.move_caret(action, cx),
        }
    }

    /// Does an action that moves the caret or the view of the text.
    fn move_caret(&mut self, action: Action, cx: &mut Cx) {
        let buffer = &mut self.state.text.buffer;
        match action {
            Action::PageUp => return buffer.page(-1),
            Action::PageDown => return buffer.page(1),
            Action::HalfUp => return buffer.scroll(-self.view.half_page()),
            Action::HalfDown => return buffer.scroll(self.view.half_page()),
            Action::Top => buffer.set_caret(0),
            Action::Bottom => buffer.set_caret(buffer.len()),
            Action::Left => buffer.step(CaretStep::Left),
            Action::Right => buffer.step(CaretStep::Right),
            Action::Up => buffer.step(CaretStep::Up),
            Action::Down => buffer.step(CaretStep::Down),
            // These are named by the footer only.
            _ => return,
        }
        self.state.caret_moved(cx.now);
    }
}

/// What Esc can do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EscapeAction {
    /// Gives the keys back to the text.
    LeavePane,
    ClosePage,
    /// Ends writing: letters are keys again.
    LeaveText,
    Deselect,
    EndFind,
    Stop,
}

impl State {
    /// Returns whether a refused attempt of the run that writes into the buffer waits for the next one.
    pub(super) fn is_retrying(&self) -> bool {
        self.active.buffer_run().is_some_and(|active| active.run.is_retrying())
    }

    /// Opens the list of runs at the one that is shown.
    fn open_runs(&mut self) {
        let mut page = Runs::default();
        if let Some(run) = self.shown_run() {
            page.select(run.id, &self.log.runs);
        }
        self.page = Page::Runs(Box::new(page));
        self.focus = CompletePane::Browse;
    }

    /// Opens the comparison in place of the text.
    pub(super) fn open_compare(&mut self, session: &Session) {
        self.compare.open(self.settings.params(), &self.models, session);
        if !self.active.has_column_run() {
            self.compare.clear_outputs_elsewhere(self.text.position());
        }
        self.page = Page::Compare;
        self.focus = CompletePane::Browse;
    }

    /// Runs all columns of the comparison, once the prompt is counted.
    pub(super) fn run_comparison(&mut self, cx: &mut Cx) {
        if !self.active.refuses_while_busy(", then ^R runs again", cx) {
            self.active.column_counts = self.compare.count(&self.text, cx);
            self.active.animation.start(cx.now);
            self.send_columns(cx);
        }
    }

    /// Queues the runs of all columns when the prompt is counted, if it fits into each one's model.
    pub(super) fn send_columns(&mut self, cx: &mut Cx) {
        let Some(counts) = self.active.column_counts.take_if(|counts| counts.is_complete()) else { return };
        let guess = self.text.tokens().0.iter().sum();
        let Some(requests) = self.compare.requests(&counts, guess, cx) else { return };
        let runs = self.queue_runs(requests, cx);
        self.compare.sent(runs, self.text.position());
        self.save_comparison(cx.now);
    }

    /// Saves the setups of the comparison soon, if they are others.
    pub(super) fn save_comparison(&mut self, now: Instant) {
        if self.compare.changed {
            self.saves.save_soon(now);
        }
    }

    /// Continues in the buffer with a column's output: what still comes of its run comes there, and the other columns
    /// are stopped. Where the column counts down to its next attempt, ends that instead.
    pub(super) fn adopt_column(&mut self, at: usize, cx: &mut Cx) {
        let run = self.compare.run_of(at);
        if run.and_then(|run| self.active.find(run)).is_some_and(|active| active.run.retry_now(cx)) {
            return;
        }
        let Some((step, run)) = self.compare.step(at).zip(run) else { return cx.notify(Notice::info(NO_TEXT)) };
        let others = self.compare.other_runs(at);
        let running = others.iter().any(|other| self.active.find(*other).is_some());
        for other in others {
            self.stop_run(other, cx);
        }
        for active in &mut self.active.runs {
            active.purpose = RunPurpose::Buffer;
        }
        self.page = Page::Buffer;
        self.log.shown = Some(run);
        let leaf = self.text.history.latest_below(step);
        self.go_to_step(Some(leaf), cx);
        if running {
            cx.notify(Notice::ok("the other columns were stopped; D shows their text").about("compare"));
        }
    }

    /// Sets the model of the column with the focus.
    pub(super) fn set_column_model(&mut self, model: &Untrusted, now: Instant) {
        self.compare.set_model(model);
        self.save_comparison(now);
    }

    /// Brings the token under the strip's cursor into view.
    pub(super) fn show_token(&mut self) {
        let place = self.scores.layout.ranges().get(self.scores.strip.at).cloned();
        if let Some(place) = place
            && !self.text.buffer.visible().contains(&place.start)
        {
            self.text.buffer.set_top(place.start);
        }
    }

    pub(super) fn open_tokenizer(&mut self, cx: &mut Cx) {
        let model = self.model(cx.session);
        let context = self.models.context(cx.session);
        let mut page = Tokenizer::new(self.text.buffer.text().into(), model, context, self.text.buffer.caret());
        page.set_biases(&self.settings.params().common);
        page.ask(cx.session.local, cx);
        self.page = Page::Tokens(Box::new(page));
        self.focus = CompletePane::Browse;
    }

    /// Puts a bias on a token of the strip, or on one of its alternatives.
    pub(super) fn bias_token(&mut self, token: usize, alternative: Option<usize>, bias: i8, cx: &mut Cx) {
        let Some(token) = self.scores.layout.token(token, &self.scores.tokens) else { return };
        let bytes = alternative.and_then(|at| token.top.get(at)).map_or(&token.bytes, |other| &other.bytes);
        let Ok(text) = std::str::from_utf8(bytes) else {
            return cx.notify(Notice::warn("this token is a part of a character: B takes a bias by its id"));
        };
        let change = match bias {
            -100 => BiasChange::Never,
            100 => BiasChange::Always,
            _ => BiasChange::Likelier,
        };
        self.biases.ask(text.into(), change, self.models.current(cx.session), cx.session.local, cx);
    }

    /// Changes the bias of a token.
    pub(super) fn change_bias(&mut self, token: &TokenBias, cx: &mut Cx) {
        let said = self.settings.change_bias(token);
        self.settings_changed(cx.now);
        cx.notify(Notice::ok(said).about("bias"));
    }

    /// Opens the bias list.
    pub(super) fn open_biases(&mut self, cx: &mut Cx) {
        let (model, local) = self.pane_model(cx.session);
        let biases = self.pane_params().common.logit_bias.clone();
        self.modals.open(BiasDialog::new(biases, model, local, cx));
    }

    /// Asks for the name of the model of the column with the focus.
    pub(super) fn open_model_name(&mut self, name: &Untrusted) {
        let title = format!("Model of column {}", self.compare.letter());
        let answer = |name: &str, _| Answer::Model(name.into());
        self.modals.open(LinePrompt::new(title, "use it", TextField::edit(name), answer).escaping("back"));
    }

    /// Does what a dialog was answered with.
    pub(super) fn answer(&mut self, answer: Answer, cx: &mut Cx) {
        match answer {
            Answer::Biases(map) => {
                let (pane, params) = self.pane_and_params();
                params.common.logit_bias = map;
                pane.show_biases(params);
                self.pane_settings_changed(cx);
            }
            Answer::Model(name) => self.set_column_model(&name, cx.now),
        }
    }
}
