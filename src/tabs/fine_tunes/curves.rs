//! The curves of trainings.
