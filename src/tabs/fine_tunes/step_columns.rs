//! Messages of steps as columns: the step, the loss of training, that of validation.

use super::event_buffer::EventLine;
use crate::ui::{meter, wrap};

/// Columns between two figures.
const GAP: &str = "   ";

/// What a message such as `Step 120/900: training loss=0.66, validation loss=0.89` says, where it says nothing else.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct StepFigures {
    /// Such as `1,200`; of how many is said once, in the title of the chart.
    step: String,
    /// As the server writes them; empty: there is none.
    losses: [String; 2],
}

impl StepFigures {
    /// Reads an event's message; `None`: it says something else, or more.
    pub(super) fn of(line: &EventLine) -> Option<Self> {
        let words = line.words.line();
        let (step, figures) = words.strip_prefix("Step ")?.split_once(": ")?;
        let (at, of) = step.split_once('/').map_or((step, None), |(at, of)| (at, Some(of)));
        let number = |text: &str| text.replace(',', "").parse::<u64>().ok();
        if let Some(of) = of {
            number(of)?;
        }
        let mut losses = [String::new(), String::new()];
        for figure in figures.split(", ") {
            let (name, value) = figure.rsplit_once(['=', ' '])?;
            value.parse::<f64>().ok()?;
            let at = ["training loss", "validation loss"].iter().position(|loss| *loss == name)?;
            value.clone_into(&mut losses[at]);
        }
        Some(Self { step: meter::count(number(at)?), losses })
    }
}

/// Returns the end of an epoch, such as `epoch 1 of 4 ended`; `None`: the event says something else.
pub(super) fn ended_epoch(line: &EventLine) -> Option<String> {
    let words = line.words.line();
    let (number, of) = words.strip_prefix("Completed epoch ")?.split_once('/')?;
    let (number, of): (u32, u32) = (number.parse().ok()?, of.parse().ok()?);
    Some(format!("epoch {number} of {of} ended"))
}

/// How wide the columns are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct StepColumns {
    step: usize,
    losses: [usize; 2],
}

impl StepColumns {
    /// Returns the columns that hold the figures of all these events.
    pub(super) fn of<'a>(lines: impl Iterator<Item = &'a EventLine>) -> Self {
        let mut columns = Self::default();
        for figures in lines.filter_map(StepFigures::of) {
            columns.step = columns.step.max(wrap::width(&figures.step));
            for (columns, loss) in columns.losses.iter_mut().zip(&figures.losses) {
                *columns = (*columns).max(loss.len());
            }
        }
        columns
    }

    /// Returns the columns of the step.
    pub(super) fn label(self) -> u16 {
        (self.step + "step ".len()) as u16
    }

    /// Returns a row such as `step 1,728   train 0.0036   valid 0.2229`.
    pub(super) fn text(self, figures: &StepFigures) -> String {
        let mut row = format!("step {:>width$}", figures.step, width = self.step);
        for ((name, loss), width) in ["train", "valid"].iter().zip(&figures.losses).zip(self.losses) {
            if loss.is_empty() {
                row += &" ".repeat(if width == 0 { 0 } else { GAP.len() + name.len() + 1 + width });
            } else {
                row.extend([GAP, name, " ", &format!("{loss:>width$}")]);
            }
        }
        row.truncate(row.trim_end().len());
        row
    }
}

#[cfg(test)]
mod tests {
    use super::super::event_buffer::EventLevel;
    use super::*;

    fn line(words: &str) -> EventLine {
        EventLine { at: 0, level: EventLevel::Info, words: words.into(), ours: false }
    }

    #[test]
    fn steps_stand_below_each_other() {
        let lines = [
            "Step 1728: training loss 0.0036, validation loss 0.2229",
            "Step 90: training loss 10.1608",
            "Step 18: validation loss 2.5",
        ]
        .map(line);
        let columns = StepColumns::of(lines.iter());
        let rows = lines.iter().map(|line| columns.text(&StepFigures::of(line).unwrap()));
        let shown = [
            "step 1,728   train  0.0036   valid 0.2229",
            "step    90   train 10.1608",
            "step    18                   valid    2.5",
        ];
        assert_eq!(rows.collect::<Vec<_>>(), shown);
        assert_eq!(columns.label(), 10);
        let of = line("Step 91/910: training loss=0.66");
        let columns = StepColumns::of(std::iter::once(&of));
        assert_eq!(columns.text(&StepFigures::of(&of).unwrap()), "step 91   train 0.66");
    }

    #[test]
    fn the_end_of_an_epoch_reads_like_a_step() {
        assert_eq!(ended_epoch(&line("Completed epoch 1/4")).as_deref(), Some("epoch 1 of 4 ended"));
        for words in ["Completed epoch 1", "Completed epoch /4", "Completed epoch 1/4 early", "Step 1/4"] {
            assert_eq!(ended_epoch(&line(words)), None, "{words}");
        }
    }

    #[test]
    fn a_message_that_says_more_is_left_as_it_is() {
        for words in [
            "Step 5: training loss 0.5, token accuracy 0.9",
            "Step 5: training loss high",
            "Step 5/x: training loss 0.5",
            "Step five: training loss 0.5",
            "Step 5",
            "Completed epoch 1/4",
            "",
        ] {
            assert_eq!(StepFigures::of(&line(words)), None, "{words}");
        }
    }
}
