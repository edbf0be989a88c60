//! A tuned model and its base, held against rows that were held out.
