//! What to do about a failure whose sentence ends with it. Workbench and commands word it differently.

/// What to do about a failure, where that differs between the workbench and commands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Advice {
    /// The model is not there, or not for this key.
    ChooseModel,
    /// The server cannot do what was asked.
    ChooseProfile,
    /// The server's answer cannot be used.
    RetryOrChooseProfile,
    /// The server rejects the key.
    CorrectKey,
    /// The server requires a key.
    AddKey,
    /// No key is stored.
    PasteKey,
    /// The variable that holds the key is not set.
    SetVariable,
    /// There is no such fine-tune.
    ListFineTunes,
    /// There is no such file, or not as it was listed.
    ListFiles,
    /// There is no such model to delete.
    ListModels,
}

impl Advice {
    /// All of it.
    pub const ALL: [Self; 10] = [
        Self::ChooseModel,
        Self::ChooseProfile,
        Self::RetryOrChooseProfile,
        Self::CorrectKey,
        Self::AddKey,
        Self::PasteKey,
        Self::SetVariable,
        Self::ListFineTunes,
        Self::ListFiles,
        Self::ListModels,
    ];

    /// Returns the words of the workbench, which name entries of its palette. Sentences are made with them.
    pub const fn words(self) -> &'static str {
        match self {
            Self::ChooseModel => "choose another model: Ctrl+P → Model",
            Self::ChooseProfile => "choose another profile: Ctrl+P → Profile: choose",
            Self::RetryOrChooseProfile => "try again, or choose another profile: Ctrl+P → Profile: choose",
            Self::CorrectKey => "paste the correct key: Ctrl+P → Profile: new key",
            Self::AddKey => "add one: Ctrl+P → Profile: new key",
            Self::PasteKey => "paste one with Ctrl+P → Profile: new key",
            Self::SetVariable => "set it and restart benchtop, or paste a key with Ctrl+P → Profile: new key",
            Self::ListFineTunes => "it may have been deleted, so refresh the list",
            Self::ListFiles => "refresh the list",
            Self::ListModels => "it may already be deleted, so refresh the list",
        }
    }

    /// Returns what a sentence says before the advice with which it ends, and the advice; `None`: it ends with none.
    pub fn at_end_of(sentence: &str) -> Option<(&str, Self)> {
        Self::ALL.into_iter().find_map(|advice| {
            let before = sentence.strip_suffix(advice.words())?;
            // Words of another sentence may end alike: “…, so refresh the list”.
            let is_advice = before.is_empty() || ["; ", "! ", "? "].into_iter().any(|mark| before.ends_with(mark));
            is_advice.then_some((before, advice))
        })
    }
}
