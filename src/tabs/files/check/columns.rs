//! The columns of a file: which of them is the prompt and which the completion, or a template of several.

use crossterm::event::{KeyCode, KeyEvent};
use ratatui::layout::Rect;
use unicode_width::UnicodeWidthStr;

use super::keys::Action;
use super::line_canvas::{LineCanvas, row};
use super::{CheckPhase, Outcome, Page, Pane};
use crate::component::{Cx, Notice};
use crate::record::training::Mapping;
use crate::text::Untrusted;
use crate::ui::line::Line;
use crate::ui::rule::cut;

/// A text of a row that columns become.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ColumnRole {
    System,
    Prompt,
    Completion,
}

impl ColumnRole {
    /// What it is called in rows of either form.
    fn words(self, chat: bool) -> &'static str {
        match (self, chat) {
            (Self::System, _) => "system",
            (Self::Prompt, false) => "prompt",
            (Self::Completion, false) => "completion",
            (Self::Prompt, true) => "user",
            (Self::Completion, true) => "assistant",
        }
    }

    /// The key that types its template.
    fn template(self) -> Action {
        if self == Self::Completion { Action::CompletionTemplate } else { Action::PromptTemplate }
    }

    fn of(self, mapping: &mut Mapping) -> &mut String {
        match self {
            Self::System => &mut mapping.system,
            Self::Prompt => &mut mapping.prompt,
            Self::Completion => &mut mapping.completion,
        }
    }
}

/// Returns a template as it is typed: line ends and backslashes are written out.
fn typed(template: &str) -> String {
    template.replace('\\', "\\\\").replace('\n', "\\n")
}

const ROLES: [ColumnRole; 3] = [ColumnRole::System, ColumnRole::Prompt, ColumnRole::Completion];

impl Page {
    /// A key that changes what the columns are taken for.
    pub(super) fn assign(&mut self, action: Action, cx: &mut Cx) -> Outcome {
        if self.report.mapping.is_none() || matches!(self.phase, CheckPhase::Writing { .. } | CheckPhase::Failed(_)) {
            cx.notify(Notice::hint("this file has no columns to choose from"));
            return Outcome::Taken;
        }
        // The first key shows what there is to choose from.
        if self.pane != Pane::Columns {
            self.pane = Pane::Columns;
            return Outcome::Taken;
        }
        let (Some(mapping), Some(column)) = (&self.report.mapping, self.report.columns.get(self.columns.selected))
        else {
            return Outcome::Taken;
        };
        let name = format!("{{{}}}", column.name.raw());
        let mut mapping = mapping.clone();
        let role = match action {
            Action::ToSystem => ColumnRole::System,
            Action::ToCompletion | Action::CompletionTemplate => ColumnRole::Completion,
            _ => ColumnRole::Prompt,
        };
        match action {
            Action::PromptTemplate | Action::CompletionTemplate => {
                let text = self.take_draft(role).unwrap_or_else(|| typed(role.of(&mut mapping)));
                self.template = Some((role, Line::new(text)));
                return Outcome::Taken;
            }
            Action::Conversations => mapping.chat = !mapping.chat,
            Action::Add => {
                if !mapping.prompt.is_empty() {
                    mapping.prompt.push('\n');
                }
                mapping.prompt.push_str(&name);
            }
            _ => {
                mapping.chat |= role == ColumnRole::System;
                let single = |text: &str| mapping.columns.iter().any(|column| *text == format!("{{{column}}}"));
                let before = role.of(&mut mapping.clone()).clone();
                if !before.is_empty() && !single(&before) {
                    self.keep_draft(role, typed(&before));
                    let key = self.keys.key(role.template());
                    cx.notify(Notice::hint(format!("the template is kept: {key} brings it back")).about("template"));
                }
                let text = role.of(&mut mapping);
                *text = if *text == name { String::new() } else { name.clone() };
                // A column has one use, unless a template says otherwise.
                for other in ROLES.into_iter().filter(|other| *other != role) {
                    let text = other.of(&mut mapping);
                    if *text == name {
                        text.clear();
                    }
                }
            }
        }
        self.map(mapping, cx)
    }

