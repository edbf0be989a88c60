//! Colours and styles by meaning.

/// Every style of the screen, by role.
#[derive(Clone, Debug, Default)]
pub struct Theme {}
