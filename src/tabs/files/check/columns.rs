//! What the columns of a file are used for: prompt, completion, or a template of several.

use crossterm::event::KeyEvent;
use ratatui::layout::Rect;
use unicode_width::UnicodeWidthStr;

use super::keys::{self, TemplateKey};
use super::line_canvas::{LineCanvas, row};
use super::page::{CheckPage, Event};
use super::page_view::CheckPane;
use super::run::CheckPhase;
use crate::component::{Cx, Handled, Notice};
use crate::record::training::Mapping;
use crate::text::Untrusted;
use crate::ui::rule::cut;
use crate::ui::text_field::TextField;

/// A text of a row that columns become.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ColumnRole {
    System,
    Prompt,
    Completion,
}

impl ColumnRole {
    /// Returns what it is called in rows of either form.
    fn words(self, chat: bool) -> &'static str {
        match (self, chat) {
            (Self::System, _) => "system",
            (Self::Prompt, false) => "prompt",
            (Self::Completion, false) => "completion",
            (Self::Prompt, true) => "user",
            (Self::Completion, true) => "assistant",
        }
    }

    /// Returns the key that types its template.
    fn key(self) -> char {
        if self == Self::Completion { 'T' } else { 't' }
    }

    /// Returns the template of its text.
    pub(super) fn of(self, mapping: &mut Mapping) -> &mut String {
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

/// Returns the template that was typed.
pub(super) fn template(typed: &str) -> String {
    typed.replace("\\\\", "\0").replace("\\n", "\n").replace('\0', "\\")
}

/// Returns the template that is one column and nothing else.
pub(super) fn only(column: &str) -> String {
    format!("{{{column}}}")
}

/// Takes a column for a role. A column has one use, unless a template says otherwise.
pub(super) fn assign_column(mapping: &mut Mapping, role: ColumnRole, column: &str) {
    let name = only(column);
    for other in ROLES.into_iter().filter(|other| *other != role) {
        let text = other.of(mapping);
        if *text == name {
            text.clear();
        }
    }
    *role.of(mapping) = name;
}

const ROLES: [ColumnRole; 3] = [ColumnRole::System, ColumnRole::Prompt, ColumnRole::Completion];

/// What a key takes the column under the cursor for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Assign {
    Prompt,
    Completion,
    System,
    /// The column is added to the prompt.
    Add,
    PromptTemplate,
    CompletionTemplate,
    /// Rows become conversations, or pairs.
    Conversations,
}

impl Assign {
    fn role(self) -> ColumnRole {
        match self {
            Self::System => ColumnRole::System,
            Self::Completion | Self::CompletionTemplate => ColumnRole::Completion,
            _ => ColumnRole::Prompt,
        }
    }
}

/// What columns of files are taken for, and the template that is typed.
#[derive(Debug, Default)]
pub(super) struct ColumnChoice {
    /// For each set of columns, as far as that was said; the latest first.
    pub(super) mappings: Vec<Mapping>,
    /// A template while it is typed.
    pub(super) template: Option<(ColumnRole, TextField)>,
    /// Templates that were left half typed, or that a column took the place of, as they are typed.
    drafts: Vec<(ColumnRole, String)>,
}

impl ColumnChoice {
    pub(super) fn new(mappings: Vec<Mapping>) -> Self {
        Self { mappings, ..Self::default() }
    }

    /// Begins to type the template of a role, from what was left of it or what the rows have.
    fn edit(&mut self, role: ColumnRole, mapping: &mut Mapping) {
        let text = self.take_draft(role).unwrap_or_else(|| typed(role.of(mapping)));
        self.template = Some((role, TextField::new(text)));
    }

    /// Leaves the template that is typed; what differs from what the rows have is kept.
    pub(super) fn leave(&mut self, mapping: Option<&Mapping>) {
        let Some((role, line)) = self.template.take() else { return };
        let text = line.text().to_owned();
        if mapping.cloned().is_none_or(|mut mapping| text != typed(role.of(&mut mapping))) {
            self.keep_draft(role, text);
        }
    }

