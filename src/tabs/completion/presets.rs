//! Prompts with their settings under a name, and examples to start from.
