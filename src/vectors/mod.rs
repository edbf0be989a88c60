//! Vectors of texts: similarities, neighbours, maps, agreement of two models, and whether they are what they should be.
//!
//! Pure: tables in, figures out. What is long takes a closure that hears how far it is and says whether to go on.