    /// Returns what Esc does to the template, where one is typed.
    pub(super) fn escape(&self) -> &'static str {
        match &self.template {
            Some((ColumnRole::Completion, _)) => "close; T continues",
            _ => "close; t continues",
        }
    }

    /// Takes pasted text into the template.
    pub(super) fn paste(&mut self, text: &str) {
        if let Some((_, line)) = &mut self.template {
            line.paste(text);
        }
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

    /// Takes columns for this from now on.
    pub(super) fn remember(&mut self, mapping: &Mapping) {
        self.mappings.retain(|other| other.columns != mapping.columns);
        self.mappings.insert(0, mapping.clone());
    }
}

impl CheckPage {
    /// Changes what the columns are taken for.
    pub(super) fn assign(&mut self, assign: Assign, cx: &mut Cx) -> Handled<Event> {
        let idle = !matches!(self.run.phase, CheckPhase::Writing { .. } | CheckPhase::Failed(_));
        let Some(mapping) = self.report.mapping.as_ref().filter(|_| idle) else {
            cx.notify(Notice::info("this file has no columns to choose from"));
            return Handled::Consumed;
        };
        // The first key press only shows the choices.
        if self.view.pane != CheckPane::Columns {
            self.view.pane = CheckPane::Columns;
            return Handled::Consumed;
        }
        let Some(column) = self.report.columns.get(self.view.columns.selected) else { return Handled::Consumed };
        let column = column.name.raw();
        let name = only(column);
        let (mut mapping, role) = (mapping.clone(), assign.role());
        match assign {
            Assign::PromptTemplate | Assign::CompletionTemplate => {
                self.columns.edit(role, &mut mapping);
                return Handled::Consumed;
            }
            Assign::Conversations => mapping.chat = !mapping.chat,
            Assign::Add => {
                if !mapping.prompt.is_empty() {
                    mapping.prompt.push('\n');
                }
                mapping.prompt.push_str(&name);
            }
            Assign::Prompt | Assign::Completion | Assign::System => {
                mapping.chat |= role == ColumnRole::System;
                let single = |text: &str| mapping.columns.iter().any(|column| *text == only(column));
                let before = role.of(&mut mapping.clone()).clone();
                if !before.is_empty() && !single(&before) {
                    self.columns.keep_draft(role, typed(&before));
                    let key = role.key();
                    cx.notify(Notice::info(format!("the template is kept: {key} brings it back")).about("template"));
                }
                if before == name {
                    role.of(&mut mapping).clear();
                } else {
                    assign_column(&mut mapping, role, column);
                }
            }
        }
        self.map(mapping, cx)
    }

    /// Takes a key while the template is being typed.
    pub(super) fn type_template(&mut self, key: KeyEvent, cx: &mut Cx) -> Handled<Event> {
        let Some((role, line)) = &mut self.columns.template else { return Handled::Ignored };
        match keys::TEMPLATE.find(&key) {
            Some(TemplateKey::Use) => {}
            Some(TemplateKey::Leave) => return self.escaped(cx),
            None => {
                line.key(key);
                return Handled::Consumed;
            }
        }
        let (text, role) = (template(line.text()), *role);
        self.columns.template = None;
        let Some(mut mapping) = self.report.mapping.clone() else { return Handled::Consumed };
        *role.of(&mut mapping) = text;
        self.map(mapping, cx)
    }

    /// Takes the columns for this from now on; the rows are counted again.
    fn map(&mut self, mapping: Mapping, cx: &mut Cx) -> Handled<Event> {
        self.columns.remember(&mapping);
        (self.report.mapping, self.report.guessed) = (Some(mapping.clone()), false);
        self.choices.stays = true;
        self.check(cx);
        Handled::Emit(Event::Mapped(Box::new(mapping)))
    }
}

/// Returns what each text of a row is made of, in a line.
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

/// Returns whether the columns are called something else than what they are taken for.
pub(super) fn has_own_names(mapping: &Mapping) -> bool {
    let usual = |text: &str, name: &str| text.trim_matches(['{', '}']).eq_ignore_ascii_case(name);
    !usual(&mapping.prompt, "prompt") || !usual(&mapping.completion, "completion")
}

/// Draws the columns with their uses and some values.
pub(super) fn draw(page: &CheckPage, canvas: &mut LineCanvas, area: Rect, focus: bool) {
    let theme = canvas.theme;
    let Some(mapping) = &page.report.mapping else { return };
    let mut mapping = mapping.clone();
    let chat = mapping.chat;
    let mut cursor = page.view.columns;
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
        let name = only(column.name.raw());
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
