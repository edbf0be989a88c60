//! The key bindings of the check page.

use std::sync::LazyLock;

use super::columns::Assign;
use super::page::CheckPage;
use super::page_view::CheckPane;
use super::run::CheckPhase;
use super::wording;
use crate::component::{Bindings, Motion, bind};
use crate::record::training::TrainingFormat;
use crate::ui::key_table::ListedKeys;

/// What a key asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Action {
    Show,
    Accept,
    Write,
    Upload,
    Split,
    Less,
    More,
    Fewer,
    Longer,
    Model,
    Assign(Assign),
    Next,
    Before,
    Pane,
    PaneBack,
    Again,
    Move(Motion),
    Close,
}

use Action as A;

/// Keys of the page.
pub(super) static KEYS: LazyLock<Bindings<Action, CheckPage>> = LazyLock::new(|| {
    Bindings::new(
        "files.check",
        vec![
            bind("w", A::Write, "write", "write the repaired file").disabled_when(|page| {
                wording::objection(&page.report).is_some().then_some("the file cannot be written")
            }),
            bind("space", A::Accept, "", "accept or reject the repair")
                .labelled(|page: &CheckPage| {
                    if page.selected_repair().is_some_and(|(_, accepted)| accepted) { "reject" } else { "accept" }
                })
                .disabled_when(|page: &CheckPage| {
                    page.selected_repair().and_then(|(repair, _)| repair.necessary.then_some(wording::REQUIRED))
                }),
            bind("enter", A::Show, "", "show the row of a problem, or the whole text of a repair")
                .labelled(|page| if page.has_row() { "show row" } else { "whole text" }),
            bind("U", A::Upload, "", "upload what was written, or the file as it is").labelled(|page| {
                match page.run.phase {
                    CheckPhase::Written(_) => "upload",
                    _ => "upload as it is",
                }
            }),
            bind("n", A::Next, "problem", "next problem").named(&["next-problem"]).shown("n/N"),
            bind("N", A::Before, "", "previous problem").named(&["previous-problem"]),
            bind("+ =", A::Longer, "epochs", "one epoch more").named(&["more-epochs"]).shown("+/-"),
            bind("-", A::Fewer, "", "one epoch less").named(&["fewer-epochs"]),
            bind("m", A::Model, "model", "check for another model"),
            bind("p", A::Assign(Assign::Prompt), "prompt", "use the column as the prompt, or not"),
            bind("c", A::Assign(Assign::Completion), "completion", "use the column as the completion, or not"),
            bind("a", A::Assign(Assign::Add), "", "add the column to the prompt"),
            bind("t", A::Assign(Assign::PromptTemplate), "template", "type a template for the prompt"),
            bind("T", A::Assign(Assign::CompletionTemplate), "", "type a template for the completion"),
            bind("y", A::Assign(Assign::System), "", "use the column as the system message"),
            bind("f", A::Assign(Assign::Conversations), "", "turn the rows into pairs, or into conversations"),
            bind("s", A::Split, "", "hold rows out for validation, or not")
                .labelled(|page| if page.choices.held_out.is_some() { "hold none out" } else { "hold rows out" }),
            bind("<", A::Less, "", "hold out less").named(&["hold-out-less"]),
            bind(">", A::More, "", "hold out more").named(&["hold-out-more"]),
            bind("tab right l", A::Pane, "part", "next part of the page").named(&["next-part"]),
            bind("shift-tab left h", A::PaneBack, "", "previous part of the page").named(&["previous-part"]),
            bind("r ctrl-r", A::Again, "check again", "check again"),
            bind("up k", A::Move(Motion::Up), "", "up"),
            bind("down j", A::Move(Motion::Down), "", "down"),
            bind("pageup ctrl-u", A::Move(Motion::PageUp), "", "page up"),
            bind("pagedown ctrl-d", A::Move(Motion::PageDown), "", "page down"),
            bind("g home", A::Move(Motion::First), "", "to the top"),
            bind("G end", A::Move(Motion::Last), "", "to the bottom"),
            bind("esc", A::Close, "close", "close"),
        ],
    )
});

/// What gives the columns their parts, in the footer and above the columns.
pub(super) const OF_COLUMNS: [A; 3] =
    [A::Assign(Assign::Prompt), A::Assign(Assign::Completion), A::Assign(Assign::PromptTemplate)];

/// Returns the actions in the footer of a file that is checked.
pub(super) fn footer(page: &CheckPage) -> Vec<Action> {
    let of_pane: &[Action] = match page.view.pane {
        CheckPane::Columns => &OF_COLUMNS,
        CheckPane::Problems if !page.report.problems.is_empty() => &[A::Next, A::Show],
        CheckPane::Repairs if !page.report.repairs.is_empty() => &[A::Accept, A::Show],
        CheckPane::Problems | CheckPane::Repairs | CheckPane::Figures => &[],
    };
    let upload = (page.report.source == TrainingFormat::Jsonl).then_some(A::Upload);
    let last = [A::Split, A::Longer, A::Model, A::Pane];
    [A::Write].into_iter().chain(of_pane.iter().copied()).chain(last).chain(upload).collect()
}

/// What a key does while a template is typed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TemplateKey {
    Use,
    Leave,
}

/// The keys of a template while it is typed, beside its text.
pub(super) static TEMPLATE: LazyLock<Bindings<TemplateKey, ()>> = LazyLock::new(|| {
    let list = vec![
        bind("enter", TemplateKey::Use, "use template", ""),
        bind("esc", TemplateKey::Leave, "", "").does(&["keep the template as it was"]),
    ];
    Bindings::while_typing("files.check-template", list)
});

/// Returns its tables of keys, for the list of all keys.
pub(crate) fn listed_keys() -> Vec<ListedKeys> {
    vec![KEYS.listed(), TEMPLATE.listed()]
}
