//! What of a file is read, as a user chooses it: form, header, text, label.

use crate::record::work::{Layout, Peek};

/// The choices, from above.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum ChooserField {
    /// Which column has the texts.
    #[default]
    Text,
    /// Which column has the labels, if one has.
    Label,
    /// What the file is taken for.
    Form,
    /// Whether the first row has the columns' names.
    Header,
}

/// Layouts in the order they are gone through.
pub(super) const LAYOUTS: [Layout; 4] = [Layout::Lines, Layout::Jsonl, Layout::Csv, Layout::Tsv];

impl ChooserField {
    /// Returns the choices that a form offers.
    pub(super) fn all(layout: Layout) -> &'static [Self] {
        match layout {
            Layout::Lines => &[Self::Form],
            Layout::Jsonl => &[Self::Text, Self::Label, Self::Form],
            Layout::Csv | Layout::Tsv => &[Self::Text, Self::Label, Self::Form, Self::Header],
        }
    }

    /// Returns the choice above or below, or the nearest there is.
    pub(super) fn beside(self, by: isize, layout: Layout) -> Self {
        let all = Self::all(layout);
        let at = all.iter().position(|choice| *choice == self);
        let next = at.map_or(0, |at| (at as isize + by).rem_euclid(all.len() as isize) as usize);
        all[next]
    }

    /// Returns this choice if the form offers it, else one that it offers.
    pub(super) fn within(self, layout: Layout) -> Self {
        self.beside(0, layout)
    }

    /// Takes the next one, or the one before. `Some`: the file must be looked at again as this form.
    pub(super) fn turn(self, peek: &mut Peek, by: isize) -> Option<(Layout, bool)> {
        let count = peek.names.len();
        let columns = &mut peek.columns;
        let round = |at: usize, count: usize| (at as isize + by).rem_euclid(count.max(1) as isize) as usize;
        match self.within(columns.layout) {
            Self::Text => {
                columns.text = round(columns.text, count);
                if columns.label == Some(columns.text) {
                    columns.label = None;
                }
            }
            Self::Label => {
                // The index after the last column stands for none. The text column cannot be the label.
                let mut at = columns.label.map_or(count, |label| label);
                loop {
                    at = round(at, count + 1);
                    if at != columns.text {
                        break;
                    }
                }
                columns.label = Some(at).filter(|at| *at < count);
            }
            Self::Form => {
                let at = LAYOUTS.iter().position(|layout| *layout == columns.layout).unwrap_or(0);
                return Some((LAYOUTS[round(at, LAYOUTS.len())], columns.header || at < 2));
            }
            Self::Header => return Some((columns.layout, !columns.header)),
        }
        None
    }
}

/// Returns a form in words.
pub(super) fn form(layout: Layout) -> &'static str {
    match layout {
        Layout::Lines => "one text a line",
        Layout::Jsonl => "JSON Lines",
        Layout::Csv => "CSV",
        Layout::Tsv => "TSV",
    }
}
