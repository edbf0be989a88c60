//! The command line: `benchtop`, `benchtop serve`.
