//! Which preset the text came from, and what loading presets replaced besides the text.

use serde::{Deserialize, Serialize};

use crate::record::{CompletionParams, Id};

/// How many loads are undone with their settings.
const MOST: usize = 16;

/// What is in use beside the text.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct SettingsInUse {
    /// The preset that the text came from.
    pub(crate) preset: Option<Id>,
    /// The id of the profile in use.
    pub(crate) profile: String,
    /// The model chosen for it; `None`: none was.
    pub(crate) model: Option<String>,
    pub(crate) params: CompletionParams,
}

impl SettingsInUse {
    /// Returns whether settings and model are the same; the preset may be another.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        *self == Self { preset: self.preset, ..other.clone() }
    }
}

/// A preset whose text took the place of another.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct PresetLoad {
    /// The step that replaced the text.
    step: Id,
    before: SettingsInUse,
    after: SettingsInUse,
}

/// The presets that were loaded on a sheet.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct LoadedPresets {
    /// The one that the text came from.
    pub(crate) current: Option<Id>,
    /// Those that replaced the text, oldest first.
    loads: Vec<PresetLoad>,
}

impl LoadedPresets {
    /// Notes that a step replaced the text by a preset's, and what was in use before it and after it.
    pub(crate) fn add(&mut self, step: Id, before: SettingsInUse, after: SettingsInUse) {
        self.loads.push(PresetLoad { step, before, after });
        self.loads.drain(..self.loads.len().saturating_sub(MOST));
    }

    /// Goes over a step that loaded a preset: back where it is undone, else forward. Returns what was in use on the
    /// other side of it, and whether settings and model, which are `here` now, are as they were left on this side;
    /// `None`: the step loaded none.
    pub(crate) fn cross(&mut self, step: Id, back: bool, here: &SettingsInUse) -> Option<(SettingsInUse, bool)> {
        let PresetLoad { before, after, .. } = self.loads.iter_mut().find(|load| load.step == step)?;
        let (left, reached) = if back { (after, before) } else { (before, after) };
        // The text may have been saved under another name meanwhile.
        left.preset = here.preset;
        self.current = reached.preset;
        Some((reached.clone(), left.is_same(here)))
    }
}
