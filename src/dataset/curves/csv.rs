//! Result files: a row for each step.