    /// A key for the template that is being typed.
    pub(super) fn type_template(&mut self, key: KeyEvent, cx: &mut Cx) -> Outcome {
        let Some((role, line)) = &mut self.template else { return Outcome::Ignored };
        match key.code {
            KeyCode::Esc => {
                let (role, text) = (*role, line.text().to_owned());
                self.template = None;
                if self.report.mapping.clone().is_none_or(|mut mapping| text != typed(role.of(&mut mapping))) {
                    self.keep_draft(role, text);
                }
            }
            KeyCode::Enter => {
                let text = line.text().replace("\\\\", "\0").replace("\\n", "\n").replace('\0', "\\");
                let role = *role;
                self.template = None;
                if let Some(mut mapping) = self.report.mapping.clone() {
                    *role.of(&mut mapping) = text;
                    return self.map(mapping, cx);
                }
            }
            _ => {
                line.key(key);
            }
        }
        Outcome::Taken
    }

    /// Keeps a template that would be lost: the key that types it begins with it.
    fn keep_draft(&mut self, role: ColumnRole, text: String) {
        self.take_draft(role);
        self.drafts.push((role, text));
    }

    fn take_draft(&mut self, role: ColumnRole) -> Option<String> {
        let at = self.drafts.iter().position(|(of, _)| *of == role)?;
        Some(self.drafts.swap_remove(at).1)
    }

    /// Pasted text: it goes into the template that is being typed.
    pub(crate) fn paste(&mut self, text: &str) {
        if let Some((_, line)) = &mut self.template {
            line.paste(text);
        }
    }

    /// The columns are taken for this from now on; the rows are counted anew.
    fn map(&mut self, mapping: Mapping, cx: &mut Cx) -> Outcome {
        self.mappings.retain(|other| other.columns != mapping.columns);
        self.mappings.insert(0, mapping.clone());
        (self.report.mapping, self.report.guessed) = (Some(mapping.clone()), false);
        self.stays = true;
        self.check(cx);
        Outcome::Mapped(Box::new(mapping))
    }
}

/// What each text of a row is made of, in a line.
pub(super) fn summary(mapping: &Mapping) -> Untrusted {
    let mut words = Untrusted::default();
    let mut mapping = mapping.clone();
    let chat = mapping.chat;
    for role in ROLES {
        let text = role.of(&mut mapping);
        if text.is_empty() && role == ColumnRole::System {
            continue;
        }
        if !words.is_empty() {
            words.push(" · ");
        }
        words.push(role.words(chat));
        words.push(" = ");
        words.append(&if text.is_empty() { "nothing".into() } else { text.replace('\n', "\\n").into() });
    }
    words
}

/// Whether the columns are called something else than what they are taken for.
pub(super) fn has_own_names(mapping: &Mapping) -> bool {
    let usual = |text: &str, name: &str| text.trim_matches(['{', '}']).eq_ignore_ascii_case(name);
    !usual(&mapping.prompt, "prompt") || !usual(&mapping.completion, "completion")
}

/// Draws the columns with their uses and some values.
pub(super) fn draw(page: &Page, canvas: &mut LineCanvas, area: Rect, focus: bool) {
    let theme = canvas.theme;
    let Some(mapping) = &page.report.mapping else { return };
    let mut mapping = mapping.clone();
    let chat = mapping.chat;
    let mut cursor = page.columns;
    let window = cursor.window(usize::from(area.height), page.report.columns.len());
    let wide = page
        .report
        .columns
        .iter()
        .map(|column| UnicodeWidthStr::width(&*column.name.line()))
        .max()
        .unwrap_or(0)
        .min(16);
    for (at, column) in page.report.columns[window.clone()].iter().enumerate() {
        let name = format!("{{{}}}", column.name.raw());
        let uses = ROLES.into_iter().find(|role| role.of(&mut mapping).contains(&name));
        let values: Vec<_> = column.values.iter().map(|value| value.line().into_owned()).collect();
        let uses_words = uses.map_or("", |role| role.words(chat));
        let name = cut(&column.name.line(), wide);
        let room = wide.saturating_sub(name.width());
        let line = format!("{uses_words:<10} {name}{:room$}  {}", "", values.join(" · "));
        let selected = window.start + at == cursor.selected;
        row(canvas, area, at, (selected, focus), &line, if uses.is_some() { theme.text } else { theme.muted });
    }
}
